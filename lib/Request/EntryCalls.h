//===- EntryCalls.h - decode the user's derivative calls --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a call such as
//
//   %g = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x, i32 %m,
//   i64 %n)
//
// to a request ("reverse f(out, const) -> active") and to a description of how
// the values of that call become the operands of the derivative, and the
// results of the derivative the result of that call. Reads IR only;
// Entry/LowerEntryCalls does what is described here. See lib/Request/README.md
// for the conventions.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_ENTRYCALLS_H
#define RETROGRAD_REQUEST_ENTRYCALLS_H

#include "Diagnostics/RequestTrail.h"
#include "Request/DerivativeRequest.h"
#include "Request/EntryPoints.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/ValueHandle.h"
#include <optional>

namespace llvm {
class Module;
class raw_ostream;
} // namespace llvm

namespace retrograd {
class DiagnosticEngine;

/// How one value becomes one operand of the derivative.
struct EntryOperand {
  enum Conversion : uint8_t {
    Direct,     ///< as it is
    FPTrunc,    ///< undo C's promotion of variable arguments to double
    IntTrunc,   ///< undo C's promotion of variable arguments to int
    FPExtend,   ///< float where double is expected: loses nothing
    IntExtend,  ///< int where long is expected, and known not to be negative
    Load,       ///< behind an address: C++ forwarding, structs that found no
                ///< registers
    CopyMemory, ///< passed by value in memory: the derivative gets a copy of it
    ZeroMemory, ///< no value of the user's: fresh memory filled with zeros
    OnesMemory  ///< the same, each number in it a one
  };
  EntryOperand(Conversion How = Direct, llvm::Value *V = nullptr,
               llvm::Type *Memory = nullptr, uint64_t Offset = 0)
      : How(How), V(V), Memory(Memory), Offset(Offset) {}

  Conversion How;
  /// Follows what is replaced: the argument of one call may be the result of
  /// another one.
  llvm::WeakTrackingVH V;
  /// CopyMemory, ZeroMemory, OnesMemory: type of the memory.
  llvm::Type *Memory;
  /// Load: where behind the address.
  uint64_t Offset;
  /// Not null: to the address that results Lane times this integer is added.
  llvm::WeakTrackingVH Stride;
  unsigned Lane = 0;
};

/// One parameter of the primal.
struct EntryParameter {
  EntryOperand Primal;
  /// One per lane when the request says Dup or DupNoNeed, else none. Of a
  /// batch: the values, and Primal is unused.
  llvm::SmallVector<EntryOperand, 1> Shadows;
};

/// One member of what the user expects to be returned, in order: the primal if
/// asked for, then the tangent, or the adjoints of Out parameters; each of
/// these once per lane.
struct EntryResult {
  llvm::Type *Ty = nullptr;
  /// Member of the derivative's result, or none.
  std::optional<unsigned> Member;
  /// Else: contents of the memory made for the primal (or, if OfShadow, for the
  /// shadow) of this parameter.
  unsigned Parameter = 0;
  bool OfShadow = false;
  unsigned Lane = 0; ///< of the shadow
  /// What it takes in the declared result where that is more than its type
  /// does: a tape that is returned by value.
  uint64_t Bytes = 0;
  /// Where it lies in the result as the user declared it.
  uint64_t Offset = 0;
};

/// Bytes that a tape takes in memory of the user's (enzyme_allocated): a
/// pointer to where the rest is.
constexpr uint64_t TapeHandleBytes = 8;

/// Of a call in split reverse mode.
struct EntryTape {
  /// The tape of a sweep, or the memory of the user's that holds it.
  std::optional<EntryOperand> Tape;
  bool InMemory = false; ///< Tape is an address of TapeHandleBytes or more
  /// Returned and passed as a struct of this many bytes, whose first
  /// TapeHandleBytes are used (enzyme_allocated without memory); zero if not,
  /// or if not known.
  uint64_t ValueBytes = 0;
  /// If InMemory: its size, or a C++ reference to that.
  llvm::WeakTrackingVH MemoryBytes;
  bool Keep = false; ///< the sweep does not release it
  /// What the user has for it, in memory or by value; zero if that is not
  /// known.
  uint64_t UserBytes = 0;
};

struct EntryCall {
  llvm::CallBase *Call = nullptr;
  DerivativeRequest Request;
  /// One per parameter of Request.Primal.
  llvm::SmallVector<EntryParameter, 8> Parameters;
  llvm::SmallVector<EntryResult, 4> Results;
  /// The result is returned through the first argument, which points to memory
  /// of this type.
  llvm::Type *ResultInMemory = nullptr;
  /// Augment and Sweep.
  EntryTape OfTape;
  /// If the request is FromTape: that of the tangent sweeps.
  DerivativeRequest Tangents;
  /// ReverseJoint and Sweep: adjoints of the result per lane, in pieces if it
  /// is a struct; all ones where none are given.
  llvm::SmallVector<llvm::SmallVector<EntryOperand, 1>, 1> Seeds;

  /// Stands in what another call differentiates: the derivative will be
  /// differentiated.
  bool Again = false;

  RequestTrail trail() const { return RequestTrail(*Call, Request.Primal); }
  void print(llvm::raw_ostream &OS) const;
};

/// All entry calls of a module.
struct EntryCalls {
  /// Innermost first: when the function that one call differentiates contains
  /// (or reaches) another call, that other call comes first.
  llvm::SmallVector<EntryCall, 4> Calls;
  /// Calls that were diagnosed. They have to be removed all the same, so that
  /// the host can go on to its own end and fail there in good order. Null where
  /// what is refused later has taken the call along.
  llvm::SmallVector<llvm::WeakVH, 4> Refused;

  bool empty() const { return Calls.empty() && Refused.empty(); }
};

/// Decodes every entry call of M; diagnoses what cannot be decoded. HasRule
/// says of a function without a body whether the catalogue knows its
/// derivative: then it can be differentiated all the same.
EntryCalls
collectEntryCalls(llvm::Module &M, DiagnosticEngine &Diags,
                  llvm::function_ref<bool(const llvm::Function &)> HasRule);

/// The operand of an entry call that names the function; null for other calls.
llvm::Use *functionOperandOf(llvm::CallBase &Call);

} // namespace retrograd

#endif
