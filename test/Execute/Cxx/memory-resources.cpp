// Containers whose memory comes from resources: of the library, of the program, on the stack; resources that end in a loop.
// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
#include <map>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static double onStack(double x) {
  char room[1024];
  std::pmr::monotonic_buffer_resource r(room, sizeof room);
  std::pmr::vector<double> v(&r);
  for (int i = 0; i < 40; ++i)
    v.push_back(std::sin(x * i));
  std::pmr::map<int, double> m(&r);
  for (int i = 0; i < 40; ++i)
    m[i % 7] += v[i] * v[39 - i];
  double s = 0;
  for (auto &[k, w] : m)
    s += w * (k + 1) * x;
  return s;
}
static double ended(double x) {
  double s = 1;
  for (int k = 0; k < 5; ++k) {
    std::pmr::monotonic_buffer_resource outer;
    std::pmr::unsynchronized_pool_resource pool(&outer);
    std::pmr::vector<std::pmr::vector<double>> rows(&pool);
    for (int i = 0; i < 4; ++i)
      rows.emplace_back(i + 1, x * (k + i));
    for (auto &row : rows)
      for (double v : row)
        s += std::cos(v) * s * 0.01;
    pool.release();
  }
  return s;
}
struct Counting : std::pmr::memory_resource {
  int taken = 0;
  void *do_allocate(std::size_t bytes, std::size_t align) override {
    ++taken;
    return std::pmr::new_delete_resource()->allocate(bytes, align);
  }
  void do_deallocate(void *p, std::size_t bytes, std::size_t align) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, align);
  }
  bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};
struct alignas(64) Wide {
  double a[8];
};
static double own(double x) {
  Counting c;
  std::pmr::vector<Wide> w(3, &c);
  std::pmr::unordered_map<int, double> u(&c);
  std::pmr::string name("a name that does not lie in the string itself", &c);
  for (int i = 0; i < 24; ++i)
    w[i / 8].a[i % 8] = u[i % 5] += x * i;
  auto *one = std::pmr::polymorphic_allocator<double>(&c).allocate(2);
  one[0] = x, one[1] = w[2].a[7];
  double s = one[0] * one[1] * name.size();
  std::pmr::polymorphic_allocator<double>(&c).deallocate(one, 2);
  return s + w[1].a[3] * x;
}
__attribute__((noinline)) static double sum(std::pmr::vector<double> &v, std::pmr::memory_resource *r) {
  std::pmr::vector<double> copy(v, r);
  copy.resize(2 * v.size(), v[0]);
  v = std::move(copy);
  double s = 0;
  for (double a : v)
    s += a * a;
  return s;
}
static double handed(double x) {
  std::pmr::synchronized_pool_resource pool;
  std::pmr::vector<double> v({x, x * x, 3 * x});
  return sum(v, &pool) * sum(v, std::pmr::get_default_resource());
}
int main() {
  double x = 0.7;
  RG_UNARY(onStack, x);
  RG_UNARY(ended, x);
  RG_UNARY(own, x);
  RG_UNARY(handed, x);
  return rgReport();
}
