// The tape returned and passed as a struct by value, of any size: in memory, in two
// registers, with the result behind it, with and without enzyme_allocated.
// RG-LEVELS: O0 O1 O2 O3 g
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_tape, enzyme_allocated, enzyme_nofree;
extern int enzyme_width, enzyme_const_return;

struct Byte20 { char b[20]; };
struct Byte20 __enzyme_augmentfwd20(void *, ...);
struct Numbers { double d[40]; };
struct Numbers __enzyme_augmentfwdNumbers(void *, ...);
struct Two { double d[2]; };
struct Two __enzyme_augmentfwdTwo(void *, ...);
struct Twelve { int i[3]; };
struct Twelve __enzyme_augmentfwd12(void *, ...);
struct Eight { long l; };
struct Eight __enzyme_augmentfwd8(void *, ...);
struct WithResult { struct Byte20 tape; double value; };
struct WithResult __enzyme_augmentfwdWithResult(void *, ...);
struct BigWithResult { struct Numbers tape; float value; };
struct BigWithResult __enzyme_augmentfwdBig(void *, ...);

void __enzyme_reverse(void *, ...);
double __enzyme_reverse_d(void *, ...);
float __enzyme_reverse_f(void *, ...);

void map(double *x, int n) {
  for (int i = 0; i < n; i++)
    x[i] = x[i] * x[i] * sin(x[i]);
}
double one(double x) { return x * x * sin(x); }
double slope(double x) { return 2 * x * sin(x) + x * x * cos(x); }
float single(float x) { return x * x * x; }

#define INPUT double x[3] = {1, 2, 3}, d[3] = {1, 1, 1}
#define FORGET x[0] = x[1] = x[2] = 99
#define CHECK                                                                                      \
  for (int i = 0; i < 3; ++i)                                                                      \
  RG_NEAR(d[i], slope(i + 1))

static void unsaid(void) {
  INPUT;
  struct Byte20 t = __enzyme_augmentfwd20((void *)map, enzyme_dup, x, d, enzyme_const, 3);
  struct Byte20 u = __enzyme_augmentfwd20((void *)one, enzyme_out, 1.5), v = u;
  FORGET;
  memset(&u, 0, sizeof u);
  RG_NEAR(__enzyme_reverse_d((void *)one, enzyme_out, 1.5, 2.0, v), 2 * slope(1.5));
  __enzyme_reverse((void *)map, enzyme_dup, x, d, enzyme_const, 3, t);
  CHECK;
  struct WithResult w = __enzyme_augmentfwdWithResult((void *)one, .5);
  RG_NEAR(w.value, one(.5));
  RG_NEAR(__enzyme_reverse_d((void *)one, .5, enzyme_tape, w.tape), slope(.5));
}

static void said(void) {
  INPUT;
  struct Numbers t = __enzyme_augmentfwdNumbers((void *)map, enzyme_allocated, sizeof t, enzyme_dup, x,
                                                d, enzyme_const, 3);
  FORGET;
  __enzyme_reverse((void *)map, enzyme_allocated, sizeof t, enzyme_tape, t, enzyme_dup, x, d,
                   enzyme_const, 3);
  CHECK;
  struct BigWithResult b =
      __enzyme_augmentfwdBig((void *)single, enzyme_allocated, sizeof b.tape, 3.0f);
  RG_NEARF(b.value, 27);
  RG_NEARF(__enzyme_reverse_f((void *)single, enzyme_allocated, sizeof b.tape, 3.0f, 2.0f, b.tape), 54);
}

static void registers(void) {
  INPUT;
  struct Two t = __enzyme_augmentfwdTwo((void *)map, enzyme_allocated, 16, enzyme_dup, x, d,
                                        enzyme_const, 3);
  FORGET;
  __enzyme_reverse((void *)map, enzyme_allocated, 16, enzyme_dup, x, d, enzyme_const, 3, t);
  CHECK;
  struct Twelve u = __enzyme_augmentfwd12((void *)one, enzyme_allocated, 12, .7);
  RG_NEAR(__enzyme_reverse_d((void *)one, enzyme_allocated, 12, enzyme_tape, u, .7, 3.0), 3 * slope(.7));
  struct Eight v = __enzyme_augmentfwd8((void *)one, enzyme_allocated, 8, .7);
  RG_NEAR(__enzyme_reverse_d((void *)one, enzyme_allocated, 8, .7, 3.0, v), 3 * slope(.7));
}

/* An adjoint that is a struct in memory itself, before a tape of another size. */
struct three { double a, b, c; };
struct three products(double x, double y) {
  struct three r = {x * y, x * x, sin(y)};
  return r;
}
struct pair { double x, y; };
struct pair __enzyme_reverse_pair(void *, ...);
static void behindStruct(void) {
  struct three seed = {1, 2, 3};
  struct Byte20 t = __enzyme_augmentfwd20((void *)products, .3, .7);
  struct pair r = __enzyme_reverse_pair((void *)products, .3, .7, seed, t);
  RG_NEAR(r.x, .7 + 4 * .3);
  RG_NEAR(r.y, .3 + 3 * cos(.7));
  // Of the same size as the adjoint.
  struct Byte24 { char b[24]; } __enzyme_augmentfwd24(void *, ...);
  struct Byte24 u = __enzyme_augmentfwd24((void *)products, .3, .7);
  r = __enzyme_reverse_pair((void *)products, .3, .7, seed, u);
  RG_NEAR(r.x, .7 + 4 * .3);
}

static void many(void) {
  struct Byte20 t[8];
  for (int i = 0; i < 8; ++i)
    t[i] = __enzyme_augmentfwd20((void *)one, i * .1);
  for (int i = 0; i < 8; ++i) {
    int at = (i * 5) % 8;
    struct Byte20 copy = t[at];
    RG_NEAR(__enzyme_reverse_d((void *)one, enzyme_nofree, 0., 1.0, copy), slope(at * .1));
    RG_NEAR(__enzyme_reverse_d((void *)one, 0., 2.0, copy), 2 * slope(at * .1));
  }
}

int main(void) {
  unsaid();
  said();
  registers();
  behindStruct();
  many();
  return rgReport();
}
int enzyme_const, enzyme_dup, enzyme_out, enzyme_tape, enzyme_allocated, enzyme_nofree;
int enzyme_width, enzyme_const_return;
