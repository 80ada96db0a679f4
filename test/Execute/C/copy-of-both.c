// Words that are numbers and pointers by turns: their shadows tell which when the program runs. (The pointers were
// moved, and the derivatives of the numbers were not.)
// RUN: %rgcc -O0 %s -o %t -DLENGTH=n && %t
// RUN: %rgcc -O2 %s -o %t -DLENGTH=n && %t
// RUN: %rgcc -O2 -mllvm -rg-plan=naive %s -o %t -DLENGTH=n && %t
// RUN: %rgcc -O0 %s -o %t -DLENGTH=4 && %t
// RUN: %rgcc -O2 %s -o %t -DLENGTH=4 && %t
// RUN: %rgcc -O2 -mllvm -rg-plan=naive %s -o %t -DLENGTH=4 && %t
#include <math.h>
#include <string.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
typedef union {
  double number;
  const double *at;
} word;
static double f(const double *x, int n) {
  word w[8], v[8];
  for (int i = 0; i < n; i++)
    if (i & 1)
      w[i].at = x + (n - 1 - i);
    else
      w[i].number = x[i] * x[i];
  memcpy(v, w, LENGTH * sizeof *w);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += (i & 1 ? *v[i].at : v[i].number) * (i + 1);
  return s;
}
int main(void) {
  double x[4] = {0.9, 0.31, 0.42, 0.55}, d[4] = {0};
  volatile int n = 4;
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, n);
  // x0 x0 + 2 x2 + 3 x2 x2 + 4 x0
  return !(fabs(d[0] - 5.8) < 1e-12 && d[1] == 0 && fabs(d[2] - 4.52) < 1e-12 && d[3] == 0);
}
int enzyme_dup, enzyme_const;
