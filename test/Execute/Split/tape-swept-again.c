// enzyme_nofree: the sweep leaves the tape to be swept again, each time from zero
// adjoints in all memory of the function's own, whatever the sweep before left.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_const, enzyme_tape, enzyme_nofree, enzyme_allocated;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
void rg_tape_free(void *);

double zeroed(const double *x, int n) { // calloc of known and unknown size
  double *c = calloc(n, sizeof *c), *d = calloc(3, sizeof *d), s = 1;
  for (int i = 0; i < n - 1; ++i) {
    c[i] += s * x[i] * c[i + 1]; // reads zeros that are never written
    d[i % 2] = d[i % 2] * x[i] + s * d[2];
    s += c[i + 1] * c[i] * x[0] + x[i] * s + d[1];
  }
  free(c);
  free(d);
  return s;
}
struct link { double v, w; struct link *next; long n; };
double links(const double *x, int n) { // calloc of numbers beside pointers
  struct link *list = 0;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    struct link *l = calloc(1, sizeof *l);
    l->next = list;
    l->n = i;
    if (i % 2)
      l->v = x[i] * x[i];
    list = l;
  }
  for (struct link *l = list; l; l = l->next) {
    l->w += l->v * x[l->n] + l->w * x[0];
    s = sin(s + l->w + l->v) + x[l->n];
  }
  while (list) {
    struct link *l = list->next;
    free(list);
    list = l;
  }
  return s;
}
double grown(const double *x, int n) { // realloc
  double *v = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    v = realloc(v, (i + 1) * sizeof *v);
    v[i] = x[i] * (i ? v[i - 1] : 1);
  }
  for (int i = 0; i < n; ++i)
    s += sin(v[i]) * v[i / 2];
  free(v);
  return s;
}
static double global[4];
double globals(const double *x, int n) {
  double local[8] = {0}, s = 0;
  for (int i = 0; i < n; ++i) {
    global[i % 4] = global[(i + 1) % 4] * x[i] + x[i];
    local[i % 8] += local[(i + 1) % 8] + global[i % 4];
    s += sin(local[i % 8] * x[i]);
  }
  return s;
}
__attribute__((noinline)) static double part(const double *x, double *memory, int n) {
  double *mine = calloc(n + 1, sizeof *mine);
  for (int i = 0; i < n; ++i) {
    mine[i] += mine[i + 1] * x[i] + x[i] * x[i] * memory[0];
    memory[0] += mine[i] * mine[i];
  }
  free(mine);
  return memory[0] * x[0];
}
double calls(const double *x, int n) {
  double *memory = calloc(2, sizeof *memory), s = 0;
  memory[0] = x[1] + memory[1] * x[0];
  for (int i = 1; i < n; ++i)
    s += part(x, memory, i);
  free(memory);
  return s;
}
struct five { double v[5]; };
double inMemory(struct five *out, struct five in, const double *x) {
  double s = 0;
  for (int i = 0; i < 5; ++i) {
    in.v[i] *= x[i % 4];
    out->v[i] = in.v[i] * in.v[(i + 1) % 5];
    s += out->v[i];
  }
  return s;
}

enum { N = 5 };
#define KEPT(F, CALL)                                                                  \
  do {                                                                                 \
    double x[N] = {.3, .5, .7, .2, .9}, y[N], first[N] = {0}, d[N] = {0};              \
    memset(global, 0, sizeof global);                                                  \
    memcpy(y, x, sizeof x);                                                            \
    void *t = __enzyme_augmentfwd((void *)F, enzyme_dup, x, d, enzyme_const, N);       \
    memset(x, 0, sizeof x);                                                            \
    for (int k = 1; k <= 3; ++k) {                                                     \
      memset(d, 0, sizeof d);                                                          \
      __enzyme_reverse((void *)F, enzyme_nofree, enzyme_dup, x, d, enzyme_const, N, k * 1.0, t); \
      if (k == 1)                                                                      \
        memcpy(first, d, sizeof d);                                                    \
      for (int i = 0; i < N; ++i)                                                      \
        RG_NEAR(d[i], k * first[i]);                                                   \
    }                                                                                  \
    rg_tape_free(t);                                                                   \
    RG_GRADS(first, (memset(global, 0, sizeof global), CALL(y, N)), y, N);             \
  } while (0)

struct fiveAndNone { struct five d; };
struct fiveAndNone __enzyme_reverse_five(void *, ...);

int main(void) {
  KEPT(zeroed, zeroed);
  KEPT(links, links);
  KEPT(grown, grown);
  KEPT(globals, globals);
  KEPT(calls, calls);

  struct five out, dout, in = {{1, 2, 3, 4, 5}};
  double x[4] = {.3, .5, .7, .2}, dx[4] = {0};
  void *t = __enzyme_augmentfwd((void *)inMemory, enzyme_dup, &out, &dout, in, enzyme_dup, x, dx);
  struct fiveAndNone first, again;
  memset(&dout, 0, sizeof dout);
  first = __enzyme_reverse_five((void *)inMemory, enzyme_nofree, enzyme_dup, &out, &dout, in,
                                enzyme_dup, x, dx, 1.0, t);
  memset(&dout, 0, sizeof dout);
  again = __enzyme_reverse_five((void *)inMemory, enzyme_dup, &out, &dout, in, enzyme_dup, x, dx,
                                1.0, t);
  for (int i = 0; i < 5; ++i) {
    RG_NEAR(first.d.v[i], again.d.v[i]);
    RG_GRAD(first.d.v[i], inMemory(&out, in, x), in.v[i]);
  }
  for (int i = 0; i < 4; ++i)
    RG_GRAD(dx[i] / 2, inMemory(&out, in, x), x[i]);
  return rgReport();
}
int enzyme_dup, enzyme_const, enzyme_tape, enzyme_nofree, enzyme_allocated;
