// RG-LEVELS: O0 O2 O3
// Jumps by labels: an interpreter with a table of them, a table of differences,
// labels in variables and in a table that the function makes anew.
#include "rgtest.h"
#include <math.h>
void __enzyme_autodiff(void *, const double *, double *);
double __enzyme_fwddiff(void *, const double *, const double *);
enum { N = 6 };

struct Machine {
  double stack[16];
  int height;
};
enum { Push, Add, Multiply, Sine, Twice, Halt };

static double run(struct Machine *m, const double *x,
                  const unsigned char *code) {
  static const void *const operations[] = {&&push, &&add,   &&multiply,
                                           &&sine, &&twice, &&halt};
#define NEXT goto *operations[*code++]
  NEXT;
push:
  m->stack[m->height++] = x[*code++];
  NEXT;
add:
  m->height--;
  m->stack[m->height - 1] += m->stack[m->height];
  NEXT;
multiply:
  m->height--;
  m->stack[m->height - 1] *= m->stack[m->height];
  NEXT;
sine:
  m->stack[m->height - 1] = sin(m->stack[m->height - 1]);
  NEXT;
twice:
  m->stack[m->height] = m->stack[m->height - 1];
  m->height++;
  NEXT;
halt:
  return m->stack[--m->height];
}
static double interpreter(const double *x) {
  static const unsigned char code[] = {
      Push, 0,   Push, 1, Add,      Sine, Twice, Push, 2,        Multiply, Push,
      3,    Add, Push, 4, Multiply, Push, 5,     Add,  Multiply, Halt};
  struct Machine m = {{0}, 0};
  return run(&m, x, code);
}

// Not const: nothing writes it.
static double offsets(const double *x) {
  static int ways[] = {&&scale - &&scale, &&add - &&scale, &&bend - &&scale,
                       &&end - &&scale};
  unsigned round = 0;
  double r = x[0];
  goto *(&&scale + ways[0]);
scale:
  r *= x[1];
  round++;
  goto *(&&scale + ways[1 + (round & 1)]);
add:
  r += x[2] * x[3];
  goto *(&&scale + ways[round > 4 ? 3 : 2]);
bend:
  r = sin(r) * x[4];
  goto *(&&scale + ways[0]);
end:
  return r * x[5];
}

static double variables(const double *x) {
  const void *const ways[] = {&&push, &&scale, &&done};
  void *back = &&next;
  double stack[N];
  int height = 0, i = 0;
  goto *ways[i];
push:
  stack[height++] = x[i];
  goto *back;
scale:
  stack[height - 1] *= x[i] + stack[height - 1];
  goto *back;
next:
  if (++i == N)
    goto *ways[2];
  goto *ways[i % 2];
done:;
  double s = 0;
  while (height--)
    s += stack[height] * (height + 1);
  return s;
}

static void check(double (*f)(const double *),
                  void (*gradient)(const double *, double *),
                  double (*slope)(const double *, const double *)) {
  double x[N], dx[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 0.7 + 0.13 * i + 0.05 * (i * 7 % 3);
  gradient(x, dx);
  for (int i = 0; i < N; ++i) {
    double e[N] = {0};
    e[i] = 1;
    RG_NEAR(slope(x, e), dx[i]);
    RG_GRAD(dx[i], f(x), x[i]);
  }
}

#define DERIVATIVES(F)                                                         \
  static void F##Gradient(const double *x, double *dx) {                       \
    __enzyme_autodiff((void *)F, x, dx);                                       \
  }                                                                            \
  static double F##Slope(const double *x, const double *e) {                   \
    return __enzyme_fwddiff((void *)F, x, e);                                  \
  }
DERIVATIVES(interpreter)
DERIVATIVES(offsets)
DERIVATIVES(variables)

int main(void) {
  check(interpreter, interpreterGradient, interpreterSlope);
  check(offsets, offsetsGradient, offsetsSlope);
  check(variables, variablesGradient, variablesSlope);
  return rgReport();
}
