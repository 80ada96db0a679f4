// What of libdispatch has no derivative is named at its line.
// RUN: not %rgcc -O2 -g -DUNSEEN -c %s -o %t.o 2>&1 | FileCheck --check-prefix=UNSEEN %s
// RUN: not %rgcc -O2 -g -DASYNC -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ASYNC %s
// RUN: not %rgcc -O2 -g -DSEMAPHORE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=SEMAPHORE %s
// RUN: not %rgcc -O2 -g -DBLOCK -fblocks -c %s -o %t.o 2>&1 | FileCheck --check-prefix=BLOCK %s
#include <stddef.h>
typedef struct queue *queue;
queue dispatch_get_global_queue(long, unsigned long);
void dispatch_apply_f(size_t, queue, void *, void (*)(void *, size_t));
void dispatch_async_f(queue, void *, void (*)(void *));
long dispatch_semaphore_wait(void *, unsigned long);
void __enzyme_autodiff(void *, ...);
void elsewhere(void *, size_t), later(void *);
void *semaphore;
double f(double *x) {
  queue q = dispatch_get_global_queue(0, 0);
#if defined(UNSEEN)
  // UNSEEN: this parallel construct cannot be differentiated: a parallel loop whose function the compiler does not see here [RG2202]
  // UNSEEN: dispatch.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  dispatch_apply_f(2, q, x, elsewhere);
#elif defined(ASYNC)
  // ASYNC: this parallel construct cannot be differentiated: work that is started by a queue and goes on; {{.*}} [RG2202]
  // ASYNC: dispatch.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  dispatch_async_f(q, x, later);
#elif defined(SEMAPHORE)
  // SEMAPHORE: this parallel construct cannot be differentiated: a semaphore of libdispatch; {{.*}} [RG2202]
  // SEMAPHORE: dispatch.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  dispatch_semaphore_wait(semaphore, ~0ul);
#else
  void dispatch_apply(size_t, queue, void (^)(size_t));
  // BLOCK: this parallel construct cannot be differentiated: a block that is run by a queue; {{.*}} [RG2202]
  // BLOCK: dispatch.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  dispatch_apply(2, q, ^(size_t i) { x[i] *= x[i]; });
#endif
  return x[0] * x[1];
}
void gradient(double *x, double *dx) { __enzyme_autodiff((void *)f, x, dx); }
