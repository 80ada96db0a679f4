// Sorting active values: bubble sort, insertion sort, quicksort with recursion,
// a median of three network.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static void bubble(double *x, int n) {
  int swapped;
  do {
    swapped = 0;
    for (int i = 1; i < n; ++i)
      if (x[i - 1] > x[i]) {
        double t = x[i - 1];
        x[i - 1] = x[i];
        x[i] = t;
        swapped = 1;
      }
  } while (swapped);
}
static void insertion(double *x, int n) {
  for (int i = 1; i < n; ++i) {
    double v = x[i];
    int j = i;
    for (; j > 0 && x[j - 1] > v; --j)
      x[j] = x[j - 1];
    x[j] = v;
  }
}
static void quick(double *x, int lo, int hi) {
  if (lo >= hi)
    return;
  double pivot = x[(lo + hi) / 2];
  int i = lo, j = hi;
  while (i <= j) {
    while (x[i] < pivot)
      i++;
    while (x[j] > pivot)
      j--;
    if (i <= j) {
      double t = x[i];
      x[i++] = x[j];
      x[j--] = t;
    }
  }
  quick(x, lo, j);
  quick(x, i, hi);
}
static double weighted(const double *in, int n, int method) {
  double x[8], s = 0;
  for (int i = 0; i < n; ++i)
    x[i] = in[i] * in[i];
  if (method == 0)
    bubble(x, n);
  else if (method == 1)
    insertion(x, n);
  else
    quick(x, 0, n - 1);
  for (int i = 0; i < n; ++i)
    s += x[i] * (i + 1) * (i + 1);
  return s;
}
static double median(double a, double b, double c) {
  if (a > b) { double t = a; a = b; b = t; }
  if (b > c) { double t = b; b = c; c = t; }
  if (a > b) { double t = a; a = b; b = t; }
  return b * b;
}

int main(void) {
  double x[8] = {1.5, -0.5, 2, 0.25, 1.25, -1, 0.75, 1.1}, v[8] = {0, 0, 1};
  for (int method = 0; method < 3; ++method) {
    double d[8] = {0};
    __enzyme_autodiff((void *)weighted, x, d, 8, method);
    RG_GRADS(d, weighted(x, 8, method), x, 8);
    RG_NEAR(__enzyme_fwddiff((void *)weighted, x, v, 8, method), d[2]);
  }
  RG_NEAR(__enzyme_fwddiff((void *)median, 3.0, 1.0, 1.0, 0.0, 2.0, 0.0), 0);
  RG_NEAR(__enzyme_fwddiff((void *)median, 3.0, 0.0, 1.0, 0.0, 2.0, 1.0), 4);
  return rgReport();
}
