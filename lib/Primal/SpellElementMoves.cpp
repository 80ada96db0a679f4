//===- SpellElementMoves.cpp - moves of elements as shuffles --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has intrinsics for moves of whole elements that it needs for vectors of
// unknown length: reverse, splice, insert, extract, interleave, deinterleave,
// and sums of parts (partial.reduce.fadd). MLIR's front ends emit them for
// vectors of known length, too. There each is a shuffle of its operands, or a
// sum of shuffles, which everybody knows: simplification, the types, activity,
// and the operations of lib/Rules. So shuffles they become.
//
// Vectors of unknown length stay as they are, for others to refuse.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

static unsigned lengthOf(const Value *V) {
  return cast<FixedVectorType>(V->getType())->getNumElements();
}

/// Elements From, From + Step, ... of V, Count of them; element -1 is poison.
static Value *take(IRBuilderBase &B, Value *V, int From, unsigned Count,
                   int Step = 1) {
  SmallVector<int, 16> Mask;
  for (unsigned K = 0; K != Count; ++K)
    Mask.push_back(From + int(K) * Step);
  return B.CreateShuffleVector(V, Mask);
}

/// Count elements of First followed by Second, vectors of one type.
static Value *splice(IRBuilderBase &B, Value *First, Value *Second, int From) {
  SmallVector<int, 16> Mask;
  for (unsigned K = 0; K != lengthOf(First); ++K)
    Mask.push_back(From + int(K));
  return B.CreateShuffleVector(First, Second, Mask);
}

static Value *insert(IRBuilderBase &B, Value *Into, Value *Part, unsigned At) {
  const unsigned N = lengthOf(Into), M = lengthOf(Part);
  SmallVector<int, 16> Widen, Choose;
  for (unsigned K = 0; K != N; ++K) {
    Widen.push_back(K < M ? int(K) : -1);
    Choose.push_back(K >= At && K < At + M ? int(N + K - At) : int(K));
  }
  return B.CreateShuffleVector(Into, B.CreateShuffleVector(Part, Widen),
                               Choose);
}

static Value *interleave(IRBuilderBase &B, ArrayRef<Value *> Parts) {
  const unsigned M = lengthOf(Parts[0]), N = Parts.size();
  Value *All = Parts[0];
  for (unsigned P = 1; P != N; ++P) { // one behind the other
    SmallVector<int, 16> Widen, Both;
    for (unsigned K = 0; K != P * M; ++K)
      Widen.push_back(K < M ? int(K) : -1);
    for (unsigned K = 0; K != (P + 1) * M; ++K)
      Both.push_back(int(K));
    All = B.CreateShuffleVector(
        All, P == 1 ? Parts[P] : B.CreateShuffleVector(Parts[P], Widen), Both);
  }
  SmallVector<int, 16> Mask;
  for (unsigned K = 0; K != M; ++K)
    for (unsigned P = 0; P != N; ++P)
      Mask.push_back(int(P * M + K));
  return B.CreateShuffleVector(All, Mask);
}

static Value *deinterleave(IRBuilderBase &B, Value *V, StructType *Parts) {
  const unsigned N = Parts->getNumElements();
  Value *All = PoisonValue::get(Parts);
  for (unsigned P = 0; P != N; ++P)
    All = B.CreateInsertValue(All, take(B, V, int(P), lengthOf(V) / N, int(N)),
                              P);
  return All;
}

/// Of a matrix that lies in V column by column.
static Value *transpose(IRBuilderBase &B, Value *V, unsigned Rows,
                        unsigned Columns) {
  SmallVector<int, 16> Mask;
  for (unsigned R = 0; R != Rows; ++R)
    for (unsigned C = 0; C != Columns; ++C)
      Mask.push_back(int(R + C * Rows));
  return B.CreateShuffleVector(V, Mask);
}

/// Sum of parts: the order of additions is free.
static Value *partialSum(IRBuilderBase &B, Value *Start, Value *V) {
  const unsigned N = lengthOf(Start);
  for (unsigned At = 0; At != lengthOf(V); At += N)
    Start = B.CreateFAdd(Start, take(B, V, int(At), N));
  return Start;
}

/// What II moves, in other words; null if it is no move of known length.
static Value *spelt(IntrinsicInst &II) {
  auto IsFixed = [](Type *T) { return isa<FixedVectorType>(T); };
  if (none_of(II.args(), [&](Value *A) { return IsFixed(A->getType()); }) ||
      any_of(II.args(),
             [](Value *A) { return isa<ScalableVectorType>(A->getType()); }) ||
      isa<ScalableVectorType>(II.getType()))
    return nullptr;
  IRBuilder<> B(&II);
  if (isa<FPMathOperator>(II))
    B.setFastMathFlags(II.getFastMathFlags());
  Value *V = II.getArgOperand(0);
  auto Number = [&](unsigned N) {
    return cast<ConstantInt>(II.getArgOperand(N))->getZExtValue();
  };
  switch (II.getIntrinsicID()) {
  case Intrinsic::vector_reverse:
    return take(B, V, int(lengthOf(V)) - 1, lengthOf(V), -1);
  case Intrinsic::vector_splice_left:
    return splice(B, V, II.getArgOperand(1), int(Number(2)));
  case Intrinsic::vector_splice_right:
    return splice(B, V, II.getArgOperand(1), int(lengthOf(V) - Number(2)));
  case Intrinsic::vector_insert:
    return insert(B, V, II.getArgOperand(1), Number(2));
  case Intrinsic::vector_extract:
    return take(B, V, int(Number(1)), lengthOf(&II));
  case Intrinsic::vector_interleave2:
  case Intrinsic::vector_interleave3:
  case Intrinsic::vector_interleave4:
  case Intrinsic::vector_interleave5:
  case Intrinsic::vector_interleave6:
  case Intrinsic::vector_interleave7:
  case Intrinsic::vector_interleave8:
    return interleave(B, SmallVector<Value *, 8>(II.args()));
  case Intrinsic::vector_deinterleave2:
  case Intrinsic::vector_deinterleave3:
  case Intrinsic::vector_deinterleave4:
  case Intrinsic::vector_deinterleave5:
  case Intrinsic::vector_deinterleave6:
  case Intrinsic::vector_deinterleave7:
  case Intrinsic::vector_deinterleave8:
    return deinterleave(B, V, cast<StructType>(II.getType()));
  case Intrinsic::matrix_transpose:
    return transpose(B, V, Number(1), Number(2));
  case Intrinsic::vector_partial_reduce_fadd:
    return partialSum(B, V, II.getArgOperand(1));
  default:
    return nullptr;
  }
}

/// True if there was such a move.
bool retrograd::spellElementMoves(Function &F) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *II = dyn_cast<IntrinsicInst>(&I))
      if (Value *V = spelt(*II)) {
        V->takeName(II);
        II->replaceAllUsesWith(V);
        II->eraseFromParent();
        Changed = true;
      }
  return Changed;
}
