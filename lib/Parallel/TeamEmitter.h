//===- TeamEmitter.h - the derivative of a fork -----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that other threads run (Support/CallBinding.h) has derivatives for
// one thread, like any function. Around each of them goes one with the same
// signature that forks and runs it on every thread of the team:
//
//   {tape} rg.fork.f.aug.team(arena, threads, args...)
//     operands = {threads, args...}
//     team = rg_team_augment(arena, threads, @each, &operands)
//     return {team}
//   each(arena of the thread, operands, &tape of the thread)
//     tape of the thread = rg.fork.f.aug(arena of the thread, *operands)
//
// So a call of a region is a call for whoever differentiates its caller. What
// the threads return in the reverse sweep, adjoints of operands that were
// passed by value, is added up behind the region (runtime/threads.c).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_TEAMEMITTER_H
#define RETROGRAD_PARALLEL_TEAMEMITTER_H

#include "Analysis/ProgramFacts.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Request/DerivativeRequest.h"

namespace retrograd {

/// The function around D, the derivative of a region's primal for one thread
/// that answers R (Augment, Sweep or Forward), with its body. Sweep belongs to
/// D if that is an Augment. InOrder: threads add to what they share in the
/// order of their numbers (-rg-deterministic). New functions are added to Made.
llvm::Function *forkDerivative(llvm::Function &D, llvm::Function *Sweep,
                               const DerivativeRequest &R,
                               const ProgramFacts &Facts,
                               RuntimeLibrary &Runtime, bool InOrder,
                               llvm::SmallVectorImpl<llvm::Function *> &Made);

} // namespace retrograd

#endif
