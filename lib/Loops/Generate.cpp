//===- Generate.cpp - from a schedule back to LLVM IR ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The new nest stands in front of the old one, behind questions. If an answer
// is no, the old nest runs. Whether all of it can be written is decided first.
//
// A parameter may be poison where the old nest does not use it: it is frozen
// before it is asked.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generate.h"
#include "Loops/Generator.h"
#include "Loops/TreeParallel.h"
#include "Loops/TreeReach.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

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
          !St.FromMemory.count(V) && !is_contained(St.Slice, V) &&
          V->getType()->isIntegerTy() && !canEvaluate(N.SE.getSCEV(V)))
        return false;
  }
  return true;
}

/// The times of P at which all of its lanes are there, for others have to be
/// asked about each lane. Null: it has no lanes.
Set Generator::whole(const TimedPart &P) const {
  // One place for each jam, in front of the last.
  const unsigned First = S.Times.front().size() + S.Jams.size() - 1;
  SmallVector<std::pair<unsigned, unsigned>, 2> Lanes;
  for (unsigned K = 0; K != S.Jams.size(); ++K)
    if (!S.Jams[K].Strip && Of.isJammed(P.Statement, S, S.Jams[K]))
      Lanes.push_back({First + K, S.Jams[K].Lanes});
  if (Lanes.empty() || P.Rest)
    return Set();
  auto WithAll = [&](Set Some) {
    for (auto [At, Count] : Lanes) {
      Some = Set(isl_set_project_out(Some.take(), isl_dim_set, At, 1));
      Some = Set(isl_set_insert_dims(Some.take(), isl_dim_set, At, 1));
      Some = Set(isl_set_lower_bound_si(Some.take(), isl_dim_set, At, 0));
      Some =
          Set(isl_set_upper_bound_si(Some.take(), isl_dim_set, At, Count - 1));
    }
    return Some;
  };
  Set There(isl_map_range(P.Times.copy()));
  Set All = WithAll(There);
  Set Missing(isl_set_subtract(All.copy(), There.take()));
  return Set(
      isl_set_coalesce(isl_set_subtract(All.take(), WithAll(Missing).take())));
}

bool Generator::makeTree() {
  // What was tried before does not count. Where every loop is asked whether
  // threads can share it, that may take as long as the search again, several
  // times.
  N.Context.restart();
  if (Threads)
    isl_ctx_set_max_operations(N.Context, 4 * Nest::Quota);
  UnionMap Times;
  auto Add = [&](Map M, char Kind, unsigned Statement) {
    const std::string Name = Kind + std::to_string(Statement);
    M = Map(isl_map_set_tuple_id(
        M.take(), isl_dim_in, isl_id_alloc(N.Context, Name.c_str(), nullptr)));
    UnionMap U(isl_union_map_from_map(M.take()));
    Times = Times ? UnionMap(isl_union_map_union(Times.take(), U.take())) : U;
  };
  // isl separates what has different names. S: all lanes, or none; P: some of
  // the lanes; R: what fills no lanes, and has none.
  for (TimedPart &P : Of.parts(S)) {
    const Set Whole = whole(P);
    Map Partly;
    if (Whole)
      Partly = Map(isl_map_subtract_range(P.Times.copy(), Whole.copy()));
    if (!Partly || isl_map_is_empty(Partly.get()) != isl_bool_false) {
      Add(P.Times, P.Rest ? 'R' : 'S', P.Statement);
      continue;
    }
    Add(Partly, 'P', P.Statement);
    Map Wholly(isl_map_intersect_range(P.Times.copy(), Whole.copy()));
    if (isl_map_is_empty(Wholly.get()) != isl_bool_true)
      Add(Wholly, 'S', P.Statement);
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
      if (!S.Jams[K].Strip)
        Text += "[" + Space + "] -> unroll[" +
                std::to_string(Plain + Jams + K - 1) + "]; ";
    Text.resize(Text.size() - 2);
    Build = isl_ast_build_set_options(
        Build, isl_union_map_read_from_str(N.Context, (Text + " }").c_str()));
  }
  SmallVector<unsigned, 4> Copied;
  if (Threads && findCopies())
    for (const Copy &C : Copies)
      Copied.push_back(C.Array);
  ParallelFinder Finder(N, Of, Times, Threads, Copied);
  Build = Finder.watch(Build);
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

/// Memory of the heap, or null.
Value *Generator::allocate(Value *Bytes) {
  F.setMemoryEffects(F.getMemoryEffects() |
                     MemoryEffects::inaccessibleMemOnly());
  CallInst *Memory =
      B.CreateCall(F.getParent()->getOrInsertFunction(
                       "malloc", FunctionType::get(B.getPtrTy(), {I64}, false)),
                   {Bytes});
  Memory->addRetAttr(Attribute::NoAlias);
  return Memory;
}

void Generator::release(Value *Memory) {
  B.CreateCall(
      F.getParent()->getOrInsertFunction(
          "free", FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false)),
      {Memory});
}

bool Generator::run() {
  if (!isPossible() || !makeTree() || !findExtents() || !findCellLengths())
    return false;
  // The order may be one that only threads make worth its while.
  if (Threads && !Always && !hasLoopForThreads(Tree.get(), /*Sums=*/true) &&
      !Of.isBetterAlone(S))
    return false;
  for (unsigned C = 0; C != N.Cells.size(); ++C) {
    IRBuilder<> AtStart(&F.getEntryBlock(),
                        F.getEntryBlock().getFirstInsertionPt());
    Storage.push_back(N.Cells[C].InMemory ? nullptr : storage(C, AtStart));
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
  if (!CellArrays.empty()) {
    BasicBlock *Allocate = block("rg.nest.allocate");
    B.CreateCondBr(Apart, Allocate, Old);
    B.SetInsertPoint(Allocate);
    Apart = allocateCells();
  }
  B.CreateCondBr(Apart, New, Old);
  // What does not change is computed in front, where the branch is now.
  B.SetInsertPoint(New);
  declareApart();
  node(Tree.get());
  if (CellMemory)
    release(CellMemory);
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

bool loops::generate(Nest &N, Scheduler &Of, const Schedule &S, bool Threads,
                     bool Always, SharedLoops &Made) {
  Generator G(N, Of, S, Threads, Always);
  if (!G.run())
    return false;
  G.extract(Made);
  return true;
}
