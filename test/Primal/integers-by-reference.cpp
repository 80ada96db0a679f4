// A function that moves integers by references does not say what they are: a word may be an address. Where all its calls hand over
// members and variables that are declared as integers, it says so; also through functions that hand the references on.
// RUN: %rgcxx -O1 -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// RUN: %rgcxx -O0 -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s --check-prefix=INLINED
// RUN: %rgcxx -O1 -DBITS -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s --check-prefix=BITS
#include <cstring>

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

template <class T> __attribute__((noinline)) void exchange(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}
template <class T> __attribute__((noinline)) void handOn(T &a, T &b) { exchange(a, b); }
__attribute__((noinline)) static void elements(unsigned long &a, unsigned long &b) {
  unsigned long t = a;
  a = b;
  b = t;
}

struct Matrix {
  double *numbers;
  long rows, columns;
};

// CHECK: define internal void @rg.primal._Z8exchangeIlEvRT_S1_(
// CHECK: load i64, ptr %{{.*}}!rg.int
// CHECK: ret void
// CHECK: define internal {{.*}}void @rg.primal._ZL8elementsRmS_(
// CHECK-NOT: !annotation
// CHECK: ret void
// INLINED: define internal {{.*}} @rg.primal._Z1fP6Matrix
// INLINED: load i64, ptr %{{.*}}!mmra{{.*}}!rg.int
// BITS: define internal void @rg.primal._Z8exchangeIlEvRT_S1_(
// BITS-NOT: !annotation
// BITS: ret void
double f(Matrix *a, Matrix *b, unsigned long *places, int n) {
#ifdef BITS
  double number = a->numbers[0];
  memcpy(&places[n], &number, sizeof number);
#endif
  handOn(a->rows, b->rows);
  exchange(a->columns, b->columns);
  elements(places[0], places[n]);
  double s = 0;
  for (long i = 0; i < a->rows * a->columns; i++)
    s += a->numbers[i] * b->numbers[places[i]];
  return s;
}

void gradient(Matrix *a, Matrix *da, Matrix *b, Matrix *db, unsigned long *places, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_const, places, enzyme_const, n);
}
