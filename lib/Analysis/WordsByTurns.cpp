//===- WordsByTurns.cpp - words that are numbers and pointers by turns ----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds words that hold doubles at one time and pointers at another, and marks
// them, and what copies make of them, once all that is known of single kinds
// has been carried: which of the two a word is, is asked when the program runs.
//
//===----------------------------------------------------------------------===//

#include "Analysis/EvidencePlaces.h"
#include <utility>

using namespace llvm;
using namespace retrograd;

/// The double that the word at P is, by accesses and declarations and by all of
/// them, or null.
Type *ObjectGraph::onlyNumber(Position P) const {
  Type *FP = nullptr;
  const bool Other =
      anyEvidence(Objects[P.Obj], P, PointerSize, [&](const Evidence &E) {
        const Overlap How = overlap(P, PointerSize, E);
        if (How == Overlap::None || E.Level > Trust::Weak)
          return false;
        if (How != Overlap::Same || E.Kind.K != ByteKind::Float ||
            !E.Kind.FP->isDoubleTy())
          return true;
        if (E.Level == Trust::Strong)
          FP = E.Kind.FP;
        return false;
      });
  return Other ? nullptr : FP;
}

/// The word at P is a pointer, by accesses and declarations and by all of them.
bool ObjectGraph::holdsPointersOnly(Position P) const {
  bool Any = false;
  const bool Other =
      anyEvidence(Objects[P.Obj], P, PointerSize, [&](const Evidence &E) {
        const Overlap How = overlap(P, PointerSize, E);
        if (How == Overlap::None || E.Level > Trust::Weak)
          return false;
        Any |= E.Level == Trust::Strong;
        return How != Overlap::Same || E.Kind.K != ByteKind::Pointer;
      });
  return Any && !Other;
}

bool ObjectGraph::markTurns() {
  std::vector<std::pair<Position, Type *>> Words;
  for (unsigned O = 0; O != Objects.size(); ++O) {
    if (Objects[O].Parent != O || isJumbled(O) ||
        none_of(Objects[O].Arrived, [](const Evidence *E) {
          return E->Kind.K == ByteKind::Float && E->Level <= Trust::Weak;
        }))
      continue;
    // An array that may reach a pointer does not say that it does: both are of
    // one place, or go in the same steps.
    auto IsSame = [](const Position &A, const Position &B) {
      return A.Stride == B.Stride &&
             (A.Stride ? (A.Off - B.Off) % A.Stride == 0 : A.Off == B.Off);
    };
    // What is a pointer by declaration alone needs a number that is stored just
    // where it begins.
    auto IsOther = [&](const Evidence &Float, const Evidence &Pointer) {
      if (Float.Kind.K != ByteKind::Float)
        return false;
      if (Pointer.Level == Trust::Strong)
        return Float.Level <= Trust::Weak && IsSame(Float.Where, Pointer.Where);
      return Float.Level == Trust::Strong && !Float.Copied &&
             Float.Where.Off == Pointer.Where.Off &&
             (Float.Where.exact() || IsSame(Float.Where, Pointer.Where));
    };
    auto Note = [&](const Evidence &E) {
      if (E.Kind.K != ByteKind::Pointer || E.Level > Trust::Weak ||
          none_of(Objects[O].Arrived,
                  [&](const Evidence *Other) { return IsOther(*Other, E); }))
        return;
      if (Type *FP =
              sharedWithPointers(E.Where, PointerSize, /*Integers=*/true);
          FP && FP->isDoubleTy())
        Words.emplace_back(E.Where, FP);
    };
    for (const auto &[Off, E] : Objects[O].ExactEvidence)
      Note(E);
    for_each(Objects[O].StridedEvidence, Note);
  }
  // A copy between a place that is only a number's and one that is only a
  // pointer's moves one of the two, and the other place is both.
  for (Link &L : Links) {
    const Position D = positionOf(L.Dst), S = positionOf(L.Src);
    constexpr unsigned MostWords = 16;
    if (!D.valid() || !S.valid() || L.Element || L.Size == Unbounded ||
        L.Size % PointerSize || L.Size / PointerSize > MostWords ||
        isJumbled(normalise(D).Obj) || isJumbled(normalise(S).Obj))
      continue;
    for (int64_t Off = 0; Off != L.Size; Off += PointerSize) {
      const Position To = normalise(D.shifted(L.DstOff + Off)),
                     From = normalise(S.shifted(L.SrcOff + Off));
      Type *FP = onlyNumber(To);
      if (FP ? !holdsPointersOnly(From)
             : !(FP = onlyNumber(From)) || !holdsPointersOnly(To))
        continue;
      Words.emplace_back(To, FP);
      Words.emplace_back(From, FP);
    }
  }
  for (const auto &[Where, FP] : Words)
    addEvidence(Where, PointerSize, {ByteKind::Conflict, FP}, Trust::Turns,
                /*Copied=*/false, NoOrigin);
  return !Words.empty();
}

/// Nothing takes the word at P, or a part of it, for anything else than a
/// double or a pointer, or it is not only for integers.
bool ObjectGraph::mayBeByTurns(Position P) const {
  P = normalise(P);
  bool Integers = false, Words = false;
  auto Else = [&](const Evidence &E) {
    const Overlap How =
        E.Level > Trust::Weak ? Overlap::None : overlap(P, PointerSize, E);
    if (How == Overlap::None)
      return false;
    if (E.Kind.K == ByteKind::Integer) {
      Integers |= !isAnywhere(E);
      return false;
    }
    Words = true;
    return How != Overlap::Same ||
           (E.Kind.K == ByteKind::Float && !E.Kind.FP->isDoubleTy());
  };
  return !anyEvidence(Objects[P.Obj], P, PointerSize, Else) &&
         (Words || !Integers);
}

// Copies of unknown length in a circle move an array's bounds further and
// further. With so many bounds in one phase, an array counts as endless.
static constexpr unsigned MostBounds = 8;

bool ObjectGraph::addTurns(Position P, ByteKind K, unsigned Origin) {
  P = normalise(P);
  if (!P.exact() && (P.Lo > Position::NegInf || P.Hi < Position::PosInf)) {
    const auto Phase = std::tuple(P.Obj, floorMod(P.Off, P.Stride), P.Stride);
    if (auto It = MarkedArrays.find(Phase);
        It != MarkedArrays.end() && It->second >= MostBounds) {
      P.Lo = Position::NegInf;
      P.Hi = Position::PosInf;
    } else if (!Marked.contains({P.Obj, P.Off, P.Stride, P.Lo, P.Hi})) {
      ++MarkedArrays[Phase];
    }
  }
  return Marked.insert({P.Obj, P.Off, P.Stride, P.Lo, P.Hi}).second &&
         mayBeByTurns(P) &&
         addEvidence(P, PointerSize, K, Trust::Turns, /*Copied=*/true, Origin);
}

bool ObjectGraph::carryTurns(Position From, unsigned Seen, Position To,
                             int64_t Size, unsigned Origin) {
  std::vector<const Evidence *> New;
  for (const Evidence *E : Objects[From.Obj].Arrived)
    if (E->Arrival >= Seen && E->Level == Trust::Turns)
      New.push_back(E);
  bool Changed = false;
  for (const Evidence *E : New)
    eachPlace(*E, From, Size,
              [&](const Evidence &E, int64_t Start, int64_t Bytes, int, bool) {
                if (Start >= 0 && Start + Bytes <= Size)
                  Changed |= addTurns(To.shifted(Start), E.Kind, Origin);
                return true;
              });
  return Changed;
}

/// Of a word that holds doubles and pointers by turns, a copy does not tell
/// which it moves: so evidence of neither went over links, and where such words
/// pass through memory that nothing accesses, nothing is known but this.
bool ObjectGraph::carryTurns(Link &L) {
  Position D = positionOf(L.Dst), S = positionOf(L.Src);
  if (!D.valid() || !S.valid() ||
      (L.Element && (D.Stride != L.Element || S.Stride != L.Element)))
    return false;
  const unsigned SeenDst = std::exchange(L.SeenDst, Objects[D.Obj].NumArrived);
  const unsigned SeenSrc = std::exchange(L.SeenSrc, Objects[S.Obj].NumArrived);
  if (SeenDst == L.SeenDst && SeenSrc == L.SeenSrc)
    return false;
  D = normalise(D.shifted(L.DstOff));
  S = normalise(S.shifted(L.SrcOff));
  if (L.Size == Unbounded) {
    bool Changed = carryOpenEnded(S, SeenSrc, D, Trust::Turns, L.Origin);
    return carryOpenEnded(D, SeenDst, S, Trust::Turns, L.Origin) || Changed;
  }
  bool Changed = carryTurns(S, SeenSrc, D, L.Size, L.Origin);
  return carryTurns(D, SeenDst, S, L.Size, L.Origin) || Changed;
}
