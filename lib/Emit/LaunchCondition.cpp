//===- LaunchCondition.cpp - whether each thread has its own --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/LaunchCondition.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace retrograd;

Value *retrograd::emitLaunchCondition(
    const ThreadOwnership::Condition &C, Function &D, Function *Extent,
    function_ref<Value *(const Argument &)> ShadowOf, const Twine &Name) {
  IRBuilder<> At(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    At.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  Value *Extents[ThreadOwnership::NumIndices] = {};
  auto Of = [&](unsigned Index) -> Value * {
    Value *&E = Extents[Index];
    if (!E)
      E = At.CreateCall(Extent, {At.getInt32(Index)});
    return E;
  };
  Value *Holds = At.getTrue();
  auto And = [&](Value *V) { Holds = At.CreateAnd(Holds, V); };
  for (unsigned K = 0; K != 6; ++K)
    if (C.Single >> K & 1)
      And(At.CreateICmpEQ(Of(K), At.getInt64(1)));
  Value *Span = At.getInt64(C.Size);
  for (auto [K, Entry] : enumerate(C.Order)) {
    Value *Coefficient = At.getInt64(Entry.second), *N = Of(Entry.first);
    if (K + 1 != C.Order.size())
      And(At.CreateICmpULE(At.CreateMul(Coefficient, N),
                           At.getInt64(C.Order[K + 1].second)));
    Span = At.CreateAdd(
        Span, At.CreateMul(Coefficient, At.CreateSub(N, At.getInt64(1))));
  }
  // Nothing in 32 bits has wrapped around.
  And(At.CreateICmpULT(Span, At.getInt64(uint64_t(1) << 30)));
  if (C.Distance)
    And(At.CreateICmpULE(Span, At.getInt64(C.Distance)));
  Value *Apart = At.CreateAdd(Span, At.getInt64(2 * C.Reach));
  for (size_t I = 0; I != C.Bases.size(); ++I)
    for (size_t J = 0; J != I; ++J) {
      Value *A = At.CreatePtrToInt(ShadowOf(*C.Bases[I]), At.getInt64Ty());
      Value *B = At.CreatePtrToInt(ShadowOf(*C.Bases[J]), At.getInt64Ty());
      And(At.CreateICmpUGE(At.CreateSelect(At.CreateICmpUGT(A, B),
                                           At.CreateSub(A, B),
                                           At.CreateSub(B, A)),
                           Apart));
    }
  Holds->setName(Name);
  return Holds;
}

Value *retrograd::emitConditions(
    ArrayRef<OneWriter::Condition> Conditions, Function &D, Function *Extent,
    function_ref<Value *(const Argument &)> ValueOf, const Twine &Name) {
  IRBuilder<> At(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    At.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  Value *Holds = At.getTrue();
  for (const OneWriter::Condition &C : Conditions) {
    Value *Sum = At.getInt64(0);
    for (const OneWriter::Condition::Term &T : C.Sum) {
      Value *Product = At.getInt64(T.Coefficient);
      for (const OneWriter::Condition::Factor &F : T.Factors) {
        Value *X;
        if (!F.Parameter)
          X = At.CreateCall(Extent, {At.getInt32(F.Extent)});
        else if (F.Signed)
          X = At.CreateSExt(ValueOf(*F.Parameter), At.getInt64Ty());
        else
          X = At.CreateZExt(ValueOf(*F.Parameter), At.getInt64Ty());
        Product = At.CreateMul(Product, X);
      }
      Sum = At.CreateAdd(Sum, Product);
    }
    Holds = At.CreateAnd(
        Holds, C.Multiple ? At.CreateICmpEQ(
                                At.CreateURem(Sum, At.getInt64(C.Multiple)),
                                At.getInt64(0))
                          : At.CreateICmpSGE(Sum, At.getInt64(0)));
  }
  Holds->setName(Name);
  return Holds;
}
