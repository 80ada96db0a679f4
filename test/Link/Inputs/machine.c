double __enzyme_autodiff(void *, ...);

/// Its partial sums go to the tape.
static double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * s + x[i] * x[i];
  return s;
}

int main(int argc, char **argv) {
  (void)argv;
  double x[5] = {1, 2, 3}, d[5] = {0};
  __enzyme_autodiff((void *)f, x, d, argc * 3);
  // s = (x2 + 1)((x1 + 1) x0^2 + x1^2) + x2^2
  return d[0] != 24 || d[1] != 20 || d[2] != 13;
}
