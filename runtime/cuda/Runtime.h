//===- Runtime.h - between the files of the CUDA runtime -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_RUNTIME_CUDA_RUNTIME_H
#define RETROGRAD_RUNTIME_CUDA_RUNTIME_H

#include "Abi.h"
#include <cstddef>
#include <cstdint>
#include <functional>
// The public header is CUDA; here it is plain C++, so its words mean nothing.
#define RETROGRAD_CUDA_HOST_DEFINES_H
#define __host__
#define __device__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#include "retrograd/cuda/cuda_runtime_api.h"

namespace rgcuda {

constexpr uint32_t MaxThreads = 1024, MaxBlockDim[3] = {1024, 1024, 64};
constexpr uint32_t MaxGridDim[3] = {2147483647u, 65535, 65535};
constexpr size_t MaxShared = 48 << 10, MaxSharedOptIn = 227 << 10;

struct Kernel {
  RgKernel Code;
  size_t MaxDynamic =
      MaxShared; ///< cudaFuncAttributeMaxDynamicSharedMemorySize
};
Kernel *findKernel(const void *Host);

/// Remembers E for cudaGetLastError, and returns it.
cudaError_t fail(cudaError_t E);
cudaError_t stickyError();
void clearErrors();
[[noreturn]] void leaveKernel(cudaError_t E);
/// Cooperative: the blocks of the launch are there together, and may wait for
/// each other.
cudaError_t launch(const void *Host, dim3 Grid, dim3 Block, void **Arguments,
                   size_t Shared, bool Cooperative = false);

/// What a stream is given: done at once, or, while the stream is captured,
/// when the graph is launched.
typedef std::function<cudaError_t()> Work;
enum class NodeKind { Kernel, Copy, Fill, Call, Library, Nothing };
cudaError_t inStream(cudaStream_t S, NodeKind K, Work Node);
cudaError_t launchIn(cudaStream_t S, const void *Host, dim3 Grid, dim3 Block,
                     void **Arguments, size_t Shared, bool Cooperative);
bool isCapturing(cudaStream_t S);
/// Memory that nodes of graphs allocate: it is there as long as these graphs
/// are, whoever frees it.
bool isOfGraph(const void *P);

/// RG_CUDA_STREAMS=late: what streams are given runs when something waits for
/// it. False while it does. Late.cpp.
bool late();
cudaError_t later(cudaStream_t S, Work W);
/// What was given to a stream, up to an event, or to a device (-1: to all) has
/// run.
void finish(cudaStream_t S);
void finishEvent(cudaEvent_t E);
void finishDevice(int Device);
void lateRecord(cudaEvent_t E, cudaStream_t S);
void lateWait(cudaStream_t S, cudaEvent_t E);
/// One of them is destroyed; the other is null.
void lateForget(cudaStream_t S, cudaEvent_t E);
/// Of a stream: whether it is none of the default ones; its device; whether it
/// does not wait for the default one.
bool isOwn(cudaStream_t S);
int deviceOf(cudaStream_t S);
bool isApart(cudaStream_t S);
/// In front of what a library does at once: all that streams have runs first.
/// Ends the program where a stream is captured, since the graph would lack it.
void mustNotCapture(const char *Library);
/// A call of a library in that stream is to be listed: it is captured, and this
/// is not the call that a graph makes again.
bool lists(cudaStream_t S);
/// Lists it. What it returns is 0, or the library's error.
void list(cudaStream_t S, std::function<int()> Call);
/// In front of what a library does at once: as mustNotCapture, in a stream that
/// is not captured.
void beforeCall();
/// A number by address as a graph has it: of the host's memory as it is now.
template <class T> class GivenNumber {
  const T *At;
  T Value;
  bool Own;

public:
  GivenNumber(const T *At, bool OnHost) : At(At), Value(), Own(OnHost && At) {
    if (Own)
      Value = *At;
  }
  operator const T *() const { return Own ? &Value : At; }
};
/// The same, of a type that has that many bytes.
class AnyNumber {
  const void *At;
  alignas(16) unsigned char Value[16];
  bool Own;

public:
  AnyNumber(const void *At, size_t Bytes, bool OnHost)
      : At(At), Value(), Own(OnHost && At) {
    if (Own)
      __builtin_memcpy(Value, At, Bytes);
  }
  operator const void *() const { return Own ? Value : At; }
};
/// In front of a call that would give the host a number.
void mustNotList(const char *Library);

/// An event of a stream that is captured; a stream that waits for such a one is
/// captured, too. False: of no such stream.
bool captureRecord(cudaEvent_t E, cudaStream_t S);
bool captureWait(cudaStream_t S, cudaEvent_t E);

/// Rows of memory that a copy of a box reads or writes.
struct Box {
  unsigned char *Data;
  size_t Pitch, Slice, Width; // bytes
};
/// The box of an array at that place; false where it reaches out.
bool boxOfArray(cudaArray_const_t A, const cudaPos &At, const cudaExtent &E,
                Box &Out);

/// Whether kernels of this program check themselves: then one thread runs at a
/// time.
bool checking();
void checkLaunch(const char *Name, const RgLaunch &L);
/// A thread of the machine starts to run blocks of the launch, with that
/// dynamic shared memory.
void checkWorker(const char *Dynamic, size_t DynamicSize);
/// What the checker knows of the block that runs, while others of its grid run.
struct CheckedBlock;
CheckedBlock *leaveBlock();
void resumeBlock(CheckedBlock *B);
/// All blocks of the grid have met: what was before is ordered before what
/// follows.
void checkGridBarrier();

/// Whether kernels of this program run in the order that RG_GPU_ORDER says:
/// then one thread of the machine runs all blocks.
bool ordered();
/// The block that runs as number I of Total.
int64_t orderedBlock(int64_t I, int64_t Total);

} // namespace rgcuda

#endif
