//===- RequestTrail.h - who asked for this derivative -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trail leads from the user's entry call down through the calls whose callees
// have to be differentiated too. It is a value that copies what it needs: the
// instructions it tells of may live in prepared clones, inlined and deleted
// long before the diagnostic is written.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_DIAGNOSTICS_REQUESTTRAIL_H
#define RETROGRAD_DIAGNOSTICS_REQUESTTRAIL_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DiagnosticInfo.h"
#include <string>

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace retrograd {

/// The name of a function as the user wrote it: demangled, without parameter
/// list and without the prefixes and suffixes of our clones.
std::string userName(const llvm::Function &F);
std::string userName(llvm::StringRef SymbolName);

/// A place in the user's source, as far as the IR tells.
struct SourcePlace {
  /// From debug info (which our drivers always ask for, see
  /// Diagnostics/README.md).
  llvm::DiagnosticLocation Debug;
  /// Clang's own location of a call, from `!srcloc`; 0 if there is none.
  uint64_t Cookie = 0;
  /// The function around, demangled, and by its symbol.
  std::string Function;
  std::string Symbol;

  SourcePlace() = default;
  explicit SourcePlace(const llvm::Instruction &I);
  /// "file:line:column", or "" when unknown.
  std::string str() const;
};

class RequestTrail {
public:
  /// One call on the way: Callee is to be differentiated because of the call at
  /// Place.
  struct Step {
    std::string Callee;
    SourcePlace Place;
  };

  RequestTrail() = default;
  /// The start of a trail: the user's call asks for the derivative of Primal.
  RequestTrail(const llvm::Instruction &EntryCall,
               const llvm::Function *Primal);

  /// This trail, one call further down.
  RequestTrail through(const llvm::Instruction &Call,
                       const llvm::Function &Callee) const;
  RequestTrail through(const SourcePlace &Place,
                       const llvm::Function &Callee) const;

  bool empty() const { return Steps.empty(); }
  /// Steps[0] is the entry call.
  llvm::ArrayRef<Step> steps() const { return Steps; }

private:
  llvm::SmallVector<Step, 2> Steps;
};

} // namespace retrograd

#endif
