// Floats copied byte by byte. A loop that LLVM knows for a copy is one, also in a
// function that is not inlined in the user's program. Others are refused in reverse
// mode; forward mode moves the bytes of the tangents alike.
// RUN: %rgcc -O2 %s -o %t && %t
// RUN: not %rgcc -O2 -DPICKED -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -DPICKED -DFORWARD %s -o %t && %t
// Counting the bytes on the way makes integers of them, and parts of floats still.
// RUN: not %rgcc -O2 -DSUMMED -c %s -o %t.o 2>&1 | FileCheck --check-prefix=SUMMED %s
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#ifdef PICKED
__attribute__((noinline)) static void copy(void *d, const void *s, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)d)[i] = ((const char *)s)[i ^ 8]; // neighbours change places
}
#elif defined(SUMMED)
static unsigned sum;
__attribute__((noinline)) static void copy(void *d, const void *s, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned char c = ((const unsigned char *)s)[i];
    sum += c;
    // SUMMED: error: instruction 'store' cannot be differentiated here: a store of integers that may be parts of floating-point numbers [RG2002]
    ((unsigned char *)d)[i] = c;
  }
}
#else
__attribute__((noinline)) static void copy(void *d, const void *s, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)d)[i] = ((const char *)s)[i];
}
#endif
static double f(double *x, int n) {
  double t[4], s = 0;
  copy(t, x, n * 8);
  for (int i = 0; i < n; ++i)
    s += t[i] * t[i];
  return s;
}
int main(void) {
  double x[4] = {1, 2, 3, 4}, t[4] = {0, 0, 1, 0};
#ifdef FORWARD
  return __enzyme_fwddiff((void *)f, x, t, 4) != 6; // t[2] is one, x[2] is three
#else
  // CHECK: byte-copy.c:[[@LINE+1]]:{{[0-9]+}}: error: the type of every byte {{.*}} [RG1103]
  __enzyme_autodiff((void *)f, x, t, 4);
  return t[0] != 2 || t[1] != 4 || t[2] != 7 || t[3] != 8;
#endif
}
