//===- AutoDiff.h - the entry calls, as a user declares them -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything a program needs to ask for a derivative: the two entry calls and
// the markers, declared and never defined. Included only by the *Gradient.cpp
// files, so that all other code is compiled as if there were no AD at all.
//
// The tape counters belong to the runtime that the plugin links into a module
// with derivatives. They are weak here, so that a program whose derivatives
// need no runtime still links; the reports then say so.
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_AUTODIFF_H
#define PROGRAMS_AUTODIFF_H

#include <cstdint>

extern int enzyme_const, enzyme_dup, enzyme_dupnoneed;
extern int enzyme_width, enzyme_dupv, enzyme_dupnoneedv;

template <typename Result, typename... Args>
Result __enzyme_autodiff(void *F, Args... A);
template <typename Result, typename... Args>
Result __enzyme_fwddiff(void *F, Args... A);

extern "C" {
__attribute__((weak)) uint64_t rg_tape_bytes_peak(void);
__attribute__((weak)) void rg_tape_bytes_reset(void);
}

/// The peak of live tape bytes since the last reset, or -1 if there is no
/// counter in this program. Weak and not inline: each file with a derivative
/// has its copy, by which it asks the plugin for the counters, and code that
/// includes none of this can call it.
__attribute__((weak)) int64_t tapeBytesPeak() {
  return rg_tape_bytes_peak ? int64_t(rg_tape_bytes_peak()) : -1;
}
__attribute__((weak)) void tapeBytesReset() {
  if (rg_tape_bytes_reset)
    rg_tape_bytes_reset();
}

#endif
