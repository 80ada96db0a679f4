//===- Memory.cpp - memory, streams, events of the CUDA runtime -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <omp.h>
#include <unistd.h>
#include <vector>

using namespace rgcuda;

struct CUstream_st {
  unsigned Flags;
  int Priority;
  int Device;
  cudaAccessPolicyWindow Window = {};
  cudaSynchronizationPolicy Policy = cudaSyncPolicyAuto;
};
struct CUevent_st {
  unsigned Flags;
  int Device;
  bool Recorded;
  std::chrono::steady_clock::time_point At;
};

bool rgcuda::isOwn(cudaStream_t S) {
  return S && S != cudaStreamLegacy && S != cudaStreamPerThread;
}
bool rgcuda::isApart(cudaStream_t S) {
  return isOwn(S) && S->Flags & cudaStreamNonBlocking;
}

namespace {

/// How many devices there are: what RG_CUDA_DEVICES says, or one. All are this
/// machine, with memory of their own as far as calls tell.
int devices() {
  static const int Number = [] {
    const char *Text = getenv("RG_CUDA_DEVICES");
    int N = Text ? atoi(Text) : 1;
    return N < 1 ? 1 : N > 16 ? 16 : N;
  }();
  return Number;
}
bool isDevice(int D) { return D >= 0 && D < devices(); }
thread_local int Current = 0;

struct Allocation {
  size_t Size;
  cudaMemoryType Type;
  unsigned Flags;
  int Device;
  bool Registered = false; // the program's own memory
};
struct Allocations {
  std::mutex Lock;
  std::map<uintptr_t, Allocation> ByAddress;
};
Allocations &allocations() {
  static Allocations *A = new Allocations; // outlives destructors that free
  return *A;
}

// Variables are the program's own, so their sizes are what the headers tell.
struct Symbols {
  std::mutex Lock;
  std::map<const void *, size_t> Size;
};
Symbols &symbols() {
  static Symbols *S = new Symbols;
  return *S;
}

cudaError_t allocate(void **P, size_t Size, cudaMemoryType Type,
                     unsigned Flags = 0) {
  if (!P)
    return fail(cudaErrorInvalidValue);
  *P = nullptr;
  if (cudaError_t E = stickyError())
    return fail(E);
  if (!Size)
    return cudaSuccess;
  void *New = nullptr;
  if (Size > (size_t(1) << 46) || posix_memalign(&New, 256, Size))
    return fail(cudaErrorMemoryAllocation);
  Allocations &A = allocations();
  std::lock_guard<std::mutex> Hold(A.Lock);
  A.ByAddress[reinterpret_cast<uintptr_t>(New)] = {Size, Type, Flags, Current};
  *P = New;
  return cudaSuccess;
}

cudaError_t release(void *P) {
  if (!P)
    return cudaSuccess;
  Allocations &A = allocations();
  {
    std::lock_guard<std::mutex> Hold(A.Lock);
    auto It = A.ByAddress.find(reinterpret_cast<uintptr_t>(P));
    if (It == A.ByAddress.end() || It->second.Registered)
      return fail(cudaErrorInvalidValue);
    A.ByAddress.erase(It);
  }
  free(P);
  return cudaSuccess;
}

cudaError_t copy(void *To, const void *From, size_t Size, cudaMemcpyKind Kind) {
  if (unsigned(Kind) > cudaMemcpyDefault)
    return fail(cudaErrorInvalidMemcpyDirection);
  if (Size && (!To || !From))
    return fail(cudaErrorInvalidValue);
  if (cudaError_t E = stickyError())
    return fail(E);
  if (Size)
    memmove(To, From, Size);
  return cudaSuccess;
}

cudaError_t done() { return fail(stickyError()); }

size_t physicalMemory() {
  return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
}

} // namespace

int rgcuda::deviceOf(cudaStream_t S) { return isOwn(S) ? S->Device : Current; }

extern "C" {

//===-- Errors
//-----------------------------------------------------------------===//

const char *cudaGetErrorString(cudaError_t E) {
  switch (E) {
#define ERROR(Name, Code, Text)                                                \
  case Name:                                                                   \
    return Text;
    RETROGRAD_CUDA_ERRORS(ERROR)
#undef ERROR
  }
  return "unrecognized error code";
}
const char *cudaGetErrorName(cudaError_t E) {
  switch (E) {
#define ERROR(Name, Code, Text)                                                \
  case Name:                                                                   \
    return #Name;
    RETROGRAD_CUDA_ERRORS(ERROR)
#undef ERROR
  }
  return "unrecognized error code";
}

//===-- Devices
//------------------------------------------------------------------===//

cudaError_t cudaGetDeviceCount(int *N) { return *N = devices(), cudaSuccess; }
cudaError_t cudaGetDevice(int *D) { return *D = Current, cudaSuccess; }
cudaError_t cudaSetDevice(int D) {
  if (!isDevice(D))
    return fail(cudaErrorInvalidDevice);
  return Current = D, cudaSuccess;
}
cudaError_t cudaChooseDevice(int *D, const cudaDeviceProp *) {
  return *D = 0, cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *P, int D) {
  if (!isDevice(D))
    return fail(cudaErrorInvalidDevice);
  memset(P, 0, sizeof *P);
  snprintf(P->name, sizeof P->name, "Retrograd CUDA on CPU");
  P->totalGlobalMem = physicalMemory();
  P->sharedMemPerBlock = MaxShared;
  P->regsPerBlock = P->regsPerMultiprocessor = 65536;
  P->warpSize = 32;
  P->memPitch = 2147483647;
  P->maxThreadsPerBlock = MaxThreads;
  for (int I = 0; I < 3; ++I) {
    P->maxThreadsDim[I] = static_cast<int>(MaxBlockDim[I]);
    P->maxGridSize[I] = static_cast<int>(MaxGridDim[I]);
  }
  P->clockRate = 1000000;
  P->memoryClockRate = 1000000;
  P->memoryBusWidth = 64;
  P->totalConstMem = 65536;
  P->major = 9;
  P->textureAlignment = 512;
  P->multiProcessorCount = omp_get_max_threads();
  P->deviceOverlap = P->asyncEngineCount = 1; // as every device says today
  P->integrated = P->canMapHostMemory = P->concurrentKernels =
      P->unifiedAddressing = P->managedMemory = 1;
  P->l2CacheSize = 1 << 20;
  P->maxThreadsPerMultiProcessor = MaxThreads;
  P->sharedMemPerMultiprocessor = P->sharedMemPerBlockOptin = MaxSharedOptIn;
  P->pageableMemoryAccess = P->concurrentManagedAccess =
      P->hostNativeAtomicSupported = 1;
  P->directManagedMemAccessFromHost = 1;
  P->singleToDoublePrecisionPerfRatio = 2;
  P->maxBlocksPerMultiProcessor = 1;
  P->cooperativeLaunch = P->memoryPoolsSupported =
      P->canUseHostPointerForRegisteredMem = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *V, cudaDeviceAttr A, int D) {
  cudaDeviceProp P;
  if (cudaError_t E = cudaGetDeviceProperties(&P, D))
    return E;
  switch (A) {
  case cudaDevAttrMaxThreadsPerBlock:
    *V = P.maxThreadsPerBlock;
    break;
  case cudaDevAttrMaxBlockDimX:
    *V = P.maxThreadsDim[0];
    break;
  case cudaDevAttrMaxBlockDimY:
    *V = P.maxThreadsDim[1];
    break;
  case cudaDevAttrMaxBlockDimZ:
    *V = P.maxThreadsDim[2];
    break;
  case cudaDevAttrMaxGridDimX:
    *V = P.maxGridSize[0];
    break;
  case cudaDevAttrMaxGridDimY:
    *V = P.maxGridSize[1];
    break;
  case cudaDevAttrMaxGridDimZ:
    *V = P.maxGridSize[2];
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *V = static_cast<int>(P.sharedMemPerBlock);
    break;
  case cudaDevAttrTotalConstantMemory:
    *V = static_cast<int>(P.totalConstMem);
    break;
  case cudaDevAttrWarpSize:
    *V = P.warpSize;
    break;
  case cudaDevAttrClockRate:
    *V = P.clockRate;
    break;
  case cudaDevAttrMultiProcessorCount:
    *V = P.multiProcessorCount;
    break;
  case cudaDevAttrMemoryClockRate:
    *V = P.memoryClockRate;
    break;
  case cudaDevAttrGlobalMemoryBusWidth:
    *V = P.memoryBusWidth;
    break;
  case cudaDevAttrL2CacheSize:
    *V = P.l2CacheSize;
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *V = P.maxThreadsPerMultiProcessor;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *V = P.major;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *V = P.minor;
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *V = static_cast<int>(P.sharedMemPerBlockOptin);
    break;
  case cudaDevAttrMaxPitch:
    *V = static_cast<int>(P.memPitch);
    break;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    *V = P.regsPerBlock;
    break;
  case cudaDevAttrTextureAlignment:
    *V = static_cast<int>(P.textureAlignment);
    break;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    *V = P.singleToDoublePrecisionPerfRatio;
    break;
  case cudaDevAttrGpuOverlap:
  case cudaDevAttrKernelExecTimeout:
  case cudaDevAttrComputeMode:
  case cudaDevAttrEccEnabled:
  case cudaDevAttrPciBusId:
  case cudaDevAttrPciDeviceId:
  case cudaDevAttrPciDomainId:
  case cudaDevAttrTccDriver:
  case cudaDevAttrAsyncEngineCount:
  case cudaDevAttrStreamPrioritiesSupported:
  case cudaDevAttrGlobalL1CacheSupported:
  case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrIsMultiGpuBoard:
  case cudaDevAttrComputePreemptionSupported:
    *V = 0;
    break;
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrMaxBlocksPerMultiprocessor:
  case cudaDevAttrMemoryPoolsSupported:
  case cudaDevAttrHostNativeAtomicSupported:
  case cudaDevAttrIntegrated:
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrPageableMemoryAccess:
  case cudaDevAttrConcurrentManagedAccess:
    *V = 1;
    break;
  default:
    return fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) {
  finishDevice(Current);
  return done();
}
cudaError_t cudaThreadSynchronize(void) { return done(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaDeviceReset(void) {
  clearErrors();
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned *F) {
  return *F = cudaDeviceScheduleAuto, cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}
static size_t Limits[] = {1 << 20, 1 << 20, 8 << 20, 2, 2048, 64, 0};
cudaError_t cudaDeviceSetLimit(cudaLimit L, size_t V) {
  if (unsigned(L) >= std::size(Limits))
    return fail(cudaErrorInvalidValue);
  return Limits[L] = V, cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t *V, cudaLimit L) {
  if (unsigned(L) >= std::size(Limits))
    return fail(cudaErrorInvalidValue);
  return *V = Limits[L], cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  *Least = *Greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *Can, int D, int Peer) {
  if (!isDevice(D) || !isDevice(Peer))
    return fail(cudaErrorInvalidDevice);
  return *Can = D != Peer, cudaSuccess;
}
static unsigned PeersOf[16];
cudaError_t cudaDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  if (!isDevice(Peer) || Peer == Current)
    return fail(cudaErrorInvalidDevice);
  if (Flags)
    return fail(cudaErrorInvalidValue);
  if (PeersOf[Current] >> Peer & 1)
    return fail(cudaErrorPeerAccessAlreadyEnabled);
  return PeersOf[Current] |= 1u << Peer, cudaSuccess;
}
cudaError_t cudaDeviceDisablePeerAccess(int Peer) {
  if (!isDevice(Peer) || !(PeersOf[Current] >> Peer & 1))
    return fail(cudaErrorPeerAccessNotEnabled);
  return PeersOf[Current] &= ~(1u << Peer), cudaSuccess;
}
static constexpr char BusId[] = "0000:00:00.0";
cudaError_t cudaDeviceGetPCIBusId(char *Id, int Length, int D) {
  if (!isDevice(D))
    return fail(cudaErrorInvalidDevice);
  if (!Id || Length < static_cast<int>(sizeof BusId))
    return fail(cudaErrorInvalidValue);
  memcpy(Id, BusId, sizeof BusId);
  constexpr char Digits[] = "0123456789ABCDEF";
  return Id[6] = Digits[D], cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *D, const char *Id) {
  for (int I = 0; Id && I < devices(); ++I) {
    char Own[sizeof BusId];
    cudaDeviceGetPCIBusId(Own, sizeof Own, I);
    if (!strcmp(Id, Own))
      return *D = I, cudaSuccess;
  }
  return fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDriverGetVersion(int *V) { return *V = 12080, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *V) { return *V = 12080, cudaSuccess; }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

//===-- Memory
//---------------------------------------------------------------------===//

cudaError_t cudaMalloc(void **P, size_t N) {
  return allocate(P, N, cudaMemoryTypeDevice);
}
cudaError_t cudaMallocAsync(void **P, size_t N, cudaStream_t S) {
  return isCapturing(S) ? fail(cudaErrorStreamCaptureUnsupported)
                        : cudaMalloc(P, N);
}
cudaError_t cudaMallocPitch(void **P, size_t *Pitch, size_t W, size_t H) {
  *Pitch = (W + 511) & ~size_t(511);
  return cudaMalloc(P, *Pitch * H);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *P, cudaExtent E) {
  P->xsize = E.width;
  P->ysize = E.height;
  return cudaMallocPitch(&P->ptr, &P->pitch, E.width, E.height * E.depth);
}
cudaError_t cudaMallocHost(void **P, size_t N) {
  return allocate(P, N, cudaMemoryTypeHost, cudaHostAllocMapped);
}
cudaError_t cudaHostAlloc(void **P, size_t N, unsigned F) {
  return allocate(P, N, cudaMemoryTypeHost, F | cudaHostAllocMapped);
}
// One pool, which is all memory: it keeps what it is told, and nothing else.
static uint64_t PoolAttributes[9];
static CUmemPool_st *const ThePool =
    reinterpret_cast<CUmemPool_st *>(PoolAttributes);
static bool isFlag(cudaMemPoolAttr A) {
  return A < cudaMemPoolAttrReleaseThreshold;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *P, int D) {
  return isDevice(D) ? (*P = ThePool, cudaSuccess)
                     : fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *P, int D) {
  return cudaDeviceGetDefaultMemPool(P, D);
}
cudaError_t cudaDeviceSetMemPool(int D, cudaMemPool_t P) {
  return !isDevice(D)   ? fail(cudaErrorInvalidDevice)
         : P != ThePool ? fail(cudaErrorInvalidValue)
                        : cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void **P, size_t N, cudaMemPool_t Pool,
                                    cudaStream_t) {
  return Pool != ThePool ? fail(cudaErrorInvalidValue) : cudaMalloc(P, N);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t P, cudaMemPoolAttr A,
                                    void *V) {
  if (P != ThePool || !V || A < 1 || A > 8)
    return fail(cudaErrorInvalidValue);
  PoolAttributes[A] = isFlag(A) ? static_cast<uint64_t>(*static_cast<int *>(V))
                                : *static_cast<uint64_t *>(V);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t P, cudaMemPoolAttr A,
                                    void *V) {
  if (P != ThePool || !V || A < 1 || A > 8)
    return fail(cudaErrorInvalidValue);
  if (isFlag(A))
    *static_cast<int *>(V) = static_cast<int>(PoolAttributes[A]);
  else
    *static_cast<uint64_t *>(V) = PoolAttributes[A];
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t P, size_t) {
  return P == ThePool ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMallocManaged(void **P, size_t N, unsigned F) {
  if (F != cudaMemAttachGlobal && F != cudaMemAttachHost)
    return fail(cudaErrorInvalidValue);
  return N ? allocate(P, N, cudaMemoryTypeManaged)
           : fail(cudaErrorInvalidValue);
}
cudaError_t cudaFree(void *P) {
  finishDevice(-1);
  if (P && isOfGraph(P))
    return done();
  cudaError_t E = release(P);
  return E ? E : done();
}
cudaError_t cudaFreeAsync(void *P, cudaStream_t S) {
  if (isCapturing(S))
    return fail(cudaErrorStreamCaptureUnsupported);
  return late() && !isOfGraph(P) ? later(S, [=] { return release(P); })
                                 : cudaFree(P);
}
cudaError_t cudaFreeHost(void *P) {
  finishDevice(-1);
  return release(P);
}
cudaError_t cudaHostRegister(void *P, size_t Size, unsigned Flags) {
  uintptr_t At = reinterpret_cast<uintptr_t>(P);
  if (!P || !Size)
    return fail(cudaErrorInvalidValue);
  Allocations &A = allocations();
  std::lock_guard<std::mutex> Hold(A.Lock);
  auto Next = A.ByAddress.lower_bound(At);
  bool Overlaps = Next != A.ByAddress.end() && Next->first - At < Size;
  if (Next != A.ByAddress.begin()) {
    auto Before = std::prev(Next);
    Overlaps |= At - Before->first < Before->second.Size;
  }
  if (Overlaps)
    return fail(cudaErrorHostMemoryAlreadyRegistered);
  A.ByAddress[At] = {Size, cudaMemoryTypeHost, Flags, Current,
                     /*Registered=*/true};
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *P) {
  if (!P)
    return fail(cudaErrorInvalidValue);
  Allocations &A = allocations();
  std::lock_guard<std::mutex> Hold(A.Lock);
  auto It = A.ByAddress.find(reinterpret_cast<uintptr_t>(P));
  if (It == A.ByAddress.end() || !It->second.Registered)
    return fail(cudaErrorHostMemoryNotRegistered);
  A.ByAddress.erase(It);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void **D, void *H, unsigned) {
  return *D = H, cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned *F, void *P) {
  Allocations &A = allocations();
  std::lock_guard<std::mutex> Hold(A.Lock);
  auto It = A.ByAddress.find(reinterpret_cast<uintptr_t>(P));
  if (It == A.ByAddress.end() || It->second.Type != cudaMemoryTypeHost)
    return fail(cudaErrorInvalidValue);
  return *F = It->second.Flags, cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  *Total = physicalMemory();
  *Free = size_t(sysconf(_SC_AVPHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *R, const void *P) {
  memset(R, 0, sizeof *R);
  R->devicePointer = R->hostPointer = const_cast<void *>(P);
  Allocations &A = allocations();
  std::lock_guard<std::mutex> Hold(A.Lock);
  auto It = A.ByAddress.upper_bound(reinterpret_cast<uintptr_t>(P));
  if (It != A.ByAddress.begin()) {
    It = std::prev(It);
    if (reinterpret_cast<uintptr_t>(P) - It->first < It->second.Size) {
      R->type = It->second.Type;
      R->device = It->second.Device;
    }
  }
  if (R->type == cudaMemoryTypeDevice)
    R->hostPointer = nullptr;
  return cudaSuccess;
}
/// For derivatives of host code (runtime/hostdevice.c): that kernels run here,
/// and the allocation that P points into.
extern const int rg_cuda_on_cpu;
const int rg_cuda_on_cpu = 1;
int rg_cuda_extent(const void *P, void **Base, size_t *Bytes);
int rg_cuda_extent(const void *P, void **Base, size_t *Bytes) {
  Allocations &A = allocations();
  std::lock_guard<std::mutex> Hold(A.Lock);
  auto It = A.ByAddress.upper_bound(reinterpret_cast<uintptr_t>(P));
  if (It == A.ByAddress.begin())
    return 1;
  It = std::prev(It);
  if (reinterpret_cast<uintptr_t>(P) - It->first >= It->second.Size)
    return 1;
  *Base = reinterpret_cast<void *>(It->first);
  *Bytes = It->second.Size;
  return 0;
}
cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) {
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t) {
  return cudaSuccess;
}
/// Memory that the program has, without CUDA's knowing.
static bool isPageable(const void *P) {
  cudaPointerAttributes A;
  return !cudaPointerGetAttributes(&A, P) &&
         A.type == cudaMemoryTypeUnregistered;
}
static bool isToHost(cudaMemcpyKind K) {
  return K == cudaMemcpyDeviceToHost || K == cudaMemcpyHostToHost;
}
static bool isFromHost(cudaMemcpyKind K) {
  return K == cudaMemcpyHostToDevice || K == cudaMemcpyHostToHost;
}
/// As copies with other memory than that of devices do: the call waits.
static cudaError_t waited(cudaMemcpyKind K, cudaError_t E) {
  if (K != cudaMemcpyDeviceToDevice)
    finish(nullptr);
  return E;
}
cudaError_t cudaMemcpy(void *To, const void *From, size_t N, cudaMemcpyKind K) {
  return waited(K, inStream(nullptr, NodeKind::Copy,
                            [=] { return copy(To, From, N, K); }));
}
cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t N,
                            cudaMemcpyKind K, cudaStream_t S) {
  if (!late() || isCapturing(S))
    return inStream(S, NodeKind::Copy, [=] { return copy(To, From, N, K); });
  // The program may change at once what it copies from. Of memory that may be a
  // variable of the device nothing is known.
  if (N && From && isFromHost(K) && isPageable(From)) {
    std::vector<char> Now(static_cast<const char *>(From),
                          static_cast<const char *>(From) + N);
    return inStream(S, NodeKind::Copy, [=, Now = std::move(Now)] {
      return copy(To, Now.data(), N, K);
    });
  }
  cudaError_t E =
      inStream(S, NodeKind::Copy, [=] { return copy(To, From, N, K); });
  if ((isToHost(K) && isPageable(To)) ||
      (K == cudaMemcpyDefault && (isPageable(To) || isPageable(From))))
    finish(S);
  return E;
}
cudaError_t cudaMemcpyPeer(void *To, int ToDevice, const void *From,
                           int FromDevice, size_t N) {
  if (!isDevice(ToDevice) || !isDevice(FromDevice))
    return fail(cudaErrorInvalidDevice);
  return inStream(nullptr, NodeKind::Copy,
                  [=] { return copy(To, From, N, cudaMemcpyDeviceToDevice); });
}
cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From,
                         size_t FromPitch, size_t W, size_t H,
                         cudaMemcpyKind K) {
  if (W > ToPitch || W > FromPitch)
    return fail(cudaErrorInvalidPitchValue);
  return waited(
      K, inStream(nullptr, NodeKind::Copy, [=] {
        for (size_t I = 0; I < H; ++I)
          if (cudaError_t E =
                  copy(static_cast<char *>(To) + I * ToPitch,
                       static_cast<const char *>(From) + I * FromPitch, W, K))
            return E;
        return cudaSuccess;
      }));
}
cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From,
                              size_t FromPitch, size_t W, size_t H,
                              cudaMemcpyKind K, cudaStream_t S) {
  cudaError_t E = inStream(S, NodeKind::Copy, [=] {
    return cudaMemcpy2D(To, ToPitch, From, FromPitch, W, H, K);
  });
  if (K != cudaMemcpyDeviceToDevice && !isCapturing(S))
    finish(S);
  return E;
}
cudaError_t cudaMemcpyPeerAsync(void *To, int ToDevice, const void *From,
                                int FromDevice, size_t N, cudaStream_t S) {
  return inStream(S, NodeKind::Copy, [=] {
    return cudaMemcpyPeer(To, ToDevice, From, FromDevice, N);
  });
}
/// One side of a copy of boxes. Positions and the width are in bytes where
/// there are no arrays.
static cudaError_t boxOf(cudaArray_t A, const cudaPitchedPtr &P,
                         const cudaPos &At, const cudaExtent &E, Box &Out) {
  if (A)
    return P.ptr || !boxOfArray(A, At, E, Out) ? cudaErrorInvalidValue
                                               : cudaSuccess;
  if (E.width && E.width + At.x > P.pitch)
    return cudaErrorInvalidPitchValue;
  if (E.depth > 1 && E.height + At.y > P.ysize)
    return cudaErrorInvalidValue;
  Out.Pitch = P.pitch;
  Out.Slice = P.pitch * P.ysize;
  Out.Width = E.width;
  Out.Data = static_cast<unsigned char *>(P.ptr) + At.z * Out.Slice +
             At.y * Out.Pitch + At.x;
  return cudaSuccess;
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *P) {
  if (!P)
    return fail(cudaErrorInvalidValue);
  const cudaExtent &E = P->extent;
  Box To = {}, From = {};
  if (cudaError_t Error = boxOf(P->dstArray, P->dstPtr, P->dstPos, E, To))
    return fail(Error);
  if (cudaError_t Error = boxOf(P->srcArray, P->srcPtr, P->srcPos, E, From))
    return fail(Error);
  // Where an array is at one side, the extent counts its elements.
  size_t Width = P->dstArray ? To.Width : From.Width;
  if ((P->dstArray && P->srcArray && To.Width != From.Width) ||
      (!P->dstArray && Width > To.Pitch) ||
      (!P->srcArray && Width > From.Pitch))
    return fail(cudaErrorInvalidValue);
  finishDevice(-1);
  for (size_t Z = 0; Z < E.depth; ++Z)
    for (size_t Y = 0; Y < E.height; ++Y)
      if (cudaError_t Error =
              copy(To.Data + Z * To.Slice + Y * To.Pitch,
                   From.Data + Z * From.Slice + Y * From.Pitch, Width, P->kind))
        return Error;
  return cudaSuccess;
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *P, cudaStream_t S) {
  if (!P)
    return fail(cudaErrorInvalidValue);
  cudaError_t E =
      inStream(S, NodeKind::Copy, [Copy = *P] { return cudaMemcpy3D(&Copy); });
  if (P->kind != cudaMemcpyDeviceToDevice && !isCapturing(S))
    finish(S);
  return E;
}
cudaError_t cudaMemset(void *P, int V, size_t N) {
  if (N && !P)
    return fail(cudaErrorInvalidValue);
  if (cudaError_t E = stickyError())
    return fail(E);
  return inStream(nullptr, NodeKind::Fill, [=] {
    if (N)
      memset(P, V, N);
    return cudaSuccess;
  });
}
cudaError_t cudaMemsetAsync(void *P, int V, size_t N, cudaStream_t S) {
  return inStream(S, NodeKind::Fill, [=] { return cudaMemset(P, V, N); });
}
cudaError_t cudaMemset2D(void *P, size_t Pitch, int V, size_t W, size_t H) {
  if (W > Pitch)
    return fail(cudaErrorInvalidPitchValue);
  for (size_t I = 0; I < H; ++I)
    if (cudaError_t E = cudaMemset(static_cast<char *>(P) + I * Pitch, V, W))
      return E;
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void *P, size_t Pitch, int V, size_t W, size_t H,
                              cudaStream_t S) {
  return inStream(S, NodeKind::Fill,
                  [=] { return cudaMemset2D(P, Pitch, V, W, H); });
}
cudaError_t cudaMemset3D(cudaPitchedPtr P, int V, cudaExtent E) {
  for (size_t Z = 0; Z < E.depth; ++Z)
    if (cudaError_t Error =
            cudaMemset2D(static_cast<char *>(P.ptr) + Z * P.ysize * P.pitch,
                         P.pitch, V, E.width, E.height))
      return Error;
  return cudaSuccess;
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr P, int V, cudaExtent E,
                              cudaStream_t S) {
  return inStream(S, NodeKind::Fill, [=] { return cudaMemset3D(P, V, E); });
}
// A symbol's address is the variable's: host and device name one storage.
cudaError_t cudaMemcpyToSymbol(const void *S, const void *From, size_t N,
                               size_t Offset, cudaMemcpyKind K) {
  finish(nullptr);
  return copy(static_cast<char *>(const_cast<void *>(S)) + Offset, From, N, K);
}
cudaError_t cudaMemcpyFromSymbol(void *To, const void *S, size_t N,
                                 size_t Offset, cudaMemcpyKind K) {
  finish(nullptr);
  return copy(To, static_cast<const char *>(S) + Offset, N, K);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *S, const void *From, size_t N,
                                    size_t Offset, cudaMemcpyKind K,
                                    cudaStream_t Stream) {
  cudaError_t E = inStream(Stream, NodeKind::Copy, [=] {
    return cudaMemcpyToSymbol(S, From, N, Offset, K);
  });
  if (!isCapturing(Stream))
    finish(Stream);
  return E;
}
cudaError_t cudaMemcpyFromSymbolAsync(void *To, const void *S, size_t N,
                                      size_t Offset, cudaMemcpyKind K,
                                      cudaStream_t Stream) {
  cudaError_t E = inStream(Stream, NodeKind::Copy, [=] {
    return cudaMemcpyFromSymbol(To, S, N, Offset, K);
  });
  if (!isCapturing(Stream))
    finish(Stream);
  return E;
}
cudaError_t cudaGetSymbolAddress(void **P, const void *S) {
  if (!S)
    return fail(cudaErrorInvalidSymbol);
  return *P = const_cast<void *>(S), cudaSuccess;
}
void rg_cuda_symbol(const void *S, size_t Size) {
  std::lock_guard<std::mutex> Hold(symbols().Lock);
  symbols().Size[S] = Size;
}
cudaError_t cudaGetSymbolSize(size_t *Size, const void *S) {
  std::lock_guard<std::mutex> Hold(symbols().Lock);
  auto It = symbols().Size.find(S);
  if (It == symbols().Size.end())
    return fail(cudaErrorInvalidSymbol);
  return *Size = It->second, cudaSuccess;
}

//===-- Streams and events
//-----------------------------------------------------------===//

cudaError_t cudaStreamCreate(cudaStream_t *S) {
  return cudaStreamCreateWithPriority(S, 0, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *S, unsigned F) {
  return cudaStreamCreateWithPriority(S, F, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *S, unsigned F, int P) {
  if (!S || F > cudaStreamNonBlocking)
    return fail(cudaErrorInvalidValue);
  *S = new CUstream_st{F, P, Current};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t S) {
  if (!isOwn(S))
    return fail(cudaErrorInvalidResourceHandle);
  lateForget(S, nullptr);
  delete S;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t S) {
  if (isCapturing(S))
    return fail(cudaErrorStreamCaptureUnsupported);
  finish(S);
  return done();
}
cudaError_t cudaStreamQuery(cudaStream_t S) { return cudaStreamSynchronize(S); }
cudaError_t cudaStreamWaitEvent(cudaStream_t S, cudaEvent_t E, unsigned) {
  if (E && !captureWait(S, E))
    lateWait(S, E);
  return E ? cudaSuccess : fail(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamAddCallback(cudaStream_t S, cudaStreamCallback_t F,
                                  void *Data, unsigned) {
  finish(S);
  F(S, stickyError(), Data);
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t S, unsigned *F) {
  return *F = isOwn(S) ? S->Flags : 0, cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t S, int *P) {
  return *P = isOwn(S) ? S->Priority : 0, cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t S, cudaLaunchAttributeID Which,
                                   const cudaLaunchAttributeValue *V) {
  if (!V)
    return fail(cudaErrorInvalidValue);
  if (!isOwn(S)) // there is nothing to be told of the default streams
    return cudaSuccess;
  switch (Which) {
  case cudaLaunchAttributeAccessPolicyWindow:
    return S->Window = V->accessPolicyWindow, cudaSuccess;
  case cudaLaunchAttributeSynchronizationPolicy:
    return S->Policy = V->syncPolicy, cudaSuccess;
  case cudaLaunchAttributePriority:
    return S->Priority = V->priority, cudaSuccess;
  default:
    return fail(cudaErrorInvalidValue);
  }
}
cudaError_t cudaStreamGetAttribute(cudaStream_t S, cudaLaunchAttributeID Which,
                                   cudaLaunchAttributeValue *V) {
  static CUstream_st Default;
  if (!V)
    return fail(cudaErrorInvalidValue);
  const CUstream_st &Of = isOwn(S) ? *S : Default;
  switch (Which) {
  case cudaLaunchAttributeAccessPolicyWindow:
    return V->accessPolicyWindow = Of.Window, cudaSuccess;
  case cudaLaunchAttributeSynchronizationPolicy:
    return V->syncPolicy = Of.Policy, cudaSuccess;
  case cudaLaunchAttributePriority:
    return V->priority = Of.Priority, cudaSuccess;
  default:
    return fail(cudaErrorInvalidValue);
  }
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t To, cudaStream_t From) {
  if (!isOwn(To) || !isOwn(From))
    return fail(cudaErrorInvalidResourceHandle);
  To->Window = From->Window, To->Policy = From->Policy;
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache(void) { return cudaSuccess; }
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *P, size_t, unsigned) {
  return P ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t S, cudaHostFn_t F, void *Data) {
  return inStream(S, NodeKind::Call, [=] { return F(Data), cudaSuccess; });
}
cudaError_t cudaEventCreate(cudaEvent_t *E) {
  return cudaEventCreateWithFlags(E, 0);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *E, unsigned F) {
  if (!E)
    return fail(cudaErrorInvalidValue);
  *E = new CUevent_st{F, Current, false, {}};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t E) {
  if (!E)
    return fail(cudaErrorInvalidResourceHandle);
  lateForget(nullptr, E);
  delete E;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t E, cudaStream_t S) {
  if (!E || E->Device != (isOwn(S) ? S->Device : Current))
    return fail(cudaErrorInvalidResourceHandle);
  if (captureRecord(E, S))
    return cudaSuccess;
  lateRecord(E, S);
  E->Recorded = true;
  E->At = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t E, cudaStream_t S, unsigned) {
  return cudaEventRecord(E, S);
}
cudaError_t cudaEventSynchronize(cudaEvent_t E) {
  if (E)
    finishEvent(E);
  return E ? done() : fail(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t E) {
  if (E)
    finishEvent(E);
  return E ? done() : fail(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventElapsedTime(float *Ms, cudaEvent_t A, cudaEvent_t B) {
  if (!A || !B || !A->Recorded || !B->Recorded ||
      ((A->Flags | B->Flags) & cudaEventDisableTiming))
    return fail(cudaErrorInvalidResourceHandle);
  *Ms = std::chrono::duration<float, std::milli>(B->At - A->At).count();
  return cudaSuccess;
}

//===-- Launches
//--------------------------------------------------------------------===//

/// Kernels run on the current device, in streams of it.
static bool isElsewhere(cudaStream_t S) {
  return isOwn(S) && S->Device != Current;
}
cudaError_t cudaLaunchKernel(const void *F, dim3 G, dim3 B, void **A,
                             size_t Shared, cudaStream_t S) {
  if (isElsewhere(S))
    return fail(cudaErrorInvalidResourceHandle);
  return launchIn(S, F, G, B, A, Shared, /*Cooperative=*/false);
}
cudaError_t cudaLaunchCooperativeKernel(const void *F, dim3 G, dim3 B, void **A,
                                        size_t Shared, cudaStream_t S) {
  if (isElsewhere(S))
    return fail(cudaErrorInvalidResourceHandle);
  return launchIn(S, F, G, B, A, Shared, /*Cooperative=*/true);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *C, const void *F,
                                void **A) {
  bool Cooperative = false;
  if (isElsewhere(C->stream))
    return fail(cudaErrorInvalidResourceHandle);
  for (unsigned I = 0; I < C->numAttrs; ++I) {
    const cudaLaunchAttribute &Attribute = C->attrs[I];
    if (Attribute.id == cudaLaunchAttributeCooperative)
      Cooperative = Attribute.val.cooperative != 0;
    else if (Attribute.id != cudaLaunchAttributeIgnore &&
             Attribute.id != cudaLaunchAttributePriority &&
             Attribute.id != cudaLaunchAttributeProgrammaticStreamSerialization)
      return fail(cudaErrorNotSupported);
  }
  return launchIn(C->stream, F, C->gridDim, C->blockDim, A, C->dynamicSmemBytes,
                  Cooperative);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *R, const void *F) {
  Kernel *K = findKernel(F);
  if (!K)
    return fail(cudaErrorInvalidDeviceFunction);
  memset(R, 0, sizeof *R);
  R->sharedSizeBytes = K->Code.StaticShared;
  R->localSizeBytes = K->Code.ScratchPerThread;
  R->maxThreadsPerBlock = static_cast<int>(K->Code.MaxThreads);
  R->numRegs = 32;
  R->ptxVersion = R->binaryVersion = 90;
  R->maxDynamicSharedSizeBytes = static_cast<int>(K->MaxDynamic);
  return cudaSuccess;
}
/// There is no driver whose functions these could be. Launches that ask
/// (runtime/launch.c) get what they need without.
cudaError_t cudaGetFuncBySymbol(void **, const void *) {
  return cudaErrorNotSupported;
}
cudaError_t cudaFuncSetAttribute(const void *F, cudaFuncAttribute A, int V) {
  Kernel *K = findKernel(F);
  if (!K)
    return fail(cudaErrorInvalidDeviceFunction);
  if (A == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (V < 0 || K->Code.StaticShared + size_t(V) > MaxSharedOptIn)
      return fail(cudaErrorInvalidValue);
    K->MaxDynamic = size_t(V);
  } else if (A != cudaFuncAttributePreferredSharedMemoryCarveout)
    return fail(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig) {
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *N, const void *F,
                                                          int BlockSize,
                                                          size_t Shared) {
  Kernel *K = findKernel(F);
  if (!K)
    return fail(cudaErrorInvalidDeviceFunction);
  // A core runs one block at a time, if it can run it at all.
  *N = BlockSize > 0 && uint64_t(BlockSize) <= K->Code.MaxThreads &&
       K->Code.StaticShared + K->Code.MovedBytes + Shared <= MaxSharedOptIn;
  return cudaSuccess;
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *N, const void *F,
                                                      int Blocks, int) {
  Kernel *K = findKernel(F);
  if (!K)
    return fail(cudaErrorInvalidDeviceFunction);
  if (Blocks < 1)
    return fail(cudaErrorInvalidValue);
  size_t Each = MaxSharedOptIn / size_t(Blocks);
  return *N = Each > K->Code.StaticShared ? Each - K->Code.StaticShared : 0,
         cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *N, const void *F, int BlockSize, size_t Shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(N, F, BlockSize, Shared);
}

} // extern "C"
