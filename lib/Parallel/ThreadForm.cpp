//===- ThreadForm.cpp - threads that a primal starts ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/ThreadForm.h"
#include "Parallel/OpenMPForm.h"
#include "Parallel/ThreadRoutines.h"
#include "Support/ArtificialSubprogram.h"
#include "Support/CallBinding.h"
#include "Support/TeamMarks.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

// Of the argument and the result of a thread.
static constexpr unsigned CellResult = 8, CellBytes = 16;

/// Call is gone; its result is V. What it did cannot throw.
static void replace(CallBase &Call, Value *V) {
  if (V)
    Call.replaceAllUsesWith(V);
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    IRBuilder<> B(&Call);
    B.CreateBr(Invoke->getNormalDest());
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
  }
  Call.eraseFromParent();
}

/// F is given to a routine that starts threads.
static bool runsThread(const Function &F) {
  return any_of(F.users(), [&](const User *U) {
    const auto *Call = dyn_cast<CallBase>(U);
    const ThreadRoutine *R = Call ? threadRoutineOf(*Call) : nullptr;
    return R && R->What == ThreadCall::Create;
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

/// A thread of F(Argument), whose number is left at Id.
void ThreadForm::start(IRBuilderBase &B, Function &F, Value *Id,
                       Value *Argument) {
  Value *T = B.CreateCall(Runtime.require("rg_thread_new"));
  B.CreateStore(T, Id);
  B.CreateCall(spawnOf(F), {T, Argument});
}

/// pthread_create or thrd_create; false if its function is not known.
bool ThreadForm::create(CallBase &Call, IRBuilderBase &B) {
  // (id, attributes, f, argument), or without attributes.
  unsigned Last = Call.arg_size() - 1;
  auto *F =
      dyn_cast<Function>(Call.getArgOperand(Last - 1)->stripPointerCasts());
  if (!F || F->isDeclaration() || F->arg_size() != 1 ||
      !(F->getReturnType()->isPointerTy() || F->getReturnType()->isIntegerTy()))
    return false;
  if (Call.arg_size() != 4 || !wantsResults() ||
      !F->getReturnType()->isPointerTy()) {
    start(B, *F, Call.getArgOperand(0), Call.getArgOperand(Last));
    return true;
  }
  CallInst *Cell = B.CreateCall(
      M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty()),
      {B.getInt64(CellBytes)});
  Cell->addRetAttr(Attribute::NoAlias);
  B.CreateStore(Call.getArgOperand(Last), Cell);
  Value *T = B.CreateCall(Runtime.require("rg_thread_new"));
  B.CreateStore(
      Cell,
      cellOf(B, B.CreateCall(Runtime.require("rg_thread_place_take"), {T})));
  B.CreateStore(T, Call.getArgOperand(0));
  B.CreateCall(spawnOf(*returningOf(*F)), {T, Cell});
  return true;
}

/// pthread_join; false where what it asks for is not known.
bool ThreadForm::join(CallBase &Call, IRBuilderBase &B) {
  bool Wanted = !isa<ConstantPointerNull>(Call.getArgOperand(1));
  if (wantsResults()) {
    Value *Place = B.CreateCall(Runtime.require("rg_thread_place_of"),
                                {Call.getArgOperand(0)});
    Value *Cell = B.CreateLoad(B.getPtrTy(), cellOf(B, Place));
    B.CreateCall(Runtime.require("rg_thread_wait"), {Call.getArgOperand(0)});
    Value *Result = B.CreateLoad(B.getPtrTy(),
                                 B.CreatePtrAdd(Cell, B.getInt64(CellResult)));
    B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()),
                 {Cell});
    B.CreateCall(Runtime.require("rg_thread_place_leave"), {Place});
    if (!Wanted)
      return true;
    Instruction *Then = SplitBlockAndInsertIfThen(
        B.CreateIsNotNull(Call.getArgOperand(1)), &Call, /*Unreachable=*/false);
    new StoreInst(Result, Call.getArgOperand(1), Then->getIterator());
    return true;
  }
  if (Wanted && !threadsReturnNull())
    return false;
  B.CreateCall(Runtime.require("rg_thread_wait"), {Call.getArgOperand(0)});
  if (!Wanted)
    return true;
  Instruction *Then = SplitBlockAndInsertIfThen(
      B.CreateIsNotNull(Call.getArgOperand(1)), &Call, /*Unreachable=*/false);
  new StoreInst(ConstantPointerNull::get(B.getPtrTy()), Call.getArgOperand(1),
                Then->getIterator());
  return true;
}

namespace retrograd {

/// Writes what one call of a routine of threads stands for, in front of it.
class ThreadForm::Rewriter {
public:
  Rewriter(ThreadForm &Form, CallBase &Call, const ThreadRoutine &Routine,
           const Function *Original)
      : Form(Form), M(Form.M), Call(Call), Routine(Routine), Original(Original),
        B(&Call) {}

  void rewrite() {
    switch (outcome()) {
    case Unknown:
    case Done:
      return;
    case Success:
      replace(Call, Call.getType()->isVoidTy()
                        ? nullptr
                        : Constant::getNullValue(Call.getType()));
    }
  }

private:
  enum Outcome {
    Unknown, ///< what it needs is not known yet: the call is left as it was
    Success, ///< what was written has succeeded: the call's result is zero
    Done     ///< the call has been replaced, or is to stay
  };

  Outcome outcome() {
    switch (Routine.What) {
    case ThreadCall::Create:
      return Form.create(Call, B) ? Success : Unknown;
    case ThreadCall::CreateState:
      return createState();
    case ThreadCall::Start:
      return beThread();
    case ThreadCall::StartTask:
      return beTask();
    case ThreadCall::Join:
      return Form.join(Call, B) ? Success : Unknown;
    case ThreadCall::JoinInteger:
      return joinInteger();
    case ThreadCall::JoinObject:
      return joinObject();
    case ThreadCall::Exit:
      return exit();
    case ThreadCall::Wait:
      return wait(operand(1));
    case ThreadCall::WaitObject:
      return wait(B.CreateLoad(B.getPtrTy(), operand(1)));
    case ThreadCall::Event:
      return event();
    case ThreadCall::Try:
      return tryEvent();
    case ThreadCall::Barrier:
      return barrier();
    case ThreadCall::Once:
      return once();
    case ThreadCall::SystemCall:
      return systemCall();
    case ThreadCall::Tells:
      return tells();
    case ThreadCall::Learns:
      return learns();
    case ThreadCall::TimedLock:
      return timedLock("rg_turn_after_wait");
    case ThreadCall::TimedEvent:
      return timedLock("rg_event");
    case ThreadCall::TimedWait:
      return timedWait();
    }
    llvm_unreachable("every kind is rewritten above");
  }

  Value *operand(unsigned I) const { return Call.getArgOperand(I); }
  CallInst *run(StringRef Name, ArrayRef<Value *> Args = {}) {
    return B.CreateCall(Form.Runtime.require(Name), Args);
  }
  bool inThread() const { return Original && startsWork(*Original); }

  Outcome createState() {
    Function *F = Form.runOfState(Call);
    if (!F)
      return Unknown;
    Value *State = B.CreateLoad(B.getPtrTy(), operand(1));
    B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), operand(1));
    Form.start(B, *F, operand(0), State);
    return Success;
  }

  /// What the one thread does.
  Outcome beThread() {
    if (!inThread())
      return Unknown;
    Value *Result = B.CreateCall(cast<Function>(operand(1)), {operand(2)});
    if (Result->getType()->isIntegerTy())
      run("rg_thread_returns",
          {operand(0), B.CreateZExtOrTrunc(Result, B.getInt64Ty())});
    return Success;
  }

  Outcome beTask() {
    if (!inThread())
      return Unknown;
    Value *Id = B.CreateCall(
        M.getOrInsertFunction("omp_get_thread_num", B.getInt32Ty()));
    B.CreateCall(cast<Function>(operand(1)), {Id, operand(2)});
    releaseTask(B, M, operand(2));
    return Success;
  }

  Outcome joinInteger() {
    run("rg_thread_wait", {operand(0)});
    if (isa<ConstantPointerNull>(operand(1)))
      return Success;
    Value *Result = B.CreateTrunc(run("rg_thread_result"), B.getInt32Ty());
    Instruction *Then = SplitBlockAndInsertIfThen(B.CreateIsNotNull(operand(1)),
                                                  &Call, /*Unreachable=*/false);
    new StoreInst(Result, operand(1), Then->getIterator());
    return Success;
  }

  Outcome joinObject() {
    run("rg_thread_wait", {B.CreateLoad(B.getInt64Ty(), operand(0))});
    B.CreateStore(B.getInt64(0), operand(0));
    return Success;
  }

  /// The function that the thread runs returns.
  Outcome exit() {
    BasicBlock *Before = Call.getParent();
    if (!Original || !runsThread(*Original) || !isa<CallInst>(Call) ||
        operand(0)->getType() != Before->getParent()->getReturnType())
      return Unknown;
    Value *Result = operand(0);
    Before->splitBasicBlock(&Call);
    ReplaceInstWithInst(Before->getTerminator(),
                        ReturnInst::Create(M.getContext(), Result));
    return Success;
  }

  /// A turn of the mutex ends before the wait, and another one begins behind
  /// it.
  Outcome wait(Value *Mutex) {
    run("rg_turn_before_wait", {Mutex});
    run(Routine.Instead, {operand(0), Mutex});
    run("rg_turn_after_wait", {Mutex});
    return Success;
  }

  Outcome event() {
    if (!Form.mayMeetOthers())
      return Unknown;
    run(Routine.Instead, {operand(0)});
    return Success;
  }

  Outcome tryEvent() {
    if (!Form.mayMeetOthers())
      return Unknown;
    Value *Failed = B.CreateICmpEQ(run(Routine.Instead, {operand(0)}),
                                   B.getInt64(FailedTurn));
    replace(Call, B.CreateSelect(
                      Failed, ConstantInt::get(Call.getType(), Routine.Failed),
                      Constant::getNullValue(Call.getType())));
    return Done;
  }

  Outcome barrier() {
    run("rg_event", {operand(0)});
    Value *Which = run("rg_wait_at_barrier", {operand(0)});
    run("rg_event", {operand(0)});
    replace(Call, Which);
    return Done;
  }

  Outcome once() {
    CallInst *Inner = Form.callOnce(Call, B);
    if (!Inner)
      return Unknown;
    Inner->setDoesNotThrow(); // else the flag would have to be taken back
    B.SetInsertPoint(Inner);
    Value *Mine = B.CreateICmpEQ(run("rg_once_begins", {operand(0)}),
                                 B.getInt64(ClaimedTurn));
    Instruction *Then =
        SplitBlockAndInsertIfThen(Mine, &Call, /*Unreachable=*/false);
    Inner->moveBefore(Then->getIterator());
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    run("rg_once_ends", {operand(0)});
    return Success;
  }

  Outcome systemCall() {
    if (!isFutex(Call))
      return Unknown;
    auto Word = [&](unsigned I) {
      return B.CreateZExtOrTrunc(operand(I), B.getInt32Ty());
    };
    Value *Time = Call.arg_size() == 4 ? ConstantPointerNull::get(B.getPtrTy())
                                       : operand(4);
    Value *Operation = Word(2), *Number = Word(3);
    replace(Call, B.CreateZExtOrTrunc(
                      run("rg_futex", {operand(1), Operation, Number, Time}),
                      Call.getType()));
    return Done;
  }

  /// Is the call to have its event now? It stays, and has it once, however
  /// often a primal is prepared.
  bool takesEvent() {
    if (!Form.mayMeetOthers() || Call.hasMetadata(HasThreadEvent))
      return false;
    Call.setMetadata(HasThreadEvent, MDNode::get(M.getContext(), {}));
    return true;
  }

  Outcome tells() {
    if (takesEvent())
      run("rg_event", {operand(0)});
    return Done;
  }

  Outcome learns() {
    if (!takesEvent())
      return Done;
    auto *Invoke = dyn_cast<InvokeInst>(&Call);
    B.SetInsertPoint(
        Invoke ? SplitEdge(Invoke->getParent(), Invoke->getNormalDest())
                     ->getTerminator()
               : Call.getNextNode());
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    run("rg_event", {operand(0)});
    return Done;
  }

  /// The routine by a name of ours. A mark at the call would not do to have its
  /// turn once: inlining drops it where the call becomes an invoke.
  CallInst *runTimed() {
    SmallVector<Value *, 4> Args(Call.args());
    return run(Routine.Instead, Args);
  }

  Outcome timedLock(StringRef Order) {
    if (!Form.mayMeetOthers())
      return Unknown;
    CallInst *Result = runTimed();
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNull(Result), &Call,
                                               /*Unreachable=*/false));
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    run(Order, {operand(0)});
    replace(Call, Result);
    return Done;
  }

  /// Whether it gave up or not, it holds the mutex again.
  Outcome timedWait() {
    if (!Form.mayMeetOthers())
      return Unknown;
    run("rg_turn_before_wait", {operand(1)});
    CallInst *Result = runTimed();
    run("rg_turn_after_wait", {operand(1)});
    replace(Call, Result);
    return Done;
  }

  ThreadForm &Form;
  Module &M;
  CallBase &Call;
  const ThreadRoutine &Routine;
  const Function *Original;
  IRBuilder<> B;
};

} // namespace retrograd

void ThreadForm::rewrite(Function &Clone, const Function *Original) {
  SmallVector<std::pair<CallBase *, const ThreadRoutine *>, 8> Found;
  for (Instruction &I : instructions(Clone))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const ThreadRoutine *R = threadRoutineOf(*Call))
        Found.push_back({Call, R});
  for (auto [Call, Routine] : Found)
    Rewriter(*this, *Call, *Routine, Original).rewrite();
}

void ThreadForm::finish() {
  for (Function *F : reverse(Made))
    if (F->use_empty())
      F->eraseFromParent();
  Made.clear();
}
