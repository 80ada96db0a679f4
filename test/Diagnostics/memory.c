// -rg-memory: what is sure to be kept is refused at compile time, the rest is told at
// run time, and the derivative is right all the same.
// RUN: not %rgcc -O2 -mllvm -rg-memory=7K -DKNOWN -c %s -o %t.o 2>&1 | FileCheck --check-prefix=KNOWN %s
// RUN: %rgcc -O2 -mllvm -rg-memory=9K -DKNOWN %s -lm -o %t.fits && %t.fits 1000 2>&1 | FileCheck --check-prefix=QUIET %s
// RUN: %rgcc -O2 -mllvm -rg-memory=1M %s -lm -o %t.any && %t.any 1000 2>&1 | FileCheck --check-prefix=QUIET %s
// RUN: %t.any 200000 2>&1 | FileCheck --check-prefix=TOLD %s
// RUN: not %rgcc -O2 -mllvm -rg-memory=much -c %s -o %t.o 2>&1 | FileCheck --check-prefix=WRONG %s
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
extern int enzyme_const;

#ifdef KNOWN
#define COUNT 1000
#else
#define COUNT n
#endif
static double f(double x, long n) {
  for (long i = 0; i < COUNT; ++i)
    x = sin(x) + 0.5 * x;
  return x;
}

int main(int argc, char **argv) {
  const long n = atol(argv[1]);
  // KNOWN: memory.c:[[@LINE+4]]:{{[0-9]+}}: error: the reverse derivative of 'f' keeps {{[0-9]+}} bytes, and 7168 are allowed (-rg-memory) [RG2112]
  // QUIET-NOT: rg-memory
  // TOLD: retrograd: the tape of the derivative of 'f' holds {{[0-9]+}} bytes, more than -rg-memory=1048576; the program goes on
  // WRONG: -rg-memory=much
  double d = __enzyme_autodiff((void *)f, 0.7, enzyme_const, n);
  const double h = 1e-6;
  double difference = (f(0.7 + h, n) - f(0.7 - h, n)) / (2 * h);
  // QUIET: right
  // TOLD: right
  printf("%s\n", fabs(d - difference) < 1e-6 ? "right" : "wrong");
  return 0;
}
