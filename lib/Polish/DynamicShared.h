//===- DynamicShared.h - shadows of dynamic shared memory -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   extern __shared__ double tile[];        kernel<<<grid, block, bytes>>>(...)
//
// Only the launch knows how large such memory is. So the launch of a kernel
// with a derivative gets as many parts of that size as there are shadows, and
// one for the primal's memory, which comes first; see docs/GPU.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_DYNAMICSHARED_H
#define RETROGRAD_POLISH_DYNAMICSHARED_H

#include "llvm/IR/GlobalVariable.h"

namespace llvm {
class IRBuilderBase;
class Module;
} // namespace llvm

namespace retrograd {

/// The shadow of G, a declaration in the memory of a block, for now as a
/// declaration of its own.
llvm::GlobalVariable *declareDynamicShadow(llvm::GlobalVariable &G,
                                           const llvm::Twine &Name);

bool isDynamicShadow(const llvm::GlobalVariable &G);

/// How many bytes such a shadow has, as an i64.
llvm::Value *dynamicSharedBytes(llvm::IRBuilderBase &B);

/// Gives shadows that were declared, and what asks for their size, their
/// meaning, once no further derivative is made. Kernels that need larger
/// launches say so (Support/Kernels.h).
void placeDynamicShadows(llvm::Module &M);

} // namespace retrograd

#endif
