//===- GenerateSums.cpp - sums of an innermost loop in registers ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for j:                                    s0 = c[i][k]; s1 = c[i + 1][k];
//     c[i][k]     += a[i][j] * b[k][j];       for j: s0 += ...; s1 += ...;
//     c[i + 1][k] += a[i + 1][j] * b[k][j];   c[i][k] = s0; c[i + 1][k] = s1;
//
// The reverse of a product of matrices is such a nest: adjoints are added to in
// memory. LLVM carries a sum in a register where it knows that nothing else is
// there; it does not know that of two lanes of a jammed loop, whose distance is
// a row of unknown length. The sets do.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

void Generator::noteAddition(const Instance &I, StoreInst *To) {
  if (I.St.Sum < 0)
    return;
  const Access &R = I.St.Reads[I.St.Sum];
  Value *Read = R.I;
  for (auto &[V, Store] : I.St.FromMemory)
    if (Store == R.I)
      Read = V;
  if (auto *From = dyn_cast_or_null<LoadInst>(I.Made.lookup(Read)))
    Additions.push_back({&I.St, I.At, From, To});
}

/// What V is computed of in the block of I, in its order; null if I is among
/// it, or memory.
static bool isInvariant(Value *V, const PHINode *I,
                        SmallSetVector<Instruction *, 16> &Of) {
  auto *X = dyn_cast<Instruction>(V);
  if (!X || X->getParent() != I->getParent() || Of.contains(X))
    return true;
  if (X == I || X->mayReadOrWriteMemory() || isa<PHINode>(X))
    return false;
  for (Value *Op : X->operands())
    if (!isInvariant(Op, I, Of))
      return false;
  Of.insert(X);
  return true;
}

/// Iterations of St that differ in more than the counters that change with I
/// add to different elements.
static bool addApart(const Statement &St, ArrayRef<Value *> At,
                     const PHINode *I) {
  Map Where = St.Write.Where;
  for (unsigned K = At.size(); K-- > 0;) {
    SmallSetVector<Instruction *, 16> Of;
    if (!isInvariant(At[K], I, Of))
      Where = Map(isl_map_project_out(Where.take(), isl_dim_in, K, 1));
  }
  return isl_map_is_injective(Where.get()) == isl_bool_true;
}

/// The loop over I, of one block whose end is not written yet, adds to elements
/// that it does not change: their sums are carried. Where the loop leads to.
BasicBlock *Generator::carrySums(PHINode *I, BasicBlock *Prepare,
                                 BasicBlock *After) {
  SmallSetVector<Instruction *, 16> Fixed; // addresses, for all
  SmallVector<Addition, 16> Carried;
  for (const Addition &A : Additions) {
    auto IsOfItself = [&](const std::pair<Instruction *, unsigned> &T) {
      return T.second != A.St->Write.Array ||
             any_of(Additions, [&](const Addition &X) {
               return X.St == A.St && (X.From == T.first || X.To == T.first);
             });
    };
    SmallSetVector<Instruction *, 16> Of = Fixed;
    if (!all_of(Touched, IsOfItself) ||
        !isInvariant(A.To->getPointerOperand(), I, Of) ||
        !isInvariant(A.From->getPointerOperand(), I, Of) ||
        !addApart(*A.St, A.At, I))
      continue;
    Fixed = std::move(Of);
    Carried.push_back(A);
  }
  if (Carried.empty())
    return After;
  // Two loads of one place would be two sums.
  for (const Addition &A : Carried)
    if (count_if(Carried, [&](const Addition &X) {
          return X.St == A.St && X.At == A.At;
        }) != 1)
      return After;
  for (Instruction *X : Fixed)
    X->moveBefore(Prepare->getTerminator()->getIterator());
  BasicBlock *Head = I->getParent(), *Store = block("rg.sums");
  for (const Addition &A : Carried) {
    PHINode *Sum =
        PHINode::Create(A.From->getType(), 2, "rg.sum", Head->begin());
    A.From->replaceAllUsesWith(Sum);
    A.From->moveBefore(Prepare->getTerminator()->getIterator());
    Sum->addIncoming(A.From, Prepare);
    Sum->addIncoming(A.To->getValueOperand(), Head);
    A.To->removeFromParent();
    A.To->insertInto(Store, Store->end());
    for (Instruction *X : {(Instruction *)A.From, (Instruction *)A.To})
      X->setMetadata(LLVMContext::MD_access_group, nullptr);
  }
  const IRBuilderBase::InsertPointGuard Guard(B);
  B.SetInsertPoint(Store);
  B.CreateBr(After);
  return Store;
}
