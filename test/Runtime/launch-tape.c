// What a launch says and does before it starts (runtime/launch.c), on a machine without a GPU: CUDA's runtime and
// driver are stood in for by what follows. A launch that asks for more than there can be fails, by bytes of dynamic
// shared memory that no device has; the others are provided for.
//
// RUN: %clang -std=c17 -O1 -Wall -Wextra -I%root/runtime %s -o %t && %t 2>&1 | FileCheck %s
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <dlfcn.h>
static void *in_driver(const char *name);
#define dlopen(name, how) ((void *)1)
#define dlsym(library, name) (in_driver(name))
#include "launch.c"

static uint64_t stack_of_kernel, arena[3];
static struct pool *pool_of_module;
static size_t stack_limit = 1024, heap = 8 << 20, unused = 64ull << 30;
static int registers = 40, most_threads = 1024, local = 8448;

// Each of n iterations keeps 8192 bytes, in one piece, if the thread has an element; and 64 bytes apart.
// blockIdx.x * blockDim.x + threadIdx.x < n
static const struct need needs[] = {
    {POSITION, 32, 3, 0, 0, 0}, {POSITION, 32, 6, 0, 0, 0}, {MUL, 32, 0, 1, 0, 0},     {POSITION, 32, 0, 0, 0, 0},
    {ADD, 32, 2, 3, 0, 0},      {ARGUMENT, 32, 1, 0, 0, 4}, {LESS_SIGNED, 32, 4, 5, 0, 0}, {EXTEND, 64, 5, 0, 32, 0},
    {NUMBER, 64, 0, 0, 0, 13},  {SHIFT_LEFT, 64, 7, 8, 0, 0}, {REQUEST, 64, 6, 9, 0, 0}, {NUMBER, 64, 0, 0, 0, 64},
    {REQUEST, 64, 6, 11, 0, 0},
};

int cudaGetFuncBySymbol(void **function, const void *kernel) { return *function = (void *)kernel, 0; }
int cudaGetDevice(int *device) { return *device = 0; }
int cudaFuncSetAttribute(const void *kernel, int attribute, int value) { return (void)kernel, (void)attribute, (void)value, 0; }
int cudaDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  return *value = attribute == MULTIPROCESSORS ? 132 : 2048, 0;
}
int cudaMemGetInfo(size_t *free_bytes, size_t *all) { return *free_bytes = unused, *all = 80ull << 30, 0; }
int cudaMalloc(void **memory, size_t bytes) { return *memory = malloc(bytes < 64 ? bytes : 64), 0; }
int cudaFree(void *memory) { return free(memory), 0; }
int cudaHostAlloc(void **memory, size_t bytes, unsigned flags) { return (void)flags, *memory = malloc(bytes), 0; }
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  return (void)kind, (void)stream, memcpy(to, from, bytes), 0;
}
int cudaMemsetAsync(void *memory, int value, size_t bytes, void *stream) {
  return (void)stream, memset(memory, value, bytes < 64 ? bytes : 64), 0;
}
int cudaStreamCreateWithFlags(void **stream, unsigned flags) { return (void)flags, *stream = NULL, 0; }
int cudaStreamSynchronize(void *stream) { return (void)stream, 0; }
int cudaStreamDestroy(void *stream) { return (void)stream, 0; }
int cudaDeviceSynchronize(void) { return 0; }
int cudaDeviceGetLimit(size_t *value, int limit) { return *value = limit == HEAP_SIZE ? heap : stack_limit, 0; }
int cudaDeviceSetLimit(int limit, size_t value) { return (void)limit, stack_limit = value, 0; }
int cudaThreadExchangeStreamCaptureMode(int *mode) { return (void)mode, 0; }
int cudaGetLastError(void) { return 0; }
int cudaPeekAtLastError(void) { return 0; }

static int name_of(const char **name, void *function) { return (void)function, *name = "gradient", 0; }
static int module_of(void **module, void *function) { return *module = function, 0; }
static int attribute(int *value, int which, void *function) {
  (void)function;
  return *value = which == REGISTERS ? registers : which == MOST_THREADS ? most_threads : local, 0;
}
static int global(uint64_t *at, uint64_t *bytes, void *module, const char *name) {
  (void)module;
  if (!strcmp(name, "rg_tape_of_gradient"))
    return *at = (uintptr_t)&stack_of_kernel, *bytes = 8, 0;
  if (!strcmp(name, "rg_need_of_gradient"))
    return *at = (uintptr_t)needs, *bytes = sizeof needs, 0;
  if (!strcmp(name, "rg_tape_pool"))
    return *at = (uintptr_t)&pool_of_module, *bytes = 8, 0;
  if (!strcmp(name, "rg_device_arena"))
    return *at = (uintptr_t)arena, *bytes = sizeof arena, 0;
  return 500;
}
static int read_words(void *to, uint64_t from, uint64_t bytes) { return memcpy(to, (void *)(uintptr_t)from, bytes), 0; }
static int write_words(uint64_t to, const void *from, uint64_t bytes) {
  return memcpy((void *)(uintptr_t)to, from, bytes), 0;
}
static int at_once(int *blocks, void *function, int threads, size_t shared) {
  return (void)function, (void)shared, *blocks = 256 / threads, 0;
}
static void *in_driver(const char *name) {
  static const struct {
    const char *name;
    void *function;
  } all[] = {{"cuFuncGetName", (void *)name_of},
             {"cuFuncGetModule", (void *)module_of},
             {"cuFuncGetAttribute", (void *)attribute},
             {"cuModuleGetGlobal_v2", (void *)global},
             {"cuMemcpyDtoH_v2", (void *)read_words},
             {"cuMemcpyHtoD_v2", (void *)write_words},
             {"cuOccupancyMaxActiveBlocksPerMultiprocessor", (void *)at_once}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (!strcmp(all[i].name, name))
      return all[i].function;
  return NULL;
}

static char kernels[8][64];
static void launch(const char *what, int kernel, uint32_t blocks, uint32_t threads, int n) {
  struct {
    int other, n;
  } by_value = {7, n};
  void *pointer = NULL, *arguments[] = {&pointer, &by_value};
  uint64_t shared = rg_launch_tape(kernels[kernel], blocks | 1ull << 32, 1, threads | 1ull << 32, 1, 100, arguments);
  struct device_pool *p = known_pool(0);
  printf("%s: shared %llu, stack %llu, pool %llu\n", what, (unsigned long long)shared,
         (unsigned long long)stack_of_kernel, (unsigned long long)(p ? p->pool.lane_bytes : 0));
  fflush(stdout);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  // A lane begins with half of 256 KiB: an eighth of the memory does not hold all of it.
  // CHECK: small: shared 100, stack 16384, pool 131072
  launch("small", 0, 1024, 64, 1);
  // What a stack can hold is made so long at the first launch, without a thread that has found out.
  // CHECK-NEXT: longer: shared 100, stack 32768, pool 131072
  launch("longer", 0, 1024, 64, 3);
  // Behind that, the pool.
  // CHECK-NEXT: pool: shared 100, stack 32768, pool 524288
  launch("pool", 0, 1024, 64, 40);
  // No thread has an element.
  // CHECK-NEXT: none: shared 100, stack 32768, pool 524288
  launch("none", 0, 1024, 64, 0);
  // CHECK-NEXT: retrograd: the tape of the derivative in kernel 'gradient' has no room: each thread asks for at least 8192064 bytes (8192000 in one piece), which are 264002 MiB for the 33792 threads that run at once; there are 8448 bytes in local memory, 32768 on the stack, {{[0-9]+}} in the launch's pool, and 65536 MiB of the device are unused. {{.*}}rg::device_tape(bytes per thread, threads){{.*}} [RG2203]
  // CHECK-NEXT: too much: shared 2147483647
  launch("too much", 0, 1024, 64, 1000);
  // The next one, which asks for less, runs.
  // CHECK-NEXT: less: shared 100
  launch("less", 0, 1024, 64, 3);
  // What the program has reserved is looked at.
  arena[1] = 8 << 20;
  // CHECK-NEXT: reserved: shared 100
  launch("reserved", 1, 1024, 64, 1000);
  // With two blocks the pool is for two warps.
  arena[1] = 0;
  // CHECK-NEXT: few: shared 100, stack 32768, pool 8388608
  launch("few", 2, 2, 1, 1000);
  // The power of two does not fit, but what threads ask for.
  // CHECK-NEXT: exactly: shared 100, stack 32768, pool 573504
  launch("exactly", 0, 1024, 64, 70);
  // A heap that some blocks have room in, and not all that run at once.
  heap = 4ull << 30;
  // CHECK-NEXT: retrograd: {{.*}}has no room
  // CHECK-NEXT: some blocks: shared 2147483647
  launch("some blocks", 6, 1024, 64, 400);
  heap = 8 << 20;
  // Then for many again.
  // CHECK-NEXT: many: shared 100, stack 32768, pool 573504
  launch("many", 0, 1024, 64, 40);
  // No memory at all: the heap is enough for one thread, and not for two.
  unused = 1 << 20;
  // CHECK-NEXT: one thread: shared 100
  launch("one thread", 2, 1, 1, 1000);
  // CHECK-NEXT: retrograd: {{.*}}has no room
  // CHECK-NEXT: two threads: shared 2147483647
  launch("two threads", 3, 2, 1, 1000);
  // Memory that has come back is used.
  unused = 8192ull << 30;
  // CHECK-NEXT: more memory: shared 100, stack 32768, pool 9175040
  launch("more memory", 0, 1024, 64, 1000);

  // Registers of a block. The launch itself fails.
  registers = 168, most_threads = 384;
  // CHECK-NEXT: retrograd: kernel 'gradient' is launched with 512 threads in a block, and can have 384: each has 168 registers. Launch smaller blocks, or declare the kernel with __launch_bounds__(512) [RG2203]
  // CHECK-NEXT: registers: shared 100
  launch("registers", 4, 8, 512, 1);

  // Local memory, of all threads that the device can run at once.
  registers = 40, most_threads = 1024, local = 400 << 10;
  // CHECK-NEXT: retrograd: a derivative in kernel 'gradient' has 409600 bytes of local memory for each thread, which are 105600 MiB for all that the device can run at once, and it has 81920: compile it with a smaller -mllvm -rg-gpu-stack=BYTES, {{.*}} [RG2203]
  // CHECK-NEXT: local: shared 100
  launch("local", 5, 8, 64, 1);
  return 0;
}
