//===- kmeans.cl - two rounds of k-means: nearest centres, sums in local memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define K 8
#define DIM 4

// OpenCL C 1.2 has no atomic addition of floats.
#define ADD(Space)                                                            \
  void __attribute__((overloadable)) add(volatile Space float *P, float V) {  \
    volatile Space int *Word = (volatile Space int *)P;                       \
    int Old;                                                                  \
    do                                                                        \
      Old = *Word;                                                            \
    while (atomic_cmpxchg(Word, Old, as_int(as_float(Old) + V)) != Old);      \
  }
ADD(local)
ADD(global)

kernel void assign(global const float *Points, global float *Sums, global int *Counts, int N, constant float *Centres) {
  local float S[K * DIM];
  local int C[K];
  int T = get_local_id(0), I = get_global_id(0);
  for (int J = T; J < K * DIM; J += get_local_size(0))
    S[J] = 0;
  if (T < K)
    C[T] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (I < N) {
    int Best = 0;
    float Least = 1e30f;
    for (int J = 0; J < K; ++J) {
      float Distance = 0;
      for (int D = 0; D < DIM; ++D) {
        float V = Points[D * N + I] - Centres[J * DIM + D];
        Distance += V * V;
      }
      if (Distance < Least)
        Least = Distance, Best = J;
    }
    for (int D = 0; D < DIM; ++D)
      add(&S[Best * DIM + D], Points[D * N + I]);
    atomic_inc(&C[Best]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int J = T; J < K * DIM; J += get_local_size(0))
    add(&Sums[J], S[J]);
  if (T < K)
    atomic_add(&Counts[T], C[T]);
}
kernel void move(global float *Centres, global const float *Sums, global const int *Counts) {
  int I = get_local_id(0);
  if (Counts[I / DIM])
    Centres[I] = Sums[I] / Counts[I / DIM];
}
