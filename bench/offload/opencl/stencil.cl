//===- stencil.cl - seven points in three dimensions, a work-item per column -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

kernel void advance(global const float *In, global float *Out, int N) {
  int X = get_global_id(0), Y = get_global_id(1);
  if (X < 1 || Y < 1 || X >= N - 1 || Y >= N - 1)
    return;
  for (int Z = 1; Z < N - 1; ++Z) {
    int I = (Z * N + Y) * N + X;
    Out[I] = 0.4f * In[I] + 0.1f * (In[I - 1] + In[I + 1] + In[I - N] + In[I + N] + In[I - N * N] + In[I + N * N]);
  }
}
