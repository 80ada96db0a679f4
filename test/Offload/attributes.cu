// RUN: %rgcxx --offload=cpu -O2 -Wall -Werror %s -o %t && %t
// RUN: env RG_CUDA_STREAMS=late %t
// What programs set and ask for: attributes of streams, flags and limits of the device; memory that nodes of a graph allocate
// and free; nan() in kernels; searches of Thrust, and names of its own.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <thrust/detail/type_traits.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/find.h>

static int Wrong = 0;
static void want(bool Right, const char *What) {
  if (!Right)
    std::printf("%s\n", What), ++Wrong;
}
__global__ void nans(double *D, float *F) { *D = nan(""), *F = nanf("7"); }
__global__ void fill(int *To, int From, int N) {
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    To[I] = From + I;
}
__global__ void doubled(const int *From, int *To, int N) {
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    To[I] = 2 * From[I];
}
struct Above {
  int Limit;
  __host__ __device__ bool operator()(int V) const { return V > Limit; }
};

int main() {
  cudaStream_t S, Other;
  want(!cudaSetDeviceFlags(cudaDeviceBlockingSync), "flags");
  cudaStreamCreate(&S), cudaStreamCreate(&Other);
  int *Data, *Result;
  cudaMallocManaged(&Result, 64 * sizeof(int));
  cudaMalloc(&Data, 64 * sizeof(int));
  cudaStreamAttrValue V = {};
  V.accessPolicyWindow.base_ptr = Data;
  V.accessPolicyWindow.num_bytes = 256;
  V.accessPolicyWindow.hitRatio = 0.5f;
  V.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  V.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  want(!cudaStreamSetAttribute(S, cudaStreamAttributeAccessPolicyWindow, &V), "set");
  want(!cudaStreamCopyAttributes(Other, S), "copy");
  V = {};
  want(!cudaStreamGetAttribute(Other, cudaStreamAttributeAccessPolicyWindow, &V) && V.accessPolicyWindow.base_ptr == Data &&
           V.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting,
       "get");
  want(cudaStreamSetAttribute(S, cudaLaunchAttributeCooperative, &V) == cudaErrorInvalidValue, "an attribute of launches");
  want(!cudaCtxResetPersistingL2Cache(), "reset");
  size_t Bytes = 0;
  want(!cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 4096) && !cudaDeviceGetLimit(&Bytes, cudaLimitPersistingL2CacheSize) && Bytes == 4096, "limit");
  want(cudaGetLastError() == cudaErrorInvalidValue, "the last error");

  double *D;
  float *F;
  cudaMallocManaged(&D, sizeof *D), cudaMallocManaged(&F, sizeof *F);
  nans<<<1, 1>>>(D, F);
  cudaDeviceSynchronize();
  want(std::isnan(*D) && std::isnan(*F), "nan");

  // A graph whose memory is its own.
  cudaGraph_t G;
  cudaGraphNode_t Begin, First, Second, End;
  cudaGraphCreate(&G, 0);
  cudaMemAllocNodeParams P = {};
  P.poolProps.allocType = cudaMemAllocationTypePinned;
  P.poolProps.location = {cudaMemLocationTypeDevice, 0};
  P.bytesize = 64 * sizeof(int);
  want(!cudaGraphAddMemAllocNode(&Begin, G, nullptr, 0, &P) && P.dptr, "a node that allocates");
  int *Own = (int *)P.dptr, From = 3, N = 64;
  void *Fill[] = {&Own, &From, &N}, *Twice[] = {&Own, &Result, &N};
  cudaKernelNodeParams K = {};
  K.gridDim = dim3(1), K.blockDim = dim3(32);
  K.func = (void *)fill, K.kernelParams = Fill;
  cudaGraphAddKernelNode(&First, G, &Begin, 1, &K);
  K.func = (void *)doubled, K.kernelParams = Twice;
  cudaGraphAddKernelNode(&Second, G, &First, 1, &K);
  want(!cudaGraphAddMemFreeNode(&End, G, &Second, 1, Own), "a node that frees");
  want(cudaGraphAddMemFreeNode(&End, G, &Second, 1, Data) == cudaErrorInvalidValue, "a node that frees what is no graph's");
  cudaGraphExec_t E;
  cudaGraphInstantiate(&E, G, 0);
  cudaGraphDestroy(G);
  for (int Round = 0; Round < 2; ++Round) {
    for (int I = 0; I < N; ++I)
      Result[I] = 0;
    want(!cudaGraphLaunch(E, S) && !cudaStreamSynchronize(S), "launch");
    for (int I = 0; I < N; ++I)
      want(Result[I] == 2 * (3 + I), "what the graph computed");
    want(!cudaFree(Own), "a free of the program's"); // the graph has it until it goes
  }
  cudaGraphExecDestroy(E);
  want(!cudaDeviceGraphMemTrim(0), "trim");

  thrust::device_vector<int> Numbers(100);
  for (int I = 0; I < 100; ++I)
    Numbers[I] = I / 3;
  want(thrust::find(Numbers.begin(), Numbers.end(), 20) - Numbers.begin() == 60, "find");
  want(thrust::find(thrust::device, Numbers.begin(), Numbers.end(), 40) == Numbers.end(), "find what is not there");
  want(thrust::find_if(Numbers.begin(), Numbers.end(), Above{10}) - Numbers.begin() == 33, "find_if");
  want(thrust::find_if_not(Result, Result + 64, Above{10}) == Result, "find_if_not");
  static_assert(thrust::detail::is_same<thrust::detail::remove_reference<int &>::type, int>::value, "");
  thrust::detail::enable_if<true, int>::type Zero = 0;
  return Wrong + Zero != 0;
}
