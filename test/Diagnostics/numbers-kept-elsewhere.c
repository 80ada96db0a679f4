// Text with active numbers that functions without a body, or hooks that nobody can see, are told. They may keep the
// number, and any other function of that kind may give it back: as its result, in memory that one of them was told of
// before, or as text again. What comes back would count as constant.
// RUN: not %rgcc -w -O0 -g %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcc -w -O2 -g %s -o /dev/null 2>&1 | FileCheck %s
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);

void hear(const char *);
void hearCharacter(char);
double held(void);
double *place(void);
char *text(void);
double heldFor(const double *);
void give(double *);
void remember(double *);
void (*told)(const char *);
double (*asked)(void);

static void print(char *b, double x) { sprintf(b, "%.17g", x * x); }

double result(double x) {
  char b[40];
  print(b, x);
  hear(b);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return held() * x;
}
double resultOfHook(double x) {
  char b[40];
  print(b, x);
  told(b);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return asked() * x;
}
double behindResult(double x) {
  char b[40];
  print(b, x);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  hear(b);
  return *place() * x;
}
double remembered(double x) {
  char b[40];
  double *y = calloc(1, sizeof *y);
  remember(y);
  print(b, x);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  hear(b);
  double r = *y * x;
  free(y);
  return r;
}
double given(double x) {
  char b[40];
  double y = 0;
  print(b, x);
  hear(b);
  give(&y);
  return y * x;
}
double resultFor(double x) {
  char b[40];
  double y = 0;
  print(b, x);
  hear(b);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return heldFor(&y) * x;
}
double textAgain(double x) {
  char b[40];
  print(b, x);
  hear(b);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return strtod(text(), 0) * x;
}
double characters(double x) {
  char b[40];
  print(b, x);
  for (char *c = b; *c; ++c)
    hearCharacter(*c);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return held() * x;
}
// The function that tells does not know of the memory.
__attribute__((noinline)) static void tell(double x) {
  char b[40];
  print(b, x);
  hear(b);
}
double toldByAnother(double x) {
  double y = 0;
  remember(&y);
  tell(x);
  return y * x;
}
__attribute__((noinline)) static double ask(void) { return held() + 1; }
double askedByAnother(double x) {
  tell(x);
  return ask() * x;
}

int main(void) {
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'held' reads a number from text, or from a file, to which an active number was printed; if it does not, declare it with __attribute__((annotate("enzyme_inactive"))) [RG2002]
  __enzyme_autodiff((void *)result, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}it reads a number from text{{.*}}; if it does not, call it in a function with __attribute__((annotate("enzyme_inactive"))) [RG2002]
  __enzyme_autodiff((void *)resultOfHook, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'hear' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)behindResult, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'hear' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)remembered, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)given, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'heldFor' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)resultFor, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'strtod' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)textAgain, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'held' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)characters, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)toldByAnother, 2.0);
  // CHECK-DAG: elsewhere.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)askedByAnother, 2.0);
}
