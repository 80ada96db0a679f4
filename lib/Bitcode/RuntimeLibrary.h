//===- RuntimeLibrary.h - the runtime's bitcode in the user's module ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime (runtime/*.c) is carried inside the plugin as bitcode. What a
// derivative calls is linked into the user's module, with what it needs, so a
// program needs no library of ours. Every translation unit brings its own copy,
// linkonce_odr in a comdat, and the linker keeps one: one arena per thread and
// per shared object. Hidden visibility keeps the copies of two shared objects
// apart, which may come from two versions of the plugin.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_BITCODE_RUNTIMELIBRARY_H
#define RETROGRAD_BITCODE_RUNTIMELIBRARY_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Constant;
class Function;
class Module;
} // namespace llvm

namespace retrograd {

class RuntimeLibrary {
public:
  explicit RuntimeLibrary(llvm::Module &M) : M(M) {}

  /// The runtime's function `Name`, with its body in this module. Null when the
  /// runtime has no function of that name.
  llvm::Function *require(llvm::StringRef Name);

  /// The bytes of Text with a zero behind them, once in this module, for a
  /// routine that prints them. Kind is the prefix of their private name,
  /// "rg.place.".
  llvm::Constant *text(llvm::StringRef Kind, llvm::StringRef Text);

  /// Gives every runtime function that the module merely declares (because the
  /// user calls rg_tape_bytes_peak(), say) its body. Returns whether there
  /// was one.
  bool resolveDeclarations();

private:
  llvm::Module &M;
};

} // namespace retrograd

#endif
