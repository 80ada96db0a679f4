//===- CheckWalk.cpp - what all programs of checks have -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of the part that is the same in all of them: it walks the table of
// numbers. The program in front of it defines RG_NUMBERS, RG_BLOCKS, RG_SEED,
// RG_POINTS and RG_FLOAT_RESULT, and the functions of CheckCalls.h.
//
//===----------------------------------------------------------------------===//

#include "CheckCalls.h"

const char *const retrograd::CheckWalk = R"text(
enum { RgFloat, RgDouble, RgLongDouble };
struct RgNumber {
  const char *name;
  int kind;
  int active, output;
  int returned; /* its adjoint is returned, not added to a shadow */
  char *value, *shadow;
  long double start, weight, reverse;
  long double tangent, before; /* in a direction; in the shadow when it is added to */
  long double after;           /* what the function leaves */
  double low, high;
};
struct RgBlock { char *at, *copy; size_t bytes, used; };
static struct RgNumber rg_numbers[RG_NUMBERS + 1];
static struct RgBlock rg_blocks[RG_BLOCKS + 1];
static int rg_count, rg_block_count, rg_slack_value;
static FILE *rg_out;
static unsigned long long rg_state, rg_tangent_state;

static double rg_draw(unsigned long long *state, double low, double high) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}
static double rg_random(double low, double high) { return rg_draw(&rg_state, low, high); }
/* Not 1, and a power of two: what is linear in it is the same to the last bit. */
static float rg_random_tangent(void) {
  static const float sizes[4] = {0.25f, 0.5f, 2, 4};
  float t = sizes[(int)rg_draw(&rg_tangent_state, 0, 4)];
  return rg_draw(&rg_tangent_state, 0, 1) < 0.5 ? -t : t;
}
static long double rg_get(const char *p, int kind) {
  float f;
  double d;
  long double l;
  if (kind == RgFloat)
    return memcpy(&f, p, sizeof f), (long double)f;
  if (kind == RgDouble)
    return memcpy(&d, p, sizeof d), (long double)d;
  return memcpy(&l, p, sizeof l), l;
}
static void rg_set(char *p, int kind, long double v) {
  float f = (float)v;
  double d = (double)v;
  memcpy(p, kind == RgFloat ? (void *)&f : kind == RgDouble ? (void *)&d : (void *)&v,
         kind == RgFloat ? sizeof f : kind == RgDouble ? sizeof d : sizeof v);
}
static void rg_number(const char *name, int kind, char *value, char *shadow, int active,
                      int output, int returned, double low, double high) {
  struct RgNumber *n = &rg_numbers[rg_count++];
  n->name = name;
  n->kind = kind;
  n->value = value;
  n->shadow = shadow;
  n->active = active;
  n->output = output;
  n->returned = returned;
  n->low = low;
  n->high = high;
}
static void rg_block(void *at, size_t used, size_t bytes) {
  struct RgBlock *b = &rg_blocks[rg_block_count++];
  b->at = (char *)at;
  b->used = used;
  b->bytes = bytes;
  b->copy = (char *)malloc(bytes + 1);
  memcpy(b->copy, at, bytes);
}
/* All arguments as they were at the start of the point. */
static void rg_reset(void) {
  for (int i = 0; i < rg_block_count; ++i) {
    memcpy(rg_blocks[i].at, rg_blocks[i].copy, rg_blocks[i].bytes);
    memset(rg_blocks[i].at + rg_blocks[i].used, rg_slack_value,
           rg_blocks[i].bytes - rg_blocks[i].used);
  }
  for (int i = 0; i < rg_count; ++i)
    rg_set(rg_numbers[i].value, rg_numbers[i].kind, rg_numbers[i].start);
}
/* Atomic additions of many threads come in any order. */
static int rg_same(long double a, long double b) {
#ifdef RG_ANY_ORDER
  long double d = a < b ? b - a : a - b, size = a < 0 ? -a : a;
  return d <= (RG_FLOAT_RESULT ? 1e-4L : 1e-10L) * (1 + size);
#else
  return memcmp(&a, &b, 10) == 0;
#endif
}
static int rg_slack_written(void) {
  for (int i = 0; i < rg_block_count; ++i)
    for (size_t k = rg_blocks[i].used; k < rg_blocks[i].bytes; ++k)
      if (rg_blocks[i].at[k] != (char)rg_slack_value)
        return 1;
  return 0;
}
static long double rg_phi(void) {
  rg_reset();
  long double phi = rg_primal();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].output)
      phi += rg_numbers[i].weight * rg_get(rg_numbers[i].value, rg_numbers[i].kind);
  return phi;
}
static int rg_finite(long double v) {
  double d = (double)v;
  unsigned long long bits;
  memcpy(&bits, &d, sizeof d);
  return (bits >> 52 & 0x7ff) != 0x7ff;
}
/* By n, or along the direction of all tangents if that is null. */
static void rg_move(struct RgNumber *n, long double h) {
  if (n)
    n->start += h;
  for (int i = 0; !n && i < rg_count; ++i)
    if (rg_numbers[i].active)
      rg_numbers[i].start += h * rg_numbers[i].tangent;
}
/* bend: how far the slopes to both sides are apart. It goes with h, except at a kink. */
static long double rg_difference(struct RgNumber *n, long double h, long double *bend) {
  static long double at[RG_NUMBERS + 1];
  long double f[4];
  const int step[4] = {1, -1, 2, -2};
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < rg_count; ++k)
      at[k] = rg_numbers[k].start;
    rg_move(n, step[i] * h);
    f[i] = rg_phi();
    for (int k = 0; k < rg_count; ++k)
      rg_numbers[k].start = at[k];
  }
  *bend = (f[0] - 2 * rg_phi() + f[1]) / h;
  return (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * h);
}
static long double rg_absolute(long double v) { return v < 0 ? -v : v; }

/* The step is a power of two, so that x + h is exact where it can be. */
static long double rg_step(const struct RgNumber *n) {
  long double h = n->kind == RgFloat || RG_FLOAT_RESULT ? 0x1p-5L : 0x1p-10L, size = 1;
  while (size < rg_absolute(n->start))
    size *= 2;
  while (size > rg_absolute(n->start) * 2 && size > 0x1p-3L)
    size /= 2;
  return h * size;
}

#ifdef RG_TRACE
/* Which operation decided what, in the order of execution: of the point itself (run 0)
 * and of a step away from it (run 1). */
enum { RG_DECISIONS = 1 << 20 };
static struct RgDecision { int operation; long long outcome; } rg_decisions[2][RG_DECISIONS];
static int rg_decided[2], rg_run = -1;
#ifdef __cplusplus
extern "C"
#endif
__attribute__((used)) void rg_decide(int operation, long long outcome) {
  if (rg_run < 0 || rg_decided[rg_run] == RG_DECISIONS)
    return;
  struct RgDecision *d = &rg_decisions[rg_run][rg_decided[rg_run]++];
  d->operation = operation;
  d->outcome = outcome;
}
static void rg_decide_all(int run) {
  rg_run = run;
  rg_decided[run] = 0;
  rg_phi();
  rg_run = -1;
}
/* Names the first decision that a step of a number changes. */
static int rg_trace(void) {
  int first = RG_DECISIONS;
  const char *name = NULL;
  if (!rg_finite(rg_phi())) /* asked, so that sanitizers see what is never written */
    return 1;
  rg_decide_all(0);
  for (int i = 0; i < rg_count; ++i)
    for (int where = 0; rg_numbers[i].active && where < 6; ++where) {
      /* Where differences are taken. */
      static const double sides[6] = {-2, 2, -1, 1, -0.5, 0.5};
      struct RgNumber *n = &rg_numbers[i];
      long double at = n->start;
      n->start = at + sides[where] * rg_step(n);
      rg_decide_all(1);
      n->start = at;
      int k = 0;
      while (k < rg_decided[0] && k < rg_decided[1] &&
             rg_decisions[0][k].operation == rg_decisions[1][k].operation &&
             rg_decisions[0][k].outcome == rg_decisions[1][k].outcome)
        ++k;
      if (k < first && k < rg_decided[0]) {
        first = k;
        name = n->name;
      }
    }
  if (!name)
    return 0;
  int time = 0;
  for (int k = 0; k <= first; ++k)
    time += rg_decisions[0][k].operation == rg_decisions[0][first].operation;
  fprintf(rg_out, "decision %d %d %s\n", rg_decisions[0][first].operation, time, name);
  return 1;
}
#endif

static void rg_row(int point, const char *name, int isFloat, long double reverse, long double forward,
                   struct RgNumber *n, long double h, long double scale) {
  long double bend, bent, coarse = rg_difference(n, h, &bend), fine = rg_difference(n, h / 2, &bent);
  long double spread = rg_absolute(fine - coarse), kink = rg_absolute(2 * bent - bend);
  /* Where the slope is steep beside a bend, the bend goes with h, up to its third power. */
  if (!(kink <= 1e-3L * (rg_absolute(fine) + rg_absolute(reverse))))
    spread += kink;
  fprintf(rg_out, "row %d %s %s %.17Lg %.17Lg %.17Lg %.3Lg %.3Lg\n", point, name,
          isFloat ? "float" : "double", reverse, forward, fine, spread, scale);
}

/* Says what a derivative returned, or left in memory, that is not what the function does. */
static void rg_compare_values(int point, const char *mode, long double value, long double want) {
  long double largest = rg_absolute(want);
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].output && largest < rg_absolute(rg_numbers[i].after))
      largest = rg_absolute(rg_numbers[i].after);
  for (int i = -1; i < rg_count; ++i) {
    int isFloat = i < 0 ? RG_FLOAT_RESULT : rg_numbers[i].kind == RgFloat || RG_FLOAT_RESULT;
    if (i >= 0 && !rg_numbers[i].output)
      continue;
    long double is = i < 0 ? value : rg_get(rg_numbers[i].value, rg_numbers[i].kind);
    long double should = i < 0 ? want : rg_numbers[i].after;
    long double size = rg_absolute(should) + 1e-3L * largest + 1e-12L;
    if (!(rg_absolute(is - should) <= (isFloat ? 1e-4L : 1e-8L) * size))
      fprintf(rg_out, "value %d %s %s %.17Lg %.17Lg\n", point, mode, i < 0 ? "result" : rg_numbers[i].name,
              is, should);
  }
}

static int rg_point(int point) {
  for (int i = 0; i < rg_count; ++i) {
    struct RgNumber *n = &rg_numbers[i];
    n->start = rg_random(n->low, n->high);
    if (n->kind == RgFloat)
      n->start = (float)n->start;
    n->weight = n->output ? rg_random(-1, 1) : 0;
    if (!n->active) /* no derivative is asked for, of it or by it */
      n->weight = 0;
    if (n->kind == RgFloat)
      n->weight = (float)n->weight;
  }
  rg_slack_value = 0;
#ifdef RG_TRACE
  return rg_trace();
#endif
  long double first = rg_phi();
  int written = rg_slack_written();
  long double second = rg_phi();
  rg_slack_value = 0x3f;
  long double third = rg_phi();
  written |= rg_slack_written();
  rg_slack_value = 0;
  if (written)
    return fprintf(rg_out, "note bounds writes\n"), 1;
  if (!rg_finite(first))
    return fprintf(rg_out, "note finite %d\n", point), 1;
  if (!rg_same(first, second))
    return fprintf(rg_out, "note repeat\n"), 1;
  if (!rg_same(first, third))
    return fprintf(rg_out, "note bounds reads\n"), 1;

  rg_reset();
  long double value = rg_primal();
  for (int i = 0; i < rg_count; ++i) {
    struct RgNumber *n = &rg_numbers[i];
    n->after = rg_get(n->value, n->kind);
    n->tangent = n->active ? rg_random_tangent() : 0;
    n->before = n->output ? n->weight : rg_random_tangent();
  }

  rg_reset();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].shadow)
      rg_set(rg_numbers[i].shadow, rg_numbers[i].kind, rg_numbers[i].weight);
  rg_reverse();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].active)
      rg_numbers[i].reverse = rg_get(rg_numbers[i].shadow, rg_numbers[i].kind);

  /* Once more, with shadows of inputs that hold something before: it is added to. */
  rg_reset();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].shadow)
      rg_set(rg_numbers[i].shadow, rg_numbers[i].kind, rg_numbers[i].before);
  long double again = rg_reverse_value();
  rg_compare_values(point, "reverse", again, value);
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].active) {
      struct RgNumber *n = &rg_numbers[i];
      long double added = rg_get(n->shadow, n->kind) - (n->output || n->returned ? 0 : n->before);
      long double size = rg_absolute(n->reverse) + rg_absolute(n->before);
      if (!(rg_absolute(added - n->reverse) <=
            (n->kind == RgFloat || RG_FLOAT_RESULT ? 1e-4L : 1e-8L) * size))
        n->reverse = added;
    }

  for (int k = 0; k < rg_count; ++k) {
    struct RgNumber *n = &rg_numbers[k];
    if (!n->active)
      continue;
    rg_reset();
    for (int i = 0; i < rg_count; ++i)
      if (rg_numbers[i].shadow)
        rg_set(rg_numbers[i].shadow, rg_numbers[i].kind, i == k ? n->tangent : 0);
    long double forward = rg_forward();
    for (int i = 0; i < rg_count; ++i)
      if (rg_numbers[i].output && rg_numbers[i].shadow)
        forward += rg_numbers[i].weight * rg_get(rg_numbers[i].shadow, rg_numbers[i].kind);
    long double h = rg_step(n);
    rg_row(point, n->name, n->kind == RgFloat || RG_FLOAT_RESULT, n->reverse, forward / n->tangent, n, h, 0);
  }

  /* All inputs at once. */
  long double reverse = 0, scale = 0, h = 1;
  int isFloat = RG_FLOAT_RESULT;
  rg_reset();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].active) {
      struct RgNumber *n = &rg_numbers[i];
      reverse += n->reverse * n->tangent;
      scale += rg_absolute(n->reverse * n->tangent);
      isFloat |= n->kind == RgFloat;
      if (h > rg_step(n))
        h = rg_step(n);
    }
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].shadow)
      rg_set(rg_numbers[i].shadow, rg_numbers[i].kind, rg_numbers[i].tangent);
  long double forward = rg_forward_value(&again);
  rg_compare_values(point, "forward", again, value);
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].output && rg_numbers[i].shadow)
      forward += rg_numbers[i].weight * rg_get(rg_numbers[i].shadow, rg_numbers[i].kind);
  rg_row(point, "(direction)", isFloat, reverse, forward, NULL, h, scale);
  return 0;
}

int main(int argc, char **argv) {
  rg_out = argc > 1 ? fopen(argv[1], "w") : stdout;
  if (!rg_out)
    return 1;
  rg_arguments();
  rg_state = RG_SEED;
  rg_tangent_state = ~RG_SEED;
  for (int i = 0; i < 8; ++i) {
    rg_random(0, 1);
    rg_random_tangent();
  }
  for (int point = 1; point <= RG_POINTS; ++point)
    if (rg_point(point))
      break;
  fprintf(rg_out, "end\n");
  return fclose(rg_out) != 0;
}
)text";
