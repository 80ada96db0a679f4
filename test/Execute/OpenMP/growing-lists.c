// Lists of integers grow within a region, as neighbours do in a cell code: a block that holds integers alone has no adjoints
// to hand back.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
struct lists {
  int **of, *count;
  const double *x;
};
static double near(const double *x, int n) {
  struct lists l = {calloc(n, sizeof(int *)), calloc(n, sizeof(int)), x};
  double s = 0;
#pragma omp parallel reduction(+ : s)
  for (int round = 0; round < 2; ++round) {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < n; ++i) {
      l.count[i] = 0;
      for (int j = 0; j < n; ++j)
        if (j != i && fabs(l.x[i] - l.x[j]) < 0.27) {
          l.of[i] = realloc(l.of[i], (l.count[i] + 1) * sizeof(int));
          l.of[i][l.count[i]++] = j;
        }
    }
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < l.count[i]; ++k) {
        double d = l.x[i] - l.x[l.of[i][k]];
        double left = 0.27 * 0.27 - d * d; // zero where a pair comes or goes
        s += left * left * left * l.x[i];
      }
  }
  for (int i = 0; i < n; ++i)
    free(l.of[i]);
  free(l.of), free(l.count);
  return s;
}
int main(void) {
  POINT;
  CHECK(near);
  return rgReport();
}
