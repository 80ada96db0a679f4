//===- SharedMemory.h - shared memory of kernels ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TARGET_SHAREDMEMORY_H
#define RETROGRAD_TARGET_SHAREDMEMORY_H

#include <cstdint>

namespace llvm {
class Function;
}

namespace retrograd {

/// Bytes of shared memory of fixed size in kernels that call D, or are D: what
/// they and all that they call name. Other kernels of the module do not count.
uint64_t sharedBytesWith(const llvm::Function &D);

} // namespace retrograd

#endif
