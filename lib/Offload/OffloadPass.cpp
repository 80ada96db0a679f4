//===- OffloadPass.cpp - CUDA kernels in a host module -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/OffloadPass.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Offload/DeviceModule.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// The device's symbol of the kernel that a host stub launches, or "": the
/// unqualified name in the stub's symbol starts with __device_stub__, and its
/// length counts it.
static std::string kernelOfStub(StringRef Stub) {
  constexpr StringLiteral Mark("__device_stub__");
  size_t At = Stub.find(Mark);
  if (At == StringRef::npos)
    return "";
  size_t Digits = At;
  while (Digits && isDigit(Stub[Digits - 1]))
    --Digits;
  StringRef Rest = Stub.drop_front(At + Mark.size());
  unsigned Length;
  if (Stub.slice(Digits, At).getAsInteger(10, Length))
    return (Stub.take_front(At) + Rest).str(); // extern "C"
  return (Stub.take_front(Digits) + Twine(Length - Mark.size()) + Rest).str();
}

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
                            uint64_t WindowBytes, bool Checks) {
  LLVMContext &Ctx = M.getContext();
  StringMap<const LoweredKernel *> ByName;
  for (const LoweredKernel &K : Kernels)
    ByName[K.Name] = &K;
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx);
  // struct RgKernel of runtime/cuda/Abi.h.
  StructType *Record =
      StructType::get(Ctx, {Ptr, Ptr, Ptr, I64, I64, I64, I64, I64});
  SmallVector<Constant *, 8> Records;
  IRBuilder<> B(Ctx);
  SmallVector<Function *, 8> Stubs;
  for (Function &F : M)
    Stubs.push_back(&F);
  for (Function *F : Stubs) {
    auto It = ByName.find(kernelOfStub(F->getName()));
    if (It == ByName.end())
      continue;
    const LoweredKernel &K = *It->second;
    Constant *Name =
        B.CreateGlobalString(userName(K.Name), "rg.kernel.name", 0, &M);
    Records.push_back(
        ConstantStruct::get(Record, {F, Name, M.getFunction(K.Name),
                                     ConstantInt::get(I64, K.StaticShared),
                                     ConstantInt::get(I64, K.ScratchPerThread),
                                     ConstantInt::get(I64, K.MaxThreads),
                                     ConstantInt::get(I64, K.DynamicParts),
                                     ConstantInt::get(I64, WindowBytes)}));
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
  if (Checks)
    B.CreateCall(
        M.getOrInsertFunction("rg_cuda_check_wanted", Type::getVoidTy(Ctx)));
  B.CreateCall(
      M.getOrInsertFunction("rg_cuda_register", Type::getVoidTy(Ctx), Ptr, I64),
      {Table, B.getInt64(Records.size())});
  B.CreateRetVoid();
  appendToGlobalCtors(M, Ctor, 0);
}

PreservedAnalyses OffloadPass::run(Module &M, ModuleAnalysisManager &) {
  SMDiagnostic Error;
  std::unique_ptr<Module> D = parseIRFile(Image, Error, M.getContext());
  DiagnosticEngine Diags(D ? *D : M); // messages stand at device functions
  if (!D) {
    Diags.report(DiagId::OffloadImage, nullptr, {},
                 {Image, Error.getMessage()});
    Diags.finish();
    return PreservedAnalyses::all();
  }
  // AddressSanitizer knows variables of a stack: those of a thread stay there
  // unless barriers lie between.
  if (any_of(M, [](const Function &F) {
        return F.hasFnAttribute(Attribute::SanitizeAddress);
      }))
    Options.CutLoops = Options.LockStep = false;
  DeviceModule Device(*D, Options, Diags);
  StringMap<std::string> DeviceName;
  if (!Device.prepare() || !Device.lower()) {
    Diags.finish();
    return PreservedAnalyses::all();
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
    return PreservedAnalyses::all();
  }
  Diags.finish();
  if (Linker::linkModules(M, std::move(D))) {
    DiagnosticEngine Late(M);
    Late.report(DiagId::InternalError, nullptr, {},
                {"the two halves of the program do not link"});
    Late.finish();
    return PreservedAnalyses::all();
  }
  unifyVariables(M, DeviceName);
  registerKernels(M, Device.kernels(), Device.windowBytes(), Options.checks());
  return PreservedAnalyses::none();
}
