// A table of structs and the counters behind it, copied as a whole: above -O0 the copy names the
// counters and leaves the bytes of the array to what the program knows of them.
// RG-LEVELS: O0 O1 O2 O3 Os
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct {
  int key;
  float weight;
  double value;
  int next;
} Entry;
typedef struct {
  Entry entries[8];
  long count;
  double total;
} Table;
static void move(Table *t, int to, int from) {
  t->entries[to].next = t->entries[from].next;
  t->entries[to].key = t->entries[from].key;
  t->entries[to].value = t->entries[from].value;
  t->entries[to].weight = t->entries[from].weight;
}
static double f(Table *t, const double *x, int n) {
  for (int k = 0; k < n; ++k) {
    t->entries[k].key = k + 1;
    t->entries[k].value = x[k];
    t->entries[k].weight = 0.5f;
    t->entries[k].next = k + 1;
  }
  for (int k = n - 1; k > 0; --k)
    move(t, k, k - 1);
  t->count = n;
  t->total = 0;
  Table c = *t;
  for (int k = 0; k < n; ++k)
    c.total += c.entries[k].value * c.entries[k].value * c.entries[k].weight * c.entries[k].key;
  *t = c;
  return t->total * t->count;
}
int main(void) {
  static Table t, dt;
  double x[5] = {1, 2, 3, 4, 5}, dx[5] = {0}, e[5] = {0, 0, 1, 0, 0};
  __enzyme_autodiff((void *)f, &t, &dt, x, dx, 5);
  RG_GRADS(dx, f(&t, x, 5), x, 5);
  static Table et;
  RG_NEAR(__enzyme_fwddiff((void *)f, &t, &et, x, e, 5), dx[2]);
  return rgReport();
}
