// Two threads add to one variable without a lock.
#include <thread>
void __enzyme_autodiff(void *, ...);
static double f(const double *x, int n) {
  double sum = 0;
  auto add = [&](int from) {
    for (int i = from; i < n; i += 2)
      sum += x[i] * x[i];
  };
  std::thread a(add, 0), b(add, 1);
  a.join();
  b.join();
  return sum;
}
int main() {
  double x[1000], d[1000] = {};
  for (int i = 0; i < 1000; ++i)
    x[i] = i;
  __enzyme_autodiff((void *)f, x, d, 1000);
}
