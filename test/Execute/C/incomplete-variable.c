// A variable of a library whose type the program does not know: its address is kept
// beside numbers, as null requests of MPI are. There is nothing that its shadow could be
// a copy of.
// RG-LEVELS: O0 O2
// RG-FLAGS: -flto
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct handle;
extern struct handle library_null;
__asm__(".data\n.globl library_null\nlibrary_null: .quad 0\n.text\n");
struct box {
  void *of[3];
  double *values;
};
__attribute__((noinline)) static void reset(struct box *b, int which) {
  for (int i = 0; i < 3; ++i)
    b->of[i] = i == which ? (void *)&b->values[i] : &library_null;
}
static double run(double x, int which) {
  struct box *b = malloc(sizeof *b);
  b->values = malloc(3 * sizeof(double));
  reset(b, which);
  for (int i = 0; i < 3; ++i)
    b->values[i] = x;
  for (int i = 0; i < 3; ++i)
    if (b->of[i] != &library_null)
      *(double *)b->of[i] *= x * (i + 1);
  double r = b->values[0] * b->values[1] * b->values[2];
  free(b->values);
  free(b);
  return r;
}
int main(void) {
  double x = 1.3;
  for (int w = 0; w < 4; ++w) {
    RG_GRAD(__enzyme_autodiff((void *)run, x, w), run(x, w), x);
    RG_GRAD(__enzyme_fwddiff((void *)run, x, 1.0, w), run(x, w), x);
  }
  return rgReport();
}
