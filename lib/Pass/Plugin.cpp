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
#include "Guard/DeviceLibrary.h"
#include "Loops/LoopNests.h"
#include "Pass/DeferToLink.h"
#include "Pass/DifferentiatePass.h"
#include "Pass/KernelHalf.h"
#include "Pass/LinkRuntimePass.h"
#include "Pass/Pipelines.h"
#include "Pass/PrintAnalysesPass.h"
#include "Pass/PrintFunctionPass.h"
#include "Pass/PrintPrimalPass.h"
#include "Pass/RequestPrinter.h"
#include "Polish/ScalarChains.h"
#include "Primal/Language/AnnotateParameters.h"
#include "Support/Options.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include <memory>

using namespace llvm;
using namespace retrograd;

static ModulePassManager nestsPass(const LoopNestOptions &O) {
  ModulePassManager MPM;
  MPM.addPass(NeedLoopNestsPass());
  MPM.addPass(createModuleToFunctionPassAdaptor(LoopNestsPass(O)));
  return MPM;
}

/// Adds the pass named Name to MPM; false if it is none of ours.
static bool parseModulePass(StringRef Name, ModulePassManager &MPM,
                            ArrayRef<PassBuilder::PipelineElement>) {
  const Options Opts = Options::fromCommandLine();
#define MODULE_PASS(NAME, EXPRESSION)                                          \
  if (Name == (NAME)) {                                                        \
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

/// Clang's plugin is going to call registerPasses for the unit at hand.
static bool LeftToClangPlugin = false;

void retrograd::leaveToClangPlugin() { LeftToClangPlugin = true; }

static void registerFromPassPlugin(PassBuilder &PB) {
  if (!LeftToClangPlugin)
    registerPasses(PB);
}

void retrograd::registerPasses(PassBuilder &PB) {
  LeftToClangPlugin = false;
  if (wasRegistered(PB))
    return;
  if (PassInstrumentationCallbacks *PIC = PB.getPassInstrumentationCallbacks())
    passOverScalarChains(*PIC);
  PB.registerPipelineParsingCallback(parseModulePass);
  extendPipelines(PB, Options::fromCommandLine);
}

void retrograd::registerLibraries(PassBuilder &PB,
                                  std::vector<std::string> Files) {
  PB.registerPipelineStartEPCallback(
      [Files = std::move(Files)](ModulePassManager &MPM, OptimizationLevel) {
        std::string To = Options::fromCommandLine().KeepKernels;
        MPM.addPass(NoteLibrariesPass(Files, /*Always=*/!To.empty()));
        if (!To.empty())
          MPM.addPass(KeepKernelsPass(To)); // again, with these names
      });
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Retrograd", RETROGRAD_VERSION,
          registerFromPassPlugin, nullptr};
}
