//===- PrimalEvidence.cpp - types that unoptimised code knows -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/PrimalEvidence.h"
#include "Catalogue/AccessTags.h"
#include "Primal/Language/MemberAddresses.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <optional>

using namespace llvm;
using namespace retrograd;

namespace {

/// Where a pointer points: Offset bytes into a value of type Frame.
struct Place {
  Type *Frame;
  uint64_t Offset;
  /// More values of the same type may follow (p[i] of a pointer p).
  bool Repeats;
};

/// One member of a layout. Bytes of unknown meaning have no type.
struct Leaf {
  uint64_t Offset;
  uint64_t Size;
  Type *Ty;
  bool Member = false; ///< of a struct that was declared
  bool Text = false;   ///< an array of characters
};

constexpr uint64_t LargestSplitCopy = 128;
constexpr unsigned MostLeaves = 64;
constexpr unsigned MostLabelled = 1024;

} // namespace

/// Clang gives a union the type of one of its members; that is no evidence.
static bool isUnion(const StructType *S) {
  return S->hasName() && S->getName().starts_with("union.");
}

/// Types that only carry bytes across a call boundary: what the ABI makes of a
/// small struct. They say nothing about what the bytes are.
static bool mayBeCoerced(const Type *T) {
  if (T->isIntegerTy())
    return true;
  if (auto *S = dyn_cast<StructType>(T))
    return S->isLiteral() &&
           any_of(S->elements(), [](Type *E) { return E->isIntegerTy(); });
  if (auto *A = dyn_cast<ArrayType>(T))
    return A->getElementType()->isIntegerTy();
  return false;
}

static std::optional<Place> placeOf(const Value *P, const DataLayout &DL) {
  if (auto *A = dyn_cast<AllocaInst>(P))
    return Place{A->getAllocatedType(), 0, A->isArrayAllocation()};
  if (auto *G = dyn_cast<GlobalVariable>(P))
    return Place{G->getValueType(), 0, false};
  auto *GEP = dyn_cast<GEPOperator>(P);
  if (!GEP || GEP->getType()->isVectorTy())
    return std::nullopt;
  Type *Source = GEP->getSourceElementType();
  if (Source->isIntegerTy(8)) {
    // Pointer arithmetic in bytes: the address of a base class, mostly.
    APInt Offset(DL.getIndexTypeSizeInBits(GEP->getType()), 0);
    if (!GEP->accumulateConstantOffset(DL, Offset) || Offset.isNegative())
      return std::nullopt;
    std::optional<Place> Base = placeOf(GEP->getPointerOperand(), DL);
    if (Base)
      Base->Offset += Offset.getZExtValue();
    return Base;
  }
  if (!Source->isSized() || DL.getTypeAllocSize(Source).isScalable())
    return std::nullopt;
  Place At{Source, 0, true};
  bool First = true;
  for (auto I = gep_type_begin(GEP), E = gep_type_end(GEP); I != E; ++I) {
    if (First) {
      First = false; // a multiple of the frame's size
      continue;
    }
    if (StructType *S = I.getStructTypeOrNull()) {
      unsigned Field = cast<ConstantInt>(I.getOperand())->getZExtValue();
      At.Offset += DL.getStructLayout(S)->getElementOffset(Field);
      continue;
    }
    Type *Element = I.getIndexedType();
    if (auto *C = dyn_cast<ConstantInt>(I.getOperand()); C && !C->isNegative())
      At.Offset += C->getZExtValue() * DL.getTypeAllocSize(Element);
    else
      At = Place{Element, 0, false};
  }
  return At;
}

/// The same, of the struct that P is an array in (`s->numbers`), where the
/// address names one: the array alone may be a buffer of something else.
static std::optional<Place> memberOf(const Value *P, const DataLayout &DL) {
  std::optional<Place> At = placeOf(P, DL);
  const auto *Decay = dyn_cast<GEPOperator>(P);
  if (!At || !Decay || !isa<ArrayType>(Decay->getSourceElementType()) ||
      !At->Frame->isArrayTy())
    return At;
  const auto *Member = dyn_cast<GEPOperator>(Decay->getPointerOperand());
  if (!Member || !isa<StructType>(Member->getSourceElementType()))
    return At;
  std::optional<Place> Whole = placeOf(Member, DL);
  if (!Whole || !isa<StructType>(Whole->Frame))
    return At;
  Whole->Offset += At->Offset;
  return Whole;
}

/// Members of T, at Base, in order. False if there is no telling.
static bool flatten(Type *T, uint64_t Base, const DataLayout &DL,
                    SmallVectorImpl<Leaf> &Leaves, unsigned Most,
                    bool Member = false) {
  if (Leaves.size() > Most || !T->isSized())
    return false;
  if (auto *S = dyn_cast<StructType>(T)) {
    if (isUnion(S)) {
      Leaves.push_back({Base, DL.getTypeAllocSize(T), nullptr});
      return true;
    }
    const StructLayout *L = DL.getStructLayout(S);
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      if (!flatten(S->getElementType(I), Base + L->getElementOffset(I), DL,
                   Leaves, Most, !S->isLiteral()))
        return false;
    return true;
  }
  if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Size = DL.getTypeAllocSize(A->getElementType());
    if (A->getElementType()->isIntegerTy(8)) {
      // Text, or storage for something else.
      if (A->getNumElements())
        Leaves.push_back(
            {Base, A->getNumElements(), nullptr, Member, /*Text=*/true});
      return true;
    }
    if (A->getNumElements() > Most)
      return false;
    for (uint64_t I = 0; I < A->getNumElements(); ++I)
      if (!flatten(A->getElementType(), Base + I * Size, DL, Leaves, Most,
                   Member))
        return false;
    return true;
  }
  TypeSize Size = DL.getTypeStoreSize(T);
  if (Size.isScalable() || !T->isSingleValueType() ||
      (T->isIntegerTy() && !isPowerOf2_64(Size)))
    return false;
  Leaves.push_back({Base, Size, T, Member});
  return true;
}

/// Members of the Size bytes at At, offsets counted from there.
static std::optional<SmallVector<Leaf, 8>>
layoutAt(std::optional<Place> At, uint64_t Size, const DataLayout &DL) {
  if (!At || !At->Frame->isSized() || mayBeCoerced(At->Frame) ||
      DL.getTypeAllocSize(At->Frame).isScalable())
    return std::nullopt;
  uint64_t Period = DL.getTypeAllocSize(At->Frame);
  if (!Period || (!At->Repeats && At->Offset + Size > Period))
    return std::nullopt;
  SmallVector<Leaf, 8> Frame, Result;
  if (!flatten(At->Frame, 0, DL, Frame, MostLeaves) || Frame.empty())
    return std::nullopt;
  uint64_t First = At->Offset % Period;
  for (uint64_t Start = 0; Start < First + Size; Start += Period)
    for (Leaf L : Frame) {
      L.Offset += Start;
      uint64_t End = L.Offset + L.Size;
      if (End <= First || L.Offset >= First + Size)
        continue;
      if (L.Ty && (L.Offset < First || End > First + Size))
        return std::nullopt; // cuts a member in two
      uint64_t From = std::max(L.Offset, First);
      Result.push_back(
          {From - First, std::min(End, First + Size) - From, L.Ty, L.Member});
      if (Result.size() > MostLeaves)
        return std::nullopt;
    }
  if (none_of(Result, [](const Leaf &L) { return L.Ty; }))
    return std::nullopt;
  return Result;
}

/// "0:f64,8:p,16:i32,20:?4", for copies that stay copies.
static std::string describe(const SmallVectorImpl<Leaf> &Leaves) {
  std::string Text;
  raw_string_ostream OS(Text);
  ListSeparator Comma(",");
  for (const Leaf &L : Leaves) {
    OS << Comma;
    if (L.Text &&
        (L.Offset % 4 || L.Size % 4)) // storage for numbers is aligned
      OS << L.Offset << ":i" << L.Size * 8;
    else
      writeMember(OS, {int64_t(L.Offset), int64_t(L.Size), L.Ty});
  }
  return Text;
}

/// The struct of Size bytes that a variable points to, as member accesses
/// through the variable name it: `*to = *from` names none. P is the variable's
/// value, loaded.
static std::optional<Place> pointedTo(const Value *P, uint64_t Size,
                                      const DataLayout &DL) {
  auto *Read = dyn_cast<LoadInst>(P);
  auto *Variable =
      Read ? dyn_cast<AllocaInst>(Read->getPointerOperand()) : nullptr;
  if (!Variable)
    return std::nullopt;
  StructType *Found = nullptr;
  for (const User *Other : Variable->users()) {
    if (!isa<LoadInst>(Other))
      continue;
    for (const User *U : Other->users()) {
      auto *GEP = dyn_cast<GEPOperator>(U);
      auto *S = GEP && GEP->getPointerOperand() == Other
                    ? dyn_cast<StructType>(GEP->getSourceElementType())
                    : nullptr;
      if (!S || S == Found)
        continue;
      if (Found || DL.getTypeAllocSize(S) != Size)
        return std::nullopt;
      Found = S;
    }
  }
  if (!Found)
    return std::nullopt;
  return Place{Found, 0, true};
}

/// Does a scalar entry of tbaa.struct, at Offset, say what Leaves say of that
/// place?
static bool agrees(const SmallVectorImpl<Leaf> &Leaves, uint64_t Offset,
                   StringRef Name) {
  const auto *L =
      find_if(Leaves, [&](const Leaf &L) { return L.Offset == Offset; });
  if (L == Leaves.end() || !L->Ty)
    return false;
  return Name == "float"         ? L->Ty->isFloatTy()
         : Name == "double"      ? L->Ty->isDoubleTy()
         : Name == "long double" ? L->Ty->isX86_FP80Ty() || L->Ty->isFP128Ty()
                                 : !L->Ty->isFloatingPointTy();
}

/// Does the mangled name of F tell of S (_ZSt12construct_atI5WorldJS0_EE...)?
static bool isNamedAfter(const Function &F, const StructType &S) {
  StringRef Name = S.getName(); // struct.space::World.12
  if (!Name.consume_front("struct.") && !Name.consume_front("class."))
    return false;
  Name = Name.rsplit("::").second.empty() ? Name : Name.rsplit("::").second;
  Name = Name.split('.').first;
  return F.getName().contains((Twine(Name.size()) + Name).str());
}

/// The struct that an assignment copies, where no address names it
/// (std::construct_at): clang lists its scalars and leaves its arrays open. The
/// one of Structs that has this size and these scalars, and that the function
/// is named after; none if there are two that differ.
static std::optional<Place> assigned(const MemTransferInst &Copy,
                                     ArrayRef<StructType *> Structs,
                                     const DataLayout &DL) {
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  const MDNode *Fields = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!Length || !Fields)
    return std::nullopt;
  StructType *Found = nullptr;
  std::string Layout;
  for (StructType *S : Structs) {
    SmallVector<Leaf, 8> Leaves;
    if (isUnion(S) || !S->isSized() || !isNamedAfter(*Copy.getFunction(), *S) ||
        DL.getTypeAllocSize(S).isScalable() ||
        DL.getTypeAllocSize(S) != Length->getZExtValue() ||
        !flatten(S, 0, DL, Leaves, MostLabelled))
      continue;
    bool Fits = true;
    for (unsigned K = 0; K + 2 < Fields->getNumOperands() && Fits; K += 3) {
      const auto *Offset =
          mdconst::dyn_extract<ConstantInt>(Fields->getOperand(K));
      const auto *Tag = dyn_cast<MDNode>(Fields->getOperand(K + 2));
      const auto *Type = Tag && Tag->getNumOperands() > 1
                             ? dyn_cast<MDNode>(Tag->getOperand(1))
                             : nullptr;
      const auto *Name = Type && Type->getNumOperands()
                             ? dyn_cast<MDString>(Type->getOperand(0))
                             : nullptr;
      Fits = Offset && Name &&
             (Name->getString() == "omnipotent char" ||
              agrees(Leaves, Offset->getZExtValue(), Name->getString()));
    }
    if (!Fits)
      continue;
    std::string Text = describe(Leaves);
    if (Found && Text != Layout)
      return std::nullopt;
    Found = S;
    Layout = std::move(Text);
  }
  if (!Found)
    return std::nullopt;
  return Place{Found, 0, true};
}

/// Labels a copy with the members of what it moves, as the address at one of
/// its ends names them, or else one of Structs. OnlyStructs: arrays of scalars
/// tell nothing (optimised code may have them as buffers of something else).
static void label(MemTransferInst &Copy, ArrayRef<StructType *> Structs,
                  const DataLayout &DL, bool OnlyStructs) {
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  for (Value *P : {Copy.getRawSource(), Copy.getRawDest()}) {
    std::optional<Place> At = memberOf(P, DL);
    if (!At && Length)
      At = pointedTo(P, Length->getZExtValue(), DL);
    if (!At)
      At = assigned(Copy, Structs, DL);
    if (!At || mayBeCoerced(At->Frame))
      continue;
    Type *Frame = At->Frame;
    while (auto *A = dyn_cast<ArrayType>(Frame)) {
      Frame = A->getElementType();
      At->Repeats = true;
    }
    auto *Struct = dyn_cast<StructType>(Frame);
    if (OnlyStructs && (!Struct || Struct->isLiteral() || isUnion(Struct)))
      continue;
    SmallVector<Leaf, 8> Leaves;
    if (!Frame->isSized() || !flatten(Frame, 0, DL, Leaves, MostLabelled) ||
        none_of(Leaves, [](const Leaf &L) { return L.Ty; }))
      continue;
    // As seen from the middle of a struct, what lies before comes after the
    // rest.
    uint64_t Period = DL.getTypeAllocSize(Frame),
             First = Period ? At->Offset % Period : 0;
    if (First) {
      if (!Length ||
          (!At->Repeats && First + Length->getZExtValue() > Period) ||
          any_of(Leaves, [&](const Leaf &L) {
            return L.Offset < First && L.Offset + L.Size > First;
          }))
        continue;
      auto *Middle =
          find_if(Leaves, [&](const Leaf &L) { return L.Offset >= First; });
      std::rotate(Leaves.begin(), Middle, Leaves.end());
      for (Leaf &L : Leaves)
        L.Offset = (L.Offset + Period - First) % Period;
    }
    noteLayout(Copy, SourceFact::Layout, {describe(Leaves), int64_t(Period)});
    return;
  }
}

/// Labels the filling of members with what they are. The period is the length:
/// of what the optimiser has cut, nobody knows where it begins.
static void label(MemSetInst &Fill, const DataLayout &DL) {
  const auto *Length = dyn_cast<ConstantInt>(Fill.getLength());
  const std::optional<Place> At = memberOf(Fill.getRawDest(), DL);
  const auto *Struct = At ? dyn_cast<StructType>(At->Frame) : nullptr;
  if (!Length || Length->isZero() || !Struct || Struct->isLiteral() ||
      isUnion(Struct))
    return;
  if (const auto Members = layoutAt(At, Length->getZExtValue(), DL))
    noteLayout(Fill, SourceFact::Layout,
               {describe(*Members), int64_t(Length->getZExtValue())});
}

/// The type of what the front end's code steps over with a variable of this
/// value (`result + n`), or where P itself is such a step: the one of all of
/// this kind, if it is no character.
static Type *steppedOver(const Value *P) {
  if (auto *Step = dyn_cast<GetElementPtrInst>(P);
      Step && Step->getNumIndices() == 1)
    return Step->getSourceElementType()->isIntegerTy(8)
               ? nullptr
               : Step->getSourceElementType();
  auto *Read = dyn_cast<LoadInst>(P);
  auto *Variable =
      Read ? dyn_cast<AllocaInst>(Read->getPointerOperand()) : nullptr;
  if (!Variable)
    return nullptr;
  Type *Found = nullptr;
  for (const User *Other : Variable->users()) {
    if (!isa<LoadInst>(Other))
      continue;
    for (const User *U : Other->users()) {
      auto *GEP = dyn_cast<GetElementPtrInst>(U);
      if (!GEP || GEP->getPointerOperand() != Other ||
          GEP->getNumIndices() != 1)
        continue;
      Type *T = GEP->getSourceElementType();
      if (T->isIntegerTy(8) || (Found && T != Found))
        return nullptr;
      Found = T;
    }
  }
  return Found;
}

SmallPtrSet<Type *, 4> retrograd::findPuns(const Module &M) {
  SmallPtrSet<Type *, 4> Found;
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const auto *Copy = dyn_cast<MemTransferInst>(&I);
      if (!Copy || !isa<ConstantInt>(Copy->getLength()))
        continue;
      const Value *To = Copy->getRawDest(), *From = Copy->getRawSource();
      const auto *Variable =
          dyn_cast<AllocaInst>(isa<AllocaInst>(To) ? To : From);
      // Between two variables nothing else is concerned; a global is what a
      // variable begins with.
      if (!Variable || (isa<AllocaInst>(To) && isa<AllocaInst>(From)) ||
          isa<GlobalVariable>(From))
        continue;
      Type *T = Variable->getAllocatedType();
      while (auto *A = dyn_cast<ArrayType>(T))
        T = A->getElementType();
      if (T->isPointerTy() || T->isFloatingPointTy())
        Found.insert(T);
    }
  return Found;
}

/// The variable at P; null if P is something else.
static const AllocaInst *variableAt(const Value *P) {
  return dyn_cast<AllocaInst>(P->stripPointerCasts());
}

/// Variables of F that hold a number of four or eight bytes, and are read as an
/// integer of the same size.
static SmallPtrSet<const AllocaInst *, 4>
numbersReadAsIntegers(const Function &F) {
  enum : unsigned { AsNumber = 1, AsInteger = 2 };
  SmallDenseMap<std::pair<const AllocaInst *, uint64_t>, unsigned> Taken;
  SmallPtrSet<const AllocaInst *, 4> Found;
  auto Take = [&](const AllocaInst *A, const Type *T) {
    const bool IsInteger = T->isIntegerTy();
    if (!A || !(IsInteger || T->isFloatTy() || T->isDoubleTy()))
      return;
    unsigned &As = Taken[{A, T->getPrimitiveSizeInBits()}];
    As |= IsInteger ? AsInteger : AsNumber;
    if (As == (AsNumber | AsInteger))
      Found.insert(A);
  };
  for (const Instruction &I : instructions(F)) {
    if (const Value *P = getLoadStorePointerOperand(&I))
      Take(variableAt(P), getLoadStoreType(const_cast<Instruction *>(&I)));
    const auto *Copy = dyn_cast<MemTransferInst>(&I);
    if (!Copy || !isa<ConstantInt>(Copy->getLength()))
      continue;
    // Of two variables, either holds what the other does.
    const AllocaInst *To = variableAt(Copy->getRawDest()),
                     *From = variableAt(Copy->getRawSource());
    for (const AllocaInst *A : {To, From})
      if (A && To && From)
        for (const AllocaInst *B : {To, From})
          Take(A, B->getAllocatedType());
  }
  return Found;
}

bool retrograd::keepsBitsOfNumbers(const Module &M) {
  for (const Function &F : M) {
    SmallPtrSet<const AllocaInst *, 4> Variables = numbersReadAsIntegers(F);
    SmallVector<const Value *, 16> Work(Variables.begin(), Variables.end());
    SmallPtrSet<const Value *, 16> Seen;
    while (!Work.empty()) {
      const Value *V = Work.pop_back_val();
      if (!Seen.insert(V).second)
        continue;
      for (const User *U : V->users()) {
        const auto *I = dyn_cast<Instruction>(U);
        if (!I)
          continue;
        if (isa<AllocaInst>(V)) {
          if (isa<LoadInst>(I) && I->getType()->isIntegerTy())
            Work.push_back(I);
        } else if (const auto *S = dyn_cast<StoreInst>(I)) {
          const AllocaInst *To = variableAt(S->getPointerOperand());
          if (!To)
            return true;
          Work.push_back(To);
        } else if (isa<ReturnInst>(I) ||
                   (isa<CallBase>(I) && !isa<IntrinsicInst>(I))) {
          return true;
        } else if (I->getType()->isIntOrIntVectorTy() &&
                   !I->getType()->isIntOrIntVectorTy(1)) {
          Work.push_back(I);
        }
      }
    }
  }
  return false;
}

/// The standard library copies elements of a template's type in bulk
/// (std::copy, a vector that grows), and its pointers have that type. Labels
/// the copies of F whose elements hold numbers or pointers.
static void labelElements(Function &F, const SmallPtrSetImpl<Type *> &Puns) {
  const StringRef Name = F.getName();
  if (!Name.starts_with("_ZSt") && !Name.starts_with("_ZNSt") &&
      !Name.starts_with("_ZNKSt"))
    return;
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : instructions(F)) {
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    if (!Copy || isa<ConstantInt>(Copy->getLength()))
      continue;
    Type *T = steppedOver(Copy->getRawDest());
    if (!T)
      T = steppedOver(Copy->getRawSource());
    SmallVector<Leaf, 8> Leaves;
    // sizeof(T) * n
    auto *Bytes = dyn_cast<BinaryOperator>(Copy->getLength());
    auto *Each = Bytes && Bytes->getOpcode() == Instruction::Mul
                     ? dyn_cast<ConstantInt>(Bytes->getOperand(
                           isa<ConstantInt>(Bytes->getOperand(0)) ? 0 : 1))
                     : nullptr;
    if (!T || !T->isSized() || !Each ||
        Each->getZExtValue() != DL.getTypeAllocSize(T) || mayBeCoerced(T) ||
        !flatten(T, 0, DL, Leaves, MostLeaves) ||
        any_of(Leaves,
               [](const Leaf &L) { return !L.Ty || L.Ty->isVectorTy(); }) ||
        none_of(Leaves, [](const Leaf &L) { return !L.Ty->isIntegerTy(); }) ||
        any_of(Leaves, [&](const Leaf &L) {
          return !L.Ty->isIntegerTy() &&
                 any_of(Puns, [&](const Type *T) { return T != L.Ty; });
        }))
      continue;
    noteLayout(*Copy, SourceFact::Elements,
               {describe(Leaves), int64_t(DL.getTypeAllocSize(T))});
  }
}

/// A struct of one integer is assigned (`struct code { int value; }`): LLVM
/// would make it an access of `int`, which may be half of anything.
static bool movesOneInteger(const MemTransferInst &Copy) {
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  const MDNode *Fields = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!Length || !Fields || Fields->getNumOperands() != 3 || Copy.isVolatile())
    return false;
  const auto *Offset = mdconst::dyn_extract<ConstantInt>(Fields->getOperand(0));
  const auto *Size = mdconst::dyn_extract<ConstantInt>(Fields->getOperand(1));
  const auto *Tag = dyn_cast<MDNode>(Fields->getOperand(2));
  const auto *Type = Tag && Tag->getNumOperands() > 1
                         ? dyn_cast<MDNode>(Tag->getOperand(1))
                         : nullptr;
  const auto *Name = Type && Type->getNumOperands()
                         ? dyn_cast<MDString>(Type->getOperand(0))
                         : nullptr;
  return Offset && Offset->isZero() && Size &&
         Size->getZExtValue() == Length->getZExtValue() && Name &&
         ((Name->getString() == "int" && Size->equalsInt(4)) ||
          ((Name->getString() == "long" || Name->getString() == "long long") &&
           Size->equalsInt(8)));
}

/// The parameter that the front end's code loads P from, or P.
static const Argument *asParameter(const Value *P) {
  if (const auto *A = dyn_cast<Argument>(P))
    return A;
  const auto *Load = dyn_cast<LoadInst>(P);
  const auto *Variable =
      Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  const Argument *Stored = nullptr;
  if (!Variable)
    return nullptr;
  for (const User *U : Variable->users()) {
    if (isa<LoadInst>(U) || cast<Instruction>(U)->isLifetimeStartOrEnd())
      continue;
    const auto *S = dyn_cast<StoreInst>(U);
    if (!S || S->getPointerOperand() != Variable || Stored)
      return nullptr;
    Stored = dyn_cast<Argument>(S->getValueOperand());
    if (!Stored)
      return nullptr;
  }
  return Stored;
}

/// The copy constructor or assignment of a class copies one byte from the
/// beginning of one parameter to that of the other, and nothing else before the
/// next number begins: a base class without members. Bytes of a number that are
/// copied one by one all are.
static bool movesEmptyBase(const MemTransferInst &Copy) {
  constexpr uint64_t SizeOfNumbers = 8;
  if (!cast<ConstantInt>(Copy.getLength())->isOne())
    return false;
  const Function &F = *Copy.getFunction();
  const Argument *To = asParameter(Copy.getRawDest()),
                 *From = asParameter(Copy.getRawSource());
  ItaniumPartialDemangler Name;
  if (!To || !From || To->getArgNo() != 0 || From->getArgNo() != 1 ||
      Name.partialDemangle(F.getName().str().c_str()) ||
      !(Name.isCtorOrDtor() || F.getName().contains("aSERKS")))
    return false;
  // What is moved there is no rest of a number that begins where the base is.
  auto IsApart = [&](const Value *P, bool Bytes) {
    APInt Offset(64, 0);
    const Value *Root = P->stripAndAccumulateConstantOffsets(
        F.getDataLayout(), Offset, /*AllowNonInbounds=*/true);
    if (isa<AllocaInst, GlobalValue>(Root))
      return true;
    const Argument *A = asParameter(Root);
    return A && (A == To || A == From)
               ? Offset.isZero() || !Offset.ult(SizeOfNumbers)
               : !Bytes;
  };
  return all_of(instructions(F), [&](const Instruction &I) {
    if (const Value *P = getLoadStorePointerOperand(&I)) {
      const Type *T = getLoadStoreType(const_cast<Instruction *>(&I));
      return IsApart(P, T->isIntegerTy() && T->getIntegerBitWidth() < 64);
    }
    const auto *C = dyn_cast<CallBase>(&I);
    return !C || C->isLifetimeStartOrEnd() ||
           all_of(C->args(), [&](const Use &A) {
             return !A->getType()->isPointerTy() ||
                    IsApart(A, isa<AnyMemIntrinsic>(C));
           });
  });
}

/// A character, a flag, an object without members, of one or two bytes, is
/// copied as a member of a struct.
static bool movesOneSmallMember(const MemTransferInst &Copy,
                                const DataLayout &DL) {
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  if (!Length || Length->isZero() || Length->getZExtValue() > 2 ||
      Copy.isVolatile())
    return false;
  if (movesEmptyBase(Copy))
    return true;
  return any_of(
      ArrayRef{Copy.getRawSource(), Copy.getRawDest()}, [&](const Value *P) {
        auto Leaves = layoutAt(placeOf(P, DL), Length->getZExtValue(), DL);
        return Leaves && Leaves->size() == 1 && Leaves->front().Member &&
               Leaves->front().Ty && Leaves->front().Ty->isIntegerTy();
      });
}

static void moveOneInteger(MemTransferInst &Copy) {
  IRBuilder<> B(&Copy);
  Type *T =
      B.getIntNTy(8 * cast<ConstantInt>(Copy.getLength())->getZExtValue());
  const bool Small = T->getIntegerBitWidth() < 32;
  MDNode *Fields = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  LoadInst *Load = B.CreateAlignedLoad(T, Copy.getRawSource(),
                                       Copy.getSourceAlign().valueOrOne());
  StoreInst *Store = B.CreateAlignedStore(Load, Copy.getRawDest(),
                                          Copy.getDestAlign().valueOrOne());
  for (Instruction *I : {(Instruction *)Load, (Instruction *)Store}) {
    if (Small) {
      noteFact(*I, SourceFact::SmallMember);
      continue;
    }
    noteInteger(*I, /*Declared=*/true);
    I->setMetadata(LLVMContext::MD_tbaa, cast<MDNode>(Fields->getOperand(2)));
  }
  Copy.eraseFromParent();
}

void retrograd::labelCopies(Function &F, ArrayRef<StructType *> Structs,
                            const SmallPtrSetImpl<Type *> &Puns) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Copy = dyn_cast<MemTransferInst>(&I);
        Copy && (movesOneInteger(*Copy) ||
                 movesOneSmallMember(*Copy, F.getDataLayout())))
      moveOneInteger(*Copy);
  for (Instruction &I : instructions(F))
    if (auto *Copy = dyn_cast<MemTransferInst>(&I);
        Copy && !hasFact(*Copy, SourceFact::Layout))
      label(*Copy, Structs, F.getDataLayout(), /*OnlyStructs=*/true);
  for (Instruction &I : instructions(F))
    if (auto *Fill = dyn_cast<MemSetInst>(&I))
      label(*Fill, F.getDataLayout());
  labelElements(F, Puns);
}

static void split(MemTransferInst &Copy, ArrayRef<Leaf> Leaves) {
  IRBuilder<> B(&Copy);
  auto Address = [&](Value *Base, uint64_t Offset) {
    return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset)
                  : Base;
  };
  Value *From = Copy.getRawSource(), *To = Copy.getRawDest();
  Align FromAlign = Copy.getSourceAlign().valueOrOne();
  Align ToAlign = Copy.getDestAlign().valueOrOne();
  // All loads first: source and destination of a memcpy may be the same, those
  // of a memmove may overlap. (Bytes without a type go through a smaller copy;
  // they do not mix with overlapping, see makeCopiesTyped.)
  SmallVector<Value *, 8> Loaded;
  for (const Leaf &L : Leaves) {
    LoadInst *Load = nullptr;
    if (L.Ty) {
      Load = B.CreateAlignedLoad(L.Ty, Address(From, L.Offset),
                                 commonAlignment(FromAlign, L.Offset));
      if (L.Ty->isIntegerTy())
        noteInteger(*Load, L.Member);
    }
    Loaded.push_back(Load);
  }
  for (auto [L, Value] : zip(Leaves, Loaded)) {
    if (!L.Ty) {
      B.CreateMemMove(Address(To, L.Offset), commonAlignment(ToAlign, L.Offset),
                      Address(From, L.Offset),
                      commonAlignment(FromAlign, L.Offset), L.Size);
      continue;
    }
    StoreInst *Store = B.CreateAlignedStore(Value, Address(To, L.Offset),
                                            commonAlignment(ToAlign, L.Offset));
    if (L.Ty->isIntegerTy())
      noteInteger(*Store, L.Member);
  }
  Copy.eraseFromParent();
}

/// The members of Copy as the type of the assignment says: for copies between
/// pointers to void (`new T(*static_cast<T *>(from))`).
static std::optional<SmallVector<Leaf, 8>>
declaredLayout(const MemTransferInst &Copy) {
  const auto Layout = layoutFact(Copy, SourceFact::Declared);
  if (!Layout)
    return std::nullopt;
  SmallVector<LayoutMember, 8> Members;
  if (!readMembers(*Layout, Copy.getContext(), Members) ||
      Members.size() > MostLeaves)
    return std::nullopt;
  const DataLayout &DL = Copy.getDataLayout();
  SmallVector<Leaf, 8> Leaves;
  for (const LayoutMember &M : Members)
    Leaves.push_back(
        {uint64_t(M.Offset),
         M.Ty ? DL.getTypeStoreSize(M.Ty).getFixedValue() : uint64_t(M.Bytes),
         M.Ty, /*Member=*/true});
  return Leaves;
}

/// Clang writes the padding of some classes as arrays of bytes (members of a
/// derived class may lie in it), which look like characters. The type of the
/// assignment has no member there.
static void dropPadding(const MemTransferInst &Copy,
                        SmallVectorImpl<Leaf> &Leaves) {
  const auto Declared = declaredLayout(Copy);
  if (!Declared)
    return;
  erase_if(Leaves, [&](const Leaf &L) {
    return !L.Ty && none_of(*Declared, [&](const Leaf &M) {
      return M.Offset < L.Offset + L.Size && L.Offset < M.Offset + M.Size;
    });
  });
}

void retrograd::makeCopiesTyped(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    if (!Copy || Copy->isVolatile())
      continue;
    auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
    if (!Length || Length->getZExtValue() > LargestSplitCopy) {
      if (!hasFact(*Copy, SourceFact::Layout))
        label(*Copy, /*Structs=*/{}, DL,
              /*OnlyStructs=*/false); // no tbaa.struct at -O0
      if (const auto Declared = layoutFact(*Copy, SourceFact::Declared);
          Declared && !hasFact(*Copy, SourceFact::Layout))
        noteLayout(*Copy, SourceFact::Layout, *Declared);
      continue;
    }
    uint64_t Size = Length->getZExtValue();
    // Both sides of a copy hold the same; either may know what. But a side that
    // the ABI made for the copy wants to stay in one piece.
    std::optional<Place> From = placeOf(Copy->getRawSource(), DL);
    std::optional<Place> To = placeOf(Copy->getRawDest(), DL);
    if ((From && mayBeCoerced(From->Frame)) || (To && mayBeCoerced(To->Frame)))
      continue;
    auto Leaves = layoutAt(placeOf(Copy->getRawSource(), DL), Size, DL);
    if (!Leaves)
      Leaves = layoutAt(placeOf(Copy->getRawDest(), DL), Size, DL);
    if (Leaves)
      dropPadding(*Copy, *Leaves);
    else
      Leaves = declaredLayout(*Copy);
    if (!Leaves)
      continue;
    // A few characters by themselves would become an integer in a register,
    // where nothing tells what they were.
    if (Size > 8 && any_of(*Leaves, [](const Leaf &L) {
          return !L.Ty && (L.Size == 2 || L.Size == 4);
        })) {
      if (!hasFact(*Copy, SourceFact::Layout))
        noteLayout(*Copy, SourceFact::Layout,
                   {describe(*Leaves), int64_t(Size)});
      continue;
    }
    // With partial overlap, moving the untyped rest in pieces would be wrong.
    if (isa<MemMoveInst>(Copy) &&
        any_of(*Leaves, [](const Leaf &L) { return !L.Ty; }))
      continue;
    split(*Copy, *Leaves);
  }
}

/// A literal struct, or an address computed in one: clang has no name for what
/// it invents to pass bytes around.
static bool isNameless(const Type *T) {
  auto *S = dyn_cast<StructType>(T);
  return S && S->isLiteral();
}

SmallPtrSet<const StructType *, 8> retrograd::structsInUnions(const Module &M) {
  SmallPtrSet<const StructType *, 8> Found;
  auto Union = [](Type *T) {
    while (auto *A = dyn_cast<ArrayType>(T))
      T = A->getElementType();
    auto *S = dyn_cast<StructType>(T);
    return S && isUnion(S);
  };
  // Clang steps into an alternative of a union without a word: the union's
  // address is the struct's.
  auto LeadsToUnion = [&](const Value *P) {
    if (const auto *A = dyn_cast<AllocaInst>(P))
      return Union(A->getAllocatedType());
    if (const auto *G = dyn_cast<GlobalVariable>(P))
      return Union(G->getValueType());
    const auto *GEP = dyn_cast<GEPOperator>(P);
    return GEP && (Union(GEP->getSourceElementType()) ||
                   Union(GEP->getResultElementType()));
  };
  if (const NamedMDNode *Names = M.getNamedMetadata(NumbersBeside))
    for (const MDNode *Name : Names->operands()) {
      StringRef Wanted = cast<MDString>(Name->getOperand(0))->getString();
      for (StructType *S : M.getIdentifiedStructTypes()) {
        // A second type of one name has a number behind it.
        StringRef Rest = S->hasName() ? S->getName() : "";
        if (Rest.consume_front(Wanted) &&
            (Rest.empty() ||
             (Rest.consume_front(".") && all_of(Rest, isDigit))))
          Found.insert(S);
      }
    }
  bool AnyUnion = false;
  for (StructType *S : M.getIdentifiedStructTypes())
    AnyUnion |= isUnion(S);
  if (!AnyUnion)
    return Found;
  // Structs without a name are mostly what unions consist of.
  for (StructType *S : M.getIdentifiedStructTypes())
    if (S->hasName() && S->getName().starts_with("struct.anon"))
      Found.insert(S);
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (const auto *GEP = dyn_cast<GEPOperator>(&I))
        if (const auto *S = dyn_cast<StructType>(GEP->getSourceElementType());
            S && S->hasName() && !isUnion(S) &&
            LeadsToUnion(GEP->getPointerOperand()))
          Found.insert(S);
  return Found;
}

/// An integer member of a struct, or an element of such an array.
static bool isMember(const Value *P,
                     const SmallPtrSetImpl<const StructType *> &InUnions) {
  const auto *GEP = dyn_cast<GEPOperator>(P);
  while (GEP && isa<ArrayType>(GEP->getSourceElementType()))
    GEP = dyn_cast<GEPOperator>(GEP->getPointerOperand());
  const auto *S =
      GEP ? dyn_cast<StructType>(GEP->getSourceElementType()) : nullptr;
  return S && !S->isLiteral() && !isUnion(S) && !InUnions.contains(S) &&
         GEP->getNumIndices() > 1;
}

/// A character, a bool, a short that a struct declares by itself: no array,
/// which may be storage for anything.
static bool isSmallMember(const Value *P, const Type *T,
                          const SmallPtrSetImpl<const StructType *> &InUnions) {
  const auto *GEP = dyn_cast<GEPOperator>(P);
  return GEP && isMember(P, InUnions) &&
         isa<StructType>(GEP->getSourceElementType()) &&
         GEP->getResultElementType() == T;
}

/// What a front end that optimises calls an access of a T.
static MDNode *tagOf(const Type &T) {
  return writtenTag(T.isDoubleTy()    ? "double"
                    : T.isFloatTy()   ? "float"
                    : T.isPointerTy() ? "any pointer"
                                      : "",
                    /*OfMember=*/false, T.getContext());
}

/// A load or store of a bit-field: of an integer member, without TBAA.
static bool isOfBitField(const Instruction &I) {
  const Value *P = getLoadStorePointerOperand(&I);
  const auto *GEP = P ? dyn_cast<GEPOperator>(P) : nullptr;
  return GEP && !I.isAtomic() && !I.hasMetadata(LLVMContext::MD_tbaa) &&
         getLoadStoreType(&I)->isIntegerTy() &&
         isa<StructType>(GEP->getSourceElementType()) &&
         GEP->getResultElementType() == getLoadStoreType(&I);
}

void retrograd::markBitFields(Module &M) {
  SmallVector<Instruction *, 8> Accesses;
  for (Function &F : M)
    if (!F.hasOptNone())
      for (Instruction &I : instructions(F))
        if (isOfBitField(I))
          Accesses.push_back(&I);
  if (Accesses.empty())
    return;
  const SmallPtrSet<const StructType *, 8> InUnions = structsInUnions(M);
  for (Instruction *I : Accesses)
    if (isMember(getLoadStorePointerOperand(I), InUnions)) {
      // Where two stores become one, LLVM keeps tags alone.
      const Type *T = getLoadStoreType(I);
      I->setMetadata(LLVMContext::MD_tbaa,
                     writtenTag(T->isIntegerTy(32)   ? "int"
                                : T->isIntegerTy(64) ? "long"
                                                     : "",
                                /*OfMember=*/true, M.getContext()));
      noteInteger(*I, /*Declared=*/true);
    }
}

void retrograd::markWrittenIntegers(
    Function &F, const SmallPtrSetImpl<const StructType *> &InUnions) {
  for (Instruction &I : instructions(F)) {
    if (!isa<LoadInst>(I) && !isa<StoreInst>(I))
      continue;
    Type *T = getLoadStoreType(&I);
    if (T->isDoubleTy() || T->isPointerTy())
      noteFact(I, SourceFact::Written);
    // Simplification keeps a tag where it merges accesses, or makes an integer
    // of one.
    if (MDNode *Tag = tagOf(*T); Tag && !I.hasMetadata(LLVMContext::MD_tbaa))
      I.setMetadata(LLVMContext::MD_tbaa, Tag);
    if (!I.isAtomic() && (T->isIntegerTy(8) || T->isIntegerTy(16)) &&
        isSmallMember(getLoadStorePointerOperand(&I), T, InUnions))
      noteFact(I, SourceFact::SmallMember);
    if (I.isAtomic() || !(T->isIntegerTy(32) || T->isIntegerTy(64)))
      continue;
    // What is passed by value is loaded from, and stored to, variables in the
    // pieces that the ABI asks for. So a variable has to be accessed as a
    // member of its own type; anywhere else, integers are integers.
    const Value *P = getLoadStorePointerOperand(&I);
    if (auto *A = dyn_cast<AllocaInst>(P->stripInBoundsOffsets())) {
      auto *GEP = dyn_cast<GEPOperator>(P);
      if (!GEP || isNameless(GEP->getSourceElementType()) ||
          isNameless(A->getAllocatedType()) ||
          A->getAllocatedType()->isIntegerTy() ||
          GEP->getResultElementType() != T)
        continue;
    }
    const bool Member =
        isMember(P, InUnions) || declaredInteger(I).value_or(false);
    // Of two accesses that become one, simplification keeps no fact of ours.
    if (!I.hasMetadata(LLVMContext::MD_tbaa))
      I.setMetadata(LLVMContext::MD_tbaa,
                    writtenTag(T->isIntegerTy(64) ? "long" : "int", Member,
                               F.getContext()));
    noteInteger(I, Member);
  }
}

void retrograd::markIntegerElements(
    Function &F, const SmallPtrSetImpl<const StructType *> &InUnions) {
  for (Instruction &I : instructions(F)) {
    if (!isa<LoadInst, StoreInst>(I) || I.isAtomic() ||
        namesAnything(accessTypeName(I)))
      continue;
    const Type *T = getLoadStoreType(&I);
    const auto *GEP = dyn_cast<GEPOperator>(getLoadStorePointerOperand(&I));
    if ((T->isIntegerTy(32) || T->isIntegerTy(64)) && GEP &&
        isa<ArrayType>(GEP->getSourceElementType()) &&
        GEP->getResultElementType() == T && isMember(GEP, InUnions))
      noteInteger(I, /*Declared=*/true);
  }
}

void retrograd::markHandedMembers(
    ArrayRef<Function *> Functions,
    const SmallPtrSetImpl<const StructType *> &InUnions) {
  auto IsIntegerMember = [&](const Value *P) {
    const auto *GEP = dyn_cast<GEPOperator>(P);
    if (!GEP)
      return false;
    const Type *T = GEP->getResultElementType();
    while (const auto *A = dyn_cast<ArrayType>(T))
      T = A->getElementType();
    return (T->isIntegerTy(32) || T->isIntegerTy(64)) && isMember(P, InUnions);
  };
  SmallVector<Instruction *, 32> Accesses;
  SmallVector<const Value *, 32> Addresses;
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      if (!isa<LoadInst, StoreInst>(I) || I.isAtomic() ||
          namesAnything(accessTypeName(I)))
        continue;
      const Type *T = getLoadStoreType(&I);
      const Value *P = getLoadStorePointerOperand(&I);
      if ((T->isIntegerTy(32) || T->isIntegerTy(64)) &&
          !isa<AllocaInst, GlobalValue>(P) && !IsIntegerMember(P)) {
        Accesses.push_back(&I);
        Addresses.push_back(P);
      }
    }
  const MemberAddresses Members(IsIntegerMember, Addresses);
  for (auto [I, P] : zip_equal(Accesses, Addresses))
    if (Members.contains(P))
      noteInteger(*I, /*Declared=*/true);
}
