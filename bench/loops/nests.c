// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thirty dense loop nests (kernels.inc): the primal's time, the gradient's, and the gradient against central differences in one direction. The
// arrays that a nest writes are also read as its result: the adjoint of each of their elements is given.
//
// Twelve have a gradient by hand (hand.c), which is timed beside ours, and compared with it by --check.
//
//   nests [--size=N] [--check] [NAME...]
#include "kernels.inc"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

#define D(k) enzyme_dup, a[k], d[k]
#define N1(f) void f##_run(int n, Arrays a) { f(n, P(0)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0)); }
#define N2(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1)); }
#define N3(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2)); }
#define N4(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2), P(3)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2), D(3)); }
#define N5(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2), P(3), P(4)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2), D(3), D(4)); }
#define N7(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2), P(3), P(4), P(5), P(6)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2), D(3), D(4), D(5), D(6)); }
#define N9(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), P(8)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2), D(3), D(4), D(5), D(6), D(7), D(8)); }
#define INSTANCE(f, arrays, size, primal) N##arrays(f)
NESTS(INSTANCE)

static const struct Nest {
  const char *Name;
  void (*Run)(int, Arrays);
  void (*Gradient)(int, Arrays, Arrays);
  int Arrays, Size;
} Nests[] = {
#define ROW(f, arrays, size, primal) {#f, f##_run, f##_grad, arrays, size},
    NESTS(ROW)};

static const struct ByHand {
  const char *Name;
  void (*Gradient)(int, Arrays, Arrays);
} ByHand[] = {
#define HAND(f) {#f, f##_hand},
    BY_HAND(HAND)};

/// The gradient by hand, where one is written.
static const struct ByHand *byHand(const char *name) {
  for (size_t k = 0; k < sizeof ByHand / sizeof *ByHand; k++)
    if (!strcmp(ByHand[k].Name, name)) return &ByHand[k];
  return NULL;
}

/// Time of the processor: others may run beside us.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/// Sums and minima alone. With numbers and directions that have few bits, a small step is exact and crosses no kink, however many there are.
static int hasExactSteps(const struct Nest *nest) { return !strcmp(nest->Name, "floyd_warshall"); }

static double withFewBits(double x, double unit) { return unit * round(x / unit); }

static void fill(const struct Nest *nest, Arrays a, int n, Arrays along, double step) {
  const int exact = hasExactSteps(nest);
  for (int k = 0; k < nest->Arrays; k++)
    for (size_t at = 0; at < numbers(n); at++) {
      double x = wellConditioned(nest->Name, n, k, at / n, at % n);
      a[k][at] = (exact ? withFewBits(x, 0x1p-40) : x) + step * (step ? along[k][at] : 0);
    }
}

static double ratioOf(const struct Nest *nest, int n, int check) {
  const size_t size = numbers(n);
  Arrays a, d, along, seed;
  for (int k = 0; k < nest->Arrays; k++) {
    a[k] = malloc(size * sizeof(double));
    d[k] = malloc(size * sizeof(double));
    along[k] = malloc(size * sizeof(double));
    seed[k] = malloc(size * sizeof(double));
    for (size_t i = 0; i < size; i++) {
      along[k][i] = hasExactSteps(nest) ? withFewBits(sin(0.37 * i + k), 0x1p-4) : sin(0.37 * i + k);
      seed[k][i] = cos(0.11 * i + 2 * k);
    }
  }
  double primal = INFINITY, gradient = INFINITY, hand = INFINITY, error = 0;
  const struct ByHand *by_hand = byHand(nest->Name);
  if (check) {
    // A step across a maximum's kink is no derivative, and a small one has rounding: the nearer of two counts.
    double steps[2] = {1e-6, 1e-8}, differences[2] = {0, 0}, by = 0;
    if (hasExactSteps(nest)) steps[0] = steps[1] = 0x1p-48;
    for (int s = 0; s < 2; s++) {
      fill(nest, a, n, along, -steps[s]);
      nest->Run(n, a);
      for (int k = 0; k < nest->Arrays; k++) memcpy(d[k], a[k], size * sizeof(double));
      fill(nest, a, n, along, steps[s]);
      nest->Run(n, a);
      for (int k = 0; k < nest->Arrays; k++)
        for (size_t i = 0; i < size; i++) differences[s] += (a[k][i] - d[k][i]) / (2 * steps[s]) * seed[k][i];
    }
    fill(nest, a, n, along, 0);
    for (int k = 0; k < nest->Arrays; k++) memcpy(d[k], seed[k], size * sizeof(double));
    nest->Gradient(n, a, d);
    for (int k = 0; k < nest->Arrays; k++)
      for (size_t i = 0; i < size; i++) by += d[k][i] * along[k][i];
    const double nearer = fabs(by - differences[0]) < fabs(by - differences[1]) ? differences[0] : differences[1];
    error = fabs(by - nearer) / fmax(1, fabs(nearer));
    if (by_hand) {
      Arrays e;
      for (int k = 0; k < nest->Arrays; k++) {
        e[k] = malloc(size * sizeof(double));
        memcpy(e[k], seed[k], size * sizeof(double));
      }
      fill(nest, a, n, along, 0);
      by_hand->Gradient(n, a, e);
      for (int k = 0; k < nest->Arrays; k++) {
        double most = 0, apart = 0;
        for (size_t i = 0; i < size; i++) {
          most = fmax(most, fabs(e[k][i]));
          apart = fmax(apart, fabs(e[k][i] - d[k][i]));
        }
        if (!(apart <= 1e-10 * fmax(1, most))) {
          printf("%-16s array %d: by hand differs by %g of %g\n", nest->Name, k, apart, most);
          error = 1;
        }
        free(e[k]);
      }
    }
    printf("%-16s reverse %.10g differences %.10g %s\n", nest->Name, by, nearer, error < 1e-5 ? "ok" : "WRONG");
  } else {
    for (int run = 0; run < 7; run++) {
      fill(nest, a, n, along, 0);
      double t = now();
      nest->Run(n, a);
      primal = fmin(primal, now() - t);
      fill(nest, a, n, along, 0);
      for (int k = 0; k < nest->Arrays; k++) memcpy(d[k], seed[k], size * sizeof(double));
      t = now();
      nest->Gradient(n, a, d);
      gradient = fmin(gradient, now() - t);
      if (by_hand) {
        fill(nest, a, n, along, 0);
        for (int k = 0; k < nest->Arrays; k++) memcpy(d[k], seed[k], size * sizeof(double));
        t = now();
        by_hand->Gradient(n, a, d);
        hand = fmin(hand, now() - t);
      }
    }
    printf("%-16s %5d %9.3f ms %9.3f ms %6.2f", nest->Name, n, primal * 1e3, gradient * 1e3, gradient / primal);
    if (by_hand) printf(" %6.2f %6.2f", hand / primal, gradient / hand);
    printf("\n");
  }
  for (int k = 0; k < nest->Arrays; k++) {
    free(a[k]);
    free(d[k]);
    free(along[k]);
    free(seed[k]);
  }
  return check ? error : gradient / primal;
}

int main(int argc, char **argv) {
  int size = 0, sized = 0, check = 0, named = 0, wrong = 0, rows = 0;
  double logs = 0;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--size=", 7))
      size = atoi(argv[i] + 7), sized = 1;
    else if (!strcmp(argv[i], "--check"))
      check = 1;
    else
      named = 1;
  }
  if (sized && size < 2) {
    // The covariance of one observation is 0 / 0.
    fprintf(stderr, "nests: sizes from 2 on\n");
    return 2;
  }
  for (size_t k = 0; k < sizeof Nests / sizeof *Nests; k++) {
    int wanted = !named;
    for (int i = 1; i < argc; i++) wanted |= !strcmp(argv[i], Nests[k].Name);
    if (!wanted) continue;
    double r = ratioOf(&Nests[k], size ? size : Nests[k].Size, check);
    wrong += check && !(r < 1e-5);
    logs += log(r);
    rows++;
  }
  if (!check) printf("geometric mean of %d: %.2f\n", rows, exp(logs / rows));
  return wrong != 0;
}
