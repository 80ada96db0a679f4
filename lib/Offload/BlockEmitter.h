//===- BlockEmitter.h - writes the function that runs blocks ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a launch one after the other, in each a loop over the threads
// per region. Where all threads go the same way, regions follow each other by
// the block's own control flow (BlocksTogether.cpp); where they do not, each
// thread has a program counter, and a scheduler picks who goes on
// (BlocksApart.cpp). BlockEmitter.cpp has what both forms share.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_BLOCKEMITTER_H
#define RETROGRAD_OFFLOAD_BLOCKEMITTER_H

#include "Offload/LoweredRegions.h"

namespace retrograd {

/// Set in the program counter of a thread that waits for its whole block.
inline constexpr int Blocked = 1 << 30;

/// Writes one block function. Row: blocks have one dimension.
struct BlockEmitter {
  KernelLowering &L;
  llvm::Function *F;
  bool Row;
  llvm::IRBuilder<> B;
  llvm::Type *I32, *I64, *Ptr;
  Surroundings S;
  llvm::Value *Launch, *First, *Last, *Scratch, *Threads = nullptr,
                                                *Padded = nullptr;
  llvm::Value *Counters =
      nullptr; ///< program counters, when threads can be apart
  llvm::AllocaInst *NextVar = nullptr, *FullVar = nullptr, *AliveVar = nullptr;
  llvm::AllocaInst *LowestVar = nullptr,
                   *HighestVar = nullptr; ///< of the cuts that lanes go on at
  llvm::AllocaInst
      *FromVar[3] = {},
      *ToVar[3] = {}; ///< the threads that the kernel's first guards let pass
  llvm::SmallVector<llvm::BasicBlock *, 8> State, Full, Part, Whole;
  llvm::BasicBlock *Done = nullptr, *Dispatch = nullptr, *GroupNext = nullptr,
                   *Group = nullptr, *PhaseEnd = nullptr;
  llvm::Value *Base = nullptr, *GroupSize = nullptr;
  llvm::GlobalVariable *Masks = nullptr;
  /// Where the blocks of the call are one row of threads: the first and the
  /// last.
  llvm::Value *LineFrom = nullptr, *LineTo = nullptr;

  BlockEmitter(KernelLowering &L, llvm::Function *F, bool Row)
      : L(L), F(F), Row(Row), B(llvm::BasicBlock::Create(L.Ctx, "entry", F)),
        I32(B.getInt32Ty()), I64(B.getInt64Ty()), Ptr(B.getPtrTy()) {}

  llvm::ArrayRef<Split> splits() const { return L.Points.splits(); }
  llvm::BasicBlock *block(const llvm::Twine &Name) {
    return llvm::BasicBlock::Create(L.Ctx, Name, F);
  }
  llvm::AllocaInst *local(llvm::Type *T, const llvm::Twine &Name) {
    return new llvm::AllocaInst(T, 0, nullptr, L.DL.getPrefTypeAlign(T), Name,
                                F->getEntryBlock().begin());
  }
  llvm::Value *scratchAt(uint64_t Offset) {
    return B.CreateGEP(B.getInt8Ty(), Scratch,
                       B.CreateMul(Padded, B.getInt64(Offset)));
  }
  llvm::CallInst *call(llvm::StringRef Name, llvm::Type *Ret,
                       llvm::ArrayRef<llvm::Value *> Args) {
    llvm::SmallVector<llvm::Type *, 8> Types;
    for (llvm::Value *V : Args)
      Types.push_back(V->getType());
    llvm::CallInst *Call = B.CreateCall(L.helper(Name, Ret, Types), Args);
    if (isLarge())
      Call->setIsNoInline();
    return Call;
  }
  void atBarrier(unsigned K) {
    if (!L.Options.checks() || splits()[K].Kind != SplitKind::BlockBarrier)
      return;
    if (Counters) // 0, or ended
      call("rg_cuda_check_divergence", B.getVoidTy(),
           {Counters, Threads,
            siteOf(L.M, splits()[K].Deposit ? splits()[K].Deposit
                                            : splits()[K].Op)});
    call("rg_cuda_check_barrier", B.getVoidTy(), {});
  }

  void run();
  void prologue();
  void emitLine();
  void blockIndex(llvm::Value *Number);
  llvm::Value *callRegion(unsigned K) { return callRegion(L.Regions[K]); }
  llvm::CallInst *callRegion(llvm::Function *Region);
  void goTo(unsigned K, llvm::Value *Next);
  // Together.
  void emitState(unsigned K);
  void threadLoops(llvm::Function *Region, unsigned K, bool Guarded,
                   llvm::BasicBlock *After,
                   const ActiveThreads::Bounds *Bounds = nullptr,
                   bool IsRare = false);
  bool maySpread() const;
  void spreadThreads(llvm::Function *Region,
                     llvm::ArrayRef<llvm::Value *> First,
                     llvm::ArrayRef<llvm::Value *> Last,
                     llvm::BasicBlock *After);
  void activeLoops(unsigned K, llvm::BasicBlock *After);
  void activeLoops(unsigned K, llvm::BasicBlock *After,
                   const ActiveThreads::Bounds &Bounds);
  void limitAll(llvm::BasicBlock *Otherwise);
  /// The threads that have not ended, along each axis, from (0) and up to (1).
  std::array<llvm::Value *, 3> limits(bool Up) {
    std::array<llvm::Value *, 3> Result;
    for (unsigned D = 0; D != 3; ++D)
      Result[D] =
          LineFrom && !D ? (Up ? LineTo : LineFrom)
          : FromVar[D]
              ? (llvm::Value *)B.CreateLoad(I32, Up ? ToVar[D] : FromVar[D])
          : Up ? S.Ntid[D]
               : B.getInt32(0);
    return Result;
  }
  /// Whether there is anybody within Bounds.
  llvm::Value *somebody(const ActiveThreads::Bounds &Bounds) {
    llvm::Value *Result = Bounds.Any ? Bounds.Any : B.getTrue();
    for (unsigned D = 0; D != 3; ++D)
      if (Bounds.From[D])
        Result =
            B.CreateAnd(Result, B.CreateICmpULT(Bounds.From[D], Bounds.To[D]));
    return Result;
  }
  ActiveThreads::Bounds boundsOf(unsigned K) {
    llvm::SmallVector<llvm::Value *, 32> Values;
    S.forEach([&](llvm::Value *&V) { Values.push_back(V); });
    return L.Active[K].Who->bounds(
        B, [&](const llvm::Argument *A) { return Values[A->getArgNo()]; },
        limits(false), limits(true));
  }
  // Apart.
  void emitMachine(llvm::BasicBlock *Start);
  void makeMasks();
  void emitPhaseEnd(llvm::BasicBlock *Phase);
  void emitInterleaved(llvm::Value *Block);
  void emitTogether(unsigned K, bool WholeBlock);
  void emitPart(unsigned K);
  void lanes(unsigned K, bool Guarded, bool StoreCounters,
             llvm::BasicBlock *After);
  const llvm::Value *maskOf(unsigned K) const;
  void goOn(unsigned J, bool WholeBlock);
  void goOnAt(unsigned K, llvm::Value *Next, bool WholeBlock,
              llvm::BasicBlock *Otherwise);
  void readUniform();
  bool runsAsBlock(unsigned K) const;
  /// Too many regions for copies of everything: compile time grows faster than
  /// they do.
  bool isLarge() const { return splits().size() > 16; }
  void warpOperation(unsigned K, llvm::Value *Active);
  void blockOperation(unsigned K, llvm::Value *Counters, llvm::Value *Wanted);
  /// Where all agree on what is asked, one thread answers.
  void beThread(llvm::Value *Number) {
    for (llvm::Value *&Index : S.Tid)
      Index = B.getInt32(0);
    S.Lane = B.getInt64(0), S.Thread = Number;
  }
  /// Facts are what is known of the loop over threads that ends with Back,
  /// behind a first operand that is left free.
  void describeLoop(llvm::Instruction &Back, unsigned K,
                    llvm::SmallVectorImpl<llvm::Metadata *> &Facts);
  llvm::Value *counterAt(llvm::Value *Thread) {
    return B.CreateGEP(I32, Counters, Thread);
  }
  llvm::Value *encoded(unsigned K, llvm::Value *Next);
  bool onlyEnds(unsigned K) const {
    return L.Next[K].count() == 1 && L.Next[K].test(L.Points.exitBit());
  }
  /// The one cut that region K leads to, or -1.
  int onlyNext(unsigned K) const {
    return L.Next[K].count() == 1 && !L.Next[K].test(L.Points.exitBit())
               ? int(L.Next[K].find_first())
               : -1;
  }
};

} // namespace retrograd

#endif
