/* Several operations without a derivative in each function; one of them is to blame. */
#include <algorithm>
#include <cmath>

#if FAULT == 1
double model(double x) {
  double s = (int)(2.5 + 0 * x);     /* decides nothing */
  for (int i = 0; i < 8; ++i)
    s += std::floor(x * (i == 5 ? 1e7 : 1e-3)) * 1e-7; /* line 9: the sixth time */
  return s + x;
}
#elif FAULT == 2
double model(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > 100)
      s += 1;
    if (std::sin(x[i] * 1e6) > 0 && i == 2) /* line 18: every time */
      s += x[i];
    if (x[i] < -100)
      s -= 1;
  }
  return s;
}
#elif FAULT == 3
double model(double x) {
  double s = 0, top = 0;
  for (int i = 0; i < 3000; ++i) {
    top = std::max(top, std::fabs(std::cos(x)) - 2); /* smooth: never the larger one */
    s += std::fabs(x - i * 0x1p-10);                 /* line 30 */
  }
  return s / 3000 + top;
}
#elif FAULT == 4
struct Grid {
  double cell[64];
  double at(double x) const { return cell[int(x * 1e6) % 64]; } /* line 37 */
};
double model(double x) {
  Grid g;
  for (int i = 0; i < 64; ++i)
    g.cell[i] = i * x + (x > 50 ? 1 : 0);
  return g.at(x);
}
#endif
