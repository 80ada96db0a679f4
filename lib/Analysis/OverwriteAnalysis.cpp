//===- OverwriteAnalysis.cpp - can a load be repeated ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/OverwriteAnalysis.h"
#include "Analysis/AccessOrder.h"
#include "Analysis/ActivityAnalysis.h"
#include "Analysis/CallEffects.h"
#include "Analysis/FieldRanges.h"
#include "Analysis/KeptNumber.h"
#include "Analysis/LoopShape.h"
#include "Catalogue/Catalogue.h"
#include "Support/Kernels.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

/// The pointer of a load, a store or an atomic operation; null for others.
static const Value *placeOf(const Instruction &I) {
  if (const auto *M = dyn_cast<AtomicRMWInst>(&I))
    return M->getPointerOperand();
  return getLoadStorePointerOperand(&I);
}

OverwriteAnalysis::OverwriteAnalysis(Function &F, Function &Root, When Reversed,
                                     AAResults &AA,
                                     const ActivityAnalysis &Activity,
                                     const LoopShape &Shape,
                                     const Options &Opts)
    : F(F), Root(Root), Split(Reversed != AtOnce),
      UserSplit(Reversed == AnyTime), AA(AA), Facts(Activity.facts()),
      Shape(Shape), Machine(*F.getParent()), Threads(F, Facts, Opts),
      ByPhase(Opts.BarriersByPhase), ByPace(Opts.RunsAhead),
      Systems(Opts.AccessOrder ? MostSystems : 0) {
  for (Instruction &I : instructions(F)) {
    if (const auto *C = dyn_cast<CallBase>(&I); C && !Threads.isAlone()) {
      const OperationRecord *R = Facts.catalogue().lookup(I);
      Function *Callee = directCallee(*C);
      if (R ? R->Handler == HandlerKind::Barrier ||
                  R->Handler == HandlerKind::Protocol
            : !Callee || !Callee->isIntrinsic())
        Barriers.push_back(&I);
    }
    if (!I.mayWriteToMemory() || !Shape.isLive(I.getParent()))
      continue;
    if (const OperationRecord *R = Facts.catalogue().lookup(I)) {
      if (R->Pure || R->Class == RuleClass::Allocation ||
          R->Class == RuleClass::Formula || R->leavesMemoryAlone())
        continue;
      // Memory with a shadow is freed only after the reverse sweep.
      if (R->Class == RuleClass::Deallocation &&
          (Activity.hasShadow(cast<CallBase>(I).getArgOperand(R->FreedArg)) ||
           Facts.freesLate(cast<CallBase>(I))))
        continue;
    }
    Writers.push_back(&I);
  }
}

bool OverwriteAnalysis::canRepeat(const LoadInst &L) const {
  auto [It, New] = Known.try_emplace(&L, false);
  if (New) {
    bool Result = compute(L);
    return Known[&L] = Result;
  }
  return It->second;
}

bool OverwriteAnalysis::compute(const LoadInst &L) const {
  if (!L.isUnordered() || L.isVolatile())
    return false;
  const Value *P = L.getPointerOperand();
  if (L.hasMetadata(LLVMContext::MD_invariant_load) ||
      (!Split && L.hasMetadata(StaysMetadata)))
    return true;
  // Alias analysis means: constant while F runs. For `const double *restrict`
  // that ends where F returns, which a split reverse sweep comes after.
  if (!isModSet(AA.getModRefInfoMask(MemoryLocation::get(&L)))) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
    if (!Split ||
        none_of(Objects, [](const Value *O) { return isa<Argument>(O); }))
      return true;
  }
  TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  bool Foreign =
      UserSplit && O != TypeAnalysis::NoObject && Facts.visible().test(O);
  if (!Foreign && changedNowhere(O, Facts.effects(&Root).Changes))
    return true;
  if (Split && !isPrivate(P) && (Foreign || !staysAfterReturn(O)))
    return false;
  // Beyond the budget a load is kept: dearer, never wrong. Large generated
  // functions have millions of pairs.
  return none_of(Writers, [&](const Instruction *W) {
    return canFollow(*W, L) && (Budget == 0 || (--Budget, mayOverwrite(*W, L)));
  });
}

bool OverwriteAnalysis::staysStored(const StoreInst &S) const {
  if (!S.isSimple() || !Threads.isAlone())
    return false;
  auto [It, New] = Stays.try_emplace(&S, false);
  if (!New)
    return It->second;
  const Value *P = S.getPointerOperand();
  const TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  const bool Foreign =
      UserSplit && (O == TypeAnalysis::NoObject || Facts.visible().test(O));
  if (Foreign || (Split && !isPrivate(P) && !staysAfterReturn(O)))
    return false;
  const bool Result = none_of(Writers, [&](const Instruction *W) {
    return canFollow(*W, S) && (Budget == 0 || (--Budget, mayOverwrite(*W, S)));
  });
  return Stays[&S] = Result;
}

bool OverwriteAnalysis::canRepeatWithin(const LoadInst &L,
                                        const Loop &Run) const {
  if (Split || !L.isSimple())
    return false;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(L.getPointerOperand(), Objects, nullptr,
                       /*MaxLookup=*/0);
  if (!all_of(Objects, [](const Value *O) {
        auto *A = dyn_cast<AllocaInst>(O);
        return A && A->isStaticAlloca();
      }))
    return false;
  // What can run behind the load in the same iteration.
  SmallPtrSet<const BasicBlock *, 16> Behind;
  SmallVector<const BasicBlock *, 16> Work{L.getParent()};
  while (!Work.empty())
    for (const BasicBlock *S : successors(Work.pop_back_val()))
      if (S != Run.getHeader() && Run.contains(S) && Shape.isLive(S) &&
          Behind.insert(S).second)
        Work.push_back(S);
  const bool InCompany = !Threads.isAlone() && Facts.startsThreads();
  return none_of(Writers, [&](const Instruction *W) {
    return (Behind.contains(W->getParent()) ||
            (W->getParent() == L.getParent() && L.comesBefore(W)) ||
            (InCompany && isa<CallBase>(W) && canFollow(*W, L))) &&
           (Budget == 0 || (--Budget, mayOverwrite(*W, L)));
  });
}

bool OverwriteAnalysis::isAsItWas(const LoadInst &L) const {
  if (Split || !L.isSimple() || !Threads.isAlone())
    return false;
  auto Whole = [](const Instruction &I) {
    return MemoryLocation::getBeforeOrAfter(
        getUnderlyingObject(getLoadStorePointerOperand(&I), /*MaxLookup=*/0),
        I.getAAMetadata());
  };
  const MemoryLocation Array = Whole(L);
  return none_of(Writers, [&](const Instruction *W) {
    const auto *S = dyn_cast<StoreInst>(W);
    if (!S)
      return isModSet(AA.getModRefInfo(W, Array));
    if (AA.isNoAlias(Whole(*S), Array))
      return false;
    if (!Systems)
      return true;
    --Systems;
    return AccessOrder(Shape.evolution(), Shape.loops()).mayPrecede(*S, L);
  });
}

const Instruction *OverwriteAnalysis::overwriter(const LoadInst &L) const {
  if (canRepeat(L))
    return nullptr;
  auto It = find_if(Writers, [&](const Instruction *W) {
    return canFollow(*W, L) && mayOverwrite(*W, L);
  });
  return It == Writers.end() ? nullptr : *It;
}

bool OverwriteAnalysis::isLastAccess(
    const StoreInst &S,
    function_ref<bool(const Instruction &)> Excepted) const {
  // What is apart in one iteration may meet in two.
  const MemoryLocation Place =
      Shape.loops().getLoopFor(S.getParent())
          ? MemoryLocation::getBeforeOrAfter(
                getUnderlyingObject(S.getPointerOperand(), /*MaxLookup=*/0))
          : MemoryLocation::get(&S);
  return none_of(instructions(F), [&](const Instruction &I) {
    return I.mayReadOrWriteMemory() && canFollow(I, S) && !Excepted(I) &&
           isModOrRefSet(AA.getModRefInfo(&I, Place));
  });
}

/// No function that changes the objects `Changes` can change object O.
bool OverwriteAnalysis::changedNowhere(TypeAnalysis::ObjectId O,
                                       const BitVector &Changes) const {
  return O != TypeAnalysis::NoObject && !Facts.isAmong(O, Changes);
}

/// Nothing that runs after F has returned, in its callers and in what they
/// call, changes the instance of object O that F has read.
bool OverwriteAnalysis::staysAfterReturn(TypeAnalysis::ObjectId O) const {
  const LaterWrites &Later = Facts.later();
  return O != TypeAnalysis::NoObject && !Later.anyTime() &&
         (Later.own(F).test(O) || changedNowhere(O, Later.after(F)));
}

/// Memory that no one but this function can write, even after it returned.
bool OverwriteAnalysis::isPrivate(const Value *P) const {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, &Shape.loops());
  return all_of(Objects, [](const Value *O) {
    return (isa<AllocaInst>(O) || isNoAliasCall(O)) &&
           !PointerMayBeCaptured(O, /*ReturnCaptures=*/true);
  });
}

bool OverwriteAnalysis::staysAsLeft(const AtomicRMWInst &M) const {
  if (Split)
    return false;
  auto LiesBetween = [&](const Instruction *Between, const Instruction &Later) {
    return canFollow(*Between, M) && canFollow(Later, *Between);
  };
  const MemoryLocation Place = MemoryLocation::getBeforeOrAfter(
      getUnderlyingObject(placeOf(M), /*MaxLookup=*/0));
  auto Reads = [&](const Instruction &I) {
    if (!I.mayReadFromMemory() || keptNumber(I))
      return false;
    const auto *C = dyn_cast<CallBase>(&I);
    const OperationRecord *R = C ? Facts.catalogue().lookup(I) : nullptr;
    return !R || R->Class != RuleClass::Formula;
  };
  auto IsSeen = [&](const Instruction &I, const Instruction &Later) {
    const Value *From = placeOf(I);
    return Reads(I) && LiesBetween(&I, Later) &&
           !(From && isHiddenFrom(placeOf(M), From)) &&
           isRefSet(AA.getModRefInfo(&I, Place));
  };
  return none_of(Writers, [&](const Instruction *W) {
    if (!canFollow(*W, M) || (Budget && (--Budget, !mayOverwrite(*W, M))))
      return false;
    return !keptNumber(*W) || any_of(Barriers, [&](const Instruction *B) {
      return LiesBetween(B, *W);
    }) || any_of(instructions(F), [&](const Instruction &I) {
      return IsSeen(I, *W);
    });
  });
}

bool OverwriteAnalysis::endsWithBarrier(const AtomicRMWInst &M) const {
  auto WaitsIn = [&](const BasicBlock *Block) {
    return any_of(Barriers, [&](const Instruction *B) {
      return B->getParent() == Block &&
             (Block != M.getParent() || M.comesBefore(B));
    });
  };
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{M.getParent()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (WaitsIn(Block))
      continue;
    if (succ_empty(Block) && !isa<UnreachableInst>(Block->getTerminator()))
      return false;
    for (const BasicBlock *S : successors(Block))
      if (Shape.isLive(S) && Seen.insert(S).second)
        Work.push_back(S);
  }
  return true;
}

/// W can run after L has run, or what W has started can go on then: work that
/// runs beside, which takes turns with this thread at what comes behind L.
bool OverwriteAnalysis::canFollow(const Instruction &W,
                                  const Instruction &L) const {
  const BasicBlock *From = L.getParent();
  if (W.getParent() == From && L.comesBefore(&W))
    return true;
  auto [It, New] = After.try_emplace(From);
  if (New) {
    SmallPtrSet<const BasicBlock *, 16> Set;
    SmallVector<const BasicBlock *, 16> Work{From};
    while (!Work.empty())
      for (const BasicBlock *S : successors(Work.pop_back_val()))
        if (Shape.isLive(S) && Set.insert(S).second)
          Work.push_back(S);
    After[From] = std::move(Set);
  }
  const SmallPtrSet<const BasicBlock *, 16> &Behind = After[From];
  if (Behind.contains(W.getParent()))
    return true;
  const auto *Call = dyn_cast<CallBase>(&W);
  return Call && !Threads.isAlone() && Facts.startsThreads() &&
         !Facts.catalogue().lookup(W) && any_of(Barriers, [&](const auto *B) {
           return B != &W && (Behind.contains(B->getParent()) ||
                              (B->getParent() == From && L.comesBefore(B)));
         });
}

/// Both accesses move through memory at one constant pace in `Common`, and W,
/// in the iterations in which it follows L, steps over the places of L: it is
/// ahead in the direction of travel, or comes to others between them. Only
/// sound if no loop around repeats it.
bool OverwriteAnalysis::runsAhead(const Instruction &W, const Instruction &L,
                                  const Loop &Common) const {
  const auto *S = dyn_cast<StoreInst>(&W);
  if (!S || !ByPace || Common.getParentLoop())
    return false;
  ScalarEvolution &SE = Shape.evolution();
  Value *PL = const_cast<Value *>(placeOf(L));
  Value *PW = const_cast<Value *>(S->getPointerOperand());
  const auto *RL = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(PL));
  if (!RL || !RL->isAffine() || RL->getLoop() != &Common)
    return false;
  const auto *Step = dyn_cast<SCEVConstant>(RL->getStepRecurrence(SE));
  const auto *Distance =
      dyn_cast<SCEVConstant>(SE.getMinusSCEV(SE.getSCEV(PW), SE.getSCEV(PL)));
  constexpr unsigned MostBits = 40; // nothing overflows
  if (!Step || !Distance || Step->isZero() ||
      Step->getAPInt().getSignificantBits() > MostBits ||
      Distance->getAPInt().getSignificantBits() > MostBits)
    return false;
  const DataLayout &DL = F.getDataLayout();
  int64_t Pace = Step->getAPInt().getSExtValue(),
          D = Distance->getAPInt().getSExtValue();
  int64_t SizeL = DL.getTypeStoreSize(getLoadStoreType(&L)).getFixedValue();
  int64_t SizeW =
      DL.getTypeStoreSize(S->getValueOperand()->getType()).getFixedValue();
  // The same downwards: W ends where it began.
  if (Pace < 0) {
    D = SizeL - SizeW - D;
    Pace = -Pace;
  }
  // In the iteration of L, W may run behind it.
  const bool Before =
      &W == &L || (W.getParent() == L.getParent() && W.comesBefore(&L) &&
                   Shape.loops().getLoopFor(L.getParent()) == &Common);
  D += Before ? Pace : 0;
  // As long as W's end lies behind L's beginning, nothing happens.
  if (D + SizeW <= 0)
    D += (-D - SizeW) / Pace * Pace + Pace;
  return D >= SizeL;
}

bool OverwriteAnalysis::comesFirst(const Instruction &W,
                                   const Instruction &L) const {
  const auto *S = dyn_cast<StoreInst>(&W);
  const auto *Load = dyn_cast<LoadInst>(&L);
  if (!S || !Load || !Systems)
    return false;
  --Systems;
  return !AccessOrder(Shape.evolution(), Shape.loops()).mayFollow(*S, *Load);
}

/// Another thread's W may come to the place that this thread's L has read:
/// memory that threads share, and a barrier between the two. Without a barrier
/// it would be a race.
bool OverwriteAnalysis::concernsOthers(const Instruction &W,
                                       const Instruction &L) const {
  if (Threads.isAlone() || Threads.isOwn(placeOf(L), nullptr))
    return false;
  return !ByPhase || any_of(Barriers, [&](const Instruction *B) {
    return canFollow(*B, L) && canFollow(W, *B);
  });
}

/// P leads to a variable of the block that is only ever named where it is read
/// and written, and Other comes from elsewhere: from the caller, or out of
/// memory. (Alias analysis takes a variable of the block for one that others
/// may know, since the compiler does not see what starts a kernel.)
bool OverwriteAnalysis::isHiddenFrom(const Value *P, const Value *Other) const {
  const auto *G =
      dyn_cast<GlobalVariable>(getUnderlyingObject(P, /*MaxLookup=*/0));
  if (!G || Machine.space(G->getAddressSpace()) != MemorySpace::Shared)
    return false;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Other, Objects, nullptr, /*MaxLookup=*/0);
  if (!all_of(Objects,
              [](const Value *O) { return isa<Argument, LoadInst>(O); }))
    return false;
  auto [It, New] = Hidden.try_emplace(G, true);
  SmallVector<const Value *, 8> Work;
  if (New)
    Work.push_back(G);
  // All dynamic shared memory is one piece, under many names.
  if (New && G->isDeclaration())
    for (const GlobalVariable &Same : F.getParent()->globals())
      if (Same.isDeclaration() &&
          Same.getAddressSpace() == G->getAddressSpace())
        Work.push_back(&Same);
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses()) {
      const User *By = U.getUser();
      // What F was made of says the same as F, in more words, and what was made
      // of others the same as they. Another kernel has other memory.
      if (const auto *I = dyn_cast<Instruction>(By);
          I && I->getFunction() != &F &&
          (Facts.preparedOf(I->getFunction()) == &F ||
           I->getFunction()->hasFnAttribute(LaunchedAlone) ||
           I->getFunction()->getName().starts_with("rg.")))
        continue;
      if (isa<GEPOperator, AddrSpaceCastOperator>(By))
        Work.push_back(By);
      else if (!isa<LoadInst>(By) &&
               !(isa<StoreInst>(By) &&
                 U.getOperandNo() == StoreInst::getPointerOperandIndex()) &&
               !(isa<AtomicRMWInst>(By) &&
                 U.getOperandNo() == AtomicRMWInst::getPointerOperandIndex()))
        return Hidden[G] = false;
    }
  return It->second;
}

/// What the tags of Access say against W. Memory may be used as one type, and
/// then as another (an arena, placement new): that their types differ tells
/// nothing of two accesses that the types find at one place.
static AAMDNodes tagsAgainst(const Instruction &W, const Instruction &Access,
                             const TypeAnalysis &Types) {
  AAMDNodes Tags = Access.getAAMetadata();
  const auto *Bytes = dyn_cast<AnyMemIntrinsic>(&W);
  const Value *To =
      Bytes ? Bytes->getRawDest() : getLoadStorePointerOperand(&W);
  const Value *At = getLoadStorePointerOperand(&Access);
  if (!Tags.TBAA || !To || !At)
    return Tags;
  const DataLayout &DL = Types.dataLayout();
  uint64_t Size = DL.getTypeStoreSize(getLoadStoreType(&Access));
  if (!Bytes)
    Size = std::max<uint64_t>(Size, DL.getTypeStoreSize(getLoadStoreType(&W)));
  if (Types.mayMeet(At, To, Size, /*Behind=*/Bytes != nullptr))
    Tags.TBAA = Tags.TBAAStruct = nullptr;
  return Tags;
}

bool OverwriteAnalysis::leavesAlone(const Loop &Nest, const LoadInst &L) const {
  if (!L.isSimple() || !Threads.isAlone())
    return false;
  const Value *P = L.getPointerOperand();
  const TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  return none_of(Writers, [&](const Instruction *W) {
    if (!Nest.contains(W))
      return false;
    if (!Budget)
      return true;
    --Budget;
    const auto *Bytes = dyn_cast<AnyMemIntrinsic>(W);
    const Value *To =
        Bytes ? Bytes->getRawDest() : getLoadStorePointerOperand(W);
    if (TypeAnalysis::ObjectId OW =
            To ? Facts.types().objectOf(To) : TypeAnalysis::NoObject;
        O != TypeAnalysis::NoObject && OW != TypeAnalysis::NoObject &&
        !Facts.mayOverlap(O, OW))
      return false;
    const MemoryLocation Array = MemoryLocation::getBeforeOrAfter(
        getUnderlyingObject(P, /*MaxLookup=*/0),
        tagsAgainst(*W, L, Facts.types()));
    if (To && AA.isNoAlias(MemoryLocation::getBeforeOrAfter(
                               getUnderlyingObject(To, /*MaxLookup=*/0)),
                           Array))
      return false;
    return isModSet(AA.getModRefInfo(W, Array));
  });
}

OverwriteAnalysis::Apart OverwriteAnalysis::apart(const Instruction &W,
                                                  const Instruction &L) const {
  auto Unless = [](bool MayOverwrite) {
    return MayOverwrite ? Apart::No : Apart::Objects;
  };
  const Value *P = placeOf(L);
  TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  // Alias analysis compares pointers of one iteration, but a write of a later
  // iteration of any common loop counts, too. Where both pointers vary in the
  // outermost one, the load stands for all of the objects it may ever read.
  const Loop *Common = Shape.loops().getLoopFor(L.getParent());
  while (Common && !Common->contains(W.getParent()))
    Common = Common->getParentLoop();
  while (Common && Common->getParentLoop())
    Common = Common->getParentLoop();
  const auto *Bytes = dyn_cast<AnyMemIntrinsic>(&W);
  const Value *WP =
      Bytes ? Bytes->getRawDest() : getLoadStorePointerOperand(&W);
  // Two objects are two places, unless code outside may have made them one.
  if (TypeAnalysis::ObjectId OW =
          WP ? Facts.types().objectOf(WP) : TypeAnalysis::NoObject;
      O != TypeAnalysis::NoObject && OW != TypeAnalysis::NoObject &&
      !Facts.mayOverlap(O, OW))
    return Apart::Objects;
  if (WP && isHiddenFrom(P, WP))
    return Apart::Hidden;
  std::optional<MemoryLocation> Read = MemoryLocation::getOrNone(&L);
  assert(Read && "reads one place");
  const AAMDNodes Tags = tagsAgainst(W, L, Facts.types());
  Read->AATags = Tags;
  SmallVector<MemoryLocation, 2> Places{*Read};
  // Nor does it compare pointers of two threads.
  bool Others = concernsOthers(W, L);
  if (Others || (Common && !Common->isLoopInvariant(P) &&
                 !(WP && Common->isLoopInvariant(WP)))) {
    if (!Others && runsAhead(W, L, *Common))
      return Apart::RunsAhead;
    if (!Others && comesFirst(W, L))
      return Apart::ComesFirst;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
    Places.clear();
    for (const Value *Object : Objects)
      Places.push_back(MemoryLocation::getBeforeOrAfter(Object, Tags));
  }

  if (const auto *C = dyn_cast<CallBase>(&W)) {
    const OperationRecord *R = Facts.catalogue().lookup(W);
    // What is started writes to what it was once given.
    bool OfRuntime =
        R && R->Class == RuleClass::Rule && !R->Given && !R->CallsBack;
    if (R && !R->hasUnknownEffects() &&
        (R->Class == RuleClass::Inactive || OfRuntime)) {
      if (Facts.changesBehind(*C, O))
        return Apart::No;
      // Writes at most what its pointer arguments point at, and what pointers
      // there lead to.
      if (OfRuntime &&
          any_of(enumerate(C->args()),
                 [&](const auto &Arg) {
                   return R->memoryBehind(Arg.index()).WritesFurther;
                 }) &&
          (O == TypeAnalysis::NoObject ||
           Facts.isAmong(O, Facts.effects(*C)->Writes)))
        return Apart::No;
      return Unless(any_of(enumerate(C->args()), [&](const auto &Arg) {
        const Value *A = Arg.value();
        if (OfRuntime ? !A->getType()->isPointerTy() ||
                            !R->memoryBehind(Arg.index()).Writes
                      : !writesBehind(*C, Arg.index(), *R))
          return false;
        return any_of(Places, [&](const MemoryLocation &Place) {
          return !AA.isNoAlias(MemoryLocation::getBeforeOrAfter(A), Place);
        });
      }));
    }
    Function *Callee = directCallee(*C);
    if (Function *Prepared = Callee ? Facts.preparedOf(Callee) : nullptr)
      if (changedNowhere(O, Facts.effects(Prepared).Changes))
        return Apart::Objects;
  }
  // Alias analysis gives up on an address with an offset against an object of
  // unknown extent, where it can tell the two objects apart.
  const Value *Written =
      WP ? getUnderlyingObject(WP, /*MaxLookup=*/0) : nullptr;
  if (Others && Written)
    return Unless(any_of(Places, [&](const MemoryLocation &Place) {
      return !AA.isNoAlias(MemoryLocation::getBeforeOrAfter(Written), Place);
    }));
  if (none_of(Places, [&](const MemoryLocation &Place) {
        if (Written &&
            AA.isNoAlias(MemoryLocation::getBeforeOrAfter(Written), Place))
          return false;
        return isModSet(AA.getModRefInfo(&W, Place));
      }))
    return Apart::Objects;
  // Nor does it follow an address that inner and outer loops advance, a phi of
  // phis, to the object behind it.
  if (!Written || !isa<PHINode, SelectInst>(getUnderlyingObject(P, 0)))
    return Apart::No;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
  return Unless(any_of(Objects, [&](const Value *Object) {
    return !AA.isNoAlias(MemoryLocation::getBeforeOrAfter(Written),
                         MemoryLocation::getBeforeOrAfter(Object, Tags));
  }));
}

static void printWithLine(raw_ostream &OS, const Instruction &I) {
  I.print(OS);
  if (const DILocation *At = I.getDebugLoc())
    OS << " (" << sys::path::filename(At->getFilename()) << ':' << At->getLine()
       << ')';
  OS << '\n';
}

/// What decided about L: the write that may come to its place, or those that
/// only the order of iterations keeps from it.
void OverwriteAnalysis::explain(raw_ostream &OS, const LoadInst &L) const {
  auto Line = [&](StringRef Why, const Instruction &W) {
    OS.indent(16) << Why << ':';
    printWithLine(OS, W);
  };
  if (const Instruction *W = overwriter(L))
    return Line("by", *W);
  if (!canRepeat(L)) {
    if (Split)
      OS.indent(16) << "may change in its callers before it is reversed\n";
    return;
  }
  for (const Instruction *W : Writers) {
    if (!canFollow(*W, L))
      continue;
    const Apart Is = apart(*W, L);
    if (Is == Apart::RunsAhead)
      Line("runs ahead", *W);
    if (Is == Apart::ComesFirst)
      Line("comes first", *W);
  }
}

void OverwriteAnalysis::print(raw_ostream &OS) const {
  OS << "overwrite in " << F.getName() << (Split ? " (split)" : "") << ":\n";
  for (Instruction &I : instructions(F))
    if (auto *L = dyn_cast<LoadInst>(&I)) {
      OS << (canRepeat(*L) ? "  repeatable  " : "  overwritten ");
      printWithLine(OS, *L);
      // What is printed must not change what is decided later.
      SaveAndRestore Left(Systems);
      explain(OS, *L);
    }
}
