//===- DeviceModule.cpp - the device half of a program --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/DeviceModule.h"
#include "Catalogue/ThreadIdentity.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Offload/BarrierElimination.h"
#include "Offload/JoinValues.h"
#include "Offload/LoadHoisting.h"
#include "Offload/LockStep.h"
#include "Offload/Retarget.h"
#include "Offload/SharedWindow.h"
#include "Offload/Steps.h"
#include "Offload/StoreForwarding.h"
#include "Primal/Device/PtxAssembly.h"
#include "Primal/Device/SpellScopedAtomics.h"
#include "Support/FreshAnalyses.h"
#include "Support/Kernels.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
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

#include "DeviceLibrary.inc"

/// Answers for the special register of that name.
static constexpr StringLiteral DynamicSizeName = "rg_cuda_dynamic_size";

static bool isKernel(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel && !F.isDeclaration();
}

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
    if (isKernel(*F))
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

/// How much dynamic shared memory the launch gave: the runtime knows.
static Function *dynamicSize(Module &D) {
  auto *F = cast<Function>(
      D.getOrInsertFunction(DynamicSizeName, Type::getInt32Ty(D.getContext()))
          .getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::WillReturn);
  return F;
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
    if (isKernel(*F))
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
    if (!isKernel(*F) && (writesVolatile(*F) || Options.Interleave) &&
        none_of(F->users(), [&](const User *U) {
          auto *Call = dyn_cast<CallBase>(U);
          return Call && Call->getFunction() == F;
        }))
      F->addFnAttr(Attribute::AlwaysInline);
  simplify();
  // The checker tells of what the language does not promise.
  if (!Options.checks())
    for (Function &F : D)
      if (isKernel(F))
        keepWarpsInStep(F);
  return refuseUnknown() && Fine;
}

/// Intrinsics that the device library answers: llvm.nvvm.a.b -> rg_nvvm_a_b.
static std::string libraryName(StringRef Intrinsic) {
  Intrinsic.consume_front("llvm.nvvm.");
  std::string Name = "rg_nvvm_";
  for (char C : Intrinsic)
    Name += C == '.' ? '_' : C;
  return Name;
}

/// The routine that tells what a special register holds:
/// llvm.nvvm.read.ptx.sreg.tid.x -> rg_sreg_tid_x.
static std::string registerRoutine(StringRef Register) {
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

/// Names what has no meaning on this route: intrinsics, assembly, functions
/// without body.
bool DeviceModule::refuseUnknown() {
  std::unique_ptr<Module> Library = openLibrary(D.getContext());
  auto InLibrary = [&](StringRef Name) {
    Function *F = Library ? Library->getFunction(Name) : nullptr;
    return F && !F->isDeclaration();
  };
  bool Fine = true;
  for (Function &F : D)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (auto *A = dyn_cast<AllocaInst>(&I);
          A && isKernel(F) && !isa<Constant>(A->getArraySize())) {
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

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {
/// What LLVM's uniformity analysis has to know: which values differ between
/// threads of a block by themselves. (NVPTX's own answer is about warps, and
/// takes every call for different.)
class BlockUniformity final
    : public TargetTransformInfoImplCRTPBase<BlockUniformity> {
public:
  explicit BlockUniformity(const DataLayout &DL)
      : TargetTransformInfoImplCRTPBase(DL) {}
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity
  getInstructionUniformity(const Value *V) const override {
    auto *Call = dyn_cast<CallInst>(V);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (isLeastOfBlock(*V) ||
        (Callee && Callee->getName().starts_with("llvm.nvvm.barrier.cta.red.")))
      return InstructionUniformity::AlwaysUniform; // one result for the whole
                                                   // block
    return differs(V) ? InstructionUniformity::NeverUniform
                      : InstructionUniformity::Default;
  }

private:
  static bool differs(const Value *V);
};

bool BlockUniformity::differs(const Value *V) {
  constexpr unsigned Generic = 0, Local = 5;
  // To LLVM a phi of one value and nothing is that value, wherever threads came
  // from. But only the threads that came along have it, and one that did not
  // may be asked for the whole block.
  if (auto *Phi = dyn_cast<PHINode>(V))
    return Phi->hasConstantOrUndefValue() &&
           any_of(Phi->incoming_values(),
                  [](const Use &U) { return isa<UndefValue>(U); });
  if (auto *Load = dyn_cast<LoadInst>(V))
    return Load->getPointerAddressSpace() == Generic ||
           Load->getPointerAddressSpace() == Local || Load->isVolatile() ||
           Load->isAtomic();
  if (isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst>(V))
    return true;
  auto *Call = dyn_cast<CallInst>(V);
  if (!Call)
    return false;
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return true;
  StringRef Name = Callee->getName();
  if (Name == DynamicSizeName)
    return false;
  if (std::optional<ThreadIdentity> Who = ThreadIdentity::of(*Call))
    return !Who->isSameInBlock();
  if (Name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return Name != "warpsize";
  // Exchanges and votes give what their operands are; who is there differs
  // between warps.
  if (Name.starts_with("llvm.nvvm.shfl.") ||
      Name.starts_with("llvm.nvvm.vote.a"))
    return false;
  if (Name.starts_with("__nv_")) // the device's mathematics, but for results
                                 // through pointers
    return any_of(Call->args(),
                  [](const Use &U) { return U->getType()->isPointerTy(); });
  return !Callee->isIntrinsic() || !Callee->doesNotAccessMemory();
}
} // namespace

/// Which values of Kernel can differ between threads of a block.
DenseSet<const Value *> DeviceModule::divergentValues(Function &Kernel) {
  FunctionAnalysisManager FAM;
  FAM.registerPass([] {
    return TargetIRAnalysis([](const Function &F) {
      return TargetTransformInfo(
          std::make_unique<BlockUniformity>(F.getParent()->getDataLayout()));
    });
  });
  PassBuilder().registerFunctionAnalyses(FAM);
  const UniformityInfo &Info = FAM.getResult<UniformityInfoAnalysis>(Kernel);
  DenseSet<const Value *> Divergent;
  for (Instruction &I : instructions(Kernel))
    if (!Options.Uniform || Info.isDivergent(&I))
      Divergent.insert(&I);
  return Divergent;
}

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
      if (!isKernel(F) && !Readers.contains(&F) && Reads(F)) {
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
    if (isKernel(F) || F.isDeclaration() || F.getName().contains(".region.") ||
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

/// A variable shared by several functions is one per thread of this machine: a
/// thread runs one block at a time.
static void moveSharedVariables(Module &D) {
  for (GlobalVariable &GV : make_early_inc_range(D.globals())) {
    if (GV.getAddressSpace() != 3)
      continue;
    GV.removeDeadConstantUsers();
    if (GV.use_empty()) {
      GV.eraseFromParent();
      continue;
    }
    Constant *Ends[] = {&GV};
    convertUsersOfConstantsToInstructions(Ends);
    if (GV.isDeclaration() ||
        D.getDataLayout().getTypeAllocSize(GV.getValueType()) == 0) {
      FunctionCallee Dynamic = D.getOrInsertFunction(
          "rg_dynamic_shared", PointerType::get(D.getContext(), 0));
      for (Use &U : make_early_inc_range(GV.uses())) {
        auto *I = cast<Instruction>(U.getUser());
        IRBuilder<> B(
            isa<PHINode>(I)
                ? cast<PHINode>(I)->getIncomingBlock(U)->getTerminator()
                : I);
        U.set(B.CreateAddrSpaceCast(B.CreateCall(Dynamic), GV.getType()));
      }
      GV.eraseFromParent();
    } else {
      GV.setThreadLocalMode(GlobalValue::LocalExecTLSModel);
      GV.setThreadLocalMode(GlobalValue::GeneralDynamicTLSModel);
      if (isa<UndefValue>(GV.getInitializer()))
        GV.setInitializer(Constant::getNullValue(GV.getValueType()));
    }
  }
}

bool DeviceModule::lower() {
  if (Options.checks())
    for (Function &F : D)
      if (!F.isDeclaration())
        checkAccesses(F);
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
  // Those that functions other than kernels touch, too, are not on a block's
  // stack.
  SmallVector<std::pair<GlobalVariable *, bool>, 8> Owned;
  SmallVector<Function *, 8> KernelList;
  for (Function &F : D)
    if (isKernel(F))
      KernelList.push_back(&F);
  DenseSet<GlobalVariable *> Common;
  for (Constant *C : SharedVars)
    for (User *U : C->users())
      if (auto *I = dyn_cast<Instruction>(U);
          I && !isKernel(*I->getFunction()) &&
          D.getDataLayout().getTypeAllocSize(
              cast<GlobalVariable>(C)->getValueType()))
        Common.insert(cast<GlobalVariable>(C));
  for (GlobalVariable *GV : Common) {
    // One address, in an address space that lowering leaves alone.
    auto *Moved = new GlobalVariable(
        D, GV->getValueType(), false, GlobalValue::InternalLinkage,
        Constant::getNullValue(GV->getValueType()), "", nullptr,
        GlobalValue::GeneralDynamicTLSModel);
    Moved->setAlignment(std::max(GV->getAlign().valueOrOne(), Align(64)));
    Moved->takeName(GV);
    for (Use &U : make_early_inc_range(GV->uses())) {
      auto *I = cast<Instruction>(U.getUser());
      IRBuilder<> B(isa<PHINode>(I)
                        ? cast<PHINode>(I)->getIncomingBlock(U)->getTerminator()
                        : I);
      U.set(B.CreateAddrSpaceCast(B.CreateThreadLocalAddress(Moved),
                                  GV->getType()));
    }
    GV->eraseFromParent();
    if (Options.checks()) // the checker tells a block's memory by its address
      for (Function *Kernel : KernelList) {
        IRBuilder<> B(&*Kernel->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        FunctionCallee Note =
            D.getOrInsertFunction("rg_cuda_check_shared", B.getVoidTy(),
                                  B.getPtrTy(), B.getInt64Ty());
        B.CreateCall(Note, {B.CreateThreadLocalAddress(Moved),
                            B.getInt64(D.getDataLayout().getTypeAllocSize(
                                Moved->getValueType()))});
      }
  }

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
    DenseSet<const Value *> Divergent = divergentValues(*Kernel);
    auto IsUniform = [&](const Value *V) { return !Divergent.contains(V); };
    SmallPtrSet<const BasicBlock *, 8> Tried;
    while (Options.LockStep && !Options.checks() &&
           runLoopInLockStep(*Kernel, IsUniform, Tried))
      Divergent = divergentValues(*Kernel);
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
  if (!linkLibrary())
    return false;
  finishBlocks();
  return true;
}

/// Library functions in place of NVVM's intrinsics, and their bodies.
bool DeviceModule::linkLibrary() {
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
  // Everything is of this half alone; the records of the launching code name
  // the kernels.
  SmallVector<GlobalValue *, 8> Blocks;
  for (LoweredKernel &K : Kernels) {
    K.Blocks->setLinkage(GlobalValue::ExternalLinkage);
    K.Blocks->setVisibility(GlobalValue::HiddenVisibility);
  }
  MPM.run(D, A.MAM);
}

/// Calls of the runtime's checker in front of every access of memory that
/// threads share.
void DeviceModule::checkAccesses(Function &F) {
  enum {
    Write = 1,
    Atomic = 2,
    Fences = 4,
    Races = 8,
    Uninitialized = 16
  }; // runtime/cuda/Checks.cpp
  int Always = (Options.CheckRaces ? Races : 0) |
               (Options.CheckUninitialized ? Uninitialized : 0);
  struct Found {
    Instruction *At;
    Value *Address, *Size;
    int Kind;
    Value *Stored = nullptr; ///< by a plain store
  };
  SmallVector<Found, 32> Accesses;
  const DataLayout &DL = D.getDataLayout();
  Type *I32 = Type::getInt32Ty(D.getContext()),
       *I64 = Type::getInt64Ty(D.getContext());
  auto Bytes = [&](Type *T) {
    return ConstantInt::get(I64, DL.getTypeStoreSize(T));
  };
  for (Instruction &I : instructions(F)) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      Accesses.push_back({&I, Load->getPointerOperand(), Bytes(I.getType()),
                          Load->isAtomic() ? Atomic : 0});
    else if (auto *Store = dyn_cast<StoreInst>(&I))
      Accesses.push_back(
          {&I, Store->getPointerOperand(),
           Bytes(Store->getValueOperand()->getType()),
           Write | (Store->isAtomic() ? Atomic : 0),
           Store->isAtomic() ? nullptr : Store->getValueOperand()});
    else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      Accesses.push_back(
          {&I, RMW->getPointerOperand(), Bytes(I.getType()), Write | Atomic});
    else if (auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I))
      Accesses.push_back({&I, CAS->getPointerOperand(),
                          Bytes(CAS->getNewValOperand()->getType()),
                          Write | Atomic});
    else if (auto *Set = dyn_cast<AnyMemIntrinsic>(&I)) {
      Accesses.push_back({&I, Set->getRawDest(), Set->getLength(), Write});
      if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
        Accesses.push_back({&I, Copy->getRawSource(), Copy->getLength(), 0});
    } else if (isa<FenceInst>(I))
      Always |= Fences;
    else if (auto *Call = dyn_cast<CallInst>(&I))
      if (Function *Callee = Call->getCalledFunction())
        if (Callee->getName().starts_with("llvm.nvvm.membar.") &&
            !Callee->getName().ends_with(".cta"))
          Always |= Fences;
  }
  PointerType *Ptr = PointerType::get(D.getContext(), 0);
  FunctionCallee Check = D.getOrInsertFunction("rg_cuda_check_access",
                                               Type::getVoidTy(D.getContext()),
                                               Ptr, I64, I32, Ptr, I64);
  FunctionCallee CheckStore = D.getOrInsertFunction(
      "rg_cuda_check_store", Type::getVoidTy(D.getContext()), Ptr, I64, I32,
      Ptr, I64, Ptr);
  FunctionCallee Number = D.getOrInsertFunction("rg.thread.number", I64);
  // What a store brings, for the checker to compare with what is there.
  AllocaInst *Brought = nullptr;
  uint64_t Largest = 0;
  for (const Found &A : Accesses) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(A.Address, Objects);
    constexpr unsigned ConstantSpace = 4, ParameterSpace = 101;
    unsigned Space = A.Address->getType()->getPointerAddressSpace();
    if (Space == ConstantSpace || Space == ParameterSpace ||
        all_of(Objects, [](const Value *O) {
          auto *GV = dyn_cast<GlobalVariable>(O);
          return isa<AllocaInst>(O) || (GV && GV->isConstant());
        }))
      continue;
    IRBuilder<> B(A.At);
    SmallVector<Value *, 6> Args{
        B.CreateAddrSpaceCast(A.Address, Ptr), B.CreateZExtOrTrunc(A.Size, I64),
        B.getInt32(A.Kind | Always), siteOf(D, A.At), B.CreateCall(Number)};
    if (A.Stored && !Brought) {
      Brought = new AllocaInst(B.getInt8Ty(), DL.getAllocaAddrSpace(), nullptr,
                               Align(64), "brought", F.getEntryBlock().begin());
    }
    if (A.Stored) {
      Largest = std::max(
          Largest, DL.getTypeStoreSize(A.Stored->getType()).getFixedValue());
      B.CreateStore(A.Stored, Brought);
      Args.push_back(B.CreateAddrSpaceCast(Brought, Ptr));
    }
    B.CreateCall(A.Stored ? CheckStore : Check, Args);
  }
  if (Brought)
    Brought->setAllocatedType(
        ArrayType::get(Type::getInt8Ty(D.getContext()), Largest));
}
