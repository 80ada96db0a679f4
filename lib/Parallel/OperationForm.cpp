//===- OperationForm.cpp - a program's own reductions of MPI in primals ---===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may hand MPI a function that combines two buffers (MPI_Op_create),
// and reduce by it. The library calls the function somewhere within the
// reduction; no rule knows its derivative. In a fresh clone a reduction becomes
//
//   rg.own.MPI_Allreduce(from, to, count, type, op, comm)
//     f = rg_mpi_own_operation(op, type);   null: one that MPI brings along,
//                                           or nothing but integers
//     if (!f) return MPI_Allreduce(from, to, count, type, op, comm);
//     MPI_Allgather(from, .., all, ..)      what each rank puts in
//     for (r = size - 2; r >= 0; --r)
//       f(all[r], all[size - 1], &count, &type)
//     to = all[size - 1]
//
// which is differentiated like other code: the gathering has a rule, and the
// call through a pointer leads to the functions whose address the module takes.
// The order is that of the ranks, so an operation need not commute. See
// docs/Parallel.md.
//
// Not handled: forms that do not wait; runtime/messages-groups.c refuses them.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Emit/PoolCode.h"
#include "Parallel/Forms.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Which ranks a rank's result is of, and which part of it.
enum class Reach { All, AtRoot, UpToHere, BeforeHere, Scattered };

struct Routine {
  StringLiteral Name;
  Reach Of;
  unsigned NumArgs;
};
constexpr Routine Routines[] = {
    {"MPI_Allreduce", Reach::All, 6},
    {"MPI_Reduce", Reach::AtRoot, 7},
    {"MPI_Scan", Reach::UpToHere, 6},
    {"MPI_Exscan", Reach::BeforeHere, 6},
    {"MPI_Reduce_scatter", Reach::Scattered, 6},
    {"MPI_Reduce_scatter_block", Reach::Scattered, 6},
};

/// On calls that are reductions of MPI's own operations.
constexpr StringLiteral OfLibrary = "rg-mpi-operation";

const Routine *routineOf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Call.hasFnAttr(OfLibrary) ||
      !Callee->getReturnType()->isIntegerTy(32))
    return nullptr;
  for (const Routine &R : Routines)
    if (Callee->getName() == R.Name)
      return Callee->arg_size() == R.NumArgs ? &R : nullptr;
  return nullptr;
}

/// May Call reduce numbers by an operation of the program's? Those of MPI are
/// constants, but not null.
bool mayBeOwn(const CallBase &Call, const Catalogue &Cat) {
  const auto *Operation = dyn_cast<Constant>(Call.getArgOperand(4));
  if (Operation && !Operation->isNullValue())
    return false;
  const OperationRecord *Rule = Cat.lookup(Call);
  return Rule && elementBehind(Call, 0, *Rule) != 'I';
}

class Writer : PoolCode {
public:
  Writer(Function &Model, Function &Original, const Routine &R)
      : PoolCode(Model), Original(Original), R(R) {}
  Function *write();

private:
  Function &Original;
  const Routine &R;
  Function *F = nullptr;

  Type *handle() { return F->getArg(3)->getType(); }
  Value *word(Value *Handle) {
    return handle()->isPointerTy() ? B.CreatePtrToInt(Handle, B.getInt64Ty())
                                   : B.CreateSExt(Handle, B.getInt64Ty());
  }
  Value *wide(Value *Count) { return B.CreateSExt(Count, B.getInt64Ty()); }
  BasicBlock *block() { return BasicBlock::Create(M.getContext(), "", F); }
  /// Goes on where Condition holds; returns the block where it does not.
  BasicBlock *onlyIf(Value *Condition) {
    BasicBlock *Then = block(), *Else = block();
    B.CreateCondBr(Condition, Then, Else);
    B.SetInsertPoint(Then);
    return Else;
  }
  /// What lies at From on each rank is at To afterwards, one behind the other.
  void gather(Value *From, Value *To, Value *Count, Value *Comm, Value *Root) {
    Value *Type = F->getArg(3);
    SmallVector<Value *, 8> Args{From, Count, Type, To, Count, Type};
    if (Root)
      Args.push_back(Root);
    Args.push_back(Comm);
    routine(Root ? "MPI_Gather" : "MPI_Allgather", B.getInt32Ty(), Args);
  }
};

Function *Writer::write() {
  FunctionType *T = Original.getFunctionType();
  F = function(T->getReturnType(), T->params(), "rg.own." + R.Name);
  F->addFnAttr(Attribute::NoInline);
  SmallVector<Value *, 7> Args;
  for (Argument &A : F->args())
    Args.push_back(&A);
  Value *From = Args[0], *To = Args[1], *Type = Args[3], *Op = Args[4];
  Value *Comm = Args.back();
  Value *Root = R.Of == Reach::AtRoot ? Args[5] : nullptr;
  llvm::Type *L = B.getInt64Ty(), *I = B.getInt32Ty();
  Value *Length = B.CreateAlloca(I), *TypeAt = B.CreateAlloca(handle());
  Value *Zero = B.getInt32(0);

  Value *Combine =
      routine("rg_mpi_own_operation", B.getPtrTy(), {word(Op), word(Type)});
  BasicBlock *Library = onlyIf(B.CreateIsNotNull(Combine));

  Value *Size = routine("rg_mpi_own_size", I, {word(Comm)});
  Value *Rank = routine("rg_mpi_own_rank", I, {word(Comm)});
  // Counts of a scattered result are in memory, one per rank, or all the same.
  Value *All = Args[2], *Part = All, *Before = B.getInt64(0);
  if (R.Of == Reach::Scattered) {
    if (Part->getType()->isPointerTy()) {
      All = routine("rg_mpi_own_counts", I, {Args[2], Size});
      Before = wide(routine("rg_mpi_own_counts", I, {Args[2], Rank}));
      Part = B.CreateLoad(I, B.CreateGEP(I, Args[2], wide(Rank)));
    } else {
      Before = wide(B.CreateMul(Part, Rank));
      All = B.CreateMul(Part, Size);
    }
  }
  Value *Extent = routine("rg_mpi_own_extent", L, {word(Type)});
  Value *Bytes = B.CreateMul(Extent, wide(All));
  Value *Room = B.CreateAdd(B.CreateMul(Bytes, wide(Size)), B.getInt64(1));
  Value *Memory = routine("malloc", B.getPtrTy(), {Room});
  BasicBlock *Apart = onlyIf(B.CreateICmpNE(
      routine("rg_mpi_own_in_place", I, {B.CreatePtrToInt(From, L)}), Zero));
  BasicBlock *Gathered = block();
  gather(To, Memory, All, Comm, Root);
  B.CreateBr(Gathered);
  B.SetInsertPoint(Apart);
  gather(From, Memory, All, Comm, Root);
  B.CreateBr(Gathered);

  B.SetInsertPoint(Gathered);
  Value *Last = B.CreateSub(Size, B.getInt32(1)), *Has = B.getTrue();
  if (R.Of == Reach::UpToHere)
    Last = Rank;
  if (R.Of == Reach::BeforeHere) {
    Last = B.CreateSub(Rank, B.getInt32(1));
    Has = B.CreateICmpSGT(Rank, Zero);
  }
  if (Root)
    Has = B.CreateICmpEQ(Rank, Root);
  BasicBlock *Done = onlyIf(Has);
  Last = wide(Last);
  Value *Offset = B.CreateMul(Extent, Before);
  auto Of = [&](Value *Rank) {
    Value *At = B.CreateAdd(B.CreateMul(Bytes, Rank), Offset);
    return B.CreateGEP(B.getInt8Ty(), Memory, At);
  };
  Value *Sum = Of(Last);
  loop(B.getInt64(0), Last, [&](Value *Round) {
    Value *Next = Of(B.CreateSub(B.CreateSub(Last, B.getInt64(1)), Round));
    B.CreateStore(Part, Length);
    B.CreateStore(Type, TypeAt);
    llvm::Type *Ptr = B.getPtrTy();
    B.CreateCall(FunctionType::get(B.getVoidTy(), {Ptr, Ptr, Ptr, Ptr}, false),
                 Combine, {Next, Sum, Length, TypeAt});
  });
  // By the datatype: what lies in its gaps is the program's.
  Value *Self = routine("rg_mpi_own_self", L, {});
  Self = Comm->getType()->isPointerTy()
             ? B.CreateIntToPtr(Self, Comm->getType())
             : B.CreateTrunc(Self, Comm->getType());
  gather(Sum, To, Part, Self, nullptr);
  B.CreateBr(Done);

  B.SetInsertPoint(Done);
  routine("free", B.getVoidTy(), {Memory});
  B.CreateRet(Zero);

  B.SetInsertPoint(Library);
  CallInst *Call = B.CreateCall(&Original, Args);
  Call->addFnAttr(Attribute::get(M.getContext(), OfLibrary));
  B.CreateRet(Call);
  return F;
}

} // namespace

bool retrograd::rewriteOperations(Function &Clone, const Catalogue &Cat) {
  Module &M = *Clone.getParent();
  if (!M.getFunction("MPI_Op_create"))
    return false;
  SmallVector<std::pair<CallBase *, const Routine *>, 4> Found;
  for (Instruction &I : instructions(Clone))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const Routine *R = routineOf(*Call))
        if (mayBeOwn(*Call, Cat))
          Found.push_back({Call, R});
  for (auto [Call, R] : Found) {
    Function *Own = M.getFunction(("rg.own." + R->Name).str());
    if (!Own)
      Own = Writer(Clone, *Call->getCalledFunction(), *R).write();
    Call->setCalledFunction(Own);
  }
  return !Found.empty();
}
