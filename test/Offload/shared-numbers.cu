// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -fsanitize=address %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -mllvm -rg-disable=offload-serial-threads %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -rg-check-races -rg-check-uninitialized %s -o %t && %t
// Addresses of shared memory as numbers of 32 bits, in CUDA and in inline PTX: they count from the start of the block's
// shared memory, static variables first, then what the launch asks for.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

__device__ unsigned numberOf(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned numberByPtx(const void *p) {
  unsigned r;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(r) : "l"(p));
  return r;
}
__device__ float loaded(unsigned at) {
  float r;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(r) : "r"(at) : "memory");
  return r;
}
__device__ void stored(unsigned at, float v) { asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory"); }

__global__ void stillOther(float *out) {
  __shared__ float own[32];
  own[threadIdx.x] = 7;
  __syncthreads();
  out[threadIdx.x] = own[31 - threadIdx.x];
}

__global__ void all(const float *in, float *out, unsigned *far) {
  extern __shared__ float dynamic[];
  __shared__ float first[64];
  __shared__ __align__(128) float second[64];
  int i = threadIdx.x;
  unsigned a = numberOf(first), b = numberByPtx(second), d = numberOf(&dynamic[0]);
  stored(a + 4 * i, in[i]);
  __syncthreads();
  first[63 - i] += 1; // the same memory by name
  __syncthreads();
  stored(b + 4 * i, loaded(a + 4 * (63 - i)));
  dynamic[i] = 0;
  __syncthreads();
  asm volatile("red.shared.add.f32 [%0+4], %1;" ::"r"(d), "f"(1.0f) : "memory");
  // Back to a pointer.
  float *p = (float *)__cvta_shared_to_generic(b);
  __syncthreads();
  float v[2];
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v[0]), "=f"(v[1]) : "r"(b + 4 * (i & ~1)));
  out[blockIdx.x * 64 + i] = p[i] + 100 * v[i & 1] + (i == 1 ? dynamic[1] : 0);
  if (i == 0 && blockIdx.x == 0)
    far[0] = a, far[1] = b, far[2] = d, far[3] = (unsigned)((char *)&second[3] - (char *)&second[0]),
    far[4] = __isShared(p) && !__isShared(in);
}

__global__ void copies(const float *in, float *out) {
  __shared__ __align__(16) float tile[128];
  unsigned at = numberOf(tile) + 16 * threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + 4 * threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
  float *in, *out;
  unsigned *far;
  cudaMallocManaged(&in, 128 * sizeof(float));
  cudaMallocManaged(&out, 192 * sizeof(float));
  cudaMallocManaged(&far, 5 * sizeof(unsigned));
  for (int i = 0; i < 128; ++i)
    in[i] = i;
  int wrong = 0;
  all<<<3, 64, 256>>>(in, out, far);
  if (cudaDeviceSynchronize())
    return 2;
  for (int i = 0; i < 192; ++i) {
    float want = 101 * (64 - i % 64) + (i % 64 == 1 ? 64 : 0);
    if (out[i] != want)
      wrong += !printf("all[%d] is %g, should be %g\n", i, out[i], want) || 1;
  }
  if (far[0] == far[1] || far[1] % 128 || far[0] > 49152 || far[1] > 49152 || far[2] > 49152 || far[2] < 512 ||
      far[3] != 12 || !far[4])
    wrong += !printf("places %u %u %u %u %u\n", far[0], far[1], far[2], far[3], far[4]) || 1;
  stillOther<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    wrong += out[i] != 7;
  copies<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    if (out[i] != 127 - i)
      wrong += !printf("copies[%d] is %g\n", i, out[i]) || 1;
  // What a launch is allowed does not change.
  cudaFuncAttributes A;
  cudaFuncGetAttributes(&A, (const void *)stillOther);
  if (A.sharedSizeBytes != 128)
    wrong += !printf("stillOther has %zu bytes\n", A.sharedSizeBytes) || 1;
  return wrong != 0;
}
