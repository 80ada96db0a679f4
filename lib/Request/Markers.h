//===- Markers.h - what stands before arguments -----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Markers are global variables, known by their names, whose value is passed
// before an argument; or metadata of that text.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_MARKERS_H
#define RETROGRAD_REQUEST_MARKERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Value.h"
#include <optional>

namespace retrograd {

enum class MarkerRole {
  Const,
  Dup,
  DupNoNeed,
  DupStrided,
  DupNoNeedStrided,
  Seed,
  Out,
  Scalar,
  Vector,
  Buffer,
  Width,
  Pattern,
  PrimalReturn,
  ConstReturn,
  ActiveReturn,
  DupReturn,
  NoReturn,
  Interleave,
  ByRef,
  Tape,
  Allocated,
  KeepTape,
  NoEffect,
  NotYet
};

struct MarkerName {
  llvm::StringRef Name;
  MarkerRole Role;
};

/// All that are known; the roles are described in EntryPoints.def.
llvm::ArrayRef<MarkerName> markerNames();

/// The marker that a value stands for, or "". ByAddress is set when the value
/// is the address of the variable instead of its contents.
llvm::StringRef markerOf(const llvm::Value *V, bool *ByAddress = nullptr);
/// True for an integer load of a marker variable and for the variable itself.
bool isMarker(const llvm::Value *V);

/// The integer that an argument is known to be; C++ forwarding references pass
/// the address of a constant, or of a variable that was set once.
std::optional<uint64_t> constantOf(const llvm::Value *V);

} // namespace retrograd

#endif
