// A call that might throw, below an object with a destructor, is an invoke.
#include "dispatch.h"
#include "rgthreads.h"
#include <vector>

struct Rows {
  const double *x;
  std::vector<double> y;
};
static void square(void *p, size_t i) {
  Rows *r = static_cast<Rows *>(p);
  r->y[i] = r->x[i] * r->x[i] * r->x[0];
}
static double f(const double *x, int n) {
  Rows r{x, std::vector<double>(n)};
  dispatch_apply_f(n, nullptr, &r, square);
  double s = 0;
  for (double v : r.y)
    s = s * 0.9 + v * v;
  return s;
}
int main() {
  POINT;
  CHECK(f);
  return rgReport();
}
