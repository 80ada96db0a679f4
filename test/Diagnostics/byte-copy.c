// Floats copied byte by byte by a loop that stays a loop: refused in reverse mode;
// forward mode moves the bytes of the tangents alike.
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -DFORWARD %s -o %t && %t
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
__attribute__((noinline)) static void copy(void *d, const void *s, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)d)[i] = ((const char *)s)[i];
}
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
  return __enzyme_fwddiff((void *)f, x, t, 4) != 6;
#else
  // CHECK: byte-copy.c:[[@LINE+1]]:{{[0-9]+}}: error: the type of every byte {{.*}} [RG1103]
  __enzyme_autodiff((void *)f, x, t, 4);
#endif
}
