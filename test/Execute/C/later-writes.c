// A function that is called keeps what it has read only if that may be other memory when it is reversed (lib/Analysis/LaterWrites.h): overwritten behind the call, in the
// next round of a loop, by a sibling, by another name, by the caller's caller, by the same function's next run, freed and used again.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup, enzyme_out;
#define APART __attribute__((noinline)) static

enum { N = 6 };
// What is read again in reverse: the indices, and numbers at them.
APART double pick(const double *a, const int *at, int n, double x) {
  double r = x;
  for (int i = 0; i < n; ++i)
    r = r * 0.5 + sin(a[at[i]] + r * 0.2) * (at[i] + 1) * 0.2;
  return r;
}
static void numbers(double *a, double x) {
  for (int i = 0; i < N; ++i)
    a[i] = x * (i + 1) * 0.3 + sin(x * i);
}
static void places(int *at, int shift) {
  for (int i = 0; i < N; ++i)
    at[i] = (i * 5 + shift) % N;
}

static double stays(double x) {
  double a[N], r = 0;
  int *at = malloc(N * sizeof *at);
  places(at, 1);
  for (int k = 0; k < 4; ++k) {
    numbers(a, x + k * 0.1);
    r += pick(a, at, N, x);
  }
  free(at);
  return r;
}
static double behind(double x) {
  double a[N];
  int at[N];
  numbers(a, x), places(at, 2);
  double r = pick(a, at, N, x);
  at[0] = 5, at[3] = 1;
  return r * (at[0] + at[3]);
}
static double nextRound(double x) {
  double a[N], r = 0;
  int at[N];
  numbers(a, x), places(at, 0);
  for (int k = 0; k < 5; ++k) {
    at[k % N] = (at[k % N] + k) % N;
    r = pick(a, at, N, x + 0.1 * r);
  }
  return r;
}
static int coin;
static double otherName(double x) {
  double a[N];
  int at[N], bt[N], *other = coin ? bt : at;
  numbers(a, x), places(at, 2), places(bt, 3);
  double r = pick(a, at, N, x) + pick(a, bt, N, x);
  for (int i = 0; i < N; ++i)
    other[i] = N - 1 - other[i];
  return r + pick(a, other, N, x);
}
APART void shift(int *at) {
  for (int i = 0; i < N; ++i)
    at[i] = (at[i] + 1) % N;
}
static double sibling(double x) {
  double a[N];
  int at[N];
  numbers(a, x), places(at, 2);
  double r = pick(a, at, N, x);
  shift(at);
  return r + x * pick(a, at, N, x);
}
APART double between(double *a, int *at, double x) { return pick(a, at, N, x) * x; }
static double callersCaller(double x) {
  double a[N];
  int at[N];
  numbers(a, x), places(at, 2);
  double r = between(a, at, x);
  at[2] = 0, at[4] = 0;
  return r * x + at[2];
}
static double freed(double x) {
  double a[N], r = 0;
  for (int k = 0; k < 4; ++k) {
    int *at = malloc(N * sizeof *at);
    numbers(a, x + k), places(at, k);
    r += between(a, at, x);
    free(at);
    int *other = malloc(N * sizeof *other);
    for (int i = 0; i < N; ++i)
      other[i] = 1000000000 + i;
    r += x * (other[k] > 0);
    free(other);
  }
  return r;
}
static double grown(double x) {
  double a[N], r = 0;
  int *at = malloc(N * sizeof *at);
  numbers(a, x), places(at, 1);
  for (int k = 1; k < 4; ++k) {
    r += pick(a, at, N, x);
    at = realloc(at, N * (k + 1) * 16 * sizeof *at);
    at[k] = k;
  }
  free(at);
  return r;
}
static int table[N];
APART double byTable(const double *a, double x) { return pick(a, table, N, x); }
APART void nextTable(int k) { table[k % N] = (table[k % N] + 2) % N; }
static double globalMemory(double x) {
  double a[N], r = 0;
  numbers(a, x), places(table, 1);
  for (int k = 0; k < 3; ++k) {
    r += byTable(a, x);
    nextTable(k);
  }
  return r;
}
APART double down(const double *a, int *at, double x, int depth) {
  double r = pick(a, at, N, x);
  if (depth == 0)
    return r;
  r = down(a, at, x * r * 0.2, depth - 1);
  at[depth] = (at[depth] + depth) % N;
  return r + down(a, at, x * 0.9, depth - 1);
}
static double recursion(double x) {
  double a[N];
  int at[N];
  numbers(a, x), places(at, 1);
  return down(a, at, x, 3);
}
// Each run has memory of its own, on the stack and on the heap.
APART double ownStack(const double *a, double x, int k) {
  int at[N];
  places(at, k);
  return pick(a, at, N, x);
}
APART double ownHeap(const double *a, double x, int k) {
  int *at = malloc(N * sizeof *at);
  places(at, k);
  double r = pick(a, at, N, x) + between((double *)a, at, x);
  free(at);
  return r;
}
static double own(double x) {
  double a[N], r = 0;
  numbers(a, x);
  for (int k = 0; k < 4; ++k)
    r += ownStack(a, x + r * 0.1, k) + ownHeap(a, x, k);
  return r;
}
// Seemingly so: the next run finds it.
static int *kept;
APART double keeps(const double *a, double x, int k) {
  int *at = kept ? kept : malloc(N * sizeof *at);
  kept = at;
  places(at, k);
  return pick(a, at, N, x);
}
static double keptByAll(double x) {
  double a[N], r = 0;
  numbers(a, x);
  for (int k = 0; k < 3; ++k)
    r += keeps(a, x, k);
  free(kept);
  kept = NULL;
  return r;
}
APART int *given(const double *a, double *r, double x, int k) {
  int *at = malloc(N * sizeof *at);
  places(at, k);
  *r += pick(a, at, N, x);
  return at;
}
static double handedBack(double x) {
  double a[N], r = 0;
  numbers(a, x);
  for (int k = 0; k < 3; ++k) {
    int *at = given(a, &r, x, k);
    shift(at), shift(at);
    r += x * at[0];
    free(at);
  }
  return r;
}
struct box { int *at; };
APART double inBox(const double *a, double x, struct box *b, int k) {
  int *at = malloc(N * sizeof *at);
  places(at, k);
  b->at = at;
  return pick(a, at, N, x);
}
static double handedOver(double x) {
  double a[N], r = 0;
  struct box b;
  numbers(a, x);
  for (int k = 0; k < 3; ++k) {
    r += inBox(a, x, &b, k);
    memset(b.at, 0, N * sizeof(int));
    r += x * b.at[k];
    free(b.at);
  }
  return r;
}
typedef void change(int *);
APART void reversed(int *at) {
  for (int i = 0; i < N; ++i)
    at[i] = N - 1 - at[i];
}
static change *changes[2] = {shift, reversed};
static double throughPointers(double x) {
  double a[N], r = 0;
  int at[N];
  numbers(a, x), places(at, 1);
  for (int k = 0; k < 4; ++k) {
    r += pick(a, at, N, x);
    changes[(k + coin) % 2](at);
  }
  return r;
}
static double copied(double x) {
  double a[N], r;
  int at[N], bt[N];
  numbers(a, x), places(at, 1), places(bt, 2);
  r = pick(a, at, N, x);
  memcpy(at, bt, sizeof at);
  return r + pick(a, at, N, x * x);
}
// The numbers themselves: in place, by each call.
APART double step(double *a, const int *at) {
  double s = 0;
  for (int i = 0; i < N; ++i) {
    a[at[i]] = sin(a[at[i]]) * a[i];
    s += a[at[i]] * a[i];
  }
  return s;
}
static double inPlace(double x) {
  double a[N], r = 0;
  int *at = malloc(N * sizeof *at);
  numbers(a, x), places(at, 1);
  for (int k = 0; k < 4; ++k)
    r += step(a, at) + a[k];
  free(at);
  return r;
}
// Characters, which a pointer in the library finds.
APART double letters(const double *a, const char *text, double x) {
  double r = x;
  for (int i = 0; text[i]; ++i)
    r = r * 0.5 + sin(a[text[i] - 'a'] + r * 0.2);
  return r;
}
static double cutter(double x) {
  double a[N], r;
  char text[16] = "bcabdbe";
  numbers(a, x);
  strtok(text, "d");
  text[4] = 'a';
  r = letters(a, text + 5, x) + letters(a, text, x);
  strtok(NULL, "b");
  return r;
}
static double printed(double x) {
  double a[N], r;
  char text[16] = "bcab";
  numbers(a, x);
  r = letters(a, text, x);
  snprintf(text, sizeof text, "%s", "ab");
  return r + letters(a, text, x);
}
static double reports(double x) {
  double a[N], r = 0;
  int *at = malloc(N * sizeof *at);
  places(at, 1);
  for (int k = 0; k < 4; ++k) {
    numbers(a, x + k * 0.1);
    r += pick(a, at, N, x);
    if (r > 1e30)
      fprintf(stderr, "%s: %g\n", "too large", r);
  }
  free(at);
  return r;
}
// Freed at the end, without a shadow, on one of two ways.
static double freedAtEnd(const double *a, int n, double x) {
  int *at = malloc(N * sizeof *at);
  places(at, n);
  double r = 0;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < N; ++i)
      r = r * 0.5 + sin(a[at[i]] + r * 0.2 + x);
  if (n == 2) {
    free(at);
    return r * x;
  }
  r += at[1] * x;
  free(at);
  int *reused = malloc(N * sizeof *reused);
  for (int i = 0; i < N; ++i)
    reused[i] = -1000000000;
  r += reused[n] * 1e-9 * x;
  free(reused);
  return r;
}

int main(void) {
  RG_UNARY(stays, 0.7);
  RG_UNARY(behind, 0.7);
  RG_UNARY(nextRound, 0.7);
  for (coin = 0; coin < 2; ++coin) {
    RG_UNARY(otherName, 0.7);
    RG_UNARY(throughPointers, 0.7);
  }
  RG_UNARY(sibling, 0.7);
  RG_UNARY(callersCaller, 0.7);
  RG_UNARY(freed, 0.7);
  RG_UNARY(grown, 0.7);
  RG_UNARY(globalMemory, 0.7);
  RG_UNARY(recursion, 0.7);
  RG_UNARY(own, 0.7);
  RG_UNARY(keptByAll, 0.7);
  RG_UNARY(handedBack, 0.7);
  RG_UNARY(handedOver, 0.7);
  RG_UNARY(copied, 0.7);
  RG_UNARY(inPlace, 0.7);
  RG_UNARY(cutter, 0.7);
  RG_UNARY(printed, 0.7);
  RG_UNARY(reports, 0.7);
  double a[N], da[N] = {0}, x = 0.4;
  numbers(a, 0.7);
  for (int n = 1; n < 4; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)freedAtEnd, enzyme_const, a, enzyme_const, n, enzyme_out, x), freedAtEnd(a, n, x), x);
    memset(da, 0, sizeof da);
    __enzyme_autodiff((void *)freedAtEnd, enzyme_dup, a, da, enzyme_const, n, enzyme_const, x);
    for (int i = 0; i < N; ++i)
      RG_GRAD(da[i], freedAtEnd(a, n, x), a[i]);
  }
  return rgReport();
}
