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
// The order is that of the ranks, so an operation need not commute. In Fortran
// all but the function goes by address, and the result by the last operand. See
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
  bool CountsPerRank = false;
  bool Fortran = false;
};
constexpr Routine Routines[] = {
    {"MPI_Allreduce", Reach::All, 6},
    {"MPI_Reduce", Reach::AtRoot, 7},
    {"MPI_Scan", Reach::UpToHere, 6},
    {"MPI_Exscan", Reach::BeforeHere, 6},
    {"MPI_Reduce_scatter", Reach::Scattered, 6, true},
    {"MPI_Reduce_scatter_block", Reach::Scattered, 6},
    {"mpi_allreduce_", Reach::All, 7, false, true},
    {"mpi_reduce_", Reach::AtRoot, 8, false, true},
    {"mpi_scan_", Reach::UpToHere, 7, false, true},
    {"mpi_exscan_", Reach::BeforeHere, 7, false, true},
    {"mpi_reduce_scatter_", Reach::Scattered, 7, true, true},
    {"mpi_reduce_scatter_block_", Reach::Scattered, 7, false, true},
};

/// On calls that are reductions of MPI's own operations.
constexpr StringLiteral OfLibrary = "rg-mpi-operation";

const Routine *routineOf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Call.hasFnAttr(OfLibrary))
    return nullptr;
  const Type *Result = Callee->getReturnType();
  for (const Routine &R : Routines)
    if (Callee->getName() == R.Name)
      return Callee->arg_size() == R.NumArgs &&
                     (R.Fortran ? Result->isVoidTy() : Result->isIntegerTy(32))
                 ? &R
                 : nullptr;
  return nullptr;
}

/// May Call reduce numbers by an operation of the program's? Those of MPI are
/// constants, but not null.
bool mayBeOwn(const CallBase &Call, const Routine &R, const Catalogue &Cat) {
  const auto *Operation = dyn_cast<Constant>(Call.getArgOperand(4));
  if (R.Fortran) {
    const auto *Held = dyn_cast_or_null<GlobalVariable>(Operation);
    Operation = Held && Held->isConstant() && Held->hasDefinitiveInitializer()
                    ? Held->getInitializer()
                    : nullptr;
  }
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
  /// What runtime/messages-operations.c tells of handles.
  Value *ask(const char *What, Type *Result, ArrayRef<Value *> Handles) {
    SmallVector<Value *, 2> Args;
    for (Value *H : Handles)
      Args.push_back(R.Fortran ? H : word(H));
    return routine(
        (Twine(R.Fortran ? "rg_mpif_own_" : "rg_mpi_own_") + What).str(),
        Result, Args);
  }
  /// In Fortran: a number that is passed by address.
  Value *placed(Value *Number) {
    BasicBlock &Entry = F->getEntryBlock();
    auto *Place = new AllocaInst(B.getInt32Ty(), 0, "", Entry.begin());
    B.CreateStore(Number, Place);
    return Place;
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
    if (R.Fortran)
      Count = placed(Count);
    SmallVector<Value *, 9> Args{From, Count, Type, To, Count, Type};
    if (Root)
      Args.push_back(Root);
    Args.push_back(Comm);
    if (!R.Fortran) {
      routine(Root ? "MPI_Gather" : "MPI_Allgather", B.getInt32Ty(), Args);
      return;
    }
    Args.push_back(F->getArg(R.NumArgs - 1));
    routine(Root ? "mpi_gather_" : "mpi_allgather_", B.getVoidTy(), Args);
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
  Value *Comm = Args[R.NumArgs - (R.Fortran ? 2 : 1)];
  Value *Root = R.Of == Reach::AtRoot ? Args[5] : nullptr;
  llvm::Type *L = B.getInt64Ty(), *I = B.getInt32Ty();
  Value *Length = B.CreateAlloca(I);
  Value *TypeAt = R.Fortran ? Type : B.CreateAlloca(handle());
  Value *Zero = B.getInt32(0);

  Value *Combine = ask("operation", B.getPtrTy(), {Op, Type});
  BasicBlock *Library = onlyIf(B.CreateIsNotNull(Combine));

  Value *Size = ask("size", I, {Comm});
  Value *Rank = ask("rank", I, {Comm});
  // Counts of a scattered result are in memory, one per rank, or all the same.
  Value *All = Args[2];
  if (R.Fortran && !R.CountsPerRank)
    All = B.CreateLoad(I, All);
  Value *Part = All, *Before = B.getInt64(0);
  if (R.Of == Reach::Scattered) {
    if (R.CountsPerRank) {
      All = routine("rg_mpi_own_counts", I, {Args[2], Size});
      Before = wide(routine("rg_mpi_own_counts", I, {Args[2], Rank}));
      Part = B.CreateLoad(I, B.CreateGEP(I, Args[2], wide(Rank)));
    } else {
      Before = wide(B.CreateMul(Part, Rank));
      All = B.CreateMul(Part, Size);
    }
  }
  Value *Extent = ask("extent", L, {Type});
  Value *Bytes = B.CreateMul(Extent, wide(All));
  Value *Room = B.CreateAdd(B.CreateMul(Bytes, wide(Size)), B.getInt64(1));
  Value *Memory = routine("malloc", B.getPtrTy(), {Room});
  Value *At = R.Fortran ? From : B.CreatePtrToInt(From, L);
  Value *InPlace = routine(
      R.Fortran ? "rg_mpif_own_in_place" : "rg_mpi_own_in_place", I, {At});
  BasicBlock *Apart = onlyIf(B.CreateICmpNE(InPlace, Zero));
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
    Has = B.CreateICmpEQ(Rank, R.Fortran ? B.CreateLoad(I, Root) : Root);
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
    if (!R.Fortran)
      B.CreateStore(Type, TypeAt);
    llvm::Type *Ptr = B.getPtrTy();
    B.CreateCall(FunctionType::get(B.getVoidTy(), {Ptr, Ptr, Ptr, Ptr}, false),
                 Combine, {Next, Sum, Length, TypeAt});
  });
  // By the datatype: what lies in its gaps is the program's.
  Value *Self;
  if (R.Fortran) {
    Self = placed(routine("rg_mpif_own_self", I, {}));
  } else {
    Self = routine("rg_mpi_own_self", L, {});
    Self = Comm->getType()->isPointerTy()
               ? B.CreateIntToPtr(Self, Comm->getType())
               : B.CreateTrunc(Self, Comm->getType());
  }
  gather(Sum, To, Part, Self, nullptr);
  B.CreateBr(Done);

  B.SetInsertPoint(Done);
  routine("free", B.getVoidTy(), {Memory});
  if (R.Fortran)
    B.CreateStore(Zero, Args.back());
  R.Fortran ? B.CreateRetVoid() : B.CreateRet(Zero);

  B.SetInsertPoint(Library);
  CallInst *Call = B.CreateCall(&Original, Args);
  Call->addFnAttr(Attribute::get(M.getContext(), OfLibrary));
  R.Fortran ? B.CreateRetVoid() : B.CreateRet(Call);
  return F;
}

} // namespace

bool retrograd::rewriteOperations(Function &Clone, const Catalogue &Cat) {
  Module &M = *Clone.getParent();
  if (!M.getFunction("MPI_Op_create") && !M.getFunction("mpi_op_create_"))
    return false;
  SmallVector<std::pair<CallBase *, const Routine *>, 4> Found;
  for (Instruction &I : instructions(Clone))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const Routine *R = routineOf(*Call))
        if (mayBeOwn(*Call, *R, Cat))
          Found.push_back({Call, R});
  for (auto [Call, R] : Found) {
    Function *Own = M.getFunction(("rg.own." + R->Name).str());
    if (!Own)
      Own = Writer(Clone, *Call->getCalledFunction(), *R).write();
    Call->setCalledFunction(Own);
  }
  return !Found.empty();
}
