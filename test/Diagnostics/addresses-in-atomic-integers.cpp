// The bits of an address, read as an integer out of an array and put into an atomic one, where another thread takes them for an address:
// nothing at the store says so, and its shadow would not be handed over.
// RUN: not %rgcxx -std=c++17 -O1 %s -c -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -std=c++17 -O2 %s -c -o %t.o 2>&1 | FileCheck %s
// CHECK: error: this parallel construct cannot be differentiated: an atomic operation on a pointer to numbers {{.*}} [RG2202]
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
template <class... T> double __enzyme_autodiff(void *, T...);
struct Table { uint64_t words[4]; };
__attribute__((noinline)) void publish(std::atomic<uint64_t> &slot, const Table &t, int i) { slot.store(t.words[i], std::memory_order_release); }
__attribute__((noinline)) double take(std::atomic<uint64_t> &slot) {
  uint64_t w;
  while (!(w = slot.load(std::memory_order_acquire))) ;
  return *(double *)w;
}
static double f(double x) {
  double a = x * x, b = x * 3;
  Table t = {};
  double *p = &a, *q = &b;
  memcpy(&t.words[0], &p, 8);
  memcpy(&t.words[1], &q, 8);
  std::atomic<uint64_t> slot{0};
  double r = 0;
  std::thread th([&] { r = take(slot) * x; });
  publish(slot, t, x > 100 ? 1 : 0);
  th.join();
  return r;
}
int main() {
  return __enzyme_autodiff<double>((void *)f, 1.5) > 0;
}
