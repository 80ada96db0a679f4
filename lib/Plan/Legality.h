//===- Legality.h - what cannot be differentiated ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the primal once and collects a refusal for everything whose derivative
// could not be right. It decides nothing else: a primal without refusals has a
// plan.
//
// What threads do is judged in ThreadLegality.cpp, threads that return before a
// barrier in LeavingThreads.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_LEGALITY_H
#define RETROGRAD_PLAN_LEGALITY_H

#include "Diagnostics/Refusal.h"
#include "Plan/FormatTrap.h"
#include "Plan/PlanSubject.h"
#include "Plan/SureRuns.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace retrograd {

class AccumulationPlan;
class CallPlan;

class Legality {
public:
  Legality(const PlanSubject &Subject, const CallPlan &Calls,
           AccumulationPlan &Accumulations)
      : Subject(Subject), Calls(Calls), Accumulations(Accumulations) {}

  /// In the order of the primal; empty if it can be differentiated.
  llvm::SmallVector<Refusal, 2> collectRefusals();
  /// What is refused where the running program reaches it; once the refusals
  /// are collected.
  llvm::SmallVector<FormatTrap, 0> takeTraps() { return std::move(Traps); }

private:
  void checkCall(const llvm::CallBase &C);
  /// Numbers that are read as another format (FormatLegality.cpp).
  void checkFormats(const llvm::Instruction &I);
  void checkFormatsOfCopy(const llvm::CallBase &C);
  void checkFormatHint(const llvm::CallBase &C);
  void refuseFormats(const llvm::Instruction &I, const llvm::Type *From,
                     const llvm::Type *To, const char *How,
                     llvm::ArrayRef<NumberUse> Uses);
  void refuseFormatsOfCopy(const llvm::CallBase &C, const llvm::Value *Dest,
                           const llvm::Value *Source, const llvm::Type *From,
                           const llvm::Type *To);
  bool surelyRuns(const llvm::Instruction &I);
  bool isSure(const NumberUse &Use);
  void checkCharacters(const llvm::CallBase &C);
  void checkNumbersFromText();
  bool holdsVariedNumbers(const llvm::Value *P, uint64_t Size) const;
  bool isOfString(const llvm::Value *P);
  /// What threads do together and no rule reverses. False if there is no more
  /// to say of I.
  bool checkThreads(const llvm::Instruction &I);
  bool checkTeam(const llvm::Instruction &I);
  bool refusesRoutine(const llvm::CallBase &C, const OperationRecord &R);
  void checkMessage(const llvm::CallBase &C, const OperationRecord &R);
  void checkThreadLocals(const llvm::Instruction &I);
  void checkHandedPointer(const llvm::Instruction &I);
  void checkOrder(const llvm::Instruction &I, bool InTeam);
  void checkHandedNumbers(const llvm::CallBase &C,
                          const llvm::Function &Callee);
  void checkSharing(const llvm::Instruction &I);
  void checkSharedLoad(const llvm::LoadInst &L);
  void checkSharedCopy(const llvm::CallBase &C);
  void checkSharedCall(const llvm::CallBase &C);
  /// Threads that return while others go on to a barrier (LeavingThreads.cpp).
  void checkLeavingThreads();
  void checkCopyTypes(const llvm::Instruction &I);
  void checkShadowOfDest(const llvm::Instruction &I);
  bool ownsMemory(const llvm::Value *V) const;
  void refuse(RefusalKind K, const llvm::Instruction &I, std::string Detail);

  const PlanSubject &Subject;
  const CallPlan &Calls;
  AccumulationPlan &Accumulations;
  llvm::SmallVector<Refusal, 2> Refusals;
  llvm::SmallVector<FormatTrap, 0> Traps;
  std::optional<SureRuns> Sure; ///< once asked for
  /// Said once of each.
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 2> RefusedGlobals;
  /// Objects that are characters of strings, once asked for.
  std::optional<llvm::BitVector> OfStrings;
};

} // namespace retrograd

#endif
