// RG-LEVELS: O0 O2 O3
// One block of memory has a header, a state with integers and an array behind it, and a scratch array; structs of two
// numbers are assigned between it and other arrays, and copied by a length that is known when the program runs.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef struct {
  double r, i;
} number;
typedef struct {
  int n, inverse;
  int factors[64];
  number twiddles[1];
} inner;
typedef struct {
  inner *inside;
  number *scratch, *super;
} state;

static size_t sizeOf(int n) { return sizeof(inner) + sizeof(number) * (n - 1); }
static state *make(int n) {
  state *s = malloc(sizeof *s + sizeOf(n) + sizeof(number) * 2 * n);
  s->inside = (inner *)(s + 1);
  s->scratch = (number *)((char *)s->inside + sizeOf(n));
  s->super = s->scratch + n;
  s->inside->n = n;
  int *factor = s->inside->factors, m = n;
  do {
    int p = m % 2 ? m : 2;
    m /= p;
    *factor++ = p;
    *factor++ = m;
  } while (m > 1);
  for (int i = 0; i < n; ++i) {
    s->inside->twiddles[i].r = cos(i);
    s->inside->twiddles[i].i = sin(i);
    s->super[i].r = cos(2 * i);
    s->super[i].i = 1;
  }
  return s;
}
__attribute__((noinline)) static void work(number *out, const number *in, int step, const int *factors, const inner *s) {
  number *begin = out;
  const int p = *factors++, m = *factors++;
  const number *end = out + p * m;
  if (m == 1) {
    do {
      *out = *in;
      in += step;
    } while (++out != end);
  } else {
    do {
      work(out, in, step * p, factors, s);
      in += step;
    } while ((out += m) != end);
  }
  for (int k = 0; k < p * m; ++k) {
    number t = begin[k];
    begin[k].r = t.r * s->twiddles[k].r - t.i * s->twiddles[k].i;
    begin[k].i = t.r * s->twiddles[k].i + t.i * s->twiddles[k].r + 0.1 * t.r * t.r;
  }
}
static void transform(const inner *s, const number *in, number *out) {
  if (in == out) {
    number *t = malloc(sizeof(number) * s->n);
    work(t, in, 1, s->factors, s);
    memcpy(out, t, sizeof(number) * s->n);
    free(t);
  } else {
    work(out, in, 1, s->factors, s);
  }
}
double f(const double *x, int n) {
  state *s = make(n);
  transform(s->inside, (const number *)x, s->scratch);
  double r = 0;
  for (int i = 0; i < n; ++i) {
    number t = s->scratch[i];
    r += (t.r * s->super[i].r + t.i * t.i) * (i + 1);
  }
  free(s);
  return r;
}

int main(void) {
  double x[16], d[16] = {0};
  for (int i = 0; i < 16; ++i)
    x[i] = 0.3 + 0.1 * i - 0.01 * i * i;
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 8);
  for (int i = 0; i < 16; ++i) {
    double v[16] = {0};
    v[i] = 1;
    RG_NEAR(d[i], __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 8));
    RG_GRAD(d[i], f(x, 8), x[i]);
  }
  return rgReport();
}
