// A tree of values as programs that read JSON have it: a tagged union of a number,
// an integer, a text and an array, which is returned by value, copied, swapped
// and assigned. What is stored as an integer is no address, though LLVM makes a
// pointer of it where the union's type is that of another member.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdlib.h>
#include <string.h>

extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

enum Tag { Number, Integer, Text, Array };
typedef struct Value {
  enum Tag tag;
  union {
    double number;
    char *text;
    struct {
      struct Value *at;
      int count, room;
    } array;
    long integer;
  } as;
} Value;

static Value number(double d) {
  Value v;
  v.tag = Number;
  v.as.number = d;
  return v;
}
static Value integer(long i) {
  Value v = {Integer};
  v.as.integer = i;
  return v;
}
static Value text(const char *of) {
  Value v;
  v.tag = Text;
  v.as.text = malloc(strlen(of) + 1);
  strcpy(v.as.text, of);
  return v;
}
static Value array(void) {
  Value v;
  v.tag = Array;
  v.as.array.at = 0;
  v.as.array.count = v.as.array.room = 0;
  return v;
}
static void push(Value *to, Value v) {
  if (to->as.array.count == to->as.array.room) {
    int room = to->as.array.room ? 2 * to->as.array.room : 2;
    Value *at = malloc(room * sizeof(Value));
    for (int i = 0; i < to->as.array.count; ++i)
      at[i] = to->as.array.at[i];
    free(to->as.array.at);
    to->as.array.at = at;
    to->as.array.room = room;
  }
  to->as.array.at[to->as.array.count++] = v;
}
static Value copy(const Value *of) {
  Value v = *of;
  if (of->tag == Text)
    return text(of->as.text);
  if (of->tag == Array) {
    v = array();
    for (int i = 0; i < of->as.array.count; ++i)
      push(&v, copy(&of->as.array.at[i]));
  }
  return v;
}
static double sum(const Value *v, double weight) {
  switch (v->tag) {
  case Number:
    return v->as.number * weight;
  case Integer:
    return v->as.integer * weight;
  case Text:
    return strlen(v->as.text) * weight;
  default: {
    double s = 0;
    for (int i = 0; i < v->as.array.count; ++i)
      s += sum(&v->as.array.at[i], weight * 0.8) * (i + 1);
    return s;
  }
  }
}
static void drop(Value *v) {
  if (v->tag == Text)
    free(v->as.text);
  if (v->tag == Array) {
    for (int i = 0; i < v->as.array.count; ++i)
      drop(&v->as.array.at[i]);
    free(v->as.array.at);
  }
}

static Value build(const double *x, int n) {
  Value tree = array();
  for (int i = 0; i < n; ++i)
    switch (i % 4) {
    case 0:
      push(&tree, number(x[i] * x[i]));
      break;
    case 1:
      push(&tree, integer(i));
      break;
    case 2:
      push(&tree, text("ab"));
      break;
    default: {
      Value inner = array();
      push(&inner, number(x[i]));
      push(&inner, integer(i + 2));
      push(&inner, number(x[0] * x[i]));
      push(&tree, inner);
    }
    }
  return tree;
}

static double run(const double *x, int n) {
  Value a = build(x, n), b = copy(&a);
  Value *at = b.as.array.at;
  Value kept = at[0];
  at[0] = at[3];
  at[3] = kept;
  at[3].as.number *= 2;
  double s = sum(&a, 1) * sum(&b, x[1]);
  // Members of each kind over members of another.
  at[1] = number(x[2] * x[2]);
  s += sum(&b, 0.5);
  at[1] = integer(n * 3);
  at[3] = integer((long)(x[1] * 4));
  s += sum(&b, x[3]);
  at[3] = at[0];
  at[0] = number(s);
  s += sum(&b, 0.1);
  at[0] = integer(7);
  s *= sum(&b, 1);
  drop(&a);
  drop(&b);
  return s;
}

int main(void) {
  enum { N = 6 };
  double x[N] = {0.5, 1.3, -0.75, 2, 0.875, -1.5}, dx[N] = {0};
  __enzyme_autodiff((void *)run, enzyme_dup, x, dx, enzyme_const, N);
  RG_GRADS(dx, run(x, N), x, N);
  for (int i = 0; i < N; ++i) {
    double v[N] = {0};
    v[i] = 1;
    RG_NEAR(__enzyme_fwddiff((void *)run, enzyme_dup, x, v, enzyme_const, N), dx[i]);
  }
  return rgReport();
}
