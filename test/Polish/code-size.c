// A derivative is optimised for size where its function is (lib/Emit/FunctionShell.cpp), though the primal is prepared as at -O2.
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=FAST
// RUN: %rgcc -Os -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=SMALL,OS
// RUN: %rgcc -Oz -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=SMALL,OZ
// RUN: %rgcc -O2 -S -emit-llvm -DFOR_SIZE='__attribute__((minsize))' %s -o - | FileCheck %s --check-prefixes=SMALL,OZ
// Steps of Polish that make code larger see it:
// RUN: %rgcc -Os -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s --check-prefix=STEPS
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s --check-prefix=STEPS-FAST
#ifndef FOR_SIZE
#define FOR_SIZE
#endif
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// FAST: define internal void @rg.shortest.grad({{.*}} #[[BY:[0-9]+]]
// SMALL: define internal void @rg.shortest.grad({{.*}} #[[BY:[0-9]+]]
// STEPS-NOT: rg.segment
// STEPS-FAST: rg.segment
FOR_SIZE static void shortest(int n, double path[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}
void gradient(int n, void *path, void *d) {
  __enzyme_autodiff((void *)shortest, enzyme_const, n, enzyme_dup, path, d);
}
void gradient_twice(int n, void *path, void *d) {
  __enzyme_autodiff((void *)shortest, enzyme_const, n, enzyme_dup, path, d);
  __enzyme_autodiff((void *)shortest, enzyme_const, n, enzyme_dup, path, d);
}

// FAST: attributes #[[BY]] = {
// FAST-NOT: optsize
// FAST-SAME: }
// OS: attributes #[[BY]] = { {{.*}}optsize
// OZ: attributes #[[BY]] = { {{.*}}minsize
