//===- UserModule.cpp - the user's file as IR, and its functions ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UserModule.h"
#include "CheckRun.h"
#include "Decisions.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace retrograd;

/// Runs the driver beside this tool into an IR file and reads that. Null if it
/// fails.
static std::unique_ptr<Module> compile(const Invocation &I,
                                       StringRef DriverName,
                                       std::vector<std::string> Words,
                                       LLVMContext &Context) {
  SmallString<128> Output;
  if (sys::fs::createTemporaryFile("retrograd-doctor", "ll", Output))
    return nullptr;
  SmallString<256> Driver(I.BinDirectory);
  sys::path::append(Driver, DriverName);
  Words.insert(Words.begin(),
               {"-w", "-S", "-emit-llvm", "-o", Output.str().str(), "-mllvm",
                "-enzyme-enable=0"});
  Words.insert(Words.end(), I.Flags.begin(), I.Flags.end());
  // At -O0 each call and each operation is still at its line.
  Words.insert(Words.end(), {"-O0", "-g"});
  std::vector<StringRef> All{Driver};
  All.insert(All.end(), Words.begin(), Words.end());
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M;
  if (sys::ExecuteAndWait(Driver, All) == 0)
    M = parseIRFile(Output, Diagnostic, Context);
  if (M)
    linkBitcode(*M, I.Flags);
  (void)sys::fs::remove(Output);
  return M;
}

std::unique_ptr<Module> retrograd::readModule(const Invocation &I,
                                              LLVMContext &Context) {
  if (I.isCuda()) { // Device functions are in the device's half.
    std::vector<std::string> Words = readingFlags(I);
    Words.insert(Words.end(),
                 {"-Xclang", "-target-feature", "-Xclang", "+ptx88",
                  "--cuda-device-only", "--offload-arch=sm_90",
                  "--cuda-noopt-device-debug", "-Wno-unknown-cuda-version",
                  I.File});
    return compile(I, "rg-clang++", std::move(Words), Context);
  }
  return compile(I,
                 StringRef(I.File).ends_with(".c") ? "rg-clang" : "rg-clang++",
                 {I.File}, Context);
}

std::string retrograd::place(const Invocation &I, unsigned Line) {
  return I.Shown + ":" + std::to_string(Line);
}

unsigned retrograd::lineOf(const Function *F) {
  return F && F->getSubprogram() ? F->getSubprogram()->getLine() : 0;
}

std::string retrograd::nameInSource(const Function &F) {
  return F.getSubprogram() ? qualifiedName(*F.getSubprogram()) : "";
}

bool retrograd::isMaker(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  const auto *Class =
      SP ? dyn_cast_or_null<DICompositeType>(SP->getScope()) : nullptr;
  auto Plain = [](StringRef Name) {
    return Name.take_until([](char C) { return C == '<'; });
  };
  return SP && (SP->getName().starts_with("~") ||
                (Class && Plain(SP->getName()) == Plain(Class->getName())));
}

bool retrograd::isSystem(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  if (!SP)
    return true;
  StringRef Directory = SP->getDirectory(), Name = SP->getFilename();
  SmallString<256> Path = Name;
  if (!sys::path::is_absolute(Name)) {
    Path = Directory;
    sys::path::append(Path, Name);
  }
  return StringRef(Path).starts_with("/usr/") ||
         sys::path::filename(Name).starts_with("__clang_cuda");
}

bool retrograd::areTogether(const Function &F) {
  SmallVector<const Function *, 8> Work{&F};
  DenseSet<const Function *> Seen{&F};
  while (!Work.empty())
    for (const Instruction &Inst : instructions(*Work.pop_back_val()))
      if (const auto *C = dyn_cast<CallBase>(&Inst))
        if (const Function *Callee = C->getCalledFunction()) {
          StringRef Name = Callee->getName();
          if (Name.starts_with("llvm.nvvm.read.ptx") ||
              Name.starts_with("llvm.nvvm.barrier") ||
              Name.starts_with("llvm.nvvm.bar") ||
              Name.starts_with("llvm.nvvm.shfl") ||
              Name.starts_with("llvm.nvvm.vote"))
            return true;
          if (!Callee->isDeclaration() && Seen.insert(Callee).second)
            Work.push_back(Callee);
        }
  return false;
}

bool retrograd::branchesOnNumber(const Instruction &I) {
  const auto *C = dyn_cast<FCmpInst>(&I);
  if (!C)
    return false;
  return any_of(C->users(),
                [](const User *U) { return isa<BranchInst, SelectInst>(U); });
}
