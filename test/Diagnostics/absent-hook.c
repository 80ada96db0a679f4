// A hook of which no function is here, given active memory: it may change what
// it gets. Where it is null, the derivative is right; where it is called, the
// program ends.
// RUN: %rgcc -O0 %s -o %t -lm && %t 0 | FileCheck %s --check-prefix=NULL
// RUN: not --crash %t 1 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: %rgcc -O2 %s -o %t -lm && %t 0 | FileCheck %s --check-prefix=NULL
// RUN: not --crash %t 1 2>&1 | FileCheck %s --check-prefix=CALLED
// NULL: 6 8
// CALLED: retrograd: {{.*}}was called through a pointer and has no derivative{{.*}}[RG2003]
// CALLED-NOT: number
#include <stdio.h>
#include <stdlib.h>
int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);

struct node {
  double value;
  struct node *next;
};
struct list {
  struct node *first;
  void (*destroy)(void *);
};

static void release(struct node *n, void (*destroy)(void *)) {
  if (!n)
    return;
  release(n->next, destroy);
  if (destroy)
    destroy(&n->value);
  free(n);
}

static double f(const double *x, int n, int hooked) {
  struct list *l = malloc(sizeof *l);
  l->first = NULL;
  unsigned long bits = 64;
  l->destroy = hooked ? (void (*)(void *))bits : NULL;
  for (int i = 0; i < n; ++i) {
    struct node *new = malloc(sizeof *new);
    new->value = x[i];
    new->next = l->first;
    l->first = new;
  }
  double sum = 0;
  for (struct node *at = l->first; at; at = at->next)
    sum += at->value * at->value;
  release(l->first, l->destroy);
  free(l);
  return sum;
}

int main(int argc, char **argv) {
  double x[2] = {3, 4}, g[2] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 2, enzyme_const,
                    argc > 1 ? atoi(argv[1]) : 0);
  printf("%g %g\n", g[0], g[1]);
}
