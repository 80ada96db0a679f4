//===- ConstantMemory.h - lost derivatives, found at run time ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is mixed where only the running program can tell whether a pointer has
// a shadow of its own. An active value that goes to memory without one and
// comes back has lost its derivative. The plan refuses what must be so; what
// may be so is watched by calls of runtime/constant.c beside the accesses of
// the primal sweep, or of forward mode. Objects that the call graph only reads,
// or only writes, need no watching.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_CONSTANTMEMORY_H
#define RETROGRAD_EMIT_CONSTANTMEMORY_H

#include "Analysis/ActivityAnalysis.h"
#include "llvm/IR/IRBuilder.h"

namespace retrograd {
class RuntimeLibrary;

/// What of an emitted function a watch needs to know.
struct WatchedValues {
  llvm::function_ref<llvm::Value *(const llvm::Value *)> Primal, Shadow;
};

/// Writes the watch of access I of the primal, if it needs one, at B, which
/// stands behind the clone of I.
void watchAccess(llvm::IRBuilderBase &B, const llvm::Instruction &I,
                 const ActivityAnalysis &A, RuntimeLibrary &Runtime,
                 WatchedValues Values);

/// "x.c:7: in 'f'", for a message of the runtime about I.
llvm::Constant *placeInUser(RuntimeLibrary &Runtime,
                            const llvm::Instruction &I);

/// Tells runtime/constant.c where D, the root of a request, begins and ends, if
/// anything in its module fills the table.
void beginWatch(llvm::Function &D, RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
