// RUN: not %rgcc -O2 -mllvm -rg-offload-device=%t.none -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: internal error of Retrograd: the device half of the program, '{{.*}}.none', cannot be read: {{.*}} [RG3601]
int f(void) { return 1; }
