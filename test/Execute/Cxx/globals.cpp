// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Static members, function-local statics, namespace-scope state and constexpr
// tables; anonymous namespaces.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

namespace {
constexpr double Table[] = {1.0, 0.5, 0.25};
double scratch[4];
struct Config {
  static double Gain;
  static constexpr int Order = 3;
  inline static double Offset = 0.25;
};
double Config::Gain = 2.0;
} // namespace

static double constants(double x) {
  double r = 0;
  for (int i = 0; i < Config::Order; ++i)
    r = r * x + Table[i];
  return r * Config::Gain + Config::Offset * x;
}
static double state(double x) {
  Config::Gain = x * x;
  scratch[0] = Config::Gain + x;
  scratch[1] = scratch[0] * Config::Gain;
  double r = scratch[1] * scratch[0];
  Config::Gain = 2.0;
  return r;
}
static double &cell() {
  static double Cell = 1.0;
  return Cell;
}
static double locals(double x) {
  cell() = x;
  cell() *= x;
  double r = cell() * 3;
  cell() = 1.0;
  return r;
}

int main() {
  RG_UNARY(constants, 0.75);
  RG_UNARY(state, 1.25);
  RG_UNARY(locals, 1.5);
  RG_UNARY(constants, 0.75);
  return rgReport();
}
