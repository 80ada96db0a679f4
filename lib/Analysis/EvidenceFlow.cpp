//===- EvidenceFlow.cpp - evidence on its way over copies -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries what is known of the bytes at one end of a link to the other, until
// nothing new arrives: a level of trust after the other, in windows of the
// bytes that a copy moves. Of windows of whole arrays, what repeats itself is
// looked at once. Which of several pieces of evidence goes first is decided in
// ObjectGraph::resolve.
//
//===----------------------------------------------------------------------===//

#include "Analysis/EvidencePlaces.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

using namespace llvm;
using namespace retrograd;

// How far from its start a copy of unknown length carries pieces of evidence;
// stops cycles of overlapping copies.
static constexpr int64_t OpenEndedReach = 4096;

/// Finds what may overlap a range among the pieces of a window, which come in
/// the order of their places but where they clash. Windows of whole arrays have
/// a piece per element.
class retrograd::PiecesByPlace {
public:
  explicit PiecesByPlace(ArrayRef<Placed> Pieces)
      : Pieces(Pieces), LastEnd(Pieces.size()), FirstStart(Pieces.size()) {
    int64_t End = std::numeric_limits<int64_t>::min();
    for (size_t I = 0; I != Pieces.size(); ++I)
      LastEnd[I] = End = std::max(End, Pieces[I].Start + Pieces[I].Size);
    int64_t Start = std::numeric_limits<int64_t>::max();
    for (size_t I = Pieces.size(); I-- != 0;)
      FirstStart[I] = Start = std::min(Start, Pieces[I].Start);
  }

  /// All pieces that overlap [Begin, End) are among these.
  ArrayRef<Placed> around(int64_t Begin, int64_t End) const {
    const size_t First =
        partition_point(LastEnd, [=](int64_t X) { return X <= Begin; }) -
        LastEnd.begin();
    const size_t Behind =
        partition_point(FirstStart, [=](int64_t X) { return X < End; }) -
        FirstStart.begin();
    return First < Behind ? Pieces.slice(First, Behind - First)
                          : ArrayRef<Placed>();
  }

private:
  ArrayRef<Placed> Pieces;
  SmallVector<int64_t, 8> LastEnd, FirstStart;
};

/// Puts Piece, found at one end of a copy, to the other end unless that already
/// knows better.
bool ObjectGraph::carryPiece(const Placed &Piece, int64_t Size,
                             const PiecesByPlace &Have, Trust Least,
                             PutPiece Put) {
  if (Piece.Kind.K == ByteKind::Conflict || Piece.Level != Least)
    return false;
  if (Piece.Smeared && Piece.Kind.K != ByteKind::Integer)
    return false;
  auto Better = [&](const Placed &H) {
    return !H.Loose || Piece.Loose || H.Level < Least ||
           H.Kind.K == ByteKind::Conflict;
  };
  int64_t B = std::max<int64_t>(Piece.Start, 0);
  int64_t E = std::min(Piece.Start + Piece.Size, Size);
  if (Piece.Kind.K != ByteKind::Integer) {
    for (const Placed &H : Have.around(B, E))
      if (H.Start < E && H.Start + H.Size > B && Better(H))
        return false;
    return Put(Piece.Start, Piece.Size, Piece.Kind);
  }
  // Integers fill what is free.
  bool Changed = false;
  int64_t X = B;
  for (const Placed &H : Have.around(B, E)) {
    if (H.Start + H.Size <= X || !Better(H))
      continue;
    if (H.Start >= E)
      break;
    if (H.Start > X)
      Changed |= Put(X, H.Start - X, Piece.Kind);
    X = std::max(X, H.Start + H.Size);
  }
  if (X < E)
    Changed |= Put(X, E - X, Piece.Kind);
  return Changed;
}

/// A word that holds pointers and doubles by turns does not tell what a copy
/// moves, whatever the copying function knows of it.
bool ObjectGraph::tellsOneOfTwo(ByteKind K, Position P, int64_t Size) const {
  return (K.K == ByteKind::Pointer || K.K == ByteKind::Float) &&
         sharedWithPointers(P, Size, /*Integers=*/false) &&
         holdsPointers(P, Size);
}

/// Copies of unknown length carry the whole of what is known behind them. What
/// arrived before the last look (Seen) was carried then, or found evidence at
/// the other end, which stays.
bool ObjectGraph::carryOpenEnded(Position From, unsigned Seen, Position To,
                                 Trust Least, unsigned Origin) {
  bool Changed = false;
  const std::vector<const Evidence *> &Arrived = Objects[From.Obj].Arrived;
  std::vector<const Evidence *> New;
  for (const Evidence *E : Arrived)
    if (E->Arrival >= Seen && E->Level == Least &&
        (Least == Trust::Turns || E->Kind.K != ByteKind::Conflict))
      New.push_back(E);
  llvm::stable_sort(New, [](const Evidence *A, const Evidence *B) {
    auto Order = [](const Evidence *E) {
      return std::pair(!E->Where.exact(), E->Where.exact() ? E->Where.Off : 0);
    };
    return Order(A) < Order(B);
  });
  for (const Evidence *Known : New) {
    const Evidence &E = *Known;
    Position W = E.Where;
    if (W.exact()) {
      if (W.Off < From.Off || W.Off - From.Off > OpenEndedReach)
        continue;
    } else if (W.Lo <= Position::NegInf) {
      W.Lo = From.Lo;
    }
    // Two strides that differ say nothing about the phase of the copy.
    bool LostPhase = false;
    if (From.Stride != To.Stride && From.Stride && To.Stride) {
      const int64_t Common =
          commonStride(W.Stride, commonStride(From.Stride, To.Stride));
      LostPhase = Common != W.Stride;
      W.Stride = Common;
    }
    if (From.Obj == To.Obj) {
      if (From.Off == To.Off)
        continue;
      if (W.exact() || std::abs(To.Off - From.Off) % W.Stride) {
        W.Stride = commonStride(W.Stride, To.Off - From.Off);
        W.Hi = Position::PosInf;
      }
    }
    W = W.shifted(To.Off - From.Off);
    W.Obj = To.Obj;
    W.canonicalise();
    if (Least == Trust::Turns) {
      Changed |= !isByTurns(W) && addTurns(W, E.Kind, Origin);
      continue;
    }
    // What arrived without its phase may be at any of its places: of two kinds,
    // the one that came first is no better than the other.
    if (LostPhase ? !isOnlyGuessed(W, E.Size, Least)
                  : hasEvidence(W, E.Size, Least))
      continue;
    Changed |= addEvidence(W, E.Size, E.Kind, Least, true, Origin);
  }
  return Changed;
}

bool ObjectGraph::carryEvidence(Link &L, Trust Least) {
  Position D = positionOf(L.Dst), S = positionOf(L.Src);
  if (!D.valid() || !S.valid())
    return false;
  if (L.Element && (D.Stride != L.Element || S.Stride != L.Element))
    return false;
  const unsigned AllDst = Objects[D.Obj].NumArrived;
  const unsigned AllSrc = Objects[S.Obj].NumArrived;
  const unsigned SeenDst = std::exchange(L.SeenDst, AllDst);
  const unsigned SeenSrc = std::exchange(L.SeenSrc, AllSrc);
  const bool Looked = std::exchange(L.Looked, true);
  if (Looked && SeenDst == AllDst && SeenSrc == AllSrc)
    return false;
  // Only pieces of this level are carried. When the first of them arrives at
  // either end, the link is looked at again.
  const unsigned Levels = Objects[D.Obj].Levels | Objects[S.Obj].Levels;
  if (!(Levels & (1u << unsigned(Least))))
    return false;
  D = normalise(D.shifted(L.DstOff));
  S = normalise(S.shifted(L.SrcOff));
  bool Changed = false;
  if (L.Size == Unbounded) {
    Changed |= carryOpenEnded(S, SeenSrc, D, Least, L.Origin);
    Changed |= carryOpenEnded(D, SeenDst, S, Least, L.Origin);
    return Changed;
  }
  // What arrived elsewhere in the two objects changes nothing here. A piece at
  // an end of the window may reach beyond it.
  constexpr int64_t Beyond = 16;
  auto Arrived = [&](unsigned Seen, const Position &At) {
    return arrivedSince(Seen, At.shifted(-Beyond), L.Size + 2 * Beyond,
                        L.Origin);
  };
  if (Looked && !Arrived(SeenDst, D) && !Arrived(SeenSrc, S))
    return false;
  auto Put = [&](const Position &Where, int64_t Bytes, ByteKind K) {
    return addEvidence(Where, Bytes, K, Least, /*Copied=*/true, L.Origin);
  };
  const std::optional<Repetition> R = repetitionOf(D, S, L.Size, L.Origin);
  if (!R)
    return carryWindow(
        D, S, L.Size, Least, L.Origin,
        [&](const Position &Window, int64_t Start, int64_t Bytes, ByteKind K) {
          return Put(Window.shifted(Start), Bytes, K);
        });
  Changed |= carryWindow(
      D, S, R->Lead + R->Period + R->Margin, Least, L.Origin,
      [&](const Position &Window, int64_t Start, int64_t Bytes, ByteKind K) {
        if (Start >= R->Lead + R->Period)
          return false;
        Position W = Window.shifted(Start);
        if (Start >= R->Lead) {
          W.Stride = R->Period;
          W.Hi = W.Off + (R->Count - 1) * R->Period + 1;
        }
        return Put(W, Bytes, K);
      });
  const int64_t Behind = R->Lead + R->Count * R->Period - R->Margin;
  Changed |= carryWindow(
      D.shifted(Behind), S.shifted(Behind), L.Size - Behind, Least, L.Origin,
      [&](const Position &Window, int64_t Start, int64_t Bytes, ByteKind K) {
        return Start >= R->Margin && Put(Window.shifted(Start), Bytes, K);
      });
  return Changed;
}

/// Of a copy of Size bytes from S to D, or the other way: what repeats itself
/// in both windows, as Asker sees them. None of small ones, and if too little
/// of them does.
std::optional<ObjectGraph::Repetition>
ObjectGraph::repetitionOf(const Position &D, const Position &S, int64_t Size,
                          unsigned Asker) const {
  constexpr int64_t Large = 32768;
  if (Size < Large || !D.exact() || !S.exact())
    return std::nullopt;
  const int64_t LongestPeriod = Size / 16;
  Repetition R;
  int64_t Tail = 0, Sizes = 0;
  // Where a piece of evidence begins or ends, within the window.
  auto NoteEdge = [&](int64_t At, int64_t Bytes) {
    if (At + Bytes <= 0 || At >= Size)
      return;
    if (At <= Size / 2)
      R.Lead = std::max(R.Lead, At + Bytes);
    else
      Tail = std::max(Tail, Size - At + Bytes);
  };
  auto IsTold = [&](const ObjectNode &O, const Evidence &E) {
    return any_of(O.StridedEvidence, [&](const Evidence &F) {
      return F.Level <= E.Level && coversPlaces(F, E);
    });
  };
  auto Note = [&](const Position &Window, const Evidence &E) {
    const Position &W = E.Where;
    if (IsTold(Objects[Window.Obj], E))
      return true;
    const int64_t Begin = W.Off - Window.Off;
    NoteEdge(Begin, E.Size);
    if (W.exact())
      return true;
    if (W.Lo > Position::NegInf)
      NoteEdge(W.Lo - Window.Off, E.Size);
    if (W.Hi < Position::PosInf)
      NoteEdge(W.Hi - Window.Off, E.Size);
    // Its precedence depends on all that begins before it.
    else if (Begin > Size / 2)
      return false;
    R.Period = std::lcm(R.Period, W.Stride);
    Sizes += E.Size;
    return W.Stride >= E.Size && R.Period <= LongestPeriod;
  };
  for (const Position *Window : {&D, &S}) {
    bool Fits = true;
    eachEvidence(Objects[Window->Obj], *Window, Size, Asker,
                 [&](const Evidence &E) { return Fits = Note(*Window, E); });
    if (!Fits)
      return std::nullopt;
  }
  R.Margin = alignTo(Sizes + R.Period, R.Period);
  const int64_t Repeated = Size - R.Lead - Tail - 2 * R.Margin;
  // Less would save nothing.
  if (Repeated < Size / 2 || Repeated < 4 * R.Period)
    return std::nullopt;
  R.Count = Repeated / R.Period;
  return R;
}

/// Carries what is known of the Size bytes at one of D and S to the other, by
/// Put, which is given the end that it goes to and the place there.
bool ObjectGraph::carryWindow(
    const Position &D, const Position &S, int64_t Size, Trust Least,
    unsigned Origin,
    function_ref<bool(const Position &, int64_t, int64_t, ByteKind)> Put) {
  auto AtD = resolve(D, Size, Origin, Least);
  auto AtS = resolve(S, Size, Origin, Least);
  // An array without an end says something about everything behind it; where a
  // declaration says of just that place that it is something else, the copy
  // carries that and not the array (the field behind an array of structs).
  if (Least == Trust::Strong) {
    auto DropOverruled = [&](SmallVectorImpl<Placed> &Pieces, Position At) {
      if (Objects[At.Obj].Levels == 1u << unsigned(Trust::Strong))
        return;
      const auto All = resolve(At, Size, Origin);
      const PiecesByPlace Places(All);
      erase_if(Pieces, [&](const Placed &P) {
        return any_of(
            Places.around(P.Start, P.Start + P.Size), [&](const Placed &Q) {
              return Q.Level != Trust::Strong &&
                     Q.Kind.K != ByteKind::Conflict &&
                     Q.Start < P.Start + P.Size && P.Start < Q.Start + Q.Size;
            });
      });
    };
    DropOverruled(AtD, D);
    DropOverruled(AtS, S);
    auto DropShared = [&](SmallVectorImpl<Placed> &Pieces, Position At) {
      erase_if(Pieces, [&](const Placed &P) {
        return tellsOneOfTwo(P.Kind, At.shifted(P.Start), P.Size);
      });
    };
    DropShared(AtD, D);
    DropShared(AtS, S);
  }
  bool Changed = false;
  const PiecesByPlace PlacesD(AtD), PlacesS(AtS);
  auto PutTo = [&](const Position &Window) {
    return [&](int64_t Start, int64_t Bytes, ByteKind K) {
      return Put(Window, Start, Bytes, K);
    };
  };
  for (const Placed &P : AtS)
    Changed |= carryPiece(P, Size, PlacesD, Least, PutTo(D));
  for (const Placed &P : AtD)
    Changed |= carryPiece(P, Size, PlacesS, Least, PutTo(S));
  return Changed;
}

void ObjectGraph::solveEvidence() {
  for (Trust Least : {Trust::Strong, Trust::Weak, Trust::Hearsay, Trust::Guess,
                      Trust::Moved, Trust::Turns}) {
    if (Least == Trust::Turns && !markTurns())
      break;
    for (Link &L : Links) {
      L.SeenDst = L.SeenSrc = 0;
      L.Looked = false;
    }
    auto Carry = [&](Link &L) {
      return Least == Trust::Turns ? carryTurns(L) : carryEvidence(L, Least);
    };
    // Alternating directions carry evidence along a chain of copies in either
    // order in one round each.
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (Link &L : Links)
        Changed |= Carry(L);
      for (auto It = Links.rbegin(); It != Links.rend(); ++It)
        Changed |= Carry(*It);
    }
  }
  collectFormats();
  findMixes();
}
