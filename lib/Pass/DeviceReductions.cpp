//===- DeviceReductions.cpp - atomic additions without a result -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DeviceReductions.h"
#include "Target/Target.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

constexpr const char *HasReductions = "rg.device.reductions";

void retrograd::noteReductions(Module &M) {
  if (Target(M).addsWithoutResult())
    M.getOrInsertNamedMetadata(HasReductions);
}

/// P leads to global memory: the back end, too, takes the pointers that a kernel is
/// given for such, alone or in structs.
static bool isGlobal(const Value &P, const Target &Machine) {
  if (Machine.spaceOf(P) == MemorySpace::Global)
    return true;
  auto IsGiven = [](const Value *V, bool InStruct) {
    const auto *A = dyn_cast<Argument>(V);
    return A && A->getParent()->getCallingConv() == CallingConv::PTX_Kernel && A->hasByValAttr() == InStruct;
  };
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(&P, Objects, nullptr, /*MaxLookup=*/0);
  return all_of(Objects, [&](const Value *O) {
    if (const auto *L = dyn_cast<LoadInst>(O))
      return IsGiven(getUnderlyingObject(L->getPointerOperand(), /*MaxLookup=*/0), true);
    return IsGiven(O, false);
  });
}

static void rewrite(AtomicRMWInst &Add, const Target &Machine) {
  LLVMContext &C = Add.getContext();
  const DataLayout &DL = Add.getDataLayout();
  IRBuilder<> B(&Add);
  Value *P = Add.getPointerOperand(), *X = Add.getValOperand();
  APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
  Value *Base = P->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  if (Base->getType() != P->getType() || !Offset.isSignedIntN(24)) {
    Base = P;
    Offset = APInt(Offset.getBitWidth(), 0);
  }
  bool Global = isGlobal(*P, Machine);
  if (Global && Machine.spaceOf(*Base) != MemorySpace::Global)
    Base = B.CreateAddrSpaceCast(Base, PointerType::get(C, Machine.globalSpace()));
  bool IsDouble = X->getType()->isDoubleTy();
  std::string Text = std::string("red.relaxed.gpu") + (Global ? ".global" : "") +
                     (IsDouble ? ".add.f64 [$0+$2], $1;" : ".add.f32 [$0+$2], $1;");
  auto *Type = FunctionType::get(B.getVoidTy(), {Base->getType(), X->getType(), B.getInt32Ty()}, false);
  B.CreateCall(InlineAsm::get(Type, Text, IsDouble ? "l,d,n,~{memory}" : "l,f,n,~{memory}",
                              /*hasSideEffects=*/true),
               {Base, X, B.getInt32(Offset.getSExtValue())});
  Add.eraseFromParent();
}

PreservedAnalyses DeviceReductionsPass::run(Module &M, ModuleAnalysisManager &) {
  NamedMDNode *Note = M.getNamedMetadata(HasReductions);
  if (!Note)
    return PreservedAnalyses::all();
  M.eraseNamedMetadata(Note);
  const Target Machine(M);
  // The back end writes the additions of runtime/gpu/accumulate.c, which lost their scope on the
  // way, for the device, too.
  SyncScope::ID Device = M.getContext().getOrInsertSyncScopeID("device");
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Add = dyn_cast<AtomicRMWInst>(&I);
      if (!Add || Add->getOperation() != AtomicRMWInst::FAdd || !Add->use_empty() || Add->isVolatile() ||
          Add->getOrdering() != AtomicOrdering::Monotonic ||
          (Add->getSyncScopeID() != Device && Add->getSyncScopeID() != SyncScope::System))
        continue;
      Type *T = Add->getType();
      MemorySpace Space = Machine.spaceOf(*Add->getPointerOperand());
      if ((T->isFloatTy() || T->isDoubleTy()) && (Space == MemorySpace::Generic || Space == MemorySpace::Global))
        rewrite(*Add, Machine);
    }
  return PreservedAnalyses::none();
}
