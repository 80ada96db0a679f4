// Hessian times vector of functions that move records of a number and an integer
// as a whole: reverse over forward, with a direction that is constant, and forward
// over reverse. Tangents have the types of what they belong to.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <algorithm>
#include <math.h>
#include <queue>
#include <vector>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

constexpr int N = 5;
struct Event {
  double time;
  int which;
  bool operator<(const Event &other) const { return time > other.time; }
};
static double events(const double *x) {
  std::priority_queue<Event> queue;
  for (int i = 0; i < N; ++i)
    queue.push({x[i], i});
  double sum = 0;
  for (int n = 0; n < 15; ++n) {
    Event next = queue.top();
    queue.pop();
    sum += next.time * next.time * (1 + next.which);
    queue.push({next.time * 1.7 + 0.1 * x[next.which] * x[0],
                (next.which + 1) % N});
  }
  return sum;
}
static double sorted(const double *x) {
  std::vector<Event> all;
  for (int i = 0; i < N; ++i)
    all.push_back({sin(9 * x[i]), i});
  std::sort(all.begin(), all.end());
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += i * all[i].time * all[i].time * x[all[i].which];
  return sum;
}
template <double (*F)(const double *)>
static void gradient(const double *x, double *dx) {
  __enzyme_autodiff((void *)F, enzyme_dup, x, dx);
}
template <double (*F)(const double *)>
static double along(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)F, enzyme_dup, x, v);
}
template <double (*F)(const double *)> static void second() {
  const double h = 1e-6;
  double x[N], v[N], there[N], here[N];
  double zero[N] = {}, forward[N] = {}, reverse[N] = {}, after[N] = {},
         before[N] = {};
  for (int i = 0; i < N; ++i) {
    x[i] = 0.7 + 0.13 * i + 0.05 * (i * 7 % 3);
    v[i] = 0.3 - 0.1 * i;
    there[i] = x[i] + h * v[i];
    here[i] = x[i] - h * v[i];
  }
  __enzyme_fwddiff((void *)gradient<F>, enzyme_dup, x, v, enzyme_dup, zero,
                   forward);
  __enzyme_autodiff((void *)along<F>, enzyme_dup, x, reverse, enzyme_const, v);
  gradient<F>(there, after);
  gradient<F>(here, before);
  for (int i = 0; i < N; ++i) {
    RG_WITHIN(forward[i], (after[i] - before[i]) / (2 * h), 1e-5);
    RG_NEAR(reverse[i], forward[i]);
  }
}
int main() {
  second<events>();
  second<sorted>();
  return rgReport();
}
