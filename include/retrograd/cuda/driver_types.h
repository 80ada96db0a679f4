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
  E(cudaErrorProfilerDisabled, 5, "profiler disabled")                         \
  E(cudaErrorProfilerNotInitialized, 6, "profiler not initialized")            \
  E(cudaErrorProfilerAlreadyStarted, 7, "profiler already started")            \
  E(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped")            \
  E(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")        \
  E(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                  \
  E(cudaErrorInvalidSymbol, 13, "invalid device symbol")                       \
  E(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                   \
  E(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")               \
  E(cudaErrorInvalidTexture, 18, "invalid texture")                            \
  E(cudaErrorInvalidTextureBinding, 19, "invalid texture binding")             \
  E(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")       \
  E(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")  \
  E(cudaErrorAddressOfConstant, 22, "address of constant")                     \
  E(cudaErrorTextureFetchFailed, 23, "texture fetch failed")                   \
  E(cudaErrorTextureNotBound, 24, "texture not bound")                         \
  E(cudaErrorSynchronizationError, 25, "synchronization error")                \
  E(cudaErrorInvalidFilterSetting, 26, "invalid filter setting")               \
  E(cudaErrorInvalidNormSetting, 27, "invalid norm setting")                   \
  E(cudaErrorMixedDeviceExecution, 28, "mixed device execution")               \
  E(cudaErrorNotYetImplemented, 31, "not yet implemented")                     \
  E(cudaErrorMemoryValueTooLarge, 32, "memory value too large")                \
  E(cudaErrorStubLibrary, 34, "stub library")                                  \
  E(cudaErrorInsufficientDriver, 35,                                           \
    "CUDA driver version is insufficient for CUDA runtime version")            \
  E(cudaErrorCallRequiresNewerDriver, 36, "call requires newer driver")        \
  E(cudaErrorInvalidSurface, 37, "invalid surface")                            \
  E(cudaErrorDuplicateVariableName, 43, "duplicate variable name")             \
  E(cudaErrorDuplicateTextureName, 44, "duplicate texture name")               \
  E(cudaErrorDuplicateSurfaceName, 45, "duplicate surface name")               \
  E(cudaErrorDevicesUnavailable, 46, "devices unavailable")                    \
  E(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context")     \
  E(cudaErrorMissingConfiguration, 52,                                         \
    "__global__ function call is not configured")                              \
  E(cudaErrorPriorLaunchFailure, 53, "prior launch failure")                   \
  E(cudaErrorLaunchMaxDepthExceeded, 65, "launch max depth exceeded")          \
  E(cudaErrorLaunchFileScopedTex, 66, "launch file scoped tex")                \
  E(cudaErrorLaunchFileScopedSurf, 67, "launch file scoped surf")              \
  E(cudaErrorSyncDepthExceeded, 68, "sync depth exceeded")                     \
  E(cudaErrorLaunchPendingCountExceeded, 69, "launch pending count exceeded")  \
  E(cudaErrorInvalidDeviceFunction, 98, "invalid device function")             \
  E(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")              \
  E(cudaErrorInvalidDevice, 101, "invalid device ordinal")                     \
  E(cudaErrorDeviceNotLicensed, 102, "device not licensed")                    \
  E(cudaErrorSoftwareValidityNotEstablished, 103,                              \
    "software validity not established")                                       \
  E(cudaErrorStartupFailure, 127, "startup failure")                           \
  E(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")        \
  E(cudaErrorDeviceUninitialized, 201, "device uninitialized")                 \
  E(cudaErrorMapBufferObjectFailed, 205, "map buffer object failed")           \
  E(cudaErrorUnmapBufferObjectFailed, 206, "unmap buffer object failed")       \
  E(cudaErrorArrayIsMapped, 207, "array is mapped")                            \
  E(cudaErrorAlreadyMapped, 208, "already mapped")                             \
  E(cudaErrorNoKernelImageForDevice, 209,                                      \
    "no kernel image is available for execution on the device")                \
  E(cudaErrorAlreadyAcquired, 210, "already acquired")                         \
  E(cudaErrorNotMapped, 211, "not mapped")                                     \
  E(cudaErrorNotMappedAsArray, 212, "not mapped as array")                     \
  E(cudaErrorNotMappedAsPointer, 213, "not mapped as pointer")                 \
  E(cudaErrorECCUncorrectable, 214, "eccuncorrectable")                        \
  E(cudaErrorUnsupportedLimit, 215,                                            \
    "limit is not supported on this architecture")                             \
  E(cudaErrorDeviceAlreadyInUse, 216, "device already in use")                 \
  E(cudaErrorPeerAccessUnsupported, 217,                                       \
    "peer access is not supported between these two devices")                  \
  E(cudaErrorInvalidPtx, 218, "invalid ptx")                                   \
  E(cudaErrorInvalidGraphicsContext, 219, "invalid graphics context")          \
  E(cudaErrorNvlinkUncorrectable, 220, "nvlink uncorrectable")                 \
  E(cudaErrorJitCompilerNotFound, 221, "jit compiler not found")               \
  E(cudaErrorUnsupportedPtxVersion, 222, "unsupported ptx version")            \
  E(cudaErrorJitCompilationDisabled, 223, "jit compilation disabled")          \
  E(cudaErrorUnsupportedExecAffinity, 224, "unsupported exec affinity")        \
  E(cudaErrorUnsupportedDevSideSync, 225, "unsupported dev side sync")         \
  E(cudaErrorContained, 226, "contained")                                      \
  E(cudaErrorInvalidSource, 300, "invalid source")                             \
  E(cudaErrorFileNotFound, 301, "file not found")                              \
  E(cudaErrorSharedObjectSymbolNotFound, 302,                                  \
    "shared object symbol not found")                                          \
  E(cudaErrorSharedObjectInitFailed, 303, "shared object init failed")         \
  E(cudaErrorOperatingSystem, 304,                                             \
    "OS call failed or operation not supported on this OS")                    \
  E(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")            \
  E(cudaErrorIllegalState, 401, "illegal state")                               \
  E(cudaErrorLossyQuery, 402, "lossy query")                                   \
  E(cudaErrorSymbolNotFound, 500, "named symbol not found")                    \
  E(cudaErrorNotReady, 600, "device not ready")                                \
  E(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")  \
  E(cudaErrorLaunchOutOfResources, 701,                                        \
    "too many resources requested for launch")                                 \
  E(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")    \
  E(cudaErrorLaunchIncompatibleTexturing, 703,                                 \
    "launch incompatible texturing")                                           \
  E(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")  \
  E(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")    \
  E(cudaErrorSetOnActiveProcess, 708, "set on active process")                 \
  E(cudaErrorContextIsDestroyed, 709, "context is destroyed")                  \
  E(cudaErrorAssert, 710, "device-side assert triggered")                      \
  E(cudaErrorTooManyPeers, 711, "too many peers")                              \
  E(cudaErrorHostMemoryAlreadyRegistered, 712,                                 \
    "part or all of the requested memory range is already mapped")             \
  E(cudaErrorHostMemoryNotRegistered, 713,                                     \
    "pointer does not correspond to a registered memory region")               \
  E(cudaErrorHardwareStackError, 714, "hardware stack error")                  \
  E(cudaErrorIllegalInstruction, 715,                                          \
    "an illegal instruction was encountered")                                  \
  E(cudaErrorMisalignedAddress, 716, "misaligned address")                     \
  E(cudaErrorInvalidAddressSpace, 717, "invalid address space")                \
  E(cudaErrorInvalidPc, 718, "invalid pc")                                     \
  E(cudaErrorLaunchFailure, 719, "unspecified launch failure")                 \
  E(cudaErrorCooperativeLaunchTooLarge, 720,                                   \
    "too many blocks in cooperative launch")                                   \
  E(cudaErrorTensorMemoryLeak, 721, "tensor memory leak")                      \
  E(cudaErrorNotPermitted, 800, "operation not permitted")                     \
  E(cudaErrorNotSupported, 801, "operation not supported")                     \
  E(cudaErrorSystemNotReady, 802, "system not ready")                          \
  E(cudaErrorSystemDriverMismatch, 803, "system driver mismatch")              \
  E(cudaErrorCompatNotSupportedOnDevice, 804,                                  \
    "compat not supported on device")                                          \
  E(cudaErrorMpsConnectionFailed, 805, "mps connection failed")                \
  E(cudaErrorMpsRpcFailure, 806, "mps rpc failure")                            \
  E(cudaErrorMpsServerNotReady, 807, "mps server not ready")                   \
  E(cudaErrorMpsMaxClientsReached, 808, "mps max clients reached")             \
  E(cudaErrorMpsMaxConnectionsReached, 809, "mps max connections reached")     \
  E(cudaErrorMpsClientTerminated, 810, "mps client terminated")                \
  E(cudaErrorCdpNotSupported, 811, "cdp not supported")                        \
  E(cudaErrorCdpVersionMismatch, 812, "cdp version mismatch")                  \
  E(cudaErrorStreamCaptureUnsupported, 900, "stream capture unsupported")      \
  E(cudaErrorStreamCaptureInvalidated, 901, "stream capture invalidated")      \
  E(cudaErrorStreamCaptureMerge, 902, "stream capture merge")                  \
  E(cudaErrorStreamCaptureUnmatched, 903, "stream capture unmatched")          \
  E(cudaErrorStreamCaptureUnjoined, 904, "stream capture unjoined")            \
  E(cudaErrorStreamCaptureIsolation, 905, "stream capture isolation")          \
  E(cudaErrorStreamCaptureImplicit, 906, "stream capture implicit")            \
  E(cudaErrorCapturedEvent, 907, "captured event")                             \
  E(cudaErrorStreamCaptureWrongThread, 908, "stream capture wrong thread")     \
  E(cudaErrorTimeout, 909, "timeout")                                          \
  E(cudaErrorGraphExecUpdateFailure, 910, "graph exec update failure")         \
  E(cudaErrorInvalidClusterSize, 912, "invalid cluster size")                  \
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
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess = 0,
  cudaGraphExecUpdateError = 1,
  cudaGraphExecUpdateErrorTopologyChanged = 2
};
typedef struct cudaGraphExecUpdateResultInfo_st {
  enum cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
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
#define cudaDeviceBlockingSync cudaDeviceScheduleBlockingSync
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
  cudaLimitDevRuntimePendingLaunchCount = 4,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6
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
enum cudaMemAllocationType {
  cudaMemAllocationTypeInvalid = 0,
  cudaMemAllocationTypePinned = 1
};
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0 };
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeDevice = 1
};
struct cudaMemLocation {
  enum cudaMemLocationType type;
  int id;
};
struct cudaMemPoolProps {
  enum cudaMemAllocationType allocType;
  enum cudaMemAllocationHandleType handleTypes;
  struct cudaMemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtRead = 1,
  cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemAccessDesc {
  struct cudaMemLocation location;
  enum cudaMemAccessFlags flags;
};
struct cudaMemAllocNodeParams {
  struct cudaMemPoolProps poolProps;
  const struct cudaMemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  void *dptr;
};
// What caches are told is remembered, and changes nothing here.
enum cudaAccessProperty {
  cudaAccessPropertyNormal = 0,
  cudaAccessPropertyStreaming = 1,
  cudaAccessPropertyPersisting = 2
};
struct cudaAccessPolicyWindow {
  void *base_ptr;
  size_t num_bytes;
  float hitRatio;
  enum cudaAccessProperty hitProp, missProp;
};
enum cudaSynchronizationPolicy {
  cudaSyncPolicyAuto = 1,
  cudaSyncPolicySpin = 2,
  cudaSyncPolicyYield = 3,
  cudaSyncPolicyBlockingSync = 4
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative, priority, programmaticStreamSerializationAllowed;
  struct cudaAccessPolicyWindow accessPolicyWindow;
  enum cudaSynchronizationPolicy syncPolicy;
};
#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow                                  \
  cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy                               \
  cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
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
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
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
struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaMemsetParams {
  void *dst;
  size_t pitch;
  unsigned int value, elementSize;
  size_t width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void *userData;
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

// Texture objects.
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
/// Bits of each component, of which there are one, two or four.
struct cudaChannelFormatDesc {
  int x, y, z, w;
  enum cudaChannelFormatKind f;
};
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3
};
/// There are none: the type is for programs that name it.
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
struct cudaResourceDesc {
  enum cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void *devPtr;
      struct cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void *devPtr;
      struct cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode {
  cudaFilterModePoint = 0,
  cudaFilterModeLinear = 1
};
enum cudaTextureReadMode {
  cudaReadModeElementType = 0,
  cudaReadModeNormalizedFloat = 1
};
struct cudaTextureDesc {
  enum cudaTextureAddressMode addressMode[3];
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
/// The address of what the runtime keeps of a texture.
typedef unsigned long long cudaTextureObject_t;

// What is missing is told by its name where it is used.
#define RG_MISSING(Type, What)                                                 \
  typedef struct Type##_missing *Type __attribute__((unavailable(              \
      What " not part of --offload=cpu (docs/user/CudaOnCpu.md)")));
RG_MISSING(cudaSurfaceObject_t, "surface memory is")
RG_MISSING(cudaIpcMemHandle_t, "memory of other processes is")
#undef RG_MISSING

#endif
