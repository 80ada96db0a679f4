//===- Graphs.cpp - graphs that streams capture -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is the list of what its streams were given, or of the nodes that were
// added, in the program's order, which is one of those that its edges allow. A
// launch runs the list.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

using namespace rgcuda;

struct CUgraphNode_st {
  size_t At; ///< in the list
  cudaGraph_t Of;
};
namespace {
struct Node {
  NodeKind Kind;
  Work Do;
};
} // namespace
struct CUgraph_st {
  std::vector<Node> Nodes;
  std::deque<CUgraphNode_st> Handles; ///< of nodes that were added
};
struct CUgraphExec_st {
  std::vector<Node> Nodes;
};

namespace {
struct Capture {
  cudaGraph_t Graph;
  cudaStream_t Origin;
  std::vector<cudaStream_t> Streams;
  std::vector<cudaEvent_t> Events;
};
std::mutex Lock;
std::vector<Capture *> Captures;
std::atomic<int> Number{0};

template <class T> bool has(const std::vector<T> &All, T One) {
  return std::find(All.begin(), All.end(), One) != All.end();
}
Capture *captureOf(cudaStream_t S) {
  for (Capture *C : Captures)
    if (has(C->Streams, S))
      return C;
  return nullptr;
}
} // namespace

bool rgcuda::isCapturing(cudaStream_t S) {
  if (!Number.load(std::memory_order_relaxed))
    return false;
  std::lock_guard<std::mutex> Hold(Lock);
  return captureOf(S);
}
cudaError_t rgcuda::inStream(cudaStream_t S, NodeKind K, Work W) {
  if (Number.load(std::memory_order_relaxed)) {
    std::lock_guard<std::mutex> Hold(Lock);
    if (Capture *C = captureOf(S)) {
      C->Graph->Nodes.push_back({K, std::move(W)});
      return cudaSuccess;
    }
  }
  return late() ? later(S, std::move(W)) : W();
}
/// A launch whose arguments the program may change or give up. Null: there is
/// no such kernel.
static Work keptLaunch(const void *Host, dim3 Grid, dim3 Block,
                       void **Arguments, size_t Shared, bool Cooperative) {
  Kernel *K = findKernel(Host);
  if (!K)
    return nullptr;
  struct alignas(16) Cell {
    char Bytes[16];
  };
  std::vector<size_t> At;
  size_t Cells = 0;
  for (uint64_t I = 0; I != K->Code.Parameters; ++I) {
    At.push_back(Cells);
    Cells += (K->Code.Sizes[I] + sizeof(Cell) - 1) / sizeof(Cell);
  }
  std::vector<Cell> Kept(Cells);
  for (uint64_t I = 0; I != K->Code.Parameters; ++I)
    memcpy(&Kept[At[I]], Arguments[I], K->Code.Sizes[I]);
  return [=]() mutable {
    std::vector<void *> Own;
    for (size_t Offset : At)
      Own.push_back(&Kept[Offset]);
    return launch(Host, Grid, Block, Own.data(), Shared, Cooperative);
  };
}
cudaError_t rgcuda::launchIn(cudaStream_t S, const void *Host, dim3 Grid,
                             dim3 Block, void **Arguments, size_t Shared,
                             bool Cooperative) {
  if (!isCapturing(S) && !late())
    return launch(Host, Grid, Block, Arguments, Shared, Cooperative);
  Work W = keptLaunch(Host, Grid, Block, Arguments, Shared, Cooperative);
  return W ? inStream(S, NodeKind::Kernel, std::move(W))
           : fail(cudaErrorInvalidDeviceFunction);
}

bool rgcuda::captureRecord(cudaEvent_t E, cudaStream_t S) {
  if (!Number.load(std::memory_order_relaxed))
    return false;
  std::lock_guard<std::mutex> Hold(Lock);
  for (Capture *C : Captures)
    std::erase(C->Events, E);
  Capture *C = captureOf(S);
  if (C)
    C->Events.push_back(E);
  return C;
}
bool rgcuda::captureWait(cudaStream_t S, cudaEvent_t E) {
  if (!Number.load(std::memory_order_relaxed))
    return false;
  std::lock_guard<std::mutex> Hold(Lock);
  for (Capture *C : Captures)
    if (has(C->Events, E)) {
      if (!has(C->Streams, S))
        C->Streams.push_back(S);
      return true;
    }
  return false;
}

void rgcuda::mustNotCapture(const char *Library) {
  finishDevice(-1);
  if (!Number.load(std::memory_order_relaxed))
    return;
  fprintf(stderr,
          "retrograd: a call of %s while a stream is captured: graphs of "
          "--offload=cpu do not record this library [RG1607]\n",
          Library);
  abort();
}

static thread_local bool Again = false;
bool rgcuda::lists(cudaStream_t S) { return !Again && isCapturing(S); }
void rgcuda::list(cudaStream_t S, std::function<int()> Call) {
  inStream(S, NodeKind::Library, [Call = std::move(Call)] {
    Again = true;
    int Status = Call();
    Again = false;
    return Status ? cudaErrorUnknown : cudaSuccess;
  });
}
void rgcuda::beforeCall() {
  if (!Again)
    finishDevice(-1);
}
void rgcuda::mustNotList(const char *Library) {
  fprintf(stderr,
          "retrograd: a call of %s that gives the host a number while its "
          "stream is captured: the handle's pointer mode has to be that of the "
          "device [RG1607]\n",
          Library);
  abort();
}

namespace {
/// The block of a node that allocates, which its graphs and their copies share.
struct GraphMemory {
  void *Data = nullptr;
  static std::mutex Lock;
  static std::set<const void *> &all() {
    static auto *All = new std::set<const void *>; // outlives destructors
    return *All;
  }
  explicit GraphMemory(size_t Bytes) {
    if (cudaMalloc(&Data, Bytes) != cudaSuccess)
      return;
    std::lock_guard<std::mutex> Hold(Lock);
    all().insert(Data);
  }
  GraphMemory(const GraphMemory &) = delete;
  ~GraphMemory() {
    if (!Data)
      return;
    {
      std::lock_guard<std::mutex> Hold(Lock);
      all().erase(Data);
    }
    cudaFree(Data);
  }
};
std::mutex GraphMemory::Lock;
} // namespace

bool rgcuda::isOfGraph(const void *P) {
  std::lock_guard<std::mutex> Hold(GraphMemory::Lock);
  return GraphMemory::all().count(P);
}

extern "C" {
cudaError_t cudaStreamBeginCapture(cudaStream_t S, cudaStreamCaptureMode) {
  if (!S || S == cudaStreamLegacy)
    return fail(cudaErrorStreamCaptureUnsupported);
  std::lock_guard<std::mutex> Hold(Lock);
  if (captureOf(S))
    return fail(cudaErrorIllegalState);
  Captures.push_back(new Capture{new CUgraph_st, S, {S}, {}});
  ++Number;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t S, cudaGraph_t *G) {
  std::lock_guard<std::mutex> Hold(Lock);
  Capture *C = captureOf(S);
  if (!C || C->Origin != S)
    return fail(cudaErrorIllegalState);
  *G = C->Graph;
  std::erase(Captures, C);
  delete C;
  --Number;
  return cudaSuccess;
}
/// Nothing is refused while a stream is captured, so modes tell nothing.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *Mode) {
  thread_local cudaStreamCaptureMode Now = cudaStreamCaptureModeGlobal;
  std::swap(Now, *Mode);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t S, cudaStreamCaptureStatus *Is) {
  return *Is = isCapturing(S) ? cudaStreamCaptureStatusActive
                              : cudaStreamCaptureStatusNone,
         cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *Exec, cudaGraph_t G,
                                          unsigned long long) {
  if (!Exec || !G)
    return fail(cudaErrorInvalidValue);
  return *Exec = new CUgraphExec_st{G->Nodes}, cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Exec, cudaGraph_t G,
                                 unsigned long long Flags) {
  return cudaGraphInstantiateWithFlags(Exec, G, Flags);
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t Exec, cudaGraph_t G,
                                cudaGraphExecUpdateResultInfo *Result) {
  if (!Exec || !G)
    return fail(cudaErrorInvalidValue);
  bool Same = std::equal(
      Exec->Nodes.begin(), Exec->Nodes.end(), G->Nodes.begin(), G->Nodes.end(),
      [](const Node &A, const Node &B) { return A.Kind == B.Kind; });
  if (Result)
    *Result = {Same ? cudaGraphExecUpdateSuccess
                    : cudaGraphExecUpdateErrorTopologyChanged,
               nullptr, nullptr};
  if (!Same)
    return fail(cudaErrorGraphExecUpdateFailure);
  return Exec->Nodes = G->Nodes, cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t Exec, cudaStream_t) {
  return Exec ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t Exec, cudaStream_t S) {
  if (!Exec)
    return fail(cudaErrorInvalidValue);
  if (isCapturing(S))
    return fail(cudaErrorStreamCaptureUnsupported);
  for (Node &N : Exec->Nodes)
    if (cudaError_t E = inStream(S, N.Kind, N.Do))
      return E;
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t *Clone, cudaGraph_t G) {
  if (!Clone || !G)
    return fail(cudaErrorInvalidValue);
  return *Clone = new CUgraph_st{G->Nodes, {}}, cudaSuccess;
}
/// How many there are: not all have handles.
cudaError_t cudaGraphGetNodes(cudaGraph_t G, cudaGraphNode_t *Nodes,
                              size_t *Number) {
  if (!G || !Number || Nodes)
    return fail(Nodes ? cudaErrorNotSupported : cudaErrorInvalidValue);
  return *Number = G->Nodes.size(), cudaSuccess;
}

static cudaError_t add(cudaGraphNode_t *Node, cudaGraph_t G, NodeKind K,
                       Work W) {
  if (!Node || !G || !W)
    return fail(cudaErrorInvalidValue);
  G->Handles.push_back({G->Nodes.size(), G});
  G->Nodes.push_back({K, std::move(W)});
  return *Node = &G->Handles.back(), cudaSuccess;
}
static Work launchOf(const cudaKernelNodeParams *P) {
  return P->extra ? nullptr
                  : keptLaunch(P->func, P->gridDim, P->blockDim,
                               P->kernelParams, P->sharedMemBytes, false);
}
cudaError_t cudaGraphCreate(cudaGraph_t *G, unsigned) {
  return *G = new CUgraph_st, cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *Node, cudaGraph_t G,
                                   const cudaGraphNode_t *, size_t,
                                   const cudaKernelNodeParams *P) {
  return add(Node, G, NodeKind::Kernel, launchOf(P));
}
static Work copyOf(const cudaMemcpy3DParms *P) {
  return [Copy = *P] { return cudaMemcpy3D(&Copy); };
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *Node, cudaGraph_t G,
                                   const cudaGraphNode_t *, size_t,
                                   const cudaMemcpy3DParms *P) {
  return add(Node, G, NodeKind::Copy, copyOf(P));
}
static Work copyOf(void *To, const void *From, size_t Bytes, cudaMemcpyKind K) {
  return [=] { return cudaMemcpy(To, From, Bytes, K); };
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *Node, cudaGraph_t G,
                                     const cudaGraphNode_t *, size_t, void *To,
                                     const void *From, size_t Bytes,
                                     cudaMemcpyKind K) {
  return add(Node, G, NodeKind::Copy, copyOf(To, From, Bytes, K));
}
static Work fillOf(const cudaMemsetParams *P) {
  unsigned Bytes = P->elementSize;
  if (Bytes != 1 && Bytes != 2 && Bytes != 4)
    return nullptr;
  return [Fill = *P, Bytes] {
    for (size_t Y = 0; Y != Fill.height; ++Y)
      for (size_t X = 0; X != Fill.width; ++X)
        memcpy(static_cast<char *>(Fill.dst) + Y * Fill.pitch + X * Bytes,
               &Fill.value, Bytes);
    return cudaSuccess;
  };
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *Node, cudaGraph_t G,
                                   const cudaGraphNode_t *, size_t,
                                   const cudaMemsetParams *P) {
  return add(Node, G, NodeKind::Fill, fillOf(P));
}
static Work callOf(const cudaHostNodeParams *P) {
  return [Call = *P] {
    Call.fn(Call.userData);
    return cudaSuccess;
  };
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *Node, cudaGraph_t G,
                                 const cudaGraphNode_t *, size_t,
                                 const cudaHostNodeParams *P) {
  return add(Node, G, NodeKind::Call, callOf(P));
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *Node, cudaGraph_t G,
                                  const cudaGraphNode_t *, size_t) {
  return add(Node, G, NodeKind::Nothing, [] { return cudaSuccess; });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *Node, cudaGraph_t G,
                                     const cudaGraphNode_t *, size_t,
                                     cudaMemAllocNodeParams *P) {
  if (!Node || !G || !P || !P->bytesize)
    return fail(cudaErrorInvalidValue);
  auto Block = std::make_shared<GraphMemory>(P->bytesize);
  if (!Block->Data)
    return fail(cudaErrorMemoryAllocation);
  P->dptr = Block->Data;
  return add(Node, G, NodeKind::Nothing, [Block] { return cudaSuccess; });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *Node, cudaGraph_t G,
                                    const cudaGraphNode_t *, size_t, void *P) {
  return isOfGraph(P)
             ? add(Node, G, NodeKind::Nothing, [] { return cudaSuccess; })
             : fail(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGraphMemTrim(int) { return cudaSuccess; }

/// The node of a graph, or the one that was made of it in Exec.
static cudaError_t change(std::vector<Node> *Of, cudaGraphNode_t Node, Work W) {
  if (!Of || Node->At >= Of->size() || !W)
    return fail(cudaErrorInvalidValue);
  return (*Of)[Node->At].Do = std::move(W), cudaSuccess;
}
static cudaError_t changeIn(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                            Work W) {
  return Exec && Node ? change(&Exec->Nodes, Node, std::move(W))
                      : fail(cudaErrorInvalidValue);
}
static cudaError_t change(cudaGraphNode_t Node, Work W) {
  return Node ? change(&Node->Of->Nodes, Node, std::move(W))
              : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t Node,
                                         const cudaKernelNodeParams *P) {
  return change(Node, launchOf(P));
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t Exec,
                                             cudaGraphNode_t Node,
                                             const cudaKernelNodeParams *P) {
  return changeIn(Exec, Node, launchOf(P));
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t Node,
                                         const cudaMemcpy3DParms *P) {
  return change(Node, copyOf(P));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t Exec,
                                             cudaGraphNode_t Node,
                                             const cudaMemcpy3DParms *P) {
  return changeIn(Exec, Node, copyOf(P));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t Node, void *To,
                                           const void *From, size_t Bytes,
                                           cudaMemcpyKind K) {
  return change(Node, copyOf(To, From, Bytes, K));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t Exec,
                                               cudaGraphNode_t Node, void *To,
                                               const void *From, size_t Bytes,
                                               cudaMemcpyKind K) {
  return changeIn(Exec, Node, copyOf(To, From, Bytes, K));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t Node,
                                         const cudaMemsetParams *P) {
  return change(Node, fillOf(P));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t Exec,
                                             cudaGraphNode_t Node,
                                             const cudaMemsetParams *P) {
  return changeIn(Exec, Node, fillOf(P));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t Node,
                                       const cudaHostNodeParams *P) {
  return change(Node, callOf(P));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t Exec,
                                           cudaGraphNode_t Node,
                                           const cudaHostNodeParams *P) {
  return changeIn(Exec, Node, callOf(P));
}
/// One node: the child's, one behind the other.
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *Node, cudaGraph_t G,
                                       const cudaGraphNode_t *, size_t,
                                       cudaGraph_t Child) {
  if (!Child)
    return fail(cudaErrorInvalidValue);
  return add(Node, G, NodeKind::Nothing, [All = Child->Nodes]() mutable {
    for (::Node &N : All)
      if (cudaError_t E = N.Do())
        return E;
    return cudaSuccess;
  });
}
/// The list is in order already, or cannot be.
cudaError_t cudaGraphAddDependencies(cudaGraph_t G, const cudaGraphNode_t *From,
                                     const cudaGraphNode_t *To, size_t Number) {
  if (!G)
    return fail(cudaErrorInvalidValue);
  for (size_t I = 0; I != Number; ++I)
    if (From[I]->At >= To[I]->At)
      return fail(cudaErrorNotSupported);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t G) { return delete G, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t Exec) {
  return delete Exec, cudaSuccess;
}
} // extern "C"
