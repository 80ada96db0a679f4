//===- AdditionStrips.cpp - the reverse of stencils, vectorised -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An innermost loop of one block becomes
//
//   if (at least LeastTrips iterations, and no addition meets another access)
//     for each strip of up to MostTrips iterations {
//       for each iteration: all but the additions; buffer[m][i] = what is added
//       at place m for each group of places, base + constant:
//         for t: base[t] += sum over m of buffer[m][t - offset m]
//         at both ends, where not all of them reach: one by one
//     }
//   else the loop as it was
//
// Additions to adjoints may be done in any order (FastMathFlags::allowReassoc,
// which emission gave them); that any two of them meet is therefore no matter.
// All other accesses keep their order among themselves, and must not meet an
// addition: by alias analysis, or by the ranges of addresses, compared when the
// loop is entered.
//
// Borders that wrap around (i == 0 ? n - 1 : i - 1) make an address that is
// affine but for one iteration. If that is the first or the last one, which is
// asked when the loop is entered, what is added there is an end of a strip, and
// ends are added one by one, at the address they really have.
//
//===----------------------------------------------------------------------===//

#include "Polish/AdditionStrips.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Shorter loops gain nothing; it is also more than any group is wide.
constexpr unsigned LeastTrips = 16;
/// A strip. The last one may be longer, so that none is shorter than half of
/// it.
constexpr unsigned StripTrips = 64;
constexpr unsigned MostTrips = 96;
/// The most places between the first and the last one of a group.
constexpr int64_t MostWidth = 8;
/// On the stack.
constexpr uint64_t MostBufferBytes = 12 * 1024;
constexpr unsigned MostGroups = 12;

/// p[...] += sum of Plus - sum of Minus
struct Addition {
  Value *Pointer;
  LoadInst *Load;
  StoreInst *Store;
  SmallVector<Value *, 2> Plus, Minus;
  SmallVector<Instruction *, 2> Chain; ///< the additions themselves
};

/// A place of the stencil: what is added there goes into a buffer.
struct Place {
  SmallVector<const Addition *, 2> Additions; ///< at the same address
  const SCEVAddRecExpr *Address;
  bool Wraps; ///< it has this address but in the first or the last iteration
  int64_t Offset = 0;   ///< from its group's, in elements
  bool Guessed = false; ///< to be compared when the loop is entered
  unsigned Buffer = 0;
};

/// A place that is the same in all iterations: a sum.
struct FixedPlace {
  const SCEV *Address;
  SmallVector<const Addition *, 2> Additions;
  Value *At = nullptr; ///< in front of the loop
};

/// Places a constant apart.
struct Group {
  const SCEVAddRecExpr *Address;
  Type *Ty;
  SmallVector<Place *, 6> Places;
  int64_t first() const {
    return (*min_element(
                Places, [](auto *A, auto *B) { return A->Offset < B->Offset; }))
        ->Offset;
  }
  int64_t last() const {
    return (*max_element(
                Places, [](auto *A, auto *B) { return A->Offset < B->Offset; }))
        ->Offset;
  }
  bool wraps() const {
    return any_of(Places, [](auto *P) { return P->Wraps; });
  }
};

class Strips {
public:
  Strips(Loop &L, LoopInfo &LI, ScalarEvolution &SE, AAResults &AA,
         DominatorTree &DT)
      : L(L), LI(LI), SE(SE), AA(AA), DT(DT), Body(L.getHeader()),
        F(*Body->getParent()), DL(F.getDataLayout()), Expand(SE, "rg.strip") {}

  /// Nothing is changed by this.
  bool find();
  /// The block of the iterations that compute.
  BasicBlock *transform();

private:
  using Ends = std::pair<Value *, Value *>;
  bool findAdditions();
  bool isAdditionOf(StoreInst &S, Addition &A);
  bool classify();
  bool findSums();
  bool dependsOn(Value *V, const PHINode &Phi);
  bool findPlaces();
  const SCEVAddRecExpr *affine(Value *Pointer, bool &Wraps);
  bool findWraps(Value *V, SmallPtrSetImpl<Value *> &Seen);
  bool groupPlaces();
  bool meets(const Addition &A, Instruction &I);
  bool safeToExpand(const SCEV *S) {
    return Expand.isSafeToExpandAt(S, Before->getTerminator());
  }
  Ends range(IRBuilder<> &B, const SCEV *Address, uint64_t Bytes, int64_t From,
             int64_t To);
  Value *at(Value *Pointer, bool Last, DenseMap<Value *, Value *> &Map);
  Value *check(IRBuilder<> &B);
  void addGroup(IRBuilder<> &B, const Group &G);
  Value *element(IRBuilder<> &B, Type *T, unsigned Buffer, Value *Index) {
    return B.CreateInBoundsGEP(T, Buffers[Buffer], Index);
  }
  /// I is an access to a buffer, or to anything but a buffer.
  void toBuffer(Instruction *I) {
    I->setMetadata(LLVMContext::MD_alias_scope, BufferScope);
  }
  void notToBuffer(Instruction *I) {
    I->setMetadata(LLVMContext::MD_noalias,
                   MDNode::concatenate(I->getMetadata(LLVMContext::MD_noalias),
                                       BufferScope));
  }
  /// The loop that ends with Back is to be vectorised, and not unrolled, since
  /// it is short.
  void hint(Instruction *Back);

  Loop &L;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AAResults &AA;
  DominatorTree &DT;
  BasicBlock *Body, *Before = nullptr, *After = nullptr;
  Function &F;
  const DataLayout &DL;
  SCEVExpander Expand;

  const SCEV *Backedges = nullptr; ///< taken, 64 bits
  std::vector<Addition> Additions;
  std::vector<Place> Places;
  std::vector<Group> Groups;
  std::vector<FixedPlace> FixedPlaces;
  SmallPtrSet<Instruction *, 16> Moved;  ///< parts of additions
  SmallVector<Instruction *, 16> Others; ///< accesses that no addition may meet
  /// (i == border ? x : y) and what it is within.
  MapVector<SelectInst *, const SCEV *> Wraps;
  ValueToSCEVMapTy Within;
  SmallVector<const SCEVPredicate *, 4> Preconditions;
  bool Down = false; ///< from high addresses to low ones

  // Of the code that is made.
  SmallVector<AllocaInst *, 8> Buffers;
  SmallVector<Type *, 8> BufferTypes;
  MDNode *BufferScope = nullptr;
  Value *Trips = nullptr, *Done = nullptr,
        *Now = nullptr; ///< of the loop; before this strip; in it
  DenseMap<const Group *, Value *> Base;
  DenseMap<const Place *, Ends> AtEnds;
  DenseMap<Value *, Value *> InFirst, InLast;
};

} // namespace

static int64_t stride(const SCEVAddRecExpr *A, ScalarEvolution &SE) {
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

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

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
  return findAdditions() && classify() && findSums() && findPlaces() &&
         groupPlaces();
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
    if (std::abs(Step) != Size || (Direction && (*Direction > 0) != (Step > 0)))
      return false;
    Direction = Step;
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
  Down = *Direction < 0;
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
      if (G.Ty != T ||
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
      Home = &Groups.emplace_back(Group{P.Address, T, {}});
    Home->Places.push_back(&P);
  }
  // Otherwise the vectoriser does it, with checks of its own.
  if ((FixedPlaces.empty() && none_of(Groups,
                                      [](const Group &G) {
                                        return G.first() != G.last() ||
                                               G.wraps();
                                      })) ||
      Groups.size() > MostGroups)
    return false;
  // Equal numbers have one buffer.
  SmallVector<const Place *, 8> Of;
  for (Place &P : Places) {
    auto Alike = [&](const Place *Q) {
      if (P.Additions.size() != 1 || Q->Additions.size() != 1)
        return false;
      const Addition &A = *P.Additions.front(), &B = *Q->Additions.front();
      return A.Plus == B.Plus && A.Minus == B.Minus;
    };
    auto Found = find_if(Of, Alike);
    P.Buffer = Found - Of.begin();
    if (Found == Of.end())
      Of.push_back(&P);
  }
  uint64_t Bytes = 0;
  for (const Place *P : Of) {
    BufferTypes.push_back(P->Additions.front()->Load->getType());
    Bytes += MostTrips * DL.getTypeStoreSize(BufferTypes.back());
  }
  return Bytes <= MostBufferBytes;
}

//===----------------------------------------------------------------------===//
// What is made of it
//===----------------------------------------------------------------------===//

/// From the lowest address to behind the highest one of [From, To] elements
/// from Address, in all iterations.
Strips::Ends Strips::range(IRBuilder<> &B, const SCEV *Address, uint64_t Bytes,
                           int64_t From, int64_t To) {
  Instruction *Here = &*B.GetInsertPoint();
  const SCEV *Low = Address, *High = Address;
  if (const auto *A = dyn_cast<SCEVAddRecExpr>(Address);
      A && A->getLoop() == &L) {
    const SCEV *N = SE.getTruncateOrZeroExtend(
        Backedges, A->getStepRecurrence(SE)->getType());
    Low = A->getStart();
    High = SE.getAddExpr(Low, SE.getMulExpr(N, A->getStepRecurrence(SE)));
    if (stride(A, SE) < 0)
      std::swap(Low, High);
  }
  Type *Word = DL.getIndexType(Low->getType());
  Low = SE.getAddExpr(Low, SE.getConstant(Word, From * int64_t(Bytes), true));
  High = SE.getAddExpr(High,
                       SE.getConstant(Word, (To + 1) * int64_t(Bytes), true));
  return {Expand.expandCodeFor(Low, B.getPtrTy(), Here),
          Expand.expandCodeFor(High, B.getPtrTy(), Here)};
}

/// Pointer as it is in the first or the last iteration, computed in front of
/// the loop.
Value *Strips::at(Value *V, bool Last, DenseMap<Value *, Value *> &Map) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return V;
  if (Value *Known = Map.lookup(V))
    return Known;
  Instruction *Here = Before->getTerminator();
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    Value *X = Phi->getIncomingValueForBlock(Before);
    if (Last) {
      const auto *A = cast<SCEVAddRecExpr>(SE.getSCEV(Phi));
      const SCEV *N = SE.getTruncateOrZeroExtend(Backedges, A->getType());
      X = Expand.expandCodeFor(
          SE.getAddExpr(A->getStart(),
                        SE.getMulExpr(N, A->getStepRecurrence(SE))),
          Phi->getType(), Here);
    }
    return Map[V] = X;
  }
  SmallVector<Value *, 4> Operands;
  for (Value *Op : I->operands())
    Operands.push_back(at(Op, Last, Map));
  Instruction *Again = I->clone();
  for (auto [N, Op] : enumerate(Operands))
    Again->setOperand(N, Op);
  Again->dropPoisonGeneratingFlags();
  Again->setDebugLoc(DebugLoc());
  Again->insertBefore(Here->getIterator());
  return Map[V] = Again;
}

/// Whether the loop may run in strips.
Value *Strips::check(IRBuilder<> &B) {
  Instruction *Here = &*B.GetInsertPoint();
  Value *Taken = Expand.expandCodeFor(Backedges, B.getInt64Ty(), Here);
  Trips = B.CreateAdd(Taken, B.getInt64(1), "rg.trips");
  Value *Holds = B.CreateICmpULT(B.CreateSub(Taken, B.getInt64(LeastTrips - 1)),
                                 B.getInt64(uint64_t(1) << 31));
  for (const SCEVPredicate *P : Preconditions)
    Holds =
        B.CreateAnd(Holds, B.CreateNot(Expand.expandCodeForPredicate(P, Here)));
  SmallPtrSet<const SCEV *, 4> Asked;
  for (auto &[S, When] : Wraps) {
    if (!Asked.insert(When).second)
      continue;
    Value *N = B.CreateZExtOrTrunc(
        Expand.expandCodeFor(When, When->getType(), Here), B.getInt64Ty());
    Holds = B.CreateAnd(Holds, B.CreateOr(B.CreateICmpEQ(N, B.getInt64(0)),
                                          B.CreateICmpUGE(N, Taken)));
  }
  for (const Group &G : Groups) {
    Base[&G] = Expand.expandCodeFor(G.Address->getStart(), B.getPtrTy(), Here);
    for (const Place *P : G.Places)
      if (P->Guessed) {
        Value *Start =
            Expand.expandCodeFor(P->Address->getStart(), B.getPtrTy(), Here);
        Value *Guess = B.CreatePtrAdd(
            Base[&G],
            B.getInt64(P->Offset * int64_t(DL.getTypeStoreSize(G.Ty))));
        Holds = B.CreateAnd(Holds, B.CreateICmpEQ(Start, Guess));
      }
  }
  for (const Place &P : Places)
    if (P.Wraps) {
      Value *Pointer = P.Additions.front()->Pointer;
      AtEnds[&P] = {at(Pointer, false, InFirst), at(Pointer, true, InLast)};
    }
  for (FixedPlace &P : FixedPlaces)
    P.At = Expand.expandCodeFor(P.Address, B.getPtrTy(), Here);
  DenseMap<const Group *, Ends> Ranges;
  auto RangeOf = [&](const Group &G) {
    auto [It, New] = Ranges.try_emplace(&G);
    if (New) {
      auto [Low, High] =
          range(B, G.Address, DL.getTypeStoreSize(G.Ty), G.first(), G.last());
      for (const Place *P : G.Places)
        if (P->Wraps)
          for (Value *End : {AtEnds[P].first, AtEnds[P].second}) {
            Low = B.CreateSelect(B.CreateICmpULT(End, Low), End, Low);
            Value *Behind =
                B.CreatePtrAdd(End, B.getInt64(DL.getTypeStoreSize(G.Ty)));
            High = B.CreateSelect(B.CreateICmpUGT(Behind, High), Behind, High);
          }
      It->second = {Low, High};
    }
    return It->second;
  };
  SmallSet<std::pair<const SCEV *, const Group *>, 16> Compared;
  for (Instruction *I : Others) {
    const SCEV *S = SE.getSCEV(getLoadStorePointerOperand(I));
    std::optional<Ends> Its;
    for (const Group &G : Groups) {
      bool Meets = any_of(G.Places, [&](const Place *P) {
        return any_of(P->Additions,
                      [&](const Addition *A) { return meets(*A, *I); });
      });
      if (!Meets || !Compared.insert({S, &G}).second)
        continue;
      if (!Its)
        Its = range(B, S, DL.getTypeStoreSize(getLoadStoreType(I)), 0, 0);
      auto [Low, High] = RangeOf(G);
      Holds = B.CreateAnd(Holds, B.CreateOr(B.CreateICmpULE(Its->second, Low),
                                            B.CreateICmpULE(High, Its->first)));
    }
    for (const FixedPlace &P : FixedPlaces) {
      if (none_of(P.Additions,
                  [&](const Addition *A) { return meets(*A, *I); }))
        continue;
      if (!Its)
        Its = range(B, S, DL.getTypeStoreSize(getLoadStoreType(I)), 0, 0);
      Value *Behind =
          B.CreatePtrAdd(P.At, B.getInt64(DL.getTypeStoreSize(
                                   P.Additions.front()->Load->getType())));
      Holds =
          B.CreateAnd(Holds, B.CreateOr(B.CreateICmpULE(Its->second, P.At),
                                        B.CreateICmpULE(Behind, Its->first)));
    }
  }
  return Holds;
}

void Strips::hint(Instruction *Back) {
  LLVMContext &C = F.getContext();
  auto *One = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), 1));
  auto Say = [&](StringRef Name, ConstantAsMetadata *What) {
    return MDNode::get(C, {MDString::get(C, Name), What});
  };
  SmallVector<Metadata *, 4> Words = {nullptr,
                                      Say("llvm.loop.interleave.count", One)};
  MDNode *Id = MDNode::getDistinct(C, Words);
  Id->replaceOperandWith(0, Id);
  Back->setMetadata(LLVMContext::MD_loop, Id);
}

/// Adds a strip's numbers to the places of G. In elements from the group's base
/// in this strip, iteration at Index of the strip (from the lowest address)
/// adds to Index + Offset.
void Strips::addGroup(IRBuilder<> &B, const Group &G) {
  const int64_t Size = DL.getTypeStoreSize(G.Ty), First = G.first(),
                Last = G.last(), Ends = G.wraps();
  const StoreInst *Like = G.Places.front()->Additions.front()->Store;
  const AAMDNodes Tags = G.Places.size() == 1 ? Like->getAAMetadata() : [&] {
    AAMDNodes Common = Like->getAAMetadata();
    for (const Place *P : G.Places)
      for (const Addition *A : P->Additions)
        Common = Common.merge(A->Store->getAAMetadata())
                     .merge(A->Load->getAAMetadata());
    return Common;
  }();
  Align Alignment = Like->getAlign();
  for (const Place *P : G.Places)
    for (const Addition *A : P->Additions)
      Alignment =
          std::min({Alignment, A->Store->getAlign(), A->Load->getAlign()});
  FastMathFlags Flags;
  Flags.setAllowReassoc();
  B.setFastMathFlags(Flags);
  auto Int = [&](int64_t X) { return B.getInt64(X); };
  auto AddAt = [&](Value *Address,
                   ArrayRef<std::pair<unsigned, Value *>> Numbers) {
    Value *X = nullptr;
    for (auto [Buffer, Index] : Numbers) {
      LoadInst *Y = B.CreateLoad(G.Ty, element(B, G.Ty, Buffer, Index));
      toBuffer(Y);
      X = X ? B.CreateFAdd(X, Y) : Y;
    }
    LoadInst *Old = B.CreateAlignedLoad(G.Ty, Address, Alignment);
    StoreInst *New =
        B.CreateAlignedStore(B.CreateFAdd(Old, X), Address, Alignment);
    Old->setAAMetadata(Tags);
    New->setAAMetadata(Tags);
    notToBuffer(Old);
    notToBuffer(New);
  };
  // Of the lowest address of the strip.
  Value *Low = Down ? B.CreateSub(B.CreateSub(Int(1), Done), Now) : Done;
  Value *Start =
      B.CreatePtrAdd(Base[&G], B.CreateMul(Low, Int(Size)), "rg.strip.base");

  // Where all places of the group reach.
  Value *From = Int(Last + Ends), *To = B.CreateAdd(Now, Int(First - Ends));
  BasicBlock *In = B.GetInsertBlock();
  BasicBlock *Add =
      BasicBlock::Create(F.getContext(), "rg.strip.add", &F, After);
  BasicBlock *Edges =
      BasicBlock::Create(F.getContext(), "rg.strip.added", &F, After);
  B.CreateBr(Add);
  B.SetInsertPoint(Add);
  PHINode *T = B.CreatePHI(B.getInt64Ty(), 2, "rg.place");
  T->addIncoming(From, In);
  SmallVector<std::pair<unsigned, Value *>, 8> Numbers;
  for (const Place *P : G.Places)
    Numbers.push_back({P->Buffer, B.CreateSub(T, Int(P->Offset))});
  AddAt(B.CreateGEP(G.Ty, Start, T), Numbers);
  Value *Next = B.CreateAdd(T, Int(1), "", true, true);
  T->addIncoming(Next, Add);
  Instruction *Back = B.CreateCondBr(B.CreateICmpEQ(Next, To), Edges, Add);
  hint(Back);

  // And where only some do.
  B.SetInsertPoint(Edges);
  for (int64_t Place = First; Place != Last + Ends; ++Place) {
    Numbers.clear();
    for (const struct Place *P : G.Places)
      if (Place - P->Offset >= (P->Wraps ? 1 : 0))
        Numbers.push_back({P->Buffer, Int(Place - P->Offset)});
    if (!Numbers.empty())
      AddAt(B.CreateGEP(G.Ty, Start, Int(Place)), Numbers);
  }
  for (int64_t Place = First - Ends; Place != Last; ++Place) { // from Now on
    Numbers.clear();
    for (const struct Place *P : G.Places)
      if (Place - P->Offset < (P->Wraps ? -1 : 0))
        Numbers.push_back(
            {P->Buffer, B.CreateAdd(Now, Int(Place - P->Offset))});
    if (!Numbers.empty())
      AddAt(B.CreateGEP(G.Ty, Start, B.CreateAdd(Now, Int(Place))), Numbers);
  }
  for (const Place *P : G.Places)
    if (P->Wraps) {
      Value *Lowest = Int(0), *Highest = B.CreateSub(Now, Int(1));
      auto AddEnd = [&](Value *Index, Value *IsEnd, Value *There) {
        Value *Regular =
            B.CreateGEP(G.Ty, Start, B.CreateAdd(Index, Int(P->Offset)));
        AddAt(B.CreateSelect(IsEnd, There, Regular), {{P->Buffer, Index}});
      };
      AddEnd(Down ? Highest : Lowest, B.CreateICmpEQ(Done, Int(0)),
             AtEnds[P].first);
      AddEnd(Down ? Lowest : Highest,
             B.CreateICmpEQ(B.CreateAdd(Done, Now), Trips), AtEnds[P].second);
    }
}

BasicBlock *Strips::transform() {
  LLVMContext &C = F.getContext();
  formLCSSA(L, DT, &LI, &SE);
  // Of all that is computed in front of the loop, nothing is in the way of the
  // old one.
  IRBuilder<> B(Before->getTerminator());
  Value *Holds = check(B);
  for (Type *T : BufferTypes) {
    IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
    Buffers.push_back(
        Entry.CreateAlloca(ArrayType::get(T, MostTrips), nullptr, "rg.strip"));
    Buffers.back()->setAlignment(Align(64));
  }

  MDBuilder Scopes(C);
  BufferScope =
      MDNode::get(C, Scopes.createAnonymousAliasScope(
                         Scopes.createAnonymousAliasScopeDomain("rg.strip")));
  auto Block = [&](const Twine &Name) {
    return BasicBlock::Create(C, Name, &F, After);
  };
  BasicBlock *Enter = Block("rg.strips"), *Head = Block("rg.strip"),
             *Compute = Block("rg.strip.compute"),
             *Added = Block("rg.strip.computed");
  B.CreateCondBr(Holds, Enter, Body);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Enter);
  B.CreateBr(Head);

  // A strip.
  B.SetInsertPoint(Head);
  PHINode *Begun = B.CreatePHI(B.getInt64Ty(), 2, "rg.done");
  Begun->addIncoming(B.getInt64(0), Enter);
  Done = Begun;
  ValueToValueMapTy Map;
  SmallVector<std::pair<PHINode *, PHINode *>, 8>
      Carried; // of the loop, of the strips
  for (PHINode &Phi : Body->phis()) {
    PHINode *Outer = B.CreatePHI(Phi.getType(), 2);
    Outer->addIncoming(Phi.getIncomingValueForBlock(Before), Enter);
    Carried.push_back({&Phi, Outer});
  }
  Value *Left = B.CreateSub(Trips, Done);
  Now = B.CreateSelect(B.CreateICmpUGT(Left, B.getInt64(MostTrips)),
                       B.getInt64(StripTrips), Left, "rg.now");
  B.CreateBr(Compute);

  // Its iterations, without the additions.
  B.SetInsertPoint(Compute);
  PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2, "rg.index");
  Index->addIncoming(B.getInt64(0), Head);
  for (auto [Phi, Outer] : Carried) {
    PHINode *Inner = B.CreatePHI(Phi->getType(), 2);
    Inner->addIncoming(Outer, Head);
    Map[Phi] = Inner;
  }
  SmallVector<PHINode *, 4> Sums;
  for (const FixedPlace &P : FixedPlaces) {
    Type *T = P.Additions.front()->Load->getType();
    Sums.push_back(B.CreatePHI(T, 2, "rg.sum"));
    Sums.back()->addIncoming(ConstantFP::getZero(T, /*Negative=*/true), Head);
  }
  for (Instruction &I : *Body) {
    if (isa<PHINode>(I) || I.isTerminator() || Moved.contains(&I))
      continue;
    Instruction *Again = I.clone();
    B.Insert(Again);
    Map[&I] = Again;
    if (I.mayReadOrWriteMemory())
      notToBuffer(Again);
    RemapInstruction(Again, Map,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  auto Mapped = [&](Value *V) {
    Value *X = Map.lookup(V);
    return X ? X : V;
  };
  FastMathFlags Flags;
  Flags.setAllowReassoc();
  B.setFastMathFlags(Flags);
  Value *Position =
      Down ? B.CreateSub(B.CreateSub(Now, B.getInt64(1)), Index) : Index;
  auto AddUp = [&](Value *X, ArrayRef<const Addition *> From) {
    for (const Addition *A : From) {
      for (Value *V : A->Plus)
        X = X ? B.CreateFAdd(X, Mapped(V)) : Mapped(V);
      for (Value *V : A->Minus)
        X = X ? B.CreateFSub(X, Mapped(V)) : B.CreateFNeg(Mapped(V));
    }
    return X;
  };
  SmallVector<Value *, 4> SumsNext;
  for (auto [P, Sum] : zip(FixedPlaces, Sums)) {
    SumsNext.push_back(AddUp(Sum, P.Additions));
    Sum->addIncoming(SumsNext.back(), Compute);
  }
  SmallSet<unsigned, 8> Filled;
  for (const Place &P : Places) {
    if (!Filled.insert(P.Buffer).second)
      continue;
    toBuffer(
        B.CreateStore(AddUp(nullptr, P.Additions),
                      element(B, BufferTypes[P.Buffer], P.Buffer, Position)));
  }
  B.clearFastMathFlags();
  Value *Next = B.CreateAdd(Index, B.getInt64(1), "", true, true);
  Index->addIncoming(Next, Compute);
  for (auto [Phi, Outer] : Carried)
    cast<PHINode>(Map[Phi])->addIncoming(
        Mapped(Phi->getIncomingValueForBlock(Body)), Compute);
  hint(B.CreateCondBr(B.CreateICmpEQ(Next, Now), Added, Compute));
  for (Instruction &I : make_early_inc_range(reverse(*Compute)))
    if (isInstructionTriviallyDead(&I)) // addresses
      I.eraseFromParent();

  // The additions.
  B.SetInsertPoint(Added);
  for (auto [P, Sum] : zip(FixedPlaces, SumsNext)) {
    const Addition &A = *P.Additions.front();
    LoadInst *Old =
        B.CreateAlignedLoad(Sum->getType(), P.At, A.Load->getAlign());
    B.CreateAlignedStore(B.CreateFAdd(Old, Sum), P.At, A.Store->getAlign());
  }
  for (const Group &G : Groups)
    addGroup(B, G);
  BasicBlock *End = B.GetInsertBlock();
  Value *Further = B.CreateAdd(Done, Now, "", true, true);
  Begun->addIncoming(Further, End);
  for (auto [Phi, Outer] : Carried)
    Outer->addIncoming(Mapped(Phi->getIncomingValueForBlock(Body)), End);
  B.CreateCondBr(B.CreateICmpEQ(Further, Trips), After, Head);
  for (PHINode &Phi : After->phis())
    Phi.addIncoming(Mapped(Phi.getIncomingValueForBlock(Body)), End);
  return Compute;
}

/// F may be on the stack more than once.
static bool recurs(const Function &F) {
  SmallSetVector<const Function *, 16> Reached;
  Reached.insert(&F);
  for (size_t I = 0; I != Reached.size(); ++I)
    for (const BasicBlock &Block : *Reached[I])
      for (const Instruction &Inst : Block)
        if (const auto *Call = dyn_cast<CallBase>(&Inst)) {
          const Function *Callee = Call->getCalledFunction();
          if (Callee == &F)
            return true;
          if (Callee && !Callee->isDeclaration())
            Reached.insert(Callee);
        }
  return false;
}

/// At a glance.
static bool mayRunInStrips(const Loop &L) {
  unsigned Stores = 0;
  if (!L.isInnermost() || L.getNumBlocks() != 1)
    return false;
  for (const Instruction &I : *L.getHeader())
    if (const auto *S = dyn_cast<StoreInst>(&I))
      if (const auto *Sum = dyn_cast<BinaryOperator>(S->getValueOperand()))
        Stores += isa<FPMathOperator>(Sum) && Sum->hasAllowReassoc();
  return Stores >= 2;
}

bool retrograd::addInStrips(Function &Derivative, ModuleAnalysisManager &MAM) {
  auto &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(*Derivative.getParent())
          .getManager();
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  // Buffers of many calls at once would be more stack than the program has.
  if (Derivative.isDeclaration() || recurs(Derivative))
    return false;
  auto MayRun = [](Loop *L) { return mayRunInStrips(*L); };
  if (none_of(FAM.getResult<LoopAnalysis>(Derivative).getLoopsInPreorder(),
              MayRun))
    return false;
  LoopSimplifyPass().run(Derivative, FAM);
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  SmallPtrSet<BasicBlock *, 16> Seen;
  bool Changed = false;
  for (bool Again = true; Again;) {
    Again = false;
    auto &LI = FAM.getResult<LoopAnalysis>(Derivative);
    for (Loop *L : LI.getLoopsInPreorder()) {
      if (!mayRunInStrips(*L) || !Seen.insert(L->getHeader()).second)
        continue;
      Strips S(*L, LI, FAM.getResult<ScalarEvolutionAnalysis>(Derivative),
               FAM.getResult<AAManager>(Derivative),
               FAM.getResult<DominatorTreeAnalysis>(Derivative));
      if (!S.find())
        continue;
      Seen.insert(S.transform());
      FAM.invalidate(Derivative, PreservedAnalyses::none());
      Changed = Again = true;
      break;
    }
  }
  return Changed;
}
