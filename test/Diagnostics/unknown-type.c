// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <string.h>
void __enzyme_autodiff(void *, ...);
void copy(const void *from, void *to) { memcpy(to, from, 64); }
void test(void *a, void *da, void *b, void *db) {
  // CHECK: unknown-type.c:[[@LINE+1]]:{{[0-9]+}}: error: the type of every byte that derivatives may flow through must be known, and 'copy' moves bytes of unknown type: 64 bytes [RG1103]
  __enzyme_autodiff((void *)copy, a, da, b, db);
}
// CHECK: unknown-type.c:4:{{[0-9]+}}: note: it is here, in 'copy'
