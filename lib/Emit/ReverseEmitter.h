//===- ReverseEmitter.h - the reverse sweep ---------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each block B of the primal that can reach the return there is a block
// rev.B. It runs the rules of B's instructions backwards, takes the adjoints of
// B's phis, finds out which predecessor P the primal came from, and goes to
// rev.P over an edge block that hands the phi adjoints to P's values. Loops
// count down: the edge that leaves a loop in the primal starts its counter, the
// edge into the header stops at zero.
//
// This file walks blocks and finds values. What an instruction means is in
// lib/Rules; how a value can be had is in the plan.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_REVERSEEMITTER_H
#define RETROGRAD_EMIT_REVERSEEMITTER_H

#include "Emit/LateResults.h"
#include "Emit/PrimalEmitter.h"
#include "Rules/Rules.h"

#include <map>

namespace llvm {
class SCEV;
} // namespace llvm

namespace retrograd {

class ReverseEmitter final : public RuleContext {
public:
  /// Joint: `D` is the function that Primal emitted into. Split: the declared
  /// sweep.
  ReverseEmitter(const DerivativePlan &Plan, PrimalEmitter &Primal,
                 llvm::Function &D, EmitServices &Services);
  void run();

  llvm::IRBuilderBase &builder() override { return B; }
  const ActivityAnalysis &activity() const override { return Plan.activity(); }
  llvm::Value *primal(const llvm::Value *V) override {
    return lookup({Need::Primal, V});
  }
  llvm::Value *shadow(const llvm::Value *V) override {
    return lookup({Need::Shadow, V});
  }
  llvm::Value *tape(const llvm::CallBase &C) override {
    return lookup({Need::Tape, &C});
  }
  const Target &target() const override { return Machine; }
  Accumulation accumulation(const llvm::LoadInst &L) const override {
    return Plan.accumulation(L);
  }
  bool othersAdd(const llvm::Value *P) const override {
    return Plan.othersAdd(P);
  }
  bool addInOrder() const override { return Plan.addInOrder(); }
  llvm::Value *owned() override;
  llvm::Value *reach(const llvm::LoadInst &L) override;
  AtomicPlace atomicPlace(const llvm::AtomicRMWInst &M) const override {
    return Plan.atomicPlace(M);
  }
  llvm::Value *atomicsOwned() override;
  std::optional<SharedPlace> sharedPlace(llvm::Value *Address) override;
  bool addAtEnd(const llvm::LoadInst &L, llvm::Value *X) override;
  bool addInStep(const llvm::LoadInst &L, llvm::Value *X) override;
  Taking taking(const llvm::StoreInst &S) const override {
    return Plan.taking(S);
  }
  llvm::Value *addUp(llvm::Value *Old, llvm::Value *X) override;
  void markAdjointAccess(llvm::Instruction *I) override {
    Primal.kinds().shadow(I);
  }
  llvm::Value *take(const llvm::Value *V) override;
  void accumulate(const llvm::Value *V, llvm::Value *X) override;
  llvm::Value *partial(const Partial &P, const llvm::Instruction &I,
                       llvm::Value *Seed) override;
  llvm::Function *runtime(llvm::StringRef Name) override {
    return Services.runtime().require(Name);
  }
  llvm::Value *arena() override { return Arena; }
  llvm::Function *sweepOf(const llvm::CallBase &C) override;
  bool givesAgain(const llvm::CallBase &C) const override {
    return Plan.calleeRequest(C).ArgsAgain;
  }
  unsigned width() const override { return Plan.request().Width; }
  void selectLane(unsigned L) override { Lane = L; }
  unsigned lane() const override { return Lane; }

private:
  void checkSeeds();
  /// Runs Body with each lane as the current one.
  void forLanes(llvm::function_ref<void()> Body);
  /// Adds X to Sum in every float. Of a value whose bits hold `Floats`, X and
  /// Sum are the member at byte `At`.
  llvm::Value *add(llvm::Value *Sum, llvm::Value *X,
                   llvm::ArrayRef<TypedLeaf> Floats, uint64_t At = 0);
  llvm::AllocaInst *adjoint(const llvm::Value *V);

  llvm::Value *keptPartner(const llvm::Instruction &I, llvm::StringRef Id,
                           unsigned N);
  llvm::Value *lookup(Need N);
  llvm::Value *compute(Need N);
  llvm::Value *computeRunning(const Choice &C);
  llvm::Value *computeSettled(const RunningPivot &R,
                              const llvm::Instruction &I);
  llvm::Constant *foldShift(const llvm::Instruction &I,
                            llvm::ArrayRef<llvm::Value *> Ops) const;
  llvm::Value *computePhi(const llvm::PHINode &Phi, Need::Kind K);
  llvm::Value *computePred(const llvm::BasicBlock &Block);
  llvm::Value *computeCount(const llvm::SCEV *S);
  llvm::Value *loadSlot(const Slot &S);
  llvm::Value *iteration(const llvm::Loop *L);
  /// How often the header of L ran, at most: what its arrays are made for.
  llvm::Value *trips(const llvm::Loop *L);

  /// What a phi hands on to the values that it came from.
  struct TakenAdjoint {
    const llvm::PHINode *Phi;
    unsigned Lane;
    llvm::Value *X;
  };
  void emitReplays(const llvm::BasicBlock &Latch);
  void emitBlock(const llvm::BasicBlock &Block);
  void leaveBlock(const llvm::BasicBlock &Block);
  void askAgain(const DecidedByBranches &J, int At,
                llvm::ArrayRef<llvm::BasicBlock *> Edges);
  void emitEdge(const llvm::BasicBlock &From, const llvm::BasicBlock &To,
                llvm::ArrayRef<TakenAdjoint> Adjoints);
  /// A condition under which the reverse of the loop that From -> To leaves
  /// does nothing, where it is worth asking; else null.
  llvm::Value *idle(const llvm::BasicBlock &From, const llvm::BasicBlock &To,
                    llvm::ArrayRef<TakenAdjoint> Adjoints);
  llvm::BasicBlock *reverseOf(const llvm::BasicBlock &P);
  /// Where the edge From -> To of the primal leads in the reverse sweep.
  llvm::BasicBlock *behindEdge(const llvm::BasicBlock &From,
                               const llvm::BasicBlock &To);
  void emitStep(const llvm::Loop &L);
  void moveHere(const llvm::Loop &L);
  void bringOverStack();
  void finish();
  void setLine(const llvm::Instruction &I);

  const DerivativePlan &Plan;
  PrimalEmitter &Primal;
  llvm::Function &D;
  EmitServices &Services;
  Target Machine;
  /// See owned().
  llvm::Value *Owned = nullptr, *AtomicsOwned = nullptr;
  llvm::DenseMap<unsigned, llvm::Value *> Reaches; ///< by group
  llvm::Value *holds(const ThreadOwnership::Condition &C,
                     const llvm::Twine &Name);
  llvm::IRBuilder<> B;
  LateResults Results;
  llvm::Value *Arena = nullptr;
  llvm::Value *Frame = nullptr;
  llvm::SmallVector<llvm::Value *, 1> Seeds; ///< per lane, or none
  /// Of a split sweep that is given them again, per lane.
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<llvm::Value *, 1>>
      GivenShadows;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> GivenPrimals;
  llvm::AllocaInst *PrimalResult = nullptr;
  /// Where the reverse of the primal's entry block ends.
  llvm::BasicBlock *End = nullptr;
  /// Flags that all floating-point operations of the primal share: those of
  /// accumulation, which belongs to no operation.
  llvm::FastMathFlags CommonFlags;
  bool MarksShares = false; ///< arithmetic on adjoints is marked as such
                            ///< (Support/ShareMarks.h)
  bool Reorders =
      false; ///< what is added to one adjoint may be added in any order
  bool Contracts = false; ///< products and sums of the derivative may be fused

  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> Reversed;
  /// From the latch of a deferred loop to where an iteration of it is run.
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> Runs;
  /// A deferred loop that moveHere() has moved: its blocks, and where an
  /// iteration begins.
  struct MovedLoop {
    llvm::Instruction *Start;
    llvm::SmallVector<llvm::BasicBlock *, 0> Blocks;
  };
  llvm::SmallVector<MovedLoop, 2> MovedLoops;
  /// Per lane.
  llvm::SmallVector<llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *>, 1>
      Adjoints;
  unsigned Lane = 0; ///< the current one
  /// From a loop to its counter and, for records, the current one.
  llvm::DenseMap<const llvm::Loop *, llvm::AllocaInst *> Counters, Records;
  /// Of a loop whose reverse the lanes of a warp run in step (LoopsInStep.h).
  struct InStep {
    /// A lane's last iteration, and which of Doors it left the loop by.
    llvm::AllocaInst *Last = nullptr, *Door = nullptr;
    llvm::AllocaInst *Lanes = nullptr; ///< who is together
    llvm::SmallVector<const llvm::BasicBlock *, 2> Doors;
    llvm::BasicBlock *Begin = nullptr; ///< agrees with the others
    llvm::BasicBlock *Turn = nullptr;  ///< of each iteration
    llvm::BasicBlock *Next = nullptr;  ///< one back
    /// What an iteration adds where it ends (StepSums.cpp), and the lanes'
    /// ranks.
    llvm::MapVector<const llvm::LoadInst *, llvm::AllocaInst *> Sums;
    llvm::AllocaInst *Ranks = nullptr;
    /// Lanes that went past the loop, from Guard to After, come along.
    const llvm::BasicBlock *Guard = nullptr, *After = nullptr;
    llvm::AllocaInst *Past = nullptr; ///< I am one
  };
  llvm::DenseMap<const llvm::Loop *, InStep> Steps;
  void beginStepSums(const llvm::Loop &L, InStep &S);
  void emitStepSums(InStep &S);
  InStep *past(const llvm::BasicBlock &From, const llvm::BasicBlock &To);
  /// The iteration of a loop that carries its results: it goes up as the
  /// counter goes down.
  llvm::DenseMap<const llvm::Loop *, llvm::AllocaInst *> Upward;
  /// From what varies of an address, values and their factors, to their sum,
  /// and to who shares it, in one block of code.
  using VaryingPart = std::vector<std::pair<llvm::Value *, uint64_t>>;
  /// An address in memory of the block: a variable, what varies, and a
  /// constant.
  struct SharedAddress {
    llvm::Value *Of;
    VaryingPart Key;
    uint32_t Offset;
  };
  std::optional<SharedAddress> takeApart(llvm::Value *Address) const;
  llvm::Value *sumOf(const VaryingPart &Key);
  std::map<std::pair<llvm::BasicBlock *, VaryingPart>,
           std::pair<llvm::Value *, llvm::Value *>>
      Peers;
  /// What is added when the sweep is over (SumsAtEnd.cpp): where, and a sum;
  /// who has one at all, bit by bit.
  struct LateSum {
    const llvm::Value *Place;
    llvm::AllocaInst *Sum;
  };
  llvm::SmallVector<LateSum, 8> LateSums;
  llvm::AllocaInst *LateMask = nullptr;
  /// Adjoints of a parameter, in the block's memory until the sweep is over:
  /// the first of them. Null where there is no room.
  llvm::DenseMap<std::pair<const llvm::Argument *, llvm::Type *>,
                 llvm::GlobalVariable *>
      BlockCopies;
  llvm::GlobalVariable *blockCopy(const llvm::Argument &A, llvm::Type *T);
  void addInBlock(const llvm::Argument &A, const llvm::LoadInst &L,
                  llvm::Value *X);
  void emitBlockCopies();
  llvm::Value *atEnd(const llvm::Value *V, bool Shadow);
  void emitLateSums();
  /// Needs already met in the reverse of the current block; shadows by lane.
  llvm::DenseMap<std::pair<Need, unsigned>, llvm::Value *> Met;
};

} // namespace retrograd

#endif
