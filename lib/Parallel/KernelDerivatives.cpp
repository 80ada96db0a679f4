//===- KernelDerivatives.cpp - kernels that run derivatives ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/KernelDerivatives.h"
#include "Support/Kernels.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// The address space of __constant__ variables.
static constexpr unsigned ConstantMemory = 4;

namespace {

class DerivativeWriter {
public:
  DerivativeWriter(Module &D, const HostLaunches::Kernel &K,
                   StringRef GridBarrier,
                   SmallPtrSetImpl<const GlobalVariable *> &InItsSpace)
      : D(D), K(K), GridBarrier(GridBarrier), F(*D.getFunction(K.Primal)),
        B(D.getContext()), InItsSpace(InItsSpace) {}

  void write() {
    Function *Plain = makePlain();
    Function *Once = makeOnce(*Plain);
    makeKernel(*Once);
  }

private:
  Module &D;
  const HostLaunches::Kernel &K;
  StringRef GridBarrier;
  Function &F;
  IRBuilder<> B;
  /// Variables whose addresses stay in their own space.
  SmallPtrSetImpl<const GlobalVariable *> &InItsSpace;

  ArrayRef<KernelParameter> parameters() const { return K.Facts->Parameters; }
  /// Active numbers come by address.
  bool byAddress(unsigned N) const {
    return K.Active[N] && parameters()[N].K != KernelParameter::Pointer;
  }
  SmallVector<Type *, 16> types() {
    SmallVector<Type *, 16> Types;
    for (auto [N, P] : enumerate(parameters()))
      Types.push_back(byAddress(N) || P.K == KernelParameter::Struct
                          ? (Type *)B.getPtrTy()
                          : P.T);
    return Types;
  }
  void copyByVal(Function &To) {
    for (auto [N, P] : enumerate(parameters()))
      if (P.K == KernelParameter::Struct) {
        To.addParamAttr(N, Attribute::getWithByValType(D.getContext(), P.T));
        if (MaybeAlign Al = F.getParamAlign(P.Of))
          To.addParamAttr(N, Attribute::getWithAlignment(D.getContext(), *Al));
      }
  }

  /// The kernel as a function. The device's variables that it uses are
  /// parameters behind its own.
  Function *makePlain() {
    SmallVector<Type *, 16> Types;
    for (Argument &A : F.args())
      Types.push_back(A.getType());
    SmallVector<GlobalVariable *, 2> Variables;
    for (const KernelParameter &P : parameters())
      if (!P.Variable.empty()) {
        Variables.push_back(D.getGlobalVariable(P.Variable, true));
        Types.push_back(B.getPtrTy());
      }
    auto *Plain =
        Function::Create(FunctionType::get(F.getReturnType(), Types, false),
                         GlobalValue::InternalLinkage, K.Primal + ".plain", D);
    ValueToValueMapTy Map;
    for (Argument &A : F.args())
      Map[&A] = Plain->getArg(A.getArgNo());
    SmallVector<ReturnInst *, 4> Returns;
    CloneFunctionInto(Plain, &F, Map, CloneFunctionChangeType::LocalChangesOnly,
                      Returns);
    Plain->setCallingConv(CallingConv::C);
    Plain->setVisibility(GlobalValue::DefaultVisibility);
    Plain->setComdat(nullptr);
    for (StringRef A : {"nvvm.maxntid", "nvvm.minctasm", "nvvm.maxnreg",
                        "nvvm.reqntid", "nvvm.maxclusterrank"})
      Plain->removeFnAttr(A);
    for (Argument &A : Plain->args()) // means something for kernels only
      Plain->removeParamAttr(A.getArgNo(), "nvvm.grid_constant");
    for (auto [N, G] : enumerate(Variables)) {
      if (!G)
        continue;
      inlineUsersOf(*G, *Plain);
      passVariable(*G, *Plain, *Plain->getArg(F.arg_size() + N));
    }
    return Plain;
  }

  static bool uses(const Function &Of, const GlobalVariable &G,
                   SmallPtrSetImpl<const Function *> &Seen) {
    if (!Seen.insert(&Of).second)
      return false;
    for (const Instruction &I : instructions(Of)) {
      for (const Use &U : I.operands()) {
        SmallVector<const Constant *, 4> Work;
        if (const auto *C = dyn_cast<Constant>(U))
          Work.push_back(C);
        while (!Work.empty()) {
          const Constant *C = Work.pop_back_val();
          if (C == &G)
            return true;
          if (isa<ConstantExpr>(C))
            for (const Use &O : C->operands())
              Work.push_back(cast<Constant>(O));
        }
      }
      if (const auto *C = dyn_cast<CallBase>(&I))
        if (const Function *Callee = C->getCalledFunction();
            Callee && uses(*Callee, G, Seen))
          return true;
    }
    return false;
  }

  /// Functions that name G become part of Into.
  static void inlineUsersOf(const GlobalVariable &G, Function &Into) {
    constexpr unsigned Most = 1000; // of calls; a recursion ends here
    for (unsigned N = 0; N != Most; ++N) {
      CallBase *Next = nullptr;
      for (Instruction &I : instructions(Into))
        if (auto *C = dyn_cast<CallBase>(&I); C && !Next)
          if (Function *Callee = C->getCalledFunction();
              Callee && !Callee->isDeclaration() && Callee != &Into) {
            SmallPtrSet<const Function *, 8> Seen;
            if (uses(*Callee, G, Seen))
              Next = C;
          }
      InlineFunctionInfo Info;
      if (!Next || !InlineFunction(*Next, Info).isSuccess())
        return;
    }
  }

  /// Uses of an address in the variable's own space, Old, become uses of New,
  /// the same without a space. False if one cannot.
  static bool withoutSpace(Value &Old, Value &New, const Function &Plain) {
    bool All = true;
    for (Use &U : make_early_inc_range(Old.uses())) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I || I->getFunction() != &Plain)
        continue;
      if (isa<AddrSpaceCastInst>(I) && I->getType() == New.getType()) {
        I->replaceAllUsesWith(&New);
      } else if (auto *G = dyn_cast<GetElementPtrInst>(I)) {
        auto *Moved = cast<GetElementPtrInst>(G->clone());
        Moved->setOperand(0, &New);
        Moved->mutateType(New.getType());
        Moved->insertBefore(G->getIterator());
        if (!withoutSpace(*G, *Moved, Plain)) {
          All = false;
          continue;
        }
      } else if (auto *L = dyn_cast<LoadInst>(I)) {
        L->setOperand(L->getPointerOperandIndex(), &New);
        continue;
      } else {
        All = false;
        continue;
      }
      I->eraseFromParent();
    }
    return All;
  }

  void passVariable(GlobalVariable &G, Function &Plain, Value &Parameter) {
    convertUsersOfConstantsToInstructions({&G}, &Plain);
    if (G.getType() != Parameter.getType() && withoutSpace(G, Parameter, Plain))
      return;
    BasicBlock::iterator Start = Plain.getEntryBlock().getFirstInsertionPt();
    Value *Passed = &Parameter;
    if (Passed->getType() != G.getType()) {
      Passed = new AddrSpaceCastInst(Passed, G.getType(), "", Start);
      InItsSpace.insert(&G);
    }
    G.replaceUsesWithIf(Passed, [&](Use &U) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      return I && I->getFunction() == &Plain;
    });
  }

  /// It has its active numbers by address, and members for structs.
  Function *makeOnce(Function &Plain) {
    auto *Once =
        Function::Create(FunctionType::get(B.getVoidTy(), types(), false),
                         GlobalValue::InternalLinkage, K.Primal + ".once", D);
    copyByVal(*Once);
    B.SetInsertPoint(BasicBlock::Create(D.getContext(), "", Once));
    SmallVector<Value *, 8> Args(Plain.arg_size());
    SmallVector<AllocaInst *, 8> Structs(Plain.arg_size());
    for (unsigned N = 0; N != F.arg_size(); ++N) {
      Type *T = F.getParamByValType(N);
      if (T && any_of(parameters(), [&](const KernelParameter &P) {
            return P.Of == N && P.InStruct;
          })) {
        Structs[N] = B.CreateAlloca(T);
        if (MaybeAlign Al = F.getParamAlign(N))
          Structs[N]->setAlignment(std::max(Structs[N]->getAlign(), *Al));
        Args[N] = B.CreatePointerBitCastOrAddrSpaceCast(Structs[N],
                                                        F.getArg(N)->getType());
      }
    }
    unsigned Variable = F.arg_size();
    for (auto [N, P] : enumerate(parameters())) {
      Value *V = Once->getArg(N);
      if (P.Variable.empty() && !P.InStruct && !byAddress(N) &&
          F.hasParamAttribute(P.Of, Attribute::NoAlias))
        Once->addParamAttr(N, Attribute::NoAlias);
      if (P.leads())
        Once->addParamAttr(N, Attribute::get(D.getContext(), LeadsOn));
      if (byAddress(N))
        V = B.CreateLoad(P.T, V);
      if (!P.Variable.empty())
        Args[Variable++] = V;
      else if (P.InStruct)
        B.CreateAlignedStore(
            V, B.CreateConstGEP1_64(B.getInt8Ty(), Args[P.Of], P.Offset),
            Align(1));
      else
        Args[P.Of] = V;
    }
    for (unsigned N = 0; N != F.arg_size(); ++N)
      if (!Args[N]) // an empty struct
        Args[N] = B.CreatePointerBitCastOrAddrSpaceCast(
            B.CreateAlloca(F.getParamByValType(N)), F.getArg(N)->getType());
    CallInst *Call = B.CreateCall(&Plain, Args);
    for (unsigned N = 0; N != F.arg_size(); ++N)
      if (Type *T = F.getParamByValType(N)) {
        Call->addParamAttr(N, Attribute::getWithByValType(D.getContext(), T));
        if (MaybeAlign Al = F.getParamAlign(N))
          Call->addParamAttr(N,
                             Attribute::getWithAlignment(D.getContext(), *Al));
      }
    B.CreateRetVoid();
    Once->addFnAttr(Attribute::Convergent);
    Once->addFnAttr(LaunchedAlone);
    if (!K.Forward)
      Once->addFnAttr(GridBarrierName, GridBarrier);
    // One function: what stands behind a call, its reverse would have to take
    // for written, and keep all that the kernel has read.
    InlineFunctionInfo Info;
    if (InlineFunction(*Call, Info).isSuccess())
      Plain.eraseFromParent();
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
    SmallVector<Type *, 16> Types = types();
    unsigned Own = Types.size();
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
    // Of integers alone: forwards it is itself, and backwards there is nothing.
    if (is_contained(K.Active, true))
      askForDerivative(Once, *Kernel, Own);
    else if (K.Forward)
      B.CreateCall(&Once,
                   SmallVector<Value *, 16>(make_pointer_range(Kernel->args())))
          ->setAttributes(
              Once.getAttributes().removeFnAttributes(D.getContext()));
    B.CreateRetVoid();
  }

  void askForDerivative(Function &Once, Function &Kernel, unsigned Own) {
    SmallVector<Value *, 32> Args{&Once};
    unsigned Shadow = Own;
    for (unsigned N = 0; N != Own; ++N) {
      Args.append({marker(K.Active[N] ? "enzyme_dup" : "enzyme_const"),
                   Kernel.getArg(N)});
      if (K.Active[N])
        Args.push_back(Kernel.getArg(Shadow++));
    }
    FunctionCallee Ask = D.getOrInsertFunction(
        K.Forward ? "__enzyme_fwddiff_rg_launch"
                  : "__enzyme_autodiff_rg_launch",
        FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, true));
    B.CreateCall(Ask, Args);
  }
};

} // namespace

void retrograd::writeKernelDerivatives(Module &D,
                                       ArrayRef<HostLaunches::Kernel> Wanted,
                                       StringRef GridBarrier) {
  SmallVector<Function *, 8> Old;
  for (Function &F : D) {
    if (isDeviceKernel(F))
      Old.push_back(&F);
    // At -O0 too, a derivative is worth its optimisation.
    if (F.hasFnAttribute(Attribute::OptimizeNone)) {
      F.removeFnAttr(Attribute::OptimizeNone);
      F.removeFnAttr(Attribute::NoInline);
    }
  }
  SmallPtrSet<const GlobalVariable *, 4> InItsSpace;
  for (const HostLaunches::Kernel &K : Wanted)
    if (D.getFunction(K.Primal))
      DerivativeWriter(D, K, GridBarrier, InItsSpace).write();
  removeFromUsedLists(D, [&](Constant *C) {
    auto *F = dyn_cast<Function>(C->stripPointerCasts());
    return F && is_contained(Old, F);
  });
  for (Function *F : Old) {
    F->deleteBody();
    if (F->use_empty())
      F->eraseFromParent();
  }
  // Derivatives are given the addresses of variables. What no derivative names
  // goes.
  SmallPtrSet<Constant *, 4> Variables;
  for (GlobalVariable &G : D.globals())
    if (!G.isDeclaration() && G.isExternallyInitialized())
      Variables.insert(&G);
  for (const HostLaunches::Kernel &K : Wanted)
    for (const KernelParameter &P : K.Facts->Parameters)
      if (!P.Variable.empty())
        if (GlobalVariable *G = D.getGlobalVariable(P.Variable, true))
          Variables.insert(G);
  removeFromUsedLists(D, [&](Constant *C) {
    return Variables.contains(cast<Constant>(C->stripPointerCasts()));
  });
  for (Constant *C : Variables) {
    auto *G = cast<GlobalVariable>(C);
    // On a device, addresses of constant memory take no adjoints: such a
    // variable stays, and KernelHalf refuses it there.
    if (G->getAddressSpace() != ConstantMemory || !InItsSpace.contains(G))
      G->setLinkage(GlobalValue::InternalLinkage);
  }
}
