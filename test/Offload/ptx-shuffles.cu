// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// Shuffles in inline PTX that say whether there was a lane to take from, and a hint for caches, which means nothing here.
#include <cstdio>
#include <cuda_runtime.h>

#define SHUFFLE(Mode, By, Control)                                                                                   \
  {                                                                                                                  \
    int Value, Inside;                                                                                               \
    asm volatile("{ .reg .pred p; shfl.sync." Mode ".b32 %0|p, %2, %3, %4, %5; selp.s32 %1, 1, 0, p; }"              \
                 : "=r"(Value), "=r"(Inside)                                                                         \
                 : "r"(100 + Lane), "r"(By), "r"(Control), "r"(0xffffffff));                                         \
    *Out++ = Inside ? Value : -1;                                                                                    \
  }
__global__ void kernel(int *Out) {
  int Lane = threadIdx.x;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(Out));
  Out += 5 * Lane;
  SHUFFLE("down", 3, 24 << 8 | 31) // segments of eight lanes
  SHUFFLE("up", 3, 24 << 8)
  SHUFFLE("bfly", 3, 24 << 8 | 31)
  SHUFFLE("idx", 5, 24 << 8 | 31)
  SHUFFLE("down", 2, 9) // up to lane 9
}
int main() {
  int *Out, Wrong = 0;
  cudaMallocManaged(&Out, 32 * 5 * sizeof(int));
  kernel<<<1, 32>>>(Out);
  if (cudaDeviceSynchronize())
    return 1;
  for (int Lane = 0; Lane < 32; ++Lane) {
    int In = Lane % 8;
    int Want[] = {In + 3 < 8 ? Lane + 103 : -1, In >= 3 ? Lane + 97 : -1, 100 + (Lane ^ 3), 105 + Lane - In,
                  Lane + 2 <= 9 ? Lane + 102 : -1};
    for (int K = 0; K < 5; ++K)
      if (Out[5 * Lane + K] != Want[K])
        std::printf("lane %d, %d: %d, not %d\n", Lane, K, Out[5 * Lane + K], Want[K]), ++Wrong;
  }
  return Wrong;
}
