//===- Doctor.h - where a wrong derivative comes from -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `retrograd check` found a derivative that is wrong. The doctor asks the
// functions that the checked one calls the same question, each with random
// arguments of its own, innermost first: the one that is wrong while all that
// it calls is right is where the fault is. What is special about it is said
// with its line: a rule that somebody registered for it, a mark that drops a
// derivative, or an operation in it that is not differentiable.
//
// See docs/GradientDoctor.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_DOCTOR_H
#define RETROGRAD_TOOLS_DOCTOR_H

#include "Decisions.h"
#include "Invocation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace retrograd {

/// What a check of one function came to.
struct Findings {
  bool Known = true; ///< false: there was no check, for Reason
  /// Nothing is wrong, and there is something that differences cannot judge.
  bool Unsure = false;
  /// Reverse mode gives another derivative than differences.
  bool Reverse = false;
  bool Forward = false; ///< the same
  /// Reverse mode computes another value than the function.
  bool ReverseValue = false;
  bool ForwardValue = false; ///< the same
  std::string Reason;

  bool wrong() const {
    return Reverse || Forward || ReverseValue || ForwardValue;
  }
  /// One line, by which a check in another process says what it found; and
  /// back.
  std::string text() const;
  void read(llvm::StringRef Output);
};

/// A function to check or to run: one of the file by its name, or, where that
/// cannot be called as it is (a member, an instance of a template, structs by
/// value), a function that calls it.
struct Subject {
  std::string Function;
  std::string Caller; ///< text of a function `rg_caller` that calls it; empty:
                      ///< it is called by name
  bool Together = false; ///< CUDA: its threads have to do with each other
};

/// Names the function, and the line, that makes `I.Function` wrong, on stdout.
/// `Root` is what is known of it. `Examine` checks another function of the file
/// quietly. `Measure` says which decision of a function changes for inputs
/// close by.
void diagnose(const Invocation &I, const Findings &Root,
              llvm::function_ref<Findings(const Subject &)> Examine,
              llvm::function_ref<Measured(const Subject &)> Measure);

/// Is a rule registered for `I.Function` itself? Then a check of one call says
/// too little.
bool hasRule(const Invocation &I);

/// Does `I.Function`, or what it calls, compute in numbers of less than double
/// precision?
bool computesInFloat(const Invocation &I);

} // namespace retrograd

#endif
