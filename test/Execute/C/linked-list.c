// Lists given by the caller (with a shadow list) and lists built, reversed and
// walked inside.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct node { double value; int weight; struct node *next; } Node;

static double walk(const Node *n) {
  double s = 1;
  for (; n; n = n->next)
    s = s * n->value + n->weight;
  return s;
}
static double walkRecursively(const Node *n) {
  return n ? n->value * n->value + 0.5 * walkRecursively(n->next) : 0;
}
static double build(double x, int n) {
  Node *head = NULL;
  for (int i = 0; i < n; ++i) {
    Node *node = malloc(sizeof *node);
    node->value = x + 0.1 * i * x * x;
    node->weight = i;
    node->next = head;
    head = node;
  }
  Node *reversed = NULL;
  while (head) {
    Node *next = head->next;
    head->next = reversed;
    reversed = head;
    head = next;
  }
  double s = walk(reversed);
  while (reversed) {
    Node *next = reversed->next;
    free(reversed);
    reversed = next;
  }
  return s;
}

int main(void) {
  Node c = {3, 2, NULL}, b = {2, -1, &c}, a = {1.5, 4, &b};
  Node dc = {0, 0, NULL}, db = {0, 0, &dc}, da = {0, 0, &db};
  __enzyme_autodiff((void *)walk, &a, &da);
  RG_GRAD(da.value, walk(&a), a.value);
  RG_GRAD(db.value, walk(&a), b.value);
  RG_GRAD(dc.value, walk(&a), c.value);
  da.value = db.value = dc.value = 0;
  __enzyme_autodiff((void *)walkRecursively, &a, &da);
  RG_NEAR(da.value, 3);
  RG_NEAR(db.value, 2);
  RG_NEAR(dc.value, 1.5);
  double x = 0.9;
  for (int n = 0; n < 5; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)build, x, n), build(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)build, x, 1.0, n), build(x, n), x);
  }
  return rgReport();
}
