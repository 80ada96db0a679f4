//===- TapeLayout.h - where kept values live --------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kept values get slots in the storage of their scope: the function or a loop
// (docs/TapeFormat.md).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_TAPELAYOUT_H
#define RETROGRAD_PLAN_TAPELAYOUT_H

#include "Plan/PlanSubject.h"
#include "Rules/Need.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace retrograd {

struct Deferrals;
class InertRegions;
class Recipes;

/// One tape entry.
struct Slot {
  Need Holds;
  llvm::Type *Ty = nullptr; ///< type in storage (i1 is stored as i8)
  uint64_t Offset = 0;      ///< bytes: in the record, or times N in an array
};

/// The storage of one scope: the function (Of null) or a loop.
struct Scope {
  const llvm::Loop *Of = nullptr;
  llvm::SmallVector<Slot, 8> Slots;
  /// Loop: one array per slot, allocated at the preheader; else one linked
  /// record per iteration.
  bool IsArray = false;
  /// Arrays: instead one array of records, one per iteration.
  bool InRecords = false;
  /// Arrays: the outermost loop whose whole run they serve. From there down to
  /// Of all counts are known before it is entered, so that one allocation does.
  const llvm::Loop *Nest = nullptr;
  /// Within a deferred loop: allocated once, and used again by each of its
  /// iterations.
  bool Reused = false;
  /// Arrays of MostTrips elements in the function's frame.
  bool InFrame = false;
  uint64_t Bytes = 0; ///< of a record, or per iteration over all arrays

  /// What is known of the address of a slot of an array.
  llvm::Align alignmentOf(const Slot &S, const llvm::DataLayout &DL) const;

  /// The loops from Nest down to Of.
  llvm::SmallVector<const llvm::Loop *, 3> nest() const;
};

class TapeLayout {
public:
  TapeLayout(const PlanSubject &Subject, const Recipes &How,
             const Deferrals &Deferred, const InertRegions &Inert)
      : Subject(Subject), How(How), Deferred(Deferred), Inert(Inert) {}

  /// The loop whose iterations N varies with (null: none).
  const llvm::Loop *scopeOf(Need N) const;
  const Scope &scope(const llvm::Loop *L) const;
  /// Slot of a kept need, or of a loop's Count or Records.
  const Slot *slot(Need N) const;
  /// The storage type of a need.
  llvm::Type *typeOf(Need N) const;
  /// The storage within a deferred loop is an iteration's own, and released
  /// behind it.
  bool rewinds(const llvm::Loop *L) const { return Rewinding.contains(L); }
  /// Bytes that loops within L keep in all of its iterations together; those of
  /// a loop whose count is not known without end.
  uint64_t mostBytesWithin(const llvm::Loop &L) const;
  /// Bytes that an iteration of L keeps, without the loops within.
  uint64_t bytesOfIteration(const llvm::Loop &L) const;
  /// Some scope within L keeps something.
  bool keepsWithin(const llvm::Loop &L) const;
  /// What is certain to be kept, in loops whose counts are constants and that
  /// surely run. The rest is watched at run time.
  uint64_t certainBytes() const;

  /// Lays out anew.
  void layOut(const llvm::SetVector<Need> &Keep);

private:
  void choosePlaces(Scope &S) const;
  bool fitsFrame(const llvm::Loop &L, const Scope &S, uint64_t &Room) const;
  void shareStorage();
  const llvm::Loop *nestOf(const llvm::Loop *L) const;

  const PlanSubject &Subject;
  const Recipes &How;
  const Deferrals &Deferred;
  const InertRegions &Inert;
  /// From a loop (null: the function) to its storage.
  llvm::DenseMap<const llvm::Loop *, Scope> Scopes;
  llvm::DenseMap<Need, std::pair<const llvm::Loop *, unsigned>> SlotIndex;
  llvm::SmallPtrSet<const llvm::Loop *, 2> Rewinding;
};

} // namespace retrograd

#endif
