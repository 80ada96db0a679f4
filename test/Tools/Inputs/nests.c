// For explain-nests.test: a nest whose columns become rows, and one that reads where another array says.
enum { N = 64 };
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

__attribute__((noinline)) void columns(int n, double y[restrict][N], const double x[restrict][N]) {
  // Nothing is kept of this product.

  for (int j = 0; j < N; j++)
    for (int i = 0; i < n; i++)
      y[i][j] += x[i][j] * 0.5;
}
__attribute__((noinline)) void gather(int n, double y[restrict][N], const double x[restrict][N], const int *restrict at) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < n; i++)
      y[i][j] += x[at[i]][j];
}
void gradient(int n, void *y, void *dy, void *x, void *dx) {
  __enzyme_autodiff((void *)columns, enzyme_const, n, enzyme_dup, y, dy, enzyme_dup, x, dx);
}
