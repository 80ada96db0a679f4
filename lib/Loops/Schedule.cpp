//===- Schedule.cpp - orders of iterations, proved ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times as maps, the dependences of the program, and whether an order keeps
// them. Which orders are tried is in Search.cpp, what they cost in Cost.cpp.
//
//===----------------------------------------------------------------------===//

#include "Loops/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

void TimeTerm::reverse() {
  Down ^= true;
  C = -C;
  for (int64_t &X : Skew)
    X = -X;
}

void TimeTerm::add(const TimeTerm &Other, int64_t Count, unsigned Loops) {
  Skew.resize(Loops);
  for (unsigned K = 0; K != Loops; ++K)
    Skew[K] += Count * Other.times(K);
  C += Count * Other.C;
}

void TimeTerm::addTo(std::vector<int64_t> &Key) const {
  Key.insert(Key.end(), {Loop, C, Down, Tile, Aligned, int64_t(Skew.size()),
                         int64_t(Front.size())});
  Key.insert(Key.end(), Skew.begin(), Skew.end());
  Key.insert(Key.end(), Front.begin(), Front.end());
}

std::vector<int64_t> Schedule::key() const {
  std::vector<int64_t> Key;
  for (const auto &Time : Times)
    for (const TimeTerm &T : Time)
      T.addTo(Key);
  for (const Jam &J : Jams) {
    Key.insert(Key.end(), {J.Place, J.Lanes, J.Strip});
    Key.insert(Key.end(), J.Prefix.begin(), J.Prefix.end());
  }
  return Key;
}

static std::string dimensions(unsigned Count) {
  std::string S;
  for (unsigned K = 0; K != Count; ++K)
    S += (K ? ",t" : "t") + std::to_string(K);
  return S;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

Schedule Scheduler::original() const {
  unsigned Depth = 0;
  for (const Statement &S : N.Statements)
    Depth = std::max<unsigned>(Depth, S.Loops.size());
  // Places in small numbers.
  std::map<std::vector<int64_t>, std::set<int64_t>> Siblings;
  auto PrefixOf = [](const Statement &S, unsigned K) {
    return std::vector<int64_t>(S.Places.begin(), S.Places.begin() + K);
  };
  for (const Statement &S : N.Statements)
    for (unsigned K = 0; K != S.Places.size(); ++K)
      Siblings[PrefixOf(S, K)].insert(S.Places[K]);
  Schedule Result;
  for (const Statement &S : N.Statements) {
    std::vector<TimeTerm> Time;
    for (unsigned K = 0; K <= Depth; ++K) {
      TimeTerm Place, Counter;
      if (K < S.Places.size()) {
        auto &Set = Siblings[PrefixOf(S, K)];
        Place.C = std::distance(Set.begin(), Set.find(S.Places[K]));
      }
      if (K < S.Loops.size())
        Counter.Loop = K;
      Time.push_back(Place);
      if (K != Depth)
        Time.push_back(Counter);
    }
    Result.Times.push_back(Time);
  }
  return Result;
}

/// The number at place P, in counters i0, i1...
static std::string numberAt(const std::vector<TimeTerm> &Time, unsigned P) {
  const TimeTerm &T = Time[P];
  std::string Text = "(" + std::to_string(T.C);
  for (int K = 0, E = std::max<int>(T.Loop + 1, T.Skew.size()); K < E; ++K)
    if (int64_t Times = T.times(K)) {
      Text += "+(";
      Text += std::to_string(Times) + "*i";
      Text += std::to_string(K) + ")";
    }
  Text += ")";
  if (T.Tile) {
    Text.insert(0, "floor(");
    Text += "/" + std::to_string(T.Tile) + ")";
  }
  for (unsigned Q : T.Front) {
    Text += "+";
    Text += numberAt(Time, Q);
  }
  return Text;
}

Map Scheduler::plainTime(const Schedule &S, unsigned K) {
  const Statement &St = N.Statements[K];
  std::string Text = "{ S" + std::to_string(K) + "[";
  for (unsigned D = 0; D != St.Loops.size(); ++D)
    Text += (D ? ",i" : "i") + std::to_string(D);
  Text += "] -> [";
  bool First = true;
  for (unsigned P = 0; P != S.Times[K].size(); ++P) {
    Text += First ? "" : ",";
    First = false;
    Text += numberAt(S.Times[K], P);
  }
  Text += "] }";
  Map M(isl_map_read_from_str(N.Context, Text.c_str()));
  return Map(isl_map_intersect_domain(M.take(), St.Domain.copy()));
}

bool Scheduler::isJammed(unsigned K, const Schedule &S, const Jam &J) const {
  const auto &Time = S.Times[K];
  if (!Time[J.Place].isLoop())
    return false;
  for (unsigned P = 0; P != J.Prefix.size(); ++P)
    if (Time[2 * P].Loop >= 0 || Time[2 * P].C != J.Prefix[P])
      return false;
  return true;
}

// NOLINTBEGIN(performance-inefficient-string-concatenation): short, and few.
/// Each jam adds a place in front of its loop (what is left over, full lanes,
/// what is left over) and
/// one in front of the last (the lane). What is left over by one jam is not
/// jammed by another.
std::vector<TimedPart> Scheduler::parts(const Schedule &S) {
  std::vector<TimedPart> Parts;
  for (unsigned K = 0; K != N.Statements.size(); ++K)
    Parts.push_back({K, false, plainTime(S, K)});
  unsigned Dims = S.Times.front().size();
  for (unsigned JamIndex = 0; JamIndex != S.Jams.size(); ++JamIndex) {
    const Jam &J = S.Jams[JamIndex];
    const unsigned At = J.Place + JamIndex; // one more place for each before
    const std::string U = std::to_string(J.Lanes);
    auto Text = [&](bool Jammed, int Which) {
      std::string T = "{ [" + dimensions(Dims) + "] -> [";
      for (unsigned D = 0; D != Dims; ++D) {
        if (D == At)
          T += std::to_string(Which) + ",";
        std::string X = "t" + std::to_string(D);
        // All of an iteration in one lane, then in the next.
        if (D == Dims - 1)
          T += (Jammed ? "t" + std::to_string(At) + " mod " + U : "0") + ",";
        T += D == At && Jammed ? "floor(" + X + "/" + U + ")" : X;
        T += D == Dims - 1 ? "" : ",";
      }
      return T + "] }";
    };
    auto Read = [&](const std::string &T) {
      return Map(isl_map_read_from_str(N.Context, T.c_str()));
    };
    // Where all lanes exist: no statement of the loop lacks the iteration.
    Set All;
    for (TimedPart &P : Parts)
      if (!P.Rest && isJammed(P.Statement, S, J)) {
        Set Range(isl_map_range(P.Times.copy()));
        Range = Set(isl_set_project_out(Range.take(), isl_dim_set, At + 1,
                                        Dims - At - 1));
        All = All ? Set(isl_set_union(All.take(), Range.take())) : Range;
      }
    if (!All)
      return {};
    std::string Prefix;
    for (unsigned D = 0; D != At; ++D)
      Prefix += "t" + std::to_string(D) + ",";
    Map ToTile =
        Read("{ [" + Prefix + "x] -> [" + Prefix + "floor(x/" + U + ")] }");
    Map ToLanes = Read("{ [" + Prefix + "y] -> [" + Prefix + "x] : " + U +
                       "y <= x < " + U + "y + " + U + " }");
    All = Set(isl_set_coalesce(All.take()));
    Set Tiles(isl_set_apply(All.copy(), ToTile.copy()));
    // Tiles with a lane that does not exist.
    Map Missing(isl_map_intersect_domain(ToLanes.copy(), Tiles.copy()));
    Missing = Map(isl_map_subtract_range(Missing.take(), All.copy()));
    Set Full(isl_set_subtract(Tiles.take(), isl_map_domain(Missing.take())));
    Full = Set(isl_set_apply(Full.take(), ToLanes.copy()));
    Full = Set(isl_set_coalesce(Full.take()));
    Full = Set(isl_set_add_dims(Full.take(), isl_dim_set, Dims - At - 1));
    // What is left over in front of full lanes, and behind them.
    Set Earlier(
        isl_set_project_out(Full.copy(), isl_dim_set, At + 1, Dims - At - 1));
    Earlier = Set(isl_set_apply(
        Earlier.take(),
        Read("{ [" + Prefix + "x] -> [" + Prefix + "y] : y < x }").take()));
    Earlier = Set(isl_set_add_dims(Earlier.take(), isl_dim_set, Dims - At - 1));
    Map Lanes = Read(Text(true, 1)), Others = Read(Text(false, 1)),
        RestMaps[] = {Read(Text(false, 0)), Read(Text(false, 2))};
    std::vector<TimedPart> Next;
    for (TimedPart &P : Parts) {
      if (P.Rest || !isJammed(P.Statement, S, J)) {
        P.Times = Map(isl_map_apply_range(P.Times.take(), Others.copy()));
        Next.push_back(P);
        continue;
      }
      Map InLanes(isl_map_intersect_range(P.Times.copy(), Full.copy())),
          Left(isl_map_subtract_range(P.Times.copy(), Full.copy()));
      InLanes = Map(isl_map_apply_range(InLanes.take(), Lanes.copy()));
      if (isl_map_is_empty(InLanes.get()) != isl_bool_true)
        Next.push_back({P.Statement, P.Rest, InLanes});
      Map Parts[] = {Map(isl_map_intersect_range(Left.copy(), Earlier.copy())),
                     Map(isl_map_subtract_range(Left.copy(), Earlier.copy()))};
      for (unsigned Where : {0, 1}) {
        Map Of(
            isl_map_apply_range(Parts[Where].take(), RestMaps[Where].copy()));
        if (isl_map_is_empty(Of.get()) != isl_bool_true)
          Next.push_back({P.Statement, true, Of});
      }
    }
    Parts = std::move(Next);
    Dims += 2;
  }
  return Parts;
}

// NOLINTEND(performance-inefficient-string-concatenation)

/// A jam tells a cell's lanes apart if its loop is around the cell in all
/// statements that touch it, at the same time in all of them.
CellLanes Scheduler::lanes(const Schedule &S) const {
  CellLanes Lanes(N.Cells.size(), -1);
  for (unsigned C = 0; C != N.Cells.size(); ++C)
    for (unsigned J = 0; J != S.Jams.size() && !N.Cells[C].InMemory; ++J) {
      bool All = true, Any = false;
      std::map<Loop *, int64_t> Number;
      for (unsigned K = 0; K != N.Statements.size(); ++K) {
        const Statement &St = N.Statements[K];
        bool Touches = St.Write.CellIndex == int(C) ||
                       any_of(St.Reads, [&](const Access &A) {
                         return A.CellIndex == int(C);
                       });
        if (!Touches)
          continue;
        const TimeTerm &T = S.Times[K][S.Jams[J].Place];
        bool Around = isJammed(K, S, S.Jams[J]);
        std::map<Loop *, int64_t> Here{{nullptr, T.C}};
        for (unsigned L = 0; L != St.Loops.size() && Around; ++L)
          if (int64_t Times = T.times(L)) {
            Around = is_contained(N.Cells[C].Loops, St.Loops[L]);
            Here[St.Loops[L]] = Times;
          }
        All &= Around && (!Any || Here == Number);
        Number = Here;
        Any = true;
      }
      if (All && Any && Lanes[C] < 0)
        Lanes[C] = J;
    }
  return Lanes;
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

bool Scheduler::find() {
  const Schedule S = original();
  std::vector<Map> Times;
  for (unsigned K = 0; K != N.Statements.size(); ++K)
    Times.push_back(plainTime(S, K));
  isl_space *Space = isl_space_range(isl_map_get_space(Times[0].get()));
  Map Before(isl_map_lex_lt(Space));
  for (unsigned X = 0; X != N.Statements.size(); ++X)
    for (unsigned Y = 0; Y != N.Statements.size(); ++Y) {
      const Statement &A = N.Statements[X], &B = N.Statements[Y];
      Map Pairs, Additions;
      auto Meet = [&](const Access &P, const Access &Q, Map &To) {
        if (P.Array != Q.Array)
          return;
        Map M(isl_map_apply_range(P.Where.copy(),
                                  isl_map_reverse(Q.Where.copy())));
        To = To ? Map(isl_map_union(To.take(), M.take())) : M;
      };
      auto IsSum = [](const Statement &T, const Access &P) {
        return T.Sum >= 0 && (&P == &T.Write || &P == &T.Reads[T.Sum]);
      };
      auto Maybe = [&](const Access &P, const Access &Q) {
        Meet(P, Q, IsSum(A, P) && IsSum(B, Q) ? Additions : Pairs);
      };
      Maybe(A.Write, B.Write);
      for (const Access &R : B.Reads)
        Maybe(A.Write, R);
      for (const Access &R : A.Reads)
        Maybe(R, B.Write);
      if (A.SetsErrno && B.SetsErrno) {
        Map M(isl_map_from_domain_and_range(A.Domain.copy(), B.Domain.copy()));
        Pairs = Pairs ? Map(isl_map_union(Pairs.take(), M.take())) : M;
      }
      for (auto [From, To] : {std::make_pair(&Pairs, &Dependences),
                              std::make_pair(&Additions, &Sums)}) {
        if (!*From)
          continue;
        Map Ordered(isl_map_apply_range(
            isl_map_apply_range(Times[X].copy(), Before.copy()),
            isl_map_reverse(Times[Y].copy())));
        Map M(
            isl_map_coalesce(isl_map_intersect(From->take(), Ordered.take())));
        isl_bool Empty = isl_map_is_empty(M.get());
        if (Empty == isl_bool_error)
          return false;
        if (!Empty)
          To->push_back({X, Y, M});
      }
    }
  findClusters();
  return true;
}

Set Scheduler::written(unsigned Array) {
  Set All;
  for (const Statement &St : N.Statements)
    if (St.Write.I && St.Write.Array == Array) {
      Set Here(isl_map_range(
          isl_map_intersect_domain(St.Write.Where.copy(), St.Domain.copy())));
      All = All ? Set(isl_set_union(All.take(), Here.take())) : Here;
    }
  return All;
}

Type *Scheduler::typeOfCopy(unsigned Array) {
  auto [Known, New] = CopyTypes.insert({Array, nullptr});
  if (!New || !N.Arrays[Array].Base || N.Arrays[Array].Strides.size() != 1)
    return Known->second;
  Type *T = nullptr;
  bool Sum = false;
  for (const Statement &St : N.Statements)
    if (St.Write.I && St.Write.Array == Array) {
      if (T && T != St.V->getType())
        return nullptr;
      T = St.V->getType();
      Sum |= St.Sum >= 0;
    }
  if (!Sum || !T->isFloatingPointTy())
    return nullptr;
  // Holes: with an element before and one behind.
  Set Elements = written(Array);
  isl_space *Space = isl_set_get_space(Elements.get());
  Map Less(isl_map_lex_lt(isl_space_copy(Space))), More(isl_map_lex_gt(Space));
  Set Holes(isl_set_intersect(isl_set_apply(Elements.copy(), Less.take()),
                              isl_set_apply(Elements.copy(), More.take())));
  Holes = Set(isl_set_subtract(Holes.take(), Elements.take()));
  Holes = Set(isl_set_intersect_params(Holes.take(), N.Asked.copy()));
  if (isl_set_is_empty(Holes.get()) == isl_bool_true)
    Known->second = T;
  return Known->second;
}

void Scheduler::findClusters() {
  Cluster.resize(N.Statements.size());
  std::iota(Cluster.begin(), Cluster.end(), 0);
  for (unsigned C = 0; C != N.Cells.size(); ++C) {
    if (N.Cells[C].InMemory)
      continue;
    int First = -1;
    for (unsigned K = 0; K != N.Statements.size(); ++K) {
      const Statement &S = N.Statements[K];
      if (S.Write.CellIndex != int(C) && none_of(S.Reads, [&](const Access &A) {
            return A.CellIndex == int(C);
          }))
        continue;
      if (First < 0) {
        First = Cluster[K];
        continue;
      }
      unsigned Old = Cluster[K];
      for (unsigned &Of : Cluster)
        if (Of == Old)
          Of = First;
    }
  }
}

/// Steps of the search lead to the same order again and again.
bool Scheduler::isLegal(const Schedule &S) {
  auto [Known, New] = Proved.insert({S.key(), false});
  if (New)
    Known->second = prove(S);
  return Known->second;
}

bool Scheduler::prove(const Schedule &S) {
  std::vector<TimedPart> Parts = parts(S);
  if (Parts.empty())
    return false;
  std::vector<Map> Whole(N.Statements.size());
  for (TimedPart &P : Parts) {
    Map &W = Whole[P.Statement];
    W = W ? Map(isl_map_union(W.take(), P.Times.copy())) : P.Times;
  }
  isl_space *Space = isl_space_range(isl_map_get_space(Parts[0].Times.get()));
  Map Before(isl_map_lex_lt(isl_space_drop_all_params(Space)));
  for (const Dependence &D : Dependences) {
    if (!Whole[D.From] || !Whole[D.To])
      return false;
    Map M(isl_map_apply_range(
        isl_map_apply_domain(D.Pairs.copy(), Whole[D.From].copy()),
        Whole[D.To].copy()));
    if (isl_map_is_subset(M.get(), Before.get()) != isl_bool_true)
      return false;
  }
  return cellsFit(S, Parts);
}

/// Between the first time that an element of a cell is set and the last time
/// that it is read, its place is not set for another element.
bool Scheduler::cellsFit(const Schedule &S,
                         const std::vector<TimedPart> &Parts) {
  const CellLanes Lanes = lanes(S);
  for (unsigned C = 0; C != N.Cells.size(); ++C) {
    if (N.Cells[C].Loops.empty() || N.Cells[C].InMemory)
      continue;
    Map Sets, Reads;
    for (const TimedPart &P : Parts) {
      const Statement &St = N.Statements[P.Statement];
      const bool Touches = St.Write.CellIndex == int(C) ||
                           any_of(St.Reads, [&](const Access &A) {
                             return A.CellIndex == int(C);
                           });
      // What is left over by another jam would have no lanes.
      if (Touches && Lanes[C] >= 0 && count_if(S.Jams, [&](const Jam &J) {
                                        return isJammed(P.Statement, S, J);
                                      }) > 1)
        return false;
      auto Add = [&](Map &To, const Access &A) {
        Map M(isl_map_apply_range(isl_map_reverse(A.Where.copy()),
                                  P.Times.copy()));
        To = To ? Map(isl_map_union(To.take(), M.take())) : M;
      };
      if (St.Write.CellIndex == int(C))
        Add(Sets, St.Write);
      for (const Access &A : St.Reads)
        if (A.CellIndex == int(C))
          Add(Reads, A);
    }
    if (!Sets || !Reads)
      continue;
    isl_space *Time = isl_space_drop_all_params(
        isl_space_range(isl_map_get_space(Sets.get())));
    Map Before(isl_map_lex_lt(isl_space_copy(Time)));
    Map Same(isl_map_universe(isl_space_map_from_set(Time)));
    if (Lanes[C] >= 0) {
      // The lanes stand in front of the last place, one for each jam.
      unsigned At = S.Times.front().size() + S.Jams.size() + Lanes[C] - 1;
      Same = Map(isl_map_equate(Same.take(), isl_dim_in, At, isl_dim_out, At));
    }
    Map After(isl_map_apply_range(
        Sets.copy(), isl_map_intersect(Before.copy(), Same.take())));
    Map Until(
        isl_map_apply_range(Reads.copy(), isl_map_reverse(Before.take())));
    isl_space *Elements =
        isl_space_map_from_set(isl_space_domain(isl_map_get_space(Sets.get())));
    // One after the other: an argument may change what the next is made of.
    Map Other(isl_map_universe(isl_space_copy(Elements)));
    Other = Map(isl_map_subtract(Other.take(), isl_map_identity(Elements)));
    Map SetForOther(isl_map_apply_range(Other.take(), Sets.copy()));
    Map Clash(isl_map_intersect(After.take(), Until.take()));
    Clash = Map(isl_map_intersect(Clash.take(), SetForOther.take()));
    if (isl_map_is_empty(Clash.get()) != isl_bool_true)
      return false;
  }
  return true;
}
