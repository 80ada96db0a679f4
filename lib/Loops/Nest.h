//===- Nest.h - a loop nest as sets of iterations ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop, with all loops in it, whose bounds, conditions and addresses are
// affine in the loops' counters and in numbers that do not change in it. It is
// taken apart into statements. A statement is a store with all that has to be
// computed for it, or the change of a cell: a number that goes from iteration
// to iteration, or from an outer loop to an inner one, without memory.
//
// Counters count from 0 in steps of 1, whatever the program's do.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_NEST_H
#define RETROGRAD_LOOPS_NEST_H

#include "Loops/Isl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include <memory>
#include <vector>

namespace llvm {
class AAResults;
class DominatorTree;
class Loop;
class LoopInfo;
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace retrograd::loops {

/// A number without memory. It has one element for each iteration of the loops
/// around the place that makes it.
struct Cell {
  llvm::Value *V;                           ///< a header's phi, or what is kept
  llvm::SmallVector<llvm::Loop *, 4> Loops; ///< outermost first
  bool Carried;                             ///< from iteration to iteration
  bool InMemory = false; ///< each element has a place in memory of its own
  unsigned Array = 0;    ///< its number among all memory
};

struct Access {
  unsigned Array;
  Map Where; ///< { statement -> elements }
  /// Load or store; null: a cell. A read by a store is of what it has stored.
  llvm::Instruction *I = nullptr;
  int CellIndex = -1;
  /// Bytes from one iteration of each loop to the next; Far: not a constant.
  /// Of a cell: if it is in memory.
  llvm::SmallVector<int64_t, 4> Strides;
  static constexpr int64_t Far = int64_t(1) << 40;
};

struct Statement {
  enum Kind : uint8_t { Store, SetCell } K = Store;
  llvm::Instruction *At = nullptr; ///< the store, or where the cell is set
  llvm::Value *V = nullptr;        ///< what is stored
  int CellIndex = -1;              ///< of the cell that is set
  llvm::SmallVector<llvm::Loop *, 4> Loops; ///< outermost first
  std::vector<int64_t> Places; ///< among its siblings: one more than Loops
  Set Domain;
  std::vector<Access> Reads;
  Access Write;
  bool SetsErrno = false; ///< or may, by a call
  /// It adds to what it writes, in any order: index of that read; else -1.
  int Sum = -1;
  /// Values that are read from cells rather than computed.
  llvm::DenseMap<llvm::Value *, int> FromCells;
  /// Values that are read from where this stores, since they are there, too.
  llvm::DenseMap<llvm::Value *, llvm::StoreInst *> FromMemory;
  /// What is computed again, in the order of the program.
  llvm::SmallVector<llvm::Instruction *, 16> Slice;
};

/// A constant times numbers that do not change.
struct Term {
  int64_t C;
  llvm::SmallVector<const llvm::SCEV *, 2> Factors; ///< sorted by address
};

/// One array, or one cell.
struct NestArray {
  llvm::Value *Base = nullptr; ///< null: a cell
  int64_t ElementBytes = 8;
  /// Bytes from one index to the next, of each dimension, from the last (the
  /// element) to the first.
  llvm::SmallVector<Term, 4> Strides;
  /// Indices of each dimension but the first, from the last: a constant times
  /// what does not change, which is a parameter; null: 1.
  llvm::SmallVector<std::pair<int64_t, const llvm::SCEV *>, 4> Sizes;
  /// Addresses that differ by less than 2^63 cannot be taken for granted.
  bool MayWrap = false;
};

struct Nest {
  Nest(llvm::Loop &L, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
       llvm::AAResults &AA, llvm::DominatorTree &DT)
      : Outer(L), LI(LI), SE(SE), AA(AA), DT(DT), Context(Quota) {}

  llvm::Loop &Outer;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::AAResults &AA;
  llvm::DominatorTree &DT;
  static constexpr unsigned long Quota = 4'000'000;
  IslContext Context;

  /// Numbers that do not change in the nest; parameter k is called p<k>.
  llvm::MapVector<const llvm::SCEV *, unsigned> Parameters;
  std::vector<NestArray> Arrays;
  std::vector<Cell> Cells;
  std::vector<Statement> Statements;
  /// What is known of the parameters, and what has to be asked at run time: for
  /// others the nest may not be what it looks like.
  Set Known, Asked;
  /// Arrays, one of which is written, that have to be asked whether they share
  /// memory.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 8> MayMeet;
  /// Scopes of aliasing are declared within: they tell nothing about other
  /// iterations.
  bool DeclaresScopes = false;
  /// A loop carries what is loaded in front of it and stored again behind it.
  bool HasSums = false;
  /// A number that is computed once is used in a loop further in.
  bool HasOuterNumbers = false;
  /// A is to a register, or to a few of them.
  bool isRegister(const Access &A) const {
    return !A.I && !Cells[A.CellIndex].InMemory;
  }
  /// Cells whose last number is used behind the nest, by this phi.
  llvm::SmallVector<std::pair<llvm::PHINode *, int>, 2> Results;
  /// Why this is no such nest, and where.
  std::string WhyNot;
  llvm::Instruction *WhyNotAt = nullptr;

  static constexpr int64_t Limit = int64_t(1) << 31;
};

/// How a nest is raised.
struct RaiseOptions {
  /// What a loop carries is where it was loaded, if it is stored there again,
  /// and not in a cell.
  bool SumsInMemory = false;
  /// Numbers of outer loops that inner ones use have an element in memory for
  /// each iteration, so that the loops that set them and those that read them
  /// may be apart.
  bool CellsInMemory = false;
};

/// Null if L is no such nest; WhyNot says why.
std::unique_ptr<Nest> raise(llvm::Loop &L, llvm::LoopInfo &LI,
                            llvm::ScalarEvolution &SE, llvm::AAResults &AA,
                            llvm::DominatorTree &DT, RaiseOptions How,
                            std::string &WhyNot, llvm::Instruction *&WhyNotAt);

} // namespace retrograd::loops

#endif
