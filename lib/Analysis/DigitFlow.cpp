//===- DigitFlow.cpp - integers that are digits of numbers ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/DigitFlow.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

/// So few digits are an index of a table, or steps that somebody wants.
static constexpr unsigned FewDigits = 15;

static bool isInteger(const Value &V) {
  return V.getType()->isIntOrIntVectorTy();
}
static bool isNumber(const Value &V) { return V.getType()->isFPOrFPVectorTy(); }

/// The digits of a number of type T, without exponent and sign.
static APInt digitsOf(Type *T) {
  T = T->getScalarType();
  return APInt::getLowBitsSet(
      T->getScalarSizeInBits(),
      APFloat::semanticsPrecision(T->getFltSemantics()) - 1);
}

/// Mask of the elements of one size, for elements of another size that lie over
/// them.
static APInt recast(const APInt &Mask, unsigned Width) {
  const unsigned Has = Mask.getBitWidth();
  if (Has == Width)
    return Mask;
  APInt Result(Width, 0);
  if (Width < Has && Has % Width == 0)
    for (unsigned At = 0; At != Has; At += Width)
      Result |= Mask.extractBits(Width, At);
  else if (Width % Has == 0)
    Result = APInt::getSplat(Width, Mask);
  return Result;
}

/// The operand of which I makes a number by its value; null if I does not.
static const Value *convertedBy(const Instruction &I) {
  if (isa<SIToFPInst, UIToFPInst>(I))
    return I.getOperand(0);
  const auto *C = dyn_cast<ConstrainedFPIntrinsic>(&I);
  return C && is_contained({Intrinsic::experimental_constrained_sitofp,
                            Intrinsic::experimental_constrained_uitofp},
                           C->getIntrinsicID())
             ? C->getArgOperand(0)
             : nullptr;
}

/// The number that I rounds to an integer; null if it does not.
static const Value *roundedBy(const Instruction &I) {
  if (isa<FPToSIInst, FPToUIInst>(I))
    return I.getOperand(0);
  const auto *C = dyn_cast<IntrinsicInst>(&I);
  return C && is_contained({Intrinsic::experimental_constrained_fptosi,
                            Intrinsic::experimental_constrained_fptoui,
                            Intrinsic::fptosi_sat, Intrinsic::fptoui_sat,
                            Intrinsic::lrint, Intrinsic::llrint,
                            Intrinsic::lround, Intrinsic::llround},
                           C->getIntrinsicID())
             ? C->getArgOperand(0)
             : nullptr;
}

/// I takes the value of an integer for the bits of a number.
static const Value *takenForNumberBy(const Instruction &I) {
  return isa<BitCastInst>(I) && isNumber(I) && isInteger(*I.getOperand(0))
             ? I.getOperand(0)
             : nullptr;
}

/// I reads a number whose type the program did not write: the bits of an
/// integer, which it takes for a number's.
static bool readsNumberOfInteger(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const StringRef Name = accessTypeName(I);
  if (!Load || !isNumber(I) || Name.empty())
    return false;
  const Type *Named = namedScalar(
      Name, I.getType()->getPrimitiveSizeInBits() / 8, I.getContext());
  return namesAnything(Name) || (Named && Named->isIntegerTy());
}

/// The front end marks what the program itself accesses as an integer. Else
/// nothing is known of any.
static bool saysTypes(const Module &M) {
  const NamedMDNode *Idents = M.getNamedMetadata("llvm.ident");
  const bool Clang = Idents && any_of(Idents->operands(), [](const MDNode *N) {
                       return cast<MDString>(N->getOperand(0))
                           ->getString()
                           .contains("clang version");
                     });
  return any_of(M, [&](const Function &F) {
    return (Clang && F.hasFnAttribute(Attribute::OptimizeNone)) ||
           any_of(instructions(F), [](const Instruction &I) {
             return I.hasMetadata(LLVMContext::MD_tbaa);
           });
  });
}

//===----------------------------------------------------------------------===//
// Fixpoint
//===----------------------------------------------------------------------===//

class DigitFlow::Solver {
public:
  Solver(ArrayRef<Function *> Functions, const ProgramFacts &Facts, Kind K,
         bool SaysTypes, std::array<Way, NumKinds> &Ways)
      : Functions(Functions), Facts(Facts), K(K), SaysTypes(SaysTypes),
        Found(Ways[K]), Keepers(Ways[Kept].Makers) {}
  void run();

private:
  ArrayRef<Function *> Functions;
  const ProgramFacts &Facts;
  const Kind K;
  const bool SaysTypes;
  Way &Found;
  /// For MadeOfKept: the stores of bits.
  const SmallPtrSetImpl<const Instruction *> &Keepers;
  /// For Kept: all that readsNumberOfInteger.
  SmallVector<const Instruction *, 4> NumbersOfIntegers;

  /// What reads integers out of memory, and what is put there as one: of the
  /// latter, digits or numbers that are stored to declared integers.
  SmallVector<const LoadInst *, 16> Loads;
  SmallVector<const StoreInst *, 16> Stores;
  /// Copies of numbers.
  SmallVector<const AnyMemTransferInst *, 4> Copies;
  /// All other accesses of numbers.
  SmallVector<const Instruction *, 16> Numbers;

  /// The calls of each function. Collected when they are first asked for.
  mutable std::optional<
      DenseMap<const Function *, SmallVector<const CallBase *>>>
      Calls;

  const Function *preparedCallee(const CallBase &C) const {
    const Function *Callee = directCallee(C);
    return Callee ? Facts.preparedOf(Callee) : nullptr;
  }
  const SmallVector<const CallBase *> &callsOf(const Function &Prepared) const;
  bool meets(const Value *P, const Value *Q, uint64_t Size) const;
  bool isMovedNumber(const Value &V, const Value *P) const;
  const Value *makerOperand(const Instruction &I) const {
    if (K == Kept)
      return takenForIntegerBy(I);
    return K == Rounded || K == MadeOfKept ? takenForNumberBy(I)
                                           : convertedBy(I);
  }
  const Value *takenForIntegerBy(const Instruction &I) const;
  bool isReadAsNumber(const Value *P, uint64_t Size) const;
  bool readsKept(const Instruction &I) const;
  bool readsKeptNumber(const Instruction &I) const {
    return K == MadeOfKept && readsNumberOfInteger(I) && readsKept(I);
  }
  bool anyMaker() const;
  bool seed();
  void findMemory();
  bool readsStored();
  void propagate();
  void findMakers();
  bool mark(const Value &V, const APInt &Mask);
  APInt numberAt(const Value *P, unsigned Bits) const;
  APInt numbersIn(const AnyMemTransferInst &Copy, unsigned Bits) const;
  APInt numbersRead(const LoadInst &Load) const;
  APInt stored(const StoreInst &S) const;
  bool isIntegerAtTimes(const LoadInst &Load) const;
  APInt of(const Value *V) const;
  APInt both(const Instruction &I) const;
  APInt joined(ArrayRef<const Value *> Chosen, const Instruction &I) const;
  APInt transfer(const Instruction &I) const;
  APInt ofArithmetic(const BinaryOperator &I) const;
  APInt ofCall(const CallBase &C) const;
  APInt ofMember(const ExtractValueInst &I) const;
};

/// Such a load may read just the Size bytes at P.
bool DigitFlow::Solver::isReadAsNumber(const Value *P, uint64_t Size) const {
  return any_of(NumbersOfIntegers, [&](const Instruction *Load) {
    return Load->getDataLayout().getTypeStoreSize(Load->getType()) == Size &&
           Facts.types().mayMeet(P, getLoadStorePointerOperand(Load), Size,
                                 /*Behind=*/false);
  });
}

/// What I puts in memory as an integer by the types.
const Value *DigitFlow::Solver::takenForIntegerBy(const Instruction &I) const {
  const auto *S = dyn_cast<StoreInst>(&I);
  const Value *V = S ? S->getValueOperand() : nullptr;
  if (!V || !isInteger(*V))
    return nullptr;
  const TypeAnalysis &Types = Facts.types();
  const Value *P = S->getPointerOperand();
  const uint64_t Size = I.getDataLayout().getTypeStoreSize(V->getType());
  const ValueShape &Shape = Facts.shape(V);
  // Where numbers lie at other times, V is moved on a way that is not taken
  // then (the alternatives of a variant), but for what is read there as a
  // number without its type.
  const bool Taken = Shape.Floats.empty() && !Shape.HasUnknown &&
                     !Shape.HasPiece && !Types.isByTurns(P) &&
                     (!Types.touchesFloat(P, Size) || isReadAsNumber(P, Size));
  return Taken ? V : nullptr;
}

/// The Size bytes at P may be at Q, too, or be copied to or from there.
bool DigitFlow::Solver::meets(const Value *P, const Value *Q,
                              uint64_t Size) const {
  const TypeAnalysis &Types = Facts.types();
  return Types.mayMeet(P, Q, Size, /*Behind=*/false) ||
         Types.areCopiedBetween(P, Q);
}

/// I reads what Keepers have put in memory.
bool DigitFlow::Solver::readsKept(const Instruction &I) const {
  const auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !(isInteger(I) || isNumber(I)))
    return false;
  const Value *P = Load->getPointerOperand();
  const uint64_t Size = I.getDataLayout().getTypeStoreSize(I.getType());
  return any_of(Keepers, [&](const Instruction *Keeper) {
    return meets(P, getLoadStorePointerOperand(Keeper), Size);
  });
}

bool DigitFlow::Solver::anyMaker() const {
  if (K == MadeOfKept && Keepers.empty())
    return false;
  return any_of(Functions, [&](const Function *F) {
    return any_of(instructions(F), [&](const Instruction &I) {
      const Value *Of = makerOperand(I);
      return readsKeptNumber(I) ||
             (Of && !isa<Constant>(Of) && !(K == Rounded && isa<LoadInst>(Of)));
    });
  });
}

/// The digits among the bits at P: all that accesses, or callers, tell of the
/// place is that numbers lie there.
APInt DigitFlow::Solver::numberAt(const Value *P, unsigned Bits) const {
  const TypeAnalysis &Types = Facts.types();
  const uint64_t Size = Bits / 8;
  APInt All(Bits, 0);
  for (const TypeAnalysis::FloatPart &Part : Types.floatsAlone(P, Size)) {
    const APInt Of = digitsOf(Part.FP);
    for (unsigned Bit = 0; Bit != Of.getBitWidth(); ++Bit)
      if (const int64_t At = Part.Start * 8 + Bit;
          Of[Bit] && At >= 0 && At < int64_t(Bits))
        All.setBit(At);
  }
  if (All.isZero() && (Bits == 32 || Bits == 64) &&
      (Types.callersKnowFloat(P, 0, Size)
           ? Types.isKnownByCopiesOnly(P, Size)
           : K == Asked && Types.isKnownByCopiesOnly(P, Size, true) &&
                 SaysTypes))
    All = digitsOf(Bits == 32 ? Type::getFloatTy(P->getContext())
                              : Type::getDoubleTy(P->getContext()));
  return All;
}

/// The same of each element that Copy copies: it copies nothing else.
APInt DigitFlow::Solver::numbersIn(const AnyMemTransferInst &Copy,
                                   unsigned Bits) const {
  const TypeAnalysis &Types = Facts.types();
  const Value *From = Copy.getRawSource();
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  const uint64_t Size = Bits / 8;
  const bool Several = !Length || Length->getValue().uge(2 * Size);
  if (Types.leadsToFloatsOnly(From) ||
      (Types.callersKnowFloat(From, 0, Size) &&
       (!Several || Types.callersKnowFloat(From, Size, Size))) ||
      (K == Asked && Types.isKnownByCopiesOnly(From, Size, true)))
    return numberAt(From, Bits);
  return APInt(Bits, 0);
}

const SmallVector<const CallBase *> &
DigitFlow::Solver::callsOf(const Function &Prepared) const {
  if (!Calls) {
    Calls.emplace();
    for (const Function *F : Functions)
      for (const Instruction &I : instructions(F))
        if (const auto *C = dyn_cast<CallBase>(&I))
          if (const Function *Callee = preparedCallee(*C);
              Callee && Callee->arg_size() <= C->arg_size())
            (*Calls)[Callee].push_back(C);
  }
  return (*Calls)[&Prepared];
}

/// V is a number that is moved as an integer (by loads, calls and arguments),
/// or comes from where P leads or from what is copied to or from there.
bool DigitFlow::Solver::isMovedNumber(const Value &V, const Value *P) const {
  SmallVector<const Value *, 8> Work{&V};
  SmallPtrSet<const Value *, 8> Seen{&V};
  auto Add = [&](const Value *Of) {
    if (!isa<UndefValue>(Of) && !match(Of, m_Zero()) && Seen.insert(Of).second)
      Work.push_back(Of);
  };
  auto AddReturned = [&](const Function &F) {
    for (const BasicBlock &BB : F)
      if (const auto *R = dyn_cast<ReturnInst>(BB.getTerminator()))
        Add(R->getReturnValue());
  };
  while (!Work.empty()) {
    const Value *Of = Work.pop_back_val();
    if (const auto *From = dyn_cast<LoadInst>(Of); From && isInteger(*Of)) {
      const Value *Place = From->getPointerOperand();
      const unsigned Bits = Of->getType()->getPrimitiveSizeInBits();
      if (!meets(P, Place, Bits / 8) && numberAt(Place, Bits).isZero())
        return false;
    } else if (const auto *Bits = dyn_cast<BitCastInst>(Of)) {
      // LLVM joins what a union holds by turns to one number.
      if (isNumber(*Of))
        Add(Bits->getOperand(0));
      else if (!isNumber(*Bits->getOperand(0)))
        return false;
    } else if (isa<PHINode, SelectInst, FreezeInst>(Of)) {
      for (const Value *Op :
           drop_begin(cast<User>(Of)->operands(), isa<SelectInst>(Of)))
        Add(Op);
    } else if (isNumber(*Of)) {
      continue;
    } else if (const auto *A = dyn_cast<Argument>(Of)) {
      const auto &Sites = callsOf(*A->getParent());
      if (Sites.empty())
        return false;
      for (const CallBase *C : Sites)
        Add(C->getArgOperand(A->getArgNo()));
    } else {
      const auto *C = dyn_cast<CallBase>(Of);
      const Function *Prepared = C ? preparedCallee(*C) : nullptr;
      if (!Prepared)
        return false;
      AddReturned(*Prepared);
    }
  }
  return true;
}

/// Integers are stored where Load reads, or where copies may bring it from, and
/// no declaration tells their place from that of numbers (a union).
bool DigitFlow::Solver::isIntegerAtTimes(const LoadInst &Load) const {
  // The member of a union may be accessed as anything, whatever it is declared.
  const bool MayBeMember = namesAnything(accessTypeName(Load));
  const Value *P = Load.getPointerOperand();
  const uint64_t Size = Load.getDataLayout().getTypeStoreSize(Load.getType());
  return any_of(Functions, [&](const Function *F) {
    return any_of(instructions(F), [&](const Instruction &I) {
      const auto *S = dyn_cast<StoreInst>(&I);
      const Value *V = S ? S->getValueOperand() : nullptr;
      if (!V || !(isInteger(*V) || (MayBeMember && isNumber(*V))) ||
          match(V, m_Zero()) ||
          (!MayBeMember && TypeAnalysis::isDeclaredInteger(*S)) ||
          !meets(P, S->getPointerOperand(), Size))
        return false;
      return !isMovedNumber(*V, P);
    });
  });
}

/// The numbers, or parts of them, that Load reads as integers.
APInt DigitFlow::Solver::numbersRead(const LoadInst &Load) const {
  Type *T = Load.getType();
  const unsigned Width = T->getScalarSizeInBits(),
                 Bits = T->getPrimitiveSizeInBits();
  APInt None(Width, 0);
  const Value *P = Load.getPointerOperand();
  if (Width % 8 || hasFact(Load, SourceFact::Characters) ||
      Facts.types().isIndexPlace(P))
    return None;
  auto Fits = [&](const Type *FP) {
    return FP && FP->isFloatingPointTy() &&
           FP->getPrimitiveSizeInBits() == Width;
  };
  const StringRef Name = accessTypeName(Load);
  Type *Tagged = namedScalar(Name, Width / 8, Load.getContext());
  if (Fits(Tagged))
    return digitsOf(Tagged);
  // A member of a union is what it is accessed as, at the time, or is not read
  // at all. But what is kept of it is made a number again.
  if (!Name.empty() && !(K == Kept && namesAnything(Name)))
    return None;
  if (const auto *Place = dyn_cast<GEPOperator>(P);
      Place && Fits(Place->getSourceElementType()))
    return digitsOf(Place->getSourceElementType());
  if (TypeAnalysis::isDeclaredInteger(Load) ||
      hasFact(Load, SourceFact::Integer))
    return None;
  const APInt Digits = recast(numberAt(P, Bits), Width);
  return Digits.isZero() || isIntegerAtTimes(Load) ? None : Digits;
}

APInt DigitFlow::Solver::of(const Value *V) const {
  auto It = Found.Digits.find(V);
  return It == Found.Digits.end()
             ? APInt(V->getType()->getScalarSizeInBits(), 0)
             : It->second;
}

bool DigitFlow::Solver::mark(const Value &V, const APInt &Mask) {
  if (Mask.isZero())
    return false;
  auto [It, New] = Found.Digits.try_emplace(&V, Mask);
  if (New || Mask.isSubsetOf(It->second))
    return New;
  It->second |= Mask;
  return true;
}

/// Only integers from which something is computed, or that are handed on.
bool DigitFlow::Solver::seed() {
  bool Any = false;
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(F)) {
      if (!isInteger(I) || hasFact(I, SourceFact::Steps))
        continue;
      if (K == MadeOfKept) {
        if (readsKept(I))
          Any |= mark(I, APInt::getAllOnes(I.getType()->getScalarSizeInBits()));
        continue;
      }
      if (K == Rounded) {
        if (const Value *Of = roundedBy(I); Of && !isa<Constant>(Of))
          Any |= mark(I, APInt::getAllOnes(I.getType()->getScalarSizeInBits()));
        continue;
      }
      if (const auto *Bits = dyn_cast<BitCastInst>(&I);
          Bits && isNumber(*Bits->getOperand(0)) &&
          !isa<Constant>(Bits->getOperand(0))) {
        // LLVM may load what is an integer at times as the number.
        const auto *From = dyn_cast<LoadInst>(Bits->getOperand(0));
        if (From && isIntegerAtTimes(*From))
          continue;
        Any |= mark(I, recast(digitsOf(Bits->getOperand(0)->getType()),
                              I.getType()->getScalarSizeInBits()));
      } else if (const auto *Load = dyn_cast<LoadInst>(&I);
                 Load && !all_of(Load->users(), [](const User *U) {
                   return isa<StoreInst, ICmpInst>(U);
                 }))
        Any |= mark(I, numbersRead(*Load));
    }
  return Any;
}

/// The program has an integer of that size where it stores a number:
/// `memcpy(&words[i], &x, sizeof x)`.
static bool storesToInteger(const StoreInst &S) {
  const Type &T = *S.getValueOperand()->getType();
  const Value *P = S.getPointerOperand();
  const Type *At = namedScalar(accessTypeName(S),
                               T.getPrimitiveSizeInBits() / 8, S.getContext());
  if (At)
    return At->isIntegerTy();
  if (const auto *Place = dyn_cast<GEPOperator>(P))
    At = Place->getResultElementType();
  else if (const auto *Variable = dyn_cast<AllocaInst>(P))
    At = Variable->getAllocatedType();
  while (const auto *Elements = dyn_cast_or_null<ArrayType>(At))
    At = Elements->getElementType();
  return At && At->isIntegerTy() &&
         At->getPrimitiveSizeInBits() == T.getPrimitiveSizeInBits();
}

/// What is in memory that the program reads as integers.
void DigitFlow::Solver::findMemory() {
  constexpr unsigned Smallest = 32; // bits
  auto IsWide = [](const Type &T) {
    return T.isIntOrIntVectorTy() && T.getScalarSizeInBits() >= Smallest;
  };
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(F)) {
      if (const auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
          Copy && K != Rounded) {
        if (!numbersIn(*Copy, 64).isZero() || !numbersIn(*Copy, 32).isZero())
          Copies.push_back(Copy);
        continue;
      }
      const Value *P = getLoadStorePointerOperand(&I);
      Type *T = P ? getLoadStoreType(&I) : nullptr;
      const auto *S = dyn_cast<StoreInst>(&I);
      if (!T)
        continue;
      // A member of a struct is what it is declared to be.
      if (const auto *Load = dyn_cast<LoadInst>(&I);
          Load && IsWide(*T) && !TypeAnalysis::isDeclaredInteger(*Load))
        Loads.push_back(Load);
      else if (S && (IsWide(*T) || (K != Rounded && T->isFloatingPointTy() &&
                                    !isa<Constant>(S->getValueOperand()) &&
                                    storesToInteger(*S))))
        Stores.push_back(S);
      else if (T->isFPOrFPVectorTy())
        Numbers.push_back(&I);
    }
}

APInt DigitFlow::Solver::stored(const StoreInst &S) const {
  const Value *V = S.getValueOperand();
  return isInteger(*V) ? of(V) : digitsOf(V->getType());
}

/// What Loads read of integers that Stores and Copies have put there: digits,
/// if all of these are, and nobody accesses the place as a number.
bool DigitFlow::Solver::readsStored() {
  const TypeAnalysis &Types = Facts.types();
  auto Meets = [&](const LoadInst *Load, const Value *P, bool Behind = false) {
    return Types.mayMeet(
        Load->getPointerOperand(), P,
        Load->getDataLayout().getTypeStoreSize(Load->getType()), Behind);
  };
  SmallVector<const StoreInst *, 8> OfDigits, OfElse;
  for (const StoreInst *S : Stores)
    if (!stored(*S).isZero())
      OfDigits.push_back(S);
    else if (!match(S->getValueOperand(), m_Zero()))
      OfElse.push_back(S);
  if (OfDigits.empty() && Copies.empty())
    return false;
  bool New = false;
  for (const LoadInst *Load : Loads) {
    const unsigned Width = Load->getType()->getScalarSizeInBits();
    APInt Mask(Width, 0);
    for (const StoreInst *S : OfDigits)
      if (const APInt Digits = stored(*S);
          Digits.getBitWidth() == Width && Meets(Load, S->getPointerOperand()))
        Mask |= Digits;
    for (const AnyMemTransferInst *Copy : Copies)
      if (Meets(Load, Copy->getRawDest(), /*Behind=*/true))
        Mask |= numbersIn(*Copy, Width);
    if (Mask.isSubsetOf(of(Load)))
      continue;
    if (none_of(OfElse,
                [&](const StoreInst *S) {
                  return Meets(Load, S->getPointerOperand());
                }) &&
        none_of(Numbers, [&](const Instruction *I) {
          return Meets(Load, getLoadStorePointerOperand(I));
        }))
      New |= mark(*Load, Mask);
  }
  return New;
}

APInt DigitFlow::Solver::both(const Instruction &I) const {
  return of(I.getOperand(0)) | of(I.getOperand(1));
}

APInt DigitFlow::Solver::joined(ArrayRef<const Value *> Chosen,
                                const Instruction &I) const {
  APInt All(I.getType()->getScalarSizeInBits(), 0);
  for (const Value *V : Chosen) {
    if (isa<UndefValue>(V) || match(V, m_Zero()))
      continue;
    const APInt Mask = of(V);
    // What is put in memory is a number's bits at times: its derivative is lost
    // whatever else lies there at others.
    if (Mask.isZero() && K != Kept)
      return Mask;
    All |= Mask;
  }
  return All;
}

APInt DigitFlow::Solver::ofArithmetic(const BinaryOperator &I) const {
  const Value *A = I.getOperand(0), *B = I.getOperand(1);
  const APInt *C;
  const unsigned Width = I.getType()->getScalarSizeInBits();
  APInt None(Width, 0), Of = of(A);
  const bool ByConstant = match(B, m_APInt(C));
  switch (I.getOpcode()) {
  case Instruction::And:
    return ByConstant ? Of & *C : both(I);
  case Instruction::Or:
    return ByConstant ? Of & ~*C : both(I);
  case Instruction::Xor:
  case Instruction::Add: // a carry into the exponent comes in steps
  case Instruction::Sub:
    return both(I);
  case Instruction::Shl:
    return ByConstant ? Of.shl(*C) : Of.isZero() ? None : ~None;
  case Instruction::LShr:
  case Instruction::AShr:
    return ByConstant ? Of.lshr(*C) : Of;
  case Instruction::Mul: {
    // What wraps around is a hash.
    const APInt Both = both(I);
    return Both.isZero() || !(I.hasNoSignedWrap() || I.hasNoUnsignedWrap())
               ? None
               : APInt::getBitsSetFrom(Width, Both.countr_zero());
  }
  case Instruction::UDiv:
  case Instruction::SDiv:
    return ByConstant && !C->isZero() ? Of.lshr(C->abs().logBase2()) : None;
  default:
    return None;
  }
}

APInt DigitFlow::Solver::ofCall(const CallBase &C) const {
  const unsigned Width = C.getType()->getScalarSizeInBits();
  const APInt *By;
  if (const Function *Prepared = preparedCallee(C)) {
    auto It = Found.Returned.find(Prepared);
    return It != Found.Returned.end() && It->second.getBitWidth() == Width
               ? It->second
               : APInt(Width, 0);
  }
  switch (C.getIntrinsicID()) {
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::smin:
  case Intrinsic::smax:
    return both(C);
  case Intrinsic::abs:
    return of(C.getArgOperand(0));
  case Intrinsic::bswap:
    return of(C.getArgOperand(0)).byteSwap();
  case Intrinsic::fshl:
    return match(C.getArgOperand(2), m_APInt(By)) &&
                   C.getArgOperand(0) != C.getArgOperand(1)
               ? of(C.getArgOperand(0)).shl(*By) |
                     of(C.getArgOperand(1)).lshr(Width - By->urem(Width))
               : APInt(Width, 0);
  default:
    return APInt(Width, 0);
  }
}

/// A member of a struct in registers, which the function or its callee has
/// made.
APInt DigitFlow::Solver::ofMember(const ExtractValueInst &I) const {
  Value *Whole = const_cast<Value *>(I.getAggregateOperand());
  if (const Value *V = FindInsertedValue(Whole, I.getIndices()))
    return of(V);
  const auto *C = dyn_cast<CallBase>(Whole);
  const Function *Prepared = C ? preparedCallee(*C) : nullptr;
  APInt All(I.getType()->getScalarSizeInBits(), 0);
  if (!Prepared)
    return All;
  for (const BasicBlock &BB : *Prepared)
    if (const auto *R = dyn_cast<ReturnInst>(BB.getTerminator()))
      if (const Value *V =
              FindInsertedValue(R->getReturnValue(), I.getIndices()))
        All |= of(V);
  return All;
}

APInt DigitFlow::Solver::transfer(const Instruction &I) const {
  const unsigned Width = I.getType()->getScalarSizeInBits();
  if (const auto *Member = dyn_cast<ExtractValueInst>(&I))
    return ofMember(*Member);
  if (const auto *B = dyn_cast<BinaryOperator>(&I))
    return ofArithmetic(*B);
  if (const auto *Phi = dyn_cast<PHINode>(&I))
    return joined(SmallVector<const Value *, 4>(Phi->incoming_values()), I);
  if (const auto *S = dyn_cast<SelectInst>(&I))
    return joined({S->getTrueValue(), S->getFalseValue()}, I);
  if (const auto *C = dyn_cast<CallBase>(&I))
    return ofCall(*C);
  if (I.getNumOperands() == 0 || !isInteger(*I.getOperand(0)))
    return APInt(Width, 0);
  APInt Of = of(I.getOperand(0));
  switch (I.getOpcode()) {
  case Instruction::Freeze:
  case Instruction::ExtractElement:
    return Of;
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
    return Of.zextOrTrunc(Width);
  case Instruction::BitCast:
    return recast(Of, Width);
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
    return both(I);
  default:
    return APInt(Width, 0);
  }
}

void DigitFlow::Solver::propagate() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Function *F : Functions)
      for (const Instruction &I : instructions(F)) {
        if (isInteger(I) && !hasFact(I, SourceFact::Steps))
          Changed |= mark(I, transfer(I));
        if (const auto *R = dyn_cast<ReturnInst>(&I);
            R && R->getReturnValue() && isInteger(*R->getReturnValue())) {
          const APInt Mask = of(R->getReturnValue());
          auto [It, New] = Found.Returned.try_emplace(F, Mask);
          Changed |= !Mask.isZero() && (New || !Mask.isSubsetOf(It->second));
          It->second |= Mask;
        }
        const auto *C = dyn_cast<CallBase>(&I);
        const Function *Prepared = C ? preparedCallee(*C) : nullptr;
        if (!Prepared || Prepared->arg_size() > C->arg_size())
          continue;
        for (const Argument &A : Prepared->args())
          if (const Value *V = C->getArgOperand(A.getArgNo());
              isInteger(A) && V->getType() == A.getType())
            Changed |= mark(A, of(V));
      }
  }
}

void DigitFlow::Solver::findMakers() {
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(F)) {
      const Value *Of = makerOperand(I);
      if (readsKeptNumber(I))
        Found.Makers.insert(&I);
      if (!Of || isa<Constant>(Of))
        continue;
      APInt Mask = of(Of);
      if (K == Rounded)
        Mask = recast(Mask, I.getType()->getScalarSizeInBits()) &
               digitsOf(I.getType());
      if (Mask.popcount() > FewDigits) {
        Found.Makers.insert(&I);
        Found.Making.insert(F);
      }
    }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Function *F : Functions)
      for (const Instruction &I : instructions(F)) {
        const auto *C = dyn_cast<CallBase>(&I);
        const Function *Prepared = C ? preparedCallee(*C) : nullptr;
        if (Prepared && Found.Making.contains(Prepared))
          Changed |= Found.Making.insert(F).second;
      }
  }
}

void DigitFlow::Solver::run() {
  if (K == Kept)
    for (const Function *F : Functions)
      for (const Instruction &I : instructions(F))
        if (readsNumberOfInteger(I))
          NumbersOfIntegers.push_back(&I);
  if (!anyMaker())
    return;
  bool Any = seed();
  if (K != MadeOfKept)
    findMemory();
  Any |= !Copies.empty() || any_of(Stores, [&](const StoreInst *S) {
    return isNumber(*S->getValueOperand());
  });
  if (!Any && K != MadeOfKept)
    return;
  do
    propagate();
  while (readsStored());
  findMakers();
}

DigitFlow::DigitFlow(ArrayRef<Function *> Functions, const ProgramFacts &Facts)
    : Facts(Facts) {
  // Once: whether types are said anywhere is a question to the whole module.
  const bool SaysTypes = saysTypes(*Functions.front()->getParent());
  for (Kind K : {Read, Asked, Rounded, Kept, MadeOfKept})
    Solver(Functions, Facts, K, SaysTypes, Ways).run();
  for (const Instruction *I : Ways[Read].Makers)
    Ways[Asked].Makers.erase(I);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool DigitFlow::calleeIsMaker(const CallBase &C, const Way &W) const {
  const Function *Callee = directCallee(C);
  const Function *Prepared = Callee ? Facts.preparedOf(Callee) : nullptr;
  return Prepared && W.Making.contains(Prepared) &&
         any_of(C.args(), [&](const Value *A) { return W.Digits.contains(A); });
}

bool DigitFlow::calleeMakesNumber(const CallBase &C) const {
  return calleeIsMaker(C, Ways[Read]) || calleeIsMaker(C, Ways[Rounded]);
}

bool DigitFlow::keepsNumber(const Instruction &I) const {
  const auto *C = dyn_cast<CallBase>(&I);
  return !Ways[MadeOfKept].Makers.empty() &&
         (Ways[Kept].Makers.contains(&I) ||
          (C && calleeIsMaker(*C, Ways[Kept])));
}

bool DigitFlow::comesFrom(const Instruction &I,
                          function_ref<bool(const Value *)> Varied,
                          function_ref<bool(const Value *)> Memory) const {
  constexpr unsigned Most = 256;
  SmallVector<const Value *, 16> Work;
  SmallPtrSet<const Value *, 16> Seen;
  auto Add = [&](const Value *V) {
    if (any_of(drop_end(Ways), // all but those that are made of integers
               [&](const Way &W) { return W.Digits.contains(V); }) &&
        Seen.insert(V).second)
      Work.push_back(V);
  };
  for (const Value *Op : I.operands())
    Add(Op);
  while (!Work.empty() && Seen.size() < Most) {
    const auto *From = dyn_cast<Instruction>(Work.pop_back_val());
    if (!From) // an argument: the caller knows
      return true;
    if (const auto *Load = dyn_cast<LoadInst>(From)) {
      if (Memory(Load->getPointerOperand()))
        return true;
      continue;
    }
    const auto *C = dyn_cast<CallBase>(From);
    if (const auto *Member = dyn_cast<ExtractValueInst>(From)) {
      Value *Whole = const_cast<Value *>(Member->getAggregateOperand());
      if (const Value *V = FindInsertedValue(Whole, Member->getIndices()))
        Add(V);
      C = dyn_cast<CallBase>(Whole);
    }
    if (C && !isa<IntrinsicInst>(C) && any_of(C->args(), [&](const Value *A) {
          return Varied(A) || (A->getType()->isPointerTy() && Memory(A));
        }))
      return true;
    for (const Value *Op : From->operands()) {
      if (isNumber(*Op) && Varied(Op))
        return true;
      // Of a number that was made of digits, nothing is varied.
      if (isNumber(*Op) && isa<Instruction>(Op) && Seen.insert(Op).second)
        Work.push_back(Op);
      Add(Op);
    }
  }
  return Seen.size() >= Most;
}
