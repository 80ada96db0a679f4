//===- PlanRemarks.h - the plan told at the user's lines --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimisation remarks of pass "retrograd" (-Rpass=retrograd, and in the record
// of -fsave-optimization-record): what is kept for the reverse sweep, where,
// how much of it and why; what is computed again; which loops are not counted.
//
//   Kept        a value on the tape, with Bytes, Per (a loop's line, or 0), Why
//               and, where there is one, Advice
//   Accumulated in a function that a team of threads runs: how the adjoint of a
//               load is added to memory, and Why
//   Recomputed  what the reverse sweep makes again
//   Loop        a loop whose storage is linked records, or unknown to its
//   callers
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_PLANREMARKS_H
#define RETROGRAD_PLAN_PLANREMARKS_H

namespace retrograd {
class DerivativePlan;
class OverwriteAnalysis;

/// Emits the remarks of a reverse plan without refusals, if anybody listens.
void remark(const DerivativePlan &Plan, const OverwriteAnalysis &Overwrite);

} // namespace retrograd

#endif
