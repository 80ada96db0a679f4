//===- KernelRegions.cpp - a function of each region of a kernel ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region function gets all that it reads as parameters (Surroundings), runs
// one thread from one place where threads meet to the next, and returns the
// number of that place.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/ThreadIdentity.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Offload/LoweredRegions.h"
#include "Support/Kernels.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

Surroundings
KernelLowering::typesOfSurroundings(SmallVectorImpl<Type *> &Types) {
  // Placeholders with the right types, in the right order.
  Surroundings S;
  auto Of = [](Type *T) -> Value * { return PoisonValue::get(T); };
  Type *I32 = Type::getInt32Ty(Ctx), *I64 = Type::getInt64Ty(Ctx),
       *Ptr = PointerType::get(Ctx, 0);
  for (Argument &A : Kernel.args())
    S.Args.push_back(Of(A.getType()));
  S.Thread = S.Lane = Of(I64);
  for (auto *Triple : {S.Tid, S.Ctaid, S.Nctaid, S.Ntid})
    for (unsigned I = 0; I != 3; ++I)
      Triple[I] = Of(I32);
  for (const Slot &Slot : Values.slots()) {
    S.SlotAt.push_back(Of(Ptr));
    S.SlotNow.push_back(Slot.Uniform ? Of(Slot.Value->getType()) : nullptr);
  }
  S.MemoryAt.assign(Values.memory().size(), Of(Ptr));
  S.Shared.assign(SharedVars.size(), Of(PointerType::get(Ctx, SharedSpace)));
  S.Dynamic = S.WaitMask = Of(Ptr);
  for (const Split &Split : Points.splits()) {
    auto &Deposits = S.Deposits.emplace_back();
    if (Split.Deposit && !Split.Op->getType()->isVoidTy())
      for (Value *V : Split.Deposit->args())
        Deposits.push_back(isa<Constant>(V) ? nullptr : Of(Ptr));
    auto &Results = S.Results.emplace_back();
    if (Split.Op && !Split.Op->getType()->isVoidTy())
      Results.assign(isa<StructType>(Split.Op->getType()) ? 2 : 1, Of(Ptr));
  }
  S.forEach([&](Value *&V) { Types.push_back(V->getType()); });
  return S;
}

/// Calls whose results are the same number everywhere in a region function.
static Value *specialRegister(const CallInst &Call, const Surroundings &S,
                              IRBuilder<> &B) {
  StringRef Name = Call.getCalledFunction()->getName();
  if (Name == "rg.thread.number")
    return S.Thread;
  if (std::optional<ThreadIdentity> Who = ThreadIdentity::of(Call))
    switch (Who->Asks) {
    case ThreadIdentity::ThreadIndex:
      return S.Tid[Who->Axis];
    case ThreadIdentity::BlockIndex:
      return S.Ctaid[Who->Axis];
    case ThreadIdentity::BlockSize:
      return S.Ntid[Who->Axis];
    case ThreadIdentity::GridSize:
      return S.Nctaid[Who->Axis];
    }
  Name.consume_front("llvm.nvvm.read.ptx.sreg.");
  if (Name == "warpsize")
    return B.getInt32(WarpSize);
  Value *Thread = B.CreateTrunc(S.Thread, B.getInt32Ty());
  if (Name == "laneid")
    return B.CreateAnd(Thread, WarpSize - 1);
  if (Name == "warpid")
    return B.CreateLShr(Thread, 5);
  if (Name.starts_with("lanemask.")) {
    Value *Bit = B.CreateShl(B.getInt32(1), B.CreateAnd(Thread, WarpSize - 1));
    Value *Below = B.CreateSub(Bit, B.getInt32(1));
    return Name.ends_with("eq")   ? Bit
           : Name.ends_with("lt") ? Below
           : Name.ends_with("le") ? B.CreateOr(Below, Bit)
           : Name.ends_with("gt") ? B.CreateNot(B.CreateOr(Below, Bit))
                                  : B.CreateNot(Below);
  }
  return nullptr;
}

/// A block runs on one thread of the machine: nobody interrupts it in its own
/// memory. Comes after markParallel, since threads do conflict there.
static void makeSharedAtomicsPlain(Function &Region) {
  for (Instruction &I : make_early_inc_range(instructions(Region)))
    if (auto *RMW = dyn_cast<AtomicRMWInst>(&I);
        RMW && RMW->getPointerAddressSpace() == SharedSpace)
      lowerAtomicRMWInst(RMW);
    else if (auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I);
             CAS && CAS->getPointerAddressSpace() == SharedSpace)
      lowerAtomicCmpXchgInst(CAS);
}

namespace retrograd {

/// Makes the function of region K of a kernel.
struct RegionBuilder {
  RegionBuilder(KernelLowering &Lowering, unsigned K)
      : Lowering(Lowering), Kernel(Lowering.Kernel), M(Lowering.M),
        Ctx(Lowering.Ctx), Points(Lowering.Points), Values(Lowering.Values),
        K(K), Start(Points.splits()[K]), Blocks(Points.region(K)), B(Ctx) {}

  Function *run() {
    declare();
    mapParameters();
    copyBlocks();
    leaveAtCuts();
    for (BasicBlock *BB : Blocks)
      for (Instruction &I : *copyOf(BB))
        RemapInstruction(&I, Map,
                         RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);
    bringValues();
    if (Start.Op)
      readResults();
    fillSlots();
    joinValues();
    nameThread();
    dropLifetimes();
    return R;
  }

private:
  BasicBlock *copyOf(const BasicBlock *BB) { return cast<BasicBlock>(Map[BB]); }
  /// Is V computed in this region?
  bool isComputed(const Instruction *V) {
    return Map.count(V->getParent()) && Map[V];
  }
  Value *slotPlace(IRBuilder<> &B, unsigned I) {
    const Slot &Slot = Values.slots()[I];
    if (Slot.Uniform)
      return S.SlotAt[I];
    return B.CreateGEP(Lowering.memoryType(Slot.Value->getType()), S.SlotAt[I],
                       S.Thread);
  }

  void declare() {
    SmallVector<Type *, 32> Types;
    S = Lowering.typesOfSurroundings(Types);
    R = Function::Create(FunctionType::get(Type::getInt32Ty(Ctx), Types, false),
                         GlobalValue::InternalLinkage,
                         Kernel.getName() + ".region." + Twine(K), M);
    R->addFnAttr(Attribute::AlwaysInline);
    R->addFnAttr(Attribute::NoUnwind);
    unsigned Number = 0;
    S.forEach([&](Value *&V) { V = R->getArg(Number++); });
    for (unsigned I = 0; I != Kernel.arg_size(); ++I)
      for (auto Kind : {Attribute::NoAlias, Attribute::ReadOnly,
                        Attribute::ReadNone, Attribute::WriteOnly})
        if (Kernel.getAttributes().hasParamAttr(I, Kind))
          R->addParamAttr(I, Kind);
    // Scratch memory of ours is nobody else's. But where an earlier region has
    // put the address of stack memory away, this one may find it there, beside
    // the parameter.
    for (Value *V : S.SlotAt)
      R->addParamAttr(cast<Argument>(V)->getArgNo(), Attribute::NoAlias);
    for (auto [A, V] : zip(Values.memory(), S.MemoryAt))
      if (!Values.addressIsKept(*A))
        R->addParamAttr(cast<Argument>(V)->getArgNo(), Attribute::NoAlias);
  }

  /// The kernel's arguments, and stack memory that outlives a region.
  void mapParameters() {
    Entry = BasicBlock::Create(Ctx, "start", R);
    B.SetInsertPoint(Entry);
    for (unsigned I = 0; I != Kernel.arg_size(); ++I)
      Map[Kernel.getArg(I)] = S.Args[I];
    for (auto [A, At] : zip(Values.memory(), S.MemoryAt))
      Map[A] =
          B.CreateGEP(B.getInt8Ty(), At,
                      B.CreateMul(S.Thread, B.getInt64(Lowering.bytesOf(*A))),
                      A->getName());
  }

  void copyBlocks() {
    for (Instruction &I : Kernel.getEntryBlock())
      if (auto *A = dyn_cast<AllocaInst>(&I); A && !Values.outlivesRegion(A)) {
        Instruction *Copy = A->clone();
        Copy->setName(A->getName());
        B.Insert(Copy);
        Map[A] = Copy;
      }
    for (BasicBlock *BB : Blocks) {
      BasicBlock *Copy = BasicBlock::Create(Ctx, BB->getName(), R);
      Map[BB] = Copy;
      for (Instruction &I : *BB) {
        if (isa<AllocaInst>(I) && BB == &Kernel.getEntryBlock())
          continue;
        Instruction *C = I.clone();
        C->dropDbgRecords();
        C->setName(I.getName());
        C->insertInto(Copy, Copy->end());
        Map[&I] = C;
      }
    }
  }

  /// Where control comes to a cut or to the kernel's end, the region returns.
  void leaveAtCuts() {
    DenseMap<unsigned, BasicBlock *> Leave;
    for (BasicBlock *BB : Blocks) {
      Instruction *T = copyOf(BB)->getTerminator();
      if (isa<ReturnInst>(T)) {
        IRBuilder<> Ret(T);
        Ret.CreateRet(B.getInt32(Ended));
        T->eraseFromParent();
        continue;
      }
      for (unsigned I = 0; I != T->getNumSuccessors(); ++I)
        if (int J = Points.at(T->getSuccessor(I)); J >= 0) {
          BasicBlock *&To = Leave[J];
          if (!To) {
            To = BasicBlock::Create(Ctx, "to." + Twine(J), R);
            IRBuilder<>(To).CreateRet(B.getInt32(J));
          }
          T->setSuccessor(I, To);
        }
    }
    for (BasicBlock *BB : Blocks)
      for (PHINode &Phi : make_early_inc_range(copyOf(BB)->phis()))
        for (unsigned I = Phi.getNumIncomingValues(); I--;)
          if (!Map.count(Phi.getIncomingBlock(I)))
            Phi.removeIncomingValue(I, /*DeletePHIIfEmpty=*/false);
  }

  /// V of another region, at the start of this one: read from its slot, or
  /// computed again.
  Value *atStart(Instruction *V) {
    if (isa<AllocaInst>(V))
      return Map[V];
    if (auto It = Known.find(V); It != Known.end())
      return It->second;
    if (int I = Values.slotOf(V); I >= 0) {
      if (Values.slots()[I].Uniform)
        return Known[V] = S.SlotNow[I];
      Value *Now = Lowering.loadAs(B, V->getType(), slotPlace(B, I));
      Now->setName(V->getName() + ".kept");
      return Known[V] = Now;
    }
    if (isSpecialRegister(*V))
      if (Value *Special = specialRegister(cast<CallInst>(*V), S, B))
        return Known[V] = Special;
    Instruction *Again = V->clone();
    Again->dropDbgRecords();
    for (Use &U : Again->operands())
      if (auto *Op = dyn_cast<Instruction>(U))
        U.set(atStart(Op));
      else if (auto *A = dyn_cast<Argument>(U))
        U.set(S.Args[A->getArgNo()]);
    B.Insert(Again, V->getName() + ".again");
    return Known[V] = Again;
  }

  /// What comes from other regions.
  void bringValues() {
    for (Instruction *V : Values.needed(K))
      Outside.push_back({V, atStart(V)});
    B.CreateBr(copyOf(Start.Resume));
    // All of these are known by now, so that nothing is inserted behind the
    // branch.
    for (BasicBlock *BB : Blocks)
      for (Instruction &I : *copyOf(BB))
        for (Use &U : I.operands())
          if (auto *Op = dyn_cast<Instruction>(U);
              Op && Op->getFunction() == &Kernel)
            U.set(atStart(Op));
  }

  /// The results of the operation at the region's start, which has been
  /// computed for all threads.
  void readResults() {
    auto *Op = cast<Instruction>(Map[Start.Op]);
    if (Op->getType()->isVoidTy()) {
      Map[Start.Op] = nullptr;
    } else {
      IRBuilder<> Here(Op);
      Value *Now = PoisonValue::get(Op->getType());
      auto *Struct = dyn_cast<StructType>(Op->getType());
      for (unsigned I = 0; I != S.Results[K].size(); ++I) {
        Type *T = Struct ? Struct->getElementType(I) : Op->getType();
        Value *At = S.Results[K][I];
        if (Start.Kind == SplitKind::WarpOperation)
          At = Here.CreateGEP(Lowering.memoryType(T), At, S.Lane);
        Value *Member = Lowering.loadAs(Here, T, At);
        Now = Struct ? Here.CreateInsertValue(Now, Member, I) : Member;
      }
      // The instruction in place of the operation, so that Map still leads to
      // one.
      Op->replaceAllUsesWith(Now);
      Map[Start.Op] = Now;
    }
    Op->eraseFromParent();
  }

  /// Values that live in slots are stored where they are computed.
  void fillSlots() {
    for (unsigned I = 0; I != Values.slots().size(); ++I) {
      Instruction *V = Values.slots()[I].Value;
      if (!isComputed(V))
        continue;
      Value *Mapped = Map[V];
      auto *Def = dyn_cast<Instruction>(Mapped);
      BasicBlock *At = copyOf(V->getParent());
      IRBuilder<> After(At, Def && !isa<PHINode>(Def) && Def->getParent() == At
                                ? std::next(Def->getIterator())
                                : At->getFirstInsertionPt());
      Lowering.storeAs(After, Mapped, slotPlace(After, I));
    }
  }

  /// Values that come from outside and are computed here, too.
  void joinValues() {
    for (auto [V, Now] : Outside) {
      if (!isComputed(V))
        continue;
      Value *Def = Map[V];
      BasicBlock *DefBlock = copyOf(V->getParent());
      SSAUpdater Update;
      Update.Initialize(V->getType(), V->getName());
      Update.AddAvailableValue(Entry, Now);
      Update.AddAvailableValue(DefBlock, Def);
      for (Use &U : make_early_inc_range(Def->uses())) {
        auto *User = cast<Instruction>(U.getUser());
        if (!isa<PHINode>(User) && User->getParent() == DefBlock)
          continue;
        Update.RewriteUse(U);
      }
    }
  }

  /// Deposits, special registers, shared memory, the identity of the thread.
  void nameThread() {
    SmallVector<Instruction *, 32> All;
    for (Instruction &I : instructions(R))
      All.push_back(&I);
    for (Instruction *I : All) {
      for (Use &U : I->operands())
        if (auto *GV = dyn_cast<GlobalVariable>(U))
          for (auto [Shared, At] : zip(Lowering.SharedVars, S.Shared))
            if (Shared == GV)
              U.set(At);
      auto *Call = dyn_cast<CallInst>(I);
      if (!Call)
        continue;
      Function *Callee = Call->getCalledFunction();
      if (isSpecialRegister(*Call)) {
        IRBuilder<> Here(Call);
        if (Value *Special = specialRegister(*Call, S, Here)) {
          Call->replaceAllUsesWith(Special);
          Call->eraseFromParent();
        }
      } else if (Callee && Callee->getName().starts_with("rg..deposit.")) {
        deposit(*Call);
      } else if (Lowering.Reads(*Call)) {
        enterThread(*Call);
      }
    }
  }

  /// Writes the operands that the cut behind Call needs of all threads.
  void deposit(CallInst &Call) {
    unsigned J = 0;
    while (J != Points.size() &&
           !(Points.splits()[J].Deposit &&
             Map.lookup(Points.splits()[J].Deposit) == &Call))
      ++J;
    assert(J != Points.size() && "deposit of no cut");
    const Split &Cut = Points.splits()[J];
    bool Warp = Cut.Kind == SplitKind::WarpOperation;
    Value *Number = Lowering.leavesPerLane(Warp) ? S.Lane : S.Thread;
    IRBuilder<> Here(&Call);
    for (unsigned N = 0; N != S.Deposits[J].size(); ++N)
      if (Value *At = S.Deposits[J][N]) {
        Value *V = Call.getArgOperand(N);
        Lowering.storeAs(
            Here, V,
            Here.CreateGEP(Lowering.memoryType(V->getType()), At, Number));
      }
    // Who has to come before the scheduler goes on; the first operand of
    // ".sync" operations.
    if (Warp && Cut.Op->getCalledFunction()->getName().contains(".sync"))
      if (unsigned At =
              Call.getCalledFunction()->getName().contains(".redux.") ? 1 : 0;
          !isa<ConstantInt>(Cut.Deposit->getArgOperand(At)))
        Here.CreateStore(Call.getArgOperand(At),
                         Here.CreateGEP(Here.getInt32Ty(), S.WaitMask, Number));
    Call.eraseFromParent();
  }

  /// The runtime's record of who runs, written before Call reads it.
  void enterThread(CallInst &Call) {
    SmallVector<Value *, 16> Words;
    for (auto *Triple : {S.Tid, S.Ctaid, S.Nctaid, S.Ntid})
      for (unsigned N = 0; N != 3; ++N)
        Words.push_back(Triple[N]);
    Words.push_back(S.Dynamic);
    SmallVector<Type *, 16> Types;
    for (Value *V : Words)
      Types.push_back(V->getType());
    FunctionCallee Enter = M.getOrInsertFunction(
        "rg_cuda_enter_thread",
        FunctionType::get(Type::getVoidTy(Ctx), Types, false));
    IRBuilder<>(&Call).CreateCall(Enter, Words);
  }

  /// Stack memory that moved has no lifetime any more.
  void dropLifetimes() {
    for (Instruction &I : make_early_inc_range(instructions(R)))
      if (I.isLifetimeStartOrEnd() &&
          !isa<AllocaInst>(cast<CallInst>(I).getArgOperand(
              cast<CallInst>(I).arg_size() - 1)))
        I.eraseFromParent();
  }

  KernelLowering &Lowering;
  Function &Kernel;
  Module &M;
  LLVMContext &Ctx;
  const SplitPoints &Points;
  const CrossingValues &Values;
  const unsigned K;
  const Split &Start;
  const SmallVector<BasicBlock *, 16> Blocks;

  Function *R = nullptr;
  Surroundings S; ///< R's parameters
  BasicBlock *Entry = nullptr;
  IRBuilder<> B;         ///< at the end of Entry
  ValueToValueMapTy Map; ///< from the kernel to the region
  /// Values of other regions, as they are at the start.
  DenseMap<Instruction *, Value *> Known;
  SmallVector<std::pair<Instruction *, Value *>, 8> Outside;
};

} // namespace retrograd

void KernelLowering::makeRegion(unsigned K) {
  Regions[K] = RegionBuilder(*this, K).run();
  markParallel(*Regions[K], K);
  if (Options.SerialThreads)
    makeSharedAtomicsPlain(*Regions[K]);
}

/// Threads of a block do not depend on each other between cuts: say so, for
/// vectorisation. Not of a region's own stack memory, which iterations share.
void KernelLowering::markParallel(Function &R, unsigned K) {
  if (!Options.Parallel)
    return;
  MDNode *Group = MDNode::getDistinct(Ctx, {});
  AccessGroups[K] = Group;
  bool Escapes = false;
  for (Instruction &I : R.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I))
      Escapes |= PointerMayBeCaptured(A, /*ReturnCaptures=*/true);
  for (Instruction &I : instructions(R)) {
    const Value *At = getLoadStorePointerOperand(&I);
    if (!At)
      continue;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(At, Objects);
    bool Own = any_of(Objects, [&](const Value *O) {
      return isa<AllocaInst>(O) ||
             (Escapes && !isa<Argument>(O) && !isa<GlobalVariable>(O));
    });
    if (!Own)
      I.setMetadata(LLVMContext::MD_access_group, Group);
  }
}

/// Whether threads can end in the first region and at the end of the kernel
/// only, and nobody asks who has.
bool KernelLowering::mayLimitAll() const {
  if (!Options.Limit || Options.checks() || usesMachine() ||
      Points.agreement() != Agreement::ExitOnly)
    return false;
  for (unsigned K = 0; K != Points.size(); ++K) {
    const Split &Split = Points.splits()[K];
    if (Split.Op && !Split.Op->getType()->isVoidTy())
      return false;
    BitVector To = Points.next(K);
    if (To.test(Points.exitBit()) && To.count() != (K == 0 ? 2 : 1))
      return false;
  }
  return true;
}

/// Whether Region, whose conditions may be constants by now, can return Idle.
static bool canReturn(Function &Region, const ConstantInt *Idle) {
  for (Instruction &I : make_early_inc_range(instructions(Region)))
    if (Value *Simple =
            simplifyInstruction(&I, SimplifyQuery(Region.getDataLayout()))) {
      I.replaceAllUsesWith(Simple);
      if (isInstructionTriviallyDead(&I))
        I.eraseFromParent();
    }
  for (BasicBlock &BB : Region)
    ConstantFoldTerminator(&BB);
  removeUnreachableBlocks(Region);
  return any_of(Region, [&](const BasicBlock &BB) {
    auto *Return = dyn_cast<ReturnInst>(BB.getTerminator());
    return Return && Return->getReturnValue() == Idle;
  });
}

/// Who has something to do in region K, where the others go the same way.
void KernelLowering::findActive(unsigned K) {
  Active.emplace_back();
  ConstantInt *Idle = K == 0 && Next[K].count() == 2 && mayLimitAll()
                          ? ConstantInt::getSigned(Type::getInt32Ty(Ctx), Ended)
                          : nullptr;
  if (!Options.Limit || (Next[K].count() != 1 && !Idle) ||
      Points.splits()[K].Kind == SplitKind::UniformBranch)
    return;
  unsigned Thread = Kernel.arg_size();
  auto Found = std::make_unique<ActiveThreads>(
      *Regions[K], threadIndices(*Regions[K]),
      [Thread](const Argument *A) {
        return A->getArgNo() < Thread || A->getArgNo() > Thread + 4;
      },
      Idle);
  bool HasEdges = Options.Edges && Found->hasEdges();
  if (Idle ? !Found->isLimited() : !Found->isLimited() && !HasEdges)
    return;
  Function *Limited = Found->withoutGuards();
  if (Idle && canReturn(*Limited, Idle)) {
    Limited->eraseFromParent();
    return;
  }
  LimitsAll |= Idle != nullptr;
  Active.back() = {std::move(Found), Limited, nullptr};
  if (HasEdges)
    Active.back().Within = Active.back().Who->withoutEdges();
}
