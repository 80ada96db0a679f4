// RG-LEVELS: O0 O2 O3
// An interpreter keeps functions as `const void *` and calls what a node holds by one prototype for each kind of
// node. The program has no functions of some of these types: what would call one ends the program if it is reached.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef struct node {
  int kind;
  union {
    double value;
    const double *bound;
    const void *function;
  };
  struct node *of[3];
} node;

static double plus(double a, double b) { return a + b; }
static double times(double a, double b) { return a * b; }
static const struct {
  const char *name;
  const void *function;
  int kind;
} known[] = {{"sin", sin, 1}, {"exp", exp, 1}, {"plus", plus, 2}, {"times", times, 2}};

static double eval(const node *n) {
  switch (n->kind) {
  case 0:
    return n->value;
  case 1:
    return ((double (*)(double))n->function)(eval(n->of[0]));
  case 2:
    return ((double (*)(double, double))n->function)(eval(n->of[0]), eval(n->of[1]));
  case 3:
    return ((double (*)(double, double, double))n->function)(eval(n->of[0]), eval(n->of[1]), eval(n->of[2]));
  case 4:
    return ((double (*)(void *, double))n->function)(n->of[1], eval(n->of[0]));
  default:
    return *n->bound;
  }
}
static node *call(int which, node *a, node *b) {
  node *n = malloc(sizeof *n);
  n->kind = known[which].kind;
  n->function = known[which].function;
  n->of[0] = a;
  n->of[1] = b;
  return n;
}
static node *variable(const double *at) {
  node *n = malloc(sizeof *n);
  n->kind = 9;
  n->bound = at;
  return n;
}
double f(const double *x, int n) {
  double a = x[0], b = x[1];
  node *e = call(2, call(3, call(0, variable(&a), 0), variable(&b)), call(1, call(3, variable(&a), variable(&b)), 0));
  double r = eval(e);
  a = r * 0.1;
  return r + eval(e) * n;
}

int main(void) {
  double x[2] = {0.7, 1.3}, d[2] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 2);
  for (int i = 0; i < 2; ++i) {
    double v[2] = {i == 0, i == 1};
    RG_NEAR(d[i], __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 2));
    RG_GRAD(d[i], f(x, 2), x[i]);
  }
  return rgReport();
}
