// Code without derivative calls: Retrograd has no business here.
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct body {
  double mass, at[3];
};

double weigh(const struct body *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += b[i].mass * sqrt(b[i].at[0] * b[i].at[0] + b[i].at[1] * b[i].at[1]);
  return sum;
}

double *copy(const double *x, size_t n) {
  double *y = malloc(n * sizeof *y);
  if (y)
    memcpy(y, x, n * sizeof *y);
  return y;
}

// Functions that Retrograd has rules for; what it knows must not leak to here.
double known(double x, int *exponent, double *whole) {
  return modf(frexp(x, exponent), whole) + fmod(x, 3.0) + tgamma(x) + exp(x);
}
