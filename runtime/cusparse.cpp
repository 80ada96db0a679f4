/*===- cusparse.cpp - cuSPARSE as operations ------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Products of a sparse matrix with a vector or a dense matrix,
|*
|*   C = a op(A) op(B) + b C
|*
|* A descriptor of the library hides the pointer to the numbers, and with it the
|* shadow. So a descriptor of the program's is a box of ours: the pointer, which
|* derivatives follow as any pointer in memory, and what the library made
|* (Described). All code that Retrograd compiles makes boxes
|* (Pass/WatchedCalls), and hands other routines of the library what is in them.
|*
|* Adjoints are sums over the elements of A, one kernel (rg_device_sparse) for
|* all formats and layouts, so the reverse sweep needs no descriptors, no handle
|* and no buffer:
|*
|*   A_ij += a sum_c C_ic op(B)_jc      op(B)_jc += a A_ij C_ic
|*
|* See docs/HostDevice.md.
\*===------------------------------------------------------------------------===*/
#include "devicearrays.h"

using namespace rg;
using namespace rg::device;

extern "C" {
void *rg_gpu_keep(void *p, uint64_t bytes);
void *rg_gpu_copy(void *to, const void *from, uint64_t bytes, int kind);

int cusparseGetPointerMode(void *, int *);
int cusparseSetPointerMode(void *, int);
int cusparseGetStream(void *, void **);
int cusparseSetStream(void *, void *);
void *rg_graph_alloc(uint64_t bytes);
void rg_graph_at_end(void (*give_up)(void *), void *what);
int cusparseCreateCsr(void **, int64_t, int64_t, int64_t, void *, void *,
                      void *, int, int, int, int);
int cusparseCreateCsc(void **, int64_t, int64_t, int64_t, void *, void *,
                      void *, int, int, int, int);
int cusparseCreateCoo(void **, int64_t, int64_t, int64_t, void *, void *,
                      void *, int, int, int);
int cusparseCreateDnVec(void **, int64_t, void *, int);
int cusparseCreateDnMat(void **, int64_t, int64_t, int64_t, void *, int, int);
int cusparseDestroySpMat(void *);
int cusparseDestroyDnVec(void *);
int cusparseDestroyDnMat(void *);
int cusparseSpMatSetValues(void *, void *);
int cusparseDnVecSetValues(void *, void *);
int cusparseDnMatSetValues(void *, void *);
int cusparseCsrSetPointers(void *, void *, void *, void *);
int cusparseCscSetPointers(void *, void *, void *, void *);
int cusparseCooSetPointers(void *, void *, void *, void *);
int cusparseSpMV(void *, int, const void *, void *, void *, const void *,
                 void *, int, int, void *);
int cusparseSpMV_bufferSize(void *, int, const void *, void *, void *,
                            const void *, void *, int, int, size_t *);
int cusparseSpMV_preprocess(void *, int, const void *, void *, void *,
                            const void *, void *, int, int, void *)
    __attribute__((weak));
int cusparseSpMM(void *, int, int, const void *, void *, void *, const void *,
                 void *, int, int, void *);
int cusparseSpMM_bufferSize(void *, int, int, const void *, void *, void *,
                            const void *, void *, int, int, size_t *);
int cusparseSpMM_preprocess(void *, int, int, const void *, void *, void *,
                            const void *, void *, int, int, void *);
}

/// What a descriptor describes, but for its numbers.
struct rg_described {
  void *of; ///< the library's descriptor
  int What, Type;
  int64_t Rows, Cols;
  // Of a sparse matrix.
  int64_t Elements;
  const void *Offsets, *Indices;
  int OffsetType, IndexType, Base;
  // Of a dense one, in numbers.
  int64_t RowStep, ColStep;
};
/// Around a call that a graph makes again: what the handle was set to.
struct rg_cusparse_setting {
  void *stream;
  int mode;
};
__thread rg_cusparse_setting rg_cusparse_before;
extern "C" OPERATION void rg_cusparse_graph_enter(void *h, void *Stream,
                                                  int OnHost) {
  cusparseGetStream(h, &rg_cusparse_before.stream);
  cusparseGetPointerMode(h, &rg_cusparse_before.mode);
  cusparseSetStream(h, Stream);
  cusparseSetPointerMode(h, OnHost ? 0 : 1);
}
extern "C" OPERATION void rg_cusparse_graph_leave(void *h) {
  cusparseSetStream(h, rg_cusparse_before.stream);
  cusparseSetPointerMode(h, rg_cusparse_before.mode);
}
/// What a program has for a descriptor.
struct rg_box {
  rg_described *described;
  void *values;
};

namespace {
enum What { Csr = 1, Csc = 2, Coo = 3, Vector, Matrix };
enum { Float = 0, Double = 1 };
enum { Wide = 3 };
enum { ByColumn = 1, ByRow = 2 };
enum { OnHost = 0 };
enum { DeviceToHost = 2 };
} // namespace

//===-- Boxes
//---------------------------------------------------------------===//

// Not static: routines are linked into a module one by one, and share them.
enum { RG_CUSPARSE_PLACES = 256 };
struct rg_known {
  const void *box;
  void *of;
  rg_known *next;
};
rg_known *rg_cusparse_known[RG_CUSPARSE_PLACES];
int rg_cusparse_lock;

namespace {
class Locked {
public:
  Locked() {
    while (__atomic_exchange_n(&rg_cusparse_lock, 1, __ATOMIC_ACQUIRE))
      ;
  }
  ~Locked() { __atomic_store_n(&rg_cusparse_lock, 0, __ATOMIC_RELEASE); }
};
inline rg_known **placeOf(const void *Box) {
  uint64_t N = reinterpret_cast<uint64_t>(Box);
  rg_known **At = &rg_cusparse_known[(N >> 4 ^ N >> 12) % RG_CUSPARSE_PLACES];
  while (*At && (*At)->box != Box)
    At = &(*At)->next;
  return At;
}
} // namespace

extern "C" {
/// The box is one from now on.
OPERATION void rg_cusparse_enter(const void *Box, void *Of) {
  auto *K = static_cast<rg_known *>(malloc(sizeof(rg_known)));
  if (!K)
    rg_gpu_library_failed("cusparseCreate", 2);
  Locked L;
  rg_known **At = placeOf(Box);
  *K = {Box, Of, *At};
  *At = K;
}
OPERATION void rg_cusparse_leave(const void *Box) {
  Locked L;
  rg_known **At = placeOf(Box);
  if (rg_known *K = *At) {
    *At = K->next;
    free(K);
  }
}
/// What the library knows: for its other routines. Other pointers stay as they
/// are.
OPERATION void *rg_cusparse_plain(void *Box) {
  Locked L;
  rg_known **At = placeOf(Box);
  return *At ? (*At)->of : Box;
}
OPERATION void rg_cusparse_ours(const void *Box, const char *Routine) {
  {
    Locked L;
    if (*placeOf(Box))
      return;
  }
  rg_gpu_library_refused(Routine, "with a descriptor that was not made in code "
                                  "which Retrograd compiles, or is destroyed");
}
} // extern "C"

//===-- What the library makes
//----------------------------------------------===//

namespace {
inline rg_described *described(int What, int64_t Rows, int64_t Cols, int Type) {
  auto *D = static_cast<rg_described *>(calloc(1, sizeof(rg_described)));
  if (!D)
    rg_gpu_library_failed("cusparseCreate", 2);
  D->What = What;
  D->Rows = Rows;
  D->Cols = Cols;
  D->Type = Type;
  return D;
}
inline bool isDense(const rg_described &D) { return D.What >= Vector; }
/// From the first number to the last.
inline uint64_t numbers(const rg_described &D) {
  if (!isDense(D))
    return D.Elements;
  return D.Rows > 0 && D.Cols > 0
             ? (D.Rows - 1) * D.RowStep + (D.Cols - 1) * D.ColStep + 1
             : 0;
}
inline uint64_t sizeOf(int IndexType) { return IndexType == Wide ? 8 : 4; }
} // namespace

extern "C" {
/// Type: of numbers. Of a matrix by coordinates, Offsets are the rows.
OPERATION void *rg_cusparse_matrix(int What, int64_t Rows, int64_t Cols,
                                   int64_t Elements, void *Offsets,
                                   void *Indices, void *Values, int OffsetType,
                                   int IndexType, int Base, int Type) {
  rg_described *D = described(What, Rows, Cols, Type);
  D->Elements = Elements;
  D->Offsets = Offsets;
  D->Indices = Indices;
  D->OffsetType = OffsetType;
  D->IndexType = IndexType;
  D->Base = Base;
  rg_gpu_set_library_status(
      What == Csr
          ? cusparseCreateCsr(&D->of, Rows, Cols, Elements, Offsets, Indices,
                              Values, OffsetType, IndexType, Base, Type)
      : What == Csc
          ? cusparseCreateCsc(&D->of, Rows, Cols, Elements, Offsets, Indices,
                              Values, OffsetType, IndexType, Base, Type)
          : cusparseCreateCoo(&D->of, Rows, Cols, Elements, Offsets, Indices,
                              Values, IndexType, Base, Type));
  return D;
}
OPERATION void *rg_cusparse_vector(int64_t Size, void *Values, int Type) {
  rg_described *D = described(Vector, Size, 1, Type);
  D->RowStep = 1;
  rg_gpu_set_library_status(cusparseCreateDnVec(&D->of, Size, Values, Type));
  return D;
}
OPERATION void *rg_cusparse_dense(int64_t Rows, int64_t Cols, int64_t ld,
                                  void *Values, int Type, int Order) {
  rg_described *D = described(Matrix, Rows, Cols, Type);
  D->RowStep = Order == ByColumn ? 1 : ld;
  D->ColStep = Order == ByColumn ? ld : 1;
  rg_gpu_set_library_status(
      cusparseCreateDnMat(&D->of, Rows, Cols, ld, Values, Type, Order));
  return D;
}
OPERATION void *rg_cusparse_of(void *Described) {
  return static_cast<rg_described *>(Described)->of;
}
OPERATION int rg_cusparse_destroy(void *Described) {
  auto *D = static_cast<rg_described *>(Described);
  int Status = D->What == Vector   ? cusparseDestroyDnVec(D->of)
               : D->What == Matrix ? cusparseDestroyDnMat(D->of)
                                   : cusparseDestroySpMat(D->of);
  free(D);
  return Status;
}
OPERATION int rg_cusparse_numbers_are(void *Described, void *Values) {
  auto *D = static_cast<rg_described *>(Described);
  return D->What == Vector   ? cusparseDnVecSetValues(D->of, Values)
         : D->What == Matrix ? cusparseDnMatSetValues(D->of, Values)
                             : cusparseSpMatSetValues(D->of, Values);
}
OPERATION int rg_cusparse_pointers_are(void *Described, void *Offsets,
                                       void *Indices, void *Values) {
  auto *D = static_cast<rg_described *>(Described);
  D->Offsets = Offsets;
  D->Indices = Indices;
  return D->What == Csr
             ? cusparseCsrSetPointers(D->of, Offsets, Indices, Values)
         : D->What == Csc
             ? cusparseCscSetPointers(D->of, Offsets, Indices, Values)
             : cusparseCooSetPointers(D->of, Offsets, Indices, Values);
}
OPERATION uint64_t rg_cusparse_numbers(const void *Described) {
  return numbers(*static_cast<const rg_described *>(Described));
}
/// All numbers are of one type, which is that of the sum: float or double.
OPERATION void rg_cusparse_types(const void *A, const void *B, const void *C,
                                 int Type, const char *Routine) {
  const void *All[] = {A, B, C};
  for (const void *D : All)
    if (static_cast<const rg_described *>(D)->Type != Type ||
        (Type != Float && Type != Double))
      rg_gpu_library_failed(Routine, -1);
}
OPERATION int rg_cusparse_on_host(void *h) {
  int Mode = OnHost;
  cusparseGetPointerMode(h, &Mode);
  return Mode == OnHost;
}
OPERATION void *rg_cusparse_stream(void *h) {
  void *Stream = nullptr;
  cusparseGetStream(h, &Stream);
  return Stream;
}
/// Another one of the same, which the program does not change.
OPERATION void *rg_cusparse_again(const void *Described, void *Values) {
  auto &D = *static_cast<const rg_described *>(Described);
  if (D.What == Vector)
    return rg_cusparse_vector(D.Rows, Values, D.Type);
  if (D.What == Matrix) {
    bool Rows = D.RowStep != 1 || (D.ColStep == 1 && D.Rows > 1);
    return rg_cusparse_dense(D.Rows, D.Cols, Rows ? D.RowStep : D.ColStep,
                             Values, D.Type, Rows ? ByRow : ByColumn);
  }
  return rg_cusparse_matrix(D.What, D.Rows, D.Cols, D.Elements,
                            const_cast<void *>(D.Offsets),
                            const_cast<void *>(D.Indices), Values, D.OffsetType,
                            D.IndexType, D.Base, D.Type);
}
OPERATION void rg_cusparse_graph_over(void *Box) {
  rg_cusparse_leave(Box);
  rg_cusparse_destroy(static_cast<rg_box *>(Box)->described);
}
OPERATION void rg_cusparse_of_graph(void *Box, void *Described) {
  rg_cusparse_enter(Box, static_cast<rg_described *>(Described)->of);
  rg_graph_at_end(rg_cusparse_graph_over, Box);
}
/// Of the numbers of a product of that type.
long rg_expand_cusparse_number_bytes(int Type) {
  return Type == Double ? 8 : 4;
}
/// The buffer that a product wants, or its preparation there.
OPERATION int rg_cusparse_prepare(void *h, int ta, int tb, const void *a,
                                  void *A, void *B, const void *b, void *C,
                                  int Type, int Algorithm, size_t *Bytes,
                                  void *Buffer) {
  auto *X = static_cast<rg_described *>(A), *Y = static_cast<rg_described *>(B),
       *Z = static_cast<rg_described *>(C);
  if (Z->What == Vector)
    return Bytes ? cusparseSpMV_bufferSize(h, ta, a, X->of, Y->of, b, Z->of,
                                           Type, Algorithm, Bytes)
                 : cusparseSpMV_preprocess(h, ta, a, X->of, Y->of, b, Z->of,
                                           Type, Algorithm, Buffer);
  return Bytes ? cusparseSpMM_bufferSize(h, ta, tb, a, X->of, Y->of, b, Z->of,
                                         Type, Algorithm, Bytes)
               : cusparseSpMM_preprocess(h, ta, tb, a, X->of, Y->of, b, Z->of,
                                         Type, Algorithm, Buffer);
}
} // extern "C"

//===-- Products
//------------------------------------------------------------===//

namespace {
using HostNumbers =
    rg::device::NumbersOnHost<cusparseGetPointerMode, cusparseSetPointerMode>;

struct Kept {
  uint64_t Active;
  int Device, Status;
  rg_described A, B, C;
  rg_room Values, Dense, Old, Offsets, Indices;
};
/// A copy, where the book of device memory cannot have it back in place.
inline rg_room copied(const void *P, uint64_t Bytes) {
  rg_gpu_wait("cuSPARSE"); // for other streams
  rg_room R = rg_gpu_room(Bytes + 1, "cuSPARSE");
  if (Bytes)
    rg_gpu_copy(R.at, P, Bytes, 4);
  return R;
}
inline void in(rg_room &R, const void *P, uint64_t Bytes) {
  if (Bytes && !rg_gpu_reads(P))
    R = copied(P, Bytes);
}
template <class T> inline const T *was(const rg_room &R, const T *P) {
  return R.at ? reinterpret_cast<const T *>(R.at) : P;
}

/// A dense operand: by the rows and columns of op of it.
template <class T> struct View {
  T *P;
  int64_t Row, Col, Cols;
  View(T *P, const rg_described &D, int Transposed = 0)
      : P(P), Row(Transposed ? D.ColStep : D.RowStep),
        Col(Transposed ? D.RowStep : D.ColStep),
        Cols(Transposed ? D.Rows : D.Cols) {}
};

/// Numbers of the device on the host.
template <class T> class OnTheHost {
  T *P;

public:
  OnTheHost(const T *From, uint64_t Count)
      : P(static_cast<T *>(malloc((Count + 1) * sizeof(T)))) {
    if (!P)
      rg_gpu_library_failed("cuSPARSE", 2);
    if (Count)
      rg_gpu_copy(P, From, Count * sizeof(T), DeviceToHost);
  }
  OnTheHost(const OnTheHost &) = delete;
  ~OnTheHost() { free(P); }
  T operator[](uint64_t I) const { return P[I]; }
};

template <class T> struct Product {
  void *h;
  int ta, tb;
  Scalar<T> a;
  const rg_described *A;
  Dual<const T> v;
  const rg_described *B;
  Dual<const T> x;
  Scalar<T> b;
  const rg_described *C;
  Dual<T> y;
  int Algorithm;
  void *Buffer;

  template <class F> void each(F f) {
    f(3, a);
    f(5, v);
    f(7, x);
    f(8, b);
    f(10, y);
  }
  const char *name() const {
    return C->What == Vector ? "cusparseSpMV" : "cusparseSpMM";
  }
  int primal() const {
    HostNumbers Mode(h);
    int Type = sizeof(T) == sizeof(double) ? Double : Float;
    return C->What == Vector ? cusparseSpMV(h, ta, &a.P, A->of, B->of, &b.P,
                                            C->of, Type, Algorithm, Buffer)
                             : cusparseSpMM(h, ta, tb, &a.P, A->of, B->of, &b.P,
                                            C->of, Type, Algorithm, Buffer);
  }
  rg_sparse sum(int What, T f, const rg_described &A) const {
    rg_sparse S;
    memset(&S, 0, sizeof S);
    S.is_double = sizeof(T) == sizeof(double);
    S.what = What;
    S.format = A.What;
    S.wide_offsets = A.OffsetType == Wide;
    S.wide_indices = A.IndexType == Wide;
    S.base = A.Base;
    S.swap = ta != 0;
    S.lines = A.What == Csc ? A.Cols : A.Rows;
    S.elements = A.Elements;
    S.a = f;
    S.offsets = A.Offsets;
    S.indices = A.Indices;
    return S;
  }
  /// To += f (element) From, over the elements of op(A), by rows of it or, with
  /// Back, by columns.
  void scatter(T f, const rg_described &A, const T *Values, View<const T> From,
               View<T> To, bool Back, void *Stream) const {
    rg_sparse S = sum(RG_SPARSE_SCATTER, f, A);
    S.swap ^= Back;
    S.values = Values;
    S.X = From.P;
    S.x0 = From.Row;
    S.x1 = From.Col;
    S.out = To.P;
    S.o0 = To.Row;
    S.o1 = To.Col;
    S.columns = To.Cols;
    rg_device_sparse(&S, Stream);
  }
  /// Element += f sum of Rows times Cols.
  void elements(T f, const rg_described &A, View<const T> Rows,
                View<const T> Cols, T *To) const {
    rg_sparse S = sum(RG_SPARSE_VALUES, f, A);
    S.X = Cols.P;
    S.x0 = Cols.Row;
    S.x1 = Cols.Col;
    S.Y = Rows.P;
    S.y0 = Rows.Row;
    S.y1 = Rows.Col;
    S.out = To;
    S.columns = Rows.Cols;
    rg_device_sparse(&S, nullptr);
  }
  /// To = f From + g To.
  void dense(T f, const T *From, T g, T *To, const rg_described &C,
             void *Stream) const {
    Axis Axes[] = {{C.Rows, C.RowStep, C.RowStep},
                   {C.Cols, C.ColStep, C.ColStep}};
    mapAxes(f, From, g, To, Axes, 2, Stream);
  }

  void tangent(void *Stream) const {
    if (!y.active())
      return;
    if (b.P != 1)
      dense(b.P, y.D, T(0), y.D, *C, Stream);
    if (b.Active && b.D != 0)
      dense(b.D, y.P, T(1), y.D, *C, Stream);
    View<T> Y(y.D, *C);
    View<const T> X(x.P, *B, tb);
    if (x.active())
      scatter(a.P, *A, v.P, View<const T>(x.D, *B, tb), Y, false, Stream);
    if (v.active())
      scatter(a.P, *A, v.D, X, Y, false, Stream);
    if (a.Active)
      scatter(a.D, *A, v.P, X, Y, false, Stream);
  }

  void keep(Kept &K) const {
    K.A = *A;
    K.B = *B;
    K.C = *C;
    if (!y.Active)
      return;
    if (b.Active)
      K.Old = copied(y.P, numbers(*C) * sizeof(T));
    if (!a.Active && !v.Active && !x.Active)
      return;
    if (x.Active || a.Active)
      in(K.Values, v.P, numbers(*A) * sizeof(T));
    if (v.Active || a.Active)
      in(K.Dense, x.P, numbers(*B) * sizeof(T));
    in(K.Indices, A->Indices, A->Elements * sizeOf(A->IndexType));
    in(K.Offsets, A->Offsets,
       (A->What == Coo   ? A->Elements
        : A->What == Csc ? A->Cols + 1
                         : A->Rows + 1) *
           sizeOf(A->OffsetType));
  }
  void reverse(const Kept &K) {
    if (!y.active())
      return;
    rg_described Then = K.A;
    Then.Offsets = was(K.Offsets, (const char *)Then.Offsets);
    Then.Indices = was(K.Indices, (const char *)Then.Indices);
    const T *V = was(K.Values, v.P);
    View<const T> X(was(K.Dense, x.P), K.B, tb), Y(y.D, K.C);
    if (a.Active) {
      uint64_t N = Then.Elements;
      Room<T> Parts(N, name());
      Axis All = {(int64_t)N, 1, 1};
      mapAxes(T(0), (const T *)nullptr, T(0), (T *)Parts, &All, 1);
      elements(T(1), Then, Y, X, Parts);
      OnTheHost<T> P(Parts, N), Q(V, N);
      for (uint64_t I = 0; I != N; ++I)
        a.D += P[I] * Q[I];
    }
    if (b.Active) {
      uint64_t N = numbers(K.C);
      OnTheHost<T> P(y.D, N), Q(was(K.Old, (const T *)nullptr), N);
      for (int64_t I = 0; I < K.C.Rows; ++I)
        for (int64_t J = 0; J < K.C.Cols; ++J) {
          uint64_t At = I * K.C.RowStep + J * K.C.ColStep;
          b.D += P[At] * Q[At];
        }
    }
    if (v.active())
      elements(a.P, Then, Y, X, v.D);
    if (x.active())
      scatter(a.P, Then, V, Y, View<T>(x.D, K.B, tb), true, nullptr);
    if (b.P != 1)
      dense(b.P, y.D, T(0), y.D, K.C, nullptr);
  }
};

template <class T>
inline void *augmentOn(rg_arena *Arena, uint64_t Active, Product<T> P) {
  activate(P, Active);
  auto *K = static_cast<Kept *>(rg_tape_zalloc(Arena, sizeof(Kept)));
  K->Active = Active;
  K->Device = rg_gpu_works();
  P.keep(*K);
  K->Status = P.primal();
  rg_gpu_set_library_status(K->Status);
  rg_gpu_hold();
  return K;
}
template <class T>
inline void reverseOn(uint64_t Lanes, void *Block, Product<T> P) {
  auto *K = static_cast<Kept *>(Block);
  P.C = &K->C;
  if (!K->Status) {
    ReverseStep Step(K->Device, P.name());
    activate(P, K->Active);
    for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
      selectLane(P, Lane);
      P.reverse(*K);
      P.each([&](int, auto &Operand) { Operand.leave(Lane); });
    }
  }
  rg_room *Rooms[] = {&K->Values, &K->Dense, &K->Old, &K->Offsets, &K->Indices};
  for (rg_room *R : Rooms)
    if (R->at)
      rg_gpu_room_back(*R);
  rg_gpu_let_go();
}
template <class T> inline void forwardOn(uint64_t Lanes, Product<T> P) {
  void *Stream = nullptr;
  cusparseGetStream(P.h, &Stream);
  rg_gpu_works();
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    selectLane(P, Lane);
    P.tangent(Stream);
  }
  rg_gpu_set_library_status(P.primal());
}
template <class T> inline T number(void *h, const void *p) {
  if (rg_cusparse_on_host(h))
    return *static_cast<const T *>(p);
  T Value;
  rg_gpu_copy(&Value, p, sizeof Value, DeviceToHost);
  return Value;
}
inline int status() { return rg_gpu_library_status(); }
} // namespace

extern "C" {
#define RG_ALONE(X) X
#define RG_WITH_SHADOW(X) {X, X##_}
/// The product of the routine's parameters, of which Given makes operands.
#define RG_PRODUCT_OF(T, Given)                                                \
  (Product<T>{h, ta, tb, Given(a), (const rg_described *)A, Given(v),          \
              (const rg_described *)B, Given(x), Given(b),                     \
              (const rg_described *)C, Given(y), Algorithm, Buffer})
#define RG_PRODUCT(T, Name)                                                    \
  OPERATION void Name(void *h, int ta, int tb, T a, const void *A, const T *v, \
                      const void *B, const T *x, T b, const void *C, T *y,     \
                      int Algorithm, void *Buffer) {                           \
    rg_gpu_set_library_status(RG_PRODUCT_OF(T, RG_ALONE).primal());            \
  }                                                                            \
  void *Name##_augment(rg_arena *Arena, uint64_t Active, uint64_t, void *h,    \
                       int ta, int tb, T a, const void *A, const T *v,         \
                       const void *B, const T *x, T b, const void *C, T *y,    \
                       int Algorithm, void *Buffer) {                          \
    return augmentOn(Arena, Active, RG_PRODUCT_OF(T, RG_ALONE));               \
  }                                                                            \
  void Name##_reverse(rg_arena *, uint64_t Lanes, void *Block, void *h,        \
                      int ta, int tb, T a, T *a_, const void *A, const T *v,   \
                      T *const *v_, const void *B, const T *x, T *const *x_,   \
                      T b, T *b_, const void *C, T *y, T *const *y_,           \
                      int Algorithm, void *Buffer) {                           \
    reverseOn(Lanes, Block, RG_PRODUCT_OF(T, RG_WITH_SHADOW));                 \
  }                                                                            \
  void Name##_forward(uint64_t Lanes, void *h, int ta, int tb, T a, T *a_,     \
                      const void *A, const T *v, T *const *v_, const void *B,  \
                      const T *x, T *const *x_, T b, T *b_, const void *C,     \
                      T *y, T *const *y_, int Algorithm, void *Buffer) {       \
    forwardOn(Lanes, RG_PRODUCT_OF(T, RG_WITH_SHADOW));                        \
  }
RG_PRODUCT(double, rg_cusparse_d)
RG_PRODUCT(float, rg_cusparse_s)

//===-- Names
//---------------------------------------------------------------===//

static inline int make(void **To, void *Described, void *Values) {
  auto *Box = static_cast<rg_box *>(malloc(sizeof(rg_box)));
  Box->described = static_cast<rg_described *>(Described);
  Box->values = Values;
  rg_cusparse_enter(Box, rg_cusparse_of(Described));
  *To = Box;
  return status();
}
#define RG_COMPRESSED(Name, What)                                              \
  int rg_expand_cusparseCreate##Name(                                          \
      void **To, int64_t Rows, int64_t Cols, int64_t Elements, void *Offsets,  \
      void *Indices, void *Values, int OffsetType, int IndexType, int Base,    \
      int Type) {                                                              \
    return make(To,                                                            \
                rg_cusparse_matrix(What, Rows, Cols, Elements, Offsets,        \
                                   Indices, Values, OffsetType, IndexType,     \
                                   Base, Type),                                \
                Values);                                                       \
  }
RG_COMPRESSED(Csr, Csr)
RG_COMPRESSED(ConstCsr, Csr)
RG_COMPRESSED(Csc, Csc)
RG_COMPRESSED(ConstCsc, Csc)
#define RG_COORDINATES(Name)                                                   \
  int rg_expand_cusparseCreate##Name(                                          \
      void **To, int64_t Rows, int64_t Cols, int64_t Elements, void *OfRows,   \
      void *OfCols, void *Values, int IndexType, int Base, int Type) {         \
    return make(To,                                                            \
                rg_cusparse_matrix(Coo, Rows, Cols, Elements, OfRows, OfCols,  \
                                   Values, IndexType, IndexType, Base, Type),  \
                Values);                                                       \
  }
RG_COORDINATES(Coo)
RG_COORDINATES(ConstCoo)
#define RG_DENSE(Const)                                                        \
  int rg_expand_cusparseCreate##Const##DnVec(void **To, int64_t Size,          \
                                             void *Values, int Type) {         \
    return make(To, rg_cusparse_vector(Size, Values, Type), Values);           \
  }                                                                            \
  int rg_expand_cusparseCreate##Const##DnMat(                                  \
      void **To, int64_t Rows, int64_t Cols, int64_t ld, void *Values,         \
      int Type, int Order) {                                                   \
    return make(To, rg_cusparse_dense(Rows, Cols, ld, Values, Type, Order),    \
                Values);                                                       \
  }
RG_DENSE()
RG_DENSE(Const)

#define RG_DESCRIPTOR(Name)                                                    \
  int rg_expand_cusparseDestroy##Name(rg_box *Box) {                           \
    if (!Box)                                                                  \
      return 0;                                                                \
    rg_cusparse_ours(Box, "cusparseDestroy" #Name);                            \
    rg_cusparse_leave(Box);                                                    \
    int Status = rg_cusparse_destroy(Box->described);                          \
    free(Box);                                                                 \
    return Status;                                                             \
  }                                                                            \
  int rg_expand_cusparse##Name##SetValues(rg_box *Box, void *Values) {         \
    rg_cusparse_ours(Box, "cusparse" #Name "SetValues");                       \
    Box->values = Values;                                                      \
    return rg_cusparse_numbers_are(Box->described, Values);                    \
  }                                                                            \
  int rg_expand_cusparse##Name##GetValues(rg_box *Box, void **Values) {        \
    rg_cusparse_ours(Box, "cusparse" #Name "GetValues");                       \
    *Values = Box->values;                                                     \
    return 0;                                                                  \
  }
RG_DESCRIPTOR(SpMat)
RG_DESCRIPTOR(DnVec)
RG_DESCRIPTOR(DnMat)
#define RG_POINTERS(Name)                                                      \
  int rg_expand_cusparse##Name##SetPointers(rg_box *Box, void *Offsets,        \
                                            void *Indices, void *Values) {     \
    rg_cusparse_ours(Box, "cusparse" #Name "SetPointers");                     \
    Box->values = Values;                                                      \
    return rg_cusparse_pointers_are(Box->described, Offsets, Indices, Values); \
  }
RG_POINTERS(Csr)
RG_POINTERS(Csc)
RG_POINTERS(Coo)

/// What a graph has for a descriptor.
rg_box *rg_expand_cusparse_captured(rg_box *Box) {
  rg_cusparse_ours(Box, "cuSPARSE, in a stream that is captured,");
  auto *Own = static_cast<rg_box *>(rg_graph_alloc(sizeof(rg_box)));
  Own->described = static_cast<rg_described *>(
      rg_cusparse_again(Box->described, Box->values));
  Own->values = Box->values;
  rg_cusparse_of_graph(Own, Own->described);
  return Own;
}

static inline int product(void *h, int ta, int tb, const void *a, rg_box *A,
                          rg_box *B, const void *b, rg_box *C, int Type,
                          int Algorithm, void *Buffer, const char *Routine) {
  rg_cusparse_ours(A, Routine);
  rg_cusparse_ours(B, Routine);
  rg_cusparse_ours(C, Routine);
  rg_cusparse_types(A->described, B->described, C->described, Type, Routine);
  uint64_t Count = rg_cusparse_numbers(C->described);
  if (Type == Double) {
    rg_gpu_keep(C->values, Count * sizeof(double));
    rg_cusparse_d(h, ta, tb, number<double>(h, a), A->described,
                  (const double *)A->values, B->described,
                  (const double *)B->values, number<double>(h, b), C->described,
                  (double *)C->values, Algorithm, Buffer);
  } else {
    rg_gpu_keep(C->values, Count * sizeof(float));
    rg_cusparse_s(h, ta, tb, number<float>(h, a), A->described,
                  (const float *)A->values, B->described,
                  (const float *)B->values, number<float>(h, b), C->described,
                  (float *)C->values, Algorithm, Buffer);
  }
  return status();
}
int rg_expand_cusparseSpMV(void *h, int t, const void *a, rg_box *A, rg_box *x,
                           const void *b, rg_box *y, int Type, int Algorithm,
                           void *Buffer) {
  return product(h, t, 0, a, A, x, b, y, Type, Algorithm, Buffer,
                 "cusparseSpMV");
}
int rg_expand_cusparseSpMM(void *h, int ta, int tb, const void *a, rg_box *A,
                           rg_box *B, const void *b, rg_box *C, int Type,
                           int Algorithm, void *Buffer) {
  return product(h, ta, tb, a, A, B, b, C, Type, Algorithm, Buffer,
                 "cusparseSpMM");
}

static inline int prepare(void *h, int ta, int tb, const void *a, rg_box *A,
                          rg_box *B, const void *b, rg_box *C, int Type,
                          int Algorithm, size_t *Bytes, void *Buffer,
                          const char *Routine) {
  rg_cusparse_ours(A, Routine);
  rg_cusparse_ours(B, Routine);
  rg_cusparse_ours(C, Routine);
  return rg_cusparse_prepare(h, ta, tb, a, A->described, B->described, b,
                             C->described, Type, Algorithm, Bytes, Buffer);
}
int rg_expand_cusparseSpMV_bufferSize(void *h, int t, const void *a, rg_box *A,
                                      rg_box *x, const void *b, rg_box *y,
                                      int Type, int Algorithm, size_t *Bytes) {
  return prepare(h, t, 0, a, A, x, b, y, Type, Algorithm, Bytes, nullptr,
                 "cusparseSpMV_bufferSize");
}
int rg_expand_cusparseSpMV_preprocess(void *h, int t, const void *a, rg_box *A,
                                      rg_box *x, const void *b, rg_box *y,
                                      int Type, int Algorithm, void *Buffer) {
  return prepare(h, t, 0, a, A, x, b, y, Type, Algorithm, nullptr, Buffer,
                 "cusparseSpMV_preprocess");
}
int rg_expand_cusparseSpMM_bufferSize(void *h, int ta, int tb, const void *a,
                                      rg_box *A, rg_box *B, const void *b,
                                      rg_box *C, int Type, int Algorithm,
                                      size_t *Bytes) {
  return prepare(h, ta, tb, a, A, B, b, C, Type, Algorithm, Bytes, nullptr,
                 "cusparseSpMM_bufferSize");
}
int rg_expand_cusparseSpMM_preprocess(void *h, int ta, int tb, const void *a,
                                      rg_box *A, rg_box *B, const void *b,
                                      rg_box *C, int Type, int Algorithm,
                                      void *Buffer) {
  return prepare(h, ta, tb, a, A, B, b, C, Type, Algorithm, nullptr, Buffer,
                 "cusparseSpMM_preprocess");
}
} // extern "C"
