// Derivatives are made behind LLVM's splitting of coroutines at every -O level (test/Execute/Cxx/coroutines.cpp), unless
// they are asked for before all optimisation.
// RUN: not %rgcxx -std=c++20 -O1 -mllvm -rg-run-early -c %s -o %t.o 2>&1 | FileCheck %s
#include <coroutine>
double __enzyme_autodiff(void *, ...);
struct Task {
  struct promise_type {
    double Value;
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(double V) { Value = V; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> Handle;
};
Task compute(double x) { co_return x *x; }
double f(double x) {
  Task T = compute(x);
  double Result = T.Handle.promise().Value;
  T.Handle.destroy();
  return Result;
}
double test(double x) {
  // CHECK: coroutine.cpp:[[@LINE+1]]:{{[0-9]+}}: error: coroutine 'compute' cannot be differentiated [RG2008]
  return __enzyme_autodiff((void *)f, x);
}
