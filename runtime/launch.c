/*===- launch.c - launches that provide memory for derivatives ------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Dynamic shared memory for shadows (lib/Polish/DynamicShared.h), and memory for
|* the tape (lib/Polish/LaunchMemory.h). A launch that is known to ask for more than
|* there can be (lib/Polish/TapeNeed.h) says so and fails. Kernels are compiled apart from the host's
|* code that launches them, so the host asks the kernel's module, when it is launched
|* first, by variables whose names end in the kernel's. The CUDA runtime has no name
|* for variables that no source declares; the driver has.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUDA's runtime, which every program with launches has. */
int cudaGetFuncBySymbol(void **function, const void *kernel);
int cudaGetDevice(int *device);
int cudaFuncSetAttribute(const void *kernel, int attribute, int value);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaMemGetInfo(size_t *unused, size_t *all);
int cudaMalloc(void **memory, size_t bytes);
int cudaFree(void *memory);
int cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemsetAsync(void *memory, int value, size_t bytes, void *stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamSynchronize(void *stream);
int cudaStreamDestroy(void *stream);
int cudaDeviceSynchronize(void);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaThreadExchangeStreamCaptureMode(int *mode);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
enum {
  MAX_DYNAMIC_SHARED = 8, /* cudaFuncAttributeMaxDynamicSharedMemorySize */
  MOST_SHARED = 97,       /* cudaDevAttrMaxSharedMemoryPerBlockOptin */
  STATIC_SHARED = 1,      /* CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES */
  MULTIPROCESSORS = 16,   /* cudaDevAttrMultiProcessorCount */
  CAPTURE_RELAXED = 2,    /* cudaStreamCaptureModeRelaxed */
  STREAM_APART = 1,       /* cudaStreamNonBlocking */
  HOST_MAPPED = 3,        /* cudaHostAllocPortable | cudaHostAllocMapped */
  TO_DEVICE = 1,          /* cudaMemcpyHostToDevice */
  MOST_THREADS = 0,       /* CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK */
  LOCAL_BYTES = 3,        /* CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES */
  REGISTERS = 4,          /* CU_FUNC_ATTRIBUTE_NUM_REGS */
  STACK_SIZE = 0,         /* cudaLimitStackSize */
  HEAP_SIZE = 2,          /* cudaLimitMallocHeapSize */
  THREADS_AT_ONCE = 39    /* cudaDevAttrMaxThreadsPerMultiProcessor */
};

/* A word of what is known of a kernel's tape in front of its launch, as lib/Polish/TapeNeed.cpp
   writes it: operands are numbers of earlier words. */
struct need {
  uint8_t operation, bits;
  uint16_t a, b, c;
  uint64_t value;
};
enum {
  NUMBER,
  ARGUMENT,
  POSITION,
  ADD,
  SUB,
  MUL,
  DIV,
  REM,
  AND,
  OR,
  XOR,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  SHIFT_SIGNED,
  EQUAL,
  LESS,
  LESS_SIGNED,
  CHOOSE,
  EXTEND,
  NARROW,
  REQUEST,
  MOST_NEEDS = 512
};

struct known {
  const void *kernel; /* the program's, or the driver's function */
  void *function, *module;
  int device;
  int most_threads, registers; /* of a block; of a thread */
  struct need *needs;
  uint64_t need_count;
  _Atomic(uint64_t) need;   /* bytes that memory was looked for */
  _Atomic(uint64_t) passed; /* bytes of a piece for which there is memory that is not the launch's */
  atomic_flag said;
  uint64_t parts; /* of dynamic shared memory; 0: not asked yet */
  uint64_t fixed, moved; /* bytes of static shared memory; what of it is in dynamic one instead */
  const char *name;
  void *tape; /* the device's variable that says where the tape's memory is, if it needs any */
  void *stack; /* the one that says how much of its stack is the tape's */
  uint64_t frames;                /* bytes of local memory beside that */
  _Atomic(uint64_t) stack_bytes;  /* as stack says */
  _Atomic(uint64_t) stack_asked;  /* the device's when it was asked for */
  _Atomic(uint64_t) warps; /* at once, of the largest launch for which there is memory */
  struct known *next;
};
enum { BUCKETS = 256 };
_Atomic(struct known *) rg_known_kernels[BUCKETS];

struct driver {
  int (*name_of)(const char **, void *);
  int (*module_of)(void **, void *);
  int (*attribute)(int *, int, void *);
  int (*global)(uint64_t *, uint64_t *, void *, const char *);
  int (*read)(void *, uint64_t, uint64_t);
  int (*write)(uint64_t, const void *, uint64_t);
  int (*at_once)(int *, void *, int, size_t);
};

/* Whether there is all of it: drivers before CUDA 12.3 have no names for kernels. */
static int find_driver(struct driver *d) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
  if (!driver)
    return 0;
  d->name_of = (int (*)(const char **, void *))dlsym(driver, "cuFuncGetName");
  d->module_of = (int (*)(void **, void *))dlsym(driver, "cuFuncGetModule");
  d->attribute = (int (*)(int *, int, void *))dlsym(driver, "cuFuncGetAttribute");
  d->global = (int (*)(uint64_t *, uint64_t *, void *, const char *))dlsym(driver, "cuModuleGetGlobal_v2");
  d->read = (int (*)(void *, uint64_t, uint64_t))dlsym(driver, "cuMemcpyDtoH_v2");
  d->write = (int (*)(uint64_t, const void *, uint64_t))dlsym(driver, "cuMemcpyHtoD_v2");
  d->at_once = (int (*)(int *, void *, int, size_t))dlsym(driver, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return d->name_of && d->module_of && d->attribute && d->global && d->read && d->write && d->at_once;
}

/* The address of a variable of the kernel's module that is called after the kernel, or 0; its size. */
static uint64_t variable_of(const struct driver *d, const char *prefix, const char *name, void *module,
                            uint64_t *bytes) {
  char *text = NULL;
  uint64_t variable = 0;
  if (asprintf(&text, "%s%s", prefix, name) < 0)
    return 0;
  if (d->global(&variable, bytes, module, text))
    variable = 0;
  free(text);
  return variable;
}

static void ask_needs(struct known *k, const struct driver *d) {
  uint64_t bytes = 0, variable = variable_of(d, "rg_need_of_", k->name, k->module, &bytes);
  struct need *needs;
  if (!variable || bytes % sizeof *needs || bytes > MOST_NEEDS * sizeof *needs || !(needs = malloc(bytes)))
    return;
  if (d->read(needs, variable, bytes)) {
    free(needs);
    return;
  }
  k->needs = needs;
  k->need_count = bytes / sizeof *needs;
}

/* How many bytes of what would be static shared memory are dynamic instead (lib/Polish/StaticShared.h):
   of kernels that have more than half of what they can have, for which see below. */
static uint64_t moved_bytes(const struct driver *d, const char *name, void *module, uint64_t fixed) {
  uint64_t bytes = 0, variable;
  uint32_t moved = 0;
  if (fixed < (24u << 10) || !(variable = variable_of(d, "rg_moved_bytes_of_", name, module, &bytes)) ||
      bytes != sizeof moved || d->read(&moved, variable, sizeof moved))
    return 0;
  return moved;
}

/* What the kernel's module says of it. Where nothing can be asked, the kernel says that it was
   not seen. */
static struct known *ask(const void *kernel, void *function, void *module, int device) {
  struct known *k = malloc(sizeof *k);
  struct driver d;
  if (!k)
    return NULL;
  *k = (struct known){.kernel = kernel, .device = device, .name = "?", .said = ATOMIC_FLAG_INIT};
  if (!function && cudaGetFuncBySymbol(&function, kernel)) {
    cudaGetLastError(); /* the launch itself will say so */
    return k;
  }
  if (!find_driver(&d) || d.name_of(&k->name, function) || (!module && d.module_of(&module, function)))
    return k;
  k->function = function;
  k->module = module;
  /* The state of a tape is in local memory: of kernels that have none nothing is asked, since tools
     that watch the driver report a variable that is not there. */
  int local = 0, fixed = 0;
  uint64_t stack, variable, bytes = 0;
  if (d.attribute(&k->most_threads, MOST_THREADS, function) || d.attribute(&k->registers, REGISTERS, function))
    k->most_threads = 0;
  if (!d.attribute(&fixed, STATIC_SHARED, function)) {
    k->fixed = (uint64_t)fixed;
    k->moved = moved_bytes(&d, k->name, module, k->fixed);
  }
  if (d.attribute(&local, LOCAL_BYTES, function) || !local ||
      !(stack = variable_of(&d, "rg_tape_of_", k->name, module, &bytes)) || bytes != sizeof stack)
    return k;
  if (!d.global(&variable, &bytes, module, "rg_tape_pool") && bytes == sizeof variable) {
    k->tape = (void *)variable;
    k->stack = (void *)stack;
    k->frames = (uint64_t)local;
    ask_needs(k, &d);
  }
  return k;
}

static struct known *find_of(const void *kernel, void *function, void *module) {
  int device;
  struct known *k;
  _Atomic(struct known *) *bucket = &rg_known_kernels[((uintptr_t)kernel >> 4) % BUCKETS];
  if (cudaGetDevice(&device))
    return NULL;
  for (k = atomic_load(bucket); k; k = k->next)
    if (k->kernel == kernel && k->device == device)
      return k;
  k = ask(kernel, function, module, device);
  if (!k)
    return NULL;
  k->next = atomic_load(bucket);
  while (!atomic_compare_exchange_weak(bucket, &k->next, k))
    ;
  return k;
}

static struct known *find(const void *kernel) { return find_of(kernel, NULL, NULL); }

/*===- Dynamic shared memory ----------------------------------------------===*/

/* How many parts the kernel needs, and that the host has seen it. */
static uint64_t ask_parts(const struct known *k) {
  struct driver d;
  uint64_t variable, bytes = 0;
  uint32_t words[2];
  if (!k->function || !find_driver(&d))
    return 1;
  variable = variable_of(&d, "rg_dynamic_parts_of_", k->name, k->module, &bytes);
  if (!variable || bytes != sizeof words || d.read(words, variable, sizeof words))
    return 1;
  words[1] = 1;
  return d.write(variable, words, sizeof words) ? 1 : words[0];
}

/* The bytes of dynamic shared memory to launch with, for a launch that asks for so many. */
uint64_t rg_launch_shared(const void *kernel, uint64_t bytes) {
  struct known *k = find(kernel);
  int most = 0;
  if (!k)
    return bytes;
  if (bytes && !k->parts)
    k->parts = ask_parts(k);
  uint64_t parts = bytes && k->parts ? k->parts : 1;
  if (parts <= 1 && !k->moved)
    return bytes;
  uint64_t grown = (bytes + 15) / 16 * 16 * parts + k->moved;
  /* Beyond 48 KiB a kernel has to be told; what the program told it is too little. */
  if (grown + k->fixed > (48u << 10) && cudaFuncSetAttribute(kernel, MAX_DYNAMIC_SHARED, (int)grown)) {
    (void)cudaDeviceGetAttribute(&most, MOST_SHARED, k->device);
    fprintf(stderr,
            "retrograd: a derivative in kernel '%s' needs %llu bytes of shared memory for a block, %llu times the %llu "
            "that its launch asks for and %llu for its own variables, and there are %d: launch it with less, or make "
            "these smaller [RG2201]\n",
            k->name, (unsigned long long)(grown + k->fixed), (unsigned long long)parts, (unsigned long long)bytes,
            (unsigned long long)(k->fixed + k->moved), most);
  }
  return grown;
}

/*===- The tape -----------------------------------------------------------===*/

/* As gpu/arena.c has it. */
struct pool {
  void *memory, *slots;
  uint64_t lane_bytes;
  uint32_t count;
  uint64_t *wanted;
};
/* The memory of one device, for all kernels that run there. */
struct device_pool {
  int device;
  void *here; /* the device's copy of what follows */
  struct pool pool;
  uint64_t limit; /* lane_bytes was as large as the memory allowed */
  uint64_t stack_bytes;           /* of each thread's stack, for the tape */
  uint64_t threads;               /* that have a stack */
  _Bool stack_limit;              /* there is no memory for more */
  struct device_pool *next;
};
_Atomic(struct device_pool *) rg_device_pools;
atomic_flag rg_pools_busy = ATOMIC_FLAG_INIT;

enum { LANE_BYTES = 64 << 10, AMPLE_LANE_BYTES = 256 << 10, LEAST_LANE_BYTES = 1 << 10, LANES = 32 };

static struct device_pool *pool_of(int device, void *stream) {
  struct device_pool *p;
  for (p = atomic_load(&rg_device_pools); p; p = p->next)
    if (p->device == device)
      return p;
  p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->device = device;
  void *wanted = NULL;
  if (cudaHostAlloc(&wanted, 2 * sizeof(uint64_t), HOST_MAPPED) || cudaMalloc(&p->here, sizeof p->pool)) {
    free(p);
    return NULL;
  }
  p->pool.wanted = (uint64_t *)wanted;
  p->pool.wanted[0] = p->pool.wanted[1] = 0;
  if (cudaMemsetAsync(p->here, 0, sizeof p->pool, stream)) {
    free(p);
    return NULL;
  }
  p->next = atomic_load(&rg_device_pools);
  atomic_store(&rg_device_pools, p);
  return p;
}

/* The most bytes that the tape may have on this device, beside what it has. */
static uint64_t budget(uint64_t share) {
  const char *text = getenv("RG_DEVICE_TAPE_MIB");
  size_t unused = 0, all = 0;
  if (cudaMemGetInfo(&unused, &all))
    return 0;
  if (text)
    return (uint64_t)strtoull(text, NULL, 10) << 20;
  return unused / share;
}

/* Makes p's memory large enough for so many warps, and for as many as it was for unless these
   shall have it alone. Kernels that use what it has must have ended. */
static int grow(struct device_pool *p, uint64_t warps, uint64_t lane_bytes, uint64_t need, int alone, void *stream) {
  struct pool *pool = &p->pool;
  uint64_t most = alone || warps > pool->count ? warps : pool->count;
  if (pool->memory && cudaDeviceSynchronize())
    return 0;
  cudaFree(pool->memory);
  cudaFree(pool->slots);
  pool->memory = pool->slots = NULL;
  pool->count = 0;
  uint64_t bytes = budget(lane_bytes > LANE_BYTES ? 2 : 4), wish = lane_bytes;
  /* What these are known to need, in place of a power of two above it. */
  need = (need + 15) / 16 * 16;
  if (most * LANES * lane_bytes > bytes && need < lane_bytes && need >= LANE_BYTES && most * LANES * need <= bytes)
    lane_bytes = need;
  while (lane_bytes > LEAST_LANE_BYTES && most * LANES * lane_bytes > bytes)
    lane_bytes = lane_bytes / 32 * 16;
  p->limit = lane_bytes < wish ? lane_bytes : 0;
  pool->lane_bytes = lane_bytes;
  if (most * LANES * lane_bytes <= bytes && !cudaMalloc(&pool->memory, most * LANES * lane_bytes) &&
      !cudaMalloc(&pool->slots, most * 8) && !cudaMemsetAsync(pool->slots, 0, most * 8, stream))
    pool->count = (uint32_t)most;
  return !cudaMemcpyAsync(p->here, pool, sizeof *pool, TO_DEVICE, stream) && !cudaStreamSynchronize(stream);
}

/* Local memory lies in the order of lanes, so the tape is best there; the driver has it for each
   thread that the device can run at once, whatever the launch. */
enum { STACK_BYTES = 16 << 10, LEAST_STACK_BYTES = 1 << 10, MOST_STACK_BYTES = 384 << 10, CALLS = 2 << 10 };

/* How much of its stack a thread should have: at first what a small part of the device's memory
   holds, then what threads would have needed. */
static uint64_t most_stack(struct device_pool *p, uint64_t share) {
  int processors = 0, threads = 0;
  if (!p->threads && !cudaDeviceGetAttribute(&processors, MULTIPROCESSORS, p->device) &&
      !cudaDeviceGetAttribute(&threads, THREADS_AT_ONCE, p->device))
    p->threads = (uint64_t)processors * (uint64_t)threads;
  return p->threads ? budget(share) / p->threads + p->stack_bytes : 0;
}
static uint64_t stack_wish(struct device_pool *p) {
  uint64_t wanted = *(volatile uint64_t *)&p->pool.wanted[1], bytes = p->stack_bytes ? p->stack_bytes : STACK_BYTES;
  if (p->stack_limit || (p->stack_bytes && wanted <= p->stack_bytes))
    return p->stack_bytes;
  uint64_t most = most_stack(p, p->stack_bytes || wanted ? 4 : 8);
  while (bytes < wanted)
    bytes *= 2;
  while (bytes && (bytes > most || bytes > MOST_STACK_BYTES)) {
    bytes /= 2;
    p->stack_limit = 1;
  }
  return bytes > p->stack_bytes && bytes >= LEAST_STACK_BYTES ? bytes : p->stack_bytes;
}

/* Whether stacks are as long as the tape needs them beside k's own frames. */
static int have_stack(const struct known *k, uint64_t bytes) {
  size_t now = 0;
  return !cudaDeviceGetLimit(&now, STACK_SIZE) && now >= k->frames + CALLS + bytes;
}

/* Makes the stacks of the device's threads as long as k's need to be, and says so to k. Launches
   of k that run have shorter ones. */
static void lengthen_stack(struct known *k, struct device_pool *p, void *stream) {
  uint64_t bytes = stack_wish(p);
  atomic_store(&k->stack_asked, bytes);
  if (bytes && !have_stack(k, bytes) && cudaDeviceSetLimit(STACK_SIZE, k->frames + CALLS + bytes)) {
    cudaGetLastError();
    p->stack_limit = 1;
    bytes = have_stack(k, p->stack_bytes) ? p->stack_bytes : 0;
  }
  if (bytes > p->stack_bytes)
    p->stack_bytes = bytes;
  if (bytes != atomic_load(&k->stack_bytes) && !(atomic_load(&k->warps) && cudaDeviceSynchronize()) &&
      !cudaMemcpyAsync(k->stack, &bytes, sizeof bytes, TO_DEVICE, stream) && !cudaStreamSynchronize(stream))
    atomic_store(&k->stack_bytes, bytes);
}

/* Whether k may be launched with the stack that it was told of, and no longer one is wanted. */
static int stack_fits(const struct known *k, struct device_pool *p) {
  uint64_t bytes = atomic_load(&k->stack_bytes);
  return (p->stack_limit || *(volatile uint64_t *)&p->pool.wanted[1] <= p->stack_bytes) &&
         atomic_load(&k->stack_asked) >= p->stack_bytes && (!bytes || have_stack(k, bytes));
}

/* Threads are known to need so many bytes beside their frames: as if an earlier launch had found
   out. Not of a stack that cannot be long enough. */
static void foresee(struct device_pool *p, uint64_t need, int stacks) {
  volatile uint64_t *wanted = p->pool.wanted;
  uint64_t most = stacks ? most_stack(p, 4) : 0, longest = most < MOST_STACK_BYTES ? most : MOST_STACK_BYTES;
  if (stacks && need <= longest / 2 && wanted[1] < need)
    wanted[1] = need;
  else if (!stacks && wanted[0] < need)
    wanted[0] = need;
}

/* With how much for a lane the pool begins. What loops keep whose iterations follow from memory
   nobody knows in front, and a kernel that has too little ends: more where it is a small part of the
   device's memory. */
static uint64_t first_lane_bytes(uint64_t warps) {
  uint64_t bytes = AMPLE_LANE_BYTES, most = budget(8);
  while (bytes > LANE_BYTES && warps * LANES * bytes > most)
    bytes /= 2;
  return bytes;
}

static void provide(struct known *k, uint64_t warps, uint64_t need, int alone) {
  void *stream;
  if (cudaStreamCreateWithFlags(&stream, STREAM_APART))
    return;
  struct device_pool *p = pool_of(k->device, stream);
  if (p) {
    if (need)
      foresee(p, need, 1);
    lengthen_stack(k, p, stream);
    if (need > atomic_load(&k->stack_bytes))
      foresee(p, need, 0);
    uint64_t lane_bytes = p->pool.lane_bytes ? p->pool.lane_bytes : first_lane_bytes(warps);
    while (!p->limit && lane_bytes < *(volatile uint64_t *)p->pool.wanted)
      lane_bytes *= 2;
    if ((warps <= p->pool.count && lane_bytes <= p->pool.lane_bytes) ||
        grow(p, warps, lane_bytes, need, alone, stream)) {
      if (!atomic_load(&k->warps) &&
          (cudaMemcpyAsync(k->tape, &p->here, sizeof p->here, TO_DEVICE, stream) || cudaStreamSynchronize(stream)))
        warps = 0;
      if (warps > atomic_load(&k->warps))
        atomic_store(&k->warps, warps);
    }
  }
  cudaStreamDestroy(stream);
}

/*===- What is known of it in front of the launch -------------------------===*/

static uint64_t narrow(uint64_t x, unsigned bits) { return bits < 64 ? x & ((1ull << bits) - 1) : x; }
static int64_t with_sign(uint64_t x, unsigned bits) {
  return bits < 64 && x >> (bits - 1) & 1 ? (int64_t)(x | ~0ull << bits) : (int64_t)x;
}
static uint64_t shifted(const struct need *n, uint64_t a, uint64_t b) {
  if (n->operation == SHIFT_SIGNED)
    return (uint64_t)(with_sign(a, n->bits) >> (b < n->bits ? b : n->bits - 1u));
  if (b >= n->bits)
    return 0;
  return n->operation == SHIFT_LEFT ? a << b : a >> b;
}
static uint64_t computed(const struct need *n, const uint64_t *values, void **arguments, const uint32_t *at) {
  uint64_t a = values[n->a], b = values[n->b], x = 0;
  switch (n->operation) {
  case NUMBER:
    return n->value;
  case ARGUMENT:
    memcpy(&x, (const char *)arguments[n->a] + n->value, n->bits / 8);
    return x;
  case POSITION:
    return at[n->a];
  case ADD:
    return a + b;
  case SUB:
    return a - b;
  case MUL:
    return a * b;
  case DIV:
    return b ? a / b : 0;
  case REM:
    return b ? a % b : 0;
  case AND:
    return a & b;
  case OR:
    return a | b;
  case XOR:
    return a ^ b;
  case SHIFT_LEFT:
  case SHIFT_RIGHT:
  case SHIFT_SIGNED:
    return shifted(n, a, b);
  case EQUAL:
    return a == b;
  case LESS:
    return a < b;
  case LESS_SIGNED:
    return with_sign(a, n->bits) < with_sign(b, n->bits);
  case CHOOSE:
    return a ? b : values[n->c];
  case EXTEND:
    return (uint64_t)with_sign(a, n->c);
  default:
    return a;
  }
}
/* What a thread asks for at least: in one piece, and all together. */
struct asked {
  uint64_t piece, all;
};
static struct asked asked_by(const struct known *k, void **arguments, const uint32_t *at) {
  uint64_t values[MOST_NEEDS];
  struct asked asked = {0, 0};
  values[0] = 0;
  for (uint64_t i = 0; i < k->need_count; ++i) {
    const struct need *n = &k->needs[i];
    if (n->operation != REQUEST) {
      int yes = n->operation == EQUAL || n->operation == LESS || n->operation == LESS_SIGNED;
      values[i] = narrow(computed(n, values, arguments, at), yes ? 1 : n->bits);
    } else if (values[n->a]) {
      uint64_t bytes = values[n->b];
      asked.piece = bytes > asked.piece ? bytes : asked.piece;
      asked.all = asked.all + bytes < bytes ? ~0ull : asked.all + bytes;
    }
  }
  return asked;
}

/* blockIdx and threadIdx of the nth block's and its mth thread. */
static void go_to(uint32_t *at, uint64_t block, uint64_t thread) {
  for (int i = 0; i < 3; ++i) {
    at[i] = (uint32_t)(thread % at[6 + i]);
    at[3 + i] = (uint32_t)(block % at[9 + i]);
    thread /= at[6 + i];
    block /= at[9 + i];
  }
}

/* What the program itself has reserved for each thread. */
static uint64_t reserved_by(const struct known *k) {
  struct driver d;
  uint64_t variable, bytes = 0, words[3];
  if (!find_driver(&d) || d.global(&variable, &bytes, k->module, "rg_device_arena") || bytes != sizeof words ||
      d.read(words, variable, sizeof words))
    return 0;
  return words[1];
}

/* Whether a piece of what the launch's threads ask for fits nowhere. Of the heap's bytes those
   blocks that run at once have their parts: as many as some of them ask for, each for its like. */
static int lacks_tape(const struct known *k, uint64_t piece, uint64_t at_once, uint64_t threads, void **arguments,
                      uint32_t *at) {
  enum { SOME = 16 };
  uint64_t some = at_once < SOME ? at_once : SOME, together = 0;
  size_t heap = 0;
  if (reserved_by(k) >= piece || cudaDeviceGetLimit(&heap, HEAP_SIZE))
    return 0;
  for (uint64_t b = 0; b < some; ++b)
    for (uint64_t t = 0; t < threads; ++t) {
      go_to(at, b * at_once / some, t);
      uint64_t bytes = asked_by(k, arguments, at).piece;
      if (bytes > heap || (together += bytes >= piece ? bytes : 0) / some * at_once > heap)
        return 1;
    }
  return 0;
}

/* With more dynamic shared memory than any device has, a launch fails. */
enum { NO_LAUNCH = 0x7fffffff };

static void say_no_room(const struct known *k, const struct device_pool *p, struct asked asked, uint64_t at_once) {
  size_t unused = 0, all = 0;
  (void)cudaMemGetInfo(&unused, &all);
  fprintf(stderr,
          "retrograd: the tape of the derivative in kernel '%s' has no room: each thread asks for at least %llu bytes "
          "(%llu in one piece), which are %llu MiB for the %llu threads that run at once; there are %llu bytes in local "
          "memory, %llu on the stack, %llu in the launch's pool, and %zu MiB of the device are unused. Launch fewer "
          "threads at a time; or reserve it by rg::device_tape(bytes per thread, threads) of "
          "<retrograd/retrograd_device.h>; or keep less: -mllvm -rg-print-plan says what is kept, docs/GPU.md which "
          "steps keep less [RG2203]\n",
          k->name, (unsigned long long)asked.all, (unsigned long long)asked.piece,
          (unsigned long long)((double)asked.all * (double)at_once / (1 << 20)), (unsigned long long)at_once,
          (unsigned long long)k->frames, (unsigned long long)atomic_load(&k->stack_bytes),
          (unsigned long long)(p && p->pool.count ? p->pool.lane_bytes : 0), unused >> 20);
}

/* The driver has a kernel's local memory for each thread that the device can run at once. The launch
   itself will fail. */
static void say_too_much_local(struct known *k) {
  int processors = 0, threads = 0;
  size_t unused = 0, all = 0;
  if (cudaDeviceGetAttribute(&processors, MULTIPROCESSORS, k->device) ||
      cudaDeviceGetAttribute(&threads, THREADS_AT_ONCE, k->device) || cudaMemGetInfo(&unused, &all))
    return;
  uint64_t bytes = k->frames * (uint64_t)processors * (uint64_t)threads;
  if (bytes > all && !atomic_flag_test_and_set(&k->said))
    fprintf(stderr,
            "retrograd: a derivative in kernel '%s' has %llu bytes of local memory for each thread, which are %llu MiB for "
            "all that the device can run at once, and it has %zu: compile it with a smaller -mllvm -rg-gpu-stack=BYTES, "
            "for the tape's part of it [RG2203]\n",
            k->name, (unsigned long long)k->frames, (unsigned long long)bytes >> 20, all >> 20);
}

/* The same. */
static void say_too_large(struct known *k, uint64_t threads) {
  if (!k->most_threads || threads <= (uint64_t)k->most_threads || atomic_flag_test_and_set(&k->said))
    return;
  fprintf(stderr,
          "retrograd: kernel '%s' is launched with %llu threads in a block, and can have %d: each has %d registers. "
          "Launch smaller blocks, or declare the kernel with __launch_bounds__(%llu) [RG2203]\n",
          k->name, (unsigned long long)threads, k->most_threads, k->registers, (unsigned long long)threads);
}

static struct device_pool *known_pool(int device) {
  struct device_pool *p = atomic_load(&rg_device_pools);
  while (p && p->device != device)
    p = p->next;
  return p;
}

/* A launch: its kernel, its blocks and threads, what it hands over. */
struct launch {
  struct known *kernel;
  uint64_t blocks, threads;
  void **arguments;
  uint32_t at[12]; /* threadIdx, blockIdx, blockDim, gridDim */
  struct asked asked;
};

/* Whether a piece of what a thread asks for fits into what the launch has for it. */
static int has_room(const struct launch *l, const struct device_pool *p) {
  const struct known *k = l->kernel;
  uint64_t piece = l->asked.piece;
  return piece <= k->frames || piece <= atomic_load(&k->stack_bytes) || piece <= atomic_load(&k->passed) ||
         (p && p->pool.count && piece <= p->pool.lane_bytes);
}

/* The largest of the first and the last block's first threads, say. */
static void foresee_tape(struct launch *l) {
  if (!l->kernel->need_count || !l->arguments)
    return;
  for (int last = 0; last < 2; ++last) {
    go_to(l->at, last ? l->blocks - 1 : 0, 0);
    struct asked asked = asked_by(l->kernel, l->arguments, l->at);
    if (asked.all > l->asked.all)
      l->asked.all = asked.all;
    if (asked.piece > l->asked.piece)
      l->asked.piece = asked.piece;
  }
}

/* Memory for so many warps, if that is not enough yet. Returns whether the launch may go on. */
static int provide_room(struct launch *l, uint64_t warps, uint64_t need, int enough, uint64_t at_once) {
  struct known *k = l->kernel;
  if (!enough) {
    provide(k, warps, need && reserved_by(k) >= need ? 0 : need, 0);
    if (need > atomic_load(&k->need))
      atomic_store(&k->need, need);
  }
  struct device_pool *p = known_pool(k->device);
  if (has_room(l, p))
    return 1;
  if (lacks_tape(k, l->asked.piece, at_once, l->threads, l->arguments, l->at)) {
    /* The program may have given memory back since, and earlier launches had more warps. */
    if (p) {
      p->limit = 0;
      provide(k, warps, need, 1);
    }
    if (!has_room(l, known_pool(k->device))) {
      say_no_room(k, known_pool(k->device), l->asked, at_once * l->threads);
      return 0;
    }
  } else {
    atomic_store(&k->passed, l->asked.piece);
  }
  return 1;
}

/* In front of a launch of so many blocks of so many threads: memory for its tape, for as many
   warps as can run at once. Returns the bytes of dynamic shared memory to launch with. */
static uint64_t launch_tape(struct known *k, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy, uint32_t block_z,
                            uint64_t shared, void **arguments) {
  struct launch l = {.kernel = k,
                     .blocks = (grid_xy & 0xffffffff) * (grid_xy >> 32) * grid_z,
                     .threads = (block_xy & 0xffffffff) * (block_xy >> 32) * block_z,
                     .arguments = arguments,
                     .at = {0, 0, 0, 0, 0, 0, (uint32_t)block_xy, (uint32_t)(block_xy >> 32), block_z,
                            (uint32_t)grid_xy, (uint32_t)(grid_xy >> 32), grid_z}};
  uint64_t warps_each = (l.threads + LANES - 1) / LANES;
  if (!k || !l.blocks || !l.threads || l.threads > 1024)
    return shared;
  say_too_large(k, l.threads);
  if (!k->tape)
    return shared;
  if (!atomic_load(&k->warps))
    say_too_much_local(k);
  foresee_tape(&l);
  uint64_t need = l.asked.all > k->frames ? l.asked.all : 0;
  struct device_pool *p = known_pool(k->device);
  uint64_t known = atomic_load(&k->warps);
  if (known && p && known > p->pool.count)
    known = p->pool.count;
  int fits = known && p && (p->limit || *(volatile uint64_t *)p->pool.wanted <= p->pool.lane_bytes) &&
             stack_fits(k, p) && need <= atomic_load(&k->need);
  if (fits && l.blocks * warps_each <= known && has_room(&l, p))
    return shared;
  int at_once = 0, processors = 0;
  struct driver d;
  /* What the program has not seen yet stays for it to see; of what follows it sees nothing. */
  if (cudaPeekAtLastError())
    return shared;
  if (!find_driver(&d) || d.at_once(&at_once, k->function, (int)l.threads, shared) ||
      cudaDeviceGetAttribute(&processors, MULTIPROCESSORS, k->device) || !at_once) {
    cudaGetLastError(); /* the launch itself will say so */
    return shared;
  }
  uint64_t most = (uint64_t)at_once * (uint64_t)processors;
  uint64_t blocks = l.blocks < most ? l.blocks : most, warps = blocks * warps_each;
  warps += warps / 4; /* of some warps, lanes come one by one to different slots */
  if (fits && warps <= known && has_room(&l, p))
    return shared;
  int mode = CAPTURE_RELAXED;
  while (atomic_flag_test_and_set(&rg_pools_busy))
    ;
  if (!cudaThreadExchangeStreamCaptureMode(&mode)) {
    if (!provide_room(&l, warps, need, fits && warps <= known, blocks))
      shared = NO_LAUNCH;
    cudaThreadExchangeStreamCaptureMode(&mode);
  }
  atomic_flag_clear(&rg_pools_busy);
  cudaGetLastError();
  return shared;
}

uint64_t rg_launch_tape(const void *kernel, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy, uint32_t block_z,
                        uint64_t shared, void **arguments) {
  return launch_tape(find(kernel), grid_xy, grid_z, block_xy, block_z, shared, arguments);
}
/* The same for a function of a module that the driver has loaded. */
uint64_t rg_launch_tape_of(void *function, void *module, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy,
                           uint32_t block_z, uint64_t shared, void **arguments) {
  return launch_tape(find_of(function, function, module), grid_xy, grid_z, block_xy, block_z, shared, arguments);
}

/* Both for a launch by cudaLaunchConfig_t; copy has room for one. */
const void *rg_launch_config(const void *kernel, const void *config, void *copy, void **arguments) {
  enum { SIZE = 56, SHARED = 24 }; /* two dim3, then size_t */
  uint64_t bytes, grid_xy, block_xy;
  uint32_t grid_z, block_z;
  memcpy(&grid_xy, config, 8);
  memcpy(&grid_z, (const char *)config + 8, 4);
  memcpy(&block_xy, (const char *)config + 12, 8);
  memcpy(&block_z, (const char *)config + 20, 4);
  memcpy(copy, config, SIZE);
  memcpy(&bytes, (const char *)copy + SHARED, sizeof bytes);
  bytes = rg_launch_shared(kernel, bytes);
  bytes = rg_launch_tape(kernel, grid_xy, grid_z, block_xy, block_z, bytes, arguments);
  memcpy((char *)copy + SHARED, &bytes, sizeof bytes);
  return copy;
}
