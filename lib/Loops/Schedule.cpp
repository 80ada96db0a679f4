//===- Schedule.cpp - orders of iterations, proved and compared -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search climbs: from the program's order it tries changes (a loop
// backwards, a loop's body in several loops, each in its best order, a loop
// jammed) and takes one that is cheaper and legal, until there is none.
//
// What an order costs is counted per iteration of its innermost loops: accesses
// by their strides there, less where all lanes of a jammed loop share them, and
// more where the loop carries a dependence, since then it is not vectorised.
// Deep statements run more often than others.
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

Map Scheduler::plainTime(const Schedule &S, unsigned K) {
  const Statement &St = N.Statements[K];
  std::string Text = "{ S" + std::to_string(K) + "[";
  for (unsigned D = 0; D != St.Loops.size(); ++D)
    Text += (D ? ",i" : "i") + std::to_string(D);
  Text += "] -> [";
  bool First = true;
  for (const TimeTerm &T : S.Times[K]) {
    Text += First ? "" : ",";
    First = false;
    if (T.Loop < 0)
      Text += std::to_string(T.C);
    else
      Text += (T.Down ? "-i" : "i") + std::to_string(T.Loop);
  }
  Text += "] }";
  Map M(isl_map_read_from_str(N.Context, Text.c_str()));
  return Map(isl_map_intersect_domain(M.take(), St.Domain.copy()));
}

bool Scheduler::isJammed(unsigned K, const Schedule &S, const Jam &J) const {
  const auto &Time = S.Times[K];
  if (Time[J.Place].Loop < 0)
    return false;
  for (unsigned P = 0; P != J.Prefix.size(); ++P)
    if (Time[2 * P].Loop >= 0 || Time[2 * P].C != J.Prefix[P])
      return false;
  return true;
}

// NOLINTBEGIN(performance-inefficient-string-concatenation): short, and few.
/// Each jam adds a place in front of its loop (full lanes, then the rest) and
/// one in front of the last (the lane).
std::vector<TimedPart> Scheduler::parts(const Schedule &S) {
  std::vector<TimedPart> Parts;
  for (unsigned K = 0; K != N.Statements.size(); ++K)
    Parts.push_back({K, false, plainTime(S, K)});
  unsigned Dims = S.Times.front().size();
  for (unsigned JamIndex = 0; JamIndex != S.Jams.size(); ++JamIndex) {
    const Jam &J = S.Jams[JamIndex];
    const unsigned At = J.Place + JamIndex; // one more place for each before
    const std::string U = std::to_string(J.Lanes);
    auto Text = [&](bool Jammed, bool Rest) {
      std::string T = "{ [" + dimensions(Dims) + "] -> [";
      for (unsigned D = 0; D != Dims; ++D) {
        if (D == At)
          T += Rest ? "1," : "0,";
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
      if (isJammed(P.Statement, S, J)) {
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
    Map Lanes = Read(Text(true, false)), RestMap = Read(Text(false, true)),
        Others = Read(Text(false, false));
    std::vector<TimedPart> Next;
    for (TimedPart &P : Parts) {
      if (!isJammed(P.Statement, S, J)) {
        P.Times = Map(isl_map_apply_range(P.Times.take(), Others.copy()));
        Next.push_back(P);
        continue;
      }
      Map InLanes(isl_map_intersect_range(P.Times.copy(), Full.copy())),
          Left(isl_map_subtract_range(P.Times.copy(), Full.copy()));
      InLanes = Map(isl_map_apply_range(InLanes.take(), Lanes.copy()));
      Left = Map(isl_map_apply_range(Left.take(), RestMap.copy()));
      if (isl_map_is_empty(InLanes.get()) != isl_bool_true)
        Next.push_back({P.Statement, P.Rest, InLanes});
      if (isl_map_is_empty(Left.get()) != isl_bool_true)
        Next.push_back({P.Statement, true, Left});
    }
    Parts = std::move(Next);
    Dims += 2;
  }
  return Parts;
}

// NOLINTEND(performance-inefficient-string-concatenation)

/// A jam tells a cell's lanes apart if its loop is around the cell in all
/// statements that touch it.
CellLanes Scheduler::lanes(const Schedule &S) const {
  CellLanes Lanes(N.Cells.size(), -1);
  for (unsigned C = 0; C != N.Cells.size(); ++C)
    for (unsigned J = 0; J != S.Jams.size(); ++J) {
      bool All = true, Any = false;
      for (unsigned K = 0; K != N.Statements.size(); ++K) {
        const Statement &St = N.Statements[K];
        bool Touches = St.Write.CellIndex == int(C) ||
                       any_of(St.Reads, [&](const Access &A) {
                         return A.CellIndex == int(C);
                       });
        if (!Touches)
          continue;
        const TimeTerm &T = S.Times[K][S.Jams[J].Place];
        bool Around = isJammed(K, S, S.Jams[J]) &&
                      is_contained(N.Cells[C].Loops, St.Loops[T.Loop]);
        All &= Around;
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

void Scheduler::findClusters() {
  Cluster.resize(N.Statements.size());
  std::iota(Cluster.begin(), Cluster.end(), 0);
  for (unsigned C = 0; C != N.Cells.size(); ++C) {
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

bool Scheduler::isLegal(const Schedule &S) {
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
    if (N.Cells[C].Loops.empty())
      continue;
    Map Sets, Reads;
    for (const TimedPart &P : Parts) {
      const Statement &St = N.Statements[P.Statement];
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
    isl_space *Elements = isl_space_domain(isl_map_get_space(Sets.get()));
    Map Other(isl_map_subtract(
        isl_map_universe(isl_space_map_from_set(isl_space_copy(Elements))),
        isl_map_identity(isl_space_map_from_set(Elements))));
    Map SetForOther(isl_map_apply_range(Other.take(), Sets.copy()));
    Map Clash(isl_map_intersect(After.take(), Until.take()));
    Clash = Map(isl_map_intersect(Clash.take(), SetForOther.take()));
    if (isl_map_is_empty(Clash.get()) != isl_bool_true)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

std::vector<unsigned> Scheduler::groupOf(const Schedule &S, unsigned K,
                                         unsigned Place) const {
  std::vector<unsigned> Group;
  for (unsigned X = 0; X != N.Statements.size(); ++X) {
    bool Same = S.Times[X][Place].Loop >= 0;
    for (unsigned P = 0; P < Place && Same; P += 2)
      Same = S.Times[X][P].C == S.Times[K][P].C;
    if (Same)
      Group.push_back(X);
  }
  return Group;
}

/// Does the loop at Place carry a dependence among Group?
bool Scheduler::carries(const Schedule &S, ArrayRef<unsigned> Group,
                        unsigned Place) {
  for (const Dependence &D : Dependences) {
    if (!is_contained(Group, D.From) || !is_contained(Group, D.To))
      continue;
    Map M(isl_map_apply_range(
        isl_map_apply_domain(D.Pairs.copy(), plainTime(S, D.From).take()),
        plainTime(S, D.To).take()));
    for (unsigned P = 0; P != Place; ++P)
      M = Map(isl_map_equate(M.take(), isl_dim_in, P, isl_dim_out, P));
    M = Map(isl_map_order_lt(M.take(), isl_dim_in, Place, isl_dim_out, Place));
    if (isl_map_is_empty(M.get()) != isl_bool_true)
      return true;
  }
  return false;
}

static unsigned innermost(const std::vector<TimeTerm> &Time) {
  for (unsigned K = Time.size(); K--;)
    if (Time[K].Loop >= 0)
      return K;
  return 0;
}

double Scheduler::cost(const Schedule &S) {
  double Sum = 0;
  std::set<unsigned> Done;
  for (unsigned K = 0; K != N.Statements.size(); ++K) {
    if (Done.count(K) || N.Statements[K].Loops.empty())
      continue;
    const unsigned Place = innermost(S.Times[K]);
    std::vector<unsigned> Group;
    for (unsigned X : groupOf(S, K, Place))
      if (innermost(S.Times[X]) == Place)
        Group.push_back(X);
    Done.insert(Group.begin(), Group.end());
    const bool Carried = carries(S, Group, Place);
    std::map<std::pair<unsigned, const SCEV *>, double> Costs;
    double Arithmetic = 0;
    bool Far = false;
    for (unsigned X : Group) {
      const Statement &St = N.Statements[X];
      const TimeTerm &Inner = S.Times[X][Place];
      const Jam *Jammed = nullptr;
      for (const Jam &J : S.Jams)
        if (J.Place != Place && isJammed(X, S, J))
          Jammed = &J;
      Arithmetic += 0.3 * St.Slice.size();
      auto Count = [&](const Access &A, bool Write) {
        if (!A.I)
          return;
        int64_t Stride = A.Strides[Inner.Loop] * (Inner.Down ? -1 : 1);
        double Cost = 1;
        if (Stride == 0)
          Cost = 0.05;
        else if (std::abs(Stride) == N.Arrays[A.Array].ElementBytes)
          Cost = Carried ? 1 : Stride > 0 ? 0.25 : 0.3;
        else {
          Cost = 3;
          Far |= Write;
        }
        if (Write)
          Cost *= 1.5;
        if (Jammed && A.Strides[S.Times[X][Jammed->Place].Loop] == 0)
          Cost /= Jammed->Lanes;
        double &To = Costs[{unsigned(Write),
                            N.SE.getSCEV(getLoadStorePointerOperand(A.I))}];
        To = std::max(To, Cost);
      };
      for (const Access &A : St.Reads)
        Count(A, false);
      Count(St.Write, true);
    }
    double Cost = Arithmetic / (Carried || Far ? 1 : 4) + (Carried ? 3 : 0);
    for (auto &[Where, Each] : Costs)
      Cost += Each;
    unsigned Depth = 0;
    for (unsigned P = 1; P <= Place; P += 2)
      Depth += S.Times[Group.front()][P].Loop >= 0;
    Sum += Cost * std::pow(100.0, Depth);
  }
  return Sum;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// From the loop at Place on, each cluster of Group has loops of its own.
bool Scheduler::split(Schedule &S, ArrayRef<unsigned> Group, unsigned Place) {
  // In the order of the program.
  std::vector<unsigned> Sorted(Group.begin(), Group.end());
  llvm::stable_sort(Sorted, [&](unsigned X, unsigned Y) {
    for (unsigned P = Place + 1; P < S.Times[X].size(); P += 2)
      if (S.Times[X][P].C != S.Times[Y][P].C)
        return S.Times[X][P].C < S.Times[Y][P].C;
    return X < Y;
  });
  std::map<unsigned, int64_t> Number;
  for (unsigned X : Sorted)
    Number.insert({Cluster[X], int64_t(Number.size())});
  if (Number.size() < 2)
    return false;
  // Room among the siblings.
  const int64_t At = S.Times[Group.front()][Place - 1].C;
  for (unsigned X = 0; X != N.Statements.size(); ++X) {
    bool Sibling = true;
    for (unsigned P = 0; P + 1 < Place && Sibling; P += 2)
      Sibling = S.Times[X][P].C == S.Times[Group.front()][P].C;
    TimeTerm &T = S.Times[X][Place - 1];
    if (is_contained(Group, X))
      T.C += Number[Cluster[X]];
    else if (Sibling && T.C > At)
      T.C += Number.size() - 1;
  }
  return true;
}

std::optional<Schedule> Scheduler::search() {
  if (N.Statements.empty())
    return std::nullopt;
  Schedule Best = original();
  const double Start = cost(Best);
  double Least = Start;
  const unsigned Dims = Best.Times.front().size();
  std::vector<std::string> Steps;
  // Orders of a cluster's loops from Place on, best first; the first that is
  // legal is taken.
  auto Permute = [&](Schedule &S, ArrayRef<unsigned> Group, unsigned Place) {
    unsigned Depth = 0, Shared = ~0U;
    for (unsigned X : Group) {
      unsigned D = 0;
      while (Place + 2 * D < Dims && S.Times[X][Place + 2 * D].Loop >= 0)
        ++D;
      Depth = std::max(Depth, D);
      Shared = std::min(Shared, D);
    }
    if (Depth < 2 || Depth > 4)
      return false;
    // Only statements with all of the loops tell.
    std::vector<unsigned> Perm(Depth), Found;
    std::iota(Perm.begin(), Perm.end(), 0);
    std::vector<std::pair<double, Schedule>> Orders;
    do {
      bool Keeps = true; // loops that not all have stay where they are
      for (unsigned D = 0; D != Depth; ++D)
        Keeps &= D < Shared ? Perm[D] < Shared : Perm[D] == D;
      if (!Keeps)
        continue;
      Schedule T = S;
      for (unsigned X : Group)
        for (unsigned D = 0; D != Depth; ++D)
          T.Times[X][Place + 2 * D] = S.Times[X][Place + 2 * Perm[D]];
      Orders.push_back({cost(T), T});
    } while (std::next_permutation(Perm.begin(), Perm.end()));
    llvm::stable_sort(Orders,
                      [](auto &X, auto &Y) { return X.first < Y.first; });
    for (auto &[C, T] : Orders)
      if (isLegal(T)) {
        bool Changed = false;
        for (unsigned X : Group)
          for (unsigned D = 0; D != Dims; ++D)
            Changed |= T.Times[X][D].Loop != S.Times[X][D].Loop;
        S = T;
        return Changed;
      }
    return false;
  };
  for (unsigned Round = 0; Round != 12 && !N.Context.exceeded(); ++Round) {
    std::optional<Schedule> Next;
    double NextCost = Least * 0.97;
    std::string Step;
    auto Try = [&](const Schedule &S, const char *Name) {
      double C = cost(S);
      if (C < NextCost && isLegal(S)) {
        NextCost = C;
        Next = S;
        Step = Name;
      }
    };
    std::set<std::vector<unsigned>> Seen;
    for (unsigned K = 0; K != N.Statements.size(); ++K)
      for (unsigned Place = 1; Place < Dims; Place += 2) {
        if (Best.Times[K][Place].Loop < 0)
          continue;
        std::vector<unsigned> Group = groupOf(Best, K, Place);
        std::vector<unsigned> Key = Group;
        Key.push_back(Place);
        if (!Seen.insert(Key).second)
          continue;
        Schedule S = Best;
        for (unsigned X : Group)
          S.Times[X][Place].Down ^= true;
        Try(S, "reversed");
        bool Jams = any_of(Best.Jams, [&](const Jam &J) {
          return any_of(Group,
                        [&](unsigned X) { return isJammed(X, Best, J); });
        });
        if (Jams)
          continue;
        S = Best;
        if (Permute(S, Group, Place))
          Try(S, "interchanged");
        S = Best;
        if (split(S, Group, Place)) {
          std::set<unsigned> Clusters;
          for (unsigned X : Group)
            Clusters.insert(Cluster[X]);
          if (isLegal(S))
            for (unsigned C : Clusters) {
              std::vector<unsigned> Members;
              for (unsigned X : Group)
                if (Cluster[X] == C)
                  Members.push_back(X);
              Permute(S, Members, Place);
            }
          Try(S, "split");
        }
        // A loop with another in it.
        bool Inner = all_of(Group, [&](unsigned X) {
          return innermost(Best.Times[X]) == Place;
        });
        if (!Inner)
          for (unsigned Lanes : {4, 2}) {
            S = Best;
            Jam J{{}, Place, Lanes};
            for (unsigned P = 0; P < Place; P += 2)
              J.Prefix.push_back(Best.Times[K][P].C);
            S.Jams.push_back(J);
            Try(S, Lanes == 4 ? "jammed by 4" : "jammed by 2");
          }
      }
    if (!Next)
      break;
    Best = *Next;
    Least = NextCost;
    if (Steps.empty() || Steps.back() != Step)
      Steps.push_back(Step);
  }
  if (N.Context.exceeded() || Least > 0.85 * Start || !isLegal(Best))
    return std::nullopt;
  Did = join(Steps, ", ");
  return Best;
}

/// The changes are those of search(), each taken where it is legal.
std::optional<Schedule> Scheduler::any(unsigned Seed) {
  if (N.Statements.empty())
    return std::nullopt;
  Schedule Best = original();
  const unsigned Dims = Best.Times.front().size();
  std::minstd_rand Random(Seed * 7919 + N.Statements.size() * 31 + Dims);
  auto Below = [&](unsigned Most) { return unsigned(Random() / 13 % Most); };
  std::set<std::string> Steps;
  for (unsigned Round = 0; Round != 16 && !N.Context.exceeded(); ++Round) {
    const unsigned K = Below(N.Statements.size()),
                   Place = 1 + 2 * Below((Dims - 1) / 2);
    if (Best.Times[K][Place].Loop < 0)
      continue;
    std::vector<unsigned> Group = groupOf(Best, K, Place);
    const bool Jams = any_of(Best.Jams, [&](const Jam &J) {
      return any_of(Group, [&](unsigned X) { return isJammed(X, Best, J); });
    });
    Schedule S = Best;
    std::string Step;
    switch (Below(4)) {
    case 0:
      Step = "reversed";
      for (unsigned X : Group)
        S.Times[X][Place].Down ^= true;
      break;
    case 1: {
      // This loop and another one within it, in all statements.
      const unsigned Other = Place + 2 * (1 + Below(3));
      if (Jams || Other >= Dims || any_of(Group, [&](unsigned X) {
            for (unsigned P = Place; P <= Other; P += 2)
              if (Best.Times[X][P].Loop < 0)
                return true;
            return false;
          }))
        continue;
      Step = "interchanged";
      for (unsigned X : Group)
        std::swap(S.Times[X][Place], S.Times[X][Other]);
      break;
    }
    case 2:
      if (Jams || !split(S, Group, Place))
        continue;
      Step = "split";
      break;
    default: {
      if (Jams || Best.Jams.size() == 2 || all_of(Group, [&](unsigned X) {
            return innermost(Best.Times[X]) == Place;
          }))
        continue;
      Jam J{{}, Place, Below(2) ? 4U : 2U};
      Step = "jammed by " + std::to_string(J.Lanes);
      for (unsigned P = 0; P < Place; P += 2)
        J.Prefix.push_back(Best.Times[K][P].C);
      S.Jams.push_back(J);
      break;
    }
    }
    if (!isLegal(S))
      continue;
    Best = S;
    Steps.insert(Step);
  }
  if (Steps.empty() || N.Context.exceeded())
    return std::nullopt;
  Did = join(Steps, ", ");
  return Best;
}
