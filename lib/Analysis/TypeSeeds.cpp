//===- TypeSeeds.cpp - where evidence about types comes from --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strong evidence: typed accesses, arithmetic, TBAA tags (the accessed scalar
// and, through the struct path, its neighbours), initialisers. Weak evidence:
// declared types of variables. What others know is in TypeOutside.cpp.
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeModel.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

// Initialisers are read element by element down to this nesting, and arrays of
// pointers or structs up to this length.
static constexpr unsigned DeepestInitialiser = 8;
static constexpr unsigned LongestInitialiser = 4096;
// Arrays inside repeated structs are spelled out up to this length.
static constexpr uint64_t LongestInnerArray = 1024;

void TypeAnalysis::Impl::seedInteger(const Value *V, Trust L) {
  // A pointer taken as a number (differences, alignment) stays a pointer.
  if (isa<Constant>(V) || isa<PtrToIntInst>(V) ||
      !V->getType()->isIntOrIntVectorTy() ||
      isa<ScalableVectorType>(V->getType()))
    return;
  seed(reg(V), 0, sizeOf(V->getType()), {ByteKind::Integer, nullptr}, L);
}

void TypeAnalysis::Impl::seedType(Var Addr, Step S, Type *T, Trust L,
                                  bool Integers) {
  if (Addr == NoVar || !T->isSized() || isa<ScalableVectorType>(T))
    return;
  if (auto *AT = dyn_cast<ArrayType>(T)) {
    Type *E = AT->getElementType();
    int64_t Each = DL.getTypeAllocSize(E);
    uint64_t N = AT->getNumElements();
    if (N == 0 || Each == 0)
      return;
    // Bytes of an array of characters may hold anything.
    if (E->isIntegerTy(8))
      return;
    bool Flat = E->isSingleValueType();
    if (N > 1 && (S.Stride == 0 || (Flat && S.Stride % Each == 0 &&
                                    int64_t(N) * Each == S.Stride))) {
      // The outermost array, or arrays of arrays without a gap.
      S.Above = S.Above >= Position::PosInf ? S.Above
                                            : S.Above + int64_t(N - 1) * Each;
      S.Stride = Each;
      seedType(Addr, S, E, L, Integers);
      return;
    }
    for (uint64_t K = 0; K != std::min(N, LongestInnerArray); ++K) {
      seedType(Addr, S, E, L, Integers);
      S.Const += Each;
    }
    return;
  }
  if (auto *ST = dyn_cast<StructType>(T)) {
    const StructLayout *SL = DL.getStructLayout(ST);
    // Front ends spell unions, and structs passed in registers, with integers
    // that stand for anything.
    Integers &= ST->hasName() && !ST->getName().starts_with("union.");
    const auto Characters = Integers ? Texts.find(ST) : Texts.end();
    for (unsigned K = 0; K != ST->getNumElements(); ++K) {
      Step Field = S;
      int64_t Off = SL->getElementOffset(K).getFixedValue();
      Field.Const += Off;
      seedType(Addr, Field, ST->getElementType(K), L, Integers);
      if (Characters != Texts.end() &&
          is_contained(Characters->second, uint64_t(Off)))
        seed(Addr, Field, DL.getTypeAllocSize(ST->getElementType(K)),
             {ByteKind::Integer, nullptr}, std::max(L, Trust::Guess));
      // Padding holds nothing.
      int64_t End = Off + int64_t(DL.getTypeAllocSize(ST->getElementType(K)));
      int64_t Next = K + 1 == ST->getNumElements()
                         ? int64_t(SL->getSizeInBytes().getFixedValue())
                         : int64_t(SL->getElementOffset(K + 1).getFixedValue());
      Field.Const += End - Off;
      if (Integers && Next > End)
        seed(Addr, Field, Next - End, {ByteKind::Integer, nullptr}, L);
    }
    return;
  }
  forEachScalar(DL, T, 0, [&](uint64_t Off, Type *E) {
    Step At = S;
    At.Const += Off;
    if (E->isFloatingPointTy()) {
      seed(Addr, At, sizeOf(E), {ByteKind::Float, E}, L);
      // The last six bytes of a long double are copied with it, and hold
      // nothing.
      At.Const += sizeOf(E);
      seed(Addr, At, int64_t(DL.getTypeAllocSize(E)) - sizeOf(E),
           {ByteKind::Integer, nullptr}, std::max(L, Trust::Weak));
    } else if (E->isPointerTy())
      seed(Addr, At, sizeOf(E), {ByteKind::Pointer, nullptr}, L);
    else if (Integers && E->isIntegerTy())
      seed(Addr, At, sizeOf(E), {ByteKind::Integer, nullptr}, L);
  });
}

static Align alignmentOf(const Instruction &I) {
  if (getLoadStorePointerOperand(&I))
    return getLoadStoreAlignment(&I);
  for (unsigned N : {0u, 1u})
    if (const auto *C = dyn_cast<IntrinsicInst>(&I);
        C && N < C->arg_size() &&
        C->getArgOperand(N)->getType()->isPtrOrPtrVectorTy())
      return C->getParamAlign(N).valueOrOne();
  return I.isAtomic() ? Align(WordAlignment) : Align();
}

/// What the numbers and addresses of T have, where they lie at multiples of
/// their sizes: more than a word is moved by words. Integers that nobody wrote
/// may be halves.
static uint64_t alignmentNeeded(const Instruction &I, Type &T,
                                const DataLayout &DL) {
  const StringRef Tag = accessTypeName(I);
  const bool Written =
      hasFact(I, SourceFact::Integer) || (!Tag.empty() && !namesAnything(Tag));
  uint64_t Needed = 1;
  forEachScalar(DL, &T, 0, [&](uint64_t, Type *E) {
    const uint64_t Size = DL.getTypeStoreSize(E);
    if (Size >= sizeof(float))
      Needed = std::max(Needed, E->isIntegerTy() && !Written
                                    ? uint64_t(WordAlignment)
                                    : std::min<uint64_t>(Size, WordAlignment));
  });
  return Needed;
}

/// What instruction I, which accesses a T at Addr, knows of the memory there.
void TypeAnalysis::Impl::seedAccess(const Instruction &I, Var Addr, Type *T) {
  Accessed.push_back(Addr);
  noteAlignment(Addr, alignmentOf(I), alignmentNeeded(I, *T, DL));
  seedType(Addr, 0, T, Trust::Strong, /*Integers=*/false);
  Trust Scalar = Moves.contains(&I) ? Trust::Moved : Trust::Strong;
  // Set by preparation on accesses that a front end typed as integers.
  if (hasFact(I, SourceFact::Integer) && T->isIntOrIntVectorTy())
    seed(Addr, 0, sizeOf(T), {ByteKind::Integer, nullptr}, Scalar);
  if (MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa))
    seedTBAA(Tag, Addr, T, Scalar);
  if (MDNode *Fields = I.getMetadata(LLVMContext::MD_tbaa_struct))
    seedTBAAStruct(Fields, Addr);
}

//===----------------------------------------------------------------------===//
// TBAA
//===----------------------------------------------------------------------===//

/// Scalars have one "member", their parent in the type hierarchy, at offset 0.
static bool isScalarTBAA(const MDNode *Type) {
  if (!Type || Type->getNumOperands() < 2 || Type->getNumOperands() > 3)
    return false;
  auto *Parent = dyn_cast<MDNode>(Type->getOperand(1));
  if (!Parent)
    return false;
  // A struct of one member looks the same; its member is no ancestor type.
  StringRef P = tagTypeName(Parent);
  return Parent->getNumOperands() < 3 || namesAnything(P) ||
         namesParentOfPointers(P);
}

ByteKind TypeAnalysis::Impl::kindOfTBAA(const MDNode *Type) const {
  StringRef N = tagTypeName(Type);
  if (!isScalarTBAA(Type) || N.empty() || namesAnything(N))
    return {};
  LLVMContext &C = Functions.front()->getContext();
  llvm::Type *FP =
      StringSwitch<llvm::Type *>(N)
          .Case("float", llvm::Type::getFloatTy(C))
          .Case("double", llvm::Type::getDoubleTy(C))
          .Cases({"_Float16", "__fp16", "half"}, llvm::Type::getHalfTy(C))
          .Case("__bf16", llvm::Type::getBFloatTy(C))
          .Cases({"__float128", "_Float128"}, llvm::Type::getFP128Ty(C))
          .Default(nullptr);
  if (FP)
    return {ByteKind::Float, FP};
  if (namesPointer(N))
    return {ByteKind::Pointer, nullptr};
  bool Integer = StringSwitch<bool>(N)
                     .Cases({"bool", "_Bool", "short", "int", "long"}, true)
                     .Cases({"long long", "__int128", "wchar_t", "char8_t",
                             "char16_t", "char32_t"},
                            true)
                     .Default(false);
  if (Integer)
    return {ByteKind::Integer, nullptr};
  return {}; // long double (several formats), enumerations, other languages
}

static int64_t sizeOfIntegerTBAA(StringRef Name) {
  return StringSwitch<int64_t>(Name)
      .Cases({"bool", "_Bool", "char8_t"}, 1)
      .Cases({"short", "char16_t"}, 2)
      .Cases({"int", "char32_t", "wchar_t"}, 4)
      .Cases({"long", "long long"}, 8)
      .Case("__int128", 16)
      .Default(0);
}

/// The members of a struct type node: (type, offset) pairs from operand 1 on.
static void forEachMember(const MDNode *Type,
                          function_ref<void(const MDNode *, int64_t)> Visit) {
  for (unsigned K = 1; K + 1 < Type->getNumOperands(); K += 2) {
    auto *Member = dyn_cast<MDNode>(Type->getOperand(K));
    auto *Off = mdconst::dyn_extract<ConstantInt>(Type->getOperand(K + 1));
    if (Member && Off)
      Visit(Member, Off->getSExtValue());
  }
}

void TypeAnalysis::Impl::seedTBAA(const MDNode *Tag, Var Addr,
                                  llvm::Type *Accessed, Trust Scalar) {
  if (Tag->getNumOperands() < 3)
    return;
  auto *Base = dyn_cast<MDNode>(Tag->getOperand(0));
  auto *Access = dyn_cast<MDNode>(Tag->getOperand(1));
  auto *Off = mdconst::dyn_extract<ConstantInt>(Tag->getOperand(2));
  if (!Base || !Access || !Off)
    return;
  auto SeedScalar = [&](const MDNode *T, int64_t At, int64_t Size,
                        Trust OfIntegers = Trust::Strong) {
    ByteKind K = kindOfTBAA(T);
    if (K.K == ByteKind::Pointer) {
      Size = PointerSize;
    } else if (K.K == ByteKind::Float) {
      Size = sizeOf(K.FP);
    } else if (K.K == ByteKind::Integer) {
      if (Size <= 0)
        Size = sizeOfIntegerTBAA(tagTypeName(T));
    } else {
      return;
    }
    seed(Addr, At, Size, K,
         K.K == ByteKind::Integer ? OfIntegers : Trust::Strong);
  };
  if (Accessed) {
    // Tags of a wider access (merged by the optimiser) say nothing of its
    // bytes.
    ByteKind K = kindOfTBAA(Access);
    int64_t Size = sizeOf(Accessed);
    if ((K.K == ByteKind::Integer && Accessed->isIntegerTy()) ||
        (K.K == ByteKind::Pointer && Size == PointerSize) ||
        (K.K == ByteKind::Float && Size == sizeOf(K.FP)))
      SeedScalar(Access, 0, Size, Scalar);
    else if (!namesAnything(tagTypeName(Access)) && K.K == ByteKind::Unknown &&
             Accessed->isIntegerTy() && isScalarTBAA(Access))
      seed(Addr, 0, Size, {ByteKind::Integer, nullptr}, Trust::Weak);
  }
  if (Base == Access)
    return;
  // The rest of the enclosing struct. Only the first element of an array
  // member is listed; what follows up to the next member is either more of
  // the same or padding, which may pass for the same.
  struct Member {
    const MDNode *Type;
    int64_t Off;
  };
  SmallVector<Member, 16> Members;
  auto Flatten = [&](auto &&Self, const MDNode *T, int64_t At,
                     unsigned Depth) -> void {
    if (Depth > 8 || Members.size() > 1024)
      return;
    if (isScalarTBAA(T)) {
      Members.push_back({T, At});
      return;
    }
    forEachMember(T, [&](const MDNode *M, int64_t O) {
      Self(Self, M, At + O, Depth + 1);
    });
  };
  Flatten(Flatten, Base, 0, 0);
  int64_t Start = -Off->getSExtValue(), Align = 1;
  for (unsigned I = 0; I != Members.size(); ++I) {
    const Member &M = Members[I];
    SeedScalar(M.Type, Start + M.Off, 0);
    ByteKind K = kindOfTBAA(M.Type);
    int64_t Size = K.K == ByteKind::Pointer ? int64_t(PointerSize)
                   : K.K == ByteKind::Float ? sizeOf(K.FP)
                   : K.K == ByteKind::Integer
                       ? sizeOfIntegerTBAA(tagTypeName(M.Type))
                       : 0;
    if (Size <= 0)
      continue;
    Align = std::max(Align, std::min<int64_t>(Size, 8));
    int64_t End = M.Off + Size;
    int64_t Next = I + 1 == Members.size() ? (End + Align - 1) / Align * Align
                                           : Members[I + 1].Off;
    if (K.K == ByteKind::Integer && Next > End) {
      seed(Addr, Start + End, Next - End, K, Trust::Guess);
      continue;
    }
    if (Next - End > int64_t(LongestInnerArray) * Size)
      continue;
    for (; End + Size <= Next; End += Size)
      seed(Addr, Start + End, Size, K, Trust::Guess);
  }
}

/// The scalars of the members in a !tbaa.struct, arrays element by element.
/// Those of an unknown type are left out.
SmallVector<Placed, 8>
TypeAnalysis::Impl::membersOf(const MDNode *Fields) const {
  SmallVector<Placed, 8> Pieces;
  for (unsigned K = 0; K + 2 < Fields->getNumOperands(); K += 3) {
    auto *Off = mdconst::dyn_extract<ConstantInt>(Fields->getOperand(K));
    auto *Len = mdconst::dyn_extract<ConstantInt>(Fields->getOperand(K + 1));
    auto *Tag = dyn_cast<MDNode>(Fields->getOperand(K + 2));
    if (!Off || !Len || !Tag || Tag->getNumOperands() < 3)
      continue;
    ByteKind Kind = kindOfTBAA(dyn_cast<MDNode>(Tag->getOperand(1)));
    const int64_t Begin = Off->getZExtValue(), Size = Len->getZExtValue();
    int64_t Each = Size;
    if (Kind.K == ByteKind::Unknown)
      continue;
    if (Kind.K == ByteKind::Float)
      Each = DL.getTypeAllocSize(Kind.FP);
    else if (Kind.K == ByteKind::Pointer)
      Each = PointerSize;
    if (Size % Each)
      continue;
    for (int64_t X = 0; X < Size; X += Each)
      Pieces.push_back({Begin + X,
                        Kind.K == ByteKind::Float ? sizeOf(Kind.FP) : Each,
                        Kind, Trust::Strong});
  }
  return Pieces;
}

void TypeAnalysis::Impl::seedTBAAStruct(const MDNode *Fields, Var Addr) {
  for (const Placed &P : membersOf(Fields))
    seed(Addr, P.Start, P.Size, P.Kind, P.Level);
}

//===----------------------------------------------------------------------===//
// Layouts that preparation found
//===----------------------------------------------------------------------===//

void TypeAnalysis::Impl::seedLayout(MemoryLayout Layout, Var Addr,
                                    int64_t Length) {
  const int64_t Each = Layout.Period;
  if (!Each)
    return;
  const bool Bounded = Length != ObjectGraph::Unbounded;
  for (const Placed &P : readLayout(Layout)) {
    // What is moved may end within the layout: as part of a struct, with what
    // lies before that part at the end. Behind it there is something else.
    if (Bounded && P.Start + P.Size > Length)
      continue;
    Step Field;
    Field.Const = P.Start;
    if (!Bounded || Length > Each) {
      Field.Stride = Each;
      Field.Above = Bounded ? (Length - P.Start - P.Size) / Each * Each
                            : Position::PosInf;
    }
    seed(Addr, Field, P.Size, P.Kind, Trust::Strong);
  }
}

/// The members of one period in order; padding is integers, what has no type is
/// left out.
SmallVector<Placed, 8>
TypeAnalysis::Impl::readLayout(MemoryLayout Layout) const {
  SmallVector<Placed, 8> Result;
  SmallVector<LayoutMember, 16> Members;
  const bool Whole =
      readMembers(Layout, Functions.front()->getContext(), Members);
  int64_t Covered = 0;
  auto Put = [&](int64_t At, int64_t Size, ByteKind K) {
    Result.push_back({At, Size, K, Trust::Strong});
  };
  for (const LayoutMember &M : Members) {
    ByteKind K;
    int64_t Size = M.Bytes;
    if (M.Ty && M.Ty->isFloatingPointTy()) {
      K = {ByteKind::Float, M.Ty};
      Size = sizeOf(M.Ty);
    } else if (M.Ty && M.Ty->isPointerTy()) {
      K.K = ByteKind::Pointer;
      Size = PointerSize;
    } else if (M.Ty) {
      K.K = ByteKind::Integer;
    }
    if (M.Offset > Covered)
      Put(Covered, M.Offset - Covered, {ByteKind::Integer, nullptr});
    if (M.Ty)
      Put(M.Offset, Size, K);
    Covered = std::max(Covered, M.Offset + Size);
  }
  if (!Whole)
    return Result;
  if (Covered < Layout.Period)
    Put(Covered, Layout.Period - Covered, {ByteKind::Integer, nullptr});
  return Result;
}

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

void TypeAnalysis::Impl::seedInitialiser(const Constant &C, Var Addr,
                                         int64_t Off, unsigned Depth) {
  llvm::Type *T = C.getType();
  if (Depth > DeepestInitialiser || C.isNullValue() || isa<UndefValue>(C))
    return;
  if (isa<ConstantFP>(C) || isa<ConstantDataSequential>(C)) {
    seedType(Addr, Off, T, Trust::Strong, /*Integers=*/false);
    return;
  }
  if (isPointerLike(T)) {
    seed(Addr, Off, sizeOf(T), {ByteKind::Pointer, nullptr}, Trust::Strong);
    G.addStore(Addr, Off, pointer(&C));
    return;
  }
  if (auto *CE = dyn_cast<ConstantExpr>(&C)) {
    if (CE->getOpcode() == Instruction::PtrToInt && sizeOf(T) == PointerSize) {
      seed(Addr, Off, sizeOf(T), {ByteKind::Pointer, nullptr}, Trust::Strong);
      G.addStore(Addr, Off, pointer(CE->getOperand(0)));
    }
    return;
  }
  if (!isa<ConstantAggregate>(C))
    return;
  if (auto *ST = dyn_cast<StructType>(T)) {
    const StructLayout *SL = DL.getStructLayout(ST);
    for (unsigned K = 0; K != ST->getNumElements(); ++K)
      seedInitialiser(*C.getAggregateElement(K), Addr,
                      Off + SL->getElementOffset(K).getFixedValue(), Depth + 1);
    return;
  }
  uint64_t Each =
      isa<ArrayType>(T)
          ? DL.getTypeAllocSize(cast<ArrayType>(T)->getElementType())
                .getFixedValue()
          : DL.getTypeStoreSize(T->getScalarType()).getFixedValue();
  for (unsigned K = 0, N = std::min(C.getNumOperands(), LongestInitialiser);
       K != N; ++K)
    seedInitialiser(*cast<Constant>(C.getOperand(K)), Addr, Off + K * Each,
                    Depth + 1);
}

void TypeAnalysis::Impl::seedGlobal(const GlobalVariable &GV) {
  G.CurrentSource = sourceOf(&GV);
  Var P = pointer(&GV);
  seedType(P, 0, GV.getValueType(), Trust::Weak,
           !GV.getValueType()->isIntegerTy());
  if (GV.hasInitializer())
    seedInitialiser(*GV.getInitializer(), P, 0, 0);
}
