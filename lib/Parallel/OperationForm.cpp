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
// A reduction that does not wait, or that is started several times, gathers by
// a routine of its kind. What is left to do is noted in a cell, and done where
// the gathering is complete: behind each routine that completes requests.
//
//   rg.own.MPI_Iallreduce(.., request)    MPI_Iallgather(.., request)
//                                         cells[rg_mpi_own_keep(request)] =
//                                           {all, to, op, type, ..}
//   rg.own.MPI_Wait(request, status)      MPI_Wait(request, status)
//                                         rg.own.finished()
//
// There is an array of cells per datatype, so that buffers of different types
// stay apart. Not handled: these forms in Fortran; runtime/messages-groups.c
// refuses them.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Emit/PoolCode.h"
#include "Parallel/Forms.h"
#include "Support/TeamMarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Which ranks a rank's result is of, and which part of it.
enum class Reach { All, AtRoot, UpToHere, BeforeHere, Scattered };
/// When a reduction is complete.
enum class Completes { AtOnce, Later, EachStart };

struct Routine {
  StringLiteral Name;
  Reach Of;
  unsigned NumArgs;
  bool CountsPerRank = false;
  bool Fortran = false;
  Completes When = Completes::AtOnce;
};
constexpr Routine Routines[] = {
    {"MPI_Allreduce", Reach::All, 6},
    {"MPI_Reduce", Reach::AtRoot, 7},
    {"MPI_Scan", Reach::UpToHere, 6},
    {"MPI_Exscan", Reach::BeforeHere, 6},
    {"MPI_Reduce_scatter", Reach::Scattered, 6, true},
    {"MPI_Reduce_scatter_block", Reach::Scattered, 6},
    {"MPI_Iallreduce", Reach::All, 7, false, false, Completes::Later},
    {"MPI_Ireduce", Reach::AtRoot, 8, false, false, Completes::Later},
    {"MPI_Iscan", Reach::UpToHere, 7, false, false, Completes::Later},
    {"MPI_Iexscan", Reach::BeforeHere, 7, false, false, Completes::Later},
    {"MPI_Ireduce_scatter", Reach::Scattered, 7, true, false, Completes::Later},
    {"MPI_Ireduce_scatter_block", Reach::Scattered, 7, false, false,
     Completes::Later},
    {"MPI_Allreduce_init", Reach::All, 8, false, false, Completes::EachStart},
    {"MPI_Reduce_init", Reach::AtRoot, 9, false, false, Completes::EachStart},
    {"MPI_Scan_init", Reach::UpToHere, 8, false, false, Completes::EachStart},
    {"MPI_Exscan_init", Reach::BeforeHere, 8, false, false,
     Completes::EachStart},
    {"MPI_Reduce_scatter_init", Reach::Scattered, 8, true, false,
     Completes::EachStart},
    {"MPI_Reduce_scatter_block_init", Reach::Scattered, 8, false, false,
     Completes::EachStart},
    {"MPIX_Allreduce_init", Reach::All, 8, false, false, Completes::EachStart},
    {"MPIX_Reduce_init", Reach::AtRoot, 9, false, false, Completes::EachStart},
    {"MPIX_Scan_init", Reach::UpToHere, 8, false, false, Completes::EachStart},
    {"MPIX_Exscan_init", Reach::BeforeHere, 8, false, false,
     Completes::EachStart},
    {"MPIX_Reduce_scatter_init", Reach::Scattered, 8, true, false,
     Completes::EachStart},
    {"MPIX_Reduce_scatter_block_init", Reach::Scattered, 8, false, false,
     Completes::EachStart},
    {"mpi_allreduce_", Reach::All, 7, false, true},
    {"mpi_reduce_", Reach::AtRoot, 8, false, true},
    {"mpi_scan_", Reach::UpToHere, 7, false, true},
    {"mpi_exscan_", Reach::BeforeHere, 7, false, true},
    {"mpi_reduce_scatter_", Reach::Scattered, 7, true, true},
    {"mpi_reduce_scatter_block_", Reach::Scattered, 7, false, true},
};

/// On calls that are reductions of MPI's own operations.
constexpr StringLiteral OfLibrary = "rg-mpi-operation";

/// What may complete requests; the last one ends them.
constexpr StringLiteral Completing[] = {
    "MPI_Wait",    "MPI_Waitall", "MPI_Waitany",  "MPI_Waitsome",    "MPI_Test",
    "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Request_free"};

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

/// What the datatype of a reduction is, where that can be told: reductions of
/// one kind have their cells in one array.
std::string kindOf(const CallBase &Call) {
  const Value *Type = Call.getArgOperand(3);
  if (const auto *Number = dyn_cast<ConstantInt>(Type))
    return utostr(Number->getZExtValue());
  if (const auto *Read = dyn_cast<LoadInst>(Type))
    Type = Read->getPointerOperand();
  const auto *Named = dyn_cast<GlobalVariable>(Type->stripPointerCasts());
  return Named ? Named->getName().str() : "";
}

constexpr StringLiteral FinishName = "rg.own.finish.",
                        FinishedName = "rg.own.finished";
/// On functions rg.own.finish.*: the number of the kind.
constexpr StringLiteral KindNumber = "rg-own-kind";
constexpr unsigned MostCells = 1024; // of runtime/messages-operations.c

class Writer : PoolCode {
public:
  Writer(Function &Model, Function &Original, const Routine &R,
         StringRef Kind = "")
      : PoolCode(Model), Original(Original), R(R), Kind(Kind) {}
  /// What takes the place of the reduction.
  Function *write(const Twine &Name);
  /// Model's reductions of this kind, when they are complete.
  Function *writeFinish(Type *Handle, Type *Comm, unsigned Number);

private:
  Function &Original;
  const Routine &R;
  StringRef Kind;
  Function *F = nullptr;
  Type *Handle = nullptr, *CommType = nullptr;

  /// What is left to do when all has been gathered.
  struct Rest {
    Value *Memory, *To, *Op, *Type;
    Value *Part, *Bytes, *Offset, *Last, *Has, *Extent;
  };

  Value *word(Value *V) {
    return V->getType()->isPointerTy() ? B.CreatePtrToInt(V, B.getInt64Ty())
                                       : B.CreateSExt(V, B.getInt64Ty());
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
  /// What lies at From on each rank is at To afterwards, one behind the other;
  /// at once if there is no request.
  void gather(Value *From, Value *To, Value *Count, Value *Type, Value *Comm,
              Value *Root, ArrayRef<Value *> Request = {}) {
    if (R.Fortran)
      Count = placed(Count);
    SmallVector<Value *, 9> Args{From, Count, Type, To, Count, Type};
    if (Root)
      Args.push_back(Root);
    Args.push_back(Comm);
    append_range(Args, Request);
    if (!R.Fortran) {
      StringRef Of = R.Name.take_until([](char C) { return C == '_'; });
      std::string Name = Root ? "Gather" : "Allgather";
      if (Request.size() == 1)
        Name = Root ? "Igather" : "Iallgather";
      else if (Request.size() == 2)
        Name += "_init";
      routine((Request.size() == 2 ? Of.str() : "MPI") + "_" + Name,
              B.getInt32Ty(), Args);
      return;
    }
    Args.push_back(F->getArg(R.NumArgs - 1));
    routine(Root ? "mpi_gather_" : "mpi_allgather_", B.getVoidTy(), Args);
  }
  void combine(const Rest &What, Value *Combine, Value *Length, Value *TypeAt);
  Rest restAt(Value *Cell, bool Keep, Rest What);
  Value *cellAt(Value *Place);
};

/// What the ranks have put in becomes the result.
void Writer::combine(const Rest &What, Value *Combine, Value *Length,
                     Value *TypeAt) {
  auto Of = [&](Value *Rank) {
    Value *At = B.CreateAdd(B.CreateMul(What.Bytes, Rank), What.Offset);
    return B.CreateGEP(B.getInt8Ty(), What.Memory, At);
  };
  Value *Last = What.Last, *Sum = Of(Last);
  loop(B.getInt64(0), Last, [&](Value *Round) {
    Value *Next = Of(B.CreateSub(B.CreateSub(Last, B.getInt64(1)), Round));
    B.CreateStore(What.Part, Length);
    if (!R.Fortran)
      B.CreateStore(What.Type, TypeAt);
    llvm::Type *Ptr = B.getPtrTy();
    B.CreateCall(FunctionType::get(B.getVoidTy(), {Ptr, Ptr, Ptr, Ptr}, false),
                 Combine, {Next, Sum, Length, TypeAt});
  });
  // By the datatype: what lies in its gaps is the program's.
  Value *Self;
  if (R.Fortran) {
    Self = placed(routine("rg_mpif_own_self", B.getInt32Ty(), {}));
  } else {
    Self = routine("rg_mpi_own_self", B.getInt64Ty(), {});
    Self = CommType->isPointerTy() ? B.CreateIntToPtr(Self, CommType)
                                   : B.CreateTrunc(Self, CommType);
  }
  gather(Sum, What.To, What.Part, What.Type, Self, nullptr);
}

/// Stores What to a cell, or loads it.
Writer::Rest Writer::restAt(Value *Cell, bool Keep, Rest What) {
  Type *L = B.getInt64Ty(), *I = B.getInt32Ty(), *P = B.getPtrTy();
  unsigned At = 0;
  auto Move = [&](Value *&V, Type *T) {
    Value *Place = B.CreatePtrAdd(Cell, B.getInt64(8 * At++));
    if (Keep)
      B.CreateStore(V, Place);
    else
      V = B.CreateLoad(T, Place);
  };
  Move(What.Memory, P);
  Move(What.To, P);
  Move(What.Op, L);
  Move(What.Type, Handle);
  Move(What.Part, I);
  Move(What.Bytes, L);
  Move(What.Offset, L);
  Move(What.Last, L);
  Move(What.Has, I);
  return What;
}

Value *Writer::cellAt(Value *Place) {
  std::string Name = ("rg.own.cells." + Kind).str();
  auto *T = ArrayType::get(B.getPtrTy(), MostCells);
  GlobalVariable *G = M.getGlobalVariable(Name, true);
  if (!G) {
    G = new GlobalVariable(M, T, /*isConstant=*/false,
                           GlobalValue::InternalLinkage,
                           Constant::getNullValue(T), Name);
    G->addAttribute(HoldsWithinDerivative);
  }
  return B.CreateGEP(T, G, {B.getInt64(0), Place});
}

Function *Writer::write(const Twine &Name) {
  FunctionType *T = Original.getFunctionType();
  F = function(T->getReturnType(), T->params(), Name);
  F->addFnAttr(Attribute::NoInline);
  const bool Waits = R.When == Completes::AtOnce;
  SmallVector<Value *, 9> Args;
  for (Argument &A : F->args())
    Args.push_back(&A);
  Value *From = Args[0], *To = Args[1], *Type = Args[3], *Op = Args[4];
  const unsigned Behind = R.Fortran                    ? 1
                          : Waits                      ? 0
                          : R.When == Completes::Later ? 1
                                                       : 2;
  Value *Comm = Args[R.NumArgs - 1 - Behind];
  Handle = Type->getType();
  CommType = Comm->getType();
  auto Request = ArrayRef(Args).take_back(Waits ? 0 : Behind);
  Value *Root = R.Of == Reach::AtRoot ? Args[5] : nullptr;
  llvm::Type *L = B.getInt64Ty(), *I = B.getInt32Ty();
  Value *Length = B.CreateAlloca(I);
  Value *TypeAt = R.Fortran ? Type : B.CreateAlloca(Handle);
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
  gather(To, Memory, All, Type, Comm, Root, Request);
  B.CreateBr(Gathered);
  B.SetInsertPoint(Apart);
  gather(From, Memory, All, Type, Comm, Root, Request);
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
  Rest What{Memory, To,      nullptr, Type, Part,
            Bytes,  nullptr, nullptr, Has,  Extent};
  if (Waits) {
    BasicBlock *Done = onlyIf(Has);
    What.Last = wide(Last);
    What.Offset = B.CreateMul(Extent, Before);
    combine(What, Combine, Length, TypeAt);
    B.CreateBr(Done);
    B.SetInsertPoint(Done);
    routine("free", B.getVoidTy(), {Memory});
  } else {
    What.Op = word(Op);
    What.Last = wide(Last);
    What.Offset = B.CreateMul(Extent, Before);
    What.Has = B.CreateZExt(Has, I);
    Value *Cell = routine("malloc", B.getPtrTy(), {B.getInt64(80)});
    restAt(Cell, /*Keep=*/true, What);
    Function *Finish = M.getFunction((FinishName + Kind).str());
    unsigned Number = 0;
    Finish->getFnAttribute(KindNumber)
        .getValueAsString()
        .getAsInteger(10, Number);
    Value *Place =
        routine("rg_mpi_own_keep", L, {Request.back(), B.getInt32(Number)});
    B.CreateStore(Cell, cellAt(Place));
    // It may be complete already.
    B.CreateCall(M.getFunction(FinishedName));
  }
  if (R.Fortran)
    B.CreateStore(Zero, Args.back());
  R.Fortran ? B.CreateRetVoid() : B.CreateRet(Zero);

  B.SetInsertPoint(Library);
  CallInst *Call = B.CreateCall(&Original, Args);
  Call->addFnAttr(Attribute::get(M.getContext(), OfLibrary));
  R.Fortran ? B.CreateRetVoid() : B.CreateRet(Call);
  return F;
}

/// rg.own.finish.<kind>(place, ended): a reduction is complete, or its
/// persistent request is given back.
Function *Writer::writeFinish(Type *OfHandles, Type *OfComms, unsigned Number) {
  Type *L = B.getInt64Ty(), *I = B.getInt32Ty();
  Handle = OfHandles;
  CommType = OfComms;
  F = function(B.getVoidTy(), {L, I}, FinishName + Kind);
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(KindNumber, utostr(Number));
  Value *Length = B.CreateAlloca(I), *TypeAt = B.CreateAlloca(Handle);
  Value *Place = F->getArg(0), *Zero = B.getInt32(0);
  // Never done: what a cell holds is memory of its own, also where the
  // differentiated functions have no reduction of this kind.
  BasicBlock *Always = onlyIf(
      B.CreateICmpNE(routine("rg_mpi_own_stands", I, {B.getInt64(-1)}), Zero));
  Value *Empty = routine("malloc", B.getPtrTy(), {B.getInt64(80)});
  for (unsigned At : {0, 8})
    B.CreateStore(routine("malloc", B.getPtrTy(), {B.getInt64(8)}),
                  B.CreatePtrAdd(Empty, B.getInt64(At)));
  B.CreateStore(Empty, cellAt(Place));
  B.CreateBr(Always);
  B.SetInsertPoint(Always);
  Value *Cell = B.CreateLoad(B.getPtrTy(), cellAt(Place));
  BasicBlock *Ended = onlyIf(B.CreateICmpEQ(F->getArg(1), Zero));
  Rest What = restAt(Cell, /*Keep=*/false, {});
  BasicBlock *Done = onlyIf(B.CreateICmpNE(What.Has, Zero));
  Value *Combine =
      routine("rg_mpi_own_operation", B.getPtrTy(), {What.Op, word(What.Type)});
  combine(What, Combine, Length, TypeAt);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  BasicBlock *Stands =
      onlyIf(B.CreateICmpEQ(routine("rg_mpi_own_stands", I, {Place}), Zero));
  B.CreateBr(Ended);
  B.SetInsertPoint(Stands);
  B.CreateRetVoid();
  B.SetInsertPoint(Ended);
  routine("free", B.getVoidTy(), {B.CreateLoad(B.getPtrTy(), Cell)});
  routine("free", B.getVoidTy(), {Cell});
  routine("rg_mpi_own_leave", B.getVoidTy(), {Place});
  B.CreateRetVoid();
  return F;
}

/// What is done where requests are completed: Model has reductions for it.
class Completion : PoolCode {
public:
  explicit Completion(Function &Model) : PoolCode(Model) {}

  /// Kinds are known from the whole module, since code that waits may come
  /// before code that reduces.
  void write(const Catalogue &Cat) {
    if (M.getFunction(FinishedName))
      return;
    SmallVector<std::string, 4> Kinds;
    const CallBase *Some = nullptr;
    const Routine *Its = nullptr;
    for (Function &F : M)
      for (Instruction &I : instructions(F))
        if (const auto *Call = dyn_cast<CallBase>(&I))
          if (const Routine *R = routineOf(*Call);
              R && R->When != Completes::AtOnce && mayBeOwn(*Call, *R, Cat)) {
            if (std::string Kind = kindOf(*Call); !is_contained(Kinds, Kind))
              Kinds.push_back(Kind);
            Some = Call;
            Its = R;
          }
    if (!Some)
      return;
    Type *Handle = Some->getArgOperand(3)->getType();
    // MPI_Comm is of the same sort as MPI_Datatype.
    SmallVector<Function *, 4> Finishes;
    for (const std::string &Kind : Kinds)
      Finishes.push_back(Writer(Model, *Some->getCalledFunction(), *Its, Kind)
                             .writeFinish(Handle, Handle, Finishes.size()));
    Type *L = B.getInt64Ty();
    auto Dispatch = [&](Value *What, Value *Ended) {
      Value *Place = B.CreateAnd(What, B.getInt64(MostCells - 1));
      Value *Kind = B.CreateLShr(What, B.getInt64(Log2_32(MostCells)));
      Function *F = B.GetInsertBlock()->getParent();
      BasicBlock *Behind = BasicBlock::Create(M.getContext(), "", F);
      SwitchInst *Of = B.CreateSwitch(Kind, Behind);
      for (auto [N, Finish] : enumerate(Finishes)) {
        BasicBlock *Case = BasicBlock::Create(M.getContext(), "", F);
        Of->addCase(B.getInt64(N), Case);
        B.SetInsertPoint(Case);
        B.CreateCall(Finish, {Place, Ended});
        B.CreateBr(Behind);
      }
      B.SetInsertPoint(Behind);
    };
    Function *Finished = function(B.getVoidTy(), {}, FinishedName);
    Finished->addFnAttr(Attribute::NoInline);
    Value *Count = routine("rg_mpi_own_count", L, {});
    loop(B.getInt64(0), Count, [&](Value *) {
      Dispatch(routine("rg_mpi_own_next", L, {}), B.getInt32(0));
    });
    B.CreateRetVoid();
    Function *End = function(B.getVoidTy(), {L}, "rg.own.end");
    End->addFnAttr(Attribute::NoInline);
    Dispatch(End->getArg(0), B.getInt32(1));
    B.CreateRetVoid();
  }

  /// What takes the place of a routine that completes requests.
  Function *writeCompleting(Function &Original) {
    FunctionType *T = Original.getFunctionType();
    Function *F = function(T->getReturnType(), T->params(),
                           "rg.own." + Original.getName());
    F->addFnAttr(Attribute::NoInline);
    SmallVector<Value *, 5> Args;
    for (Argument &A : F->args())
      Args.push_back(&A);
    const bool Ends =
        Original.getName() == Completing[std::size(Completing) - 1];
    Value *What = nullptr;
    if (Ends)
      What = routine("rg_mpi_own_standing", B.getInt64Ty(), {Args[0]});
    CallInst *Call = B.CreateCall(&Original, Args);
    Call->addFnAttr(Attribute::get(M.getContext(), OfLibrary));
    if (Ends)
      B.CreateCall(M.getFunction("rg.own.end"), {What});
    else
      B.CreateCall(M.getFunction(FinishedName));
    B.CreateRet(Call);
    return F;
  }
};

} // namespace

/// Does the program make operations? The runtime's own functions for it are
/// there in any case.
static bool makesOperations(const Module &M) {
  return any_of(ArrayRef{"MPI_Op_create", "mpi_op_create_"},
                [&](const char *Name) {
                  const Function *F = M.getFunction(Name);
                  return F && !F->use_empty();
                });
}

bool retrograd::rewriteOperations(Function &Clone, const Catalogue &Cat) {
  Module &M = *Clone.getParent();
  if (!makesOperations(M))
    return false;
  Completion(Clone).write(Cat);
  SmallVector<std::pair<CallBase *, const Routine *>, 4> Found;
  SmallVector<CallBase *, 4> Complete;
  for (Instruction &I : instructions(Clone)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    if (const Routine *R = routineOf(*Call)) {
      if (mayBeOwn(*Call, *R, Cat))
        Found.push_back({Call, R});
    } else if (const Function *Callee = Call->getCalledFunction();
               Callee && M.getFunction(FinishedName) &&
               is_contained(Completing, Callee->getName()) &&
               Cat.lookup(*Call) && !Call->hasFnAttr(OfLibrary)) {
      Complete.push_back(Call);
    }
  }
  for (auto [Call, R] : Found) {
    const bool Waits = R->When == Completes::AtOnce;
    std::string Kind = Waits ? "" : kindOf(*Call);
    // Of a kind that no function of the module had: its operation is refused
    // when it runs.
    if (!Waits && !M.getFunction(FinishName.str() + Kind))
      continue;
    std::string Name = ("rg.own." + R->Name).str();
    if (!Kind.empty())
      Name += "." + Kind;
    Function *Own = M.getFunction(Name);
    if (!Own)
      Own = Writer(Clone, *Call->getCalledFunction(), *R, Kind).write(Name);
    Call->setCalledFunction(Own);
  }
  for (CallBase *Call : Complete) {
    Function *Original = Call->getCalledFunction();
    Function *Own = M.getFunction(("rg.own." + Original->getName()).str());
    if (!Own)
      Own = Completion(Clone).writeCompleting(*Original);
    Call->setCalledFunction(Own);
  }
  return !Found.empty() || !Complete.empty();
}
