//===- Launch.cpp - running the blocks of a launch -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks run in parallel on libomp's threads, a few at a time per thread. A
// launch returns when all have run, so streams need no machinery. The blocks of
// a cooperative launch wait for each other, and have a thread of the machine
// each.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include <atomic>
#include <condition_variable>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <omp.h>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

using namespace rgcuda;

extern "C" {
thread_local RgThread rg_cuda_thread;
}

namespace {

struct Registry {
  std::mutex Lock;
  std::unordered_map<const void *, Kernel> Kernels;
};
Registry &registry() {
  static Registry R; // constructors of other files come first
  return R;
}

/// What a thread of the machine keeps between launches.
struct Worker {
  char *Scratch = nullptr, *Dynamic = nullptr;
  size_t ScratchSize = 0, DynamicSize = 0;
  size_t Window = 0; ///< of the kernel that runs, in front of Dynamic's rest
  /// Static shared memory of the kernel that runs, if it asks where pointers
  /// lead.
  struct {
    const char *At;
    int64_t Size;
  } Shared[64] = {};
  jmp_buf Leave;
  bool Running = false;
  const char *Name = "";
  ~Worker() {
    free(Scratch);
    free(Dynamic);
  }
  static bool grow(char *&P, size_t &Have, size_t Want, bool Exact) {
    if (Exact ? Have == Want : Have >= Want)
      return true;
    free(P);
    P = nullptr;
    Have = 0;
    void *New = nullptr;
    if (Want && posix_memalign(&New, 1024, Want))
      return false;
    P = static_cast<char *>(New);
    Have = Want;
    return true;
  }
};
thread_local Worker TheWorker;
thread_local cudaError_t LastError = cudaSuccess;
/// An error that ends the program's use of the device, as asserts do.
std::atomic<int> Sticky{cudaSuccess};

/// The blocks of a cooperative launch, where they meet.
class GridOfBlocks {
  std::mutex Lock;
  std::condition_variable Change;
  const int64_t Number;
  int64_t Waiting = 0, Ended = 0;
  uint64_t Phase = 0;
  bool Broken = false, Busy = false;
  const bool OneAtATime; ///< kernels that check themselves

  void enter(std::unique_lock<std::mutex> &Hold) {
    Change.wait(Hold, [&] { return !OneAtATime || !Busy; });
    Busy = true;
  }
  void leave() {
    Busy = false;
    Change.notify_all();
  }

public:
  GridOfBlocks(int64_t Number, bool OneAtATime)
      : Number(Number), OneAtATime(OneAtATime) {}
  void begin() {
    std::unique_lock<std::mutex> Hold(Lock);
    enter(Hold);
  }
  /// Blocks that wait for one that has ended wait in vain.
  void end() {
    std::unique_lock<std::mutex> Hold(Lock);
    ++Ended;
    Broken |= Waiting > 0;
    leave();
  }
  void giveUp() {
    std::unique_lock<std::mutex> Hold(Lock);
    Broken = true;
    Change.notify_all();
  }
  /// False when some block does not come.
  bool wait() {
    std::unique_lock<std::mutex> Hold(Lock);
    Broken |= Ended > 0;
    if (!Broken && ++Waiting == Number) {
      Waiting = 0;
      ++Phase;
      if (OneAtATime)
        checkGridBarrier();
      Change.notify_all();
      return true;
    }
    if (!Broken) {
      CheckedBlock *Own = OneAtATime ? leaveBlock() : nullptr;
      leave();
      Change.wait(Hold,
                  [&, Before = Phase] { return Phase != Before || Broken; });
      enter(Hold);
      if (Own)
        resumeBlock(Own);
    }
    return !Broken;
  }
};
thread_local GridOfBlocks *TheGrid = nullptr;
/// Of a cooperative launch: each block is a thread of the machine.
constexpr int64_t MaxTogether = 1024;

struct Configuration {
  dim3 Grid, Block;
  size_t Shared;
  void *Stream;
};
thread_local Configuration Pushed;

} // namespace

cudaError_t rgcuda::fail(cudaError_t E) {
  if (E != cudaSuccess)
    LastError = E;
  return E;
}

cudaError_t rgcuda::stickyError() {
  return static_cast<cudaError_t>(Sticky.load(std::memory_order_relaxed));
}

void rgcuda::clearErrors() {
  Sticky = cudaSuccess;
  LastError = cudaSuccess;
}

Kernel *rgcuda::findKernel(const void *Host) {
  Registry &R = registry();
  std::lock_guard<std::mutex> Hold(R.Lock);
  auto It = R.Kernels.find(Host);
  return It == R.Kernels.end() ? nullptr : &It->second;
}

extern "C" void rg_cuda_register(const RgKernel *Kernels, int64_t Number) {
  Registry &R = registry();
  std::lock_guard<std::mutex> Hold(R.Lock);
  for (int64_t I = 0; I < Number; ++I)
    R.Kernels[Kernels[I].Host].Code = Kernels[I];
}

void rgcuda::leaveKernel(cudaError_t E) {
  int None = cudaSuccess;
  Sticky.compare_exchange_strong(None, E);
  if (TheWorker.Running)
    longjmp(TheWorker.Leave, 1);
  abort();
}

static void runBlocks(const Kernel &K, const RgLaunch &L, void **Arguments,
                      size_t Shared, std::atomic<int64_t> &Taken, int64_t Total,
                      int64_t Chunk, std::atomic<bool> &OutOfMemory,
                      bool InOrder = false) {
  Worker &W = TheWorker;
  size_t Threads = size_t(L.Block[0]) * L.Block[1] * L.Block[2];
  size_t Scratch = K.Code.ScratchPerThread * ((Threads + 63) & ~size_t(63));
  // Exactly the dynamic memory asked for, so that tools see accesses behind it.
  if (!Worker::grow(W.Scratch, W.ScratchSize, Scratch, false) ||
      !Worker::grow(W.Dynamic, W.DynamicSize, K.Code.Window + Shared, true)) {
    OutOfMemory = true;
    return;
  }
  W.Window = K.Code.Window;
  if (checking())
    checkWorker(W.Dynamic, W.DynamicSize);
  W.Name = K.Code.Name;
  for (auto &S : W.Shared)
    S = {nullptr, 0};
  W.Running = true;
  if (!setjmp(W.Leave))
    for (;;) {
      int64_t First = Taken.fetch_add(Chunk, std::memory_order_relaxed);
      if (First >= Total || stickyError() != cudaSuccess)
        break;
      int64_t Last = First + Chunk < Total ? First + Chunk : Total;
      if (InOrder)
        First = orderedBlock(First, Total), Last = First + 1;
      K.Code.Blocks(Arguments, &L, First, Last, W.Scratch, W.Dynamic);
    }
  W.Running = false;
}

/// All blocks at once, a thread each.
static bool runTogether(const Kernel &K, const RgLaunch &L, void **Arguments,
                        size_t Shared, int64_t Total,
                        std::atomic<bool> &OutOfMemory) {
  GridOfBlocks Grid(Total, checking());
  auto Run = [&](int64_t Block) {
    TheGrid = &Grid;
    Grid.begin();
    std::atomic<int64_t> Taken{Block};
    runBlocks(K, L, Arguments, Shared, Taken, Block + 1, 1, OutOfMemory);
    Grid.end();
  };
  std::vector<std::thread> Threads;
  try {
    Threads.reserve(size_t(Total));
    for (int64_t I = 0; I < Total; ++I)
      Threads.emplace_back(Run, I);
  } catch (const std::system_error &) {
    OutOfMemory = true;
    Grid.giveUp();
  }
  for (std::thread &T : Threads)
    T.join();
  return !OutOfMemory;
}

cudaError_t rgcuda::launch(const void *Host, dim3 Grid, dim3 Block,
                           void **Arguments, size_t Shared, bool Cooperative) {
  if (cudaError_t E = stickyError())
    return fail(E);
  Kernel *K = findKernel(Host);
  if (!K)
    return fail(cudaErrorInvalidDeviceFunction);
  uint64_t Threads = uint64_t(Block.x) * Block.y * Block.z;
  if (!Threads || !Grid.x || !Grid.y || !Grid.z || Block.x > MaxBlockDim[0] ||
      Block.y > MaxBlockDim[1] || Block.z > MaxBlockDim[2] ||
      Threads > MaxThreads || Grid.x > MaxGridDim[0] ||
      Grid.y > MaxGridDim[1] || Grid.z > MaxGridDim[2])
    return fail(cudaErrorInvalidConfiguration);
  if (Threads > K->Code.MaxThreads)
    return fail(cudaErrorLaunchOutOfResources);
  const size_t Asked = Shared;
  const bool Grows = K->Code.DynamicParts > 1 || K->Code.MovedBytes;
  if (Grows) {
    Shared =
        (Shared + 15) / 16 * 16 * K->Code.DynamicParts + K->Code.MovedBytes;
    if (K->Code.StaticShared + Asked <= MaxSharedOptIn &&
        K->Code.StaticShared + Shared > MaxSharedOptIn)
      fprintf(stderr,
              "retrograd: a derivative in kernel '%s' needs %zu bytes of "
              "shared memory for a block, %llu times the %zu that its launch "
              "asks for and %zu for its own variables, and there are %zu: "
              "launch it with less, or make these smaller [RG2201]\n",
              K->Code.Name, K->Code.StaticShared + Shared,
              (unsigned long long)K->Code.DynamicParts, Asked,
              size_t(K->Code.StaticShared + K->Code.MovedBytes),
              MaxSharedOptIn);
  }
  // Where launches add to what the program asks for, they raise the limit, too.
  if (K->Code.StaticShared + Shared > MaxSharedOptIn ||
      (!Grows &&
       (K->Code.StaticShared + Asked >
            MaxShared +
                (K->MaxDynamic > MaxShared ? MaxSharedOptIn - MaxShared : 0) ||
        (Asked > MaxShared && Asked > K->MaxDynamic))))
    return fail(cudaErrorInvalidValue);

  RgLaunch L = {{Grid.x, Grid.y, Grid.z}, {Block.x, Block.y, Block.z}};
  int64_t Total = int64_t(Grid.x) * Grid.y * Grid.z;
  if (checking())
    checkLaunch(K->Code.Name, L);
  if (Cooperative) {
    std::atomic<bool> OutOfMemory{false};
    if (Total > MaxTogether)
      return fail(cudaErrorCooperativeLaunchTooLarge);
    return runTogether(*K, L, Arguments, Shared, Total, OutOfMemory)
               ? cudaSuccess
               : fail(cudaErrorLaunchOutOfResources);
  }
  const bool InOrder = ordered();
  int Workers =
      checking() || InOrder || omp_in_parallel() ? 1 : omp_get_max_threads();
  if (Workers > Total)
    Workers = static_cast<int>(Total);
  int64_t Chunk = Total / (int64_t(Workers) * 8);
  if (Workers == 1)
    Chunk = Total;
  if (Chunk < 1 || InOrder)
    Chunk = 1;
  std::atomic<int64_t> Taken{0};
  std::atomic<bool> OutOfMemory{false};
  if (Workers == 1) {
    runBlocks(*K, L, Arguments, Shared, Taken, Total, Chunk, OutOfMemory,
              InOrder);
  } else {
#pragma omp parallel num_threads(Workers)
    runBlocks(*K, L, Arguments, Shared, Taken, Total, Chunk, OutOfMemory);
  }
  if (OutOfMemory)
    return fail(cudaErrorLaunchOutOfResources);
  // Errors of kernels are told by the next call that asks, as on a device.
  return cudaSuccess;
}

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                     void *Stream) {
  Pushed = {Grid, Block, Shared, Stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared,
                                       void *Stream) {
  *Grid = Pushed.Grid;
  *Block = Pushed.Block;
  *Shared = Pushed.Shared;
  *static_cast<void **>(Stream) = Pushed.Stream;
  return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
  if (cudaError_t E = stickyError())
    return E;
  cudaError_t E = LastError;
  LastError = cudaSuccess;
  return E;
}
cudaError_t cudaPeekAtLastError(void) {
  if (cudaError_t E = stickyError())
    return E;
  return LastError;
}

//===-- What kernels call
//-----------------------------------------------------===//

void rg_cuda_assertfail(const char *Message, const char *File, unsigned Line,
                        const char *Function, size_t) {
  const RgThread &T = rg_cuda_thread;
  fprintf(stderr,
          "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` "
          "failed.\n",
          File, Line, Function, T.Ctaid[0], T.Ctaid[1], T.Ctaid[2], T.Tid[0],
          T.Tid[1], T.Tid[2], Message);
  leaveKernel(cudaErrorAssert);
}
/// All threads of a block are here, and one of them calls.
void rg_cuda_grid_barrier() {
  if (TheGrid && TheGrid->wait())
    return;
  if (!TheGrid)
    fprintf(stderr,
            "retrograd: kernel '%s' has a barrier of the grid and was not "
            "launched by cudaLaunchCooperativeKernel [RG1605]\n",
            TheWorker.Name);
  else if (stickyError() == cudaSuccess)
    fprintf(stderr,
            "retrograd: kernel '%s': a block waits for the grid, and another "
            "has ended [RG1605]\n",
            TheWorker.Name);
  leaveKernel(cudaErrorLaunchFailure);
}
/// The threads of a block, Count of them, shared among the machine's
/// (-rg-disable=offload-serial-threads): Run runs those from one number up to
/// another. What leaves the kernel leaves its share, and then the block.
void rg_cuda_share_threads(void (*Run)(const void *, int64_t, int64_t),
                           const void *Record, int64_t Count) {
  int64_t Workers = omp_get_num_procs() / omp_get_num_threads();
  if (Workers > Count)
    Workers = Count;
  if (Workers <= 1)
    return Run(Record, 0, Count);
  if (omp_get_max_active_levels() < 2)
    omp_set_max_active_levels(2);
  const char *Name = TheWorker.Name;
  std::atomic<bool> Left{false};
#pragma omp parallel num_threads(static_cast<int>(Workers))
  {
    Worker &W = TheWorker;
    jmp_buf Outer;
    memcpy(&Outer, &W.Leave, sizeof Outer);
    const bool WasRunning = W.Running;
    W.Name = Name;
    W.Running = true;
    if (!setjmp(W.Leave)) {
      const int64_t Me = omp_get_thread_num(), All = omp_get_num_threads();
      if (Count * Me / All < Count * (Me + 1) / All)
        Run(Record, Count * Me / All, Count * (Me + 1) / All);
    } else
      Left = true;
    memcpy(&W.Leave, &Outer, sizeof Outer);
    W.Running = WasRunning;
  }
  if (Left)
    leaveKernel(stickyError());
}
bool rg_cuda_grid_valid() { return TheGrid; }
/// The block's dynamic shared memory, in bytes.
uint32_t rg_cuda_dynamic_size() {
  return static_cast<uint32_t>(TheWorker.DynamicSize - TheWorker.Window);
}
/// Static shared variable number I of the kernel that runs here.
void rg_cuda_shared_range(int64_t I, const char *At, int64_t Size) {
  if (I < 64)
    TheWorker.Shared[I] = {At, Size};
}
int rg_cuda_is_shared(const void *Address) {
  const char *P = static_cast<const char *>(Address);
  const Worker &W = TheWorker;
  if (P >= W.Dynamic && P < W.Dynamic + W.DynamicSize)
    return 1;
  for (const auto &S : W.Shared)
    if (P >= S.At && P < S.At + S.Size)
      return 1;
  return 0;
}
/// A thread's own memory is on this thread's stack, or in the block's scratch
/// memory.
int rg_cuda_is_local(const void *Address) {
  const char *P = static_cast<const char *>(Address);
  const Worker &W = TheWorker;
  if (P >= W.Scratch && P < W.Scratch + W.ScratchSize)
    return 1;
  static thread_local char *Low, *High;
  if (!Low) {
    pthread_attr_t Attributes;
    void *Base;
    size_t Size;
    if (pthread_getattr_np(pthread_self(), &Attributes))
      abort();
    pthread_attr_getstack(&Attributes, &Base, &Size);
    pthread_attr_destroy(&Attributes);
    Low = static_cast<char *>(Base);
    High = Low + Size;
  }
  return P >= Low && P < High && !rg_cuda_is_shared(P);
}
void rg_cuda_trap(void) { leaveKernel(cudaErrorLaunchFailure); }

/// printf of a device: the arguments lie in a buffer, each at its own
/// alignment.
int rg_cuda_vprintf(const char *Format, const char *Arguments) {
  char Text[4096];
  size_t Length = 0;
  const char *At = Arguments;
  auto Take = [&](size_t Size) {
    uintptr_t P = (reinterpret_cast<uintptr_t>(At) + Size - 1) & ~(Size - 1);
    At = reinterpret_cast<const char *>(P + Size);
    uint64_t Bits = 0;
    memcpy(&Bits, reinterpret_cast<const void *>(P), Size);
    return Bits;
  };
  auto Put = [&](const char *Piece, auto... Values) {
    int N = snprintf(Text + Length, sizeof Text - Length, Piece, Values...);
    if (N > 0)
      Length += static_cast<size_t>(N) < sizeof Text - Length
                    ? N
                    : sizeof Text - 1 - Length;
  };
  int Converted = 0;
  while (*Format) {
    if (*Format != '%') {
      if (Length + 1 < sizeof Text)
        Text[Length++] = *Format;
      ++Format;
      continue;
    }
    char Piece[64];
    size_t N = 0;
    bool Long = false;
    Piece[N++] = *Format++;
    while (*Format && strchr("-+ #0123456789.*hljztL", *Format) && N < 40) {
      if (*Format == '*')
        N += snprintf(Piece + N, 16, "%d", static_cast<int>(Take(4)));
      else {
        if (strchr("ljztL", *Format))
          Long = true;
        if (!strchr("ljzthL", *Format))
          Piece[N++] = *Format;
        else if (*Format == 'h')
          Piece[N++] = 'h';
      }
      ++Format;
    }
    char Kind = *Format ? *Format++ : 0;
    auto Finish = [&](const char *End) { strcpy(Piece + N, End); };
    switch (Kind) {
    case '%':
      Put("%c", '%');
      continue;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      char End[4] = {'l', 'l', Kind, 0};
      if (Long) {
        Finish(End);
        Put(Piece, static_cast<long long>(Take(8)));
      } else {
        Finish(End + 2);
        Put(Piece, static_cast<int>(Take(4)));
      }
      break;
    }
    case 'c':
      Finish("c");
      Put(Piece, static_cast<int>(Take(4)));
      break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      char End[2] = {Kind, 0};
      Finish(End);
      uint64_t Bits = Take(8);
      double D;
      memcpy(&D, &Bits, 8);
      Put(Piece, D);
      break;
    }
    case 's':
      Finish("s");
      Put(Piece, reinterpret_cast<const char *>(Take(8)));
      break;
    case 'p':
      Finish("p");
      Put(Piece, reinterpret_cast<void *>(Take(8)));
      break;
    default:
      Put("%s%c", Piece, Kind);
      continue;
    }
    ++Converted;
  }
  fwrite(Text, 1, Length,
         stdout); // one call, so that lines of threads do not mix
  return Converted;
}

} // extern "C"
