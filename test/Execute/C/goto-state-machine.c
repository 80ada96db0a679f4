// A state machine over an instruction string, with goto and with a switch in a
// loop; the data it works on are active.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
int enzyme_const, enzyme_dup;

static double interpret(const char *program, const double *x) {
  double stack[16];
  int top = 0, next = 0;
fetch:
  switch (*program++) {
  case 'x':
    stack[top++] = x[next++];
    goto fetch;
  case '+':
    top--;
    stack[top - 1] += stack[top];
    goto fetch;
  case '*':
    top--;
    stack[top - 1] *= stack[top];
    goto fetch;
  case '/':
    top--;
    stack[top - 1] /= stack[top];
    goto fetch;
  case 'd':
    stack[top] = stack[top - 1];
    top++;
    goto fetch;
  case 0:
    break;
  }
  return stack[0];
}
static double automaton(const double *x, int n) {
  double v = 1;
  int i = 0;
rising:
  if (i == n)
    goto end;
  v += x[i] * x[i];
  i++;
  if (v > 4)
    goto falling;
  goto rising;
falling:
  if (i == n)
    goto end;
  v = v * 0.5 - x[i];
  i++;
  if (v < 1)
    goto rising;
  goto falling;
end:
  return v;
}

int main(void) {
  double x[4] = {2, 3, 1.5, 4}, dx[4] = {0};
  const char *program = "xxd**xx/+"; // x0 x1^2 + x2 / x3
  __enzyme_autodiff((void *)interpret, enzyme_const, program, enzyme_dup, x, dx);
  RG_GRADS(dx, interpret(program, x), x, 4);
  RG_NEAR(dx[1], 12.0);
  double y[8] = {1, 1.5, 2, 0.5, 3, 1, 0.25, 1}, dy[8] = {0};
  __enzyme_autodiff((void *)automaton, y, dy, 8);
  RG_GRADS(dy, automaton(y, 8), y, 8);
  return rgReport();
}
