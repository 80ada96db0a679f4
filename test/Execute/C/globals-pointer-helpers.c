// Global pointers that helper functions set, grow, swap and release, where none of them
// is inlined: buffers, stacks, lists, rows of a matrix, pointers into an argument.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define HELPER __attribute__((noinline)) static
enum { N = 4 };

// A buffer that one function makes, another fills, and another reads.
static double *buffer;
static int length;
HELPER void make(int n) {
  buffer = malloc(n * sizeof *buffer);
  length = n;
}
HELPER void fill(const double *x) {
  for (int i = 0; i < length; ++i)
    buffer[i] = x[i] * x[i] * (i + 1);
}
HELPER double total(void) {
  double s = 0;
  for (int i = 0; i < length; ++i)
    s += sin(buffer[i]);
  return s;
}
static double onBuffer(double *x) {
  make(N);
  fill(x);
  double r = total() * x[0];
  free(buffer);
  buffer = 0;
  return r;
}

// A stack that grows.
static double *stack;
static int top, room;
HELPER void push(double v) {
  if (top == room) {
    room = room ? 2 * room : 2;
    stack = realloc(stack, room * sizeof *stack);
  }
  stack[top++] = v;
}
HELPER double pop(void) { return stack[--top]; }
static double onStack(double *x) {
  stack = 0;
  top = room = 0;
  for (int i = 0; i < N; ++i)
    push(x[i] * x[i]);
  double s = 1;
  while (top > 0)
    s = s * 0.5 + pop() * s;
  free(stack);
  return s;
}

// Made where it is not there yet: null when the derivative begins.
static double *table;
HELPER void ensure(int n) {
  if (!table)
    table = calloc(n, sizeof *table);
}
static double onTable(double *x) {
  ensure(N);
  for (int i = 0; i < N; ++i)
    table[i] += exp(x[i]);
  ensure(N);
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += table[i] * table[i];
  free(table);
  table = 0;
  return s;
}

// Members of a struct.
static struct {
  double *a, *b;
  int n;
} work;
HELPER void begin(int n) {
  work.n = n;
  work.a = malloc(n * sizeof(double));
  work.b = malloc(n * sizeof(double));
}
HELPER void end(void) {
  free(work.a);
  free(work.b);
}
HELPER void first(const double *x) {
  for (int i = 0; i < work.n; ++i)
    work.a[i] = x[i] * 2 + x[0];
}
HELPER void second(void) {
  for (int i = 0; i < work.n; ++i)
    work.b[i] = work.a[i] * work.a[work.n - 1 - i];
}
static double onMembers(double *x) {
  begin(N);
  first(x);
  second();
  double s = 0;
  for (int i = 0; i < work.n; ++i)
    s += work.b[i];
  end();
  return s;
}

// A pointer into the argument.
static double *current;
HELPER void use(double *p) { current = p; }
HELPER void scale(int i) { current[i] *= 2 * current[0]; }
static double onArgument(double *x) {
  double old[N], s = 0;
  use(x);
  for (int i = 0; i < N; ++i)
    old[i] = x[i];
  for (int i = 1; i < N; ++i)
    scale(i);
  for (int i = 0; i < N; ++i) {
    s += x[i] * x[i];
    x[i] = old[i];
  }
  return s;
}

// A list, which was empty before.
static struct node {
  double v;
  struct node *next;
} *head;
HELPER void add(double v) {
  struct node *n = malloc(sizeof *n);
  n->v = v;
  n->next = head;
  head = n;
}
HELPER void clear(void) {
  while (head) {
    struct node *n = head;
    head = n->next;
    free(n);
  }
}
static double onList(double *x) {
  for (int i = 0; i < N; ++i)
    add(x[i] * x[i]);
  double s = 0;
  for (struct node *n = head; n; n = n->next)
    s = s * 0.3 + n->v;
  clear();
  return s;
}

// Rows of a matrix.
static double **rows;
HELPER void makeRows(int n) {
  rows = malloc(n * sizeof *rows);
  for (int i = 0; i < n; ++i)
    rows[i] = malloc(n * sizeof **rows);
}
HELPER void freeRows(int n) {
  for (int i = 0; i < n; ++i)
    free(rows[i]);
  free(rows);
  rows = 0;
}
HELPER void fillRows(const double *x, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      rows[i][j] = x[i] * x[j] + (i == j);
}
static double onRows(double *x) {
  makeRows(N);
  fillRows(x, N);
  double s = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      s += rows[i][j] * rows[j][(i + 1) % N];
  freeRows(N);
  return s;
}

// Two buffers that take turns.
static double *now, *then;
HELPER void makeBoth(int n) {
  now = calloc(n, sizeof *now);
  then = calloc(n, sizeof *then);
}
HELPER void swap(void) {
  double *t = now;
  now = then;
  then = t;
}
HELPER void step(int n) {
  for (int i = 0; i < n; ++i)
    then[i] = now[i] + 0.1 * (now[(i + 1) % n] - now[i]) * now[i];
}
HELPER void freeBoth(void) {
  free(now);
  free(then);
  now = then = 0;
}
static double onTurns(double *x) {
  makeBoth(N);
  for (int i = 0; i < N; ++i)
    now[i] = x[i];
  for (int t = 0; t < 5; ++t) {
    step(N);
    swap();
  }
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += now[i] * (i + 1);
  freeBoth();
  return s;
}

// Written to the global, and kept in a register.
static double *grown;
static double onGrown(double *x) {
  grown = 0;
  for (int i = 0; i < N; ++i) {
    grown = realloc(grown, (i + 1) * sizeof *grown);
    grown[i] = x[i] * (i ? grown[i - 1] : x[0]);
  }
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += grown[i] * grown[i];
  free(grown);
  return s;
}

#define CHECK(F)                                                                           \
  do {                                                                                     \
    double x[N] = {0.3, 0.5, -0.7, 1.1}, d[N] = {0};                                       \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d);                                        \
    for (int i = 0; i < N; ++i) {                                                          \
      double e[N] = {0};                                                                   \
      e[i] = 1;                                                                            \
      double byDifferences = RG_DIFF(F(x), x[i]);                                          \
      RG_WITHIN(d[i], byDifferences, 1e-7);                                                \
      RG_WITHIN(__enzyme_fwddiff((void *)F, enzyme_dup, x, e), byDifferences, 1e-7);       \
    }                                                                                      \
  } while (0)

int main(void) {
  CHECK(onBuffer);
  CHECK(onStack);
  CHECK(onTable);
  CHECK(onMembers);
  CHECK(onArgument);
  CHECK(onList);
  CHECK(onRows);
  CHECK(onTurns);
  CHECK(onGrown);
  return rgReport();
}
