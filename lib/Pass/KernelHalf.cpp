//===- KernelHalf.cpp - the device half in the host's compilation ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/KernelHalf.h"
#include "Offload/OffloadPass.h"
#include "Parallel/KernelDerivatives.h"
#include "Pass/Pipelines.h"
#include "Request/EntryPoints.h"
#include "Support/Kernels.h"
#include "Target/Target.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses KeepKernelsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!retrograd::Target(M).manyThreads())
    return PreservedAnalyses::all();
  std::error_code Error;
  raw_fd_ostream File(To, Error, sys::fs::OF_None);
  if (!Error)
    WriteBitcodeToFile(M, File);
  return PreservedAnalyses::all();
}

PreservedAnalyses KeepStubsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!hasEntryCalls(M) || !keepStubs(M))
    return PreservedAnalyses::all();
  // A table that no code of the module writes would go where its contents are
  // folded into kernels, and derivatives of launches would not find it.
  for (GlobalVariable &G : M.globals())
    if (G.getName().starts_with("rg.device.") && G.hasInitializer())
      G.setExternallyInitialized(true);
  return PreservedAnalyses::none();
}

KernelHalf::KernelHalf(Module &M, Catalogue &Cat, DiagnosticEngine &Diags,
                       const Options &Opts)
    : M(M), Diags(Diags), Opts(Opts) {
  if (retrograd::Target(M).manyThreads() || !hasLaunches(M))
    return;
  std::unique_ptr<Module> D = read();
  if (D)
    Facts = readKernels(*D, Cat);
  Launches = std::make_unique<HostLaunches>(M, Cat, D ? &Facts : nullptr);
}

KernelHalf::~KernelHalf() = default;

std::unique_ptr<Module> KernelHalf::read() {
  if (Opts.Kernels.empty())
    return nullptr;
  SMDiagnostic Error;
  return parseIRFile(Opts.Kernels, Error, M.getContext());
}

static std::unique_ptr<TargetMachine>
machineOf(const Module &D, StringRef Processor, StringRef Features) {
  std::string Error;
  const llvm::Target *T =
      TargetRegistry::lookupTarget(D.getTargetTriple(), Error);
  if (!T)
    return nullptr;
  TargetOptions Options;
  Options.AllowFPOpFusion = FPOpFusion::Fast;
  return std::unique_ptr<TargetMachine>(T->createTargetMachine(
      D.getTargetTriple(), Processor, Features, Options, std::nullopt,
      std::nullopt, CodeGenOptLevel::Aggressive));
}

/// The processor that functions of D are compiled for.
static std::pair<StringRef, StringRef> processorOf(const Module &D) {
  for (const Function &F : D)
    if (!F.isDeclaration() && F.hasFnAttribute("target-cpu"))
      return {F.getFnAttribute("target-cpu").getValueAsString(),
              F.getFnAttribute("target-features").getValueAsString()};
  return {"sm_90", ""};
}

void KernelHalf::optimise(Module &D) {
  auto [Processor, Features] = processorOf(D);
  std::unique_ptr<TargetMachine> TM = machineOf(D, Processor, Features);
  Options Own = Opts;
  Own.OffloadDevice.clear();
  Own.Kernels.clear();
  Own.KeepKernels.clear();
  Own.OffloadHalf = !Opts.OffloadDevice.empty();
  if (Own.OffloadHalf) // as rg-cuda says for the device half
    Own.ReductionsOnDevice = Own.MergeOnDevice = false;
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PipelineTuningOptions Tuning;
  Tuning.LoopVectorization = Tuning.SLPVectorization = false;
  Tuning.LoopUnrolling = !Own.OffloadHalf;
  PassBuilder PB(TM.get(), Tuning);
  if (TM)
    TM->registerPassBuilderCallbacks(PB);
  extendPipelines(PB, [Own] { return Own; });
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  PB.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(D, MAM);
  ModulePassManager Last;
  Last.addPass(GlobalDCEPass());
  Last.run(D, MAM);
}

void KernelHalf::finish() {
  if (!Launches || Launches->wanted().empty())
    return;
  std::unique_ptr<Module> D = read();
  if (!D)
    return;
  const StringRef GridBarrier =
      Opts.OffloadDevice.empty() ? "rg_grid_barrier" : "rg_cuda_grid_barrier";
  writeKernelDerivatives(*D, Launches->wanted(), GridBarrier);
  for (Function &F : *D)
    if (!F.isDeclaration() && F.getCallingConv() != CallingConv::PTX_Kernel) {
      F.setLinkage(GlobalValue::InternalLinkage);
      F.setVisibility(GlobalValue::DefaultVisibility);
      F.setComdat(nullptr);
    }
  optimise(*D);
  if (Function *Barrier = D->getFunction(GridBarrier))
    for (const Function *F : kernelsReaching(*D, {Barrier}))
      for (HostLaunches::Kernel &K : Launches->wanted())
        K.Together |= F->getName() == K.Name;
  if (!Opts.OffloadDevice.empty())
    bringHere(std::move(D));
  else
    carry(*D);
  Launches->finish();
}

/// On this machine: as the kernels themselves.
bool KernelHalf::bringHere(std::unique_ptr<Module> D) {
  Type *I8 = Type::getInt8Ty(M.getContext());
  StringMap<Constant *> Handles;
  for (const HostLaunches::Kernel &K : Launches->wanted())
    Handles[K.Name] = new GlobalVariable(
        M, I8, /*isConstant=*/false, GlobalValue::InternalLinkage,
        ConstantInt::get(I8, 0), "rg.derivative." + K.Name);
  if (!bringDeviceHalf(M, std::move(D), offloadOptions(Opts), &Handles))
    return false;
  Launches->bind([&](const HostLaunches::Kernel &K) { return Handles[K.Name]; },
                 nullptr, 0);
  return true;
}

/// On a device: as PTX.
bool KernelHalf::carry(Module &D) {
  for (GlobalVariable &G : D.globals())
    if (!G.isDeclaration() && G.isExternallyInitialized() &&
        !G.getName().starts_with("rg_")) {
      Diags.report(DiagId::HostLaunch, nullptr, {},
                   {"a kernel of the program reads the variable '" +
                    userName(G.getName()) +
                    "', which its derivative on a device cannot find"});
      return false;
    }
  auto [Processor, Features] = processorOf(D);
  // A driver reads PTX of its own version and older ones. Vectors of additions
  // (Polish/VectorAdditions), which sm_90 has, are of 8.1.
  unsigned Number = 0;
  if (!Processor.drop_front(std::min<size_t>(3, Processor.size()))
           .getAsInteger(10, Number) &&
      Number <= 90)
    Features = Number == 90 ? "+ptx81" : "+ptx80";
  std::unique_ptr<TargetMachine> TM = machineOf(D, Processor, Features);
  SmallString<0> Text;
  raw_svector_ostream OS(Text);
  legacy::PassManager PM;
  if (!TM ||
      TM->addPassesToEmitFile(PM, OS, nullptr, CodeGenFileType::AssemblyFile)) {
    Diags.report(DiagId::InternalError, nullptr, {},
                 {"no code generator for the derivatives of kernels"});
    return false;
  }
  D.setDataLayout(TM->createDataLayout());
  PM.run(D);
  IRBuilder<> B(M.getContext());
  auto *Image = B.CreateGlobalString(Text, "rg.kernels.ptx", 0, &M);
  Launches->bind(
      [&](const HostLaunches::Kernel &K) {
        return B.CreateGlobalString(K.Name, "rg.kernel.symbol", 0, &M);
      },
      Image, Text.size());
  return true;
}
