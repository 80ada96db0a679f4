// A virtual call of a class of which this program makes no objects (what others
// may plug in), where none can come from elsewhere: the derivative is made. It
// is refused where the caller may have one.
// RUN: %rgcxx -O0 %s -o %t -lm && %t
// RUN: %rgcxx -O2 %s -o %t -lm && %t
// RUN: %rgcxx -O2 -mllvm -rg-plan=naive %s -o %t -lm && %t
// RUN: not %rgcxx -O2 -DGIVEN -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: a call through a pointer that derivatives flow through cannot be differentiated yet{{.*}} [RG2003]
#include <cmath>
#include <cstdio>
#include <vector>
int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);

struct Plugged {
  virtual ~Plugged() {}
  virtual void change(std::vector<double> &state) = 0;
  virtual double weight(const double *state) = 0;
};
struct Model {
  std::vector<int> kinds;
  std::vector<double> state;
  std::vector<Plugged *> plugged;
};

__attribute__((noinline)) static double step(Model &m, unsigned i) {
  if (m.kinds[i] == 0)
    m.state[i] *= std::sin(m.state[i]);
  else if (m.kinds[i] == 1)
    m.state[i] += m.state[0] * m.state[0];
  else {
    m.plugged[i]->change(m.state);
    return m.plugged[i]->weight(m.state.data());
  }
  return m.state[i] * 2;
}

#ifdef GIVEN
extern Plugged *made; // in another file
#else
static Plugged *const made = nullptr;
#endif

static double f(const double *x, int n, [[maybe_unused]] Plugged *given) {
  Model m;
  for (int i = 0; i < n; ++i)
    m.kinds.push_back(i % 2), m.state.push_back(x[i]);
#ifdef GIVEN
  m.plugged.push_back(given);
#endif
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += step(m, i);
  return sum;
}

int main() {
  double x[4] = {0.3, 0.7, 1.1, 1.3}, g[4] = {};
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 4, enzyme_const,
                    made);
  for (int i = 0; i < 4; ++i) {
    double at = x[i];
    x[i] = at + 1e-6;
    double above = f(x, 4, nullptr);
    x[i] = at - 1e-6;
    double below = f(x, 4, nullptr);
    x[i] = at;
    if (std::fabs((above - below) / 2e-6 - g[i]) > 1e-6)
      return std::printf("%d: %g %g\n", i, g[i], (above - below) / 2e-6);
  }
}
