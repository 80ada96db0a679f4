//===- TapeBytes.cpp - tapes in structs of bytes, on their way ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/TapeBytes.h"
#include "Request/EntryPoints.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

/// A word of 4 or 8 bytes that is not known to be aligned, and how far behind
/// its base it lies.
static std::optional<std::pair<Value *, uint64_t>>
unalignedWord(Instruction &I) {
  auto *L = dyn_cast<LoadInst>(&I);
  auto *S = dyn_cast<StoreInst>(&I);
  if (!(L && L->isSimple()) && !(S && S->isSimple()))
    return std::nullopt;
  Type *T = getLoadStoreType(&I);
  const DataLayout &DL = I.getDataLayout();
  const uint64_t Size = DL.getTypeStoreSize(T);
  if (!T->isSingleValueType() || T->isVectorTy() || (Size != 4 && Size != 8) ||
      getLoadStoreAlignment(&I) >= Align(Size))
    return std::nullopt;
  Value *P = getLoadStorePointerOperand(&I);
  APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
  Value *Base = P->stripAndAccumulateConstantOffsets(DL, Offset,
                                                     /*AllowNonInbounds=*/true);
  if (Offset.urem(Size))
    return std::nullopt;
  return std::pair(Base, Size);
}

/// Makes I, which stays as it is if Aligned does not hold, two.
static void choose(Instruction &I, Value *Aligned, Align Whole) {
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(Aligned, &I, &Then, &Else);
  Instruction *Wide = I.clone();
  Wide->insertBefore(Then->getIterator());
  if (auto *L = dyn_cast<LoadInst>(Wide))
    L->setAlignment(Whole);
  else
    cast<StoreInst>(Wide)->setAlignment(Whole);
  if (I.getType()->isVoidTy()) {
    I.moveBefore(Else->getIterator());
    return;
  }
  PHINode *Both = PHINode::Create(I.getType(), 2, "", I.getParent()->begin());
  I.replaceAllUsesWith(Both);
  I.moveBefore(Else->getIterator());
  Both->addIncoming(Wide, Wide->getParent());
  Both->addIncoming(&I, I.getParent());
}

static bool askForAlignment(Function &F) {
  // By base and size.
  MapVector<std::pair<Value *, uint64_t>, SmallVector<Instruction *, 8>> Found;
  for (Instruction &I : instructions(F))
    if (auto Word = unalignedWord(I))
      Found[*Word].push_back(&I);
  bool Changed = false;
  for (auto &[Of, Accesses] : Found) {
    auto [Base, Size] = Of;
    auto *Def = dyn_cast<Instruction>(Base);
    // A base that is a word of this kind itself becomes two.
    if (Accesses.size() < 2 ||
        (Def &&
         (isa<PHINode>(Def) || Def->isTerminator() || unalignedWord(*Def))))
      continue;
    IRBuilder<> B(F.getContext());
    if (Def)
      B.SetInsertPoint(Def->getNextNode());
    else
      B.SetInsertPoint(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Type *Address = F.getDataLayout().getIntPtrType(Base->getType());
    Value *Aligned = B.CreateIsNull(
        B.CreateAnd(B.CreatePtrToInt(Base, Address), Size - 1), "aligned");
    for (Instruction *I : Accesses)
      choose(*I, Aligned, Align(Size));
    Changed = true;
  }
  return Changed;
}

static constexpr StringRef HoldsTape = "rg-holds-tape";

void retrograd::holdTape(Function &F) { F.addFnAttr(HoldsTape); }

PreservedAnalyses AskForAlignmentPass::run(Function &F,
                                           FunctionAnalysisManager &) {
  if (!F.hasFnAttribute(HoldsTape))
    return PreservedAnalyses::all();
  F.removeFnAttr(HoldsTape);
  return askForAlignment(F) ? PreservedAnalyses::none()
                            : PreservedAnalyses::all();
}

/// A struct, or the first member of one, that is bytes and more of them than
/// fit in registers.
static bool startsWithBytes(Type *T) {
  while (auto *S = dyn_cast<StructType>(T))
    T = S->getNumElements() ? S->getElementType(0)
                            : Type::getVoidTy(T->getContext());
  const auto *A = dyn_cast<ArrayType>(T);
  return A && A->getElementType()->isIntegerTy(8) && A->getNumElements() > 8;
}

static bool isOnlyStored(const Value &V) {
  return all_of(V.users(), [&](const User *By) {
    const auto *S = dyn_cast<StoreInst>(By);
    return S && S->isSimple() && S->getValueOperand() == &V;
  });
}

/// The result of C, or each of its members that is more than a number, is only
/// stored.
static bool goesToMemory(const CallInst &C) {
  return all_of(C.users(), [&](const User *By) {
    if (const auto *Member = dyn_cast<ExtractValueInst>(By))
      return !Member->getType()->isAggregateType() || isOnlyStored(*Member);
    const auto *S = dyn_cast<StoreInst>(By);
    return S && S->isSimple() && S->getValueOperand() == &C;
  });
}

PreservedAnalyses KeepBytesTogetherPass::run(Module &M,
                                             ModuleAnalysisManager &) {
  if (!Target(M).manyThreads())
    return PreservedAnalyses::all();
  const DataLayout &DL = M.getDataLayout();
  SmallVector<CallInst *, 4> Calls;
  for (Function &F : M)
    if (F.isDeclaration() && isEntryPoint(F) &&
        startsWithBytes(F.getReturnType()))
      for (User *U : F.users())
        if (auto *C = dyn_cast<CallInst>(U);
            C && C->getCalledOperand() == &F && goesToMemory(*C))
          Calls.push_back(C);
  for (CallInst *C : Calls) {
    Function *Entry = C->getCalledFunction();
    Type *T = C->getType();
    BasicBlock &Start = C->getFunction()->getEntryBlock();
    IRBuilder<> B(&Start, Start.getFirstNonPHIOrDbgOrAlloca());
    Value *Result =
        B.CreateAlloca(T, DL.getAllocaAddrSpace(), nullptr, "tape.bytes");
    B.SetInsertPoint(C);
    if (Result->getType()->getPointerAddressSpace())
      Result = B.CreateAddrSpaceCast(Result, B.getPtrTy());
    SmallVector<Type *, 12> Params{B.getPtrTy()};
    append_range(Params, Entry->getFunctionType()->params());
    auto *Type = FunctionType::get(B.getVoidTy(), Params, Entry->isVarArg());
    FunctionCallee InMemory =
        M.getOrInsertFunction((Entry->getName() + ".in.memory").str(), Type);
    SmallVector<Value *, 12> Args{Result};
    append_range(Args, C->args());
    CallInst *New = B.CreateCall(InMemory, Args);
    const AttributeList Old = C->getAttributes();
    New->addParamAttr(0, Attribute::getWithStructRetType(M.getContext(), T));
    for (unsigned I = 0; I != C->arg_size(); ++I)
      for (const Attribute &A : Old.getParamAttrs(I))
        New->addParamAttr(I + 1, A);
    auto CopyInstead = [&](Value &Whole, Value *From) {
      for (User *U : make_early_inc_range(Whole.users())) {
        auto *S = cast<StoreInst>(U);
        B.SetInsertPoint(S);
        B.CreateMemCpy(S->getPointerOperand(), S->getAlign(), From, Align(1),
                       DL.getTypeStoreSize(Whole.getType()));
        S->eraseFromParent();
      }
    };
    for (User *U : make_early_inc_range(C->users()))
      if (auto *Member = dyn_cast<ExtractValueInst>(U)) {
        B.SetInsertPoint(Member);
        SmallVector<Value *, 4> Indices{B.getInt64(0)};
        for (unsigned I : Member->indices())
          Indices.push_back(B.getInt32(I));
        Value *From = B.CreateInBoundsGEP(T, Result, Indices);
        if (Member->getType()->isAggregateType())
          CopyInstead(*Member, From);
        else
          Member->replaceAllUsesWith(B.CreateLoad(Member->getType(), From));
        Member->eraseFromParent();
      }
    CopyInstead(*C, Result);
    C->eraseFromParent();
    if (Entry->use_empty())
      Entry->eraseFromParent();
  }
  return Calls.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
