//===- FormatWatch.h - which number lies where, at run time -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory may hold doubles at one time and floats at another (a pool, a union, a
// buffer of bytes), and only the running program can tell whether each number
// is read as what it was written as. Calls of runtime/formats.c beside the
// accesses of the primal sweep, or of forward mode, look after it, in memory
// where numbers of two formats may meet (ProgramFacts::watchesFormats).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_FORMATWATCH_H
#define RETROGRAD_EMIT_FORMATWATCH_H

#include "Plan/DerivativePlan.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace retrograd {
class RuntimeLibrary;

class FormatWatch {
public:
  /// VMap: the clones of the primal that Plan is of, in the derivative.
  FormatWatch(const DerivativePlan &Plan, RuntimeLibrary &Runtime,
              const llvm::ValueToValueMapTy &VMap);

  /// Before anything else is written: what looks at numbers that are read, and
  /// what ends the program where it takes one for another.
  void emitReads() const;
  /// At B, which stands behind the clone of I: what I writes.
  void emitWrites(llvm::IRBuilderBase &B, const llvm::Instruction &I) const;

private:
  llvm::Value *clone(const llvm::Value *V) const;
  llvm::CallInst *call(llvm::IRBuilderBase &B, llvm::StringRef Name,
                       llvm::ArrayRef<llvm::Value *> Args) const;
  void emitRead(const llvm::LoadInst &L) const;
  void emitStore(llvm::IRBuilderBase &B, const llvm::StoreInst &S) const;
  void tell(const NumberUse &Use, llvm::Value *Written, const llvm::Type *Read,
            const llvm::Instruction &Place) const;
  llvm::Value *notesOf(const llvm::LoadInst &L) const;

  const DerivativePlan &Plan;
  RuntimeLibrary &Runtime;
  const llvm::ValueToValueMapTy &VMap;
  const bool Looks; ///< at memory
};

/// Tells the runtime where D, the root of a request, begins, if it watches.
void beginFormatWatch(llvm::Function &D, RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
