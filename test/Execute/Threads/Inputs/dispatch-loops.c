/* Loops of libdispatch: numbers that each iteration writes and that all read, a recurrence within an iteration,
 * a sum under a mutex whose order matters, loops in loops, loops of no iterations, and a recurrence on a serial queue. */
#include "dispatch.h"
#include "rgthreads.h"
#include <pthread.h>

struct rows {
  const double *x;
  int n;
  double y[N];
};
static void row(void *p, size_t i) {
  struct rows *r = p;
  double s = 0.1 * r->x[0];
  for (int k = 0; k < r->n; ++k)
    s = 0.7 * s + sin(r->x[i] * r->x[k]);
  r->y[i] = s * r->x[(i + 1) % r->n];
}
static double stencil(const double *x, int n) {
  struct rows r = {x, n, {0}};
  dispatch_apply_f(n, dispatch_get_global_queue(0, 0), &r, row);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * r.y[i] * r.y[i];
  return s;
}

struct sums {
  const double *x;
  pthread_mutex_t lock;
  double sum, product;
};
static void add(void *p, size_t i) {
  struct sums *s = p;
  double v = s->x[i] * s->x[i];
  pthread_mutex_lock(&s->lock);
  s->sum += v;
  s->product *= 1 + 0.1 * v * s->x[0];
  pthread_mutex_unlock(&s->lock);
}
static double locked(const double *x, int n) {
  struct sums s = {x, PTHREAD_MUTEX_INITIALIZER, 0, 1};
  dispatch_apply_f(n, NULL, &s, add);
  return s.sum * s.product;
}

struct block {
  const double *x;
  double *y;
  int from;
};
static void inner(void *p, size_t j) {
  struct block *b = p;
  b->y[b->from + j] += exp(0.1 * b->x[b->from + j]) * b->x[j];
}
static void outer(void *p, size_t i) {
  struct rows *r = p;
  struct block b = {r->x, r->y, 5 * (int)i};
  dispatch_apply_f(5, NULL, &b, inner);
}
static double nested(const double *x, int n) {
  struct rows r = {x, n, {0}};
  for (int step = 0; step < 3; ++step) {
    dispatch_apply_f(4, NULL, &r, outer);
    dispatch_apply_f(step / 2, NULL, &r, row); /* none, none, and one */
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += r.y[i] * r.y[(i + 3) % n];
  return s;
}

/* Each iteration reads what the one before has written. */
static void next(void *p, size_t i) {
  struct rows *r = p;
  r->y[i] = sin(r->x[i] + (i ? 0.9 * r->y[i - 1] : 0.3));
}
static double serial(const double *x, int n) {
  struct rows r = {x, n, {0}};
  dispatch_queue_t queue = dispatch_queue_create("rows", NULL);
  dispatch_apply_f(n, queue, &r, next);
  return r.y[n - 1] * r.y[n / 2];
}

int main(void) {
  POINT;
  CHECK(stencil);
  CHECK(locked);
  CHECK(nested);
  CHECK(serial);
  return rgReport();
}
