// Arrays behind pointers in a struct: the derivative compares where they lie, and is right whether they overlap or not, with layers that keep to
// their own places or not, rows that are looked up, sizes of nothing and less, and one shadow for two arrays.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: disjoint-arguments apart-shadows
#include "rgtest.h"
#include <string.h>
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
enum { Most = 600 };
typedef struct {
  int layers, rows, columns, parts, step;
  double scale;
  const int *which;
  double *x, *w, *mid, *out;
} Net;
typedef void Function(Net *);

static void product(double *y, const double *x, const double *w, int rows, int columns) {
  for (int r = 0; r < rows; ++r)
    for (int o = 0; o < columns; ++o) {
      double s = 0;
      for (int i = 0; i < columns; ++i) s += x[r * columns + i] * w[o * columns + i];
      y[r * columns + o] = s;
    }
}
// What a layer writes is read in the same layer, several times, and by the next one.
__attribute__((noinline)) static void layers(Net *n) {
  int layers = n->layers, rows = n->rows, columns = n->columns;
  double *x = n->x, *w = n->w, *mid = n->mid, *out = n->out;
  for (int l = 0; l < layers; ++l) {
    int block = l * rows * columns;
    for (int k = 0; k < rows * columns; ++k) mid[block + k] = x[k] * x[k] + 0.1 * (l ? out[block - rows * columns + k] : 1);
    product(out + block, mid + block, w + l * columns * columns, rows, columns);
  }
}
// Each layer begins `step` behind the one before: what it writes may be what the one before has read.
__attribute__((noinline)) static void steps(Net *n) {
  int layers = n->layers, rows = n->rows, columns = n->columns, step = n->step;
  double *x = n->x, *w = n->w, *mid = n->mid, *out = n->out;
  for (int l = 0; l < layers; ++l) {
    for (int k = 0; k < rows * columns; ++k) mid[l * step + k] = 0.5 * x[k] * x[k] + 0.1 * mid[l * step + k];
    product(out + l * step, mid + l * step, w, rows, columns);
  }
}
// The same downwards, in parts of a row, of rows that are looked up.
__attribute__((noinline)) static void parts(Net *n) {
  int layers = n->layers, rows = n->rows, columns = n->columns, parts = n->parts, step = n->step;
  const int *which = n->which;
  double *x = n->x, *w = n->w, *mid = n->mid, *out = n->out;
  for (int l = layers - 1; l >= 0; --l) {
    int size = columns / parts;
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < columns; ++k) mid[l * step + r * columns + k] = n->scale * x[which[r] * columns + k] * w[k];
    for (int r = 0; r < rows; ++r)
      for (int p = 0; p < parts; ++p) {
        double *y = out + l * step + r * columns + p * size;
        for (int k = 0; k < size; ++k) y[k] = 0;
        for (int s = 0; s <= r; ++s) {
          const double *query = mid + l * step + r * columns + p * size, *key = mid + l * step + s * columns + p * size;
          double d = 0;
          for (int k = 0; k < size; ++k) d += query[k] * key[k];
          for (int k = 0; k < size; ++k) y[k] += d * key[k];
        }
      }
  }
}
// A struct among the arrays: its scale is written.
__attribute__((noinline)) static void scaled(Net *n) {
  int rows = n->rows, columns = n->columns;
  double *x = n->x, *w = n->w, *out = n->out;
  for (int r = 0; r < rows; ++r)
    for (int o = 0; o < columns; ++o)
      for (int i = 0; i < columns; ++i) out[r * columns + o] += x[r * columns + i] * w[o * columns + i] * x[i];
  n->scale = 2 * out[0];
  for (int r = 0; r < rows; ++r) out[r] *= n->scale;
}
// Nothing is read in front of the loops: fields stand behind conditions, and each step of time writes to the same arrays.
__attribute__((noinline)) static void waves(Net *n) {
  for (int t = 0; t < n->layers; ++t) {
    for (int r = 1; r < n->rows - 1; ++r)
      for (int k = 1; k < n->columns - 1; ++k)
        n->out[r * n->columns + k] = n->mid[r * n->columns + k] + 0.3 * n->x[r * n->columns + k] * n->x[r * n->columns + (k - 1)] *
                                                                       (n->mid[(r - 1) * n->columns + k] - n->mid[r * n->columns + (k + 1)]);
    for (int r = 1; r < n->rows - 1; ++r)
      for (int k = 1; k < n->columns - 1; ++k) n->mid[r * n->columns + k] = n->out[r * n->columns + k];
  }
}
// The struct is there only if there is something to do.
__attribute__((noinline)) static void given(Net *n, int rows) {
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < rows; ++k) n->out[r] += n->x[k] * n->x[r];
}
__attribute__((noinline)) static void given_gradient(Net *n, Net *d, int rows) { __enzyme_autodiff((void *)given, enzyme_dup, n, d, rows); }
#define GRADIENT(f)                                                                                                                        \
  static void f##_gradient(Net *n, Net *d) { __enzyme_autodiff((void *)f, enzyme_dup, n, d); }
GRADIENT(layers)
GRADIENT(steps)
GRADIENT(parts)
GRADIENT(scaled)
GRADIENT(waves)

static double memory[Most], shadow[Most], start[Most], along[Most];
static const int rows_of[] = {2, 0, 3, 1, 1, 2};
static Net net(double *block, Net sizes, const int *at) {
  sizes.which = rows_of, sizes.scale = 0.7;
  sizes.x = block + at[0], sizes.w = block + at[1], sizes.mid = block + at[2], sizes.out = block + at[3];
  return sizes;
}
static void compare(const char *name, Function *f, void (*gradient)(Net *, Net *), Net sizes, const int *at) {
  double value[2], by = 0;
  const double h = 1e-6;
  for (int side = 0; side < 2; ++side) {
    for (int k = 0; k < Most; ++k) memory[k] = start[k] + (side ? h : -h) * along[k];
    Net n = net(memory, sizes, at);
    f(&n);
    value[side] = 0;
    for (int k = 0; k < Most; ++k) value[side] += memory[k] * (1 + 0.01 * (k % 13));
  }
  memcpy(memory, start, sizeof memory);
  for (int k = 0; k < Most; ++k) shadow[k] = 1 + 0.01 * (k % 13);
  Net n = net(memory, sizes, at), d = net(shadow, sizes, at);
  d.scale = 0;
  gradient(&n, &d);
  for (int k = 0; k < Most; ++k) by += shadow[k] * along[k];
  rgCompare(__FILE__, __LINE__, name, by, (value[1] - value[0]) / (2 * h), 2e-6);
}

int main() {
  for (int k = 0; k < Most; ++k) start[k] = 0.3 + 0.01 * (k % 17), along[k] = 0.3 + 0.01 * (k % 11);
  const int places[][4] = {{0, 100, 200, 400}, {0, 16, 48, 96}, {0, 100, 200, 200}, {0, 100, 200, 210}, {200, 100, 200, 400},
                           {0, 0, 200, 400},   {0, 390, 200, 400}, {205, 203, 200, 199}, {100, 0, 400, 300}, {100, 300, 90, 80}};
  const Net sizes[] = {{3, 4, 4, 2, 16}, {3, 4, 4, 2, 5}, {3, 4, 4, 1, 1}, {3, 4, 4, 4, 0}, {2, 1, 4, 2, 40},
                       {1, 4, 4, 2, 16}, {0, 4, 4, 0, 16}, {3, 0, 4, 1, 16}, {3, 4, 0, 1, 16}, {3, -2, 4, 1, 16}, {-1, 4, -4, 1, 16}};
  for (unsigned p = 0; p < sizeof places / sizeof *places; ++p)
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      compare("layers", layers, layers_gradient, sizes[s], places[p]);
      compare("steps", steps, steps_gradient, sizes[s], places[p]);
      compare("parts", parts, parts_gradient, sizes[s], places[p]);
      compare("scaled", scaled, scaled_gradient, sizes[s], places[p]);
      compare("waves", waves, waves_gradient, sizes[s], places[p]);
    }
  // Shadows in other places than the arrays: x and w share one.
  const int at[] = {0, 100, 200, 400}, both[] = {0, 0, 200, 400};
  double apart[16], together[16];
  for (int k = 0; k < 2; ++k) {
    memcpy(memory, start, sizeof memory);
    for (int i = 0; i < Most; ++i) shadow[i] = i >= 400;
    Net n = net(memory, sizes[0], at), d = net(shadow, sizes[0], k ? both : at);
    layers_gradient(&n, &d);
    for (int i = 0; i < 16; ++i) (k ? together : apart)[i] = shadow[i] + (k ? 0 : shadow[100 + i]);
  }
  for (int i = 0; i < 16; ++i) RG_NEAR(together[i], apart[i]);
  given_gradient(0, 0, 0);
  memcpy(memory, start, sizeof memory);
  for (int i = 0; i < Most; ++i) shadow[i] = i >= 400;
  Net n = net(memory, sizes[0], at), d = net(shadow, sizes[0], at);
  given_gradient(&n, &d, 2);
  RG_NEAR(shadow[0], 3 * start[0] + 1 * start[1] - start[0] + start[1]);
  return rgReport();
}
