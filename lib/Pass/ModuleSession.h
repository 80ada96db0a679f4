//===- ModuleSession.h - one module and its requests ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all work on one module shares: diagnostics, options, the catalogue with
// the user's own records; and the one way from the module to its derivative
// calls. The pass, the printers and the decision whether a unit waits for its
// link take it, so that all of them see the same calls of the same functions.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_MODULESESSION_H
#define RETROGRAD_PASS_MODULESESSION_H

#include "Diagnostics/DiagnosticEngine.h"
#include "Entry/UserRules.h"
#include "Request/EntryCalls.h"
#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

class ModuleSession {
public:
  ModuleSession(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                const Options &Opts, DiagnosticEngine::Voice How);
  ModuleSession(const ModuleSession &) = delete;

  /// Brings the module's own calls (hints, folds, precision, views) into the
  /// form that derivatives are made of, and decodes its derivative calls. Once;
  /// changes the module.
  EntryCalls requests();
  /// Replaces views. Those that lead to derivative calls wait, unless this is
  /// the last time.
  void lowerViews(bool Last);
  /// What the command line says and we do not do.
  void reportOptions();
  /// Takes back what requests() marked for analyses alone, and tells what there
  /// is to tell. The last call.
  void finish();

  llvm::Module &module() { return M; }
  const Options &options() const { return Opts; }
  DiagnosticEngine &diagnostics() { return Diags; }
  Catalogue &catalogue() { return Cat.get(); }

private:
  llvm::Module &M;
  llvm::ModuleAnalysisManager &MAM;
  const Options Opts;
  DiagnosticEngine Diags;
  ModuleCatalogue Cat;
};

/// Entry N, and the later ones with an equal request: those share a derivative,
/// and what is known of its arguments.
llvm::SmallVector<const EntryCall *, 4> alike(llvm::ArrayRef<EntryCall> Calls,
                                              size_t N);

} // namespace retrograd

#endif
