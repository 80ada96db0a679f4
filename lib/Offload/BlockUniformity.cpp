//===- BlockUniformity.cpp - values by threads of a block -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/BlockUniformity.h"
#include "Catalogue/ThreadIdentity.h"
#include "Offload/DeviceRoutines.h"
#include "Offload/SplitPoints.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace retrograd;

namespace {
/// What LLVM's uniformity analysis has to know: which values differ between
/// threads of a block by themselves. (NVPTX's own answer is about warps, and
/// takes every call for different.)
class BlockUniformity final
    : public TargetTransformInfoImplCRTPBase<BlockUniformity> {
public:
  BlockUniformity(const DataLayout &DL, const DenseSet<const Value *> &ByExit)
      : TargetTransformInfoImplCRTPBase(DL), ByExit(ByExit) {}
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity
  getInstructionUniformity(const Value *V) const override {
    auto *Call = dyn_cast<CallInst>(V);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (isLeastOfBlock(*V) ||
        (Callee && Callee->getName().starts_with("llvm.nvvm.barrier.cta.red.")))
      return InstructionUniformity::AlwaysUniform; // one result for the whole
                                                   // block
    return differs(V) || ByExit.contains(V)
               ? InstructionUniformity::NeverUniform
               : InstructionUniformity::Default;
  }

private:
  const DenseSet<const Value *> &ByExit;
  static bool differs(const Value *V);
};

bool BlockUniformity::differs(const Value *V) {
  constexpr unsigned Generic = 0, Local = 5;
  // To LLVM a phi of one value and nothing is that value, wherever threads came
  // from. But only the threads that came along have it, and one that did not
  // may be asked for the whole block.
  if (auto *Phi = dyn_cast<PHINode>(V))
    return Phi->hasConstantOrUndefValue() &&
           any_of(Phi->incoming_values(),
                  [](const Use &U) { return isa<UndefValue>(U); });
  if (auto *Load = dyn_cast<LoadInst>(V))
    return Load->getPointerAddressSpace() == Generic ||
           Load->getPointerAddressSpace() == Local || Load->isVolatile() ||
           Load->isAtomic();
  if (isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst>(V))
    return true;
  auto *Call = dyn_cast<CallInst>(V);
  if (!Call)
    return false;
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return true;
  StringRef Name = Callee->getName();
  if (Name == DynamicSizeName)
    return false;
  if (std::optional<ThreadIdentity> Who = ThreadIdentity::of(*Call))
    return !Who->isSameInBlock();
  if (Name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return Name != "warpsize";
  // Exchanges and votes give what their operands are; who is there differs
  // between warps.
  if (Name.starts_with("llvm.nvvm.shfl.") ||
      Name.starts_with("llvm.nvvm.vote.a"))
    return false;
  if (Name.starts_with("__nv_")) // the device's mathematics, but for results
                                 // through pointers
    return any_of(Call->args(),
                  [](const Use &U) { return U->getType()->isPointerTy(); });
  return !Callee->isIntrinsic() || !Callee->doesNotAccessMemory();
}
} // namespace

/// Phis behind a loop that threads leave from different blocks, with a value
/// for each that says from where (`done = true; break;`). LLVM 22 looks only at
/// values that are made within the loop. True if one was added to Found.
static bool addChosenByExit(Function &Kernel, UniformityInfo &Info,
                            DenseSet<const Value *> &Found) {
  const DominatorTree DT(Kernel);
  const LoopInfo Loops(DT);
  bool Added = false;
  for (const Loop *L : Loops.getLoopsInPreorder()) {
    SmallVector<BasicBlock *, 4> From, To;
    L->getExitingBlocks(From);
    if (none_of(From, [&](const BasicBlock *B) {
          return Info.hasDivergentTerminator(*B);
        }))
      continue;
    L->getUniqueExitBlocks(To);
    for (const BasicBlock *Exit : To)
      for (const PHINode &Phi : Exit->phis())
        if (!Info.isDivergent(&Phi) && !Phi.hasConstantValue())
          Added |= Found.insert(&Phi).second;
  }
  return Added;
}

DenseSet<const Value *> retrograd::divergentValues(Function &Kernel, bool All) {
  DenseSet<const Value *> Divergent, ByExit;
  bool Again;
  do {
    FunctionAnalysisManager FAM;
    FAM.registerPass([&ByExit] {
      return TargetIRAnalysis([&ByExit](const Function &F) {
        return TargetTransformInfo(std::make_unique<BlockUniformity>(
            F.getParent()->getDataLayout(), ByExit));
      });
    });
    PassBuilder().registerFunctionAnalyses(FAM);
    UniformityInfo &Info = FAM.getResult<UniformityInfoAnalysis>(Kernel);
    for (Instruction &I : instructions(Kernel))
      if (All || Info.isDivergent(&I))
        Divergent.insert(&I);
    // Each time there are more, of finitely many.
    Again = !All && addChosenByExit(Kernel, Info, ByExit);
  } while (Again);
  return Divergent;
}
