// Reverse mode of functions that return several numbers: structs, pairs, arrays,
// complex numbers, in registers and in memory. The adjoint of the result follows the
// arguments; without one, the derivative is that of the sum of all numbers.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <array>
#include <cmath>
#include <complex>
#include <tuple>
#include <utility>
extern int enzyme_dup, enzyme_const, enzyme_out, enzyme_width, enzyme_primal_return;
template <typename T, typename... A> T __enzyme_autodiff(void *, A...);
template <typename T, typename... A> T __enzyme_fwddiff(void *, A...);
struct Two {
  double X, Y;
};

std::pair<double, double> both(double X, double Y) { return {X * Y, std::sin(X)}; }
std::pair<float, float> bothFloat(float X, float Y) { return {X * Y, X + Y * Y}; }
std::complex<double> square(std::complex<double> Z, double A) { return Z * Z * A; }
std::complex<float> scaled(std::complex<float> Z, float A) { return Z * A; }
std::array<double, 5> powers(double X, const double *P) { // in memory
  std::array<double, 5> R;
  double V = *P;
  for (double &E : R)
    E = V *= X;
  return R;
}
struct Mixed {
  double V;
  long N;
};
Mixed counted(double X, int N) {
  Mixed R{X, 0};
  while (R.N < N)
    R.V = R.V * std::cos(X), ++R.N;
  return R;
}
struct Deep {
  std::complex<double> Z[2];
  struct {
    float F;
    double D;
  } In;
};
Deep deep(double X) { return {{{X, X * X}, {1, X * X * X}}, {float(2 * X), std::exp(X)}}; }
struct Floats {
  float X, Y;
};
struct Turned {
  std::complex<double> Z;
  double A;
};
struct Rows {
  double G[2];
};
struct Primal {
  std::pair<double, double> Value;
  double X, Y;
};

int main() {
  double X = .7, Y = 1.3;
  { // in two registers
    Two Sum = __enzyme_autodiff<Two>((void *)both, X, Y);
    RG_GRAD(Sum.X, both(X, Y).first + both(X, Y).second, X);
    RG_GRAD(Sum.Y, both(X, Y).first + both(X, Y).second, Y);
    Two Seeded = __enzyme_autodiff<Two>((void *)both, X, Y, std::pair<double, double>{2, -3});
    RG_GRAD(Seeded.X, 2 * both(X, Y).first - 3 * both(X, Y).second, X);
    RG_GRAD(Seeded.Y, 2 * both(X, Y).first - 3 * both(X, Y).second, Y);
    Primal P = __enzyme_autodiff<Primal>((void *)both, enzyme_primal_return, enzyme_out, X, enzyme_out, Y,
                                         std::pair<double, double>{0, 1});
    RG_NEAR(P.Value.first, X * Y);
    RG_NEAR(P.X, std::cos(X));
    RG_NEAR(P.Y, 0);
    // forward mode agrees
    auto T = __enzyme_fwddiff<std::pair<double, double>>((void *)both, enzyme_dup, X, 1.0, enzyme_const, Y);
    RG_NEAR(2 * T.first - 3 * T.second, Seeded.X);
  }
  { // a vector of two
    float A = .5f, B = .25f;
    Floats R = __enzyme_autodiff<Floats>((void *)bothFloat, A, B);
    RG_NEARF(R.X, B + 1);
    RG_NEARF(R.Y, A + 2 * B);
  }
  { // complex numbers: derivatives by the parts of the argument, of a weighted sum of parts
    std::complex<double> Z(1.5, .5);
    Turned R = __enzyme_autodiff<Turned>((void *)square, Z, 2.0, std::complex<double>(1, 0));
    RG_NEAR(R.Z.real(), (2. * Z * 2.).real());
    RG_NEAR(R.Z.imag(), -(2. * Z * 2.).imag());
    RG_NEAR(R.A, (Z * Z).real());
    R = __enzyme_autodiff<Turned>((void *)square, Z, 2.0, std::complex<double>(0, 1));
    RG_NEAR(R.Z.real(), (2. * Z * 2.).imag());
    RG_NEAR(R.A, (Z * Z).imag());
  }
  { // in memory, by reference or by value
    double P = 1.1, D = 0;
    double G = __enzyme_autodiff<double>((void *)powers, X, &P, &D);
    auto Sum = [&] {
      double S = 0;
      for (double V : powers(X, &P))
        S += V;
      return S;
    };
    RG_GRAD(G, Sum(), X);
    RG_GRAD(D, Sum(), P);
    std::array<double, 5> Seed{0, 1, 0, -2, 0}, Before = Seed;
    D = 0;
    G = __enzyme_autodiff<double>((void *)powers, X, &P, &D, Seed);
    RG_GRAD(G, powers(X, &P)[1] - 2 * powers(X, &P)[3], X);
    RG_GRAD(D, powers(X, &P)[1] - 2 * powers(X, &P)[3], P);
    RG_TRUE(Seed == Before);
    double E[2] = {0, 0};
    std::array<double, 5> Other{1, 0, 0, 0, 1};
    Rows R = __enzyme_autodiff<Rows>((void *)powers, enzyme_width, 2, X, enzyme_dup, &P, &E[0], &E[1], Seed, Other);
    RG_NEAR(R.G[0], G);
    RG_GRAD(R.G[1], powers(X, &P)[0] + powers(X, &P)[4], X);
    RG_GRAD(E[1], powers(X, &P)[0] + powers(X, &P)[4], P);
  }
  { // integers beside numbers have no adjoint
    double G = __enzyme_autodiff<double>((void *)counted, X, enzyme_const, 3);
    RG_GRAD(G, counted(X, 3).V, X);
    G = __enzyme_autodiff<double>((void *)counted, X, enzyme_const, 3, Mixed{2, 99});
    RG_GRAD(G / 2, counted(X, 3).V, X);
  }
  {
    auto Sum = [&] {
      Deep R = deep(X);
      return R.Z[0].real() + R.Z[0].imag() + R.Z[1].real() + R.Z[1].imag() + R.In.D;
    };
    double G = __enzyme_autodiff<double>((void *)deep, X);
    RG_GRAD(G - 2, Sum(), X);
    Deep Seed{{{0, 0}, {0, 1}}, {0, 0}};
    G = __enzyme_autodiff<double>((void *)deep, X, Seed);
    RG_NEAR(G, 3 * X * X);
  }
  return rgReport();
}
int enzyme_dup, enzyme_const, enzyme_out, enzyme_width, enzyme_primal_return;
