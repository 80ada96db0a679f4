// RUN: not %rgcxx -O2 --offload=cpu -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O0 --offload=cpu -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// Kernels in which the result of an atomic operation decides, by a branch, which thread's number
// goes to a place: another thread may come first when the kernel runs again in the reverse sweep.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__global__ void first(const double *x, double *y, int *taken, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = i / 2;
  if (i < n && !atomicExch(&taken[j], 1))
    y[j] = x[i];
}
__global__ void returns(const double *x, double *y, int *owner, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || atomicCAS(&owner[i % 8], 0, i + 1) != 0)
    return;
  y[i % 8] = x[i] * x[i];
}
// A table that threads fill: who comes first has the better slot.
__global__ void table(const double *x, double *y, int *keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, slot = i * 7 % 16;
  for (int k = 0; i < n && k < 16; k++, slot = (slot + 1) % 16) {
    int was = atomicCAS(&keys[slot], 0, i % 9 + 1);
    if (was == 0 || was == i % 9 + 1) {
      atomicAdd(&y[slot], x[i]);
      break;
    }
  }
}
// In a number that is chosen, in shared memory, and by a function.
__global__ void chosen(const double *x, double *y, int *taken, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = atomicAdd(&taken[i % 4], 1) < 3 ? x[i] : 0.0;
  atomicAdd(&y[i % 4], v);
}
__global__ void inBlock(const double *x, double *y) {
  __shared__ int taken[4];
  if (threadIdx.x < 4)
    taken[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomicAdd(&taken[i % 4], 1) == 0)
    y[blockIdx.x * 4 + i % 4] = x[i];
}
__device__ __noinline__ bool take(int *taken) { return atomicExch(taken, 1) == 0; }
__device__ __noinline__ void put(double *y, const double *x, int i, int j) { y[j] = x[i]; }
__global__ void byFunction(const double *x, double *y, int *taken, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (take(&taken[i / 2]))
    put(y, x, i, i / 2);
}
__device__ __noinline__ int place(int *count) { return atomicAdd(count, 1); }
__global__ void appendByFunction(const double *x, double *list, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 0)
    list[place(count)] = x[i];
}
__global__ void halves(const __half *x, __half *y, int *taken, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[4 + atomicAdd(count, 1)] = x[i];
}

// No errors: what is stored follows from the place, whoever comes first.
__global__ void once(const double *x, double *y, const int *item, int *taken, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int k = item[i];
  if (!atomicExch(&taken[k], 1))
    y[3 * k + 1] = x[k] * x[k];
}
// A row for each warp, from a queue, with weights for the columns.
__global__ void rows(const double *x, double *y, const double *weight, int *next, int n) {
  for (;;) {
    int row = threadIdx.x % 32 ? 0 : atomicAdd(next, 1);
    row = __shfl_sync(0xffffffffu, row, 0);
    if (row >= n)
      break;
    for (int c = threadIdx.x % 32; c < 40; c += 32)
      y[row * 40 + c] = x[row * 40 + c] * weight[c];
  }
}
// The threads of a block share a part of their own.
__global__ void parts(const double *x, double *y, int n) {
  __shared__ int next;
  if (threadIdx.x == 0)
    next = 0;
  __syncthreads();
  for (int k = atomicAdd(&next, 1); k < 16; k = atomicAdd(&next, 1)) {
    int i = blockIdx.x * 16 + k;
    if (i < n)
      y[i] = x[(i + 1) % n] * x[i];
  }
}
// A function of the place, that is called with another thread's number elsewhere.
__device__ __noinline__ double near(const double *x, int i, int n) { return x[i] * x[(i + 1) % n]; }
__global__ void queueOfCalls(const double *x, double *y, int *next, int n) {
  y[blockIdx.x * blockDim.x + threadIdx.x + n] = near(x, threadIdx.x % n, n);
  for (int k = atomicAdd(next, 1); k < n; k = atomicAdd(next, 1))
    y[k] = near(x, k, n);
}
// The last block adds what all have left, of which it cannot matter which one it is.
__global__ void lastBlock(const double *x, double *part, double *out, unsigned *tickets, int n) {
  __shared__ double room[32];
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  room[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half)
      room[t] += room[t + half];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = room[0];
    __threadfence();
    last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last)
    return;
  room[t] = t < gridDim.x ? part[t] * part[t] : 0;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half)
      room[t] += room[t + half];
    __syncthreads();
  }
  if (t == 0)
    *out = room[0];
}
__global__ void addsByCompare(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long *p = (unsigned long long *)&y[i % 3], was = *p, seen;
  do {
    seen = was;
    was = atomicCAS(p, seen, __double_as_longlong(__longlong_as_double(seen) + x[i]));
  } while (was != seen);
}
// The order decides integers.
__global__ void cells(const double *x, int *list, int *count, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, cell = i % 5;
  int rank = atomicAdd(&count[cell], 1);
  if (rank < 8)
    list[cell * 8 + rank] = i;
  y[i] = x[i] * cell;
}

double f(const double *x, int n) {
  double *a, *b, y;
  __half *h;
  int *count;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMalloc(&h, 4096);
  cudaMalloc(&count, 4096);
  cudaMemset(count, 0, 4096);
  cudaMemcpy(a, x, n * 8, cudaMemcpyHostToDevice);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'first', which lets the order in which threads come decide, by a branch on what an atomic operation returned, which of several numbers it stores: in the reverse sweep it runs again, and the order may be another; let one kernel write who came first to memory, as an integer, and another one the numbers [RG2203]
  // CHECK-DAG: numbers-by-order.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'f'
  first<<<2, 32>>>(a, b, count, n);
  // CHECK-DAG: a launch of 'returns', which lets the order
  returns<<<2, 32>>>(b, a, count, n);
  // CHECK-DAG: a launch of 'table', which lets the order
  table<<<2, 32>>>(a, b, count, n);
  // CHECK-DAG: a launch of 'chosen', which lets the order
  chosen<<<2, 32>>>(b, a, count, n);
  // CHECK-DAG: a launch of 'inBlock', which lets the order
  inBlock<<<2, 32>>>(a, b);
  // CHECK-DAG: a launch of 'byFunction', which lets the order
  byFunction<<<2, 32>>>(b, a, count, n);
  // CHECK-DAG: a launch of 'appendByFunction', which puts numbers at places
  appendByFunction<<<2, 32>>>(a, b, count, n);
  // CHECK-NOT: a launch of
  once<<<2, 32>>>(b, a, count, count, n);
  rows<<<2, 32>>>(a, b, a, count, 4);
  parts<<<2, 32>>>(b, a, n);
  lastBlock<<<2, 32>>>(a, b, b + 100, (unsigned *)count, n);
  addsByCompare<<<2, 32>>>(b, a, n);
  queueOfCalls<<<2, 32>>>(a, b, count, n);
  cells<<<2, 32>>>(a, count, count, b, n);
  cudaMemcpy(&y, b, 8, cudaMemcpyDeviceToHost);
  return y;
}
int main() {
  double x[40] = {1}, g[40] = {};
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, 40);
}
