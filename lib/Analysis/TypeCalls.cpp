//===- TypeCalls.cpp - how calls move pointers and bytes ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of analysed functions join arguments with parameters and results with
// results. Intrinsics and library routines move what their record says. What is
// unknown returns memory of its own.
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeModel.h"
#include "Catalogue/Catalogue.h"
#include "Support/SourceFact.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

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

Function *TypeAnalysis::Impl::bodyOf(const CallBase &CB) const {
  auto *Callee = dyn_cast<Function>(CB.getCalledOperand()->stripPointerCasts());
  if (!Callee)
    return nullptr;
  Function *Body = InSet.contains(Callee) ? Callee : PreparedOf(Callee);
  return Body && InSet.contains(Body) ? Body : nullptr;
}

void TypeAnalysis::Impl::findCalled() {
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F))
      if (const auto *CB = dyn_cast<CallBase>(&I))
        if (const Function *Body = bodyOf(*CB))
          Called.insert(Body);
  // Its parameters are the caller's memory, whoever else calls it.
  Called.erase(Functions.front());
}

bool TypeAnalysis::isCount(const Argument &A) const {
  SmallVector<const Value *, 16> Pending{&A};
  SmallPtrSet<const Value *, 16> Seen;
  auto AreIntegers = [](ArrayRef<TypedLeaf> Leaves) {
    return !Leaves.empty() && all_of(Leaves, [](const TypedLeaf &L) {
      return L.Kind.K == ByteKind::Integer;
    });
  };
  while (!Pending.empty()) {
    const Value *V = Pending.pop_back_val();
    if (isa<ConstantInt, UndefValue>(V) || !Seen.insert(V).second)
      continue;
    if (!V->getType()->isIntegerTy() || !AreIntegers(leavesOf(V)))
      return false;
    if (const auto *Param = dyn_cast<Argument>(V)) {
      for (const Function *F : I->Functions)
        for (const Instruction &Inst : instructions(*F))
          if (const auto *CB = dyn_cast<CallBase>(&Inst);
              CB && I->bodyOf(*CB) == Param->getParent()) {
            if (Param->getArgNo() >= CB->arg_size())
              return false;
            Pending.push_back(CB->getArgOperand(Param->getArgNo()));
          }
    } else if (const auto *Load = dyn_cast<LoadInst>(V)) {
      // Where pointers may lie, evidence of numbers does not come by copies.
      const Value *P = Load->getPointerOperand();
      const ObjectId O = objectOf(P);
      const uint64_t Size = I->DL.getTypeStoreSize(V->getType());
      const bool Declared = isDeclaredInteger(*Load) && !storesFloat(P, Size);
      if (!Declared && !isIndexPlace(P) &&
          (O == NoObject || !pointees(O).empty() ||
           !AreIntegers(leavesAt(P, Size)) || touchesFloat(P, Size)))
        return false;
    } else if (isa<FPToSIInst, FPToUIInst>(V)) {
      continue;
    } else if (isa<PHINode, SelectInst, FreezeInst, ZExtInst, SExtInst,
                   TruncInst, MinMaxIntrinsic>(V) ||
               (isa<BinaryOperator>(V) &&
                !cast<BinaryOperator>(V)->isBitwiseLogicOp())) {
      // Arithmetic on bits is asked of what the bits come from.
      for (const Use &U : cast<Instruction>(V)->operands())
        if (const auto *CB = dyn_cast<CallBase>(V);
            !(CB && CB->isCallee(&U)) &&
            !(isa<SelectInst>(V) && U.getOperandNo() == 0))
          Pending.push_back(U);
    } else {
      return false;
    }
  }
  return true;
}

/// Gives parameters that no call points anywhere memory of their own; true if
/// there were any.
bool TypeAnalysis::Impl::groundParameters(const Function &F) {
  bool Any = false;
  for (const Argument &A : F.args())
    if (isPointerLike(A.getType())) {
      G.CurrentSource = sourceOf(&A);
      Any |= G.ground(pointer(&A));
    }
  G.CurrentSource = ObjectGraph::NoOrigin;
  return Any;
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
    if (hasFact(II, SourceFact::Characters))
      return true;
    const uint64_t Needed = Bytes == ObjectGraph::Unbounded
                                ? WordAlignment
                                : MinAlign(WordAlignment, Bytes);
    noteAlignment(Dst, MT->getDestAlign().valueOrOne(), Needed);
    noteAlignment(Src, MT->getSourceAlign().valueOrOne(), Needed);
    if (auto Elements = layoutFact(II, SourceFact::Elements)) {
      seedLayout(*Elements, Dst, Bytes);
      seedLayout(*Elements, Src, Bytes);
      // Numbers lead nowhere, and both ends know what they are.
      if (all_of(readLayout(*Elements),
                 [](const Placed &P) { return P.Kind.K == ByteKind::Float; }))
        return true;
    }
    copy(Dst, 0, Src, 0, Bytes);
    if (auto Layout = layoutFact(II, SourceFact::Layout)) {
      seedLayout(*Layout, Dst, Bytes);
      seedLayout(*Layout, Src, Bytes);
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
    Var Dst = pointer(MS->getRawDest());
    int64_t Bytes = Length(MS->getLength());
    if (auto Layout = layoutFact(II, SourceFact::Layout);
        Layout && Layout->Period == Bytes)
      seedLayout(*Layout, Dst, Bytes);
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

/// The type of numbers that a letter of a rule's record stands for, or null.
static Type *numberOf(char Letter, LLVMContext &C) {
  switch (Letter) {
  case 'D':
    return Type::getDoubleTy(C);
  case 'G':
    return Type::getFloatTy(C);
  case 'H':
    return Type::getHalfTy(C);
  case 'Y':
    return Type::getBFloatTy(C);
  default:
    return nullptr;
  }
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
  if (Function *Body = bodyOf(CB)) {
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
  if (auto Layout = layoutFact(CB, SourceFact::Layout)) { // what the user told
    auto *Bytes = cast<ConstantInt>(CB.getArgOperand(1));
    seedLayout(*Layout, pointer(CB.getArgOperand(0)),
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
    for (const Value *End : {CB.getArgOperand(0), CB.getArgOperand(1)})
      noteAlignment(pointer(End), End->getPointerAlignment(DL), WordAlignment);
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
      if (Type *E = numberOf(elementBehind(CB, N, *Op), CB.getContext())) {
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
