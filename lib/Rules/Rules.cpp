//===- Rules.cpp - which rule governs an instruction ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules/Rules.h"
#include "Catalogue/Catalogue.h"
#include "Rules/RulesInternal.h"
#include "Rules/Transfer.h"
#include "Support/SourceFact.h"
#include "Target/Target.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

static void emitNothing(const Instruction &, RuleContext &) {}
static bool never(const Instruction &, const ActivityAnalysis &) {
  return false;
}
const Operation operations::Flow = {nothingMissing, noNeeds, emitNothing};
const Operation operations::Nothing = {
    .Missing = nothingMissing,
    .Needs = noNeeds,
    .Adjoint = emitNothing,
    .HasAdjoint = never,
};

static const Operation &operationOf(const OperationRecord &R) {
  switch (R.Class) {
  case RuleClass::Formula:
    return operations::Formulas;
  case RuleClass::Allocation:
    return operations::Zeroed;
  case RuleClass::Inactive:
  case RuleClass::Deallocation:
    return operations::Nothing;
  case RuleClass::Expansion:
  case RuleClass::Rule:
    return operations::Calls;
  case RuleClass::Handler:
    break;
  }
  switch (R.Handler) {
  case HandlerKind::None:
    break;
  case HandlerKind::MemCpy:
  case HandlerKind::MemMove:
  case HandlerKind::MemSet:
  case HandlerKind::Realloc:
    return operations::Transfers;
  case HandlerKind::Ignore:
  case HandlerKind::StackSave:
  case HandlerKind::StackRestore:
  case HandlerKind::ObjectSize:
    return operations::Flow;
  case HandlerKind::TapeBegin:
  case HandlerKind::TapeEnd:
  case HandlerKind::TapeDeferFree:
  case HandlerKind::TapeNote:
  case HandlerKind::Reach:
  case HandlerKind::Refused: // the plan refused what matters
  case HandlerKind::RefusedByName:
    return operations::Nothing;
  case HandlerKind::Barrier:
    return operations::Barriers;
  case HandlerKind::Protocol:
    return operations::Protocols;
  case HandlerKind::Shuffle:
    return operations::Shuffles;
  case HandlerKind::Convert:
    return operations::Moves;
  case HandlerKind::Elements:
    return operations::Elements;
  }
  llvm_unreachable("a handler without a kind");
}

/// Null if there is no operation for an instruction of this kind.
static const Operation *operationOf(const Instruction &I,
                                    const Catalogue &Cat) {
  switch (I.getOpcode()) {
  case Instruction::Call:
  case Instruction::Invoke:
  case Instruction::CallBr:
    if (const OperationRecord *R = Cat.lookup(I))
      return &operationOf(*R);
    return isa<AnyMemIntrinsic>(I) ? &operations::Transfers
                                   : &operations::Calls;
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::FNeg:
    return &operations::Formulas;
  case Instruction::Select:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::BitCast:
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::Or:
  case Instruction::And:
  case Instruction::Xor:
  case Instruction::Freeze:
    return &operations::Moves;
  case Instruction::InsertElement:
  case Instruction::ExtractElement:
  case Instruction::ShuffleVector:
  case Instruction::InsertValue:
  case Instruction::ExtractValue:
    return &operations::Elements;
  case Instruction::Load:
  case Instruction::Store:
    return &operations::Accesses;
  case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
    return &operations::Atomics;
  case Instruction::PHI:
  case Instruction::Ret:
  case Instruction::Br:
  case Instruction::Switch:
    return &operations::Flow;
  default:
    return nullptr;
  }
}

static bool hasAdjoint(const Operation *O, const Instruction &I,
                       const ActivityAnalysis &A) {
  return O && O->HasAdjoint ? O->HasAdjoint(I, A) : A.isActive(&I);
}

bool retrograd::hasReverse(const Instruction &I, const ActivityAnalysis &A) {
  return hasAdjoint(operationOf(I, A.facts().catalogue()), I, A);
}

const char *retrograd::missingRule(const Instruction &I,
                                   const ActivityAnalysis &A) {
  const Operation *O = operationOf(I, A.facts().catalogue());
  if (!hasAdjoint(O, I, A))
    return nullptr;
  return O ? O->Missing(I, A) : I.getOpcodeName();
}

void retrograd::visitNeeds(const Instruction &I, const ActivityAnalysis &A,
                           NeedSink Sink) {
  const Operation *O = operationOf(I, A.facts().catalogue());
  if (hasAdjoint(O, I, A))
    O->Needs(I, A, Sink);
}

void retrograd::emitReverse(const Instruction &I, RuleContext &C) {
  const ActivityAnalysis &A = C.activity();
  const Operation *O = operationOf(I, A.facts().catalogue());
  if (!hasAdjoint(O, I, A))
    return;
  for (unsigned Lane = 0, N = O->AllLanes ? 1 : C.width(); Lane != N; ++Lane) {
    C.selectLane(Lane);
    O->Adjoint(I, C);
  }
  C.selectLane(0);
}

bool retrograd::makesLanesAtOnce(const Instruction &I, const Catalogue &Cat) {
  const Operation *O = operationOf(I, Cat);
  return O && O->LanesAtOnce && O->LanesAtOnce(I);
}

Value *retrograd::emitTangent(const Instruction &I, TangentContext &C) {
  const Operation *O = operationOf(I, C.activity().facts().catalogue());
  return O && O->Tangent ? O->Tangent(I, C) : C.again(I);
}

Align retrograd::shadowAlign(Type *T, Align A, const DataLayout &DL) {
  return std::min(A, DL.getABITypeAlign(T->getScalarType()));
}

Constant *retrograd::adjointZero(Type *T) {
  if (T->isFPOrFPVectorTy())
    return ConstantFP::getNegativeZero(T);
  if (auto *S = dyn_cast<StructType>(T)) {
    SmallVector<Constant *, 4> Fields;
    for (Type *E : S->elements())
      Fields.push_back(adjointZero(E));
    return ConstantStruct::get(S, Fields);
  }
  if (auto *Arr = dyn_cast<ArrayType>(T))
    return ConstantArray::get(
        Arr, SmallVector<Constant *, 8>(Arr->getNumElements(),
                                        adjointZero(Arr->getElementType())));
  return Constant::getNullValue(T);
}

/// An end of a copy knows of a float where the copy moves none, and its
/// derivative would be lost; or of a pointer where it moves a float. (A float
/// where there is an integer loses nothing: integers have no derivative.)
static bool disagrees(ArrayRef<TypedLeaf> Moved, ArrayRef<TypedLeaf> End) {
  for (const TypedLeaf &X : Moved)
    for (const TypedLeaf &Y : End)
      if (X.Offset < Y.Offset + Y.Size && Y.Offset < X.Offset + X.Size &&
          (Y.Kind.K == ByteKind::Float
               ? X.Kind.K == ByteKind::Integer || X.Kind.K == ByteKind::Pointer
               : Y.Kind.K == ByteKind::Pointer && X.Kind.K == ByteKind::Float))
        return true;
  return false;
}

/// The same of all that two patterns of one period say.
static bool disagrees(const TypeAnalysis::Pattern &Moved,
                      const TypeAnalysis::Pattern &End) {
  if (Moved.Header == End.Header)
    return disagrees(Moved.Leaves, End.Leaves);
  // What the longer header covers is in the other one some first repetitions.
  auto Unrolled = [&](const TypeAnalysis::Pattern &P) {
    SmallVector<TypedLeaf, 4> Result = P.Leaves;
    for (uint64_t By = P.Period;
         P.Header + By < std::max(Moved.Header, End.Header) + P.Period;
         By += P.Period)
      for (TypedLeaf L : P.Leaves)
        if (L.Offset >= P.Header) {
          L.Offset += By;
          Result.push_back(L);
        }
    return Result;
  };
  return disagrees(Unrolled(Moved), Unrolled(End));
}

/// A leaf that the copying function takes for a pointer or for a float, where
/// an end of the copy holds both by turns.
static bool isOneOfTwo(const TypeAnalysis &TA, const TypedLeaf &L,
                       const Value *Dest, const Value *Source) {
  if (L.Kind.K != ByteKind::Pointer && L.Kind.K != ByteKind::Float)
    return false;
  return any_of(ArrayRef{Dest, Source}, [&](const Value *P) {
    return TA.sharedWithPointers(P, L.Offset, L.Size, /*Integers=*/true) &&
           (L.Kind.K == ByteKind::Pointer ||
            TA.holdsPointers(P, L.Offset, L.Size));
  });
}

bool retrograd::hasOwnShadow(const ProgramFacts &Facts, const Value *P) {
  TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  if (O == TypeAnalysis::NoObject)
    return false;
  if (!Facts.exposed().test(O))
    return true;
  // One object may be the user's memory and ours.
  SmallVector<const Value *, 4> From;
  getUnderlyingObjects(P, From, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(From, [&](const Value *V) {
    if (isa<AllocaInst, UndefValue, ConstantPointerNull>(V))
      return true;
    const auto *C = dyn_cast<CallBase>(V);
    const OperationRecord *R = C ? Facts.catalogue().lookup(*C) : nullptr;
    return R && R->Class == RuleClass::Allocation;
  });
}

/// Words of a copy that hold doubles and pointers by turns, at both ends and in
/// the opinion of both, become leaves of their own kind: the runtime tells one
/// from the other (runtime/memory.c). Others that the ends disagree about stay.
static bool shareWords(const ProgramFacts &Facts,
                       SmallVectorImpl<TypedLeaf> &Leaves, const Value *Dest,
                       const Value *Source, uint64_t Size) {
  constexpr uint64_t Word = 8;
  const TypeAnalysis &TA = Facts.types();
  const bool Private = hasOwnShadow(Facts, Dest) && hasOwnShadow(Facts, Source);
  SmallVector<TypedLeaf, 4> AtDest = TA.leavesAt(Dest, Size),
                            AtSource = TA.leavesAt(Source, Size);
  auto Within = [](ArrayRef<TypedLeaf> From, uint64_t At) {
    SmallVector<TypedLeaf, 2> Here;
    copy_if(From, std::back_inserter(Here), [&](const TypedLeaf &L) {
      return L.Offset < At + Word && At < L.Offset + L.Size;
    });
    return Here;
  };
  SmallVector<TypedLeaf, 4> Result;
  for (uint64_t At = 0; At < Size; At += Word) {
    SmallVector<TypedLeaf, 2> D = Within(AtDest, At), S = Within(AtSource, At);
    SmallVector<TypedLeaf, 2> Moved = Within(Leaves, At);
    if (none_of(Moved,
                [&](const TypedLeaf &L) {
                  return L.Kind.K == ByteKind::Conflict ||
                         isOneOfTwo(TA, L, Dest, Source);
                }) &&
        !disagrees(Moved, D) && !disagrees(Moved, S))
      continue;
    Type *OfDest = TA.sharedWithPointers(Dest, At, Word, Private),
         *OfSource = TA.sharedWithPointers(Source, At, Word, Private);
    // An end that knows of no floats must know of nothing but pointers.
    auto HoldsNothingElse = [](Type *FP, ArrayRef<TypedLeaf> End) {
      return FP ? FP->isDoubleTy() : all_of(End, [](const TypedLeaf &L) {
        return L.Kind.K == ByteKind::Pointer || isUnknown(L);
      });
    };
    Type *FP = OfDest ? OfDest : OfSource;
    if (!FP || At + Word > Size || !HoldsNothingElse(OfDest, D) ||
        !HoldsNothingElse(OfSource, S))
      return false;
    Result.push_back({At, Word, {ByteKind::Conflict, FP}});
  }
  for (const TypedLeaf &L : Leaves) {
    uint64_t Shared = 0;
    for (const TypedLeaf &R : Result)
      if (isShared(R) && R.Offset < L.Offset + L.Size &&
          L.Offset < R.Offset + R.Size)
        Shared += std::min(R.Offset + R.Size, L.Offset + L.Size) -
                  std::max(R.Offset, L.Offset);
    if (!Shared)
      Result.push_back(L);
    else if (Shared != L.Size)
      return false; // across the border of such a word
  }
  // Memory of several kinds of records, by such a word: what one has an integer
  // for may be an element of another's array.
  if (any_of(Result, isShared) && any_of(Result, [&](const TypedLeaf &L) {
        return L.Kind.K == ByteKind::Integer &&
               any_of(ArrayRef{Dest, Source}, [&](const Value *End) {
                 return TA.mayReachFloat(End, L.Offset, L.Size);
               });
      }))
    return false;
  llvm::sort(Result, [](const TypedLeaf &A, const TypedLeaf &B) {
    return A.Offset < B.Offset;
  });
  Leaves = std::move(Result);
  return true;
}

bool retrograd::keepsBits(const TypeAnalysis &TA, const Value *P) {
  const TypeAnalysis::Kinds Is = TA.kindsFrom(P);
  const TypeAnalysis::ObjectId O = TA.objectOf(P);
  return Is.Integers && Is.Others && !Is.Doubles && !Is.Singles &&
         !Is.Pointers && O != TypeAnalysis::NoObject &&
         TA.holdsBitsOfNumbers(O);
}

/// The numbers whose bits lie behind P can be moved as words.
static bool keepsDoubles(const TypeAnalysis &TA, const Value *P) {
  return keepsBits(TA, P) && TA.meetsDoublesOnly(P);
}

/// What a copy of run-time length moves where its ends are several things by
/// turns (records of two kinds that pass through one buffer, a header and the
/// arrays behind it): words, of which each moves the derivative that its shadow
/// has (runtime/memory.c). None if there are numbers that words do not hold,
/// or if the user's shadows of integers would be taken for something.
static std::optional<TypeAnalysis::Pattern> wordsOf(const Instruction &I,
                                                    const ProgramFacts &Facts,
                                                    const Value *Dest,
                                                    const Value *Source) {
  const TypeAnalysis &TA = Facts.types();
  // The source may be the user's: what is zero at the destination changes
  // nothing there.
  if (!hasOwnShadow(Facts, Dest))
    return std::nullopt;
  const auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
  auto Known = [&](const Value *End, MaybeAlign Here) {
    return std::max(Here.valueOrOne(),
                    End->getPointerAlignment(TA.dataLayout()));
  };
  TypeAnalysis::Kinds Is = TA.kindsFrom(Dest,
                                        Known(Dest, Copy ? Copy->getDestAlign()
                                                         : MaybeAlign())),
                      From = TA.kindsFrom(
                          Source, Known(Source, Copy ? Copy->getSourceAlign()
                                                     : MaybeAlign()));
  if (keepsDoubles(TA, Dest)) {
    Is.Doubles = true;
    Is.Others = false;
  }
  if (keepsDoubles(TA, Source)) {
    From.Doubles = true;
    From.Others = false;
  }
  Is.Doubles |= From.Doubles;
  Is.Singles |= From.Singles;
  Is.Pointers |= From.Pointers;
  Is.Integers |= From.Integers;
  LLVMContext &C = Dest->getContext();
  if (Is.Others || From.Others || (Is.Singles && (Is.Doubles || Is.Pointers)))
    return std::nullopt;
  if (Is.Singles)
    return TypeAnalysis::Pattern{
        4, 0, {{0, 4, {ByteKind::Conflict, Type::getFloatTy(C)}}}};
  if (Is.Doubles || Is.Pointers)
    return TypeAnalysis::Pattern{
        8, 0, {{0, 8, {ByteKind::Conflict, Type::getDoubleTy(C)}}}};
  return std::nullopt;
}

/// Words that are integers to all who access them, or of which nothing is
/// known, but to which copies or stores bring pointers: what is known elsewhere
/// of these pointers does not go over copies where it meets something else.
/// They are moved as words by turns, where all else that lies there allows it.
static void shareLeads(const Instruction &I, const ProgramFacts &Facts,
                       SmallVectorImpl<TypedLeaf> &Leaves, const Value *Dest,
                       const Value *Source) {
  constexpr uint64_t Word = 8;
  const TypeAnalysis &TA = Facts.types();
  SmallVector<TypedLeaf, 4> Result;
  auto Put = [&](const TypedLeaf &L) {
    if (L.Size)
      Result.push_back(L);
  };
  std::optional<TypeAnalysis::Pattern> Words;
  for (auto L = Leaves.begin(), End = Leaves.end(); L != End;) {
    // A run of such leaves.
    auto Last = std::find_if(L, End, [&](const TypedLeaf &Other) {
      return !isUnknown(Other) && Other.Kind.K != ByteKind::Integer;
    });
    const uint64_t To =
        Last == L ? 0 : std::prev(Last)->Offset + std::prev(Last)->Size;
    for (uint64_t At = alignTo(L->Offset, Word); At + Word <= To; At += Word) {
      if (!TA.mayLead(Dest, At) && !TA.mayLead(Source, At))
        continue;
      if (!Words)
        Words = wordsOf(I, Facts, Dest, Source);
      if (!Words || Words->Period != Word)
        return;
      for (; L->Offset + L->Size <= At; ++L)
        Put(*L);
      Put({L->Offset, At - std::min(At, L->Offset), L->Kind});
      Put({At, Word, Words->Leaves.front().Kind});
      while (L != Last && L->Offset + L->Size <= At + Word)
        ++L;
      if (L != Last && L->Offset < At + Word) {
        L->Size = L->Offset + L->Size - (At + Word);
        L->Offset = At + Word;
      }
    }
    for (; L != Last; ++L)
      Put(*L);
    if (L != End)
      Put(*L++);
  }
  Leaves = std::move(Result);
}

/// Integers here, but floats to the callers: what is copied element by element
/// and never used tells nothing of itself.
static bool callersDisagree(const TypeAnalysis &TA, ArrayRef<TypedLeaf> Leaves,
                            const Value *Dest, const Value *Source) {
  return any_of(Leaves, [&](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Integer &&
           (TA.callersKnowFloat(Dest, L.Offset, L.Size) ||
            (Source && TA.callersKnowFloat(Source, L.Offset, L.Size)));
  });
}

/// A member is an integer by declaration, and the program keeps bits of a
/// number in it.
static bool integersHoldFloats(const TypeAnalysis &TA,
                               const TypeAnalysis::Pattern &Elements,
                               const Value *End) {
  return any_of(Elements.Leaves, [&](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Integer &&
           TA.storesFloat(End, L.Size, L.Offset, Elements.Period);
  });
}

/// A member is a pointer, or a number, by declaration, and the program keeps
/// the other in its place, too. (Of jumbled objects, places tell nothing.)
static bool isDeclaredByTurns(const TypeAnalysis &TA, const TypedLeaf &L,
                              const Value *End) {
  return (L.Kind.K == ByteKind::Pointer || L.Kind.K == ByteKind::Float) &&
         TA.isByTurns(End, L.Offset) && !TA.isJumbled(End);
}

/// A word that preparation moves in memory, since it may be a number or a
/// pointer by turns, and where pointers may lie: its shadow tells which one it
/// is, unless that is the user's, who may have integers there.
static bool isByTurns(const Instruction &I, const Value *Dest,
                      const Value *Source, const ProgramFacts &Facts) {
  const TypeAnalysis &TA = Facts.types();
  return hasFact(I, SourceFact::ByTurns) &&
         any_of(ArrayRef{Dest, Source},
                [&](const Value *P) {
                  TypeAnalysis::ObjectId O = TA.objectOf(P);
                  return O != TypeAnalysis::NoObject &&
                         (TA.isByTurns(P) || !TA.pointees(O).empty());
                }) &&
         (hasOwnShadow(Facts, Dest) ||
          TA.sharedWithPointers(Dest, 0, 8, /*Integers=*/false));
}

/// P may be any byte of memory that holds several things.
static bool isMixed(const TypeAnalysis &TA, const Value *P) {
  if (!TA.isAnyPlace(P))
    return false;
  const TypeAnalysis::Kinds Is = TA.kindsFrom(P);
  return Is.Doubles + Is.Singles + Is.Pointers + Is.Integers > 1;
}

/// No access tells what the memory behind P is.
static bool isUntouched(const TypeAnalysis &TA, const Value *P) {
  const TypeAnalysis::Kinds Is = TA.kindsFrom(P);
  return !Is.Doubles && !Is.Singles && !Is.Pointers && !Is.Integers &&
         !Is.Others && !TA.isJumbled(P) && !keepsBits(TA, P);
}

static TransferShape shapeByTypes(const Instruction &I, const Value *Dest,
                                  const Value *Source, const Value *Length,
                                  const ProgramFacts &Facts) {
  const TypeAnalysis &TA = Facts.types();
  constexpr uint64_t ExplicitLimit = 4096;
  TransferShape Shape;
  if (hasFact(I, SourceFact::Characters)) {
    Shape.Period = 1;
    Shape.Leaves.push_back({0, 1, {ByteKind::Integer, nullptr}});
    return Shape;
  }
  // A piece of a float cannot be moved as a float.
  auto Cut = [&](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Float &&
           L.Size % TA.dataLayout()
                        .getTypeStoreSize(L.Kind.FP)
                        .getFixedValue() !=
               0;
  };
  auto Unclear = [&](const TypedLeaf &L) {
    return isUnknown(L) || L.Kind.K == ByteKind::Conflict || Cut(L);
  };
  auto Contradicts = [&](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Conflict || Cut(L);
  };
  // Adjacent floats of one format become one leaf.
  auto Merge = [&](ArrayRef<TypedLeaf> Leaves) {
    for (const TypedLeaf &L : Leaves) {
      if (Cut(L))
        continue;
      if (!Shape.Leaves.empty()) {
        TypedLeaf &Last = Shape.Leaves.back();
        if (Last.Kind == L.Kind && Last.Offset + Last.Size == L.Offset &&
            (!Shape.Header || L.Offset != Shape.Header)) {
          Last.Size += L.Size;
          continue;
        }
      }
      Shape.Leaves.push_back(L);
    }
  };
  auto MoveWords = [&] {
    std::optional<TypeAnalysis::Pattern> Words =
        Source ? wordsOf(I, Facts, Dest, Source) : std::nullopt;
    if (!Words)
      return false;
    Shape.Leaves = Words->Leaves;
    Shape.Period = Words->Period;
    Shape.Header = 0;
    Shape.Known = true;
    Shape.Ambiguous = false;
    return true;
  };
  const auto *N = dyn_cast<ConstantInt>(Length);
  if (Source && isByTurns(I, Dest, Source, Facts)) {
    Shape.Leaves = {
        {0, 8, {ByteKind::Conflict, Type::getDoubleTy(I.getContext())}}};
    Shape.Known = TA.meetsDoublesOnly(Dest) && TA.meetsDoublesOnly(Source);
    Shape.Ambiguous = !Shape.Known;
    return Shape;
  }
  if (std::optional<TypeAnalysis::Pattern> Elements = TA.elementsOf(I)) {
    auto HoldsFloats = [&](const Value *End) {
      return integersHoldFloats(TA, *Elements, End) ||
             any_of(Elements->Leaves, [&](const TypedLeaf &L) {
               return L.Kind.K == ByteKind::Pointer &&
                      isDeclaredByTurns(TA, L, End);
             });
    };
    Shape.Ambiguous = HoldsFloats(Dest) || (Source && HoldsFloats(Source));
    Shape.Known = !Shape.Ambiguous;
    if (Shape.Ambiguous && MoveWords())
      return Shape;
    if (N && N->getZExtValue() <= ExplicitLimit &&
        N->getZExtValue() % Elements->Period == 0) {
      Merge(TA.leavesOfAccess(&I, Dest, N->getZExtValue()));
      return Shape;
    }
    if (!N || N->getZExtValue() % Elements->Period == 0) {
      Shape.Period = Elements->Period;
      Merge(Elements->Leaves);
      return Shape;
    }
  }
  if (N && N->getZExtValue() <= ExplicitLimit) {
    uint64_t Size = N->getZExtValue();
    SmallVector<TypedLeaf, 4> Leaves = TA.leavesOfAccess(&I, Dest, Size);
    if (Source && any_of(Leaves, Unclear)) {
      SmallVector<TypedLeaf, 4> Other = TA.leavesOfAccess(&I, Source, Size);
      if (none_of(Other, Unclear))
        Leaves = std::move(Other);
    }
    // What the type of an assignment declares needs nobody's consent, but that
    // of a program that keeps something else there.
    const SmallVector<TypedLeaf, 4> Declared = TA.declaredBy(I);
    SmallVector<TypedLeaf, 4> Contested = Leaves;
    llvm::erase_if(Contested, [&](const TypedLeaf &L) {
      return TypeAnalysis::covers(Declared, L) &&
             !isDeclaredByTurns(TA, L, Dest) &&
             !(Source && isDeclaredByTurns(TA, L, Source));
    });
    Shape.Ambiguous =
        any_of(Leaves, Contradicts) ||
        (Source && (disagrees(Contested, TA.leavesAt(Dest, Size)) ||
                    disagrees(Contested, TA.leavesAt(Source, Size)) ||
                    any_of(Contested, [&](const TypedLeaf &L) {
                      return isOneOfTwo(TA, L, Dest, Source);
                    })));
    if (Shape.Ambiguous && isa<AnyMemCpyInst>(I) &&
        shareWords(Facts, Leaves, Dest, Source, Size))
      Shape.Ambiguous = false;
    // Where any byte may be anything, only the copy itself knows what it moves.
    if (Source && (isMixed(TA, Dest) || isMixed(TA, Source)))
      Shape.Ambiguous |= any_of(Leaves, [&](const TypedLeaf &L) {
        return !TA.declares(I, L) &&
               any_of(ArrayRef{Dest, Source}, [&](const Value *End) {
                 return TA.mayReachFloat(End, L.Offset, L.Size);
               });
      });
    Shape.Ambiguous |= callersDisagree(TA, Leaves, Dest, Source);
    Shape.Ambiguous |= Source && (keepsBits(TA, Dest) || keepsBits(TA, Source));
    if (Source && !Shape.Ambiguous && isa<AnyMemTransferInst>(I) &&
        !Target(*I.getModule()).manyThreads())
      shareLeads(I, Facts, Leaves, Dest, Source);
    if (Shape.Ambiguous && MoveWords())
      return Shape;
    Shape.Known = none_of(
        Leaves, [&](const TypedLeaf &L) { return Unclear(L) && !isShared(L); });
    Shape.Known &= !Shape.Ambiguous;
    Merge(Leaves);
    return Shape;
  }
  // Of the two ends' patterns the clearer one. Unknown bytes are padding, or
  // nothing that this program reads: the known ones count all the same.
  std::optional<TypeAnalysis::Pattern> Best;
  auto Unclarity = [&](const TypeAnalysis::Pattern &P) {
    uint64_t Bytes = 0;
    for (const TypedLeaf &L : P.Leaves)
      Bytes += Unclear(L) ? L.Size : 0;
    return double(Bytes) / (P.Header + P.Period);
  };
  auto HoldsFloat = [](const TypeAnalysis::Pattern &P) {
    return any_of(P.Leaves, [](const TypedLeaf &L) {
      return L.Kind.K == ByteKind::Float;
    });
  };
  for (const Value *P : {Dest, Source}) {
    if (!P)
      continue;
    std::optional<TypeAnalysis::Pattern> Pattern = TA.patternAt(P);
    if (Pattern && Pattern->Period &&
        (!Best || Unclarity(*Pattern) < Unclarity(*Best) ||
         (Unclarity(*Pattern) == Unclarity(*Best) && HoldsFloat(*Pattern) &&
          !HoldsFloat(*Best))))
      Best = std::move(Pattern);
  }
  if (!Best) {
    if (MoveWords())
      return Shape;
    Shape.Known = false;
    // Where nobody knows anything, nobody disagrees.
    Shape.Ambiguous =
        !Source || !isUntouched(TA, Dest) || !isUntouched(TA, Source);
    if (!Shape.Ambiguous) {
      Shape.Period = 1;
      Shape.Leaves.push_back({0, 1, {ByteKind::Unknown, nullptr}});
    }
    return Shape;
  }
  Shape.Period = Best->Period;
  Shape.Header = Best->Header;
  Merge(Best->Leaves);
  Shape.Known = none_of(Best->Leaves, Unclear);
  std::optional<TypeAnalysis::Pattern> At = TA.patternAt(Dest);
  std::optional<TypeAnalysis::Pattern> From =
      Source ? TA.patternAt(Source) : std::nullopt;
  Shape.Ambiguous =
      any_of(Best->Leaves, Contradicts) ||
      callersDisagree(TA, Best->Leaves, Dest, Source) ||
      any_of(Best->Leaves,
             [&](const TypedLeaf &L) {
               return isOneOfTwo(TA, L, Dest, Source ? Source : Dest);
             }) ||
      (At && From &&
       (At->Period == From->Period
            ? disagrees(*Best, *At) || disagrees(*Best, *From)
            : HoldsFloat(*At) != HoldsFloat(*From)));
  // What the pattern takes for an integer or a pointer is a number to somebody.
  auto Doubtful = [&](const TypedLeaf &L) {
    return (L.Kind.K == ByteKind::Integer || L.Kind.K == ByteKind::Pointer) &&
           any_of(ArrayRef{Dest, Source}, [&](const Value *P) {
             return P && TA.storesNumber(P, L.Offset, L.Size, Shape.Period);
           });
  };
  Shape.Ambiguous |= Source && (keepsBits(TA, Dest) || keepsBits(TA, Source));
  if (Shape.Ambiguous || any_of(Best->Leaves, Doubtful))
    if (MoveWords())
      return Shape;
  Shape.Known &= !Shape.Ambiguous;
  return Shape;
}

bool retrograd::bringsNothing(const TransferShape &S) {
  return none_of(S.Leaves, [](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Float || L.Kind.K == ByteKind::Pointer ||
           L.Kind.K == ByteKind::Integer || isShared(L);
  });
}

TransferShape retrograd::transferShape(const Instruction &I, const Value *Dest,
                                       const Value *Source, const Value *Length,
                                       const ProgramFacts &Facts) {
  TransferShape Shape = shapeByTypes(I, Dest, Source, Length, Facts);
  // Nobody here knows what it is but kernels, which find it by pointers that
  // lie in memory.
  const OperationRecord *R = Facts.catalogue().lookup(I);
  if (!Source || Shape.Ambiguous || Shape.Known || !bringsNothing(Shape) ||
      !R || R->Handler != HandlerKind::MemCpy || R->Text != "device")
    return Shape;
  Type *T = Facts.numbersBehind(Dest);
  if (!T)
    T = Facts.numbersBehind(Source);
  if (!T)
    return Shape;
  Shape.Header = 0;
  Shape.Period = I.getDataLayout().getTypeStoreSize(T).getFixedValue();
  Shape.Leaves = {{0, Shape.Period, {ByteKind::Float, T}}};
  Shape.Known = true;
  return Shape;
}
