//===- FormatCopies.h - copies from doubles to floats -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `memcpy(y, x, n * sizeof(double))` from a `const double *` to an array of
// floats: in the source, the pointers say so. In IR they do not, and the copy
// goes where the optimiser reads y from x. So each such copy gets a call behind
// it, rg_hint_formats(y, x, from, to), which the plan refuses where numbers
// flow through the copy (Plan/FormatLegality). It goes with the other hints
// (Entry/Hints.h).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_FORMATCOPIES_H
#define RETROGRAD_PRIMAL_LANGUAGE_FORMATCOPIES_H

namespace llvm {
class Function;
}

namespace retrograd {

/// F as the front end made it, with its tags.
void hintFormatCopies(llvm::Function &F);

} // namespace retrograd

#endif
