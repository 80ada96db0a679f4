//===- AnnotateParameters.cpp - keep what clang's first code tells --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/AnnotateParameters.h"
#include "Request/EntryCalls.h"
#include "Request/Markers.h"
#include "Request/ParameterGroups.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses AnnotateParametersPass::run(Module &M,
                                              ModuleAnalysisManager &) {
  if (!hasEntryCalls(M))
    return PreservedAnalyses::all();
  for (Function &F : M)
    if (std::string Groups = findParameterGroups(F); !Groups.empty())
      F.addFnAttr(ParameterGroupsAttribute, Groups);
  // A marker that is 'static' and never written to would be folded to its value.
  for (GlobalVariable &G : M.globals())
    if (G.hasLocalLinkage() && !G.isConstant() && isMarker(&G))
      G.setExternallyInitialized(true);
  // An attribute that nobody but us reads invalidates nothing.
  return PreservedAnalyses::all();
}
