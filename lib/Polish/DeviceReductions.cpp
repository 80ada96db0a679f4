//===- DeviceReductions.cpp - atomic additions without a result -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/DeviceReductions.h"
#include "Polish/AdditionsOnWays.h"
#include "Polish/BlockSums.h"
#include "Polish/BlocksInTurn.h"
#include "Polish/GatherLoops.h"
#include "Polish/KnownSpaces.h"
#include "Polish/LeaveSums.h"
#include "Polish/LoadsFirst.h"
#include "Polish/ParametersInPlace.h"
#include "Polish/PolishSteps.h"
#include "Polish/SkippedSums.h"
#include "Polish/VectorAdditions.h"
#include "Target/Target.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

constexpr const char *HasReductions = "rg.device.reductions",
                     *HoldsDerivative = "rg.holds.derivative";

bool retrograd::isPlainAddition(const Instruction &I, const Target &Machine) {
  const auto *Add = dyn_cast<AtomicRMWInst>(&I);
  if (!Add || Add->getOperation() != AtomicRMWInst::FAdd || !Add->use_empty() ||
      Add->isVolatile() || Add->getOrdering() != AtomicOrdering::Monotonic)
    return false;
  // Those of runtime/gpu/accumulate.c may have lost their scope on the way.
  LLVMContext &C = I.getContext();
  if (Add->getSyncScopeID() != C.getOrInsertSyncScopeID("device") &&
      Add->getSyncScopeID() != SyncScope::System)
    return false;
  MemorySpace Space = Machine.spaceOf(*Add->getPointerOperand());
  return (Add->getType()->isFloatTy() || Add->getType()->isDoubleTy()) &&
         (Space == MemorySpace::Generic || Space == MemorySpace::Global);
}

void retrograd::noteReductions(Module &M, ArrayRef<Function *> Derived) {
  if (!Target(M).addsWithoutResult())
    return;
  M.getOrInsertNamedMetadata(HasReductions);
  for (Function *F : Derived)
    F->addFnAttr(HoldsDerivative);
}

/// V was chosen, and one of the choices is zero: the largest of a window, say,
/// of which all others get nothing.
static bool isOftenZero(const Value &V, unsigned Depth = 0) {
  constexpr unsigned Deepest = 4;
  const auto *Choice = dyn_cast<SelectInst>(&V);
  return Depth < Deepest && Choice &&
         any_of(
             ArrayRef{Choice->getTrueValue(), Choice->getFalseValue()},
             [&](const Value *Arm) {
               return match(Arm, m_AnyZeroFP()) || isOftenZero(*Arm, Depth + 1);
             });
}

static void rewrite(AtomicRMWInst &Add, const Target &Machine) {
  LLVMContext &C = Add.getContext();
  const DataLayout &DL = Add.getDataLayout();
  IRBuilder<> B(&Add);
  Value *P = Add.getPointerOperand(), *X = Add.getValOperand();
  APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
  Value *Base = P->stripAndAccumulateConstantOffsets(DL, Offset,
                                                     /*AllowNonInbounds=*/true);
  if (Base->getType() != P->getType() || !Offset.isSignedIntN(24)) {
    Base = P;
    Offset = APInt(Offset.getBitWidth(), 0);
  }
  bool Global = leadsToGlobal(*P, Machine);
  if (Global && Machine.spaceOf(*Base) != MemorySpace::Global)
    Base =
        B.CreateAddrSpaceCast(Base, PointerType::get(C, Machine.globalSpace()));
  bool IsDouble = X->getType()->isDoubleTy();
  std::string Text =
      std::string("red.relaxed.gpu") + (Global ? ".global" : "") +
      (IsDouble ? ".add.f64 [$0+$2], $1;" : ".add.f32 [$0+$2], $1;");
  // A zero is not sent to memory.
  if (isOftenZero(*X))
    Text = std::string("{\n\t.reg .pred %rgSome;\n\tsetp.neu.") +
           (IsDouble ? "f64 %rgSome, $1, 0d0000000000000000"
                     : "f32 %rgSome, $1, 0f00000000") +
           ";\n\t@%rgSome " + Text + "\n\t}";
  auto *Type = FunctionType::get(
      B.getVoidTy(), {Base->getType(), X->getType(), B.getInt32Ty()}, false);
  B.CreateCall(InlineAsm::get(Type, Text,
                              IsDouble ? "l,d,n,~{memory}" : "l,f,n,~{memory}",
                              /*hasSideEffects=*/true),
               {Base, X, B.getInt32(Offset.getSExtValue())});
  Add.eraseFromParent();
}

PreservedAnalyses DeviceReductionsPass::run(Module &M,
                                            ModuleAnalysisManager &MAM) {
  NamedMDNode *Note = M.getNamedMetadata(HasReductions);
  if (!Note)
    return PreservedAnalyses::all();
  M.eraseNamedMetadata(Note);
  const Target Machine(M);
  FunctionAnalysisManager &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  const StepRunner Steps(Opts);
  SmallVector<Function *, 8> Derived;
  for (Function &F : M) {
    if (!F.hasFnAttribute(HoldsDerivative))
      continue;
    F.removeFnAttr(HoldsDerivative);
    if (!F.isDeclaration() && !F.hasOptNone())
      Derived.push_back(&F);
    if (!F.isDeclaration() && !F.hasOptNone())
      Steps.run(step::GatherLoops, F, [&] { return gatherLoops(F, FAM); });
    Steps.run(step::ParametersInPlace, F, [&] { readParametersInPlace(F); });
    Steps.run(step::BlockSums, F, [&] { addUpOverBlocks(F); });
    Steps.run(step::LeaveSums, F,
              [&] { leaveSums(F, Machine, FAM.getResult<AAManager>(F)); });
    Steps.run(step::LoadsFirst, F,
              [&] { moveLoadsFirst(F, Machine, FAM.getResult<AAManager>(F)); });
    if (Opts.CleanUp && !F.isDeclaration() && !F.hasOptNone()) {
      Steps.run(step::SkippedSums, F,
                [&] { return answerWhereSkipped(F, FAM); });
      Steps.run(step::AdditionsOnWays, F, [&] {
        return moveAdditionsToTheirWay(F, Machine, FAM.getResult<AAManager>(F));
      });
      Steps.run(step::BlocksInTurn, F,
                [&] { return takeBlocksInTurn(F, FAM); });
    }
  }
  addToNeighbours(Derived, FAM, Opts);
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (isPlainAddition(I, Machine))
        rewrite(cast<AtomicRMWInst>(I), Machine);
  return PreservedAnalyses::none();
}
