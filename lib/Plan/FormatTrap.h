//===- FormatTrap.h - where the program ends, if it gets there --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of one format are taken for numbers of another (FormatLegality), on a
// way that the program need not go.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_FORMATTRAP_H
#define RETROGRAD_PLAN_FORMATTRAP_H

#include "Analysis/NumberUses.h"

namespace retrograd {

struct FormatTrap {
  NumberUse Use;
  const llvm::Instruction *Taker; ///< for the message
  const llvm::Type *From, *To;
};

} // namespace retrograd

#endif
