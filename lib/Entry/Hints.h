//===- Hints.h - what the user tells about the program ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of calls that are no requests:
//
//   __enzyme_double(p, 80)   (_float, _integer, _pointer) 80 bytes at p hold
//                            doubles. Becomes rg_hint_layout(p, 80), a call
//                            that touches no memory, with !rg.layout: type
//                            analysis reads it as it reads a typed copy.
//   __enzyme_iter(n, step)   n in the function itself, n + step in its
//                            derivative, n + 2 step in the derivative of that:
//                            a series that was cut where it is accurate needs
//                            more terms for its derivative. Becomes
//                            rg_hint_iterations(n, step), whose n each clone of
//                            a primal advances.
//
// A third kind is made by Primal/Language/FormatCopies: rg_hint_formats(y, x,
// a, b) behind a copy from x, where the source has doubles (a is one), to y,
// where it has floats (b).
//
// When all derivatives are made the calls go: the first without trace, the
// second for its first operand.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_HINTS_H
#define RETROGRAD_ENTRY_HINTS_H

namespace llvm {
class Function;
class MemTransferInst;
class Module;
class Type;
} // namespace llvm

namespace retrograd {
class DiagnosticEngine;

/// Brings the user's hints into their form for analysis.
void rewriteHints(llvm::Module &M, DiagnosticEngine &Diags);
/// Notes behind Copy that it takes numbers of one type to where others are.
void hintFormats(llvm::MemTransferInst &Copy, llvm::Type &From, llvm::Type &To);
/// F is a fresh clone of a primal: one derivative more.
void advanceIterations(llvm::Function &F);
/// After the last derivative.
void removeHints(llvm::Module &M);

} // namespace retrograd

#endif
