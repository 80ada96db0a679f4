//===- TypeQuestions.h - whom to ask about types once more ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A primal is analysed with as little evidence as possible, so that its
// derivative depends on as little as possible. These questions find out of an
// analysed function whether more evidence would change what its derivative
// does.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_TYPEQUESTIONS_H
#define RETROGRAD_PLAN_TYPEQUESTIONS_H

#include "Analysis/ActivityAnalysis.h"

namespace retrograd {

/// An instruction of A's function moves what the program takes for integers to
/// where something active depends on it, and nothing declares that it is:
/// callers may know of floats there.
bool callersMayKnow(const llvm::Function &F, const ActivityAnalysis &A);

/// F copies a struct or two, without a word on their types, and of some of
/// their floats only indices tell that perhaps do not go so far.
bool isKnownByIndex(const llvm::Function &F, const ActivityAnalysis &A);

/// F moves bytes that are integers to some of its callers and floats to others
/// (or to one of them by turns). Whatever the move takes them for, the callers
/// see one object.
bool movesContested(const llvm::Function &F, const ActivityAnalysis &A);

/// Of the calls of A's function, which the user wrote, some pass integers for
/// bytes of A, and others pass floats for them.
bool isContestedArgument(const llvm::Argument &A, const TypeAnalysis &Types);

} // namespace retrograd

#endif
