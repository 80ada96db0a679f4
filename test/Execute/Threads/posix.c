// Threads of POSIX: structs of arguments, mutexes (recursive ones, too), conditions, semaphores,
// a thread without active work, threads joined by another thread.
// RG-FLAGS: -pthread
#define _GNU_SOURCE
#include "rgthreads.h"
#include <pthread.h>
#include <semaphore.h>

struct job {
  const double *x;
  double *y;
  int from, to;
  double factor, sum;
};
static void *work(void *p) {
  struct job *j = (struct job *)p;
  for (int i = j->from; i < j->to; ++i) {
    j->y[i] = j->factor * sin(j->x[i]);
    j->sum += j->y[i] * j->x[i];
  }
  return 0;
}
static double jobs(const double *x, int n) {
  struct job js[4];
  pthread_t threads[4];
  double y[N], r = 0;
  for (int k = 0; k < 4; ++k) {
    js[k] = (struct job){x, y, k * n / 4, (k + 1) * n / 4, x[k] + k, 0};
    pthread_create(&threads[k], NULL, work, &js[k]);
  }
  for (int k = 0; k < 4; ++k) {
    pthread_join(threads[k], NULL);
    r += js[k].sum * js[k].sum;
  }
  for (int i = 0; i < n; ++i)
    r += y[i] * y[i];
  return r;
}

struct shared {
  pthread_mutex_t lock;
  pthread_cond_t turn;
  const double *x;
  double product;
  int n, next, idle;
};
static void multiply(struct shared *s, double v) {
  pthread_mutex_lock(&s->lock);
  s->product *= v;
  pthread_mutex_unlock(&s->lock);
}
static void *recursive(void *p) {
  struct shared *s = (struct shared *)p;
  for (;;) {
    pthread_mutex_lock(&s->lock);
    int i = s->next++;
    if (i < s->n)
      multiply(s, 1 + 0.1 * s->x[i] * s->x[i]);
    pthread_mutex_unlock(&s->lock);
    if (i >= s->n)
      return 0;
  }
}
static double recursion(const double *x, int n) {
  struct shared s = {.x = x, .product = 1, .n = n};
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&s.lock, &kind);
  pthread_t threads[3];
  for (int k = 0; k < 3; ++k)
    pthread_create(&threads[k], NULL, recursive, &s);
  for (int k = 0; k < 3; ++k)
    pthread_join(threads[k], NULL);
  pthread_mutex_destroy(&s.lock);
  return s.product;
}

// Two threads take turns: the order is the program's.
static void *even(void *p) {
  struct shared *s = (struct shared *)p;
  for (int i = 0; i < s->n; i += 2) {
    pthread_mutex_lock(&s->lock);
    while (s->next != i)
      pthread_cond_wait(&s->turn, &s->lock);
    s->product = sin(s->product * s->x[i]);
    s->next = i + 1;
    pthread_cond_broadcast(&s->turn);
    pthread_mutex_unlock(&s->lock);
  }
  return 0;
}
static double turns(const double *x, int n) {
  struct shared s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, x, 1, n, 0, 0};
  pthread_t t;
  pthread_create(&t, NULL, even, &s);
  for (int i = 1; i < n; i += 2) {
    pthread_mutex_lock(&s.lock);
    while (s.next != i)
      pthread_cond_wait(&s.turn, &s.lock);
    s.product = s.product * s.product + x[i];
    s.next = i + 1;
    pthread_cond_broadcast(&s.turn);
    pthread_mutex_unlock(&s.lock);
  }
  pthread_join(t, NULL);
  return s.product;
}

static void *idle(void *p) {
  ((struct shared *)p)->idle = 42;
  return 0;
}
static double inactive(const double *x, int n) {
  struct shared s = {.n = n};
  pthread_t t;
  pthread_create(&t, NULL, idle, &s);
  double r = 0;
  for (int i = 0; i < n; ++i)
    r += x[i] * x[i];
  pthread_join(t, NULL);
  return r * s.idle;
}

struct joiner {
  pthread_t other;
  struct job *job;
  double result;
};
static void *join(void *p) {
  struct joiner *j = (struct joiner *)p;
  pthread_join(j->other, NULL);
  j->result = j->job->sum * j->job->sum;
  return 0;
}
static double joined(const double *x, int n) {
  double y[N];
  struct job job = {x, y, 0, n, x[2], 0};
  struct joiner joiner = {.job = &job};
  pthread_t t;
  pthread_create(&joiner.other, NULL, work, &job);
  pthread_create(&t, NULL, join, &joiner);
  pthread_join(t, NULL);
  return joiner.result + y[3];
}

// Numbers that go round in a ring of two places.
struct ring {
  const double *x;
  double place[2], result;
  int n, tried;
  sem_t empty, full;
};
static void *drain(void *p) {
  struct ring *r = (struct ring *)p;
  for (int i = 0; i < r->n; ++i) {
    while (i % 3 == 2 ? sem_trywait(&r->full) : sem_wait(&r->full))
      ++r->tried;
    r->result = r->result * 0.9 + r->place[i % 2] * r->place[i % 2];
    sem_post(&r->empty);
  }
  return 0;
}
static double semaphores(const double *x, int n) {
  struct ring r = {.x = x, .n = n};
  pthread_t t;
  sem_init(&r.empty, 0, 2);
  sem_init(&r.full, 0, 0);
  pthread_create(&t, NULL, drain, &r);
  for (int i = 0; i < n; ++i) {
    sem_wait(&r.empty);
    r.place[i % 2] = x[i] * sin(x[0]);
    sem_post(&r.full);
  }
  pthread_join(t, NULL);
  sem_destroy(&r.empty);
  sem_destroy(&r.full);
  return r.result;
}

int main(void) {
  POINT;
  CHECK(jobs);
  CHECK(recursion);
  CHECK(turns);
  CHECK(inactive);
  CHECK(joined);
  CHECK(semaphores);
  return rgReport();
}
