// RUN: %rgcxx --offload=cpu -O0 %s %S/Inputs/constants.cpp -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 %s %S/Inputs/constants.cpp -o %t && %t
// Constants with a name for other files are variables of the host that device code reads, too.
#include <cuda_runtime.h>

extern const float Table[3];
const float Table[3] = {1, 2, 3};
extern const int Size;
const int Size = 3;
namespace tables {
extern const double Weights[2];
const double Weights[2] = {0.5, 0.25};
} // namespace tables
static const int Own[2] = {7, 8};
__constant__ float Written[2] = {1, 1};
float sumElsewhere();

__global__ void sum(float *Y, int One) {
  *Y = 0;
  for (int I = 0; I < Size; ++I)
    *Y += Table[I];
  *Y += float(tables::Weights[0] + tables::Weights[One]) + Own[One] * Written[One];
}
int main() {
  float *Y, New[2] = {2, 3};
  cudaMallocManaged(&Y, sizeof *Y);
  cudaMemcpyToSymbol(Written, New, sizeof New);
  sum<<<1, 1>>>(Y, 1);
  cudaDeviceSynchronize();
  return *Y != 6.75f + 8 * 3 || sumElsewhere() != 6.75f;
}
