//===- IndexMethods.cpp - loops over indices ------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that a program says is parallel: the method's first integers, one or
// two, are its bounds, its last parameter, behind them, is its body. That is
// of the one class among the arguments of the method's template whose objects
// can be called with an integer; without a template, of the parameter's class.
//
//===----------------------------------------------------------------------===//

#include "Guard/MethodSubstitute.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace retrograd;

namespace {
struct IndexSubstitute : MethodSubstitute {
  IndexSubstitute(Function &Method, const CxxMembers &All)
      : MethodSubstitute(Method, All) {}
  Function *make(const CxxName &Name);
};
} // namespace

Function *IndexSubstitute::make(const CxxName &Name) {
  const SmallVector<std::string, 3> Params = parts(Name.Params);
  auto IsInteger = [](StringRef Text) {
    Text.consume_front("unsigned ");
    return is_contained({"int", "long", "long long", "short"}, Text);
  };
  const auto *Bound = find_if(Params, IsInteger);
  if (Bound == Params.end())
    return nullptr;
  const unsigned FirstBound = Bound - Params.begin();
  const unsigned Bounds =
      FirstBound + 1 < Params.size() && IsInteger(Params[FirstBound + 1]) ? 2
                                                                          : 1;
  // Nothing may stand behind the body, and it is no further number (a step,
  // how many at a time): what that means is not known.
  if (FirstBound + Bounds + 1 != Params.size() ||
      IsInteger(Params[FirstBound + Bounds]))
    return nullptr;
  StringRef OfBody = Params[FirstBound + Bounds];
  const bool IsReference =
      OfBody.consume_back("&&") || OfBody.consume_back("&");
  OfBody.consume_back(" const");
  Function *Body = nullptr;
  if (StringRef(Name.Whole).ends_with(">")) {
    // The arguments of the last name in it.
    StringRef Own = Name.Whole;
    int Depth = 0;
    size_t Open = Own.size();
    do {
      --Open;
      Depth += StringRef(">)}]").contains(Own[Open]);
      Depth -= StringRef("<({[").contains(Own[Open]);
    } while (Depth && Open);
    for (StringRef Argument : parts(Own.substr(Open)))
      if (Function *F = All.findCallable(Argument)) {
        if (Body)
          return nullptr;
        Body = F;
      }
  } else {
    Body = All.findCallable(OfBody);
  }
  // What stands in front is a pointer each, and perhaps there is `this`.
  unsigned At = FirstBound;
  while (At < Method.arg_size() &&
         Method.getArg(At)->getType()->isPointerTy() && At <= FirstBound)
    ++At;
  if (!Body || At + Bounds > Method.arg_size() || At > FirstBound + 1 ||
      !all_of(seq(0u, At + Bounds), [&](unsigned I) {
        Type *T = Method.getArg(I)->getType();
        return I < At ? T->isPointerTy() : T->isIntegerTy();
      }))
    return nullptr;
  const unsigned BodyAt = At + Bounds;
  Type *Index = Body->getArg(1)->getType();
  const bool Signed = !StringRef(*Bound).starts_with("unsigned");

  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  Function *Fork = makeFork(
      "method", {L, L, P},
      [&](ArrayRef<Value *> Operands) {
        return B.CreateSub(Operands[1], Operands[0]);
      },
      [&](ArrayRef<Value *> Operands, Value *, Value *First, Value *Last) {
        loop(B.CreateAdd(Operands[0], First), B.CreateAdd(Operands[0], Last),
             [&](Value *I) {
               ask(*Body, {Operands[2], B.CreateTrunc(I, Index)});
             });
      });
  Function *F = begin();
  auto Number = [&](unsigned I) {
    Value *V = F->getArg(I);
    return Signed ? B.CreateSExt(V, L) : B.CreateZExt(V, L);
  };
  Value *From = Bounds == 2 ? Number(At) : B.getInt64(0);
  Value *To = Number(At + Bounds - 1);
  Value *Object = nullptr;
  const bool InMemory = BodyAt != F->arg_size() &&
                        (IsReference || Method.getArg(BodyAt)->hasByValAttr() ||
                         Method.getArg(BodyAt)->getDereferenceableBytes());
  if (InMemory) {
    Object = F->getArg(BodyAt);
  } else {
    // In registers: eight bytes each, as the ABI hands over small objects.
    unsigned Count = F->arg_size() - BodyAt;
    Object =
        B.CreateAlloca(ArrayType::get(B.getInt64Ty(), std::max(1u, Count)));
    for (unsigned I = 0; I != Count; ++I)
      B.CreateStore(F->getArg(BodyAt + I),
                    B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Object, I));
  }
  BasicBlock *Go = BasicBlock::Create(M.getContext(), "", F);
  BasicBlock *End = BasicBlock::Create(M.getContext(), "", F);
  B.CreateCondBr(Signed ? B.CreateICmpSLT(From, To) : B.CreateICmpULT(From, To),
                 Go, End);
  B.SetInsertPoint(Go);
  B.CreateCall(Fork, {teamFor(B.CreateSub(To, From)), From, To, Object});
  B.CreateBr(End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return F;
}

Function *retrograd::substituteOfIndices(Function &Method, const CxxName &Name,
                                         const CxxMembers &All) {
  return IndexSubstitute(Method, All).make(Name);
}
