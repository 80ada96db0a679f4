//===- PoolCode.cpp - code that a team of our own runs --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/PoolCode.h"
#include "Support/CallBinding.h"
#include "Support/DispatchMarks.h"

using namespace llvm;
using namespace retrograd;

Function *PoolCode::function(Type *Result, ArrayRef<Type *> Params,
                             const Twine &Name) {
  Function *F = Function::Create(FunctionType::get(Result, Params, false),
                                 GlobalValue::InternalLinkage, Name, M);
  for (Attribute A : Model.getAttributes().getFnAttrs())
    if (A.isStringAttribute() || A.hasAttribute(Attribute::UWTable) ||
        A.hasAttribute(Attribute::SanitizeThread) ||
        A.hasAttribute(Attribute::SanitizeAddress) ||
        A.hasAttribute(Attribute::SanitizeMemory))
      F->addFnAttr(A);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
  return F;
}

Value *PoolCode::routine(StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  SmallVector<Type *, 4> Types;
  for (Value *V : Args)
    Types.push_back(V->getType());
  FunctionType *Called = FunctionType::get(Result, Types, false);
  // The runtime declares handles of MPI as words, its headers as pointers or
  // integers. A call by another type than the function's would not be seen for
  // what it is.
  SmallVector<Value *, 8> Passed(Args);
  if (const Function *Known = M.getFunction(Name);
      Known && Known->getFunctionType() != Called &&
      Known->getReturnType() == Result && Known->arg_size() == Args.size()) {
    Called = Known->getFunctionType();
    for (auto [V, To] : zip_equal(Passed, Called->params()))
      if (V->getType()->isIntegerTy() && To->isIntegerTy())
        V = B.CreateSExtOrTrunc(V, To);
      else if (V->getType() != To)
        V = B.CreateBitOrPointerCast(V, To);
  }
  return B.CreateCall(M.getOrInsertFunction(Name, Called), Passed);
}

void PoolCode::loop(Value *From, Value *To, function_ref<void(Value *)> Do) {
  Function &F = *B.GetInsertBlock()->getParent();
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Head = BasicBlock::Create(M.getContext(), "", &F);
  BasicBlock *Inner = BasicBlock::Create(M.getContext(), "", &F);
  BasicBlock *Behind = BasicBlock::Create(M.getContext(), "", &F);
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *I = B.CreatePHI(B.getInt64Ty(), 2);
  I->addIncoming(From, Before);
  B.CreateCondBr(B.CreateICmpULT(I, To), Inner, Behind);
  B.SetInsertPoint(Inner);
  Do(I);
  I->addIncoming(B.CreateNUWAdd(I, B.getInt64(1)), B.GetInsertBlock());
  B.CreateBr(Head);
  B.SetInsertPoint(Behind);
}

Function *PoolCode::makeFork(const Twine &Name, ArrayRef<Type *> Types,
                             function_ref<Value *(ArrayRef<Value *>)> Count,
                             function_ref<void(ArrayRef<Value *>, Value *Number,
                                               Value *First, Value *Last)>
                                 Part) {
  Type *L = B.getInt64Ty(), *V = B.getVoidTy();
  StructType *Operands = StructType::get(M.getContext(), Types);
  Function *Each = function(V, {B.getPtrTy()}, "rg.each." + Name);
  Each->addFnAttr(HandedToRuntime);
  SmallVector<Value *, 8> Loaded;
  for (unsigned I = 0; I != Types.size(); ++I)
    Loaded.push_back(B.CreateLoad(
        Types[I], B.CreateStructGEP(Operands, Each->getArg(0), I)));
  Value *Number =
      B.CreateZExt(routine("rg_pool_thread", B.getInt32Ty(), {}), L);
  Value *Threads =
      B.CreateZExt(routine("rg_pool_threads", B.getInt32Ty(), {}), L);
  Value *All = Count(Loaded);
  // Whole shares, and one more for the first threads: no product is too large.
  Value *Share = B.CreateUDiv(All, Threads), *Rest = B.CreateURem(All, Threads);
  auto Start = [&](Value *T) {
    return B.CreateAdd(B.CreateMul(Share, T),
                       B.CreateBinaryIntrinsic(Intrinsic::umin, T, Rest));
  };
  Value *First = Start(Number);
  Value *Last = Start(B.CreateAdd(Number, B.getInt64(1)));
  Part(Loaded, Number, First, Last);
  B.CreateRetVoid();

  SmallVector<Type *, 8> Params{B.getInt32Ty()};
  append_range(Params, Types);
  Function *Fork = function(V, Params, "rg.fork." + Name);
  bindToPool(*Fork);
  Fork->addFnAttr(Attribute::NoInline);
  Fork->setDoesNotThrow();
  Value *Packed = B.CreateAlloca(Operands);
  for (unsigned I = 0; I != Types.size(); ++I)
    B.CreateStore(Fork->getArg(I + 1), B.CreateStructGEP(Operands, Packed, I));
  routine(PoolRoutine, V, {Fork->getArg(0), Each, Packed});
  B.CreateRetVoid();
  return Fork;
}

Value *PoolCode::teamFor(Value *Work) {
  Value *Threads =
      B.CreateZExt(routine("rg_pool_size", B.getInt32Ty(), {}), B.getInt64Ty());
  return B.CreateTrunc(B.CreateBinaryIntrinsic(Intrinsic::umin, Threads, Work),
                       B.getInt32Ty());
}
