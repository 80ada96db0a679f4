//===- Search.cpp - which orders of iterations are tried ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search climbs: from the program's order it tries changes and takes the
// cheapest that is legal, until there is none. First the order of the loops: a
// loop's body in several loops, each in its best order, a loop backwards. An
// order counts as what it costs when its loops are jammed. Then loops are
// jammed, run in strips, and are cut into tiles.
//
//===----------------------------------------------------------------------===//

#include "Loops/Schedule.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include <numeric>
#include <random>
#include <set>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

/// Lanes of an innermost loop: as many statements stand in it.
static constexpr unsigned MostLanes = 16;
/// Numbers of a loop in strips that are kept: in the first cache, and enough
/// for vectors.
static constexpr unsigned StripLanes = 64;
/// A step is taken if it costs less than that much of what was.
static constexpr double Gain = 0.97;
/// Orders of one step whose legality is asked.
static constexpr unsigned MostAsked = 6;

/// The parts into which the loop of Group at Place may come apart, in the order
/// of the program: statements that share a cell stay together. Of each
/// statement, the number of its part.
Scheduler::Parting Scheduler::byCells(const Schedule &S,
                                      ArrayRef<unsigned> Group,
                                      unsigned Place) const {
  std::vector<unsigned> Sorted(Group.begin(), Group.end());
  llvm::stable_sort(Sorted, [&](unsigned X, unsigned Y) {
    for (unsigned P = Place + 1; P < S.Times[X].size(); P += 2)
      if (S.Times[X][P].C != S.Times[Y][P].C)
        return S.Times[X][P].C < S.Times[Y][P].C;
    return X < Y;
  });
  std::map<unsigned, unsigned> Number;
  Parting Parts{std::vector<unsigned>(N.Statements.size(), 0), 0};
  for (unsigned X : Sorted)
    Parts.Of[X] =
        Number.insert({Cluster[X], unsigned(Number.size())}).first->second;
  Parts.Count = Number.size();
  return Parts;
}

/// The same parts, put together where they need each other within an iteration
/// of the loops around, and in an order in which each is behind what it needs.
Scheduler::Parting Scheduler::byNeeds(const Schedule &S,
                                      ArrayRef<unsigned> Group, unsigned Place,
                                      const Parting &Parts) {
  const unsigned Count = Parts.Count;
  std::vector<BitVector> Needs(Count, BitVector(Count));
  for (const Dependence &D : Dependences) {
    if (!is_contained(Group, D.From) || !is_contained(Group, D.To))
      continue;
    const unsigned From = Parts.Of[D.From], To = Parts.Of[D.To];
    if (From == To || Needs[To][From])
      continue;
    if (isl_map_is_empty(timesWithin(D, S, Group, Place, false).get()) !=
        isl_bool_true)
      Needs[To].set(From);
  }
  for (unsigned Via = 0; Via != Count; ++Via)
    for (unsigned K = 0; K != Count; ++K)
      if (Needs[K][Via])
        Needs[K] |= Needs[Via];
  std::vector<int> New(Count, -1);
  Parting Result{std::vector<unsigned>(N.Statements.size(), 0), 0};
  while (is_contained(New, -1))
    for (unsigned K = 0; K != Count; ++K) {
      // All that it needs is placed, or needs it, too.
      bool Ready = New[K] < 0;
      for (unsigned Other : Needs[K].set_bits())
        Ready &= New[Other] >= 0 || Needs[Other][K];
      if (!Ready)
        continue;
      for (unsigned Other : Needs[K].set_bits())
        if (Needs[Other][K])
          New[Other] = Result.Count;
      New[K] = Result.Count++;
      break;
    }
  for (unsigned X : Group)
    Result.Of[X] = New[Parts.Of[X]];
  return Result;
}

/// A loop of its own for each of Parts.
bool Scheduler::split(Schedule &S, ArrayRef<unsigned> Group, unsigned Place,
                      const Parting &Parts) {
  if (Parts.Count < 2)
    return false;
  // Room among the siblings.
  const int64_t At = S.Times[Group.front()][Place - 1].C;
  for (unsigned X = 0; X != N.Statements.size(); ++X) {
    bool Sibling = true;
    for (unsigned P = 0; P + 1 < Place && Sibling; P += 2)
      Sibling = S.Times[X][P].C == S.Times[Group.front()][P].C;
    TimeTerm &T = S.Times[X][Place - 1];
    if (is_contained(Group, X))
      T.C += Parts.Of[X];
    else if (Sibling && T.C > At)
      T.C += Parts.Count - 1;
  }
  return true;
}

/// Loops that all of Group have from Place on, with nothing between them.
unsigned Scheduler::bandDepth(const Schedule &S, ArrayRef<unsigned> Group,
                              unsigned Place) const {
  unsigned Depth = ~0U;
  for (unsigned X : Group) {
    unsigned D = 0;
    while (Place + 2 * D < S.Times[X].size() &&
           S.Times[X][Place + 2 * D].isLoop())
      ++D;
    Depth = std::min(Depth, D);
  }
  for (unsigned D = 1; D < Depth; ++D)
    for (unsigned X : Group)
      if (S.Times[X][Place + 2 * D - 1].C !=
          S.Times[Group.front()][Place + 2 * D - 1].C)
        return D;
  return Depth;
}

bool Scheduler::isTiled(const Schedule &S, ArrayRef<unsigned> Group) const {
  return any_of(Group, [&](unsigned X) {
    return any_of(S.Times[X], [](const TimeTerm &T) { return T.Tile; });
  });
}

/// Can the loop of Group at Place be jammed?
bool Scheduler::canJam(const Schedule &S, ArrayRef<unsigned> Group,
                       unsigned Place) const {
  if (all_of(Group, [&](unsigned X) { return innermost(S.Times[X]) <= Place; }))
    return false; // another loop has to be in it
  unsigned Others = 0;
  for (const Jam &J : S.Jams)
    if (any_of(Group, [&](unsigned X) { return isJammed(X, S, J); })) {
      if (J.Place == Place)
        return false;
      ++Others;
    }
  // A cell has lanes of one loop.
  if (Others && any_of(Group, [&](unsigned X) {
        const Statement &St = N.Statements[X];
        return !St.Write.I ||
               any_of(St.Reads, [](const Access &R) { return !R.I; });
      }))
    return false;
  return Others < 2 &&
         none_of(
             Group, [&](unsigned X) { return S.Times[X][Place].Tile != 0; });
}

/// Does an innermost loop of Group carry a number?
bool Scheduler::carriesInside(const Schedule &S, ArrayRef<unsigned> Group) {
  return any_of(Group, [&](unsigned K) {
    const unsigned Place = innermost(S.Times[K]);
    std::vector<unsigned> Inner;
    for (unsigned X : groupOf(S, K, Place))
      if (innermost(S.Times[X]) == Place)
        Inner.push_back(X);
    return carries(S, Inner, Place);
  });
}

Schedule Scheduler::jam(const Schedule &S, unsigned K, unsigned Place,
                        unsigned Lanes, bool Strip) const {
  Schedule T = S;
  Jam J{{}, Place, Lanes, Strip};
  for (unsigned P = 0; P < Place; P += 2)
    J.Prefix.push_back(S.Times[K][P].C);
  T.Jams.insert(llvm::upper_bound(T.Jams, J,
                                  [](const Jam &X, const Jam &Y) {
                                    return X.Place < Y.Place;
                                  }),
                J);
  return T;
}

/// The loops of Group at Place and further in, one for each size, run tile by
/// tile; size 0: that loop does not.
Schedule Scheduler::tile(const Schedule &S, ArrayRef<unsigned> Group,
                         unsigned Place, ArrayRef<int64_t> Sizes) const {
  Schedule T = S;
  const unsigned Count = count_if(Sizes, [](int64_t X) { return X != 0; });
  for (unsigned X = 0; X != N.Statements.size(); ++X) {
    auto &Time = T.Times[X];
    std::vector<TimeTerm> New;
    for (unsigned D = 0; D != Sizes.size(); ++D)
      if (Sizes[D]) {
        TimeTerm Which;
        if (is_contained(Group, X)) {
          Which = S.Times[X][Place + 2 * D];
          Which.Tile = Sizes[D];
        }
        New.push_back(Which);
        New.push_back({}); // its only child
      }
    Time.insert(Time.begin() + Place, New.begin(), New.end());
    for (TimeTerm &Moved : Time)
      for (unsigned &Q : Moved.Front)
        Q += Q >= Place ? 2 * Count : 0;
  }
  for (Jam &J : T.Jams)
    if (J.Place >= Place) {
      J.Prefix.insert(J.Prefix.begin() + (Place + 1) / 2, Count, 0);
      J.Place += 2 * Count;
    }
  return T;
}

/// What S costs when two of Group's loops are jammed as suits best.
double Scheduler::jammedCost(const Schedule &S, ArrayRef<unsigned> Group,
                             unsigned Place) {
  double Least = cost(S);
  auto With = [&](const Schedule &Of, auto &&Next) -> void {
    for (unsigned P = Place; P < Of.Times.front().size(); P += 2) {
      std::vector<unsigned> Inner;
      for (unsigned X : Group)
        if (Of.Times[X][P].isLoop())
          Inner.push_back(X);
      if (Inner.empty() ||
          groupOf(Of, Inner.front(), P).size() != Inner.size() ||
          !canJam(Of, Inner, P))
        continue;
      Schedule T = jam(Of, Inner.front(), P, 4);
      Least = std::min(Least, cost(T));
      Next(T, Next);
    }
  };
  auto Once = [](const Schedule &, auto &&) {};
  With(S, [&](const Schedule &T, auto &&) { With(T, Once); });
  return Least;
}

/// Orders of Group's loops from Place on, the best first.
std::vector<Schedule>
Scheduler::orders(const Schedule &S, ArrayRef<unsigned> Group, unsigned Place) {
  const unsigned Dims = S.Times.front().size();
  unsigned Depth = 0, Shared = ~0U;
  for (unsigned X : Group) {
    unsigned D = 0;
    while (Place + 2 * D < Dims && S.Times[X][Place + 2 * D].isLoop())
      ++D;
    Depth = std::max(Depth, D);
    Shared = std::min(Shared, D);
  }
  if (Depth < 2 || Depth > 4)
    return {};
  std::vector<unsigned> Perm(Depth);
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
    findOwn(T);
    Orders.push_back({jammedCost(T, Group, Place), T});
  } while (std::next_permutation(Perm.begin(), Perm.end()));
  llvm::stable_sort(Orders, [](auto &X, auto &Y) { return X.first < Y.first; });
  std::vector<Schedule> Sorted;
  Sorted.reserve(Orders.size());
  for (auto &[C, T] : Orders)
    Sorted.push_back(std::move(T));
  return Sorted;
}

/// The best order that is legal.
bool Scheduler::permute(Schedule &S, ArrayRef<unsigned> Group, unsigned Place) {
  for (Schedule &T : orders(S, Group, Place))
    if (isLegal(T)) {
      bool Changed = false;
      for (unsigned X : Group)
        for (unsigned D = 0; D != T.Times[X].size(); ++D)
          Changed |= T.Times[X][D].Loop != S.Times[X][D].Loop;
      S = T;
      return Changed;
    }
  return false;
}

/// Changes of Best: of the loops' order, or of how they are jammed and tiled.
std::vector<Scheduler::Change> Scheduler::changes(const Schedule &Best,
                                                  bool Reorder) {
  std::vector<Change> Found;
  const unsigned Dims = Best.Times.front().size();
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
      if (Reorder) {
        for (unsigned X : Group)
          S.Times[X][Place].reverse();
        // Of both, only these loops are taken to be jammed.
        if (const double Cost = jammedCost(S, Group, Place);
            Cost < Gain * jammedCost(Best, Group, Place))
          Found.push_back({Cost, "reversed", S});
        S = Best;
        if (permute(S, Group, Place))
          Found.push_back({jammedCost(S, Group, Place), "interchanged", S});
        // Rows that lean: lanes of an outer loop wait for each other less, if
        // they wait at all.
        const bool Waits = any_of(Dependences, [&](const Dependence &D) {
          return is_contained(Group, D.From) && is_contained(Group, D.To);
        });
        for (unsigned P = 1; P < Place && Waits; P += 2)
          for (int64_t Count : {1, 2}) {
            S = Best;
            for (unsigned X : Group)
              if (!S.Times[X][P].Tile && S.Times[X][Place].Loop >= 0)
                S.Times[X][Place].add(S.Times[X][P], Count,
                                      N.Statements[X].Loops.size());
            Found.push_back({jammedCost(S, Group, 1), "skewed", S});
          }
        S = Best;
        Parting Parts = byCells(S, Group, Place);
        bool Apart = split(S, Group, Place, Parts);
        if (Apart && !isLegal(S)) {
          S = Best;
          Parts = byNeeds(S, Group, Place, Parts);
          Apart = split(S, Group, Place, Parts);
        }
        if (Apart) {
          double Cost = cost(S);
          if (isLegal(S)) {
            for (unsigned Part = 0; Part != Parts.Count; ++Part) {
              std::vector<unsigned> Members;
              for (unsigned X : Group)
                if (Parts.Of[X] == Part)
                  Members.push_back(X);
              permute(S, Members, Place);
              // Each by itself: what the others cost does not change.
              Cost = std::min(Cost, cost(S)) + jammedCost(S, Members, Place) -
                     cost(S);
            }
            Found.push_back({Cost, "split", S});
          }
        }
        continue;
      }
      if (canJam(Best, Group, Place)) {
        const double Trips = trips(N.Statements[K], Best.Times[K][Place].Loop);
        for (unsigned Lanes : {8, 4, 2}) {
          unsigned All = Lanes;
          for (const Jam &J : Best.Jams)
            if (!J.Strip &&
                any_of(Group, [&](unsigned X) { return isJammed(X, Best, J); }))
              All *= J.Lanes;
          // LLVM makes vectors of more lanes of scalars, by gathering.
          if (All > MostLanes || Trips < 2 * Lanes ||
              (Lanes > 4 && carriesInside(Best, Group)))
            continue;
          S = jam(Best, K, Place, Lanes);
          std::vector<int64_t> Kind{Place};
          for (unsigned P = 0; P < Place; P += 2)
            Kind.push_back(Best.Times[K][P].C);
          Found.push_back(
              {cost(S), "jammed by " + std::to_string(Lanes), S, Kind});
        }
        if (Trips >= 2 * StripLanes && none_of(Group, [&](unsigned X) {
              return Best.Times[X][Place].Aligned;
            })) {
          S = jam(Best, K, Place, StripLanes, true);
          Found.push_back({cost(S), "in strips", S});
        }
      }
      const unsigned Depth = bandDepth(Best, Group, Place);
      if (Depth < 2 || Depth > 4 || isTiled(Best, Group))
        continue;
      std::vector<int64_t> Sizes(Depth, 0);
      unsigned Last = 0;
      for (unsigned X : Group)
        Last = std::max(Last, innermost(Best.Times[X]));
      auto Leans = [&](unsigned D) {
        return any_of(Group, [&](unsigned X) {
          const int Own = Best.Times[X][Place + 2 * D].Loop;
          return Own >= 0 && any_of(Best.Times[X], [&](const TimeTerm &T) {
                   return T.Loop >= 0 && T.Loop != Own && T.times(Own) != 0;
                 });
        });
      };
      auto Each = [&](unsigned D, auto &&Next) -> void {
        if (D == Depth) {
          if (any_of(Sizes, [](int64_t X) { return X != 0; })) {
            S = tile(Best, Group, Place, Sizes);
            std::vector<int64_t> Kind{-1, Place};
            for (unsigned P = 0; P < Place; P += 2)
              Kind.push_back(Best.Times[K][P].C);
            for (int64_t Size : Sizes)
              Kind.push_back(Size != 0);
            Found.push_back({cost(S), "tiled", S, Kind});
            // Tiles that depend on those in front and at the side: all whose
            // numbers have the same sum may run at once.
            if (Sharing &&
                count_if(Sizes, [](int64_t X) { return X != 0; }) >= 2) {
              for (unsigned X : Group)
                S.Times[X][Place].Front.push_back(Place + 2);
              Kind[0] = -2;
              Found.push_back({cost(S), "tiled in fronts", S, Kind});
            }
          }
          return;
        }
        for (int64_t Size : {0, 8, 32, 64, 256}) {
          // The innermost loop stays long, but threads want enough pieces.
          if (Size && (Place + 2 * D == Last) != (Size == 256) &&
              !(Sharing && Size == 64))
            continue;
          // Few iterations, or a tile that leans by as many rows.
          if (Size == 8 && !Leans(D))
            continue;
          Sizes[D] = Size;
          Next(D + 1, Next);
        }
      };
      Each(0, Each);
    }
  llvm::stable_sort(
      Found, [](const Change &X, const Change &Y) { return X.Cost < Y.Cost; });
  return Found;
}

/// An order is taken where it costs so much of the program's.
static constexpr double Better = 0.85;
/// One that suits threads alone, where it costs so much of the best order of
/// one thread, whose loops are shared, and by one thread about as much as that,
/// or less by far and not much more: costs of threads are guesses. One from
/// isl's, where it costs so much of the best from the program's: what is
/// aligned has conditions.
static constexpr double ClearlyBetter = 0.7, AboutAsGood = 1.1,
                        FarBetter = 0.25, NotMuchWorse = 2;
/// Of the time of one thread, in equal parts: threads share about all of it,
/// and other orders are not tried.
static constexpr double AlmostAll = 1.3;

bool Scheduler::isBetterAlone(const Schedule &S) {
  return alone(S) <= Better * alone(original());
}

/// Changes Best as long as that makes it cheaper.
void Scheduler::climb(Schedule &Best, std::vector<std::string> &Steps,
                      bool Reorder) {
  std::vector<unsigned> All(N.Statements.size());
  std::iota(All.begin(), All.end(), 0);
  double Least = Reorder ? jammedCost(Best, All, 1) : cost(Best);
  for (unsigned Round = 0; Round != 12 && !N.Context.exceeded(); ++Round) {
    bool Found = false;
    unsigned Asked = 0;
    std::set<std::vector<int64_t>> Refused;
    for (Change &C : changes(Best, Reorder)) {
      // Other numbers of lanes are legal if one is.
      if (!C.Kind.empty() && Refused.count(C.Kind))
        continue;
      if (C.Cost >= Least * Gain || Asked++ == MostAsked)
        break;
      if (!isLegal(C.S)) {
        Refused.insert(C.Kind);
        continue;
      }
      Least = C.Cost;
      Best = C.S;
      if (!is_contained(Steps, C.Name))
        Steps.push_back(C.Name);
      Passed.push_back({Best, Steps});
      Found = true;
      break;
    }
    if (!Found)
      break;
  }
}

/// Fuses what may be; true if that is anything.
bool Scheduler::fuseAll(Schedule &S) {
  bool Any = false;
  for (unsigned K = 0; K != N.Statements.size(); ++K)
    for (unsigned Place = 1; Place < S.Times.front().size(); Place += 2)
      for (unsigned Index = 0; Index != 3; ++Index) {
        Schedule T = S;
        if (!S.Times[K][Place].isLoop() ||
            !fuse(T, groupOf(S, K, Place), Place, Index) || !isLegal(T))
          continue;
        S = T;
        Any = true;
      }
  return Any;
}

std::vector<Scheduler::Proposal> Scheduler::search() {
  if (N.Statements.empty())
    return {};
  const double Start = alone(original());
  using Ordered = std::pair<Schedule, std::vector<std::string>>;
  // Orders first, compared as if their loops were jammed.
  auto Climb = [&](Schedule S, std::vector<std::string> Steps,
                   ArrayRef<bool> Reorder) {
    Passed.clear();
    for (bool R : Reorder)
      climb(S, Steps, R);
    if (N.Context.exceeded() || !isLegal(S))
      return Ordered(original(), {});
    return Ordered(S, Steps);
  };
  std::vector<Proposal> Found;
  std::set<std::vector<int64_t>> Proposed;
  auto Propose = [&](const Schedule &S, ArrayRef<std::string> Steps) {
    const double Cost = cost(S) / Start;
    if (Cost <= Better && Proposed.insert(S.key()).second)
      Found.push_back({S, join(Steps, ", "), alone(S) / Start, Cost});
  };
  const Ordered FromProgram = Climb(original(), {}, {true, false});
  auto [One, OneSteps] = FromProgram;
  auto OnePassed = Passed;
  // Another place to begin: what isl's scheduler computes, and the same with
  // loops fused that it has left apart.
  std::vector<Ordered> Starts;
  N.Context.restart();
  if (std::optional<Schedule> S = computed(); S && isLegal(*S)) {
    Starts.push_back({*S, {"aligned"}});
    if (fuseAll(*S))
      Starts.push_back({*S, {"aligned", "fused"}});
  }
  bool Aligned = false;
  for (auto &[S, Steps] : Starts) {
    N.Context.restart();
    auto [Other, OtherSteps] = Climb(S, Steps, {true, false});
    if (cost(Other) <= ClearlyBetter * cost(One)) {
      One = Other;
      OneSteps = OtherSteps;
      OnePassed = Passed;
      Aligned = true;
    }
  }
  if (M.Threads > 1) {
    Sharing = true;
    std::vector<Ordered> Ways; // the best last
    // The same order, cut so that more of it can be shared.
    auto Share = [&](const Ordered &Of) {
      N.Context.restart();
      Ordered Cut = Climb(Of.first, Of.second, {false});
      // Dearer: the climb took too long.
      Ways.push_back(cost(Cut.first) > cost(Of.first) ? Of : Cut);
    };
    Share({One, OneSteps});
    // What is aligned is better by one thread, but its loops often carry what
    // the program's do not.
    if (Aligned) {
      Share(FromProgram);
      if (cost(Ways[0].first) <= cost(Ways[1].first))
        std::swap(Ways[0], Ways[1]);
    }
    // Or another order.
    const double ByOne = std::max(alone(One), alone(Ways.back().first));
    auto Try = [&](const Ordered &Of) {
      N.Context.restart();
      const Ordered Other = Climb(Of.first, Of.second, {true, false});
      const double Cost = cost(Other.first) / cost(Ways.back().first),
                   Alone = alone(Other.first) / ByOne;
      if ((Cost <= ClearlyBetter && Alone <= AboutAsGood) ||
          (Cost <= FarBetter && Alone <= NotMuchWorse))
        Ways.push_back(Other);
    };
    Try({original(), {}});
    for (const Ordered &S : Starts)
      if (cost(Ways.back().first) > AlmostAll * alone(One) / M.Threads)
        Try(S);
    for (const Ordered &W : llvm::reverse(Ways))
      Propose(W.first, W.second);
    Sharing = false;
    N.Context.restart();
  }
  Propose(One, OneSteps);
  // If there is too much code for that, less has to do.
  for (unsigned K = OnePassed.size(), Most = 3; K-- > 1 && Most; --Most)
    Propose(OnePassed[K - 1].first, OnePassed[K - 1].second);
  llvm::stable_sort(Found, [](const Proposal &X, const Proposal &Y) {
    return X.Cost < Y.Cost;
  });
  return Found;
}

/// The changes are those of search(), each taken where it is legal.
std::vector<Scheduler::Proposal> Scheduler::any(unsigned Seed) {
  if (N.Statements.empty())
    return {};
  Schedule Best = original();
  std::minstd_rand Random(Seed * 7919 + N.Statements.size() * 31 +
                          Best.Times.front().size());
  auto Below = [&](unsigned Most) { return unsigned(Random() / 13 % Most); };
  std::set<std::string> Steps;
  if (Below(2) == 0)
    if (std::optional<Schedule> S = computed(); S && isLegal(*S)) {
      Best = *S;
      Steps.insert("aligned");
      if (Below(2) == 0 && fuseAll(Best))
        Steps.insert("fused");
    }
  for (unsigned Round = 0; Round != 16 && !N.Context.exceeded(); ++Round) {
    const unsigned Dims = Best.Times.front().size(),
                   K = Below(N.Statements.size()),
                   Place = 1 + 2 * Below((Dims - 1) / 2);
    if (Best.Times[K][Place].Loop < 0)
      continue;
    std::vector<unsigned> Group = groupOf(Best, K, Place);
    const bool Jams = any_of(Best.Jams, [&](const Jam &J) {
      return any_of(Group, [&](unsigned X) { return isJammed(X, Best, J); });
    });
    Schedule S = Best;
    std::string Step;
    switch (Below(6)) {
    case 0:
      Step = "reversed";
      for (unsigned X : Group)
        S.Times[X][Place].reverse();
      break;
    case 1: {
      // This loop and another one within it, in all statements.
      const unsigned Other = Place + 2 * (1 + Below(3));
      if (Jams || Other >= Dims || any_of(Group, [&](unsigned X) {
            // A front's tiles stay where they are.
            for (unsigned P = Place; P <= Other; P += 2)
              if (!Best.Times[X][P].isLoop() || isTiled(Best, Group))
                return true;
            return false;
          }))
        continue;
      Step = "interchanged";
      for (unsigned X : Group)
        std::swap(S.Times[X][Place], S.Times[X][Other]);
      findOwn(S);
      break;
    }
    case 2: {
      Parting Parts = byCells(S, Group, Place);
      if (Below(2) == 0)
        Parts = byNeeds(S, Group, Place, Parts);
      if (Jams || !split(S, Group, Place, Parts))
        continue;
      Step = "split";
      break;
    }
    case 3: {
      const unsigned Depth = bandDepth(Best, Group, Place);
      if (!Depth || isTiled(Best, Group) || Dims > 15)
        continue;
      std::vector<int64_t> Sizes;
      Sizes.reserve(Depth);
      for (unsigned D = 0; D != Depth; ++D)
        Sizes.push_back(std::vector<int64_t>{0, 2, 3, 4, 5, 8, 32}[Below(7)]);
      S = tile(Best, Group, Place, Sizes);
      Step = "tiled";
      if (count_if(Sizes, [](int64_t X) { return X != 0; }) >= 2 &&
          Below(2) == 0) {
        for (unsigned X : Group)
          S.Times[X][Place].Front.push_back(Place + 2);
        Step = "tiled in fronts";
      }
      break;
    }
    case 4: {
      const unsigned Outer = 1 + 2 * Below((Place + 1) / 2);
      if (Outer == Place || Jams || any_of(Group, [&](unsigned X) {
            return Best.Times[X][Outer].Tile || Best.Times[X][Place].Tile ||
                   Best.Times[X][Place].Loop < 0;
          }))
        continue;
      Step = "skewed";
      const int64_t Count = 1 + Below(2);
      for (unsigned X : Group)
        S.Times[X][Place].add(S.Times[X][Outer], Count,
                              N.Statements[X].Loops.size());
      break;
    }
    default: {
      const unsigned Lanes = Below(2) ? 4U : 2U;
      if (Best.Jams.size() == 2 || !canJam(Best, Group, Place))
        continue;
      Step = "jammed by " + std::to_string(Lanes);
      S = jam(Best, K, Place, Lanes, Below(3) == 0);
      break;
    }
    }
    if (!isLegal(S))
      continue;
    Best = S;
    Steps.insert(Step);
  }
  if (Steps.empty() || N.Context.exceeded())
    return {};
  const double Cost = alone(Best) / alone(original());
  return {{Best, join(Steps, ", "), Cost, Cost}};
}
