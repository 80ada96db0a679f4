//===- Generate.cpp - from a schedule back to LLVM IR ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// isl makes loops of a schedule: an abstract syntax tree, whose leaves are
// iterations of statements. A leaf becomes the statement's slice, with loads
// and stores at the addresses that scalar evolution gives for these counters.
// Cells are stack memory, which becomes registers when the code is simplified:
// what lane of a jammed loop it is of is then a constant.
//
// In front stand two questions. Are the parameters such that the nest is what
// it was taken for? Then: do arrays that alias analysis does not know to be
// apart share no byte, and is each array shorter than 2^62 bytes, so that
// indices that differ are addresses that differ? The bytes of an array are
// those between the least and the greatest of each index, computed in 128 bits.
// If an answer is no, the old nest runs.
//
// A parameter may be poison where the old nest does not use it: it is frozen
// before it is asked. isl's numbers have no end, ours have 64 bits: a tree
// whose expressions might need more is not taken.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

namespace {

class Generator {
public:
  Generator(Nest &N, Scheduler &Of, const Schedule &S)
      : N(N), Of(Of), S(S), F(*N.Outer.getHeader()->getParent()),
        Before(N.Outer.getLoopPreheader()), B(F.getContext()),
        Expand(N.SE, "rg.nest"), I64(B.getInt64Ty()), Lanes(Of.lanes(S)) {}
  bool run();

private:
  using Counters = SmallVector<Value *, 4>;
  bool isPossible();
  bool makeTree();
  bool fits(isl_ast_node *A);
  bool fits(isl_ast_expr *E, double &Most);
  bool findExtents();
  Value *areApart();
  Value *withinLimits();
  bool canEvaluate(const SCEV *E);
  Value *fixed(const SCEV *E);
  Value *frozen(const SCEV *E);
  Value *evaluate(const SCEV *E, const Statement &St, const Counters &At);
  Value *number(isl_ast_expr *E);
  Value *truth(isl_ast_expr *E) {
    Value *V = number(E);
    return V->getType()->isIntegerTy(1)
               ? V
               : B.CreateICmpNE(V, ConstantInt::get(V->getType(), 0));
  }
  Value *argument(isl_ast_expr *E, int K) {
    Isl<isl_ast_expr> X(isl_ast_expr_get_op_arg(E, K));
    return number(X.get());
  }
  void node(isl_ast_node *A);
  void loop(isl_ast_node *A);
  void leaf(isl_ast_node *A);
  BasicBlock *block(const char *Name) {
    return BasicBlock::Create(F.getContext(), Name, &F, N.Outer.getHeader());
  }

  struct Instance {
    const Statement &St;
    unsigned Index;
    bool Rest;
    Counters At = {};
    DenseMap<Value *, Value *> Made = DenseMap<Value *, Value *>();
  };
  Value *resolve(Value *V, Instance &I);
  Value *address(Instruction *Access, Instance &I);
  Value *cell(int Index, Instance &I);

  Nest &N;
  Scheduler &Of;
  const Schedule &S;
  Function &F;
  BasicBlock *Before;
  IRBuilder<> B;
  SCEVExpander Expand;
  Type *I64;
  CellLanes Lanes;
  DenseMap<const SCEV *, Value *> Fixed, Frozen;
  unsigned Nodes = 0;
  static constexpr unsigned MostNodes = 600;
  static constexpr int MostPieces = 8;
  DenseMap<const SCEV *, const SCEV *> Offsets;
  std::vector<AllocaInst *> Storage;
  Isl<isl_ast_node> Tree;
  Isl<isl_ast_expr> Check;
  /// Of each array, for each access: the least and the greatest index of each
  /// dimension, from the first.
  using Range = std::pair<Isl<isl_ast_expr>, Isl<isl_ast_expr>>;
  std::vector<std::vector<SmallVector<Range, 4>>> Extents;
  bool Wraps = true; ///< nsw does not hold for the number that is written
  StringMap<Value *> Names; ///< parameters and counters
};

} // namespace

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

/// Nothing is written before this has said yes.
bool Generator::isPossible() {
  for (auto &[E, K] : N.Parameters)
    if (!canEvaluate(E))
      return false;
  for (const Statement &St : N.Statements) {
    auto Address = [&](const Access &A) {
      if (!A.I)
        return true;
      const SCEV *P = N.SE.getSCEV(getLoadStorePointerOperand(A.I));
      const SCEV *Offset = N.SE.getMinusSCEV(P, N.SE.getPointerBase(P));
      Offsets[P] = Offset;
      return canEvaluate(Offset);
    };
    if (!Address(St.Write) || !all_of(St.Reads, Address))
      return false;
    SmallVector<Value *, 16> Used{St.V};
    for (Instruction *I : St.Slice)
      append_range(Used, I->operands());
    for (Value *V : Used)
      if (auto *I = dyn_cast<Instruction>(V);
          I && N.Outer.contains(I) && !St.FromCells.count(V) &&
          !is_contained(St.Slice, V) && V->getType()->isIntegerTy() &&
          !canEvaluate(N.SE.getSCEV(V)))
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// isl's tree
//===----------------------------------------------------------------------===//

Value *Generator::number(isl_ast_expr *E) {
  switch (isl_ast_expr_get_type(E)) {
  case isl_ast_expr_int: {
    Isl<isl_val> V(isl_ast_expr_get_val(E));
    return B.getInt64(isl_val_get_num_si(V.get()));
  }
  case isl_ast_expr_id: {
    Isl<isl_id> Id(isl_ast_expr_get_id(E));
    return Names.lookup(isl_id_get_name(Id.get()));
  }
  default:
    break;
  }
  const int Count = isl_ast_expr_get_op_n_arg(E);
  auto Fold = [&](function_ref<Value *(Value *, Value *)> How) {
    Value *V = argument(E, 0);
    for (int K = 1; K < Count; ++K)
      V = How(V, argument(E, K));
    return V;
  };
  auto Truths = [&](Instruction::BinaryOps Op) {
    Value *V = nullptr;
    for (int K = 0; K < Count; ++K) {
      Isl<isl_ast_expr> X(isl_ast_expr_get_op_arg(E, K));
      Value *T = truth(X.get());
      V = V ? B.CreateBinOp(Op, V, T) : T;
    }
    return V;
  };
  auto Compare = [&](CmpInst::Predicate P) {
    Value *X = argument(E, 0);
    return B.CreateICmp(P, X, argument(E, 1));
  };
  switch (isl_ast_expr_get_op_type(E)) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
    return Truths(Instruction::And);
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return Truths(Instruction::Or);
  case isl_ast_expr_op_max:
    return Fold([&](Value *X, Value *Y) {
      return B.CreateBinaryIntrinsic(Intrinsic::smax, X, Y);
    });
  case isl_ast_expr_op_min:
    return Fold([&](Value *X, Value *Y) {
      return B.CreateBinaryIntrinsic(Intrinsic::smin, X, Y);
    });
  case isl_ast_expr_op_minus:
    return B.CreateSub(B.getInt64(0), argument(E, 0), "", false, !Wraps);
  case isl_ast_expr_op_add:
    return Fold([&](Value *X, Value *Y) {
      return B.CreateAdd(X, Y, "", false, !Wraps);
    });
  case isl_ast_expr_op_sub:
    return Fold([&](Value *X, Value *Y) {
      return B.CreateSub(X, Y, "", false, !Wraps);
    });
  case isl_ast_expr_op_mul:
    return Fold([&](Value *X, Value *Y) {
      return B.CreateMul(X, Y, "", false, !Wraps);
    });
  case isl_ast_expr_op_div:
    return Fold([&](Value *X, Value *Y) { return B.CreateSDiv(X, Y); });
  case isl_ast_expr_op_pdiv_q:
    return Fold([&](Value *X, Value *Y) { return B.CreateUDiv(X, Y); });
  case isl_ast_expr_op_pdiv_r:
    return Fold([&](Value *X, Value *Y) { return B.CreateURem(X, Y); });
  case isl_ast_expr_op_zdiv_r:
    return Fold([&](Value *X, Value *Y) { return B.CreateSRem(X, Y); });
  case isl_ast_expr_op_fdiv_q: {
    // Towards minus infinity, by a positive number.
    Value *X = argument(E, 0), *Y = argument(E, 1);
    if (auto *C = dyn_cast<ConstantInt>(Y); C && C->getValue().isPowerOf2())
      return B.CreateAShr(X, B.getInt64(C->getValue().logBase2()));
    Value *Less = B.CreateSub(X, B.CreateSub(Y, B.getInt64(1)));
    return B.CreateSDiv(
        B.CreateSelect(B.CreateICmpSLT(X, B.getInt64(0)), Less, X), Y);
  }
  case isl_ast_expr_op_cond:
  case isl_ast_expr_op_select: {
    Isl<isl_ast_expr> If(isl_ast_expr_get_op_arg(E, 0));
    Value *C = truth(If.get()), *X = argument(E, 1);
    return B.CreateSelect(C, X, argument(E, 2));
  }
  case isl_ast_expr_op_eq:
    return Compare(CmpInst::ICMP_EQ);
  case isl_ast_expr_op_le:
    return Compare(CmpInst::ICMP_SLE);
  case isl_ast_expr_op_lt:
    return Compare(CmpInst::ICMP_SLT);
  case isl_ast_expr_op_ge:
    return Compare(CmpInst::ICMP_SGE);
  case isl_ast_expr_op_gt:
    return Compare(CmpInst::ICMP_SGT);
  default:
    llvm_unreachable("isl makes no other expressions of affine sets");
  }
}

void Generator::node(isl_ast_node *A) {
  switch (isl_ast_node_get_type(A)) {
  case isl_ast_node_for:
    return loop(A);
  case isl_ast_node_user:
    return leaf(A);
  case isl_ast_node_block: {
    isl_ast_node_list *List = isl_ast_node_block_get_children(A);
    for (int K = 0, E = isl_ast_node_list_n_ast_node(List); K < E; ++K) {
      Isl<isl_ast_node> Child(isl_ast_node_list_get_ast_node(List, K));
      node(Child.get());
    }
    isl_ast_node_list_free(List);
    return;
  }
  case isl_ast_node_if: {
    Isl<isl_ast_expr> If(isl_ast_node_if_get_cond(A));
    Value *C = truth(If.get());
    BasicBlock *Then = block("rg.then"), *Else = block("rg.else"),
               *After = block("rg.after");
    B.CreateCondBr(C, Then, Else);
    B.SetInsertPoint(Then);
    Isl<isl_ast_node> Body(isl_ast_node_if_get_then_node(A));
    node(Body.get());
    B.CreateBr(After);
    B.SetInsertPoint(Else);
    if (isl_ast_node_if_has_else_node(A) == isl_bool_true) {
      Isl<isl_ast_node> Other(isl_ast_node_if_get_else_node(A));
      node(Other.get());
    }
    B.CreateBr(After);
    B.SetInsertPoint(After);
    return;
  }
  case isl_ast_node_mark: {
    Isl<isl_ast_node> Body(isl_ast_node_mark_get_node(A));
    return node(Body.get());
  }
  default:
    llvm_unreachable("isl makes no other nodes");
  }
}

void Generator::loop(isl_ast_node *A) {
  Isl<isl_ast_expr> Iterator(isl_ast_node_for_get_iterator(A)),
      First(isl_ast_node_for_get_init(A));
  Isl<isl_id> Id(isl_ast_expr_get_id(Iterator.get()));
  const std::string Name = isl_id_get_name(Id.get());
  Isl<isl_ast_node> Body(isl_ast_node_for_get_body(A));
  Value *Init = number(First.get());
  Value *Hidden = Names.lookup(Name);
  if (isl_ast_node_for_is_degenerate(A) == isl_bool_true) {
    Names[Name] = Init;
    node(Body.get());
    Names[Name] = Hidden;
    return;
  }
  Isl<isl_ast_expr> While(isl_ast_node_for_get_cond(A)),
      By(isl_ast_node_for_get_inc(A));
  // iterator < bound, as isl writes it: the bound is computed once.
  Value *Bound = argument(While.get(), 1), *Step = number(By.get());
  const CmpInst::Predicate P =
      isl_ast_expr_get_op_type(While.get()) == isl_ast_expr_op_le
          ? CmpInst::ICMP_SLE
          : CmpInst::ICMP_SLT;
  if (P == CmpInst::ICMP_SLE)
    Bound = B.CreateNSWAdd(Bound, B.getInt64(1));
  BasicBlock *Entry = B.GetInsertBlock(), *Head = block("rg.loop"),
             *After = block("rg.after");
  BasicBlock *Prepare = block("rg.loop.ph");
  B.CreateCondBr(B.CreateICmpSLT(Init, Bound), Prepare, After);
  (void)Entry;
  B.SetInsertPoint(Prepare);
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *I = B.CreatePHI(I64, 2, "rg.i");
  I->addIncoming(Init, Prepare);
  Names[Name] = I;
  node(Body.get());
  Names[Name] = Hidden;
  Value *Next = B.CreateNSWAdd(I, Step);
  I->addIncoming(Next, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpSLT(Next, Bound), Head, After);
  B.SetInsertPoint(After);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Where the number of a cell is, for the lane of this iteration.
Value *Generator::cell(int Index, Instance &I) {
  AllocaInst *A = Storage[Index];
  if (Lanes[Index] < 0 || I.Rest)
    return A;
  const Jam &J = S.Jams[Lanes[Index]];
  const TimeTerm &T = S.Times[I.Index][J.Place];
  Value *Time = I.At[T.Loop];
  if (T.Down)
    Time = B.CreateNSWNeg(Time);
  return B.CreateInBoundsGEP(A->getAllocatedType()->getArrayElementType(), A,
                             B.CreateAnd(Time, B.getInt64(J.Lanes - 1)));
}

Value *Generator::address(Instruction *Access, Instance &I) {
  const SCEV *P = N.SE.getSCEV(getLoadStorePointerOperand(Access));
  Value *Base = cast<SCEVUnknown>(N.SE.getPointerBase(P))->getValue();
  return B.CreatePtrAdd(Base, evaluate(Offsets.lookup(P), I.St, I.At));
}

Value *Generator::resolve(Value *V, Instance &I) {
  auto *Old = dyn_cast<Instruction>(V);
  if (!Old || !N.Outer.contains(Old))
    return V;
  if (Value *Known = I.Made.lookup(V))
    return Known;
  Value *New = nullptr;
  if (auto Cell = I.St.FromCells.find(V); Cell != I.St.FromCells.end()) {
    New = B.CreateLoad(V->getType(), cell(Cell->second, I));
  } else if (!is_contained(I.St.Slice, V)) {
    auto *Phi = dyn_cast<PHINode>(V);
    New = V->getType()->isIntegerTy() ? evaluate(N.SE.getSCEV(V), I.St, I.At)
                                      : resolve(Phi->getIncomingValue(0), I);
  } else {
    Instruction *Clone = Old->clone();
    Clone->dropUnknownNonDebugMetadata(
        {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
         LLVMContext::MD_noalias, LLVMContext::MD_fpmath});
    if (N.DeclaresScopes) {
      Clone->setMetadata(LLVMContext::MD_alias_scope, nullptr);
      Clone->setMetadata(LLVMContext::MD_noalias, nullptr);
    }
    if (isa<LoadInst>(Old))
      Clone->setOperand(0, address(Old, I));
    else
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
    Name.consume_front("S");
  unsigned Index = 0;
  Name.getAsInteger(10, Index);
  Instance I{N.Statements[Index], Index, Rest};
  for (int K = 1, E = isl_ast_expr_get_op_n_arg(Call.get()); K < E; ++K)
    I.At.push_back(argument(Call.get(), K));
  B.SetCurrentDebugLocation(I.St.At->getDebugLoc());
  Value *V = resolve(I.St.V, I);
  if (I.St.K == Statement::SetCell) {
    B.CreateStore(V, cell(I.St.CellIndex, I));
    return;
  }
  auto *Old = cast<StoreInst>(I.St.At);
  StoreInst *New = B.CreateAlignedStore(V, address(Old, I), Old->getAlign());
  if (N.DeclaresScopes)
    New->copyMetadata(*Old, {LLVMContext::MD_tbaa});
  else
    New->copyMetadata(*Old, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                             LLVMContext::MD_noalias});
}

//===----------------------------------------------------------------------===//
// What is decided before anything is written
//===----------------------------------------------------------------------===//

constexpr double MostNumber = 0x1p62;

/// All numbers on the way are less than MostNumber. Parameters are within
/// Nest::Limit, and so are counters, of which times are made.
bool Generator::fits(isl_ast_expr *E, double &Most) {
  if (!E)
    return false;
  switch (isl_ast_expr_get_type(E)) {
  case isl_ast_expr_int: {
    Isl<isl_val> V(isl_ast_expr_get_val(E));
    if (isl_val_is_int(V.get()) != isl_bool_true ||
        isl_val_n_abs_num_chunks(V.get(), sizeof(int64_t)) > 1)
      return false;
    Most = std::abs(isl_val_get_d(V.get()));
    return Most < MostNumber;
  }
  case isl_ast_expr_id:
    Most = 2.0 * Nest::Limit;
    return true;
  case isl_ast_expr_op:
    break;
  default:
    return false;
  }
  double Sum = 0, Product = 1, Greatest = 0, First = 0;
  const int Count = isl_ast_expr_get_op_n_arg(E);
  const isl_ast_expr_op_type Op = isl_ast_expr_get_op_type(E);
  for (int K = 0; K < Count; ++K) {
    Isl<isl_ast_expr> X(isl_ast_expr_get_op_arg(E, K));
    double Part = 0;
    if (Op == isl_ast_expr_op_call && K == 0)
      continue; // the name
    if (!fits(X.get(), Part))
      return false;
    Sum += Part;
    Product *= Part;
    Greatest = std::max(Greatest, Part);
    if (K == 0)
      First = Part;
  }
  switch (Op) {
  case isl_ast_expr_op_add:
  case isl_ast_expr_op_sub:
  case isl_ast_expr_op_fdiv_q: // adds the divisor on the way
    Most = Sum;
    break;
  case isl_ast_expr_op_mul:
    Most = Product;
    break;
  case isl_ast_expr_op_div:
  case isl_ast_expr_op_pdiv_q:
  case isl_ast_expr_op_minus:
    Most = First;
    break;
  case isl_ast_expr_op_call:
  case isl_ast_expr_op_max:
  case isl_ast_expr_op_min:
  case isl_ast_expr_op_pdiv_r:
  case isl_ast_expr_op_zdiv_r:
  case isl_ast_expr_op_cond:
  case isl_ast_expr_op_select:
    Most = Greatest;
    break;
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
  case isl_ast_expr_op_eq:
  case isl_ast_expr_op_le:
  case isl_ast_expr_op_lt:
  case isl_ast_expr_op_ge:
  case isl_ast_expr_op_gt:
    Most = 1;
    break;
  default:
    return false;
  }
  return Most < MostNumber;
}

bool Generator::fits(isl_ast_node *A) {
  if (!A || ++Nodes > MostNodes)
    return false;
  double Most;
  switch (isl_ast_node_get_type(A)) {
  case isl_ast_node_for: {
    Isl<isl_ast_expr> Iterator(isl_ast_node_for_get_iterator(A)),
        First(isl_ast_node_for_get_init(A));
    Isl<isl_ast_node> Body(isl_ast_node_for_get_body(A));
    if (!fits(First.get(), Most) || !fits(Body.get()))
      return false;
    if (isl_ast_node_for_is_degenerate(A) == isl_bool_true)
      return true;
    Isl<isl_ast_expr> While(isl_ast_node_for_get_cond(A)),
        By(isl_ast_node_for_get_inc(A));
    if (isl_ast_expr_get_type(While.get()) != isl_ast_expr_op ||
        isl_ast_expr_get_type(By.get()) != isl_ast_expr_int)
      return false;
    const isl_ast_expr_op_type Op = isl_ast_expr_get_op_type(While.get());
    Isl<isl_ast_expr> Left(isl_ast_expr_get_op_arg(While.get(), 0));
    return (Op == isl_ast_expr_op_le || Op == isl_ast_expr_op_lt) &&
           isl_ast_expr_is_equal(Left.get(), Iterator.get()) == isl_bool_true &&
           fits(While.get(), Most) && fits(By.get(), Most) &&
           Most < Nest::Limit;
  }
  case isl_ast_node_if: {
    Isl<isl_ast_expr> If(isl_ast_node_if_get_cond(A));
    Isl<isl_ast_node> Then(isl_ast_node_if_get_then_node(A));
    if (!fits(If.get(), Most) || !fits(Then.get()))
      return false;
    if (isl_ast_node_if_has_else_node(A) != isl_bool_true)
      return true;
    Isl<isl_ast_node> Else(isl_ast_node_if_get_else_node(A));
    return fits(Else.get());
  }
  case isl_ast_node_block: {
    isl_ast_node_list *List = isl_ast_node_block_get_children(A);
    bool All = List != nullptr;
    for (int K = 0, E = isl_ast_node_list_n_ast_node(List); K < E && All; ++K) {
      Isl<isl_ast_node> Child(isl_ast_node_list_get_ast_node(List, K));
      All = fits(Child.get());
    }
    isl_ast_node_list_free(List);
    return All;
  }
  case isl_ast_node_mark: {
    Isl<isl_ast_node> Body(isl_ast_node_mark_get_node(A));
    return fits(Body.get());
  }
  case isl_ast_node_user: {
    Isl<isl_ast_expr> Call(isl_ast_node_user_get_expr(A));
    return fits(Call.get(), Most);
  }
  default:
    return false;
  }
}

bool Generator::makeTree() {
  UnionMap Times;
  for (TimedPart &P : Of.parts(S)) {
    Map M = P.Times;
    if (P.Rest)
      M = Map(isl_map_set_tuple_id(
          M.take(), isl_dim_in,
          isl_id_alloc(N.Context, ("R" + std::to_string(P.Statement)).c_str(),
                       nullptr)));
    UnionMap U(isl_union_map_from_map(M.take()));
    Times = Times ? UnionMap(isl_union_map_union(Times.take(), U.take())) : U;
  }
  isl_options_set_ast_build_detect_min_max(N.Context, 1);
  isl_ast_build *Build = isl_ast_build_from_context(N.Asked.copy());
  const unsigned Plain = S.Times.front().size(), Jams = S.Jams.size();
  if (Jams) {
    std::string Text = "{ ", Space;
    for (unsigned K = 0; K != Plain + 2 * Jams; ++K)
      Space += (K ? ",t" : "t") + std::to_string(K);
    for (unsigned K = 0; K + 1 != Plain + Jams; ++K)
      Text += "[" + Space + "] -> separate[" + std::to_string(K) + "]; ";
    for (unsigned K = 0; K != Jams; ++K)
      Text += "[" + Space + "] -> unroll[" +
              std::to_string(Plain + Jams + K - 1) + "]; ";
    Text.resize(Text.size() - 2);
    Build = isl_ast_build_set_options(
        Build, isl_union_map_read_from_str(N.Context, (Text + " }").c_str()));
  }
  Tree = Isl<isl_ast_node>(
      isl_ast_build_node_from_schedule_map(Build, Times.take()));
  isl_ast_build_free(Build);
  Build = isl_ast_build_from_context(N.Known.copy());
  Check = Isl<isl_ast_expr>(isl_ast_build_expr_from_set(
      Build, isl_set_gist(N.Asked.copy(), N.Known.copy())));
  isl_ast_build_free(Build);
  double Most;
  return Tree && Check && !N.Context.exceeded() && fits(Tree.get()) &&
         fits(Check.get(), Most) &&
         isl_set_n_basic_set(N.Asked.get()) <= MostPieces;
}

/// Of arrays that have to be compared, or whose addresses may wrap as far as is
/// known.
bool Generator::findExtents() {
  Extents.resize(N.Arrays.size());
  SmallVector<bool, 16> Wanted(N.Arrays.size(), false);
  for (auto &[X, Y] : N.MayMeet)
    Wanted[X] = Wanted[Y] = true;
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    Wanted[K] = Wanted[K] || N.Arrays[K].MayWrap;
    if (Wanted[K])
      for (auto &[Times, Fixed] : N.Arrays[K].Sizes)
        if (Fixed && !canEvaluate(Fixed))
          return false;
  }
  std::vector<std::vector<Set>> Seen(N.Arrays.size());
  isl_ast_build *Build = isl_ast_build_from_context(N.Asked.copy());
  auto Add = [&](const Access &A) {
    if (!A.I || !Wanted[A.Array])
      return true;
    Set Elements(isl_map_range(A.Where.copy()));
    for (const Set &Old : Seen[A.Array])
      if (isl_set_is_subset(Elements.get(), Old.get()) == isl_bool_true)
        return true;
    Seen[A.Array].push_back(Elements);
    SmallVector<Range, 4> Of;
    for (int D = 0, E = N.Arrays[A.Array].Strides.size(); D != E; ++D) {
      PwAff Least(isl_set_dim_min(Elements.copy(), D)),
          Most(isl_set_dim_max(Elements.copy(), D));
      if (!Least || !Most || isl_pw_aff_n_piece(Least.get()) > MostPieces ||
          isl_pw_aff_n_piece(Most.get()) > MostPieces)
        return false;
      Range R{Isl<isl_ast_expr>(
                  isl_ast_build_expr_from_pw_aff(Build, Least.take())),
              Isl<isl_ast_expr>(
                  isl_ast_build_expr_from_pw_aff(Build, Most.take()))};
      double LeastReach = 0, MostReach = 0;
      if (!fits(R.first.get(), LeastReach) || !fits(R.second.get(), MostReach))
        return false;
      // In 128 bits.
      double Bytes =
          std::max(LeastReach, MostReach) * N.Arrays[A.Array].ElementBytes;
      for (auto &[Times, Fixed] : N.Arrays[A.Array].Sizes)
        Bytes *= std::abs(double(Times)) * (Fixed ? double(Nest::Limit) : 1);
      if (Bytes >= 0x1p120)
        return false;
      Of.push_back(R);
    }
    Extents[A.Array].push_back(Of);
    return true;
  };
  bool All = all_of(N.Statements, [&](const Statement &St) {
    return Add(St.Write) && all_of(St.Reads, Add);
  });
  isl_ast_build_free(Build);
  return All && !N.Context.exceeded();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// All parameters are within Nest::Limit, which Check takes for granted.
Value *Generator::withinLimits() {
  Value *All = B.getTrue();
  for (auto &[E, K] : N.Parameters) {
    Value *P = Names.lookup("p" + std::to_string(K));
    Value *Moved = B.CreateAdd(P, B.getInt64(Nest::Limit));
    All = B.CreateAnd(All, B.CreateICmpULE(Moved, B.getInt64(2 * Nest::Limit)));
  }
  return All;
}

/// No two arrays that may meet do, and none is so long that its addresses come
/// round.
Value *Generator::areApart() {
  Type *I128 = B.getInt128Ty();
  Value *All = B.getTrue();
  std::vector<std::pair<Value *, Value *>> Bytes(N.Arrays.size());
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    if (Extents[K].empty())
      continue;
    const NestArray &A = N.Arrays[K];
    SmallVector<Value *, 4> Strides{ConstantInt::get(I128, A.ElementBytes)};
    for (auto &[Times, Fixed] : A.Sizes) {
      Value *Stride =
          B.CreateMul(Strides.back(), ConstantInt::getSigned(I128, Times));
      if (Fixed)
        Stride = B.CreateMul(Stride, B.CreateSExt(frozen(Fixed), I128));
      Strides.push_back(Stride);
    }
    std::reverse(Strides.begin(), Strides.end());
    Value *Least = nullptr, *Most = nullptr;
    for (auto &Of : Extents[K]) {
      Value *From = ConstantInt::get(I128, 0), *To = From;
      for (unsigned D = 0; D != Strides.size(); ++D) {
        From = B.CreateAdd(
            From, B.CreateMul(B.CreateSExt(number(Of[D].first.get()), I128),
                              Strides[D]));
        To = B.CreateAdd(
            To, B.CreateMul(B.CreateSExt(number(Of[D].second.get()), I128),
                            Strides[D]));
      }
      Least =
          Least ? B.CreateBinaryIntrinsic(Intrinsic::smin, Least, From) : From;
      Most = Most ? B.CreateBinaryIntrinsic(Intrinsic::smax, Most, To) : To;
    }
    Most = B.CreateAdd(Most, ConstantInt::get(I128, A.ElementBytes));
    All = B.CreateAnd(
        All, B.CreateICmpSLT(B.CreateSub(Most, Least),
                             ConstantInt::get(I128, uint64_t(1) << 62)));
    Value *Base = B.CreateZExt(B.CreatePtrToInt(A.Base, I64), I128);
    Bytes[K] = {B.CreateAdd(Base, Least), B.CreateAdd(Base, Most)};
  }
  for (auto &[X, Y] : N.MayMeet)
    if (Bytes[X].first && Bytes[Y].first)
      All = B.CreateAnd(
          All, B.CreateOr(B.CreateICmpSLE(Bytes[X].second, Bytes[Y].first),
                          B.CreateICmpSLE(Bytes[Y].second, Bytes[X].first)));
  return All;
}

bool Generator::run() {
  // An analysis may have used up what isl may take: then one of these fails.
  if (!isPossible() || !makeTree() || !findExtents())
    return false;
  for (const Cell &C : N.Cells) {
    int L = Lanes[&C - N.Cells.data()];
    IRBuilder<> AtStart(&F.getEntryBlock(),
                        F.getEntryBlock().getFirstInsertionPt());
    Type *T = C.V->getType();
    Storage.push_back(AtStart.CreateAlloca(
        L < 0 ? T : ArrayType::get(T, S.Jams[L].Lanes), nullptr, "rg.cell"));
  }
  for (auto &[E, K] : N.Parameters) {
    Value *V = frozen(E);
    Names["p" + std::to_string(K)] =
        V->getType() == I64 ? V : B.CreateSExt(V, I64);
  }
  for (unsigned K = 0; K != N.Arrays.size(); ++K)
    if (!Extents[K].empty())
      for (auto &[Times, Fixed] : N.Arrays[K].Sizes)
        if (Fixed)
          frozen(Fixed);
  BasicBlock *Exit = N.Outer.getExitBlock(), *Ask = block("rg.nest.ask"),
             *New = block("rg.nest"), *Old = block("rg.nest.old");
  B.SetInsertPoint(Before->getTerminator());
  // With parameters beyond the limits, numbers of Check may wrap: it is not
  // looked at then.
  B.CreateCondBr(
      B.CreateSelect(withinLimits(), truth(Check.get()), B.getFalse()), Ask,
      Old);
  Before->getTerminator()->eraseFromParent();
  N.Outer.getHeader()->replacePhiUsesWith(Before, Old);
  B.SetInsertPoint(Old);
  B.CreateBr(N.Outer.getHeader());
  Wraps = false;
  B.SetInsertPoint(Ask);
  Value *Apart = areApart();
  // A least index of what has no iterations is any number.
  B.CreateCondBr(Apart, New, Old);
  // What does not change is computed in front, where the branch is now.
  B.SetInsertPoint(New);
  node(Tree.get());
  SmallVector<std::pair<PHINode *, Value *>, 2> Results;
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValue(0);
    for (auto &[Result, Index] : N.Results)
      if (Result == &Phi)
        V = B.CreateLoad(Phi.getType(), Storage[Index]);
    Results.push_back({&Phi, V});
  }
  B.CreateBr(Exit);
  for (auto &[Phi, V] : Results)
    Phi->addIncoming(V, B.GetInsertBlock());
  return true;
}

bool loops::generate(Nest &N, Scheduler &Of, const Schedule &S) {
  return Generator(N, Of, S).run();
}
