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
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
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
  explicit BlockUniformity(const DataLayout &DL)
      : TargetTransformInfoImplCRTPBase(DL) {}
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity
  getInstructionUniformity(const Value *V) const override {
    auto *Call = dyn_cast<CallInst>(V);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (isLeastOfBlock(*V) ||
        (Callee && Callee->getName().starts_with("llvm.nvvm.barrier.cta.red.")))
      return InstructionUniformity::AlwaysUniform; // one result for the whole
                                                   // block
    return differs(V) ? InstructionUniformity::NeverUniform
                      : InstructionUniformity::Default;
  }

private:
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

DenseSet<const Value *> retrograd::divergentValues(Function &Kernel, bool All) {
  FunctionAnalysisManager FAM;
  FAM.registerPass([] {
    return TargetIRAnalysis([](const Function &F) {
      return TargetTransformInfo(
          std::make_unique<BlockUniformity>(F.getParent()->getDataLayout()));
    });
  });
  PassBuilder().registerFunctionAnalyses(FAM);
  const UniformityInfo &Info = FAM.getResult<UniformityInfoAnalysis>(Kernel);
  DenseSet<const Value *> Divergent;
  for (Instruction &I : instructions(Kernel))
    if (All || Info.isDivergent(&I))
      Divergent.insert(&I);
  return Divergent;
}
