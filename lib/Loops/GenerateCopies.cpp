//===- GenerateCopies.cpp - sums of several threads -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that only adds to an array, in any order, is shared by threads that
// have each a copy of it:
//
//   copies = memory for as many threads as there may be, all of it -0
//   by all threads: the loop, on a thread's own copy
//   for each thread: for each element: array[element] += copy[element]
//
// -0 is what changes no number that it is added to. Copies are added in the
// order of threads: the same number of threads has the same result. The array
// has one dimension, and the nest writes every element between the first and
// the last that it writes, so that nothing else is touched. One thread alone
// works on the array itself.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generator.h"
#include "Loops/TreeReach.h"
#include "Target/HostThreads.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

/// Bytes of a thread's copies begin where no line of another one's is.
static constexpr int64_t Line = 128;

/// The first and the last element of each array that may be copied.
bool Generator::findCopies() {
  isl_ast_build *Build = isl_ast_build_from_context(N.Asked.copy());
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    Type *T = Of.typeOfCopy(K);
    if (!T)
      continue;
    Set Elements = Of.written(K);
    PwAff Least(isl_set_dim_min(Elements.copy(), 0)),
        Most(isl_set_dim_max(Elements.copy(), 0));
    if (!Least || !Most || isl_pw_aff_n_piece(Least.get()) > MostPieces ||
        isl_pw_aff_n_piece(Most.get()) > MostPieces)
      continue;
    Copy New{
        K, T,
        Isl<isl_ast_expr>(isl_ast_build_expr_from_pw_aff(Build, Least.take())),
        Isl<isl_ast_expr>(isl_ast_build_expr_from_pw_aff(Build, Most.take()))};
    double Reach = 0;
    if (fits(New.Least.get(), Reach) && fits(New.Most.get(), Reach))
      Copies.push_back(std::move(New));
  }
  isl_ast_build_free(Build);
  return !N.Context.exceeded();
}

/// for i from 0 to Count: Body(i)
void Generator::repeat(Value *Count, function_ref<void(Value *)> Body) {
  BasicBlock *Before = B.GetInsertBlock(), *Head = block("rg.each"),
             *After = block("rg.after");
  B.CreateCondBr(B.CreateICmpSGT(Count, B.getInt64(0)), Head, After);
  B.SetInsertPoint(Head);
  PHINode *I = B.CreatePHI(I64, 2);
  I->addIncoming(B.getInt64(0), Before);
  Body(I);
  Value *Next = B.CreateNSWAdd(I, B.getInt64(1));
  I->addIncoming(Next, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpSLT(Next, Count), Head, After);
  B.SetInsertPoint(After);
}

/// Body(element of the copy, copy, its number) for all copies of all threads.
void Generator::eachCopied(
    const Region &R,
    function_ref<void(Value *, const CopiedArray &, Value *)> Body) {
  repeat(R.Most, [&](Value *Thread) {
    Value *Mine = B.CreatePtrAdd(R.Copies, B.CreateMul(Thread, R.EachBytes));
    for (const CopiedArray &A : R.Copied)
      repeat(A.Length, [&](Value *Element) {
        Value *At = B.CreatePtrAdd(Mine, A.Offset);
        Body(B.CreateGEP(A.Of->T, At, Element), A, Element);
      });
  });
}

/// In front of the region: memory for copies of these arrays, unless there is
/// not enough to do for them.
void Generator::makeCopies(Region &R, ArrayRef<unsigned> Arrays) {
  Module &M = *F.getParent();
  Type *Double = B.getDoubleTy(), *I32 = B.getInt32Ty();
  R.EachBytes = B.getInt64(0);
  Value *Elements = B.getInt64(0);
  for (unsigned K : Arrays) {
    const Copy &Of =
        *find_if(Copies, [&](const Copy &C) { return C.Array == K; });
    CopiedArray A{&Of, number(Of.Least.get()), nullptr, R.EachBytes};
    A.Length = B.CreateBinaryIntrinsic(
        Intrinsic::smax,
        B.CreateAdd(B.CreateSub(number(Of.Most.get()), A.Least), B.getInt64(1)),
        B.getInt64(0));
    Elements = B.CreateAdd(Elements, A.Length);
    // The next one is aligned, too.
    Value *Bytes = B.CreateMul(A.Length, B.getInt64(N.Arrays[K].ElementBytes));
    Bytes = B.CreateAnd(B.CreateAdd(Bytes, B.getInt64(2 * Line - 1)),
                        B.getInt64(-Line));
    R.EachBytes = B.CreateAdd(R.EachBytes, Bytes);
    R.Copied.push_back(A);
  }
  R.Most = B.CreateSExt(
      B.CreateCall(M.getOrInsertFunction(hostthreads::Most, I32), {}), I64);
  if (!Always) {
    Value *Cost =
        B.CreateFMul(B.CreateSIToFP(B.CreateMul(Elements, R.Most), Double),
                     ConstantFP::get(Double, Scheduler::CopyElement));
    R.Enough =
        B.CreateAnd(R.Enough, B.CreateFCmpOGT(R.Work, Cost, "rg.enough"));
  }
  BasicBlock *Asked = B.GetInsertBlock(), *Allocate = block("rg.allocate"),
             *Clear = block("rg.clear"), *Ready = block("rg.ready");
  B.CreateCondBr(R.Enough, Allocate, Ready);
  B.SetInsertPoint(Allocate);
  Value *Memory = allocate(B.CreateMul(R.EachBytes, R.Most));
  B.CreateCondBr(B.CreateIsNull(Memory), Ready, Clear);
  B.SetInsertPoint(Clear);
  R.Copies = Memory;
  eachCopied(R, [&](Value *At, const CopiedArray &A, Value *) {
    B.CreateStore(ConstantFP::getNegativeZero(A.Of->T), At);
  });
  BasicBlock *Cleared = B.GetInsertBlock();
  B.CreateBr(Ready);
  B.SetInsertPoint(Ready);
  Value *None = ConstantPointerNull::get(B.getPtrTy());
  PHINode *Got = B.CreatePHI(B.getPtrTy(), 3, "rg.copies");
  Got->addIncoming(None, Asked);
  Got->addIncoming(None, Allocate);
  Got->addIncoming(Memory, Cleared);
  R.Copies = Got;
  R.Enough = B.CreateAnd(R.Enough, B.CreateIsNotNull(Got));
}

/// In the region: where a thread finds these arrays.
void Generator::useCopies(const Region &R) {
  if (R.Copied.empty())
    return;
  Value *Alone = B.CreateICmpEQ(R.Count, B.getInt64(1));
  Value *Mine = B.CreatePtrAdd(R.Copies, B.CreateMul(R.Thread, R.EachBytes));
  for (const CopiedArray &A : R.Copied) {
    const NestArray &Array = N.Arrays[A.Of->Array];
    Value *First = B.CreateMul(A.Least, B.getInt64(Array.ElementBytes));
    Value *Copy = B.CreatePtrAdd(Mine, B.CreateSub(A.Offset, First));
    Own[A.Of->Array] = B.CreateSelect(Alone, Array.Base, Copy);
  }
}

/// Behind the region: what threads have added goes to the arrays.
void Generator::addCopies(const Region &R) {
  if (R.Copied.empty())
    return;
  Own.clear();
  BasicBlock *Add = block("rg.add"), *After = block("rg.after");
  B.CreateCondBr(B.CreateIsNotNull(R.Copies), Add, After);
  B.SetInsertPoint(Add);
  eachCopied(R, [&](Value *At, const CopiedArray &A, Value *Element) {
    Type *T = A.Of->T;
    Value *To = B.CreateGEP(T, N.Arrays[A.Of->Array].Base,
                            B.CreateAdd(A.Least, Element));
    B.CreateStore(B.CreateFAdd(B.CreateLoad(T, To), B.CreateLoad(T, At)), To);
  });
  release(R.Copies);
  B.CreateBr(After);
  B.SetInsertPoint(After);
}
