//===- AnnotateParameters.cpp - keep what clang's first code tells --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/AnnotateParameters.h"
#include "Catalogue/Catalogue.h"
#include "Guard/HeldForLink.h"
#include "Primal/Language/FormatCopies.h"
#include "Primal/Language/FortranTypes.h"
#include "Primal/Language/PrimalEvidence.h"
#include "Request/EntryCalls.h"
#include "Request/Markers.h"
#include "Request/ParameterGroups.h"
#include "Support/DispatchMarks.h"
#include "Support/SourceFact.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// Members of the library that count the owners of a control block, and what
/// they do that with. Types do not tell: a block and the object in it are one
/// piece of memory, and where objects of several classes own each other, their
/// members and these counts lie upon each other.
static bool countsOwners(const Function &F) {
  const StringRef N = F.getName();
  return N.starts_with("_ZNSt16_Sp_counted_baseI") ||
         N.starts_with("_ZNKSt16_Sp_counted_baseI") ||
         (N.starts_with("_ZN9__gnu_cxx") &&
          (N.contains("__atomic_add") || N.contains("__exchange_and_add")));
}

/// Rust's function that ends an object of a type which the program chose (dyn):
/// the table of the type names what does it, if there is anything to do. Types
/// whose objects the module makes have their tables there.
static bool dropsAnyObject(const Function &F) {
  return F.getName().contains("drop_in_place") && F.getName().contains("dyn") &&
         (F.getName().starts_with("_ZN4core3ptr") ||
          F.getName().starts_with("_R"));
}

PreservedAnalyses AnnotateParametersPass::run(Module &M,
                                              ModuleAnalysisManager &) {
  if (!hasEntryCalls(M) && !isBeforeLink(Stage))
    return PreservedAnalyses::all();
  for (Function &F : M)
    if (std::string Groups = findParameterGroups(F); !Groups.empty())
      F.addFnAttr(ParameterGroupsAttribute, Groups);
  // What strings copy are characters. Nothing tells any more once these
  // functions are inlined, and their buffers may lie beside numbers.
  Catalogue Cat;
  const std::vector<StructType *> Structs = M.getIdentifiedStructTypes();
  const SmallPtrSet<Type *, 4> Puns = findPuns(M);
  if (any_of(Puns, [](const Type *T) { return T->isFloatingPointTy(); }) ||
      keepsBitsOfNumbers(M))
    noteFact(M, SourceFact::CopiesBits);
  const SmallPtrSet<const StructType *, 8> InUnions = structsInUnions(M);
  std::vector<Function *> Numbers; // whose integers may be members
  for (Function &F : M) {
    // What is known by name has to keep it.
    if (const OperationRecord *R =
            F.isDeclaration() ? nullptr : Cat.lookupFunction(F);
        R && R->OfRuntime &&
        (R->Waits || !F.hasFnAttribute(Attribute::AlwaysInline)))
      hold(F);
    if (F.isDeclaration())
      continue;
    noteDescriptors(F);
    if (!isBeforeLink(Stage))
      hintFormatCopies(F);
    if (dropsAnyObject(F))
      for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I);
            Call && Call->isIndirectCall() && Call->arg_size() == 1 &&
            Call->getType()->isVoidTy())
          Call->addFnAttr(Attribute::get(M.getContext(), DropsObject));
    if (countsOwners(F))
      for (Instruction &I : instructions(F))
        if ((isa<LoadInst, StoreInst>(I) &&
             getLoadStoreType(&I)->isIntegerTy()) ||
            isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
          noteFact(I, SourceFact::Characters);
    if (!Cat.handlesCharacters(F)) {
      labelCopies(F, Structs, Puns);
      // An integer whose bytes may be those of a number says nothing.
      if (!hasFact(M, SourceFact::CopiesBits)) {
        markIntegerElements(F, InUnions);
        Numbers.push_back(&F);
      }
      continue;
    }
    for (Instruction &I : instructions(F)) {
      const bool IsAccess = isa<LoadInst, StoreInst>(I);
      if (isa<AnyMemTransferInst>(I) ||
          (IsAccess && getLoadStoreType(&I)->isIntegerTy(8)))
        noteFact(I, SourceFact::Characters);
      else if (IsAccess && getLoadStoreType(&I)->isIntegerTy(64))
        // A length or a capacity, which lies where short strings have
        // characters.
        noteInteger(I, /*Declared=*/true);
    }
  }
  // Other units may call a function that the linker takes from this one.
  if (!isBeforeLink(Stage))
    markHandedMembers(Numbers, InUnions);
  // A marker that is 'const', or 'static' and never written to, would be folded
  // to its value.
  for (GlobalVariable &G : M.globals())
    if (isMarker(&G) && !G.isDeclaration() &&
        (G.isConstant() || G.hasLocalLinkage())) {
      G.setConstant(false);
      G.setExternallyInitialized(true);
    }
  // An attribute that nobody but us reads invalidates nothing; no analysis has
  // looked at assumptions yet.
  return PreservedAnalyses::all();
}
