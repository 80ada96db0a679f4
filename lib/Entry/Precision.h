//===- Precision.h - functions in fewer bits --------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   g = __enzyme_truncate_op_func(f, 64, 32)
//     a copy of f, and of all that f calls, whose operations on double take and
//     give floats. Values stay doubles: in memory, in arguments, in results.
//   g = __enzyme_truncate_mem_func(f, 64, 32)
//     the same with floats in memory: wherever f has a double, g has a float in
//     the low half of the same eight bytes. The caller converts what it hands
//     in and takes out:
//   y = __enzyme_truncate_mem_value(x, 64, 32), x =
//   __enzyme_expand_mem_value(...)
//
// Widths are those of the machine's own types: 64 (double), 32 (float), 16
// (half), or the bits of exponent and significand for the new one (5, 10:
// half).
//
// Refused by name: what would escape the reduction, or meet the bits of another
// format.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_PRECISION_H
#define RETROGRAD_ENTRY_PRECISION_H

namespace llvm {
class Module;
} // namespace llvm

namespace retrograd {
class Catalogue;
class DiagnosticEngine;

/// Answers every call of the family. Before requests are read, since the copy
/// of a function may be what is differentiated.
void lowerPrecisionCalls(llvm::Module &M, const Catalogue &Cat,
                         DiagnosticEngine &Diags);

} // namespace retrograd

#endif
