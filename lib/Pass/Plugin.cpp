//===- Plugin.cpp - how hosts find the passes -----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One shared object serves every host, and a host may load it several times
// over: `clang -fplugin=R.so -fpass-plugin=R.so` registers through two doors.
//
//   clang -fpass-plugin=, opt -load-pass-plugin=, ld.lld --load-pass-plugin=
//     call llvmGetPassPluginInfo() below.
//   clang -fplugin=, clang -Xclang -load -Xclang
//     only dlopen the file; ClangLoader.cpp then registers through the registry
//     of clang plugins.
//   opt -load=
//     only dlopens the file, which makes the options known; the passes come
//     with -load-pass-plugin=.
//
// All doors lead to registerPasses(), which acts once per pass builder.
//
//===----------------------------------------------------------------------===//

#include "Pass/Plugin.h"
#include "Entry/UserRules.h"
#include "Guard/DeviceLibrary.h"
#include "Guard/InactiveValues.h"
#include "Guard/KeepEqualities.h"
#include "Guard/TapeBytes.h"
#include "Offload/DefinedShifts.h"
#include "Offload/OffloadPass.h"
#include "Offload/VectorizerGuards.h"
#include "Pass/DeferToLink.h"
#include "Pass/DifferentiatePass.h"
#include "Pass/LinkRuntimePass.h"
#include "Pass/PrintAnalysesPass.h"
#include "Pass/PrintFunctionPass.h"
#include "Pass/PrintPrimalPass.h"
#include "Pass/RequestPrinter.h"
#include "Polish/DeviceReductions.h"
#include "Primal/Language/AnnotateParameters.h"
#include "Support/Options.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include <memory>

using namespace llvm;
using namespace retrograd;

/// Adds the pass named Name to MPM; false if it is none of ours.
static bool parseModulePass(StringRef Name, ModulePassManager &MPM,
                            ArrayRef<PassBuilder::PipelineElement>) {
  const Options Opts = Options::fromCommandLine();
#define MODULE_PASS(NAME, EXPRESSION)                                          \
  if (Name == NAME) {                                                          \
    MPM.addPass(EXPRESSION);                                                   \
    return true;                                                               \
  }
#include "Pass/PassRegistry.def"
  return false;
}

/// Records in the pass builder's own instrumentation that we were here; true if
/// we had been before. The mark has to live and die with the builder: clang
/// makes several in one process, at the same address.
static bool wasRegistered(PassBuilder &PB) {
  PassInstrumentationCallbacks *PIC = PB.getPassInstrumentationCallbacks();
  if (!PIC)
    return false;
  if (!PIC->getPassNameForClassName(DifferentiatePass::name()).empty())
    return true;
  PIC->addClassToPassName(DifferentiatePass::name(), "retrograd");
  return false;
}

static LinkStage stageOf(ThinOrFullLTOPhase Phase) {
  switch (Phase) {
  case ThinOrFullLTOPhase::FullLTOPreLink:
  case ThinOrFullLTOPhase::ThinLTOPreLink:
    return LinkStage::BeforeLink;
  case ThinOrFullLTOPhase::FullLTOPostLink:
    return LinkStage::FullLink;
  case ThinOrFullLTOPhase::ThinLTOPostLink:
    return LinkStage::ThinLink;
  case ThinOrFullLTOPhase::None:
    return LinkStage::Whole;
  }
  llvm_unreachable("covered switch");
}

static OffloadOptions offloadOptions(const Options &O) {
  return {O.OffloadRecompute,     O.OffloadUniform,
          O.OffloadParallel,      O.OffloadEliminateBarriers,
          O.OffloadCutLoops,      O.OffloadLockStep,
          O.OffloadLimit,         O.OffloadEdges,
          O.OffloadMoveBarriers,  O.OffloadForwardStores,
          O.OffloadHoistLoads,    O.OffloadCollapse,
          O.OffloadSerialThreads, O.CheckRaces,
          O.CheckUninitialized,   O.PrintOffload};
}

void retrograd::registerPasses(PassBuilder &PB) {
  if (wasRegistered(PB))
    return;
  PB.registerPipelineParsingCallback(parseModulePass);
  // LLVM tells what a pipeline is for only behind its start. The passes at the
  // start run when the pipeline is complete, and look then. A pipeline for fat
  // objects has a second such place, for the native half, which starts from the
  // first half's code.
  auto Started = std::make_shared<std::shared_ptr<LinkStage>>();

  // The options are read when a pipeline is built, not now: opt registers its
  // plugins before it has parsed the whole command line.
  //
  // OptimizerEarly: the code is simplified and inlined, but not yet vectorised
  // or unrolled. -O0 pipelines call it, too.
  PB.registerOptimizerEarlyEPCallback([Started](ModulePassManager &MPM,
                                                OptimizationLevel,
                                                ThinOrFullLTOPhase Phase) {
    const Options Opts = Options::fromCommandLine();
    if (*Started)
      **Started = stageOf(Phase);
    Started->reset();
    if (Phase == ThinOrFullLTOPhase::ThinLTOPreLink && Opts.Enabled)
      MPM.addPass(LinkAsWholePass());
    if (!Opts.RunEarly)
      MPM.addPass(DifferentiatePass(Opts, stageOf(Phase)));
  });
  // ThinLTO, of units that no plugin saw (rustc's), drops the bodies that it
  // imported before it comes to OptimizerEarly.
  PB.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase Phase) {
        if (Phase == ThinOrFullLTOPhase::ThinLTOPostLink)
          MPM.addPass(DifferentiatePass(Options::fromCommandLine(),
                                        LinkStage::ThinLink));
      });
  // Full LTO: all units are one module, nothing has been inlined across them
  // and nothing vectorised.
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(
            DifferentiatePass(Options::fromCommandLine(), LinkStage::FullLink));
      });
  PB.registerVectorizerStartEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel) {
        if (!Options::fromCommandLine().OffloadDevice.empty())
          FPM.addPass(VectorizerGuardsPass());
      });
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
        MPM.addPass(DeviceReductionsPass(Options::fromCommandLine()));
        MPM.addPass(createModuleToFunctionPassAdaptor(AskForAlignmentPass()));
      });
  PB.registerPipelineStartEPCallback(
      [Started](ModulePassManager &MPM, OptimizationLevel) {
        const Options Opts = Options::fromCommandLine();
        auto Stage = *Started = std::make_shared<LinkStage>(LinkStage::Whole);
        if (Opts.OffloadHalf)
          MPM.addPass(createModuleToFunctionPassAdaptor(DefinedShiftsPass()));
        MPM.addPass(HoldLibraryPass());
        if (!Opts.OffloadDevice.empty())
          MPM.addPass(OffloadPass(Opts.OffloadDevice, offloadOptions(Opts)));
        MPM.addPass(KeepRulesPass());
        if (Opts.TapeInPlace)
          MPM.addPass(KeepBytesTogetherPass());
        MPM.addPass(AnnotateParametersPass(Stage));
        MPM.addPass(KeepEqualitiesPass(Stage));
        MPM.addPass(HoldInactiveGlobalsPass(Stage));
        if (Opts.RunEarly)
          MPM.addPass(DifferentiatePass(Opts));
      });
}

void retrograd::registerLibraries(PassBuilder &PB,
                                  std::vector<std::string> Files) {
  PB.registerPipelineStartEPCallback(
      [Files](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(NoteLibrariesPass(Files));
      });
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Retrograd", RETROGRAD_VERSION,
          registerPasses, nullptr};
}
