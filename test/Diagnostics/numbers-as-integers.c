// Memory that a program deals out by bytes, where integers are taken for what they are written as (test/Execute/C/arenas.c): not where
// some address of numbers in the file becomes one of integers, in one of these ways.
// RUN: %rgcc -w -O0 %s -c -o %t.o
// RUN: %rgcc -w -O2 %s -c -o %t.o
// RUN: sh -ec 'for way in DIRECT PARAMETER MEMBER BYTES BY_UNION FUNCTION BY_ADDRESS NUMBER RETURNED BY_MEMBER BY_STRUCT; do \
// RUN:   for level in -O0 -O2; do \
// RUN:     if %rgcc -w $level -D$way %s -c -o %t.o > %t.log 2>&1; then echo $way $level; exit 1; fi; \
// RUN:     FileCheck %s < %t.log; \
// RUN:   done; \
// RUN: done'
// CHECK: error: instruction 'store' cannot be differentiated here: a store of integers that may be parts of floating-point numbers [RG2002]
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct record {
  double value;
  int number;
  struct record *next;
};
struct arena {
  char *at;
  int *counts;
  struct record *head;
  double *numbers;
};

static void *deal(struct arena *a, size_t bytes) {
  char *p = (char *)(((uintptr_t)a->at + 7) & ~(uintptr_t)7);
  a->at = p + bytes;
  return p;
}

enum : uint64_t { Sign = 1ull << 63 };

#if defined DIRECT
static void flipAt(struct arena *a, int i) { *(uint64_t *)&a->numbers[i] ^= Sign; }
#elif defined PARAMETER
__attribute__((noinline)) static void flip(void *p) {
  uint32_t *words = p;
  words[1] ^= 0x80000000u;
}
static void flipAt(struct arena *a, int i) { flip(&a->numbers[i]); }
#elif defined MEMBER
struct item {
  void *data;
};
static void flipAt(struct arena *a, int i) {
  struct item t;
  t.data = &a->numbers[i];
  uint64_t *word = t.data;
  *word ^= Sign;
}
#elif defined BYTES
static void flipAt(struct arena *a, int i) {
  char *p = (char *)&a->numbers[i];
  *(uint32_t *)(p + 4) ^= 0x80000000u;
}
#elif defined BY_UNION
union address {
  double *number;
  uint64_t *word;
};
static void flipAt(struct arena *a, int i) {
  union address p;
  p.number = &a->numbers[i];
  *p.word ^= Sign;
}
#elif defined FUNCTION
__attribute__((noinline)) static void flipWord(uint64_t *word) { *word ^= Sign; }
static void flipAt(struct arena *a, int i) {
  void (*flipNumber)(double *) = (void (*)(double *))flipWord;
  flipNumber(&a->numbers[i]);
}
#elif defined BY_ADDRESS
static void flipAt(struct arena *a, int i) {
  uint64_t **words = (uint64_t **)&a->numbers;
  (*words)[i] ^= Sign;
}
#elif defined NUMBER
static void flipAt(struct arena *a, int i) {
  uintptr_t p = (uintptr_t)a->numbers;
  ((uint64_t *)p)[i] ^= Sign;
}
#elif defined RETURNED
struct vector {
  void *data;
  int n;
};
__attribute__((noinline)) static void *at(struct vector *v, int i) { return (char *)v->data + 8 * i; }
static void flipAt(struct arena *a, int i) {
  struct vector v = {a->numbers, 1};
  uint64_t *word = at(&v, i);
  *word ^= Sign;
}
#elif defined BY_MEMBER
union both {
  double number;
  uint32_t words[2];
};
static void flipAt(struct arena *a, int i) {
  union both *b = (union both *)&a->numbers[i];
  uint32_t *words = b->words;
  words[1] ^= 0x80000000u;
}
#elif defined BY_STRUCT
union halves {
  double number;
  struct {
    uint32_t low, high;
  } words;
};
static void flipAt(struct arena *a, int i) {
  union halves *h = (union halves *)&a->numbers[i];
  h->words.high ^= 0x80000000u;
}
#else
static void flipAt(struct arena *a, int i) { a->numbers[i] = -a->numbers[i]; }
#endif

static double f(const double *x, int n) {
  char *memory = malloc(4096 + 64 * n);
  memset(memory, 0, 4096 + 64 * n);
  struct arena *a = (struct arena *)memory;
  a->at = memory + sizeof *a + n % 7;
  a->counts = deal(a, 4 * n);
  a->numbers = deal(a, 8 * n);
  for (int i = 0; i < n; ++i) {
    struct record *r = deal(a, sizeof *r + i % 3);
    r->value = x[i] * x[i];
    r->number = i;
    r->next = a->head;
    a->head = r;
    a->counts[i] = 2 * i;
    a->numbers[i] = x[i] * (i + 1);
    a->counts[i]++;
  }
  for (int i = 0; i < n; ++i)
    flipAt(a, i);
  double sum = 0;
  for (struct record *r = a->head; r; r = r->next)
    sum += r->value * (r->number + 1);
  for (int i = 0; i < n; ++i)
    sum += a->numbers[i] * a->counts[i];
  free(a);
  return sum;
}

void gradient(const double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
