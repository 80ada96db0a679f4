//===- TreeReach.cpp - which trees fit into 64 bits -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops/TreeReach.h"
#include "Loops/Nest.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

static constexpr double MostNumber = 0x1p62;
static constexpr unsigned MostNodes = 1500;

bool loops::fits(isl_ast_expr *E, double &Most) {
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

/// Nodes: how many there were.
static bool fits(isl_ast_node *A, unsigned &Nodes) {
  if (!A || ++Nodes > MostNodes)
    return false;
  double Most;
  switch (isl_ast_node_get_type(A)) {
  case isl_ast_node_for: {
    Isl<isl_ast_expr> Iterator(isl_ast_node_for_get_iterator(A)),
        First(isl_ast_node_for_get_init(A));
    Isl<isl_ast_node> Body(isl_ast_node_for_get_body(A));
    if (!loops::fits(First.get(), Most) || !fits(Body.get(), Nodes))
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
           loops::fits(While.get(), Most) && loops::fits(By.get(), Most) &&
           Most < Nest::Limit;
  }
  case isl_ast_node_if: {
    Isl<isl_ast_expr> If(isl_ast_node_if_get_cond(A));
    Isl<isl_ast_node> Then(isl_ast_node_if_get_then_node(A));
    if (!loops::fits(If.get(), Most) || !fits(Then.get(), Nodes))
      return false;
    if (isl_ast_node_if_has_else_node(A) != isl_bool_true)
      return true;
    Isl<isl_ast_node> Else(isl_ast_node_if_get_else_node(A));
    return fits(Else.get(), Nodes);
  }
  case isl_ast_node_block: {
    isl_ast_node_list *List = isl_ast_node_block_get_children(A);
    bool All = List != nullptr;
    for (int K = 0, E = isl_ast_node_list_n_ast_node(List); K < E && All; ++K) {
      Isl<isl_ast_node> Child(isl_ast_node_list_get_ast_node(List, K));
      All = fits(Child.get(), Nodes);
    }
    isl_ast_node_list_free(List);
    return All;
  }
  case isl_ast_node_mark: {
    Isl<isl_ast_node> Body(isl_ast_node_mark_get_node(A));
    return fits(Body.get(), Nodes);
  }
  case isl_ast_node_user: {
    Isl<isl_ast_expr> Call(isl_ast_node_user_get_expr(A));
    return loops::fits(Call.get(), Most);
  }
  default:
    return false;
  }
}

bool loops::fits(isl_ast_node *A) {
  unsigned Nodes = 0;
  return ::fits(A, Nodes);
}
