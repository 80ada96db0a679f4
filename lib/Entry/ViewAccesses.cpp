//===- ViewAccesses.cpp - reading, writing and addressing a view ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry/ViewLowering.h"
#include "Request/EntryFamilies.h"
#include "Request/FunctionOperand.h"

using namespace llvm;
using namespace retrograd;

Value *Views::call(IRBuilderBase &B, Function &F, Value *Stored,
                   const ViewPointer &P, unsigned Kind) {
  SmallVector<Value *, 6> Arguments;
  if (Stored)
    Arguments.push_back(Stored);
  unsigned First = Arguments.size();
  Arguments.push_back(
      B.CreateSExtOrTrunc(P.Offset, F.getArg(First)->getType()));
  for (unsigned N = First + 1; N != F.arg_size(); ++N)
    Arguments.push_back(
        convertForView(B, P.Extras[N - First - 1], F.getArg(N)->getType()));
  CallInst *Call = B.CreateCall(&F, Arguments);
  Call->setCallingConv(F.getCallingConv());
  for (unsigned N = 0; N != F.arg_size(); ++N)
    for (auto Attr : {Attribute::ByVal, Attribute::SExt, Attribute::ZExt,
                      Attribute::Alignment, Attribute::InReg})
      if (F.hasParamAttribute(N, Attr))
        Call->addParamAttr(N, F.getParamAttribute(N, Attr));
  Accesses.push_back(Call);
  return Call;
}

/// How many numbers of the view T holds; none if it was diagnosed.
std::optional<uint64_t> Views::elementsIn(Type *T, unsigned Kind,
                                          const Instruction &At) {
  TypeSize Size = DL.getTypeStoreSize(T),
           One = DL.getTypeStoreSize(Kinds[Kind].Element);
  if (Size.isScalable() || !Size.getFixedValue() ||
      Size.getFixedValue() % One.getFixedValue() ||
      One.getFixedValue() !=
          DL.getTypeAllocSize(Kinds[Kind].Element).getFixedValue()) {
    refuse(At, Kind,
           "this access is of another size than the numbers of its functions");
    return std::nullopt;
  }
  return Size.getFixedValue() / One.getFixedValue();
}

ViewPointer retrograd::advanced(IRBuilderBase &B, const ViewPointer &P,
                                Value *Bytes) {
  ViewPointer Next = P;
  Next.Offset =
      B.CreateAdd(P.Offset, B.CreateSExtOrTrunc(Bytes, P.Offset->getType()));
  return Next;
}

/// Memory in the frame of the function around B.
static AllocaInst *frameMemory(IRBuilderBase &B, Type *T,
                               const DataLayout &DL) {
  BasicBlock &Start = B.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> At(&Start, Start.getFirstNonPHIOrDbgOrAlloca());
  auto *Memory =
      At.CreateAlloca(T, DL.getAllocaAddrSpace(), nullptr, "view.word");
  Memory->setAlignment(Align(16));
  return Memory;
}

Value *Views::load(IRBuilderBase &B, Type *T, const ViewPointer &P,
                   unsigned Kind, const Instruction &At) {
  const ViewKind &K = Kinds[Kind];
  if (!K.Load)
    return Constant::getNullValue(T);
  if (T == K.Element)
    return call(B, *K.Load, nullptr, P, Kind);
  std::optional<uint64_t> Count = elementsIn(T, Kind, At);
  if (!Count || T->isPtrOrPtrVectorTy())
    return refuse(At, Kind, "an address is read from it"), PoisonValue::get(T);
  uint64_t Step = DL.getTypeAllocSize(K.Element).getFixedValue();
  AllocaInst *Word = frameMemory(B, ArrayType::get(K.Element, *Count), DL);
  for (uint64_t N = 0; N != *Count; ++N)
    B.CreateStore(
        call(B, *K.Load, nullptr, advanced(B, P, B.getInt64(N * Step)), Kind),
        B.CreateConstInBoundsGEP1_64(K.Element, Word, N));
  return B.CreateLoad(T, Word);
}

void Views::store(IRBuilderBase &B, Value *V, const ViewPointer &P,
                  unsigned Kind, const Instruction &At) {
  const ViewKind &K = Kinds[Kind];
  if (!K.Store)
    return;
  if (K.ReadOnly) {
    refuse(At, Kind,
           "it is written, and '" + userName(*K.Store) +
               "' is no function that takes a number of its kind, an offset in "
               "bytes and what follows");
    return;
  }
  if (V->getType() == K.Element) {
    call(B, *K.Store, V, P, Kind);
    return;
  }
  std::optional<uint64_t> Count = elementsIn(V->getType(), Kind, At);
  if (!Count)
    return;
  uint64_t Step = DL.getTypeAllocSize(K.Element).getFixedValue();
  AllocaInst *Word = frameMemory(B, ArrayType::get(K.Element, *Count), DL);
  B.CreateStore(V, Word);
  for (uint64_t N = 0; N != *Count; ++N)
    call(B, *K.Store,
         B.CreateLoad(K.Element,
                      B.CreateConstInBoundsGEP1_64(K.Element, Word, N)),
         advanced(B, P, B.getInt64(N * Step)), Kind);
}

/// Something to compare other addresses with: what nobody needs is where the
/// program said, all else lies below all memory, at its offset.
Value *Views::addressOf(IRBuilderBase &B, const ViewPointer &P, unsigned Kind,
                        Type *T) {
  Value *Address = P.Offset;
  if (!Kinds[Kind].Load)
    Address = B.CreateAdd(B.CreatePtrToInt(P.Extras[0], P.Offset->getType()),
                          P.Offset);
  return T->isPointerTy() ? B.CreateIntToPtr(Address, T)
                          : B.CreateZExtOrTrunc(Address, T);
}
