// RUN: %rgcxx --offload=cpu -O1 %s -o %t && %t
// What programs find in CUDA's own headers: the marks by which they ask for them, the host's clock, loads and stores
// with a hint for caches, a device that copies beside kernels.
#include <cuda_runtime.h>

#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__)
#error CUDA's marks are missing
#endif

template <typename T> __global__ void hints(T *Out, const T *In) {
  __stcs(Out, __ldcs(In));
  __stcg(Out + 1, __ldcg(In + 1));
  __stwt(Out + 2, __ldca(In + 2));
  __stwb(Out + 3, __ldlu(In + 3));
  Out[4] = __ldcv(In + 4);
}
template <typename T> int check(T *Out, T *In) {
  for (int I = 0; I < 5; ++I)
    reinterpret_cast<char *>(In + I)[0] = char(I + 1);
  hints<<<1, 1>>>(Out, static_cast<const T *>(In));
  cudaDeviceSynchronize();
  int Wrong = 0;
  for (int I = 0; I < 5; ++I)
    Wrong += reinterpret_cast<char *>(Out + I)[0] != I + 1;
  return Wrong;
}
int main() {
  clock_t Start = clock();
  time_t Now = time(nullptr);
  void *Out, *In;
  cudaMallocManaged(&Out, 256);
  cudaMallocManaged(&In, 256);
  cudaMemset(In, 0, 256);
  int Wrong = check((float *)Out, (float *)In) + check((float4 *)Out, (float4 *)In) + check((double2 *)Out, (double2 *)In) +
              check((unsigned char *)Out, (unsigned char *)In) + check((int *)Out, (int *)In);
  cudaDeviceProp P;
  cudaGetDeviceProperties(&P, 0);
  return Wrong || max(3, 4) != 4 || min(2.0f, 1.0f) != 1 || !P.deviceOverlap || Start > clock() || !Now;
}
