// __enzyme_double and its kind say what only moves through here, where neither the
// code nor its caller does.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <stdlib.h>
#include <string.h>
void __enzyme_double(void *, unsigned long);
void __enzyme_float(void *, unsigned long);
void __enzyme_integer(void *, unsigned long);
void __enzyme_pointer(void *, ...);
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_dupnoneed;

// Opaque bytes: neither the function nor the caller reads or writes a number.
static void move(void *to, const void *from) {
  __enzyme_double(to, 32);
  __enzyme_double((void *)from, 32);
  memcpy(to, from, 32);
}
static void moveMany(void *to, const void *from, unsigned long n) {
  __enzyme_float(to, -1ul);
  memcpy(to, from, 4 * n);
}
static void moveMixed(char *to, const char *from) {
  __enzyme_integer(to, 8);
  __enzyme_double(to + 8, 8);
  __enzyme_pointer(to + 16);
  memcpy(to, from, 24);
}
static unsigned long number(double x) {
  unsigned long b;
  memcpy(&b, &x, 8);
  return b;
}
__attribute__((noinline)) static void *fresh(unsigned long n) {
  void *volatile p = calloc(1, n);
  return p;
}

int main(void) {
  unsigned long *a = fresh(32), *b = fresh(32), *da = fresh(32), *db = fresh(32);
  a[1] = number(3.0);
  db[1] = number(5.0);
  __enzyme_autodiff((void *)move, enzyme_dup, b, db, enzyme_dup, a, da);
  RG_TRUE(b[1] == number(3.0));
  RG_TRUE(da[1] == number(5.0));
  RG_TRUE(db[1] == 0);
  __enzyme_fwddiff((void *)move, enzyme_dup, b, db, enzyme_dup, a, da);
  RG_TRUE(db[1] == number(5.0));

  unsigned *c = fresh(40), *d = fresh(40), *dc = fresh(40), *dd = fresh(40);
  dd[9] = 0x40000000; // 2.0f
  __enzyme_autodiff((void *)moveMany, d, dd, c, dc, 10ul);
  RG_TRUE(dc[9] == 0x40000000 && dd[9] == 0);

  unsigned long *e = fresh(24), *f = fresh(24), *de = fresh(24), *df = fresh(24);
  e[0] = 7, f[0] = 9;
  de[0] = 7, df[0] = 9;
  df[1] = number(4.0);
  __enzyme_autodiff((void *)moveMixed, f, df, e, de);
  RG_TRUE(de[1] == number(4.0) && df[1] == 0);
  RG_TRUE(f[0] == 7 && de[0] == 7);
  return rgReport();
}
