//===- VectorColumns.h - loops down columns, by the row ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over columns, with loops in it that go down each column:
//
//   for j: for k: d[i][k] += b[k][j] * v[j], c[k][j] += a[i][k] * v[j]
//
// LLVM vectorises innermost loops, and this one moves by a row at a time. Here
// several iterations of the outer loop run at once, as the lanes of vectors:
// what lies side by side in a row is loaded together, and what is the same for
// all columns is loaded once. Products of matrices come as such loops, and so
// do their adjoints.
//
// Not handled: branches and inner loops that differ from column to column,
// places of columns that do not lie side by side, one array of which rows and
// columns are accessed at once (LU, Cholesky).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_VECTORCOLUMNS_H
#define RETROGRAD_POLISH_VECTORCOLUMNS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In a finished derivative. True if it was changed.
bool vectorColumns(llvm::Function &Derivative,
                   llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
