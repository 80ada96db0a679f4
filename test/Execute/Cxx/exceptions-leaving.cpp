// Exceptions that leave a derivative: they reach the handler around it, the
// tape is given back, and later derivatives are right. So do those that a
// recursive function could also have caught itself, and those that leave an
// inner derivative only. RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>

#include <stdexcept>
#include <string>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern "C" unsigned long rg_tape_bytes_peak(void);
extern "C" void rg_tape_bytes_reset(void);

__attribute__((noinline)) static double step(double x, int i, int bad) {
  if (i == bad)
    throw std::runtime_error("step " + std::to_string(i));
  return std::sin(x) * x + i;
}
static double chain(double x, int n, int bad) {
  double s = x;
  for (int i = 0; i < n; ++i)
    s = step(s, i, bad);
  return s * s;
}
static double grad(double x, int n, int bad) {
  return __enzyme_autodiff((void *)chain, x, n, bad);
}
static double tangent(double x, int n, int bad) {
  return __enzyme_fwddiff((void *)chain, x, 1.0, n, bad);
}

// Watched by itself, so that its exceptions come back by a return.
static double climb(double x, int depth) {
  if (depth == 0)
    throw x * x;
  try {
    return climb(x * 1.1, depth - 1) * x;
  } catch (double d) {
    if (depth == 2)
      throw std::string(1, char(48 + depth));
    if (depth == 4)
      return d * x;
    throw d * x;
  }
}
static double climbCaught(double x) {
  try {
    return climb(x, 3);
  } catch (const std::string &s) {
    return x * x * (s[0] - '0');
  }
}

static double withMemory(double x, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i)
    v.push_back(x * i);
  if (n > 5)
    throw v.back();
  double s = 0;
  for (double d : v)
    s += d * d;
  return s;
}

int main() {
  rg_tape_bytes_reset();
  double x = 1.25;
  for (int round = 0; round < 50; ++round) {
    bool caught = false;
    try {
      grad(x, 2000, 1990);
    } catch (const std::runtime_error &e) {
      caught = std::string(e.what()) == "step 1990";
    }
    RG_TRUE(caught);
    caught = false;
    try {
      tangent(x, 20, 19);
    } catch (const std::exception &) {
      caught = true;
    }
    RG_TRUE(caught);
  }
  // One run at most was on the tape at a time.
  RG_TRUE(rg_tape_bytes_peak() < 2000 * 200);
  RG_GRAD(grad(x, 8, -1), chain(x, 8, -1), x);
  RG_GRAD(tangent(x, 8, -1), chain(x, 8, -1), x);

  std::string text;
  try {
    __enzyme_autodiff((void *)climb, x, 3);
  } catch (const std::string &s) {
    text = s;
  }
  RG_TRUE(text == "2");
  double thrown = 0;
  try {
    __enzyme_autodiff((void *)climb, x, 1);
  } catch (double d) {
    thrown = d;
  }
  RG_NEAR(thrown, 1.1 * x * 1.1 * x * x);
  RG_GRAD(__enzyme_autodiff((void *)climbCaught, x), climbCaught(x), x);

  thrown = 0;
  try {
    __enzyme_autodiff((void *)withMemory, x, 8);
  } catch (double d) {
    thrown = d;
  }
  RG_NEAR(thrown, 7 * x);
  RG_GRAD(__enzyme_autodiff((void *)withMemory, x, 4), withMemory(x, 4), x);
  return rgReport();
}
