// The bucket inside of libstdc++'s std::unordered_map becomes a variable: the table points to it, and it is cleared by itself.
// RUN: %rgcxx -std=c++20 -O2 -fno-discard-value-names -c %s -o %t.o -mllvm -rg-print-after=separate-buckets 2>&1 | FileCheck %s
#include <unordered_map>
extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

// CHECK: ; after separate-buckets
// CHECK: %bucket = alloca ptr
// CHECK: store ptr %bucket, ptr %m
// CHECK: call void @llvm.memset.p0.i64(ptr %bucket, i8 0, i64 8, i1 false)
static double f(const double *x) {
  std::unordered_map<int, double> m;
  for (int i = 0; i < 4; ++i)
    m[i % 3] += x[i];
  return m[0] * m[1];
}
void gradient(const double *x, double *dx) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }
