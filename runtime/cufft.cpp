/*===- cufft.cpp - cuFFT as operations ------------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A transform is linear. Its tangent is the same transform of the tangent; its
|* adjoint, since the library does not normalise, is
|*
|*   of complex to complex   the transform in the other direction
|*   of real to complex      adjoints of the half spectrum, zero where the other
|*                           half is, through a complex transform, the real part
|*   of complex to real      a real transform; columns that stand
|*                           for their mirror image, too, count
|*                           twice
|*
|* None of them reads primal values. A plan does not tell its sizes, so calls
|* that make plans are watched in all code (Pass/WatchedCalls), and what they
|* were given is noted here. Transforms of the reverse sweep have plans of ours,
|* on the default stream, which stay for the next call of the same sizes. See
|* docs/HostDevice.md.
\*===------------------------------------------------------------------------===*/
#include "devicearrays.h"

using namespace rg;
using namespace rg::device;

extern "C" {
void *rg_gpu_keep(void *p, uint64_t bytes);

int cufftPlan1d(int *, int, int, int);
int cufftPlan2d(int *, int, int, int);
int cufftPlan3d(int *, int, int, int, int);
int cufftPlanMany(int *, int, int *, int *, int, int, int *, int, int, int,
                  int);
int cufftCreate(int *);
int cufftSetStream(int, void *);
int cufftDestroy(int);
int cufftMakePlan1d(int, int, int, int, size_t *);
int cufftMakePlan2d(int, int, int, int, size_t *);
int cufftMakePlan3d(int, int, int, int, int, size_t *);
int cufftMakePlanMany(int, int, int *, int *, int, int, int *, int, int, int,
                      int, size_t *);
int cufftMakePlanMany64(int, int, long long *, long long *, long long,
                        long long, long long *, long long, long long, int,
                        long long, size_t *);
int cufftXtMakePlanMany(int, int, long long *, long long *, long long,
                        long long, int, long long *, long long, long long, int,
                        long long, size_t *, int);
int cufftExecC2C(int, float *, float *, int);
int cufftExecR2C(int, float *, float *);
int cufftExecC2R(int, float *, float *);
int cufftExecZ2Z(int, double *, double *, int);
int cufftExecD2Z(int, double *, double *);
int cufftExecZ2D(int, double *, double *);
}

namespace {
enum Kind { Complex = 1, ToComplex = 2, ToReal = 4 };
enum { Forward = -1, Inverse = 1 };
// The library's numbers of types: their low digit, and that of double.
enum { Single = 0x28, Double = 0x68 };
template <class T> int typeOf(int Kind) {
  return (sizeof(T) == sizeof(double) ? Double : Single) + Kind;
}

inline int execute(int Plan, int Kind, int Direction, double *In, double *Out) {
  return Kind == Complex     ? cufftExecZ2Z(Plan, In, Out, Direction)
         : Kind == ToComplex ? cufftExecD2Z(Plan, In, Out)
                             : cufftExecZ2D(Plan, In, Out);
}
inline int execute(int Plan, int Kind, int Direction, float *In, float *Out) {
  return Kind == Complex     ? cufftExecC2C(Plan, In, Out, Direction)
         : Kind == ToComplex ? cufftExecR2C(Plan, In, Out)
                             : cufftExecC2R(Plan, In, Out);
}
template <class T> const char *nameOf(int Kind) {
  bool D = sizeof(T) == sizeof(double);
  return Kind == Complex     ? D ? "cufftExecZ2Z" : "cufftExecC2C"
         : Kind == ToComplex ? D ? "cufftExecD2Z" : "cufftExecR2C"
         : D                 ? "cufftExecZ2D"
                             : "cufftExecC2R";
}

} // namespace

// Of types without a namespace: what is shared has linkage.
/// How one side of a transform lies in memory, in numbers of its own kind.
struct rg_cufft_layout {
  long long Embed[3];
  long long Stride, Distance;
};
/// What a plan was made with. Sizes from the outermost dimension to the
/// innermost.
struct rg_cufft_geometry {
  int Rank;
  /// Layouts are said; else elements are packed, and real rows of transforms in
  /// place padded.
  int Said;
  long long Size[3], Batch;
  rg_cufft_layout In, Out;
};
struct rg_cufft_plan {
  int Handle;
  rg_cufft_geometry G; ///< of no dimensions until it is known
  void *Stream;
  rg_cufft_plan *Next;
};
// Not static: routines are linked into a module one by one, and share them.
rg_cufft_plan *rg_cufft_plans;
int rg_cufft_lock;

namespace {
class Locked {
public:
  Locked() {
    while (__atomic_exchange_n(&rg_cufft_lock, 1, __ATOMIC_ACQUIRE))
      ;
  }
  ~Locked() { __atomic_store_n(&rg_cufft_lock, 0, __ATOMIC_RELEASE); }
};
} // namespace

namespace {
inline rg_cufft_plan *planOf(int Handle) {
  rg_cufft_plan *P;
  for (P = rg_cufft_plans; P && P->Handle != Handle; P = P->Next)
    ;
  if (P)
    return P;
  // Without memory an execution says that the plan is not known.
  if ((P = static_cast<rg_cufft_plan *>(calloc(1, sizeof *P)))) {
    P->Handle = Handle;
    P->Next = rg_cufft_plans;
    rg_cufft_plans = P;
  }
  return P;
}
} // namespace
extern "C" OPERATION void rg_cufft_note(int Handle,
                                        const rg_cufft_geometry *G) {
  Locked L;
  if (rg_cufft_plan *P = planOf(Handle))
    P->G = *G;
}
extern "C" OPERATION void rg_cufft_note_stream(int Handle, void *Stream) {
  Locked L;
  if (rg_cufft_plan *P = planOf(Handle))
    P->Stream = Stream;
}
extern "C" OPERATION void *rg_cufft_stream(int Handle) {
  Locked L;
  for (rg_cufft_plan *P = rg_cufft_plans; P; P = P->Next)
    if (P->Handle == Handle)
      return P->Stream;
  return nullptr;
}
/// Around a call that a graph makes again.
extern "C" OPERATION void rg_cufft_graph_enter(int Handle, void *Stream, int) {
  cufftSetStream(Handle, Stream);
}
extern "C" OPERATION void rg_cufft_graph_leave(int Handle) {
  cufftSetStream(Handle, rg_cufft_stream(Handle));
}
extern "C" OPERATION int rg_cufft_noted(int Handle, rg_cufft_geometry *G) {
  Locked L;
  for (rg_cufft_plan *P = rg_cufft_plans; P; P = P->Next)
    if (P->Handle == Handle)
      return *G = P->G, G->Rank != 0;
  return 0;
}

namespace {
template <class N>
inline void note(int Handle, int Rank, const N *Size, const N *InEmbed,
                 long long InStride, long long InDistance, const N *OutEmbed,
                 long long OutStride, long long OutDistance, long long Batch) {
  rg_cufft_geometry G;
  memset(&G, 0, sizeof G);
  G.Rank = Rank < 1 || Rank > 3 ? 0 : Rank;
  G.Said = InEmbed && OutEmbed;
  G.Batch = Batch;
  for (int I = 0; I != G.Rank; ++I) {
    G.Size[I] = Size[I];
    if (G.Said) {
      G.In.Embed[I] = InEmbed[I];
      G.Out.Embed[I] = OutEmbed[I];
    }
  }
  G.In.Stride = InStride;
  G.In.Distance = InDistance;
  G.Out.Stride = OutStride;
  G.Out.Distance = OutDistance;
  rg_cufft_note(Handle, &G);
}
inline void note(int Handle, int Rank, int X, int Y, int Z, int Batch) {
  const int Size[] = {X, Y, Z};
  note<int>(Handle, Rank, Size, nullptr, 0, 0, nullptr, 0, 0, Batch);
}

/// A handle that the library has just made: its stream is the default one.
inline int fresh(int Handle) {
  rg_cufft_note_stream(Handle, nullptr);
  return Handle;
}

/// One side of a transform of some kind.
struct Side {
  rg_cufft_geometry G;
  int Complex; ///< numbers are pairs
  long long Count[3];
  rg_cufft_layout At;

  Side(const rg_cufft_geometry &G, int Kind, bool Output, bool InPlace) : G(G) {
    Complex = !(Kind == (Output ? ToReal : ToComplex));
    int Last = G.Rank - 1;
    for (int I = 0; I != G.Rank; ++I)
      Count[I] = G.Size[I];
    if (Complex && Kind != ::Complex)
      Count[Last] = G.Size[Last] / 2 + 1;
    if (G.Said)
      At = Output ? G.Out : G.In;
    else
      pack(!Complex && InPlace ? 2 * (G.Size[Last] / 2 + 1) : Count[Last]);
  }
  /// Elements one after the other, rows of that length.
  void pack(long long Row) {
    long long All = 1;
    for (int I = 0; I != G.Rank; ++I)
      All *= At.Embed[I] = I == G.Rank - 1 ? Row : Count[I];
    At.Stride = 1;
    At.Distance = All;
  }
  long long step(int Dimension) const {
    long long S = At.Stride;
    for (int I = G.Rank - 1; I > Dimension; --I)
      S *= At.Embed[I];
    return S;
  }
  /// Numbers of type T from the first to the last.
  long long extent() const {
    long long Last = (G.Batch - 1) * At.Distance;
    for (int I = 0; I != G.Rank; ++I)
      Last += (Count[I] - 1) * step(I);
    return (Last + 1) * (1 + Complex);
  }
  long long elements() const {
    long long All = G.Batch;
    for (int I = 0; I != G.Rank; ++I)
      All *= Count[I];
    return All * (1 + Complex);
  }
};

/// To = b To + a From, where numbers are pairs on both sides, or From's are and
/// the real part is meant. Of the innermost dimension Count elements from
/// Begin.
template <class T>
inline void transfer(T a, const Side &Of, const T *From, T b, const Side &By,
                     T *To, long long Begin, long long Count) {
  Axis Axes[5];
  int N = 0, Last = Of.G.Rank - 1;
  int F = 1 + Of.Complex, B = 1 + By.Complex;
  if (By.Complex)
    Axes[N++] = {2, 1, 1};
  for (int I = 0; I <= Last; ++I)
    Axes[N++] = {I == Last ? Count : By.Count[I], Of.step(I) * F,
                 By.step(I) * B};
  Axes[N++] = {Of.G.Batch, Of.At.Distance * F, By.At.Distance * B};
  mapAxes(a, From + (From ? Begin * Of.step(Last) * F : 0), b,
          To + Begin * By.step(Last) * B, Axes, N);
}
template <class T> inline void clear(const Side &S, T *To) {
  transfer(T(0), S, (const T *)nullptr, T(0), S, To, 0, S.Count[S.G.Rank - 1]);
}
} // namespace

/// Plans of the reverse sweep, by what they were made for; the thread's.
struct rg_cufft_own {
  rg_cufft_geometry G;
  int Type, Device, Handle, Made;
};
enum { RG_CUFFT_OWN = 16 };
__thread rg_cufft_own rg_cufft_owns[RG_CUFFT_OWN];
__thread int rg_cufft_next;

extern "C" OPERATION int rg_cufft_plan_for(const rg_cufft_geometry *G, int Type,
                                           const char *Name) {
  int Device = rg_gpu_works();
  for (rg_cufft_own &O : rg_cufft_owns)
    if (O.Made && O.Type == Type && O.Device == Device &&
        !memcmp(&O.G, G, sizeof *G))
      return O.Handle;
  rg_cufft_own &O = rg_cufft_owns[rg_cufft_next];
  rg_cufft_next = (rg_cufft_next + 1) % RG_CUFFT_OWN;
  if (O.Made)
    cufftDestroy(O.Handle);
  O.G = *G;
  O.Type = Type;
  O.Device = Device;
  size_t Bytes;
  must(cufftCreate(&O.Handle), Name);
  must(cufftMakePlanMany64(O.Handle, G->Rank, O.G.Size, O.G.In.Embed,
                           G->In.Stride, G->In.Distance, O.G.Out.Embed,
                           G->Out.Stride, G->Out.Distance, Type, G->Batch,
                           &Bytes),
       Name);
  O.Made = 1;
  return O.Handle;
}

namespace {
/// A plan of the sizes of G between two layouts.
template <class T>
inline int planFor(const rg_cufft_geometry &G, int Kind,
                   const rg_cufft_layout &In, const rg_cufft_layout &Out) {
  rg_cufft_geometry Own = G;
  Own.Said = 1;
  Own.In = In;
  Own.Out = Out;
  return rg_cufft_plan_for(&Own, typeOf<T>(Kind), nameOf<T>(Kind));
}

template <class T>
inline void adjoint(const rg_cufft_geometry &G, int Kind, int Direction,
                    bool InPlace, T *InBar, T *OutBar) {
  const char *Name = nameOf<T>(Kind);
  Side In(G, Kind, false, InPlace), Out(G, Kind, true, InPlace);
  int Last = G.Rank - 1;
  if (!InBar)
    return clear(Out, OutBar);
  // What is added to the adjoint of the input, packed.
  Side Packed = Kind == ToComplex ? Side(G, Complex, true, false) : In;
  Packed.pack(Packed.Count[Last]);
  Room<T> Sum(Packed.elements(), Name);
  if (Kind == ToComplex) {
    clear(Packed, (T *)Sum);
    transfer(T(1), Out, (const T *)OutBar, T(0), Packed, (T *)Sum, 0,
             Out.Count[Last]);
    must(execute(planFor<T>(G, Complex, Packed.At, Packed.At), Complex, Inverse,
                 (T *)Sum, (T *)Sum),
         Name);
  } else if (Kind == Complex) {
    must(execute(planFor<T>(G, Complex, Out.At, Packed.At), Complex, -Direction,
                 OutBar, (T *)Sum),
         Name);
  } else {
    must(execute(planFor<T>(G, ToComplex, Out.At, Packed.At), ToComplex,
                 Forward, OutBar, (T *)Sum),
         Name);
  }
  clear(Out, OutBar);
  if (InPlace) // what lies between real rows is anything now
    clear(In, InBar);
  transfer(T(1), Packed, (const T *)(T *)Sum, T(1), In, InBar, 0,
           In.Count[Last]);
  if (Kind == ToReal) // columns without a mirror image of their own
    transfer(T(1), Packed, (const T *)(T *)Sum, T(1), In, InBar, 1,
             (G.Size[Last] - 1) / 2);
}

struct Kept {
  rg_cufft_geometry G;
  int Device, Status;
};

template <class T> inline rg_cufft_geometry known(int Plan, int Kind) {
  rg_cufft_geometry G;
  if (!rg_cufft_noted(Plan, &G))
    rg_gpu_library_refused(
        nameOf<T>(Kind),
        "with a plan of which it does not know the sizes: make it in code that "
        "Retrograd compiles, with at most three dimensions");
  return G;
}
/// In place, input and output are one memory with one shadow.
template <class T> inline T *inputOf(Dual<const T> &In, Dual<T> &Out) {
  return In.P == Out.P && Out.D ? Out.D : In.D;
}

template <class T>
inline void *augmentOn(rg_arena *Arena, int Plan, int Kind, int Direction,
                       const T *In, T *Out) {
  auto *K = static_cast<Kept *>(rg_tape_zalloc(Arena, sizeof(Kept)));
  K->Device = rg_gpu_works();
  K->G = known<T>(Plan, Kind);
  K->Status = execute(Plan, Kind, Direction, const_cast<T *>(In), Out);
  rg_gpu_set_library_status(K->Status);
  rg_gpu_hold();
  return K;
}
template <class T>
inline void reverseOn(uint64_t Lanes, void *Block, int Kind, int Direction,
                      Dual<const T> In, Dual<T> Out) {
  auto *K = static_cast<Kept *>(Block);
  if (!K->Status) {
    ReverseStep Step(K->Device, nameOf<T>(Kind));
    for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
      In.lane(Lane);
      Out.lane(Lane);
      if (Out.D)
        adjoint(K->G, Kind, Direction, In.P == Out.P, inputOf(In, Out), Out.D);
    }
  }
  rg_gpu_let_go();
}
template <class T>
inline void forwardOn(uint64_t Lanes, int Plan, int Kind, int Direction,
                      Dual<const T> In, Dual<T> Out) {
  rg_gpu_works();
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    In.lane(Lane);
    Out.lane(Lane);
    if (!Out.D)
      continue;
    if (T *Tangent = inputOf(In, Out)) {
      must(execute(Plan, Kind, Direction, Tangent, Out.D), nameOf<T>(Kind));
      continue;
    }
    rg_gpu_wait(nameOf<T>(Kind)); // for the plan's stream
    clear(Side(known<T>(Plan, Kind), Kind, true, In.P == Out.P), Out.D);
    rg_gpu_wait(nameOf<T>(Kind));
  }
  rg_gpu_set_library_status(
      execute(Plan, Kind, Direction, const_cast<T *>(In.P), Out.P));
}
} // namespace

extern "C" {
#define RG_TRANSFORM(T, Name)                                                  \
  OPERATION void Name(int Plan, int Kind, int Direction, const T *In,          \
                      T *Out) {                                                \
    rg_gpu_set_library_status(                                                 \
        execute(Plan, Kind, Direction, const_cast<T *>(In), Out));             \
  }                                                                            \
  void *Name##_augment(rg_arena *Arena, uint64_t, uint64_t, int Plan,          \
                       int Kind, int Direction, const T *In, T *Out) {         \
    return augmentOn(Arena, Plan, Kind, Direction, In, Out);                   \
  }                                                                            \
  void Name##_reverse(rg_arena *, uint64_t Lanes, void *Block, int, int Kind,  \
                      int Direction, const T *In, T *const *In_, T *Out,       \
                      T *const *Out_) {                                        \
    reverseOn<T>(Lanes, Block, Kind, Direction, {In, In_}, {Out, Out_});       \
  }                                                                            \
  void Name##_forward(uint64_t Lanes, int Plan, int Kind, int Direction,       \
                      const T *In, T *const *In_, T *Out, T *const *Out_) {    \
    forwardOn<T>(Lanes, Plan, Kind, Direction, {In, In_}, {Out, Out_});        \
  }
RG_TRANSFORM(double, rg_cufft_d)
RG_TRANSFORM(float, rg_cufft_s)

/// Numbers of either side from the first to the last, of both if they are one
/// memory: work in place may use what lies between real rows. 0 where the plan
/// is not known, which the transform says.
OPERATION uint64_t rg_cufft_extent(int Plan, int Kind, int Output,
                                   int InPlace) {
  rg_cufft_geometry G;
  if (!rg_cufft_noted(Plan, &G))
    return 0;
  uint64_t This = Side(G, Kind, Output, InPlace).extent(),
           Other = Side(G, Kind, !Output, InPlace).extent();
  return InPlace && Other > This ? Other : This;
}

//===-- Names
//---------------------------------------------------------------===//

#define RG_EXECUTE(Name, T, Operation, Kind, Direction, ...)                   \
  int rg_expand_cufftExec##Name(int Plan, T *In,                               \
                                T *Out __VA_OPT__(, ) __VA_ARGS__) {           \
    rg_gpu_keep(Out, rg_cufft_extent(Plan, Kind, 1, In == Out) * sizeof(T));   \
    if (Kind == ToReal && In != Out) /* the library may use it as it likes */  \
      rg_gpu_keep(In, rg_cufft_extent(Plan, Kind, 0, 0) * sizeof(T));          \
    Operation(Plan, Kind, Direction, In, Out);                                 \
    return rg_gpu_library_status();                                            \
  }
RG_EXECUTE(C2C, float, rg_cufft_s, Complex, direction, int direction)
RG_EXECUTE(Z2Z, double, rg_cufft_d, Complex, direction, int direction)
RG_EXECUTE(R2C, float, rg_cufft_s, ToComplex, Forward)
RG_EXECUTE(D2Z, double, rg_cufft_d, ToComplex, Forward)
RG_EXECUTE(C2R, float, rg_cufft_s, ToReal, Inverse)
RG_EXECUTE(Z2D, double, rg_cufft_d, ToReal, Inverse)

// Plans. The operation is inactive; the library's name is an expansion, so that
// it is watched.
#define RG_PLAN(Name, Parameters, Arguments, ...)                              \
  OPERATION int rg_cufft_##Name Parameters {                                   \
    int Status = cufft##Name Arguments;                                        \
    if (!Status)                                                               \
      note(__VA_ARGS__);                                                       \
    return Status;                                                             \
  }                                                                            \
  int rg_expand_cufft##Name Parameters { return rg_cufft_##Name Arguments; }
RG_PLAN(Plan1d, (int *plan, int nx, int type, int batch),
        (plan, nx, type, batch), fresh(*plan), 1, nx, 1, 1, batch)
RG_PLAN(Plan2d, (int *plan, int nx, int ny, int type), (plan, nx, ny, type),
        fresh(*plan), 2, nx, ny, 1, 1)
RG_PLAN(Plan3d, (int *plan, int nx, int ny, int nz, int type),
        (plan, nx, ny, nz, type), fresh(*plan), 3, nx, ny, nz, 1)
RG_PLAN(PlanMany,
        (int *plan, int rank, int *n, int *in, int istride, int idist, int *out,
         int ostride, int odist, int type, int batch),
        (plan, rank, n, in, istride, idist, out, ostride, odist, type, batch),
        fresh(*plan), rank, n, in, istride, idist, out, ostride, odist, batch)
RG_PLAN(Create, (int *plan), (plan), fresh(*plan), 0, 0, 0, 0, 0)
OPERATION int rg_cufft_SetStream(int plan, void *stream) {
  int Status = cufftSetStream(plan, stream);
  if (!Status)
    rg_cufft_note_stream(plan, stream);
  return Status;
}
int rg_expand_cufftSetStream(int plan, void *stream) {
  return rg_cufft_SetStream(plan, stream);
}
RG_PLAN(MakePlan1d, (int plan, int nx, int type, int batch, size_t *bytes),
        (plan, nx, type, batch, bytes), plan, 1, nx, 1, 1, batch)
RG_PLAN(MakePlan2d, (int plan, int nx, int ny, int type, size_t *bytes),
        (plan, nx, ny, type, bytes), plan, 2, nx, ny, 1, 1)
RG_PLAN(MakePlan3d, (int plan, int nx, int ny, int nz, int type, size_t *bytes),
        (plan, nx, ny, nz, type, bytes), plan, 3, nx, ny, nz, 1)
RG_PLAN(MakePlanMany,
        (int plan, int rank, int *n, int *in, int istride, int idist, int *out,
         int ostride, int odist, int type, int batch, size_t *bytes),
        (plan, rank, n, in, istride, idist, out, ostride, odist, type, batch,
         bytes),
        plan, rank, n, in, istride, idist, out, ostride, odist, batch)
RG_PLAN(MakePlanMany64,
        (int plan, int rank, long long *n, long long *in, long long istride,
         long long idist, long long *out, long long ostride, long long odist,
         int type, long long batch, size_t *bytes),
        (plan, rank, n, in, istride, idist, out, ostride, odist, type, batch,
         bytes),
        plan, rank, n, in, istride, idist, out, ostride, odist, batch)
RG_PLAN(XtMakePlanMany,
        (int plan, int rank, long long *n, long long *in, long long istride,
         long long idist, int itype, long long *out, long long ostride,
         long long odist, int otype, long long batch, size_t *bytes, int type),
        (plan, rank, n, in, istride, idist, itype, out, ostride, odist, otype,
         batch, bytes, type),
        plan, rank, n, in, istride, idist, out, ostride, odist, batch)
} // extern "C"
