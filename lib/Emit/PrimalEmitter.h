//===- PrimalEmitter.h - the primal sweep -----------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primal sweep is a clone of the prepared primal to which is added:
//
//   - iteration counters and the storage of loop scopes,
//   - the shadow of every pointer that has one,
//   - calls of augmented callees, delayed frees, shadow allocations,
//   - a store of every kept value into its slot.
//
// It leaves behind what the reverse sweep starts from: the mapping of values,
// the storage of the function scope, and the block in which the primal
// returned.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_PRIMALEMITTER_H
#define RETROGRAD_EMIT_PRIMALEMITTER_H

#include "Emit/AccessKinds.h"
#include "Emit/EmitServices.h"
#include "Emit/FunctionShell.h"
#include "Plan/DerivativePlan.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace retrograd {

/// The code of one loop in the primal sweep.
struct LoopStorage {
  llvm::PHINode *Iteration = nullptr; ///< i64, 0 in the first iteration
  llvm::Value *Last =
      nullptr; ///< behind the choice: where it was made last so far
  llvm::Value *Won = nullptr;  ///< the same of a running extremum, without ties
  llvm::Value *Base = nullptr; ///< array: storage; its first word is N
  llvm::Value *Trips =
      nullptr; ///< array, exact count: N, the bound of iterations
  llvm::AllocaInst *Nest =
      nullptr; ///< array of a nest: its storage, null before the first use
  llvm::Value *Record = nullptr; ///< records: that of this iteration
};

/// A loop that runs in both sweeps: its first run, which keeps what iterations
/// start from.
struct FirstRun {
  /// From blocks and values of the derivative to their copies in the first run.
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Copies;
  llvm::BasicBlock *After = nullptr; ///< stands for the exit until connected
  llvm::AllocaInst *Base = nullptr;  ///< holds where the records are
  /// Base is the last record, which leads to the one before; else they are an
  /// array.
  bool Linked = false;
  uint64_t Bytes = 0; ///< of one record
  llvm::MapVector<const llvm::PHINode *, uint64_t> Offsets;
};

/// Bytes in front of the arrays of a loop scope: N, padded.
constexpr uint64_t ArrayHeaderBytes = 16;

/// The address of the Element-th record of a scope that lies in an array of
/// them, at Base.
llvm::Value *recordAddress(const Scope &Of, llvm::Value *Base,
                           llvm::Value *Element, llvm::IRBuilderBase &B);

class PrimalEmitter {
public:
  PrimalEmitter(const DerivativePlan &Plan, llvm::Function &D,
                EmitServices &Services);

  /// Emits everything but the return; false if the module turned out not to be
  /// what the plan was made for (an internal error).
  bool run();

  /// Split: replaces the clone's return by that of the augmented primal. After
  /// the reverse sweep was emitted, which asks for returned().
  void returnTape();

  llvm::Value *primal(const llvm::Value *V) const;
  llvm::Value *shadow(const llvm::Value *V, unsigned Lane);
  /// Function-scope slot of a joint derivative.
  llvm::AllocaInst *frameSlot(const Slot &S) const {
    return FrameSlots.lookup(&S);
  }
  /// Of a load whose results are kept by place: where B stands, the place of
  /// what was read at Address.
  llvm::Value *placeOf(const llvm::LoadInst &L, llvm::Value *Address,
                       llvm::IRBuilderBase &B) const;
  /// Frame record of a split derivative (null if it has no slots).
  llvm::Value *frame() const { return Frame; }
  llvm::Value *arena() const { return Arena; }
  /// Around an iteration whose tape is its own: what it allocates between is
  /// released at the end.
  void beginIterationTape(llvm::IRBuilder<> &B, const llvm::Loop *L);
  void endIterationTape(llvm::IRBuilder<> &B, const llvm::Loop *L);
  /// The clone's return, still in place; null if the primal never returns.
  llvm::ReturnInst *returned() const { return Return; }
  const AccessKinds &kinds() const { return Kinds; }
  /// Loops that run in both sweeps: puts the copy of the first run where the
  /// loop was; what those header phis of L that are kept were in an iteration.
  /// Emitted once, where the reverse sweep enters iterations one by one.
  void connectFirstRun(const llvm::Loop &L);
  llvm::DenseMap<const llvm::PHINode *, llvm::Value *>
  starts(const llvm::Loop &L, llvm::Value *Iteration, llvm::IRBuilderBase &B);

private:
  bool expandBounds();
  bool callsItself() const;
  void beginTape();
  void makeFrame();
  bool countsInFront(const llvm::Loop *L) const;
  bool countsItself(const llvm::Loop *L) const;
  void makeLoopStorage();
  void copyFirstRun(const llvm::Loop &L);
  void keepStarts(const llvm::Loop &L, FirstRun &Run);
  llvm::Value *allocateArrays(const Scope &S, llvm::IRBuilderBase &B);
  void makeNests();
  /// Array scope: how many elements its arrays have, and which is this
  /// iteration's.
  llvm::Value *elements(const Scope &S, llvm::IRBuilderBase &B);
  llvm::Value *element(const Scope &S, llvm::IRBuilderBase &B);
  void storeAtExits();
  void makeShadows();
  void makeShadow(llvm::Instruction &I);
  /// Runs Body with each lane as the current one.
  void forLanes(llvm::function_ref<void()> Body);
  llvm::Value *shadow(const llvm::Value *V) { return shadow(V, Lane); }
  llvm::Value *&shadowSlot(const llvm::Value *V) { return Shadows[Lane][V]; }
  void emitStore(llvm::StoreInst &S);
  void emitCall(llvm::CallBase &C);
  void emitLife(llvm::CallBase &C);
  void emitAllocation(llvm::CallBase &C);
  void emitFree(llvm::CallBase &C);
  /// Notes that `Bytes` at the shadow `Place` are about to be overwritten by
  /// addresses of shadows (runtime/replaced.c).
  void notePlaces(llvm::IRBuilderBase &B, llvm::Value *Place,
                  llvm::Value *Bytes);
  void watch(llvm::Instruction &I);
  void watchNumbers(llvm::Instruction &I);
  void emitTapeScope(llvm::CallBase &C);
  void emitReach(llvm::CallBase &C);
  void emitTransfer(llvm::CallBase &C);
  void emitRealloc(llvm::CallBase &C);
  void emitDerivativeCall(llvm::CallBase &C);
  void emitAlloca(llvm::AllocaInst &A);
  llvm::Value *replay(llvm::Instruction &I, llvm::IRBuilderBase &B);
  void storeSlots();
  void makeOriginals();
  void makeSnapshots();
  void storeTo(const Slot &S, llvm::Value *V, llvm::IRBuilderBase &B);
  void storeShadows(const Slot &S, llvm::IRBuilderBase &B);
  llvm::Value *slotAddress(const Slot &S, llvm::IRBuilderBase &B);
  llvm::Value *allocate(llvm::Value *Bytes, llvm::IRBuilderBase &B,
                        uint64_t Align = 16);
  llvm::Instruction *clone(const llvm::Instruction *I) const {
    return llvm::cast<llvm::Instruction>(primal(I));
  }
  llvm::BasicBlock *clone(const llvm::BasicBlock *B) const;
  /// A builder placed right after the clone of I.
  void placeAfter(llvm::IRBuilderBase &B, llvm::Instruction &I);

  const DerivativePlan &Plan;
  const ActivityAnalysis &Activity;
  llvm::Function &F; ///< the prepared primal
  llvm::Function &D;
  EmitServices &Services;
  AccessKinds Kinds;
  llvm::ValueToValueMapTy VMap;
  /// From a primal value to its shadows in the primal sweep.
  LaneMaps Shadows;
  unsigned Lane = 0; ///< the current one
  /// From a differentiated call to the tape it returned.
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Tapes;
  llvm::DenseMap<const llvm::Loop *, LoopStorage> Loops;
  llvm::MapVector<const llvm::Loop *, FirstRun> FirstRuns;
  /// From a block put on an exit edge to the block that the edge leaves.
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> ExitEdges;
  llvm::DenseMap<const Slot *, llvm::AllocaInst *> FrameSlots;
  /// Kept by place: the least offset from the argument that is read, and how
  /// many bytes from there on; then, where offset 0 would be.
  struct ByPlace {
    llvm::Argument *Base;
    llvm::Value *Low, *Bytes, *Zero = nullptr;
  };
  llvm::MapVector<const llvm::LoadInst *, ByPlace> Originals;
  llvm::Value *Arena = nullptr;
  /// Per loop whose iterations have a tape of their own: where the arena's
  /// state before it is kept (GPUs).
  llvm::DenseMap<const llvm::Loop *, llvm::Value *> TapeMarks;
  llvm::Value *tapeMark(const llvm::Loop *L);
  llvm::Value *makeArenaState(llvm::IRBuilder<> &Entry, llvm::IRBuilder<> &B,
                              const llvm::Twine &Name);
  llvm::Value *Frame = nullptr;
  llvm::ReturnInst *Return = nullptr;
};

/// Shadow of a constant that has one: globals, and addresses into them.
llvm::Constant *shadowOfConstant(llvm::Constant &C, const ActivityAnalysis &A,
                                 EmitServices &S, unsigned Lane);

} // namespace retrograd

#endif
