//===- Signature.h - a function of the user's file, as a check sees it ----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check needs of each parameter: how it is passed, what it is made of, and
// where in it the floating-point numbers lie. libclang answers all three, from
// the same flags that the program is compiled with. Numbers inside structs are
// described by their byte offset, so that the check can reach private members
// and needs no member names in the program that it generates.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_SIGNATURE_H
#define RETROGRAD_TOOLS_SIGNATURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace retrograd {

/// What a number is, once typedefs are seen through.
enum class NumberKind { Float, Double, LongDouble, Integer };

/// One number inside an element of a parameter: of a double it is the only one,
/// of a struct there is one for each member that holds a number.
struct Leaf {
  std::string Path; ///< ".mass", ".x[1]"; empty for a plain number
  NumberKind Kind;
  uint64_t Offset = 0; ///< bytes from the start of the element
  std::string Type;    ///< "double", "unsigned char": to read and write it
};

enum class Passing {
  Value,     ///< f(double x)
  Pointer,   ///< f(double *x), f(const struct body *b)
  Reference, ///< f(double &x), f(const Body &b)
  Vector,    ///< f(const std::vector<double> &x), also by pointer
  Span,      ///< f(std::span<const double> x)
  Eigen      ///< f(const Eigen::VectorXd &x), Eigen::Ref and Eigen::Map, too
};

/// Who reads a signature: what a check cannot fill with random numbers may
/// still be called from other languages.
enum class Reader {
  Check, ///< retrograd check and grad
  Export ///< retrograd export: spans, Eigen vectors, structs by value, kernels
};

struct Parameter {
  std::string Name;     ///< as written, or "argument2"
  std::string Spelling; ///< the type as written, for messages and casts
  std::string Element;  ///< the type of one element, without const
  Passing How = Passing::Value;
  bool ByPointer = false; ///< for Vector: `std::vector<double> *`
  bool ReadOnly = false;  ///< what it refers to is const
  uint64_t ElementBytes = 0;
  std::vector<Leaf> Leaves;
  std::string View;    ///< for Vector, Span and Eigen: the class, to construct
  uint64_t Extent = 0; ///< its number of elements, if that is fixed
  std::string Length;  ///< as the source says it: "n", "3*n"; Fortran only
  bool WriteOnly = false; ///< the source says so: intent(out); Fortran only

  bool isIntegerValue() const {
    return How == Passing::Value && Leaves.size() == 1 &&
           Leaves[0].Kind == NumberKind::Integer;
  }
  /// Has a number that can have a derivative.
  bool isFloating() const {
    for (const Leaf &L : Leaves)
      if (L.Kind != NumberKind::Integer)
        return true;
    return false;
  }
};

struct Signature {
  std::string Name;        ///< qualified, as a C++ program would call it
  std::string Declaration; ///< "double f(const double *x, int n)"
  std::string PointerType; ///< "double (*)(const double *, int)"
  std::string Result;      ///< "void" or the floating type returned
  bool CPlusPlus = false;
  bool OnDevice = false; ///< a __device__ function: called from a kernel
  bool Kernel = false;   ///< a __global__ function: launched
  bool Fortran = false;  ///< called by its bind(C) name, which is Name
  std::vector<Parameter> Parameters;
};

/// The signature of Function in File, which is compiled with Flags. The error
/// says what is unsupported, or missing, and what to do about it.
llvm::Expected<Signature> readSignature(const std::string &File,
                                        const std::string &Function,
                                        llvm::ArrayRef<std::string> Flags,
                                        Reader For = Reader::Check);

/// The same for a bind(C) procedure of a Fortran file, from the symbols that
/// flang lists.
llvm::Expected<Signature>
readFortranSignature(const std::string &File, const std::string &Procedure,
                     llvm::ArrayRef<std::string> Flags);

/// The files that flang reads of a Fortran file: itself, what it includes, and
/// the module files that it uses.
llvm::Expected<std::vector<std::string>>
fortranInputs(const std::string &File, llvm::ArrayRef<std::string> Flags);

} // namespace retrograd

#endif
