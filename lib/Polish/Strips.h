//===- Strips.h - a loop of additions, run in strips ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What StripAdditions.cpp says in words, as one object per loop:
// StripSearch.cpp finds the additions of a loop, the places they go to and the
// groups of places (and changes nothing), StripEmission.cpp writes the strips.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_STRIPS_H
#define RETROGRAD_POLISH_STRIPS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <vector>

namespace retrograd::strips {

/// Shorter loops gain nothing; it is also more than any group is wide.
inline constexpr unsigned LeastTrips = 16;
/// The shortest and the longest strip, in pieces of so many iterations.
inline constexpr unsigned PieceTrips = 32, LeastStrip = 64, LongestStrip = 320;
/// The most places between the first and the last one of a group.
inline constexpr int64_t MostWidth = 8;
/// On the stack.
inline constexpr uint64_t MostBufferBytes = 12 * 1024;
inline constexpr unsigned MostGroups = 12;
/// Of groups that are compared with each other.
inline constexpr unsigned MostApart = 6;

/// p[...] += sum of Plus - sum of Minus
struct Addition {
  llvm::Value *Pointer;
  llvm::LoadInst *Load;
  llvm::StoreInst *Store;
  llvm::SmallVector<llvm::Value *, 2> Plus, Minus;
  llvm::SmallVector<llvm::Instruction *, 2> Chain; ///< the additions themselves
};

/// A place of the stencil: what is added there goes into a buffer.
struct Place {
  llvm::SmallVector<const Addition *, 2> Additions; ///< at the same address
  const llvm::SCEVAddRecExpr *Address;
  bool Wraps; ///< it has this address but in the first or the last iteration
  int64_t Offset = 0;   ///< from its group's, in elements
  bool Guessed = false; ///< to be compared when the loop is entered
  unsigned Buffer = 0;
};

/// A place that is the same in all iterations: a sum.
struct FixedPlace {
  const llvm::SCEV *Address;
  llvm::SmallVector<const Addition *, 2> Additions;
  llvm::Value *At = nullptr; ///< in front of the loop
};

/// Places a constant apart.
struct Group {
  const llvm::SCEVAddRecExpr *Address;
  llvm::Type *Ty;
  bool Down; ///< from high addresses to low ones
  llvm::SmallVector<Place *, 6> Places;
  int64_t first() const {
    return (*llvm::min_element(
                Places, [](auto *A, auto *B) { return A->Offset < B->Offset; }))
        ->Offset;
  }
  int64_t last() const {
    return (*llvm::max_element(
                Places, [](auto *A, auto *B) { return A->Offset < B->Offset; }))
        ->Offset;
  }
  bool wraps() const {
    return llvm::any_of(Places, [](auto *P) { return P->Wraps; });
  }
};

/// By how many bytes A moves per iteration; 0 if that is not a small constant.
int64_t stride(const llvm::SCEVAddRecExpr *A, llvm::ScalarEvolution &SE);

class Strips {
public:
  Strips(llvm::Loop &L, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
         llvm::AAResults &AA, llvm::DominatorTree &DT, unsigned VectorBits)
      : L(L), LI(LI), SE(SE), AA(AA), DT(DT), Body(L.getHeader()),
        F(*Body->getParent()), DL(F.getDataLayout()), Expand(SE, "rg.strip"),
        VectorBits(VectorBits) {}

  /// Nothing is changed by this.
  bool find();
  /// The block of the iterations that compute.
  llvm::BasicBlock *transform() { return Gathers ? gather() : fillAndAdd(); }

private:
  using Ends = std::pair<llvm::Value *, llvm::Value *>;
  bool findAdditions();
  bool isAdditionOf(llvm::StoreInst &S, Addition &A);
  bool classify();
  bool findSums();
  bool dependsOn(llvm::Value *V, const llvm::PHINode &Phi);
  bool findPlaces();
  const llvm::SCEVAddRecExpr *affine(llvm::Value *Pointer, bool &Wraps);
  bool findWraps(llvm::Value *V, llvm::SmallPtrSetImpl<llvm::Value *> &Seen);
  bool goesDown(const Place &P) { return stride(P.Address, SE) < 0; }
  bool someMeet();
  bool groupPlaces();
  bool fitsBuffers();
  bool findGathers();
  bool repeatable(llvm::Value *V, int64_t Shift);
  bool findTakes();
  bool findLeaving();
  bool meets(const Addition &A, llvm::Instruction &I);
  bool safeToExpand(const llvm::SCEV *S) {
    return Expand.isSafeToExpandAt(S, Before->getTerminator());
  }
  Ends range(llvm::IRBuilder<> &B, const llvm::SCEV *Address, uint64_t Bytes,
             int64_t From, int64_t To);
  llvm::Value *at(llvm::Value *Pointer, bool Last,
                  llvm::DenseMap<llvm::Value *, llvm::Value *> &Map);
  llvm::Value *check(llvm::IRBuilder<> &B);
  llvm::BasicBlock *fillAndAdd();
  void addGroup(llvm::IRBuilder<> &B, const Group &G);

  /// A place in the row of iterations, counted from the lowest address: Shift
  /// behind the beginning, the end, or the place at which the loop is.
  struct Row {
    llvm::Value *From = nullptr; ///< the loop's, or the number of iterations
    int64_t Shift = 0;
    bool AtEnd = false;
    Row operator+(int64_t More) const { return {From, Shift + More, AtEnd}; }
  };
  llvm::BasicBlock *gather();
  llvm::Value *apart(llvm::IRBuilder<> &B);
  llvm::Value *lowest(llvm::IRBuilder<> &B, const llvm::SCEV *Address);
  llvm::Value *index(llvm::IRBuilder<> &B, Row At);
  llvm::Value *numberAt(
      llvm::IRBuilder<> &B, llvm::Value *V, Row At,
      llvm::DenseMap<std::pair<llvm::Value *, int64_t>, llvm::Value *> &Known);
  void gatherAt(llvm::IRBuilder<> &B, llvm::ArrayRef<const Group *> At, Row T,
                llvm::MDNode *Together);
  llvm::Value *element(llvm::IRBuilder<> &B, llvm::Type *T, unsigned Buffer,
                       llvm::Value *Index) {
    return B.CreateInBoundsGEP(T, Buffers[Buffer], Index);
  }
  /// I is an access to a buffer, or to anything but a buffer.
  void toBuffer(llvm::Instruction *I) {
    I->setMetadata(llvm::LLVMContext::MD_alias_scope, BufferScope);
  }
  void notToBuffer(llvm::Instruction *I) {
    I->setMetadata(
        llvm::LLVMContext::MD_noalias,
        llvm::MDNode::concatenate(I->getMetadata(llvm::LLVMContext::MD_noalias),
                                  BufferScope));
  }
  /// The loop that ends with Back is to be vectorised, and not unrolled, since
  /// it is short; in half vectors, if it reads or writes buffers of Number.
  void hint(llvm::Instruction *Back, llvm::Type *Number = nullptr);

  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::AAResults &AA;
  llvm::DominatorTree &DT;
  llvm::BasicBlock *Body, *Before = nullptr, *After = nullptr;
  llvm::Function &F;
  const llvm::DataLayout &DL;
  llvm::SCEVExpander Expand;
  const unsigned VectorBits; ///< of the machine's vectors

  const llvm::SCEV *Backedges = nullptr; ///< taken, 64 bits
  std::vector<Addition> Additions;
  std::vector<Place> Places;
  std::vector<Group> Groups;
  std::vector<FixedPlace> FixedPlaces;
  llvm::SmallPtrSet<llvm::Instruction *, 16> Moved; ///< parts of additions
  llvm::SmallVector<llvm::Instruction *, 16>
      Others; ///< accesses that no addition may meet
  /// (i == border ? x : y) and what it is within.
  llvm::MapVector<llvm::SelectInst *, const llvm::SCEV *> Wraps;
  llvm::ValueToSCEVMapTy Within;
  llvm::SmallVector<const llvm::SCEVPredicate *, 4> Preconditions;
  bool Down = false;  ///< the first place goes from high addresses to low ones
  bool Mixed = false; ///< and another one the other way
  unsigned Least = LeastTrips;

  // Without buffers.
  bool Gathers = false;
  llvm::SmallSetVector<std::pair<llvm::Value *, int64_t>, 16> Repeated;
  llvm::SmallVector<llvm::StoreInst *, 2> Takes; ///< what is taken, later
  llvm::MapVector<llvm::Value *, const llvm::SCEV *>
      Leaving; ///< integers that are used behind the loop
  int64_t LeastShift = 0, MostShift = 0; ///< of what an iteration reads
  /// A strip: as long as the buffers allow, since what it ends with, and its
  /// first additions, which wait for the last numbers to reach the buffers,
  /// come once for each. The last one may be longer by a half, so that none is
  /// shorter than half of it.
  unsigned StripTrips = LeastStrip, MostTrips = 0;

  // Of the code that is made.
  llvm::SmallVector<llvm::AllocaInst *, 8> Buffers;
  llvm::SmallVector<llvm::Type *, 8> BufferTypes;
  llvm::MDNode *BufferScope = nullptr;
  llvm::Value *Trips = nullptr, *Done = nullptr,
              *Now = nullptr; ///< of the loop; before this strip; in it
  llvm::DenseMap<const Group *, llvm::Value *> Base;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Lowest; ///< of gathers
  llvm::DenseMap<const Place *, Ends> AtEnds;
  llvm::DenseMap<llvm::Value *, llvm::Value *> InFirst, InLast;
};

} // namespace retrograd::strips

#endif
