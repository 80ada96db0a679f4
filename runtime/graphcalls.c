/*===- graphcalls.c - what calls of CUDA's graphs stand for in derivatives
----===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Bodies that are differentiated. What a stream captures is a list of its
operations
|* in ordinary memory, so pointers in it have shadows, and numbers that kernels
are
|* given have adjoints there. A launch of a graph walks over the list and makes
the
|* operations, which have reverses. The compiler writes what kernels take
|* (lib/Parallel/LaunchGraphs.cpp); graphs.c knows which streams capture.
\*===------------------------------------------------------------------------===*/
#include <stddef.h>
#include <stdint.h>

/* `of` has an element for each kind of operation, of which one is used: so the
 * operands of one kind are told from those of all others by where they are
 * found. */
struct rg_node {
  struct rg_node *next;
  int64_t what;
  void *handle; /* what the program calls it; several elements may be one node */
  int64_t sort; /* of node, to CUDA */
  void *of[];
};
enum { NOTHING = -1 }; /* else a kernel, a routine, or a place that asks for a copy */
struct rg_graph {
  struct rg_node *first, *last;
};
/* What is being captured in this thread. */
_Thread_local struct rg_graph *rg_graph_now;
/* The handle of the node that is being added; null in a capture. */
_Thread_local void *rg_graph_handle;

void *rg_graph_alloc(uint64_t bytes);
int rg_capture_begin(void *stream);
int rg_capture_end(void *stream);
int rg_capture_on(void *stream);
void rg_graph_know(const void *graph, const void *of);
void rg_graph_join(const void *graph, const void *child);
static inline __attribute__((always_inline)) void
append_to(struct rg_graph *g, struct rg_node *n) {
  if (g->last)
    g->last->next = n;
  else
    g->first = n;
  g->last = n;
}
static inline __attribute__((always_inline)) void append(struct rg_node *n) {
  n->handle = rg_graph_handle;
  append_to(rg_graph_now, n);
}
void rg_expand_graph_append(struct rg_node *n) { append(n); }

/* A number that a library takes by address. One of the host's is what it is when the
 * stream captures the call. */
const void *rg_expand_captured_number(const void *p, long bytes, int on_host) {
  if (!on_host)
    return p;
  void *kept = rg_graph_alloc(bytes);
  __builtin_memcpy(kept, p, bytes);
  return kept;
}

/* Nodes that the program adds: elements like those of a capture, in the order in
 * which it adds them. What a node depends on is there before. */
void *rg_capture_adding(void);
void rg_capture_added(void);
void rg_graph_unsupported(const char *what);
int rg_expand_graph_create(void **graph, unsigned flags) {
  struct rg_graph *g = rg_graph_alloc(sizeof *g);
  (void)flags;
  g->first = NULL, g->last = NULL;
  *graph = g;
  rg_graph_know(g, NULL);
  return 0;
}
/* Around what adds an element: the stream of the work that becomes one. The handle
 * says of which graph the node is (lib/Parallel/LaunchGraphs.cpp). */
static inline __attribute__((always_inline)) void *
add_to(struct rg_graph *graph) {
  void **handle = rg_graph_alloc(sizeof *handle);
  *handle = graph;
  rg_graph_now = graph;
  rg_graph_handle = handle;
  return rg_capture_adding();
}
static inline __attribute__((always_inline)) int added(void **node) {
  *node = rg_graph_handle;
  rg_graph_handle = NULL;
  rg_capture_added();
  return 0;
}
void *rg_expand_graph_add(struct rg_graph *graph) { return add_to(graph); }
int rg_expand_graph_added(void **node) { return added(node); }

int rg_expand_graph_add_empty(void **node, struct rg_graph *graph,
                              const void *after, size_t number) {
  struct rg_node *n = rg_graph_alloc(sizeof *n);
  (void)after, (void)number;
  add_to(graph);
  n->next = NULL, n->what = NOTHING, n->sort = NOTHING;
  append(n);
  return added(node);
}
/* What a node of cudaMemsetParams fills memory with. */
int rg_expand_graph_fill_byte(unsigned value, unsigned element) {
  unsigned byte = value & 0xff;
  for (unsigned i = 1; i < element; ++i)
    if ((value >> 8 * i & 0xff) != byte)
      rg_graph_unsupported("a node of a graph that fills memory with words of different bytes: it is added by cudaGraphAddMemsetNode");
  return (int)byte;
}

/* A list like that of a graph, of elements of its own, to which the compiler adds a
 * copy of each of the graph's: it knows how many words they have. */
void *rg_expand_graph_list(struct rg_graph *of) {
  struct rg_graph *g = rg_graph_alloc(sizeof *g);
  g->first = NULL, g->last = NULL;
  rg_graph_know(g, of);
  return g;
}
void rg_expand_graph_list_add(struct rg_graph *list, struct rg_node *n,
                              const struct rg_node *of) {
  n->next = NULL, n->what = of->what, n->handle = of->handle, n->sort = of->sort;
  append_to(list, n);
}
/* Child: a list that is nobody else's, as is that of the next three. */
int rg_expand_graph_add_child(void **node, struct rg_graph *graph,
                              const void *after, size_t number,
                              struct rg_graph *child) {
  (void)after, (void)number;
  rg_graph_join(graph, child);
  add_to(graph);
  for (struct rg_node *n = child->first; n; n = n->next)
    n->handle = rg_graph_handle;
  if (child->first) {
    append_to(graph, child->first);
    graph->last = child->last;
  }
  return added(node);
}
/* The order of the list has to be one that they allow. */
int rg_expand_graph_order(const struct rg_graph *graph, void *const *from,
                          void *const *to, size_t number) {
  for (size_t i = 0; i < number; ++i) {
    int seen = 0;
    for (const struct rg_node *n = graph->first; n; n = n->next) {
      seen |= n->handle == to[i];
      if (seen && n->handle == from[i])
        rg_graph_unsupported(
            "a node of a graph that is to run behind one that was added later: "
            "it is said by cudaGraphAddDependencies");
    }
  }
  return 0;
}

/* Around what makes the operation that a node of a graph, instantiated or not,
 * becomes: it goes to a list of its own, which takes the place of the node's
 * elements. */
static inline __attribute__((always_inline)) void *change(void) {
  struct rg_graph *g = rg_graph_alloc(sizeof *g);
  g->first = NULL, g->last = NULL;
  return add_to(g);
}
static inline __attribute__((always_inline)) int changed(struct rg_graph *exec,
                                                         void *node) {
  struct rg_graph *made = rg_graph_now;
  struct rg_node *before = NULL, *n = exec->first;
  rg_graph_handle = NULL;
  rg_capture_added();
  while (n && n->handle != node)
    before = n, n = n->next;
  if (!n || !made->first)
    return 1; /* invalid value */
  while (n && n->handle == node)
    n = n->next;
  for (struct rg_node *m = made->first; m; m = m->next)
    m->handle = node;
  if (before)
    before->next = made->first;
  else
    exec->first = made->first;
  made->last->next = n;
  if (!n)
    exec->last = made->last;
  return 0;
}
void *rg_expand_graph_change(struct rg_graph *exec) {
  (void)exec;
  return change();
}
int rg_expand_graph_changed(struct rg_graph *exec, void *node) {
  return changed(exec, node);
}
int rg_expand_graph_begin(void *stream, int mode) {
  (void)mode;
  int error = rg_capture_begin(stream);
  struct rg_graph *g = rg_graph_alloc(sizeof *g);
  g->first = NULL, g->last = NULL;
  rg_graph_now = g;
  return error;
}
int rg_expand_graph_end(void *stream, void **graph) {
  struct rg_graph *g = rg_graph_now;
  *graph = g;
  rg_graph_know(g, NULL);
  return rg_capture_end(stream);
}
/* What is launched has a list like that of the graph as it is now. */
int rg_expand_graph_instantiate(void **exec, struct rg_graph *list,
                                unsigned long long flags) {
  (void)flags;
  *exec = list;
  return 0;
}
int rg_expand_graph_clone(void **copy, struct rg_graph *list) {
  return rg_expand_graph_instantiate(copy, list, 0);
}
int rg_expand_graph_nodes(const struct rg_graph *graph, void **nodes,
                          size_t *number) {
  size_t count = 0;
  if (nodes)
    return 801; /* not supported */
  for (const struct rg_node *n = graph->first; n; n = n->next)
    ++count;
  *number = count;
  return 0;
}
struct rg_update {
  int result;
  void *node, *from;
};
/* CUDA takes no graph of other operations. Kernels may be others. */
enum { UPDATE_FAILED = 910, TOPOLOGY_CHANGED = 2 };
int rg_expand_graph_update(struct rg_graph *exec, struct rg_graph *list, struct rg_update *result) {
  const struct rg_node *a = exec->first;
  struct rg_node *b = list->first;
  while (a && b && a->sort == b->sort)
    a = a->next, b = b->next;
  int same = !a && !b;
  if (result)
    result->result = same ? 0 : TOPOLOGY_CHANGED, result->node = NULL, result->from = NULL;
  if (!same)
    return UPDATE_FAILED;
  for (a = exec->first, b = list->first; a && b; a = a->next, b = b->next)
    b->handle = a->handle; /* by which the program knows it */
  rg_graph_know(exec, list);
  exec->first = list->first, exec->last = list->last;
  return 0;
}
int rg_expand_capture_status(void *stream, int *status) {
  *status = rg_capture_on(stream);
  return 0;
}
