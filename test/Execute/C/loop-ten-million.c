// Ten million steps of a loop whose end nobody can compute in advance: the tape
// must grow without copying and stay within a bound.
#include "rgtest.h"
#include <sys/resource.h>
double __enzyme_autodiff(void *, ...);
int enzyme_out, enzyme_const;

static double decay(double rate, double stop) {
  double x = 1.0;
  while (x > stop)
    x -= rate * x * x;
  return x;
}

int main(void) {
  // x(t) = 1 / (1 + rate t) nearly; 1e7 steps until x drops to 0.5.
  double rate = 1e-7, stop = 0.5;
  long steps = 0;
  double x = 1.0, dx = 0.0; // tangent by hand, over the same steps
  while (x > stop) {
    dx = dx - x * x - 2 * rate * x * dx;
    x -= rate * x * x;
    ++steps;
  }
  RG_TRUE(steps > 9900000 && steps < 10100000);
  double got =
      __enzyme_autodiff((void *)decay, enzyme_out, rate, enzyme_const, stop);
  RG_WITHIN(got, dx, 1e-7);

  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  RG_TRUE(usage.ru_maxrss < 1000 * 1024); // KiB; one value a step is 80 MB
  return rgReport();
}
