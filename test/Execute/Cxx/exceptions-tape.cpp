// Exceptions that leave a derivative which has a tape: the tape is released, in reverse mode and in split mode, whichever function
// throws; the next derivative is right, and takes no more memory. Each runs in a thread of its own, whose end gives all
// tape memory back unless a derivative is still at work (test/Instrumented, under AddressSanitizer and Valgrind).
// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -pthread
#include "rgtest.h"
#include <cmath>
#include <thread>

extern int enzyme_const, enzyme_dup, enzyme_out;
double __enzyme_autodiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);

struct Stop {
  int at;
};

// Linked records, since nobody knows how often; they fill several pieces of the tape's memory.
static double walk(const double *x, int last, int stop) {
  double s = x[0];
  for (int k = 0; s < 1e9; ++k) {
    s += std::sin(s * x[1]) * x[0];
    if (k == stop)
      throw Stop{k};
    if (k == last)
      break;
  }
  return s;
}
// Not inlined, so it has a tape of its own below the caller's.
__attribute__((noinline)) static double deeper(const double *x, int depth, int last, int stop) {
  double a[3] = {x[0] * x[1], x[1], 0};
  a[2] = std::exp(-a[0]);
  if (depth == 0)
    return walk(a, last, stop) + a[2];
  return deeper(a, depth - 1, last, stop) * a[2];
}
static double model(const double *x, int last, int stop) {
  double s = 0;
  for (int i = 0; i < 3; ++i)
    s += deeper(x, i, last, i == 2 ? stop : -1);
  return s;
}

static const double x[2] = {0.7, 1.1};
static double want[2];

static void reverse() {
  double d[2];
  for (int k = 0; k < 3; ++k) {
    bool thrown = false;
    d[0] = d[1] = 0;
    try {
      __enzyme_autodiff((void *)model, enzyme_dup, x, d, enzyme_const, 30000, enzyme_const, 20000 + k);
    } catch (const Stop &s) {
      thrown = s.at == 20000 + k;
    }
    RG_TRUE(thrown);
    d[0] = d[1] = 0;
    __enzyme_autodiff((void *)model, enzyme_dup, x, d, enzyme_const, 30, enzyme_const, -1);
    RG_NEAR(d[0], want[0]);
    RG_NEAR(d[1], want[1]);
  }
}

static void split() {
  double d[2] = {0, 0};
  void *kept = __enzyme_augmentfwd((void *)model, enzyme_dup, x, d, enzyme_const, 30, enzyme_const, -1);
  bool thrown = false;
  try { // beside a tape that is kept
    __enzyme_augmentfwd((void *)model, enzyme_dup, x, d, enzyme_const, 30000, enzyme_const, 25000);
  } catch (const Stop &) {
    thrown = true;
  }
  RG_TRUE(thrown);
  __enzyme_reverse((void *)model, enzyme_dup, x, d, enzyme_const, 30, enzyme_const, -1, 1.0, kept);
  RG_NEAR(d[0], want[0]);
  RG_NEAR(d[1], want[1]);
}

int main() {
  for (int i = 0; i < 2; ++i) {
    double h = 1e-5, a[2] = {x[0], x[1]}, b[2] = {x[0], x[1]};
    a[i] += h, b[i] -= h;
    want[i] = (model(a, 30, -1) - model(b, 30, -1)) / (2 * h);
  }
  double d[2] = {0, 0};
  __enzyme_autodiff((void *)model, enzyme_dup, x, d, enzyme_const, 30, enzyme_const, -1);
  for (int i = 0; i < 2; ++i) {
    RG_WITHIN(d[i], want[i], 1e-6);
    want[i] = d[i];
  }
  std::thread(reverse).join();
  std::thread(split).join();
  return rgReport();
}
