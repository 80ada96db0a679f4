//===- KernelLowering.cpp - a kernel as a function that runs blocks -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/KernelLowering.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Offload/ActiveThreads.h"
#include "Offload/SharedWindow.h"
#include "Offload/WideIndices.h"
#include "Support/Kernels.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

namespace {

constexpr unsigned SharedSpace = 3;
constexpr unsigned WarpSize = 32;
/// What a region returns when its thread has ended.
constexpr int Ended = -1;

/// Everything that a region can read, as values of one function: of the block
/// function, which has it, or of a region function, which gets it as parameters
/// in this order.
struct Surroundings {
  SmallVector<Value *, 8> Args;
  Value *Thread = nullptr; ///< i64: number in the block
  Value *Lane = nullptr;   ///< i64: number in the group that runs together
  /// tid, ctaid, nctaid, ntid: x, y, z each, i32.
  Value *Tid[3] = {}, *Ctaid[3] = {}, *Nctaid[3] = {}, *Ntid[3] = {};
  SmallVector<Value *, 8> SlotAt; ///< per slot: where it is
  SmallVector<Value *, 8>
      SlotNow; ///< per slot: its value at the start, if uniform; else null
  SmallVector<Value *, 8> MemoryAt; ///< per CrossingValues::memory()
  SmallVector<Value *, 4> Shared;   ///< per shared variable
  Value *Dynamic = nullptr;
  SmallVector<SmallVector<Value *, 4>, 8>
      Deposits; ///< per cut and operand; null if constant
  SmallVector<SmallVector<Value *, 2>, 8>
      Results; ///< per cut and member of the result
  Value *WaitMask = nullptr;

  /// Calls Visit on each in a fixed order.
  template <class Fn> void forEach(Fn Visit) {
    for (auto &V : Args)
      Visit(V);
    Visit(Thread), Visit(Lane);
    for (auto *Triple : {Tid, Ctaid, Nctaid, Ntid})
      for (unsigned I = 0; I != 3; ++I)
        Visit(Triple[I]);
    for (auto &V : SlotAt)
      Visit(V);
    for (auto &V : SlotNow)
      if (V)
        Visit(V);
    for (auto &V : MemoryAt)
      Visit(V);
    for (auto &V : Shared)
      Visit(V);
    Visit(Dynamic), Visit(WaitMask);
    for (auto *Lists : {&Deposits})
      for (auto &List : *Lists)
        for (auto &V : List)
          if (V)
            Visit(V);
    for (auto &List : Results)
      for (auto &V : List)
        if (V)
          Visit(V);
  }
};

class Lowering {
public:
  Lowering(Function &Kernel, function_ref<bool(const Value *)> IsUniform,
           ReadsThread Reads, const OffloadOptions &Options,
           DiagnosticEngine &Diags)
      : Kernel(Kernel), M(*Kernel.getParent()), Ctx(M.getContext()),
        DL(M.getDataLayout()), Options(Options), Diags(Diags), Reads(Reads),
        IsUniform(IsUniform), Points(Kernel, IsUniform, Options.CutLoops,
                                     /*EachApart=*/Options.Interleave),
        Values(
            Kernel, Points,
            [&](const Value *V) { return sharesSlot(V, IsUniform); },
            Options.Recompute) {}

  LoweredKernel run();

private:
  Function &Kernel;
  Module &M;
  LLVMContext &Ctx;
  const DataLayout &DL;
  const OffloadOptions &Options;
  DiagnosticEngine &Diags;
  ReadsThread Reads;
  function_ref<bool(const Value *)> IsUniform;
  SplitPoints Points;
  CrossingValues Values;

  SmallVector<GlobalVariable *, 4> SharedVars;
  GlobalVariable *DynamicVar = nullptr;
  SmallVector<Function *, 8> Regions;
  SmallVector<BitVector, 8> Next;
  SmallVector<MDNode *, 8> AccessGroups;
  /// Per region, where some threads have nothing to do there or blocks at edges
  /// differ: who, the region of those who have, and the region away from the
  /// edges.
  struct ActiveRegion {
    std::unique_ptr<ActiveThreads> Who;
    Function *Limited = nullptr, *Within = nullptr;
  };
  SmallVector<ActiveRegion, 8> Active;
  /// Threads end at guards of the first region only: its bounds are those of
  /// all regions, and nobody has to keep book of who has ended.
  bool LimitsAll = false;
  LoweredKernel Result;

  bool usesMachine() const {
    return Options.Interleave || Points.hasWarpOperations() ||
           Points.agreement() == Agreement::Divergent;
  }
  /// What lanes leave for an operation of a warp is read before another warp
  /// runs, unless warps take turns.
  bool leavesPerLane(bool OfWarp) const {
    return OfWarp && !Options.Interleave;
  }
  /// Threads that are not together cannot share a value that a loop changes.
  bool sharesSlot(const Value *V, function_ref<bool(const Value *)> IsUniform) {
    auto *I = dyn_cast<Instruction>(V);
    return IsUniform(V) &&
           (!usesMachine() || (I && Points.isReachedTogether(*I)));
  }

  bool isLine() const;
  void collectShared();
  Type *memoryType(Type *T) const {
    return T->isIntegerTy(1) ? Type::getInt8Ty(Ctx) : T;
  }
  Value *loadAs(IRBuilder<> &B, Type *T, Value *At) {
    Type *InMemory = memoryType(T);
    Value *V = B.CreateLoad(InMemory, At);
    return T == InMemory ? V : B.CreateTrunc(V, T);
  }
  StoreInst *storeAs(IRBuilder<> &B, Value *V, Value *At) {
    Type *InMemory = memoryType(V->getType());
    return B.CreateStore(
        V->getType() == InMemory ? V : B.CreateZExt(V, InMemory), At);
  }
  Surroundings typesOfSurroundings(SmallVectorImpl<Type *> &Types);
  void makeRegion(unsigned K);
  void markParallel(Function &Region, unsigned K);
  void findActive(unsigned K);
  bool mayLimitAll() const;
  /// The parameters of Region for x, y, z in the block. The order of
  /// Surroundings: arguments, thread, lane, tid.
  std::array<Argument *, 3> threadIndices(Function &Region) const {
    unsigned First = Kernel.arg_size() + 2;
    return {Region.getArg(First), Region.getArg(First + 1),
            Region.getArg(First + 2)};
  }

  // The block function.
  Function *Blocks = nullptr;
  struct Frame; // values of the block function
  void makeBlocks();
  Function *helper(StringRef Name, Type *Ret, ArrayRef<Type *> Params);

  uint64_t perThread(uint64_t Bytes) {
    uint64_t Offset = Result.ScratchPerThread;
    Result.ScratchPerThread += Bytes;
    return Offset;
  }
  friend struct BlockEmitter;
};

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static const Value *withoutCast(const Value *V) {
  return isa<ZExtInst, SExtInst>(V) ? cast<CastInst>(V)->getOperand(0) : V;
}
static bool isRegister(const Value *V, StringRef Name) {
  auto *Call = dyn_cast<CallInst>(withoutCast(V));
  return Call && isSpecialRegister(*Call) &&
         Call->getCalledFunction()->getName() == Name;
}
/// V is the product of the block's index and size, along x.
static bool isStartOfBlock(const Value *V) {
  auto *Product = dyn_cast<BinaryOperator>(withoutCast(V));
  constexpr StringLiteral Index("llvm.nvvm.read.ptx.sreg.ctaid.x"),
      Size("llvm.nvvm.read.ptx.sreg.ntid.x");
  auto Is = [&](unsigned I, unsigned J) {
    return isRegister(Product->getOperand(I), Index) &&
           isRegister(Product->getOperand(J), Size);
  };
  return Product && Product->getOpcode() == Instruction::Mul &&
         (Is(0, 1) || Is(1, 0));
}
/// V is the thread's index in the grid.
static bool isIndexInGrid(const Value *V) {
  auto *Sum = dyn_cast<BinaryOperator>(V);
  constexpr StringLiteral Index("llvm.nvvm.read.ptx.sreg.tid.x");
  auto Is = [&](unsigned I, unsigned J) {
    return isStartOfBlock(Sum->getOperand(I)) &&
           isRegister(Sum->getOperand(J), Index);
  };
  return Sum && Sum->getOpcode() == Instruction::Add && (Is(0, 1) || Is(1, 0));
}
/// Whether Visit holds for the users of V, and for those of its extensions.
static bool allUsers(const Value *V, function_ref<bool(const User *)> Visit) {
  return all_of(V->users(), [&](const User *U) {
    return isa<ZExtInst, SExtInst>(U) ? allUsers(U, Visit) : Visit(U);
  });
}

/// Whether the kernel does not see blocks: threads never meet, share nothing,
/// and ask only for their place in the grid, along x. Then any number of blocks
/// is one long one.
bool Lowering::isLine() const {
  if (!Options.Collapse || Options.checks() || Points.size() != 1 ||
      usesMachine() || !SharedVars.empty() || !Values.memory().empty() ||
      Next[0].count() != 1)
    return false;
  return all_of(instructions(Kernel), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (Call && Reads(*Call))
      return false;
    if (!isSpecialRegister(I))
      return true;
    StringRef Name = Call->getCalledFunction()->getName();
    Name.consume_front("llvm.nvvm.read.ptx.sreg.");
    if (Name == "tid.x")
      return allUsers(&I, isIndexInGrid);
    if (Name == "ctaid.x")
      return allUsers(&I, [](const User *U) {
        return isStartOfBlock(U) && allUsers(U, isIndexInGrid);
      });
    return Name.starts_with("ntid.") || Name.starts_with("nctaid.") ||
           Name == "warpsize";
  });
}

void Lowering::collectShared() {
  Kernel.getFnAttribute(StaticSharedAttribute)
      .getValueAsString()
      .getAsInteger(10, Result.StaticShared);
  for (GlobalVariable &GV : M.globals()) {
    if (GV.getAddressSpace() != SharedSpace)
      continue;
    bool Here = false;
    for (User *U : GV.users())
      if (auto *I = dyn_cast<Instruction>(U); I && I->getFunction() == &Kernel)
        Here = true;
    if (!Here)
      continue;
    if (GV.isDeclaration() || DL.getTypeAllocSize(GV.getValueType()) == 0)
      DynamicVar = &GV; // all of them start at the same address
    else
      Result.StaticShared =
          alignTo(Result.StaticShared, GV.getAlign().valueOrOne()) +
          DL.getTypeAllocSize(GV.getValueType());
    SharedVars.push_back(&GV);
  }
}

Surroundings Lowering::typesOfSurroundings(SmallVectorImpl<Type *> &Types) {
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
  Name.consume_front("llvm.nvvm.read.ptx.sreg.");
  auto Axis = [&](Value *const *Triple) -> Value * {
    return Name.ends_with(".x")   ? Triple[0]
           : Name.ends_with(".y") ? Triple[1]
                                  : Triple[2];
  };
  if (Name.starts_with("tid."))
    return Axis(S.Tid);
  if (Name.starts_with("ctaid."))
    return Axis(S.Ctaid);
  if (Name.starts_with("nctaid."))
    return Axis(S.Nctaid);
  if (Name.starts_with("ntid."))
    return Axis(S.Ntid);
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

void Lowering::makeRegion(unsigned K) {
  const Split &Start = Points.splits()[K];
  SmallVector<Type *, 32> Types;
  Surroundings S = typesOfSurroundings(Types);
  Function *R =
      Function::Create(FunctionType::get(Type::getInt32Ty(Ctx), Types, false),
                       GlobalValue::InternalLinkage,
                       Kernel.getName() + ".region." + Twine(K), M);
  R->addFnAttr(Attribute::AlwaysInline);
  R->addFnAttr(Attribute::NoUnwind);
  Regions[K] = R;
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

  BasicBlock *Entry = BasicBlock::Create(Ctx, "start", R);
  IRBuilder<> B(Entry);
  ValueToValueMapTy Map;
  for (unsigned I = 0; I != Kernel.arg_size(); ++I)
    Map[Kernel.getArg(I)] = S.Args[I];
  for (unsigned I = 0; I != Values.memory().size(); ++I) {
    AllocaInst *A = Values.memory()[I];
    uint64_t Stride =
        alignTo(A->getAllocationSize(DL)->getFixedValue(), A->getAlign());
    Map[A] =
        B.CreateGEP(B.getInt8Ty(), S.MemoryAt[I],
                    B.CreateMul(S.Thread, B.getInt64(Stride)), A->getName());
  }
  auto SlotPlace = [&](IRBuilder<> &B, unsigned I) -> Value * {
    if (Values.slots()[I].Uniform)
      return S.SlotAt[I];
    return B.CreateGEP(memoryType(Values.slots()[I].Value->getType()),
                       S.SlotAt[I], S.Thread);
  };

  // The region's blocks.
  SmallVector<BasicBlock *, 16> Blocks = Points.region(K);
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
  // The ends.
  DenseMap<unsigned, BasicBlock *> Leave;
  for (BasicBlock *BB : Blocks) {
    Instruction *T = cast<BasicBlock>(Map[BB])->getTerminator();
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
    for (PHINode &Phi : make_early_inc_range(cast<BasicBlock>(Map[BB])->phis()))
      for (unsigned I = Phi.getNumIncomingValues(); I--;)
        if (!Map.count(Phi.getIncomingBlock(I)))
          Phi.removeIncomingValue(I, /*DeletePHIIfEmpty=*/false);
  for (BasicBlock *BB : Blocks)
    for (Instruction &I : *cast<BasicBlock>(Map[BB]))
      RemapInstruction(&I, Map,
                       RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);

  // What comes from other regions.
  DenseMap<Instruction *, Value *> Known;
  std::function<Value *(Instruction *)> Materialise =
      [&](Instruction *V) -> Value * {
    if (auto *A = dyn_cast<AllocaInst>(V))
      return Map[A];
    if (auto It = Known.find(V); It != Known.end())
      return It->second;
    if (int I = Values.slotOf(V); I >= 0) {
      if (Values.slots()[I].Uniform)
        return Known[V] = S.SlotNow[I];
      Value *Now = loadAs(B, V->getType(), SlotPlace(B, I));
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
        U.set(Materialise(Op));
      else if (auto *A = dyn_cast<Argument>(U))
        U.set(S.Args[A->getArgNo()]);
    B.Insert(Again, V->getName() + ".again");
    return Known[V] = Again;
  };
  SmallVector<std::pair<Instruction *, Value *>, 8> Outside;
  for (Instruction *V : Values.needed(K))
    Outside.push_back({V, Materialise(V)});
  B.CreateBr(cast<BasicBlock>(Map[Start.Resume]));

  for (BasicBlock *BB : Blocks)
    for (Instruction &I : *cast<BasicBlock>(Map[BB]))
      for (Use &U : I.operands())
        if (auto *Op = dyn_cast<Instruction>(U);
            Op && Op->getFunction() == &Kernel)
          U.set(Materialise(Op)); // B stands in a terminated block: everything
                                  // is known by now

  // Operations at the start: their results have been computed for all threads.
  if (Start.Op) {
    auto *Op = cast<Instruction>(Map[Start.Op]);
    IRBuilder<> Here(Op);
    if (!Op->getType()->isVoidTy()) {
      Value *Now = PoisonValue::get(Op->getType());
      auto *Struct = dyn_cast<StructType>(Op->getType());
      bool PerLane = Start.Kind == SplitKind::WarpOperation;
      for (unsigned I = 0; I != S.Results[K].size(); ++I) {
        Type *T = Struct ? Struct->getElementType(I) : Op->getType();
        Value *At = S.Results[K][I];
        if (PerLane)
          At = Here.CreateGEP(memoryType(T), At, S.Lane);
        Value *Member = loadAs(Here, T, At);
        Now = Struct ? Here.CreateInsertValue(Now, Member, I) : Member;
      }
      // The instruction in place of the operation, so that Map still leads to
      // one.
      Op->replaceAllUsesWith(Now);
      Map[Start.Op] = Now;
    } else
      Map[Start.Op] = nullptr;
    Op->eraseFromParent();
  }

  // Values that live in slots are stored where they are computed.
  for (unsigned I = 0; I != Values.slots().size(); ++I) {
    Instruction *V = Values.slots()[I].Value;
    if (!Map.count(V->getParent()) || !Map[V])
      continue;
    Value *Mapped = Map[V];
    auto *Def = dyn_cast<Instruction>(Mapped);
    BasicBlock *At = cast<BasicBlock>(Map[V->getParent()]);
    IRBuilder<> After(At, Def && !isa<PHINode>(Def) && Def->getParent() == At
                              ? std::next(Def->getIterator())
                              : At->getFirstInsertionPt());
    storeAs(After, Mapped, SlotPlace(After, I));
  }
  // Values that come from outside and are computed here, too.
  for (auto [V, Now] : Outside) {
    if (!Map.count(V->getParent()) || !Map[V])
      continue;
    Value *Def = Map[V];
    BasicBlock *DefBlock = cast<BasicBlock>(Map[V->getParent()]);
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

  // Deposits, special registers, shared memory, the identity of the thread.
  SmallVector<Instruction *, 32> All;
  for (Instruction &I : instructions(R))
    All.push_back(&I);
  for (Instruction *I : All) {
    for (Use &U : I->operands())
      if (auto *GV = dyn_cast<GlobalVariable>(U))
        for (unsigned N = 0; N != SharedVars.size(); ++N)
          if (SharedVars[N] == GV)
            U.set(S.Shared[N]);
    auto *Call = dyn_cast<CallInst>(I);
    if (!Call)
      continue;
    IRBuilder<> Here(Call);
    Function *Callee = Call->getCalledFunction();
    if (isSpecialRegister(*Call)) {
      if (Value *Special = specialRegister(*Call, S, Here)) {
        Call->replaceAllUsesWith(Special);
        Call->eraseFromParent();
      }
    } else if (Callee && Callee->getName().starts_with("rg.deposit.")) {
      unsigned J = 0;
      while (J != Points.size() &&
             !(Points.splits()[J].Deposit &&
               Map.lookup(Points.splits()[J].Deposit) == Call))
        ++J;
      assert(J != Points.size() && "deposit of no cut");
      bool Warp = Points.splits()[J].Kind == SplitKind::WarpOperation;
      for (unsigned N = 0; N != S.Deposits[J].size(); ++N)
        if (Value *At = S.Deposits[J][N]) {
          Value *V = Call->getArgOperand(N);
          storeAs(Here, V,
                  Here.CreateGEP(memoryType(V->getType()), At,
                                 leavesPerLane(Warp) ? S.Lane : S.Thread));
        }
      // Who has to come before the scheduler goes on; the first operand of
      // ".sync" operations.
      if (Warp &&
          Points.splits()[J].Op->getCalledFunction()->getName().contains(
              ".sync"))
        if (unsigned At = Callee->getName().contains(".redux.") ? 1 : 0;
            !isa<ConstantInt>(Points.splits()[J].Deposit->getArgOperand(At)))
          Here.CreateStore(
              Call->getArgOperand(At),
              Here.CreateGEP(Here.getInt32Ty(), S.WaitMask,
                             leavesPerLane(Warp) ? S.Lane : S.Thread));
      Call->eraseFromParent();
    } else if (Reads(*Call)) {
      // The runtime's record of who runs: written before anyone reads it.
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
      Here.CreateCall(Enter, Words);
    }
  }
  // Stack memory that moved has no lifetime any more.
  for (Instruction &I : make_early_inc_range(instructions(R)))
    if (I.isLifetimeStartOrEnd() &&
        !isa<AllocaInst>(
            cast<CallInst>(I).getArgOperand(cast<CallInst>(I).arg_size() - 1)))
      I.eraseFromParent();
  markParallel(*R, K);
  if (Options.SerialThreads)
    makeSharedAtomicsPlain(*R);
}

/// Threads of a block do not depend on each other between cuts: say so, for
/// vectorisation. Not of a region's own stack memory, which iterations share.
void Lowering::markParallel(Function &R, unsigned K) {
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
bool Lowering::mayLimitAll() const {
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
void Lowering::findActive(unsigned K) {
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

//===----------------------------------------------------------------------===//
// The block function
//===----------------------------------------------------------------------===//

Function *Lowering::helper(StringRef Name, Type *Ret, ArrayRef<Type *> Params) {
  return cast<Function>(
      M.getOrInsertFunction(Name, FunctionType::get(Ret, Params, false))
          .getCallee());
}

} // namespace

/// Set in the program counter of a thread that waits for its whole block.
static constexpr int Blocked = 1 << 30;

namespace {

/// Writes one block function. Row: blocks have one dimension.
struct BlockEmitter {
  Lowering &L;
  Function *F;
  bool Row;
  IRBuilder<> B;
  Type *I32, *I64, *Ptr;
  Surroundings S;
  Value *Launch, *First, *Last, *Scratch, *Threads = nullptr, *Padded = nullptr;
  Value *Counters = nullptr; ///< program counters, when threads can be apart
  AllocaInst *NextVar = nullptr, *FullVar = nullptr, *AliveVar = nullptr;
  AllocaInst *LowestVar = nullptr,
             *HighestVar = nullptr; ///< of the cuts that lanes go on at
  AllocaInst *FromVar[3] = {},
             *ToVar[3] =
                 {}; ///< the threads that the kernel's first guards let pass
  SmallVector<BasicBlock *, 8> State, Full, Part, Whole;
  BasicBlock *Done = nullptr, *Dispatch = nullptr, *GroupNext = nullptr,
             *Group = nullptr, *PhaseEnd = nullptr;
  Value *Base = nullptr, *GroupSize = nullptr;
  GlobalVariable *Masks = nullptr;
  /// Where the blocks of the call are one row of threads: the first and the
  /// last.
  Value *LineFrom = nullptr, *LineTo = nullptr;

  BlockEmitter(Lowering &L, Function *F, bool Row)
      : L(L), F(F), Row(Row), B(BasicBlock::Create(L.Ctx, "entry", F)),
        I32(B.getInt32Ty()), I64(B.getInt64Ty()), Ptr(B.getPtrTy()) {}

  ArrayRef<Split> splits() const { return L.Points.splits(); }
  BasicBlock *block(const Twine &Name) {
    return BasicBlock::Create(L.Ctx, Name, F);
  }
  AllocaInst *local(Type *T, const Twine &Name) {
    return new AllocaInst(T, 0, nullptr, L.DL.getPrefTypeAlign(T), Name,
                          F->getEntryBlock().begin());
  }
  Value *scratchAt(uint64_t Offset) {
    return B.CreateGEP(B.getInt8Ty(), Scratch,
                       B.CreateMul(Padded, B.getInt64(Offset)));
  }
  CallInst *call(StringRef Name, Type *Ret, ArrayRef<Value *> Args) {
    SmallVector<Type *, 8> Types;
    for (Value *V : Args)
      Types.push_back(V->getType());
    CallInst *Call = B.CreateCall(L.helper(Name, Ret, Types), Args);
    if (isLarge())
      Call->setIsNoInline();
    return Call;
  }
  void atBarrier(unsigned K) {
    if (!L.Options.checks() || splits()[K].Kind != SplitKind::BlockBarrier)
      return;
    if (Counters) // 0, or ended
      call("rg_cuda_check_divergence", B.getVoidTy(),
           {Counters, Threads,
            siteOf(L.M, splits()[K].Deposit ? splits()[K].Deposit
                                            : splits()[K].Op)});
    call("rg_cuda_check_barrier", B.getVoidTy(), {});
  }

  void run();
  void prologue();
  void emitLine();
  void blockIndex(Value *Number);
  Value *callRegion(unsigned K) { return callRegion(L.Regions[K]); }
  CallInst *callRegion(Function *Region);
  void goTo(unsigned K, Value *Next);
  // Together.
  void emitState(unsigned K);
  void threadLoops(Function *Region, unsigned K, bool Guarded,
                   BasicBlock *After,
                   const ActiveThreads::Bounds *Bounds = nullptr,
                   bool IsRare = false);
  bool maySpread() const;
  void spreadThreads(Function *Region, ArrayRef<Value *> First,
                     ArrayRef<Value *> Last, BasicBlock *After);
  void activeLoops(unsigned K, BasicBlock *After);
  void activeLoops(unsigned K, BasicBlock *After,
                   const ActiveThreads::Bounds &Bounds);
  void limitAll(BasicBlock *Otherwise);
  /// The threads that have not ended, along each axis, from (0) and up to (1).
  std::array<Value *, 3> limits(bool Up) {
    std::array<Value *, 3> Result;
    for (unsigned D = 0; D != 3; ++D)
      Result[D] = LineFrom && !D ? (Up ? LineTo : LineFrom)
                  : FromVar[D]
                      ? (Value *)B.CreateLoad(I32, Up ? ToVar[D] : FromVar[D])
                  : Up ? S.Ntid[D]
                       : B.getInt32(0);
    return Result;
  }
  /// Whether there is anybody within Bounds.
  Value *somebody(const ActiveThreads::Bounds &Bounds) {
    Value *Result = Bounds.Any ? Bounds.Any : B.getTrue();
    for (unsigned D = 0; D != 3; ++D)
      if (Bounds.From[D])
        Result =
            B.CreateAnd(Result, B.CreateICmpULT(Bounds.From[D], Bounds.To[D]));
    return Result;
  }
  ActiveThreads::Bounds boundsOf(unsigned K) {
    SmallVector<Value *, 32> Values;
    S.forEach([&](Value *&V) { Values.push_back(V); });
    return L.Active[K].Who->bounds(
        B, [&](const Argument *A) { return Values[A->getArgNo()]; },
        limits(false), limits(true));
  }
  // Apart.
  void emitMachine(BasicBlock *Start);
  void makeMasks();
  void emitPhaseEnd(BasicBlock *Phase);
  void emitInterleaved(Value *Block);
  void emitTogether(unsigned K, bool WholeBlock);
  void emitPart(unsigned K);
  void lanes(unsigned K, bool Guarded, bool StoreCounters, BasicBlock *After);
  const Value *maskOf(unsigned K) const;
  void goOn(unsigned J, bool WholeBlock);
  void goOnAt(unsigned K, Value *Next, bool WholeBlock, BasicBlock *Otherwise);
  void readUniform();
  bool runsAsBlock(unsigned K) const;
  /// Too many regions for copies of everything: compile time grows faster than
  /// they do.
  bool isLarge() const { return splits().size() > 16; }
  void warpOperation(unsigned K, Value *Active);
  void blockOperation(unsigned K, Value *Counters, Value *Wanted);
  /// Where all agree on what is asked, one thread answers.
  void beThread(Value *Number) {
    for (Value *&Index : S.Tid)
      Index = B.getInt32(0);
    S.Lane = B.getInt64(0), S.Thread = Number;
  }
  Value *counterAt(Value *Thread) { return B.CreateGEP(I32, Counters, Thread); }
  Value *encoded(unsigned K, Value *Next);
  bool onlyEnds(unsigned K) const {
    return L.Next[K].count() == 1 && L.Next[K].test(L.Points.exitBit());
  }
  /// The one cut that region K leads to, or -1.
  int onlyNext(unsigned K) const {
    return L.Next[K].count() == 1 && !L.Next[K].test(L.Points.exitBit())
               ? int(L.Next[K].find_first())
               : -1;
  }
};

void BlockEmitter::prologue() {
  Value *Args = F->getArg(0);
  Launch = F->getArg(1), First = F->getArg(2), Last = F->getArg(3),
  Scratch = F->getArg(4);
  S.Dynamic = F->getArg(5);
  auto Word = [&](unsigned I) {
    return B.CreateLoad(I32, B.CreateConstInBoundsGEP1_32(I32, Launch, I));
  };
  for (unsigned I = 0; I != 3; ++I) {
    S.Nctaid[I] = Word(I);
    S.Ntid[I] = Row && I ? B.getInt32(1) : (Value *)Word(3 + I);
  }
  Value *Count = B.CreateMul(B.CreateMul(S.Ntid[0], S.Ntid[1]), S.Ntid[2]);
  Threads = B.CreateZExt(Count, I64, "threads");
  Padded = B.CreateAnd(B.CreateAdd(Threads, B.getInt64(63)), B.getInt64(~63ull),
                       "padded");

  for (Argument &A : L.Kernel.args()) {
    Value *At = B.CreateLoad(
        Ptr, B.CreateConstInBoundsGEP1_32(Ptr, Args, A.getArgNo()));
    S.Args.push_back(
        A.hasByValAttr() ? At : B.CreateLoad(A.getType(), At, A.getName()));
  }
  for (const Slot &Slot : L.Values.slots()) {
    Type *T = L.memoryType(Slot.Value->getType());
    S.SlotNow.push_back(nullptr);
    S.SlotAt.push_back(
        Slot.Uniform ? (Value *)local(T, Slot.Value->getName() + ".uniform")
                     : scratchAt(L.perThread(L.DL.getTypeAllocSize(T))));
  }
  for (AllocaInst *A : L.Values.memory())
    S.MemoryAt.push_back(scratchAt(L.perThread(
        alignTo(A->getAllocationSize(L.DL)->getFixedValue(), A->getAlign()))));
  for (GlobalVariable *GV : L.SharedVars) {
    Value *At = S.Dynamic;
    if (!GV->isDeclaration() && L.DL.getTypeAllocSize(GV->getValueType())) {
      AllocaInst *A = local(GV->getValueType(), GV->getName());
      A->setAlignment(std::max(GV->getAlign().valueOrOne(), Align(64)));
      At = A;
      if (any_of(L.M, [](const Function &F) {
            return F.getName().starts_with("llvm.nvvm.isspacep.");
          }))
        call("rg_cuda_shared_range", B.getVoidTy(),
             {B.getInt64(S.Shared.size()), At,
              B.getInt64(L.DL.getTypeAllocSize(GV->getValueType()))});
      if (L.Options.checks())
        call("rg_cuda_check_shared", B.getVoidTy(),
             {At, B.getInt64(L.DL.getTypeAllocSize(GV->getValueType()))});
    }
    S.Shared.push_back(
        B.CreateAddrSpaceCast(At, PointerType::get(L.Ctx, SharedSpace)));
  }
  S.WaitMask = L.Options.Interleave
                   ? scratchAt(L.perThread(4))
                   : local(ArrayType::get(I32, WarpSize), "wait.mask");
  for (const Split &Split : splits()) {
    auto &Deposits = S.Deposits.emplace_back();
    auto &Results = S.Results.emplace_back();
    if (!Split.Op || Split.Op->getType()->isVoidTy())
      continue;
    bool Warp = Split.Kind == SplitKind::WarpOperation;
    if (Split.Deposit)
      for (Value *V : Split.Deposit->args()) {
        Type *T = L.memoryType(V->getType());
        Deposits.push_back(
            isa<Constant>(V) ? nullptr
            : L.leavesPerLane(Warp)
                ? (Value *)local(ArrayType::get(T, WarpSize), "deposit")
                : scratchAt(L.perThread(L.DL.getTypeAllocSize(T))));
      }
    auto *Struct = dyn_cast<StructType>(Split.Op->getType());
    for (unsigned I = 0; I != (Struct ? 2 : 1); ++I) {
      Type *T = L.memoryType(Struct ? Struct->getElementType(I)
                                    : Split.Op->getType());
      Results.push_back(
          local(Warp ? ArrayType::get(T, WarpSize) : T, "result"));
    }
  }
}

void BlockEmitter::blockIndex(Value *Number) {
  Value *GX = B.CreateZExt(S.Nctaid[0], I64),
        *GY = B.CreateZExt(S.Nctaid[1], I64);
  Value *RowNumber = B.CreateUDiv(Number, GX);
  S.Ctaid[0] = B.CreateTrunc(B.CreateSub(Number, B.CreateMul(RowNumber, GX)),
                             I32, "block.x");
  Value *Plane = B.CreateUDiv(RowNumber, GY);
  S.Ctaid[1] = B.CreateTrunc(B.CreateSub(RowNumber, B.CreateMul(Plane, GY)),
                             I32, "block.y");
  S.Ctaid[2] = B.CreateTrunc(Plane, I32, "block.z");
}

CallInst *BlockEmitter::callRegion(Function *Region) {
  SmallVector<Value *, 32> Args;
  Surroundings Now = S;
  for (unsigned I = 0; I != Now.SlotAt.size(); ++I)
    if (L.Values.slots()[I].Uniform)
      Now.SlotNow[I] = S.SlotNow[I];
  Now.forEach([&](Value *&V) { Args.push_back(V); });
  return B.CreateCall(Region, Args);
}

/// Branches to the state that Next says, among those that region K can lead to.
void BlockEmitter::goTo(unsigned K, Value *Next) {
  if (onlyEnds(K) || L.Next[K].none()) {
    B.CreateBr(Done);
    return;
  }
  if (int J = onlyNext(K); J >= 0) {
    B.CreateBr(State[J]);
    return;
  }
  SwitchInst *Switch = nullptr;
  for (unsigned J : L.Next[K].set_bits()) {
    if (J == L.Points.exitBit())
      continue;
    if (!Switch)
      Switch = B.CreateSwitch(
          Next, L.Next[K].test(L.Points.exitBit()) ? Done : State[J]);
    Switch->addCase(cast<ConstantInt>(B.getInt32(J)), State[J]);
  }
}

/// Region K by those who have something to do in it.
void BlockEmitter::activeLoops(unsigned K, BasicBlock *After) {
  const auto &[Active, Limited, Within] = L.Active[K];
  if (!Active)
    return threadLoops(L.Regions[K], K, /*Guarded=*/false, After);
  ActiveThreads::Bounds Bounds = boundsOf(K);
  if (auto *Exact = dyn_cast<ConstantInt>(Bounds.Exact);
      !Exact || Exact->isZero()) {
    BasicBlock *Some = block("active." + Twine(K)),
               *All = block("wrapping." + Twine(K));
    B.CreateCondBr(Bounds.Exact, Some, All);
    B.SetInsertPoint(All);
    threadLoops(L.Regions[K], K, /*Guarded=*/false, After, nullptr,
                /*IsRare=*/!Exact);
    B.SetInsertPoint(Some);
  }
  activeLoops(K, After, Bounds);
}

/// The same where the bounds hold.
void BlockEmitter::activeLoops(unsigned K, BasicBlock *After,
                               const ActiveThreads::Bounds &Bounds) {
  const auto &[Active, Limited, Within] = L.Active[K];
  if (Within) {
    BasicBlock *Inner = block("within." + Twine(K)),
               *Outer = block("edge." + Twine(K));
    B.CreateCondBr(Bounds.Inner, Inner, Outer);
    B.SetInsertPoint(Inner);
    threadLoops(Within, K, /*Guarded=*/false, After, &Bounds);
    B.SetInsertPoint(Outer);
  }
  threadLoops(Limited, K, /*Guarded=*/false, After, &Bounds);
}

/// The first region, where its guards say for the whole kernel who has
/// something to do: those run it and go on. Where they do not (an index wraps
/// around), control goes to Otherwise, and threads end one by one.
void BlockEmitter::limitAll(BasicBlock *Otherwise) {
  BasicBlock *Exact = block("limited"), *Run = block("limited.run"),
             *After = block("limited.end");
  B.CreateStore(B.getTrue(), FullVar);
  for (unsigned D = 0; D != 3; ++D) {
    B.CreateStore(B.getInt32(0), FromVar[D]);
    B.CreateStore(S.Ntid[D], ToVar[D]);
  }
  ActiveThreads::Bounds Bounds = boundsOf(0);
  B.CreateCondBr(Bounds.Exact, Exact, Otherwise);
  B.SetInsertPoint(Exact);
  for (unsigned D = 0; D != 3; ++D)
    if (Bounds.From[D]) {
      B.CreateStore(Bounds.From[D], FromVar[D]);
      B.CreateStore(Bounds.To[D], ToVar[D]);
    }
  B.CreateCondBr(somebody(Bounds), Run, Done);
  B.SetInsertPoint(Run);
  activeLoops(0, After, Bounds);
  B.CreateBr(State[L.Next[0].find_first()]);
}

/// Loops over the threads of the block, or those within Bounds. IsRare: not
/// worth a copy of the region.
void BlockEmitter::threadLoops(Function *Region, unsigned K, bool Guarded,
                               BasicBlock *After,
                               const ActiveThreads::Bounds *Bounds,
                               bool IsRare) {
  // Within bounds all go the same way.
  bool CanEnd = !Bounds && L.Next[K].test(L.Points.exitBit()) &&
                L.Points.agreement() == Agreement::ExitOnly && !onlyEnds(K);
  BasicBlock *Head[3], *Latch[3];
  PHINode *Index[3];
  static constexpr StringRef Axes[] = {"x", "y", "z"};
  for (int D = 2; D >= 0; --D) {
    Head[D] = block("thread." + Axes[D]);
    Latch[D] = block("latch." + Axes[D]);
  }
  std::array<Value *, 3> First = limits(false), Last = limits(true);
  for (unsigned D = 0; Bounds && D != 3; ++D)
    if (Bounds->From[D])
      First[D] = Bounds->From[D], Last[D] = Bounds->To[D];
  Value *Somebody = Bounds ? somebody(*Bounds) : B.getTrue();
  if (!Guarded && !CanEnd && !IsRare && (Bounds || L.Next[K].count() <= 1) &&
      maySpread()) {
    BasicBlock *Some = block("spread." + Twine(K));
    B.CreateCondBr(Somebody, Some, After);
    B.SetInsertPoint(Some);
    return spreadThreads(Region, First, Last, After);
  }
  for (int D = 2; D >= 0; --D) {
    BasicBlock *Before = B.GetInsertBlock();
    if (D == 2 && Somebody != B.getTrue())
      B.CreateCondBr(Somebody, Head[D], After);
    else
      B.CreateBr(Head[D]);
    B.SetInsertPoint(Head[D]);
    Index[D] = B.CreatePHI(I32, 2, "tid." + Axes[D]);
    Index[D]->addIncoming(First[D], Before);
  }
  for (unsigned D = 0; D != 3; ++D)
    S.Tid[D] = Index[D];
  Value *RowStart = B.CreateMul(
      B.CreateAdd(B.CreateMul(Index[2], S.Ntid[1]), Index[1]), S.Ntid[0]);
  S.Thread = B.CreateAdd(B.CreateZExt(RowStart, I64),
                         B.CreateZExt(Index[0], I64), "thread", true, true);
  S.Lane = S.Thread;
  if (Guarded) {
    BasicBlock *Alive = block("alive");
    B.CreateCondBr(
        B.CreateICmpEQ(B.CreateLoad(I32, counterAt(S.Thread)), B.getInt32(0)),
        Alive, Latch[0]);
    B.SetInsertPoint(Alive);
  }
  CallInst *Next = callRegion(Region);
  if (IsRare)
    Next->setIsNoInline();
  if (CanEnd) {
    Value *Lives = B.CreateICmpNE(Next, B.getInt32(Ended));
    StoreInst *Store =
        B.CreateStore(B.CreateSelect(Lives, B.getInt32(0), B.getInt32(Ended)),
                      counterAt(S.Thread));
    if (MDNode *Group = L.AccessGroups[K])
      Store->setMetadata(LLVMContext::MD_access_group, Group);
    B.CreateStore(
        B.CreateAdd(B.CreateLoad(I64, AliveVar), B.CreateZExt(Lives, I64)),
        AliveVar);
    B.CreateStore(B.CreateSelect(Lives, Next, B.CreateLoad(I32, NextVar)),
                  NextVar);
  } else if (!Bounds && L.Next[K].count() > 1)
    B.CreateStore(Next, NextVar);
  B.CreateBr(Latch[0]);
  for (unsigned D = 0; D != 3; ++D) {
    B.SetInsertPoint(Latch[D]);
    Value *More = B.CreateAdd(Index[D], B.getInt32(1), "", true, true);
    Index[D]->addIncoming(More, Latch[D]);
    Instruction *Br = B.CreateCondBr(B.CreateICmpULT(More, Last[D]), Head[D],
                                     D == 2 ? After : Latch[D + 1]);
    SmallVector<Metadata *, 5> Facts{
        nullptr,
        MDNode::get(L.Ctx, MDString::get(L.Ctx, "llvm.loop.mustprogress"))};
    if (D == 2) // few blocks have more than one plane
      Facts.push_back(
          MDNode::get(L.Ctx, MDString::get(L.Ctx, "llvm.loop.unroll.disable")));
    if (D == 0 && !LineFrom) {
      // Rows of a block are often as short as one vector or two.
      Facts.push_back(MDNode::get(
          L.Ctx, {MDString::get(L.Ctx, "llvm.loop.interleave.count"),
                  ConstantAsMetadata::get(B.getInt32(1))}));
      // What is left of a row after whole vectors is long in comparison: masks,
      // where there are any.
      if (FromVar[0] || (Bounds && Bounds->To[0]))
        Facts.push_back(MDNode::get(
            L.Ctx,
            {MDString::get(L.Ctx, "llvm.loop.vectorize.predicate.enable"),
             ConstantAsMetadata::get(B.getTrue())}));
    }
    if (MDNode *Group = L.AccessGroups[K])
      Facts.push_back(MDNode::get(
          L.Ctx, {MDString::get(L.Ctx, "llvm.loop.parallel_accesses"), Group}));
    MDNode *Id = MDNode::getDistinct(L.Ctx, Facts);
    Id->replaceOperandWith(0, Id);
    Br->setMetadata(LLVMContext::MD_loop, Id);
  }
  B.SetInsertPoint(After);
}

/// Whether several threads of the machine may run the threads of the block, if
/// the user wants it: whoever asks whose memory an address is, or names shared
/// variables outside of the kernel, goes by the machine's thread.
bool BlockEmitter::maySpread() const {
  if (L.Options.SerialThreads || L.Options.checks() || L.usesMachine() ||
      LineFrom)
    return false;
  for (const Function &G : L.M)
    if (G.getName().starts_with("llvm.nvvm.isspacep.") ||
        G.getName() == "rg_cuda_dynamic_size")
      return false;
  return all_of(L.SharedVars, [&](const GlobalVariable *GV) {
    return all_of(GV->users(), [&](const User *U) {
      auto *I = dyn_cast<Instruction>(U);
      return I && (I->getFunction() == &L.Kernel ||
                   is_contained(L.Regions, I->getFunction()));
    });
  });
}

/// The threads from First to Last run Region, a share of them on each thread of
/// the machine: all that a region reads goes into a record, and a function of
/// its own runs the threads of a share.
void BlockEmitter::spreadThreads(Function *Region, ArrayRef<Value *> First,
                                 ArrayRef<Value *> Last, BasicBlock *After) {
  Value *Size[3];
  for (unsigned D = 0; D != 3; ++D)
    Size[D] = B.CreateZExt(B.CreateSub(Last[D], First[D]), I64);
  beThread(B.getInt64(0)); // whoever it is says the share
  SmallVector<Value *, 32> Fields;
  S.forEach([&](Value *&V) {
    bool Shared =
        V->getType()->isPointerTy() && V->getType()->getPointerAddressSpace();
    Fields.push_back(Shared ? B.CreateAddrSpaceCast(V, Ptr) : V);
  });
  append_range(Fields, First);
  Fields.push_back(Size[0]);
  Fields.push_back(Size[1]);
  SmallVector<Type *, 32> Types;
  for (Value *V : Fields)
    Types.push_back(V->getType());
  StructType *RecordType = StructType::get(L.Ctx, Types);
  AllocaInst *Record = local(RecordType, "share");
  for (auto [I, V] : enumerate(Fields))
    B.CreateStore(V, B.CreateStructGEP(RecordType, Record, I));

  Function *Share = Function::Create(
      FunctionType::get(B.getVoidTy(), {Ptr, I64, I64}, false),
      GlobalValue::InternalLinkage, Region->getName() + ".share", L.M);
  Share->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> In(BasicBlock::Create(L.Ctx, "entry", Share));
  SmallVector<Value *, 32> Read;
  for (unsigned I = 0; I != Fields.size(); ++I)
    Read.push_back(In.CreateLoad(
        Types[I], In.CreateStructGEP(RecordType, Share->getArg(0), I)));
  Surroundings Inside = S;
  unsigned Number = 0;
  Inside.forEach([&](Value *&V) {
    Value *New = Read[Number++];
    V = New->getType() == V->getType()
            ? New
            : In.CreateAddrSpaceCast(New, V->getType());
  });
  ArrayRef<Value *> Bounds = ArrayRef(Read).take_back(5);
  BasicBlock *Entry = In.GetInsertBlock(),
             *Head = BasicBlock::Create(L.Ctx, "thread", Share),
             *End = BasicBlock::Create(L.Ctx, "end", Share);
  In.CreateBr(Head);
  In.SetInsertPoint(Head);
  PHINode *Index = In.CreatePHI(I64, 2, "index");
  Index->addIncoming(Share->getArg(1), Entry);
  Value *Row = In.CreateUDiv(Index, Bounds[3]),
        *Plane = In.CreateUDiv(Row, Bounds[4]);
  Value *At[] = {In.CreateURem(Index, Bounds[3]), In.CreateURem(Row, Bounds[4]),
                 Plane};
  for (unsigned D = 0; D != 3; ++D)
    Inside.Tid[D] = In.CreateAdd(Bounds[D], In.CreateTrunc(At[D], I32));
  Value *RowStart = In.CreateMul(
      In.CreateAdd(In.CreateMul(Inside.Tid[2], Inside.Ntid[1]), Inside.Tid[1]),
      Inside.Ntid[0]);
  Inside.Thread = Inside.Lane = In.CreateAdd(In.CreateZExt(RowStart, I64),
                                             In.CreateZExt(Inside.Tid[0], I64));
  SmallVector<Value *, 32> Args;
  Inside.forEach([&](Value *&V) { Args.push_back(V); });
  In.CreateCall(Region, Args);
  Value *More = In.CreateAdd(Index, In.getInt64(1));
  Index->addIncoming(More, Head);
  In.CreateCondBr(In.CreateICmpSLT(More, Share->getArg(2)), Head, End);
  In.SetInsertPoint(End);
  In.CreateRetVoid();

  call("rg_cuda_share_threads", B.getVoidTy(),
       {Share, Record, B.CreateMul(B.CreateMul(Size[0], Size[1]), Size[2])});
  B.CreateBr(After);
  B.SetInsertPoint(After);
}

void BlockEmitter::readUniform() {
  for (unsigned I = 0; I != S.SlotAt.size(); ++I)
    if (L.Values.slots()[I].Uniform)
      S.SlotNow[I] =
          L.loadAs(B, L.Values.slots()[I].Value->getType(), S.SlotAt[I]);
}

void BlockEmitter::emitState(unsigned K) {
  B.SetInsertPoint(State[K]);
  atBarrier(K);
  readUniform();
  if (splits()[K].Kind == SplitKind::UniformBranch) {
    beThread(B.getInt64(0));
    goTo(K, callRegion(K));
    return;
  }
  if (splits()[K].Op && !splits()[K].Op->getType()->isVoidTy())
    blockOperation(K, Counters ? Counters : Constant::getNullValue(Ptr),
                   B.getInt32(0));
  BasicBlock *After = block("after." + Twine(K));
  bool CanEnd = L.Next[K].test(L.Points.exitBit()) && Counters && !onlyEnds(K);
  if (K == 0 && L.LimitsAll) {
    BasicBlock *OneByOne = block("one.by.one");
    limitAll(OneByOne);
    B.SetInsertPoint(OneByOne);
  }
  if (K == 0 && Counters) {
    call("rg_fill", B.getVoidTy(), {Counters, B.getInt32(0), Threads});
    B.CreateStore(B.getTrue(), FullVar);
  }
  if (CanEnd)
    B.CreateStore(B.getInt64(0), AliveVar);
  if (Counters && K) { // at the entry all are alive
    BasicBlock *All = block("all." + Twine(K)),
               *Some = block("some." + Twine(K));
    B.CreateCondBr(B.CreateLoad(B.getInt1Ty(), FullVar), All, Some);
    B.SetInsertPoint(Some);
    threadLoops(L.Regions[K], K, /*Guarded=*/true, After);
    B.SetInsertPoint(All);
  }
  if (K == 0 && L.LimitsAll)
    threadLoops(L.Regions[0], 0, /*Guarded=*/false, After, nullptr,
                /*IsRare=*/true);
  else
    activeLoops(K, After);
  B.SetInsertPoint(After);
  if (CanEnd) {
    Value *Alive = B.CreateLoad(I64, AliveVar);
    B.CreateStore(B.CreateICmpEQ(Alive, Threads), FullVar);
    BasicBlock *Some = block("alive." + Twine(K));
    B.CreateCondBr(B.CreateICmpEQ(Alive, B.getInt64(0)), Done, Some);
    B.SetInsertPoint(Some);
  }
  goTo(K,
       L.Next[K].count() > 1 ? (Value *)B.CreateLoad(I32, NextVar) : nullptr);
}

/// The name of the library's routine for an operation:
/// llvm.nvvm.shfl.sync.down.i32 -> rg_warp_shfl_sync_down_i32, rg.least ->
/// rg_block_least.
static std::string helperName(StringRef Family, const CallInst &Op) {
  StringRef Name = Op.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    Name.consume_front("rg.");
  SmallString<64> Text(Family);
  for (char C : Name)
    Text += C == '.' ? '_' : C;
  StringRef Result = Text;
  if (Family == "rg_block_") { // as the library's one routine serves all forms
    Result.consume_back("_all");
    Result.consume_back("_aligned");
  }
  return Result.str();
}

/// Computes the result of the operation at cut K, once for the block.
void BlockEmitter::blockOperation(unsigned K, Value *Counters, Value *Wanted) {
  const Split &Split = splits()[K];
  // Operands: the barrier's number, the predicate; or what LeastOfBlock
  // compares.
  Value *At = S.Deposits[K].back();
  Value *Step = B.getInt64(1);
  if (!At) {
    Value *Constant =
        Split.Deposit->getArgOperand(Split.Deposit->arg_size() - 1);
    At = local(L.memoryType(Constant->getType()), "operand");
    L.storeAs(B, Constant, At);
    Step = B.getInt64(0);
  }
  Value *Found = call(helperName("rg_block_", *Split.Op), I32,
                      {At, Step, Counters, Wanted, Threads});
  Type *T = Split.Op->getType();
  L.storeAs(B, T->isIntegerTy(1) ? B.CreateICmpNE(Found, B.getInt32(0)) : Found,
            S.Results[K][0]);
}

void BlockEmitter::warpOperation(unsigned K, Value *Active) {
  const Split &Split = splits()[K];
  if (L.Options.checks())
    call("rg_cuda_check_warp", B.getVoidTy(), {Base});
  if (Split.Op->getType()->isVoidTy())
    return;
  SmallVector<Value *, 8> Args{Active};
  for (unsigned I = 0; I != S.Deposits[K].size(); ++I) {
    Value *At = S.Deposits[K][I];
    Value *Operand = Split.Deposit->getArgOperand(I);
    Type *T = L.memoryType(Operand->getType());
    if (!At) {
      At = local(T, "operand");
      L.storeAs(B, Operand, At);
    } else if (!L.leavesPerLane(true))
      At = B.CreateGEP(T, At, Base);
    Args.push_back(At);
    Args.push_back(B.getInt64(S.Deposits[K][I] ? 1 : 0));
  }
  for (Value *At : S.Results[K])
    Args.push_back(At);
  call(helperName("rg_warp_", *Split.Op), B.getVoidTy(), Args);
}

/// What the program counter says when region K returned Next.
Value *BlockEmitter::encoded(unsigned K, Value *Next) {
  bool SomeBlock = false, SomeNot = false;
  for (unsigned J : L.Next[K].set_bits())
    if (J != L.Points.exitBit())
      (splits()[J].Kind == SplitKind::BlockBarrier ? SomeBlock : SomeNot) =
          true;
  if (!SomeBlock)
    return Next;
  Value *Waits = B.CreateICmpNE(Next, B.getInt32(Ended));
  if (SomeNot) {
    Waits = B.getFalse();
    for (unsigned J : L.Next[K].set_bits())
      if (J != L.Points.exitBit() &&
          splits()[J].Kind == SplitKind::BlockBarrier)
        Waits = B.CreateOr(Waits, B.CreateICmpEQ(Next, B.getInt32(J)));
  }
  return B.CreateSelect(Waits, B.CreateOr(Next, Blocked), Next);
}

void BlockEmitter::lanes(unsigned K, bool Guarded, bool StoreCounters,
                         BasicBlock *After) {
  BasicBlock *From = B.GetInsertBlock(), *Head = block("lane"),
             *Latch = block("lane.latch");
  Value *Order = L.Options.Interleave
                     ? call("rg_cuda_order_lanes", Ptr, {GroupSize})
                     : nullptr;
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *Position = B.CreatePHI(I32, 2, "lane");
  Position->addIncoming(B.getInt32(0), From);
  Value *Lane = Position;
  if (Order)
    Lane = B.CreateLoad(I32, B.CreateGEP(I32, Order, Position));
  S.Lane = B.CreateZExt(Lane, I64);
  Value *Thread =
      B.CreateAdd(B.CreateTrunc(Base, I32), Lane, "thread", true, true);
  S.Thread = B.CreateZExt(Thread, I64);
  if (Row) {
    S.Tid[0] = Thread;
    S.Tid[1] = S.Tid[2] = B.getInt32(0);
  } else {
    Value *RowNumber = B.CreateUDiv(Thread, S.Ntid[0]);
    S.Tid[0] = B.CreateURem(Thread, S.Ntid[0]);
    S.Tid[1] = B.CreateURem(RowNumber, S.Ntid[1]);
    S.Tid[2] = B.CreateUDiv(RowNumber, S.Ntid[1]);
  }
  if (Guarded) {
    BasicBlock *Here = block("lane.here");
    B.CreateCondBr(
        B.CreateICmpEQ(B.CreateLoad(I32, counterAt(S.Thread)), B.getInt32(K)),
        Here, Latch);
    B.SetInsertPoint(Here);
  }
  CallInst *Next = callRegion(L.Regions[K]);
  if (Guarded && isLarge()) // lanes that are apart are the exception
    Next->setIsNoInline();
  if (!Guarded && StoreCounters)
    for (auto [Var, Kind] : {std::pair(LowestVar, Intrinsic::smin),
                             std::pair(HighestVar, Intrinsic::smax)})
      B.CreateStore(B.CreateBinaryIntrinsic(Kind, B.CreateLoad(I32, Var), Next),
                    Var);
  if (StoreCounters) {
    StoreInst *Store = B.CreateStore(encoded(K, Next), counterAt(S.Thread));
    if (MDNode *Group = L.AccessGroups[K])
      Store->setMetadata(LLVMContext::MD_access_group, Group);
  }
  B.CreateBr(Latch);
  B.SetInsertPoint(Latch);
  Value *More = B.CreateAdd(Position, B.getInt32(1), "", true, true);
  Position->addIncoming(More, Latch);
  Instruction *Br = B.CreateCondBr(
      B.CreateICmpULT(More, B.CreateTrunc(GroupSize, I32)), Head, After);
  SmallVector<Metadata *, 3> Facts{nullptr};
  Facts.push_back(
      MDNode::get(L.Ctx, MDString::get(L.Ctx, "llvm.loop.mustprogress")));
  if (isLarge())
    Facts.push_back(
        MDNode::get(L.Ctx, MDString::get(L.Ctx, "llvm.loop.unroll.disable")));
  if (MDNode *Group = L.AccessGroups[K])
    Facts.push_back(MDNode::get(
        L.Ctx, {MDString::get(L.Ctx, "llvm.loop.parallel_accesses"), Group}));
  MDNode *Id = MDNode::getDistinct(L.Ctx, Facts);
  Id->replaceOperandWith(0, Id);
  Br->setMetadata(LLVMContext::MD_loop, Id);
  B.SetInsertPoint(After);
}

/// Whether the threads of a block, when all are at cut K, can run its region
/// without regard to warps: lanes neither take the results of an operation of a
/// warp nor bring operands.
bool BlockEmitter::runsAsBlock(unsigned K) const {
  auto OfWarp = [&](unsigned J) {
    return J != L.Points.exitBit() &&
           splits()[J].Kind == SplitKind::WarpOperation;
  };
  return L.Points.hasWarpOperations() && !OfWarp(K) &&
         none_of(L.Next[K].set_bits(), OfWarp);
}

/// Region K where all threads of the group, or of the block, are at its start.
void BlockEmitter::emitTogether(unsigned K, bool WholeBlock) {
  SaveAndRestore Lanes(GroupSize, WholeBlock ? Threads : GroupSize);
  SaveAndRestore From(Base, WholeBlock ? B.getInt64(0) : Base);
  B.SetInsertPoint(WholeBlock ? Whole[K] : Full[K]);
  readUniform();
  if (splits()[K].Kind == SplitKind::UniformBranch &&
      L.Points.isReachedTogether(*splits()[K].Resume->getTerminator())) {
    beThread(Base);
    goOnAt(K, callRegion(K), WholeBlock, WholeBlock ? Group : Dispatch);
    return;
  }
  if (splits()[K].Kind == SplitKind::WarpOperation)
    warpOperation(K, call("rg_all_lanes", I32, {GroupSize}));
  BasicBlock *After = block("full.end." + Twine(K));
  bool Several = L.Next[K].count() > 1;
  if (Several) {
    B.CreateStore(B.getInt32(INT32_MAX), LowestVar);
    B.CreateStore(B.getInt32(INT32_MIN), HighestVar);
  }
  lanes(K, /*Guarded=*/false, /*StoreCounters=*/Several, After);
  if (!Several) {
    goOn(L.Next[K].any() ? L.Next[K].find_first() : L.Points.exitBit(),
         WholeBlock);
    return;
  }
  // Together still? Then there is nothing to schedule.
  BasicBlock *Same = block("same." + Twine(K)),
             *Apart = WholeBlock ? Group : Dispatch;
  Value *Next = B.CreateLoad(I32, LowestVar);
  B.CreateCondBr(B.CreateICmpEQ(Next, B.CreateLoad(I32, HighestVar)), Same,
                 Apart);
  B.SetInsertPoint(Same);
  goOnAt(K, Next, WholeBlock, Apart);
}

/// All threads of the group or the block go on where region K has led them,
/// Next.
void BlockEmitter::goOnAt(unsigned K, Value *Next, bool WholeBlock,
                          BasicBlock *Otherwise) {
  SwitchInst *Switch = B.CreateSwitch(Next, Otherwise, L.Next[K].count());
  for (unsigned J : L.Next[K].set_bits()) {
    bool Ends = J == L.Points.exitBit();
    BasicBlock *To = block("same." + Twine(K) + ".to");
    Switch->addCase(cast<ConstantInt>(B.getInt32(Ends ? Ended : int(J))), To);
    B.SetInsertPoint(To);
    goOn(J, WholeBlock);
  }
}

/// The lanes that the operation of a warp at cut K waits for; null where it
/// waits for none.
const Value *BlockEmitter::maskOf(unsigned K) const {
  const Split &Split = splits()[K];
  if (Split.Kind != SplitKind::WarpOperation || !Split.Deposit)
    return nullptr;
  StringRef Name = Split.Op->getCalledFunction()->getName();
  return Name.contains(".sync")
             ? Split.Deposit->getArgOperand(Name.contains(".redux.") ? 1 : 0)
             : nullptr;
}

/// All threads of the group or the block go on at cut J (or end), together.
void BlockEmitter::goOn(unsigned J, bool WholeBlock) {
  bool Ends = J == L.Points.exitBit(),
       Waits = !Ends && splits()[J].Kind == SplitKind::BlockBarrier;
  if (!Ends && !Waits && (!WholeBlock || Whole[J])) {
    if (const Value *Mask = maskOf(J); !Mask || isa<ConstantInt>(Mask)) {
      B.CreateBr(WholeBlock ? Whole[J] : Full[J]);
      return;
    }
    // Lanes in different rounds of a loop come to one place for different
    // operations.
    BasicBlock *Apart = block("apart." + Twine(J));
    B.CreateCondBr(
        B.CreateICmpNE(call("rg_alike", I32, {S.WaitMask, GroupSize}),
                       B.getInt32(0)),
        Full[J], Apart);
    B.SetInsertPoint(Apart);
    call("rg_fill", B.getVoidTy(), {counterAt(Base), B.getInt32(J), GroupSize});
    B.CreateBr(Dispatch);
    return;
  }
  int Counter = Ends ? Ended : Waits ? int(J) | Blocked : int(J);
  call("rg_fill", B.getVoidTy(),
       {counterAt(Base), B.getInt32(Counter), GroupSize});
  B.CreateBr(!WholeBlock ? GroupNext : Ends || Waits ? PhaseEnd : Group);
}

void BlockEmitter::emitPart(unsigned K) {
  B.SetInsertPoint(Part[K]);
  BasicBlock *Some = block("some." + Twine(K)),
             *After = block("some.end." + Twine(K));
  readUniform();
  Value *Here =
      call("rg_count", I64, {counterAt(Base), B.getInt32(K), GroupSize});
  B.CreateCondBr(B.CreateICmpEQ(Here, GroupSize), Full[K], Some);
  B.SetInsertPoint(Some);
  if (splits()[K].Kind == SplitKind::WarpOperation)
    warpOperation(K, call("rg_lanes_at", I32,
                          {counterAt(Base), B.getInt32(K), GroupSize}));
  lanes(K, /*Guarded=*/true, /*StoreCounters=*/true, After);
  B.CreateBr(Dispatch);
}

/// Per cut: the lanes that an operation waits for; 1 says that the lanes
/// themselves know, OfWarp that an operation of a warp waits for nobody.
void BlockEmitter::makeMasks() {
  constexpr uint64_t OfWarp = uint64_t(1) << 40; // runtime/device/order.c
  SmallVector<Constant *, 8> Table;
  for (unsigned K = 0; K != splits().size(); ++K) {
    const Value *Mask = maskOf(K);
    auto *C = dyn_cast_or_null<ConstantInt>(Mask);
    bool Alone = L.Options.Interleave &&
                 splits()[K].Kind == SplitKind::WarpOperation && !Mask;
    Table.push_back(B.getInt64(C       ? C->getZExtValue() << 1
                               : Mask  ? 1
                               : Alone ? OfWarp
                                       : 0));
  }
  auto *TableType = ArrayType::get(I64, Table.size());
  Masks = new GlobalVariable(L.M, TableType, true, GlobalValue::PrivateLinkage,
                             ConstantArray::get(TableType, Table), "rg.masks");
}

void BlockEmitter::emitMachine(BasicBlock *Start) {
  B.SetInsertPoint(Start);
  makeMasks();
  call("rg_fill", B.getVoidTy(), {Counters, B.getInt32(0), Threads});
  BasicBlock *Phase = block("phase"), *FirstOfGroup = block("group");
  Group = block("groups"), PhaseEnd = block("phase.end");
  Dispatch = block("dispatch");
  GroupNext = block("group.next");
  for (unsigned K = 0; K != splits().size(); ++K) {
    State.push_back(nullptr);
    Full.push_back(block("full." + Twine(K)));
    Part.push_back(block("part." + Twine(K)));
    Whole.push_back(runsAsBlock(K) ? block("whole." + Twine(K)) : nullptr);
  }
  B.CreateBr(Phase);
  B.SetInsertPoint(Phase);
  if (any_of(Whole, [](BasicBlock *BB) { return BB; })) {
    SwitchInst *Together =
        B.CreateSwitch(call("rg_common", I32, {Counters, Threads}), Group);
    for (unsigned K = 0; K != splits().size(); ++K)
      if (Whole[K] && (K == 0 || splits()[K].Kind == SplitKind::BlockBarrier))
        Together->addCase(cast<ConstantInt>(B.getInt32(K)), Whole[K]);
  } else
    B.CreateBr(Group);
  B.SetInsertPoint(Group);
  B.CreateBr(FirstOfGroup);
  B.SetInsertPoint(FirstOfGroup);
  PHINode *BasePhi = B.CreatePHI(I64, 2, "group.base");
  BasePhi->addIncoming(B.getInt64(0), Group);
  Base = BasePhi;
  Value *Left = B.CreateSub(Threads, Base);
  bool Warps = L.Points.hasWarpOperations();
  GroupSize = Warps
                  ? B.CreateSelect(B.CreateICmpULT(Left, B.getInt64(WarpSize)),
                                   Left, B.getInt64(WarpSize))
                  : Threads;
  B.CreateBr(Dispatch);
  B.SetInsertPoint(Dispatch);
  Value *Next =
      call("rg_schedule", I32, {counterAt(Base), GroupSize, Masks, S.WaitMask});
  SwitchInst *Switch = B.CreateSwitch(Next, GroupNext, splits().size());
  for (unsigned K = 0; K != splits().size(); ++K)
    Switch->addCase(cast<ConstantInt>(B.getInt32(K)), Part[K]);
  B.SetInsertPoint(GroupNext);
  Value *More = B.CreateAdd(Base, Warps ? B.getInt64(WarpSize) : Threads);
  BasePhi->addIncoming(More, GroupNext);
  B.CreateCondBr(B.CreateICmpULT(More, Threads), FirstOfGroup, PhaseEnd);
  emitPhaseEnd(Phase);
  for (unsigned K = 0; K != splits().size(); ++K) {
    emitPart(K);
    emitTogether(K, /*WholeBlock=*/false);
    if (Whole[K])
      emitTogether(K, /*WholeBlock=*/true);
  }
}

/// All threads of the block wait at barriers, or have ended.
void BlockEmitter::emitPhaseEnd(BasicBlock *Phase) {
  B.SetInsertPoint(PhaseEnd);
  if (L.Options.checks()) {
    SmallVector<Constant *, 8> Sites;
    for (const Split &Split : splits())
      Sites.push_back(cast<GlobalVariable>(
                          siteOf(L.M, Split.Deposit ? Split.Deposit : Split.Op))
                          ->getInitializer());
    auto *SitesType = ArrayType::get(Sites[0]->getType(), Sites.size());
    auto *SiteTable =
        new GlobalVariable(L.M, SitesType, true, GlobalValue::PrivateLinkage,
                           ConstantArray::get(SitesType, Sites), "rg.sites");
    call("rg_cuda_check_divergence", B.getVoidTy(),
         {Counters, Threads, SiteTable});
  }
  Value *Alive = call("rg_release", I64, {Counters, Threads});
  if (L.Options.checks())
    call("rg_cuda_check_barrier", B.getVoidTy(), {});
  for (unsigned K = 0; K != splits().size(); ++K)
    if (splits()[K].Kind == SplitKind::BlockBarrier &&
        !splits()[K].Op->getType()->isVoidTy())
      blockOperation(K, Counters, B.getInt32(K));
  B.CreateCondBr(B.CreateICmpNE(Alive, B.getInt64(0)), Phase, Done);
}

/// Warps take turns, a region of each at a time: in lock step, all lanes that
/// are furthest behind; else whom the order picks (runtime/cuda/Order.cpp).
void BlockEmitter::emitInterleaved(Value *Block) {
  makeMasks();
  call("rg_fill", B.getVoidTy(), {Counters, B.getInt32(0), Threads});
  // Whether a group goes on until all its lanes wait.
  Value *Stays =
      B.CreateICmpNE(call("rg_cuda_order_block", I32, {Block}), B.getInt32(0));
  BasicBlock *Phase = block("phase"), *Turn = block("turn"),
             *Someone = block("phase.turns");
  Dispatch = block("dispatch");
  GroupNext = block("group.next"), PhaseEnd = block("phase.end");
  for (unsigned K = 0; K != splits().size(); ++K)
    Part.push_back(block("part." + Twine(K)));
  B.CreateBr(Phase);
  B.SetInsertPoint(Phase);
  B.CreateBr(Turn);
  B.SetInsertPoint(Turn);
  Value *Size =
      L.Points.hasWarpOperations() ? (Value *)B.getInt64(WarpSize) : Threads;
  PHINode *At = B.CreatePHI(I64, 2, "turn");
  At->addIncoming(B.getInt64(0), Phase);
  Base = call("rg_cuda_order_group", I64, {At, Threads, Size});
  GroupSize = B.CreateBinaryIntrinsic(Intrinsic::umin, Size,
                                      B.CreateSub(Threads, Base));
  B.CreateBr(Dispatch);
  B.SetInsertPoint(Dispatch);
  SwitchInst *Switch =
      B.CreateSwitch(call("rg_order_schedule", I32,
                          {counterAt(Base), GroupSize, Masks,
                           B.CreateGEP(I32, S.WaitMask, Base), Base}),
                     GroupNext, splits().size());
  for (unsigned K = 0; K != splits().size(); ++K)
    Switch->addCase(cast<ConstantInt>(B.getInt32(K)), Part[K]);
  B.SetInsertPoint(GroupNext);
  Value *More = B.CreateAdd(At, Size);
  At->addIncoming(More, GroupNext);
  B.CreateCondBr(B.CreateICmpULT(More, Threads), Turn, Someone);
  B.SetInsertPoint(Someone);
  B.CreateCondBr(
      B.CreateICmpNE(call("rg_order_all_wait", I32, {Counters, Threads}),
                     B.getInt32(0)),
      PhaseEnd, Phase);
  emitPhaseEnd(Phase);
  for (unsigned K = 0; K != splits().size(); ++K) {
    B.SetInsertPoint(Part[K]);
    readUniform();
    if (splits()[K].Kind == SplitKind::WarpOperation)
      warpOperation(K, call("rg_lanes_at", I32,
                            {counterAt(Base), B.getInt32(K), GroupSize}));
    lanes(K, /*Guarded=*/true, /*StoreCounters=*/true,
          block("part.end." + Twine(K)));
    B.CreateCondBr(Stays, Dispatch, GroupNext);
  }
}

/// Where grid and block have one dimension, all threads of the blocks as one
/// loop.
void BlockEmitter::emitLine() {
  BasicBlock *Line = block("line"), *Blocks = block("blocks"),
             *End = block("line.end");
  Value *Fits = B.CreateICmpULE(
      B.CreateMul(B.CreateZExt(S.Nctaid[0], I64), B.CreateZExt(S.Ntid[0], I64)),
      B.getInt64(INT32_MAX));
  for (Value *One : {S.Nctaid[1], S.Nctaid[2], S.Ntid[1], S.Ntid[2]})
    Fits = B.CreateAnd(Fits, B.CreateICmpEQ(One, B.getInt32(1)));
  B.CreateCondBr(Fits, Line, Blocks);
  B.SetInsertPoint(Line);
  LineFrom = B.CreateTrunc(B.CreateMul(First, Threads), I32, "line.from");
  LineTo = B.CreateTrunc(B.CreateMul(Last, Threads), I32, "line.to");
  for (Value *&Index : S.Ctaid)
    Index = B.getInt32(0);
  activeLoops(0, End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  LineFrom = LineTo = nullptr;
  B.SetInsertPoint(Blocks);
}

void BlockEmitter::run() {
  prologue();
  if (L.isLine())
    emitLine();
  NextVar = local(I32, "next");
  FullVar = local(B.getInt1Ty(), "all.alive");
  AliveVar = local(I64, "alive");
  LowestVar = local(I32, "lowest"), HighestVar = local(I32, "highest");
  if (L.usesMachine() || L.Points.agreement() == Agreement::ExitOnly)
    Counters = scratchAt(L.perThread(4));
  BasicBlock *Entry = B.GetInsertBlock(), *Head = block("block"),
             *End = block("end");
  Done = block("block.done");
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *Number = B.CreatePHI(I64, 2, "block.number");
  Number->addIncoming(First, Entry);
  blockIndex(Number);
  if (L.Options.checks())
    call("rg_cuda_check_block", B.getVoidTy(), {Number});
  if (L.Options.Interleave) {
    emitInterleaved(Number);
  } else if (L.usesMachine()) {
    emitMachine(Head);
  } else {
    for (unsigned K = 0; K != splits().size(); ++K)
      State.push_back(block("state." + Twine(K)));
    for (unsigned D = 0; L.LimitsAll && D != 3; ++D)
      FromVar[D] = local(I32, "from"), ToVar[D] = local(I32, "to");
    B.CreateBr(State[0]);
    for (unsigned K = 0; K != splits().size(); ++K)
      emitState(K);
  }
  B.SetInsertPoint(Done);
  Value *More = B.CreateAdd(Number, B.getInt64(1));
  Number->addIncoming(More, Done);
  B.CreateCondBr(B.CreateICmpSLT(More, Last), Head, End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
}

void Lowering::makeBlocks() {
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx);
  FunctionType *FT = FunctionType::get(Type::getVoidTy(Ctx),
                                       {Ptr, Ptr, I64, I64, Ptr, Ptr}, false);
  auto Make = [&](const Twine &Name, bool Row) {
    Function *F = Function::Create(FT, GlobalValue::InternalLinkage, Name, M);
    F->addParamAttr(0, Attribute::NoAlias);
    F->addParamAttr(1, Attribute::NoAlias);
    F->addParamAttr(4, Attribute::NoAlias);
    F->addParamAttr(4, Attribute::getWithAlignment(Ctx, Align(64)));
    F->addParamAttr(5, Attribute::NoAlias);
    F->addParamAttr(5, Attribute::getWithAlignment(Ctx, Align(64)));
    F->addFnAttr(Attribute::NoUnwind);
    // A row of a block is too short to be worth a call of the C library.
    for (StringRef Name :
         {"no-builtin-memcpy", "no-builtin-memmove", "no-builtin-memset"})
      F->addFnAttr(Name);
    Result.ScratchPerThread = 0;
    BlockEmitter(*this, F, Row).run();
    return F;
  };
  if (!usesMachine() || Options.Interleave) {
    Blocks = Make("rg.kernel", false);
    return;
  }
  // Threads of a warp follow each other along x, where blocks have no other
  // dimension.
  Function *Row = Make("rg.kernel.row", true),
           *General = Make("rg.kernel.general", false);
  for (Function *F : {Row, General})
    F->setSubprogram(Kernel.getSubprogram() && F == Row ? Kernel.getSubprogram()
                                                        : F->getSubprogram());
  Blocks = Function::Create(FT, GlobalValue::InternalLinkage, "rg.kernel", M);
  IRBuilder<> B(BasicBlock::Create(Ctx, "entry", Blocks));
  auto Word = [&](unsigned I) {
    return B.CreateLoad(
        B.getInt32Ty(),
        B.CreateConstInBoundsGEP1_32(B.getInt32Ty(), Blocks->getArg(1), I));
  };
  Value *Flat = B.CreateAnd(B.CreateICmpEQ(Word(4), B.getInt32(1)),
                            B.CreateICmpEQ(Word(5), B.getInt32(1)));
  BasicBlock *IsRow = BasicBlock::Create(Ctx, "row", Blocks),
             *IsNot = BasicBlock::Create(Ctx, "general", Blocks);
  B.CreateCondBr(Flat, IsRow, IsNot);
  SmallVector<Value *, 6> Args;
  for (Argument &A : Blocks->args())
    Args.push_back(&A);
  for (auto [BB, F] : {std::pair(IsRow, Row), std::pair(IsNot, General)}) {
    B.SetInsertPoint(BB);
    B.CreateCall(F, Args);
    B.CreateRetVoid();
  }
}

LoweredKernel Lowering::run() {
  Result.Name = Kernel.getName().str();
  if (Kernel.hasFnAttribute("nvvm.maxntid")) {
    SmallVector<StringRef, 3> Parts;
    uint32_t Product = 1;
    Kernel.getFnAttribute("nvvm.maxntid").getValueAsString().split(Parts, ',');
    for (StringRef Part : Parts) {
      uint32_t N;
      if (!Part.trim().getAsInteger(10, N))
        Product *= N;
    }
    Result.MaxThreads = std::min<uint32_t>(Product, 1024);
  }
  Kernel.getFnAttribute(DynamicPartsAttribute)
      .getValueAsString()
      .getAsInteger(10, Result.DynamicParts);
  collectShared();
  Regions.resize(Points.size());
  AccessGroups.resize(Points.size());
  for (unsigned K = 0; K != Points.size(); ++K) {
    Next.push_back(Points.next(K));
    makeRegion(K);
    findActive(K);
  }
  makeBlocks();
  // Not before: the bounds of loops over threads are written from the guards
  // of the region as ActiveThreads found them.
  for (unsigned K = 0; K != Points.size(); ++K)
    for (Function *Region : {Regions[K], Active[K].Limited, Active[K].Within})
      if (Region)
        widenIndices(*Region, threadIndices(*Region));
  Result.Blocks = Blocks;
  DISubprogram *Lines = Kernel.getSubprogram();
  GlobalValue::LinkageTypes Linkage = Kernel.getLinkage();
  (void)Linkage;
  Kernel.deleteBody();
  Kernel.setSubprogram(nullptr);
  if (Lines && (!usesMachine() || Options.Interleave))
    Blocks->setSubprogram(Lines);
  Result.Blocks->takeName(&Kernel);
  return Result;
}

} // namespace

Constant *retrograd::siteOf(Module &M, const Instruction *I) {
  LLVMContext &Ctx = M.getContext();
  Type *I32 = Type::getInt32Ty(Ctx);
  const DILocation *Where = I ? I->getDebugLoc().get() : nullptr;
  // What headers of CUDA do for the user is told of where the user called them.
  while (Where && Where->getInlinedAt() &&
         (Where->getFilename().contains("__clang_cuda_") ||
          Where->getFilename().contains("retrograd/cuda/")))
    Where = Where->getInlinedAt();
  std::string File = Where ? Where->getFilename().str() : "";
  GlobalVariable *Text =
      M.getGlobalVariable("rg.file." + File, /*AllowInternal=*/true);
  if (!Text) {
    Constant *Bytes = ConstantDataArray::getString(Ctx, File);
    Text = new GlobalVariable(M, Bytes->getType(), true,
                              GlobalValue::PrivateLinkage, Bytes,
                              "rg.file." + File);
  }
  StructType *T = StructType::get(Ctx, {PointerType::get(Ctx, 0), I32, I32});
  Constant *Site = ConstantStruct::get(
      T, {Text, ConstantInt::get(I32, Where ? Where->getLine() : 0),
          ConstantInt::get(I32, Where ? Where->getColumn() : 0)});
  // One per place, so that each is told of once.
  std::string Name =
      ("rg.site." + File + ":" + Twine(Where ? Where->getLine() : 0) + ":" +
       Twine(Where ? Where->getColumn() : 0))
          .str();
  if (GlobalVariable *Known = M.getGlobalVariable(Name, /*AllowInternal=*/true))
    return Known;
  return new GlobalVariable(M, T, true, GlobalValue::PrivateLinkage, Site,
                            Name);
}

LoweredKernel retrograd::lowerKernel(
    Function &Kernel, function_ref<bool(const Value *)> IsUniform,
    ReadsThread Reads, const OffloadOptions &Options, DiagnosticEngine &Diags) {
  return Lowering(Kernel, IsUniform, Reads, Options, Diags).run();
}
