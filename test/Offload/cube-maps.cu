// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// Cube maps: each face, several cubes in one array, a linear filter, sizes that are none; a level of detail of a texture that
// has one. A kernel's derivative flows through the direction.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
extern __device__ int enzyme_dup, enzyme_const;
template <class... T> __device__ void __enzyme_autodiff(void *, T...);

__global__ void look(cudaTextureObject_t T, const float3 *At, float *Out) {
  float3 D = At[threadIdx.x];
  Out[threadIdx.x] = texCubemap<float>(T, D.x, D.y, D.z);
}
__global__ void lookIn(cudaTextureObject_t T, const float3 *At, int Layer, float *Out) {
  float3 D = At[threadIdx.x];
  texCubemapLayered(&Out[threadIdx.x], T, D.x, D.y, D.z, Layer);
}
__global__ void levels(cudaTextureObject_t T, float *Out) { Out[threadIdx.x] = tex2DLod<float>(T, 1.5f, 0.5f, threadIdx.x); }
__device__ void squared(cudaTextureObject_t T, const float *At, float *Out) {
  float V = texCubemap<float>(T, At[0], At[1], At[2]);
  *Out = V * V;
}
__global__ void value(cudaTextureObject_t T, const float *At, float *Out) { squared(T, At, Out); }
__global__ void slope(cudaTextureObject_t T, const float *At, float *Slope, float *Out, float *Seed) {
  __enzyme_autodiff((void *)squared, enzyme_const, T, enzyme_dup, At, Slope, enzyme_dup, Out, Seed);
}

static int Wrong = 0;
static void want(float Got, float Want, const char *What) {
  if (!(std::fabs(Got - Want) <= 2e-3f))
    std::printf("%s: %g, not %g\n", What, Got, Want), ++Wrong;
}

int main() {
  const int N = 4, Cubes = 2;
  float *M, *Out;
  float3 *At;
  cudaMallocManaged(&M, Cubes * 6 * N * N * sizeof(float));
  cudaMallocManaged(&Out, 4096);
  cudaMallocManaged(&At, 4096);
  for (int L = 0; L < 6 * Cubes; ++L) // 100 times the face, and what tells places in it apart
    for (int Y = 0; Y < N; ++Y)
      for (int X = 0; X < N; ++X)
        M[(L * N + Y) * N + X] = 100 * L + 10 * Y + X;
  auto make = [&](unsigned Flags, int Depth, cudaTextureFilterMode Filter) {
    cudaChannelFormatDesc F = cudaCreateChannelDesc<float>();
    cudaArray_t A;
    if (cudaMalloc3DArray(&A, &F, make_cudaExtent(N, N, Depth), Flags))
      return ++Wrong, cudaTextureObject_t();
    cudaMemcpy3DParms P = {};
    P.srcPtr = make_cudaPitchedPtr(M, N * sizeof(float), N, N);
    P.dstArray = A;
    P.extent = make_cudaExtent(N, N, Depth);
    P.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3D(&P);
    cudaResourceDesc R = {};
    R.resType = cudaResourceTypeArray;
    R.res.array.array = A;
    cudaTextureDesc D = {};
    D.addressMode[0] = D.addressMode[1] = D.addressMode[2] = cudaAddressModeClamp;
    D.filterMode = Filter;
    D.normalizedCoords = 1;
    cudaTextureObject_t T;
    if (cudaCreateTextureObject(&T, &R, &D, nullptr))
      ++Wrong;
    return T;
  };
  // The element in row 1 and column 2 of each face: s = 0.25 and t = -0.25 of where the face is.
  const float S = 0.25f, T = -0.25f;
  const float3 Ways[6] = {{1, -T, -S}, {-1, -T, S}, {S, 1, T}, {S, -1, -T}, {S, -T, 1}, {-S, -T, -1}};
  for (int I = 0; I < 6; ++I)
    At[I] = {Ways[I].x * 3, Ways[I].y * 3, Ways[I].z * 3}; // lengths say nothing
  cudaTextureObject_t One = make(cudaArrayCubemap, 6, cudaFilterModePoint);
  look<<<1, 6>>>(One, At, Out);
  for (int I = 0; I < 6; ++I)
    want(Out[I], 100 * I + 12, "face");
  cudaTextureObject_t Two = make(cudaArrayCubemap | cudaArrayLayered, 6 * Cubes, cudaFilterModePoint);
  for (int L = 0; L < Cubes; ++L) {
    lookIn<<<1, 6>>>(Two, At, L, Out);
    for (int I = 0; I < 6; ++I)
      want(Out[I], 100 * (6 * L + I) + 12, "face of a layer");
  }
  cudaArray_t A;
  cudaChannelFormatDesc F = cudaCreateChannelDesc<float>();
  for (cudaExtent E : {make_cudaExtent(4, 4, 5), make_cudaExtent(4, 2, 6), make_cudaExtent(4, 4, 0)})
    Wrong += cudaMalloc3DArray(&A, &F, E, cudaArrayCubemap) != cudaErrorInvalidValue;

  // With a filter: between elements, and the derivative by the direction.
  cudaTextureObject_t Soft = make(cudaArrayCubemap, 6, cudaFilterModeLinear);
  At[0] = {0.1f, 2, 0.3f};
  look<<<1, 1>>>(Soft, At, Out);
  want(Out[0], 200 + 10 * ((0.3f / 2 + 1) * 2 - 0.5f) + (0.1f / 2 + 1) * 2 - 0.5f, "filter");
  float *D = (float *)At, *Slope = (float *)(At + 1);
  Slope[0] = Slope[1] = Slope[2] = 0, Out[1] = 1;
  slope<<<1, 1>>>(Soft, D, Slope, Out, Out + 1);
  for (int I = 0; I < 3; ++I) {
    float Ends[2], Before = D[I];
    for (int E = 0; E < 2; ++E) {
      D[I] = Before + (E ? 0.01f : -0.01f);
      value<<<1, 1>>>(Soft, D, Out);
      Ends[E] = Out[0];
    }
    D[I] = Before;
    float Difference = (Ends[1] - Ends[0]) / 0.02f;
    want(Slope[I] / 1e4f, Difference / 1e4f, "slope");
    if (!(std::fabs(Slope[I]) > 1))
      ++Wrong;
  }
  cudaMallocArray(&A, &F, N, N);
  cudaMemcpy2DToArray(A, 0, 0, M, N * sizeof(float), N * sizeof(float), N, cudaMemcpyDeviceToDevice);
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = A;
  cudaTextureDesc Plain = {};
  cudaTextureObject_t Flat;
  cudaCreateTextureObject(&Flat, &R, &Plain, nullptr);
  levels<<<1, 3>>>(Flat, Out);
  for (int I = 0; I < 3; ++I)
    want(Out[I], 1, "level");
  return Wrong != 0;
}
