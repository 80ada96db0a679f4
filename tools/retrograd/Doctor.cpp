//===- Doctor.cpp - where a wrong derivative comes from -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Runs the driver beside this tool into an IR file and reads that. Null if it fails.
std::unique_ptr<Module> compile(const Invocation &I, StringRef DriverName, std::vector<std::string> Words,
                                LLVMContext &Context) {
  SmallString<128> Output;
  if (sys::fs::createTemporaryFile("retrograd-doctor", "ll", Output))
    return nullptr;
  SmallString<256> Driver(I.BinDirectory);
  sys::path::append(Driver, DriverName);
  Words.insert(Words.begin(), {"-w", "-S", "-emit-llvm", "-o", Output.str().str(), "-mllvm", "-enzyme-enable=0"});
  Words.insert(Words.end(), I.Flags.begin(), I.Flags.end());
  // At -O0 each call and each operation is still at its line.
  Words.insert(Words.end(), {"-O0", "-g"});
  std::vector<StringRef> All{Driver};
  All.insert(All.end(), Words.begin(), Words.end());
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M;
  if (sys::ExecuteAndWait(Driver, All) == 0)
    M = parseIRFile(Output, Diagnostic, Context);
  sys::fs::remove(Output);
  return M;
}

/// The user's file as IR with lines, without derivatives. Null if it cannot be had.
std::unique_ptr<Module> readModule(const Invocation &I, LLVMContext &Context) {
  if (I.isCuda()) { // Device functions are in the device's half.
    std::vector<std::string> Words = readingFlags(I);
    Words.insert(Words.end(), {"-Xclang", "-target-feature", "-Xclang", "+ptx88", "--cuda-device-only", "--offload-arch=sm_90", "--cuda-noopt-device-debug",
                               "-Wno-unknown-cuda-version", I.File});
    return compile(I, "rg-clang++", std::move(Words), Context);
  }
  return compile(I, StringRef(I.File).ends_with(".c") ? "rg-clang" : "rg-clang++", {I.File}, Context);
}

/// The name by which the user's program calls F; empty for what has no line.
std::string userName(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  if (!SP)
    return {};
  std::string Name = SP->getName().str();
  for (const DIScope *S = SP->getScope(); S; S = S->getScope())
    if (isa<DINamespace, DICompositeType>(S) && !S->getName().empty())
      Name = S->getName().str() + "::" + Name;
  return Name;
}

std::string place(const Invocation &I, unsigned Line) {
  return I.Shown + ":" + std::to_string(Line);
}

/// Registered by the user for F: what is said about it.
struct Registration {
  std::string What;
  const Function *Rule = nullptr; ///< the last function named, whose line is given
};

std::vector<Registration> registrationsOf(const Function &F) {
  std::vector<Registration> Found;
  for (const GlobalVariable &G : F.getParent()->globals()) {
    StringRef Name = G.getName();
    size_t At = Name.find("__enzyme_");
    if (At == StringRef::npos || !G.hasInitializer())
      continue;
    Name = Name.drop_front(At);
    SmallVector<const Function *, 4> Named;
    auto Collect = [&](auto &&Self, const Constant *C) -> void {
      if (const auto *Fn = dyn_cast<Function>(C->stripPointerCasts()))
        Named.push_back(Fn);
      else
        for (const Use &U : C->operands())
          if (const auto *Part = dyn_cast<Constant>(U.get()))
            Self(Self, Part);
    };
    Collect(Collect, G.getInitializer());
    if (Named.empty() || Named[0] != &F)
      continue;
    if (Name.starts_with("__enzyme_register_gradient"))
      Found.push_back({"the reverse rule that is registered for it does not fit it",
                       Named.size() > 1 ? Named.back() : nullptr});
    else if (Name.starts_with("__enzyme_register_derivative"))
      Found.push_back({"the forward rule that is registered for it does not fit it",
                       Named.size() > 1 ? Named.back() : nullptr});
    else if (Name.starts_with("__enzyme_inactivefn"))
      Found.push_back({"it is marked as inactive, so its derivative is dropped", nullptr});
    else if (Name.starts_with("__enzyme_function_like"))
      Found.push_back({"it is declared to be like another function, and is not", nullptr});
  }
  return Found;
}

/// A comparison of numbers that decides a branch.
bool branchesOnNumber(const Instruction &I) {
  const auto *C = dyn_cast<FCmpInst>(&I);
  if (!C)
    return false;
  return any_of(C->users(), [](const User *U) { return isa<BranchInst, SelectInst>(U); });
}

/// Do threads that run F have to do with each other: does it ask who they are, or wait for them?
bool areTogether(const Function &F) {
  SmallVector<const Function *, 8> Work{&F};
  DenseSet<const Function *> Seen{&F};
  while (!Work.empty())
    for (const Instruction &Inst : instructions(*Work.pop_back_val()))
      if (const auto *C = dyn_cast<CallBase>(&Inst))
        if (const Function *Callee = C->getCalledFunction()) {
          StringRef Name = Callee->getName();
          if (Name.starts_with("llvm.nvvm.read.ptx") || Name.starts_with("llvm.nvvm.barrier") ||
              Name.starts_with("llvm.nvvm.bar") || Name.starts_with("llvm.nvvm.shfl") ||
              Name.starts_with("llvm.nvvm.vote"))
            return true;
          if (!Callee->isDeclaration() && Seen.insert(Callee).second)
            Work.push_back(Callee);
        }
  return false;
}

class Doctor {
public:
  Doctor(const Invocation &I, Module &M,
         function_ref<Health(const std::string &, bool, std::string &)> Examine,
         function_ref<std::optional<Decision>(const std::string &, bool)> Measure)
      : I(I), M(M), Examine(Examine), Measure(Measure) {}

  void run() {
    // "f(double)" names one of several: the module knows them by name alone.
    StringRef Plain = StringRef(I.Function).take_until([](char C) { return C == '('; });
    const Function *Root = nullptr;
    for (const Function &F : M)
      if (!F.isDeclaration() && (userName(F) == Plain || F.getName() == Plain))
        Root = &F;
    if (!Root)
      return;
    Seen.insert(Root);
    descend(*Root);
  }

private:
  /// F is wrong. Is one of its callees?
  void descend(const Function &F) {
    SmallVector<std::pair<const Function *, unsigned>, 8> Callees;
    for (const Instruction &Inst : instructions(F))
      if (const auto *C = dyn_cast<CallBase>(&Inst))
        if (const Function *Callee = C->getCalledFunction())
          if (!Callee->isDeclaration() && Seen.insert(Callee).second)
            Callees.push_back({Callee, Inst.getDebugLoc() ? Inst.getDebugLoc().getLine() : 0});
    SmallVector<std::string, 4> Skipped;
    std::pair<const Function *, unsigned> Doubtful{nullptr, 0};
    for (auto [Callee, Line] : Callees) {
      std::string Name = userName(*Callee), Reason;
      if (Name.empty())
        continue;
      Health H = Examine(Name, areTogether(*Callee), Reason);
      if (H == Health::Wrong) {
        outs() << place(I, Line) << ": '" << userName(F) << "' calls '" << Name
               << "', whose own derivative is wrong\n";
        return descend(*Callee);
      }
      if (H == Health::Unsure && !Doubtful.first)
        Doubtful = {Callee, Line};
      if (H == Health::Unknown)
        Skipped.push_back("'" + Name + "'" + (Reason.empty() ? "" : " (" + Reason + ")"));
    }
    if (Doubtful.first) {
      outs() << place(I, Doubtful.second) << ": '" << userName(F) << "' calls '"
             << userName(*Doubtful.first) << "', which differences cannot judge\n";
      return descend(*Doubtful.first);
    }
    name(F);
    if (!Skipped.empty())
      outs() << "  not examined by itself: " << join(Skipped, ", ") << "\n";
  }

  /// F is wrong, and nothing that it calls is known to be.
  void name(const Function &F) {
    unsigned Line = F.getSubprogram() ? F.getSubprogram()->getLine() : 0;
    std::vector<Registration> Registered = registrationsOf(F);
    for (const Registration &R : Registered) {
      unsigned At = R.Rule && R.Rule->getSubprogram() ? R.Rule->getSubprogram()->getLine() : Line;
      outs() << place(I, At) << ": the fault is in '" << userName(F) << "': " << R.What << "\n";
    }
    if (!Registered.empty())
      return;
    if (std::optional<Decision> D = Measure(userName(F), areTogether(F))) {
      bool Own = sys::path::filename(D->File) == sys::path::filename(I.File);
      outs() << (Own ? place(I, D->Line) : D->File + ":" + std::to_string(D->Line))
             << ": the fault is in '" << (Own && D->Function == F.getSubprogram()->getName() ? userName(F) : D->Function)
             << "': " << D->What << "\n  measured: a small step of " << D->Number
             << " changes its outcome, at execution " << D->Time << " of this operation\n";
      return;
    }
    for (const Instruction &Inst : instructions(F))
      if (const char *Why = notDifferentiable(Inst)) {
        const DebugLoc &L = Inst.getDebugLoc();
        outs() << place(I, L ? L.getLine() : Line) << ": the fault is in '" << userName(F)
               << "': " << Why << "\n";
        return;
      }
    for (const Instruction &Inst : instructions(F))
      if (branchesOnNumber(Inst)) {
        const DebugLoc &L = Inst.getDebugLoc();
        outs() << place(I, L ? L.getLine() : Line) << ": the fault may be in '" << userName(F)
               << "': it branches on a number here\n";
        return;
      }
    outs() << place(I, Line) << ": the fault is in '" << userName(F)
           << "' itself, and nothing in it is known to have no derivative; please report it\n";
  }

  const Invocation &I;
  Module &M;
  function_ref<Health(const std::string &, bool, std::string &)> Examine;
  function_ref<std::optional<Decision>(const std::string &, bool)> Measure;
  DenseSet<const Function *> Seen;
};

} // namespace

void retrograd::diagnose(const Invocation &I,
                         function_ref<Health(const std::string &, bool, std::string &)> Examine,
                         function_ref<std::optional<Decision>(const std::string &, bool)> Measure) {
  LLVMContext Context;
  if (std::unique_ptr<Module> M = readModule(I, Context))
    Doctor(I, *M, Examine, Measure).run();
}
