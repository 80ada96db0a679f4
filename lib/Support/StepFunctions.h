//===- StepFunctions.h - rows declare their functions -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a row of Primal/Primal.def, Parallel/Forms.def or Polish/Polish.def runs
// is one of
//
//   FUNCTION(name, F, ...)  a function of a step's own file, which takes what
//                           the names stand for and returns whether it changed
//                           F. The row declares it, so that no header has to.
//   CODE(...)               whatever can be written at the place that runs it
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_STEPFUNCTIONS_H
#define RETROGRAD_SUPPORT_STEPFUNCTIONS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {
class Catalogue;
class RuntimeLibrary;
struct Options;

// What the names in rows stand for.
#define RG_STEP_PARAMETER_F llvm::Function &
#define RG_STEP_PARAMETER_FAM llvm::FunctionAnalysisManager &
#define RG_STEP_PARAMETER_MAM llvm::ModuleAnalysisManager &
#define RG_STEP_PARAMETER_Cat const retrograd::Catalogue &
#define RG_STEP_PARAMETER_Runtime retrograd::RuntimeLibrary &
#define RG_STEP_PARAMETER_Opts const retrograd::Options &

#define RG_STEP_PARAMETERS_1(A) RG_STEP_PARAMETER_##A
#define RG_STEP_PARAMETERS_2(A, B)                                             \
  RG_STEP_PARAMETERS_1(A), RG_STEP_PARAMETERS_1(B)
#define RG_STEP_PARAMETERS_3(A, B, C)                                          \
  RG_STEP_PARAMETERS_2(A, B), RG_STEP_PARAMETERS_1(C)
#define RG_STEP_PARAMETERS_OF(A, B, C, MACRO, ...) MACRO
#define RG_STEP_PARAMETERS(...)                                                \
  RG_STEP_PARAMETERS_OF(__VA_ARGS__, RG_STEP_PARAMETERS_3,                     \
                        RG_STEP_PARAMETERS_2, RG_STEP_PARAMETERS_1, )          \
  (__VA_ARGS__)

#define RG_DECLARE_STEP_FUNCTION(NAME, ...)                                    \
  bool NAME(RG_STEP_PARAMETERS(__VA_ARGS__));
#define RG_NO_STEP_FUNCTION(...)

} // namespace retrograd

#endif
