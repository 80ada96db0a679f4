// A record whose member is declared a pointer holds a number, or an integer, and is
// returned by value: the number's bits and the integer meet in one register, of which
// an address is made. Refused where they stay together; from -O1 on they do not.
// RUN: not %rgcxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcxx -O1 -I%S/../include %s -o %t && %t
// RUN: %rgcxx -O2 -I%S/../include %s -o %t && %t
#include "../include/rgvector.hpp"
#include <cstring>

struct Value {
  int tag;
  void *word;
};
static Value number(double d) {
  Value v;
  v.tag = 0;
  memcpy(&v.word, &d, sizeof d);
  return v;
}
static Value integer(long i) {
  Value v;
  v.tag = 1;
  v.word = (void *)i;
  return v;
}
static double read(Value v, double unit) {
  double d;
  memcpy(&d, &v.word, sizeof d);
  return v.tag == 0 ? d : double((long)v.word) * unit;
}

static long table[6] = {3, 5, 7, 9, 2, 4};
static double halves(const Value *of, int n, const double *x) {
  if (n == 1)
    return read(*of, x[0]);
  Value copy[6];
  for (int i = 0; i < n; ++i)
    copy[i] = of[i];
  return halves(copy, n / 2, x) * 0.7 + halves(copy + n / 2, n - n / 2, x);
}
static double run(const double *x, int n) {
  Value a[6];
  for (int i = 0; i < n; ++i)
    a[i] = i % 2 ? number(x[i] * x[i]) : integer(table[i]);
  return halves(a, n, x);
}

int main() {
  check(run);
  return rgReport();
}
// CHECK: error: instruction 'inttoptr' cannot be differentiated here: a pointer taken from a floating-point register [RG2002]
