// REQUIRES: asan
// Virtual calls, function objects, algorithms, caught exceptions, shared pointers
// and strings below tapes that outlive the inputs; under the sanitizers, which see
// what is freed late, and how.
// RUN: %rgcxx -O1 -fsanitize=address,undefined -I%root/test/include %s -lm -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=1 %t
// RUN: %rgcxx -O2 -mllvm -rg-plan=naive -fsanitize=address -I%root/test/include %s -lm -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=1 %t
// RUN: %rgcxx -O0 -I%root/test/include %s -lm -o %t && %t
// RUN: %rgcxx -O3 -I%root/test/include %s -lm -o %t && %t
#include "rgtest.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>
extern int enzyme_dup, enzyme_const;
extern "C" {
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_reverse(void *, ...);
void rg_tape_free(void *);
}

static double deep(double X, int Depth) {
  if (Depth)
    return deep(X * 1.1, Depth - 1) * X;
  if (X > 1.05)
    throw std::runtime_error("big");
  return X;
}
double caught(double A, const double *X, int N) {
  std::deque<double> Last;
  std::vector<std::string> Names;
  double S = A;
  for (int I = 0; I < N; ++I) {
    try {
      S += deep(X[I], 3) * S;
    } catch (const std::runtime_error &) {
      S += X[I] * .5;
      Names.push_back("caught");
    }
    Last.push_front(S * X[I]);
    if (Last.size() > 3)
      Last.pop_back();
    Names.push_back("step " + std::to_string(I));
  }
  std::optional<double> More;
  if (N > 2)
    More = Last[1] * S;
  return S + More.value_or(1.0) + double(Names.size());
}

struct Tree {
  double V;
  std::shared_ptr<Tree> Left, Right;
};
static std::shared_ptr<Tree> grow(const double *X, int Depth) {
  auto T = std::make_shared<Tree>();
  T->V = X[Depth % 3] * (Depth + 1);
  if (Depth) {
    T->Left = grow(X, Depth - 1);
    T->Right = grow(X + 1, Depth / 2);
  }
  return T;
}
static double walk(const std::shared_ptr<Tree> &T) {
  return T ? std::sin(T->V) + .5 * walk(T->Left) * walk(T->Right) + walk(T->Right) : 1;
}
double trees(double A, const double *X, int N) { return walk(grow(X, N)) * A; }

struct Shape {
  virtual double area(const double *P) const = 0;
  virtual ~Shape() = default;
};
struct Circle : Shape {
  double K;
  explicit Circle(double K) : K(K) {}
  double area(const double *P) const override { return K * P[0] * P[0]; }
};
struct Rectangle : Shape {
  double area(const double *P) const override { return P[0] * P[1]; }
};
double objects(double A, const double *X, int N) {
  std::vector<std::unique_ptr<Shape>> All;
  for (int I = 0; I < N; ++I)
    if (I % 2)
      All.push_back(std::make_unique<Circle>(X[2] * A));
    else
      All.push_back(std::make_unique<Rectangle>());
  double S = 0;
  for (auto &Each : All)
    S += std::sin(Each->area(X)) * (1 + S);
  std::function<double(double)> G;
  if (N % 2)
    G = [](double V) { return V * V; };
  else
    G = [](double V) { return std::exp(V); };
  std::vector<double> Sorted(X, X + 3);
  std::sort(Sorted.begin(), Sorted.end(), [](double P, double Q) { return P > Q; });
  std::transform(Sorted.begin(), Sorted.end(), Sorted.begin(), G);
  return S + std::inner_product(Sorted.begin(), Sorted.end(), X, 0.0);
}

template <double (*F)(double, const double *, int)> static void test() {
  constexpr int Tapes = 12, N = 8;
  auto Fill = [](double *P, int K) {
    for (int I = 0; I < N; ++I)
      P[I] = .3 + .09 * ((I * 7 + K) % 8);
  };
  std::vector<void *> Made;
  std::vector<std::vector<double>> D(Tapes, std::vector<double>(N));
  for (int K = 0; K < Tapes; ++K) {
    std::vector<double> X(N);
    Fill(X.data(), K);
    Made.push_back(__enzyme_augmentfwd((void *)F, .3 + .01 * K, enzyme_dup, X.data(), D[K].data(),
                                       enzyme_const, 5));
  }
  for (int K = Tapes - 2; K >= 0; K -= 3) {
    double Gone[N], Y[N], A = .3 + .01 * K;
    double Slope = __enzyme_reverse((void *)F, 0., enzyme_dup, Gone, D[K].data(), enzyme_const, 5, 1.0,
                                    Made[K]);
    Made[K] = nullptr;
    Fill(Y, K);
    RG_GRAD(Slope, F(A, Y, 5), A);
    RG_GRADS(D[K], F(A, Y, 5), Y, N);
  }
  for (void *T : Made)
    rg_tape_free(T);
}

int main() {
  test<caught>();
  test<trees>();
  test<objects>();
  return rgReport();
}
int enzyme_dup, enzyme_const;
