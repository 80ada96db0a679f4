//===- VectorRules.cpp - insert, extract, shuffle, reductions -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y = extract v, i       adj[v][i] += adj[y]
//   y = insert v, s, i     adj[s] += adj[y][i],  adj[v] += adj[y] with 0 at i
//   y = shuffle a, b, m    adj[source lane of i] += adj[y][i]  for each lane i
//   y = reduce.fadd s, v   adj[s] += adj[y],  adj[v][i] += adj[y]
//   y = compress v, m, p   the elements of v where m is set, in a row,
//                          then those of p: each goes back to where it
//                          came from
//   y = last active v, m, d
//                          adj[v][i] += adj[y] for the last i where m is set;
//                          adj[d] += adj[y] if there is none
//   Y = product A, B       adj[A] += adj[Y] B^T,  adj[B] += A^T adj[Y]
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Rules/LaneVectors.h"
#include "Rules/RulesInternal.h"
#include "Rules/TangentKinds.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MatrixBuilder.h"

using namespace llvm;
using namespace retrograd;

/// By a mask, which elements of a vector are the result.
static bool choosesByMask(const Instruction &I) {
  const auto *II = dyn_cast<IntrinsicInst>(&I);
  return II &&
         (II->getIntrinsicID() == Intrinsic::experimental_vector_compress ||
          II->getIntrinsicID() ==
              Intrinsic::experimental_vector_extract_last_active);
}

static bool isProductOfMatrices(const Instruction &I) {
  const auto *II = dyn_cast<IntrinsicInst>(&I);
  return II && II->getIntrinsicID() == Intrinsic::matrix_multiply;
}

static bool isReduction(const Instruction &I) {
  const auto *II = dyn_cast<IntrinsicInst>(&I);
  if (!II)
    return false;
  switch (II->getIntrinsicID()) {
  case Intrinsic::vector_reduce_fadd:
  case Intrinsic::vector_reduce_fmul:
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fmaximum:
  case Intrinsic::vector_reduce_fminimum:
    return true;
  default:
    return false;
  }
}

static const char *missing(const Instruction &I, const ActivityAnalysis &A) {
  if (const auto *II = dyn_cast<IntrinsicInst>(&I)) {
    if (isReduction(I))
      return nullptr;
    if (choosesByMask(I)) {
      Type *T = II->getArgOperand(0)->getType();
      return !isa<FixedVectorType>(T)
                 ? "choice of the elements of a scalable vector"
             : !T->isFPOrFPVectorTy() ? "choice of elements that are no floats"
                                      : nullptr;
    }
    if (isProductOfMatrices(I))
      return II->getType()->isFPOrFPVectorTy()
                 ? nullptr
                 : "product of matrices of elements that are no floats";
    return "intrinsic call";
  }
  if (isa<CallBase>(I))
    return "library call";
  if (isa<ScalableVectorType>(I.getType()) ||
      isa<ScalableVectorType>(I.getOperand(0)->getType()))
    return "scalable vector operation";
  return nullptr;
}

static void needs(const Instruction &I, const ActivityAnalysis &A,
                  NeedSink Sink) {
  if (isa<ExtractElementInst>(I))
    Sink({Need::Primal, I.getOperand(1)});
  if (isa<InsertElementInst>(I))
    Sink({Need::Primal, I.getOperand(2)});
  if (choosesByMask(I))
    Sink({Need::Primal, I.getOperand(1)});
  if (isProductOfMatrices(I)) // each factor's adjoint reads the other one
    for (unsigned Factor : {0, 1})
      if (A.isActive(I.getOperand(Factor)))
        Sink({Need::Primal, I.getOperand(1 - Factor)});
  if (isReduction(I) &&
      cast<IntrinsicInst>(I).getIntrinsicID() != Intrinsic::vector_reduce_fadd)
    for (const Value *Op : cast<CallBase>(I).args())
      Sink({Need::Primal, Op});
}

static void emitShuffle(const ShuffleVectorInst &S, Value *Seed,
                        RuleContext &C) {
  IRBuilderBase &B = C.builder();
  int Lanes =
      cast<FixedVectorType>(S.getOperand(0)->getType())->getNumElements();
  for (unsigned Op = 0; Op != 2; ++Op) {
    const Value *Source = S.getOperand(Op);
    if (!C.activity().isActive(Source))
      continue;
    bool IsFloat = Source->getType()->isFPOrFPVectorTy();
    // Integer lanes carry whole floats only one at a time: add lane by lane.
    Value *Sum = adjointZero(Source->getType());
    SmallVector<bool, 8> Filled(Lanes, false);
    for (auto [I, M] : enumerate(S.getShuffleMask())) {
      int Lane = M - int(Op) * Lanes;
      if (M < 0 || Lane < 0 || Lane >= Lanes)
        continue;
      Value *X = B.CreateExtractElement(Seed, uint64_t(I));
      if (Filled[Lane]) {
        if (!IsFloat) { // a repeated lane of bits: hand over what there is
          C.accumulate(Source, Sum);
          Sum = adjointZero(Source->getType());
          Filled.assign(Lanes, false);
        } else {
          X = B.CreateFAdd(B.CreateExtractElement(Sum, uint64_t(Lane)), X);
        }
      }
      Filled[Lane] = true;
      Sum = B.CreateInsertElement(Sum, X, uint64_t(Lane));
    }
    C.accumulate(Source, Sum);
  }
}

/// Products and extrema, lane by lane: the running result before each lane is
/// recomputed, so nothing but the operands is needed.
static void emitReduction(const IntrinsicInst &I, Value *Seed, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  Intrinsic::ID Id = I.getIntrinsicID();
  bool HasStart = Id == Intrinsic::vector_reduce_fadd ||
                  Id == Intrinsic::vector_reduce_fmul;
  const Value *V = I.getArgOperand(HasStart ? 1 : 0);
  auto *VT = cast<FixedVectorType>(V->getType());
  unsigned N = VT->getNumElements();
  if (Id == Intrinsic::vector_reduce_fadd) {
    C.accumulate(I.getArgOperand(0), Seed);
    return C.accumulate(V, B.CreateVectorSplat(N, Seed));
  }
  Value *X = C.primal(V);
  SmallVector<Value *, 8> Lane;
  for (unsigned K = 0; K != N; ++K)
    Lane.push_back(B.CreateExtractElement(X, uint64_t(K)));
  Value *Adjoint = adjointZero(VT);
  if (Id == Intrinsic::vector_reduce_fmul) {
    // Products of all others, by prefix and suffix.
    Value *Start = C.primal(I.getArgOperand(0));
    SmallVector<Value *, 8> Suffix(N + 1);
    Suffix[N] = ConstantFP::get(VT->getElementType(), 1.0);
    for (unsigned K = N; K-- > 0;)
      Suffix[K] = B.CreateFMul(Lane[K], Suffix[K + 1]);
    C.accumulate(I.getArgOperand(0), B.CreateFMul(Seed, Suffix[0]));
    Value *Prefix = B.CreateFMul(Seed, Start);
    for (unsigned K = 0; K != N; ++K) {
      Adjoint = B.CreateInsertElement(
          Adjoint, B.CreateFMul(Prefix, Suffix[K + 1]), uint64_t(K));
      Prefix = B.CreateFMul(Prefix, Lane[K]);
    }
    return C.accumulate(V, Adjoint);
  }
  // The first lane that holds the extremum takes the adjoint.
  bool IsMax = Id == Intrinsic::vector_reduce_fmax ||
               Id == Intrinsic::vector_reduce_fmaximum;
  Value *Best = Lane[0], *Where = B.getInt32(0);
  for (unsigned K = 1; K != N; ++K) {
    Value *Better =
        IsMax ? B.CreateFCmpOGT(Lane[K], Best) : B.CreateFCmpOLT(Lane[K], Best);
    Best = B.CreateSelect(Better, Lane[K], Best);
    Where = B.CreateSelect(Better, B.getInt32(K), Where);
  }
  C.accumulate(V, B.CreateInsertElement(Adjoint, Seed, Where));
}

/// Element K of the mask as a number, 0 or 1.
static Value *maskBit(IRBuilderBase &B, Value *Mask, unsigned K) {
  return B.CreateZExt(B.CreateExtractElement(Mask, uint64_t(K)),
                      B.getInt32Ty());
}

static void emitCompress(const IntrinsicInst &I, Value *Seed, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  const Value *V = I.getArgOperand(0), *Behind = I.getArgOperand(2);
  Value *Mask = C.primal(I.getArgOperand(1));
  Value *Adjoint = adjointZero(V->getType()), *Rest = Adjoint;
  Value *None = adjointZero(V->getType()->getScalarType());
  Value *Next = B.getInt32(0); // how many elements were chosen so far
  const unsigned N = elementCount(V->getType());
  for (unsigned K = 0; K != N; ++K) {
    Value *Bit = maskBit(B, Mask, K);
    Value *X = B.CreateSelect(B.CreateExtractElement(Mask, uint64_t(K)),
                              B.CreateExtractElement(Seed, Next), None);
    Adjoint = B.CreateInsertElement(Adjoint, X, uint64_t(K));
    Next = B.CreateAdd(Next, Bit);
  }
  C.accumulate(V, Adjoint);
  for (unsigned K = 0; K != N; ++K) {
    Value *IsBehind = B.CreateICmpULE(Next, B.getInt32(K));
    Value *X = B.CreateSelect(IsBehind,
                              B.CreateExtractElement(Seed, uint64_t(K)), None);
    Rest = B.CreateInsertElement(Rest, X, uint64_t(K));
  }
  C.accumulate(Behind, Rest);
}

static void emitLastActive(const IntrinsicInst &I, Value *Seed,
                           RuleContext &C) {
  IRBuilderBase &B = C.builder();
  const Value *V = I.getArgOperand(0);
  Value *Mask = C.primal(I.getArgOperand(1));
  Value *None = adjointZero(I.getType());
  Value *Adjoint = adjointZero(V->getType());
  Value *Left = Seed; // what no element has taken
  for (unsigned K = elementCount(V->getType()); K-- > 0;) {
    Value *Bit = B.CreateExtractElement(Mask, uint64_t(K));
    Adjoint = B.CreateInsertElement(Adjoint, B.CreateSelect(Bit, Left, None),
                                    uint64_t(K));
    Left = B.CreateSelect(Bit, None, Left);
  }
  C.accumulate(V, Adjoint);
  C.accumulate(I.getArgOperand(2), Left);
}

namespace {
/// Y = A B: A has Rows x Inner elements, B has Inner x Columns.
struct ProductShape {
  unsigned Rows, Inner, Columns;
  explicit ProductShape(const IntrinsicInst &I)
      : Rows(number(I, 2)), Inner(number(I, 3)), Columns(number(I, 4)) {}

private:
  static unsigned number(const IntrinsicInst &I, unsigned Operand) {
    return cast<ConstantInt>(I.getArgOperand(Operand))->getZExtValue();
  }
};
} // namespace

static void emitProduct(const IntrinsicInst &I, Value *Seed, RuleContext &C) {
  MatrixBuilder M(C.builder());
  const ProductShape Is(I);
  const Value *A = I.getArgOperand(0), *B = I.getArgOperand(1);
  const ActivityAnalysis &Activity = C.activity();
  if (Activity.isActive(A)) {
    Value *Turned = M.CreateMatrixTranspose(C.primal(B), Is.Inner, Is.Columns);
    C.accumulate(
        A, M.CreateMatrixMultiply(Seed, Turned, Is.Rows, Is.Columns, Is.Inner));
  }
  if (Activity.isActive(B)) {
    Value *Turned = M.CreateMatrixTranspose(C.primal(A), Is.Rows, Is.Inner);
    C.accumulate(
        B, M.CreateMatrixMultiply(Turned, Seed, Is.Inner, Is.Rows, Is.Columns));
  }
}

static void emit(const Instruction &I, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  Value *Seed = C.take(&I);
  const Value *X = I.getOperand(0);
  if (isa<ExtractElementInst>(I))
    return C.accumulate(X,
                        B.CreateInsertElement(adjointZero(X->getType()), Seed,
                                              C.primal(I.getOperand(1))));
  if (isa<InsertElementInst>(I)) {
    Value *Index = C.primal(I.getOperand(2));
    const Value *S = I.getOperand(1);
    C.accumulate(S, B.CreateExtractElement(Seed, Index));
    return C.accumulate(
        X, B.CreateInsertElement(Seed, adjointZero(S->getType()), Index));
  }
  if (const auto *S = dyn_cast<ShuffleVectorInst>(&I))
    return emitShuffle(*S, Seed, C);
  if (const auto *E = dyn_cast<ExtractValueInst>(&I))
    return C.accumulate(X, B.CreateInsertValue(adjointZero(X->getType()), Seed,
                                               E->getIndices()));
  if (const auto *Ins = dyn_cast<InsertValueInst>(&I)) {
    const Value *S = I.getOperand(1);
    C.accumulate(S, B.CreateExtractValue(Seed, Ins->getIndices()));
    return C.accumulate(X, B.CreateInsertValue(Seed, adjointZero(S->getType()),
                                               Ins->getIndices()));
  }
  const auto &II = cast<IntrinsicInst>(I);
  if (isReduction(I))
    return emitReduction(II, Seed, C);
  switch (II.getIntrinsicID()) {
  case Intrinsic::experimental_vector_compress:
    return emitCompress(II, Seed, C);
  case Intrinsic::experimental_vector_extract_last_active:
    return emitLastActive(II, Seed, C);
  case Intrinsic::matrix_multiply:
    return emitProduct(II, Seed, C);
  default:
    llvm_unreachable("an intrinsic that missing() refuses");
  }
}

static Value *tangentOfReduction(const IntrinsicInst &I, TangentContext &C) {
  if (C.kind() == TangentKind::Dependencies)
    return dependencies(I, C);
  IRBuilderBase &B = C.builder();
  Intrinsic::ID Id = I.getIntrinsicID();
  B.setFastMathFlags(I.getFastMathFlags());
  if (Id == Intrinsic::vector_reduce_fadd)
    return B.CreateFAddReduce(C.companion(I.getArgOperand(0)),
                              C.companion(I.getArgOperand(1)));
  bool Product = Id == Intrinsic::vector_reduce_fmul;
  const Value *V = I.getArgOperand(Product ? 1 : 0);
  unsigned N = cast<FixedVectorType>(V->getType())->getNumElements();
  Value *X = C.primal(V), *T = C.companion(V);
  Value *Best = Product ? C.primal(I.getArgOperand(0))
                        : B.CreateExtractElement(X, uint64_t(0));
  Value *BestT = Product ? C.companion(I.getArgOperand(0))
                         : B.CreateExtractElement(T, uint64_t(0));
  bool IsMax = Id == Intrinsic::vector_reduce_fmax ||
               Id == Intrinsic::vector_reduce_fmaximum;
  for (unsigned K = Product ? 0 : 1; K != N; ++K) {
    Value *XK = B.CreateExtractElement(X, uint64_t(K)),
          *TK = B.CreateExtractElement(T, uint64_t(K));
    if (Product) {
      BestT = B.CreateFAdd(B.CreateFMul(BestT, XK), B.CreateFMul(Best, TK));
      Best = B.CreateFMul(Best, XK);
      continue;
    }
    Value *Better =
        IsMax ? B.CreateFCmpOGT(XK, Best) : B.CreateFCmpOLT(XK, Best);
    Best = B.CreateSelect(Better, XK, Best);
    BestT = B.CreateSelect(Better, TK, BestT);
  }
  return BestT;
}

/// Moves of elements, of all lanes: K is a whole element, as wide as the lanes.
static Value *tangentInLanes(const Instruction &I, TangentContext &C) {
  IRBuilderBase &B = C.builder();
  const unsigned N = C.lanesAtOnce();
  SmallVector<int, 32> Mask;
  auto Element = [&](int K) {
    for (unsigned L = 0; L != N; ++L)
      Mask.push_back(K < 0 ? -1 : int(K * N + L));
  };
  if (const auto *S = dyn_cast<ShuffleVectorInst>(&I)) {
    for (int K : S->getShuffleMask())
      Element(K);
    return B.CreateShuffleVector(C.companion(S->getOperand(0)),
                                 C.companion(S->getOperand(1)), Mask);
  }
  if (isa<ExtractElementInst>(I)) {
    Element(cast<ConstantInt>(I.getOperand(1))->getZExtValue());
    return B.CreateShuffleVector(C.companion(I.getOperand(0)), Mask);
  }
  // insertelement: widen what is inserted, then choose.
  unsigned Count = elementCount(I.getType());
  uint64_t At = cast<ConstantInt>(I.getOperand(2))->getZExtValue();
  for (unsigned K = 0; K != Count * N; ++K)
    Mask.push_back(K < N ? int(K) : -1);
  Value *X = B.CreateShuffleVector(C.companion(I.getOperand(1)), Mask);
  Mask.clear();
  for (unsigned K = 0; K != Count; ++K)
    for (unsigned L = 0; L != N; ++L)
      Mask.push_back(K == At ? int(Count * N + L) : int(K * N + L));
  return B.CreateShuffleVector(C.companion(I.getOperand(0)), X, Mask);
}

/// The same choice among the tangents.
static Value *tangentOfChoice(const IntrinsicInst &I, TangentContext &C) {
  if (C.kind() == TangentKind::Dependencies)
    return dependenciesAcross(I, C);
  return C.builder().CreateIntrinsic(
      I.getIntrinsicID(), {I.getArgOperand(0)->getType()},
      {C.companion(I.getArgOperand(0)), C.primal(I.getArgOperand(1)),
       C.companion(I.getArgOperand(2))});
}

/// A' B + A B'.
static Value *tangentOfProduct(const IntrinsicInst &I, TangentContext &C) {
  if (C.kind() == TangentKind::Dependencies)
    return dependenciesAcross(I, C);
  IRBuilderBase &B = C.builder();
  B.setFastMathFlags(I.getFastMathFlags());
  MatrixBuilder M(B);
  const ProductShape Is(I);
  Value *Sum = nullptr;
  for (unsigned Factor : {0, 1}) {
    if (!C.activity().isActive(I.getArgOperand(Factor)))
      continue;
    Value *Of[2] = {C.primal(I.getArgOperand(0)), C.primal(I.getArgOperand(1))};
    Of[Factor] = C.companion(I.getArgOperand(Factor));
    Value *X =
        M.CreateMatrixMultiply(Of[0], Of[1], Is.Rows, Is.Inner, Is.Columns);
    Sum = Sum ? B.CreateFAdd(Sum, X) : X;
  }
  return Sum ? Sum : Constant::getNullValue(I.getType());
}

static Value *tangent(const Instruction &I, TangentContext &C) {
  if (isProductOfMatrices(I))
    return tangentOfProduct(cast<IntrinsicInst>(I), C);
  if (choosesByMask(I))
    return tangentOfChoice(cast<IntrinsicInst>(I), C);
  if (isReduction(I))
    return tangentOfReduction(cast<IntrinsicInst>(I), C);
  assert(!isa<IntrinsicInst>(I) && "an intrinsic that missing() refuses");
  return C.lanesAtOnce() == 1 ? C.again(I) : tangentInLanes(I, C);
}

static bool lanesAtOnce(const Instruction &I) {
  if (isa<ExtractElementInst>(I))
    return isa<ConstantInt>(I.getOperand(1));
  if (isa<InsertElementInst>(I))
    return isa<ConstantInt>(I.getOperand(2));
  return isa<ShuffleVectorInst>(I);
}

const Operation operations::Elements = {
    .Missing = missing,
    .Needs = needs,
    .Adjoint = emit,
    .Tangent = tangent,
    .LanesAtOnce = lanesAtOnce,
};
