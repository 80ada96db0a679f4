// enzyme_width: several adjoints from one tape.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_dupv, enzyme_const, enzyme_width, enzyme_out;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
struct two { double lane[2]; };
struct two __enzyme_reverse_two(void *, ...);

void map(const double *x, double *y, int n) {
  double *w = malloc(n * sizeof *w);
  for (int i = 0; i < n; ++i)
    w[i] = x[i] * x[(i + 1) % n];
  for (int i = 0; i < n; ++i)
    y[i] = sin(w[i]) + w[(i + 1) % n];
  free(w);
}
double power(double x, double y) { return pow(x, y); }
enum { N = 3 };
int main(void) {
  double x[N] = {.3, .5, .7}, kept[N] = {.3, .5, .7}, y[N];
  double dx[N][N] = {{0}}, dy[N][N] = {{0}};
  // A whole Jacobian, a row per lane.
  void *t = __enzyme_augmentfwd((void *)map, enzyme_width, 3, enzyme_dupv, sizeof dx[0], x, dx,
                                enzyme_dupv, sizeof dy[0], y, dy, enzyme_const, N);
  memset(x, 0, sizeof x);
  for (int i = 0; i < N; ++i)
    dy[i][i] = 1;
  __enzyme_reverse((void *)map, enzyme_width, 3, enzyme_dupv, sizeof dx[0], x, dx, enzyme_dupv,
                   sizeof dy[0], y, dy, enzyme_const, N, t);
  for (int i = 0; i < N; ++i)
    RG_GRADS(dx[i], (map(kept, y, N), y[i]), kept, N);
  // Seeds by value, one per lane.
  double a = 1.3, b = 2.1;
  void *u = __enzyme_augmentfwd((void *)power, enzyme_width, 2, enzyme_out, a, enzyme_const, b);
  struct two r = __enzyme_reverse_two((void *)power, enzyme_width, 2, enzyme_out, a, enzyme_const, b,
                                      1.0, 3.0, u);
  RG_GRAD(r.lane[0], power(a, b), a);
  RG_GRAD(r.lane[1] / 3, power(a, b), a);
  return rgReport();
}
int enzyme_dup, enzyme_dupv, enzyme_const, enzyme_width, enzyme_out;
