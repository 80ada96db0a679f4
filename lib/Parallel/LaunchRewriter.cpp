//===- LaunchRewriter.cpp - launches in a primal, each as one call --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitcode/RuntimeLibrary.h"
#include "Parallel/HostLaunches.h"
#include "Parallel/LaunchForm.h"
#include "Request/FunctionOperand.h"
#include "Support/Kernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace retrograd;

static constexpr StringLiteral Push = "__cudaPushCallConfiguration";
static constexpr StringLiteral Pop = "__cudaPopCallConfiguration";
static constexpr StringLiteral Register = "__cudaRegisterFunction";
static constexpr StringLiteral LaunchAlone = "cudaLaunchKernel";
static constexpr StringLiteral LaunchTogether = "cudaLaunchCooperativeKernel";
static constexpr StringLiteral LaunchConfigured = "cudaLaunchKernelExC";
/// What begins the names of functions and records for launches.
static constexpr StringLiteral Records = "rg.";
/// Of the bytes of shared memory: blocks of the grid wait for each other
/// (runtime/hostdevice.c).
static constexpr uint64_t TogetherBit = uint64_t(1) << 63;

/// The sizes of grid and block, shared bytes and stream of a launch.
using PlaceValues = SmallVector<Value *, LaunchPlaces>;

/// clang passes three sizes as two words, which are the operands From and
/// From + 2 and their neighbours.
static PlaceValues placesOf(IRBuilderBase &B, CallBase &C, unsigned From,
                            unsigned Shared) {
  PlaceValues Found;
  for (unsigned At : {From, From + 2}) {
    Value *XY = C.getArgOperand(At);
    Found.push_back(B.CreateTrunc(XY, B.getInt32Ty()));
    Found.push_back(B.CreateTrunc(B.CreateLShr(XY, 32), B.getInt32Ty()));
    Found.push_back(C.getArgOperand(At + 1));
  }
  Found.push_back(C.getArgOperand(Shared));
  Found.push_back(C.getArgOperand(Shared + 1));
  return Found;
}

static bool isPush(const CallBase &C) {
  const Function *F = C.getCalledFunction();
  return F && F->getName() == Push && C.arg_size() == 6 &&
         C.getArgOperand(0)->getType()->isIntegerTy(64) &&
         C.getArgOperand(1)->getType()->isIntegerTy(32);
}

/// cudaLaunchKernel(kernel, grid, block, arguments, shared, stream), and what
/// has the same operands.
static bool isLaunch(const CallBase &C) {
  const Function *F = C.getCalledFunction();
  return F && (F->getName() == LaunchAlone || F->getName() == LaunchTogether) &&
         C.arg_size() == 8 && C.getArgOperand(1)->getType()->isIntegerTy(64);
}
/// cudaLaunchKernelExC(configuration, kernel, arguments).
static bool isConfiguredLaunch(const CallBase &C) {
  const Function *F = C.getCalledFunction();
  return F && F->getName() == LaunchConfigured && C.arg_size() == 3;
}

/// The stub that V is, through variables of unoptimised code, too.
static Function *stubOf(Value *V) {
  FunctionOperand Named = resolveFunction(V);
  if (!Named.Complete || Named.Functions.size() != 1 || Named.ByReference)
    return nullptr;
  Function *F = Named.Functions[0];
  return isStub(*F) ? F : nullptr;
}

namespace {
/// Turns the launches of one function into calls of rg.launch.*.
class LaunchRewriter {
public:
  explicit LaunchRewriter(Function &F) : F(F), M(*F.getParent()) {}

  void run() {
    rewriteCaptures(F);
    dropInvokes();
    nameKernels();
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallInst>(&I))
        if (isLaunch(*C) || isConfiguredLaunch(*C))
          Own.push_back(C);
    for (CallInst *C : Own)
      rewriteOwn(*C);
    rewriteStubs();
  }

private:
  Function &F;
  Module &M;
  SmallVector<CallInst *, 4> Own;
  /// Of stubs that nameKernels calls, what configures them.
  DenseMap<CallInst *, CallInst *> PushOf;

  /// Launches do not throw, though clang does not know it.
  void dropInvokes() {
    SmallVector<InvokeInst *, 4> Invokes;
    for (Instruction &I : instructions(F))
      if (auto *Inv = dyn_cast<InvokeInst>(&I);
          Inv && (isPush(*Inv) || isLaunch(*Inv) || isConfiguredLaunch(*Inv) ||
                  stubOf(Inv->getCalledOperand())))
        Invokes.push_back(Inv);
    for (InvokeInst *Inv : Invokes)
      changeToCall(Inv);
  }

  /// The kernel that V is at run time is not known before: a parameter, an
  /// element of a table. It is one of those whose addresses the program takes.
  SmallVector<Function *, 8> kernelsByAddress(const FunctionType *Type) const {
    SmallVector<Function *, 8> Found;
    for (Function &G : M) {
      if (!isStub(G) || (Type && G.getFunctionType() != Type))
        continue;
      // One without a derivative is met at run time, if at all.
      Function *Run =
          M.getFunction((LaunchPrefix + kernelOfStub(G.getName())).str());
      if (Run && M.getFunction(keepName(*Run)) && isPassedOn(G))
        Found.push_back(&G);
    }
    return Found;
  }
  /// A part of what initialises tables of ours.
  static bool isOfRecords(const Constant &K) {
    if (const auto *G = dyn_cast<GlobalValue>(&K))
      return G->getName().starts_with(Records);
    return all_of(K.users(), [](const User *U) {
      const auto *Whole = dyn_cast<Constant>(U);
      return Whole && isOfRecords(*Whole);
    });
  }
  static bool isPassedOn(const Function &Stub) {
    return any_of(Stub.uses(), [&](const Use &U) {
      if (const auto *K = dyn_cast<Constant>(U.getUser()))
        return !isOfRecords(*K);
      const auto *C = dyn_cast<CallBase>(U.getUser());
      if (!C)
        return true;
      if (C->isCallee(&U) || C->getFunction() == &Stub)
        return false;
      const Function *Callee = C->getCalledFunction();
      return !Callee || Callee->getName() != Register;
    });
  }

  /// Launches of kernels that only the running program knows become a choice
  /// among launches of kernels by name.
  void nameKernels() {
    SmallVector<CallBase *, 4> Unknown, Pushed;
    for (Instruction &I : instructions(F)) {
      auto *C = dyn_cast<CallBase>(&I);
      if (!C || C->isInlineAsm())
        continue;
      if (isPush(*C))
        Pushed.push_back(C);
      else if (Value *Kernel = kernelOf(*C);
               Kernel && !isa<Function>(Kernel) && !stubOf(Kernel))
        Unknown.push_back(C);
    }
    if (Unknown.empty())
      return;
    DominatorTree DT(F);
    SmallVector<std::pair<CallBase *, CallBase *>, 4> Launches;
    for (CallBase *C : Unknown) {
      if (C->getCalledOperand() != kernelOf(*C)) {
        Launches.push_back({C, nullptr});
        continue;
      }
      CallBase *Of = nullptr;
      for (CallBase *P : Pushed)
        if (configures(*P, *C, DT) && (!Of || DT.dominates(Of, P)))
          Of = P;
      if (Of)
        Launches.push_back({C, Of});
    }
    for (auto [C, Of] : Launches)
      choose(*C, dyn_cast_or_null<CallInst>(Of));
  }
  /// C is called where Push has returned 0. Joined:
  /// or one of the ways to it does so.
  static bool configures(const CallBase &Push, const CallBase &C,
                         const DominatorTree &DT, bool Joined = false) {
    SmallVector<const User *, 4> Users(Push.users());
    for (unsigned I = 0; Joined && I != Users.size(); ++I)
      if (isa<PHINode>(Users[I]) && Users.size() < 64)
        append_range(Users, Users[I]->users());
    for (const User *U : Users) {
      const auto *Compare = dyn_cast<ICmpInst>(U);
      if (!Compare || !Compare->isEquality() ||
          !match(Compare->getOperand(1), PatternMatch::m_Zero()))
        continue;
      unsigned Zero = Compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
      for (const User *V : Compare->users())
        if (const auto *Br = dyn_cast<BranchInst>(V);
            Br && Br->isConditional() &&
            (DT.dominates(
                 BasicBlockEdge(Br->getParent(), Br->getSuccessor(Zero)),
                 C.getParent()) ||
             (Joined && leadsTo(Br->getSuccessor(Zero), C.getParent(), DT))))
          return true;
    }
    return false;
  }
  /// One of the ways to a block, by which those of several launches join.
  static bool leadsTo(const BasicBlock *From, const BasicBlock *To,
                      const DominatorTree &DT) {
    return From == To || any_of(predecessors(To), [&](const BasicBlock *P) {
             return DT.dominates(From, P);
           });
  }
  /// What a launch launches, or what may be the call of a stub.
  static Value *kernelOf(const CallBase &C) {
    if (isLaunch(C))
      return C.getArgOperand(0);
    if (isConfiguredLaunch(C))
      return C.getArgOperand(1);
    return C.getCalledFunction() || !C.getType()->isVoidTy()
               ? nullptr
               : C.getCalledOperand();
  }
  void choose(CallBase &C, CallInst *Pushed) {
    Value *Kernel = kernelOf(C);
    bool ByCall = C.getCalledOperand() == Kernel;
    SmallVector<Function *, 8> Candidates =
        kernelsByAddress(ByCall ? C.getFunctionType() : nullptr);
    Function *Unknown = RuntimeLibrary(M).require("rg_launch_unknown");
    if (Candidates.empty() || !Unknown)
      return;
    CallBase *Call = &C;
    if (auto *Inv = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Inv);
    BasicBlock *Head = Call->getParent();
    BasicBlock *Behind = SplitBlock(Head, Call);
    PHINode *Result = nullptr;
    if (!Call->getType()->isVoidTy())
      Result = PHINode::Create(Call->getType(), Candidates.size() + 1, "",
                               Behind->begin());
    Head->getTerminator()->eraseFromParent();
    IRBuilder<> B(Head);
    B.SetCurrentDebugLocation(Call->getDebugLoc());
    for (Function *G : Candidates) {
      auto *Then = BasicBlock::Create(M.getContext(), "", &F, Behind);
      auto *Else = BasicBlock::Create(M.getContext(), "", &F, Behind);
      B.CreateCondBr(B.CreateICmpEQ(Kernel, G), Then, Else);
      B.SetInsertPoint(Then);
      auto *Named = cast<CallBase>(Call->clone());
      B.Insert(Named);
      Named->replaceUsesOfWith(Kernel, G);
      if (Pushed)
        PushOf[cast<CallInst>(Named)] = Pushed;
      if (Result)
        Result->addIncoming(Named, Then);
      B.CreateBr(Behind);
      B.SetInsertPoint(Else);
    }
    B.CreateCall(Unknown, {Kernel});
    if (Result)
      Result->addIncoming(Constant::getNullValue(Result->getType()),
                          B.GetInsertBlock());
    B.CreateBr(Behind);
    if (Result)
      Call->replaceAllUsesWith(Result);
    Call->eraseFromParent();
  }

  /// A launch of the program's own, by a call of CUDA's runtime.
  void rewriteOwn(CallInst &C) {
    bool Configured = isConfiguredLaunch(C);
    Function *Stub = stubOf(C.getArgOperand(Configured ? 1 : 0));
    if (!Stub)
      return; // refused by its name
    IRBuilder<> B(&C);
    PlaceValues Place =
        Configured ? configuredPlace(B, C) : placesOf(B, C, 1, 6);
    if (C.getCalledFunction()->getName() == LaunchTogether)
      Place[6] = B.CreateOr(Place[6], TogetherBit);
    if (!replace(C, *Stub, Place, C.getArgOperand(Configured ? 2 : 5)))
      return;
    if (!C.use_empty())
      C.replaceAllUsesWith(
          B.CreateCall(RuntimeLibrary(M).require("rg_gpu_status")));
    C.eraseFromParent();
  }

  /// cudaLaunchConfig_t: two times three words, shared bytes, stream, and
  /// attributes, which the runtime looks at.
  PlaceValues configuredPlace(IRBuilderBase &B, CallInst &C) {
    PlaceValues Found;
    Value *Config = C.getArgOperand(0);
    for (unsigned At = 0; At != 6; ++At)
      Found.push_back(B.CreateLoad(
          B.getInt32Ty(), B.CreateConstGEP1_64(B.getInt8Ty(), Config, 4 * At)));
    Found.push_back(B.CreateCall(
        RuntimeLibrary(M).require("rg_configured_shared"), {Config}));
    Found.push_back(B.CreateLoad(
        B.getPtrTy(), B.CreateConstGEP1_64(B.getInt8Ty(), Config, 32)));
    return Found;
  }

  /// In front of At: the launch of Stub's kernel. Arguments is the array of its
  /// parameters' addresses.
  bool replace(CallInst &At, Function &Stub, const PlaceValues &Place,
               Value *Arguments) {
    Function *Run =
        M.getFunction((LaunchPrefix + kernelOfStub(Stub.getName())).str());
    if (!Run)
      return false;
    IRBuilder<> B(&At);
    SmallVector<Value *, 16> Args(Place.begin(), Place.end());
    SmallVector<Value *, 8> Pointers;
    SmallVector<Value *, 8> Homes;
    for (Argument &A : drop_begin(Run->args(), LaunchPlaces)) {
      unsigned Of = wordOf(A, LaunchOf), Offset = wordOf(A, LaunchOffset);
      Value *V = nullptr;
      if (Run->getAttributes().hasParamAttr(A.getArgNo(), LaunchVariable)) {
        V = M.getNamedGlobal(Run->getAttributes()
                                 .getParamAttr(A.getArgNo(), LaunchVariable)
                                 .getValueAsString());
      } else {
        while (Homes.size() <= Of)
          Homes.push_back(nullptr);
        if (!Homes[Of])
          Homes[Of] = B.CreateLoad(
              B.getPtrTy(), B.CreateConstGEP1_64(B.getPtrTy(), Arguments, Of));
        V = Homes[Of];
        if (!A.hasByValAttr()) {
          if (Offset)
            V = B.CreateConstGEP1_64(B.getInt8Ty(), V, Offset);
          V = B.CreateAlignedLoad(A.getType(), V, Align(1));
        }
      }
      Args.push_back(V);
      if (A.getType()->isPointerTy() && !A.hasByValAttr())
        Pointers.push_back(V);
    }
    Function *Captured = M.getFunction(capturedName(*Run));
    if (Function *Keep = Captured ? nullptr : M.getFunction(keepName(*Run))) {
      Pointers.push_back(Args[LaunchPlaces - 1]);
      B.CreateCall(Keep, Pointers);
    }
    CallInst *Call = B.CreateCall(Captured ? Captured : Run, Args);
    for (Argument &A : Run->args())
      if (Type *T = A.getParamByValType())
        Call->addParamAttr(A.getArgNo(),
                           Attribute::getWithByValType(B.getContext(), T));
    return true;
  }

  static unsigned wordOf(const Argument &A, StringRef Kind) {
    unsigned N = 0;
    A.getParent()
        ->getAttributes()
        .getParamAttr(A.getArgNo(), Kind)
        .getValueAsString()
        .getAsInteger(10, N);
    return N;
  }

  /// <<<>>>: the stub gathers the arguments; its body is the text that does.
  void rewriteStubs() {
    SmallVector<CallInst *, 4> Pushed, Stubs;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I)) {
        if (isPush(*Call))
          Pushed.push_back(Call);
        else if (!Call->isInlineAsm() && stubOf(Call->getCalledOperand()))
          Stubs.push_back(Call);
      }
    if (Stubs.empty())
      return;
    DominatorTree DT(F);
    SmallPtrSet<CallInst *, 4> Used;
    SmallVector<std::pair<CallInst *, PlaceValues>, 4> Pairs;
    SmallVector<CallInst *, 4> Joined;
    // Arguments may contain launches of their own: those come first, and take
    // their configuration.
    stable_sort(Stubs, [&](CallInst *A, CallInst *B) {
      return A != B && DT.dominates(A, B);
    });
    for (CallInst *Stub : Stubs) {
      CallInst *Of = PushOf.lookup(Stub);
      for (bool Fresh : {true, false}) {
        if (Of)
          break;
        for (CallInst *P : Pushed)
          if ((!Fresh || !Used.contains(P)) && DT.dominates(P, Stub) &&
              (!Of || DT.dominates(Of, P)))
            Of = P;
      }
      if (!Of) {
        Joined.push_back(Stub);
        continue;
      }
      Used.insert(Of);
      IRBuilder<> B(Stub);
      Pairs.push_back({Stub, placesOf(B, *Of, 0, 4)});
    }
    // Launches of one kernel under several branches, which LLVM has joined: the
    // configuration is that of the way that led there.
    for (CallInst *Stub : Joined) {
      SmallVector<CallInst *, 4> Of;
      copy_if(Pushed, std::back_inserter(Of), [&](CallInst *P) {
        return !Used.contains(P) && configures(*P, *Stub, DT, /*Joined=*/true);
      });
      if (Of.empty())
        continue;
      Used.insert_range(Of);
      Pairs.push_back({Stub, lastPushed(*Stub, Of)});
    }
    for (auto &[Stub, Place] : Pairs)
      rewriteStub(*Stub, Place);
    for (CallInst *P : Used) {
      P->replaceAllUsesWith(ConstantInt::get(P->getType(), 0));
      P->eraseFromParent();
    }
  }

  /// The values of the last of some configurations on any way to a launch, in
  /// front of whose block they are.
  static PlaceValues lastPushed(CallInst &Stub, ArrayRef<CallInst *> Pushed) {
    SmallVector<PlaceValues, 4> Given;
    for (CallInst *P : Pushed) {
      IRBuilder<> B(P);
      Given.push_back(placesOf(B, *P, 0, 4));
    }
    PlaceValues Found;
    for (unsigned At = 0; At != LaunchPlaces; ++At) {
      SSAUpdater Last;
      Last.Initialize(Given[0][At]->getType(), "place");
      for (auto [P, Place] : zip(Pushed, Given))
        Last.AddAvailableValue(P->getParent(), Place[At]);
      Found.push_back(Last.GetValueInMiddleOfBlock(Stub.getParent()));
    }
    return Found;
  }

  void rewriteStub(CallInst &Call, const PlaceValues &Place) {
    Function *Stub = stubOf(Call.getCalledOperand());
    if (!M.getFunction((LaunchPrefix + kernelOfStub(Stub->getName())).str()))
      return;
    if (Call.getFunctionType() != Stub->getFunctionType())
      return;
    DebugLoc Line = Call.getDebugLoc();
    Call.setCalledFunction(Stub);
    SmallPtrSet<Instruction *, 32> Before;
    for (Instruction &I : instructions(F))
      Before.insert(&I);
    InlineFunctionInfo Info;
    if (!InlineFunction(Call, Info).isSuccess())
      return;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *C = dyn_cast<CallInst>(&I);
      if (!C || Before.contains(C) || !C->getCalledFunction())
        continue;
      if (C->getCalledFunction()->getName() == Pop) {
        C->replaceAllUsesWith(ConstantInt::get(C->getType(), 0));
        C->eraseFromParent();
      } else if (isLaunch(*C)) {
        C->setDebugLoc(Line);
        if (!replace(*C, *Stub, Place, C->getArgOperand(5)))
          continue;
        C->replaceAllUsesWith(ConstantInt::get(C->getType(), 0));
        C->eraseFromParent();
      }
    }
  }
};
} // namespace

void retrograd::rewriteLaunches(Function &Clone) {
  LaunchRewriter(Clone).run();
}
