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

// Per container: the gradient of f, by its elements in their order before the
// call.
template <class C> static double squares(const C &c) {
  double s = 0;
  for (double v : c)
    s += v * v;
  return s;
}
template <class C> static double inFront(C &c) {
  c.push_front(2 * c.front());
  return squares(c);
}
template <class C> static void checkSequence() {
  C c{1.5, 0.5}, d{0, 0};
  __enzyme_autodiff((void *)inFront<C>, enzyme_dup, &c, &d);
  auto at = std::next(d.begin());
  RG_NEAR(*at++, 2 * 1.5 + 2 * 2 * 3.0);
  RG_NEAR(*at++, 2 * 0.5);
  RG_TRUE(at == d.end());
}
template <class C> static double withKeys(C &c) {
  c.emplace(7, 2 * c.find(1)->second);
  double s = 0;
  for (auto &p : c)
    s += p.first * std::sin(p.second);
  return s;
}
template <class C> static void checkKeys(C c, C d) {
  __enzyme_autodiff((void *)withKeys<C>, enzyme_dup, &c, &d);
  RG_NEAR(d.find(1)->second, std::cos(1.5) + 2 * 7 * std::cos(3.0));
  RG_NEAR(d.find(2)->second, 2 * std::cos(0.5));
  RG_TRUE(std::distance(d.begin(), d.end()) == 3);
}
static double inSecond(std::vector<std::list<double>> &lists) {
  lists[1].push_front(2 * lists[0].front());
  return squares(lists[0]) + squares(lists[1]);
}

int main() {
  checkSequence<std::list<double>>();
  checkSequence<std::forward_list<double>>();
  checkSequence<std::deque<double>>();
  const std::map<int, double> numbers{{1, 1.5}, {2, 0.5}},
      zeros{{1, 0}, {2, 0}};
  checkKeys(numbers, zeros);
  // The number of buckets is an integer, which a shadow does not follow: no new
  // table is made.
  using Hashed = std::unordered_map<int, double>;
  checkKeys(Hashed(numbers.begin(), numbers.end(), 13),
            Hashed(zeros.begin(), zeros.end(), 13));
  using Several = std::unordered_multimap<int, double>;
  checkKeys(Several(numbers.begin(), numbers.end(), 13),
            Several(zeros.begin(), zeros.end(), 13));
  std::vector<std::list<double>> lists{{1.5}, {0.5}}, shadows{{0}, {0}};
  __enzyme_autodiff((void *)inSecond, enzyme_dup, &lists, &shadows);
  RG_NEAR(shadows[0].front(), 2 * 1.5 + 2 * 2 * 3.0);
  RG_NEAR(shadows[1].back(), 2 * 0.5);
  return rgReport();
}
