/*===- device/warp.c - what threads do together -===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Routines that lowered kernels call (lib/Offload/KernelLowering.cpp): they compute the
|* results of an operation for all lanes of a warp at once, and schedule lanes that
|* are not together. Operands come as (address, step): step 0 is one value for all lanes.
|* The names are those of the NVVM intrinsics, with _ for dots.
|*
|* Semantics: PTX ISA, sections shfl.sync, vote.sync, match.sync, redux.sync, barrier.red.
\*===------------------------------------------------------------------------===*/
#include <stdint.h>

#define WARP 32
typedef uint32_t u32;
typedef uint64_t u64;

/* Program counters: a cut's number; with BLOCKED, waiting for the whole block; with HELD, left out
   of what the scheduler has just chosen; -1, ended. */
#define BLOCKED (1 << 30)
#define HELD (1 << 29)

u32 rg_all_lanes(int64_t N) { return N >= WARP ? ~0u : (1u << N) - 1; }

void rg_fill(int *P, int V, int64_t N) {
  for (int64_t I = 0; I < N; ++I)
    P[I] = V;
}
int64_t rg_count(const int *P, int K, int64_t N) {
  int64_t Sum = 0;
  for (int64_t I = 0; I < N; ++I)
    Sum += P[I] == K;
  return Sum;
}
/* The program counter that all have, or -1. */
int rg_common(const int *P, int64_t N) {
  int Differ = 0;
  for (int64_t I = 0; I < N; ++I)
    Differ |= P[I] ^ P[0];
  return Differ ? -1 : P[0];
}
u32 rg_lanes_at(const int *P, int K, int64_t N) {
  u32 Set = 0;
  for (int64_t I = 0; I < N; ++I)
    Set |= (u32)(P[I] == K) << I;
  return Set;
}

/* Lets all go on that wait for the block; how many have not ended. */
int64_t rg_release(int *P, int64_t N) {
  int64_t Alive = 0;
  for (int64_t I = 0; I < N; ++I) {
    if (P[I] >= 0) {
      P[I] &= ~BLOCKED;
      ++Alive;
    }
  }
  return Alive;
}

/* Whether all lanes that come to an operation together name the same lanes: else they are
   several operations, and the scheduler has to tell them apart. */
int rg_alike(const u32 *Wait, int64_t N) {
  u32 Differ = 0;
  for (int64_t I = 0; I < N; ++I)
    Differ |= (Wait[I] ^ Wait[0]) & rg_all_lanes(N);
  return !Differ;
}

/* Of the lanes Here at an operation that has a mask per lane those that have all of theirs. Lanes
   with another mask are at another operation, in another round of a loop for instance. */
static u32 rg_complete(u32 Here, u32 Alive, const u32 *Wait) {
  u32 Ready = 0;
  for (u32 Left = Here; Left;) {
    u32 Mask = Wait[__builtin_ctz(Left)] & Alive, Same = 0;
    for (int I = 0; I < WARP; ++I)
      Same |= (u32)((Here >> I & 1) && (Wait[I] & Alive) == Mask) << I;
    if (!(Mask & ~Same))
      Ready |= Same;
    Left &= ~Same;
  }
  return Ready;
}

/* The cut whose threads run next, or -1. The earliest cut in program order that has all
   the lanes it waits for: threads behind catch up with those ahead, and meet them again
   where their ways join. Masks[K] is the mask of the operation at K, doubled, or 1 when each lane has
   its own in Wait. Where nobody can go on, the program waits for lanes that do not come; CUDA says that
   this is undefined, and we go on with the earliest. */
int rg_schedule(int *P, int64_t N, const u64 *Masks, const u32 *Wait) {
  int Least = -1, Above = -1;
  for (int64_t I = 0; I < N; ++I)
    P[I] = P[I] >= 0 ? P[I] & ~HELD : P[I];
  for (;;) {
    int Best = BLOCKED;
    for (int64_t I = 0; I < N; ++I)
      if (P[I] > Above && P[I] < Best)
        Best = P[I];
    if (Best == BLOCKED)
      return Least;
    if (Least < 0)
      Least = Best;
    if (!Masks[Best])
      return Best;
    u32 Here = 0, Alive = 0;
    for (int64_t I = 0; I < N; ++I) {
      Alive |= (u32)(P[I] >= 0) << I;
      Here |= (u32)(P[I] == Best) << I;
    }
    u32 Ready = Here;
    if (Masks[Best] & 1)
      Ready = rg_complete(Here, Alive, Wait);
    else if ((u32)(Masks[Best] >> 1) & Alive & ~Here)
      Ready = 0;
    if (Ready) {
      for (int64_t I = 0; I < N; ++I)
        if ((Here & ~Ready) >> I & 1)
          P[I] |= HELD;
      return Best;
    }
    Above = Best;
  }
}

/*===-- shfl ----------------------------------------------------------------===*/

static inline void shuffle(const u32 *V, const u32 *B, int64_t BStep, const u32 *C, int64_t CStep, u32 *R,
                           uint8_t *InRange, int Kind) {
  for (int Lane = 0; Lane < WARP; ++Lane) {
    u32 Offset = B[Lane * BStep] & 31, Clamp = C[Lane * CStep] & 31, Segment = C[Lane * CStep] >> 8 & 31;
    int Last = (Lane & Segment) | (Clamp & ~Segment), First = Lane & Segment, From;
    int In;
    if (Kind == 0)
      From = Lane - (int)Offset, In = From >= Last;
    else if (Kind == 1)
      From = Lane + (int)Offset, In = From <= Last;
    else if (Kind == 2)
      From = Lane ^ (int)Offset, In = From <= Last;
    else
      From = First | (Offset & ~Segment), In = From <= Last;
    if (!In)
      From = Lane;
    R[Lane] = V[From];
    if (InRange)
      InRange[Lane] = In;
  }
}
/* A value that all lanes have alike is passed as one: spread it. */
#define VALUES(V, Step)                                                                           \
  u32 Spread[WARP];                                                                               \
  if (!Step) {                                                                                    \
    for (int I = 0; I < WARP; ++I)                                                                \
      Spread[I] = *V;                                                                             \
    V = Spread;                                                                                   \
  }
#define SHUFFLES(Name, Kind)                                                                      \
  void rg_warp_shfl_sync_##Name(u32 Active, const u32 *M, int64_t MS, const u32 *V, int64_t VS,   \
                                const u32 *B, int64_t BS, const u32 *C, int64_t CS, u32 *R) {     \
    VALUES(V, VS)                                                                                 \
    shuffle(V, B, BS, C, CS, R, 0, Kind);                                                         \
  }                                                                                               \
  void rg_warp_shfl_sync_##Name##p(u32 Active, const u32 *M, int64_t MS, const u32 *V,            \
                                   int64_t VS, const u32 *B, int64_t BS, const u32 *C,            \
                                   int64_t CS, u32 *R, uint8_t *In) {                             \
    VALUES(V, VS)                                                                                 \
    shuffle(V, B, BS, C, CS, R, In, Kind);                                                        \
  }                                                                                               \
  void rg_warp_shfl_##Name(u32 Active, const u32 *V, int64_t VS, const u32 *B, int64_t BS,        \
                           const u32 *C, int64_t CS, u32 *R) {                                    \
    VALUES(V, VS)                                                                                 \
    shuffle(V, B, BS, C, CS, R, 0, Kind);                                                         \
  }                                                                                               \
  void rg_warp_shfl_##Name##p(u32 Active, const u32 *V, int64_t VS, const u32 *B, int64_t BS,     \
                              const u32 *C, int64_t CS, u32 *R, uint8_t *In) {                    \
    VALUES(V, VS)                                                                                 \
    shuffle(V, B, BS, C, CS, R, In, Kind);                                                        \
  }
SHUFFLES(up_i32, 0)
SHUFFLES(up_f32, 0)
SHUFFLES(down_i32, 1)
SHUFFLES(down_f32, 1)
SHUFFLES(bfly_i32, 2)
SHUFFLES(bfly_f32, 2)
SHUFFLES(idx_i32, 3)
SHUFFLES(idx_f32, 3)

/*===-- vote ----------------------------------------------------------------===*/

static inline u32 ballot(u32 Active, const uint8_t *P, int64_t Step) {
  u32 Set = 0;
  for (int I = 0; I < WARP; ++I)
    Set |= (u32)(P[I * Step] & 1) << I;
  return Set & Active;
}
#define EACH_LANE(Result)                                                                         \
  for (int Lane = 0; Lane < WARP; ++Lane) {                                                       \
    u32 Set = Active & M[Lane * MS], Votes = Bits & Set;                                          \
    R[Lane] = Result;                                                                             \
  }
#define VOTE(Name, Type, Result)                                                                  \
  void rg_warp_vote_##Name##_sync(u32 Active, const u32 *M, int64_t MS, const uint8_t *P,         \
                                  int64_t PS, Type *R) {                                          \
    u32 Bits = ballot(Active, P, PS);                                                             \
    EACH_LANE(Result)                                                                             \
  }                                                                                               \
  void rg_warp_vote_##Name(u32 Active, const uint8_t *P, int64_t PS, Type *R) {                   \
    const u32 All = ~0u, *M = &All;                                                               \
    int64_t MS = 0;                                                                               \
    u32 Bits = ballot(Active, P, PS);                                                             \
    EACH_LANE(Result)                                                                             \
  }
VOTE(all, uint8_t, Votes == Set)
VOTE(any, uint8_t, Votes != 0)
VOTE(uni, uint8_t, Votes == Set || !Votes)
VOTE(ballot, u32, Votes)

/*===-- match ---------------------------------------------------------------===*/

#define MATCH(Bits, Type)                                                                         \
  void rg_warp_match_any_sync_i##Bits(u32 Active, const u32 *M, int64_t MS, const Type *V,        \
                                      int64_t VS, u32 *R) {                                       \
    for (int Lane = 0; Lane < WARP; ++Lane) {                                                     \
      u32 Same = 0;                                                                               \
      for (int J = 0; J < WARP; ++J)                                                              \
        Same |= (u32)(V[J * VS] == V[Lane * VS]) << J;                                            \
      R[Lane] = Same & Active & M[Lane * MS];                                                     \
    }                                                                                             \
  }                                                                                               \
  void rg_warp_match_all_sync_i##Bits##p(u32 Active, const u32 *M, int64_t MS, const Type *V,     \
                                         int64_t VS, u32 *R, uint8_t *Agree) {                    \
    for (int Lane = 0; Lane < WARP; ++Lane) {                                                     \
      u32 Same = 0, Set = Active & M[Lane * MS];                                                  \
      for (int J = 0; J < WARP; ++J)                                                              \
        Same |= (u32)(V[J * VS] == V[Lane * VS]) << J;                                            \
      Agree[Lane] = (Same & Set) == Set;                                                          \
      R[Lane] = Agree[Lane] ? Set : 0;                                                            \
    }                                                                                             \
  }
MATCH(32, u32)
MATCH(64, u64)

/*===-- redux ---------------------------------------------------------------===*/

#define REDUX(Name, Type, Start, Combined)                                                        \
  void rg_warp_redux_sync_##Name(u32 Active, const Type *V, int64_t VS, const u32 *M, int64_t MS, \
                                 Type *R) {                                                       \
    for (int Lane = 0; Lane < WARP; ++Lane) {                                                     \
      u32 Set = Active & M[Lane * MS];                                                            \
      Type A = Start;                                                                             \
      for (int J = 0; J < WARP; ++J)                                                              \
        if (Set >> J & 1) {                                                                       \
          Type B = V[J * VS];                                                                     \
          A = Combined;                                                                           \
        }                                                                                         \
      R[Lane] = A;                                                                                \
    }                                                                                             \
  }
REDUX(add, u32, 0, A + B)
REDUX(umin, u32, ~0u, A < B ? A : B)
REDUX(umax, u32, 0, A > B ? A : B)
REDUX(min, int32_t, INT32_MAX, A < B ? A : B)
REDUX(max, int32_t, INT32_MIN, A > B ? A : B)
REDUX(and, u32, ~0u, A & B)
REDUX(or, u32, 0, A | B)
REDUX(xor, u32, 0, A ^ B)

/*===-- reductions at barriers -----------------------------------------------===*/

#define BLOCK(Name, Start, Step)                                                                  \
  int rg_block_barrier_cta_red_##Name(const uint8_t *P, int64_t PS, const int *Counters,          \
                                      int Here, int64_t N) {                                      \
    int A = Start;                                                                                \
    for (int64_t I = 0; I < N; ++I)                                                               \
      if (!Counters || Counters[I] == Here) {                                                     \
        int B = P[I * PS] & 1;                                                                    \
        A = Step;                                                                                 \
      }                                                                                           \
    return A;                                                                                     \
  }
BLOCK(popc, 0, A + B)
BLOCK(and, 1, A & B)
BLOCK(or, 0, A | B)

/* LeastOfBlock of lib/Offload/SplitPoints.h; threads that have ended do not count. */
u32 rg_block_least(const u32 *V, int64_t VS, const int *Counters, int Here, int64_t N) {
  u32 Least = ~0u;
  for (int64_t I = 0; I < N; ++I)
    if (!Counters || Counters[I] == Here)
      Least = V[I * VS] < Least ? V[I * VS] : Least;
  return Least;
}
