//===- BlockEmitter.cpp - writes the function that runs blocks ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both forms of blocks share: the parameters, the numbers of blocks and
// threads, calls of regions, and the answers of operations in which threads
// meet.
//
//===----------------------------------------------------------------------===//

#include "Offload/BlockEmitter.h"
#include "Offload/SharedWindow.h"
#include "Support/Kernels.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

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
    S.MemoryAt.push_back(scratchAt(L.perThread(L.bytesOf(*A))));
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

void BlockEmitter::describeLoop(Instruction &Back, unsigned K,
                                SmallVectorImpl<Metadata *> &Facts) {
  if (MDNode *Group = L.AccessGroups[K])
    Facts.push_back(MDNode::get(
        L.Ctx, {MDString::get(L.Ctx, "llvm.loop.parallel_accesses"), Group}));
  MDNode *Id = MDNode::getDistinct(L.Ctx, Facts);
  Id->replaceOperandWith(0, Id);
  Back.setMetadata(LLVMContext::MD_loop, Id);
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

void BlockEmitter::readUniform() {
  for (unsigned I = 0; I != S.SlotAt.size(); ++I)
    if (L.Values.slots()[I].Uniform)
      S.SlotNow[I] =
          L.loadAs(B, L.Values.slots()[I].Value->getType(), S.SlotAt[I]);
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
