//===- OpenMPForm.cpp - OpenMP's runtime calls in primals -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OpenMPForm.h"
#include "Parallel/OpenMPRoutines.h"
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

void OpenMPForm::rewriteRegions(Function &Clone, const Function &Original) {
  DenseMap<Value *, Task> Made;
  SmallVector<std::pair<CallBase *, const OpenMPRoutine *>, 8> Found;
  for (Instruction &I : instructions(Clone))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const OpenMPRoutine *R = routineOf(*Call))
        Found.push_back({Call, R});
  if (any_of(Found, [](const auto &Each) {
        return Each.second->What == Becomes::Flush;
      })) {
    DominatorTree Dominators(Clone);
    LoopInfo Loops(Dominators);
    erase_if(Found, [&](const auto &Each) {
      return Each.second->What == Becomes::Flush &&
             ordersNothing(*Each.first, Loops);
    });
  }
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
    case Becomes::MakeTask:
      if (std::optional<Task> T = makeTask(*Call))
        Made[T->Memory] = *T;
      else
        continue;
      break;
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
          !isa<ConstantInt>(Call->getArgOperand(8)) ||
          !rewriteTaskLoop(*Call, It->second))
        continue;
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
      releaseTask(B, M, P);
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
      Run("rg_event", turnLock(M, "rg.doacross"));
      continue;
    case Becomes::Source:
      Run("rg_event", turnLock(M, "rg.doacross"));
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
    case Becomes::Flush:
      break;
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
      Run("rg_turn_enter", turnLock(M, "rg.ordered"));
      continue;
    case Becomes::EndOrdered:
      Run("rg_turn_leave", turnLock(M, "rg.ordered"));
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

void OpenMPForm::finish() {
  for (Function *F : Forks)
    if (F->use_empty())
      F->eraseFromParent();
  Forks.clear();
}
