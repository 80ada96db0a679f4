//===- driver_types.h - types and error codes of the runtime interface -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_DRIVER_TYPES_H
#define RETROGRAD_CUDA_DRIVER_TYPES_H

#include "vector_types.h"
#include <stddef.h>

// Name, code, text. The codes are CUDA's, since programs print and compare them.
#define RETROGRAD_CUDA_ERRORS(E)                                                              \
  E(cudaSuccess, 0, "no error")                                                               \
  E(cudaErrorInvalidValue, 1, "invalid argument")                                             \
  E(cudaErrorMemoryAllocation, 2, "out of memory")                                            \
  E(cudaErrorInitializationError, 3, "initialization error")                                  \
  E(cudaErrorCudartUnloading, 4, "driver shutting down")                                      \
  E(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                       \
  E(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                 \
  E(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                      \
  E(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                              \
  E(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                 \
  E(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
  E(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")          \
  E(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                            \
  E(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                             \
  E(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                    \
  E(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                       \
  E(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                           \
  E(cudaErrorSymbolNotFound, 500, "named symbol not found")                                   \
  E(cudaErrorNotReady, 600, "device not ready")                                               \
  E(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                 \
  E(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")            \
  E(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                   \
  E(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                 \
  E(cudaErrorAssert, 710, "device-side assert triggered")                                     \
  E(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
  E(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
  E(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                \
  E(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")         \
  E(cudaErrorNotSupported, 801, "operation not supported")                                    \
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
enum cudaComputeMode { cudaComputeModeDefault = 0 };

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
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };

/// The "device": this machine's processor. What a processor has no counterpart of is 0.
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
  int computeMode, concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
  int concurrentManagedAccess, computePreemptionSupported, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  size_t reservedSharedMemPerBlock;
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
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrPageableMemoryAccess = 88,
  cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

// What is missing is told by its name where it is used.
#define RG_MISSING(Type, What) typedef struct Type##_missing *Type __attribute__((unavailable(What " not part of --offload=cpu (docs/user/CudaOnCpu.md)")));
RG_MISSING(cudaTextureObject_t, "texture memory is")
RG_MISSING(cudaSurfaceObject_t, "surface memory is")
RG_MISSING(cudaArray_t, "arrays of texture memory are")
RG_MISSING(cudaMipmappedArray_t, "arrays of texture memory are")
RG_MISSING(cudaResourceDesc, "texture memory is")
RG_MISSING(cudaTextureDesc, "texture memory is")
RG_MISSING(cudaChannelFormatDesc, "texture memory is")
RG_MISSING(cudaGraph_t, "graphs are")
RG_MISSING(cudaGraphExec_t, "graphs are")
RG_MISSING(cudaMemcpy3DParms, "copies in three dimensions are")
RG_MISSING(cudaMemPool_t, "memory pools are")
RG_MISSING(cudaIpcMemHandle_t, "memory of other processes is")
#undef RG_MISSING

#endif
