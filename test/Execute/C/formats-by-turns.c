// Memory that holds floats at one time and doubles at another, each of which is read as what it was written as: pools,
// unions, buffers of bytes. The running program looks after it (runtime/formats.c), and says nothing.
// RUN: %rgcc -O0 -DK=1 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=1 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=1 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=1 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=2 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=2 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=2 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=2 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=3 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=3 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=3 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=3 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=4 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=4 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=4 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=4 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=5 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=5 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=5 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=5 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=6 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=6 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=6 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=6 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=7 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=7 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=7 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=7 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=8 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=8 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=8 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=8 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=9 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=9 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=9 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=9 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=10 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=10 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=10 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=10 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=11 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=11 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=11 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=11 %s -o %t -lm && %t
// RUN: %rgcc -O0 -DK=13 %s -o %t -lm && %t
// RUN: %rgcc -O1 -DK=13 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=13 %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -DK=13 %s -o %t -lm && %t
// RUN: %rgcc -O2 -DK=1 -mllvm -rg-plan=naive %s -o %t -lm && %t
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
#define NI __attribute__((noinline))
#if K == 1
double f(double *x, int n) {
  char *pool = malloc(n * 16);
  float *a = (float *)pool;
  for (int i = 0; i < n; ++i)
    a[i] = x[i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * x[i];
  double *b = (double *)pool;
  for (int i = 0; i < n; ++i)
    b[i] = s * x[i];
  for (int i = 0; i < n; ++i)
    s += b[i] * b[i];
  free(pool);
  return s;
}
#elif K == 2
struct t {
  int tag;
  union {
    double d;
    float f[2];
  } u;
};
double f(double *x, int n) {
  struct t *p = malloc(n * sizeof *p);
  for (int i = 0; i < n; ++i)
    if (i & 1) {
      p[i].tag = 1;
      p[i].u.d = x[i] * x[i];
    } else {
      p[i].tag = 0;
      p[i].u.f[0] = x[i];
      p[i].u.f[1] = x[i] * x[0];
    }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i].tag ? p[i].u.d : p[i].u.f[0] * p[i].u.f[1];
  free(p);
  return s;
}
#elif K == 3
struct arena {
  char *base;
  size_t at;
};
NI void *take(struct arena *a, size_t n) {
  void *p = a->base + a->at;
  a->at += (n + 15) & ~15ul;
  return p;
}
double f(double *x, int n) {
  struct arena a = {malloc(4096), 0};
  double s = 0;
  for (int k = 0; k < 3; ++k) {
    float *u = take(&a, n * sizeof *u);
    double *v = take(&a, n * sizeof *v);
    for (int i = 0; i < n; ++i) {
      u[i] = x[i] * (k + 1);
      v[i] = x[i] * x[i];
    }
    for (int i = 0; i < n; ++i)
      s += u[i] * v[i];
  }
  a.at = 0;
  for (int k = 0; k < 3; ++k) {
    double *v = take(&a, n * sizeof *v);
    float *u = take(&a, n * sizeof *u);
    for (int i = 0; i < n; ++i) {
      u[i] = x[i] * (k + 1);
      v[i] = x[i] * x[i];
    }
    for (int i = 0; i < n; ++i)
      s += u[i] * v[i];
  }
  free(a.base);
  return s;
}
#elif K == 4
struct r {
  float a;
  double b[3];
  float c[2];
};
double f(double *x, int n) {
  struct r *p = malloc(n * sizeof *p);
  for (int i = 0; i < n; ++i) {
    p[i].a = x[i];
    for (int k = 0; k < n && k < 3; ++k)
      p[i].b[k] = x[i] * x[k];
    p[i].c[0] = x[i];
    p[i].c[1] = 2 * x[i];
  }
  double s = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n && k < 3; ++k)
      s += p[i].b[k] * p[i].a;
    s += p[i].c[i % 2];
  }
  free(p);
  return s;
}
#elif K == 5
double f(double *x, int n) {
  char b[64];
  float y[8], z[8];
  double t[4], w[4];
  for (int i = 0; i < 4; ++i)
    t[i] = x[i] * 2;
  for (int i = 0; i < 8; ++i)
    z[i] = x[i % 4];
  memcpy(b, t, n * 8);
  memcpy(w, b, n * 8);
  memcpy(b, z, n * 4);
  memcpy(y, b, n * 4);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += w[i] * y[i];
  return s;
}
#elif K == 6 /* work array of the caller's, reused */
NI double g(double *x, int n, void *work) {
  float *a = work;
  for (int i = 0; i < n; ++i)
    a[i] = x[i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * x[i];
  double *b = work;
  for (int i = 0; i < n; ++i)
    b[i] = s * x[i];
  for (int i = 0; i < n; ++i)
    s += b[i] * b[i];
  return s;
}
double f(double *x, int n) {
  double w[16];
  return g(x, n, w) + g(x + 1, n - 1, w);
}
#elif K == 7 /* the same address at another time, of malloc */
double f(double *x, int n) {
  double s = 0;
  for (int k = 0; k < 4; ++k) {
    if (k & 1) {
      double *p = malloc(64);
      for (int i = 0; i < n; ++i)
        p[i] = x[i] * x[i];
      for (int i = 0; i < n; ++i)
        s += p[i];
      free(p);
    } else {
      float *p = malloc(64);
      for (int i = 0; i < n; ++i)
        p[i] = x[i] * 3;
      for (int i = 0; i < n; ++i)
        s += p[i] * p[i];
      free(p);
    }
  }
  return s;
}
#elif K == 8 /* cleared by memset, by calloc */
double f(double *x, int n) {
  char *pool = calloc(n, 16);
  double *b = (double *)pool;
  float *a = (float *)pool;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += b[i];
  for (int i = 0; i < n; ++i)
    b[i] += x[i];
  for (int i = 0; i < n; ++i)
    s += b[i] * b[i];
  memset(pool, 0, n * 16);
  for (int i = 0; i < n; ++i)
    s += a[i];
  for (int i = 0; i < n; ++i)
    a[i] += x[i];
  for (int i = 0; i < n; ++i)
    s += a[i] * a[i];
  free(pool);
  return s;
}
#elif K == 9 /* union assigned as a whole */
union u {
  double d;
  float f[2];
};
double f(double *x, int n) {
  union u a, b, c;
  a.d = x[0] * x[1];
  b.f[0] = x[1];
  b.f[1] = x[2];
  double s = 0;
  c = a;
  s += c.d;
  c = b;
  s += c.f[0] * c.f[1];
  return s;
}
#elif K == 10 /* a tag for the type; the program has doubles alone */
static volatile int Kind = 1;
double f(double *x, int n) {
  void *data = malloc(n * 8);
  double *d = data, s = 0;
  for (int i = 0; i < n; ++i)
    d[i] = sin(x[i]);
  if (Kind == 0)
    for (int i = 0; i < n; ++i)
      s += ((float *)data)[i] * x[i];
  else
    for (int i = 0; i < n; ++i)
      s += d[i] * x[i];
  free(data);
  return s;
}
#elif K == 11 /* floats that are storage for the bytes of doubles */
double f(double *x, int n) {
  float a[16];
  double y[8], s = 0;
  for (int i = 0; i < n; ++i)
    a[i] = x[i];
  for (int i = 0; i < n; ++i)
    s += a[i] * x[i];
  memcpy(a, x, n * sizeof *x);
  memcpy(y, a, n * sizeof *y);
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  return s;
}
#elif K == 13 /* tensors with a type */
struct tensor {
  int type, n;
  void *data;
};
static struct tensor make(int type, int n) {
  struct tensor t = {type, n, malloc(n * (type ? 8 : 4))};
  return t;
}
static double get(const struct tensor *t, int i) {
  switch (t->type) {
  case 0:
    return ((float *)t->data)[i];
  case 1:
    return ((double *)t->data)[i];
  }
  return 0;
}
static void put(struct tensor *t, int i, double v) {
  switch (t->type) {
  case 0:
    ((float *)t->data)[i] = v;
    break;
  case 1:
    ((double *)t->data)[i] = v;
  }
}
double f(double *x, int n) {
  struct tensor a = make(0, n), b = make(1, n);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    put(&a, i, x[i]);
    put(&b, i, get(&a, i) * x[i]);
  }
  for (int i = 0; i < n; ++i)
    s += get(&b, i) * get(&a, n - 1 - i);
  free(a.data);
  free(b.data);
  return s;
}
#endif
int main(int c, char **v) {
  double x[4] = {1.1, 2.2, 3.3, 4.4}, g[4] = {0}, h[4];
  int ok = 1;
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 3 + c);
  for (int i = 0; i < 4; ++i) {
    double dx[4] = {0};
    dx[i] = 1;
    h[i] = __enzyme_fwddiff((void *)f, enzyme_dup, x, dx, enzyme_const, 3 + c);
    double e = 1e-3, k = x[i];
    x[i] = k + e;
    double up = f(x, 4);
    x[i] = k - e;
    double d = (up - f(x, 4)) / (2 * e);
    x[i] = k;
    if (fabs(d - g[i]) > 2e-3 * (1 + fabs(d)) || fabs(h[i] - g[i]) > 1e-6 * (1 + fabs(h[i]))) {
      ok = 0;
      printf("%d: rev %g fwd %g diff %g\n", i, g[i], h[i], d);
    }
  }
  printf("%s\n", ok ? "ok" : "WRONG");
  return !ok;
}
