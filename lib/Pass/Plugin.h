//===- Plugin.h - registration with a pass builder --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_PLUGIN_H
#define RETROGRAD_PASS_PLUGIN_H

#include <string>
#include <vector>

namespace llvm {
class PassBuilder;
}

namespace retrograd {

/// Makes the pass names known to PB and puts the pass at its place in the
/// default pipelines. A second call with the same PB does nothing.
void registerPasses(llvm::PassBuilder &PB);
/// Clang opens the door for passes (-fpass-plugin=) before that of its own
/// plugins. What those write down of a unit has to be there when our passes
/// look: until they call registerPasses, the first door stays shut.
void leaveToClangPlugin();
/// Device libraries that are linked into modules as bitcode: their files.
void registerLibraries(llvm::PassBuilder &PB, std::vector<std::string> Files);

} // namespace retrograd

#endif
