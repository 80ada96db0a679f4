// Indices in an array of a class that has pointers behind it: each is read twice
// in a nest of loops, out of which simplification moves one of the reads. The
// class's vectors of records and of owned lists stay apart.
// RG-LEVELS: O0 O1 O2 O3 g
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

struct Point {
  double x, y;
  double distance(const Point &o) const {
    return (x - o.x) * (x - o.x) + (y - o.y) * (y - o.y);
  }
};

struct Face {
  size_t edge = 0, farthest = 0;
  double height = 0;
  std::unique_ptr<std::vector<size_t>> above;
};

class Hull {
  const Point *points = nullptr;
  size_t count = 0;
  std::array<size_t, 24> extreme{};
  std::vector<Face> faces;
  std::vector<std::unique_ptr<std::vector<size_t>>> pool;
  std::vector<Point> corners;

  std::array<size_t, 24> extremes() const {
    std::array<size_t, 24> found{};
    double least = points[0].x, most = points[0].x;
    for (size_t i = 1; i < count; ++i) {
      if (points[i].x > most)
        most = points[i].x, found[0] = i;
      else if (points[i].x < least)
        least = points[i].x, found[1] = i;
      if (points[i].y > points[found[2]].y)
        found[2] = i;
      else if (points[i].y < points[found[3]].y)
        found[3] = i;
    }
    return found;
  }
  std::unique_ptr<std::vector<size_t>> list() {
    if (pool.empty())
      return std::unique_ptr<std::vector<size_t>>(new std::vector<size_t>());
    auto taken = std::move(pool.back());
    pool.pop_back();
    return taken;
  }

public:
  double run(const Point *of, size_t n) {
    points = of;
    count = n;
    extreme = extremes();
    std::pair<size_t, size_t> chosen;
    double most = 0;
    for (size_t i = 0; i < 24; ++i)
      for (size_t j = i + 1; j < 24; ++j) {
        const double d = points[extreme[i]].distance(points[extreme[j]]);
        if (d > most)
          most = d, chosen = {extreme[i], extreme[j]};
      }
    for (size_t k = 0; k < 2; ++k) {
      Face face;
      face.edge = k ? chosen.second : chosen.first;
      face.above = list();
      for (size_t i = 0; i < n; ++i)
        if (i != chosen.first && i != chosen.second) {
          const double h = points[i].distance(points[face.edge]);
          if (h > face.height)
            face.height = h, face.farthest = i;
          face.above->push_back(i);
        }
      faces.push_back(std::move(face));
    }
    double s = most;
    for (Face &face : faces) {
      for (size_t i : *face.above)
        s += 0.1 * points[i].x * face.height;
      corners.push_back(points[face.farthest]);
      face.above->clear();
      pool.push_back(std::move(face.above));
      std::swap(extreme[0], face.farthest);
    }
    for (size_t i : extreme)
      s += points[i].y * corners[i % corners.size()].x;
    return s;
  }
};

static double run(const double *x, int n) {
  std::vector<Point> points;
  for (int i = 0; i < n; ++i)
    points.push_back({x[i], x[i] * x[(i + 1) % n]});
  auto hull = std::make_unique<Hull>();
  return hull->run(points.data(), points.size());
}

int main() {
  check(run);
  return rgReport();
}
