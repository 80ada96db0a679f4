// Programs whose own derivative calls stand where random points do not, or pass memory that random
// checks do not: one per macro. The functions themselves are right everywhere else.
#include <cmath>
#include <cstdio>
#include <cstdlib>
template <typename R, typename... A> R __enzyme_autodiff(void *, A...);
extern int enzyme_const, enzyme_dup, enzyme_out;

static double bend(double x) { return std::fabs(x - 1); } // line 9
double model(const double *x, double *work, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    work[i] = x[i] * x[i];
    s += work[i] + bend(x[i]);
  }
  return s;
}
double norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return std::sqrt(s); // line 22
}
double relu(double x) { return std::fmax(0.0, x) + x; } // line 24
double picked(const double *x, const int *order, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += std::fabs(x[order[i]] - 1) * (i + 1); // line 28
  return s;
}
void step(double *u, const double *v, int n) {
  for (int i = 0; i < n; ++i)
    u[i] = u[i] * v[i] + v[i];
}

int main() {
  double x[3] = {0.5, 1, 2}, d[3] = {0}, w[3], dw[3] = {0}, zero[3] = {0};
  int order[2] = {2, 0};
#if PROGRAM == 1
  __enzyme_autodiff<void>((void *)model, enzyme_dup, x, d, enzyme_dup, w, dw, enzyme_const, 3); // line 40
#elif PROGRAM == 2
  __enzyme_autodiff<void>((void *)norm, enzyme_dup, zero, d, enzyme_const, 3); // line 42
#elif PROGRAM == 3
  d[0] = __enzyme_autodiff<double>((void *)relu, enzyme_out, zero[1]); // line 44
#elif PROGRAM == 4
  __enzyme_autodiff<void>((void *)step, enzyme_dup, x, d, enzyme_dup, w, d, enzyme_const, 3); // line 46
#elif PROGRAM == 5
  double *shadow = (double *)calloc(2, sizeof(double));
  __enzyme_autodiff<void>((void *)step, enzyme_dup, x, d, enzyme_dup, zero, shadow, enzyme_const, 3); // line 49
#elif PROGRAM == 6
  __enzyme_autodiff<void>((void *)step, enzyme_dup, x, d, enzyme_dup, x, dw, enzyme_const, 3); // line 51
#elif PROGRAM == 7
  // The second element is on a kink and is not used.
  __enzyme_autodiff<void>((void *)picked, enzyme_dup, x, d, enzyme_const, order, enzyme_const, 2); // line 54
  if (FILE *file = std::fopen(MUST_NOT_BE, "w")) {
    std::fputs("written", file);
    std::fclose(file);
  }
  std::remove(MUST_STAY);
  order[0] = 1;
  __enzyme_autodiff<void>((void *)picked, enzyme_dup, x, d, enzyme_const, order, enzyme_const, 2); // line 61
#endif
  std::printf("%g\n", d[0]);
  return 0;
}
