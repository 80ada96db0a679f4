//===- scan.cl - prefix sums: up and down a tree in local memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define BLOCK 512

kernel void scanBlocks(global const int *In, global int *Out, global int *Sums, int N) {
  local int S[2 * BLOCK];
  int T = get_local_id(0), I = get_group_id(0) * 2 * BLOCK + T, Offset = 1;
  S[T] = I < N ? In[I] : 0;
  S[T + BLOCK] = I + BLOCK < N ? In[I + BLOCK] : 0;
  for (int H = BLOCK; H > 0; H >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (T < H)
      S[Offset * (2 * T + 2) - 1] += S[Offset * (2 * T + 1) - 1];
    Offset *= 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (T == 0) {
    if (Sums)
      Sums[get_group_id(0)] = S[2 * BLOCK - 1];
    S[2 * BLOCK - 1] = 0;
  }
  for (int H = 1; H < 2 * BLOCK; H *= 2) {
    Offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (T < H) {
      int A = Offset * (2 * T + 1) - 1, B = Offset * (2 * T + 2) - 1, V = S[A];
      S[A] = S[B];
      S[B] += V;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (I < N)
    Out[I] = S[T];
  if (I + BLOCK < N)
    Out[I + BLOCK] = S[T + BLOCK];
}
kernel void addSums(global int *Out, global const int *Sums, int N) {
  int B = get_group_id(0), I = B * 2 * BLOCK + get_local_id(0);
  if (I < N)
    Out[I] += Sums[B];
  if (I + BLOCK < N)
    Out[I + BLOCK] += Sums[B];
}
