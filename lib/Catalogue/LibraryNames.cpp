//===- LibraryNames.cpp - names that belong to languages' libraries -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalogue/LibraryNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

bool retrograd::isOfLanguageLibrary(StringRef Name) {
  static constexpr StringRef Prefixes[] = {"_ZSt",   "_ZNSt",    "_ZNKSt",
                                           "__cxa_", "_Unwind_", "_Fortran",
                                           "rg.",    "rg_"};
  return any_of(Prefixes,
                [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

bool retrograd::isLibraryStream(StringRef Name) {
  return Name == "stdin" || Name == "stdout" || Name == "stderr";
}

ArrayRef<StringRef> retrograd::launchesByArguments() {
  static constexpr StringRef Names[] = {
      "cudaLaunchKernel", "cudaLaunchKernel_ptsz",
      "cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernel_ptsz"};
  return Names;
}

ArrayRef<StringRef> retrograd::launchesByConfiguration() {
  static constexpr StringRef Names[] = {"cudaLaunchKernelExC",
                                        "cudaLaunchKernelExC_ptsz"};
  return Names;
}

bool retrograd::isStaticShare(StringRef Name) {
  return Name.starts_with("__kmpc_for_static_init_");
}

bool retrograd::startsChunks(StringRef Name) {
  return Name.starts_with("__kmpc_dispatch_init_");
}

bool retrograd::isNextChunk(StringRef Name) {
  return Name.starts_with("__kmpc_dispatch_next_");
}
