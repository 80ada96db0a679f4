// Bytes that the function only copies: their derivatives move, and where two meet the program ends.
// RUN: %rgcc -O2 %s -o %t && %t 0 && %t 1 && not --crash %t 2 2>&1 | FileCheck %s
// RUN: %rgcc -O0 %s -o %t && %t 0 && %t 1 && not --crash %t 2 2>&1 | FileCheck %s
// CHECK: retrograd: copy copies bytes whose type nothing in it tells, and derivatives from two places meet in them {{.*}}[RG1103]
// CHECK-NEXT: retrograd: read the bytes as what they are
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup;
void copy(const void *from, void *to, size_t bytes) { memcpy(to, from, bytes); }
void test(void *a, void *da, void *b, void *db, size_t bytes) {
  __enzyme_autodiff((void *)copy, enzyme_dup, a, da, enzyme_dup, b, db, bytes);
}
// Who calls it cannot tell what the bytes are.
static void (*volatile call)(void *, void *, void *, void *, size_t) = test;
int main(int argc, char **argv) {
  int meet = atoi(argv[argc - 1]);
  float a[1024], da[1024] = {0}, b[1024], db[1024];
  for (int i = 0; i < 1024; ++i)
    db[i] = (float)(i % 5 - 2);
  da[1000] = meet == 2 ? 3 : 0;
  call(a, da, b, db, meet ? sizeof a : 512);
  for (int i = 0; i < 1024; ++i)
    if (da[i] != (meet || i < 128 ? (float)(i % 5 - 2) : 0) || db[i] != (meet || i < 128 ? 0 : (float)(i % 5 - 2)))
      return 1;
  return 0;
}
