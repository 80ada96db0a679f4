//===- ArgumentRanges.cpp - where a loop nest's arguments lead ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is left of an address when all recurrences are gone (AffineBounds.h)
// consists of arguments and constants. Every bound is one of mathematical
// integers: whether the machine's integers wrapped is for those to check who
// compute it (Emit/DisjointChoice).
//
//===----------------------------------------------------------------------===//

#include "Analysis/ArgumentRanges.h"
#include "Analysis/AffineBounds.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// What a caller can compute: of arguments and constants, without a division
/// that might trap.
static bool isGiven(const SCEV *S) {
  return !SCEVExprContains(S, [](const SCEV *Part) {
    if (const auto *U = dyn_cast<SCEVUnknown>(Part))
      return !isa<Argument>(U->getValue());
    if (const auto *D = dyn_cast<SCEVUDivExpr>(Part))
      return !isa<SCEVConstant>(D->getRHS());
    return isa<SCEVAddRecExpr>(Part) || isa<SCEVCouldNotCompute>(Part) ||
           isa<SCEVPtrToIntExpr>(Part) || isa<SCEVSequentialMinMaxExpr>(Part) ||
           isa<SCEVVScale>(Part);
  });
}

std::optional<ReadRange> ReadRange::of(const LoadInst &L, ScalarEvolution &SE) {
  const Value *Address = L.getPointerOperand();
  auto *Base = const_cast<Argument *>(
      dyn_cast<Argument>(getUnderlyingObject(Address, /*MaxLookup=*/0)));
  TypeSize Size = L.getDataLayout().getTypeStoreSize(L.getType());
  if (!Base || Size.isScalable() || Base->hasPointeeInMemoryValueAttr() ||
      Base->getType()->getPointerAddressSpace())
    return std::nullopt;
  const SCEV *Place = SE.getSCEV(const_cast<Value *>(Address));
  const auto *Root = dyn_cast<SCEVUnknown>(SE.getPointerBase(Place));
  if (!Root || Root->getValue() != Base)
    return std::nullopt;
  Interval Offset = AffineBounds(SE, AffineBounds::Trusted, isGiven)
                        .of(SE.removePointerBase(Place));
  if (!Offset || Offset.Low->getType() != Offset.High->getType())
    return std::nullopt;
  return ReadRange{
      Base, Offset.Low,
      SE.getAddExpr(Offset.High, SE.getConstant(Offset.High->getType(),
                                                Size.getFixedValue()))};
}

namespace {

class Collector {
public:
  Collector(Function &F, ScalarEvolution &SE, const LoopInfo &Loops)
      : F(F), SE(SE), Loops(Loops), Sums(SE, isGiven) {}
  std::optional<ArgumentRanges> run();

private:
  bool access(const Instruction &I, Value *Address, const SCEV *Size,
              bool Writes);
  void addBound(SmallVectorImpl<const SCEV *> &To, const SCEV *Bound,
                bool Least);
  bool visit(Instruction &I);

  Function &F;
  ScalarEvolution &SE;
  const LoopInfo &Loops;
  NarrowSums Sums;
  MapVector<Argument *, ArgumentRange> Found;
  SmallSetVector<GlobalVariable *, 4> Globals;
  /// Arguments that are accessed in a loop of a loop, and written in a loop.
  SmallPtrSet<const Argument *, 8> Nested, WrittenInLoop;
};

} // namespace

/// Of bounds that are a constant apart, such as those of neighbours in a row,
/// one counts.
void Collector::addBound(SmallVectorImpl<const SCEV *> &To, const SCEV *Bound,
                         bool Least) {
  for (const SCEV *&Known : To)
    if (const auto *Apart =
            dyn_cast<SCEVConstant>(SE.getMinusSCEV(Bound, Known))) {
      if (Apart->getAPInt().isNegative() == Least)
        Known = Bound;
      return;
    }
  To.push_back(Bound);
}

bool Collector::access(const Instruction &I, Value *Address, const SCEV *Size,
                       bool Writes) {
  Value *Object = getUnderlyingObject(Address, 0);
  if (isa<AllocaInst>(Object))
    return true;
  if (auto *G = dyn_cast<GlobalVariable>(Object)) {
    if (!G->isConstant() || Writes)
      Globals.insert(G);
    return !G->isThreadLocal() && G->hasExactDefinition();
  }
  auto *Base = dyn_cast<Argument>(Object);
  if (!Base || Base->hasPointeeInMemoryValueAttr() ||
      Base->getType()->getPointerAddressSpace())
    return false;
  const SCEV *Place = SE.getSCEV(Address);
  const auto *Root = dyn_cast<SCEVUnknown>(SE.getPointerBase(Place));
  if (!Root || Root->getValue() != Base)
    return false;
  AffineBounds Bound(SE, AffineBounds::Trusted, isGiven);
  Interval Offset = Bound.of(Sums.withoutCasts(SE.removePointerBase(Place)));
  Interval Length = Bound.of(SE.getTruncateOrZeroExtend(
      Size, SE.getEffectiveSCEVType(Base->getType())));
  if (!Offset || !Length)
    return false;
  ArgumentRange &R =
      Found.try_emplace(Base, ArgumentRange{Base, {}, {}, false}).first->second;
  R.Written |= Writes;
  addBound(R.Lows, Offset.Low, /*Least=*/true);
  addBound(R.Highs, SE.getAddExpr(Offset.High, Length.High), /*Least=*/false);
  const unsigned Depth = Loops.getLoopDepth(I.getParent());
  if (Depth > 1)
    Nested.insert(Base);
  if (Depth && Writes)
    WrittenInLoop.insert(Base);
  constexpr size_t MostBounds = 32; // each is computed by every call
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
           access(I, L->getPointerOperand(), SizeOf(L->getType()), false);
  if (auto *S = dyn_cast<StoreInst>(&I)) {
    Type *T = S->getValueOperand()->getType();
    return S->isSimple() && !T->isScalableTy() && !T->isPointerTy() &&
           access(I, S->getPointerOperand(), SizeOf(T), true);
  }
  if (auto *M = dyn_cast<AnyMemIntrinsic>(&I)) {
    const SCEV *Size = SE.getSCEV(M->getLength());
    if (M->isVolatile() || !access(I, M->getRawDest(), Size, true))
      return false;
    auto *T = dyn_cast<AnyMemTransferInst>(M);
    return !T || access(I, T->getRawSource(), Size, false);
  }
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

std::optional<ArgumentRanges> Collector::run() {
  if (F.isVarArg() || F.hasOptNone() || Loops.empty())
    return std::nullopt;
  for (Instruction &I : instructions(F))
    if (!visit(I))
      return std::nullopt;
  constexpr size_t MostArguments = 12;
  if (Found.size() < 2 || Found.size() > MostArguments)
    return std::nullopt;
  auto MayOverlap = [&](const Argument *A) {
    return any_of(Nested, [&](const Argument *B) {
      return A != B && !A->hasNoAliasAttr() && !B->hasNoAliasAttr();
    });
  };
  if (none_of(WrittenInLoop, MayOverlap))
    return std::nullopt;
  ArgumentRanges R;
  for (auto &[Base, Range] : Found)
    R.Ranges.push_back(std::move(Range));
  R.Globals.assign(Globals.begin(), Globals.end());
  R.Fit.assign(Sums.fit().begin(), Sums.fit().end());
  constexpr size_t MostSums = 32; // each is asked for by every call
  if (R.Fit.size() > MostSums)
    return std::nullopt;
  R.Wide = Sums.wideNumbers(F);
  return R;
}

std::optional<ArgumentRanges>
ArgumentRanges::of(Function &F, ScalarEvolution &SE, const LoopInfo &Loops) {
  return Collector(F, SE, Loops).run();
}
