//===- SpellMatrixAccesses.h - matrices column by column --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang's __builtin_matrix_column_major_load and ..._store are calls of
// intrinsics (llvm.matrix.column.major.load), which read or write a matrix that
// is part of a larger one: a column is in one piece, and the columns are a
// stride apart. LLVM lowers them behind derivatives. They become what they are
// lowered to, an access of a vector per column, which the types, the overwrite
// analysis and the operations of lib/Rules know.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SPELLMATRIXACCESSES_H
#define RETROGRAD_PRIMAL_SPELLMATRIXACCESSES_H

namespace llvm {
class Function;
}

namespace retrograd {

/// True if there was such an access.
bool spellMatrixAccesses(llvm::Function &F);

} // namespace retrograd

#endif
