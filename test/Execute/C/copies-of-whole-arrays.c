// Copies whose length is a constant of many elements: the compiler has no work per element of them. From array
// to array, into memory that is only copied on, from the middle of an array on, and where a loop touches only every thousandth
// element.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
int enzyme_dup, enzyme_const;

enum { Many = 100000 };
static double numbers[Many], others[Many];

static double doubles(const double *x, int n) {
  for (int i = 0; i < Many; i += 997)
    numbers[i] = x[i % n] * x[(i + 1) % n];
  memcpy(others, numbers, sizeof others);
  void *moved = malloc(sizeof others), *again = malloc(sizeof others);
  memcpy(moved, others, sizeof others);
  memcpy(again, moved, sizeof others);
  double *back = again, s = 0;
  for (int i = 0; i < Many; i += 997)
    s += sin(back[i]) + others[i] * numbers[i];
  free(moved);
  free(again);
  return s;
}

static double middle(const double *x, int n) {
  for (int i = 0; i < Many; i++)
    numbers[i] = x[i % n] * (i % 997 == 0);
  double *moved = malloc(Many / 2 * sizeof *moved);
  memcpy(moved, numbers + 4003, Many / 2 * sizeof *moved);
  memmove(numbers + 12, numbers, Many / 2 * sizeof *moved);
  double s = 0;
  for (int i = 0; i < Many / 2; i++)
    s += moved[i] * moved[i] + numbers[i] * numbers[i + 997];
  free(moved);
  return s;
}

int main() {
  RG_CHECK_VECTOR(doubles);
  RG_CHECK_VECTOR(middle);
  return rgReport();
}
