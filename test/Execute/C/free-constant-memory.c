// Memory without a shadow is freed in the primal sweep: what the reverse sweep
// reads of it has to be kept.
#include "rgtest.h"
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef struct Node {
  double weight;
  struct Node *next;
} Node;

static double consume(const double *x, Node *n) {
  double s = 0;
  for (int i = 0; n; ++i) {
    s += x[i] * x[i] * n->weight;
    Node *next = n->next;
    free(n);
    n = next;
  }
  return s;
}

static double weigh(const double *x, double *w) {
  double s = x[0] * w[0] * x[1] + x[1] * w[1] * x[1];
  free(w);
  return s;
}

int main(void) {
  double x[6] = {1, 2, 3, 4, 5, 6}, d[6] = {0}, e[2] = {0};
  Node *list = NULL;
  for (int i = 0; i < 6; ++i) {
    Node *n = malloc(sizeof *n);
    *n = (Node){i + 1, list};
    list = n;
  }
  __enzyme_autodiff((void *)consume, enzyme_dup, x, d, enzyme_const, list);
  for (int i = 0; i < 6; ++i)
    RG_NEAR(d[i], 2 * x[i] * (6 - i));

  double *w = malloc(2 * sizeof *w);
  w[0] = 3, w[1] = 5;
  __enzyme_autodiff((void *)weigh, enzyme_dup, x, e, enzyme_const, w);
  RG_NEAR(e[0], 6);
  RG_NEAR(e[1], 23);
  return rgReport();
}
