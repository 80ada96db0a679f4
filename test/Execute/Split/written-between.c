// Between the halves that split mode hands out, the program may overwrite all that it can see; what a called function has read there is on the tape. What the function has made itself stays.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#define APART __attribute__((noinline)) static
extern int enzyme_const, enzyme_out;
void *__enzyme_augmentfwd_tape(void *, ...);
double __enzyme_reverse(void *, ...);

enum { N = 5 };
static int table[N];
APART double pick(const int *at, double x) {
  double r = x;
  for (int i = 0; i < N; ++i)
    r = r * 0.5 + sin(r + at[i]) * at[i];
  return r;
}
static double whole(const int *at, double x) {
  int *own = malloc(N * sizeof *own);
  for (int i = 0; i < N; ++i)
    own[i] = at[i] + table[i];
  double r = pick(at, x) + pick(table, x) * pick(own, x);
  free(own);
  return r;
}
static void fill(int *at, int shift) {
  for (int i = 0; i < N; ++i)
    at[i] = (i * 3 + shift) % N;
}

int main(void) {
  int at[N];
  double x = 0.7;
  fill(at, 0), fill(table, 1);
  void *tape = __enzyme_augmentfwd_tape((void *)whole, enzyme_const, at, enzyme_out, x);
  fill(at, 2), fill(table, 3);
  int *others = malloc(N * sizeof *others); // where `own` was
  for (int i = 0; i < N; ++i)
    others[i] = 1000 + i;
  double d = __enzyme_reverse((void *)whole, enzyme_const, at, enzyme_out, x, 1.0, tape);
  RG_TRUE(others[4] == 1004);
  free(others);
  fill(at, 0), fill(table, 1);
  RG_GRAD(d, whole(at, x), x);
  return rgReport();
}
