//===- Differentiator.cpp - the derivatives of one module -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/Differentiator.h"
#include "Analysis/LoopShape.h"
#include "Analysis/OverwriteAnalysis.h"
#include "Emit/ForwardEmitter.h"
#include "Emit/FunctionShell.h"
#include "Emit/PrimalEmitter.h"
#include "Emit/ReverseEmitter.h"
#include "Pass/CleanUp.h"
#include "Plan/DerivativePlan.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

Differentiator::Differentiator(Module &M, ModuleAnalysisManager &MAM, const Catalogue &Cat,
                               DiagnosticEngine &Diags, const Options &Opts)
    : M(M), MAM(MAM), Cat(Cat), Diags(Diags), Opts(Opts), Prepare(M, MAM, Cat, Opts), Runtime(M) {}

Differentiator::~Differentiator() = default;

Function *Differentiator::differentiate(const DerivativeRequest &R, const RequestTrail &Trail) {
  for (auto &[Known, D] : Answered)
    if (Known == R)
      return D;
  Root = Prepare.prepare(*R.Primal);
  if (!Root) {
    Diags.report(DiagId::FunctionNotVisible, nullptr, Trail, {DiagArg(R.Primal)});
    return nullptr;
  }
  SmallVector<Function *, 8> Graph = Prepare.reachable(*Root);
  raw_ostream &Printed = errs(); // layering: the printers that the user asked for
  if (Opts.PrintPrimal)
    for (Function *F : Graph)
      F->print(Printed);
  Facts = std::make_unique<ProgramFacts>(
      Graph, [this](const Function *F) { return Prepare.preparedOf(F); }, Cat);
  if (Opts.PrintTypes)
    Facts->types().print(Printed);

  // A small struct of floats may come back packed into an integer, which the
  // request, made from the prototype alone, took to be inactive.
  if (!R.ActiveReturn && !R.ShadowReturn)
    for (Instruction &I : instructions(*Root))
      if (auto *Ret = dyn_cast<ReturnInst>(&I);
          Ret && Ret->getReturnValue() && Facts->carriesFloat(Ret->getReturnValue())) {
        std::string Type;
        raw_string_ostream(Type) << "a struct of numbers packed into "
                                 << *Ret->getReturnValue()->getType();
        Diags.report(DiagId::ReturnNotScalar, nullptr, Trail, {DiagArg(R.Primal), Type});
        return nullptr;
      }

  Jobs.clear();
  UsedShadows.clear();
  Emitted.clear();
  NextJob = 0;
  Jobs.push_back({R, declareDerivative(R, M), nullptr, Trail, {}, {}});
  Function *D = Jobs.front().Made;
  bool Fine = true;
  while (Fine && NextJob != Jobs.size()) {
    Current = &Jobs[NextJob++];
    Fine = emit(*Current);
  }
  Current = nullptr;
  if (Fine) {
    resetShadowGlobals(*D);
    for (Function *F : Emitted) {
      if (Opts.PrintDerivative)
        F->print(Printed);
      if (Opts.CleanUp)
        cleanUp(*F, MAM, Opts);
    }
  } else {
    // What was begun refers to what was not: take all of it away.
    for (Job &J : Jobs)
      for (Function *F : {J.Made, J.Sweep})
        if (F)
          F->deleteBody();
    for (Job &J : Jobs)
      for (Function *F : {J.Made, J.Sweep})
        if (F)
          F->eraseFromParent();
    D = nullptr;
  }
  Facts.reset();
  Jobs.clear();
  if (D)
    Answered.push_back({R, D});
  return D;
}

void Differentiator::finish() { Prepare.dispose(); }

Function *Differentiator::derivative(const DerivativeRequest &R) {
  DerivativeRequest Key = R;
  if (Key.Mode == DerivativeMode::Sweep)
    Key.Mode = DerivativeMode::Augment;
  for (Job &J : Jobs)
    if (J.Request == Key && &J != &Jobs.front() && J.Callers == Current->Own)
      return R.Mode == DerivativeMode::Sweep ? J.Sweep : J.Made;
  Job J{Key, declareDerivative(Key, M), nullptr, Current->Trail, Current->Own, {}};
  if (Key.Mode == DerivativeMode::Augment) {
    DerivativeRequest S = Key;
    S.Mode = DerivativeMode::Sweep;
    J.Sweep = declareDerivative(S, M);
  }
  // The trail of a callee leads over the first call that asked for it.
  if (Function *F = Prepare.preparedOf(Current->Request.Primal))
    for (Instruction &I : instructions(*F))
      if (auto *C = dyn_cast<CallBase>(&I); C && directCallee(*C) == R.Primal) {
        J.Trail = Current->Trail.through(*C, *R.Primal);
        break;
      }
  Jobs.push_back(J);
  return R.Mode == DerivativeMode::Sweep ? J.Sweep : J.Made;
}

GlobalVariable *Differentiator::shadowOf(GlobalVariable &G) {
  UsedShadows.insert(&G);
  GlobalVariable *&Sh = ShadowGlobals[&G];
  if (Sh)
    return Sh;
  // A global that several translation units share has one shadow for all.
  bool Local = G.hasLocalLinkage();
  Sh = new GlobalVariable(M, G.getValueType(), /*isConstant=*/false,
                          Local ? GlobalValue::InternalLinkage : GlobalValue::LinkOnceODRLinkage,
                          Constant::getNullValue(G.getValueType()), G.getName() + ".sh",
                          nullptr, G.getThreadLocalMode());
  Sh->setAlignment(G.getAlign());
  Sh->setDSOLocal(true);
  if (!Local) {
    Sh->setVisibility(GlobalValue::HiddenVisibility);
    Sh->setComdat(M.getOrInsertComdat(Sh->getName()));
  }
  return Sh;
}

/// At its start a derivative's global shadows hold zero adjoints, and pointers
/// that are their own shadows.
void Differentiator::resetShadowGlobals(Function &D) {
  if (UsedShadows.empty())
    return;
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  const DataLayout &DL = M.getDataLayout();
  auto AddressOf = [&](GlobalVariable *G) -> Value * {
    return G->isThreadLocal() ? B.CreateThreadLocalAddress(G) : (Value *)G;
  };
  for (GlobalVariable *G : UsedShadows) {
    uint64_t Size = DL.getTypeAllocSize(G->getValueType()).getFixedValue();
    Value *Sh = AddressOf(ShadowGlobals[G]);
    SmallVector<TypedLeaf, 4> Leaves = Facts->types().leavesAt(G, Size);
    bool HasPointer = any_of(Leaves, [](const TypedLeaf &L) { return L.Kind.K == ByteKind::Pointer; });
    B.CreateMemSet(Sh, B.getInt8(0), Size, G->getAlign());
    if (!HasPointer)
      continue;
    Value *P = AddressOf(G);
    for (const TypedLeaf &L : Leaves)
      if (L.Kind.K == ByteKind::Pointer)
        B.CreateMemCpy(B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Sh, L.Offset), MaybeAlign(),
                       B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, L.Offset), MaybeAlign(),
                       L.Size);
  }
}

bool Differentiator::report(ArrayRef<Refusal> Refusals, const RequestTrail &Trail) {
  for (const Refusal &R : Refusals) {
    switch (R.Kind) {
    case RefusalKind::NoBody:
      Diags.report(DiagId::CallWithoutBody, R.At, Trail, {userName(R.Detail)});
      break;
    case RefusalKind::IndirectCall:
      Diags.report(DiagId::IndirectCall, R.At, Trail, {R.Detail});
      break;
    case RefusalKind::InlineAsm:
      Diags.report(DiagId::InlineAssembly, R.At, Trail);
      break;
    case RefusalKind::UnknownType:
      Diags.report(DiagId::TypeUnknown, R.At, Trail,
                   {userName(R.At->getFunction()->getName()), R.Detail});
      break;
    case RefusalKind::Instruction:
      if (R.At->isAtomic())
        Diags.report(DiagId::AtomicOperation, R.At, Trail, {R.Detail});
      else
        Diags.report(DiagId::UnsupportedInstruction, R.At, Trail,
                     {R.At->getOpcodeName(), R.Detail});
      break;
    case RefusalKind::Unshadowed:
      Diags.report(DiagId::ShadowNotAvailable, R.At, Trail, {R.Detail});
      break;
    case RefusalKind::ExceptionPath:
      Diags.report(DiagId::ExceptionPath, R.At, Trail);
      break;
    case RefusalKind::VarArg:
      Diags.report(DiagId::VariadicCall, R.At, Trail, {userName(R.Detail)});
      break;
    case RefusalKind::ControlFlow:
      Diags.report(DiagId::UnsupportedControlFlow, R.At, Trail, {R.Detail});
      break;
    }
  }
  return Refusals.empty();
}

bool Differentiator::emit(Job &J) {
  Function &F = *Prepare.preparedOf(J.Request.Primal);
  FunctionAnalysisManager &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool Split = J.Request.Mode == DerivativeMode::Augment;

  // What is true.
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  LoopShape Shape(F, LI, FAM.getResult<ScalarEvolutionAnalysis>(F));
  ActivityAnalysis Activity(F, J.Request.Args, J.Request.ActiveReturn, *Facts, Shape,
                            J.Callers);
  J.Own = Activity.origins();
  OverwriteAnalysis Overwrite(F, *Root, Split, FAM.getResult<AAManager>(F), Activity, Shape);
  raw_ostream &Printed = errs(); // layering: the printers that the user asked for
  if (Opts.PrintLoops)
    Shape.print(Printed);
  if (Opts.PrintActivity)
    Activity.print(Printed);
  if (Opts.PrintOverwrite)
    Overwrite.print(Printed);

  // What will be done.
  DerivativePlan Plan(F, J.Request, Activity, Overwrite, Shape, DT, Split, Opts);
  if (Opts.PrintPlan)
    Plan.print(Printed);
  if (!report(Plan.refusals(), J.Trail))
    return false;
  if (J.Request.Mode != DerivativeMode::Forward)
    if (std::optional<std::string> Problem = Plan.verify()) {
      Diags.report(DiagId::InvalidPlan, nullptr, J.Trail, {DiagArg(J.Request.Primal), *Problem});
      return false;
    }

  // Do it. Every plan here was verified and cannot be refused any more.
  if (J.Request.Mode == DerivativeMode::Forward) {
    ForwardEmitter(Plan, *J.Made, *this).run();
  } else {
    PrimalEmitter Primal(Plan, *J.Made, *this);
    if (!Primal.run()) {
      Diags.report(DiagId::InternalError, nullptr, J.Trail,
                   {"the clone of " + userName(*J.Request.Primal) + " differs from its plan"});
      return false;
    }
    ReverseEmitter Reverse(Plan, Primal, Split ? *J.Sweep : *J.Made, *this);
    Reverse.run();
    if (Split)
      Primal.returnTape();
  }
  for (Function *D : {J.Made, J.Sweep}) {
    if (!D)
      continue;
    std::string Problem;
    raw_string_ostream OS(Problem);
    if (verifyFunction(*D, &OS)) {
      if (Opts.PrintDerivative)
        D->print(Printed);
      Diags.report(DiagId::InvalidDerivative, nullptr, J.Trail,
                   {DiagArg(J.Request.Primal), StringRef(Problem).split('\n').first.str()});
      return false;
    }
    Emitted.push_back(D);
  }
  return true;
}
