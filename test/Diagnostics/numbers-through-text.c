// Numbers that are printed and read back. The operations between have no derivatives: what comes back would
// count as constant, and is refused where it is read.
// RUN: not %rgcc -w -O0 -g %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcc -w -O2 -g %s -o /dev/null 2>&1 | FileCheck %s
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
double __enzyme_autodiff(void *, ...);

double printed(double x) {
  char b[40];
  snprintf(b, sizeof b, "%.17g", x * x);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return strtod(b, 0);
}
double scanned(double x) {
  char b[40];
  double y = 0;
  sprintf(b, "%.17g", x * x);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  sscanf(b, "%lf", &y);
  return y;
}
static void format(char *to, const char *how, ...) {
  va_list list;
  va_start(list, how);
  vsnprintf(to, 40, how, list);
  va_end(list);
}
double listed(double x) {
  char b[40];
  format(b, "%.17g", x * x);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return strtod(b, 0);
}
double filed(double x) {
  FILE *f = tmpfile();
  double y = 0;
  fprintf(f, "%.17g\n", x * x);
  rewind(f);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  fscanf(f, "%lf", &y);
  return y;
}
double bytes(double x) {
  FILE *f = tmpfile();
  double v = x * x, y = 0;
  fwrite(&v, sizeof v, 1, f);
  rewind(f);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  fread(&y, sizeof y, 1, f);
  return y;
}
double piped(double x) {
  int ends[2];
  double v = x * x, y = 0;
  if (pipe(ends) || write(ends[1], &v, sizeof v) < 0)
    return 0;
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  read(ends[0], &y, sizeof y);
  return y;
}
double moved(double x) {
  char b[40], c[40];
  sprintf(b, "value=%.17g", x * x);
  strcpy(c, strchr(b, '=') + 1);
  char *d = strdup(c);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  double y = strtod(d, 0);
  free(d);
  return y;
}
double oneByOne(double x) {
  char b[40], c[40];
  int i = 0;
  sprintf(b, "%.17g", x * x);
  for (; b[i]; ++i)
    c[i] = b[i] == ',' ? '.' : b[i];
  c[i] = 0;
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return strtod(c, 0);
}
double words(double x) {
  char b[80], word[40];
  sprintf(b, "value %.17g", x * x);
  sscanf(b, "%*s %39s", word);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  return strtod(word, 0);
}
static char line[64];
__attribute__((noinline)) void put(double x) { sprintf(line, "%.17g", x); }
__attribute__((noinline)) double get(void) { return strtod(line, 0); }
double apart(double x) {
  put(x * x);
  return get();
}
__attribute__((noinline)) void fetch(FILE *f, double *y) {
  for (int i = 0; i < 2; ++i)
    if (fread(y + i, sizeof *y, 1, f) != 1)
      y[i] = 0;
}
double fetched(double x) {
  FILE *f = tmpfile();
  double v = x * x, y[2];
  fwrite(&v, sizeof v, 1, f);
  rewind(f);
  fetch(f, y);
  return y[0] + y[1];
}
double heard;
void hear(const char *);
double overheard(double x) {
  char b[40];
  sprintf(b, "%.17g", x * x);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  hear(b);
  return heard * x;
}
// A hook that nobody can see may do the same.
static void hearNothing(const char *s) {}
void (*told)(const char *) = hearNothing;
double overheardByHook(double x) {
  char b[40];
  sprintf(b, "%.17g", x * x);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  told(b);
  return heard * x;
}

int main(void) {
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'strtod' reads a number from text, or from a file, to which an active number was printed [RG2002]
  __enzyme_autodiff((void *)printed, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}sscanf' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)scanned, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'strtod' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)listed, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}fscanf' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)filed, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'fread' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)bytes, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'strtod' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)moved, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'read' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)piped, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'strtod' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)oneByOne, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'strtod' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)words, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)apart, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)fetched, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)overheard, 2.0);
  // CHECK-DAG: numbers-through-text.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)overheardByHook, 2.0);
}
