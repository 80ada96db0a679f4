// Masked loads and stores, gathers, scatters, expanded and compressed moves:
// intrinsics of LLVM, whose lanes are accesses of their own.
// RG-LEVELS: O0 O2 O3
#include "rgvector.hpp"

typedef double V4 __attribute__((ext_vector_type(4)));
typedef bool M4 __attribute__((ext_vector_type(4)));
typedef int I4 __attribute__((ext_vector_type(4)));

static double sum(V4 v) { return v[0] + v[1] + v[2] + v[3]; }

// A loop in steps of four, the rest by a mask.
static double rest(const double *x, int n) {
  V4 all = 0;
  for (int i = 0; i < n; i += 4) {
    M4 mask = {i < n, i + 1 < n, i + 2 < n, i + 3 < n};
    V4 v = __builtin_masked_load(mask, x + i, (V4)0);
    all += mask[0] && !mask[3] ? v * v * (V4){1, 1, 0, 0} : v * v * v;
  }
  return sum(all);
}
// Lanes that stay where the mask is clear, in registers and in memory.
static double kept(const double *x, int n) {
  double y[8];
  for (int i = 0; i < 8; ++i)
    y[i] = x[i % n] * (i + 1);
  V4 v = {x[5], x[4], x[3], x[2]};
  M4 odd = {0, 1, 0, 1}, low = {1, 1, 0, 0};
  __builtin_masked_store(odd, v * v, y);
  v = __builtin_masked_load(low, y, v);
  return sum(v * v) + y[1] * y[3] + y[7] * y[0];
}
static double indexed(const double *x, int n) {
  double y[6] = {1, 1, 1, 1, 1, 1};
  I4 from = {5, 0, 3, 3}, to = {0, 2, 4, 1};
  M4 some = {1, 1, 1, x[2] > 0};
  V4 v = __builtin_masked_gather(some, from, (double *)x, (V4){x[1], x[1], x[1], x[1]});
  __builtin_masked_scatter(some, to, v * v * x[2], y);
  return y[0] * y[1] + y[2] * y[3] + y[4] * y[5] + n * y[2];
}
static double packed(const double *x, int) {
  double y[4] = {0};
  M4 some = {1, 0, 1, 1};
  V4 v = __builtin_masked_expand_load(some, (double *)x + 1, (V4){x[0], x[0], x[0], x[0]});
  __builtin_masked_compress_store(some, v * v, y);
  return y[0] * y[1] + y[2] * v[1] + y[3];
}

int main() {
  check(rest);
  check(kept);
  check(indexed);
  check(packed);
  return rgReport();
}
