//===- PrintPrimalPass.cpp - print<rg-primal> -----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/PrintPrimalPass.h"
#include "Catalogue/Catalogue.h"
#include "Primal/PreparePrimal.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses PrintPrimalPass::run(Module &M, ModuleAnalysisManager &MAM) {
  SmallVector<Function *, 8> Asked, Visible;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    if (F.hasFnAttribute("rg-prepare"))
      Asked.push_back(&F);
    if (F.hasExternalLinkage() && F.getName() != "main")
      Visible.push_back(&F);
  }
  Catalogue Cat;
  PreparePrimal Prepare(M, MAM, Cat, Opts);
  for (Function *F : Asked.empty() ? Visible : Asked)
    Prepare.prepare(*F);
  Prepare.print(errs());
  if (verifyModule(M, &errs()))
    M.getContext().emitError("retrograd: a prepared primal is broken");
  Prepare.dispose();
  return PreservedAnalyses::none();
}
