//===- EntryPoints.cpp - the names of the __enzyme_* family ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/EntryPoints.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

static constexpr EntryPointName EntryPointNames[] = {
#define ENTRY_POINT(Name, Role, What) {Name, EntryRole::Role, What},
#include "Request/EntryPoints.def"
};

/// All names of the family start so.
static constexpr StringLiteral FamilyPrefix = "__enzyme_";

const EntryPointName *retrograd::entryPointOf(StringRef Symbol) {
  const EntryPointName *Best = nullptr;
  for (const EntryPointName &E : EntryPointNames)
    if (Symbol.contains(E.Name) && (!Best || E.Name.size() > Best->Name.size()))
      Best = &E;
  return Best;
}

Function *retrograd::entryCallee(const CallBase &Call) {
  auto *F = dyn_cast<Function>(
      Call.getCalledOperand()->stripPointerCastsAndAliases());
  return F && isEntryPoint(*F) ? F : nullptr;
}

bool retrograd::isEntryPoint(const Function &F) {
  // A function with a body is the user's own, whatever its name.
  return F.isDeclaration() && !F.isIntrinsic() &&
         F.getName().contains(FamilyPrefix);
}

bool retrograd::hasEntryCalls(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.isDeclaration() && F.getName().contains(FamilyPrefix) &&
           !F.use_empty();
  });
}
