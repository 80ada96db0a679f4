// Threads of C's <threads.h>: what they are given, their results, mutexes and conditions.
// RG-FLAGS: -std=c11 -pthread
#include "rgthreads.h"
#include <threads.h>

struct part {
  const double *x;
  int from, to;
  double sum, factor;
};
static int work(void *p) {
  struct part *part = p;
  for (int i = part->from; i < part->to; ++i)
    part->sum += part->factor * sin(part->x[i]) * part->x[i];
  return part->to - part->from;
}
static double parts(const double *x, int n) {
  struct part part[3];
  thrd_t threads[3];
  for (int t = 0; t < 3; ++t) {
    part[t] = (struct part){x, t * n / 3, (t + 1) * n / 3, 0, x[t]};
    if (thrd_create(&threads[t], work, &part[t]) != thrd_success)
      return 0;
  }
  double s = 1;
  for (int t = 0; t < 3; ++t) {
    int count;
    if (t == 2)
      thrd_join(threads[t], NULL), count = part[2].to - part[2].from;
    else if (thrd_join(threads[t], &count) != thrd_success)
      return 0;
    s *= 1 + 0.1 * count * part[t].sum;
  }
  return s;
}

struct shared {
  const double *x;
  mtx_t lock;
  cnd_t filled;
  int n, next, taken;
  double queue[N], sum, product;
};
static int add(void *p) {
  struct shared *s = p;
  for (;;) {
    mtx_lock(&s->lock);
    int i = s->next++;
    mtx_unlock(&s->lock);
    if (i >= s->n)
      return 0;
    double v = s->x[i] * s->x[i];
    while (mtx_trylock(&s->lock) != thrd_success)
      thrd_yield();
    s->sum += v;
    s->product *= 1 + 0.1 * v;
    mtx_unlock(&s->lock);
  }
}
static double locked(const double *x, int n) {
  struct shared s = {.x = x, .n = n, .sum = 0, .product = 1};
  mtx_init(&s.lock, mtx_plain);
  thrd_t a, b;
  thrd_create(&a, add, &s);
  thrd_create(&b, add, &s);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  mtx_destroy(&s.lock);
  return s.sum * s.product;
}

static int produce(void *p) {
  struct shared *s = p;
  for (int i = 0; i < s->n; ++i) {
    double v = exp(0.1 * s->x[i]) * s->x[0];
    mtx_lock(&s->lock);
    s->queue[s->next++] = v;
    cnd_signal(&s->filled);
    mtx_unlock(&s->lock);
  }
  return 0;
}
static double queue(const double *x, int n) {
  struct shared s = {.x = x, .n = n, .product = 1};
  mtx_init(&s.lock, mtx_plain);
  cnd_init(&s.filled);
  thrd_t t;
  thrd_create(&t, produce, &s);
  while (s.taken < n) {
    mtx_lock(&s.lock);
    while (s.taken == s.next)
      cnd_wait(&s.filled, &s.lock);
    s.product = 0.9 * s.product + s.queue[s.taken++] * s.product * 0.1;
    mtx_unlock(&s.lock);
  }
  thrd_join(t, NULL);
  cnd_destroy(&s.filled);
  mtx_destroy(&s.lock);
  return s.product;
}
int main(void) {
  POINT;
  CHECK(parts);
  CHECK(locked);
  CHECK(queue);
  return rgReport();
}
