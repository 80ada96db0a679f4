//===- Comparison.h - a derivative against what it should be -- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A derivative is judged on three comparisons. Reverse under the two plans, and
// reverse against forward, use the same arithmetic up to its order: they must
// agree to rounding. Against differences the bound is what differences can do
// there, which the program measured by taking them at two steps; where the two
// are far apart (a kink, or noise), differences are no judge, and the line says
// `unsure` and counts neither way.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_COMPARISON_H
#define RETROGRAD_TOOLS_COMPARISON_H

#include "CheckProgram.h"
#include "Doctor.h"
#include "Invocation.h"
#include <string>
#include <vector>

namespace retrograd {

/// A derivative as the generated program printed it.
struct Row {
  unsigned Point = 0;
  std::string Name;
  bool Single = false;
  double Reverse = 0, Naive = 0, Forward = 0, Difference = 0, Spread = 0;
  double Scale = 0; ///< what the terms of a sum are worth; 0: the row is no sum
  double Error = 0;
  enum { Ok, Unsure, Plans, Modes, Differences } Verdict = Ok;
  bool ReverseWrong = false, ForwardWrong = false; ///< as far as can be told

  bool isDirection() const { return Name == "(direction)"; }
};

/// A number that a derivative computes otherwise than the function.
struct Deviation {
  unsigned Point = 0;
  std::string Mode, Name;
  double Is = 0, Should = 0;
};

/// The numbers of a check, and what they come to.
struct Comparison {
  std::string Note; ///< why there are none (explainNote)
  std::vector<Row> Rows;
  std::vector<Deviation> Values;
  Findings Found;
  size_t Derivatives = 0, Wrong = 0, Unsure = 0, WrongDirections = 0;

  /// Gives each row its verdict, and counts.
  void judgeAll();
  /// All rows, whatever the table shows of them.
  void report(llvm::json::Object &O, const CheckSettings &S) const;
  /// The table, and what it comes to, for people.
  void report(const Invocation &I, const CheckSettings &S) const;
};

/// Makes the program, compiles and runs it under both plans; 0, or the exit
/// status.
int compare(const Invocation &I, const Signature &F, const CheckSettings &S,
            Comparison &C);

/// Says why there is nothing to compare. The exit status.
int explainNote(llvm::StringRef Note, const Invocation &I);

/// "1 point", "2 points".
std::string counted(size_t N, llvm::StringRef Thing);

} // namespace retrograd

#endif
