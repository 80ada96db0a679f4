//===- DerivativeRequest.h - what is to be differentiated, and how --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is a value: function, mode, and the activity of each argument.
// Equal requests have one derivative, made once and shared by all callers.
//
// Conventions of the functions that answer a request. For each parameter `a` of
// the primal, in order, "a [, a.sh]" means `a`, followed by its shadow (same
// type) when its activity is Dup or DupNoNeed.
//
//   Forward       ret (a [, a.t] ...)       {primal?, tangent?}
//                 the tangent of a Dup scalar or the shadow of a Dup pointer
//                 follows its primal
//   ReverseJoint  ret (a [, a.sh] ... [, seed])
//                                           {primal?, adj(a) for each Out a}
//                 seed, of the primal's return type, only when ActiveReturn
//   Augment       ret (a [, a.sh] ...)      {ptr tape, primal?, shadow of ret?}
//   Sweep         ret (ptr tape [, seed])   {adj(a) for each Out a}
//                 with UserBytes: ret (ptr tape [, a.sh] ... [, seed])
//                 with ArgsAgain: ret (ptr tape, a [, a.sh] ... [, seed]), for
//                 integers and pointers
//   Forward, FromTape: ret (ptr tape, a [, a.t] ...)   {primal?, tangent?}
//                 the tangents of a run that an Augment with FromTape made.
//                 Only shadows are read and written: all else is on the tape
//   Augment, FromTape: ret (a ...)          {ptr tape, primal?}
//   Batch         ret (a ...)               {primal}
//                 not a derivative: Width evaluations of the primal. A Const
//                 parameter is one value for all of them, a Dup one Width
//                 values
//
// Lanes. A request of width N asks for N derivatives of one evaluation of the
// primal. Everything above that belongs to the derivative (a.sh, a.t, seed,
// tangent, adj(a), shadow of ret) is then N values in a row, one per lane,
// where one stands here. The primal and the tape are there once.
//
// The result is always a literal struct of the present members in that order;
// an empty one is void. `primal?` is there when ReturnPrimal (and not void),
// `shadow of ret?` when ShadowReturn.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_DERIVATIVEREQUEST_H
#define RETROGRAD_REQUEST_DERIVATIVEREQUEST_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace retrograd {

enum class DerivativeMode : uint8_t {
  Forward,      ///< primal and tangent in one sweep
  ReverseJoint, ///< primal sweep and reverse sweep in one function
  Augment,      ///< primal sweep of split reverse mode; returns the tape
  Sweep,        ///< reverse sweep of split reverse mode; consumes the tape
  Batch         ///< no derivative: the primal at several arguments
};

enum class ArgActivity : uint8_t {
  Const,    ///< inactive
  Out,      ///< active by value; its adjoint is returned (reverse only)
  Dup,      ///< primal and shadow
  DupNoNeed ///< as Dup, and the caller does not read the primal result
};

struct DerivativeRequest {
  /// The function as the user wrote it (not the prepared clone).
  llvm::Function *Primal = nullptr;
  DerivativeMode Mode = DerivativeMode::ReverseJoint;
  /// One per parameter of Primal.
  llvm::SmallVector<ArgActivity, 8> Args;
  /// ReverseJoint: parameters, of those that are DupNoNeed, whose shadows are
  /// only read (docs/Seeds.md).
  llvm::SmallVector<unsigned, 2> Seeds;
  /// The result's tangent is wanted (Forward) or its adjoint is given (others).
  bool ActiveReturn = false;
  /// The primal result is part of the derivative's result.
  bool ReturnPrimal = false;
  /// The primal's result holds pointers, and their shadow is part of the
  /// result.
  bool ShadowReturn = false;
  /// Lanes: derivatives computed together; see the head.
  unsigned Width = 1;
  /// Forward: tangents are sets of bits, and the derivative of an operation is
  /// the union of its operands' sets; see docs/Sparse.md.
  bool Dependencies = false;

  /// Forward: shadows hold bounds of rounding errors instead of tangents
  /// (lib/Emit/README.md).
  bool ErrorEstimate = false;
  /// Augment, Sweep: the user keeps the tape, so that it may be swept again
  /// (docs/SplitMode.md).
  bool ManySweeps = false;
  /// Augment, Sweep: each call has memory of at least so many bytes for the
  /// tape, and the sweep is given the shadows again: what the plan keeps may
  /// lie there (docs/SplitMode.md). Zero: unknown.
  uint64_t UserBytes = 0;
  /// Forward, Augment: the two halves of forward mode from a tape
  /// (docs/SplitMode.md).
  bool FromTape = false;

  /// A shadow may be a view (docs/SparseViews.md): each addition to a shadow
  /// that comes from outside stays one operation.
  bool WholeAdditions = false;

  /// Augment, Sweep: the sweep is given the arguments again that takesAgain()
  /// names, with their shadows.
  bool ArgsAgain = false;
  static bool canBeGivenAgain(const llvm::Value &Arg) {
    return Arg.getType()->isIntegerTy() || Arg.getType()->isPointerTy();
  }
  bool takesAgain(const llvm::Argument &A) const {
    return ArgsAgain && canBeGivenAgain(A);
  }

  /// Equal requests share a derivative: every field counts.
  bool operator==(const DerivativeRequest &) const = default;

  /// The literal struct (or void) that the derivative returns; see the head.
  llvm::Type *resultType() const;
  /// Type of the derivative function.
  llvm::FunctionType *functionType() const;
  /// "forward f(dup, const) -> active", with " x4" behind the mode for a width
  /// of 4: for printers and diagnostics.
  void print(llvm::raw_ostream &OS) const;
};

/// The primal sweep for tangent sweeps R: Augment with FromTape.
DerivativeRequest augmentOf(const DerivativeRequest &R);

/// Spelling used by printers: "const", "out", "dup", "dupnoneed".
llvm::StringRef spelling(ArgActivity A);
/// Spelling used by printers: "forward", "reverse", "augment", "sweep",
/// "batch".
llvm::StringRef spelling(DerivativeMode M);

} // namespace retrograd

#endif
