// In the derivative of a launch, blocks that hand results on by a fence meet there: each block's thread that comes to it
// waits for those of the others. Where something else is asked in front of the fence, or several fences order accesses,
// it stays, and is refused.
// RUN: %rgcxx --offload=cpu -O2 -c %s -o %t.o -mllvm -rg-print-after=meet-at-fences 2>&1 | FileCheck %s
// RUN: not %rgcxx --offload=cpu -O2 -c %s -o %t.o -DWAITS 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %rgcxx --offload=cpu -O2 -c %s -o %t.o -DTWICE 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %rgcxx --offload=cpu -O2 -c %s -o %t.o -DSOME 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: this GPU operation cannot be reversed: a fence that other blocks can see: {{.*}} [RG2201]
#include <cuda_runtime.h>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
__device__ unsigned tickets;
__device__ volatile int ready;

// CHECK: ; after meet-at-fences
// CHECK: @rg.primal.{{.*}}handsOn{{.*}}once
// CHECK-NOT: membar
// CHECK: call void @rg_one_at_fence(i32 %{{.*}}, ptr
// CHECK-NEXT: call void @rg_cuda_grid_barrier()
// CHECK: atomicrmw {{(uinc_wrap|add)}}
// CHECK: ret void
__global__ void handsOn(const double *x, double *part, double *out) {
#ifdef WAITS
  while (blockIdx.x && !ready)
    ;
#endif
#ifdef SOME
  if (threadIdx.x % 32 == 0) {
#else
  if (threadIdx.x == 0) {
#endif
    part[blockIdx.x] = x[blockIdx.x] * x[blockIdx.x];
    __threadfence();
#ifdef TWICE
    ready = 1;
    __threadfence();
#endif
    if (atomicAdd(&tickets, 1u) == gridDim.x - 1) {
      double sum = 0;
      for (int b = 0; b < gridDim.x; b++)
        sum += part[b];
      *out = sum;
    }
  }
}
double f(double *x) {
  handsOn<<<2, 32>>>(x, x + 2, x + 4);
  return 0;
}
void gradient(double *x, double *dx) { __enzyme_autodiff<void>((void *)f, enzyme_dup, x, dx); }
