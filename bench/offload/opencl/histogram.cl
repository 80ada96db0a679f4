//===- histogram.cl - 256 bins in local memory, then in global memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

kernel void histogram(global const uchar *X, global int *Bins, int N) {
  local int S[256];
  int T = get_local_id(0);
  S[T] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int I = get_global_id(0); I < N; I += get_global_size(0))
    atomic_inc(&S[X[I]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&Bins[T], S[T]);
}
