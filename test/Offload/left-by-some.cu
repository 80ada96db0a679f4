// Threads leave a loop in different iterations, and a flag says who did: a value that threads choose by the way they leave
// is one for each of them. LLVM 22 takes it for one of the block where both values were made in front of the loop.
// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t | FileCheck %s
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t | FileCheck %s
// CHECK: ok
#include <cstdio>
__global__ void tiles(const float *x, float *y, int n) {
  __shared__ float tile[32];
  int t = threadIdx.x, i = t;
  float sum = 0;
  bool done = false;
  for (int base = 0; base < n; base += 32) {
    int count = min(32, n - base);
    __syncthreads();
    if (t < count)
      tile[t] = x[base + t];
    __syncthreads();
    for (int j = 0; j < count && !done; ++j) {
      if ((3 * j + i) % 4 == 0)
        continue;
      if (base + j > 20 + 7 * i % 60) {
        done = true;
        break;
      }
      sum += tile[j];
    }
  }
  y[i] = sum;
}
int main() {
  float x[90], y[32], *dx, *dy;
  for (int i = 0; i < 90; ++i)
    x[i] = i + 1;
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&dy, sizeof y);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  tiles<<<1, 32>>>(dx, dy, 90);
  cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 32; ++i) {
    float sum = 0;
    for (int row = 0; row < 90; ++row) {
      if ((3 * (row % 32) + i) % 4 == 0)
        continue;
      if (row > 20 + 7 * i % 60)
        break;
      sum += x[row];
    }
    if (sum != y[i]) {
      ++bad;
      printf("%d: %g, not %g\n", i, y[i], sum);
    }
  }
  puts(bad ? "bad" : "ok");
}
