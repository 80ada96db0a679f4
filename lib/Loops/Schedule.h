//===- Schedule.h - when each iteration of a nest runs ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule gives each iteration of each statement a time: a row of numbers,
// compared from the first to the last. Even places tell siblings apart, odd
// ones are loops, forwards or backwards. Where a loop is jammed, its iterations
// run Lanes at a time in the innermost loops.
//
// Whether a schedule may replace the program's is a question to the dependences
// alone: whatever was before and touches the same element is before again, but
// for additions in any order among each other; and no cell is set for another
// iteration while its number is needed. The search may propose what it wants.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_SCHEDULE_H
#define RETROGRAD_LOOPS_SCHEDULE_H

#include "Loops/Nest.h"
#include <map>
#include <optional>

namespace retrograd::loops {

struct TimeTerm {
  int Loop = -1;     ///< of the statement's loops; -1: none of its own
  int64_t C = 0;     ///< a constant, added to what follows
  bool Down = false; ///< from the last iteration to the first
  int64_t Tile = 0;  ///< not the number itself, but which group of so many
  /// Counters of other loops that are added, so many times: by loop, or none.
  std::vector<int64_t> Skew;
  /// In a loop of other statements: there in one of its iterations.
  bool Aligned = false;
  /// Places of tiles whose numbers are added: iterations are fronts of tiles.
  std::vector<unsigned> Front;

  bool isLoop() const { return Loop >= 0 || Aligned; }
  /// What the counter of a loop is multiplied by.
  int64_t times(int Of) const {
    return (Of == Loop ? (Down ? -1 : 1) : 0) +
           (Of < int(Skew.size()) ? Skew[Of] : 0);
  }
  void reverse();
  /// Count times Other more.
  void add(const TimeTerm &Other, int64_t Count, unsigned Loops);
  void addTo(std::vector<int64_t> &Key) const;
};

/// The loop at time place Place, of statements with these constants before it.
/// Its lanes are next to each other in the innermost loops, or, in a strip, are
/// the iterations of a loop of their own there.
struct Jam {
  std::vector<int64_t> Prefix;
  unsigned Place;
  unsigned Lanes;
  bool Strip = false;
};

struct Schedule {
  std::vector<std::vector<TimeTerm>> Times; ///< of each statement, equally long
  std::vector<Jam> Jams;                    ///< by place

  /// The same for orders that are the same.
  std::vector<int64_t> key() const;
};

/// What an order's cost depends on besides the nest.
struct Machine {
  unsigned VectorBytes = 16, Registers = 16;
  double L1 = 32 << 10, L2 = 256 << 10, L3 = 16 << 20;
  unsigned Threads = 1; ///< that may share loops
};

struct Dependence {
  unsigned From, To;
  Map Pairs; ///< { iteration of From -> iteration of To }
};

/// One part of a statement's iterations, with their times. Parts of jammed
/// loops whose iterations do not fill all lanes are Rest.
struct TimedPart {
  unsigned Statement;
  bool Rest;
  Map Times;
};

/// The lanes of a cell under a schedule: which jam tells them apart; -1: one.
using CellLanes = std::vector<int>;

class Scheduler {
public:
  Scheduler(Nest &N, const Machine &M) : N(N), M(M) {}

  /// The dependences. False if that takes too long.
  bool find();
  struct Proposal {
    Schedule S;
    std::string Did;    ///< what was done, in words
    double Alone, Cost; ///< by one thread and by all, of the program's by one
  };
  /// The best schedules that were found and proved, the best first; none if the
  /// program's is about as good. Where threads may share loops, the best by one
  /// thread is behind those. At the end, some that were passed on the way to
  /// it.
  std::vector<Proposal> search();
  /// Any order that was proved, by random changes: to test what follows.
  std::vector<Proposal> any(unsigned Seed);
  Schedule original() const;
  /// Cycles of the program's order, by one thread.
  double cyclesOfProgram() { return alone(original()); }
  bool isLegal(const Schedule &S);
  /// An order that isl's scheduler computes (ComputedOrder.cpp).
  std::optional<Schedule> computed();
  /// S is better than the program's order by one thread, too.
  bool isBetterAlone(const Schedule &S);
  /// Elements that the nest writes.
  Set written(unsigned Array);
  /// What the elements of an array are of which threads may have copies, to
  /// add to: it has one dimension, and what is written of it has no holes.
  /// Null: another array.
  llvm::Type *typeOfCopy(unsigned Array);
  /// Cycles for an iteration of each statement, by one thread.
  std::vector<double> cycles(const Schedule &S);
  /// Cycles until all threads run, and all have ended.
  static constexpr double WakeThreads = 20000;
  /// Cycles to clear an element of a thread's copy and to add it up.
  static constexpr double CopyElement = 4;
  /// All pairs of iterations that touch the same element, one of them to write:
  /// the dependences, and sums whose additions may change places.
  llvm::ArrayRef<Dependence> dependences() const { return Dependences; }
  llvm::ArrayRef<Dependence> sums() const { return Sums; }
  std::vector<TimedPart> parts(const Schedule &S);
  CellLanes lanes(const Schedule &S) const;
  /// The last place of a loop.
  static unsigned innermost(const std::vector<TimeTerm> &Time);
  bool isJammed(unsigned Statement, const Schedule &S, const Jam &J) const;
  /// A loop as far as accesses are concerned.
  struct Level {
    unsigned Place;
    double Trips;
    std::vector<double> Strides; ///< bytes, of each stream
  };

private:
  /// Accesses to one array with the same strides: neighbours share lines.
  struct Stream {
    unsigned Array;
    llvm::SmallVector<int64_t, 4> Strides; ///< by the statement's loops
    unsigned Statement;
    bool Written;
  };
  /// An innermost loop with what runs in it (Cost.cpp). Levels are its loops
  /// from the outermost, and behind Innermost the lanes.
  struct Estimate {
    std::vector<unsigned> Group;
    std::vector<Stream> Streams;
    std::vector<Level> Levels;
    unsigned Innermost;
    double All, Busy, Enter;
  };
  bool prove(const Schedule &S);
  /// An innermost loop, with what an iteration of it costs.
  struct Part {
    Estimate E;
    unsigned Place;
    double Each;
  };
  std::vector<Part> innermostLoops(const Schedule &S);
  double leftOver(const Schedule &S, unsigned K) const;
  /// By all threads if Sharing, or by one.
  double cost(const Schedule &S);
  double alone(const Schedule &S);
  double byThreads(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                   unsigned Place, double One);
  bool isShared(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                unsigned Place, bool Copies);
  bool findShared(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                  unsigned Place, bool Copies);
  double copied(llvm::ArrayRef<unsigned> Group);
  double waitInCircle(const std::map<unsigned, double> &Of) const;
  Estimate estimate(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                    unsigned Place);
  double lines(const Schedule &S, const Estimate &E,
               llvm::ArrayRef<Estimate> Before) const;
  double trips(const Statement &St, int Loop) const;
  llvm::SmallVector<int64_t, 4> step(const Schedule &S, unsigned Statement,
                                     unsigned Place) const;
  bool cellsFit(const Schedule &S, const std::vector<TimedPart> &Parts);
  bool carries(const Schedule &S, llvm::ArrayRef<unsigned> Group,
               unsigned Place);
  Map timesWithin(const Dependence &D, const Schedule &S,
                  llvm::ArrayRef<unsigned> Group, unsigned Place,
                  bool AcrossTiles);
  bool connects(const Dependence &D, const Schedule &S,
                llvm::ArrayRef<unsigned> Group, unsigned Place,
                bool AcrossTiles);
  bool findCarried(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                   unsigned Place);
  std::vector<unsigned> groupOf(const Schedule &S, unsigned Statement,
                                unsigned Place) const;
  Map plainTime(const Schedule &S, unsigned Statement);
  void findClusters();
  /// Of each statement, the part that it is in, in the order of parts.
  struct Parting {
    std::vector<unsigned> Of;
    unsigned Count;
  };
  Parting byCells(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                  unsigned Place) const;
  Parting byNeeds(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                  unsigned Place, const Parting &Parts);
  bool split(Schedule &S, llvm::ArrayRef<unsigned> Group, unsigned Place,
             const Parting &Parts);
  std::optional<Schedule> compute();
  static void renumber(Schedule &S);
  void findOwn(Schedule &S) const;
  bool fuseAll(Schedule &S);
  bool fuse(Schedule &S, llvm::ArrayRef<unsigned> Group, unsigned Place,
            unsigned Index);
  bool canJam(const Schedule &S, llvm::ArrayRef<unsigned> Group,
              unsigned Place) const;
  bool carriesInside(const Schedule &S, llvm::ArrayRef<unsigned> Group);
  Schedule jam(const Schedule &S, unsigned Statement, unsigned Place,
               unsigned Lanes, bool Strip = false) const;
  bool stripCarries(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                    unsigned Place, const Jam &J);
  bool isTiled(const Schedule &S, llvm::ArrayRef<unsigned> Group) const;
  Schedule tile(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                unsigned Place, llvm::ArrayRef<int64_t> Sizes) const;
  unsigned bandDepth(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                     unsigned Place) const;
  double jammedCost(const Schedule &S, llvm::ArrayRef<unsigned> Group,
                    unsigned Place);
  struct Change {
    double Cost;
    std::string Name;
    Schedule S;
    /// Legal like others of this kind; or empty.
    std::vector<int64_t> Kind = {};
  };
  std::vector<Schedule> orders(const Schedule &S,
                               llvm::ArrayRef<unsigned> Group, unsigned Place);
  bool permute(Schedule &S, llvm::ArrayRef<unsigned> Group, unsigned Place);
  std::vector<Change> changes(const Schedule &S, bool Reorder);
  void climb(Schedule &Best, std::vector<std::string> &Steps, bool Reorder);

  Nest &N;
  const Machine M;
  /// Orders that the last climb has passed, with what had been done.
  std::vector<std::pair<Schedule, std::vector<std::string>>> Passed;
  bool Sharing = false; ///< costs are those by all threads
  /// Known answers of carries(), of isShared() and of isLegal().
  std::map<std::vector<int64_t>, bool> Carried, Shared, Proved;
  std::map<unsigned, llvm::Type *> CopyTypes; ///< known typeOfCopy()
  std::vector<Dependence> Dependences, Sums;
  std::vector<unsigned> Cluster; ///< statements that share a cell
};

} // namespace retrograd::loops

#endif
