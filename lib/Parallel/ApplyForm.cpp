//===- ApplyForm.cpp - loops of libdispatch in primals --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libdispatch (Grand Central Dispatch) has a loop whose body is a function of
// the program: all work(context, i) for i from 0 to n, and back when the last
// of them is. In a fresh clone it becomes
//
//   dispatch_apply_f(n, queue, context, work)
//     if (n) rg.fork.apply.work(threads, n, context)
//
//   rg.fork.apply.work    a fork of the runtime's own threads
//   (Emit/PoolCode.h);
//                         each of them runs
//   rg.each.apply.work    its share of the iterations, in their order
//
// Iterations run at the same time on a queue of the system's, and on the one
// that libdispatch chooses (null). A queue of the program's may be serial, or
// lead to one: what it runs, one thread runs from the first iteration to the
// last, which every queue allows. See docs/Parallel.md.
//
// Not handled: a function that is not known here, blocks (dispatch_apply), and
// work that is started and goes on (dispatch_async_f): Catalogue/Dispatch.td.
//
//===----------------------------------------------------------------------===//

#include "Emit/PoolCode.h"
#include "Parallel/Forms.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

static bool isCallOf(const CallBase &Call, StringRef Name) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName() == Name && Callee->isDeclaration();
}

/// The function that runs the iterations of Call; null if it is not known.
static Function *workOf(const CallBase &Call) {
  if (!isCallOf(Call, "dispatch_apply_f") || Call.arg_size() != 4)
    return nullptr;
  auto *Work = dyn_cast<Function>(Call.getArgOperand(3)->stripPointerCasts());
  if (!Work || Work->isDeclaration() || Work->arg_size() != 2 ||
      !Work->getReturnType()->isVoidTy() ||
      !Work->getArg(0)->getType()->isPointerTy() ||
      Work->getArg(1)->getType() != Call.getArgOperand(0)->getType())
    return nullptr;
  return Work;
}

/// Iterations on Queue may run at the same time.
static bool isConcurrent(const Value *Queue) {
  if (const auto *C = dyn_cast<Constant>(Queue))
    return C->isNullValue();
  if (const auto *Call = dyn_cast<CallBase>(Queue))
    return isCallOf(*Call, "dispatch_get_global_queue");
  // A variable, as unoptimised code has it.
  const auto *Load = dyn_cast<LoadInst>(Queue);
  const auto *Variable =
      Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return Variable && all_of(Variable->users(), [&](const User *U) {
           if (const auto *S = dyn_cast<StoreInst>(U))
             return S->getValueOperand() != Variable &&
                    !isa<LoadInst>(S->getValueOperand()) &&
                    isConcurrent(S->getValueOperand());
           return isa<LoadInst>(U) ||
                  cast<Instruction>(U)->isLifetimeStartOrEnd();
         });
}

static Function *forkFor(Function &Work) {
  Module &M = *Work.getParent();
  const std::string Name = ("apply." + Work.getName()).str();
  if (Function *Known = M.getFunction("rg.fork." + Name))
    return Known;
  PoolCode Code(Work);
  IRBuilder<> &B = Code.builder();
  return Code.makeFork(
      Name, {B.getInt64Ty(), B.getPtrTy()},
      [](ArrayRef<Value *> Operands) { return Operands[0]; },
      [&](ArrayRef<Value *> Operands, Value *, Value *First, Value *Last) {
        Code.loop(First, Last, [&](Value *I) {
          Value *Index = B.CreateTrunc(I, Work.getArg(1)->getType());
          B.CreateCall(&Work, {Operands[1], Index})
              ->setCallingConv(Work.getCallingConv());
        });
      });
}

static void rewriteApply(CallBase &Apply, Function &Work) {
  CallBase *Call = &Apply;
  if (auto *Invoke = dyn_cast<InvokeInst>(Call)) // a fork does not throw
    Call = changeToCall(Invoke);
  PoolCode Code(*Call->getFunction());
  IRBuilder<> &B = Code.builder();
  B.SetInsertPoint(Call);
  Value *Count = B.CreateZExt(Call->getArgOperand(0), B.getInt64Ty());
  B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Count), Call,
                                             /*Unreachable=*/false));
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  Value *Threads = isConcurrent(Call->getArgOperand(1)) ? Code.teamFor(Count)
                                                        : B.getInt32(1);
  B.CreateCall(forkFor(Work), {Threads, Count, Call->getArgOperand(2)});
  Call->eraseFromParent();
}

bool retrograd::rewriteApplies(Function &Clone) {
  SmallVector<std::pair<CallBase *, Function *>, 4> Found;
  for (Instruction &I : instructions(Clone))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Work = workOf(*Call))
        Found.push_back({Call, Work});
  for (auto [Call, Work] : Found)
    rewriteApply(*Call, *Work);
  return !Found.empty();
}
