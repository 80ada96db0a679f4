// Closures of a number and an address, and of an address and an integer, in the buffers of std::function: the second word of
// a buffer is an address or an integer by turns. They are copied and assigned, singly and in vectors, through memory where
// only the integer is accessed.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.hpp"
#include <functional>
#include <vector>

typedef std::function<double(double)> Function;

static double singly(const double *x, int n) {
  double w[6], s = 0;
  for (int i = 0; i < n; ++i)
    w[i] = x[i];
  for (int round = 0; round < n; ++round) {
    double sum = 0, k = w[1];
    Function one, two;
    if (round % 2)
      one = [&w, round](double a) { return a * 0.5 + w[round]; };
    else
      one = [k, &sum](double a) {
        sum += k * a;
        return k * a;
      };
    two = one;
    s += two(w[2]) + sum;
  }
  return s;
}
static double inVectors(const double *x, int n) {
  double w[6], s = 0;
  for (int i = 0; i < n; ++i)
    w[i] = x[i];
  for (int round = 0; round < n - 3; ++round) {
    double sum = 0, k = w[1];
    std::vector<Function> all;
    for (int i = 0; i < n; ++i)
      if (i % 2)
        all.push_back([&w, i](double a) { return a * 0.5 + w[i]; });
      else
        all.push_back([k, &sum](double a) {
          sum += k * a;
          return k * a;
        });
    auto copy = all;
    all = copy;
    for (Function &f : all)
      s = f(s) * 0.5;
    s += sum;
  }
  return s;
}
int main() {
  check(singly);
  check(inVectors);
  return rgReport();
}
