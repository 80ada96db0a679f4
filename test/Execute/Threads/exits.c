// Threads of POSIX that end by pthread_exit, and a program that asks for the null pointers that
// its threads return.
// RG-FLAGS: -pthread
#include "rgthreads.h"
#include <pthread.h>
struct part {
  const double *x;
  int from, to;
  double sum;
};
static void *atTheEnd(void *p) {
  struct part *part = p;
  for (int i = part->from; i < part->to; ++i)
    part->sum += part->x[i] * sin(part->x[i]);
  pthread_exit(NULL);
}
static void *early(void *p) {
  struct part *part = p;
  part->sum = part->x[0];
  if (part->from > part->to)
    pthread_exit(NULL);
  for (int i = part->from; i < part->to; ++i)
    part->sum += part->x[i] * part->x[i];
  return NULL;
}
static double parts(const double *x, int n) {
  pthread_t threads[4];
  struct part part[4];
  for (int t = 0; t < 4; ++t) {
    part[t] = (struct part){x, t == 3 ? n : t * n / 3, t == 3 ? 0 : (t + 1) * n / 3, 0};
    int failed = t == 1 ? pthread_create(&threads[t], NULL, atTheEnd, &part[t])
                        : pthread_create(&threads[t], NULL, early, &part[t]);
    if (failed)
      exit(1);
  }
  double s = 1;
  for (int t = 0; t < 4; ++t) {
    void *status = &s;
    if (pthread_join(threads[t], &status))
      exit(1);
    s *= part[t].sum + (status != NULL);
  }
  return s;
}
int main(void) {
  POINT;
  CHECK(parts);
  return rgReport();
}
