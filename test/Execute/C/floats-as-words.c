// RG-LEVELS: O0 O1 O2 O3
// Floats that are moved as words, of which only one is used: what is overwritten by constants has
// no adjoint any more, what is overwritten by numbers hands it on. Found by fuzz/run.py --seed camp12.
#include "rgtest.h"

extern int enzyme_const, enzyme_dup;
void __enzyme_autodiff(void *, ...);

enum { N = 8 };
#define MOVES(COUNT)                                                                                      \
  static float last##COUNT(float *b, const float *c) {                                                    \
    memmove(b, c, COUNT * sizeof(float));                                                                 \
    return b[COUNT - 1];                                                                                  \
  }                                                                                                       \
  static float first##COUNT(float *b, const float *c) {                                                   \
    memcpy(b, c, COUNT * sizeof(float));                                                                  \
    return b[0] * b[0];                                                                                   \
  }                                                                                                       \
  static void test##COUNT(void) {                                                                         \
    for (int k = 0; k < 4; ++k) {                                                                         \
      float b[N] = {1, 2, 3}, c[N] = {4, 5, 6, 7, 8, 9, 10, 11}, db[N], dc[N] = {0};                      \
      for (int i = 0; i < N; ++i)                                                                         \
        db[i] = 1 + i;                                                                                    \
      if (k == 0)                                                                                         \
        __enzyme_autodiff((void *)last##COUNT, enzyme_dup, b, db, enzyme_const, c);                       \
      if (k == 1)                                                                                         \
        __enzyme_autodiff((void *)last##COUNT, enzyme_dup, b, db, enzyme_dup, c, dc);                     \
      if (k == 2)                                                                                         \
        __enzyme_autodiff((void *)first##COUNT, enzyme_dup, b, db, enzyme_const, c);                      \
      if (k == 3)                                                                                         \
        __enzyme_autodiff((void *)first##COUNT, enzyme_dup, b, db, enzyme_dup, c, dc);                    \
      for (int i = 0; i < N; ++i) {                                                                       \
        float used = k == 1 ? i == COUNT - 1 : i == 0 ? 2 * c[0] : 0;                                     \
        RG_NEAR(db[i], i < COUNT ? 0 : 1 + i);                                                            \
        RG_NEAR(dc[i], (k & 1) && i < COUNT ? 1 + i + used : 0);                                          \
      }                                                                                                   \
    }                                                                                                     \
  }
MOVES(1)
MOVES(2)
MOVES(3)
MOVES(4)
MOVES(5)
MOVES(6)

int main() {
  test1(), test2(), test3(), test4(), test5(), test6();
  return rgReport();
}
