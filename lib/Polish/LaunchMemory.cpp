//===- LaunchMemory.cpp - memory that launches provide --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/LaunchMemory.h"
#include "Catalogue/LibraryNames.h"
#include "Polish/PolishSteps.h"
#include "Polish/TapeNeed.h"
#include "Support/Kernels.h"
#include "Target/Target.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// Calls of F that say what is launched, by so many arguments.
static SmallVector<CallBase *, 4> launchesBy(Function *F, unsigned Arguments) {
  SmallVector<CallBase *, 4> Calls;
  if (F && F->isDeclaration())
    for (User *U : F->users())
      if (auto *C = dyn_cast<CallBase>(U);
          C && C->getCalledOperand() == F && C->arg_size() == Arguments)
        Calls.push_back(C);
  return Calls;
}

bool retrograd::growLaunches(Module &M, const Options &Opts) {
  bool Any = false;
  const bool Tapes = !StepRunner(Opts).isLeftOut(step::LaunchTape);
  LLVMContext &Context = M.getContext();
  Type *Ptr = PointerType::get(Context, 0), *I64 = Type::getInt64Ty(Context),
       *I32 = Type::getInt32Ty(Context);
  // (kernel, grid in two words, block in two words, arguments, bytes, stream)
  for (StringRef Name : launchesByArguments())
    for (CallBase *C : launchesBy(M.getFunction(Name), 8)) {
      auto TypeOf = [&](unsigned N) { return C->getArgOperand(N)->getType(); };
      if (TypeOf(6) != I64)
        continue;
      IRBuilder<> B(C);
      FunctionCallee Grow =
          M.getOrInsertFunction("rg_launch_shared", I64, Ptr, I64);
      C->setArgOperand(
          6, B.CreateCall(Grow, {C->getArgOperand(0), C->getArgOperand(6)}));
      Any = true;
      if (!Tapes || TypeOf(5) != Ptr || TypeOf(1) != I64 || TypeOf(2) != I32 ||
          TypeOf(3) != I64 || TypeOf(4) != I32)
        continue;
      // The bytes again, or what no launch can have, where the tape cannot be
      // provided.
      C->setArgOperand(
          6, B.CreateCall(M.getOrInsertFunction("rg_launch_tape", I64, Ptr, I64,
                                                I32, I64, I32, I64, Ptr),
                          {C->getArgOperand(0), C->getArgOperand(1),
                           C->getArgOperand(2), C->getArgOperand(3),
                           C->getArgOperand(4), C->getArgOperand(6),
                           C->getArgOperand(5)}));
    }
  // (cudaLaunchConfig_t, kernel, arguments)
  for (StringRef Name : launchesByConfiguration())
    for (CallBase *C : launchesBy(M.getFunction(Name), 3)) {
      IRBuilder<> B(C);
      // A copy of the configuration: 56 bytes, the size of the memory behind
      // two dim3.
      FunctionCallee Grow =
          M.getOrInsertFunction("rg_launch_config", Ptr, Ptr, Ptr, Ptr, Ptr);
      IRBuilder<> Entry(
          &*C->getFunction()->getEntryBlock().getFirstInsertionPt());
      AllocaInst *Copy = Entry.CreateAlloca(ArrayType::get(I64, 7), nullptr,
                                            "rg.launch.config");
      C->setArgOperand(
          0, B.CreateCall(Grow, {C->getArgOperand(1), C->getArgOperand(0), Copy,
                                 C->getArgOperand(2)}));
      Any = true;
    }
  return Any;
}

/// Whether F is compiled for a version of PTX that has alloca.
static bool hasStackAllocation(const Function &F) {
  constexpr unsigned WithAlloca = 73;
  SmallVector<StringRef, 8> Features;
  F.getFnAttribute("target-features").getValueAsString().split(Features, ',');
  unsigned Version = 0;
  for (StringRef Feature : Features)
    if (unsigned V = 0;
        Feature.consume_front("+ptx") && !Feature.getAsInteger(10, V))
      Version = std::max(Version, V);
  return Version >= WithAlloca;
}

/// Where Kernel itself asks for more tape.
static SmallVector<CallInst *, 8> requestsOf(const Function &Kernel,
                                             Function &More) {
  SmallVector<CallInst *, 8> Calls;
  for (User *U : More.users())
    if (auto *C = dyn_cast<CallInst>(U); C && C->getFunction() == &Kernel &&
                                         C->getCalledOperand() == &More &&
                                         C->arg_size() == 3)
      Calls.push_back(C);
  return Calls;
}

/// There it asks its stack first, which the launch has made so many bytes
/// longer as it says in Said.
static void stackTape(Function &Kernel, ArrayRef<CallInst *> Calls,
                      GlobalVariable &Said) {
  Module &M = *Kernel.getParent();
  if (Calls.empty() || !hasStackAllocation(Kernel))
    return;
  const DataLayout &DL = M.getDataLayout();
  BasicBlock &Entry = Kernel.getEntryBlock();
  Type *I8 = Type::getInt8Ty(M.getContext()),
       *I32 = Type::getInt32Ty(M.getContext()),
       *I64 = Type::getInt64Ty(M.getContext()),
       *Ptr = PointerType::get(M.getContext(), 0);
  // As runtime/gpu/arena.c has it.
  auto *State = StructType::get(Ptr, I64, I32);
  IRBuilder<> Static(&Entry, Entry.begin());
  AllocaInst *Stack = Static.CreateAlloca(State, nullptr, "rg.stack");
  IRBuilder<> B(&*Entry.getFirstNonPHIOrDbgOrAlloca());
  Value *Bytes = B.CreateLoad(I64, &Said, "rg.stack.bytes");
  AllocaInst *Memory =
      B.CreateAlloca(I8, DL.getAllocaAddrSpace(), Bytes, "rg.stack.memory");
  Memory->setAlignment(Align(16));
  auto Generic = [&](Value *P) { return B.CreateAddrSpaceCast(P, Ptr); };
  Value *Generally = Generic(Stack);
  B.CreateStore(Generic(Memory), B.CreateStructGEP(State, Generally, 0));
  B.CreateStore(Bytes, B.CreateStructGEP(State, Generally, 1));
  B.CreateStore(B.getInt32(0), B.CreateStructGEP(State, Generally, 2));
  for (CallInst *C : Calls)
    C->setArgOperand(2, Generally);
}

PreservedAnalyses LaunchTapePass::run(Module &M, ModuleAnalysisManager &) {
  Function *More = M.getFunction("rg_tape_alloc_slow");
  const StepRunner Steps(Opts);
  if (!More || More->use_empty() || !Opts.OffloadDevice.empty() ||
      Opts.OffloadHalf || !Target(M).growsSharedMemory() ||
      Steps.isLeftOut(step::LaunchTape))
    return PreservedAnalyses::all();
  Type *I64 = Type::getInt64Ty(M.getContext());
  SmallVector<GlobalValue *, 4> Kept;
  struct TapeKernel {
    Function *Kernel;
    SmallVector<CallInst *, 8> Requests;
    GlobalVariable *Said;
  };
  SmallVector<TapeKernel, 4> Kernels;
  for (Function *F : kernelsReaching(M, More)) {
    auto *Said = new GlobalVariable(
        M, I64, /*isConstant=*/false, GlobalValue::ExternalLinkage,
        ConstantInt::get(I64, 0), TapeVariable + F->getName(), nullptr,
        GlobalValue::NotThreadLocal, 1);
    Said->setExternallyInitialized(true);
    Kept.push_back(Said);
    SmallVector<CallInst *, 8> Requests = requestsOf(*F, *More);
    if (Constant *Need = tapeNeed(*F, Requests)) {
      auto *Words = new GlobalVariable(M, Need->getType(), /*isConstant=*/true,
                                       GlobalValue::ExternalLinkage, Need,
                                       NeedVariable + F->getName(), nullptr,
                                       GlobalValue::NotThreadLocal, 1);
      Words->setAlignment(Align(8));
      Kept.push_back(Words);
    }
    Kernels.push_back({F, std::move(Requests), Said});
  }
  appendToUsed(M, Kept);
  for (TapeKernel &K : Kernels)
    Steps.run(step::StackTape, *K.Kernel,
              [&] { stackTape(*K.Kernel, K.Requests, *K.Said); });
  return PreservedAnalyses::none();
}
