//===- BlocksApart.cpp - blocks whose threads go different ways -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread has a program counter. A scheduler picks the region that the most
// backward threads wait for; while all lanes of a warp are together and can
// only go to one place, it is left out.
//
//===----------------------------------------------------------------------===//

#include "Offload/BlockEmitter.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace retrograd;

/// What the program counter says when region K returned Next.
Value *BlockEmitter::encoded(unsigned K, Value *Next) {
  bool SomeBlock = false, SomeNot = false;
  for (unsigned J : L.Next[K].set_bits())
    if (J != L.Points.exitBit())
      (splits()[J].Kind == SplitKind::BlockBarrier ? SomeBlock : SomeNot) =
          true;
  if (!SomeBlock)
    return Next;
  Value *Waits = B.CreateICmpNE(Next, B.getInt32(Ended));
  if (SomeNot) {
    Waits = B.getFalse();
    for (unsigned J : L.Next[K].set_bits())
      if (J != L.Points.exitBit() &&
          splits()[J].Kind == SplitKind::BlockBarrier)
        Waits = B.CreateOr(Waits, B.CreateICmpEQ(Next, B.getInt32(J)));
  }
  return B.CreateSelect(Waits, B.CreateOr(Next, Blocked), Next);
}

void BlockEmitter::lanes(unsigned K, bool Guarded, bool StoreCounters,
                         BasicBlock *After) {
  BasicBlock *From = B.GetInsertBlock(), *Head = block("lane"),
             *Latch = block("lane.latch");
  Value *Order = L.Options.Interleave
                     ? call("rg_cuda_order_lanes", Ptr, {GroupSize})
                     : nullptr;
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *Position = B.CreatePHI(I32, 2, "lane");
  Position->addIncoming(B.getInt32(0), From);
  Value *Lane = Position;
  if (Order)
    Lane = B.CreateLoad(I32, B.CreateGEP(I32, Order, Position));
  S.Lane = B.CreateZExt(Lane, I64);
  Value *Thread =
      B.CreateAdd(B.CreateTrunc(Base, I32), Lane, "thread", true, true);
  S.Thread = B.CreateZExt(Thread, I64);
  if (Row) {
    S.Tid[0] = Thread;
    S.Tid[1] = S.Tid[2] = B.getInt32(0);
  } else {
    Value *RowNumber = B.CreateUDiv(Thread, S.Ntid[0]);
    S.Tid[0] = B.CreateURem(Thread, S.Ntid[0]);
    S.Tid[1] = B.CreateURem(RowNumber, S.Ntid[1]);
    S.Tid[2] = B.CreateUDiv(RowNumber, S.Ntid[1]);
  }
  if (Guarded) {
    BasicBlock *Here = block("lane.here");
    B.CreateCondBr(
        B.CreateICmpEQ(B.CreateLoad(I32, counterAt(S.Thread)), B.getInt32(K)),
        Here, Latch);
    B.SetInsertPoint(Here);
  }
  CallInst *Next = callRegion(L.Regions[K]);
  if (Guarded && isLarge()) // lanes that are apart are the exception
    Next->setIsNoInline();
  if (!Guarded && StoreCounters)
    for (auto [Var, Kind] : {std::pair(LowestVar, Intrinsic::smin),
                             std::pair(HighestVar, Intrinsic::smax)})
      B.CreateStore(B.CreateBinaryIntrinsic(Kind, B.CreateLoad(I32, Var), Next),
                    Var);
  if (StoreCounters) {
    StoreInst *Store = B.CreateStore(encoded(K, Next), counterAt(S.Thread));
    if (MDNode *Group = L.AccessGroups[K])
      Store->setMetadata(LLVMContext::MD_access_group, Group);
  }
  B.CreateBr(Latch);
  B.SetInsertPoint(Latch);
  Value *More = B.CreateAdd(Position, B.getInt32(1), "", true, true);
  Position->addIncoming(More, Latch);
  Instruction *Br = B.CreateCondBr(
      B.CreateICmpULT(More, B.CreateTrunc(GroupSize, I32)), Head, After);
  SmallVector<Metadata *, 3> Facts{nullptr};
  Facts.push_back(
      MDNode::get(L.Ctx, MDString::get(L.Ctx, "llvm.loop.mustprogress")));
  if (isLarge())
    Facts.push_back(
        MDNode::get(L.Ctx, MDString::get(L.Ctx, "llvm.loop.unroll.disable")));
  describeLoop(*Br, K, Facts);
  B.SetInsertPoint(After);
}

/// Whether the threads of a block, when all are at cut K, can run its region
/// without regard to warps: lanes neither take the results of an operation of a
/// warp nor bring operands.
bool BlockEmitter::runsAsBlock(unsigned K) const {
  auto OfWarp = [&](unsigned J) {
    return J != L.Points.exitBit() &&
           splits()[J].Kind == SplitKind::WarpOperation;
  };
  return L.Points.hasWarpOperations() && !OfWarp(K) &&
         none_of(L.Next[K].set_bits(), OfWarp);
}

/// Region K where all threads of the group, or of the block, are at its start.
void BlockEmitter::emitTogether(unsigned K, bool WholeBlock) {
  SaveAndRestore Lanes(GroupSize, WholeBlock ? Threads : GroupSize);
  SaveAndRestore From(Base, WholeBlock ? B.getInt64(0) : Base);
  B.SetInsertPoint(WholeBlock ? Whole[K] : Full[K]);
  readUniform();
  if (splits()[K].Kind == SplitKind::UniformBranch &&
      L.Points.isReachedTogether(*splits()[K].Resume->getTerminator())) {
    beThread(Base);
    goOnAt(K, callRegion(K), WholeBlock, WholeBlock ? Group : Dispatch);
    return;
  }
  if (splits()[K].Kind == SplitKind::WarpOperation)
    warpOperation(K, call("rg_all_lanes", I32, {GroupSize}));
  BasicBlock *After = block("full.end." + Twine(K));
  bool Several = L.Next[K].count() > 1;
  if (Several) {
    B.CreateStore(B.getInt32(INT32_MAX), LowestVar);
    B.CreateStore(B.getInt32(INT32_MIN), HighestVar);
  }
  lanes(K, /*Guarded=*/false, /*StoreCounters=*/Several, After);
  if (!Several) {
    goOn(L.Next[K].any() ? L.Next[K].find_first() : L.Points.exitBit(),
         WholeBlock);
    return;
  }
  // Together still? Then there is nothing to schedule.
  BasicBlock *Same = block("same." + Twine(K)),
             *Apart = WholeBlock ? Group : Dispatch;
  Value *Next = B.CreateLoad(I32, LowestVar);
  B.CreateCondBr(B.CreateICmpEQ(Next, B.CreateLoad(I32, HighestVar)), Same,
                 Apart);
  B.SetInsertPoint(Same);
  goOnAt(K, Next, WholeBlock, Apart);
}

/// All threads of the group or the block go on where region K has led them,
/// Next.
void BlockEmitter::goOnAt(unsigned K, Value *Next, bool WholeBlock,
                          BasicBlock *Otherwise) {
  SwitchInst *Switch = B.CreateSwitch(Next, Otherwise, L.Next[K].count());
  for (unsigned J : L.Next[K].set_bits()) {
    bool Ends = J == L.Points.exitBit();
    BasicBlock *To = block("same." + Twine(K) + ".to");
    Switch->addCase(cast<ConstantInt>(B.getInt32(Ends ? Ended : int(J))), To);
    B.SetInsertPoint(To);
    goOn(J, WholeBlock);
  }
}

/// The lanes that the operation of a warp at cut K waits for; null where it
/// waits for none.
const Value *BlockEmitter::maskOf(unsigned K) const {
  const Split &Split = splits()[K];
  if (Split.Kind != SplitKind::WarpOperation || !Split.Deposit)
    return nullptr;
  StringRef Name = Split.Op->getCalledFunction()->getName();
  return Name.contains(".sync")
             ? Split.Deposit->getArgOperand(Name.contains(".redux.") ? 1 : 0)
             : nullptr;
}

/// All threads of the group or the block go on at cut J (or end), together.
void BlockEmitter::goOn(unsigned J, bool WholeBlock) {
  bool Ends = J == L.Points.exitBit(),
       Waits = !Ends && splits()[J].Kind == SplitKind::BlockBarrier;
  if (!Ends && !Waits && (!WholeBlock || Whole[J])) {
    if (const Value *Mask = maskOf(J); !Mask || isa<ConstantInt>(Mask)) {
      B.CreateBr(WholeBlock ? Whole[J] : Full[J]);
      return;
    }
    // Lanes in different rounds of a loop come to one place for different
    // operations.
    BasicBlock *Apart = block("apart." + Twine(J));
    B.CreateCondBr(
        B.CreateICmpNE(call("rg_alike", I32, {S.WaitMask, GroupSize}),
                       B.getInt32(0)),
        Full[J], Apart);
    B.SetInsertPoint(Apart);
    call("rg_fill", B.getVoidTy(), {counterAt(Base), B.getInt32(J), GroupSize});
    B.CreateBr(Dispatch);
    return;
  }
  int Counter = Ends ? Ended : Waits ? int(J) | Blocked : int(J);
  call("rg_fill", B.getVoidTy(),
       {counterAt(Base), B.getInt32(Counter), GroupSize});
  B.CreateBr(!WholeBlock ? GroupNext : Ends || Waits ? PhaseEnd : Group);
}

void BlockEmitter::emitPart(unsigned K) {
  B.SetInsertPoint(Part[K]);
  BasicBlock *Some = block("some." + Twine(K)),
             *After = block("some.end." + Twine(K));
  readUniform();
  Value *Here =
      call("rg_count", I64, {counterAt(Base), B.getInt32(K), GroupSize});
  B.CreateCondBr(B.CreateICmpEQ(Here, GroupSize), Full[K], Some);
  B.SetInsertPoint(Some);
  if (splits()[K].Kind == SplitKind::WarpOperation)
    warpOperation(K, call("rg_lanes_at", I32,
                          {counterAt(Base), B.getInt32(K), GroupSize}));
  lanes(K, /*Guarded=*/true, /*StoreCounters=*/true, After);
  B.CreateBr(Dispatch);
}

/// Per cut: the lanes that an operation waits for; 1 says that the lanes
/// themselves know, OfWarp that an operation of a warp waits for nobody.
void BlockEmitter::makeMasks() {
  constexpr uint64_t OfWarp = uint64_t(1) << 40; // runtime/device/order.c
  SmallVector<Constant *, 8> Table;
  for (unsigned K = 0; K != splits().size(); ++K) {
    const Value *Mask = maskOf(K);
    auto *C = dyn_cast_or_null<ConstantInt>(Mask);
    bool Alone = L.Options.Interleave &&
                 splits()[K].Kind == SplitKind::WarpOperation && !Mask;
    Table.push_back(B.getInt64(C       ? C->getZExtValue() << 1
                               : Mask  ? 1
                               : Alone ? OfWarp
                                       : 0));
  }
  auto *TableType = ArrayType::get(I64, Table.size());
  Masks = new GlobalVariable(L.M, TableType, true, GlobalValue::PrivateLinkage,
                             ConstantArray::get(TableType, Table), "rg.masks");
}

void BlockEmitter::emitMachine(BasicBlock *Start) {
  B.SetInsertPoint(Start);
  makeMasks();
  call("rg_fill", B.getVoidTy(), {Counters, B.getInt32(0), Threads});
  BasicBlock *Phase = block("phase"), *FirstOfGroup = block("group");
  Group = block("groups"), PhaseEnd = block("phase.end");
  Dispatch = block("dispatch");
  GroupNext = block("group.next");
  for (unsigned K = 0; K != splits().size(); ++K) {
    State.push_back(nullptr);
    Full.push_back(block("full." + Twine(K)));
    Part.push_back(block("part." + Twine(K)));
    Whole.push_back(runsAsBlock(K) ? block("whole." + Twine(K)) : nullptr);
  }
  B.CreateBr(Phase);
  B.SetInsertPoint(Phase);
  if (any_of(Whole, [](BasicBlock *BB) { return BB; })) {
    SwitchInst *Together =
        B.CreateSwitch(call("rg_common", I32, {Counters, Threads}), Group);
    for (unsigned K = 0; K != splits().size(); ++K)
      if (Whole[K] && (K == 0 || splits()[K].Kind == SplitKind::BlockBarrier))
        Together->addCase(cast<ConstantInt>(B.getInt32(K)), Whole[K]);
  } else
    B.CreateBr(Group);
  B.SetInsertPoint(Group);
  B.CreateBr(FirstOfGroup);
  B.SetInsertPoint(FirstOfGroup);
  PHINode *BasePhi = B.CreatePHI(I64, 2, "group.base");
  BasePhi->addIncoming(B.getInt64(0), Group);
  Base = BasePhi;
  Value *Left = B.CreateSub(Threads, Base);
  bool Warps = L.Points.hasWarpOperations();
  GroupSize = Warps
                  ? B.CreateSelect(B.CreateICmpULT(Left, B.getInt64(WarpSize)),
                                   Left, B.getInt64(WarpSize))
                  : Threads;
  B.CreateBr(Dispatch);
  B.SetInsertPoint(Dispatch);
  Value *Next =
      call("rg_schedule", I32, {counterAt(Base), GroupSize, Masks, S.WaitMask});
  SwitchInst *Switch = B.CreateSwitch(Next, GroupNext, splits().size());
  for (unsigned K = 0; K != splits().size(); ++K)
    Switch->addCase(cast<ConstantInt>(B.getInt32(K)), Part[K]);
  B.SetInsertPoint(GroupNext);
  Value *More = B.CreateAdd(Base, Warps ? B.getInt64(WarpSize) : Threads);
  BasePhi->addIncoming(More, GroupNext);
  B.CreateCondBr(B.CreateICmpULT(More, Threads), FirstOfGroup, PhaseEnd);
  emitPhaseEnd(Phase);
  for (unsigned K = 0; K != splits().size(); ++K) {
    emitPart(K);
    emitTogether(K, /*WholeBlock=*/false);
    if (Whole[K])
      emitTogether(K, /*WholeBlock=*/true);
  }
}

/// All threads of the block wait at barriers, or have ended.
void BlockEmitter::emitPhaseEnd(BasicBlock *Phase) {
  B.SetInsertPoint(PhaseEnd);
  if (L.Options.checks()) {
    SmallVector<Constant *, 8> Sites;
    for (const Split &Split : splits())
      Sites.push_back(cast<GlobalVariable>(
                          siteOf(L.M, Split.Deposit ? Split.Deposit : Split.Op))
                          ->getInitializer());
    auto *SitesType = ArrayType::get(Sites[0]->getType(), Sites.size());
    auto *SiteTable =
        new GlobalVariable(L.M, SitesType, true, GlobalValue::PrivateLinkage,
                           ConstantArray::get(SitesType, Sites), "rg.sites");
    call("rg_cuda_check_divergence", B.getVoidTy(),
         {Counters, Threads, SiteTable});
  }
  Value *Alive = call("rg_release", I64, {Counters, Threads});
  if (L.Options.checks())
    call("rg_cuda_check_barrier", B.getVoidTy(), {});
  for (unsigned K = 0; K != splits().size(); ++K)
    if (splits()[K].Kind == SplitKind::BlockBarrier &&
        !splits()[K].Op->getType()->isVoidTy())
      blockOperation(K, Counters, B.getInt32(K));
  B.CreateCondBr(B.CreateICmpNE(Alive, B.getInt64(0)), Phase, Done);
}

/// Warps take turns, a region of each at a time: in lock step, all lanes that
/// are furthest behind; else whom the order picks (runtime/cuda/Order.cpp).
void BlockEmitter::emitInterleaved(Value *Block) {
  makeMasks();
  call("rg_fill", B.getVoidTy(), {Counters, B.getInt32(0), Threads});
  // Whether a group goes on until all its lanes wait.
  Value *Stays =
      B.CreateICmpNE(call("rg_cuda_order_block", I32, {Block}), B.getInt32(0));
  BasicBlock *Phase = block("phase"), *Turn = block("turn"),
             *Someone = block("phase.turns");
  Dispatch = block("dispatch");
  GroupNext = block("group.next"), PhaseEnd = block("phase.end");
  for (unsigned K = 0; K != splits().size(); ++K)
    Part.push_back(block("part." + Twine(K)));
  B.CreateBr(Phase);
  B.SetInsertPoint(Phase);
  B.CreateBr(Turn);
  B.SetInsertPoint(Turn);
  Value *Size =
      L.Points.hasWarpOperations() ? (Value *)B.getInt64(WarpSize) : Threads;
  PHINode *At = B.CreatePHI(I64, 2, "turn");
  At->addIncoming(B.getInt64(0), Phase);
  Base = call("rg_cuda_order_group", I64, {At, Threads, Size});
  GroupSize = B.CreateBinaryIntrinsic(Intrinsic::umin, Size,
                                      B.CreateSub(Threads, Base));
  B.CreateBr(Dispatch);
  B.SetInsertPoint(Dispatch);
  SwitchInst *Switch =
      B.CreateSwitch(call("rg_order_schedule", I32,
                          {counterAt(Base), GroupSize, Masks,
                           B.CreateGEP(I32, S.WaitMask, Base), Base}),
                     GroupNext, splits().size());
  for (unsigned K = 0; K != splits().size(); ++K)
    Switch->addCase(cast<ConstantInt>(B.getInt32(K)), Part[K]);
  B.SetInsertPoint(GroupNext);
  Value *More = B.CreateAdd(At, Size);
  At->addIncoming(More, GroupNext);
  B.CreateCondBr(B.CreateICmpULT(More, Threads), Turn, Someone);
  B.SetInsertPoint(Someone);
  B.CreateCondBr(
      B.CreateICmpNE(call("rg_order_all_wait", I32, {Counters, Threads}),
                     B.getInt32(0)),
      PhaseEnd, Phase);
  emitPhaseEnd(Phase);
  for (unsigned K = 0; K != splits().size(); ++K) {
    B.SetInsertPoint(Part[K]);
    readUniform();
    if (splits()[K].Kind == SplitKind::WarpOperation)
      warpOperation(K, call("rg_lanes_at", I32,
                            {counterAt(Base), B.getInt32(K), GroupSize}));
    lanes(K, /*Guarded=*/true, /*StoreCounters=*/true,
          block("part.end." + Twine(K)));
    B.CreateCondBr(Stays, Dispatch, GroupNext);
  }
}
