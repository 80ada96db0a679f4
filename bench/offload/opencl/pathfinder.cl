//===- pathfinder.cl - cheapest ways through a grid: eight rows per launch in local memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define BLOCK 256
#define DEPTH 8

kernel void rows(global const int *Wall, global const int *In, global int *Out, int N, int First, int Count) {
  local int Now[BLOCK], Then[BLOCK];
  int T = get_local_id(0), X = get_group_id(0) * (BLOCK - 2 * DEPTH) + T - DEPTH;
  bool Inside = X >= 0 && X < N, Computed = false;
  if (Inside)
    Now[T] = In[X];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int R = 0; R < Count; ++R) {
    Computed = false;
    if (T >= R + 1 && T < BLOCK - 1 - R && Inside) {
      Computed = true;
      int L = X > 0 ? Now[T - 1] : Now[T], C = Now[T], Rt = X < N - 1 ? Now[T + 1] : Now[T];
      Then[T] = min(min(L, C), Rt) + Wall[(First + R) * N + X];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (R == Count - 1)
      break;
    if (Computed)
      Now[T] = Then[T];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (Computed && T >= DEPTH && T < BLOCK - DEPTH)
    Out[X] = Then[T];
}
