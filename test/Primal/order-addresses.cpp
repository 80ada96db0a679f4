// An atomic operation on an address becomes a turn: no thread sees the address without its shadow.
// RUN: %rgcxx -std=c++20 -O2 -fno-discard-value-names -c %s -o %t.o -mllvm -rg-print-after=order-addresses 2>&1 | FileCheck %s
#include <atomic>
#include <thread>
extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

// CHECK: ; after order-addresses
// CHECK: call i64 @rg_event_tells(ptr [[SLOT:%.*]])
// CHECK: call i64 @rg_turn_mutex(ptr @rg.atomic)
// CHECK-NEXT: store ptr %{{.*}}, ptr [[SLOT]]
// CHECK-NEXT: call i64 @rg_turn_mutex_leave(ptr @rg.atomic)
// CHECK: ; after order-addresses
// CHECK: call i64 @rg_turn_mutex(ptr @rg.atomic)
// CHECK-NEXT: load ptr, ptr %slot
// CHECK-NEXT: call i64 @rg_turn_mutex_leave(ptr @rg.atomic)
// CHECK: call i64 @rg_event_learns(ptr %slot)
static double f(const double *x) {
  double sent = 0;
  std::atomic<double *> slot{nullptr};
  std::thread other([&] {
    sent = x[0] * x[1];
    slot.store(&sent, std::memory_order_release);
  });
  double *p;
  while (!(p = slot.load(std::memory_order_acquire)))
    ;
  const double got = *p * x[0];
  other.join();
  return got;
}
void gradient(const double *x, double *dx) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }
