//===- Transfer.h - memcpy and its kin, in one form --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_TRANSFER_H
#define RETROGRAD_RULES_TRANSFER_H

#include "llvm/IR/InstrTypes.h"

namespace retrograd {
class Catalogue;

/// A bulk write of memory.
struct Transfer {
  const llvm::Value *Dest;
  const llvm::Value *Source; ///< null for a fill
  const llvm::Value *Length; ///< bytes
  bool IsRealloc;            ///< Dest is the result, Length the new size
};

/// Of a memory intrinsic, or a call that the catalogue handles as one.
Transfer transferOf(const llvm::CallBase &C, const Catalogue &Cat);

} // namespace retrograd

#endif
