//===- DeviceModule.cpp - the device half of a program --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/DeviceModule.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Offload/AccessChecks.h"
#include "Offload/BarrierElimination.h"
#include "Offload/BlockUniformity.h"
#include "Offload/DeviceRoutines.h"
#include "Offload/JoinValues.h"
#include "Offload/LoadHoisting.h"
#include "Offload/LockStep.h"
#include "Offload/Retarget.h"
#include "Offload/SharedVariables.h"
#include "Offload/SharedWindow.h"
#include "Offload/Steps.h"
#include "Offload/StoreForwarding.h"
#include "Primal/Device/PtxAssembly.h"
#include "Primal/Device/SpellScopedAtomics.h"
#include "Support/FreshAnalyses.h"
#include "Support/Kernels.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/DeadArgumentElimination.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;
using namespace retrograd;

/// The compiler's own view of the device, for its cost model and its address
/// spaces.
static std::unique_ptr<TargetMachine> deviceMachine(const Module &D) {
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(D.getTargetTriple(), Error);
  if (!T)
    return nullptr;
  return std::unique_ptr<TargetMachine>(T->createTargetMachine(
      D.getTargetTriple(), "sm_90", "", TargetOptions(), std::nullopt));
}

//===----------------------------------------------------------------------===//
// The form that lowering expects
//===----------------------------------------------------------------------===//

/// Functions in which threads wait for each other become part of their kernels.
bool DeviceModule::inlineWaiting() {
  SetVector<Function *> Waiting;
  for (Function &F : D)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && isSplitOperation(*Call))
        Waiting.insert(&F);
  for (unsigned I = 0; I != Waiting.size(); ++I)
    for (User *U : Waiting[I]->users())
      if (auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledOperand() == Waiting[I])
        Waiting.insert(Call->getFunction());
  bool Fine = true;
  for (Function *F : Waiting) {
    if (isDeviceKernel(*F))
      continue;
    auto Refuse = [&](DiagId Id, const Instruction *At) {
      Diags.report(Id, At, {}, {userName(*F)});
      Fine = false;
    };
    bool Cycle = false;
    // Inlining ends when every function of a cycle has met itself.
    SetVector<Function *> Called;
    Called.insert(F);
    for (unsigned I = 0; I != Called.size(); ++I)
      for (Instruction &Inst : instructions(*Called[I]))
        if (auto *Call = dyn_cast<CallBase>(&Inst))
          if (Function *Callee = Call->getCalledFunction()) {
            if (Callee == F && !Cycle) {
              Refuse(DiagId::OffloadRecursiveWait, Call);
              Cycle = true;
            }
            Called.insert(Callee);
          }
    for (User *U : F->users())
      if (auto *Call = dyn_cast<CallBase>(U);
          !Call || Call->getCalledOperand() != F) {
        const Instruction *At = nullptr;
        for (Instruction &I : instructions(*F))
          if (auto *Wait = dyn_cast<CallInst>(&I);
              Wait && isSplitOperation(*Wait))
            At = &I;
        if (isa<Constant>(U) && !isa<Instruction>(U) && U->use_empty())
          continue;
        Refuse(DiagId::OffloadIndirectWait, At);
        break;
      }
    if (!Cycle)
      F->addFnAttr(Attribute::AlwaysInline);
    F->setLinkage(GlobalValue::InternalLinkage);
  }
  return Fine;
}

void DeviceModule::prepareKernel(Function &F) {
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  LLVMContext &Ctx = D.getContext();
  constexpr unsigned GlobalSpace = 1, ConstantSpace = 4;
  for (Argument &A : F.args()) {
    if (!A.getType()->isPointerTy() || A.getType()->getPointerAddressSpace())
      continue;
    if (A.hasByValAttr()) {
      // A copy of its own for each thread, from what is constant during the
      // launch.
      Type *T = A.getParamByValType();
      AllocaInst *Copy = B.CreateAlloca(T, nullptr, A.getName() + ".own");
      Copy->setAlignment(A.getParamAlign().valueOrOne());
      A.replaceAllUsesWith(Copy);
      Value *From =
          B.CreateAddrSpaceCast(&A, PointerType::get(Ctx, ConstantSpace));
      B.CreateMemCpy(Copy, Copy->getAlign(), From, Copy->getAlign(),
                     D.getDataLayout().getTypeStoreSize(T));
      continue;
    }
    // Pointers that the host passes lead to global memory.
    auto *In = cast<Instruction>(
        B.CreateAddrSpaceCast(&A, PointerType::get(Ctx, GlobalSpace)));
    if (!isa<Instruction>(In))
      continue;
    Value *Out = B.CreateAddrSpaceCast(In, A.getType());
    A.replaceUsesWithIf(Out, [&](Use &U) { return U.getUser() != In; });
  }
}

void DeviceModule::simplify() {
  FreshAnalyses A(deviceMachine(D));
  ModulePassManager MPM;
  MPM.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(true));
  FPM.addPass(InferAddressSpacesPass());
  FPM.addPass(InstCombinePass());
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(UnifyFunctionExitNodesPass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM)));
  MPM.run(D, A.MAM);
}

/// Launches grow by themselves here (Launch.cpp): no kernel has to ask whether
/// they did.
static void settleDynamicParts(Module &D) {
  for (GlobalVariable &G : D.globals())
    if (G.getName().starts_with(DynamicPartsVariable)) {
      auto *Pair = cast<ConstantDataArray>(G.getInitializer());
      G.setInitializer(ConstantDataArray::get(
          D.getContext(),
          ArrayRef<uint32_t>{uint32_t(Pair->getElementAsInteger(0)), 1}));
      G.setLinkage(GlobalValue::InternalLinkage);
      G.setExternallyInitialized(false);
      G.setConstant(true);
    }
}

/// Whether F writes through a volatile pointer that may lead to shared memory.
static bool writesVolatile(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && Store->isVolatile() &&
           is_contained({0u, 3u}, Store->getPointerAddressSpace());
  });
}

/// Programs of the time before Volta let the lanes of a warp exchange values
/// through volatile shared memory without a barrier: what a lane writes, others
/// read in their next statement. Such a store has one in front of it, for the
/// others' reads, and one behind.
static void keepWarpsInStep(Function &Kernel) {
  constexpr unsigned SharedSpace = 3;
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(Kernel))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && Store->isVolatile() &&
        Store->getPointerAddressSpace() == SharedSpace)
      Stores.push_back(Store);
  for (StoreInst *Store : Stores)
    for (Instruction *At :
         {static_cast<Instruction *>(Store), Store->getNextNode()}) {
      IRBuilder<> B(At);
      B.SetCurrentDebugLocation(Store->getDebugLoc());
      B.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {}, {B.getInt32(~0u)});
    }
}

bool DeviceModule::prepare() {
  // What was said for the device's code generator, and -O0's wish to be left
  // alone: a kernel has to be taken apart at every level.
  for (const char *Name :
       {"llvm.used", "llvm.compiler.used", "llvm.global_ctors"})
    if (GlobalVariable *GV = D.getNamedGlobal(Name))
      GV->eraseFromParent();
  settleDynamicParts(D);
  // threadIdx and its like are objects of clang's headers that nobody defines.
  // Where nothing is inlined their addresses are passed to member functions,
  // which do not look at what is there.
  for (GlobalVariable &GV : D.globals())
    if (auto *T = dyn_cast<StructType>(GV.getValueType());
        GV.isDeclaration() && T && T->hasName() &&
        T->getName().starts_with("struct.__cuda_builtin_")) {
      GV.setInitializer(Constant::getNullValue(GV.getValueType()));
      GV.setLinkage(GlobalValue::InternalLinkage);
    }
  Function *ThreadNumber = nullptr;
  auto Number = [&] {
    if (!ThreadNumber) {
      ThreadNumber =
          cast<Function>(D.getOrInsertFunction("rg.thread.number",
                                               Type::getInt64Ty(D.getContext()))
                             .getCallee());
      ThreadNumber->setDoesNotAccessMemory();
      ThreadNumber->setDoesNotThrow();
      ThreadNumber->addFnAttr(Attribute::WillReturn);
    }
    return ThreadNumber;
  };
  SmallVector<Function *, 32> Defined;
  for (Function &F : D)
    if (!F.isDeclaration())
      Defined.push_back(&F);
  for (Function *F : Defined) {
    F->removeFnAttr(Attribute::OptimizeNone);
    F->removeFnAttr(Attribute::NoInline);
    if (isDeviceKernel(*F))
      prepareKernel(*F);
    spellOutPtx(*F, /*SharedNumbers=*/true);
    spellScopedAtomics(*F);
    for (Instruction &I : make_early_inc_range(instructions(*F))) {
      auto *Call = dyn_cast<CallInst>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || !Callee->isIntrinsic())
        continue;
      StringRef Name = Callee->getName();
      IRBuilder<> B(Call);
      Value *New = nullptr;
      if (Name == "llvm.nvvm.activemask")
        New = B.CreateIntrinsic(Intrinsic::nvvm_vote_ballot, {}, {B.getTrue()});
      else if (Name == "llvm.nvvm.read.ptx.sreg.laneid")
        New = B.CreateAnd(B.CreateTrunc(B.CreateCall(Number()), B.getInt32Ty()),
                          31);
      else if (Name == "llvm.nvvm.read.ptx.sreg.warpid")
        New = B.CreateLShr(
            B.CreateTrunc(B.CreateCall(Number()), B.getInt32Ty()), 5);
      else if (Name == "llvm.nvvm.read.ptx.sreg.dynamic_smem_size")
        New = B.CreateCall(dynamicSize(D));
      if (New) {
        Call->replaceAllUsesWith(New);
        Call->eraseFromParent();
      }
    }
  }
  bool Fine = inlineWaiting();
  // Only kernels know where pointers lead, and only they are cut. A function
  // that calls itself stays what it is.
  for (Function *F : Defined)
    if (!isDeviceKernel(*F) && (writesVolatile(*F) || Options.Interleave) &&
        none_of(F->users(), [&](const User *U) {
          auto *Call = dyn_cast<CallBase>(U);
          return Call && Call->getFunction() == F;
        }))
      F->addFnAttr(Attribute::AlwaysInline);
  simplify();
  // The checker tells of what the language does not promise.
  if (!Options.checks())
    for (Function &F : D)
      if (isDeviceKernel(F))
        keepWarpsInStep(F);
  return refuseUnknown(D, Diags) && Fine;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Device functions that ask who runs them, themselves or by what they call.
void DeviceModule::findReadersOfThread() {
  SetVector<const Function *> Readers;
  bool Indirect =
      false; // some function that can be called through a pointer reads
  auto Reads = [&](const Function &F) {
    for (const Instruction &I : instructions(F)) {
      if (isSpecialRegister(I))
        return true;
      for (const Use &U : I.operands())
        if (auto *GV = dyn_cast<GlobalVariable>(U->stripPointerCasts());
            GV && GV->getAddressSpace() == 3)
          return true;
      if (auto *Call = dyn_cast<CallInst>(&I)) {
        const Function *Callee = Call->getCalledFunction();
        if (!Callee && !Call->isInlineAsm() && Indirect)
          return true;
        if (Callee &&
            (Readers.contains(Callee) || Callee->getName() == "__assertfail" ||
             Callee->getName() == "rg.thread.number"))
          return true;
      }
    }
    return false;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Function &F : D)
      if (!isDeviceKernel(F) && !Readers.contains(&F) && Reads(F)) {
        Readers.insert(&F);
        Indirect |= F.hasAddressTaken();
        Changed = true;
      }
  }
  ReadThread.insert(Readers.begin(), Readers.end());
  if (Indirect)
    ReadThread.insert(nullptr);
}

bool DeviceModule::readsThread(const CallInst &Call) const {
  if (Call.isInlineAsm())
    return false;
  const Function *Callee = Call.getCalledFunction();
  if (Callee && Callee->isIntrinsic())
    return false;
  return ReadThread.contains(Callee) ||
         (Callee && (Callee->getName() == "__assertfail"));
}

/// Device functions that stay functions ask the runtime who runs them.
void DeviceModule::lowerPlainFunctions() {
  for (Function &F : D) {
    if (isDeviceKernel(F) || F.isDeclaration() ||
        F.getName().contains(".region.") ||
        F.getName().starts_with("rg..kernel"))
      continue;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (!isSpecialRegister(I))
        continue;
      auto *Call = cast<CallInst>(&I);
      StringRef Name = Call->getCalledFunction()->getName();
      IRBuilder<> B(Call);
      std::string Routine = Name == "rg.thread.number" ? "rg_thread_number"
                                                       : registerRoutine(Name);
      Value *New =
          B.CreateCall(D.getOrInsertFunction(Routine, Call->getFunctionType()));
      Call->replaceAllUsesWith(New);
      Call->eraseFromParent();
    }
  }
}

/// Stack memory of constant size stands first in the kernel, whatever was
/// inlined where.
static void hoistStackMemory(Function &Kernel) {
  BasicBlock &Entry = Kernel.getEntryBlock();
  SmallVector<AllocaInst *, 8> Found;
  for (Instruction &I : instructions(Kernel))
    if (auto *A = dyn_cast<AllocaInst>(&I);
        A && isa<Constant>(A->getArraySize()))
      Found.push_back(A);
  for (AllocaInst *A : reverse(Found))
    A->moveBefore(Entry, Entry.begin());
}

bool DeviceModule::lower() {
  if (Options.checks())
    for (Function &F : D)
      if (!F.isDeclaration())
        checkAccesses(F, Options);
  // Shared variables are named by instructions only, one use each to replace.
  SmallVector<Constant *, 8> SharedVars;
  for (GlobalVariable &GV : D.globals())
    if (GV.getAddressSpace() == 3)
      SharedVars.push_back(&GV);
  if (!SharedVars.empty())
    convertUsersOfConstantsToInstructions(SharedVars);
  WindowBytes = layOutSharedWindow(D);
  if (WindowBytes)
    SharedVars.clear(); // what is left is the memory that the runtime gives
  findReadersOfThread();
  SmallVector<Function *, 8> KernelList;
  for (Function &F : D)
    if (isDeviceKernel(F))
      KernelList.push_back(&F);
  moveCommonVariables(D, SharedVars, KernelList, Options.checks());

  for (Function *Kernel : KernelList) {
    hoistStackMemory(*Kernel);
    if (Options.Recompute)
      expressJoins(*Kernel);
    if (Options.ForwardStores && !Options.checks())
      forwardAcrossBarriers(*Kernel);
    if (Options.EliminateBarriers && !Options.checks())
      eliminateBarriers(*Kernel);
    if (Options.MoveBarriers && !Options.checks())
      moveBarriers(*Kernel);
    DenseSet<const Value *> Divergent =
        divergentValues(*Kernel, !Options.Uniform);
    auto IsUniform = [&](const Value *V) { return !Divergent.contains(V); };
    SmallPtrSet<const BasicBlock *, 8> Tried;
    while (Options.LockStep && !Options.checks() &&
           runLoopInLockStep(*Kernel, IsUniform, Tried))
      Divergent = divergentValues(*Kernel, !Options.Uniform);
    if (Options.Interleave)
      insertSteps(*Kernel);
    LoweredKernel Lowered = lowerKernel(
        *Kernel, IsUniform,
        [&](const CallInst &Call) { return readsThread(Call); }, Options,
        Diags);
    Kernels.push_back(Lowered);
  }
  for (Function *Kernel : KernelList)
    if (Kernel->use_empty())
      Kernel->eraseFromParent();
  lowerPlainFunctions();
  moveSharedVariables(D);
  removeAddressSpaces(D);
  if (!linkLibrary(D))
    return false;
  finishBlocks();
  return true;
}

/// Regions into their loops, and the code of that into registers.
void DeviceModule::finishBlocks() {
  FreshAnalyses A(nullptr);
  auto Tidy = [] {
    FunctionPassManager FPM;
    FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
    FPM.addPass(EarlyCSEPass(true));
    FPM.addPass(SimplifyCFGPass());
    return FPM;
  };
  ModulePassManager MPM;
  MPM.addPass(createModuleToFunctionPassAdaptor(Tidy()));
  MPM.addPass(AlwaysInlinerPass(/*InsertLifetime=*/true));
  MPM.addPass(createModuleToFunctionPassAdaptor(Tidy()));
  if (Options.HoistLoads) {
    FunctionPassManager FPM;
    FPM.addPass(LoopSimplifyPass());
    FPM.addPass(LoadHoistingPass());
    MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM)));
  }
  MPM.addPass(GlobalDCEPass());
  // A region that has stayed a function takes what any region of its kernel
  // reads. In a kernel of hundreds of regions nearly all of that is unused, and
  // LLVM's passes between procedures take time quadratic in the number of
  // arguments.
  MPM.addPass(DeadArgumentEliminationPass());
  // Everything is of this half alone; the records of the launching code name
  // the kernels.
  for (LoweredKernel &K : Kernels) {
    K.Blocks->setLinkage(GlobalValue::ExternalLinkage);
    K.Blocks->setVisibility(GlobalValue::HiddenVisibility);
  }
  MPM.run(D, A.MAM);
}
