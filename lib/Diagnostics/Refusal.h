//===- Refusal.h - a derivative that cannot be made -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses and plans do not talk to the user. What they cannot do they return
// as a Refusal; the pass reports it with the trail from the user's call.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_DIAGNOSTICS_REFUSAL_H
#define RETROGRAD_DIAGNOSTICS_REFUSAL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Instruction.h"
#include <string>

namespace retrograd {

enum class RefusalKind : uint8_t {
  NoBody,            ///< active call of a function without body or rule
  RuleWithoutResult, ///< its rule does not return the result, which is used
  RuleOfOneLane,     ///< its rule cannot be used for several lanes
  RuleOfOtherMode, ///< its rule is for forward or reverse mode only, and it has
                   ///< no body
  IndirectCall,    ///< active call through a pointer
  InlineAsm,       ///< active inline assembly
  UnknownType,     ///< bytes copied whose type matters and is not known
  Format,          ///< numbers read as another floating-point format
  Instruction,     ///< no rule for the instruction
  Unshadowed,      ///< active store to memory whose shadow nobody gave
  NoErrorBound,    ///< an estimate of rounding errors meets what has none
  ExceptionPath,   ///< an active call's exception is caught and goes on
  VarArg,          ///< active variadic arguments
  Device,     ///< what threads of a GPU do together, or an operation of its own
  Threads,    ///< what threads of the host do together
  Launch,     ///< of a kernel, or memory that kernels see
  Seed,       ///< whose adjoints cannot be left as they are
  FromTape,   ///< forward mode cannot repeat it from a tape
  Memory,     ///< more tape than -rg-memory allows
  ControlFlow ///< indirectbr and the like
};

struct Refusal {
  RefusalKind Kind;
  const llvm::Instruction *At;
  /// What the message names: a function, an instruction, bytes.
  std::string Detail;
  /// A copy of bytes of unknown type, which the running program could make.
  bool MayMoveBytes = false;
};

enum class DiagId : uint16_t;
struct DiagArg;
/// Tells the message of R. Forward: the mode that was asked for.
void tell(const Refusal &R, bool Forward,
          llvm::function_ref<void(DiagId, llvm::ArrayRef<DiagArg>)> Tell);

} // namespace retrograd

#endif
