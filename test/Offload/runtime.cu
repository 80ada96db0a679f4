// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime: memory of every kind, symbols, streams, events, errors, limits of launches,
// device properties, attributes of functions, printf and malloc of a device.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "rgtest.h"
#include <cuda_runtime.h>
#include <string.h>
#include <vector>

#define OK(Call) RG_TRUE((Call) == cudaSuccess)

__constant__ float Weights[4];
__device__ int Counter;
__device__ double Table[8] = {1, 2, 3, 4};
static __device__ float Hidden = 2.5f;

__global__ void useSymbols(float *Out) {
  int I = threadIdx.x;
  Out[I] = Weights[I % 4] + (float)Table[I] + Hidden;
  atomicAdd(&Counter, I);
}
__global__ void hide() { Hidden = -1; }

__global__ __launch_bounds__(128) void limited(int *P) { P[threadIdx.x] = 1; }

extern __shared__ double Dynamic[];
__global__ void dynamicShared(double *Out, int N) {
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    Dynamic[I] = I;
  __syncthreads();
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    Out[I] = Dynamic[N - 1 - I];
}

__global__ void allocates(int **Where) {
  int *P = (int *)malloc(2 * sizeof(int));
  P[0] = threadIdx.x;
  P[1] = P[0] * 2;
  Where[threadIdx.x] = P;
}
__global__ void releases(int **Where, int *Out) {
  Out[threadIdx.x] = Where[threadIdx.x][1];
  free(Where[threadIdx.x]);
}

__global__ void tells(int N) {
  if (threadIdx.x == 1)
    printf("%d %5.2f %s %c %llu %x%% %-4d|\n", N, 2.5, "word", 'c', 1ull << 40, 255, 7);
}

struct Big {
  float A[16];
  int N;
};
__global__ void byValue(Big B, float *Out) {
  B.A[threadIdx.x] += threadIdx.x; // each thread has its own
  float S = 0;
  for (int I = 0; I < B.N; ++I)
    S += B.A[I];
  Out[threadIdx.x] = S;
}

static void onHost(void *P) { ++*(int *)P; }

int main() {
  // Symbols.
  float W[4] = {10, 20, 30, 40}, *Out, Got[16];
  OK(cudaMemcpyToSymbol(Weights, W, sizeof W));
  int Zero = 0, Count;
  OK(cudaMemcpyToSymbol(Counter, &Zero, sizeof Zero));
  double More = 7;
  OK(cudaMemcpyToSymbol(Table, &More, sizeof More, 5 * sizeof(double)));
  OK(cudaMalloc(&Out, sizeof Got));
  useSymbols<<<1, 8>>>(Out);
  hide<<<1, 1>>>();
  OK(cudaGetLastError());
  OK(cudaMemcpy(Got, Out, 8 * sizeof(float), cudaMemcpyDeviceToHost));
  const double T[8] = {1, 2, 3, 4, 0, 7, 0, 0};
  for (int I = 0; I < 8; ++I)
    RG_NEAR(Got[I], W[I % 4] + T[I] + 2.5);
  OK(cudaMemcpyFromSymbol(&Count, Counter, sizeof Count));
  RG_NEAR(Count, 28);
  float H;
  OK(cudaMemcpyFromSymbol(&H, Hidden, sizeof H));
  RG_NEAR(H, -1);
  void *Address;
  size_t Size;
  OK(cudaGetSymbolAddress(&Address, Table));
  OK(cudaGetSymbolSize(&Size, Table));
  RG_NEAR(((double *)Address)[5], 7);
  RG_NEAR(Size, 64);

  // Arguments by value.
  Big B;
  B.N = 16;
  for (int I = 0; I < 16; ++I)
    B.A[I] = I;
  byValue<<<1, 16>>>(B, Out);
  OK(cudaMemcpy(Got, Out, sizeof Got, cudaMemcpyDefault));
  for (int I = 0; I < 16; ++I)
    RG_NEAR(Got[I], 120 + I);

  // Limits.
  int *P;
  OK(cudaMalloc(&P, 4096));
  limited<<<1, 2000>>>(P);
  RG_TRUE(cudaGetLastError() == cudaErrorInvalidConfiguration);
  OK(cudaGetLastError());
  limited<<<1, 129>>>(P);
  RG_TRUE(cudaPeekAtLastError() == cudaErrorLaunchOutOfResources);
  RG_TRUE(cudaGetLastError() == cudaErrorLaunchOutOfResources);
  limited<<<0, 1>>>(P);
  RG_TRUE(cudaGetLastError() == cudaErrorInvalidConfiguration);
  limited<<<dim3(1, 70000), 1>>>(P);
  RG_TRUE(cudaGetLastError() == cudaErrorInvalidConfiguration);
  limited<<<1, 128>>>(P);
  OK(cudaGetLastError());

  // Dynamic shared memory, and more of it than comes without asking.
  double *D;
  OK(cudaMalloc(&D, 8000 * sizeof(double)));
  for (int N : std::vector<int>{100, 6000}) {
    dynamicShared<<<1, 64, 8000 * sizeof(double)>>>(D, N);
    if (N == 100) {
      RG_TRUE(cudaGetLastError() == cudaErrorInvalidValue);
      OK(cudaFuncSetAttribute(dynamicShared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64000));
      dynamicShared<<<1, 64, 8000 * sizeof(double)>>>(D, N);
    }
    OK(cudaGetLastError());
    std::vector<double> R(N);
    OK(cudaMemcpy(R.data(), D, N * sizeof(double), cudaMemcpyDeviceToHost));
    RG_NEAR(R[0], N - 1);
    RG_NEAR(R[N - 1], 0);
  }
  RG_TRUE(cudaFuncSetAttribute(dynamicShared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) ==
           cudaErrorInvalidValue);
  cudaGetLastError();

  // Streams and events.
  cudaStream_t S;
  cudaEvent_t A, E;
  OK(cudaStreamCreate(&S));
  OK(cudaEventCreate(&A));
  OK(cudaEventCreate(&E));
  OK(cudaEventRecord(A, S));
  dynamicShared<<<1, 64, 800, S>>>(D, 100);
  OK(cudaEventRecord(E, S));
  OK(cudaStreamWaitEvent(S, E, 0));
  OK(cudaEventSynchronize(E));
  float Ms = -1;
  OK(cudaEventElapsedTime(&Ms, A, E));
  RG_TRUE(Ms >= 0);
  int Calls = 0;
  OK(cudaLaunchHostFunc(S, onHost, &Calls));
  OK(cudaStreamSynchronize(S));
  RG_NEAR(Calls, 1);
  RG_TRUE(cudaStreamQuery(S) == cudaSuccess);
  OK(cudaEventDestroy(A));
  OK(cudaEventDestroy(E));
  OK(cudaStreamDestroy(S));

  // Memory.
  float *M;
  size_t Pitch;
  OK(cudaMallocManaged(&M, 64));
  M[3] = 5;
  useSymbols<<<1, 8>>>(M);
  OK(cudaDeviceSynchronize());
  RG_NEAR(M[0], 10); // Hidden is -1 by now
  char *Rows, Square[4][5];
  OK(cudaMallocPitch(&Rows, &Pitch, 5, 4));
  RG_TRUE(Pitch >= 5);
  memset(Square, 'x', sizeof Square);
  OK(cudaMemset2D(Rows, Pitch, 'y', 3, 4));
  OK(cudaMemcpy2D(Square, 5, Rows, Pitch, 3, 4, cudaMemcpyDeviceToHost));
  RG_TRUE(Square[3][2] == 'y' && Square[3][3] == 'x');
  RG_TRUE(cudaMemcpy(Rows, nullptr, 4, cudaMemcpyDefault) == cudaErrorInvalidValue);
  RG_TRUE(cudaFree(&Pitch) == cudaErrorInvalidValue);
  RG_TRUE(cudaGetLastError() == cudaErrorInvalidValue);
  float *Pinned;
  OK(cudaMallocHost(&Pinned, 128));
  cudaPointerAttributes Attributes;
  OK(cudaPointerGetAttributes(&Attributes, Pinned + 3));
  RG_TRUE(Attributes.type == cudaMemoryTypeHost);
  OK(cudaFreeHost(Pinned));
  OK(cudaFree(M));
  OK(cudaFree(Rows));

  // The device.
  cudaDeviceProp Prop;
  int Devices, Value, Blocks;
  OK(cudaGetDeviceCount(&Devices));
  OK(cudaGetDeviceProperties(&Prop, 0));
  OK(cudaDeviceGetAttribute(&Value, cudaDevAttrMultiProcessorCount, 0));
  RG_TRUE(Devices == 1 && Prop.warpSize == 32 && Prop.multiProcessorCount == Value && Value > 0);
  RG_TRUE(cudaSetDevice(3) == cudaErrorInvalidDevice);
  cudaGetLastError();
  cudaFuncAttributes Function;
  OK(cudaFuncGetAttributes(&Function, limited));
  RG_NEAR(Function.maxThreadsPerBlock, 128);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, limited, 64, 0));
  RG_NEAR(Blocks, 1);
  int Grid, Block;
  OK(cudaOccupancyMaxPotentialBlockSize(&Grid, &Block, limited));
  RG_NEAR(Block, 128);
  RG_TRUE(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
  RG_TRUE(!strcmp(cudaGetErrorName(cudaErrorAssert), "cudaErrorAssert"));

  // Launch without <<< >>>.
  int N = 100;
  void *Arguments[] = {&D, &N};
  OK(cudaLaunchKernel(dynamicShared, dim3(1), dim3(32), Arguments, 800, 0));

  // The heap of a device; printf is checked by printf.cu.
  int **Where, *Sums, Doubled[4];
  OK(cudaMalloc(&Where, 4 * sizeof(int *)));
  OK(cudaMalloc(&Sums, sizeof Doubled));
  allocates<<<1, 4>>>(Where);
  releases<<<1, 4>>>(Where, Sums);
  OK(cudaMemcpy(Doubled, Sums, sizeof Doubled, cudaMemcpyDeviceToHost));
  RG_NEAR(Doubled[3], 6);
  tells<<<1, 2>>>(42);
  return rgReport();
}
