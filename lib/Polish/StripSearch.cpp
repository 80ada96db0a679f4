//===- StripSearch.cpp - the additions of a loop and where they go --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is changed here. A loop is left alone unless all that it writes are
// additions to places whose addresses are known multiples of the iteration, and
// unless these meet nothing else that it reads, or a comparison in front of the
// loop can tell.
//
//===----------------------------------------------------------------------===//

#include "Polish/Strips.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::strips;

int64_t strips::stride(const SCEVAddRecExpr *A, ScalarEvolution &SE) {
  const auto *C = dyn_cast<SCEVConstant>(A->getStepRecurrence(SE));
  return C && C->getAPInt().getSignificantBits() <= 32
             ? C->getAPInt().getSExtValue()
             : 0;
}

namespace {
/// What an address would be if no integer in it were narrower than the address:
/// a guess.
class Widened : public SCEVRewriteVisitor<Widened> {
public:
  using SCEVRewriteVisitor::SCEVRewriteVisitor;
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *E) {
    return wide(E->getOperand(), E->getType(), false);
  }
  const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *E) {
    return wide(E->getOperand(), E->getType(), true);
  }

private:
  const SCEV *wide(const SCEV *X, Type *T, bool Signed) {
    if (const auto *C = dyn_cast<SCEVConstant>(X))
      return SE.getConstant(C->getAPInt().sextOrTrunc(SE.getTypeSizeInBits(T)));
    if (const auto *C = dyn_cast<SCEVTruncateExpr>(X);
        C && C->getOperand()->getType() == T)
      return visit(C->getOperand());
    SmallVector<const SCEV *, 4> Operands;
    if (isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(X))
      for (const SCEV *Op : X->operands())
        Operands.push_back(wide(Op, T, Signed));
    if (isa<SCEVAddExpr>(X))
      return SE.getAddExpr(Operands);
    if (isa<SCEVMulExpr>(X))
      return SE.getMulExpr(Operands);
    if (const auto *A = dyn_cast<SCEVAddRecExpr>(X))
      return SE.getAddRecExpr(Operands, A->getLoop(), SCEV::FlagAnyWrap);
    return Signed ? SE.getSignExtendExpr(X, T) : SE.getZeroExtendExpr(X, T);
  }
};
} // namespace

bool Strips::find() {
  Before = L.getLoopPreheader();
  After = L.getExitBlock();
  if (!Before || !After || L.getNumBlocks() != 1 ||
      L.getExitingBlock() != Body || After->getSinglePredecessor() != Body)
    return false;
  Backedges = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Backedges) ||
      SE.getTypeSizeInBits(Backedges->getType()) > 64)
    return false;
  Backedges =
      SE.getNoopOrZeroExtend(Backedges, Type::getInt64Ty(F.getContext()));
  if (!safeToExpand(Backedges))
    return false;
  if (!findAdditions() || !classify() || !findSums() || !findPlaces() ||
      !groupPlaces())
    return false;
  Gathers = findGathers();
  return Gathers || fitsBuffers();
}

/// S stores what its place held plus something.
bool Strips::isAdditionOf(StoreInst &S, Addition &A) {
  if (!S.isSimple() || !(S.getValueOperand()->getType()->isFloatTy() ||
                         S.getValueOperand()->getType()->isDoubleTy()))
    return false;
  A.Store = &S;
  A.Pointer = S.getPointerOperand();
  Value *V = S.getValueOperand();
  auto IsLoad = [&](Value *X) {
    auto *Load = dyn_cast<LoadInst>(X);
    return Load && Load->isSimple() && Load->hasOneUse() &&
           Load->getParent() == Body && Load->getPointerOperand() == A.Pointer;
  };
  auto IsSum = [&](Value *X) {
    auto *Sum = dyn_cast<BinaryOperator>(X);
    return Sum &&
           (Sum->getOpcode() == Instruction::FAdd ||
            Sum->getOpcode() == Instruction::FSub) &&
           Sum->hasOneUse() && Sum->getParent() == Body &&
           Sum->hasAllowReassoc();
  };
  for (unsigned Depth = 0; Depth != 8; ++Depth) {
    if (IsLoad(V)) {
      A.Load = cast<LoadInst>(V);
      break;
    }
    if (!IsSum(V))
      return false;
    auto *Sum = cast<BinaryOperator>(V);
    A.Chain.push_back(Sum);
    Value *X = Sum->getOperand(0), *Y = Sum->getOperand(1);
    bool Subtracts = Sum->getOpcode() == Instruction::FSub;
    if (!Subtracts && (IsLoad(Y) || (!IsLoad(X) && !IsSum(X))))
      std::swap(X, Y);
    (Subtracts ? A.Minus : A.Plus).push_back(Y);
    V = X;
  }
  if (!A.Load || A.Chain.empty())
    return false;
  // Nothing comes between what was read and what is written.
  for (Instruction *I = A.Load->getNextNode(); I != &S; I = I->getNextNode()) {
    if (!I)
      return false;
    auto *Other = dyn_cast<StoreInst>(I);
    if (Other &&
        !AA.isNoAlias(MemoryLocation::get(A.Load), MemoryLocation::get(Other)))
      return false;
  }
  return true;
}

bool Strips::findAdditions() {
  for (Instruction &I : *Body)
    if (I.mayReadOrWriteMemory() && !isa<LoadInst>(I) && !isa<StoreInst>(I))
      return false;
  for (Instruction &I : *Body)
    if (auto *S = dyn_cast<StoreInst>(&I)) {
      Addition A{};
      if (!isAdditionOf(*S, A))
        continue;
      Moved.insert(A.Load);
      Moved.insert(A.Store);
      Moved.insert_range(A.Chain);
      Additions.push_back(std::move(A));
    }
  return Additions.size() >= 2;
}

/// Everything else in the loop is what the vectoriser takes.
bool Strips::classify() {
  for (Instruction &I : *Body) {
    if (Moved.contains(&I) || isa<PHINode>(I) || &I == Body->getTerminator())
      continue;
    if (auto *Call = dyn_cast<CallInst>(&I)) {
      switch (Call->getIntrinsicID()) {
      case Intrinsic::fabs:
      case Intrinsic::sqrt:
      case Intrinsic::fma:
      case Intrinsic::fmuladd:
      case Intrinsic::copysign:
      case Intrinsic::minnum:
      case Intrinsic::maxnum:
      case Intrinsic::smax:
      case Intrinsic::smin:
      case Intrinsic::umax:
      case Intrinsic::umin:
      case Intrinsic::abs:
        continue;
      default:
        return false;
      }
    }
    if (I.mayReadOrWriteMemory()) {
      bool Simple = isa<LoadInst>(I) ? cast<LoadInst>(I).isSimple()
                                     : cast<StoreInst>(I).isSimple();
      if (!Simple)
        return false;
      Others.push_back(&I);
      continue;
    }
    if (I.mayHaveSideEffects() || I.isTerminator() || I.getType()->isTokenTy())
      return false;
  }
  return true;
}

/// V is computed from Phi in the same iteration.
bool Strips::dependsOn(Value *V, const PHINode &Phi) {
  SmallSetVector<Instruction *, 16> From;
  auto Insert = [&](Value *X) {
    if (auto *I = dyn_cast<Instruction>(X); I && L.contains(I))
      From.insert(I);
  };
  Insert(V);
  for (size_t N = 0; N != From.size(); ++N) {
    if (From[N] == &Phi)
      return true;
    if (!isa<PHINode>(From[N]))
      for (Value *Op : From[N]->operands())
        Insert(Op);
  }
  return From.empty() || isa<PHINode>(From.front());
}

/// What goes from iteration to iteration is the iteration's number, a number of
/// the iteration before, or a sum in any order.
bool Strips::findSums() {
  for (PHINode &Phi : Body->phis()) {
    if (SE.isSCEVable(Phi.getType()) && Phi.getType()->isIntegerTy()) {
      const auto *A = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
      if (!A || A->getLoop() != &L || !A->isAffine() || !stride(A, SE) ||
          !safeToExpand(A->getStart()))
        return false;
      continue;
    }
    if (!Phi.getType()->isFloatTy() && !Phi.getType()->isDoubleTy())
      return false;
    Value *Next = Phi.getIncomingValueForBlock(Body);
    if (!dependsOn(Next, Phi)) // a number of the iteration before, which the
                               // vectoriser knows
      continue;
    for (Value *V = &Phi; V != Next;) {
      if (!V->hasOneUse())
        return false;
      auto *Sum = dyn_cast<BinaryOperator>(*V->user_begin());
      if (!Sum || Sum->getParent() != Body || !Sum->hasAllowReassoc() ||
          Moved.contains(Sum) ||
          !(Sum->getOpcode() == Instruction::FAdd ||
            (Sum->getOpcode() == Instruction::FSub && Sum->getOperand(0) == V &&
             Sum->getOperand(1) != V)))
        return false;
      V = Sum;
    }
    for (User *U : Next->users())
      if (U != &Phi && cast<Instruction>(U)->getParent() == Body)
        return false;
  }
  return true;
}

/// Finds (i == border ? x : y) in what V is computed from. False if V cannot be
/// computed again in front of the loop.
bool Strips::findWraps(Value *V, SmallPtrSetImpl<Value *> &Seen) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || !Seen.insert(V).second)
    return true;
  if (isa<PHINode>(I))
    return I->getType()->isIntegerTy();
  if (I->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(I))
    return false;
  if (auto *S = dyn_cast<SelectInst>(I); S && !Wraps.contains(S)) {
    auto *Compare = dyn_cast<ICmpInst>(S->getCondition());
    if (!Compare || !Compare->isEquality() ||
        !Compare->getOperand(0)->getType()->isIntegerTy())
      return false;
    const SCEV *X = SE.getSCEV(Compare->getOperand(0)),
               *Y = SE.getSCEV(Compare->getOperand(1));
    if (SE.isLoopInvariant(X, &L))
      std::swap(X, Y);
    const auto *A = dyn_cast<SCEVAddRecExpr>(X);
    unsigned Bits = A ? SE.getTypeSizeInBits(A->getType()) : 0;
    if (!A || A->getLoop() != &L || !A->isAffine() ||
        !SE.isLoopInvariant(Y, &L) || (Bits != 32 && Bits != 64) ||
        std::abs(stride(A, SE)) != 1)
      return false;
    // The iteration in which it is so.
    const SCEV *When = stride(A, SE) == 1 ? SE.getMinusSCEV(Y, A->getStart())
                                          : SE.getMinusSCEV(A->getStart(), Y);
    if (!safeToExpand(When))
      return false;
    Value *Otherwise = Compare->getPredicate() == CmpInst::ICMP_EQ
                           ? S->getFalseValue()
                           : S->getTrueValue();
    Wraps[S] = When;
    Within[S] = SE.getSCEV(Otherwise);
  }
  return all_of(I->operands(), [&](Value *Op) { return findWraps(Op, Seen); });
}

/// The address, affine in the iteration number, if need be but for one
/// iteration.
const SCEVAddRecExpr *Strips::affine(Value *Pointer, bool &WrapsAround) {
  const SCEV *S = SE.getSCEV(Pointer);
  WrapsAround = false;
  const auto *A = dyn_cast<SCEVAddRecExpr>(S);
  if (!A || A->getLoop() != &L) {
    SmallPtrSet<Value *, 16> Seen;
    if (!findWraps(Pointer, Seen))
      return nullptr;
    WrapsAround = any_of(Seen, [](Value *V) { return isa<SelectInst>(V); });
    if (WrapsAround)
      S = SCEVParameterRewriter::rewrite(S, SE, Within);
    A = dyn_cast<SCEVAddRecExpr>(S);
    if (!A)
      A = SE.convertSCEVToAddRecWithPredicates(S, &L, Preconditions);
  }
  if (!A || A->getLoop() != &L || !A->isAffine() ||
      !safeToExpand(A->getStart()))
    return nullptr;
  return A;
}

bool Strips::meets(const Addition &A, Instruction &I) {
  auto Anywhere = [](const Instruction &Access) {
    MemoryLocation Here = MemoryLocation::get(&Access);
    return MemoryLocation::getBeforeOrAfter(Here.Ptr, Here.AATags);
  };
  return !AA.isNoAlias(Anywhere(*A.Store), Anywhere(I));
}

bool Strips::findPlaces() {
  Places.reserve(Additions.size());
  std::optional<int64_t> Direction;
  for (const Addition &A : Additions) {
    if (const SCEV *S = SE.getSCEV(A.Pointer); SE.isLoopInvariant(S, &L)) {
      if (!safeToExpand(S))
        return false;
      auto Same = find_if(FixedPlaces, [&](const FixedPlace &P) {
        return P.Address == S &&
               P.Additions.front()->Load->getType() == A.Load->getType();
      });
      if (Same == FixedPlaces.end())
        FixedPlaces.push_back({S, {&A}});
      else
        Same->Additions.push_back(&A);
      continue;
    }
    bool WrapsAround;
    const SCEVAddRecExpr *Address = affine(A.Pointer, WrapsAround);
    if (!Address)
      return false;
    int64_t Size = DL.getTypeStoreSize(A.Load->getType()),
            Step = stride(Address, SE);
    if (std::abs(Step) != Size)
      return false;
    Mixed |= Direction && (*Direction > 0) != (Step > 0);
    Direction = Direction.value_or(Step);
    auto Same = find_if(Places, [&](const Place &P) {
      return P.Address == Address && P.Wraps == WrapsAround &&
             (!WrapsAround || P.Additions.front()->Pointer == A.Pointer) &&
             P.Additions.front()->Load->getType() == A.Load->getType();
    });
    if (Same != Places.end())
      Same->Additions.push_back(&A);
    else
      Places.push_back({{&A}, Address, WrapsAround});
  }
  if (Places.empty())
    return false;
  Down = Direction.value_or(0) < 0;
  // Other accesses: never where an addition is, as far as can be seen now.
  for (Instruction *I : Others) {
    if (none_of(Additions, [&](const Addition &A) { return meets(A, *I); }))
      continue;
    const SCEV *S = SE.getSCEV(getLoadStorePointerOperand(I));
    const auto *A = dyn_cast<SCEVAddRecExpr>(S);
    bool Known = A ? A->getLoop() == &L && A->isAffine() && stride(A, SE) &&
                         safeToExpand(A->getStart())
                   : SE.isLoopInvariant(S, &L) && safeToExpand(S);
    if (!Known)
      return false;
    auto MeetsAlways = [&](const SCEV *Place) {
      return SE.getPointerBase(S) == SE.getPointerBase(Place) &&
             isa<SCEVConstant>(SE.getMinusSCEV(A ? A->getStart() : S, Place));
    };
    if (any_of(Places,
               [&](const Place &P) {
                 return MeetsAlways(P.Address->getStart());
               }) ||
        any_of(FixedPlaces,
               [&](const FixedPlace &P) { return MeetsAlways(P.Address); }))
      return false;
  }
  return true;
}

bool Strips::groupPlaces() {
  for (Place &P : Places) {
    Type *T = P.Additions.front()->Load->getType();
    const int64_t Size = DL.getTypeStoreSize(T);
    Group *Home = nullptr;
    for (Group &G : Groups) {
      if (G.Ty != T || G.Down != goesDown(P) ||
          SE.getPointerBase(G.Address) != SE.getPointerBase(P.Address))
        continue;
      const SCEV *Here = P.Address->getStart(), *There = G.Address->getStart();
      const auto *C = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Here, There));
      bool Guessed = !C;
      if (Guessed)
        C = dyn_cast<SCEVConstant>(
            SE.getMinusSCEV(Widened(SE).visit(Here), Widened(SE).visit(There)));
      if (!C || C->getAPInt().getSignificantBits() > 32 ||
          C->getAPInt().getSExtValue() % Size)
        continue;
      int64_t Offset = C->getAPInt().getSExtValue() / Size;
      if (std::max(G.last(), Offset) - std::min(G.first(), Offset) > MostWidth)
        continue;
      P.Offset = Offset;
      P.Guessed = Guessed;
      Home = &G;
      break;
    }
    if (!Home)
      Home = &Groups.emplace_back(Group{P.Address, T, goesDown(P), {}});
    Home->Places.push_back(&P);
  }
  if (Groups.size() > MostGroups)
    return false;
  // Equal numbers have one buffer.
  SmallVector<const Place *, 8> Of;
  for (Place &P : Places) {
    auto Alike = [&](const Place *Q) {
      if (P.Additions.size() != 1 || Q->Additions.size() != 1 ||
          goesDown(P) != goesDown(*Q))
        return false;
      const Addition &A = *P.Additions.front(), &B = *Q->Additions.front();
      return A.Plus == B.Plus && A.Minus == B.Minus;
    };
    auto Found = find_if(Of, Alike);
    P.Buffer = Found - Of.begin();
    if (Found == Of.end())
      Of.push_back(&P);
  }
  for (const Place *P : Of)
    BufferTypes.push_back(P->Additions.front()->Load->getType());
  return true;
}

/// One array is gone through in both directions: somewhere, iterations meet.
bool Strips::someMeet() {
  return Mixed && any_of(Groups, [&](const Group &G) {
           return G.Down && any_of(Groups, [&](const Group &H) {
                    return !H.Down && SE.getPointerBase(G.Address) ==
                                          SE.getPointerBase(H.Address);
                  });
         });
}

bool Strips::fitsBuffers() {
  // Otherwise the vectoriser does it, with checks of its own.
  if (FixedPlaces.empty() && !someMeet() && none_of(Groups, [](const Group &G) {
        return G.first() != G.last() || G.wraps();
      }))
    return false;
  uint64_t Bytes = 0; // of one iteration
  for (const Type *T : BufferTypes)
    Bytes += DL.getTypeStoreSize(const_cast<Type *>(T));
  const uint64_t Longest =
      MostBufferBytes / std::max<uint64_t>(Bytes, 1) * 2 / 3;
  StripTrips =
      std::min<uint64_t>(Longest / PieceTrips * PieceTrips, LongestStrip);
  MostTrips = StripTrips / 2 * 3;
  return StripTrips >= LeastStrip;
}
