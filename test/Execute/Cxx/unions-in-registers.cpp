// A tagged union of a number and a pointer in an array of unknown length: at -O0 its word is in a register of
// floating-point numbers where the address is used.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.hpp"

struct Leaf {
  int tag;
  union {
    double d;
    double *at;
  };
};

static int __attribute__((noinline)) count() {
  volatile int n = 6;
  return n;
}

static double chosen(const double *x, int) {
  int n = count();
  double w[6], s = 0;
  for (int i = 0; i < n; ++i)
    w[i] = x[i];
  Leaf a[6];
  for (int i = 0; i < n; ++i) {
    a[i].tag = i % 2;
    if (i % 2)
      a[i].at = &w[(i + 1) % 6];
    else
      a[i].d = w[i];
  }
  for (int i = 0; i < n; ++i) {
    Leaf q = a[i];
    s += q.tag ? *q.at * q.at[0] : q.d;
  }
  return s;
}

static double moved(const double *x, int) {
  int n = count();
  double w[6], s = 0;
  for (int i = 0; i < n; ++i)
    w[i] = x[i];
  Leaf a[6], b[6];
  for (int i = 0; i < n; ++i) {
    a[i].tag = i % 2;
    if (i % 2)
      a[i].at = &w[(i + 1) % 6];
    else
      a[i].d = w[i] * w[5 - i];
    b[i] = a[i];
  }
  for (int i = 0; i < n; ++i) {
    b[5 - i] = a[i];
    a[i] = b[5 - i];
  }
  for (int i = 0; i < n; ++i) {
    Leaf q = a[i];
    s += q.tag ? *q.at * q.at[0] * w[i] : q.d;
  }
  return s;
}

int main() {
  check(chosen);
  check(moved);
  return rgReport();
}
