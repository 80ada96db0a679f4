// Parts of matrices (__builtin_matrix_column_major_load and _store): reverse mode, forward mode and differences
// agree; a part is read and written in place, so that its elements are inputs and outputs.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -fenable-matrix
#include "rgtest.h"

typedef double Two3 __attribute__((matrix_type(2, 3)));
typedef double Three2 __attribute__((matrix_type(3, 2)));

void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { Size = 24 };

// The product of two parts is added to a third one, which overlaps the first.
static void update(double *x, int stride) {
  Two3 a = __builtin_matrix_column_major_load(x, 2, 3, stride);
  Three2 b = __builtin_matrix_column_major_load(x + 3, 3, 2, stride + 1);
  __typeof__(a * b) y = __builtin_matrix_column_major_load(x + 1, 2, 2, stride);
  __builtin_matrix_column_major_store(y + a * b, x + 1, stride);
}
static double f(double *x, int stride) {
  double copy[Size], sum = 0;
  for (int i = 0; i < Size; ++i)
    copy[i] = x[i];
  update(copy, stride);
  update(copy, stride - 1);
  for (int i = 0; i < Size; ++i)
    sum += (i + 1) * copy[i] * copy[i];
  return sum;
}
static void of(double *x, int stride, double *y) { *y = f(x, stride); }

int main(void) {
  double x[Size];
  for (int i = 0; i < Size; ++i)
    x[i] = 0.4 + 0.1 * (i * 7 % 11) - 0.05 * i;
  for (int stride = 5; stride <= 7; ++stride) {
    double dx[Size] = {0}, y, dy = 1;
    __enzyme_autodiff((void *)of, enzyme_dup, x, dx, enzyme_const, stride, enzyme_dup, &y, &dy);
    for (int i = 0; i < Size; ++i) {
      double seed[Size] = {0}, tangent = 0;
      seed[i] = 1;
      __enzyme_fwddiff((void *)of, enzyme_dup, x, seed, enzyme_const, stride, enzyme_dup, &y, &tangent);
      RG_WITHIN(tangent, dx[i], 1e-12);
      RG_WITHIN(dx[i], RG_DIFF(f(x, stride), x[i]), 1e-9);
    }
  }
  return rgReport();
}
