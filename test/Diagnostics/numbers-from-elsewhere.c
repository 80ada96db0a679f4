// Functions without a body that are given nothing active, and put what they make of a variable with a derivative where this file
// reads it: into memory that they are given, behind a pointer that they return, into the result. They know the variable by its
// name, by an address that left this file, or by a function of this file that they call.
// RUN: not %rgcc -O0 -DKIND=1 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O2 -DKIND=1 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O3 -DKIND=1 -DFORWARD -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O2 -DKIND=1 -DSPLIT -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O0 -DKIND=2 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O2 -DKIND=2 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O2 -DKIND=3 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=WHERE %s
// RUN: not %rgcc -O0 -DKIND=4 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O2 -DKIND=4 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O0 -DKIND=5 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O2 -DKIND=5 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O2 -DKIND=6 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O0 -DKIND=7 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=RESULT %s
// RUN: not %rgcc -O2 -DKIND=7 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=RESULT %s
// RUN: not %rgcc -O2 -DKIND=8 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: not %rgcc -O0 -DKIND=9 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=POINTER %s
// RUN: not %rgcc -O2 -DKIND=9 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=POINTER %s
// RUN: not %rgcc -O2 -DKIND=10 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=GET %s
// RUN: %rgcc -O2 -DKIND=0 -c %s -o %t.other.o
// RUN: %rgcc -O0 -DKIND=20 %s %t.other.o -lm -o %t && %t
// RUN: %rgcc -O2 -DKIND=20 %s %t.other.o -lm -o %t && %t
// GET: error: a call that derivatives flow through must have a body or a rule, and 'get' has neither [RG1101]
// WHERE: error: a call that derivatives flow through must have a body or a rule, and 'where' has neither [RG1101]
// RESULT: error: a call that derivatives flow through must have a body or a rule, and 'result' has neither [RG1101]
// POINTER: error: a call through a pointer that derivatives flow through cannot be differentiated yet{{.*}} [RG2003]
#include <math.h>
#include <stdio.h>

double __enzyme_autodiff(void *, ...), __enzyme_fwddiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
extern int enzyme_dup;

struct box { int n; double *at; };
void get(double *b);
void get_into(struct box *b);
double *where(void);
double result(void);
void keep(double *address);
int count(double *b) __attribute__((annotate("enzyme_inactive")));
void clock_now(double *seconds);

#if KIND == 0 // the other file
double kept;
void get(double *b) { *b = 1; }
void keep(double *address) { kept = *address; }
int count(double *b) { return *b = 1, 3; }
void clock_now(double *seconds) { *seconds = 7; }
#else
#if KIND == 4 || KIND == 5 || KIND == 6 || KIND == 20
static
#endif
double state;
extern void (*hook)(double *b);
static double number(void) {
  double b = 1;
#if KIND == 3
  b = *where();
#elif KIND == 7
  b = result();
#elif KIND == 9
  if (hook)
    hook(&b);
#else
  get(&b);
#endif
  return b;
}

#if KIND == 2 // in a function of its own
__attribute__((noinline)) static void fill(double *b) { *b = number(); }
#endif
#if KIND == 5 // others can ask
double ask(void) { return state; }
#endif

static double f(double x) {
  state = x * x;
#if KIND == 2
  double b;
  fill(&b);
  return b;
#elif KIND == 10 // and on into another variable
  static double other;
  other = number();
  return other + x;
#elif KIND == 20
  double seconds, b = 1;
  clock_now(&seconds); // nobody reads what became of it
  printf("%g\n", seconds);
  b *= count(&seconds);
  return b * state * number(); // nobody else has the variable
#else
  return number();
#endif
}

static double through(double *at, double x) { // the variable comes as an argument
  *at = x;
  return number();
}

int main(void) {
#if KIND == 4
  keep(&state);
#elif KIND == 6
  extern double *addresses[2];
  addresses[1] = &state;
#endif
#if KIND == 7 || KIND == 8
  double shadow = 0;
  return __enzyme_autodiff((void *)through, enzyme_dup, &state, &shadow, 3.0) > 0;
#elif defined FORWARD
  return __enzyme_fwddiff((void *)f, 3.0, 1.0) > 0;
#elif defined SPLIT
  return __enzyme_augmentfwd((void *)f, 3.0) != 0;
#else
  return fabs(__enzyme_autodiff((void *)f, 3.0) - 18) > 1e-12;
#endif
}
#endif
