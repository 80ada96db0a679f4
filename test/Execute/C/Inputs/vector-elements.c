/* Reverse against forward against differences, for every mask. */
#include "rgtest.h"

double choose(double *x, int bits), choose_forward(double *x, double *dx, int bits);
void choose_reverse(double *x, double *dx, int bits);
double move(double *x, int bits), move_forward(double *x, double *dx, int bits);
void move_reverse(double *x, double *dx, int bits);

static void compare(double f(double *, int), void reverse(double *, double *, int),
                    double forward(double *, double *, int), int bits) {
  double x[8] = {1.1, -0.7, 2.3, 0.4, 1.9, 0.6, -1.2, 1.4}, dx[8] = {0};
  reverse(x, dx, bits);
  for (int i = 0; i < 8; ++i) {
    double seed[8] = {0}, at = x[i], h = 1e-6;
    seed[i] = 1;
    double tangent = forward(x, seed, bits);
    x[i] = at + h;
    double up = f(x, bits);
    x[i] = at - h;
    double down = f(x, bits);
    x[i] = at;
    rgCompare(__FILE__, __LINE__, "reverse against forward", dx[i], tangent, 1e-12);
    rgCompare(__FILE__, __LINE__, "reverse against differences", dx[i], (up - down) / (2 * h), 1e-6);
  }
}

int main(void) {
  for (int bits = 0; bits < 16; ++bits)
    compare(choose, choose_reverse, choose_forward, bits);
  compare(move, move_reverse, move_forward, 0);
  return rgReport();
}
