// As plain.c, with what C++ adds: templates, exceptions, virtual calls, threads'
// locals, the standard library.
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Circle final : Shape {
  double r;
  explicit Circle(double r) : r(r) {}
  double area() const override { return 3.14 * r * r; }
};
template <class T> T total(const std::vector<T> &v) {
  T sum{};
  for (const T &x : v)
    sum += x;
  return sum;
}
thread_local int calls;
} // namespace

double run(const std::map<std::string, double> &radii) {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (const auto &[name, r] : radii) {
    if (r < 0)
      throw std::invalid_argument(name);
    shapes.push_back(std::make_unique<Circle>(std::hypot(r, 1.0)));
  }
  std::vector<double> areas;
  for (const auto &s : shapes)
    areas.push_back(s->area());
  ++calls;
  try {
    return total(areas) / areas.at(0);
  } catch (const std::out_of_range &) {
    return calls;
  }
}
