//===- driver_types.h - types and error codes of the runtime interface -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_DRIVER_TYPES_H
#define RETROGRAD_CUDA_DRIVER_TYPES_H
/* Programs ask by CUDA's own marks whether they may use what is here. */
#define __DRIVER_TYPES_H__

#include "vector_types.h"
#include <stddef.h>

// Name, code, text. The codes are CUDA's, since programs print and compare
// them.
#define RETROGRAD_CUDA_ERRORS(E)                                               \
  E(cudaSuccess, 0, "no error")                                                \
  E(cudaErrorInvalidValue, 1, "invalid argument")                              \
  E(cudaErrorMemoryAllocation, 2, "out of memory")                             \
  E(cudaErrorInitializationError, 3, "initialization error")                   \
  E(cudaErrorCudartUnloading, 4, "driver shutting down")                       \
  E(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")        \
  E(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                  \
  E(cudaErrorInvalidSymbol, 13, "invalid device symbol")                       \
  E(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                   \
  E(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")               \
  E(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")  \
  E(cudaErrorInsufficientDriver, 35,                                           \
    "CUDA driver version is insufficient for CUDA runtime version")            \
  E(cudaErrorMissingConfiguration, 52,                                         \
    "__global__ function call is not configured")                              \
  E(cudaErrorInvalidDeviceFunction, 98, "invalid device function")             \
  E(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")              \
  E(cudaErrorInvalidDevice, 101, "invalid device ordinal")                     \
  E(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")        \
  E(cudaErrorNoKernelImageForDevice, 209,                                      \
    "no kernel image is available for execution on the device")                \
  E(cudaErrorUnsupportedLimit, 215,                                            \
    "limit is not supported on this architecture")                             \
  E(cudaErrorPeerAccessUnsupported, 217,                                       \
    "peer access is not supported between these two devices")                  \
  E(cudaErrorOperatingSystem, 304,                                             \
    "OS call failed or operation not supported on this OS")                    \
  E(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")            \
  E(cudaErrorSymbolNotFound, 500, "named symbol not found")                    \
  E(cudaErrorNotReady, 600, "device not ready")                                \
  E(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")  \
  E(cudaErrorLaunchOutOfResources, 701,                                        \
    "too many resources requested for launch")                                 \
  E(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")    \
  E(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")  \
  E(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")    \
  E(cudaErrorAssert, 710, "device-side assert triggered")                      \
  E(cudaErrorHostMemoryAlreadyRegistered, 712,                                 \
    "part or all of the requested memory range is already mapped")             \
  E(cudaErrorHostMemoryNotRegistered, 713,                                     \
    "pointer does not correspond to a registered memory region")               \
  E(cudaErrorIllegalInstruction, 715,                                          \
    "an illegal instruction was encountered")                                  \
  E(cudaErrorMisalignedAddress, 716, "misaligned address")                     \
  E(cudaErrorLaunchFailure, 719, "unspecified launch failure")                 \
  E(cudaErrorCooperativeLaunchTooLarge, 720,                                   \
    "too many blocks in cooperative launch")                                   \
  E(cudaErrorNotPermitted, 800, "operation not permitted")                     \
  E(cudaErrorNotSupported, 801, "operation not supported")                     \
  E(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define RETROGRAD_CUDA_ERROR(Name, Code, Text) Name = Code,
  RETROGRAD_CUDA_ERRORS(RETROGRAD_CUDA_ERROR)
#undef RETROGRAD_CUDA_ERROR
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUmemPool_st *cudaMemPool_t;
#define CUDART_CB
#define CUDARTAPI
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
typedef void (*cudaHostFn_t)(void *);
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventWaitDefault 0x00
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaOccupancyDefault 0x00
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)

enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
enum cudaComputeMode {
  cudaComputeModeDefault = 0,
  cudaComputeModeExclusive = 1,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3
};
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3,
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative, priority;
};
typedef struct cudaLaunchAttribute_st {
  enum cudaLaunchAttributeID id;
  union cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_st {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
} cudaLaunchConfig_t;

struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaArray;
/// There are no arrays of texture memory: srcArray and dstArray have to be
/// null.
struct cudaMemcpy3DParms {
  struct cudaArray *srcArray;
  struct cudaPos srcPos;
  struct cudaPitchedPtr srcPtr;
  struct cudaArray *dstArray;
  struct cudaPos dstPos;
  struct cudaPitchedPtr dstPtr;
  struct cudaExtent extent;
  enum cudaMemcpyKind kind;
};
typedef struct CUuuid_st {
  char bytes[16];
} CUuuid, cudaUUID_t;

/// The "device": this machine's processor. What a processor has no counterpart
/// of is 0.
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated,
      canMapHostMemory;
  int computeMode, concurrentKernels, ECCEnabled, pciBusID, pciDeviceID,
      pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth,
      l2CacheSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported,
      globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard,
      multiGpuBoardGroupID;
  int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio,
      pageableMemoryAccess;
  int concurrentManagedAccess, computePreemptionSupported, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  size_t reservedSharedMemPerBlock, surfaceAlignment;
  int maxTexture1D, maxTexture1DLinear, maxTexture1DLayered[2], maxTexture2D[2],
      maxTexture2DLayered[3], maxTexture3D[3];
  int maxTextureCubemap, maxSurface1D, maxSurface2D[2], maxSurface3D[3];
  int persistingL2CacheMaxSize, accessPolicyMaxWindowSize,
      canUseHostPointerForRegisteredMem;
  int pageableMemoryAccessUsesHostPageTables, memoryPoolsSupported;
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxPitch = 11,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrTextureAlignment = 14,
  cudaDevAttrGpuOverlap = 15,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrKernelExecTimeout = 17,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrComputeMode = 20,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrEccEnabled = 32,
  cudaDevAttrPciBusId = 33,
  cudaDevAttrPciDeviceId = 34,
  cudaDevAttrTccDriver = 35,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrAsyncEngineCount = 40,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrPciDomainId = 50,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrStreamPrioritiesSupported = 78,
  cudaDevAttrGlobalL1CacheSupported = 79,
  cudaDevAttrLocalL1CacheSupported = 80,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrIsMultiGpuBoard = 84,
  cudaDevAttrHostNativeAtomicSupported = 86,
  cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
  cudaDevAttrPageableMemoryAccess = 88,
  cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrComputePreemptionSupported = 90,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrMemoryPoolsSupported = 115
};

// What is missing is told by its name where it is used.
#define RG_MISSING(Type, What)                                                 \
  typedef struct Type##_missing *Type __attribute__((unavailable(              \
      What " not part of --offload=cpu (docs/user/CudaOnCpu.md)")));
RG_MISSING(cudaTextureObject_t, "texture memory is")
RG_MISSING(cudaSurfaceObject_t, "surface memory is")
RG_MISSING(cudaArray_t, "arrays of texture memory are")
RG_MISSING(cudaMipmappedArray_t, "arrays of texture memory are")
RG_MISSING(cudaResourceDesc, "texture memory is")
RG_MISSING(cudaTextureDesc, "texture memory is")
RG_MISSING(cudaChannelFormatDesc, "texture memory is")
RG_MISSING(cudaGraph_t, "graphs are")
RG_MISSING(cudaGraphExec_t, "graphs are")
RG_MISSING(cudaIpcMemHandle_t, "memory of other processes is")
#undef RG_MISSING

#endif
