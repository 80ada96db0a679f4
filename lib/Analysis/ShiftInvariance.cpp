//===- ShiftInvariance.cpp - values that results do not depend on ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ShiftInvariance.h"
#include "Analysis/LoopShape.h"
#include "Catalogue/Catalogue.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// How a value changes when pivots are shifted by d: not at all, by a multiple
/// of d (Added), by a factor (Scaled, exp of a multiple of d), or in a way that
/// is not followed (Lost); Unseen while nothing is known yet. Of all pivots
/// that have been computed where the value is computed, it may change with two:
/// the last and the one before.
struct Change {
  enum Kind : uint8_t { None, Added, Scaled, Lost, Unseen } K = None;
  double Last = 0, Before = 0;

  static Change of(Kind K, double Last, double Before) {
    return !Last && !Before ? Change{} : Change{K, Last, Before};
  }
  static Change lost() { return {Lost, 0, 0}; }
  bool operator==(const Change &) const = default;
};

/// Functions of which this analysis knows the law.
enum class Law : uint8_t {
  None,
  Exponential,
  Logarithm,
  Extremum,
  Root,
  Magnitude,
  FusedProduct,
  Shuffle
};

struct LawOf {
  Law L = Law::None;
  double Factor = 1; ///< logarithm of the base; exponent of a root
};

LawOf lawOf(const Instruction &I, const Catalogue &Cat) {
  const OperationRecord *R = isa<CallInst>(I) ? Cat.lookup(I) : nullptr;
  if (!R)
    return {};
  StringRef Id = R->Id;
  if (Id == "exp" || Id == "device_fast_exp")
    return {Law::Exponential};
  if (Id == "exp2" || Id == "device_fast_exp2")
    return {Law::Exponential, numbers::ln2};
  if (Id == "log" || Id == "device_fast_log")
    return {Law::Logarithm};
  if (Id == "log2" || Id == "device_fast_log2")
    return {Law::Logarithm, numbers::ln2};
  if (Id == "fmax" || Id == "fmin" || Id == "fmaximum" || Id == "fminimum" ||
      Id == "fmaximum_num" || Id == "fminimum_num" || Id == "device_max" ||
      Id == "device_min")
    return {Law::Extremum};
  if (Id == "sqrt")
    return {Law::Root, 0.5};
  if (Id == "rsqrt")
    return {Law::Root, -0.5};
  if (Id == "fabs" || Id == "device_abs")
    return {Law::Magnitude};
  if (Id == "fma" && I.getNumOperands() > 3)
    return {Law::FusedProduct};
  if (R->Class == RuleClass::Handler && R->Handler == HandlerKind::Shuffle)
    return {Law::Shuffle};
  return {};
}

bool isAllLanes(const Value *V) {
  const auto *C = dyn_cast<ConstantInt>(V);
  return C && C->isMinusOne();
}
/// A shuffle within all 32 lanes of a warp, none of which is missing.
bool isOfWholeWarp(const CallInst &Shuffle) {
  const auto *Clamp = dyn_cast<ConstantInt>(Shuffle.getArgOperand(3));
  return isAllLanes(Shuffle.getArgOperand(0)) && Clamp &&
         Clamp->getZExtValue() == 31;
}

/// The bits of a lane's number that V does not depend on: exchanged one after
/// the other, each time with an operation that does not care which operand
/// comes first.
unsigned bitsWithoutInfluence(const Value *V, const Catalogue &Cat) {
  const auto *I = dyn_cast<Instruction>(V);
  const bool Commutes = I && (I->getOpcode() == Instruction::FAdd ||
                              I->getOpcode() == Instruction::FMul ||
                              lawOf(*I, Cat).L == Law::Extremum);
  if (!Commutes)
    return 0;
  for (unsigned Side : {0u, 1u}) {
    const Value *Own = I->getOperand(Side);
    const auto *S = dyn_cast<CallInst>(I->getOperand(1 - Side));
    const OperationRecord *R = S ? Cat.lookup(*S) : nullptr;
    if (!R || R->Id != "shfl_bfly" || S->getArgOperand(1) != Own ||
        !isOfWholeWarp(*S))
      continue;
    if (const auto *Bit = dyn_cast<ConstantInt>(S->getArgOperand(2));
        Bit && Bit->getValue().isPowerOf2() && Bit->getZExtValue() < 32)
      return bitsWithoutInfluence(Own, Cat) | Bit->getZExtValue();
  }
  return 0;
}

/// All lanes of a warp compute V together, and the same number.
bool isOneInWarp(const Instruction &V, const Catalogue &Cat) {
  return bitsWithoutInfluence(&V, Cat) == 31;
}

/// One question: is P a pivot, if those already found are.
class Question {
public:
  Question(Function &F, const Catalogue &Cat, const LoopShape &Shape,
           const DominatorTree &DT, const Instruction &P, const Loop *Epoch,
           bool OfWarp, const SmallPtrSetImpl<const Value *> &Known)
      : F(F), Cat(Cat), Shape(Shape), DT(DT), P(P), Epoch(Epoch),
        Own(Shape.loops().getLoopFor(P.getParent())), OfWarp(OfWarp),
        Known(Known) {
    if (Epoch)
      Around.insert(Epoch->getHeader());
    collectDependents();
    SmallVector<const BasicBlock *, 16> Work{P.getParent()};
    Behind.insert(P.getParent());
    while (!Work.empty())
      for (const BasicBlock *S : successors(Work.pop_back_val()))
        if (!Around.contains(S) && Behind.insert(S).second)
          Work.push_back(S);
  }

  bool holds();
  std::optional<RunningPivot> running() const;

private:
  void collectDependents();
  Change transfer(const Instruction &I) const;
  Change join(const PHINode &Phi) const;
  Change changeAt(const Value *V, const Instruction &At) const;
  bool reaches(const BasicBlock *From, const BasicBlock *To,
               const BasicBlock *But = nullptr) const;
  bool leaves(const Instruction &I) const;

  Function &F;
  const Catalogue &Cat;
  const LoopShape &Shape;
  const DominatorTree &DT;
  const Instruction &P;
  /// What one iteration of it has computed, no other one uses.
  const Loop *Epoch;
  const Loop *Own;
  bool OfWarp;
  const SmallPtrSetImpl<const Value *> &Known;
  SmallPtrSet<BasicBlock *, 2> Around;
  /// What may change with P, in the order of the program.
  SetVector<const Instruction *> Dependents;
  /// Where P has been computed, on some way.
  SmallPtrSet<const BasicBlock *, 16> Behind;
  DenseMap<const Value *, Change> Changes;
};

/// What is computed from P, but through what has no derivative, memory, and
/// other pivots.
void Question::collectDependents() {
  SmallPtrSet<const Instruction *, 32> Found{&P};
  SmallVector<const Instruction *, 16> Work{&P};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (!I->getType()->isVoidTy() &&
          !isa<CmpInst, FPToSIInst, FPToUIInst, LoadInst>(I) &&
          !Known.contains(I) && Found.insert(I).second)
        Work.push_back(I);
    }
  for (const BasicBlock *B : ReversePostOrderTraversal<const Function *>(&F))
    for (const Instruction &I : *B)
      if (Found.contains(&I))
        Dependents.insert(&I);
}

/// Control may come from the end of From to the start of To in one epoch.
bool Question::reaches(const BasicBlock *From, const BasicBlock *To,
                       const BasicBlock *But) const {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{From};
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    for (const BasicBlock *S : successors(B)) {
      if (Around.contains(S) || S == But)
        continue;
      if (S == To)
        return true;
      if (Seen.insert(S).second)
        Work.push_back(S);
    }
  }
  return false;
}

/// How V changes with the last pivots as seen at At, which V may be older than.
Change Question::changeAt(const Value *V, const Instruction &At) const {
  const auto *D = dyn_cast<Instruction>(V);
  if (!D || !Dependents.contains(D))
    return {};
  auto It = Changes.find(D);
  if (It == Changes.end())
    return {Change::Unseen};
  const Change C = It->second;
  if ((C.K != Change::Added && C.K != Change::Scaled) || V == &P)
    return C;
  if (DT.dominates(&P, D))
    return C;
  if (DT.dominates(D, &P) && (DT.dominates(&P, &At) || &At == &P)) {
    // Once, since each time around comes by V.
    if (&At == &P)
      return C;
    return Own && Own->contains(D) && !C.Before ? Change::of(C.K, 0, C.Last)
                                                : Change::lost();
  }
  const BasicBlock *Def = D->getParent(), *Mid = P.getParent(),
                   *Use = At.getParent();
  const bool ToPivot =
      Def == Mid ? D->comesBefore(&P) || reaches(Def, Mid) : reaches(Def, Mid);
  const bool FromPivot =
      Mid == Use && P.comesBefore(&At)
          ? true
          : Use != Def && Mid != Def && reaches(Mid, Use, Def);
  return ToPivot && FromPivot ? Change::lost() : C;
}

static bool isZero(const Value *V) {
  const auto *C = dyn_cast<ConstantFP>(V);
  return C && C->isZero();
}

Change Question::join(const PHINode &Phi) const {
  Change Joined;
  bool First = true, Unseen = false, Begins = false;
  for (auto [V, B] : zip(Phi.incoming_values(), Phi.blocks())) {
    const BasicBlock *From = B;
    // Where no pivot has been computed, nothing changes with one.
    if (!Behind.contains(From)) {
      Begins |= !isZero(V);
      continue;
    }
    Change C = changeAt(V, *From->getTerminator());
    // 0 is itself times anything. It is told apart from what has no change only
    // where something else comes.
    if (isZero(V))
      continue;
    if (C.K == Change::Unseen) {
      Unseen = true;
      continue;
    }
    if (First)
      Joined = C;
    else if (!(Joined == C))
      return Change::lost();
    First = false;
  }
  if (First && Unseen && !Begins)
    return {Change::Unseen};
  if (Joined.K == Change::Added &&
      any_of(zip(Phi.incoming_values(), Phi.blocks()), [&](auto Pair) {
        auto [V, B] = Pair;
        return isZero(V) && Behind.contains(B);
      }))
    return Change::lost();
  // An epoch begins with nothing of the one before.
  if (Epoch && Phi.getParent() == Epoch->getHeader() &&
      Joined.K != Change::None)
    return Change::lost();
  return Joined;
}

Change Question::transfer(const Instruction &I) const {
  if (&I == &P)
    return {Change::Added, 1, 0};
  if (Known.contains(&I))
    return {};
  if (const auto *Phi = dyn_cast<PHINode>(&I))
    return join(*Phi);
  auto At = [&](unsigned K) { return changeAt(I.getOperand(K), I); };
  if (isa<LoadInst>(I))
    return {}; // what changes goes to no memory
  auto IsUnseen = [&](unsigned K) { return At(K).K == Change::Unseen; };
  // What a sum adds to, or a choice is among, will have to change likewise.
  const bool IsAlike =
      I.getOpcode() == Instruction::FAdd || lawOf(I, Cat).L == Law::Extremum;
  for (unsigned K = 0; K != I.getNumOperands(); ++K)
    if (IsUnseen(K))
      return IsAlike && K < 2 && !IsUnseen(1 - K) ? At(1 - K)
                                                  : Change{Change::Unseen};
  auto Times = [](Change C, double A) {
    return Change::of(C.K, C.Last * A, C.Before * A);
  };
  auto Sum = [&](Change A, Change B, const Value *VA, const Value *VB) {
    if (A.K == Change::Lost || B.K == Change::Lost)
      return Change::lost();
    if (A.K == Change::Scaled || B.K == Change::Scaled) {
      if (isZero(VA))
        return B;
      if (isZero(VB))
        return A;
      return A == B ? A : Change::lost();
    }
    return Change::of(Change::Added, A.Last + B.Last, A.Before + B.Before);
  };
  auto Product = [&](Change A, Change B, const Value *VA,
                     const Value *VB) -> Change {
    if (A.K == Change::Lost || B.K == Change::Lost)
      return Change::lost();
    if (A.K == Change::Added || B.K == Change::Added) {
      const Value *Other = A.K == Change::Added ? VB : VA;
      const auto *C = dyn_cast<ConstantFP>(Other);
      if (!C || !C->getValueAPF().isFinite())
        return Change::lost();
      APFloat Factor = C->getValueAPF();
      bool Loses;
      Factor.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &Loses);
      return Times(A.K == Change::Added ? A : B, Factor.convertToDouble());
    }
    return Change::of(Change::Scaled, A.Last + B.Last, A.Before + B.Before);
  };
  auto None = [&] {
    for (unsigned K = 0; K != I.getNumOperands(); ++K)
      if (At(K).K != Change::None)
        return false;
    return true;
  };
  switch (I.getOpcode()) {
  case Instruction::FAdd:
    return Sum(At(0), At(1), I.getOperand(0), I.getOperand(1));
  case Instruction::FSub: {
    Change B = At(1);
    if (B.K == Change::Added)
      B = Times(B, -1);
    return Sum(At(0), B, I.getOperand(0), I.getOperand(1));
  }
  case Instruction::FNeg: {
    Change A = At(0);
    return A.K == Change::Added ? Times(A, -1) : A;
  }
  case Instruction::FMul:
    return Product(At(0), At(1), I.getOperand(0), I.getOperand(1));
  case Instruction::FDiv: {
    Change A = At(0), B = At(1);
    if (A.K == Change::Lost || B.K == Change::Lost || B.K == Change::Added)
      return Change::lost();
    if (A.K == Change::Added) {
      const auto *C = dyn_cast<ConstantFP>(I.getOperand(1));
      if (!C || !C->getValueAPF().isFiniteNonZero())
        return Change::lost();
      APFloat Divisor = C->getValueAPF();
      bool Loses;
      Divisor.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                      &Loses);
      return Times(A, 1 / Divisor.convertToDouble());
    }
    return Change::of(Change::Scaled, A.Last - B.Last, A.Before - B.Before);
  }
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::Freeze:
    return At(0);
  // Constant but for jumps, of which a derivative knows nothing.
  case Instruction::FCmp:
  case Instruction::ICmp:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return {};
  case Instruction::Select: {
    Change A = At(1), B = At(2);
    if (A == B)
      return A;
    if (A.K == Change::Scaled && isZero(I.getOperand(2)))
      return A;
    if (B.K == Change::Scaled && isZero(I.getOperand(1)))
      return B;
    return Change::lost();
  }
  case Instruction::Call: {
    const auto &Call = cast<CallInst>(I);
    LawOf Of = lawOf(I, Cat);
    switch (Of.L) {
    case Law::Exponential: {
      Change A = At(0);
      return A.K == Change::Added
                 ? Change::of(Change::Scaled, A.Last * Of.Factor,
                              A.Before * Of.Factor)
             : A.K == Change::None ? A
                                   : Change::lost();
    }
    case Law::Logarithm: {
      Change A = At(0);
      return A.K == Change::Scaled
                 ? Change::of(Change::Added, A.Last / Of.Factor,
                              A.Before / Of.Factor)
             : A.K == Change::None ? A
                                   : Change::lost();
    }
    case Law::Extremum:
      return At(0) == At(1) ? At(0) : Change::lost();
    case Law::Root: {
      Change A = At(0);
      return A.K == Change::Scaled ? Times(A, Of.Factor)
             : A.K == Change::None ? A
                                   : Change::lost();
    }
    case Law::Magnitude:
      return At(0).K == Change::Added ? Change::lost() : At(0);
    case Law::FusedProduct:
      return Sum(Product(At(0), At(1), I.getOperand(0), I.getOperand(1)), At(2),
                 /*VA=*/&I, I.getOperand(2));
    case Law::Shuffle: {
      // Of another lane's pivot, which is this lane's if all have one.
      Change A = At(1);
      return A.K == Change::None || (OfWarp && isOfWholeWarp(Call))
                 ? A
                 : Change::lost();
    }
    case Law::None:
      break;
    }
    return None() ? Change{} : Change::lost();
  }
  default:
    return None() ? Change{} : Change::lost();
  }
}

/// Something that changes goes where this analysis does not follow it.
bool Question::leaves(const Instruction &I) const {
  auto Changed = [&](const Value *V) {
    return changeAt(V, I).K != Change::None;
  };
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return Changed(S->getValueOperand());
  if (isa<BranchInst, SwitchInst, LoadInst, PHINode>(I))
    return false;
  if (I.isTerminator())
    return any_of(I.operands(), Changed);
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    const OperationRecord *R = Cat.lookup(I);
    if ((R && R->Pure) || lawOf(I, Cat).L != Law::None)
      return false;
    return any_of(C->args(), [&](const Value *A) {
      return !isa<MetadataAsValue>(A) && Changed(A);
    });
  }
  return I.mayWriteToMemory() && any_of(I.operands(), Changed);
}

bool Question::holds() {
  constexpr unsigned MostRounds = 12;
  bool Settled = false;
  for (unsigned Round = 0; !Settled && Round != MostRounds; ++Round) {
    Settled = true;
    for (const Instruction *I : Dependents) {
      Change C = transfer(*I);
      auto [It, New] = Changes.try_emplace(I, C);
      Settled &= !New && It->second == C;
      It->second = C;
    }
    // What only goes around begins with 0.
    if (Settled)
      for (auto &[V, C] : Changes)
        if (C.K == Change::Unseen) {
          C = {};
          Settled = false;
        }
  }
  return Settled && none_of(Dependents, [&](const Instruction *I) {
           return any_of(I->users(), [&](const User *U) {
             const auto *By = cast<Instruction>(U);
             return Shape.isLive(By->getParent()) && leaves(*By);
           });
         });
}

/// The pivot is an extremum of that of the iteration before and something else,
/// in every iteration.
std::optional<RunningPivot> Question::running() const {
  if (!Own || OfWarp || lawOf(P, Cat).L != Law::Extremum)
    return std::nullopt;
  RunningPivot Found;
  Found.Pivot = &P;
  const Change Latest{Change::Added, 1, 0};
  const Value *Inner = &P;
  for (const Loop *L = Own; L && L != Epoch; L = L->getParentLoop()) {
    const BasicBlock *Latch = L->getLoopLatch(), *Start = L->getLoopPreheader();
    if (!Latch || !Start ||
        !DT.dominates(cast<Instruction>(Inner)->getParent(), Latch))
      break;
    const PHINode *Before = nullptr;
    for (const PHINode &Phi : L->getHeader()->phis()) {
      if (!(Changes.lookup(&Phi) == Latest))
        continue;
      // What comes around is the pivot, or what loops within made of it.
      const Value *Next = Phi.getIncomingValueForBlock(Latch);
      while (Next != &P && isa<PHINode>(Next) &&
             cast<PHINode>(Next)->getNumIncomingValues() == 1)
        Next = cast<PHINode>(Next)->getIncomingValue(0);
      if (Next != &P || Before)
        return std::nullopt;
      Before = &Phi;
    }
    if (!Before)
      break;
    if (L == Own ? P.getOperand(0) != Before && P.getOperand(1) != Before
                 : Found.Before.front()->getIncomingValueForBlock(
                       Found.Of->getLoopPreheader()) != Before)
      break;
    Found.Of = L;
    Found.Before.insert(Found.Before.begin(), Before);
    Inner = Before;
  }
  if (!Found.Of)
    return std::nullopt;
  for (const BasicBlock *B : Found.Of->blocks())
    for (const Instruction &I : *B) {
      Change C = Changes.lookup(&I);
      if (C.K == Change::None)
        continue;
      Found.Shifted.insert(&I);
      if (C.K == Change::Lost)
        Found.Unfollowed.insert(&I);
      // What leaves the loop must be the same whatever all pivots but the last
      // were.
      for (const User *U : I.users())
        if (const auto *Outside = cast<Instruction>(U);
            !Found.Of->contains(Outside))
          if (Change Left = Changes.lookup(Outside);
              Left.K == Change::Lost || Left.Before)
            return std::nullopt;
    }
  for (const PHINode &Phi : Found.Of->getHeader()->phis())
    if (&Phi != Found.Before.front() && Found.Shifted.contains(&Phi))
      Found.FromNothing &=
          isZero(Phi.getIncomingValueForBlock(Found.Of->getLoopPreheader()));
  return Found;
}

/// V goes into an exponential, as a term of a sum or so.
bool leadsToExponential(const Value *V, const Catalogue &Cat, unsigned Depth) {
  return any_of(V->users(), [&](const User *U) {
    const auto *I = dyn_cast<Instruction>(U);
    if (!I)
      return false;
    if (lawOf(*I, Cat).L == Law::Exponential)
      return true;
    switch (I->getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FNeg:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
    case Instruction::Call:
      return (!isa<CallInst>(I) || lawOf(*I, Cat).L == Law::FusedProduct) &&
             Depth && leadsToExponential(I, Cat, Depth - 1);
    default:
      return false;
    }
  });
}

/// A number that was chosen among others, and that nothing computes with before
/// it is taken off something.
bool mayBePivot(const Instruction &I, const Catalogue &Cat) {
  constexpr unsigned FewSteps = 3;
  return I.getType()->isFloatingPointTy() &&
         (isa<SelectInst, PHINode>(I) || lawOf(I, Cat).L == Law::Extremum) &&
         leadsToExponential(&I, Cat, FewSteps);
}

} // namespace

bool ShiftInvariance::isExponential(const Instruction &I,
                                    const Catalogue &Cat) {
  return lawOf(I, Cat).L == Law::Exponential;
}

ShiftInvariance::ShiftInvariance(Function &F, const Catalogue &Cat,
                                 const LoopShape &Shape,
                                 function_ref<bool(const Value *)> IsVaried) {
  constexpr unsigned MostCandidates = 64;
  SmallVector<const Instruction *, 8> Candidates;
  for (const BasicBlock *B : ReversePostOrderTraversal<const Function *>(&F))
    for (const Instruction &I : *B)
      if (Shape.isLive(B) && IsVaried(&I) && mayBePivot(I, Cat))
        Candidates.push_back(&I);
  if (Candidates.empty() || Candidates.size() > MostCandidates)
    return;
  DominatorTree DT(F);
  // Later ones first: what an earlier one does to a pivot needs no following.
  for (const Instruction *P : reverse(Candidates)) {
    SmallVector<const Loop *, 3> Epochs;
    for (const Loop *L = Shape.loops().getLoopFor(P->getParent()); L;
         L = L->getParentLoop())
      Epochs.push_back(L);
    Epochs.push_back(nullptr);
    auto Holds = [&](const Loop *Epoch, bool OfWarp) {
      Question Q(F, Cat, Shape, DT, *P, Epoch, OfWarp, Pivots);
      if (!Q.holds())
        return false;
      if (auto R = Q.running())
        Running.push_back(std::move(*R));
      return true;
    };
    const bool OneInWarp = isOneInWarp(*P, Cat);
    if (any_of(reverse(Epochs), [&](const Loop *Epoch) {
          return Holds(Epoch, false) || (OneInWarp && Holds(Epoch, true));
        }))
      Pivots.insert(P);
  }
}
