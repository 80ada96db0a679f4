//===- bfs.cl - breadth-first search, a level per launch -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define DEGREE 6

kernel void level(global const int *Edges, global int *Level, global int *More, int Now, int N) {
  int I = get_global_id(0);
  if (I >= N || Level[I] != Now)
    return;
  for (int E = 0; E < DEGREE; ++E) {
    int J = Edges[I * DEGREE + E];
    if (Level[J] < 0) {
      Level[J] = Now + 1;
      *More = 1;
    }
  }
}
