//===- Snapshots.cpp - arrays that are kept as a whole --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Snapshots.h"
#include "Catalogue/Catalogue.h"
#include "Plan/PlanSubject.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include <cmath>

using namespace llvm;
using namespace retrograd;

/// The one allocation that V, which is accessed, can come from; or null.
static const Value *allocationBehind(const Value *V, const Function &F) {
  const bool NullIsMemory = NullPointerIsDefined(&F);
  for (unsigned Steps = 0; Steps != 8; ++Steps) {
    const auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi)
      return V;
    const Value *One = nullptr;
    for (const Value *In : Phi->incoming_values()) {
      // Nothing is accessed there.
      if (isa<UndefValue>(In) ||
          (isa<ConstantPointerNull>(In) && !NullIsMemory) || In == Phi)
        continue;
      if (One && One != In)
        return nullptr;
      One = In;
    }
    if (!One)
      return nullptr;
    V = One;
  }
  return nullptr;
}

/// The length in bytes of what is allocated at V, as factors; none if nobody
/// knows.
static SmallVector<const Value *, 2> lengthOf(const Value &V,
                                              const PlanSubject &Subject) {
  const DataLayout &DL = Subject.F.getDataLayout();
  Type *I64 = Type::getInt64Ty(Subject.F.getContext());
  auto Constant = [&](Type *T) -> const Value * {
    const TypeSize Bytes = DL.getTypeAllocSize(T);
    return Bytes.isScalable() ? nullptr
                              : ConstantInt::get(I64, Bytes.getFixedValue());
  };
  if (const auto *G = dyn_cast<GlobalVariable>(&V)) {
    if (!G->hasDefinitiveInitializer() || G->isThreadLocal())
      return {};
    return {Constant(G->getValueType())};
  }
  if (const auto *A = dyn_cast<AllocaInst>(&V)) {
    if (const Value *Element = Constant(A->getAllocatedType()))
      return {Element, A->getArraySize()};
    return {};
  }
  const auto *C = dyn_cast<CallBase>(&V);
  const OperationRecord *R =
      C ? Subject.facts().catalogue().lookup(*C) : nullptr;
  if (!R || R->Class != RuleClass::Allocation || !R->Shadow.empty() ||
      R->Text == "device")
    return {};
  SmallVector<const Value *, 2> Sizes;
  for (unsigned Arg : R->SizeArgs)
    Sizes.push_back(C->getArgOperand(Arg));
  return Sizes;
}

namespace {
/// What an expression may be, with one number in place of all that are not
/// known.
class Estimate {
public:
  explicit Estimate(double Unknown) : Unknown(Unknown) {}

  std::optional<double> operator()(const SCEV *S);
  SmallPtrSet<const SCEV *, 4> Unknowns;

private:
  const double Unknown;
  unsigned Budget = 64;
};
} // namespace

std::optional<double> Estimate::operator()(const SCEV *S) {
  if (!Budget)
    return std::nullopt;
  --Budget;
  switch (S->getSCEVType()) {
  case scConstant:
    return cast<SCEVConstant>(S)->getAPInt().signedRoundToDouble();
  case scUnknown:
    Unknowns.insert(S);
    return Unknown;
  case scTruncate:
  case scZeroExtend:
  case scSignExtend:
  case scAddExpr:
  case scMulExpr:
  case scUDivExpr:
  case scUMaxExpr:
  case scSMaxExpr:
  case scUMinExpr:
  case scSMinExpr:
    break;
  default:
    return std::nullopt;
  }
  std::optional<double> Sum;
  for (const SCEV *Op : S->operands()) {
    std::optional<double> V = (*this)(Op);
    if (!V)
      return std::nullopt;
    if (!Sum) {
      Sum = V;
      continue;
    }
    switch (S->getSCEVType()) {
    case scAddExpr:
      *Sum += *V;
      break;
    case scMulExpr:
      *Sum *= *V;
      break;
    case scUDivExpr:
      if (*V == 0)
        return std::nullopt;
      *Sum /= *V;
      break;
    case scUMaxExpr:
    case scSMaxExpr:
      Sum = std::max(*Sum, *V);
      break;
    default:
      Sum = std::min(*Sum, *V);
    }
  }
  return Sum;
}

/// Bytes of the array for each iteration of the innermost loop; none if length
/// and iterations have nothing to do with each other, or if there are so few
/// iterations that values of their own are cheaper.
static std::optional<double> bytesPerIteration(const Snapshot &S,
                                               const LoopShape &Shape) {
  constexpr double FewIterations = 32;
  ScalarEvolution &SE = Shape.evolution();
  double Most = 0;
  for (double Unknown : {64., 1024.}) {
    Estimate Of(Unknown), Length(Unknown);
    double Iterations = 1, Bytes = 1;
    for (const Loop *L = S.Innermost;; L = L->getParentLoop()) {
      const LoopFacts &Facts = Shape.facts(L);
      auto Trips = Facts.Exact ? Of(Facts.BackedgeBound) : std::nullopt;
      if (!Trips || *Trips < 0)
        return std::nullopt;
      Iterations *= *Trips + 1;
      if (L == S.Nest)
        break;
    }
    for (const Value *Size : S.Sizes) {
      auto V = Length(SE.getSCEV(const_cast<Value *>(Size)));
      if (!V || *V <= 0)
        return std::nullopt;
      Bytes *= *V;
    }
    if (Iterations < FewIterations ||
        any_of(
            Length.Unknowns,
            [&](const SCEV *V) { return !Of.Unknowns.contains(V); }))
      return std::nullopt;
    Most = std::max(Most, Bytes / Iterations);
  }
  return Most;
}

SmallVector<Snapshot, 2> retrograd::findSnapshots(const PlanSubject &Subject) {
  SmallVector<Snapshot, 2> Found;
  const Function &F = Subject.F;
  // What watches each access would not know that the array may be read between
  // what the program reads.
  if (!Subject.Opts.Snapshots || Subject.Opts.Plan == PlanKind::Naive ||
      Subject.Machine.manyThreads() ||
      F.hasFnAttribute(Attribute::SanitizeAddress) ||
      F.hasFnAttribute(Attribute::SanitizeHWAddress) ||
      F.hasFnAttribute(Attribute::SanitizeThread))
    return Found;
  const LoopInfo &Loops = Subject.Shape.loops();
  for (Instruction &I : instructions(Subject.F)) {
    auto *L = dyn_cast<LoadInst>(&I);
    if (!L || !L->getType()->isFPOrFPVectorTy() || !L->isSimple() ||
        !Subject.Shape.isLive(L->getParent()) ||
        !Loops.getLoopFor(L->getParent()) || Subject.Overwrite.canRepeat(*L))
      continue;
    const Value *Array = L->getPointerOperand();
    while (const auto *Place = dyn_cast<GEPOperator>(Array))
      Array = Place->getPointerOperand();
    const Value *Allocation = allocationBehind(Array, F);
    SmallVector<const Value *, 2> Sizes;
    if (Allocation)
      Sizes = lengthOf(*Allocation, Subject);
    if (Sizes.empty() || is_contained(Sizes, nullptr))
      continue;
    // As far out as nobody writes.
    const Loop *Nest = nullptr;
    for (const Loop *Around = Loops.getLoopFor(L->getParent()); Around;
         Around = Around->getParentLoop()) {
      if (!Around->getLoopPreheader() || !Around->isLoopInvariant(Array) ||
          !Subject.Overwrite.leavesAlone(*Around, *L))
        break;
      Nest = Around;
    }
    if (!Nest)
      continue;
    auto *It = find_if(Found, [&](const Snapshot &S) {
      return S.Nest == Nest && S.Array == Array;
    });
    if (It == Found.end()) {
      Found.push_back({Nest, Array, Sizes, {}});
      It = std::prev(Found.end());
    }
    It->Loads.push_back(L);
  }
  erase_if(Found, [&](Snapshot &S) {
    const Instruction *In = S.Nest->getLoopPreheader()->getTerminator();
    const auto *Made =
        dyn_cast<Instruction>(allocationBehind(S.Array, Subject.F));
    const Loop *MadeIn = Made ? Loops.getLoopFor(Made->getParent()) : nullptr;
    // The sizes are those of this allocation, not of one before it.
    if ((MadeIn && !MadeIn->contains(S.Nest)) ||
        !all_of(S.Sizes, [&](const Value *V) {
          return !isa<Instruction>(V) || Subject.DT.dominates(V, In);
        }))
      return true;
    // Where the nest begins the array is there: something in it is read in any
    // case.
    SimpleLoopSafetyInfo Runs;
    Runs.computeLoopSafetyInfo(S.Nest);
    if (none_of(S.Loads, [&](const LoadInst *L) {
          return Runs.isGuaranteedToExecute(*L, &Subject.DT, S.Nest);
        }))
      return true;
    for (const LoadInst *L : S.Loads)
      if (const Loop *In = Loops.getLoopFor(L->getParent());
          !S.Innermost || In->getLoopDepth() > S.Innermost->getLoopDepth())
        S.Innermost = In;
    std::optional<double> Bytes = bytesPerIteration(S, Subject.Shape);
    constexpr double MostBytes = 1024;
    if (!Bytes || *Bytes > MostBytes)
      return true;
    S.Share = std::ceil(16 * *Bytes);
    return false;
  });
  return Found;
}
