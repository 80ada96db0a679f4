/*===- device/order.c - threads in other orders -===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* The scheduler of kernels that were compiled with -rg-gpu-interleave. Which order is
|* wanted, and the random numbers, are the runtime's (runtime/cuda/Order.cpp).
\*===------------------------------------------------------------------------===*/
#include <stdint.h>

#define BLOCKED (1 << 30)
#define HELD (1 << 29)

extern int rg_schedule(int *P, int64_t N, const uint64_t *Masks, const uint32_t *Wait);
extern int rg_cuda_order_kind(void);
extern uint64_t rg_cuda_order_rank(int64_t Thread);
extern uint64_t rg_cuda_order_draw(void);
extern uint64_t rg_cuda_order_turn(void);

enum { Steps, Threads, Mixed };

/* As rg_schedule. Lanes at operations of a warp (Masks) wait until nobody else can go on. Since Volta a
   GPU lets every lane come on at last: one that waits for a lock does not keep its owner from giving it
   back. So now and then those that are furthest ahead have a turn, or anybody. */
int rg_order_schedule(int *P, int64_t N, const uint64_t *Masks, const uint32_t *Wait, int64_t Base) {
  int Kind = rg_cuda_order_kind(), Free = 0;
  int64_t Chosen = -1;
  uint64_t Best = 0;
  uint64_t Turn = rg_cuda_order_turn();
  int Fair = Turn % (Kind == Steps ? 61 : 1009) == 0;
  if (Kind == Steps && !Fair)
    return rg_schedule(P, N, Masks, Wait);
  for (int64_t I = 0; I < N; ++I) {
    if (P[I] >= 0)
      P[I] &= ~HELD;
    if (P[I] < 0 || (P[I] & BLOCKED) || Masks[P[I]])
      continue;
    ++Free;
    uint64_t Rank = Kind == Steps              ? BLOCKED - P[I]
                    : Kind == Threads && !Fair ? rg_cuda_order_rank(Base + I)
                                               : rg_cuda_order_draw();
    if (Chosen < 0 || Rank < Best)
      Best = Rank, Chosen = I;
  }
  if (!Free)
    return rg_schedule(P, N, Masks, Wait);
  int K = P[Chosen];
  for (int64_t I = 0; I < N; ++I)
    if (Kind != Steps && P[I] == K && I != Chosen && (Kind == Threads || (rg_cuda_order_draw() & 1)))
      P[I] |= HELD;
  return K;
}

/* Whether all that have not ended wait for the block. */
int rg_order_all_wait(const int *P, int64_t N) {
  for (int64_t I = 0; I < N; ++I)
    if (P[I] >= 0 && !(P[I] & BLOCKED))
      return 0;
  return 1;
}
