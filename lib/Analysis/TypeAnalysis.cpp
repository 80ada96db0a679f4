//===- TypeAnalysis.cpp - what lies at each byte of memory ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeAnalysis.h"
#include "Analysis/TypeModel.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <array>
#include <numeric>

using namespace llvm;
using namespace retrograd;

// A pattern longer than this is taken for accidental (strides that share no
// structure), not for an element type.
static constexpr int64_t LongestPeriod = 4096;

void retrograd::forEachScalar(const DataLayout &DL, Type *T, uint64_t Offset,
                              function_ref<void(uint64_t, Type *)> Visit) {
  if (auto *ST = dyn_cast<StructType>(T)) {
    const StructLayout *SL = DL.getStructLayout(ST);
    for (unsigned I = 0; I != ST->getNumElements(); ++I)
      forEachScalar(DL, ST->getElementType(I),
                    Offset + SL->getElementOffset(I).getFixedValue(), Visit);
    return;
  }
  if (auto *AT = dyn_cast<ArrayType>(T)) {
    uint64_t Size = DL.getTypeAllocSize(AT->getElementType());
    for (uint64_t I = 0; I != AT->getNumElements(); ++I)
      forEachScalar(DL, AT->getElementType(), Offset + I * Size, Visit);
    return;
  }
  if (auto *VT = dyn_cast<FixedVectorType>(T)) {
    // Elements of vectors are packed; those of odd widths share bytes and
    // can only be integers.
    uint64_t Bits = DL.getTypeSizeInBits(VT->getElementType());
    if (Bits % 8 == 0)
      for (unsigned I = 0; I != VT->getNumElements(); ++I)
        Visit(Offset + I * (Bits / 8), VT->getElementType());
    else
      Visit(Offset,
            IntegerType::get(T->getContext(), DL.getTypeStoreSizeInBits(T)));
    return;
  }
  Visit(Offset, T);
}

TypeAnalysis::Impl::Impl(ArrayRef<Function *> Fns,
                         function_ref<Function *(const Function *)> PreparedOf,
                         const Catalogue &Cat, const OutsideEvidence *Outside,
                         bool KeepJournal)
    : Functions(Fns.begin(), Fns.end()), PreparedOf(PreparedOf), Cat(Cat),
      DL(Fns.front()->getParent()->getDataLayout()),
      PointerSize(DL.getPointerSize()), G(PointerSize) {
  if (KeepJournal)
    G.keep(Happened);
  InSet.insert(Functions.begin(), Functions.end());
  findInert();
  findCalled();
  for (Function *F : Functions) {
    G.CurrentOrigin = Origins.size();
    Origins[F] = G.CurrentOrigin;
    addFunction(*F);
  }
  G.CurrentOrigin = ObjectGraph::NoOrigin;
  while (!NewGlobals.empty())
    seedGlobal(*NewGlobals.pop_back_val());
  if (Outside)
    addOutside(*Outside);
  G.solvePointers();
  // Callers first: what their parameters lead to may be handed on.
  for (const Function *F : Functions)
    if (groundParameters(*F))
      G.solvePointers();
  // What is accessed exists, wherever it comes from: an access to "nothing"
  // would look like one that cannot matter.
  bool Grounded = false;
  for (Var V : Accessed)
    Grounded |= V != NoVar && G.ground(V);
  if (Grounded)
    G.solvePointers();
  settleMoves();
  for (const Seed &S : Seeds) {
    Position P = S.S.apply(G.positionOf(S.Addr));
    if (P.valid())
      G.addEvidence(P, S.Size, S.Kind, S.Level, /*Copied=*/false, S.Origin);
  }
  Seeds.clear();
  G.solveEvidence();
  numberObjects();
}

unsigned TypeAnalysis::Impl::originOf(const Value *V) const {
  const Function *F = nullptr;
  if (auto *I = dyn_cast<Instruction>(V))
    F = I->getFunction();
  else if (auto *A = dyn_cast<Argument>(V))
    F = A->getParent();
  auto It = Origins.find(F);
  return It == Origins.end() ? ObjectGraph::NoOrigin : It->second;
}

/// Public ids follow the order in which objects were first met in the program.
void TypeAnalysis::Impl::numberObjects() {
  for (unsigned O = 0; O != G.numObjects(); ++O) {
    if (RegisterObjects.contains(O))
      continue;
    unsigned Rep = G.representative(O);
    if (PublicIds.try_emplace(Rep, Representatives.size()).second)
      Representatives.push_back(Rep);
  }
}

ObjectGraph::Var TypeAnalysis::Impl::lookupPointer(const Value *V) const {
  if (auto It = Pointers.find(V); It != Pointers.end())
    return It->second;
  return NoVar;
}

SmallVector<TypedLeaf, 4> TypeAnalysis::Impl::toLeaves(ArrayRef<Placed> Pieces,
                                                       uint64_t Size) const {
  SmallVector<TypedLeaf, 4> Result;
  auto Add = [&](uint64_t B, uint64_t E, ByteKind K) {
    if (B >= E)
      return;
    if (!Result.empty() && Result.back().Kind == K && K.K != ByteKind::Float &&
        K.K != ByteKind::Pointer) {
      Result.back().Size += E - B;
      return;
    }
    Result.push_back({B, E - B, K});
  };
  uint64_t Next = 0;
  for (const Placed &P : Pieces) {
    uint64_t B = std::max<int64_t>(P.Start, Next);
    uint64_t E = std::min<int64_t>(P.Start + P.Size, Size);
    if (B >= E)
      continue;
    Add(Next, B, ByteKind());
    Add(B, E, P.Kind);
    Next = E;
  }
  Add(Next, Size, ByteKind());
  return Result;
}

SmallVector<TypedLeaf, 4> TypeAnalysis::Impl::leaves(Position P, uint64_t Size,
                                                     unsigned Asker) const {
  if (!P.valid())
    return toLeaves({}, Size);
  SmallVector<Placed, 8> Pieces = G.resolve(P, Size, Asker);
  auto Clashes = [](const Placed &Piece) {
    return Piece.Kind.K == ByteKind::Conflict;
  };
  if (none_of(Pieces, Clashes))
    return toLeaves(Pieces, Size);
  // At the ends of the window, pieces that reach across may clash with each
  // other only because what is known of the bytes beyond was not asked for.
  constexpr int64_t Beyond = 16;
  SmallVector<Placed, 8> Wider =
      G.resolve(P.shifted(-Beyond), Size + 2 * Beyond, Asker);
  for (Placed &Piece : Wider)
    Piece.Start -= Beyond;
  llvm::erase_if(Wider, [&](const Placed &Piece) {
    return Piece.Start + Piece.Size <= 0 || Piece.Start >= int64_t(Size);
  });
  return toLeaves(any_of(Wider, Clashes) ? Pieces : Wider, Size);
}

TypeAnalysis::TypeAnalysis(
    ArrayRef<Function *> Functions,
    function_ref<Function *(const Function *)> PreparedOf, const Catalogue &Cat,
    const OutsideEvidence *Outside, bool KeepJournal)
    : I(std::make_unique<Impl>(Functions, PreparedOf, Cat, Outside,
                               KeepJournal)) {}

TypeAnalysis::~TypeAnalysis() = default;

SmallVector<TypedLeaf, 4> TypeAnalysis::leavesAt(const Value *P,
                                                 uint64_t Size) const {
  return I->leaves(I->G.positionOf(I->lookupPointer(P)), Size, I->originOf(P));
}

bool TypeAnalysis::touchesFloat(const Value *P, uint64_t Size) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return any_of(
      std::array{Trust::Strong, Trust::Weak, Trust::Hearsay},
      [&](Trust Level) { return I->G.touchesFloat(At, Size, Level); });
}

bool TypeAnalysis::isContested(const Value *P, uint64_t Offset,
                               uint64_t Size) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() &&
         I->G.isContested(At.shifted(Offset), Size, I->originOf(P));
}

bool TypeAnalysis::analysed(const Function &F) const {
  return I->InSet.contains(&F);
}

bool TypeAnalysis::storesFloat(const Value *P, uint64_t Size, uint64_t Offset,
                               uint64_t Period) const {
  // Alternatives and objects that merge have floats and integers in one place,
  // too.
  return hasFact(*I->Functions.front()->getParent(), SourceFact::CopiesBits) &&
         storesNumber(P, Offset, Size, Period);
}

bool TypeAnalysis::storesNumber(const Value *P, uint64_t Offset, uint64_t Size,
                                uint64_t Period) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  if (!At.valid())
    return false;
  At = At.shifted(Offset);
  if (Period) {
    At.Stride = std::gcd(At.Stride, int64_t(Period));
    At.Hi = Position::PosInf;
  }
  return I->G.touchesFloat(At, Size, Trust::Strong);
}

bool TypeAnalysis::knowsByIndexOnly(const Value *P, uint64_t Size) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.exact() && any_of(I->G.resolve(At, Size, I->originOf(P)),
                              [](const Placed &Piece) {
                                return Piece.Reached &&
                                       Piece.Kind.K == ByteKind::Float;
                              });
}

bool TypeAnalysis::callersKnowFloat(const Value *P, uint64_t Offset,
                                    uint64_t Size) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  if (!At.valid() ||
      !I->G.touchesFloat(At.shifted(Offset), Size, Trust::Hearsay))
    return false;
  // What they know of just this place overrules what their indices reach.
  return any_of(I->G.resolve(At.shifted(Offset), Size, ObjectGraph::NoOrigin,
                             Trust::Hearsay, Trust::Hearsay),
                [](const Placed &Piece) {
                  return Piece.Kind.K == ByteKind::Float ||
                         Piece.Kind.K == ByteKind::Conflict;
                });
}

Type *TypeAnalysis::sharedWithPointers(const Value *P, uint64_t Offset,
                                       uint64_t Size, bool Integers) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid()
             ? I->G.sharedWithPointers(At.shifted(Offset), Size, Integers)
             : nullptr;
}

bool TypeAnalysis::holdsPointers(const Value *P, uint64_t Offset,
                                 uint64_t Size) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && I->G.holdsPointers(At.shifted(Offset), Size);
}

TypeAnalysis::Kinds TypeAnalysis::kindsFrom(const Value *P) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  Kinds Found;
  if (!At.valid()) {
    Found.Others = true;
    return Found;
  }
  for (const Evidence &E : I->G.evidenceOf(At.Obj)) {
    if (E.Level > Trust::Hearsay || E.Kind.K == ByteKind::Unknown ||
        (At.Lo > Position::NegInf && E.Where.Hi < Position::PosInf &&
         E.Where.Hi - 1 + E.Size <= At.Lo))
      continue;
    // Distances of the two places are multiples of this.
    const int64_t Apart =
        std::gcd(std::gcd(At.Stride, E.Where.Stride), E.Where.Off - At.Off);
    if (Apart % E.Size || E.Kind.K == ByteKind::Conflict)
      Found.Others |= E.Kind.K != ByteKind::Integer || E.Size >= 4;
    Found.Integers |= E.Kind.K == ByteKind::Integer;
    Found.Pointers |= E.Kind.K == ByteKind::Pointer;
    if (E.Kind.K == ByteKind::Float) {
      Found.Doubles |= E.Kind.FP->isDoubleTy();
      Found.Singles |= E.Kind.FP->isFloatTy();
      Found.Others |= !E.Kind.FP->isDoubleTy() && !E.Kind.FP->isFloatTy();
    }
  }
  // Numbers that copies may have brought here, and nothing says to which
  // places (a stream of bytes).
  for (const Type *FP : I->G.formatsAround(At.Obj))
    Found.Others |= FP->isDoubleTy()  ? !Found.Doubles
                    : FP->isFloatTy() ? !Found.Singles
                                      : true;
  return Found;
}

bool TypeAnalysis::isIndexPlace(const Value *P) const {
  return I->isIndexPlace(P);
}

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

bool TypeAnalysis::isBareMove(const Instruction &Access) const {
  return I->Moves.contains(&Access);
}

std::optional<TypeAnalysis::Pattern>
TypeAnalysis::elementsOf(const Instruction &Copy) const {
  std::optional<MemoryLayout> Elements = layoutFact(Copy, SourceFact::Elements);
  if (!Elements)
    return std::nullopt;
  return Pattern{uint64_t(Elements->Period), 0,
                 I->toLeaves(I->readLayout(*Elements), Elements->Period)};
}

std::optional<TypeAnalysis::Pattern>
TypeAnalysis::patternAt(const Value *Ptr) const {
  Position P = I->G.positionOf(I->lookupPointer(Ptr));
  if (!P.valid())
    return std::nullopt;
  // The period of all repetitions that are known behind P, and where they
  // begin; with P's own steps it is that of what lies at P.
  auto Common = [](int64_t A, int64_t B) {
    return A && B ? std::lcm(A, B) : std::max(A, B);
  };
  int64_t OfMemory = 0, Begin = Position::PosInf;
  auto Repeat = [&](const Position &Where) {
    OfMemory = Common(OfMemory, Where.Stride);
    Begin = std::min(Begin, Where.Off);
    return Common(P.Stride, OfMemory) <= LongestPeriod;
  };
  std::vector<Evidence> All = I->G.evidenceOf(P.Obj);
  for (const Evidence &E : All) {
    if (E.Where.exact() || E.Level != Trust::Strong || E.Where.Hi <= P.Off ||
        (P.exact() && E.Where.Hi < Position::PosInf))
      continue;
    if (!Repeat(E.Where))
      return std::nullopt;
  }
  if (!P.Stride && !OfMemory) {
    // Bounded arrays and weak evidence, if nothing else repeats.
    for (const Evidence &E : All) {
      if (E.Where.exact() || E.Where.Hi <= P.Off)
        continue;
      if (!Repeat(E.Where))
        return std::nullopt;
    }
  }
  const int64_t Period = Common(P.Stride, OfMemory);
  // No repetition known: a pattern only if all that is known is of one kind.
  bool Homogeneous = true;
  std::optional<Evidence> First;
  for (const Evidence &E : All) {
    if (E.Where.Hi <= P.Off)
      continue;
    if (!First)
      First = E;
    Homogeneous &= E.Kind == First->Kind;
  }
  if (!First)
    return std::nullopt;
  if (Homogeneous && First->Kind.K == ByteKind::Integer)
    return Pattern{1, 0, {{0, 1, First->Kind}}};
  if (!Period) {
    if (!Homogeneous && P.exact()) {
      // Single elements, and nobody looks at what lies behind them.
      int64_t End = P.Off;
      for (const Evidence &E : All)
        End = std::max(End, E.Where.Off + E.Size);
      return End - P.Off <= LongestPeriod
                 ? I->listed(P, End - P.Off, I->originOf(Ptr))
                 : std::nullopt;
    }
    if (!Homogeneous || First->Kind.K == ByteKind::Conflict)
      return std::nullopt;
    for (const Evidence &E : All)
      if (E.Where.Hi > P.Off && (E.Where.Off - P.Off) % First->Size)
        return std::nullopt;
    return Pattern{
        uint64_t(First->Size), 0, {{0, uint64_t(First->Size), First->Kind}}};
  }
  // Of an address in steps of one byte nothing is known: whole elements.
  if (OfMemory && P.Stride > 1 && P.Stride % OfMemory)
    return I->outOfStep(P, OfMemory, All, I->originOf(Ptr));
  if (std::optional<Pattern> Whole =
          I->repeating(P, Period, /*Header=*/0, All, I->originOf(Ptr)))
    return Whole;
  // A struct that ends in an array: what repeats begins behind its other
  // members.
  if (!P.exact() || Begin <= P.Off || Begin - P.Off > LongestPeriod)
    return std::nullopt;
  return I->repeating(P, Period, Begin - P.Off, All, I->originOf(Ptr));
}

/// What lies at P, if nothing is known beyond Size bytes.
std::optional<TypeAnalysis::Pattern>
TypeAnalysis::Impl::listed(Position P, int64_t Size, unsigned Asker) const {
  Pattern Result{1, uint64_t(Size), leaves(P, Size, Asker)};
  if (any_of(Result.Leaves,
             [](const TypedLeaf &L) { return L.Kind.K == ByteKind::Conflict; }))
    return std::nullopt;
  Result.Leaves.push_back({uint64_t(Size), 1, ByteKind()});
  return Result;
}

/// What lies at P, which walks through repetitions of Period bytes in steps
/// that are no multiple of them (records that are copied in parts): where
/// within a repetition P is, is known only up to what both lengths have in
/// common.
std::optional<TypeAnalysis::Pattern>
TypeAnalysis::Impl::outOfStep(Position P, int64_t Period,
                              ArrayRef<Evidence> All, unsigned Asker) const {
  std::optional<Pattern> Found = repeating(P, Period, /*Header=*/0, All, Asker);
  const ByteKind Kind = Found ? Found->Leaves.front().Kind : ByteKind();
  uint64_t Covered = 0;
  for (const TypedLeaf &L : Found ? Found->Leaves : ArrayRef<TypedLeaf>())
    if (L.Kind == Kind)
      Covered += L.Size;
  if (!Found || Covered != Found->Period)
    return repeating(P, std::gcd(P.Stride, Period), /*Header=*/0, All, Asker);
  // Elements of one kind. A step below their size is that of an address of
  // which little is known, and elements are taken to be moved whole. A longer
  // one that is no multiple does cut them.
  const int64_t Size = Kind.K == ByteKind::Float ? DL.getTypeStoreSize(Kind.FP)
                       : Kind.K == ByteKind::Pointer ? DL.getPointerSize()
                                                     : 1;
  return P.Stride > Size && P.Stride % Size ? std::nullopt : Found;
}

/// What lies at P, if all that is known (All) fits Header bytes and then
/// elements of Period bytes.
std::optional<TypeAnalysis::Pattern>
TypeAnalysis::Impl::repeating(Position P, int64_t Period, int64_t Header,
                              ArrayRef<Evidence> All, unsigned Asker) const {
  Position Q = P.shifted(Header);
  Q.Stride = Period;
  Q.Lo = Q.Off;
  Q.Hi = Position::PosInf;
  Pattern Result;
  Result.Period = Period;
  Result.Header = Header;
  if (Header)
    Result.Leaves = leaves(P, Header, Asker);
  bool Known = false;
  for (TypedLeaf L : leaves(Q, Period, Asker)) {
    Known |= L.Kind.K != ByteKind::Unknown;
    L.Offset += Header;
    Result.Leaves.push_back(L);
  }
  if (!Known || any_of(Result.Leaves, [](const TypedLeaf &L) {
        return L.Kind.K == ByteKind::Conflict;
      }))
    return std::nullopt;
  // Single elements must not say otherwise.
  for (const Evidence &E : All) {
    if (!E.Where.exact() || E.Where.Off + E.Size <= Q.Off ||
        E.Level != Trust::Strong)
      continue;
    int64_t D = E.Where.Off - Q.Off;
    if (D < 0)
      return std::nullopt;
    D = Header + D % Period;
    if (none_of(Result.Leaves, [&](const TypedLeaf &L) {
          return int64_t(L.Offset) <= D &&
                 D + E.Size <= int64_t(L.Offset + L.Size) && L.Kind == E.Kind;
        }))
      return std::nullopt;
  }
  return Result;
}

SmallVector<TypedLeaf, 4> TypeAnalysis::leavesOf(const Value *V) const {
  SmallVector<TypedLeaf, 4> Result;
  Type *T = V->getType();
  if (!T->isSized() || T->isTokenTy() || isa<ScalableVectorType>(T))
    return Result;
  uint64_t Size = I->DL.getTypeStoreSize(T);
  SmallVector<Placed, 8> Pieces;
  auto It = I->Registers.find(V);
  if (It != I->Registers.end()) {
    // Its floats and pointers were seeded from its type. A float that crosses
    // elements (a double in <2 x i32>) stays whole.
    Pieces = I->G.resolve(I->G.positionOf(It->second), Size, I->originOf(V));
  } else {
    forEachScalar(I->DL, T, 0, [&](uint64_t Off, Type *S) {
      ByteKind K{ByteKind::Integer, nullptr};
      if (S->isFloatingPointTy())
        K = {ByteKind::Float, S};
      else if (S->isPointerTy())
        K = {ByteKind::Pointer, nullptr};
      else if (!isa<Constant>(V))
        return;
      Pieces.push_back(
          {int64_t(Off), int64_t(I->DL.getTypeStoreSize(S)), K, Trust::Strong});
    });
  }
  bool Narrow =
      Pieces.empty() && T->isIntegerTy() && T->getIntegerBitWidth() < 16;
  if (T->isIntegerTy() && T->getIntegerBitWidth() < 8)
    return {{0, Size, {ByteKind::Integer, nullptr}}};
  // A byte without any evidence is an integer, unless it is only carried from
  // memory to memory: then it may be a byte of anything.
  if (Narrow) {
    bool Carried = isa<LoadInst>(V) && all_of(V->users(), [](const User *U) {
                     return isa<StoreInst>(U);
                   });
    if (!Carried)
      Pieces.push_back(
          {0, int64_t(Size), {ByteKind::Integer, nullptr}, Trust::Weak});
  }
  return I->toLeaves(Pieces, Size);
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

const DataLayout &TypeAnalysis::dataLayout() const { return I->DL; }

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

SmallVector<TypedLeaf, 4>
TypeAnalysis::declaredBy(const Instruction &Copy) const {
  SmallVector<TypedLeaf, 4> Result;
  if (const MDNode *Fields = Copy.getMetadata(LLVMContext::MD_tbaa_struct))
    for (const Placed &P : I->fieldsOf(Fields))
      if (P.Kind.K != ByteKind::Integer && P.Start >= 0)
        Result.push_back({uint64_t(P.Start), uint64_t(P.Size), P.Kind});
  return Result;
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
    if (MDNode *Fields = Inst->getMetadata(LLVMContext::MD_tbaa_struct)) {
      SmallVector<Placed, 8> Pieces = I->fieldsOf(Fields);
      // Padding and characters: memory may know more; where it disagrees with
      // the copy's own fields, the fields win.
      auto Memory = mergeLeaves(leavesAt(MT->getRawDest(), Size),
                                leavesAt(MT->getRawSource(), Size));
      SmallVector<bool, 64> InField(Size, false);
      for (const Placed &Q : Pieces)
        for (int64_t X = std::max<int64_t>(Q.Start, 0),
                     E = std::min<int64_t>(Q.Start + Q.Size, Size);
             X < E; ++X)
          InField[X] = true;
      for (const TypedLeaf &L : Memory) {
        if (L.Kind.K == ByteKind::Unknown)
          continue;
        // Integers in a row are one leaf: the fields may have some of them.
        uint64_t End = L.Offset + L.Size;
        for (uint64_t X = L.Offset, E; X != End; X = E) {
          E = X + 1;
          while (E != End && InField[E] == InField[X])
            ++E;
          if (!InField[X] && (E - X == L.Size || L.Kind.K == ByteKind::Integer))
            Pieces.push_back(
                {int64_t(X), int64_t(E - X), L.Kind, Trust::Strong});
        }
      }
      // What no field covers is padding, and no bytes of interest.
      auto Covered = [&](int64_t X) {
        for (unsigned K = 0; K + 2 < Fields->getNumOperands(); K += 3) {
          auto *Off = mdconst::dyn_extract<ConstantInt>(Fields->getOperand(K));
          auto *Len =
              mdconst::dyn_extract<ConstantInt>(Fields->getOperand(K + 1));
          if (!Off || !Len ||
              (X >= Off->getSExtValue() &&
               X < Off->getSExtValue() + Len->getSExtValue()))
            return true;
        }
        return false;
      };
      SmallVector<bool, 64> Taken(Size, false);
      for (const Placed &Q : Pieces)
        for (int64_t X = std::max<int64_t>(Q.Start, 0),
                     E = std::min<int64_t>(Q.Start + Q.Size, Size);
             X < E; ++X)
          Taken[X] = true;
      for (int64_t X = 0; X != int64_t(Size); ++X)
        if (!Taken[X] && !Covered(X))
          Pieces.push_back({X, 1, {ByteKind::Integer, nullptr}, Trust::Weak});
      llvm::stable_sort(Pieces, [](const Placed &A, const Placed &B) {
        return A.Start < B.Start;
      });
      return I->toLeaves(Pieces, Size);
    }
    SmallVector<TypedLeaf, 4> Memory = mergeLeaves(
        leavesAt(MT->getRawDest(), Size), leavesAt(MT->getRawSource(), Size));
    std::optional<MemoryLayout> Layout = layoutFact(*Inst, SourceFact::Layout);
    return Layout ? I->settleByLayout(Memory, *Layout, Size) : Memory;
  }
  return leavesAt(P, Size);
}

TypeAnalysis::ObjectId TypeAnalysis::objectOf(const Value *P) const {
  Position Pos = I->G.positionOf(I->lookupPointer(P));
  if (!Pos.valid())
    return NoObject;
  auto It = I->PublicIds.find(Pos.Obj);
  return It == I->PublicIds.end() ? NoObject : It->second;
}

SmallVector<TypeAnalysis::ObjectId, 4>
TypeAnalysis::Impl::pointees(ObjectId O, bool BesideFloats) const {
  SmallVector<ObjectId, 4> Result;
  for (auto &C : G.cellsOf(Representatives[O])) {
    Position P = G.positionOf(C.Pointee);
    if (!P.valid() || (BesideFloats && G.holdsFloatsOnly(C.Where, PointerSize)))
      continue;
    auto It = PublicIds.find(P.Obj);
    if (It != PublicIds.end() && !is_contained(Result, It->second))
      Result.push_back(It->second);
  }
  return Result;
}

SmallVector<TypeAnalysis::ObjectId, 4>
TypeAnalysis::pointees(ObjectId O) const {
  return I->pointees(O, /*BesideFloats=*/false);
}

SmallVector<TypeAnalysis::ObjectId, 4>
TypeAnalysis::pointeesBesideFloats(ObjectId O) const {
  return I->pointees(O, /*BesideFloats=*/true);
}

/// The calls that had a part in it: a parameter is given pointers to two
/// objects, or to two places of one, and all that is behind them follows.
SmallVector<Function *, 8>
TypeAnalysis::mergedByCallsOf(ArrayRef<const Value *> Pointers) const {
  const auto &Events = I->Happened.Events;
  // Objects whose history matters: that of what leads to an object is part of
  // its own.
  SmallSetVector<unsigned, 16> Objects;
  auto AddObject = [&](unsigned O) {
    if (O != Position::None)
      Objects.insert(I->G.representative(O));
  };
  auto AddPointer = [&](const Value *P) {
    if (P && P->getType()->isPtrOrPtrVectorTy())
      AddObject(I->G.positionOf(I->lookupPointer(P)).Obj);
  };
  for_each(Pointers, AddPointer);
  DenseMap<unsigned, SmallVector<const GraphEvent *, 4>> History;
  for (const GraphEvent &E : Events)
    History[I->G.representative(E.B.Obj)].push_back(&E);
  SmallPtrSet<const Instruction *, 16> Calls;
  for (unsigned Next = 0; Next != Objects.size(); ++Next)
    for (const GraphEvent *E : History.lookup(Objects[Next])) {
      for (const GraphEvent *Since = E; Since->Why == GraphEvent::Owners;) {
        Since = &Events[Since->After];
        AddObject(Since->B.Obj);
      }
      if (E->By >= I->Sources.size())
        continue;
      const auto *By = dyn_cast<Instruction>(I->Sources[E->By]);
      if (!By)
        continue;
      // What is loaded or stored lies in an object that leads here.
      AddPointer(getLoadStorePointerOperand(By));
      if (const auto *Move = dyn_cast<AnyMemTransferInst>(By)) {
        AddPointer(Move->getRawDest());
        AddPointer(Move->getRawSource());
      } else if (isa<CallBase>(By)) {
        Calls.insert(By);
      }
    }
  SmallVector<Function *, 8> Result;
  DenseMap<const Function *, unsigned> Times;
  for (const Value *V : I->Sources)
    if (const auto *C = dyn_cast_or_null<CallBase>(V); C && Calls.erase(C))
      if (Function *Callee = C->getCalledFunction();
          Callee && (I->InSet.contains(Callee) || I->PreparedOf(Callee)) &&
          ++Times[Callee] == 2)
        Result.push_back(Callee);
  return Result;
}

unsigned TypeAnalysis::numObjects() const { return I->Representatives.size(); }
