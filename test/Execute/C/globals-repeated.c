// State in globals is not carried from one derivative into the next: calling
// f's derivative twice gives the same answer twice, and f's primal effects on
// the globals happen exactly once per derivative.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);

static double memory = 1.0;
static int calls;
static double history[4];

static double f(double x) {
  ++calls;
  memory = x * 2.0;
  history[calls % 4] = memory * memory;
  return memory * history[calls % 4];
}
static double running = 0.5;
static double relax(double x) {
  double old = running; // a value of before is a constant to this derivative
  running = 0.0;
  for (int i = 0; i < 3; ++i)
    running = running * 0.5 + x * x;
  double r = running * old;
  running = old;
  return r;
}

int main(void) {
  for (int i = 0; i < 5; ++i) {
    int before = calls;
    RG_NEAR(__enzyme_autodiff((void *)f, 1.5), 24 * 1.5 * 1.5);
    RG_TRUE(calls == before + 1);
    RG_NEAR(memory, 3.0);
    RG_NEAR(history[calls % 4], 9.0);
  }
  for (int i = 0; i < 3; ++i) {
    RG_NEAR(__enzyme_autodiff((void *)relax, 2.0), 1.75 * 4.0 * 0.5);
    RG_NEAR(running, 0.5);
  }
  return rgReport();
}
