/*===- spawn.c - threads that a program starts and waits for ---------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* pthread_create and what is made of it. In a primal a thread is
|*
|*   id = rg_thread_new()        a record
|*   rg.spawn.f(id, argument)    f runs, at the same time as what follows
|*   rg_thread_wait(id)          it has ended
|*
|* and the reverse sweep goes through that from behind: where the program waited the
|* thread's reverse sweep is started, where it was started it is waited for. Between
|* both the starting thread runs its own reverse sweep at the same time. The thread's
|* tape lies in an arena that the starting thread's arena owns. Arenas are stacks: one
|* is used again when its thread has been joined by who started it, since then the
|* later thread is reversed first.
|*
|* Mutexes are turns (threads.c), counted by the team that all threads of the
|* derivative belong to. To wait for a condition ends a turn and begins another.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include "team.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum rg_thread_state {
  RG_THREAD_NEW,
  RG_THREAD_PLAIN,     /* runs code of the program's: nothing to reverse */
  RG_THREAD_FORWARD,
  RG_THREAD_AUGMENTED, /* its primal sweep was started */
  RG_THREAD_JOINED,    /* and has ended */
  RG_THREAD_REVERSED   /* its reverse sweep was started */
};

typedef struct rg_thread {
  enum rg_thread_state state;
  pthread_t thread, starter;
  rg_team *team;
  rg_arena *parent, *arena;
  uint64_t place, bytes; /* in the parent's list; of its tape */
  rg_place from;
  rg_augment_body augment;
  rg_reverse_body reverse;
  rg_forward_body forward;
  void *operands, *tape;
  void **devices;
  uint64_t result; /* an integer that its function returned */
  uint64_t cell;   /* its place, if it has one */
  rg_reach_table reaches;
} rg_thread;

/* What the derivative knows of devices' memory (hostdevice.c): a place of the thread that
 * began it, which outlives all others. */
__thread void **rg_devices_of_thread;
__thread void *rg_devices_own;
static void **devices_here(void) {
  if (!rg_devices_of_thread)
    rg_devices_of_thread = &rg_devices_own;
  return rg_devices_of_thread;
}

/* Of the thread that this thread has waited for last. Named, not static. */
__thread uint64_t rg_result_of_thread;

static void fail(const char *what) {
  fprintf(stderr, "retrograd: %s\n", what);
  abort();
}

static rg_thread *thread_of(uint64_t id) {
  if (!id)
    fail("a thread that was never started is waited for");
  return (rg_thread *)id;
}

static void start(rg_thread *t, void *(*run)(void *), void *argument) {
  int error = pthread_create(&t->thread, NULL, run, argument);
  if (error) {
    fprintf(stderr, "retrograd: a thread cannot be started: %s\n", strerror(error));
    abort();
  }
}

__attribute__((noinline)) uint64_t rg_thread_new(void) {
  rg_thread *t = (rg_thread *)calloc(1, sizeof *t);
  if (!t)
    rg_arena_out_of_memory(sizeof *t);
  return (uint64_t)t;
}

/* Reverse of rg_thread_new: nobody asks for it any more. */
__attribute__((noinline)) void rg_thread_drop(uint64_t id) {
  rg_thread *t = thread_of(id);
  if (t->state <= RG_THREAD_PLAIN)
    free(t);
}

/* In the program itself, and where nothing in the thread is active. */
__attribute__((noinline)) void rg_thread_start(uint64_t id, void *(*run)(void *), void *argument) {
  rg_thread *t = thread_of(id);
  t->state = RG_THREAD_PLAIN;
  start(t, run, argument);
}

static void *run_forward(void *p) {
  rg_thread *t = (rg_thread *)p;
  rg_devices_of_thread = t->devices;
  t->forward(t->operands);
  return NULL;
}

__attribute__((noinline)) void rg_thread_forward(uint64_t id, rg_forward_body body, const void *operands,
                                                 uint64_t bytes) {
  rg_thread *t = thread_of(id);
  t->state = RG_THREAD_FORWARD;
  t->devices = devices_here();
  t->forward = body;
  t->operands = malloc(bytes ? bytes : 1);
  if (!t->operands)
    rg_arena_out_of_memory(bytes);
  memcpy(t->operands, operands, bytes);
  start(t, run_forward, t);
}

static void *run_augment(void *p) {
  rg_thread *t = (rg_thread *)p;
  rg_team_of_thread = t->team;
  rg_devices_of_thread = t->devices;
  uint64_t before = rg_arena_live(t->arena);
  t->reaches = rg_reach_note(t->arena, (int32_t)t->reaches.count);
  rg_reaches_of_thread = t->reaches.reaches;
  t->augment(t->arena, t->operands, &t->tape);
  t->bytes = rg_arena_live(t->arena) - before;
  return NULL;
}

static void *run_reverse(void *p) {
  rg_thread *t = (rg_thread *)p;
  rg_team_of_thread = t->team;
  rg_devices_of_thread = t->devices;
  rg_reaches_of_thread = t->reaches.reaches;
  rg_place before = rg_arena_place(t->arena);
  rg_reach_open(&t->reaches, t->arena, 0);
  t->reverse(t->arena, t->operands, t->tape, NULL);
  rg_reach_close(&t->reaches, t->arena, &before);
  return NULL;
}

/* With the delayed frees of the starting thread's arena. */
static void release(void *p) {
  rg_thread *t = (rg_thread *)p;
  rg_arena_return_to(t->arena, &t->from);
  if (t->state == RG_THREAD_JOINED || t->state == RG_THREAD_REVERSED) {
    t->parent->ended += t->bytes;
    t->parent->team_live -= t->bytes;
  }
  t->parent->spawned_busy[t->place] = 0;
  free(t);
}

/* The first place whose thread has been joined; its arena. */
static rg_arena *take_place(rg_arena *parent, uint64_t *place) {
  uint64_t n = parent->spawned_size, i = 0;
  while (i < n && parent->spawned_busy[i])
    ++i;
  if (i == n) {
    uint64_t size = n ? 2 * n : 8;
    parent->spawned = (rg_arena **)realloc(parent->spawned, size * sizeof(rg_arena *));
    parent->spawned_busy = (unsigned char *)realloc(parent->spawned_busy, size);
    if (!parent->spawned || !parent->spawned_busy)
      rg_arena_out_of_memory(size * sizeof(rg_arena *));
    memset(parent->spawned + n, 0, (size - n) * sizeof(rg_arena *));
    memset(parent->spawned_busy + n, 0, size - n);
    parent->spawned_size = size;
  }
  parent->spawned_busy[i] = 1;
  *place = i;
  return rg_arena_within(parent->spawned, i);
}

/* The primal sweep of a thread starts. `operands` last as long as the tape. */
__attribute__((noinline)) void *rg_thread_augment(rg_arena *parent, uint64_t id, rg_augment_body augment,
                                                  rg_reverse_body reverse, void *operands, int32_t reaches) {
  rg_thread *t = thread_of(id);
  t->team = rg_team_here();
  if (!t->team)
    fail("a thread is started in one half of a split derivative; call both halves as one (__enzyme_autodiff)");
  t->state = RG_THREAD_AUGMENTED;
  t->devices = devices_here();
  t->starter = pthread_self();
  t->parent = parent;
  t->arena = take_place(parent, &t->place);
  t->from = rg_arena_place(t->arena);
  t->augment = augment;
  t->reverse = reverse;
  t->operands = operands;
  t->reaches.count = (uint32_t)reaches;
  rg_tape_defer_free(parent, t, release);
  start(t, run_augment, t);
  return t;
}

__attribute__((noinline)) void rg_thread_wait(uint64_t id) {
  rg_thread *t = thread_of(id);
  void *returned;
  pthread_join(t->thread, &returned);
  rg_result_of_thread = t->state == RG_THREAD_PLAIN ? (uint64_t)(uintptr_t)returned : t->result;
  if (t->state == RG_THREAD_FORWARD) {
    free(t->operands);
    free(t);
    return;
  }
  if (t->state != RG_THREAD_AUGMENTED)
    return;
  t->state = RG_THREAD_JOINED;
  if (!pthread_equal(t->starter, pthread_self())) {
    t->bytes = 0; /* the parent's counters are not this thread's to change */
    return;
  }
  t->parent->spawned_busy[t->place] = 0;
  t->parent->team_live += t->bytes;
  uint64_t now = rg_arena_live(t->parent);
  if (now > t->parent->peak)
    t->parent->peak = now;
}

/* In the thread: its function has returned an integer. */
__attribute__((noinline)) void rg_thread_returns(uint64_t id, uint64_t value) { thread_of(id)->result = value; }
/* Behind rg_thread_wait: what it has returned. */
__attribute__((noinline)) uint64_t rg_thread_result(void) { return rg_result_of_thread; }

/* A place for the address of what a thread's argument and result lie in, from its start
 * until it has been waited for. Named, not static: all modules use the same numbers. */
enum { RG_CELLS = 1024 }; /* as lib/Parallel/ThreadForm.cpp has it */
_Atomic uint64_t rg_cells_taken[RG_CELLS / 64];

__attribute__((noinline)) uint64_t rg_thread_place_take(uint64_t id) {
  for (uint64_t i = 0; i < RG_CELLS / 64; ++i) {
    uint64_t taken = atomic_load(&rg_cells_taken[i]);
    while (taken != UINT64_MAX) {
      uint64_t n = (uint64_t)__builtin_ctzll(~taken);
      if (atomic_compare_exchange_weak(&rg_cells_taken[i], &taken, taken | (uint64_t)1 << n))
        return thread_of(id)->cell = 64 * i + n;
    }
  }
  fail("more than 1024 threads at once whose results are asked for by pthread_join");
  return 0;
}
__attribute__((noinline)) uint64_t rg_thread_place_of(uint64_t id) { return thread_of(id)->cell; }
__attribute__((noinline)) void rg_thread_place_leave(uint64_t place) {
  atomic_fetch_and(&rg_cells_taken[place / 64], ~((uint64_t)1 << place % 64));
}

/* Reverse of rg_thread_wait. */
__attribute__((noinline)) void rg_thread_again(uint64_t id) {
  rg_thread *t = thread_of(id);
  if (t->state == RG_THREAD_PLAIN)
    return;
  if (t->state != RG_THREAD_JOINED)
    fail("a thread was joined twice, or joined before the derivative saw it start");
  t->state = RG_THREAD_REVERSED;
  start(t, run_reverse, t);
}

/* Reverse of the start. */
__attribute__((noinline)) void rg_thread_finish(void *tape) {
  rg_thread *t = (rg_thread *)tape;
  if (t->state != RG_THREAD_REVERSED)
    fail("a thread that was started in a derivative was not joined there");
  pthread_join(t->thread, NULL);
}

/*===- Mutexes and conditions ----------------------------------------------===*/

__attribute__((noinline)) uint64_t rg_turn_mutex(void *m) {
  int error = pthread_mutex_lock((pthread_mutex_t *)m);
  if (error)
    fail(strerror(error));
  return rg_turn_of_owner_begins(m);
}
__attribute__((noinline)) uint64_t rg_turn_mutex_leave(void *m) {
  uint64_t turn = rg_turn_of_owner_ends(m);
  pthread_mutex_unlock((pthread_mutex_t *)m);
  return turn;
}
/* Around a wait for a condition, which unlocks and locks by itself. */
__attribute__((noinline)) uint64_t rg_turn_before_wait(void *m) { return rg_turn_of_owner_ends(m); }
__attribute__((noinline)) void rg_wait_for_condition(void *condition, void *m) {
  pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)m);
}
__attribute__((noinline)) uint64_t rg_turn_after_wait(void *m) { return rg_turn_of_owner_begins(m); }

__attribute__((noinline)) uint64_t rg_turn_try_mutex(void *m) {
  return pthread_mutex_trylock((pthread_mutex_t *)m) ? RG_NO_TURN : rg_turn_of_owner_begins(m);
}

/*===- Locks for readers and writers, barriers: events ---------------------===*/

static void check(int error) {
  if (error)
    fail(strerror(error));
}
/* An attempt that succeeds outside of derivatives has no number, and has not failed. */
static uint64_t attempt(int error, void *lock) {
  if (error)
    return RG_NO_TURN;
  uint64_t number = rg_event(lock);
  return number == RG_NO_TURN ? RG_INNER_TURN : number;
}
__attribute__((noinline)) uint64_t rg_event_read_lock(void *lock) {
  check(pthread_rwlock_rdlock((pthread_rwlock_t *)lock));
  return rg_event(lock);
}
__attribute__((noinline)) uint64_t rg_event_write_lock(void *lock) {
  check(pthread_rwlock_wrlock((pthread_rwlock_t *)lock));
  return rg_event(lock);
}
__attribute__((noinline)) uint64_t rg_event_try_read_lock(void *lock) {
  return attempt(pthread_rwlock_tryrdlock((pthread_rwlock_t *)lock), lock);
}
__attribute__((noinline)) uint64_t rg_event_try_write_lock(void *lock) {
  return attempt(pthread_rwlock_trywrlock((pthread_rwlock_t *)lock), lock);
}
__attribute__((noinline)) uint64_t rg_event_unlock(void *lock) {
  uint64_t number = rg_event(lock);
  check(pthread_rwlock_unlock((pthread_rwlock_t *)lock));
  return number;
}
__attribute__((noinline)) uint64_t rg_event_spin_lock(void *lock) {
  check(pthread_spin_lock((pthread_spinlock_t *)lock));
  return rg_event(lock);
}
__attribute__((noinline)) uint64_t rg_event_try_spin_lock(void *lock) {
  return attempt(pthread_spin_trylock((pthread_spinlock_t *)lock), lock);
}
__attribute__((noinline)) uint64_t rg_event_spin_unlock(void *lock) {
  uint64_t number = rg_event(lock);
  check(pthread_spin_unlock((pthread_spinlock_t *)lock));
  return number;
}
/* Signals may interrupt a wait. */
__attribute__((noinline)) uint64_t rg_event_sem_wait(void *semaphore) {
  while (sem_wait((sem_t *)semaphore))
    if (errno != EINTR)
      fail(strerror(errno));
  return rg_event(semaphore);
}
__attribute__((noinline)) uint64_t rg_event_try_sem(void *semaphore) {
  return attempt(sem_trywait((sem_t *)semaphore), semaphore);
}
__attribute__((noinline)) uint64_t rg_event_sem_post(void *semaphore) {
  uint64_t number = rg_event(semaphore);
  check(sem_post((sem_t *)semaphore) ? errno : 0);
  return number;
}
/* Between two events: all have come before one goes. */
__attribute__((noinline)) int32_t rg_wait_at_barrier(void *barrier) {
  return pthread_barrier_wait((pthread_barrier_t *)barrier);
}

/*===- Waits that may give up: what comes of them, turns and events tell ----===*/

typedef const struct timespec *rg_end;
#define RG_TIMED(name, routine, lock)                                                              \
  __attribute__((noinline)) int32_t rg_##name##timed##routine(void *l, void *end) {                 \
    return lock##timed##routine(l, (rg_end)end);                                                    \
  }                                                                                                \
  __attribute__((noinline)) int32_t rg_##name##clock##routine(void *l, int32_t clock, void *end) {  \
    return lock##clock##routine(l, clock, (rg_end)end);                                             \
  }
RG_TIMED(mutex_, lock, pthread_mutex_)
RG_TIMED(rwlock_, rdlock, pthread_rwlock_)
RG_TIMED(rwlock_, wrlock, pthread_rwlock_)
RG_TIMED(sem_, wait, sem_)
__attribute__((noinline)) int32_t rg_cond_timedwait(void *condition, void *m, void *end) {
  return pthread_cond_timedwait(condition, m, (rg_end)end);
}
__attribute__((noinline)) int32_t rg_cond_clockwait(void *condition, void *m, int32_t clock, void *end) {
  return pthread_cond_clockwait(condition, m, clock, (rg_end)end);
}

/*===- Functions that are called once ---------------------------------------===*/

/* What pthread_once makes of its flag: one who runs the function, and then all who ask.
 * Who asks the library at the same time waits for the flag, and is woken. */
enum { ONCE_NEW = 0, ONCE_RUNS = 1, ONCE_DONE = 2 };

__attribute__((noinline)) uint64_t rg_once_begins(void *flag) {
  for (unsigned tries = 0;; ++tries) {
    int is = __atomic_load_n((int *)flag, __ATOMIC_ACQUIRE);
    if (is & ONCE_DONE)
      return rg_event(flag);
    if (is == ONCE_NEW && __atomic_compare_exchange_n((int *)flag, &is, ONCE_RUNS, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return RG_INNER_TURN;
    if (tries > 1000)
      usleep(50);
    else
      sched_yield();
  }
}
/* What libstdc++ waits on words of memory by. */
__attribute__((noinline)) long rg_futex(void *word, int operation, int value, const void *time) {
  return syscall(SYS_futex, word, operation, value, time, NULL, FUTEX_BITSET_MATCH_ANY);
}

__attribute__((noinline)) uint64_t rg_once_ends(void *flag) {
  uint64_t number = rg_event(flag);
  __atomic_store_n((int *)flag, ONCE_DONE, __ATOMIC_RELEASE);
  syscall(SYS_futex, flag, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  return number;
}
