// Marks that drop a derivative, each where there is one.
#include <cmath>
double __enzyme_ignore_derivatives(double);
double __enzyme_call_inactive(void *, ...);

__attribute__((annotate("enzyme_inactive"))) static double damp(double x) { return std::exp(-x); } // line 6
double damped(double x) { return x * damp(x); }

struct Probe {
  double gain;
  [[enzyme::inactive]] double weight(double x) const { return gain * x * x; } // line 11
};
double probed(double x) {
  Probe p{3};
  return x + p.weight(x);
}

static double ignored(double x) {
  double s = std::sin(x);
  return x * __enzyme_ignore_derivatives(s); // line 20
}
double ignoring(double x) { return 2 * ignored(x); }

static double square(double x) { return x * x; }
double called(double x) {
  return x + __enzyme_call_inactive((void *)square, x); // line 26
}

__attribute__((annotate("enzyme_inactive"))) static double scratch; // line 29
double stored(double x) {
  scratch = x * x;    // line 31
  return x * scratch;
}

// Nothing is lost by a mark on what has no derivative.
__attribute__((annotate("enzyme_inactive"))) static int count(double) { return 3; }
double counting(double x) { return x * count(x); }
