//===- nw.cl - Needleman-Wunsch: a diagonal of tiles per launch -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define T 16
#define PENALTY 10

kernel void diagonal(global int *Score, global const int *Reference, int N, int D, int First) {
  local int S[T + 1][T + 1], R[T][T];
  int BX = First + get_group_id(0), BY = D - BX, I = get_local_id(0), W = N + 1;
  global int *Corner = Score + BY * T * W + BX * T;
  for (int Y = 0; Y < T; ++Y)
    R[Y][I] = Reference[(BY * T + Y) * N + BX * T + I];
  if (I == 0)
    S[0][0] = Corner[0];
  S[I + 1][0] = Corner[(I + 1) * W];
  S[0][I + 1] = Corner[I + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int M = 0; M < 2 * T - 1; ++M) {
    int X = I + 1, Y = M - I + 1;
    if (Y >= 1 && Y <= T)
      S[Y][X] = max(S[Y - 1][X - 1] + R[Y - 1][X - 1], max(S[Y][X - 1] - PENALTY, S[Y - 1][X] - PENALTY));
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int Y = 0; Y < T; ++Y)
    Corner[(Y + 1) * W + I + 1] = S[Y + 1][I + 1];
}
