//===- BlocksInTurn.cpp - one block does what several have to do ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/BlocksInTurn.h"
#include "Polish/BlockSums.h"
#include "Polish/DeviceReductions.h"
#include "Polish/KernelMemory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <array>

using namespace llvm;
using namespace retrograd;

/// Numbers of a parameter that a block has a copy of, and such parameters.
static constexpr unsigned Copied = 1024, MostCopies = 4;
/// Shared memory of the module beside it: no kernel has more than 48 KiB.
static constexpr uint64_t MostBeside = 24 << 10;
/// Blocks that do the work, in those that a multiprocessor can have by its
/// threads: twice as many, so that one that takes longer does not hold up all.
static constexpr unsigned ThreadsAtOnce = 2048, Shares = 2;

namespace {

class Turns {
public:
  Turns(Function &F, FunctionAnalysisManager &FAM)
      : F(F), M(*F.getParent()), Machine(M),
        Memory(F, FAM.getResult<AAManager>(F)) {}

  bool run();

private:
  using Additions = SmallVector<AtomicRMWInst *, 8>;

  bool mayTakeTurns();
  bool staysApart(const Instruction &I);
  bool isQuiet(const Function &Callee);
  bool waitsEndTogether() const;
  void findAdditions();
  bool uses(const Value &V) const;
  bool hasRoom() const;
  void change();
  GlobalVariable *copyFor(const Argument &P, Type *T);
  void addToCopy(AtomicRMWInst &Add, GlobalVariable &Copy, Value *InTurn);

  Function &F;
  Module &M;
  const Target Machine;
  KernelMemory Memory;
  MapVector<Argument *, Additions> Sums;
  SmallPtrSet<const Function *, 8> Quiet;
};

} // namespace

static bool isQuestion(const Instruction &I, ThreadIdentity Who) {
  return askedBy(I) == Who;
}
static bool asksForBlock(const Instruction &I) {
  return isQuestion(I, {ThreadIdentity::BlockIndex, 0});
}

//===----------------------------------------------------------------------===//
// Whether blocks may run one after the other
//===----------------------------------------------------------------------===//

/// A function that asks for no block, and in which nothing waits for other
/// blocks.
bool Turns::isQuiet(const Function &Callee) {
  if (Callee.isDeclaration())
    return false;
  if (!Quiet.insert(&Callee).second)
    return true;
  return all_of(instructions(Callee), [&](const Instruction &I) {
    return !asksForBlock(I) && staysApart(I);
  });
}

/// I is nothing by which blocks wait for each other or a thread may end.
bool Turns::staysApart(const Instruction &I) {
  if (isa<FenceInst>(I) || I.isVolatile())
    return false;
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C || isa<UnreachableInst>(I.getParent()->getTerminator()))
    return true;
  const Function *Callee = C->getCalledFunction();
  if (!Callee)
    return false; // inline assembly, too
  if (!Callee->isIntrinsic())
    return isQuiet(*Callee);
  return !Callee->getName().contains("cluster") &&
         !Callee->getName().contains("mbarrier") &&
         !Callee->getName().contains("membar") &&
         !Callee->getName().contains("fence");
}

/// All threads of the block wait in I.
static bool isBarrierOfAll(const Instruction &I) {
  const auto *II = dyn_cast<IntrinsicInst>(&I);
  return II && (II->getIntrinsicID() ==
                    Intrinsic::nvvm_barrier_cta_sync_aligned_all ||
                II->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_all);
}

/// In I a thread may wait for others that have not come there yet. What the
/// runtime adds and takes is among lanes that are there.
static bool waits(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C || !C->isConvergent() || isRuntimeAddition(I) ||
      isa<UnreachableInst>(I.getParent()->getTerminator()))
    return false;
  const Function *Callee = C->getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : "";
  return Name != "rg_peers" && !Name.starts_with("rg_take_");
}

/// A thread that has done with its turn waits there for the others, in place of
/// ending. So nobody may wait for it where it will not come any more: behind a
/// barrier of all threads, at which all of them are when one leaves it, all of
/// them come to all places where one waits.
bool Turns::waitsEndTogether() const {
  SmallPtrSet<const BasicBlock *, 16> Waiting;
  SmallVector<const BasicBlock *, 8> Meetings{&F.getEntryBlock()};
  for (const BasicBlock &B : F) {
    if (any_of(B, waits))
      Waiting.insert(&B);
    if (any_of(B, isBarrierOfAll) && allComeOnceTo(B))
      Meetings.push_back(&B);
  }
  return any_of(Meetings, [&](const BasicBlock *Meeting) {
    SmallPtrSet<const BasicBlock *, 32> Behind;
    SmallVector<const BasicBlock *, 32> Work{Meeting};
    while (!Work.empty())
      for (const BasicBlock *S : successors(Work.pop_back_val()))
        if (Behind.insert(S).second)
          Work.push_back(S);
    return all_of(Behind, [&](const BasicBlock *B) {
      return !Waiting.contains(B) || allComeOnceTo(*B);
    });
  });
}

bool Turns::mayTakeTurns() {
  if (mayLeave(M) || !waitsEndTogether())
    return false;
  for (const Instruction &I : instructions(F)) {
    if (!staysApart(I))
      return false;
    if (const auto *A = dyn_cast<AllocaInst>(&I); A && !A->isStaticAlloca())
      return false;
    const auto *C = dyn_cast<CallBase>(&I);
    const Function *Callee = C ? C->getCalledFunction() : nullptr;
    if (Callee && Callee->getName().starts_with("rg_tape_"))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What is added to places that blocks have in common
//===----------------------------------------------------------------------===//

void Turns::findAdditions() {
  const auto OfBlock = Memory.following([](ThreadIdentity Who) {
    return Who.Asks == ThreadIdentity::BlockIndex;
  });
  const auto OfThread = Memory.following([](ThreadIdentity Who) {
    return Who.Asks == ThreadIdentity::ThreadIndex;
  });
  for (Instruction &I : instructions(F)) {
    auto *Add = dyn_cast<AtomicRMWInst>(&I);
    if (!Add || !isPlainAddition(*Add, Machine) || !Memory.isAddition(*Add))
      continue;
    const auto *Place = dyn_cast<Instruction>(Add->getPointerOperand());
    const Argument *P = restrictParameter(Add->getPointerOperand());
    // One place for all threads is added up over the block as it is.
    if (P && Place && !OfBlock.contains(Place) && OfThread.contains(Place))
      Sums[const_cast<Argument *>(P)].push_back(Add);
  }
  Sums.remove_if([&](const auto &Of) {
    return !Memory.onlyAddedTo(*Of.first) ||
           any_of(Of.second, [&](const AtomicRMWInst *Add) {
             return Add->getType() != Of.second.front()->getType();
           });
  });
}

/// The kernel, or a function that it calls, has V.
bool Turns::uses(const Value &V) const {
  return any_of(V.users(), [&](const User *U) {
    if (const auto *I = dyn_cast<Instruction>(U))
      return I->getFunction() == &F || Quiet.contains(I->getFunction());
    return isa<Constant>(U) && uses(*U);
  });
}

/// Of dynamic shared memory it is not known how much there will be.
bool Turns::hasRoom() const {
  uint64_t Bytes = 0;
  for (const GlobalVariable &G : M.globals())
    if (Machine.space(G.getAddressSpace()) == MemorySpace::Shared && uses(G)) {
      const uint64_t Size =
          M.getDataLayout().getTypeAllocSize(G.getValueType());
      if (!Size)
        return false;
      Bytes += Size;
    }
  return Bytes <= MostBeside && Sums.size() <= MostCopies;
}

//===----------------------------------------------------------------------===//
// The change
//===----------------------------------------------------------------------===//

GlobalVariable *Turns::copyFor(const Argument &P, Type *T) {
  unsigned Space = 0;
  while (Machine.space(Space) != MemorySpace::Shared)
    ++Space;
  Type *Array = ArrayType::get(T, Copied);
  auto *Copy = new GlobalVariable(
      M, Array, /*isConstant=*/false, GlobalValue::InternalLinkage,
      PoisonValue::get(Array), "rg.turns." + F.getName() + "." + P.getName(),
      nullptr, GlobalValue::NotThreadLocal, Space);
  Copy->setAlignment(Align(16));
  return Copy;
}

/// The first numbers of the parameter are the copy's.
void Turns::addToCopy(AtomicRMWInst &Add, GlobalVariable &Copy, Value *InTurn) {
  Value *Place = Add.getPointerOperand();
  Argument *P = const_cast<Argument *>(restrictParameter(Place));
  Type *T = Add.getType();
  IRBuilder<> B(&Add);
  const uint64_t Size = M.getDataLayout().getTypeAllocSize(T);
  // Most often it is counted from there.
  auto *Counted = dyn_cast<GetElementPtrInst>(Place);
  if (Counted &&
      (Counted->getPointerOperand() != P || Counted->getNumIndices() != 1 ||
       Counted->getSourceElementType() != T))
    Counted = nullptr;
  Value *At = nullptr;
  if (Counted) {
    At = B.CreateSExtOrTrunc(Counted->getOperand(1), B.getInt64Ty());
  } else {
    auto Address = [&](Value *V) {
      return B.CreatePtrToInt(B.CreateAddrSpaceCast(V, B.getPtrTy()),
                              B.getInt64Ty());
    };
    At =
        B.CreateUDiv(B.CreateSub(Address(Place), Address(P)), B.getInt64(Size));
  }
  Value *Here = B.CreateAnd(InTurn, B.CreateICmpULT(At, B.getInt64(Copied)));
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(Here, &Add, &Then, &Else);
  B.SetInsertPoint(Then);
  B.CreateAtomicRMW(AtomicRMWInst::FAdd, B.CreateInBoundsGEP(T, &Copy, At),
                    Add.getValOperand(), MaybeAlign(Size),
                    AtomicOrdering::Monotonic, Add.getSyncScopeID());
  Add.moveBefore(Else->getIterator());
  // Its address is not kept for the other way.
  if (Counted && Counted->hasOneUse())
    Counted->moveBefore(Add.getIterator());
}

void Turns::change() {
  LLVMContext &Context = F.getContext();
  Type *I32 = Type::getInt32Ty(Context);
  // In front of all turns: the entry, with the local arrays.
  BasicBlock *Entry = &F.getEntryBlock();
  Entry->setName("rg.turns.entry");
  auto Split = Entry->getFirstNonPHIOrDbgOrAlloca();
  BasicBlock *Body = Entry->splitBasicBlock(Split, "rg.turns.body");
  for (Instruction &I : make_early_inc_range(*Body))
    if (isa<AllocaInst>(I))
      I.moveBefore(Entry->getTerminator()->getIterator());
  BasicBlock *First = BasicBlock::Create(Context, "rg.turns.first", &F, Body),
             *Turn = BasicBlock::Create(Context, "rg.turns.turn", &F, Body),
             *Next = BasicBlock::Create(Context, "rg.turns.next", &F),
             *End = BasicBlock::Create(Context, "rg.turns.end", &F),
             *Done = BasicBlock::Create(Context, "rg.turns.done", &F);
  Entry->getTerminator()->eraseFromParent();

  IRBuilder<> B(Entry);
  auto Ask = [&](Intrinsic::ID Id) { return B.CreateIntrinsic(I32, Id, {}); };
  using namespace Intrinsic;
  Value *Mine = Ask(nvvm_read_ptx_sreg_ctaid_x),
        *Blocks = Ask(nvvm_read_ptx_sreg_nctaid_x);
  Value *Width = Ask(nvvm_read_ptx_sreg_ntid_x),
        *Height = Ask(nvvm_read_ptx_sreg_ntid_y);
  Value *Threads =
      B.CreateMul(B.CreateMul(Width, Height), Ask(nvvm_read_ptx_sreg_ntid_z));
  Value *Of = B.CreateAdd(
      B.CreateMul(
          B.CreateAdd(B.CreateMul(Ask(nvvm_read_ptx_sreg_tid_z), Height),
                      Ask(nvvm_read_ptx_sreg_tid_y)),
          Width),
      Ask(nvvm_read_ptx_sreg_tid_x), "rg.turns.thread");
  // Blocks along the other axes have their own.
  Value *Others = B.CreateMul(Ask(nvvm_read_ptx_sreg_nctaid_y),
                              Ask(nvvm_read_ptx_sreg_nctaid_z));
  Value *AtOnce = B.CreateMul(
      Ask(nvvm_read_ptx_sreg_nsmid),
      B.CreateMul(B.getInt32(Shares),
                  B.CreateBinaryIntrinsic(
                      Intrinsic::umax,
                      B.CreateUDiv(B.getInt32(ThreadsAtOnce), Threads),
                      B.getInt32(1))));
  Value *Workers = B.CreateBinaryIntrinsic(
      Intrinsic::umin, Blocks,
      B.CreateBinaryIntrinsic(Intrinsic::umax, B.CreateUDiv(AtOnce, Others),
                              B.getInt32(1)),
      nullptr, "rg.turns.workers");
  Value *InTurn = B.CreateICmpULT(Workers, Blocks, "rg.turns");
  B.CreateCondBr(B.CreateICmpULT(Mine, Workers), First, Done);

  SmallVector<std::pair<Argument *, GlobalVariable *>, 4> Copies;
  for (auto &[P, All] : Sums)
    Copies.push_back({P, copyFor(*P, All.front()->getType())});
  auto Barrier = [&] {
    B.CreateIntrinsic(B.getVoidTy(), Intrinsic::nvvm_barrier_cta_sync_all,
                      {B.getInt32(0)});
  };
  // For each number of the copies, by all threads: Do(i).
  auto ForEach = [&](BasicBlock *After, const Twine &Name, auto Do) {
    BasicBlock *From = B.GetInsertBlock();
    BasicBlock *Loop = BasicBlock::Create(Context, Name, &F, After);
    B.CreateCondBr(B.CreateAnd(InTurn, B.CreateICmpULT(Of, B.getInt32(Copied))),
                   Loop, After);
    B.SetInsertPoint(Loop);
    PHINode *I = B.CreatePHI(I32, 2);
    I->addIncoming(Of, From);
    Do(I);
    Value *Then = B.CreateAdd(I, Threads);
    I->addIncoming(Then, B.GetInsertBlock());
    B.CreateCondBr(B.CreateICmpULT(Then, B.getInt32(Copied)), Loop, After);
  };

  B.SetInsertPoint(First);
  BasicBlock *Cleared =
      BasicBlock::Create(Context, "rg.turns.cleared", &F, Turn);
  ForEach(Cleared, "rg.turns.clear", [&](Value *I) {
    for (auto &[P, Copy] : Copies) {
      Type *T = Sums[P].front()->getType();
      B.CreateStore(
          Constant::getNullValue(T),
          B.CreateInBoundsGEP(T, Copy, B.CreateZExt(I, B.getInt64Ty())));
    }
  });
  B.SetInsertPoint(Cleared);
  Barrier();
  B.CreateBr(Turn);

  // A turn.
  B.SetInsertPoint(Turn);
  PHINode *Block = B.CreatePHI(I32, 2, "rg.turns.block");
  B.CreateBr(Body);
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (asksForBlock(I) && I.getParent() != Entry) {
      I.replaceAllUsesWith(Block);
      I.eraseFromParent();
    }
  for (BasicBlock &In : F)
    if (auto *R = dyn_cast_or_null<ReturnInst>(In.getTerminator())) {
      BranchInst::Create(Next, R->getIterator())->setDebugLoc(R->getDebugLoc());
      R->eraseFromParent();
    }
  B.SetInsertPoint(Next);
  // What the block has in shared memory is the next turn's.
  Barrier();
  Value *Later = B.CreateAdd(Block, Workers);
  // Sums that wrap around are not in the grid.
  B.CreateCondBr(B.CreateAnd(B.CreateICmpULT(Later, Blocks),
                             B.CreateICmpUGT(Later, Block)),
                 Turn, End);
  Block->addIncoming(Mine, Cleared);
  Block->addIncoming(Later, Next);

  // Behind them all.
  B.SetInsertPoint(End);
  ForEach(Done, "rg.turns.add", [&](Value *I) {
    Value *At = B.CreateZExt(I, B.getInt64Ty());
    for (auto &[P, Copy] : Copies) {
      AtomicRMWInst *Like = Sums[P].front();
      Type *T = Like->getType();
      Value *X = B.CreateLoad(T, B.CreateInBoundsGEP(T, Copy, At));
      BasicBlock *Has = BasicBlock::Create(Context, "rg.turns.some", &F, Done),
                 *Rest = BasicBlock::Create(Context, "rg.turns.rest", &F, Done);
      B.CreateCondBr(B.CreateFCmpUNE(X, Constant::getNullValue(T)), Has, Rest);
      B.SetInsertPoint(Has);
      auto *Add =
          B.CreateAtomicRMW(AtomicRMWInst::FAdd, B.CreateGEP(T, P, At), X,
                            MaybeAlign(M.getDataLayout().getTypeAllocSize(T)),
                            AtomicOrdering::Monotonic, Like->getSyncScopeID());
      Add->setDebugLoc(Like->getDebugLoc());
      B.CreateBr(Rest);
      B.SetInsertPoint(Rest);
    }
  });
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  for (auto &[P, Copy] : Copies)
    for (AtomicRMWInst *Add : Sums[P])
      addToCopy(*Add, *Copy, InTurn);
}

bool Turns::run() {
  findAdditions();
  if (Sums.empty() || !mayTakeTurns() || !hasRoom())
    return false;
  change();
  return true;
}

bool retrograd::takeBlocksInTurn(Function &F, FunctionAnalysisManager &FAM) {
  if (F.getCallingConv() != CallingConv::PTX_Kernel ||
      !Target(*F.getParent()).addsWithoutResult() ||
      none_of(instructions(F), asksForBlock))
    return false;
  FAM.invalidate(F, PreservedAnalyses::none());
  const bool Changed = Turns(F, FAM).run();
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}
