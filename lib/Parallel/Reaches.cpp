//===- Reaches.cpp - where the threads of a region read and write ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/Reaches.h"
#include "Analysis/AffineBounds.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Support/CallBinding.h"
#include "Support/ReachMarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// More groups than this are compared for longer than they save.
constexpr unsigned MostGroups = 48;
/// In the kind of a group: see runtime/team.h.
constexpr unsigned Writes = 16;

/// Accesses that are told of together: from Base + Low to Base + High.
struct Stretch {
  Instruction *Before = nullptr; ///< the call goes here
  Value *Base = nullptr;         ///< what the offsets are from
  Value *Object = nullptr;       ///< what the group is of
  const SCEV *Low = nullptr, *High = nullptr;
  unsigned Kind = 0;
  bool IsCommon = false;              ///< the same for all threads
  SmallVector<const SCEV *, 4> Trips; ///< of the loops that are told of
  unsigned Accesses = 1;
  SmallVector<Instruction *, 4> Of;
};

/// Accesses at places that only the run knows (x[at[i]]): Over finds out the
/// least and the greatest offset from Base.
struct Search {
  Loop *Over;
  Value *Base;
  unsigned Kind;
  /// A constant apart, in one block: from Offset + Low to Offset + High.
  struct Access {
    Instruction *At; ///< the first of them
    const SCEV *Offset;
    int64_t Low, High;
    SmallVector<Instruction *, 2> Of;
  };
  SmallVector<Access, 8> Accesses;
};

class Reaches {
public:
  Reaches(Function &F, FunctionAnalysisManager &FAM, RuntimeLibrary &Runtime)
      : F(F), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), Runtime(Runtime),
        Expand(SE, "rg.reach"), Int64(Type::getInt64Ty(F.getContext())) {}

  void run() {
    for (Instruction &I : instructions(F))
      visit(I);
    // A task or a thread adds to copies where places are added to again.
    if (startsWork(F) && Searches.empty() &&
        none_of(Stretches, [](const Stretch &S) { return !S.Trips.empty(); }))
      return;
    SmallMapVector<std::tuple<Value *, unsigned, unsigned>, unsigned, 8> Groups;
    for (Stretch &S : Stretches)
      Groups.try_emplace({S.Object, S.Kind, unsigned(S.IsCommon)},
                         Groups.size());
    for (Search &S : Searches)
      Groups.try_emplace({S.Base, S.Kind, 0u}, Groups.size());
    if (Groups.empty() || Groups.size() > MostGroups)
      return;
    for (Stretch &S : Stretches)
      tell(S, Groups[{S.Object, S.Kind, unsigned(S.IsCommon)}]);
    for (Search &S : Searches)
      search(S, Groups[{S.Base, S.Kind, 0u}]);
    if (!Variables.empty()) {
      PromoteMemToReg(Variables, DT);
      for (Search &S : Searches)
        formLCSSARecursively(*S.Over, DT, &LI, &SE);
    }
    F.addFnAttr(NumReaches, std::to_string(Groups.size()));
  }

private:
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  RuntimeLibrary &Runtime;
  SCEVExpander Expand;
  Type *Int64;
  std::vector<Stretch> Stretches;
  std::vector<Search> Searches;
  SmallVector<AllocaInst *, 8> Variables;

  void visit(Instruction &I);
  std::optional<Stretch> stretchAt(Instruction &I, Value *P, uint64_t Bytes,
                                   Instruction *Before, Loop *Outermost);
  void add(Stretch S);
  void tell(const Stretch &S, unsigned Group);
  bool addSearch(Instruction &I, Value *P, uint64_t Bytes, unsigned Kind,
                 ArrayRef<Loop *> Around);
  void search(const Search &S, unsigned Group);
  void mark(Instruction &I, unsigned Group) {
    I.setMetadata(InReach,
                  MDNode::get(F.getContext(),
                              ConstantAsMetadata::get(ConstantInt::get(
                                  Type::getInt32Ty(F.getContext()), Group))));
  }

  /// S can be computed where At stands.
  bool isKnownAt(const SCEV *S, const Instruction &At) {
    return Expand.isSafeToExpand(S) &&
           !SCEVExprContains(S, [&](const SCEV *Part) {
             if (const auto *R = dyn_cast<SCEVAddRecExpr>(Part))
               return !R->getLoop()->contains(&At);
             const auto *U = dyn_cast<SCEVUnknown>(Part);
             const auto *I = U ? dyn_cast<Instruction>(U->getValue()) : nullptr;
             return (I && !DT.dominates(I, &At)) ||
                    isa<SCEVCouldNotCompute>(Part) || isa<SCEVVScale>(Part);
           });
  }

  /// S is known in front of Before, outside of Inside, if that is given.
  bool isGiven(const SCEV *S, Instruction *Before, Loop *Inside) {
    if (Inside && !SE.isLoopInvariant(S, Inside))
      return false;
    return Expand.isSafeToExpandAt(S, Before) &&
           !SCEVExprContains(S, [&](const SCEV *Part) {
             const auto *U = dyn_cast<SCEVUnknown>(Part);
             const auto *I = U ? dyn_cast<Instruction>(U->getValue()) : nullptr;
             const auto *R = dyn_cast<SCEVAddRecExpr>(Part);
             const Loop *Of = R   ? R->getLoop()
                              : I ? LI.getLoopFor(I->getParent())
                                  : nullptr;
             // A value of another loop has its name there alone.
             return (Of && !Of->contains(Before)) ||
                    isa<SCEVCouldNotCompute>(Part) || isa<SCEVVScale>(Part);
           });
  }
};

} // namespace

/// The bytes of a number if T is one, or some of a kind; else 0.
static unsigned bytesOfNumber(const Type *T) {
  if (isa<ScalableVectorType>(T))
    return 0;
  T = T->getScalarType();
  return T->isDoubleTy() ? 8 : T->isFloatTy() ? 4 : 0;
}

void Reaches::visit(Instruction &I) {
  Value *P = nullptr;
  Type *T = nullptr;
  unsigned Kind = 0;
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    P = L->getPointerOperand();
    T = L->getType();
  } else if (auto *S = dyn_cast<StoreInst>(&I)) {
    P = S->getPointerOperand();
    T = S->getValueOperand()->getType();
    Kind = Writes;
  } else if (auto *M = dyn_cast<AtomicRMWInst>(&I)) {
    P = M->getPointerOperand();
    T = M->getType();
    Kind = Writes;
  }
  if (!P || !bytesOfNumber(T) || P->getType()->getPointerAddressSpace())
    return;
  Kind |= bytesOfNumber(T);
  const Value *Object = getUnderlyingObject(P, /*MaxLookup=*/0);
  const auto *G = dyn_cast<GlobalVariable>(Object);
  if (isa<AllocaInst>(Object) || (G && G->isConstant()))
    return;
  uint64_t Bytes = F.getDataLayout().getTypeStoreSize(T).getFixedValue();
  SmallVector<Loop *, 4> Around;
  for (Loop *L = LI.getLoopFor(I.getParent()); L; L = L->getParentLoop())
    Around.push_back(L);
  for (Loop *L : reverse(Around))
    if (BasicBlock *Before = L->getLoopPreheader())
      if (auto S = stretchAt(I, P, Bytes, Before->getTerminator(), L)) {
        S->Kind = Kind;
        return add(std::move(*S));
      }
  if (addSearch(I, P, Bytes, Kind, Around))
    return;
  if (auto S = stretchAt(I, P, Bytes, &I, nullptr)) {
    S->Kind = Kind;
    add(std::move(*S));
  }
}

/// The addresses of all that I accesses in the loops from Outermost on inwards,
/// if they are known in front of Before.
std::optional<Stretch> Reaches::stretchAt(Instruction &I, Value *P,
                                          uint64_t Bytes, Instruction *Before,
                                          Loop *Outermost) {
  const SCEV *At = SE.getSCEV(P);
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(At));
  auto Given = [&](const SCEV *S) { return isGiven(S, Before, Outermost); };
  if (!Outermost) {
    Stretch S;
    S.Before = Before;
    S.Base = P;
    S.Object = Base ? Base->getValue() : P;
    S.Low = SE.getZero(Int64);
    S.High = SE.getConstant(Int64, Bytes);
    S.Of = {&I};
    return S;
  }
  if (!Base || !Given(Base))
    return std::nullopt;
  AffineBounds Bounds(SE, AffineBounds::Refused, Given);
  Interval Offset = Bounds.of(SE.removePointerBase(At));
  if (!Offset)
    return std::nullopt;
  Stretch S;
  S.Before = Before;
  S.Base = S.Object = Base->getValue();
  S.Low = Offset.Low;
  S.High = SE.getAddExpr(Offset.High, SE.getConstant(Int64, Bytes));
  S.Of = {&I};
  auto IsShared = [](const SCEV *S) {
    return !SCEVExprContains(S, [](const SCEV *Part) {
      const auto *U = dyn_cast<SCEVUnknown>(Part);
      return U && !isa<Argument, GlobalVariable>(U->getValue());
    });
  };
  S.IsCommon = IsShared(S.Low) && IsShared(S.High);
  for (Loop *L = LI.getLoopFor(I.getParent()); L != Outermost->getParentLoop();
       L = L->getParentLoop()) {
    const SCEV *Count = SE.getBackedgeTakenCount(L);
    if (!isa<SCEVCouldNotCompute>(Count) && Given(Count) &&
        SE.getTypeSizeInBits(Count->getType()) <= 64)
      S.Trips.push_back(Count);
  }
  return S;
}

/// One call for accesses that are a constant apart.
void Reaches::add(Stretch New) {
  for (Stretch &S : Stretches) {
    if (S.Before != New.Before || S.Base != New.Base || S.Kind != New.Kind ||
        S.IsCommon != New.IsCommon)
      continue;
    const auto *Low = dyn_cast<SCEVConstant>(SE.getMinusSCEV(New.Low, S.Low)),
               *High =
                   dyn_cast<SCEVConstant>(SE.getMinusSCEV(New.High, S.High));
    if (!Low || !High)
      continue;
    if (Low->getAPInt().isNegative())
      S.Low = New.Low;
    if (!High->getAPInt().isNegative())
      S.High = New.High;
    ++S.Accesses;
    // About how often: as those in the innermost loops.
    if (New.Trips.size() > S.Trips.size())
      S.Trips = New.Trips;
    S.Of.append(New.Of);
    return;
  }
  Stretches.push_back(std::move(New));
}

void Reaches::tell(const Stretch &S, unsigned Group) {
  IRBuilder<> B(S.Before);
  B.SetCurrentDebugLocation(S.Of.front()->getDebugLoc());
  auto Emit = [&](const SCEV *X) {
    return Expand.expandCodeFor(SE.getTruncateOrSignExtend(X, Int64), Int64,
                                S.Before->getIterator());
  };
  Value *Low = Emit(S.Low);
  Value *Length = B.CreateSub(Emit(S.High), Low);
  Value *Times = B.getInt64(S.Accesses);
  for (const SCEV *Count : S.Trips)
    Times = B.CreateMul(
        Times,
        B.CreateAdd(B.CreateZExt(Expand.expandCodeFor(Count, Count->getType(),
                                                      S.Before->getIterator()),
                                 Int64),
                    B.getInt64(1)));
  B.CreateCall(Runtime.require("rg_reach_from"),
               {B.CreatePtrAdd(S.Base, Low), Length, B.getInt32(Group),
                B.getInt32(S.Kind), Times});
  for (Instruction *I : S.Of)
    mark(*I, Group);
}

bool Reaches::addSearch(Instruction &I, Value *P, uint64_t Bytes, unsigned Kind,
                        ArrayRef<Loop *> Around) {
  const SCEV *At = SE.getSCEV(P);
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(At));
  if (!Base || Base->getValue() == P)
    return false;
  const SCEV *Offset = SE.removePointerBase(At);
  if (!isKnownAt(Offset, I))
    return false;
  const int64_t End = int64_t(Bytes);
  for (Loop *L : reverse(Around)) {
    if (!L->isLoopInvariant(Base->getValue()) || !L->getLoopPreheader() ||
        !L->hasDedicatedExits())
      continue;
    Search *Into = nullptr;
    for (Search &S : Searches)
      if (S.Over == L && S.Base == Base->getValue() && S.Kind == Kind)
        Into = &S;
    if (!Into)
      Into = &Searches.emplace_back(Search{L, Base->getValue(), Kind, {}});
    for (Search::Access &A : Into->Accesses) {
      const auto *Apart =
          A.At->getParent() == I.getParent()
              ? dyn_cast<SCEVConstant>(SE.getMinusSCEV(Offset, A.Offset))
              : nullptr;
      if (!Apart || Apart->getAPInt().getSignificantBits() > 31)
        continue;
      int64_t By = Apart->getAPInt().getSExtValue();
      A.Low = std::min(A.Low, By);
      A.High = std::max(A.High, By + End);
      A.Of.push_back(&I);
      return true;
    }
    Into->Accesses.push_back({&I, Offset, 0, End, {&I}});
    return true;
  }
  return false;
}

void Reaches::search(const Search &S, unsigned Group) {
  constexpr int64_t Far = int64_t(1) << 62;
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  auto Variable = [&](int64_t Start) {
    AllocaInst *A = B.CreateAlloca(Int64, nullptr, "reach");
    IRBuilder<>(S.Over->getLoopPreheader()->getTerminator())
        .CreateStore(B.getInt64(Start), A);
    Variables.push_back(A);
    return A;
  };
  AllocaInst *Low = Variable(Far), *High = Variable(-Far), *Times = Variable(0);
  for (const Search::Access &A : S.Accesses) {
    B.SetInsertPoint(A.At);
    Value *Offset =
        Expand.expandCodeFor(SE.getTruncateOrSignExtend(A.Offset, Int64), Int64,
                             A.At->getIterator());
    B.SetInsertPoint(A.At);
    B.CreateStore(
        B.CreateBinaryIntrinsic(Intrinsic::smin, B.CreateLoad(Int64, Low),
                                B.CreateAdd(Offset, B.getInt64(A.Low))),
        Low);
    B.CreateStore(
        B.CreateBinaryIntrinsic(Intrinsic::smax, B.CreateLoad(Int64, High),
                                B.CreateAdd(Offset, B.getInt64(A.High))),
        High);
    B.CreateStore(
        B.CreateAdd(B.CreateLoad(Int64, Times), B.getInt64(A.Of.size())),
        Times);
    for (Instruction *I : A.Of)
      mark(*I, Group);
  }
  SmallVector<BasicBlock *, 4> Exits;
  S.Over->getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits) {
    B.SetInsertPoint(&*Exit->getFirstInsertionPt());
    B.SetCurrentDebugLocation(S.Accesses.front().At->getDebugLoc());
    Value *From = B.CreateLoad(Int64, Low);
    B.CreateCall(Runtime.require("rg_reach_from"),
                 {B.CreatePtrAdd(S.Base, From),
                  B.CreateSub(B.CreateLoad(Int64, High), From),
                  B.getInt32(Group), B.getInt32(S.Kind),
                  B.CreateLoad(Int64, Times)});
  }
}

void retrograd::noteReaches(Function &Clone, FunctionAnalysisManager &FAM,
                            RuntimeLibrary &Runtime) {
  if (!runsElsewhere(Clone))
    return;
  FAM.invalidate(Clone, PreservedAnalyses::none());
  Reaches(Clone, FAM, Runtime).run();
  FAM.invalidate(Clone, PreservedAnalyses::none());
}
