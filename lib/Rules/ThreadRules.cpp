//===- ThreadRules.cpp - what threads do together -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   barrier                      barrier
//   protocol P                   its mirror P', with what P returned
//   y[l] = x[s(l)]  (shuffle)    adj[x[j]] += sum over l with s(l) = j of
//   adj[y[l]] *p += x         (atomic)     adj[x] += shadow[p] *p -= x (atomic)
//   adj[x] -= shadow[p]
//
// Why a barrier's adjoint is a barrier in the mirrored place: let thread A
// access a place before the barrier and thread B after it. In the reverse sweep
// B's adjoint comes first, and must be done when A's begins, whichever of the
// two is the load and which the store: a store takes the shadow that loads
// after it have added to, and leaves it empty for the accesses before it.
//
//   *p = x if *p < x (atomic)    if *p is x: adj[x] += shadow[p], shadow[p] = 0
//   *p = x          (exchange)   the same
//
// Of an atomic addition only the sum is a function of the inputs. What was
// there before depends on who came first, so it must not be used as an active
// value. Nor of an exchange, a minimum or a maximum: see docs/Atomics.md, also
// for where these can be reversed at all.
//
//===----------------------------------------------------------------------===//

#include "Analysis/KeptNumber.h"
#include "Catalogue/Catalogue.h"
#include "Rules/RulesInternal.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

static const char *nothingMissing(const Instruction &,
                                  const ActivityAnalysis &) {
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static void needsOfBarrier(const Instruction &I, const ActivityAnalysis &,
                           NeedSink Sink) {
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

const Rule retrograd::BarrierRule = {nothingMissing, needsOfBarrier,
                                     emitBarrier,
                                     /*AllLanes=*/true};

//===----------------------------------------------------------------------===//
// Protocols of a team
//===----------------------------------------------------------------------===//

/// What was agreed on, and with what result: which turn a thread had.
static void needsOfProtocol(const Instruction &I, const ActivityAnalysis &,
                            NeedSink Sink) {
  for (const Value *A : cast<CallBase>(I).args())
    Sink({Need::Primal, A});
  if (!I.getType()->isVoidTy())
    Sink({Need::Primal, &I});
}

static void emitProtocol(const Instruction &I, RuleContext &C) {
  const OperationRecord &R = *C.activity().facts().catalogue().lookup(I);
  SmallVector<Value *, 2> Args;
  for (const Value *A : cast<CallBase>(I).args())
    Args.push_back(C.primal(A));
  if (!I.getType()->isVoidTy())
    Args.push_back(C.primal(&I));
  C.builder().CreateCall(C.runtime(R.Text), Args);
}

const Rule retrograd::ProtocolRule = {nothingMissing, needsOfProtocol,
                                      emitProtocol, /*AllLanes=*/true};

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

static void needsOfShuffle(const Instruction &I, const ActivityAnalysis &,
                           NeedSink Sink) {
  const auto &C = cast<CallBase>(I);
  for (unsigned Op : {0u, 2u, 3u})
    Sink({Need::Primal, C.getArgOperand(Op)});
}

static void emitShuffle(const Instruction &I, RuleContext &C) {
  const auto &Call = cast<CallBase>(I);
  const OperationRecord &R = *C.activity().facts().catalogue().lookup(I);
  Value *Seed = C.take(&I);
  Function *Adjoint =
      C.runtime((R.Text + (I.getType()->isFloatTy() ? "f32" : "f64")).str());
  C.accumulate(
      Call.getArgOperand(1),
      C.builder().CreateCall(Adjoint, {C.primal(Call.getArgOperand(0)), Seed,
                                       C.primal(Call.getArgOperand(2)),
                                       C.primal(Call.getArgOperand(3))}));
}

const Rule retrograd::ShuffleRule = {nothingMissing, needsOfShuffle,
                                     emitShuffle};

//===----------------------------------------------------------------------===//
// Atomic additions
//===----------------------------------------------------------------------===//

static const char *missingOfAtomic(const Instruction &I,
                                   const ActivityAnalysis &A) {
  const auto *M = dyn_cast<AtomicRMWInst>(&I);
  if (!M)
    return "compare and exchange of an active value: the order of the threads "
           "would have to be "
           "reversed; use atomicAdd, or let each thread write a place of its "
           "own";
  const bool Adds = M->getOperation() == AtomicRMWInst::FAdd ||
                    M->getOperation() == AtomicRMWInst::FSub;
  if (!Adds && !Target(*I.getModule()).manyThreads())
    return "what remains depends on the order of the threads; only atomic "
           "addition and "
           "subtraction have a derivative";
  if (!Adds && !keptNumber(*M))
    return "it works on the bits of an active number as an integer; atomic "
           "addition, exchange, minimum "
           "and maximum of the number itself, or of its bits as they are, have "
           "a derivative";
  if (A.isActive(M))
    return Adds ? "the value before an atomic addition depends on the order of "
                  "the threads and must "
                  "not be used"
                : "the value before an exchange, a minimum or a maximum "
                  "depends on the order of the "
                  "threads and must not be used";
  return nullptr;
}

static void needsOfAtomic(const Instruction &I, const ActivityAnalysis &A,
                          NeedSink Sink) {
  const auto &M = cast<AtomicRMWInst>(I);
  const Value *P = M.getPointerOperand(), *Kept = keptNumber(M);
  Sink({Need::Shadow, P});
  if (A.isMixed(P) || Kept)
    Sink({Need::Primal, P});
  if (Kept)
    Sink({Need::Primal, Kept});
}

/// The adjoint of what M left in memory goes to the thread whose number that
/// is.
static void emitKept(const AtomicRMWInst &M, const Value *X, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  const Value *P = M.getPointerOperand();
  Value *Shadow = C.shadow(P), *Place = C.primal(P);
  const unsigned Bits = M.getType()->getPrimitiveSizeInBits();
  Type *Word = B.getIntNTy(Bits);
  AtomicPlace Of = C.atomicPlace(M);
  Value *Won = B.getTrue();
  if (Of != AtomicPlace::Own) {
    Value *Left = B.CreateAlignedLoad(Word, Place, M.getAlign());
    Won = B.CreateICmpEQ(Left, B.CreateBitCast(C.primal(X), Word));
  }
  if (Of != AtomicPlace::Block)
    B.CreateCall(C.runtime(Of == AtomicPlace::Own ? "rg_atomics_apart"
                                                  : "rg_atomics_in_block"),
                 {Of == AtomicPlace::Own ? C.atomicsOwned() : B.getTrue(),
                  B.CreateGlobalString(M.getFunction()->getName(), "rg.name", 0,
                                       B.GetInsertBlock()->getModule())});
  if (C.activity().isMixed(P))
    Won = B.CreateAnd(Won, B.CreateICmpNE(Shadow, Place));
  if (Shadow->getType()->getPointerAddressSpace())
    Shadow = B.CreateAddrSpaceCast(Shadow, B.getPtrTy());
  CallInst *Taken =
      B.CreateCall(C.runtime(Bits == 32 ? "rg_take_if_b32" : "rg_take_if_b64"),
                   {Shadow, Won});
  C.markAdjointAccess(Taken);
  if (C.activity().isActive(X))
    C.accumulate(X, B.CreateBitCast(Taken, X->getType()));
}

static void emitAtomic(const Instruction &I, RuleContext &C) {
  const auto &M = cast<AtomicRMWInst>(I);
  const Value *P = M.getPointerOperand(), *X = M.getValOperand();
  if (const Value *Kept = keptNumber(M))
    return emitKept(M, Kept, C);
  if (!C.activity().isActive(X))
    return;
  IRBuilderBase &B = C.builder();
  Value *Shadow = C.shadow(P);
  Align Alignment =
      shadowAlign(X->getType(), M.getAlign(), M.getModule()->getDataLayout());
  Value *Adjoint = B.CreateAlignedLoad(X->getType(), Shadow, Alignment);
  C.markAdjointAccess(cast<Instruction>(Adjoint));
  // Memory that is its own shadow holds no adjoints.
  if (C.activity().isMixed(P))
    Adjoint = B.CreateSelect(B.CreateICmpEQ(Shadow, C.primal(P)),
                             adjointZero(X->getType()), Adjoint);
  C.accumulate(X, M.getOperation() == AtomicRMWInst::FSub
                      ? B.CreateFNeg(Adjoint)
                      : Adjoint);
}

const Rule retrograd::AtomicRule = {missingOfAtomic, needsOfAtomic, emitAtomic};
