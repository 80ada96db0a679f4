// Functions that cannot be called by their names alone, or at all.
#include <algorithm>
#include <cmath>
#include <vector>

// A rule below a virtual function.
static double hard(double e) { return e + e * e * e; }
static double hard_aug(double e) { return e + e * e * e; }
static double hard_rev(double e, double seed) { return (1 + 2 * e * e) * seed; } // line 9
void *__enzyme_register_gradient_hard[] = {(void *)hard, (void *)hard_aug, (void *)hard_rev};
struct Law {
  virtual ~Law() {}
  virtual double stress(double e) const = 0;
};
struct Hard : Law {
  double k = 2;
  double stress(double e) const override { return k * hard(e); }
};
static double energy(const Law &l, double e) { return l.stress(e) * e; }
double virtually(double e) {
  Hard law;
  return energy(law, e);
}

// A lambda, which a system header calls.
double lambda(const double *x, int n) {
  std::vector<double> v(x, x + n);
  std::transform(v.begin(), v.end(), v.begin(), [](double t) {
    return std::floor(t * 1e6) * 1e-6 * t; // line 29
  });
  double s = 0;
  for (double t : v)
    s += t;
  return s;
}

// A template with a rule as attributes.
template <class T> T damp_aug(T x) { return std::exp(-x); }
template <class T> T damp_rev(T x, T seed) { return std::exp(-x) * seed; } // line 39
template <class T>
__attribute__((enzyme("augment", damp_aug<T>), enzyme("gradient", damp_rev<T>))) T damp(T x) { return std::exp(-x); }
double instance(double x) { return x * damp<double>(x); }

// A private member, in a namespace, of a class template.
namespace grids {
template <int N> class Grid {
  double cell[N];
  double at(double x) const { return cell[int(x * 1e5) % N] + x; } // line 48
public:
  explicit Grid(double x) {
    for (int i = 0; i < N; ++i)
      cell[i] = i * x;
  }
  double sum(double x) const { return at(x) + at(2 * x); }
};
} // namespace grids
double member(double x) { return grids::Grid<16>(x).sum(x); }
