// Faults that a machine without a GPU does not show by itself (untouchable-device.test).
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
int main(int, char **arguments) {
  double *d, h[4] = {1, 2, 3, 4};
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(d + 1, 0, 8);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", h[0], h[1], h[2]);
  fflush(stdout);
  if (!strcmp(arguments[1], "host"))
    printf("%g\n", d[3]);
  if (!strcmp(arguments[1], "beyond"))
    cudaMemcpy(d + 1, h, sizeof h, cudaMemcpyHostToDevice);
  cudaFree(d);
  if (!strcmp(arguments[1], "freed"))
    cudaMemset(d, 0, 8);
  if (!strcmp(arguments[1], "twice"))
    cudaFree(d);
  return 0;
}
