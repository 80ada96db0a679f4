// An atomic integer that is written with release tells, one that is read with acquire learns: the reverse sweep needs their order.
// RUN: %rgcxx -std=c++20 -O2 -fno-discard-value-names -c %s -o %t.o -mllvm -rg-print-after=order-signals 2>&1 | FileCheck %s
#include <atomic>
#include <thread>
extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

// CHECK: ; after order-signals
// CHECK: call i64 @rg_event_tells(ptr [[FLAG:%.*]])
// CHECK-NEXT: store atomic i32 1, ptr [[FLAG]] release
// CHECK: ; after order-signals
// CHECK: load atomic i32, ptr %ready acquire
// CHECK-NEXT: call i64 @rg_event_learns(ptr %ready)
static double f(const double *x) {
  double sent = 0;
  std::atomic<int> ready{0};
  std::thread other([&] {
    sent = x[0] * x[1];
    ready.store(1, std::memory_order_release);
  });
  while (!ready.load(std::memory_order_acquire))
    ;
  const double got = sent * x[0];
  other.join();
  return got;
}
void gradient(const double *x, double *dx) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }
