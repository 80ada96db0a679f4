//===- backprop.cl - a layer forward, and the adjustment of its weights -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define H 16

kernel void forward(global const float *In, global const float *W, global float *Parts) {
  local float Node[H], Weight[H][H];
  int X = get_local_id(0), Y = get_local_id(1), B = get_group_id(0), I = B * H + Y;
  if (X == 0)
    Node[Y] = In[I];
  barrier(CLK_LOCAL_MEM_FENCE);
  Weight[Y][X] = W[I * H + X];
  barrier(CLK_LOCAL_MEM_FENCE);
  Weight[Y][X] *= Node[Y];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int P = 1; P < H; P *= 2) {
    if (Y % (2 * P) == 0)
      Weight[Y][X] += Weight[Y + P][X];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (Y == 0)
    Parts[B * H + X] = Weight[0][X];
}
kernel void adjust(global const float *In, global const float *Delta, global float *W) {
  int X = get_local_id(0), I = get_group_id(0) * H + get_local_id(1);
  W[I * H + X] += 0.3f * Delta[X] * In[I];
  barrier(CLK_GLOBAL_MEM_FENCE);
}
