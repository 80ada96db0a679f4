/*===- nccl.cpp - NCCL as operations --------------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What NCCL moves between devices and adds is linear, so nothing is kept but
what
|* is overwritten, and the adjoint of each routine is another one, of the same
|* communicator (docs/HostDevice.md):
|*
|*   all-reduce        all-reduce        all-gather       reduce-scatter
|*   reduce            broadcast         reduce-scatter   all-gather
|*   broadcast         reduce            send             receive
|*
|* It brings the adjoints to scratch memory. When it has run, they are added to
|* those of the send buffer, and the adjoint of the receive buffer is cleared:
|* in this order it is right in place, too. Groups are mirrored: the reverse of
|* the end of one begins one, and what is to be done behind the calls in it is
|* done at the reverse of its start.
|*
|* All ranks of a communicator have to make the same calls in the reverse sweep,
|* also those that nothing active reaches: a rank without a shadow sends zeros.
|*
|* Products and extrema are not linear. Each rank keeps a copy of what it gives;
|* the reverse gathers the copies of all ranks beside the adjoints, so that one
|* round of messages is enough for any operation.
\*===------------------------------------------------------------------------===*/
#include "devicearrays.h"
#include "strided.h"

using namespace rg;
using namespace rg::device;

extern "C" {
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int ncclAllReduce(const void *, void *, size_t, int, int, void *, void *);
int ncclReduce(const void *, void *, size_t, int, int, int, void *, void *);
int ncclBroadcast(const void *, void *, size_t, int, int, void *, void *);
int ncclAllGather(const void *, void *, size_t, int, void *, void *);
int ncclReduceScatter(const void *, void *, size_t, int, int, void *, void *);
int ncclSend(const void *, size_t, int, int, void *, void *);
int ncclRecv(void *, size_t, int, int, void *, void *);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclCommCount(void *, int *);
int ncclCommUserRank(void *, int *);
int ncclCommCuDevice(void *, int *);
int ncclCommDestroy(void *);
void *rg_gpu_keep(void *p, uint64_t bytes);
void rg_nccl_open(void);
void rg_nccl_close(void);
void rg_nccl_destroy(void *comm);
void rg_nccl_other(int Kind, const void *send, void *recv, size_t count,
                   int Type, int Op, int Other, void *comm, void *stream);
}

namespace {
enum Kind {
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
// RG_REDUCE_* has the same numbers.
enum { Sum = 0, Product = 1, Max = 2, Min = 3, Average = 4 };
enum Type { Half = 6, Float = 7, Double = 8, BFloat = 9 };
inline bool reduces(int Kind) {
  return Kind == AllReduce || Kind == Reduce || Kind == ReduceScatter;
}

inline int call(int Kind, const void *send, void *recv, size_t count, int Type,
                int Op, int Other, void *comm, void *stream) {
  switch (Kind) {
  case AllReduce:
    return ncclAllReduce(send, recv, count, Type, Op, comm, stream);
  case Reduce:
    return ncclReduce(send, recv, count, Type, Op, Other, comm, stream);
  case Broadcast:
    return ncclBroadcast(send, recv, count, Type, Other, comm, stream);
  case AllGather:
    return ncclAllGather(send, recv, count, Type, comm, stream);
  case ReduceScatter:
    return ncclReduceScatter(send, recv, count, Type, Op, comm, stream);
  case Send:
    return ncclSend(send, count, Type, Other, comm, stream);
  default:
    return ncclRecv(recv, count, Type, Other, comm, stream);
  }
}
/// Elements of the send and of the receive buffer.
inline size_t sent(int Kind, size_t Count, int Ranks) {
  return Kind == Recv ? 0 : Kind == ReduceScatter ? Count * Ranks : Count;
}
inline size_t received(int Kind, size_t Count, int Ranks) {
  return Kind == Send ? 0 : Kind == AllGather ? Count * Ranks : Count;
}
inline int ranksOf(void *comm) {
  int Ranks = 1;
  must(ncclCommCount(comm, &Ranks), "ncclCommCount");
  return Ranks;
}

} // namespace

// Types with linkage: the program has one state per thread.
struct rg_nccl_half {
  uint16_t Bits;
};
struct rg_nccl_bfloat {
  uint16_t Bits;
};
/// What is to be done when calls of a derivative have run: Sums is added, where
/// it has elements, Clear is cleared before; and the rooms of it given back.
struct rg_nccl_after {
  rg_nccl_after *next;
  int Device;
  rg_room Room[4];
  void *Clear;
  size_t Cleared;
  rg_reduced Sums;
};
/// A communicator that the program has destroyed, and the reverse sweep uses.
struct rg_nccl_destroyed {
  void *comm;
  rg_nccl_destroyed *next;
};
struct rg_nccl_group {
  int Depth;        // of groups
  uint64_t Waiting; // operations whose reverse has not run
  rg_nccl_after *First, **Last;
  rg_nccl_destroyed *Gone;
};
__thread rg_nccl_group rg_nccl_state;

namespace {
constexpr int typeOf(double *) { return Double; }
constexpr int typeOf(float *) { return Float; }
constexpr int typeOf(rg_nccl_half *) { return Half; }
constexpr int typeOf(rg_nccl_bfloat *) { return BFloat; }

using After = rg_nccl_after;
using Destroyed = rg_nccl_destroyed;
using State = rg_nccl_group;

inline void later(const After &A) {
  auto *Copy = static_cast<After *>(malloc(sizeof A));
  must(Copy ? 0 : 2, "NCCL");
  *Copy = A;
  Copy->next = nullptr;
  State &S = rg_nccl_state;
  if (!S.First)
    S.Last = &S.First;
  *S.Last = Copy;
  S.Last = &Copy->next;
}
/// All calls have been given to the library, and run.
inline void finish() {
  State &S = rg_nccl_state;
  if (S.Depth)
    return;
  After *A = S.First;
  S.First = nullptr;
  if (A)
    rg_gpu_wait("NCCL");
  while (A) {
    int Before = rg_gpu_enter(A->Device, "NCCL");
    if (A->Cleared)
      must(cudaMemsetAsync(A->Clear, 0, A->Cleared, nullptr), "cudaMemset");
    rg_device_reduced(&A->Sums, nullptr);
    rg_gpu_wait("NCCL");
    rg_gpu_enter(Before, "NCCL");
    for (rg_room &R : A->Room)
      if (R.at)
        rg_gpu_room_back(R);
    After *Next = A->next;
    free(A);
    A = Next;
  }
  if (!S.Waiting)
    while (Destroyed *D = S.Gone) {
      S.Gone = D->next;
      ncclCommDestroy(D->comm);
      free(D);
    }
}

struct Kept {
  uint64_t Active;
  int Device, Status;
  rg_room Given; // of a reduction that is not linear
};

template <class T> struct Message {
  int Kind;
  Dual<const T> send;
  Dual<T> recv;
  size_t Count;
  int Op, Other;
  void *comm, *stream;

  static constexpr int Type = typeOf(static_cast<T *>(nullptr));
  static constexpr int Number = Type == Double   ? RG_DOUBLE
                                : Type == Float  ? RG_FLOAT
                                : Type == BFloat ? RG_BFLOAT
                                                 : RG_HALF;
  template <class F> void each(F f) {
    f(1, send);
    f(2, recv);
  }
  int primal() const {
    return call(Kind, send.P, recv.P, Count, Type, Op, Other, comm, stream);
  }
  bool linear() const { return !reduces(Kind) || Op == Sum || Op == Average; }
  /// Operations that the program has made (ncclRedOpCreatePreMulSum) have
  /// other numbers.
  void demandKnown() const {
    if (reduces(Kind) && (Op < Sum || Op > Average))
      rg_gpu_library_refused(Names[Kind],
                             "of reductions, sums, averages, products, maxima "
                             "and minima alone have a derivative");
  }
  /// A copy of what this rank gives to a reduction, on its device.
  rg_room given() const {
    int Device = 0, Ranks = ranksOf(comm);
    must(ncclCommCuDevice(comm, &Device), "ncclCommCuDevice");
    int Before = rg_gpu_enter(Device, Names[Kind]);
    size_t Bytes = sent(Kind, Count, Ranks) * sizeof(T);
    rg_room R = rg_gpu_room(Bytes + sizeof(T), "NCCL");
    constexpr int OnDevice = 3;
    must(cudaMemcpyAsync(R.at, send.P, Bytes, OnDevice, stream), "cudaMemcpy");
    rg_gpu_enter(Before, Names[Kind]);
    return R;
  }
  /// Memory for numbers, zeros if there is something to send.
  static rg_room room(size_t Count, bool Cleared) {
    rg_room R = rg_gpu_room((Count + 1) * sizeof(T), "NCCL");
    if (Cleared)
      must(cudaMemsetAsync(R.at, 0, Count * sizeof(T), nullptr), "cudaMemset");
    return R;
  }

  /// The same call of the tangents; of a reduction that is not linear, its
  /// derivative, from what all ranks have given and their tangents.
  void forward(const rg_room *Given) const {
    int Ranks = ranksOf(comm), Rank = 0, Device = 0;
    must(ncclCommUserRank(comm, &Rank), "ncclCommUserRank");
    must(ncclCommCuDevice(comm, &Device), "ncclCommCuDevice");
    After A = {};
    A.Device = Device;
    int Before = rg_gpu_enter(Device, Names[Kind]);
    size_t In = sent(Kind, Count, Ranks);
    const T *From = send.D;
    T *To = recv.D;
    if (!From && Kind != Recv) {
      A.Room[0] = room(In, true);
      From = reinterpret_cast<T *>(A.Room[0].at);
    }
    if (!To && Kind != Send) {
      A.Room[1] = room(received(Kind, Count, Ranks), false);
      To = reinterpret_cast<T *>(A.Room[1].at);
    }
    if (A.Room[0].at)
      rg_gpu_wait("NCCL");
    if (linear()) {
      must(call(Kind, From, To, Count, Type, Op, Other, comm, stream),
           Names[Kind]);
    } else {
      T *Numbers = gather(A.Room[2], Given->at, In, Ranks, stream);
      T *Tangents = gather(A.Room[3], From, In, Ranks, stream);
      size_t Part = Kind == ReduceScatter ? Rank * Count : 0;
      if (Kind != Reduce || Rank == Other)
        A.Sums = {Number,
                  Op,
                  1,
                  Rank,
                  Ranks,
                  static_cast<int64_t>(Count),
                  static_cast<int64_t>(In),
                  1,
                  Numbers + Part,
                  Tangents + Part,
                  To};
    }
    rg_gpu_enter(Before, Names[Kind]);
    later(A);
  }
  /// What all ranks have, one after the other.
  T *gather(rg_room &R, const void *Own, size_t Elements, int Ranks,
            void *Stream) const {
    R = room(Elements * Ranks, false);
    must(ncclAllGather(Own, R.at, Elements, Type, comm, Stream), Names[Kind]);
    return reinterpret_cast<T *>(R.at);
  }

  void reverse(const rg_room &Given) const {
    int Ranks = ranksOf(comm), Rank = 0, Device = 0;
    must(ncclCommUserRank(comm, &Rank), "ncclCommUserRank");
    must(ncclCommCuDevice(comm, &Device), "ncclCommCuDevice");
    After A = {};
    A.Device = Device;
    int Before = rg_gpu_enter(Device, Names[Kind]);
    size_t In = sent(Kind, Count, Ranks), Out = received(Kind, Count, Ranks);
    bool Writes = Kind != Send && (Kind != Reduce || Rank == Other);
    bool Reads = Kind != Recv && (Kind != Broadcast || Rank == Other);
    T *G = Writes ? recv.D : nullptr;
    if (!G && Kind != Send) {
      A.Room[1] = room(Out, true);
      G = reinterpret_cast<T *>(A.Room[1].at);
    }
    A.Room[0] = room(In, false);
    T *Sums = reinterpret_cast<T *>(A.Room[0].at);
    rg_gpu_wait("NCCL");
    static const int Mirror[] = {AllReduce, Broadcast, Reduce, ReduceScatter,
                                 AllGather, Recv,      Send};
    must(call(Mirror[Kind], G, Sums, Count, Type, Sum, Other, comm, nullptr),
         Names[Kind]);
    T *Numbers =
        linear() ? nullptr : gather(A.Room[2], Given.at, In, Ranks, nullptr);
    if (Writes && recv.D) {
      A.Clear = recv.D;
      A.Cleared = Out * sizeof(T);
    }
    if (Reads && send.D)
      A.Sums = {Number,
                linear() ? Sum : Op,
                0,
                Rank,
                Ranks,
                static_cast<int64_t>(In),
                static_cast<int64_t>(In),
                reduces(Kind) && Op == Average ? 1.0 / Ranks : 1,
                Numbers,
                Sums,
                send.D};
    rg_gpu_enter(Before, Names[Kind]);
    later(A);
  }
};

template <class T>
inline void *augmentOn(rg_arena *Arena, uint64_t Active, Message<T> M) {
  activate(M, Active);
  M.demandKnown();
  auto *K = static_cast<Kept *>(rg_tape_zalloc(Arena, sizeof(Kept)));
  K->Active = Active;
  rg_gpu_works();
  if (!M.linear())
    K->Given = M.given();
  K->Status = M.primal();
  rg_gpu_set_library_status(K->Status);
  ++rg_nccl_state.Waiting;
  rg_gpu_hold();
  return K;
}
template <class T>
inline void reverseOn(uint64_t Lanes, void *Block, Message<T> M) {
  auto *K = static_cast<Kept *>(Block);
  --rg_nccl_state.Waiting;
  if (!K->Status) {
    if (!rg_nccl_state.Depth)
      rg_gpu_wait(Names[M.Kind]);
    activate(M, K->Active);
    for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
      selectLane(M, Lane);
      M.reverse(K->Given);
      finish();
    }
  }
  if (K->Given.at) {
    After A = {};
    must(ncclCommCuDevice(M.comm, &A.Device), "ncclCommCuDevice");
    A.Room[0] = K->Given;
    later(A);
  }
  finish();
  rg_gpu_let_go();
}
template <class T> inline void forwardOn(uint64_t Lanes, Message<T> M) {
  M.demandKnown();
  rg_gpu_works();
  After A = {};
  must(ncclCommCuDevice(M.comm, &A.Device), "ncclCommCuDevice");
  if (!M.linear())
    A.Room[0] = M.given();
  int Status = M.primal();
  rg_gpu_set_library_status(Status);
  for (uint64_t Lane = 0; !Status && Lane != Lanes; ++Lane) {
    selectLane(M, Lane);
    M.forward(A.Room);
    finish();
  }
  if (A.Room[0].at) {
    later(A);
    finish();
  }
}
} // namespace

extern "C" {
#define RG_MESSAGE(T, Name)                                                    \
  OPERATION void Name(int Kind, const T *send, T *recv, size_t count, int Op,  \
                      int Other, void *comm, void *stream) {                   \
    rg_gpu_set_library_status(                                                 \
        Message<T>{Kind, send, recv, count, Op, Other, comm, stream}           \
            .primal());                                                        \
  }                                                                            \
  void *Name##_augment(rg_arena *Arena, uint64_t Active, uint64_t, int Kind,   \
                       const T *send, T *recv, size_t count, int Op,           \
                       int Other, void *comm, void *stream) {                  \
    return augmentOn(                                                          \
        Arena, Active,                                                         \
        Message<T>{Kind, send, recv, count, Op, Other, comm, stream});         \
  }                                                                            \
  void Name##_reverse(rg_arena *, uint64_t Lanes, void *Block, int Kind,       \
                      const T *send, T *const *send_, T *recv,                 \
                      T *const *recv_, size_t count, int Op, int Other,        \
                      void *comm, void *stream) {                              \
    reverseOn(Lanes, Block,                                                    \
              Message<T>{Kind,                                                 \
                         {send, send_},                                        \
                         {recv, recv_},                                        \
                         count,                                                \
                         Op,                                                   \
                         Other,                                                \
                         comm,                                                 \
                         stream});                                             \
  }                                                                            \
  void Name##_forward(uint64_t Lanes, int Kind, const T *send,                 \
                      T *const *send_, T *recv, T *const *recv_, size_t count, \
                      int Op, int Other, void *comm, void *stream) {           \
    forwardOn(Lanes, Message<T>{Kind,                                          \
                                {send, send_},                                 \
                                {recv, recv_},                                 \
                                count,                                         \
                                Op,                                            \
                                Other,                                         \
                                comm,                                          \
                                stream});                                      \
  }
RG_MESSAGE(double, rg_nccl_d)
RG_MESSAGE(float, rg_nccl_s)
RG_MESSAGE(rg_nccl_half, rg_nccl_h)
RG_MESSAGE(rg_nccl_bfloat, rg_nccl_y)

/// Integers. Of bytes nobody knows here whether they are active.
OPERATION void rg_nccl_other(int Kind, const void *send, void *recv,
                             size_t count, int Type, int Op, int Other,
                             void *comm, void *stream) {
  if (Type < 2 || Type > BFloat)
    rg_gpu_library_refused(Names[Kind],
                           "of bytes there is no derivative; send numbers by "
                           "their own types");
  rg_gpu_set_library_status(
      call(Kind, send, recv, count, Type, Op, Other, comm, stream));
}

/// Groups, in the primal sweep and in forward mode; and backwards.
OPERATION void rg_nccl_open(void) {
  rg_gpu_set_library_status(ncclGroupStart());
  ++rg_nccl_state.Depth;
}
OPERATION void rg_nccl_close(void) {
  rg_gpu_set_library_status(ncclGroupEnd());
  if (rg_nccl_state.Depth)
    --rg_nccl_state.Depth;
  finish();
}
void rg_nccl_open_again(void) {
  if (!rg_nccl_state.Depth)
    rg_gpu_wait("NCCL");
  must(ncclGroupStart(), "ncclGroupStart");
  ++rg_nccl_state.Depth;
}
void rg_nccl_close_again(void) {
  must(ncclGroupEnd(), "ncclGroupEnd");
  --rg_nccl_state.Depth;
  finish();
}
OPERATION void rg_nccl_destroy(void *comm) {
  if (!rg_nccl_state.Waiting) {
    rg_gpu_set_library_status(ncclCommDestroy(comm));
    return;
  }
  auto *D = static_cast<Destroyed *>(malloc(sizeof(Destroyed)));
  must(D ? 0 : 2, "ncclCommDestroy");
  *D = {comm, rg_nccl_state.Gone};
  rg_nccl_state.Gone = D;
  rg_gpu_set_library_status(0);
}
} // extern "C"

//===-- Names
//---------------------------------------------------------------===//

namespace {
inline int run(int Kind, const void *send, void *recv, size_t count, int Type,
               int Op, int Other, void *comm, void *stream, size_t Received) {
  size_t Size = Type == Double || Type == 4 || Type == 5 ? 8
                : Type == 6 || Type == 9                 ? 2
                : Type < 2                               ? 1
                                                         : 4;
  if (Kind != Send)
    rg_gpu_keep(recv, Received * Size);
  if (Type == Double)
    rg_nccl_d(Kind, (const double *)send, (double *)recv, count, Op, Other,
              comm, stream);
  else if (Type == Float)
    rg_nccl_s(Kind, (const float *)send, (float *)recv, count, Op, Other, comm,
              stream);
  else if (Type == Half)
    rg_nccl_h(Kind, (const rg_nccl_half *)send, (rg_nccl_half *)recv, count, Op,
              Other, comm, stream);
  else if (Type == BFloat)
    rg_nccl_y(Kind, (const rg_nccl_bfloat *)send, (rg_nccl_bfloat *)recv, count,
              Op, Other, comm, stream);
  else
    rg_nccl_other(Kind, send, recv, count, Type, Op, Other, comm, stream);
  return rg_gpu_library_status();
}
} // namespace

extern "C" {
int rg_nccl_ranks(void *comm);
OPERATION int rg_nccl_ranks(void *comm) { return ranksOf(comm); }

int rg_expand_ncclAllReduce(const void *send, void *recv, size_t count,
                            int type, int op, void *comm, void *stream) {
  return run(AllReduce, send, recv, count, type, op, 0, comm, stream, count);
}
int rg_expand_ncclReduce(const void *send, void *recv, size_t count, int type,
                         int op, int root, void *comm, void *stream) {
  return run(Reduce, send, recv, count, type, op, root, comm, stream, count);
}
int rg_expand_ncclBroadcast(const void *send, void *recv, size_t count,
                            int type, int root, void *comm, void *stream) {
  return run(Broadcast, send, recv, count, type, Sum, root, comm, stream,
             count);
}
int rg_expand_ncclBcast(void *buffer, size_t count, int type, int root,
                        void *comm, void *stream) {
  return run(Broadcast, buffer, buffer, count, type, Sum, root, comm, stream,
             count);
}
int rg_expand_ncclAllGather(const void *send, void *recv, size_t count,
                            int type, void *comm, void *stream) {
  return run(AllGather, send, recv, count, type, Sum, 0, comm, stream,
             count * rg_nccl_ranks(comm));
}
int rg_expand_ncclReduceScatter(const void *send, void *recv, size_t count,
                                int type, int op, void *comm, void *stream) {
  return run(ReduceScatter, send, recv, count, type, op, 0, comm, stream,
             count);
}
int rg_expand_ncclSend(const void *send, size_t count, int type, int peer,
                       void *comm, void *stream) {
  return run(Send, send, nullptr, count, type, Sum, peer, comm, stream, 0);
}
int rg_expand_ncclRecv(void *recv, size_t count, int type, int peer, void *comm,
                       void *stream) {
  return run(Recv, nullptr, recv, count, type, Sum, peer, comm, stream, count);
}
int rg_expand_ncclGroupStart(void) {
  rg_nccl_open();
  return rg_gpu_library_status();
}
int rg_expand_ncclGroupEnd(void) {
  rg_nccl_close();
  return rg_gpu_library_status();
}
int rg_expand_ncclCommDestroy(void *comm) {
  rg_nccl_destroy(comm);
  return rg_gpu_library_status();
}
} // extern "C"
