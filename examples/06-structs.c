// Structs and linked data have shadows of the same shape.
//
// The shadow of a struct is a struct of the same type: its floating-point members
// collect derivatives, its pointers point to shadows of what the primal's pointers
// point to, its integers are not looked at.

#include <stdio.h>

void __enzyme_autodiff(void *, ...);

struct spring {
  int id;
  double stiffness, length;
  const struct spring *next;
};

double energy(const struct spring *s, double at) {
  double sum = 0;
  for (; s; s = s->next)
    sum += 0.5 * s->stiffness * (at - s->length) * (at - s->length);
  return sum;
}

double __enzyme_autodiff_energy(double (*)(const struct spring *, double),
                                const struct spring *, struct spring *, double);

int main(void) {
  struct spring second = {2, 3.0, 1.0, NULL}, first = {1, 2.0, 0.5, &second};
  struct spring d2 = {0, 0, 0, NULL}, d1 = {0, 0, 0, &d2};
  // An entry call may have exact types; its name only has to contain the word.
  double force = __enzyme_autodiff_energy(energy, &first, &d1, 2.0);
  printf("by position %g\n", force);
  printf("by stiffness %g %g\n", d1.stiffness, d2.stiffness);
  printf("by length %g %g\n", d1.length, d2.length);
}

// RUN: %rgcc -O2 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// prints: by position 6
// prints: by stiffness 1.125 0.5
// prints: by length -3 -3
