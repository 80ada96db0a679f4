//===- _jax.cpp - calls of exported functions from XLA --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers of XLA's typed foreign function interface for all entries of all
// libraries of `retrograd export`. _jax.py compiles them once, against the
// header that comes with jaxlib. The first one is for functions. Attributes say
// what to do:
//
//   library, symbol  the entry; by name, since addresses change between runs
//                    and XLA may keep compiled programs
//   lengths          how many of the slots have lengths
//   where            the number of leading dimensions of each buffer over which
//                    the entry is repeated; a dimension of 1 is repeated, too
//   plan             for each slot six numbers: what it is (Kind), an
//                    argument, a result, bytes and elements of one example, and
//                    whether it is a number by value
//
// The second is for functions of CUDA programs with arrays on a GPU: arrays
// stay there, numbers are fetched and brought back. What the program launches
// runs on its own streams, so the handler waits for XLA's before the call, and
// for the device behind it.
//
// The other two are for CUDA kernels: on the processor, and on a GPU, where the
// kernel is launched on the stream that XLA hands over. They copy nothing: XLA
// gives them memory with its first contents (_jax_kernel.py).
//
//   library, symbol, lengths  as above
//   where            blocks in three dimensions, threads in three dimensions,
//                    bytes of dynamic shared memory
//   plan             for each slot three numbers: what it is (Place), its index
//                    or its bits, and its elements
//
//===----------------------------------------------------------------------===//

#include "xla/ffi/api/ffi.h"
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace ffi = xla::ffi;

namespace {

using Entry = int (*)(void *const *, const long long *, char *);

enum Kind : int64_t {
  Argument,     ///< the memory of an argument
  ZeroResult,   ///< a result, cleared first
  CopiedResult, ///< a result that starts as an argument
  Copy,         ///< a copy of an argument that is thrown away
  Zero,         ///< zeros that are thrown away
  Widened       ///< an integer of 4 bytes, passed as one of 8
};

struct Slot {
  int64_t Kind, Argument, Result, Bytes, Elements, Number;
};

/// The entry, looked up once. Libraries stay loaded.
Entry find(std::string_view Library, std::string_view Symbol,
           std::string &Problem) {
  static std::shared_mutex Lock;
  static std::map<std::pair<std::string, std::string>, Entry, std::less<>>
      Known;
  std::pair<std::string, std::string> Key(Library, Symbol);
  {
    std::shared_lock<std::shared_mutex> Reading(Lock);
    auto At = Known.find(Key);
    if (At != Known.end())
      return At->second;
  }
  void *Handle = dlopen(Key.first.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *Found = Handle ? dlsym(Handle, Key.second.c_str()) : nullptr;
  if (!Found) {
    const char *Text = dlerror();
    Problem = Text ? Text : "there is no " + Key.second;
    return nullptr;
  }
  std::unique_lock<std::shared_mutex> Writing(Lock);
  return Known[Key] = reinterpret_cast<Entry>(Found);
}

struct Buffer {
  char *Data;
  std::vector<int64_t> Batch; ///< leading dimensions
  int64_t Bytes;              ///< of one example

  Buffer(const ffi::AnyBuffer &B, size_t BatchRank)
      : Data(static_cast<char *>(B.untyped_data())), Bytes(1) {
    auto Dimensions = B.dimensions();
    Batch.assign(Dimensions.begin(), Dimensions.begin() + BatchRank);
    int64_t Examples = 1;
    for (int64_t N : Batch)
      Examples *= N;
    Bytes = Examples ? int64_t(B.size_bytes()) / Examples : 0;
  }

  /// Where the example with these indices lies.
  char *at(const std::vector<int64_t> &Index) const {
    int64_t Place = 0;
    for (size_t I = 0; I < Batch.size(); ++I)
      Place = Place * Batch[I] + (Batch[I] == 1 ? 0 : Index[I]);
    return Data + Place * Bytes;
  }
};

/// How memory is cleared and copied. Each gives false if it fails.
struct OnProcessor {
  static constexpr bool Apart = false; ///< arrays are not in host memory
  bool clear(void *To, size_t Bytes) const {
    std::memset(To, 0, Bytes);
    return true;
  }
  bool copy(void *To, const void *From, size_t Bytes) const {
    std::memcpy(To, From, Bytes);
    return true;
  }
  bool fetch(void *To, const void *From, size_t Bytes) const {
    return copy(To, From, Bytes);
  }
  bool bring(void *To, const void *From, size_t Bytes) const {
    return copy(To, From, Bytes);
  }
  bool before() const { return true; }
  bool after() const { return true; }
  void *scratch(size_t) const { return nullptr; }
};

/// A function of CUDA's driver, which JAX has loaded.
template <typename... Parameters> struct Driver {
  int (*Function)(Parameters...);
  explicit Driver(const char *Name) {
    static void *Library = dlopen("libcuda.so.1", RTLD_LAZY);
    Function = reinterpret_cast<int (*)(Parameters...)>(
        Library ? dlsym(Library, Name) : nullptr);
  }
  bool operator()(Parameters... P) const {
    return Function && Function(P...) == 0;
  }
};

struct OnGpu {
  static constexpr bool Apart = true;
  using Address = unsigned long long;
  void *Stream;
  ffi::ScratchAllocator &Memory;

  static Address at(const void *P) { return reinterpret_cast<Address>(P); }
  bool before() const {
    static const Driver<void *> Wait("cuStreamSynchronize");
    return Wait(Stream);
  }
  bool after() const {
    static const Driver<> Wait("cuCtxSynchronize");
    return Wait();
  }
  bool clear(void *To, size_t Bytes) const {
    static const Driver<Address, unsigned char, size_t, void *> Set(
        "cuMemsetD8Async");
    return Set(at(To), 0, Bytes, Stream);
  }
  bool copy(void *To, const void *From, size_t Bytes) const {
    static const Driver<Address, Address, size_t, void *> Copy(
        "cuMemcpyDtoDAsync_v2");
    return Copy(at(To), at(From), Bytes, Stream);
  }
  bool fetch(void *To, const void *From, size_t Bytes) const {
    static const Driver<void *, Address, size_t, void *> Copy(
        "cuMemcpyDtoHAsync_v2");
    return Copy(To, at(From), Bytes, Stream);
  }
  bool bring(void *To, const void *From, size_t Bytes) const {
    static const Driver<Address, const void *, size_t> Copy("cuMemcpyHtoD_v2");
    return Copy(at(To), From, Bytes);
  }
  void *scratch(size_t Bytes) const {
    auto Found = Memory.Allocate(Bytes); // aligned as all memory there is
    return Found ? *Found : nullptr;
  }
};

template <typename Device>
ffi::Error callOn(const Device &On, std::string_view Library,
                  std::string_view Symbol, int64_t LengthCount,
                  int64_t BatchRank, ffi::Span<const int64_t> Plan,
                  ffi::RemainingArgs &Args, ffi::RemainingRets &Rets) {
  std::string Problem;
  Entry Run = find(Library, Symbol, Problem);
  if (!Run)
    return ffi::Error::Internal("retrograd: " + Problem);

  std::vector<Buffer> Arguments, Results;
  for (size_t I = 0; I < Args.size(); ++I) {
    auto B = Args.get<ffi::AnyBuffer>(I);
    if (!B)
      return B.error();
    Arguments.emplace_back(*B, size_t(BatchRank));
  }
  for (size_t I = 0; I < Rets.size(); ++I) {
    auto B = Rets.get<ffi::AnyBuffer>(I);
    if (!B)
      return B.error();
    Results.emplace_back(**B, size_t(BatchRank));
  }
  std::vector<int64_t> Shape(size_t(BatchRank), 1), Index(Shape);
  int64_t Examples = 1;
  for (size_t D = 0; D < Shape.size(); ++D) {
    for (const auto *List : {&Arguments, &Results})
      for (const Buffer &B : *List)
        if (B.Batch[D] != 1)
          Shape[D] = B.Batch[D];
    Examples *= Shape[D];
  }

  const Slot *Slots = reinterpret_cast<const Slot *>(Plan.begin());
  size_t Count = Plan.size() / (sizeof(Slot) / sizeof(int64_t));
  std::vector<void *> Addresses(Count);
  std::vector<long long> Lengths;
  // Memory that is thrown away, in one piece on each side.
  const int64_t Align = 64;
  auto Place = [&](const Slot &S) {
    return (S.Bytes + Align - 1) / Align * Align;
  };
  auto OnHost = [](const Slot &S) { return !Device::Apart || S.Number; };
  int64_t Here = Align, There = 0;
  for (size_t I = 0; I < Count; ++I) {
    const Slot &S = Slots[I];
    if (I < size_t(LengthCount))
      Lengths.push_back(S.Elements);
    if (OnHost(S) ? S.Kind >= Copy || Device::Apart : S.Kind >= Copy)
      (OnHost(S) ? Here : There) += Place(S);
  }
  std::unique_ptr<char[]> Memory(new char[size_t(Here)]);
  char *Start = Memory.get();
  Start += Align - reinterpret_cast<uintptr_t>(Start) % Align;
  char *Far = There ? static_cast<char *>(On.scratch(size_t(There))) : nullptr;
  if (There && Device::Apart && !Far)
    return ffi::Error::Internal("retrograd: no memory on the device");

  for (int64_t Example = 0; Example < Examples; ++Example) {
    int64_t Rest = Example;
    for (size_t D = Shape.size(); D-- > 0;) {
      Index[D] = Rest % Shape[D];
      Rest /= Shape[D];
    }
    char *Free = Start, *FreeFar = Far;
    bool Fine = true;
    for (size_t I = 0; I < Count; ++I) {
      const Slot &S = Slots[I];
      char *From = S.Argument < 0 ? nullptr
                                  : Arguments[size_t(S.Argument)].at(Index),
           *To = S.Result < 0 ? nullptr : Results[size_t(S.Result)].at(Index);
      size_t Bytes = size_t(S.Bytes);
      bool Fetched = Device::Apart && S.Number;
      if (S.Kind >= Copy || Fetched) {
        char *&Next = OnHost(S) ? Free : FreeFar;
        To = Next;
        Next += Place(S);
      }
      switch (S.Kind) {
      case Argument:
        if (Fetched)
          Fine &= On.fetch(To, From, Bytes);
        else
          To = From;
        break;
      case ZeroResult:
      case Zero:
        if (Bytes && Fetched)
          std::memset(To, 0, Bytes);
        else if (Bytes)
          Fine &= On.clear(To, Bytes);
        break;
      case CopiedResult:
      case Copy:
        if (Bytes)
          Fine &=
              Fetched ? On.fetch(To, From, Bytes) : On.copy(To, From, Bytes);
        break;
      case Widened: {
        int32_t Narrow;
        Fine &= On.fetch(&Narrow, From, sizeof(Narrow)) && On.before();
        int64_t Wide = Narrow;
        std::memcpy(To, &Wide, sizeof(Wide));
        break;
      }
      }
      Addresses[I] = To;
    }
    if (!Fine || !On.before())
      return ffi::Error::Internal("retrograd: memory could not be copied");
    char Message[256] = "";
    if (Run(Addresses.data(), Lengths.data(), Message))
      return ffi::Error::InvalidArgument(Message);
    if (!On.after())
      return ffi::Error::Internal("retrograd: a launch failed");
    if (Device::Apart)
      for (size_t I = 0; I < Count; ++I)
        if (const Slot &S = Slots[I]; S.Number && S.Result >= 0)
          Fine &= On.bring(Results[size_t(S.Result)].at(Index), Addresses[I],
                           size_t(S.Bytes));
    if (!Fine)
      return ffi::Error::Internal("retrograd: memory could not be copied");
  }
  return ffi::Error::Success();
}

ffi::Error call(std::string_view Library, std::string_view Symbol,
                int64_t LengthCount, int64_t BatchRank,
                ffi::Span<const int64_t> Plan, ffi::RemainingArgs Args,
                ffi::RemainingRets Rets) {
  return callOn(OnProcessor(), Library, Symbol, LengthCount, BatchRank, Plan,
                Args, Rets);
}

ffi::Error callOnGpu(void *Stream, ffi::ScratchAllocator Memory,
                     std::string_view Library, std::string_view Symbol,
                     int64_t LengthCount, int64_t BatchRank,
                     ffi::Span<const int64_t> Plan, ffi::RemainingArgs Args,
                     ffi::RemainingRets Rets) {
  return callOn(OnGpu{Stream, Memory}, Library, Symbol, LengthCount, BatchRank,
                Plan, Args, Rets);
}

enum Place : int64_t {
  OfArgument, ///< the memory of an argument
  OfResult,   ///< the memory of a result
  OfNumber    ///< a number by value: its bits are in the plan
};

struct Passed {
  int64_t Place, Value, Elements;
};

ffi::Error launch(void *Stream, bool Waits, std::string_view Library,
                  std::string_view Symbol, int64_t LengthCount,
                  ffi::Span<const int64_t> Launch,
                  ffi::Span<const int64_t> Plan, ffi::RemainingArgs &Args,
                  ffi::RemainingRets &Rets) {
  std::string Problem;
  Entry Run = find(Library, Symbol, Problem);
  if (!Run)
    return ffi::Error::Internal("retrograd: " + Problem);
  const Passed *Slots = reinterpret_cast<const Passed *>(Plan.begin());
  size_t Count = Plan.size() / (sizeof(Passed) / sizeof(int64_t));
  std::vector<int64_t> Numbers(Count);
  std::vector<void *> Addresses(Count);
  std::vector<long long> Lengths;
  for (size_t I = 0; I < Count; ++I) {
    const Passed &S = Slots[I];
    if (I < size_t(LengthCount))
      Lengths.push_back(S.Elements);
    if (S.Place == OfNumber) {
      Numbers[I] = S.Value;
      Addresses[I] = &Numbers[I];
    } else if (S.Place == OfArgument) {
      auto B = Args.get<ffi::AnyBuffer>(size_t(S.Value));
      if (!B)
        return B.error();
      Addresses[I] = B->untyped_data();
    } else {
      auto B = Rets.get<ffi::AnyBuffer>(size_t(S.Value));
      if (!B)
        return B.error();
      Addresses[I] = (*B)->untyped_data();
    }
  }
  for (int64_t N : Launch)
    Lengths.push_back(N);
  Lengths.push_back(static_cast<long long>(reinterpret_cast<intptr_t>(Stream)));
  Lengths.push_back(Waits);
  char Message[256] = "";
  if (Run(Addresses.data(), Lengths.data(), Message))
    return ffi::Error::InvalidArgument(Message);
  return ffi::Error::Success();
}

ffi::Error launchOnProcessor(std::string_view Library, std::string_view Symbol,
                             int64_t LengthCount,
                             ffi::Span<const int64_t> Launch,
                             ffi::Span<const int64_t> Plan,
                             ffi::RemainingArgs Args, ffi::RemainingRets Rets) {
  return launch(nullptr, true, Library, Symbol, LengthCount, Launch, Plan, Args,
                Rets);
}

ffi::Error launchOnGpu(void *Stream, std::string_view Library,
                       std::string_view Symbol, int64_t LengthCount,
                       ffi::Span<const int64_t> Launch,
                       ffi::Span<const int64_t> Plan, ffi::RemainingArgs Args,
                       ffi::RemainingRets Rets) {
  return launch(Stream, false, Library, Symbol, LengthCount, Launch, Plan, Args,
                Rets);
}

} // namespace

namespace {

/// What all handlers get: the entry, how many of its slots have lengths, where
/// it is applied (a batch, or a launch), the plan of its slots, and the arrays.
template <typename Where, typename Binding> auto bound(Binding B) {
  return std::move(B)
      .template Attr<std::string_view>("library")
      .template Attr<std::string_view>("symbol")
      .template Attr<int64_t>("lengths")
      .template Attr<Where>("where")
      .template Attr<ffi::Span<const int64_t>>("plan")
      .RemainingArgs()
      .RemainingRets();
}

using Launch = ffi::Span<const int64_t>;

} // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(retrograd_jax_call, call,
                              bound<int64_t>(ffi::Ffi::Bind()));
// A stream is an address here: CUDA's headers are not needed.
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    retrograd_jax_call_gpu, callOnGpu,
    bound<int64_t>(ffi::Ffi::Bind()
                       .Ctx<ffi::PlatformStream<void *>>()
                       .Ctx<ffi::ScratchAllocator>()));
XLA_FFI_DEFINE_HANDLER_SYMBOL(retrograd_jax_launch, launchOnProcessor,
                              bound<Launch>(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    retrograd_jax_launch_gpu, launchOnGpu,
    bound<Launch>(ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void *>>()));
