// Shadows of arrays in a struct that a call has compared get scopes of their own, so that loops that add to two of them run in vectors
// (lib/Polish/ApartShadows.cpp). test/Execute/C/disjoint-fields.c asks whether it is right.
// RUN: %rgcc -O3 -march=x86-64-v3 -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O3 -march=x86-64-v3 -fno-discard-value-names -S -emit-llvm -mllvm -rg-disable=apart-shadows %s -o - | FileCheck %s --check-prefix=OFF
int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
typedef struct { int rows, columns; float *x, *w, *out; } Net;

// CHECK-LABEL: define internal {{.*}}@rg.rg.disjoint.product.grad
// CHECK-NOT: {{^(}|vector.memcheck)}}
// CHECK: fadd reassoc contract <8 x float>
// CHECK-NOT: {{^vector.memcheck}}
// CHECK: {{^}}}
// OFF-LABEL: define internal {{.*}}@rg.rg.disjoint.product.grad
// OFF-NOT: fadd reassoc contract <8 x float>
// OFF: {{^}}}
__attribute__((noinline)) static void product(Net *n) {
  int rows = n->rows, columns = n->columns;
  float *x = n->x, *w = n->w, *out = n->out;
  for (int r = 0; r < rows; ++r)
    for (int o = 0; o < columns; ++o) {
      float s = 0;
      for (int i = 0; i < columns; ++i)
        s += x[r * columns + i] * w[o * columns + i];
      out[r * columns + o] = s;
    }
}
void gradient(Net *n, Net *d) { __enzyme_autodiff((void *)product, enzyme_dup, n, d); }
