// A complex function is differentiated through the runtime's routine of the same
// meaning, which is inlined or a primal itself; the user's module keeps its call.
// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %loadopt '-passes=print<rg-primal>' -S %t.ll -o %t.after.ll 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=AFTER %s < %t.after.ll

#include <complex.h>

// CHECK-LABEL: define internal double @rg.primal.f(
// CHECK-NOT: @cexp
// CHECK: call double @exp(
// CHECK: }
// AFTER: call {{.*}} @cexp(
double f(double x) { return creal(cexp(x + 2 * I)); }
