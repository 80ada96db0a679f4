//===- RequestPrinter.cpp - print<rg-requests> ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/RequestPrinter.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Entry/UserRules.h"
#include "Request/EntryCalls.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses RequestPrinterPass::run(Module &M,
                                          ModuleAnalysisManager &MAM) {
  DiagnosticEngine Diags(M);
  ModuleCatalogue Cat(M, Diags);
  EntryCalls Found = collectEntryCalls(M, Diags, Cat);
  outs() << "requests of module " << M.getSourceFileName() << ":\n";
  for (const EntryCall &Entry : Found.Calls)
    Entry.print(outs());
  outs().flush();
  Diags.finish();
  return PreservedAnalyses::all();
}
