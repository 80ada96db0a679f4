//===- EmitServices.h - what emission asks of its surroundings --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_EMITSERVICES_H
#define RETROGRAD_EMIT_EMITSERVICES_H

#include "Bitcode/RuntimeLibrary.h"
#include "Request/DerivativeRequest.h"
#include "llvm/IR/GlobalVariable.h"

namespace retrograd {
class Catalogue;

class EmitServices {
public:
  virtual ~EmitServices() = default;
  /// The derivative that answers R: declared, with a body now or later.
  virtual llvm::Function *derivative(const DerivativeRequest &R) = 0;
  /// Of a tangent sweep from a tape: the primal that writes the log of it.
  virtual llvm::Function *recorder(const DerivativeRequest &R) = 0;
  /// The shadow of a global variable for one lane, made on first use.
  virtual llvm::GlobalVariable *shadowOf(llvm::GlobalVariable &G,
                                         unsigned Lane) = 0;
  /// The shadow of a constant table of pointers: a constant, whose contents are
  /// `Shadows`.
  virtual llvm::GlobalVariable *shadowTable(llvm::GlobalVariable &G,
                                            llvm::Constant &Shadows) = 0;
  virtual RuntimeLibrary &runtime() = 0;
  virtual const Catalogue &catalogue() const = 0;
};

} // namespace retrograd

#endif
