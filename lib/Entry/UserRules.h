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

/// Functions of which the user said something are kept apart from their
/// callers: a rule for a function that was inlined is a rule for nothing, and
/// so is one for a function that is known to return its argument. Until
/// releaseRules they count as functions that another definition may replace.
/// What says it is kept, too. For the start of the pipeline.
class KeepRulesPass : public llvm::PassInfoMixin<KeepRulesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

/// Gives the functions of KeepRulesPass back what they were; if a link follows
/// (not Last), those only whose names other units must not see.
void releaseRules(llvm::Module &M, bool Last);

/// Removes what was kept for the sake of derivatives, now that they are made.
void removeKept(llvm::Module &M);

} // namespace retrograd

#endif
