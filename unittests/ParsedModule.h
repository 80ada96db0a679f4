//===- ParsedModule.h - a module with all of LLVM's analyses ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_UNITTESTS_PARSEDMODULE_H
#define RETROGRAD_UNITTESTS_PARSEDMODULE_H

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

namespace retrograd {

/// Text that is no module ends the test program.
struct ParsedModule {
  llvm::LLVMContext Context;
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;
  std::unique_ptr<llvm::Module> M;

  ParsedModule() {
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
};

} // namespace retrograd

#endif
