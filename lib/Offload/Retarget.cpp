//===- Retarget.cpp - a device module becomes a module of this machine ----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All memory of a device is memory of this machine, and one address space is
// enough. Types are changed in place: a value keeps its identity, so nothing
// that refers to it has to be found.
//
//===----------------------------------------------------------------------===//

#include "Offload/Retarget.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

class SpaceRemover {
public:
  explicit SpaceRemover(Module &M) : M(M) {}
  void run();

private:
  Module &M;
  DenseMap<Type *, Type *> Types;
  DenseMap<GlobalVariable *, GlobalVariable *> Variables;

  Type *flat(Type *T);
  FunctionType *flat(FunctionType *T);
  Constant *flat(Constant *C);
  void flattenVariables();
  void flattenFunctions();
  void flattenBody(Function &F);
};

Type *SpaceRemover::flat(Type *T) {
  if (auto It = Types.find(T); It != Types.end())
    return It->second;
  Type *R = T;
  if (isa<PointerType>(T))
    R = PointerType::get(T->getContext(), 0);
  else if (auto *V = dyn_cast<VectorType>(T))
    R = VectorType::get(flat(V->getElementType()), V->getElementCount());
  else if (auto *A = dyn_cast<ArrayType>(T))
    R = ArrayType::get(flat(A->getElementType()), A->getNumElements());
  else if (auto *F = dyn_cast<FunctionType>(T))
    R = flat(F);
  else if (auto *S = dyn_cast<StructType>(T); S && !S->isOpaque()) {
    SmallVector<Type *, 8> Members;
    bool Changed = false;
    for (Type *E : S->elements()) {
      Members.push_back(flat(E));
      Changed |= Members.back() != E;
    }
    if (Changed)
      R = S->isLiteral()
              ? StructType::get(T->getContext(), Members, S->isPacked())
              : StructType::create(T->getContext(), Members, S->getName(),
                                   S->isPacked());
  }
  Types[T] = R;
  return R;
}

FunctionType *SpaceRemover::flat(FunctionType *T) {
  SmallVector<Type *, 8> Params;
  for (Type *P : T->params())
    Params.push_back(flat(P));
  return FunctionType::get(flat(T->getReturnType()), Params, T->isVarArg());
}

/// A constant without address spaces; functions stand for themselves.
Constant *SpaceRemover::flat(Constant *C) {
  if (auto *GV = dyn_cast<GlobalVariable>(C)) {
    auto It = Variables.find(GV);
    return It == Variables.end() ? C : It->second;
  }
  if (isa<GlobalValue>(C) || C->getNumOperands() == 0) {
    if (isa<PoisonValue>(C))
      return PoisonValue::get(flat(C->getType()));
    if (isa<UndefValue>(C))
      return UndefValue::get(flat(C->getType()));
    if (C->isNullValue())
      return Constant::getNullValue(flat(C->getType()));
    return C;
  }
  SmallVector<Constant *, 8> Ops;
  for (Use &U : C->operands())
    Ops.push_back(flat(cast<Constant>(U)));
  if (auto *E = dyn_cast<ConstantExpr>(C)) {
    if (E->getOpcode() == Instruction::AddrSpaceCast)
      return Ops[0];
    if (auto *GEP = dyn_cast<GEPOperator>(E))
      return ConstantExpr::getGetElementPtr(flat(GEP->getSourceElementType()),
                                            Ops[0], ArrayRef(Ops).drop_front(),
                                            GEP->getNoWrapFlags());
    return E->getWithOperands(Ops, flat(E->getType()));
  }
  if (auto *A = dyn_cast<ConstantArray>(C))
    return ConstantArray::get(cast<ArrayType>(flat(A->getType())), Ops);
  if (auto *S = dyn_cast<ConstantStruct>(C))
    return ConstantStruct::get(cast<StructType>(flat(S->getType())), Ops);
  if (isa<ConstantVector>(C))
    return ConstantVector::get(Ops);
  return C;
}

void SpaceRemover::flattenVariables() {
  SmallVector<GlobalVariable *, 16> Old;
  for (GlobalVariable &GV : M.globals())
    if (GV.getAddressSpace() || flat(GV.getValueType()) != GV.getValueType())
      Old.push_back(&GV);
  for (GlobalVariable *GV : Old) {
    auto *New = new GlobalVariable(M, flat(GV->getValueType()),
                                   GV->isConstant(), GV->getLinkage(), nullptr,
                                   "", GV, GV->getThreadLocalMode(), 0,
                                   GV->isExternallyInitialized());
    New->copyAttributesFrom(GV);
    New->copyMetadata(GV, 0);
    New->takeName(GV);
    Variables[GV] = New;
  }
  for (GlobalVariable *GV : Old)
    if (GV->hasInitializer())
      Variables[GV]->setInitializer(flat(GV->getInitializer()));
  for (GlobalVariable &GV : M.globals())
    if (!Variables.count(&GV) && GV.hasInitializer())
      if (Constant *Flat = flat(GV.getInitializer());
          Flat != GV.getInitializer())
        GV.setInitializer(Flat);
}

/// Functions whose own type names address spaces, intrinsics among them.
void SpaceRemover::flattenFunctions() {
  SmallVector<Function *, 16> Old;
  for (Function &F : M)
    if (flat(F.getFunctionType()) != F.getFunctionType())
      Old.push_back(&F);
  for (Function *F : Old) {
    FunctionType *T = flat(F->getFunctionType());
    Function *New = nullptr;
    if (F->isIntrinsic()) {
      SmallVector<Type *, 4> Overloads;
      if (Intrinsic::getIntrinsicSignature(F->getIntrinsicID(), T, Overloads))
        New = Intrinsic::getOrInsertDeclaration(&M, F->getIntrinsicID(),
                                                Overloads);
    }
    if (!New) {
      New = Function::Create(T, F->getLinkage(), 0, "", &M);
      New->copyAttributesFrom(F);
      New->takeName(F);
      New->splice(New->begin(), F);
      for (auto [A, B] : zip(F->args(), New->args())) {
        A.mutateType(B.getType());
        A.replaceAllUsesWith(&B);
        B.takeName(&A);
      }
      New->copyMetadata(F, 0);
    }
    F->replaceAllUsesWith(New);
    if (F->use_empty())
      F->eraseFromParent();
  }
}

void SpaceRemover::flattenBody(Function &F) {
  // A constant is not changed but replaced, since others may use it.
  for (Instruction &I : instructions(F)) {
    for (Use &U : I.operands())
      if (auto *C = dyn_cast<Constant>(U); C && !isa<Function>(C))
        if (Constant *Flat = flat(C); Flat != C)
          U.set(Flat);
    if (Type *T = flat(I.getType()); T != I.getType())
      I.mutateType(T);
    if (auto *A = dyn_cast<AllocaInst>(&I)) {
      A->setAllocatedType(flat(A->getAllocatedType()));
    } else if (auto *GEP = dyn_cast<GetElementPtrInst>(&I)) {
      GEP->setSourceElementType(flat(GEP->getSourceElementType()));
      GEP->setResultElementType(flat(GEP->getResultElementType()));
    } else if (auto *Call = dyn_cast<CallBase>(&I)) {
      Call->mutateFunctionType(flat(Call->getFunctionType()));
    }
  }
  SmallVector<Instruction *, 16> Casts;
  for (Instruction &I : instructions(F))
    if (isa<AddrSpaceCastInst>(I))
      Casts.push_back(&I);
  for (Instruction *I : Casts) {
    I->replaceAllUsesWith(I->getOperand(0));
    I->eraseFromParent();
  }
}

void SpaceRemover::run() {
  flattenVariables();
  for (Function &F : M)
    flattenBody(F);
  flattenFunctions();
  for (auto [Old, New] : Variables) {
    Old->removeDeadConstantUsers();
    assert(Old->use_empty() &&
           "a use of a variable in an address space was missed");
    Old->eraseFromParent();
  }
}

} // namespace

void retrograd::removeAddressSpaces(Module &M) { SpaceRemover(M).run(); }
