// std::vector, lambdas and classes.
//
// A container given by reference has a shadow container of the same size.
// Inside the function anything goes: containers that grow, algorithms, lambdas,
// owning pointers.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

// As a template, the entry call returns what is asked for.
template <typename Result, typename... Arguments>
Result __enzyme_autodiff(void *, Arguments...);

class Window {
  std::vector<double> Weights;

public:
  explicit Window(int n) {
    for (int i = 0; i < n; ++i)
      Weights.push_back(std::exp(-0.5 * i * i));
    double sum = std::accumulate(Weights.begin(), Weights.end(), 0.0);
    for (double &w : Weights)
      w /= sum;
  }
  double at(const std::vector<double> &v, std::size_t i) const {
    return std::inner_product(Weights.begin(), Weights.end(), v.begin() + i,
                              0.0);
  }
  std::size_t size() const { return Weights.size(); }
};

double roughness(const std::vector<double> &signal) {
  Window window(2);
  std::vector<double> smooth;
  for (std::size_t i = 0; i + window.size() <= signal.size(); ++i)
    smooth.push_back(window.at(signal, i));
  double sum = 0;
  std::for_each(smooth.begin() + 1, smooth.end(),
                [&, before = smooth[0]](double v) mutable {
                  sum += (v - before) * (v - before);
                  before = v;
                });
  return sum;
}

int main() {
  std::vector<double> signal{0, 1, 0, 2, 0}, gradient(signal.size());
  __enzyme_autodiff<void>((void *)roughness, &signal, &gradient);
  for (std::size_t i = 0; i < signal.size(); ++i) {
    std::vector<double> more = signal, less = signal;
    more[i] += 1e-5;
    less[i] -= 1e-5;
    double difference = (roughness(more) - roughness(less)) / 2e-5;
    std::printf("%.4f, by differences %.4f\n", gradient[i], difference);
  }
}

// RUN: %rgcxx -O2 %s -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcxx -O0 %s -o %t && %t | FileCheck %s --check-prefix=prints
// prints: [[D0:.*]], by differences [[D0]]
// prints: [[D1:.*]], by differences [[D1]]
// prints: [[D2:.*]], by differences [[D2]]
// prints: [[D3:.*]], by differences [[D3]]
// prints: [[D4:.*]], by differences [[D4]]
