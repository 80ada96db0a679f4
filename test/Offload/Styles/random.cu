// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers in kernels: pi, moments of distributions, positions in sequences, cuRAND's numbers.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#include <curand_kernel.h>
__global__ void setup_kernel(curandState *state) {
  int id = threadIdx.x + blockIdx.x * 64;
  curand_init(1234, id, 0, &state[id]);
}
__global__ void estimate(curandState *state, unsigned long long *hits, int per) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  curandState local = state[id];
  unsigned c = 0;
  for (int i = 0; i < per; i++) {
    float x = curand_uniform(&local), y = curand_uniform(&local);
    if (x * x + y * y <= 1.0f)
      c++;
  }
  state[id] = local;
  atomicAdd(hits, (unsigned long long)c);
}
__global__ void normals(curandStatePhilox4_32_10_t *st, double *sum, double *sq, int per) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  curandStatePhilox4_32_10_t s;
  curand_init(42ULL, id, 0, &s);
  double a = 0, b = 0;
  for (int i = 0; i < per; i += 4) {
    float4 v = curand_normal4(&s);
    a += v.x + v.y + v.z + v.w;
    b += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  atomicAdd(sum, a);
  atomicAdd(sq, b);
  st[id] = s;
}
__global__ void others(double *o) {
  curandStateXORWOW_t s;
  curand_init(7, 0, 0, &s);
  double m = 0;
  for (int i = 0; i < 4000; i++)
    m += curand_uniform_double(&s);
  o[0] = m / 4000;
  m = 0;
  for (int i = 0; i < 4000; i++)
    m += curand_normal_double(&s);
  o[1] = m / 4000;
  m = 0;
  for (int i = 0; i < 4000; i++)
    m += curand_poisson(&s, 4.0);
  o[2] = m / 4000;
  m = 0;
  for (int i = 0; i < 4000; i++)
    m += logf(curand_log_normal(&s, 1.f, .5f));
  o[3] = m / 4000;
  float2 n2 = curand_normal2(&s);
  o[4] = n2.x;
  curandStateMRG32k3a r;
  curand_init(3, 1, 0, &r);
  m = 0;
  for (int i = 0; i < 4000; i++)
    m += curand_uniform(&r);
  o[5] = m / 4000;
  curandStateXORWOW_t a, b;
  curand_init(9, 0, 5, &a);
  curand_init(9, 0, 0, &b);
  for (int i = 0; i < 5; i++)
    curand(&b);
  o[6] = curand(&a) == curand(&b);
  skipahead(100, &a);
  for (int i = 0; i < 100; i++)
    curand(&b);
  o[7] = curand(&a) == curand(&b);
  curandStatePhilox4_32_10_t p, q;
  curand_init(9, 3, 6, &p);
  curand_init(9, 3, 0, &q);
  for (int i = 0; i < 6; i++)
    curand(&q);
  o[8] = curand(&p) == curand(&q);
  uint4 u4 = curand4(&p);
  o[9] = u4.x == curand(&q) && u4.y == curand(&q) && u4.z == curand(&q) && u4.w == curand(&q);
  curandState_t z;
  curand_init(9, 0, 0, &z);
  o[10] = curand(&z);
}
// The numbers that cuRAND's own headers compute.
__global__ void known(unsigned *o) {
  curandState s;
  curand_init(1234, 77, 13, &s);
  for (int i = 0; i < 8; i++)
    o[i] = curand(&s);
  for (int i = 0; i < 4; i++) {
    curand_uniform(&s);
    curand_normal(&s);
    curand_uniform_double(&s);
    curand_normal_double(&s);
  }
  curandStatePhilox4_32_10_t p;
  curand_init(99ull << 32 | 5, 3, 6, &p);
  for (int i = 0; i < 5; i++)
    o[8 + i] = curand(&p);
  uint4 u = curand4(&p);
  o[13] = u.x;
  o[14] = u.y;
  o[15] = u.z;
  o[16] = u.w;
  curandStateMRG32k3a m;
  curand_init(11ull << 33 | 17, 5, 1000, &m);
  for (int i = 0; i < 4; i++)
    o[17 + i] = curand(&m);
}
static const unsigned Expected[] = {8836752,    2965497548, 1310901398, 3986207779, 2568619684, 1138849698, 3783841897,
                                    2900222608, 1308528670, 226960884,  1670623857, 18912316,   3802350199, 2033039657,
                                    616469656,  3009829567, 1826120949, 1002253013, 2465812493, 1446975117, 162019194};
int main() {
  unsigned *w;
  CHECK(cudaMallocManaged(&w, 84));
  known<<<1, 1>>>(w);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 21; i++)
    EXPECT(w[i] == Expected[i]);
  curandState *st;
  unsigned long long *h;
  CHECK(cudaMalloc(&st, 64 * 64 * sizeof(curandState)));
  CHECK(cudaMallocManaged(&h, 8));
  *h = 0;
  setup_kernel<<<64, 64>>>(st);
  estimate<<<64, 64>>>(st, h, 500);
  CHECK(cudaDeviceSynchronize());
  double pi = 4.0 * *h / (64 * 64 * 500.0);
  printf("pi %f\n", pi);
  EXPECT(fabs(pi - M_PI) < 0.01);
  curandStatePhilox4_32_10_t *ps;
  double *s;
  cudaMalloc(&ps, 1024 * sizeof(*ps));
  cudaMallocManaged(&s, 128);
  s[0] = s[1] = 0;
  normals<<<8, 128>>>(ps, s, s + 1, 400);
  CHECK(cudaDeviceSynchronize());
  double m = s[0] / 409600, v = s[1] / 409600;
  printf("%f %f\n", m, v);
  EXPECT(fabs(m) < 0.01 && fabs(v - 1) < 0.02);
  others<<<1, 1>>>(s);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 11; i++)
    printf("%g ", s[i]);
  EXPECT(fabs(s[0] - .5) < .03 && fabs(s[1]) < .1 && fabs(s[2] - 4) < .15 && fabs(s[3] - 1) < .05 &&
         fabs(s[5] - .5) < .03 && s[6] == 1 && s[7] == 1 && s[8] == 1 && s[9] == 1);
  return finish();
}
