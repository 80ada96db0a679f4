//===- ShadowGlobals.cpp - the shadows of global variables ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/ShadowGlobals.h"
#include "Emit/FunctionShell.h"
#include "Polish/DynamicShared.h"
#include "Support/CallBinding.h"
#include "Support/TeamMarks.h"
#include "Target/Target.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

void ShadowGlobals::begin(ArrayRef<Function *> Graph) {
  Used.clear();
  Level = 0;
  if (LevelOf.empty())
    return;
  SmallVector<const Constant *, 16> Work;
  SmallPtrSet<const Constant *, 32> Seen;
  auto Visit = [&](const Value *V) {
    if (const auto *C = dyn_cast<Constant>(V);
        C && !isa<Function>(C) && Seen.insert(C).second)
      Work.push_back(C);
  };
  for (Function *F : Graph)
    for (Instruction &I : instructions(*F))
      for_each(I.operands(), Visit);
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    if (auto It = LevelOf.find(C); It != LevelOf.end())
      Level = std::max(Level, It->second + 1);
    for_each(C->operands(), Visit);
  }
}

GlobalVariable *ShadowGlobals::of(GlobalVariable &G, unsigned Lane) {
  Used.insert({&G, Lane});
  GlobalVariable *&Sh = Variables[{&G, Lane, Level}];
  if (Sh)
    return Sh;
  // A global that several translation units share has one shadow for all.
  // Memory of a block lives no longer than a kernel and is not initialised.
  Target Machine(M);
  bool OfBlock = Machine.space(G.getAddressSpace()) == MemorySpace::Shared;
  std::string Name = (G.getName() + ".sh" + (Lane ? std::to_string(Lane) : "") +
                      (Level ? ".of" + std::to_string(Level) : ""))
                         .str();
  if (OfBlock && G.isDeclaration()) {
    // All names of such memory are one place, and so are their shadows.
    if (!isDynamicShadow(G))
      for (auto &[Key, Other] : Variables)
        if (const auto &[Of, L, Its] = Key;
            Other && L == Lane && Its == Level && isDynamicShadow(*Other) &&
            !isDynamicShadow(*Of))
          return Sh = Other;
    Sh = declareDynamicShadow(G, Name);
    LevelOf[Sh] = Level;
    return Sh;
  }
  bool Local = G.hasLocalLinkage() || OfBlock;
  Sh = new GlobalVariable(
      M, G.getValueType(), /*isConstant=*/false,
      Local ? GlobalValue::InternalLinkage : GlobalValue::LinkOnceODRLinkage,
      OfBlock ? (Constant *)PoisonValue::get(G.getValueType())
              : Constant::getNullValue(G.getValueType()),
      Name, nullptr, G.getThreadLocalMode(),
      Machine.shadowSpace(G.getAddressSpace()));
  LevelOf[Sh] = Level;
  Sh->setAlignment(G.getAlign());
  Sh->setDSOLocal(true);
  if (!Local) {
    Sh->setVisibility(GlobalValue::HiddenVisibility);
    Sh->setComdat(M.getOrInsertComdat(Sh->getName()));
  }
  return Sh;
}

GlobalVariable *ShadowGlobals::table(GlobalVariable &G, Constant &Shadows) {
  GlobalVariable *&Sh = Tables[{&G, &Shadows}];
  if (Sh)
    return Sh;
  Sh = new GlobalVariable(M, G.getValueType(), /*isConstant=*/true,
                          GlobalValue::InternalLinkage, &Shadows,
                          G.getName() + ".sh", nullptr, G.getThreadLocalMode(),
                          G.getAddressSpace());
  LevelOf[Sh] = Level;
  Sh->setAlignment(G.getAlign());
  Sh->setDSOLocal(true);
  return Sh;
}

GlobalVariable *ShadowGlobals::pointers(const TypeAnalysis &Types) const {
  for (auto [G, Lane] : Used) {
    uint64_t Size =
        M.getDataLayout().getTypeAllocSize(G->getValueType()).getFixedValue();
    if (!G->isConstant() && !Types.allLeavesAt(G, Size, [](const TypedLeaf &L) {
          return L.Kind.K != ByteKind::Pointer;
        }))
      return G;
  }
  return nullptr;
}

void ShadowGlobals::reset(Function &D, bool Pointers, const TypeAnalysis &Types,
                          RuntimeLibrary &Runtime) const {
  if (Used.empty())
    return;
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  const DataLayout &DL = M.getDataLayout();
  // Threads of teams have copies of their own: each clears them when it first
  // runs for this derivative.
  Function *OfThread = nullptr;
  if (any_of(Used, [](auto Of) { return Of.first->isThreadLocal(); }) &&
      any_of(M, runsElsewhere)) {
    OfThread = Function::Create(FunctionType::get(B.getVoidTy(), false),
                                GlobalValue::InternalLinkage,
                                "rg.clear." + D.getName(), M);
    OfThread->setDoesNotThrow();
  }
  IRBuilder<> InThread(D.getContext());
  if (OfThread) {
    BasicBlock *Block = BasicBlock::Create(D.getContext(), "", OfThread);
    InThread.SetInsertPoint(ReturnInst::Create(D.getContext(), Block));
    B.CreateCall(Runtime.require("rg_clear_begin"), {OfThread});
  }
  Target Machine(M);
  bool Together = false;
  for (auto [G, Lane] : Used) {
    if (G->hasAttribute(HoldsWithinDerivative))
      continue; // another derivative may be running
    IRBuilder<> &Here = OfThread && G->isThreadLocal() ? InThread : B;
    uint64_t Size = DL.getTypeAllocSize(G->getValueType()).getFixedValue();
    auto AddressOf = [&](GlobalVariable *V) -> Value * {
      return V->isThreadLocal() ? Here.CreateThreadLocalAddress(V) : (Value *)V;
    };
    Value *Sh = AddressOf(Variables.at({G, Lane, Level}));
    SmallVector<TypedLeaf, 4> Leaves = Types.leavesAt(G, Size);
    bool HasPointer = any_of(Leaves, [](const TypedLeaf &L) {
      return L.Kind.K == ByteKind::Pointer;
    });
    if (Machine.space(G->getAddressSpace()) == MemorySpace::Shared &&
        Machine.manyThreads()) {
      // Whose the memory is clears it together, and nobody goes on before all
      // have.
      Value *Bytes =
          G->isDeclaration() ? dynamicSharedBytes(B) : B.getInt64(Size);
      B.CreateCall(Runtime.require("rg_shared_zero"),
                   {inGenericSpace(B, Sh), Bytes});
      Together = true;
      continue;
    }
    auto Clear = [&](uint64_t From, uint64_t To) {
      if (From < To)
        Here.CreateMemSet(
            Here.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Sh, From),
            B.getInt8(0), To - From,
            commonAlignment(G->getAlign().valueOrOne(), From));
    };
    if (HasPointer && !Pointers) {
      // The primal sweep left them there for others.
      uint64_t From = 0;
      for (const TypedLeaf &L : Leaves)
        if (L.Kind.K == ByteKind::Pointer) {
          Clear(From, L.Offset);
          From = L.Offset + L.Size;
        }
      Clear(From, Size);
      continue;
    }
    Clear(0, Size);
    if (!HasPointer)
      continue;
    Value *P = AddressOf(G);
    for (const TypedLeaf &L : Leaves)
      if (L.Kind.K == ByteKind::Pointer)
        Here.CreateMemCpy(
            Here.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Sh, L.Offset),
            MaybeAlign(),
            Here.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, L.Offset),
            MaybeAlign(), L.Size);
  }
  if (Together) {
    B.CreateCall(Runtime.require("rg_block_barrier"), {});
    D.setConvergent();
  }
}
