//===- ReadingRoutines.h - routines that read numbers ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Routines that write numbers of a text or of a file into memory: records of
// the class ReadingRoutine in the catalogue. They are no operations, since what
// a call writes is known by its operands alone; Primal/ReadNumbers.cpp says it
// in the code, and what is left of the call is an operation.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_CATALOGUE_READINGROUTINES_H
#define RETROGRAD_CATALOGUE_READINGROUTINES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace retrograd {

enum class ReadingKind : uint8_t {
  Format, ///< a format, and behind it the addresses of what it names
  Block,  ///< bytes, as many as the routine says afterwards
  Value   ///< one value, or nothing
};

/// Operation.td explains the fields.
struct ReadingRoutineRecord {
  llvm::StringRef Name;
  ReadingKind Kind;
  unsigned At;
  int Size;
  llvm::StringRef Counter;
  char Letter;
  llvm::StringRef Operation;
};

/// The routine that a library has under this name, or null.
const ReadingRoutineRecord *readingRoutine(llvm::StringRef Name);

/// On a call: it is the operation with this id, whatever its callee is.
inline constexpr llvm::StringLiteral IsOperation = "rg-operation";

} // namespace retrograd

#endif
