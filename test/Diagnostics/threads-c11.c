// What of <threads.h> has no derivative is named at its line.
// RUN: not %rgcc -std=c11 -O2 -g -DDETACHED -c %s -o %t.o 2>&1 | FileCheck --check-prefix=DETACHED %s
// RUN: not %rgcc -std=c11 -O2 -g -DUNSEEN -c %s -o %t.o 2>&1 | FileCheck --check-prefix=UNSEEN %s
// RUN: not %rgcc -std=c11 -O2 -g -DONCE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ONCE %s
#include <threads.h>
#include <time.h>
void __enzyme_autodiff(void *, ...);
struct job {
  const double *x;
  double y;
  mtx_t lock;
};
once_flag once = ONCE_FLAG_INIT;
void prepare(void);
static int work(void *p) {
  struct job *j = p;
#if defined(ONCE)
  // ONCE: this parallel construct cannot be differentiated: a function that is called once and that the compiler does not see here [RG2202]
  // ONCE: threads-c11.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  call_once(&once, prepare);
#endif
  j->y = j->x[0] * j->x[1];
  return 0;
}
int elsewhere(void *);
double f(const double *x) {
  struct job j = {x, 0};
  thrd_t t;
#ifdef UNSEEN
  // UNSEEN: this parallel construct cannot be differentiated: a thread whose function the compiler does not see here [RG2202]
  // UNSEEN: threads-c11.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  thrd_create(&t, elsewhere, &j);
#else
  thrd_create(&t, work, &j);
#endif
#ifdef DETACHED
  // DETACHED: this parallel construct cannot be differentiated: a detached thread: {{.*}} [RG2202]
  // DETACHED: threads-c11.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  thrd_detach(t);
#else
  thrd_join(t, 0);
#endif
  return j.y;
}
int main(void) {
  double x[2] = {1, 2}, d[2] = {0};
  __enzyme_autodiff((void *)f, x, d);
}
