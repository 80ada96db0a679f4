//===- BitsInAddresses.h - addresses from numbers, at -O0 -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %bits = bitcast double %word to i64
//   %place = inttoptr i64 %bits to ptr
//   %x = load double, ptr %place
//
// A word that holds a number or an address by turns, as simplification spells
// it. The instruction selector that compiles without optimisation (FastISel, of
// LLVM 22 for x86-64) folds both casts into the access and takes the register
// of the number for that of an address: another register of that number. A
// freeze between the casts is no instruction, and keeps them apart.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_BITSINADDRESSES_H
#define RETROGRAD_POLISH_BITSINADDRESSES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// At the end of pipelines without optimisation, in derivatives.
class BitsInAddressesPass : public llvm::PassInfoMixin<BitsInAddressesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace retrograd

#endif
