// Pointers and small numbers as exceptions: a handler for pointers gets the
// pointer that was thrown, not the object that holds it.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cstring>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

__attribute__((noinline)) static double scaled(double *p, int how) {
  if (how == 1)
    throw p;
  if (how == 2)
    throw "two";
  if (how == 3)
    throw 3;
  return *p * 4;
}
static double f(double x) {
  double s = 0;
  for (int i = 0; i < 4; ++i) {
    double held = x * x + i;
    try {
      s += scaled(&held, i);
    } catch (double *p) {
      s += *p * *p * x;
      *p = 2;
    } catch (const char *text) {
      s *= x * std::strlen(text);
    } catch (int n) {
      s += n * held;
    }
  }
  return s;
}

int main() {
  RG_UNARY(f, 0.75);
  RG_UNARY(f, 1.5);
  return rgReport();
}
