//===- NumberFormats.cpp - numbers of two formats in one place ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A place may hold doubles at one time and floats at another: a pool, a union,
// a buffer of bytes. That is right as long as each number is read as what it
// was written as. This file finds the objects in which it might not be.
//
//===----------------------------------------------------------------------===//

#include "Analysis/EvidencePlaces.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;
using namespace retrograd;

/// Of objects in which more has met, nothing is asked.
static constexpr size_t MostPairs = 1u << 16;

namespace {
/// Where numbers of one format lie.
struct NumberPlace {
  Position Where;
  int64_t Size;
  const Type *FP;
};
} // namespace

/// Of A's elements the first lies upon an element of B, or the other way. What
/// an array without an end reaches of the next record is none of its elements,
/// nor is what lies before it.
static bool meet(const NumberPlace &A, const NumberPlace &B) {
  const Position &P = A.Where, &Q = B.Where;
  const int64_t Apart = Q.Off - P.Off; // from A's first element to B's
  if (!P.Stride && !Q.Stride)
    return Apart < A.Size && Apart + B.Size > 0;
  if (!P.Stride || !Q.Stride) {
    const NumberPlace &Array = P.Stride ? A : B, &One = P.Stride ? B : A;
    const int64_t At = One.Where.Off - Array.Where.Off;
    if (At + One.Size <= 0 || Array.Where.Hi <= One.Where.Off)
      return false;
    const int64_t In = At <= 0 ? 0 : floorMod(At, Array.Where.Stride);
    return At <= 0 || In < Array.Size || In + One.Size > Array.Where.Stride;
  }
  if (P.Hi <= Q.Off || Q.Hi <= P.Off)
    return false;
  const int64_t Longer = std::max(P.Stride, Q.Stride),
                Shorter = std::min(P.Stride, Q.Stride);
  const int64_t Step =
      Longer % Shorter ? commonStride(P.Stride, Q.Stride) : Longer;
  const int64_t In = floorMod(Apart, Step);
  return In < A.Size || In + B.Size > Step;
}

template <typename Node>
static SmallVector<NumberPlace, 8> numbersOf(const Node &O, bool Copied) {
  SmallVector<NumberPlace, 8> Result;
  for (const Evidence *E : O.Arrived)
    if (E->Kind.K == ByteKind::Float && E->Level == Trust::Strong &&
        (Copied || !E->Copied))
      Result.push_back({E->Where, E->Size, E->Kind.FP});
  return Result;
}

static bool anyMeet(ArrayRef<NumberPlace> A, ArrayRef<NumberPlace> B) {
  return A.size() * B.size() <= MostPairs && any_of(A, [&](const auto &X) {
           return any_of(
               B, [&](const auto &Y) { return X.FP != Y.FP && meet(X, Y); });
         });
}

bool ObjectGraph::mixesWithin(const ObjectNode &O) const {
  const auto All = numbersOf(O, /*Copied=*/false);
  return anyMeet(All, All);
}

/// What lies in the Size bytes at one end of a copy, as seen from there.
static SmallVector<NumberPlace, 8>
numbersCopied(ArrayRef<NumberPlace> All, const Position &From, int64_t Size) {
  SmallVector<NumberPlace, 8> Result;
  for (NumberPlace N : All) {
    N.Where = N.Where.shifted(-From.Off);
    if (!From.exact()) {
      const int64_t Step = commonStride(From.Stride, N.Where.Stride);
      N.Where = {From.Obj, floorMod(N.Where.Off, Step), Step, Position::NegInf,
                 Position::PosInf};
      if (N.Where.Off + N.Size > Step)
        N.Where.Off -= Step;
    }
    const bool Behind = Size != ObjectGraph::Unbounded && N.Where.Off >= Size;
    const bool Before =
        N.Where.exact() ? N.Where.Off + N.Size <= 0 : N.Where.Hi + N.Size <= 0;
    if (!Behind && !Before)
      Result.push_back(N);
  }
  return Result;
}

bool ObjectGraph::mixesOver(const Link &L) const {
  Position D = positionOf(L.Dst), S = positionOf(L.Src);
  if (!D.valid() || !S.valid())
    return false;
  D = normalise(D.shifted(L.DstOff));
  S = normalise(S.shifted(L.SrcOff));
  return anyMeet(
      numbersCopied(numbersOf(Objects[D.Obj], /*Copied=*/true), D, L.Size),
      numbersCopied(numbersOf(Objects[S.Obj], /*Copied=*/true), S, L.Size));
}

void ObjectGraph::findMixes() {
  auto MayMix = [&](unsigned Rep) {
    return formatsAround(Rep).size() > 1 && !mixesFormats(Rep);
  };
  for (unsigned O = 0; O != Objects.size(); ++O)
    if (Objects[O].Parent == O && MayMix(O) && mixesWithin(Objects[O]))
      Mixes.insert(leaderOf(O));
  for (const Link &L : Links)
    if (Position D = positionOf(L.Dst);
        D.valid() && MayMix(D.Obj) && mixesOver(L))
      Mixes.insert(leaderOf(D.Obj));
}

bool ObjectGraph::mixesFormats(unsigned Rep) const {
  return Mixes.contains(leaderOf(Rep));
}

bool ObjectGraph::exchangesFormat(unsigned Rep, const Type *FP,
                                  bool Gives) const {
  SmallSetVector<unsigned, 8> Reached;
  Reached.insert(Rep);
  for (unsigned N = 0; N != Reached.size(); ++N)
    for (const Link &L : Links) {
      const Position From = positionOf(Gives ? L.Src : L.Dst),
                     To = positionOf(Gives ? L.Dst : L.Src);
      if (From.valid() && To.valid() && From.Obj == Reached[N])
        Reached.insert(To.Obj);
    }
  return any_of(drop_begin(Reached), [&](unsigned O) {
    return any_of(Objects[O].Arrived, [&](const Evidence *E) {
      return E->Kind.K == ByteKind::Float && !E->Copied &&
             E->Level == Trust::Strong && E->Kind.FP == FP;
    });
  });
}

SmallVector<Type *, 2> ObjectGraph::formatsAt(Position P, int64_t Size) const {
  SmallVector<Type *, 2> Result;
  P = normalise(P);
  if (!P.valid())
    return Result;
  for (const Evidence *E : Objects[P.Obj].Arrived) {
    if (E->Kind.K != ByteKind::Float || E->Copied || E->Level != Trust::Strong)
      continue;
    const bool Here = Size == Unbounded ? E->Where.Hi - 1 + E->Size > P.Lo
                                        : overlap(P, Size, *E) != Overlap::None;
    if (Here && !is_contained(Result, E->Kind.FP))
      Result.push_back(E->Kind.FP);
  }
  return Result;
}
