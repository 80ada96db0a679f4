//===- RuleSignature.h - what the functions of a rule take and give -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule gives the derivatives of a function as functions. What these take and
// return follows from the primal's prototype and leaves them some freedom (with
// or without a tape, with or without the primal result); here their prototypes
// are read against the primal's. docs/CustomRules.md has the conventions.
//
// Results are described as they lie in memory ("image"), since C passes small
// structs in registers in ways that the IR no longer tells apart.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_RULESIGNATURE_H
#define RETROGRAD_REQUEST_RULESIGNATURE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include <optional>
#include <string>

namespace retrograd {

/// What one parameter of a rule's function is given.
struct RuleOperand {
  enum Kind : uint8_t {
    Primal,      ///< parameter Param of the primal
    Shadow,      ///< its shadow (pointer), its tangent (number, forward)
    Seed,        ///< adjoint of the result (or of its member Param)
    Tape,        ///< bytes of the tape from Offset on
    ResultMemory ///< where the result goes
  } K = Primal;
  unsigned Param = 0;
  uint64_t Offset = 0;
};

/// One function of a rule.
struct RuleFunction {
  llvm::Function *F = nullptr;
  /// One per parameter of F.
  llvm::SmallVector<RuleOperand, 8> Operands;
  /// The type of the result's image; null if there is none.
  llvm::Type *Image = nullptr;
  /// Where in the image: the primal result, and its shadow or tangent.
  std::optional<uint64_t> PrimalAt, ShadowAt;
  /// Where in the image: adjoints of parameters.
  llvm::SmallVector<std::pair<unsigned, uint64_t>, 4> Adjoints;

  explicit operator bool() const { return F; }
};

struct RuleSignature {
  llvm::Function *Primal = nullptr;
  RuleFunction Augment, Reverse, Forward;
  /// Gives the tape of Forward, if that takes one.
  RuleFunction ForwardAugment;
  /// The tape of Reverse, the first bytes of Augment's image; and that of
  /// Forward.
  uint64_t TapeBytes = 0, ForwardTapeBytes = 0;
};

/// A function of a rule that is not what the convention asks for.
struct RuleMismatch {
  llvm::Function *F;
  /// As a C prototype.
  std::string Expected;
};

/// Whether any rule could be written for a function of F's type; if not, why.
const char *cannotHaveRule(const llvm::Function &F);

/// Reads a pair or a single function of a user's rule for S.Primal into S.
std::optional<RuleMismatch> readReverseRule(RuleSignature &S,
                                            llvm::Function &Augment,
                                            llvm::Function &Reverse);
/// Augment is null unless this is a split forward rule.
std::optional<RuleMismatch> readForwardRule(RuleSignature &S,
                                            llvm::Function *Augment,
                                            llvm::Function &Forward);

} // namespace retrograd

#endif
