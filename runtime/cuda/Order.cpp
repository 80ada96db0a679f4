//===- Order.cpp - threads and blocks in other orders -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that were compiled with -rg-gpu-interleave ask here in which order
// lanes, warps and blocks run. RG_GPU_ORDER says it, KIND[,ORDER]:
//
//   KIND   steps     lanes in lock step, warps in turn:
//                    all load, then all store
//          threads   each thread as far as it can alone
//          mixed     any lanes that can go on, by chance
//   ORDER  forward, reverse, random:SEED
//
// Random numbers are of the seed and the block: lanes of a block have one order
// in all launches, so that a kernel and its gradient see the same.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace rgcuda;

namespace {

enum Kind { Steps, Threads, Mixed }; // runtime/device/order.c
enum Direction { Forward, Reverse, Random };

struct Order {
  Kind Who = Steps;
  Direction Way = Forward;
  uint64_t Seed = 1;
};

bool Wanted = false; ///< some kernels can do it

uint64_t scramble(uint64_t X) { // splitmix64
  X += 0x9e3779b97f4a7c15ull;
  X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9ull;
  X = (X ^ (X >> 27)) * 0x94d049bb133111ebull;
  return X ^ (X >> 31);
}

bool parse(const char *Text, Order &O) {
  while (*Text) {
    size_t Length = strcspn(Text, ",");
    auto Is = [&](const char *Word) {
      return strlen(Word) == Length && !strncmp(Text, Word, Length);
    };
    constexpr char Seeded[] = "random:";
    if (Is("steps"))
      O.Who = Steps;
    else if (Is("threads"))
      O.Who = Threads;
    else if (Is("mixed"))
      O.Who = Mixed, O.Way = Random;
    else if (Is("forward"))
      O.Way = Forward;
    else if (Is("reverse"))
      O.Way = Reverse;
    else if (Is("random"))
      O.Way = Random;
    else if (!strncmp(Text, Seeded, strlen(Seeded))) {
      char *End;
      O.Way = Random;
      O.Seed = strtoull(Text + strlen(Seeded), &End, 10);
      if (End != Text + Length || Length == strlen(Seeded))
        return false;
    } else
      return false;
    Text += Length;
    Text += *Text == ',';
  }
  return true;
}

const Order &order() {
  static const Order Known = [] {
    Order O;
    const char *Text = getenv("RG_GPU_ORDER");
    if (Text && !parse(Text, O)) {
      fprintf(stderr,
              "retrograd: RG_GPU_ORDER=%s: not 'steps', 'threads' or 'mixed', "
              "with ',forward', ',reverse' or ',random:SEED' [RG1606]\n",
              Text);
      exit(2);
    }
    return O;
  }();
  return Known;
}

/// Of the block that this thread of the machine runs.
struct Tables {
  int Lanes[MaxThreads];
  int64_t Groups[MaxThreads];
  int64_t LanesKnown = -1;
  uint64_t Key = 0, Drawn = 0, Turns = 0;
};
thread_local Tables T;

uint64_t draw() { return scramble(T.Key ^ ++T.Drawn); }

template <class Number> void fill(Number *Table, int64_t N) {
  for (int64_t I = 0; I < N; ++I)
    Table[I] = Number(order().Way == Reverse ? N - 1 - I : I);
  if (order().Way == Random)
    for (int64_t I = N - 1; I > 0; --I) {
      int64_t J = int64_t(scramble(T.Key + uint64_t(I)) % uint64_t(I + 1));
      Number Held = Table[I];
      Table[I] = Table[J];
      Table[J] = Held;
    }
}

} // namespace

bool rgcuda::ordered() {
  if (Wanted)
    return true;
  if (getenv("RG_GPU_ORDER")) {
    static std::once_flag Said;
    std::call_once(Said, [] {
      fprintf(stderr, "retrograd: RG_GPU_ORDER is set, but kernels were "
                      "compiled without -rg-gpu-interleave: they run in their "
                      "own order [RG1606]\n");
    });
  }
  return false;
}

int64_t rgcuda::orderedBlock(int64_t I, int64_t Total) {
  const Order &O = order();
  if (O.Way == Forward)
    return I;
  if (O.Way == Reverse)
    return Total - 1 - I;
  // A permutation without a table: a * I + b modulo Total, where a has no
  // divisor in common with Total.
  uint64_t N = uint64_t(Total), Key = scramble(O.Seed);
  uint64_t A = Key % N, B = scramble(Key) % N;
  auto Divisor = [](uint64_t X, uint64_t Y) {
    while (Y) {
      uint64_t Rest = X % Y;
      X = Y;
      Y = Rest;
    }
    return X;
  };
  while (Divisor(A, N) != 1)
    A = (A + 1) % N;
  return int64_t((static_cast<unsigned __int128>(A) * uint64_t(I) + B) % N);
}

extern "C" {

/// A constructor of each file with such kernels.
void rg_cuda_order_wanted(void) { Wanted = true; }

/// The block begins; whether a warp goes on until its lanes wait.
int rg_cuda_order_block(int64_t Number) {
  T.Key = scramble(order().Seed ^ scramble(uint64_t(Number)));
  T.Drawn = T.Turns = 0;
  T.LanesKnown = -1;
  return order().Who == Threads;
}
int rg_cuda_order_kind(void) { return order().Who; }
uint64_t rg_cuda_order_draw(void) { return draw(); }
uint64_t rg_cuda_order_turn(void) { return ++T.Turns; }
/// The thread with the least goes first.
uint64_t rg_cuda_order_rank(int64_t Thread) {
  switch (order().Way) {
  case Forward:
    return uint64_t(Thread);
  case Reverse:
    return ~uint64_t(Thread);
  case Random:
    return scramble(T.Key ^ scramble(uint64_t(Thread) + 1));
  }
  __builtin_unreachable();
}
/// The order of N lanes, good until the next call.
const int *rg_cuda_order_lanes(int64_t N) {
  if (T.LanesKnown != N)
    fill(T.Lanes, N);
  T.LanesKnown = N;
  return T.Lanes;
}
/// The first thread of the group whose turn it is; At counts the threads of
/// those that had theirs.
int64_t rg_cuda_order_group(int64_t At, int64_t Threads, int64_t Size) {
  if (!At)
    fill(T.Groups, (Threads + Size - 1) / Size);
  return T.Groups[At / Size] * Size;
}

} // extern "C"
