//===- OpenMPTasks.cpp - tasks, and what tasks reduce to ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OpenMPForm.h"
#include "Parallel/OpenMPRoutines.h"
#include "Parallel/ThreadForm.h"
#include "Support/CallBinding.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

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

/// Memory of a task: the task with its private variables, and behind it what
/// it shares, to which the pointer leads that it begins with. As in libomp it
/// is one block: flang's tasks are copied as such.
static Value *newTask(IRBuilderBase &B, Module &M, uint64_t Bytes,
                      uint64_t Shared) {
  FunctionCallee Malloc =
      M.getOrInsertFunction("malloc", B.getPtrTy(), B.getInt64Ty());
  uint64_t Behind = alignTo(Bytes, 8);
  CallInst *P = B.CreateCall(Malloc, {B.getInt64(Behind + Shared)});
  P->addRetAttr(Attribute::NoAlias);
  B.CreateStore(Shared ? B.CreatePtrAdd(P, B.getInt64(Behind))
                       : ConstantPointerNull::get(B.getPtrTy()),
                P);
  return P;
}

void retrograd::releaseTask(IRBuilderBase &B, Module &M, Value *Task) {
  B.CreateCall(M.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()),
               {Task});
}

/// The memory of a task in place of its allocation by libomp; nothing if the
/// allocation is not understood.
std::optional<OpenMPForm::Task> OpenMPForm::makeTask(CallBase &Call) {
  auto *Bytes = dyn_cast<ConstantInt>(Call.getArgOperand(3));
  auto *Shared = dyn_cast<ConstantInt>(Call.getArgOperand(4));
  auto *Entry = dyn_cast<Function>(Call.getArgOperand(5)->stripPointerCasts());
  // Tied, final, merged, proxy of none; not: with objects to destroy,
  // detachable.
  Value *Flags = Call.getArgOperand(2);
  if (!Bytes || !Shared || !Entry || Entry->isDeclaration() ||
      Entry->arg_size() != 2 || (mayHaveFlags(Flags) & ~0x27u))
    return std::nullopt;
  IRBuilder<> B(&Call);
  Value *P = newTask(B, M, Bytes->getZExtValue(), Shared->getZExtValue());
  B.CreateStore(B.getInt32(0), B.CreatePtrAdd(P, B.getInt64(16)));
  Call.replaceAllUsesWith(P);
  return Task{P, Entry, Flags, Bytes->getZExtValue(), Shared->getZExtValue()};
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

namespace {

/// Where a task keeps a bound of its loop: clang's in the task,
/// flang's among what it shares.
struct BoundPlace {
  bool IsShared;
  uint64_t Offset;
};

} // namespace

/// The place that Bound, an address, is in the task Made; nothing if it is
/// elsewhere, or not known.
static std::optional<BoundPlace>
boundPlace(const Value *Bound, const Value *Made, uint64_t TaskBytes,
           uint64_t SharedBytes, const DataLayout &Layout) {
  APInt Offset(64, 0);
  const Value *Base = Bound->stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  const auto *Load = dyn_cast<LoadInst>(Base);
  bool IsShared =
      Load && Load->getPointerOperand()->stripPointerCasts() == Made;
  if (!IsShared && Base != Made)
    return std::nullopt;
  if (Offset.ugt(IsShared ? SharedBytes : TaskBytes) ||
      (Offset + 8).ugt(IsShared ? SharedBytes : TaskBytes))
    return std::nullopt;
  return BoundPlace{IsShared, Offset.getZExtValue()};
}

/// Tasks for parts of lb, lb + st, ..., ub. Each gets a copy of the task that
/// was made, with its own bounds. False if the bounds are not found in it.
bool OpenMPForm::rewriteTaskLoop(CallBase &Call, const Task &T) {
  SmallVector<BoundPlace, 2> Places;
  for (unsigned I : {0u, 1u}) {
    std::optional<BoundPlace> Place =
        boundPlace(Call.getArgOperand(4 + I), Call.getArgOperand(2), T.Bytes,
                   T.Shared, M.getDataLayout());
    if (!Place)
      return false;
    Places.push_back(*Place);
  }
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
  // libomp's words with their types, then the private variables. Bounds
  // differ. A task of flang's has the first words alone.
  constexpr uint64_t Part = 16, Stride = 56, IsLast = 64, Reductions = 72,
                     Privates = 80;
  B.CreateStore(B.getInt32(0), At(P, Part));
  if (T.Bytes >= Privates) {
    B.CreateStore(B.CreateLoad(B.getInt64Ty(), At(Made, Stride)),
                  At(P, Stride));
    B.CreateStore(B.getInt32(0), At(P, IsLast));
    B.CreateStore(B.CreateLoad(B.getPtrTy(), At(Made, Reductions)),
                  At(P, Reductions));
  }
  if (T.Bytes > Privates)
    B.CreateMemCpy(At(P, Privates), Align(8), At(Made, Privates), Align(8),
                   T.Bytes - Privates);
  Value *SharedCopy = B.CreateLoad(B.getPtrTy(), P);
  if (T.Shared)
    B.CreateMemCpy(SharedCopy, Align(8), Shared, Align(8), T.Shared);
  Value *Bounds[2] = {Start(K), B.CreateSub(Start(Next), Step)};
  for (unsigned I : {0u, 1u})
    B.CreateStore(Bounds[I],
                  At(Places[I].IsShared ? SharedCopy : P, Places[I].Offset));
  if (auto *Copy = dyn_cast<Function>(Operand(10)->stripPointerCasts()))
    B.CreateCall(
        Copy,
        {P, Made, B.CreateZExt(B.CreateICmpEQ(Next, Tasks), B.getInt32Ty())});
  B.CreateCall(taskOf(*T.Entry), {B.CreateZExt(Flags, B.getInt64Ty()), P});
  B.CreateBr(Header);
  K->addIncoming(Next, Body);
  B.SetInsertPoint(&Call);
  B.SetCurrentDebugLocation(Line);
  releaseTask(B, M, Made);
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
      const OpenMPRoutine *R = Call ? routineOf(*Call) : nullptr;
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

/// What tasks reduce to: the number of variables, libomp's record of each,
/// and where tasks add to until their group ends, as long as the function
/// that has the group.
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
      const OpenMPRoutine *R = Call ? routineOf(*Call) : nullptr;
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

/// Where the task ends that asks for its part of a reduction by Call: the
/// ends of the function that it is; or, where it runs at once and was
/// inlined, the call of libomp behind it. Empty if that is not known.
static SmallVector<Instruction *, 2> taskEnds(CallBase &Call,
                                              const Function &Original) {
  Function &F = *Call.getFunction();
  SmallVector<Instruction *, 2> Ends;
  DominatorTree Dominators(F);
  const CallBase *Begin = nullptr;
  for (Instruction &I : instructions(F)) {
    auto *Here = dyn_cast<CallBase>(&I);
    const OpenMPRoutine *R = Here ? routineOf(*Here) : nullptr;
    if (!R || R->What != Becomes::TaskHere ||
        !Dominators.dominates(Here, &Call) ||
        (Begin && !Dominators.dominates(Begin, Here)))
      continue;
    for (User *U : Here->getArgOperand(R->Operand)->users()) {
      auto *End = dyn_cast<CallBase>(U);
      const OpenMPRoutine *Of = End ? routineOf(*End) : nullptr;
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
  Constant *Lock = turnLock(M, "rg.reduced");
  for (Instruction *End : Ends) {
    B.SetInsertPoint(End);
    B.SetCurrentDebugLocation(Call.getDebugLoc());
    B.CreateCall(Runtime.require("rg_turn_enter"), {Lock});
    B.CreateCall(Runtime.require("rg_reduction_add"), {List, Variable, Mine});
    B.CreateCall(Runtime.require("rg_turn_leave"), {Lock});
  }
  return true;
}
