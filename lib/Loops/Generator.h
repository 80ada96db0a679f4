//===- Generator.h - writes a nest in another order -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of generate(). Each of its ideas is a file:
//
//   GenerateTree.cpp        isl's tree as branches, loops and numbers
//   GenerateStatements.cpp  iterations of statements, at the leaves
//   GenerateQuestions.cpp   what has to be asked at run time
//   TreeReach.cpp           which trees fit into 64 bits
//   TreeParallel.cpp        which loops' iterations are independent
//   GenerateThreads.cpp     loops that threads share
//   GenerateCopies.cpp      arrays of which each thread has a copy, for sums
//   GenerateCells.cpp       cells that are in memory
//   Generate.cpp            the order of all this
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_GENERATOR_H
#define RETROGRAD_LOOPS_GENERATOR_H

#include "Loops/Generate.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace retrograd::loops {

class Generator {
public:
  Generator(Nest &N, Scheduler &Of, const Schedule &S, bool Threads,
            bool Always)
      : N(N), Of(Of), S(S), Threads(Threads), Always(Always),
        F(*N.Outer.getHeader()->getParent()),
        Before(N.Outer.getLoopPreheader()), B(F.getContext()),
        Expand(N.SE, "rg.nest"), I64(B.getInt64Ty()), Lanes(Of.lanes(S)),
        Cycles(Threads ? Of.cycles(S) : std::vector<double>()) {}
  bool run();
  /// Makes functions of the loops that threads share.
  void extract(SharedLoops &Made);

private:
  using Counters = llvm::SmallVector<llvm::Value *, 4>;
  bool isPossible();
  bool makeTree();
  Set whole(const TimedPart &P) const;
  bool findExtents();
  bool findCopies();
  llvm::Value *areApart();
  llvm::Value *withinLimits();
  bool canEvaluate(const llvm::SCEV *E);
  llvm::Value *fixed(const llvm::SCEV *E);
  llvm::Value *frozen(const llvm::SCEV *E);
  llvm::Value *evaluate(const llvm::SCEV *E, const Statement &St,
                        const Counters &At);
  llvm::Value *number(isl_ast_expr *E);
  llvm::Value *truth(isl_ast_expr *E) {
    llvm::Value *V = number(E);
    return V->getType()->isIntegerTy(1)
               ? V
               : B.CreateICmpNE(V, llvm::ConstantInt::get(V->getType(), 0));
  }
  llvm::Value *argument(isl_ast_expr *E, int K) {
    Isl<isl_ast_expr> X(isl_ast_expr_get_op_arg(E, K));
    return number(X.get());
  }
  void node(isl_ast_node *A);
  void loop(isl_ast_node *A);
  void iterate(isl_ast_node *A, llvm::Value *Init, llvm::Value *Bound,
               llvm::Value *Step);
  void share(isl_ast_node *A, llvm::Value *Init, llvm::Value *Bound,
             llvm::Value *Step, llvm::ArrayRef<unsigned> Sums);
  llvm::Value *work(isl_ast_node *A);
  int64_t together(isl_ast_node *A) const;
  llvm::AllocaInst *storage(unsigned Cell, llvm::IRBuilder<> &At);
  void declareApart();
  void tag(llvm::Instruction *New, const llvm::Instruction *Old,
           const Statement &St);
  void leaf(isl_ast_node *A);
  llvm::BasicBlock *block(const char *Name) {
    Blocks.push_back(llvm::BasicBlock::Create(F.getContext(), Name, &F,
                                              N.Outer.getHeader()));
    return Blocks.back();
  }

  struct Instance {
    const Statement &St;
    unsigned Index;
    bool Rest;
    Counters At = {};
    llvm::DenseMap<llvm::Value *, llvm::Value *> Made =
        llvm::DenseMap<llvm::Value *, llvm::Value *>();
  };
  /// An instance of a statement that adds, as it was written.
  struct Addition {
    const Statement *St;
    Counters At;
    llvm::LoadInst *From;
    llvm::StoreInst *To;
  };
  void noteAddition(const Instance &I, llvm::StoreInst *To);
  llvm::BasicBlock *carrySums(llvm::PHINode *I, llvm::BasicBlock *Prepare,
                              llvm::BasicBlock *After);
  llvm::Value *resolve(llvm::Value *V, Instance &I);
  llvm::Value *address(llvm::Instruction *Access, Instance &I);
  llvm::Value *cell(int Index, Instance &I);
  void tagCell(llvm::Instruction *New, int Index, const Instance &I);
  void touch(llvm::Instruction *New, unsigned Array,
             const llvm::Instruction *Old);
  llvm::Value *allocate(llvm::Value *Bytes);
  void release(llvm::Value *Memory);
  bool findCellLengths();
  llvm::Value *allocateCells();
  llvm::Value *cellElement(int Index, const Instance &I);

  Nest &N;
  Scheduler &Of;
  const Schedule &S;
  const bool Threads, Always;
  llvm::Function &F;
  llvm::BasicBlock *Before;
  llvm::IRBuilder<> B;
  llvm::SCEVExpander Expand;
  llvm::Type *I64;
  CellLanes Lanes;
  std::vector<double> Cycles; ///< of an iteration of each statement
  llvm::DenseMap<const llvm::SCEV *, llvm::Value *> Fixed, Frozen;
  static constexpr int MostPieces = 8;
  llvm::DenseMap<const llvm::SCEV *, const llvm::SCEV *> Offsets;
  std::vector<llvm::AllocaInst *> Storage; ///< null: a cell in memory
  /// A cell in memory: how far each counter goes, how many elements each
  /// dimension has, and where it begins.
  struct CellArray {
    unsigned Cell;
    std::vector<Isl<isl_ast_expr>> Most;
    llvm::SmallVector<llvm::Value *, 4> Lengths;
    llvm::Value *Base;
  };
  std::vector<CellArray> CellArrays;
  llvm::Value *CellMemory = nullptr; ///< what they are part of, if any
  Isl<isl_ast_node> Tree;
  Isl<isl_ast_expr> Check;
  /// Of each array: its scope, and those of the arrays that it is apart from.
  std::vector<llvm::MDNode *> Scopes, ApartFrom;
  llvm::MDNode *Parallel = nullptr; ///< the loop's group, if it is one
  /// Of the loop that is written, if no loop is in it.
  llvm::SmallVector<Addition, 16> Additions;
  llvm::SmallVector<std::pair<llvm::Instruction *, unsigned>, 32> Touched;
  std::vector<llvm::BasicBlock *> Blocks; ///< in the order they were made in
  /// A loop that threads share: its blocks, of which the first is its only
  /// door, how much there is to do, and stand-ins for a thread's number and for
  /// how many there are.
  /// An array of which threads may have copies: type and range of elements.
  struct Copy {
    unsigned Array;
    llvm::Type *T;
    Isl<isl_ast_expr> Least, Most;
  };
  std::vector<Copy> Copies;
  /// One in a region: how many elements, and where in a thread's copies.
  struct CopiedArray {
    const Copy *Of;
    llvm::Value *Least, *Length, *Offset;
  };
  struct Region {
    std::vector<llvm::BasicBlock *> Blocks;
    llvm::Value *Work;
    llvm::Value *Enough; ///< all threads are to run it
    llvm::Instruction *Thread, *Count;
    llvm::SmallVector<CopiedArray, 2> Copied;
    llvm::Value *Copies = nullptr;                     ///< or a null pointer
    llvm::Value *EachBytes = nullptr, *Most = nullptr; ///< of so many threads
  };
  void repeat(llvm::Value *Count, llvm::function_ref<void(llvm::Value *)> Body);
  void eachCopied(const Region &R,
                  llvm::function_ref<void(llvm::Value *, const CopiedArray &,
                                          llvm::Value *)>
                      Body);
  void makeCopies(Region &R, llvm::ArrayRef<unsigned> Arrays);
  void useCopies(const Region &R);
  void addCopies(const Region &R);
  std::vector<Region> Regions;
  /// Where the thread of a region has these arrays.
  llvm::DenseMap<unsigned, llvm::Value *> Own;
  bool InRegion = false;
  /// Of each array, for each access: the least and the greatest index of each
  /// dimension, from the first.
  using Range = std::pair<Isl<isl_ast_expr>, Isl<isl_ast_expr>>;
  std::vector<std::vector<llvm::SmallVector<Range, 4>>> Extents;
  bool Wraps = true; ///< nsw does not hold for the number that is written
  llvm::StringMap<llvm::Value *> Names; ///< parameters and counters
};

} // namespace retrograd::loops

#endif
