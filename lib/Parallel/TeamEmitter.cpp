//===- TeamEmitter.cpp - the derivative of a fork -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/TeamEmitter.h"
#include "Support/CallBinding.h"
#include "Support/DispatchMarks.h"
#include "Support/ReachMarks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

class Forker {
public:
  Forker(Function &D, Function *Sweep, const DerivativeRequest &R,
         const ProgramFacts &Facts, RuntimeLibrary &Runtime, bool InOrder)
      : D(D), Sweep(Sweep), R(R), Facts(Facts), Runtime(Runtime),
        InOrder(InOrder), M(*D.getParent()), B(D.getContext()) {}

  void run(SmallVectorImpl<Function *> &Made) {
    Team = declare(D.getFunctionType(), ".team");
    // Operands that are the forking thread's own: its arena, its tape.
    Own = R.Mode == DerivativeMode::Augment ? 1
          : R.Mode == DerivativeMode::Sweep ? 2
                                            : 0;
    SmallVector<Type *, 8> Types;
    for (Argument &A : drop_begin(D.args(), Own))
      Types.push_back(A.getType());
    Operands = StructType::get(D.getContext(), Types);
    const StringRef Starts =
        startsWork(*R.Primal) ? nameOf(bindingOf(*R.Primal)) : "";
    switch (R.Mode) {
    case DerivativeMode::Augment:
      Starts.empty() ? augment() : startAugment(Starts);
      break;
    case DerivativeMode::Sweep:
      Starts.empty() ? sweep() : finishSweep(Starts);
      break;
    default:
      Starts.empty() ? forward() : startForward(Starts);
    }
    Made.push_back(Team);
    for (Function *F : {Each, EachSweep})
      if (F) {
        F->addFnAttr(HandedToRuntime);
        Made.push_back(F);
      }
  }
  Function *team() const { return Team; }

private:
  Function &D;
  Function *Sweep;
  const DerivativeRequest &R;
  const ProgramFacts &Facts;
  RuntimeLibrary &Runtime;
  const bool InOrder;
  Module &M;
  IRBuilder<> B;
  Function *Team = nullptr, *Each = nullptr, *EachSweep = nullptr;
  StructType *Operands = nullptr;
  unsigned Own = 0;

  /// The routine that makes a sweep: of libomp's threads, or of ours.
  std::string teamRoutine(StringRef Sweep) const {
    return ((runsInPool(*R.Primal) ? "rg_pool_" : "rg_team_") + Sweep).str();
  }
  Function *declare(FunctionType *T, const Twine &Suffix) {
    Function *F = Function::Create(T, GlobalValue::InternalLinkage,
                                   D.getName() + Suffix, M);
    AttrBuilder Same(D.getContext(), D.getAttributes().getFnAttrs());
    F->addFnAttrs(Same);
    BasicBlock::Create(D.getContext(), "", F);
    return F;
  }
  /// A function for what each thread does: of `Pointers` pointers, the operands
  /// being number `At`.
  void beginEach(unsigned Pointers, unsigned At,
                 SmallVectorImpl<Value *> &Args) {
    SmallVector<Type *, 4> Params(Pointers, B.getPtrTy());
    Each = declare(FunctionType::get(B.getVoidTy(), Params, false), ".each");
    B.SetInsertPoint(&Each->getEntryBlock());
    for (unsigned I = 0; I != Operands->getNumElements(); ++I)
      Args.push_back(
          B.CreateLoad(Operands->getElementType(I),
                       B.CreateStructGEP(Operands, Each->getArg(At), I)));
  }
  /// In the function that forks: where its operands lie.
  Value *keepOperands() {
    B.SetInsertPoint(&Team->getEntryBlock());
    Value *All = B.CreateAlloca(Operands, nullptr, "operands");
    fill(All);
    return All;
  }
  void fill(Value *All) {
    for (unsigned I = 0; I != Operands->getNumElements(); ++I)
      B.CreateStore(Team->getArg(Own + I), B.CreateStructGEP(Operands, All, I));
  }

  /// What each thread does in the primal sweep: the augmented primal, whose
  /// tape it stores where its third argument points.
  void augmentEach() {
    SmallVector<Value *, 8> Args;
    beginEach(3, 1, Args);
    Args.insert(Args.begin(), Each->getArg(0));
    B.CreateStore(B.CreateExtractValue(B.CreateCall(&D, Args), 0),
                  Each->getArg(2));
    B.CreateRetVoid();
  }

  void askForOrder() {
    if (InOrder)
      B.CreateCall(Runtime.require("rg_inorder_ask"), {});
  }

  void augment() {
    augmentEach();
    Value *All = keepOperands();
    askForOrder();
    Value *Tape =
        B.CreateCall(Runtime.require(teamRoutine("augment")),
                     {Team->getArg(0), Team->getArg(Own), Each, All,
                      B.getInt32(numReaches(*Facts.preparedOf(R.Primal)))},
                     "team");
    B.CreateRet(
        B.CreateInsertValue(PoisonValue::get(Team->getReturnType()), Tape, 0));
  }

  /// Work that goes on by itself. Its reverse sweep is started by whoever waits
  /// for it, who knows the record alone: so that keeps the operands, and how to
  /// sweep. What the sweep needs is on the tape.
  void startAugment(StringRef Kind) {
    augmentEach();

    EachSweep = Function::Create(
        FunctionType::get(
            B.getVoidTy(),
            {B.getPtrTy(), B.getPtrTy(), B.getPtrTy(), B.getPtrTy()}, false),
        GlobalValue::InternalLinkage, Sweep->getName() + ".each", M);
    EachSweep->addFnAttrs(
        AttrBuilder(D.getContext(), Sweep->getAttributes().getFnAttrs()));
    B.SetInsertPoint(BasicBlock::Create(D.getContext(), "", EachSweep));
    B.CreateCall(Sweep, {EachSweep->getArg(0), EachSweep->getArg(2)});
    B.CreateRetVoid();

    B.SetInsertPoint(&Team->getEntryBlock());
    Value *All =
        B.CreateCall(Runtime.require("rg_tape_alloc"),
                     {Team->getArg(0),
                      B.getInt64(M.getDataLayout().getTypeAllocSize(Operands))},
                     "operands");
    fill(All);
    Value *Tape =
        B.CreateCall(Runtime.require(("rg_" + Kind + "_augment").str()),
                     {Team->getArg(0), Team->getArg(Own), Each, EachSweep, All,
                      B.getInt32(numReaches(*Facts.preparedOf(R.Primal)))},
                     "work");
    B.CreateRet(
        B.CreateInsertValue(PoisonValue::get(Team->getReturnType()), Tape, 0));
  }
  void finishSweep(StringRef Kind) {
    B.SetInsertPoint(&Team->getEntryBlock());
    B.CreateCall(Runtime.require(("rg_" + Kind + "_finish").str()),
                 {Team->getArg(1)});
    B.CreateRetVoid();
  }
  void startForward(StringRef Kind) {
    SmallVector<Value *, 8> Args;
    beginEach(1, 0, Args);
    B.CreateCall(&D, Args);
    B.CreateRetVoid();
    Value *All = keepOperands();
    B.CreateCall(Runtime.require(("rg_" + Kind + "_forward").str()),
                 {Team->getArg(0), Each, All,
                  B.getInt64(M.getDataLayout().getTypeAllocSize(Operands))});
    B.CreateRetVoid();
  }

  void sweep() {
    Type *Result = D.getReturnType();
    SmallVector<Value *, 8> Args;
    beginEach(4, 1, Args);
    Args.insert(Args.begin(), {Each->getArg(0), Each->getArg(2)});
    Value *Adjoints = B.CreateCall(&D, Args);
    if (!Result->isVoidTy())
      B.CreateStore(Adjoints, Each->getArg(3));
    B.CreateRetVoid();

    Value *All = keepOperands();
    Value *Sum = ConstantPointerNull::get(B.getPtrTy());
    uint64_t Bytes = 0;
    SmallVector<uint32_t, 4> Numbers;
    if (!Result->isVoidTy()) {
      Sum = B.CreateAlloca(Result, nullptr, "sum");
      B.CreateStore(Constant::getNullValue(Result), Sum);
      Bytes = M.getDataLayout().getTypeAllocSize(Result).getFixedValue();
      findNumbers(cast<StructType>(Result), Numbers);
    }
    Constant *Places =
        ConstantDataArray::get(D.getContext(), ArrayRef<uint32_t>(Numbers));
    auto *Table =
        new GlobalVariable(M, Places->getType(), /*isConstant=*/true,
                           GlobalValue::PrivateLinkage, Places, "rg.numbers");
    Table->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    B.CreateCall(Runtime.require(teamRoutine("reverse")),
                 {Team->getArg(1), Each, All, Sum, B.getInt64(Bytes), Table,
                  B.getInt32(Numbers.size())});
    if (Result->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(B.CreateLoad(Result, Sum));
  }

  /// Where doubles (4 * offset) and floats (4 * offset + 1) lie among the
  /// adjoints of what was passed by value.
  void findNumbers(StructType *Result, SmallVectorImpl<uint32_t> &Numbers) {
    const StructLayout *Layout = M.getDataLayout().getStructLayout(Result);
    const Function &Primal = *Facts.preparedOf(R.Primal);
    unsigned Member = 0;
    for (const Argument &A : Primal.args()) {
      if (R.Args[A.getArgNo()] != ArgActivity::Out)
        continue;
      for (unsigned Lane = 0; Lane != R.Width; ++Lane, ++Member) {
        uint64_t At = Layout->getElementOffset(Member).getFixedValue();
        for (const TypedLeaf &L : Facts.shape(&A).Floats)
          if (L.Kind.FP && (L.Kind.FP->isDoubleTy() || L.Kind.FP->isFloatTy()))
            for (uint64_t Byte = 0; Byte < L.Size;
                 Byte += L.Kind.FP->isDoubleTy() ? 8 : 4)
              Numbers.push_back(4 * (At + L.Offset + Byte) +
                                L.Kind.FP->isFloatTy());
      }
    }
  }

  void forward() {
    SmallVector<Value *, 8> Args;
    beginEach(1, 0, Args);
    B.CreateCall(&D, Args);
    B.CreateRetVoid();
    Value *All = keepOperands();
    askForOrder();
    B.CreateCall(Runtime.require(teamRoutine("forward")),
                 {Team->getArg(0), Each, All});
    B.CreateRetVoid();
  }
};

} // namespace

Function *retrograd::forkDerivative(Function &D, Function *Sweep,
                                    const DerivativeRequest &R,
                                    const ProgramFacts &Facts,
                                    RuntimeLibrary &Runtime, bool InOrder,
                                    SmallVectorImpl<Function *> &Made) {
  Forker F(D, Sweep, R, Facts, Runtime, InOrder);
  F.run(Made);
  return F.team();
}
