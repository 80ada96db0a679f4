//===- FormulaEmitter.h - catalogue expression to IR ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes `partial * seed` for one operand of one instruction. Both modes use
// it: forward with the operand's tangent as the seed, reverse with the adjoint
// of the result.
//
// Everything is computed in the type of the primal's result, lane by lane over
// vectors, with the primal instruction's own fast-math flags and none beyond,
// but for contraction, which is the builder's.
//
// The seed may be wider: N tangents of each number side by side. What depends
// on the seed is then computed N times as wide, all else once.
//
// Zero seeds. The optimiser turns `n > 0 ? a * *p : a` into a product and a
// select: the product is formed where n is 0, too, of memory that the program
// does not read there and that may hold anything, NaN included. Its result is
// discarded, its adjoint is 0, and 0 * NaN would reach the adjoint of a. So the
// shares of an operation that may run anywhere, and whose result goes to arms
// of selects alone, directly or through more such operations, are 0 where the
// seed is 0 and they would be NaN. Formulas that are singular within their
// domain say so themselves (`sz`).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_FORMULAEMITTER_H
#define RETROGRAD_EMIT_FORMULAEMITTER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include <functional>

namespace llvm {
class IntrinsicInst;
}

namespace retrograd {
class Catalogue;
struct FormulaNode;
struct OperationRecord;
struct Partial;

class FormulaEmitter {
public:
  FormulaEmitter(llvm::IRBuilderBase &B, const Catalogue &Cat)
      : B(B), Cat(Cat) {}

  /// Asked for the operation with a record's id of operand N of the primal,
  /// before it is emitted: a value that is there already, or null.
  using KnownOperation =
      std::function<llvm::Value *(llvm::StringRef Id, unsigned N)>;
  void setKnown(KnownOperation F) { Known = std::move(F); }

  /// What is emitted and linear in the seed is marked (Support/ShareMarks.h).
  void markShares() { MarksShares = true; }

  /// Emits P of Primal times Seed at the builder's insertion point. Arg(i)
  /// gives the primal value of operand i and Result that of Primal, valid
  /// there; each is asked for at most once per call of emit, and only when the
  /// record declares that P reads it.
  llvm::Value *emit(const Partial &P, const llvm::Instruction &Primal,
                    llvm::Value *Seed,
                    llvm::function_ref<llvm::Value *(unsigned)> Arg,
                    llvm::function_ref<llvm::Value *()> Result);

  /// Emits the operation with record id Id over Args, all in type T or
  /// integers, as an intrinsic where LLVM has one and as a call of the library
  /// otherwise.
  llvm::Value *emitCall(llvm::StringRef Id, llvm::Type *T,
                        llvm::ArrayRef<llvm::Value *> Args);

private:
  struct Scope;
  llvm::Value *emitNode(const FormulaNode &N, Scope &S);
  llvm::Value *emitNodeUncached(const FormulaNode &N, Scope &S);
  llvm::Value *emitStrongZero(const FormulaNode &N, Scope &S);
  /// Whether the result of V is wanted by arms of selects alone.
  bool isOnlyChosen(const llvm::Instruction &V);
  /// Makes L and R as wide as the wider of them.
  void match(llvm::Value *&L, llvm::Value *&R);
  llvm::Value *emitLibraryCall(const OperationRecord &R, llvm::Type *T,
                               llvm::ArrayRef<llvm::Value *> Args);

  llvm::IRBuilderBase &B;
  const Catalogue &Cat;
  KnownOperation Known;
  /// What isOnlyChosen() answered.
  llvm::DenseMap<const llvm::Instruction *, bool> OnlyChosen;
  bool MarksShares = false;
};

/// The compiler was allowed to contract products and sums of F
/// (-ffp-contract=on, clang's default, makes llvm.fmuladd of them). Then it is
/// for the derivative, too.
bool contracts(const llvm::Function &F);

/// The fast-math flags of what is emitted for I.
llvm::FastMathFlags derivativeFlags(const llvm::Instruction &I, bool Contracts);

/// C with ones for the floats of a vector that are undefined. LLVM leaves lanes
/// of constant factors undefined whose products nobody reads; their adjoints
/// are zero, and have to stay so when they are multiplied by the factor or
/// divided by it.
llvm::Constant *withDefinedLanes(llvm::Constant &C);

} // namespace retrograd

#endif
