//===- HostLaunches.cpp - launches of kernels in host code ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/HostLaunches.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Support/Kernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

static constexpr StringLiteral Push = "__cudaPushCallConfiguration";
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

bool retrograd::hasLaunches(const Module &M) {
  return M.getFunction(Push) && any_of(M, isStub);
}

bool retrograd::keepStubs(Module &M) {
  if (!M.getFunction(Push))
    return false;
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

/// The sizes that clang passes as two words, three numbers each.
static SmallVector<Value *, Places> placesOf(IRBuilderBase &B, CallBase &Push) {
  SmallVector<Value *, Places> Found;
  for (unsigned At : {0u, 2u}) {
    Value *XY = Push.getArgOperand(At);
    Found.push_back(B.CreateTrunc(XY, B.getInt32Ty()));
    Found.push_back(B.CreateTrunc(B.CreateLShr(XY, 32), B.getInt32Ty()));
    Found.push_back(Push.getArgOperand(At + 1));
  }
  Found.push_back(Push.getArgOperand(4));
  Found.push_back(Push.getArgOperand(5));
  return Found;
}

static bool isPush(const CallBase &C) {
  const Function *F = C.getCalledFunction();
  return F && F->getName() == Push && C.arg_size() == 6 &&
         C.getArgOperand(0)->getType()->isIntegerTy(64) &&
         C.getArgOperand(1)->getType()->isIntegerTy(32);
}

void retrograd::rewriteLaunches(Function &Clone) {
  Module &M = *Clone.getParent();
  if (!M.getFunction(Push))
    return;
  // Launches do not throw, though clang does not know it.
  SmallVector<InvokeInst *, 4> Invokes;
  auto IsOfLaunch = [](const CallBase &C) {
    const Function *F = C.getCalledFunction();
    return isPush(C) || (F && isStub(*F));
  };
  for (Instruction &I : instructions(Clone))
    if (auto *Inv = dyn_cast<InvokeInst>(&I); Inv && IsOfLaunch(*Inv))
      Invokes.push_back(Inv);
  for (InvokeInst *Inv : Invokes)
    changeToCall(Inv);
  SmallVector<CallInst *, 4> Pushed, Stubs;
  for (Instruction &I : instructions(Clone))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && IsOfLaunch(*Call))
      (isPush(*Call) ? Pushed : Stubs).push_back(Call);
  if (Stubs.empty())
    return;
  DominatorTree DT(Clone);
  SmallPtrSet<CallInst *, 4> Used;
  // Arguments may contain launches of their own: those come first, and take
  // their configuration.
  stable_sort(Stubs, [&](CallInst *A, CallInst *B) {
    return A != B && DT.dominates(A, B);
  });
  for (CallInst *Stub : Stubs) {
    Function *Run = M.getFunction(
        (Prefix + kernelOfStub(Stub->getCalledFunction()->getName())).str());
    CallInst *Of = nullptr;
    for (bool Fresh : {true, false}) {
      for (CallInst *P : Pushed)
        if ((!Fresh || !Used.contains(P)) && DT.dominates(P, Stub) &&
            (!Of || DT.dominates(Of, P)))
          Of = P;
      if (Of)
        break;
    }
    if (!Run || !Of || Run->arg_size() != Places + Stub->arg_size())
      continue;
    Used.insert(Of);
    IRBuilder<> B(Stub);
    SmallVector<Value *, 16> Args = placesOf(B, *Of);
    append_range(Args, Stub->args());
    if (Function *Keep = M.getFunction(keepName(*Run))) {
      SmallVector<Value *, 8> Pointers;
      for (const Use &A : Stub->args())
        if (A->getType()->isPointerTy() &&
            !Stub->isByValArgument(Stub->getArgOperandNo(&A)))
          Pointers.push_back(A);
      B.CreateCall(Keep, Pointers);
    }
    CallInst *Call = B.CreateCall(Run, Args);
    for (unsigned A = 0; A != Stub->arg_size(); ++A)
      if (Type *T = Stub->getParamByValType(A))
        Call->addParamAttr(Places + A,
                           Attribute::getWithByValType(B.getContext(), T));
    Stub->eraseFromParent();
  }
  for (CallInst *P : Used) {
    P->replaceAllUsesWith(ConstantInt::get(P->getType(), 0));
    P->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Launches and their rules
//===----------------------------------------------------------------------===//

HostLaunches::HostLaunches(Module &M, Catalogue &Cat,
                           const StringMap<KernelFacts> *Facts)
    : M(M) {
  SmallVector<Function *, 8> Stubs;
  for (Function &F : M)
    if (isStub(F))
      Stubs.push_back(&F);
  for (Function *F : Stubs)
    makeLaunch(*F, Cat, Facts);
}

/// Where the host's parameters are not the kernel's one by one.
static bool matches(const Function &Stub, const KernelFacts &Facts) {
  if (Stub.arg_size() != Facts.Parameters.size())
    return false;
  const DataLayout &DL = Stub.getDataLayout();
  for (auto [A, P] : zip(Stub.args(), Facts.Parameters)) {
    Type *T = A.getType();
    switch (P.K) {
    case KernelParameter::Pointer:
      if (!T->isPointerTy() || A.hasByValAttr())
        return false;
      break;
    case KernelParameter::Float:
      if (!T->isFloatTy())
        return false;
      break;
    case KernelParameter::Double:
      if (!T->isDoubleTy())
        return false;
      break;
    case KernelParameter::Struct:
      if (!A.hasByValAttr() ||
          DL.getTypeAllocSize(A.getParamByValType()) != P.Bytes)
        return false;
      break;
    default:
      if (T->isPointerTy() || DL.getTypeAllocSize(T) != P.Bytes)
        return false;
    }
  }
  return true;
}

void HostLaunches::makeLaunch(Function &Stub, Catalogue &Cat,
                              const StringMap<KernelFacts> *Facts) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  Launch L{&Stub, nullptr, kernelOfStub(Stub.getName()), nullptr};
  SmallVector<Type *, 16> Types(6, B.getInt32Ty());
  Types.append({B.getInt64Ty(), B.getPtrTy()});
  for (Argument &A : Stub.args())
    Types.push_back(A.getType());
  L.Run = Function::Create(FunctionType::get(B.getVoidTy(), Types, false),
                           GlobalValue::InternalLinkage, Prefix + L.Kernel, M);
  L.Run->addFnAttr(Attribute::NoInline);
  L.Run->setDoesNotThrow();
  for (Argument &A : Stub.args())
    if (Type *T = A.getParamByValType())
      L.Run->addParamAttr(Places + A.getArgNo(),
                          Attribute::getWithByValType(Ctx, T));
  B.SetInsertPoint(BasicBlock::Create(Ctx, "", L.Run));
  auto Sizes = [&](unsigned At) {
    return B.CreateOr(
        B.CreateZExt(L.Run->getArg(At), B.getInt64Ty()),
        B.CreateShl(B.CreateZExt(L.Run->getArg(At + 1), B.getInt64Ty()), 32));
  };
  B.CreateCall(M.getFunction(Push),
               {Sizes(0), L.Run->getArg(2), Sizes(3), L.Run->getArg(5),
                L.Run->getArg(6), L.Run->getArg(7)});
  SmallVector<Value *, 8> Args;
  for (Argument &A : drop_begin(L.Run->args(), Places))
    Args.push_back(&A);
  CallInst *Call = B.CreateCall(&Stub, Args);
  Call->setAttributes(Stub.getAttributes());
  B.CreateRetVoid();

  OperationRecord R;
  R.Id = "launch";
  auto Refuse = [&](const Twine &Why) {
    R.Class = RuleClass::Handler;
    R.Handler = HandlerKind::Refused;
    R.Text = Texts.emplace_back(
        ("a launch of '" + userName(L.Kernel) + "', " + Why).str());
    Cat.declare(*L.Run, R, true, true);
  };
  if (!Facts)
    return Refuse("whose code the compiler of the host's half has not; compile "
                  "with rg-clang++, which hands it over");
  auto It = Facts->find(L.Kernel);
  if (It == Facts->end())
    return Refuse("whose code is in another file");
  L.Facts = &It->second;
  if (!L.Facts->Refused.empty())
    return Refuse("which " + L.Facts->Refused);
  if (!matches(Stub, *L.Facts))
    return Refuse("which takes a small struct by value: pass its members, or a "
                  "pointer");
  if (Stub.arg_size() + Places > 64)
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
  writeKeep(L, Cat);
  Launches.push_back(L);
}

/// rg.keep.kernel(pointers...) -> handle, and
/// rg.undo.kernel(pointers..., handle).
void HostLaunches::writeKeep(const Launch &L, Catalogue &Cat) {
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
}

/// struct rg_kernel_record of runtime/hostdevice.c.
StructType *HostLaunches::recordType(unsigned Parameters) const {
  LLVMContext &Ctx = M.getContext();
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx),
       *I8 = Type::getInt8Ty(Ctx);
  Type *Parameter =
      StructType::get(Ctx, {Type::getInt32Ty(Ctx), I8, I8, I8, I8});
  return StructType::get(Ctx, {Ptr, Ptr, Ptr, I64, Ptr, Ptr, I64,
                               ArrayType::get(Parameter, Parameters)});
}

GlobalVariable *HostLaunches::makeRecord(const Launch &L, ArrayRef<bool> Active,
                                         StringRef Name) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  StructType *T = recordType(Active.size());
  auto *Parameters = cast<ArrayType>(T->getElementType(7));
  auto *Parameter = cast<StructType>(Parameters->getElementType());
  SmallVector<Constant *, 8> Of;
  for (auto [P, IsActive] : zip(L.Facts->Parameters, Active)) {
    unsigned Kind = P.K == KernelParameter::Pointer  ? 1
                    : P.K == KernelParameter::Float  ? 2
                    : P.K == KernelParameter::Double ? 3
                                                     : 0;
    Of.push_back(ConstantStruct::get(
        Parameter, {B.getInt32(P.Bytes), B.getInt8(Kind), B.getInt8(P.Reads),
                    B.getInt8(P.Writes), B.getInt8(IsActive)}));
  }
  Constant *Null = ConstantPointerNull::get(B.getPtrTy());
  return new GlobalVariable(
      M, T, /*isConstant=*/true, GlobalValue::InternalLinkage,
      ConstantStruct::get(
          T, {L.Stub, RuntimeLibrary(M).text("rg.kernel.", userName(L.Kernel)),
              Null, B.getInt64(0), Null, Null, B.getInt64(Active.size()),
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
/// A function of a rule (docs/CustomRules.md): its operands, gathered for the
/// runtime.
class RuleFunctionWriter {
public:
  IRBuilder<> B;
  Function *F = nullptr;
  Value *Place = nullptr, *Primals = nullptr, *Shadows = nullptr;

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
    // struct rg_launch_place
    SmallVector<Type *, Places> Members(6, B.getInt32Ty());
    Members.append({B.getInt64Ty(), B.getPtrTy()});
    auto *PlaceType = StructType::get(M.getContext(), Members);
    Place = B.CreateAlloca(PlaceType);
    unsigned N = Run.arg_size() - Places;
    auto *Table = ArrayType::get(B.getPtrTy(), N + 1);
    Primals = B.CreateAlloca(Table);
    Shadows = B.CreateAlloca(Table);
    SmallVector<Value *, 16> Homes;
    for (unsigned I = 0; I != N; ++I)
      Homes.push_back(B.CreateAlloca(Run.getArg(Places + I)->getType()));
    Argument *Next = F->getArg(First.size());
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
} // namespace

void HostLaunches::writeAugment(const Launch &L, const Special &S) {
  IRBuilder<> T(M.getContext());
  RuleFunctionWriter W(M, S.Augment, T.getPtrTy(),
                       {T.getPtrTy(), T.getInt64Ty(), T.getInt64Ty()}, *L.Run,
                       [](unsigned) { return false; });
  W.B.CreateRet(W.B.CreateCall(RuntimeLibrary(M).require("rg_launch_augment"),
                               {W.F->getArg(0), S.Record, W.Place, W.Primals}));
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
  Args.append({S.Record, W.Place, W.Primals, W.Shadows});
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
