//===- DeviceLibrary.cpp - libraries of GPUs while derivatives are made ---===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/DeviceLibrary.h"
#include "Catalogue/Catalogue.h"
#include "Polish/CleanUp.h"
#include "Polish/DeviceReductions.h"
#include "Polish/GatherNeighbours.h"
#include "Polish/KnownSpaces.h"
#include "Polish/OneAddition.h"
#include "Polish/PairSines.h"
#include "Polish/PolishSteps.h"
#include "Polish/SwapBlocks.h"
#include "Polish/ZeroShares.h"
#include "Polish/ZeroWays.h"
#include "Request/EntryCalls.h"
#include "Support/DeviceMarks.h"
#include "Support/Options.h"
#include "Target/DeviceReflection.h"
#include "Target/Target.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/IRMover.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

constexpr const char *FilesOfLibraries = "rg.device.libraries";

static bool concerns(const Module &M) {
  return Target(M).manyThreads() && hasEntryCalls(M);
}

PreservedAnalyses NoteLibrariesPass::run(Module &M, ModuleAnalysisManager &) {
  if (!concerns(M) && !(Always && Target(M).manyThreads()))
    return PreservedAnalyses::all();
  NamedMDNode *Node = M.getOrInsertNamedMetadata(FilesOfLibraries);
  for (const std::string &File : Files)
    Node->addOperand(
        MDNode::get(M.getContext(), MDString::get(M.getContext(), File)));
  return PreservedAnalyses::all();
}

PreservedAnalyses HoldLibraryPass::run(Module &M, ModuleAnalysisManager &) {
  if (!concerns(M))
    return PreservedAnalyses::all();
  Catalogue Cat;
  bool Any = false;
  for (Function &F : M) {
    if (F.isDeclaration() || F.isIntrinsic())
      continue;
    const OperationRecord *R = Cat.named(F.getName(), F.getFunctionType());
    if (!R || R->Class == RuleClass::Inactive) // what has no derivative may as
                                               // well be seen through
      continue;
    bool Inline = F.hasFnAttribute(Attribute::AlwaysInline);
    F.addFnAttr(HeldLibraryFunction, Inline ? "inline" : "");
    F.removeFnAttr(Attribute::AlwaysInline);
    F.addFnAttr(Attribute::NoInline);
    // Nobody shall drop or fold its parameters while it is held.
    F.setLinkage(GlobalValue::ExternalLinkage);
    if (R->Pure) { // mathematics does not touch the program's memory
      F.setMemoryEffects(MemoryEffects::none());
      F.setDoesNotThrow();
      F.addFnAttr(Attribute::WillReturn);
      F.removeFnAttr(Attribute::Convergent);
      F.removeFnAttr(Attribute::OptimizeNone);
      for (User *U : F.users())
        if (auto *Call = dyn_cast<CallBase>(U);
            Call && Call->getCalledOperand() == &F)
          Call->removeFnAttr(Attribute::Convergent);
    }
    Any = true;
  }
  return Any ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

/// Functions of the device libraries that derivatives call and the program does
/// not.
static void linkMissing(Module &M, const Function &Like) {
  NamedMDNode *Node = M.getNamedMetadata(FilesOfLibraries);
  if (!Node)
    return;
  SmallVector<std::string, 4> Files;
  for (MDNode *N : Node->operands())
    Files.push_back(cast<MDString>(N->getOperand(0))->getString().str());
  for (const std::string &File : Files) {
    SMDiagnostic Ignored;
    std::unique_ptr<Module> Library =
        getLazyIRFileModule(File, Ignored, M.getContext());
    if (!Library)
      continue;
    SmallVector<GlobalValue *, 8> Wanted;
    SmallVector<std::string, 8> Names;
    for (const Function &F : M)
      if (F.isDeclaration() && !F.isIntrinsic() && !F.use_empty())
        if (Function *Body = Library->getFunction(F.getName());
            Body && !Body->isDeclaration())
          Wanted.push_back(Body);
    if (Wanted.empty())
      continue;
    Library->setDataLayout(M.getDataLayout());
    Library->setTargetTriple(M.getTargetTriple());
    while (!Library->named_metadata_empty())
      Library->eraseNamedMetadata(&*Library->named_metadata_begin());
    for (GlobalValue *GV : Wanted)
      Names.push_back(GV->getName().str());
    auto AddWhatIsNeeded = [&](GlobalValue &GV,
                               const IRMover::ValueAdder &Add) {
      const GlobalValue *Present = M.getNamedValue(GV.getName());
      if (GV.isDeclaration() || GV.hasLocalLinkage() ||
          (Present && !Present->isDeclaration()))
        return;
      Names.push_back(GV.getName().str());
      Add(GV);
    };
    if (Error E = IRMover(M).move(std::move(Library), Wanted, AddWhatIsNeeded,
                                  /*IsPerformingImport=*/false)) {
      consumeError(std::move(E));
      continue; // the linker will say what is missing
    }
    for (const std::string &Name : Names)
      if (auto *GV = M.getNamedValue(Name); GV && !GV->isDeclaration())
        GV->setLinkage(GlobalValue::InternalLinkage);
    // Private helpers came along; they are all told by what they lack.
    for (Function &F : M) {
      if (F.isDeclaration() ||
          F.hasFnAttribute("target-cpu") == Like.hasFnAttribute("target-cpu"))
        continue;
      for (StringRef Kind : {"target-cpu", "target-features"}) {
        F.removeFnAttr(Kind);
        if (Like.hasFnAttribute(Kind))
          F.addFnAttr(Like.getFnAttribute(Kind));
      }
      answerReflection(F);
    }
  }
}

namespace {
/// Inlines by hand: the pipeline's own inliner has run already.
class LateInliner {
public:
  explicit LateInliner(FunctionAnalysisManager &FAM) : FAM(FAM) {}

  /// Every direct call of F, if it is no part of a cycle. The callers changed.
  void inlineEverywhere(Function &F) {
    SmallVector<CallBase *, 8> Calls;
    for (User *U : F.users())
      if (auto *C = dyn_cast<CallBase>(U);
          C && C->getCalledOperand() == &F && C->getFunction() != &F &&
          C->getFunctionType() == F.getFunctionType())
        Calls.push_back(C);
    for (CallBase *C : Calls) {
      Function *Caller = C->getFunction();
      if (!C->getDebugLoc())
        if (DISubprogram *SP = Caller->getSubprogram())
          C->setDebugLoc(DILocation::get(F.getContext(), 0, 0, SP));
      auto Assumptions = [&](Function &G) -> AssumptionCache & {
        return FAM.getResult<AssumptionAnalysis>(G);
      };
      InlineFunctionInfo Info(Assumptions);
      C->removeFnAttr(Attribute::NoInline);
      if (InlineFunction(*C, Info, /*MergeAttributes=*/false,
                         /*CalleeAAR=*/nullptr,
                         /*InsertLifetime=*/false)
              .isSuccess()) {
        FAM.invalidate(*Caller, PreservedAnalyses::none());
        Changed.insert(Caller);
      }
    }
  }

  FunctionAnalysisManager &FAM;
  SmallSetVector<Function *, 8> Changed;
};
} // namespace

static bool callsItself(const Function &F) {
  SmallSetVector<const Function *, 16> Reached;
  Reached.insert(&F);
  for (unsigned Next = 0; Next < Reached.size(); ++Next)
    for (const Instruction &I : instructions(*Reached[Next]))
      if (const auto *C = dyn_cast<CallBase>(&I))
        if (const Function *Callee = C->getCalledFunction();
            Callee && !Callee->isDeclaration()) {
          if (Callee == &F)
            return true;
          Reached.insert(Callee);
        }
  return false;
}

bool retrograd::releaseLibrary(Module &M, ModuleAnalysisManager &MAM,
                               ArrayRef<Function *> Derivatives,
                               const Options &Opts) {
  if (!Target(M).manyThreads())
    return false;
  FunctionAnalysisManager &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  const StepRunner Steps(Opts);
  for (Function *D : Derivatives)
    Steps.run(step::PairSines, *D, [&] { pairSines(*D); });
  if (!Derivatives.empty())
    linkMissing(M, *Derivatives.front());
  SmallVector<Function *, 16> ToInline;
  for (Function &F : M) {
    Attribute Held = F.getFnAttribute(HeldLibraryFunction);
    if (Held.isValid()) {
      if (!F.hasFnAttribute(
              Attribute::OptimizeNone)) // which must not stand without
        F.removeFnAttr(Attribute::NoInline);
      F.removeFnAttr(HeldLibraryFunction);
      F.setLinkage(GlobalValue::InternalLinkage);
      if (Held.getValueAsString() == "inline")
        F.addFnAttr(Attribute::AlwaysInline);
    }
    if (F.hasFnAttribute(Attribute::AlwaysInline) && !F.isDeclaration())
      ToInline.push_back(&F);
  }
  LateInliner Inliner(FAM);
  constexpr unsigned MostInlined =
      20000; // instructions; code that large is no loss as a call
  SmallVector<Function *, 8> Derived; // what holds code of derivatives
  for (Function *D : Derivatives) {
    if (Opts.InlineOnDevice && Target(M).inlinesDerivatives() &&
        D->getInstructionCount() < MostInlined && !callsItself(*D)) {
      Inliner.inlineEverywhere(*D);
      if (D->use_empty() && D->hasLocalLinkage()) {
        FAM.clear(*D, D->getName());
        Inliner.Changed.remove(D);
        ToInline.erase(std::remove(ToInline.begin(), ToInline.end(), D),
                       ToInline.end());
        D->eraseFromParent();
        continue;
      }
    }
    Derived.push_back(D);
  }
  append_range(Derived, Inliner.Changed);
  if (!Derived.empty() && Opts.ReductionsOnDevice)
    noteReductions(M, Derived);
  if (Opts.CleanUp)
    for (Function *F : Inliner.Changed)
      if (!F->hasFnAttribute(Attribute::OptimizeNone)) {
        Steps.run(step::SwapBlocks, *F, [&] { return swapBlocks(*F, FAM); });
        Steps.run(step::GatherNeighbours, *F,
                  [&] { return gatherNeighbours(*F, FAM); });
      }
  // Library functions call each other: until nothing is left to do.
  for (unsigned Round = 0; Round != 4; ++Round)
    for (Function *F : ToInline)
      if (!callsItself(*F))
        Inliner.inlineEverywhere(*F);
  for (Function *F : Inliner.Changed)
    if (!F->hasFnAttribute(Attribute::OptimizeNone) &&
        (!F->use_empty() || !F->hasLocalLinkage())) {
      Steps.run(step::KnownSpaces, *F, [&] { foldKnownSpaces(*F); });
      if (Opts.ZerosOnDevice && Opts.CleanUp) {
        // Before equal products become one, which loses the marks.
        FunctionPassManager Numbers;
        Numbers.addPass(SimplifyCFGPass());
        Numbers.addPass(SROAPass(SROAOptions::ModifyCFG));
        Numbers.addPass(InstSimplifyPass());
        Numbers.run(*F, FAM);
        foldZeroShares(*F);
        FAM.invalidate(*F, PreservedAnalyses::none());
      }
      cleanUp(*F, MAM, Opts);
      // What was an array then is numbers now, perhaps.
      if (Opts.ZerosOnDevice && Opts.CleanUp && foldZeroShares(*F))
        cleanUp(*F, MAM, Opts);
      if (Opts.CleanUp)
        for (unsigned Round = 0; Round != 3; ++Round) {
          // A block of zeros alone goes, and the way leads to the next one.
          bool Led = false;
          Steps.run(step::ZeroWays, *F,
                    [&] { return Led = leadZerosPast(*F); });
          if (!Led)
            break;
          FAM.invalidate(*F, PreservedAnalyses::none());
          FunctionPassManager Ways;
          Ways.addPass(SimplifyCFGPass());
          FAM.invalidate(*F, Ways.run(*F, FAM));
        }
      if (Opts.CleanUp && Target(M).addsWithoutResult()) {
        Steps.run(step::OneAddition, *F, [&] { return addOnce(*F, FAM); });
        FAM.invalidate(*F, PreservedAnalyses::none());
      }
    }
  if (Opts.ZerosOnDevice && !Derivatives.empty())
    for (Function &F : M)
      dropShareMarks(F);
  for (Function *F : ToInline)
    if (F->use_empty() && F->hasLocalLinkage()) {
      FAM.clear(*F, F->getName());
      F->eraseFromParent();
    }
  if (NamedMDNode *Node = M.getNamedMetadata(FilesOfLibraries))
    M.eraseNamedMetadata(Node);
  return true;
}
