//===- EntryFamilies.h - calls that ask for no derivative -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the __enzyme_* family that tell something about the program, or
// stand for a value. Each is replaced before requests are decoded, by the part
// of lib/Entry or lib/Guard that it is named with.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_ENTRYFAMILIES_H
#define RETROGRAD_REQUEST_ENTRYFAMILIES_H

#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace retrograd {

/// PrepareEntryCalls: asks for the size of a tape in memory of the user's,
/// which is always TapeHandleBytes.
bool isTapeSizeCall(const llvm::CallBase &Call);

/// PrepareEntryCalls: an entry point whose calls are replaced by their
/// argument.
bool isItsArgument(const llvm::Function &F);

/// InactiveValues.
enum class InactiveCall : uint8_t { None, CallInactive, IgnoreDerivatives };
InactiveCall inactiveCallOf(const llvm::CallBase &Call);

/// Precision: what a call of the reduced-precision family asks for.
enum class PrecisionCall : uint8_t {
  None,
  MemoryOf,
  OperationsOf,
  TruncateValue,
  ExpandValue
};
PrecisionCall precisionCallOf(const llvm::CallBase &Call);

/// SparseViews: a call that makes memory of a pair of functions
/// (docs/SparseViews.md).
bool makesView(const llvm::CallBase &Call);
/// One number of several.
enum class FoldCall : uint8_t { None, Sum, Product };
FoldCall foldCallOf(const llvm::CallBase &Call);

/// Hints: what a call tells about the program around it, without being a
/// request.
struct Hint {
  enum Kind : uint8_t { Layout, Iterations } What = Layout;
  llvm::StringRef Members; ///< Layout: as in !rg.layout
  uint64_t Size = 0;       ///< Layout: of one element, in bytes
};
/// None for calls that are none.
std::optional<Hint> hintOf(const llvm::CallBase &Call);

} // namespace retrograd

#endif
