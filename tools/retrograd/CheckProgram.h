//===- CheckProgram.h - the program that a check compiles and runs --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program includes the user's file, fills the arguments with random
// numbers, and writes one line for each derivative that it computed in three
// ways:
//
//   row <point> <argument> <float|double> <reverse> <forward> <difference>
//   <spread> <scale>
//
// `spread` is the disagreement of the differences at two steps, and of the two
// sides: what they are good for. `scale`, if it is not 0, is what a sum of such
// derivatives is made of: the row "(direction)" is that of all arguments at
// once. A line
//
//   value <point> <reverse|forward> <result|argument> <is> <should be>
//
// names a number that a derivative computes otherwise than the function itself.
// Other lines are `note <text>` for what makes a check meaningless,
// such as a function that reads past the length it was given. The program is
// compiled once for each plan; both write the same lines when all is well.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_CHECKPROGRAM_H
#define RETROGRAD_TOOLS_CHECKPROGRAM_H

#include "Signature.h"
#include <map>
#include <set>

namespace retrograd {

struct CheckSettings {
  unsigned Points = 3;
  bool Twice = false; ///< --twice: two calls, of different weight
  unsigned Grid = 1,
           Block = 4; ///< of device functions: blocks, threads of a block
  /// No derivatives, but what is decided on the way (Decisions.h).
  bool Trace = false;
  uint64_t Seed = 1;
  double Low = 0.25, High = 1.75;                          ///< range of inputs
  std::map<std::string, std::pair<double, double>> Ranges; ///< by parameter
  std::map<std::string, int64_t> Integers;                 ///< by parameter
  std::map<std::string, uint64_t> Lengths;                 ///< by parameter
  std::set<std::string> Constants; ///< parameters not to differentiate
  std::map<std::string, std::string>
      Own; ///< by parameter: the bytes that it has, instead of random numbers
};

/// The values that a check chooses where the user said nothing.
int64_t integerValue(const Parameter &P, const CheckSettings &S);
uint64_t lengthOf(const Signature &F, size_t Index, const CheckSettings &S);

/// Source of the program, in C or C++ as the user's file.
std::string checkProgram(const std::string &File, const Signature &F,
                         const CheckSettings &S);

/// Source of a program with a function `rg_gradient` that has F's parameters,
/// each followed by its shadow when it is a pointer, and returns the
/// derivative.
std::string gradientProgram(const std::string &File, const Signature &F);

} // namespace retrograd

#endif
