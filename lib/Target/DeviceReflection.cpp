//===- DeviceReflection.cpp - what libdevice asks about a compilation -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target/DeviceReflection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

void retrograd::answerReflection(Function &F) {
  int64_t Arch = 0, Ftz = 0;
  StringRef Cpu = F.getFnAttribute("target-cpu").getValueAsString();
  if (Cpu.consume_front("sm_"))
    Cpu.take_while(isDigit).getAsInteger(10, Arch);
  if (auto *Flag = mdconst::extract_or_null<ConstantInt>(
          F.getParent()->getModuleFlag("nvvm-reflect-ftz")))
    Ftz = Flag->getSExtValue();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee->getName() != "__nvvm_reflect" ||
        Call->arg_size() != 1)
      continue;
    auto *G =
        dyn_cast<GlobalVariable>(Call->getArgOperand(0)->stripPointerCasts());
    auto *Text = G && G->hasInitializer()
                     ? dyn_cast<ConstantDataSequential>(G->getInitializer())
                     : nullptr;
    if (!Text || !Text->isCString())
      continue;
    int64_t Answer = Text->getAsCString() == "__CUDA_ARCH"  ? Arch * 10
                     : Text->getAsCString() == "__CUDA_FTZ" ? Ftz
                                                            : -1;
    if (Answer < 0 || (Text->getAsCString() == "__CUDA_ARCH" && !Arch))
      continue;
    Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), Answer));
    Call->eraseFromParent();
  }
}
