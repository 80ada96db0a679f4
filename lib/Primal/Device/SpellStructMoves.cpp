//===- SpellStructMoves.cpp - copies of small structs, by members ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem:
//
//   tile[threadIdx.x] = positions[first + threadIdx.x];   // of float4
//
// The assignment of a struct is a memcpy of 16 bytes. What is filled by stores
// can be filled again (Plan/Replays.h), and a number that was stored is one
// that was loaded; of a memcpy nobody asks that, and all that is read from the
// tile is kept.
//
// Method: Where the members of what is copied are known and leave no gap, each
// becomes a load and a store, all loads first. LLVM's code generator for the
// device makes vectors of them again.
//
// Not handled: structs with padding, or with members of less than 4 bytes.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "Support/SourceFact.h"
#include "Target/Target.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// Bytes of the longest copy that becomes loads and stores: four vectors.
constexpr uint64_t Longest = 64;

/// The members of what Copy moves, all of it, in order; empty if some bytes are
/// of none.
static SmallVector<LayoutMember, 16> membersOf(const MemTransferInst &Copy) {
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  const auto Layout = layoutFact(Copy, SourceFact::Layout);
  if (!Length || Length->getValue().ugt(Longest) || !Layout ||
      Layout->Period <= 0)
    return {};
  SmallVector<LayoutMember, 16> OfOne, All;
  if (!readMembers(*Layout, Copy.getContext(), OfOne) || OfOne.empty())
    return {};
  const DataLayout &DL = Copy.getDataLayout();
  const auto Size = int64_t(Length->getZExtValue());
  int64_t Covered = 0;
  for (int64_t First = 0; First < Size; First += Layout->Period)
    for (LayoutMember M : OfOne) {
      M.Offset += First;
      if (M.Offset >= Size)
        break;
      if (!M.Ty || M.Offset != Covered)
        return {};
      M.Bytes = int64_t(DL.getTypeStoreSize(M.Ty).getFixedValue());
      if (M.Bytes % 4 || (M.Ty->isIntegerTy() && M.Bytes > 8))
        return {};
      Covered += M.Bytes;
      All.push_back(M);
    }
  return Covered == Size ? All : SmallVector<LayoutMember, 16>();
}

bool retrograd::spellStructMoves(Function &F) {
  if (!Target(*F.getParent()).prefersRecomputation())
    return false;
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    if (!Copy || Copy->isVolatile())
      continue;
    const auto Members = membersOf(*Copy);
    if (Members.empty())
      continue;
    IRBuilder<> B(Copy);
    auto Address = [&](Value *Base, int64_t Offset) {
      return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset)
                    : Base;
    };
    const AAMDNodes Of = Copy->getAAMetadata();
    const AAMDNodes Scopes(/*T=*/nullptr, /*TS=*/nullptr, Of.Scope, Of.NoAlias,
                           /*NAS=*/nullptr);
    auto Note = [&](Instruction *Access, const LayoutMember &M) {
      Access->setAAMetadata(Scopes);
      if (M.Ty->isIntegerTy())
        noteInteger(*Access, /*Declared=*/true);
    };
    SmallVector<LoadInst *, 16> Loaded;
    for (const LayoutMember &M : Members) {
      Loaded.push_back(B.CreateAlignedLoad(
          M.Ty, Address(Copy->getRawSource(), M.Offset),
          commonAlignment(Copy->getSourceAlign().valueOrOne(), M.Offset)));
      Note(Loaded.back(), M);
    }
    for (auto [M, Value] : zip(Members, Loaded))
      Note(B.CreateAlignedStore(
               Value, Address(Copy->getRawDest(), M.Offset),
               commonAlignment(Copy->getDestAlign().valueOrOne(), M.Offset)),
           M);
    Copy->eraseFromParent();
    Changed = true;
  }
  return Changed;
}
