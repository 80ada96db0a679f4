//===- SharedVariables.cpp - shared memory as variables -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/SharedVariables.h"
#include "Support/Kernels.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace retrograd;

void retrograd::moveCommonVariables(Module &D, ArrayRef<Constant *> Variables,
                                    ArrayRef<Function *> Kernels, bool Check) {
  DenseSet<GlobalVariable *> Common;
  for (Constant *C : Variables)
    for (User *U : C->users())
      if (auto *I = dyn_cast<Instruction>(U);
          I && !isDeviceKernel(*I->getFunction()) &&
          D.getDataLayout().getTypeAllocSize(
              cast<GlobalVariable>(C)->getValueType()))
        Common.insert(cast<GlobalVariable>(C));
  for (GlobalVariable *GV : Common) {
    // One address, in an address space that lowering leaves alone.
    auto *Moved = new GlobalVariable(
        D, GV->getValueType(), false, GlobalValue::InternalLinkage,
        Constant::getNullValue(GV->getValueType()), "", nullptr,
        GlobalValue::GeneralDynamicTLSModel);
    Moved->setAlignment(std::max(GV->getAlign().valueOrOne(), Align(64)));
    Moved->takeName(GV);
    for (Use &U : make_early_inc_range(GV->uses())) {
      auto *I = cast<Instruction>(U.getUser());
      IRBuilder<> B(isa<PHINode>(I)
                        ? cast<PHINode>(I)->getIncomingBlock(U)->getTerminator()
                        : I);
      U.set(B.CreateAddrSpaceCast(B.CreateThreadLocalAddress(Moved),
                                  GV->getType()));
    }
    GV->eraseFromParent();
    if (Check) // the checker tells a block's memory by its address
      for (Function *Kernel : Kernels) {
        IRBuilder<> B(&*Kernel->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        FunctionCallee Note =
            D.getOrInsertFunction("rg_cuda_check_shared", B.getVoidTy(),
                                  B.getPtrTy(), B.getInt64Ty());
        B.CreateCall(Note, {B.CreateThreadLocalAddress(Moved),
                            B.getInt64(D.getDataLayout().getTypeAllocSize(
                                Moved->getValueType()))});
      }
  }
}

void retrograd::moveSharedVariables(Module &D) {
  for (GlobalVariable &GV : make_early_inc_range(D.globals())) {
    if (GV.getAddressSpace() != 3)
      continue;
    GV.removeDeadConstantUsers();
    if (GV.use_empty()) {
      GV.eraseFromParent();
      continue;
    }
    Constant *Ends[] = {&GV};
    convertUsersOfConstantsToInstructions(Ends);
    if (GV.isDeclaration() ||
        D.getDataLayout().getTypeAllocSize(GV.getValueType()) == 0) {
      FunctionCallee Dynamic = D.getOrInsertFunction(
          "rg_dynamic_shared", PointerType::get(D.getContext(), 0));
      for (Use &U : make_early_inc_range(GV.uses())) {
        auto *I = cast<Instruction>(U.getUser());
        IRBuilder<> B(
            isa<PHINode>(I)
                ? cast<PHINode>(I)->getIncomingBlock(U)->getTerminator()
                : I);
        U.set(B.CreateAddrSpaceCast(B.CreateCall(Dynamic), GV.getType()));
      }
      GV.eraseFromParent();
    } else {
      GV.setThreadLocalMode(GlobalValue::LocalExecTLSModel);
      GV.setThreadLocalMode(GlobalValue::GeneralDynamicTLSModel);
      if (isa<UndefValue>(GV.getInitializer()))
        GV.setInitializer(Constant::getNullValue(GV.getValueType()));
    }
  }
}
