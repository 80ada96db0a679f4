/*===- threads.c - teams of threads: tapes, turns, barriers ----------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A parallel region of the primal is two regions of its derivative: in the first
|* each thread runs the primal sweep, in the second, which comes where the reverse
|* sweep of the forking thread comes to the fork, the reverse sweep.
|*
|*   struct rg_team        in the tape of the thread that forks
|*     slot 0: where thread 0's tape lies   in an arena that the forking thread's
|*     slot 1: where thread 1's tape lies   arena owns, one per thread number
|*     ...
|*
|* Forks of one thread come back in opposite order, so these arenas are stacks like
|* any other. A thread of the second region that has number t takes slot t, whichever
|* thread of the system it is. Should fewer threads come than were there, they take the
|* slots by turns; that is impossible where threads have waited for each other, and
|* then the program ends with a message.
|*
|* Turns. Where one thread at a time may do something (critical, ordered, locks, the
|* end of a reduction), turns are numbered as they come. The reverse sweep takes them
|* backwards: whoever has turn n waits until n + 1 is undone. All turns of a lock are
|* counted by the outermost team. Since the primal has run, there is an order of all
|* that threads did that agrees with every thread's own, with the barriers and with the
|* turns; the same order backwards shows that no thread waits in vain.
|*
|* Events are moments that have a number like turns, and are undone in the opposite
|* order: what a thread did before an event it undoes after all later events are undone.
|* Where several threads may hold a lock (readers), or wait for each other in numbers
|* that nobody knows (barriers of POSIX), its locking and its unlocking, the coming and
|* the going, are events.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include "team.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libomp. */
typedef struct {
  int32_t reserved1, flags, reserved2, reserved3;
  const char *source;
} rg_omp_location;
extern void __kmpc_fork_call(rg_omp_location *, int32_t, void (*)(int32_t *, int32_t *, ...), ...);
extern int32_t __kmpc_global_thread_num(rg_omp_location *);
extern void __kmpc_push_num_threads(rg_omp_location *, int32_t, int32_t);
extern void __kmpc_serialized_parallel(rg_omp_location *, int32_t);
extern void __kmpc_end_serialized_parallel(rg_omp_location *, int32_t);
extern void __kmpc_barrier(rg_omp_location *, int32_t);
extern void __kmpc_critical(rg_omp_location *, int32_t, void *);
extern void __kmpc_end_critical(rg_omp_location *, int32_t, void *);
extern void omp_set_lock(void *), omp_unset_lock(void *);
extern void omp_set_nest_lock(void *), omp_unset_nest_lock(void *);
extern int omp_test_lock(void *);
extern int omp_get_max_threads(void), omp_get_num_threads(void), omp_get_thread_num(void);
extern int omp_get_max_active_levels(void), omp_get_active_level(void), omp_get_dynamic(void);
extern void omp_set_max_active_levels(int), omp_set_dynamic(int);

enum { KMPC = 2, EXPLICIT_BARRIER = 0x22 };
static rg_omp_location here = {0, KMPC, 0, 0, ";unknown;unknown;0;0;;"};
static rg_omp_location barrier_here = {0, EXPLICIT_BARRIER, 0, 0, ";unknown;unknown;0;0;;"};

/* Named, not static: every translation unit of a program shares it. */
__thread rg_team *rg_team_of_thread;
__thread rg_task_state rg_tasks_of_thread;

/* Shadows of threadprivate variables: which derivative this thread has cleared them for,
 * and how. */
__thread uint64_t rg_cleared_of_thread;
__thread void (*rg_clear_of_thread)(void);
_Atomic uint64_t rg_clears;

/* At the start of a derivative that has such shadows. */
__attribute__((noinline)) void rg_clear_begin(void (*clear)(void)) {
  rg_cleared_of_thread = 1 + atomic_fetch_add(&rg_clears, 1);
  rg_clear_of_thread = clear;
  clear();
}
/* In a thread of a region that a thread forked whose state was this. */
static void clear_once(uint64_t cleared, void (*clear)(void)) {
  if (rg_cleared_of_thread == cleared)
    return;
  rg_cleared_of_thread = cleared;
  rg_clear_of_thread = clear;
  if (clear)
    clear();
}

static void release_turns(rg_team *team) {
  for (struct rg_turns *turns = atomic_load(&team->turns); turns;) {
    struct rg_turns *other = turns->other;
    free(turns);
    turns = other;
  }
}

static void release_root(void *p) {
  release_turns((rg_team *)p);
  free(p);
}

__attribute__((noinline)) rg_team *rg_team_here(void) {
  if (rg_team_of_thread)
    return rg_team_of_thread;
  rg_arena *a = &rg_arena_of_thread;
  if (!a->mark)
    return NULL;
  if (!a->mark->team) {
    rg_team *team = (rg_team *)calloc(1, sizeof *team);
    if (!team)
      rg_arena_out_of_memory(sizeof *team);
    team->root = team;
    team->parent = a;
    a->mark->team = team;
    rg_tape_defer_free(a, team, release_root);
  }
  return a->mark->team;
}

/* Releases what the threads have taped. Called with the delayed frees of the forking
 * thread's arena. */
static void release(void *p) {
  rg_team *team = (rg_team *)p;
  for (int t = 0; t < team->threads; ++t) {
    struct rg_slot *s = &team->slots[t];
    rg_arena_return_to(s->arena, &s->from);
    team->parent->ended += s->bytes;
    team->parent->team_live -= s->bytes;
  }
  release_turns(team);
}

static void reserve(rg_arena *parent, uint64_t threads) {
  if (parent->team_size >= threads)
    return;
  parent->team = (rg_arena **)realloc(parent->team, threads * sizeof(rg_arena *));
  if (!parent->team)
    rg_arena_out_of_memory(threads * sizeof(rg_arena *));
  memset(parent->team + parent->team_size, 0,
         (threads - parent->team_size) * sizeof(rg_arena *));
  parent->team_size = threads;
}

/* One thread's primal sweep; it is number t of n. */
__attribute__((noinline)) void rg_team_augment_slot(rg_team *team, rg_augment_body body, void *operands, int t, int n) {
  if (t == 0)
    team->threads = n;
  clear_once(team->cleared, team->clear);
  struct rg_slot *s = &team->slots[t];
  s->arena = rg_arena_within(team->parent->team, (uint64_t)t);
  s->from = rg_arena_place(s->arena);
  uint64_t before = rg_arena_live(s->arena);
  s->tape = NULL;
  uint64_t reach_bytes = team->reaches * sizeof(struct rg_reach);
  s->reaches = NULL;
  if (reach_bytes)
    s->reaches = (struct rg_reach *)memset(rg_tape_alloc(s->arena, reach_bytes), 0, reach_bytes);
  struct rg_reach *reaches = rg_reaches_of_thread;
  rg_reaches_of_thread = s->reaches;
  rg_team *outer = rg_team_of_thread;
  rg_task_state tasks = rg_tasks_of_thread;
  rg_team_of_thread = team;
  rg_tasks_of_thread = (rg_task_state){s->arena, NULL, NULL, NULL, NULL, NULL, 0};
  rg_inorder_state order = rg_inorder_of_thread;
  rg_inorder_of_thread = (rg_inorder_state){.of = team->is_ordered ? &team->order : NULL, .rank = (uint64_t)t, .threads = (uint64_t)n};
  body(s->arena, operands, &s->tape);
  rg_inorder_of_thread = order;
  rg_tasks_of_thread = tasks;
  rg_team_of_thread = outer;
  rg_reaches_of_thread = reaches;
  s->bytes = rg_arena_live(s->arena) - before;
}

static void run_augment(int32_t *global, int32_t *bound, rg_team *team, rg_augment_body body,
                        void *operands) {
  (void)global, (void)bound;
  int t = omp_get_thread_num();
  if (t >= team->capacity) {
    fprintf(stderr, "retrograd: more threads came to a parallel region than omp_get_max_threads() said\n");
    abort();
  }
  rg_team_augment_slot(team, body, operands, t, omp_get_num_threads());
}

/* A team of at most `capacity` threads, each of which has `reaches` groups of accesses. */
__attribute__((noinline)) rg_team *rg_team_open(rg_arena *parent, int capacity, int32_t reaches) {
  rg_team *team = (rg_team *)rg_tape_alloc(parent, sizeof *team);
  char *slots = (char *)rg_tape_alloc(parent, (uint64_t)capacity * sizeof(struct rg_slot) + 64);
  memset(team, 0, sizeof *team);
  team->slots = (struct rg_slot *)(((uintptr_t)slots + 63) & ~(uintptr_t)63);
  team->outer = rg_team_of_thread;
  rg_team *of_threads = rg_arena_of_thread.mark ? rg_arena_of_thread.mark->team : NULL;
  team->root = team->outer ? team->outer->root : of_threads ? of_threads : team;
  team->parent = parent;
  team->capacity = capacity;
  team->reaches = (uint32_t)reaches;
  team->is_ordered = rg_inorder_asked();
  team->cleared = rg_cleared_of_thread;
  team->clear = rg_clear_of_thread;
  if (team->clear) /* each thread comes back to its own variables */
    atomic_store(&team->waits, 1);
  reserve(parent, (uint64_t)capacity);
  rg_tape_defer_free(parent, team, release);
  return team;
}
/* All of its threads have run the primal sweep. */
__attribute__((noinline)) void rg_team_close(rg_team *team) {
  rg_arena *parent = team->parent;
  for (struct rg_turns *turns = atomic_load(&team->turns); turns; turns = turns->other)
    turns->all = atomic_load(&turns->next);
  for (int t = 0; t < team->threads; ++t)
    parent->team_live += team->slots[t].bytes;
  uint64_t now = rg_arena_live(parent);
  if (now > parent->peak)
    parent->peak = now;
}

/* The primal sweep of a region with as many threads as are asked for (0: as many as
 * there would be). Returns its part of the forking thread's tape. */
__attribute__((noinline)) rg_team *rg_team_augment(rg_arena *parent, int32_t threads, rg_augment_body body,
                                                   void *operands, int32_t reaches) {
  rg_team *team = rg_team_open(parent, threads > 0 ? threads : omp_get_max_threads(), reaches);
  if (threads > 0)
    __kmpc_push_num_threads(&here, __kmpc_global_thread_num(&here), threads);
  __kmpc_fork_call(&here, 3, (void (*)(int32_t *, int32_t *, ...))run_augment, team, body, operands);
  rg_team_close(team);
  return team;
}

/* So that the next fork gets as many threads. */
struct settings {
  int threads, levels, level, dynamic;
};
static struct settings push_threads(int threads) {
  struct settings s = {threads, omp_get_max_active_levels(), omp_get_active_level(), omp_get_dynamic()};
  if (threads > 1 && s.levels <= s.level)
    omp_set_max_active_levels(s.level + 1);
  if (s.dynamic)
    omp_set_dynamic(0);
  __kmpc_push_num_threads(&here, __kmpc_global_thread_num(&here), threads);
  return s;
}
static void restore(const struct settings *s) {
  if (s->dynamic)
    omp_set_dynamic(s->dynamic);
  if (s->threads > 1 && s->levels <= s->level)
    omp_set_max_active_levels(s->levels);
}

static void run_team_job(int32_t *global, int32_t *bound, rg_team_job job, void *with) {
  (void)global, (void)bound;
  job(with, omp_get_thread_num(), omp_get_num_threads());
}
static void fork_team(int threads, rg_team_job job, void *with) {
  struct settings before = push_threads(threads);
  __kmpc_fork_call(&here, 2, (void (*)(int32_t *, int32_t *, ...))run_team_job, job, with);
  restore(&before);
}

struct reverse_job {
  rg_team *team;
  rg_reverse_body body;
  void *operands;
  char *adjoints;
  uint64_t stride;
};
static void run_reverse(void *with, int t, int n) {
  const struct reverse_job *job = (const struct reverse_job *)with;
  rg_team *team = job->team;
  if (n < team->threads && atomic_load(&team->waits)) {
    if (t)
      return;
    fprintf(stderr,
            "retrograd: a parallel region ran with %d threads, which waited for each other; its reverse sweep "
            "got %d (OMP_THREAD_LIMIT?) and cannot run\n",
            team->threads, n);
    abort();
  }
  clear_once(team->cleared, team->clear);
  rg_team *outer = rg_team_of_thread;
  struct rg_reach *reaches = rg_reaches_of_thread;
  rg_inorder_state order = rg_inorder_of_thread;
  rg_team_of_thread = team;
  /* A thread that has several slots begins with the last: in an order, the others wait for it. */
  for (int s = t + (team->threads - 1 - t) / n * n; s >= 0; s -= n) {
    rg_reaches_of_thread = team->slots[s].reaches;
    rg_reach_clear(team, &team->slots[s]);
    rg_inorder_of_thread = (rg_inorder_state){.of = team->is_ordered ? &team->order : NULL,
                                              .rank = (uint64_t)(team->threads - 1 - s),
                                              .threads = (uint64_t)team->threads,
                                              .backwards = 1};
    job->body(team->slots[s].arena, job->operands, team->slots[s].tape, job->adjoints + (uint64_t)s * job->stride);
    rg_inorder_pass();
  }
  rg_inorder_of_thread = order;
  rg_reaches_of_thread = reaches;
  rg_team_of_thread = outer;
}

/* The reverse sweep of the region. The adjoints of what threads were given by value are
 * added up into `sum`, `bytes` bytes that hold numbers where `numbers` says: from each
 * offset a double (4 * offset) or a float (4 * offset + 1). */
__attribute__((noinline)) void rg_team_reverse_by(rg_team_forker fork, rg_team *team, rg_reverse_body body,
                                                  void *operands, char *sum, uint64_t bytes,
                                                  const uint32_t *numbers, uint32_t count) {
  rg_place before = rg_arena_place(team->parent);
  uint64_t stride = (bytes + 63) & ~(uint64_t)63;
  char *adjoints = (char *)rg_tape_alloc(team->parent, (uint64_t)team->threads * stride);
  memset(adjoints, 0, (uint64_t)team->threads * stride);
  for (struct rg_turns *turns = atomic_load(&team->turns); turns; turns = turns->other)
    atomic_store(&turns->next, turns->all);
  uint64_t copies = rg_reach_compare(team);
  if (copies) {
    char *place = (char *)rg_tape_alloc(team->parent, copies + 64);
    rg_reach_place(team, (char *)(((uintptr_t)place + 63) & ~(uintptr_t)63));
  }
  team->cleared = rg_cleared_of_thread;
  team->clear = rg_clear_of_thread;
  rg_inorder_wait(); /* what its threads add, this one adds to a team around it */
  atomic_store(&team->order.next, 0);
  struct reverse_job job = {team, body, operands, adjoints, stride};
  fork(team->threads, run_reverse, &job);
  if (copies)
    rg_reach_add_copies(team, copies, fork);
  for (int t = 0; t < team->threads; ++t)
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t at = numbers[i] / 4;
      const char *from = adjoints + (uint64_t)t * stride + at;
      if (numbers[i] % 4 == 0) {
        double a, b;
        memcpy(&a, sum + at, sizeof a);
        memcpy(&b, from, sizeof b);
        a += b;
        memcpy(sum + at, &a, sizeof a);
      } else {
        float a, b;
        memcpy(&a, sum + at, sizeof a);
        memcpy(&b, from, sizeof b);
        a += b;
        memcpy(sum + at, &a, sizeof a);
      }
    }
  rg_arena_return_to(team->parent, &before);
}

__attribute__((noinline)) void rg_team_reverse(rg_team *team, rg_reverse_body body, void *operands, char *sum,
                                               uint64_t bytes, const uint32_t *numbers, uint32_t count) {
  rg_team_reverse_by(fork_team, team, body, operands, sum, bytes, numbers, count);
}

/* A region that computes values and tangents. */
__attribute__((noinline)) struct rg_forward_job rg_team_forward_job(rg_forward_body body, void *operands) {
  return (struct rg_forward_job){body, operands, rg_cleared_of_thread, rg_clear_of_thread, rg_inorder_asked(), {0}};
}
__attribute__((noinline)) void rg_team_forward_slot(struct rg_forward_job *job, int t, int n) {
  clear_once(job->cleared, job->clear);
  rg_inorder_state order = rg_inorder_of_thread;
  rg_inorder_of_thread = (rg_inorder_state){.of = job->is_ordered ? &job->order : NULL, .rank = (uint64_t)t, .threads = (uint64_t)n};
  job->body(job->operands);
  rg_inorder_of_thread = order;
}
static void run_forward(int32_t *global, int32_t *bound, struct rg_forward_job *job) {
  (void)global, (void)bound;
  rg_team_forward_slot(job, omp_get_thread_num(), omp_get_num_threads());
}
__attribute__((noinline)) void rg_team_forward(int32_t threads, rg_forward_body body, void *operands) {
  struct rg_forward_job job = rg_team_forward_job(body, operands);
  if (threads > 0)
    __kmpc_push_num_threads(&here, __kmpc_global_thread_num(&here), threads);
  __kmpc_fork_call(&here, 1, (void (*)(int32_t *, int32_t *, ...))run_forward, &job);
}

/*===- What threads of a team do together ---------------------------------===*/

__attribute__((noinline)) void rg_team_need_all(void) {
  for (rg_team *team = rg_team_of_thread; team; team = team->outer)
    if (!atomic_load_explicit(&team->waits, memory_order_relaxed))
      atomic_store_explicit(&team->waits, 1, memory_order_relaxed);
}

__attribute__((noinline)) void rg_team_barrier(void) {
  rg_team_need_all();
  if (rg_inorder_of_thread.backwards)
    rg_inorder_pass();
  __kmpc_barrier(&barrier_here, __kmpc_global_thread_num(&here));
}

__attribute__((noinline)) void rg_serial_begin(void) {
  ++rg_inorder_of_thread.alone;
  __kmpc_serialized_parallel(&here, __kmpc_global_thread_num(&here));
}
__attribute__((noinline)) void rg_serial_end(void) {
  --rg_inorder_of_thread.alone;
  __kmpc_end_serialized_parallel(&here, __kmpc_global_thread_num(&here));
}

__attribute__((noinline)) struct rg_turns *rg_turns_of(rg_team *root, const void *lock) {
  struct rg_turns *first = atomic_load(&root->turns), *made = NULL;
  for (;;) {
    for (struct rg_turns *turns = first; turns; turns = turns->other)
      if (turns->of == lock) {
        free(made);
        return turns;
      }
    if (!made) {
      made = (struct rg_turns *)calloc(1, sizeof *made);
      if (!made)
        rg_arena_out_of_memory(sizeof *made);
      made->of = lock;
    }
    made->other = first;
    if (atomic_compare_exchange_weak(&root->turns, &first, made))
      return made;
  }
}

/* The number of the turn that begins; the lock is held. */
__attribute__((noinline)) uint64_t rg_turn_begins(const void *lock) {
  rg_team *team = rg_team_here();
  if (!team)
    return 0;
  rg_team_need_all();
  return atomic_fetch_add_explicit(&rg_turns_of(team->root, lock)->next, 1, memory_order_relaxed);
}
/* The number of the turn that ends. */
__attribute__((noinline)) uint64_t rg_turn_ends(const void *lock) {
  rg_team *team = rg_team_here();
  return team ? atomic_load_explicit(&rg_turns_of(team->root, lock)->next, memory_order_relaxed) - 1 : 0;
}

/* The same of a lock that its owner may take again: a turn is the time from the first
 * lock to the last unlock. */
__attribute__((noinline)) uint64_t rg_turn_of_owner_begins(const void *lock) {
  rg_team *team = rg_team_here();
  if (team && rg_turns_of(team->root, lock)->depth++)
    return RG_INNER_TURN;
  return rg_turn_begins(lock);
}
__attribute__((noinline)) uint64_t rg_turn_of_owner_ends(const void *lock) {
  rg_team *team = rg_team_here();
  if (team && --rg_turns_of(team->root, lock)->depth)
    return RG_INNER_TURN;
  return rg_turn_ends(lock);
}

__attribute__((noinline)) uint64_t rg_turn_enter(void *lock) {
  __kmpc_critical(&here, __kmpc_global_thread_num(&here), lock);
  return rg_turn_begins(lock);
}
__attribute__((noinline)) uint64_t rg_turn_leave(void *lock) {
  uint64_t turn = rg_turn_ends(lock);
  __kmpc_end_critical(&here, __kmpc_global_thread_num(&here), lock);
  return turn;
}
/* The same with a lock of the program's. */
__attribute__((noinline)) uint64_t rg_turn_lock(void *lock) {
  omp_set_lock(lock);
  return rg_turn_begins(lock);
}
__attribute__((noinline)) uint64_t rg_turn_unlock(void *lock) {
  uint64_t turn = rg_turn_ends(lock);
  omp_unset_lock(lock);
  return turn;
}

__attribute__((noinline)) uint64_t rg_turn_test_lock(void *lock) {
  return omp_test_lock(lock) ? rg_turn_begins(lock) : RG_NO_TURN;
}
__attribute__((noinline)) uint64_t rg_turn_nest_lock(void *lock) {
  omp_set_nest_lock(lock);
  return rg_turn_of_owner_begins(lock);
}
__attribute__((noinline)) uint64_t rg_turn_nest_unlock(void *lock) {
  uint64_t turn = rg_turn_of_owner_ends(lock);
  omp_unset_nest_lock(lock);
  return turn;
}

/* Reverse sweep: into a turn by its end, out of it by its beginning. */
__attribute__((noinline)) void rg_turn_again(const void *lock, uint64_t turn) {
  rg_team *team = rg_team_here();
  if (!team || turn >= RG_NO_TURN)
    return;
  rg_wait_for_count(&rg_turns_of(team->root, lock)->next, turn + 1);
}
__attribute__((noinline)) void rg_turn_done(const void *lock, uint64_t turn) {
  rg_team *team = rg_team_here();
  if (team && turn < RG_NO_TURN)
    atomic_store_explicit(&rg_turns_of(team->root, lock)->next, turn, memory_order_release);
}

/* The number of an event; RG_NO_TURN outside of derivatives. */
__attribute__((noinline)) uint64_t rg_event(const void *of) {
  rg_team *team = rg_team_here();
  if (!team)
    return RG_NO_TURN;
  rg_team_need_all();
  return atomic_fetch_add_explicit(&rg_turns_of(team->root, of)->next, 1, memory_order_acq_rel);
}
__attribute__((noinline)) void rg_event_again(const void *of, uint64_t number) {
  rg_turn_again(of, number);
  rg_turn_done(of, number);
}

/* Events of atomic operations on memory: before one that tells, behind one that learns.
 * All words share a few locks, which keeps more order than there has to be, and looks
 * for none of them long. */
enum { WORDS = 64, PATIENCE = 64, HURRY = 4096 };
char rg_words[WORDS];
static const void *lock_of_word(const void *word) {
  uint64_t at = (uint64_t)(uintptr_t)word >> 4;
  return &rg_words[(at * 0x9E3779B97F4A7C15u) >> 58];
}
/* What this thread has learnt of last, and how often in a row: who waits in a loop
 * has an event each time. Named, not static. */
__thread const void *rg_word_of_thread;
__thread uint32_t rg_looks_of_thread;

__attribute__((noinline)) uint64_t rg_event_tells(const void *word) {
  rg_word_of_thread = NULL;
  return rg_event(lock_of_word(word));
}
__attribute__((noinline)) uint64_t rg_event_learns(const void *word) {
  uint64_t number = rg_event(lock_of_word(word));
  if (rg_word_of_thread != word) {
    rg_word_of_thread = word;
    rg_looks_of_thread = 0;
  } else if (number != RG_NO_TURN && ++rg_looks_of_thread > PATIENCE) {
    if (rg_looks_of_thread > HURRY)
      usleep(50);
    else
      sched_yield();
  }
  return number;
}
__attribute__((noinline)) void rg_event_word_again(const void *word, uint64_t number) {
  rg_event_again(lock_of_word(word), number);
}

/*===- Places by which one thread of a team hands a pointer to all ---------===*/

extern void __kmpc_copyprivate(rg_omp_location *, int32_t, size_t, void *, void (*)(void *, void *), int32_t);
extern int omp_get_cancellation(void);

/* Named, not static: all modules of a program use the same numbers. */
_Atomic uint64_t rg_places_taken;

static void copy_number(void *to, void *from) { *(uint64_t *)to = *(uint64_t *)from; }

/* The thread that says so chooses a number that no other team has; all get it. */
__attribute__((noinline)) uint64_t rg_place_take(int32_t chooses) {
  uint64_t n = 0;
  if (chooses) {
    uint64_t taken = atomic_load(&rg_places_taken);
    for (;;) {
      if (taken == UINT64_MAX) { /* others leave soon */
        sched_yield();
        taken = atomic_load(&rg_places_taken);
        continue;
      }
      n = (uint64_t)__builtin_ctzll(~taken);
      if (atomic_compare_exchange_weak(&rg_places_taken, &taken, taken | (uint64_t)1 << n))
        break;
    }
  }
  __kmpc_copyprivate(&here, __kmpc_global_thread_num(&here), sizeof n, &n, copy_number, chooses);
  return n;
}
__attribute__((noinline)) void rg_place_leave(uint64_t n, int32_t chose) {
  if (chose)
    atomic_fetch_and(&rg_places_taken, ~((uint64_t)1 << n));
}

/* A region is to be cancelled: nothing happens if cancellation is off. */
__attribute__((noinline)) void rg_no_cancel(void) {
  if (!omp_get_cancellation())
    return;
  fprintf(stderr, "retrograd: a region is cancelled (OMP_CANCELLATION), which cannot be differentiated\n");
  abort();
}
