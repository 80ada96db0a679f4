//===- ShuffleNumbers.h - numbers that lanes exchange as integers ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_PRIMAL_DEVICE_SHUFFLENUMBERS_H
#define RETROGRAD_PRIMAL_DEVICE_SHUFFLENUMBERS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

class RuntimeLibrary;

/// Shuffles of 32-bit integers in F that hold a float, half of a double or two
/// numbers of half precision become shuffles of these numbers, which have
/// adjoints. Whether F changed.
bool shuffleNumbers(llvm::Function &F, RuntimeLibrary &Runtime);

} // namespace retrograd

#endif // RETROGRAD_PRIMAL_DEVICE_SHUFFLENUMBERS_H
