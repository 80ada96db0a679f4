//===- _native.cpp - calls of exported functions without ctypes -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry of a library that `retrograd export` made takes the addresses of its
// slots (tools/retrograd/ExportCommand.h). This module, made with nanobind,
// fills the slots from Python objects.
//
//   caller(...)(*args)   one function in one mode: value, gradient, both.
//                        Arguments that are not numbers or contiguous arrays of
//                        the exact type give NotImplemented: _function.py then
//                        converts them, or says what is wrong with them.
//   run(...)             any entry, all slots given as arrays.
//
// Arrays are taken through Python's buffer protocol and not through DLPack
// (nb::ndarray): it says whether an array may be written, refuses arrays of
// JAX, which must not be, and knows every type of NumPy. Nothing is copied.
//
// The interpreter's lock is released while native code runs. A caller does not
// change once it is made, so that threads may share it.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstring>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <vector>

namespace nb = nanobind;

namespace {

using Entry = int (*)(void *const *, const long long *, char *);

constexpr int MaxParameters = 24;
constexpr int MaxMessage = 256;

enum Mode { Value, Gradient, Both };

/// One parameter, as Python describes it.
struct Parameter {
  char Kind; ///< f, i, u: a floating-point number, a signed or unsigned
             ///< integer; ?: a truth value
  int Size;
  bool ByValue, ReadOnly, Active;
  Py_ssize_t Extent;
  nb::object Type; ///< of one element
};

using Described =
    std::tuple<char, int, bool, bool, bool, Py_ssize_t, nb::object>;

union Cell {
  double D;
  float F;
  int8_t I1;
  int16_t I2;
  int32_t I4;
  int64_t I8;
};

/// The memory of some Python objects, held until the end of a call.
template <int Most> class Memory {
  Py_buffer Held[Most];
  int Count = 0;

public:
  Memory() = default;
  Memory(const Memory &) = delete;
  ~Memory() {
    while (Count)
      PyBuffer_Release(&Held[--Count]);
  }

  /// Null, with Python's error set, if the object has no such memory.
  const Py_buffer *hold(nb::handle Object, int Flags) {
    Py_buffer *View = &Held[Count];
    if (PyObject_GetBuffer(Object.ptr(), View, Flags))
      return nullptr;
    ++Count;
    return View;
  }
};

/// Is a format of the buffer protocol this type? Only native order and one
/// letter; everything else is converted in Python.
bool hasFormat(const Py_buffer &View, const Parameter &P) {
  const char *Format = View.format;
  if (View.itemsize != P.Size || !Format || !Format[0] || Format[1])
    return false;
  switch (P.Kind) {
  case 'f':
    return std::strchr("fdg", Format[0]);
  case 'i':
    return std::strchr("bhilq", Format[0]);
  case 'u':
    return std::strchr("BHILQ", Format[0]);
  default:
    return Format[0] == P.Kind;
  }
}

void putFloating(Cell &To, int Size, double X) {
  if (Size == 4)
    To.F = float(X);
  else
    To.D = X;
}

/// As an object of NumPy's type.
nb::object getFloating(const Cell &From, int Size, const nb::object &Type) {
  return Type(Size == 4 ? double(From.F) : From.D);
}

void runEntry(Entry Run, void *const *Slots, const long long *Lengths,
              nb::handle Error, const nb::str &Name) {
  char Message[MaxMessage] = "";
  int Failed;
  {
    nb::gil_scoped_release Unlocked;
    Failed = Run(Slots, Lengths, Message);
  }
  if (!Failed)
    return;
  nb::object Text =
      nb::steal(PyUnicode_DecodeUTF8(Message, std::strlen(Message), "replace"));
  if (Text.is_valid())
    PyErr_SetObject(Error.ptr(), nb::str("{}: {}").format(Name, Text).ptr());
  throw nb::python_error();
}

/// What a module of NumPy gives.
struct NumPy {
  nb::object Zeros, Array, Floating, Integer;
};

class Caller {
public:
  Entry Run;
  Mode What;
  nb::str Name;
  nb::object Error;
  NumPy Numpy;
  std::optional<std::pair<int, nb::object>> Result; ///< its size and type
  std::vector<Parameter> Parameters;

  nb::object operator()(const nb::args &Args) const;

private:
  bool takeNumber(const Parameter &P, nb::handle Given, Cell &To) const;
  nb::object zerosLike(const Py_buffer &Like, const nb::object &Type) const;
};

/// False: it is no number that is taken here, and may be one for Python.
bool Caller::takeNumber(const Parameter &P, nb::handle Given, Cell &To) const {
  if (P.Kind == 'f') {
    if (!PyFloat_Check(Given.ptr()) && !PyLong_Check(Given.ptr()) &&
        PyObject_IsInstance(Given.ptr(), Numpy.Floating.ptr()) <= 0)
      return false;
    double X = PyFloat_AsDouble(Given.ptr());
    if (X == -1 && PyErr_Occurred())
      return false;
    putFloating(To, P.Size, X);
    return true;
  }
  if (!PyLong_Check(Given.ptr()) &&
      PyObject_IsInstance(Given.ptr(), Numpy.Integer.ptr()) <= 0)
    return false;
  nb::object Index = nb::steal(PyNumber_Index(Given.ptr()));
  if (!Index.is_valid())
    return false;
  int Overflow;
  long long X = PyLong_AsLongLongAndOverflow(Index.ptr(), &Overflow);
  if (Overflow || (X == -1 && PyErr_Occurred()) || (P.Kind != 'i' && X < 0))
    return false;
  if (P.Kind == '?') {
    To.I1 = int8_t(X);
    return X == 0 || X == 1;
  }
  // The same bits for signed and unsigned, if the range is right.
  if (P.Size < 8) {
    int Bits = 8 * P.Size - (P.Kind == 'i');
    if (X >= 1LL << Bits || X < -(1LL << Bits))
      return false;
  }
  switch (P.Size) {
  case 1:
    To.I1 = int8_t(X);
    return true;
  case 2:
    To.I2 = int16_t(X);
    return true;
  case 4:
    To.I4 = int32_t(X);
    return true;
  case 8:
    To.I8 = X;
    return true;
  default:
    return false;
  }
}

nb::object Caller::zerosLike(const Py_buffer &Like,
                             const nb::object &Type) const {
  nb::object Shape = nb::steal(PyTuple_New(Like.ndim));
  for (int I = 0; Shape.is_valid() && I < Like.ndim; ++I)
    PyTuple_SetItem(Shape.ptr(), I, PyLong_FromSsize_t(Like.shape[I]));
  if (!Shape.is_valid() || PyErr_Occurred())
    throw nb::python_error();
  return Numpy.Zeros(Shape, Type);
}

nb::object Caller::operator()(const nb::args &Args) const {
  const int Count = int(Parameters.size()), At = Result ? 1 : 0;
  const bool Derivative = What != Value;
  Cell Cells[MaxParameters + 1], Shadows[MaxParameters + 1];
  void *Slots[2 * MaxParameters + 2];
  long long Lengths[MaxParameters + 1];
  const Py_buffer *Inputs[MaxParameters];
  nb::object Copies[MaxParameters], Gradients[MaxParameters];
  const Py_buffer *Written[MaxParameters] = {}; ///< what is copied, as given
  bool Writes = false;
  Memory<3 * MaxParameters> Held; // released before the objects above
  // Python does what is left undone here, and raises what is to be raised.
  auto Other = [] {
    PyErr_Clear();
    return nb::borrow(Py_NotImplemented);
  };

  if (int(Args.size()) != Count)
    return Other();
  if (At) {
    Cells[MaxParameters].I8 = 0;
    Slots[0] = &Cells[MaxParameters];
    Lengths[0] = 1;
  }
  for (int I = 0; I < Count; ++I) {
    const Parameter &P = Parameters[I];
    nb::handle Given = Args[I];
    if (P.ByValue) {
      if (!takeNumber(P, Given, Cells[I]))
        return Other();
      Slots[At + I] = &Cells[I];
      Lengths[At + I] = 1;
      Inputs[I] = nullptr;
      continue;
    }
    int Flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
    if (!P.ReadOnly) {
      Flags |= PyBUF_WRITABLE;
      if (Derivative) {
        // The function writes to it, and a derivative leaves it as it is.
        if (!Given.type().is(Numpy.Array))
          return Other();
        Written[I] = Held.hold(Given, PyBUF_C_CONTIGUOUS);
        if (!Written[I])
          return Other();
        Writes = true;
        Copies[I] = Given.attr("copy")();
        Given = Copies[I];
      }
    }
    const Py_buffer *View = Held.hold(Given, Flags);
    if (!View)
      return Other();
    Inputs[I] = View;
    Slots[At + I] = View->buf;
    Lengths[At + I] = View->len / P.Size;
    if (!hasFormat(*View, P) || uintptr_t(View->buf) % P.Size ||
        (P.Extent && Lengths[At + I] != P.Extent))
      return Other();
  }

  // A derivative would see two arrays where the function sees one.
  auto Overlap = [](const Py_buffer &A, const Py_buffer &B) {
    auto Start = [](const Py_buffer &V) { return uintptr_t(V.buf); };
    return Start(A) < Start(B) + B.len && Start(B) < Start(A) + A.len;
  };
  for (int I = 0; Writes && I < Count; ++I)
    for (int J = 0; Written[I] && J < Count; ++J)
      if (const Py_buffer *B = Written[J] ? Written[J] : Inputs[J];
          B && J != I && Overlap(*Written[I], *B))
        return Other();

  if (Derivative) {
    int Shadow = At + Count;
    putFloating(Shadows[MaxParameters], Result->first, 1);
    Slots[Shadow++] = &Shadows[MaxParameters];
    for (int I = 0; I < Count; ++I) {
      const Parameter &P = Parameters[I];
      if (!P.Active)
        continue;
      if (P.ByValue) {
        Shadows[I].I8 = 0;
        Slots[Shadow++] = &Shadows[I];
        continue;
      }
      Gradients[I] = zerosLike(*Inputs[I], P.Type);
      const Py_buffer *View =
          Held.hold(Gradients[I], PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE);
      if (!View)
        throw nb::python_error();
      Slots[Shadow++] = View->buf;
    }
  }

  runEntry(Run, Slots, Lengths, Error, Name);

  if (!Derivative)
    return Result ? getFloating(Cells[MaxParameters], Result->first,
                                Result->second)
                  : nb::none();
  nb::object One;
  nb::list Several;
  int Actives = 0;
  for (const Parameter &P : Parameters)
    Actives += P.Active;
  for (int I = 0; I < Count; ++I) {
    const Parameter &P = Parameters[I];
    if (!P.Active)
      continue;
    One = P.ByValue ? getFloating(Shadows[I], P.Size, P.Type)
                    : std::move(Gradients[I]);
    if (Actives > 1)
      Several.append(One);
  }
  nb::object All = Actives > 1 ? nb::tuple(Several) : std::move(One);
  if (What == Gradient)
    return All;
  return nb::make_tuple(
      getFloating(Cells[MaxParameters], Result->first, Result->second), All);
}

/// A function of Python. `Numpy` is (zeros, ndarray, floating, integer).
nb::object
makeCaller(uintptr_t Run, int What, nb::str Name, nb::object Error,
           std::tuple<nb::object, nb::object, nb::object, nb::object> Numpy,
           std::optional<std::pair<int, nb::object>> Result,
           const std::vector<Described> &Parameters) {
  if (Parameters.size() > MaxParameters || (What != Value && !Result))
    throw nb::value_error("this function is called from Python");
  auto &[Zeros, Array, Floating, Integer] = Numpy;
  Caller Made{reinterpret_cast<Entry>(Run),
              Mode(What),
              std::move(Name),
              std::move(Error),
              {Zeros, Array, Floating, Integer},
              std::move(Result),
              {}};
  for (const auto &[Kind, Size, ByValue, ReadOnly, Active, Extent, Type] :
       Parameters)
    Made.Parameters.push_back(
        {Kind, Size, ByValue, ReadOnly, Active, Extent, Type});
  return nb::cpp_function(
      [Made = std::move(Made)](const nb::args &Args) { return Made(Args); });
}

/// Calls an entry. The first `Base` slots have lengths.
void run(uintptr_t Run, const nb::list &Arrays, size_t Base,
         const nb::str &Name, const nb::object &Error) {
  size_t Count = Arrays.size();
  if (Base > Count)
    throw nb::value_error("fewer slots than arguments");
  struct View : Py_buffer {
    View() : Py_buffer() {}
    ~View() { PyBuffer_Release(this); } // does nothing if it has no object
  };
  std::vector<View> Views(Count);
  std::vector<void *> Slots(Count);
  std::vector<long long> Lengths(Base);
  for (size_t I = 0; I < Count; ++I) {
    nb::object Array = Arrays[I];
    if (PyObject_GetBuffer(Array.ptr(), &Views[I], PyBUF_SIMPLE))
      throw nb::python_error();
    Slots[I] = Views[I].buf;
    if (I < Base)
      Lengths[I] = Views[I].len / Views[I].itemsize;
  }
  runEntry(reinterpret_cast<Entry>(Run), Slots.data(), Lengths.data(), Error,
           Name);
}

} // namespace

NB_MODULE(_native, Module) {
  Module.doc() = "Calls of exported functions without ctypes.";
  // Functions that a program keeps until its end are no mistake.
  nb::set_leak_warnings(false);
  Module.def("caller", makeCaller, nb::arg("entry"), nb::arg("mode"),
             nb::arg("name"), nb::arg("error"), nb::arg("numpy"),
             nb::arg("result").none(), nb::arg("parameters"));
  Module.def("run", run, nb::arg("entry"), nb::arg("slots"), nb::arg("base"),
             nb::arg("name"), nb::arg("error"));
}
