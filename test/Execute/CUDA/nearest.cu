// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -march=native -I%root/test/include -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=changes-alone %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include %s -o %t && %t
// Searches for the nearest few of many points (changes-alone): few iterations change what has been found.
#include "rgcuda.h"

__device__ int places[4096];

template <class T> __device__ T between(const T *x, int n, int i, int k) {
  T d = 0;
  for (int c = 0; c < 3; ++c) {
    T along = x[(3 * i + c) % n] - x[(7 * k + 5 * c + 1) % n];
    d += along * along;
  }
  return d;
}

// The worst of those found so far is replaced, and looked for again.
template <class T> __device__ void replaced(const T *x, T *y, int n) {
  constexpr int Most = 5;
  T keys[Most], worst = 0;
  int found[Most], size = 0, at = 0;
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  for (int k = 0; k < 3 * n; ++k) {
    T d = between(x, n, i, k);
    if (size < Most) {
      keys[size] = d;
      found[size] = k;
      if (size == 0 || d > worst) {
        worst = d;
        at = size;
      }
      ++size;
    } else if (d < worst) {
      keys[at] = d;
      found[at] = k;
      worst = d;
      for (int j = 0; j < Most; ++j)
        if (keys[j] > worst) {
          worst = keys[j];
          at = j;
        }
    }
  }
  T sum = 0;
  for (int j = 0; j < size; ++j) {
    sum += (j + 1) * keys[j] * keys[j];
    places[i * Most + j] = found[j];
  }
  y[i] = sum + worst;
}

// In order; the thread's own point is left out.
template <class T> __device__ void sorted(const T *x, T *y, int n) {
  constexpr int Most = 8;
  T keys[Most];
  int found[Most];
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  for (int j = 0; j < Most; ++j) {
    keys[j] = T(100 + j);
    found[j] = -1;
  }
  for (int k = 0; k < 2 * n + i % 5; ++k) {
    if (k == i)
      continue;
    T d = between(x, n, i, k);
    if (d < keys[Most - 1]) {
      int j = Most - 1;
      for (; j > 0 && keys[j - 1] > d; --j) {
        keys[j] = keys[j - 1];
        found[j] = found[j - 1];
      }
      keys[j] = d;
      found[j] = k;
    }
  }
  T sum = 0;
  for (int j = 0; j < Most; ++j) {
    sum += sqrt(keys[j] + 1) / T(j + 1);
    places[i * Most + j] = found[j];
  }
  y[i] = sum;
}

// No array: three in registers, and a count that is used behind the loop.
template <class T> __device__ void three(const T *x, T *y, int n) {
  T a = 100, b = 101, c = 102;
  int i = threadIdx.x + blockIdx.x * blockDim.x, changes = 0, last = -1;
  for (int k = 0; k < 4 * n; ++k) {
    T d = between(x, n, i, k);
    if (d < c) {
      ++changes;
      last = k;
      if (d < a) {
        c = b;
        b = a;
        a = d;
      } else if (d < b) {
        c = b;
        b = d;
      } else
        c = d;
    }
  }
  y[i] = a * b + c * a + T(changes % 2);
  places[i] = last;
}

int main() {
  return rg::checkKernel<double, replaced<double>>("replaced", 96, 64, 2, 32) +
         rg::checkKernel<double, sorted<double>>("sorted", 96, 64, 2, 32) +
         rg::checkKernel<double, three<double>>("three", 96, 64, 2, 32);
}
