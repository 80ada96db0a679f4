//===- ActivityAnalysis.h - what carries a derivative -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The textbook data-flow: a value is varied if it depends on an active input,
// useful if an active output depends on it, active if both. It runs over SSA
// values and over the abstract memory objects of the type analysis, for one
// function and one activity of its arguments. Calls use the object effects of
// the whole callee, so no callee has to be looked into again.
//
// It also decides which pointers have a shadow. A pointer whose memory, and
// whatever is reachable from it, holds nothing active is its own shadow. An
// object whose pointers may come both with and without a shadow of their own
// is "mixed": accumulation into it compares shadow and primal at run time.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_ACTIVITYANALYSIS_H
#define RETROGRAD_ANALYSIS_ACTIVITYANALYSIS_H

#include "Analysis/ProgramFacts.h"
#include "Analysis/ShiftInvariance.h"
#include "Request/DerivativeRequest.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace retrograd {

class LoopShape;

/// What a function cannot see of the pointers that it is given.
struct ShadowOrigins {
  /// Objects whose pointers may come without a shadow of their own.
  llvm::BitVector Inactive;
  /// Objects whose memory may have no shadow though it holds something active.
  llvm::BitVector Unshadowed;
  /// Objects that hold something active in the caller: the callee has to make
  /// a shadow of what it allocates, fills or hands back there, even where it
  /// sees nothing active itself (a constructor that gets only constants).
  llvm::BitVector Active;
  bool operator==(const ShadowOrigins &) const = default;
  /// True of both: each says what may be.
  ShadowOrigins &operator|=(const ShadowOrigins &Other) {
    Inactive |= Other.Inactive;
    Unshadowed |= Other.Unshadowed;
    Active |= Other.Active;
    return *this;
  }
};

class ActivityAnalysis {
public:
  /// `F` is the prepared clone; `Args` and `ActiveReturn` as in the request.
  /// `Callers` are the origins() of the function that calls it (empty: none).
  /// `FindPivots`: what no result depends on has no adjoint.
  ActivityAnalysis(llvm::Function &F, llvm::ArrayRef<ArgActivity> Args,
                   bool ActiveReturn, const ProgramFacts &Facts,
                   const LoopShape &Shape, const ShadowOrigins &Callers,
                   bool FindPivots = true);

  bool isVaried(const llvm::Value *V) const { return Varied.contains(V); }
  bool isUseful(const llvm::Value *V) const { return Useful.contains(V); }
  /// V holds floats whose adjoint or tangent is needed.
  bool isActive(const llvm::Value *V) const {
    return isVaried(V) && isUseful(V);
  }
  /// The memory behind P holds active floats.
  bool isActiveMemory(const llvm::Value *P) const;
  /// What lies at P may depend on an active input.
  bool isVariedMemory(const llvm::Value *P) const {
    return testObject(VariedObjects, P);
  }
  /// What lies at P may have an influence on an active output.
  bool isUsefulMemory(const llvm::Value *P) const;
  /// The same two of all objects.
  const llvm::BitVector &variedObjects() const { return VariedObjects; }
  const llvm::BitVector &usefulObjects() const { return UsefulObjects; }
  /// The value V (a pointer, or bytes that hold one) has a shadow of its own.
  bool hasShadow(const llvm::Value *V) const;
  /// Shadow and primal of P may be equal at run time.
  bool isMixed(const llvm::Value *P) const;
  /// The object of P may be memory whose shadow nobody gave: reached through a
  /// global pointer that was set outside.
  bool isUnshadowed(const llvm::Value *P) const;
  /// Nothing tells where P points: it was computed as an integer.
  bool isUntraceable(const llvm::Value *P) const;
  /// The call must be differentiated, not just repeated.
  bool isActiveCall(const llvm::CallBase &C) const;

  /// Floats put together from the bits of a varied float by integer operations
  /// that the types do not follow, and stores of what may be half of one: their
  /// derivative would be lost.
  llvm::ArrayRef<const llvm::Instruction *> lostBits() const {
    return LostBits;
  }
  /// An atomic operation on integers that are the bits of a varied float; null
  /// if there is none.
  const llvm::Instruction *bitsInAtomic() const { return BitsInAtomic; }
  /// For callees: where the shadows of pointers may come from.
  const ShadowOrigins &origins() const { return Origins; }
  const ProgramFacts &facts() const { return Facts; }
  const ShiftInvariance &shifts() const { return Shifts; }
  void print(llvm::raw_ostream &OS) const;

private:
  void findUnreadOutputs(llvm::ArrayRef<ArgActivity> Args);
  void seed(llvm::ArrayRef<ArgActivity> Args);
  void propagateVaried();
  void findLostBits();
  bool makesNumberOfDigits(
      const llvm::Instruction &I,
      llvm::function_ref<bool(const llvm::Value *)> Memory) const;
  void findPivots(llvm::ArrayRef<ArgActivity> Args);
  void propagateUseful(bool ActiveReturn);
  void closeShadows(llvm::ArrayRef<ArgActivity> Args);
  void distrustUnshadowed(llvm::ArrayRef<ArgActivity> Args,
                          const llvm::BitVector &ActiveThere);
  void findCodeAddresses();
  bool varyFrom(const llvm::Instruction &I);
  bool useFrom(const llvm::Instruction &I, bool ActiveReturn);
  bool markVaried(const llvm::Value *V);
  bool markUseful(const llvm::Value *V);
  bool markObjects(llvm::BitVector &Set, const llvm::BitVector &More);
  bool markObject(llvm::BitVector &Set, const llvm::Value *P);
  bool testObject(const llvm::BitVector &Set, const llvm::Value *P) const;
  /// C, of which nothing is known, may make numbers of varied memory that it
  /// was not given.
  bool readsVariedElsewhere(const llvm::CallBase &C) const;
  bool anyVariedInput(const llvm::CallBase &C,
                      const ProgramFacts::Effects *E) const;

  llvm::Function &F;
  const ProgramFacts &Facts;
  const LoopShape &Shape;
  ShiftInvariance Shifts;
  bool IsRequest; ///< no other function of the call graph calls it
  llvm::DenseSet<const llvm::Value *> Varied, Useful;
  /// What is varied even if no function without a body reads memory that it was
  /// not given: what such a function is given surely is an active input.
  llvm::DenseSet<const llvm::Value *> VariedHere;
  llvm::BitVector VariedObjectsHere;
  bool AskElsewhere = false; ///< propagateVaried: read such memory, too
  /// Stores to memory that the user called constant, which nothing reads
  /// afterwards: outputs that the derivative is not wanted of.
  llvm::SmallPtrSet<const llvm::Instruction *, 4> UnreadOutputs;
  /// Pointers that lead to code alone.
  llvm::DenseSet<const llvm::Value *> CodeAddresses;
  llvm::BitVector VariedObjects, UsefulObjects, ShadowedObjects;
  ShadowOrigins Origins;
  llvm::SmallVector<const llvm::Instruction *, 2> LostBits;
  const llvm::Instruction *BitsInAtomic = nullptr;
};

} // namespace retrograd

#endif
