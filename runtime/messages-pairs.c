/*===- messages-pairs.c - from one rank to another ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The adjoint of a message goes back in one packet, with a tag of ours,
|* and with the number of the message among those of its stream
|* (communicator, ranks, tag). Both ends count: the sender as it sends; the
|* receiver in the order in which its receives were posted, since MPI
|* matches in that order. So it does not matter in which order either end
|* takes back its messages.
|*
|* Packets are sent without waiting (rg_mpi_send_later): whoever takes back a
|* receive never waits, and a send is taken back when its packet is there.
\*===------------------------------------------------------------------------===*/
#include "messages.h"
#include <stdlib.h>
#include <string.h>

typedef struct rg_message {
  rg_undo head;
  struct rg_message *next; /* unsettled */
  const char *routine;
  rg_comm *comm;
  const rg_layout *layout;
  int sends, count;
  int peer, tag;         /* may be any, until it is complete */
  int numbered, matched; /* matched: by a probe, and not yet received */
  int64_t number;
  uint64_t lanes;
  int active;
  void *shadow[];
} rg_message;

/*===- Numbers -----------------------------------------------------------===*/

static int64_t next_number(rg_comm *c, int peer, int tag, int outgoing) {
  rg_stream *s = c->streams;
  while (s && !(s->peer == peer && s->tag == tag && s->outgoing == outgoing))
    s = s->next;
  if (!s) {
    s = rg_mpi_memory(NULL, sizeof *s);
    *s = (rg_stream){c->streams, peer, tag, outgoing, 0};
    c->streams = s;
  }
  return s->count++;
}

static int is_any(const rg_message *m) {
  return m->peer == RG_ANY_SOURCE || m->tag == RG_ANY_TAG;
}

/* Gives numbers to receives, in the order in which they were posted; those that
 * an earlier one may still compete with have to wait for it. */
static void settle(rg_comm *c) {
  for (rg_message **at = &c->unsettled; *at;) {
    rg_message *m = *at;
    int known = !is_any(m) && !m->matched;
    for (const rg_message *e = c->unsettled; known && e != m; e = e->next)
      known = !((e->peer == RG_ANY_SOURCE || e->peer == m->peer) &&
                (e->tag == RG_ANY_TAG || e->tag == m->tag));
    if (!known) {
      at = &m->next;
      continue;
    }
    m->number = next_number(c, m->peer, m->tag, 0);
    m->numbered = 1;
    *at = m->next;
    if (!m->next)
      c->unsettled_end = at;
  }
}

static void number(rg_message *m) {
  rg_mpi_lock();
  if (m->sends) {
    m->number = next_number(m->comm, m->peer, m->tag, 1);
    m->numbered = 1;
  } else {
    m->next = NULL;
    *m->comm->unsettled_end = m;
    m->comm->unsettled_end = &m->next;
    settle(m->comm);
  }
  rg_mpi_unlock();
}

static int64_t number_of(rg_message *m) {
  if (!m->numbered) {
    rg_mpi_lock();
    settle(m->comm);
    rg_mpi_unlock();
  }
  if (!m->numbered)
    rg_mpi_stop(m->routine,
                "a receive with MPI_ANY_SOURCE or MPI_ANY_TAG that was posted "
                "earlier is still open, "
                "and it is not known which of two messages of rank %d with tag "
                "%d it takes",
                m->peer, m->tag);
  return m->number;
}

/*===- Packets -----------------------------------------------------------===*/

static int tag_of(const rg_message *m) { return m->comm->shift + m->tag; }

static int64_t numbers_in(const rg_message *m) {
  return rg_mpi_numbers(m->layout, m->count);
}

/* Shadows of all lanes, on their way; as adjoints they are gone here. */
static void give(rg_message *m, int tangent) {
  int64_t n = m->active ? numbers_in(m) : 0;
  const rg_layout *layout = m->layout;
  rg_run *of_marks = NULL;
  const int marked = n && layout->marked && !tangent;
  const size_t runs = marked ? (size_t)rg_mpi_all_runs(layout, m->shadow[0],
                                                       m->count, &of_marks)
                      : n && layout->period ? (size_t)layout->runs
                                            : 0;
  size_t bytes = sizeof(rg_packet) + (size_t)n * m->lanes * sizeof(double) +
                 runs * sizeof(rg_run);
  rg_packet *p = rg_mpi_memory(NULL, bytes);
  *p = (rg_packet){number_of(m),       tangent,        n,
                   (int64_t)m->lanes, marked ? RG_ONCE : layout->period,
                   (int64_t)runs};
  double *to = p->data;
  for (uint64_t l = 0; n && l < m->lanes; ++l) {
    if (marked) {
      memset(to, 0, (size_t)n * sizeof *to);
      rg_mpi_give_marked(m->routine, layout, of_marks, (int64_t)runs,
                         m->shadow[l], m->count, (char *)to);
      to += n;
      continue;
    }
    to = rg_mpi_pack(m->layout, m->shadow[l], m->count, to);
    if (!tangent)
      rg_mpi_zero(m->layout, m->shadow[l], m->count);
  }
  if (runs)
    memcpy(to, marked ? of_marks : layout->run, runs * sizeof(rg_run));
  free(of_marks);
  rg_mpi_send_later(m->comm, m->peer, tag_of(m), p, bytes);
}

/* A byte is of a number of another kind, or at another place, at the other end
 * of a message of bytes. What only one end knows, the other never looks at. */
static int disagree(const rg_layout *l, const rg_run *runs, int64_t n) {
  static const int sizes[] = {8, 4, sizeof(long double), 8, 1};
  for (int r = 0; r < l->runs; ++r)
    for (int64_t k = 0; k < n; ++k) {
      const rg_run *a = &l->run[r], *b = &runs[k];
      const int size = sizes[a->kind];
      if (a->at >= b->at + b->count * sizes[b->kind] ||
          b->at >= a->at + a->count * size)
        continue;
      if (rg_mpi_number_of(a->kind) != rg_mpi_number_of(b->kind) ||
          (a->at - b->at) % size)
        return 1;
    }
  return 0;
}
static void compare_ends(const rg_message *m, const rg_packet *p) {
  const rg_layout *l = m->layout;
  const rg_run *runs =
      (const rg_run *)(p->data + p->numbers * (int64_t)m->lanes);
  int by_words = p->period && p->period % 8 == 0;
  for (int64_t i = 0; i < p->runs; ++i)
    by_words &=
        rg_mpi_number_of(runs[i].kind) == RG_KIND_DOUBLE && runs[i].at % 8 == 0;
  if (p->period == l->period ? !l->period || !disagree(l, runs, p->runs)
                             : l->by_words && by_words)
    return;
  rg_mpi_stop(m->routine,
              "the two ends of a message of bytes take it for different numbers "
              "(rank %d, tag %d); say what they are by a datatype",
              m->peer, m->tag);
}

static rg_packet *read_packet(void *message, rg_status *status) {
  int bytes = 0;
  MPI_Get_count(status, RG_BYTE, &bytes);
  rg_packet *p = rg_mpi_memory(NULL, (size_t)bytes);
  MPI_Mrecv(p, bytes, RG_BYTE, message, status);
  return p;
}

/* For whoever asks for it, the oldest first. */
static void keep(rg_comm *c, int peer, int tag, rg_packet *p) {
  rg_early *e = rg_mpi_memory(NULL, sizeof *e);
  *e = (rg_early){NULL, peer, tag, p};
  rg_mpi_lock();
  rg_early **at = &c->early;
  while (*at)
    at = &(*at)->next;
  *at = e;
  rg_mpi_unlock();
}

static rg_packet *await(rg_message *m, int tangent) {
  int tag = tag_of(m);
  int64_t wanted = number_of(m);
  rg_comm *c = m->comm;
  rg_mpi_lock();
  for (rg_early **at = &c->early; *at; at = &(*at)->next) {
    rg_early *e = *at;
    if (e->peer == m->peer && e->tag == tag && e->packet->number == wanted &&
        e->packet->tangent == tangent) {
      rg_packet *p = e->packet;
      *at = e->next;
      free(e);
      rg_mpi_unlock();
      return p;
    }
  }
  rg_mpi_unlock();
  for (;;) {
    intptr_t message = 0;
    rg_status status;
    MPI_Mprobe(m->peer, tag, c->channel, &message, &status);
    rg_packet *p = read_packet(&message, &status);
    if (p->number == wanted && p->tangent == tangent)
      return p;
    keep(c, m->peer, tag, p);
  }
}

static void take(rg_message *m, int tangent) {
  rg_packet *p = await(m, tangent);
  if (p->lanes != (int64_t)m->lanes)
    rg_mpi_stop(m->routine,
                "rank %d differentiates %lld directions at once, this one %llu "
                "(tag %d)",
                m->peer, (long long)p->lanes, (unsigned long long)m->lanes,
                m->tag);
  if (p->numbers && p->numbers != numbers_in(m))
    rg_mpi_stop(m->routine,
                "%lld numbers at this end of a message, %lld at the other "
                "(rank %d, tag %d)",
                (long long)numbers_in(m), (long long)p->numbers, m->peer,
                m->tag);
  const int marked = !tangent && m->layout->period && p->period &&
                     (m->layout->marked || p->period == RG_ONCE);
  if (p->numbers && m->active && !marked && (p->period || m->layout->period))
    compare_ends(m, p);
  const double *from = p->data;
  const rg_run *runs = (const rg_run *)(from + p->numbers * p->lanes);
  for (uint64_t l = 0; m->active && l < m->lanes; ++l) {
    if (p->numbers && marked) {
      rg_mpi_take_marked(m->routine, m->layout, runs, p->runs, p->period,
                         m->shadow[l], m->count, (char *)(uintptr_t)from);
      from += p->numbers;
    } else if (p->numbers)
      from = rg_mpi_unpack(m->layout, m->shadow[l], m->count, from, !tangent);
    else if (tangent)
      rg_mpi_zero(m->layout, m->shadow[l], m->count);
  }
  free(p);
}

/*===- Messages ----------------------------------------------------------===*/

/* Reverse, where it was posted and where it was complete. */
static void undo_post(void *work) {
  rg_message *m = work;
  if (m->sends)
    take(m, 0);
}
static void undo_done(rg_undo *work) {
  rg_message *m = (rg_message *)work;
  if (!m->sends)
    give(m, 0);
}

static void complete(rg_undo *work, const rg_status *status) {
  rg_message *m = (rg_message *)work;
  if (m->sends)
    return;
  int bytes = 0;
  m->peer = rg_mpi_source(status);
  m->tag = rg_mpi_tag(status);
  if (m->tag > m->comm->tags)
    rg_mpi_stop(m->routine,
                "rank %d has already begun its derivative, and a receive with "
                "MPI_ANY_TAG has taken one of its messages; give the messages "
                "of this communicator tags that the receiver knows",
                m->peer);
  /* The handle of the type may be gone by now. */
  MPI_Get_count(status, RG_BYTE, &bytes);
  if (bytes % m->layout->size)
    rg_mpi_stop(m->routine,
                "a message of rank %d with tag %d ends within an element of "
                "its datatype",
                m->peer, m->tag);
  m->count = bytes / m->layout->size;
  rg_mpi_lock();
  settle(m->comm);
  rg_mpi_unlock();
}

static void arrive(rg_undo *work) {
  rg_message *m = (rg_message *)work;
  if (!m->sends)
    take(m, 1);
  free(m);
}

/* A message that is to be taken back, or accompanied; null where there is
 * nothing to do. */
static rg_message *message(rg_arena *arena, const char *routine, uint64_t lanes,
                           int sends, const rg_layout *layout,
                           void *const *shadows, int count, int peer, int tag,
                           rg_comm *comm) {
  rg_message *m = rg_mpi_memory(arena, sizeof *m + lanes * sizeof(void *));
  memset(m, 0, sizeof *m);
  m->head.reverse = undo_post;
  m->routine = routine;
  m->comm = comm;
  m->layout = layout;
  m->sends = sends;
  m->count = count;
  m->peer = peer;
  m->tag = tag;
  m->lanes = lanes;
  m->active = shadows != NULL;
  for (uint64_t l = 0; l < lanes; ++l) {
    m->shadow[l] = shadows ? shadows[l] : NULL;
    m->active &= m->shadow[l] != NULL;
  }
  return m;
}

/* Null where no numbers are sent, and nothing has to be done. */
static const rg_layout *layout_of(const char *routine, rg_handle type,
                                  void *const *shadows, int peer, int which,
                                  int *count) {
  if (peer == RG_PROC_NULL)
    return NULL;
  const rg_layout *l = rg_mpi_layout_of_buffer(type, routine, which, count);
  if (l->bytes && shadows && shadows[0])
    rg_mpi_stop(routine, "the message consists of bytes (MPI_BYTE, MPI_PACKED) "
                         "that may be active numbers; say "
                         "what they are by a datatype");
  return l->numbers ? l : NULL;
}

/* Posted: numbered, and in forward mode with its tangents on their way. */
static rg_message *post(rg_arena *arena, const char *routine, uint64_t lanes,
                        int sends, rg_handle type, void *const *shadows,
                        int count, int peer, int tag, rg_handle comm,
                        int which) {
  const rg_layout *l = layout_of(routine, type, shadows, peer, which, &count);
  if (!l)
    return NULL;
  rg_comm *c = rg_mpi_comm(comm);
  if (tag > c->tags)
    rg_mpi_stop(routine, "tag %d: tags above %d are reserved for derivatives",
                tag, c->tags);
  rg_message *m =
      message(arena, routine, lanes, sends, l, shadows, count, peer, tag, c);
  number(m);
  if (!arena && sends)
    give(m, 1);
  if (arena)
    rg_mpi_opened();
  return m;
}

/*===- Blocking routines -------------------------------------------------===*/

#define RG_SEND(name, Routine)                                                 \
  void *name(rg_arena *arena, uint64_t lanes, const void *buffer,              \
             void *const *shadows, int count, rg_handle type, int peer,        \
             int tag, rg_handle comm, int *result) {                           \
    rg_message *m = post(arena, #Routine, lanes, 1, type, shadows, count,      \
                         peer, tag, comm, 0);                                  \
    *result = Routine(buffer, count, type, peer, tag, comm);                   \
    if (!arena)                                                                \
      free(m);                                                                 \
    return arena ? m : NULL;                                                   \
  }
RG_SEND(rg_mpi_send, MPI_Send)
RG_SEND(rg_mpi_ssend, MPI_Ssend)
RG_SEND(rg_mpi_bsend, MPI_Bsend)
RG_SEND(rg_mpi_rsend, MPI_Rsend)

/* A receive that is complete where it was posted. */
static void undo_received(void *work) { undo_done(work); }

static void *received(rg_arena *arena, rg_message *m, const rg_status *status) {
  if (!m)
    return NULL;
  complete(&m->head, status);
  if (!arena) {
    arrive(&m->head);
    return NULL;
  }
  m->head.reverse = undo_received;
  return m;
}

static void hand_out(void *status, const rg_status *real) {
  if (!rg_mpi_ignores(status))
    memcpy(status, real, rg_mpi_status_bytes());
}

void *rg_mpi_recv(rg_arena *arena, uint64_t lanes, void *buffer,
                  void *const *shadows, int count, rg_handle type, int peer,
                  int tag, rg_handle comm, void *status, int *result) {
  rg_message *m =
      post(arena, "MPI_Recv", lanes, 0, type, shadows, count, peer, tag, comm, 0);
  rg_status real = {{0}};
  if (!rg_mpi_ignores(status))
    memcpy(&real, status, rg_mpi_status_bytes());
  rg_comm *c = m ? m->comm : NULL;
  if (c && c->shift && tag == RG_ANY_TAG) {
    /* Packets travel here, too: those are put aside. */
    intptr_t message = 0;
    for (;;) {
      MPI_Mprobe(peer, tag, comm, &message, &real);
      if (rg_mpi_tag(&real) <= c->tags)
        break;
      keep(c, rg_mpi_source(&real), rg_mpi_tag(&real),
           read_packet(&message, &real));
    }
    *result = MPI_Mrecv(buffer, count, type, &message, &real);
  } else {
    *result = MPI_Recv(buffer, count, type, peer, tag, comm, &real);
  }
  hand_out(status, &real);
  return received(arena, m, &real);
}

/*===- Matched probes ----------------------------------------------------===*/

/* A message is matched by the probe, and so has its place among the receives
 * there. Whether it has numbers, and a number, is known when it is received. */
struct rg_mpi_match {
  struct rg_mpi_match *next;
  intptr_t handle;
  rg_message *message;
} *rg_mpi_matches;

static int is_no_process(rg_handle message) {
  extern char ompi_message_no_proc[] __attribute__((weak));
  return message == RG_MPI_HANDLE(ompi_message_no_proc, 0x6c000000);
}

static void matched(rg_arena *arena, const char *routine, uint64_t lanes,
                    rg_handle comm, const void *message_at,
                    const rg_status *status) {
  rg_handle handle = rg_mpi_handle_at(message_at, 0);
  if (is_no_process(handle))
    return;
  rg_message *m =
      message(arena, routine, lanes, 0, NULL, NULL, 0, rg_mpi_source(status),
              rg_mpi_tag(status), rg_mpi_comm(comm));
  struct rg_mpi_match *match = rg_mpi_memory(NULL, sizeof *match);
  m->matched = 1;
  number(m);
  rg_mpi_lock();
  *match = (struct rg_mpi_match){rg_mpi_matches, handle, m};
  rg_mpi_matches = match;
  rg_mpi_unlock();
}

/* Looks until what is found is not a packet; those are put aside. */
static int probe(int peer, int tag, rg_handle comm, int *flag, void *message_at,
                 rg_status *status) {
  rg_comm *c = rg_mpi_comm(comm);
  for (;;) {
    int result = flag ? MPI_Improbe(peer, tag, comm, flag, message_at, status)
                      : MPI_Mprobe(peer, tag, comm, message_at, status);
    if ((flag && !*flag) || !c->shift || tag != RG_ANY_TAG ||
        is_no_process(rg_mpi_handle_at(message_at, 0)) ||
        rg_mpi_tag(status) <= c->tags)
      return result;
    keep(c, rg_mpi_source(status), rg_mpi_tag(status),
         read_packet(message_at, status));
  }
}

void *rg_mpi_mprobe(rg_arena *arena, uint64_t lanes, int peer, int tag,
                    rg_handle comm, void *message_at, void *status,
                    int *result) {
  rg_status real = {{0}};
  *result = probe(peer, tag, comm, NULL, message_at, &real);
  matched(arena, "MPI_Mprobe", lanes, comm, message_at, &real);
  hand_out(status, &real);
  return NULL;
}
void *rg_mpi_improbe(rg_arena *arena, uint64_t lanes, int peer, int tag,
                     rg_handle comm, int *flag, void *message_at, void *status,
                     int *result) {
  rg_status real = {{0}};
  *result = probe(peer, tag, comm, flag, message_at, &real);
  if (*flag) {
    matched(arena, "MPI_Improbe", lanes, comm, message_at, &real);
    hand_out(status, &real);
  }
  return NULL;
}

/* What a probe has found, as the message that it is; null where there is
 * nothing to undo. */
static rg_message *found(rg_arena *arena, const char *routine, uint64_t lanes,
                         rg_handle type, void *const *shadows, int count,
                         const void *message_at) {
  rg_handle handle = rg_mpi_handle_at(message_at, 0);
  if (is_no_process(handle))
    return NULL;
  const rg_layout *l = layout_of(routine, type, shadows, 0, 0, &count);
  rg_mpi_lock();
  struct rg_mpi_match **at = &rg_mpi_matches;
  while (*at && (*at)->handle != handle)
    at = &(*at)->next;
  struct rg_mpi_match *match = *at;
  if (match)
    *at = match->next;
  rg_mpi_unlock();
  if (!match && !l)
    return NULL;
  if (!match)
    rg_mpi_stop(routine,
                "the message was not found by a probe of this derivative, so "
                "that nothing tells which one it is: call MPI_Mprobe in the "
                "differentiated function");
  rg_message *m = match->message;
  free(match);
  rg_mpi_lock();
  m->matched = 0;
  if (!l) { /* integers: as if it were not there */
    rg_message **link = &m->comm->unsettled;
    while (*link != m)
      link = &(*link)->next;
    *link = m->next;
    if (!m->next)
      m->comm->unsettled_end = link;
  }
  settle(m->comm);
  rg_mpi_unlock();
  if (!l) {
    if (!arena)
      free(m);
    return NULL;
  }
  m->routine = routine;
  m->layout = l;
  m->count = count;
  m->active = shadows != NULL;
  for (uint64_t i = 0; i < lanes; ++i) {
    m->shadow[i] = shadows ? shadows[i] : NULL;
    m->active &= m->shadow[i] != NULL;
  }
  if (arena)
    rg_mpi_opened();
  return m;
}
void *rg_mpi_mrecv(rg_arena *arena, uint64_t lanes, void *buffer,
                   void *const *shadows, int count, rg_handle type,
                   void *message_at, void *status, int *result) {
  rg_message *m =
      found(arena, "MPI_Mrecv", lanes, type, shadows, count, message_at);
  rg_status real = {{0}};
  *result = MPI_Mrecv(buffer, count, type, message_at, &real);
  hand_out(status, &real);
  return received(arena, m, &real);
}

typedef struct rg_exchange {
  rg_undo head;
  rg_message *sent, *received;
} rg_exchange;

static void undo_exchange(void *work) {
  rg_exchange *e = work;
  if (e->received)
    rg_mpi_reverse(e->received);
  if (e->sent)
    rg_mpi_reverse(e->sent);
}

static void *exchange(rg_arena *arena, rg_message *sent, rg_message *in,
                      const rg_status *status) {
  in = received(arena, in, status);
  if (!arena) {
    free(sent);
    return NULL;
  }
  if (!sent && !in)
    return NULL;
  rg_exchange *e = rg_mpi_memory(arena, sizeof *e);
  e->head.reverse = undo_exchange;
  e->sent = sent;
  e->received = in;
  rg_mpi_opened();
  return e;
}

void *rg_mpi_sendrecv(rg_arena *arena, uint64_t lanes, const void *from,
                      void *const *from_shadows, int from_count,
                      rg_handle from_type, int dest, int send_tag, void *to,
                      void *const *to_shadows, int to_count, rg_handle to_type,
                      int source, int recv_tag, rg_handle comm, void *status,
                      int *result) {
  rg_message *s = post(arena, "MPI_Sendrecv", lanes, 1, from_type, from_shadows,
                       from_count, dest, send_tag, comm, 0);
  rg_message *r = post(arena, "MPI_Sendrecv", lanes, 0, to_type, to_shadows,
                       to_count, source, recv_tag, comm, 1);
  rg_status real = {{0}};
  *result = MPI_Sendrecv(from, from_count, from_type, dest, send_tag, to,
                         to_count, to_type, source, recv_tag, comm, &real);
  hand_out(status, &real);
  return exchange(arena, s, r, &real);
}

void *rg_mpi_sendrecv_replace(rg_arena *arena, uint64_t lanes, void *buffer,
                              void *const *shadows, int count, rg_handle type,
                              int dest, int send_tag, int source, int recv_tag,
                              rg_handle comm, void *status, int *result) {
  rg_message *s = post(arena, "MPI_Sendrecv_replace", lanes, 1, type, shadows,
                       count, dest, send_tag, comm, 0);
  rg_message *r = post(arena, "MPI_Sendrecv_replace", lanes, 0, type, shadows,
                       count, source, recv_tag, comm, 0);
  rg_status real = {{0}};
  *result = MPI_Sendrecv_replace(buffer, count, type, dest, send_tag, source,
                                 recv_tag, comm, &real);
  hand_out(status, &real);
  return exchange(arena, s, r, &real);
}

/*===- Nonblocking routines ----------------------------------------------===*/

static void track(rg_message *m, const void *request) {
  rg_open *o = m ? rg_mpi_track(request) : NULL;
  if (!o)
    return;
  o->work = &m->head;
  o->complete = complete;
  o->undo = undo_done;
  o->arrive = arrive;
}

#define RG_ISEND(name, Routine)                                                \
  void *name(rg_arena *arena, uint64_t lanes, const void *buffer,              \
             void *const *shadows, int count, rg_handle type, int peer,        \
             int tag, rg_handle comm, void *request, int *result) {            \
    rg_message *m = post(arena, #Routine, lanes, 1, type, shadows, count,      \
                         peer, tag, comm, 0);                                  \
    *result = Routine(buffer, count, type, peer, tag, comm, request);          \
    track(m, request);                                                         \
    return arena ? m : NULL;                                                   \
  }
RG_ISEND(rg_mpi_isend, MPI_Isend)
RG_ISEND(rg_mpi_issend, MPI_Issend)
RG_ISEND(rg_mpi_ibsend, MPI_Ibsend)
RG_ISEND(rg_mpi_irsend, MPI_Irsend)

void *rg_mpi_irecv(rg_arena *arena, uint64_t lanes, void *buffer,
                   void *const *shadows, int count, rg_handle type, int peer,
                   int tag, rg_handle comm, void *request, int *result) {
  rg_message *m =
      post(arena, "MPI_Irecv", lanes, 0, type, shadows, count, peer, tag, comm, 0);
  *result = MPI_Irecv(buffer, count, type, peer, tag, comm, request);
  track(m, request);
  return arena ? m : NULL;
}

void *rg_mpi_imrecv(rg_arena *arena, uint64_t lanes, void *buffer,
                    void *const *shadows, int count, rg_handle type,
                    void *message_at, void *request, int *result) {
  rg_message *m =
      found(arena, "MPI_Imrecv", lanes, type, shadows, count, message_at);
  *result = MPI_Imrecv(buffer, count, type, message_at, request);
  track(m, request);
  return arena ? m : NULL;
}

/*===- Persistent requests -----------------------------------------------===*/

typedef struct rg_standing {
  const char *routine;
  rg_comm *comm;
  const rg_layout *layout;
  int sends, count, peer, tag;
  uint64_t lanes;
  void *shadow[];
} rg_standing;

static rg_undo *start(rg_arena *arena, void *what) {
  const rg_standing *s = what;
  rg_message *m = message(arena, s->routine, s->lanes, s->sends, s->layout,
                          s->shadow, s->count, s->peer, s->tag, s->comm);
  number(m);
  if (!arena && m->sends)
    give(m, 1);
  return &m->head;
}

static void stand(const char *routine, uint64_t lanes, int sends,
                  rg_handle type, void *const *shadows, int count, int peer,
                  int tag, rg_handle comm, const void *request) {
  const rg_layout *l = layout_of(routine, type, shadows, peer, 0, &count);
  rg_open *o = rg_mpi_track(request);
  if (!o)
    return;
  o->persistent = 1;
  o->depth = rg_mpi_depth;
  if (!l)
    return;
  rg_standing *s = rg_mpi_memory(NULL, sizeof *s + lanes * sizeof(void *));
  *s = (rg_standing){routine, rg_mpi_comm(comm), l, sends, count, peer, tag,
                     lanes};
  for (uint64_t i = 0; i < lanes; ++i)
    s->shadow[i] = shadows ? shadows[i] : NULL;
  o->what = s;
  o->start = start;
  o->complete = complete;
  o->undo = undo_done;
  o->arrive = arrive;
}

#define RG_INIT(name, Routine, sends)                                          \
  void *name(rg_arena *arena, uint64_t lanes, void *buffer,                    \
             void *const *shadows, int count, rg_handle type, int peer,        \
             int tag, rg_handle comm, void *request, int *result) {            \
    (void)arena;                                                               \
    *result = Routine(buffer, count, type, peer, tag, comm, request);          \
    stand(#Routine, lanes, sends, type, shadows, count, peer, tag, comm,       \
          request);                                                            \
    return NULL;                                                               \
  }
RG_INIT(rg_mpi_send_init, MPI_Send_init, 1)
RG_INIT(rg_mpi_ssend_init, MPI_Ssend_init, 1)
RG_INIT(rg_mpi_bsend_init, MPI_Bsend_init, 1)
RG_INIT(rg_mpi_rsend_init, MPI_Rsend_init, 1)
RG_INIT(rg_mpi_recv_init, MPI_Recv_init, 0)
