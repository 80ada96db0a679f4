//===- ObjectEvidence.cpp - what is known of the bytes of objects ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps evidence per object, and answers what bytes are: which of several
// pieces of evidence goes first is decided in ObjectGraph::resolve, in the
// order that README.md calls precedence. EvidenceFlow.cpp carries evidence over
// links.
//
//===----------------------------------------------------------------------===//

#include "Analysis/EvidencePlaces.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>
#include <tuple>
#include <utility>

using namespace llvm;
using namespace retrograd;

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
    O.IsJumbled |= K.K == ByteKind::Pointer && P.Stride <= PointerSize &&
                   P.Lo <= Position::NegInf;
  }
  O.Arrived.push_back(Kept);
  if (L == Trust::Turns)
    O.Turns.push_back(Kept);
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
    int Class = isAnywhere(E) && Fit        ? Fit + 36
                : E.Level == Trust::Strong  ? (Fit < 2 ? Fit : Fit + 1)
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
                               bool Possibly, const Type *Format) const {
  P = normalise(P);
  if (!P.valid())
    return false;
  auto Touches = [&](const Evidence &E) {
    if (E.Kind.K != ByteKind::Float || E.Level != Level ||
        (Format && E.Kind.FP != Format))
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
  return P.valid() && any_of(Objects[P.Obj].Turns, [&](const Evidence *E) {
           return overlap(P, PointerSize, *E) == Overlap::Same;
         });
}

bool ObjectGraph::mayLead(Position P) const {
  P = normalise(P);
  // Where words are reached one by one, a cell is what any of them may be: then
  // somebody must have named this word a pointer.
  const bool IsNamed =
      P.exact() &&
      anyEvidence(Objects[P.Obj], P, PointerSize, [&](const Evidence &E) {
        return (E.Kind.K == ByteKind::Pointer || E.Level == Trust::Turns) &&
               overlap(P, PointerSize, E) == Overlap::Same;
      });
  return P.Stride % PointerSize == 0 && P.Stride != PointerSize &&
         any_of(cellsOf(P.Obj), [&](const CellView &C) {
           const Position &W = C.Where;
           const bool IsHere = W.Stride == P.Stride
                                   ? (P.Stride ? (W.Off - P.Off) % P.Stride == 0
                                               : W.Off == P.Off)
                                   : IsNamed &&
                                         (P.Off - W.Off) % W.Stride == 0 &&
                                         W.Lo <= P.Off && P.Off < W.Hi;
           return IsHere && positionOf(C.Pointee).valid();
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

unsigned ObjectGraph::leaderOf(unsigned Rep) const {
  auto Leader = Connected.findLeader(Rep);
  return Leader == Connected.member_end() ? Rep : *Leader;
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

bool ObjectGraph::isJumbled(unsigned Object) const {
  return Objects[Object].IsJumbled;
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
    auto &Found = Formats[leaderOf(O)];
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
  auto It = Formats.find(leaderOf(Rep));
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
