// Containers of the caller's that the function extends: afterwards their
// shadows lead to the derivatives of what was there. RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <cmath>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <unordered_map>
#include <vector>
void __enzyme_autodiff(void *, ...);
int enzyme_dup;

struct Model {
  std::unordered_map<int, double> hashed{{1, 1.5}, {2, 0.5}};
  std::unordered_multimap<int, double> several{{1, 1.5}, {2, 0.5}};
  std::map<int, double> sorted{{1, 1.5}, {2, 0.5}};
  std::list<double> list{1.5, 0.5};
  std::forward_list<double> forward{1.5, 0.5};
  std::deque<double> deque{1.5, 0.5};
  std::vector<std::list<double>> lists{{1.5}, {0.5}};
};
static double extend(Model &m) {
  m.hashed[7] = 2 * m.hashed[1];
  m.several.emplace(7, 3 * m.several.find(2)->second);
  m.sorted[0] = 2 * m.sorted[1];
  m.list.push_front(2 * m.list.front());
  m.forward.push_front(2 * m.forward.front());
  m.deque.push_front(2 * m.deque.front());
  m.lists[0].push_front(2 * m.lists[1].front());
  double s = 0;
  for (auto &p : m.hashed)
    s += p.first * std::sin(p.second);
  for (auto &p : m.several)
    s += p.first * p.second * p.second;
  for (auto &p : m.sorted)
    s += (p.first + 1) * p.second * p.second;
  for (double v : m.list)
    s += v * v;
  for (double v : m.forward)
    s += v * v;
  for (double v : m.deque)
    s += v * v;
  for (auto &l : m.lists)
    for (double v : l)
      s += v * v;
  return s;
}
int main() {
  Model m, d;
  // The number of buckets is an integer, which a shadow does not follow: no new table is made.
  m.several.rehash(13);
  d.several.rehash(13);
  d.hashed[1] = d.hashed[2] = 0;
  for (auto &p : d.several)
    p.second = 0;
  d.sorted[1] = d.sorted[2] = 0;
  d.list = {0, 0};
  d.forward = {0, 0};
  d.deque = {0, 0};
  d.lists = {{0}, {0}};
  __enzyme_autodiff((void *)extend, enzyme_dup, &m, &d);
  RG_NEAR(d.hashed.at(1), std::cos(1.5) + 2 * 7 * std::cos(3.0));
  RG_NEAR(d.hashed.at(2), 2 * std::cos(0.5));
  RG_NEAR(d.several.find(1)->second, 2 * 1.5);
  RG_NEAR(d.several.find(2)->second, 4 * 0.5 + 3 * 2 * 7 * 1.5);
  RG_NEAR(d.sorted.at(1), 4 * 1.5 + 2 * 2 * 3.0);
  RG_NEAR(d.sorted.at(2), 6 * 0.5);
  RG_NEAR(*std::next(d.list.begin()), 2 * 1.5 + 2 * 2 * 3.0);
  RG_NEAR(*std::next(d.list.begin(), 2), 2 * 0.5);
  RG_NEAR(*std::next(d.forward.begin()), 2 * 1.5 + 2 * 2 * 3.0);
  RG_NEAR(*std::next(d.forward.begin(), 2), 2 * 0.5);
  RG_NEAR(d.deque[1], 2 * 1.5 + 2 * 2 * 3.0);
  RG_NEAR(d.deque[2], 2 * 0.5);
  RG_NEAR(d.lists[0].back(), 2 * 1.5);
  RG_NEAR(d.lists[1].back(), 2 * 0.5 + 2 * 2 * 1.0);
  return rgReport();
}
