//===- SplitEmitter.h - the two halves of a derivative for users ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Around the augmented primal and the reverse sweep of one function, which take
// the arena of whoever calls them, two functions that own a tape each time:
//
//   Begin   {ptr tape, primal?, shadow of ret?} (a [, a.sh] ...)
//   Finish  {adj(a) for each Out a} (ptr tape, a.sh for each shadowed a [,
//   seed])
//
// The tape is a record of an arena of its own (rg_split_begin in
// runtime/arena.c): that arena, the augmented primal's tape, which sweep can
// read it, and where the call's own record is. What the sweep must find again
// and the caller's frame would lose is kept there: copies of structs that are
// passed or returned in memory, their shadows, and the addresses of all other
// shadows, which Finish compares with what it is given.
//
// In place. A tape that the plan knows to be small enough lies in the memory
// that the user has for it (DerivativeRequest::UserBytes), and there is no
// arena. Both halves then have the address of inPlaceBytes() bytes, aligned to
// 16, as their first parameter:
//
//   Begin   {ptr tape, primal?, shadow of ret?} (ptr memory, a [, a.sh] ...)
//   Finish  {adj(a) for each Out a} (ptr memory, a.sh for each shadowed a [,
//   seed])
//
// A shadow parameter of Finish is, where the primal's parameter is a struct in
// memory, the address that its adjoint is written to; for the memory of a
// returned struct, the address of the adjoint of the result.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_SPLITEMITTER_H
#define RETROGRAD_EMIT_SPLITEMITTER_H

#include "Bitcode/RuntimeLibrary.h"
#include "Request/DerivativeRequest.h"

namespace llvm {
class IRBuilderBase;
}

namespace retrograd {

struct SplitPair {
  llvm::Function *Begin = nullptr;
  llvm::Function *Finish = nullptr;
};

/// Request: the Augment half. Augmented, Sweep: what answers it.
SplitPair emitSplit(const DerivativeRequest &Request, llvm::Function &Augmented,
                    llvm::Function &Sweep, RuntimeLibrary &Runtime);

/// Of a half whose tape lies in place: its size. Zero where the tape is a
/// pointer.
uint64_t inPlaceBytes(const llvm::Function &Half);

/// The same for forward mode from a tape: Begin runs Recorder and keeps the
/// arguments, Finish hands them and the tangents to Replay. Request: of Replay.
///
///   Begin   {ptr tape, primal?} (a ...)
///   Finish  {primal?, tangent?} (ptr tape, a [, a.t] ...)    takes only the
///   a.t
SplitPair emitSplitForward(const DerivativeRequest &Request,
                           llvm::Function &Recorder, llvm::Function &Replay,
                           RuntimeLibrary &Runtime);

/// Releases a tape: the arena, and all that is in it.
void emitSplitEnd(llvm::IRBuilderBase &B, llvm::Value *Tape,
                  RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
