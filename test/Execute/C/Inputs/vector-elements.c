/* Reverse against forward against differences, and what depends on what, for every mask. */
#include "rgtest.h"

double choose(double *x, int bits), choose_forward(double *x, double *dx, int bits);
void choose_reverse(double *x, double *dx, int bits);
double move(double *x, int bits), move_forward(double *x, double *dx, int bits);
void move_reverse(double *x, double *dx, int bits);
void compress_pattern(double *x, double *sx, double *y, double *sy, int bits);

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

/* The chosen of the first four go to the front, and the others of the last four stay where they are. */
static void comparePattern(int bits) {
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sx[8] = {0}, y[4] = {0}, sy[4] = {0};
  for (int i = 0; i < 8; ++i) {
    const uint16_t bit = 1u << i;
    memcpy(&sx[i], &bit, sizeof bit);
  }
  compress_pattern(x, sx, y, sy, bits);
  for (int i = 0, from = 0; i < 4; ++i, ++from) {
    while (from < 4 && !(bits >> from & 1))
      ++from;
    uint16_t set;
    memcpy(&set, &sy[i], sizeof set);
    RG_TRUE(y[i] == x[from < 4 ? from : 4 + i]);
    RG_TRUE(set >> (from < 4 ? from : 4 + i) & 1);
    RG_TRUE(set >> 8 == 0);
  }
}

int main(void) {
  for (int bits = 0; bits < 16; ++bits)
    compare(choose, choose_reverse, choose_forward, bits), comparePattern(bits);
  compare(move, move_reverse, move_forward, 0);
  return rgReport();
}
