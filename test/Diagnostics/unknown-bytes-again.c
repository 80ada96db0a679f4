// A derivative that moves bytes of unknown type, differentiated again: it looks for what is not zero, and zeros may have tangents.
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <string.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;
static void copy(const void *from, void *to) { memcpy(to, from, 64); }
static void reversed(void *a, void *da, void *b, void *db) {
  __enzyme_autodiff((void *)copy, enzyme_dup, a, da, enzyme_dup, b, db);
}
void again(void *a, void *ta, void *da, void *tda, void *b, void *tb, void *db, void *tdb) {
  // CHECK: unknown-bytes-again.c:[[@LINE+1]]:3: error: {{.*}}bytes of unknown type, copied in a derivative that is differentiated again{{.*}} [RG2202]
  __enzyme_fwddiff((void *)reversed, enzyme_dup, a, ta, enzyme_dup, da, tda, enzyme_dup, b, tb, enzyme_dup, db, tdb);
}
