//===- FirstRun.cpp - loops that run in both sweeps -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first run of a loop that runs again (Plan/DeferredLoops.h): a bare copy
// in the primal sweep, which leaves what each iteration starts from. Where the
// number of iterations is known in front, that is an array; otherwise the first
// run counts, and links one record per iteration to the one before.
//
//===----------------------------------------------------------------------===//

#include "Emit/PrimalEmitter.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

/// How often L runs is known when its first run is over, not sooner.
bool PrimalEmitter::countsItself(const Loop *L) const {
  return Plan.runsAgain(L) && !Plan.shape().facts(L).Exact;
}

/// L as it is in the primal stays in the primal sweep, as a copy; what is made
/// of L itself moves into the reverse sweep (ReverseEmitter::moveHere), which
/// connects the copy.
void PrimalEmitter::copyFirstRun(const Loop &L) {
  FirstRun &Run = FirstRuns[&L];
  ValueToValueMapTy Copies;
  SmallVector<BasicBlock *, 8> Blocks;
  for (const BasicBlock *Block : L.blocks()) {
    BasicBlock *Original = clone(Block);
    BasicBlock *Copy = CloneBasicBlock(Original, Copies, ".first", &D);
    Copies[Original] = Copy;
    Blocks.push_back(Copy);
  }
  remapInstructionsInBlocks(Blocks, Copies);
  for (auto [From, To] : Copies)
    Run.Copies[From] = To;
  Run.After = BasicBlock::Create(D.getContext(), "rg.after", &D);
  IRBuilder<>(Run.After).CreateUnreachable();
  cast<BasicBlock>(Run.Copies.lookup(clone(L.getLoopLatch())))
      ->getTerminator()
      ->replaceSuccessorWith(clone(L.getExitBlock()), Run.After);
}

/// What the iterations of the first run start from, one record each.
void PrimalEmitter::keepStarts(const Loop &L, FirstRun &Run) {
  const DataLayout &DL = D.getDataLayout();
  const Slot *Count = Plan.slot({Need::Count, L.getHeader()});
  Run.Linked = countsItself(&L);
  uint64_t Bytes = Run.Linked ? 8 : 0; // where the record before is
  for (const PHINode &Phi : L.getHeader()->phis())
    if (!Plan.isComputedPhi(Phi)) {
      Type *T = Phi.getType();
      Bytes =
          alignTo(Bytes, std::min<uint64_t>(16, DL.getABITypeAlign(T).value()));
      Run.Offsets[&Phi] = Bytes;
      Bytes += DL.getTypeAllocSize(T).getFixedValue();
    }
  if (Run.Offsets.empty() && !Run.Linked)
    return;
  Run.Bytes = alignTo(Bytes, 16);

  BasicBlock *Before = clone(L.getLoopPreheader());
  auto *Header = cast<BasicBlock>(Run.Copies.lookup(clone(L.getHeader())));
  auto *Latch = cast<BasicBlock>(Run.Copies.lookup(clone(L.getLoopLatch())));
  IRBuilder<> B(Header, Header->begin());
  PHINode *Iteration = B.CreatePHI(B.getInt64Ty(), 2, "rg.iter");
  Iteration->addIncoming(B.getInt64(0), Before);
  IRBuilder<> AtLatch(Latch->getTerminator());
  if (Run.Linked && Count)
    storeTo(*Count, Iteration, AtLatch);
  Iteration->addIncoming(
      AtLatch.CreateAdd(Iteration, B.getInt64(1), "rg.next", true, true),
      Latch);
  if (Run.Offsets.empty())
    return;

  IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
  Run.Base = Entry.CreateAlloca(Entry.getPtrTy(), nullptr, "rg.starts");
  Value *Record;
  if (Run.Linked) {
    PHINode *Last = B.CreatePHI(B.getPtrTy(), 2, "rg.before");
    B.SetInsertPoint(Header, Header->getFirstInsertionPt());
    B.SetCurrentDebugLocation(Header->getTerminator()->getDebugLoc());
    Record = allocate(B.getInt64(Run.Bytes), B);
    Kinds.tape(B.CreateStore(Last, Record));
    B.CreateStore(Record, Run.Base);
    Last->addIncoming(ConstantPointerNull::get(B.getPtrTy()), Before);
    Last->addIncoming(Record, Latch);
  } else {
    IRBuilder<> InFront(Before->getTerminator());
    Value *Base = allocate(
        InFront.CreateMul(Loops[&L].Trips, B.getInt64(Run.Bytes)), InFront);
    InFront.CreateStore(Base, Run.Base);
    B.SetInsertPoint(Header, Header->getFirstInsertionPt());
    Record = B.CreateInBoundsGEP(B.getInt8Ty(), Base,
                                 B.CreateMul(Iteration, B.getInt64(Run.Bytes)));
  }
  for (auto [Phi, Offset] : Run.Offsets)
    Kinds.tape(B.CreateAlignedStore(
        Run.Copies.lookup(clone(Phi)),
        B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Record, Offset),
        std::min(Align(16), DL.getABITypeAlign(Phi->getType()))));
}

DenseMap<const PHINode *, Value *>
PrimalEmitter::starts(const Loop &L, Value *Iteration, IRBuilderBase &B) {
  DenseMap<const PHINode *, Value *> Starts;
  const FirstRun &Run = FirstRuns.find(&L)->second;
  if (Run.Offsets.empty())
    return Starts;
  Value *Record = B.CreateLoad(B.getPtrTy(), Run.Base, "rg.base");
  if (!Run.Linked)
    Record = B.CreateInBoundsGEP(B.getInt8Ty(), Record,
                                 B.CreateMul(Iteration, B.getInt64(Run.Bytes)));
  for (auto [Phi, Offset] : Run.Offsets) {
    Type *T = Phi->getType();
    LoadInst *Kept = B.CreateAlignedLoad(
        T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Record, Offset),
        std::min(Align(16), D.getDataLayout().getABITypeAlign(T)));
    Kinds.tape(Kept);
    Starts[Phi] = Kept;
  }
  if (Run.Linked) {
    LoadInst *Before = B.CreateLoad(B.getPtrTy(), Record, "rg.before");
    Kinds.tape(Before);
    B.CreateStore(Before, Run.Base);
  }
  return Starts;
}

void PrimalEmitter::connectFirstRun(const Loop &L) {
  FirstRun &Run = FirstRuns.find(&L)->second;
  BasicBlock *Before = clone(L.getLoopPreheader()),
             *Header = clone(L.getHeader()), *Latch = clone(L.getLoopLatch()),
             *After = clone(L.getExitBlock());
  auto *FirstHeader = cast<BasicBlock>(Run.Copies.lookup(Header));
  auto *FirstLatch = cast<BasicBlock>(Run.Copies.lookup(Latch));
  Before->getTerminator()->replaceSuccessorWith(Header, FirstHeader);
  FirstLatch->getTerminator()->replaceSuccessorWith(Run.After, After);
  Run.After->eraseFromParent();
  for (PHINode &Phi : After->phis()) {
    int From = Phi.getBasicBlockIndex(Latch);
    Phi.setIncomingBlock(From, FirstLatch);
    if (Value *Copy = Run.Copies.lookup(Phi.getIncomingValue(From)))
      Phi.setIncomingValue(From, Copy);
  }
}
