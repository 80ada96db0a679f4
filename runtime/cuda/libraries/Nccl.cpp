//===- Nccl.cpp - NCCL between the devices of one process -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices are all this machine, so a collective operation is a loop over the
// buffers of its ranks. A clique has the operations of each rank in order. The
// thread that brings the last part of one runs it, and whoever has brought
// another part waits until then, as work behind it in the stream would. In a
// group a thread brings the parts of several ranks before it waits: one thread
// for all devices, or one thread per device, as with NCCL.
//
// What NCCL would wait for without end is told after a while: which rank waits
// for whom, in which routine.
//
//===----------------------------------------------------------------------===//

#include "../Runtime.h"

#include "retrograd/cuda/nccl.h"
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <vector>

extern "C" cudaError_t cudaGetDevice(int *);
extern "C" cudaError_t cudaGetDeviceCount(int *);

namespace {
enum Routine {
  AllReduce,
  Reduce,
  Broadcast,
  AllGather,
  ReduceScatter,
  Send,
  Recv
};
const char *const Names[] = {
    "ncclAllReduce",     "ncclReduce", "ncclBroadcast", "ncclAllGather",
    "ncclReduceScatter", "ncclSend",   "ncclRecv"};

struct Part {
  Routine What;
  const void *From;
  void *To;
  size_t Count; // of the smaller buffer
  ncclDataType_t Type;
  ncclRedOp_t Op;
  int Other; // root or peer
  bool Done = false;
  ncclResult_t Result = ncclSuccess;
};

struct Clique {
  std::mutex Lock;
  std::condition_variable Changed;
  int Ranks;
  int Members = 0;
  std::vector<std::deque<Part *>> Collective;                     // by rank
  std::map<std::pair<int, int>, std::deque<Part *>> Sent, Wanted; // from, to

  explicit Clique(int Ranks) : Ranks(Ranks), Collective(Ranks) {}
};
} // namespace

struct ncclComm {
  Clique *C;
  int Rank, Device;
};

namespace {
struct Waiting {
  ncclComm_t Comm;
  Part P;
};
thread_local int Depth;
thread_local std::vector<Waiting> *Group;

size_t bytesOf(ncclDataType_t T) {
  switch (T) {
  case ncclInt8:
  case ncclUint8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  default:
    return 0;
  }
}

template <class T>
void combine(T *To, const T *From, size_t Count, ncclRedOp_t Op) {
  for (size_t I = 0; I != Count; ++I)
    switch (Op) {
    case ncclProd:
      To[I] = To[I] * From[I];
      break;
    case ncclMax:
      To[I] = From[I] > To[I] ? From[I] : To[I];
      break;
    case ncclMin:
      To[I] = From[I] < To[I] ? From[I] : To[I];
      break;
    default:
      To[I] = To[I] + From[I];
    }
}
template <class T>
bool reduceAs(T *To, std::vector<Part *> &Parts, size_t At, size_t Count) {
  ncclRedOp_t Op = Parts[0]->Op;
  memcpy(To, static_cast<const T *>(Parts[0]->From) + At, Count * sizeof(T));
  for (size_t R = 1; R != Parts.size(); ++R)
    combine(To, static_cast<const T *>(Parts[R]->From) + At, Count, Op);
  if (Op == ncclAvg)
    for (size_t I = 0; I != Count; ++I)
      To[I] = To[I] / static_cast<T>(Parts.size());
  return true;
}
/// The reduction of elements [At, At + Count) of all ranks, in their order.
bool reduce(void *To, std::vector<Part *> &Parts, size_t At, size_t Count) {
  switch (Parts[0]->Type) {
  case ncclInt8:
    return reduceAs(static_cast<int8_t *>(To), Parts, At, Count);
  case ncclUint8:
    return reduceAs(static_cast<uint8_t *>(To), Parts, At, Count);
  case ncclInt32:
    return reduceAs(static_cast<int32_t *>(To), Parts, At, Count);
  case ncclUint32:
    return reduceAs(static_cast<uint32_t *>(To), Parts, At, Count);
  case ncclInt64:
    return reduceAs(static_cast<int64_t *>(To), Parts, At, Count);
  case ncclUint64:
    return reduceAs(static_cast<uint64_t *>(To), Parts, At, Count);
  case ncclFloat16:
    return reduceAs(static_cast<_Float16 *>(To), Parts, At, Count);
  case ncclBfloat16:
    return reduceAs(static_cast<__bf16 *>(To), Parts, At, Count);
  case ncclFloat32:
    return reduceAs(static_cast<float *>(To), Parts, At, Count);
  case ncclFloat64:
    return reduceAs(static_cast<double *>(To), Parts, At, Count);
  default:
    return false;
  }
}

/// One operation of all ranks. Results first, since buffers may be one.
ncclResult_t run(std::vector<Part *> &Parts) {
  Part &First = *Parts[0];
  size_t Size = bytesOf(First.Type), Count = First.Count;
  for (Part *P : Parts)
    if (P->What != First.What || P->Count != Count || P->Type != First.Type ||
        P->Op != First.Op || P->Other != First.Other)
      return ncclInvalidUsage;
  size_t Ranks = Parts.size();
  auto Store = [&](Part *P, const void *From, size_t Bytes) {
    memcpy(P->To, From, Bytes);
  };
  auto *Room = static_cast<char *>(malloc(Size * Count * Ranks + 1));
  if (!Room)
    return ncclSystemError;
  switch (First.What) {
  case AllReduce:
  case Reduce:
    reduce(Room, Parts, 0, Count);
    for (size_t R = 0; R != Ranks; ++R)
      if (First.What == AllReduce || static_cast<int>(R) == First.Other)
        Store(Parts[R], Room, Size * Count);
    break;
  case Broadcast:
    memcpy(Room, Parts[First.Other]->From, Size * Count);
    for (Part *P : Parts)
      Store(P, Room, Size * Count);
    break;
  case AllGather:
    for (size_t R = 0; R != Ranks; ++R)
      memcpy(Room + R * Size * Count, Parts[R]->From, Size * Count);
    for (Part *P : Parts)
      Store(P, Room, Ranks * Size * Count);
    break;
  case ReduceScatter:
    for (size_t R = 0; R != Ranks; ++R)
      reduce(Room + R * Size * Count, Parts, R * Count, Count);
    for (size_t R = 0; R != Ranks; ++R)
      Store(Parts[R], Room + R * Size * Count, Size * Count);
    break;
  case Send:
  case Recv:
    break;
  }
  free(Room);
  return ncclSuccess;
}

/// Runs what is complete. The clique is locked.
void progress(Clique &C) {
  for (bool Ran = true; Ran;) {
    Ran = false;
    std::vector<Part *> Parts;
    for (auto &Queue : C.Collective)
      if (!Queue.empty())
        Parts.push_back(Queue.front());
    if (Parts.size() == static_cast<size_t>(C.Ranks)) {
      ncclResult_t Result = run(Parts);
      for (int R = 0; R != C.Ranks; ++R) {
        Parts[R]->Result = Result;
        Parts[R]->Done = true;
        C.Collective[R].pop_front();
      }
      Ran = true;
    }
  }
  for (auto &[Way, Sends] : C.Sent) {
    auto &Receives = C.Wanted[Way];
    while (!Sends.empty() && !Receives.empty()) {
      Part *S = Sends.front(), *R = Receives.front();
      if (S->Count == R->Count && S->Type == R->Type)
        memmove(R->To, S->From, S->Count * bytesOf(S->Type));
      else
        S->Result = R->Result = ncclInvalidUsage;
      S->Done = R->Done = true;
      Sends.pop_front();
      Receives.pop_front();
    }
  }
  C.Changed.notify_all();
}

void missing(const Waiting &W) {
  fprintf(stderr, "retrograd: NCCL on this machine: rank %d waits in %s for ",
          W.Comm->Rank, Names[W.P.What]);
  if (W.P.What >= Send)
    fprintf(stderr, "rank %d", W.P.Other);
  else
    for (int R = 0, Some = 0; R != W.Comm->C->Ranks; ++R)
      if (W.Comm->C->Collective[R].empty())
        fprintf(stderr, "%srank %d", Some++ ? ", " : "", R);
  fprintf(stderr, ", and nobody else is under way; a thread that serves "
                  "several devices calls between ncclGroupStart "
                  "and ncclGroupEnd\n");
}

/// How long others may compute before it counts as a deadlock.
std::chrono::seconds patience() {
  const char *Text = getenv("RG_NCCL_TIMEOUT");
  int Seconds = Text ? atoi(Text) : 0;
  return std::chrono::seconds(Seconds > 0 ? Seconds : 120);
}

ncclResult_t finish(std::vector<Waiting> &All) {
  for (Waiting &W : All) {
    Clique &C = *W.Comm->C;
    std::lock_guard<std::mutex> Held(C.Lock);
    int Rank = W.Comm->Rank;
    if (W.P.What == Send)
      C.Sent[{Rank, W.P.Other}].push_back(&W.P);
    else if (W.P.What == Recv)
      C.Wanted[{W.P.Other, Rank}].push_back(&W.P);
    else
      C.Collective[Rank].push_back(&W.P);
    progress(C);
  }
  ncclResult_t Result = ncclSuccess;
  for (Waiting &W : All) {
    Clique &C = *W.Comm->C;
    std::unique_lock<std::mutex> Held(C.Lock);
    if (!C.Changed.wait_for(Held, patience(), [&] { return W.P.Done; })) {
      missing(W); // parts of ours are in the queues
      abort();
    }
    if (W.P.Result)
      Result = W.P.Result;
  }
  return Result;
}

ncclResult_t bring(Routine What, const void *From, void *To, size_t Count,
                   ncclDataType_t Type, ncclRedOp_t Op, int Other,
                   ncclComm_t Comm) {
  rgcuda::mustNotCapture("NCCL");
  if (!Comm || !bytesOf(Type) || Op < ncclSum || Op > ncclAvg || Other < 0 ||
      Other >= Comm->C->Ranks ||
      (Count && !From && What != Recv &&
       !(What == Broadcast && Comm->Rank != Other)) ||
      (Count && !To && What != Send &&
       !(What == Reduce && Comm->Rank != Other)))
    return ncclInvalidArgument;
  Waiting W{Comm, {What, From, To, Count, Type, Op, Other}};
  if (Depth) {
    if (!Group)
      Group = new std::vector<Waiting>;
    Group->push_back(W);
    return ncclSuccess;
  }
  std::vector<Waiting> One{W};
  return finish(One);
}

/// Cliques that are being made, by their identifiers.
std::mutex MakingLock;
std::map<uint64_t, Clique *> *Making;
uint64_t LastIdentifier;

ncclComm_t member(Clique *C, int Rank, int Device) {
  ++C->Members;
  return new ncclComm{C, Rank, Device};
}
} // namespace

extern "C" {
ncclResult_t ncclGetVersion(int *version) {
  if (!version)
    return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  if (!id)
    return ncclInvalidArgument;
  std::lock_guard<std::mutex> Held(MakingLock);
  memset(id, 0, sizeof *id);
  ++LastIdentifier;
  memcpy(id->internal, &LastIdentifier, sizeof LastIdentifier);
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id,
                              int rank) {
  int Device = 0;
  if (!comm || ranks <= 0 || rank < 0 || rank >= ranks)
    return ncclInvalidArgument;
  if (cudaGetDevice(&Device))
    return ncclUnhandledCudaError;
  uint64_t Identifier;
  memcpy(&Identifier, id.internal, sizeof Identifier);
  std::lock_guard<std::mutex> Held(MakingLock);
  if (!Making)
    Making = new std::map<uint64_t, Clique *>;
  Clique *&C = (*Making)[Identifier];
  if (!C)
    C = new Clique(ranks);
  if (C->Ranks != ranks)
    return ncclInvalidArgument;
  *comm = member(C, rank, Device);
  if (C->Members == ranks)
    Making->erase(Identifier);
  return ncclSuccess;
}
ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ranks, const int *devices) {
  int Devices = 0;
  if (!comms || ranks <= 0)
    return ncclInvalidArgument;
  if (cudaGetDeviceCount(&Devices))
    return ncclUnhandledCudaError;
  for (int R = 0; R != ranks; ++R) {
    int Device = devices ? devices[R] : R;
    if (Device < 0 || Device >= Devices)
      return ncclInvalidArgument;
    for (int Q = 0; Q != R; ++Q)
      if ((devices ? devices[Q] : Q) == Device)
        return ncclInvalidUsage;
  }
  auto *C = new Clique(ranks);
  for (int R = 0; R != ranks; ++R)
    comms[R] = member(C, R, devices ? devices[R] : R);
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return comm ? ncclSuccess : ncclInvalidArgument;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (!comm)
    return ncclSuccess;
  Clique *C = comm->C;
  bool Last;
  {
    std::lock_guard<std::mutex> Held(C->Lock);
    Last = --C->Members == 0;
  }
  delete comm;
  if (Last)
    delete C;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) { return ncclCommDestroy(comm); }
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
  if (!comm || !error)
    return ncclInvalidArgument;
  *error = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  if (!comm || !count)
    return ncclInvalidArgument;
  *count = comm->C->Ranks;
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
  if (!comm || !device)
    return ncclInvalidArgument;
  *device = comm->Device;
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
  if (!comm || !rank)
    return ncclInvalidArgument;
  *rank = comm->Rank;
  return ncclSuccess;
}
const char *ncclGetErrorString(ncclResult_t result) {
  static const char *const Texts[] = {
      "no error",       "unhandled cuda error", "unhandled system error",
      "internal error", "invalid argument",     "invalid usage",
      "remote error",   "in progress"};
  return result >= 0 && result < ncclNumResults ? Texts[result]
                                                : "unknown result code";
}
const char *ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t) {
  return bring(AllReduce, send, recv, count, type, op, 0, comm);
}
ncclResult_t ncclReduce(const void *send, void *recv, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t) {
  return bring(Reduce, send, recv, count, type, op, root, comm);
}
ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t) {
  return bring(Broadcast, send, recv, count, type, ncclSum, root, comm);
}
ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type,
                       int root, ncclComm_t comm, cudaStream_t) {
  return bring(Broadcast, buffer, buffer, count, type, ncclSum, root, comm);
}
ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t recv_count,
                               ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t) {
  return bring(ReduceScatter, send, recv, recv_count, type, op, 0, comm);
}
ncclResult_t ncclAllGather(const void *send, void *recv, size_t send_count,
                           ncclDataType_t type, ncclComm_t comm, cudaStream_t) {
  return bring(AllGather, send, recv, send_count, type, ncclSum, 0, comm);
}
ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t) {
  return bring(Send, send, nullptr, count, type, ncclSum, peer, comm);
}
ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t) {
  return bring(Recv, nullptr, recv, count, type, ncclSum, peer, comm);
}
ncclResult_t ncclGroupStart() {
  ++Depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (!Depth)
    return ncclInvalidUsage;
  if (--Depth || !Group)
    return ncclSuccess;
  std::vector<Waiting> *All = Group;
  Group = nullptr;
  ncclResult_t Result = finish(*All);
  delete All;
  return Result;
}
} // extern "C"
