//===- Late.cpp - streams that run as late as they may -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a stream is given runs at once: one of the orders that CUDA allows, and
// the kindest. With RG_CUDA_STREAMS=late it is the worst: work lies in a queue
// per stream until something waits for it, and then only what has to run in
// front of that does. So a program that forgets an event or a wait shows it.
//
// A piece of work waits for pieces of other queues: of the default stream and
// of the streams that are not apart from it, and for events. These were given
// before, so there are no cycles.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using namespace rgcuda;

namespace {

struct Queue;
struct Place {
  Queue *Of;
  uint64_t Count; ///< of its pieces that have to have run
};
struct Piece {
  Work Do;
  std::vector<Place> After;
};
struct Queue {
  int Device;
  bool Apart; ///< from the default stream
  std::deque<Piece> Pieces;
  uint64_t Given = 0, Run = 0;
};
struct Late {
  std::recursive_mutex Lock;
  std::vector<std::unique_ptr<Queue>> All;
  std::map<cudaStream_t, Queue *> Own;
  std::map<int, Queue *> Default;
  std::map<cudaEvent_t, Place> Events;
};
Late &state() {
  static Late *S = new Late; // outlives destructors that free
  return *S;
}
thread_local bool Running = false;

Queue *add(int Device, bool Apart) {
  state().All.push_back(std::make_unique<Queue>(Queue{Device, Apart, {}}));
  return state().All.back().get();
}
Queue *defaultOf(int Device) {
  Queue *&Q = state().Default[Device];
  return Q ? Q : Q = add(Device, false);
}
Queue *queueOf(cudaStream_t S) {
  if (!isOwn(S))
    return defaultOf(deviceOf(S));
  Queue *&Q = state().Own[S];
  return Q ? Q : Q = add(deviceOf(S), isApart(S));
}

void give(Queue *Q, Piece P) {
  Queue *Default = defaultOf(Q->Device);
  for (const std::unique_ptr<Queue> &Other : state().All)
    if (Other.get() != Q && Other->Device == Q->Device && !Other->Apart &&
        !Q->Apart && (Q == Default || Other.get() == Default))
      P.After.push_back({Other.get(), Other->Given});
  Q->Pieces.push_back(std::move(P));
  ++Q->Given;
}
void run(Queue *Q, uint64_t Count) {
  while (Q->Run < Count) {
    Piece P = std::move(Q->Pieces.front());
    Q->Pieces.pop_front();
    for (const Place &A : P.After)
      run(A.Of, A.Count);
    ++Q->Run;
    if (!P.Do)
      continue;
    Running = true;
    P.Do();
    Running = false;
  }
}

} // namespace

bool rgcuda::late() {
  static const bool Is = [] {
    const char *Text = getenv("RG_CUDA_STREAMS");
    if (Text && strcmp(Text, "late") != 0) {
      fprintf(stderr, "retrograd: RG_CUDA_STREAMS=%s: not 'late' [RG1606]\n",
              Text);
      exit(2);
    }
    return Text != nullptr;
  }();
  return Is && !Running;
}
cudaError_t rgcuda::later(cudaStream_t S, Work W) {
  std::lock_guard<std::recursive_mutex> Hold(state().Lock);
  give(queueOf(S), {std::move(W), {}});
  return cudaSuccess;
}
void rgcuda::finish(cudaStream_t S) {
  if (!late())
    return;
  std::lock_guard<std::recursive_mutex> Hold(state().Lock);
  Queue *Q = queueOf(S);
  give(Q, {});
  run(Q, Q->Given);
}
void rgcuda::finishDevice(int Device) {
  if (!late())
    return;
  std::lock_guard<std::recursive_mutex> Hold(state().Lock);
  for (size_t I = state().All.size(); I-- > 0;)
    if (Queue *Q = state().All[I].get(); Device < 0 || Q->Device == Device)
      run(Q, Q->Given);
}
void rgcuda::lateRecord(cudaEvent_t E, cudaStream_t S) {
  if (!late())
    return;
  std::lock_guard<std::recursive_mutex> Hold(state().Lock);
  Queue *Q = queueOf(S);
  give(Q, {});
  state().Events[E] = {Q, Q->Given};
}
void rgcuda::lateWait(cudaStream_t S, cudaEvent_t E) {
  if (!late())
    return;
  std::lock_guard<std::recursive_mutex> Hold(state().Lock);
  auto It = state().Events.find(E);
  if (It != state().Events.end())
    give(queueOf(S), {nullptr, {It->second}});
}
void rgcuda::finishEvent(cudaEvent_t E) {
  if (!late())
    return;
  std::lock_guard<std::recursive_mutex> Hold(state().Lock);
  auto It = state().Events.find(E);
  if (It != state().Events.end())
    run(It->second.Of, It->second.Count);
}
void rgcuda::lateForget(cudaStream_t S, cudaEvent_t E) {
  std::lock_guard<std::recursive_mutex> Hold(state().Lock);
  state().Own.erase(S); // what it was given still runs
  state().Events.erase(E);
}
