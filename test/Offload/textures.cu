// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// Texture objects: linear memory, rows with a pitch, arrays in two and three dimensions; filters, address modes, shares of
// integers. A kernel's derivative flows through the coordinates; elements are constants.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
extern __device__ int enzyme_dup, enzyme_const;
template <class... T> __device__ void __enzyme_autodiff(void *, T...);

__global__ void fetch(cudaTextureObject_t T, float *Out, int N) {
  if (threadIdx.x < N)
    Out[threadIdx.x] = tex1Dfetch<float>(T, (int)threadIdx.x - 1);
}
__global__ void pairs(cudaTextureObject_t T, float2 *Out) { Out[threadIdx.x] = tex2D<float2>(T, threadIdx.x + 0.5f, 1.5f); }
__global__ void plane(cudaTextureObject_t T, const float *At, float *Out) { tex2D(&Out[threadIdx.x], T, At[2 * threadIdx.x], At[2 * threadIdx.x + 1]); }
__global__ void bytes(cudaTextureObject_t T, uchar4 *Out) { Out[threadIdx.x] = tex1D<uchar4>(T, (float)threadIdx.x); }
__global__ void shares(cudaTextureObject_t T, float4 *Out) { Out[threadIdx.x] = tex1D<float4>(T, (float)threadIdx.x + 0.5f); }
__global__ void volume(cudaTextureObject_t T, const float *At, float *Out) { *Out = tex3D<float>(T, At[0], At[1], At[2]); }
__device__ void sample(cudaTextureObject_t T, const float *At, float *Out) {
  float V = tex2D<float>(T, At[0], At[1]);
  *Out = V * V;
}
__global__ void slope(cudaTextureObject_t T, const float *At, float *Slope, float *Out, float *Seed) {
  __enzyme_autodiff((void *)sample, enzyme_const, T, enzyme_dup, At, Slope, enzyme_dup, Out, Seed);
}

static int Wrong = 0;
static void want(float Got, float Want, const char *What) {
  if (std::fabs(Got - Want) > 1e-5f)
    std::printf("%s: %g, not %g\n", What, Got, Want), ++Wrong;
}

int main() {
  float *M, *Out;
  cudaMallocManaged(&M, 4096);
  cudaMallocManaged(&Out, 4096);
  cudaResourceDesc R = {};
  cudaTextureDesc D = {};
  cudaTextureObject_t T;

  // Linear memory; outside there is 0.
  for (int I = 0; I < 8; ++I)
    M[I] = I * I + 1;
  R.resType = cudaResourceTypeLinear;
  R.res.linear.devPtr = M;
  R.res.linear.desc = cudaCreateChannelDesc<float>();
  R.res.linear.sizeInBytes = 8 * sizeof(float);
  if (cudaCreateTextureObject(&T, &R, &D, nullptr))
    return 1;
  fetch<<<1, 32>>>(T, Out, 10);
  for (int I = 0; I < 10; ++I)
    want(Out[I], I >= 1 && I <= 8 ? (I - 1) * (I - 1) + 1 : 0, "linear");
  cudaDestroyTextureObject(T);
  if (cudaDestroyTextureObject(T) != cudaErrorInvalidValue) // gone
    ++Wrong;

  // Pairs in rows of 64 bytes.
  for (int I = 0; I < 64; ++I)
    M[I] = I;
  R = {};
  R.resType = cudaResourceTypePitch2D;
  R.res.pitch2D = {M, cudaCreateChannelDesc<float2>(), 4, 3, 64};
  cudaCreateTextureObject(&T, &R, &D, nullptr);
  pairs<<<1, 4>>>(T, (float2 *)Out);
  for (int I = 0; I < 8; ++I)
    want(Out[I], 16 + I, "pitch");
  cudaDestroyTextureObject(T);

  // A plane with a linear filter.
  const int W = 5, H = 4;
  cudaChannelFormatDesc F = cudaCreateChannelDesc<float>();
  cudaArray_t A;
  cudaMallocArray(&A, &F, W, H);
  for (int I = 0; I < W * H; ++I)
    M[I] = I % W * 2 + I / W * I / W;
  cudaMemcpy2DToArray(A, 0, 0, M, W * sizeof(float), W * sizeof(float), H, cudaMemcpyDeviceToDevice);
  auto At = [&](int X, int Y) { return M[Y * W + X]; };
  R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = A;
  D.filterMode = cudaFilterModeLinear;
  D.addressMode[0] = D.addressMode[1] = cudaAddressModeClamp;
  cudaCreateTextureObject(&T, &R, &D, nullptr);
  float *Places = Out + 64;
  float Where[][2] = {{1.5f, 2.5f}, {2.25f, 1.75f}, {-3, 0.5f}, {4.9f, 3.9f}};
  memcpy(Places, Where, sizeof Where);
  plane<<<1, 4>>>(T, Places, Out);
  want(Out[0], At(1, 2), "filter");
  auto Between = [&](float X, float Y) { // of inner places
    int I = (int)floorf(X - 0.5f), J = (int)floorf(Y - 0.5f);
    float U = X - 0.5f - I, V = Y - 0.5f - J;
    return (1 - U) * (1 - V) * At(I, J) + U * (1 - V) * At(I + 1, J) + (1 - U) * V * At(I, J + 1) + U * V * At(I + 1, J + 1);
  };
  want(Out[1], Between(2.25f, 1.75f), "filter");
  want(Out[2], At(0, 0), "clamp");
  want(Out[3], At(4, 3), "clamp");
  float *Slope = Out + 128, *Seed = Out + 160;
  Slope[0] = Slope[1] = 0, Seed[0] = 1;
  Places[0] = 2.25f, Places[1] = 1.75f;
  slope<<<1, 1>>>(T, Places, Slope, Out, Seed);
  float Value = Between(2.25f, 1.75f), Step = 0.125f;
  want(Slope[0], Value * (Between(2.25f + Step, 1.75f) - Between(2.25f - Step, 1.75f)) / Step, "slope along x");
  want(Slope[1], Value * (Between(2.25f, 1.75f + Step) - Between(2.25f, 1.75f - Step)) / Step, "slope along y");
  cudaDestroyTextureObject(T);

  // Coordinates as shares, round and round, and mirrored; a border.
  D = {};
  D.normalizedCoords = 1;
  D.addressMode[0] = cudaAddressModeWrap, D.addressMode[1] = cudaAddressModeMirror;
  cudaCreateTextureObject(&T, &R, &D, nullptr);
  float Shares[][2] = {{1.3f, 0.1f}, {-0.1f, 1.1f}};
  memcpy(Places, Shares, sizeof Shares);
  plane<<<1, 2>>>(T, Places, Out);
  want(Out[0], At(1, 0), "wrap");
  want(Out[1], At(4, 3), "mirror");
  cudaDestroyTextureObject(T);
  D = {};
  D.addressMode[0] = D.addressMode[1] = cudaAddressModeBorder;
  D.borderColor[0] = 7;
  cudaCreateTextureObject(&T, &R, &D, nullptr);
  Places[0] = -1, Places[1] = 1;
  plane<<<1, 1>>>(T, Places, Out);
  want(Out[0], 7, "border");
  cudaDestroyTextureObject(T);
  cudaFreeArray(A);

  // Bytes, as they are and as shares of 255.
  auto *B = (unsigned char *)M;
  for (int I = 0; I < 16; ++I)
    B[I] = 16 * I + I;
  F = cudaCreateChannelDesc<uchar4>();
  cudaMallocArray(&A, &F, 4);
  cudaMemcpyToArray(A, 0, 0, M, 16, cudaMemcpyDeviceToDevice);
  R.res.array.array = A;
  D = {};
  cudaCreateTextureObject(&T, &R, &D, nullptr);
  bytes<<<1, 4>>>(T, (uchar4 *)Out);
  if (memcmp(Out, M, 16))
    std::puts("bytes"), ++Wrong;
  cudaDestroyTextureObject(T);
  D.readMode = cudaReadModeNormalizedFloat;
  cudaCreateTextureObject(&T, &R, &D, nullptr);
  shares<<<1, 4>>>(T, (float4 *)Out);
  for (int I = 0; I < 16; ++I)
    want(Out[I], B[I] / 255.0f, "shares");
  cudaDestroyTextureObject(T);
  cudaFreeArray(A);

  // A volume.
  F = cudaCreateChannelDesc<float>();
  cudaExtent E = make_cudaExtent(3, 4, 2);
  cudaMalloc3DArray(&A, &F, E);
  for (int I = 0; I < 24; ++I)
    M[I] = I;
  cudaMemcpy3DParms P = {};
  P.srcPtr = make_cudaPitchedPtr(M, 3 * sizeof(float), 3, 4);
  P.dstArray = A;
  P.extent = E;
  P.kind = cudaMemcpyDeviceToDevice;
  if (cudaMemcpy3D(&P))
    ++Wrong;
  R.res.array.array = A;
  D = {};
  D.filterMode = cudaFilterModeLinear;
  D.addressMode[0] = D.addressMode[1] = D.addressMode[2] = cudaAddressModeClamp;
  cudaCreateTextureObject(&T, &R, &D, nullptr);
  Places[0] = 1.25f, Places[1] = 2, Places[2] = 1; // 0.75, 1.5 and 0.5 behind the first middles
  volume<<<1, 1>>>(T, Places, Out);
  want(Out[0], 0.75f + 1.5f * 3 + 0.5f * 12, "volume");
  cudaDestroyTextureObject(T);
  cudaFreeArray(A);

  // Filters need numbers.
  F = cudaCreateChannelDesc<int>();
  cudaMallocArray(&A, &F, 4);
  R.res.array.array = A;
  if (cudaCreateTextureObject(&T, &R, &D, nullptr) != cudaErrorInvalidFilterSetting)
    ++Wrong;
  cudaFreeArray(A);
  return Wrong;
}
