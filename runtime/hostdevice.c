/*===- hostdevice.c - device memory and launches in differentiated host code ===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A launch is reversed by one kernel that runs the primal again and then backwards,
|* so it needs device memory as it was when the primal was launched. That memory is
|* rolled back: whatever overwrites device memory in a primal sweep (a launch, a
|* copy, a fill) first keeps a copy of the blocks that an earlier launch has read,
|* and its reverse puts them back. So each reverse step finds memory as its primal
|* step found it. See docs/HostDevice.md.
|*
|* Blocks are what the CUDA runtime allocates. The state is the thread's. It ends
|* when all that was kept is used: then memory that is still there gets the contents
|* back that the primal sweep gave it.
|*
|* All of it is written against CUDA's runtime, which --offload=cpu has, too
|* (runtime/cuda). There rg_cuda_on_cpu exists, and device memory is memory of the
|* host.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include "hostdevice.h"
#include <stdalign.h>
#include "DeviceMap.inc"
#include "retrograd_rule.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rg_dim3 {
  uint32_t x, y, z;
};
int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemset(void *p, int value, size_t bytes);
int cudaPointerGetAttributes(void *attributes, const void *p);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
const char *cudaGetErrorString(int error);
int cudaGetDevice(int *device);
int cudaSetDevice(int device);
int cudaGetDeviceCount(int *count);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemsetAsync(void *p, int value, size_t bytes, void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaFuncSetAttribute(const void *kernel, int attribute, int value);
int cudaGetSymbolAddress(void **p, const void *symbol);
int cudaGetSymbolSize(size_t *bytes, const void *symbol);
int cudaHostRegister(void *p, size_t bytes, unsigned flags);
int cudaHostUnregister(void *p);
int cudaLaunchCooperativeKernel(const void *kernel, struct rg_dim3 grid, struct rg_dim3 block, void **arguments,
                                size_t shared, void *stream);
int cudaLaunchKernel(const void *kernel, struct rg_dim3 grid, struct rg_dim3 block, void **arguments, size_t shared,
                     void *stream);
/* Of the runtime that runs kernels on this machine. */
extern const int rg_cuda_on_cpu __attribute__((weak));
int rg_cuda_extent(const void *p, void **base, size_t *bytes) __attribute__((weak));

enum { COPY_DEFAULT = 4, NO_TIMING = 2 };
enum { UNREGISTERED, HOST, DEVICE, MANAGED };

/* A kernel's parameter; lib/Parallel/LaunchRecords.cpp writes these. */
struct rg_kernel_parameter {
  uint32_t bytes;
  uint8_t kind;          /* of the enumeration below */
  uint8_t reads, writes; /* reads: 2 more for a variable that the host may
                            change by itself */
  uint8_t active;
  uint32_t of, offset; /* the kernel's own parameter, and where in it */
  uint8_t steps;       /* pointers lie behind it, the last ones so many steps away; ANY_STEPS */
  uint8_t reads_further, writes_further; /* what these lead to */
  uint8_t none;
};
enum { ANY_STEPS = 255 };
/* VARIABLE: the host's address of a variable of the device, which the kernel reaches by
 * its name and derivatives of it as a parameter. */
enum { INERT, POINTER, F32, F64, VARIABLE };
struct rg_kernel_record {
  const void *primal;  /* what the program launches */
  const char *name;    /* for messages */
  const char *image;   /* derivatives as PTX; null where they are part of the program */
  uint64_t image_bytes;
  const void *reverse, *forward; /* what to launch, or names in the image */
  uint64_t own;                  /* the kernel's own parameters: their number, and bytes */
  const uint32_t *sizes;
  uint64_t count;
  uint64_t together; /* the reverse: its blocks wait for each other */
  struct rg_kernel_parameter parameters[];
};
struct rg_launch_place {
  struct rg_dim3 grid, block;
  uint64_t shared; /* with TOGETHER: a cooperative launch */
  void *stream;
};
#define TOGETHER ((uint64_t)1 << 63)

/*===-- Failures ------------------------------------------------------------===*/

static void __attribute__((noreturn)) rg_gpu_fail(const char *what, const char *of, int error) {
  fprintf(stderr, "retrograd: %s%s%s%s: %s [RG2203]\n", what, of ? " '" : "", of ? of : "", of ? "'" : "",
          error ? cudaGetErrorString(error) : "not possible");
  abort();
}
static void rg_gpu_check(int error, const char *what, const char *of) {
  if (error)
    rg_gpu_fail(what, of, error);
}

enum { FREE, FREE_HOST, UNREGISTER };
struct rg_freed {
  void *p;
  int what;
  struct rg_freed *next;
};
int cudaFreeHost(void *p);
/* What a derivative knows of devices, in all threads that take part in it. */
struct rg_gpu_state {
  pthread_mutex_t lock; /* may be taken again */
  pthread_cond_t turns;
  int shared;           /* other threads take part than the one that began it */
  uint64_t tickets;     /* things kept that are not undone */
  struct rg_block *blocks; /* what is known of the program's device memory */
  uint64_t kept;           /* things kept that wait for the reverse sweep */
  struct rg_spare *spares;
  uint64_t bytes, peak; /* of copies and stand-ins */
  struct rg_loaded *loaded;
  struct rg_loaded_kernel *kernels;
  struct rg_freed *freed;   /* what the program has freed meanwhile */
  uint64_t devices;         /* that launches and copies ran on, by bit */
  uint64_t settled;         /* devices that have no work from streams that are not below */
  struct rg_stream *streams;
  uint64_t streams_used;    /* since the derivative began */
  int calm;                 /* default streams alone have work, each on memory of its own device */
  struct rg_found *found;   /* shadows of memory that was there before */
  struct rg_made *made;     /* what the derivatives that are running have allocated */
  uint64_t depth;           /* derivatives that are running */
  uint64_t moves;           /* of addresses among shadows */
};
/* What a thread knows. */
struct rg_gpu_call {
  int error;                /* of the last call that was replaced */
  struct rg_launched *last; /* what was kept for the launch to come */
  int library;              /* what the last call of a library returned */
  void **forward;           /* what the kernel would get whose tangents a launch makes; else null */
  int none;                 /* the last allocation failed: it has no shadow, which is made directly behind it */
  struct rg_named *named;   /* the caller's memory on the device */
};
/* Not static: routines are linked into a module one by one, and share it. */
_Thread_local struct rg_gpu_call rg_gpu_call;
_Thread_local struct rg_gpu_state rg_gpu_own = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                                                .turns = PTHREAD_COND_INITIALIZER};

/* Threads that a derivative starts have the book of the thread that began it (spawn.c). */
extern __thread void **rg_devices_of_thread;
extern __thread void *rg_devices_own;
struct rg_gpu_state *rg_gpu_book(void) {
  if (!rg_devices_of_thread)
    rg_devices_of_thread = &rg_devices_own;
  struct rg_gpu_state *book = __atomic_load_n(rg_devices_of_thread, __ATOMIC_ACQUIRE);
  if (book)
    return book;
  if (rg_devices_of_thread == &rg_devices_own) {
    book = &rg_gpu_own;
  } else { /* nobody had one until now */
    book = malloc(sizeof *book);
    if (!book)
      abort();
    *book = (struct rg_gpu_state){.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, .turns = PTHREAD_COND_INITIALIZER};
  }
  void *none = NULL;
  if (__atomic_compare_exchange_n(rg_devices_of_thread, &none, book, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return book;
  if (book != &rg_gpu_own)
    free(book);
  return none;
}
#define rg_gpu (*rg_gpu_book())

/* A routine that looks at the book, or changes it, holds it. */
static struct rg_gpu_state *rg_hold_book(void) {
  struct rg_gpu_state *book = rg_gpu_book();
  pthread_mutex_lock(&book->lock);
  if (rg_devices_of_thread != &rg_devices_own)
    book->shared = 1;
  return book;
}
static void rg_leave_book(struct rg_gpu_state **book) {
  pthread_mutex_unlock(&(*book)->lock);
}
#define RG_HOLDS_BOOK                                                                                                  \
  struct rg_gpu_state *rg_held __attribute__((cleanup(rg_leave_book), unused)) = rg_hold_book()

/* Things that are kept have numbers. The reverse sweep undoes the last one first, whichever thread it is of: blocks are
 * put back as wholes, in the order in which the primal sweep kept them. Program and reverse sweep order threads in
 * opposite ways, so that whoever has the last number comes to it. */
static uint64_t rg_take_ticket(void) {
  return ++rg_gpu.tickets;
}
/* The book is held once. */
static void rg_await_turn(uint64_t ticket) {
  struct rg_gpu_state *book = rg_gpu_book();
  while (book->shared && book->tickets != ticket)
    pthread_cond_wait(&book->turns, &book->lock);
}
static void rg_ticket_back(void) {
  --rg_gpu.tickets;
  if (rg_gpu.shared)
    pthread_cond_broadcast(&rg_gpu.turns);
}

int rg_gpu_status(void) {
  return rg_gpu_call.error;
}

/*===-- Blocks --------------------------------------------------------------===*/

struct rg_block {
  char *base;
  uint64_t bytes;
  uint8_t read;  /* by a launch that is to be reversed */
  uint8_t freed; /* the program has freed it: nobody will look at it any more */
  uint8_t variable;
  int kind;             /* as CUDA says */
  int device;           /* that has it; -1: not memory of one device alone */
  struct rg_stream *by; /* that wrote or copied it last */
  struct rg_room last; /* what the primal sweep left there, once it is rolled back */
  struct rg_block *next;
};

/* Memory on the device that the caller of a library owns. What CUDA has allocated there may be a pool with
 * arrays of others in it, and on the processor CUDA knows nothing of it. */
struct rg_named {
  char *base;
  uint64_t bytes;
  struct rg_named *next;
};
static const struct rg_named *rg_named_at(const void *p) {
  const struct rg_named *n = rg_gpu_call.named;
  while (n && ((char *)p < n->base || (char *)p >= n->base + n->bytes))
    n = n->next;
  return n;
}

/* Memory that CUDA's allocations may not tell of: variables of a device whose
 * address the program has asked for, and memory of the host that it has
 * registered. Wherever a program asks, in whatever thread, it is noted. */
struct rg_noted {
  char *base;
  uint64_t bytes;
  char *host; /* of a variable: the host's of that name, beside which
                 derivatives have its shadow */
  int gone;   /* registered no more */
  struct rg_noted *next;
};
struct rg_noted *rg_gpu_noted;
static struct rg_noted *rg_noted_at(const void *p) {
  struct rg_noted *n = __atomic_load_n(&rg_gpu_noted, __ATOMIC_ACQUIRE);
  while (n && (__atomic_load_n(&n->gone, __ATOMIC_ACQUIRE) || (char *)p < n->base || (char *)p >= n->base + n->bytes))
    n = n->next;
  return n;
}
static const struct rg_noted *rg_noted_variable(const void *p) {
  const struct rg_noted *n = rg_noted_at(p);
  return n && n->host ? n : NULL;
}
static void rg_note(char *base, uint64_t bytes, char *host) {
  struct rg_noted *n = rg_noted_at(base);
  if (n && n->base == base && n->bytes == bytes && n->host == host)
    return;
  n = malloc(sizeof *n);
  if (!n)
    rg_gpu_fail("no memory for the list of device allocations", NULL, 0);
  *n = (struct rg_noted){base, bytes, host, 0, __atomic_load_n(&rg_gpu_noted, __ATOMIC_ACQUIRE)};
  while (!__atomic_compare_exchange_n(&rg_gpu_noted, &n->next, n, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
    ;
}

/* Memory at p is registered no more. */
static void rg_unnote(const void *p) {
  struct rg_noted *n = rg_noted_at(p);
  if (n && n->base == p && !n->host)
    __atomic_store_n(&n->gone, 1, __ATOMIC_RELEASE);
}

struct rg_attributes {
  int type, device;
  void *pointers[2];
  char more[96];
};
static struct rg_attributes rg_attributes_of(const void *p) {
  struct rg_attributes a;
  memset(&a, 0, sizeof a);
  if (cudaPointerGetAttributes(&a, p)) {
    cudaGetLastError(); /* memory of the host alone: not an error of the program's */
    a.type = UNREGISTERED;
  }
  return a;
}
static int rg_gpu_kind_of(int type, const void *p) {
  return &rg_cuda_on_cpu && (rg_named_at(p) || rg_noted_variable(p)) ? DEVICE : type;
}
static int rg_gpu_kind(const void *p) {
  return rg_gpu_kind_of(rg_attributes_of(p).type, p);
}

/* A symbol of the driver, which the CUDA runtime has loaded. */
static void *rg_driver(const char *name) {
  static void *driver;
  if (!driver)
    driver = dlopen("libcuda.so.1", RTLD_LAZY);
  return driver ? dlsym(driver, name) : NULL;
}

/* The allocation that p points into. */
static int rg_gpu_extent(const void *p, char **base, uint64_t *bytes) {
  const struct rg_named *named = rg_named_at(p);
  if (named) {
    *base = named->base, *bytes = named->bytes;
    return 1;
  }
  const struct rg_noted *noted = rg_noted_variable(p);
  if (noted) {
    *base = noted->base, *bytes = noted->bytes;
    return 1;
  }
  if (&rg_cuda_on_cpu) {
    size_t n;
    void *b;
    if (rg_cuda_extent(p, &b, &n))
      return 0;
    *base = b, *bytes = n;
    return 1;
  }
  static int (*range)(uint64_t *, size_t *, uint64_t);
  if (!range)
    range = (int (*)(uint64_t *, size_t *, uint64_t))rg_driver("cuMemGetAddressRange_v2");
  uint64_t b;
  size_t n;
  if (!range || range(&b, &n, (uint64_t)p)) {
    if (!(noted = rg_noted_at(p)))
      return 0;
    b = (uint64_t)noted->base, n = noted->bytes;
  }
  *base = (char *)b, *bytes = n;
  return 1;
}

static struct rg_block *rg_block_at(char *base, uint64_t bytes) {
  struct rg_block *b;
  for (b = rg_gpu.blocks; b; b = b->next)
    if (b->base == base && b->bytes == bytes)
      return b;
  b = calloc(1, sizeof *b);
  if (!b)
    rg_gpu_fail("no memory for the list of device allocations", NULL, 0);
  b->base = base, b->bytes = bytes, b->next = rg_gpu.blocks;
  struct rg_attributes a = rg_attributes_of(base);
  b->kind = rg_gpu_kind_of(a.type, base);
  b->device = a.type == DEVICE ? a.device : -1;
  return rg_gpu.blocks = b;
}
/* The block at p is freed; another may come to lie there. */
static void rg_block_gone(const void *p) {
  for (struct rg_block **at = &rg_gpu.blocks; *at;) {
    struct rg_block *b = *at;
    if (b->base != p) {
      at = &b->next;
      continue;
    }
    *at = b->next;
    free(b);
  }
}
/** Libraries of `retrograd export`: an argument, or its shadow, has these bytes. Memory of the host is left out,
 *  except on the processor, where it may be meant as the device's. */
void rg_device_argument(void *p, uint64_t bytes) {
  if (!p || !bytes || rg_named_at(p) || (!&rg_cuda_on_cpu && rg_gpu_kind(p) < DEVICE))
    return;
  struct rg_named *n = malloc(sizeof *n);
  if (!n)
    rg_gpu_fail("no memory for the list of device allocations", NULL, 0);
  *n = (struct rg_named){p, bytes, rg_gpu_call.named};
  rg_gpu_call.named = n;
}
/** The call has ended. */
void rg_device_arguments_end(void) {
  while (rg_gpu_call.named) {
    struct rg_named *n = rg_gpu_call.named;
    rg_gpu_call.named = n->next;
    free(n);
  }
}
/* The record of the block that p points into; null if CUDA does not know it. */
static struct rg_block *rg_block_of(const void *p) {
  char *base;
  uint64_t bytes;
  if (!p || !rg_gpu_extent(p, &base, &bytes))
    return NULL;
  struct rg_block *b = rg_block_at(base, bytes);
  b->variable |= rg_noted_variable(p) != NULL;
  return b;
}
/* The same of what a launch is given: the end of a block belongs to it, as an iterator that goes backwards has it,
 * unless another block begins there. */
static struct rg_block *rg_block_given(const char *p) {
  struct rg_block *b = rg_block_of(p);
  return b || !p ? b : rg_block_of(p - 1);
}
/* Where the device has the variable of which `host` is the host's address. */
static char *rg_variable(const void *host) {
  void *p = (void *)host;
  if (!&rg_cuda_on_cpu)
    rg_gpu_check(cudaGetSymbolAddress(&p, host), "a variable of the device has no address", NULL);
  return p;
}

/** How far the device's address of a variable is from the host's, which has the shadow. */
int64_t rg_gpu_variable_distance(const void *host) {
  RG_HOLDS_BOOK;
  void *p = NULL;
  size_t bytes = 0;
  rg_gpu_call.error = cudaGetSymbolAddress(&p, host);
  if (rg_gpu_call.error)
    return 0;
  /* Of a size that nobody knows: what needs it says so. */
  if (!cudaGetSymbolSize(&bytes, host))
    rg_note(p, bytes, (char *)host);
  else
    cudaGetLastError();
  return (char *)p - (char *)host;
}
/* Where a shadow lies that is as far from the host's as the primal p is from the host's variable. */
static char *rg_shadow_home(char *shadow, const void *p) {
  const struct rg_noted *v = &rg_cuda_on_cpu ? NULL : rg_noted_variable(p);
  return v ? shadow - (v->base - v->host) : shadow;
}

/*===-- Devices -------------------------------------------------------------===*/

static int rg_device(void) {
  int device = 0;
  rg_gpu_check(cudaGetDevice(&device), "no device", NULL);
  return device;
}
static void rg_enter(int device, const char *what, const char *of) {
  rg_gpu_check(cudaSetDevice(device), what, of);
}
static void rg_gets_work(int device) {
  if (device < 64)
    rg_gpu.devices |= (uint64_t)1 << device;
}
/* Waits for all devices that have got work, streams of the program's included. */
static void rg_wait(const char *what, const char *of) {
  int here = rg_device();
  uint64_t others = rg_gpu.devices & ~(here < 64 ? (uint64_t)1 << here : 0);
  rg_gpu.calm = 0;
  rg_gpu_check(cudaDeviceSynchronize(), what, of);
  if (!others)
    return;
  for (int d = 0; d < 64; ++d)
    if (others >> d & 1) {
      rg_enter(d, what, of);
      rg_gpu_check(cudaDeviceSynchronize(), what, of);
    }
  rg_enter(here, what, of);
}
/* The program's next operation comes: the current device gets work. */
static int rg_device_works(void) {
  int device = rg_device();
  if (rg_gpu.calm) /* the program's streams need not wait for the default ones */
    rg_wait("an operation of the reverse sweep failed", NULL);
  rg_gets_work(device);
  return device;
}
/* The host is going to touch what devices may be at work on. */
static void rg_host_follows(void) {
  if (rg_gpu.calm)
    rg_wait("an operation of the reverse sweep failed", NULL);
}

/* Waits for our own copies and fills, which the default stream has: the program's streams may be of the kind that does
 * not wait for it. */
static void rg_settle(void) {
  rg_gpu_check(cudaStreamSynchronize(NULL), "a copy of device memory failed", NULL);
}

/*===-- Order -----------------------------------------------------------------===*/

/* What the primal sweep keeps is copied in the stream of the operation that overwrites it: the host does not wait. Such a
 * copy is of whole blocks, of which the program's other streams may write other parts at that time. So a block knows
 * which stream wrote or copied it last, and the stream of the next that does waits for what that one had until then.
 * While there is one stream only, nothing has to be done for it.
 *
 * The reverse sweep is in the default streams of the devices. Steps that touch memory of one device alone are given to
 * that device, whose default stream has them in order, and nobody waits (rg_begin_step). All others wait for all devices
 * before and after. */
struct rg_stream {
  void *stream;
  int device;  /* of a default stream: whose it is; else where events for it are made */
  void *event; /* behind the last of what it has got */
  int used;    /* since the derivative began */
  struct rg_stream *next;
};
static int rg_is_default(const void *stream) {
  return (uintptr_t)stream <= 2; /* cudaStreamLegacy, cudaStreamPerThread */
}
static struct rg_stream *rg_stream_known(void *stream, int device) {
  if ((uintptr_t)stream == 2 && rg_gpu.shared)
    rg_gpu_fail("the default stream of each thread, in a derivative whose threads use devices", NULL, 0);
  struct rg_stream *s = rg_gpu.streams;
  if ((uintptr_t)stream == 1)
    stream = NULL;
  while (s && (s->stream != stream || (rg_is_default(stream) && s->device != device)))
    s = s->next;
  if (s)
    return s;
  s = calloc(1, sizeof *s);
  if (!s)
    rg_gpu_fail("no memory for the list of streams", NULL, 0);
  s->stream = stream, s->device = device, s->next = rg_gpu.streams;
  return rg_gpu.streams = s;
}
/* The stream of an operation of the program's. */
static struct rg_stream *rg_stream_of(void *stream) {
  struct rg_stream *s = rg_stream_known(stream, rg_device());
  if (!s->used) {
    s->used = 1;
    if (rg_gpu.streams_used++ == 1) /* the first one has no events yet */
      rg_wait("an operation failed", NULL);
  }
  return s;
}
static int rg_record_on(struct rg_stream *s, int device) {
  if (!cudaSetDevice(device) && (s->event || !cudaEventCreateWithFlags(&s->event, NO_TIMING)) &&
      !cudaEventRecord(s->event, s->stream)) {
    s->device = device;
    return 1;
  }
  cudaGetLastError();
  if (s->event)
    cudaEventDestroy(s->event);
  s->event = NULL;
  return 0;
}
/* s has got something. */
static void rg_record(struct rg_stream *s) {
  int here, devices = 0;
  if (rg_gpu.streams_used < 2 || (s->event && !cudaEventRecord(s->event, s->stream)))
    return;
  /* An event is of one device, and so is a stream: which one, CUDA does not tell. */
  here = rg_device();
  if (!rg_record_on(s, s->device) && !rg_is_default(s->stream)) {
    cudaGetDeviceCount(&devices);
    for (int d = 0; d < devices && !rg_record_on(s, d); ++d)
      ;
  }
  rg_enter(here, "no device", NULL);
  if (!s->event) /* no stream: the program finds out */
    rg_gpu.settled = 0;
}
/* In front of what copies or writes b in s. */
static void rg_order(struct rg_block *b, struct rg_stream *s) {
  if (rg_gpu.streams_used > 1 && b->by && b->by->event)
    rg_gpu_check(cudaStreamWaitEvent(s->stream, b->by->event, 0), "a stream cannot wait for another", NULL);
  b->by = s;
}
/* In front of what copies a block in a stream of the current device: what was given to streams that are not known here has
 * run. */
static void rg_settle_others(void) {
  int here = rg_device();
  uint64_t bit = here < 64 ? (uint64_t)1 << here : 0;
  if (rg_gpu.settled & bit)
    return;
  rg_wait("an operation before a copy failed", NULL);
  rg_gpu.settled |= rg_gpu.devices | bit;
}

/* A step of the reverse sweep that touches memory of `device` alone, in its default stream; the device becomes the current
 * one. Returns which one that was. Where nothing is kept any more, rg_forget has run, so that nobody would wait. */
static int rg_begin_step(int device, const char *what, const char *of) {
  int now = rg_device();
  if (!rg_gpu.calm || !rg_gpu.kept)
    rg_wait(what, of);
  rg_gpu.calm = rg_gpu.kept != 0;
  rg_gets_work(device);
  if (device != now)
    rg_enter(device, "its device cannot be made the current one:", of);
  return now;
}
static void rg_end_step(int now, const char *what, const char *of) {
  if (!rg_gpu.kept)
    rg_wait(what, of);
  rg_enter(now, "the device of the program cannot be made the current one again, after", of);
}
/* The default stream of `device`, which becomes the current one, waits for that of `other`. */
static void rg_follow(int device, int other) {
  struct rg_stream *s = rg_stream_known(NULL, other);
  if (!rg_record_on(s, other))
    rg_gpu_fail("no event of a device", NULL, 0);
  rg_enter(device, "no device", NULL);
  rg_gpu_check(cudaStreamWaitEvent(NULL, s->event, 0), "a device cannot wait for another", NULL);
}

/*===-- Copies that are kept --------------------------------------------------===*/

/* Memory of the device that is free again, by size: the next launch of the same
 * kernel wants the same. */
struct rg_spare {
  uint64_t bytes;
  struct rg_spare *next;
  char *at;
  int device;
};

/** Bytes of device memory that derivatives keep on this thread just now, at most
 *  so far. */
uint64_t rg_device_bytes_peak(void) {
  RG_HOLDS_BOOK;
  return rg_gpu.peak;
}
/** Gives back what derivatives of this thread have in reserve. */
void rg_device_release(void) {
  RG_HOLDS_BOOK;
  while (rg_gpu.spares) {
    struct rg_spare *s = rg_gpu.spares;
    rg_gpu.spares = s->next;
    cudaFree(s->at);
    free(s);
  }
}

static struct rg_room rg_room_for(uint64_t bytes) {
  struct rg_room r = {NULL, bytes ? bytes : 1, 0, rg_device()};
  struct rg_spare **at;
  void *p = NULL;
  rg_gpu.bytes += r.bytes;
  if (rg_gpu.bytes > rg_gpu.peak)
    rg_gpu.peak = rg_gpu.bytes;
  for (at = &rg_gpu.spares; *at; at = &(*at)->next)
    if ((*at)->bytes == r.bytes && (*at)->device == r.device) {
      struct rg_spare *s = *at;
      *at = s->next;
      r.at = s->at;
      free(s);
      return r;
    }
  if (cudaMalloc(&p, r.bytes)) {
    cudaGetLastError();
    rg_device_release();
    if (cudaMalloc(&p, r.bytes)) {
      cudaGetLastError();
      p = NULL;
    }
  }
  r.on_host = !p;
  r.at = p ? p : malloc(r.bytes);
  if (!r.at) {
    fprintf(stderr,
            "retrograd: a derivative wants to keep %llu bytes of device memory, beside the %llu that it keeps, and "
            "neither the device nor the host has them: use rg::checkpoint for the loop of launches, so that less "
            "has to be kept [RG2203]\n",
            (unsigned long long)r.bytes, (unsigned long long)(rg_gpu.bytes - r.bytes));
    abort();
  }
  return r;
}

static void rg_room_back(struct rg_room r) {
  struct rg_spare *s;
  rg_gpu.bytes -= r.bytes;
  if (r.on_host) {
    free(r.at);
    return;
  }
  s = malloc(sizeof *s);
  if (!s) {
    cudaFree(r.at);
    return;
  }
  *s = (struct rg_spare){r.bytes, rg_gpu.spares, r.at, r.device};
  rg_gpu.spares = s;
}

static void rg_move(void *to, const void *from, uint64_t bytes) {
  if (bytes)
    rg_gpu_check(cudaMemcpy(to, from, bytes, COPY_DEFAULT), "a copy of device memory failed", NULL);
}

/* `bytes` at p as they are now. */
struct rg_copy {
  char *of;
  uint64_t bytes;
  struct rg_block *block;
  struct rg_room room;
  struct rg_copy *next;
  int reads; /* what overwrites them reads them first */
  uint64_t ticket;
};

/* Makes it in the stream, behind what it has. */
static void rg_move_in(void *to, const void *from, uint64_t bytes, void *stream) {
  if (bytes)
    rg_gpu_check(cudaMemcpyAsync(to, from, bytes, COPY_DEFAULT, stream), "a copy of device memory failed", NULL);
}
static struct rg_copy *rg_keep(struct rg_block *b, char *p, uint64_t bytes, struct rg_copy *next, void *stream) {
  struct rg_copy *c = malloc(sizeof *c);
  if (!c)
    rg_gpu_fail("no memory for the list of device allocations", NULL, 0);
  *c = (struct rg_copy){p, bytes, b, rg_room_for(bytes), next, 1, 0};
  rg_move_in(c->room.at, p, bytes, stream);
  return c;
}

/* The primal sweep's last word on b, before it is changed. */
static void rg_remember(struct rg_block *b) {
  if (!b || b->last.at || b->freed)
    return;
  struct rg_room r = rg_room_for(b->bytes);
  if (r.on_host) { /* one kind of memory will do here */
    rg_room_back(r);
    rg_gpu_fail("no device memory to keep the results of the function", NULL, 0);
  }
  rg_move_in(r.at, b->base, b->bytes, NULL);
  b->last = r;
}

static void rg_put_back(const struct rg_copy *c) {
  rg_move_in(c->of, c->room.at, c->bytes, NULL);
}
/* Whether copies are of memory of that device alone. */
static int rg_copies_are_of(const struct rg_copy *c, int device) {
  while (c && c->block->device == device)
    c = c->next;
  return !c;
}

/* The derivative has ended. */
static void rg_unmake(uint64_t depth, const void *base);
static void rg_forget(void) {
  static const char what[] = "the results of the function could not be put back";
  int here = rg_device(), moved = 0;
  while (rg_gpu.blocks) {
    struct rg_block *b = rg_gpu.blocks;
    rg_gpu.blocks = b->next;
    if (b->last.at) { /* each device has its own to do */
      if (b->last.device != here)
        rg_enter(b->last.device, what, NULL);
      rg_gets_work(b->last.device);
      rg_move_in(b->base, b->last.at, b->bytes, NULL);
      if (b->last.device != here)
        rg_enter(here, what, NULL);
      rg_room_back(b->last);
      moved = 1;
    }
    free(b);
  }
  if (moved)
    rg_wait(what, NULL);
  rg_gpu.devices = rg_gpu.settled = rg_gpu.streams_used = 0;
  rg_gpu.shared = rg_gpu.shared && rg_gpu.tickets;
  for (struct rg_stream *s = rg_gpu.streams; s; s = s->next)
    s->used = 0;
  while (rg_gpu.freed) {
    struct rg_freed *f = rg_gpu.freed;
    rg_gpu.freed = f->next;
    rg_unmake(0, f->p);
    if (f->what == UNREGISTER) {
      cudaHostUnregister(f->p);
      rg_unnote(f->p);
    } else if (f->what == FREE_HOST) {
      cudaFreeHost(f->p);
    } else {
      cudaFree(f->p);
    }
    free(f);
  }
}
/* One thing less is kept. */
static void rg_done(void) {
  if (--rg_gpu.kept)
    return;
  rg_wait("an operation of the reverse sweep failed", NULL);
  rg_forget();
}

/*===-- Memory without a shadow -----------------------------------------------===*/

/* A block that the program had before the derivative began, and that it finds by a pointer that it keeps (in a global
 * variable, or in memory of such a one). Nothing that derivatives flow through led to it, so that it begins with a
 * cleared shadow, which lasts as long as the derivative. */
struct rg_found {
  char *base;
  uint64_t bytes, lane, depth;
  struct rg_room room;
  struct rg_found *next;
};

char *rg_gpu_shadow_of(char *shadow, char *p, uint64_t lane) {
  RG_HOLDS_BOOK;
  char *base;
  uint64_t bytes;
  if (shadow != p || !p || rg_gpu_kind(p) != DEVICE || rg_noted_variable(p) || !rg_gpu_extent(p, &base, &bytes))
    return shadow;
  struct rg_found *f = rg_gpu.found;
  while (f && (f->base != base || f->bytes != bytes || f->lane != lane || f->depth != rg_gpu.depth))
    f = f->next;
  if (!f) {
    f = malloc(sizeof *f);
    if (!f)
      rg_gpu_fail("no memory for the list of device allocations", NULL, 0);
    /* On the device that has the primal, so that its kernels find both there. */
    int here = rg_device(), there = &rg_cuda_on_cpu ? here : rg_attributes_of(p).device;
    if (here != there)
      rg_enter(there, "no device", NULL);
    *f = (struct rg_found){base, bytes, lane, rg_gpu.depth, rg_room_for(bytes), rg_gpu.found};
    rg_gpu.found = f;
    if (f->room.on_host && !&rg_cuda_on_cpu)
      rg_gpu_fail("no device memory for adjoints of memory that the program keeps", NULL, 0);
    rg_gpu_check(cudaMemset(f->room.at, 0, bytes), "adjoints could not be cleared", NULL);
    rg_settle();
    if (here != there)
      rg_enter(here, "no device", NULL);
  }
  return f->room.at + (p - base);
}

/* The shadow is such a one. */
static int rg_is_found(const char *shadow) {
  const struct rg_found *f = rg_gpu.found;
  while (f && f->room.at != shadow)
    f = f->next;
  return f != NULL;
}

/* All of the derivatives that are deeper than `depth`, or those of the block at `base`. */
static void rg_found_back(uint64_t depth, const void *base) {
  for (struct rg_found **at = &rg_gpu.found; *at;) {
    struct rg_found *f = *at;
    if (base ? f->base != base : f->depth <= depth) {
      at = &f->next;
      continue;
    }
    *at = f->next;
    rg_room_back(f->room);
    free(f);
  }
}

/* Memory that a derivative has allocated, and that has no shadow: nothing active is in it. */
struct rg_made {
  const char *base;
  uint64_t depth;
  struct rg_made *next;
};
static void *rg_make(void *p) {
  struct rg_made *m = p && rg_gpu.depth ? malloc(sizeof *m) : NULL;
  if (m) {
    *m = (struct rg_made){p, rg_gpu.depth, rg_gpu.made};
    rg_gpu.made = m;
  }
  return p;
}
/* All of the derivatives that are deeper than `depth`, or that at `base`. */
static void rg_unmake(uint64_t depth, const void *base) {
  for (struct rg_made **at = &rg_gpu.made; *at;) {
    struct rg_made *m = *at;
    if (base ? m->base != base : m->depth <= depth) {
      at = &m->next;
      continue;
    }
    *at = m->next;
    free(m);
  }
}
static int rg_is_made(const char *base) {
  const struct rg_made *m = rg_gpu.made;
  while (m && (m->base != base || m->depth != rg_gpu.depth))
    m = m->next;
  return m != NULL;
}

/* Around a derivative. */
uint64_t rg_gpu_begin(void) {
  RG_HOLDS_BOOK;
  /* Threads of an earlier derivative, in forward mode, have left nothing to undo. */
  if (!rg_gpu.depth && !rg_gpu.tickets && rg_devices_of_thread == &rg_devices_own)
    rg_gpu.shared = 0;
  return rg_gpu.depth++;
}
void rg_gpu_end(uint64_t depth) {
  RG_HOLDS_BOOK;
  rg_found_back(depth, NULL);
  rg_unmake(depth, NULL);
  rg_gpu.depth = depth;
}

/*===-- Memory --------------------------------------------------------------===*/

void *rg_gpu_malloc(uint64_t bytes) {
  RG_HOLDS_BOOK;
  void *p = NULL;
  rg_gpu_call.error = rg_gpu_call.none = cudaMalloc(&p, bytes);
  return rg_gpu_call.error ? NULL : rg_make(p);
}
void *rg_gpu_malloc_shadow(uint64_t bytes) {
  RG_HOLDS_BOOK;
  void *p = NULL;
  if (!bytes || rg_gpu_call.none)
    return NULL;
  int error = cudaMalloc(&p, bytes);
  if (!error)
    error = cudaMemset(p, 0, bytes);
  if (!error)
    error = cudaStreamSynchronize(NULL);
  if (error) {
    fprintf(stderr,
            "retrograd: a derivative wants %llu bytes of device memory for adjoints, as many as the program's own "
            "allocation: %s [RG2203]\n",
            (unsigned long long)bytes, cudaGetErrorString(error));
    abort();
  }
  return p;
}
/* The reverse of launches reads memory without derivatives, too, which the program
 * frees when it comes to it: later. */
static int rg_free_later(void *p, int what) {
  struct rg_freed *f = rg_gpu.kept && p ? malloc(sizeof *f) : NULL;
  if (!f)
    return 0;
  *f = (struct rg_freed){p, what, rg_gpu.freed};
  rg_gpu.freed = f;
  rg_gpu_call.error = 0;
  return 1;
}
void rg_gpu_free(void *p) {
  RG_HOLDS_BOOK;
  if (rg_free_later(p, FREE))
    return;
  if (p && rg_gpu.found) /* another block may come to lie there */
    rg_found_back(0, p);
  if (p) {
    rg_block_gone(p);
    rg_unmake(0, p);
  }
  rg_gpu_call.error = cudaFree(p);
}
/* The program frees p, which happens when the derivative has ended. */
void rg_gpu_freed(void *p) {
  RG_HOLDS_BOOK;
  struct rg_block *b = rg_block_of(p);
  rg_gpu_call.error = 0;
  if (b)
    b->freed = 1;
}

/** Memory of the host that devices shall see. What the reverse of launches still needs is given up later. */
int rg_gpu_register(void *p, uint64_t bytes, unsigned flags) {
  RG_HOLDS_BOOK;
  for (struct rg_freed **f = &rg_gpu.freed; *f; f = &(*f)->next)
    if ((*f)->what == UNREGISTER && (*f)->p == p) {
      struct rg_freed *again = *f;
      *f = again->next;
      free(again);
      cudaHostUnregister(p);
      rg_unnote(p);
      break;
    }
  int error = cudaHostRegister(p, bytes, flags);
  if (!error)
    rg_note(p, bytes, NULL);
  return error;
}
int rg_gpu_unregister(void *p) {
  RG_HOLDS_BOOK;
  const struct rg_noted *n = rg_noted_at(p);
  if (n && n->base == p && !n->host && rg_free_later(p, UNREGISTER))
    return 0;
  rg_unnote(p);
  return cudaHostUnregister(p);
}

/* In front of what overwrites `bytes` at p: a copy of them, if a launch has read
 * the block. */
static struct rg_block *rg_block_read(const void *p, uint64_t bytes) {
  struct rg_block *b = bytes && rg_gpu_kind(p) >= DEVICE ? rg_block_of(p) : NULL;
  return b && b->read ? b : NULL;
}
static void *rg_keep_waiting(struct rg_block *b, void *p, uint64_t bytes) {
  rg_wait("an operation before a copy failed", NULL);
  ++rg_gpu.kept;
  struct rg_copy *kept = rg_keep(b, p, bytes, NULL, NULL);
  kept->ticket = rg_take_ticket();
  rg_settle();
  return kept;
}
/* It is overwritten in a stream that nobody knows here. */
void *rg_gpu_keep(void *p, uint64_t bytes) {
  RG_HOLDS_BOOK;
  struct rg_block *b = rg_block_read(p, bytes);
  rg_gpu.settled = 0;
  return b ? rg_keep_waiting(b, p, bytes) : NULL;
}
/* It is overwritten in the stream. */
void *rg_gpu_keep_in(void *p, uint64_t bytes, void *stream) {
  RG_HOLDS_BOOK;
  struct rg_block *b = rg_block_read(p, bytes);
  if (!b)
    return NULL;
  int device = rg_device_works();
  if (b->device < 0)
    return rg_keep_waiting(b, p, bytes);
  struct rg_stream *s = rg_stream_of(stream);
  rg_settle_others();
  rg_order(b, s);
  ++rg_gpu.kept;
  if (b->device != device) /* the copy shall lie beside it */
    rg_enter(b->device, "no device", NULL);
  struct rg_copy *c = malloc(sizeof *c);
  if (!c)
    rg_gpu_fail("no memory for the list of device allocations", NULL, 0);
  *c = (struct rg_copy){p, bytes, b, rg_room_for(bytes), NULL, 0, rg_take_ticket()};
  if (b->device != device)
    rg_enter(device, "no device", NULL);
  rg_move_in(c->room.at, p, bytes, stream);
  rg_record(s);
  return c;
}
void rg_gpu_undo(void *p, uint64_t bytes, void *kept) {
  RG_HOLDS_BOOK;
  static const char what[] = "an operation before the adjoint of a copy failed";
  struct rg_copy *c = kept;
  int now = -1;
  (void)p, (void)bytes;
  if (!c)
    return;
  rg_await_turn(c->ticket);
  if (c->block->device < 0)
    rg_wait(what, NULL);
  else
    now = rg_begin_step(c->block->device, what, NULL);
  rg_remember(c->block);
  rg_put_back(c);
  if (now < 0)
    rg_wait(what, NULL);
  else
    rg_end_step(now, what, NULL);
  rg_room_back(c->room);
  free(c);
  rg_ticket_back();
  rg_done();
}
void rg_gpu_undo_in(void *p, uint64_t bytes, void *stream, void *kept) {
  (void)stream;
  rg_gpu_undo(p, bytes, kept);
}

/* The same of a part of a device's variable. at: in the host's variable. */
void *rg_gpu_keep_variable(void *at, uint64_t bytes, uint64_t offset) {
  RG_HOLDS_BOOK;
  char *p = rg_variable((char *)at - offset) + offset;
  rg_gpu.settled = 0;
  for (struct rg_block *b = rg_gpu.blocks; b && bytes; b = b->next)
    if (b->variable && b->read && p >= b->base && p < b->base + b->bytes)
      return rg_keep_waiting(b, p, bytes);
  return NULL;
}
void rg_gpu_undo_variable(void *at, uint64_t bytes, uint64_t offset, void *kept) {
  (void)offset;
  rg_gpu_undo(at, bytes, kept);
}
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
void rg_gpu_wait_for(void *stream) {
  int error = cudaStreamSynchronize(stream);
  if (error)
    rg_gpu_call.error = error;
}
void rg_gpu_no_arrays(const void *from, const void *to) {
  if (from || to)
    rg_gpu_fail("a copy from or to a cudaArray has no derivative: call of", "cudaMemcpy3D", 0);
}
void *rg_gpu_copy_to_variable(void *at, const void *from, uint64_t bytes, uint64_t offset, int kind, void *stream) {
  RG_HOLDS_BOOK;
  rg_device_works();
  if (stream)
    cudaStreamSynchronize(stream);
  rg_gpu_call.error = cudaMemcpyToSymbol((char *)at - offset, from, bytes, offset, kind);
  return at;
}
void *rg_gpu_copy_from_variable(void *to, const void *at, uint64_t bytes, uint64_t offset, int kind, void *stream) {
  RG_HOLDS_BOOK;
  rg_device_works();
  rg_gpu.settled = 0;
  if (stream)
    cudaStreamSynchronize(stream);
  rg_gpu_call.error = cudaMemcpyFromSymbol(to, (const char *)at - offset, bytes, offset, kind);
  return to;
}

/* Memory that host and device see; pinned memory of the host. */
int cudaMallocManaged(void **p, size_t bytes, unsigned flags);
int cudaHostAlloc(void **p, size_t bytes, unsigned flags);
void *rg_gpu_malloc_managed(uint64_t bytes, unsigned flags) {
  RG_HOLDS_BOOK;
  void *p = NULL;
  rg_gpu_call.error = rg_gpu_call.none = cudaMallocManaged(&p, bytes, flags);
  return rg_gpu_call.error ? NULL : rg_make(p);
}
void *rg_gpu_malloc_managed_shadow(uint64_t bytes, unsigned flags) {
  RG_HOLDS_BOOK;
  void *p = NULL;
  if (!bytes || rg_gpu_call.none)
    return NULL;
  rg_gpu_check(cudaMallocManaged(&p, bytes, flags), "no managed memory for adjoints", NULL);
  cudaDeviceSynchronize();
  memset(p, 0, bytes);
  return p;
}
void *rg_gpu_malloc_host(uint64_t bytes, unsigned flags) {
  RG_HOLDS_BOOK;
  void *p = NULL;
  rg_gpu_call.error = rg_gpu_call.none = cudaHostAlloc(&p, bytes, flags);
  return rg_gpu_call.error ? NULL : rg_make(p);
}
void *rg_gpu_malloc_host_shadow(uint64_t bytes, unsigned flags) {
  RG_HOLDS_BOOK;
  void *p = NULL;
  if (!bytes || rg_gpu_call.none)
    return NULL;
  rg_gpu_check(cudaHostAlloc(&p, bytes, flags), "no pinned memory for adjoints", NULL);
  memset(p, 0, bytes);
  return p;
}
void rg_gpu_free_host(void *p) {
  RG_HOLDS_BOOK;
  if (!rg_free_later(p, FREE_HOST)) {
    if (p)
      rg_unmake(0, p);
    rg_gpu_call.error = cudaFreeHost(p);
  }
}

/* In front of what writes there in the stream; null where nobody needs to know. */
static struct rg_stream *rg_writes(void *p, uint64_t bytes, void *stream) {
  rg_device_works();
  /* In front of all launches there is no copy. The first one waits for what was before (rg_settle_others). */
  struct rg_block *b = rg_gpu.kept && bytes && rg_gpu_kind(p) >= DEVICE ? rg_block_of(p) : NULL;
  if (!b)
    return NULL;
  struct rg_stream *s = rg_stream_of(stream);
  rg_order(b, s);
  return s;
}
void *rg_gpu_copy_async(void *to, const void *from, uint64_t bytes, int kind, void *stream) {
  RG_HOLDS_BOOK;
  struct rg_stream *s = rg_writes(to, bytes, stream);
  rg_gpu_call.error = cudaMemcpyAsync(to, from, bytes, kind, stream);
  if (s)
    rg_record(s);
  return to;
}
void *rg_gpu_fill_async(void *p, int value, uint64_t bytes, void *stream) {
  RG_HOLDS_BOOK;
  struct rg_stream *s = rg_writes(p, bytes, stream);
  rg_gpu_call.error = cudaMemsetAsync(p, value, bytes, stream);
  if (s)
    rg_record(s);
  return p;
}
void *rg_gpu_copy(void *to, const void *from, uint64_t bytes, int kind) {
  RG_HOLDS_BOOK;
  struct rg_stream *s = rg_writes(to, bytes, NULL);
  rg_gpu_call.error = cudaMemcpy(to, from, bytes, kind);
  if (s)
    rg_record(s);
  return to;
}
void *rg_gpu_fill(void *p, int value, uint64_t bytes) {
  RG_HOLDS_BOOK;
  struct rg_stream *s = rg_writes(p, bytes, NULL);
  rg_gpu_call.error = cudaMemset(p, value, bytes);
  if (s)
    rg_record(s);
  return p;
}

/*===-- Adjoints of copies ----------------------------------------------------===*/

/* The host can read and write at p. */
static int rg_on_host(const void *p) {
  return &rg_cuda_on_cpu || rg_gpu_kind(p) != DEVICE;
}

void rg_adjoint_zero(char *dsh, char *d, uint64_t bytes, uint64_t offset, uint64_t period, uint64_t run);
void rg_shadow_move_pointers(char *dsh, char *d, char *ssh, uint64_t bytes, uint64_t offset, uint64_t period,
                             uint64_t run);
void rg_tangent_move(char *dsh, char *d, char *ssh, char *s, uint64_t bytes);

/* What lies at p, on the host; to be given back by rg_unfetch. */
static char *rg_fetch(char *p, uint64_t bytes) {
  if (rg_on_host(p))
    return p;
  char *copy = malloc(bytes ? bytes : 1);
  if (!copy)
    rg_gpu_fail("no memory for adjoints on their way between host and device", NULL, 0);
  rg_move(copy, p, bytes);
  return copy;
}
static void rg_unfetch(char *p, char *copy, uint64_t bytes) {
  if (copy == p)
    return;
  rg_move(p, copy, bytes);
  free(copy);
}

static void rg_clear(char *p, uint64_t bytes) {
  static const char what[] = "an operation before adjoints were cleared failed";
  if (rg_on_host(p)) {
    if (&rg_cuda_on_cpu || rg_gpu_kind(p) != UNREGISTERED) /* kernels may be at work on it */
      rg_wait(what, NULL);
    memset(p, 0, bytes);
    return;
  }
  /* A device fills its own memory alone. */
  int now = rg_begin_step(rg_attributes_of(p).device, what, NULL);
  rg_gpu_check(cudaMemsetAsync(p, 0, bytes, NULL), "adjoints could not be cleared", NULL);
  rg_end_step(now, what, NULL);
}

void rg_gpu_adjoint_zero(char *dsh, char *d, uint64_t bytes, uint64_t offset, uint64_t period, uint64_t run) {
  RG_HOLDS_BOOK;
  if (!bytes || dsh == d)
    return;
  dsh = rg_shadow_home(dsh, d);
  if (!period && !offset && run >= bytes) {
    rg_clear(dsh, bytes);
    return;
  }
  rg_wait("an operation before adjoints were cleared failed", NULL);
  char *at = rg_fetch(dsh, bytes);
  rg_adjoint_zero(at, NULL, bytes, offset, period, run);
  rg_unfetch(dsh, at, bytes);
}

/* Where both are memory of devices, adjoints are added there, in order, without the host. 0: they are not. */
static int rg_add_there(char *to, char *from, uint64_t bytes, unsigned size) {
  static const char what[] = "an operation before the adjoint of a copy failed";
  if (&rg_cuda_on_cpu || (from < to + bytes && to < from + bytes) || (bytes | (uintptr_t)to | (uintptr_t)from) % size)
    return 0;
  struct rg_attributes t = rg_attributes_of(to), f = rg_attributes_of(from);
  if (t.type != DEVICE || f.type != DEVICE)
    return 0;
  struct rg_room room = {0};
  int now = rg_begin_step(t.device, what, NULL), apart = t.device != f.device;
  if (apart) {
    room = rg_room_for(bytes);
    if (room.on_host) {
      rg_room_back(room);
      rg_end_step(now, what, NULL);
      return 0;
    }
    rg_gets_work(f.device);
    rg_follow(t.device, f.device);
    rg_move_in(room.at, from, bytes, NULL);
  }
  struct rg_map add = {.is_double = size == 8, .what = RG_MAP_COPY, .m = bytes / size, .n = 1, .a = 1, .b = 1,
                       .A = apart ? room.at : from, .B = to, .a0 = 1, .b0 = 1};
  rg_device_map(&add, NULL);
  if (apart) {
    rg_room_back(room);
    rg_follow(f.device, t.device);
  }
  rg_gpu_check(cudaMemsetAsync(from, 0, bytes, NULL), "adjoints could not be cleared", NULL);
  rg_end_step(now, what, NULL);
  return 1;
}

/* As rg_adjoint_move_*, wherever the two blocks are; SIZE: of numbers that devices add. */
/* Threads of the program may add to the same numbers of the host. */
#define RG_ADD_IN(T, from, to)                                                                                         \
  (rg_gpu.shared ? rg_adjoint_share_##T : rg_adjoint_move_##T)(from, NULL, to, NULL, bytes, offset, period, run)
#define RG_ADD_ALONE(T, from, to) rg_adjoint_move_##T(from, NULL, to, NULL, bytes, offset, period, run)
#define RG_ADD_f16(from, to) RG_ADD_ALONE(f16, from, to)
#define RG_ADD_bf16(from, to) RG_ADD_ALONE(bf16, from, to)
#define RG_ADD_f32(from, to) RG_ADD_IN(f32, from, to)
#define RG_ADD_f64(from, to) RG_ADD_IN(f64, from, to)
void rg_adjoint_share_f32(char *dsh, char *d, char *ssh, char *s, uint64_t bytes, uint64_t offset, uint64_t period,
                          uint64_t run);
void rg_adjoint_share_f64(char *dsh, char *d, char *ssh, char *s, uint64_t bytes, uint64_t offset, uint64_t period,
                          uint64_t run);
#define RG_GPU_MOVE(T, SIZE)                                                                                                 \
  void rg_adjoint_move_##T(char *dsh, char *d, char *ssh, char *s, uint64_t bytes, uint64_t offset, uint64_t period,   \
                           uint64_t run);                                                                              \
  void rg_gpu_adjoint_move_##T(char *dsh, char *d, char *ssh, char *s, uint64_t bytes, uint64_t offset,                \
                               uint64_t period, uint64_t run) {                                                        \
    RG_HOLDS_BOOK;                                                                                                     \
    if (!bytes || dsh == d)                                                                                            \
      return;                                                                                                          \
    if (ssh == s) {                                                                                                    \
      rg_gpu_adjoint_zero(dsh, d, bytes, offset, period, run);                                                         \
      return;                                                                                                          \
    }                                                                                                                  \
    dsh = rg_shadow_home(dsh, d), ssh = rg_shadow_home(ssh, s);                                                        \
    if (SIZE && !period && !offset && run >= bytes && rg_add_there(ssh, dsh, bytes, SIZE))                             \
      return;                                                                                                          \
    rg_wait("an operation before the adjoint of a copy failed", NULL);                                                 \
    char *from = rg_fetch(dsh, bytes), *to = rg_fetch(ssh, bytes);                                                     \
    RG_ADD_##T(from, to);                                                                                              \
    rg_unfetch(ssh, to, bytes);                                                                                        \
    rg_unfetch(dsh, from, bytes);                                                                                      \
  }
RG_GPU_MOVE(f16, 0)
RG_GPU_MOVE(bf16, 0)
RG_GPU_MOVE(f32, 4)
RG_GPU_MOVE(f64, 8)

/* Pointers among copied bytes: their shadows go the same way. */
void rg_gpu_shadow_move_pointers(char *dsh, char *d, char *ssh, uint64_t bytes, uint64_t offset, uint64_t period,
                                 uint64_t run) {
  RG_HOLDS_BOOK;
  if (!bytes || dsh == d)
    return;
  dsh = rg_shadow_home(dsh, d);
  rg_host_follows();
  ++rg_gpu.moves;
  char *to = rg_fetch(dsh, bytes), *from = rg_fetch(ssh, bytes);
  rg_shadow_move_pointers(to, NULL, from, bytes, offset, period, run);
  if (from != ssh)
    free(from);
  rg_unfetch(dsh, to, bytes);
}

/* Forward mode. */
void rg_gpu_tangent_move(char *dsh, char *d, char *ssh, char *s, uint64_t bytes) {
  RG_HOLDS_BOOK;
  if (!bytes || dsh == d)
    return;
  rg_wait("an operation before a copy of tangents failed", NULL);
  if (ssh == s)
    rg_clear(rg_shadow_home(dsh, d), bytes);
  else
    rg_move(rg_shadow_home(dsh, d), rg_shadow_home(ssh, s), bytes);
  rg_settle();
}

/*===-- Launches --------------------------------------------------------------===*/


/* Kernels of modules that the program carries as PTX. */
struct rg_loaded {
  const char *image;
  int device;
  unsigned registers; /* of a thread, at most; 0: as many as it takes */
  void *module;
  struct rg_loaded *next;
};
struct rg_loaded_kernel {
  const char *image, *name;
  int device;
  unsigned registers;
  void *function;
  uint32_t parts; /* of dynamic shared memory; 0: not asked yet */
  uint8_t asked;
  uint32_t fixed, moved; /* bytes of static shared memory, and what of it is dynamic instead */
  uint64_t most;  /* bytes of dynamic shared memory that the driver was told of */
  uint64_t needs; /* bytes of both that the device does not have */
  struct rg_loaded_kernel *next;
};

static void *rg_module_of(const struct rg_kernel_record *k, int device, unsigned registers) {
  struct rg_loaded *l = rg_gpu.loaded;
  int (*load)(void **, const void *, unsigned, int *, void **) =
      (int (*)(void **, const void *, unsigned, int *, void **))rg_driver("cuModuleLoadDataEx");
  int option = 0; /* the most registers of a thread */
  void *value = (void *)(uintptr_t)registers;
  while (l && (l->image != k->image || l->device != device || l->registers != registers))
    l = l->next;
  if (l)
    return l->module;
  if (!load)
    rg_gpu_fail("the CUDA driver lacks what derivatives of kernels need, for", k->name, 0);
  l = calloc(1, sizeof *l);
  int error = l ? load(&l->module, k->image, registers != 0, &option, &value) : 2;
  if (error) {
    fprintf(stderr, "retrograd: the driver does not take the derivative of kernel '%s' (error %d) [RG2203]\n", k->name,
            error);
    abort();
  }
  l->image = k->image, l->device = device, l->registers = registers, l->next = rg_gpu.loaded;
  rg_gpu.loaded = l;
  return l->module;
}
static void rg_take_kernel(const struct rg_kernel_record *k, struct rg_loaded_kernel *f, unsigned registers) {
  int (*find)(void **, void *, const char *) = (int (*)(void **, void *, const char *))rg_driver("cuModuleGetFunction");
  if (!find || find(&f->function, rg_module_of(k, f->device, registers), f->name))
    rg_gpu_fail("there is no derivative of kernel", k->name, 0);
  f->registers = registers, f->parts = f->asked = 0, f->most = f->needs = 0;
}
static struct rg_loaded_kernel *rg_kernel_of(const struct rg_kernel_record *k, const char *name) {
  int device = rg_device();
  struct rg_loaded_kernel **at = &rg_gpu.kernels, *f;
  for (; (f = *at); at = &f->next)
    if (f->name == name && f->image == k->image && f->device == device) {
      *at = f->next; /* to the front */
      f->next = rg_gpu.kernels;
      return rg_gpu.kernels = f;
    }
  f = calloc(1, sizeof *f);
  if (!f)
    rg_gpu_fail("there is no derivative of kernel", k->name, 0);
  f->image = k->image, f->name = name, f->device = device, f->next = rg_gpu.kernels;
  rg_take_kernel(k, f, 0);
  return rg_gpu.kernels = f;
}

/* What the kernel's module says in the variable so called with the kernel's name behind it, if it has one. Returns where
   that is. */
static void *rg_said(const struct rg_kernel_record *k, const struct rg_loaded_kernel *f, const char *prefix,
                     uint32_t *words, size_t bytes) {
  int (*global)(uint64_t *, size_t *, void *, const char *) =
      (int (*)(uint64_t *, size_t *, void *, const char *))rg_driver("cuModuleGetGlobal_v2");
  uint64_t variable;
  size_t size;
  char text[512];
  snprintf(text, sizeof text, "%s%s", prefix, f->name);
  if (!global || global(&variable, &size, rg_module_of(k, f->device, f->registers), text) || size != bytes)
    return NULL;
  rg_move(words, (void *)variable, bytes);
  return (void *)variable;
}
/* A derivative needs dynamic shared memory for shadows, too, and says how many times
 * the primal's (lib/Polish/DynamicShared.h), and how much beside that (lib/Polish/StaticShared.h). As launch.c asks the
 * kernels of the program. */
static uint64_t rg_shared_for(const struct rg_kernel_record *k, struct rg_loaded_kernel *f, uint64_t bytes) {
  int (*limit)(void *, int, int) = (int (*)(void *, int, int))rg_driver("cuFuncSetAttribute");
  int (*attribute)(int *, int, void *) = (int (*)(int *, int, void *))rg_driver("cuFuncGetAttribute");
  if (!f->asked) {
    int fixed = 0;
    f->fixed = f->moved = 0;
    if (attribute && !attribute(&fixed, 1 /* static shared memory */, f->function))
      f->fixed = (uint32_t)fixed;
    if (f->fixed >= (24u << 10) && !rg_said(k, f, "rg_moved_bytes_of_", &f->moved, sizeof f->moved))
      f->moved = 0;
    f->asked = 1;
  }
  if (bytes && !f->parts) {
    uint32_t words[2] = {1, 1};
    void *variable = rg_said(k, f, "rg_dynamic_parts_of_", words, sizeof words);
    if (variable) {
      words[1] = 1; /* the host has asked */
      rg_move(variable, words, sizeof words);
    }
    f->parts = words[0] ? words[0] : 1;
  }
  if ((bytes && f->parts > 1) || f->moved)
    bytes = (bytes + 15) / 16 * 16 * (bytes ? f->parts : 0) + f->moved;
  if (bytes + f->fixed > (48u << 10) && bytes > f->most && limit) {
    f->needs = limit(f->function, 8 /* the most dynamic shared memory */, (int)bytes) ? bytes + f->fixed : 0;
    f->most = f->needs ? 0 : bytes;
  }
  return bytes;
}
/* The derivative's launch failed for want of it. */
static void rg_say_shared(const struct rg_kernel_record *k, const struct rg_loaded_kernel *f) {
  int (*ask)(int *, int, int) = (int (*)(int *, int, int))rg_driver("cuDeviceGetAttribute");
  int most = 0;
  if (!f->needs || !ask || ask(&most, 97 /* shared memory of a block */, f->device))
    return;
  fprintf(stderr,
          "retrograd: the derivative of kernel '%s' needs %llu bytes of shared memory for a block, with adjoints, and "
          "the device has %d: make its shared variables smaller, or launch it with less [RG2203]\n",
          k->name, (unsigned long long)f->needs, most);
}

/* And tape, as the program's own launches provide it (launch.c). */
uint64_t rg_launch_tape_of(void *function, void *module, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy,
                           uint32_t block_z, uint64_t shared, void **arguments);
static uint64_t rg_tape_for(const struct rg_kernel_record *k, struct rg_loaded_kernel *f,
                            const struct rg_launch_place *at, uint64_t shared, void **arguments) {
  void *module = rg_module_of(k, f->device, f->registers);
  return rg_launch_tape_of(f->function, module, at->grid.x | (uint64_t)at->grid.y << 32, at->grid.z,
                           at->block.x | (uint64_t)at->block.y << 32, at->block.z, shared, arguments);
}

void rg_launch_run(const struct rg_kernel_record *k, const struct rg_launch_place *at, void **arguments);
/* In forward mode the derivative runs in the place of the primal. If it cannot be launched, the primal shows whether
   that is an error of the program's, which finds it where it looks for it. */
static int rg_primal_fails(const struct rg_kernel_record *k, const struct rg_launch_place *at) {
  if (!rg_gpu_call.forward)
    return 0;
  rg_launch_run(k, at, rg_gpu_call.forward);
  return rg_gpu_call.error != 0;
}
/* Of a cooperative launch all blocks are on the device together. */
enum { TOO_LARGE = 720 };
static int rg_launch_together(const struct rg_kernel_record *k, struct rg_loaded_kernel *f,
                              const struct rg_launch_place *at, uint64_t shared, void **arguments) {
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **) =
      (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **))rg_driver(
          "cuLaunchCooperativeKernel");
  return launch(f->function, at->grid.x, at->grid.y, at->grid.z, at->block.x, at->block.y, at->block.z,
                (unsigned)rg_tape_for(k, f, at, rg_shared_for(k, f, shared), arguments), at->stream, arguments);
}
/* A derivative takes more registers than its primal, and fewer blocks of it fit. How many a thread may have so that all
   do; 0: there is no such number, or the kernel has no more already. */
static unsigned rg_registers_together(const struct rg_loaded_kernel *f, const struct rg_launch_place *at) {
  int processors = 0, registers = 0;
  uint64_t blocks = (uint64_t)at->grid.x * at->grid.y * at->grid.z;
  uint64_t warps = ((uint64_t)at->block.x * at->block.y * at->block.z + 31) / 32;
  int (*ask)(int *, int, int) = (int (*)(int *, int, int))rg_driver("cuDeviceGetAttribute");
  if (!ask || ask(&processors, 16 /* multiprocessors */, f->device) ||
      ask(&registers, 82 /* registers of each */, f->device) || processors <= 0 || !warps || !blocks)
    return 0;
  uint64_t each = (blocks + (uint64_t)processors - 1) / (uint64_t)processors;
  uint64_t most = (uint64_t)registers / (each * warps * 32) & ~(uint64_t)7;
  return most < 16 || most > 255 || (f->registers && f->registers <= most) ? 0 : (unsigned)most;
}
static void rg_run_kernel(const struct rg_kernel_record *k, const void *kernel, const struct rg_launch_place *at,
                          void **arguments) {
  int error, together = (at->shared & TOGETHER) != 0;
  uint64_t shared = at->shared & ~TOGETHER;
  if (!k->image) {
    if (shared > (48u << 10)) /* as the program has said of the primal */
      cudaFuncSetAttribute(kernel, 8 /* the most dynamic shared memory */, (int)shared);
    error = (together ? cudaLaunchCooperativeKernel : cudaLaunchKernel)(kernel, at->grid, at->block, arguments, shared,
                                                                        at->stream);
    if (!error || !rg_primal_fails(k, at))
      rg_gpu_check(error, "the derivative of this kernel could not be launched:", k->name);
  } else if (together) {
    struct rg_loaded_kernel *f = rg_kernel_of(k, kernel);
    error = rg_launch_together(k, f, at, shared, arguments);
    unsigned registers = rg_registers_together(f, at);
    if (error == TOO_LARGE && registers) {
      rg_take_kernel(k, f, registers);
      error = rg_launch_together(k, f, at, shared, arguments);
    }
    if (error && !rg_primal_fails(k, at)) {
      rg_say_shared(k, f);
      fprintf(stderr,
              "retrograd: the derivative of kernel '%s' could not be launched with all blocks together (driver's "
              "error %d) [RG2203]\n",
              k->name, error);
      abort();
    }
  } else {
    static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                         void **);
    if (!launch)
      launch = (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                        void **))rg_driver("cuLaunchKernel");
    struct rg_loaded_kernel *f = rg_kernel_of(k, kernel);
    shared = rg_tape_for(k, f, at, rg_shared_for(k, f, shared), arguments);
    error = launch(f->function, at->grid.x, at->grid.y, at->grid.z, at->block.x, at->block.y, at->block.z,
                   (unsigned)shared, at->stream, arguments, NULL);
    if (error && !rg_primal_fails(k, at)) {
      rg_say_shared(k, f);
      fprintf(stderr, "retrograd: the derivative of kernel '%s' could not be launched (driver's error %d) [RG2203]\n",
              k->name, error);
      abort();
    }
  }
}

/* The blocks that a launch may touch, each once. */
struct rg_touched {
  struct rg_block *block;
  uint8_t reads, writes;
  uint8_t seen; /* the host may change it without a word to us */
};
struct rg_touched_list {
  struct rg_touched *at;
  uint64_t n, room;
};
static struct rg_touched *rg_touched_of(struct rg_touched_list *l, struct rg_block *b) {
  for (uint64_t i = 0; i < l->n; ++i)
    if (l->at[i].block == b)
      return &l->at[i];
  if (l->n == l->room) {
    l->room = l->room ? 2 * l->room : 8;
    l->at = realloc(l->at, l->room * sizeof *l->at);
    if (!l->at)
      rg_gpu_fail("no memory for the list of device allocations", NULL, 0);
  }
  l->at[l->n] = (struct rg_touched){b, 0, 0, 0};
  return &l->at[l->n++];
}

/* Blocks that pointers in a block lead to. Which of its words are pointers nobody says: each that is an address in a block
 * may be one. What a number looks like one for is kept, or asked for its shadow, for nothing. */
struct rg_way {
  struct rg_block *block;
  char *shadow; /* of the block; null where none is asked for */
  unsigned left; /* steps that pointers are followed from here */
};
struct rg_ways {
  struct rg_way *at;
  uint64_t n, room;
};
static void rg_go(struct rg_ways *w, struct rg_block *b, char *shadow, unsigned left) {
  for (uint64_t i = 0; i < w->n; ++i)
    if (w->at[i].block == b && w->at[i].shadow == shadow && w->at[i].left >= left)
      return;
  if (w->n == w->room) {
    w->room = w->room ? 2 * w->room : 8;
    w->at = realloc(w->at, w->room * sizeof *w->at);
    if (!w->at)
      rg_gpu_fail("no memory for the list of device allocations", NULL, 0);
  }
  w->at[w->n++] = (struct rg_way){b, shadow, left};
}
static unsigned rg_further(unsigned left) {
  return left == ANY_STEPS ? left : left - 1;
}
/* The block that a word of memory is an address in, if it is. */
static struct rg_block *rg_block_by_word(uint64_t word) {
  /* Doubles that are no denormal ones are above. */
  if (word < 4096 || word >> 48)
    return NULL;
  return rg_block_of((const void *)word);
}
static int rg_on_host(const void *p);
static char *rg_fetch(char *p, uint64_t bytes);
static void rg_unfetch(char *p, char *copy, uint64_t bytes);
static void rg_unfetched(char *p, char *copy) {
  if (copy != p)
    free(copy);
}

static void rg_touch_further(const struct rg_kernel_record *k, const struct rg_kernel_parameter *p, struct rg_block *first,
                             struct rg_touched_list *found) {
  struct rg_ways ways = {NULL, 0, 0};
  rg_wait("an operation before a launch of this kernel failed:", k->name);
  rg_go(&ways, first, NULL, p->steps);
  for (uint64_t i = 0; i < ways.n; ++i) {
    struct rg_way w = ways.at[i];
    char *words = rg_fetch(w.block->base, w.block->bytes);
    for (uint64_t at = 0; at + 8 <= w.block->bytes; at += 8) {
      uint64_t word;
      memcpy(&word, words + at, sizeof word);
      struct rg_block *b = rg_block_by_word(word);
      if (!b)
        continue;
      struct rg_touched *t = rg_touched_of(found, b);
      t->reads |= p->reads_further != 0;
      t->writes |= p->writes_further;
      t->seen |= b->variable && &rg_cuda_on_cpu ? 1 : b->kind != DEVICE;
      if (rg_further(w.left))
        rg_go(&ways, b, NULL, rg_further(w.left));
    }
    rg_unfetched(w.block->base, words);
  }
  free(ways.at);
}

static struct rg_touched_list rg_touches(const struct rg_kernel_record *k, void **arguments) {
  struct rg_touched_list found = {NULL, 0, 0};
  for (uint64_t i = 0; i < k->count; ++i) {
    const struct rg_kernel_parameter *p = &k->parameters[i];
    void *at;
    struct rg_block *b;
    if ((p->kind != POINTER && p->kind != VARIABLE) || (!p->reads && !p->writes))
      continue;
    memcpy(&at, arguments[i], sizeof at);
    if (!at)
      continue;
    if (p->kind == VARIABLE) {
      b = rg_block_at(rg_variable(at), p->bytes);
      b->variable = 1;
    } else {
      b = rg_block_given(at);
    }
    if (!b) {
      fprintf(stderr,
              "retrograd: parameter %llu of a launch of '%s' points to memory that CUDA has not allocated, whose "
              "extent is not known [RG2203]\n",
              (unsigned long long)i + 1, k->name);
      abort();
    }
    struct rg_touched *t = rg_touched_of(&found, b);
    t->reads |= p->reads != 0;
    t->writes |= p->writes;
    if (p->kind == VARIABLE)
      t->seen |= p->reads >> 1;
    else if (b->variable && &rg_cuda_on_cpu)
      t->seen = 1; /* whether it is managed only its name would tell */
    else
      t->seen |= b->kind != DEVICE;
    if (p->steps)
      rg_touch_further(k, p, b, &found);
  }
  return found;
}

/* Addresses in the shadow of a block, as they were when the launch ran. */
struct rg_lead {
  char *shadow; /* of the block */
  uint64_t bytes, n;
  struct rg_lead *next;
  struct rg_lead_word {
    uint64_t at;
    char *shadow;
  } words[];
};
struct rg_launched {
  struct rg_copy *copies; /* of blocks that the launch overwrites */
  struct rg_touched_list touched;
  struct rg_lead *leads;
  uint64_t moves; /* of addresses among shadows of the device, until then */
  uint64_t ticket;
  int device;
  int failed; /* the program's launch: it has no reverse */
};
static void rg_leads_end(struct rg_launched *l) {
  while (l->leads) {
    struct rg_lead *lead = l->leads;
    l->leads = lead->next;
    free(lead);
  }
}

/* In front of a launch, whether derivatives flow through it or not: copies of what it
 * overwrites and a launch has read. */
void *rg_launch_keep(const struct rg_kernel_record *k, void **arguments, void *stream) {
  RG_HOLDS_BOOK;
  struct rg_launched *l = calloc(1, sizeof *l);
  if (!l)
    rg_gpu_fail("no memory for a launch of", k->name, 0);
  l->device = rg_device_works();
  l->touched = rg_touches(k, arguments);
  struct rg_touched *found = l->touched.at;
  uint64_t n = l->touched.n;
  for (uint64_t i = 0; rg_gpu.shared && i < n; ++i)
    if (found[i].seen)
      rg_gpu_fail("threads of the program launch kernels, and their memory is the host's, too, where other threads may "
                  "add to the same adjoints; give the kernel memory of the device: a launch of",
                  k->name, 0);
  struct rg_stream *s = rg_stream_of(stream);
  int waited = 0;
  for (uint64_t i = 0; i < n; ++i) {
    struct rg_block *b = found[i].block;
    if (found[i].seen && (found[i].reads || (found[i].writes && b->read))) {
      if (!waited++) /* for the host, which may change it */
        rg_wait("an operation before a launch of this kernel failed:", k->name);
      l->copies = rg_keep(b, b->base, b->bytes, l->copies, NULL);
    } else if (found[i].writes) {
      int kept = b->read || found[i].reads;
      if (kept)
        rg_settle_others();
      rg_order(b, s);
      if (!kept)
        continue;
      l->copies = rg_keep(b, b->base, b->bytes, l->copies, stream);
      l->copies->reads = found[i].reads;
    }
  }
  if (waited)
    rg_settle();
  for (uint64_t i = 0; i < n; ++i)
    found[i].block->read |= found[i].reads;
  ++rg_gpu.kept;
  l->ticket = rg_take_ticket();
  return rg_gpu_call.last = l;
}
void rg_launch_undo(const struct rg_kernel_record *k, void **arguments, void *kept) {
  RG_HOLDS_BOOK;
  static const char what[] = "an operation before memory was put back failed: for";
  struct rg_launched *l = kept;
  (void)arguments;
  rg_await_turn(l->ticket);
  if (l->copies) {
    int now = -1;
    if (rg_copies_are_of(l->copies, l->device))
      now = rg_begin_step(l->device, what, k->name);
    else
      rg_wait(what, k->name);
    for (struct rg_copy *c = l->copies; c; c = c->next) {
      rg_remember(c->block);
      rg_put_back(c);
    }
    if (now < 0)
      rg_wait(what, k->name);
    else
      rg_end_step(now, what, k->name);
  }
  while (l->copies) {
    struct rg_copy *c = l->copies;
    l->copies = c->next;
    rg_room_back(c->room);
    free(c);
  }
  rg_leads_end(l);
  free(l->touched.at);
  free(l);
  rg_ticket_back();
  rg_done();
}

/* cudaLaunchConfig_t. */
struct rg_configuration {
  struct rg_dim3 grid, block;
  size_t shared;
  void *stream;
  struct {
    int id;
    char padding[4];
    union {
      int together;
      char bytes[64];
    } value;
  } *attributes;
  unsigned count;
};
/* What rg_launch_place.shared shall be. */
uint64_t rg_configured_shared(const struct rg_configuration *c) {
  uint64_t shared = c->shared;
  for (unsigned i = 0; i < c->count; ++i)
    switch (c->attributes[i].id) {
    case 2: /* cooperative */
      if (c->attributes[i].value.together)
        shared |= TOGETHER;
      break;
    case 0: /* ignore */
    case 8: /* priority */
      break;
    default:
      fprintf(stderr,
              "retrograd: a launch by cudaLaunchKernelExC has attribute %d, which has no reverse [RG2203]\n",
              c->attributes[i].id);
      abort();
    }
  return shared;
}

/** The kernel of a launch is found at run time, and is none that has a derivative. */
void rg_launch_unknown(const void *kernel) {
  (void)kernel;
  fprintf(stderr, "retrograd: a derivative met a launch of a kernel that is given by its address, and is none of this "
                  "file's, or has no derivative [RG2203]\n");
  abort();
}
/* The launch itself. An error is the program's to find, as without us. */
void rg_launch_run(const struct rg_kernel_record *k, const struct rg_launch_place *at, void **arguments) {
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < k->own; ++i)
    bytes += (k->sizes[i] + 15) / 16 * 16;
  void **own = malloc((k->own + 1) * sizeof *own);
  char *memory = malloc(bytes + 1), *next = memory;
  if (!own || !memory)
    rg_gpu_fail("no memory for a launch of", k->name, 0);
  memset(memory, 0, bytes);
  for (uint64_t i = 0; i < k->own; ++i) {
    own[i] = next;
    next += (k->sizes[i] + 15) / 16 * 16;
  }
  for (uint64_t i = 0; i < k->count; ++i) {
    const struct rg_kernel_parameter *p = &k->parameters[i];
    if (p->kind != VARIABLE)
      memcpy((char *)own[p->of] + p->offset, arguments[i], p->bytes);
  }
  rg_gpu_call.error = (at->shared & TOGETHER ? cudaLaunchCooperativeKernel : cudaLaunchKernel)(
      k->primal, at->grid, at->block, own, at->shared & ~TOGETHER, at->stream);
  free(memory);
  free(own);
  RG_HOLDS_BOOK;
  if (rg_gpu.streams_used > 1)
    rg_record(rg_stream_known(at->stream, rg_device()));
}
static void __attribute__((noreturn)) rg_lost_on_host(const char *kernel);

/* Goes over the words of w's block that are addresses, and notes those in its shadow. Where the shadow has none, which is
 * memory that the program keeps from before (rg_gpu_shadow_of), it gets one. */
static struct rg_lead *rg_lead_of(const struct rg_kernel_record *k, const struct rg_kernel_parameter *p, struct rg_way w,
                                  uint64_t lane, struct rg_ways *ways) {
  uint64_t most = w.block->bytes / 8;
  struct rg_lead *lead = malloc(sizeof *lead + most * sizeof *lead->words);
  if (!lead)
    rg_gpu_fail("no memory for a launch of", k->name, 0);
  *lead = (struct rg_lead){w.shadow, w.block->bytes, 0, NULL};
  char *words = rg_fetch(w.block->base, w.block->bytes), *shadows = rg_fetch(w.shadow, w.block->bytes);
  int found = 0, cleared = rg_is_found(w.shadow);
  for (uint64_t i = 0; i < most; ++i) {
    uint64_t word;
    char *shadow, *base;
    uint64_t bytes;
    memcpy(&word, words + 8 * i, sizeof word);
    struct rg_block *b = rg_block_by_word(word);
    if (!b)
      continue;
    char *to = (char *)word;
    memcpy(&shadow, shadows + 8 * i, sizeof shadow);
    if (!shadow && !cleared)
      continue; /* of a number */
    /* Memory from before the derivative, as where the launch is given a pointer to it. */
    if ((!shadow || shadow == to) && !rg_is_made(b->base)) {
      char *own = rg_gpu_shadow_of(to, to, lane);
      if (own == to && p->writes_further && b->kind != DEVICE)
        rg_lost_on_host(k->name);
      shadow = own;
    }
    if (!shadow)
      shadow = to;
    if (memcmp(shadows + 8 * i, &shadow, sizeof shadow)) {
      memcpy(shadows + 8 * i, &shadow, sizeof shadow);
      found = 1;
    }
    if (shadow != to) {
      if (!&rg_cuda_on_cpu && rg_noted_variable(to))
        rg_gpu_fail("memory of the device holds the address of a variable, whose shadow is on the host: a launch of",
                    k->name, 0);
      if (!rg_gpu_extent(shadow, &base, &bytes)) {
        if (rg_noted_at(to))
          rg_gpu_fail("memory of the device holds the address of memory of the host that the program has registered, "
                      "and whose shadow it has not: a launch of",
                      k->name, 0);
        continue; /* a number that looks like an address */
      }
      if (shadow - (to - b->base) < base || shadow - (to - b->base) + b->bytes > base + bytes)
        continue;
      if (rg_further(w.left))
        rg_go(ways, b, shadow - (to - b->base), rg_further(w.left));
    }
    lead->words[lead->n++] = (struct rg_lead_word){8 * i, shadow};
  }
  rg_unfetched(w.block->base, words);
  if (found)
    rg_unfetch(w.shadow, shadows, w.block->bytes);
  else
    rg_unfetched(w.shadow, shadows);
  return lead;
}
/* In front of a launch that follows pointers out of memory. */
static struct rg_lead *rg_leads_of(const struct rg_kernel_record *k, void **arguments, void **shadows, uint64_t lanes) {
  struct rg_lead *all = NULL;
  rg_wait("an operation before a launch of this kernel failed:", k->name);
  for (uint64_t i = 0; i < k->count; ++i) {
    const struct rg_kernel_parameter *p = &k->parameters[i];
    char *primal;
    if (!p->steps || !p->active || !shadows[i])
      continue;
    memcpy(&primal, arguments[i], sizeof primal);
    struct rg_block *b =
        p->kind == VARIABLE ? rg_block_at(rg_variable(primal), p->bytes) : primal ? rg_block_of(primal) : NULL;
    if (!b)
      continue;
    for (uint64_t lane = 0; lane < lanes; ++lane) {
      char *shadow = ((char **)shadows[i])[lane];
      if (!shadow || shadow == primal)
        continue;
      if (p->kind == POINTER)
        shadow = rg_shadow_home(shadow, primal) - (primal - b->base);
      struct rg_ways ways = {NULL, 0, 0};
      rg_go(&ways, b, shadow, p->steps);
      for (uint64_t j = 0; j < ways.n; ++j) {
        struct rg_lead *lead = rg_lead_of(k, p, ways.at[j], lane, &ways);
        lead->next = all;
        all = lead;
      }
      free(ways.at);
    }
  }
  return all;
}
/* Shadows of pointers are what they were when the launch ran. */
static void rg_leads_back(const struct rg_launched *l) {
  for (const struct rg_lead *lead = l->leads; lead; lead = lead->next) {
    if (l->moves == rg_gpu.moves && !rg_on_host(lead->shadow))
      continue;
    char *words = rg_fetch(lead->shadow, lead->bytes);
    int changed = 0;
    for (uint64_t i = 0; i < lead->n; ++i)
      if (memcmp(words + lead->words[i].at, &lead->words[i].shadow, sizeof(char *))) {
        memcpy(words + lead->words[i].at, &lead->words[i].shadow, sizeof(char *));
        changed = 1;
      }
    if (changed)
      rg_unfetch(lead->shadow, words, lead->bytes);
    else
      rg_unfetched(lead->shadow, words);
  }
}

/* The tape is what was kept for it. */
void *rg_launch_augment(rg_arena *arena, const struct rg_kernel_record *k, const struct rg_launch_place *at,
                        void **arguments) {
  (void)arena;
  rg_launch_run(k, at, arguments);
  struct rg_launched *l = rg_gpu_call.last;
  l->failed = rg_gpu_call.error != 0;
  return l;
}

void *rg_launch_augment_leading(rg_arena *arena, uint64_t lanes, const struct rg_kernel_record *k,
                                const struct rg_launch_place *at, void **arguments, void **shadows) {
  RG_HOLDS_BOOK;
  struct rg_launched *l = rg_gpu_call.last;
  l->leads = rg_leads_of(k, arguments, shadows, lanes);
  l->moves = rg_gpu.moves;
  return rg_launch_augment(arena, k, at, arguments);
}

/* The operands of a kernel's derivative: the kernel's own, and then what belongs to
 * each active one. Numbers that are passed by value lie in memory, each beside its
 * adjoint or tangent, where all threads find them. Memory without a shadow gets one
 * that nobody looks at. */
struct rg_stand_in {
  struct rg_block *block;
  struct rg_room room;
  char *back; /* the shadow of a variable lies on the host: it comes from there and goes back */
};
struct rg_operands {
  const struct rg_kernel_record *k;
  void **all;    /* what is passed: addresses of values */
  char **values; /* pointers among these */
  uint64_t cells;
  struct rg_room room; /* of the numbers on the device, 16 bytes each */
  char *numbers;       /* the same on the host */
  struct rg_stand_in *stand_ins;
  uint64_t used;
};

static int rg_is_number(const struct rg_kernel_parameter *p) {
  return p->kind == F32 || p->kind == F64;
}

static void rg_operands_begin(struct rg_operands *o, const struct rg_kernel_record *k) {
  memset(o, 0, sizeof *o);
  o->k = k;
  o->all = malloc((2 * k->count + 1) * sizeof *o->all);
  o->values = malloc((2 * k->count + 1) * sizeof *o->values);
  o->stand_ins = malloc((k->count + 1) * sizeof *o->stand_ins);
  for (uint64_t i = 0; i < k->count; ++i)
    o->cells += k->parameters[i].active && rg_is_number(&k->parameters[i]);
  o->numbers = malloc(o->cells * 16 + 1);
  if (!o->all || !o->values || !o->stand_ins || !o->numbers)
    rg_gpu_fail("no memory for a launch of", k->name, 0);
  if (o->cells) {
    o->room = rg_room_for(o->cells * 16);
    if (o->room.on_host && !&rg_cuda_on_cpu)
      rg_gpu_fail("no device memory for adjoints of the numbers passed to", k->name, 0);
  }
}
static void rg_operands_end(struct rg_operands *o) {
  if (o->cells)
    rg_room_back(o->room);
  while (o->used)
    rg_room_back(o->stand_ins[--o->used].room);
  free(o->all);
  free(o->values);
  free(o->stand_ins);
  free(o->numbers);
}

static struct rg_stand_in *rg_stand_in_of(struct rg_operands *o, struct rg_block *b, char *back) {
  uint64_t i;
  for (i = 0; i < o->used && (o->stand_ins[i].block != b || o->stand_ins[i].back != back); ++i)
    ;
  if (i == o->used) {
    o->stand_ins[o->used++] = (struct rg_stand_in){b, rg_room_for(b->bytes), back};
    if (o->stand_ins[i].room.on_host && !&rg_cuda_on_cpu)
      rg_gpu_fail("no device memory for a shadow in a launch of", o->k->name, 0);
  }
  return &o->stand_ins[i];
}
/* A copy of the shadow at `home`, which lies on the host. */
static struct rg_stand_in *rg_stand_in_from(struct rg_operands *o, struct rg_block *b, char *home) {
  struct rg_stand_in *s = rg_stand_in_of(o, b, home);
  rg_move(s->room.at, home, b->bytes);
  return s;
}
static char *rg_stand_in_for(struct rg_operands *o, struct rg_block *b, char *primal) {
  if (!b)
    return NULL;
  struct rg_stand_in *s = rg_stand_in_of(o, b, NULL);
  rg_gpu_check(cudaMemset(s->room.at, 0, b->bytes), "adjoints could not be cleared", NULL);
  return s->room.at + (primal - b->base);
}

/* The host reads what the launch writes without a word to us. */
static void __attribute__((noreturn)) rg_lost_on_host(const char *kernel) {
  fprintf(stderr,
          "retrograd: derivatives flow through memory that has no shadow: a launch of '%s' writes memory that host and "
          "device share, and that was there before the derivative began: allocate it in the differentiated function, "
          "or pass it with enzyme_dup and a shadow [RG1105]\n",
          kernel);
  abort();
}

/* Runs the derivative for one lane. local: all shadows are where the device finds them. Of an active pointer shadows[i] is the array of
 * its shadows by lane, of a number that of its tangents, or, with Adjoints, of the
 * adjoints to add to; null where nothing is active after all. */
static void rg_run_derivative(struct rg_operands *o, const void *kernel, const struct rg_launch_place *at,
                              void **arguments, void **shadows, uint64_t lane, int adjoints, int local) {
  const struct rg_kernel_record *k = o->k;
  uint64_t next = k->count, cell = 0, first = o->used;
  for (uint64_t i = 0; i < k->count; ++i) {
    const struct rg_kernel_parameter *p = &k->parameters[i];
    o->all[i] = arguments[i];
    if (p->kind == VARIABLE) {
      char *host;
      memcpy(&host, arguments[i], sizeof host);
      o->values[i] = rg_variable(host);
      o->all[i] = &o->values[i];
    }
    if (!p->active)
      continue;
    if (p->kind == VARIABLE) {
      char *shadow = shadows[i] ? ((char **)shadows[i])[lane] : NULL, *host;
      struct rg_block *b = rg_block_at(o->values[i], p->bytes);
      memcpy(&host, arguments[i], sizeof host);
      b->variable = 1;
      if (shadow == host)
        shadow = NULL;
      if (!shadow) {
        o->values[next] = p->steps ? o->values[i] : rg_stand_in_for(o, b, o->values[i]);
      } else if (&rg_cuda_on_cpu) {
        o->values[next] = shadow;
      } else {
        o->values[next] = rg_stand_in_from(o, b, shadow)->room.at;
      }
    } else if (p->kind == POINTER) {
      char *primal, *shadow = shadows[i] ? ((char **)shadows[i])[lane] : NULL, *home;
      memcpy(&primal, arguments[i], sizeof primal);
      struct rg_block *b = shadow && (local || &rg_cuda_on_cpu) ? NULL : rg_block_given(primal);
      if (!shadow && b && p->writes && rg_gpu_kind(primal) != DEVICE)
        rg_lost_on_host(k->name);
      if (!shadow) /* a pointer without one is its own where pointers are followed */
        o->values[next] = p->steps ? primal : rg_stand_in_for(o, b, primal);
      else if (!b || ((home = rg_shadow_home(shadow, primal)) == shadow && rg_gpu_kind(shadow) != UNREGISTERED))
        o->values[next] = shadow;
      else /* the program has registered the primal alone, or it is a variable */
        o->values[next] = rg_stand_in_from(o, b, home - (primal - b->base))->room.at + (primal - b->base);
    } else {
      char *number = o->numbers + 16 * cell;
      memset(number, 0, 16);
      memcpy(number, arguments[i], p->bytes);
      if (!adjoints && shadows[i])
        memcpy(number + 8, (char *)shadows[i] + lane * p->bytes, p->bytes);
      o->values[i] = o->room.at + 16 * cell;
      o->values[next] = o->room.at + 16 * cell + 8;
      o->all[i] = &o->values[i];
      ++cell;
    }
    o->all[next] = &o->values[next];
    ++next;
  }
  if (cell)
    rg_move(o->room.at, o->numbers, cell * 16);
  if (at->stream && (cell || o->used))
    rg_settle();
  rg_run_kernel(k, kernel, at, o->all);
  uint64_t used = first;
  for (uint64_t i = first; i < o->used; ++i) {
    struct rg_stand_in *s = &o->stand_ins[i];
    if (s->back) {
      rg_wait("the derivative of this kernel failed:", k->name);
      rg_move(s->back, s->room.at, s->block->bytes);
      rg_room_back(s->room);
    } else {
      o->stand_ins[used++] = *s;
    }
  }
  o->used = used;
  if (!cell || !adjoints)
    return;
  rg_move(o->numbers, o->room.at, cell * 16);
  cell = 0;
  for (uint64_t i = 0; i < k->count; ++i) {
    const struct rg_kernel_parameter *p = &k->parameters[i];
    if (!p->active || !rg_is_number(p))
      continue;
    char *number = o->numbers + 16 * cell++ + 8;
    if (!shadows[i])
      continue;
    if (p->kind == F32) {
      float adjoint;
      memcpy(&adjoint, number, sizeof adjoint);
      ((float *)shadows[i])[lane] += adjoint;
    } else {
      double adjoint;
      memcpy(&adjoint, number, sizeof adjoint);
      ((double *)shadows[i])[lane] += adjoint;
    }
  }
}

/* Whether the reverse of a launch touches memory of its device alone. */
static int rg_is_local(const struct rg_launched *l, const struct rg_kernel_record *k, uint64_t lanes, void **shadows) {
  if (l->leads)
    return 0;
  for (uint64_t i = 0; i < l->touched.n; ++i)
    if (l->touched.at[i].seen || l->touched.at[i].block->device != l->device)
      return 0;
  for (uint64_t i = 0; i < k->count; ++i) {
    const struct rg_kernel_parameter *p = &k->parameters[i];
    if (!p->active || rg_is_number(p) || !shadows[i])
      continue;
    if (p->kind == VARIABLE)
      return 0;
    for (uint64_t lane = 0; lane < lanes; ++lane) {
      const void *shadow = ((void **)shadows[i])[lane];
      if (!shadow)
        continue;
      struct rg_attributes a = rg_attributes_of(shadow);
      if (a.type != DEVICE || a.device != l->device)
        return 0;
    }
  }
  return rg_copies_are_of(l->copies, l->device);
}

void rg_launch_reverse(rg_arena *arena, uint64_t lanes, void *tape, const struct rg_kernel_record *k,
                       const struct rg_launch_place *at, void **arguments, void **shadows) {
  RG_HOLDS_BOOK;
  static const char what[] = "the derivative of this kernel, or an operation before it, failed:";
  struct rg_launched *l = tape;
  if (l->failed)
    return;
  rg_await_turn(l->ticket);
  struct rg_operands o;
  (void)arena;
  /* Streams of the primal sweep may be gone by now: all of the reverse sweep runs on default streams. */
  struct rg_launch_place here = *at;
  here.stream = NULL;
  if (k->together)
    here.shared |= TOGETHER;
  int now = rg_device();
  if (l->device != now) /* which has the variables that it names */
    rg_enter(l->device, "its device cannot be made the current one: a launch of", k->name);
  int local = rg_is_local(l, k, lanes, shadows);
  if (local)
    rg_begin_step(l->device, what, k->name);
  else
    rg_wait("an operation before the derivative of this kernel failed:", k->name);
  for (uint64_t i = 0; i < l->touched.n; ++i)
    if (l->touched.at[i].writes)
      rg_remember(l->touched.at[i].block);
  rg_leads_back(l);
  rg_operands_begin(&o, k);
  for (uint64_t lane = 0; lane < lanes; ++lane) {
    for (struct rg_copy *c = l->copies; c; c = c->next)
      if (c->reads)
        rg_put_back(c);
    rg_run_derivative(&o, k->reverse, &here, arguments, shadows, lane, /*adjoints=*/1, local);
  }
  if (!local)
    rg_wait("the derivative of this kernel failed:", k->name);
  rg_operands_end(&o);
  if (local)
    rg_end_step(now, what, k->name);
  else if (l->device != now)
    rg_enter(now, "the device of the program cannot be made the current one again, after", k->name);
}

/* The tangent kernel runs the primal, too. */
void rg_launch_forward(uint64_t lanes, const struct rg_kernel_record *k, const struct rg_launch_place *at,
                       void **arguments, void **shadows) {
  RG_HOLDS_BOOK;
  struct rg_operands o;
  struct rg_copy *before = NULL;
  rg_device_works();
  for (uint64_t i = 0; i < k->count; ++i)
    if (k->parameters[i].steps) {
      struct rg_launched found = {.leads = rg_leads_of(k, arguments, shadows, lanes)};
      rg_leads_end(&found);
      break;
    }
  rg_operands_begin(&o, k);
  if (lanes > 1) { /* the primal runs once for each */
    struct rg_touched_list found = rg_touches(k, arguments);
    rg_wait("an operation before a launch of this kernel failed:", k->name);
    for (uint64_t i = 0; i < found.n; ++i)
      if (found.at[i].writes)
        before = rg_keep(found.at[i].block, found.at[i].block->base, found.at[i].block->bytes, before, NULL);
    free(found.at);
  }
  for (uint64_t lane = 0; lane < lanes; ++lane) {
    if (lane) {
      rg_wait("the derivative of this kernel failed:", k->name);
      for (struct rg_copy *c = before; c; c = c->next)
        rg_put_back(c);
    }
    if (before)
      rg_settle();
    rg_gpu_call.forward = arguments;
    rg_gpu_call.error = 0;
    rg_run_derivative(&o, k->forward, at, arguments, shadows, lane, /*adjoints=*/0, /*local=*/0);
    rg_gpu_call.forward = NULL;
  }
  if (o.room.at || o.used) /* what is given back is the kernel's no more */
    rg_wait("the derivative of this kernel failed:", k->name);
  while (before) {
    struct rg_copy *c = before;
    before = c->next;
    rg_room_back(c->room);
    free(c);
  }
  rg_operands_end(&o);
  if (!rg_gpu.kept)
    rg_forget();
}

/*===-- Libraries -------------------------------------------------------------===*/

int rg_gpu_reads(const void *p) {
  RG_HOLDS_BOOK;
  struct rg_block *b = rg_block_of(p);
  if (!b)
    return 0;
  b->read = 1;
  /* The host changes memory that it sees without a word to us. */
  return rg_gpu_kind(p) == DEVICE;
}
void rg_gpu_hold(void) {
  RG_HOLDS_BOOK;
  if (rg_gpu.shared)
    rg_gpu_fail("a call of a library in a derivative whose threads use devices, too", NULL, 0);
  ++rg_gpu.kept;
}
void rg_gpu_let_go(void) {
  RG_HOLDS_BOOK;
  rg_done();
}
struct rg_room rg_gpu_room(uint64_t bytes, const char *of) {
  RG_HOLDS_BOOK;
  struct rg_room r = rg_room_for(bytes);
  if (r.on_host && !&rg_cuda_on_cpu) {
    fprintf(stderr, "retrograd: the derivative of a call of %s wants %llu bytes of device memory, which has no more "
                    "[RG2203]\n",
            of, (unsigned long long)bytes);
    abort();
  }
  return r;
}
void rg_gpu_room_back(struct rg_room room) {
  RG_HOLDS_BOOK;
  rg_room_back(room);
}
void rg_gpu_wait(const char *of) {
  RG_HOLDS_BOOK;
  rg_wait("an operation failed before the derivative of a call of", of);
}
int rg_gpu_works(void) {
  RG_HOLDS_BOOK;
  rg_gpu.settled = 0; /* in streams that are not known here */
  return rg_device_works();
}
int rg_gpu_enter(int device, const char *of) {
  int now = rg_device();
  if (device != now)
    rg_gpu_check(cudaSetDevice(device), "its device cannot be made the current one: a call of", of);
  return now;
}
void rg_gpu_library_failed(const char *routine, int status) {
  if (status < 0)
    fprintf(stderr, "retrograd: a derivative met a call of %s with numbers that are neither float nor double [RG2203]\n",
            routine);
  else
    fprintf(stderr, "retrograd: a call of %s in a derivative failed with status %d [RG2203]\n", routine, status);
  abort();
}
void rg_gpu_library_refused(const char *routine, const char *why) {
  fprintf(stderr, "retrograd: a derivative met a call of %s %s [RG2203]\n", routine, why);
  abort();
}
void rg_gpu_set_library_status(int status) {
  rg_gpu_call.library = status;
}
int rg_gpu_library_status(void) {
  return rg_gpu_call.library;
}

#define RG_ADD(p, v) (*(p) += (v))
#define T double
#define RG_MAP_ELEMENT rg_map_double
#define RG_SPARSE_ELEMENT rg_sparse_double
#include "devicemap.inc"
#undef T
#undef RG_MAP_ELEMENT
#undef RG_SPARSE_ELEMENT
#define T float
#define RG_MAP_ELEMENT rg_map_float
#define RG_SPARSE_ELEMENT rg_sparse_float
#include "devicemap.inc"
#include "deviceconvert.inc"
#include "devicereduce.inc"

static const struct rg_kernel_record rg_map_record = {
    .name = "an elementwise operation", .image = (const char *)RetrogradDeviceMap};

/* One thread per item, or more items per thread. Without a device the caller runs the items, when the stream has done
   what it was given before. */
static int rg_ran_on_device(const char *kernel, int64_t items, const void *operand, void *stream) {
  if (&rg_cuda_on_cpu) {
    rg_gpu_check(cudaStreamSynchronize(stream), "an operation before it failed:", rg_map_record.name);
    return 0;
  }
  int64_t blocks = (items + 255) / 256;
  struct rg_launch_place at = {{blocks < 4096 ? (uint32_t)blocks : 4096, 1, 1}, {256, 1, 1}, 0, stream};
  void *arguments[] = {(void *)operand};
  if (items > 0)
    rg_run_kernel(&rg_map_record, kernel, &at, arguments);
  return 1;
}

void rg_device_convert(const struct rg_convert *c, void *stream) {
  if (rg_ran_on_device("rg_conversion", c->m * c->n, c, stream))
    return;
  for (int64_t j = 0; j < c->n; ++j)
    for (int64_t i = 0; i < c->m; ++i)
      rg_convert_element(c, i, j);
}

void rg_device_reduced(const struct rg_reduced *r, void *stream) {
  if (rg_ran_on_device("rg_reduction", r->n, r, stream))
    return;
  for (int64_t i = 0; i < r->n; ++i)
    rg_reduce_element(r, i);
}

void rg_device_map(const struct rg_map *m, void *stream) {
  if (rg_ran_on_device("rg_map", m->m * m->n, m, stream))
    return;
  for (int64_t j = 0; j < m->n; ++j)
    for (int64_t i = 0; i < m->m; ++i)
      if (m->is_double)
        rg_map_double(m, i, j);
      else
        rg_map_float(m, i, j);
}

void rg_device_sparse(const struct rg_sparse *s, void *stream) {
  int64_t items = s->elements * (s->what == RG_SPARSE_SCATTER ? s->columns : 1);
  if (rg_ran_on_device("rg_sparse_sum", items, s, stream))
    return;
  for (int64_t k = 0; k < items; ++k)
    if (s->is_double)
      rg_sparse_double(s, k);
    else
      rg_sparse_float(s, k);
}
