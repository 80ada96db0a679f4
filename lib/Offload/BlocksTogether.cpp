//===- BlocksTogether.cpp - blocks whose threads go the same way ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is a loop over the threads of the block, region follows region by
// the block's own control flow. Threads that have nothing to do in a region are
// not visited where their guards are comparisons of their indices
// (ActiveThreads.h).
//
//===----------------------------------------------------------------------===//

#include "Offload/BlockEmitter.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

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
    describeLoop(*Br, K, Facts);
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
