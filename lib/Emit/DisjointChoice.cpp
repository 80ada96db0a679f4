//===- DisjointChoice.cpp - one derivative if nothing overlaps ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/DisjointChoice.h"
#include "Analysis/ArgumentRanges.h"
#include "Emit/ScalarExpansion.h"
#include "Request/DerivativeRequest.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

Function *retrograd::cloneApart(Function &F) {
  ValueToValueMapTy Map;
  Function *Clone = CloneFunction(&F, Map);
  Clone->setName("rg.disjoint." + F.getName());
  Clone->setLinkage(GlobalValue::InternalLinkage);
  Clone->setVisibility(GlobalValue::DefaultVisibility);
  Clone->setComdat(nullptr);
  Clone->setDSOLocal(true);
  return Clone;
}

void retrograd::widenIndices(const WideNumbers &Numbers, ScalarEvolution &SE) {
  SmallVector<std::pair<Instruction *, Value *>, 8> Made;
  {
    SCEVExpander Expander(SE, "wide");
    for (auto [I, Wide] : Numbers)
      if (Expander.isSafeToExpandAt(Wide, I))
        Made.push_back(
            {I, Expander.expandCodeFor(Wide, I->getType(), I->getIterator())});
  }
  for (auto [I, Wide] : Made) {
    I->replaceAllUsesWith(Wide);
    I->eraseFromParent();
  }
}

void retrograd::promiseDisjoint(Function &Copy) {
  for (Argument &A : Copy.args())
    if (A.getType()->isPointerTy())
      A.addAttr(Attribute::NoAlias);
  Copy.addFnAttr(DisjointShadows);
}

namespace {

/// Addresses [Begin, End).
struct Span {
  Value *Begin, *End;
  bool Written;
  bool Restrict; ///< disjoint by promise
};

class Choice {
public:
  Choice(const DerivativeRequest &R, const ArgumentRanges &Ranges,
         Function &Disjoint, Function &General);
  Function *run();

private:
  void require(Value *Condition) {
    Holds = Holds ? B.CreateAnd(Holds, Condition) : Condition;
  }
  void requireDisjoint(const Span &X, const Span &Y);
  void spansOf(const ArgumentRange &A);
  void answer(BasicBlock &Block, Function &By);

  const ArgumentRanges &Ranges;
  Function &Disjoint, &General;
  Function *Made;
  IRBuilder<> B;
  /// From the primal's parameter to ours; and to our shadows of it.
  DenseMap<const Value *, Value *> Own;
  DenseMap<const Value *, SmallVector<Value *, 1>> OwnShadows;
  SmallVector<Span, 8> Primals, Shadows;
  Value *Holds = nullptr;
};

} // namespace

Choice::Choice(const DerivativeRequest &R, const ArgumentRanges &Ranges,
               Function &Disjoint, Function &General)
    : Ranges(Ranges), Disjoint(Disjoint), General(General),
      Made(Function::Create(
          General.getFunctionType(), GlobalValue::InternalLinkage,
          General.getName() + ".choice", General.getParent())),
      B(BasicBlock::Create(Made->getContext(), "", Made)) {
  Made->copyAttributesFrom(&General);
  Made->setLinkage(GlobalValue::InternalLinkage);
  Made->removeFnAttr(Attribute::NoInline);
  for (Argument &A : Made->args()) // General's promises are of its own body
    A.removeAttr(Attribute::NoAlias);
  auto Next = Made->arg_begin();
  for (Argument &A : R.Primal->args()) {
    Own[&A] = &*Next++;
    ArgActivity Activity = R.Args[A.getArgNo()];
    if (Activity == ArgActivity::Dup || Activity == ArgActivity::DupNoNeed)
      for (unsigned Lane = 0; Lane != R.Width; ++Lane)
        OwnShadows[&A].push_back(&*Next++);
  }
}

void Choice::requireDisjoint(const Span &X, const Span &Y) {
  if ((X.Written || Y.Written) && !X.Restrict && !Y.Restrict)
    require(B.CreateOr(B.CreateICmpULE(X.End, Y.Begin),
                       B.CreateICmpULE(Y.End, X.Begin)));
}

void Choice::spansOf(const ArgumentRange &A) {
  ScalarExpansion Expand(B, [&](const Value *V) { return Own.lookup(V); });
  auto Bound = [&](ArrayRef<const SCEV *> Of, Intrinsic::ID Least) {
    Value *X = nullptr;
    for (const SCEV *S : Of) {
      Value *Y = Expand.visit(S);
      X = X ? B.CreateBinaryIntrinsic(Least, X, Y) : Y;
    }
    // Integers that wrapped on the way are far away from anything that is
    // memory. So are the bounds of a loop that does not run.
    constexpr uint64_t Farthest = uint64_t(1) << 47;
    require(B.CreateICmpULT(B.CreateAdd(X, B.getInt64(Farthest)),
                            B.getInt64(2 * Farthest)));
    return X;
  };
  Value *Low = Bound(A.Lows, Intrinsic::smin),
        *High = Bound(A.Highs, Intrinsic::smax);
  auto Add = [&](SmallVectorImpl<Span> &To, Value *Base, bool Written,
                 bool Restrict) {
    Value *At = B.CreatePtrToInt(Base, B.getInt64Ty());
    To.push_back(
        {B.CreateAdd(At, Low), B.CreateAdd(At, High), Written, Restrict});
  };
  Add(Primals, Own[A.Base], A.Written, A.Base->hasNoAliasAttr());
  for (Value *Shadow : OwnShadows[A.Base])
    Add(Shadows, Shadow, /*Written=*/true, /*Restrict=*/false);
}

void Choice::answer(BasicBlock &Block, Function &By) {
  B.SetInsertPoint(&Block);
  SmallVector<Value *, 16> Arguments;
  for (Argument &A : Made->args())
    Arguments.push_back(&A);
  CallInst *C = B.CreateCall(&By, Arguments);
  C->setCallingConv(By.getCallingConv());
  if (C->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(C);
}

Function *Choice::run() {
  for (const ArgumentRange &A : Ranges.Ranges)
    spansOf(A);
  ScalarExpansion Expand(B, [&](const Value *V) { return Own.lookup(V); });
  for (const FitsNarrow &Q : Ranges.Fit) {
    const int64_t Half = int64_t(1) << (Q.Bits - 1);
    require(
        B.CreateICmpSGE(Expand.visit(Q.Low), B.getInt64(Q.Signed ? -Half : 0)));
    require(B.CreateICmpSLT(Expand.visit(Q.High), B.getInt64(Half)));
  }
  const DataLayout &DL = Made->getDataLayout();
  size_t NumArguments = Primals.size();
  for (GlobalVariable *G : Ranges.Globals) {
    Value *At = B.CreatePtrToInt(G, B.getInt64Ty());
    uint64_t Size = DL.getTypeAllocSize(G->getValueType()).getFixedValue();
    Primals.push_back({At, B.CreateAdd(At, B.getInt64(Size)), true, false});
  }
  for (size_t X = 0; X != NumArguments; ++X)
    for (size_t Y = X + 1; Y != Primals.size(); ++Y)
      requireDisjoint(Primals[X], Primals[Y]);
  for (size_t X = 0; X != Shadows.size(); ++X)
    for (size_t Y = X + 1; Y != Shadows.size(); ++Y)
      requireDisjoint(Shadows[X], Shadows[Y]);
  auto *Apart = BasicBlock::Create(B.getContext(), "disjoint", Made),
       *Else = BasicBlock::Create(B.getContext(), "general", Made);
  B.CreateCondBr(Holds ? Holds : B.getTrue(), Apart, Else);
  answer(*Apart, Disjoint);
  answer(*Else, General);
  return Made;
}

Function *retrograd::emitDisjointChoice(const DerivativeRequest &R,
                                        const ArgumentRanges &Ranges,
                                        Function &Disjoint, Function &General) {
  return Choice(R, Ranges, Disjoint, General).run();
}
