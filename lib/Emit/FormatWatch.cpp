//===- FormatWatch.cpp - which number lies where, at run time -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/FormatWatch.h"
#include "Analysis/NumberUses.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/Catalogue.h"
#include "Emit/ConstantMemory.h"
#include "Rules/Transfer.h"
#include "Target/Target.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// As runtime/formats.c has them. 0 for what it does not know.
static unsigned formatOf(const Type *T) {
  switch (T->getScalarType()->getTypeID()) {
  case Type::FloatTyID:
    return 1;
  case Type::DoubleTyID:
    return 2;
  case Type::X86_FP80TyID:
    return 3;
  case Type::HalfTyID:
    return 4;
  case Type::BFloatTyID:
    return 5;
  case Type::FP128TyID:
    return 6;
  default:
    return 0;
  }
}

void retrograd::watchFormats(IRBuilderBase &B, const Instruction &I,
                             const ActivityAnalysis &A, RuntimeLibrary &Runtime,
                             function_ref<Value *(const Value *)> Primal) {
  const ProgramFacts &Facts = A.facts();
  if (!Facts.types().mixesFormats() || Target(*I.getModule()).manyThreads())
    return;
  const DataLayout &DL = I.getDataLayout();
  auto Call = [&](StringRef Name, ArrayRef<Value *> Args) {
    B.CreateCall(Runtime.require(Name), Args);
  };
  auto Bytes = [&](const Value *Length) {
    return B.CreateZExtOrTrunc(Primal(Length), B.getInt64Ty());
  };
  if (const Value *P = getLoadStorePointerOperand(&I)) {
    Type *T = getLoadStoreType(&I);
    if (!Facts.watchesFormats(P) || isa<ScalableVectorType>(T))
      return;
    Value *Size = B.getInt64(DL.getTypeStoreSize(T).getFixedValue()),
          *Format = B.getInt32(formatOf(T));
    if (isa<LoadInst>(I)) {
      // What nobody writes while the derivative runs is what it was read as.
      const Function *Root = Facts.root();
      const bool Stays =
          Root && !Facts.effects(Root).Changes.test(Facts.types().objectOf(P));
      if (formatOf(T) && A.isActive(&I) && isComputedWith(I))
        Call(Stays ? "rg_format_see" : "rg_format_read",
             {Primal(P), Size, Format, placeInUser(Runtime, I)});
      return;
    }
    const Value *V = cast<StoreInst>(I).getValueOperand();
    const bool IsNumber =
        formatOf(T) && A.isVaried(V) && !isa<Constant>(V) && isMadeAsNumber(*V);
    Call("rg_format_write",
         {Primal(P), Size, IsNumber ? Format : B.getInt32(0)});
    return;
  }
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return;
  const OperationRecord *R = Facts.catalogue().lookup(I);
  if (R && R->Class == RuleClass::Allocation) {
    if (!Facts.watchesFormats(&I) || R->SizeArgs.empty())
      return;
    Value *Size = B.getInt64(1);
    for (unsigned Arg : R->SizeArgs)
      Size = B.CreateMul(Size, Bytes(C->getArgOperand(Arg)));
    Call("rg_format_write", {Primal(&I), Size, B.getInt32(0)});
    return;
  }
  if (R && R->Handler == HandlerKind::Realloc) {
    if (Facts.watchesFormats(&I))
      Call("rg_format_write",
           {Primal(&I), Bytes(C->getArgOperand(1)), B.getInt32(0)});
    return;
  }
  const Function *Callee = directCallee(*C);
  if (Callee && !R) {
    // It is not differentiated, so nobody watches what it writes.
    if (const Function *Body = Facts.preparedOf(Callee))
      for (unsigned O : Facts.effects(Body).Changes.set_bits())
        if (Facts.types().mixedFormats(O))
          return Call("rg_format_begin", {});
  }
  if (!isa<AnyMemIntrinsic>(I) && !(R && (R->Handler == HandlerKind::MemCpy ||
                                          R->Handler == HandlerKind::MemMove ||
                                          R->Handler == HandlerKind::MemSet)))
    return;
  const Transfer T = transferOf(*C, Facts.catalogue());
  if (!Facts.watchesFormats(T.Dest))
    return;
  if (T.Source)
    Call("rg_format_move", {Primal(T.Dest), Primal(T.Source), Bytes(T.Length)});
  else
    Call("rg_format_write", {Primal(T.Dest), Bytes(T.Length), B.getInt32(0)});
}

void retrograd::beginFormatWatch(Function &D, RuntimeLibrary &Runtime) {
  const Function *Writes = D.getParent()->getFunction("rg_format_write");
  if (!Writes || Writes->use_empty())
    return;
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  B.CreateCall(Runtime.require("rg_format_begin"), {});
}
