//===- hotspot.cl - temperatures on a chip: two steps per launch in local memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define T 16
#define HALO 2

float next(float C, float W, float E, float S, float N, float P) {
  return C + 0.1f * (P + 0.2f * (W + E - 2 * C) + 0.3f * (S + N - 2 * C) + 0.01f * (80 - C));
}
kernel void hotspot(global const float *In, global const float *Power, global float *Out, int N) {
  local float Now[T][T], Then[T][T];
  int TX = get_local_id(0), TY = get_local_id(1);
  int X = get_group_id(0) * (T - 2 * HALO) + TX - HALO, Y = get_group_id(1) * (T - 2 * HALO) + TY - HALO;
  bool Inside = X >= 0 && Y >= 0 && X < N && Y < N;
  if (Inside)
    Now[TY][TX] = In[Y * N + X];
  barrier(CLK_LOCAL_MEM_FENCE);
  bool Computed = false;
  for (int S = 1; S <= HALO; ++S) {
    Computed = false;
    if (TX >= S && TX < T - S && TY >= S && TY < T - S && Inside) {
      Computed = true;
      int W = X > 0 ? TX - 1 : TX, E = X < N - 1 ? TX + 1 : TX, Up = Y > 0 ? TY - 1 : TY, Down = Y < N - 1 ? TY + 1 : TY;
      Then[TY][TX] = next(Now[TY][TX], Now[TY][W], Now[TY][E], Now[Down][TX], Now[Up][TX], Power[Y * N + X]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (S == HALO)
      break;
    if (Computed)
      Now[TY][TX] = Then[TY][TX];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (Computed)
    Out[Y * N + X] = Then[TY][TX];
}
