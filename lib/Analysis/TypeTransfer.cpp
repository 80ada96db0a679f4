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
// Calls are in TypeCalls.cpp, computed addresses in TypeAddresses.cpp.
//
//===----------------------------------------------------------------------===//

#include "Analysis/KeptNumber.h"
#include "Analysis/TypeModel.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/SaveAndRestore.h"

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
  SaveAndRestore About(G.CurrentSource);
  if (isa<Constant>(V))
    G.CurrentSource = sourceOf(V);
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
  SaveAndRestore About(G.CurrentSource, sourceOf(V));
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
                                        bool IsStore, bool WithPointers) {
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
    G.addLink(Addr, Off, R, 0, sizeOf(T), WithPointers);
  else
    G.addLink(R, 0, Addr, Off, sizeOf(T), WithPointers);
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
      const APInt M = C ? C->getValue().extractBits(Bits, K * 8) : APInt();
      Source[K] = !C ? -2 : M.isAllOnes() ? 0 : M.isZero() ? -1 : -2;
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

void TypeAnalysis::Impl::addFunction(Function &F) {
  findMoves(F);
  findIndices(F);
  for (Argument &A : F.args()) {
    G.CurrentSource = sourceOf(&A);
    if (isPointerLike(A.getType())) {
      Var P =
          Called.contains(&F) && !Inert.contains(&A) ? pointer(&A) : fresh(&A);
      if (Type *T = A.hasByValAttr() ? A.getParamByValType()
                                     : A.getParamStructRetType())
        seedType(P, 0, T, Trust::Weak, T->isStructTy());
    } else {
      reg(&A);
    }
  }
  for (Instruction &I : instructions(F)) {
    G.CurrentSource = sourceOf(&I);
    addInstruction(I);
  }
  G.CurrentSource = ObjectGraph::NoOrigin;
}

void TypeAnalysis::Impl::addInstruction(Instruction &I) {
  if (!isa<ScalableVectorType>(I.getType()))
    visit(I);
}

/// I computes an integer from integers.
void TypeAnalysis::Impl::seedIntegers(Instruction &I) {
  seedInteger(&I, Trust::Strong);
  for (Value *Op : I.operands())
    seedInteger(Op, Trust::Strong);
}

void TypeAnalysis::Impl::visitAllocaInst(AllocaInst &AI) {
  Var P = fresh(&AI);
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
}

void TypeAnalysis::Impl::visitGetElementPtrInst(GetElementPtrInst &GEP) {
  addGEP(cast<GEPOperator>(GEP), pointer(&GEP));
  if (!GEP.getType()->isPointerTy())
    return;
  // The element type is only a scale to LLVM, but floats and structs in that
  // place were once written by somebody who meant them.
  Type *E = GEP.getSourceElementType();
  if (!E->isFloatingPointTy() && !(E->isStructTy() && E->isSized()))
    return;
  Step S;
  if (!isa<ConstantInt>(GEP.getOperand(1))) {
    S.Stride = DL.getTypeAllocSize(E);
    S.Above = Position::PosInf;
    if (!GEP.hasNoUnsignedWrap())
      S.Below = Position::PosInf;
  }
  seedType(pointer(GEP.getPointerOperand()), S, E, Trust::Weak, true);
}

/// All that becomes of L are indices into memory and comparisons.
static bool isOnlyIndex(const LoadInst &L) {
  constexpr unsigned Most = 64;
  if (!L.getType()->isIntegerTy())
    return false;
  bool Indexes = false;
  SmallVector<const Value *, 8> Work{&L};
  SmallPtrSet<const Value *, 16> Seen{&L};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    for (const Use &U : V->uses()) {
      const auto *By = cast<Instruction>(U.getUser());
      if (isa<GetElementPtrInst>(By)) {
        Indexes = true;
        continue;
      }
      if (isa<ICmpInst, SwitchInst>(By))
        continue;
      const auto *Op = dyn_cast<BinaryOperator>(By);
      if (!(Op ? !Op->isBitwiseLogicOp() && !Op->isShift()
               : isa<ZExtInst, SExtInst, TruncInst, PHINode, FreezeInst,
                     SelectInst>(By)) ||
          !By->getType()->isIntegerTy())
        return false;
      if (Seen.insert(By).second)
        Work.push_back(By);
    }
    if (Seen.size() > Most)
      return false;
  }
  return Indexes;
}

/// V is an index into memory, as it is or widened.
static bool indexes(const Value *V) {
  return any_of(V->users(), [](const User *By) {
    return isa<GetElementPtrInst>(By) ||
           (isa<ZExtInst, SExtInst>(By) && indexes(By));
  });
}

/// The type that the front end gives the access is an integer's.
bool TypeAnalysis::Impl::hasIntegerTag(const Instruction &Access) const {
  const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa);
  const auto *Type = Tag && Tag->getNumOperands() >= 3
                         ? dyn_cast<MDNode>(Tag->getOperand(1))
                         : nullptr;
  return Type && kindOfTBAA(Type).K == ByteKind::Integer;
}

/// The front end says that the access is one of an integer.
bool TypeAnalysis::Impl::isTaggedInteger(const Instruction &Access) const {
  return getLoadStoreType(&Access)->isIntegerTy() &&
         (hasFact(Access, SourceFact::Integer) || hasIntegerTag(Access));
}

/// What is known for an integer as soon as it is loaded. No pointer is moved by
/// it, wherever it comes from: an array of indices, of which no end is known,
/// and behind which the struct goes on with pointers.
bool TypeAnalysis::Impl::isIndex(const Value *V) const {
  const auto *L = dyn_cast<LoadInst>(V);
  return L && (isOnlyIndex(*L) || (isTaggedInteger(*L) && indexes(L)));
}

/// The type of the number whose bits Load reads as an integer, by its tag.
static Type *numberReadAsBits(const LoadInst &Load) {
  const StringRef Name = accessTypeName(Load);
  LLVMContext &C = Load.getContext();
  if (Name == "double" && Load.getType()->isIntegerTy(64))
    return Type::getDoubleTy(C);
  return Name == "float" && Load.getType()->isIntegerTy(32)
             ? Type::getFloatTy(C)
             : nullptr;
}

/// The integer V is, on some way, the bits of a double that this function
/// makes, or reads as a double.
static bool isBitsOfNumber(const Value &V) {
  constexpr unsigned Most = 32;
  SmallSetVector<const Value *, 8> Words;
  Words.insert(&V);
  for (unsigned I = 0; I != Words.size() && I != Most; ++I) {
    if (const auto *C = dyn_cast<BitCastInst>(Words[I]);
        C && C->getSrcTy()->isFloatingPointTy())
      return true;
    if (const auto *Load = dyn_cast<LoadInst>(Words[I]);
        Load && numberReadAsBits(*Load))
      return true;
    if (isa<PHINode, SelectInst, FreezeInst>(Words[I]))
      for (const Value *From : cast<User>(Words[I])->operand_values())
        if (From->getType() == V.getType())
          Words.insert(From);
  }
  return false;
}

void TypeAnalysis::Impl::visitLoadInst(LoadInst &LI) {
  Type *T = LI.getType();
  Var P = pointer(LI.getPointerOperand());
  if (hasFact(LI, SourceFact::Characters)) {
    seedInteger(&LI, Trust::Strong);
    return;
  }
  seedAccess(LI, P, T);
  if (Type *Number = numberReadAsBits(LI))
    seed(reg(&LI), 0, sizeOf(T), {ByteKind::Float, Number}, Trust::Strong);
  else if (TypeAnalysis::readsPlainMember(LI))
    seedInteger(&LI, Trust::Strong);
  transferMemory(P, 0, &LI, /*IsStore=*/false, /*WithPointers=*/!isIndex(&LI));
}

void TypeAnalysis::Impl::visitStoreInst(StoreInst &SI) {
  Value *V = SI.getValueOperand();
  if (isa<ScalableVectorType>(V->getType()))
    return;
  Var P = pointer(SI.getPointerOperand());
  if (hasFact(SI, SourceFact::Characters))
    return;
  seedAccess(SI, P, V->getType());
  // What is stored as an integer of a struct is one, whatever else is at both
  // ends of the move by turns (an alternative of a std::variant).
  if (V->getType()->isIntegerTy() && isDeclaredInteger(SI) &&
      !isBitsOfNumber(*V))
    seedInteger(V, Trust::Strong);
  const bool WithPointers =
      !isTaggedInteger(SI) || !(isIndex(V) || isCounted(V));
  transferMemory(P, 0, V, /*IsStore=*/true, WithPointers);
  // A loop that copies elements through an integer is a copy of unknown
  // length: elements keep their phase, which the register cannot tell.
  if (auto *LI = dyn_cast<LoadInst>(V))
    if (V->getType()->isIntegerTy() && WithPointers)
      G.addElementLink(P, pointer(LI->getPointerOperand()),
                       sizeOf(V->getType()));
}

void TypeAnalysis::Impl::visitAtomicRMWInst(AtomicRMWInst &RMW) {
  Type *T = RMW.getType();
  Var P = pointer(RMW.getPointerOperand());
  if (hasFact(RMW, SourceFact::Characters)) {
    if (hasFact(RMW, SourceFact::Integer))
      seedAccess(RMW, P, T);
    seedInteger(&RMW, Trust::Strong);
    return;
  }
  seedAccess(RMW, P, T);
  transferMemory(P, 0, &RMW, false);
  if (const Value *Kept = keptNumber(RMW))
    transferMemory(P, 0, const_cast<Value *>(Kept), true);
  else if (RMW.getOperation() == AtomicRMWInst::Xchg)
    transferMemory(P, 0, RMW.getValOperand(), true);
  else
    seedIntegers(RMW);
}

void TypeAnalysis::Impl::visitAtomicCmpXchgInst(AtomicCmpXchgInst &X) {
  Var P = pointer(X.getPointerOperand());
  if (hasFact(X, SourceFact::Characters)) {
    if (hasFact(X, SourceFact::Integer))
      seedAccess(X, P, X.getNewValOperand()->getType());
    return;
  }
  seedAccess(X, P, X.getNewValOperand()->getType());
  transferMemory(P, 0, X.getNewValOperand(), true);
  transferMemory(P, 0, X.getCompareOperand(), true);
  copy(reg(&X), 0, P, 0, sizeOf(X.getNewValOperand()->getType()));
}

void TypeAnalysis::Impl::visitPHINode(PHINode &I) {
  Type *T = I.getType();
  for (Value *Op : I.incoming_values())
    flow(Op, &I);
  if (isRegisterLike(T))
    reg(&I);
  else if (isPointerLike(T))
    pointer(&I);
}

void TypeAnalysis::Impl::visitSelectInst(SelectInst &I) {
  flow(I.getOperand(1), &I);
  flow(I.getOperand(2), &I);
}

void TypeAnalysis::Impl::visitFreezeInst(FreezeInst &I) {
  flow(I.getOperand(0), &I);
}

void TypeAnalysis::Impl::visitReturnInst(ReturnInst &I) {
  Value *V = I.getReturnValue();
  if (!V)
    return;
  Var &Returned = Returns.try_emplace(I.getFunction(), NoVar).first->second;
  Type *T = V->getType();
  if (!isPointerLike(T) && !isRegisterLike(T))
    return;
  if (Returned == NoVar) {
    if (isPointerLike(T)) {
      Returned = G.newVar();
    } else {
      Returned = G.newPointer();
      RegisterObjects.insert(G.positionOf(Returned).Obj);
    }
  }
  flow(V, Returned, T);
}

void TypeAnalysis::Impl::visitBitCastInst(BitCastInst &I) {
  Type *T = I.getType();
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
}

void TypeAnalysis::Impl::visitAddrSpaceCastInst(AddrSpaceCastInst &I) {
  G.addEdge(pointer(I.getOperand(0)), pointer(&I));
}

void TypeAnalysis::Impl::addAddress(CastInst &I) {
  Type *T = I.getType();
  if (T->isIntegerTy() && sizeOf(T) >= PointerSize) {
    G.addStore(reg(&I), 0, pointer(I.getOperand(0)));
    seed(reg(&I), 0, PointerSize, {ByteKind::Pointer, nullptr}, Trust::Strong);
  } else {
    seedInteger(&I, Trust::Strong);
  }
}

void TypeAnalysis::Impl::visitIntToPtrInst(IntToPtrInst &I) {
  Type *T = I.getType();
  Var R = reg(I.getOperand(0));
  if (R == NoVar || !T->isPointerTy()) {
    fresh(&I);
    return;
  }
  G.addLoad(R, 0, pointer(&I));
  seed(R, 0, PointerSize, {ByteKind::Pointer, nullptr}, Trust::Strong);
}

void TypeAnalysis::Impl::visitTruncInst(TruncInst &I) {
  Type *T = I.getType();
  if (T->isIntegerTy())
    copy(reg(&I), 0, reg(I.getOperand(0)), 0, T->getIntegerBitWidth() / 8);
  else
    seedIntegers(I);
}

void TypeAnalysis::Impl::visitZExtInst(ZExtInst &I) {
  Type *T = I.getType();
  if (T->isIntegerTy()) {
    unsigned Bits = I.getOperand(0)->getType()->getIntegerBitWidth();
    copy(reg(&I), 0, reg(I.getOperand(0)), 0, Bits / 8);
    if (Bits < 8)
      seedInteger(&I, Trust::Strong);
  } else {
    seedIntegers(I);
  }
}

void TypeAnalysis::Impl::addShift(BinaryOperator &I) {
  Type *T = I.getType();
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
  visitAShr(I);
}

void TypeAnalysis::Impl::visitAShr(BinaryOperator &I) {
  seedInteger(&I, Trust::Strong);
  seedInteger(I.getOperand(0), Trust::Weak);
  seedInteger(I.getOperand(1), Trust::Strong);
}

void TypeAnalysis::Impl::addSum(BinaryOperator &I) {
  // Address arithmetic spelled in integers is no use as a number.
  if (any_of(I.users(), [](User *U) { return isa<IntToPtrInst>(U); })) {
    reg(&I);
    return;
  }
  seedIntegers(I);
}

void TypeAnalysis::Impl::visitICmpInst(ICmpInst &I) {
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
}

void TypeAnalysis::Impl::visitExtractValueInst(ExtractValueInst &EV) {
  Value *Agg = EV.getAggregateOperand();
  transferElement(reg(Agg),
                  offsetOfIndices(DL, Agg->getType(), EV.getIndices()), &EV,
                  /*IntoReg=*/false);
}

void TypeAnalysis::Impl::visitInsertValueInst(InsertValueInst &IV) {
  Type *T = IV.getType();
  Value *Element = IV.getInsertedValueOperand();
  int64_t Off = offsetOfIndices(DL, T, IV.getIndices());
  int64_t Size = DL.getTypeAllocSize(Element->getType());
  Var R = reg(&IV);
  transferElement(R, Off, Element, /*IntoReg=*/true);
  if (Var A = reg(IV.getAggregateOperand()); A != NoVar) {
    copy(R, 0, A, 0, Off);
    copy(R, Off + Size, A, Off + Size,
         std::max<int64_t>(sizeOf(T) - Off - Size, 0));
  }
}

void TypeAnalysis::Impl::addElement(Instruction &I) {
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
}

void TypeAnalysis::Impl::visitShuffleVectorInst(ShuffleVectorInst &SV) {
  Type *T = SV.getType();
  if (isPointerLike(T)) {
    G.addEdge(pointer(SV.getOperand(0)), pointer(&SV));
    G.addEdge(pointer(SV.getOperand(1)), pointer(&SV));
    return;
  }
  Type *ET = cast<VectorType>(T)->getElementType();
  if (!ET->isIntegerTy() || ET->getIntegerBitWidth() % 8)
    return;
  int64_t Each = ET->getIntegerBitWidth() / 8;
  int N = cast<FixedVectorType>(SV.getOperand(0)->getType())->getNumElements();
  ArrayRef<int> Mask = SV.getShuffleMask();
  for (unsigned K = 0; K != Mask.size(); ++K) {
    if (Mask[K] < 0)
      continue;
    bool Second = Mask[K] >= N;
    copy(reg(&SV), K * Each, reg(SV.getOperand(Second)),
         (Mask[K] - (Second ? N : 0)) * Each, Each);
  }
}

void TypeAnalysis::Impl::visitInstruction(Instruction &I) {
  Type *T = I.getType();
  if (isPointerLike(T))
    fresh(&I); // landing pads, va_arg: memory from somewhere else
  else
    reg(&I);
}
