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

class Catalogue;

/// A number, a pointer or something else that a launch hands to a kernel: a
/// parameter, a member of a struct that is passed by value, or a variable of
/// the device, which the kernel reaches by its name.
struct KernelParameter {
  enum Kind : uint8_t {
    Inert, ///< passed by value, no number
    Pointer,
    Float,
    Double,
    OtherNumber, ///< half precision, vectors of numbers
    Struct       ///< by value, in memory, as a whole
  } K = Inert;
  llvm::Type *T = nullptr;
  uint32_t Bytes = 0;
  /// The kernel's own parameter, and where in it.
  uint32_t Of = 0, Offset = 0;
  bool InStruct = false;
  /// The symbol of the variable, instead of the former.
  std::string Variable;
  /// Its name in the host's module, once it is known.
  std::string HostVariable;
  bool Reads = false, Writes = false;
  /// As of OperandMemory: D, G, U, P, or 0 where no number can be.
  char Element = 0;
  /// P: pointers are read from the memory, which lead on to more; what the
  /// kernel does there, and how many steps from here it may find the last
  /// pointer.
  bool ReadsFurther = false, WritesFurther = false;
  /// Of the numbers there: D or G where all are of that type, else 0.
  char Further = 0;
  uint8_t Steps = 0;
  static constexpr uint8_t AnySteps = 255;
  bool leads() const { return Steps != 0; }
};

struct KernelFacts {
  llvm::SmallVector<KernelParameter, 8> Parameters;
  /// Bytes of each of the kernel's own parameters.
  llvm::SmallVector<uint32_t, 8> Own;

  /// Why its launches have no derivative; empty if they have.
  std::string Refused;
};

/// Of every kernel of the device half D, by symbol. D is used up.
llvm::StringMap<KernelFacts> readKernels(llvm::Module &D, const Catalogue &Cat);

} // namespace retrograd

#endif
