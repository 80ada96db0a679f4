// Output and other calls without derivatives inside f: printed once per
// derivative call, and no obstacle.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static FILE *stream;
static double f(double x, int n) {
  double s = x;
  for (int i = 0; i < n; ++i) {
    s = s * x + 1.0 / (i + 1);
    if (i % 2 == 0)
      fprintf(stream, "%d %g\n", i, s);
  }
  char line[64];
  snprintf(line, sizeof line, "end %.3f", s);
  fputs(line, stream);
  fflush(stream);
  return s * s;
}

int main(void) {
  stream = tmpfile();
  double x = 0.75;
  double d = __enzyme_autodiff((void *)f, x, 5);
  long length = ftell(stream);
  RG_TRUE(length > 10);
  rewind(stream);
  double want = f(x, 5);
  RG_TRUE(ftell(stream) == length); // neither more nor less than the primal's
  RG_TRUE(want > 0);
  RG_GRAD(d, f(x, 5), x);
  RG_GRAD(__enzyme_fwddiff((void *)f, x, 1.0, 5), f(x, 5), x);
  printf("primal %g\n", want);
  fclose(stream);
  return rgReport();
}
