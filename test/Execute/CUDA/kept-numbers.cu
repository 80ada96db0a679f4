// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -march=native -I%root/test/include -I%root/include %s -o %t && %t
// RUN: not %t meet 2>&1 | FileCheck --check-prefix=MEET %s
// RUN: not %t blocks 2>&1 | FileCheck --check-prefix=BLOCKS %s
// Exchange, minimum and maximum of active numbers, by their bits: in shared memory of numbers and of
// integers, in a loop, at many places, in dynamic shared memory, by threads that race, of negative
// numbers; in global memory where each thread has a place of its own, or the launch one block.
#include "rgcuda.h"
// maximum by bits, float memory
__device__ void normed(const double *x, double *y, int n) {
  __shared__ double m;
  int t = threadIdx.x;
  if (t == 0) m = 0;
  __syncthreads();
  double a = fabs(x[t] * x[t]);
  atomicMax((unsigned long long *)&m, (unsigned long long)__double_as_longlong(a));
  __syncthreads();
  y[t] = x[t] / m;
}
__device__ void normi(const double *x, double *y, int n) {
  __shared__ long long m;
  int t = threadIdx.x;
  if (t == 0) m = 0;
  __syncthreads();
  double a = x[t] * x[t];
  atomicMax(&m, __double_as_longlong(a));
  __syncthreads();
  y[t] = x[t] / __longlong_as_double(m);
}
// strided loop
__device__ void strided(const double *x, double *y, int n) {
  __shared__ double m;
  int t = threadIdx.x;
  if (t == 0) m = x[0] * x[1];
  __syncthreads();
  for (int i = t; i < 37; i += 8)
    atomicMin((unsigned long long *)&m, (unsigned long long)__double_as_longlong(x[i] * x[i] + 0.1));
  __syncthreads();
  for (int i = t; i < 37; i += 8) y[i] = sin(x[i]) * m;
}
// histogram of maxima
__device__ void bins(const double *x, double *y, int n) {
  __shared__ double m[4];
  int t = threadIdx.x;
  if (t < 4) m[t] = 0.01 * x[t];
  __syncthreads();
  atomicMax((unsigned long long *)&m[(t * 7) % 4], (unsigned long long)__double_as_longlong(x[t] * x[(t * 3) % 37]));
  __syncthreads();
  y[t] = x[t] * m[t % 4] + m[(t + 1) % 4];
}
// exchange, own places
__device__ void put(const double *x, double *y, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  atomicExch((unsigned long long *)&y[t], (unsigned long long)__double_as_longlong(x[t] * x[t] * x[t]));
}
// exchange in shared memory by one thread
__device__ void leader(const double *x, double *y, int n) {
  __shared__ double s;
  int t = threadIdx.x;
  if (t == 5) atomicExch((unsigned long long *)&s, (unsigned long long)__double_as_longlong(x[t] * x[0]));
  __syncthreads();
  y[t] = x[t] * s * s;
}
// global, one block
__device__ void globalMax(const double *x, double *y, int n) {
  int t = threadIdx.x;
  if (t == 0) y[0] = 0;
  __syncthreads();
  atomicMax((unsigned long long *)y, (unsigned long long)__double_as_longlong(x[t] * x[t]));
  __syncthreads();
}
__device__ void dynamic(const double *x, double *y, int n) {
  extern __shared__ double most[];
  int t = threadIdx.x;
  most[t] = 0;
  __syncthreads();
  atomicMax((unsigned long long *)&most[t / 4], (unsigned long long)__double_as_longlong(x[t] * x[t]));
  __syncthreads();
  y[t] = most[t / 4] * x[t];
}
// Who is last depends on the order, and the gradient goes along.
__device__ void race(const double *x, double *y, int n) {
  __shared__ double last;
  int t = threadIdx.x;
  if (t == 0)
    last = 1;
  __syncthreads();
  atomicExch((unsigned long long *)&last, (unsigned long long)__double_as_longlong(x[t] * x[t]));
  __syncthreads();
  y[t] = last * x[t];
}
// The usual maximum of numbers of both signs.
__device__ void ofSigns(const double *x, double *y, int n) {
  __shared__ double m;
  int t = threadIdx.x;
  if (t == 0)
    m = -100;
  __syncthreads();
  double v = x[t] - 1;
  if (v >= 0)
    atomicMax((long long *)&m, __double_as_longlong(v));
  else
    atomicMin((unsigned long long *)&m, (unsigned long long)__double_as_longlong(v));
  __syncthreads();
  y[t] = m * x[t];
}
// Of floats, beside a counter, and the same number often.
__device__ void floats(const float *x, float *y, int n) {
  __shared__ int count;
  __shared__ float least;
  int t = threadIdx.x;
  if (t == 0)
    count = 0, least = 1e9f;
  __syncthreads();
  atomicMax(&count, t);
  atomicMin((int *)&least, __float_as_int(x[t / 2 * 2] * 2));
  __syncthreads();
  y[t] = x[t] * least * count;
}
__device__ void meeting(const double *x, double *y, int n) {
  atomicExch((unsigned long long *)&y[threadIdx.x], (unsigned long long)__double_as_longlong(x[threadIdx.x] * 2));
}
int main(int Argc, char **Argv) {
  // MEET: cannot be reversed in this launch: threads may meet at one place
  if (Argc > 1 && Argv[1][0] == 'm')
    return rg::checkKernel<double, meeting>("meeting", 40, 20, 2, 20);
  // BLOCKS: cannot be reversed in this launch: it has several blocks
  if (Argc > 1)
    return rg::checkKernel<double, globalMax>("globalMax", 37, 1, 2, 18);
  int bad = 0;
  bad += rg::checkKernel<double, normed>("normed", 37, 37, 1, 37);
  bad += rg::checkKernel<double, normi>("normi", 37, 37, 1, 37);
  bad += rg::checkKernel<double, strided>("strided", 37, 37, 1, 8);
  bad += rg::checkKernel<double, bins>("bins", 37, 37, 1, 37);
  bad += rg::checkKernel<double, put>("put", 40, 40, 2, 20);
  bad += rg::checkKernel<double, leader>("leader", 37, 37, 1, 37);
  bad += rg::checkKernel<double, globalMax>("globalMax", 37, 1, 1, 37);
  bad += rg::checkKernel<double, dynamic>("dynamic", 32, 32, 1, 32, 32 * sizeof(double));
  bad += rg::checkKernel<double, race>("race", 32, 32, 1, 32);
  bad += rg::checkKernel<double, ofSigns>("ofSigns", 32, 32, 1, 32);
  bad += rg::checkKernel<double, ofSigns>("ofSigns, none positive", 32, 32, 1, 32, 0, 0.1, 0.9);
  bad += rg::checkKernel<float, floats>("floats", 32, 32, 1, 32);
  return bad;
}
