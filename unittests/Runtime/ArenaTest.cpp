//===- ArenaTest.cpp - the tape's memory ----------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arena itself, compiled as part of this file: its C is also C++. What runs
// in programs is its bitcode; tests under test/Runtime run that.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include <array>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <stdio.h>
#include <thread>
#include <vector>

extern "C" {
#include "../../runtime/arena.c"

// In the runtime this is IR (memory.ll), which also counts what the compiler
// knows.
uint64_t rg_block_bytes(void *P) { return malloc_usable_size(P); }

// Under AddressSanitizer (RG_SANITIZE), malloc has to be allowed to fail.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
const char *__asan_default_options() { return "allocator_may_return_null=1"; }
}

namespace {

std::vector<int> FreedInOrder;
void noteFreed(void *P) { FreedInOrder.push_back(*static_cast<int *>(P)); }

TEST(Arena, HandsOutDistinctAlignedMemory) {
  rg_arena *A = rg_tape_begin();
  char *Last = nullptr;
  for (uint64_t Size : {1, 15, 16, 17, 0, 1000}) {
    char *P = static_cast<char *>(rg_tape_alloc(A, Size));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(P) % 16, 0u);
    EXPECT_NE(P, Last);
    std::memset(P, 0xa5, Size);
    if (Size)
      Last = P;
  }
  rg_tape_end(A);
}

TEST(Arena, NeverMovesAndNeverOverlapsAcrossChunks) {
  rg_arena *A = rg_tape_begin();
  std::vector<uint64_t *> Blocks;
  for (uint64_t I = 0; I < 200000; ++I) {
    auto *P = static_cast<uint64_t *>(rg_tape_alloc(A, 24));
    P[0] = P[1] = P[2] = I;
    Blocks.push_back(P);
  }
  for (uint64_t I = 0; I < Blocks.size(); ++I)
    ASSERT_TRUE(Blocks[I][0] == I && Blocks[I][1] == I && Blocks[I][2] == I);
  rg_tape_end(A);
}

TEST(Arena, ZerosOnRequestEvenWhenReused) {
  for (int Call = 0; Call < 2; ++Call) {
    rg_arena *A = rg_tape_begin();
    auto *P = static_cast<unsigned char *>(rg_tape_zalloc(A, 5000));
    for (int I = 0; I < 5000; ++I)
      ASSERT_EQ(P[I], 0);
    std::memset(P, 0xff, 5000);
    rg_tape_end(A);
  }
}

TEST(Arena, ReusesMemoryBetweenCalls) {
  std::array<void *, 3> First = {};
  for (int Call = 0; Call < 20; ++Call) {
    rg_arena *A = rg_tape_begin();
    std::array<void *, 3> Now = {rg_tape_alloc(A, 100),
                                 rg_tape_alloc(A, 3 << 20),
                                 rg_tape_alloc(A, 200 << 20)};
    if (Call < 2) // the first call may still grow what the second keeps
      First = Now;
    else
      ASSERT_EQ(First, Now);
    rg_tape_end(A);
  }
}

TEST(Arena, NestsLikeCalls) {
  rg_arena *Outer = rg_tape_begin();
  auto *Kept = static_cast<int *>(rg_tape_alloc(Outer, 4));
  *Kept = 42;
  void *First = nullptr;
  for (int Call = 0; Call < 3; ++Call) {
    rg_arena *Inner = rg_tape_begin();
    EXPECT_EQ(Inner, Outer); // one per thread
    void *P = rg_tape_alloc(Inner, 1 << 20);
    std::memset(P, 0, 1 << 20);
    if (!First)
      First = P;
    EXPECT_EQ(P, First);
    rg_tape_end(Inner);
  }
  EXPECT_EQ(*Kept, 42);
  rg_tape_end(Outer);
}

TEST(Arena, RunsDeferredFreesLatestFirstAtTheirOwnEnd) {
  FreedInOrder.clear();
  int Values[] = {0, 1, 2, 3};
  rg_arena *A = rg_tape_begin();
  rg_tape_defer_free(A, &Values[0], noteFreed);
  rg_tape_defer_free(A, &Values[1], noteFreed);
  rg_tape_begin();
  rg_tape_defer_free(A, &Values[2], noteFreed);
  rg_tape_defer_free(A, nullptr, noteFreed);
  EXPECT_TRUE(FreedInOrder.empty());
  rg_tape_end(A);
  EXPECT_EQ(FreedInOrder, std::vector<int>({2}));
  rg_tape_defer_free(A, &Values[3], noteFreed);
  rg_tape_end(A);
  EXPECT_EQ(FreedInOrder, std::vector<int>({2, 3, 1, 0}));
}

TEST(Arena, ADeallocatorMayRunADerivative) {
  rg_arena *A = rg_tape_begin();
  int Value = 7;
  rg_tape_defer_free(A, &Value, [](void *P) {
    rg_arena *Own = rg_tape_begin();
    std::memset(rg_tape_alloc(Own, 1 << 20), 0, 1 << 20);
    rg_tape_end(Own);
    *static_cast<int *>(P) = 8;
  });
  rg_tape_end(A);
  EXPECT_EQ(Value, 8);
}

TEST(Arena, CountsWhatItsUserAskedFor) {
  rg_tape_bytes_reset();
  for (uint64_t Call = 0; Call < 3; ++Call) {
    rg_arena *A = rg_tape_begin();
    rg_tape_alloc(A, 1600);
    int Dummy = 0;
    rg_tape_defer_free(A, &Dummy, [](void *) {}); // not the user's bytes
    rg_tape_begin();
    rg_tape_alloc(A, 16000000); // skips the tail of a chunk: not counted
    EXPECT_EQ(rg_tape_bytes_total(), Call * 16001920 + 16001600);
    rg_tape_end(A);
    rg_tape_alloc(A, 320);
    rg_tape_end(A);
    EXPECT_EQ(rg_tape_bytes_total(), (Call + 1) * 16001920);
    EXPECT_EQ(rg_tape_bytes_peak(), 16001600u);
  }
  rg_tape_bytes_reset();
  EXPECT_EQ(rg_tape_bytes_total(), 0u);
  EXPECT_EQ(rg_tape_bytes_peak(), 0u);

  // A reset inside a derivative.
  rg_arena *A = rg_tape_begin();
  rg_tape_alloc(A, 160);
  rg_tape_bytes_reset();
  rg_tape_alloc(A, 320);
  EXPECT_EQ(rg_tape_bytes_total(), 320u);
  rg_tape_end(A);
  EXPECT_EQ(rg_tape_bytes_total(), 320u);
}

TEST(Arena, ReallocKeepsTheOldBlockUntilTheEnd) {
  rg_arena *A = rg_tape_begin();
  auto *Old = static_cast<double *>(malloc(4 * sizeof(double)));
  for (int I = 0; I < 4; ++I)
    Old[I] = I;
  auto *New = static_cast<double *>(rg_tape_realloc(A, Old, 800));
  EXPECT_NE(New, Old);
  for (int I = 0; I < 4; ++I)
    EXPECT_EQ(New[I], I);
  New[0] = 100;
  EXPECT_EQ(Old[0], 0); // still there
  EXPECT_GE(rg_block_bytes(New), 800u);
  auto *Small = static_cast<double *>(rg_tape_realloc(A, New, 8));
  EXPECT_EQ(Small[0], 100);
  auto *Fresh = static_cast<double *>(rg_tape_realloc(A, nullptr, 8));
  EXPECT_NE(Fresh, nullptr);
  EXPECT_EQ(rg_block_bytes(nullptr), 0u);
  free(Fresh);
  free(Small);
  rg_tape_end(A); // frees Old and New: a leak checker sees if not
}

TEST(Arena, EveryThreadHasItsOwn) {
  rg_arena *Mine = rg_tape_begin();
  rg_arena *Theirs = nullptr;
  std::thread([&] {
    Theirs = rg_tape_begin();
    std::memset(rg_tape_alloc(Theirs, 1 << 20), 1, 1 << 20);
    rg_tape_end(Theirs);
  }).join(); // gives its chunks back on the way out
  EXPECT_NE(Mine, Theirs);
  rg_tape_end(Mine);
}

TEST(ArenaDeathTest, SaysWhenThereIsNoMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        rg_arena *A = rg_tape_begin();
        rg_tape_alloc(A, uint64_t(1) << 62);
      },
      "retrograd: out of memory for the tape: 4611686018427387904");
  EXPECT_DEATH(
      {
        rg_arena *A = rg_tape_begin();
        rg_tape_alloc(A, ~uint64_t(0)); // must not wrap around to nothing
      },
      "retrograd: out of memory for the tape: 18446744073709551615");
}

} // namespace
