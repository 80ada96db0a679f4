//===- RuleEmitter.h - derivatives that call what a rule gives --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the functions that answer a request (DerivativeRequest.h) for a primal
// that has a rule: small adapters between our conventions and those of the
// rule's functions. Callers see a derivative like any other.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_RULEEMITTER_H
#define RETROGRAD_EMIT_RULEEMITTER_H

#include "Catalogue/Catalogue.h"
#include "Request/DerivativeRequest.h"

namespace retrograd {
class RuntimeLibrary;

/// Fills the declared functions: Made answers R, which is Forward or Augment,
/// and Sweep its reverse half. Rule is the record of R.Primal, of class Rule,
/// and has functions for this mode. False if a runtime rule's function is
/// missing or does not have the prototype that its record asks for.
bool emitRule(const DerivativeRequest &R, const OperationRecord &Rule,
              llvm::Function &Made, llvm::Function *Sweep,
              RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
