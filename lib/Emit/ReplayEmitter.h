//===- ReplayEmitter.h - a tangent sweep that repeats a run -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward mode from a tape. ForwardEmitter wrote the primal and the tangents as
// one function; here it is taken apart into
//
//   recorder   the primal, which writes to a log what cannot be
//              computed again: what it reads from memory and
//              gets from calls, and where its path depends on
//              floats
//   replay     the tangents, and of the primal what they use, with those
//              values from the log; it reads and writes no memory but
//              shadows
//
// Both take the same path through the same blocks, so the log is read in the
// order in which it was written. It holds a record for each block (or part of
// one between two calls of other recorders) that is run, of what the replay
// uses.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_REPLAYEMITTER_H
#define RETROGRAD_EMIT_REPLAYEMITTER_H

#include "Emit/EmitServices.h"
#include "Emit/ForwardEmitter.h"

namespace retrograd {

/// Tangents has written D, which becomes the replay; Recorder is declared.
void emitReplay(const DerivativePlan &Plan, const ForwardEmitter &Tangents,
                llvm::Function &D, llvm::Function &Recorder,
                EmitServices &Services);

} // namespace retrograd

#endif
