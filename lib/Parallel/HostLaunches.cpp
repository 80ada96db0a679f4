//===- HostLaunches.cpp - launches of kernels in host code ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/HostLaunches.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Diagnostics/DiagnosticEngine.h"
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

using namespace llvm;
using namespace retrograd;

static constexpr StringLiteral Push = "__cudaPushCallConfiguration";
static constexpr StringLiteral Pop = "__cudaPopCallConfiguration";
/// What begins the names of this file's functions and records.
static constexpr StringLiteral Records = "rg.";
static constexpr StringLiteral Register = "__cudaRegisterFunction";
static constexpr StringLiteral LaunchAlone = "cudaLaunchKernel";
static constexpr StringLiteral LaunchTogether = "cudaLaunchCooperativeKernel";
static constexpr StringLiteral LaunchConfigured = "cudaLaunchKernelExC";
/// Of a parameter of rg.launch.*: the kernel's own parameter, where in it, and
/// the variable that it is instead.
static constexpr StringLiteral OfAttribute = "rg-of";
static constexpr StringLiteral OffsetAttribute = "rg-offset";
static constexpr StringLiteral VariableAttribute = "rg-variable";
/// Of the bytes of shared memory: blocks of the grid wait for each other
/// (runtime/hostdevice.c).
static constexpr uint64_t TogetherBit = uint64_t(1) << 63;
static constexpr StringLiteral Prefix = "rg.launch.";
/// Operands of a launch in front of the kernel's: the grid's and the block's
/// sizes, bytes of shared memory, stream.
static constexpr unsigned Places = 8;

/// What a launch overwrites is kept in front of it, and put back behind its
/// reverse: rg.keep.kernel and rg.undo.kernel, over the pointers that it takes.
static std::string keepName(const Function &Run) {
  return ("rg.keep." + Run.getName().drop_front(Prefix.size())).str();
}

static bool isStub(const Function &F) {
  return !F.isDeclaration() && F.getName().contains("__device_stub__") &&
         !kernelOfStub(F.getName()).empty();
}

bool retrograd::hasLaunches(const Module &M) { return any_of(M, isStub); }

bool retrograd::keepStubs(Module &M) {
  bool Changed = false;
  for (Function &F : M)
    if (isStub(F)) {
      F.addFnAttr(Attribute::NoInline);
      F.removeFnAttr(Attribute::AlwaysInline);
      Changed = true;
    }
  return Changed;
}

//===----------------------------------------------------------------------===//
// Primals
//===----------------------------------------------------------------------===//

/// The sizes of grid and block, shared bytes and stream of a launch.
using PlaceValues = SmallVector<Value *, Places>;

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
      Function *Run = M.getFunction((Prefix + kernelOfStub(G.getName())).str());
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
  /// C is called where Push has returned 0.
  static bool configures(const CallBase &Push, const CallBase &C,
                         const DominatorTree &DT) {
    for (const User *U : Push.users()) {
      const auto *Compare = dyn_cast<ICmpInst>(U);
      if (!Compare || !Compare->isEquality() ||
          !match(Compare->getOperand(1), PatternMatch::m_Zero()))
        continue;
      unsigned Zero = Compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
      for (const User *V : Compare->users())
        if (const auto *Br = dyn_cast<BranchInst>(V);
            Br && Br->isConditional() &&
            DT.dominates(
                BasicBlockEdge(Br->getParent(), Br->getSuccessor(Zero)),
                C.getParent()))
          return true;
    }
    return false;
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
        M.getFunction((Prefix + kernelOfStub(Stub.getName())).str());
    if (!Run)
      return false;
    IRBuilder<> B(&At);
    SmallVector<Value *, 16> Args(Place.begin(), Place.end());
    SmallVector<Value *, 8> Pointers;
    SmallVector<Value *, 8> Homes;
    for (Argument &A : drop_begin(Run->args(), Places)) {
      unsigned Of = wordOf(A, OfAttribute), Offset = wordOf(A, OffsetAttribute);
      Value *V = nullptr;
      if (Run->getAttributes().hasParamAttr(A.getArgNo(), VariableAttribute)) {
        V = M.getNamedGlobal(Run->getAttributes()
                                 .getParamAttr(A.getArgNo(), VariableAttribute)
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
    if (Function *Keep = M.getFunction(keepName(*Run)))
      B.CreateCall(Keep, Pointers);
    CallInst *Call = B.CreateCall(Run, Args);
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
    SmallVector<std::pair<CallInst *, CallInst *>, 4> Pairs;
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
      if (Of) {
        Used.insert(Of);
        Pairs.push_back({Stub, Of});
      }
    }
    for (auto [Stub, Of] : Pairs)
      rewriteStub(*Stub, *Of);
    for (CallInst *P : Used) {
      P->replaceAllUsesWith(ConstantInt::get(P->getType(), 0));
      P->eraseFromParent();
    }
  }

  void rewriteStub(CallInst &Call, CallInst &Of) {
    Function *Stub = stubOf(Call.getCalledOperand());
    if (!M.getFunction((Prefix + kernelOfStub(Stub->getName())).str()))
      return;
    IRBuilder<> B(&Call);
    PlaceValues Place = placesOf(B, Of, 0, 4);
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

//===----------------------------------------------------------------------===//
// Launches and their rules
//===----------------------------------------------------------------------===//

HostLaunches::HostLaunches(Module &M, Catalogue &Cat,
                           StringMap<KernelFacts> *Facts)
    : M(M) {
  SmallVector<Function *, 8> Stubs;
  for (Function &F : M)
    if (isStub(F))
      Stubs.push_back(&F);
  for (Function *F : Stubs)
    makeLaunch(*F, Cat, Facts);
}

/// Variables become those of this module. False, with the name, if one is not
/// here.
static bool findVariables(Module &M, KernelFacts &Facts, std::string &Missing) {
  for (KernelParameter &P : Facts.Parameters) {
    if (P.Variable.empty())
      continue;
    // A half that was brought here has its own names. Those of a file's own
    // variables have a suffix on the device.
    StringRef Own = StringRef(P.Variable).split("__static__").first;
    GlobalVariable *G = nullptr;
    for (const std::string &Name : {"rg.device." + P.Variable, P.Variable,
                                    "rg.device." + Own.str(), Own.str()})
      if (!G)
        G = M.getGlobalVariable(Name, /*AllowInternal=*/true);
    if (!G) {
      Missing = P.Variable;
      return false;
    }
    P.HostVariable = G->getName().str();
  }
  return true;
}

void HostLaunches::makeLaunch(Function &Stub, Catalogue &Cat,
                              StringMap<KernelFacts> *All) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  Launch L{&Stub, nullptr, kernelOfStub(Stub.getName()), nullptr, nullptr};
  KernelFacts *Facts = nullptr;
  std::string Missing;
  bool Variables = true;
  if (All)
    if (auto It = All->find(L.Kernel); It != All->end()) {
      Facts = &It->second;
      Variables = findVariables(M, *Facts, Missing);
    }
  L.Facts = Facts;
  SmallVector<Type *, 16> Types(6, B.getInt32Ty());
  Types.append({B.getInt64Ty(), B.getPtrTy()});
  bool Known = Facts && Facts->Refused.empty() && Variables &&
               Facts->Parameters.size() + Places <= 64;
  if (Known)
    for (const KernelParameter &P : Facts->Parameters)
      Types.push_back(P.K == KernelParameter::Struct ? B.getPtrTy() : P.T);
  L.Run = Function::Create(FunctionType::get(B.getVoidTy(), Types, false),
                           GlobalValue::InternalLinkage, Prefix + L.Kernel, M);
  L.Run->addFnAttr(Attribute::NoInline);
  L.Run->setDoesNotThrow();
  if (Known)
    for (auto [N, P] : enumerate(Facts->Parameters)) {
      if (P.K == KernelParameter::Struct)
        L.Run->addParamAttr(Places + N, Attribute::getWithByValType(Ctx, P.T));
      L.Run->addParamAttr(
          Places + N,
          P.Variable.empty()
              ? Attribute::get(Ctx, OfAttribute, std::to_string(P.Of))
              : Attribute::get(Ctx, VariableAttribute, P.HostVariable));
      L.Run->addParamAttr(Places + N, Attribute::get(Ctx, OffsetAttribute,
                                                     std::to_string(P.Offset)));
    }

  OperationRecord R;
  R.Id = "launch";
  auto Refuse = [&](const Twine &Why) {
    R.Class = RuleClass::Handler;
    R.Handler = HandlerKind::Refused;
    R.Text = Texts.emplace_back(
        ("a launch of '" + userName(L.Kernel) + "', " + Why).str());
    Cat.declare(*L.Run, R, true, true);
  };
  if (!Known)
    ReturnInst::Create(Ctx, BasicBlock::Create(Ctx, "", L.Run));
  if (!All)
    return Refuse(
        "whose code is not known when the host's half is compiled: compile "
        "with rg-clang++, which passes it on");
  if (!Facts)
    return Refuse("whose code is in another file");
  if (!Facts->Refused.empty())
    return Refuse("which " + Facts->Refused);
  if (!Variables)
    return Refuse("which uses the variable '" + userName(Missing) +
                  "', which has no counterpart on the host");
  if (!Known)
    return Refuse("which has too many parameters");
  std::string Memory = "- - - - - - - n", Prototype = "VIIIIIIZP";
  for (const KernelParameter &P : L.Facts->Parameters) {
    Memory += ' ';
    Prototype += '?';
    if (P.K != KernelParameter::Pointer && P.K != KernelParameter::Struct) {
      Memory += '-';
      continue;
    }
    bool Reads = P.Reads || P.K == KernelParameter::Struct;
    Memory += !Reads && !P.Writes ? 'n' : !P.Writes ? 'r' : Reads ? 'm' : 'w';
    if (P.Element && (Reads || P.Writes))
      Memory += P.Element;
  }
  R.Class = RuleClass::Rule;
  R.Memory = Texts.emplace_back(Memory);
  R.Prototype = Texts.emplace_back(Prototype);
  R.Augment = R.Reverse = R.Forward = L.Run->getName();
  R.OfRuntime = true;
  Cat.declare(*L.Run, R, true, true);
  L.Plain = writeKeep(L, Cat);
  writeRun(L);
  Launches.push_back(L);
}

/// rg.keep.kernel(pointers...) -> handle, and
/// rg.undo.kernel(pointers..., handle).
GlobalVariable *HostLaunches::writeKeep(const Launch &L, Catalogue &Cat) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  SmallVector<unsigned, 8> Pointers;
  SmallVector<bool, 8> None(L.Facts->Parameters.size(), false);
  for (auto [N, P] : enumerate(L.Facts->Parameters))
    if (P.K == KernelParameter::Pointer)
      Pointers.push_back(N);
  std::string Name = keepName(*L.Run);
  std::string UndoName = "rg.undo." + L.Kernel;
  GlobalVariable *Record = makeRecord(L, None, Name + ".record");
  SmallVector<Type *, 8> Types(Pointers.size(), B.getPtrTy());
  auto *Table = ArrayType::get(B.getPtrTy(), L.Facts->Parameters.size() + 1);
  for (bool Undo : {false, true}) {
    if (Undo)
      Types.push_back(B.getPtrTy());
    auto *F = Function::Create(
        FunctionType::get(Undo ? B.getVoidTy() : (Type *)B.getPtrTy(), Types,
                          false),
        GlobalValue::InternalLinkage, Undo ? UndoName : Name, M);
    F->addFnAttr(Attribute::NoInline);
    F->setDoesNotThrow();
    B.SetInsertPoint(BasicBlock::Create(Ctx, "", F));
    Value *Arguments = B.CreateAlloca(Table);
    for (auto [At, N] : enumerate(Pointers)) {
      Value *Home = B.CreateAlloca(B.getPtrTy());
      B.CreateStore(F->getArg(At), Home);
      B.CreateStore(Home, B.CreateConstInBoundsGEP2_64(Table, Arguments, 0, N));
    }
    if (Undo) {
      B.CreateCall(RuntimeLibrary(M).require("rg_launch_undo"),
                   {Record, Arguments, F->getArg(Pointers.size())});
      B.CreateRetVoid();
    } else {
      B.CreateRet(B.CreateCall(RuntimeLibrary(M).require("rg_launch_keep"),
                               {Record, Arguments}));
      OperationRecord R;
      R.Id = "gpu_keep";
      R.Class = RuleClass::Handler;
      R.Handler = HandlerKind::Protocol;
      R.Text = Texts.emplace_back(UndoName);
      R.OfRuntime = true;
      Cat.declare(*F, R, true, true);
    }
  }
  return Record;
}

/// A variable that host and device share: the host may write it between
/// launches. The headers of --offload=cpu mark it.
static bool isManaged(const Module &M, const KernelParameter &P) {
  const GlobalVariable *All = M.getNamedGlobal("llvm.global.annotations");
  if (P.Variable.empty() || !All || !All->hasInitializer())
    return false;
  const GlobalVariable *G = M.getNamedGlobal(P.HostVariable);
  return any_of(All->getInitializer()->operands(), [&](const Use &Entry) {
    const auto *Fields = dyn_cast<ConstantStruct>(Entry);
    if (!Fields || Fields->getOperand(0)->stripPointerCasts() != G)
      return false;
    const auto *Text =
        dyn_cast<GlobalVariable>(Fields->getOperand(1)->stripPointerCasts());
    const auto *Bytes =
        Text && Text->hasInitializer()
            ? dyn_cast<ConstantDataSequential>(Text->getInitializer())
            : nullptr;
    return Bytes && Bytes->isCString() && Bytes->getAsCString() == "rg-managed";
  });
}

/// struct rg_kernel_record of runtime/hostdevice.c.
StructType *HostLaunches::recordType(unsigned Parameters) const {
  LLVMContext &Ctx = M.getContext();
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx),
       *I8 = Type::getInt8Ty(Ctx);
  Type *I32 = Type::getInt32Ty(Ctx);
  Type *Parameter = StructType::get(Ctx, {I32, I8, I8, I8, I8, I32, I32});
  return StructType::get(Ctx, {Ptr, Ptr, Ptr, I64, Ptr, Ptr, I64, Ptr, I64,
                               ArrayType::get(Parameter, Parameters)});
}

GlobalVariable *HostLaunches::makeRecord(const Launch &L, ArrayRef<bool> Active,
                                         StringRef Name) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  StructType *T = recordType(Active.size());
  auto *Parameters = cast<ArrayType>(T->getElementType(9));
  auto *Parameter = cast<StructType>(Parameters->getElementType());
  SmallVector<Constant *, 8> Of;
  for (auto [P, IsActive] : zip(L.Facts->Parameters, Active)) {
    unsigned Kind = !P.Variable.empty()               ? 4
                    : P.K == KernelParameter::Pointer ? 1
                    : P.K == KernelParameter::Float   ? 2
                    : P.K == KernelParameter::Double  ? 3
                                                      : 0;
    Of.push_back(ConstantStruct::get(
        Parameter,
        {B.getInt32(P.Bytes), B.getInt8(Kind),
         B.getInt8(P.Reads && isManaged(M, P) ? 3 : P.Reads),
         B.getInt8(P.Writes), B.getInt8(IsActive),
         B.getInt32(P.Variable.empty() ? P.Of : ~0u), B.getInt32(P.Offset)}));
  }
  Constant *Own = ConstantDataArray::get(Ctx, ArrayRef(L.Facts->Own));
  auto *Sizes =
      new GlobalVariable(M, Own->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Own, Name + ".sizes");
  Constant *Null = ConstantPointerNull::get(B.getPtrTy());
  return new GlobalVariable(
      M, T, /*isConstant=*/true, GlobalValue::InternalLinkage,
      ConstantStruct::get(
          T, {L.Stub, RuntimeLibrary(M).text("rg.kernel.", userName(L.Kernel)),
              Null, B.getInt64(0), Null, Null, B.getInt64(L.Facts->Own.size()),
              Sizes, B.getInt64(Active.size()),
              ConstantArray::get(Parameters, Of)}),
      Name);
}

bool HostLaunches::specialise(const DerivativeRequest &R,
                              OperationRecord &Rule) {
  auto *L =
      find_if(Launches, [&](const Launch &L) { return L.Run == R.Primal; });
  if (L == Launches.end())
    return false;
  SmallVector<bool, 8> Active;
  std::string Name = L->Run->getName().str() + ".";
  for (auto [N, P] : enumerate(L->Facts->Parameters)) {
    bool CanBe =
        P.K == KernelParameter::Pointer
            ? P.Element != 0
            : P.K == KernelParameter::Float || P.K == KernelParameter::Double;
    Active.push_back(CanBe && R.Args[Places + N] != ArgActivity::Const);
    if (Active.back())
      Name += (Name.back() == '.' ? "" : "_") + std::to_string(N);
  }
  bool Forward = R.Mode == DerivativeMode::Forward;
  auto S = find_if(Specials, [&](const Special &S) {
    return S.Run == L->Run && S.Active == Active;
  });
  if (S == Specials.end()) {
    Special New;
    New.Run = L->Run;
    New.Active = Active;
    New.Augment = Name + ".augment";
    New.Reverse = Name + ".reverse";
    New.Forward = Name + ".forward";
    New.Record = makeRecord(*L, Active, Name);
    Specials.push_back(std::move(New));
    S = std::prev(Specials.end());
  }
  bool &Has = Forward ? S->HasForward : S->HasReverse;
  if (!Has) {
    Has = true;
    Wanted.push_back({L->Kernel,
                      L->Kernel + (Forward ? ".rg.fwd" : ".rg.rev") +
                          StringRef(Name).rsplit('.').second.str(),
                      Forward, Active, L->Facts, S->Record});
    // PTX has no dots in names.
    std::replace(Wanted.back().Name.begin(), Wanted.back().Name.end(), '.',
                 '_');
    if (Forward) {
      writeSweep(*L, *S, /*Forward=*/true);
    } else {
      writeAugment(*L, *S);
      writeSweep(*L, *S, /*Forward=*/false);
    }
  }
  Rule.Augment = S->Augment;
  Rule.Reverse = S->Reverse;
  Rule.Forward = S->Forward;
  return true;
}

namespace {
/// The operands of a launch that the function of B has, gathered for the
/// runtime: those of Run, behind First others, each with a shadow where
/// HasShadow says so.
class RuleOperands {
public:
  Value *Place = nullptr, *Primals = nullptr, *Shadows = nullptr;

  RuleOperands(IRBuilder<> &B, const Function &Run, unsigned First,
               function_ref<bool(unsigned)> HasShadow) {
    Function *F = B.GetInsertBlock()->getParent();
    // struct rg_launch_place
    SmallVector<Type *, Places> Members(6, B.getInt32Ty());
    Members.append({B.getInt64Ty(), B.getPtrTy()});
    auto *PlaceType = StructType::get(B.getContext(), Members);
    Place = B.CreateAlloca(PlaceType);
    unsigned N = Run.arg_size() - Places;
    auto *Table = ArrayType::get(B.getPtrTy(), N + 1);
    Primals = B.CreateAlloca(Table);
    Shadows = B.CreateAlloca(Table);
    SmallVector<Value *, 16> Homes;
    for (unsigned I = 0; I != N; ++I)
      Homes.push_back(B.CreateAlloca(Run.getArg(Places + I)->getType()));
    Argument *Next = F->arg_begin() + First;
    for (const Argument &A : Run.args()) {
      unsigned At = A.getArgNo();
      Value *V = Next++;
      Value *Shadow = HasShadow(At) ? (Value *)Next++
                                    : ConstantPointerNull::get(B.getPtrTy());
      if (At < Places) {
        B.CreateStore(V, B.CreateStructGEP(PlaceType, Place, At));
        continue;
      }
      At -= Places;
      Value *Home = Homes[At];
      if (A.hasByValAttr())
        Home = V; // where the struct lies
      else
        B.CreateStore(V, Home);
      B.CreateStore(Home, B.CreateConstInBoundsGEP2_64(Table, Primals, 0, At));
      B.CreateStore(Shadow,
                    B.CreateConstInBoundsGEP2_64(Table, Shadows, 0, At));
    }
  }
};

/// A function of a rule (docs/CustomRules.md).
class RuleFunctionWriter {
public:
  IRBuilder<> B;
  Function *F = nullptr;

  RuleFunctionWriter(Module &M, StringRef Name, Type *Result,
                     ArrayRef<Type *> First, const Function &Run,
                     function_ref<bool(unsigned)> HasShadow)
      : B(M.getContext()) {
    SmallVector<Type *, 32> Types(First);
    for (const Argument &A : Run.args()) {
      Types.push_back(A.getType());
      if (HasShadow(A.getArgNo()))
        Types.push_back(B.getPtrTy());
    }
    F = Function::Create(FunctionType::get(Result, Types, false),
                         GlobalValue::InternalLinkage, Name, M);
    F->addFnAttr(Attribute::NoInline);
    B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
    Of.emplace(B, Run, First.size(), HasShadow);
  }

  const RuleOperands &operands() const {
    assert(Of && "the constructor makes them");
    return *Of;
  }

private:
  std::optional<RuleOperands> Of;
};
} // namespace

/// The launch itself.
void HostLaunches::writeRun(const Launch &L) {
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", L.Run));
  RuleOperands W(B, *L.Run, 0, [](unsigned) { return false; });
  B.CreateCall(RuntimeLibrary(M).require("rg_launch_run"),
               {L.Plain, W.Place, W.Primals});
  B.CreateRetVoid();
}

void HostLaunches::writeAugment(const Launch &L, const Special &S) {
  IRBuilder<> T(M.getContext());
  RuleFunctionWriter W(M, S.Augment, T.getPtrTy(),
                       {T.getPtrTy(), T.getInt64Ty(), T.getInt64Ty()}, *L.Run,
                       [](unsigned) { return false; });
  W.B.CreateRet(W.B.CreateCall(
      RuntimeLibrary(M).require("rg_launch_augment"),
      {W.F->getArg(0), S.Record, W.operands().Place, W.operands().Primals}));
}

void HostLaunches::writeSweep(const Launch &L, const Special &S, bool Forward) {
  IRBuilder<> T(M.getContext());
  SmallVector<Type *, 3> First{T.getInt64Ty()};
  if (!Forward)
    First = {T.getPtrTy(), T.getInt64Ty(), T.getPtrTy()};
  auto HasShadow = [&](unsigned Op) {
    Type *Of = L.Run->getArg(Op)->getType();
    if (Op < Places)
      return false;
    return Of->isFPOrFPVectorTy() ||
           (Of->isPointerTy() && L.Facts->Parameters[Op - Places].Element);
  };
  RuleFunctionWriter W(M, Forward ? S.Forward : S.Reverse, T.getVoidTy(), First,
                       *L.Run, HasShadow);
  SmallVector<Value *, 8> Args;
  for (unsigned I = 0; I != First.size(); ++I)
    Args.push_back(W.F->getArg(I));
  Args.append({S.Record, W.operands().Place, W.operands().Primals,
               W.operands().Shadows});
  W.B.CreateCall(RuntimeLibrary(M).require(Forward ? "rg_launch_forward"
                                                   : "rg_launch_reverse"),
                 Args);
  W.B.CreateRetVoid();
}

void HostLaunches::bind(function_ref<Constant *(const Kernel &)> HandleOf,
                        Constant *Image, uint64_t ImageBytes) {
  for (const Kernel &K : Wanted) {
    auto *Old = cast<ConstantStruct>(K.Record->getInitializer());
    SmallVector<Constant *, 8> Members;
    for (unsigned I = 0; I != Old->getNumOperands(); ++I)
      Members.push_back(Old->getOperand(I));
    if (Image) {
      Members[2] = Image;
      Members[3] = ConstantInt::get(Members[3]->getType(), ImageBytes);
    }
    Members[K.Forward ? 5 : 4] = HandleOf(K);
    K.Record->setInitializer(ConstantStruct::get(Old->getType(), Members));
  }
}

void HostLaunches::finish() {
  for (Launch &L : Launches)
    if (L.Run->use_empty())
      L.Run->eraseFromParent();
  Launches.clear();
}
