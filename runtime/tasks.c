/*===- tasks.c - tasks of OpenMP -------------------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* libomp decides which thread runs a task, and when: at one of that thread's own
|* waits (taskwait, the end of a group, a barrier), or where a task is made. The primal
|* sweep notes that: each such point keeps the list of the tasks that its thread ran
|* there. The reverse sweep needs no scheduler: each thread runs backwards what it ran,
|* point by point, and waits only for what it must:
|*
|*   the reverse of a task         until all who waited for the task have been reversed
|*                                 (taskwait, group, barrier, tasks that depend on it)
|*   the reverse of its making     until the reverse of the task is done
|*
|* Since the primal ran, there is one order of all actions that agrees with each
|* thread's own and with every wait. The same order backwards shows that no thread
|* waits in vain, critical regions included. Tapes lie in the arenas of the threads
|* that ran the tasks, which stay stacks.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include "team.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libomp. */
typedef struct {
  int32_t reserved1, flags, reserved2, reserved3;
  const char *source;
} rg_omp_location;
typedef struct {
  void *shared, *routine;
  int32_t part;
  void *data1, *data2;
  void *first, *second; /* ours */
} rg_omp_task;
typedef struct {
  int64_t address;
  uint64_t bytes;
  uint8_t flags;
} rg_omp_dependence;
typedef int32_t (*rg_omp_entry)(int32_t, rg_omp_task *);
extern int32_t __kmpc_global_thread_num(rg_omp_location *);
extern rg_omp_task *__kmpc_omp_task_alloc(rg_omp_location *, int32_t, int32_t, uint64_t, uint64_t, rg_omp_entry);
extern int32_t __kmpc_omp_task(rg_omp_location *, int32_t, rg_omp_task *);
extern int32_t __kmpc_omp_task_with_deps(rg_omp_location *, int32_t, rg_omp_task *, int32_t, rg_omp_dependence *,
                                         int32_t, rg_omp_dependence *);
extern void __kmpc_omp_taskwait_deps_51(rg_omp_location *, int32_t, int32_t, rg_omp_dependence *, int32_t,
                                        rg_omp_dependence *, int32_t);
extern int32_t __kmpc_omp_taskwait(rg_omp_location *, int32_t);
extern int32_t __kmpc_omp_taskyield(rg_omp_location *, int32_t, int32_t);
extern void __kmpc_taskgroup(rg_omp_location *, int32_t), __kmpc_end_taskgroup(rg_omp_location *, int32_t);
extern void __kmpc_barrier(rg_omp_location *, int32_t);
extern int omp_get_thread_num(void);

enum { KMPC = 2, EXPLICIT_BARRIER = 0x22, DEPENDS_IN = 1, DEPENDS_OUT = 2, DEPENDS_INOUT = 3,
       DEPENDS_MUTEXINOUTSET = 4, DEPENDS_INOUTSET = 8 };
static rg_omp_location here = {0, KMPC, 0, 0, ";unknown;unknown;0;0;;"};
static rg_omp_location barrier_here = {0, EXPLICIT_BARRIER, 0, 0, ";unknown;unknown;0;0;;"};
#define ID __kmpc_global_thread_num(&here)

struct rg_task {
  rg_team *team;
  rg_arena *arena; /* of the thread that runs it */
  rg_augment_body augment;
  rg_reverse_body reverse;
  void *operands, *tape;
  rg_task_group *group;      /* that it was made in */
  rg_task *child, *made, *in_group; /* next in lists: of the parent, of the thread, of the group */
  rg_task *ran;              /* before this one, by the same thread at the same point */
  rg_task *ran_when_made;
  struct link *predecessors;
  _Atomic uint32_t pending;  /* who has waited for it and is not reversed */
  _Atomic int done;          /* reversed */
  int alone;                 /* made outside of regions */
  rg_reach_table reaches;
};

struct link {
  struct link *next;
  rg_task *task;
};

struct rg_task_group {
  rg_task_group *outer;
  _Atomic(rg_task *) tasks;
  rg_task *ran;
};

/* A wait, on the tape of who waits. */
struct wait {
  rg_task *children, *made, *ran;
  struct link *tasks;
};

/* Named, not static: every translation unit of a program shares it. What the next task depends on. */
__thread int32_t rg_task_dependence_count;
__thread void *rg_task_dependence_list;

#define MINE (&rg_tasks_of_thread)

static void *reserve(uint64_t bytes) {
  return memset(rg_tape_alloc(MINE->arena, bytes), 0, bytes);
}

/* A thread comes to a point where it may run other tasks, and leaves it. */
static rg_task *enter_point(void) {
  rg_task *before = MINE->ran;
  MINE->ran = NULL;
  return before;
}
static rg_task *leave_point(rg_task *before) {
  rg_task *ran = MINE->ran;
  MINE->ran = before;
  return ran;
}

static void observe(rg_task *t) { atomic_fetch_add_explicit(&t->pending, 1, memory_order_relaxed); }
static void release(rg_task *t) { atomic_fetch_sub_explicit(&t->pending, 1, memory_order_release); }

/* Spins, since the other thread is at work on it. */
static void pause_after(unsigned tries) {
  if (tries > 100)
    sched_yield();
}

static int32_t run_augment(int32_t id, rg_omp_task *task) {
  (void)id;
  rg_task *t = (rg_task *)task->first;
  rg_task_state outer = *MINE;
  rg_team *outer_team = rg_team_of_thread;
  if (!t->alone) /* libomp's thread t of the team has the arena of slot t */
    t->arena = t->team->slots[omp_get_thread_num()].arena;
  *MINE = (rg_task_state){t->arena, NULL, outer.made, NULL, t->group, NULL, t->alone};
  rg_team_of_thread = t->team;
  struct rg_reach *reaches = rg_reaches_of_thread;
  t->reaches = rg_reach_note(t->arena, (int32_t)t->reaches.count);
  rg_reaches_of_thread = t->reaches.reaches;
  t->augment(t->arena, t->operands, &t->tape);
  rg_reaches_of_thread = reaches;
  rg_team_of_thread = outer_team;
  outer.made = MINE->made;
  *MINE = outer;
  t->ran = outer.ran;
  MINE->ran = t;
  return 0;
}

/* Runs backwards what the thread ran at one point. */
static void undo(rg_task *t) {
  for (; t; t = t->ran) {
    for (unsigned tries = 0; atomic_load_explicit(&t->pending, memory_order_acquire); ++tries)
      pause_after(tries);
    rg_team *outer = rg_team_of_thread;
    rg_team_of_thread = t->team;
    struct rg_reach *reaches = rg_reaches_of_thread;
    rg_reaches_of_thread = t->reaches.reaches;
    rg_place before = rg_arena_place(t->arena);
    rg_reach_open(&t->reaches, t->arena, t->team && t->team->threads == 1 && !t->team->outer && !t->alone);
    t->reverse(t->arena, t->operands, t->tape, NULL);
    rg_reach_close(&t->reaches, t->arena, &before);
    rg_reaches_of_thread = reaches;
    rg_team_of_thread = outer;
    for (struct link *p = t->predecessors; p; p = p->next)
      release(p->task);
    atomic_store_explicit(&t->done, 1, memory_order_release);
  }
}

/*===- Dependences ---------------------------------------------------------===*/

/* Of one address, among the tasks that one task makes. */
struct rg_task_address {
  rg_task_address *other;
  int64_t address;
  struct link *readers; /* since the writer */
  rg_task *writer;
};
enum { BUCKETS = 64 };

static rg_task_address *find(int64_t address) {
  if (!MINE->addresses)
    MINE->addresses = (rg_task_address **)reserve(BUCKETS * sizeof(rg_task_address *));
  rg_task_address **bucket = &MINE->addresses[((uint64_t)address / 8 * 0x9e3779b97f4a7c15u) >> 58];
  for (rg_task_address *a = *bucket; a; a = a->other)
    if (a->address == address)
      return a;
  rg_task_address *a = (rg_task_address *)reserve(sizeof *a);
  a->address = address;
  a->other = *bucket;
  return *bucket = a;
}

static struct link *link_to(rg_task *t, struct link *next) {
  struct link *l = (struct link *)reserve(sizeof *l);
  l->task = t;
  l->next = next;
  return l;
}

/* The tasks that one with these dependences comes behind. `task`, if not null, is
 * that one, and later ones may come behind it. */
static struct link *predecessors(rg_task *task, int32_t n, const rg_omp_dependence *list) {
  struct link *found = NULL;
  for (int32_t i = 0; i < n; ++i) {
    int writes = list[i].flags == DEPENDS_INOUT || list[i].flags == DEPENDS_OUT;
    if (!writes && list[i].flags != DEPENDS_IN) {
      fprintf(stderr, "retrograd: a task depends on memory in a way that has no reverse: use in, out or inout\n");
      abort();
    }
    rg_task_address *a = find(list[i].address);
    if (a->writer && a->writer != task)
      found = link_to(a->writer, found);
    if (writes)
      for (struct link *r = a->readers; r; r = r->next)
        if (r->task != task)
          found = link_to(r->task, found);
    if (!task)
      continue;
    if (writes) {
      a->writer = task;
      a->readers = NULL;
    } else {
      a->readers = link_to(task, a->readers);
    }
  }
  for (struct link *p = found; p; p = p->next)
    observe(p->task);
  return found;
}

/*===- Tasks ---------------------------------------------------------------===*/

/* Tasks of a set may run in any order: in that in which they are made, too, which the
 * reverse sweep can keep. */
__attribute__((noinline)) void rg_task_depends(int32_t n, void *list) {
  rg_omp_dependence *each = (rg_omp_dependence *)list;
  for (int32_t i = 0; i < n; ++i)
    if (each[i].flags == DEPENDS_MUTEXINOUTSET || each[i].flags == DEPENDS_INOUTSET)
      each[i].flags = DEPENDS_INOUT;
  rg_task_dependence_count = n;
  rg_task_dependence_list = list;
}

static void make(int32_t flags, rg_omp_entry entry, void *first, void *second) {
  int32_t n = rg_task_dependence_count;
  rg_omp_dependence *list = (rg_omp_dependence *)rg_task_dependence_list;
  rg_task_dependence_count = 0;
  rg_omp_task *task = __kmpc_omp_task_alloc(&here, ID, flags | 1, sizeof(rg_omp_task), 0, entry);
  task->first = first;
  task->second = second;
  if (n)
    __kmpc_omp_task_with_deps(&here, ID, task, n, list, 0, NULL);
  else
    __kmpc_omp_task(&here, ID, task);
}

static int32_t run_plain(int32_t id, rg_omp_task *task) {
  void *own = task->second;
  ((int32_t(*)(int32_t, void *))task->first)(id, own);
  free(own);
  return 0;
}

/* In the program itself, and where nothing in the task is active. */
__attribute__((noinline)) void rg_task_start(uint64_t flags, void *entry, void *own) {
  make((int32_t)flags, run_plain, entry, own);
}

static int32_t run_forward(int32_t id, rg_omp_task *task) {
  (void)id;
  ((rg_forward_body)task->first)(task->second);
  free(task->second);
  return 0;
}

__attribute__((noinline)) void rg_task_forward(uint64_t flags, rg_forward_body body, const void *operands,
                                               uint64_t bytes) {
  void *copy = malloc(bytes ? bytes : 1);
  if (!copy)
    rg_arena_out_of_memory(bytes);
  memcpy(copy, operands, bytes);
  make((int32_t)flags, run_forward, (void *)body, copy);
}

/* The primal sweep of a task. `operands` last as long as the tape. */
__attribute__((noinline)) void *rg_task_augment(rg_arena *arena, uint64_t flags, rg_augment_body augment,
                                                rg_reverse_body reverse, void *operands, int32_t reaches) {
  rg_task *t = (rg_task *)rg_tape_alloc(arena, sizeof *t);
  memset(t, 0, sizeof *t);
  rg_task_state outside = *MINE;
  if (!MINE->arena)
    *MINE = (rg_task_state){arena, NULL, NULL, NULL, NULL, NULL, 1};
  t->alone = MINE->alone;
  t->team = rg_team_of_thread;
  t->arena = arena;
  t->augment = augment;
  t->reverse = reverse;
  t->operands = operands;
  t->reaches.count = (uint32_t)reaches;
  t->group = MINE->group;
  t->child = MINE->children;
  MINE->children = t;
  t->made = MINE->made;
  MINE->made = t;
  if (t->group) {
    t->in_group = atomic_load(&t->group->tasks);
    while (!atomic_compare_exchange_weak(&t->group->tasks, &t->in_group, t))
      ;
  }
  rg_team_need_all();
  t->predecessors =
      predecessors(t, rg_task_dependence_count, (const rg_omp_dependence *)rg_task_dependence_list);
  rg_task *before = enter_point();
  make((int32_t)flags, run_augment, t, NULL);
  t->ran_when_made = leave_point(before);
  if (!outside.arena)
    *MINE = outside;
  return t;
}

/* Reverse of its making. */
__attribute__((noinline)) void rg_task_finish(void *tape) {
  rg_task *t = (rg_task *)tape;
  undo(t->ran_when_made);
  for (unsigned tries = 0; !atomic_load_explicit(&t->done, memory_order_acquire); ++tries)
    pause_after(tries);
}

/*===- Waits ---------------------------------------------------------------===*/

__attribute__((noinline)) uint64_t rg_task_wait(void) {
  rg_task *before = enter_point();
  __kmpc_omp_taskwait(&here, ID);
  rg_task *ran = leave_point(before);
  if (!MINE->arena)
    return 0;
  struct wait *w = (struct wait *)reserve(sizeof *w);
  w->ran = ran;
  w->children = MINE->children;
  MINE->children = NULL;
  MINE->addresses = NULL; /* who comes later comes behind all of them */
  for (rg_task *t = w->children; t; t = t->child)
    observe(t);
  return (uint64_t)w;
}

/* For those that a task with these dependences would wait for. */
__attribute__((noinline)) uint64_t rg_task_wait_some(void) {
  int32_t n = rg_task_dependence_count;
  rg_omp_dependence *list = (rg_omp_dependence *)rg_task_dependence_list;
  rg_task_dependence_count = 0;
  rg_task *before = enter_point();
  __kmpc_omp_taskwait_deps_51(&here, ID, n, list, 0, NULL, 0);
  rg_task *ran = leave_point(before);
  if (!MINE->arena)
    return 0;
  struct wait *w = (struct wait *)reserve(sizeof *w);
  w->ran = ran;
  w->tasks = predecessors(NULL, n, list);
  return (uint64_t)w;
}

__attribute__((noinline)) uint64_t rg_task_yield(void) {
  rg_task *before = enter_point();
  __kmpc_omp_taskyield(&here, ID, 0);
  rg_task *ran = leave_point(before);
  if (!MINE->arena)
    return 0;
  struct wait *w = (struct wait *)reserve(sizeof *w);
  w->ran = ran;
  return (uint64_t)w;
}

/* A barrier of a region whose program has tasks. */
__attribute__((noinline)) uint64_t rg_task_barrier(void) {
  rg_team_need_all();
  rg_task *before = enter_point();
  __kmpc_barrier(&barrier_here, ID);
  rg_task *ran = leave_point(before);
  if (!MINE->arena)
    return 0;
  struct wait *w = (struct wait *)reserve(sizeof *w);
  w->ran = ran;
  w->made = MINE->made;
  MINE->made = MINE->children = NULL;
  MINE->addresses = NULL;
  for (rg_task *t = w->made; t; t = t->made)
    observe(t);
  return (uint64_t)w;
}

/* Reverse of each of them. */
__attribute__((noinline)) void rg_task_wait_again(uint64_t wait) {
  struct wait *w = (struct wait *)wait;
  if (!w)
    return;
  for (rg_task *t = w->children; t; t = t->child)
    release(t);
  for (struct link *l = w->tasks; l; l = l->next)
    release(l->task);
  undo(w->ran);
}
__attribute__((noinline)) void rg_task_barrier_again(uint64_t wait) {
  __kmpc_barrier(&barrier_here, ID);
  struct wait *w = (struct wait *)wait;
  if (!w)
    return;
  for (rg_task *t = w->made; t; t = t->made)
    release(t);
  undo(w->ran);
}

__attribute__((noinline)) uint64_t rg_task_group_begin(void) {
  __kmpc_taskgroup(&here, ID);
  if (!MINE->arena)
    return 0;
  rg_task_group *g = (rg_task_group *)reserve(sizeof *g);
  g->outer = MINE->group;
  MINE->group = g;
  return (uint64_t)g;
}
__attribute__((noinline)) uint64_t rg_task_group_end(void) {
  rg_task *before = enter_point();
  __kmpc_end_taskgroup(&here, ID);
  rg_task *ran = leave_point(before);
  rg_task_group *g = MINE->group;
  if (!MINE->arena || !g)
    return 0;
  MINE->group = g->outer;
  g->ran = ran;
  for (rg_task *t = atomic_load(&g->tasks); t; t = t->in_group)
    observe(t);
  return (uint64_t)g;
}
__attribute__((noinline)) void rg_task_group_again(uint64_t group) {
  rg_task_group *g = (rg_task_group *)group;
  if (!g)
    return;
  for (rg_task *t = atomic_load(&g->tasks); t; t = t->in_group)
    release(t);
  undo(g->ran);
}
/* Reverse of the beginning. */
__attribute__((noinline)) void rg_task_group_left(uint64_t group) { (void)group; }
