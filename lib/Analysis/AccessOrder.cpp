//===- AccessOrder.cpp - element by element, which access is last ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address is a polynomial over two kinds of variables: counters of loops,
// each once for the load and once for the store, and what does not change in
// the function (arguments). What is not such a polynomial is not understood. A
// bound that is not linear is left out: then the system has more solutions.
//
// LLVM's ConstraintSystem (Fourier-Motzkin) says whether there may be one.
//
//===----------------------------------------------------------------------===//

#include "Analysis/AccessOrder.h"
#include "Analysis/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ConstraintSystem.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include <map>
#include <optional>

using namespace llvm;
using namespace retrograd;

namespace {

/// What of a counter there are two of.
enum Access : unsigned { OfLoad, OfStore };

class Question {
public:
  Question(ScalarEvolution &SE, const LoopInfo &Loops, const StoreInst &W,
           const LoadInst &L)
      : SE(SE), Loops(Loops), W(W), L(L) {}
  /// The store comes later than the load; or, if Earlier, in front of it.
  bool mayMeet(bool Earlier);

private:
  using Rows = SmallVector<Polynomial, 16>; // each is at least 0

  unsigned variable(const void *What, unsigned Copy) {
    auto [It, New] = Variables.try_emplace({What, Copy}, Variables.size());
    if (New)
      IsCounter.push_back(Copy != 2);
    return It->second;
  }
  static Polynomial constant(int64_t C) {
    Polynomial P;
    if (C)
      P.Terms[{}] = C;
    return P;
  }
  Polynomial of(unsigned Variable) const {
    Polynomial P;
    P.Terms[{Variable}] = 1;
    return P;
  }
  std::optional<Polynomial> polynomial(const SCEV *S, Access Which,
                                       unsigned Depth = 0);
  const SCEV *guarded(const SCEV *S, const Loop &Of);
  const SCEV *withoutConstant(PHINode &Phi) const;
  void bound(const Instruction &I, Access Which, Rows &To);
  std::optional<Polynomial> address(const Instruction &I, const Value *Place,
                                    int64_t Size, Access Which,
                                    const SCEV *&Base);
  bool equate(Polynomial X, Polynomial Y, Rows &To);
  bool liesWithin(const Polynomial &P, const Polynomial &Size) const;
  bool mayBe(ArrayRef<Polynomial> Rows) const;
  bool isBehind(const Instruction &Later, const Instruction &First,
                const Loop *Around) const;

  ScalarEvolution &SE;
  const LoopInfo &Loops;
  const StoreInst &W;
  const LoadInst &L;
  /// Loops and scalar evolutions; copy 2 is what is not a counter.
  std::map<std::pair<const void *, unsigned>, unsigned> Variables;
  SmallVector<bool, 8> IsCounter;
  Rows Domain;
};

} // namespace

/// S for iterations of access Which. Sums and products of the width of an
/// address do not wrap where they are addresses of something; narrower ones are
/// taken apart only where LLVM knows that they do not.
std::optional<Polynomial> Question::polynomial(const SCEV *S, Access Which,
                                               unsigned Depth) {
  constexpr unsigned Deepest = 24;
  if (Depth > Deepest)
    return std::nullopt;
  if (const auto *C = dyn_cast<SCEVConstant>(S)) {
    if (C->getAPInt().getSignificantBits() > 62)
      return std::nullopt;
    return constant(C->getAPInt().getSExtValue());
  }
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!R->isAffine())
      return std::nullopt;
    auto Start = polynomial(R->getStart(), Which, Depth + 1),
         Step = polynomial(R->getStepRecurrence(SE), Which, Depth + 1);
    if (!Start || !Step)
      return std::nullopt;
    Start->add(Step->times(of(variable(R->getLoop(), Which))));
    return Start;
  }
  if (const auto *A = dyn_cast<SCEVAddExpr>(S)) {
    Polynomial Sum;
    for (const SCEV *Part : A->operands()) {
      auto P = polynomial(Part, Which, Depth + 1);
      if (!P)
        return std::nullopt;
      Sum.add(*P);
    }
    return Sum;
  }
  if (const auto *M = dyn_cast<SCEVMulExpr>(S)) {
    Polynomial Product = constant(1);
    for (const SCEV *Factor : M->operands()) {
      auto P = polynomial(Factor, Which, Depth + 1);
      if (!P)
        return std::nullopt;
      Product = Product.times(*P);
    }
    return Product;
  }
  if (const auto *U = dyn_cast<SCEVUnknown>(S))
    if (auto *Phi = dyn_cast<PHINode>(U->getValue()))
      if (const SCEV *Same = withoutConstant(*Phi))
        return polynomial(Same, Which, Depth + 1);
  // Anything else that is the same all through the function is a variable.
  bool Varies = SCEVExprContains(S, [](const SCEV *Part) {
    const auto *U = dyn_cast<SCEVUnknown>(Part);
    return isa<SCEVAddRecExpr>(Part) || isa<SCEVCouldNotCompute>(Part) ||
           (U && !isa<Argument>(U->getValue()));
  });
  if (Varies)
    return std::nullopt;
  return of(variable(S, 2));
}

/// (i == 0 ? 0 : i * n) is i * n: LLVM writes what it knows behind a
/// comparison. The number that comes in everywhere, if Phi is that; null
/// otherwise.
const SCEV *Question::withoutConstant(PHINode &Phi) const {
  BasicBlock *Here = Phi.getParent();
  const Loop *Around = Loops.getLoopFor(Here);
  if (Phi.getNumIncomingValues() != 2 || !Phi.getType()->isIntegerTy() ||
      Loops.isLoopHeader(Here))
    return nullptr;
  for (unsigned N : {0, 1}) {
    auto *C = dyn_cast<ConstantInt>(Phi.getIncomingValue(N));
    if (!C)
      continue;
    // The way on which C comes in is the one where X equals K.
    const BasicBlock *Asks = Phi.getIncomingBlock(N), *To = Here;
    if (!isa<BranchInst>(Asks->getTerminator()) || succ_size(Asks) == 1) {
      To = Asks;
      Asks = To->getSinglePredecessor();
    }
    if (!Asks || Loops.getLoopFor(Asks) != Around ||
        Loops.getLoopFor(To) != Around || Loops.isLoopHeader(To))
      continue;
    const auto *Branch = dyn_cast<BranchInst>(Asks->getTerminator());
    if (!Branch || !Branch->isConditional() ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
    if (!Compare || !Compare->isEquality() ||
        Branch->getSuccessor(Compare->getPredicate() == CmpInst::ICMP_NE) != To)
      continue;
    const auto *X =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Compare->getOperand(0)));
    const auto *K = dyn_cast<ConstantInt>(Compare->getOperand(1));
    if (!X || !K || X->getLoop() != Around || !X->isAffine() ||
        X->getType() != Phi.getType() || !X->getStepRecurrence(SE)->isOne())
      continue;
    // What the other number is in that iteration.
    const SCEV *Iteration =
        SE.getMinusSCEV(SE.getConstant(K->getValue()), X->getStart());
    const SCEV *Other = SE.getSCEVAtScope(Phi.getIncomingValue(1 - N), Around);
    LoopToScevMapT At{{Around, Iteration}};
    if (SCEVLoopAddRecRewriter::rewrite(Other, At, SE) ==
        SE.getConstant(C->getValue()))
      return Other;
  }
  return nullptr;
}

/// S, a loop's count, with maxima that the way into the loop decides.
const SCEV *Question::guarded(const SCEV *S, const Loop &Of) {
  struct Rewriter : SCEVRewriteVisitor<Rewriter> {
    const Loop &Of;
    Rewriter(ScalarEvolution &SE, const Loop &Of)
        : SCEVRewriteVisitor(SE), Of(Of) {}
    const SCEV *greatest(const SCEVMinMaxExpr *M, CmpInst::Predicate P) {
      for (const SCEV *X : M->operands())
        if (all_of(M->operands(), [&](const SCEV *Y) {
              return X == Y || SE.isLoopEntryGuardedByCond(&Of, P, X, Y);
            }))
          return visit(X);
      return M;
    }
    const SCEV *visitSMaxExpr(const SCEVSMaxExpr *M) {
      return greatest(M, CmpInst::ICMP_SGE);
    }
    const SCEV *visitUMaxExpr(const SCEVUMaxExpr *M) {
      return greatest(M, CmpInst::ICMP_UGE);
    }
  };
  return Rewriter(SE, Of).visit(S);
}

/// The counters of all loops around I lie between zero and the loops' counts.
void Question::bound(const Instruction &I, Access Which, Rows &To) {
  for (const Loop *Of = Loops.getLoopFor(I.getParent()); Of;
       Of = Of->getParentLoop()) {
    Polynomial Counter = of(variable(Of, Which));
    To.push_back(Counter);
    const SCEV *Count = SE.getBackedgeTakenCount(Of);
    if (isa<SCEVCouldNotCompute>(Count))
      Count = SE.getSymbolicMaxBackedgeTakenCount(Of);
    if (isa<SCEVCouldNotCompute>(Count))
      continue;
    Count = guarded(Count, *Of);
    // All parts of a minimum are bounds.
    SmallVector<const SCEV *, 2> Bounds{Count};
    if (isa<SCEVSMinExpr, SCEVUMinExpr>(Count)) {
      Bounds.clear();
      append_range(Bounds, cast<SCEVMinMaxExpr>(Count)->operands());
    }
    for (const SCEV *Bound : Bounds) {
      // "At most 2^64 - 1" says nothing, and would be taken for -1.
      if (const auto *C = dyn_cast<SCEVConstant>(Bound);
          C && C->getAPInt().isNegative() &&
          SE.getTypeSizeInBits(C->getType()) >= 64)
        continue;
      // Counts are not negative. What is narrower may have wrapped to be so.
      if (SE.getTypeSizeInBits(Bound->getType()) < 64)
        Bound = SE.getZeroExtendExpr(Bound, Type::getInt64Ty(I.getContext()));
      if (auto P = polynomial(Bound, Which)) {
        P->add(Counter, -1);
        To.push_back(std::move(*P));
      }
    }
  }
}

/// In units of Size from a base.
std::optional<Polynomial> Question::address(const Instruction &I,
                                            const Value *Place, int64_t Size,
                                            Access Which, const SCEV *&Base) {
  const SCEV *S = SE.getSCEV(const_cast<Value *>(Place));
  Base = SE.getPointerBase(S);
  auto P = polynomial(SE.removePointerBase(S), Which);
  if (!P)
    return std::nullopt;
  for (auto &[Of, C] : P->Terms) {
    if (C % Size)
      return std::nullopt;
    C /= Size;
  }
  return P;
}

bool Question::mayBe(ArrayRef<Polynomial> Rows) const {
  ConstraintSystem System;
  for (const Polynomial &P : Rows) {
    if (!P.isLinear() || P.Overflow)
      continue; // less is known
    // ConstraintSystem: constant >= sum of variables.
    SmallVector<int64_t, 16> Row(Variables.size() + 1, 0);
    bool Any = false;
    for (auto &[Of, C] : P.Terms)
      if (Of.empty()) {
        Row[0] = C;
      } else {
        Row[Of[0] + 1] = -C;
        Any = true;
      }
    if (!Any) {
      if (Row[0] < 0)
        return false;
      continue;
    }
    System.addVariableRow(Row);
  }
  return !System.size() || System.mayHaveSolution();
}

/// In the domain, 0 <= P < Size.
bool Question::liesWithin(const Polynomial &P, const Polynomial &Size) const {
  if (!P.isLinear() || !Size.isLinear())
    return false;
  Rows Below = Domain, Above = Domain;
  Polynomial Negative = constant(-1);
  Negative.add(P, -1);
  Below.push_back(Negative);
  Polynomial Beyond = P;
  Beyond.add(Size, -1);
  Above.push_back(Beyond);
  return !mayBe(Below) && !mayBe(Above);
}

/// Rows that say X == Y, taken apart by strides. False: not understood.
bool Question::equate(Polynomial X, Polynomial Y, Rows &To) {
  // A stride is what some counter is multiplied with.
  auto StrideOf = [&](const Polynomial &P) -> std::optional<unsigned> {
    for (auto &[Of, C] : P.Terms)
      if (any_of(Of, [&](unsigned V) { return IsCounter[V]; }))
        for (unsigned V : Of)
          if (!IsCounter[V])
            return V;
    return std::nullopt;
  };
  std::optional<unsigned> Stride = StrideOf(X);
  if (!Stride)
    Stride = StrideOf(Y);
  auto Equal = [&](const Polynomial &A, const Polynomial &B) {
    Polynomial Less = A, More = B;
    Less.add(B, -1);
    More.add(A, -1);
    To.push_back(Less);
    To.push_back(More);
  };
  if (Stride) {
    Polynomial Row[2], Column[2];
    for (unsigned N : {0, 1})
      for (auto &[Of, C] : (N ? Y : X).Terms) {
        if (auto *At = find(Of, *Stride); At != Of.end()) {
          Monomial Rest = Of;
          Rest.erase(Rest.begin() + (At - Of.begin()));
          Row[N].add(Rest, C);
        } else {
          Column[N].add(Of, C);
        }
      }
    // Two ways to write one column, A[i][-1] and A[i - 1][n - 1], are two
    // solutions: columns have to lie in their row.
    if (!liesWithin(Column[0], of(*Stride)) ||
        !liesWithin(Column[1], of(*Stride)))
      return false;
    return equate(Row[0], Row[1], To) && equate(Column[0], Column[1], To);
  }
  if (!X.isLinear() || !Y.isLinear())
    return false;
  // Rows of a length that is known.
  int64_t Longest = 1;
  for (const Polynomial *P : {&X, &Y})
    for (auto &[Of, C] : P->Terms)
      if (!Of.empty() && IsCounter[Of[0]])
        Longest = std::max<int64_t>(Longest, C < 0 ? -C : C);
  if (Longest > 1) {
    for (bool Down : {false, true}) {
      Polynomial Row[2], Column[2];
      for (unsigned N : {0, 1})
        for (auto &[Of, C] : (N ? Y : X).Terms) {
          int64_t Whole = C / Longest, Rest = C % Longest;
          if (Of.empty() && Down && Rest < 0) {
            --Whole;
            Rest += Longest;
          }
          if (Whole)
            Row[N].add(Of, Whole);
          if (Rest)
            Column[N].add(Of, Rest);
        }
      if (liesWithin(Column[0], constant(Longest)) &&
          liesWithin(Column[1], constant(Longest)))
        return equate(Row[0], Row[1], To) && equate(Column[0], Column[1], To);
    }
  }
  Equal(X, Y);
  return true;
}

bool Question::mayMeet(bool Earlier) {
  const DataLayout &DL = L.getDataLayout();
  TypeSize SizeL = DL.getTypeStoreSize(L.getType()),
           SizeW = DL.getTypeStoreSize(W.getValueOperand()->getType());
  if (SizeL.isScalable() || SizeL != SizeW || !L.isSimple() || !W.isSimple())
    return true;
  const SCEV *BaseL, *BaseW;
  auto AtL =
      address(L, L.getPointerOperand(), SizeL.getFixedValue(), OfLoad, BaseL);
  auto AtW = AtL ? address(W, W.getPointerOperand(), SizeL.getFixedValue(),
                           OfStore, BaseW)
                 : std::nullopt;
  // One base for the whole run: an argument, a global, a variable made once.
  if (!AtW || BaseL != BaseW || AtL->Overflow || AtW->Overflow)
    return true;
  const auto *Base = dyn_cast<SCEVUnknown>(BaseL);
  if (!Base ||
      (isa<Instruction>(Base->getValue()) &&
       Loops.getLoopFor(cast<Instruction>(Base->getValue())->getParent())))
    return true;
  bound(L, OfLoad, Domain);
  bound(W, OfStore, Domain);
  Rows Same;
  if (!equate(*AtL, *AtW, Same))
    return true;

  // The common loops, outermost first: an access is later if it is in a later
  // iteration of one of them, or behind the other in the same of all.
  SmallVector<const Loop *, 6> Common;
  for (const Loop *Of = Loops.getLoopFor(L.getParent()); Of;
       Of = Of->getParentLoop())
    if (Of->contains(W.getParent()))
      Common.insert(Common.begin(), Of);
  Rows System = Domain;
  append_range(System, Same);
  for (const Loop *Of : Common) {
    Polynomial Ahead = of(variable(Of, Earlier ? OfLoad : OfStore));
    Ahead.add(of(variable(Of, Earlier ? OfStore : OfLoad)), -1);
    Polynomial Behind;
    Behind.add(Ahead, -1);
    Rows Later = System;
    Ahead.add(constant(-1));
    Later.push_back(Ahead);
    if (mayBe(Later))
      return true;
    Ahead.add(constant(1));
    System.push_back(Ahead);
    System.push_back(Behind);
  }
  const Instruction &Later = Earlier ? (const Instruction &)L : W;
  const Instruction &First = Earlier ? (const Instruction &)W : L;
  return isBehind(Later, First, Common.empty() ? nullptr : Common.back()) &&
         mayBe(System);
}

/// Later can come behind First in one iteration of Around.
bool Question::isBehind(const Instruction &Later, const Instruction &First,
                        const Loop *Around) const {
  if (Later.getParent() == First.getParent())
    return First.comesBefore(&Later);
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{First.getParent()};
  while (!Work.empty())
    for (const BasicBlock *S : successors(Work.pop_back_val()))
      if (!(Around && S == Around->getHeader()) && Seen.insert(S).second)
        Work.push_back(S);
  return Seen.contains(Later.getParent());
}

bool AccessOrder::mayFollow(const StoreInst &W, const LoadInst &L) const {
  return Question(SE, Loops, W, L).mayMeet(/*Earlier=*/false);
}

bool AccessOrder::mayPrecede(const StoreInst &W, const LoadInst &L) const {
  return Question(SE, Loops, W, L).mayMeet(/*Earlier=*/true);
}
