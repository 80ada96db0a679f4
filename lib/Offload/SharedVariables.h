//===- SharedVariables.h - shared memory as variables -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of this machine runs one block at a time, so a variable in shared
// memory is one per thread of the machine. Variables that only kernels touch
// become part of the block's stack (KernelLowering.h). Those that functions
// touch, too, get one address, as thread-local variables; dynamic shared memory
// has that which the runtime tells.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_SHAREDVARIABLES_H
#define RETROGRAD_OFFLOAD_SHAREDVARIABLES_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Constant;
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace retrograd {

/// Before kernels are lowered: those of Variables that functions other than
/// Kernels touch. With Check, kernels tell the checker where they are.
void moveCommonVariables(llvm::Module &D,
                         llvm::ArrayRef<llvm::Constant *> Variables,
                         llvm::ArrayRef<llvm::Function *> Kernels, bool Check);

/// Afterwards: what is left.
void moveSharedVariables(llvm::Module &D);

} // namespace retrograd

#endif
