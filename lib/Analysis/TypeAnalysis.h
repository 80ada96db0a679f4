//===- TypeAnalysis.h - what lies at each byte of memory --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM pointers are opaque, and copies move bytes as integers. This analysis
// says, for each byte behind a pointer and each byte of an integer SSA value,
// whether it belongs to a float (of which format), a pointer, or neither.
// See lib/Analysis/README.md for the method.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_TYPEANALYSIS_H
#define RETROGRAD_ANALYSIS_TYPEANALYSIS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include <memory>
#include <optional>

namespace llvm {
class LoadInst;
} // namespace llvm

namespace retrograd {
class Catalogue;

/// What a byte range holds.
struct ByteKind {
  enum Kind : uint8_t {
    Unknown, ///< no evidence at all
    Integer, ///< evidence of a non-pointer, non-float use
    Float,   ///< part of a floating-point number of type FP
    Pointer, ///< part of a pointer
    Conflict ///< contradicting evidence
  } K = Unknown;
  /// For Float: the scalar floating-point type. For Conflict: that of a word
  /// which is a pointer at other times; null if nothing is known.
  llvm::Type *FP = nullptr;
  bool operator==(const ByteKind &) const = default;
};

/// One typed piece of a byte range: [Offset, Offset + Size) in bytes. A Float
/// leaf smaller than its type is a part of a number that is copied in pieces.
struct TypedLeaf {
  uint64_t Offset;
  uint64_t Size;
  ByteKind Kind;
};

class TypeAnalysis;

/// What code outside of the analysed functions tells of the memory that it
/// hands in. Trusted least of all: it is asked where a function only moves
/// bytes and no access says what they are.
struct OutsideEvidence {
  /// Types of the functions around the calls; may be null.
  const TypeAnalysis *Types = nullptr;
  /// A parameter, and the value that a caller passes for it.
  struct HandedIn {
    const llvm::Argument *Parameter;
    const llvm::Value *Passed;
    /// Passed is an address, and the parameter is loaded from there.
    std::optional<uint64_t> LoadedAt;
  };
  llvm::SmallVector<HandedIn, 8> Arguments;
  /// Ask the declared types in debug information, too.
  bool DebugInfo = false;
};

/// Types of all memory and integer values of a set of functions (prepared
/// primals that call each other). Built once; never changes IR.
class TypeAnalysis {
public:
  /// An abstract memory object: all memory that a set of pointers may point
  /// to, as far as flow-insensitive unification can tell. Stable ids.
  using ObjectId = unsigned;
  static constexpr ObjectId NoObject = ~0u;

  TypeAnalysis(
      llvm::ArrayRef<llvm::Function *> Functions,
      llvm::function_ref<llvm::Function *(const llvm::Function *)> PreparedOf,
      const Catalogue &Cat, const OutsideEvidence *Outside = nullptr,
      bool KeepJournal = false);
  ~TypeAnalysis();

  /// Leaves of the `Size` bytes at pointer `P`, in order of offset, covering
  /// all of [0, Size) (Unknown where nothing is known).
  llvm::SmallVector<TypedLeaf, 4> leavesAt(const llvm::Value *P,
                                           uint64_t Size) const;

  /// Does Holds hold of all of them? Of memory of any size, nothing is listed
  /// beyond the first of which it does not.
  bool allLeavesAt(const llvm::Value *P, uint64_t Size,
                   llvm::function_ref<bool(const TypedLeaf &)> Holds) const;

  /// Does anything take any of the Size bytes at P, or at the places that P may
  /// step to, for a part of a float? Asked where leavesAt has better evidence
  /// of integers.
  /// Possibly: arrays without a known end count, too.
  bool touchesFloat(const llvm::Value *P, uint64_t Size,
                    bool Possibly = false) const;
  /// The same of Size bytes from Offset on, by what the program itself does
  /// there, arrays without a known end included.
  bool mayReachFloat(const llvm::Value *P, uint64_t Offset,
                     uint64_t Size) const;
  /// The Size bytes at P, Offset behind it, are integers to some callers of P's
  /// function and floats to others, and the function itself does not know: a
  /// body for each caller would tell.
  bool isContested(const llvm::Value *P, uint64_t Offset, uint64_t Size) const;
  /// F is one of the functions that were analysed.
  bool analysed(const llvm::Function &F) const;
  /// The same, of what accesses say themselves, where the program is known to
  /// copy bits of floats (SourceFact::CopiesBits); with a period, of the places
  /// that follow, too.
  bool storesFloat(const llvm::Value *P, uint64_t Size, uint64_t Offset = 0,
                   uint64_t Period = 0) const;
  /// Do accesses take any of the Size bytes at P + Offset, or of what follows
  /// with that period, for a part of a float?
  bool storesNumber(const llvm::Value *P, uint64_t Offset, uint64_t Size,
                    uint64_t Period) const;
  /// The same for a part of a float of four bytes.
  bool storesSingle(const llvm::Value *P, uint64_t Offset, uint64_t Size) const;
  /// Of some float among the Size bytes behind P it is known only from an index
  /// whose end is not, which may stop before it: `p->x[i] = v` speaks of x, and
  /// perhaps not of what follows.
  bool knowsByIndexOnly(const llvm::Value *P, uint64_t Size) const;
  /// A number of which a part lies among some bytes: it begins Start behind
  /// (or before) them.
  struct FloatPart {
    int64_t Start;
    llvm::Type *FP;
  };
  /// The numbers that make up the Size bytes at P, if nothing in the program
  /// takes any of these bytes for anything else, or may. Else none.
  llvm::SmallVector<FloatPart, 2> floatsAlone(const llvm::Value *P,
                                              uint64_t Size) const;
  /// All that is known of the memory behind P is that it holds floats of one
  /// format.
  bool leadsToFloatsOnly(const llvm::Value *P) const;
  /// Copies connect the memory behind P with that behind Q.
  bool areCopiedBetween(const llvm::Value *P, const llvm::Value *Q) const;
  /// Nothing is known of the Size bytes at P but what copies and registers
  /// brought, or did not. NorCallers: and callers know nothing of them.
  bool isKnownByCopiesOnly(const llvm::Value *P, uint64_t Size,
                           bool NorCallers = false) const;
  /// Some of the Size bytes at P + Offset may be some of those at Q, or
  /// (Behind) behind Q. Two objects are taken for different memory.
  bool mayMeet(const llvm::Value *P, const llvm::Value *Q, uint64_t Size,
               bool Behind, uint64_t Offset = 0) const;
  /// Do the callers know of floats at any of the Size bytes at P + Offset?
  /// False if they were not asked.
  bool callersKnowFloat(const llvm::Value *P, uint64_t Offset,
                        uint64_t Size) const;
  /// The format of the floats that share the Size bytes at P + Offset with
  /// pointers (and, if so told, Integers) by turns; null if these bytes hold,
  /// or may hold, something else.
  llvm::Type *sharedWithPointers(const llvm::Value *P, uint64_t Offset,
                                 uint64_t Size, bool Integers) const;
  /// The word at P holds doubles and pointers by turns, or copies connect it
  /// with one that does: it may hold either, whatever it is accessed as.
  bool isByTurns(const llvm::Value *P, uint64_t Offset = 0) const;
  /// Copies or stores bring pointers to the word at just this place.
  bool mayLead(const llvm::Value *P, uint64_t Offset) const;
  /// Behind P lies memory that the types have made one object of which any word
  /// may be a pointer: they do not tell which words are something by turns.
  bool isJumbled(const llvm::Value *P) const;
  /// Something takes just the Size bytes at P + Offset for a pointer, or may.
  bool holdsPointers(const llvm::Value *P, uint64_t Offset,
                     uint64_t Size) const;
  /// All that the memory from P on may be by turns: what anything takes it for,
  /// and the numbers of what copies connect it with.
  struct Kinds {
    bool Doubles = false, Singles = false, Pointers = false, Integers = false;
    /// Other formats, or numbers and pointers that do not lie at a whole number
    /// of their sizes behind P: words say nothing of them.
    bool Others = false;
  };
  /// At is the alignment of P that is known.
  Kinds kindsFrom(const llvm::Value *P, llvm::Align At = llvm::Align()) const;
  /// The numbers of all memory that copies connect with that behind P, and of
  /// this itself, are doubles.
  bool meetsDoublesOnly(const llvm::Value *P) const;
  /// The formats of the numbers that accesses find among the Size bytes at P,
  /// or, of an unknown Size, from there on.
  llvm::SmallVector<llvm::Type *, 2>
  formatsAt(const llvm::Value *P, std::optional<uint64_t> Size) const;
  /// Numbers of two formats may lie in one place behind P, or copies connect it
  /// with such memory: all that is so connected, or none.
  std::optional<unsigned> mixedFormats(const llvm::Value *P) const;
  std::optional<unsigned> mixedFormats(ObjectId O) const;
  bool mixesFormats() const; ///< anywhere
  /// Copies take bytes of the memory behind P on to (Gives) other memory that
  /// accesses have for numbers of format FP, or bring them from there.
  bool exchangesFormat(const llvm::Value *P, const llvm::Type *FP,
                       bool Gives) const;
  /// No analysed function stores what may be a number of format FP to the
  /// memory behind P, or to any that copies connect it with.
  bool isNeverWrittenAs(const llvm::Value *P, const llvm::Type *FP) const;
  /// O is accessed as integers that are bits of numbers. Asked for the first
  /// time, it looks at all functions.
  bool holdsBitsOfNumbers(ObjectId O) const;
  /// P may be any byte of its object: memory that the program deals out by
  /// bytes.
  bool isAnyPlace(const llvm::Value *P) const;
  /// A load or store of what the program wrote as an integer, which is not only
  /// moved, at a place of which nothing is known (memory that the program deals
  /// out by bytes), in a file that reaches no number by an address of integers
  /// (SourceFact::PlainIntegers).
  bool isPlainInteger(const llvm::Instruction &Access) const;
  /// A load or store of what is only moved, and what the program has for an
  /// integer there (not for a union's member), in such a file.
  bool isPlainMove(const llvm::Instruction &Access) const;
  /// A load of a member that its struct declares as an integer
  /// (SourceFact::Integer), in such a file:
  /// whatever else lies in the same memory, it is no part of a number.
  static bool readsPlainMember(const llvm::LoadInst &Access);
  /// A load or store of an integer which is only moved from memory to memory,
  /// and which nothing declares: callers may know better what it is.
  bool isBareMove(const llvm::Instruction &Access) const;
  /// Integers that are read from just the places of P are indices into memory.
  bool isIndexPlace(const llvm::Value *P) const;
  /// A load or store of what its struct declares as an integer.
  static bool isDeclaredInteger(const llvm::Instruction &Access);

  /// As leavesAt for a range whose length is not a constant: the repeating
  /// pattern of the memory at P and its period in bytes. None if there is no
  /// single pattern (then a copy of that range has to be refused or the
  /// range proved irrelevant). A struct that ends in an array of unknown length
  /// begins with what does not repeat.
  struct Pattern {
    uint64_t Period;
    uint64_t Header; ///< bytes before the first repetition
    llvm::SmallVector<TypedLeaf, 4>
        Leaves; ///< of the header, then of one repetition
  };
  std::optional<Pattern> patternAt(const llvm::Value *P) const;
  /// What the standard library moves in this copy (SourceFact::Elements): one
  /// element.
  std::optional<Pattern> elementsOf(const llvm::Instruction &Copy) const;

  /// Leaves of an SSA value of any first-class type: FP and pointer types
  /// answer for themselves, integers from evidence, vectors and aggregates by
  /// element, in the layout that storing the value to memory would have.
  llvm::SmallVector<TypedLeaf, 4> leavesOf(const llvm::Value *V) const;

  /// All that any caller passes for the integer A was counted with: it is no
  /// address, and no bits of a number.
  bool isCount(const llvm::Argument &A) const;

  /// Leaves that an access instruction itself proves (TBAA, tbaa.struct), or
  /// those of leavesAt: the answer for a memcpy, load or store of integers.
  llvm::SmallVector<TypedLeaf, 4> leavesOfAccess(const llvm::Instruction *I,
                                                 const llvm::Value *P,
                                                 uint64_t Size) const;

  /// The floats and pointers that the type of an assignment declares
  /// (tbaa.struct). They are what it moves, whatever else its ends hold by
  /// turns.
  llvm::SmallVector<TypedLeaf, 4>
  declaredBy(const llvm::Instruction &Copy) const;
  /// The type of the assignment that Copy is says what L is, or that it is
  /// padding.
  bool declares(const llvm::Instruction &Copy, const TypedLeaf &L) const;
  /// All bytes of L belong to leaves of All, which do not overlap.
  static bool covers(llvm::ArrayRef<TypedLeaf> All, const TypedLeaf &L);

  /// The abstract object behind a pointer; NoObject for non-pointers.
  ObjectId objectOf(const llvm::Value *P) const;
  /// Objects that pointers stored in object O may point to (direct only).
  llvm::SmallVector<ObjectId, 4> pointees(ObjectId O) const;
  /// Without those of places that every access takes for floats: a copy of
  /// bytes to a place that holds pointers by turns made pointers of them, too.
  llvm::SmallVector<ObjectId, 4> pointeesBesideFloats(ObjectId O) const;
  unsigned numObjects() const;
  const llvm::DataLayout &dataLayout() const;

  void print(llvm::raw_ostream &OS) const;
  /// The functions whose calls made the memory behind these pointers one with
  /// other memory, or with other places of it: a body for each call would tell
  /// them apart. Of an analysis that kept a journal; in the order in which it
  /// happened.
  llvm::SmallVector<llvm::Function *, 8>
  mergedByCallsOf(llvm::ArrayRef<const llvm::Value *> Pointers) const;
  /// Which instruction made two objects one, or a pointer point to more places;
  /// of an analysis that kept a journal.
  void printMerges(llvm::raw_ostream &OS) const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace retrograd

#endif
