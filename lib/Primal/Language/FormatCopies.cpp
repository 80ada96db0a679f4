//===- FormatCopies.cpp - copies from doubles to floats -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/FormatCopies.h"
#include "Entry/Hints.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

/// The name of a type node, of either form that clang writes.
static StringRef nameOf(const MDNode *Type) {
  for (unsigned At : {0, 2})
    if (Type && Type->getNumOperands() > At)
      if (const auto *Name = dyn_cast_or_null<MDString>(Type->getOperand(At)))
        return Name->getString();
  return "";
}

/// The numbers that the pointer which Load reads is declared to lead to.
static Type *pointeeByTag(const LoadInst &Load) {
  const MDNode *Tag = Load.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3)
    return nullptr;
  const StringRef Name = nameOf(dyn_cast<MDNode>(Tag->getOperand(1)));
  LLVMContext &Ctx = Load.getContext();
  if (Name == "p1 double")
    return Type::getDoubleTy(Ctx);
  if (Name == "p1 float")
    return Type::getFloatTy(Ctx);
  return nullptr;
}

/// The numbers that P is declared to lead to; null if it says nothing of them.
static Type *declaredFormat(const Value *P) {
  Type *T = nullptr;
  if (const auto *Load = dyn_cast<LoadInst>(P))
    return pointeeByTag(*Load);
  if (const auto *A = dyn_cast<AllocaInst>(P))
    T = A->getAllocatedType();
  else if (const auto *G = dyn_cast<GlobalVariable>(P))
    T = G->getValueType();
  else if (const auto *GEP = dyn_cast<GEPOperator>(P))
    T = GEP->getResultElementType();
  while (T && T->isArrayTy())
    T = T->getArrayElementType();
  return T && T->isFloatingPointTy() ? T : nullptr;
}

void retrograd::hintFormatCopies(Function &F) {
  SmallVector<MemTransferInst *, 4> Copies;
  for (Instruction &I : instructions(F))
    if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      const Type *To = declaredFormat(Copy->getRawDest()),
                 *From = To ? declaredFormat(Copy->getRawSource()) : nullptr;
      if (From && From != To)
        Copies.push_back(Copy);
    }
  for (MemTransferInst *Copy : Copies)
    hintFormats(*Copy, *declaredFormat(Copy->getRawSource()),
                *declaredFormat(Copy->getRawDest()));
}
