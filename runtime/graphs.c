/*===- graphs.c - which streams capture, and the memory of graphs
-------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* In a derivative, CUDA captures nothing. graphcalls.c lists the operations of
|* streams that the program says capture, and of those that wait for an event of
such
|* a stream. Their order in the program is one in which they may run. Lists last
as
|* long as the derivative, so that its reverse finds them, whatever the program
|* destroys. The state is the thread's.
\*===------------------------------------------------------------------------===*/
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cudaEventRecord(void *event, void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);

struct rg_graph_block {
  struct rg_graph_block *next;
  uint64_t depth;
  _Alignas(16) char bytes[];
};
struct rg_known {
  const void *graph, *owner;
  uint64_t depth;
  struct rg_known *next;
};
/* What goes with the derivative besides. */
struct rg_at_end {
  struct rg_at_end *next;
  uint64_t depth;
  void (*give_up)(void *);
  void *what;
};
struct rg_members {
  void **all;
  uint64_t number, room;
};
struct rg_captures {
  const void *owner; /* the file whose kernels are captured */
  int active;
  struct rg_members streams, events;
  struct rg_graph_block *blocks;
  struct rg_known *known;
  struct rg_at_end *at_end;
  uint64_t depth;
};
_Thread_local struct rg_captures rg_captures;

static void __attribute__((noreturn)) fail(const char *what, const char *name) {
  fprintf(stderr, "retrograd: a derivative met %s%s%s%s [RG2203]\n", what,
          name ? " '" : "", name ? name : "", name ? "'" : "");
  abort();
}
static int has(const struct rg_members *m, const void *one) {
  for (uint64_t i = 0; i < m->number; ++i)
    if (m->all[i] == one)
      return 1;
  return 0;
}
static void take(struct rg_members *m, void *one) {
  if (has(m, one))
    return;
  if (m->number == m->room) {
    m->room = m->room ? 2 * m->room : 8;
    if (!(m->all = realloc(m->all, m->room * sizeof *m->all)))
      fail("a capture that is too large for the host's memory", NULL);
  }
  m->all[m->number++] = one;
}
static void drop(struct rg_members *m, const void *one) {
  for (uint64_t i = 0; i < m->number; ++i)
    if (m->all[i] == one)
      m->all[i--] = m->all[--m->number];
}

/* The file that the capture to come belongs to. */
void rg_capture_owner(const void *owner) {
  if (!rg_captures.active)
    rg_captures.owner = owner;
}
int rg_capture_begin(void *stream) {
  if (rg_captures.active)
    fail("a capture that begins in a thread where another has not ended: it is",
         "cudaStreamBeginCapture");
  rg_captures.active = 1;
  rg_captures.streams.number = rg_captures.events.number = 0;
  take(&rg_captures.streams, stream);
  return 0;
}
int rg_capture_end(void *stream) {
  if (!rg_captures.active || !has(&rg_captures.streams, stream))
    fail("the end of a capture that did not begin in this stream and thread: "
         "it is",
         "cudaStreamEndCapture");
  rg_captures.active = 0;
  return 0;
}
/* While a node is added: the stream of the work that becomes one. */
static char rg_adding;
void *rg_capture_adding(void) {
  if (rg_captures.active)
    fail("a node that is added to a graph while a stream is being captured in "
         "the same thread",
         NULL);
  rg_captures.active = 1;
  rg_captures.streams.number = rg_captures.events.number = 0;
  take(&rg_captures.streams, &rg_adding);
  return &rg_adding;
}
void rg_capture_added(void) { rg_captures.active = 0; }
void rg_graph_unsupported(const char *what) { fail(what, NULL); }
int rg_capture_on(void *stream) {
  return rg_captures.active && has(&rg_captures.streams, stream);
}
/* The same, for a kernel or a routine of that file. */
int rg_capture_launch(void *stream, const void *owner, const char *kernel) {
  if (!rg_capture_on(stream))
    return 0;
  if (owner != rg_captures.owner)
    fail("a launch, or a call, in a stream whose capture began in another "
         "source file, of",
         kernel);
  return 1;
}
/* In front of what a graph cannot record. */
void rg_capture_refuse(void *stream, const char *name) {
  if (rg_capture_on(stream))
    fail("a call in a stream that is being captured, which graphs of "
         "derivatives do not record, of",
         name);
}
/* Of which it is not known what stream it works in. */
void rg_capture_refuse_any(const char *name) {
  if (rg_captures.active)
    fail("a call while a stream is being captured, which graphs of derivatives "
         "do not record, of",
         name);
}
void rg_capture_no_result(const char *name) {
  fail("a call that gives the host a number while its stream is being captured "
       "(let the handle's pointer mode be that of the device), of",
       name);
}
/* A call that a graph has made again. */
void rg_graph_call_done(int status, const char *name) {
  if (status)
    fail("a launch of a graph in which a library's call failed, of", name);
}
void rg_graph_at_end(void (*give_up)(void *), void *what) {
  struct rg_at_end *e = malloc(sizeof *e);
  if (!e)
    fail("a graph that is too large for the host's memory", NULL);
  *e = (struct rg_at_end){rg_captures.at_end, rg_captures.depth, give_up, what};
  rg_captures.at_end = e;
}
int rg_capture_record(void *event, void *stream) {
  if (rg_capture_on(stream)) {
    take(&rg_captures.events, event);
    return 0;
  }
  drop(&rg_captures.events, event);
  return cudaEventRecord(event, stream);
}
int rg_capture_record_with(void *event, void *stream, unsigned flags) {
  (void)flags;
  return rg_capture_record(event, stream);
}
int rg_capture_wait(void *stream, void *event, unsigned flags) {
  if (!rg_captures.active || !has(&rg_captures.events, event))
    return cudaStreamWaitEvent(stream, event, flags);
  take(&rg_captures.streams, stream);
  return 0;
}

static struct rg_known *find(const void *graph) {
  struct rg_known *k = rg_captures.known;
  while (k && k->graph != graph)
    k = k->next;
  return k;
}
/* A graph is made: of what this thread has captured, or as `of` is. */
void rg_graph_know(const void *graph, const void *of) {
  const void *owner = rg_captures.owner;
  if (of) {
    const struct rg_known *k = find(of);
    if (!k)
      fail("a graph that it has not captured itself: capture it in the "
           "differentiated function",
           NULL);
    owner = k->owner;
  }
  struct rg_known *k = find(graph);
  if (k) {
    k->owner = owner;
    return;
  }
  if (!(k = malloc(sizeof *k)))
    fail("a graph that is too large for the host's memory", NULL);
  *k = (struct rg_known){graph, owner, rg_captures.depth, rg_captures.known};
  rg_captures.known = k;
}
/* A graph that becomes part of another one. */
void rg_graph_join(const void *graph, const void *child) {
  const struct rg_known *a = find(graph), *b = find(child);
  if (!a || !b || (a->owner && b->owner && a->owner != b->owner))
    fail("a child graph that was made elsewhere than the graph around it: make "
         "both in one source file, in the differentiated function",
         NULL);
}
/* In front of a launch. */
void rg_graph_check(const void *exec, void *stream, const void *owner) {
  const struct rg_known *k = find(exec);
  if (!k)
    fail("a launch of a graph that it has not captured itself: capture it in "
         "the differentiated function",
         NULL);
  if (k->owner != owner)
    fail("a launch of a graph that was captured in another source file: "
         "capture and launch it in one",
         NULL);
  rg_capture_refuse(stream, "cudaGraphLaunch");
}

int rg_graph_upload(void *exec, void *stream) {
  (void)exec, (void)stream;
  return 0;
}
int rg_graph_destroy(void *graph) {
  (void)graph;
  return 0;
}

void *rg_graph_alloc(uint64_t bytes) {
  struct rg_graph_block *b = calloc(1, sizeof *b + bytes);
  if (!b)
    fail("a graph that is too large for the host's memory", NULL);
  b->next = rg_captures.blocks;
  b->depth = rg_captures.depth;
  rg_captures.blocks = b;
  return b->bytes;
}
void *rg_graph_alloc_shadow(uint64_t bytes) { return rg_graph_alloc(bytes); }
/* Blocks go with the derivative. */
void rg_graph_free(void *block) { (void)block; }

/* Around a derivative. */
uint64_t rg_graphs_begin(void) { return rg_captures.depth++; }
void rg_graphs_end(uint64_t depth) {
  while (rg_captures.at_end && rg_captures.at_end->depth > depth) {
    struct rg_at_end *e = rg_captures.at_end;
    rg_captures.at_end = e->next;
    e->give_up(e->what);
    free(e);
  }
  while (rg_captures.blocks && rg_captures.blocks->depth > depth) {
    struct rg_graph_block *b = rg_captures.blocks;
    rg_captures.blocks = b->next;
    free(b);
  }
  while (rg_captures.known && rg_captures.known->depth > depth) {
    struct rg_known *k = rg_captures.known;
    rg_captures.known = k->next;
    free(k);
  }
  rg_captures.depth = depth;
  if (!depth) {
    free(rg_captures.streams.all);
    free(rg_captures.events.all);
    rg_captures.streams = rg_captures.events = (struct rg_members){0};
    rg_captures.active = 0;
  }
}
