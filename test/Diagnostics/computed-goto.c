// Labels that a function keeps from one call to the next, or gets from elsewhere.
// Labels of its own: Execute/C/computed-gotos.c.
// RUN: not %rgcc -O0 -DF=resumed -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DF=resumed -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DF=kept -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DF=kept -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DF=lookedUp -c %s -o %t.o 2>&1 | FileCheck %s
extern int enzyme_const;
double __enzyme_autodiff(void *, ...);
struct State {
  void *next;
};
double resumed(double x, struct State *s) {
  static void *at;
  at = at ? at : &&first;
  goto *at;
first:
  at = &&second;
  return x * x;
second:
  at = &&first;
  return x * 3;
}
double kept(double x, struct State *s) {
  if (!s->next)
    s->next = &&start;
  goto * s->next;
start:
  s->next = &&end;
  return x * x;
end:
  return x * 3;
}
const void *lookUp(const void *const *, double);
double lookedUp(double x, struct State *s) {
  static const void *const table[] = {&&square, &&triple};
  goto *lookUp(table, x);
square:
  return x * x;
triple:
  return x * 3;
}
double test(double x, struct State *s) {
  // CHECK: computed-goto.c:[[@LINE+1]]:{{[0-9]+}}: error: this control flow cannot be reversed: computed goto by labels that others may hold, too [RG2012]
  return __enzyme_autodiff((void *)F, x, enzyme_const, s);
}
