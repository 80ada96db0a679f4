//===- Pipelines.cpp - our passes in LLVM's pipelines ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/Pipelines.h"
#include "Guard/DeviceLibrary.h"
#include "Guard/HoldMethods.h"
#include "Guard/InactiveValues.h"
#include "Guard/KeepEqualities.h"
#include "Guard/KeepRules.h"
#include "Guard/TapeBytes.h"
#include "Loops/LoopNests.h"
#include "Offload/DefinedShifts.h"
#include "Offload/OffloadPass.h"
#include "Offload/VectorizerGuards.h"
#include "Pass/DeferToLink.h"
#include "Pass/DifferentiatePass.h"
#include "Pass/KernelHalf.h"
#include "Pass/SplitCoroutines.h"
#include "Polish/BitsInAddresses.h"
#include "Polish/DeviceReductions.h"
#include "Polish/LaunchMemory.h"
#include "Polish/SplitChoices.h"
#include "Polish/StaticShared.h"
#include "Primal/Language/AnnotateParameters.h"
#include "llvm/Passes/PassBuilder.h"
#include <memory>

using namespace llvm;
using namespace retrograd;

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

OffloadOptions retrograd::offloadOptions(const Options &O) {
  return {.Recompute = O.OffloadRecompute,
          .Uniform = O.OffloadUniform,
          .Parallel = O.OffloadParallel,
          .EliminateBarriers = O.OffloadEliminateBarriers,
          .CutLoops = O.OffloadCutLoops,
          .LockStep = O.OffloadLockStep,
          .Limit = O.OffloadLimit,
          .Edges = O.OffloadEdges,
          .MoveBarriers = O.OffloadMoveBarriers,
          .ForwardStores = O.OffloadForwardStores,
          .HoistLoads = O.OffloadHoistLoads,
          .Collapse = O.OffloadCollapse,
          .SerialThreads = O.OffloadSerialThreads,
          .Interleave = O.OffloadInterleave,
          .CheckRaces = O.CheckRaces,
          .CheckUninitialized = O.CheckUninitialized,
          .Print = O.PrintOffload};
}

LoopNestOptions retrograd::loopNestOptions(const Options &O, bool Derivative) {
  return {.Print = O.PrintNests,
          .AnyOrder = O.LoopsAny,
          .Threads = !Derivative && O.LoopThreads,
          .Columns = Derivative};
}

/// What LLVM's first simplification would take from derivatives.
static void holdAll(ModulePassManager &MPM, const PipelineStage &Stage) {
  MPM.addPass(AnnotateParametersPass(Stage));
  MPM.addPass(HoldMethodsPass(Stage));
  MPM.addPass(KeepEqualitiesPass(Stage));
  MPM.addPass(HoldInactiveGlobalsPass(Stage));
}

void retrograd::extendPipelines(PassBuilder &PB,
                                const std::function<Options()> &Given) {
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
  PB.registerOptimizerEarlyEPCallback(
      [Started, Given](ModulePassManager &MPM, OptimizationLevel Level,
                       ThinOrFullLTOPhase Phase) {
        const Options Opts = Given();
        if (Level == OptimizationLevel::O0)
          MPM.addPass(SplitCoroutinesPass());
        if (*Started)
          **Started = stageOf(Phase);
        Started->reset();
        if (Phase == ThinOrFullLTOPhase::ThinLTOPreLink && Opts.Enabled)
          MPM.addPass(LinkAsWholePass());
        if (!Opts.RunEarly)
          MPM.addPass(DifferentiatePass(Opts, stageOf(Phase)));
      });
  // ThinLTO, of units that no plugin saw (rustc's), drops the bodies that it
  // imported before it comes to OptimizerEarly. rg-rustc leaves them as rustc
  // wrote them, so that what must come in front of LLVM's first simplification
  // can: that is made up for here.
  PB.registerPipelineEarlySimplificationEPCallback(
      [Given, &PB](ModulePassManager &MPM, OptimizationLevel Level,
                   ThinOrFullLTOPhase Phase) {
        if (Phase != ThinOrFullLTOPhase::ThinLTOPostLink)
          return;
        holdAll(MPM, std::make_shared<LinkStage>(LinkStage::ThinLink));
        MPM.addPass(PB.buildModuleSimplificationPipeline(
            Level, ThinOrFullLTOPhase::ThinLTOPreLink));
        MPM.addPass(DifferentiatePass(Given(), LinkStage::ThinLink));
      });
  PB.registerPeepholeEPCallback(
      [](FunctionPassManager &FPM, OptimizationLevel) {
        FPM.addPass(FoldEqualitiesPass());
      });
  // Full LTO: all units are one module, nothing has been inlined across them
  // and nothing vectorised.
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [Given](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(DifferentiatePass(Given(), LinkStage::FullLink));
      });
  PB.registerVectorizerStartEPCallback(
      [Given](FunctionPassManager &FPM, OptimizationLevel) {
        const Options Opts = Given();
        if (!Opts.OffloadDevice.empty())
          FPM.addPass(VectorizerGuardsPass());
        // In front of the vectoriser, behind derivatives and all inlining: of
        // pipelines in front of a link, none comes here.
        if (Opts.Loops)
          FPM.addPass(LoopNestsPass(loopNestOptions(Opts)));
      });
  PB.registerOptimizerLastEPCallback([Given](ModulePassManager &MPM,
                                             OptimizationLevel Level,
                                             ThinOrFullLTOPhase) {
    MPM.addPass(DeviceReductionsPass(Given()));
    MPM.addPass(LaunchTapePass(Given()));
    MPM.addPass(StaticSharedPass(Given()));
    MPM.addPass(createModuleToFunctionPassAdaptor(AskForAlignmentPass()));
    MPM.addPass(createModuleToFunctionPassAdaptor(SplitChoicesPass()));
    if (Level == OptimizationLevel::O0)
      MPM.addPass(createModuleToFunctionPassAdaptor(BitsInAddressesPass()));
  });
  PB.registerPipelineStartEPCallback(
      [Started, Given](ModulePassManager &MPM, OptimizationLevel) {
        const Options Opts = Given();
        if (!Opts.KeepKernels.empty())
          MPM.addPass(KeepKernelsPass(Opts.KeepKernels));
        auto Stage = *Started = std::make_shared<LinkStage>(LinkStage::Whole);
        if (Opts.OffloadHalf)
          MPM.addPass(createModuleToFunctionPassAdaptor(DefinedShiftsPass()));
        MPM.addPass(HoldLibraryPass());
        if (!Opts.OffloadDevice.empty())
          MPM.addPass(OffloadPass(Opts.OffloadDevice, offloadOptions(Opts)));
        if (Opts.Loops)
          MPM.addPass(NeedLoopNestsPass());
        MPM.addPass(KeepStubsPass());
        MPM.addPass(KeepRulesPass());
        if (Opts.TapeInPlace)
          MPM.addPass(KeepBytesTogetherPass());
        holdAll(MPM, Stage);
        if (Opts.RunEarly)
          MPM.addPass(DifferentiatePass(Opts));
      });
}
