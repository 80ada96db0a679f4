//===- SkippedSums.cpp - iterations in which no lane has a sum ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/SkippedSums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;
using namespace llvm::PatternMatch;

/// Zero of either sign.
static bool isZero(const Value *V) {
  const auto *C = dyn_cast<ConstantFP>(V);
  return C && C->isZero();
}

namespace {

using Numbers = SmallVector<Value *, 16>;

/// Votes on whether some of the numbers is something.
struct Question {
  ICmpInst *Asked;
  SmallVector<PHINode *, 16> Of;
  SmallVector<BasicBlock *, 2> Some; ///< where a vote leads that says yes
};

class Skips {
public:
  Skips(Function &F, DominatorTree &DT) : F(F), DT(DT) {}
  bool run();

private:
  bool find(ICmpInst &Asked, Question &Q);
  SmallVector<PHINode *, 16> phisOf(ArrayRef<Value *> Of,
                                    const BasicBlock &From,
                                    const BasicBlock &Here) const;
  Value *answer(ArrayRef<Value *> Of, BasicBlock &From, const BasicBlock &Here);
  PHINode *answerAt(ArrayRef<PHINode *> Of);
  bool onlyBehind(const Question &Q);
  void forget(ArrayRef<PHINode *> Of);

  Function &F;
  DominatorTree &DT;
  SmallVector<const BasicBlock *, 4> Ways; ///< back from the vote, by now
};

} // namespace

static bool isVote(const User *U) {
  const auto *II = dyn_cast<IntrinsicInst>(U);
  return II && II->getIntrinsicID() == Intrinsic::nvvm_vote_any_sync;
}

/// The numbers of which V has all bits but the signs.
static bool collect(Value *V, SmallVectorImpl<PHINode *> &Of) {
  Value *A, *B;
  if (match(V, m_Or(m_Value(A), m_Value(B))))
    return collect(A, Of) && collect(B, Of);
  auto *Cast = dyn_cast<BitCastInst>(V);
  auto *Phi = Cast ? dyn_cast<PHINode>(Cast->getOperand(0)) : nullptr;
  if (!Phi || !Phi->getType()->isFloatingPointTy())
    return false;
  if (!is_contained(Of, Phi))
    Of.push_back(Phi);
  return true;
}

bool Skips::find(ICmpInst &Asked, Question &Q) {
  Value *Bits;
  const APInt *Mask;
  if (Asked.getPredicate() != ICmpInst::ICMP_NE ||
      !match(Asked.getOperand(1), m_Zero()) || Asked.use_empty() ||
      !all_of(Asked.users(), isVote) ||
      !match(Asked.getOperand(0), m_And(m_Value(Bits), m_APInt(Mask))) ||
      !Mask->isMaxSignedValue() || !collect(Bits, Q.Of))
    return false;
  Q.Asked = &Asked;
  for (const PHINode *Phi : Q.Of)
    if (Phi->getParent() != Asked.getParent() ||
        Phi->getType() != Q.Of.front()->getType())
      return false;
  for (User *U : Asked.users()) {
    auto *Vote = cast<Instruction>(U);
    auto *Br = dyn_cast<BranchInst>(Vote->getParent()->getTerminator());
    if (!Vote->hasOneUse() || !Br || !Br->isConditional() ||
        Br->getCondition() != Vote ||
        !Br->getSuccessor(0)->getSinglePredecessor())
      return false;
    Q.Some.push_back(Br->getSuccessor(0));
  }
  return true;
}

/// Of, numbers that come to Here from From, are zeros, and phis of From which
/// is no way back: these.
SmallVector<PHINode *, 16> Skips::phisOf(ArrayRef<Value *> Of,
                                         const BasicBlock &From,
                                         const BasicBlock &Here) const {
  SmallVector<PHINode *, 16> Phis;
  if (DT.dominates(&Here, &From) || is_contained(Ways, &From))
    return {};
  for (Value *V : Of)
    if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getParent() == &From)
      Phis.push_back(Phi);
    else if (!isZero(V))
      return {};
  return Phis;
}

static Numbers comingFrom(const BasicBlock &From, ArrayRef<PHINode *> Of) {
  Numbers Come;
  for (PHINode *Phi : Of)
    Come.push_back(Phi->getIncomingValueForBlock(&From));
  return Come;
}

/// Whether some of the numbers that come to Here is something, at the end of
/// From.
Value *Skips::answer(ArrayRef<Value *> Of, BasicBlock &From,
                     const BasicBlock &Here) {
  if (all_of(Of, isZero))
    return ConstantInt::getFalse(F.getContext());
  if (SmallVector<PHINode *, 16> Phis = phisOf(Of, From, Here); !Phis.empty())
    return answerAt(Phis);
  IRBuilder<> B(From.getTerminator());
  const unsigned Bits = Of.front()->getType()->getScalarSizeInBits();
  Value *Any = nullptr;
  for (Value *V : Of)
    if (!isZero(V)) {
      Value *Now = B.CreateBitCast(V, B.getIntNTy(Bits));
      Any = Any ? B.CreateOr(Any, Now) : Now;
    }
  return B.CreateIsNotNull(
      B.CreateAnd(Any, B.getInt(APInt::getSignedMaxValue(Bits))));
}

/// The same of phis of one block, where it begins.
PHINode *Skips::answerAt(ArrayRef<PHINode *> Of) {
  BasicBlock *Here = Of.front()->getParent();
  IRBuilder<> B(Here, Here->begin());
  PHINode *Is = B.CreatePHI(B.getInt1Ty(), pred_size(Here), "rg.some");
  SmallDenseMap<BasicBlock *, Value *, 8> Known;
  Ways.push_back(Here);
  for (BasicBlock *From : Of.front()->blocks()) {
    Value *&Says = Known[From];
    if (!Says)
      Says = answer(comingFrom(*From, Of), *From, *Here);
    Is->addIncoming(Says, From);
  }
  Ways.pop_back();
  return Is;
}

/// The numbers are looked at nowhere but behind a vote that says yes.
bool Skips::onlyBehind(const Question &Q) {
  return all_of(Q.Of, [&](PHINode *Phi) {
    return all_of(Phi->uses(), [&](const Use &U) {
      return any_of(Q.Some, [&](BasicBlock *S) {
        return DT.dominates(S, cast<Instruction>(U.getUser())->getParent()) &&
               !isa<PHINode>(U.getUser());
      });
    });
  });
}

/// Where all of them are zeros, they are nothing.
void Skips::forget(ArrayRef<PHINode *> Of) {
  BasicBlock *Here = Of.front()->getParent();
  Ways.push_back(Here);
  for (BasicBlock *From : Of.front()->blocks()) {
    const Numbers Come = comingFrom(*From, Of);
    if (all_of(Come, isZero))
      for (PHINode *Phi : Of)
        Phi->setIncomingValueForBlock(From, PoisonValue::get(Phi->getType()));
    else if (SmallVector<PHINode *, 16> Phis = phisOf(Come, *From, *Here);
             !Phis.empty() &&
             all_of(Phis, [](const PHINode *Phi) { return Phi->hasOneUse(); }))
      forget(Phis);
  }
  Ways.pop_back();
}

bool Skips::run() {
  SmallVector<Question, 2> Found;
  for (Instruction &I : instructions(F))
    if (auto *Asked = dyn_cast<ICmpInst>(&I))
      if (Question Q;
          find(*Asked, Q) && any_of(Q.Of.front()->incoming_values(),
                                    [](Value *V) { return isZero(V); }))
        Found.push_back(std::move(Q));
  for (Question &Q : Found) {
    PHINode *Is = answerAt(Q.Of);
    Q.Asked->replaceAllUsesWith(Is);
    RecursivelyDeleteTriviallyDeadInstructions(Q.Asked);
    // Vectors of them are made where they are needed.
    BasicBlock *Here = Is->getParent();
    for (Instruction &I : make_early_inc_range(reverse(*Here)))
      if (isa<InsertElementInst>(I) && !I.use_empty()) {
        BasicBlock *At = cast<Instruction>(*I.user_begin())->getParent();
        if (is_contained(Q.Some, At) && all_of(I.users(), [&](User *U) {
              return cast<Instruction>(U)->getParent() == At &&
                     !isa<PHINode>(U);
            }))
          I.moveBefore(At->getFirstInsertionPt());
      }
    if (!onlyBehind(Q))
      continue;
    for (BasicBlock *S : Q.Some) {
      IRBuilder<> B(&*S->getFirstInsertionPt());
      for (PHINode *Phi : Q.Of) {
        Value *Zero = ConstantFP::getNegativeZero(Phi->getType());
        Value *Had = B.CreateSelect(Is, Phi, Zero);
        Phi->replaceUsesWithIf(Had, [&](Use &U) {
          return U.getUser() != Had &&
                 DT.dominates(S, cast<Instruction>(U.getUser())->getParent());
        });
      }
    }
    forget(Q.Of);
  }
  return !Found.empty();
}

bool retrograd::answerWhereSkipped(Function &F, FunctionAnalysisManager &FAM) {
  FAM.invalidate(F, PreservedAnalyses::none());
  return Skips(F, FAM.getResult<DominatorTreeAnalysis>(F)).run();
}
