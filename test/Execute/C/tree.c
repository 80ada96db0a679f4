// A binary tree of the caller's, updated in post-order; an expression tree with
// an operator per node; and a search tree built from active keys inside.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct tree { char op; double value; struct tree *left, *right; } Tree;

static double evaluate(const Tree *t) {
  switch (t->op) {
  case '+': return evaluate(t->left) + evaluate(t->right);
  case '*': return evaluate(t->left) * evaluate(t->right);
  case 's': return sin(evaluate(t->left));
  default: return t->value;
  }
}
static double collect(Tree *t) {
  if (!t)
    return 0;
  t->value = t->value * t->value + collect(t->left) * collect(t->right);
  return t->value;
}
static Tree *insert(Tree *t, double key) {
  if (!t) {
    t = calloc(1, sizeof *t);
    t->value = key;
  } else if (key < t->value)
    t->left = insert(t->left, key);
  else
    t->right = insert(t->right, key);
  return t;
}
static double inOrder(Tree *t, double before) {
  if (!t)
    return before;
  double s = inOrder(t->left, before);
  s = s * 0.5 + t->value * t->value;
  s = inOrder(t->right, s);
  free(t);
  return s;
}
static double sorted(const double *x, int n) {
  Tree *root = NULL;
  for (int i = 0; i < n; ++i)
    root = insert(root, x[i] * 1.5);
  return inOrder(root, 0);
}

int main(void) {
  Tree a = {'v', 2, 0, 0}, b = {'v', 3, 0, 0}, c = {'*', 4, &a, &b};
  Tree s = {'s', 5, &a, 0}, root = {'+', 6, &c, &s};
  Tree da = {0}, db = {0}, dc = {0, 0, &da, &db}, ds = {0, 0, &da, 0};
  Tree droot = {0, 0, &dc, &ds};
  __enzyme_autodiff((void *)evaluate, &root, &droot);
  RG_NEAR(da.value, 3 + cos(2.0));
  RG_NEAR(db.value, 2);
  Tree l = {'v', 2, 0, 0}, r = {'v', 3, 0, 0}, t = {'v', 5, &l, &r};
  Tree dl = {0}, dr = {0}, dt = {0, 0, &dl, &dr};
  __enzyme_autodiff((void *)collect, &t, &dt);
  RG_NEAR(dt.value, 10);
  RG_NEAR(dl.value, 4 * 9);
  RG_NEAR(dr.value, 6 * 4);
  double x[5] = {3, 1, 4, 1.5, 2}, dx[5] = {0};
  __enzyme_autodiff((void *)sorted, x, dx, 5);
  RG_GRADS(dx, sorted(x, 5), x, 5);
  return rgReport();
}
