//===- GenerateCells.cpp - cells that are in memory -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that an outer loop computes and inner loops use, in an order where
// both are far apart, has an array: one element for each iteration of the loops
// around its cell, by their counters, the last of them in a row. All such
// arrays of a nest are one block of the heap, from before the nest to behind
// it. Where there is no such block, or it would be too large, the old nest
// runs.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generator.h"
#include "Loops/TreeReach.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

/// The bytes that a nest may have for its cells, and their alignment.
static constexpr int64_t MostBytes = int64_t(1) << 30, Line = 64;

/// How far the counters around each such cell go. False: that cannot be told.
bool Generator::findCellLengths() {
  isl_ast_build *Build = isl_ast_build_from_context(N.Asked.copy());
  bool All = true;
  for (unsigned K = 0; K != N.Cells.size() && All; ++K) {
    if (!N.Cells[K].InMemory)
      continue;
    CellArray Of{K, {}, {}, nullptr};
    Set Elements;
    for (const Statement &St : N.Statements)
      if (St.Write.CellIndex == int(K))
        Elements = Set(isl_map_range(St.Write.Where.copy()));
    for (int D = 0, E = N.Cells[K].Loops.size(); D != E && All; ++D) {
      PwAff Most(isl_set_dim_max(Elements.copy(), D));
      double Reach = 0;
      All = Most && isl_pw_aff_n_piece(Most.get()) <= MostPieces;
      if (All)
        Of.Most.emplace_back(
            isl_ast_build_expr_from_pw_aff(Build, Most.take()));
      All = All && fits(Of.Most.back().get(), Reach);
    }
    CellArrays.push_back(std::move(Of));
  }
  isl_ast_build_free(Build);
  return All && !N.Context.exceeded();
}

/// Whether there is memory for all of them; where each begins.
Value *Generator::allocateCells() {
  // Lengths and products of them stay below 2^62.
  auto AtMost = [&](Value *V) {
    return B.CreateBinaryIntrinsic(Intrinsic::umin, V, B.getInt64(MostBytes));
  };
  Value *Bytes = B.getInt64(0);
  SmallVector<Value *, 4> Begins;
  for (CellArray &Of : CellArrays) {
    Value *Elements = B.getInt64(1);
    for (const Isl<isl_ast_expr> &Most : Of.Most) {
      // The greatest index of what has no iterations is any number.
      Value *Length = AtMost(B.CreateBinaryIntrinsic(
          Intrinsic::smax, B.CreateAdd(number(Most.get()), B.getInt64(1)),
          B.getInt64(0)));
      Of.Lengths.push_back(Length);
      Elements = AtMost(B.CreateMul(Elements, Length));
    }
    Begins.push_back(Bytes);
    const int64_t Each = N.Arrays[N.Cells[Of.Cell].Array].ElementBytes;
    Value *Size = B.CreateMul(Elements, B.getInt64(Each));
    Size =
        B.CreateAnd(B.CreateAdd(Size, B.getInt64(Line - 1)), B.getInt64(-Line));
    Bytes = B.CreateAdd(Bytes, Size);
  }
  BasicBlock *Asked = B.GetInsertBlock(), *Allocate = block("rg.nest.memory"),
             *After = block("rg.nest.cells");
  B.CreateCondBr(B.CreateICmpULT(Bytes, B.getInt64(MostBytes)), Allocate,
                 After);
  B.SetInsertPoint(Allocate);
  Value *Memory = allocate(B.CreateAdd(Bytes, B.getInt64(Line)));
  B.CreateBr(After);
  B.SetInsertPoint(After);
  PHINode *Got = B.CreatePHI(B.getPtrTy(), 2, "rg.cells");
  Got->addIncoming(ConstantPointerNull::get(B.getPtrTy()), Asked);
  Got->addIncoming(Memory, Allocate);
  CellMemory = Got;
  Value *First = B.CreateIntrinsic(
      Intrinsic::ptrmask, {B.getPtrTy(), I64},
      {B.CreatePtrAdd(Got, B.getInt64(Line - 1)), B.getInt64(-Line)});
  for (auto [Of, Begin] : zip(CellArrays, Begins))
    Of.Base = B.CreatePtrAdd(First, Begin);
  return B.CreateIsNotNull(Got);
}

/// The element of a cell in memory for this iteration.
Value *Generator::cellElement(int Index, const Instance &I) {
  const CellArray &Of = *find_if(
      CellArrays, [&](const CellArray &A) { return int(A.Cell) == Index; });
  const Cell &C = N.Cells[Index];
  Value *At = nullptr;
  for (auto [L, Length] : zip(C.Loops, Of.Lengths)) {
    Value *Counter = I.At[find(I.St.Loops, L) - I.St.Loops.begin()];
    At = At ? B.CreateNSWAdd(B.CreateNSWMul(At, Length), Counter) : Counter;
  }
  return B.CreateInBoundsGEP(C.V->getType(), Of.Base, At);
}
