// Global pointers that the differentiated function sets before it, or anything
// that it calls, reads them: what they pointed to before does not matter.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double total, table[4];
static struct {
  int n;
  double last;
  double *where;
} state;
double *Work;

__attribute__((noinline)) static void feed(double v) {
  total += v * table[state.n & 3];
  state.last = v;
  table[state.n & 3] = v * total;
  state.n++;
}
static double onGlobals(double x) {
  total = 0;
  state.n = 0;
  for (int i = 0; i < 4; ++i)
    table[i] = i + 1;
  state.where = &table[2];
  for (int i = 0; i < 7; ++i) {
    feed(x * (i % 3 + 1) * 0.3);
    *state.where *= 1.1;
  }
  return total + state.last * table[1];
}
__attribute__((noinline)) static void put(double x) { *Work = x * x; }
static double onHeap(double x) {
  Work = malloc(sizeof *Work);
  put(x);
  double y = *Work * x;
  free(Work);
  return y;
}

int main(void) {
  RG_UNARY(onGlobals, 0.8);
  RG_UNARY(onHeap, 1.3);
  return rgReport();
}
