//===- GenerateTree.cpp - isl's tree as IR --------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// isl makes loops of a schedule: an abstract syntax tree, of blocks, branches,
// loops with a bound and a step, and leaves. Its expressions are those of
// affine sets.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generate.h"
#include "Loops/Generator.h"
#include "Loops/TreeParallel.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

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
  // Rather a loop in it whose iterations are independent.
  const auto Sums = sumsForThreads(A);
  if (!InRegion && (isForThreads(A) ||
                    (!Sums.empty() && !hasLoopForThreads(Body.get(), false))))
    share(A, Init, Bound, Step, Sums);
  else
    iterate(A, Init, Bound, Step);
}

/// The loop A from Init to Bound.
void Generator::iterate(isl_ast_node *A, Value *Init, Value *Bound,
                        Value *Step) {
  Isl<isl_ast_expr> Iterator(isl_ast_node_for_get_iterator(A));
  Isl<isl_id> Id(isl_ast_expr_get_id(Iterator.get()));
  const std::string Name = isl_id_get_name(Id.get());
  Isl<isl_ast_node> Body(isl_ast_node_for_get_body(A));
  Value *Hidden = Names.lookup(Name);
  BasicBlock *Head = block("rg.loop"), *After = block("rg.after"),
             *Prepare = block("rg.loop.ph");
  B.CreateCondBr(B.CreateICmpSLT(Init, Bound), Prepare, After);
  B.SetInsertPoint(Prepare);
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *I = B.CreatePHI(I64, 2, "rg.i");
  I->addIncoming(Init, Prepare);
  Names[Name] = I;
  if (isParallel(A))
    Parallel = MDNode::getDistinct(F.getContext(), {});
  Additions.clear();
  Touched.clear();
  node(Body.get());
  Names[Name] = Hidden;
  BasicBlock *Behind =
      B.GetInsertBlock() == Head ? carrySums(I, Prepare, After) : After;
  Value *Next = B.CreateNSWAdd(I, Step);
  I->addIncoming(Next, B.GetInsertBlock());
  Instruction *Latch =
      B.CreateCondBr(B.CreateICmpSLT(Next, Bound), Head, Behind);
  SmallVector<Metadata *, 3> Told{
      nullptr, MDNode::get(F.getContext(),
                           {MDString::get(F.getContext(), OrderedLoop)})};
  // No loop is in this one: what LLVM's vectoriser asks at run time is known.
  if (Parallel)
    Told.push_back(MDNode::get(
        F.getContext(),
        {MDString::get(F.getContext(), "llvm.loop.parallel_accesses"),
         Parallel}));
  Parallel = nullptr;
  MDNode *Own = MDNode::getDistinct(F.getContext(), Told);
  Own->replaceOperandWith(0, Own);
  Latch->setMetadata(LLVMContext::MD_loop, Own);
  B.SetInsertPoint(After);
}
