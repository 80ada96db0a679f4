// Several results: seeds, and a Jacobian by rows and by columns.
//
// A function may write its results through a pointer. In reverse mode the shadow of
// an output is read: it says how much each result counts (the seed), and one call
// gives the gradient of that weighted sum. Since outputs are overwritten, their
// shadow is zero afterwards.

#include <stdio.h>

void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_dupnoneed;

void rectangle(const double *p, double *out) { // area and boundary
  out[0] = p[0] * p[1];
  out[1] = 2 * (p[0] + p[1]);
}

int main(void) {
  double p[2] = {3, 4}, out[2], rows[2][2] = {{0}}, columns[2][2];

  for (int i = 0; i < 2; ++i) { // one reverse sweep per result
    double seed[2] = {i == 0, i == 1};
    __enzyme_autodiff((void *)rectangle, enzyme_dup, p, rows[i], enzyme_dupnoneed, out, seed);
  }
  for (int j = 0; j < 2; ++j) { // one forward sweep per input
    double tangent[2] = {j == 0, j == 1}, change[2];
    __enzyme_fwddiff((void *)rectangle, p, tangent, out, change);
    for (int i = 0; i < 2; ++i)
      columns[i][j] = change[i];
  }
  for (int i = 0; i < 2; ++i)
    printf("%g %g = %g %g\n", rows[i][0], rows[i][1], columns[i][0], columns[i][1]);
}

// RUN: %rgcc -O2 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// prints: 4 3 = 4 3
// prints: 2 2 = 2 2
