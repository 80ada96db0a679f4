//===- CheckCalls.h - the calls in a check's program ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first part of the program of a check: what is written for the signature
// of the function, its types, its arguments as variables, and the calls of the
// primal and of its derivatives, on the host or in kernels. The rest of the
// program knows these by five functions: rg_primal, rg_reverse, rg_forward,
// rg_reverse_value and rg_forward_value.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_CHECKCALLS_H
#define RETROGRAD_TOOLS_CHECKCALLS_H

#include "CheckProgram.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace retrograd {

/// What the program says about one parameter, in the pieces that calls need.
class ParameterText {
public:
  ParameterText(const Parameter &P, size_t Index)
      : P(P), Name("rg_" + std::to_string(Index)) {}

  std::string value() const { return Name; }
  std::string shadow() const { return Name + "_shadow"; }
  /// The type that a variable, or a parameter of an entry call, has.
  std::string variable() const {
    switch (P.How) {
    case Passing::Value:
      return P.Element;
    case Passing::Pointer:
    case Passing::Reference:
      return "rg_type_" + Name.substr(3) + " *";
    case Passing::Vector:
      return "std::vector<" + P.Element + "> *";
    case Passing::Span:
    case Passing::Eigen:
      break;
    }
    llvm_unreachable("Reader::Check admits no other way of passing");
  }
  /// As an argument of a plain call of f.
  std::string argument() const {
    switch (P.How) {
    case Passing::Value:
      return Name;
    case Passing::Pointer:
      return Name;
    case Passing::Reference:
      return P.Spelling.find("&&") == std::string::npos
                 ? "*" + Name
                 : "static_cast<" + P.Spelling + ">(*" + Name + ")";
    case Passing::Vector:
      return P.ByPointer ? Name : "*" + Name;
    case Passing::Span:
    case Passing::Eigen:
      break;
    }
    llvm_unreachable("Reader::Check admits no other way of passing");
  }
  std::string data(bool Shadow) const {
    std::string V = Shadow ? shadow() : value();
    if (P.How == Passing::Value)
      return "(char *)&" + V;
    return P.How == Passing::Vector ? "(char *)" + V + "->data()"
                                    : "(char *)" + V;
  }

private:
  const Parameter &P;
  std::string Name;
};

/// The calls of derivatives: their texts, and the types that they return.
struct Entries {
  std::vector<size_t> Scalars; ///< parameters whose adjoints are returned
  std::string Adjoints, Reverse, Forward; ///< Adjoints: what Reverse returns
  std::string ReverseValue,
      ForwardValue; ///< with the primal's result, in a struct before the others
};

bool isActive(const Parameter &P, const CheckSettings &S);

/// The user's file, and the C library.
void emitHead(llvm::raw_ostream &OS, const std::string &File);

void emitMarkersAndTypes(llvm::raw_ostream &OS, const Signature &F);

/// Declares the entry call `Entry` with exact types, so that no argument is
/// promoted on its way, and returns the text of a call of it.
std::string emitEntry(llvm::raw_ostream &OS, const Signature &F,
                      const CheckSettings &S, llvm::StringRef Entry,
                      bool Reverse, llvm::StringRef Result,
                      bool Primal = false);

/// The struct of adjoints that reverse mode returns, by the rule of the entry
/// calls: nothing for none, the number itself for one.
std::string emitAdjointType(llvm::raw_ostream &OS, const Signature &F,
                            const CheckSettings &S,
                            std::vector<size_t> &Scalars);

/// Replaces F by a sum of two calls of it with different weights. A rule that
/// forgets its seed, or that overwrites a shadow instead of adding to it,
/// agrees with differences of F alone, whose seed is 1 and whose shadows start
/// as zero.
void emitTwice(llvm::raw_ostream &OS, Signature &F);

Entries emitEntries(llvm::raw_ostream &OS, const Signature &F,
                    const CheckSettings &S);

/// The function, and its derivatives unless only decisions are traced.
void emitHostCalls(llvm::raw_ostream &OS, const Signature &F,
                   const CheckSettings &S, const Entries &E);

/// The same for a __device__ function: kernels call it, or its derivative, in
/// all threads of the launch. The results of the threads are added up by the
/// host; so are their adjoints of numbers by value. All memory is managed, so
/// the host's part of the program need not know where it is.
void emitKernels(llvm::raw_ostream &OS, const Signature &F,
                 const CheckSettings &S, const Entries &E);

/// In place of derivatives where only decisions are traced.
extern const char *const WithoutDerivatives;

/// The part that is the same in all programs: walks the table of numbers, and
/// writes what CheckProgram.h describes.
extern const char *const CheckWalk;

} // namespace retrograd

#endif
