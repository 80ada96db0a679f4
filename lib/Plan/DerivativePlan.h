//===- DerivativePlan.h - everything decided for one derivative -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan says, for one prepared primal and one activity of its arguments, how
// the reverse sweep gets each primal value it needs (Recipe, Keep), where kept
// values live (Scope, Slot), and what happens to each call. It is complete
// before any IR is written, prints, and verifies.
//
// Recipes are the single source of truth on how a value can be had in the
// reverse sweep without a slot: the plan cuts the graph that they span, and
// emission follows them.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_DERIVATIVEPLAN_H
#define RETROGRAD_PLAN_DERIVATIVEPLAN_H

#include "Analysis/ActivityAnalysis.h"
#include "Analysis/LoopShape.h"
#include "Analysis/OverwriteAnalysis.h"
#include "Analysis/ThreadModel.h"
#include "Analysis/ThreadOwnership.h"
#include "Analysis/WorkOwnership.h"
#include "Diagnostics/Refusal.h"
#include "Request/DerivativeRequest.h"
#include "Rules/Need.h"
#include "Rules/Rules.h"
#include "Support/Options.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

namespace retrograd {

/// How a need is met without a slot.
struct Recipe {
  enum Kind : uint8_t {
    Available, ///< at hand in the reverse sweep at no cost
    Source,    ///< cannot be made again: must be kept
    Compute    ///< made from Inputs
  } K = Source;
  llvm::SmallVector<Need, 3> Inputs;
};

/// What happens to a call.
enum class CallAction : uint8_t {
  Primal,    ///< runs in the primal sweep, nothing else
  Drop,      ///< has no effect worth keeping (markers)
  Formula,   ///< catalogue formula
  Allocate,  ///< allocates a shadow too
  Free,      ///< delayed, shadow too
  Memory,    ///< memcpy, memmove, memset: see MemoryRules
  Realloc,   ///< realloc
  Tape,      ///< scope or delayed free of a derivative differentiated again
  Derivative ///< differentiated callee: see calleeRequest
};

/// One tape entry.
struct Slot {
  Need Holds;
  llvm::Type *Ty = nullptr; ///< type in storage (i1 is stored as i8)
  uint64_t Offset = 0;      ///< bytes: in the record, or times N in an array
};

/// The storage of one scope: the function (Of null) or a loop.
struct Scope {
  const llvm::Loop *Of = nullptr;
  llvm::SmallVector<Slot, 8> Slots;
  /// Loop: one array per slot, allocated at the preheader; else one linked
  /// record per iteration.
  bool IsArray = false;
  /// Arrays: the outermost loop whose whole run they serve. From there down to
  /// Of all counts are known before it is entered, so that one allocation does.
  const llvm::Loop *Nest = nullptr;
  /// Within a deferred loop: allocated once, and used again by each of its
  /// iterations.
  bool Reused = false;
  uint64_t Bytes = 0; ///< of a record, or per iteration over all arrays

  /// The loops from Nest down to Of.
  llvm::SmallVector<const llvm::Loop *, 3> nest() const;
};

/// A loop whose only result with a derivative is one of the values that its
/// iterations offer: s = c ? x : p, where p is s of the iteration before. All
/// of the adjoint goes to the iteration in which c was true last, so that its
/// number says what c was, as far as anybody asks, and the reverse sweep begins
/// there.
struct Choice {
  const llvm::Loop *Of = nullptr;
  const llvm::SelectInst *Chosen = nullptr;
  bool OnTrue = false; ///< x is the value for true
};

/// A local or shared array whose contents each iteration of a loop makes anew,
/// before it reads them: the reverse sweep makes them again when it enters the
/// iteration. What threads share they make together, between two barriers.
struct Replay {
  const llvm::Value *Array = nullptr;
  bool Shared = false;
  const llvm::Loop *Of = nullptr;
  /// All that write it, in order.
  llvm::SmallVector<const llvm::StoreInst *, 8> Stores;
  bool Used = false; ///< some load of it is repeated
};

class DerivativePlan {
public:
  DerivativePlan(llvm::Function &F, const DerivativeRequest &Request,
                 const ActivityAnalysis &Activity,
                 const OverwriteAnalysis &Overwrite, const LoopShape &Shape,
                 llvm::DominatorTree &DT, bool Split, const Options &Opts,
                 llvm::BitVector Uniform = {});

  llvm::Function &primal() const { return F; }
  const DerivativeRequest &request() const { return Request; }
  const ActivityAnalysis &activity() const { return Activity; }
  const ProgramFacts &facts() const { return Activity.facts(); }
  const LoopShape &shape() const { return Shape; }
  bool isSplit() const { return Split; }
  const Options &options() const { return Opts; }

  /// What cannot be differentiated; empty if the plan can be emitted.
  llvm::ArrayRef<Refusal> refusals() const { return Refusals; }

  /// What N must be looked up as: the shadow of a pointer that is its own
  /// shadow is its primal value.
  Need canonical(Need N) const;
  Recipe recipe(Need N) const;
  /// What the rules read, in the order of the primal.
  llvm::SmallVector<Need, 0> needs() const {
    return llvm::to_vector<0>(llvm::make_first_range(Needs));
  }
  bool isKept(Need N) const { return Keep.contains(N); }
  /// The loop whose iterations N varies with (null: none).
  const llvm::Loop *scopeOf(Need N) const;
  const Scope &scope(const llvm::Loop *L) const;
  /// Slot of a kept need, or of a loop's Count or Records.
  const Slot *slot(Need N) const;
  /// The storage type of a need.
  llvm::Type *typeOf(Need N) const;

  /// How to add to an adjoint of the value that L loads.
  Accumulation accumulation(const llvm::LoadInst &L) const;
  /// In a function that a team runs: why that way, for people.
  llvm::StringRef reasonOfAccumulation(const llvm::LoadInst &L) const;
  /// Other threads of a team may add to adjoints behind P at the time.
  bool othersAdd(const llvm::Value *P) const {
    return Threads.company() == ThreadModel::Team && !isThreadsOwn(P);
  }
  /// How to take the adjoint of the value that S stores.
  Taking taking(const llvm::StoreInst &S) const;
  /// Before emission: looks for what ownership() says.
  void findOwnership();
  AtomicPlace atomicPlace(const llvm::AtomicRMWInst &M) const {
    return AtomicPlaces.lookup(&M);
  }
  /// The same for the places of exchanges.
  const ThreadOwnership::Condition &ownershipOfAtomics() const {
    return OwnershipOfAtomics.condition();
  }
  /// What has to hold of the launch so that no two threads add to one adjoint.
  /// Null if nothing is known.
  const ThreadOwnership::Condition *ownership() const {
    return Owned ? &Ownership.condition() : nullptr;
  }

  CallAction action(const llvm::CallBase &C) const;
  /// The request to make for a call whose action is Derivative: Forward, or
  /// the Augment half of a split reverse.
  DerivativeRequest calleeRequest(const llvm::CallBase &C) const;
  /// Its callee has a rule: a derivative that is not made of its body.
  bool hasRule(const llvm::CallBase &C) const;

  /// The predecessors of B without repetition, in a fixed order.
  llvm::SmallVector<const llvm::BasicBlock *, 4>
  predecessorsOf(const llvm::BasicBlock *B) const;
  /// For a join whose predecessor a dominating branch tells: that branch and,
  /// for each predecessor, whether it lies on the branch's true side.
  struct Join {
    const llvm::Value *Condition;
    llvm::SmallVector<bool, 4> OnTrueSide;
  };
  std::optional<Join> decidedJoin(const llvm::BasicBlock *B) const;
  /// The phi can be made again as a select: one branch decides, and what comes
  /// from either side can be computed whichever side was taken.
  bool isSelect(const llvm::PHINode &Phi) const;
  /// The choice that L makes; null if none.
  const Choice *choiceIn(const llvm::Loop *L) const {
    auto It =
        llvm::find_if(Choices, [&](const Choice &C) { return C.Of == L; });
    return It == Choices.end() ? nullptr : &*It;
  }
  /// The choice that V is the condition of; null if none.
  const Choice *choiceBy(const llvm::Value *V) const {
    auto It = llvm::find_if(Choices, [&](const Choice &C) {
      return C.Chosen->getCondition() == V;
    });
    return It == Choices.end() ? nullptr : &*It;
  }
  /// Made again from the iteration number.
  bool isComputedPhi(const llvm::PHINode &Phi) const;
  /// The reverse sweep may run in another rounding mode than what it reverses.
  bool roundingChanges() const;
  /// Gives the same from the same operands, whenever it runs.
  bool isRepeatable(const llvm::Instruction &I) const;
  /// L does not run in the primal sweep: the reverse sweep runs each iteration
  /// of it before it reverses it (DeferredLoops.h). What an iteration keeps in
  /// L's own scope is kept like what the function keeps.
  bool isDeferred(const llvm::Loop *L) const {
    return L && Deferred.contains(L);
  }
  /// The load sees the same bytes where its reverse asks for them again.
  bool canRepeat(const llvm::LoadInst &L) const;
  /// A deferred loop whose results are asked for: its iterations run in the
  /// primal's order.
  bool carriesResults(const llvm::Loop *L) const {
    return Carrying.contains(L);
  }
  /// What waits for results that deferred loops carry, until the reverse sweep
  /// is over: stores in the order of the program.
  llvm::ArrayRef<const llvm::StoreInst *> lateStores() const {
    return LateStores;
  }
  bool returnsLate() const { return LateReturn; }
  /// Left out: nobody looks at what they write.
  llvm::ArrayRef<const llvm::StoreInst *> unneededStores() const {
    return Unneeded.getArrayRef();
  }
  /// The storage within a deferred loop is an iteration's own, and released
  /// behind it.
  bool rewindsTape(const llvm::Loop *L) const { return Rewinding.contains(L); }
  llvm::ArrayRef<const llvm::Loop *> deferredLoops() const {
    return Deferred.getArrayRef();
  }
  llvm::ArrayRef<Replay> replays() const { return Replays; }
  /// The values that the number of L's iterations can be computed from; none if
  /// it has to be counted.
  std::optional<llvm::SmallVector<Need, 4>>
  countInputs(const llvm::Loop *L) const;
  /// Backedges of L, when known to be a constant.
  std::optional<uint64_t> constantCount(const llvm::Loop *L) const;
  /// The outermost loop around L (or L) during whose run L's count stays what
  /// it is; the count can be computed in front of it if it is exact.
  const llvm::Loop *countHome(const llvm::Loop *L) const;

  void print(llvm::raw_ostream &OS) const;
  /// Every need is met, from slots and recipes alone; every slot's scope is
  /// enclosed by the loops of its readers. Returns the first violation.
  std::optional<std::string> verify() const;

private:
  void findUnneededStores();
  void findReplays();
  bool findReplay(const llvm::Value &Array, bool Shared);
  const Replay *replayOf(const llvm::LoadInst &L) const;
  void markUsedReplays();
  void findChoices();
  void choose();
  bool isWorthDeferring(const llvm::Loop &L) const;
  void defer();
  void shareStorage();
  llvm::DenseSet<Need> readable() const;
  void needWhatIterationsStartFrom(const llvm::Loop &L);
  void collectCounts();
  void collectNeeds();
  bool isFree(Need N, unsigned &Budget) const;
  bool givesAgain(const llvm::CallBase &C) const;
  /// Calls whose reverse is given the arguments again.
  llvm::SmallPtrSet<const llvm::CallBase *, 8> ArgsAgain;
  void collectRefusals();
  void checkCall(const llvm::CallBase &C);
  bool isGivenAlike(const llvm::Argument &A) const;
  void checkKeptNumbers();
  bool checkThreads(const llvm::Instruction &I);
  bool checkTeam(const llvm::Instruction &I);
  void findOwnWork();
  /// Threads that return while others go on to a barrier (LeavingThreads.cpp).
  void checkLeavingThreads();
  void checkCopyTypes(const llvm::Instruction &I);
  void checkShadowOfDest(const llvm::Instruction &I);
  bool ownsMemory(const llvm::Value *V) const;
  bool canSpeculate(const llvm::Value *V, const llvm::BasicBlock *Decision,
                    unsigned &Budget) const;
  bool isAtHandDear(const llvm::Instruction &I) const;
  bool isThreadsOwn(const llvm::Value *P) const;
  bool isWrittenToo(const llvm::LoadInst &L) const;
  bool isReadBefore(const llvm::StoreInst &S) const;
  bool hasBarriers() const;
  void refuse(RefusalKind K, const llvm::Instruction &I, std::string Detail);
  void keepAll();
  void cut();
  uint64_t price(Need N) const;
  bool isUnkept(Need N) const;
  void layOut();
  const llvm::Loop *nestOf(const llvm::Loop *L) const;
  uint64_t certainBytes() const;
  void checkMemory();
  Recipe valueRecipe(const llvm::Value *V, Need::Kind K) const;

  llvm::Function &F;
  DerivativeRequest Request;
  const ActivityAnalysis &Activity;
  const OverwriteAnalysis &Overwrite;
  const LoopShape &Shape;
  llvm::DominatorTree &DT;
  bool Split;
  const Options &Opts;
  Target Machine;
  ThreadModel Threads;
  std::optional<WorkOwnership> OwnWork;

  mutable llvm::DenseMap<const llvm::PHINode *, bool> Selects;
  llvm::SmallVector<Replay, 2> Replays;
  llvm::SmallVector<Choice, 2> Choices;
  llvm::SmallVector<Refusal, 2> Refusals;
  ThreadOwnership Ownership, OwnershipOfAtomics;
  bool Owned = false;
  /// Parameters that all threads are called with alike.
  llvm::BitVector Uniform;
  llvm::DenseMap<const llvm::AtomicRMWInst *, AtomicPlace> AtomicPlaces;
  mutable std::optional<llvm::PostDominatorTree> PostDominators;
  mutable std::optional<bool> WaitsSomewhere;
  /// Said once of each.
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 2> RefusedGlobals;
  /// Each need and the blocks whose reverse reads it. Insertion order.
  llvm::MapVector<Need, llvm::SmallSetVector<const llvm::BasicBlock *, 2>>
      Needs;
  llvm::SetVector<Need> Keep;
  llvm::SetVector<const llvm::Loop *> Deferred;
  llvm::SmallPtrSet<const llvm::Loop *, 4> Carrying;
  llvm::SmallVector<const llvm::StoreInst *, 4> LateStores;
  bool LateReturn = false;
  llvm::SmallSetVector<const llvm::StoreInst *, 4> Unneeded;
  llvm::SmallPtrSet<const llvm::Loop *, 2> Rewinding;
  /// From a loop (null: the function) to its storage.
  llvm::DenseMap<const llvm::Loop *, Scope> Scopes;
  llvm::DenseMap<Need, std::pair<const llvm::Loop *, unsigned>> SlotIndex;
};

} // namespace retrograd

#endif
