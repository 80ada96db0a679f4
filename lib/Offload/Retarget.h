//===- Retarget.h - a device module becomes a module of this machine ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_RETARGET_H
#define RETROGRAD_OFFLOAD_RETARGET_H

namespace llvm {
class Module;
} // namespace llvm

namespace retrograd {

/// Takes address spaces off everything in M: pointers, variables, intrinsics.
/// Casts between them vanish.
void removeAddressSpaces(llvm::Module &M);

} // namespace retrograd

#endif
