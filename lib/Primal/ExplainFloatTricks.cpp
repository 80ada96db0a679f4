//===- ExplainFloatTricks.cpp - arithmetic on the bits of floats ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/ExplainFloatTricks.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "Target/Target.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

namespace {
/// An addition of a constant to a value: Of + By.
struct Shift {
  Value *Of;
  APFloat By;
};
} // namespace

/// The operation that V is as a sum with a constant, in strict code, too, whose
/// constrained operations LLVM leaves in the order of the source.
static std::optional<Shift> asShift(Value *V) {
  Value *Of;
  const APFloat *By;
  if (const auto *C = dyn_cast<ConstrainedFPIntrinsic>(V)) {
    bool Minus =
        C->getIntrinsicID() == Intrinsic::experimental_constrained_fsub;
    if (!Minus &&
        C->getIntrinsicID() != Intrinsic::experimental_constrained_fadd)
      return std::nullopt;
    if (match(C->getArgOperand(1), m_APFloat(By)))
      return Shift{C->getArgOperand(0), Minus ? neg(*By) : *By};
    if (!Minus && match(C->getArgOperand(0), m_APFloat(By)))
      return Shift{C->getArgOperand(1), *By};
    return std::nullopt;
  }
  if (match(V, m_FSub(m_Value(Of), m_APFloat(By))))
    return Shift{Of, neg(*By)};
  if (match(V, m_c_FAdd(m_Value(Of), m_APFloat(By))))
    return Shift{Of, *By};
  return std::nullopt;
}

/// I is (x + C) - C, where C is so large that sums with it are integers.
static bool isRounding(Instruction &I) {
  std::optional<Shift> Out = asShift(&I);
  if (!Out)
    return false;
  Value *Sum = Out->Of;
  if (auto *Fence = dyn_cast<IntrinsicInst>(Sum);
      Fence && Fence->getIntrinsicID() == Intrinsic::arithmetic_fence)
    Sum = Fence->getArgOperand(0);
  std::optional<Shift> In = asShift(Sum);
  // From 2^(p-1) on, p being the precision, neighbouring numbers are integers.
  return In && In->By.isFiniteNonZero() &&
         neg(Out->By).bitwiseIsEqual(In->By) &&
         ilogb(In->By) >=
             int(APFloat::semanticsPrecision(In->By.getSemantics())) - 1;
}

/// What the integer Load reads, as a number of type T.
static Value *loadAs(LoadInst &Load, Type *T) {
  IRBuilder<> B(&Load);
  Value *X = B.CreateAlignedLoad(T, Load.getPointerOperand(), Load.getAlign());
  Load.replaceAllUsesWith(B.CreateBitCast(X, Load.getType()));
  return X;
}

/// Gives a mantissa that was taken out of its float by bit operations the
/// multiplication by which it is one.
static void multiplyMantissa(Instruction &I) {
  Value *X = nullptr, *Word, *Masked;
  const APInt *Mask, *Exponent;
  Type *T = I.getType(), *S = T->getScalarType();
  if (!(S->isFloatTy() || S->isDoubleTy()) ||
      !match(&I, m_BitCast(m_Or(m_Value(Masked), m_APInt(Exponent)))) ||
      !match(Masked, m_And(m_Value(Word), m_APInt(Mask))))
    return;
  auto *Loaded = dyn_cast<LoadInst>(Word);
  if (!(match(Word, m_BitCast(m_Value(X))) && X->getType() == T) &&
      !(Loaded && Loaded->isSimple()))
    return;
  const fltSemantics &Semantics = S->getFltSemantics();
  unsigned Bits = S->getScalarSizeInBits();
  unsigned Stored = APFloat::semanticsPrecision(Semantics) - 1;
  uint64_t Bias = APFloat::semanticsMaxExponent(Semantics);
  APInt Field = APInt::getBitsSet(Bits, Stored, Bits - 1);
  if (Mask->getBitWidth() != Bits)
    return;
  const bool WithoutSign = Mask->isMask(Stored);
  if ((*Mask != ~Field && !WithoutSign) || !Exponent->isSubsetOf(Field) ||
      Exponent->isZero() || *Exponent == Field)
    return;
  uint64_t To = Exponent->lshr(Stored).getZExtValue();
  if (!X) // the number's bits as they were loaded
    X = loadAs(*Loaded, T);
  IRBuilder<> B(I.getParent(), std::next(I.getIterator()));
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Type *Ints = cast<BitCastInst>(I).getSrcTy();
  auto Place = [&](uint64_t E) {
    return ConstantInt::get(Ints, APInt(Bits, E).shl(Stored));
  };
  // 2^(To - From), From being the exponent of X; both are normal if From lies
  // in [1, To + Bias - 1].
  Value *From =
      B.CreateAnd(B.CreateBitCast(X, Ints), ConstantInt::get(Ints, Field));
  Value *Power =
      B.CreateBitCast(B.CreateSub(Place(To + Bias), From), T, "power");
  Value *Normal =
      B.CreateICmpULT(B.CreateSub(From, Place(1)), Place(To + Bias - 1));
  Value *Product = B.CreateFMul(
      WithoutSign ? B.CreateUnaryIntrinsic(Intrinsic::fabs, X) : X, Power);
  Value *Mantissa = B.CreateSelect(Normal, Product, &I, "mantissa");
  if (auto *P = dyn_cast<Instruction>(Power))
    noteFact(*P, SourceFact::Steps);
  noteFact(I, SourceFact::Steps);
  I.replaceUsesWithIf(Mantissa,
                      [&](Use &U) { return U.getUser() != Mantissa; });
}

/// All bits of each number of Width bits in S are 0, but for the sign.
static bool isSignOnly(const Value *S, unsigned Width, const DataLayout &DL) {
  const unsigned Bits = S->getType()->getScalarSizeInBits();
  return Bits % Width == 0 && (computeKnownBits(S, DL).Zero |
                               APInt::getSplat(Bits, APInt::getSignMask(Width)))
                                  .isAllOnes();
}

/// I is a number whose sign was changed by an exclusive or with a sign that is
/// no constant: selects between both.
static bool selectSign(Instruction &I) {
  Type *T = I.getType();
  Value *Left, *Right;
  if (!T->isFPOrFPVectorTy() ||
      !match(&I, m_BitCast(m_Xor(m_Value(Left), m_Value(Right)))))
    return false;
  const DataLayout &DL = I.getDataLayout();
  const unsigned Width = T->getScalarSizeInBits();
  Value *X = nullptr, *Sign = nullptr;
  for (auto [Number, Mask] : {std::pair(Left, Right), std::pair(Right, Left)})
    if (match(Number, m_BitCast(m_Value(X))) && X->getType() == T &&
        !isa<Constant>(Mask) && isSignOnly(Mask, Width, DL)) {
      Sign = Mask;
      break;
    }
  if (!Sign)
    return false;
  IRBuilder<> B(I.getParent(), std::next(I.getIterator()));
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Type *Ints = B.getIntNTy(Width);
  if (auto *V = dyn_cast<VectorType>(T))
    Ints = VectorType::get(Ints, V);
  Value *Negative = B.CreateICmpSLT(B.CreateBitCast(Sign, Ints),
                                    Constant::getNullValue(Ints), "negative");
  I.replaceAllUsesWith(B.CreateSelect(Negative, B.CreateFNeg(X), X, "signed"));
  return true;
}

/// I is a number whose sign was cleared, set or changed, in all lanes or in
/// some, by a mask. (LLVM does the same where it sees the number, but it loads
/// words where only their bits are asked for.)
static bool maskSign(Instruction &I) {
  Type *T = I.getType();
  Value *Word;
  Constant *Mask;
  Instruction *Masked;
  if (!T->isFPOrFPVectorTy() || T->getScalarType()->isX86_FP80Ty() ||
      T->getScalarType()->isPPC_FP128Ty() || isa<ScalableVectorType>(T) ||
      !match(&I, m_BitCast(m_CombineAnd(
                     m_Instruction(Masked),
                     m_BitwiseLogic(m_Value(Word), m_Constant(Mask))))))
    return false;
  const unsigned Width = T->getScalarSizeInBits();
  Type *Ints = IntegerType::get(I.getContext(), Width);
  const auto *V = dyn_cast<FixedVectorType>(T);
  if (V)
    Ints = FixedVectorType::get(Ints, V->getNumElements());
  Mask = ConstantFoldCastOperand(Instruction::BitCast, Mask, Ints,
                                 I.getDataLayout());
  if (!Mask)
    return false;
  // What a mask makes of a lane that it leaves alone, and of its sign.
  const bool Clears = Masked->getOpcode() == Instruction::And;
  const APInt Nothing =
      Clears ? APInt::getAllOnes(Width) : APInt::getZero(Width);
  const APInt Sign =
      Clears ? APInt::getSignedMaxValue(Width) : APInt::getSignMask(Width);
  SmallVector<bool, 16> Touched;
  for (unsigned Lane = 0; Lane != (V ? V->getNumElements() : 1); ++Lane) {
    const Constant *C = V ? Mask->getAggregateElement(Lane) : Mask;
    const auto *N = dyn_cast_or_null<ConstantInt>(C);
    const bool NobodyAsks = isa_and_nonnull<UndefValue>(C);
    if (!NobodyAsks &&
        (!N || (N->getValue() != Nothing && N->getValue() != Sign)))
      return false;
    Touched.push_back(NobodyAsks || N->getValue() == Sign);
  }
  if (none_of(Touched, [](bool Is) { return Is; }))
    return false;
  IRBuilder<> B(I.getParent(), std::next(I.getIterator()));
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Value *X = B.CreateBitCast(Word, T);
  Value *R = X;
  if (Masked->getOpcode() != Instruction::Xor)
    R = B.CreateUnaryIntrinsic(Intrinsic::fabs, R);
  if (!Clears)
    R = B.CreateFNeg(R);
  if (!all_of(Touched, [](bool Is) { return Is; })) {
    SmallVector<Constant *, 16> Lanes;
    for (bool Is : Touched)
      Lanes.push_back(B.getInt1(Is));
    R = B.CreateSelect(ConstantVector::get(Lanes), R, X);
  }
  I.replaceAllUsesWith(R);
  return true;
}

/// I is bits * (1 + 2^n), and there are n bits, of a number.
static bool repeatBits(Instruction &I) {
  Value *Bits, *Number;
  const APInt *Factor;
  if (!match(&I, m_Mul(m_ZExt(m_Value(Bits)), m_APInt(Factor))) ||
      !match(Bits, m_BitCast(m_Value(Number))) ||
      !Number->getType()->isFPOrFPVectorTy() || !Bits->getType()->isIntegerTy())
    return false;
  unsigned Width = Bits->getType()->getIntegerBitWidth();
  if (2 * Width > Factor->getBitWidth() ||
      *Factor != APInt::getOneBitSet(Factor->getBitWidth(), Width) + 1)
    return false;
  IRBuilder<> B(&I);
  I.replaceAllUsesWith(
      B.CreateOr(B.CreateShl(I.getOperand(0), Width), I.getOperand(0)));
  I.eraseFromParent();
  return true;
}

/// TBAA says that nothing but a float is there. (Members of unions may be
/// anything.)
static bool isDeclaredFloat(const LoadInst &Load) {
  StringRef Name = accessTypeName(Load);
  return !Name.empty() && !namesAnything(Name);
}

/// Small structs that hold pointers beside floats may be loaded as one vector
/// of floats, and the pointer made from a lane's bits; unions of both as a
/// float. Types and shadows follow pointers that are loaded as pointers: loads
/// the lane again as what it is.
static void loadAsPointer(IntToPtrInst &I) {
  Value *Vector;
  uint64_t Lane;
  Value *Bits = I.getOperand(0);
  // Of a union that one load reads for all its members.
  if (match(Bits, m_BitCast(m_Load(m_Value())))) {
    auto *Load = cast<LoadInst>(cast<BitCastInst>(Bits)->getOperand(0));
    if (!Load->isSimple() || !Load->getType()->isFloatingPointTy() ||
        isDeclaredFloat(*Load))
      return;
    IRBuilder<> B(Load->getParent(), std::next(Load->getIterator()));
    B.SetCurrentDebugLocation(Load->getDebugLoc());
    I.replaceAllUsesWith(B.CreateAlignedLoad(
        I.getType(), Load->getPointerOperand(), Load->getAlign()));
    I.eraseFromParent();
    return;
  }
  if (!match(Bits,
             m_ExtractElt(m_BitCast(m_Value(Vector)), m_ConstantInt(Lane))) &&
      !match(Bits,
             m_BitCast(m_ExtractElt(m_Value(Vector), m_ConstantInt(Lane)))))
    return;
  auto *T = dyn_cast<FixedVectorType>(Vector->getType());
  if (!T || !T->isFPOrFPVectorTy() ||
      T->getScalarSizeInBits() != Bits->getType()->getIntegerBitWidth())
    return;
  while (auto *Shuffle = dyn_cast<ShuffleVectorInst>(Vector)) {
    int From = Shuffle->getMaskValue(Lane);
    int Lanes = cast<FixedVectorType>(Shuffle->getOperand(0)->getType())
                    ->getNumElements();
    if (From < 0)
      return;
    Vector = Shuffle->getOperand(From >= Lanes);
    Lane = From % Lanes;
  }
  auto *Load = dyn_cast<LoadInst>(Vector);
  if (!Load || !Load->isSimple())
    return;
  IRBuilder<> B(Load->getParent(), std::next(Load->getIterator()));
  B.SetCurrentDebugLocation(Load->getDebugLoc());
  uint64_t Offset = Lane * T->getScalarSizeInBits() / 8;
  Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(),
                                           Load->getPointerOperand(), Offset);
  I.replaceAllUsesWith(B.CreateAlignedLoad(
      I.getType(), At, commonAlignment(Load->getAlign(), Offset)));
  I.eraseFromParent();
}

/// A number that is moved as a word (`v.push_back(Circle{x[i]})` of a variant),
/// and that the code of another alternative takes for a pointer: loads it as
/// the number that its tag says it is, or types would take it for the pointer.
static void loadAsNumber(IntToPtrInst &I,
                         SmallVectorImpl<WeakTrackingVH> &Replaced) {
  auto *Load = dyn_cast<LoadInst>(I.getOperand(0));
  if (!Load || !Load->isSimple() || !Load->getType()->isIntegerTy(64) ||
      !taggedType(*Load)->isDoubleTy())
    return;
  IRBuilder<> B(Load);
  LoadInst *Number = B.CreateAlignedLoad(
      B.getDoubleTy(), Load->getPointerOperand(), Load->getAlign());
  Number->copyMetadata(*Load,
                       {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                        LLVMContext::MD_noalias});
  Load->replaceAllUsesWith(B.CreateBitCast(Number, Load->getType()));
  Replaced.push_back(Load);
}

namespace {
/// Pointers that are, or on some way are, the bits of a number.
class NumbersAsPointers {
public:
  explicit NumbersAsPointers(Function &F) : F(F), B(F.getContext()) {}
  void run();

private:
  void follow();
  void guardUses(Value *V, Value *Flag);

  Function &F;
  IRBuilder<> B;
  SmallVector<IntToPtrInst *, 4> Made;
  /// Whether the pointer is a number.
  MapVector<Value *, Value *> Flags;
  SmallSetVector<std::pair<Instruction *, Value *>, 8> Guards;
};
} // namespace

void NumbersAsPointers::run() {
  for (Instruction &I : instructions(F)) {
    Value *X;
    auto *P = dyn_cast<IntToPtrInst>(&I);
    if (P && match(P->getOperand(0), m_BitCast(m_Value(X))) &&
        X->getType()->isFloatingPointTy() && !isa<Constant>(X)) {
      Made.push_back(P);
      Flags[P] = B.getTrue();
    }
  }
  if (Made.empty() || Target(*F.getParent()).manyThreads())
    return;
  follow();
  for (auto &[V, Flag] : Flags)
    guardUses(V, Flag);
  FunctionCallee End = F.getParent()->getOrInsertFunction(
      "rg_refused_callee",
      FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
  Constant *Text = nullptr;
  for (auto [At, Flag] : Guards) {
    Instruction *Then = SplitBlockAndInsertIfThen(Flag, At->getIterator(),
                                                  /*Unreachable=*/true);
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(At->getDebugLoc());
    if (!Text)
      Text =
          B.CreateGlobalString("a pointer was made from the bits of a number: "
                               "what is behind it has no derivative");
    B.CreateCall(End, {Text})->setDoesNotReturn();
  }
  // Where it is used no more, any value does.
  for (IntToPtrInst *P : Made) {
    P->replaceAllUsesWith(
        ConstantPointerNull::get(cast<PointerType>(P->getType())));
    P->eraseFromParent();
  }
}

/// Through phis, selects and addresses; makes their flags.
void NumbersAsPointers::follow() {
  for (size_t N = 0; N != Flags.size(); ++N) {
    Value *V = (Flags.begin() + N)->first;
    for (User *U : V->users()) {
      if (Flags.contains(U) || !U->getType()->isPointerTy() ||
          !isa<PHINode, SelectInst, GetElementPtrInst, FreezeInst>(U))
        continue;
      if (auto *Phi = dyn_cast<PHINode>(U)) {
        B.SetInsertPoint(Phi);
        Flags[U] =
            B.CreatePHI(B.getInt1Ty(), Phi->getNumIncomingValues(), "number");
      } else {
        Flags[U] = nullptr;
      }
    }
  }
  // Selects may follow each other in any order: each asks for what it needs.
  auto Make = [&](auto &&Self, Value *V) -> Value * {
    auto It = Flags.find(V);
    if (It == Flags.end())
      return B.getFalse();
    if (It->second)
      return It->second;
    auto *S = dyn_cast<SelectInst>(V);
    if (!S)
      return Flags[V] = Self(Self, cast<Instruction>(V)->getOperand(0));
    Value *True = Self(Self, S->getTrueValue()),
          *False = Self(Self, S->getFalseValue());
    B.SetInsertPoint(S);
    Value *Flag = B.CreateSelect(S->getCondition(), True, False, "number");
    return Flags[V] = Flag;
  };
  for (auto &[V, Flag] : Flags)
    Make(Make, V);
  for (auto &[V, Flag] : Flags)
    if (auto *Phi = dyn_cast<PHINode>(V))
      for (auto [From, Block] : zip(Phi->incoming_values(), Phi->blocks()))
        cast<PHINode>(Flag)->addIncoming(Make(Make, From), Block);
}

/// Comparisons and distances are computed ahead of the paths that need them.
void NumbersAsPointers::guardUses(Value *V, Value *Flag) {
  for (User *U : V->users()) {
    auto *I = cast<Instruction>(U);
    if (Flags.contains(I) || isa<ICmpInst, PtrToIntInst, DbgInfoIntrinsic>(I) ||
        I->isLifetimeStartOrEnd())
      continue;
    Guards.insert({I, Flag});
  }
}

void retrograd::explainFloatTricks(Function &F) {
  SmallVector<WeakTrackingVH, 4> Replaced;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto *Pointer = dyn_cast<IntToPtrInst>(&I)) {
      loadAsNumber(*Pointer, Replaced);
      loadAsPointer(*Pointer);
      continue;
    }
    if (repeatBits(I) || hasFact(I, SourceFact::Steps))
      continue;
    if (isRounding(I))
      noteFact(I, SourceFact::Steps);
    else if (selectSign(I) || maskSign(I))
      Replaced.push_back(&I);
    else if (isa<BitCastInst>(I))
      multiplyMantissa(I);
  }
  RecursivelyDeleteTriviallyDeadInstructions(Replaced);
  NumbersAsPointers(F).run();
}
