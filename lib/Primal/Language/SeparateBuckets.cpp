//===- SeparateBuckets.cpp ------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libstdc++'s hash tables begin with a bucket of their own, in the table's
// object, and point to it until they have allocated others. Buckets point to
// nodes, the first of which lies in the object, too. So to an analysis that has
// one object for all that a pointer may point to, buckets, nodes and tables are
// one array of words, and what values hold (a vector's numbers) is part of it.
//
// The bucket of a table in a local variable becomes a variable of its own,
// where all that may reach it is in sight: nobody but the table's own code
// knows of it, and that code only ever names it as a member of the table.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Members of std::_Hashtable of libstdc++ for 64 bits, in bytes: the link to
/// the first node, the rehash policy, and the bucket.
constexpr uint64_t FirstLink = 16, Policy = 32, Bucket = 48, TableBytes = 56,
                   Word = 8;

/// What refers to the bucket of one table.
struct BucketUses {
  /// Addresses of the bucket.
  SmallVector<Instruction *, 8> Addresses;
  /// Fills of the bucket and what lies beside it, with the offset of their
  /// beginning.
  SmallVector<std::pair<MemSetInst *, uint64_t>, 2> Fills;

  /// Collects those of P, Offset bytes into the table. False: something may
  /// reach the bucket in a way that is not seen here. Alone: P is of this table
  /// and of nothing else.
  bool collect(Instruction &P, uint64_t Offset, bool Alone,
               const DataLayout &DL);

private:
  SmallPtrSet<const Instruction *, 8> Joined;
};

} // namespace

bool BucketUses::collect(Instruction &P, uint64_t Offset, bool Alone,
                         const DataLayout &DL) {
  if (Offset == Bucket) {
    Addresses.push_back(&P);
    return Alone; // whoever has it has the bucket's address
  }
  auto Misses = [&](uint64_t Size) {
    return Offset + Size <= Bucket || Offset >= Bucket + Word;
  };
  for (User *U : P.users()) {
    auto *I = dyn_cast<Instruction>(U);
    if (!I)
      return false;
    if (auto *G = dyn_cast<GetElementPtrInst>(I)) {
      APInt Bytes(64, 0);
      if (!G->accumulateConstantOffset(DL, Bytes) ||
          !collect(*G, Offset + Bytes.getZExtValue(), Alone, DL))
        return false;
    } else if (isa<LoadInst>(I)) {
      if (!Misses(DL.getTypeStoreSize(I->getType()).getFixedValue()))
        return false;
    } else if (auto *S = dyn_cast<StoreInst>(I)) {
      if (S->getValueOperand() == &P
              ? Offset != FirstLink
              : !Misses(DL.getTypeStoreSize(S->getValueOperand()->getType())
                            .getFixedValue()))
        return false;
    } else if (auto *M = dyn_cast<MemSetInst>(I)) {
      auto *Length = dyn_cast<ConstantInt>(M->getLength());
      if (!Length)
        return false;
      uint64_t Size = Length->getZExtValue();
      if (Misses(Size))
        continue;
      if (Offset > Bucket || Offset + Size < Bucket + Word)
        return false;
      Fills.push_back({M, Offset});
    } else if (auto *II = dyn_cast<IntrinsicInst>(I)) {
      if (!II->isAssumeLikeIntrinsic())
        return false;
    } else if (auto *C = dyn_cast<CallBase>(I)) {
      // A member function of a class that knows nothing of the table around its
      // object.
      for (const Use &A : C->args())
        if (A == &P && (Offset != Policy ||
                        C->getParamDereferenceableBytes(
                            C->getArgOperandNo(&A)) != Bucket - Policy))
          return false;
    } else if (isa<PHINode, SelectInst>(I)) {
      // A node, or what stands for the one before the first: its link is all
      // they share.
      if (Offset != FirstLink && Joined.insert(I).second &&
          !collect(*I, Offset, /*Alone=*/false, DL))
        return false;
    } else if (!isa<ICmpInst>(I)) {
      return false;
    }
  }
  return true;
}

static bool isHashTable(const Type *T, const DataLayout &DL) {
  const auto *S = dyn_cast<StructType>(T);
  return S && S->hasName() &&
         DL.getTypeAllocSize(const_cast<StructType *>(S)) == TableBytes &&
         (S->getName().starts_with("class.std::unordered_") ||
          S->getName().starts_with("class.std::_Hashtable"));
}

/// In the prepared F, before its normal form. True if there was one.
bool retrograd::separateBuckets(Function &F, FunctionAnalysisManager &FAM) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<AllocaInst *, 4> Tables;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I);
        A && !A->isArrayAllocation() && isHashTable(A->getAllocatedType(), DL))
      Tables.push_back(A);
  bool Any = false;
  for (AllocaInst *A : Tables) {
    BucketUses Uses;
    if (!Uses.collect(*A, 0, /*Alone=*/true, DL) || Uses.Addresses.empty())
      continue;
    IRBuilder<> AtStart(A);
    auto *Own = AtStart.CreateAlloca(AtStart.getPtrTy(), nullptr, "bucket");
    for (Instruction *P : Uses.Addresses) {
      P->replaceAllUsesWith(Own);
      P->eraseFromParent();
    }
    for (auto [Fill, Offset] : Uses.Fills) {
      IRBuilder<> B(Fill);
      uint64_t End =
          Offset + cast<ConstantInt>(Fill->getLength())->getZExtValue();
      if (uint64_t Before = Bucket - Offset)
        B.CreateMemSet(Fill->getRawDest(), Fill->getValue(), Before,
                       MaybeAlign());
      if (uint64_t After = End - Bucket - Word)
        B.CreateMemSet(
            B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), A, Bucket + Word),
            Fill->getValue(), After, MaybeAlign());
      B.CreateMemSet(Own, Fill->getValue(), Word, MaybeAlign());
      Fill->eraseFromParent();
    }
    Any = true;
  }
  if (Any)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Any;
}
