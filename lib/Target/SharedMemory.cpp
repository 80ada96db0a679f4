//===- SharedMemory.cpp - shared memory of kernels ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target/SharedMemory.h"
#include "Target/Target.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

uint64_t retrograd::sharedBytesWith(const Function &D) {
  const Module &M = *D.getParent();
  SmallSetVector<const Function *, 8> Callers, Together;
  Callers.insert(&D);
  for (size_t I = 0; I != Callers.size(); ++I)
    for (const User *U : Callers[I]->users())
      if (const auto *C = dyn_cast<Instruction>(U))
        Callers.insert(C->getFunction());
  Together.insert_range(Callers);
  for (size_t I = 0; I != Together.size(); ++I)
    for (const Instruction &C : instructions(*Together[I]))
      if (const auto *Call = dyn_cast<CallBase>(&C))
        if (const Function *Callee = Call->getCalledFunction())
          Together.insert(Callee);
  uint64_t Bytes = 0;
  const Target Machine(M);
  for (const GlobalVariable &G : M.globals()) {
    if (Machine.space(G.getAddressSpace()) != MemorySpace::Shared ||
        !G.getValueType()->isSized())
      continue;
    SmallSetVector<const User *, 16> Users(G.user_begin(), G.user_end());
    for (size_t I = 0; I != Users.size(); ++I) {
      const auto *Of = dyn_cast<Instruction>(Users[I]);
      if (Of && Together.contains(Of->getFunction())) {
        Bytes += M.getDataLayout().getTypeAllocSize(G.getValueType());
        break;
      }
      if (!Of)
        Users.insert_range(Users[I]->users());
    }
  }
  return Bytes;
}
