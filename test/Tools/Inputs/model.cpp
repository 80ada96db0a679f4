#include <array>
#include <vector>
namespace physics {
struct Settings {
  float Scale;
  bool On;
  std::array<double, 2> Weights;
};
static double score(const std::vector<double> &v, const Settings &s, double &out) {
  double r = 0;
  for (double x : v)
    r += x * x * s.Weights[0] + s.Weights[1];
  out *= r;
  return r * (s.On ? 1 : 2);
}
template <typename T> T generic(T x) { return x * x; }
double both(double x) { return x; }
float both(float x) { return x * x; }
struct Shape {
  double R;
  double area() const { return R * R; }
  static double square(double r) { return r * r; }
};
double copied(Shape s) { return s.R; }
} // namespace physics
