// Integer random numbers drive an active simulation: a geometric walk priced
// with common random numbers, and rejection that depends on integers only.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}
static double uniform(uint64_t *state) { return (next(state) >> 11) * 0x1p-53; }
static double normal(uint64_t *state) {
  double u = uniform(state), v = uniform(state);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}
static double price(double spot, double sigma, double strike, int paths) {
  uint64_t state = 88172645463325252ull;
  double sum = 0;
  for (int p = 0; p < paths; ++p) {
    double s = spot, average = 0;
    for (int t = 0; t < 8; ++t) {
      s *= exp(-0.5 * sigma * sigma * 0.1 + sigma * sqrt(0.1) * normal(&state));
      average += s / 8;
    }
    if (average > strike)
      sum += average - strike;
    else
      sum += 0.001 * (average - strike) * (average - strike);
  }
  return sum / paths;
}
typedef struct { double spot, sigma; } Greeks;
Greeks __enzyme_autodiff_greeks(void *, ...);

int main(void) {
  double spot = 1.0, sigma = 0.3, strike = 0.95;
  Greeks g = __enzyme_autodiff_greeks((void *)price, spot, sigma, enzyme_const,
                                      strike, 20);
  // Few paths, and none of them within the step of the kink at the strike.
  double wantSpot = __enzyme_fwddiff((void *)price, spot, 1.0, sigma, 0.0,
                                     enzyme_const, strike, 20);
  double wantSigma = __enzyme_fwddiff((void *)price, spot, 0.0, sigma, 1.0,
                                      enzyme_const, strike, 20);
  RG_NEAR(g.spot, wantSpot);
  RG_NEAR(g.sigma, wantSigma);
  const double h = 1e-6;
  RG_WITHIN(g.spot, (price(spot + h, sigma, strike, 20) -
                     price(spot - h, sigma, strike, 20)) / (2 * h), 1e-6);
  RG_WITHIN(g.sigma, (price(spot, sigma + h, strike, 20) -
                      price(spot, sigma - h, strike, 20)) / (2 * h), 1e-6);
  return rgReport();
}
