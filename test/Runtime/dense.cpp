// The rules of BLAS and LAPACK (runtime/blas.h, lapack.h) without a compiler
// around them: for every subset of active operands, tangents against central
// differences, adjoints against tangents (<ybar, dy> = <xbar, dx>), and primals
// of all sweeps against each other. The operands are destroyed between the
// sweeps: a rule that did not keep what it reads fails.
//
// RUN: %clangxx -std=c++20 -O1 -I%root/runtime %s -lopenblas -o %t && %t
// REQUIRES: openblas
#include "sweeps.h"
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <vector>
using namespace rg;
using Numbers = std::vector<double>;

enum Sweep { Primal, Forward, Augment, Reverse };

extern "C" void *rg_tape_alloc(rg_arena *, uint64_t Bytes) { return malloc(Bytes); }

/// One buffer holds all operands of a routine; Begin[i] is where operand i starts.
struct Memory {
  double *P, *D;
  unsigned Active;
  const std::vector<int> &Begin;
  Sweep S;
  Numbers &Kept; // numbers by value, which reverse sweeps are given once more
  mutable double *Shadows[8];

  bool active(int i) const { return S != Primal && (Active >> i & 1); }
  double *const *shadow(int i) const {
    Shadows[i] = D + Begin[i];
    return active(i) ? &Shadows[i] : nullptr;
  }
  Dual<double> out(int i) const { return {P + Begin[i], shadow(i)}; }
  Dual<const double> in(int i) const { return {P + Begin[i], shadow(i)}; }
  Scalar<double> number(int i) const {
    if (S != Reverse)
      Kept[i] = P[Begin[i]];
    return {Kept[i], active(i) ? D + Begin[i] : nullptr};
  }
};

static std::mt19937 Random(7);
static double number() { return std::uniform_real_distribution<>(-1, 1)(Random); }
static int Checks = 0, Failures = 0;

static double inner(const Numbers &A, const Numbers &B) {
  double Sum = 0;
  for (size_t i = 0; i != A.size(); ++i)
    Sum += A[i] * B[i];
  return Sum;
}

using Routine = std::function<void(const Memory &, void **Tape)>;

/// Sizes of the operands; Settle makes a random input a legal one.
static void check(
    const char *Name, const std::vector<int> &Sizes, Routine Run,
    std::function<void(double *)> Settle = [](double *) {}) {
  std::vector<int> Begin{0};
  for (int Size : Sizes)
    Begin.push_back(Begin.back() + Size);
  int N = Begin.back();
  Numbers Kept(Sizes.size());
  for (unsigned Active = 1; Active < 1u << Sizes.size(); ++Active) {
    Numbers x(N), dx(N), ybar(N), Nothing(N);
    for (double &v : x)
      v = number();
    Settle(x.data());
    for (size_t i = 0; i != Sizes.size(); ++i)
      for (int j = Begin[i]; j != Begin[i + 1]; ++j)
        if (Active >> i & 1) {
          dx[j] = number();
          ybar[j] = number();
        }
    auto Go = [&](Sweep S, Numbers &P, Numbers &D, void **Tape) {
      Run({P.data(), D.data(), Active, Begin, S, Kept}, Tape);
    };
    const double h = 1e-6;
    Numbers Up = x, Down = x;
    for (int i = 0; i < N; ++i) {
      Up[i] += h * dx[i];
      Down[i] -= h * dx[i];
    }
    Go(Primal, Up, Nothing, nullptr);
    Go(Primal, Down, Nothing, nullptr);
    Numbers y = x, dy = dx;
    Go(Forward, y, dy, nullptr);
    Numbers Again = x, xbar = ybar;
    void *Tape = nullptr;
    Go(Augment, Again, Nothing, &Tape);
    double Error = 0, Scale = 1e-3, Apart = 0;
    for (size_t i = 0; i != Sizes.size(); ++i)
      for (int j = Begin[i]; j != Begin[i + 1]; ++j) {
        Apart = std::fmax(Apart, std::fabs(y[j] - Again[j]));
        if (!(Active >> i & 1))
          continue;
        double Difference = (Up[j] - Down[j]) / (2 * h);
        Error = std::fmax(Error, std::fabs(Difference - dy[j]));
        Scale = std::fmax(Scale, std::fabs(Difference));
      }
    Again.assign(N, std::numeric_limits<double>::quiet_NaN());
    Go(Reverse, Again, xbar, &Tape);
    double There = inner(ybar, dy), Back = inner(xbar, dx);
    ++Checks;
    if (Error < 1e-5 * Scale && std::fabs(There - Back) < 1e-9 * (1 + std::fabs(There)) &&
        Apart < 1e-12)
      continue;
    ++Failures;
    std::printf("%s, active %#x: error %g, <ybar, dy> = %g, <xbar, dx> = %g, "
                "primals %g apart\n",
                Name, Active, Error / Scale, There, Back, Apart);
  }
}

template <class R> static uint64_t activity(R &Rule) {
  uint64_t Mask = 0;
  Rule.each([&](int I, auto &Operand) { Mask |= uint64_t(Operand.Shadows != nullptr) << I; });
  return Mask;
}

template <class R> static void go(R Rule, const Memory &M, void **Tape) {
  switch (M.S) {
  case Primal:
    Rule.primal();
    break;
  case Forward:
    runForward(Rule, 1);
    break;
  case Augment:
    if constexpr (requires(int Info) { Rule.augment(nullptr, Info); }) {
      int Info;
      *Tape = runAugment(nullptr, activity(Rule), Rule, Info);
    } else {
      *Tape = runAugment(nullptr, activity(Rule), Rule);
    }
    break;
  case Reverse:
    runReverse(1, *Tape, Rule);
    free(*Tape);
  }
}

/// Routines with a result: operand 0.
template <class R> static void goResult(R Rule, const Memory &M, void **Tape) {
  double &Result = M.P[0], &D = M.D[0], Tangent, Seed;
  switch (M.S) {
  case Primal:
    Rule.primal(Result);
    break;
  case Forward:
    runForwardResult(Rule, 1, &Result, &Tangent);
    if (M.active(0))
      D = Tangent;
    break;
  case Augment:
    *Tape = runAugment(nullptr, activity(Rule), Rule, Result);
    break;
  case Reverse:
    Seed = D;
    D = 0;
    runReverse(1, *Tape, Rule, &Seed);
    free(*Tape);
  }
}

static std::function<void(double *)> dominant(int Begin, int n, int lda, double By) {
  return [=](double *x) {
    for (int i = 0; i < n; ++i)
      x[Begin + i * lda + i] += By;
  };
}

static void vectors() {
  const int m = 4, n = 3, lda = m + 1;
  for (int incx : {1, 2, -2})
    for (int incy : {1, -1}) {
      check("dot", {1, 12, 8}, [=](const Memory &M, void **T) {
        goResult(Dot<double>{n, M.in(1), incx, M.in(2), incy}, M, T);
      });
      check("axpy", {1, 12, 8}, [=](const Memory &M, void **T) {
        go(Axpy<double>{n, M.number(0), M.in(1), incx, M.out(2), incy}, M, T);
      });
      check("ger", {1, 12, 12, lda * n}, [=](const Memory &M, void **T) {
        go(Ger<double>{m, n, M.number(0), M.in(1), incx, M.in(2), incy, M.out(3), lda}, M, T);
      });
      for (char t : {'N', 'T'})
        check("gemv", {1, 1, lda * n, 12, 12}, [=](const Memory &M, void **T) {
          go(Gemv<double>{t, m, n, M.number(0), M.in(2), lda, M.in(3), incx, M.number(1), M.out(4),
                          incy},
             M, T);
        });
      for (char u : {'U', 'L'}) {
        check("symv", {1, 1, lda * n, 12, 12}, [=](const Memory &M, void **T) {
          go(Symv<double>{u, n, M.number(0), M.in(2), lda, M.in(3), incx, M.number(1), M.out(4),
                          incy},
             M, T);
        });
        check("syr", {1, 12, lda * n}, [=](const Memory &M, void **T) {
          go(Syr<double>{u, n, M.number(0), M.in(1), incx, M.out(2), lda}, M, T);
        });
        check("syr2", {1, 12, 12, lda * n}, [=](const Memory &M, void **T) {
          go(Syr2<double>{u, n, M.number(0), M.in(1), incx, M.in(2), incy, M.out(3), lda}, M, T);
        });
        for (char t : {'N', 'T'})
          for (char d : {'N', 'U'}) {
            check("trmv", {lda * m, 12}, [=](const Memory &M, void **T) {
              go(Triangular<double, false>{u, t, d, m, M.in(0), lda, M.out(1), incx}, M, T);
            });
            check(
                "trsv", {lda * m, 12},
                [=](const Memory &M, void **T) {
                  go(Triangular<double, true>{u, t, d, m, M.in(0), lda, M.out(1), incx}, M, T);
                },
                dominant(0, m, lda, 3));
          }
      }
    }
  check("nrm2", {1, 12},
        [=](const Memory &M, void **T) { goResult(Nrm2<double>{n, M.in(1), 2}, M, T); });
  check("scal", {1, 12},
        [=](const Memory &M, void **T) { go(Scal<double>{n, M.number(0), M.out(1), 2}, M, T); });
}

static void matrices() {
  const int m = 4, n = 3, k = 5, ldc = m + 1;
  for (char ta : {'N', 'T'})
    for (char tb : {'N', 'T'}) {
      int lda = (ta == 'N' ? m : k) + 1, ldb = (tb == 'N' ? k : n) + 2;
      check("gemm", {1, 1, lda * 5, ldb * 5, ldc * n}, [=](const Memory &M, void **T) {
        go(Gemm<double>{ta, tb, m, n, k, M.number(0), M.in(2), lda, M.in(3), ldb, M.number(1),
                        M.out(4), ldc},
           M, T);
      });
    }
  for (char u : {'U', 'L'}) {
    for (char s : {'L', 'R'}) {
      int p = s == 'L' ? m : n, lda = p + 1;
      check("symm", {1, 1, lda * p, ldc * n, ldc * n}, [=](const Memory &M, void **T) {
        go(Symm<double>{s, u, m, n, M.number(0), M.in(2), lda, M.in(3), ldc, M.number(1), M.out(4),
                        ldc},
           M, T);
      });
      for (char t : {'N', 'T'})
        for (char d : {'N', 'U'}) {
          check("trmm", {1, lda * p, ldc * n}, [=](const Memory &M, void **T) {
            go(TrmmInPlace<double>{s, u, t, d, m, n, M.number(0), M.in(1), lda,
                                               M.out(2), ldc},
               M, T);
          });
          check(
              "trsm", {1, lda * p, ldc * n},
              [=](const Memory &M, void **T) {
                go(Trsm<double>{s, u, t, d, m, n, M.number(0), M.in(1), lda,
                                                  M.out(2), ldc},
                   M, T);
              },
              dominant(1, p, lda, 3));
        }
    }
    for (char t : {'N', 'T'}) {
      int rows = t == 'N' ? n : k, cols = t == 'N' ? k : n, lda = rows + 1;
      check("syrk", {1, 1, lda * cols, ldc * n}, [=](const Memory &M, void **T) {
        go(Syrk<double>{u, t, n, k, M.number(0), M.in(2), lda, M.number(1), M.out(3), ldc}, M, T);
      });
      check("syr2k", {1, 1, lda * cols, rows * cols, ldc * n}, [=](const Memory &M, void **T) {
        go(Syr2k<double>{u, t, n, k, M.number(0), M.in(2), lda, M.in(3), rows, M.number(1),
                         M.out(4), ldc},
           M, T);
      });
    }
  }
}

static void factorisations() {
  static int Pivots[8];
  static int Given[] = {3, 5, 3, 5, 5};
  for (auto [m, n] : {std::pair{4, 4}, {6, 4}, {4, 6}}) {
    int M = m, N = n, lda = m + 1;
    check("getrf", {lda * n}, [=](const Memory &Mem, void **T) {
      go(Getrf<double>{M, N, Mem.out(0), lda, Pivots}, Mem, T);
    });
    check("geqrf", {lda * n, 4}, [=](const Memory &Mem, void **T) {
      go(Geqrf<double>{M, N, Mem.out(0), lda, Mem.out(1)}, Mem, T);
    });
  }
  const int n = 5, r = 3, lda = n + 1, ldb = n + 2;
  check(
      "getri", {lda * n},
      [=](const Memory &M, void **T) { go(Getri<double>{n, M.out(0), lda, Given}, M, T); },
      dominant(0, n, lda, 3));
  for (char t : {'N', 'T'})
    check(
        "getrs", {lda * n, ldb * r},
        [=](const Memory &M, void **T) {
          go(Getrs<double>{t, n, r, M.in(0), lda, Given, M.out(1), ldb}, M, T);
        },
        dominant(0, n, lda, 3));
  for (char u : {'U', 'L'}) {
    check(
        "potrf", {lda * n},
        [=](const Memory &M, void **T) { go(Potrf<double>{u, n, M.out(0), lda}, M, T); },
        dominant(0, n, lda, 9));
    check(
        "potrs", {lda * n, ldb * r},
        [=](const Memory &M, void **T) {
          go(Potrs<double>{u, n, r, M.in(0), lda, M.out(1), ldb}, M, T);
        },
        dominant(0, n, lda, 3));
    check("syev V", {n * n, n}, [=](const Memory &M, void **T) {
      go(Syev<double>{'V', u, n, M.out(0), n, M.out(1)}, M, T);
    });
    check("syev N", {n * n, n}, [=](const Memory &M, void **T) {
      go(Syev<double>{'N', u, n, M.out(0), n, M.out(1)}, M, T);
      if (M.S != Reverse) // the matrix is destroyed; what is left of it means nothing
        for (int i = 0; i < n * n; ++i)
          M.P[i] = M.D[i] = 0;
    });
  }
  // Reflections only make sense as geqrf made them, so tau is no operand here.
  static double Tau[8], TauShadow[8];
  static double *const TauShadows[] = {TauShadow};
  auto tau = [](const Memory &M) { return Dual<double>{Tau, M.active(0) ? TauShadows : nullptr}; };
  for (int k : {2, 3})
    for (char s : {'L', 'R'})
      for (char t : {'N', 'T'}) {
        int m = s == 'L' ? n : 3, cols = s == 'L' ? 3 : n, ldc = m + 1;
        auto both = [](auto First, auto Then, const Memory &M, void **Tape) {
          static void *Second;
          if (M.S != Reverse) {
            go(First, M, Tape);
            return go(Then, M, &Second);
          }
          for (double &v : TauShadow)
            v = 0;
          go(Then, M, &Second);
          go(First, M, Tape);
        };
        check("geqrf, ormqr", {n * k, ldc * cols}, [=](const Memory &M, void **T) {
          Dual<double> Taus = tau(M);
          both(Geqrf<double>{n, k, M.out(0), n, Taus},
               Ormqr<double>{s, t, m, cols, k, M.in(0), n, {Taus.P, Taus.Shadows}, M.out(1), ldc},
               M, T);
        });
        check("geqrf, orgqr", {n * 3}, [=](const Memory &M, void **T) {
          Dual<double> Taus = tau(M);
          both(Geqrf<double>{n, k, M.out(0), n, Taus},
               Orgqr<double>{n, 3, k, M.out(0), n, {Taus.P, Taus.Shadows}}, M, T);
        });
      }
}

int main() {
  vectors();
  matrices();
  factorisations();
  std::printf("%d checks, %d failures\n", Checks, Failures);
  return Failures != 0 || Checks < 2000;
}
