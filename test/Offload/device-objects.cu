// Objects made and freed by kernels, with virtual functions; atomics of a block and of
// the system; host functions in streams; launches by address.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include <cstdio>
#include <cuda_runtime.h>

struct Operation {
  __device__ virtual double run(double x) const = 0;
  __device__ virtual ~Operation() {}
};
struct Square : Operation {
  __device__ double run(double x) const override { return x * x; }
};
struct Scale : Operation {
  double k;
  __device__ Scale(double k) : k(k) {}
  __device__ double run(double x) const override { return k * x; }
};
__device__ double factors[3] = {1, 2, 3};
__global__ void apply(double *x, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  Operation *operation;
  if (i & 1)
    operation = new Square;
  else
    operation = new Scale(factors[i % 3]);
  double *copy = new double[2];
  copy[i & 1] = operation->run(x[i]);
  x[i] = copy[i & 1];
  delete[] copy;
  delete operation;
}

__managed__ int total;
__managed__ double sum;
__global__ void count(int *out, unsigned long long *wide) {
  int t = threadIdx.x;
  atomicAdd_block(&total, 1);
  __iAtomicAdd_block(&total, 1); // what CUDA's own headers call
  atomicAdd_system(&sum, 0.5);
  atomicMax_block(&out[0], t);
  atomicMin_system(&out[1], -t);
  atomicXor_block(&out[2], t);
  atomicCAS_block(&out[3], 0, t + 1);
  atomicExch_system(&out[4], 7);
  atomicInc_block((unsigned *)&out[5], 9);
  atomicAdd_block(wide, 1ull << 33);
  atomicSub_block(&out[6], 2);
  atomicMax_block((unsigned *)&out[7], 0x80000000u + t);
}

static int failures;
static void check(bool right, const char *what) {
  if (right)
    return;
  printf("%s is wrong\n", what);
  ++failures;
}
static void called(void *hits) { ++*(int *)hits; }

int main() {
  double *x;
  int *out;
  unsigned long long *wide;
  cudaMallocManaged(&x, 10 * sizeof(double));
  cudaMallocManaged(&out, 8 * sizeof(int));
  cudaMallocManaged(&wide, sizeof *wide);
  for (int i = 0; i < 10; ++i)
    x[i] = i;
  apply<<<1, 32>>>(x, 10);
  check(cudaDeviceSynchronize() == cudaSuccess, "the kernel with objects");
  for (int i = 0; i < 10; ++i)
    check(x[i] == (i & 1 ? i * i : (i % 3 + 1) * i), "a virtual function");

  for (int i = 0; i < 8; ++i)
    out[i] = 0;
  *wide = total = 0;
  sum = 0;
  int hits = 0;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  void *arguments[] = {&out, &wide};
  cudaLaunchKernel((void *)count, dim3(1), dim3(64), arguments, 0, stream);
  cudaLaunchHostFunc(stream, called, &hits);
  cudaStreamSynchronize(stream);
  check(hits == 1, "a host function");
  check(total == 128 && sum == 32 && *wide == 64ull << 33, "atomicAdd");
  check(out[0] == 63 && out[1] == -63 && out[2] == 0, "max, min, xor");
  check(out[3] >= 1 && out[3] <= 64 && out[4] == 7 && out[5] == 4, "cas, exch, inc");
  check(out[6] == -128 && (unsigned)out[7] == 0x8000003fu, "sub, unsigned max");
  return failures != 0;
}
