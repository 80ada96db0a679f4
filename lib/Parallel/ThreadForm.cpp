//===- ThreadForm.cpp - threads that a primal starts ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/ThreadForm.h"
#include "Parallel/OpenMPForm.h"
#include "Support/ArtificialSubprogram.h"
#include "Support/CallBinding.h"
#include "Support/SourceFact.h"
#include "Support/TeamMarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

namespace {

enum class Becomes : uint8_t {
  Create,      ///< pthread_create(id, attributes, f, argument)
  CreateState, ///< std::thread's: (this, &state, ...)
  Start,       ///< ours, in the primal of a function that starts: the thread
  StartTask,   ///< the same of a task
  Join,        ///< pthread_join(id, result)
  JoinInteger, ///< thrd_join(id, result), of an integer
  Exit,        ///< pthread_exit(result)
  JoinObject,  ///< std::thread::join(this)
  Lock,        ///< of a mutex
  Unlock,      ///< of a mutex
  Wait,        ///< pthread_cond_wait(condition, mutex)
  WaitObject,  ///< std::condition_variable::wait(this, &lock)
  Event,       ///< the routine Instead of ours, which has a number
  Try,         ///< the same; it may fail, with the result Failed
  Barrier,     ///< a wait between two events
  Once,        ///< pthread_once(flag, f)
  SystemCall,  ///< syscall(SYS_futex, word, operation, value[, time])
  Tells,       ///< stays, behind an event
  Learns       ///< stays, before one
};

struct Routine {
  StringLiteral Name;
  Becomes What;
  unsigned Operands;
  StringLiteral Instead = "";
  unsigned Failed = 0;
};

// By which std::call_once tells a function of its library what to call.
constexpr StringLiteral OnceObject = "_ZSt15__once_callable";
constexpr StringLiteral OnceInvoker = "_ZSt11__once_call";
constexpr StringLiteral OnceProxy = "__once_proxy";
constexpr StringLiteral HasEvent = "rg.event";
constexpr unsigned Busy = 16;    // EBUSY
constexpr unsigned ThrdBusy = 1; // thrd_busy
// Of the argument and the result of a thread.
constexpr unsigned CellResult = 8, CellBytes = 16;

constexpr Routine Routines[] = {
    {"pthread_create", Becomes::Create, 4},
    {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_"
     "deleteIS1_EEPFvvE",
     Becomes::CreateState, 3},
    {"rg_thread_start", Becomes::Start, 3},
    {"rg_task_start", Becomes::StartTask, 3},
    {"pthread_join", Becomes::Join, 2},
    {"_ZNSt6thread4joinEv", Becomes::JoinObject, 1},
    {"pthread_mutex_lock", Becomes::Lock, 1},
    {"pthread_mutex_unlock", Becomes::Unlock, 1},
    {"pthread_cond_wait", Becomes::Wait, 2, "rg_wait_for_condition"},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
     Becomes::WaitObject, 2, "rg_wait_for_condition"},
    {"pthread_mutex_trylock", Becomes::Try, 1, "rg_turn_try_mutex", Busy},
    {"pthread_rwlock_rdlock", Becomes::Event, 1, "rg_event_read_lock"},
    {"pthread_rwlock_wrlock", Becomes::Event, 1, "rg_event_write_lock"},
    {"pthread_rwlock_unlock", Becomes::Event, 1, "rg_event_unlock"},
    {"pthread_rwlock_tryrdlock", Becomes::Try, 1, "rg_event_try_read_lock",
     Busy},
    {"pthread_rwlock_trywrlock", Becomes::Try, 1, "rg_event_try_write_lock",
     Busy},
    {"pthread_spin_lock", Becomes::Event, 1, "rg_event_spin_lock"},
    {"pthread_spin_unlock", Becomes::Event, 1, "rg_event_spin_unlock"},
    {"pthread_barrier_wait", Becomes::Barrier, 1},
    {"pthread_exit", Becomes::Exit, 1},
    {"thrd_exit", Becomes::Exit, 1},
    {"pthread_once", Becomes::Once, 2},
    {"call_once", Becomes::Once, 2},
    {"syscall", Becomes::SystemCall, 4},
    {"syscall", Becomes::SystemCall, 5},
    {"thrd_create", Becomes::Create, 3},
    {"thrd_join", Becomes::JoinInteger, 2},
    {"mtx_lock", Becomes::Event, 1, "rg_turn_mtx"},
    {"mtx_unlock", Becomes::Event, 1, "rg_turn_mtx_leave"},
    {"mtx_trylock", Becomes::Try, 1, "rg_turn_try_mtx", ThrdBusy},
    {"cnd_wait", Becomes::Wait, 2, "rg_wait_for_cnd"},
    {"_ZNSt14__tree_barrierISt18__empty_completionE6arriveEl", Becomes::Tells,
     2},
    {"_ZNKSt14__tree_barrierISt18__empty_completionE4waitEOSt17__barrier_phase_"
     "t",
     Becomes::Learns, 2},
    {"_ZNSt5latch10count_downEl", Becomes::Tells, 2},
    {"_ZNKSt5latch4waitEv", Becomes::Learns, 1},
    {"_ZNKSt5latch8try_waitEv", Becomes::Learns, 1},
    {"_ZNSt18__atomic_semaphore10_M_acquireEv", Becomes::Learns, 1},
    {"_ZNSt18__atomic_semaphore14_M_try_acquireEv", Becomes::Learns, 1},
    {"_ZNSt18__atomic_semaphore10_M_releaseEl", Becomes::Tells, 2},
};

const Routine *routineOf(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F)
    return nullptr;
  for (const Routine &R : Routines)
    if (R.Name == F->getName() && R.Operands == Call.arg_size() &&
        (F->isDeclaration() || F->getName().starts_with("rg_") ||
         R.What == Becomes::Tells || R.What == Becomes::Learns))
      return &R;
  return nullptr;
}

/// Call is one by which threads wait for a word of memory, or wake each other.
bool isFutex(const CallBase &Call) {
  const Triple &T = Call.getModule()->getTargetTriple();
  const uint64_t Number = T.isAArch64() ? 98 : 202; // SYS_futex of Linux
  const auto *N = dyn_cast<ConstantInt>(Call.getArgOperand(0));
  return T.isOSLinux() && N && N->getZExtValue() == Number &&
         Call.getArgOperand(1)->getType()->isPointerTy() &&
         Call.getArgOperand(2)->getType()->isIntegerTy() &&
         Call.getArgOperand(3)->getType()->isIntegerTy() &&
         (Call.arg_size() == 4 ||
          Call.getArgOperand(4)->getType()->isPointerTy());
}

/// Call is gone; its result is V. What it did cannot throw.
void replace(CallBase &Call, Value *V) {
  if (V)
    Call.replaceAllUsesWith(V);
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    IRBuilder<> B(&Call);
    B.CreateBr(Invoke->getNormalDest());
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
  }
  Call.eraseFromParent();
}

} // namespace

bool retrograd::startsThreads(const Module &M) {
  return any_of(Routines, [&](const Routine &R) {
    const Function *F = M.getFunction(R.Name);
    return F && F->isDeclaration() &&
           (R.What == Becomes::Create || R.What == Becomes::CreateState);
  });
}

/// F is given to a routine that starts threads.
static bool runsThread(const Function &F) {
  return any_of(F.users(), [&](const User *U) {
    const auto *Call = dyn_cast<CallBase>(U);
    const Routine *R = Call ? routineOf(*Call) : nullptr;
    return R && R->What == Becomes::Create;
  });
}

/// V is a null pointer, from a variable of unoptimised code perhaps.
static bool isNull(const Value *V) {
  if (isa<ConstantPointerNull>(V))
    return true;
  const auto *L = dyn_cast<LoadInst>(V);
  const auto *Home = L ? dyn_cast<AllocaInst>(L->getPointerOperand()) : nullptr;
  return Home && all_of(Home->users(), [&](const User *U) {
           const auto *S = dyn_cast<StoreInst>(U);
           return isa<LoadInst>(U) ||
                  cast<Instruction>(U)->isLifetimeStartOrEnd() ||
                  (S && S->getValueOperand() != Home &&
                   isa<ConstantPointerNull>(S->getValueOperand()));
         });
}

/// No thread of POSIX in the module returns anything, nor exits with it. Those
/// whose function is not known here are none of a derivative.
bool ThreadForm::threadsReturnNull() {
  const Function *Create = M.getFunction("pthread_create");
  const Function *Exit = M.getFunction("pthread_exit");
  if (Exit && !all_of(Exit->users(), [](const User *U) {
        const auto *Call = dyn_cast<CallBase>(U);
        return Call && Call->getCalledOperand() == Call->getCalledFunction() &&
               isNull(Call->getArgOperand(0));
      }))
    return false;
  return Create && all_of(Create->users(), [](const User *U) {
           const auto *Call = dyn_cast<CallBase>(U);
           const auto *F = Call && Call->arg_size() == 4
                               ? dyn_cast<Function>(Call->getArgOperand(2))
                               : nullptr;
           return !F || all_of(instructions(*F), [](const Instruction &I) {
             const auto *R = dyn_cast<ReturnInst>(&I);
             return !R || (R->getReturnValue() && isNull(R->getReturnValue()));
           });
         });
}

/// Some thread of POSIX returns a pointer that somebody asks for.
bool ThreadForm::wantsResults() {
  if (!Results) {
    const Function *Wait = M.getFunction("pthread_join");
    Results = M.getFunction("pthread_create") && Wait && !threadsReturnNull() &&
              any_of(Wait->users(), [](const User *U) {
                const auto *Call = dyn_cast<CallBase>(U);
                return Call && Call->arg_size() == 2 &&
                       !isa<ConstantPointerNull>(Call->getArgOperand(1));
              });
  }
  return *Results;
}

/// A function of one pointer, without a body yet, that is to call Called and
/// may be inlined; it has the other attributes of Called.
Function *ThreadForm::makeWrapper(Function &Called, StringRef Name,
                                  Type *Result) {
  LLVMContext &Ctx = M.getContext();
  Function *F = Function::Create(
      FunctionType::get(Result, {PointerType::get(Ctx, 0)}, false),
      GlobalValue::InternalLinkage, Name, M);
  Made.push_back(F);
  F->setAttributes(AttributeList::get(
      Ctx, AttributeList::FunctionIndex,
      AttrBuilder(Ctx, Called.getAttributes().getFnAttrs())));
  F->removeFnAttr(Attribute::NoInline);
  F->removeFnAttr(Attribute::OptimizeNone);
  return F;
}

/// What a thread runs whose argument and result lie in a cell.
Function *ThreadForm::returningOf(Function &Run) {
  std::string Name = ("rg.returns." + Run.getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  IRBuilder<> B(M.getContext());
  Function *F = makeWrapper(Run, Name, B.getPtrTy());
  if (DISubprogram *Of = Run.getSubprogram())
    F->setSubprogram(artificialSubprogram(*Of, Name));
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
  if (DISubprogram *SP = F->getSubprogram())
    B.SetCurrentDebugLocation(
        DILocation::get(M.getContext(), SP->getLine(), 0, SP));
  Value *Cell = F->getArg(0);
  Value *Result = B.CreateCall(&Run, {B.CreateLoad(B.getPtrTy(), Cell)});
  B.CreateStore(Result, B.CreatePtrAdd(Cell, B.getInt64(CellResult)));
  B.CreateRet(ConstantPointerNull::get(B.getPtrTy()));
  return F;
}

/// Where the address of the cell is left whose thread has the place.
Value *ThreadForm::cellOf(IRBuilderBase &B, Value *Place) {
  constexpr StringLiteral Name = "rg.cells";
  constexpr unsigned Places = 1024; // of runtime/spawn.c
  auto *T = ArrayType::get(B.getPtrTy(), Places);
  GlobalVariable *G = M.getGlobalVariable(Name, true);
  if (!G) {
    G = new GlobalVariable(M, T, /*isConstant=*/false,
                           GlobalValue::InternalLinkage,
                           Constant::getNullValue(T), Name);
    G->addAttribute(HoldsWithinDerivative);
  }
  return B.CreateGEP(T, G, {B.getInt64(0), Place});
}

/// Whether a mutex matters: without threads it does not.
bool ThreadForm::mayMeetOthers() {
  if (!Starts) {
    const Function *Forks = M.getFunction("__kmpc_fork_call");
    Starts =
        (Forks && Forks->isDeclaration()) || startsThreads(M) || forksPools(M);
  }
  return *Starts;
}

Function *retrograd::startingFunction(Function &Run, StringRef Name,
                                      CallBinding Kind) {
  Module &M = *Run.getParent();
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  Function *F = Function::Create(
      FunctionType::get(B.getVoidTy(), {B.getInt64Ty(), B.getPtrTy()}, false),
      GlobalValue::InternalLinkage, Name, M);
  for (Attribute A : Run.getAttributes().getFnAttrs())
    if (A.isStringAttribute() || A.hasAttribute(Attribute::UWTable) ||
        A.hasAttribute(Attribute::SanitizeThread) ||
        A.hasAttribute(Attribute::SanitizeAddress) ||
        A.hasAttribute(Attribute::SanitizeMemory))
      F->addFnAttr(A);
  bind(*F, Kind);
  F->addFnAttr(Attribute::NoInline);
  F->setDoesNotThrow();
  if (DISubprogram *Of = Run.getSubprogram())
    F->setSubprogram(artificialSubprogram(*Of, Name));
  BasicBlock::Create(Ctx, "", F);
  return F;
}

/// The function that starts a thread that runs Run.
Function *ThreadForm::spawnOf(Function &Run) {
  std::string Name = ("rg.spawn." + Run.getName()).str();
  if (Function *Known = M.getFunction(Name); Known && runsElsewhere(*Known))
    return Known;
  Function *F = startingFunction(Run, Name, CallBinding::Thread);
  IRBuilder<> B(&F->getEntryBlock());
  if (DISubprogram *SP = F->getSubprogram())
    B.SetCurrentDebugLocation(
        DILocation::get(M.getContext(), SP->getLine(), 0, SP));
  B.CreateCall(Runtime.require("rg_thread_start"),
               {F->getArg(0), &Run, F->getArg(1)});
  B.CreateRetVoid();
  Made.push_back(F);
  return F;
}

/// The table of virtual functions of a std::thread's state that V points into;
/// null if it is none.
static const GlobalVariable *stateTable(const Value *V) {
  const auto *G = dyn_cast<GlobalVariable>(V->stripInBoundsConstantOffsets());
  return G && G->getName().starts_with("_ZTVNSt6thread11_State_impl") ? G
                                                                      : nullptr;
}

/// std::thread hands over an object with a virtual function to run. Where its
/// constructor is inlined, the object's table is stored to it here; where not,
/// the constructor around Start refers to it, itself or by what it calls.
Function *ThreadForm::runOfState(const CallBase &Start) {
  SmallSetVector<const GlobalVariable *, 2> Tables;
  for (const User *U : Start.getArgOperand(1)->users())
    if (const auto *Holds = dyn_cast<StoreInst>(U);
        Holds && Holds->getPointerOperand() == Start.getArgOperand(1) &&
        !isa<Constant>(Holds->getValueOperand()))
      for (const User *W : Holds->getValueOperand()->users())
        if (const auto *S = dyn_cast<StoreInst>(W);
            S && S->getPointerOperand() == Holds->getValueOperand())
          if (const GlobalVariable *G = stateTable(S->getValueOperand()))
            Tables.insert(G);
  SmallSetVector<const Function *, 8> Look;
  if (Tables.empty())
    Look.insert(Start.getFunction());
  for (unsigned Next = 0; Next < Look.size() && Look.size() < 64; ++Next)
    for (const Instruction &I : instructions(*Look[Next])) {
      for (const Value *V : I.operands())
        if (const GlobalVariable *G = stateTable(V))
          Tables.insert(G);
      if (const auto *C = dyn_cast<CallBase>(&I); C && Next < 8)
        if (const Function *Callee = C->getCalledFunction();
            Callee && !Callee->isDeclaration())
          Look.insert(Callee);
    }
  if (Tables.size() != 1 || !Tables[0]->hasInitializer())
    return nullptr;
  // Offset, type, two destructors, _M_run.
  const Constant *Entries =
      Tables[0]->getInitializer()->getAggregateElement(0u);
  auto Entry = [&](unsigned I) {
    Constant *C = Entries ? Entries->getAggregateElement(I) : nullptr;
    return C ? dyn_cast<Function>(C->stripPointerCasts()) : nullptr;
  };
  Function *Delete = Entry(3), *Run = Entry(4);
  if (!Delete || !Run || Delete->isDeclaration() || Run->isDeclaration())
    return nullptr;
  std::string Name = ("rg.run." + Run->getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  IRBuilder<> B(M.getContext());
  Function *F =
      Function::Create(FunctionType::get(B.getPtrTy(), {B.getPtrTy()}, false),
                       GlobalValue::InternalLinkage, Name, M);
  F->setAttributes(AttributeList::get(
      M.getContext(), AttributeList::FunctionIndex,
      AttrBuilder(M.getContext(), Run->getAttributes().getFnAttrs())));
  F->removeFnAttr(Attribute::NoInline);
  F->removeFnAttr(Attribute::OptimizeNone);
  F->setDoesNotThrow(); // what leaves a thread ends the program
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
  B.CreateCall(Run, {F->getArg(0)});
  B.CreateCall(Delete, {F->getArg(0)});
  B.CreateRet(ConstantPointerNull::get(B.getPtrTy()));
  Made.push_back(F);
  return F;
}

/// The variable of the thread that V is the address of.
static const GlobalVariable *threadVariable(const Value *V) {
  if (const auto *C = dyn_cast<IntrinsicInst>(V);
      C && C->getIntrinsicID() == Intrinsic::threadlocal_address)
    V = C->getArgOperand(0);
  return dyn_cast<GlobalVariable>(V);
}

/// std::call_once leaves the object to call, and a function that calls it, in
/// variables of the thread, for a function of its library to find. The store to
/// the variable Name in front of Call; null if that is not seen.
static StoreInst *leftFor(CallBase &Call, StringRef Name) {
  StoreInst *Found = nullptr;
  for (Instruction &I : *Call.getParent()) {
    if (&I == &Call)
      return Found;
    auto *S = dyn_cast<StoreInst>(&I);
    const GlobalVariable *G =
        S ? threadVariable(S->getPointerOperand()) : nullptr;
    if (G && G->getName() == Name)
      Found = S;
  }
  return nullptr;
}

/// Invoker, which takes nothing, calls the object in the thread's variable. The
/// same as a function that takes the object; null where that is not seen.
Function *ThreadForm::invokerOf(Function &Invoker, StringRef Variable) {
  std::string Name = ("rg.once." + Invoker.getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  constexpr unsigned Deep = 8;
  IRBuilder<> B(M.getContext());
  Function *F = makeWrapper(Invoker, Name, B.getVoidTy());
  if (Invoker.hasPersonalityFn())
    F->setPersonalityFn(Invoker.getPersonalityFn());
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
  B.CreateCall(&Invoker);
  B.CreateRetVoid();
  for (unsigned Round = 0; Round != Deep; ++Round) {
    SmallVector<LoadInst *, 2> Loads;
    CallBase *Inner = nullptr;
    for (Instruction &I : instructions(*F)) {
      if (auto *L = dyn_cast<LoadInst>(&I);
          L && threadVariable(L->getPointerOperand()) &&
          threadVariable(L->getPointerOperand())->getName() == Variable)
        Loads.push_back(L);
      auto *C = dyn_cast<CallBase>(&I);
      if (C && !Inner && C->getCalledFunction() &&
          !C->getCalledFunction()->isDeclaration())
        Inner = C;
    }
    if (!Loads.empty()) {
      for (LoadInst *L : Loads) {
        L->replaceAllUsesWith(F->getArg(0));
        L->eraseFromParent();
      }
      return F;
    }
    InlineFunctionInfo Info;
    if (!Inner || !InlineFunction(*Inner, Info).isSuccess())
      return nullptr;
  }
  return nullptr;
}

/// Call is pthread_once(flag, f): what f is, called here. Null if it is not
/// known (yet).
CallInst *ThreadForm::callOnce(CallBase &Call, IRBuilderBase &B) {
  auto *F = dyn_cast<Function>(Call.getArgOperand(1)->stripPointerCasts());
  if (!F)
    return nullptr;
  if (F->getName() != OnceProxy)
    return F->isDeclaration() || !F->arg_empty() ||
                   !F->getReturnType()->isVoidTy()
               ? nullptr
               : B.CreateCall(F);
  StoreInst *Callable = leftFor(Call, OnceObject);
  StoreInst *Invokes = leftFor(Call, OnceInvoker);
  auto *Invoker =
      Invokes ? dyn_cast<Function>(Invokes->getValueOperand()) : nullptr;
  if (!Callable || !Invoker || Invoker->isDeclaration())
    return nullptr;
  Function *Run = invokerOf(*Invoker, OnceObject);
  if (!Run)
    return nullptr;
  CallInst *Inner = B.CreateCall(Run, {Callable->getValueOperand()});
  // Nobody looks for it any more.
  for (Instruction &I : make_early_inc_range(instructions(*Call.getFunction())))
    if (auto *S = dyn_cast<StoreInst>(&I))
      if (const GlobalVariable *G = threadVariable(S->getPointerOperand());
          G && (G->getName() == OnceObject || G->getName() == OnceInvoker) &&
          (S == Callable || S == Invokes ||
           isa<ConstantPointerNull>(S->getValueOperand())))
        S->eraseFromParent();
  return Inner;
}

void ThreadForm::rewrite(Function &Clone, const Function *Original) {
  const bool OfThread = Original && startsWork(*Original);
  SmallVector<std::pair<CallBase *, const Routine *>, 8> Found;
  for (Instruction &I : instructions(Clone))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const Routine *R = routineOf(*Call))
        Found.push_back({Call, R});
  for (auto [Call, R] : Found) {
    IRBuilder<> B(Call);
    auto Operand = [&](unsigned I) { return Call->getArgOperand(I); };
    auto Run = [&](StringRef Name, ArrayRef<Value *> Args = {}) {
      return B.CreateCall(Runtime.require(Name), Args);
    };
    auto Start = [&](Function &F, Value *Id, Value *Argument) {
      Value *T = Run("rg_thread_new");
      B.CreateStore(T, Id);
      B.CreateCall(spawnOf(F), {T, Argument});
    };
    auto Ok = [&]() -> Value * {
      return Call->getType()->isVoidTy()
                 ? nullptr
                 : Constant::getNullValue(Call->getType());
    };
    switch (R->What) {
    case Becomes::Create: {
      // (id, attributes, f, argument), or without attributes.
      unsigned Last = Call->arg_size() - 1;
      auto *F = dyn_cast<Function>(Operand(Last - 1)->stripPointerCasts());
      if (!F || F->isDeclaration() || F->arg_size() != 1 ||
          !(F->getReturnType()->isPointerTy() ||
            F->getReturnType()->isIntegerTy()))
        continue;
      if (Call->arg_size() != 4 || !wantsResults() ||
          !F->getReturnType()->isPointerTy()) {
        Start(*F, Operand(0), Operand(Last));
        break;
      }
      CallInst *Cell = B.CreateCall(
          M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty()),
          {B.getInt64(CellBytes)});
      Cell->addRetAttr(Attribute::NoAlias);
      B.CreateStore(Operand(Last), Cell);
      Value *T = Run("rg_thread_new");
      B.CreateStore(Cell, cellOf(B, Run("rg_thread_place_take", {T})));
      B.CreateStore(T, Operand(0));
      B.CreateCall(spawnOf(*returningOf(*F)), {T, Cell});
      break;
    }
    case Becomes::CreateState: {
      Function *F = runOfState(*Call);
      if (!F)
        continue;
      Value *State = B.CreateLoad(B.getPtrTy(), Operand(1));
      B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), Operand(1));
      Start(*F, Operand(0), State);
      break;
    }
    case Becomes::Start: {
      // What the one thread does.
      if (!OfThread)
        continue;
      Value *Result = B.CreateCall(cast<Function>(Operand(1)), {Operand(2)});
      if (Result->getType()->isIntegerTy())
        Run("rg_thread_returns",
            {Operand(0), B.CreateZExtOrTrunc(Result, B.getInt64Ty())});
      break;
    }
    case Becomes::StartTask: {
      if (!OfThread)
        continue;
      Value *Task = Operand(2);
      Value *Shared = B.CreateLoad(B.getPtrTy(), Task);
      Value *Id = B.CreateCall(
          M.getOrInsertFunction("omp_get_thread_num", B.getInt32Ty()));
      B.CreateCall(cast<Function>(Operand(1)), {Id, Task});
      releaseTask(B, M, Task, Shared);
      break;
    }
    case Becomes::Join: {
      bool Wanted = !isa<ConstantPointerNull>(Operand(1));
      if (wantsResults()) {
        Value *Place = Run("rg_thread_place_of", {Operand(0)});
        Value *Cell = B.CreateLoad(B.getPtrTy(), cellOf(B, Place));
        Run("rg_thread_wait", {Operand(0)});
        Value *Result = B.CreateLoad(
            B.getPtrTy(), B.CreatePtrAdd(Cell, B.getInt64(CellResult)));
        B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()),
                     {Cell});
        Run("rg_thread_place_leave", {Place});
        if (!Wanted)
          break;
        Instruction *Then = SplitBlockAndInsertIfThen(
            B.CreateIsNotNull(Operand(1)), Call, /*Unreachable=*/false);
        new StoreInst(Result, Operand(1), Then->getIterator());
        break;
      }
      if (Wanted && !threadsReturnNull())
        continue;
      Run("rg_thread_wait", {Operand(0)});
      if (!Wanted)
        break;
      Instruction *Then = SplitBlockAndInsertIfThen(
          B.CreateIsNotNull(Operand(1)), Call, /*Unreachable=*/false);
      new StoreInst(ConstantPointerNull::get(B.getPtrTy()), Operand(1),
                    Then->getIterator());
      break;
    }
    case Becomes::Exit: {
      // The function that the thread runs returns.
      if (!Original || !runsThread(*Original) || !isa<CallInst>(Call) ||
          Operand(0)->getType() != Clone.getReturnType())
        continue;
      BasicBlock *Before = Call->getParent();
      Value *Result = Operand(0);
      Before->splitBasicBlock(Call);
      ReplaceInstWithInst(Before->getTerminator(),
                          ReturnInst::Create(Clone.getContext(), Result));
      break;
    }
    case Becomes::JoinInteger: {
      Run("rg_thread_wait", {Operand(0)});
      if (isa<ConstantPointerNull>(Operand(1)))
        break;
      Value *Result = B.CreateTrunc(Run("rg_thread_result"), B.getInt32Ty());
      Instruction *Then = SplitBlockAndInsertIfThen(
          B.CreateIsNotNull(Operand(1)), Call, /*Unreachable=*/false);
      new StoreInst(Result, Operand(1), Then->getIterator());
      break;
    }
    case Becomes::JoinObject:
      Run("rg_thread_wait", {B.CreateLoad(B.getInt64Ty(), Operand(0))});
      B.CreateStore(B.getInt64(0), Operand(0));
      break;
    case Becomes::Lock:
      if (!mayMeetOthers())
        continue;
      Run("rg_turn_mutex", {Operand(0)});
      break;
    case Becomes::Unlock:
      if (!mayMeetOthers())
        continue;
      Run("rg_turn_mutex_leave", {Operand(0)});
      break;
    case Becomes::Wait:
    case Becomes::WaitObject: {
      Value *Mutex = R->What == Becomes::Wait
                         ? Operand(1)
                         : B.CreateLoad(B.getPtrTy(), Operand(1));
      Run("rg_turn_before_wait", {Mutex});
      Run(R->Instead, {Operand(0), Mutex});
      Run("rg_turn_after_wait", {Mutex});
      break;
    }
    case Becomes::Event:
      if (!mayMeetOthers())
        continue;
      Run(R->Instead, {Operand(0)});
      break;
    case Becomes::Try: {
      if (!mayMeetOthers())
        continue;
      Value *Failed =
          B.CreateICmpEQ(Run(R->Instead, {Operand(0)}), B.getInt64(FailedTurn));
      replace(*Call, B.CreateSelect(
                         Failed, ConstantInt::get(Call->getType(), R->Failed),
                         Constant::getNullValue(Call->getType())));
      continue;
    }
    // These stay, and have their event once, however often a primal is
    // prepared.
    case Becomes::Tells:
      if (!mayMeetOthers() || Call->hasMetadata(HasEvent))
        continue;
      Call->setMetadata(HasEvent, MDNode::get(M.getContext(), {}));
      Run("rg_event", {Operand(0)});
      continue;
    case Becomes::Learns: {
      if (!mayMeetOthers() || Call->hasMetadata(HasEvent))
        continue;
      Call->setMetadata(HasEvent, MDNode::get(M.getContext(), {}));
      auto *Invoke = dyn_cast<InvokeInst>(Call);
      B.SetInsertPoint(
          Invoke ? SplitEdge(Invoke->getParent(), Invoke->getNormalDest())
                       ->getTerminator()
                 : Call->getNextNode());
      B.SetCurrentDebugLocation(Call->getDebugLoc());
      Run("rg_event", {Operand(0)});
      continue;
    }
    case Becomes::Once: {
      CallInst *Inner = callOnce(*Call, B);
      if (!Inner)
        continue;
      Inner->setDoesNotThrow(); // else the flag would have to be taken back
      B.SetInsertPoint(Inner);
      Value *Mine = B.CreateICmpEQ(Run("rg_once_begins", {Operand(0)}),
                                   B.getInt64(ClaimedTurn));
      Instruction *Then = SplitBlockAndInsertIfThen(Mine, Call, false);
      Inner->moveBefore(Then->getIterator());
      B.SetInsertPoint(Then);
      B.SetCurrentDebugLocation(Call->getDebugLoc());
      Run("rg_once_ends", {Operand(0)});
      break;
    }
    case Becomes::SystemCall:
      if (!isFutex(*Call))
        continue;
      replace(*Call, B.CreateZExtOrTrunc(
                         Run("rg_futex",
                             {Operand(1),
                              B.CreateZExtOrTrunc(Operand(2), B.getInt32Ty()),
                              B.CreateZExtOrTrunc(Operand(3), B.getInt32Ty()),
                              Call->arg_size() == 4
                                  ? ConstantPointerNull::get(B.getPtrTy())
                                  : Operand(4)}),
                         Call->getType()));
      continue;
    case Becomes::Barrier: {
      Run("rg_event", {Operand(0)});
      Value *Which = Run("rg_wait_at_barrier", {Operand(0)});
      Run("rg_event", {Operand(0)});
      replace(*Call, Which);
      continue;
    }
    }
    replace(*Call, Ok());
  }
}

/// The order in which I comes to its word of memory, as one thread's part of a
/// signal between threads; NotAtomic if it is none. Whether a static variable
/// has its first value the compiler asks for itself.
static AtomicOrdering signalOrder(const Instruction &I) {
  const Value *P = nullptr;
  AtomicOrdering Order = AtomicOrdering::NotAtomic;
  SyncScope::ID Scope = SyncScope::System;
  if (const auto *L = dyn_cast<LoadInst>(&I))
    P = L->getPointerOperand(), Order = L->getOrdering(),
    Scope = L->getSyncScopeID();
  else if (const auto *S = dyn_cast<StoreInst>(&I))
    P = S->getPointerOperand(), Order = S->getOrdering(),
    Scope = S->getSyncScopeID();
  else if (const auto *M = dyn_cast<AtomicRMWInst>(&I))
    P = M->getPointerOperand(), Order = M->getOrdering(),
    Scope = M->getSyncScopeID();
  else if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    P = C->getPointerOperand(), Order = C->getMergedOrdering(),
    Scope = C->getSyncScopeID();
  if (!P || Scope == SyncScope::SingleThread)
    return AtomicOrdering::NotAtomic;
  const auto *G = dyn_cast<GlobalVariable>(P->stripInBoundsOffsets());
  if (G && G->getName().starts_with("_ZGV"))
    return AtomicOrdering::NotAtomic;
  // A flush of OpenMP orders the relaxed operations beside it.
  const auto *Update = dyn_cast<AtomicRMWInst>(&I);
  if (Order != AtomicOrdering::Monotonic ||
      (Update && Update->isFloatingPointOperation()))
    return Order;
  const Function *Flush = I.getModule()->getFunction("__kmpc_flush");
  return Flush && !Flush->use_empty() ? AtomicOrdering::AcquireRelease : Order;
}

/// What an atomic operation tells is an integer for sure: a small number that
/// is none of a float's, or one that is only compared. Clang moves floats in
/// the bits of integers, too; zero may be either.
static bool tellsInteger(const Instruction &I) {
  auto IsSmall = [](const Value *V) {
    const auto *C = dyn_cast<ConstantInt>(V);
    return C && !C->isZero() && C->getValue().abs().ult(1 << 16);
  };
  if (const auto *M = dyn_cast<AtomicRMWInst>(&I))
    return M->getType()->isIntegerTy() &&
           (M->getOperation() != AtomicRMWInst::Xchg ||
            IsSmall(M->getValOperand()));
  if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    return IsSmall(C->getNewValOperand()) || IsSmall(C->getCompareOperand());
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return IsSmall(S->getValueOperand());
  return I.getType()->isIntegerTy() && !I.use_empty() &&
         all_of(I.users(), [](const User *U) { return isa<ICmpInst>(U); });
}

bool ThreadForm::orderSignals(Function &Clone) {
  SmallVector<Instruction *, 8> Found;
  bool Changed = false;
  for (Instruction &I : instructions(Clone)) {
    const AtomicOrdering Order = signalOrder(I);
    // Without other threads it tells nothing. A kernel's atomic integers may be
    // the bits of numbers, too.
    if (Order == AtomicOrdering::NotAtomic || I.hasMetadata(HasEvent) ||
        !mayMeetOthers())
      continue;
    MDNode *Nothing = MDNode::get(M.getContext(), {});
    I.setMetadata(HasEvent, Nothing);
    if (tellsInteger(I)) {
      noteInteger(I, /*Declared=*/true);
      if (!isa<LoadInst>(I) && !isa<StoreInst>(I))
        noteFact(I, SourceFact::Characters);
    }
    if (isStrongerThanMonotonic(Order))
      Found.push_back(&I);
    Changed = true;
  }
  IRBuilder<> B(Clone.getContext());
  for (Instruction *I : Found) {
    const AtomicOrdering Order = signalOrder(*I);
    Value *P = isa<StoreInst>(I) ? I->getOperand(1) : I->getOperand(0);
    if (!isa<LoadInst>(I) && isReleaseOrStronger(Order)) {
      B.SetInsertPoint(I);
      B.CreateCall(Runtime.require("rg_event_tells"), {P});
    }
    if (!isa<StoreInst>(I) && isAcquireOrStronger(Order)) {
      B.SetInsertPoint(I->getNextNode());
      B.SetCurrentDebugLocation(I->getDebugLoc());
      B.CreateCall(Runtime.require("rg_event_learns"), {P});
    }
  }
  return Changed;
}

void ThreadForm::finish() {
  for (Function *F : reverse(Made))
    if (F->use_empty())
      F->eraseFromParent();
  Made.clear();
}
