// Blocks that grow: numbers, records with pointers, and a block that shrinks first.
#include "rgtest.h"
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);

typedef struct {
  double *at;
  int n;
  float weight;
} Row;

static double numbers(const double *x, int n) {
  double *a = malloc(sizeof *a), s = 0;
  int room = 1;
  for (int i = 0; i < n; ++i) {
    if (i == room)
      a = realloc(a, (room *= 2) * sizeof *a);
    a[i] = x[i] * x[i];
  }
  for (int i = 0; i < n; ++i)
    s += a[i] * (i + 1);
  free(a);
  return s;
}
static double records(const double *x, int n) {
  Row *rows = malloc(sizeof *rows);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    rows = realloc(rows, (i + 1) * sizeof *rows);
    rows[i].at = malloc(3 * sizeof(double));
    rows[i].n = i % 3;
    rows[i].weight = (float)x[i];
    for (int k = 0; k < 3; ++k)
      rows[i].at[k] = x[i] * (k + 1);
  }
  for (int i = 0; i < n; ++i) {
    s += rows[i].at[rows[i].n] * rows[i].at[2] + rows[i].weight;
    free(rows[i].at);
  }
  free(rows);
  return s;
}
static double again(const double *x, int n) {
  float *a = malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i)
    a[i] = (float)(x[i] * x[i]);
  a = realloc(a, 3 * sizeof *a);
  a = realloc(a, (n + 5) * sizeof *a);
  for (int i = 3; i < n + 5; ++i)
    a[i] = a[i - 1] * 0.5f + (float)x[i % n];
  double s = a[n + 4] * a[n];
  free(a);
  return s;
}

int main(void) {
  double x[20];
  for (int i = 0; i < 20; ++i)
    x[i] = 0.3 + 0.05 * i;
  for (int n = 1; n <= 20; n += 4) {
    double d[20] = {0};
    __enzyme_autodiff((void *)numbers, x, d, n);
    for (int i = 0; i < n; ++i)
      RG_NEAR(d[i], 2 * x[i] * (i + 1));
  }
  {
    double d[7] = {0};
    __enzyme_autodiff((void *)records, x, d, 7);
    for (int i = 0; i < 7; ++i)
      RG_NEAR(d[i], 2 * x[i] * (i % 3 + 1) * 3 + 1);
  }
  // The derivative of the last number of a recurrence, by hand: tail and middle of the array.
  for (int n = 6; n <= 9; ++n) {
    double d[9] = {0}, t[14], h[14];
    __enzyme_autodiff((void *)again, x, d, n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < 3; ++i) {
        h[i] = x[i] * x[i];
        t[i] = i == j ? 2 * x[i] : 0;
      }
      for (int i = 3; i < n + 5; ++i) {
        h[i] = h[i - 1] * 0.5 + x[i % n];
        t[i] = t[i - 1] * 0.5 + (i % n == j);
      }
      double want = t[n + 4] * h[n] + h[n + 4] * t[n];
      RG_TRUE(want - d[j] < 1e-5 && d[j] - want < 1e-5);
    }
  }
  return rgReport();
}
