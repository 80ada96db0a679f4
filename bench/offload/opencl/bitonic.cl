//===- bitonic.cl - a bitonic sort: the short strides in local memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define BLOCK 512

kernel void far(global float *X, int Stride, int Run) {
  int I = get_global_id(0), A = 2 * Stride * (I / Stride) + I % Stride;
  float L = X[A], R = X[A + Stride];
  if ((L > R) == !(A & Run)) {
    X[A] = R;
    X[A + Stride] = L;
  }
}
kernel void near(global float *X, int Stride, int Run) {
  local float S[2 * BLOCK];
  int O = get_group_id(0) * 2 * BLOCK, T = get_local_id(0);
  S[T] = X[O + T];
  S[T + BLOCK] = X[O + T + BLOCK];
  for (; Stride > 0; Stride >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int A = 2 * Stride * (T / Stride) + T % Stride;
    float L = S[A], R = S[A + Stride];
    if ((L > R) == !((O + A) & Run)) {
      S[A] = R;
      S[A + Stride] = L;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  X[O + T] = S[T];
  X[O + T + BLOCK] = S[T + BLOCK];
}
