// The text of an exception is asked for by a virtual call: what a class of the
// program's own answers, or one whose code is in the library. Exceptions are reached
// by globals of the runtime, but hold no numbers.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdexcept>
#include <string>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct Own : std::runtime_error {
  int code;
  Own(int code) : std::runtime_error("own"), code(code) {}
  const char *what() const noexcept override { return "mine!"; }
};
static double term(double x, int i) {
  if (i == 2)
    throw std::runtime_error("bad");
  if (i == 4)
    throw Own(i);
  if (i == 5)
    throw std::out_of_range("far " + std::to_string(i));
  return x * i;
}
static double sum(double x) {
  double a = 0;
  for (int i = 0; i < 7; ++i)
    try {
      a += term(x, i) * x;
    } catch (const std::exception &e) {
      a *= x;
      a += std::string(e.what()).size();
    }
  return a;
}
// An exception that does carry a number, and tells it by a virtual call.
struct Carrier : std::exception {
  double value;
  Carrier(double value) : value(value) {}
  virtual double get() const { return value * value; }
  const char *what() const noexcept override { return "carrier"; }
};
static double carried(double x) {
  try {
    if (x > 0)
      throw Carrier(x * 3);
    return x;
  } catch (const Carrier &c) {
    return c.get() * x + std::string(c.what()).size();
  }
}
int main() {
  RG_UNARY(sum, .8);
  RG_UNARY(carried, 1.5);
  return rgReport();
}
