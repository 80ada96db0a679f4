//===- TypeAnalysis.cpp - what lies at each byte of memory ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeAnalysis.h"
#include "Analysis/TypeModel.h"
#include "Catalogue/Catalogue.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <array>
#include <numeric>

using namespace llvm;
using namespace retrograd;

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
      PointerSize(DL.getPointerSize()),
      Texts(textMembers(*Fns.front()->getParent())), G(PointerSize) {
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
  for (Var V : Misaligned)
    if (Position P = G.positionOf(V); P.valid())
      HasMisaligned.insert(G.leaderOf(P.Obj));
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

bool TypeAnalysis::Impl::allLeaves(
    Position P, uint64_t Size, unsigned Asker,
    function_ref<bool(const TypedLeaf &)> Holds) const {
  // Much is known of an object in which many things have met, by arrays that
  // may reach anywhere, too: each of their elements would be held at once.
  // What lies around a window decides as if all had been asked for together.
  constexpr uint64_t Window = 4096, Around = 64;
  if (Size <= Window || !P.valid())
    return all_of(leavesOfWindow(P, Size, Asker), Holds);
  for (uint64_t Next = 0; Next < Size;) {
    uint64_t Begin = Next - std::min(Next, Around);
    uint64_t End = std::min(Next + Window, Size);
    uint64_t Seen = std::min(End + Around, Size) - Begin;
    for (const TypedLeaf &L : leavesOfWindow(P.shifted(Begin), Seen, Asker)) {
      uint64_t From = std::max(Begin + L.Offset, Next);
      uint64_t To = Begin + L.Offset + L.Size;
      if (From >= End || To <= From)
        continue;
      if (!Holds({From, To - From, L.Kind}))
        return false;
      Next = To;
    }
  }
  return true;
}

SmallVector<TypedLeaf, 4> TypeAnalysis::Impl::leaves(Position P, uint64_t Size,
                                                     unsigned Asker) const {
  SmallVector<TypedLeaf, 4> Result;
  allLeaves(P, Size, Asker, [&](const TypedLeaf &L) {
    bool Joins = !Result.empty() && Result.back().Kind == L.Kind &&
                 L.Kind.K != ByteKind::Float && L.Kind.K != ByteKind::Pointer;
    if (Joins)
      Result.back().Size += L.Size;
    else
      Result.push_back(L);
    return true;
  });
  return Result;
}

SmallVector<TypedLeaf, 4>
TypeAnalysis::Impl::leavesOfWindow(Position P, uint64_t Size,
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

bool TypeAnalysis::allLeavesAt(
    const Value *P, uint64_t Size,
    function_ref<bool(const TypedLeaf &)> Holds) const {
  return I->allLeaves(I->G.positionOf(I->lookupPointer(P)), Size,
                      I->originOf(P), Holds);
}

bool TypeAnalysis::touchesFloat(const Value *P, uint64_t Size,
                                bool Possibly) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return any_of(std::array{Trust::Strong, Trust::Weak, Trust::Hearsay},
                [&](Trust Level) {
                  return I->G.touchesFloat(At, Size, Level, Possibly);
                });
}

bool TypeAnalysis::mayReachFloat(const Value *P, uint64_t Offset,
                                 uint64_t Size) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && I->G.touchesFloat(At.shifted(Offset), Size,
                                         Trust::Strong, /*Possibly=*/true);
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

bool TypeAnalysis::storesSingle(const Value *P, uint64_t Offset,
                                uint64_t Size) const {
  const Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() &&
         I->G.touchesFloat(At.shifted(Offset), Size, Trust::Strong,
                           /*Possibly=*/false,
                           Type::getFloatTy(P->getContext()));
}

bool TypeAnalysis::knowsByIndexOnly(const Value *P, uint64_t Size) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.exact() && any_of(I->G.resolve(At, Size, I->originOf(P)),
                              [](const Placed &Piece) {
                                return Piece.Reached &&
                                       Piece.Kind.K == ByteKind::Float;
                              });
}

SmallVector<TypeAnalysis::FloatPart, 2>
TypeAnalysis::floatsAlone(const Value *P, uint64_t Size) const {
  SmallVector<FloatPart, 2> Parts;
  const Position At = I->G.positionOf(I->lookupPointer(P));
  if (!At.valid() || !I->G.holdsFloats(At, Size))
    return Parts;
  // Of an array of numbers and nothing else, an index reaches any place.
  const bool Array = I->G.isArrayOfFloats(At.Obj);
  int64_t Next = 0;
  for (const Placed &Piece :
       I->G.resolve(At, Size, I->originOf(P), Trust::Weak)) {
    if (Piece.Kind.K != ByteKind::Float || Piece.Smeared ||
        (!Array && (Piece.Loose || Piece.Reached)) || Piece.Start > Next)
      return {};
    Next = Piece.Start + Piece.Size;
    Parts.push_back({Piece.Start, Piece.Kind.FP});
  }
  if (Next < int64_t(Size))
    Parts.clear();
  return Parts;
}

bool TypeAnalysis::leadsToFloatsOnly(const Value *P) const {
  const Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && I->G.isArrayOfFloats(At.Obj);
}

bool TypeAnalysis::areCopiedBetween(const Value *P, const Value *Q) const {
  const Position At = I->G.positionOf(I->lookupPointer(P)),
                 Other = I->G.positionOf(I->lookupPointer(Q));
  return At.valid() && Other.valid() && At.Obj != Other.Obj &&
         I->G.areConnected(At.Obj, Other.Obj);
}

bool TypeAnalysis::isKnownByCopiesOnly(const Value *P, uint64_t Size,
                                       bool NorCallers) const {
  return I->G.isOnlyGuessed(I->G.positionOf(I->lookupPointer(P)), Size,
                            NorCallers ? Trust::Hearsay : Trust::Weak);
}

bool TypeAnalysis::mayMeet(const Value *P, const Value *Q, uint64_t Size,
                           bool Behind, uint64_t Offset) const {
  const Position At = I->G.positionOf(I->lookupPointer(P));
  return I->G.mayMeet(At.valid() ? At.shifted(Offset) : At,
                      I->G.positionOf(I->lookupPointer(Q)), Size, Behind);
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

bool TypeAnalysis::isByTurns(const Value *P, uint64_t Offset) const {
  const Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && I->G.isByTurns(At.shifted(Offset));
}

bool TypeAnalysis::mayLead(const Value *P, uint64_t Offset) const {
  const Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && I->G.mayLead(At.shifted(Offset));
}

bool TypeAnalysis::isJumbled(const Value *P) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && I->G.isJumbled(At.Obj);
}

bool TypeAnalysis::holdsPointers(const Value *P, uint64_t Offset,
                                 uint64_t Size) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && I->G.holdsPointers(At.shifted(Offset), Size);
}

TypeAnalysis::Kinds TypeAnalysis::kindsFrom(const Value *P, Align Known) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  Kinds Found;
  if (!At.valid()) {
    Found.Others = true;
    return Found;
  }
  const bool Aligned = !I->HasMisaligned.contains(I->G.leaderOf(At.Obj));
  for (const Evidence &E : I->G.evidenceOf(At.Obj)) {
    if (E.Level == Trust::Turns)
      Found.Doubles = Found.Pointers = true;
    if (E.Level > Trust::Hearsay || E.Kind.K == ByteKind::Unknown ||
        (At.Lo > Position::NegInf && E.Where.Hi < Position::PosInf &&
         E.Where.Hi - 1 + E.Size <= At.Lo))
      continue;
    // Distances of the two places are multiples of this.
    const int64_t Apart =
        std::gcd(std::gcd(At.Stride, E.Where.Stride), E.Where.Off - At.Off);
    // Where indices of bytes lead anywhere, alignments tell as much: numbers
    // and addresses are whole words, and integers what is left of words.
    const bool Lost = std::gcd(At.Stride, E.Where.Stride) % E.Size != 0;
    const bool InStep =
        Apart % E.Size == 0 ||
        (Aligned && Lost &&
         (E.Kind.K == ByteKind::Integer ? Known.value() >= WordAlignment
                                        : Known.value() % E.Size == 0));
    if (!InStep || E.Kind.K == ByteKind::Conflict)
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

bool TypeAnalysis::meetsDoublesOnly(const Value *P) const {
  Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && all_of(I->G.formatsAround(At.Obj),
                              [](const Type *FP) { return FP->isDoubleTy(); });
}

SmallVector<Type *, 2>
TypeAnalysis::formatsAt(const Value *P, std::optional<uint64_t> Size) const {
  return I->G.formatsAt(I->G.positionOf(I->lookupPointer(P)),
                        Size ? int64_t(*Size) : ObjectGraph::Unbounded);
}

std::optional<unsigned> TypeAnalysis::mixedFormats(const Value *P) const {
  const Position At = I->G.positionOf(I->lookupPointer(P));
  if (!At.valid() || !I->G.mixesFormats(At.Obj))
    return std::nullopt;
  return I->G.leaderOf(At.Obj);
}

std::optional<unsigned> TypeAnalysis::mixedFormats(ObjectId O) const {
  const unsigned Rep = I->Representatives[O];
  return I->G.mixesFormats(Rep) ? std::optional(I->G.leaderOf(Rep))
                                : std::nullopt;
}

bool TypeAnalysis::mixesFormats() const { return I->G.anyMixes(); }

bool TypeAnalysis::exchangesFormat(const Value *P, const Type *FP,
                                   bool Gives) const {
  const Position At = I->G.positionOf(I->lookupPointer(P));
  return At.valid() && I->G.exchangesFormat(At.Obj, FP, Gives);
}

/// Bytes that are numbers of any format: zeros, or what the program begins
/// with.
static void noteAnyFormat(const CallBase &C, const Catalogue &Cat,
                          function_ref<void(const Value *, Type *)> Note) {
  const OperationRecord *R = Cat.lookup(C);
  if (R && R->ZeroFills)
    Note(&C, nullptr);
  if (isa<AnyMemSetInst>(C) || (R && R->Handler == HandlerKind::MemSet))
    Note(C.getArgOperand(0), nullptr);
  const bool Copies =
      isa<AnyMemTransferInst>(C) || (R && (R->Handler == HandlerKind::MemCpy ||
                                           R->Handler == HandlerKind::MemMove));
  if (Copies && isa<GlobalVariable>(getUnderlyingObject(C.getArgOperand(1))))
    Note(C.getArgOperand(0), nullptr);
}

bool TypeAnalysis::isNeverWrittenAs(const Value *P, const Type *FP) const {
  auto LeaderOf = [&](const Value *At) -> std::optional<unsigned> {
    const Position Pos = I->G.positionOf(I->lookupPointer(At));
    return Pos.valid() ? std::optional(I->G.leaderOf(Pos.Obj)) : std::nullopt;
  };
  if (!I->WrittenFormats) {
    I->WrittenFormats.emplace();
    auto Note = [&](const Value *At, Type *Format) {
      if (std::optional<unsigned> L = LeaderOf(At);
          L && !is_contained((*I->WrittenFormats)[*L], Format))
        (*I->WrittenFormats)[*L].push_back(Format);
    };
    for (const Function *F : I->Functions)
      for (const Instruction &Access : instructions(F)) {
        if (const auto *S = dyn_cast<StoreInst>(&Access)) {
          const Value *V = S->getValueOperand();
          // Zero is zero in all formats.
          if (isa<Constant>(V) && cast<Constant>(V)->isNullValue())
            continue;
          for (const TypedLeaf &L : leavesOf(V))
            if (L.Kind.K != ByteKind::Integer && L.Kind.K != ByteKind::Pointer)
              Note(S->getPointerOperand(), L.Kind.FP);
        } else if (Access.isAtomic()) {
          Note(Access.getOperand(0), nullptr);
        } else if (const auto *C = dyn_cast<CallBase>(&Access)) {
          noteAnyFormat(*C, I->Cat, Note);
        }
      }
  }
  const std::optional<unsigned> L = LeaderOf(P);
  if (!L)
    return false;
  auto It = I->WrittenFormats->find(*L);
  return It == I->WrittenFormats->end() ||
         none_of(It->second, [&](const Type *T) { return !T || T == FP; });
}

bool TypeAnalysis::holdsBitsOfNumbers(ObjectId O) const {
  if (!I->ObjectsOfBits) {
    I->ObjectsOfBits.emplace();
    for (const Function *F : I->Functions)
      for (const Instruction &Access : instructions(F)) {
        const Value *At = getLoadStorePointerOperand(&Access);
        if (!At || !getLoadStoreType(&Access)->isIntegerTy())
          continue;
        const auto *S = dyn_cast<StoreInst>(&Access);
        if (any_of(
                leavesOf(S ? S->getValueOperand() : &Access),
                [](const TypedLeaf &L) { return L.Kind.K == ByteKind::Float; }))
          I->ObjectsOfBits->insert(objectOf(At));
      }
  }
  return I->ObjectsOfBits->contains(O);
}

bool TypeAnalysis::isIndexPlace(const Value *P) const {
  return I->isIndexPlace(P);
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

const DataLayout &TypeAnalysis::dataLayout() const { return I->DL; }

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
