#include <cmath>
#include <string>
#include <vector>
double __enzyme_autodiff(void *, ...);
std::string name(const std::string &a, int k);
double weigh(const std::vector<std::string> &names, double x);
static double f(double x) {
  std::vector<std::string> v;
  for (int i = 0; i < 4; ++i)
    v.push_back(name("a long text, longer than sixteen", i));
  std::string t = v[2];
  t += v[1];
  v[0] = t;
  return weigh(v, x) * x;
}
int main() {
  double d = __enzyme_autodiff((void *)f, 2.0);
  double c = (f(2 + 1e-6) - f(2 - 1e-6)) / 2e-6;
  return !(std::fabs(d - c) < 1e-6 * std::fabs(c));
}
