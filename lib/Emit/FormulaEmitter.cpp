//===- FormulaEmitter.cpp - catalogue expression to IR --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormulaEmitter.h"
#include "../Catalogue/Catalogue.h"
#include "Emit/StrictFloat.h"
#include "Rules/LaneVectors.h"
#include "Rules/TangentKinds.h"
#include "Support/ShareMarks.h"
#include "Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace retrograd {

/// What one call of emit() works on.
struct FormulaEmitter::Scope {
  Scope(Type *T, Value *Seed, function_ref<Value *(unsigned)> Arg,
        function_ref<Value *()> Result)
      : T(T), Seed(Seed), Arg(Arg), Result(Result) {}

  Type *T;
  Value *Seed;
  function_ref<Value *(unsigned)> Arg;
  function_ref<Value *()> Result;
  /// Nodes of this formula that have been emitted. Equal expressions are one
  /// node, and operands are asked for once.
  SmallDenseMap<const FormulaNode *, Value *, 16> Emitted;
};

/// Whether User passes its operand on to a result that the optimiser may form
/// before it knows whether anybody wants it.
static bool passesSpeculated(const Instruction &User) {
  if (!isSafeToSpeculativelyExecute(&User) || isa<PHINode, FCmpInst>(User))
    return false;
  return isa<FPMathOperator, CastInst, FreezeInst, ExtractElementInst,
             InsertElementInst, ShuffleVectorInst>(User);
}

bool FormulaEmitter::isOnlyChosen(const Instruction &V) {
  // Chains of arithmetic may be longer than the stack is deep.
  SmallVector<const Instruction *, 8> Open{&V};
  while (!Open.empty()) {
    const Instruction *I = Open.back();
    bool Chosen = !I->use_empty(), Waits = false;
    for (const Use &U : I->uses()) {
      const auto *User = cast<Instruction>(U.getUser());
      if (isa<SelectInst>(User)) {
        Chosen &= U.getOperandNo() != 0;
      } else if (!passesSpeculated(*User)) {
        Chosen = false;
      } else if (auto Known = OnlyChosen.find(User);
                 Known != OnlyChosen.end()) {
        Chosen &= Known->second;
      } else {
        Open.push_back(User);
        Waits = true;
      }
      if (!Chosen || Waits)
        break;
    }
    if (Chosen && Waits)
      continue;
    OnlyChosen[I] = Chosen;
    while (!Open.empty() && OnlyChosen.contains(Open.back()))
      Open.pop_back();
  }
  return OnlyChosen[&V];
}

/// The lanes of the vector V whose values somebody may use.
static APInt wantedLanes(const Instruction &V, unsigned Depth = 0) {
  constexpr unsigned Deepest = 8;
  const unsigned Lanes = elementCount(V.getType());
  APInt Wanted = APInt::getZero(Lanes);
  if (Depth == Deepest)
    return APInt::getAllOnes(Lanes);
  for (const Use &U : V.uses()) {
    const auto *User = cast<Instruction>(U.getUser());
    if (const auto *E = dyn_cast<ExtractElementInst>(User)) {
      const auto *At = dyn_cast<ConstantInt>(E->getIndexOperand());
      if (!At || At->getValue().uge(Lanes))
        return APInt::getAllOnes(Lanes);
      Wanted.setBit(At->getZExtValue());
    } else if (const auto *S = dyn_cast<ShuffleVectorInst>(User)) {
      const APInt Out = wantedLanes(*S, Depth + 1);
      for (auto [To, From] : enumerate(S->getShuffleMask())) {
        const int At = From - int(U.getOperandNo() * Lanes);
        if (Out[To] && At >= 0 && At < int(Lanes))
          Wanted.setBit(At);
      }
    } else if (const auto *Insert = dyn_cast<InsertElementInst>(User);
               Insert && U.getOperandNo() == 0) {
      APInt Kept = wantedLanes(*Insert, Depth + 1);
      if (const auto *At = dyn_cast<ConstantInt>(Insert->getOperand(2));
          At && At->getValue().ult(Lanes))
        Kept.clearBit(At->getZExtValue());
      Wanted |= Kept;
    } else if ((isa<UnaryOperator, BinaryOperator, CastInst, FreezeInst>(
                   User)) &&
               User->getType()->isVectorTy() &&
               elementCount(User->getType()) == Lanes) {
      APInt Out = wantedLanes(*User, Depth + 1);
      const auto *Mask = User->getOpcode() == Instruction::And
                             ? dyn_cast<Constant>(User->getOperand(1))
                             : nullptr;
      for (unsigned Lane = 0; Mask && Lane != Lanes; ++Lane)
        if (const Constant *Bits = Mask->getAggregateElement(Lane);
            Bits && Bits->isNullValue())
          Out.clearBit(Lane);
      Wanted |= Out;
    } else {
      return APInt::getAllOnes(Lanes);
    }
    if (Wanted.isAllOnes())
      break;
  }
  return Wanted;
}

/// V is a vector of which some lanes are dropped (one element is taken, or
/// spread over all): nobody minds what lies in these, and their seeds are zero.
static bool dropsLanes(const Instruction &V) {
  return isa<FixedVectorType>(V.getType()) && !wantedLanes(V).isAllOnes();
}

/// A partial that scales the seed by finite constants alone turns 0 into 0 by
/// itself.
static bool keepsZero(const FormulaNode &N, const Instruction &Primal) {
  auto IsScale = [&](const FormulaNode &C) {
    switch (C.K) {
    case FormulaNode::Const:
      return true;
    case FormulaNode::Arg: {
      const auto *F = dyn_cast<ConstantFP>(Primal.getOperand(C.Index));
      return F && F->getValueAPF().isFiniteNonZero();
    }
    default:
      return false;
    }
  };
  auto Keeps = [&](unsigned I) { return keepsZero(*N.Children[I], Primal); };
  switch (N.K) {
  case FormulaNode::Seed:
  case FormulaNode::StrongZero:
    return true;
  case FormulaNode::FNeg:
    return Keeps(0);
  case FormulaNode::FAdd:
  case FormulaNode::FSub:
    return Keeps(0) && Keeps(1);
  case FormulaNode::FMul:
    return (Keeps(0) && IsScale(*N.Children[1])) ||
           (IsScale(*N.Children[0]) && Keeps(1));
  case FormulaNode::FDiv:
    return Keeps(0) && IsScale(*N.Children[1]);
  default:
    return false;
  }
}

/// Whether N is linear arithmetic on the seed: a product or quotient with it, a
/// sum.
static bool isShare(const FormulaNode &N) {
  switch (N.K) {
  case FormulaNode::Seed:
  case FormulaNode::StrongZero:
    return true;
  case FormulaNode::FAdd:
  case FormulaNode::FSub:
    return isShare(*N.Children[0]) && isShare(*N.Children[1]);
  case FormulaNode::FMul:
    return isShare(*N.Children[0]) || isShare(*N.Children[1]);
  case FormulaNode::FDiv:
  case FormulaNode::FNeg:
    return isShare(*N.Children[0]);
  default:
    return false;
  }
}

Value *FormulaEmitter::emit(const Partial &P, const Instruction &Primal,
                            Value *Seed, function_ref<Value *(unsigned)> Arg,
                            function_ref<Value *()> Result) {
  IRBuilderBase::FastMathFlagGuard Guard(B);
  B.setFastMathFlags(
      derivativeFlags(Primal, B.getFastMathFlags().allowContract()));

  Scope S(Primal.getType(), Seed, Arg, Result);
  Value *Share = !keepsZero(*P.Expression, Primal) &&
                         ((isSafeToSpeculativelyExecute(&Primal) &&
                           isOnlyChosen(Primal)) ||
                          dropsLanes(Primal))
                     ? emitStrongZero(*P.Expression, S)
                     : emitNode(*P.Expression, S);
  match(Seed, Share);
  return Share;
}

bool contracts(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *II = dyn_cast<IntrinsicInst>(&I);
    return II && isContractible(*II);
  });
}

FastMathFlags derivativeFlags(const Instruction &I, bool Contracts) {
  FastMathFlags Flags;
  if (isa<FPMathOperator>(I))
    Flags = I.getFastMathFlags();
  Flags.setAllowContract(Flags.allowContract() || Contracts);
  return Flags;
}

void FormulaEmitter::match(Value *&L, Value *&R) {
  unsigned NL = elementCount(L->getType()), NR = elementCount(R->getType());
  if (NL < NR)
    L = repeatElements(B, L, NR / NL);
  else if (NR < NL)
    R = repeatElements(B, R, NL / NR);
}

Value *FormulaEmitter::emitStrongZero(const FormulaNode &N, Scope &S) {
  // NaN is looked for, so nothing here may promise that there is none.
  IRBuilderBase::FastMathFlagGuard Guard(B);
  FastMathFlags Flags = B.getFastMathFlags();
  Flags.setNoNaNs(false);
  Flags.setNoInfs(false);
  B.setFastMathFlags(Flags);
  Value *Share = emitNode(N, S), *Seed = S.Seed;
  B.setFastMathFlags(FastMathFlags());
  match(Seed, Share);
  // 0*inf and 0/0 are NaN. Where the share is 0 by itself it is left alone: its
  // own derivative by the seed, in a derivative of second order, is not 0.
  Constant *Zero = Constant::getNullValue(Share->getType());
  Value *Lost =
      B.CreateAnd(B.CreateFCmpOEQ(Seed, Zero), B.CreateFCmpUNO(Share, Share));
  return B.CreateSelect(Lost, Zero, Share);
}

Value *FormulaEmitter::emitNode(const FormulaNode &N, Scope &S) {
  if (Value *Known = S.Emitted.lookup(&N))
    return Known;
  Value *V = emitNodeUncached(N, S);
  if (auto *I = dyn_cast<Instruction>(V); I && MarksShares &&
                                          N.K != FormulaNode::Seed &&
                                          isa<FPMathOperator>(I) && isShare(N))
    I->addAnnotationMetadata(ShareMark);
  S.Emitted[&N] = V;
  return V;
}

/// A number of a formula in type T; the digits are rounded once, to T.
static Constant *constantOf(const FormulaNode &N, Type *T) {
  return ConstantFP::get(T, N.Digits);
}

Value *FormulaEmitter::emitNodeUncached(const FormulaNode &N, Scope &S) {
  auto Child = [&](unsigned I) { return emitNode(*N.Children[I], S); };
  // Constants have no type of their own: integers beside integers.
  auto IntConstant = [&](unsigned I, Type *T) {
    return ConstantInt::getSigned(T, int64_t(N.Children[I]->Value));
  };
  switch (N.K) {
  case FormulaNode::Seed:
    return S.Seed;
  case FormulaNode::Arg:
    return S.Arg(N.Index);
  case FormulaNode::Result:
    return S.Result();
  case FormulaNode::Const:
    return constantOf(N, S.T);
  case FormulaNode::FAdd: {
    Value *L = Child(0), *R = Child(1);
    match(L, R);
    return B.CreateFAdd(L, R);
  }
  case FormulaNode::FSub: {
    Value *L = Child(0), *R = Child(1);
    match(L, R);
    return B.CreateFSub(L, R);
  }
  case FormulaNode::FMul: {
    Value *L = Child(0), *R = Child(1);
    match(L, R);
    return B.CreateFMul(L, R);
  }
  case FormulaNode::FDiv: {
    Value *L = Child(0), *R = Child(1);
    match(L, R);
    return B.CreateFDiv(L, R);
  }
  case FormulaNode::FNeg:
    return B.CreateFNeg(Child(0));
  case FormulaNode::Select: {
    Value *If = Child(0);
    Value *Then = Child(1), *Else = Child(2);
    match(Then, Else);
    if (If->getType()->isVectorTy())
      match(If, Then);
    return B.CreateSelect(If, Then, Else);
  }
  case FormulaNode::CmpOLT:
  case FormulaNode::CmpOGT:
  case FormulaNode::CmpOEQ:
  case FormulaNode::CmpOLE:
  case FormulaNode::CmpOGE:
  case FormulaNode::CmpUNO: {
    CmpInst::Predicate Predicate =
        N.K == FormulaNode::CmpOLT   ? CmpInst::FCMP_OLT
        : N.K == FormulaNode::CmpOGT ? CmpInst::FCMP_OGT
        : N.K == FormulaNode::CmpOEQ ? CmpInst::FCMP_OEQ
        : N.K == FormulaNode::CmpOLE ? CmpInst::FCMP_OLE
        : N.K == FormulaNode::CmpOGE ? CmpInst::FCMP_OGE
                                     : CmpInst::FCMP_UNO;
    Value *L = Child(0), *R = Child(1);
    match(L, R);
    return B.CreateFCmp(Predicate, L, R);
  }
  case FormulaNode::CmpIntEQ: {
    Value *L = Child(0);
    return B.CreateICmpEQ(L, IntConstant(1, L->getType()));
  }
  case FormulaNode::IntAdd: {
    Value *L = Child(0);
    return B.CreateAdd(L, IntConstant(1, L->getType()));
  }
  case FormulaNode::IntToFP: {
    Value *Int = Child(0);
    auto *Vector = dyn_cast<VectorType>(S.T);
    if (Vector && !Int->getType()->isVectorTy())
      return B.CreateVectorSplat(Vector->getElementCount(),
                                 B.CreateSIToFP(Int, Vector->getElementType()));
    return B.CreateSIToFP(Int, S.T);
  }
  case FormulaNode::StrongZero:
    return emitStrongZero(*N.Children[0], S);
  case FormulaNode::Call: {
    if (Known && N.Children.size() == 1 && N.Children[0]->K == FormulaNode::Arg)
      if (Value *V = Known(N.Callee, N.Children[0]->Index);
          V && V->getType() == S.T)
        return V;
    const OperationRecord *Callee = Cat.byId(N.Callee);
    SmallVector<Value *, 3> Args;
    for (unsigned I = 0; I < N.Children.size(); ++I) {
      bool IsInt = Callee->Prototype[I + 1] != 'F';
      if (IsInt && N.Children[I]->K == FormulaNode::Const)
        Args.push_back(IntConstant(I, B.getInt32Ty()));
      else
        Args.push_back(Child(I));
    }
    Type *T = S.T;
    for (Value *A : Args)
      if (A->getType()->isFPOrFPVectorTy() &&
          elementCount(A->getType()) > elementCount(T))
        T = A->getType();
    for (Value *&A : Args)
      if (A->getType()->isFPOrFPVectorTy() && A->getType() != T)
        A = repeatElements(B, A, elementCount(T) / elementCount(A->getType()));
    return emitCall(N.Callee, T, Args);
  }
  }
  llvm_unreachable("covered switch over formula nodes");
}

Value *FormulaEmitter::emitCall(StringRef Id, Type *T, ArrayRef<Value *> Args) {
  const OperationRecord &R = *Cat.byId(Id);
  Target Machine(*B.GetInsertBlock()->getModule());
  if (R.IntrinsicName.empty() ||
      (!R.LibraryName.empty() && !Machine.nativeIntrinsic(R.IntrinsicName)))
    return emitLibraryCall(R, T, Args);

  Intrinsic::ID IID = Intrinsic::lookupIntrinsicID(R.IntrinsicName);
  // Overloaded in the type of the result and, ldexp and powi, of the integer.
  SmallVector<Type *, 2> Overloads = {T};
  for (Value *A : Args)
    if (A->getType()->isIntOrIntVectorTy())
      Overloads.push_back(A->getType());
  if (Intrinsic::ID Strict =
          B.getIsFPConstrained() ? constrainedForm(IID) : 0) {
    SmallVector<Value *, 5> Operands(Args);
    // That of powi knows one type of integer.
    if (Strict == Intrinsic::experimental_constrained_powi) {
      Operands.back() = B.CreateSExtOrTrunc(Args.back(), B.getInt32Ty());
      Overloads.pop_back();
    }
    return B.CreateConstrainedFPCall(
        Intrinsic::getOrInsertDeclaration(B.GetInsertBlock()->getModule(),
                                          Strict, Overloads),
        Operands);
  }
  return B.CreateIntrinsic(IID, Overloads, Args);
}

/// "sin" -> "sinf" for float, "sinl" for the long double of the host. Our own
/// routines, and those that only one machine has, are called as they are
/// called.
static std::string libraryName(const OperationRecord &R, Type *T,
                               const Target &Machine) {
  StringRef Name = R.LibraryName;
  if (!Name.starts_with("rg_") && !Name.starts_with("__"))
    return Machine.mathFunction(Name, T);
  bool HasForm =
      Name.starts_with("__") && Name.ends_with("f"); // of float alone
  return (Name + (HasForm || T->isDoubleTy() ? ""
                  : T->isFloatTy()           ? "f"
                                             : "l"))
      .str();
}

Value *FormulaEmitter::emitLibraryCall(const OperationRecord &R, Type *T,
                                       ArrayRef<Value *> Args) {
  // Lane by lane: no library that is always there has vector forms.
  if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    Value *Whole = PoisonValue::get(Vector);
    for (unsigned Lane = 0; Lane < Vector->getNumElements(); ++Lane) {
      SmallVector<Value *, 3> LaneArgs;
      for (Value *A : Args)
        LaneArgs.push_back(
            A->getType()->isVectorTy() ? B.CreateExtractElement(A, Lane) : A);
      Whole = B.CreateInsertElement(
          Whole, emitLibraryCall(R, Vector->getElementType(), LaneArgs), Lane);
    }
    return Whole;
  }
  // Half precision has no library: compute in float.
  if (T->isHalfTy() || T->isBFloatTy()) {
    Type *Float = B.getFloatTy();
    SmallVector<Value *, 3> Wide;
    for (Value *A : Args)
      Wide.push_back(A->getType() == T ? B.CreateFPExt(A, Float) : A);
    return B.CreateFPTrunc(emitLibraryCall(R, Float, Wide), T);
  }

  SmallVector<Type *, 3> Types;
  for (Value *A : Args)
    Types.push_back(A->getType());
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Callee = M.getOrInsertFunction(
      libraryName(R, T, Target(M)), FunctionType::get(T, Types, false));
  if (auto *F = dyn_cast<Function>(Callee.getCallee());
      F && F->isDeclaration() && F->use_empty()) {
    F->setDoesNotThrow();
    F->setWillReturn();
    F->setDoesNotFreeMemory();
    F->setMemoryEffects(MemoryEffects::errnoMemOnly(ModRefInfo::Mod));
  }
  CallInst *Call = B.CreateCall(Callee, Args);
  // Nobody reads errno after a derivative, so that this call may move and merge
  // like arithmetic.
  Call->setDoesNotAccessMemory();
  Call->setDoesNotThrow();
  return Call;
}

} // namespace retrograd

Constant *retrograd::withDefinedLanes(Constant &C) {
  auto *T = dyn_cast<FixedVectorType>(C.getType());
  if (!T || !T->getElementType()->isFloatingPointTy() ||
      !C.containsUndefOrPoisonElement())
    return &C;
  SmallVector<Constant *, 8> Lanes;
  for (unsigned I = 0; I != T->getNumElements(); ++I) {
    Constant *Lane = C.getAggregateElement(I);
    if (!Lane)
      return &C;
    Lanes.push_back(
        isa<UndefValue>(Lane) ? ConstantFP::get(T->getElementType(), 1) : Lane);
  }
  return ConstantVector::get(Lanes);
}
