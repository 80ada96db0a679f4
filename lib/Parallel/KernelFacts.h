//===- KernelFacts.h - what a kernel does to its parameters -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host sees of a kernel its name alone. What a launch reads, writes and
// takes memory for is read off the kernel's code, from the device half of the
// program.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_KERNELFACTS_H
#define RETROGRAD_PARALLEL_KERNELFACTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace llvm {
class Module;
class Type;
} // namespace llvm

namespace retrograd {

struct KernelParameter {
  enum Kind : uint8_t {
    Inert, ///< passed by value, no number
    Pointer,
    Float,
    Double,
    OtherNumber, ///< half precision, vectors of numbers
    Struct       ///< by value, in memory
  } K = Inert;
  uint32_t Bytes = 0;
  bool Reads = false, Writes = false;
  /// As of OperandMemory: D, G, U, or 0 where no number can be.
  char Element = 0;
};

struct KernelFacts {
  llvm::SmallVector<KernelParameter, 8> Parameters;
  /// Why its launches have no derivative; empty if they have.
  std::string Refused;
};

/// Of every kernel of the device half D, by symbol. D is used up.
llvm::StringMap<KernelFacts> readKernels(llvm::Module &D);

} // namespace retrograd

#endif
