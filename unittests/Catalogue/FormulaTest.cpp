//===- FormulaTest.cpp - every formula against central differences --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the formulas of the catalogue as mathematics, in long double and
// without any IR, and compares them with differences of the functions they
// claim to differentiate. A record without an entry in `Primals` fails.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Catalogue/Catalogue.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "../../runtime/special.c"
#pragma GCC diagnostic pop
}

using namespace llvm;
using namespace retrograd;

namespace {

using Real = long double;
using Reals = std::vector<Real>;
using Primal = std::function<Real(const Reals &)>;

constexpr Real Pi = 3.14159265358979323846264338327950288L;

/// The y with erf(y) = X, |X| < 1, by Newton's method.
Real inverseErf(Real X) {
  Real Y = 0;
  for (unsigned Step = 0; Step < 60; ++Step)
    Y -= (erfl(Y) - X) * sqrtl(Pi) / 2 * expl(Y * Y);
  return Y;
}

/// The modified Bessel function of the first kind, by its series.
Real besselI(int N, Real X) {
  Real Term = N ? X / 2 : 1, Sum = Term;
  for (int K = 1; K < 60; ++K)
    Sum += Term *= X * X / (4 * K * (K + N));
  return Sum;
}

/// The functions that records name, over long double. Integers are passed as
/// reals too.
const std::map<std::string, Primal> &primals() {
#define RG_ONE(Name, Function)                                                 \
  {                                                                            \
    #Name, [](const Reals &X) -> Real { return Function(X[0]); }               \
  }
#define RG_TWO(Name, Function)                                                 \
  {                                                                            \
    #Name, [](const Reals &X) -> Real { return Function(X[0], X[1]); }         \
  }
#define RG_INT_FIRST(Name, Function)                                           \
  {                                                                            \
    #Name, [](const Reals &X) -> Real { return Function(int(X[0]), X[1]); }    \
  }
#define RG_INT_SECOND(Name, Function)                                          \
  {                                                                            \
    #Name, [](const Reals &X) -> Real { return Function(X[0], int(X[1])); }    \
  }
#define RG_AS(Name, Expression)                                                \
  {                                                                            \
    #Name, []([[maybe_unused]] const Reals &X) -> Real { return Expression; }  \
  }
  static const std::map<std::string, Primal> Map = {
      RG_AS(fneg, -X[0]),
      RG_AS(fadd, X[0] + X[1]),
      RG_AS(fsub, X[0] - X[1]),
      RG_AS(fmul, X[0] * X[1]),
      RG_AS(fdiv, X[0] / X[1]),
      RG_AS(reciprocal, X[0] / X[1]),
      RG_TWO(frem, fmodl),
      RG_ONE(sin, sinl),
      RG_ONE(cos, cosl),
      RG_ONE(tan, tanl),
      RG_ONE(asin, asinl),
      RG_ONE(acos, acosl),
      RG_ONE(atan, atanl),
      RG_TWO(atan2, atan2l),
      RG_ONE(sinh, sinhl),
      RG_ONE(cosh, coshl),
      RG_ONE(tanh, tanhl),
      RG_ONE(asinh, asinhl),
      RG_ONE(acosh, acoshl),
      RG_ONE(atanh, atanhl),
      RG_ONE(exp, expl),
      RG_ONE(exp2, exp2l),
      RG_ONE(exp10, exp10l),
      RG_ONE(expm1, expm1l),
      RG_AS(exp2m1, expm1l(X[0] * logl(2))),
      RG_AS(exp10m1, expm1l(X[0] * logl(10))),
      RG_ONE(log, logl),
      RG_ONE(log2, log2l),
      RG_ONE(log10, log10l),
      RG_ONE(log1p, log1pl),
      RG_AS(log2p1, log1pl(X[0]) / logl(2)),
      RG_AS(log10p1, log1pl(X[0]) / logl(10)),
      RG_TWO(pow, powl),
      RG_ONE(sqrt, sqrtl),
      RG_ONE(cbrt, cbrtl),
      RG_AS(rsqrt, 1 / sqrtl(X[0])),
      RG_TWO(hypot, hypotl),
      RG_ONE(erf, erfl),
      RG_ONE(erfc, erfcl),
      RG_ONE(tgamma, tgammal),
      RG_ONE(lgamma, lgammal),
      RG_ONE(rg_digamma, rg_digammal),
      RG_INT_FIRST(rg_polygamma, rg_polygammal),
      RG_ONE(j0, j0l),
      RG_ONE(j1, j1l),
      RG_INT_FIRST(jn, jnl),
      RG_ONE(y0, y0l),
      RG_ONE(y1, y1l),
      RG_INT_FIRST(yn, ynl),
      RG_ONE(fabs, fabsl),
      RG_TWO(copysign, copysignl),
      RG_TWO(fmax, fmaxl),
      RG_TWO(fmin, fminl),
      RG_TWO(fmaximum_num, fmaxl),
      RG_TWO(fminimum_num, fminl),
      RG_TWO(fmaximum, fmaxl),
      RG_TWO(fminimum, fminl),
      RG_TWO(fmaximum_mag, fmaximum_magl),
      RG_TWO(fminimum_mag, fminimum_magl),
      RG_TWO(fmaximum_mag_num, fmaximum_mag_numl),
      RG_TWO(fminimum_mag_num, fminimum_mag_numl),
      RG_TWO(fdim, fdiml),
      RG_AS(fma, fmal(X[0], X[1], X[2])),
      RG_TWO(fmod, fmodl),
      RG_TWO(remainder, remainderl),
      RG_INT_SECOND(ldexp, ldexpl),
      RG_INT_SECOND(scalbln, scalblnl),
      RG_TWO(scalb, scalbl),
      RG_ONE(significand, significandl),
      // A rounding to fewer digits has the derivative of what it rounds.
      RG_AS(rg_rounded, X[0]),
      RG_TWO(nextafter, nextafterl),
      RG_TWO(nexttoward, nexttowardl),
      RG_AS(nextup, nextafterl(X[0], HUGE_VALL)),
      RG_AS(nextdown, nextafterl(X[0], -HUGE_VALL)),
      RG_AS(powi, powl(X[0], X[1])),
      RG_AS(canonicalize, X[0]),
      RG_AS(arithmetic_fence, X[0]),
      RG_AS(ssa_copy, X[0]),
      RG_TWO(x86_min, fminl),
      RG_TWO(x86_max, fmaxl),
      RG_TWO(x86_min512, fminl),
      RG_TWO(x86_max512, fmaxl),
      RG_AS(x86_rcp, 1 / X[0]),
      RG_AS(x86_rsqrt, 1 / sqrtl(X[0])),
      RG_AS(x86_rcp14, 1 / X[0]),
      RG_AS(x86_rsqrt14, 1 / sqrtl(X[0])),
      // Devices.
      RG_AS(device_add, X[0] + X[1]),
      RG_AS(device_sub, X[0] - X[1]),
      RG_AS(device_mul, X[0] * X[1]),
      RG_AS(device_fma, fmal(X[0], X[1], X[2])),
      RG_AS(device_div, X[0] / X[1]),
      RG_AS(device_rcp, 1 / X[0]),
      RG_ONE(device_sqrt, sqrtl),
      RG_AS(device_rsqrt, 1 / sqrtl(X[0])),
      RG_ONE(device_abs, fabsl),
      RG_AS(device_saturate, fminl(fmaxl(X[0], 0), 1)),
      RG_TWO(device_max, fmaxl),
      RG_TWO(device_min, fminl),
      RG_ONE(device_fast_sin, sinl),
      RG_ONE(device_fast_cos, cosl),
      RG_ONE(device_fast_tan, tanl),
      RG_ONE(device_fast_tanh, tanhl),
      RG_ONE(device_fast_exp, expl),
      RG_ONE(device_fast_exp2, exp2l),
      RG_ONE(device_fast_exp10, exp10l),
      RG_ONE(device_fast_log, logl),
      RG_ONE(device_fast_log2, log2l),
      RG_ONE(device_fast_log10, log10l),
      RG_TWO(device_fast_pow, powl),
      RG_AS(rcbrt, 1 / cbrtl(X[0])),
      RG_AS(sinpi_device, sinl(Pi * X[0])),
      RG_AS(cospi_device, cosl(Pi * X[0])),
      RG_AS(erfcx, expl(X[0] * X[0]) * erfcl(X[0])),
      RG_AS(normcdf, erfcl(-X[0] / sqrtl(2)) / 2),
      RG_ONE(erfinv, inverseErf),
      RG_AS(rhypot, 1 / hypotl(X[0], X[1])),
      RG_AS(norm3d, hypotl(hypotl(X[0], X[1]), X[2])),
      RG_AS(rnorm3d, 1 / hypotl(hypotl(X[0], X[1]), X[2])),
      RG_AS(device_powi, powl(X[0], X[1])),
      RG_AS(erfcinv, inverseErf(1 - X[0])),
      RG_AS(normcdfinv, sqrtl(2) * inverseErf(2 * X[0] - 1)),
      RG_AS(cyl_bessel_i0, besselI(0, X[0])),
      RG_AS(cyl_bessel_i1, besselI(1, X[0])),
      // No formula of their own, but used in formulas.
      RG_ONE(rint, rintl),
  };
  return Map;
}

struct Evaluation {
  const Reals &X;
  Real Result;
  Real Seed;

  Real operator()(const FormulaNode &N) const {
    auto At = [&](unsigned I) { return (*this)(*N.Children[I]); };
    switch (N.K) {
    case FormulaNode::Seed:
      return Seed;
    case FormulaNode::Arg:
      return X[N.Index];
    case FormulaNode::Result:
      return Result;
    case FormulaNode::Const:
      return strtold(N.Digits.str().c_str(), nullptr);
    case FormulaNode::FAdd:
    case FormulaNode::IntAdd:
      return At(0) + At(1);
    case FormulaNode::FSub:
      return At(0) - At(1);
    case FormulaNode::FMul:
      return At(0) * At(1);
    case FormulaNode::FDiv:
      return At(0) / At(1);
    case FormulaNode::FNeg:
      return -At(0);
    case FormulaNode::Select:
      return At(0) != 0 ? At(1) : At(2);
    case FormulaNode::CmpOLT:
      return At(0) < At(1);
    case FormulaNode::CmpOGT:
      return At(0) > At(1);
    case FormulaNode::CmpOEQ:
    case FormulaNode::CmpIntEQ:
      return At(0) == At(1);
    case FormulaNode::CmpOLE:
      return At(0) <= At(1);
    case FormulaNode::CmpOGE:
      return At(0) >= At(1);
    case FormulaNode::CmpUNO:
      return std::isunordered(At(0), At(1));
    case FormulaNode::IntToFP:
      return At(0);
    case FormulaNode::StrongZero:
      return Seed == 0 ? 0 : At(0);
    case FormulaNode::Call: {
      Reals Args;
      for (unsigned I = 0; I < N.Children.size(); ++I)
        Args.push_back(At(I));
      return primals().at(N.Callee.str())(Args);
    }
    }
    return NAN;
  }
};

/// A central difference of sixth order in operand Op.
Real difference(const Primal &F, Reals X, unsigned Op) {
  const Real Step = 0x1p-9L * std::max<Real>(0.25L, fabsl(X[Op]) / 4);
  auto At = [&](int K) {
    Reals Y = X;
    Y[Op] += K * Step;
    return F(Y);
  };
  return (45 * (At(1) - At(-1)) - 9 * (At(2) - At(-2)) + (At(3) - At(-3))) /
         (60 * Step);
}

Real partialAt(const OperationRecord &R, unsigned Op, const Reals &X,
               Real Seed = 1) {
  for (const Partial &P : R.Partials)
    if (P.Operand == Op)
      return Evaluation{X, primals().at(R.Id.str())(X), Seed}(*P.Expression);
  return 0;
}

Real partialAt(const char *Id, unsigned Op, const Reals &X, Real Seed = 1) {
  return partialAt(*Catalogue().byId(Id), Op, X, Seed);
}

TEST(Formula, AgreesWithCentralDifferences) {
  Catalogue Cat;
  std::mt19937 Random(7);
  for (const OperationRecord &R : Cat.records()) {
    if (R.Class != RuleClass::Formula)
      continue;
    auto F = primals().find(R.Id.str());
    ASSERT_TRUE(F != primals().end()) << R.Id.str() << " has no primal here";
    unsigned Operands = R.Samples.size() / 2;
    ASSERT_EQ(Operands + 1, R.Prototype.size()) << R.Id.str();
    for (unsigned Try = 0; Try < 40; ++Try) {
      Reals X;
      for (unsigned I = 0; I < Operands; ++I) {
        Real V = std::uniform_real_distribution<double>(
            R.Samples[2 * I], R.Samples[2 * I + 1])(Random);
        char Letter = R.Prototype[I + 1];
        bool IsInt = Letter != 'F' && Letter != 'X';
        X.push_back(IsInt ? rintl(V) : V);
      }
      for (unsigned Op = 0; Op < Operands; ++Op) {
        if (R.Prototype[Op + 1] != 'F')
          continue;
        bool HasShare = any_of(
            R.Partials, [&](const Partial &P) { return P.Operand == Op; });
        if (!HasShare && R.Id == "scalb")
          continue; // NaN beside integers
        Real Want = difference(F->second, X, Op);
        Real Got = partialAt(R, Op, X);
        // The Bessel functions of glibc are good to about 1e-16 only.
        Real Bound = 2e-10L * std::max<Real>(1, fabsl(Want));
        EXPECT_NEAR(double(Got - Want), 0, double(Bound))
            << R.Id.str() << ", operand " << Op << ", at " << double(X[0])
            << (X.size() > 1 ? ", " + std::to_string(double(X[1])) : "");
        EXPECT_EQ(partialAt(R, Op, X, 0), 0) << R.Id.str();
        // Linear in the seed.
        EXPECT_NEAR(double(partialAt(R, Op, X, 2) - 2 * Got), 0,
                    1e-15 * double(1 + fabsl(Got)))
            << R.Id.str();
      }
    }
  }
}

TEST(Formula, SaysWhatItReads) {
  Catalogue Cat;
  const OperationRecord *Exp = Cat.byId("exp");
  EXPECT_EQ(Exp->PartialsReadArgs, 0u);
  EXPECT_TRUE(Exp->PartialsReadResult);
  const OperationRecord *Mul = Cat.byId("fmul");
  EXPECT_EQ(Mul->PartialsReadArgs, 3u);
  EXPECT_EQ(Mul->argsReadByPartial(0), 2u);
  EXPECT_EQ(Mul->argsReadByPartial(1), 1u);
  EXPECT_FALSE(Mul->resultReadByPartial(0));
  const OperationRecord *Div = Cat.byId("fdiv");
  EXPECT_FALSE(Div->resultReadByPartial(0));
  EXPECT_TRUE(Div->resultReadByPartial(1));
  EXPECT_EQ(Cat.byId("fadd")->PartialsReadArgs, 0u);
  EXPECT_EQ(Cat.byId("jn")->argsReadByPartial(1), 3u);
}

/// The table of lib/Catalogue/README.md.
TEST(Formula, Kinks) {
  const Real Inf = HUGE_VALL, NaN = nanl("");
  EXPECT_EQ(partialAt("fabs", 0, {0}), 0);
  EXPECT_TRUE(std::isnan(partialAt("fabs", 0, {NaN})));
  EXPECT_EQ(partialAt("sqrt", 0, {0}), Inf);
  EXPECT_EQ(partialAt("sqrt", 0, {0}, 0), 0);
  EXPECT_TRUE(std::isnan(partialAt("sqrt", 0, {-1})));
  EXPECT_EQ(partialAt("cbrt", 0, {0}), Inf);
  EXPECT_EQ(partialAt("log", 0, {0}), Inf);
  EXPECT_EQ(partialAt("log", 0, {0}, 0), 0);
  EXPECT_EQ(partialAt("pow", 0, {0, 0}), 0);
  EXPECT_EQ(partialAt("pow", 0, {0, 1}), 1);
  EXPECT_EQ(partialAt("pow", 0, {0, 2}), 0);
  EXPECT_EQ(partialAt("pow", 0, {0, 0.5L}), Inf);
  EXPECT_EQ(partialAt("pow", 0, {-2, 3}), 12);
  EXPECT_EQ(partialAt("pow", 1, {0, 2}), 0);
  EXPECT_EQ(partialAt("pow", 1, {0, 0}), 0);
  EXPECT_EQ(partialAt("pow", 1, {0, -1}), -Inf);
  EXPECT_EQ(partialAt("pow", 1, {-2, 3}, 0), 0);
  EXPECT_EQ(partialAt("powi", 0, {0, 0}), 0);
  EXPECT_EQ(partialAt("powi", 0, {0, 1}), 1);
  EXPECT_EQ(partialAt("hypot", 0, {0, 0}), 0);
  EXPECT_EQ(partialAt("atan2", 0, {0, 0}), 0);
  EXPECT_EQ(partialAt("atan2", 1, {0, 0}), 0);
  EXPECT_NEAR(double(partialAt("atan2", 0, {1e-300L, 1e-300L}) * 1e-300L), 0.5,
              1e-15);
  EXPECT_EQ(partialAt("fmax", 0, {1, 1}), 0.5);
  EXPECT_EQ(partialAt("fmax", 1, {1, 1}), 0.5);
  EXPECT_EQ(partialAt("fmin", 0, {1, 1}), 0.5);
  EXPECT_EQ(partialAt("fmin", 1, {1, 1}), 0.5);
  EXPECT_EQ(partialAt("fmax", 0, {NaN, 1}), 0);
  EXPECT_EQ(partialAt("fmax", 1, {NaN, 1}), 1);
  EXPECT_EQ(partialAt("fmax", 0, {1, NaN}), 1);
  EXPECT_EQ(partialAt("fmax", 1, {1, NaN}), 0);
  EXPECT_EQ(partialAt("fmaximum_mag", 0, {-2, -2}), 0.5);
  EXPECT_EQ(partialAt("fmaximum_mag", 0, {-2, 2}), 0);
  EXPECT_EQ(partialAt("fmaximum_mag", 1, {-2, 2}), 1);
  EXPECT_EQ(partialAt("fminimum_mag", 0, {-2, 2}), 1);
  EXPECT_EQ(partialAt("fminimum_mag", 1, {-2, 2}), 0);
  EXPECT_TRUE(std::isnan(partialAt("fmaximum_mag", 1, {NaN, 2})));
  EXPECT_EQ(partialAt("fmaximum_mag_num", 0, {NaN, 2}), 0);
  EXPECT_EQ(partialAt("fmaximum_mag_num", 1, {NaN, 2}), 1);
  EXPECT_EQ(partialAt("fminimum_mag_num", 0, {-2, NaN}), 1);
  EXPECT_EQ(partialAt("fdim", 0, {1, 1}), 0);
  EXPECT_EQ(partialAt("fdim", 1, {1, 1}), 0);
  EXPECT_EQ(partialAt("copysign", 0, {-2, 3}), -1);
  EXPECT_EQ(partialAt("copysign", 0, {0, 3}), 0);
  EXPECT_EQ(partialAt("asin", 0, {1}), Inf);
  EXPECT_EQ(partialAt("acos", 0, {1}), -Inf);
  EXPECT_EQ(partialAt("asin", 0, {1}, 0), 0);
  EXPECT_EQ(partialAt("j1", 0, {0}), 0.5L);
  EXPECT_EQ(partialAt("remainder", 1, {7, 2}), -4);
  EXPECT_EQ(partialAt("fmod", 1, {7, 2}), -3);
  EXPECT_TRUE(std::isnan(partialAt("tgamma", 0, {-1})));
}

} // namespace
