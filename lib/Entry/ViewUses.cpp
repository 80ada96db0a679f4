//===- ViewUses.cpp - what pointers into a view are used for --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry/ViewFlow.h"
#include "Entry/ViewLowering.h"
#include "Request/EntryCalls.h"
#include "Request/EntryFamilies.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;
using namespace retrograd;

/// From the roots to all that is derived from them.
void Views::takeApart(Function &F, unsigned Kind, Pointers &Known) {
  SmallSetVector<Value *, 16> Derived;
  for (auto &[P, Parts] : Known)
    Derived.insert(P);
  auto IsView = [&](Value *V) {
    return Derived.contains(V) || isa<UndefValue>(V);
  };
  for (size_t N = 0; N != Derived.size(); ++N)
    for (User *U : Derived[N]->users()) {
      bool Passes =
          isa<PHINode, SelectInst, FreezeInst, AddrSpaceCastInst, BitCastInst>(
              U) ||
          (isa<GetElementPtrInst>(U) &&
           cast<GetElementPtrInst>(U)->getPointerOperand() == Derived[N]);
      if (auto *II = dyn_cast<IntrinsicInst>(U))
        Passes = II->getIntrinsicID() == Intrinsic::launder_invariant_group ||
                 II->getIntrinsicID() == Intrinsic::strip_invariant_group;
      if (Passes && U->getType()->isPointerTy())
        Derived.insert(U);
    }
  // Phis first: they may come in circles.
  for (Value *V : Derived)
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      const ViewPointer &Model = Known.begin()->second;
      IRBuilder<> B(Phi);
      ViewPointer Parts;
      Parts.Offset =
          B.CreatePHI(Model.Offset->getType(), Phi->getNumIncomingValues(),
                      Phi->getName() + ".at");
      for (Type *T : Kinds[Kind].Extras)
        Parts.Extras.push_back(B.CreatePHI(T, Phi->getNumIncomingValues()));
      Known[V] = Parts;
    }
  auto PartsOf = [&](auto &&Self, Value *V) -> ViewPointer {
    auto It = Known.find(V);
    if (It != Known.end())
      return It->second;
    ViewPointer Parts;
    Type *Offset = Known.begin()->second.Offset->getType();
    if (isa<UndefValue>(V)) {
      Parts.Offset = PoisonValue::get(Offset);
      for (Type *T : Kinds[Kind].Extras)
        Parts.Extras.push_back(PoisonValue::get(T));
      return Parts;
    }
    auto *I = cast<Instruction>(V);
    IRBuilder<> B(I);
    if (auto *G = dyn_cast<GetElementPtrInst>(I)) {
      Parts = advanced(B, Self(Self, G->getPointerOperand()),
                       emitGEPOffset(&B, DL, G));
    } else if (auto *S = dyn_cast<SelectInst>(I)) {
      ViewPointer T = Self(Self, S->getTrueValue()),
                  E = Self(Self, S->getFalseValue());
      Parts.Offset = B.CreateSelect(S->getCondition(), T.Offset, E.Offset);
      for (auto [X, Y] : zip(T.Extras, E.Extras))
        Parts.Extras.push_back(
            X == Y ? X : B.CreateSelect(S->getCondition(), X, Y));
    } else {
      Parts = Self(Self, I->getOperand(0));
    }
    Known[V] = Parts;
    return Parts;
  };
  for (Value *V : Derived) {
    auto *I = dyn_cast<Instruction>(V);
    bool Meets =
        isa<PHINode>(V) && !all_of(cast<PHINode>(V)->incoming_values(), IsView);
    if (auto *S = dyn_cast<SelectInst>(V))
      Meets = !IsView(S->getTrueValue()) || !IsView(S->getFalseValue());
    if (Meets) {
      refuse(*I, Kind, "its address may be this one or another");
      for (Use &U : I->operands()) // goes on, for the other errors
        if (U->getType()->isPointerTy() && !IsView(U))
          U.set(PoisonValue::get(U->getType()));
    }
  }
  for (Value *V : Derived)
    PartsOf(PartsOf, V);
  for (Value *V : Derived)
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      ViewPointer Parts = Known[V];
      for (auto [In, From] : zip(Phi->incoming_values(), Phi->blocks())) {
        ViewPointer P = PartsOf(PartsOf, In);
        cast<PHINode>(Parts.Offset)->addIncoming(P.Offset, From);
        for (auto [X, Into] : zip(P.Extras, Parts.Extras))
          cast<PHINode>(Into)->addIncoming(X, From);
      }
    }
}

/// Of a parameter beside a view, without what is said of its memory: the view's
/// functions may use it, too.
static AttributeSet withoutPromises(AttributeSet S, LLVMContext &Context) {
  for (auto Kind :
       {Attribute::NoAlias, Attribute::ReadOnly, Attribute::ReadNone,
        Attribute::WriteOnly, Attribute::NoFree, Attribute::Captures,
        Attribute::Initializes})
    S = S.removeAttribute(Context, Kind);
  return S;
}

/// A copy of the function with the parameters At taken apart.
Function *Views::copyOf(Function &Callee, ArrayRef<unsigned> At,
                        unsigned Kind) {
  Function *&Copy =
      Copies[{&Callee, std::vector<unsigned>(At.begin(), At.end()), Kind}];
  if (Copy)
    return Copy;
  const ViewKind &K = Kinds[Kind];
  auto IsView = [&](unsigned N) { return is_contained(At, N); };
  SmallVector<Type *, 8> Params;
  SmallVector<AttributeSet, 8> Attributes;
  AttributeList Old = Callee.getAttributes();
  for (auto [N, A] : enumerate(Callee.args())) {
    if (!IsView(N)) {
      Params.push_back(A.getType());
      Attributes.push_back(Old.getParamAttrs(N));
      continue;
    }
    Params.push_back(DL.getIndexType(A.getType()));
    append_range(Params, K.Extras);
    Attributes.resize(Params.size());
  }
  Function *Made = Function::Create(
      FunctionType::get(Callee.getReturnType(), Params, false),
      GlobalValue::InternalLinkage, Callee.getName() + ".view", M);
  Copy = Made;
  AttrBuilder OfFunction(M.getContext(), Old.getFnAttrs());
  // What holds for loads and stores need not hold for functions.
  for (auto Kind : {Attribute::Memory, Attribute::NoUnwind, Attribute::NoSync,
                    Attribute::NoFree, Attribute::WillReturn,
                    Attribute::NoRecurse, Attribute::MustProgress,
                    Attribute::Speculatable, Attribute::NoCallback})
    OfFunction.removeAttribute(Kind);
  for (AttributeSet &S : Attributes)
    S = withoutPromises(S, M.getContext());
  AttributeList All = AttributeList::get(
      M.getContext(), AttributeSet::get(M.getContext(), OfFunction),
      Old.getRetAttrs(), Attributes);
  ValueToValueMapTy Map;
  Pointers Roots;
  SmallVector<Instruction *, 2> Standins;
  auto Param = Made->arg_begin();
  for (auto [N, A] : enumerate(Callee.args())) {
    if (!IsView(N)) {
      Map[&A] = &*Param;
      (Param++)->setName(A.getName());
      continue;
    }
    ViewPointer P;
    P.Offset = &*Param;
    (Param++)->setName(A.getName() + ".at");
    for (size_t Count = 0; Count != K.Extras.size(); ++Count)
      P.Extras.push_back(&*Param++);
    auto *Standin = new IntToPtrInst(P.Offset, A.getType(), A.getName());
    Standins.push_back(Standin);
    Map[&A] = Standin;
    Roots[Standin] = P;
  }
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(Made, &Callee, Map,
                    CloneFunctionChangeType::LocalChangesOnly, Returns);
  Made->setAttributes(All);
  Made->setCallingConv(Callee.getCallingConv());
  Made->setLinkage(GlobalValue::InternalLinkage);
  Made->setVisibility(GlobalValue::DefaultVisibility);
  Made->setDSOLocal(true);
  Made->setComdat(nullptr);
  if (!Made->hasFnAttribute(Attribute::OptimizeNone))
    Made->removeFnAttr(Attribute::NoInline);
  for (Instruction *I : Standins)
    I->insertBefore(Made->getEntryBlock().getFirstNonPHIIt());
  Changed.push_back(Made);
  promote(*Made, MAM);
  exposeReturned(*Made, [&] {
    return SmallVector<Value *, 4>(Standins.begin(), Standins.end());
  });
  follow(*Made, Kind, Roots);
  return Made;
}

void Views::replaceCall(CallBase &Call, unsigned Kind, Pointers &Known) {
  Function *Callee = Call.getCalledFunction();
  auto IsView = [&](const Use &U) { return Known.contains(U.get()); };
  if (!Callee) {
    refuse(Call, Kind,
           "it is passed to a function that is called through a pointer");
    return;
  }
  if (functionOperandOf(Call)) {
    refuse(Call, Kind,
           "it is passed to '" + userName(*Callee) +
               "' in a way that is not understood");
    return;
  }
  if (Callee->isDeclaration()) {
    refuse(Call, Kind,
           "it is passed to '" + userName(*Callee) +
               "', whose body is not here");
    return;
  }
  for (const Use &U : Call.data_ops())
    if (IsView(U) &&
        (!Call.isArgOperand(&U) ||
         Call.getArgOperandNo(&U) >= Callee->arg_size() ||
         Call.paramHasAttr(Call.getArgOperandNo(&U), Attribute::ByVal))) {
      refuse(Call, Kind,
             "it is passed to '" + userName(*Callee) +
                 "' as memory or as one of several arguments");
      return;
    }
  if (Callee->isVarArg() ||
      Callee->getFunctionType() != Call.getFunctionType() ||
      Callee->isInterposable()) {
    refuse(Call, Kind,
           "it is passed to '" + userName(*Callee) +
               "', which may be another function when the program runs");
    return;
  }
  SmallVector<unsigned, 2> At;
  SmallVector<Value *, 8> Arguments;
  SmallVector<AttributeSet, 8> Attributes;
  AttributeList Old = Call.getAttributes();
  for (const Use &U : Call.args()) {
    unsigned N = Call.getArgOperandNo(&U);
    if (!IsView(U)) {
      Arguments.push_back(U);
      Attributes.push_back(
          withoutPromises(Old.getParamAttrs(N), M.getContext()));
      continue;
    }
    At.push_back(N);
    const ViewPointer &P = Known[U.get()];
    Arguments.push_back(P.Offset);
    append_range(Arguments, P.Extras);
    Attributes.resize(Arguments.size());
  }
  Function *Copy = copyOf(*Callee, At, Kind);
  IRBuilder<> B(&Call);
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(Copy, Invoke->getNormalDest(), Invoke->getUnwindDest(),
                         Arguments);
  else
    New = B.CreateCall(Copy, Arguments);
  New->setCallingConv(Copy->getCallingConv());
  New->setAttributes(AttributeList::get(M.getContext(), AttributeSet(),
                                        Old.getRetAttrs(), Attributes));
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

/// Filling and copying, number by number.
void Views::replaceTransfer(AnyMemIntrinsic &I, unsigned Kind,
                            Pointers &Known) {
  const ViewKind &K = Kinds[Kind];
  if (!K.Load && Known.contains(I.getRawDest())) {
    I.eraseFromParent();
    return;
  }
  auto *Transfer = dyn_cast<AnyMemTransferInst>(&I);
  Value *Destination = I.getRawDest(),
        *Source = Transfer ? Transfer->getRawSource() : nullptr;
  uint64_t Step =
      K.Element ? DL.getTypeAllocSize(K.Element).getFixedValue() : 1;
  if (auto *Length = dyn_cast<ConstantInt>(I.getLength());
      Length && Length->getZExtValue() % Step) {
    refuse(I, Kind,
           "the number of bytes is not a multiple of the size of its numbers");
    return;
  }
  Type *Element = K.Element ? K.Element : Type::getInt8Ty(M.getContext());
  auto FromOf = Source ? Known.find(Source) : Known.end();
  auto ToOf = Known.find(Destination);
  std::optional<ViewPointer> From, To;
  if (FromOf != Known.end())
    From = FromOf->second;
  if (ToOf != Known.end())
    To = ToOf->second;

  BasicBlock *Before = I.getParent();
  BasicBlock *Body = SplitBlock(Before, I.getIterator());
  BasicBlock *Behind = SplitBlock(Body, I.getIterator());
  Before->getTerminator()->eraseFromParent();
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Value *Count = B.CreateUDiv(
      B.CreateZExtOrTrunc(I.getLength(), B.getInt64Ty()), B.getInt64(Step));
  // Within one view, what is to be read must not be written before.
  Value *Upwards = B.getTrue();
  if (From && To)
    Upwards = B.CreateICmpULE(To->Offset, From->Offset);
  B.CreateCondBr(B.CreateICmpEQ(Count, B.getInt64(0)), Behind, Body);
  Body->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Body);
  PHINode *N = B.CreatePHI(B.getInt64Ty(), 2);
  Value *At = B.CreateSelect(Upwards, N,
                             B.CreateSub(B.CreateSub(Count, B.getInt64(1)), N));
  Value *Bytes = B.CreateMul(At, B.getInt64(Step));
  Value *V;
  if (From)
    V = load(B, Element, advanced(B, *From, Bytes), Kind, I);
  else if (Source)
    V = B.CreateAlignedLoad(Element, B.CreateGEP(B.getInt8Ty(), Source, Bytes),
                            Align(1));
  else {
    unsigned Bits = DL.getTypeSizeInBits(Element).getFixedValue();
    Value *Byte =
        B.CreateZExt(cast<AnyMemSetInst>(I).getValue(), B.getIntNTy(Bits));
    V = B.CreateBitCast(
        B.CreateMul(Byte, B.getInt(APInt::getSplat(Bits, APInt(8, 1)))),
        Element);
  }
  if (To)
    store(B, V, advanced(B, *To, Bytes), Kind, I);
  else
    B.CreateAlignedStore(V, B.CreateGEP(B.getInt8Ty(), Destination, Bytes),
                         Align(1));
  Value *Next = B.CreateAdd(N, B.getInt64(1));
  N->addIncoming(B.getInt64(0), Before);
  N->addIncoming(Next, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpEQ(Next, Count), Behind, Body);
  I.eraseFromParent();
}

void Views::replaceUse(Instruction &I, unsigned Kind, Pointers &Known) {
  IRBuilder<> B(&I);
  auto PointerOf = [&](Value *V) -> const ViewPointer & {
    return Known.find(V)->second;
  };
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    L->replaceAllUsesWith(
        load(B, L->getType(), PointerOf(L->getPointerOperand()), Kind, I));
    L->eraseFromParent();
    return;
  }
  if (auto *S = dyn_cast<StoreInst>(&I)) {
    if (Known.contains(S->getValueOperand())) {
      refuse(I, Kind, "its address is stored in memory");
      return;
    }
    store(B, S->getValueOperand(), PointerOf(S->getPointerOperand()), Kind, I);
    S->eraseFromParent();
    return;
  }
  if (auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    if (Known.contains(A->getValOperand())) {
      refuse(I, Kind, "its address is stored in memory");
      return;
    }
    const ViewPointer &P = PointerOf(A->getPointerOperand());
    Value *Old = load(B, A->getType(), P, Kind, I);
    if (Kinds[Kind].Store)
      store(B,
            buildAtomicRMWValue(A->getOperation(), B, Old, A->getValOperand()),
            P, Kind, I);
    A->replaceAllUsesWith(Old);
    A->eraseFromParent();
    return;
  }
  if (auto *C = dyn_cast<ICmpInst>(&I)) {
    Value *X = C->getOperand(0), *Y = C->getOperand(1), *R = nullptr;
    Type *T = X->getType();
    const bool Both = Known.contains(X) && Known.contains(Y),
               Equality = C->isEquality();
    const bool HasFunctions = Kinds[Kind].Load;
    if (Both && Equality) {
      const ViewPointer &P = PointerOf(X), &Q = PointerOf(Y);
      Value *Same = B.CreateICmpEQ(P.Offset, Q.Offset);
      for (auto [V, W] : zip(P.Extras, Q.Extras)) {
        if (V == W)
          continue;
        if (V->getType()->isFloatingPointTy())
          Same = B.CreateAnd(Same, B.CreateFCmpOEQ(V, W));
        else if (V->getType()->isIntOrPtrTy())
          Same = B.CreateAnd(Same, B.CreateICmpEQ(V, W));
      }
      R = C->getPredicate() == ICmpInst::ICMP_EQ ? Same : B.CreateNot(Same);
    } else if (Equality && HasFunctions) {
      R = B.getInt1(C->getPredicate() == ICmpInst::ICMP_NE);
    } else {
      auto Address = [&](Value *V) {
        return Known.contains(V) ? addressOf(B, PointerOf(V), Kind, T) : V;
      };
      R = B.CreateICmp(C->getPredicate(), Address(X), Address(Y));
    }
    C->replaceAllUsesWith(R);
    C->eraseFromParent();
    return;
  }
  if (auto *P = dyn_cast<PtrToIntInst>(&I)) {
    P->replaceAllUsesWith(
        addressOf(B, PointerOf(P->getPointerOperand()), Kind, P->getType()));
    P->eraseFromParent();
    return;
  }
  if (auto *T = dyn_cast<AnyMemIntrinsic>(&I))
    return replaceTransfer(*T, Kind, Known);
  if (auto *II = dyn_cast<IntrinsicInst>(&I))
    if (II->isLifetimeStartOrEnd() || II->isAssumeLikeIntrinsic() ||
        II->getIntrinsicID() == Intrinsic::prefetch) {
      if (!II->getType()->isVoidTy())
        II->replaceAllUsesWith(PoisonValue::get(II->getType()));
      II->eraseFromParent();
      return;
    }
  if (auto *Call = dyn_cast<CallBase>(&I))
    return replaceCall(*Call, Kind, Known);
  if (isa<ReturnInst>(I))
    refuse(
        I, Kind,
        "its address is returned to callers that are not known here; a static "
        "function would be inlined");
  else
    refuse(I, Kind, Twine("its address is used by ") + I.getOpcodeName());
}

void Views::follow(Function &F, unsigned Kind, Pointers Known) {
  takeApart(F, Kind, Known);
  SmallSetVector<Instruction *, 32> Uses;
  for (auto &[P, Parts] : Known)
    for (User *U : P->users())
      if (!Known.contains(U))
        Uses.insert(cast<Instruction>(U));
  for (Instruction *I : Uses)
    replaceUse(*I, Kind, Known);
  // What is left was diagnosed.
  for (auto &[P, Parts] : reverse(Known))
    if (auto *I = dyn_cast<Instruction>(P);
        I && !(isa<CallBase>(I) && makesView(*cast<CallBase>(I)))) {
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
}
