//===- SwapBlocks.cpp - loops and blocks change places --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/SwapBlocks.h"
#include "Polish/BlockSums.h"
#include "Polish/KernelMemory.h"
#include "Polish/KnownSpaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

/// What an iteration may compute anew for another block.
static constexpr unsigned MostAgain = 48;
/// An addition to a place of each lane, in additions to one place of a warp,
/// which the lanes add up first, and in loads.
static constexpr unsigned OfEachLane = 4;

namespace {

using Values = KernelMemory::Values;

/// A loop that may be shared out anew along an axis.
struct Swap {
  Loop *L = nullptr;
  unsigned Axis = 0, Gain = 0;
  SmallVector<Instruction *, 16> Sums;     ///< additions behind the inner loop
  SmallSetVector<Instruction *, 16> Again; ///< for another block
};

class Swapper {
public:
  Swapper(Function &F, FunctionAnalysisManager &FAM)
      : F(F), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        Memory(F, FAM.getResult<AAManager>(F)) {}

  bool run();

private:
  Values varying(ThreadIdentity::Question Asks, unsigned Axis);
  bool dependsOn(const SCEV *S, const Values &Of) const;
  bool isCounter(PHINode &Phi, const Loop &L, const Values &Varying);
  bool isAlikeForAll(const Loop &L, const Values &Varying);
  bool canCompute(Instruction &I, const Values &Varying, Swap &S);
  bool isFixed(const Value *P, const Loop &L, const Values &Varying) const;
  bool find(Loop &L, unsigned Axis, Swap &S);
  void change(Swap &S);

  Function &F;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  KernelMemory Memory;
};

} // namespace

static Value *placeOf(Instruction &I) {
  auto *Add = dyn_cast<AtomicRMWInst>(&I);
  return Add ? Add->getPointerOperand() : cast<CallInst>(I).getArgOperand(0);
}

//===----------------------------------------------------------------------===//
// What depends on the block
//===----------------------------------------------------------------------===//

/// What may follow from the answer to a question of a thread, and from what is
/// opaque.
Values Swapper::varying(ThreadIdentity::Question Asks, unsigned Axis) {
  return Memory.following(
      [&](ThreadIdentity Who) { return Who == ThreadIdentity{Asks, Axis}; });
}

bool Swapper::dependsOn(const SCEV *S, const Values &Of) const {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    const auto *U = dyn_cast<SCEVUnknown>(Part);
    const auto *I = U ? dyn_cast<Instruction>(U->getValue()) : nullptr;
    return I && Of.contains(I);
  });
}

/// Phi is known from the number of the iteration alone.
bool Swapper::isCounter(PHINode &Phi, const Loop &L, const Values &Varying) {
  if (!Phi.getType()->isIntegerTy() || !SE.isSCEVable(Phi.getType()))
    return false;
  const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
  if (!Rec || Rec->getLoop() != &L || !Rec->isAffine() ||
      SE.getTypeSizeInBits(Phi.getType()) > 64)
    return false;
  SCEVExpander Expander(SE, "rg");
  const Instruction *At = L.getLoopPreheader()->getTerminator();
  return all_of(Rec->operands(), [&](const SCEV *S) {
    return !dependsOn(S, Varying) && Expander.isSafeToExpandAt(S, At);
  });
}

/// Blocks along the axis come to L, or none does, and run it equally often, as
/// all threads of a block do.
bool Swapper::isAlikeForAll(const Loop &L, const Values &Varying) {
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count) || dependsOn(Count, Varying) ||
      SE.getTypeSizeInBits(Count->getType()) > 64 ||
      !SCEVExpander(SE, "rg").isSafeToExpandAt(
          Count, L.getLoopPreheader()->getTerminator()))
    return false;
  for (unsigned Axis : {0, 1, 2})
    if (dependsOn(Count, varying(ThreadIdentity::ThreadIndex, Axis)))
      return false;
  SmallPtrSet<const BasicBlock *, 32> Seen{L.getLoopPreheader()};
  SmallVector<const BasicBlock *, 32> Work{L.getLoopPreheader()};
  while (!Work.empty())
    for (const BasicBlock *B : predecessors(Work.pop_back_val()))
      if (Seen.insert(B).second)
        Work.push_back(B);
  return none_of(Seen, [&](const BasicBlock *B) {
    const Instruction *End = B->getTerminator();
    return End->getNumSuccessors() > 1 &&
           (!isa<BranchInst, SwitchInst>(End) || Varying.contains(End));
  });
}

/// I, in front of the loop, can be computed in it for another block.
bool Swapper::canCompute(Instruction &I, const Values &Varying, Swap &S) {
  if (S.Again.contains(&I))
    return true;
  if (!Memory.isComputed(I))
    return false;
  for (Value *V : I.operands())
    if (auto *Of = dyn_cast<Instruction>(V);
        Of && Varying.contains(Of) && !canCompute(*Of, Varying, S))
      return false;
  return S.Again.insert(&I) && S.Again.size() <= MostAgain;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// P is the same for all blocks along the axis in one iteration.
bool Swapper::isFixed(const Value *P, const Loop &L,
                      const Values &Varying) const {
  SmallVector<const Value *, 16> Work{P};
  Values Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (Varying.contains(I))
      return false;
    if (!L.contains(I))
      continue;
    if (isa<PHINode>(I)) {
      if (I->getParent() != L.getHeader()) // which way led here may depend on
        return false;                      // the block
      continue;
    }
    append_range(Work, I->operands());
  }
  return true;
}

static unsigned numbersOf(Instruction &I) {
  if (isa<AtomicRMWInst>(I))
    return 1;
  unsigned Numbers = 0;
  for (const Value *V : cast<CallInst>(I).args())
    if (V->getType()->isFPOrFPVectorTy()) {
      const auto *T = dyn_cast<FixedVectorType>(V->getType());
      Numbers += T ? T->getNumElements() : 1;
    }
  return Numbers;
}

bool Swapper::find(Loop &L, unsigned Axis, Swap &S) {
  BasicBlock *Latch = L.getLoopLatch();
  if (!L.getLoopPreheader() || !Latch || L.getExitingBlock() != Latch ||
      !L.getUniqueExitBlock() || !isa<BranchInst>(Latch->getTerminator()))
    return false;
  const Values Varying = varying(ThreadIdentity::BlockIndex, Axis),
               OfLane = varying(ThreadIdentity::ThreadIndex, 0);
  if (!all_of(L.getHeader()->phis(),
              [&](PHINode &Phi) { return isCounter(Phi, L, Varying); }) ||
      !isAlikeForAll(L, Varying))
    return false;
  S.L = &L;
  S.Axis = Axis;
  bool Depends = false;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      if (any_of(I.users(),
                 [&](User *U) { return !L.contains(cast<Instruction>(U)); }))
        return false;
      for (Value *V : I.operands())
        if (auto *Of = dyn_cast<Instruction>(V); Of && !L.contains(Of) &&
                                                 Varying.contains(Of) &&
                                                 !canCompute(*Of, Varying, S))
          return false;
      Depends |= askedBy(I) == ThreadIdentity{ThreadIdentity::BlockIndex, Axis};
      if (Memory.isAddition(I)) {
        Value *Place = placeOf(I);
        const Argument *P = restrictParameter(Place);
        if (!P || !Memory.onlyAddedTo(*P))
          return false;
        if (!isFixed(Place, L, Varying) || !DT.dominates(B, Latch))
          continue;
        const auto *At = dyn_cast<Instruction>(Place);
        S.Sums.push_back(&I);
        S.Gain += numbersOf(I) * (At && OfLane.contains(At) ? OfEachLane : 1);
        continue;
      }
      if (!isa<NoAliasScopeDeclInst, AssumeInst, PHINode>(I) &&
          !I.isTerminator() && !Memory.isComputed(I))
        return false;
    }
  // Else all of these blocks do the same.
  Depends |= !S.Again.empty();
  return Depends && S.Gain > count_if(S.Again, [](const Instruction *I) {
                      return isa<LoadInst>(I);
                    });
}

static Intrinsic::ID question(ThreadIdentity::Question Asks, unsigned Axis) {
  using namespace Intrinsic;
  const ID Index[] = {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y,
                      nvvm_read_ptx_sreg_ctaid_z},
           Size[] = {nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y,
                     nvvm_read_ptx_sreg_nctaid_z};
  return (Asks == ThreadIdentity::BlockIndex ? Index : Size)[Axis];
}

void Swapper::change(Swap &S) {
  Loop &L = *S.L;
  BasicBlock *Before = L.getLoopPreheader(), *Inner = L.getHeader(),
             *Latch = L.getLoopLatch(), *Exit = L.getUniqueExitBlock();
  LLVMContext &Context = F.getContext();
  BasicBlock *Outer = BasicBlock::Create(Context, "rg.swap.outer", &F, Inner),
             *Next = BasicBlock::Create(Context, "rg.swap.next", &F,
                                        Latch->getNextNode());

  // In front: the first pair of this block. The number of pairs of all blocks
  // may have more bits than an integer, the remainders have not.
  SCEVExpander Expander(SE, "rg.swap");
  auto Expanded = [&](const SCEV *E) {
    return Expander.expandCodeFor(E, E->getType(), Before->getTerminator());
  };
  SmallVector<std::array<Value *, 2>, 2> Counters; // start, step
  for (PHINode &Phi : Inner->phis()) {
    const auto *Rec = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    Counters.push_back(
        {Expanded(Rec->getStart()), Expanded(Rec->getStepRecurrence(SE))});
  }
  Value *Last = Expanded(SE.getBackedgeTakenCount(&L));
  IRBuilder<> B(Before->getTerminator());
  Type *Wide = B.getInt64Ty();
  auto Ask = [&](ThreadIdentity::Question Asks) {
    return B.CreateZExt(
        B.CreateIntrinsic(B.getInt32Ty(), question(Asks, S.Axis), {}), Wide);
  };
  Value *Mine = Ask(ThreadIdentity::BlockIndex),
        *Blocks = Ask(ThreadIdentity::GridSize);
  Value *Count =
      B.CreateAdd(B.CreateZExt(Last, Wide), B.getInt64(1), "rg.swap.count");
  Value *Rest = B.CreateMul(Mine, B.CreateURem(Count, Blocks));
  Value *FirstC = B.CreateAdd(B.CreateMul(Mine, B.CreateUDiv(Count, Blocks)),
                              B.CreateUDiv(Rest, Blocks));
  Value *FirstO = B.CreateURem(Rest, Blocks);
  Before->getTerminator()->replaceSuccessorWith(Inner, Outer);

  // Over c.
  B.SetInsertPoint(Outer);
  PHINode *Left = B.CreatePHI(Wide, 2, "rg.swap.left"),
          *C = B.CreatePHI(Wide, 2, "rg.swap.c"),
          *From = B.CreatePHI(Wide, 2, "rg.swap.from");
  Value *Some =
      B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateSub(Blocks, From), Left);
  SmallVector<Value *, 2> Now;
  for (auto [Start, Step] : Counters)
    Now.push_back(B.CreateAdd(
        Start, B.CreateMul(Step, B.CreateZExtOrTrunc(C, Step->getType()))));
  B.CreateBr(Inner);

  // Over o.
  SmallVector<PHINode *, 2> Old;
  for (PHINode &Phi : Inner->phis())
    Old.push_back(&Phi);
  for (auto [Phi, V] : zip_equal(Old, Now)) {
    V->takeName(Phi);
    Phi->replaceAllUsesWith(V);
    Phi->eraseFromParent();
  }
  B.SetInsertPoint(Inner, Inner->begin());
  PHINode *K = B.CreatePHI(Wide, 2, "rg.swap.k");
  B.SetInsertPoint(Inner, Inner->getFirstInsertionPt());
  Value *O = B.CreateTrunc(B.CreateAdd(From, K), B.getInt32Ty(), "rg.swap.o");
  DenseMap<Value *, Value *> Again;
  for (Instruction *I : S.Again) { // operands first
    if (askedBy(*I) == ThreadIdentity{ThreadIdentity::BlockIndex, S.Axis}) {
      Again[I] = O;
      continue;
    }
    Instruction *Copy = I->clone();
    for (Use &U : Copy->operands())
      if (Value *V = Again.lookup(U.get()))
        U.set(V);
    B.Insert(Copy, I->getName() + ".again");
    Again[I] = Copy;
  }
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : make_early_inc_range(*Block)) {
      if (askedBy(I) == ThreadIdentity{ThreadIdentity::BlockIndex, S.Axis}) {
        I.replaceAllUsesWith(O);
        I.eraseFromParent();
        continue;
      }
      for (Use &U : I.operands())
        if (Value *V = Again.lookup(U.get()))
          U.set(V);
    }

  // Behind: what was added up.
  IRBuilder<> Late(Next);
  auto AddUp = [&](Use &Number, Instruction &At) {
    Type *T = Number->getType();
    IRBuilder<> Phis(Inner, Inner->begin());
    PHINode *Sum = Phis.CreatePHI(T, 2, "rg.swap.sum");
    IRBuilder<> Body(&At);
    Value *New = Body.CreateFAdd(Sum, Number);
    if (auto *Add = dyn_cast<Instruction>(New)) {
      Add->setHasAllowReassoc(true);
      const auto *X = dyn_cast<FPMathOperator>(Number.get());
      Add->setHasAllowContract(X && X->hasAllowContract());
    }
    Sum->addIncoming(ConstantFP::getNegativeZero(T), Outer);
    Sum->addIncoming(New, Latch);
    return New;
  };
  for (Instruction *I : S.Sums) {
    Instruction *Add = I->clone();
    for (Use &U : I->operands())
      if (U->getType()->isFPOrFPVectorTy())
        Add->setOperand(U.getOperandNo(), AddUp(U, *I));
    Late.Insert(Add);
    I->eraseFromParent();
  }

  // Ends.
  auto *End = cast<BranchInst>(Latch->getTerminator());
  B.SetInsertPoint(End);
  Value *NextK = B.CreateAdd(K, B.getInt64(1));
  BranchInst *Repeat =
      B.CreateCondBr(B.CreateICmpULT(NextK, Some), Inner, Next);
  Repeat->copyMetadata(*End);
  Repeat->setMetadata(LLVMContext::MD_prof, nullptr);
  End->eraseFromParent();
  K->addIncoming(B.getInt64(0), Outer);
  K->addIncoming(NextK, Latch);
  Value *NextLeft = Late.CreateSub(Left, Some),
        *NextC = Late.CreateAdd(C, Late.getInt64(1));
  Late.CreateCondBr(Late.CreateIsNotNull(NextLeft), Outer, Exit);
  Left->addIncoming(Count, Before);
  Left->addIncoming(NextLeft, Next);
  C->addIncoming(FirstC, Before);
  C->addIncoming(NextC, Next);
  From->addIncoming(FirstO, Before);
  From->addIncoming(B.getInt64(0), Next);
  Exit->replacePhiUsesWith(Latch, Next);
}

bool Swapper::run() {
  Swap Best;
  for (Loop *L : LI) {
    if (!L->isInnermost())
      continue;
    for (unsigned Axis : {0, 1, 2})
      if (Swap S; find(*L, Axis, S) && S.Gain > Best.Gain)
        Best = std::move(S);
  }
  if (!Best.Gain)
    return false;
  change(Best);
  return true;
}

bool retrograd::swapBlocks(Function &F, FunctionAnalysisManager &FAM) {
  if (F.getCallingConv() != CallingConv::PTX_Kernel ||
      !Target(*F.getParent()).addsWithoutResult() ||
      none_of(instructions(F),
              [](const Instruction &I) {
                std::optional<ThreadIdentity> Who = askedBy(I);
                return Who && Who->Asks == ThreadIdentity::BlockIndex;
              }) ||
      mayLeave(*F.getParent()))
    return false;
  foldKnownSpaces(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  FunctionPassManager Form;
  Form.addPass(SimplifyCFGPass());
  Form.addPass(LoopSimplifyPass());
  Form.run(F, FAM);
  bool Changed = false;
  do {
    FAM.invalidate(F, PreservedAnalyses::none());
    if (!Swapper(F, FAM).run())
      return Changed;
    Changed = true;
  } while (true);
}
