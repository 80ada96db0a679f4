// RUN: %rgcxx --offload=cpu -O0 -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-plan=naive -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-disable=defer-nests -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-disable=gpu-keep -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-gpu-stack=64 -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -fno-discard-value-names -I%root/include -mllvm -rg-print-plan %s -o %t 2>&1 | FileCheck %s
// Loops within loops that run in the reverse sweep and hand on what they add up; and loops
// within loops that look like them and have to run before.
#include <cmath>
#include <cstdio>

template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);
extern __device__ int enzyme_dup, enzyme_const;

constexpr int Threads = 64, N = 40, Outs = 3 * Threads;

// An array filled at fixed places and read at others, an inner loop that need not run and
// that has two ways through it, a result that is stored now and then.
// CHECK-LABEL: plan for rg.primal._Z5poles
// CHECK: loop %[[O:.*]] runs in the reverse sweep and carries its results
// CHECK: loop %[[I:.*]] runs in the reverse sweep and carries its results
// CHECK: scope %[[I]]: {{.*}} bytes of one iteration
__device__ void poles(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  int at = threadIdx.x;
  double all = 0.25, weighted = 0, largest = 0;
  int count = index[at];
  for (int i = 0; i < count; ++i) {
    double q = 0.1 * i + 0.02 * at, factors[3];
    factors[0] = cos(q);
    factors[1] = sin(q);
    factors[2] = q;
    double total = 0.5 * q, other = x[(at + i) % N];
    for (int j = i % 3; j < index[(at + i) % Threads]; ++j) {
      double p = x[(at + 3 * j) % N], r = x[(i + 5 * j) % N];
      double shape = p * p < 1.2 ? exp(p) / (r + 1) : sqrt(p + r) / (p * p);
      total += shape * factors[(at + j) % 3];
      other += shape * shape;
    }
    double density = 1 + 0.1 * i;
    all += density * total;
    if (i % 2)
      weighted += density * (total - other);
    largest = largest < q ? q : largest;
  }
  y[at] = all;
  if (at % 3)
    y[at + Threads] = weighted + 2 * all;
  y[at + 2 * Threads] = largest;
}

// What the outer loop makes of the sum needs the sum.
// CHECK-LABEL: plan for rg.primal._Z6needed
// CHECK: loop %[[O:.*]] runs in the reverse sweep and carries its results
// CHECK-NOT: runs in the reverse sweep
// CHECK: need
__device__ void needed(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  int at = threadIdx.x;
  double all = 0;
  for (int i = 0; i < index[at]; ++i) {
    double total = 0;
    for (int j = 0; j < 3 + i; ++j)
      total += sin(x[(at + 3 * j) % N] * x[(i + j) % N]);
    all += exp(0.1 * total) + total;
  }
  y[at] = all;
}

// What the inner loop counts goes on counting in the outer one: where the optimiser does not
// take it out of the inner loop (-O0), that runs before.
__device__ void counted(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  int at = threadIdx.x, seen = 0;
  double all = 0, total = 0;
  for (int i = 0; i < index[at]; ++i) {
    for (int j = 0; j < index[(at + 3 * i) % Threads]; ++j) {
      double p = sin(x[(at + 3 * j) % N] * x[(i + j) % N]);
      total += p;
      ++seen;
    }
    all += x[i];
  }
  y[at] = all + 2 * total;
  y[at + Threads] = seen;
}

// The array that the inner loop reads is changed behind it.
// CHECK-LABEL: plan for rg.primal._Z7changed
// CHECK: loop %[[O:.*]] runs in the reverse sweep and carries its results
// CHECK-NOT: runs in the reverse sweep
// CHECK: need
__device__ void changed(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  int at = threadIdx.x;
  double all = 0;
  for (int i = 0; i < index[at]; ++i) {
    double factors[2];
    factors[0] = 1 + i;
    factors[1] = 2 - i;
    double total = 0;
    for (int j = 0; j < 5; ++j)
      total += sin(x[(at + 3 * j) % N]) * factors[(at + j) % 2];
    factors[0] = 3;
    factors[1] = 0.1 * at;
    all += total + x[i] * factors[(at + i) % 2];
  }
  y[at] = all;
}

// Two loops, one sum: the second may wait, the first brings what the second starts from.
// And an inner loop that is no sum.
// CHECK-LABEL: plan for rg.primal._Z8sequence
// CHECK: loop %[[O:.*]] runs in the reverse sweep and carries its results
// CHECK: need
__device__ void sequence(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  int at = threadIdx.x;
  double all = 0;
  for (int i = 0; i < index[at]; ++i) {
    double total = x[i], power = 1;
    for (int j = 0; j < index[(at + i) % Threads]; ++j)
      total += sin(x[(at + 3 * j) % N]) / (1 + x[j]);
    for (int j = 0; j < index[(at + 2 * i) % Threads]; ++j)
      total -= x[(at + 7 * j) % N] * x[(at + j) % N];
    for (int j = 0; j < 3; ++j)
      power *= cos(x[(i + j) % N]);
    all += total + power;
  }
  y[at] = all;
  y[at + Threads] = 2 * all;
}

// Either of two inner loops runs, each with an array that is filled in front of it: both may wait, and
// what they read of the arrays is there when they run.
// CHECK-LABEL: plan for rg.primal._Z9otherwise
// CHECK: loop %[[O:.*]] runs in the reverse sweep and carries its results
// CHECK: loop %{{.*}} runs in the reverse sweep and carries its results
// CHECK: loop %{{.*}} runs in the reverse sweep and carries its results
// CHECK-NOT: arrays
// CHECK: need
__device__ void otherwise(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  int at = threadIdx.x;
  double all = 0;
  for (int i = 0; i < index[at]; ++i) {
    double total = 0.1 * i;
    if (index[(at + i) % Threads] % 2) {
      double factors[3] = {cos(0.1 * i), sin(0.1 * i), 0.02 * at};
      for (int j = 0; j < index[(at + 2 * i) % Threads]; ++j)
        total += sin(x[(at + 3 * j) % N]) * factors[index[(at + j) % Threads] % 3];
    } else {
      double factors[2] = {exp(-0.1 * i), 1.5};
      for (int j = 1; j < index[(at + i) % Threads]; ++j)
        total -= x[(at + 5 * j) % N] * x[j % N] * factors[index[(at + j) % Threads] % 2];
    }
    all += (1 + 0.1 * i) * total;
  }
  y[at] = all;
}

// The inner loop has to run before, as often as one knows only then: its tape is the iteration's own.
// CHECK-LABEL: plan for rg.primal._Z6longer
// CHECK: loop %[[O:.*]] runs in the reverse sweep and carries its results
// CHECK-NOT: runs in the reverse sweep
// CHECK: per iteration
__device__ void longer(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  int at = threadIdx.x;
  double all = 0;
  for (int i = 0; i < index[at]; ++i) {
    double factors[4] = {1.0 + i, 2.0 - i, 0.5, 1.25}, total = 0;
    for (int j = 0; j < 30 * index[(at + i) % Threads]; ++j) {
      total += sin(x[(at + 3 * j) % N]) * factors[index[(at + j) % Threads] % 4];
      factors[index[j % Threads] % 4] = 0.01 * j;
    }
    all += total + x[i];
  }
  y[at] = all;
}

#define KERNELS(F)                                                                                  \
  __global__ void F##Primal(const double *x, const int *index, double *y) { F(x, index, y); }        \
  __global__ void F##Gradient(const double *x, double *dx, const int *index, double *y, double *dy) { \
    __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_const, index, enzyme_dup, y, dy);    \
  }
KERNELS(poles)
KERNELS(needed)
KERNELS(counted)
KERNELS(changed)
KERNELS(sequence)
KERNELS(otherwise)
KERNELS(longer)

template <typename T> T *managed(int count) {
  T *p = nullptr;
  if (cudaMallocManaged(&p, count * sizeof(T)) != cudaSuccess)
    exit(1);
  return p;
}

using Primal = void (*)(const double *, const int *, double *);
using Gradient = void (*)(const double *, double *, const int *, double *, double *);

int check(const char *name, Primal primal, Gradient gradient) {
  double *x = managed<double>(N), *dx = managed<double>(N), *y = managed<double>(Outs), *dy = managed<double>(Outs);
  int *index = managed<int>(Threads);
  auto run = [&] {
    for (int j = 0; j < Outs; ++j)
      y[j] = 0.5 * j;
    primal<<<1, Threads>>>(x, index, y);
    cudaDeviceSynchronize();
  };
  double w[Outs], want[Outs];
  for (int i = 0; i < N; ++i)
    x[i] = 0.3 + 0.04 * i, dx[i] = 0;
  for (int i = 0; i < Threads; ++i)
    index[i] = i % 6;
  for (int j = 0; j < Outs; ++j)
    w[j] = dy[j] = sin(j * 1.0);
  run();
  for (int j = 0; j < Outs; ++j)
    want[j] = y[j], y[j] = 0.5 * j;
  gradient<<<1, Threads>>>(x, dx, index, y, dy);
  cudaDeviceSynchronize();
  double results = 0, worst = 0;
  for (int j = 0; j < Outs; ++j)
    results = fmax(results, fabs(y[j] - want[j]));
  for (int i = 0; i < N; ++i) {
    double at = x[i], loss[2] = {0, 0}, h = 1e-6;
    for (int side = 0; side < 2; ++side) {
      x[i] = at + (side ? -h : h);
      run();
      for (int j = 0; j < Outs; ++j)
        loss[side] += y[j] * w[j];
    }
    x[i] = at;
    worst = fmax(worst, fabs((loss[0] - loss[1]) / (2 * h) - dx[i]));
  }
  printf("%s: results differ by %g, gradients by %g\n", name, results, worst);
  return !(results < 1e-12) || !(worst < 1e-6);
}

int main() {
  int failed = check("poles", polesPrimal, polesGradient);
  failed |= check("needed", neededPrimal, neededGradient);
  failed |= check("counted", countedPrimal, countedGradient);
  failed |= check("changed", changedPrimal, changedGradient);
  failed |= check("otherwise", otherwisePrimal, otherwiseGradient);
  failed |= check("longer", longerPrimal, longerGradient);
  return failed | check("sequence", sequencePrimal, sequenceGradient);
}
