/*===- launch.c - launches that provide memory for derivatives ------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Dynamic shared memory for shadows (lib/Polish/DynamicShared.h), and memory for
|* the tape (lib/Polish/LaunchMemory.h). Kernels are compiled apart from the host's
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
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared);
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
  MULTIPROCESSORS = 16,   /* cudaDevAttrMultiProcessorCount */
  CAPTURE_RELAXED = 2,    /* cudaStreamCaptureModeRelaxed */
  STREAM_APART = 1,       /* cudaStreamNonBlocking */
  HOST_MAPPED = 3,        /* cudaHostAllocPortable | cudaHostAllocMapped */
  TO_DEVICE = 1,          /* cudaMemcpyHostToDevice */
  LOCAL_BYTES = 3,        /* CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES */
  STACK_SIZE = 0,         /* cudaLimitStackSize */
  THREADS_AT_ONCE = 39    /* cudaDevAttrMaxThreadsPerMultiProcessor */
};

struct known {
  const void *kernel;
  int device;
  uint64_t parts; /* of dynamic shared memory; 0: not asked yet */
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
  return d->name_of && d->module_of && d->attribute && d->global && d->read && d->write;
}

/* The address of a variable of the kernel's module that is called after the kernel, or 0. */
static uint64_t variable_of(const struct driver *d, const char *prefix, const char *name, void *module,
                            uint64_t bytes) {
  char *text = NULL;
  uint64_t variable = 0, found = 0;
  if (asprintf(&text, "%s%s", prefix, name) < 0)
    return 0;
  if (d->global(&variable, &found, module, text) || found != bytes)
    variable = 0;
  free(text);
  return variable;
}

/* What the kernel's module says of it. Where nothing can be asked, the kernel says that it was
   not seen. */
static struct known *ask(const void *kernel, int device) {
  struct known *k = malloc(sizeof *k);
  struct driver d;
  void *function, *module;
  if (!k)
    return NULL;
  *k = (struct known){.kernel = kernel, .device = device, .name = "?"};
  if (cudaGetFuncBySymbol(&function, kernel)) {
    cudaGetLastError(); /* the launch itself will say so */
    return k;
  }
  /* The state of a tape is in local memory: of kernels that have none nothing is asked, since tools
     that watch the driver report a variable that is not there. */
  int local = 0;
  uint64_t stack;
  if (find_driver(&d) && !d.name_of(&k->name, function) && !d.module_of(&module, function) &&
      !d.attribute(&local, LOCAL_BYTES, function) && local &&
      (stack = variable_of(&d, "rg_tape_of_", k->name, module, sizeof stack))) {
    uint64_t variable, bytes;
    if (!d.global(&variable, &bytes, module, "rg_tape_pool") && bytes == sizeof variable) {
      k->tape = (void *)variable;
      k->stack = (void *)stack;
      k->frames = (uint64_t)local;
    }
  }
  return k;
}

static struct known *find(const void *kernel) {
  int device;
  struct known *k;
  _Atomic(struct known *) *bucket = &rg_known_kernels[((uintptr_t)kernel >> 4) % BUCKETS];
  if (cudaGetDevice(&device))
    return NULL;
  for (k = atomic_load(bucket); k; k = k->next)
    if (k->kernel == kernel && k->device == device)
      return k;
  k = ask(kernel, device);
  if (!k)
    return NULL;
  k->next = atomic_load(bucket);
  while (!atomic_compare_exchange_weak(bucket, &k->next, k))
    ;
  return k;
}

/*===- Dynamic shared memory ----------------------------------------------===*/

/* How many parts the kernel needs, and that the host has seen it. */
static uint64_t ask_parts(const struct known *k) {
  struct driver d;
  void *function, *module;
  uint64_t variable;
  uint32_t words[2];
  if (cudaGetFuncBySymbol(&function, k->kernel) || !find_driver(&d) || d.module_of(&module, function))
    return 1;
  variable = variable_of(&d, "rg_dynamic_parts_of_", k->name, module, sizeof words);
  if (!variable || d.read(words, variable, sizeof words))
    return 1;
  words[1] = 1;
  return d.write(variable, words, sizeof words) ? 1 : words[0];
}

/* The bytes of dynamic shared memory to launch with, for a launch that asks for so many. */
uint64_t rg_launch_shared(const void *kernel, uint64_t bytes) {
  struct known *k;
  if (!bytes || !(k = find(kernel)))
    return bytes;
  if (!k->parts)
    k->parts = ask_parts(k);
  if (k->parts <= 1)
    return bytes;
  uint64_t grown = (bytes + 15) / 16 * 16 * k->parts;
  /* Beyond 48 KiB a kernel has to be told; what the program told it is too little. */
  if (grown > (48u << 10) && cudaFuncSetAttribute(kernel, MAX_DYNAMIC_SHARED, (int)grown))
    fprintf(stderr,
            "retrograd: a derivative in kernel '%s' needs %llu bytes of dynamic shared memory, %llu times the %llu that "
            "its launch asks for, and the device has less: launch it with less [RG2201]\n",
            k->name, (unsigned long long)grown, (unsigned long long)k->parts, (unsigned long long)bytes);
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

enum { LANE_BYTES = 64 << 10, LEAST_LANE_BYTES = 1 << 10, LANES = 32 };

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

/* Makes p's memory large enough for so many warps. Kernels that use what it has must have ended. */
static int grow(struct device_pool *p, uint64_t warps, uint64_t lane_bytes, void *stream) {
  struct pool *pool = &p->pool;
  uint64_t most = warps > pool->count ? warps : pool->count;
  if (pool->memory && cudaDeviceSynchronize())
    return 0;
  cudaFree(pool->memory);
  cudaFree(pool->slots);
  pool->memory = pool->slots = NULL;
  pool->count = 0;
  uint64_t bytes = budget(lane_bytes > LANE_BYTES ? 2 : 4), wish = lane_bytes;
  while (lane_bytes > LEAST_LANE_BYTES && most * LANES * lane_bytes > bytes)
    lane_bytes /= 2;
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
static uint64_t stack_wish(struct device_pool *p) {
  uint64_t wanted = *(volatile uint64_t *)&p->pool.wanted[1], bytes = p->stack_bytes ? p->stack_bytes : STACK_BYTES;
  int processors = 0, threads = 0;
  if (p->stack_limit || (p->stack_bytes && wanted <= p->stack_bytes))
    return p->stack_bytes;
  if (!p->threads && !cudaDeviceGetAttribute(&processors, MULTIPROCESSORS, p->device) &&
      !cudaDeviceGetAttribute(&threads, THREADS_AT_ONCE, p->device))
    p->threads = (uint64_t)processors * (uint64_t)threads;
  uint64_t most = p->threads ? budget(p->stack_bytes ? 4 : 8) / p->threads + p->stack_bytes : 0;
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

static void provide(struct known *k, uint64_t warps) {
  void *stream;
  if (cudaStreamCreateWithFlags(&stream, STREAM_APART))
    return;
  struct device_pool *p = pool_of(k->device, stream);
  if (p) {
    lengthen_stack(k, p, stream);
    uint64_t lane_bytes = p->pool.lane_bytes ? p->pool.lane_bytes : LANE_BYTES;
    while (!p->limit && lane_bytes < *(volatile uint64_t *)p->pool.wanted)
      lane_bytes *= 2;
    if ((warps <= p->pool.count && lane_bytes <= p->pool.lane_bytes) || grow(p, warps, lane_bytes, stream)) {
      if (!atomic_load(&k->warps) &&
          (cudaMemcpyAsync(k->tape, &p->here, sizeof p->here, TO_DEVICE, stream) || cudaStreamSynchronize(stream)))
        warps = 0;
      if (warps > atomic_load(&k->warps))
        atomic_store(&k->warps, warps);
    }
  }
  cudaStreamDestroy(stream);
}

/* In front of a launch of so many blocks of so many threads: memory for its tape, for as many
   warps as can run at once. */
void rg_launch_tape(const void *kernel, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy, uint32_t block_z,
                    uint64_t shared) {
  struct known *k = find(kernel);
  if (!k || !k->tape)
    return;
  uint64_t blocks = (grid_xy & 0xffffffff) * (grid_xy >> 32) * grid_z;
  uint64_t threads = (block_xy & 0xffffffff) * (block_xy >> 32) * block_z;
  uint64_t warps_each = (threads + LANES - 1) / LANES;
  if (!blocks || !threads || threads > 1024)
    return;
  uint64_t known = atomic_load(&k->warps);
  struct device_pool *p = atomic_load(&rg_device_pools);
  while (p && p->device != k->device)
    p = p->next;
  int fits = known && p && (p->limit || *(volatile uint64_t *)p->pool.wanted <= p->pool.lane_bytes) &&
             stack_fits(k, p);
  if (fits && blocks * warps_each <= known)
    return;
  int at_once = 0, processors = 0;
  /* What the program has not seen yet stays for it to see; of what follows it sees nothing. */
  if (cudaPeekAtLastError())
    return;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, (int)threads, shared) ||
      cudaDeviceGetAttribute(&processors, MULTIPROCESSORS, k->device) || !at_once) {
    cudaGetLastError(); /* the launch itself will say so */
    return;
  }
  uint64_t most = (uint64_t)at_once * (uint64_t)processors;
  uint64_t warps = (blocks < most ? blocks : most) * warps_each;
  warps += warps / 4; /* of some warps, lanes come one by one to different slots */
  if (fits && warps <= known)
    return;
  int mode = CAPTURE_RELAXED;
  while (atomic_flag_test_and_set(&rg_pools_busy))
    ;
  if (!cudaThreadExchangeStreamCaptureMode(&mode)) {
    provide(k, warps);
    cudaThreadExchangeStreamCaptureMode(&mode);
  }
  atomic_flag_clear(&rg_pools_busy);
  cudaGetLastError();
}

/* Both for a launch by cudaLaunchConfig_t; copy has room for one. */
const void *rg_launch_config(const void *kernel, const void *config, void *copy) {
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
  memcpy((char *)copy + SHARED, &bytes, sizeof bytes);
  rg_launch_tape(kernel, grid_xy, grid_z, block_xy, block_z, bytes);
  return copy;
}
