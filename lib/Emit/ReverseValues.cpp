//===- ReverseValues.cpp - values of the primal in the reverse sweep ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a rule needs is loaded from its slot or computed again, as the plan
// chose.
//
//===----------------------------------------------------------------------===//

#include "Emit/FormulaEmitter.h"
#include "Emit/ReverseEmitter.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

Value *ReverseEmitter::iteration(const Loop *L) {
  AllocaInst *Up = Upward.lookup(L);
  return B.CreateLoad(B.getInt64Ty(), Up ? Up : Counters[L], "rg.iter");
}

Value *ReverseEmitter::trips(const Loop *L) {
  if (auto N = Plan.constantCount(L))
    return B.getInt64(*N + 1);
  if (Plan.scope(L).InFrame)
    return B.getInt64(Plan.shape().facts(L).MostTrips);
  if (Plan.shape().facts(L).Exact)
    return B.CreateAdd(lookup({Need::Count, L->getHeader()}), B.getInt64(1));
  LoadInst *Trips = B.CreateLoad(
      B.getInt64Ty(), lookup({Need::Records, L->getHeader()}), "rg.trips");
  Primal.kinds().tape(Trips);
  return Trips;
}

Value *ReverseEmitter::lookup(Need N) {
  N = Plan.canonical(N);
  if (auto *C = dyn_cast<Constant>(N.Of)) {
    auto *K = const_cast<Constant *>(C);
    return N.K == Need::Shadow
               ? shadowOfConstant(*K, Plan.activity(), Services, Lane)
               : withDefinedLanes(*K);
  }
  std::pair Key(N, N.K == Need::Shadow ? Lane : 0);
  if (Value *V = Met.lookup(Key))
    return V;
  const Slot *S = Plan.slot(N);
  Value *V = S ? loadSlot(*S) : compute(N);
  Met[Key] = V;
  return V;
}

Value *ReverseEmitter::loadSlot(const Slot &S) {
  const Loop *L = Plan.scopeOf(S.Holds);
  Value *Address;
  if (!L || Plan.isDeferred(L)) {
    Address = Plan.isSplit()
                  ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Frame, S.Offset)
                  : (Value *)Primal.frameSlot(S);
  } else if (Records.contains(L)) {
    Value *Record = B.CreateLoad(B.getPtrTy(), Records[L]);
    Address = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Record, S.Offset);
  } else {
    Value *Base = lookup({Need::Records, L->getHeader()});
    // As PrimalEmitter::elements and element.
    const Scope &Of = Plan.scope(L);
    Value *Elements = nullptr, *Element = nullptr;
    for (const Loop *K : Of.nest()) {
      Value *Trips = trips(K);
      Element = Element
                    ? B.CreateAdd(B.CreateMul(Element, Trips, "", true, true),
                                  iteration(K), "", true, true)
                    : iteration(K);
      if (!Of.InRecords)
        Elements =
            Elements ? B.CreateMul(Elements, Trips, "", true, true) : Trips;
    }
    if (Of.InRecords) {
      Address = B.CreateConstInBoundsGEP1_64(
          B.getInt8Ty(), recordAddress(Of, Base, Element, B), S.Offset);
    } else {
      Value *Start = B.CreateAdd(B.CreateMul(Elements, B.getInt64(S.Offset)),
                                 B.getInt64(ArrayHeaderBytes));
      Address = B.CreateInBoundsGEP(
          S.Ty, B.CreateInBoundsGEP(B.getInt8Ty(), Base, Start), Element);
    }
  }
  Type *T = S.Ty;
  if (S.Holds.K == Need::Shadow && width() != 1) {
    T = S.Holds.Of->getType();
    Address = B.CreateConstInBoundsGEP1_64(T, Address, Lane);
  }
  LoadInst *Kept = B.CreateAlignedLoad(
      T, Address,
      T == S.Ty ? Plan.scope(L).alignmentOf(S, D.getDataLayout())
                : std::min(Align(16), D.getDataLayout().getABITypeAlign(T)));
  Primal.kinds().tape(Kept);
  Value *V = Kept;
  if (S.Holds.K == Need::Primal && S.Holds.Of->getType()->isIntegerTy(1))
    V = B.CreateTrunc(V, B.getInt1Ty());
  return V;
}

/// What a running extremum was when the iteration began. Behind the iteration
/// that its final value comes from it was that value. In that one it was less,
/// or no number: which, the derivative does not ask. In front of it there are
/// no adjoints any more.
Value *ReverseEmitter::computeRunning(const Choice &C) {
  Value *Final = lookup({Need::Primal, C.Final});
  Type *T = C.Running->getType();
  // Where the user has said that there are no NaNs, none may be made.
  bool Finite = C.Chosen->hasNoNaNs() || C.Chosen->hasNoInfs();
  Constant *Beaten =
      Finite ? ConstantFP::get(T, APFloat::getLargest(T->getFltSemantics(),
                                                      /*Negative=*/!C.Least))
             : ConstantFP::getNaN(T);
  Value *Behind =
      B.CreateICmpSGT(iteration(C.Of), lookup({Need::Won, C.Of->getHeader()}));
  return B.CreateSelect(Behind, Final, Beaten, C.Running->getName() + ".re");
}

Value *ReverseEmitter::computePhi(const PHINode &Phi, Need::Kind K) {
  if (const Choice *C = K == Need::Primal ? Plan.runningChoice(&Phi) : nullptr)
    return computeRunning(*C);
  const AffinePhi *A = Plan.shape().affine(&Phi);
  if (!A && Plan.isSelect(Phi) && !Phi.hasConstantValue()) {
    auto J = Plan.decidedJoin(Phi.getParent());
    assert(J && "is a select");
    Value *Condition = lookup({Need::Primal, J->Condition});
    Value *Sides[2]; // false, true
    for (auto [From, OnTrue] :
         zip(Plan.predecessorsOf(Phi.getParent()), J->OnTrueSide))
      Sides[OnTrue] =
          lookup({Need::Primal, Phi.getIncomingValueForBlock(From)});
    return B.CreateSelect(Condition, Sides[1], Sides[0], Phi.getName() + ".re");
  }
  if (!A) // all incoming values are one
    return lookup({K, Phi.hasConstantValue()});
  const Loop *L = Plan.shape().loops().getLoopFor(Phi.getParent());
  Value *Start = lookup({K, A->Start});
  Value *I = iteration(L);
  if (Phi.getType()->isPointerTy()) {
    Value *Step =
        A->InvariantStep
            ? B.CreateSExtOrTrunc(lookup({Need::Primal, A->InvariantStep}),
                                  B.getInt64Ty())
            : B.getInt64(A->ConstantStep);
    return B.CreateGEP(B.getInt8Ty(), Start, B.CreateMul(I, Step));
  }
  Type *T = Phi.getType();
  I = B.CreateZExtOrTrunc(I, T);
  Value *Step = A->InvariantStep ? lookup({Need::Primal, A->InvariantStep})
                                 : ConstantInt::getSigned(T, A->ConstantStep);
  return B.CreateAdd(Start, B.CreateMul(I, Step));
}

Value *ReverseEmitter::computePred(const BasicBlock &Block) {
  Type *T = Plan.typeOf({Need::Pred, &Block});
  auto J = Plan.decidedJoin(&Block);
  if (auto Decided = J ? std::nullopt : Plan.decidedWays(&Block)) {
    Value *Which = ConstantInt::get(T, Decided->Ways.back().Index);
    for (const DecidedWays::Way &Way : reverse(drop_end(Decided->Ways))) {
      Value *Condition = lookup({Need::Primal, Way.Condition});
      Value *This = ConstantInt::get(T, Way.Index);
      Which = B.CreateSelect(Condition, Way.IfTrue ? This : Which,
                             Way.IfTrue ? Which : This);
    }
    return Which;
  }
  assert(J && J->OnTrueSide.size() == 2 && "the plan keeps other joins");
  Value *Condition = lookup({Need::Primal, J->Condition});
  return B.CreateSelect(Condition,
                        ConstantInt::get(T, J->OnTrueSide[0] ? 0 : 1),
                        ConstantInt::get(T, J->OnTrueSide[0] ? 1 : 0));
}

/// The backedges that a loop has taken, from the values that it follows from.
/// Like SCEV's own expander, which would look for them in the primal sweep.
Value *ReverseEmitter::computeCount(const SCEV *S) {
  if (auto *C = dyn_cast<SCEVConstant>(S))
    return C->getValue();
  if (auto *U = dyn_cast<SCEVUnknown>(S))
    return lookup({Need::Primal, U->getValue()});
  SmallVector<Value *, 4> Ops;
  for (const SCEV *Op : S->operands())
    Ops.push_back(computeCount(Op));
  auto Fold = [&](auto Combine) {
    Value *V = Ops[0];
    for (Value *Op : drop_begin(Ops))
      V = Combine(V, Op);
    return V;
  };
  auto Extreme = [&](Intrinsic::ID Which) {
    return Fold([&](Value *X, Value *Y) {
      return B.CreateBinaryIntrinsic(Which, X, Y);
    });
  };
  switch (S->getSCEVType()) {
  case scTruncate:
    return B.CreateTrunc(Ops[0], S->getType());
  case scZeroExtend:
    return B.CreateZExt(Ops[0], S->getType());
  case scSignExtend:
    return B.CreateSExt(Ops[0], S->getType());
  case scAddRecExpr:
    return B.CreateAdd(
        Ops[0],
        B.CreateMul(Ops[1], B.CreateZExtOrTrunc(
                                iteration(cast<SCEVAddRecExpr>(S)->getLoop()),
                                S->getType())));
  case scAddExpr:
    return Fold([&](Value *X, Value *Y) { return B.CreateAdd(X, Y); });
  case scMulExpr:
    return Fold([&](Value *X, Value *Y) { return B.CreateMul(X, Y); });
  case scUDivExpr:
    return B.CreateUDiv(Ops[0], Ops[1]);
  case scUMaxExpr:
    return Extreme(Intrinsic::umax);
  case scSMaxExpr:
    return Extreme(Intrinsic::smax);
  case scUMinExpr:
    return Extreme(Intrinsic::umin);
  case scSMinExpr:
    return Extreme(Intrinsic::smin);
  default:
    llvm_unreachable("the plan counts such loops");
  }
}

/// The running pivot, or what an iteration of one of its loops begins with: the
/// last one, but for what the first iteration of all begins with.
Value *ReverseEmitter::computeSettled(const RunningPivot &R,
                                      const Instruction &I) {
  Value *Last = lookup({Need::Final, R.Pivot});
  if (&I == R.Pivot || R.FromNothing)
    return Last;
  const Loop *L = Plan.shape().loops().getLoopFor(I.getParent());
  Value *Start = lookup(
      {Need::Primal,
       cast<PHINode>(I).getIncomingValueForBlock(L->getLoopPreheader())});
  return B.CreateSelect(B.CreateICmpEQ(iteration(L), B.getInt64(0)), Start,
                        Last, I.getName() + ".re");
}

/// The factor by which a running pivot rescales what came of the iterations
/// before is 1 where all pivots are one. Null if I is nothing of the kind.
Constant *ReverseEmitter::foldShift(const Instruction &I,
                                    ArrayRef<Value *> Ops) const {
  auto IsFolded = [&](unsigned K) {
    const auto *C = dyn_cast<ConstantFP>(Ops[K]);
    return C && C->isZero() && Plan.isShifted(I.getOperand(K));
  };
  auto IsFinite = [&](unsigned K) {
    const auto *C = dyn_cast<ConstantFP>(Ops[K]);
    return C && C->getValueAPF().isFinite();
  };
  if (I.getOpcode() == Instruction::FSub && Ops[0] == Ops[1] &&
      Plan.settledBy(I.getOperand(0)))
    return ConstantFP::getZero(I.getType());
  if (I.getOpcode() == Instruction::FMul &&
      ((IsFolded(0) && IsFinite(1)) || (IsFolded(1) && IsFinite(0))))
    return ConstantFP::getZero(I.getType());
  if (isa<CallInst>(I) && IsFolded(0) &&
      ShiftInvariance::isExponential(I, Plan.facts().catalogue()))
    return ConstantFP::get(I.getType(), 1);
  return nullptr;
}

Value *ReverseEmitter::compute(Need N) {
  if (N.K == Need::Count) {
    const Loop *L = Plan.shape().loops().getLoopFor(cast<BasicBlock>(N.Of));
    return B.CreateZExtOrTrunc(
        computeCount(Plan.shape().facts(L).BackedgeBound), B.getInt64Ty());
  }
  if (N.K == Need::Pred)
    return computePred(*cast<BasicBlock>(N.Of));
  assert((N.K == Need::Primal || N.K == Need::Shadow) &&
         "the plan keeps the others");
  if (auto Given = GivenShadows.find(N.Of);
      N.K == Need::Shadow && Given != GivenShadows.end())
    return Given->second[Lane];
  if (Value *Given =
          GivenPrimals.lookup(N.Of)) // that of a constant one is its own shadow
    return Given;
  if (Plan.recipe(N).K == Recipe::Available)
    return N.K == Need::Shadow ? Primal.shadow(N.Of, Lane)
                               : Primal.primal(N.Of);
  assert(Plan.recipe(N).K == Recipe::Compute &&
         "need that the plan does not know");
  const auto &I = *cast<Instruction>(N.Of);
  if (const Choice *C = N.K == Need::Primal ? Plan.choiceBy(&I) : nullptr) {
    const unsigned Link = C->linkWith(&I).value_or(0);
    Value *Offer =
        B.CreateAdd(B.CreateMul(iteration(C->Of), B.getInt64(C->Links.size()),
                                "", true, true),
                    B.getInt64(Link), "", true, true);
    Value *Here =
        B.CreateICmpEQ(Offer, lookup({Need::Last, C->Of->getHeader()}));
    return C->Links[Link].OnTrue ? Here : B.CreateNot(Here);
  }
  if (const RunningPivot *R =
          N.K == Need::Primal ? Plan.settledBy(&I) : nullptr)
    return computeSettled(*R, I);
  if (const StoreInst *S = N.K == Need::Primal ? Plan.heldBy(&I) : nullptr) {
    LoadInst *Held = B.CreateAlignedLoad(
        I.getType(), lookup({Need::Primal, S->getPointerOperand()}),
        S->getAlign(), I.getName() + ".held");
    Primal.kinds().repeated(Held);
    return Held;
  }
  if (auto *Phi = dyn_cast<PHINode>(&I))
    return computePhi(*Phi, N.K);
  // Operands first: the clone goes behind what they need.
  SmallVector<Value *, 4> Ops;
  for (const Use &U : I.operands()) {
    if (isa<MetadataAsValue>(U.get())) {
      Ops.push_back(U.get());
      continue;
    }
    bool ViaShadow = N.K == Need::Shadow && Plan.activity().hasShadow(U.get());
    Ops.push_back(lookup({ViaShadow ? Need::Shadow : Need::Primal, U.get()}));
  }
  if (const auto *L = dyn_cast<LoadInst>(&I);
      L && N.K == Need::Primal && Plan.originalOf(*L)) {
    LoadInst *Kept =
        B.CreateAlignedLoad(L->getType(), Primal.placeOf(*L, Ops.front(), B),
                            Align(1), I.getName() + ".re");
    Primal.kinds().tape(Kept);
    return Kept;
  }
  if (const Snapshot *S = isa<LoadInst>(I) && N.K == Need::Primal
                              ? Plan.snapshotOf(cast<LoadInst>(I))
                              : nullptr) {
    Value *Array = lookup({Need::Primal, S->Array});
    Value *Offset = B.CreateSub(B.CreatePtrToInt(Ops.front(), B.getInt64Ty()),
                                B.CreatePtrToInt(Array, B.getInt64Ty()));
    Value *Whole = lookup({Need::Snapshot, S->Loads.front()});
    LoadInst *Kept = B.CreateAlignedLoad(
        I.getType(), B.CreateInBoundsGEP(B.getInt8Ty(), Whole, Offset),
        Align(1), I.getName() + ".re");
    Primal.kinds().tape(Kept);
    return Kept;
  }
  if (Constant *Folded = N.K == Need::Primal ? foldShift(I, Ops) : nullptr)
    return Folded;
  Instruction *C = I.clone();
  for (auto [K, V] : enumerate(Ops))
    C->setOperand(K, V);
  C->dropUnknownNonDebugMetadata();
  if (N.K == Need::Shadow) {
    C->dropPoisonGeneratingFlags();
    if (auto *L = dyn_cast<LoadInst>(C))
      L->setAlignment(
          shadowAlign(L->getType(), L->getAlign(), D.getDataLayout()));
  }
  if (isa<LoadInst>(C))
    Primal.kinds().repeated(C);
  B.Insert(C, I.getName() + (N.K == Need::Shadow ? ".sh" : ".re"));
  C->setDebugLoc(B.getCurrentDebugLocation());
  return C;
}
