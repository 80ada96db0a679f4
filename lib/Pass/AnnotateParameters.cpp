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
#include "Catalogue/Catalogue.h"
#include "Support/DispatchMarks.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses AnnotateParametersPass::run(Module &M,
                                              ModuleAnalysisManager &) {
  if (!hasEntryCalls(M) && !isBeforeLink(Stage))
    return PreservedAnalyses::all();
  for (Function &F : M)
    if (std::string Groups = findParameterGroups(F); !Groups.empty())
      F.addFnAttr(ParameterGroupsAttribute, Groups);
  // What strings copy are characters. Nothing tells any more once these functions
  // are inlined, and their buffers may lie beside numbers.
  Catalogue Cat;
  MDNode *Nothing = MDNode::get(M.getContext(), {});
  for (Function &F : M) {
    // What is known by name has to keep it.
    if (const OperationRecord *R = F.isDeclaration() ? nullptr : Cat.lookupFunction(F);
        R && R->OfRuntime && !F.hasFnAttribute(Attribute::AlwaysInline))
      isBeforeLink(Stage) ? holdForLink(F) : F.addFnAttr(Attribute::NoInline);
    if (!F.isDeclaration() && Cat.handlesCharacters(F))
      for (Instruction &I : instructions(F))
        if (isa<AnyMemTransferInst>(I))
          I.setMetadata(CopiesCharacters, Nothing);
  }
  // A marker that is 'static' and never written to would be folded to its value.
  for (GlobalVariable &G : M.globals())
    if (G.hasLocalLinkage() && !G.isConstant() && isMarker(&G))
      G.setExternallyInitialized(true);
  // An attribute that nobody but us reads invalidates nothing.
  return PreservedAnalyses::all();
}
