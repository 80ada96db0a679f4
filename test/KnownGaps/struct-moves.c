// XFAIL: *
// RG-LEVELS: O2
// Floats behind an array of doubles in a struct that is moved by a pointer to bytes, where only
// the array is used, by an index of unknown range, and nobody says what the memory holds: no
// access in the file, no debug information. They are moved as more doubles.
#include "rgtest.h"
#include <stdlib.h>

void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct Particle {
  double at[3];
  float mass, charge;
};
static void push(struct Particle *p, int axis, const double *v) {
  unsigned char *bytes = (unsigned char *)p;
  memmove(bytes + sizeof *p, bytes, sizeof *p);
  p[1].at[axis] = *v * *v;
}
// Numbers as a file or a network has them.
__attribute__((noinline)) static void read(unsigned char *to, const char *hex, int n) {
  for (int i = 0; i < n; ++i) {
    char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
    to[i] = (unsigned char)strtoul(two, 0, 16);
  }
}

int main(int argc, char **argv) {
  unsigned char *p = malloc(64), *d = malloc(64), want[4], got[4];
  double v = 3, dv = 0;
  read(p, "000000000000000000000000000000000000000000000000000080400000a040"
          "0000000000000000000000000000000000000000000000000000000000000000", 64);
  // Adjoints: 1.5 of the first mass, 0.5 and 0.25 of the second's mass and charge.
  read(d, "0000000000000000000000000000000000000000000000000000c03f00000000"
          "0000000000000000000000000000000000000000000000000000003f0000803e", 64);
  __enzyme_autodiff((void *)push, enzyme_dup, p, d, enzyme_const, argc, enzyme_dup, &v, &dv);
  read(want, "00000040", 4); // 2
  memcpy(got, d + 24, 4);
  RG_NEAR(memcmp(got, want, 4), 0);
  return rgReport();
}
