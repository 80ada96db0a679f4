// Constant tables and pointers: quadrature weights, a table of polynomial
// coefficients, strings, const pointers, a table of tables.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static const double nodes[3] = {-0.7745966692414834, 0, 0.7745966692414834};
static const double weights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
const float coefficients[4] = {1.0f, -0.5f, 0.25f, -0.125f};
static const double rowA[] = {1, 2}, rowB[] = {3, 4};
static const double *const rows[] = {rowA, rowB};
double tunable = 2.5; // not const, but never written
static const struct { int power; double factor; } terms[] = {{1, 2.0}, {3, -0.5}};

static double quadrature(double b) {
  double s = 0;
  for (int i = 0; i < 3; ++i) {
    double t = 0.5 * b * (nodes[i] + 1);
    s += weights[i] * t * t * t;
  }
  return s * 0.5 * b; // b^4 / 4
}
static double polynomial(double x) {
  double r = 0;
  for (int i = 3; i >= 0; --i)
    r = r * x + coefficients[i];
  return r;
}
static double tables(double x) {
  double s = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      s += rows[i][j] * x * tunable;
  return s * s;
}
static double structs(double x) {
  double s = 0;
  for (unsigned i = 0; i < sizeof terms / sizeof *terms; ++i) {
    double t = terms[i].factor;
    for (int p = 0; p < terms[i].power; ++p)
      t *= x;
    s += t;
  }
  return s;
}
static double digits(double x) {
  const char *text = "31415";
  double s = 0;
  for (const char *c = text; *c; ++c)
    s = s * x + (*c - '0');
  return s;
}

int main(void) {
  RG_UNARY(quadrature, 1.5);
  RG_NEAR(__enzyme_autodiff((void *)quadrature, 2.0), 8.0);
  RG_UNARY(polynomial, 0.8);
  RG_UNARY(tables, 0.8);
  RG_UNARY(structs, 1.3);
  RG_UNARY(digits, 0.9);
  return rgReport();
}
