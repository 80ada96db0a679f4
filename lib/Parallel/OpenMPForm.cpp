//===- OpenMPForm.cpp - OpenMP's runtime calls in primals -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OpenMPForm.h"
#include "Parallel/OpenMPRoutines.h"
#include "Parallel/OwnVariables.h"
#include "Parallel/ThreadForm.h"
#include "Support/CallBinding.h"
#include "Support/TeamMarks.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

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

} // namespace

/// The lock of ordered regions, or of atomic operations: a turn needs one.
Constant *retrograd::turnLock(Module &M, StringRef Name) {
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

bool OpenMPForm::hasTasks() {
  if (!Tasks) {
    const Function *F = M.getFunction("__kmpc_omp_task_alloc");
    Tasks = F && !F->use_empty();
  }
  return *Tasks;
}

/// Beside a flush, atomic operations tell in which order threads see memory
/// (ThreadForm::orderSignals). Without any in the function, or in the loop that
/// the flush is in, a thread waits for memory that another one writes without a
/// word, in an order that nobody can tell.
static bool ordersNothing(const CallBase &Flush, const LoopInfo &Loops) {
  auto HasAtomic = [](const BasicBlock &BB) {
    return any_of(BB, [](const Instruction &I) { return I.isAtomic(); });
  };
  if (const Loop *L = Loops.getLoopFor(Flush.getParent()))
    return none_of(L->blocks(),
                   [&](const BasicBlock *BB) { return HasAtomic(*BB); });
  return none_of(*Flush.getFunction(), HasAtomic);
}

namespace retrograd {

/// Writes what the calls of libomp in one clone stand for, in the order of the
/// program.
class OpenMPForm::Rewriter {
public:
  Rewriter(OpenMPForm &Form, Function &Clone, const Function &Original)
      : Form(Form), M(Form.M), Clone(Clone), Original(Original),
        OfTeam(bindingOf(Original) == CallBinding::Team),
        Barrier(Form.hasTasks() ? "rg_task_barrier" : "rg_team_barrier"),
        Asked(Clone), B(Clone.getContext()) {}

  void run() {
    SmallVector<Found, 8> Calls = find();
    rewriteReductions(Calls);
    for (auto [Call, Routine] : Calls) {
      B.SetInsertPoint(Call);
      if (rewrite(*Call, *Routine))
        Call->eraseFromParent();
    }
  }

private:
  using Found = std::pair<CallBase *, const OpenMPRoutine *>;

  SmallVector<Found, 8> find() {
    SmallVector<Found, 8> Calls;
    for (Instruction &I : instructions(Clone))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (const OpenMPRoutine *R = routineOf(*Call))
          Calls.push_back({Call, R});
    auto IsFlush = [](const Found &F) {
      return F.second->What == Becomes::Flush;
    };
    if (any_of(Calls, IsFlush)) {
      DominatorTree Dominators(Clone);
      LoopInfo Loops(Dominators);
      erase_if(Calls, [&](const Found &F) {
        return IsFlush(F) && ordersNothing(*F.first, Loops);
      });
    }
    return Calls;
  }

  /// While it can be seen where tasks and groups begin and end.
  void rewriteReductions(SmallVectorImpl<Found> &Calls) {
    erase_if(Calls, [&](const Found &F) {
      auto [Call, Routine] = F;
      Becomes What = Routine->What;
      if (What == Becomes::ReductionOfAll && Form.rewriteReduction(*Call))
        Grouped.insert(Call);
      if (!(What == Becomes::Reduced && Form.rewriteReduced(*Call, Original)) &&
          !(What == Becomes::Reduction && Form.rewriteReduction(*Call)))
        return false;
      Call->eraseFromParent();
      return true;
    });
  }

  CallInst *callOurs(StringRef Name, ArrayRef<Value *> Args = {}) {
    return B.CreateCall(Form.Runtime.require(Name), Args);
  }
  /// The call has succeeded.
  static bool succeeds(CallBase &Call) {
    if (!Call.getType()->isVoidTy())
      Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
    return true;
  }

  /// True if Call is to go.
  bool rewrite(CallBase &Call, const OpenMPRoutine &R) {
    auto Operand = [&](unsigned I) { return Call.getArgOperand(I); };
    switch (R.What) {
    case Becomes::Fork:
    case Becomes::ForkIf:
      return Form.rewriteFork(Call, OfTeam ? nullptr : Asked.take(B), OfTeam);
    case Becomes::Threads:
      return askThreads(Call, R);
    case Becomes::Barrier:
      callOurs(Barrier);
      return true;
    case Becomes::Calls:
    case Becomes::Group:
    case Becomes::EndGroup:
    case Becomes::EndReduction:
      callOurs(R.Instead);
      return succeeds(Call);
    case Becomes::Turn:
      callOurs(R.Instead, {Operand(R.Operand)});
      return succeeds(Call);
    case Becomes::TestLock:
      return testLock(Call, Operand(R.Operand));
    case Becomes::MakeTask:
      if (std::optional<Task> T = Form.makeTask(Call)) {
        Made[T->Memory] = *T;
        return true;
      }
      return false;
    case Becomes::Task:
      return startTask(Call);
    case Becomes::TaskBehind:
      return startTask(Call, {Operand(3), Operand(4)});
    case Becomes::TaskLoop:
      return startTaskLoop(Call);
    case Becomes::TaskHere:
      return Made.contains(Operand(2));
    case Becomes::TaskHereEnd:
      if (!Made.contains(Operand(2)))
        return false;
      releaseTask(B, M, Operand(2));
      return true;
    case Becomes::TaskWaitSome:
      callOurs("rg_task_depends", {Operand(2), Operand(3)});
      callOurs("rg_task_wait_some");
      return true;
    case Becomes::CopyPrivate:
      return Form.rewriteCopyPrivate(Call, Barrier);
    case Becomes::League:
      return Form.rewriteLeague(Call);
    case Becomes::LeagueSize: {
      // A limit of threads per team is one for the regions in the team.
      auto *Limit = dyn_cast<ConstantInt>(Operand(3));
      return Limit && Limit->isZero();
    }
    case Becomes::Cancel:
      callOurs("rg_no_cancel");
      return succeeds(Call);
    case Becomes::CancelPoint:
      return succeeds(Call);
    case Becomes::CancelBarrier:
      callOurs(Barrier);
      return succeeds(Call);
    case Becomes::Sink:
      goBehind(Call);
      callOurs("rg_event", {turnLock(M, "rg.doacross")});
      return false;
    case Becomes::Source:
      callOurs("rg_event", {turnLock(M, "rg.doacross")});
      return false;
    case Becomes::ReductionOfAll:
      if (!Grouped.contains(&Call))
        return false;
      callOurs("rg_task_group_begin");
      return true;
    case Becomes::Reduction:
    case Becomes::Reduced:
      return false; // not understood
    case Becomes::OwnVariable:
      return nameOwn(Call);
    case Becomes::Flush:
      return true;
    case Becomes::Bounds:
      return Form.rewriteBounds(Call);
    case Becomes::Ordered:
      goBehind(Call);
      callOurs("rg_turn_enter", {turnLock(M, "rg.ordered")});
      return false;
    case Becomes::EndOrdered:
      callOurs("rg_turn_leave", {turnLock(M, "rg.ordered")});
      return false;
    case Becomes::Reduce:
      // libomp would choose between this way, atomic operations and a tree.
      if (Form.InOrder)
        callOurs("rg_inorder_begin");
      else
        callOurs("rg_turn_enter", {Operand(R.Operand)});
      Call.replaceAllUsesWith(ConstantInt::get(Call.getType(), 1));
      return true;
    case Becomes::EndReduce:
    case Becomes::EndReduceWait:
      if (Form.InOrder)
        callOurs("rg_inorder_end");
      else
        callOurs("rg_turn_leave", {Operand(R.Operand)});
      if (R.What == Becomes::EndReduceWait)
        callOurs(Barrier);
      return true;
    case Becomes::Schedule:
      if (Form.InOrder)
        distributeInOrder(Call, R.Operand);
      return false;
    case Becomes::Single:
      if (!Form.InOrder)
        return false;
      Call.replaceAllUsesWith(B.CreateZExt(
          B.CreateICmpEQ(B.CreateCall(M.getOrInsertFunction(
                             "omp_get_thread_num", B.getInt32Ty())),
                         B.getInt32(0)),
          Call.getType()));
      return true;
    case Becomes::EndSingle:
      return Form.InOrder;
    }
    llvm_unreachable("every kind is rewritten above");
  }

  void goBehind(CallBase &Call) {
    B.SetInsertPoint(Call.getNextNode());
    B.SetCurrentDebugLocation(Call.getDebugLoc());
  }

  bool askThreads(CallBase &Call, const OpenMPRoutine &R) {
    if (!OfTeam)
      Asked.set(B, Call.getArgOperand(R.Operand));
    else
      forgetThread(Call);
    return true;
  }

  /// Chunks go to whoever asks for them: libomp deals them out by turns
  /// instead. Loops with ordered regions keep their schedules, which have other
  /// numbers.
  static void distributeInOrder(CallBase &Call, unsigned Operand) {
    enum { StaticChunked = 33, Static = 34, Lowest = 33, Ordered = 65 };
    constexpr uint64_t Modifiers = uint64_t(3) << 29;
    auto *Schedule = dyn_cast<ConstantInt>(Call.getArgOperand(Operand));
    uint64_t Kind = Schedule ? Schedule->getZExtValue() & ~Modifiers : 0;
    if (Kind >= Lowest && Kind < Ordered && Kind != Static)
      Call.setArgOperand(Operand,
                         ConstantInt::get(Schedule->getType(), StaticChunked));
  }

  /// Nobody else wants to know which thread it is.
  static void forgetThread(CallBase &Call) {
    auto *Who = dyn_cast<CallInst>(Call.getArgOperand(1));
    if (!Who || !Who->hasOneUse())
      return;
    Who->replaceAllUsesWith(PoisonValue::get(Who->getType()));
    Who->eraseFromParent();
  }

  static bool nameOwn(CallBase &Call) {
    if (!nameOwnVariable(Call))
      return false;
    forgetThread(Call);
    return true;
  }

  bool testLock(CallBase &Call, Value *Lock) {
    Call.replaceAllUsesWith(
        B.CreateZExt(B.CreateICmpULT(callOurs("rg_turn_test_lock", {Lock}),
                                     B.getInt64(FailedTurn)),
                     Call.getType()));
    return true;
  }

  /// Behind: how many dependences the task has, and which.
  bool startTask(CallBase &Call, ArrayRef<Value *> Behind = {}) {
    auto It = Made.find(Call.getArgOperand(2));
    if (It == Made.end())
      return false;
    if (!Behind.empty())
      callOurs("rg_task_depends", Behind);
    B.CreateCall(Form.taskOf(*It->second.Entry),
                 {B.CreateZExt(It->second.Flags, B.getInt64Ty()), It->first});
    return succeeds(Call);
  }

  bool startTaskLoop(CallBase &Call) {
    auto It = Made.find(Call.getArgOperand(2));
    auto *Step = dyn_cast<ConstantInt>(Call.getArgOperand(7));
    return It != Made.end() && Step && Step->isOne() &&
           isa<ConstantInt>(Call.getArgOperand(8)) &&
           Form.rewriteTaskLoop(Call, It->second);
  }

  OpenMPForm &Form;
  Module &M;
  Function &Clone;
  const Function &Original;
  const bool OfTeam;
  const StringRef Barrier;
  AskedThreads Asked;
  IRBuilder<> B;
  DenseMap<Value *, Task> Made;
  SmallPtrSet<CallBase *, 2> Grouped;
};

} // namespace retrograd

void OpenMPForm::rewriteRegions(Function &Clone, const Function &Original) {
  Rewriter(*this, Clone, Original).run();
}

void OpenMPForm::finish() {
  for (Function *F : Forks)
    if (F->use_empty())
      F->eraseFromParent();
  Forks.clear();
  findOwnVariables(M);
}
