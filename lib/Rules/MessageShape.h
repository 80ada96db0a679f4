//===- MessageShape.h - messages of MPI that are bytes ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_MESSAGESHAPE_H
#define RETROGRAD_RULES_MESSAGESHAPE_H

#include "Rules/Rules.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace retrograd {
struct OperationRecord;

/// What lies in the buffer Op of C, whose record is R: of a copy of it onto
/// itself.
TransferShape messageShape(const llvm::CallBase &C, unsigned Op,
                           const OperationRecord &R, const ProgramFacts &Facts);

/// Is it known of all bytes of the shape, of P's memory, whether they are
/// numbers? What nothing in the program reads as one, and nobody outside can
/// see, is none.
bool knowsBytes(const llvm::Value *P, const TransferShape &S,
                const ProgramFacts &Facts);

/// Why the runtime cannot be told of a shape whose bytes are known; null if it
/// can. C is the routine.
const char *refusedBytes(const llvm::CallBase &C, unsigned Op,
                         const OperationRecord &R, const TransferShape &S);

/// In front of C, which moves messages: the runtime is told what is in the
/// buffers whose datatype is bytes, or not known here. In forward mode that
/// matters to nobody, since tangents of all kinds travel alike. Runtime gives a
/// routine by name, Text a constant with some text.
void tellBytes(
    llvm::IRBuilderBase &B, const llvm::CallBase &C, const ProgramFacts &Facts,
    bool Forward,
    llvm::function_ref<llvm::FunctionCallee(llvm::StringRef)> Runtime,
    llvm::function_ref<llvm::Constant *(llvm::StringRef)> Text);

} // namespace retrograd

#endif
