//===- PassFixture.h - a module with all analyses ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_UNITTESTS_PASS_PASSFIXTURE_H
#define RETROGRAD_UNITTESTS_PASS_PASSFIXTURE_H

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace retrograd {

struct PassFixture : testing::Test {
  llvm::LLVMContext Context;
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;
  std::unique_ptr<llvm::Module> M;

  PassFixture() {
    llvm::PassBuilder Builder;
    Builder.registerModuleAnalyses(MAM);
    Builder.registerCGSCCAnalyses(CGAM);
    Builder.registerFunctionAnalyses(FAM);
    Builder.registerLoopAnalyses(LAM);
    Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }

  void parse(const std::string &Text) {
    llvm::SMDiagnostic Error;
    M = llvm::parseAssemblyString(Text, Error, Context);
    if (!M) {
      ADD_FAILURE() << Error.getMessage().str() << " at line "
                    << Error.getLineNo();
      abort();
    }
  }
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
