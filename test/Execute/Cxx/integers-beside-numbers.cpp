// Objects of several types in one buffer, some of which are integers: an integer that is only moved from buffer to
// buffer is one all the same.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <any>
#include <memory>
#include <typeindex>
#include <unordered_map>
#include <vector>

static double inAny(const double *x, int n) {
  std::vector<std::any> v;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 0)
      v.push_back(x[i]);
    else if (i % 3 == 1)
      v.push_back(i);
    else
      v.push_back(std::vector<double>{x[i], x[0]});
  double s = 0;
  for (auto &a : v)
    if (auto *number = std::any_cast<double>(&a))
      s += *number * *number;
    else if (auto *integer = std::any_cast<int>(&a))
      s += *integer * x[0];
    else if (auto *numbers = std::any_cast<std::vector<double>>(&a))
      s += (*numbers)[0] * (*numbers)[1];
  return s;
}

struct PoolBase {
  virtual ~PoolBase() = default;
};
template <class T> struct Pool : PoolBase {
  std::vector<T> data;
  std::vector<unsigned> ids;
  std::unordered_map<unsigned, size_t> at;
  void add(unsigned id, T t) {
    at[id] = data.size();
    ids.push_back(id);
    data.push_back(t);
  }
  T *find(unsigned id) {
    auto it = at.find(id);
    return it == at.end() ? nullptr : &data[it->second];
  }
};
struct Place {
  double x, y;
};
struct Speed {
  double x, y;
  float drag;
};
struct World {
  std::unordered_map<std::type_index, std::unique_ptr<PoolBase>> pools;
  template <class T> Pool<T> &pool() {
    auto &p = pools[typeid(T)];
    if (!p)
      p = std::make_unique<Pool<T>>();
    return static_cast<Pool<T> &>(*p);
  }
};
static double inPools(const double *x, int n) {
  World w;
  for (int i = 0; i < n; ++i) {
    w.pool<Place>().add(i, {x[i], x[i] * x[i]});
    if (i % 2 == 0)
      w.pool<Speed>().add(i, {1, x[0], 0.5f});
  }
  auto &speeds = w.pool<Speed>();
  for (size_t i = 0; i < speeds.data.size(); ++i)
    if (Place *p = w.pool<Place>().find(speeds.ids[i])) {
      p->x += speeds.data[i].x * 0.1;
      p->y += speeds.data[i].y * 0.1 * speeds.data[i].drag;
    }
  double s = 0;
  for (auto &p : w.pool<Place>().data)
    s += p.x * p.y;
  return s;
}

int main() {
  check(inAny);
  check(inPools);
  return rgReport();
}
