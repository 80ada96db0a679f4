// What shows at run time only: a tape of another function, other shadows than the
// tape's, memory that is too small for a tape.
// RUN: %rgcc -O0 %s -o %t -lm && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s --check-prefix=TAPE
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=SHADOW
// RUN: not --crash %t 3 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: %rgcc -O2 %s -o %t -lm && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s --check-prefix=TAPE
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=SHADOW
// RUN: not --crash %t 3 2>&1 | FileCheck %s --check-prefix=MEMORY
// TAPE: retrograd: the reverse sweep of 'dot' was given a tape that it cannot read
// TAPE-NOT: number
// SHADOW: retrograd: the reverse sweep of 'dot' must be given the shadows that __enzyme_augmentfwd was given
// SHADOW-NOT: number
// MEMORY: retrograd: memory for a tape must have the size that __enzyme_augmentsize returns
// MEMORY-NOT: number
#include <stdio.h>
#include <stdlib.h>
extern int enzyme_const, enzyme_dup, enzyme_tape, enzyme_allocated;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
double dot(const double *x) { return x[0] * x[1]; }
double sum(const double *x) { return x[0] * x[0] + x[1]; }
int main(int argc, char **argv) {
  int which = argc > 1 ? atoi(argv[1]) : 0;
  double x[2] = {2, 3}, d[2] = {0}, other[2] = {0};
  void *memory;
  void *t = __enzyme_augmentfwd((void *)dot, enzyme_dup, x, d);
  void *u = __enzyme_augmentfwd((void *)sum, enzyme_dup, x, d);
  __enzyme_augmentfwd((void *)dot, enzyme_allocated, which == 3 ? 4 + argc - 2 : 8, enzyme_tape, &memory,
                      enzyme_dup, x, d);
  __enzyme_reverse((void *)dot, enzyme_dup, x, which == 2 ? other : d, 1.0, which == 1 ? u : t);
  __enzyme_reverse((void *)sum, enzyme_dup, x, d, 1.0, which == 1 ? t : u);
  __enzyme_reverse((void *)dot, enzyme_dup, x, d, 1.0, enzyme_allocated, 8, enzyme_tape, &memory);
  printf("a number: %g\n", d[0]);
  return d[0] != 10;
}
int enzyme_const, enzyme_dup, enzyme_tape, enzyme_allocated;
