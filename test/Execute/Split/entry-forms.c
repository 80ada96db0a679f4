// The forms that the two calls of split mode may take: markers, defaults, a tape
// in memory of the program's, results that are numbers, complex numbers, structs
// and pointers.
// RG-LEVELS: O0 O1 O2 O3 g
#include "rgtest.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_tape, enzyme_allocated, enzyme_nofree;

struct augmented { void *tape; double primal; };
struct augmented __enzyme_augmentfwd(void *, ...);
void *__enzyme_augmentfwd_tape(void *, ...);
struct tapeLast { double primal; void *tape; };
struct tapeLast __enzyme_augmentfwd_tapeLast(void *, ...);
struct tapeLastOfFloat { float primal; void *tape; };
struct tapeLastOfFloat __enzyme_augmentfwd_ofFloat(void *, ...);
double __enzyme_reverse(void *, ...);
void __enzyme_reverse_void(void *, ...);
int __enzyme_augmentsize(void *, ...);
void rg_tape_free(void *);

double square(double x) { return x * x * sin(x); }
double squareSlope(double x) { return 2 * x * sin(x) + x * x * cos(x); }

static void numbers(void) {
  struct augmented a = __enzyme_augmentfwd((void *)square, 1.3);
  RG_NEAR(a.primal, square(1.3));
  RG_NEAR(__enzyme_reverse((void *)square, 1.3, 2.0, a.tape), 2 * squareSlope(1.3));
  // With markers, and who wants the tape alone declares it so.
  void *t = __enzyme_augmentfwd_tape((void *)square, enzyme_out, 0.7);
  RG_NEAR(__enzyme_reverse((void *)square, enzyme_out, 0.7, 1.0, enzyme_tape, t), squareSlope(0.7));
  // Or the tape last.
  struct tapeLast b = __enzyme_augmentfwd_tapeLast((void *)square, 1.1);
  RG_NEAR(b.primal, square(1.1));
  RG_NEAR(__enzyme_reverse((void *)square, 1.1, 3.0, b.tape), 3 * squareSlope(1.1));
}

float single(float x, float y) { return x * y + y; }
struct two { float x, y; };
struct two __enzyme_reverse_two(void *, ...);
static void floats(void) {
  void *t = __enzyme_augmentfwd_tape((void *)single, 2.0f, 3.0f);
  struct two r = __enzyme_reverse_two((void *)single, 2.0f, 3.0f, 2.0f, t);
  RG_NEARF(r.x, 6);
  RG_NEARF(r.y, 6);
  struct tapeLastOfFloat b = __enzyme_augmentfwd_ofFloat((void *)single, 2.0f, 3.0f);
  RG_NEARF(b.primal, 9);
  r = __enzyme_reverse_two((void *)single, 2.0f, 3.0f, 1.0f, b.tape);
  RG_NEARF(r.x, 3);
}

double horner(const double *x, int n, double a) {
  double s = a;
  for (int i = 0; i < n; ++i)
    s = s * x[i] + sin(x[i] * s);
  return s;
}
static void pointersAndNumbers(void) {
  double x[4] = {.5, .6, .7, .8}, y[4], dx[4] = {0}, a = .3;
  struct augmented t = __enzyme_augmentfwd((void *)horner, x, dx, 4, a);
  memcpy(y, x, sizeof x);
  for (int i = 0; i < 4; ++i)
    x[i] = 17;
  double da = __enzyme_reverse((void *)horner, x, dx, 4, a, 1.0, t.tape);
  RG_NEAR(t.primal, horner(y, 4, a));
  RG_GRADS(dx, horner(y, 4, a), y, 4);
  RG_GRAD(da, horner(y, 4, a), a);
}

void inPlace(double *x) {
  x[0] += x[1] * x[1];
  x[1] = -x[1];
}
static void noResult(void) {
  double x[2] = {2, 3}, d[2] = {1, 10};
  char memory[11]; // any alignment
  __enzyme_augmentfwd_tape((void *)inPlace, enzyme_dup, x, d, enzyme_allocated, 8, enzyme_tape, memory + 3);
  RG_NEAR(x[0], 11);
  x[1] = 1e9;
  __enzyme_reverse_void((void *)inPlace, enzyme_dup, x, d, enzyme_allocated, 8, enzyme_tape, memory + 3);
  RG_NEAR(d[0], 1);
  RG_NEAR(d[1], 6 - 10);
  // Its tape by pointer, and the markers that say that nothing is returned.
  double z[2] = {2, 3}, dz[2] = {1, 10};
  void *t = __enzyme_augmentfwd_tape((void *)inPlace, z, dz);
  __enzyme_reverse_void((void *)inPlace, z, dz, t);
  RG_NEAR(dz[1], 6 - 10);
}

double heap(const double *x, int n) {
  double *w = malloc(n * sizeof *w), s = 0;
  for (int i = 0; i < n; ++i)
    w[i] = x[i] * x[i];
  for (int i = 1; i < n; ++i)
    s += sin(w[i]) * w[i - 1];
  free(w);
  return s;
}
static void memoryOfTheProgram(void) {
  double x[3] = {.3, .4, .5}, d[3] = {0}, primal;
  int size = __enzyme_augmentsize((void *)heap, enzyme_dup, enzyme_const);
  char *data = malloc(size), *moved = malloc(size);
  double __enzyme_augmentfwd_primal(void *, ...);
  primal = __enzyme_augmentfwd_primal((void *)heap, enzyme_allocated, size, enzyme_tape, data,
                                      enzyme_dup, x, d, enzyme_const, 3);
  RG_NEAR(primal, heap(x, 3));
  memcpy(moved, data, size);
  free(data);
  // Before the arguments or behind them; without a seed it is 1.
  __enzyme_reverse_void((void *)heap, enzyme_allocated, size, enzyme_tape, moved, x, d, 3);
  RG_GRADS(d, heap(x, 3), x, 3);
  free(moved);
}

double complex turn(double complex z, double a) { return z * z * a; }
struct augmentedComplex { void *tape; double complex z; };
struct augmentedComplex __enzyme_augmentfwd_complex(void *, ...);
struct complexAndNumber { double complex z; double a; };
struct complexAndNumber __enzyme_reverse_complex(void *, ...);
static void complexNumbers(void) {
  double complex z = 1.5 + .5 * I;
  struct augmentedComplex a = __enzyme_augmentfwd_complex((void *)turn, z, 2.0);
  RG_NEAR(creal(a.z), creal(turn(z, 2)));
  RG_NEAR(cimag(a.z), cimag(turn(z, 2)));
  struct complexAndNumber r = __enzyme_reverse_complex((void *)turn, z, 2.0, 1.0 + 0 * I, a.tape);
  RG_NEAR(creal(r.z), 2 * 2 * 1.5); // of the real part, by both parts of z
  RG_NEAR(cimag(r.z), -2 * 2 * .5);
  RG_NEAR(r.a, creal(z * z));
}

struct three { double a, b, c; };
struct three products(double x, double y) {
  struct three r = {x * y, x * x, sin(y)};
  return r;
}
double ofStruct(struct three s) { return s.a * s.b + s.c * s.c * s.a; }
struct augmentedThree { void *tape; struct three r; };
struct augmentedThree __enzyme_augmentfwd_three(void *, ...);
struct pair { double x, y; };
struct pair __enzyme_reverse_pair(void *, ...);
struct three __enzyme_reverse_three(void *, ...);
static void structs(void) {
  struct augmentedThree a = __enzyme_augmentfwd_three((void *)products, .3, .7);
  RG_NEAR(a.r.a, .3 * .7);
  RG_NEAR(a.r.c, sin(.7));
  struct three seed = {1, 2, 3};
  struct pair r = __enzyme_reverse_pair((void *)products, .3, .7, seed, a.tape);
  RG_NEAR(r.x, .7 + 4 * .3);
  RG_NEAR(r.y, .3 + 3 * cos(.7));
  struct three s = {1, 2, 3};
  struct augmented b = __enzyme_augmentfwd((void *)ofStruct, s);
  RG_NEAR(b.primal, ofStruct(s));
  s.a = 99;
  struct three d = __enzyme_reverse_three((void *)ofStruct, s, 1.0, b.tape);
  RG_NEAR(d.a, 2 + 9);
  RG_NEAR(d.b, 1);
  RG_NEAR(d.c, 6);
}

double *next(double *p) {
  p[1] = p[0] * p[0];
  return p + 1;
}
struct augmentedPointer { void *tape; double *p, *shadow; };
struct augmentedPointer __enzyme_augmentfwd_pointer(void *, ...);
static void pointerResult(void) {
  double p[2] = {3, 0}, d[2] = {0};
  struct augmentedPointer a = __enzyme_augmentfwd_pointer((void *)next, p, d);
  RG_NEAR(*a.p, 9);
  RG_TRUE(a.shadow == d + 1);
  *a.shadow = 1;
  __enzyme_reverse_void((void *)next, p, d, a.tape);
  RG_NEAR(d[0], 6);
}

static void forgotten(void) {
  void *t[1000];
  for (int i = 0; i < 1000; ++i)
    t[i] = __enzyme_augmentfwd_tape((void *)square, i * .01);
  for (int i = 999; i > 0; i -= 2)
    rg_tape_free(t[i]);
  for (int i = 0; i < 1000; i += 2)
    RG_NEAR(__enzyme_reverse((void *)square, i * .01, 1.0, t[i]), squareSlope(i * .01));
  rg_tape_free(0);
}

int main(void) {
  numbers();
  floats();
  pointersAndNumbers();
  noResult();
  memoryOfTheProgram();
  complexNumbers();
  structs();
  pointerResult();
  forgotten();
  return rgReport();
}
int enzyme_const, enzyme_dup, enzyme_out, enzyme_tape, enzyme_allocated, enzyme_nofree;
