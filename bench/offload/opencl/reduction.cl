//===- reduction.cl - a sum: each group by a tree in local memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

kernel void sum(global const float *X, global float *Parts, int N) {
  local float S[256];
  int T = get_local_id(0);
  float V = 0;
  for (int I = get_global_id(0); I < N; I += get_global_size(0))
    V += X[I];
  S[T] = V;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int H = get_local_size(0) / 2; H > 0; H >>= 1) {
    if (T < H)
      S[T] += S[T + H];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (T == 0)
    Parts[get_group_id(0)] = S[0];
}
