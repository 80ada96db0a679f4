//===- TypeAccesses.cpp - what an access or a copy moves ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeModel.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// Is V made of what was read from marked places, and of constants, by
/// arithmetic of integers? Read tells whether anything was read.
static bool comesFrom(const Value *V,
                      function_ref<bool(const Instruction &)> Marked,
                      bool &Read, unsigned Depth = 0) {
  constexpr unsigned Deepest = 4;
  if (isa<ConstantInt>(V))
    return true;
  if (const auto *Load = dyn_cast<LoadInst>(V)) {
    Read = true;
    return Marked(*Load);
  }
  const auto *Made = dyn_cast<Instruction>(V);
  return Made && Depth < Deepest &&
         (Made->getOpcode() == Instruction::Add ||
          Made->getOpcode() == Instruction::Sub ||
          Made->getOpcode() == Instruction::Mul) &&
         all_of(
             Made->operands(),
             [&](const Value *Operand) {
               return comesFrom(Operand, Marked, Read, Depth + 1);
             });
}

/// A store that LLVM merged out of those at the ends of two branches, and that
/// lost what preparation had noted on them (Marked): what it stores comes from
/// marked places (a count that begins at 0 and goes up), or is constant.
static bool isMergedStore(const Instruction &I,
                          function_ref<bool(const Instruction &)> Marked) {
  const auto *S = dyn_cast<StoreInst>(&I);
  const auto *Joined = S ? dyn_cast<PHINode>(S->getValueOperand()) : nullptr;
  bool Read = false;
  return Joined && Joined->getParent() == S->getParent() &&
         Joined->getType()->isIntegerTy() &&
         all_of(Joined->incoming_values(),
                [&](const Value *V) { return comesFrom(V, Marked, Read); }) &&
         Read;
}

bool TypeAnalysis::isDeclaredInteger(const Instruction &Access) {
  if (isMergedStore(Access, isDeclaredInteger))
    return true;
  if (hasFact(Access, SourceFact::Characters) ||
      hasFact(Access, SourceFact::SmallMember))
    return true;
  if (std::optional<bool> Declared = declaredInteger(Access))
    return *Declared;
  const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3 ||
      Tag->getOperand(0) == Tag->getOperand(1))
    return false;
  const auto *Type = dyn_cast<MDNode>(Tag->getOperand(1));
  const auto *Name = Type && Type->getNumOperands()
                         ? dyn_cast<MDString>(Type->getOperand(0))
                         : nullptr;
  // An array's characters, which may be storage for anything, are accessed as
  // elements: only a scalar names its struct.
  return Name && (!namesAnything(Name->getString()) ||
                  (isa<LoadInst, StoreInst>(Access) &&
                   getLoadStoreType(&Access)->isIntegerTy(8)));
}

bool TypeAnalysis::isAnyPlace(const Value *P) const {
  constexpr int64_t Closest = 4; // bytes: of what types are asked about
  const Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && At.Stride && At.Stride < Closest;
}

bool TypeAnalysis::readsPlainMember(const LoadInst &Access) {
  const Module &M = *Access.getModule();
  return Access.getType()->isIntegerTy() &&
         declaredInteger(Access).value_or(false) &&
         hasFact(M, SourceFact::PlainMembers) &&
         !hasFact(M, SourceFact::CopiesBits);
}

bool TypeAnalysis::isPlainInteger(const Instruction &Access) const {
  const Value *P = getLoadStorePointerOperand(&Access);
  if (!P || Access.isAtomic() ||
      !hasFact(*Access.getModule(), SourceFact::PlainIntegers) ||
      hasFact(*Access.getModule(), SourceFact::CopiesBits) ||
      isa<AllocaInst>(getUnderlyingObject(P)) || isBareMove(Access))
    return false;
  // Where places are known, numbers and integers in one place are by turns.
  if (!isAnyPlace(P))
    return false;
  return hasFact(Access, SourceFact::Integer) || I->hasIntegerTag(Access);
}

bool TypeAnalysis::isPlainMove(const Instruction &Access) const {
  return I->PlainMoves.contains(&Access);
}

bool TypeAnalysis::isBareMove(const Instruction &Access) const {
  return I->Moves.contains(&Access);
}
/// A without those integers that are floats to Other: memory holds them by
/// turns, and only the floats have derivatives to move.
static SmallVector<TypedLeaf, 4> yieldToFloats(ArrayRef<TypedLeaf> A,
                                               ArrayRef<TypedLeaf> Other) {
  SmallVector<TypedLeaf, 4> Result;
  for (const TypedLeaf &L : A) {
    uint64_t At = L.Offset, End = L.Offset + L.Size;
    if (L.Kind.K == ByteKind::Integer)
      for (const TypedLeaf &F : Other) {
        uint64_t Begin = std::max(F.Offset, At),
                 Stop = std::min(F.Offset + F.Size, End);
        if (F.Kind.K != ByteKind::Float || Begin >= Stop)
          continue;
        if (At != Begin)
          Result.push_back({At, Begin - At, L.Kind});
        Result.push_back({Begin, Stop - Begin, ByteKind()});
        At = Stop;
      }
    if (At != End)
      Result.push_back({At, End - At, L.Kind});
  }
  return Result;
}

/// Two views of the same bytes.
static SmallVector<TypedLeaf, 4> mergeLeaves(ArrayRef<TypedLeaf> OneView,
                                             ArrayRef<TypedLeaf> OtherView) {
  SmallVector<TypedLeaf, 4> A = yieldToFloats(OneView, OtherView);
  SmallVector<TypedLeaf, 4> B = yieldToFloats(OtherView, OneView);
  // Cut both at common borders first; whole leaves that agree stay whole.
  SmallVector<TypedLeaf, 4> Result;
  unsigned IA = 0, IB = 0;
  uint64_t Pos = 0;
  auto Put = [&](uint64_t Begin, uint64_t End, ByteKind K) {
    if (Begin == End)
      return;
    if (!Result.empty() && Result.back().Kind == K && K.K != ByteKind::Float &&
        K.K != ByteKind::Pointer)
      Result.back().Size += End - Begin;
    else
      Result.push_back({Begin, End - Begin, K});
  };
  while (IA < A.size() && IB < B.size()) {
    const TypedLeaf &LA = A[IA], &LB = B[IB];
    uint64_t EA = LA.Offset + LA.Size, EB = LB.Offset + LB.Size;
    uint64_t End = std::min(EA, EB);
    bool KnowsA = LA.Kind.K != ByteKind::Unknown;
    bool KnowsB = LB.Kind.K != ByteKind::Unknown;
    if (KnowsA && KnowsB && LA.Offset == LB.Offset && EA == EB) {
      Put(Pos, EA, LA.Kind == LB.Kind ? LA.Kind : ByteKind{ByteKind::Conflict});
      Pos = EA;
    } else if (KnowsA && KnowsB) {
      bool Agree = LA.Kind == LB.Kind && LA.Kind.K == ByteKind::Integer;
      Put(Pos, End, Agree ? LA.Kind : ByteKind{ByteKind::Conflict});
      Pos = End;
    } else if (KnowsA || KnowsB) {
      // The known leaf stays whole where the other side knows nothing of it.
      const TypedLeaf &L = KnowsA ? LA : LB;
      ArrayRef<TypedLeaf> Other = KnowsA ? B : A;
      unsigned J = KnowsA ? IB : IA;
      uint64_t EL = L.Offset + L.Size;
      bool Free = L.Offset == Pos;
      for (; J < Other.size() && Other[J].Offset < EL; ++J)
        Free &= Other[J].Kind.K == ByteKind::Unknown;
      if (Free || L.Kind.K == ByteKind::Integer) {
        uint64_t To = Free ? EL : End;
        Put(Pos, To, L.Kind);
        Pos = To;
      } else {
        Put(Pos, End, ByteKind{ByteKind::Conflict});
        Pos = End;
      }
    } else {
      Put(Pos, End, ByteKind());
      Pos = End;
    }
    while (IA < A.size() && A[IA].Offset + A[IA].Size <= Pos)
      ++IA;
    while (IB < B.size() && B[IB].Offset + B[IB].Size <= Pos)
      ++IB;
  }
  return Result;
}

/// Where memory is one thing and another by turns (a node of a hash table, and
/// the table's own head, share an object), a copy moves the numbers and
/// pointers that its struct declares.
SmallVector<TypedLeaf, 4>
TypeAnalysis::Impl::settleByLayout(ArrayRef<TypedLeaf> Memory,
                                   MemoryLayout Layout, uint64_t Size) const {
  auto Overlaps = [](const auto &L, const Placed &P) {
    return int64_t(L.Offset) < P.Start + P.Size &&
           P.Start < int64_t(L.Offset + L.Size);
  };
  SmallVector<Placed, 8> Pieces;
  if (int64_t(Size) <= Layout.Period)
    for (const Placed &P : readLayout(Layout))
      if (P.Kind.K != ByteKind::Integer && P.Start + P.Size <= int64_t(Size) &&
          any_of(Memory, [&](const TypedLeaf &L) {
            return L.Kind.K == ByteKind::Conflict && Overlaps(L, P);
          }))
        Pieces.push_back(P);
  if (Pieces.empty())
    return SmallVector<TypedLeaf, 4>(Memory);
  const size_t Declared = Pieces.size();
  for (const TypedLeaf &L : Memory)
    if (L.Kind.K != ByteKind::Unknown &&
        none_of(ArrayRef(Pieces).take_front(Declared),
                [&](const Placed &P) { return Overlaps(L, P); }))
      Pieces.push_back(
          {int64_t(L.Offset), int64_t(L.Size), L.Kind, Trust::Strong});
  llvm::stable_sort(Pieces, [](const Placed &A, const Placed &B) {
    return A.Start < B.Start;
  });
  return toLeaves(Pieces, Size);
}

/// The scalars that the assignment of a struct moves, as its type declares
/// them, in order. Overlapping fields are a union: the copy does not tell which
/// is meant.
SmallVector<Placed, 8>
TypeAnalysis::Impl::fieldsOf(const MDNode *Fields) const {
  SmallVector<Placed, 8> Pieces = membersOf(Fields);
  llvm::stable_sort(Pieces, [](const Placed &A, const Placed &B) {
    return A.Start < B.Start;
  });
  SmallVector<Placed, 8> Own;
  for (unsigned A = 0; A != Pieces.size(); ++A) {
    bool Alone = true;
    for (unsigned B = 0; B != Pieces.size() && Alone; ++B)
      Alone = A == B ||
              (Pieces[A].Kind == Pieces[B].Kind &&
               Pieces[A].Start == Pieces[B].Start) ||
              Pieces[A].Start + Pieces[A].Size <= Pieces[B].Start ||
              Pieces[B].Start + Pieces[B].Size <= Pieces[A].Start;
    if (Alone)
      Own.push_back(Pieces[A]);
  }
  return Own;
}

/// One of the fields has the byte At, or nobody knows how far a field reaches.
static bool isCovered(const MDNode &Fields, int64_t At) {
  for (unsigned K = 0; K + 2 < Fields.getNumOperands(); K += 3) {
    auto *Off = mdconst::dyn_extract<ConstantInt>(Fields.getOperand(K));
    auto *Len = mdconst::dyn_extract<ConstantInt>(Fields.getOperand(K + 1));
    if (!Off || !Len ||
        (At >= Off->getSExtValue() &&
         At < Off->getSExtValue() + Len->getSExtValue()))
      return true;
  }
  return false;
}

/// Of the Size bytes, those that Pieces cover.
static BitVector bytesOf(ArrayRef<Placed> Pieces, uint64_t Size) {
  BitVector Bytes(Size);
  for (const Placed &P : Pieces) {
    const int64_t From = std::max<int64_t>(P.Start, 0),
                  To = std::min<int64_t>(P.Start + P.Size, Size);
    if (From < To)
      Bytes.set(From, To);
  }
  return Bytes;
}

/// What the assignment of a struct moves. The fields of its type come first.
/// Between them, in padding and in characters, memory may know more.
SmallVector<TypedLeaf, 4>
TypeAnalysis::Impl::settleByFields(ArrayRef<TypedLeaf> Memory,
                                   const MDNode &Fields, uint64_t Size) const {
  SmallVector<Placed, 8> Pieces = fieldsOf(&Fields);
  const BitVector InField = bytesOf(Pieces, Size);
  for (const TypedLeaf &L : Memory) {
    if (L.Kind.K == ByteKind::Unknown)
      continue;
    // Integers in a row are one leaf: the fields may have some of them.
    const uint64_t End = L.Offset + L.Size;
    for (uint64_t X = L.Offset, E; X != End; X = E) {
      E = X + 1;
      while (E != End && InField[E] == InField[X])
        ++E;
      if (!InField[X] && (E - X == L.Size || L.Kind.K == ByteKind::Integer))
        Pieces.push_back({int64_t(X), int64_t(E - X), L.Kind, Trust::Strong});
    }
  }
  // What no field covers is padding, and no bytes of interest.
  const BitVector Taken = bytesOf(Pieces, Size);
  for (int64_t X = 0; X != int64_t(Size); ++X)
    if (!Taken[X] && !isCovered(Fields, X))
      Pieces.push_back({X, 1, {ByteKind::Integer, nullptr}, Trust::Weak});
  llvm::stable_sort(Pieces, [](const Placed &A, const Placed &B) {
    return A.Start < B.Start;
  });
  return toLeaves(Pieces, Size);
}

SmallVector<TypedLeaf, 4>
TypeAnalysis::declaredBy(const Instruction &Copy) const {
  SmallVector<TypedLeaf, 4> Result;
  if (const MDNode *Fields = Copy.getMetadata(LLVMContext::MD_tbaa_struct))
    for (const Placed &P : I->fieldsOf(Fields))
      if (P.Kind.K != ByteKind::Integer && P.Start >= 0)
        Result.push_back({uint64_t(P.Start), uint64_t(P.Size), P.Kind});
  return Result;
}

bool TypeAnalysis::declares(const Instruction &Copy, const TypedLeaf &L) const {
  const MDNode *Fields = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  SmallVector<Placed, 8> Pieces;
  if (Fields)
    Pieces = I->fieldsOf(Fields);
  if (auto Layout = layoutFact(Copy, SourceFact::Layout))
    append_range(Pieces, I->readLayout(*Layout));
  llvm::erase_if(Pieces, [](const Placed &P) {
    return P.Kind.K == ByteKind::Unknown || P.Kind.K == ByteKind::Conflict;
  });
  const BitVector Declared = bytesOf(Pieces, L.Offset + L.Size);
  for (uint64_t X = L.Offset; X != L.Offset + L.Size; ++X)
    if (!Declared[X] && !(Fields && !isCovered(*Fields, X)))
      return false;
  return true;
}

bool TypeAnalysis::covers(ArrayRef<TypedLeaf> All, const TypedLeaf &L) {
  uint64_t Covered = 0;
  for (const TypedLeaf &D : All) {
    uint64_t From = std::max(D.Offset, L.Offset),
             To = std::min(D.Offset + D.Size, L.Offset + L.Size);
    Covered += To > From ? To - From : 0;
  }
  return Covered == L.Size;
}

SmallVector<TypedLeaf, 4> TypeAnalysis::leavesOfAccess(const Instruction *Inst,
                                                       const Value *P,
                                                       uint64_t Size) const {
  const DataLayout &DL = I->DL;
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(Inst) &&
      hasFact(*Inst, SourceFact::Characters))
    return {{0, Size, {ByteKind::Integer, nullptr}}};
  const Value *V = nullptr;
  if (isa<LoadInst>(Inst))
    V = Inst;
  else if (auto *SI = dyn_cast<StoreInst>(Inst))
    V = SI->getValueOperand();
  if (V && DL.getTypeStoreSize(V->getType()) == Size) {
    Type *T = V->getType();
    if (hasFact(*Inst, SourceFact::Characters))
      return {{0, Size, {ByteKind::Integer, nullptr}}};
    if (!Impl::isRegisterLike(T))
      return leavesOf(V);
    if (T->isIntegerTy() && !I->Moves.contains(Inst)) {
      // A union is what the access says it is.
      if (hasFact(*Inst, SourceFact::Integer) ||
          isMergedStore(*Inst, [](const Instruction &I) {
            return hasFact(I, SourceFact::Integer);
          }))
        return {{0, Size, {ByteKind::Integer, nullptr}}};
      if (MDNode *Tag = Inst->getMetadata(LLVMContext::MD_tbaa))
        if (Tag->getNumOperands() >= 3) {
          ByteKind K = I->kindOfTBAA(dyn_cast<MDNode>(Tag->getOperand(1)));
          if (K.K == ByteKind::Integer ||
              (K.K == ByteKind::Pointer && Size == I->PointerSize) ||
              (K.K == ByteKind::Float && DL.getTypeStoreSize(K.FP) == Size))
            return {{0, Size, K}};
        }
    }
    if (isa<Constant>(V))
      return leavesAt(P, Size);
    return mergeLeaves(leavesOf(V), leavesAt(P, Size));
  }
  if (auto *MT = dyn_cast<MemTransferInst>(Inst)) {
    if (std::optional<Pattern> One = elementsOf(*Inst);
        One && Size % One->Period == 0) {
      SmallVector<TypedLeaf, 4> All;
      for (uint64_t At = 0; At != Size; At += One->Period)
        for (TypedLeaf L : One->Leaves) {
          L.Offset += At;
          All.push_back(L);
        }
      return All;
    }
    SmallVector<TypedLeaf, 4> Memory = mergeLeaves(
        leavesAt(MT->getRawDest(), Size), leavesAt(MT->getRawSource(), Size));
    if (const MDNode *Fields = Inst->getMetadata(LLVMContext::MD_tbaa_struct))
      return I->settleByFields(Memory, *Fields, Size);
    std::optional<MemoryLayout> Layout = layoutFact(*Inst, SourceFact::Layout);
    return Layout ? I->settleByLayout(Memory, *Layout, Size) : Memory;
  }
  SmallVector<TypedLeaf, 4> Memory = leavesAt(P, Size);
  if (isa<MemSetInst>(Inst))
    if (const auto Layout = layoutFact(*Inst, SourceFact::Layout);
        Layout && Layout->Period == int64_t(Size))
      return I->settleByLayout(Memory, *Layout, Size);
  return Memory;
}
