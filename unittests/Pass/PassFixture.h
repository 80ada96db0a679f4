//===- PassFixture.h - a module with all analyses ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_UNITTESTS_PASS_PASSFIXTURE_H
#define RETROGRAD_UNITTESTS_PASS_PASSFIXTURE_H

#include "../ParsedModule.h"
#include "llvm/Support/raw_ostream.h"

namespace retrograd {

struct PassFixture : testing::Test, ParsedModule {
  llvm::Function &function(llvm::StringRef Name) const {
    return *M->getFunction(Name);
  }
  std::string text() const {
    std::string S;
    llvm::raw_string_ostream(S) << *M;
    return S;
  }
};

} // namespace retrograd

#endif
