//===- TypeOutside.cpp - what callers and declarations know of memory -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   void copy(const double *in, double *out) { memcpy(out, in, 8); }
//
// is a load and a store of an i64, and nothing in it says "double". Two others
// may know. The function that asks for the derivative passes arrays whose types
// it declared or uses; its own type analysis is taken over, from the places
// that the parameters point to on. And debug information, where there is any,
// has the parameters' types as they were written.
//
// Evidence is taken over, objects are not: which memory may be the same is a
// question about the analysed functions alone.
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeModel.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include <deque>
#include <map>
#include <numeric>

using namespace llvm;
using namespace retrograd;

// Pointers behind pointers behind parameters are followed this far.
static constexpr unsigned DeepestImport = 4;
// Enough for any struct; stops types that hold many pointers to each other. So
// many pieces of evidence, and so many places behind pointers.
static constexpr size_t MostImported = 4096;
// Arrays inside declared structs are spelled out up to this length.
static constexpr int64_t LongestDeclaredArray = 1024;

/// How to get from a pointer at P to the places W of the same object, as far as
/// they lie behind it; none if that cannot be said for Size bytes at once.
static std::optional<PointerStep> stepTo(Position P, Position W, int64_t Size) {
  PointerStep S;
  if (P.exact()) {
    S.Const = W.Off - P.Off;
    if (W.exact()) {
      if (S.Const + Size <= 0)
        return std::nullopt;
      return S;
    }
    S.Stride = W.Stride;
    if (S.Const < 0)
      S.Const += (-S.Const + W.Stride - 1) / W.Stride * W.Stride;
    if (W.Hi >= Position::PosInf) {
      S.Above = Position::PosInf;
      return S;
    }
    S.Above = W.Hi - 1 - (P.Off + S.Const);
    if (S.Above < 0)
      return std::nullopt;
    return S;
  }
  // Some element of an array: the phase is known if the elements are alike.
  if (W.exact())
    return std::nullopt;
  S.Stride = std::gcd(P.Stride, W.Stride);
  if (S.Stride < Size)
    return std::nullopt;
  S.Const = (W.Off - P.Off) % S.Stride;
  if (S.Const < 0)
    S.Const += S.Stride;
  S.Above = Position::PosInf;
  return S;
}

/// What another analysis knows, on its way into this one.
class TypeAnalysis::Impl::Import {
public:
  Import(Impl &Into, const Impl &Other) : Into(Into), Other(Other) {}

  /// What is known from P on holds from Addr on.
  void bytes(Position P, unsigned Asker, Var Addr);
  /// The same, and what the pointers there lead to.
  void all(Position P, unsigned Asker, Var Addr) {
    Waiting.push_back({P, Asker, Addr, 0});
  }
  /// Follows the pointers, near ones first: memory in which much has met leads
  /// to itself by each of its pointers, and the limit ends that.
  void follow();

private:
  struct Place {
    Position P;
    unsigned Asker;
    Var Addr;
    unsigned Depth;
  };
  Impl &Into;
  const Impl &Other;
  std::deque<Place> Waiting;
  /// Of an object, what nobody out there knows better than, by who asks.
  std::map<std::pair<unsigned, unsigned>, std::vector<Evidence>> Told;

  const std::vector<Evidence> &told(unsigned Obj, unsigned Asker);
};

const std::vector<Evidence> &TypeAnalysis::Impl::Import::told(unsigned Obj,
                                                              unsigned Asker) {
  auto [It, New] = Told.try_emplace({Obj, Asker});
  if (!New)
    return It->second;
  for (const Evidence &E : Other.G.evidenceOf(Obj)) {
    // An integer that was only guessed, or moved, is no reason to drop a
    // derivative.
    if (E.Level >= Trust::Guess || E.Kind.K == ByteKind::Conflict ||
        (E.Kind.K == ByteKind::Integer && E.Level != Trust::Strong && E.Copied))
      continue;
    auto Pieces = Other.G.resolve(E.Where, E.Size, Asker);
    if (Pieces.size() == 1 && Pieces[0].Start == 0 &&
        Pieces[0].Size == E.Size && Pieces[0].Kind == E.Kind)
      It->second.push_back(E);
  }
  return It->second;
}

void TypeAnalysis::Impl::Import::bytes(Position P, unsigned Asker, Var Addr) {
  for (const Evidence &E : told(P.Obj, Asker)) {
    if (Into.Seeds.size() > MostImported)
      return;
    if (auto S = stepTo(P, E.Where, E.Size))
      Into.seed(Addr, *S, E.Size, E.Kind, Trust::Hearsay);
  }
}

void TypeAnalysis::Impl::Import::follow() {
  for (size_t Seen = 0; !Waiting.empty() && Seen != MostImported; ++Seen) {
    if (Into.Seeds.size() > MostImported)
      break;
    const Place Here = Waiting.front();
    Waiting.pop_front();
    if (!Here.P.valid() || Here.Addr == NoVar)
      continue;
    bytes(Here.P, Here.Asker, Here.Addr);
    if (Here.Depth == DeepestImport)
      continue;
    for (const ObjectGraph::CellView &C : Other.G.cellsOf(Here.P.Obj)) {
      if (Seen + Waiting.size() > MostImported)
        break;
      auto S = stepTo(Here.P, C.Where, Into.PointerSize);
      Position Behind = Other.G.positionOf(C.Pointee);
      if (!S || !Behind.valid())
        continue;
      Var Cell = Into.G.newVar(), Pointee = Into.G.newVar();
      Into.G.addEdge(Here.Addr, Cell, *S);
      Into.G.addLoad(Cell, 0, Pointee);
      Waiting.push_back({Behind, Here.Asker, Pointee, Here.Depth + 1});
    }
  }
  Waiting.clear();
}

void TypeAnalysis::Impl::addOutside(const OutsideEvidence &Outside) {
  size_t Own = Seeds.size();
  std::vector<Seed> Inside;
  Inside.swap(Seeds); // the limits above count what is imported
  if (Outside.Types) {
    const Impl &Other = *Outside.Types->I;
    Import From(*this, Other);
    for (const OutsideEvidence::HandedIn &H : Outside.Arguments) {
      unsigned Asker = Other.originOf(H.Passed);
      Type *T = H.Parameter->getType();
      Var Passed = NoVar;
      if (isPointerLike(H.Passed->getType())) {
        Passed = Other.lookupPointer(H.Passed);
      } else if (auto It = Other.Registers.find(H.Passed);
                 It != Other.Registers.end() && H.Passed->getType() == T) {
        // An integer that carries the bytes of a struct.
        From.bytes(Other.G.positionOf(It->second), Asker, reg(H.Parameter));
        continue;
      }
      if (Passed == NoVar)
        continue;
      Position P = Other.G.positionOf(Passed);
      if (!P.valid())
        continue;
      if (!H.LoadedAt) {
        if (isPointerLike(T))
          From.all(P, Asker, pointer(H.Parameter));
        continue;
      }
      P = P.shifted(*H.LoadedAt);
      if (!isPointerLike(T)) {
        if (isRegisterLike(T))
          From.bytes(P, Asker, reg(H.Parameter));
        continue;
      }
      for (const ObjectGraph::CellView &C : Other.G.cellsOf(P.Obj))
        if (C.Where.exact() && C.Where.Off == P.Off)
          From.all(Other.G.positionOf(C.Pointee), Asker, pointer(H.Parameter));
    }
    // Globals have one address inside and outside.
    SmallVector<std::pair<Var, Var>, 8> Shared;
    for (auto &[V, Addr] : Pointers)
      if (isa<GlobalVariable>(V) && Addr != NoVar)
        if (Var There = Other.lookupPointer(V); There != NoVar)
          Shared.push_back({Addr, There});
    llvm::sort(Shared);
    for (auto [Addr, There] : Shared)
      From.all(Other.G.positionOf(There), ObjectGraph::NoOrigin, Addr);
    From.follow();
  }
  if (Outside.DebugInfo)
    for (Function *F : Functions)
      addDeclaredTypes(*F);
  Seeds.insert(Seeds.begin(), Inside.begin(), Inside.end());
  assert(Seeds.size() >= Own);
  (void)Own;
}

//===----------------------------------------------------------------------===//
// Debug information
//===----------------------------------------------------------------------===//

static bool isPointerTag(unsigned Tag) {
  return Tag == dwarf::DW_TAG_pointer_type ||
         Tag == dwarf::DW_TAG_reference_type ||
         Tag == dwarf::DW_TAG_rvalue_reference_type;
}

/// The type below its names and qualifiers.
static const DIType *strip(const DIType *T) {
  while (auto *D = dyn_cast_or_null<DIDerivedType>(T)) {
    switch (D->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
      T = D->getBaseType();
      continue;
    default:
      return T;
    }
  }
  return T;
}

static Type *floatOf(const DIBasicType &B, uint64_t Bits, const Module &M) {
  LLVMContext &C = M.getContext();
  switch (Bits) {
  case 16:
    return B.getName() == "__bf16" ? Type::getBFloatTy(C) : Type::getHalfTy(C);
  case 32:
    return Type::getFloatTy(C);
  case 64:
    return Type::getDoubleTy(C);
  case 128:
    if (B.getName() == "long double" || B.getName() == "complex")
      return M.getTargetTriple().isX86() ? Type::getX86_FP80Ty(C) : nullptr;
    return Type::getFP128Ty(C);
  default:
    return nullptr;
  }
}

void TypeAnalysis::Impl::seedPointee(const DIType *T, Var Addr, Step S,
                                     unsigned Depth) {
  auto *Ptr = dyn_cast_or_null<DIDerivedType>(strip(T));
  if (!Ptr || !isPointerTag(Ptr->getTag()) || Depth == DeepestImport)
    return;
  const DIType *To = strip(Ptr->getBaseType());
  if (!To || To->getSizeInBits() == 0 || To->getSizeInBits() % 8)
    return; // void, functions, types that are only declared
  Var Pointee;
  if (Depth == 0 && !S.Const && !S.Stride) {
    Pointee = Addr; // the parameter itself
  } else {
    Var Cell = G.newVar();
    Pointee = G.newVar();
    G.addEdge(Addr, Cell, S);
    G.addLoad(Cell, 0, Pointee);
  }
  // A reference leads to one object, a pointer to one for certain and perhaps
  // to any number.
  seedDeclared(To, Pointee, Step(), Depth + 1);
  if (Ptr->getTag() == dwarf::DW_TAG_pointer_type) {
    Step Each;
    Each.Stride = To->getSizeInBits() / 8;
    Each.Above = Position::PosInf;
    seedDeclared(To, Pointee, Each, Depth + 1);
  }
}

/// `char name[16]`. Storage for something else is aligned for it by a word of
/// the programmer's.
static bool isText(const DIType *T, const DIDerivedType &Member) {
  auto *A = dyn_cast_or_null<DICompositeType>(T);
  if (!A || A->getTag() != dwarf::DW_TAG_array_type || A->getAlignInBits() ||
      Member.getAlignInBits())
    return false;
  auto *Element = dyn_cast_or_null<DIBasicType>(strip(A->getBaseType()));
  return Element && Element->getName() == "char";
}

void TypeAnalysis::Impl::seedDeclared(const DIType *T, Var Addr, Step S,
                                      unsigned Depth) {
  T = strip(T);
  if (!T || Seeds.size() > MostImported)
    return;
  int64_t Size = T->getSizeInBits() / 8;
  auto Put = [&](Step At, int64_t Bytes, ByteKind K) {
    seed(Addr, At, Bytes, K, Trust::Hearsay);
  };
  if (auto *B = dyn_cast<DIBasicType>(T)) {
    unsigned Parts = B->getEncoding() == dwarf::DW_ATE_complex_float ? 2 : 1;
    switch (B->getEncoding()) {
    case dwarf::DW_ATE_float:
    case dwarf::DW_ATE_complex_float:
      if (Type *FP = floatOf(*B, B->getSizeInBits() / Parts,
                             *Functions.front()->getParent()))
        for (unsigned K = 0; K != Parts; ++K) {
          Step At = S;
          At.Const += K * (Size / Parts);
          Put(At, sizeOf(FP), {ByteKind::Float, FP});
        }
      return;
    case dwarf::DW_ATE_boolean:
    case dwarf::DW_ATE_signed:
    case dwarf::DW_ATE_unsigned:
    case dwarf::DW_ATE_UTF:
      Put(S, Size, {ByteKind::Integer, nullptr});
      return;
    default:
      return; // characters may be the bytes of anything
    }
  }
  if (auto *D = dyn_cast<DIDerivedType>(T)) {
    if (!isPointerTag(D->getTag()))
      return;
    Put(S, PointerSize, {ByteKind::Pointer, nullptr});
    seedPointee(D, Addr, S, std::max(Depth, 1u));
    return;
  }
  auto *C = dyn_cast<DICompositeType>(T);
  if (!C || !Size)
    return;
  switch (C->getTag()) {
  case dwarf::DW_TAG_enumeration_type:
    Put(S, Size, {ByteKind::Integer, nullptr});
    return;
  case dwarf::DW_TAG_array_type: {
    const DIType *E = strip(C->getBaseType());
    int64_t Each = E ? E->getSizeInBits() / 8 : 0;
    if (Each <= 0 || Size % Each)
      return;
    // Arrays of arrays are one array; so is an array of unknown length of them.
    int64_t N = Size / Each;
    if (!S.Stride || S.Stride == Size) {
      S.Above = S.Stride ? S.Above : (N - 1) * Each;
      S.Stride = Each;
      seedDeclared(E, Addr, S, Depth);
      return;
    }
    for (int64_t K = 0; K != std::min(N, LongestDeclaredArray); ++K) {
      seedDeclared(E, Addr, S, Depth);
      S.Const += Each;
    }
    return;
  }
  case dwarf::DW_TAG_structure_type:
  case dwarf::DW_TAG_class_type:
    break;
  default:
    return; // a union is what its accesses say
  }
  // Members, and between them what no member covers.
  SmallVector<std::pair<int64_t, int64_t>, 8> Covered;
  for (const DINode *N : C->getElements()) {
    auto *M = dyn_cast<DIDerivedType>(N);
    if (!M || M->isStaticMember() ||
        (M->getTag() != dwarf::DW_TAG_member &&
         M->getTag() != dwarf::DW_TAG_inheritance))
      continue;
    if (M->isVirtual())
      return; // the place of a virtual base is not constant
    const DIType *Of = strip(M->getBaseType());
    int64_t Begin = M->getOffsetInBits() / 8;
    int64_t Bits = M->isBitField()
                       ? M->getOffsetInBits() % 8 + M->getSizeInBits()
                   : Of ? Of->getSizeInBits()
                        : 0;
    int64_t End = Begin + (Bits + 7) / 8;
    Covered.push_back({Begin, End});
    Step At = S;
    At.Const += Begin;
    // Bytes in a row may be storage of anything, one by itself is none.
    auto *Basic = dyn_cast_or_null<DIBasicType>(Of);
    if (M->isBitField() || (Basic && Basic->getSizeInBits() == 8) ||
        isText(Of, *M))
      Put(At, End - Begin, {ByteKind::Integer, nullptr});
    else
      seedDeclared(Of, Addr, At, Depth);
  }
  if (Covered.empty())
    return;
  llvm::sort(Covered);
  int64_t Next = 0;
  Covered.push_back({Size, Size});
  for (auto [Begin, End] : Covered) {
    Step At = S;
    At.Const += Next;
    if (Begin > Next)
      Put(At, Begin - Next, {ByteKind::Integer, nullptr});
    Next = std::max(Next, End);
  }
}

void TypeAnalysis::Impl::addDeclaredTypes(const Function &F) {
  DISubprogram *SP = F.getSubprogram();
  if (!SP || !SP->getType())
    return;
  DITypeRefArray Declared = SP->getType()->getTypeArray();
  if (Declared.size() < 2)
    return;
  // Only where the parameters are those that were written, one by one.
  unsigned First = F.hasStructRetAttr() ? 1 : 0;
  if (F.arg_size() - First != Declared.size() - 1)
    return;
  for (const Argument &A : drop_begin(F.args(), First))
    if (A.getType()->isPointerTy())
      seedPointee(Declared[A.getArgNo() - First + 1], pointer(&A), Step(), 0);
}
