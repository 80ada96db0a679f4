/*===- messages.h - derivatives of MPI programs ---------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* For messages*.c alone; docs/Parallel.md, "Messages", has the protocols.
|*
|* Open MPI's handles are pointers, MPICH's are integers. Here both are words:
|* passed by value they are the same register, and where they lie in memory
|* rg_mpi_handle_at() knows their size. Constants are told apart at run time.
|* So one runtime serves both, and needs no mpi.h.
|*
|* A function for a routine of MPI:
|*
|*   void *rg_mpi_x(rg_arena *arena, uint64_t lanes, a [, sa], ..., R *result)
|*
|* runs the routine and stores what it returned. With an arena it returns what
|* rg_mpi_reverse() undoes (or null); without one it moves tangents, too. sa
|* follows a buffer: an array with the shadow of each lane, null or with null
|* elements where the buffer has none.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_MESSAGES_H
#define RETROGRAD_MESSAGES_H
#include "retrograd_runtime.h"

typedef intptr_t rg_handle;

/*===- What the routines of MPI look like here ----------------------------===*/

int MPI_Initialized(int *);
int MPI_Abort(rg_handle, int);
int MPI_Comm_rank(rg_handle, int *);
int MPI_Comm_size(rg_handle, int *);
int MPI_Comm_free(void *);
int MPI_Comm_dup(rg_handle, void *);
int PMPI_Init(void *, void *);
int PMPI_Init_thread(void *, void *, int, int *);
int MPI_Init(void *, void *);
int MPI_Init_thread(void *, void *, int, int *);
void pmpi_init_(int *);
void pmpi_init_thread_(const int *, int *, int *);
int PMPI_Op_create(void *, int, void *);
int MPI_Op_create(void *, int, void *);
void pmpi_op_create_(void *, const int *, int *, int *);
void mpi_op_create_(void *, const int *, int *, int *);
void mpi_init_(int *);
void mpi_init_thread_(const int *, int *, int *);
int MPI_Comm_test_inter(rg_handle, int *);
int MPI_Comm_create_keyval(void *, void *, int *, void *);
int MPI_Comm_get_attr(rg_handle, int, void *, int *);
int MPI_Comm_set_attr(rg_handle, int, void *);
int MPI_Type_get_envelope(rg_handle, int *, int *, int *, int *);
int MPI_Type_get_contents(rg_handle, int, int, int, int *, intptr_t *, void *);
int MPI_Type_get_extent(rg_handle, intptr_t *, intptr_t *);
int MPI_Type_get_name(rg_handle, char *, int *);
int MPI_Type_size(rg_handle, int *);
int MPI_Type_free(void *);
int MPI_Get_count(const void *, rg_handle, int *);
int MPI_Send(const void *, int, rg_handle, int, int, rg_handle);
int MPI_Ssend(const void *, int, rg_handle, int, int, rg_handle);
int MPI_Bsend(const void *, int, rg_handle, int, int, rg_handle);
int MPI_Rsend(const void *, int, rg_handle, int, int, rg_handle);
int MPI_Recv(void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Isend(const void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Issend(const void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Ibsend(const void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Irsend(const void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Irecv(void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Send_init(const void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Ssend_init(const void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Bsend_init(const void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Rsend_init(const void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Recv_init(void *, int, rg_handle, int, int, rg_handle, void *);
int MPI_Start(void *);
int MPI_Startall(int, void *);
int MPI_Request_free(void *);
int MPI_Sendrecv(const void *, int, rg_handle, int, int, void *, int, rg_handle,
                 int, int, rg_handle, void *);
int MPI_Sendrecv_replace(void *, int, rg_handle, int, int, int, int, rg_handle,
                         void *);
int MPI_Mprobe(int, int, rg_handle, void *, void *);
int MPI_Improbe(int, int, rg_handle, int *, void *, void *);
int MPI_Mrecv(void *, int, rg_handle, void *, void *);
int MPI_Imrecv(void *, int, rg_handle, void *, void *);
int MPI_Pack(const void *, int, rg_handle, void *, int, int *, rg_handle);
int MPI_Unpack(const void *, int, int *, void *, int, rg_handle, rg_handle);
int MPI_Wait(void *, void *);
int MPI_Waitall(int, void *, void *);
int MPI_Waitany(int, void *, int *, void *);
int MPI_Waitsome(int, void *, int *, int *, void *);
int MPI_Test(void *, int *, void *);
int MPI_Testall(int, void *, int *, void *);
int MPI_Testany(int, void *, int *, int *, void *);
int MPI_Testsome(int, void *, int *, int *, void *);

/*===- The two implementations --------------------------------------------===*/

extern char ompi_mpi_comm_world[] __attribute__((weak));
extern char ompi_mpi_comm_self[] __attribute__((weak));
extern char ompi_mpi_byte[] __attribute__((weak));
extern char ompi_mpi_double[] __attribute__((weak));
extern char ompi_mpi_op_sum[] __attribute__((weak));
extern char ompi_mpi_op_prod[] __attribute__((weak));
extern char ompi_mpi_op_min[] __attribute__((weak));
extern char ompi_mpi_op_max[] __attribute__((weak));
extern char ompi_mpi_op_minloc[] __attribute__((weak));
extern char ompi_mpi_op_maxloc[] __attribute__((weak));
extern char ompi_request_null[] __attribute__((weak));

static inline int rg_mpi_is_open(void) { return ompi_mpi_comm_world != NULL; }
#define RG_MPI_HANDLE(open, mpich)                                             \
  (rg_mpi_is_open() ? (rg_handle)(open) : (rg_handle)(int)(mpich))
#define RG_COMM_WORLD RG_MPI_HANDLE(ompi_mpi_comm_world, 0x44000000)
#define RG_COMM_SELF RG_MPI_HANDLE(ompi_mpi_comm_self, 0x44000001)
#define RG_BYTE RG_MPI_HANDLE(ompi_mpi_byte, 0x4c00010d)
#define RG_DOUBLE RG_MPI_HANDLE(ompi_mpi_double, 0x4c00080b)
#define RG_SUM RG_MPI_HANDLE(ompi_mpi_op_sum, 0x58000003)
#define RG_REQUEST_NULL RG_MPI_HANDLE(ompi_request_null, 0x2c000000)
#define RG_ANY_SOURCE (rg_mpi_is_open() ? -1 : -2)
#define RG_PROC_NULL (rg_mpi_is_open() ? -2 : -1)
#define RG_ANY_TAG (-1)
#define RG_UNDEFINED (-32766)
#define RG_IN_PLACE ((void *)(rg_mpi_is_open() ? (intptr_t)1 : (intptr_t)-1))
#define RG_TAG_UB (rg_mpi_is_open() ? 0 : 0x64400001)
/* Open MPI numbers its kinds of derived types from 0, MPICH from 1. */
enum {
  RG_NAMED,
  RG_DUP,
  RG_CONTIGUOUS,
  RG_VECTOR,
  RG_HVECTOR_INTEGER,
  RG_HVECTOR,
  RG_INDEXED,
  RG_HINDEXED_INTEGER,
  RG_HINDEXED,
  RG_INDEXED_BLOCK,
  RG_STRUCT_INTEGER,
  RG_STRUCT,
  RG_SUBARRAY,
  RG_DARRAY,
  RG_F90_REAL,
  RG_F90_COMPLEX,
  RG_F90_INTEGER,
  RG_RESIZED,
  RG_HINDEXED_BLOCK
};

typedef union rg_status { /* the larger of the two */
  char bytes[24];
  int words[6];
} rg_status;
static inline size_t rg_mpi_status_bytes(void) {
  return rg_mpi_is_open() ? 24 : 20;
}
static inline int rg_mpi_source(const rg_status *s) {
  return s->words[rg_mpi_is_open() ? 0 : 2];
}
static inline int rg_mpi_tag(const rg_status *s) {
  return s->words[rg_mpi_is_open() ? 1 : 3];
}
static inline int rg_mpi_ignores(const void *status) {
  return status == (const void *)(rg_mpi_is_open() ? (intptr_t)0 : (intptr_t)1);
}
static inline rg_handle rg_mpi_handle_at(const void *handles, ptrdiff_t i) {
  return rg_mpi_is_open() ? ((const intptr_t *)handles)[i]
                          : (rg_handle)((const int *)handles)[i];
}

/*===- Layouts: where a datatype has numbers ------------------------------===*/

enum {
  RG_KIND_DOUBLE,
  RG_KIND_FLOAT,
  RG_KIND_LONG_DOUBLE,
  RG_KIND_WORD, /* a double, or something else whose shadow is zero or an
                 * address */
  RG_KIND_RAW   /* tangents: whatever it is */
};
/* What a number of this kind is that a word may hold. */
static inline int rg_mpi_number_of(int kind) {
  return kind == RG_KIND_WORD ? RG_KIND_DOUBLE : kind;
}
typedef struct rg_run {
  ptrdiff_t at;
  int kind, count;
  ptrdiff_t packed; /* where MPI_Pack puts it */
} rg_run;
typedef struct rg_layout {
  struct rg_layout *next;
  ptrdiff_t extent;
  int numbers; /* per element */
  int size;    /* bytes of an element in a message */
  int runs;
  int bytes;   /* has bytes that may be anything; 2: packed ones alone */
  int complex; /* numbers are parts of complex ones */
  /* Of a pair, for MPI_MINLOC: how large the index is (0: none; negative: a
   * floating-point number), and where. */
  int index;
  ptrdiff_t index_at;
  /* Of bytes (MPI_BYTE) of which the compiler knows what they are: how often
   * the runs repeat. Elements are bytes then, and what is packed is an image of
   * them, with zeros where there is no number. */
  ptrdiff_t period;
  int by_words; /* whole words, as doubles: sums of images mean something */
  int marked;   /* marks tell of further numbers */
  int strict;   /* nothing else is active */
  rg_run run[];
} rg_layout;
/* Numbers that an image, or what is packed of other layouts, takes. */
static inline int64_t rg_mpi_numbers(const rg_layout *l, int64_t count) {
  return l->period ? (count + 7) / 8 : count * l->numbers;
}

const rg_layout *rg_mpi_layout(rg_handle type, const char *routine);
/* Of the buffer of a routine, the first or the second, of count elements; null:
 * of several counts. */
const rg_layout *rg_mpi_layout_of_buffer(rg_handle type, const char *routine,
                                         int which, int *count);
/* What is told of the next routine's buffers. */
extern _Thread_local const char *rg_mpi_told[2];
double *rg_mpi_pack(const rg_layout *l, const void *from, int count,
                    double *to);
void rg_mpi_zero(const rg_layout *l, void *at, int count);
const double *rg_mpi_unpack(const rg_layout *l, void *to, int count,
                            const double *from, int add);
int64_t rg_mpi_bytes_of(int kind);
/* One number is taken, cleared, put or added to. */
enum { RG_TAKE, RG_CLEAR, RG_PUT, RG_ADD };
void rg_mpi_one(int what, int kind, char *at, char *image, int beside_others);
int rg_mpi_beside_others(void);

/*===- Marks: which bytes of a packed buffer are numbers ------------------===*/

/* In the reverse sweep, until the message or the packing that they came by is
 * undone (messages-packed.c). By the shadow's address. */
void rg_mpi_mark(char *at, int kind, int64_t count);
void rg_mpi_unmark(const char *at, int64_t bytes);
/* All numbers of a buffer, those that the layout knows and those that are
 * marked, as runs that do not repeat; how many. The runs are the caller's to
 * free. */
int64_t rg_mpi_all_runs(const rg_layout *l, const char *at, int64_t bytes,
                        rg_run **runs);
/* They are taken to an image, and are gone. */
void rg_mpi_give_marked(const char *routine, const rg_layout *l,
                        const rg_run *runs, int64_t n, char *at, int64_t bytes,
                        char *image);
/* Numbers of an image are added; those that the layout does not know are
 * marked. */
void rg_mpi_take_marked(const char *routine, const rg_layout *l,
                        const rg_run *runs, int64_t n, int64_t period, char *at,
                        int64_t bytes, char *image);

/*===- State -------------------------------------------------------------===*/

struct rg_message;
struct rg_collective;

/* Messages between this rank and another one, of one tag, in one direction. */
typedef struct rg_stream {
  struct rg_stream *next;
  int peer, tag, outgoing;
  int64_t count;
} rg_stream;

/* An adjoint or a tangent that came before it was asked for. Of an image, the
 * runs follow the numbers; they repeat after a period, or never where it is
 * RG_ONCE. */
#define RG_ONCE (-1)
typedef struct rg_packet {
  int64_t number, tangent, numbers, lanes, period, runs;
  double data[];
} rg_packet;
typedef struct rg_early {
  struct rg_early *next;
  int peer, tag;
  rg_packet *packet;
} rg_early;

/* What is known of a communicator, until it is freed. */
typedef struct rg_comm {
  rg_handle handle;
  int rank, size;
  rg_handle
      channel; /* where packets travel: a copy of the communicator, or itself */
  int tags,
      shift; /* the program's tags, and what is added to them for packets */
  rg_stream *streams;
  rg_early *early;
  struct rg_message *unsettled, **unsettled_end; /* receives without a number */
  struct rg_collective *collectives;             /* the last one first */
} rg_comm;

rg_comm *rg_mpi_comm(rg_handle comm);
__attribute__((noreturn, format(printf, 2, 3))) void
rg_mpi_stop(const char *routine, const char *format, ...);
void *rg_mpi_memory(rg_arena *arena, size_t bytes);
void rg_mpi_lock(void);
void rg_mpi_unlock(void);

/* What the reverse sweep undoes. */
typedef struct rg_undo {
  void (*reverse)(void *undo);
} rg_undo;
void rg_mpi_opened(void);
void rg_mpi_reverse(void *undo);

/* Sends that nobody waits for. */
void rg_mpi_send_later(rg_comm *comm, int peer, int tag, void *packet,
                       size_t bytes);
void rg_mpi_finish_sends(void);

/* What MPI calls a request stands for. */
typedef struct rg_open {
  struct rg_open *next;
  rg_handle request;
  const uint64_t *thread; /* that made it, by its counter */
  int persistent;
  rg_undo *work; /* under way; null if there is none */
  void (*complete)(rg_undo *work, const rg_status *status);
  void (*undo)(rg_undo *work);   /* reverse, where it was completed */
  void (*arrive)(rg_undo *work); /* forward, the same */
  rg_undo *(*start)(rg_arena *arena, void *what); /* persistent */
  void *what;
  uint64_t depth;  /* persistent: of the derivative that made it */
  rg_handle comm;  /* persistent and collective: its own; else 0 */
  int64_t own;     /* by an operation of the program's: what is left, plus 1 */
  uint64_t serial; /* in which order this thread has made them */
} rg_open;
rg_open *rg_mpi_track(const void *request);
rg_open *rg_mpi_find(rg_handle request);
void rg_mpi_forget(rg_open *o);
void rg_mpi_own_complete(int64_t what);
void rg_mpi_own_leave(int64_t place);
extern _Thread_local uint64_t rg_mpi_depth;

int rg_constant_any(void);
void rg_constant_store(char *p, char *sh, uint64_t bytes, const char *where);
void rg_constant_load(char *p, uint64_t bytes, const char *where);

#endif
