//===- KernelFacts.cpp - what a kernel does to its parameters -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are inlined into their kernels, variables become registers, and
// every access is asked where its address comes from: a parameter, the thread's
// or the block's memory, a variable of the device, or memory, when it is not
// known.
//
// What memory holds is told by the types of accesses. Integers that are only
// moved may be the bits of numbers, so memory counts as free of numbers only
// where some access computes with integers and none takes them for anything
// else.
//
//===----------------------------------------------------------------------===//

#include "Parallel/KernelFacts.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace retrograd;

namespace {

bool isKernel(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel && !F.isDeclaration();
}

/// What accesses take the memory behind a parameter for.
struct Evidence {
  bool Doubles = false, Floats = false, Integers = false, Others = false;

  char element() const {
    if (Others || (Doubles && Floats) || ((Doubles || Floats) && Integers))
      return 'U';
    return Doubles ? 'D' : Floats ? 'G' : Integers ? 0 : 'U';
  }
};

class KernelReader {
public:
  explicit KernelReader(Function &F) : F(F) {}

  KernelFacts read() {
    for (Argument &A : F.args())
      Facts.Parameters.push_back(describe(A));
    Of.resize(F.arg_size());
    SmallPtrSet<Function *, 8> Seen{&F};
    SmallVector<Function *, 8> Work{&F};
    while (!Work.empty()) {
      Function &G = *Work.pop_back_val();
      for (Instruction &I : instructions(G)) {
        visit(I);
        if (auto *C = dyn_cast<CallBase>(&I))
          if (Function *Callee = C->getCalledFunction();
              Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
            Work.push_back(Callee);
      }
    }
    for (auto [P, E] : zip(Facts.Parameters, Of))
      if (P.K == KernelParameter::Pointer && (P.Reads || P.Writes))
        P.Element = E.element();
    return std::move(Facts);
  }

private:
  Function &F;
  KernelFacts Facts;
  SmallVector<Evidence, 8> Of;

  void refuse(const Twine &Why) {
    if (Facts.Refused.empty())
      Facts.Refused = Why.str();
  }

  static bool holdsNumbers(Type *T) {
    if (T->isFPOrFPVectorTy() || T->isPtrOrPtrVectorTy())
      return true;
    return any_of(T->subtypes(), holdsNumbers);
  }

  KernelParameter describe(const Argument &A) {
    const DataLayout &DL = F.getDataLayout();
    KernelParameter P;
    Type *T = A.getType();
    if (Type *Whole = A.getParamByValType()) {
      P.K = KernelParameter::Struct;
      T = Whole;
      P.Element = holdsNumbers(Whole) ? 'U' : 0;
    } else if (T->isPointerTy()) {
      P.K = KernelParameter::Pointer;
    } else if (T->isFloatTy()) {
      P.K = KernelParameter::Float;
    } else if (T->isDoubleTy()) {
      P.K = KernelParameter::Double;
    } else if (!T->isIntegerTy()) {
      P.K = KernelParameter::OtherNumber;
    }
    P.Bytes = DL.getTypeAllocSize(T).getFixedValue();
    return P;
  }

  /// Integers that are computed with, not only moved.
  static bool isComputedWith(const Value &V) {
    return any_of(V.users(), [](const User *U) {
      return isa<ICmpInst, BinaryOperator, GetElementPtrInst, SIToFPInst,
                 UIToFPInst, SwitchInst, SExtInst, ZExtInst>(U);
    });
  }

  void note(Evidence &E, Type *T, const Value *Loaded, const Value *Stored) {
    Type *S = T->getScalarType();
    if (S->isDoubleTy()) {
      E.Doubles = true;
    } else if (S->isFloatTy()) {
      E.Floats = true;
    } else if (S->isIntegerTy()) {
      if (Loaded ? isComputedWith(*Loaded)
                 : Stored && isa<BinaryOperator, CastInst, SelectInst>(Stored))
        E.Integers = true;
      else if (!(Stored && isa<Constant>(Stored)))
        E.Others = true;
    } else {
      E.Others = true;
    }
  }

  void access(const Value *P, bool Reads, bool Writes, Type *T,
              const Value *Loaded, const Value *Stored) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
    for (const Value *O : Objects) {
      if (isa<AllocaInst, ConstantPointerNull, UndefValue>(O))
        continue;
      if (const auto *A = dyn_cast<Argument>(O)) {
        if (A->getParent() != &F) {
          // Of a recursive function: its callers pass it, see below.
          continue;
        }
        KernelParameter &Of = Facts.Parameters[A->getArgNo()];
        if (Of.K != KernelParameter::Pointer)
          continue;
        Of.Reads |= Reads;
        Of.Writes |= Writes;
        if (T)
          note(this->Of[A->getArgNo()], T, Loaded, Stored);
        else
          this->Of[A->getArgNo()].Others = true;
        continue;
      }
      if (const auto *G = dyn_cast<GlobalVariable>(O)) {
        if (Writes && !G->isConstant() && G->getAddressSpace() != 3)
          refuse("writes the variable '" + demangle(G->getName()) + "'");
        continue;
      }
      if (Writes || Reads)
        refuse("goes through pointers that lie in memory");
    }
  }

  void visit(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      return access(L->getPointerOperand(), true, false, L->getType(), L,
                    nullptr);
    if (auto *S = dyn_cast<StoreInst>(&I))
      return access(S->getPointerOperand(), false, true,
                    S->getValueOperand()->getType(), nullptr,
                    S->getValueOperand());
    if (auto *M = dyn_cast<AtomicRMWInst>(&I))
      return access(M->getPointerOperand(), true, true, M->getType(), M,
                    M->getValOperand());
    if (auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
      return access(C->getPointerOperand(), true, true, nullptr, nullptr,
                    nullptr);
    auto *C = dyn_cast<CallBase>(&I);
    if (!C || I.isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I))
      return;
    if (auto *T = dyn_cast<AnyMemTransferInst>(C)) {
      access(T->getRawDest(), false, true, nullptr, nullptr, nullptr);
      return access(T->getRawSource(), true, false, nullptr, nullptr, nullptr);
    }
    if (auto *S = dyn_cast<AnyMemSetInst>(C)) // zeros, of whatever type
      return access(S->getRawDest(), false, true, S->getValue()->getType(),
                    nullptr, S->getValue());
    if (!C->getCalledFunction() && !C->isInlineAsm())
      return refuse("calls functions through pointers");
    if (C->isInlineAsm() || !C->getCalledFunction()->doesNotAccessMemory())
      for (const auto &A : C->args())
        if (A->getType()->isPointerTy())
          access(A, !C->doesNotAccessMemory(A.getOperandNo()),
                 !C->isInlineAsm() ? !C->onlyReadsMemory(A.getOperandNo())
                                   : true,
                 nullptr, nullptr, nullptr);
  }
};

} // namespace

StringMap<KernelFacts> retrograd::readKernels(Module &D) {
  for (Function &F : D) {
    bool Unoptimised = F.hasFnAttribute(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::OptimizeNone);
    if (Unoptimised)
      F.removeFnAttr(Attribute::NoInline);
    if (!F.isDeclaration() && !isKernel(F) &&
        !F.hasFnAttribute(Attribute::NoInline)) {
      F.addFnAttr(Attribute::AlwaysInline);
      F.setLinkage(GlobalValue::InternalLinkage);
      F.setComdat(nullptr);
    }
  }
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  ModulePassManager MPM;
  MPM.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(true));
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM)));
  MPM.run(D, MAM);
  StringMap<KernelFacts> Found;
  for (Function &F : D)
    if (isKernel(F))
      Found[F.getName()] = KernelReader(F).read();
  return Found;
}
