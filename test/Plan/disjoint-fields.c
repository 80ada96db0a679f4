// Arrays behind pointers in a struct that are apart: factors of products are read again, also where the next layer writes to the same arrays
// (lib/Analysis/FieldRanges.cpp). test/Execute/C/disjoint-fields.c asks whether it is right.
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan -mllvm -rg-disable=disjoint-arguments 2>&1 | FileCheck --check-prefix=OFF %s
// The question is integers, many of them in one block: LLVM does not look for vectors there.
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=QUESTION %s
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=BEHIND %s
// QUESTION: define {{.*}}@rg.layers.apart({{.*}} #[[ATTRIBUTES:[0-9]+]]
// QUESTION: attributes #[[ATTRIBUTES]] = {{.*}} noimplicitfloat
// OFF-NOT: rg.disjoint
// OFF: float %{{[0-9]+}}
int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
typedef struct { int layers, rows, columns; float *x, *w, *mid, *out; } Net;

static void product(float *y, const float *x, const float *w, int rows, int columns) {
  for (int r = 0; r < rows; ++r)
    for (int o = 0; o < columns; ++o) {
      float s = 0;
      for (int i = 0; i < columns; ++i)
        s += x[r * columns + i] * w[o * columns + i];
      y[r * columns + o] = s;
    }
}
// CHECK-LABEL: plan for rg.primal.rg.disjoint.layers
// CHECK-NOT: float %
// CHECK-LABEL: plan for rg.primal.layers
// CHECK: float %
static void layers(Net *n) {
  int rows = n->rows, columns = n->columns, layers = n->layers;
  float *x = n->x, *w = n->w, *mid = n->mid, *out = n->out;
  for (int l = 0; l < layers; ++l) {
    int block = l * rows * columns;
    for (int k = 0; k < rows * columns; ++k)
      mid[block + k] = 2 * x[k];
    product(out + block, mid + block, w + l * columns * columns, rows, columns);
  }
}
void layers_gradient(Net *n, Net *d) { __enzyme_autodiff((void *)layers, enzyme_dup, n, d); }

// Each number is read once: nothing would be kept several times.
// CHECK-NOT: plan for rg.primal.rg.disjoint.once
// CHECK-LABEL: plan for rg.primal.once
static void once(Net *n) {
  int rows = n->rows, columns = n->columns;
  float *x = n->x, *out = n->out;
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < columns; ++k)
      out[r * columns + k] *= x[r * columns + k];
}
void once_gradient(Net *n, Net *d) { __enzyme_autodiff((void *)once, enzyme_dup, n, d); }

// Fields that are read behind conditions: the question goes the same way, and says no where the function goes another one.
// CHECK-LABEL: plan for rg.primal.rg.disjoint.behind
// CHECK-NOT: rg.primal.rg.disjoint.either
// BEHIND-LABEL: define {{.*}}@rg.behind.apart(ptr %0, ptr %1, i32 %2)
// BEHIND: icmp sgt i32 %2, 0
// BEHIND: br i1
// BEHIND: load i32
// Sums of integers are computed as wide ones: no index is made of its lower half.
// BEHIND-LABEL: define {{.*}}@rg.rg.disjoint.behind.grad(
// BEHIND-NOT: ashr
// BEHIND-LABEL: define {{.*}}@rg.behind.grad(
static void behind(Net *n, int steps) {
  for (int t = 0; t < steps; ++t)
    for (int r = 1; r < n->rows; ++r)
      for (int k = 1; k < n->columns; ++k)
        n->out[r * n->columns + k] += n->x[r * n->columns + (k - 1)] * n->w[k];
}
void behind_gradient(Net *n, Net *d, int steps) { __enzyme_autodiff((void *)behind, enzyme_dup, n, d, steps); }

// Which way it goes follows from a number: nobody knows in front of it whether the fields may be read.
static void either(Net *n, float *x) {
  if (*x > 0)
    for (int r = 0; r < n->rows; ++r)
      for (int k = 0; k < n->columns; ++k)
        n->out[k] += n->x[r] * n->w[k];
}
void either_gradient(Net *n, Net *d, float *x, float *dx) { __enzyme_autodiff((void *)either, enzyme_dup, n, d, enzyme_dup, x, dx); }
