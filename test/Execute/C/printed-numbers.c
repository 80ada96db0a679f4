// RG-LEVELS: O0 O2 O3
// Active numbers are printed, and numbers are read from other text: nothing is lost.
#include "rgtest.h"
#include <stdio.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);

static double logged(double x) {
  char b[40];
  snprintf(b, sizeof b, "x = %g", x);
  return b[0] == 'x' ? x * x : x;
}
static double configured(double x) {
  FILE *f = tmpfile();
  double k = 0;
  char b[40], *end;
  fputs("3 4\n", f);
  rewind(f);
  if (fscanf(f, "%lf", &k) != 1)
    return x;
  fclose(f);
  const char *set = getenv("A_VARIABLE_THAT_NOBODY_SETS");
  double m = set ? strtod(set, &end) : 2;
  snprintf(b, sizeof b, "%g", x * k);
  return strlen(b) > 0 ? k * m * x : x;
}
// One buffer for what is read, and then for what is printed.
static double reused(double x) {
  char b[40];
  strcpy(b, "3.0");
  double k = atof(b);
  snprintf(b, sizeof b, "%g", x * k);
  return strlen(b) > 0 ? x * k : x;
}
static double compared(double x) {
  char b[40];
  snprintf(b, sizeof b, "%.2f", x);
  return atof(b) > 1 ? 3 * x : x;
}
// Constants may go through text.
static double constant(double x) {
  char b[40];
  volatile double three = 3;
  snprintf(b, sizeof b, "%g", three);
  return x * atof(b);
}

// Text for a hook that the program sets: nothing is read here that it could put
// anywhere.
static void toStandardOutput(const char *s) { fputs(s, stdout); }
static void toNobody(const char *s) {}
static void (*tell)(const char *) = toStandardOutput;
void setTell(void (*t)(const char *)) { tell = t; }
static double told(double x) {
  char b[40];
  setTell(toNobody);
  snprintf(b, sizeof b, "x = %g", x * x);
  (*tell)(b);
  return x * x * x;
}

// A hook of which nothing is known may keep the text. Nothing that it could
// write to, or gives back, is a number of this function's.
void (*logTo)(const char *);
static double scale = 2;
static double toldElsewhere(double x) {
  char b[40];
  double y[2] = {x, 3};
  snprintf(b, sizeof b, "x = %g", x * x);
  if (logTo)
    logTo(b);
  return y[0] * y[1] * scale;
}

int main(void) {
  RG_NEAR(__enzyme_autodiff((void *)logged, 2.0), 4);
  RG_NEAR(__enzyme_autodiff((void *)configured, 2.0), 6);
  RG_NEAR(__enzyme_autodiff((void *)reused, 2.0), 3);
  RG_NEAR(__enzyme_autodiff((void *)compared, 2.0), 3);
  RG_NEAR(__enzyme_autodiff((void *)constant, 2.0), 3);
  RG_NEAR(__enzyme_autodiff((void *)told, 2.0), 12);
  RG_NEAR(__enzyme_autodiff((void *)toldElsewhere, 2.0), 6);
  return rgReport();
}
