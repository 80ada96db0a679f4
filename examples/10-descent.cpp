// Fitting a model: a gradient in an optimiser.
//
// A curve with four parameters is fitted to measured points by gradient descent
// with momentum. The model is plain C++; the optimiser sees numbers only.

#include <cmath>
#include <cstdio>
#include <retrograd/retrograd.hpp>
#include <vector>

struct Measurement {
  double time, value;
};

double model(const std::vector<double> &p, double t) {
  return p[0] * std::exp(-p[1] * t) * std::cos(p[2] * t) + p[3];
}

double misfit(const std::vector<double> &p,
              const std::vector<Measurement> &data) {
  double sum = 0;
  for (const Measurement &m : data) {
    double e = model(p, m.time) - m.value;
    sum += e * e;
  }
  return sum / data.size();
}

int main() {
  const std::vector<double> truth{2.0, 0.5, 3.0, 0.25};
  std::vector<Measurement> data;
  for (int i = 0; i < 40; ++i)
    data.push_back({0.1 * i, model(truth, 0.1 * i)});

  std::vector<double> p{1.5, 0.2, 2.7, 0.0}, velocity(p.size());
  for (int step = 0; step < 2000; ++step) {
    auto gradient = rg::gradient(misfit)(p, rg::constant(data));
    for (std::size_t i = 0; i < p.size(); ++i) {
      velocity[i] = 0.9 * velocity[i] - 0.02 * gradient[i];
      p[i] += velocity[i];
    }
  }
  std::printf("misfit below 1e-20: %s\n",
              misfit(p, data) < 1e-20 ? "yes" : "no");
  for (double v : p)
    std::printf("%.4f\n", v);
}

// RUN: %rgcxx -O2 %s -o %t && %t | FileCheck %s --check-prefix=prints
// prints: misfit below 1e-20: yes
// prints: 2.0000
// prints: 0.5000
// prints: 3.0000
// prints: 0.2500
