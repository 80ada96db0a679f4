//===- hip/hip_runtime.h - HIP's names for the runtime of --offload=cpu -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs for HIP say hip where those for CUDA say cuda, and mean the same. So
// each name that is here is another word for CUDA's, derivatives included.
// Kernels have 32 lanes in a warp, as HIP's programs find in warpSize.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_HIP_RUNTIME_H
#define RETROGRAD_HIP_RUNTIME_H

#include "../cooperative_groups.h"
#include "../cuda_runtime.h"

#define __HIP_PLATFORM_NVIDIA__ 1
#define HIP_SYMBOL(Variable) Variable
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(Type, Variable) extern __shared__ Type Variable[];
#define hipLaunchKernelGGL(Kernel, Grid, Block, Shared, Stream, ...)           \
  Kernel<<<Grid, Block, Shared, Stream>>>(__VA_ARGS__)
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// Types.
#define hipError_t cudaError_t
#define hipStream_t cudaStream_t
#define hipEvent_t cudaEvent_t
#define hipMemPool_t cudaMemPool_t
#define hipDeviceProp_t cudaDeviceProp
#define hipFuncAttributes cudaFuncAttributes
#define hipPointerAttribute_t cudaPointerAttributes
#define hipPitchedPtr cudaPitchedPtr
#define hipExtent cudaExtent
#define hipPos cudaPos
#define hipMemcpy3DParms cudaMemcpy3DParms
#define hipMemcpyKind cudaMemcpyKind
#define hipHostFn_t cudaHostFn_t
#define hipStreamCallback_t cudaStreamCallback_t
#define hipFuncAttribute cudaFuncAttribute
#define hipFuncCache_t cudaFuncCache
#define hipSharedMemConfig cudaSharedMemConfig
#define hipLimit_t cudaLimit
#define hipMemoryAdvise cudaMemoryAdvise
#define hipMemoryType cudaMemoryType
#define hipDeviceAttribute_t cudaDeviceAttr
#define hipMemPoolAttr cudaMemPoolAttr
#define hipArray_t cudaArray_t
#define hipChannelFormatDesc cudaChannelFormatDesc
#define hipChannelFormatKind cudaChannelFormatKind
#define hipResourceDesc cudaResourceDesc
#define hipTextureDesc cudaTextureDesc
#define hipTextureObject_t cudaTextureObject_t
#define make_hipExtent make_cudaExtent
#define make_hipPos make_cudaPos
#define make_hipPitchedPtr make_cudaPitchedPtr

// Values that have another name than CUDA's, and functions.
#define hipErrorOutOfMemory cudaErrorMemoryAllocation
#define hipErrorNotInitialized cudaErrorInitializationError
#define hipErrorDeinitialized cudaErrorCudartUnloading
#define hipErrorNotFound cudaErrorSymbolNotFound
#define hipErrorInvalidHandle cudaErrorInvalidResourceHandle
#define hipErrorNoBinaryForGpu cudaErrorNoKernelImageForDevice
#define hipErrorLaunchTimeOut cudaErrorLaunchTimeout
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocPortable cudaHostAllocPortable
#define hipHostMallocMapped cudaHostAllocMapped
#define hipHostMallocWriteCombined cudaHostAllocWriteCombined
#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
#define hipHostMalloc cudaMallocHost
#define hipHostAlloc cudaHostAlloc
#define hipMallocHost cudaMallocHost
#define hipHostFree cudaFreeHost
#define hipFreeHost cudaFreeHost

// Values.
#define hipMemcpyHostToHost cudaMemcpyHostToHost
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDefault cudaMemcpyDefault
#define hipFuncCachePreferNone cudaFuncCachePreferNone
#define hipFuncCachePreferShared cudaFuncCachePreferShared
#define hipFuncCachePreferL1 cudaFuncCachePreferL1
#define hipFuncCachePreferEqual cudaFuncCachePreferEqual
#define hipSharedMemBankSizeDefault cudaSharedMemBankSizeDefault
#define hipSharedMemBankSizeFourByte cudaSharedMemBankSizeFourByte
#define hipSharedMemBankSizeEightByte cudaSharedMemBankSizeEightByte
#define hipFuncAttributeMaxDynamicSharedMemorySize                             \
  cudaFuncAttributeMaxDynamicSharedMemorySize
#define hipFuncAttributePreferredSharedMemoryCarveout                          \
  cudaFuncAttributePreferredSharedMemoryCarveout
#define hipLimitStackSize cudaLimitStackSize
#define hipLimitPrintfFifoSize cudaLimitPrintfFifoSize
#define hipLimitMallocHeapSize cudaLimitMallocHeapSize
#define hipLimitDevRuntimeSyncDepth cudaLimitDevRuntimeSyncDepth
#define hipLimitDevRuntimePendingLaunchCount                                   \
  cudaLimitDevRuntimePendingLaunchCount
#define hipMemAdviseSetReadMostly cudaMemAdviseSetReadMostly
#define hipMemAdviseUnsetReadMostly cudaMemAdviseUnsetReadMostly
#define hipMemAdviseSetPreferredLocation cudaMemAdviseSetPreferredLocation
#define hipMemAdviseUnsetPreferredLocation cudaMemAdviseUnsetPreferredLocation
#define hipMemAdviseSetAccessedBy cudaMemAdviseSetAccessedBy
#define hipMemAdviseUnsetAccessedBy cudaMemAdviseUnsetAccessedBy
#define hipMemoryTypeUnregistered cudaMemoryTypeUnregistered
#define hipMemoryTypeHost cudaMemoryTypeHost
#define hipMemoryTypeDevice cudaMemoryTypeDevice
#define hipMemoryTypeManaged cudaMemoryTypeManaged
#define hipComputeModeDefault cudaComputeModeDefault
#define hipComputeModeExclusive cudaComputeModeExclusive
#define hipComputeModeProhibited cudaComputeModeProhibited
#define hipComputeModeExclusiveProcess cudaComputeModeExclusiveProcess
#define hipMemPoolReuseFollowEventDependencies                                 \
  cudaMemPoolReuseFollowEventDependencies
#define hipMemPoolReuseAllowOpportunistic cudaMemPoolReuseAllowOpportunistic
#define hipMemPoolReuseAllowInternalDependencies                               \
  cudaMemPoolReuseAllowInternalDependencies
#define hipMemPoolAttrReleaseThreshold cudaMemPoolAttrReleaseThreshold
#define hipMemPoolAttrReservedMemCurrent cudaMemPoolAttrReservedMemCurrent
#define hipMemPoolAttrReservedMemHigh cudaMemPoolAttrReservedMemHigh
#define hipMemPoolAttrUsedMemCurrent cudaMemPoolAttrUsedMemCurrent
#define hipMemPoolAttrUsedMemHigh cudaMemPoolAttrUsedMemHigh
#define hipDeviceAttributeMaxThreadsPerBlock cudaDevAttrMaxThreadsPerBlock
#define hipDeviceAttributeMaxBlockDimX cudaDevAttrMaxBlockDimX
#define hipDeviceAttributeMaxBlockDimY cudaDevAttrMaxBlockDimY
#define hipDeviceAttributeMaxBlockDimZ cudaDevAttrMaxBlockDimZ
#define hipDeviceAttributeMaxGridDimX cudaDevAttrMaxGridDimX
#define hipDeviceAttributeMaxGridDimY cudaDevAttrMaxGridDimY
#define hipDeviceAttributeMaxGridDimZ cudaDevAttrMaxGridDimZ
#define hipDeviceAttributeMaxSharedMemoryPerBlock                              \
  cudaDevAttrMaxSharedMemoryPerBlock
#define hipDeviceAttributeTotalConstantMemory cudaDevAttrTotalConstantMemory
#define hipDeviceAttributeWarpSize cudaDevAttrWarpSize
#define hipDeviceAttributeMaxPitch cudaDevAttrMaxPitch
#define hipDeviceAttributeMaxRegistersPerBlock cudaDevAttrMaxRegistersPerBlock
#define hipDeviceAttributeClockRate cudaDevAttrClockRate
#define hipDeviceAttributeTextureAlignment cudaDevAttrTextureAlignment
#define hipDeviceAttributeGpuOverlap cudaDevAttrGpuOverlap
#define hipDeviceAttributeMultiProcessorCount cudaDevAttrMultiProcessorCount
#define hipDeviceAttributeKernelExecTimeout cudaDevAttrKernelExecTimeout
#define hipDeviceAttributeIntegrated cudaDevAttrIntegrated
#define hipDeviceAttributeCanMapHostMemory cudaDevAttrCanMapHostMemory
#define hipDeviceAttributeComputeMode cudaDevAttrComputeMode
#define hipDeviceAttributeConcurrentKernels cudaDevAttrConcurrentKernels
#define hipDeviceAttributeEccEnabled cudaDevAttrEccEnabled
#define hipDeviceAttributePciBusId cudaDevAttrPciBusId
#define hipDeviceAttributePciDeviceId cudaDevAttrPciDeviceId
#define hipDeviceAttributeTccDriver cudaDevAttrTccDriver
#define hipDeviceAttributeMemoryClockRate cudaDevAttrMemoryClockRate
#define hipDeviceAttributeGlobalMemoryBusWidth cudaDevAttrGlobalMemoryBusWidth
#define hipDeviceAttributeL2CacheSize cudaDevAttrL2CacheSize
#define hipDeviceAttributeMaxThreadsPerMultiProcessor                          \
  cudaDevAttrMaxThreadsPerMultiProcessor
#define hipDeviceAttributeAsyncEngineCount cudaDevAttrAsyncEngineCount
#define hipDeviceAttributeUnifiedAddressing cudaDevAttrUnifiedAddressing
#define hipDeviceAttributePciDomainId cudaDevAttrPciDomainId
#define hipDeviceAttributeComputeCapabilityMajor                               \
  cudaDevAttrComputeCapabilityMajor
#define hipDeviceAttributeComputeCapabilityMinor                               \
  cudaDevAttrComputeCapabilityMinor
#define hipDeviceAttributeStreamPrioritiesSupported                            \
  cudaDevAttrStreamPrioritiesSupported
#define hipDeviceAttributeGlobalL1CacheSupported                               \
  cudaDevAttrGlobalL1CacheSupported
#define hipDeviceAttributeLocalL1CacheSupported cudaDevAttrLocalL1CacheSupported
#define hipDeviceAttributeMaxSharedMemoryPerMultiprocessor                     \
  cudaDevAttrMaxSharedMemoryPerMultiprocessor
#define hipDeviceAttributeMaxRegistersPerMultiprocessor                        \
  cudaDevAttrMaxRegistersPerMultiprocessor
#define hipDeviceAttributeManagedMemory cudaDevAttrManagedMemory
#define hipDeviceAttributeIsMultiGpuBoard cudaDevAttrIsMultiGpuBoard
#define hipDeviceAttributeHostNativeAtomicSupported                            \
  cudaDevAttrHostNativeAtomicSupported
#define hipDeviceAttributeSingleToDoublePrecisionPerfRatio                     \
  cudaDevAttrSingleToDoublePrecisionPerfRatio
#define hipDeviceAttributePageableMemoryAccess cudaDevAttrPageableMemoryAccess
#define hipDeviceAttributeConcurrentManagedAccess                              \
  cudaDevAttrConcurrentManagedAccess
#define hipDeviceAttributeComputePreemptionSupported                           \
  cudaDevAttrComputePreemptionSupported
#define hipDeviceAttributeCooperativeLaunch cudaDevAttrCooperativeLaunch
#define hipDeviceAttributeMaxSharedMemoryPerBlockOptin                         \
  cudaDevAttrMaxSharedMemoryPerBlockOptin
#define hipDeviceAttributeMaxBlocksPerMultiprocessor                           \
  cudaDevAttrMaxBlocksPerMultiprocessor
#define hipDeviceAttributeMemoryPoolsSupported cudaDevAttrMemoryPoolsSupported
#define hipChannelFormatKindSigned cudaChannelFormatKindSigned
#define hipChannelFormatKindUnsigned cudaChannelFormatKindUnsigned
#define hipChannelFormatKindFloat cudaChannelFormatKindFloat
#define hipChannelFormatKindNone cudaChannelFormatKindNone
#define hipResourceTypeArray cudaResourceTypeArray
#define hipResourceTypeMipmappedArray cudaResourceTypeMipmappedArray
#define hipResourceTypeLinear cudaResourceTypeLinear
#define hipResourceTypePitch2D cudaResourceTypePitch2D
#define hipAddressModeWrap cudaAddressModeWrap
#define hipAddressModeClamp cudaAddressModeClamp
#define hipAddressModeMirror cudaAddressModeMirror
#define hipAddressModeBorder cudaAddressModeBorder
#define hipFilterModePoint cudaFilterModePoint
#define hipFilterModeLinear cudaFilterModeLinear
#define hipReadModeElementType cudaReadModeElementType
#define hipReadModeNormalizedFloat cudaReadModeNormalizedFloat
#define hipSuccess cudaSuccess
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorMemoryAllocation cudaErrorMemoryAllocation
#define hipErrorInitializationError cudaErrorInitializationError
#define hipErrorCudartUnloading cudaErrorCudartUnloading
#define hipErrorProfilerDisabled cudaErrorProfilerDisabled
#define hipErrorProfilerNotInitialized cudaErrorProfilerNotInitialized
#define hipErrorProfilerAlreadyStarted cudaErrorProfilerAlreadyStarted
#define hipErrorProfilerAlreadyStopped cudaErrorProfilerAlreadyStopped
#define hipErrorInvalidConfiguration cudaErrorInvalidConfiguration
#define hipErrorInvalidPitchValue cudaErrorInvalidPitchValue
#define hipErrorInvalidSymbol cudaErrorInvalidSymbol
#define hipErrorInvalidHostPointer cudaErrorInvalidHostPointer
#define hipErrorInvalidDevicePointer cudaErrorInvalidDevicePointer
#define hipErrorInvalidTexture cudaErrorInvalidTexture
#define hipErrorInvalidTextureBinding cudaErrorInvalidTextureBinding
#define hipErrorInvalidChannelDescriptor cudaErrorInvalidChannelDescriptor
#define hipErrorInvalidMemcpyDirection cudaErrorInvalidMemcpyDirection
#define hipErrorAddressOfConstant cudaErrorAddressOfConstant
#define hipErrorTextureFetchFailed cudaErrorTextureFetchFailed
#define hipErrorTextureNotBound cudaErrorTextureNotBound
#define hipErrorSynchronizationError cudaErrorSynchronizationError
#define hipErrorInvalidFilterSetting cudaErrorInvalidFilterSetting
#define hipErrorInvalidNormSetting cudaErrorInvalidNormSetting
#define hipErrorMixedDeviceExecution cudaErrorMixedDeviceExecution
#define hipErrorNotYetImplemented cudaErrorNotYetImplemented
#define hipErrorMemoryValueTooLarge cudaErrorMemoryValueTooLarge
#define hipErrorStubLibrary cudaErrorStubLibrary
#define hipErrorInsufficientDriver cudaErrorInsufficientDriver
#define hipErrorCallRequiresNewerDriver cudaErrorCallRequiresNewerDriver
#define hipErrorInvalidSurface cudaErrorInvalidSurface
#define hipErrorDuplicateVariableName cudaErrorDuplicateVariableName
#define hipErrorDuplicateTextureName cudaErrorDuplicateTextureName
#define hipErrorDuplicateSurfaceName cudaErrorDuplicateSurfaceName
#define hipErrorDevicesUnavailable cudaErrorDevicesUnavailable
#define hipErrorIncompatibleDriverContext cudaErrorIncompatibleDriverContext
#define hipErrorMissingConfiguration cudaErrorMissingConfiguration
#define hipErrorPriorLaunchFailure cudaErrorPriorLaunchFailure
#define hipErrorLaunchMaxDepthExceeded cudaErrorLaunchMaxDepthExceeded
#define hipErrorLaunchFileScopedTex cudaErrorLaunchFileScopedTex
#define hipErrorLaunchFileScopedSurf cudaErrorLaunchFileScopedSurf
#define hipErrorSyncDepthExceeded cudaErrorSyncDepthExceeded
#define hipErrorLaunchPendingCountExceeded cudaErrorLaunchPendingCountExceeded
#define hipErrorInvalidDeviceFunction cudaErrorInvalidDeviceFunction
#define hipErrorNoDevice cudaErrorNoDevice
#define hipErrorInvalidDevice cudaErrorInvalidDevice
#define hipErrorDeviceNotLicensed cudaErrorDeviceNotLicensed
#define hipErrorSoftwareValidityNotEstablished                                 \
  cudaErrorSoftwareValidityNotEstablished
#define hipErrorStartupFailure cudaErrorStartupFailure
#define hipErrorInvalidKernelImage cudaErrorInvalidKernelImage
#define hipErrorDeviceUninitialized cudaErrorDeviceUninitialized
#define hipErrorMapBufferObjectFailed cudaErrorMapBufferObjectFailed
#define hipErrorUnmapBufferObjectFailed cudaErrorUnmapBufferObjectFailed
#define hipErrorArrayIsMapped cudaErrorArrayIsMapped
#define hipErrorAlreadyMapped cudaErrorAlreadyMapped
#define hipErrorNoKernelImageForDevice cudaErrorNoKernelImageForDevice
#define hipErrorAlreadyAcquired cudaErrorAlreadyAcquired
#define hipErrorNotMapped cudaErrorNotMapped
#define hipErrorNotMappedAsArray cudaErrorNotMappedAsArray
#define hipErrorNotMappedAsPointer cudaErrorNotMappedAsPointer
#define hipErrorECCUncorrectable cudaErrorECCUncorrectable
#define hipErrorUnsupportedLimit cudaErrorUnsupportedLimit
#define hipErrorDeviceAlreadyInUse cudaErrorDeviceAlreadyInUse
#define hipErrorPeerAccessUnsupported cudaErrorPeerAccessUnsupported
#define hipErrorInvalidPtx cudaErrorInvalidPtx
#define hipErrorInvalidGraphicsContext cudaErrorInvalidGraphicsContext
#define hipErrorNvlinkUncorrectable cudaErrorNvlinkUncorrectable
#define hipErrorJitCompilerNotFound cudaErrorJitCompilerNotFound
#define hipErrorUnsupportedPtxVersion cudaErrorUnsupportedPtxVersion
#define hipErrorJitCompilationDisabled cudaErrorJitCompilationDisabled
#define hipErrorUnsupportedExecAffinity cudaErrorUnsupportedExecAffinity
#define hipErrorUnsupportedDevSideSync cudaErrorUnsupportedDevSideSync
#define hipErrorContained cudaErrorContained
#define hipErrorInvalidSource cudaErrorInvalidSource
#define hipErrorFileNotFound cudaErrorFileNotFound
#define hipErrorSharedObjectSymbolNotFound cudaErrorSharedObjectSymbolNotFound
#define hipErrorSharedObjectInitFailed cudaErrorSharedObjectInitFailed
#define hipErrorOperatingSystem cudaErrorOperatingSystem
#define hipErrorInvalidResourceHandle cudaErrorInvalidResourceHandle
#define hipErrorIllegalState cudaErrorIllegalState
#define hipErrorLossyQuery cudaErrorLossyQuery
#define hipErrorSymbolNotFound cudaErrorSymbolNotFound
#define hipErrorNotReady cudaErrorNotReady
#define hipErrorIllegalAddress cudaErrorIllegalAddress
#define hipErrorLaunchOutOfResources cudaErrorLaunchOutOfResources
#define hipErrorLaunchTimeout cudaErrorLaunchTimeout
#define hipErrorLaunchIncompatibleTexturing cudaErrorLaunchIncompatibleTexturing
#define hipErrorPeerAccessAlreadyEnabled cudaErrorPeerAccessAlreadyEnabled
#define hipErrorPeerAccessNotEnabled cudaErrorPeerAccessNotEnabled
#define hipErrorSetOnActiveProcess cudaErrorSetOnActiveProcess
#define hipErrorContextIsDestroyed cudaErrorContextIsDestroyed
#define hipErrorAssert cudaErrorAssert
#define hipErrorTooManyPeers cudaErrorTooManyPeers
#define hipErrorHostMemoryAlreadyRegistered cudaErrorHostMemoryAlreadyRegistered
#define hipErrorHostMemoryNotRegistered cudaErrorHostMemoryNotRegistered
#define hipErrorHardwareStackError cudaErrorHardwareStackError
#define hipErrorIllegalInstruction cudaErrorIllegalInstruction
#define hipErrorMisalignedAddress cudaErrorMisalignedAddress
#define hipErrorInvalidAddressSpace cudaErrorInvalidAddressSpace
#define hipErrorInvalidPc cudaErrorInvalidPc
#define hipErrorLaunchFailure cudaErrorLaunchFailure
#define hipErrorCooperativeLaunchTooLarge cudaErrorCooperativeLaunchTooLarge
#define hipErrorTensorMemoryLeak cudaErrorTensorMemoryLeak
#define hipErrorNotPermitted cudaErrorNotPermitted
#define hipErrorNotSupported cudaErrorNotSupported
#define hipErrorSystemNotReady cudaErrorSystemNotReady
#define hipErrorSystemDriverMismatch cudaErrorSystemDriverMismatch
#define hipErrorCompatNotSupportedOnDevice cudaErrorCompatNotSupportedOnDevice
#define hipErrorMpsConnectionFailed cudaErrorMpsConnectionFailed
#define hipErrorMpsRpcFailure cudaErrorMpsRpcFailure
#define hipErrorMpsServerNotReady cudaErrorMpsServerNotReady
#define hipErrorMpsMaxClientsReached cudaErrorMpsMaxClientsReached
#define hipErrorMpsMaxConnectionsReached cudaErrorMpsMaxConnectionsReached
#define hipErrorMpsClientTerminated cudaErrorMpsClientTerminated
#define hipErrorCdpNotSupported cudaErrorCdpNotSupported
#define hipErrorCdpVersionMismatch cudaErrorCdpVersionMismatch
#define hipErrorStreamCaptureUnsupported cudaErrorStreamCaptureUnsupported
#define hipErrorStreamCaptureInvalidated cudaErrorStreamCaptureInvalidated
#define hipErrorStreamCaptureMerge cudaErrorStreamCaptureMerge
#define hipErrorStreamCaptureUnmatched cudaErrorStreamCaptureUnmatched
#define hipErrorStreamCaptureUnjoined cudaErrorStreamCaptureUnjoined
#define hipErrorStreamCaptureIsolation cudaErrorStreamCaptureIsolation
#define hipErrorStreamCaptureImplicit cudaErrorStreamCaptureImplicit
#define hipErrorCapturedEvent cudaErrorCapturedEvent
#define hipErrorStreamCaptureWrongThread cudaErrorStreamCaptureWrongThread
#define hipErrorTimeout cudaErrorTimeout
#define hipErrorGraphExecUpdateFailure cudaErrorGraphExecUpdateFailure
#define hipErrorInvalidClusterSize cudaErrorInvalidClusterSize
#define hipErrorUnknown cudaErrorUnknown
#define hipStreamDefault cudaStreamDefault
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipStreamLegacy cudaStreamLegacy
#define hipStreamPerThread cudaStreamPerThread
#define hipEventDefault cudaEventDefault
#define hipEventBlockingSync cudaEventBlockingSync
#define hipEventDisableTiming cudaEventDisableTiming
#define hipEventInterprocess cudaEventInterprocess
#define hipEventRecordDefault cudaEventRecordDefault
#define hipEventWaitDefault cudaEventWaitDefault
#define hipHostAllocDefault cudaHostAllocDefault
#define hipHostAllocPortable cudaHostAllocPortable
#define hipHostAllocMapped cudaHostAllocMapped
#define hipHostAllocWriteCombined cudaHostAllocWriteCombined
#define hipHostRegisterDefault cudaHostRegisterDefault
#define hipHostRegisterPortable cudaHostRegisterPortable
#define hipHostRegisterMapped cudaHostRegisterMapped
#define hipMemAttachGlobal cudaMemAttachGlobal
#define hipMemAttachHost cudaMemAttachHost
#define hipMemAttachSingle cudaMemAttachSingle
#define hipDeviceScheduleAuto cudaDeviceScheduleAuto
#define hipDeviceScheduleSpin cudaDeviceScheduleSpin
#define hipDeviceScheduleYield cudaDeviceScheduleYield
#define hipDeviceScheduleBlockingSync cudaDeviceScheduleBlockingSync
#define hipDeviceMapHost cudaDeviceMapHost
#define hipOccupancyDefault cudaOccupancyDefault
#define hipCpuDeviceId cudaCpuDeviceId
#define hipInvalidDeviceId cudaInvalidDeviceId
#define hipArrayDefault cudaArrayDefault
#define hipArrayLayered cudaArrayLayered
#define hipArraySurfaceLoadStore cudaArraySurfaceLoadStore
#define hipArrayCubemap cudaArrayCubemap
#define hipArrayTextureGather cudaArrayTextureGather

// Functions.
#define hipArrayGetInfo cudaArrayGetInfo
#define hipChooseDevice cudaChooseDevice
#define hipCreateChannelDesc cudaCreateChannelDesc
#define hipCreateTextureObject cudaCreateTextureObject
#define hipDestroyTextureObject cudaDestroyTextureObject
#define hipDeviceCanAccessPeer cudaDeviceCanAccessPeer
#define hipDeviceDisablePeerAccess cudaDeviceDisablePeerAccess
#define hipDeviceEnablePeerAccess cudaDeviceEnablePeerAccess
#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipDeviceGetByPCIBusId cudaDeviceGetByPCIBusId
#define hipDeviceGetDefaultMemPool cudaDeviceGetDefaultMemPool
#define hipDeviceGetLimit cudaDeviceGetLimit
#define hipDeviceGetMemPool cudaDeviceGetMemPool
#define hipDeviceGetPCIBusId cudaDeviceGetPCIBusId
#define hipDeviceGetStreamPriorityRange cudaDeviceGetStreamPriorityRange
#define hipDeviceReset cudaDeviceReset
#define hipDeviceSetCacheConfig cudaDeviceSetCacheConfig
#define hipDeviceSetLimit cudaDeviceSetLimit
#define hipDeviceSetSharedMemConfig cudaDeviceSetSharedMemConfig
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipDriverGetVersion cudaDriverGetVersion
#define hipEventCreate cudaEventCreate
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventDestroy cudaEventDestroy
#define hipEventElapsedTime cudaEventElapsedTime
#define hipEventQuery cudaEventQuery
#define hipEventRecord cudaEventRecord
#define hipEventRecordWithFlags cudaEventRecordWithFlags
#define hipEventSynchronize cudaEventSynchronize
#define hipFree cudaFree
#define hipFreeArray cudaFreeArray
#define hipFreeAsync cudaFreeAsync
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipFuncSetAttribute cudaFuncSetAttribute
#define hipFuncSetCacheConfig cudaFuncSetCacheConfig
#define hipFuncSetSharedMemConfig cudaFuncSetSharedMemConfig
#define hipGetDevice cudaGetDevice
#define hipGetDeviceCount cudaGetDeviceCount
#define hipGetDeviceFlags cudaGetDeviceFlags
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipGetErrorName cudaGetErrorName
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipGetSymbolAddress cudaGetSymbolAddress
#define hipGetSymbolSize cudaGetSymbolSize
#define hipGetTextureObjectResourceDesc cudaGetTextureObjectResourceDesc
#define hipHostGetDevicePointer cudaHostGetDevicePointer
#define hipHostGetFlags cudaHostGetFlags
#define hipHostRegister cudaHostRegister
#define hipHostUnregister cudaHostUnregister
#define hipLaunchCooperativeKernel cudaLaunchCooperativeKernel
#define hipLaunchHostFunc cudaLaunchHostFunc
#define hipLaunchKernel cudaLaunchKernel
#define hipMalloc cudaMalloc
#define hipMalloc3D cudaMalloc3D
#define hipMalloc3DArray cudaMalloc3DArray
#define hipMallocArray cudaMallocArray
#define hipMallocAsync cudaMallocAsync
#define hipMallocFromPoolAsync cudaMallocFromPoolAsync
#define hipMallocManaged cudaMallocManaged
#define hipMallocPitch cudaMallocPitch
#define hipMemAdvise cudaMemAdvise
#define hipMemGetInfo cudaMemGetInfo
#define hipMemPoolGetAttribute cudaMemPoolGetAttribute
#define hipMemPoolSetAttribute cudaMemPoolSetAttribute
#define hipMemPoolTrimTo cudaMemPoolTrimTo
#define hipMemPrefetchAsync cudaMemPrefetchAsync
#define hipMemcpy cudaMemcpy
#define hipMemcpy2D cudaMemcpy2D
#define hipMemcpy2DAsync cudaMemcpy2DAsync
#define hipMemcpy2DFromArray cudaMemcpy2DFromArray
#define hipMemcpy2DToArray cudaMemcpy2DToArray
#define hipMemcpy2DToArrayAsync cudaMemcpy2DToArrayAsync
#define hipMemcpy3D cudaMemcpy3D
#define hipMemcpy3DAsync cudaMemcpy3DAsync
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemcpyFromArray cudaMemcpyFromArray
#define hipMemcpyFromSymbol cudaMemcpyFromSymbol
#define hipMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync
#define hipMemcpyPeer cudaMemcpyPeer
#define hipMemcpyPeerAsync cudaMemcpyPeerAsync
#define hipMemcpyToArray cudaMemcpyToArray
#define hipMemcpyToSymbol cudaMemcpyToSymbol
#define hipMemcpyToSymbolAsync cudaMemcpyToSymbolAsync
#define hipMemset cudaMemset
#define hipMemset2D cudaMemset2D
#define hipMemset2DAsync cudaMemset2DAsync
#define hipMemset3D cudaMemset3D
#define hipMemset3DAsync cudaMemset3DAsync
#define hipMemsetAsync cudaMemsetAsync
#define hipOccupancyAvailableDynamicSMemPerBlock                               \
  cudaOccupancyAvailableDynamicSMemPerBlock
#define hipOccupancyMaxActiveBlocksPerMultiprocessor                           \
  cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags                  \
  cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
#define hipOccupancyMaxPotentialBlockSize cudaOccupancyMaxPotentialBlockSize
#define hipOccupancyMaxPotentialBlockSizeVariableSMem                          \
  cudaOccupancyMaxPotentialBlockSizeVariableSMem
#define hipOccupancyMaxPotentialBlockSizeWithFlags                             \
  cudaOccupancyMaxPotentialBlockSizeWithFlags
#define hipPeekAtLastError cudaPeekAtLastError
#define hipPointerGetAttributes cudaPointerGetAttributes
#define hipProfilerStart cudaProfilerStart
#define hipProfilerStop cudaProfilerStop
#define hipRuntimeGetVersion cudaRuntimeGetVersion
#define hipSetDevice cudaSetDevice
#define hipSetDeviceFlags cudaSetDeviceFlags
#define hipStreamAddCallback cudaStreamAddCallback
#define hipStreamAttachMemAsync cudaStreamAttachMemAsync
#define hipStreamCreate cudaStreamCreate
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamCreateWithPriority cudaStreamCreateWithPriority
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamGetFlags cudaStreamGetFlags
#define hipStreamGetPriority cudaStreamGetPriority
#define hipStreamQuery cudaStreamQuery
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamWaitEvent cudaStreamWaitEvent

#endif
