//===- ScalarExpansion.h - scalar evolutions computed elsewhere -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_SCALAREXPANSION_H
#define RETROGRAD_EMIT_SCALAREXPANSION_H

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include <functional>

namespace retrograd {

/// What a scalar evolution of a function's arguments is for the arguments of a
/// call, in straight code.
class ScalarExpansion
    : public llvm::SCEVVisitor<ScalarExpansion, llvm::Value *> {
public:
  /// Given: what a value that the evolution is of is for whoever asks.
  ScalarExpansion(llvm::IRBuilder<> &B,
                  std::function<llvm::Value *(const llvm::Value *)> Given)
      : B(B), Given(std::move(Given)) {}
  llvm::Value *visit(const llvm::SCEV *S) {
    auto It = Known.find(S);
    if (It != Known.end())
      return It->second;
    llvm::Value *Is = SCEVVisitor::visit(S);
    return Known[S] = Is;
  }
  llvm::Value *visitConstant(const llvm::SCEVConstant *S) {
    return S->getValue();
  }
  llvm::Value *visitUnknown(const llvm::SCEVUnknown *S) {
    return Given(S->getValue());
  }
  llvm::Value *visitTruncateExpr(const llvm::SCEVTruncateExpr *S) {
    return B.CreateTrunc(visit(S->getOperand()), S->getType());
  }
  llvm::Value *visitZeroExtendExpr(const llvm::SCEVZeroExtendExpr *S) {
    return B.CreateZExt(visit(S->getOperand()), S->getType());
  }
  llvm::Value *visitSignExtendExpr(const llvm::SCEVSignExtendExpr *S) {
    return B.CreateSExt(visit(S->getOperand()), S->getType());
  }
  llvm::Value *visitAddExpr(const llvm::SCEVAddExpr *S) {
    return fold(
        *S, [&](llvm::Value *X, llvm::Value *Y) { return B.CreateAdd(X, Y); });
  }
  llvm::Value *visitMulExpr(const llvm::SCEVMulExpr *S) {
    return fold(
        *S, [&](llvm::Value *X, llvm::Value *Y) { return B.CreateMul(X, Y); });
  }
  llvm::Value *visitUDivExpr(const llvm::SCEVUDivExpr *S) {
    return B.CreateUDiv(visit(S->getLHS()), visit(S->getRHS()));
  }
  llvm::Value *visitSMaxExpr(const llvm::SCEVSMaxExpr *S) {
    return least(*S, llvm::Intrinsic::smax);
  }
  llvm::Value *visitUMaxExpr(const llvm::SCEVUMaxExpr *S) {
    return least(*S, llvm::Intrinsic::umax);
  }
  llvm::Value *visitSMinExpr(const llvm::SCEVSMinExpr *S) {
    return least(*S, llvm::Intrinsic::smin);
  }
  llvm::Value *visitUMinExpr(const llvm::SCEVUMinExpr *S) {
    return least(*S, llvm::Intrinsic::umin);
  }
  llvm::Value *visitAddRecExpr(const llvm::SCEVAddRecExpr *) { return never(); }
  llvm::Value *visitPtrToIntExpr(const llvm::SCEVPtrToIntExpr *) {
    return never();
  }
  llvm::Value *visitSequentialUMinExpr(const llvm::SCEVSequentialUMinExpr *) {
    return never();
  }
  llvm::Value *visitVScale(const llvm::SCEVVScale *) { return never(); }
  llvm::Value *visitCouldNotCompute(const llvm::SCEVCouldNotCompute *) {
    return never();
  }

private:
  static llvm::Value *never() {
    llvm_unreachable("the analyses of ranges have none of these");
  }
  llvm::Value *
  fold(const llvm::SCEVNAryExpr &S,
       llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> Join) {
    llvm::Value *X = nullptr;
    for (const llvm::SCEV *Part : S.operands()) {
      llvm::Value *Y = visit(Part);
      X = X ? Join(X, Y) : Y;
    }
    return X;
  }
  llvm::Value *least(const llvm::SCEVNAryExpr &S, llvm::Intrinsic::ID Of) {
    return fold(S, [&](llvm::Value *X, llvm::Value *Y) {
      return B.CreateBinaryIntrinsic(Of, X, Y);
    });
  }

  llvm::IRBuilder<> &B;
  std::function<llvm::Value *(const llvm::Value *)> Given;
  llvm::DenseMap<const llvm::SCEV *, llvm::Value *> Known;
};

} // namespace retrograd

#endif
