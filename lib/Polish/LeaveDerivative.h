//===- LeaveDerivative.h - exceptions on their way out ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_LEAVEDERIVATIVE_H
#define RETROGRAD_POLISH_LEAVEDERIVATIVE_H

namespace llvm {
class Function;
}

namespace retrograd {

/// For D, which the user calls and which was emitted from Primal, the clone of
/// Original: an exception that Primal returns is thrown where D returns; and
/// when one unwinds through D, the tape that D began ends.
void letExceptionsLeave(llvm::Function &D, const llvm::Function &Primal,
                        const llvm::Function &Original);

/// The latter alone.
void endTapeOnUnwinding(llvm::Function &D, const llvm::Function &Original);

} // namespace retrograd

#endif
