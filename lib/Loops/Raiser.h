//===- Raiser.h - makes a nest of a loop ------------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of raise() while it asks one thing after the other. Each of these
// is a file:
//
//   NestNumbers.cpp     expressions of scalar evolution as numbers of sets
//   NestControl.cpp     loops, and the iterations in which a block runs
//   NestMemory.cpp      addresses as elements of arrays
//   NestStatements.cpp  stores and cells, with what is computed for them
//   Nest.cpp            the order of all this
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_RAISER_H
#define RETROGRAD_LOOPS_RAISER_H

#include "Loops/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/CmpPredicate.h"
#include <optional>

namespace retrograd::loops {

/// Parameters and counts are less than this, or the nest is not entered.
inline constexpr int64_t Limit = Nest::Limit;
/// What numbers may reach, so that nothing wraps.
inline constexpr double MostReach = 0x1p60;
/// Loops within each other.
inline constexpr unsigned MostDepth = 5;

/// All points of that many dimensions.
inline Set universe(isl_ctx *C, unsigned Dims) {
  return Set(isl_set_universe(isl_space_set_alloc(C, 0, Dims)));
}

/// The tuple of statement K ("S"), or array K ("A").
inline isl_id *named(isl_ctx *C, const char *Kind, unsigned K) {
  return isl_id_alloc(C, (Kind + std::to_string(K)).c_str(), nullptr);
}

/// From iterations of that many loops to the element of Array with the indices
/// Parts.
Map mapTo(isl_ctx *C, std::vector<PwAff> Parts, unsigned Dims, unsigned Array);

/// An address: terms times counters, and terms.
struct Address {
  llvm::Value *Base;
  llvm::SmallVector<std::pair<llvm::Loop *, Term>, 4> Strides;
  llvm::SmallVector<Term, 4> Rest;
};

/// What a loop carries, and memory has, too.
struct InMemory {
  llvm::StoreInst *Next; ///< stores it in each iteration, to one element
  /// Loads or stores its first, in front of the loop. A terminator: the first
  /// is to be stored at the end of its block.
  llvm::Instruction *From;
  bool Behind = false; ///< Next is behind the loop, which is to store it

  bool storesFirst() const { return From && From->isTerminator(); }
};

bool mayOnlySetErrno(const llvm::Instruction *I);

class Raiser {
public:
  Raiser(Nest &N, bool SumsInMemory)
      : N(N), C(N.Context), SE(N.SE), SumsInMemory(SumsInMemory) {}
  bool run();

private:
  bool fail(const char *Why, llvm::Instruction *At = nullptr) {
    if (N.WhyNot.empty()) {
      N.WhyNot = Why;
      N.WhyNotAt = At;
    }
    return false;
  }
  bool fail(const char *Why, llvm::Value *At) {
    return fail(Why, llvm::dyn_cast<llvm::Instruction>(At));
  }
  // Sets and numbers.
  PwAff constant(int64_t K, unsigned Dims);
  PwAff counter(unsigned Index, unsigned Dims);
  PwAff parameter(const llvm::SCEV *S, unsigned Dims);
  /// Null where S is not affine.
  PwAff affine(const llvm::SCEV *S, llvm::ArrayRef<llvm::Loop *> Loops) {
    double Reach = 0;
    PwAff X = affine(S, Loops, Reach);
    return Reach <= MostReach ? X : PwAff();
  }
  PwAff affine(const llvm::SCEV *S, llvm::ArrayRef<llvm::Loop *> Loops,
               double &Reach);
  /// The same of a number of iterations, which is 0 at least where the loop is
  /// entered.
  PwAff count(const llvm::SCEV *S, llvm::ArrayRef<llvm::Loop *> Loops);
  bool isDefined(const llvm::SCEV *S);
  std::optional<Set> condition(llvm::Value *V, bool Holds,
                               llvm::ArrayRef<llvm::Loop *> Loops);
  std::optional<Set> compare(llvm::CmpPredicate P, const llvm::SCEV *X,
                             const llvm::SCEV *Y,
                             llvm::ArrayRef<llvm::Loop *> Loops);
  bool invariant(const llvm::SCEV *S) {
    return SE.isLoopInvariant(S, &N.Outer);
  }
  // Control.
  llvm::SmallVector<llvm::Loop *, 4> loopsAround(const llvm::BasicBlock *B);
  bool checkLoops();
  bool findDomains();
  void ask(const Set &Bad) {
    N.Asked = Set(isl_set_subtract(N.Asked.take(), isl_set_params(Bad.copy())));
  }
  // Statements.
  bool findCells();
  bool findStatements();
  bool addStatement(Statement S);
  bool collect(llvm::Value *V, Statement &S, unsigned Depth = 0);
  bool readCell(int Index, llvm::Value *V, Statement &S);
  bool isSliced(const llvm::Value *V, const Statement &S) const {
    return llvm::is_contained(S.Slice, V);
  }
  bool keep(llvm::Value *V);
  void findInMemory();
  /// The carried number that V is, if it is in memory where S runs.
  llvm::PHINode *inMemory(llvm::Value *V);
  void placeInMemory(llvm::PHINode *Carried, llvm::Value *V, Statement &Own);
  bool readMemory(llvm::PHINode *Carried, llvm::Value *V, Statement &S);
  llvm::StoreInst *storeOfLast(llvm::PHINode &Phi);
  std::optional<InMemory> storedBehind(llvm::PHINode &Phi);
  llvm::Instruction *firstPlace(llvm::PHINode &Phi, llvm::StoreInst &Store);
  bool isSeenBetween(const InMemory &Of);
  /// Where the first number of what Of says is in memory.
  void placeFirst(const InMemory &Of, Statement &S);
  /// A store of a constant that overwrites what R has loaded, in the same
  /// iteration, may wait for that iteration's end.
  bool waits(const Statement &W, const llvm::Instruction &R);
  bool isMissed(const Statement &W);
  bool meets(const Access &A, const Statement &Of, const Map &At,
             const Statement &W, const Map &From, const Map &To);
  /// The loop that stores it.
  llvm::Loop *loopOf(const llvm::PHINode *Carried, const InMemory &Of) const {
    return N.LI.getLoopFor(Of.Behind ? Carried->getParent()
                                     : Of.Next->getParent());
  }
  bool notInMemory(llvm::PHINode *Carried) {
    MemoryOf.erase(Carried);
    Again = true; // the statements are made again
    return true;
  }
  /// Phis where a loop that may not be entered has been passed.
  void findMerges();
  void findSum(Statement &S);
  void place(Statement &S, const llvm::BasicBlock *B, int64_t Within);
  void placeAtEnd(Statement &S, const llvm::BasicBlock *B);
  int64_t indexOf(const llvm::Instruction *I) const;
  int64_t latePlace(const llvm::Instruction *I);
  // Memory.
  bool findArrays();
  std::optional<Address> addressOf(llvm::Instruction *I);
  bool termsOf(const llvm::SCEV *S, llvm::SmallVectorImpl<Term> &To);
  bool linear(const llvm::SCEV *S, Address &A);
  bool apart();
  Map elements(llvm::Instruction *I, const Statement &S);
  /// S reads what the load or store I touches.
  bool addRead(llvm::Instruction *I, Statement &S);
  llvm::SmallVector<int64_t, 4> strides(llvm::Instruction *I,
                                        const Statement &S);
  Map elementsOf(const Cell &Of, const Statement &S);
  bool divides(const Term &D, const Term &T, Term &Quotient);
  bool runsWhere(const Statement &W, const llvm::BasicBlock *B);
  bool findMoved(Statement &S, bool &Kept);
  Map time(const Statement &S, llvm::ArrayRef<int64_t> Places, unsigned Depth);

  Nest &N;
  isl_ctx *C;
  llvm::ScalarEvolution &SE;
  const bool SumsInMemory;
  llvm::SmallVector<llvm::BasicBlock *, 16> Order;
  llvm::DenseMap<const llvm::BasicBlock *, int64_t> Rank;
  llvm::DenseMap<const llvm::BasicBlock *, Set> Domains;
  llvm::DenseMap<const llvm::Loop *, const llvm::SCEV *> Backedges;
  llvm::DenseMap<llvm::Value *, int>
      CellOf; ///< header phis; values that are kept
  /// From a phi behind a loop to the header's phi whose cell it is.
  llvm::DenseMap<const llvm::PHINode *, llvm::PHINode *> MergeOf;
  /// By header phi: the block at whose end its cell gets its first number.
  llvm::DenseMap<const llvm::PHINode *, llvm::BasicBlock *> FirstAt;
  llvm::SmallVector<llvm::Value *, 4> Kept;
  /// By header phi, or by the phi of the last number behind a loop.
  llvm::MapVector<llvm::PHINode *, InMemory> MemoryOf;
  /// Stores that wait for the end of their iteration, and those that may not.
  llvm::SmallSetVector<const llvm::Instruction *, 4> Waiting, Impatient;
  bool Again = false;
  llvm::SmallVector<llvm::Instruction *, 32> Accesses; ///< loads and stores
  llvm::SmallVector<llvm::CallBase *, 2> Errno; ///< calls that may set it
  llvm::DenseMap<const llvm::Instruction *, Address> Addresses;
  llvm::DenseMap<const llvm::Instruction *, unsigned> ArrayOf;
  std::vector<llvm::SmallVector<Term, 4>>
      Chains; ///< of each array, from the element
};

} // namespace retrograd::loops

#endif
