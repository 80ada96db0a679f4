// Products of matrices of clang (llvm.matrix.multiply): reverse mode, forward mode and differences agree
// where both factors are active, where one of them is, and where both are the same; second derivatives, and what
// depends on what.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -fenable-matrix
#include "rgtest.h"

typedef double Two3 __attribute__((matrix_type(2, 3)));
typedef double Three4 __attribute__((matrix_type(3, 4)));
typedef double Two4 __attribute__((matrix_type(2, 4)));
typedef double Two2 __attribute__((matrix_type(2, 2)));
typedef float Single2 __attribute__((matrix_type(2, 2)));

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_pattern;
void __enzyme_fwddiff_void(void *, ...);

// Every element of the product has a weight of its own.
static double weighed(Two4 y) {
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      sum += (1 + i + 3 * j) * y[i][j] * y[i][j];
  return sum;
}
static double product(const double *x) {
  return weighed(*(const Two3 *)x * *(const Three4 *)(x + 6));
}
static double rightAlone(const double *x, const double *constant) {
  return weighed(*(const Two3 *)constant * *(const Three4 *)x);
}
static double leftAlone(const double *x, const double *constant) {
  return weighed(*(const Two3 *)x * *(const Three4 *)constant);
}
static double cube(const double *x) {
  Two2 a = *(const Two2 *)x;
  a = a * a * a;
  return a[0][0] * a[1][0] + 3 * a[0][1] + a[1][1];
}
static double singles(const double *x) {
  Single2 a, b;
  for (int i = 0; i < 4; ++i) {
    a[i % 2][i / 2] = x[i];
    b[i % 2][i / 2] = x[i] * x[3 - i];
  }
  a = a * b;
  return a[0][0] + 2 * a[1][0] + 3 * a[0][1] + 5 * a[1][1];
}
typedef int Whole2 __attribute__((matrix_type(2, 2)));
// The weights are a product of integers.
static double weighedByWhole(const double *x, const int *whole) {
  Whole2 w = *(const Whole2 *)whole;
  Two2 a = *(const Two2 *)x, weights;
  w = w * w;
  for (int i = 0; i < 4; ++i)
    weights[i % 2][i / 2] = w[i % 2][i / 2];
  a = a * weights;
  return a[0][0] * a[1][0] + a[0][1] * a[1][1];
}
static void squareProduct(const double *x, double *y) {
  *(Two2 *)y = *(const Two2 *)x * *(const Two2 *)(x + 4);
}
// Products of growing powers: numbers from iteration to iteration.
static double powers(const double *x) {
  Two2 a = *(const Two2 *)x, power = a;
  double sum = 0;
  for (int i = 0; i < 5; ++i) {
    power = power * a;
    sum += power[0][1] * power[1][1];
  }
  return sum;
}

#define COMPARE(F, N, CLOSE, NEAR)                                                                                   \
  do {                                                                                                               \
    double dx[18] = {0};                                                                                             \
    __enzyme_autodiff((void *)F, enzyme_dup, x, dx);                                                                 \
    for (int i = 0; i < N; ++i) {                                                                                    \
      double seed[18] = {0};                                                                                         \
      seed[i] = 1;                                                                                                   \
      RG_WITHIN(__enzyme_fwddiff((void *)F, enzyme_dup, x, seed), dx[i], CLOSE);                                     \
      RG_WITHIN(dx[i], RG_DIFF(F(x), x[i]), NEAR);                                                                   \
    }                                                                                                                \
  } while (0)
#define COMPARE_ONE(F, X, N, CONSTANT)                                                                               \
  do {                                                                                                               \
    double dx[12] = {0};                                                                                             \
    __enzyme_autodiff((void *)F, enzyme_dup, X, dx, enzyme_const, CONSTANT);                                         \
    for (int i = 0; i < N; ++i) {                                                                                    \
      double seed[12] = {0};                                                                                         \
      seed[i] = 1;                                                                                                   \
      RG_WITHIN(__enzyme_fwddiff((void *)F, enzyme_dup, X, seed, enzyme_const, CONSTANT), dx[i], 1e-12);             \
      RG_WITHIN(dx[i], RG_DIFF(F(X, CONSTANT), (X)[i]), 1e-9);                                                       \
    }                                                                                                                \
  } while (0)

static void gradientOfCube(const double *x, double *dx) {
  for (int i = 0; i < 4; ++i)
    dx[i] = 0;
  __enzyme_autodiff((void *)cube, enzyme_dup, x, dx);
}

int main(void) {
  double x[18] = {1.1, -0.7, 2.3, 0.4, 1.9, 0.6, -1.2, 1.4, 0.3, -0.9, 0.8, 1.7, -2.1, 0.5, 1.3, -0.2, 0.9, 1.6};
  COMPARE(product, 18, 1e-12, 1e-9);
  COMPARE_ONE(leftAlone, x, 6, x + 6);
  COMPARE_ONE(rightAlone, x + 6, 12, x);
  COMPARE(cube, 4, 1e-12, 1e-9);
  COMPARE(powers, 4, 1e-12, 1e-9);
  COMPARE(singles, 4, 1e-5, 2e-3);

  const int whole[4] = {1, -2, 3, 5};
  COMPARE_ONE(weighedByWhole, x, 4, whole);

  // Column j of the product depends on column j of the right factor, row i on row i of the left one.
  double sets[8] = {0}, y[4], sy[4] = {0};
  for (int i = 0; i < 8; ++i) {
    const uint16_t bit = 1u << i;
    memcpy(&sets[i], &bit, sizeof bit);
  }
  __enzyme_fwddiff_void((void *)squareProduct, enzyme_pattern, enzyme_dup, x, sets, enzyme_dup, y, sy);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      uint16_t set, least = 5 << i | 3 << (4 + 2 * j);
      memcpy(&set, &sy[i + 2 * j], sizeof set);
      RG_TRUE((set & least) == least);
      RG_TRUE(set >> 8 == 0);
    }

  // Forward over reverse, against differences of the gradient.
  for (int i = 0; i < 4; ++i) {
    double seed[4] = {0}, dx[4], row[4] = {0};
    seed[i] = 1;
    __enzyme_fwddiff((void *)gradientOfCube, enzyme_dup, x, seed, enzyme_dup, dx, row);
    for (int j = 0; j < 4; ++j)
      RG_WITHIN(row[j], RG_DIFF((gradientOfCube(x, dx), dx[j]), x[i]), 1e-9);
  }
  return rgReport();
}
