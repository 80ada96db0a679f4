//===- Doctor.h - where a wrong derivative comes from -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `retrograd check` found a derivative that is wrong. The doctor asks the
// functions that the checked one calls the same question, each with random
// arguments of its own, innermost first: the one that is wrong while all that it
// calls is right is where the fault is. What is special about it is said with
// its line: a rule that somebody registered for it, a mark that drops its
// derivative, or an operation in it that is not differentiable.
//
// See docs/GradientDoctor.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_DOCTOR_H
#define RETROGRAD_TOOLS_DOCTOR_H

#include "CheckCommand.h"
#include "Decisions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace retrograd {

/// What a check of one function came to.
enum class Health { Right, Wrong, Unsure, Unknown };

/// Names the function, and the line, that makes `I.Function` wrong, on stdout.
/// `Examine` checks a function of the same file quietly, a device function in many threads
/// if the second argument says that they have to do with each other; the reason of Unknown
/// goes to its last argument. `Measure` says which decision of a function changes for
/// inputs close by.
void diagnose(const Invocation &I,
              llvm::function_ref<Health(const std::string &, bool, std::string &)> Examine,
              llvm::function_ref<std::optional<Decision>(const std::string &, bool)> Measure);

} // namespace retrograd

#endif
