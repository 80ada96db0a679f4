//===- LaunchForm.h - what a launch becomes in host code --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names, operands and attributes of rg.launch.* and of its companions,
// which HostLaunches declares, LaunchRewriter calls and LaunchRecords defines.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_LAUNCHFORM_H
#define RETROGRAD_PARALLEL_LAUNCHFORM_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace retrograd {

constexpr llvm::StringLiteral LaunchPrefix = "rg.launch.";
/// Operands of a launch in front of the kernel's: the grid's and the block's
/// sizes, bytes of shared memory, stream.
constexpr unsigned LaunchPlaces = 8;

/// Of a parameter of rg.launch.*: the kernel's own parameter, where in it, and
/// the variable that it is instead.
constexpr llvm::StringLiteral LaunchOf = "rg-of";
constexpr llvm::StringLiteral LaunchOffset = "rg-offset";
constexpr llvm::StringLiteral LaunchVariable = "rg-variable";

/// What a launch overwrites is kept in front of it, and put back behind its
/// reverse: rg.keep.kernel and rg.undo.kernel, over the pointers that it takes
/// and its stream.
std::string keepName(const llvm::Function &Run);

/// In a module that captures streams: what a launch is there, the launch of
/// a graph, and a variable whose address stands for the module.
std::string capturedName(const llvm::Function &Run);
constexpr llvm::StringLiteral GraphPrefix = "rg.graph.";
constexpr llvm::StringLiteral GraphLaunch = "rg.graph.launch";
constexpr llvm::StringLiteral GraphList = "rg.graph.list";
constexpr llvm::StringLiteral GraphOwner = "rg.graph.owner";
bool capturesStreams(const llvm::Module &M);
/// Calls that are about streams and graphs, in the fresh clone of a function.
void rewriteCaptures(llvm::Function &Clone);

/// F is clang's function that launches one kernel.
bool isStub(const llvm::Function &F);

} // namespace retrograd

#endif
