//===- ParametersInPlace.cpp - structs by value, read where they are ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/ParametersInPlace.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// What is done with an object: copies out of it, loads, and copies into it as
/// a whole.
struct Accesses {
  SmallVector<LoadInst *, 8> Loads;
  SmallVector<MemCpyInst *, 2> From, To;
  SmallVector<Instruction *, 2> Lifetimes;
};

/// False if there is anything else.
static bool collect(Value &Object, Accesses &Of) {
  SmallVector<Value *, 8> Work{&Object};
  while (!Work.empty()) {
    Value *P = Work.pop_back_val();
    for (Use &U : P->uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (auto *L = dyn_cast_or_null<LoadInst>(I); L && L->isSimple()) {
        Of.Loads.push_back(L);
      } else if (auto *C = dyn_cast_or_null<MemCpyInst>(I);
                 C && !C->isVolatile() && U.getOperandNo() < 2) {
        if (U.getOperandNo() == 0 && P != &Object)
          return false;
        (U.getOperandNo() == 0 ? Of.To : Of.From).push_back(C);
      } else if (isa_and_nonnull<GetElementPtrInst>(I)) {
        Work.push_back(I);
      } else if (I && I->isLifetimeStartOrEnd()) {
        Of.Lifetimes.push_back(I);
      } else {
        return false;
      }
    }
  }
  return true;
}

/// Copy is all that X ever holds.
static bool replace(MemCpyInst &Copy, Align Known) {
  const DataLayout &DL = Copy.getDataLayout();
  auto *X = dyn_cast<AllocaInst>(Copy.getRawDest());
  auto *Bytes = dyn_cast<ConstantInt>(Copy.getLength());
  std::optional<TypeSize> Size =
      X && X->isStaticAlloca() ? X->getAllocationSize(DL) : std::nullopt;
  Accesses Of;
  if (!Bytes || !Size || Size->isScalable() ||
      Bytes->getZExtValue() != Size->getFixedValue() ||
      X->getType() != Copy.getRawSource()->getType() || !collect(*X, Of) ||
      Of.To.size() != 1 || is_contained(Of.From, &Copy))
    return false;
  for (LoadInst *L : Of.Loads)
    L->setAlignment(std::min(L->getAlign(), Known));
  for (MemCpyInst *C : Of.From)
    C->setSourceAlignment(std::min(C->getSourceAlign().valueOrOne(), Known));
  for (Instruction *I : Of.Lifetimes)
    I->eraseFromParent();
  // The source may be computed behind the entry, as little as that is.
  APInt Offset(DL.getIndexTypeSizeInBits(X->getType()), 0);
  Value *Parameter =
      Copy.getRawSource()->stripAndAccumulateConstantOffsets(DL, Offset, true);
  IRBuilder<> B(X);
  Value *Source =
      Offset.isZero()
          ? Parameter
          : B.CreateInBoundsPtrAdd(Parameter, B.getInt(Offset), X->getName());
  Copy.eraseFromParent();
  X->replaceAllUsesWith(Source);
  X->eraseFromParent();
  return true;
}

void retrograd::readParametersInPlace(Function &F) {
  if (F.getCallingConv() != CallingConv::PTX_Kernel)
    return;
  const DataLayout &DL = F.getDataLayout();
  for (Argument &A : F.args()) {
    if (!A.hasByValAttr())
      continue;
    // A copy may be copied on.
    for (bool Again = true; Again;) {
      Again = false;
      Accesses Of;
      if (!collect(A, Of) || !Of.To.empty())
        break;
      for (MemCpyInst *C : Of.From) {
        APInt Offset(DL.getIndexTypeSizeInBits(A.getType()), 0);
        if (C->getRawSource()->stripAndAccumulateConstantOffsets(DL, Offset,
                                                                 true) != &A ||
            Offset.isNegative())
          continue;
        Align Known = commonAlignment(A.getParamAlign().valueOrOne(),
                                      Offset.getZExtValue());
        if (replace(*C, Known)) {
          Again = true;
          break;
        }
      }
    }
  }
}
