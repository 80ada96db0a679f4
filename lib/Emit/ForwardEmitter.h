//===- ForwardEmitter.h - the tangent sweep ---------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward mode is the primal with a companion for every value: the tangent of a
// float, the shadow of a pointer, and both in one where bytes hold both. Moves
// of bytes are repeated on the companions, whatever the bytes are. The tangents
// of numbers are the operations' (lib/Rules); memory, calls and lanes are here.
//
// Of a request with lanes, every value has one companion per lane. Where a
// layout is given, the tangents of all lanes of a float (or vector of floats)
// are one vector, element by element, and pointers to memory that holds the
// lanes side by side have one companion; code for those is emitted once. For
// all else, and without a layout, code is emitted lane by lane; what lanes
// share is merged by clean-up.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_FORWARDEMITTER_H
#define RETROGRAD_EMIT_FORWARDEMITTER_H

#include "Emit/AccessKinds.h"
#include "Emit/EmitServices.h"
#include "Emit/FunctionShell.h"
#include "Plan/DerivativePlan.h"
#include "Plan/LaneLayout.h"
#include "Rules/Rules.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace retrograd {

/// Memory of the primal that a tangent sweep reads. From a tape: what it held
/// then.
struct PrimalRead {
  llvm::CallInst *Read; ///< gives the bytes, or (Length null) the pointer there
  const llvm::Instruction *At; ///< read before it, a pointer behind it
  const llvm::Value *Address, *Length;
};

class ForwardEmitter final : private TangentContext {
public:
  /// Layout may be null.
  ForwardEmitter(const DerivativePlan &Plan, const LaneLayout *Layout,
                 llvm::Function &D, EmitServices &Services);
  void run();

  // For what makes a tangent sweep from a tape of it.
  const llvm::ValueToValueMapTy &primals() const { return VMap; }
  llvm::ArrayRef<PrimalRead> reads() const { return Reads; }

private:
  // What operations ask (Rules/Rules.h).
  llvm::IRBuilderBase &builder() override { return B; }
  const ActivityAnalysis &activity() const override { return Activity; }
  TangentKind kind() const override {
    return Plan.request().Dependencies    ? TangentKind::Dependencies
           : Plan.request().ErrorEstimate ? TangentKind::ErrorBound
                                          : TangentKind::Derivative;
  }
  llvm::Value *primal(const llvm::Value *V) const override;
  bool hasCompanion(const llvm::Value *V) const override {
    return Activity.isActive(V) || Activity.hasShadow(V);
  }
  llvm::Value *companion(const llvm::Value *V) override;
  llvm::Value *companionInto(const llvm::Instruction &I,
                             const llvm::Value *V) override;
  llvm::Type *typeHere(const llvm::Value *V) const override {
    return AtOnce ? companionType(V) : V->getType();
  }
  unsigned lanesAtOnce() const override { return AtOnce ? lanes() : 1; }
  llvm::FastMathFlags flags(const llvm::Instruction &I) const override;
  llvm::Value *partial(const Partial &P, const llvm::Instruction &I,
                       llvm::Value *Seed) override;
  llvm::Value *again(const llvm::Instruction &I) override;
  llvm::Function *runtime(llvm::StringRef Name) override;
  llvm::Value *nowhere(llvm::Type *T) override;

  llvm::Value *idle(const llvm::Value *V);

  // Lanes side by side.
  unsigned lanes() const { return Companions.size(); }
  /// The tangents of V are one vector.
  bool isPacked(const llvm::Value *V) const;
  bool isSideBySide(const llvm::Value *P) const {
    return Layout && Layout->isSideBySide(P);
  }
  /// V has one companion for all lanes.
  bool isSingle(const llvm::Value *V) const {
    return isPacked(V) || isSideBySide(V);
  }
  /// One piece of code makes the companion of I for all lanes.
  bool isAtOnce(const llvm::Instruction &I) const;
  /// The type of the companion of V, of all lanes if they are one vector.
  llvm::Type *companionType(const llvm::Value *V) const;
  llvm::Value *laneOf(llvm::Value *Packed, llvm::Type *T);
  /// Makes the companions of V in the lanes one vector.
  void pack(const llvm::Value *V);
  llvm::Value *allocateLanes(llvm::Value *Bytes, const llvm::Twine &Name);
  llvm::Value *wideAddress(const llvm::GetElementPtrInst &G);
  llvm::Value *loadLanes(llvm::LoadInst &L);
  void storeLanes(llvm::StoreInst &S);
  /// Times the lanes, for sizes in memory that holds them side by side.
  llvm::Value *sized(llvm::Value *Bytes, const llvm::Value *P);

  /// Runs Body with each lane as the current one.
  void forLanes(llvm::function_ref<void()> Body);
  llvm::Value *&companionSlot(const llvm::Value *V) {
    return Companions[Lane][V];
  }

  void visit(llvm::Instruction &I);
  void visitLane(llvm::Instruction &I);
  void visitNote(llvm::CallBase &C);
  void visitDerivativeCall(llvm::CallBase &C);
  void visitCall(llvm::CallBase &C);
  void visitStore(llvm::StoreInst &S);
  void visitTransfer(llvm::CallBase &C);
  void visitReturn(llvm::ReturnInst &R);
  llvm::Value *load(llvm::LoadInst &L);
  llvm::Value *ownOrNull(const llvm::Value *P);
  bool isFromTape() const { return Plan.request().FromTape; }
  llvm::Value *readPrimal(const llvm::Instruction &At,
                          const llvm::Value *Address,
                          const llvm::Value *Length);

  const DerivativePlan &Plan;
  const LaneLayout *Layout;
  const ActivityAnalysis &Activity;
  llvm::Function &F;
  llvm::Function &D;
  EmitServices &Services;
  llvm::IRBuilder<> B;
  llvm::ValueToValueMapTy VMap;
  /// From a primal value to its companions.
  LaneMaps Companions;
  unsigned Lane = 0;      ///< the current one
  bool AtOnce = false;    ///< code that is emitted now is for all lanes
  bool Contracts = false; ///< products and sums of the derivative may be fused
  LaneKinds Kinds;
  llvm::SmallVector<PrimalRead, 2> Reads;
};

} // namespace retrograd

#endif
