// Lists of the caller's that the function extends: afterwards their shadows
// lead to the derivatives of all nodes. RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;

typedef struct Node {
  struct Node *next;
  double number;
} Node;
typedef struct {
  Node *head, *tail;
} List;

static Node *newNode(double number) {
  Node *n = malloc(sizeof *n);
  n->next = NULL;
  n->number = number;
  return n;
}
static double squares(const List *l) {
  double s = 0;
  int at = 0;
  for (const Node *n = l->head; n; n = n->next)
    s += ++at * n->number * n->number;
  return s;
}
static double inFront(List *l, double *x) {
  Node *n = newNode(*x * *x);
  if (l->head)
    n->next = l->head;
  l->head = n;
  return squares(l);
}
static double behind(List *l, double *x) {
  for (int i = 0; i < 2; ++i) {
    Node *n = newNode(*x * (i + 1));
    l->tail->next = n;
    l->tail = n;
  }
  return squares(l);
}
// The last node goes to the front.
static double turned(List *l, double *x) {
  Node *last = l->tail, *n = l->head;
  while (n->next != last)
    n = n->next;
  n->next = NULL;
  l->tail = n;
  last->next = l->head;
  l->head = last;
  return squares(l) * *x;
}

static void check(double (*f)(List *, double *), const double *wanted,
                  int nodes) {
  Node b = {NULL, 2}, a = {&b, 3}, db = {NULL, 0}, da = {&db, 0};
  List l = {&a, &b}, d = {&da, &db};
  double x = 1.5, dx = 0;
  __enzyme_autodiff((void *)f, enzyme_dup, &l, &d, enzyme_dup, &x, &dx);
  RG_NEAR(dx, wanted[0]);
  int at = 0;
  for (const Node *n = d.head, *of = l.head; n; n = n->next, of = of->next) {
    if (of == &a)
      RG_NEAR(n->number, wanted[1]);
    if (of == &b)
      RG_NEAR(n->number, wanted[2]);
    ++at;
  }
  RG_TRUE(at == nodes);
  RG_TRUE(d.tail && !d.tail->next);

  Node tb = {NULL, 0.25}, ta = {&tb, -0.5};
  b = (Node){NULL, 2}, a = (Node){&b, 3};
  l = (List){&a, &b}, d = (List){&ta, &tb};
  double tx = 1;
  x = 1.5;
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, &l, &d, enzyme_dup, &x, &tx),
          wanted[0] - 0.5 * wanted[1] + 0.25 * wanted[2]);
}

int main() {
  const double x = 1.5;
  check(inFront, (double[]){4 * x * x * x, 4 * 3, 6 * 2}, 3);
  check(behind, (double[]){6 * x + 8 * 4 * x, 2 * 3, 4 * 2}, 4);
  check(turned, (double[]){2 * 2 + 2 * 3 * 3, 4 * 3 * x, 2 * 2 * x}, 2);
  return rgReport();
}
