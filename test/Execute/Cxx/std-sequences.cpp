// Sequences and adaptors: deque, list, forward_list, queues, stacks, sets of
// active values.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <deque>
#include <forward_list>
#include <list>
#include <queue>
#include <set>
#include <stack>
#include <vector>
static double f1(double x) {
  std::deque<double> d;
  for (int i = 0; i < 100; ++i) {
    d.push_back(x * i);
    if (i % 3 == 0)
      d.push_front(x * x);
    if (i % 5 == 0)
      d.pop_front();
  }
  double s = 0;
  for (size_t i = 0; i < d.size(); ++i)
    s += d[i] * d[d.size() - 1 - i];
  return s * 1e-3;
}
static double f2(double x) {
  std::list<double> l;
  for (int i = 0; i < 8; ++i)
    l.push_back(x * std::sin(i * 1.0));
  l.sort();
  l.reverse();
  l.remove_if([](double v) { return v < 0; });
  l.push_front(x);
  double s = 0, w = 1;
  for (double v : l)
    s += v * w++;
  l.splice(l.begin(), l, std::prev(l.end()));
  return s * l.front();
}
static double f3(double x) {
  std::forward_list<double> l;
  for (int i = 0; i < 5; ++i)
    l.push_front(x * i * i);
  l.reverse();
  double s = 0, w = 1;
  for (double v : l)
    s += v * v * w++;
  return s;
}
static double f4(double x) {
  std::priority_queue<double> q;
  for (int i = 0; i < 9; ++i)
    q.push(x * std::cos(i * 1.0));
  double s = 0, w = 1;
  while (!q.empty()) {
    s += q.top() * w++;
    q.pop();
  }
  return s;
}
static double f5(double x) {
  std::stack<double> st;
  std::queue<double> q;
  for (int i = 1; i < 6; ++i) {
    st.push(x * i);
    q.push(x * x * i);
  }
  double s = 1;
  while (!st.empty()) {
    s += st.top() * q.front();
    st.pop();
    q.pop();
  }
  return s;
}
static double f6(double x) {
  std::set<double> s;
  for (int i = 0; i < 9; ++i)
    s.insert(x * std::cos(i * 1.0));
  double r = 0, w = 1;
  for (double v : s)
    r += v * w++;
  s.erase(s.begin());
  return r * *s.begin() + *s.rbegin();
}
static double f8(double x) {
  std::multiset<double> m{x, x * x, 2 * x, x};
  m.erase(m.begin());
  double s = 0, w = 1;
  for (double v : m)
    s += v * v * w++;
  std::list<double> a{x, 3 * x}, b{2 * x, 4 * x};
  a.merge(b);
  w = 1;
  for (double v : a)
    s += v * w++ * x;
  a.swap(b);
  return s + b.back();
}
int main() {
  RG_UNARY(f1, .75);
  RG_UNARY(f2, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  RG_UNARY(f5, .75);
  RG_UNARY(f6, .75);
#ifdef __OPTIMIZE__ // at -O0 a multiset beside lists is refused: docs/KnownGaps.md
  RG_UNARY(f8, .75);
#else
  (void)f8;
#endif
  return rgReport();
}
