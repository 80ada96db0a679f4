//===- Columns.h - iterations of a loop as lanes of vectors -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What VectorColumns.cpp says in words, as one object per loop:
// ColumnSearch.cpp finds what each value of the loop is in all lanes, and that
// lanes do not meet (and changes nothing), ColumnEmission.cpp writes the loops.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_COLUMNS_H
#define RETROGRAD_POLISH_COLUMNS_H

#include "Polish/RewriteLoops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace retrograd::columns {

/// What a value is, of all lanes: the same, that of the lane with the least
/// address (only addresses are computed of it), or a vector.
enum class Shape : uint8_t { Same, Moving, Vector };

/// One load or store.
struct Place {
  llvm::Instruction *I;
  const llvm::SCEV *Base;
  /// Of places that move: the address in the first iteration of all loops from
  /// ours on, and by how much inner loops move it.
  const llvm::SCEV *Start = nullptr;
  llvm::SmallVector<const llvm::SCEV *, 2> Moves;
  bool Moving = false, Write = false, Sum = false;
  unsigned Bytes = 0;
};

class Columns {
public:
  Columns(llvm::Loop &L, llvm::Function &F, llvm::FunctionAnalysisManager &FAM)
      : L(L), F(F), LI(FAM.getResult<llvm::LoopAnalysis>(F)),
        SE(FAM.getResult<llvm::ScalarEvolutionAnalysis>(F)),
        AA(FAM.getResult<llvm::AAManager>(F)),
        DT(FAM.getResult<llvm::DominatorTreeAnalysis>(F)),
        TTI(FAM.getResult<llvm::TargetIRAnalysis>(F)), Order(&L),
        Expand(SE, "rg.columns") {}
  bool find();
  LoopHeaders transform();

private:
  static constexpr unsigned MostInstructions = 200;
  /// Vectors of the machine for one value.
  static constexpr unsigned MostVectors = 4;

  Shape shapeOf(const llvm::Value *V) const {
    auto It = Shapes.find(V);
    return It == Shapes.end() ? Shape::Same : It->second;
  }
  /// By how much V moves from one iteration of L to the next; none: not known.
  std::optional<int64_t> step(llvm::Value *V);
  bool isSound(llvm::Instruction &I);
  bool findShapes();
  std::optional<Shape> classify(llvm::Instruction &I);
  bool carriesSum(llvm::PHINode &Phi);
  bool findSum(llvm::StoreInst &S);
  bool addPlace(llvm::Instruction &I);
  bool areApart();
  bool mayMeet(const Place &X, const Place &Y) const;
  bool isRow(const llvm::SCEV *Difference);
  bool isWorthwhile() const;
  unsigned alive() const;

  llvm::BasicBlock *vectorLoop(llvm::BasicBlock *Before, llvm::Value *&Trips,
                               unsigned Lanes);
  llvm::Value *vector(llvm::IRBuilder<> &B, llvm::Value *V);
  llvm::Value *scalar(llvm::Value *V) const {
    llvm::Value *X = Scalars.lookup(V);
    return X ? X : V;
  }
  void copy(llvm::IRBuilder<> &B, llvm::Instruction &I);

  llvm::Loop &L;
  llvm::Function &F;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::AAResults &AA;
  llvm::DominatorTree &DT;
  llvm::TargetTransformInfo &TTI;
  llvm::LoopBlocksRPO Order;
  llvm::SCEVExpander Expand;

  llvm::DenseMap<const llvm::Value *, Shape> Shapes;
  llvm::SmallVector<Place, 16> Places;
  llvm::SmallPtrSet<const llvm::Instruction *, 8>
      Carried; ///< phis of sums, in the header
  llvm::SmallDenseMap<const llvm::StoreInst *, llvm::BinaryOperator *> Sums;
  llvm::SmallPtrSet<const llvm::Instruction *, 4> SumAdditions;
  const llvm::Instruction *Latched = nullptr; ///< the condition of the latch
  bool Down = false, Up = false;              ///< rows are walked
  unsigned WidestBits = 0;
  /// Rows are multiples of Row * Times bytes long; Row may be null.
  const llvm::SCEV *Row = nullptr;
  uint64_t Times = 0;
  llvm::Value *Length = nullptr; ///< Row, in front of the loop

  // Of one copy.
  unsigned Width = 0;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Scalars, Vectors;
};

} // namespace retrograd::columns

#endif
