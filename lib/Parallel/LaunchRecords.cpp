//===- LaunchRecords.cpp - what a launch's rule gives to the runtime ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitcode/RuntimeLibrary.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Parallel/HostLaunches.h"
#include "Parallel/LaunchForm.h"
#include "Support/Kernels.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// rg.keep.kernel(pointers..., stream) -> handle, and
/// rg.undo.kernel(pointers..., stream, handle).
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
  SmallVector<Type *, 8> Types(Pointers.size() + 1, B.getPtrTy());
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
                   {Record, Arguments, F->getArg(Pointers.size() + 1)});
      B.CreateRetVoid();
    } else {
      B.CreateRet(
          B.CreateCall(RuntimeLibrary(M).require("rg_launch_keep"),
                       {Record, Arguments, F->getArg(Pointers.size())}));
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
  Type *Parameter =
      StructType::get(Ctx, {I32, I8, I8, I8, I8, I32, I32, I8, I8, I8, I8});
  return StructType::get(Ctx, {Ptr, Ptr, Ptr, I64, Ptr, Ptr, I64, Ptr, I64, I64,
                               ArrayType::get(Parameter, Parameters)});
}

GlobalVariable *HostLaunches::makeRecord(const Launch &L, ArrayRef<bool> Active,
                                         StringRef Name) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  StructType *T = recordType(Active.size());
  auto *Parameters = cast<ArrayType>(T->getElementType(10));
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
         B.getInt32(P.Variable.empty() ? P.Of : ~0u), B.getInt32(P.Offset),
         B.getInt8(P.Steps), B.getInt8(P.ReadsFurther),
         B.getInt8(P.WritesFurther), B.getInt8(0)}));
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
              Sizes, B.getInt64(Active.size()), B.getInt64(0),
              ConstantArray::get(Parameters, Of)}),
      Name);
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
    SmallVector<Type *, LaunchPlaces> Members(6, B.getInt32Ty());
    Members.append({B.getInt64Ty(), B.getPtrTy()});
    auto *PlaceType = StructType::get(B.getContext(), Members);
    Place = B.CreateAlloca(PlaceType);
    unsigned N = Run.arg_size() - LaunchPlaces;
    auto *Table = ArrayType::get(B.getPtrTy(), N + 1);
    Primals = B.CreateAlloca(Table);
    Shadows = B.CreateAlloca(Table);
    SmallVector<Value *, 16> Homes;
    for (unsigned I = 0; I != N; ++I)
      Homes.push_back(B.CreateAlloca(Run.getArg(LaunchPlaces + I)->getType()));
    Argument *Next = F->arg_begin() + First;
    for (const Argument &A : Run.args()) {
      unsigned At = A.getArgNo();
      Value *V = Next++;
      Value *Shadow = HasShadow(At) ? (Value *)Next++
                                    : ConstantPointerNull::get(B.getPtrTy());
      if (At < LaunchPlaces) {
        B.CreateStore(V, B.CreateStructGEP(PlaceType, Place, At));
        continue;
      }
      At -= LaunchPlaces;
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

bool HostLaunches::hasShadow(const Launch &L, unsigned Op) {
  Type *Of = L.Run->getArg(Op)->getType();
  return Op >= LaunchPlaces &&
         (Of->isFPOrFPVectorTy() ||
          (Of->isPointerTy() &&
           L.Facts->Parameters[Op - LaunchPlaces].Element));
}

/// A kernel that follows pointers out of memory is launched with shadows, too.
void HostLaunches::writeAugment(const Launch &L, const Special &S) {
  IRBuilder<> T(M.getContext());
  const bool Leads = any_of(L.Facts->Parameters,
                            [](const KernelParameter &P) { return P.leads(); });
  RuleFunctionWriter W(M, S.Augment, T.getPtrTy(),
                       {T.getPtrTy(), T.getInt64Ty(), T.getInt64Ty()}, *L.Run,
                       [&](unsigned Op) { return Leads && hasShadow(L, Op); });
  SmallVector<Value *, 8> Args{W.F->getArg(0)};
  if (Leads)
    Args.push_back(W.F->getArg(2));
  Args.append({S.Record, W.operands().Place, W.operands().Primals});
  if (Leads)
    Args.push_back(W.operands().Shadows);
  W.B.CreateRet(W.B.CreateCall(
      RuntimeLibrary(M).require(Leads ? "rg_launch_augment_leading"
                                      : "rg_launch_augment"),
      Args));
}

void HostLaunches::writeSweep(const Launch &L, const Special &S, bool Forward) {
  IRBuilder<> T(M.getContext());
  SmallVector<Type *, 3> First{T.getInt64Ty()};
  if (!Forward)
    First = {T.getPtrTy(), T.getInt64Ty(), T.getPtrTy()};
  auto HasShadow = [&](unsigned Op) { return hasShadow(L, Op); };
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
