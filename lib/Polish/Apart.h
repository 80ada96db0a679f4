//===- Apart.h - pointers to one of several objects -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_APART_H
#define RETROGRAD_POLISH_APART_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class LoopInfo;
class MemoryLocation;
class Value;
} // namespace llvm

namespace retrograd {

/// Each object that P may point to is another one than all that Q may point to.
/// Alias analysis (IsNoAlias) alone gives up where each is one of several.
bool areApart(const llvm::Value *P, const llvm::Value *Q,
              const llvm::LoopInfo &LI,
              llvm::function_ref<bool(const llvm::MemoryLocation &,
                                      const llvm::MemoryLocation &)>
                  IsNoAlias);

} // namespace retrograd

#endif
