#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

// A chain of n springs.
double energy(const double *at, int n, double stiffness) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += 0.5 * stiffness * std::pow(at[i + 1] - at[i] - 1, 2);
  return sum;
}

// y = sin(x) * by
void waves(std::span<const double> x, std::span<double> y, double by) {
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = std::sin(x[i]) * by * x[0];
}

float norm(const std::vector<float> &v) {
  float s = 0;
  for (float x : v)
    s += x * x;
  return s;
}

struct Body {
  double mass, at[2];
  int kind;
};
double moment(const Body *bodies, int n) {
  if (n < 1)
    throw std::invalid_argument("there is no body");
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += bodies[i].mass * (bodies[i].at[0] * bodies[i].at[0] + bodies[i].at[1]) * bodies[i].kind;
  return s;
}
