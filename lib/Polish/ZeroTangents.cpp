//===- ZeroTangents.cpp - tangents that are zero are not multiplied -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Jacobian by forward mode runs the program with eight tangents at a time, or
// four. What depends on few of the inputs has tangents that are zero in most of
// these runs: the matrices of a hand's bones, say, which a loop over vertices
// picks by an index.
//
//   for v:                                  zeros[..] = ...
//     for w in v:                           for v:
//       b = bone[w];                          for w in v:
//       s' += weight[w] *             =>        b = bone[w];
//             (m'[b][0] * x + ...);             if (zeros[b] < 12)
//                                                 s' += weight[w] * (...);
//
// In front of the loops the tangents of m are looked at once: a map holds for
// each number how many numbers from there on have tangents that are all zero.
// An iteration that reads a piece of twelve asks the map once. Tangents that
// are the same in all iterations are looked at in front of the loop, all
// together.
//
// Exactly the same. What is left out computes zeros of zeros and numbers, and
// adds them to something. Zero times infinity and zero times NaN are NaN, and
// stay so: it is left out where the numbers are finite, which the iteration
// asks. The sign of a zero may be another one.
//
// What pays. The map is made where the loop has more iterations than it has
// entries. A piece has at least eight operations on vectors.
//
// Not handled: single tangents, memory whose size is not known in front of the
// loop, or which the loop writes to.
//
//===----------------------------------------------------------------------===//

#include "Emit/FunctionShell.h"
#include "Polish/Apart.h"
#include "Polish/PolishSteps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;
using namespace llvm::PatternMatch;

/// Of a map, in bytes on the stack.
static constexpr uint64_t MostUnits = 2048;
/// An entry of a map counts no further.
static constexpr uint64_t MostInRow = 255;
/// Of a piece that may be left out.
static constexpr size_t LeastOperations = 8;
/// Tangents of one piece that are the same in all iterations.
static constexpr size_t MostInvariants = 32;

namespace {

/// Instructions of a block that compute with tangents of which some are zero
/// all at once.
struct Piece {
  BasicBlock *Block = nullptr;
  /// What each is worth then: zero, or another value.
  MapVector<Instruction *, Value *> Worth;
  /// Numbers that zeros are multiplied by.
  SmallSetVector<Value *, 8> Factors;
  /// What comes behind the piece, since it needs it.
  SmallSetVector<Instruction *, 16> Behind;
  size_t Operations = 0;
};

/// Tangents in memory, and where an iteration reads them.
struct Reads {
  Value *Base, *Index;
  uint64_t Shift = 0;          ///< of Index, so that it counts numbers
  Type *Unit = nullptr;        ///< all tangents of a number
  int64_t First = 0, Last = 0; ///< numbers, from Index on
  Align Aligned;
  Loop *Around = nullptr; ///< does not write to them
  SmallVector<Value *, 12> Loads;
};

class ZeroTangents {
public:
  ZeroTangents(Function &D, FunctionAnalysisManager &FAM)
      : D(D), DL(D.getDataLayout()),
        DT(FAM.getResult<DominatorTreeAnalysis>(D)),
        LI(FAM.getResult<LoopAnalysis>(D)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(D)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(D)),
        AA(FAM.getResult<AAManager>(D)) {}

  /// One piece of B, if B has one.
  bool rewrite(BasicBlock &B, SmallPtrSetImpl<BasicBlock *> &Done);

private:
  std::optional<Reads> readsOf(BasicBlock &B);
  bool isUnwritten(const Loop &L, const Reads &R);
  Value *sizeOf(Value &V, unsigned Depth = 0);
  Value *entryOf(const Reads &R, Instruction *Before);
  Value *areZero(ArrayRef<Value *> Tangents, Instruction *Before);
  static Piece pieceOf(BasicBlock &B, ArrayRef<Value *> Zeros);
  static void leaveOut(Piece &P, Value *IsZero,
                       SmallPtrSetImpl<BasicBlock *> &Done);

  Function &D;
  const DataLayout &DL;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  TargetLibraryInfo &TLI;
  AAResults &AA;
};

} // namespace

/// All tangents of a number.
static bool isTangents(const Type *T) {
  return isa<FixedVectorType>(T) && T->isFPOrFPVectorTy();
}

/// The number all of whose lanes V has, V itself if it is one.
static Value *factorIn(Value *V) {
  return V->getType()->isVectorTy() ? getSplatValue(V) : V;
}

Piece ZeroTangents::pieceOf(BasicBlock &B, ArrayRef<Value *> Zeros) {
  Piece P;
  P.Block = &B;
  bool MemoryBehind = false;
  auto Worth = [&](Value *V) -> Value * {
    if (is_contained(Zeros, V))
      return Constant::getNullValue(V->getType());
    auto *I = dyn_cast<Instruction>(V);
    return I ? P.Worth.lookup(I) : nullptr;
  };
  auto IsZero = [&](Value *V) {
    Value *W = Worth(V);
    return W && match(W, m_Zero());
  };
  // X times zero, if that is zero.
  auto IsFactor = [&](const Instruction &By, Value *X) {
    if (IsZero(X) || (By.hasNoNaNs() && By.hasNoInfs()))
      return true;
    Value *Factor = factorIn(X);
    auto *I = dyn_cast_or_null<Instruction>(Factor);
    if (!Factor || (I && (P.Worth.contains(I) || P.Behind.contains(I))))
      return false;
    if (const auto *C = dyn_cast<ConstantFP>(Factor))
      return C->getValueAPF().isFinite();
    P.Factors.insert(Factor);
    return true;
  };
  auto WorthOf = [&](Instruction &I) -> Value * {
    if (is_contained(Zeros, &I))
      return Constant::getNullValue(I.getType());
    if (!isTangents(I.getType()))
      return nullptr;
    auto Product = [&](Value *X, Value *Y) {
      return (IsZero(X) && IsFactor(I, Y)) || (IsZero(Y) && IsFactor(I, X));
    };
    auto Other = [&](Value *V) { return Worth(V) ? Worth(V) : V; };
    Value *X, *Y, *Z;
    if (match(&I, m_FNeg(m_Value(X))))
      return IsZero(X) ? Worth(X) : nullptr;
    if (match(&I, m_FMul(m_Value(X), m_Value(Y))))
      return Product(X, Y) ? Constant::getNullValue(I.getType()) : nullptr;
    if (match(&I, m_FAdd(m_Value(X), m_Value(Y))))
      return IsZero(Y) ? Other(X) : IsZero(X) ? Other(Y) : nullptr;
    if (match(&I, m_FSub(m_Value(X), m_Value(Y))))
      return IsZero(Y) ? Other(X) : nullptr;
    if (match(&I, m_Intrinsic<Intrinsic::fmuladd>(m_Value(X), m_Value(Y),
                                                  m_Value(Z))) ||
        match(&I,
              m_Intrinsic<Intrinsic::fma>(m_Value(X), m_Value(Y), m_Value(Z))))
      return Product(X, Y) ? Other(Z) : nullptr;
    return nullptr;
  };
  for (Instruction &I : B) {
    if (isa<PHINode>(I) || I.isTerminator())
      continue;
    const bool IsBehind = any_of(I.operands(), [&](Value *V) {
      auto *J = dyn_cast<Instruction>(V);
      return J && P.Behind.contains(J);
    });
    if (Value *W = IsBehind ? nullptr : WorthOf(I)) {
      P.Worth[&I] = W;
      ++P.Operations;
      continue;
    }
    const bool Needs = IsBehind || any_of(I.operands(), [&](Value *V) {
                         auto *J = dyn_cast<Instruction>(V);
                         return J && P.Worth.contains(J);
                       });
    const bool Touches = I.mayReadOrWriteMemory() || I.mayHaveSideEffects();
    if (Needs || (Touches && MemoryBehind)) {
      P.Behind.insert(&I);
      MemoryBehind |= Touches;
    }
  }
  return P;
}

/// Puts P into a block of its own, which IsZero and finite factors pass by.
void ZeroTangents::leaveOut(Piece &P, Value *IsZero,
                            SmallPtrSetImpl<BasicBlock *> &Done) {
  BasicBlock *Front = P.Block;
  Function *F = Front->getParent();
  BasicBlock *Back = SplitBlock(Front, Front->getTerminator());
  Back->setName("rg.zeros.behind");
  for (Instruction *I : P.Behind)
    I->moveBefore(Back->getTerminator()->getIterator());
  BasicBlock *Computes =
      BasicBlock::Create(F->getContext(), "rg.zeros.not", F, Back);
  BasicBlock *Asks = BasicBlock::Create(F->getContext(), "rg.zeros", F, Back);
  Done.insert_range(ArrayRef({Front, Computes, Back}));
  Instruction *End = BranchInst::Create(Back, Computes);
  for (auto &[I, W] : P.Worth)
    I->moveBefore(End->getIterator());
  Front->getTerminator()->eraseFromParent();
  IRBuilder<> B(Front);
  B.CreateCondBr(IsZero, Asks, Computes);
  // A number times zero is zero or NaN. Those that are the same in all
  // iterations come first.
  B.SetInsertPoint(Asks);
  MapVector<Type *, Value *> Sums;
  for (bool Varies : {false, true})
    for (Value *X : P.Factors) {
      auto *I = dyn_cast<Instruction>(X);
      if ((I && I->getParent() == Front) != Varies)
        continue;
      Value *Times = B.CreateFMul(X, Constant::getNullValue(X->getType()));
      Value *&Sum = Sums[X->getType()];
      Sum = Sum ? B.CreateFAdd(Sum, Times) : Times;
    }
  Value *AreFinite = B.getTrue();
  for (auto &[T, Sum] : Sums)
    AreFinite = B.CreateAnd(B.CreateFCmpORD(Sum, Sum), AreFinite);
  B.CreateCondBr(AreFinite, Back, Computes);
  for (auto &[I, W] : P.Worth) {
    SmallVector<Use *, 4> Outside;
    for (Use &U : I->uses())
      if (cast<Instruction>(U.getUser())->getParent() != Computes)
        Outside.push_back(&U);
    if (Outside.empty())
      continue;
    B.SetInsertPoint(Back, Back->begin());
    PHINode *Phi = B.CreatePHI(I->getType(), 2, I->getName());
    Phi->addIncoming(I, Computes);
    Phi->addIncoming(W, Asks);
    for (Use *U : Outside)
      U->set(Phi);
  }
  // What the piece alone needs.
  for (Instruction &I : make_early_inc_range(reverse(*Front)))
    if (!isa<PHINode>(I) && !I.isTerminator() && !I.mayReadOrWriteMemory() &&
        !I.mayHaveSideEffects() && !I.use_empty() &&
        all_of(I.users(), [&](const User *U) {
          return cast<Instruction>(U)->getParent() == Computes &&
                 !isa<PHINode>(U);
        }))
      I.moveBefore(Computes->begin());
}

/// Nothing in L writes to what R reads.
bool ZeroTangents::isUnwritten(const Loop &L, const Reads &R) {
  AAMDNodes Tags = cast<LoadInst>(R.Loads.front())->getAAMetadata();
  // What is declared for one iteration says nothing of another one.
  for (const BasicBlock *B : L.blocks())
    if (any_of(*B, [](const Instruction &I) {
          return isa<NoAliasScopeDeclInst>(I);
        }))
      Tags = AAMDNodes();
  const MemoryLocation Whole(R.Base, LocationSize::beforeOrAfterPointer(),
                             Tags);
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, Whole)) &&
          !(getLoadStorePointerOperand(&I) &&
            areApart(getLoadStorePointerOperand(&I), R.Base, LI,
                     [&](const MemoryLocation &P, const MemoryLocation &Q) {
                       return AA.isNoAlias(P, Q);
                     })))
        return false;
  return true;
}

/// The most tangents that an iteration reads from one place on in B.
std::optional<Reads> ZeroTangents::readsOf(BasicBlock &B) {
  MapVector<std::pair<Value *, Value *>, Reads> All;
  for (Instruction &I : B) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->isSimple() || !isTangents(Load->getType()))
      continue;
    APInt Offset(64, 0);
    auto *At = dyn_cast<GetElementPtrInst>(
        Load->getPointerOperand()->stripAndAccumulateConstantOffsets(
            DL, Offset, /*AllowNonInbounds=*/true));
    const TypeSize Bytes = DL.getTypeStoreSize(Load->getType());
    if (!At || At->getNumIndices() != 1 ||
        !At->getOperand(1)->getType()->isIntegerTy(64) ||
        Offset.getSExtValue() % int64_t(Bytes.getFixedValue()) != 0)
      continue;
    // An element of the address may be less than all tangents of a number.
    const uint64_t Step =
        DL.getTypeAllocSize(At->getSourceElementType()).getFixedValue();
    if (Step == 0 || Bytes.getFixedValue() % Step != 0 ||
        !isPowerOf2_64(Bytes.getFixedValue() / Step))
      continue;
    const uint64_t Shift = Log2_64(Bytes.getFixedValue() / Step);
    if (computeKnownBits(At->getOperand(1), DL).countMinTrailingZeros() < Shift)
      continue;
    Reads &R = All[{At->getPointerOperand(), At->getOperand(1)}];
    const int64_t Unit = Offset.getSExtValue() / int64_t(Bytes.getFixedValue());
    if (R.Loads.empty())
      R = {At->getPointerOperand(),
           At->getOperand(1),
           Shift,
           Load->getType(),
           Unit,
           Unit,
           Load->getAlign(),
           nullptr,
           {}};
    if (R.Unit != Load->getType() || R.Shift != Shift)
      continue;
    R.First = std::min(R.First, Unit);
    R.Last = std::max(R.Last, Unit);
    R.Aligned = std::min(R.Aligned, Load->getAlign());
    R.Loads.push_back(Load);
  }
  std::optional<Reads> Most;
  for (auto &[Key, R] : All) {
    if ((Most && R.Loads.size() <= Most->Loads.size()) ||
        uint64_t(R.Last - R.First) >= MostInRow)
      continue;
    for (Loop *L = LI.getLoopFor(&B); L; L = L->getParentLoop()) {
      if (!L->isLoopInvariant(R.Base) || !isUnwritten(*L, R))
        break;
      if (L->getLoopPreheader() &&
          !isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(L)) &&
          SE.getTypeSizeInBits(SE.getBackedgeTakenCount(L)->getType()) <= 64)
        R.Around = L;
    }
    if (R.Around)
      Most = R;
  }
  return Most;
}

/// How many bytes there are at V, which is an allocation, one of several, or
/// nothing. Null if that is not known.
Value *ZeroTangents::sizeOf(Value &V, unsigned Depth) {
  Type *Long = Type::getInt64Ty(D.getContext());
  if (isa<UndefValue, ConstantPointerNull>(V))
    return Constant::getNullValue(Long);
  if (isa<CallInst>(V) && isNoAliasCall(&V)) {
    ObjectSizeOffsetEvaluator Sizes(DL, &TLI, D.getContext());
    const SizeOffsetValue Size = Sizes.compute(&V);
    return Size.bothKnown() && match(Size.Offset, m_Zero()) &&
                   Size.Size->getType() == Long
               ? Size.Size
               : nullptr;
  }
  auto *Phi = dyn_cast<PHINode>(&V);
  if (!Phi || LI.isLoopHeader(Phi->getParent()) || Depth == 4)
    return nullptr;
  SmallVector<Value *, 4> Sizes;
  for (Value *Incoming : Phi->incoming_values()) {
    Sizes.push_back(sizeOf(*Incoming, Depth + 1));
    if (!Sizes.back())
      return nullptr;
  }
  PHINode *Size =
      PHINode::Create(Long, Sizes.size(), "rg.zeros.size", Phi->getIterator());
  for (auto [Bytes, From] : zip_equal(Sizes, Phi->blocks()))
    Size->addIncoming(Bytes, From);
  return Size;
}

/// How many numbers have zero tangents from where R reads on, in front of
/// Before. Makes the map in front of the loops.
Value *ZeroTangents::entryOf(const Reads &R, Instruction *Before) {
  BasicBlock *Front = R.Around->getLoopPreheader();
  Instruction *At = Front->getTerminator();
  const SCEV *Count = SE.getBackedgeTakenCount(R.Around);
  SCEVExpander Expand(SE, "rg.zeros");
  if (!Expand.isSafeToExpandAt(Count, At))
    return nullptr;
  Value *Size = sizeOf(*R.Base);
  if (!Size)
    return nullptr;
  const uint64_t Bytes = DL.getTypeStoreSize(R.Unit).getFixedValue();

  IRBuilder<> B(&D.getEntryBlock(), D.getEntryBlock().begin());
  AllocaInst *Map = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), MostUnits),
                                   nullptr, "rg.zeros");
  B.SetInsertPoint(At);
  Value *Turns = B.CreateZExt(Expand.expandCodeFor(Count, Count->getType(), At),
                              B.getInt64Ty());
  Value *Units = B.CreateUDiv(Size, B.getInt64(Bytes));
  Value *Most =
      B.CreateBinaryIntrinsic(Intrinsic::umin, Turns, B.getInt64(MostUnits));
  Value *AreFew = B.CreateICmpULE(Units, Most);
  Value *Pays = B.CreateAnd(AreFew, B.CreateIsNotNull(Units));
  // Without a map every index is that of an entry which says that there is no
  // zero.
  Value *Mask = B.CreateSExt(Pays, B.getInt64Ty());
  B.CreateStore(B.getInt8(0), Map);
  BasicBlock *Behind = SplitBlock(Front, At);
  BasicBlock *Look =
      BasicBlock::Create(D.getContext(), "rg.zeros.look", &D, Behind);
  Front->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Front);
  B.CreateCondBr(Pays, Look, Behind);
  B.SetInsertPoint(Look);
  PHINode *Left = B.CreatePHI(B.getInt64Ty(), 2);
  PHINode *Row = B.CreatePHI(B.getInt8Ty(), 2);
  Value *Next = B.CreateSub(Left, B.getInt64(1), "", /*HasNUW=*/true);
  LoadInst *Tangents = B.CreateAlignedLoad(
      R.Unit,
      B.CreateGEP(B.getInt8Ty(), R.Base, B.CreateMul(Next, B.getInt64(Bytes))),
      R.Aligned);
  Value *IsZero = B.CreateAndReduce(
      B.CreateFCmpOEQ(Tangents, Constant::getNullValue(Tangents->getType())));
  Value *Longer =
      B.CreateBinaryIntrinsic(Intrinsic::uadd_sat, Row, B.getInt8(1));
  Value *Rows = B.CreateSelect(IsZero, Longer, B.getInt8(0));
  B.CreateStore(Rows, B.CreateGEP(B.getInt8Ty(), Map, Next));
  Left->addIncoming(Units, Front);
  Left->addIncoming(Next, Look);
  Row->addIncoming(B.getInt8(0), Front);
  Row->addIncoming(Rows, Look);
  B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt64(0)), Behind, Look);

  B.SetInsertPoint(Before);
  Value *Index = R.Shift ? B.CreateLShr(R.Index, R.Shift) : R.Index;
  Index = B.CreateAnd(B.CreateAdd(Index, B.getInt64(R.First)), Mask);
  return B.CreateLoad(B.getInt8Ty(), B.CreateGEP(B.getInt8Ty(), Map, Index));
}

/// Whether all of them are.
Value *ZeroTangents::areZero(ArrayRef<Value *> Tangents, Instruction *Before) {
  IRBuilder<> B(Before);
  MapVector<Type *, Value *> All;
  for (Value *V : Tangents) {
    Value *Is = B.CreateFCmpOEQ(V, Constant::getNullValue(V->getType()));
    Value *&Of = All[V->getType()];
    Of = Of ? B.CreateAnd(Of, Is) : Is;
  }
  Value *Are = B.getTrue();
  for (auto &[T, Is] : All)
    Are = B.CreateAnd(B.CreateAndReduce(Is), Are);
  return Are;
}

bool ZeroTangents::rewrite(BasicBlock &B, SmallPtrSetImpl<BasicBlock *> &Done) {
  Loop *L = LI.getLoopFor(&B);
  if (!L || Done.contains(&B) || B.isEHPad())
    return false;
  if (std::optional<Reads> R = readsOf(B)) {
    Piece P = pieceOf(B, R->Loads);
    if (P.Operations >= LeastOperations)
      if (Value *Entry = entryOf(*R, B.getTerminator())) {
        IRBuilder<> At(B.getTerminator());
        leaveOut(P, At.CreateICmpUGT(Entry, At.getInt8(R->Last - R->First)),
                 Done);
        return true;
      }
  }
  // Tangents that are the same in all iterations.
  BasicBlock *Front = L->getLoopPreheader();
  if (!Front)
    return false;
  SmallSetVector<Value *, 16> Zeros;
  for (Instruction &I : B)
    if (!isa<PHINode>(I))
      for (Value *V : I.operands())
        if (isTangents(V->getType()) && !isa<Constant>(V) &&
            L->isLoopInvariant(V) && !getSplatValue(V))
          Zeros.insert(V);
  if (Zeros.empty() || Zeros.size() > MostInvariants)
    return false;
  Piece P = pieceOf(B, Zeros.getArrayRef());
  if (P.Operations < LeastOperations)
    return false;
  leaveOut(P, areZero(Zeros.getArrayRef(), Front->getTerminator()), Done);
  return true;
}

/// In a finished derivative. True if it was changed.
bool retrograd::passZeroTangents(Function &Derivative,
                                 FunctionAnalysisManager &FAM) {
  if (Derivative.isDeclaration() || Derivative.hasOptSize() ||
      Derivative.hasFnAttribute(Attribute::StrictFP) ||
      !Derivative.hasFnAttribute(LanesAttribute))
    return false;
  SmallPtrSet<BasicBlock *, 8> Done;
  bool Changed = false;
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  for (bool Again = true; Again;) {
    Again = false;
    ZeroTangents Tangents(Derivative, FAM);
    for (BasicBlock &B : Derivative)
      if (Tangents.rewrite(B, Done)) {
        Changed = Again = true;
        break;
      }
    if (Again)
      FAM.invalidate(Derivative, PreservedAnalyses::none());
  }
  if (Changed) { // what is asked of numbers that do not vary
    FunctionPassManager Tidy;
    Tidy.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
    FAM.invalidate(Derivative, Tidy.run(Derivative, FAM));
  }
  return Changed;
}
