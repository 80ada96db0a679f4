// A struct of an array of structs with a counter and padding behind the array:
// walking the array says nothing about what stands behind it. A pointer kept in a
// global is set before it is used.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
struct body { double pos[3], vel[3]; float mass; int id; char name[8]; };
struct world { struct body b[4]; int n; double dt; };

static struct world step(struct world w) {
  for (int i = 0; i < w.n; i++)
    for (int k = 0; k < 3; k++) {
      double a = 0;
      for (int j = 0; j < w.n; j++)
        if (j != i) {
          double d = w.b[j].pos[k] - w.b[i].pos[k];
          a += d * w.b[j].mass / (1 + d * d);
        }
      w.b[i].vel[k] += a * w.dt;
    }
  for (int i = 0; i < w.n; i++)
    for (int k = 0; k < 3; k++)
      w.b[i].pos[k] += w.b[i].vel[k] * w.dt;
  return w;
}
static double energy(double *x) {
  struct world w;
  memset(&w, 0, sizeof w);
  w.n = 3;
  w.dt = x[3];
  for (int i = 0; i < 3; i++) {
    w.b[i].pos[i] = x[i];
    w.b[i].mass = 1 + i;
    strcpy(w.b[i].name, "abc");
  }
  for (int t = 0; t < 6; t++)
    w = step(w);
  double e = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      e += w.b[i].mass * w.b[i].vel[k] * w.b[i].vel[k] + w.b[i].pos[k] * i;
  return e;
}

static struct { double *w; int n; double bias; } context;
__attribute__((noinline)) static double evaluate(const double *in) {
  double s = context.bias;
  for (int i = 0; i < context.n; i++)
    s += context.w[i] * in[i];
  return s;
}
static double inContext(double *x) {
  double w[4];
  for (int i = 0; i < 4; i++)
    w[i] = x[i] * x[0];
  context.w = w;
  context.n = 4;
  context.bias = x[1];
  double s = evaluate(x);
  context.w = x;
  return s + evaluate(w) * evaluate(x);
}
int main(void) {
  double x[4] = {0.8, 1.7, 0.2, 0.3}, d[4] = {0}, e[4] = {0};
  __enzyme_autodiff((void *)energy, x, d);
  RG_GRADS(d, energy(x), x, 4);
  __enzyme_autodiff((void *)inContext, x, e);
  RG_GRADS(e, inContext(x), x, 4);
  return rgReport();
}
