//===- Rules.h - what derivatives do for each instruction -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation (RulesInternal.h) says of a family of instructions what its
// adjoint reads, what its adjoint does, and what its tangent does. The plan
// asks for the first; emission runs the others and refuses to look up what was
// not declared. Operations see the rest of the compiler only through
// RuleContext and TangentContext.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_RULES_H
#define RETROGRAD_RULES_RULES_H

#include "Analysis/ActivityAnalysis.h"
#include "Rules/Need.h"
#include "Target/Target.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace llvm {
class IRBuilderBase;
}

namespace retrograd {
class Catalogue;
struct Partial;

using NeedSink = llvm::function_ref<void(Need)>;

/// How the adjoint of a load is added to the shadow.
enum class Accumulation : uint8_t {
  Plain,        ///< nobody else adds to it at the time
  PlainIfOwned, ///< the same, if the launch is as it should
                ///< (RuleContext::owned)
  WithinReach,  ///< plain where no other thread adds, else to a copy or as one
                ///< operation (runtime/reach.c)
  Whole,   ///< as one operation, which the optimiser neither splits nor joins
           ///< with another
  InOrder, ///< the same, after all threads with a greater number are through
           ///< with this part of the region (runtime/inorder.c)
  Merged,  ///< threads of a warp probably add to one place: first to each other
  AtEnd,   ///< the place is the same all along, and nothing stores there: the
           ///< thread adds up, and adds the sum when the reverse sweep is over
  Atomic
};

/// How the adjoint of a store is taken out of the shadow.
enum class Taking : uint8_t {
  Plain,        ///< by a load and a store: no other thread has stored there
  PlainInBlock, ///< the same in the block's memory; elsewhere an exchange is
                ///< right, too, and faster
  Exchange,     ///< other threads may have stored the same number
  OneOfWarp,    ///< the same, and the threads of a warp probably have
  Left          ///< it is read, and stays: nobody comes here again
};

/// Who can come to the place of an exchange, a minimum or a maximum
/// (docs/Atomics.md).
enum class AtomicPlace : uint8_t {
  Block,    ///< the threads of a block, between two barriers, or those of a
            ///< grid that waits at its end
  OneBlock, ///< the same, if the launch has one block alone
  Own       ///< this thread, if the launch is as it should
            ///< (RuleContext::atomicsOwned)
};

/// The verbs that a rule's emission may use. Implemented by ReverseEmitter.
class RuleContext {
public:
  virtual ~RuleContext() = default;
  virtual llvm::IRBuilderBase &builder() = 0;
  virtual const ActivityAnalysis &activity() const = 0;

  /// Primal value, shadow or tape, as a value usable here in the reverse sweep.
  virtual llvm::Value *primal(const llvm::Value *V) = 0;
  virtual llvm::Value *shadow(const llvm::Value *V) = 0;
  virtual llvm::Value *tape(const llvm::CallBase &C) = 0;

  /// The machine compiled for.
  virtual const Target &target() const = 0;
  /// How to add to an adjoint of the value that L loads.
  virtual Accumulation accumulation(const llvm::LoadInst &L) const = 0;
  /// Other threads of a team may add to adjoints behind P at the time.
  virtual bool othersAdd(const llvm::Value *P) const = 0;
  /// If so: they add in the order of their numbers (Accumulation::InOrder).
  virtual bool addInOrder() const = 0;
  /// Whether no two threads of this launch add to one adjoint.
  virtual llvm::Value *owned() = 0;
  /// Of an addition within reach: the thread's reach by L's group.
  virtual llvm::Value *reach(const llvm::LoadInst &L) = 0;

  virtual AtomicPlace atomicPlace(const llvm::AtomicRMWInst &M) const = 0;
  /// Whether no two threads of this launch exchange at one place.
  virtual llvm::Value *atomicsOwned() = 0;

  /// A place in memory of the block for additions that a warp does together:
  /// see rg_peers() in runtime/gpu/accumulate.c.
  struct SharedPlace {
    llvm::Value *Peers, *Base;
    uint32_t Offset;
  };
  virtual std::optional<SharedPlace> sharedPlace(llvm::Value *Address) = 0;
  /// X is added to the adjoint of what L reads when the reverse sweep is over.
  /// False if there are too many such places.
  virtual bool addAtEnd(const llvm::LoadInst &L, llvm::Value *X) = 0;
  /// X is added to the adjoint of what L reads when the iteration of the loop
  /// is over, by all lanes that reverse it in step. False if it is not.
  virtual bool addInStep(const llvm::LoadInst &L, llvm::Value *X) = 0;
  /// How to take the adjoint of the value that S stores.
  virtual Taking taking(const llvm::StoreInst &S) const = 0;

  /// What is at an adjoint's place plus X. Additions to one adjoint may come in
  /// any order.
  virtual llvm::Value *addUp(llvm::Value *Old, llvm::Value *X) = 0;
  /// Tells the optimiser that I, just built, is an access to an adjoint.
  virtual void markAdjointAccess(llvm::Instruction *I) = 0;

  /// The adjoint of V, which becomes zero.
  virtual llvm::Value *take(const llvm::Value *V) = 0;
  /// Adds X to the adjoint of V; nothing if V is not active.
  virtual void accumulate(const llvm::Value *V, llvm::Value *X) = 0;

  /// The catalogue's formula of a partial derivative, times Seed.
  virtual llvm::Value *partial(const Partial &P, const llvm::Instruction &I,
                               llvm::Value *Seed) = 0;
  /// Runtime routine by name.
  virtual llvm::Function *runtime(llvm::StringRef Name) = 0;
  virtual llvm::Value *arena() = 0;
  /// Reverse sweep of the callee of a differentiated call.
  virtual llvm::Function *sweepOf(const llvm::CallBase &C) = 0;
  /// Whether it is given integers and pointers, and their shadows, again.
  virtual bool givesAgain(const llvm::CallBase &C) const = 0;

  /// Derivatives computed together. What belongs to the derivative (shadow,
  /// take, accumulate) is that of the selected lane.
  virtual unsigned width() const = 0;
  virtual void selectLane(unsigned Lane) = 0;
  virtual unsigned lane() const = 0;
};

/// What a companion in a tangent sweep is.
enum class TangentKind : uint8_t {
  Derivative,
  Dependencies, ///< the set of inputs that a number depends on, one bit each
  ErrorBound    ///< how far rounding may have moved a number
};

/// The verbs that the emission of a tangent may use. Implemented by
/// ForwardEmitter. The companion of a value is its tangent if it is a number,
/// its shadow if it is a pointer, both in one where its bytes hold both.
class TangentContext {
public:
  virtual ~TangentContext() = default;
  virtual llvm::IRBuilderBase &builder() = 0;
  virtual const ActivityAnalysis &activity() const = 0;
  virtual TangentKind kind() const = 0;

  virtual llvm::Value *primal(const llvm::Value *V) const = 0;
  virtual bool hasCompanion(const llvm::Value *V) const = 0;
  /// Zero, or the value itself, of a value that has no companion of its own.
  virtual llvm::Value *companion(const llvm::Value *V) = 0;
  /// The companion of V, which goes into the result of I as it is.
  virtual llvm::Value *companionInto(const llvm::Instruction &I,
                                     const llvm::Value *V) = 0;
  /// The type that the companion of V has in the code that is emitted here.
  virtual llvm::Type *typeHere(const llvm::Value *V) const = 0;

  /// For how many derivatives the code is that is emitted here. If there are
  /// several, the companion of a number is a vector of theirs, and that of a
  /// vector has those of element 0 first.
  virtual unsigned lanesAtOnce() const = 0;

  /// The fast-math flags of a derivative's arithmetic.
  virtual llvm::FastMathFlags flags(const llvm::Instruction &I) const = 0;
  /// The catalogue's formula of a partial derivative, times Seed.
  virtual llvm::Value *partial(const Partial &P, const llvm::Instruction &I,
                               llvm::Value *Seed) = 0;
  /// The same instruction over companions: for what moves bytes.
  virtual llvm::Value *again(const llvm::Instruction &I) = 0;
  /// Runtime routine by name.
  virtual llvm::Function *runtime(llvm::StringRef Name) = 0;
  /// Memory for a T that nobody reads.
  virtual llvm::Value *nowhere(llvm::Type *T) = 0;
};

/// True if the reverse sweep has anything to do for I.
bool hasReverse(const llvm::Instruction &I, const ActivityAnalysis &A);
/// Null if I has a rule, else what to call the thing that has none.
const char *missingRule(const llvm::Instruction &I, const ActivityAnalysis &A);
/// Calls Sink for everything that emitReverse(I) reads.
void visitNeeds(const llvm::Instruction &I, const ActivityAnalysis &A,
                NeedSink Sink);
/// Emits the adjoint of I, in all lanes.
void emitReverse(const llvm::Instruction &I, RuleContext &C);

/// Whether emitTangent makes the companions of all lanes by one piece of code,
/// if they lie side by side.
bool makesLanesAtOnce(const llvm::Instruction &I, const Catalogue &Cat);
/// Emits the companion of I, in the current lane or in all; null if I has none.
llvm::Value *emitTangent(const llvm::Instruction &I, TangentContext &C);

/// The pieces of a memory transfer that hold floats, and how they repeat.
struct TransferShape {
  /// Adjacent bytes of one kind are one leaf. A Conflict that names a format is
  /// words that by turns are floats of that format, integers, and, of double,
  /// pointers: which of them a word is shows when the program runs (isShared).
  llvm::SmallVector<TypedLeaf, 4> Leaves;
  /// 0: Leaves cover the whole (constant) length; else they repeat with this
  /// period over a length known at run time, but for those of the header, which
  /// come once.
  uint64_t Period = 0;
  uint64_t Header = 0;    ///< bytes before the first repetition
  bool Known = true;      ///< false: some bytes have no known type
  bool Ambiguous = false; ///< there is evidence, but it does not make one type
};
inline bool isShared(const TypedLeaf &L) {
  return L.Kind.K == ByteKind::Conflict && L.Kind.FP;
}
inline bool isUnknown(const TypedLeaf &L) {
  return L.Kind.K == ByteKind::Unknown;
}
inline bool mayHoldPointers(const TypedLeaf &L) {
  return L.Kind.K == ByteKind::Pointer ||
         (isShared(L) && L.Kind.FP->isDoubleTy());
}
/// Whether the constant that S stores may be read as a number, a part of one or
/// several, whatever its type: then its shadow is zero, which does no harm
/// where it is read as an integer.
bool mayStoreNumber(const llvm::StoreInst &S, const ProgramFacts &Facts);

/// Nothing tells of any byte what it is.
bool bringsNothing(const TransferShape &S);

/// `Dest` and `Source` (null for a fill) describe the transfer of I.
TransferShape transferShape(const llvm::Instruction &I, const llvm::Value *Dest,
                            const llvm::Value *Source,
                            const llvm::Value *Length,
                            const ProgramFacts &Facts);

/// Alignment that may be assumed of the shadow of an access of type T that is
/// aligned to A in the primal. The primal may have found its alignment at run
/// time (libraries peel loops by it), and then its shadow need not share it.
llvm::Align shadowAlign(llvm::Type *T, llvm::Align A,
                        const llvm::DataLayout &DL);

/// -0.0 in every float of T, zero elsewhere: x + (-0.0) is x for every x, so
/// that the first contribution to an adjoint folds away.
llvm::Constant *adjointZero(llvm::Type *T);

} // namespace retrograd

#endif
