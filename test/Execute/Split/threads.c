// A tape belongs to the program, not to a thread: it is made on one, reversed on
// another, and each thread may have its own at the same time.
// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -pthread
#include "rgtest.h"
#include <math.h>
#include <pthread.h>
extern int enzyme_dup, enzyme_const;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);

enum { N = 4, THREADS = 4, STEPS = 3000 };
static double walk(const double *x, int n) {
  double s = 1;
  while (n-- > 0)
    for (int i = 0; i < N; ++i)
      s = sin(s * x[i]) + x[i];
  return s;
}
struct job { double x[N], d[N], own[N]; void *tape; };
static void *forwards(void *p) {
  struct job *j = p;
  j->tape = __enzyme_augmentfwd((void *)walk, enzyme_dup, j->x, j->d, enzyme_const, STEPS);
  void *mine[3];
  for (int k = 0; k < 3; ++k)
    mine[k] = __enzyme_augmentfwd((void *)walk, enzyme_dup, j->x, j->own, enzyme_const, STEPS + k);
  for (int k = 0; k < 3; ++k)
    __enzyme_reverse((void *)walk, enzyme_dup, j->x, j->own, enzyme_const, STEPS + k, 1.0, mine[k]);
  return 0;
}
static void *backwards(void *p) {
  struct job *j = p;
  __enzyme_reverse((void *)walk, enzyme_dup, j->x, j->d, enzyme_const, STEPS, 1.0, j->tape);
  return 0;
}
int main(void) {
  static struct job job[THREADS];
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; ++k) {
    for (int i = 0; i < N; ++i)
      job[k].x[i] = .2 + .1 * i + .05 * k;
    pthread_create(&thread[k], 0, forwards, &job[k]);
  }
  for (int k = 0; k < THREADS; ++k)
    pthread_join(thread[k], 0);
  for (int k = 0; k < THREADS; ++k)
    pthread_create(&thread[k], 0, backwards, &job[(k + 1) % THREADS]);
  for (int k = 0; k < THREADS; ++k)
    pthread_join(thread[k], 0);
  for (int k = 0; k < THREADS; ++k) {
    RG_GRADS(job[k].d, walk(job[k].x, STEPS), job[k].x, N);
    RG_GRADS(job[k].own,
             walk(job[k].x, STEPS) + walk(job[k].x, STEPS + 1) + walk(job[k].x, STEPS + 2),
             job[k].x, N);
  }
  return rgReport();
}
int enzyme_dup, enzyme_const;
