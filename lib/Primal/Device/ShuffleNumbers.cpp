//===- ShuffleNumbers.cpp - numbers that lanes exchange as integers -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hardware shuffles words, and programs and libraries give it the bits of what
// they have: a float as it is, a double in two halves (__double2loint, int2),
// two numbers of half precision at once, a struct word by word. The adjoint of
// a shuffle adds numbers, so it has to know them. What a word holds is read off
// the casts around its shuffle:
//
//   shfl(bits of float x)              bits of shfl(x)
//   shfl(low word of double x)         low word of shfl(x); likewise the high
//   one double of (shfl(a), shfl(b))       shfl(double of (a, b)) shfl(two
//   halves)                   each half as a float, which is exact
//
// Both halves of a double must be moved alike; of one half alone nothing could
// be said. Runs on simplified code, where structs and arrays on the stack are
// values.
//
//===----------------------------------------------------------------------===//

#include "Bitcode/RuntimeLibrary.h"
#include "Primal/PrimalSteps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

/// up, down, bfly or idx; nothing if I is no shuffle of a word.
static StringRef modeOf(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  StringRef Name = Call ? Call->getCalledFunction()->getName() : "";
  return Name.consume_front("llvm.nvvm.shfl.sync.") && Name.consume_back(".i32")
             ? Name
             : "";
}

namespace {
class ShuffleNumbers {
public:
  ShuffleNumbers(Function &F, RuntimeLibrary &Runtime)
      : F(F), Runtime(Runtime), B(F.getContext()) {}
  bool run();

private:
  bool moveFloat(IntrinsicInst &Word);
  bool moveHalves(IntrinsicInst &Word);
  bool moveDouble(IntrinsicInst &Word);
  bool joinDouble(Instruction &Whole);
  Value *loadWhole(Value *Low, Value *High);
  /// Like Word, of a float or double X.
  Value *shuffle(IntrinsicInst &Word, Value *X);
  void replace(IntrinsicInst &Word, Value *Bits) {
    Word.replaceAllUsesWith(Bits);
    Word.eraseFromParent();
  }

  Function &F;
  RuntimeLibrary &Runtime;
  IRBuilder<> B;
  /// Shuffles of doubles that were made for one half, by number and block: the
  /// other half has it.
  MapVector<std::pair<Value *, BasicBlock *>,
            SmallVector<std::pair<IntrinsicInst *, Value *>, 2>>
      Made;
  SmallVector<IntrinsicInst *, 8> Gone;
};

} // namespace

static bool alike(const IntrinsicInst &A, const IntrinsicInst &B) {
  return A.getIntrinsicID() == B.getIntrinsicID() &&
         all_of(ArrayRef({0u, 2u, 3u}), [&](unsigned N) {
           return A.getArgOperand(N) == B.getArgOperand(N);
         });
}

Value *ShuffleNumbers::shuffle(IntrinsicInst &Word, Value *X) {
  StringRef Mode = modeOf(Word);
  Value *Args[] = {Word.getArgOperand(0), X, Word.getArgOperand(2),
                   Word.getArgOperand(3)};
  if (X->getType()->isDoubleTy())
    return B.CreateCall(Runtime.require(("rg_shfl_" + Mode + "_f64").str()),
                        Args);
  return B.CreateIntrinsic(Intrinsic::lookupIntrinsicID(
                               ("llvm.nvvm.shfl.sync." + Mode + ".f32").str()),
                           {}, Args);
}

bool ShuffleNumbers::moveFloat(IntrinsicInst &Word) {
  Value *V = Word.getArgOperand(1), *X;
  Type *T = B.getFloatTy();
  bool From = match(V, m_BitCast(m_Value(X))) && X->getType() == T;
  if (!From && none_of(Word.users(), [&](User *U) {
        return isa<BitCastInst>(U) && U->getType() == T;
      }))
    return false;
  B.SetInsertPoint(&Word);
  Value *Moved = shuffle(Word, B.CreateBitCast(V, T));
  replace(Word, B.CreateBitCast(Moved, Word.getType()));
  return true;
}

/// The type of half precision of which V, a word, holds a number at bit At;
/// null if that is not seen.
static Type *halfIn(Value *V, unsigned At, unsigned Depth = 0) {
  auto IsHalf = [](Type *T) { return T->isHalfTy() || T->isBFloatTy(); };
  Value *X, *Y;
  if (Depth > 4)
    return nullptr;
  if (match(V, m_BitCast(m_Value(X)))) {
    auto *Pair = dyn_cast<FixedVectorType>(X->getType());
    if (Pair && IsHalf(Pair->getElementType()))
      return Pair->getElementType();
    return IsHalf(X->getType()) && !At ? X->getType() : nullptr;
  }
  if (match(V, m_ZExt(m_Value(X))))
    return At ? nullptr : halfIn(X, 0, Depth + 1);
  if (match(V, m_Shl(m_Value(X), m_SpecificInt(16))))
    return At ? halfIn(X, 0, Depth + 1) : nullptr;
  if (match(V, m_Or(m_Value(X), m_Value(Y)))) {
    Type *T = halfIn(X, At, Depth + 1);
    return T ? T : halfIn(Y, At, Depth + 1);
  }
  return nullptr;
}

/// The same, by what is done with it.
static Type *halfOf(Value *V, unsigned At, unsigned Depth = 0) {
  for (User *U : V->users()) {
    Type *T = U->getType();
    Type *Found = nullptr;
    if (isa<BitCastInst>(U)) {
      Type *S = T->getScalarType();
      if ((S->isHalfTy() || S->isBFloatTy()) && (T->isVectorTy() || !At))
        Found = S;
    } else if (Depth < 4 &&
               (At ? match(U, m_LShr(m_Specific(V), m_SpecificInt(16)))
                   : isa<TruncInst>(U) && T->isIntegerTy(16))) {
      Found = halfOf(U, 0, Depth + 1);
    }
    if (Found)
      return Found;
  }
  return nullptr;
}

bool ShuffleNumbers::moveHalves(IntrinsicInst &Word) {
  Type *Types[2];
  for (unsigned Lane : {0u, 1u}) {
    Types[Lane] = halfIn(Word.getArgOperand(1), 16 * Lane);
    if (!Types[Lane])
      Types[Lane] = halfOf(&Word, 16 * Lane);
  }
  Type *T = Types[0] ? Types[0] : Types[1];
  if (!T || (Types[1] && Types[1] != T))
    return false;
  Value *In = Word.getArgOperand(1), *Bits;
  B.SetInsertPoint(&Word);
  auto Move = [&](Value *Half) {
    return B.CreateFPTrunc(shuffle(Word, B.CreateFPExt(Half, B.getFloatTy())),
                           T);
  };
  if (!Types[1] && match(In, m_ZExt(m_Value(Bits))) &&
      Bits->getType()->isIntegerTy(16)) {
    Value *Moved =
        B.CreateBitCast(Move(B.CreateBitCast(Bits, T)), Bits->getType());
    replace(Word, B.CreateZExt(Moved, Word.getType()));
    return true;
  }
  // A number and something else, which must not be rounded.
  bool Used[] = {false, false};
  for (User *U : Word.users()) {
    bool High = match(U, m_LShr(m_Specific(&Word), m_SpecificInt(16)));
    bool Low = isa<TruncInst>(U) && U->getType()->isIntegerTy(16);
    Used[0] |= !High;
    Used[1] |= !Low;
  }
  if ((Used[0] && !Types[0]) || (Used[1] && !Types[1]))
    return false;
  Type *Pair = FixedVectorType::get(T, 2);
  Value *Both = B.CreateBitCast(In, Pair), *Out = PoisonValue::get(Pair);
  for (uint64_t Lane : {0, 1})
    if (Used[Lane])
      Out = B.CreateInsertElement(Out, Move(B.CreateExtractElement(Both, Lane)),
                                  Lane);
  replace(Word, B.CreateBitCast(Out, Word.getType()));
  return true;
}

/// The double of which V is a word, and which word: 0 is the low one.
static Value *doubleOf(Value *V, unsigned &Which) {
  Value *X;
  uint64_t Lane;
  Which = 0;
  if (match(V, m_Trunc(m_BitCast(m_Value(X)))) ||
      (match(V, m_Trunc(m_LShr(m_BitCast(m_Value(X)), m_SpecificInt(32)))) &&
       (Which = 1)))
    return X->getType()->isDoubleTy() ? X : nullptr;
  if (match(V, m_ExtractElt(m_BitCast(m_Value(X)), m_ConstantInt(Lane))) &&
      Lane < 2) {
    Which = Lane;
    return X->getType()->isDoubleTy() ? X : nullptr;
  }
  return nullptr;
}

bool ShuffleNumbers::moveDouble(IntrinsicInst &Word) {
  unsigned Which;
  Value *X = doubleOf(Word.getArgOperand(1), Which);
  if (!X)
    return false;
  auto &Known = Made[{X, Word.getParent()}];
  auto Same = find_if(Known, [&](auto &K) { return alike(*K.first, Word); });
  Value *Whole;
  B.SetInsertPoint(&Word);
  if (Same != Known.end()) {
    Whole = Same->second;
  } else {
    Whole = shuffle(Word, X);
    Known.push_back({&Word, Whole});
  }
  Value *Bits = B.CreateBitCast(Whole, B.getInt64Ty());
  Word.replaceAllUsesWith(
      B.CreateTrunc(Which ? B.CreateLShr(Bits, 32) : Bits, B.getInt32Ty()));
  Gone.push_back(&Word);
  return true;
}

/// The double in memory whose words Low and High are, loaded where the later
/// one was; null if they are something else.
Value *ShuffleNumbers::loadWhole(Value *Low, Value *High) {
  auto *L = dyn_cast<LoadInst>(Low), *H = dyn_cast<LoadInst>(High);
  if (!L || !H || !L->isSimple() || !H->isSimple() ||
      L->getParent() != H->getParent())
    return nullptr;
  const DataLayout &DL = F.getDataLayout();
  int64_t AtLow = 0, AtHigh = 0;
  if (GetPointerBaseWithConstantOffset(L->getPointerOperand(), AtLow, DL) !=
          GetPointerBaseWithConstantOffset(H->getPointerOperand(), AtHigh,
                                           DL) ||
      AtHigh - AtLow != 4)
    return nullptr;
  LoadInst *First = L->comesBefore(H) ? L : H, *Later = First == L ? H : L;
  for (Instruction *I = First->getNextNode(); I != Later; I = I->getNextNode())
    if (I->mayWriteToMemory())
      return nullptr;
  // Where both pointers are known.
  IRBuilder<>::InsertPointGuard Guard(B);
  B.SetInsertPoint(Later);
  B.SetCurrentDebugLocation(Later->getDebugLoc());
  return B.CreateAlignedLoad(B.getDoubleTy(), L->getPointerOperand(),
                             L->getAlign());
}

/// Whole is a double put together from two words of one double, or from two
/// that were shuffled alike.
bool ShuffleNumbers::joinDouble(Instruction &Whole) {
  Value *Low, *High;
  if (!Whole.getType()->isDoubleTy() ||
      !(match(&Whole, m_BitCast(m_c_Or(
                          m_ZExt(m_Value(Low)),
                          m_Shl(m_ZExt(m_Value(High)), m_SpecificInt(32))))) ||
        match(&Whole, m_BitCast(m_InsertElt(
                          m_InsertElt(m_Value(), m_Value(Low), m_ZeroInt()),
                          m_Value(High), m_SpecificInt(1))))))
    return false;
  unsigned OfLow, OfHigh;
  if (Value *X = doubleOf(Low, OfLow);
      X && !OfLow && X == doubleOf(High, OfHigh) && OfHigh) {
    Whole.replaceAllUsesWith(X);
    return true;
  }
  auto *L = dyn_cast<IntrinsicInst>(Low), *H = dyn_cast<IntrinsicInst>(High);
  if (!L || !H || modeOf(*L).empty() || modeOf(*H).empty() || !alike(*L, *H) ||
      L->getParent() != H->getParent())
    return false;
  IntrinsicInst *Later = L->comesBefore(H) ? H : L;
  B.SetInsertPoint(Later->getNextNode());
  B.SetCurrentDebugLocation(Later->getDebugLoc());
  Value *X = loadWhole(L->getArgOperand(1), H->getArgOperand(1));
  if (!X) {
    Type *Wide = B.getInt64Ty();
    X = B.CreateBitCast(
        B.CreateOr(B.CreateZExt(L->getArgOperand(1), Wide),
                   B.CreateShl(B.CreateZExt(H->getArgOperand(1), Wide), 32)),
        B.getDoubleTy());
  }
  B.SetInsertPoint(Later->getNextNode());
  Whole.replaceAllUsesWith(shuffle(*Later, X));
  Gone.append({L, H});
  return true;
}

bool ShuffleNumbers::run() {
  bool Changed = false;
  auto Words = [&] {
    SmallVector<IntrinsicInst *, 8> Found;
    for (Instruction &I : instructions(F))
      if (!modeOf(I).empty())
        Found.push_back(cast<IntrinsicInst>(&I));
    return Found;
  };
  if (Words().empty())
    return false;
  for (IntrinsicInst *Word : Words())
    Changed |= moveDouble(*Word);
  for (IntrinsicInst *Word : Gone)
    Word->eraseFromParent();
  Gone.clear();
  SmallVector<Instruction *, 4> Casts;
  for (Instruction &I : instructions(F))
    if (isa<BitCastInst>(I))
      Casts.push_back(&I);
  for (Instruction *Cast : Casts)
    Changed |= joinDouble(*Cast);
  SmallVector<WeakTrackingVH, 4> Dead(Casts.begin(), Casts.end());
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
  for (IntrinsicInst *Word :
       SmallSetVector<IntrinsicInst *, 8>(Gone.begin(), Gone.end()))
    if (Word->use_empty())
      Word->eraseFromParent();
  for (IntrinsicInst *Word : Words())
    Changed |= moveFloat(*Word) || moveHalves(*Word);
  return Changed;
}

/// Shuffles of 32-bit integers in F that hold a float, half of a double or two
/// numbers of half precision become shuffles of these numbers, which have
/// adjoints. Whether F changed.
bool retrograd::shuffleNumbers(Function &F, RuntimeLibrary &Runtime) {
  return ShuffleNumbers(F, Runtime).run();
}
