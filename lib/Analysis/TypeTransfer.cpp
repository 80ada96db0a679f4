//===- TypeTransfer.cpp - how instructions move pointers and bytes --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of statements are made about an instruction. Pointers flow along
// edges (and through cells of memory), bytes of integers along links. What an
// instruction knows about its operands is seeded on the way, see TypeSeeds.cpp.
//
//===----------------------------------------------------------------------===//

#include "Analysis/KeptNumber.h"
#include "Analysis/TypeModel.h"
#include "Catalogue/Catalogue.h"
#include "Support/DispatchMarks.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace llvm;
using namespace retrograd;

int64_t TypeAnalysis::Impl::sizeOf(Type *T) const {
  if (!T->isSized() || isa<ScalableVectorType>(T))
    return 0;
  return DL.getTypeStoreSize(T);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

ObjectGraph::Var TypeAnalysis::Impl::fresh(const Value *V) {
  Var To = pointer(V);
  G.addEdge(G.newPointer(), To);
  return To;
}

ObjectGraph::Var TypeAnalysis::Impl::constantPointer(const Constant *C) {
  if (auto *GA = dyn_cast<GlobalAlias>(C))
    return pointer(GA->getAliasee());
  if (isa<GlobalValue>(C)) {
    if (auto *GV = dyn_cast<GlobalVariable>(C))
      NewGlobals.push_back(GV);
    return G.newPointer();
  }
  if (auto *GEP = dyn_cast<GEPOperator>(C)) {
    if (pointer(GEP->getPointerOperand()) == NoVar)
      return NoVar;
    Var To = G.newVar();
    addGEP(*GEP, To);
    return To;
  }
  if (auto *CE = dyn_cast<ConstantExpr>(C)) {
    if (CE->isCast() && CE->getOperand(0)->getType()->isPointerTy())
      return pointer(CE->getOperand(0));
    if (CE->getOpcode() == Instruction::IntToPtr) {
      // No memory is in the first page: what points there is a null that is
      // aligned (Rust's empty vectors), and one constant to vectors of all
      // types.
      constexpr uint64_t Page = 4096;
      const auto *Address = dyn_cast<ConstantInt>(CE->getOperand(0));
      const bool Nowhere =
          Address && Address->getValue().ult(Page) &&
          CE->getType()->getScalarType()->getPointerAddressSpace() == 0;
      return Nowhere ? NoVar : G.newPointer();
    }
    return NoVar;
  }
  if (auto *CV = dyn_cast<ConstantVector>(C)) {
    Var To = NoVar;
    for (const Use &Op : CV->operands())
      if (Var From = pointer(Op.get()); From != NoVar) {
        if (To == NoVar)
          To = G.newVar();
        G.addEdge(From, To);
      }
    return To;
  }
  return NoVar; // null, undef, poison
}

ObjectGraph::Var TypeAnalysis::Impl::pointer(const Value *V) {
  assert(isPointerLike(V->getType()));
  if (auto It = Pointers.find(V); It != Pointers.end())
    return It->second;
  Var P = isa<Constant>(V) ? constantPointer(cast<Constant>(V)) : G.newVar();
  Pointers[V] = P;
  return P;
}

ObjectGraph::Var TypeAnalysis::Impl::reg(const Value *V) {
  if (!isRegisterLike(V->getType()))
    return NoVar;
  if (auto It = Registers.find(V); It != Registers.end())
    return It->second;
  auto *C = dyn_cast<Constant>(V);
  if (C && (isa<ConstantData>(C) || V->getType()->isIntegerTy())) {
    // An address in disguise is the one integer constant that matters.
    auto *CE = dyn_cast<ConstantExpr>(C);
    if (!CE || CE->getOpcode() != Instruction::PtrToInt)
      return NoVar;
  }
  Var R = G.newPointer();
  RegisterObjects.insert(G.positionOf(R).Obj);
  Registers[V] = R;
  seedType(R, 0, V->getType(), Trust::Strong, /*Integers=*/false);
  if (C) {
    if (auto *CE = dyn_cast<ConstantExpr>(C)) {
      if (CE->getOpcode() == Instruction::PtrToInt) {
        G.addStore(R, 0, pointer(CE->getOperand(0)));
        seed(R, 0, PointerSize, {ByteKind::Pointer, nullptr}, Trust::Strong);
      }
    } else if (isa<ConstantAggregate>(C)) {
      seedInitialiser(*C, R, 0, 0);
    }
  }
  return R;
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

void TypeAnalysis::Impl::flow(const Value *From, Var To, Type *T) {
  if (isPointerLike(T))
    G.addEdge(pointer(From), To);
  else if (isRegisterLike(T))
    G.unify(reg(From), To);
}

/// V is computed as an integer. Where it meets words out of memory (an enum of
/// numbers and indices), that says nothing of them.
static bool isCounted(const Value *V) {
  auto Counts = [](const Value *I) {
    const auto *O = dyn_cast<BinaryOperator>(I);
    return O && !O->isBitwiseLogicOp() && !O->isShift();
  };
  if (isa<SExtInst, ZExtInst>(V) || Counts(V))
    return true;
  if (const auto *T = dyn_cast<TruncInst>(V))
    return isCounted(T->getOperand(0));
  return isa<PHINode, Argument>(V) && any_of(V->users(), Counts);
}

void TypeAnalysis::Impl::flow(const Value *From, const Value *To) {
  Type *T = To->getType();
  if (From->getType() != T)
    return;
  if (isPointerLike(T))
    G.addEdge(pointer(From), pointer(To));
  else if (isRegisterLike(T) && T->isIntegerTy() && isCounted(From))
    copy(reg(To), 0, reg(From), 0, sizeOf(T));
  else if (isRegisterLike(T))
    G.unify(reg(From), reg(To));
}

void TypeAnalysis::Impl::transferMemory(Var Addr, int64_t Off, const Value *V,
                                        bool IsStore) {
  if (Addr == NoVar)
    return;
  Type *T = V->getType();
  if (isPointerLike(T)) {
    unsigned Lanes = 1;
    if (auto *VT = dyn_cast<FixedVectorType>(T))
      Lanes = VT->getNumElements();
    for (unsigned K = 0; K != Lanes; ++K) {
      int64_t At = Off + int64_t(K) * PointerSize;
      if (IsStore)
        G.addStore(Addr, At, pointer(V));
      else
        G.addLoad(Addr, At, pointer(V));
    }
    return;
  }
  if (!isRegisterLike(T))
    return;
  Var R = reg(V);
  if (IsStore)
    copy(Addr, Off, R, 0, sizeOf(T));
  else
    copy(R, 0, Addr, Off, sizeOf(T));
}

void TypeAnalysis::Impl::transferElement(Var Reg, int64_t Off,
                                         const Value *Element, bool IntoReg) {
  if (isa<UndefValue>(Element))
    return;
  transferMemory(Reg, Off, Element, IntoReg);
}

/// Byte offset of an extractvalue/insertvalue path.
static int64_t offsetOfIndices(const DataLayout &DL, Type *T,
                               ArrayRef<unsigned> Indices) {
  int64_t Off = 0;
  for (unsigned Idx : Indices) {
    if (auto *ST = dyn_cast<StructType>(T)) {
      Off += DL.getStructLayout(ST)->getElementOffset(Idx).getFixedValue();
      T = ST->getElementType(Idx);
    } else {
      T = cast<ArrayType>(T)->getElementType();
      Off += int64_t(Idx) * DL.getTypeAllocSize(T).getFixedValue();
    }
  }
  return Off;
}

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

/// By how much the block that Base is, fresh from an allocation, misses an
/// alignment: `(size_t)p & 63`. An allocator of aligned memory moves all that
/// it hands out by this, and what others see begins there; where the block
/// begins, it keeps nothing but what it is to free.
static bool isMisalignment(const BinaryOperator &And, const Value *Base) {
  const auto *Mask = dyn_cast<ConstantInt>(And.getOperand(1));
  const Value *Address = And.getOperand(0);
  if (const auto *Narrow = dyn_cast<TruncInst>(Address))
    Address = Narrow->getOperand(0);
  const auto *Of = dyn_cast<PtrToIntInst>(Address);
  return Mask && Mask->getValue().isMask() && Of && isNoAliasCall(Base) &&
         Of->getPointerOperand() == Base;
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
    if (isMisalignment(cast<BinaryOperator>(*I), Base))
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

/// Bytes of V (up to 16) that are zero for certain.
static uint32_t zeroBytes(const Value *V, const DataLayout &DL) {
  KnownBits Known = computeKnownBits(V, DL);
  uint32_t Mask = 0;
  for (unsigned B = 0; B * 8 < Known.getBitWidth() && B < 32; ++B) {
    unsigned Bits = std::min(8u, Known.getBitWidth() - B * 8);
    if (Known.Zero.extractBits(Bits, B * 8).isAllOnes())
      Mask |= 1u << B;
  }
  return Mask;
}

/// or, xor, and, disjoint add: whole bytes may pass through untouched.
void TypeAnalysis::Impl::addBitLogic(Instruction &I) {
  auto *T = dyn_cast<IntegerType>(I.getType());
  Value *A = I.getOperand(0), *B = I.getOperand(1);
  if (!T || T->getBitWidth() < 16 || T->getBitWidth() > 256) {
    if (!T || T->getBitWidth() > 8) {
      seedInteger(&I, Trust::Weak);
      seedInteger(A, Trust::Weak);
      seedInteger(B, Trust::Weak);
    }
    return;
  }
  unsigned Bytes = (T->getBitWidth() + 7) / 8;
  Var R = reg(&I);
  // From which operand each byte of the result is copied: 0, 1, none (-1) or
  // mixed (-2).
  SmallVector<int, 16> Source(Bytes, -1);
  if (I.getOpcode() == Instruction::And) {
    auto *C = dyn_cast<ConstantInt>(B);
    for (unsigned K = 0; K != Bytes; ++K) {
      unsigned Bits = std::min(8u, T->getBitWidth() - K * 8);
      if (!C)
        Source[K] = -2;
      else if (APInt M = C->getValue().extractBits(Bits, K * 8); M.isAllOnes())
        Source[K] = 0;
      else if (!M.isZero())
        Source[K] = -2;
    }
  } else {
    uint32_t ZA = zeroBytes(A, DL), ZB = zeroBytes(B, DL);
    for (unsigned K = 0; K != Bytes; ++K) {
      bool NoA = ZA >> K & 1, NoB = ZB >> K & 1;
      Source[K] = NoA && NoB ? -1 : NoB ? 0 : NoA ? 1 : -2;
    }
  }
  bool Mixed = false;
  for (unsigned K = 0; K != Bytes;) {
    unsigned E = K + 1;
    while (E != Bytes && Source[E] == Source[K])
      ++E;
    if (Source[K] >= 0)
      copy(R, K, reg(Source[K] ? B : A), K, E - K);
    Mixed |= Source[K] == -2;
    K = E;
  }
  if (Mixed) {
    seedInteger(&I, Trust::Weak);
    seedInteger(A, Trust::Weak);
    seedInteger(B, Trust::Weak);
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// `int` says little of four bytes that are taken from one place to another:
/// they may be half of a double. Values that meet are one web, which is as much
/// of an integer as any of its uses and sources.
void TypeAnalysis::Impl::findMoves(const Function &F) {
  EquivalenceClasses<const Value *> Webs;
  SmallPtrSet<const Value *, 16> Used;
  auto IsJoint = [](const Value *V) {
    return isa<PHINode, SelectInst, FreezeInst>(V);
  };
  for (const Instruction &I : instructions(F)) {
    if (!I.getType()->isIntegerTy() || !(isa<LoadInst>(I) || IsJoint(&I)))
      continue;
    Webs.insert(&I);
    for (const Use &U : I.uses()) {
      const User *By = U.getUser();
      if (IsJoint(By) && By->getType() == I.getType())
        Webs.unionSets(&I, By);
      else if (const auto *S = dyn_cast<StoreInst>(By);
               !S || S->getValueOperand() != &I)
        Used.insert(&I);
    }
  }
  SmallPtrSet<const Value *, 16> UsedWebs;
  for (const Value *V : Used)
    UsedWebs.insert(Webs.getLeaderValue(V));
  auto OnlyMoves = [&](const Value *V) {
    auto It = Webs.findLeader(V);
    return It != Webs.member_end() && !UsedWebs.contains(*It);
  };
  for (const Instruction &I : instructions(F)) {
    const auto *S = dyn_cast<StoreInst>(&I);
    if ((isa<LoadInst>(I) ? OnlyMoves(&I)
                          : S && OnlyMoves(S->getValueOperand())) &&
        !isDeclaredInteger(I))
      Moves.insert(&I);
  }
}

/// The loaded integer, or what is computed from it, is an index into memory.
static bool isUsedAsIndex(const LoadInst &L) {
  SmallVector<const Value *, 8> Work{&L};
  SmallPtrSet<const Value *, 16> Seen{&L};
  while (!Work.empty() && Seen.size() < 64)
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<GetElementPtrInst>(U))
        return true;
      if (isa<CastInst, PHINode, SelectInst, FreezeInst>(U) ||
          isa<BinaryOperator>(U))
        if (U->getType()->isIntegerTy() && Seen.insert(U).second)
          Work.push_back(U);
    }
  return false;
}

void TypeAnalysis::Impl::findIndices(const Function &F) {
  for (const Instruction &I : instructions(F))
    if (const auto *L = dyn_cast<LoadInst>(&I);
        L && L->getType()->isIntegerTy() &&
        L->getType()->getIntegerBitWidth() >= 32 && isUsedAsIndex(*L))
      IndexPlaces.push_back(pointer(L->getPointerOperand()));
    else if (const Value *P = getLoadStorePointerOperand(&I);
             P && getLoadStoreType(const_cast<Instruction *>(&I))
                      ->isFloatingPointTy())
      FloatPlaces.push_back(pointer(P));
}

bool TypeAnalysis::Impl::isIndexPlace(const Value *P) const {
  // Indices are of four bytes at least: what is seen to step closer says
  // nothing.
  constexpr int64_t Closest = 4;
  Position At = G.positionOf(lookupPointer(P));
  auto Covers = [&](Position Known, Position Place) {
    if (!Known.valid() || Known.Obj != Place.Obj)
      return false;
    if (Known.exact())
      return Place.exact() && Known.Off == Place.Off;
    return Known.Stride >= Closest && Place.Stride % Known.Stride == 0 &&
           (Known.Off - Place.Off) % Known.Stride == 0;
  };
  // Enums of Rust hold numbers and indices by turns: then an index says nothing
  // of the others.
  auto HoldsFloats = [&](Position Place) {
    return any_of(FloatPlaces,
                  [&](Var V) { return Covers(G.positionOf(V), Place); });
  };
  return At.valid() && any_of(IndexPlaces, [&](Var V) {
           Position Known = G.positionOf(V);
           return Covers(Known, At) && !HoldsFloats(Known);
         });
}

/// Where pointers point is known: what moves between indices is integers
/// indeed.
void TypeAnalysis::Impl::settleMoves() {
  SmallVector<const Instruction *, 8> Settled;
  for (Function *F : Functions)
    for (const Instruction &I : instructions(*F))
      if (Moves.contains(&I) && isIndexPlace(getLoadStorePointerOperand(&I)))
        Settled.push_back(&I);
  for (const Instruction *I : Settled) {
    Moves.erase(I);
    G.CurrentOrigin = Origins.lookup(I->getFunction());
    const Value *V =
        isa<LoadInst>(I) ? I : cast<StoreInst>(I)->getValueOperand();
    seedInteger(V, Trust::Strong);
    seed(pointer(getLoadStorePointerOperand(I)), 0, sizeOf(V->getType()),
         {ByteKind::Integer, nullptr}, Trust::Strong);
  }
  G.CurrentOrigin = ObjectGraph::NoOrigin;
}

void TypeAnalysis::Impl::addFunction(Function &F) {
  findMoves(F);
  findIndices(F);
  for (Argument &A : F.args()) {
    if (isPointerLike(A.getType())) {
      Var P = fresh(&A);
      if (Type *T = A.hasByValAttr() ? A.getParamByValType()
                                     : A.getParamStructRetType())
        seedType(P, 0, T, Trust::Weak, T->isStructTy());
    } else {
      reg(&A);
    }
  }
  for (Instruction &I : instructions(F))
    addInstruction(I);
}

void TypeAnalysis::Impl::addInstruction(Instruction &I) {
  Type *T = I.getType();
  if (isa<ScalableVectorType>(T))
    return;
  if (auto *CB = dyn_cast<CallBase>(&I)) {
    addCall(*CB);
    return;
  }
  auto StrongIntegers = [&] {
    seedInteger(&I, Trust::Strong);
    for (Value *Op : I.operands())
      seedInteger(Op, Trust::Strong);
  };
  switch (I.getOpcode()) {
  case Instruction::Alloca: {
    auto &AI = cast<AllocaInst>(I);
    Var P = fresh(&I);
    Type *AT = AI.getAllocatedType();
    if (isa<ScalableVectorType>(AT))
      return;
    Step S;
    if (AI.isArrayAllocation()) {
      S.Stride = DL.getTypeAllocSize(AT);
      S.Above = Position::PosInf;
      seedInteger(AI.getArraySize(), Trust::Strong);
    }
    seedType(P, S, AT, Trust::Weak, AT->isStructTy());
    return;
  }
  case Instruction::GetElementPtr:
    addGEP(cast<GEPOperator>(I), pointer(&I));
    if (T->isPointerTy()) {
      // The element type is only a scale to LLVM, but floats and structs in
      // that place were once written by somebody who meant them.
      auto &GEP = cast<GetElementPtrInst>(I);
      Type *E = GEP.getSourceElementType();
      if (E->isFloatingPointTy() || (E->isStructTy() && E->isSized())) {
        Step S;
        if (!isa<ConstantInt>(GEP.getOperand(1))) {
          S.Stride = DL.getTypeAllocSize(E);
          S.Above = Position::PosInf;
          if (!GEP.hasNoUnsignedWrap())
            S.Below = Position::PosInf;
        }
        seedType(pointer(GEP.getPointerOperand()), S, E, Trust::Weak, true);
      }
    }
    return;
  case Instruction::Load: {
    auto &LI = cast<LoadInst>(I);
    Var P = pointer(LI.getPointerOperand());
    if (I.hasMetadata(CopiesCharacters)) {
      seedInteger(&I, Trust::Strong);
      return;
    }
    seedAccess(I, P, T);
    transferMemory(P, 0, &I, /*IsStore=*/false);
    return;
  }
  case Instruction::Store: {
    auto &SI = cast<StoreInst>(I);
    Value *V = SI.getValueOperand();
    if (isa<ScalableVectorType>(V->getType()))
      return;
    Var P = pointer(SI.getPointerOperand());
    if (I.hasMetadata(CopiesCharacters))
      return;
    seedAccess(I, P, V->getType());
    // What is stored as an integer of a struct is one, whatever else is at both
    // ends of the move by turns (an alternative of a std::variant).
    if (V->getType()->isIntegerTy() && isDeclaredInteger(I))
      seedInteger(V, Trust::Strong);
    transferMemory(P, 0, V, /*IsStore=*/true);
    // A loop that copies elements through an integer is a copy of unknown
    // length: elements keep their phase, which the register cannot tell.
    if (auto *LI = dyn_cast<LoadInst>(V))
      if (V->getType()->isIntegerTy())
        G.addElementLink(P, pointer(LI->getPointerOperand()),
                         sizeOf(V->getType()));
    return;
  }
  case Instruction::AtomicRMW: {
    auto &RMW = cast<AtomicRMWInst>(I);
    if (I.hasMetadata(CopiesCharacters)) {
      seedInteger(&I, Trust::Strong);
      return;
    }
    Var P = pointer(RMW.getPointerOperand());
    seedAccess(I, P, T);
    transferMemory(P, 0, &I, false);
    if (const Value *Kept = keptNumber(RMW))
      transferMemory(P, 0, const_cast<Value *>(Kept), true);
    else if (RMW.getOperation() == AtomicRMWInst::Xchg)
      transferMemory(P, 0, RMW.getValOperand(), true);
    else
      StrongIntegers();
    return;
  }
  case Instruction::AtomicCmpXchg: {
    auto &X = cast<AtomicCmpXchgInst>(I);
    if (I.hasMetadata(CopiesCharacters))
      return;
    Var P = pointer(X.getPointerOperand());
    seedAccess(I, P, X.getNewValOperand()->getType());
    transferMemory(P, 0, X.getNewValOperand(), true);
    transferMemory(P, 0, X.getCompareOperand(), true);
    copy(reg(&I), 0, P, 0, sizeOf(X.getNewValOperand()->getType()));
    return;
  }
  case Instruction::PHI:
    for (Value *Op : cast<PHINode>(I).incoming_values())
      flow(Op, &I);
    if (isRegisterLike(T))
      reg(&I);
    else if (isPointerLike(T))
      pointer(&I);
    return;
  case Instruction::Select:
    flow(I.getOperand(1), &I);
    flow(I.getOperand(2), &I);
    return;
  case Instruction::Freeze:
    flow(I.getOperand(0), &I);
    return;
  case Instruction::Ret:
    if (Value *V = cast<ReturnInst>(I).getReturnValue()) {
      auto [It, New] = Returns.try_emplace(I.getFunction(), NoVar);
      Type *RT = V->getType();
      if (isPointerLike(RT)) {
        if (New || It->second == NoVar)
          Returns[I.getFunction()] = G.newVar();
      } else if (isRegisterLike(RT)) {
        if (New || It->second == NoVar) {
          Var R = G.newPointer();
          RegisterObjects.insert(G.positionOf(R).Obj);
          Returns[I.getFunction()] = R;
        }
      } else {
        return;
      }
      flow(V, Returns[I.getFunction()], RT);
    }
    return;
  case Instruction::BitCast: {
    Value *Op = I.getOperand(0);
    if (Op->getType()->isPointerTy() && T->isPointerTy()) {
      flow(Op, &I);
      return;
    }
    Var From = reg(Op), To = reg(&I);
    if (From != NoVar && To != NoVar) {
      copy(To, 0, From, 0, sizeOf(T));
    } else if (To != NoVar) {
      seedType(To, 0, Op->getType(), Trust::Strong, false);
    } else if (From != NoVar) {
      seedType(From, 0, T, Trust::Strong, false);
    }
    return;
  }
  case Instruction::AddrSpaceCast:
    G.addEdge(pointer(I.getOperand(0)), pointer(&I));
    return;
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
    if (T->isIntegerTy() && sizeOf(T) >= PointerSize) {
      G.addStore(reg(&I), 0, pointer(I.getOperand(0)));
      seed(reg(&I), 0, PointerSize, {ByteKind::Pointer, nullptr},
           Trust::Strong);
    } else {
      seedInteger(&I, Trust::Strong);
    }
    return;
  case Instruction::IntToPtr: {
    Var R = reg(I.getOperand(0));
    if (R == NoVar || !T->isPointerTy()) {
      fresh(&I);
      return;
    }
    G.addLoad(R, 0, pointer(&I));
    seed(R, 0, PointerSize, {ByteKind::Pointer, nullptr}, Trust::Strong);
    return;
  }
  case Instruction::Trunc:
    if (T->isIntegerTy())
      copy(reg(&I), 0, reg(I.getOperand(0)), 0, T->getIntegerBitWidth() / 8);
    else
      StrongIntegers();
    return;
  case Instruction::ZExt:
    if (T->isIntegerTy()) {
      unsigned Bits = I.getOperand(0)->getType()->getIntegerBitWidth();
      copy(reg(&I), 0, reg(I.getOperand(0)), 0, Bits / 8);
      if (Bits < 8)
        seedInteger(&I, Trust::Strong);
    } else {
      StrongIntegers();
    }
    return;
  case Instruction::Shl:
  case Instruction::LShr: {
    auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
    int64_t Size = sizeOf(T);
    if (T->isIntegerTy() && C && C->getValue().ult(Size * 8) &&
        C->getZExtValue() % 8 == 0) {
      int64_t K = C->getZExtValue() / 8;
      if (I.getOpcode() == Instruction::Shl)
        copy(reg(&I), K, reg(I.getOperand(0)), 0, Size - K);
      else
        copy(reg(&I), 0, reg(I.getOperand(0)), K, Size - K);
      return;
    }
    seedInteger(&I, Trust::Strong);
    seedInteger(I.getOperand(0), Trust::Weak);
    seedInteger(I.getOperand(1), Trust::Strong);
    return;
  }
  case Instruction::AShr:
    seedInteger(&I, Trust::Strong);
    seedInteger(I.getOperand(0), Trust::Weak);
    seedInteger(I.getOperand(1), Trust::Strong);
    return;
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::And:
    addBitLogic(I);
    return;
  case Instruction::Add:
  case Instruction::Sub:
    // Address arithmetic spelled in integers is no use as a number.
    if (any_of(I.users(), [](User *U) { return isa<IntToPtrInst>(U); })) {
      reg(&I);
      return;
    }
    StrongIntegers();
    return;
  case Instruction::Mul:
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::SExt:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::Switch:
    StrongIntegers();
    return;
  case Instruction::ICmp: {
    auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
    bool SignOrZero = C && (C->isZero() || C->isMinusOne());
    if (!SignOrZero) {
      seedInteger(I.getOperand(0), Trust::Weak);
      seedInteger(I.getOperand(1), Trust::Weak);
    }
    if (I.getOperand(0)->getType()->isPointerTy()) {
      pointer(I.getOperand(0));
      pointer(I.getOperand(1));
    }
    return;
  }
  case Instruction::ExtractValue: {
    auto &EV = cast<ExtractValueInst>(I);
    Value *Agg = EV.getAggregateOperand();
    transferElement(reg(Agg),
                    offsetOfIndices(DL, Agg->getType(), EV.getIndices()), &I,
                    /*IntoReg=*/false);
    return;
  }
  case Instruction::InsertValue: {
    auto &IV = cast<InsertValueInst>(I);
    Value *Element = IV.getInsertedValueOperand();
    int64_t Off = offsetOfIndices(DL, T, IV.getIndices());
    int64_t Size = DL.getTypeAllocSize(Element->getType());
    Var R = reg(&I);
    transferElement(R, Off, Element, /*IntoReg=*/true);
    if (Var A = reg(IV.getAggregateOperand()); A != NoVar) {
      copy(R, 0, A, 0, Off);
      copy(R, Off + Size, A, Off + Size,
           std::max<int64_t>(sizeOf(T) - Off - Size, 0));
    }
    return;
  }
  case Instruction::ExtractElement:
  case Instruction::InsertElement: {
    bool Insert = I.getOpcode() == Instruction::InsertElement;
    Value *Vec = I.getOperand(0);
    seedInteger(I.getOperand(Insert ? 2 : 1), Trust::Strong);
    auto *VT = dyn_cast<FixedVectorType>(Vec->getType());
    if (!VT)
      return;
    if (isPointerLike(VT)) {
      G.addEdge(pointer(Vec), pointer(&I));
      if (Insert)
        G.addEdge(pointer(I.getOperand(1)), pointer(&I));
      return;
    }
    Type *ET = VT->getElementType();
    if (!ET->isIntegerTy() || ET->getIntegerBitWidth() % 8)
      return;
    int64_t Each = ET->getIntegerBitWidth() / 8;
    auto *Idx = dyn_cast<ConstantInt>(I.getOperand(Insert ? 2 : 1));
    for (unsigned K = 0; K != VT->getNumElements(); ++K) {
      bool This = !Idx || Idx->getValue() == K;
      if (Insert) {
        if (This)
          copy(reg(&I), K * Each, reg(I.getOperand(1)), 0, Each);
        if (!Idx || !This)
          copy(reg(&I), K * Each, reg(Vec), K * Each, Each);
      } else if (This) {
        copy(reg(&I), 0, reg(Vec), K * Each, Each);
      }
    }
    return;
  }
  case Instruction::ShuffleVector: {
    auto &SV = cast<ShuffleVectorInst>(I);
    if (isPointerLike(T)) {
      G.addEdge(pointer(SV.getOperand(0)), pointer(&I));
      G.addEdge(pointer(SV.getOperand(1)), pointer(&I));
      return;
    }
    Type *ET = cast<VectorType>(T)->getElementType();
    if (!ET->isIntegerTy() || ET->getIntegerBitWidth() % 8)
      return;
    int64_t Each = ET->getIntegerBitWidth() / 8;
    int N =
        cast<FixedVectorType>(SV.getOperand(0)->getType())->getNumElements();
    ArrayRef<int> Mask = SV.getShuffleMask();
    for (unsigned K = 0; K != Mask.size(); ++K) {
      if (Mask[K] < 0)
        continue;
      bool Second = Mask[K] >= N;
      copy(reg(&I), K * Each, reg(SV.getOperand(Second)),
           (Mask[K] - (Second ? N : 0)) * Each, Each);
    }
    return;
  }
  default:
    if (isPointerLike(T))
      fresh(&I); // landing pads, va_arg: memory from somewhere else
    else
      reg(&I);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Empty classes (allocators, comparators, functors) are passed by addresses
/// in the middle of whatever holds them. Letting those addresses flow would
/// merge unrelated objects at odd offsets, for nothing.
void TypeAnalysis::Impl::findInert() {
  for (Function *F : Functions)
    for (Argument &A : F->args())
      if (A.getType()->isPointerTy())
        Inert.insert(&A);
  auto LooksThrough = [&](const Argument &A) {
    SmallPtrSet<const Value *, 8> Seen;
    SmallVector<const Value *, 8> Work{&A};
    while (!Work.empty()) {
      const Value *V = Work.pop_back_val();
      if (!Seen.insert(V).second)
        continue;
      for (const Use &U : V->uses()) {
        auto *I = dyn_cast<Instruction>(U.getUser());
        if (!I)
          return true;
        if (isa<ICmpInst>(I) || I->isDebugOrPseudoInst())
          continue;
        if (isa<GetElementPtrInst, PHINode, SelectInst, BitCastInst,
                AddrSpaceCastInst>(I)) {
          Work.push_back(I);
          continue;
        }
        auto *CB = dyn_cast<CallBase>(I);
        if (!CB || !CB->isArgOperand(&U))
          return true;
        if (auto *II = dyn_cast<IntrinsicInst>(CB)) {
          if (II->isLifetimeStartOrEnd() ||
              II->getIntrinsicID() == Intrinsic::assume)
            continue;
          return true;
        }
        Function *Body = CB->getCalledFunction();
        if (Body && !InSet.contains(Body))
          Body = PreparedOf(Body);
        unsigned N = CB->getArgOperandNo(&U);
        if (!Body || N >= Body->arg_size() || !Inert.contains(Body->getArg(N)))
          return true;
      }
    }
    return false;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Function *F : Functions)
      for (Argument &A : F->args())
        if (Inert.contains(&A) && LooksThrough(A)) {
          Inert.erase(&A);
          Changed = true;
        }
  }
}

/// True if II was dealt with; otherwise it is a call like any other.
bool TypeAnalysis::Impl::addIntrinsic(IntrinsicInst &II) {
  auto Length = [&](Value *Len) {
    seedInteger(Len, Trust::Strong);
    auto *C = dyn_cast<ConstantInt>(Len);
    return C ? int64_t(C->getZExtValue()) : ObjectGraph::Unbounded;
  };
  if (auto *MT = dyn_cast<MemTransferInst>(&II)) {
    Var Dst = pointer(MT->getRawDest()), Src = pointer(MT->getRawSource());
    int64_t Bytes = Length(MT->getLength());
    Accessed.push_back(Dst);
    Accessed.push_back(Src);
    if (II.hasMetadata(CopiesCharacters))
      return true;
    if (MDNode *Elements = II.getMetadata(CopiesElements)) {
      seedLayout(Elements, Dst, Bytes);
      seedLayout(Elements, Src, Bytes);
      // Numbers lead nowhere, and both ends know what they are.
      if (all_of(readLayout(Elements),
                 [](const Placed &P) { return P.Kind.K == ByteKind::Float; }))
        return true;
    }
    copy(Dst, 0, Src, 0, Bytes);
    if (MDNode *Layout = II.getMetadata("rg.layout")) {
      seedLayout(Layout, Dst, Bytes);
      seedLayout(Layout, Src, Bytes);
    }
    if (MDNode *Fields = II.getMetadata(LLVMContext::MD_tbaa_struct)) {
      seedTBAAStruct(Fields, Dst);
      seedTBAAStruct(Fields, Src);
    } else if (MDNode *Tag = II.getMetadata(LLVMContext::MD_tbaa)) {
      seedTBAA(Tag, Dst, nullptr);
      seedTBAA(Tag, Src, nullptr);
    }
    return true;
  }
  if (auto *MS = dyn_cast<MemSetInst>(&II)) {
    pointer(MS->getRawDest());
    Length(MS->getLength());
    return true;
  }
  switch (II.getIntrinsicID()) {
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::threadlocal_address:
  case Intrinsic::ptrmask:
  case Intrinsic::ptr_annotation:
  case Intrinsic::ssa_copy:
  case Intrinsic::expect:
    flow(II.getArgOperand(0), &II);
    return true;
  case Intrinsic::masked_load: {
    Var P = pointer(II.getArgOperand(0));
    seedAccess(II, P, II.getType());
    transferMemory(P, 0, &II, false);
    if (!isa<UndefValue>(II.getArgOperand(2)))
      flow(II.getArgOperand(2), &II);
    return true;
  }
  case Intrinsic::masked_store: {
    Var P = pointer(II.getArgOperand(1));
    seedAccess(II, P, II.getArgOperand(0)->getType());
    transferMemory(P, 0, II.getArgOperand(0), true);
    return true;
  }
  case Intrinsic::masked_gather: {
    Var P = pointer(II.getArgOperand(0));
    Type *E = cast<VectorType>(II.getType())->getElementType();
    seedAccess(II, P, E);
    if (isPointerLike(II.getType()))
      G.addLoad(P, 0, pointer(&II));
    else if (E->isIntegerTy())
      for (unsigned K = 0,
                    N = cast<FixedVectorType>(II.getType())->getNumElements();
           K != N; ++K)
        copy(reg(&II), K * sizeOf(E), P, 0, sizeOf(E));
    return true;
  }
  case Intrinsic::masked_scatter: {
    Value *V = II.getArgOperand(0);
    Var P = pointer(II.getArgOperand(1));
    Type *E = cast<VectorType>(V->getType())->getElementType();
    seedAccess(II, P, E);
    if (isPointerLike(V->getType()))
      G.addStore(P, 0, pointer(V));
    else if (E->isIntegerTy() && reg(V) != NoVar)
      for (unsigned K = 0,
                    N = cast<FixedVectorType>(V->getType())->getNumElements();
           K != N; ++K)
        copy(P, 0, reg(V), K * sizeOf(E), sizeOf(E));
    return true;
  }
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    seedInteger(&II, Trust::Weak);
    for (Value *Op : II.args())
      seedInteger(Op, Trust::Weak);
    return true;
  default:
    break;
  }
  if (isPointerLike(II.getType()))
    return false;
  // What is left computes with the integers it takes and returns.
  seedInteger(&II, Trust::Strong);
  for (Value *Op : II.args()) {
    if (isPointerLike(Op->getType()))
      pointer(Op);
    else if (!Op->getType()->isMetadataTy())
      seedInteger(Op, Trust::Strong);
  }
  return true;
}

void TypeAnalysis::Impl::addCall(CallBase &CB) {
  if (auto *II = dyn_cast<IntrinsicInst>(&CB))
    if (addIntrinsic(*II))
      return;
  Type *T = CB.getType();
  for (Value *Op : CB.args()) {
    if (isPointerLike(Op->getType()))
      pointer(Op);
    else
      reg(Op);
  }
  auto *Callee = dyn_cast<Function>(CB.getCalledOperand()->stripPointerCasts());
  if (!Callee && CB.getCalledOperand()->getType()->isPointerTy())
    pointer(CB.getCalledOperand());
  Function *Body = nullptr;
  if (Callee) {
    Body = InSet.contains(Callee) ? Callee : PreparedOf(Callee);
    if (Body && !InSet.contains(Body))
      Body = nullptr;
  }
  if (Body) {
    for (Argument &A : Body->args())
      if (A.getArgNo() < CB.arg_size() && !Inert.contains(&A))
        flow(CB.getArgOperand(A.getArgNo()), &A);
    if (Body->getReturnType() == T && !T->isVoidTy()) {
      if (isPointerLike(T)) {
        Var &R = Returns.try_emplace(Body, NoVar).first->second;
        if (R == NoVar)
          R = G.newVar();
        G.addEdge(R, pointer(&CB));
      } else if (isRegisterLike(T)) {
        Var R = Returns.try_emplace(Body, NoVar).first->second;
        if (R == NoVar) {
          R = G.newPointer();
          RegisterObjects.insert(G.positionOf(R).Obj);
          Returns[Body] = R;
        }
        G.unify(R, reg(&CB));
      }
    } else if (isPointerLike(T)) {
      fresh(&CB);
    }
    return;
  }
  if (Value *Ret = CB.getReturnedArgOperand())
    flow(Ret, &CB);
  if (MDNode *Layout = CB.getMetadata("rg.layout")) { // what the user told
    auto *Bytes = cast<ConstantInt>(CB.getArgOperand(1));
    seedLayout(Layout, pointer(CB.getArgOperand(0)),
               Bytes->isMinusOne() ? ObjectGraph::Unbounded
                                   : int64_t(Bytes->getZExtValue()));
    return;
  }
  const OperationRecord *Op = Cat.lookup(CB);
  if (!Op) {
    if (isPointerLike(T))
      fresh(&CB);
    else
      reg(&CB);
    return;
  }
  switch (Op->Handler) {
  case HandlerKind::MemCpy:
  case HandlerKind::MemMove: {
    if (CB.arg_size() < 3)
      break;
    auto *Len = dyn_cast<ConstantInt>(CB.getArgOperand(2));
    seedInteger(CB.getArgOperand(2), Trust::Strong);
    copy(pointer(CB.getArgOperand(0)), 0, pointer(CB.getArgOperand(1)), 0,
         Len ? int64_t(Len->getZExtValue()) : ObjectGraph::Unbounded);
    flow(CB.getArgOperand(0), &CB);
    return;
  }
  case HandlerKind::MemSet:
    flow(CB.getArgOperand(0), &CB);
    return;
  case HandlerKind::Realloc:
    // What it was remains what it is: one object, whichever address it has.
    if (isPointerLike(T)) {
      fresh(&CB);
      flow(CB.getArgOperand(0), &CB);
    }
    for (Value *Arg : CB.args())
      seedInteger(Arg, Trust::Strong);
    return;
  default:
    break;
  }
  if (isPointerLike(T))
    fresh(&CB);
  if (Op->Class == RuleClass::Rule && !Op->Given)
    for (unsigned N = 0; N != CB.arg_size(); ++N)
      if (char Element = elementBehind(CB, N, *Op);
          Element == 'D' || Element == 'G') {
        Type *E = Element == 'D' ? Type::getDoubleTy(CB.getContext())
                                 : Type::getFloatTy(CB.getContext());
        Step S;
        S.Stride = DL.getTypeAllocSize(E).getFixedValue();
        S.Above = Position::PosInf;
        Trust Level = Trust::Strong;
        // The count of a message stands before its datatype. Where it is not
        // constant, what lies behind the numbers may be something else.
        if (unsigned At = Op->memoryBehind(N).TypeAt) {
          auto *Count = dyn_cast<ConstantInt>(CB.getArgOperand(At - 1));
          if (Count && Count->getSExtValue() < 1)
            continue;
          if (Count)
            S.Above = (Count->getSExtValue() - 1) * S.Stride;
          else
            Level = Trust::Weak;
        }
        seedType(pointer(CB.getArgOperand(N)), S, E, Level,
                 /*Integers=*/false);
      }
  // Library routines take and return numbers where they take integers.
  seedInteger(&CB, Trust::Strong);
  for (Value *Arg : CB.args())
    seedInteger(Arg, Trust::Strong);
}
