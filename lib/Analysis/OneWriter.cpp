//===- OneWriter.cpp - memory whose places are written once ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two runs of a store go to one address. What is the same in all runs falls
// out of the equation; for a stride s and columns that are proved to lie within
// 0 and s - 1, row * s + column says that rows and columns are the same. Down
// to single variables, which are then the same in both runs:
//
//   row * C + lane + 32 k,  row = grid index / 32, lane = thread index mod 32
//
//   C:   row, and lane + 32 k, since the loop runs while that is below C
//   32:  k, and lane, which is below 32
//   and the grid index is the same if its quotient and its remainder by 32 are
//
// Facts are sums of products that are not negative. LLVM's ConstraintSystem
// takes each product for a variable of its own, so it knows less of it: at
// worst, nothing is proved.
//
//===----------------------------------------------------------------------===//

#include "Analysis/OneWriter.h"
#include "Analysis/Polynomial.h"
#include "Catalogue/ThreadIdentity.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstraintSystem.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include <set>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

constexpr unsigned Deepest = 24;

namespace {

struct Variable {
  enum Kind : uint8_t {
    Thread, ///< index of the thread in its block
    Block,  ///< index of the block in the grid
    Counter,
    Quotient,
    Remainder,
    Which, ///< of several stores
    // The same in all runs:
    BlockSize,
    GridSize,
    Same
  };
  Kind What;
  unsigned Axis;
  const void *Of; ///< the loop, or the scalar evolution
  bool Signed = true;
  Polynomial Divided; ///< of a quotient and a remainder
  uint64_t By = 0;
  bool NotNegative = true;

  Variable(Kind What, unsigned Axis = 0, const void *Of = nullptr)
      : What(What), Axis(Axis), Of(Of) {}
  bool isOwn() const { return What <= Which; }
};

/// A loop goes on while its index is below End.
struct Walk {
  const SCEV *End;
  bool Signed;
};

class Proof {
public:
  Proof(const LoopShape &Shape, const DominatorTree &DT, const Catalogue &Cat,
        function_ref<bool(const Argument &)> IsAlike, const BasicBlock &Here)
      : SE(Shape.evolution()), Loops(Shape.loops()), DT(DT), Cat(Cat),
        IsAlike(IsAlike), Here(Here) {}

  /// Why two runs of Stores may meet; empty if they do not.
  StringRef doubt(ArrayRef<const StoreInst *> Stores, const Argument &A,
                  bool Grid);
  SmallVector<OneWriter::Condition, 4> Conditions;

private:
  using Read = std::optional<Polynomial>;

  unsigned variable(const Variable &V);
  static Polynomial constant(int64_t C) {
    Polynomial P;
    if (C)
      P.Terms[{}] = C;
    return P;
  }
  static Polynomial of(unsigned V, int64_t Times = 1) {
    Polynomial P;
    P.Terms[{V}] = Times;
    return P;
  }
  Polynomial counter(const Loop &L) {
    return of(variable({Variable::Counter, 0, &L}));
  }
  static Polynomial difference(Polynomial A, const Polynomial &B) {
    A.add(B, -1);
    return A;
  }
  bool isOwn(const Monomial &M) const {
    return any_of(M, [&](unsigned V) { return Variables[V].isOwn(); });
  }
  bool isNotNegative(const Monomial &M) const {
    return all_of(M, [&](unsigned V) { return Variables[V].NotNegative; });
  }

  Read address(const Value *P, const Argument &A, unsigned Depth = 0);
  Read index(const Value *V, bool Signed, unsigned Depth);
  Read whole(const SCEV *S, unsigned Depth = 0);
  Read narrow(const SCEV *S, bool Signed, unsigned Depth = 0);
  Read wrapping(const SCEV *S, unsigned Depth);
  Read walked(const SCEVAddRecExpr *S, bool Signed, unsigned Depth);
  Read same(const SCEV *S, bool Signed);
  Read length(const SCEV *S, bool Signed);
  Read identity(const SCEV *S);
  Read divided(Polynomial P, uint64_t By, Variable::Kind What);
  bool isSame(const SCEV *S) const;
  bool isSame(const Value *V, unsigned Depth = 0) const;
  std::optional<Walk> walkOf(const SCEVAddRecExpr *S);

  void learn(const Polynomial &NotNegative) { Facts.push_back(NotNegative); }
  void learnBranches();
  void learnCondition(const Value *C, bool Holds);
  void learnOrder(CmpInst::Predicate P, const SCEV *A, const SCEV *B);
  void learnOrder(CmpInst::Predicate P, const Polynomial &A,
                  const Polynomial &B);
  void learnLoop(const Loop &L);
  void learnDivisions();

  bool isProved(const Polynomial &NotNegative) const;
  bool liesWithin(const Polynomial &P, const Polynomial &Size);
  Polynomial most(const Polynomial &P);
  bool require(const Polynomial &NotNegative, uint64_t Multiple = 0);

  Polynomial withoutKnown(const Polynomial &P) const;
  bool recover(Polynomial P);
  /// Change, or nothing of it if it fails: conditions that a way asks for that
  /// leads nowhere would stop launches.
  bool attempt(function_ref<bool()> Change);
  static bool splitBy(const Polynomial &P, const Monomial &Stride, int64_t By,
                      Polynomial &Row, Polynomial &Column);
  void close();
  bool asksFor(Variable::Kind What, unsigned Axis) const;

  ScalarEvolution &SE;
  const LoopInfo &Loops;
  const DominatorTree &DT;
  const Catalogue &Cat;
  function_ref<bool(const Argument &)> IsAlike;
  const BasicBlock &Here;
  SmallVector<Variable, 16> Variables;
  SmallVector<Polynomial, 32> Facts;
  /// Columns may lie in their rows for some launches only.
  bool MayAsk = true;
  /// Variables that are known to be the same in both runs.
  SmallDenseSet<unsigned, 16> Known;
};

} // namespace

/// What is below is the same number as 32 bits with a sign and without.
constexpr int64_t Signless = int64_t(1) << 31;

unsigned Proof::variable(const Variable &V) {
  for (auto [N, Old] : enumerate(Variables))
    if (Old.What == V.What && Old.Axis == V.Axis && Old.Of == V.Of &&
        Old.Signed == V.Signed && Old.By == V.By &&
        Old.Divided.Terms == V.Divided.Terms)
      return N;
  const unsigned N = Variables.size();
  Variables.push_back(V);
  if (V.NotNegative)
    learn(of(N));
  auto AtMost = [&](const Polynomial &Most) { learn(difference(Most, of(N))); };
  switch (V.What) {
  case Variable::Thread:
  case Variable::Block: {
    const Variable::Kind Size =
        V.What == Variable::Thread ? Variable::BlockSize : Variable::GridSize;
    AtMost(difference(of(variable({Size, V.Axis})), constant(1)));
    break;
  }
  case Variable::BlockSize:
  case Variable::GridSize:
    learn(difference(of(N), constant(1)));
    break;
  case Variable::Quotient: {
    Polynomial Rest = V.Divided;
    Rest.add(of(N, -int64_t(V.By)));
    learn(Rest);
    learn(difference(constant(V.By - 1), Rest));
    break;
  }
  case Variable::Remainder:
    AtMost(constant(V.By - 1));
    AtMost(V.Divided);
    break;
  case Variable::Same:
    if (const auto *S = static_cast<const SCEV *>(V.Of);
        SE.getTypeSizeInBits(S->getType()) <= 32)
      AtMost(constant(V.Signed ? SE.getSignedRangeMax(S).getSExtValue()
                               : SE.getUnsignedRangeMax(S).getZExtValue()));
    break;
  case Variable::Counter:
  case Variable::Which:
    break;
  }
  return N;
}

//===----------------------------------------------------------------------===//
// Scalar evolutions as polynomials
//===----------------------------------------------------------------------===//

static std::optional<ThreadIdentity> identityOf(const SCEV *S) {
  const auto *U = dyn_cast<SCEVUnknown>(S);
  const auto *C = U ? dyn_cast<CallBase>(U->getValue()) : nullptr;
  return C ? ThreadIdentity::of(*C) : std::nullopt;
}

/// Computed from what all threads are given alike, without memory.
bool Proof::isSame(const Value *V, unsigned Depth) const {
  if (isa<Constant>(V))
    return true;
  if (const auto *A = dyn_cast<Argument>(V))
    return IsAlike(*A);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > Deepest || isa<PHINode>(I) || I->mayReadOrWriteMemory())
    return false;
  if (const auto *C = dyn_cast<CallBase>(I)) {
    if (std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C))
      return Who->Asks == ThreadIdentity::BlockSize ||
             Who->Asks == ThreadIdentity::GridSize;
    const auto *II = dyn_cast<IntrinsicInst>(C);
    if (!II || Intrinsic::isTargetIntrinsic(II->getIntrinsicID()))
      return false;
  }
  return all_of(I->operands(), [&](const Use &U) {
    return isa<Function>(U) || isSame(U, Depth + 1);
  });
}

/// The same in all runs of all threads.
bool Proof::isSame(const SCEV *S) const {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    const auto *U = dyn_cast<SCEVUnknown>(Part);
    return isa<SCEVAddRecExpr, SCEVCouldNotCompute>(Part) ||
           (U && !isSame(U->getValue()));
  });
}

Proof::Read Proof::same(const SCEV *S, bool Signed) {
  if (!isSame(S))
    return std::nullopt;
  Variable V(Variable::Same, 0, S);
  V.NotNegative =
      SE.isKnownNonNegative(S) ||
      SE.isKnownPredicateAt(ICmpInst::ICMP_SGE, S, SE.getZero(S->getType()),
                            Here.getTerminator());
  const unsigned N = variable(V);
  if (Signed || Variables[N].NotNegative)
    return of(N);
  // The same number without a sign, if a comparison shows that it has none.
  if (isProved(of(N))) {
    Variables[N].NotNegative = true;
    return of(N);
  }
  V.Signed = false;
  V.NotNegative = true;
  return of(variable(V));
}

/// S, a sum that is a factor: it may be the length of a row, and is read in one
/// piece, as wide as an address.
Proof::Read Proof::length(const SCEV *S, bool Signed) {
  if (SE.getTypeSizeInBits(S->getType()) >= 64)
    return same(S, /*Signed=*/true);
  Type *Wide = Type::getInt64Ty(SE.getContext());
  return same(Signed ? SE.getSignExtendExpr(S, Wide)
                     : SE.getZeroExtendExpr(S, Wide),
              /*Signed=*/true);
}

Proof::Read Proof::identity(const SCEV *S) {
  std::optional<ThreadIdentity> Who = identityOf(S);
  if (!Who)
    return std::nullopt;
  Variable V(Variable::Thread, Who->Axis);
  switch (Who->Asks) {
  case ThreadIdentity::ThreadIndex:
    break;
  case ThreadIdentity::BlockIndex:
    V.What = Variable::Block;
    break;
  case ThreadIdentity::BlockSize:
    V.What = Variable::BlockSize;
    break;
  case ThreadIdentity::GridSize:
    V.What = Variable::GridSize;
    break;
  }
  const size_t Before = Variables.size();
  const unsigned N = variable(V);
  if (N >= Before)
    learn(difference(
        constant(SE.getUnsignedRangeMax(S).getLimitedValue(uint64_t(1) << 32)),
        of(N)));
  return of(N);
}

/// P, which is not negative, by a number: the quotient or the remainder.
Proof::Read Proof::divided(Polynomial P, uint64_t By, Variable::Kind What) {
  if (!By || By >= uint64_t(Signless) || P.Overflow)
    return std::nullopt;
  Variable V(What);
  V.Divided = std::move(P);
  V.By = By;
  return of(variable(V));
}

/// S, of the width of an address. Sums and products of that width do not wrap
/// where they are addresses of something.
Proof::Read Proof::whole(const SCEV *S, unsigned Depth) {
  if (Depth > Deepest)
    return std::nullopt;
  if (const auto *C = dyn_cast<SCEVConstant>(S)) {
    if (C->getAPInt().getSignificantBits() > 62)
      return std::nullopt;
    return constant(C->getAPInt().getSExtValue());
  }
  if (Read Who = identity(S))
    return Who;
  auto All = [&](const SCEVNAryExpr *E, bool Times) -> Read {
    Polynomial Result = constant(Times);
    for (const SCEV *Part : E->operands()) {
      Read P = Times && isa<SCEVAddExpr>(Part) && isSame(Part)
                   ? length(Part, /*Signed=*/true)
                   : whole(Part, Depth + 1);
      if (!P)
        return std::nullopt;
      if (Times)
        Result = Result.times(*P);
      else
        Result.add(*P);
    }
    return Result;
  };
  Read R;
  if (const auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!Rec->isAffine())
      return std::nullopt;
    Read Start = whole(Rec->getStart(), Depth + 1),
         Step = whole(Rec->getStepRecurrence(SE), Depth + 1);
    if (!Start || !Step)
      return std::nullopt;
    Start->add(Step->times(counter(*Rec->getLoop())));
    return Start;
  }
  if (isa<SCEVAddExpr, SCEVMulExpr>(S))
    R = All(cast<SCEVNAryExpr>(S), isa<SCEVMulExpr>(S));
  else if (const auto *X = dyn_cast<SCEVSignExtendExpr>(S))
    R = narrow(X->getOperand(), /*Signed=*/true, Depth + 1);
  else if (const auto *X = dyn_cast<SCEVZeroExtendExpr>(S))
    R = narrow(X->getOperand(), /*Signed=*/false, Depth + 1);
  else if (const auto *D = dyn_cast<SCEVUDivExpr>(S)) {
    const auto *By = dyn_cast<SCEVConstant>(D->getRHS());
    Read P = By && SE.isKnownNonNegative(D->getLHS())
                 ? whole(D->getLHS(), Depth + 1)
                 : std::nullopt;
    if (P)
      R = divided(*P, By->getAPInt().getLimitedValue(), Variable::Quotient);
  }
  return R ? R : same(S, /*Signed=*/true);
}

/// Bytes from A to where P leads, which is stored to. A store to a poisonous
/// address is undefined, so that sums and products that say so (nsw, nuw) have
/// not wrapped around: scalar evolution says less of them.
Proof::Read Proof::address(const Value *P, const Argument &A, unsigned Depth) {
  if (P == &A)
    return constant(0);
  if (Depth > Deepest)
    return std::nullopt;
  if (const auto *Cast = dyn_cast<AddrSpaceCastInst>(P))
    return address(Cast->getPointerOperand(), A, Depth + 1);
  const DataLayout &DL = Here.getDataLayout();
  if (const auto *G = dyn_cast<GEPOperator>(P)) {
    const unsigned Bits = DL.getIndexTypeSizeInBits(G->getType());
    SmallMapVector<Value *, APInt, 4> Offsets;
    APInt Fixed(Bits, 0);
    Read Sum = G->collectOffset(DL, Bits, Offsets, Fixed)
                   ? address(G->getPointerOperand(), A, Depth + 1)
                   : std::nullopt;
    if (Sum)
      Sum->add(constant(Fixed.getSExtValue()));
    for (auto &[V, Scale] : Offsets) {
      Read Part = Sum ? index(V, /*Signed=*/true, Depth + 1) : std::nullopt;
      if (!Part)
        return std::nullopt;
      Sum->add(*Part, Scale.getSExtValue());
    }
    return Sum;
  }
  const SCEV *Place = SE.getSCEV(const_cast<Value *>(P));
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Place));
  if (!Base || Base->getValue() != &A)
    return std::nullopt;
  return whole(SE.removePointerBase(Place));
}

/// The number that V, part of such an address, is with a sign or without.
Proof::Read Proof::index(const Value *V, bool Signed, unsigned Depth) {
  const bool Wide = V->getType()->getIntegerBitWidth() >= 64;
  auto Else = [&]() -> Read {
    const SCEV *S = SE.getSCEV(const_cast<Value *>(V));
    return Wide ? whole(S, Depth) : narrow(S, Signed, Depth);
  };
  if (Depth > Deepest)
    return std::nullopt;
  if (const auto *X = dyn_cast<SExtInst>(V))
    return Signed ? index(X->getOperand(0), true, Depth + 1) : Else();
  if (const auto *X = dyn_cast<ZExtInst>(V))
    return index(X->getOperand(0), X->hasNonNeg(), Depth + 1);
  const auto *B = dyn_cast<BinaryOperator>(V);
  if (!B)
    return Else();
  const auto *Wraps = dyn_cast<OverflowingBinaryOperator>(B);
  const bool Fits = Wide || (Wraps && (Signed ? Wraps->hasNoSignedWrap()
                                              : Wraps->hasNoUnsignedWrap()));
  const auto *By = dyn_cast<ConstantInt>(B->getOperand(1));
  const bool Disjoint = isa<PossiblyDisjointInst>(B) &&
                        cast<PossiblyDisjointInst>(B)->isDisjoint();
  if (!Disjoint &&
      (!Wraps || !Fits ||
       (B->getOpcode() == Instruction::Shl && (!By || By->getValue().uge(31)))))
    return Else();
  auto Operand = [&](unsigned N) -> Read {
    Value *Part = B->getOperand(N);
    Read Sum = index(Part, Signed, Depth + 1);
    const SCEV *S = SE.getSCEV(Part);
    if (B->getOpcode() != Instruction::Mul || !isa<SCEVAddExpr>(S) ||
        !isSame(S))
      return Sum;
    Read Piece = length(S, Signed);
    if (Piece && Sum) {
      learn(difference(*Piece, *Sum));
      learn(difference(*Sum, *Piece));
    }
    return Piece;
  };
  Read X = Operand(0), Y = X ? Operand(1) : std::nullopt;
  if (!Y)
    return Else();
  switch (B->getOpcode()) {
  case Instruction::Add:
  case Instruction::Or:
    X->add(*Y);
    return X;
  case Instruction::Sub:
    X->add(*Y, -1);
    return X;
  case Instruction::Mul:
    return X->times(*Y);
  case Instruction::Shl:
    return X->times(constant(int64_t(1) << By->getZExtValue()));
  default:
    return Else();
  }
}

/// The number that S, of fewer bits than an address, is with a sign or without.
Proof::Read Proof::narrow(const SCEV *S, bool Signed, unsigned Depth) {
  if (Depth > Deepest)
    return std::nullopt;
  if (SE.getTypeSizeInBits(S->getType()) >= 64)
    return whole(S, Depth);
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return constant(Signed ? C->getAPInt().getSExtValue()
                           : int64_t(C->getAPInt().getZExtValue()));
  if (Read Who = identity(S))
    return Who;
  if (isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(S)) {
    const auto *E = cast<SCEVNAryExpr>(S);
    const bool Fits = Signed ? E->hasNoSignedWrap() : E->hasNoUnsignedWrap();
    if (const auto *Rec = dyn_cast<SCEVAddRecExpr>(E)) {
      if (!Rec->isAffine())
        return std::nullopt;
      if (Read P = walked(Rec, Signed, Depth))
        return P;
      if (!Fits)
        return wrapping(Rec, Depth);
      Read Start = narrow(Rec->getStart(), Signed, Depth + 1),
           Step = narrow(Rec->getStepRecurrence(SE), Signed, Depth + 1);
      if (!Start || !Step)
        return std::nullopt;
      Start->add(Step->times(counter(*Rec->getLoop())));
      return Start;
    }
    if (Fits) {
      Polynomial Result = constant(isa<SCEVMulExpr>(E));
      bool All = true;
      for (const SCEV *Part : E->operands()) {
        Read P = isa<SCEVMulExpr>(E) && isa<SCEVAddExpr>(Part) && isSame(Part)
                     ? length(Part, Signed)
                     : narrow(Part, Signed, Depth + 1);
        if (!P) {
          All = false;
          break;
        }
        if (isa<SCEVMulExpr>(E))
          Result = Result.times(*P);
        else
          Result.add(*P);
      }
      if (All)
        return Result;
    }
    if (Read P = wrapping(S, Depth))
      return P;
    return same(S, Signed);
  }
  if (const auto *X = dyn_cast<SCEVZeroExtendExpr>(S))
    return narrow(X->getOperand(), /*Signed=*/false, Depth + 1);
  if (const auto *X = dyn_cast<SCEVSignExtendExpr>(S);
      X && (Signed || SE.isKnownNonNegative(X)))
    return narrow(X->getOperand(), /*Signed=*/true, Depth + 1);
  if (const auto *D = dyn_cast<SCEVUDivExpr>(S)) {
    const auto *By = dyn_cast<SCEVConstant>(D->getRHS());
    Read P = By && (!Signed || By->getAPInt().ugt(1))
                 ? narrow(D->getLHS(), /*Signed=*/false, Depth + 1)
                 : std::nullopt;
    if (P)
      return divided(*P, By->getAPInt().getLimitedValue(), Variable::Quotient);
  }
  // i & 31
  if (const auto *X = dyn_cast<SCEVTruncateExpr>(S); X && !Signed) {
    const unsigned Bits = SE.getTypeSizeInBits(S->getType());
    const bool Divides =
        Bits < 31 && (SE.getTypeSizeInBits(X->getOperand()->getType()) < 64 ||
                      SE.isKnownNonNegative(X->getOperand()));
    Read P = Divides ? narrow(X->getOperand(), /*Signed=*/false, Depth + 1)
                     : std::nullopt;
    if (P)
      return divided(*P, uint64_t(1) << Bits, Variable::Remainder);
  }
  return same(S, Signed);
}

/// S, a sum or a product of 32 bits that may wrap around: where it lies between
/// 0 and the largest number with a sign, it has not. That is proved, or a
/// condition.
Proof::Read Proof::wrapping(const SCEV *S, unsigned Depth) {
  if (SE.getTypeSizeInBits(S->getType()) != 32)
    return std::nullopt;
  Polynomial Result = constant(isa<SCEVMulExpr>(S));
  for (auto [N, Part] : enumerate(cast<SCEVNAryExpr>(S)->operands())) {
    Read P = narrow(Part, /*Signed=*/true, Depth + 1);
    if (!P)
      return std::nullopt;
    if (isa<SCEVMulExpr>(S))
      Result = Result.times(*P);
    else if (isa<SCEVAddRecExpr>(S) && N)
      Result.add(P->times(counter(*cast<SCEVAddRecExpr>(S)->getLoop())));
    else
      Result.add(*P);
  }
  return liesWithin(Result, constant(Signless)) ? Read(Result) : std::nullopt;
}

/// Where the index S of a loop stays below a number, if the loop says so.
std::optional<Walk> Proof::walkOf(const SCEVAddRecExpr *S) {
  const Loop *L = S->getLoop();
  const BasicBlock *Latch = L->getLoopLatch();
  const auto *Br =
      Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  const auto *Asks = Br && Br->isConditional()
                         ? dyn_cast<ICmpInst>(Br->getCondition())
                         : nullptr;
  if (!Asks)
    return std::nullopt;
  for (unsigned K : {0u, 1u}) {
    // A loop whose iterations were counted (count-strides): of start, step and
    // end.
    const auto *C = dyn_cast<CallInst>(Asks->getOperand(K));
    const OperationRecord *R = C ? Cat.lookup(*C) : nullptr;
    if (!R || (R->Id != "strides" && R->Id != "strides_unsigned"))
      continue;
    const auto *Done =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Asks->getOperand(1 - K)));
    if (!Done || Done->getLoop() != L || !Done->isAffine() ||
        !Done->getStart()->isZero() || !Done->getStepRecurrence(SE)->isOne())
      continue;
    if (SE.getSCEV(C->getArgOperand(0)) == S->getStart() &&
        SE.getSCEV(C->getArgOperand(1)) == S->getStepRecurrence(SE))
      return Walk{SE.getSCEV(C->getArgOperand(2)), R->Id == "strides"};
  }
  for (Value *Bound : Asks->operands()) {
    if (!L->isLoopInvariant(Bound) || Bound->getType() != S->getType())
      continue;
    const SCEV *End = SE.getSCEV(Bound);
    for (bool Signed : {true, false})
      if (SE.isKnownOnEveryIteration(
              Signed ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_ULT, S, End))
        return Walk{End, Signed};
  }
  return std::nullopt;
}

/// The index S of a loop that goes on while it is below a number: it does not
/// wrap around if that number and a step fit, which is a condition.
Proof::Read Proof::walked(const SCEVAddRecExpr *S, bool Signed,
                          unsigned Depth) {
  if (!S->isAffine() || SE.getTypeSizeInBits(S->getType()) != 32 ||
      (Signed ? S->hasNoSignedWrap() : S->hasNoUnsignedWrap()))
    return std::nullopt;
  std::optional<Walk> Way = walkOf(S);
  Read Start = Way ? narrow(S->getStart(), /*Signed=*/false, Depth + 1)
                   : std::nullopt,
       Step =
           Start ? narrow(S->getStepRecurrence(SE), /*Signed=*/false, Depth + 1)
                 : std::nullopt,
       End = Step ? narrow(Way->End, Way->Signed, Depth + 1) : std::nullopt;
  if (!End || !isProved(difference(constant(Signless - 1), *Start)) ||
      any_of(Step->Terms, [&](auto &T) { return isOwn(T.first); }))
    return std::nullopt;
  Polynomial Last = difference(constant(Signless), *End);
  Last.add(*Step, -1);
  if (!require(Last))
    return std::nullopt;
  Start->add(Step->times(counter(*S->getLoop())));
  return Start;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void Proof::learnCondition(const Value *C, bool Holds) {
  const Value *X, *Y;
  if (Holds ? match(C, m_LogicalAnd(m_Value(X), m_Value(Y)))
            : match(C, m_LogicalOr(m_Value(X), m_Value(Y)))) {
    learnCondition(X, Holds);
    learnCondition(Y, Holds);
    return;
  }
  if (match(C, m_Not(m_Value(X))))
    return learnCondition(X, !Holds);
  const auto *Asks = dyn_cast<ICmpInst>(C);
  if (!Asks || !Asks->getOperand(0)->getType()->isIntegerTy())
    return;
  CmpInst::Predicate P =
      Holds ? Asks->getPredicate() : Asks->getInversePredicate();
  if (P == ICmpInst::ICMP_NE)
    return;
  const Value *A = Asks->getOperand(0), *B = Asks->getOperand(1);
  if (ICmpInst::isGT(P) || ICmpInst::isGE(P)) {
    std::swap(A, B);
    P = ICmpInst::getSwappedPredicate(P);
  }
  learnOrder(P, SE.getSCEV(const_cast<Value *>(A)),
             SE.getSCEV(const_cast<Value *>(B)));
  // A branch by a poisonous comparison is undefined, as a store to such an
  // address is.
  if (SE.getTypeSizeInBits(A->getType()) >= 64)
    return;
  const bool Signed = !ICmpInst::isUnsigned(P);
  Read Left = index(A, Signed, 0),
       Right = Left ? index(B, Signed, 0) : std::nullopt;
  if (Right)
    learnOrder(P, *Left, *Right);
}

/// The same of what is read already.
void Proof::learnOrder(CmpInst::Predicate P, const Polynomial &A,
                       const Polynomial &B) {
  Polynomial Rest = difference(B, A);
  if (P == ICmpInst::ICMP_EQ)
    learn(difference(A, B));
  else if (ICmpInst::isLT(P))
    Rest.add(constant(-1));
  learn(Rest);
}

/// A is equal to B, less, or not greater, as P says.
void Proof::learnOrder(CmpInst::Predicate P, const SCEV *A, const SCEV *B) {
  const bool Signed = !ICmpInst::isUnsigned(P);
  // All parts of a maximum are below what it is below.
  const bool Order = P != ICmpInst::ICMP_EQ;
  if (Order && (Signed ? isa<SCEVSMaxExpr>(A) : isa<SCEVUMaxExpr>(A))) {
    for (const SCEV *Part : cast<SCEVNAryExpr>(A)->operands())
      learnOrder(P, Part, B);
    return;
  }
  if (Order && (Signed ? isa<SCEVSMinExpr>(B) : isa<SCEVUMinExpr>(B))) {
    for (const SCEV *Part : cast<SCEVNAryExpr>(B)->operands())
      learnOrder(P, A, Part);
    return;
  }
  Read X = narrow(A, Signed), Y = narrow(B, Signed);
  if (!X || !Y)
    return;
  // What is read with a sign: the same below a number that has none.
  if (Order && !Signed && SE.getTypeSizeInBits(B->getType()) >= 64 &&
      !SE.isKnownNonNegative(B))
    return;
  learnOrder(P, *X, *Y);
}

/// What the branches say that lead here.
void Proof::learnBranches() {
  for (const DomTreeNode *N = DT.getNode(&Here); N && N->getIDom();
       N = N->getIDom()) {
    const BasicBlock *From = N->getIDom()->getBlock();
    const auto *Br = dyn_cast<BranchInst>(From->getTerminator());
    if (!Br || !Br->isConditional() ||
        Br->getSuccessor(0) == Br->getSuccessor(1))
      continue;
    // A branch of a loop within which this block does not lie speaks of that
    // loop's last iteration.
    if (const Loop *L = Loops.getLoopFor(From); L && !L->contains(&Here))
      continue;
    for (unsigned K : {0, 1})
      if (DT.dominates(BasicBlockEdge(From, Br->getSuccessor(K)), &Here))
        learnCondition(Br->getCondition(), K == 0);
  }
}

/// The counter of L and its indices stay below its bounds.
void Proof::learnLoop(const Loop &L) {
  const Polynomial Counter = counter(L);
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (!isa<SCEVCouldNotCompute>(Count)) {
    // All parts of a minimum are bounds.
    SmallVector<const SCEV *, 2> Bounds{Count};
    if (isa<SCEVUMinExpr>(Count)) {
      Bounds.clear();
      append_range(Bounds, cast<SCEVUMinExpr>(Count)->operands());
    }
    for (const SCEV *Bound : Bounds)
      if (Read Last = narrow(Bound, /*Signed=*/false))
        learn(difference(*Last, Counter));
  }
  for (PHINode &Phi : L.getHeader()->phis()) {
    const auto *S = Phi.getType()->isIntegerTy()
                        ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))
                        : nullptr;
    std::optional<Walk> Way =
        S && S->getLoop() == &L ? walkOf(S) : std::nullopt;
    // As in learnCondition().
    if (Way && !Way->Signed && SE.getTypeSizeInBits(S->getType()) >= 64 &&
        !SE.isKnownNonNegative(Way->End))
      continue;
    Read Index = Way ? narrow(S, Way->Signed) : std::nullopt,
         End = Index ? narrow(Way->End, Way->Signed) : std::nullopt;
    if (!End)
      continue;
    Polynomial Rest = difference(*End, *Index);
    Rest.add(constant(-1));
    learn(Rest);
  }
}

/// A row of n / 4 vectors has at most n numbers. Of a quotient with a sign that
/// is so where it is more than zero, as in a row with an index.
void Proof::learnDivisions() {
  for (unsigned N = 0; N != Variables.size(); ++N) {
    if (Variables[N].What != Variable::Same || !Variables[N].Signed)
      continue;
    const auto *S = static_cast<const SCEV *>(Variables[N].Of);
    if (const auto *X = dyn_cast<SCEVSignExtendExpr>(S))
      S = X->getOperand();
    const auto *U = dyn_cast<SCEVUnknown>(S);
    const auto *Quotient =
        U ? dyn_cast<BinaryOperator>(U->getValue()) : nullptr;
    const auto *By = Quotient && Quotient->getOpcode() == Instruction::SDiv
                         ? dyn_cast<ConstantInt>(Quotient->getOperand(1))
                         : nullptr;
    if (!By || By->getValue().getActiveBits() > 31 ||
        !isProved(difference(of(N), constant(1))))
      continue;
    Read All = narrow(SE.getSCEV(Quotient->getOperand(0)), /*Signed=*/true);
    if (!All)
      continue;
    All->add(of(N), -int64_t(By->getZExtValue()));
    learn(*All);
  }
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

bool Proof::isProved(const Polynomial &NotNegative) const {
  if (NotNegative.Overflow)
    return false;
  // The opposite, and the facts that have to do with it.
  SmallVector<Polynomial, 32> Rows;
  Rows.push_back(difference(constant(-1), NotNegative));
  std::map<Monomial, unsigned, BySize> Columns;
  auto Meet = [&](const Polynomial &P) {
    for (auto &[M, C] : P.Terms)
      if (!M.empty())
        Columns.try_emplace(M, Columns.size());
  };
  Meet(Rows.front());
  SmallVector<bool, 32> Taken(Facts.size(), false);
  for (bool More = true; More;) {
    More = false;
    for (auto [N, P] : enumerate(Facts)) {
      if (Taken[N] || P.Overflow ||
          none_of(P.Terms, [&](auto &T) { return Columns.count(T.first); }))
        continue;
      Taken[N] = More = true;
      Rows.push_back(P);
      Meet(P);
    }
  }
  for (auto &[M, N] : Columns)
    if (M.size() > 1 && isNotNegative(M)) {
      Polynomial P;
      P.Terms[M] = 1;
      Rows.push_back(P);
    }
  ConstraintSystem System;
  for (const Polynomial &P : Rows) {
    // ConstraintSystem: constant >= sum of variables.
    SmallVector<int64_t, 16> Row(Columns.size() + 1, 0);
    for (auto &[M, C] : P.Terms)
      Row[M.empty() ? 0 : Columns.at(M) + 1] = M.empty() ? C : -C;
    if (all_of(drop_begin(Row), [](int64_t C) { return C == 0; })) {
      if (Row[0] < 0)
        return true;
      continue;
    }
    System.addVariableRow(Row);
  }
  return System.size() && !System.mayHaveSolution();
}

/// P with each index of the launch at its largest. Of sums without a minus.
Polynomial Proof::most(const Polynomial &P) {
  Polynomial Sum;
  for (const auto &[M, C] : P.Terms) {
    Polynomial Product = constant(C);
    for (unsigned V : M) {
      const Variable::Kind What = Variables[V].What;
      const unsigned Axis = Variables[V].Axis;
      Polynomial Factor = of(V);
      if (What == Variable::Thread || What == Variable::Block)
        Factor = difference(
            of(variable({What == Variable::Thread ? Variable::BlockSize
                                                  : Variable::GridSize,
                         Axis})),
            constant(1));
      Product = Product.times(Factor);
    }
    Sum.add(Product);
  }
  return Sum;
}

/// Makes a condition of what cannot be proved, if the launch can be asked.
bool Proof::require(const Polynomial &NotNegative, uint64_t Multiple) {
  if (NotNegative.Overflow)
    return false;
  if (!Multiple && isProved(NotNegative))
    return true;
  OneWriter::Condition Asked;
  Asked.Multiple = Multiple;
  for (auto &[M, C] : NotNegative.Terms) {
    OneWriter::Condition::Term T{C, {}};
    // Three factors of 31 bits do not fit into what is computed with.
    if (M.size() > 2)
      return false;
    for (unsigned N : M) {
      const Variable &V = Variables[N];
      OneWriter::Condition::Factor Factor;
      if (V.What == Variable::BlockSize || V.What == Variable::GridSize) {
        Factor.Extent = V.Axis + (V.What == Variable::GridSize ? 3 : 0);
      } else if (V.What == Variable::Same) {
        const auto *U = dyn_cast<SCEVUnknown>(static_cast<const SCEV *>(V.Of));
        Factor.Parameter = U ? dyn_cast<Argument>(U->getValue()) : nullptr;
        Factor.Signed = V.Signed;
        if (!Factor.Parameter || !Factor.Parameter->getType()->isIntegerTy(32))
          return false;
      } else {
        return false;
      }
      T.Factors.push_back(Factor);
    }
    Asked.Sum.push_back(std::move(T));
  }
  if (!is_contained(Conditions, Asked))
    Conditions.push_back(std::move(Asked));
  if (!Multiple)
    learn(NotNegative);
  return true;
}

/// 0 <= P < Size in all runs.
bool Proof::liesWithin(const Polynomial &P, const Polynomial &Size) {
  if (!isProved(P))
    return false;
  Polynomial Rest = difference(Size, P);
  Rest.add(constant(-1));
  if (isProved(Rest))
    return true;
  // Of who a thread is alone: then the launch can be asked.
  if (!MayAsk || any_of(P.Terms, [&](auto &T) {
        return T.second < 0 ||
               any_of(
                   T.first,
                   [&](unsigned V) {
                     return Variables[V].What == Variable::Counter ||
                            Variables[V].What == Variable::Same ||
                            Variables[V].What == Variable::Which ||
                            Variables[V].What == Variable::Quotient ||
                            Variables[V].What == Variable::Remainder;
                   });
      }))
    return false;
  Polynomial Least = difference(Size, most(P));
  Least.add(constant(-1));
  return require(Least);
}

/// What of P may differ between two runs, as far as is known.
Polynomial Proof::withoutKnown(const Polynomial &P) const {
  Polynomial Rest;
  for (auto &[M, C] : P.Terms)
    if (any_of(M, [&](unsigned V) {
          return Variables[V].isOwn() && !Known.contains(V);
        }))
      Rest.Terms[M] = C;
  Rest.Overflow = P.Overflow;
  return Rest;
}

/// P = Stride * By * Row + Column, with variables or a number for a stride.
bool Proof::splitBy(const Polynomial &P, const Monomial &Stride, int64_t By,
                    Polynomial &Row, Polynomial &Column) {
  for (auto &[M, C] : P.Terms) {
    Monomial Rest = M;
    bool Divides = C % By == 0;
    for (unsigned V : Stride)
      if (auto *At = find(Rest, V); At != Rest.end())
        Rest.erase(At);
      else
        Divides = false;
    if (Divides)
      Row.add(Rest, C / By);
    else
      Column.add(M, C);
  }
  return !Row.Terms.empty();
}

bool Proof::attempt(function_ref<bool()> Change) {
  auto OldVariables = Variables;
  auto OldFacts = Facts;
  auto OldKnown = Known;
  auto OldConditions = Conditions;
  if (Change())
    return true;
  Variables = std::move(OldVariables);
  Facts = std::move(OldFacts);
  Known = std::move(OldKnown);
  Conditions = std::move(OldConditions);
  return false;
}

/// P is the same number in both runs: so are all variables in it, if true.
bool Proof::recover(Polynomial P) {
  P = withoutKnown(P);
  if (P.Overflow)
    return false;
  if (P.Terms.empty())
    return true;
  if (P.Terms.size() == 1 && P.Terms.begin()->first.size() == 1) {
    Known.insert(P.Terms.begin()->first.front());
    return true;
  }
  SetVector<Monomial, SmallVector<Monomial, 8>, std::set<Monomial, BySize>>
      Strides;
  SetVector<int64_t> Numbers;
  for (auto &[M, C] : P.Terms) {
    Monomial Lengths;
    copy_if(M, std::back_inserter(Lengths),
            [&](unsigned V) { return !Variables[V].isOwn(); });
    for (auto [N, V] : enumerate(Lengths)) {
      Strides.insert(Monomial{V});
      for (unsigned W : drop_begin(Lengths, N + 1))
        Strides.insert(Monomial{V, W});
    }
    if (C > 1 || C < -1)
      Numbers.insert(C < 0 ? -C : C);
  }
  auto Try = [&](const Monomial &Stride, int64_t By) {
    return attempt([&] {
      Polynomial Row, Column, Length;
      Length.Terms[Stride] = By;
      return splitBy(P, Stride, By, Row, Column) &&
             liesWithin(Column, Length) && recover(Row) && recover(Column);
    });
  };
  // Lengths of rows that the program is given before those of the launch.
  for (bool OfLaunch : {false, true})
    for (const Monomial &Stride : Strides)
      if (OfLaunch == (Variables[Stride.front()].What != Variable::Same) &&
          Try(Stride, 1))
        return true;
  for (int64_t By : Numbers)
    if (Try({}, By))
      return true;
  return false;
}

/// What is known of quotients, remainders and equal numbers tells more.
void Proof::close() {
  for (bool More = true; More;) {
    More = false;
    for (unsigned N = 0; N != Variables.size(); ++N) {
      if (!Variables[N].isOwn())
        continue;
      // One number in all runs, as behind "if (lane == 0)".
      if (!Known.contains(N))
        for (const Polynomial &P : Facts)
          if (P.Terms.count({N}) && P.Terms.size() <= 2 &&
              all_of(P.Terms,
                     [&](auto &T) {
                       return T.first == Monomial{N} || !isOwn(T.first);
                     }) &&
              is_contained(map_range(Facts,
                                     [](const Polynomial &Q) {
                                       Polynomial R;
                                       R.add(Q, -1);
                                       return R.Terms;
                                     }),
                           P.Terms)) {
            Known.insert(N);
            More = true;
            break;
          }
      if (!Known.contains(N) || Variables[N].What != Variable::Quotient)
        continue;
      const Polynomial Divided = Variables[N].Divided;
      const uint64_t By = Variables[N].By;
      if (withoutKnown(Divided).Terms.empty())
        continue;
      for (unsigned K = 0; K != Variables.size(); ++K) {
        if (!Known.contains(K) || Variables[K].What != Variable::Remainder ||
            Variables[K].By != By)
          continue;
        // The remainder of the same number, or of one that is a multiple away.
        const Polynomial Apart = difference(Divided, Variables[K].Divided);
        More |= attempt([&] {
          for (auto &[M, C] : Apart.Terms) {
            if (C % int64_t(By) == 0)
              continue;
            const auto *Size = find_if(M, [&](unsigned V) {
              return Variables[V].What == Variable::BlockSize;
            });
            if (Size == M.end() || !require(of(*Size), By))
              return false;
          }
          return !Apart.Overflow && recover(Divided);
        });
        if (More)
          break;
      }
    }
  }
}

/// The function asks who its thread, or block, is along an axis.
bool Proof::asksFor(Variable::Kind What, unsigned Axis) const {
  const ThreadIdentity Who{What == Variable::Thread
                               ? ThreadIdentity::ThreadIndex
                               : ThreadIdentity::BlockIndex,
                           Axis};
  return any_of(instructions(*Here.getParent()), [&](const Instruction &I) {
    const auto *C = dyn_cast<CallBase>(&I);
    return C && ThreadIdentity::of(*C) == Who;
  });
}

StringRef Proof::doubt(ArrayRef<const StoreInst *> Stores, const Argument &A,
                       bool Grid) {
  const Loop *Around = Loops.getLoopFor(Stores.front()->getParent());
  const DataLayout &DL = Stores.front()->getDataLayout();
  const int64_t Size =
      DL.getTypeStoreSize(Stores.front()->getValueOperand()->getType())
          .getFixedValue();
  learnBranches();
  SmallVector<const Loop *, 4> Outwards;
  for (const Loop *L = Around; L; L = L->getParentLoop())
    Outwards.push_back(L);
  for (const Loop *L : reverse(Outwards))
    learnLoop(*L);
  learnDivisions();

  Polynomial At;
  SmallVector<int64_t, 4> Beside;
  for (const StoreInst *S : Stores) {
    Read P = address(S->getPointerOperand(), A);
    if (!P || P->Overflow)
      return "is written at an address that is not understood";
    if (S == Stores.front())
      At = *P;
    Polynomial Off = difference(*P, At);
    if (Off.Terms.size() > Off.Terms.count({}))
      return "is written at several places whose distances are not constant";
    Beside.push_back(Off.Terms.empty() ? 0 : Off.Terms.begin()->second);
  }
  llvm::sort(Beside);
  for (size_t I = 1; I != Beside.size(); ++I)
    if (Beside[I] - Beside[I - 1] < Size || (Beside[I] - Beside[0]) % Size)
      return "is written twice at one place";
  Polynomial Own;
  for (auto &[M, C] : withoutKnown(At).Terms) {
    if (C % Size)
      return "is written at an address that is not understood";
    Own.Terms[M] = C / Size;
  }
  if (Beside.size() > 1) {
    const unsigned Which = variable(Variable::Which);
    learn(difference(constant((Beside.back() - Beside.front()) / Size),
                     of(Which)));
    Own.add(of(Which));
  }
  // What holds for all launches first.
  const bool Found = any_of(ArrayRef<bool>{false, true}, [&](bool Ask) {
    MayAsk = Ask;
    return attempt([&] { return recover(Own); });
  });
  if (!Found)
    return Grid ? "may be written at one place by two threads, or in two "
                  "iterations, as far as its address says"
                : "may be written at one place in two iterations, as far as "
                  "its address says";
  close();
  for (const Loop *L = Around; L; L = L->getParentLoop()) {
    if (!Known.contains(variable({Variable::Counter, 0, L})))
      return "may be written at one place in two iterations of a loop";
  }
  if (!Grid)
    return Conditions.empty() ? "" : "is written at an index that may overflow";
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    for (Variable::Kind What : {Variable::Thread, Variable::Block})
      if (!Known.contains(variable({What, Axis}))) {
        const bool OfBlock = What == Variable::Thread;
        // In a launch with one thread, or one block, along an axis that nobody
        // asks for.
        if (asksFor(What, Axis) ||
            !require(difference(
                constant(1),
                of(variable({OfBlock ? Variable::BlockSize : Variable::GridSize,
                             Axis})))))
          return "may be written at one place by two threads";
      }
  return "";
}

std::optional<OneWriter::Doubt> OneWriter::doubt(const Argument &A) {
  auto Say = [](const Instruction &I, const Twine &Why) {
    return Doubt{&I, Why.str()};
  };
  SmallVector<const StoreInst *, 4> Stores;
  SmallVector<const Value *, 8> Work{&A};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const Value *P = Work.pop_back_val();
    for (const User *U : P->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (!I || isa<ICmpInst>(I) || isa<AssumeInst>(I) ||
          I->isLifetimeStartOrEnd() || !Shape.isLive(I->getParent()))
        continue;
      if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode>(I)) {
        if (Seen.insert(I).second)
          Work.push_back(I);
        continue;
      }
      const auto *S = dyn_cast<StoreInst>(I);
      if (S && S->isSimple() && S->getValueOperand() != P &&
          !S->getValueOperand()->getType()->isPtrOrPtrVectorTy()) {
        Stores.push_back(S);
        continue;
      }
      if (isa<LoadInst>(I))
        return Say(*I, "is read");
      if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
        return Say(*I, "is written by an atomic operation");
      if (isa<MemIntrinsic>(I))
        return Say(*I, "is copied to, from or over");
      if (isa<CallBase>(I))
        return Say(*I, "is passed on to a function that is not inlined");
      return Say(*I, "has its address kept, or computed in a way that is not "
                     "followed");
    }
  }
  if (Stores.empty())
    return std::nullopt;
  const BasicBlock *Here = Stores.front()->getParent();
  Type *T = Stores.front()->getValueOperand()->getType();
  for (const StoreInst *S : Stores) {
    if (S->getValueOperand()->getType() != T ||
        Shape.loops().getLoopFor(S->getParent()) !=
            Shape.loops().getLoopFor(Stores.front()->getParent()))
      return Say(*S, "is written in several loops, or as numbers of several "
                     "types");
    Here =
        DT.findNearestCommonDominator(const_cast<BasicBlock *>(Here),
                                      const_cast<BasicBlock *>(S->getParent()));
  }
  if (Grid && !IsAlike(A))
    return Say(*Stores.front(), "is not the same memory for all threads");
  Proof P(Shape, DT, Cat, IsAlike, *Here);
  if (StringRef Why = P.doubt(Stores, A, Grid); !Why.empty())
    return Say(*Stores.front(), Why);
  for (const Condition &C : P.Conditions)
    if (!is_contained(Conditions, C))
      Conditions.push_back(C);
  return std::nullopt;
}
