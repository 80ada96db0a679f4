//===- Kernels.cpp - names of kernels -------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Kernels.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::isDeviceKernel(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel && !F.isDeclaration();
}

std::string retrograd::kernelOfStub(StringRef Stub) {
  constexpr StringLiteral Mark("__device_stub__");
  size_t At = Stub.find(Mark);
  if (At == StringRef::npos)
    return "";
  size_t Digits = At;
  while (Digits && llvm::isDigit(Stub[Digits - 1]))
    --Digits;
  // The name of an unnamed namespace ends in a digit of its own.
  if (Stub.take_front(Digits).ends_with("_GLOBAL__N_"))
    ++Digits;
  StringRef Rest = Stub.drop_front(At + Mark.size());
  unsigned Length;
  if (Stub.slice(Digits, At).getAsInteger(10, Length))
    return (Stub.take_front(At) + Rest).str(); // extern "C"
  return (Stub.take_front(Digits) + Twine(Length - Mark.size()) + Rest).str();
}

SmallVector<Function *, 4>
retrograd::kernelsReaching(Module &M, ArrayRef<Function *> Roots) {
  SetVector<Function *> Reach(Roots.begin(), Roots.end());
  bool ByPointer = false;
  for (unsigned N = 0; N != Reach.size(); ++N)
    for (User *U : Reach[N]->users()) {
      auto *C = dyn_cast<CallBase>(U);
      if (C && C->getCalledOperand() == Reach[N])
        Reach.insert(C->getFunction());
      else
        ByPointer = true;
    }
  SmallVector<Function *, 4> Kernels;
  for (Function &F : M)
    if (isDeviceKernel(F) && (ByPointer || Reach.contains(&F)))
      Kernels.push_back(&F);
  return Kernels;
}
