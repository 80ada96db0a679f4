// Threads of POSIX whose results are pointers: to their argument, to memory of their own, to one
// of several; by pthread_exit, too; joined in another order, and in another function.
// RG-FLAGS: -pthread
#include "rgthreads.h"
#include <pthread.h>

typedef struct {
  const double *x;
  int from, to;
  double sum;
} part;

static void *add(void *p) {
  part *mine = p;
  mine->sum = 0;
  for (int i = mine->from; i < mine->to; ++i)
    mine->sum += mine->x[i] * mine->x[i];
  return mine;
}
static double arguments(const double *x, int n) {
  enum { T = 4 };
  pthread_t t[T];
  part parts[T];
  double s = 1;
  for (int i = 0; i < T; ++i) {
    parts[i] = (part){x, n * i / T, n * (i + 1) / T, 0};
    pthread_create(&t[i], NULL, add, &parts[i]);
  }
  for (int i = T; i-- > 0;) {
    void *back;
    pthread_join(t[i], &back);
    s *= ((part *)back)->sum;
  }
  return s;
}

static void *make(void *p) {
  part *mine = p;
  double *y = malloc((mine->to - mine->from) * sizeof *y);
  for (int i = mine->from; i < mine->to; ++i)
    y[i - mine->from] = mine->x[i] * sin(mine->x[i]);
  pthread_exit(y);
}
static double *wait_for(pthread_t t) {
  void *back;
  pthread_join(t, &back);
  return back;
}
static double memory(const double *x, int n) {
  pthread_t low, high;
  part a = {x, 0, n / 2, 0}, b = {x, n / 2, n, 0};
  pthread_create(&low, NULL, make, &a);
  pthread_create(&high, NULL, make, &b);
  double *u = wait_for(low), *v = wait_for(high), s = 0;
  for (int i = 0; i < n / 2; ++i)
    s += u[i] * v[i];
  free(u);
  free(v);
  return s;
}

/* Nothing active is computed in the thread: it chooses. */
static void *larger(void *p) {
  double *y = p;
  return y[0] > y[1] ? &y[0] : &y[1];
}
static void *nothing(void *p) {
  *(double *)p *= 2;
  return NULL;
}
static double choice(const double *x, int n) {
  double y[2] = {x[0] * x[1], x[2] * n}, z = x[3];
  pthread_t t, u;
  void *back, *none = y;
  pthread_create(&t, NULL, larger, y);
  pthread_create(&u, NULL, nothing, &z);
  pthread_join(t, &back);
  pthread_join(u, &none);
  return none ? -1 : *(double *)back * z;
}

/* More threads than there are places for results, one after the other. */
static double many(const double *x, int n) {
  double y = x[0], s = 0;
  for (int i = 0; i < 1100; ++i) {
    pthread_t t;
    void *back;
    pthread_create(&t, NULL, nothing, &y);
    pthread_join(t, &back);
    y = y * 0.5 + (back ? 1 : 0) + (i < n ? x[i] : 0);
    s += y * 1e-3;
  }
  return s;
}

int main(void) {
  POINT;
  CHECK(arguments);
  CHECK(memory);
  CHECK(choice);
  CHECK(many);
  return rgReport();
}
