// Memory that a program deals out by bytes, with values that are a number, an integer or an address by turns: they are assigned as
// structs, and moved by the integer of their union.
// RG-LEVELS: O1 O2 O3
#include "rgvector.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int enzyme_dup, enzyme_const;

struct record {
  double value;
  int number;
  struct record *next;
};
struct arena {
  char *at;
  int *counts;
  struct record *head;
};
struct value {
  int kind;
  union {
    double number;
    int64_t integer;
  };
};
struct any {
  int kind;
  union {
    double number;
    int64_t integer;
    void *address;
  };
};

static void *deal(struct arena *a, size_t bytes) {
  char *p = (char *)(((uintptr_t)a->at + 7) & ~(uintptr_t)7);
  a->at = p + bytes;
  return p;
}

static struct arena *begin(const double *x, int n) {
  char *memory = malloc(4096 + 256 * n);
  memset(memory, 0, 4096 + 256 * n);
  struct arena *a = (struct arena *)memory;
  a->at = memory + sizeof *a + n % 7;
  a->counts = deal(a, 4 * n);
  for (int i = 0; i < n; ++i) {
    struct record *r = deal(a, sizeof *r + i % 3);
    r->value = x[i] * x[i];
    r->number = i;
    r->next = a->head;
    a->head = r;
  }
  return a;
}

static double end(struct arena *a) {
  double sum = 0;
  for (struct record *r = a->head; r; r = r->next)
    sum += r->value * (r->number + 1);
  free(a);
  return sum;
}

static double values(const double *x, int n) {
  struct arena *a = begin(x, n);
  struct value *v = deal(a, 2 * n * sizeof *v), *w = deal(a, 2 * n * sizeof *w);
  for (int i = 0; i < 2 * n; ++i) {
    v[i].kind = i % 2;
    if (i % 2)
      v[i].number = x[i / 2];
    else
      v[i].integer = i;
  }
  for (int i = 0; i < 2 * n; ++i)
    w[i] = v[i];
  double sum = 0;
  for (int i = 0; i < 2 * n; ++i)
    sum += w[i].kind ? w[i].number * (i + 1) : w[i].integer;
  return sum + end(a);
}

static double moved(const double *x, int n) {
  struct arena *a = begin(x, n);
  struct any *v = deal(a, 2 * n * sizeof *v), *w = deal(a, 2 * n * sizeof *w);
  for (int i = 0; i < 2 * n; ++i) {
    v[i].kind = i % 2;
    if (i % 2)
      v[i].number = x[i / 2] * x[i / 2];
    else if (i % 4)
      v[i].address = a->head;
    else
      v[i].integer = i;
  }
  for (int i = 0; i < 2 * n; ++i) {
    w[i].kind = v[i].kind;
    if (i % 3)
      w[i].integer = v[i].integer;
    else
      w[i] = v[i];
  }
  double sum = 0;
  for (int i = 0; i < 2 * n; ++i)
    sum += w[i].kind ? w[i].number * (i + 1) : i % 4 ? ((struct record *)w[i].address)->value : w[i].integer;
  return sum + end(a);
}

int main() {
  RG_CHECK_VECTOR(values);
  RG_CHECK_VECTOR(moved);
  return rgReport();
}
