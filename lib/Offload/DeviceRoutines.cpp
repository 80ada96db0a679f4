//===- DeviceRoutines.cpp - answers for intrinsics of NVVM ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/DeviceRoutines.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Offload/CrossingValues.h"
#include "Offload/SplitPoints.h"
#include "Support/Kernels.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;
using namespace retrograd;

#include "DeviceLibrary.inc"

Function *retrograd::dynamicSize(Module &D) {
  auto *F = cast<Function>(
      D.getOrInsertFunction(DynamicSizeName, Type::getInt32Ty(D.getContext()))
          .getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::WillReturn);
  return F;
}

/// Intrinsics that the device library answers: llvm.nvvm.a.b -> rg_nvvm_a_b.
static std::string libraryName(StringRef Intrinsic) {
  Intrinsic.consume_front("llvm.nvvm.");
  std::string Name = "rg_nvvm_";
  for (char C : Intrinsic)
    Name += C == '.' ? '_' : C;
  return Name;
}

std::string retrograd::registerRoutine(StringRef Register) {
  Register.consume_front("llvm.nvvm.read.ptx.sreg.");
  std::string Name = "rg_sreg_";
  for (char C : Register)
    Name += C == '.' ? '_' : C;
  return Name;
}

static std::unique_ptr<Module> openLibrary(LLVMContext &Ctx) {
  MemoryBufferRef Bytes(
      StringRef(reinterpret_cast<const char *>(RetrogradDeviceLibrary),
                RetrogradDeviceLibrarySize),
      "retrograd device library");
  Expected<std::unique_ptr<Module>> Parsed = getLazyBitcodeModule(Bytes, Ctx);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    return nullptr;
  }
  return std::move(*Parsed);
}

/// Functions that the C library and the runtime provide under the name that
/// device code calls them by.
static bool isProvided(StringRef Name) {
  static constexpr StringRef Names[] = {
      "vprintf", "malloc", "free",    "__assertfail", "__assert_fail",
      "memcpy",  "memset", "memmove", "abort",        "__cxa_pure_virtual"};
  return is_contained(Names, Name) || Name.starts_with("rg_") ||
         Name.starts_with("rg.");
}

bool retrograd::refuseUnknown(Module &D, DiagnosticEngine &Diags) {
  std::unique_ptr<Module> Library = openLibrary(D.getContext());
  auto InLibrary = [&](StringRef Name) {
    Function *F = Library ? Library->getFunction(Name) : nullptr;
    return F && !F->isDeclaration();
  };
  bool Fine = true;
  for (Function &F : D)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (auto *A = dyn_cast<AllocaInst>(&I);
          A && isDeviceKernel(F) && !isa<Constant>(A->getArraySize())) {
        Diags.report(DiagId::OffloadStack, A, {}, {userName(F)});
        Fine = false;
      }
      auto *Call = dyn_cast<CallInst>(&I);
      if (!Call)
        continue;
      if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
        if (!Asm->getAsmString().empty()) {
          Diags.report(DiagId::OffloadAssembly, Call, {},
                       {StringRef(Asm->getAsmString())});
          Fine = false;
        }
        continue;
      }
      Function *Callee = Call->getCalledFunction();
      if (!Callee || !Callee->isDeclaration())
        continue;
      StringRef Name = Callee->getName();
      if (Callee->isIntrinsic()) {
        if (!Name.starts_with("llvm.nvvm.") ||
            (isSpecialRegister(*Call) && InLibrary(registerRoutine(Name))))
          continue;
        bool IsSplit = isSplitOperation(*Call);
        if (IsSplit && !Name.contains(".count"))
          continue;
        if (!IsSplit && InLibrary(libraryName(Name)))
          continue;
        Diags.report(DiagId::OffloadIntrinsic, Call, {}, {Name});
        Fine = false;
      } else if (!isProvided(Name) && !InLibrary(Name)) {
        Diags.report(DiagId::OffloadUndefined, Call, {}, {userName(*Callee)});
        Fine = false;
      }
    }
  return Fine;
}

bool retrograd::linkLibrary(Module &D) {
  // Names that mean something else on the host.
  static constexpr std::pair<StringRef, StringRef> Renamed[] = {
      {"vprintf", "rg_cuda_vprintf"},
      {"__assertfail", "rg_cuda_assertfail"},
      {"llvm.trap", "rg_cuda_trap"}};
  for (auto [Old, New] : Renamed)
    if (Function *F = D.getFunction(Old); F && F->isDeclaration()) {
      Function *Routine = cast<Function>(
          D.getOrInsertFunction(New, F->getFunctionType()).getCallee());
      F->replaceAllUsesWith(Routine);
      F->eraseFromParent();
    }
  for (Function &F : make_early_inc_range(D)) {
    if (!F.isIntrinsic() || !F.getName().starts_with("llvm.nvvm."))
      continue;
    if (!F.use_empty()) {
      Function *Routine = cast<Function>(
          D.getOrInsertFunction(libraryName(F.getName()), F.getFunctionType())
              .getCallee());
      F.replaceAllUsesWith(Routine);
    }
    F.eraseFromParent();
  }
  std::unique_ptr<Module> Library = openLibrary(D.getContext());
  if (!Library)
    return false;
  D.setTargetTriple(Library->getTargetTriple());
  D.setDataLayout(Library->getDataLayout());
  if (Linker::linkModules(D, std::move(Library), Linker::LinkOnlyNeeded,
                          [](Module &M, const StringSet<> &Linked) {
                            internalizeModule(M, [&](const GlobalValue &GV) {
                              return !Linked.contains(GV.getName());
                            });
                          }))
    return false;
  return true;
}
