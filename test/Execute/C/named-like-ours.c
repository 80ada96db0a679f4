// RG-LEVELS: O0 O2 O3
// A function of the user's whose name begins as the runtime's do, around a derivative call whose
// types are asked of the functions around it: the differentiated function only moves bytes.
#include "rgtest.h"
void __enzyme_autodiff(void *, ...);

static void move(double *from, double *to) { memcpy(to, from, 8); }

__attribute__((noinline)) static int rg_gradient(void) {
  double x = 1.5, dx = 1, y = 0, dy = 5;
  __enzyme_autodiff((void *)move, &x, &dx, &y, &dy);
  RG_NEAR(y, 1.5);
  RG_NEAR(dx, 6);
  RG_NEAR(dy, 0);
  return rgReport();
}

int main() { return rg_gradient(); }
