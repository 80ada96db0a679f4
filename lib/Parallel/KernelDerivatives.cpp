//===- KernelDerivatives.cpp - kernels that run derivatives ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/KernelDerivatives.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

namespace {

class DerivativeWriter {
public:
  DerivativeWriter(Module &D, const HostLaunches::Kernel &K)
      : D(D), K(K), F(*D.getFunction(K.Primal)), B(D.getContext()) {}

  void write() {
    ValueToValueMapTy Map;
    Function *Plain = CloneFunction(&F, Map);
    Plain->setName(K.Primal + ".plain");
    Plain->setCallingConv(CallingConv::C);
    Plain->setLinkage(GlobalValue::InternalLinkage);
    Plain->setVisibility(GlobalValue::DefaultVisibility);
    Plain->setComdat(nullptr);
    for (StringRef A : {"nvvm.maxntid", "nvvm.minctasm", "nvvm.maxnreg",
                        "nvvm.reqntid", "nvvm.maxclusterrank"})
      Plain->removeFnAttr(A);
    for (Argument &A : Plain->args()) // means something for kernels only
      Plain->removeParamAttr(A.getArgNo(), "nvvm.grid_constant");
    Function *Once = makeOnce(*Plain);
    makeKernel(*Once);
  }

private:
  Module &D;
  const HostLaunches::Kernel &K;
  Function &F;
  IRBuilder<> B;

  bool byAddress(unsigned N) const {
    return K.Active[N] && K.Facts->Parameters[N].K != KernelParameter::Pointer;
  }
  Type *typeOf(unsigned N) {
    return byAddress(N) ? (Type *)B.getPtrTy() : F.getArg(N)->getType();
  }
  void copyByVal(Function &To) {
    for (Argument &A : F.args())
      if (Type *T = A.getParamByValType()) {
        To.addParamAttr(A.getArgNo(),
                        Attribute::getWithByValType(D.getContext(), T));
        if (MaybeAlign Al = A.getParamAlign())
          To.addParamAttr(A.getArgNo(),
                          Attribute::getWithAlignment(D.getContext(), *Al));
      }
  }

  Function *makeOnce(Function &Plain) {
    SmallVector<Type *, 8> Types;
    for (unsigned N = 0; N != F.arg_size(); ++N)
      Types.push_back(typeOf(N));
    auto *Once =
        Function::Create(FunctionType::get(B.getVoidTy(), Types, false),
                         GlobalValue::InternalLinkage, K.Primal + ".once", D);
    copyByVal(*Once);
    B.SetInsertPoint(BasicBlock::Create(D.getContext(), "", Once));
    SmallVector<Value *, 8> Args;
    for (unsigned N = 0; N != F.arg_size(); ++N)
      Args.push_back(byAddress(N) ? (Value *)B.CreateLoad(
                                        F.getArg(N)->getType(), Once->getArg(N))
                                  : Once->getArg(N));
    CallInst *Call = B.CreateCall(&Plain, Args);
    for (unsigned N = 0; N != F.arg_size(); ++N)
      if (Type *T = F.getParamByValType(N))
        Call->addParamAttr(N, Attribute::getWithByValType(D.getContext(), T));
    B.CreateRetVoid();
    Once->addFnAttr(Attribute::Convergent);
    return Once;
  }

  /// What stands before an argument.
  Value *marker(StringRef Name) {
    GlobalVariable *G = D.getGlobalVariable(Name);
    if (!G)
      G = new GlobalVariable(D, B.getInt32Ty(), false,
                             GlobalValue::ExternalLinkage, nullptr, Name,
                             nullptr, GlobalValue::NotThreadLocal, 1);
    return B.CreateLoad(B.getInt32Ty(), G);
  }

  void makeKernel(Function &Once) {
    SmallVector<Type *, 16> Types;
    for (unsigned N = 0; N != F.arg_size(); ++N)
      Types.push_back(typeOf(N));
    for (bool Active : K.Active)
      if (Active)
        Types.push_back(B.getPtrTy());
    auto *Kernel =
        Function::Create(FunctionType::get(B.getVoidTy(), Types, false),
                         GlobalValue::ExternalLinkage, K.Name, D);
    Kernel->setCallingConv(CallingConv::PTX_Kernel);
    Kernel->addFnAttrs(
        AttrBuilder(D.getContext(), F.getAttributes().getFnAttrs()));
    copyByVal(*Kernel);
    B.SetInsertPoint(BasicBlock::Create(D.getContext(), "", Kernel));
    SmallVector<Value *, 32> Args{&Once};
    unsigned Shadow = F.arg_size();
    for (unsigned N = 0; N != F.arg_size(); ++N) {
      Args.append({marker(K.Active[N] ? "enzyme_dup" : "enzyme_const"),
                   Kernel->getArg(N)});
      if (K.Active[N])
        Args.push_back(Kernel->getArg(Shadow++));
    }
    FunctionCallee Ask = D.getOrInsertFunction(
        K.Forward ? "__enzyme_fwddiff_rg_launch"
                  : "__enzyme_autodiff_rg_launch",
        FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, true));
    B.CreateCall(Ask, Args);
    B.CreateRetVoid();
  }
};

} // namespace

void retrograd::writeKernelDerivatives(Module &D,
                                       ArrayRef<HostLaunches::Kernel> Wanted) {
  SmallVector<Function *, 8> Old;
  for (Function &F : D) {
    if (F.getCallingConv() == CallingConv::PTX_Kernel && !F.isDeclaration())
      Old.push_back(&F);
    // At -O0 too, a derivative is worth its optimisation.
    if (F.hasFnAttribute(Attribute::OptimizeNone)) {
      F.removeFnAttr(Attribute::OptimizeNone);
      F.removeFnAttr(Attribute::NoInline);
    }
  }
  for (const HostLaunches::Kernel &K : Wanted)
    if (D.getFunction(K.Primal))
      DerivativeWriter(D, K).write();
  removeFromUsedLists(D, [&](Constant *C) {
    auto *F = dyn_cast<Function>(C->stripPointerCasts());
    return F && is_contained(Old, F);
  });
  for (Function *F : Old) {
    F->deleteBody();
    if (F->use_empty())
      F->eraseFromParent();
  }
}
