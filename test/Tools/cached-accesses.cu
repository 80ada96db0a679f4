// Loads and stores with a hint for caches, which clang's headers lack, of a toolkit's kernel for a GPU; those of __half are the
// toolkit's own. (By --offload=cpu: test/Offload/headers.cu.)
// REQUIRES: cuda-toolkit
// RUN: %rgcxx --offload-arch=sm_80 -O2 -c %s -o %t.o
// RUN: %rgcxx --offload-arch=sm_80 -O0 -c %s -o %t.o
#include <cuda_fp16.h>
extern __device__ int enzyme_dup, enzyme_const;
template <class R, class... T> __device__ R __enzyme_autodiff(void *, T...);

__device__ void hints(float *out, const float *in, float4 *wide, __half *half, int n) {
  int i = threadIdx.x;
  if (i < n) {
    __stcs(out + i, __ldcs(in + i) * __ldca(in + i));
    __stcg(out + n + i, __ldlu(in + i));
    __stwb(out + 2 * n + i, 0);
    __stcs(wide + i, __ldcs(wide + n + i));
    __stcs(half + i, __ldcs(half + n + i));
  }
}
__global__ void gradient(float *out, float *dout, const float *in, float *din, float4 *wide, float4 *dwide, __half *half, int n) {
  __enzyme_autodiff<void>((void *)hints, enzyme_dup, out, dout, enzyme_dup, in, din, enzyme_dup, wide, dwide, enzyme_const, half,
                          enzyme_const, n);
}
