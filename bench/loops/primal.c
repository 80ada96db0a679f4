// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thirty dense loop nests (kernels.inc), each compiled in several ways, timed in one process:
//
//   clang -DWAY=plain -c primal.c ...          the nests, as the table plain[]
//   clang '-DWAYS=X(plain) X(other)' primal.c  the clock; the first way is the one that others are compared with
//
//   primal [--seconds=S] [--runs=R] [--size=N] [NAME...]
//
// Ways take turns. A nest's time is the least of up to R runs, of which no new one begins after S seconds. Every way must leave the same bits
// in all arrays as the first one: "differs" stands behind a time where it does not.
#include "nests.h"

typedef struct {
  const char *Name;
  void (*Run)(int, Arrays);
  int Arrays, Size;
} Primal;

#ifdef WAY
#include "kernels.inc"

#define A1 P(0)
#define A2 A1, P(1)
#define A3 A2, P(2)
#define A4 A3, P(3)
#define A5 A4, P(4)
#define A7 A5, P(5), P(6)
#define A9 A7, P(7), P(8)
#define INSTANCE(f, arrays, gradient, size) static void call_##f(int n, Arrays a) { f(n, A##arrays); }
NESTS(INSTANCE)

const Primal WAY[] = {
#define ROW(f, arrays, gradient, size) {#f, call_##f, arrays, size},
    NESTS(ROW){0}};

#else
#include "kernels.inc"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define X(way) extern const Primal way[];
WAYS
#undef X
static const Primal *const Ways[] = {
#define X(way) way,
    WAYS
#undef X
};
enum { WayCount = sizeof Ways / sizeof *Ways };

/// Time of the processor: others may run beside us. Where threads share loops, time of the clock (WALL_CLOCK).
static double now(void) {
  struct timespec t;
#ifdef WALL_CLOCK
  clock_gettime(CLOCK_MONOTONIC, &t);
#else
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
#endif
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void fill(const Primal *nest, Arrays a, int n) {
  for (int k = 0; k < nest->Arrays; k++)
    for (size_t at = 0; at < numbers(n); at++) a[k][at] = wellConditioned(nest->Name, n, k, at / n, at % n);
}

int main(int argc, char **argv) {
  int size = 0, named = 0, runs = 5, wrong = 0;
  double seconds = 4;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--size=", 7))
      size = atoi(argv[i] + 7);
    else if (!strncmp(argv[i], "--runs=", 7))
      runs = atoi(argv[i] + 7);
    else if (!strncmp(argv[i], "--seconds=", 10))
      seconds = atof(argv[i] + 10);
    else
      named = 1;
  }
  for (int k = 0; Ways[0][k].Name; k++) {
    const Primal nest = Ways[0][k];
    int wanted = !named;
    for (int i = 1; i < argc; i++) wanted |= !strcmp(argv[i], nest.Name);
    if (!wanted) continue;
    const int n = size ? size : nest.Size;
    const size_t bytes = numbers(n) * sizeof(double);
    Arrays a, first;
    for (int m = 0; m < nest.Arrays; m++) {
      a[m] = aligned_alloc(64, (bytes + 63) / 64 * 64);
      first[m] = malloc(bytes);
    }
    double least[WayCount], begin = now();
    int differs[WayCount] = {0};
    for (int run = 0; run < runs && (!run || now() - begin < seconds); run++)
      for (int w = 0; w < WayCount; w++) {
        fill(&nest, a, n);
        double t = now();
        Ways[w][k].Run(n, a);
        t = now() - t;
        least[w] = run ? fmin(least[w], t) : t;
        for (int m = 0; !run && m < nest.Arrays; m++)
          if (!w)
            memcpy(first[m], a[m], bytes);
          else
            differs[w] |= memcmp(first[m], a[m], bytes) != 0;
      }
    printf("%s %d", nest.Name, n);
    for (int w = 0; w < WayCount; w++) {
      printf(" %.3f%s", least[w] * 1e3, differs[w] ? "!differs" : "");
      wrong |= differs[w];
    }
    printf("\n");
    fflush(stdout);
    for (int m = 0; m < nest.Arrays; m++) {
      free(a[m]);
      free(first[m]);
    }
  }
  return wrong;
}
#endif
