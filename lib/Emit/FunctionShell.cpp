//===- FunctionShell.cpp - signatures, argument mapping, cloning ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/FunctionShell.h"
#include "Analysis/FieldRanges.h"
#include "Emit/DisjointChoice.h"
#include "Support/Instrumentation.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

static bool isSplit(const DerivativeRequest &R) {
  return R.Mode == DerivativeMode::Augment || R.Mode == DerivativeMode::Sweep;
}

static bool isFromTape(const DerivativeRequest &R) {
  return R.Mode == DerivativeMode::Forward && R.FromTape;
}

FunctionType *retrograd::derivativeType(const DerivativeRequest &R) {
  FunctionType *T = R.functionType();
  if (!isSplit(R))
    return T;
  SmallVector<Type *, 8> Params{PointerType::get(T->getContext(), 0)};
  append_range(Params, T->params());
  return FunctionType::get(T->getReturnType(), Params, false);
}

static StringRef suffix(const DerivativeRequest &R) {
  switch (R.Mode) {
  case DerivativeMode::Forward:
    return R.FromTape ? ".replay" : ".fwd";
  case DerivativeMode::ReverseJoint:
    return ".grad";
  case DerivativeMode::Augment:
    return ".aug";
  case DerivativeMode::Sweep:
    return ".rev";
  case DerivativeMode::Batch:
    return ".batch";
  }
  llvm_unreachable("covered switch");
}

/// What concerns code generation is the primal's; every promise about memory
/// or termination was about the primal and does not carry over.
static void describe(Function &D, const Function &Primal) {
  for (StringRef Kind :
       {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
        "no-trapping-math", "stack-protector-buffer-size", "denormal-fp-math",
        "denormal-fp-math-f32", "no-nans-fp-math", "no-infs-fp-math",
        "no-signed-zeros-fp-math", "min-legal-vector-width",
        "prefer-vector-width"})
    if (Primal.hasFnAttribute(Kind))
      D.addFnAttr(Primal.getFnAttribute(Kind));
  // The prepared clone is optimised as at -O2; the derivative is as the user's
  // function is.
  for (Attribute::AttrKind Kind :
       {Attribute::StrictFP, Attribute::OptimizeForSize, Attribute::MinSize})
    if (Primal.hasFnAttribute(Kind))
      D.addFnAttr(Kind);
  if (Primal.hasFnAttribute(Attribute::UWTable))
    D.addFnAttr(Primal.getFnAttribute(Attribute::UWTable));
  if (Primal.doesNotThrow())
    D.setDoesNotThrow();
  // Threads that have to meet in the primal have to meet in its derivative.
  if (Primal.isConvergent())
    D.setConvergent();
  copyInstrumentation(Primal, D);
}

Function *retrograd::declareDerivative(const DerivativeRequest &R, Module &M) {
  Function *D =
      Function::Create(derivativeType(R), GlobalValue::InternalLinkage,
                       "rg." + R.Primal->getName() + suffix(R) +
                           (R.Width == 1 ? "" : std::to_string(R.Width)),
                       M);
  describe(*D, *R.Primal);
  return D;
}

Function *retrograd::declareRecorder(const DerivativeRequest &R, Module &M) {
  FunctionType *T = R.Primal->getFunctionType();
  SmallVector<Type *, 8> Params{PointerType::get(T->getContext(), 0)};
  append_range(Params, T->params());
  Function *D = Function::Create(
      FunctionType::get(T->getReturnType(), Params, false),
      GlobalValue::InternalLinkage, "rg." + R.Primal->getName() + ".log", M);
  describe(*D, *R.Primal);
  return D;
}

/// Code that was inlined by preparation may need wider registers than the
/// user's function: instructions for them cannot be split.
static void widenVectors(Function &D, const Function &Prepared) {
  constexpr StringLiteral Width = "min-legal-vector-width";
  auto Of = [&](const Function &F) {
    unsigned Bits = 0;
    F.getFnAttribute(Width).getValueAsString().getAsInteger(10, Bits);
    return Bits;
  };
  if (!Prepared.hasFnAttribute(Width)) // any may be needed
    D.removeFnAttr(Width);
  else if (D.hasFnAttribute(Width) && Of(D) < Of(Prepared))
    D.addFnAttr(Prepared.getFnAttribute(Width));
}

void retrograd::clonePrimal(Function &D, Function &F,
                            const DerivativeRequest &R, ValueToValueMapTy &VMap,
                            LaneMaps &Shadows) {
  widenVectors(D, F);
  Shadows.resize(R.Width);
  auto Param = D.arg_begin();
  if (isSplit(R))
    (Param++)->setName("arena");
  if (isFromTape(R))
    (Param++)->setName("log");
  for (Argument &A : F.args()) {
    VMap[&A] = &*Param;
    (Param++)->setName(A.getName());
    ArgActivity Activity = R.Args[A.getArgNo()];
    if (Activity == ArgActivity::Dup || Activity == ArgActivity::DupNoNeed)
      for (auto &Lane : Shadows) {
        Lane[&A] = &*Param;
        (Param++)->setName(A.getName() + ".sh");
      }
  }
  for (; Param != D.arg_end(); ++Param)
    Param->setName("seed");
  AttributeList Kept = D.getAttributes();
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(&D, &F, VMap, CloneFunctionChangeType::LocalChangesOnly,
                    Returns);
  D.setAttributes(Kept);
  D.setCallingConv(CallingConv::C);
  D.setLinkage(GlobalValue::InternalLinkage);
  for (BasicBlock &B : D)
    for (Instruction &I : make_early_inc_range(B)) {
      // Stack memory must outlive its scope: the reverse sweep reads it.
      if (auto *II = dyn_cast<IntrinsicInst>(&I);
          II && R.Mode != DerivativeMode::Forward &&
          (II->isLifetimeStartOrEnd() ||
           II->getIntrinsicID() == Intrinsic::stackrestore)) {
        II->eraseFromParent();
        continue;
      }
      if (auto *C = dyn_cast<CallInst>(&I))
        C->setTailCall(false);
    }
}

void retrograd::keepRestrict(const Function &F, ValueToValueMapTy &VMap,
                             LaneMaps &Shadows) {
  for (const Argument &A : F.args())
    if (A.hasNoAliasAttr())
      cast<Argument>(VMap[&A])->addAttr(Attribute::NoAlias);
  for (auto &Lane : Shadows)
    for (const Argument &A : F.args())
      if (auto *Shadow = dyn_cast_or_null<Argument>(Lane.lookup(&A)); Shadow)
        if (Attribute Fields =
                F.getAttributes().getParamAttr(A.getArgNo(), ApartFields);
            Fields.isValid())
          Shadow->addAttr(Fields);
  if (!F.hasFnAttribute(DisjointShadows))
    return;
  for (auto &Lane : Shadows)
    for (const Argument &A : F.args())
      if (auto *Shadow = dyn_cast_or_null<Argument>(Lane.lookup(&A));
          Shadow && Shadow->getType()->isPointerTy())
        Shadow->addAttr(Attribute::NoAlias);
}

Value *retrograd::inGenericSpace(IRBuilderBase &B, Value *P) {
  return P->getType()->getPointerAddressSpace()
             ? B.CreateAddrSpaceCast(P, B.getPtrTy())
             : P;
}

AllocaInst *retrograd::entryAlloca(Function &D, Type *T, const Twine &Name) {
  IRBuilder<> At(&D.getEntryBlock(), D.getEntryBlock().begin());
  return At.CreateAlloca(T, nullptr, Name);
}

BasicBlock::iterator retrograd::afterDefinition(Instruction *I) {
  if (auto *Inv = dyn_cast<InvokeInst>(I))
    return Inv->getNormalDest()->getFirstInsertionPt();
  if (isa<PHINode>(I))
    return I->getParent()->getFirstInsertionPt();
  return std::next(I->getIterator());
}

Value *retrograd::shadowBehind(CallBase &Allocation, const OperationRecord &R,
                               unsigned Lane, IRBuilderBase &B) {
  IRBuilder<> Before(&Allocation);
  unsigned SizeArg = R.SizeArgs.front();
  Value *Size = Allocation.getArgOperand(SizeArg);
  auto Number = [&](int64_t N) {
    return ConstantInt::getSigned(Size->getType(), N);
  };
  // The primal's part, rounded up; the lanes before have made as many more.
  Value *Part =
      Lane ? Before.CreateExactUDiv(Size, Number(Lane + 1))
           : Before.CreateAnd(Before.CreateAdd(Size, Number(15)), Number(-16));
  Allocation.setArgOperand(SizeArg, Before.CreateMul(Part, Number(Lane + 2)));
  // What was said of the block's size is no longer true.
  Allocation.removeRetAttr(Attribute::Dereferenceable);
  Value *Shadow = B.CreateGEP(B.getInt8Ty(), &Allocation,
                              B.CreateMul(Part, Number(Lane + 1)));
  B.CreateMemSet(Shadow, B.getInt8(0), Part, MaybeAlign(8));
  return Shadow;
}
