//===- ClonePrimal.cpp - a copy of a function to work on ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/ClonePrimal.h"
#include "Support/ArtificialSubprogram.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Moves source locations from one subprogram to another.
class LocationMover {
public:
  explicit LocationMover(DISubprogram &To) : To(To) {}

  DILocation *operator()(DILocation *Old) {
    DILocation *&New = Moved[Old];
    if (New)
      return New;
    DILocation *Made;
    if (DILocation *Site = Old->getInlinedAt()) {
      // What was inlined keeps its own scope; only the place it was inlined at
      // lies in the function.
      Made = DILocation::get(Old->getContext(), Old->getLine(),
                             Old->getColumn(), Old->getScope(), (*this)(Site),
                             Old->isImplicitCode());
    } else {
      DIScope *Scope = &To;
      if (Old->getFile() != To.getFile())
        Scope = DILexicalBlockFile::get(Old->getContext(), &To, Old->getFile(),
                                        /*Discriminator=*/0);
      Made =
          DILocation::get(Old->getContext(), Old->getLine(), Old->getColumn(),
                          Scope, nullptr, Old->isImplicitCode());
    }
    return Moved[Old] = Made;
  }

private:
  DISubprogram &To;
  DenseMap<DILocation *, DILocation *> Moved;
};

} // namespace

static void moveDebugInfo(Function &Clone, DISubprogram &From) {
  DISubprogram *To = artificialSubprogram(From, Clone.getName());
  Clone.setSubprogram(To);
  LocationMover Move(*To);
  for (Instruction &I : instructions(Clone)) {
    if (DILocation *Where = I.getDebugLoc())
      I.setDebugLoc(Move(Where));
    updateLoopMetadataDebugLocations(I, [&](Metadata *MD) -> Metadata * {
      if (auto *Where = dyn_cast_or_null<DILocation>(MD))
        return Move(Where);
      return MD;
    });
  }
}

/// A parameter passed in memory becomes a plain pointer to the caller's memory
/// and a copy that the function makes for itself, so that neither primal nor
/// derivative depends on how arguments are passed.
static void ownByValArguments(Function &Clone) {
  for (Argument &A : Clone.args()) {
    if (!A.hasByValAttr())
      continue;
    Type *T = A.getParamByValType();
    const DataLayout &DL = Clone.getDataLayout();
    Align Alignment =
        std::max(A.getParamAlign().valueOrOne(), DL.getABITypeAlign(T));
    IRBuilder<> B(&Clone.getEntryBlock(), Clone.getEntryBlock().begin());
    if (DISubprogram *SP = Clone.getSubprogram())
      B.SetCurrentDebugLocation(
          DILocation::get(Clone.getContext(), SP->getLine(), 0, SP));
    AllocaInst *Own = B.CreateAlloca(T, DL.getAllocaAddrSpace(), nullptr,
                                     A.getName() + ".own");
    Own->setAlignment(Alignment);
    A.replaceAllUsesWith(Own);
    B.CreateMemCpy(Own, Alignment, &A, A.getParamAlign(),
                   DL.getTypeAllocSize(T).getFixedValue());
    for (Attribute::AttrKind K :
         {Attribute::ByVal, Attribute::NoAlias, Attribute::ReadNone,
          Attribute::ReadOnly, Attribute::WriteOnly, Attribute::Captures,
          Attribute::Initializes})
      A.removeAttr(K);
  }
}

Function *retrograd::clonePrimal(Function &F) {
  Function *Clone = Function::Create(
      F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(),
      "rg.primal." + F.getName(), F.getParent());
  Clone->setCallingConv(F.getCallingConv());
  Clone->setAttributes(F.getAttributes());
  if (F.hasGC())
    Clone->setGC(F.getGC());
  if (F.hasPersonalityFn())
    Clone->setPersonalityFn(F.getPersonalityFn());
  Clone->setDSOLocal(true);

  ValueToValueMapTy Map;
  for (auto [Old, New] : zip(F.args(), Clone->args())) {
    New.setName(Old.getName());
    Map[&Old] = &New;
  }
  for (BasicBlock &BB : F)
    Map[&BB] = CloneBasicBlock(&BB, Map, "", Clone);
  for (BasicBlock &BB : *Clone)
    for (Instruction &I : make_early_inc_range(BB)) {
      I.dropDbgRecords();
      if (isa<DbgInfoIntrinsic>(I)) {
        I.eraseFromParent();
        continue;
      }
      I.setMetadata(LLVMContext::MD_DIAssignID, nullptr);
      RemapInstruction(&I, Map,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
  if (DISubprogram *SP = F.getSubprogram())
    moveDebugInfo(*Clone, *SP);
  ownByValArguments(*Clone);
  return Clone;
}
