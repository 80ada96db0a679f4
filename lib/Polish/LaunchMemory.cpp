//===- LaunchMemory.cpp - memory that launches provide --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/LaunchMemory.h"
#include "Catalogue/LibraryNames.h"
#include "Polish/PolishSteps.h"
#include "Support/Kernels.h"
#include "Target/Target.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// Calls of F that say what is launched, by so many arguments.
static SmallVector<CallBase *, 4> launchesBy(Function *F, unsigned Arguments) {
  SmallVector<CallBase *, 4> Calls;
  if (F && F->isDeclaration())
    for (User *U : F->users())
      if (auto *C = dyn_cast<CallBase>(U);
          C && C->getCalledOperand() == F && C->arg_size() == Arguments)
        Calls.push_back(C);
  return Calls;
}

bool retrograd::growLaunches(Module &M, const Options &Opts) {
  bool Any = false;
  const bool Tapes = !StepRunner(Opts).isLeftOut(step::LaunchTape);
  LLVMContext &Context = M.getContext();
  Type *Ptr = PointerType::get(Context, 0), *I64 = Type::getInt64Ty(Context),
       *I32 = Type::getInt32Ty(Context), *Void = Type::getVoidTy(Context);
  // (kernel, grid in two words, block in two words, arguments, bytes, stream)
  for (StringRef Name : launchesByArguments())
    for (CallBase *C : launchesBy(M.getFunction(Name), 8)) {
      auto TypeOf = [&](unsigned N) { return C->getArgOperand(N)->getType(); };
      if (TypeOf(6) != I64)
        continue;
      IRBuilder<> B(C);
      auto *Bytes = dyn_cast<ConstantInt>(C->getArgOperand(6));
      if (!Bytes || !Bytes->isZero()) {
        FunctionCallee Grow =
            M.getOrInsertFunction("rg_launch_shared", I64, Ptr, I64);
        C->setArgOperand(
            6, B.CreateCall(Grow, {C->getArgOperand(0), C->getArgOperand(6)}));
        Any = true;
      }
      if (!Tapes || TypeOf(1) != I64 || TypeOf(2) != I32 || TypeOf(3) != I64 ||
          TypeOf(4) != I32)
        continue;
      B.CreateCall(M.getOrInsertFunction("rg_launch_tape", Void, Ptr, I64, I32,
                                         I64, I32, I64),
                   {C->getArgOperand(0), C->getArgOperand(1),
                    C->getArgOperand(2), C->getArgOperand(3),
                    C->getArgOperand(4), C->getArgOperand(6)});
      Any = true;
    }
  // (cudaLaunchConfig_t, kernel, arguments)
  for (StringRef Name : launchesByConfiguration())
    for (CallBase *C : launchesBy(M.getFunction(Name), 3)) {
      IRBuilder<> B(C);
      // A copy of the configuration: 56 bytes, the size of the memory behind
      // two dim3.
      FunctionCallee Grow =
          M.getOrInsertFunction("rg_launch_config", Ptr, Ptr, Ptr, Ptr);
      IRBuilder<> Entry(
          &*C->getFunction()->getEntryBlock().getFirstInsertionPt());
      AllocaInst *Copy = Entry.CreateAlloca(ArrayType::get(I64, 7), nullptr,
                                            "rg.launch.config");
      C->setArgOperand(0, B.CreateCall(Grow, {C->getArgOperand(1),
                                              C->getArgOperand(0), Copy}));
      Any = true;
    }
  return Any;
}

PreservedAnalyses LaunchTapePass::run(Module &M, ModuleAnalysisManager &) {
  Function *More = M.getFunction("rg_tape_alloc_slow");
  if (!More || More->use_empty() || !Opts.OffloadDevice.empty() ||
      !Target(M).growsSharedMemory() ||
      StepRunner(Opts).isLeftOut(step::LaunchTape))
    return PreservedAnalyses::all();
  Type *I8 = Type::getInt8Ty(M.getContext());
  SmallVector<GlobalValue *, 4> Kept;
  for (Function *F : kernelsReaching(M, More)) {
    auto *Said = new GlobalVariable(
        M, I8, /*isConstant=*/false, GlobalValue::ExternalLinkage,
        ConstantInt::get(I8, 1), TapeVariable + F->getName(), nullptr,
        GlobalValue::NotThreadLocal, 1);
    Said->setExternallyInitialized(true);
    Kept.push_back(Said);
  }
  appendToUsed(M, Kept);
  return PreservedAnalyses::none();
}
