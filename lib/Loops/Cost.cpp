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
/// A part of the iterations that does not count.
static constexpr double Negligible = 0.01;
/// Iterations of a shared loop that threads wait for the last of them.
static constexpr double LastRound = 0.5;

double Scheduler::trips(const Statement &St, int Loop) const {
  unsigned Known = N.SE.getSmallConstantMaxTripCount(St.Loops[Loop]);
  return Known && Known < UnknownTrips ? Known : UnknownTrips;
}

/// How the counters of a statement change from one iteration of its loop at
/// Place to the next, while all other loops stay: none if it has no loop there.
SmallVector<int64_t, 4> Scheduler::step(const Schedule &S, unsigned X,
                                        unsigned Place) const {
  const auto &Time = S.Times[X];
  const unsigned Loops = N.Statements[X].Loops.size();
  SmallVector<int64_t, 4> Step(Loops, 0);
  if (Time[Place].Loop < 0)
    return Step;
  Step[Time[Place].Loop] = Time[Place].Down ? -1 : 1;
  // Rows of equations: a time that grows by 1, or stays.
  SmallVector<SmallVector<double, 6>, 4> Rows;
  bool Skewed = false;
  for (const TimeTerm &T : Time)
    if (T.Loop >= 0 && !T.Tile) {
      Rows.emplace_back();
      for (unsigned K = 0; K != Loops; ++K)
        Rows.back().push_back(T.times(K));
      Rows.back().push_back(T.Loop == Time[Place].Loop);
      Skewed |= !T.Skew.empty();
    }
  if (!Skewed || Rows.size() != Loops)
    return Step;
  for (unsigned K = 0; K != Loops; ++K) {
    auto *Pivot = std::find_if(Rows.begin() + K, Rows.end(),
                               [&](const auto &R) { return R[K] != 0; });
    if (Pivot == Rows.end())
      return Step;
    std::swap(Rows[K], *Pivot);
    for (unsigned R = 0; R != Loops; ++R)
      if (const double F = Rows[R][K] / Rows[K][K]; R != K && F != 0)
        for (unsigned J = K; J <= Loops; ++J)
          Rows[R][J] -= F * Rows[K][J];
  }
  for (unsigned K = 0; K != Loops; ++K)
    Step[K] = std::llround(Rows[K][Loops] / Rows[K][K]);
  return Step;
}

/// Bytes from one address to the next, by such a step.
static int64_t bytes(ArrayRef<int64_t> Strides, ArrayRef<int64_t> Step) {
  int64_t Sum = 0;
  for (unsigned K = 0; K != Strides.size(); ++K) {
    if (Step[K] && std::abs(Strides[K]) >= Access::Far)
      return Step[K] < 0 ? -Access::Far : Access::Far;
    Sum += Strides[K] * Step[K];
  }
  return Sum;
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

/// From what St reads by R to what it computes: the longest way.
static double latency(const Statement &St, const Access &R) {
  DenseMap<const Value *, double> Since;
  for (auto &[V, Index] : St.FromCells)
    if (!R.I && Index == R.CellIndex)
      Since[V] = 0;
  for (auto &[V, Store] : St.FromMemory)
    if (Store == R.I)
      Since[V] = 0;
  for (const Instruction *I : St.Slice) {
    if (I == R.I)
      Since[I] = 0;
    if (isa<LoadInst>(I))
      continue;
    double Most = -1;
    for (const Value *Op : I->operands())
      if (auto Known = Since.find(Op); Known != Since.end())
        Most = std::max(Most, Known->second);
    if (Most < 0)
      continue;
    const bool Short = !I->getType()->isFloatingPointTy() ||
                       isa<SelectInst>(I) ||
                       I->getOpcode() == Instruction::FNeg;
    Since[I] = Most + (isLong(I) ? LongLatency : Short ? 1 : Latency);
  }
  return Since.lookup(St.V);
}

/// Statements that wait for each other, from one iteration to the next: how
/// long a round takes. Of: lanes that wait together, of each.
double Scheduler::waitInCircle(const std::map<unsigned, double> &Of) const {
  // Who needs what whom computes, at once or by others.
  std::map<unsigned, std::map<unsigned, double>> Needs;
  for (auto &[X, Lanes] : Of)
    for (const Access &R : N.Statements[X].Reads)
      for (auto &[Y, Others] : Of)
        if (X != Y && R.Array == N.Statements[Y].Write.Array) {
          double &Takes = Needs[X][Y];
          Takes = std::max(Takes, latency(N.Statements[X], R));
        }
  auto Direct = Needs;
  for (auto &[Via, Lanes] : Of)
    for (auto &[X, Others] : Of)
      if (Needs[X].count(Via))
        for (auto &[Y, Takes] : Needs[Via])
          Needs[X].insert({Y, 0});
  double Most = 0;
  for (auto &[X, Lanes] : Of) {
    if (!Needs[X].count(X))
      continue;
    double Sum = 0, Apart = HUGE_VAL;
    for (auto &[Y, Others] : Of)
      if (Needs[X].count(Y) && Needs[Y].count(X)) {
        double Takes = 0;
        for (auto &[Z, Long] : Direct[Y])
          if (Needs[Z].count(X))
            Takes = std::max(Takes, Long);
        Sum += Takes;
        Apart = std::min(Apart, Others);
      }
    Most = std::max(Most, Sum / Apart);
  }
  return Most;
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
    const auto Inner = step(S, X, InnerPlace);
    auto Look = [&](const Access &A) {
      if (N.isRegister(A))
        return;
      int64_t Stride = bytes(A.Strides, Inner);
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
  std::map<std::pair<unsigned, const void *>, Work> Accesses;
  std::map<unsigned, double> LanesApart;
  Work Sum;
  double Wait = 0, Fixed = 0;
  for (unsigned X : Group) {
    const Statement &St = N.Statements[X];
    const auto Inner = step(S, X, InnerPlace);
    auto IsAround = [&](int CellIndex, const TimeTerm &T) {
      return T.Loop >= 0 &&
             is_contained(N.Cells[CellIndex].Loops, St.Loops[T.Loop]);
    };
    /// Lanes that do not share what depends on these strides.
    auto LanesOf = [&](ArrayRef<int64_t> Strides) {
      double Lanes = 1;
      for (const Jam *J : Jams)
        if (bytes(Strides, step(S, X, J->Place)))
          Lanes *= J->Lanes;
      return Lanes;
    };
    auto Count = [&](const Access &A, bool Write) {
      if (N.isRegister(A)) {
        // A strip's cells are in memory.
        if (Strip && IsAround(A.CellIndex, S.Times[X][InnerPlace]))
          (Write ? Sum.Stores : Sum.Loads) += (Write ? 1 : 0.5) / Width;
        return;
      }
      const int64_t Stride = bytes(A.Strides, Inner);
      const double Share = LanesOf(A.Strides) / AllLanes;
      const bool Row = std::abs(Stride) == N.Arrays[A.Array].ElementBytes;
      Work W;
      if (!Stride)
        Fixed += Write ? 0 : Share * AllLanes; // a register
      else if (Write)
        W.Stores = Share * (Row ? 1 / Width : Carries ? 1 : Scattered);
      else
        W.Loads = Share * (Row ? 0.5 / Width : Carries ? 0.5 : Scattered);
      const void *Where = &N.Arrays[A.Array];
      if (A.I)
        Where = N.SE.getSCEV(getLoadStorePointerOperand(A.I));
      Work &To = Accesses[{unsigned(Write), Where}];
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
    double Operations = 0;
    for (const Instruction *I : St.Slice)
      if (!isa<LoadInst>(I))
        Operations += isLong(I) ? 8 : 1;
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
      if (IsCell || !bytes(R.Strides, Inner) ||
          N.SE.getSCEV(getLoadStorePointerOperand(R.I)) !=
              N.SE.getSCEV(getLoadStorePointerOperand(St.Write.I)))
        Chain = std::max(Chain, std::max(Latency, latency(St, R)));
    }
    double Apart = 1; // lanes that do not wait for each other
    for (const Jam *J : Jams)
      if ((St.Write.I ? bytes(St.Write.Strides, step(S, X, J->Place)) != 0
                      : IsAround(St.Write.CellIndex, S.Times[X][J->Place])) &&
          !stripCarries(S, Group, Place, *J))
        Apart *= J->Lanes;
    if (Chain)
      Wait = std::max(Wait, Chain / Apart);
    LanesApart[X] = Apart;
  }
  if (Carries)
    Wait = std::max(Wait, waitInCircle(LanesApart));
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
        // What loops within run over, whatever they begin with, counts there.
        auto Step = step(S, Of.Statement, P);
        const auto &Time = S.Times[Of.Statement];
        if (&To == &E.Levels)
          for (unsigned Q = P + 2; Q <= InnerPlace; Q += 2)
            if (Time[Q].Loop >= 0 && Time[Q].Loop != Time[P].Loop)
              Step[Time[Q].Loop] = 0;
        L.Strides.push_back(std::abs(double(bytes(Of.Strides, Step))) * Times);
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
      T.addTo(Key);
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
    if (N.Statements[X].SetsErrno)
      return false; // each thread has its own
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
      auto TripsOf = [&](const TimeTerm &Of) {
        double Trips =
            Of.Loop < 0 ? 1 : trips(N.Statements[Group.front()], Of.Loop);
        return Of.Tile ? std::max(1.0, Trips / Of.Tile) : Trips;
      };
      double Trips = TripsOf(T);
      // Fronts are as many as tiles on two sides, and a tile has fewer beside
      // it than there are.
      if (!T.Front.empty())
        Trips += TripsOf(S.Times[Group.front()][T.Front.front()]);
      if (P >= 3)
        if (const TimeTerm &Fronts = S.Times[Group.front()][P - 2];
            is_contained(Fronts.Front, P))
          Trips *= TripsOf(Fronts) / (TripsOf(Fronts) + Trips);
      const std::vector<unsigned> All = groupOf(S, Group.front(), P);
      if (Trips >= 2 && isShared(S, All, P, Copies)) {
        const double Rounds = std::ceil(Trips / M.Threads) + LastRound;
        double Begin = WakeThreads;
        if (Copies)
          Begin += CopyElement * M.Threads * copied(All);
        const double Shared =
            One * Rounds / Trips +
            (All.front() == *llvm::min_element(Group) ? Begins : 0) * Begin;
        return std::min(One, Shared);
      }
      Begins *= Trips;
    }
  }
  return One;
}

/// Which part of the iterations of statement K fill no lanes: half of them, on
/// an average, behind the others, and in front of them where a loop begins
/// anywhere.
double Scheduler::leftOver(const Schedule &S, unsigned K) const {
  double Part = 0;
  for (const Jam &J : S.Jams)
    if (const TimeTerm &T = S.Times[K][J.Place];
        T.Loop >= 0 && isJammed(K, S, J))
      Part += (J.Lanes - 1) * (T.Skew.empty() ? 0.5 : 1) /
              trips(N.Statements[K], T.Loop);
  return std::min(Part, 1.0);
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
    // The first tells what loops there are: others may run in one iteration of
    // some.
    auto Own = [&](unsigned X) {
      return count_if(S.Times[X],
                      [](const TimeTerm &T) { return T.Loop >= 0; });
    };
    std::swap(Group.front(),
              *llvm::max_element(Group, [&](unsigned X, unsigned Y) {
                return Own(X) < Own(Y);
              }));
    Estimate E = estimate(S, Group, Place);
    auto EachOf = [&](const Schedule &T, const Estimate &Of) {
      const double Lines = lines(T, Of, Before);
      return std::max(Of.Busy, Lines) + 0.2 * std::min(Of.Busy, Lines) +
             Of.Enter;
    };
    double Each = EachOf(S, E);
    if (const double Rest = leftOver(S, Group.front()); Rest > Negligible) {
      Schedule Plain = S;
      erase_if(Plain.Jams,
               [&](const Jam &J) { return isJammed(Group.front(), S, J); });
      Each += Rest * (EachOf(Plain, estimate(Plain, Group, Place)) - Each);
    }
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
    bool Same = S.Times[X][Place].isLoop();
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
      if (const TimeTerm &T = S.Times[X][P]; T.isLoop() && !T.Tile)
        T.addTo(Key);
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

/// The times of the pairs of D that are within one iteration of the loops
/// around that of Group at Place. AcrossTiles: whichever tile the two are in.
Map Scheduler::timesWithin(const Dependence &D, const Schedule &S,
                           ArrayRef<unsigned> Group, unsigned Place,
                           bool AcrossTiles) {
  Map M(isl_map_apply_range(
      isl_map_apply_domain(D.Pairs.copy(), plainTime(S, D.From).take()),
      plainTime(S, D.To).take()));
  for (unsigned P = 0; P != Place; ++P)
    if (!AcrossTiles || P % 2 == 0 || !S.Times[Group.front()][P].Tile)
      M = Map(isl_map_equate(M.take(), isl_dim_in, P, isl_dim_out, P));
  return M;
}

/// Does D lead from one iteration of the loop of Group at Place to another,
/// within one iteration of the loops around it? AcrossTiles: whichever tile
/// the two iterations are in.
bool Scheduler::connects(const Dependence &D, const Schedule &S,
                         ArrayRef<unsigned> Group, unsigned Place,
                         bool AcrossTiles) {
  Map M = timesWithin(D, S, Group, Place, AcrossTiles);
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
          !bytes(N.Statements[D.From].Write.Strides, step(S, D.From, Place)))
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
