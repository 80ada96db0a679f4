/*===- devicearrays.h - arrays on the device, for rules -------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What rules of CUDA's libraries have in common: scratch memory, and
|* elementwise work on arrays of any number of dimensions by
|* rg_device_map.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_DEVICEARRAYS_H
#define RETROGRAD_RUNTIME_DEVICEARRAYS_H
#include "dense.h"
#include "hostdevice.h"

namespace rg::device {

template <class R> inline void selectLane(R &Rule, uint64_t Lane) {
  Rule.each([&](int, auto &Operand) { Operand.lane(Lane); });
}
template <class R> inline void activate(R &Rule, uint64_t Active) {
  Rule.each([&](int I, auto &Operand) { Operand.activate(Active, I); });
}

/// A call that belongs to a derivative must not fail.
inline void must(int Status, const char *Routine) {
  if (Status)
    rg_gpu_library_failed(Routine, Status);
}

/// While it lives, a handle's operations have their numbers on the host (mode
/// 0), by the library's routines that get and set the handle's mode.
template <int (*Get)(void *, int *), int (*Set)(void *, int)>
class NumbersOnHost {
  void *h;
  int Mode = 0;

public:
  explicit NumbersOnHost(void *h) : h(h) {
    if (Get(h, &Mode) == 0 && Mode != 0)
      Set(h, 0);
  }
  NumbersOnHost(const NumbersOnHost &) = delete;
  ~NumbersOnHost() {
    if (Mode != 0)
      Set(h, Mode);
  }
};

/// Device memory of one step of the reverse sweep, which runs on the default
/// stream.
template <class T> class Room {
  rg_room R;

public:
  Room(int64_t Count, const char *Of)
      : R(rg_gpu_room((Count > 0 ? Count : 1) * sizeof(T), Of)) {}
  Room(const Room &) = delete;
  ~Room() { rg_gpu_room_back(R); }
  operator T *() const { return reinterpret_cast<T *>(R.at); }
};

/// The reverse of a call: on the device where the call ran, when all that was
/// given to devices before has run.
class ReverseStep {
  const char *Name;
  int Before;

public:
  ReverseStep(int Device, const char *Name) : Name(Name) {
    rg_gpu_wait(Name);
    Before = rg_gpu_enter(Device, Name);
  }
  ReverseStep(const ReverseStep &) = delete;
  ~ReverseStep() { rg_gpu_enter(Before, Name); }
};

/// One dimension of two arrays: how many elements, and how far apart they lie
/// in either.
struct Axis {
  int64_t Count, From, To;
};

/// To = b To + a From for all elements, one after the other where several of
/// them are the same one of To; a = 0 does not read From, b = 0 does not read
/// To. Axes are changed.
template <class T>
inline void mapAxes(T a, const T *From, T b, T *To, Axis *Axes, int Number,
                    void *Stream = nullptr) {
  // By how far apart they lie in To, without those of one element.
  int N = 0;
  for (int I = 0; I != Number; ++I) {
    if (Axes[I].Count <= 0)
      return;
    if (Axes[I].Count == 1)
      continue;
    Axis Next = Axes[I];
    int At = N++;
    for (; At && Axes[At - 1].To > Next.To; --At)
      Axes[At] = Axes[At - 1];
    Axes[At] = Next;
  }
  int Merged = 0;
  for (int I = 0; I != N; ++I) {
    Axis *Last = Merged ? &Axes[Merged - 1] : nullptr;
    if (Last && Axes[I].From == Last->From * Last->Count &&
        Axes[I].To == Last->To * Last->Count)
      Last->Count *= Axes[I].Count;
    else
      Axes[Merged++] = Axes[I];
  }
  N = Merged;
  // Two run at once, if what lies along them does not overlap; the longest.
  int First = -1, Second = -1;
  int64_t Reach = 0;
  for (int I = 0; I != N; ++I) {
    if (Axes[I].To > Reach) {
      if (First < 0 || Axes[I].Count > Axes[First].Count) {
        Second = First;
        First = I;
      } else if (Second < 0 || Axes[I].Count > Axes[Second].Count) {
        Second = I;
      }
    }
    Reach += (Axes[I].Count - 1) * Axes[I].To;
  }
  const Axis None = {1, 0, 0};
  Axis X = First < 0 ? None : Axes[First], Y = Second < 0 ? None : Axes[Second];
  rg_map M = {sizeof(T) == sizeof(double),
              a == 0 ? RG_MAP_ONE : RG_MAP_COPY,
              RG_ALL,
              0,
              X.Count,
              Y.Count,
              a,
              b,
              nullptr,
              nullptr,
              nullptr,
              X.From,
              Y.From,
              X.To,
              Y.To,
              0,
              0};
  int64_t At[8] = {};
  for (;;) {
    const T *A = From;
    T *B = To;
    for (int I = 0; I != N; ++I) {
      A += At[I] * Axes[I].From;
      B += At[I] * Axes[I].To;
    }
    M.A = A;
    M.B = B;
    rg_device_map(&M, Stream);
    int I = 0;
    for (; I != N; ++I) {
      if (I == First || I == Second)
        continue;
      if (++At[I] != Axes[I].Count)
        break;
      At[I] = 0;
    }
    if (I == N)
      return;
  }
}

} // namespace rg::device

#endif
