//===- ParameterGroups.cpp - which parameters are one struct --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/ParameterGroups.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

/// "2,1:1,2": sizes of groups, and after a colon FloatsInIntegers.
const char *const retrograd::ParameterGroupsAttribute = "rg-parameter-groups";

/// The alloca that clang's prologue stores parameter A to, and where in it.
/// IsPiece: as one piece of a struct, which clang addresses through the literal
/// struct type of the pieces, even at offset 0. (In optimised code two
/// parameters may well be stored to one local struct of the user's, but never
/// so.)
static const AllocaInst *homeOf(const Argument &A, uint64_t &Offset,
                                bool &IsPiece) {
  const DataLayout &DL = A.getParent()->getDataLayout();
  for (const User *U : A.users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (!Store || Store->getValueOperand() != &A ||
        Store->getParent() != &A.getParent()->getEntryBlock())
      continue;
    APInt At(DL.getIndexTypeSizeInBits(Store->getPointerOperandType()), 0);
    const Value *Base =
        Store->getPointerOperand()->stripAndAccumulateConstantOffsets(
            DL, At, /*AllowNonInbounds=*/true);
    if (auto *Home = dyn_cast<AllocaInst>(Base)) {
      Offset = At.getZExtValue();
      auto *Address = dyn_cast<GetElementPtrInst>(Store->getPointerOperand());
      auto *Pieces = Address
                         ? dyn_cast<StructType>(Address->getSourceElementType())
                         : nullptr;
      IsPiece = Pieces && Pieces->isLiteral();
      return Home;
    }
  }
  return nullptr;
}

/// Is there a floating-point number in bytes [From, To) of T?
static bool hasFloatIn(Type *T, uint64_t From, uint64_t To,
                       const DataLayout &DL) {
  if (From >= To)
    return false;
  if (T->isFloatingPointTy())
    return From < DL.getTypeStoreSize(T).getFixedValue();
  auto Shifted = [&](Type *Member, uint64_t At) {
    return To > At &&
           hasFloatIn(Member, From > At ? From - At : 0, To - At, DL);
  };
  if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(S);
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      if (Shifted(S->getElementType(I), Layout->getElementOffset(I)))
        return true;
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Stride = DL.getTypeAllocSize(A->getElementType());
    for (uint64_t I = 0; I < A->getNumElements() && I * Stride < To; ++I)
      if (Shifted(A->getElementType(), I * Stride))
        return true;
  }
  return false;
}

std::string retrograd::findParameterGroups(const Function &F) {
  if (F.isDeclaration())
    return "";
  const DataLayout &DL = F.getDataLayout();
  SmallVector<ParameterGroup, 8> Groups;
  const AllocaInst *Before = nullptr;
  bool Special = false;
  for (const Argument &A : F.args()) {
    uint64_t Offset = 0;
    bool IsPiece = false;
    const AllocaInst *Home =
        A.hasByValAttr() ? nullptr : homeOf(A, Offset, IsPiece);
    if (Home && IsPiece && Home == Before)
      ++Groups.back().Size;
    else
      Groups.push_back({A.getArgNo()});
    Before = Home;
    ParameterGroup &Group = Groups.back();
    Special |= Group.Size > 1;
    if (Home && A.getType()->isIntegerTy() &&
        Home->getAllocatedType() != A.getType() &&
        hasFloatIn(Home->getAllocatedType(), Offset,
                   Offset + DL.getTypeStoreSize(A.getType()), DL)) {
      Group.FloatsInIntegers |= 1u << (Group.Size - 1);
      Special = true;
    }
  }
  if (!Special)
    return "";
  std::string Text;
  for (const ParameterGroup &Group : Groups) {
    Text += (Text.empty() ? "" : ",") + std::to_string(Group.Size);
    if (Group.FloatsInIntegers)
      Text += ":" + std::to_string(Group.FloatsInIntegers);
  }
  return Text;
}

SmallVector<ParameterGroup, 8> retrograd::parameterGroups(const Function &F) {
  SmallVector<ParameterGroup, 8> Groups;
  std::string Text =
      F.getFnAttribute(ParameterGroupsAttribute).getValueAsString().str();
  if (Text.empty())
    Text = findParameterGroups(F);
  unsigned Next = 0;
  for (StringRef Part : split(Text, ',')) {
    unsigned Size = 0, Mask = 0;
    if (Part.consumeInteger(10, Size))
      break;
    if (Part.consume_front(":"))
      Part.consumeInteger(10, Mask);
    Groups.push_back({Next, Size, Mask});
    Next += Size;
  }
  if (Next != F.arg_size()) {
    Groups.clear();
    for (unsigned I = 0; I < F.arg_size(); ++I)
      Groups.push_back({I});
  }
  return Groups;
}
