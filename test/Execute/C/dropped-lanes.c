// Lanes of a vector that are dropped: a quotient or a root of what is 0 there is infinite, and nobody minds. Masks take lanes
// away, too, another one in each lane.
// RG-LEVELS: O0 O2 O3
#include "rgvector.h"
int enzyme_dup, enzyme_const;
typedef double four __attribute__((vector_size(32)));
typedef long bits __attribute__((vector_size(32)));

/* The inverse of a 2 by 2 matrix by its cofactors, as matrices of four rows do it: the determinant lies in the first lane,
   others are 0. */
static double inverse(const double *x, int n) {
  const four row = {x[0], 0, 0, 0}, other = {x[1], x[2], x[2], x[3]};
  const four product = row * other, sum = product - __builtin_shufflevector(product, product, 1, 1, 1, 1);
  const four one = {1, 1, 1, 1};
  const four over = __builtin_shufflevector(one / sum, one, 0, 0, 0, 0);
  const four cofactors = over * other;
  return cofactors[0] + 2 * cofactors[1] - cofactors[3] * n;
}
/* One element is taken, behind more arithmetic; another is replaced. */
static double taken(const double *x, int n) {
  four a = {x[0], 0, x[1], 0};
  four b = __builtin_elementwise_sqrt(a * a) / a;
  b = b * b + 1 / a;
  four c = 1 / a;
  c[1] = x[3];
  c[3] = x[4] * n;
  return b[0] * x[2] + b[2] + c[0] * c[1] + c[2] * c[3];
}
/* What a mask takes away. */
static double masked(const double *x, int n) {
  const bits three = {-1, -1, -1, 0}, absolute = {~(1l << 63), -1, ~(1l << 63), -1};
  four a = {x[0], -x[1], -x[2], 0};
  four b = (four)((bits)(1 / a) & three);
  four c = (four)((bits)(a * x[3]) & absolute);
  return b[0] + b[1] * b[2] + b[3] + c[0] + 2 * c[1] * c[2] * n + c[3];
}

int main(void) {
  RG_CHECK_VECTOR(inverse);
  RG_CHECK_VECTOR(taken);
  RG_CHECK_VECTOR(masked);
  return rgReport();
}
