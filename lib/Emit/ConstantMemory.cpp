//===- ConstantMemory.cpp - lost derivatives, found at run time -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/ConstantMemory.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Rules/Transfer.h"
#include "Support/Kernels.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// May something active go to memory behind P without a shadow, and come back?
static bool mayLose(const Value *P, const ActivityAnalysis &A) {
  const ProgramFacts &Facts = A.facts();
  TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  if (O == TypeAnalysis::NoObject || !Facts.root() || !A.isMixed(P) ||
      !A.hasShadow(P))
    return false;
  // The host has seen what flows through launches.
  if (Facts.root()->hasFnAttribute(LaunchedAlone))
    return false;
  const ProgramFacts::Effects &E = Facts.effects(Facts.root());
  return E.Reads.test(O) && E.Writes.test(O);
}

Constant *retrograd::placeInUser(RuntimeLibrary &Runtime,
                                 const Instruction &I) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (const DebugLoc &L = I.getDebugLoc())
    OS << L->getFilename() << ':' << L.getLine() << ": ";
  OS << "in '" << userName(*I.getFunction()) << '\'';
  return Runtime.text("rg.place.", Text);
}

void retrograd::watchAccess(IRBuilderBase &B, const Instruction &I,
                            const ActivityAnalysis &A, RuntimeLibrary &Runtime,
                            WatchedValues Values) {
  const DataLayout &DL = I.getDataLayout();
  auto Call = [&](StringRef Name, ArrayRef<Value *> Args) {
    B.CreateCall(Runtime.require(Name), Args);
  };
  auto Bytes = [&](Type *T) {
    return B.getInt64(DL.getTypeStoreSize(T).getFixedValue());
  };
  if (const auto *L = dyn_cast<LoadInst>(&I)) {
    const Value *P = L->getPointerOperand();
    if (mayLose(P, A) && (A.isActive(L) || A.hasShadow(L)))
      Call("rg_constant_load",
           {Values.Primal(P), Bytes(L->getType()), placeInUser(Runtime, I)});
    return;
  }
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *P = S->getPointerOperand(), *V = S->getValueOperand();
    if (!mayLose(P, A))
      return;
    Value *Own = Values.Primal(P), *Sh = Values.Shadow(P);
    if (V->getType()->isPointerTy() && A.hasShadow(V))
      Call("rg_constant_store_pointer",
           {Own, Sh, Values.Primal(V), Values.Shadow(V),
            placeInUser(Runtime, I)});
    else if (A.isActive(V) || (!V->getType()->isPointerTy() && A.hasShadow(V)))
      Call("rg_constant_store",
           {Own, Sh, Bytes(V->getType()), placeInUser(Runtime, I)});
    else
      Call("rg_constant_clear", {Own, Bytes(V->getType())});
    return;
  }
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return;
  Transfer T = transferOf(*C, A.facts().catalogue());
  bool Reads = T.Source && A.hasShadow(T.Source);
  if (T.IsRealloc || !(mayLose(T.Dest, A) || (Reads && mayLose(T.Source, A))))
    return;
  Value *Null = ConstantPointerNull::get(B.getPtrTy());
  Value *To = Values.Primal(T.Dest);
  // Nothing active comes out of memory that nobody gave a shadow to: a copy
  // that is only compared, say.
  if (!A.hasShadow(T.Dest)) {
    Call("rg_constant_clear",
         {To, B.CreateZExtOrTrunc(Values.Primal(T.Length), B.getInt64Ty())});
    return;
  }
  auto ShadowOf = [&](const Value *P) {
    Value *Shadow = Values.Shadow(P);
    if (!T.OnDevice || !A.isMixed(P))
      return Shadow;
    return shadowOnDevice(
        B, [&](StringRef Name) { return Runtime.require(Name); }, Shadow,
        Values.Primal(P), /*Lane=*/0);
  };
  Call("rg_constant_copy",
       {To, ShadowOf(T.Dest), Reads ? Values.Primal(T.Source) : Null,
        Reads ? ShadowOf(T.Source) : Null,
        B.CreateZExtOrTrunc(Values.Primal(T.Length), B.getInt64Ty()),
        placeInUser(Runtime, I)});
}

void retrograd::beginWatch(Function &D, RuntimeLibrary &Runtime) {
  const Function *Fills = D.getParent()->getFunction("rg_constant_remember");
  if (!Fills)
    return;
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  B.CreateCall(Runtime.require("rg_constant_begin"), {});
  for (BasicBlock &Block : D)
    if (isa<ReturnInst>(Block.getTerminator())) {
      B.SetInsertPoint(Block.getTerminator());
      B.CreateCall(Runtime.require("rg_constant_end"), {});
    }
}
