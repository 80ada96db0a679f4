// Character and integer bookkeeping beside active data: parsing a formula that
// decides what is computed, counting, hashing, a lookup by name.
#include "rgtest.h"
#include <ctype.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;

static double parsed(const char *text, double x) { // "3x2-2x1+7": 3 x^2 - 2 x + 7
  double sum = 0;
  int sign = 1;
  while (*text) {
    if (*text == '+' || *text == '-') {
      sign = *text++ == '+' ? 1 : -1;
      continue;
    }
    int c = 0, power = 0;
    while (isdigit((unsigned char)*text))
      c = c * 10 + (*text++ - '0');
    if (*text == 'x') {
      ++text;
      while (isdigit((unsigned char)*text))
        power = power * 10 + (*text++ - '0');
    }
    double term = sign * c;
    for (int i = 0; i < power; ++i)
      term *= x;
    sum += term;
  }
  return sum;
}
struct entry { char name[8]; double value; };
static double lookup(const struct entry *table, int n, const char *names) {
  double product = 1;
  char word[8];
  while (*names) {
    size_t k = 0;
    while (*names && *names != ' ' && k < sizeof word - 1)
      word[k++] = *names++;
    word[k] = 0;
    while (*names == ' ')
      names++;
    for (int i = 0; i < n; ++i)
      if (strcmp(table[i].name, word) == 0)
        product = product * table[i].value + 1;
  }
  return product;
}
static double hashed(const double *x, unsigned seed, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    s += x[seed >> 29] * (double)(seed >> 16 & 255) / 256.0 * x[i % 8];
  }
  return s;
}

int main(void) {
  double x = 1.5;
  RG_GRAD(__enzyme_autodiff((void *)parsed, enzyme_const, "3x2-2x1+7-1x5", x),
          parsed("3x2-2x1+7-1x5", x), x);
  RG_NEAR(__enzyme_fwddiff((void *)parsed, enzyme_const, "12x3", x, 1.0), 81);
  struct entry t[3] = {{"mass", 2}, {"length", 3}, {"time", 5}}, d[3];
  memset(d, 0, sizeof d);
  const char *names = "mass  time mass length none";
  __enzyme_autodiff((void *)lookup, t, d, 3, enzyme_const, names);
  for (int i = 0; i < 3; ++i)
    RG_GRAD(d[i].value, lookup(t, 3, names), t[i].value);
  double p[8] = {1, 2, 3, 4, 5, 6, 7, 8}, dp[8] = {0};
  __enzyme_autodiff((void *)hashed, p, dp, 42u, 30);
  RG_GRADS(dp, hashed(p, 42u, 30), p, 8);
  return rgReport();
}
