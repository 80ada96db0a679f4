//===- FieldChoice.cpp - are the fields' arrays apart? --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The question goes the way that leads to the function's loops and reads the
// fields as the function does there. Where it goes another way, the answer is
// no. Then it computes the bounds, puts the spans of all roots into an array
// and compares each with each in a loop: there may be forty of them.
//
//===----------------------------------------------------------------------===//

#include "Emit/FieldChoice.h"
#include "Emit/ScalarExpansion.h"
#include "Request/DerivativeRequest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Addresses [Begin, End).
struct Span {
  Value *Begin, *End;
  bool Written;
};

class Question {
public:
  Question(const DerivativeRequest &R, Function &Prepared,
           const FieldRanges &Ranges, ScalarEvolution &SE);
  Function *run();

private:
  void require(Value *Condition) {
    Holds = Holds ? B.CreateAnd(Holds, Condition) : Condition;
  }
  Value *near(Value *Distance);
  Value *bound(ArrayRef<const SCEV *> Of, Intrinsic::ID Least);
  Value *given(const Value *V);
  Value *load(const Field &From, Value *Behind, Type *T);
  void requireFirst(const Guard &G);
  void requireLater(const ApartInTime &Q);
  void requireApart(SmallVector<Span, 16> &Spans);

  const DerivativeRequest &R;
  const FieldRanges &Ranges;
  ScalarEvolution &SE;
  Function *Made;
  IRBuilder<> B;
  /// From the primal's parameter to ours; and to our shadows of it.
  DenseMap<const Value *, Value *> Own;
  DenseMap<const Value *, SmallVector<Value *, 1>> OwnShadows;
  ScalarExpansion Expand;
  Value *Holds = nullptr;
};

} // namespace

Question::Question(const DerivativeRequest &R, Function &Prepared,
                   const FieldRanges &Ranges, ScalarEvolution &SE)
    : R(R), Ranges(Ranges), SE(SE), B(Prepared.getContext()),
      Expand(B, [this](const Value *V) { return given(V); }) {
  SmallVector<Type *, 16> Parameters;
  auto ShadowsOf = [&](const Argument &A) {
    ArgActivity Activity = R.Args[A.getArgNo()];
    return Activity == ArgActivity::Dup || Activity == ArgActivity::DupNoNeed
               ? R.Width
               : 0;
  };
  for (Argument &A : Prepared.args())
    Parameters.append(1 + ShadowsOf(A), A.getType());
  Made = Function::Create(
      FunctionType::get(B.getInt1Ty(), Parameters, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, "rg." + R.Primal->getName() + ".apart",
      Prepared.getParent());
  Made->addFnAttr(Attribute::NoUnwind);
  Made->addFnAttr(Attribute::MinSize);
  Made->addFnAttr(Attribute::OptimizeForSize);
  Made->addFnAttr(Attribute::NoInline);
  // Integers alone, thousands of operations in one block: packing them takes
  // LLVM longer than all else that it does here.
  Made->addFnAttr(Attribute::NoImplicitFloat);
  B.SetInsertPoint(BasicBlock::Create(Made->getContext(), "", Made));
  auto Next = Made->arg_begin();
  for (Argument &A : Prepared.args()) {
    Own[&A] = &*Next++;
    for (unsigned Lane = 0; Lane != ShadowsOf(A); ++Lane)
      OwnShadows[&A].push_back(&*Next++);
  }
}

Value *Question::load(const Field &From, Value *Behind, Type *T) {
  return B.CreateAlignedLoad(
      T, B.CreateConstGEP1_64(B.getInt8Ty(), Behind, From.At.value_or(0)),
      Align(1));
}

/// What V of the primal is.
Value *Question::given(const Value *V) {
  auto [It, New] = Own.try_emplace(V, nullptr);
  if (!New)
    return It->second;
  Value *Is;
  if (const auto *D = dyn_cast<BinaryOperator>(V)) {
    Value *X = Expand.visit(SE.getSCEV(D->getOperand(0))),
          *Y = Expand.visit(SE.getSCEV(D->getOperand(1)));
    // Neither 0 nor -1: it does not trap.
    Value *Safe =
        B.CreateICmpUGT(B.CreateAdd(Y, ConstantInt::get(Y->getType(), 1)),
                        ConstantInt::get(Y->getType(), 1));
    require(Safe);
    Is = B.CreateSDiv(
        X, B.CreateSelect(Safe, Y, ConstantInt::get(Y->getType(), 1)));
  } else {
    const Field From = Field::of(V);
    Is = load(From, Own.lookup(From.Of), V->getType());
  }
  return Own[V] = Is;
}

/// Integers that wrapped on the way are far away from anything that is memory.
/// So are the bounds of a loop that does not run.
Value *Question::near(Value *Distance) {
  constexpr uint64_t Farthest = uint64_t(1) << 47;
  require(B.CreateICmpULT(B.CreateAdd(Distance, B.getInt64(Farthest)),
                          B.getInt64(2 * Farthest)));
  return Distance;
}

Value *Question::bound(ArrayRef<const SCEV *> Of, Intrinsic::ID Least) {
  Value *X = nullptr;
  for (const SCEV *S : Of) {
    Value *Y = near(Expand.visit(S));
    X = X ? B.CreateBinaryIntrinsic(Least, X, Y) : Y;
  }
  return X;
}

void Question::requireLater(const ApartInTime &Q) {
  Value *Step = near(Expand.visit(Q.Step)), *Zero = B.getInt64(0);
  auto Bound = [&](const SCEV *S) { return near(Expand.visit(S)); };
  Value *Up = B.CreateAnd(
      B.CreateICmpSGE(Step, Zero),
      B.CreateICmpSLE(B.CreateSub(Bound(Q.LoadHigh), Bound(Q.StoreLow)), Step));
  Value *Down = B.CreateAnd(
      B.CreateICmpSLE(Step, Zero),
      B.CreateICmpSLE(B.CreateSub(Bound(Q.StoreHigh), Bound(Q.LoadLow)),
                      B.CreateNeg(Step)));
  require(B.CreateOr(Up, Down));
}

/// Each that is written, and each behind it in the list.
void Question::requireApart(SmallVector<Span, 16> &Spans) {
  stable_sort(Spans, [](const Span &X, const Span &Y) {
    return X.Written > Y.Written;
  });
  const size_t Written =
      count_if(Spans, [](const Span &S) { return S.Written; });
  if (!Written || Spans.size() < 2)
    return;
  Type *Int64 = B.getInt64Ty();
  AllocaInst *List;
  {
    IRBuilder<> Entry(&Made->getEntryBlock(), Made->getEntryBlock().begin());
    List = Entry.CreateAlloca(ArrayType::get(Int64, 2 * Spans.size()));
  }
  for (auto [N, S] : enumerate(Spans))
    for (unsigned End : {0, 1})
      B.CreateStore(End ? S.End : S.Begin,
                    B.CreateConstGEP1_64(Int64, List, 2 * N + End));
  LLVMContext &C = B.getContext();
  BasicBlock *Before = B.GetInsertBlock(),
             *Outer = BasicBlock::Create(C, "outer", Made),
             *Inner = BasicBlock::Create(C, "inner", Made),
             *Next = BasicBlock::Create(C, "next", Made),
             *Behind = BasicBlock::Create(C, "behind", Made);
  auto Of = [&](Value *N, unsigned End) {
    return B.CreateLoad(
        Int64, B.CreateGEP(Int64, List,
                           B.CreateAdd(B.CreateShl(N, 1), B.getInt64(End))));
  };
  Value *Sofar = Holds ? Holds : B.getTrue();
  B.CreateBr(Outer);
  B.SetInsertPoint(Outer);
  PHINode *X = B.CreatePHI(Int64, 2), *AllX = B.CreatePHI(B.getInt1Ty(), 2);
  X->addIncoming(B.getInt64(0), Before);
  AllX->addIncoming(Sofar, Before);
  Value *BeginX = Of(X, 0), *EndX = Of(X, 1),
        *First = B.CreateAdd(X, B.getInt64(1));
  B.CreateCondBr(B.CreateICmpULT(First, B.getInt64(Spans.size())), Inner,
                 Behind);
  B.SetInsertPoint(Inner);
  PHINode *Y = B.CreatePHI(Int64, 2), *AllY = B.CreatePHI(B.getInt1Ty(), 2);
  Y->addIncoming(First, Outer);
  AllY->addIncoming(AllX, Outer);
  Value *Apart =
      B.CreateAnd(AllY, B.CreateOr(B.CreateICmpULE(EndX, Of(Y, 0)),
                                   B.CreateICmpULE(Of(Y, 1), BeginX)));
  Value *NextY = B.CreateAdd(Y, B.getInt64(1));
  Y->addIncoming(NextY, Inner);
  AllY->addIncoming(Apart, Inner);
  B.CreateCondBr(B.CreateICmpULT(NextY, B.getInt64(Spans.size())), Inner, Next);
  B.SetInsertPoint(Next);
  X->addIncoming(First, Next);
  AllX->addIncoming(Apart, Next);
  B.CreateCondBr(B.CreateICmpULT(First, B.getInt64(Written)), Outer, Behind);
  B.SetInsertPoint(Behind);
  PHINode *All = B.CreatePHI(B.getInt1Ty(), 2);
  All->addIncoming(AllX, Outer);
  All->addIncoming(Apart, Next);
  Holds = All;
}

/// Where it does not hold, the answer is no before anything else is loaded.
void Question::requireFirst(const Guard &G) {
  Value *Is = B.CreateICmp(G.Is, Expand.visit(G.X), Expand.visit(G.Y));
  BasicBlock *No = BasicBlock::Create(B.getContext(), "no", Made),
             *Next = BasicBlock::Create(B.getContext(), "guarded", Made);
  B.CreateCondBr(Is, Next, No);
  ReturnInst::Create(B.getContext(), B.getFalse(), No);
  B.SetInsertPoint(Next);
}

Function *Question::run() {
  for (const Guard &G : Ranges.Guards)
    requireFirst(G);
  SmallVector<Span, 16> Primals;
  SmallVector<SmallVector<Span, 16>, 1> Shadows(R.Width);
  Type *Int64 = B.getInt64Ty();
  for (const FieldRange &X : Ranges.Ranges) {
    Value *Low = bound(X.Lows, Intrinsic::smin),
          *High = bound(X.Highs, Intrinsic::smax);
    auto SpanAt = [&](Value *Root, bool Written) {
      Value *At = B.CreatePtrToInt(Root, Int64);
      return Span{B.CreateAdd(At, Low), B.CreateAdd(At, High), Written};
    };
    Primals.push_back(SpanAt(given(X.Root), X.Written));
    const Field Of = Field::of(X.Root);
    if (X.HoldsNumbers && X.IsWhole)
      for (auto [Lane, Shadow] : enumerate(OwnShadows.lookup(Of.Of)))
        Shadows[Lane].push_back(
            SpanAt(Of.At ? load(Of, Shadow, X.Root->getType()) : Shadow, true));
  }
  const DataLayout &DL = Made->getDataLayout();
  for (GlobalVariable *G : Ranges.Globals) {
    Value *At = B.CreatePtrToInt(G, Int64);
    uint64_t Size = DL.getTypeAllocSize(G->getValueType()).getFixedValue();
    Primals.push_back({At, B.CreateAdd(At, B.getInt64(Size)), true});
  }
  for (const FitsNarrow &Q : Ranges.Fit) {
    Value *Low = near(Expand.visit(Q.Low)), *High = near(Expand.visit(Q.High));
    const int64_t Half = int64_t(1) << (Q.Bits - 1);
    require(B.CreateICmpSGE(Low, B.getInt64(Q.Signed ? -Half : 0)));
    require(B.CreateICmpSLT(High, B.getInt64(Half)));
  }
  for (const ApartInTime &Q : Ranges.Later)
    requireLater(Q);
  requireApart(Primals);
  for (SmallVector<Span, 16> &Lane : Shadows)
    requireApart(Lane);
  B.CreateRet(Holds ? Holds : B.getTrue());
  return Made;
}

Function *retrograd::emitFieldQuestion(const DerivativeRequest &R,
                                       Function &Prepared,
                                       const FieldRanges &Ranges,
                                       ScalarEvolution &SE) {
  return Question(R, Prepared, Ranges, SE).run();
}

void retrograd::markApart(Function &Prepared, const FieldRanges &Ranges) {
  MDBuilder B(Prepared.getContext());
  MDNode *Domain = B.createAnonymousAliasScopeDomain("rg.fields");
  SmallVector<MDNode *, 16> Scopes;
  for (size_t N = 0; N != Ranges.Ranges.size(); ++N)
    Scopes.push_back(B.createAnonymousAliasScope(Domain, "rg.field"));
  DenseMap<Argument *, SmallVector<std::string, 4>> Apart;
  for (auto [N, X] : enumerate(Ranges.Ranges)) {
    SmallVector<Metadata *, 16> Others;
    for (auto [M, Y] : enumerate(Ranges.Ranges))
      if (M != N && (X.Written || Y.Written))
        Others.push_back(Scopes[M]);
    MDNode *Own = MDNode::get(Prepared.getContext(), {Scopes[N]}),
           *Not = MDNode::get(Prepared.getContext(), Others);
    for (Instruction *I : X.Accesses)
      for (auto [Kind, Tells] : {std::pair{LLVMContext::MD_alias_scope, Own},
                                 std::pair{LLVMContext::MD_noalias, Not}})
        I->setMetadata(Kind, MDNode::concatenate(I->getMetadata(Kind), Tells));
    const Field Of = Field::of(X.Root);
    if (X.HoldsNumbers && X.IsWhole)
      Apart[Of.Of].push_back(Of.At ? itostr(*Of.At) : "self");
  }
  for (auto &[A, Places] : Apart)
    A->addAttr(
        Attribute::get(Prepared.getContext(), ApartFields, join(Places, ",")));
  for (LoadInst *L : Ranges.Stay)
    L->setMetadata(StaysMetadata, MDNode::get(Prepared.getContext(), {}));
}

Function *retrograd::emitFieldChoice(Function &Question, Function &Disjoint,
                                     Function &General) {
  Function *Made =
      Function::Create(General.getFunctionType(), GlobalValue::InternalLinkage,
                       General.getName() + ".choice", General.getParent());
  Made->copyAttributesFrom(&General);
  Made->setLinkage(GlobalValue::InternalLinkage);
  Made->removeFnAttr(Attribute::NoInline);
  for (Argument &A : Made->args()) // General's promises are of its own body
    A.removeAttr(Attribute::NoAlias);
  LLVMContext &C = Made->getContext();
  IRBuilder<> B(BasicBlock::Create(C, "", Made));
  SmallVector<Value *, 16> Arguments;
  for (Argument &A : Made->args())
    Arguments.push_back(&A);
  Value *Holds = B.CreateCall(
      &Question, ArrayRef(Arguments).take_front(Question.arg_size()));
  auto *Apart = BasicBlock::Create(C, "disjoint", Made),
       *Else = BasicBlock::Create(C, "general", Made);
  B.CreateCondBr(Holds, Apart, Else);
  for (auto [Block, By] :
       {std::pair{Apart, &Disjoint}, std::pair{Else, &General}}) {
    B.SetInsertPoint(Block);
    CallInst *Call = B.CreateCall(By, Arguments);
    Call->setCallingConv(By->getCallingConv());
    if (Call->getType()->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(Call);
  }
  return Made;
}
