//===- Forms.h - parallel runtimes in primals -------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A form says what becomes of the calls of one parallel runtime in a primal.
// Preparation knows the forms by this file alone: rows of Forms.def, which it
// runs over fresh clones, and ParallelForms, which holds what forms keep of a
// module between clones. docs/AddARuntime.md adds one.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_FORMS_H
#define RETROGRAD_PARALLEL_FORMS_H

#include "Parallel/OpenMPForm.h"
#include "Parallel/OrderAtomics.h"
#include "Parallel/ThreadForm.h"
#include "Support/StepFunctions.h"

namespace retrograd {

struct ParallelForms {
  ParallelForms(llvm::Module &M, bool InOrder);

  OpenMPForm Regions;
  OrderAtomics Atomics;
  ThreadForm Threads;

  void takeLaunches(llvm::Function &Clone);
  /// In a clone some of whose calls may have become direct. Original may be
  /// null.
  void resolve(llvm::Function &Clone, const llvm::Function *Original);
  /// All derivatives are made.
  void finish();

private:
  /// Asked of the module once: each clone would have to look at all functions.
  const bool Launches;
};

// The functions of rows.
#define FUNCTION RG_DECLARE_STEP_FUNCTION
#define CODE RG_NO_STEP_FUNCTION
#define PARALLEL_FORM(ID, NAME, DEMAND, RUN, WHY) RUN
#include "Parallel/Forms.def"
#undef FUNCTION
#undef CODE

} // namespace retrograd

#endif
