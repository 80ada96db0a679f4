//===- ColumnEmission.cpp - iterations of a loop become lanes -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop with vectors, once for each number of lanes, in front of the loop.
//
//===----------------------------------------------------------------------===//

#include "Polish/Columns.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::columns;

Value *Columns::vector(IRBuilder<> &B, Value *V) {
  if (Value *X = Vectors.lookup(V))
    return X;
  return B.CreateVectorSplat(Width, scalar(V));
}

void Columns::copy(IRBuilder<> &B, Instruction &I) {
  if (&I == Latched || SumAdditions.contains(&I))
    return;
  if (shapeOf(&I) != Shape::Vector) {
    Instruction *Again = I.clone();
    for (Use &U : Again->operands())
      if (!isa<PHINode>(I))
        U.set(scalar(U));
    B.Insert(Again, I.getName());
    Scalars[&I] = Again;
    return;
  }
  Value *Made = nullptr;
  Type *To = I.getType()->isVoidTy()
                 ? nullptr
                 : VectorType::get(I.getType(), Width, /*Scalable=*/false);
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Value *At = scalar(Store->getPointerOperand());
    if (BinaryOperator *Add = Sums.lookup(Store)) {
      const bool First =
          isa<LoadInst>(Add->getOperand(0)) &&
          shapeOf(Add->getOperand(0)) == Shape::Same &&
          cast<LoadInst>(Add->getOperand(0))->getPointerOperand() ==
              Store->getPointerOperand();
      Value *Load = Add->getOperand(!First), *Added = Add->getOperand(First);
      IRBuilder<>::FastMathFlagGuard Guard(B);
      B.setFastMathFlags(Add->getFastMathFlags());
      Value *Sum = B.CreateFAddReduce(
          ConstantFP::getNegativeZero(Add->getType()), vector(B, Added));
      Made = B.CreateAlignedStore(B.CreateFAdd(scalar(Load), Sum), At,
                                  Store->getAlign());
    } else {
      Made = B.CreateAlignedStore(vector(B, Store->getValueOperand()), At,
                                  Store->getAlign());
    }
  } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Made = B.CreateAlignedLoad(To, scalar(Load->getPointerOperand()),
                               Load->getAlign());
  } else if (auto *Phi = dyn_cast<PHINode>(&I)) {
    Made = B.CreatePHI(To, Phi->getNumIncomingValues());
  } else if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Value *If = Select->getCondition();
    Made = B.CreateSelect(
        shapeOf(If) == Shape::Vector ? vector(B, If) : scalar(If),
        vector(B, Select->getTrueValue()), vector(B, Select->getFalseValue()));
  } else if (auto *Compare = dyn_cast<FCmpInst>(&I)) {
    Made = B.CreateFCmp(Compare->getPredicate(), vector(B, I.getOperand(0)),
                        vector(B, I.getOperand(1)));
  } else if (auto *Call = dyn_cast<IntrinsicInst>(&I)) {
    SmallVector<Value *, 3> Args;
    for (Value *A : Call->args())
      Args.push_back(vector(B, A));
    Made = B.CreateIntrinsic(To, Call->getIntrinsicID(), Args);
  } else if (auto *Cast = dyn_cast<CastInst>(&I)) {
    Made = B.CreateCast(Cast->getOpcode(), vector(B, I.getOperand(0)), To);
  } else if (isa<FreezeInst>(I)) {
    Made = B.CreateFreeze(vector(B, I.getOperand(0)));
  } else if (auto *Unary = dyn_cast<UnaryOperator>(&I)) {
    Made = B.CreateUnOp(Unary->getOpcode(), vector(B, I.getOperand(0)));
  } else {
    Made =
        B.CreateBinOp(cast<BinaryOperator>(I).getOpcode(),
                      vector(B, I.getOperand(0)), vector(B, I.getOperand(1)));
  }
  if (auto *New = dyn_cast<Instruction>(Made)) {
    if (isa<FPMathOperator>(New) && isa<FPMathOperator>(I))
      New->copyFastMathFlags(&I);
    New->setDebugLoc(I.getDebugLoc());
    propagateMetadata(New, {&I});
  }
  Vectors[&I] = Made;
}

/// In front of L: Lanes iterations at a time, as long as there are so many of
/// Trips. Returns L's new preheader; Trips becomes what is left.
BasicBlock *Columns::vectorLoop(BasicBlock *Before, Value *&Trips,
                                unsigned Lanes) {
  LLVMContext &C = F.getContext();
  Width = Lanes;
  Scalars.clear();
  Vectors.clear();
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(),
             *Exit = L.getExitBlock();
  auto Block = [&](const Twine &Name) {
    return BasicBlock::Create(C, Name, &F, Header);
  };
  BasicBlock *Enter = Block("rg.columns.enter");
  DenseMap<BasicBlock *, BasicBlock *> Copies;
  for (BasicBlock *Old : Order)
    Copies[Old] = Block("rg.columns");
  BasicBlock *Middle = Block("rg.columns.end"),
             *Rest = Block("rg.columns.rest");

  IRBuilder<> B(Before->getTerminator());
  Value *Enough = B.CreateICmpUGE(Trips, B.getInt64(Lanes));
  // No product of ours wraps around.
  constexpr uint64_t Most = uint64_t(1) << 31;
  Enough = B.CreateAnd(Enough, B.CreateICmpULT(Trips, B.getInt64(Most)));
  const uint64_t Bytes = uint64_t(Lanes) * WidestBits / 8;
  if (Length) {
    Enough = B.CreateAnd(Enough, B.CreateICmpULT(Length, B.getInt64(Most)));
    Enough = B.CreateAnd(
        Enough, B.CreateICmpUGE(Length, B.getInt64(divideCeil(Bytes, Times))));
  }
  Value *Done = B.CreateAnd(Trips, B.getInt64(-uint64_t(Lanes)), "rg.done");
  B.CreateCondBr(Enough, Enter, Rest);
  Before->getTerminator()->eraseFromParent();
  BranchInst::Create(Copies[Header], Enter);

  // What the header's phis are in iteration At.
  auto InIteration = [&](IRBuilder<> &B, PHINode &Phi, Value *At) -> Value * {
    Value *Start = Phi.getIncomingValueForBlock(Before);
    const int64_t Step = *step(&Phi);
    if (Start->getType()->isPointerTy())
      return B.CreatePtrAdd(Start, B.CreateMul(At, B.getInt64(Step)));
    Type *T = Start->getType();
    return B.CreateAdd(Start, B.CreateMul(B.CreateZExtOrTrunc(At, T),
                                          ConstantInt::getSigned(T, Step)));
  };

  PHINode *Index = nullptr;
  for (BasicBlock *Old : Order) {
    B.SetInsertPoint(Copies[Old]);
    if (Old == Header) {
      Index = B.CreatePHI(B.getInt64Ty(), 2, "rg.index");
      Index->addIncoming(B.getInt64(0), Enter);
      for (PHINode &Phi : Header->phis())
        if (Carried.contains(&Phi)) {
          PHINode *Sum = B.CreatePHI(
              VectorType::get(Phi.getType(), Lanes, /*Scalable=*/false), 2);
          Vectors[&Phi] = Sum;
        }
      // The lane with the least address is the last one where rows are walked
      // backwards.
      Value *At =
          Down ? B.CreateAdd(Index, B.getInt64(Lanes - 1)) : (Value *)Index;
      for (PHINode &Phi : Header->phis())
        if (!Carried.contains(&Phi))
          Scalars[&Phi] = InIteration(B, Phi, At);
    }
    for (Instruction &I : *Old) {
      if (I.isTerminator() || (Old == Header && isa<PHINode>(I)))
        continue;
      copy(B, I);
    }
    if (Old == Latch) {
      Value *Next = B.CreateAdd(Index, B.getInt64(Lanes), "", true, true);
      Index->addIncoming(Next, Copies[Latch]);
      B.CreateCondBr(B.CreateICmpEQ(Next, Done), Middle, Copies[Header]);
      continue;
    }
    auto *Branch = cast<BranchInst>(Old->getTerminator());
    if (Branch->isConditional())
      B.CreateCondBr(scalar(Branch->getCondition()),
                     Copies[Branch->getSuccessor(0)],
                     Copies[Branch->getSuccessor(1)]);
    else
      B.CreateBr(Copies[Branch->getSuccessor(0)]);
  }
  // Phis of inner loops and joins.
  for (BasicBlock *Old : Order)
    for (PHINode &Phi : Old->phis()) {
      if (Old == Header) {
        auto *Sum = dyn_cast_or_null<PHINode>(Vectors.lookup(&Phi));
        if (!Sum)
          continue;
        IRBuilder<> At(Enter->getTerminator());
        Value *None = At.CreateVectorSplat(
            Lanes, ConstantFP::getNegativeZero(Phi.getType()));
        Sum->addIncoming(
            At.CreateInsertElement(None, Phi.getIncomingValueForBlock(Before),
                                   uint64_t(0)),
            Enter);
        IRBuilder<> AtEnd(Copies[Latch]->getTerminator());
        Sum->addIncoming(vector(AtEnd, Phi.getIncomingValueForBlock(Latch)),
                         Copies[Latch]);
        continue;
      }
      const bool IsVector = shapeOf(&Phi) == Shape::Vector;
      auto *New = cast<PHINode>(IsVector ? Vectors[&Phi] : Scalars[&Phi]);
      for (unsigned N = 0; N != Phi.getNumIncomingValues(); ++N) {
        BasicBlock *From = Copies[Phi.getIncomingBlock(N)];
        IRBuilder<> At(From->getTerminator());
        Value *V = Phi.getIncomingValue(N);
        if (IsVector) {
          New->addIncoming(vector(At, V), From);
        } else {
          New->setIncomingValue(N, scalar(V));
          New->setIncomingBlock(N, From);
        }
      }
    }

  // Sums are whole again; is anything left?
  B.SetInsertPoint(Middle);
  DenseMap<const Value *, Value *> Resumed;
  for (PHINode &Phi : Header->phis()) {
    if (!Carried.contains(&Phi)) {
      Resumed[&Phi] = InIteration(B, Phi, Done);
      continue;
    }
    Value *Next = Phi.getIncomingValueForBlock(Latch);
    IRBuilder<>::FastMathFlagGuard Guard(B);
    FastMathFlags Flags;
    Flags.setAllowReassoc();
    B.setFastMathFlags(Flags);
    Resumed[&Phi] = B.CreateFAddReduce(
        ConstantFP::getNegativeZero(Phi.getType()), Vectors.lookup(Next));
  }
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValueForBlock(Latch);
    for (PHINode &Sum : Header->phis())
      if (Carried.contains(&Sum) && Sum.getIncomingValueForBlock(Latch) == V)
        V = Resumed[&Sum];
    Phi.addIncoming(V, Middle);
  }
  Value *Left = B.CreateSub(Trips, Done);
  B.CreateCondBr(B.CreateICmpEQ(Left, B.getInt64(0)), Exit, Rest);

  B.SetInsertPoint(Rest);
  PHINode *StillLeft = B.CreatePHI(B.getInt64Ty(), 2, "rg.left");
  StillLeft->addIncoming(Trips, Before);
  StillLeft->addIncoming(Left, Middle);
  Trips = StillLeft;
  for (PHINode &Phi : Header->phis()) {
    PHINode *Start = B.CreatePHI(Phi.getType(), 2, Phi.getName());
    Start->addIncoming(Phi.getIncomingValueForBlock(Before), Before);
    Start->addIncoming(Resumed[&Phi], Middle);
    int N = Phi.getBasicBlockIndex(Before);
    Phi.setIncomingValue(N, Start);
    Phi.setIncomingBlock(N, Rest);
  }
  B.CreateBr(Header);
  return Rest;
}

LoopHeaders Columns::transform() {
  const unsigned Register =
      TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue();
  const unsigned Few = Register / WidestBits;
  const unsigned Registers =
      TTI.getNumberOfRegisters(TTI.getRegisterClassForType(/*Vector=*/true));
  unsigned Many = MostVectors;
  while (Many > 1 && Many * alive() > Registers / 2)
    Many /= 2;
  BasicBlock *Before = L.getLoopPreheader();
  // Steps are known of the loop as it is now.
  IRBuilder<> B(Before->getTerminator());
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  Value *Taken =
      Expand.expandCodeFor(Count, Count->getType(), Before->getTerminator());
  // Of all 2^64 iterations none is left, and the old loop runs.
  Value *Trips = B.CreateAdd(B.CreateZExtOrTrunc(Taken, B.getInt64Ty()),
                             B.getInt64(1), "rg.trips");
  if (Row)
    Length = Expand.expandCodeFor(Row, B.getInt64Ty(), Before->getTerminator());
  SmallVector<unsigned, 2> Widths{Many * Few};
  if (Many > 1)
    Widths.push_back(Few);
  for (unsigned Lanes : Widths)
    if (Row || !Times || Times >= uint64_t(Lanes) * WidestBits / 8)
      Before = vectorLoop(Before, Trips, Lanes);
  LoopHeaders Made;
  for (Loop *Inner : L.getLoopsInPreorder())
    Made.push_back(Inner->getHeader());
  SE.forgetLoop(&L);
  return Made;
}
