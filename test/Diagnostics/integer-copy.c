// Doubles that pass through arrays of int and change places by halves: each access says
// int, and only the reads behind them tell that they carried a derivative.
// RUN: not %rgcc -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O1 -DWHOLE %s -o %t && %t
// Where a function only moves them, its callers tell:
// RUN: not %rgcc -O1 -DMOVED -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MOVED %s
// RUN: %rgcc -O1 -DINTEGERS %s -o %t && %t
// Used as ints here, and floats to the callers:
// RUN: not %rgcc -O1 -DHASHED -c %s -o %t.o 2>&1 | FileCheck --check-prefix=HASHED %s
#include <string.h>
double __enzyme_autodiff(void *, ...);
static double f(double *x) {
  int w[4], v[4], i;
  double y[2];
  memcpy(w, x, sizeof w);
#ifdef WHOLE
  memcpy(v, w, sizeof v);
#else
  for (i = 0; i < 4; ++i)
    // CHECK: error: the type of every byte that derivatives may flow through must be known, and 'f' moves bytes of unknown type: 4 bytes [RG1103]
    // CHECK: integer-copy.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'f'
    v[i ^ 2] = w[i];
#endif
  memcpy(y, v, sizeof y);
  return y[0] * y[0] * y[1];
}
#if defined(MOVED) || defined(INTEGERS)
#ifdef MOVED
typedef struct { double n[2], factor; } Numbers;
#else
typedef struct { int n[4]; double factor; } Numbers;
#endif
// MOVED: error: the type of every byte that derivatives may flow through must be known, and 'all' moves bytes of unknown type: 4 bytes [RG1103]
__attribute__((noinline)) static void move(const void *x, void *y) {
  int w[4], v[4], i;
  memcpy(w, x, sizeof w);
  for (i = 0; i < 4; ++i)
    v[i ^ 2] = w[i];
  memcpy(y, v, sizeof v);
}
static void all(const Numbers *x, Numbers *y) {
  move(x, y);
  y->factor = x->factor * x->factor;
}
int main(void) {
  Numbers x = {{1, 2}, 3}, dx = {{0, 0}, 0}, y = x, dy = {{0, 0}, 1};
  __enzyme_autodiff((void *)all, &x, &dx, &y, &dy);
  return dx.factor != 6 || y.n[1] + y.n[0] == 100;
}
#elif defined(HASHED)
__attribute__((noinline)) static unsigned hash(const int *w, int n) {
  unsigned h = 0;
  for (int i = 0; i < n; ++i)
    h = h * 31 + w[i];
  return h;
}
static double g(const double *x, double *y) {
  int w[4];
  memcpy(w, x, sizeof w);
  // HASHED: error: the type of every byte that derivatives may flow through must be known, and 'g' moves bytes of unknown type: 16 bytes [RG1103]
  memcpy(y, w, sizeof w);
  return hash(w, 4) & 1;
}
int main(void) {
  double x[2] = {1, 2}, dx[2] = {0, 0}, y[2], dy[2] = {1, 1};
  __enzyme_autodiff((void *)g, x, dx, y, dy);
  return dx[0] != 1 || dx[1] != 1 || y[1] != 2;
}
#else
int main(void) {
  double x[2] = {1.5, 2.5}, dx[2] = {0, 0};
  __enzyme_autodiff((void *)f, x, dx);
  return dx[0] != 7.5 || dx[1] != 2.25;
}
#endif
