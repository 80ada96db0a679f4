//===- StoreForwarding.h - shared memory that holds a thread's own value --===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_STOREFORWARDING_H
#define RETROGRAD_OFFLOAD_STOREFORWARDING_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Loads of shared memory that give what the same thread has stored, across
/// barriers, become the stored value; variables that nobody reads any more go.
/// How many loads and stores went.
unsigned forwardAcrossBarriers(llvm::Function &Kernel);

} // namespace retrograd

#endif
