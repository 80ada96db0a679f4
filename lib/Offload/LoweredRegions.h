//===- LoweredRegions.h - a kernel while it is lowered ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the regions of a kernel and the function that runs its blocks know in
// common: where each value that a region reads comes from (Surroundings), and
// the regions themselves. KernelRegions.cpp makes a function of each region,
// BlockEmitter the function that runs them for all threads of a block.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_LOWEREDREGIONS_H
#define RETROGRAD_OFFLOAD_LOWEREDREGIONS_H

#include "Offload/ActiveThreads.h"
#include "Offload/KernelLowering.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace retrograd {

inline constexpr unsigned SharedSpace = 3;
inline constexpr unsigned WarpSize = 32;
/// What a region returns when its thread has ended.
inline constexpr int Ended = -1;

/// Everything that a region can read, as values of one function: of the block
/// function, which has it, or of a region function, which gets it as parameters
/// in this order.
struct Surroundings {
  llvm::SmallVector<llvm::Value *, 8> Args;
  llvm::Value *Thread = nullptr; ///< i64: number in the block
  llvm::Value *Lane = nullptr; ///< i64: number in the group that runs together
  /// tid, ctaid, nctaid, ntid: x, y, z each, i32.
  llvm::Value *Tid[3] = {}, *Ctaid[3] = {}, *Nctaid[3] = {}, *Ntid[3] = {};
  llvm::SmallVector<llvm::Value *, 8> SlotAt; ///< per slot: where it is
  llvm::SmallVector<llvm::Value *, 8>
      SlotNow; ///< per slot: its value at the start, if uniform; else null
  llvm::SmallVector<llvm::Value *, 8>
      MemoryAt;                               ///< per CrossingValues::memory()
  llvm::SmallVector<llvm::Value *, 4> Shared; ///< per shared variable
  llvm::Value *Dynamic = nullptr;
  llvm::SmallVector<llvm::SmallVector<llvm::Value *, 4>, 8>
      Deposits; ///< per cut and operand; null if constant
  llvm::SmallVector<llvm::SmallVector<llvm::Value *, 2>, 8>
      Results; ///< per cut and member of the result
  llvm::Value *WaitMask = nullptr;

  /// Calls Visit on each in a fixed order.
  template <class Fn> void forEach(Fn Visit) {
    for (auto &V : Args)
      Visit(V);
    Visit(Thread), Visit(Lane);
    for (auto *Triple : {Tid, Ctaid, Nctaid, Ntid})
      for (unsigned I = 0; I != 3; ++I)
        Visit(Triple[I]);
    for (auto &V : SlotAt)
      Visit(V);
    for (auto &V : SlotNow)
      if (V)
        Visit(V);
    for (auto &V : MemoryAt)
      Visit(V);
    for (auto &V : Shared)
      Visit(V);
    Visit(Dynamic), Visit(WaitMask);
    for (auto &List : Deposits)
      for (auto &V : List)
        if (V)
          Visit(V);
    for (auto &List : Results)
      for (auto &V : List)
        if (V)
          Visit(V);
  }
};

class KernelLowering {
public:
  KernelLowering(llvm::Function &Kernel,
                 llvm::function_ref<bool(const llvm::Value *)> IsUniform,
                 ReadsThread Reads, const OffloadOptions &Options,
                 DiagnosticEngine &Diags)
      : Kernel(Kernel), M(*Kernel.getParent()), Ctx(M.getContext()),
        DL(M.getDataLayout()), Options(Options), Diags(Diags), Reads(Reads),
        IsUniform(IsUniform), Points(Kernel, IsUniform, Options.CutLoops,
                                     /*EachApart=*/Options.Interleave),
        Values(
            Kernel, Points,
            [&](const llvm::Value *V) { return sharesSlot(V, IsUniform); },
            Options.Recompute) {}

  LoweredKernel run();

private:
  llvm::Function &Kernel;
  llvm::Module &M;
  llvm::LLVMContext &Ctx;
  const llvm::DataLayout &DL;
  const OffloadOptions &Options;
  DiagnosticEngine &Diags;
  ReadsThread Reads;
  llvm::function_ref<bool(const llvm::Value *)> IsUniform;
  SplitPoints Points;
  CrossingValues Values;

  llvm::SmallVector<llvm::GlobalVariable *, 4> SharedVars;
  llvm::GlobalVariable *DynamicVar = nullptr;
  llvm::SmallVector<llvm::Function *, 8> Regions;
  llvm::SmallVector<llvm::BitVector, 8> Next;
  llvm::SmallVector<llvm::MDNode *, 8> AccessGroups;
  /// Per region, where some threads have nothing to do there or blocks at edges
  /// differ: who, the region of those who have, and the region away from the
  /// edges.
  struct ActiveRegion {
    std::unique_ptr<ActiveThreads> Who;
    llvm::Function *Limited = nullptr, *Within = nullptr;
  };
  llvm::SmallVector<ActiveRegion, 8> Active;
  /// Threads end at guards of the first region only: its bounds are those of
  /// all regions, and nobody has to keep book of who has ended.
  bool LimitsAll = false;
  LoweredKernel Result;

  bool usesMachine() const {
    return Options.Interleave || Points.hasWarpOperations() ||
           Points.agreement() == Agreement::Divergent;
  }
  /// What lanes leave for an operation of a warp is read before another warp
  /// runs, unless warps take turns.
  bool leavesPerLane(bool OfWarp) const {
    return OfWarp && !Options.Interleave;
  }
  /// Threads that are not together cannot share a value that a loop changes.
  bool sharesSlot(const llvm::Value *V,
                  llvm::function_ref<bool(const llvm::Value *)> IsUniform) {
    auto *I = llvm::dyn_cast<llvm::Instruction>(V);
    return IsUniform(V) &&
           (!usesMachine() || (I && Points.isReachedTogether(*I)));
  }

  bool isLine() const;
  void collectShared();
  /// Bytes of stack memory A, which has constant size, for one thread.
  uint64_t bytesOf(const llvm::AllocaInst &A) const {
    std::optional<llvm::TypeSize> Size = A.getAllocationSize(DL);
    return Size ? llvm::alignTo(Size->getFixedValue(), A.getAlign()) : 0;
  }
  llvm::Type *memoryType(llvm::Type *T) const {
    return T->isIntegerTy(1) ? llvm::Type::getInt8Ty(Ctx) : T;
  }
  llvm::Value *loadAs(llvm::IRBuilder<> &B, llvm::Type *T, llvm::Value *At) {
    llvm::Type *InMemory = memoryType(T);
    llvm::Value *V = B.CreateLoad(InMemory, At);
    return T == InMemory ? V : B.CreateTrunc(V, T);
  }
  llvm::StoreInst *storeAs(llvm::IRBuilder<> &B, llvm::Value *V,
                           llvm::Value *At) {
    llvm::Type *InMemory = memoryType(V->getType());
    return B.CreateStore(
        V->getType() == InMemory ? V : B.CreateZExt(V, InMemory), At);
  }
  Surroundings typesOfSurroundings(llvm::SmallVectorImpl<llvm::Type *> &Types);
  void makeRegion(unsigned K);
  void markParallel(llvm::Function &Region, unsigned K);
  void findActive(unsigned K);
  bool mayLimitAll() const;
  /// The parameters of Region for x, y, z in the block. The order of
  /// Surroundings: arguments, thread, lane, tid.
  std::array<llvm::Argument *, 3> threadIndices(llvm::Function &Region) const {
    unsigned First = Kernel.arg_size() + 2;
    return {Region.getArg(First), Region.getArg(First + 1),
            Region.getArg(First + 2)};
  }

  // The block function.
  llvm::Function *Blocks = nullptr;
  struct Frame; // values of the block function
  void makeBlocks();
  llvm::Function *helper(llvm::StringRef Name, llvm::Type *Ret,
                         llvm::ArrayRef<llvm::Type *> Params);

  uint64_t perThread(uint64_t Bytes) {
    uint64_t Offset = Result.ScratchPerThread;
    Result.ScratchPerThread += Bytes;
    return Offset;
  }
  friend struct BlockEmitter;
  friend struct RegionBuilder;
};

} // namespace retrograd

#endif
