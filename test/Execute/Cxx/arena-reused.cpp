// Memory that holds numbers at first, and addresses or integers then: their
// types tell nothing of what the reverse sweep can read again.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <new>

struct Arena {
  alignas(16) unsigned char bytes[2048];
  size_t used = 0;
  template <class T> T *get(int n) {
    T *p = reinterpret_cast<T *>(bytes + used);
    used += n * sizeof(T);
    for (int i = 0; i < n; ++i)
      new (p + i) T();
    return p;
  }
};

template <class Other, class Make, class Use>
static double phases(const double *x, int n, Make make, Use use) {
  Arena a;
  double s = 0;
  for (int round = 0; round < 4; ++round) {
    a.used = 0;
    if (round % 2) {
      Other *p = a.get<Other>(n);
      for (int i = 0; i < n; ++i)
        p[i] = make((i * 5 + round) % 6);
      for (int i = 0; i < n; ++i)
        s += use(p[i]) * use(p[n - 1 - i]);
    } else {
      double *p = a.get<double>(n);
      for (int i = 0; i < n; ++i)
        p[i] = x[i] * x[i] + s;
      for (int i = 0; i < n; ++i)
        s += 0.1 * p[i] * p[n - 1 - i];
    }
  }
  return s;
}

static double addresses(const double *x, int n) {
  return phases<const double *>(
      x, n, [x](int i) { return &x[i]; }, [](const double *p) { return *p; });
}
static double indices(const double *x, int n) {
  return phases<long>(
      x, n, [](int i) { return long(i); }, [x](long i) { return x[i]; });
}

int main() {
  check(addresses);
  check(indices);
  return rgReport();
}
