//===- WatchedCalls.h - calls that later calls need to know -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle of a library tells its rules nothing where the library has no call
// that asks (the sizes of a plan, say), and programs make handles anywhere: in
// main, in a constructor. So the catalogue marks the calls that make them, and
// in all code of a module the runtime's routine, which calls the library's and
// notes what it was given, takes their place.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_WATCHEDCALLS_H
#define RETROGRAD_PASS_WATCHEDCALLS_H

namespace llvm {
class Module;
} // namespace llvm

namespace retrograd {

/// Where the routine makes a box of ours around the handle, pointers that other
/// functions of the library get go through a routine that opens boxes. To run
/// when all derivatives of the module are made.
bool unboxHandles(llvm::Module &M);

/// To run before anything of the runtime is in the module. Returns whether
/// there was such a call.
bool watchCalls(llvm::Module &M);

} // namespace retrograd

#endif
