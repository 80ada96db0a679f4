//===- LibraryNames.h - names that belong to languages' libraries ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_CATALOGUE_LIBRARYNAMES_H
#define RETROGRAD_CATALOGUE_LIBRARYNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace retrograd {

/// The library of a language, or our runtime, has the function Name: it does
/// not change variables of the program that it was not given.
bool isOfLanguageLibrary(llvm::StringRef Name);

/// The library's variable Name points to a stream that it has made itself.
bool isLibraryStream(llvm::StringRef Name);

/// Functions that launch a kernel: (kernel, grid, block, arguments, bytes,
/// stream), and (configuration, kernel, arguments).
llvm::ArrayRef<llvm::StringRef> launchesByArguments();
llvm::ArrayRef<llvm::StringRef> launchesByConfiguration();

/// A thread's share of a loop whose iterations are shared out in advance; and
/// of one that is shared out in chunks, how it begins and what asks for one.
bool isStaticShare(llvm::StringRef Name);
bool startsChunks(llvm::StringRef Name);
bool isNextChunk(llvm::StringRef Name);

} // namespace retrograd

#endif
