//===- ObjectEvidence.cpp - what is known of the bytes of objects ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps evidence per object, carries it over links to its fixpoint, and answers
// what bytes are: which of several pieces of evidence goes first is decided in
// ObjectGraph::resolve, in the order that README.md calls precedence.
//
//===----------------------------------------------------------------------===//

#include "Analysis/ObjectGraph.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

using namespace llvm;
using namespace retrograd;

// How far from its start a copy of unknown length carries pieces of evidence;
// stops cycles of overlapping copies.
static constexpr int64_t OpenEndedReach = 4096;

/// Do A and B say the same, whoever says it?
static bool saySame(const Evidence &A, const Evidence &B) {
  return A.Where == B.Where && A.Size == B.Size && A.Kind == B.Kind &&
         A.Level == B.Level && A.Copied == B.Copied;
}

bool retrograd::coversPlaces(const Evidence &F, const Evidence &E) {
  const Position &Few = E.Where, &Many = F.Where;
  return Many.Stride && Many.Stride < Few.Stride &&
         Few.Stride % Many.Stride == 0 &&
         (Few.Off - Many.Off) % Many.Stride == 0 && Many.Lo <= Few.Lo &&
         Many.Hi >= Few.Hi && F.Kind == E.Kind && F.Size == E.Size;
}

static size_t contentOf(const Evidence &E) {
  return hash_combine(E.Where.Off, E.Where.Stride, E.Where.Lo, E.Where.Hi,
                      E.Size, unsigned(E.Kind.K), E.Kind.FP, unsigned(E.Level),
                      E.Copied);
}

bool ObjectGraph::addEvidence(Position P, int64_t Size, ByteKind K, Trust L,
                              bool Copied, unsigned Origin) {
  P = normalise(P);
  ObjectNode &O = Objects[P.Obj];
  Evidence E{P, Size, K, L, Copied, Origin, O.NumArrived};
  const size_t Content = contentOf(E);
  bool IsEcho = false;
  auto [B, End] = O.ByContent.equal_range(Content);
  for (auto It = B; It != End; ++It)
    if (saySame(*It->second, E)) {
      if (It->second->Origin == Origin)
        return false;
      IsEcho = true;
    }
  ++O.NumArrived;
  O.Levels |= 1u << unsigned(L);
  if (IsEcho) {
    O.ByContent.insert({Content, &O.Echoes[Origin].emplace_back(E)});
    return true;
  }
  const Evidence *Kept;
  if (P.exact()) {
    Kept = &O.ExactEvidence.insert({P.Off, E})->second;
    O.LargestExact = std::max(O.LargestExact, Size);
  } else {
    Kept = &O.StridedEvidence.emplace_back(E);
  }
  O.Arrived.push_back(Kept);
  O.ByContent.insert({Content, Kept});
  return true;
}

namespace {
/// An occurrence of a piece of evidence in a window, with its precedence.
struct Instance {
  int64_t Start;
  int64_t Size;
  ByteKind Kind;
  Trust Level;
  bool Loose, Smeared, Reached;
  /// Compared in this order; equal ranks that disagree are a conflict.
  std::tuple<int, int, int, int64_t> Rank;
  const Evidence *From;
};
} // namespace

/// Do two arrays that begin at different offsets speak against the rule that
/// the longer stride is right? It tells a record's field from what an inner
/// array reaches of the next record. But where the array with the longer stride
/// begins first and reaches the first element of the other, it may as well have
/// ended there (`long double c[2]; double d[4];`).
static bool mayEndBefore(const Evidence &Longer, const Evidence &Shorter) {
  const Position &L = Longer.Where, &S = Shorter.Where;
  if (Longer.Kind == Shorter.Kind || L.Off >= S.Off || L.Stride <= S.Stride)
    return false;
  int64_t D = floorMod(S.Off - L.Off, L.Stride);
  return D < Longer.Size || D + Shorter.Size > L.Stride;
}

/// Takes the precedence of its stride from what may have ended before the other
/// begins.
static void levelStrides(MutableArrayRef<Instance> Instances) {
  SmallVector<const Evidence *, 8>
      Arrays; // occurrences of one lie side by side
  for (const Instance &I : Instances)
    if (I.Reached && (Arrays.empty() || Arrays.back() != I.From))
      Arrays.push_back(I.From);
  if (Arrays.size() < 2)
    return;
  DenseMap<const Evidence *, int64_t> Level;
  for (const Evidence *A : Arrays)
    for (const Evidence *B : Arrays)
      if (mayEndBefore(*A, *B)) {
        int64_t &L = Level.try_emplace(A, -A->Where.Stride).first->second;
        L = std::max(L, -B->Where.Stride);
      }
  for (Instance &I : Instances)
    if (auto It = Level.find(I.From); I.Reached && It != Level.end())
      std::get<3>(I.Rank) = It->second;
}

/// Array is strong evidence of floats without a known end. Does something else
/// take its first element for an integer, or for a float of another format?
/// Then the object holds one or the other: several kinds of records behind one
/// pointer, by their tag. What the array reaches are no members behind it.
/// (Of jumbled objects, places tell nothing: a hash table, its buckets and what
/// they hold.)
template <typename Node>
static bool beginsAsOther(const Node &O, const Evidence &Array) {
  const Position &W = Array.Where;
  if (Array.Kind.K != ByteKind::Float ||
      (W.Lo > Position::NegInf && W.Lo != W.Off))
    return false;
  for (auto It = O.ExactEvidence.lower_bound(W.Off - O.LargestExact);
       It != O.ExactEvidence.end() && It->first < W.Off + Array.Size; ++It) {
    const Evidence &E = It->second;
    if (E.Level == Trust::Strong && E.Where.Off + E.Size > W.Off &&
        (E.Kind.K == ByteKind::Integer ||
         (E.Kind.K == ByteKind::Float && E.Kind != Array.Kind)))
      return true;
  }
  return false;
}

/// Sorts, stably, what consists of few runs that are sorted: the places of each
/// piece of evidence are, and an array has as many as elements.
template <typename Less>
static void mergeRuns(MutableArrayRef<Instance> Instances, Less &&IsLess) {
  SmallVector<Instance *, 16> Bounds = {Instances.begin()};
  while (Bounds.back() != Instances.end())
    Bounds.push_back(
        std::is_sorted_until(Bounds.back(), Instances.end(), IsLess));
  while (Bounds.size() > 2) {
    SmallVector<Instance *, 16> Merged = {Bounds.front()};
    for (size_t I = 2; I < Bounds.size(); I += 2) {
      std::inplace_merge(Merged.back(), Bounds[I - 1], Bounds[I], IsLess);
      Merged.push_back(Bounds[I]);
    }
    if (Merged.back() != Bounds.back())
      Merged.push_back(Bounds.back());
    Bounds = std::move(Merged);
  }
}

/// How well evidence E speaks for a query at P; smaller is better.
static int fit(const Position &P, const Evidence &E) {
  const Position &W = E.Where;
  if (W.Stride == P.Stride)
    return 0; // about just these places
  // What overlaps itself (a float at any byte: its offset was computed) holds
  // of some places only.
  if (W.Stride && W.Stride < E.Size)
    return 4;
  if (W.Stride && P.Stride % W.Stride == 0)
    return W.Hi < Position::PosInf ? 1 : 2; // about all of them, and others
  return 4;                                 // about some of them
}

/// Calls Put(E, start, bytes, fit, smeared) with each place of evidence E in
/// the Size bytes at P, until Put returns false.
template <typename Taker>
static void eachPlace(const Evidence &E, const Position &P, int64_t Size,
                      Taker &&Put) {
  int64_t G = commonStride(E.Where.Stride, P.Stride);
  int64_t D = E.Where.Off - P.Off;
  int Fit = fit(P, E);
  if (G == 0) {
    if (D < Size && D + E.Size > 0)
      Put(E, D, E.Size, Fit, false);
    return;
  }
  if (G < E.Size && !P.exact()) {
    // The queried places lie closer than the evidence is long: every byte
    // may be any of its bytes.
    Put(E, 0, Size, Fit, true);
    return;
  }
  // First occurrence that reaches into the window.
  int64_t W = floorMod(D, G);
  while (W + E.Size > G)
    W -= G;
  while (W + E.Size <= 0)
    W += G;
  bool Below = E.Where.Lo > Position::NegInf;
  bool Above = E.Where.Hi < Position::PosInf;
  for (; W < Size; W += G) {
    if (P.exact()) {
      int64_t X = P.Off + W;
      if ((Below && X < E.Where.Lo) || (Above && X >= E.Where.Hi))
        continue;
      // Without a proof, arrays are taken to extend upwards.
      if (!Put(E, W, E.Size, !Below && X < E.Where.Off ? 3 : Fit, false))
        return;
      continue;
    }
    if (Below && Above && E.Where.Hi - E.Where.Lo < P.Stride &&
        floorMod(P.Off + W - E.Where.Lo, P.Stride) >= E.Where.Hi - E.Where.Lo)
      continue;
    if (!Put(E, W, E.Size, Fit, false))
      return;
  }
}

/// Visits what may have a place in the Size bytes at P, until Visit returns
/// false: what anybody says, once.
template <typename Node, typename Visitor>
static void eachEvidence(const Node &O, const Position &P, int64_t Size,
                         Visitor &&Visit) {
  auto It = P.exact() ? O.ExactEvidence.lower_bound(P.Off - O.LargestExact)
                      : O.ExactEvidence.begin();
  for (;
       It != O.ExactEvidence.end() && (!P.exact() || It->first < P.Off + Size);
       ++It)
    if (!Visit(It->second))
      return;
  for (const Evidence &E : O.StridedEvidence)
    if (!Visit(E))
      return;
}

/// The same, and again what Asker says, too.
template <typename Node, typename Visitor>
static void eachEvidence(const Node &O, const Position &P, int64_t Size,
                         unsigned Asker, Visitor &&Visit) {
  bool More = true;
  eachEvidence(O, P, Size, [&](const Evidence &E) { return More = Visit(E); });
  if (auto It = O.Echoes.find(Asker); More && It != O.Echoes.end())
    for (const Evidence &E : It->second)
      if (!Visit(E))
        return;
}

/// Does Asked hold of anything that may have a place in the Size bytes at P?
template <typename Node, typename Predicate>
static bool anyEvidence(const Node &O, const Position &P, int64_t Size,
                        Predicate &&Asked) {
  bool Found = false;
  eachEvidence(O, P, Size, [&](const Evidence &E) {
    Found = Asked(E);
    return !Found;
  });
  return Found;
}

/// Does E speak of any of the Size bytes at P?
static bool hasPlace(const Evidence &E, const Position &P, int64_t Size) {
  bool Found = false;
  eachPlace(E, P, Size, [&](auto &&...) {
    Found = true;
    return false;
  });
  return Found;
}

bool ObjectGraph::hasEvidence(Position P, int64_t Size, Trust Least) const {
  P = normalise(P);
  return P.valid() && Size > 0 &&
         anyEvidence(Objects[P.Obj], P, Size, [&](const Evidence &E) {
           return E.Level <= Least && hasPlace(E, P, Size);
         });
}

/// Is there nothing of the Size bytes at P but what copies brought?
bool ObjectGraph::isOnlyGuessed(Position P, int64_t Size, Trust Least) const {
  P = normalise(P);
  return !P.valid() ||
         !anyEvidence(Objects[P.Obj], P, Size, [&](const Evidence &E) {
           return E.Level <= Least && !E.Copied && hasPlace(E, P, Size);
         });
}

/// Did anything become known to Asker of the Size bytes at P (normalised) since
/// Seen pieces of evidence had arrived?
bool ObjectGraph::arrivedSince(unsigned Seen, const Position &P, int64_t Size,
                               unsigned Asker) const {
  const ObjectNode &O = Objects[P.Obj];
  auto IsNew = [&](const Evidence &E) {
    return E.Arrival >= Seen && hasPlace(E, P, Size);
  };
  if (auto It = O.Echoes.find(Asker);
      It != O.Echoes.end() && any_of(It->second, IsNew))
    return true;
  auto First = llvm::partition_point(
      O.Arrived, [&](const Evidence *E) { return E->Arrival < Seen; });
  const size_t New = O.Arrived.end() - First;
  if (P.exact() && New > O.StridedEvidence.size())
    return anyEvidence(O, P, Size, IsNew);
  return any_of(make_range(First, O.Arrived.end()),
                [&](const Evidence *E) { return IsNew(*E); });
}

SmallVector<Placed, 8> ObjectGraph::resolve(Position P, int64_t Size,
                                            unsigned Asker, Trust Least,
                                            Trust Best) const {
  P = normalise(P);
  SmallVector<Placed, 8> Result;
  if (!P.valid() || Size <= 0)
    return Result;
  const ObjectNode &O = Objects[P.Obj];
  SmallVector<Instance, 16> Instances;

  auto Put = [&](const Evidence &E, int64_t Start, int64_t Bytes, int Fit,
                 bool Smeared) {
    // What an array without a known end reaches is worse than a declaration of
    // just this place, or a caller's access to it; everything else is better.
    constexpr int Reached = 3;
    bool JustHere = Fit == 0 && !E.Copied;
    int Class = E.Level == Trust::Strong    ? (Fit < 2 ? Fit : Fit + 1)
                : E.Level == Trust::Guess   ? Fit + 18
                : E.Level == Trust::Moved   ? Fit + 24
                : E.Level == Trust::Turns   ? Fit + 30
                : JustHere                  ? Reached - 1
                : E.Level == Trust::Hearsay ? Fit + 12
                                            : Fit + 6;
    Instances.push_back(
        {Start,
         Bytes,
         E.Kind,
         E.Level,
         Fit >= 3,
         Smeared,
         E.Level == Trust::Strong && Class == Reached,
         {Class, int(E.Origin != Asker), int(E.Copied), -E.Where.Stride},
         &E});
    return true;
  };
  eachEvidence(O, P, Size, Asker, [&](const Evidence &E) {
    if (E.Level <= Least && E.Level >= Best)
      eachPlace(E, P, Size, Put);
    return true;
  });
  if (Instances.empty())
    return Result;
  levelStrides(Instances);
  for (Instance &I : Instances)
    if (I.Reached && !isJumbled(P.Obj) && beginsAsOther(O, *I.From)) {
      std::get<0>(I.Rank) = 0;
      std::get<3>(I.Rank) = 0;
    }
  // Of two that know as much, the one for a float: where memory holds integers
  // and floats by turns, a copy has to move the derivatives of the floats, and
  // those of the integers are zero.
  auto Order = [](const Instance &I) {
    return std::tuple(I.Rank, I.Kind.K == ByteKind::Integer, I.Start);
  };
  mergeRuns(Instances, [&](const Instance &A, const Instance &B) {
    return Order(A) < Order(B);
  });

  // Best first; a byte belongs to the first instance that covers it. A worse
  // instance that collides with a better one is dropped as a whole: half a
  // float is none.
  SmallVector<int, 64> Owner(Size, -1);
  SmallVector<bool, 64> Clash(Size, false);
  SmallVector<int, 16> Kept;
  for (unsigned I = 0; I != Instances.size(); ++I) {
    const Instance &N = Instances[I];
    int64_t B = std::max<int64_t>(N.Start, 0);
    int64_t E = std::min(N.Start + N.Size, Size);
    bool IsInteger = N.Kind.K == ByteKind::Integer;
    bool Drop = false;
    for (int64_t X = B; X < E && !Drop; ++X) {
      if (Owner[X] < 0)
        continue;
      const Instance &Other = Instances[Owner[X]];
      bool Agrees =
          (Other.Kind == N.Kind &&
           (IsInteger || (Other.Start == N.Start && Other.Size == N.Size))) ||
          (IsInteger && Other.Kind.K == ByteKind::Float &&
           Other.Rank == N.Rank && !Other.Smeared && !N.Smeared);
      if (!Agrees && Other.Rank == N.Rank) {
        for (int64_t Y = std::max<int64_t>(std::min(N.Start, Other.Start), 0),
                     YE = std::min(
                         std::max(N.Start + N.Size, Other.Start + Other.Size),
                         Size);
             Y < YE; ++Y)
          if (Owner[Y] < 0 || Instances[Owner[Y]].Rank == N.Rank) {
            Clash[Y] = true;
            if (Owner[Y] < 0)
              Owner[Y] = I;
          }
      }
      // Integers may be laid over each other in any way.
      if (!(Agrees && IsInteger))
        Drop = true;
    }
    if (Drop)
      continue;
    for (int64_t X = B; X < E; ++X)
      if (Owner[X] < 0)
        Owner[X] = I;
  }
  for (int64_t X = 0; X < Size;) {
    if (Owner[X] < 0) {
      ++X;
      continue;
    }
    int64_t Y = X + 1;
    if (Clash[X]) {
      while (Y < Size && Clash[Y])
        ++Y;
      Result.push_back(
          {X, Y - X, {ByteKind::Conflict, nullptr}, Instances[Owner[X]].Level});
    } else {
      while (Y < Size && !Clash[Y] && Owner[Y] == Owner[X])
        ++Y;
      const Instance &N = Instances[Owner[X]];
      // Integers and halves left of a clash are cut; others stay whole, so
      // that the piece says where in the float a partial window lies.
      if (N.Kind.K == ByteKind::Integer)
        Result.push_back(
            {X, Y - X, N.Kind, N.Level, N.Loose, N.Smeared, N.Reached});
      else
        Result.push_back(
            {N.Start, N.Size, N.Kind, N.Level, N.Loose, N.Smeared, N.Reached});
    }
    X = Y;
  }
  return Result;
}

bool ObjectGraph::touchesFloat(Position P, int64_t Size, Trust Level,
                               bool Possibly) const {
  P = normalise(P);
  if (!P.valid())
    return false;
  auto Touches = [&](const Evidence &E) {
    if (E.Kind.K != ByteKind::Float || E.Level != Level)
      return false;
    const Position &W = E.Where;
    // An array without a known end reaches no single place for certain.
    if (!Possibly && P.exact() && W.Hi == Position::PosInf)
      return false;
    if (W.Hi - 1 + E.Size <= P.Lo || P.Hi - 1 + Size <= W.Lo)
      return false;
    // Some W.Off + k * W.Stride within (P.Off + l * P.Stride) + (-E.Size,
    // Size)?
    int64_t G = commonStride(W.Stride, P.Stride);
    int64_t D = W.Off - P.Off;
    if (G == 0)
      return D < Size && D + E.Size > 0;
    D = floorMod(D, G);
    return D < Size || D + E.Size > G;
  };
  return anyEvidence(Objects[P.Obj], P, Size, Touches);
}

/// Evidence E speaks of just the Size bytes at P, of none of them, or of others
/// as well.
enum class Overlap { None, Same, Across };
static Overlap overlap(const Position &P, int64_t Size, const Evidence &E) {
  const Position &W = E.Where;
  if (W.Hi - 1 + E.Size <= P.Lo || P.Hi - 1 + Size <= W.Lo)
    return Overlap::None;
  int64_t G = commonStride(W.Stride, P.Stride);
  int64_t D = G ? floorMod(W.Off - P.Off, G) : W.Off - P.Off;
  if (D == 0)
    return E.Size == Size ? Overlap::Same : Overlap::Across;
  bool Behind = D >= Size, Before = G ? D + E.Size <= G : D + E.Size <= 0;
  return (G ? Behind && Before : Behind || Before) ? Overlap::None
                                                   : Overlap::Across;
}

bool ObjectGraph::isContested(Position P, int64_t Size, unsigned Asker) const {
  P = normalise(P);
  if (!P.valid())
    return false;
  // What an array inside of a record reaches of the next one is no rival of the
  // record's own members before it: the floats have to begin first.
  int64_t Floats = Position::PosInf, Others = Position::NegInf;
  bool Own = false;
  auto Visit = [&](const Evidence &E) {
    if (E.Level != Trust::Strong || overlap(P, Size, E) == Overlap::None)
      return;
    const int64_t Begin = E.Where.Off;
    if (E.Kind.K == ByteKind::Float)
      Floats = std::min(Floats, E.Where.exact() ? Position::NegInf : Begin);
    else if (E.Kind.K == ByteKind::Integer || E.Kind.K == ByteKind::Pointer)
      Others = std::max(Others, Begin);
    Own |= !E.Copied && E.Origin == Asker;
  };
  eachEvidence(Objects[P.Obj], P, Size, Asker, [&](const Evidence &E) {
    Visit(E);
    return true;
  });
  return Others != Position::NegInf && Floats <= Others && !Own;
}

Type *ObjectGraph::sharedWithPointers(Position P, int64_t Size,
                                      bool Integers) const {
  P = normalise(P);
  if (!P.valid())
    return nullptr;
  Type *FP = nullptr;
  auto Fits = [&](const Evidence &E) {
    const bool Turns = E.Level == Trust::Turns;
    if ((E.Level > Trust::Weak && !Turns) ||
        (Integers && E.Kind.K == ByteKind::Integer))
      return true;
    Overlap How = overlap(P, Size, E);
    if (Turns) {
      if (How == Overlap::Same && !FP)
        FP = E.Kind.FP;
      return true;
    }
    if (How != Overlap::Same || E.Kind.K != ByteKind::Float)
      return How == Overlap::None ||
             (How == Overlap::Same && E.Kind.K == ByteKind::Pointer);
    bool Same = !FP || FP == E.Kind.FP;
    FP = E.Kind.FP;
    return Same;
  };
  return anyEvidence(Objects[P.Obj], P, Size,
                     [&](const Evidence &E) { return !Fits(E); })
             ? nullptr
             : FP;
}

bool ObjectGraph::isByTurns(Position P) const {
  P = normalise(P);
  return P.valid() &&
         anyEvidence(Objects[P.Obj], P, PointerSize, [&](const Evidence &E) {
           return E.Level == Trust::Turns &&
                  overlap(P, PointerSize, E) == Overlap::Same;
         });
}

bool ObjectGraph::holdsPointers(Position P, int64_t Size) const {
  P = normalise(P);
  if (!P.valid())
    return false;
  auto Pointer = [&](const Evidence &E) {
    return ((E.Kind.K == ByteKind::Pointer && E.Level == Trust::Strong) ||
            E.Level == Trust::Turns) &&
           overlap(P, Size, E) == Overlap::Same;
  };
  return anyEvidence(Objects[P.Obj], P, Size, Pointer);
}

bool ObjectGraph::holdsFloatsOnly(Position P, int64_t Size) const {
  P = normalise(P);
  if (!P.valid())
    return false;
  bool Any = false;
  auto Floats = [&](const Evidence &E) {
    bool Here = overlap(P, Size, E) != Overlap::None;
    Any |= Here && E.Level == Trust::Strong && !E.Copied;
    return !Here || E.Kind.K == ByteKind::Float;
  };
  return !anyEvidence(Objects[P.Obj], P, Size, [&](const Evidence &E) {
    return !Floats(E);
  }) && Any;
}

bool ObjectGraph::holdsFloats(Position P, int64_t Size) const {
  P = normalise(P);
  return P.valid() &&
         !anyEvidence(Objects[P.Obj], P, Size, [&](const Evidence &E) {
           const bool Counts =
               E.Level != Trust::Guess && E.Level != Trust::Moved;
           return Counts && E.Kind.K != ByteKind::Float &&
                  overlap(P, Size, E) != Overlap::None;
         });
}

bool ObjectGraph::isArrayOfFloats(unsigned Rep) const {
  const std::vector<const Evidence *> &All = Objects[Rep].Arrived;
  const Type *Format = nullptr;
  return !All.empty() && all_of(All, [&](const Evidence *E) {
    const bool Same = !Format || Format == E->Kind.FP;
    Format = E->Kind.FP;
    return E->Kind.K == ByteKind::Float && Same;
  });
}

bool ObjectGraph::areConnected(unsigned RepA, unsigned RepB) const {
  return Connected.isEquivalent(RepA, RepB);
}

bool ObjectGraph::mayMeet(Position P, Position Q, int64_t Size,
                          bool Behind) const {
  P = normalise(P);
  Q = normalise(Q);
  if (!P.valid() || P.Obj != Q.Obj)
    return false;
  if (Behind) {
    Q.Stride = commonStride(Q.Stride, Size);
    Q.Hi = Position::PosInf;
  }
  return overlap(P, Size,
                 {Q, Size, ByteKind(), Trust::Strong, /*Copied=*/false,
                  NoOrigin}) != Overlap::None;
}

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

bool ObjectGraph::isJumbled(unsigned Object) const {
  return any_of(Objects[Object].StridedEvidence, [this](const Evidence &E) {
    return E.Kind.K == ByteKind::Pointer && E.Where.Stride &&
           E.Where.Stride <= PointerSize && E.Where.Lo <= Position::NegInf;
  });
}

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
      Integers = true;
      return false;
    }
    Words = true;
    return How != Overlap::Same ||
           (E.Kind.K == ByteKind::Float && !E.Kind.FP->isDoubleTy());
  };
  return !anyEvidence(Objects[P.Obj], P, PointerSize, Else) &&
         (Words || !Integers);
}

bool ObjectGraph::addTurns(Position P, ByteKind K, unsigned Origin) {
  P = normalise(P);
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
}

void ObjectGraph::collectFormats() {
  for (const Link &L : Links) {
    Position D = positionOf(L.Dst), S = positionOf(L.Src);
    if (D.valid() && S.valid())
      Connected.unionSets(D.Obj, S.Obj);
  }
  for (unsigned O = 0; O != Objects.size(); ++O) {
    if (Objects[O].Parent != O)
      continue;
    auto It = Connected.findLeader(O);
    auto &Found = Formats[It == Connected.member_end() ? O : *It];
    auto Note = [&](const Evidence &E) {
      if (E.Kind.K == ByteKind::Float && !is_contained(Found, E.Kind.FP))
        Found.push_back(E.Kind.FP);
    };
    for (const auto &[Off, E] : Objects[O].ExactEvidence)
      Note(E);
    for_each(Objects[O].StridedEvidence, Note);
  }
}

ArrayRef<Type *> ObjectGraph::formatsAround(unsigned Rep) const {
  auto Leader = Connected.findLeader(Rep);
  auto It = Formats.find(Leader == Connected.member_end() ? Rep : *Leader);
  return It == Formats.end() ? ArrayRef<Type *>() : It->second;
}

std::vector<Evidence> ObjectGraph::evidenceOf(unsigned Rep) const {
  std::vector<Evidence> Result;
  for (auto &[Off, E] : Objects[Rep].ExactEvidence)
    Result.push_back(E);
  Result.insert(Result.end(), Objects[Rep].StridedEvidence.begin(),
                Objects[Rep].StridedEvidence.end());
  return Result;
}
