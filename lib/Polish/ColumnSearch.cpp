//===- ColumnSearch.cpp - can iterations of a loop be lanes ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes of values, places, and the proof that lanes do not meet in memory.
//
//===----------------------------------------------------------------------===//

#include "Polish/Columns.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <numeric>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::columns;

std::optional<int64_t> Columns::step(Value *V) {
  if (!SE.isSCEVable(V->getType()))
    return std::nullopt;
  const SCEV *S = SE.getSCEV(V);
  while (const auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!R->isAffine() || !L.contains(R->getLoop()))
      return std::nullopt;
    const SCEV *Step = R->getStepRecurrence(SE);
    if (R->getLoop() == &L) {
      const auto *C = dyn_cast<SCEVConstant>(Step);
      if (!C || C->getAPInt().getSignificantBits() > 32)
        return std::nullopt;
      return C->getAPInt().getSExtValue();
    }
    if (!SE.isLoopInvariant(Step, &L))
      return std::nullopt;
    S = R->getStart();
  }
  return std::nullopt;
}

/// Vectors of I's operands give a vector of its results.
static bool isLanewise(const Instruction &I) {
  auto IsNumber = [](const Type *T) {
    return T->isFloatTy() || T->isDoubleTy();
  };
  if (isa<FCmpInst>(I))
    return IsNumber(I.getOperand(0)->getType());
  if (const auto *S = dyn_cast<SelectInst>(&I))
    return IsNumber(S->getType()) || S->getType()->isIntegerTy(1);
  if (I.getType()->isIntegerTy(1))
    return isa<BinaryOperator>(I);
  if (!IsNumber(I.getType()))
    return false;
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return isTriviallyVectorizable(Call->getIntrinsicID()) &&
           all_of(Call->args(),
                  [&](const Use &U) { return IsNumber(U->getType()); });
  return isa<PHINode, BinaryOperator, UnaryOperator, FPExtInst, FPTruncInst,
             FreezeInst>(I);
}

/// No matter which lanes.
bool Columns::isSound(Instruction &I) {
  if (isa<BranchInst>(I))
    return true;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() && !Load->getPointerAddressSpace();
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Store->isSimple() && !Store->getPointerAddressSpace();
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    auto *Known = dyn_cast<IntrinsicInst>(Call);
    return Known && Known->doesNotAccessMemory() && !Known->isConvergent() &&
           !Known->getType()->isTokenTy() && !Known->getType()->isVoidTy();
  }
  return !I.mayReadOrWriteMemory() && !I.isTerminator() && !I.isEHPad() &&
         !I.getType()->isVectorTy() && !I.getType()->isTokenTy() &&
         !I.getType()->isAggregateType() && !isa<AllocaInst>(I);
}

std::optional<Shape> Columns::classify(Instruction &I) {
  if (&I == Latched || isa<BranchInst>(I))
    return Shape::Same;
  if (isa<PHINode>(I) && I.getParent() == L.getHeader()) {
    if (Carried.contains(&I))
      return Shape::Vector;
    return step(&I) ? std::optional(Shape::Moving) : std::nullopt;
  }
  if (all_of(I.operands(), [&](Use &U) { return shapeOf(U) == Shape::Same; }))
    return Shape::Same;
  if (isa<LoadInst, StoreInst>(I)) {
    Value *At = getLoadStorePointerOperand(&I);
    if (shapeOf(At) == Shape::Vector)
      return std::nullopt;
    return Shape::Vector;
  }
  if (any_of(I.operands(),
             [&](Use &U) { return shapeOf(U) == Shape::Moving; })) {
    if (step(&I) && none_of(I.operands(), [&](Use &U) {
          return shapeOf(U) == Shape::Vector;
        }))
      return Shape::Moving;
    return std::nullopt;
  }
  return isLanewise(I) ? std::optional(Shape::Vector) : std::nullopt;
}

/// From iteration to iteration of L, only additions in any order to Phi.
bool Columns::carriesSum(PHINode &Phi) {
  if (!Phi.getType()->isFloatTy() && !Phi.getType()->isDoubleTy())
    return false;
  SmallSetVector<Instruction *, 8> Chain;
  Chain.insert(&Phi);
  for (unsigned K = 0; K != Chain.size(); ++K)
    for (User *U : Chain[K]->users()) {
      auto *I = cast<Instruction>(U);
      if (!L.contains(I))
        continue; // behind the loop
      if (I == &Phi)
        continue;
      bool Adds = I->getOpcode() == Instruction::FAdd && I->hasAllowReassoc();
      if (!isa<PHINode>(I) && !Adds)
        return false;
      if (isa<PHINode>(I) && I->getParent() == L.getHeader())
        return false;
      Chain.insert(I);
    }
  for (Instruction *I : Chain) {
    auto InChain = [&](Value *V) {
      auto *X = dyn_cast<Instruction>(V);
      return X && Chain.contains(X);
    };
    if (I == &Phi)
      continue;
    unsigned Within = count_if(I->operands(), InChain);
    if (Within != (isa<PHINode>(I) ? I->getNumOperands() : 1))
      return false;
  }
  auto *Next =
      dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  return Next && Chain.contains(Next);
}

/// S adds to a place that is the same in all lanes.
bool Columns::findSum(StoreInst &S) {
  auto *Add = dyn_cast<BinaryOperator>(S.getValueOperand());
  if (!Add || Add->getOpcode() != Instruction::FAdd ||
      !Add->hasAllowReassoc() || !Add->hasOneUse() ||
      Add->getParent() != S.getParent() || shapeOf(Add) != Shape::Vector)
    return false;
  for (unsigned N : {0, 1}) {
    auto *Load = dyn_cast<LoadInst>(Add->getOperand(N));
    if (!Load || !Load->hasOneUse() || Load->getParent() != S.getParent() ||
        Load->getPointerOperand() != S.getPointerOperand() ||
        Load->getType() != Add->getType() || !Load->comesBefore(&S))
      continue;
    // In between, nobody else writes there.
    for (Instruction *I = Load; I != &S; I = I->getNextNode())
      if (isa<StoreInst>(I) &&
          !AA.isNoAlias(MemoryLocation::get(cast<StoreInst>(I)),
                        MemoryLocation::get(&S)))
        return false;
    Sums[&S] = Add;
    SumAdditions.insert(Add);
    return true;
  }
  return false;
}

bool Columns::addPlace(Instruction &I) {
  Value *At = getLoadStorePointerOperand(&I);
  Place P;
  P.I = &I;
  P.Write = isa<StoreInst>(I);
  const SCEV *S = SE.getSCEV(At);
  P.Base = SE.getPointerBase(S);
  // One array for the whole loop: two that change places in an inner loop are
  // apart at any time, but not for good.
  const auto *Array = dyn_cast<SCEVUnknown>(P.Base);
  if (!Array || !L.isLoopInvariant(Array->getValue()))
    return false;
  Type *Of = getLoadStoreType(&I);
  P.Bytes = F.getDataLayout().getTypeStoreSize(Of).getFixedValue();
  if (shapeOf(At) == Shape::Same) {
    if (P.Write) {
      if (!findSum(cast<StoreInst>(I)))
        return false;
      P.Sum = true;
    }
    Places.push_back(std::move(P));
    return true;
  }
  if (!Of->isDoubleTy() && !Of->isFloatTy())
    return false;
  std::optional<int64_t> Step = step(At);
  if (!Step || uint64_t(std::abs(*Step)) != P.Bytes)
    return false;
  (*Step < 0 ? Down : Up) = true;
  WidestBits = std::max(WidestBits, P.Bytes * 8);
  for (const auto *R = cast<SCEVAddRecExpr>(S);;
       S = R->getStart(), R = cast<SCEVAddRecExpr>(S)) {
    if (R->getLoop() == &L) {
      P.Start = R->getStart();
      break;
    }
    P.Moves.push_back(R->getStepRecurrence(SE));
  }
  P.Moving = true;
  Places.push_back(std::move(P));
  return true;
}

bool Columns::findShapes() {
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isFloatingPointTy()) {
      if (!carriesSum(Phi))
        return false;
      Carried.insert(&Phi);
    }
  for (bool Again = true; Again;) {
    Again = false;
    for (BasicBlock *Block : Order)
      for (Instruction &I : *Block) {
        std::optional<Shape> S = classify(I);
        if (!S)
          return false;
        Shape &Known = Shapes.try_emplace(&I, Shape::Same).first->second;
        if (*S < Known)
          return false; // in circles
        Again |= *S != Known;
        Known = *S;
      }
  }
  for (BasicBlock *Block : Order) {
    if (Block != L.getLoopLatch())
      if (auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
          Branch->isConditional() &&
          shapeOf(Branch->getCondition()) != Shape::Same)
        return false;
    for (Instruction &I : *Block) {
      // Numbers that move are for addresses.
      if (isa<LoadInst, StoreInst>(I) && !addPlace(I))
        return false;
      if (auto *S = dyn_cast<StoreInst>(&I);
          S && shapeOf(S->getValueOperand()) == Shape::Moving)
        return false;
    }
  }
  return true;
}

/// Row and Times divide what Difference, a sum of products, can be.
bool Columns::isRow(const SCEV *Difference) {
  if (Difference->isZero())
    return true;
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(Difference))
    return all_of(Sum->operands(), [&](const SCEV *S) { return isRow(S); });
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(Difference))
    return all_of(R->operands(), [&](const SCEV *S) { return isRow(S); });
  SmallVector<const SCEV *, 4> Factors{Difference};
  if (const auto *M = dyn_cast<SCEVMulExpr>(Difference))
    Factors.assign(M->operands().begin(), M->operands().end());
  uint64_t C = 1;
  if (const auto *K = dyn_cast<SCEVConstant>(Factors.front())) {
    if (K->getAPInt().getSignificantBits() > 32)
      return false;
    C = std::abs(K->getAPInt().getSExtValue());
    Factors.erase(Factors.begin());
  }
  if (!Times) { // the first one
    for (const SCEV *X : Factors)
      if (!Row && SE.isLoopInvariant(X, &L) && X->getType()->isIntegerTy(64) &&
          Expand.isSafeToExpandAt(X, L.getLoopPreheader()->getTerminator()))
        Row = X;
    if (!Row && !Factors.empty())
      return false;
    Times = C;
    return true;
  }
  Times = std::gcd(Times, C);
  return Row ? is_contained(Factors, Row) : Factors.empty();
}

bool Columns::mayMeet(const Place &X, const Place &Y) const {
  auto Whole = [](const Place &P) {
    return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(P.I),
                                            P.I->getAAMetadata());
  };
  return !AA.isNoAlias(Whole(X), Whole(Y));
}

bool Columns::areApart() {
  for (size_t K = 0; K != Places.size(); ++K)
    for (size_t M = K; M != Places.size(); ++M) {
      const Place &X = Places[K], &Y = Places[M];
      if (!X.Write && !Y.Write)
        continue;
      if (K != M && !mayMeet(X, Y))
        continue;
      if (X.Moving && Y.Moving) {
        if (X.Base != Y.Base || X.Bytes != Y.Bytes)
          return false;
        for (const Place *P : {&X, &Y})
          if (!all_of(P->Moves, [&](const SCEV *S) { return isRow(S); }))
            return false;
        if (const SCEV *D = SE.getMinusSCEV(X.Start, Y.Start);
            isa<SCEVCouldNotCompute>(D) || !isRow(D))
          return false;
        continue;
      }
      // Sums, and what they are added to.
      auto IsSum = [&](const Place &P) {
        if (P.Sum)
          return true;
        auto *Load = dyn_cast<LoadInst>(P.I);
        auto *Add = Load && Load->hasOneUse()
                        ? dyn_cast<BinaryOperator>(Load->user_back())
                        : nullptr;
        return Add && SumAdditions.contains(Add);
      };
      if (X.Moving || Y.Moving || !IsSum(X) || !IsSum(Y))
        return false;
    }
  return true;
}

/// An inner loop moves from row to row.
bool Columns::isWorthwhile() const {
  return any_of(Places, [&](const Place &P) {
    if (!P.Moving || P.Moves.empty())
      return false;
    const auto *C = dyn_cast<SCEVConstant>(P.Moves.front());
    return !C || C->getAPInt().abs().ugt(P.Bytes);
  });
}

/// Vectors that inner loops have in registers all along.
unsigned Columns::alive() const {
  unsigned Count = 0;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (shapeOf(&I) != Shape::Vector || I.getType()->isVoidTy())
        continue;
      const Loop *Home = LI.getLoopFor(Block);
      Count += Home != &L ? isa<PHINode>(I) : any_of(I.users(), [&](User *U) {
        return LI.getLoopFor(cast<Instruction>(U)->getParent()) != &L;
      });
    }
  return Count;
}

bool Columns::find() {
  BasicBlock *Latch = L.getLoopLatch();
  if (!L.getLoopPreheader() || !Latch || L.getExitingBlock() != Latch ||
      !L.getExitBlock() || L.getExitBlock()->getSinglePredecessor() != Latch)
    return false;
  auto *Back = dyn_cast<BranchInst>(Latch->getTerminator());
  if (!Back || !Back->isConditional())
    return false;
  Latched = dyn_cast<Instruction>(Back->getCondition());
  if (!Latched || !Latched->hasOneUse() || !L.contains(Latched))
    return false;
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64 ||
      !Expand.isSafeToExpandAt(Count, L.getLoopPreheader()->getTerminator()))
    return false;
  unsigned Size = 0;
  for (BasicBlock *Block : L.blocks()) {
    Size += Block->size();
    if (Size > MostInstructions ||
        !all_of(*Block, [&](Instruction &I) { return isSound(I); }))
      return false;
  }
  Order.perform(&LI);
  if (!findShapes() || Up == Down || !areApart() || !isWorthwhile())
    return false;
  // Behind the loop, only sums are known.
  formLCSSA(L, DT, &LI, &SE);
  for (PHINode &Phi : L.getExitBlock()->phis()) {
    Value *V = Phi.getIncomingValue(0);
    if (!L.isLoopInvariant(V) && none_of(Carried, [&](const Instruction *Sum) {
          return cast<PHINode>(Sum)->getIncomingValueForBlock(Latch) == V;
        }))
      return false;
  }
  return true;
}
