//===- ThreadRules.cpp - what threads do together -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   barrier                      barrier
//   y[l] = x[s(l)]  (shuffle)    adj[x[j]] += sum over l with s(l) = j of adj[y[l]]
//   *p += x         (atomic)     adj[x] += shadow[p]
//   *p -= x         (atomic)     adj[x] -= shadow[p]
//
// Why a barrier's adjoint is a barrier in the mirrored place: let thread A access a
// place before the barrier and thread B after it. In the reverse sweep B's adjoint
// comes first, and must be done when A's begins, whichever of the two is the load
// and which the store: a store takes the shadow that loads after it have added to,
// and leaves it empty for the accesses before it.
//
// Of an atomic addition only the sum is a function of the inputs. What was there
// before depends on who came first, so it must not be used as an active value; the
// same holds for exchange, minimum and maximum, which are refused.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Rules/RulesInternal.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

static const char *nothingMissing(const Instruction &, const ActivityAnalysis &) { return nullptr; }

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static void needsOfBarrier(const Instruction &I, const ActivityAnalysis &, NeedSink Sink) {
  // Which barrier, and how many threads or which lanes. What a counting barrier
  // counts does not matter any more.
  if (I.getType()->isVoidTy())
    for (const Value *A : cast<CallBase>(I).args())
      Sink({Need::Primal, A});
}

static void emitBarrier(const Instruction &I, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  const auto &Call = cast<CallBase>(I);
  if (!I.getType()->isVoidTy()) {
    B.CreateCall(C.runtime("rg_block_barrier"), {});
    return;
  }
  SmallVector<Value *, 2> Args;
  for (const Value *A : Call.args())
    Args.push_back(C.primal(A));
  CallInst *Mirrored = B.CreateCall(Call.getCalledFunction(), Args);
  Mirrored->setAttributes(Call.getAttributes());
}

const Rule retrograd::BarrierRule = {nothingMissing, needsOfBarrier, emitBarrier,
                                     /*AllLanes=*/true};

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

static void needsOfShuffle(const Instruction &I, const ActivityAnalysis &, NeedSink Sink) {
  const auto &C = cast<CallBase>(I);
  for (unsigned Op : {0u, 2u, 3u})
    Sink({Need::Primal, C.getArgOperand(Op)});
}

static void emitShuffle(const Instruction &I, RuleContext &C) {
  const auto &Call = cast<CallBase>(I);
  const OperationRecord &R = *C.activity().facts().catalogue().lookup(I);
  Value *Seed = C.take(&I);
  Function *Adjoint = C.runtime((R.Text + (I.getType()->isFloatTy() ? "f32" : "f64")).str());
  C.accumulate(Call.getArgOperand(1),
               C.builder().CreateCall(Adjoint, {C.primal(Call.getArgOperand(0)), Seed,
                                                C.primal(Call.getArgOperand(2)),
                                                C.primal(Call.getArgOperand(3))}));
}

const Rule retrograd::ShuffleRule = {nothingMissing, needsOfShuffle, emitShuffle};

//===----------------------------------------------------------------------===//
// Atomic additions
//===----------------------------------------------------------------------===//

static const char *missingOfAtomic(const Instruction &I, const ActivityAnalysis &A) {
  const auto *M = dyn_cast<AtomicRMWInst>(&I);
  if (!M)
    return "compare and exchange of an active value: the order of the threads would have to be "
           "reversed; use atomicAdd, or let each thread write a place of its own";
  if (M->getOperation() != AtomicRMWInst::FAdd && M->getOperation() != AtomicRMWInst::FSub)
    return "what remains depends on the order of the threads; only atomic addition and "
           "subtraction have a derivative";
  if (A.isActive(M))
    return "the value before an atomic addition depends on the order of the threads and must "
           "not be used";
  return nullptr;
}

static void needsOfAtomic(const Instruction &I, const ActivityAnalysis &A, NeedSink Sink) {
  const Value *P = cast<AtomicRMWInst>(I).getPointerOperand();
  Sink({Need::Shadow, P});
  if (A.isMixed(P))
    Sink({Need::Primal, P});
}

static void emitAtomic(const Instruction &I, RuleContext &C) {
  const auto &M = cast<AtomicRMWInst>(I);
  const Value *P = M.getPointerOperand(), *X = M.getValOperand();
  if (!C.activity().isActive(X))
    return;
  IRBuilderBase &B = C.builder();
  Value *Shadow = C.shadow(P);
  Align Alignment = shadowAlign(X->getType(), M.getAlign(), M.getModule()->getDataLayout());
  Value *Adjoint = B.CreateAlignedLoad(X->getType(), Shadow, Alignment);
  C.markAdjointAccess(cast<Instruction>(Adjoint));
  // Memory that is its own shadow holds no adjoints.
  if (C.activity().isMixed(P))
    Adjoint = B.CreateSelect(B.CreateICmpEQ(Shadow, C.primal(P)), adjointZero(X->getType()), Adjoint);
  C.accumulate(X, M.getOperation() == AtomicRMWInst::FSub ? B.CreateFNeg(Adjoint) : Adjoint);
}

const Rule retrograd::AtomicRule = {missingOfAtomic, needsOfAtomic, emitAtomic};
