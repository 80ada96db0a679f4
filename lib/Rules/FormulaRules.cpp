//===- FormulaRules.cpp - operations whose derivative is a formula --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   primal   y = f(x1, ..., xn)
//   tangent  y' = sum of (df/dxi) * xi'          over the active xi
//   adjoint  adj[xi] += (df/dxi) * adj[y]        for each active xi
//
// The formula of (df/dxi) * seed is a record of the catalogue.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Rules/RulesInternal.h"
#include "Rules/TangentKinds.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace retrograd;

static const char *missing(const Instruction &I, const ActivityAnalysis &A) {
  const OperationRecord *R = A.facts().catalogue().lookup(I);
  return R && R->Class == RuleClass::Formula ? nullptr : I.getOpcodeName();
}

static void needs(const Instruction &I, const ActivityAnalysis &A,
                  NeedSink Sink) {
  const OperationRecord &R = *A.facts().catalogue().lookup(I);
  for (const Partial &P : R.Partials) {
    if (!A.isActive(I.getOperand(P.Operand)))
      continue;
    uint32_t Read = R.argsReadByPartial(P.Operand);
    for (unsigned N = 0; N != 32 && N < I.getNumOperands(); ++N)
      if (Read >> N & 1)
        Sink({Need::Primal, I.getOperand(N)});
    if (R.resultReadByPartial(P.Operand))
      Sink({Need::Primal, &I});
  }
}

static void emit(const Instruction &I, RuleContext &C) {
  const OperationRecord &R = *C.activity().facts().catalogue().lookup(I);
  Value *Seed = C.take(&I);
  for (const Partial &P : R.Partials) {
    const Value *Operand = I.getOperand(P.Operand);
    if (C.activity().isActive(Operand))
      C.accumulate(Operand, C.partial(P, I, Seed));
  }
}

static Value *tangent(const Instruction &I, TangentContext &C) {
  if (C.kind() == TangentKind::Dependencies)
    return dependencies(I, C);
  const ActivityAnalysis &A = C.activity();
  const OperationRecord &R = *A.facts().catalogue().lookup(I);
  IRBuilderBase &B = C.builder();
  B.setFastMathFlags(C.flags(I));
  const bool Bounds = C.kind() == TangentKind::ErrorBound;
  if (Bounds && R.Exact && R.Partials.size() == 1)
    return C.companion(
        I.getOperand(R.Partials[0].Operand)); // -x, |x|, sign of another
  Value *Sum = nullptr;
  for (const Partial &P : R.Partials) {
    const Value *Operand = I.getOperand(P.Operand);
    if (!A.isActive(Operand))
      continue;
    Value *X = C.partial(P, I, C.companion(Operand));
    if (Bounds)
      X = B.CreateUnaryIntrinsic(Intrinsic::fabs, X);
    Sum = Sum ? B.CreateFAdd(Sum, X) : X;
  }
  if (!Sum)
    return Constant::getNullValue(C.typeHere(&I));
  return Bounds && !R.Exact ? rounded(I, Sum, C) : Sum;
}

static bool lanesAtOnce(const Instruction &) { return true; }

const Operation operations::Formulas = {
    .Missing = missing,
    .Needs = needs,
    .Adjoint = emit,
    .Tangent = tangent,
    .LanesAtOnce = lanesAtOnce,
};
