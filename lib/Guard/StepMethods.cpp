//===- StepMethods.cpp - algorithms that are given their steps ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The standard library's algorithms with a policy are written in terms of a few
// function templates, which are given objects that do the algorithm's steps:
//
//   scan(policy, n, initial, reduce, combine, scan, apex)
//     reduce(i, length)           what a part of [0, n) adds up to
//     combine(a, b)               what two parts add up to
//     apex(sum)                   once, when all of it is known
//     scan(i, length, before)     writes a part, of which what is before it has
//                                 added up to `before`
//   whole(policy, operands..., step)
//     step(operands...)           does all of it: sorts or merges
//
// The library makes a tree of tasks of them. A substitute of a scan has two
// teams, each of whose threads has one part. Sorting and merging are one step:
// libraries do that themselves where there is little to do.
//
// Objects are passed by value, so the ABI decides how: not at all, if they are
// empty, in registers, or in memory. Where what was found does not account for
// all of the method's parameters, there is no substitute.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/ParallelMethods.h"
#include "Guard/MethodSubstitute.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// A function object that the method has by value.
struct Step {
  Function *Call = nullptr;
  unsigned From = 0, Count = 0; ///< which of the method's parameters
  bool InMemory = false;        ///< the one parameter is its address
  unsigned result() const { return Call->hasStructRetAttr(); }
  /// Behind the object itself.
  unsigned first() const { return result() + 1; }
  unsigned size() const { return Call->getParamDereferenceableBytes(result()); }
};

class StepSubstitute : MethodSubstitute {
public:
  StepSubstitute(Function &Method, const CxxName &Name, const CxxMembers &All)
      : MethodSubstitute(Method, All),
        // The arguments of the method's template.
        Classes(parts(StringRef(Name.Whole).substr(Name.Class.size() + 2))) {}
  /// Null if something that has to be known is not.
  Function *makeScan();
  Function *makeWhole();

private:
  const SmallVector<std::string, 3> Classes;

  bool find(Step &S, unsigned FromEnd);
  bool place(Step &S, unsigned &At);
  Value *object(const Step &S);

  Step Reduce, Combine, Scan, Apex;
  /// What parts add up to: Parts parameters from the method's third, Size
  /// bytes.
  unsigned Parts = 0;
  uint64_t Size = 0;
  bool InMemory = false;
  bool understandScan();
  uint64_t stride() const { return alignTo(Size, 64); }
  void give(Function &F, SmallVectorImpl<Value *> &Args, Value *Address);
  void call(const Step &S, Value *Object, ArrayRef<Value *> Numbers,
            ArrayRef<Value *> Sums, Value *Result);
  Value *room() {
    AllocaInst *Room = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), Size));
    Room->setAlignment(Align(16));
    return Room;
  }
};

} // namespace

/// The object's class is an argument of the method's template; it has one way
/// to be called.
bool StepSubstitute::find(Step &S, unsigned FromEnd) {
  if (Classes.size() < FromEnd)
    return false;
  bool Several = false;
  All.each(Classes[Classes.size() - FromEnd],
           [&](Function &F, const CxxName &N) {
             if (N.Base != "operator()")
               return;
             Several |= S.Call != nullptr;
             S.Call = &F;
           });
  return S.Call && !Several && S.Call->arg_size() >= S.first() && S.size();
}

/// Which of the method's parameters, from At, are the object.
bool StepSubstitute::place(Step &S, unsigned &At) {
  S.From = At;
  // An object of one byte is empty: classes of a flag are not met here.
  if (S.size() == 1 && !Triple(M.getTargetTriple()).isAArch64())
    return true;
  if (At >= Method.arg_size())
    return false;
  const Argument &A = *Method.getArg(At);
  const TypeSize Bits = M.getDataLayout().getTypeSizeInBits(A.getType());
  // What is copied or destroyed by functions of its own lies in memory of the
  // caller's. Of parts in registers clang says nothing.
  S.InMemory = A.hasByValAttr() || A.hasAttribute(Attribute::DeadOnReturn) ||
               A.hasAttribute(Attribute::NoUndef) || S.size() > 16;
  if (S.InMemory && !A.getType()->isPointerTy())
    return false;
  S.Count = S.InMemory || S.size() <= 8 || Bits == 128 ? 1 : 2;
  At += S.Count;
  return At <= Method.arg_size();
}

/// The object's address, in a function with the method's parameters.
Value *StepSubstitute::object(const Step &S) {
  Function &F = *B.GetInsertBlock()->getParent();
  if (S.InMemory)
    return F.getArg(S.From);
  AllocaInst *Room = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), 16));
  Room->setAlignment(Align(16));
  for (unsigned I = 0; I != S.Count; ++I)
    B.CreateStore(F.getArg(S.From + I),
                  B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Room, 8 * I));
  return Room;
}

Function *StepSubstitute::makeWhole() {
  Step All;
  if (!find(All, 1))
    return nullptr;
  // The step's operands are the method's, behind the policy.
  const unsigned Operands = All.Call->arg_size() - All.first();
  unsigned At = 1 + Operands;
  if (!place(All, At) || Method.arg_size() - At > 1)
    return nullptr;
  for (unsigned I = 0; I != Operands; ++I)
    if (Method.getArg(1 + I)->getType() !=
        All.Call->getArg(All.first() + I)->getType())
      return nullptr;
  Function *F = begin();
  SmallVector<Value *, 8> Args;
  if (All.result())
    Args.push_back(B.CreateAlloca(All.Call->getParamStructRetType(0)));
  Args.push_back(object(All));
  for (unsigned I = 0; I != Operands; ++I)
    Args.push_back(F->getArg(1 + I));
  ask(*All.Call, Args);
  B.CreateRetVoid();
  return F;
}

bool StepSubstitute::understandScan() {
  if (!find(Reduce, 4) || !find(Combine, 3) || !find(Scan, 2) ||
      !find(Apex, 1) || Reduce.Call->arg_size() != Reduce.first() + 2 ||
      Scan.Call->arg_size() <= Scan.first() + 2 || Method.arg_size() < 3 ||
      !Method.getArg(1)->getType()->isIntegerTy())
    return false;
  Parts = Scan.Call->arg_size() - Scan.first() - 2;
  unsigned At = 2 + Parts;
  if (!place(Reduce, At) || !place(Combine, At) || !place(Scan, At) ||
      !place(Apex, At) || At != Method.arg_size())
    return false;
  const Argument &Initial = *Method.getArg(2);
  InMemory = Reduce.result();
  Type *T = InMemory ? Reduce.Call->getParamStructRetType(0)
                     : Reduce.Call->getReturnType();
  if (!T->isSized() ||
      (InMemory && (Parts != 1 || !Initial.getType()->isPointerTy())))
    return false;
  Size = M.getDataLayout().getTypeAllocSize(T);
  // In registers: one word each.
  return InMemory || (Parts <= 2 && Size <= 8 * Parts);
}

/// A sum as F takes it: by reference, in memory, or word by word.
void StepSubstitute::give(Function &F, SmallVectorImpl<Value *> &Args,
                          Value *Address) {
  const Argument &A = *F.getArg(Args.size());
  if (InMemory || A.getDereferenceableBytes()) {
    Args.push_back(Address);
    return;
  }
  for (unsigned I = 0; I != Parts; ++I)
    Args.push_back(B.CreateLoad(
        F.getArg(Args.size())->getType(),
        B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Address, 8 * I)));
}

/// A call of a step with numbers and sums; Result is the address of what it
/// returns.
void StepSubstitute::call(const Step &S, Value *Object,
                          ArrayRef<Value *> Numbers, ArrayRef<Value *> Sums,
                          Value *Result) {
  SmallVector<Value *, 8> Args;
  if (S.result())
    Args.push_back(Result);
  Args.push_back(Object);
  for (Value *N : Numbers)
    Args.push_back(B.CreateTrunc(N, S.Call->getArg(Args.size())->getType()));
  for (Value *Sum : Sums)
    give(*S.Call, Args, Sum);
  Value *Returned = ask(*S.Call, Args);
  if (!S.result() && Result)
    B.CreateStore(Returned, Result);
}

Function *StepSubstitute::makeScan() {
  if (!understandScan())
    return nullptr;
  // Do all calls take what they are given?
  auto Takes = [&](const Step &S, unsigned Numbers, unsigned Sums) {
    unsigned At = S.first();
    for (; Numbers; --Numbers, ++At)
      if (At >= S.Call->arg_size() ||
          !S.Call->getArg(At)->getType()->isIntegerTy())
        return false;
    for (; Sums; --Sums) {
      if (At >= S.Call->arg_size())
        return false;
      At +=
          InMemory || S.Call->getArg(At)->getDereferenceableBytes() ? 1 : Parts;
    }
    return At == S.Call->arg_size();
  };
  if (!Takes(Reduce, 2, 0) || !Takes(Combine, 0, 2) || !Takes(Scan, 2, 1) ||
      !Takes(Apex, 0, 1) || Combine.result() != Reduce.result() ||
      (!InMemory &&
       Combine.Call->getReturnType() != Reduce.Call->getReturnType()))
    return nullptr;
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  // fork(threads, n, sums, step): each thread on its part.
  auto Fork = [&](const Step &S) {
    return makeFork(
        "method", {L, P, P},
        [](ArrayRef<Value *> Operands) { return Operands[0]; },
        [&](ArrayRef<Value *> Operands, Value *Thread, Value *From, Value *To) {
          Value *Sum = nth(Operands[1], stride(), Thread);
          Value *Length = B.CreateSub(To, From);
          if (S.Call == Scan.Call)
            call(S, Operands[2], {From, Length}, {Sum}, nullptr);
          else
            call(S, Operands[2], {From, Length}, {}, Sum);
        });
  };
  Function *Sum = Fork(Reduce), *Write = Fork(Scan);
  Function *F = begin();
  Value *N = B.CreateZExt(F->getArg(1), L);
  // What has been added up so far.
  Value *Before = room(), *Next = room();
  if (InMemory)
    B.CreateMemCpy(Before, Align(16), F->getArg(2), Align(1), Size);
  else
    for (unsigned I = 0; I != Parts; ++I)
      B.CreateStore(F->getArg(2 + I),
                    B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Before, 8 * I));
  Value *OfCombine = object(Combine), *OfApex = object(Apex);
  BasicBlock *Go = BasicBlock::Create(M.getContext(), "", F);
  BasicBlock *None = BasicBlock::Create(M.getContext(), "", F);
  B.CreateCondBr(B.CreateICmpNE(N, B.getInt64(0)), Go, None);
  B.SetInsertPoint(None);
  call(Apex, OfApex, {}, {Before}, nullptr);
  B.CreateRetVoid();
  B.SetInsertPoint(Go);
  Value *Threads = teamFor(N), *Ends = B.CreateZExt(Threads, L);
  Value *Sums = routine("malloc", P, {B.CreateMul(Ends, B.getInt64(stride()))});
  B.CreateCall(Sum, {Threads, N, Sums, object(Reduce)});
  loop(B.getInt64(0), Ends, [&](Value *T) {
    Value *Own = nth(Sums, stride(), T);
    call(Combine, OfCombine, {}, {Before, Own}, Next);
    B.CreateMemCpy(Own, Align(16), Before, Align(16), Size);
    B.CreateMemCpy(Before, Align(16), Next, Align(16), Size);
  });
  call(Apex, OfApex, {}, {Before}, nullptr);
  B.CreateCall(Write, {Threads, N, Sums, object(Scan)});
  routine("free", B.getVoidTy(), {Sums});
  B.CreateRetVoid();
  return F;
}

Function *retrograd::substituteOfSteps(Function &Method, const CxxName &Name,
                                       const ParallelMethodRecord &Known,
                                       const CxxMembers &All) {
  StepSubstitute S(Method, Name, All);
  return Known.Kind == ParallelMethodKind::StepScan ? S.makeScan()
                                                    : S.makeWhole();
}
