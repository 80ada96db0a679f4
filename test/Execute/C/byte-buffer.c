// Numbers through a buffer of characters: packed, moved about and unpacked again.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct record { int kind; double value; };

static double packed(double x) {
  char buffer[64];
  size_t at = 0;
  double y = x * x;
  memcpy(buffer + at, &x, sizeof x);
  at += sizeof x;
  memcpy(buffer + at, &y, sizeof y);
  double a, b;
  memcpy(&a, buffer + 8, sizeof a);
  memcpy(&b, buffer, sizeof b);
  return a * b + b;
}
static double records(const double *x, int n) {
  char buffer[128];
  for (int i = 0; i < n; ++i) {
    struct record r = {i % 2, x[i] * x[i]};
    memcpy(buffer + i * sizeof r, &r, sizeof r);
  }
  double s = 1;
  for (int i = n - 1; i >= 0; --i) {
    struct record r;
    memcpy(&r, buffer + i * sizeof r, sizeof r);
    s = r.kind ? s * r.value : s + r.value;
  }
  return s;
}

int main(void) {
  RG_UNARY(packed, 1.25);
  double x[5] = {1.5, 0.5, -1, 0.75, 2}, d[5] = {0}, v[5] = {0, 1, 0, 0, 0};
  __enzyme_autodiff((void *)records, x, d, 5);
  RG_GRADS(d, records(x, 5), x, 5);
  RG_NEAR(__enzyme_fwddiff((void *)records, x, v, 5), d[1]);
  return rgReport();
}
