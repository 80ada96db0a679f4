//===- SharedWindow.cpp - shared memory by numbers ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/SharedWindow.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace retrograd;

static constexpr unsigned SharedSpace = 3;

static bool isShared(const Value *V) {
  return V->getType()->isPtrOrPtrVectorTy() &&
         V->getType()->getPointerAddressSpace() == SharedSpace;
}

/// Where an instruction has to stand that computes what U uses.
static Instruction *placeFor(Use &U) {
  auto *I = cast<Instruction>(U.getUser());
  if (auto *Phi = dyn_cast<PHINode>(I))
    return Phi->getIncomingBlock(U)->getTerminator();
  return I;
}

uint64_t retrograd::layOutSharedWindow(Module &D) {
  SmallVector<Instruction *, 16> Conversions;
  for (Function &F : D)
    for (Instruction &I : instructions(F))
      if ((isa<PtrToIntInst, PtrToAddrInst>(I) && isShared(I.getOperand(0))) ||
          (isa<IntToPtrInst>(I) && isShared(&I)))
        Conversions.push_back(&I);
  if (Conversions.empty())
    return 0;

  const DataLayout &DL = D.getDataLayout();
  LLVMContext &Ctx = D.getContext();
  Type *I8 = Type::getInt8Ty(Ctx), *I64 = Type::getInt64Ty(Ctx);
  // A variable without size is the start of what the runtime allocates.
  auto *Window = new GlobalVariable(
      D, ArrayType::get(I8, 0), false, GlobalValue::ExternalLinkage, nullptr,
      "rg.shared.window", nullptr, GlobalValue::NotThreadLocal, SharedSpace);
  SmallVector<GlobalVariable *, 8> Variables;
  DenseMap<GlobalVariable *, uint64_t> Place;
  uint64_t Bytes = 0;
  for (GlobalVariable &GV : D.globals()) {
    if (GV.getAddressSpace() != SharedSpace || &GV == Window)
      continue;
    Variables.push_back(&GV);
    uint64_t Size = DL.getTypeAllocSize(GV.getValueType());
    if (GV.isDeclaration() || !Size)
      continue;
    Bytes = alignTo(Bytes, std::max(DL.getValueOrABITypeAlignment(
                                        GV.getAlign(), GV.getValueType()),
                                    Align(16)));
    Place[&GV] = Bytes;
    Bytes += Size;
  }
  Bytes = alignTo(Bytes, 1024);

  DenseMap<Function *, SmallSetVector<GlobalVariable *, 8>> NamedBy;
  for (GlobalVariable *GV : Variables) {
    auto It = Place.find(GV);
    uint64_t Offset = It == Place.end() ? Bytes : It->second;
    for (Use &U : make_early_inc_range(GV->uses())) {
      Instruction *At = placeFor(U);
      if (It != Place.end())
        NamedBy[At->getFunction()].insert(GV);
      IRBuilder<> B(At);
      U.set(B.CreateConstInBoundsGEP1_64(I8, Window, Offset));
    }
  }
  for (auto &[F, Named] : NamedBy) {
    uint64_t Own = 0;
    for (GlobalVariable *GV : Named)
      Own = alignTo(Own, GV->getAlign().valueOrOne()) +
            DL.getTypeAllocSize(GV->getValueType());
    F->addFnAttr(StaticSharedAttribute, utostr(Own));
  }
  for (GlobalVariable *GV : Variables)
    GV->eraseFromParent();

  for (Instruction *I : Conversions) {
    IRBuilder<> B(I);
    Value *New;
    if (isa<IntToPtrInst>(I)) {
      Value *Number = I->getOperand(0);
      Type *Wide = Number->getType()->getWithNewType(I64);
      New = B.CreateGEP(I8, Window, B.CreateZExtOrTrunc(Number, Wide));
    } else {
      Type *Wide = I->getType()->getWithNewType(I64);
      Value *Start = B.CreatePtrToInt(Window, I64);
      if (auto *V = dyn_cast<VectorType>(Wide))
        Start = B.CreateVectorSplat(V->getElementCount(), Start);
      New = B.CreateZExtOrTrunc(
          B.CreateSub(B.CreatePtrToInt(I->getOperand(0), Wide), Start),
          I->getType());
    }
    New->takeName(I);
    I->replaceAllUsesWith(New);
    I->eraseFromParent();
  }
  // As it was: named by instructions only.
  Constant *Named[] = {Window};
  convertUsersOfConstantsToInstructions(Named);
  return Bytes;
}
