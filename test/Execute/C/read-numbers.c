// Numbers that are read from text and files into memory where active ones were, or beside them: the adjoints of what was there end, as far
// as something was read. What lies there for other reasons, and what could not be read, keeps its own.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int enzyme_dup, enzyme_const;
static FILE *numbers, *records;

struct record {
  char name[12];
  float weight;
  double value;
  long double large;
  int id;
  double x;
};
/* Text into a record, of which some lines end early. */
static double byFormat(const double *x, int n) {
  static const char *lines[] = {"ab 1.5 2.5 3.5 7", "cd 0.5", "e 1.25 -2", "", "f 2 3 4 x", "g * 1 2 3"};
  struct record *r = calloc(n, sizeof *r);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    r[i].weight = (float)x[0]; /* exact in float: along the direction, too */
    r[i].value = 2 * x[i];
    r[i].large = 3 * x[i];
    r[i].x = x[i];
    r[i].id = i;
  }
  for (int i = 0; i < n; ++i) {
    s += r[i].value * r[i].value; /* needed, and then overwritten */
    int k = sscanf(lines[i], "%11s %f %lf%Lf %d", r[i].name, &r[i].weight, &r[i].value, &r[i].large, &r[i].id);
    s += r[i].weight * i + r[i].value * r[i].x + (double)r[i].large * r[i].x * r[i].id + k + r[i].name[0];
  }
  free(r);
  return s;
}
/* One number after the other, some skipped, and a place. */
static double skipped(const double *x, int n) {
  double a[3] = {x[0], x[1], x[2]}, b = x[3];
  int at = 0;
  sscanf("[xyz] 1.5 2.5 3.5e1%7", "%*[^]]] %*f %lf %n%lf%%%lf", &a[0], &at, &a[1], &b);
  sscanf("4 5", "%lf %*lf %lf", &a[2], &b);
  return a[0] * x[4] + a[1] * a[1] * x[5] + a[2] * x[3] + b * b * at + n;
}
/* Fewer numbers than were asked for. */
static double block(const double *x, int n) {
  double m[40], s = 0;
  for (int i = 0; i < 40; ++i)
    m[i] = x[i % n] * (i + 1);
  for (int i = 0; i < 40; ++i)
    s += m[i] * m[i] * 0.01;
  rewind(numbers);
  size_t k = fread(m + 2, sizeof(double), 38, numbers);
  for (int i = 0; i < 40; ++i) {
    m[i] *= x[i % n];
    s += m[i] * m[i];
  }
  return s + (double)k;
}
struct mixed {
  int kind;
  float a;
  double m;
};
static double blockOfRecords(const double *x, int n) {
  struct mixed *q = malloc(n * sizeof *q);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    q[i].kind = i;
    q[i].a = (float)x[0];
    q[i].m = x[i];
  }
  rewind(records);
  if (fread(&q[1], sizeof *q, 2, records) != 2)
    s += 1000 * x[0];
  for (int i = 0; i < n; ++i)
    s += q[i].a * i + q[i].m * x[i] * q[i].kind;
  free(q);
  return s;
}
static double byDescriptor(const double *x, int n) {
  double m[8], s = 0;
  for (int i = 0; i < 8; ++i)
    m[i] = x[i % n] * x[i % n];
  s += pread(fileno(numbers), m + 1, 3 * sizeof(double), 0);
  s += pread(-1, m + 5, 2 * sizeof(double), 0);
  for (int i = 0; i < 8; ++i)
    s += m[i] * x[(i + 1) % n];
  return s;
}
/* A matrix on its way through the function. */
static double *matrix(int n) {
  double *m = malloc(n * n * sizeof *m);
  rewind(numbers);
  for (int i = 0; i < n; ++i)
    if (fread(m + i * n, sizeof *m, n, numbers) != (size_t)n)
      memset(m + i * n, 0, n * sizeof *m);
  return m;
}
static double inPlace(const double *x, int n) {
  double *m = matrix(n), s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      s += (m[i * n + j] *= x[j]) * m[i * n + i];
  free(m);
  return s;
}

int main(void) {
  const double values[] = {1.5, -2, 0.25, 3, 1, 0.5, -1.25, 2};
  const struct mixed parts[] = {{3, 1.5f, 2.5}, {4, 0.25f, 0.75}};
  numbers = tmpfile();
  records = tmpfile();
  fwrite(values, sizeof values, 1, numbers);
  fwrite(parts, sizeof parts, 1, records);
  fflush(numbers);
  RG_CHECK_VECTOR(byFormat);
  RG_CHECK_VECTOR(skipped);
  RG_CHECK_VECTOR(block);
  RG_CHECK_VECTOR(blockOfRecords);
  RG_CHECK_VECTOR(byDescriptor);
  RG_CHECK_VECTOR(inPlace);
  return rgReport();
}
