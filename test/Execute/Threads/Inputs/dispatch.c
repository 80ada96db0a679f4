/* A small libdispatch: two threads take the iterations as they come; a queue that was created is serial. */
#include "dispatch.h"
#include <pthread.h>
#include <stdatomic.h>

struct loop {
  _Atomic size_t next;
  size_t n;
  void *context;
  void (*work)(void *, size_t);
};
static void *take(void *p) {
  struct loop *l = p;
  for (size_t i; (i = l->next++) < l->n;)
    l->work(l->context, i);
  return NULL;
}
struct dispatch_queue_s {
  int serial;
};
void dispatch_apply_f(size_t n, dispatch_queue_t queue, void *context, void (*work)(void *, size_t)) {
  struct loop l = {0, n, context, work};
  pthread_t other;
  if (queue && queue->serial) {
    take(&l);
    return;
  }
  pthread_create(&other, NULL, take, &l);
  take(&l);
  pthread_join(other, NULL);
}
dispatch_queue_t dispatch_get_global_queue(long identifier, unsigned long flags) {
  static struct dispatch_queue_s global;
  return &global;
}
dispatch_queue_t dispatch_queue_create(const char *label, void *attributes) {
  static struct dispatch_queue_s serial = {1};
  return &serial;
}
