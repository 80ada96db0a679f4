//===- FormatLegality.cpp - numbers that are read as another format -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of doubles, copied to where floats are read, make floats of which
// no derivative is right. Refused is what must be so and surely runs: a copy
// between memory that is only read and written as numbers of one format each, a
// read of memory that is written as another format alone, and moves of bits in
// registers. What a branch decides about (a buffer with a tag for the type of
// its numbers, a template that calls a library by the type) ends the program
// where it is reached. What may be right, since memory is several things by
// turns, the running program looks after (Emit/FormatWatch.h).
//
//===----------------------------------------------------------------------===//

#include "Analysis/NumberUses.h"
#include "Plan/CallPlan.h"
#include "Plan/Legality.h"
#include "Rules/Transfer.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

/// "numbers of type 'double'".
static std::string numbersOf(const Type *FP) {
  return std::string("numbers of type '") + formatName(FP) + "'";
}

static constexpr const char *Copied =
    " are copied, byte by byte, to where the program has ";
static constexpr const char *Read =
    " are stored in the memory that is read here as ";
static constexpr const char *Taken = " are taken, bit by bit, for ";

/// All that From and To have for numbers are of one format each, which differ.
static bool differ(ArrayRef<Type *> From, ArrayRef<Type *> To) {
  return From.size() == 1 && To.size() == 1 && From.front() != To.front();
}

/// Bits of one are the number itself in the other: the upper half of a float is
/// a __bf16.
static bool isPartOf(const Type &A, const Type &B) {
  return &A == &B || (A.isFloatTy() && B.isBFloatTy()) ||
         (A.isBFloatTy() && B.isFloatTy());
}

bool Legality::surelyRuns(const Instruction &I) {
  if (!Sure)
    Sure.emplace(Subject.facts());
  return Sure->runs(I);
}

bool Legality::isSure(const NumberUse &Use) {
  return all_of(Use.If, [](const UseCondition &C) { return C.EndsLoop; }) &&
         surelyRuns(*Use.At);
}

/// I takes numbers of one format for numbers of another where Uses have them.
void Legality::refuseFormats(const Instruction &I, const Type *From,
                             const Type *To, const char *How,
                             ArrayRef<NumberUse> Uses) {
  if (any_of(Uses, [&](const NumberUse &Use) { return isSure(Use); }))
    return refuse(RefusalKind::Format, I,
                  numbersOf(From) + How + numbersOf(To));
  for (const NumberUse &Use : Uses)
    Traps.push_back({Use, &I, From, To});
}

/// Bytes that are copied on, or were copied there, need not be what others in
/// their place are.
static bool mayBePassing(const TypeAnalysis &Types, const Value *Dest,
                         const Value *Source, const Type *From,
                         const Type *To) {
  return Types.exchangesFormat(Dest, From, /*Gives=*/true) ||
         Types.exchangesFormat(Source, To, /*Gives=*/false);
}

/// The running program follows what a copy brings to memory that it watches.
void Legality::refuseFormatsOfCopy(const CallBase &C, const Value *Dest,
                                   const Value *Source, const Type *From,
                                   const Type *To) {
  const ProgramFacts &Facts = Subject.facts();
  if (mayBePassing(Facts.types(), Dest, Source, From, To))
    return;
  if (surelyRuns(C) || !Facts.watchesFormats(Dest) ||
      Subject.Machine.manyThreads())
    refuseFormats(C, From, To, Copied, NumberUse{&C, {}});
}

void Legality::checkFormatsOfCopy(const CallBase &C) {
  const TypeAnalysis &Types = Subject.facts().types();
  const Transfer T = transferOf(C, Subject.facts().catalogue());
  if (!T.Source || T.IsRealloc || !Types.mixedFormats(T.Dest) ||
      !Types.mixedFormats(T.Source) ||
      !Subject.Activity.isVariedMemory(T.Source) ||
      !Subject.Activity.isUsefulMemory(T.Dest))
    return;
  std::optional<uint64_t> Size;
  if (const auto *N = dyn_cast<ConstantInt>(T.Length))
    Size = N->getZExtValue();
  const auto From = Types.formatsAt(T.Source, Size),
             To = Types.formatsAt(T.Dest, Size);
  if (differ(From, To))
    refuseFormatsOfCopy(C, T.Dest, T.Source, From.front(), To.front());
}

/// C is a note of the source (Entry/Hints.h) on a copy in front of it. Where
/// the destination is only storage, nobody reads numbers of its own type there.
void Legality::checkFormatHint(const CallBase &C) {
  const TypeAnalysis &Types = Subject.facts().types();
  const Value *Dest = C.getArgOperand(0), *Source = C.getArgOperand(1);
  Type *From = C.getArgOperand(2)->getType(),
       *To = C.getArgOperand(3)->getType();
  const auto Read = Types.formatsAt(Dest, std::nullopt);
  if (is_contained(Read, To) && !is_contained(Read, From) &&
      Subject.Activity.isVariedMemory(Source) &&
      Subject.Activity.isUsefulMemory(Dest) &&
      !mayBePassing(Types, Dest, Source, From, To))
    refuseFormats(C, From, To, Copied, NumberUse{&C, {}});
}

void Legality::checkFormats(const Instruction &I) {
  const TypeAnalysis &Types = Subject.facts().types();
  const ActivityAnalysis &Activity = Subject.Activity;
  const DataLayout &DL = I.getDataLayout();
  // What moves bits: of the numbers that it may take, none is what it gives.
  auto OtherThan = [&](const Type *FP, const BitSources &From) -> const Type * {
    const Type *Other = nullptr;
    for (const Value *Number : From.Numbers) {
      if (!Activity.isVaried(Number))
        continue;
      if (isPartOf(*Number->getType()->getScalarType(), *FP))
        return nullptr;
      Other = Number->getType()->getScalarType();
    }
    for (const Value *Load : From.Loads) {
      const Value *P = cast<LoadInst>(Load)->getPointerOperand();
      if (!Activity.isVariedMemory(P))
        continue;
      const auto Found = Types.formatsAt(
          P, DL.getTypeStoreSize(Load->getType()).getFixedValue());
      if (Found.size() != 1 || Found.front() == FP)
        return nullptr;
      Other = Found.front();
    }
    return Other;
  };
  if (isa<BitCastInst>(I) && I.getType()->isFPOrFPVectorTy()) {
    if (!Activity.isUseful(&I) || !isComputedWith(I))
      return;
    const Type *FP = I.getType()->getScalarType();
    BitSources From = sourcesOfBits(I);
    if (const Type *Other = OtherThan(FP, From))
      refuseFormats(I, Other, FP, Taken,
                    usesOfNumber(I, Subject.Shape.loops()));
    return;
  }
  const Value *P = getLoadStorePointerOperand(&I);
  if (!P || !Types.mixedFormats(P))
    return;
  Type *T = getLoadStoreType(&I);
  if (isa<ScalableVectorType>(T))
    return;
  const uint64_t Size = DL.getTypeStoreSize(T).getFixedValue();
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    if (!T->isIntOrIntVectorTy() || isa<Constant>(S->getValueOperand()) ||
        !Activity.isUsefulMemory(P))
      return;
    const auto To = Types.formatsAt(P, Size);
    if (To.size() != 1)
      return;
    if (const Type *Other =
            OtherThan(To.front(), sourcesOfBits(*S->getValueOperand()));
        Other && !Types.exchangesFormat(P, Other, /*Gives=*/true))
      refuseFormats(I, Other, To.front(), Copied, NumberUse{&I, {}});
    return;
  }
  const Type *FP = T->getScalarType();
  if (!FP->isFloatingPointTy() || !Activity.isActive(&I) ||
      !Subject.facts().hidesFormats(P) || !Types.isNeverWrittenAs(P, FP) ||
      !isComputedWith(I))
    return;
  // Where a branch decides, the running program looks after it.
  const auto Uses = usesOfNumber(I, Subject.Shape.loops());
  if (none_of(Uses, [&](const NumberUse &Use) { return isSure(Use); }))
    return;
  for (const Type *Other : Types.formatsAt(P, Size))
    if (Other != FP && !Types.isNeverWrittenAs(P, Other))
      return refuseFormats(I, Other, FP, Read, Uses);
}
