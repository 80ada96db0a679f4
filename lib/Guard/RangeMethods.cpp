//===- RangeMethods.cpp - loops over ranges that split themselves ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A static member of class templates with the arguments <range, body,
// partitioner>. The range says whether it is empty and whether it can be split,
// and has a constructor that takes a part of another range. The pieces are made
// first, in memory of malloc, by what the range says; then a team shares them
// out:
//
//   pieces = {range}; while some piece can be split: split it
//   rg.fork.method(threads, pieces, count, body, bodies)
//   for the bodies of the other threads: body.join(other)     of reductions
//
// Of a scan each thread's part is added up first, and then written with what
// the parts before it have added up to; its body is called with a piece and a
// tag.
//
// Bodies of loops may be copied. Bodies of reductions are split off, one for
// each thread but the first, and joined in the order of the threads.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/ParallelMethods.h"
#include "Guard/MethodSubstitute.h"
#include "llvm/IR/InstIterator.h"
#include <optional>

using namespace llvm;
using namespace retrograd;

/// Whether what a context is of has been cancelled.
static constexpr StringLiteral IsCancelled = "rg_pool_cancelled";

namespace {

/// An object that a parameter refers to.
struct Layout {
  uint64_t Size = 0;
  Align Alignment;
};
std::optional<Layout> layoutBehind(const Argument &A) {
  const uint64_t Bytes = A.getDereferenceableBytes();
  if (!A.getType()->isPointerTy() || !Bytes)
    return std::nullopt;
  const Align By = A.getParamAlign().valueOrOne();
  // Bytes may leave out padding at the end.
  return Layout{alignTo(Bytes, By), By};
}

/// Where the object that `this` is has the member that F uses first.
std::optional<uint64_t> firstMember(const Function &F) {
  const Argument &This = *F.getArg(0);
  const DataLayout &DL = F.getDataLayout();
  auto IsThis = [&](const Value *V) {
    if (V == &This)
      return true;
    const auto *L = dyn_cast<LoadInst>(V);
    const auto *Home =
        L ? dyn_cast<AllocaInst>(L->getPointerOperand()) : nullptr;
    return Home && any_of(Home->users(), [&](const User *U) {
             const auto *S = dyn_cast<StoreInst>(U);
             return S && S->getValueOperand() == &This;
           });
  };
  for (const Instruction &I : instructions(F))
    if (const auto *G = dyn_cast<GetElementPtrInst>(&I);
        G && IsThis(G->getPointerOperand())) {
      APInt Offset(64, 0);
      if (G->accumulateConstantOffset(DL, Offset))
        return Offset.getZExtValue();
    }
  return std::nullopt;
}

class RangeSubstitute : MethodSubstitute {
public:
  RangeSubstitute(Function &Method, const CxxName &Name,
                  const ParallelMethodRecord &Known, const CxxMembers &All)
      : MethodSubstitute(Method, All), Known(Known) {
    SmallVector<std::string, 3> Arguments = parts(Name.Class);
    if (Arguments.size() != 3)
      return;
    Range = Arguments[0];
    Body = Arguments[1];
    SplitAll = StringRef(Arguments[2]).contains(Known.SplitsAll);
  }
  /// Null if something that has to be known is not.
  Function *make();

private:
  const ParallelMethodRecord &Known;
  std::string Range, Body;
  bool SplitAll = false;

  Layout OfRange, OfBody, OfRunner;
  uint64_t BodyAt = 0;
  Function *IsEmpty = nullptr, *IsDivisible = nullptr, *Split = nullptr,
           *CopyRange = nullptr, *RunBody = nullptr, *CopyBody = nullptr,
           *DestroyBody = nullptr, *SplitBody = nullptr, *Join = nullptr,
           *Add = nullptr, *Write = nullptr, *Assign = nullptr;

  bool understand();
  Function *makeSpread();
  Function *makePiecesFork();
  Function *makeScanFork(Function &Call, bool Writes);
  uint64_t stride() const { return alignTo(OfBody.Size, 128); }
  bool isReduction() const {
    return Known.Kind == ParallelMethodKind::Reduction;
  }
  bool isScan() const { return Known.Kind == ParallelMethodKind::Scan; }
  /// By which the program may end the loop. Scans have none that is seen.
  bool hasContext() const { return Method.arg_size() == 4; }
};

} // namespace

/// What is needed of the range and the body, by the names that the library
/// asks them for.
bool RangeSubstitute::understand() {
  // A loop without a context makes one and calls the method that takes it.
  if (Range.empty() || Method.arg_size() != (isScan() ? 3 : 4))
    return false;
  std::optional<Layout> L = layoutBehind(*Method.getArg(0));
  std::optional<Layout> LB = layoutBehind(*Method.getArg(1));
  auto Any = [](StringRef) { return true; };
  auto IsSplit = [&](StringRef Of) {
    return [Of, Tag = (Known.SplitTag + ")").str()](StringRef Params) {
      return Params.consume_front("(") && Params.consume_front(Of) &&
             Params.consume_front("&, ") && Params.ends_with(Tag);
    };
  };
  auto IsCopy = [&](StringRef Of) {
    return [Of](StringRef Params) {
      return Params.consume_front("(") && Params.consume_front(Of) &&
             Params == " const&)";
    };
  };
  IsEmpty = All.find(Range, Known.IsEmpty, 1, Any);
  IsDivisible = All.find(Range, Known.IsDivisible, 1, Any);
  Split = All.find(Range, "", 2, IsSplit(Range));
  CopyRange = All.find(Range, "", 2, IsCopy(Range));
  if (!L || !LB || !IsEmpty || !IsDivisible || !Split || All.destructor(Range))
    return false;
  OfRange = *L;
  OfBody = *LB;
  // Pieces and bodies lie in memory of malloc.
  if (OfRange.Alignment > Align(16) || OfBody.Alignment > Align(16))
    return false;
  DestroyBody = All.destructor(Body);
  if (isScan()) {
    auto Tagged = [](StringRef Tag) {
      return [Tag = (Tag + ")").str()](StringRef Params) {
        return Params.ends_with(Tag);
      };
    };
    Add = All.find(Body, "operator()", 2, Tagged(Known.AddTag));
    Write = All.find(Body, "operator()", 2, Tagged(Known.WriteTag));
    SplitBody = All.find(Body, "", 2, IsSplit(Body));
    Join = All.find(Body, Known.Join, 2, Any);
    Assign = All.find(Body, Known.Assign, 2, Any);
    return Add && Write && SplitBody && Join && Assign;
  }
  // The same mangled name but for the member's.
  auto Mangled = [](StringRef Last) {
    return (Twine(Last.size()) + Last + "E").str();
  };
  auto [Prefix, Rest] = Method.getName().rsplit(Mangled(Known.Base));
  const std::string Member = (Prefix + Mangled(Known.RunBody)).str();
  for (Function &F : M)
    if (F.getName().starts_with(Member) && F.arg_size() == 2)
      RunBody = &F;
  if (!RunBody || RunBody->isDeclaration())
    return false;
  std::optional<Layout> LR = layoutBehind(*RunBody->getArg(0));
  std::optional<uint64_t> At = firstMember(*RunBody);
  if (!LR || !At)
    return false;
  OfRunner = *LR;
  BodyAt = *At;
  if (isReduction()) {
    SplitBody = All.find(Body, "", 2, IsSplit(Body));
    Join = All.find(Body, Known.Join, 2, Any);
    return SplitBody && Join;
  }
  CopyBody = All.find(Body, "", 2, IsCopy(Body));
  return CopyBody || !DestroyBody;
}

/// spread(pieces, count, to): each piece, or what it is split into, which uses
/// it up; returns how many there are then. A range is split once: its splitting
/// constructor may do work of its own (tbb::parallel_sort's does).
Function *RangeSubstitute::makeSpread() {
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  Function *F = function(L, {P, L, P}, "rg.spread.method");
  Value *Pieces = F->getArg(0), *Count = F->getArg(1), *To = F->getArg(2);
  AllocaInst *Next = B.CreateAlloca(L);
  B.CreateStore(B.getInt64(0), Next);
  loop(B.getInt64(0), Count, [&](Value *I) {
    Value *At = B.CreateLoad(L, Next);
    Value *Left = nth(To, OfRange.Size, At);
    Value *From = nth(Pieces, OfRange.Size, I);
    if (CopyRange)
      ask(*CopyRange, {Left, From});
    else
      B.CreateMemCpy(Left, OfRange.Alignment, From, OfRange.Alignment,
                     OfRange.Size);
    Value *Behind = B.CreateAdd(At, B.getInt64(1));
    B.CreateStore(Behind, Next);
    BasicBlock *Part = BasicBlock::Create(M.getContext(), "", F);
    BasicBlock *Done = BasicBlock::Create(M.getContext(), "", F);
    B.CreateCondBr(ask(*IsDivisible, {Left}), Part, Done);
    B.SetInsertPoint(Part);
    ask(*Split, {nth(To, OfRange.Size, Behind), Left});
    B.CreateStore(B.CreateAdd(Behind, B.getInt64(1)), Next);
    B.CreateBr(Done);
    B.SetInsertPoint(Done);
  });
  B.CreateRet(B.CreateLoad(L, Next));
  return F;
}

/// fork(threads, pieces, count, body, bodies[, context]): each thread runs the
/// body, or its own of the bodies, on its part of the pieces, until somebody
/// cancels what the context is of.
Function *RangeSubstitute::makePiecesFork() {
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  SmallVector<Type *, 5> Types{P, L, P, P};
  if (hasContext())
    Types.push_back(P);
  return makeFork(
      "method", Types, [](ArrayRef<Value *> Operands) { return Operands[1]; },
      [&](ArrayRef<Value *> Operands, Value *Number, Value *First,
          Value *Last) {
        Value *Pieces = Operands[0], *TheBody = Operands[2];
        AllocaInst *Runner =
            B.CreateAlloca(ArrayType::get(B.getInt8Ty(), OfRunner.Size));
        Runner->setAlignment(OfRunner.Alignment);
        Value *Member =
            B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Runner, BodyAt);
        if (isReduction())
          B.CreateStore(B.CreateSelect(B.CreateICmpEQ(Number, B.getInt64(0)),
                                       TheBody,
                                       nth(Operands[3], stride(), Number)),
                        Member);
        loop(First, Last, [&](Value *I) {
          BasicBlock *Behind = nullptr;
          if (hasContext()) {
            Function &F = *B.GetInsertBlock()->getParent();
            BasicBlock *Go = BasicBlock::Create(M.getContext(), "", &F);
            Behind = BasicBlock::Create(M.getContext(), "", &F);
            Value *Cancelled =
                routine(IsCancelled, B.getInt32Ty(), {Operands[4]});
            B.CreateCondBr(B.CreateICmpNE(Cancelled, B.getInt32(0)), Behind,
                           Go);
            B.SetInsertPoint(Go);
          }
          // Bodies of loops are copied: one may keep what only it uses in
          // itself.
          if (CopyBody)
            ask(*CopyBody, {Member, TheBody});
          else if (!isReduction())
            B.CreateMemCpy(Member, OfBody.Alignment, TheBody, OfBody.Alignment,
                           OfBody.Size);
          ask(*RunBody, {Runner, nth(Pieces, OfRange.Size, I)});
          if (!isReduction() && DestroyBody)
            ask(*DestroyBody, {Member});
          if (Behind) {
            B.CreateBr(Behind);
            B.SetInsertPoint(Behind);
          }
        });
      });
}

/// fork(threads, pieces, count, body, bodies): of a scan with several threads.
/// First, thread 0 writes its part, and the bodies of all but the last add up
/// theirs; then each but 0 writes with the body of the thread before it, which
/// by then knows what all parts before its own have added up to.
Function *RangeSubstitute::makeScanFork(Function &Call, bool Writes) {
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  return makeFork(
      "method", {P, L, P, P},
      [](ArrayRef<Value *> Operands) { return Operands[1]; },
      [&](ArrayRef<Value *> Operands, Value *Number, Value *First,
          Value *Last) {
        Function &F = *B.GetInsertBlock()->getParent();
        auto Block = [&] { return BasicBlock::Create(M.getContext(), "", &F); };
        Value *Pieces = Operands[0], *TheBody = Operands[2];
        BasicBlock *Go = Block(), *End = Block();
        Value *IsFirst = B.CreateICmpEQ(Number, B.getInt64(0));
        Value *Before =
            Writes ? B.CreateSub(Number, B.getInt64(1)) : (Value *)Number;
        Value *Mine =
            B.CreateSelect(B.CreateICmpEQ(Before, B.getInt64(0)), TheBody,
                           nth(Operands[3], stride(), Before));
        // Nothing for thread 0 to write, nor for the last one to add up.
        Value *Threads =
            B.CreateZExt(routine("rg_pool_threads", B.getInt32Ty(), {}), L);
        Value *IsLast =
            B.CreateICmpEQ(B.CreateAdd(Number, B.getInt64(1)), Threads);
        B.CreateCondBr(Writes ? IsFirst
                              : B.CreateAnd(IsLast, B.CreateNot(IsFirst)),
                       End, Go);
        B.SetInsertPoint(Go);
        if (!Writes) {
          BasicBlock *Write0 = Block(), *Others = Block();
          B.CreateCondBr(IsFirst, Write0, Others);
          B.SetInsertPoint(Write0);
          loop(First, Last, [&](Value *I) {
            ask(*Write, {Mine, nth(Pieces, OfRange.Size, I)});
          });
          B.CreateBr(End);
          B.SetInsertPoint(Others);
        }
        loop(First, Last, [&](Value *I) {
          ask(Call, {Mine, nth(Pieces, OfRange.Size, I)});
        });
        B.CreateBr(End);
        B.SetInsertPoint(End);
      });
}

Function *RangeSubstitute::make() {
  if (!understand())
    return nullptr;
  Type *P = B.getPtrTy(), *L = B.getInt64Ty(), *I = B.getInt32Ty();
  Function *Spread = makeSpread();
  Function *Fork = isScan() ? makeScanFork(*Add, false) : makePiecesFork();
  Function *WriteFork = isScan() ? makeScanFork(*Write, true) : nullptr;
  Function *F = begin();
  Value *TheRange = F->getArg(0), *TheBody = F->getArg(1);
  auto Block = [&] { return BasicBlock::Create(M.getContext(), "", F); };
  BasicBlock *Go = Block(), *End = Block();
  B.CreateCondBr(ask(*IsEmpty, {TheRange}), End, Go);
  B.SetInsertPoint(Go);
  Value *Threads = routine("rg_pool_size", I, {});
  Value *Depth = B.getInt64(64);
  if (!SplitAll) {
    // Some pieces per thread, for ranges whose parts are not alike in size.
    Value *Wanted = B.CreateShl(Threads, 2);
    Depth = B.CreateZExt(
        B.CreateSub(B.getInt32(32),
                    B.CreateBinaryIntrinsic(Intrinsic::ctlz,
                                            B.CreateSub(Wanted, B.getInt32(1)),
                                            B.getFalse())),
        L);
  }
  Value *None = ConstantPointerNull::get(B.getPtrTy());
  Value *Size = B.getInt64(OfRange.Size);
  auto Keep = [&](Type *T, Value *V) {
    IRBuilder<> Top(&F->getEntryBlock(), F->getEntryBlock().begin());
    AllocaInst *A = Top.CreateAlloca(T);
    B.CreateStore(V, A);
    return A;
  };
  Value *Whole = routine("malloc", P, {Size});
  if (CopyRange)
    ask(*CopyRange, {Whole, TheRange});
  else
    B.CreateMemCpy(Whole, OfRange.Alignment, TheRange, OfRange.Alignment,
                   OfRange.Size);
  AllocaInst *KeptPieces = Keep(P, Whole), *KeptCount = Keep(L, B.getInt64(1)),
             *Level = Keep(L, B.getInt64(0));
  BasicBlock *Head = Block(), *Inner = Block(), *Ready = Block();
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  Value *Now = B.CreateLoad(L, Level);
  B.CreateStore(B.CreateAdd(Now, B.getInt64(1)), Level);
  B.CreateCondBr(B.CreateICmpULT(Now, Depth), Inner, Ready);
  B.SetInsertPoint(Inner);
  Value *Before = B.CreateLoad(L, KeptCount),
        *Old = B.CreateLoad(P, KeptPieces);
  Value *New =
      routine("malloc", P, {B.CreateMul(B.CreateShl(Before, 1), Size)});
  Value *After = B.CreateCall(Spread, {Old, Before, New});
  routine("free", B.getVoidTy(), {Old});
  B.CreateStore(New, KeptPieces);
  B.CreateStore(After, KeptCount);
  B.CreateCondBr(B.CreateICmpEQ(After, Before), Ready, Head);
  B.SetInsertPoint(Ready);
  Value *Pieces = B.CreateLoad(P, KeptPieces),
        *Count = B.CreateLoad(L, KeptCount);
  Value *Used = B.CreateTrunc(
      B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateZExt(Threads, L), Count),
      I);
  Value *Bodies = None, *Ends = B.CreateZExt(Used, L);
  if (isReduction() || isScan()) {
    Bodies = routine("malloc", P, {B.CreateMul(Ends, B.getInt64(stride()))});
    loop(B.getInt64(1), Ends, [&](Value *I) {
      ask(*SplitBody, {nth(Bodies, stride(), I), TheBody});
    });
  }
  SmallVector<Value *, 6> Operands{Used, Pieces, Count, TheBody, Bodies};
  if (hasContext())
    Operands.push_back(F->getArg(3));
  B.CreateCall(Fork, Operands);
  if (isScan()) {
    // How much threads 0 to t have added up, in the body of t.
    Value *LastNumber = B.CreateSub(Ends, B.getInt64(1));
    auto BodyOf = [&](Value *T) {
      return B.CreateSelect(B.CreateICmpEQ(T, B.getInt64(0)), TheBody,
                            nth(Bodies, stride(), T));
    };
    loop(B.getInt64(1), LastNumber, [&](Value *T) {
      ask(*Join,
          {nth(Bodies, stride(), T), BodyOf(B.CreateSub(T, B.getInt64(1)))});
    });
    BasicBlock *Several = Block(), *Free = Block(), *Take = Block();
    B.CreateCondBr(B.CreateICmpUGT(Ends, B.getInt64(1)), Several, Free);
    B.SetInsertPoint(Several);
    B.CreateCall(WriteFork, Operands);
    B.CreateCondBr(B.CreateICmpUGT(Ends, B.getInt64(2)), Take, Free);
    B.SetInsertPoint(Take);
    ask(*Assign, {TheBody, nth(Bodies, stride(),
                               B.CreateSub(LastNumber, B.getInt64(1)))});
    B.CreateBr(Free);
    B.SetInsertPoint(Free);
    loop(B.getInt64(1), Ends, [&](Value *T) {
      if (DestroyBody)
        ask(*DestroyBody, {nth(Bodies, stride(), T)});
    });
    routine("free", B.getVoidTy(), {Bodies});
  }
  if (isReduction()) {
    loop(B.getInt64(1), Ends, [&](Value *I) {
      Value *Other = nth(Bodies, stride(), I);
      ask(*Join, {TheBody, Other});
      if (DestroyBody)
        ask(*DestroyBody, {Other});
    });
    routine("free", B.getVoidTy(), {Bodies});
  }
  routine("free", B.getVoidTy(), {Pieces});
  B.CreateBr(End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return F;
}

Function *retrograd::substituteOfRange(Function &Method, const CxxName &Name,
                                       const ParallelMethodRecord &Known,
                                       const CxxMembers &All) {
  return RangeSubstitute(Method, Name, Known, All).make();
}
