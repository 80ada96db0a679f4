// A functor differentiated through a thunk that takes it by reference: the
// shadow object collects derivatives of its members.
#include "rgtest.h"
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
template <typename R, typename... T> R __enzyme_fwddiff(void *, T...);
int enzyme_dup, enzyme_const, enzyme_out;

struct Model {
  double Weights[3];
  float Scale;
  int Degree;
  double operator()(double x) const {
    double r = 0;
    for (int i = Degree; i >= 0; --i)
      r = r * x + Weights[i];
    return r * Scale;
  }
};
template <typename F> static double thunk(const F &f, double x) { return f(x); }

int main() {
  Model m = {{1, -2, 0.5}, 2.0f, 2}, d = {{0, 0, 0}, 0.0f, 0};
  double x = 1.5;
  double dx = __enzyme_autodiff<double>((void *)thunk<Model>, enzyme_dup, &m, &d,
                                        enzyme_out, x);
  RG_GRAD(dx, m(x), x);
  for (int i = 0; i < 3; ++i)
    RG_GRAD(d.Weights[i], m(x), m.Weights[i]);
  RG_NEARF(d.Scale, 1 - 2 * 1.5 + 0.5 * 2.25);
  RG_TRUE(d.Degree == 0);
  Model t = {{0, 1, 0}, 0.0f, 0};
  RG_NEAR(__enzyme_fwddiff<double>((void *)thunk<Model>, enzyme_dup, &m, &t,
                                   enzyme_const, x), 3.0);
  RG_NEAR(__enzyme_fwddiff<double>((void *)thunk<Model>, enzyme_const, &m,
                                   enzyme_dup, x, 1.0), dx);
  return rgReport();
}
