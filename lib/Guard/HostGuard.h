//===- HostGuard.h - the end of all guards --------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guard holds code at the start of LLVM's pipeline, in a form that LLVM
// leaves alone (each has a pass of its own, Pass/Pipelines.cpp says where), and
// is released when derivatives are made. Whatever way a module takes through
// DifferentiatePass, it ends here, so that no way forgets a guard. The rows are
// in Guards.def.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_HOSTGUARD_H
#define RETROGRAD_GUARD_HOSTGUARD_H

#include "Support/LinkStage.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {
struct Options;

enum class GuardUntil : uint8_t { Requests, Derivatives, Link };

/// A module in one stage, with the derivatives that were made of it.
struct GuardedModule {
  llvm::Module &M;
  llvm::ModuleAnalysisManager &MAM;
  const Options &Opts;
  LinkStage Stage;
  llvm::ArrayRef<llvm::Function *> Derivatives = {};

  /// No other unit can ask for derivatives of M's code.
  bool isLast() const { return Stage != LinkStage::BeforeLink; }
  bool isInLinker() const {
    return Stage == LinkStage::FullLink || Stage == LinkStage::ThinLink;
  }
};

/// Before derivative calls are read. Was anything held?
bool releaseForRequests(const GuardedModule &G);

/// When nothing more is differentiated in this stage. Was anything held?
bool releaseGuards(const GuardedModule &G);

} // namespace retrograd

#endif
