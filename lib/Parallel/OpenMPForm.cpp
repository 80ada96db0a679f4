//===- OpenMPForm.cpp - OpenMP's runtime calls in primals -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OpenMPForm.h"
#include "Parallel/ThreadForm.h"
#include "Support/ArtificialSubprogram.h"
#include "Support/CallBinding.h"
#include "Support/TeamMarks.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// What becomes of a routine of libomp.
enum class Becomes : uint8_t {
  Fork,           ///< a call of the function that forks
  ForkIf,         ///< the same; one thread if a condition does not hold
  Threads,        ///< an operand of the next fork
  Barrier,        ///< rg_team_barrier()
  Enter,          ///< rg_turn_enter(lock)
  Leave,          ///< rg_turn_leave(lock)
  Lock,           ///< rg_turn_lock(lock), of a lock that the program has
  Unlock,         ///< rg_turn_unlock(lock)
  TestLock,       ///< rg_turn_test_lock(lock), which may fail
  NestLock,       ///< rg_turn_nest_lock(lock)
  NestUnlock,     ///< rg_turn_nest_unlock(lock)
  Ordered,        ///< stays, and a turn begins
  EndOrdered,     ///< a turn ends before it
  Reduce,         ///< a turn begins, in which the thread adds its part
  EndReduce,      ///< a turn ends
  EndReduceWait,  ///< a turn ends, and all wait
  Serial,         ///< rg_serial_begin()
  EndSerial,      ///< rg_serial_end()
  MakeTask,       ///< memory for a task, and for what it shares
  Task,           ///< a call of the function that starts it
  TaskBehind,     ///< the same, behind what others write or read
  TaskLoop,       ///< a loop that makes tasks
  TaskHere,       ///< nothing: the program calls the task's function itself
  TaskHereEnd,    ///< its memory is released
  TaskWait,       ///< rg_task_wait()
  TaskWaitSome,   ///< rg_task_wait_some()
  TaskYield,      ///< rg_task_yield()
  Group,          ///< rg_task_group_begin()
  EndGroup,       ///< rg_task_group_end()
  CopyPrivate,    ///< one thread's variables are copied by all others
  League,         ///< a call of the region: a league has one team
  LeagueSize,     ///< nothing
  Cancel,         ///< rg_no_cancel()
  CancelPoint,    ///< nothing
  CancelBarrier,  ///< a barrier
  Sink,           ///< stays, and an event comes after it
  Source,         ///< an event comes before it
  Bounds,         ///< all iterations, of a loop over a league's teams
  Reduction,      ///< a list of what tasks of a group reduce to
  ReductionOfAll, ///< the same of a region or shared loop, and a group of tasks
  EndReduction,   ///< the group ends
  Reduced         ///< the task's part of one, and what becomes of it
};

struct Routine {
  StringLiteral Name;
  Becomes What;
  unsigned Operand = 0; ///< the lock, the number of threads
};

constexpr Routine Routines[] = {
    {"__kmpc_fork_call", Becomes::Fork},
    {"__kmpc_fork_call_if", Becomes::ForkIf},
    {"__kmpc_push_num_threads", Becomes::Threads, 2},
    {"__kmpc_barrier", Becomes::Barrier},
    {"__kmpc_critical", Becomes::Enter, 2},
    {"__kmpc_critical_with_hint", Becomes::Enter, 2},
    {"__kmpc_end_critical", Becomes::Leave, 2},
    {"omp_set_lock", Becomes::Lock},
    {"omp_unset_lock", Becomes::Unlock},
    {"omp_test_lock", Becomes::TestLock},
    {"omp_set_nest_lock", Becomes::NestLock},
    {"omp_unset_nest_lock", Becomes::NestUnlock},
    {"__kmpc_ordered", Becomes::Ordered},
    {"__kmpc_end_ordered", Becomes::EndOrdered},
    {"__kmpc_reduce_nowait", Becomes::Reduce, 6},
    {"__kmpc_reduce", Becomes::Reduce, 6},
    {"__kmpc_end_reduce_nowait", Becomes::EndReduce, 2},
    {"__kmpc_end_reduce", Becomes::EndReduceWait, 2},
    {"__kmpc_serialized_parallel", Becomes::Serial},
    {"__kmpc_end_serialized_parallel", Becomes::EndSerial},
    {"__kmpc_omp_task_alloc", Becomes::MakeTask, 5},
    {"__kmpc_omp_task", Becomes::Task, 2},
    {"__kmpc_omp_task_with_deps", Becomes::TaskBehind, 6},
    {"__kmpc_taskloop", Becomes::TaskLoop, 10},
    {"__kmpc_omp_task_begin_if0", Becomes::TaskHere, 2},
    {"__kmpc_omp_task_complete_if0", Becomes::TaskHereEnd, 2},
    {"__kmpc_omp_taskwait", Becomes::TaskWait},
    {"__kmpc_omp_taskwait_deps_51", Becomes::TaskWaitSome, 6},
    {"__kmpc_omp_taskyield", Becomes::TaskYield},
    {"__kmpc_taskgroup", Becomes::Group},
    {"__kmpc_end_taskgroup", Becomes::EndGroup},
    {"__kmpc_copyprivate", Becomes::CopyPrivate, 5},
    {"__kmpc_fork_teams", Becomes::League, 2},
    {"__kmpc_push_num_teams", Becomes::LeagueSize, 3},
    {"__kmpc_cancel", Becomes::Cancel},
    {"__kmpc_cancellationpoint", Becomes::CancelPoint},
    {"__kmpc_cancel_barrier", Becomes::CancelBarrier},
    {"__kmpc_doacross_wait", Becomes::Sink},
    {"__kmpc_doacross_post", Becomes::Source},
    {"__kmpc_taskred_init", Becomes::Reduction, 2},
    {"__kmpc_task_reduction_init", Becomes::Reduction, 2},
    {"__kmpc_taskred_modifier_init", Becomes::ReductionOfAll, 4},
    {"__kmpc_task_reduction_modifier_init", Becomes::ReductionOfAll, 4},
    {"__kmpc_task_reduction_modifier_fini", Becomes::EndReduction},
    {"__kmpc_task_reduction_get_th_data", Becomes::Reduced, 2},
    {"__kmpc_for_static_init_4", Becomes::Bounds, 8},
    {"__kmpc_for_static_init_4u", Becomes::Bounds, 8},
    {"__kmpc_for_static_init_8", Becomes::Bounds, 8},
    {"__kmpc_for_static_init_8u", Becomes::Bounds, 8},
};

const Routine *routineOf(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F || !F->isDeclaration() || !isa<CallInst>(Call))
    return nullptr;
  for (const Routine &R : Routines)
    if (R.Name == F->getName() && R.Operand < Call.arg_size())
      return &R;
  return nullptr;
}

/// The number of threads that a function asks for the next fork.
class AskedThreads {
public:
  explicit AskedThreads(Function &F) : F(F) {}

  void set(IRBuilderBase &B, Value *N) { B.CreateStore(N, place()); }
  /// Asked once, for one fork.
  Value *take(IRBuilderBase &B) {
    Value *N = B.CreateLoad(B.getInt32Ty(), place(), "threads");
    B.CreateStore(B.getInt32(0), place());
    return N;
  }

private:
  AllocaInst *place() {
    if (Place)
      return Place;
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    Place = B.CreateAlloca(B.getInt32Ty(), nullptr, "threads");
    B.CreateStore(B.getInt32(0), Place);
    return Place;
  }
  Function &F;
  AllocaInst *Place = nullptr;
};

/// The type of the numbers that accesses to a variable take it for, if they are
/// of one floating-point type; null if not.
Type *numberBehind(const Value *P, bool OfLoads) {
  const auto *A = dyn_cast<AllocaInst>(P);
  if (!A)
    return nullptr;
  for (const User *U : A->users()) {
    Type *T = nullptr;
    if (const auto *L = dyn_cast<LoadInst>(U); L && OfLoads)
      T = L->getType();
    else if (const auto *S = dyn_cast<StoreInst>(U);
             S && !OfLoads && S->getPointerOperand() == A)
      T = S->getValueOperand()->getType();
    if (T && (T->isDoubleTy() || T->isFloatTy()))
      return T;
  }
  return nullptr;
}

/// The type of the number that a store of an integer puts down, by TBAA.
Type *numberStored(const StoreInst &S) {
  const MDNode *Tag = S.getMetadata(LLVMContext::MD_tbaa);
  const auto *Access = Tag && Tag->getNumOperands() > 1
                           ? dyn_cast<MDNode>(Tag->getOperand(1))
                           : nullptr;
  const auto *Name = Access && Access->getNumOperands()
                         ? dyn_cast<MDString>(Access->getOperand(0))
                         : nullptr;
  if (Name && Name->getString() == "double")
    return Type::getDoubleTy(S.getContext());
  return Name && Name->getString() == "float" ? Type::getFloatTy(S.getContext())
                                              : nullptr;
}

/// Numbers reach a region by value in the bits of an integer. The type of the
/// one that comes in parameter A, for which V is passed; null if it is none.
Type *numberIn(const Argument &A, const Value *V) {
  if (!A.getType()->isIntegerTy(64))
    return nullptr;
  auto IsNumber = [](Type *T) { return T->isDoubleTy() || T->isFloatTy(); };
  for (const User *U : A.users()) {
    if (isa<BitCastInst>(U) && U->getType()->isDoubleTy())
      return U->getType();
    if (isa<TruncInst>(U) && U->getType()->isIntegerTy(32))
      for (const User *W : U->users()) {
        if (isa<BitCastInst>(W) && W->getType()->isFloatTy())
          return W->getType();
        if (const auto *S = dyn_cast<StoreInst>(W))
          if (Type *T = numberStored(*S))
            return T;
      }
    if (const auto *S = dyn_cast<StoreInst>(U);
        S && S->getValueOperand() == &A) {
      if (Type *T = numberBehind(S->getPointerOperand(), /*OfLoads=*/true))
        return T;
      if (Type *T = numberStored(*S))
        return T;
    }
  }
  if (const auto *Z = dyn_cast<ZExtInst>(V))
    V = Z->getOperand(0);
  if (const auto *C = dyn_cast<BitCastInst>(V); C && IsNumber(C->getSrcTy()))
    return C->getSrcTy();
  if (const auto *L = dyn_cast<LoadInst>(V))
    return numberBehind(L->getPointerOperand(), /*OfLoads=*/false);
  return nullptr;
}

/// What a function does with memory that it is given the address of.
struct Accesses {
  bool Escapes = false; ///< somebody else may get the address, or writes
  bool Writes = false;
  Type *Read = nullptr; ///< the type of all loads
  const LoadInst *Load = nullptr;
};

/// The function that a call of libomp or of the program hands operand `At` to,
/// as which parameter; null if it is none of a region's.
const Argument *regionParameter(const CallBase &Call, unsigned At) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return nullptr;
  bool Forks = Callee->getName() == "__kmpc_fork_call";
  if (Forks && At >= 3)
    if (const auto *Region =
            dyn_cast<Function>(Call.getArgOperand(2)->stripPointerCasts());
        Region && !Region->isDeclaration() && At - 1 < Region->arg_size())
      return Region->getArg(At - 1);
  if (!Forks && !Callee->isDeclaration() && At < Callee->arg_size() &&
      Callee->hasLocalLinkage())
    return Callee->getArg(At);
  return nullptr;
}

/// What happens through pointer P, of which it is known that it is the start of
/// a variable. Unoptimised code keeps parameters in variables of their own.
void follow(const Value *P, Accesses &Found, unsigned Depth = 0) {
  if (Depth > 4) {
    Found.Escapes = true;
    return;
  }
  for (const llvm::Use &Place : P->uses()) {
    const User *U = Place.getUser();
    if (const auto *L = dyn_cast<LoadInst>(U)) {
      if (!L->isSimple() || (Found.Read && Found.Read != L->getType()))
        Found.Escapes = true;
      Found.Read = L->getType();
      Found.Load = L;
      continue;
    }
    if (const auto *S = dyn_cast<StoreInst>(U)) {
      if (S->getPointerOperand() == P && S->getValueOperand() != P) {
        Found.Writes = true;
        continue;
      }
      const auto *Home = dyn_cast<AllocaInst>(S->getPointerOperand());
      if (!Home || S->isVolatile() ||
          !all_of(Home->users(), [&](const User *W) {
            return W == S || isa<LoadInst>(W) ||
                   cast<Instruction>(W)->isLifetimeStartOrEnd();
          })) {
        Found.Escapes = true;
        continue;
      }
      for (const User *W : Home->users())
        if (isa<LoadInst>(W))
          follow(W, Found, Depth + 1);
      continue;
    }
    const auto *I = dyn_cast<Instruction>(U);
    if (I && (I->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I)))
      continue;
    const auto *Call = dyn_cast<CallBase>(U);
    if (const Argument *To =
            Call && Call->isArgOperand(&Place)
                ? regionParameter(*Call, Call->getArgOperandNo(&Place))
                : nullptr)
      follow(To, Found, Depth + 1);
    else
      Found.Escapes = true;
  }
}

/// V is a variable of the caller that nobody can reach but by loads and stores
/// here, and by regions that it is handed to. If region parameter A only reads
/// it, it may as well be handed over by value: what is read, else null.
const LoadInst *readByValue(const Argument &A, const Value *V) {
  const auto *Variable = dyn_cast<AllocaInst>(V);
  if (!Variable || !A.getType()->isPointerTy())
    return nullptr;
  Accesses There;
  follow(&A, There);
  if (There.Escapes || There.Writes || !There.Read ||
      !There.Read->isSingleValueType() || There.Read->isVectorTy())
    return nullptr;
  const DataLayout &DL = Variable->getDataLayout();
  auto Size = Variable->getAllocationSize(DL);
  if (!Size || *Size != DL.getTypeStoreSize(There.Read))
    return nullptr;
  for (const llvm::Use &Place : Variable->uses()) {
    const auto *I = cast<Instruction>(Place.getUser());
    if (isa<LoadInst>(I) || I->isLifetimeStartOrEnd())
      continue;
    if (const auto *S = dyn_cast<StoreInst>(I);
        S && S->getValueOperand() != Variable)
      continue;
    const auto *Call = dyn_cast<CallBase>(I);
    const Argument *To =
        Call && Call->isArgOperand(&Place)
            ? regionParameter(*Call, Call->getArgOperandNo(&Place))
            : nullptr;
    if (!To || (To != &A && To->getParent() == A.getParent()))
      return nullptr;
    Accesses Elsewhere;
    follow(To, Elsewhere);
    if (Elsewhere.Escapes && !To->hasNoCaptureAttr())
      return nullptr;
  }
  return There.Load;
}

/// V as type T, between a number and the integer that holds its bits.
Value *convert(IRBuilderBase &B, Value *V, Type *T) {
  Type *From = V->getType();
  if (From == T)
    return V;
  if (From->isFloatTy())
    return B.CreateZExt(B.CreateBitCast(V, B.getInt32Ty()), T);
  if (T->isFloatTy())
    return B.CreateBitCast(B.CreateTrunc(V, B.getInt32Ty()), T);
  return B.CreateBitCast(V, T);
}

/// The lock of ordered regions, or of atomic operations: a turn needs one.
Constant *lockOf(Module &M, StringRef Name) {
  if (GlobalVariable *G = M.getGlobalVariable(Name, true))
    return G;
  // Large enough for a critical region's name, and for a mutex.
  auto *T = ArrayType::get(Type::getInt32Ty(M.getContext()), 16);
  auto *G = new GlobalVariable(M, T, /*isConstant=*/false,
                               GlobalValue::InternalLinkage,
                               Constant::getNullValue(T), Name);
  G->setAlignment(Align(8));
  return G;
}

} // namespace

Function *OpenMPForm::forkOf(Function &Region, const CallBase &Call,
                             unsigned FirstOperand) {
  FunctionType *T = Region.getFunctionType();
  Value *Location = Call.getArgOperand(0);
  if (T->isVarArg() || !isa<Constant>(Location) ||
      !T->getReturnType()->isVoidTy() ||
      T->getNumParams() != Call.arg_size() - FirstOperand + 2)
    return nullptr;
  SmallVector<Type *, 8> Params{Type::getInt32Ty(M.getContext())};
  std::string Name = ("rg.fork." + Region.getName()).str();
  BitVector ByValue(1);
  for (Argument &A : drop_begin(Region.args(), 2)) {
    const Value *V = Call.getArgOperand(FirstOperand + A.getArgNo() - 2);
    if (V->getType() != A.getType())
      return nullptr;
    Type *Number = numberIn(A, V);
    const LoadInst *Read = Number ? nullptr : readByValue(A, V);
    Params.push_back(Number ? Number : Read ? Read->getType() : A.getType());
    ByValue.push_back(Read != nullptr);
    if (Read) // another call may hand over the variable itself
      Name += "." + std::to_string(A.getArgNo());
  }
  if (Function *Known = M.getFunction(Name); Known && runsElsewhere(*Known))
    return Known;
  LLVMContext &Ctx = M.getContext();
  Function *Fork =
      Function::Create(FunctionType::get(T->getReturnType(), Params, false),
                       GlobalValue::InternalLinkage, Name, M);
  AttributeList Of = Region.getAttributes();
  for (Attribute A : Of.getFnAttrs())
    if (A.isStringAttribute() || A.hasAttribute(Attribute::UWTable) ||
        A.hasAttribute(Attribute::SanitizeThread) ||
        A.hasAttribute(Attribute::SanitizeAddress) ||
        A.hasAttribute(Attribute::SanitizeMemory))
      Fork->addFnAttr(A);
  // What the region promises of its operands holds for all threads together.
  for (unsigned I = 1; I != Params.size(); ++I)
    if (Params[I] == T->getParamType(I + 1) && !ByValue.test(I))
      Fork->addParamAttrs(I, AttrBuilder(Ctx, Of.getParamAttrs(I + 1)));
  bind(*Fork, CallBinding::Team);
  Fork->addFnAttr(Attribute::NoInline);
  Fork->setDoesNotThrow();

  // Its primal gets the lines of the region, below one of its own.
  DebugLoc Line;
  if (DISubprogram *Of = Region.getSubprogram()) {
    auto *SP = artificialSubprogram(*Of, Name);
    Fork->setSubprogram(SP);
    Line = DILocation::get(Ctx, Of->getLine(), 0, SP);
  }

  BasicBlock *Entry = BasicBlock::Create(Ctx, "", Fork);
  BasicBlock *Ask = BasicBlock::Create(Ctx, "ask", Fork);
  BasicBlock *Go = BasicBlock::Create(Ctx, "go", Fork);
  IRBuilder<> B(Entry);
  B.SetCurrentDebugLocation(Line);
  B.CreateCondBr(B.CreateICmpSGT(Fork->getArg(0), B.getInt32(0)), Ask, Go);
  B.SetInsertPoint(Ask);
  FunctionCallee Id = M.getOrInsertFunction("__kmpc_global_thread_num",
                                            B.getInt32Ty(), B.getPtrTy());
  FunctionCallee Push =
      M.getOrInsertFunction("__kmpc_push_num_threads", B.getVoidTy(),
                            B.getPtrTy(), B.getInt32Ty(), B.getInt32Ty());
  B.CreateCall(Push, {Location, B.CreateCall(Id, {Location}), Fork->getArg(0)});
  B.CreateBr(Go);
  B.SetInsertPoint(Go);
  FunctionCallee Runtime = M.getOrInsertFunction(
      "__kmpc_fork_call",
      FunctionType::get(B.getVoidTy(),
                        {B.getPtrTy(), B.getInt32Ty(), B.getPtrTy()}, true));
  SmallVector<Value *, 8> Args{Location, B.getInt32(Params.size() - 1),
                               &Region};
  for (Argument &A : drop_begin(Fork->args())) {
    if (!ByValue.test(A.getArgNo())) {
      Args.push_back(convert(B, &A, T->getParamType(A.getArgNo() + 1)));
      continue;
    }
    IRBuilder<> Top(Entry, Entry->begin());
    AllocaInst *Copy = Top.CreateAlloca(A.getType());
    B.CreateStore(&A, Copy);
    Args.push_back(Copy);
  }
  B.CreateCall(Runtime, Args);
  B.CreateRetVoid();
  Forks.push_back(Fork);
  return Fork;
}

/// Region is called by one thread that is told who it is.
void OpenMPForm::callRegion(CallBase &Call, Function &Region,
                            ArrayRef<Value *> Operands) {
  Function &F = *Call.getFunction();
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  IRBuilder<> B(&Call);
  Value *Id = Entry.CreateAlloca(B.getInt32Ty(), nullptr, "id");
  Value *Bound = Entry.CreateAlloca(B.getInt32Ty(), nullptr, "bound");
  FunctionCallee Who = M.getOrInsertFunction("__kmpc_global_thread_num",
                                             B.getInt32Ty(), B.getPtrTy());
  B.CreateStore(B.CreateCall(Who, {Call.getArgOperand(0)}), Id);
  B.CreateStore(B.getInt32(0), Bound);
  SmallVector<Value *, 8> All{Id, Bound};
  append_range(All, Operands);
  B.CreateCall(&Region, All)->setCallingConv(Region.getCallingConv());
}

/// A league of teams: OpenMP lets us have fewer teams than are asked for, so it
/// has one. That is a region of one thread, which runs the region here.
bool OpenMPForm::rewriteLeague(CallBase &Call) {
  auto *Region = dyn_cast<Function>(Call.getArgOperand(2)->stripPointerCasts());
  SmallVector<Value *, 8> Operands(drop_begin(Call.args(), 3));
  if (!Region || Region->isDeclaration() || Region->isVarArg() ||
      Region->arg_size() != Operands.size() + 2)
    return false;
  for (auto [V, A] : zip(Operands, drop_begin(Region->args(), 2)))
    if (V->getType() != A.getType())
      return false;
  IRBuilder<> B(&Call);
  B.CreateCall(Runtime.require("rg_serial_begin"), {});
  callRegion(Call, *Region, Operands);
  B.CreateCall(Runtime.require("rg_serial_end"), {});
  return true;
}

/// Variables of the thread that ran a `single` region go to all others. A place
/// per copying function and team holds the address of the list of their
/// addresses, from one barrier to the next:
///
///   n = rg_place_take(ran)      the same number in all threads of the team
///   if (ran) place[n] = list;   barrier
///   if (!ran) copy(list, place[n]);   barrier
///   if (ran) rg_place_leave(n)
bool OpenMPForm::rewriteCopyPrivate(CallBase &Call, StringRef BarrierName) {
  Value *List = Call.getArgOperand(3), *Ran = Call.getArgOperand(5);
  auto *Copy = dyn_cast<Function>(Call.getArgOperand(4)->stripPointerCasts());
  if (!Copy || Copy->isDeclaration() || Copy->arg_size() != 2 ||
      !Ran->getType()->isIntegerTy(32))
    return false;
  constexpr unsigned Places = 64; // as many as rg_place_take gives
  IRBuilder<> B(&Call);
  std::string Name = ("rg.place." + Copy->getName()).str();
  auto *T = ArrayType::get(B.getPtrTy(), Places);
  GlobalVariable *G = M.getGlobalVariable(Name, true);
  if (!G) {
    G = new GlobalVariable(M, T, /*isConstant=*/false,
                           GlobalValue::InternalLinkage,
                           Constant::getNullValue(T), Name);
    G->addAttribute(HoldsWithinDerivative);
  }
  Value *Which = B.CreateCall(Runtime.require("rg_place_take"), {Ran});
  Value *Place = B.CreateGEP(T, G, {B.getInt64(0), Which});
  Value *Mine = B.CreateICmpNE(Ran, B.getInt32(0));
  Instruction *Then = SplitBlockAndInsertIfThen(Mine, &Call, false);
  B.SetInsertPoint(Then);
  B.CreateStore(List, Place);
  B.SetInsertPoint(&Call);
  B.CreateCall(Runtime.require(BarrierName), {});
  Then = SplitBlockAndInsertIfThen(B.CreateNot(Mine), &Call, false);
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  B.CreateCall(Copy, {List, B.CreateLoad(B.getPtrTy(), Place)});
  B.SetInsertPoint(&Call);
  B.CreateCall(Runtime.require(BarrierName), {});
  B.CreateCall(Runtime.require("rg_place_leave"), {Which, Ran});
  return true;
}

/// The calls that end the group of tasks that Start is in, at its beginning.
/// Empty if one leaves the function in it.
static SmallVector<Instruction *, 2> groupEnds(CallBase &Start) {
  SmallVector<Instruction *, 2> Ends;
  SmallVector<std::pair<Instruction *, int>, 8> Todo{{Start.getNextNode(), 0}};
  DenseMap<const BasicBlock *, int> Seen;
  while (!Todo.empty()) {
    auto [I, Inner] = Todo.pop_back_val();
    for (; I && Inner >= 0; I = I->getNextNode()) {
      const auto *Call = dyn_cast<CallBase>(I);
      const Routine *R = Call ? routineOf(*Call) : nullptr;
      if (R &&
          (R->What == Becomes::Group || R->What == Becomes::ReductionOfAll))
        ++Inner;
      else if (R &&
               (R->What == Becomes::EndGroup ||
                R->What == Becomes::EndReduction) &&
               --Inner < 0)
        Ends.push_back(I);
      if (isa<ReturnInst>(I))
        return {};
      if (I->isTerminator())
        for (BasicBlock *Next : successors(I)) {
          auto [At, IsNew] = Seen.insert({Next, Inner});
          if (IsNew)
            Todo.push_back({&Next->front(), Inner});
          else if (At->second != Inner)
            return {};
        }
    }
  }
  return Ends;
}

/// A function whose address F stores asks a variable of the thread for
/// the length of an array; only threads that run tasks know it.
static bool hasLengthOfThread(const Function &F) {
  auto Asks = [](const Function &Of) {
    return any_of(instructions(Of), [](const Instruction &I) {
      return any_of(I.operands(), [](const Value *V) {
        const auto *G = dyn_cast<GlobalVariable>(V);
        return G && G->isThreadLocal() &&
               G->getName().starts_with("reduction_size");
      });
    });
  };
  return any_of(instructions(F), [&](const Instruction &I) {
    const auto *S = dyn_cast<StoreInst>(&I);
    const auto *Of = S ? dyn_cast<Function>(S->getValueOperand()) : nullptr;
    return Of && Asks(*Of);
  });
}

/// What tasks reduce to: the number of variables, libomp's record of each, and
/// where tasks add to until their group ends, as long as the function that has
/// the group.
bool OpenMPForm::rewriteReduction(CallBase &Call) {
  unsigned Last = Call.arg_size() - 1;
  auto *Count = dyn_cast<ConstantInt>(Call.getArgOperand(Last - 1));
  SmallVector<Instruction *, 2> Ends = groupEnds(Call);
  if (!Count || Ends.empty() || hasLengthOfThread(*Call.getFunction()))
    return false;
  // Of runtime/reductions.c.
  constexpr uint64_t Head = 8, Record = 56, Sum = 8;
  uint64_t Bytes = Record * Count->getZExtValue();
  uint64_t Words = (Head + Bytes + Sum * Count->getZExtValue()) / 8;
  Function &F = *Call.getFunction();
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  IRBuilder<> B(&Call);
  AllocaInst *List = Entry.CreateAlloca(ArrayType::get(B.getInt64Ty(), Words),
                                        nullptr, "reduced");
  List->setAlignment(Align(8));
  B.CreateStore(B.CreateZExt(Count, B.getInt64Ty()), List);
  B.CreateMemCpy(B.CreatePtrAdd(List, B.getInt64(Head)), Align(8),
                 Call.getArgOperand(Last), Align(8), Bytes);
  B.CreateCall(Runtime.require("rg_reduction_begin"), {List});
  Call.replaceAllUsesWith(List);
  for (Instruction *End : Ends) {
    B.SetInsertPoint(End->getNextNode());
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    B.CreateCall(Runtime.require("rg_reduction_end"), {List});
  }
  return true;
}

/// F is what a task runs, or, unoptimised, what that calls.
static bool isTaskBody(const Function &F) {
  auto IsEntry = [](const Function &G) {
    return any_of(G.users(), [&](const User *U) {
      const auto *Call = dyn_cast<CallBase>(U);
      const Routine *R = Call ? routineOf(*Call) : nullptr;
      return R && R->What == Becomes::MakeTask && Call->getArgOperand(5) == &G;
    });
  };
  if (IsEntry(F))
    return true;
  const auto *Only = F.hasLocalLinkage() && F.hasOneUse()
                         ? dyn_cast<CallBase>(*F.user_begin())
                         : nullptr;
  return Only && Only->getCalledFunction() == &F &&
         IsEntry(*Only->getFunction());
}

/// Where the task ends that asks for its part of a reduction by Call: the ends
/// of the function that it is; or, where it runs at once and was inlined, the
/// call of libomp behind it. Empty if that is not known.
static SmallVector<Instruction *, 2> taskEnds(CallBase &Call,
                                              const Function &Original) {
  Function &F = *Call.getFunction();
  SmallVector<Instruction *, 2> Ends;
  DominatorTree Dominators(F);
  const CallBase *Begin = nullptr;
  for (Instruction &I : instructions(F)) {
    auto *Here = dyn_cast<CallBase>(&I);
    const Routine *R = Here ? routineOf(*Here) : nullptr;
    if (!R || R->What != Becomes::TaskHere ||
        !Dominators.dominates(Here, &Call) ||
        (Begin && !Dominators.dominates(Begin, Here)))
      continue;
    for (User *U : Here->getArgOperand(R->Operand)->users()) {
      auto *End = dyn_cast<CallBase>(U);
      const Routine *Of = End ? routineOf(*End) : nullptr;
      if (!Of || Of->What != Becomes::TaskHereEnd ||
          !Dominators.dominates(&Call, End))
        continue;
      Begin = Here;
      Ends.assign(1, End);
    }
  }
  if (!Ends.empty() || !isTaskBody(Original) ||
      !Call.getParent()->isEntryBlock())
    return Ends;
  for (BasicBlock &BB : F)
    if (auto *R = dyn_cast<ReturnInst>(BB.getTerminator()))
      Ends.push_back(R);
  return Ends;
}

/// A task adds to a copy of its own, and that, in a turn, to the variable.
bool OpenMPForm::rewriteReduced(CallBase &Call, const Function &Original) {
  Value *List = Call.getArgOperand(1), *Variable = Call.getArgOperand(2);
  if (isa<ConstantPointerNull>(List)) // of a group that another function has
    return false;
  SmallVector<Instruction *, 2> Ends = taskEnds(Call, Original);
  if (Ends.empty())
    return false;
  IRBuilder<> B(&Call);
  Value *Mine =
      B.CreateCall(Runtime.require("rg_reduction_copy"), {List, Variable});
  Call.replaceAllUsesWith(Mine);
  Constant *Lock = lockOf(M, "rg.reduced");
  for (Instruction *End : Ends) {
    B.SetInsertPoint(End);
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    B.CreateCall(Runtime.require("rg_turn_enter"), {Lock});
    B.CreateCall(Runtime.require("rg_reduction_add"), {List, Variable, Mine});
    B.CreateCall(Runtime.require("rg_turn_leave"), {Lock});
  }
  return true;
}

/// A thread's part of a loop over the teams of a league, of which there is one.
bool OpenMPForm::rewriteBounds(CallBase &Call) {
  auto *Schedule = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  // Of `distribute`, in chunks or not.
  if (!Schedule ||
      (Schedule->getZExtValue() != 91 && Schedule->getZExtValue() != 92))
    return false;
  IRBuilder<> B(&Call);
  Type *T = Call.getArgOperand(7)->getType();
  Value *First = B.CreateLoad(T, Call.getArgOperand(4));
  Value *Last = B.CreateLoad(T, Call.getArgOperand(5));
  B.CreateStore(B.getInt32(1), Call.getArgOperand(3));
  B.CreateStore(B.CreateAdd(B.CreateSub(Last, First), ConstantInt::get(T, 1)),
                Call.getArgOperand(6));
  return true;
}

bool OpenMPForm::rewriteFork(CallBase &Call, Value *Threads, bool OfTeam) {
  bool If = Call.getCalledFunction()->getName() == "__kmpc_fork_call_if";
  unsigned First = If ? 4 : 3;
  if (Call.arg_size() < First)
    return false;
  auto *Region = dyn_cast<Function>(Call.getArgOperand(2)->stripPointerCasts());
  if (!Region || Region->isDeclaration())
    return false;
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Operands(drop_begin(Call.args(), First));
  if (OfTeam) {
    // One thread of the team: it is told who it is, and runs the region.
    callRegion(Call, *Region, Operands);
    // Tasks that are left run at the end; we want to see who runs them.
    if (hasTasks())
      B.CreateCall(Runtime.require("rg_task_barrier"), {});
    return true;
  }
  Function *Fork = forkOf(*Region, Call, First);
  if (!Fork)
    return false;
  if (If) // a team of one
    Threads =
        B.CreateSelect(B.CreateICmpNE(Call.getArgOperand(3),
                                      Constant::getNullValue(
                                          Call.getArgOperand(3)->getType())),
                       Threads, B.getInt32(1));
  for (auto [V, A, Of] :
       zip(Operands, drop_begin(Fork->args()), drop_begin(Region->args(), 2)))
    if (const LoadInst *Read = numberIn(Of, V) ? nullptr : readByValue(Of, V)) {
      LoadInst *L = B.CreateAlignedLoad(A.getType(), V, Read->getAlign());
      L->setMetadata(LLVMContext::MD_tbaa,
                     Read->getMetadata(LLVMContext::MD_tbaa));
      V = L;
    } else {
      V = convert(B, V, A.getType());
    }
  Operands.insert(Operands.begin(), Threads);
  B.CreateCall(Fork, Operands);
  return true;
}

/// Flags of a task that V, an operand of its allocation, may set; all, if V is
/// not understood.
static unsigned mayHaveFlags(const Value *V, unsigned Depth = 0) {
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return C->getZExtValue();
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > 4)
    return ~0u;
  if (I->getOpcode() == Instruction::Or)
    return mayHaveFlags(I->getOperand(0), Depth + 1) |
           mayHaveFlags(I->getOperand(1), Depth + 1);
  if (const auto *S = dyn_cast<SelectInst>(I))
    return mayHaveFlags(S->getTrueValue(), Depth + 1) |
           mayHaveFlags(S->getFalseValue(), Depth + 1);
  return ~0u;
}

/// What is known of a task from its allocation.
struct OpenMPForm::Task {
  Function *Entry;
  Value *Flags;
  uint64_t Bytes, Shared;
};

/// Memory of a task: the task with its private variables, and, behind the
/// pointer that it begins with, the addresses of those that it shares.
static Value *newTask(IRBuilderBase &B, Module &M, uint64_t Bytes,
                      uint64_t Shared) {
  FunctionCallee Malloc =
      M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty());
  auto Get = [&](uint64_t N) {
    CallInst *P = B.CreateCall(Malloc, {B.getInt64(N)});
    P->addRetAttr(Attribute::NoAlias);
    return P;
  };
  Value *P = Get(Bytes);
  B.CreateStore(Shared ? (Value *)Get(Shared)
                       : ConstantPointerNull::get(B.getPtrTy()),
                P);
  return P;
}

void retrograd::releaseTask(IRBuilderBase &B, Module &M, Value *Task,
                            Value *Shared) {
  FunctionCallee Free =
      M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy());
  B.CreateCall(Free, {Shared});
  B.CreateCall(Free, {Task});
}

/// The function that starts tasks of Entry.
Function *OpenMPForm::taskOf(Function &Entry) {
  std::string Name = ("rg.task." + Entry.getName()).str();
  if (Function *Known = M.getFunction(Name); Known && runsElsewhere(*Known))
    return Known;
  IRBuilder<> B(M.getContext());
  Function *F = startingFunction(Entry, Name, CallBinding::Task);
  B.SetInsertPoint(&F->getEntryBlock());
  if (DISubprogram *SP = F->getSubprogram())
    B.SetCurrentDebugLocation(
        DILocation::get(M.getContext(), SP->getLine(), 0, SP));
  B.CreateCall(Runtime.require("rg_task_start"),
               {F->getArg(0), &Entry, F->getArg(1)});
  B.CreateRetVoid();
  Forks.push_back(F);
  return F;
}

/// Tasks for parts of lb, lb + st, ..., ub. Each gets a copy of the task that
/// was made, with its own bounds.
void OpenMPForm::rewriteTaskLoop(CallBase &Call, const Task &T) {
  IRBuilder<> B(&Call);
  auto Operand = [&](unsigned I) { return Call.getArgOperand(I); };
  Value *Made = Operand(2), *Step = Operand(6), *Grain = Operand(9);
  Value *First = B.CreateLoad(B.getInt64Ty(), Operand(4));
  Value *Last = B.CreateLoad(B.getInt64Ty(), Operand(5));
  Value *Trips =
      B.CreateAdd(B.CreateSDiv(B.CreateSub(Last, First), Step), B.getInt64(1));
  FunctionCallee Threads =
      M.getOrInsertFunction("omp_get_num_threads", B.getInt32Ty());
  auto AtLeastOne = [&](Value *V) {
    return B.CreateSelect(B.CreateICmpSLT(V, B.getInt64(1)), B.getInt64(1), V);
  };
  // How many the program asks for, or how large; ten per thread if neither.
  uint64_t Way = cast<ConstantInt>(Operand(8))->getZExtValue();
  Value *Tasks =
      Way == 2 ? Grain
      : Way == 1
          ? B.CreateSDiv(Trips, AtLeastOne(Grain))
          : B.CreateMul(B.CreateSExt(B.CreateCall(Threads), B.getInt64Ty()),
                        B.getInt64(10));
  Tasks = AtLeastOne(Tasks);
  Tasks = B.CreateSelect(B.CreateICmpSLT(Trips, Tasks), Trips, Tasks);
  Tasks = B.CreateSelect(B.CreateICmpSLT(Tasks, B.getInt64(0)), B.getInt64(0),
                         Tasks);
  Value *Shared = B.CreateLoad(B.getPtrTy(), Made);
  // An `if` that does not hold: each task runs where it is made.
  Value *Flags = B.CreateOr(
      T.Flags,
      B.CreateSelect(B.CreateICmpNE(Operand(3), Constant::getNullValue(
                                                    Operand(3)->getType())),
                     B.getInt32(0), B.getInt32(2)));

  BasicBlock *Before = Call.getParent();
  BasicBlock *After = Before->splitBasicBlock(&Call, "tasks.end");
  BasicBlock *Header =
      BasicBlock::Create(M.getContext(), "tasks", Before->getParent(), After);
  BasicBlock *Body = BasicBlock::Create(M.getContext(), "tasks.body",
                                        Before->getParent(), After);
  DebugLoc Line = Call.getDebugLoc();
  Before->getTerminator()->setSuccessor(0, Header);
  B.SetInsertPoint(Header);
  B.SetCurrentDebugLocation(Line);
  PHINode *K = B.CreatePHI(B.getInt64Ty(), 2, "task");
  K->addIncoming(B.getInt64(0), Before);
  B.CreateCondBr(B.CreateICmpSLT(K, Tasks), Body, After);
  B.SetInsertPoint(Body);
  B.SetCurrentDebugLocation(Line);
  Value *Next = B.CreateAdd(K, B.getInt64(1));
  auto Start = [&](Value *Of) {
    return B.CreateAdd(
        First, B.CreateMul(B.CreateSDiv(B.CreateMul(Of, Trips), Tasks), Step));
  };
  Value *P = newTask(B, M, T.Bytes, T.Shared);
  auto At = [&](Value *Base, uint64_t Offset) {
    return B.CreatePtrAdd(Base, B.getInt64(Offset));
  };
  // libomp's words with their types, then the private variables. Bounds differ.
  constexpr uint64_t Part = 16, Stride = 56, IsLast = 64, Reductions = 72,
                     Privates = 80;
  B.CreateStore(B.getInt32(0), At(P, Part));
  B.CreateStore(B.CreateLoad(B.getInt64Ty(), At(Made, Stride)), At(P, Stride));
  B.CreateStore(B.getInt32(0), At(P, IsLast));
  B.CreateStore(B.CreateLoad(B.getPtrTy(), At(Made, Reductions)),
                At(P, Reductions));
  if (T.Bytes > Privates)
    B.CreateMemCpy(At(P, Privates), Align(8), At(Made, Privates), Align(8),
                   T.Bytes - Privates);
  if (T.Shared)
    B.CreateMemCpy(B.CreateLoad(B.getPtrTy(), P), Align(8), Shared, Align(8),
                   T.Shared);
  B.CreateStore(Start(K), At(P, 40));
  B.CreateStore(B.CreateSub(Start(Next), Step), At(P, 48));
  if (auto *Copy = dyn_cast<Function>(Operand(10)->stripPointerCasts()))
    B.CreateCall(
        Copy,
        {P, Made, B.CreateZExt(B.CreateICmpEQ(Next, Tasks), B.getInt32Ty())});
  B.CreateCall(taskOf(*T.Entry), {B.CreateZExt(Flags, B.getInt64Ty()), P});
  B.CreateBr(Header);
  K->addIncoming(Next, Body);
  B.SetInsertPoint(&Call);
  B.SetCurrentDebugLocation(Line);
  releaseTask(B, M, Made, Shared);
}

bool OpenMPForm::hasTasks() {
  if (!Tasks) {
    const Function *F = M.getFunction("__kmpc_omp_task_alloc");
    Tasks = F && !F->use_empty();
  }
  return *Tasks;
}

void OpenMPForm::rewrite(Function &Clone, const Function &Original) {
  DenseMap<Value *, Task> Made;
  SmallVector<std::pair<CallBase *, const Routine *>, 8> Found;
  for (Instruction &I : instructions(Clone))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const Routine *R = routineOf(*Call))
        Found.push_back({Call, R});
  const bool OfTeam = bindingOf(Original) == CallBinding::Team;
  StringRef BarrierName = hasTasks() ? "rg_task_barrier" : "rg_team_barrier";
  AskedThreads Asked(Clone);
  // While it can be seen where tasks and groups begin and end.
  SmallPtrSet<CallBase *, 2> Grouped;
  erase_if(Found, [&](auto &Each) {
    Becomes What = Each.second->What;
    if (What == Becomes::ReductionOfAll && rewriteReduction(*Each.first))
      Grouped.insert(Each.first);
    if (!(What == Becomes::Reduced && rewriteReduced(*Each.first, Original)) &&
        !(What == Becomes::Reduction && rewriteReduction(*Each.first)))
      return false;
    Each.first->eraseFromParent();
    return true;
  });
  for (auto [Call, R] : Found) {
    IRBuilder<> B(Call);
    auto Lock = [&] { return Call->getArgOperand(R->Operand); };
    auto Run = [&](StringRef Name, ArrayRef<Value *> Args = {}) {
      return B.CreateCall(Runtime.require(Name), Args);
    };
    switch (R->What) {
    case Becomes::Fork:
    case Becomes::ForkIf:
      if (!rewriteFork(*Call, OfTeam ? nullptr : Asked.take(B), OfTeam))
        continue;
      break;
    case Becomes::Threads:
      if (!OfTeam)
        Asked.set(B, Call->getArgOperand(R->Operand));
      else if (auto *Who = dyn_cast<CallInst>(Call->getArgOperand(1));
               Who && Who->hasOneUse()) {
        Who->replaceAllUsesWith(PoisonValue::get(Who->getType()));
        Who->eraseFromParent();
      }
      break;
    case Becomes::Barrier:
      Run(BarrierName);
      break;
    case Becomes::MakeTask: {
      auto *Bytes = dyn_cast<ConstantInt>(Call->getArgOperand(3));
      auto *Shared = dyn_cast<ConstantInt>(Call->getArgOperand(4));
      auto *Entry =
          dyn_cast<Function>(Call->getArgOperand(5)->stripPointerCasts());
      // Tied, final, merged, proxy of none; not: with objects to destroy,
      // detachable.
      Value *Flags = Call->getArgOperand(2);
      if (!Bytes || !Shared || !Entry || Entry->isDeclaration() ||
          Entry->arg_size() != 2 || (mayHaveFlags(Flags) & ~0x27u))
        continue;
      Value *P = newTask(B, M, Bytes->getZExtValue(), Shared->getZExtValue());
      B.CreateStore(B.getInt32(0), B.CreatePtrAdd(P, B.getInt64(16)));
      Made[P] = {Entry, Flags, Bytes->getZExtValue(), Shared->getZExtValue()};
      Call->replaceAllUsesWith(P);
      break;
    }
    case Becomes::Task:
    case Becomes::TaskBehind: {
      auto It = Made.find(Call->getArgOperand(2));
      if (It == Made.end())
        continue;
      if (R->What == Becomes::TaskBehind)
        Run("rg_task_depends",
            {Call->getArgOperand(3), Call->getArgOperand(4)});
      B.CreateCall(taskOf(*It->second.Entry),
                   {B.CreateZExt(It->second.Flags, B.getInt64Ty()), It->first});
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
      break;
    }
    case Becomes::TaskLoop: {
      auto It = Made.find(Call->getArgOperand(2));
      auto IsOne = [&](unsigned I) {
        auto *C = dyn_cast<ConstantInt>(Call->getArgOperand(I));
        return C && C->isOne();
      };
      if (It == Made.end() || !IsOne(7) ||
          !isa<ConstantInt>(Call->getArgOperand(8)))
        continue;
      rewriteTaskLoop(*Call, It->second);
      break;
    }
    case Becomes::TaskHere:
      if (!Made.contains(Call->getArgOperand(2)))
        continue;
      break;
    case Becomes::TaskHereEnd: {
      Value *P = Call->getArgOperand(2);
      if (!Made.contains(P))
        continue;
      releaseTask(B, M, P, B.CreateLoad(B.getPtrTy(), P));
      break;
    }
    case Becomes::TaskWait:
      Run("rg_task_wait");
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
      break;
    case Becomes::TaskWaitSome:
      Run("rg_task_depends", {Call->getArgOperand(2), Call->getArgOperand(3)});
      Run("rg_task_wait_some");
      break;
    case Becomes::TaskYield:
      Run("rg_task_yield");
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
      break;
    case Becomes::Group:
      Run("rg_task_group_begin");
      break;
    case Becomes::EndGroup:
      Run("rg_task_group_end");
      break;
    case Becomes::CopyPrivate:
      if (!rewriteCopyPrivate(*Call, BarrierName))
        continue;
      break;
    case Becomes::League:
      if (!rewriteLeague(*Call))
        continue;
      break;
    case Becomes::LeagueSize:
      // A limit of threads per team is one for the regions in the team.
      if (auto *Limit = dyn_cast<ConstantInt>(Call->getArgOperand(3));
          !Limit || !Limit->isZero())
        continue;
      break;
    case Becomes::Cancel:
    case Becomes::CancelPoint:
    case Becomes::CancelBarrier:
      if (R->What == Becomes::Cancel)
        Run("rg_no_cancel");
      if (R->What == Becomes::CancelBarrier)
        Run(BarrierName);
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
      break;
    case Becomes::Sink:
      B.SetInsertPoint(Call->getNextNode());
      B.SetCurrentDebugLocation(Call->getDebugLoc());
      Run("rg_event", lockOf(M, "rg.doacross"));
      continue;
    case Becomes::Source:
      Run("rg_event", lockOf(M, "rg.doacross"));
      continue;
    case Becomes::ReductionOfAll:
      if (!Grouped.contains(Call))
        continue;
      Run("rg_task_group_begin");
      break;
    case Becomes::EndReduction:
      Run("rg_task_group_end");
      break;
    case Becomes::Reduction:
    case Becomes::Reduced:
      continue; // not understood
    case Becomes::Bounds:
      if (!rewriteBounds(*Call))
        continue;
      break;
    case Becomes::Enter:
      Run("rg_turn_enter", Lock());
      break;
    case Becomes::Leave:
      Run("rg_turn_leave", Lock());
      break;
    case Becomes::Lock:
      Run("rg_turn_lock", Lock());
      break;
    case Becomes::Unlock:
      Run("rg_turn_unlock", Lock());
      break;
    case Becomes::TestLock:
      Call->replaceAllUsesWith(
          B.CreateZExt(B.CreateICmpULT(Run("rg_turn_test_lock", Lock()),
                                       B.getInt64(FailedTurn)),
                       Call->getType()));
      break;
    case Becomes::NestLock:
      Run("rg_turn_nest_lock", Lock());
      break;
    case Becomes::NestUnlock:
      Run("rg_turn_nest_unlock", Lock());
      break;
    case Becomes::Ordered:
      B.SetInsertPoint(Call->getNextNode());
      Run("rg_turn_enter", lockOf(M, "rg.ordered"));
      continue;
    case Becomes::EndOrdered:
      Run("rg_turn_leave", lockOf(M, "rg.ordered"));
      continue;
    case Becomes::Reduce:
      // libomp would choose between this way, atomic operations and a tree.
      Run("rg_turn_enter", Lock());
      Call->replaceAllUsesWith(ConstantInt::get(Call->getType(), 1));
      break;
    case Becomes::EndReduce:
      Run("rg_turn_leave", Lock());
      break;
    case Becomes::EndReduceWait:
      Run("rg_turn_leave", Lock());
      Run(BarrierName);
      break;
    case Becomes::Serial:
      Run("rg_serial_begin");
      break;
    case Becomes::EndSerial:
      Run("rg_serial_end");
      break;
    }
    Call->eraseFromParent();
  }
}

/// V, an integer or a number, is a number: it is one before or behind phis and
/// selects.
static bool isNumber(const Value *V) {
  SmallSetVector<const Value *, 8> Same;
  Same.insert(V);
  auto Passes = [](const Value *W) {
    return isa<PHINode>(W) || isa<SelectInst>(W) || isa<FreezeInst>(W);
  };
  for (unsigned Next = 0; Next != Same.size() && Next != 32; ++Next) {
    const Value *W = Same[Next];
    if (W->getType()->isFloatingPointTy())
      return true;
    if (const auto *C = dyn_cast<BitCastInst>(W);
        C && C->getSrcTy()->isFloatingPointTy())
      return true;
    if (Passes(W))
      for (const Value *Op : cast<Instruction>(W)->operands())
        if (Op->getType() == W->getType() && !isa<Constant>(Op))
          Same.insert(Op);
    if (!isa<Constant>(W))
      for (const User *U : W->users())
        if ((isa<BitCastInst>(U) && U->getType()->isFloatingPointTy()) ||
            (Passes(U) && U->getType() == W->getType()))
          Same.insert(U);
  }
  return false;
}

/// I is an atomic operation on a number whose effect depends on when it comes.
static bool dependsOnOrder(const Instruction &I) {
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return L->isAtomic() && isNumber(L);
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return S->isAtomic() && isNumber(S->getValueOperand());
  if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    return isNumber(C->getNewValOperand());
  const auto *M = dyn_cast<AtomicRMWInst>(&I);
  if (!M || !M->getType()->isFloatingPointTy())
    return false;
  return !M->use_empty() || (M->getOperation() != AtomicRMWInst::FAdd &&
                             M->getOperation() != AtomicRMWInst::FSub);
}

/// The load in front of a loop that compares and exchanges until nobody came
/// between: clang's form of an atomic update.
static LoadInst *firstLoad(const AtomicCmpXchgInst &C) {
  const auto *Seen = dyn_cast<PHINode>(C.getCompareOperand());
  if (!Seen || Seen->getNumIncomingValues() != 2)
    return nullptr;
  for (unsigned I = 0; I != 2; ++I) {
    auto *First = dyn_cast<LoadInst>(Seen->getIncomingValue(I));
    const auto *Again = dyn_cast<ExtractValueInst>(Seen->getIncomingValue(!I));
    if (First && First->isAtomic() && Again &&
        Again->getAggregateOperand() == &C && Again->getIndices()[0] == 0 &&
        First->getPointerOperand() == C.getPointerOperand() &&
        C.getParent() == Seen->getParent() &&
        First->getParent()->getSingleSuccessor() == Seen->getParent())
      return First;
  }
  return nullptr;
}

/// Where the results of several comparisons and exchanges meet, their parts do.
static void splitResults(Function &F) {
  SmallVector<PHINode *, 4> Pairs;
  for (Instruction &I : instructions(F))
    if (auto *Phi = dyn_cast<PHINode>(&I);
        Phi &&
        all_of(Phi->incoming_values(),
               [](Value *V) { return isa<AtomicCmpXchgInst>(V); }) &&
        all_of(Phi->users(), [](User *U) { return isa<ExtractValueInst>(U); }))
      Pairs.push_back(Phi);
  for (PHINode *Phi : Pairs) {
    PHINode *Parts[2];
    IRBuilder<> B(Phi);
    for (unsigned I = 0; I != 2; ++I)
      Parts[I] = B.CreatePHI(Phi->getType()->getStructElementType(I),
                             Phi->getNumIncomingValues());
    for (auto [V, From] : zip(Phi->incoming_values(), Phi->blocks())) {
      auto *C = cast<Instruction>(V);
      B.SetInsertPoint(C->getNextNode());
      for (unsigned I = 0; I != 2; ++I)
        Parts[I]->addIncoming(B.CreateExtractValue(C, I), From);
    }
    for (User *U : make_early_inc_range(Phi->users())) {
      auto *Part = cast<ExtractValueInst>(U);
      Part->replaceAllUsesWith(Parts[Part->getIndices()[0]]);
      Part->eraseFromParent();
    }
    Phi->eraseFromParent();
  }
}

/// Looks at the user's functions, which may not be optimised.
bool OpenMPForm::needsOrder() {
  if (!NeedsOrder)
    NeedsOrder =
        (M.getFunction("__kmpc_fork_call") || startsThreads(M)) &&
        any_of(M, [](const Function &F) {
          return any_of(instructions(F), [](const Instruction &I) {
            const auto *C = dyn_cast<AtomicCmpXchgInst>(&I);
            const auto *L = dyn_cast<LoadInst>(&I);
            const auto *S = dyn_cast<StoreInst>(&I);
            // Bits of numbers, perhaps: nothing is simplified yet.
            auto Word = [](const Value *V) {
              return V->getType()->getPrimitiveSizeInBits() >= 32;
            };
            return C || (L && L->isAtomic() && Word(L)) ||
                   (S && S->isAtomic() && Word(S->getValueOperand())) ||
                   dependsOnOrder(I);
          });
        });
  return *NeedsOrder;
}

bool OpenMPForm::orderAtomics(Function &Clone) {
  if (!needsOrder())
    return false;
  SmallVector<Instruction *, 8> Found;
  for (Instruction &I : instructions(Clone)) {
    const auto *M = dyn_cast<AtomicRMWInst>(&I);
    if (dependsOnOrder(I) || (M && M->getType()->isFloatingPointTy()))
      Found.push_back(&I);
  }
  bool Changed = false;
  IRBuilder<> B(Clone.getContext());
  // Programs without OpenMP need not have libomp.
  const bool OfOpenMP = M.getFunction("__kmpc_fork_call");
  auto Turn = [&](StringRef OpenMPs, StringRef Mutexs) {
    B.CreateCall(Runtime.require(OfOpenMP ? OpenMPs : Mutexs),
                 {lockOf(M, "rg.atomic")});
  };
  auto Begin = [&] { Turn("rg_turn_enter", "rg_turn_mutex"); };
  auto End = [&] { Turn("rg_turn_leave", "rg_turn_mutex_leave"); };
  splitResults(Clone);
  // Updates by comparison first: they take the load in front with them.
  for (Instruction *I : Found) {
    auto *C = dyn_cast<AtomicCmpXchgInst>(I);
    if (!C ||
        !all_of(C->users(), [](User *U) { return isa<ExtractValueInst>(U); }))
      continue;
    LoadInst *First = firstLoad(*C);
    if (!First) {
      // A turn of its own.
      B.SetInsertPoint(C);
      Begin();
      Value *Old = B.CreateAlignedLoad(C->getNewValOperand()->getType(),
                                       C->getPointerOperand(), C->getAlign());
      Value *Same = B.CreateICmpEQ(Old, C->getCompareOperand());
      B.CreateAlignedStore(B.CreateSelect(Same, C->getNewValOperand(), Old),
                           C->getPointerOperand(), C->getAlign());
      End();
      for (User *U : make_early_inc_range(C->users())) {
        auto *Part = cast<ExtractValueInst>(U);
        Part->replaceAllUsesWith(Part->getIndices()[0] == 0 ? Old : Same);
        Part->eraseFromParent();
      }
      C->eraseFromParent();
      Changed = true;
      continue;
    }
    B.SetInsertPoint(First);
    Begin();
    First->setAtomic(AtomicOrdering::NotAtomic);
    B.SetInsertPoint(C);
    B.CreateAlignedStore(C->getNewValOperand(), C->getPointerOperand(),
                         C->getAlign());
    End();
    for (User *U : make_early_inc_range(C->users())) {
      auto *Part = cast<ExtractValueInst>(U);
      Part->replaceAllUsesWith(Part->getIndices()[0] == 0
                                   ? C->getCompareOperand()
                                   : (Value *)B.getTrue());
      Part->eraseFromParent();
    }
    C->eraseFromParent();
    Changed = true;
  }
  for (Instruction &I : make_early_inc_range(instructions(Clone))) {
    auto *L = dyn_cast<LoadInst>(&I);
    auto *S = dyn_cast<StoreInst>(&I);
    auto *A = dyn_cast<AtomicRMWInst>(&I);
    if (L || S) {
      if (!dependsOnOrder(I))
        continue;
      B.SetInsertPoint(&I);
      Begin();
      if (L)
        L->setAtomic(AtomicOrdering::NotAtomic);
      else
        S->setAtomic(AtomicOrdering::NotAtomic);
      B.SetInsertPoint(I.getNextNode());
      B.SetCurrentDebugLocation(I.getDebugLoc());
      End();
      Changed = true;
      continue;
    }
    if (!A || !A->getType()->isFloatingPointTy() ||
        (A->getOperation() != AtomicRMWInst::FAdd &&
         A->getOperation() != AtomicRMWInst::FSub &&
         A->getOperation() != AtomicRMWInst::FMin &&
         A->getOperation() != AtomicRMWInst::FMax &&
         A->getOperation() != AtomicRMWInst::Xchg))
      continue;
    B.SetInsertPoint(A);
    Begin();
    Value *Old = B.CreateAlignedLoad(A->getType(), A->getPointerOperand(),
                                     A->getAlign());
    Value *X = A->getValOperand();
    Value *New = X;
    switch (A->getOperation()) {
    case AtomicRMWInst::FAdd:
      New = B.CreateFAdd(Old, X);
      break;
    case AtomicRMWInst::FSub:
      New = B.CreateFSub(Old, X);
      break;
    case AtomicRMWInst::FMin:
      New = B.CreateMinNum(Old, X);
      break;
    case AtomicRMWInst::FMax:
      New = B.CreateMaxNum(Old, X);
      break;
    default:
      break;
    }
    B.CreateAlignedStore(New, A->getPointerOperand(), A->getAlign());
    End();
    A->replaceAllUsesWith(Old);
    A->eraseFromParent();
    Changed = true;
  }
  return Changed;
}

void OpenMPForm::finish() {
  for (Function *F : Forks)
    if (F->use_empty())
      F->eraseFromParent();
  Forks.clear();
}
