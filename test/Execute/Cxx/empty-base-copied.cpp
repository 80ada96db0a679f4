// A class begins with a base that has no members. Its copy constructor copies
// one byte for that base, and an index that may go down reaches the byte as a
// part of a number: it is none.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>
#include <cstddef>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
template <typename... T> double __enzyme_fwddiff(void *, T...);

struct Algebra {};

class Base {
public:
  const Algebra &algebra() const { return held; }

protected:
  Algebra held;
};

class Stepper : public Base {
public:
  Stepper() : first(0) {
    for (double &v : storage)
      v = 0;
  }
  Stepper(const Stepper &from) : Base(from), first(from.first) {
    for (int i = 0; i < 4; ++i)
      storage[i] = from.storage[i];
  }
  double *at(long i) { return storage + (first + i) % 4; }
  __attribute__((noinline)) void rotate(double with) {
    first = (first + 3) % 4;
    *at(0) = with;
  }
  __attribute__((noinline)) double sum(long down) {
    double s = 0;
    for (long i = 3; i >= 0; --i)
      s += *(at(i) - down) * (i + 1);
    return s;
  }

private:
  double storage[4];
  long first;
};

__attribute__((noinline)) static double run(Stepper stepper, const double *x,
                                            int n) {
  for (int i = 0; i < n; ++i)
    stepper.rotate(std::sin(x[i]));
  return stepper.sum(0);
}

static double f(const double *x, int n) {
  Stepper stepper;
  stepper.rotate(x[0] * x[1]);
  return run(stepper, x, n);
}

int main() {
  double x[3] = {0.3, 0.7, 1.1}, g[3] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 3);
  for (int i = 0; i < 3; ++i) {
    double t[3] = {0};
    t[i] = 1;
    RG_GRAD(g[i], f(x, 3), x[i]);
    RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, 3),
            g[i]);
  }
  return rgReport();
}
