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

static bool always(const Instruction &, const ActivityAnalysis &) {
  return true;
}

const Operation operations::Barriers = {
    .Missing = nothingMissing,
    .Needs = needsOfBarrier,
    .Adjoint = emitBarrier,
    .HasAdjoint = always,
    .AllLanes = true,
};

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
  const auto &Call = cast<CallBase>(I);
  SmallVector<Value *, 2> Args;
  for (const Value *A : Call.args())
    Args.push_back(C.primal(A));
  if (!I.getType()->isVoidTy())
    Args.push_back(C.primal(&I));
  C.builder().CreateCall(
      R.Text.empty() ? Call.getCalledFunction() : C.runtime(R.Text), Args);
}

const Operation operations::Protocols = {
    .Missing = nothingMissing,
    .Needs = needsOfProtocol,
    .Adjoint = emitProtocol,
    .HasAdjoint = always,
    .AllLanes = true,
};

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
  const bool AskAlike = isa<Constant>(Call.getArgOperand(2)) &&
                        isa<Constant>(Call.getArgOperand(3));
  Function *Adjoint = C.runtime((R.Text + (AskAlike ? "alike_" : "") +
                                 (I.getType()->isFloatTy() ? "f32" : "f64"))
                                    .str());
  C.accumulate(
      Call.getArgOperand(1),
      C.builder().CreateCall(Adjoint, {C.primal(Call.getArgOperand(0)), Seed,
                                       C.primal(Call.getArgOperand(2)),
                                       C.primal(Call.getArgOperand(3))}));
}

/// From the thread that the value comes from.
static Value *tangentOfShuffle(const Instruction &I, TangentContext &C) {
  auto *Call = cast<CallBase>(C.primal(&I));
  SmallVector<Value *, 4> Args(Call->args());
  Args[1] = C.companion(cast<CallBase>(I).getArgOperand(1));
  CallInst *Shuffled = C.builder().CreateCall(Call->getFunctionType(),
                                              Call->getCalledOperand(), Args);
  Shuffled->setAttributes(Call->getAttributes());
  return Shuffled;
}

const Operation operations::Shuffles = {
    .Missing = nothingMissing,
    .Needs = needsOfShuffle,
    .Adjoint = emitShuffle,
    .Tangent = tangentOfShuffle,
};

//===----------------------------------------------------------------------===//
// Atomic additions
//===----------------------------------------------------------------------===//

/// The integer V may be the bits of an active number: an atomic operation on
/// integers in a loop that does what the machine cannot do on numbers.
static bool holdsActiveBits(const Value *V, const ActivityAnalysis &A) {
  SmallVector<const Value *, 8> Work{V};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (A.isVaried(I))
      return true;
    if (isa<BitCastInst, PHINode, SelectInst, FreezeInst, TruncInst, ZExtInst,
            SExtInst>(I) ||
        (I->isBinaryOp() && I->getType()->isIntOrIntVectorTy()))
      append_range(Work, I->operands());
  }
  return false;
}

static bool hasAdjointOfAtomic(const Instruction &I,
                               const ActivityAnalysis &A) {
  const auto *M = dyn_cast<AtomicRMWInst>(&I);
  const Value *New =
      M ? M->getValOperand() : cast<AtomicCmpXchgInst>(I).getNewValOperand();
  const Value *P = M ? M->getPointerOperand()
                     : cast<AtomicCmpXchgInst>(I).getPointerOperand();
  if (holdsActiveBits(New, A))
    return true;
  // A counter beside active floats (the count of a shared pointer) is none.
  if (!A.isActiveMemory(P))
    return false;
  uint64_t Size = I.getModule()
                      ->getDataLayout()
                      .getTypeStoreSize(New->getType())
                      .getFixedValue();
  return any_of(
      A.facts().types().leavesOfAccess(&I, P, Size), [](const TypedLeaf &L) {
        return L.Kind.K != ByteKind::Integer && L.Kind.K != ByteKind::Pointer;
      });
}

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

static Value *generic(IRBuilderBase &B, Value *P) {
  return P->getType()->getPointerAddressSpace()
             ? B.CreateAddrSpaceCast(P, B.getPtrTy())
             : P;
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
  Shadow = generic(B, Shadow);
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

/// An exchange, a minimum or a maximum: the number that remains brings its
/// tangent with it, and nobody sees the one without the other.
static void keepBoth(const AtomicRMWInst &M, const Value &Kept,
                     TangentContext &C) {
  IRBuilderBase &B = C.builder();
  auto Kind = [&]() -> unsigned { // as rg_replaces_b32
    switch (M.getOperation()) {
    case AtomicRMWInst::Max:
      return 1;
    case AtomicRMWInst::Min:
      return 2;
    case AtomicRMWInst::UMax:
      return 3;
    case AtomicRMWInst::UMin:
      return 4;
    case AtomicRMWInst::FMax:
      return 5;
    case AtomicRMWInst::FMin:
      return 6;
    default:
      return 0;
    }
  };
  auto *Clone = cast<AtomicRMWInst>(C.primal(&M));
  B.SetInsertPoint(Clone);
  B.SetCurrentDebugLocation(Clone->getDebugLoc());
  const unsigned Bits = M.getType()->getPrimitiveSizeInBits();
  Type *Word = B.getIntNTy(Bits);
  Value *Tangent = C.activity().isActive(&Kept)
                       ? B.CreateBitCast(C.companion(&Kept), Word)
                       : Constant::getNullValue(Word);
  Value *Old = B.CreateCall(
      C.runtime(Bits == 32 ? "rg_keep_both_b32" : "rg_keep_both_b64"),
      {generic(B, Clone->getPointerOperand()),
       B.CreateBitCast(Clone->getValOperand(), Word),
       generic(B, C.companion(M.getPointerOperand())), Tangent,
       B.getInt32(Kind())});
  Clone->replaceAllUsesWith(B.CreateBitCast(Old, M.getType()));
  Clone->eraseFromParent();
}

/// *p += x: the tangents add up in the same way. The plan refused all others
/// where they matter. Nobody may use the value before, so it has no tangent.
static Value *tangentOfAtomic(const Instruction &I, TangentContext &C) {
  if (!hasAdjointOfAtomic(I, C.activity()))
    return nullptr;
  const auto &M = cast<AtomicRMWInst>(I);
  const Value *P = M.getPointerOperand(), *X = M.getValOperand();
  if (const Value *Kept = keptNumber(M)) {
    keepBoth(M, *Kept, C);
    return nullptr;
  }
  if (!C.activity().isActive(X))
    return nullptr;
  IRBuilderBase &B = C.builder();
  Value *Address = C.companion(P);
  if (C.activity().isMixed(P))
    Address = B.CreateSelect(B.CreateICmpEQ(Address, C.primal(P)),
                             C.nowhere(X->getType()), Address);
  B.CreateAtomicRMW(
      M.getOperation(), Address, C.companion(X),
      shadowAlign(X->getType(), M.getAlign(), M.getModule()->getDataLayout()),
      AtomicOrdering::Monotonic, M.getSyncScopeID());
  return nullptr;
}

const Operation operations::Atomics = {
    .Missing = missingOfAtomic,
    .Needs = needsOfAtomic,
    .Adjoint = emitAtomic,
    .Tangent = tangentOfAtomic,
    .HasAdjoint = hasAdjointOfAtomic,
};
