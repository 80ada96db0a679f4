//===- matmul.cl - the tiled matrix product -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define T 16

kernel void matmul(global const float *A, global const float *B, global float *C, int N) {
  local float TA[T][T], TB[T][T];
  size_t LX = get_local_id(0), LY = get_local_id(1), X = get_global_id(0), Y = get_global_id(1);
  float Sum = 0;
  for (int K = 0; K < N; K += T) {
    TA[LY][LX] = Y < N && K + LX < N ? A[Y * N + K + LX] : 0;
    TB[LY][LX] = X < N && K + LY < N ? B[(K + LY) * N + X] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int I = 0; I < T; ++I)
      Sum += TA[LY][I] * TB[I][LX];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (X < N && Y < N)
    C[Y * N + X] = Sum;
}
