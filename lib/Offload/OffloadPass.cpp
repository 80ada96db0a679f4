//===- OffloadPass.cpp - CUDA kernels in a host module --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/OffloadPass.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Offload/DeviceModule.h"
#include "Support/FreshAnalyses.h"
#include "Support/Kernels.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// What was said for the device is replaced by what the host's functions say.
static void adoptHostAttributes(Module &D, const Module &M) {
  const Function *Model = nullptr;
  for (const Function &F : M)
    if (!F.isDeclaration() &&
        (!Model || F.getName().contains("__device_stub__")))
      Model = &F;
  AttributeMask Off;
  for (const char *Name :
       {"target-cpu", "target-features", "tune-cpu", "nvvm.maxntid",
        "nvvm.minctasm", "nvvm.maxnreg", "nvvm.reqntid",
        "uniform-work-group-size", "frame-pointer"})
    Off.addAttribute(Name);
  Off.addAttribute(Attribute::Convergent);
  for (Function &F : D) {
    F.removeFnAttrs(Off);
    F.setCallingConv(CallingConv::C);
    if (F.isDeclaration() || !Model)
      continue;
    for (const char *Name :
         {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
      if (Model->hasFnAttribute(Name))
        F.addFnAttr(Model->getFnAttribute(Name));
    // A scatter costs this family of machines more than the stores that it
    // stands for (docs/Benchmarks.md, scan).
    if (StringRef Features =
            F.getFnAttribute("target-features").getValueAsString();
        Features.contains("+avx512f"))
      F.addFnAttr("target-features", (Features + ",+prefer-no-scatter").str());
    for (auto Kind : {Attribute::SanitizeAddress, Attribute::SanitizeThread,
                      Attribute::SanitizeMemory, Attribute::UWTable})
      if (Model->hasFnAttribute(Kind))
        F.addFnAttr(Model->getFnAttribute(Kind));
  }
}

/// Variables of the device: the host has a shadow of each that it names, to
/// tell the runtime of it. Here both are one.
static void unifyVariables(Module &M,
                           const StringMap<std::string> &DeviceName) {
  for (auto &Entry : DeviceName) {
    GlobalVariable *Device = M.getNamedGlobal(Entry.second);
    if (!Device)
      continue;
    GlobalVariable *Shadow = M.getNamedGlobal(Entry.first());
    // A constant that both halves read is a variable of the host, too, which
    // other files may name.
    bool Both = Shadow && Shadow != Device && !Shadow->isDeclaration() &&
                !Shadow->hasLocalLinkage() && Shadow->isConstant();
    if (Both) {
      Device->replaceAllUsesWith(Shadow);
      Device->eraseFromParent();
      continue;
    }
    if (Shadow && Shadow != Device) {
      Shadow->replaceAllUsesWith(Device);
      Shadow->eraseFromParent();
    }
    Device->setLinkage(GlobalValue::InternalLinkage);
    Device->setExternallyInitialized(false);
    Device->setConstant(false); // the host writes __constant__ variables
    Device->setVisibility(GlobalValue::DefaultVisibility);
  }
}

/// The table of this module's kernels, and a constructor that hands it to the
/// runtime.
static void registerKernels(Module &M, ArrayRef<LoweredKernel> Kernels,
                            uint64_t WindowBytes, const OffloadOptions &Options,
                            const StringMap<Constant *> *Handles) {
  LLVMContext &Ctx = M.getContext();
  StringMap<const LoweredKernel *> ByName;
  for (const LoweredKernel &K : Kernels)
    ByName[K.Name] = &K;
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx);
  // struct RgKernel of runtime/cuda/Abi.h.
  StructType *Record = StructType::get(
      Ctx, {Ptr, Ptr, Ptr, I64, I64, I64, I64, I64, I64, I64, Ptr});
  SmallVector<Constant *, 8> Records;
  IRBuilder<> B(Ctx);
  SmallVector<std::pair<Constant *, std::string>, 8> Hosts;
  if (Handles) {
    for (const auto &[Kernel, Handle] : *Handles)
      Hosts.push_back({Handle, Kernel.str()});
  } else {
    for (Function &F : M)
      Hosts.push_back({&F, kernelOfStub(F.getName())});
  }
  for (auto &[F, Kernel] : Hosts) {
    auto It = ByName.find(Kernel);
    if (It == ByName.end())
      continue;
    const LoweredKernel &K = *It->second;
    Constant *Name =
        B.CreateGlobalString(userName(K.Name), "rg.kernel.name", 0, &M);
    Constant *Sizes = ConstantDataArray::get(Ctx, ArrayRef(K.Sizes));
    auto *SizesAt =
        new GlobalVariable(M, Sizes->getType(), /*isConstant=*/true,
                           GlobalValue::PrivateLinkage, Sizes, "rg.sizes");
    Records.push_back(ConstantStruct::get(
        Record,
        {F, Name, M.getFunction(K.Name), ConstantInt::get(I64, K.StaticShared),
         ConstantInt::get(I64, K.ScratchPerThread),
         ConstantInt::get(I64, K.MaxThreads),
         ConstantInt::get(I64, K.DynamicParts),
         ConstantInt::get(I64, K.MovedBytes),
         ConstantInt::get(I64, WindowBytes),
         ConstantInt::get(I64, K.Sizes.size()), SizesAt}));
  }
  for (const LoweredKernel &K : Kernels)
    if (Function *F = M.getFunction(K.Name))
      F->setLinkage(GlobalValue::InternalLinkage),
          F->setVisibility(GlobalValue::DefaultVisibility);
  if (Records.empty())
    return;
  auto *TableType = ArrayType::get(Record, Records.size());
  auto *Table =
      new GlobalVariable(M, TableType, true, GlobalValue::PrivateLinkage,
                         ConstantArray::get(TableType, Records), "rg.kernels");
  Function *Ctor =
      Function::Create(FunctionType::get(Type::getVoidTy(Ctx), false),
                       GlobalValue::InternalLinkage, "rg.register.kernels", M);
  Ctor->addFnAttr(Attribute::NoUnwind);
  B.SetInsertPoint(BasicBlock::Create(Ctx, "entry", Ctor));
  if (Options.checks())
    B.CreateCall(
        M.getOrInsertFunction("rg_cuda_check_wanted", Type::getVoidTy(Ctx)));
  if (Options.Interleave)
    B.CreateCall(
        M.getOrInsertFunction("rg_cuda_order_wanted", Type::getVoidTy(Ctx)));
  B.CreateCall(
      M.getOrInsertFunction("rg_cuda_register", Type::getVoidTy(Ctx), Ptr, I64),
      {Table, B.getInt64(Records.size())});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Ctor, 0);
}

PreservedAnalyses OffloadPass::run(Module &M, ModuleAnalysisManager &) {
  SMDiagnostic Error;
  std::unique_ptr<Module> D = parseIRFile(Image, Error, M.getContext());
  if (!D) {
    DiagnosticEngine Diags(M);
    Diags.report(DiagId::OffloadImage, nullptr, {},
                 {Image, Error.getMessage()});
    Diags.finish();
    return PreservedAnalyses::all();
  }
  return bringDeviceHalf(M, std::move(D), Options, nullptr)
             ? PreservedAnalyses::none()
             : PreservedAnalyses::all();
}

/// What the pipeline's start does for the first half, which comes before it.
static void simplifyLowered(Module &D) {
  FreshAnalyses Own;
  Own.PB
      .buildModuleSimplificationPipeline(OptimizationLevel::O2,
                                         ThinOrFullLTOPhase::None)
      .run(D, Own.MAM);
}

/// The variable of M that the device's variable G is, if an earlier half
/// brought it.
static GlobalVariable *broughtAs(Module &M, const GlobalVariable &G) {
  if (GlobalVariable *V = M.getNamedGlobal(("rg.device." + G.getName()).str()))
    return V;
  GlobalVariable *V = M.getNamedGlobal(G.getName());
  return V && V->isConstant() && !V->isDeclaration() ? V : nullptr;
}

bool retrograd::bringDeviceHalf(Module &M, std::unique_ptr<Module> D,
                                OffloadOptions Options,
                                const StringMap<Constant *> *Handles) {
  DiagnosticEngine Diags(*D); // messages stand at device functions
  // AddressSanitizer knows variables of a stack: those of a thread stay there
  // unless barriers lie between.
  if (any_of(M, [](const Function &F) {
        return F.hasFnAttribute(Attribute::SanitizeAddress);
      }))
    Options.CutLoops = Options.LockStep = false;
  // Nothing may be taken out that the order of threads can be seen by.
  if (Options.Interleave)
    Options.CutLoops = Options.LockStep = Options.Limit = Options.Edges =
        Options.EliminateBarriers = Options.MoveBarriers =
            Options.ForwardStores = Options.HoistLoads = Options.Collapse =
                Options.Parallel = false;
  DeviceModule Device(*D, Options, Diags);
  StringMap<std::string> DeviceName;
  SmallVector<std::string, 4> Shared; // variables that the first half brought
  if (!Device.prepare() || !Device.lower()) {
    Diags.finish();
    return false;
  }
  adoptHostAttributes(*D, M);

  // Nothing of the device half may meet a function or variable of the host
  // half.
  StringSet<> KernelNames;
  for (const LoweredKernel &K : Device.kernels())
    KernelNames.insert(K.Name);
  for (Function &F : *D)
    if (!F.isDeclaration() && !KernelNames.contains(F.getName())) {
      F.setComdat(nullptr);
      F.setVisibility(GlobalValue::DefaultVisibility);
      F.setLinkage(GlobalValue::InternalLinkage);
    } else {
      F.setComdat(nullptr);
      if (F.isDeclaration())
        F.setDSOLocal(false); // a device knows one object; the C library is
                              // another one here
    }
  for (GlobalVariable &GV : D->globals()) {
    if (GV.isDeclaration()) {
      GV.setDSOLocal(false);
      continue;
    }
    GV.setComdat(nullptr);
    if (GlobalVariable *Known = Handles && GV.isExternallyInitialized()
                                    ? broughtAs(M, GV)
                                    : nullptr) {
      GV.setInitializer(nullptr);
      GV.setExternallyInitialized(false);
      GV.setLinkage(GlobalValue::ExternalLinkage);
      GV.setName(Known->getName());
      if (Known->hasLocalLinkage()) {
        Known->setLinkage(GlobalValue::ExternalLinkage);
        Known->setVisibility(GlobalValue::HiddenVisibility);
        Shared.push_back(Known->getName().str());
      }
      continue;
    }
    if (GV.isExternallyInitialized()) {
      std::string Name = GV.getName().str();
      GV.setName("rg.device." + Name);
      DeviceName[Name] = GV.getName().str();
      GV.setLinkage(GlobalValue::ExternalLinkage);
      GV.setVisibility(GlobalValue::HiddenVisibility);
    } else if (!GV.hasAppendingLinkage()) {
      GV.setVisibility(GlobalValue::DefaultVisibility);
      GV.setLinkage(GlobalValue::InternalLinkage);
    }
  }
  if (NamedMDNode *Flags = D->getModuleFlagsMetadata()) {
    SmallVector<Module::ModuleFlagEntry, 8> Entries;
    D->getModuleFlagsMetadata(Entries);
    Flags->clearOperands();
    for (const Module::ModuleFlagEntry &E : Entries)
      if (E.Key->getString() == "Debug Info Version")
        D->addModuleFlag(E.Behavior, E.Key->getString(), E.Val);
  }
  for (const char *Name :
       {"llvm.ident", "nvvm.annotations", "nvvmir.version", "llvm.errno.tbaa"})
    if (NamedMDNode *MD = D->getNamedMetadata(Name))
      MD->eraseFromParent();
  D->setTargetTriple(M.getTargetTriple());
  D->setDataLayout(M.getDataLayout());
  D->setModuleInlineAsm("");
  if (Options.Print)
    for (const LoweredKernel &K : Device.kernels())
      D->getFunction(K.Name)->print(outs());
  std::string Broken;
  raw_string_ostream Text(Broken);
  if (verifyModule(*D, &Text)) {
    Diags.report(DiagId::InternalError, nullptr, {},
                 {"the lowered kernels are not valid: " + Broken});
    Diags.finish();
    return false;
  }
  Diags.finish();
  if (Handles)
    simplifyLowered(*D);
  if (Linker::linkModules(M, std::move(D))) {
    DiagnosticEngine Late(M);
    Late.report(DiagId::InternalError, nullptr, {},
                {"the two halves of the program do not link"});
    Late.finish();
    return false;
  }
  for (StringRef Name : Shared) {
    GlobalVariable *V = M.getNamedGlobal(Name);
    V->setVisibility(GlobalValue::DefaultVisibility);
    V->setLinkage(GlobalValue::InternalLinkage);
  }
  unifyVariables(M, DeviceName);
  registerKernels(M, Device.kernels(), Device.windowBytes(), Options, Handles);
  return true;
}
