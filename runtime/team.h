/*===- team.h - threads that run one derivative together ------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* For threads.c, inorder.c, pool.c, spawn.c, cthreads.c, tasks.c, reach.c and
|* arena.c alone.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_TEAM_H
#define RETROGRAD_TEAM_H
#include "arena.h"
#include <sched.h>
#include <stdatomic.h>

struct rg_turns {
  struct rg_turns *other;
  const void *of;
  /* Primal sweep: the next number; reverse sweep: that after the next. */
  _Atomic uint64_t next;
  uint64_t all;   /* how many there were */
  uint64_t depth; /* of a mutex: how often its owner has locked it */
};

/* The turn of a mutex that its owner had locked before. */
#define RG_INNER_TURN UINT64_MAX
/* An attempt to begin a turn that failed. */
#define RG_NO_TURN (UINT64_MAX - 1)

/* What one thread adds to by one group of accesses (reach.c). Derivatives read
 * the first four members (lib/Polish/OwnReaches.cpp). */
struct rg_reach {
  uint64_t own_low, own_size; /* where no other thread adds */
  int64_t below, above; /* from what is on this side to the copy; 0: none */
  uint64_t low, high;   /* all of it */
  uint64_t additions;   /* about how many */
  uint64_t bytes_below, bytes_above; /* of copies */
  uint32_t kind;                     /* 0: nothing yet */
  uint32_t uneven;                   /* no multiple of a number */
};
/* Of `kind`: the bytes of a number; it is written to, not added to. */
enum { RG_REACH_BYTES = 15, RG_REACH_WRITES = 16 };

struct rg_slot {
  rg_arena *arena;
  void *tape;
  struct rg_reach *reaches;
  rg_place from;
  uint64_t bytes; /* of its tape */
  char apart[64 -
             (3 * sizeof(void *) + sizeof(rg_place) + sizeof(uint64_t)) % 64];
};

/* In which order the threads of a team pass places that all of them come to, if
 * that is to be the same in every run (inorder.c). */
struct rg_inorder {
  _Atomic uint64_t next; /* how many threads have passed places */
};
/* What a thread knows of it. */
typedef struct rg_inorder_state {
  struct rg_inorder *of; /* null: it does not matter */
  uint64_t passed;       /* places, by this thread */
  uint64_t rank, threads;
  int backwards; /* in the reverse sweep */
  int alone;     /* in so many regions of one thread within the team's */
} rg_inorder_state;
extern __thread rg_inorder_state rg_inorder_of_thread;
/* The next fork of this thread is to have an order; asked once. */
int rg_inorder_asked(void);
void rg_inorder_wait(void);
void rg_inorder_pass(void);

struct rg_team {
  struct rg_team *outer; /* that the forking thread belongs to */
  struct rg_team *root;  /* the outermost */
  rg_arena *parent;
  struct rg_slot *slots;
  int capacity, threads; /* that may have come, that came */
  uint32_t reaches;      /* of each thread */
  int is_ordered;
  struct rg_inorder order;
  /* Of the forking thread: shadows of threadprivate variables are cleared. */
  uint64_t cleared;
  void (*clear)(void);
  _Atomic int waits; /* threads have waited for each other */
  _Atomic(struct rg_turns *) turns;
};

typedef void (*rg_augment_body)(rg_arena *, void *operands, void **tape);
typedef void (*rg_reverse_body)(rg_arena *, void *operands, void *tape,
                                void *adjoints);
typedef void (*rg_forward_body)(void *operands);

/* Another thread counts up or down to `value`. */
static inline void rg_wait_for_count(_Atomic uint64_t *count, uint64_t value) {
  for (unsigned tries = 0;
       atomic_load_explicit(count, memory_order_acquire) != value; ++tries)
    if (tries > 100)
      sched_yield();
}

/* Named, not static: every translation unit of a program shares it. */
extern __thread rg_team *rg_team_of_thread;
/* Of the slot that the thread runs; null outside of regions. */
extern __thread struct rg_reach *rg_reaches_of_thread;

/* Runs job(with, t, n) on as many threads, which have the numbers t of n; fewer
 * may come. */
typedef void (*rg_team_job)(void *with, int t, int n);
typedef void (*rg_team_forker)(int threads, rg_team_job job, void *with);
/* What a way to fork makes its sweeps of (threads.c). */
rg_team *rg_team_open(rg_arena *parent, int capacity, int32_t reaches);
void rg_team_augment_slot(rg_team *team, rg_augment_body body, void *operands,
                          int t, int n);
void rg_team_close(rg_team *team);
void rg_team_reverse_by(rg_team_forker fork, rg_team *team,
                        rg_reverse_body body, void *operands, char *sum,
                        uint64_t bytes, const uint32_t *numbers,
                        uint32_t count);
struct rg_forward_job {
  rg_forward_body body;
  void *operands;
  uint64_t cleared;
  void (*clear)(void);
  int is_ordered;
  struct rg_inorder order;
};
struct rg_forward_job rg_team_forward_job(rg_forward_body body, void *operands);
void rg_team_forward_slot(struct rg_forward_job *job, int t, int n);
/* Which derivative's shadows of threadprivate variables a thread has cleared.
 */
extern __thread uint64_t rg_cleared_of_thread;
extern __thread void (*rg_clear_of_thread)(void);

uint64_t rg_reach_compare(rg_team *team);
/* The same of work that goes on by itself: a table of its own, and copies while
 * its reverse sweep runs. */
typedef struct rg_reach_table {
  struct rg_reach *reaches;
  uint32_t count;
} rg_reach_table;
rg_reach_table rg_reach_note(rg_arena *a, int32_t count);
void rg_reach_open(const rg_reach_table *table, rg_arena *a, int alone);
void rg_reach_close(const rg_reach_table *table, rg_arena *a,
                    const rg_place *before);
void rg_reach_place(rg_team *team, char *place);
void rg_reach_clear(rg_team *team, struct rg_slot *s);
void rg_reach_add_copies(rg_team *team, uint64_t bytes, rg_team_forker fork);

/* What a thread needs to know to make, run and wait for tasks (tasks.c); of the
 * task that it runs now. Without an arena: outside of all regions. */
typedef struct rg_task rg_task;
typedef struct rg_task_group rg_task_group;
typedef struct rg_task_address rg_task_address;
typedef struct rg_task_state {
  rg_arena *arena;
  rg_task *children; /* made by it since its last wait for all */
  rg_task *made;     /* by the thread, since the last barrier */
  rg_task *ran;      /* by the thread, at the present point, latest first */
  rg_task_group *group;
  rg_task_address **addresses; /* that tasks depend on */
  int alone; /* outside of regions: libomp runs a task where it is made */
} rg_task_state;
extern __thread rg_task_state rg_tasks_of_thread;

/* The team of this thread. Outside of every region that is one that belongs to
 * the innermost derivative of the thread: all threads that it starts are in it.
 * Null outside of derivatives. */
rg_team *rg_team_here(void);
/* Threads of this thread's teams wait for each other. */
void rg_team_need_all(void);
/* Numbers of turns; the lock is held. */
struct rg_turns *rg_turns_of(rg_team *root, const void *lock);
uint64_t rg_turn_begins(const void *lock);
uint64_t rg_turn_ends(const void *lock);
uint64_t rg_turn_of_owner_begins(const void *lock);
uint64_t rg_turn_of_owner_ends(const void *lock);
uint64_t rg_event(const void *of);

#endif
