//===- DeferToLink.cpp - entry calls that wait for the linker -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DeferToLink.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Pass/Differentiator.h"
#include "Pass/InactiveValues.h"
#include "Pass/PrepareEntryCalls.h"
#include "Pass/UserRules.h"
#include "Request/FunctionOperand.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// A linker that meets the name prints it. No identifier of a program holds it.
static constexpr StringLiteral Waiting =
    " [derivative not made: link with rg-clang -flto, or ld.lld "
    "--load-pass-plugin=Retrograd.so]";
/// The options of the compilation, on the callee of a deferred call: lld reads
/// its command line before it loads plugins, and knows none of ours.
static constexpr StringLiteral PlanAttribute = "rg-plan";
static constexpr StringLiteral VerifyAttribute = "rg-verify-each";
/// The function whose profile asks ThinLTO to import; see requestImport.
static constexpr StringLiteral ImportRequest = "rg.import";

bool retrograd::lacksBodies(Module &M, ModuleAnalysisManager &MAM,
                            const Options &Opts) {
  std::unique_ptr<Module> Trial = CloneModule(M);
  Options Silent = Opts;
  Silent.PrintPrimal = Silent.PrintTypes = Silent.PrintActivity = false;
  Silent.PrintOverwrite = Silent.PrintLoops = Silent.PrintPlan =
      Silent.PrintDerivative = false;
  DiagnosticEngine Quiet(*Trial, DiagnosticEngine::Silent);
  ModuleCatalogue Cat(*Trial, Quiet);
  markInactiveValues(*Trial, Cat.get());
  bool Dispatches = false;
  {
    EntryCalls Entries =
        prepareEntryCalls(*Trial, MAM, Quiet, Cat);
    Differentiator Derive(*Trial, MAM, Cat.get(), Quiet, Silent);
    for (const EntryCall &Entry : Entries.Calls)
      Derive.plan({&Entry});
    Dispatches = Derive.callsThroughPointers();
    Derive.finish();
  }
  MAM.clear(*Trial, Trial->getName());
  return Quiet.reported(DiagId::FunctionNotVisible) ||
         Quiet.reported(DiagId::CallWithoutBody) ||
         // What an address may be, all files together tell.
         Quiet.reported(DiagId::IndirectCall) || Dispatches ||
         // A wrapper's function is known where its callers are seen.
         Quiet.reported(DiagId::NotAFunction);
}

/// ThinLTO imports what is called, when it is small, and does not import what
/// is merely named, as F is by an entry call. The profile of a function may
/// list functions to be imported as if they were called all the time; that of a
/// function which nobody calls disturbs no one else's.
static void requestImport(Module &M, ArrayRef<Function *> Wanted) {
  DenseSet<GlobalValue::GUID> Ids;
  for (Function *F : Wanted)
    Ids.insert(F->getGUID());
  if (Ids.empty())
    return;
  LLVMContext &Ctx = M.getContext();
  auto *Holder =
      Function::Create(FunctionType::get(Type::getVoidTy(Ctx), false),
                       GlobalValue::InternalLinkage, ImportRequest, M);
  ReturnInst::Create(Ctx, BasicBlock::Create(Ctx, "", Holder));
  Holder->setMetadata(
      LLVMContext::MD_prof,
      MDBuilder(Ctx).createFunctionEntryCount(0, /*Synthetic=*/false, &Ids));
  appendToCompilerUsed(M, {Holder});
}

void retrograd::removeImportRequests(Module &M) {
  removeFromUsedLists(M, [](Constant *C) {
    auto *F = dyn_cast<Function>(C->stripPointerCasts());
    return F && F->getName().starts_with(ImportRequest);
  });
  for (Function &F : make_early_inc_range(M))
    if (F.getName().starts_with(ImportRequest) && F.use_empty())
      F.eraseFromParent();
}

void retrograd::deferEntryCalls(Module &M, const Options &Opts) {
  SmallVector<Function *, 4> Wanted;
  for (Function &F : M) {
    if (!isEntryPoint(F) || F.use_empty())
      continue;
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && functionOperandOf(*Call))
        for (Function *Named :
             resolveFunction(functionOperandOf(*Call)->get()).Functions)
          Wanted.push_back(Named);
    // The header makes calls that reach the code generator errors, which those
    // of the native half of a fat object do; the undefined symbol is one, too.
    F.removeFnAttr("dontcall-error");
    F.addFnAttr(PlanAttribute,
                Opts.Plan == PlanKind::Naive ? "naive" : "mincut");
    if (Opts.VerifyEach)
      F.addFnAttr(VerifyAttribute);
    F.setName(F.getName() + Waiting);
  }
  requestImport(M, Wanted);
}

bool retrograd::hasDeferredCalls(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.isDeclaration() && F.getName().ends_with(Waiting) &&
           !F.use_empty();
  });
}

Options retrograd::optionsAtLink(const Module &M, Options Opts) {
  for (const Function &F : M)
    if (F.isDeclaration() && F.getName().ends_with(Waiting)) {
      if (F.getFnAttribute(PlanAttribute).getValueAsString() == "naive")
        Opts.Plan = PlanKind::Naive;
      Opts.VerifyEach |= F.hasFnAttribute(VerifyAttribute);
    }
  return Opts;
}
