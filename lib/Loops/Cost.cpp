//===- Cost.cpp - what an order of iterations costs -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles, by a simple machine. For an iteration of an innermost loop:
//
//   work     loads, stores and arithmetic, a vector at a time where the loop
//            carries nothing and goes along rows; what lanes of a jammed loop
//            share, once for all of them
//   waiting  for the last iteration, where the loop carries a number; lanes
//            that carry their own wait together
//   lines    that come from the second cache, the third, or memory
//
// Lines are counted as follows. The footprint of some inner loops is what all
// accesses touch in them. The outermost loops whose footprint a cache holds run
// in it: each line comes once, and is still there in the next iteration of the
// loop around them if that loop does not change its address. Loops outside of
// that bring all of them again.
//
// Where threads may share loops, the outermost loop that carries nothing is
// shared by them, and each time that it begins costs what it takes to wake
// them. If there is none, it is the outermost loop that carries nothing but
// sums, to arrays of which each thread gets a copy.
//
// What a loop next to it has touched, not long before, is there as well. Work
// and lines overlap. Numbers of iterations that are not known are taken to
// be large.
//
//===----------------------------------------------------------------------===//

#include "Loops/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include <cmath>
#include <set>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

static constexpr double LineBytes = 64, UnknownTrips = 1024;
/// Cycles for a line from the next cache, in a row or not.
static constexpr double FromL2 = 1, FromL3 = 2, FromMemory = 16, OutOfRow = 4;
static constexpr double Latency = 4, LongLatency = 15;
/// Cycles for an element of a vector that is not in a row.
static constexpr double Scattered = 3;

double Scheduler::trips(const Statement &St, int Loop) const {
  unsigned Known = N.SE.getSmallConstantMaxTripCount(St.Loops[Loop]);
  return Known && Known < UnknownTrips ? Known : UnknownTrips;
}

namespace {
struct Work {
  double Loads = 0, Stores = 0, Arithmetic = 0;
};
} // namespace

/// Lines that a stream touches in levels From and further in.
static double linesOf(ArrayRef<Scheduler::Level> Levels, unsigned From,
                      unsigned Stream) {
  double Lines = 1, Least = LineBytes;
  for (unsigned K = From; K != Levels.size(); ++K)
    if (double Stride = Levels[K].Strides[Stream]) {
      Lines *= Levels[K].Trips;
      Least = std::min(Least, Stride);
    }
  return std::max(1.0, Lines * Least / LineBytes);
}

static bool isLong(const Instruction *I) {
  return I->getOpcode() == Instruction::FDiv ||
         I->getOpcode() == Instruction::FRem ||
         (isa<CallInst>(I) && I->getName().contains("sqrt"));
}

Scheduler::Estimate Scheduler::estimate(const Schedule &S,
                                        ArrayRef<unsigned> Group,
                                        unsigned Place) {
  Estimate E;
  E.Group.assign(Group.begin(), Group.end());
  auto &Streams = E.Streams;
  std::vector<const Jam *> Jams; // of the group
  const Jam *Strip = nullptr;    // whose lanes are the innermost loop
  for (const Jam &J : S.Jams)
    if (J.Place != Place && isJammed(Group.front(), S, J)) {
      if (J.Strip)
        Strip = &J;
      else
        Jams.push_back(&J);
    }
  const bool Carries =
      Strip ? stripCarries(S, Group, Place, *Strip) : carries(S, Group, Place);
  const unsigned InnerPlace = Strip ? Strip->Place : Place;
  double AllLanes = 1;
  for (const Jam *J : Jams)
    AllLanes *= J->Lanes;
  // How is each access as the innermost loop goes?
  bool Rows = !Carries, Backwards = false;
  unsigned Bytes = 8;
  for (unsigned X : Group) {
    const TimeTerm &Inner = S.Times[X][InnerPlace];
    auto Look = [&](const Access &A) {
      if (!A.I)
        return;
      int64_t Stride = A.Strides[Inner.Loop] * (Inner.Down ? -1 : 1);
      Bytes = N.Arrays[A.Array].ElementBytes;
      Rows &= !Stride || std::abs(Stride) == int64_t(Bytes);
      Backwards |= Stride < 0;
    };
    for (const Access &A : N.Statements[X].Reads)
      Look(A);
    Look(N.Statements[X].Write);
  }
  // 64-byte vectors go through twice as often as those of 32.
  const double Width =
      Rows ? std::max(1U, std::min(M.VectorBytes, 32U) / Bytes) : 1;
  std::map<std::pair<unsigned, const SCEV *>, Work> Accesses;
  Work Sum;
  double Wait = 0, Fixed = 0;
  for (unsigned X : Group) {
    const Statement &St = N.Statements[X];
    const int Inner = S.Times[X][InnerPlace].Loop;
    /// Lanes that do not share what depends on these strides.
    auto LanesOf = [&](ArrayRef<int64_t> Strides) {
      double Lanes = 1;
      for (const Jam *J : Jams)
        if (Strides[S.Times[X][J->Place].Loop])
          Lanes *= J->Lanes;
      return Lanes;
    };
    auto Count = [&](const Access &A, bool Write) {
      if (!A.I) {
        // A strip's cells are in memory.
        if (Strip && is_contained(N.Cells[A.CellIndex].Loops, St.Loops[Inner]))
          (Write ? Sum.Stores : Sum.Loads) += (Write ? 1 : 0.5) / Width;
        return;
      }
      const int64_t Stride = A.Strides[Inner];
      const double Share = LanesOf(A.Strides) / AllLanes;
      const bool Row = std::abs(Stride) == N.Arrays[A.Array].ElementBytes;
      Work W;
      if (!Stride)
        Fixed += Write ? 0 : Share * AllLanes; // a register
      else if (Write)
        W.Stores = Share * (Row ? 1 / Width : Carries ? 1 : Scattered);
      else
        W.Loads = Share * (Row ? 0.5 / Width : Carries ? 0.5 : Scattered);
      Work &To = Accesses[{unsigned(Write),
                           N.SE.getSCEV(getLoadStorePointerOperand(A.I))}];
      To.Loads = std::max(To.Loads, W.Loads);
      To.Stores = std::max(To.Stores, W.Stores);
      Stream *Same = find_if(Streams, [&](const Stream &Of) {
                       return Of.Array == A.Array && Of.Strides == A.Strides &&
                              Of.Statement == X;
                     }).base();
      if (Same == Streams.data() + Streams.size())
        Streams.push_back({A.Array, A.Strides, X, Write});
      else
        Same->Written |= Write;
    };
    for (const Access &A : St.Reads)
      Count(A, false);
    Count(St.Write, true);
    double Operations = 0, Own = 0;
    for (const Instruction *I : St.Slice)
      if (!isa<LoadInst>(I)) {
        Operations += isLong(I) ? 8 : 1;
        Own = std::max(Own, isLong(I) ? LongLatency : 0);
      }
    Sum.Arithmetic += Operations * 0.5 / Width;
    if (!Carries)
      continue;
    // What an iteration needs of the one before: a cell, the element that it
    // adds to, or a neighbour of what it writes.
    double Chain = 0;
    for (const Access &R : St.Reads) {
      if (R.Array != St.Write.Array)
        continue;
      const bool IsCell = !R.I || !St.Write.I;
      if (!IsCell && R.Strides != St.Write.Strides)
        continue;
      if (IsCell || !R.Strides[Inner])
        Chain = std::max(Chain, Latency);
      else if (N.SE.getSCEV(getLoadStorePointerOperand(R.I)) !=
               N.SE.getSCEV(getLoadStorePointerOperand(St.Write.I)))
        Chain = std::max(Chain, Latency * std::min(Operations, 3.0));
    }
    double Apart = 1; // lanes whose numbers are not the same
    if (St.Write.I)
      Apart = LanesOf(St.Write.Strides);
    else
      for (const Jam *J : Jams)
        if (is_contained(N.Cells[St.Write.CellIndex].Loops,
                         St.Loops[S.Times[X][J->Place].Loop]))
          Apart *= J->Lanes;
    if (Chain)
      Wait = std::max(Wait, std::max(Own, Chain) / Apart);
  }
  for (auto &[Where, W] : Accesses) {
    Sum.Loads += W.Loads;
    Sum.Stores += W.Stores;
  }
  if (Backwards && Rows)
    Sum.Loads *= 1.2;
  // Vectors that do not fit into registers are loaded again.
  if (Fixed > M.Registers - 6)
    Sum.Loads += (Fixed - (M.Registers - 6)) * 0.5 / Width / AllLanes;
  double Busy = std::max({Sum.Loads, Sum.Stores, Sum.Arithmetic}) +
                0.2 * (Sum.Loads + Sum.Stores + Sum.Arithmetic);
  Busy = std::max(Busy, Wait);

  // The loops, from the outermost, and lanes as the innermost of them.
  auto &Levels = E.Levels;
  std::vector<Level> Lanes;
  double All = 1;
  for (unsigned P = 1; P <= Place; P += 2) {
    const TimeTerm &T = S.Times[Group.front()][P];
    if (T.Loop < 0)
      continue;
    const Statement &St = N.Statements[Group.front()];
    double Trips = trips(St, T.Loop), Times = 1;
    if (T.Tile) {
      Times = T.Tile;
      Trips = std::max(1.0, Trips / T.Tile);
    } else {
      for (unsigned Q = 1; Q < P; Q += 2)
        if (const TimeTerm &Out = S.Times[Group.front()][Q];
            Out.Loop == T.Loop && Out.Tile)
          Trips = std::min(Trips, double(Out.Tile));
    }
    auto Add = [&](std::vector<Level> &To, double Trips, double Times) {
      Level L{P, Trips, {}};
      for (const Stream &Of : Streams) {
        const int Loop = S.Times[Of.Statement][P].Loop;
        L.Strides.push_back(
            Loop < 0 ? 0 : std::abs(double(Of.Strides[Loop])) * Times);
      }
      To.push_back(L);
    };
    for (const Jam *J : Jams)
      if (J->Place == P) {
        Trips = std::max(1.0, Trips / J->Lanes);
        Times = J->Lanes;
        Add(Lanes, J->Lanes, 1);
      }
    if (Strip && Strip->Place == P) {
      Trips = std::max(1.0, Trips / Strip->Lanes);
      Times = Strip->Lanes;
      Add(Lanes, Strip->Lanes, 1);
      std::rotate(Lanes.begin(), Lanes.end() - 1, Lanes.end());
    }
    Add(Levels, Trips, Times);
    All *= Trips;
  }
  E.Innermost = Strip ? Levels.size() : Levels.size() - 1;
  Levels.insert(Levels.end(), Lanes.begin(), Lanes.end());
  const double Inside = Levels[E.Innermost].Trips;
  E.All = All * AllLanes * (Strip ? Strip->Lanes : 1);
  // Entering the innermost loop takes its time, too.
  E.Busy = Busy;
  E.Enter = (Rows && !Strip ? 12 : 4) / (Inside * AllLanes);
  return E;
}

/// Lines for each iteration of E's innermost loop, in cycles; Before: what
/// stands in front of it in the same loops.
double Scheduler::lines(const Schedule &S, const Estimate &E,
                        ArrayRef<Estimate> Before) const {
  const auto &[Group, Streams, Levels, Innermost, All, Busy, Enter] = E;
  auto Footprint = [](const Estimate &Of, unsigned From) {
    double Bytes = 0;
    for (unsigned X = 0; X != Of.Streams.size(); ++X)
      Bytes += linesOf(Of.Levels, From, X) * LineBytes;
    return Bytes;
  };
  // How much is touched between an access there and one here to the same?
  std::vector<double> Since(Streams.size(), HUGE_VAL);
  for (const Estimate &Other : Before) {
    if (Other.Levels.size() != Levels.size())
      continue;
    unsigned Common = 0;
    const auto &X = S.Times[Group.front()], &Y = S.Times[Other.Group.front()];
    while (Common <= Innermost &&
           Other.Levels[Common].Place == Levels[Common].Place) {
      bool Same = true;
      for (unsigned P = 0; P < Levels[Common].Place; P += 2)
        Same &= X[P].C == Y[P].C;
      if (!Same)
        break;
      ++Common;
    }
    if (!Common)
      continue;
    const double Bytes = Footprint(E, Common) + Footprint(Other, Common);
    for (unsigned K = 0; K != Streams.size(); ++K)
      for (unsigned J = 0; J != Other.Streams.size(); ++J) {
        bool Same = Streams[K].Array == Other.Streams[J].Array;
        for (unsigned L = 0; L != Levels.size(); ++L)
          Same &= Levels[L].Strides[K] == Other.Levels[L].Strides[J];
        if (Same)
          Since[K] = std::min(Since[K], Bytes);
      }
  }
  double Lines = 0;
  for (auto [Size, Each] :
       {std::make_pair(M.L1, FromL2), std::make_pair(M.L2, FromL3),
        std::make_pair(M.L3, FromMemory)}) {
    unsigned Within = Levels.size();
    for (unsigned K = Levels.size() + 1; K--; Within = K)
      if (Footprint(E, K) > Size)
        break;
    if (!Within)
      continue; // it stays there
    double Outside = 1;
    for (unsigned K = 0; K + 1 < Within; ++K)
      Outside *= Levels[K].Trips;
    for (unsigned X = 0; X != Streams.size(); ++X)
      if (Since[X] > Size)
        Lines += linesOf(Levels, Within - 1, X) * Outside / All * Each *
                 (Streams[X].Written ? 1.5 : 1) *
                 (Levels[Innermost].Strides[X] >= LineBytes ? OutOfRow : 1);
  }
  return Lines;
}

/// Is cell C set or read there?
static bool touches(const Statement &St, int C) {
  return St.Write.CellIndex == C ||
         any_of(St.Reads, [&](const Access &A) { return A.CellIndex == C; });
}

/// Does the loop of Group, all that is in it, at Place carry nothing at all?
/// Sums count: two threads cannot add to one number, unless they have Copies of
/// the arrays that the loop only adds to. A cell that is set in it is not used
/// elsewhere.
bool Scheduler::isShared(const Schedule &S, ArrayRef<unsigned> Group,
                         unsigned Place, bool Copies) {
  std::vector<int64_t> Key(Group.begin(), Group.end());
  Key.push_back(Copies);
  for (unsigned X : Group) {
    Key.push_back(-1);
    for (unsigned P = 0; P <= Place; ++P) {
      const TimeTerm &T = S.Times[X][P];
      Key.insert(Key.end(), {T.Loop, T.C, T.Down, T.Tile});
    }
  }
  auto [Known, New] = Shared.insert({Key, false});
  if (New)
    Known->second = findShared(S, Group, Place, Copies);
  return Known->second;
}

bool Scheduler::findShared(const Schedule &S, ArrayRef<unsigned> Group,
                           unsigned Place, bool Copies) {
  for (unsigned X : Group) {
    const int C = N.Statements[X].Write.CellIndex;
    if (C < 0)
      continue;
    if (any_of(N.Results, [&](auto &R) { return R.second == C; }))
      return false;
    for (unsigned Y = 0; Y != N.Statements.size(); ++Y)
      if (!is_contained(Group, Y) && touches(N.Statements[Y], C))
        return false;
  }
  auto OnlySums = [&](unsigned Array) {
    return typeOfCopy(Array) && all_of(Group, [&](unsigned X) {
             const Statement &St = N.Statements[X];
             auto IsOther = [&](const Access &A) {
               return A.Array == Array &&
                      (St.Sum < 0 ||
                       (&A != &St.Write && &A != &St.Reads[St.Sum]));
             };
             return !IsOther(St.Write) && none_of(St.Reads, IsOther);
           });
  };
  for (const auto *Kind : {&Dependences, &Sums})
    for (const Dependence &D : *Kind)
      if (is_contained(Group, D.From) && is_contained(Group, D.To) &&
          !(Copies && Kind == &Sums &&
            OnlySums(N.Statements[D.From].Write.Array)) &&
          connects(D, S, Group, Place, /*AcrossTiles=*/false))
        return false;
  return true;
}

/// Elements of the arrays that Group adds to.
double Scheduler::copied(ArrayRef<unsigned> Group) {
  std::map<unsigned, double> Elements;
  for (unsigned X : Group) {
    const Statement &St = N.Statements[X];
    if (St.Sum < 0 || !St.Write.I || !typeOfCopy(St.Write.Array))
      continue;
    double Here = 1;
    for (unsigned K = 0; K != St.Loops.size(); ++K)
      if (St.Write.Strides[K])
        Here *= trips(St, K);
    double &Of = Elements[St.Write.Array];
    Of = std::max(Of, Here);
  }
  double Sum = 0;
  for (auto &[Array, Count] : Elements)
    Sum += Count;
  return Sum;
}

/// What takes One cycle by one thread, in the innermost loop of Group at Place,
/// by as many as there are.
double Scheduler::byThreads(const Schedule &S, ArrayRef<unsigned> Group,
                            unsigned Place, double One) {
  // As Generator::loop() chooses.
  for (bool Copies : {false, true}) {
    double Begins = 1;
    for (unsigned P = 1; P < Place; P += 2) {
      const TimeTerm &T = S.Times[Group.front()][P];
      if (T.Loop < 0)
        continue;
      double Trips = trips(N.Statements[Group.front()], T.Loop);
      if (T.Tile)
        Trips = std::max(1.0, Trips / T.Tile);
      const std::vector<unsigned> All = groupOf(S, Group.front(), P);
      if (Trips >= 2 && isShared(S, All, P, Copies)) {
        const double Rounds = std::ceil(Trips / M.Threads);
        double Begin = WakeThreads;
        if (Copies)
          Begin += CopyElement * M.Threads * copied(All);
        const double Shared =
            One * Rounds / Trips +
            (All.front() == Group.front() ? Begins : 0) * Begin;
        return std::min(One, Shared);
      }
      Begins *= Trips;
    }
  }
  return One;
}

std::vector<Scheduler::Part> Scheduler::innermostLoops(const Schedule &S) {
  std::vector<Part> Parts;
  std::set<unsigned> Done;
  std::vector<Estimate> Before;
  for (unsigned K = 0; K != N.Statements.size(); ++K) {
    if (Done.count(K) || N.Statements[K].Loops.empty())
      continue;
    const unsigned Place = innermost(S.Times[K]);
    std::vector<unsigned> Group;
    for (unsigned X : groupOf(S, K, Place))
      if (innermost(S.Times[X]) == Place)
        Group.push_back(X);
    Done.insert(Group.begin(), Group.end());
    Estimate E = estimate(S, Group, Place);
    const double Lines = lines(S, E, Before);
    const double Each =
        std::max(E.Busy, Lines) + 0.2 * std::min(E.Busy, Lines) + E.Enter;
    Before.push_back(E);
    Parts.push_back({std::move(E), Place, Each});
  }
  return Parts;
}

double Scheduler::alone(const Schedule &S) {
  double Sum = 0;
  for (const Part &P : innermostLoops(S))
    Sum += P.Each * P.E.All;
  return Sum;
}

double Scheduler::cost(const Schedule &S) {
  if (!Sharing)
    return alone(S);
  double Sum = 0;
  for (const Part &P : innermostLoops(S))
    Sum += byThreads(S, P.E.Group, P.Place, P.Each * P.E.All);
  return Sum;
}

std::vector<double> Scheduler::cycles(const Schedule &S) {
  std::vector<double> Cycles(N.Statements.size(), 1);
  for (const Part &P : innermostLoops(S))
    for (unsigned X : P.E.Group)
      Cycles[X] = P.Each / P.E.Group.size();
  return Cycles;
}

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

/// Does the loop at Place carry a dependence among Group? Tiles are left out:
/// iterations of one tile are some of all.
bool Scheduler::carries(const Schedule &S, ArrayRef<unsigned> Group,
                        unsigned Place) {
  std::vector<int64_t> Key(Group.begin(), Group.end());
  for (unsigned X : Group) {
    Key.push_back(-1);
    for (unsigned P = 0; P <= Place; ++P)
      if (const TimeTerm &T = S.Times[X][P]; T.Loop >= 0 && !T.Tile)
        Key.push_back(2 * T.Loop + T.Down);
  }
  auto [Known, New] = Carried.insert({Key, true});
  if (New)
    Known->second = findCarried(S, Group, Place);
  return Known->second;
}

/// The same of a loop over the lanes of a strip.
bool Scheduler::stripCarries(const Schedule &S, ArrayRef<unsigned> Group,
                             unsigned Place, const Jam &J) {
  Schedule T{S.Times, {}};
  for (unsigned X : Group)
    for (unsigned P = J.Place; P < Place; P += 2)
      std::swap(T.Times[X][P], T.Times[X][P + 2]);
  return carries(T, Group, Place);
}

/// Does D lead from one iteration of the loop of Group at Place to another,
/// within one iteration of the loops around it? AcrossTiles: whichever tile
/// the two iterations are in.
bool Scheduler::connects(const Dependence &D, const Schedule &S,
                         ArrayRef<unsigned> Group, unsigned Place,
                         bool AcrossTiles) {
  Map M(isl_map_apply_range(
      isl_map_apply_domain(D.Pairs.copy(), plainTime(S, D.From).take()),
      plainTime(S, D.To).take()));
  for (unsigned P = 0; P != Place; ++P)
    if (!AcrossTiles || P % 2 == 0 || !S.Times[Group.front()][P].Tile)
      M = Map(isl_map_equate(M.take(), isl_dim_in, P, isl_dim_out, P));
  Map Forwards(
      isl_map_order_lt(M.copy(), isl_dim_in, Place, isl_dim_out, Place)),
      Back(isl_map_order_gt(M.take(), isl_dim_in, Place, isl_dim_out, Place));
  return isl_map_is_empty(Forwards.get()) != isl_bool_true ||
         isl_map_is_empty(Back.get()) != isl_bool_true;
}

bool Scheduler::findCarried(const Schedule &S, ArrayRef<unsigned> Group,
                            unsigned Place) {
  for (const auto *Kind : {&Dependences, &Sums})
    for (const Dependence &D : *Kind) {
      if (!is_contained(Group, D.From) || !is_contained(Group, D.To))
        continue;
      // Additions in any order: LLVM makes vectors of them.
      if (Kind == &Sums && N.Statements[D.From].Write.I &&
          !N.Statements[D.From].Write.Strides[S.Times[D.From][Place].Loop])
        continue;
      if (connects(D, S, Group, Place, /*AcrossTiles=*/true))
        return true;
    }
  return false;
}

unsigned Scheduler::innermost(const std::vector<TimeTerm> &Time) {
  for (unsigned K = Time.size(); K--;)
    if (Time[K].Loop >= 0)
      return K;
  return 0;
}
