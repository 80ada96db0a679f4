//===- DeferToLink.cpp - entry calls that wait for the linker -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DeferToLink.h"
#include "Pass/Differentiator.h"
#include "Pass/ModuleSession.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

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
static constexpr StringLiteral DisableAttribute = "rg-disable";
static constexpr StringLiteral InactiveAttribute = "rg-emptyfn-inactive";

bool retrograd::lacksBodies(Module &M, ModuleAnalysisManager &MAM,
                            const Options &Opts) {
  std::unique_ptr<Module> Trial = CloneModule(M);
  Options Silent = Opts;
  Silent.PrintPrimal = Silent.PrintTypes = Silent.PrintMerges = false;
  Silent.PrintActivity = false;
  Silent.PrintOverwrite = Silent.PrintLoops = Silent.PrintPlan =
      Silent.PrintDerivative = false;
  // A function without a body here may have one in another unit.
  Silent.EmptyFunctionsInactive = false;
  ModuleSession Session(*Trial, MAM, Silent, DiagnosticEngine::Silent);
  const DiagnosticEngine &Quiet = Session.diagnostics();
  bool Dispatches = false;
  {
    EntryCalls Entries = Session.requests();
    Differentiator Derive(*Trial, MAM, Session.catalogue(),
                          Session.diagnostics(), Silent);
    for (const EntryCall &Entry : Entries.Calls)
      if (Entry.Request.Mode != DerivativeMode::Batch)
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

PreservedAnalyses LinkAsWholePass::run(Module &M, ModuleAnalysisManager &) {
  M.setModuleFlag(Module::Error, "ThinLTO", uint32_t(0));
  return PreservedAnalyses::all();
}

void retrograd::deferEntryCalls(Module &M, const Options &Opts) {
  for (Function &F : M) {
    if (!isEntryPoint(F) || F.use_empty())
      continue;
    // The header makes calls that reach the code generator errors, which those
    // of the native half of a fat object do; the undefined symbol is one, too.
    F.removeFnAttr("dontcall-error");
    F.addFnAttr(PlanAttribute,
                Opts.Plan == PlanKind::Naive ? "naive" : "mincut");
    if (Opts.VerifyEach)
      F.addFnAttr(VerifyAttribute);
    if (std::string Left = Opts.disabled(); !Left.empty())
      F.addFnAttr(DisableAttribute, Left);
    if (Opts.EmptyFunctionsInactive)
      F.addFnAttr(InactiveAttribute);
    F.setName(F.getName() + Waiting);
  }
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
      Opts.disable(F.getFnAttribute(DisableAttribute).getValueAsString().str());
      Opts.EmptyFunctionsInactive |= F.hasFnAttribute(InactiveAttribute);
    }
  return Opts;
}
