// C++: tapes in containers and in objects that own them, a loop over them, functions
// with containers of their own, and exceptions that leave the first half.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>
extern int enzyme_dup, enzyme_const, enzyme_out;
struct Augmented {
  void *Tape;
  double Primal;
};
template <typename T, typename... A> T __enzyme_augmentfwd(void *, A...);
template <typename T, typename... A> T __enzyme_reverse(void *, A...);
extern "C" void rg_tape_free(void *);

double f(const std::vector<double> &X, double A) {
  std::vector<double> V;
  std::map<int, double> Last;
  double S = A;
  for (std::size_t I = 0; I < X.size(); ++I) {
    if (X[I] < 0)
      throw std::domain_error("negative");
    V.push_back(X[I] * S);
    Last[int(I) % 3] = V.back() + X[I];
    S += .1 * std::sin(V.back()) * Last[0];
  }
  return S * V[X.size() / 2];
}

/// One evaluation of f, to be reversed later or not at all.
class Evaluation {
  std::vector<double> X, Shadow;
  double A;
  void *Tape = nullptr;

public:
  double Value = 0;
  Evaluation(std::vector<double> In, double A) : X(std::move(In)), Shadow(X.size()), A(A) {
    auto R = __enzyme_augmentfwd<Augmented>((void *)f, enzyme_dup, &X, &Shadow, enzyme_out, A);
    Tape = R.Tape;
    Value = R.Primal;
    for (double &V : X) // nobody needs them any more
      V = 1e100;
  }
  Evaluation(const Evaluation &) = delete;
  ~Evaluation() { rg_tape_free(Tape); }
  double reverse(double Seed) {
    return __enzyme_reverse<double>((void *)f, enzyme_dup, &X, &Shadow, enzyme_out, A, Seed,
                                    std::exchange(Tape, nullptr));
  }
  const std::vector<double> &gradient() const { return Shadow; }
};

int main() {
  std::vector<double> X = {.1, .4, .2, .8, .5};
  std::vector<std::unique_ptr<Evaluation>> All;
  for (int K = 0; K < 6; ++K) {
    std::vector<double> Y = X;
    for (double &V : Y)
      V += .1 * K;
    All.push_back(std::make_unique<Evaluation>(Y, .5 + .1 * K));
  }
  All.erase(All.begin() + 1); // never reversed
  for (int At : {3, 0, 4}) {
    int K = At ? At + 1 : 0;
    double A = .5 + .1 * K, Seed = 1 + At;
    std::vector<double> Y = X;
    for (double &V : Y)
      V += .1 * K;
    RG_NEAR(All[At]->Value, f(Y, A));
    double Slope = All[At]->reverse(Seed);
    RG_GRAD(Slope / Seed, f(Y, A), A);
    for (std::size_t I = 0; I < Y.size(); ++I)
      RG_GRAD(All[At]->gradient()[I] / Seed, f(Y, A), Y[I]);
  }
  All.clear();

  for (std::size_t Bad = 0; Bad < X.size(); ++Bad) {
    std::vector<double> Y = X;
    Y[Bad] = -1;
    bool Caught = false;
    try {
      Evaluation E(Y, 1);
    } catch (const std::domain_error &) {
      Caught = true;
    }
    RG_TRUE(Caught);
  }
  Evaluation After(X, 2);
  double A = 2;
  RG_GRAD(After.reverse(1), f(X, A), A);
  return rgReport();
}
int enzyme_dup, enzyme_const, enzyme_out;
