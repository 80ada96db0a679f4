//===- GenerateThreads.cpp - loops that threads share ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outermost loops whose iterations are independent are shared by threads of
// OpenMP's runtime (libomp). Such a loop is a region with one door:
//
//   thread, count    which thread runs it, of how many
//   private cells    each thread has its own
//   for piece = thread; piece < pieces; piece += count
//     the loop, over the iterations of that piece
//
// Pieces are dealt in turn, so that triangles are shared about equally, and so
// that a thread has the same iterations of each sweep over an array. When the
// nest is written, the region becomes a function. Where there is enough to do,
// and not within a parallel region, __kmpc_fork_call runs it by all threads;
// else it is called, as thread 0 of 1. How much there is to do is estimated in
// front of the region: cycles of each statement (Cost.cpp) times iterations, by
// bounds with outer counters half way.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generate.h"
#include "Loops/Generator.h"
#include "Target/HostThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

/// Cycles for which waking threads pays.
static constexpr double EnoughWork = 3 * Scheduler::WakeThreads;
/// Pieces for each thread.
static constexpr int64_t PiecesEach = 8;
/// Threads that write to one line of memory take it from each other.
static constexpr int64_t LineBytes = 64;

/// Memory for a cell, or for each of its lanes.
AllocaInst *Generator::storage(unsigned Cell, IRBuilder<> &At) {
  Type *T = N.Cells[Cell].V->getType();
  if (int L = Lanes[Cell]; L >= 0)
    T = ArrayType::get(T, S.Jams[L].Lanes);
  return At.CreateAlloca(T, nullptr, "rg.cell");
}

/// Of which statement the leaf A runs an iteration.
static unsigned statementOf(isl_ast_node *A) {
  Isl<isl_ast_expr> Call(isl_ast_node_user_get_expr(A)),
      Who(isl_ast_expr_get_op_arg(Call.get(), 0));
  Isl<isl_id> Id(isl_ast_expr_get_id(Who.get()));
  unsigned Index = 0;
  StringRef(isl_id_get_name(Id.get())).drop_front().getAsInteger(10, Index);
  return Index;
}

/// Cycles by one thread that are in A, about: a double, which does not wrap.
Value *Generator::work(isl_ast_node *A) {
  Type *Double = B.getDoubleTy();
  auto Sum = [&](Value *X, isl_ast_node *Of) {
    return B.CreateFAdd(X, work(Of));
  };
  switch (isl_ast_node_get_type(A)) {
  case isl_ast_node_for: {
    Isl<isl_ast_expr> Iterator(isl_ast_node_for_get_iterator(A)),
        First(isl_ast_node_for_get_init(A));
    Isl<isl_id> Id(isl_ast_expr_get_id(Iterator.get()));
    const std::string Name = isl_id_get_name(Id.get());
    Isl<isl_ast_node> Body(isl_ast_node_for_get_body(A));
    Value *Init = number(First.get()), *Hidden = Names.lookup(Name), *W;
    if (isl_ast_node_for_is_degenerate(A) == isl_bool_true) {
      Names[Name] = Init;
      W = work(Body.get());
    } else {
      Isl<isl_ast_expr> While(isl_ast_node_for_get_cond(A)),
          By(isl_ast_node_for_get_inc(A));
      Value *Bound = argument(While.get(), 1), *Step = number(By.get());
      Value *Length = B.CreateBinaryIntrinsic(
          Intrinsic::smax, B.CreateSub(Bound, Init), B.getInt64(0));
      Names[Name] = B.CreateAdd(Init, B.CreateLShr(Length, 1));
      Value *Times = B.CreateFDiv(B.CreateSIToFP(Length, Double),
                                  B.CreateSIToFP(Step, Double));
      W = B.CreateFMul(Times, work(Body.get()));
    }
    Names[Name] = Hidden;
    return W;
  }
  case isl_ast_node_block: {
    isl_ast_node_list *List = isl_ast_node_block_get_children(A);
    Value *W = ConstantFP::get(Double, 0);
    for (int K = 0, E = isl_ast_node_list_n_ast_node(List); K < E; ++K) {
      Isl<isl_ast_node> Child(isl_ast_node_list_get_ast_node(List, K));
      W = Sum(W, Child.get());
    }
    isl_ast_node_list_free(List);
    return W;
  }
  case isl_ast_node_if: {
    Isl<isl_ast_node> Then(isl_ast_node_if_get_then_node(A));
    Value *W = work(Then.get());
    if (isl_ast_node_if_has_else_node(A) == isl_bool_true) {
      Isl<isl_ast_node> Else(isl_ast_node_if_get_else_node(A));
      W = Sum(W, Else.get());
    }
    return W;
  }
  case isl_ast_node_mark: {
    Isl<isl_ast_node> Body(isl_ast_node_mark_get_node(A));
    return work(Body.get());
  }
  default:
    return ConstantFP::get(Double, Cycles[statementOf(A)]);
  }
}

/// Cells that are set in A.
static SmallVector<unsigned, 4> cellsSet(isl_ast_node *A, const Nest &N) {
  struct Seen {
    const Nest &N;
    SmallVector<unsigned, 4> Cells;
  } S{N, {}};
  isl_ast_node_foreach_descendant_top_down(
      A,
      [](isl_ast_node *X, void *Of) {
        if (isl_ast_node_get_type(X) != isl_ast_node_user)
          return isl_bool_true;
        auto &S = *static_cast<Seen *>(Of);
        if (const Statement &St = S.N.Statements[statementOf(X)];
            St.K == Statement::SetCell && !is_contained(S.Cells, St.CellIndex))
          S.Cells.push_back(St.CellIndex);
        return isl_bool_true;
      },
      &S);
  return S.Cells;
}

/// What the iterator Name is multiplied by in E: none if E is no sum.
static std::optional<int64_t> timesIn(isl_ast_expr *E, StringRef Name) {
  switch (isl_ast_expr_get_type(E)) {
  case isl_ast_expr_int:
    return 0;
  case isl_ast_expr_id: {
    Isl<isl_id> Id(isl_ast_expr_get_id(E));
    return isl_id_get_name(Id.get()) == Name;
  }
  default:
    break;
  }
  SmallVector<int64_t, 2> Of;
  for (int K = 0, End = isl_ast_expr_get_op_n_arg(E); K < End; ++K) {
    Isl<isl_ast_expr> X(isl_ast_expr_get_op_arg(E, K));
    std::optional<int64_t> Times = timesIn(X.get(), Name);
    if (!Times)
      return std::nullopt;
    Of.push_back(*Times);
  }
  switch (isl_ast_expr_get_op_type(E)) {
  case isl_ast_expr_op_minus:
    return -Of[0];
  case isl_ast_expr_op_add:
    return Of[0] + Of[1];
  case isl_ast_expr_op_sub:
    return Of[0] - Of[1];
  case isl_ast_expr_op_mul:
    for (int K : {0, 1}) {
      Isl<isl_ast_expr> X(isl_ast_expr_get_op_arg(E, K));
      if (isl_ast_expr_get_type(X.get()) == isl_ast_expr_int) {
        Isl<isl_val> V(isl_ast_expr_get_val(X.get()));
        return isl_val_get_num_si(V.get()) * Of[1 - K];
      }
    }
    break;
  default:
    break;
  }
  if (any_of(Of, [](int64_t Times) { return Times != 0; }))
    return std::nullopt;
  return 0;
}

/// The iterator of a loop, and how it steps.
static std::pair<std::string, int64_t> iterator(isl_ast_node *For) {
  Isl<isl_ast_expr> Iterator(isl_ast_node_for_get_iterator(For)),
      By(isl_ast_node_for_get_inc(For));
  Isl<isl_id> Id(isl_ast_expr_get_id(Iterator.get()));
  int64_t Step = 1;
  if (isl_ast_node_for_is_degenerate(For) != isl_bool_true &&
      isl_ast_expr_get_type(By.get()) == isl_ast_expr_int) {
    Isl<isl_val> V(isl_ast_expr_get_val(By.get()));
    Step = isl_val_get_num_si(V.get());
  }
  return {isl_id_get_name(Id.get()), Step};
}

/// How many iterations of the loop A one thread has to run, at the least, so
/// that what it writes is whole lines. Columns are an example: each iteration
/// goes down one, and its neighbours are in the same lines. Two threads that
/// write to one line wait for each other each time. What an innermost loop
/// keeps writing to one element is in a register.
int64_t Generator::together(isl_ast_node *A) const {
  struct Seen {
    const Nest &N;
    int64_t Step, Least = 1;
    SmallVector<std::string, 4> Loops = {}; ///< that were met, the first is A
  } S{N, iterator(A).second};
  auto Look = [](isl_ast_node *X, void *Of) {
    auto &S = *static_cast<Seen *>(Of);
    if (isl_ast_node_get_type(X) == isl_ast_node_for &&
        isl_ast_node_for_is_degenerate(X) != isl_bool_true)
      S.Loops.push_back(iterator(X).first);
    if (isl_ast_node_get_type(X) != isl_ast_node_user)
      return isl_bool_true;
    const Statement &St = S.N.Statements[statementOf(X)];
    if (!St.Write.I)
      return isl_bool_true;
    Isl<isl_ast_expr> Call(isl_ast_node_user_get_expr(X));
    // Bytes from one iteration of a loop to the next; none: it does not count
    // in St, or not by sums.
    auto Bytes = [&](StringRef Loop) -> std::optional<int64_t> {
      std::optional<int64_t> Sum;
      for (unsigned K = 0; K != St.Loops.size(); ++K) {
        Isl<isl_ast_expr> At(isl_ast_expr_get_op_arg(Call.get(), K + 1));
        const std::optional<int64_t> Times = timesIn(At.get(), Loop);
        if (!Times)
          return std::nullopt;
        // Rows whose length is not known are Far.
        if (*Times)
          Sum = Sum.value_or(0) + *Times * St.Write.Strides[K];
      }
      return Sum;
    };
    for (const std::string &Loop : reverse(drop_begin(S.Loops)))
      if (const std::optional<int64_t> Inner = Bytes(Loop)) {
        const int64_t Shared =
            std::abs(Bytes(S.Loops.front()).value_or(0) * S.Step);
        if (*Inner && Shared && Shared < LineBytes)
          S.Least = std::max(S.Least, (LineBytes + Shared - 1) / Shared);
        break;
      }
    return isl_bool_true;
  };
  isl_ast_node_foreach_descendant_top_down(A, Look, &S);
  return S.Least;
}

/// The loop A as a region that threads share; Sums: arrays that it only adds
/// to, of which each thread has a copy.
void Generator::share(isl_ast_node *A, Value *Init, Value *Bound, Value *Step,
                      ArrayRef<unsigned> Sums) {
  Region R;
  // Iterations, and what is to do: the loop itself is one of its counts.
  Value *Iterations = B.CreateSDiv(
      B.CreateAdd(B.CreateBinaryIntrinsic(
                      Intrinsic::smax, B.CreateSub(Bound, Init), B.getInt64(0)),
                  B.CreateSub(Step, B.getInt64(1))),
      Step);
  R.Work = work(A);
  R.Enough = Always ? B.getTrue()
                    : B.CreateFCmpOGE(
                          R.Work, ConstantFP::get(B.getDoubleTy(), EnoughWork));
  Value *Within = B.CreateCall(
      F.getParent()->getOrInsertFunction(hostthreads::AreMany, B.getInt32Ty()),
      {});
  R.Enough = B.CreateAnd(R.Enough, B.CreateIsNull(Within));
  if (!Sums.empty())
    makeCopies(R, Sums);
  Value *Nothing = PoisonValue::get(I64);
  R.Thread = cast<Instruction>(B.CreateFreeze(Nothing, "rg.thread"));
  R.Count = cast<Instruction>(B.CreateFreeze(Nothing, "rg.threads"));
  const size_t Start = Blocks.size();
  BasicBlock *Door = block("rg.threads"), *Deal = block("rg.deal"),
             *Piece = block("rg.piece"), *Done = block("rg.dealt");
  B.CreateBr(Door);
  B.SetInsertPoint(Door);
  SmallVector<std::pair<unsigned, AllocaInst *>, 4> Hidden;
  for (unsigned C : cellsSet(A, N)) {
    Hidden.push_back({C, Storage[C]});
    Storage[C] = storage(C, B);
  }
  useCopies(R);
  Value *Pieces = B.CreateMul(R.Count, B.getInt64(PiecesEach));
  Value *Size = B.CreateSDiv(
      B.CreateAdd(Iterations, B.CreateSub(Pieces, B.getInt64(1))), Pieces);
  if (const int64_t Least = Always ? 1 : together(A); Least > 1)
    Size = B.CreateBinaryIntrinsic(Intrinsic::smax, Size, B.getInt64(Least));
  Value *First = B.CreateMul(R.Thread, Size),
        *Stride = B.CreateMul(R.Count, Size);
  B.CreateBr(Deal);
  B.SetInsertPoint(Deal);
  PHINode *At = B.CreatePHI(I64, 2, "rg.at");
  At->addIncoming(First, Door);
  B.CreateCondBr(B.CreateICmpSLT(At, Iterations), Piece, Done);
  B.SetInsertPoint(Piece);
  Value *From = B.CreateNSWAdd(Init, B.CreateNSWMul(At, Step));
  Value *To = B.CreateBinaryIntrinsic(
      Intrinsic::smin, Bound, B.CreateNSWAdd(From, B.CreateNSWMul(Size, Step)));
  InRegion = true;
  iterate(A, From, To, Step);
  InRegion = false;
  At->addIncoming(B.CreateAdd(At, Stride), B.GetInsertBlock());
  B.CreateBr(Deal);
  R.Blocks.assign(Blocks.begin() + Start, Blocks.end());
  BasicBlock *After = block("rg.after");
  B.SetInsertPoint(Done);
  B.CreateBr(After);
  B.SetInsertPoint(After);
  for (auto &[C, Old] : Hidden)
    Storage[C] = Old;
  addCopies(R);
  Regions.push_back(std::move(R));
}

/// Where in the source, for OpenMP's runtime: nowhere.
static Constant *nowhere(Module &M) {
  const char *Name = "rg.loops.ident";
  if (GlobalVariable *Known = M.getNamedGlobal(Name))
    return Known;
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C);
  const StringRef Text = hostthreads::Nowhere;
  Constant *Bytes = ConstantDataArray::getString(C, Text);
  auto *Place =
      new GlobalVariable(M, Bytes->getType(), true, GlobalValue::PrivateLinkage,
                         Bytes, "rg.loops.place");
  auto *T = StructType::get(I32, I32, I32, I32, PointerType::get(C, 0));
  auto Number = [&](unsigned X) { return ConstantInt::get(I32, X); };
  return new GlobalVariable(
      M, T, true, GlobalValue::PrivateLinkage,
      ConstantStruct::get(T, {Number(0), Number(hostthreads::ByCompiler),
                              Number(0), Number(Text.size()), Place}),
      Name);
}

/// What a thread runs: Loop, as the thread that it is.
static Function *task(Function &Loop, unsigned Thread, unsigned Count,
                      ArrayRef<Value *> Plain) {
  Module &M = *Loop.getParent();
  LLVMContext &C = M.getContext();
  Type *Ptr = PointerType::get(C, 0), *I32 = Type::getInt32Ty(C);
  Function *Task = Function::Create(
      FunctionType::get(Type::getVoidTy(C), {Ptr, Ptr, Ptr}, false),
      GlobalValue::InternalLinkage, Loop.getName() + ".task", M);
  Task->copyAttributesFrom(&Loop);
  Task->setAttributes(
      AttributeList::get(C, AttributeList::FunctionIndex,
                         AttrBuilder(C, Loop.getAttributes().getFnAttrs())));
  IRBuilder<> B(BasicBlock::Create(C, "", Task));
  auto Ask = [&](StringRef Name) {
    return B.CreateSExt(B.CreateCall(M.getOrInsertFunction(Name, I32), {}),
                        B.getInt64Ty());
  };
  SmallVector<Value *, 3> Arguments(Plain);
  Arguments[Thread] = Ask(hostthreads::Number);
  Arguments[Count] = Ask(hostthreads::Count);
  for (Value *&V : Arguments)
    if (!V)
      V = Task->getArg(2);
  B.CreateCall(&Loop, Arguments);
  B.CreateRetVoid();
  return Task;
}

void Generator::extract(SharedLoops &Made) {
  Module &M = *F.getParent();
  LLVMContext &C = F.getContext();
  Type *Ptr = PointerType::get(C, 0), *I32 = Type::getInt32Ty(C);
  for (Region &R : Regions) {
    Value *One = ConstantInt::get(I64, 1), *Zero = ConstantInt::get(I64, 0);
    CodeExtractorAnalysisCache Cache(F);
    CodeExtractor Extractor(R.Blocks, nullptr, /*AggregateArgs=*/true, nullptr,
                            nullptr, nullptr, /*AllowVarArgs=*/false,
                            /*AllowAlloca=*/true, nullptr, "rg.threads");
    Extractor.excludeArgFromAggregate(R.Thread);
    Extractor.excludeArgFromAggregate(R.Count);
    Function *Loop =
        Extractor.isEligible() ? Extractor.extractCodeRegion(Cache) : nullptr;
    if (Loop) {
      // Behind F, where passes over all functions come to it.
      Loop->removeFromParent();
      M.getFunctionList().insertAfter(F.getIterator(), Loop);
      Loop->removeFnAttr(Attribute::NoSync);
      auto *Call = cast<CallInst>(Loop->user_back());
      unsigned Thread = 0, Count = 0;
      SmallVector<Value *, 3> Plain;
      Value *Rest = ConstantPointerNull::get(cast<PointerType>(Ptr));
      for (unsigned K = 0; K != Call->arg_size(); ++K) {
        Value *V = Call->getArgOperand(K);
        Plain.push_back(nullptr);
        if (V == R.Thread)
          Thread = K;
        else if (V == R.Count)
          Count = K;
        else
          Rest = V;
      }
      Function *Task = task(*Loop, Thread, Count, Plain);
      B.SetInsertPoint(Call);
      B.SetCurrentDebugLocation(Call->getDebugLoc());
      Instruction *Fork, *Alone;
      SplitBlockAndInsertIfThenElse(R.Enough, Call->getIterator(), &Fork,
                                    &Alone);
      B.SetInsertPoint(Fork);
      B.SetCurrentDebugLocation(Call->getDebugLoc());
      FunctionCallee By = M.getOrInsertFunction(
          hostthreads::Fork,
          FunctionType::get(B.getVoidTy(), {Ptr, I32, Ptr}, true));
      B.CreateCall(By, {nowhere(M), B.getInt32(1), Task, Rest})
          ->setDoesNotThrow();
      Call->moveBefore(Alone->getIterator());
      F.removeFnAttr(Attribute::NoSync);
      Made.Functions.push_back(Loop);
      Made.Copies |= !R.Copied.empty();
    }
    // What is called, or still here, is thread 0 of 1.
    R.Thread->replaceAllUsesWith(Zero);
    R.Count->replaceAllUsesWith(One);
    R.Thread->eraseFromParent();
    R.Count->eraseFromParent();
  }
}
