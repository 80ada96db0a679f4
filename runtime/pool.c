/*===- pool.c - teams for loops of libraries other than OpenMP --------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* In a derivative, methods that run a loop on a library's threads run it on a team of
|* ours (lib/Guard/Methods.h): the reverse sweep needs as many threads, at the same
|* time, as the primal sweep had, and no library promises that. Threads that have done
|* their part wait for the next fork; one is made where none is idle. So a fork always
|* gets as many as it asks for.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include "team.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of one fork: how many workers have not ended. */
struct rg_pool_fork {
  pthread_mutex_t lock;
  pthread_cond_t done;
  int left;
};
typedef struct rg_worker {
  struct rg_worker *next; /* idle */
  pthread_mutex_t lock;
  pthread_cond_t wake;
  rg_team_job job; /* null: it waits */
  void *with;
  int t, n, room, place;
  struct rg_pool_fork *of;
} rg_worker;

/* Named, not static: all modules of a program have the same threads. */
pthread_mutex_t rg_pool_lock = PTHREAD_MUTEX_INITIALIZER;
rg_worker *rg_pool_idle;
/* Of this thread: its number, of how many, and how many threads a fork of its own may
 * have (0: as many as there are). */
__thread int rg_pool_number, rg_pool_count, rg_pool_room;
/* Its number among all threads that are in loops at once, which is below the number that
 * the outermost fork could have had. */
__thread int rg_pool_place_here;
/* What omp_get_thread_num and omp_get_num_threads are to tell, of how many regions of
 * OpenMP there are around the fork. */
__thread int rg_pool_omp_t, rg_pool_omp_n, rg_pool_omp_level;
/* Of oneTBB: the context of the piece or task that this thread is at, and the library's
 * own when the piece began. */
__thread void *rg_pool_piece_context, *rg_pool_context_before;

/* oneTBB's, if the program has it: what its own loops would get. */
extern int tbb_max_concurrency(const void *) __asm__(
    "_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE") __attribute__((weak));
extern void *tbb_current_context(void) __asm__("_ZN3tbb6detail2r115current_contextEv") __attribute__((weak));
extern size_t tbb_active_value(int) __asm__("_ZN3tbb6detail2r127global_control_active_valueEi")
    __attribute__((weak));

/* Kokkos's, if the program has it. */
extern int kokkos_num_threads(void) __asm__("_ZN6Kokkos11num_threadsEv") __attribute__((weak));
extern _Bool kokkos_is_initialized(void) __asm__("_ZN6Kokkos14is_initializedEv") __attribute__((weak));
/* libomp's, if the program has it. It does not know our threads: each is the only thread
 * of a program to it. */
extern int omp_level(void) __asm__("omp_get_level") __attribute__((weak));
extern int omp_number(void) __asm__("omp_get_thread_num") __attribute__((weak));
extern int omp_count(void) __asm__("omp_get_num_threads") __attribute__((weak));
extern int omp_inside(void) __asm__("omp_in_parallel") __attribute__((weak));

/* How many threads a loop gets that starts here. */
__attribute__((noinline)) int32_t rg_pool_size(void) {
  if (rg_pool_room)
    return rg_pool_room;
  int threads = tbb_max_concurrency ? tbb_max_concurrency(NULL) : 0;
  if (tbb_active_value) {
    int most = (int)tbb_active_value(0);
    if (threads < 1 || threads > most)
      threads = most;
  }
  if (threads < 1 && kokkos_num_threads && kokkos_is_initialized && kokkos_is_initialized())
    threads = kokkos_num_threads();
  if (threads < 1) {
    cpu_set_t mine;
    threads = sched_getaffinity(0, sizeof mine, &mine) ? 1 : CPU_COUNT(&mine);
  }
  return threads;
}
/* Of a loop that has one thread. A constant LLVM would take out of the fork's operands. */
__attribute__((noinline)) int32_t rg_pool_one(void) { return 1; }
/* The number of this thread in its team, and how many there are. */
__attribute__((noinline)) int32_t rg_pool_thread(void) { return rg_pool_number; }
__attribute__((noinline)) int32_t rg_pool_threads(void) { return rg_pool_count ? rg_pool_count : 1; }

/* A team of ours runs this, or an arena: what a library does itself it would do on threads
 * with numbers of its own, which ours have, too. */
__attribute__((noinline)) _Bool rg_pool_here(void) { return rg_pool_room != 0; }

/* Not in a region within a loop's body: there libomp knows. */
static _Bool is_omp_ours(void) {
  return rg_pool_omp_n && (!omp_level || omp_level() == rg_pool_omp_level);
}
__attribute__((noinline)) int rg_pool_omp_number(void) { return is_omp_ours() ? rg_pool_omp_t : omp_number(); }
__attribute__((noinline)) int rg_pool_omp_count(void) { return is_omp_ours() ? rg_pool_omp_n : omp_count(); }
__attribute__((noinline)) int rg_pool_omp_inside(void) {
  return (is_omp_ours() && rg_pool_omp_n > 1) || omp_inside();
}

static void run_as(rg_team_job job, void *with, int t, int n, int room, int place) {
  int number = rg_pool_number, count = rg_pool_count, before = rg_pool_room;
  int here = rg_pool_place_here;
  int omp_t = rg_pool_omp_t, omp_n = rg_pool_omp_n, level = rg_pool_omp_level;
  /* A team of one is the thread that it was. */
  if (n > 1) {
    rg_pool_omp_t = t;
    rg_pool_omp_n = n;
    /* A worker that begins is in no region. */
    rg_pool_omp_level = t == 0 && omp_level ? omp_level() : 0;
  }
  void *context = rg_pool_piece_context, *own = rg_pool_context_before;
  rg_pool_number = t;
  rg_pool_count = n;
  rg_pool_room = room;
  rg_pool_place_here = place;
  job(with, t, n);
  rg_pool_number = number;
  rg_pool_count = count;
  rg_pool_room = before;
  rg_pool_place_here = here;
  rg_pool_omp_t = omp_t;
  rg_pool_omp_n = omp_n;
  rg_pool_omp_level = level;
  rg_pool_piece_context = context;
  rg_pool_context_before = own;
}

static void *work(void *p) {
  rg_worker *w = (rg_worker *)p;
  for (;;) {
    pthread_mutex_lock(&w->lock);
    while (!w->job)
      pthread_cond_wait(&w->wake, &w->lock);
    rg_team_job job = w->job;
    struct rg_pool_fork *of = w->of;
    w->job = NULL;
    pthread_mutex_unlock(&w->lock);
    run_as(job, w->with, w->t, w->n, w->room, w->place);
    pthread_mutex_lock(&rg_pool_lock);
    w->next = rg_pool_idle;
    rg_pool_idle = w;
    pthread_mutex_unlock(&rg_pool_lock);
    pthread_mutex_lock(&of->lock);
    if (!--of->left)
      pthread_cond_signal(&of->done);
    pthread_mutex_unlock(&of->lock);
  }
  return NULL;
}

static rg_worker *take_worker(void) {
  pthread_mutex_lock(&rg_pool_lock);
  rg_worker *w = rg_pool_idle;
  if (w)
    rg_pool_idle = w->next;
  pthread_mutex_unlock(&rg_pool_lock);
  if (w)
    return w;
  w = (rg_worker *)calloc(1, sizeof *w);
  if (!w)
    rg_arena_out_of_memory(sizeof *w);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->wake, NULL);
  pthread_t thread;
  int error = pthread_create(&thread, NULL, work, w);
  if (error) {
    fprintf(stderr, "retrograd: a thread cannot be started: %s\n", strerror(error));
    abort();
  }
  pthread_detach(thread);
  return w;
}

static void fork_pool(int threads, rg_team_job job, void *with) {
  int all = rg_pool_size(), room = all / threads;
  if (room < 1)
    room = 1;
  struct rg_pool_fork of;
  pthread_mutex_init(&of.lock, NULL);
  pthread_cond_init(&of.done, NULL);
  of.left = threads - 1;
  for (int t = 1; t < threads; ++t) {
    rg_worker *w = take_worker();
    pthread_mutex_lock(&w->lock);
    w->job = job;
    w->with = with;
    w->t = t;
    w->n = threads;
    w->room = room;
    w->place = rg_pool_place_here + t * room;
    w->of = &of;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
  }
  run_as(job, with, 0, threads, room, rg_pool_place_here);
  pthread_mutex_lock(&of.lock);
  while (of.left)
    pthread_cond_wait(&of.done, &of.lock);
  pthread_mutex_unlock(&of.lock);
  pthread_cond_destroy(&of.done);
  pthread_mutex_destroy(&of.lock);
}

/*===- Loops that nothing active is in --------------------------------------===*/

struct plain_job {
  rg_forward_body body;
  void *operands;
};
static void run_plain(void *with, int t, int n) {
  (void)t, (void)n;
  const struct plain_job *job = (const struct plain_job *)with;
  job->body(job->operands);
}
__attribute__((noinline)) void rg_pool_run(int32_t threads, rg_forward_body body, void *operands) {
  struct plain_job job = {body, operands};
  fork_pool(threads, run_plain, &job);
}

/*===- The sweeps of those that are differentiated --------------------------===*/

struct augment_job {
  rg_team *team;
  rg_augment_body body;
  void *operands;
};
static void run_augment(void *with, int t, int n) {
  const struct augment_job *job = (const struct augment_job *)with;
  rg_team_augment_slot(job->team, job->body, job->operands, t, n);
}
__attribute__((noinline)) rg_team *rg_pool_augment(rg_arena *parent, int32_t threads, rg_augment_body body,
                                                   void *operands, int32_t reaches) {
  rg_team *team = rg_team_open(parent, threads, reaches);
  struct augment_job job = {team, body, operands};
  fork_pool(threads, run_augment, &job);
  rg_team_close(team);
  return team;
}
__attribute__((noinline)) void rg_pool_reverse(rg_team *team, rg_reverse_body body, void *operands, char *sum,
                                               uint64_t bytes, const uint32_t *numbers, uint32_t count) {
  rg_team_reverse_by(fork_pool, team, body, operands, sum, bytes, numbers, count);
}

static void run_forward(void *with, int t, int n) { rg_team_forward_slot((struct rg_forward_job *)with, t, n); }
__attribute__((noinline)) void rg_pool_forward(int32_t threads, rg_forward_body body, void *operands) {
  struct rg_forward_job job = rg_team_forward_job(body, operands);
  fork_pool(threads, run_forward, &job);
}

/*===- Methods that call what they are given, once and here -----------------===*/

/* Of oneTBB: an object whose first virtual function is to be called. These two go into
 * their callers: one body for all calls would make one object of what they are given. */
void rg_pool_isolate(void *delegate, long isolation) {
  (void)isolation;
  (**(_Bool (***)(void *))delegate)(delegate);
}
/* Loops in an arena have at most as many threads as it: programs have memory for each. */
__attribute__((noinline)) int32_t rg_pool_enter(void *arena) {
  int32_t before = rg_pool_room;
  int most = tbb_max_concurrency ? tbb_max_concurrency(arena) : 0;
  if (most > 0 && most < rg_pool_size())
    rg_pool_room = most;
  return before;
}
__attribute__((noinline)) void rg_pool_leave(int32_t before) { rg_pool_room = before; }
void rg_pool_execute(void *arena, void *delegate) {
  int32_t before = rg_pool_enter(arena);
  (**(_Bool (***)(void *))delegate)(delegate);
  rg_pool_leave(before);
}

/*===- Tasks of oneTBB that are no loop's -----------------------------------===*/

/* Whoever makes a task may find that it has run at once, on another thread; here it
 * has, on this one. So nobody has to wait. */
struct rg_pool_place {
  void *context;
  uint16_t from, affinity;
};
typedef void *(*rg_pool_execute_task)(void *task, struct rg_pool_place *place);
enum { RG_TASK_EXECUTE = 2, RG_TASK_CANCEL = 3, RG_NO_SLOT = 0xffff };

extern uint16_t tbb_slot(const void *) __asm__(
    "_ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE") __attribute__((weak));

/* Where a task runs, or this thread: programs have memory per slot. The library does not
 * know threads of ours, and gives each of them the first one. */
__attribute__((noinline)) uint16_t rg_pool_slot_here(const void *place) {
  return place || rg_pool_room || !tbb_slot ? (uint16_t)rg_pool_place_here : tbb_slot(NULL);
}
__attribute__((noinline)) uint16_t rg_pool_slot(const void *place) { return rg_pool_slot_here(place); }

extern _Bool tbb_is_cancelled(void *) __asm__(
    "_ZN3tbb6detail2r128is_group_execution_cancelledERNS0_2d118task_group_contextE") __attribute__((weak));

/* Asked before each piece, whose body may ask for its context. */
__attribute__((noinline)) int32_t rg_pool_cancelled(void *context) {
  rg_pool_piece_context = context;
  rg_pool_context_before = tbb_current_context ? tbb_current_context() : NULL;
  return tbb_is_cancelled(context);
}
/* A loop of the library's own, within a piece, has its own context. */
__attribute__((noinline)) void *rg_pool_context_here(void) {
  void *own = tbb_current_context ? tbb_current_context() : NULL;
  return rg_pool_piece_context && own == rg_pool_context_before ? rg_pool_piece_context : own;
}
__attribute__((noinline)) void *rg_pool_context(void) { return rg_pool_context_here(); }

static inline void run_task(void *task, void *context) {
  while (task) { /* a task may name the next */
    struct rg_pool_place place = {context, rg_pool_slot_here(task), RG_NO_SLOT};
    int what = rg_pool_cancelled(context) ? RG_TASK_CANCEL : RG_TASK_EXECUTE;
    task = (*(rg_pool_execute_task **)task)[what](task, &place);
  }
}
__attribute__((noinline)) void rg_pool_task(void *task, void *context) { run_task(task, context); }
__attribute__((noinline)) void rg_pool_task_at(void *task, void *context, uint16_t slot) {
  (void)slot;
  run_task(task, context);
}
__attribute__((noinline)) void rg_pool_task_and_wait(void *task, void *context, void *wait, void *waiting) {
  (void)wait, (void)waiting;
  run_task(task, context);
}
__attribute__((noinline)) void rg_pool_wait(void *wait, void *context) { (void)wait, (void)context; }
__attribute__((noinline)) void *rg_pool_task_memory(void **pool, size_t bytes) {
  (void)pool;
  return malloc(bytes);
}
__attribute__((noinline)) void *rg_pool_task_memory_in(void **pool, size_t bytes, void *place) {
  (void)pool, (void)place;
  return malloc(bytes);
}
__attribute__((noinline)) void rg_pool_task_free(void *pool, void *task, size_t bytes) {
  (void)pool, (void)bytes;
  free(task);
}
__attribute__((noinline)) void rg_pool_task_free_in(void *pool, void *task, size_t bytes, void *place) {
  (void)pool, (void)bytes, (void)place;
  free(task);
}
