// Arrays of structs and structs of arrays, written and read by field.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef struct { double x, y, z; int kind; } Point;
typedef struct { int n; double x[4], y[4]; float w[4]; } Cloud;
typedef struct { Point p[2]; double weight; } Edge;

static double length(Point *p, int n) {
  double s = 0;
  for (int i = 1; i < n; ++i) {
    double dx = p[i].x - p[i - 1].x, dy = p[i].y - p[i - 1].y;
    p[i].z = p[i].kind ? sqrt(dx * dx + dy * dy) : dx * dy;
    s += p[i].z * p[i].z * p[i - 1].z;
  }
  return s;
}
static double lengthOfCopy(const Point *in, int n) {
  Point p[4];
  for (int i = 0; i < n; ++i)
    p[i] = in[i];
  return length(p, n);
}
static double moment(const Cloud *c) {
  double s = 0;
  for (int i = 0; i < c->n; ++i)
    s += c->w[i] * c->x[i] * c->y[i];
  return s;
}
static double nested(const Edge *e, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += e[i].weight * (e[i].p[0].x * e[i].p[1].y - e[i].p[1].x * e[i].p[0].y);
  return s;
}

int main(void) {
  Point p[4] = {{0, 1, 2, 1}, {1, 3, 0, 1}, {2, 0.5, 0, 0}, {4, 2, 0, 1}};
  Point d[4];
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void *)lengthOfCopy, p, d, 4);
  for (int i = 0; i < 4; ++i) {
    RG_GRAD(d[i].x, lengthOfCopy(p, 4), p[i].x);
    RG_GRAD(d[i].y, lengthOfCopy(p, 4), p[i].y);
    RG_GRAD(d[i].z, lengthOfCopy(p, 4), p[i].z);
  }
  Cloud c = {4, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 0.5f, 2, -1}}, dc;
  memset(&dc, 0, sizeof dc);
  __enzyme_autodiff((void *)moment, &c, &dc);
  RG_GRADS(dc.x, moment(&c), c.x, 4);
  RG_GRADS(dc.y, moment(&c), c.y, 4);
  RG_NEARF(dc.w[2], 21);
  Edge e[2] = {{{{1, 2, 0, 0}, {3, 4, 0, 0}}, 2}, {{{5, 6, 0, 0}, {7, 9, 0, 0}}, 3}};
  Edge de[2];
  memset(de, 0, sizeof de);
  __enzyme_autodiff((void *)nested, e, de, 2);
  RG_GRAD(de[1].p[1].y, nested(e, 2), e[1].p[1].y);
  RG_GRAD(de[0].p[1].x, nested(e, 2), e[0].p[1].x);
  RG_GRAD(de[0].weight, nested(e, 2), e[0].weight);
  return rgReport();
}
