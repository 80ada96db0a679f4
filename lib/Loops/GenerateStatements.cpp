//===- GenerateStatements.cpp - iterations of statements ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A leaf of isl's tree becomes the statement's slice, with loads and stores at
// the addresses that scalar evolution gives for these counters. Cells are stack
// memory, which becomes registers when the code is simplified: what lane of a
// jammed loop it is of is then a constant.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

bool Generator::canEvaluate(const SCEV *E) {
  if (N.SE.isLoopInvariant(E, &N.Outer))
    return Expand.isSafeToExpandAt(E, Before->getTerminator());
  switch (E->getSCEVType()) {
  case scAddRecExpr:
    return cast<SCEVAddRecExpr>(E)->isAffine() &&
           all_of(E->operands(),
                  [&](const SCEV *Op) { return canEvaluate(Op); });
  case scAddExpr:
  case scMulExpr:
  case scSMaxExpr:
  case scSMinExpr:
  case scUMaxExpr:
  case scUMinExpr:
  case scTruncate:
  case scZeroExtend:
  case scSignExtend:
    return all_of(E->operands(),
                  [&](const SCEV *Op) { return canEvaluate(Op); });
  default:
    return false;
  }
}

/// In front of the nest.
Value *Generator::fixed(const SCEV *E) {
  Value *&V = Fixed[E];
  if (!V)
    V = Expand.expandCodeFor(E, E->getType(), Before->getTerminator());
  return V;
}

/// The same, but never poison: for questions.
Value *Generator::frozen(const SCEV *E) {
  Value *&V = Frozen[E];
  if (!V) {
    Value *Plain = fixed(E);
    B.SetInsertPoint(Before->getTerminator());
    V = isGuaranteedNotToBeUndefOrPoison(Plain, nullptr,
                                         Before->getTerminator(), &N.DT)
            ? Plain
            : B.CreateFreeze(Plain);
  }
  return V;
}

Value *Generator::evaluate(const SCEV *E, const Statement &St,
                           const Counters &At) {
  if (N.SE.isLoopInvariant(E, &N.Outer))
    return fixed(E);
  auto Join = [&](function_ref<Value *(Value *, Value *)> How) {
    Value *V = nullptr;
    for (const SCEV *Op : E->operands()) {
      Value *X = evaluate(Op, St, At);
      V = V ? How(V, X) : X;
    }
    return V;
  };
  auto Least = [&](Intrinsic::ID Id) {
    return Join(
        [&](Value *X, Value *Y) { return B.CreateBinaryIntrinsic(Id, X, Y); });
  };
  switch (E->getSCEVType()) {
  case scAddRecExpr: {
    const auto *A = cast<SCEVAddRecExpr>(E);
    const auto *Where = find(St.Loops, A->getLoop());
    Value *I = B.CreateZExtOrTrunc(At[Where - St.Loops.begin()], E->getType());
    const SCEV *Step = A->getStepRecurrence(N.SE);
    if (!Step->isOne())
      I = B.CreateMul(I, evaluate(Step, St, At));
    if (A->getStart()->isZero())
      return I;
    return B.CreateAdd(evaluate(A->getStart(), St, At), I);
  }
  case scAddExpr:
    return Join([&](Value *X, Value *Y) { return B.CreateAdd(X, Y); });
  case scMulExpr:
    return Join([&](Value *X, Value *Y) { return B.CreateMul(X, Y); });
  case scSMaxExpr:
    return Least(Intrinsic::smax);
  case scSMinExpr:
    return Least(Intrinsic::smin);
  case scUMaxExpr:
    return Least(Intrinsic::umax);
  case scUMinExpr:
    return Least(Intrinsic::umin);
  case scTruncate:
    return B.CreateTrunc(evaluate(E->operands()[0], St, At), E->getType());
  case scZeroExtend:
    return B.CreateZExt(evaluate(E->operands()[0], St, At), E->getType());
  case scSignExtend:
    return B.CreateSExt(evaluate(E->operands()[0], St, At), E->getType());
  default:
    llvm_unreachable("canEvaluate() asked");
  }
}

/// Where the number of a cell is, for the lane of this iteration.
Value *Generator::cell(int Index, Instance &I) {
  if (N.Cells[Index].InMemory)
    return cellElement(Index, I);
  AllocaInst *A = Storage[Index];
  if (Lanes[Index] < 0 || I.Rest)
    return A;
  const Jam &J = S.Jams[Lanes[Index]];
  const TimeTerm &T = S.Times[I.Index][J.Place];
  Value *Time = B.getInt64(T.C);
  for (unsigned K = 0; K != I.At.size(); ++K)
    if (int64_t Times = T.times(K))
      Time = B.CreateNSWAdd(Time, B.CreateNSWMul(I.At[K], B.getInt64(Times)));
  return B.CreateInBoundsGEP(A->getAllocatedType()->getArrayElementType(), A,
                             B.CreateAnd(Time, B.getInt64(J.Lanes - 1)));
}

/// Which array Old, an access of St, is to.
static unsigned arrayOf(const Instruction *Old, const Statement &St) {
  return St.Write.I == Old ? St.Write.Array
                           : find_if(St.Reads, [&](const Access &A) {
                               return A.I == Old;
                             })->Array;
}

Value *Generator::address(Instruction *Access, Instance &I) {
  const SCEV *P = N.SE.getSCEV(getLoadStorePointerOperand(Access));
  Value *Base = Own.lookup(arrayOf(Access, I.St));
  if (!Base)
    Base = cast<SCEVUnknown>(N.SE.getPointerBase(P))->getValue();
  return B.CreatePtrAdd(Base, evaluate(Offsets.lookup(P), I.St, I.At));
}

/// In the new nest, different arrays are apart: that is known, or was asked.
void Generator::declareApart() {
  MDBuilder MD(F.getContext());
  MDNode *Domain = MD.createAnonymousAliasScopeDomain("rg.nest");
  SmallVector<bool, 16> Written(N.Arrays.size(), false);
  for (const Statement &St : N.Statements)
    Written[St.Write.Array] = true;
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    const bool IsMemory =
        N.Arrays[K].Base || any_of(CellArrays, [&](const CellArray &A) {
          return N.Cells[A.Cell].Array == K;
        });
    Scopes.push_back(IsMemory ? MD.createAnonymousAliasScope(Domain) : nullptr);
    if (Scopes.back())
      B.CreateNoAliasScopeDeclaration(
          MDNode::get(F.getContext(), {Scopes.back()}));
  }
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    SmallVector<Metadata *, 8> Others;
    for (unsigned X = 0; X != N.Arrays.size(); ++X)
      if (X != K && Scopes[X] && (Written[X] || Written[K]))
        Others.push_back(Scopes[X]);
    ApartFrom.push_back(Others.empty() ? nullptr
                                       : MDNode::get(F.getContext(), Others));
  }
  for (MDNode *&Scope : Scopes)
    if (Scope)
      Scope = MDNode::get(F.getContext(), {Scope});
}

/// New does for the new nest what Old, an access of St, did for the old one.
void Generator::tag(Instruction *New, const Instruction *Old,
                    const Statement &St) {
  touch(New, arrayOf(Old, St), Old);
}

/// New is an access to an array, or to a cell in memory (Old is null).
void Generator::touch(Instruction *New, unsigned Array,
                      const Instruction *Old) {
  Touched.push_back({New, Array});
  for (auto [Kind, Ours] :
       {std::make_pair(unsigned(LLVMContext::MD_alias_scope), Scopes[Array]),
        std::make_pair(unsigned(LLVMContext::MD_noalias), ApartFrom[Array])})
    New->setMetadata(Kind, MDNode::concatenate(!Old || N.DeclaresScopes
                                                   ? nullptr
                                                   : Old->getMetadata(Kind),
                                               Ours));
  if (Parallel)
    New->setMetadata(LLVMContext::MD_access_group, Parallel);
}

/// In a loop over the lanes of a strip, each has its own place in a cell; in
/// memory, each iteration of the loops around it has.
void Generator::tagCell(Instruction *New, int Index, const Instance &I) {
  if (N.Cells[Index].InMemory)
    return touch(New, N.Cells[Index].Array, nullptr);
  const int L = Lanes[Index];
  if (!Parallel || L < 0 || I.Rest || !S.Jams[L].Strip)
    return;
  for (unsigned K = L + 1; K != S.Jams.size(); ++K)
    if (S.Jams[K].Strip && Of.isJammed(I.Index, S, S.Jams[K]))
      return; // the innermost loop is over other lanes
  New->setMetadata(LLVMContext::MD_access_group, Parallel);
}

Value *Generator::resolve(Value *V, Instance &I) {
  auto *Old = dyn_cast<Instruction>(V);
  if (!Old || !N.Outer.contains(Old))
    return V;
  if (Value *Known = I.Made.lookup(V))
    return Known;
  Value *New = nullptr;
  if (auto Cell = I.St.FromCells.find(V); Cell != I.St.FromCells.end()) {
    LoadInst *Load = B.CreateLoad(V->getType(), cell(Cell->second, I));
    tagCell(Load, Cell->second, I);
    New = Load;
  } else if (StoreInst *Store = I.St.FromMemory.lookup(V)) {
    LoadInst *Load =
        B.CreateAlignedLoad(V->getType(), address(Store, I), Store->getAlign());
    Load->copyMetadata(*Store, {LLVMContext::MD_tbaa});
    tag(Load, Store, I.St);
    New = Load;
  } else if (!is_contained(I.St.Slice, V)) {
    auto *Phi = dyn_cast<PHINode>(V);
    New = V->getType()->isIntegerTy() ? evaluate(N.SE.getSCEV(V), I.St, I.At)
                                      : resolve(Phi->getIncomingValue(0), I);
  } else {
    Instruction *Clone = Old->clone();
    Clone->dropUnknownNonDebugMetadata(
        {LLVMContext::MD_tbaa, LLVMContext::MD_fpmath});
    if (isa<LoadInst>(Old)) {
      Clone->setOperand(0, address(Old, I));
      tag(Clone, Old, I.St);
    } else
      for (Use &U : Clone->operands())
        U = resolve(U, I);
    New = B.Insert(Clone, Old->getName());
  }
  I.Made[V] = New;
  return New;
}

void Generator::leaf(isl_ast_node *A) {
  Isl<isl_ast_expr> Call(isl_ast_node_user_get_expr(A)),
      Who(isl_ast_expr_get_op_arg(Call.get(), 0));
  Isl<isl_id> Id(isl_ast_expr_get_id(Who.get()));
  StringRef Name = isl_id_get_name(Id.get());
  const bool Rest = Name.consume_front("R");
  if (!Rest)
    Name = Name.drop_front();
  unsigned Index = 0;
  Name.getAsInteger(10, Index);
  Instance I{N.Statements[Index], Index, Rest};
  for (int K = 1, E = isl_ast_expr_get_op_n_arg(Call.get()); K < E; ++K)
    I.At.push_back(argument(Call.get(), K));
  B.SetCurrentDebugLocation(I.St.At->getDebugLoc());
  Value *V = resolve(I.St.V, I);
  if (I.St.K == Statement::SetCell) {
    tagCell(B.CreateStore(V, cell(I.St.CellIndex, I)), I.St.CellIndex, I);
    return;
  }
  auto *Old = cast<StoreInst>(I.St.At);
  StoreInst *New = B.CreateAlignedStore(V, address(Old, I), Old->getAlign());
  New->copyMetadata(*Old, {LLVMContext::MD_tbaa});
  tag(New, Old, I.St);
  noteAddition(I, New);
}
