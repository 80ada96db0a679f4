// Regions that stay functions take what they use themselves, not what all regions of their kernel use: LLVM's
// passes between procedures take time quadratic in the number of arguments.
// RUN: %rgcxx --offload=cpu -O0 -S -emit-llvm -o - %s | grep 'define.*region' | FileCheck %s
// CHECK: define {{.*}}steps{{.*}}region
// CHECK-NOT: {{([^,]*,){64} }}
template <int N> __device__ double step(double x) {
  if constexpr (N == 0)
    return x;
  else
    return N * __shfl_xor_sync(~0u, x, N) + step<N - 1>(x * x);
}
__global__ void steps(double *x) { x[threadIdx.x] = step<20>(x[threadIdx.x]); }
int main() {}
