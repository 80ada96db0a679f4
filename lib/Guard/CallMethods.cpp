//===- CallMethods.cpp - functions that are called in parallel ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions, each of which is called once: the method's last operands are
// references to objects of the classes Functors. (These are arguments of its
// template. Parameters do not tell: a mangled name refers to what stood in it
// before, and demanglers take a parameter of one template for another's.)
//
//===----------------------------------------------------------------------===//

#include "Guard/MethodSubstitute.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace retrograd;

namespace {
struct CallSubstitute : MethodSubstitute {
  CallSubstitute(Function &Method, const CxxMembers &All)
      : MethodSubstitute(Method, All) {}
  Function *make(ArrayRef<std::string> Functors);
};
} // namespace

Function *CallSubstitute::make(ArrayRef<std::string> Functors) {
  SmallVector<Function *, 4> Called;
  SmallVector<Type *, 4> Types;
  for (StringRef Functor : Functors) {
    Function *F =
        All.find(Functor, "operator()", 1, [](StringRef) { return true; });
    if (!F)
      return nullptr;
    Called.push_back(F);
    Types.push_back(B.getPtrTy());
  }
  if (Called.empty() || Method.arg_size() < Called.size() ||
      !all_of(Method.args(),
              [](const Argument &A) { return A.getType()->isPointerTy(); }))
    return nullptr;
  Function *Fork = makeFork(
      "method", Types,
      [&](ArrayRef<Value *>) { return B.getInt64(Called.size()); },
      [&](ArrayRef<Value *> Operands, Value *, Value *Begin, Value *End) {
        loop(Begin, End, [&](Value *I) {
          Function &F = *B.GetInsertBlock()->getParent();
          BasicBlock *Behind = BasicBlock::Create(M.getContext(), "", &F);
          SwitchInst *Which = B.CreateSwitch(I, Behind, Called.size());
          for (auto [N, Callee] : enumerate(Called)) {
            BasicBlock *Case = BasicBlock::Create(M.getContext(), "", &F);
            Which->addCase(B.getInt64(N), Case);
            B.SetInsertPoint(Case);
            ask(*Callee, {Operands[N]});
            B.CreateBr(Behind);
          }
          B.SetInsertPoint(Behind);
        });
      });
  Function *F = begin();
  SmallVector<Value *, 4> Operands{teamFor(B.getInt64(Called.size()))};
  for (unsigned I = F->arg_size() - Called.size(); I != F->arg_size(); ++I)
    Operands.push_back(F->getArg(I));
  B.CreateCall(Fork, Operands);
  B.CreateRetVoid();
  return F;
}

Function *retrograd::substituteOfCalls(Function &Method, const CxxName &Name,
                                       const CxxMembers &All) {
  // The arguments of the method's template.
  return CallSubstitute(Method, All)
      .make(parts(StringRef(Name.Whole).substr(Name.Class.size() + 2)));
}
