//===- lud.cl - LU decomposition by tiles of 16 -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define T 16

kernel void diagonal(global float *A, int N, int O) {
  local float S[T][T];
  int I = get_local_id(0);
  for (int R = 0; R < T; ++R)
    S[R][I] = A[(O + R) * N + O + I];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int K = 0; K < T - 1; ++K) {
    if (I > K) {
      S[I][K] /= S[K][K];
      for (int J = K + 1; J < T; ++J)
        S[I][J] -= S[I][K] * S[K][J];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int R = 0; R < T; ++R)
    A[(O + R) * N + O + I] = S[R][I];
}
kernel void perimeter(global float *A, int N, int O) {
  local float Dia[T][T], Row[T][T], Col[T][T];
  int I = get_local_id(0) % T, At = O + (get_group_id(0) + 1) * T;
  bool IsRow = get_local_id(0) < T;
  for (int R = 0; R < T; ++R)
    if (IsRow) {
      Dia[R][I] = A[(O + R) * N + O + I];
      Row[R][I] = A[(O + R) * N + At + I];
    } else
      Col[R][I] = A[(At + R) * N + O + I];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (IsRow) {
    for (int R = 1; R < T; ++R)
      for (int K = 0; K < R; ++K)
        Row[R][I] -= Dia[R][K] * Row[K][I];
  } else {
    for (int C = 0; C < T; ++C) {
      for (int K = 0; K < C; ++K)
        Col[I][C] -= Col[I][K] * Dia[K][C];
      Col[I][C] /= Dia[C][C];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int R = 0; R < T; ++R)
    if (IsRow)
      A[(O + R) * N + At + I] = Row[R][I];
    else
      A[(At + R) * N + O + I] = Col[R][I];
}
kernel void inner(global float *A, int N, int O) {
  local float Row[T][T], Col[T][T];
  int X = O + (get_group_id(0) + 1) * T, Y = O + (get_group_id(1) + 1) * T, I = get_local_id(0), J = get_local_id(1);
  Row[J][I] = A[(O + J) * N + X + I];
  Col[J][I] = A[(Y + J) * N + O + I];
  barrier(CLK_LOCAL_MEM_FENCE);
  float Sum = 0;
  for (int K = 0; K < T; ++K)
    Sum += Col[J][K] * Row[K][I];
  A[(Y + J) * N + X + I] -= Sum;
}
