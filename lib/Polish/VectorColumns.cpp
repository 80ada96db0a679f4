//===- VectorColumns.cpp - loops down columns, by the row -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop with loops in it becomes
//
//   Lanes iterations at a time: all that is in it, with vectors
//   fewer lanes at a time:      the same
//   what is left:               the loop as it was
//
// Each value of the loop has a shape. It is the same in all lanes (a scalar),
// or moves by a constant from lane to lane (a scalar, that of the lane with the
// least address; only addresses are computed of these), or is a vector. Vectors
// are loads and stores of places side by side, and arithmetic.
//
// Why it is right. Control flow is the same in all lanes. Each lane computes
// what its iteration computed, in its order. Lanes do not meet in memory:
// arrays of different objects do not, by alias analysis, and of one array all
// places are
//
//   base + C + (multiples of R) + (lane) * (size of an element)
//
// where C is common, and R, the length of a row, is at least as long as all
// lanes: which is asked in front of the loop where R is not a constant. Two of
// these are equal only in one lane and one row. Sums across lanes are those of
// additions that may be done in any order: of places that are the same for all
// lanes, and of numbers that the loop carries.
//
//===----------------------------------------------------------------------===//

#include "Polish/VectorColumns.h"
#include "Polish/RewriteLoops.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <numeric>

using namespace llvm;
using namespace retrograd;

namespace {

enum class Shape : uint8_t { Same, Moving, Vector };

/// One load or store.
struct Place {
  Instruction *I;
  const SCEV *Base;
  /// Of places that move: the address in the first iteration of all loops from
  /// ours on, and by how much inner loops move it.
  const SCEV *Start = nullptr;
  SmallVector<const SCEV *, 2> Moves;
  bool Moving = false, Write = false, Sum = false;
  unsigned Bytes = 0;
};

class Columns {
public:
  Columns(Loop &L, Function &F, FunctionAnalysisManager &FAM)
      : L(L), F(F), LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        TTI(FAM.getResult<TargetIRAnalysis>(F)), Order(&L),
        Expand(SE, "rg.columns") {}
  bool find();
  LoopHeaders transform();

private:
  static constexpr unsigned MostInstructions = 200;
  /// Vectors of the machine for one value.
  static constexpr unsigned MostVectors = 4;

  Shape shapeOf(const Value *V) const {
    auto It = Shapes.find(V);
    return It == Shapes.end() ? Shape::Same : It->second;
  }
  /// By how much V moves from one iteration of L to the next; none: not known.
  std::optional<int64_t> step(Value *V);
  bool isSound(Instruction &I);
  bool findShapes();
  std::optional<Shape> classify(Instruction &I);
  bool carriesSum(PHINode &Phi);
  bool findSum(StoreInst &S);
  bool addPlace(Instruction &I);
  bool areApart();
  bool mayMeet(const Place &X, const Place &Y) const;
  bool isRow(const SCEV *Difference);
  bool isWorthwhile() const;
  unsigned alive() const;

  BasicBlock *vectorLoop(BasicBlock *Before, Value *&Trips, unsigned Lanes);
  Value *vector(IRBuilder<> &B, Value *V);
  Value *scalar(Value *V) const {
    Value *X = Scalars.lookup(V);
    return X ? X : V;
  }
  void copy(IRBuilder<> &B, Instruction &I);

  Loop &L;
  Function &F;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AAResults &AA;
  DominatorTree &DT;
  TargetTransformInfo &TTI;
  LoopBlocksRPO Order;
  SCEVExpander Expand;

  DenseMap<const Value *, Shape> Shapes;
  SmallVector<Place, 16> Places;
  SmallPtrSet<const Instruction *, 8> Carried; ///< phis of sums, in the header
  SmallDenseMap<const StoreInst *, BinaryOperator *> Sums;
  SmallPtrSet<const Instruction *, 4> SumAdditions;
  const Instruction *Latched = nullptr; ///< the condition of the latch
  bool Down = false, Up = false;        ///< rows are walked
  unsigned WidestBits = 0;
  /// Rows are multiples of Row * Times bytes long; Row may be null.
  const SCEV *Row = nullptr;
  uint64_t Times = 0;
  Value *Length = nullptr; ///< Row, in front of the loop

  // Of one copy.
  unsigned Width = 0;
  DenseMap<const Value *, Value *> Scalars, Vectors;
};

} // namespace

//===----------------------------------------------------------------------===//
// Is it such a loop?
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

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

static bool mayHaveColumns(const Loop &L) {
  return !L.isInnermost() && L.getExitingBlock() &&
         L.getExitingBlock() == L.getLoopLatch();
}

bool retrograd::vectorColumns(Function &Derivative,
                              FunctionAnalysisManager &FAM) {
  if (Derivative.isDeclaration() || Derivative.hasOptSize() ||
      Derivative.hasFnAttribute(Attribute::StrictFP) ||
      Derivative.hasFnAttribute(Attribute::NoImplicitFloat))
    return false;
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  // Without vectors of two numbers there is nothing to win.
  if (FAM.getResult<TargetIRAnalysis>(Derivative)
          .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue() < 128)
    return false;
  auto Rewrite = [&](Loop &L) -> LoopHeaders {
    Columns C(L, Derivative, FAM);
    if (!C.find())
      return {};
    return C.transform();
  };
  if (!rewriteLoops(Derivative, FAM, mayHaveColumns, Rewrite))
    return false;
  FunctionPassManager Tidy;
  Tidy.addPass(InstCombinePass());
  Tidy.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Tidy.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                               /*UseMemorySSA=*/true));
  FAM.invalidate(Derivative, Tidy.run(Derivative, FAM));
  return true;
}
