//===- TypeAddresses.cpp - where computed addresses point -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A getelementptr adds constants, multiples of a stride within bounds, and
// distances of pointers to where its pointer operand points. The integers that
// it takes are taken apart into these terms here.
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeModel.h"
#include "Catalogue/Catalogue.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>
#include <utility>

using namespace llvm;
using namespace retrograd;

namespace {
/// An index taken apart: Const + multiples of Stride + multiples of SpanStride
/// from 0 to Span + pointer differences.
struct IndexTerms {
  int64_t Const = 0;
  int64_t Stride = 0;
  int64_t Span = 0;
  int64_t SpanStride = 0;
  SmallVector<PointerDifference, 1> Differences;
};
} // namespace

/// The constants that V is one of; false if it may be anything else.
static bool collectChoices(const Value *V, SmallSetVector<int64_t, 4> &Choices,
                           SmallPtrSetImpl<const Value *> &Seen) {
  constexpr unsigned Most = 8;
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64)
    return false;
  if (!Seen.insert(V).second)
    return true;
  if (Seen.size() > 4 * Most)
    return false;
  if (auto *C = dyn_cast<ConstantInt>(V)) {
    Choices.insert(C->getSExtValue());
    return Choices.size() <= Most;
  }
  if (auto *Select = dyn_cast<SelectInst>(V))
    return collectChoices(Select->getTrueValue(), Choices, Seen) &&
           collectChoices(Select->getFalseValue(), Choices, Seen);
  if (auto *Phi = dyn_cast<PHINode>(V))
    return all_of(Phi->incoming_values(), [&](const Use &U) {
      return collectChoices(U.get(), Choices, Seen);
    });
  if (isa<ZExtInst, SExtInst>(V) &&
      cast<CastInst>(V)->getSrcTy()->isIntegerTy(1)) {
    Choices.insert(0);
    Choices.insert(isa<ZExtInst>(V) ? 1 : -1);
    return Choices.size() <= Most;
  }
  return false;
}

/// Takes indices apart.
class TypeAnalysis::Impl::IndexReader {
public:
  /// The index is added to Base.
  IndexReader(Impl &Model, IndexTerms &Terms, const Value *Base,
              unsigned Depth = 0)
      : Model(Model), Terms(Terms), Base(Base), Depth(Depth) {}

  /// Adds Scale * V. What cannot be taken apart counts by its trailing zeros.
  void add(const Value *V, int64_t Scale);

private:
  Impl &Model;
  IndexTerms &Terms;
  const Value *Base;
  unsigned Depth;

  void leaf(const Value *V, int64_t Scale);
  void addDifference(const BinaryOperator &Sub, int64_t Scale);
  bool addRecurrence(const PHINode &Phi, int64_t Scale);
};

/// Nobody reads or writes memory through Block itself, or a constant away from
/// it; what is computed from Base is no matter.
static bool isLeftAlone(const Value *Block, const Value *Base,
                        const Catalogue &Cat) {
  SmallVector<const Value *, 4> Work{Block};
  bool Moved = false; // by the distance that is asked about
  while (!Work.empty())
    for (const Value *P = Work.pop_back_val(); const User *U : P->users()) {
      if (isa<PtrToIntInst, ICmpInst>(U))
        continue;
      if (const auto *S = dyn_cast<StoreInst>(U);
          S && S->getPointerOperand() != P)
        continue;
      if (const auto *GEP = dyn_cast<GetElementPtrInst>(U)) {
        if (GEP->hasAllConstantIndices())
          Work.push_back(GEP);
        else if (P != Base || std::exchange(Moved, true))
          return false;
        continue;
      }
      const auto *C = dyn_cast<CallBase>(U);
      const OperationRecord *R = C ? Cat.lookup(*C) : nullptr;
      if (!R || R->Class != RuleClass::Deallocation)
        return false;
    }
  return true;
}

/// By how much the block that Base is, fresh from an allocation, misses an
/// alignment: `(size_t)p & 63`. An allocator of aligned memory moves all that
/// it hands out by this, and what others see begins there; where the block
/// begins, it keeps nothing but what it is to free. The same of an address in
/// the block that is rounded down (`(size_t)(p + 63) & ~63`, of memory on the
/// stack, too), where nobody uses the block by another address.
static bool isMisalignment(const BinaryOperator &And, const Value *Base,
                           const Catalogue &Cat) {
  const auto *Mask = dyn_cast<ConstantInt>(And.getOperand(1));
  const Value *Address = And.getOperand(0);
  if (const auto *Narrow = dyn_cast<TruncInst>(Address))
    Address = Narrow->getOperand(0);
  const auto *Of = dyn_cast<PtrToIntInst>(Address);
  if (!Mask || !Mask->getValue().isMask() || !Of)
    return false;
  const Value *Rounded = Of->getPointerOperand();
  if (Rounded == Base && isNoAliasCall(Base))
    return true;
  APInt Offset(64, 0);
  const Value *Block = Rounded->stripAndAccumulateConstantOffsets(
      And.getDataLayout(), Offset, /*AllowNonInbounds=*/true);
  return (isNoAliasCall(Block) || isa<AllocaInst>(Block)) &&
         (Base == Block || Base == Rounded) && Offset.isNonNegative() &&
         isLeftAlone(Block, Base, Cat);
}

static int64_t knownPowerOfTwo(const Value *V, const DataLayout &DL) {
  return V->getType()->isIntegerTy()
             ? int64_t(1) << std::min(
                   computeKnownBits(V, DL).countMinTrailingZeros(), 20u)
             : 1;
}

/// What divides all that V is a sum or a choice of. An index that a loop moves
/// in several places (`node += 8` here, `node += 8 * (at >> 6)` there) meets
/// itself in phis, which say nothing new: 0 for what Seen holds already.
static int64_t divisorOf(const Value *V, const DataLayout &DL,
                         SmallPtrSetImpl<const Value *> &Seen) {
  constexpr unsigned Most = 64;
  constexpr int64_t Large = int64_t(1) << 20;
  if (auto *C = dyn_cast<ConstantInt>(V)) {
    if (C->getBitWidth() > 64)
      return 1;
    int64_t N = C->getSExtValue();
    return -Large < N && N < Large ? std::abs(N) : std::gcd(N, Large);
  }
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !V->getType()->isIntegerTy() || Seen.size() > Most)
    return knownPowerOfTwo(V, DL);
  if (!Seen.insert(V).second)
    return 0;
  auto All = [&](auto Operands) {
    int64_t D = 0;
    for (const Value *Of : Operands)
      D = std::gcd(D, divisorOf(Of, DL, Seen));
    return D;
  };
  switch (I->getOpcode()) {
  case Instruction::PHI:
    return All(cast<PHINode>(I)->incoming_values());
  case Instruction::Select:
    return All(drop_begin(I->operand_values()));
  case Instruction::Add:
  case Instruction::Sub:
    return All(I->operand_values());
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Freeze:
    return divisorOf(I->getOperand(0), DL, Seen);
  default:
    return knownPowerOfTwo(V, DL);
  }
}

void TypeAnalysis::Impl::IndexReader::leaf(const Value *V, int64_t Scale) {
  SmallPtrSet<const Value *, 16> Seen;
  Terms.Stride =
      std::gcd(Terms.Stride, Scale * std::max(divisorOf(V, Model.DL, Seen),
                                              knownPowerOfTwo(V, Model.DL)));
}

/// A distance of two pointers, or of two numbers.
void TypeAnalysis::Impl::IndexReader::addDifference(const BinaryOperator &Sub,
                                                    int64_t Scale) {
  Var A = Model.addressIn(Sub.getOperand(0)),
      B = Model.addressIn(Sub.getOperand(1));
  if (A != NoVar && B != NoVar) {
    Terms.Differences.push_back({A, B, Scale});
    return;
  }
  // A distance from null leads nowhere unless the other address is null, too:
  // the length of a vector that has just been made.
  if (const auto *C = dyn_cast<ConstantInt>(Sub.getOperand(0));
      C && C->isZero() && B != NoVar)
    return;
  add(Sub.getOperand(0), Scale);
  add(Sub.getOperand(1), -Scale);
}

/// for (i = Start; ...; i += Step): Start and multiples of Step (0: just
/// Start).
bool TypeAnalysis::Impl::IndexReader::addRecurrence(const PHINode &Phi,
                                                    int64_t Scale) {
  const Value *Start = nullptr;
  int64_t Step = 0;
  for (const Value *In : Phi.incoming_values()) {
    const auto *Next = dyn_cast<BinaryOperator>(In);
    const auto *By = Next && Next->getOpcode() == Instruction::Add &&
                             Next->getOperand(0) == &Phi
                         ? dyn_cast<ConstantInt>(Next->getOperand(1))
                         : nullptr;
    if (By && By->getValue().abs().ult(1u << 20))
      Step = std::gcd(Step, By->getSExtValue());
    else if (!Start || Start == In)
      Start = In;
    else
      return false;
  }
  if (!Start)
    return false;
  Terms.Stride = std::gcd(Terms.Stride, Scale * Step);
  add(Start, Scale);
  return true;
}

void TypeAnalysis::Impl::IndexReader::add(const Value *V, int64_t Scale) {
  if (auto *C = dyn_cast<ConstantInt>(V)) {
    Terms.Const += C->getSExtValue() * Scale;
    return;
  }
  // One of some members: `less ? &node->left : &node->right`.
  SmallSetVector<int64_t, 4> Choices;
  if (SmallPtrSet<const Value *, 8> Seen; collectChoices(V, Choices, Seen)) {
    int64_t Least = Choices[0] * Scale, Most = Least;
    for (int64_t Choice : Choices) {
      Least = std::min(Least, Choice * Scale);
      Most = std::max(Most, Choice * Scale);
      Terms.SpanStride =
          std::gcd(Terms.SpanStride, (Choice - Choices[0]) * Scale);
    }
    Terms.Const += Least;
    Terms.Span += Most - Least;
    return;
  }
  auto *I = dyn_cast<Instruction>(V);
  if (Depth > 6 || !I || !V->getType()->isIntegerTy())
    return leaf(V, Scale);
  SaveAndRestore Deeper(Depth, Depth + 1);
  auto *Right = I->getNumOperands() == 2
                    ? dyn_cast<ConstantInt>(I->getOperand(1))
                    : nullptr;
  switch (I->getOpcode()) {
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Freeze:
    return add(I->getOperand(0), Scale);
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(I)->isDisjoint())
      return leaf(V, Scale);
    [[fallthrough]];
  case Instruction::Add:
    add(I->getOperand(0), Scale);
    return add(I->getOperand(1), Scale);
  case Instruction::Sub:
    return addDifference(cast<BinaryOperator>(*I), Scale);
  case Instruction::And:
    if (isMisalignment(cast<BinaryOperator>(*I), Base, Model.Cat))
      return;
    return leaf(V, Scale);
  case Instruction::Shl:
    if (Right && Right->getValue().ult(32))
      return add(I->getOperand(0), Scale << Right->getZExtValue());
    return leaf(V, Scale);
  case Instruction::Mul:
    if (Right && Right->getValue().abs().ult(1u << 20))
      return add(I->getOperand(0), Scale * Right->getSExtValue());
    return leaf(V, Scale);
  case Instruction::SDiv:
  case Instruction::UDiv:
    // A number of elements, from bytes, that becomes bytes again.
    if (Right && !Right->isZero() && I->isExact() &&
        Right->getValue().abs().ult(1u << 20) &&
        Scale % Right->getSExtValue() == 0) {
      IndexTerms Bytes;
      IndexReader(Model, Bytes, Base, Depth)
          .add(I->getOperand(0), Scale / Right->getSExtValue());
      // Whole elements for certain, whatever is known of the bytes.
      if (Bytes.Stride % Scale == 0 && Bytes.SpanStride % Scale == 0) {
        Terms.Const += Bytes.Const;
        Terms.Span += Bytes.Span;
        Terms.SpanStride = std::gcd(Terms.SpanStride, Bytes.SpanStride);
        Terms.Stride = std::gcd(Terms.Stride, Bytes.Stride);
        Terms.Differences.append(Bytes.Differences);
        return;
      }
    }
    return leaf(V, Scale);
  case Instruction::PHI:
    if (addRecurrence(cast<PHINode>(*I), Scale))
      return;
    return leaf(V, Scale);
  default:
    return leaf(V, Scale);
  }
}

/// The pointer whose address the integer V is; NoVar if it is none, or that
/// cannot be told.
ObjectGraph::Var TypeAnalysis::Impl::addressIn(const Value *V) {
  if (auto *P = dyn_cast<PtrToIntInst>(V))
    return P->getPointerOperand()->getType()->isPointerTy()
               ? pointer(P->getPointerOperand())
               : NoVar;
  // Addresses that meet.
  SmallVector<const Value *, 8> Work{V};
  SmallSetVector<const Value *, 8> Met;
  SmallVector<const Value *, 8> Found;
  while (!Work.empty()) {
    const Value *At = Work.pop_back_val();
    if (auto *P = dyn_cast<PtrToIntInst>(At);
        P && P->getPointerOperand()->getType()->isPointerTy())
      Found.push_back(P->getPointerOperand());
    else if (!isa<PHINode>(At) || Met.size() > 16)
      return NoVar;
    else if (Met.insert(At))
      append_range(Work, cast<PHINode>(At)->incoming_values());
  }
  Var To = G.newVar();
  for (const Value *P : Found)
    G.addEdge(pointer(P), To);
  return To;
}

void TypeAnalysis::Impl::addGEP(const GEPOperator &GEP, Var To) {
  Step S;
  SmallVector<PointerDifference, 1> Differences;
  Type *Container = nullptr; // what the index selects from
  for (gep_type_iterator GTI = gep_type_begin(GEP), E = gep_type_end(GEP);
       GTI != E; Container = GTI.getIndexedType(), ++GTI) {
    Value *Idx = GTI.getOperand();
    if (StructType *ST = GTI.getStructTypeOrNull()) {
      unsigned Field = cast<Constant>(Idx)->getUniqueInteger().getZExtValue();
      S.Const +=
          DL.getStructLayout(ST)->getElementOffset(Field).getFixedValue();
      continue;
    }
    TypeSize Each = GTI.getSequentialElementStride(DL);
    int64_t Scale = Each.isScalable() ? 1 : Each.getFixedValue();
    if (auto *CI = dyn_cast<ConstantInt>(Idx)) {
      S.Const += CI->getSExtValue() * Scale;
      continue;
    }
    if (Scale == 0 ||
        (isa<Constant>(Idx) && cast<Constant>(Idx)->isZeroValue()))
      continue;
    seedInteger(Idx, Trust::Strong);
    // An index into a declared array stays inside it; arrays of one element
    // are the old spelling of a flexible member.
    if (auto *AT = dyn_cast_or_null<ArrayType>(Container);
        AT && AT->getNumElements() > 1) {
      S.Stride = std::gcd(S.Stride, Scale);
      if (S.Above < Position::PosInf)
        S.Above += int64_t(AT->getNumElements() - 1) * Scale;
      continue;
    }
    if (SmallVector<const Value *, 4> Ways = distancesOf(Idx);
        !Ways.empty() && GEP.getNumIndices() == 1) {
      for (const Value *Way : Ways) {
        Step One;
        SmallVector<PointerDifference, 1> Of;
        addIndex(GEP, Way, Scale, One, Of);
        addStep(GEP, To, One, Of);
      }
      return;
    }
    addIndex(GEP, Idx, Scale, S, Differences);
  }
  addStep(GEP, To, S, Differences);
}

/// Some of the values that meet in V are distances of pointers (`full ? end -
/// begin : 0`): all of them. None if V is something else.
SmallVector<const Value *, 4> TypeAnalysis::Impl::distancesOf(const Value *V) {
  constexpr unsigned Most = 4;
  SmallVector<const Value *, 4> Ways;
  if (auto *Phi = dyn_cast<PHINode>(V))
    append_range(Ways, Phi->incoming_values());
  else if (auto *Select = dyn_cast<SelectInst>(V))
    Ways = {Select->getTrueValue(), Select->getFalseValue()};
  auto IsDistance = [&](const Value *Way) {
    auto *Sub = dyn_cast<BinaryOperator>(Way);
    return Sub && Sub->getOpcode() == Instruction::Sub &&
           isa<PtrToIntInst>(Sub->getOperand(0)) &&
           isa<PtrToIntInst>(Sub->getOperand(1));
  };
  if (Ways.size() > Most || is_contained(Ways, V) || none_of(Ways, IsDistance))
    return {};
  return Ways;
}

/// Adds Scale times an index of GEP to a step.
void TypeAnalysis::Impl::addIndex(
    const GEPOperator &GEP, const Value *Idx, int64_t Scale, Step &S,
    SmallVectorImpl<PointerDifference> &Differences) {
  IndexTerms Terms;
  IndexReader(*this, Terms, GEP.getPointerOperand()).add(Idx, Scale);
  S.Const += Terms.Const;
  const int64_t Stride = std::gcd(Terms.Stride, Terms.SpanStride);
  S.Stride = std::gcd(S.Stride, Stride);
  if (S.Above < Position::PosInf)
    S.Above += Terms.Span;
  Differences.append(Terms.Differences.begin(), Terms.Differences.end());
  if (!Terms.Stride)
    return;
  S.Above = Position::PosInf;
  bool NonNegative =
      GEP.hasNoUnsignedWrap() || (Idx->getType()->isIntegerTy() &&
                                  computeKnownBits(Idx, DL).isNonNegative());
  // The index as a whole is not negative.
  if (NonNegative && Terms.Differences.empty()) {
    if (S.Below < Position::PosInf && Terms.Const >= Stride)
      S.Below += Terms.Const - Terms.Const % Stride;
    else if (Terms.Const < 0)
      S.Below = std::max<int64_t>(S.Below, 0);
  } else {
    S.Below = Position::PosInf;
  }
}

void TypeAnalysis::Impl::addStep(const GEPOperator &GEP, Var To, const Step &S,
                                 ArrayRef<PointerDifference> Differences) {
  Var From = pointer(GEP.getPointerOperand());
  if (Differences.empty())
    G.addEdge(From, To, S);
  else
    G.addDisplacement(From, To, S, Differences);
}
