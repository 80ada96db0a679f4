//===- Checks.cpp - kernels that check themselves -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -rg-check-races and -rg-check-uninitialized, kernels report each access
// of global and shared memory. Launches then run on one thread of the machine,
// in which order hardly matters: what counts is whether two accesses are
// ordered by CUDA's rules.
//
//   Two threads of a block are ordered by a barrier of the block between their
//   accesses, two of a warp by an operation of the warp, threads of different
//   blocks by nothing but the end of the launch and barriers of the grid.
//   Atomic accesses do not conflict with each other.
//
// Per word of four bytes the last write and the last reads of two threads are
// kept, with the bytes they touched: so of many conflicts some are not seen,
// and none is invented. Two stores of one value are no conflict: whichever
// comes last, the value is there. Kernels with fences publish data to other
// blocks in ways that this does not follow: their reads of what other blocks
// wrote are let pass.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace rgcuda;

namespace {

struct Site {
  const char *File;
  int32_t Line, Column;
};

enum : int32_t {
  Write = 1,
  Atomic = 2,
  Fences = 4,
  Races = 8,
  Uninitialized = 16,
  Same = 32 ///< a store of what is there
};

struct Access {
  const Site *At = nullptr;
  int64_t Block = -1;
  uint32_t Thread = 0, Epoch = 0, WarpEpoch = 0, GridEpoch = 0;
  uint8_t Bytes = 0;
  bool IsAtomic = false;
};
struct Word {
  Access Writer, Reader, OtherReader;
  uint8_t Written = 0;
};
struct Range {
  uintptr_t First, Last;
};

struct BlockState {
  int64_t Block = 0;
  uint32_t Epoch = 0;
  std::vector<uint32_t> WarpEpochs;
  std::unordered_map<uintptr_t, Word> Shared;
  std::vector<Range> SharedRanges;
};
struct Checker : BlockState {
  const char *Kernel = "";
  RgLaunch Launch;
  uint32_t GridEpoch = 0; ///< barriers of the grid
  std::unordered_map<uintptr_t, Word> Global;
  std::set<std::pair<const void *, const void *>> Told;
  int Reports = 0;
};
Checker TheChecker;

/// Set by a constructor of every object file with kernels that check.
bool Wanted = false;

void fullStop() {
  if (TheChecker.Reports) {
    fflush(stdout);
    fprintf(stderr, "%d report(s) on kernels\n", TheChecker.Reports);
    _exit(66); // as ThreadSanitizer does
  }
}

std::string threadName(int64_t Block, uint32_t Thread) {
  const RgLaunch &L = TheChecker.Launch;
  char Text[160];
  snprintf(Text, sizeof Text, "thread (%u,%u,%u) of block (%u,%u,%u)",
           Thread % L.Block[0], Thread / L.Block[0] % L.Block[1],
           Thread / L.Block[0] / L.Block[1], unsigned(Block % L.Grid[0]),
           unsigned(Block / L.Grid[0] % L.Grid[1]),
           unsigned(Block / L.Grid[0] / L.Grid[1]));
  return Text;
}

void tell(const Site *At, const char *Kind, const std::string &Text) {
  if (At && At->Line)
    fprintf(stderr, "%s:%d:%d: %s: %s\n", At->File, At->Line, At->Column, Kind,
            Text.c_str());
  else
    fprintf(stderr, "%s: %s\n", Kind, Text.c_str());
}

void race(const Access &Now, bool NowWrites, const Access &Then,
          bool ThenWrites, bool Shared) {
  Checker &C = TheChecker;
  auto Key = std::minmax<const void *>(Now.At, Then.At);
  if (!C.Told.insert({Key.first, Key.second}).second)
    return;
  ++C.Reports;
  tell(Now.At, "error",
       std::string("race in kernel '") + C.Kernel +
           "': " + threadName(Now.Block, Now.Thread) +
           (NowWrites ? " writes " : " reads ") +
           (Shared ? "shared" : "global") + " memory that " +
           threadName(Then.Block, Then.Thread) +
           (ThenWrites ? " writes" : " reads") +
           (Now.Block == Then.Block ? ", without a barrier between"
                                    : ", in the same launch") +
           " [RG1602]");
  tell(Then.At, "note", "the other access is here");
}

bool ordered(const Access &A, const Access &B) {
  if (A.GridEpoch != B.GridEpoch)
    return true;
  if (A.Block != B.Block)
    return false;
  return A.Thread == B.Thread || A.Epoch != B.Epoch ||
         (A.Thread / 32 == B.Thread / 32 && A.WarpEpoch != B.WarpEpoch);
}

void checkWord(Word &W, const Access &Now, int32_t Kind, bool Shared) {
  bool Writes = Kind & Write;
  auto Conflicts = [&](const Access &Then) {
    return Then.At && (Then.Bytes & Now.Bytes) &&
           !(Then.IsAtomic && Now.IsAtomic) && !ordered(Then, Now);
  };
  if (Kind & Races) {
    if (Conflicts(W.Writer) && !(Kind & Same) &&
        (Writes || !(Kind & Fences) || W.Writer.Block == Now.Block))
      race(Now, Writes, W.Writer, true, Shared);
    if (Writes)
      for (const Access *R : {&W.Reader, &W.OtherReader})
        if (Conflicts(*R) && (!(Kind & Fences) || R->Block == Now.Block))
          race(Now, true, *R, false, Shared);
  }
  if (Writes) {
    W.Writer = Now;
    W.Written |= Now.Bytes;
    if (Now.IsAtomic)
      W.Reader = Now; // it reads, too
  } else {
    if (W.Reader.At &&
        !(W.Reader.Block == Now.Block && W.Reader.Thread == Now.Thread))
      W.OtherReader = W.Reader;
    W.Reader = Now;
  }
}

} // namespace

bool rgcuda::checking() { return Wanted; }

void rgcuda::checkLaunch(const char *Name, const RgLaunch &L) {
  Checker &C = TheChecker;
  C.Kernel = Name;
  C.Launch = L;
  C.GridEpoch = 0;
  C.Global.clear();
}

void rgcuda::checkWorker(const char *Dynamic, size_t DynamicSize) {
  Checker &C = TheChecker;
  C.SharedRanges.clear();
  uintptr_t First = reinterpret_cast<uintptr_t>(Dynamic);
  if (DynamicSize)
    C.SharedRanges.push_back({First, First + DynamicSize});
}

struct rgcuda::CheckedBlock : BlockState {};
CheckedBlock *rgcuda::leaveBlock() {
  auto *Left = new CheckedBlock;
  static_cast<BlockState &>(*Left) =
      std::move(static_cast<BlockState &>(TheChecker));
  return Left;
}
void rgcuda::resumeBlock(CheckedBlock *B) {
  static_cast<BlockState &>(TheChecker) =
      std::move(static_cast<BlockState &>(*B));
  delete B;
}
void rgcuda::checkGridBarrier() { ++TheChecker.GridEpoch; }

extern "C" {

int rg_cuda_is_local(const void *Address); // Launch.cpp

void rg_cuda_check_wanted(void) {
  if (!Wanted)
    atexit(fullStop);
  Wanted = true;
}

void rg_cuda_check_shared(const char *P, int64_t Size) {
  uintptr_t First = reinterpret_cast<uintptr_t>(P);
  for (const Range &R : TheChecker.SharedRanges)
    if (R.First == First)
      return;
  TheChecker.SharedRanges.push_back({First, First + uintptr_t(Size)});
}

/// A block starts: its shared memory holds nothing.
void rg_cuda_check_block(int64_t Number) {
  Checker &C = TheChecker;
  C.Block = Number;
  C.Epoch = 1;
  C.Shared.clear();
  C.WarpEpochs.assign(32, 0);
}

void rg_cuda_check_barrier(void) { ++TheChecker.Epoch; }

void rg_cuda_check_warp(int64_t FirstThread) {
  ++TheChecker.WarpEpochs[uint64_t(FirstThread) / 32 % 32];
}

/// The threads that have not ended wait for the block: all of them, at one
/// barrier? Counters are negative for those that have ended, and else tell
/// where the thread is: the number of its site.
void rg_cuda_check_divergence(const int *Counters, int64_t N,
                              const Site *Sites) {
  constexpr int Blocked = 1 << 30;
  Checker &C = TheChecker;
  int64_t First = -1, Ended = -1;
  auto Tell = [&](const Site *A, const Site *B, int64_t Other,
                  const char *Where) {
    if (!C.Told.insert({A, B}).second)
      return;
    ++C.Reports;
    tell(A, "error",
         std::string("barrier in divergent control flow in kernel '") +
             C.Kernel + "': " + threadName(C.Block, uint32_t(First)) +
             " waits here, and " + threadName(C.Block, uint32_t(Other)) +
             Where + " [RG1603]");
    if (B)
      tell(B, "note", "the other barrier is here");
  };
  for (int64_t I = 0; I < N; ++I) {
    if (Counters[I] < 0) {
      Ended = Ended < 0 ? I : Ended;
      continue;
    }
    if (First < 0)
      First = I;
    if (Counters[I] != Counters[First])
      return Tell(Sites + (Counters[First] & ~Blocked),
                  Sites + (Counters[I] & ~Blocked), I, " at another barrier");
  }
  if (First >= 0 && Ended >= 0)
    Tell(Sites + (Counters[First] & ~Blocked), nullptr, Ended, " has ended");
}

void rg_cuda_check_access(const char *P, int64_t Size, int32_t Kind,
                          const Site *At, int64_t Thread) {
  Checker &C = TheChecker;
  uintptr_t First = reinterpret_cast<uintptr_t>(P),
            Last = First + uintptr_t(Size);
  bool Shared = false;
  for (const Range &R : C.SharedRanges)
    Shared |= First >= R.First && First < R.Last;
  // Threads that run later have the same memory for their own, the tapes of
  // gradients among it.
  if (!Shared && rg_cuda_is_local(P))
    return;
  Access Now;
  Now.At = At;
  Now.Block = C.Block;
  Now.Thread = uint32_t(Thread);
  Now.Epoch = C.Epoch;
  Now.WarpEpoch = C.WarpEpochs[Now.Thread / 32 % 32];
  Now.GridEpoch = C.GridEpoch;
  Now.IsAtomic = Kind & Atomic;
  auto &Words = Shared ? C.Shared : C.Global;
  bool Unset = false;
  for (uintptr_t W = First & ~uintptr_t(3); W < Last; W += 4) {
    Now.Bytes = 0;
    for (int I = 0; I < 4; ++I)
      if (W + I >= First && W + I < Last)
        Now.Bytes |= uint8_t(1 << I);
    Word &Entry = Words[W];
    // An atomic access reads, too.
    Unset |= (!(Kind & Write) || Now.IsAtomic) &&
             (Entry.Written & Now.Bytes) != Now.Bytes;
    checkWord(Entry, Now, Kind, Shared);
  }
  if (Shared && Unset && (Kind & Uninitialized) &&
      C.Told.insert({At, nullptr}).second) {
    ++C.Reports;
    tell(At, "error",
         std::string("kernel '") + C.Kernel +
             "': " + threadName(C.Block, Now.Thread) +
             " reads shared memory that no thread of its block has written "
             "[RG1604]");
  }
}

/// A plain store of what lies at Value.
void rg_cuda_check_store(const char *P, int64_t Size, int32_t Kind,
                         const Site *At, int64_t Thread, const char *Value) {
  if (!memcmp(P, Value, size_t(Size)))
    Kind |= Same;
  rg_cuda_check_access(P, Size, Kind, At, Thread);
}

} // extern "C"
