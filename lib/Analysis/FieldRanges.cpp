//===- FieldRanges.cpp - where pointers in structs lead -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As ArgumentRanges, bounds are those of mathematical integers: whether the
// machine's wrapped is for those to check who compute them.
//
//===----------------------------------------------------------------------===//

#include "Analysis/FieldRanges.h"
#include "Analysis/AffineBounds.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace retrograd;
using namespace llvm::PatternMatch;

static bool isPlainArgument(const Value *V) {
  const auto *A = dyn_cast<Argument>(V);
  return A && A->getType()->isPointerTy() &&
         !A->hasPointeeInMemoryValueAttr() &&
         !A->getType()->getPointerAddressSpace();
}

Field Field::of(const Value *V) {
  if (const auto *A = dyn_cast<Argument>(V))
    return {const_cast<Argument *>(A), std::nullopt};
  const auto *L = dyn_cast<LoadInst>(V);
  if (!L || !L->isSimple() ||
      !((L->getType()->isIntegerTy() &&
         L->getType()->getIntegerBitWidth() <= 64) ||
        (L->getType()->isPointerTy() &&
         !L->getType()->getPointerAddressSpace())))
    return {};
  const DataLayout &DL = L->getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(L->getPointerOperandType()), 0);
  const Value *Base = L->getPointerOperand()->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  if (!isPlainArgument(Base))
    return {};
  return {const_cast<Argument *>(cast<Argument>(Base)), Offset.getSExtValue()};
}

namespace {

class Collector {
public:
  Collector(Function &F, ScalarEvolution &SE, const LoopInfo &Loops);
  std::optional<FieldRanges> run();

private:
  void readFirst();
  const BasicBlock *toLoops(const BranchInst &B);
  bool guard(const Value &Condition, bool Holds);
  bool isField(const Value *V) const;
  bool isGiven(const SCEV *S);
  const Value *rootOf(const Value *Address) const;
  const SCEV *place(Value *Address, const Value &Root);
  Interval bounds(const SCEV *S) {
    return AffineBounds(SE, AffineBounds::Trusted,
                        [this](const SCEV *Part) { return isGiven(Part); })
        .of(S);
  }
  bool access(Instruction &I, Value *Address, const SCEV *Size, Type *T,
              bool Writes);
  bool visit(Instruction &I);
  const SCEV *withoutLoop(const SCEV *S, const Loop &Of, const SCEV *&Step);
  std::optional<SmallVector<ApartInTime, 2>> staysIf(LoadInst &L,
                                                     const FieldRange &R);
  std::pair<Value *, const SCEV *> written(Instruction &I);

  Function &F;
  ScalarEvolution &SE;
  const LoopInfo &Loops;
  FieldRange &rangeOf(const Value &Root);

  SmallVector<FieldRange, 16> Found;
  /// Where arguments are written, or may be.
  SmallPtrSet<const Value *, 8> WrittenArguments;
  /// Fields that are loaded before anything is written, and once.
  SmallPtrSet<const Instruction *, 16> LoadedFirst;
  /// Bytes behind an argument that surely are of one object, since what runs
  /// first reads on both sides.
  SmallDenseMap<const Argument *, std::pair<int64_t, int64_t>> ReadFirst;
  SmallVector<Guard, 4> Guards;
  DominatorTree DT;
  NarrowSums Sums;
  SmallSetVector<GlobalVariable *, 4> Globals;
  /// Roots of which more iterations read than there are places, and those that
  /// a loop writes to.
  SmallVector<Field, 8> ReadAgain, WrittenInLoop;
};

} // namespace

Collector::Collector(Function &F, ScalarEvolution &SE, const LoopInfo &Loops)
    : F(F), SE(SE), Loops(Loops), DT(F),
      Sums(SE, [this](const SCEV *Part) { return isGiven(Part); }) {
  for (const Instruction &I : instructions(F)) {
    if (const auto *S = dyn_cast<StoreInst>(&I))
      WrittenArguments.insert(getUnderlyingObject(S->getPointerOperand(), 0));
    if (const auto *M = dyn_cast<MemIntrinsic>(&I))
      WrittenArguments.insert(getUnderlyingObject(M->getRawDest(), 0));
  }
  readFirst();
}

/// What runs first: the entry block, and the way from there to the loops, as
/// long as nothing is written on it. A caller that goes this way finds the same
/// fields, safely. Loops on the way are in their first iteration.
void Collector::readFirst() {
  const DataLayout &DL = F.getDataLayout();
  SmallPtrSet<const BasicBlock *, 8> Seen;
  size_t Needed = 0;
  for (const BasicBlock *At = &F.getEntryBlock();
       At && Seen.insert(At).second;) {
    for (const Instruction &I : *At) {
      if (const Field Read = Field::of(&I); Read && Read.At) {
        const int64_t End =
            *Read.At +
            int64_t(DL.getTypeStoreSize(I.getType()).getFixedValue());
        auto [It, New] = ReadFirst.try_emplace(Read.Of, *Read.At, End);
        It->second = {std::min(It->second.first, *Read.At),
                      std::max(It->second.second, End)};
        if (!Loops.getLoopFor(At))
          LoadedFirst.insert(&I);
        Needed = Guards.size();
      }
      if (I.mayWriteToMemory() ||
          (!I.isTerminator() &&
           !isGuaranteedToTransferExecutionToSuccessor(&I))) {
        Guards.truncate(Needed);
        return;
      }
    }
    const BasicBlock *Next = At->getSingleSuccessor();
    if (const auto *B = dyn_cast<BranchInst>(At->getTerminator());
        B && B->isConditional()) {
      Next = toLoops(*B);
      if (!Next || !guard(*B->getCondition(), Next == B->getSuccessor(0)))
        break;
    }
    At = Next;
  }
  Guards.truncate(Needed);
}

/// Where more loops begin than on the other way; null: neither is.
const BasicBlock *Collector::toLoops(const BranchInst &B) {
  unsigned Count[2] = {};
  if (B.getSuccessor(0) != B.getSuccessor(1))
    for (unsigned Way : {0, 1})
      for (const Loop *L : Loops.getLoopsInPreorder())
        Count[Way] +=
            !L->contains(B.getParent()) &&
            DT.dominates({B.getParent(), B.getSuccessor(Way)}, L->getHeader());
  return Count[0] == Count[1] ? nullptr : B.getSuccessor(Count[0] < Count[1]);
}

/// What a condition that is Holds consists of, if a caller can compute it.
bool Collector::guard(const Value &Condition, bool Holds) {
  const Value *X, *Y;
  if (Holds ? match(&Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))
            : match(&Condition, m_LogicalOr(m_Value(X), m_Value(Y))))
    return guard(*X, Holds) && guard(*Y, Holds);
  const auto *C = dyn_cast<ICmpInst>(&Condition);
  if (!C || !C->getOperand(0)->getType()->isIntegerTy())
    return false;
  const SCEV *Left = SE.getSCEV(C->getOperand(0)),
             *Right = SE.getSCEV(C->getOperand(1));
  for (const SCEV *S : {Left, Right})
    if (!isGiven(S) || SCEVExprContains(S, [](const SCEV *Part) {
          const auto *U = dyn_cast<SCEVUnknown>(Part);
          return U && isa<BinaryOperator>(U->getValue());
        }))
      return false;
  Guards.push_back(
      {Holds ? C->getPredicate() : C->getInversePredicate(), Left, Right});
  return true;
}

/// A caller can load V in front of everything, and finds what this function
/// finds, if nothing that it writes is there.
bool Collector::isField(const Value *V) const {
  const Field Is = Field::of(V);
  if (!Is || !Is.At || LoadedFirst.contains(cast<Instruction>(V)))
    return bool(Is);
  auto It = ReadFirst.find(Is.Of);
  return It != ReadFirst.end() && !WrittenArguments.contains(Is.Of) &&
         It->second.first <= *Is.At &&
         *Is.At + int64_t(F.getDataLayout().getTypeStoreSize(V->getType())) <=
             It->second.second;
}

FieldRange &Collector::rangeOf(const Value &Root) {
  auto *It = find_if(Found, [&](const FieldRange &R) {
    return Field::of(R.Root) == Field::of(&Root);
  });
  if (It != Found.end())
    return *It;
  Found.emplace_back().Root = &Root;
  return Found.back();
}

/// What a caller can compute: of arguments, fields and constants. A division
/// may trap; whoever computes one asks first.
bool Collector::isGiven(const SCEV *S) {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    if (const auto *U = dyn_cast<SCEVUnknown>(Part)) {
      const auto *D = dyn_cast<BinaryOperator>(U->getValue());
      if (D && D->getOpcode() == Instruction::SDiv)
        return !isGiven(SE.getSCEV(D->getOperand(0))) ||
               !isGiven(SE.getSCEV(D->getOperand(1)));
      return !isField(U->getValue());
    }
    if (const auto *D = dyn_cast<SCEVUDivExpr>(Part))
      return !isa<SCEVConstant>(D->getRHS());
    return isa<SCEVAddRecExpr>(Part) || isa<SCEVCouldNotCompute>(Part) ||
           isa<SCEVPtrToIntExpr>(Part) || isa<SCEVSequentialMinMaxExpr>(Part) ||
           isa<SCEVVScale>(Part);
  });
}

const Value *Collector::rootOf(const Value *Address) const {
  const Value *Object = getUnderlyingObject(Address, /*MaxLookup=*/0);
  return isPlainArgument(Object) || (Object->getType()->isPointerTy() &&
                                     isa<LoadInst>(Object) && Field::of(Object))
             ? Object
             : nullptr;
}

/// How far Address is from Root; null: it is not seen.
const SCEV *Collector::place(Value *Address, const Value &Root) {
  const SCEV *Place = SE.getSCEV(Address);
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Place));
  return Base && rootOf(Base->getValue()) &&
                 Field::of(Base->getValue()) == Field::of(&Root)
             ? Sums.withoutCasts(SE.removePointerBase(Place))
             : nullptr;
}

bool Collector::access(Instruction &I, Value *Address, const SCEV *Size,
                       Type *T, bool Writes) {
  const Value *Object = getUnderlyingObject(Address, /*MaxLookup=*/0);
  if (isa<AllocaInst>(Object))
    return true;
  if (auto *G = dyn_cast<GlobalVariable>(Object)) {
    if (!G->isConstant() || Writes)
      Globals.insert(const_cast<GlobalVariable *>(G));
    return !G->isThreadLocal() && G->hasExactDefinition();
  }
  const Value *Root = rootOf(Address);
  if (!Root)
    return !Writes;   // nothing is said of what it reads
  if (!isField(Root)) // who asks could not load it
    return !Writes;
  FieldRange &R = rangeOf(*Root);
  R.HoldsNumbers |= !T || T->isFPOrFPVectorTy();
  const SCEV *Place = place(Address, *Root);
  Interval Offset = Place && !Sums.isNarrow(Place) ? bounds(Place) : Interval{};
  Interval Length = bounds(SE.getTruncateOrZeroExtend(
      Size, SE.getEffectiveSCEVType(Address->getType())));
  if (!Offset || !Length) {
    R.IsWhole = false;
    return !Writes;
  }
  R.Written |= Writes;
  R.Accesses.push_back(&I);
  const SCEV *High = SE.getAddExpr(Offset.High, Length.High);
  if (!is_contained(R.Lows, Offset.Low))
    R.Lows.push_back(Offset.Low);
  if (!is_contained(R.Highs, High))
    R.Highs.push_back(High);
  unsigned Depth = Loops.getLoopDepth(I.getParent());
  if (Depth && Writes)
    WrittenInLoop.push_back(Field::of(Root));
  if (isa<LoadInst>(I) && T->isFloatingPointTy()) {
    for (const SCEV *S = Place; Depth && isa<SCEVAddRecExpr>(S); --Depth)
      S = cast<SCEVAddRecExpr>(S)->getStart();
    if (Depth && isa<SCEVAddRecExpr>(Place))
      ReadAgain.push_back(Field::of(Root));
  }
  constexpr size_t MostBounds = 64; // each is computed by every call
  return R.Lows.size() <= MostBounds && R.Highs.size() <= MostBounds;
}

bool Collector::visit(Instruction &I) {
  const DataLayout &DL = F.getDataLayout();
  Type *Int64 = Type::getInt64Ty(F.getContext());
  auto SizeOf = [&](Type *T) {
    return SE.getConstant(Int64, DL.getTypeStoreSize(T).getFixedValue());
  };
  if (auto *L = dyn_cast<LoadInst>(&I))
    return L->isSimple() && !L->getType()->isScalableTy() &&
           access(I, L->getPointerOperand(), SizeOf(L->getType()), L->getType(),
                  false);
  if (auto *S = dyn_cast<StoreInst>(&I)) {
    Type *T = S->getValueOperand()->getType();
    return S->isSimple() && !T->isScalableTy() && !T->isPtrOrPtrVectorTy() &&
           access(I, S->getPointerOperand(), SizeOf(T), T, true);
  }
  if (auto *M = dyn_cast<MemSetInst>(&I))
    return !M->isVolatile() &&
           access(I, M->getRawDest(), SE.getSCEV(M->getLength()), nullptr,
                  true);
  if (auto *C = dyn_cast<CallBase>(&I)) {
    if (isa<InvokeInst>(C) || C->isInlineAsm())
      return false;
    if (auto *II = dyn_cast<IntrinsicInst>(C);
        II && (II->isAssumeLikeIntrinsic() || II->isLifetimeStartOrEnd()))
      return true;
    // errno is nobody's argument.
    MemoryEffects Effects = C->getMemoryEffects()
                                .getWithoutLoc(IRMemLocation::ErrnoMem)
                                .getWithoutLoc(IRMemLocation::InaccessibleMem);
    return Effects.doesNotAccessMemory();
  }
  return !I.mayReadOrWriteMemory();
}

/// S in the first iteration of Of; what one more iteration adds is added to
/// Step. Null where that is not all that the loop does.
const SCEV *Collector::withoutLoop(const SCEV *S, const Loop &Of,
                                   const SCEV *&Step) {
  if (SE.isLoopInvariant(S, &Of))
    return S;
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!R->isAffine())
      return nullptr;
    if (R->getLoop() == &Of) {
      Step = SE.getAddExpr(Step, R->getStepRecurrence(SE));
      return R->getStart();
    }
    if (!SE.isLoopInvariant(R->getStepRecurrence(SE), &Of))
      return nullptr;
    const SCEV *Start = withoutLoop(R->getStart(), Of, Step);
    return Start ? SE.getAddRecExpr(Start, R->getStepRecurrence(SE),
                                    R->getLoop(), SCEV::FlagAnyWrap)
                 : nullptr;
  }
  if (const auto *A = dyn_cast<SCEVAddExpr>(S)) {
    SmallVector<const SCEV *, 4> Parts;
    for (const SCEV *Part : A->operands()) {
      Parts.push_back(withoutLoop(Part, Of, Step));
      if (!Parts.back())
        return nullptr;
    }
    return SE.getAddExpr(Parts);
  }
  return nullptr;
}

/// Where I writes, and how many bytes.
std::pair<Value *, const SCEV *> Collector::written(Instruction &I) {
  if (auto *S = dyn_cast<StoreInst>(&I))
    return {S->getPointerOperand(),
            SE.getConstant(Type::getInt64Ty(F.getContext()),
                           F.getDataLayout().getTypeStoreSize(
                               S->getValueOperand()->getType()))};
  if (auto *M = dyn_cast<MemSetInst>(&I))
    return {M->getRawDest(), SE.getSCEV(M->getLength())};
  return {nullptr, nullptr};
}

/// To can run after From has run, in one iteration of Around.
static bool follows(const Instruction &To, const Instruction &From,
                    const Loop *Around) {
  if (To.getParent() == From.getParent() && From.comesBefore(&To))
    return true;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{From.getParent()};
  while (!Work.empty())
    for (const BasicBlock *S : successors(Work.pop_back_val()))
      if (!(Around && S == Around->getHeader()) && Seen.insert(S).second)
        Work.push_back(S);
  return Seen.contains(To.getParent());
}

/// What has to hold so that nothing overwrites what L reads; none if that
/// cannot be said.
std::optional<SmallVector<ApartInTime, 2>>
Collector::staysIf(LoadInst &L, const FieldRange &R) {
  SmallVector<ApartInTime, 2> If;
  const Loop *Outermost = Loops.getLoopFor(L.getParent());
  while (Outermost && Outermost->getParentLoop())
    Outermost = Outermost->getParentLoop();
  const DataLayout &DL = F.getDataLayout();
  for (Instruction *W : R.Accesses) {
    auto [To, Size] = written(*W);
    if (!To || !follows(*W, L, nullptr))
      continue;
    if (!Outermost || !Outermost->contains(W) || follows(*W, L, Outermost))
      return std::nullopt;
    const SCEV *Zero = SE.getZero(Size->getType()), *LoadStep = Zero,
               *StoreStep = Zero;
    const SCEV *FromPlace = place(L.getPointerOperand(), *R.Root),
               *ToPlace = place(To, *R.Root);
    if (!FromPlace || !ToPlace)
      return std::nullopt;
    FromPlace = withoutLoop(FromPlace, *Outermost, LoadStep);
    ToPlace = withoutLoop(ToPlace, *Outermost, StoreStep);
    if (!FromPlace || !ToPlace || LoadStep != StoreStep || LoadStep->isZero() ||
        !isGiven(LoadStep) || !SE.isLoopInvariant(Size, Outermost))
      return std::nullopt;
    Interval Load = bounds(FromPlace), Store = bounds(ToPlace),
             Length = bounds(Size);
    if (!Load || !Store || !Length)
      return std::nullopt;
    ApartInTime Question{
        LoadStep, Load.Low,
        SE.getAddExpr(
            Load.High,
            SE.getConstant(Zero->getType(), DL.getTypeStoreSize(L.getType()))),
        Store.Low, SE.getAddExpr(Store.High, Length.High)};
    if (!is_contained(If, Question))
      If.push_back(Question);
  }
  return If;
}

std::optional<FieldRanges> Collector::run() {
  if (F.isVarArg() || Loops.empty())
    return std::nullopt;
  for (const BasicBlock &Block : F) // elsewhere all cycles are loops
    if (isa<IndirectBrInst, CallBrInst>(Block.getTerminator()))
      return std::nullopt;
  for (Instruction &I : instructions(F))
    if (!visit(I))
      return std::nullopt;
  constexpr size_t MostRoots = 128;
  if (Found.size() < 2 || Found.size() > MostRoots)
    return std::nullopt;
  if (none_of(WrittenInLoop, [&](const Field &A) {
        return any_of(ReadAgain,
                      [&](const Field &B) { return A != B && (A.At || B.At); });
      }))
    return std::nullopt;
  FieldRanges All;
  for (FieldRange &R : Found) {
    for (Instruction *I : R.Accesses) {
      auto *L = dyn_cast<LoadInst>(I);
      if (!L || !L->getType()->isFloatingPointTy())
        continue;
      auto If = staysIf(*L, R);
      if (!If)
        continue;
      All.Stay.push_back(L);
      for (const ApartInTime &Question : *If)
        if (!is_contained(All.Later, Question))
          All.Later.push_back(Question);
    }
    if (!R.Accesses.empty())
      All.Ranges.push_back(std::move(R));
  }
  All.Guards.assign(Guards.begin(), Guards.end());
  All.Fit.assign(Sums.fit().begin(), Sums.fit().end());
  All.Wide = Sums.wideNumbers(F);
  All.Globals.assign(Globals.begin(), Globals.end());
  return All;
}

std::optional<FieldRanges> FieldRanges::of(Function &Prepared,
                                           ScalarEvolution &SE,
                                           const LoopInfo &Loops) {
  return Collector(Prepared, SE, Loops).run();
}
