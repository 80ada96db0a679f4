//===- KernelMemory.cpp - what a kernel does with its memory --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/KernelMemory.h"
#include "Emit/AccessKinds.h"
#include "Polish/DeviceReductions.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

std::optional<ThreadIdentity> retrograd::askedBy(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  return C ? ThreadIdentity::of(*C) : std::nullopt;
}

const Argument *retrograd::restrictParameter(const Value *P) {
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(P, /*MaxLookup=*/0));
  return A && A->hasNoAliasAttr() ? A : nullptr;
}

bool retrograd::isRuntimeAddition(const Instruction &I) {
  const auto *C = dyn_cast<CallInst>(&I);
  const Function *F = C ? C->getCalledFunction() : nullptr;
  if (!F)
    return false;
  StringRef Name = F->getName();
  return Name == "rg_merge_f32" || Name == "rg_merge_f64" ||
         Name == "rg_accumulate_f32" || Name == "rg_accumulate_f64" ||
         Name.starts_with("rg_merge_places_") ||
         Name.starts_with("rg_merge_whole_") || Name.starts_with("rg_beside_");
}

KernelMemory::KernelMemory(Function &F, AAResults &AA)
    : F(F), AA(AA), Machine(*F.getParent()) {}

bool KernelMemory::isAddition(const Instruction &I) const {
  if (isRuntimeAddition(I))
    return true;
  if (!isPlainAddition(I, Machine))
    return false;
  const MDNode *Scopes = I.getMetadata(LLVMContext::MD_alias_scope);
  return Scopes && any_of(Scopes->operands(), [](const MDOperand &Scope) {
           StringRef Name = AliasScopeNode(cast<MDNode>(Scope.get())).getName();
           return Name == AccessKinds::ShadowScope;
         });
}

/// I may read or write what lies behind P, a restrict parameter.
bool KernelMemory::touches(Instruction &I, const Argument &P, bool OnlyWrites) {
  // Where control ends without a return, the kernel ends with an error.
  if (!I.mayReadOrWriteMemory() ||
      isa<UnreachableInst>(I.getParent()->getTerminator()))
    return false;
  if (isRuntimeAddition(I))
    if (const Argument *To =
            restrictParameter(cast<CallInst>(I).getArgOperand(0)))
      return To == &P;
  const ModRefInfo Does =
      AA.getModRefInfo(&I, MemoryLocation::getBeforeOrAfter(&P));
  return OnlyWrites ? isModSet(Does) : isModOrRefSet(Does);
}

bool KernelMemory::onlyAddedTo(const Argument &P) {
  return none_of(instructions(F), [&](Instruction &I) {
    return !isAddition(I) && touches(I, P, /*OnlyWrites=*/false);
  });
}

bool KernelMemory::isConstantLoad(const Instruction &I) {
  const auto *L = dyn_cast<LoadInst>(&I);
  const Argument *P =
      L && L->isSimple() ? restrictParameter(L->getPointerOperand()) : nullptr;
  if (!P)
    return false;
  auto [It, New] = Written.try_emplace(P);
  if (New)
    It->second = any_of(instructions(F), [&](Instruction &J) {
      return touches(J, *P, /*OnlyWrites=*/true);
    });
  return !It->second;
}

bool KernelMemory::isComputed(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  return !I.mayHaveSideEffects() && !isa<PHINode, AllocaInst>(I) &&
         !I.isTerminator() && (!I.mayReadFromMemory() || isConstantLoad(I)) &&
         (!C || (!C->isConvergent() && !C->isInlineAsm() &&
                 !ThreadIdentity::asksElse(*C)));
}

/// Nothing is known of what I gives.
bool KernelMemory::isOpaque(const Instruction &I) {
  return !I.getType()->isVoidTy() && !isa<PHINode, AllocaInst>(I) &&
         !isComputed(I);
}

KernelMemory::Values
KernelMemory::following(function_ref<bool(ThreadIdentity)> Asks) {
  Values Found;
  SmallVector<const Instruction *, 64> Work;
  auto Add = [&](const Instruction &I) {
    if (Found.insert(&I).second)
      Work.push_back(&I);
  };
  for (const Instruction &I : instructions(F)) {
    std::optional<ThreadIdentity> Who = askedBy(I);
    if ((Who && Asks(*Who)) || isOpaque(I))
      Add(I);
  }
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      Add(*cast<Instruction>(U));
  return Found;
}
