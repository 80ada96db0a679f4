// What the runtime keeps by address (a destructor of what threads have taped) is never what a pointer of the program
// leads to, even where an earlier derivative of the same file has brought it in.
// RUN: %rgcc -O1 -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s --implicit-check-not="eq ptr %1, @r"
// CHECK: define internal {{.*}} @rg.primal.held
// CHECK: define internal {{.*}} @rg.primal.told
// CHECK: icmp eq ptr %1, @square
// CHECK: icmp eq ptr %1, @halve
#include <pthread.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double held(const double *x) {
  pthread_mutex_lock(&lock);
  double y = x[0] * x[1];
  pthread_mutex_unlock(&lock);
  return y;
}

struct hook {
  void (*call)(void *);
  double *of;
};
static void square(void *p) {
  double *x = p;
  x[0] *= x[0];
}
static void halve(void *p) {
  double *x = p;
  x[0] /= 2;
}
static double told(const double *x, int which) {
  double y = x[0];
  struct hook all[2] = {{square, &y}, {halve, &y}};
  struct hook *h = &all[which];
  h->call(h->of);
  return y;
}
void gradients(const double *x, double *dx, int which) {
  __enzyme_autodiff((void *)held, x, dx);
  __enzyme_autodiff((void *)told, x, dx, enzyme_const, which);
}
