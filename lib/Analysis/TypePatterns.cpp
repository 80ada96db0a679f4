//===- TypePatterns.cpp - what repeats in memory without an end -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeModel.h"
#include "Support/SourceFact.h"
#include <numeric>

using namespace llvm;
using namespace retrograd;

// A pattern longer than this is taken for accidental (strides that share no
// structure), not for an element type.
static constexpr int64_t LongestPeriod = 4096;

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
    // A long step over elements that others tell of, too, does not repeat.
    const bool IsTold =
        E.Where.Stride > LongestPeriod && any_of(All, [&](const Evidence &F) {
          return F.Level <= Trust::Weak && coversPlaces(F, E) &&
                 Repeat(F.Where);
        });
    if (!IsTold && !Repeat(E.Where))
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
