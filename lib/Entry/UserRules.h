//===- UserRules.h - the catalogue of one module ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The catalogue's records, and in front of them what the user registered for
// functions of this module. Whoever asks the catalogue sees no difference.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_USERRULES_H
#define RETROGRAD_ENTRY_USERRULES_H

#include "Catalogue/Catalogue.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "llvm/IR/PassManager.h"
#include <deque>

namespace retrograd {

class ModuleCatalogue {
public:
  /// Reads the registrations of M; diagnoses those that mean nothing.
  ModuleCatalogue(llvm::Module &M, DiagnosticEngine &Diags);

  Catalogue &get() { return Cat; }
  /// Functions without a body of which nothing is known are inactive from now
  /// on.
  void silenceUnknown(llvm::Module &M);
  /// For collectEntryCalls: has F a record?
  bool operator()(const llvm::Function &F) const {
    return Cat.lookupFunction(F);
  }

private:
  Catalogue Cat;
  std::deque<GivenDerivatives> Given;
  std::deque<llvm::SmallVector<unsigned, 1>> SizeArgs;
};

} // namespace retrograd

#endif
