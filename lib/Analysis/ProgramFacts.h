//===- ProgramFacts.h - what holds for a whole call graph -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts shared by all requests on a call graph of prepared primals: its types
// and abstract memory objects, which objects each function may read or write
// (its callees included), and which objects code outside can see.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_PROGRAMFACTS_H
#define RETROGRAD_ANALYSIS_PROGRAMFACTS_H

#include "Analysis/DigitFlow.h"
#include "Analysis/LaterWrites.h"
#include "Analysis/TextFlow.h"
#include "Analysis/TypeAnalysis.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/Instructions.h"
#include <map>
#include <tuple>

namespace retrograd {
class Catalogue;
struct OperandMemory;
struct OperationRecord;

/// The bytes of a value that hold floats and pointers.
struct ValueShape {
  llvm::SmallVector<TypedLeaf, 2> Floats;
  bool HasPointer = false;
  bool HasUnknown = false;
  bool HasPiece = false; ///< of a float (HasUnknown, too)
};

class ProgramFacts {
public:
  using PreparedOfFn = std::function<llvm::Function *(const llvm::Function *)>;

  ProgramFacts(llvm::ArrayRef<llvm::Function *> Functions,
               PreparedOfFn PreparedOf, const Catalogue &Cat,
               const OutsideEvidence *Outside = nullptr,
               bool ManySweeps = false,
               llvm::ArrayRef<OutsideEvidence::HandedIn> Arguments = {});

  const TypeAnalysis &types() const { return Types; }
  const Catalogue &catalogue() const { return Cat; }
  llvm::Function *preparedOf(const llvm::Function *F) const {
    return PreparedOf(F);
  }

  /// Objects that F and what it calls may read or write. Changes: those whose
  /// bytes may be others afterwards, be they active or what a library keeps in
  /// objects of its own (the characters of a string); Writes and more. Numbers:
  /// those of Writes to which floating-point numbers may be written that are
  /// not constant.
  struct Effects {
    llvm::BitVector Reads, Writes, Changes, Numbers;
    /// Those of Writes to which pointers may be written, null ones included.
    llvm::BitVector Pointers;
  };
  const Effects &effects(const llvm::Function *Prepared) const {
    return EffectsOf.find(Prepared)->second;
  }

  /// What call C itself may read and write that can be active: the effects of
  /// its callee, or what its rule says. Null for a call of which neither is
  /// known.
  const Effects *effects(const llvm::CallBase &C) const;
  /// Objects A and B, neither of them NoObject, can be the same memory: they
  /// are one object, or code that is not here may have made them one (two
  /// parameters with one argument; a string and the result of its begin()).
  bool mayOverlap(TypeAnalysis::ObjectId A, TypeAnalysis::ObjectId B) const;
  /// Memory behind object O can be among `Changes` (see Effects). O is no
  /// NoObject.
  bool isAmong(TypeAnalysis::ObjectId O, const llvm::BitVector &Changes) const;
  /// Adds the objects that I changes (see Effects), its callee included; but
  /// not those that it frees late.
  void addChanges(const llvm::Instruction &I, llvm::BitVector &To) const;
  /// C frees memory at the end of the root, where it is the last that happens
  /// to it: reverse mode does that when the reverse sweep is over, with or
  /// without a shadow.
  bool freesLate(const llvm::CallBase &C) const { return Later->freesLate(C); }
  /// What changes after calls have returned.
  const LaterWrites &later() const { return *Later; }
  /// C, an inactive operation, may change object O by following pointers.
  bool changesBehind(const llvm::CallBase &C, TypeAnalysis::ObjectId O) const;

  /// Object O, or what is reachable from it through stored pointers.
  const llvm::BitVector &reachableFrom(TypeAnalysis::ObjectId O) const;
  /// The type of the numbers that kernels take the memory behind P for, which
  /// they find by pointers in memory; null where nobody tells, or they do not
  /// agree.
  llvm::Type *numbersBehind(const llvm::Value *P) const;
  /// Objects that code outside of the call graph may see: reachable from the
  /// root's parameters and result, from globals, or from unknown calls.
  const llvm::BitVector &visible() const { return Visible; }
  /// As visible(), for the question whether code outside may read numbers where
  /// nothing here does. Callees that nobody can see do not count
  /// (UnseenCallee): a derivative that is asked of them ends the program. Nor
  /// does what only places lead to that every access takes for floats.
  const llvm::BitVector &exposed() const { return Exposed; }

  /// Objects that code elsewhere can reach by the names of global variables.
  const llvm::BitVector &external() const { return External; }
  /// The same, and parameters for which a call that asks for the derivative
  /// passes such memory: code elsewhere can read them.
  const llvm::BitVector &readOutside() const { return ReadOutside; }
  /// C calls a function of which nothing is known and that may use such memory
  /// without being given it. The languages' libraries, and our own, know no
  /// variable of the user's.
  bool mayTouchExternal(const llvm::CallBase &C) const;
  /// All memory that C's arguments and its result lead to.
  llvm::BitVector givenTo(const llvm::CallBase &C) const;
  /// Where C, of which nothing is known, may put what it made of external().
  llvm::BitVector writtenOutside(const llvm::CallBase &C) const;

  /// Objects that inactive operations are given or hand out, where nobody says
  /// how the two belong together.
  const llvm::BitVector &handled() const { return Handled; }

  /// Objects that are only reached by addresses which were computed as
  /// integers: any memory of the program may be there.
  const llvm::BitVector &untraceable() const { return Untraceable; }

  /// Memory that functions of the call graph share behind their arguments'
  /// backs: mutable globals, and what they lead to, as far as numbers may be
  /// written there. Empty for a graph of one function, which sees all accesses
  /// itself.
  const llvm::BitVector &sharedState() const { return Shared; }

  /// Objects whose pointers may be their own shadows: constant globals, what
  /// mutable globals pointed to before, results of functions without a body.
  const llvm::BitVector &unshadowedSources() const { return Unshadowed; }
  /// The root sets every pointer in G before anything reads one: what G pointed
  /// to before the derivative began is never seen.
  bool isSetFirst(const llvm::GlobalVariable &G) const;
  /// V may point to what code outside gave to the call graph, not counting what
  /// functions that nobody sees here might hand out.
  bool mayBeGiven(const llvm::Value &V) const;
  /// Call C releases a block of the heap that may hold numbers of the caller's,
  /// by itself or by realloc: another one may take its place.
  bool releasesGiven(const llvm::CallBase &C) const;
  /// Address P may be that of such a block, or of one that takes its place.
  bool mayBeReleased(const llvm::Value &P) const;
  /// Store S may put the address of one block where that of another was.
  bool mayReplace(const llvm::StoreInst &S) const;
  /// Addresses of such blocks may be in the memory that P leads to.
  bool mayHoldReleased(const llvm::Value &P) const;
  /// Nobody is left who might tell what bytes are that functions only copy: the
  /// running program finds the numbers among them (runtime/unknown.c).
  bool movesUnknownBytes() const { return MovesUnknownBytes; }
  void moveUnknownBytes() { MovesUnknownBytes = true; }
  /// Some function computes integers from the bits of floats.
  bool bitsAreMade() const { return BitsAreMade; }
  /// Objects that include memory of the call graph's own: locals, allocations,
  /// mutable globals.
  const llvm::BitVector &ownedMemory() const { return Owned; }
  /// The function that the user asked for.
  const llvm::Function *root() const { return Root; }
  /// What the calls that ask for the derivative pass for the root's parameters.
  /// Whoever made this keeps them.
  llvm::ArrayRef<OutsideEvidence::HandedIn> handedIn() const {
    return HandedIn;
  }
  /// Threads of a team run F at the same time: it is reached by a fork, or it
  /// shares work or waits with a team that its caller belongs to.
  bool isInTeam(const llvm::Function &Prepared) const {
    return InTeam.contains(&Prepared);
  }
  /// Some function is.
  bool hasTeams() const { return !InTeam.empty(); }
  /// Some function starts threads or tasks that run beside it.
  bool startsThreads() const { return StartsThreads; }
  /// Some function starts threads, and nothing else runs code at the same time:
  /// no region, no task.
  bool hasThreadsAlone() const { return StartsThreads && !HasOtherTeams; }
  /// A thread's part of some team is another thread's in the reverse sweep.
  bool changesThreads() const { return StartsThreads || UsesPool; }
  /// Several teams may run F at the same time, with other arguments each.
  bool isInTeams(const llvm::Function &Prepared) const {
    return InTeams.contains(&Prepared);
  }
  /// F, or what it calls, waits for other threads of its team or excludes them:
  /// its reverse has to do so, too, whatever else it does.
  bool waitsForTeam(const llvm::Function &Prepared) const {
    return Waits.contains(&Prepared);
  }
  /// Other processes take part in what the body F does, and count on its
  /// reverse whatever is active here.
  bool communicates(const llvm::Function &Prepared) const {
    return Communicates.contains(&Prepared);
  }
  /// The same of a call. Messages of integers have no reverse.
  bool communicates(const llvm::CallBase &C) const;
  /// Operand Op of the message C leads to what may be numbers.
  bool movesNumbers(const llvm::CallBase &C, unsigned Op,
                    const OperationRecord &R) const;
  /// Its reverse sweep may run more than once from one primal sweep, so each
  /// has to leave zero adjoints in all memory of the call graph's own.
  bool manySweeps() const { return ManySweeps; }

  /// Where text gets to that numbers are printed to.
  const TextFlow &text() const { return *Text; }
  /// Where the bits of a number become a number by their value.
  const DigitFlow &digits() const { return *Digits; }

  /// The rounding mode may change while functions of the call graph run.
  bool changesRounding() const { return ChangesRounding; }

  /// Numbers of two formats may take turns in the memory behind P, and all that
  /// writes them is here: the running program looks after what lies where
  /// (Emit/FormatWatch.h).
  bool watchesFormats(const llvm::Value *P) const;
  /// The same, and no code outside sees any of it.
  bool hidesFormats(const llvm::Value *P) const;

  /// Cached shape of a value.
  const ValueShape &shape(const llvm::Value *V) const;
  bool carriesFloat(const llvm::Value *V) const {
    return !shape(V).Floats.empty();
  }
  bool carriesPointer(const llvm::Value *V) const {
    return shape(V).HasPointer;
  }

  /// A load or store that takes for integers what others at its place take for
  /// floats, or for things that contradict each other.
  bool isPunned(const llvm::Instruction &Access) const;

  /// Among the Size bytes at P + Offset may be an address that some function
  /// keeps there as an integer (`uintptr_t`): it stores one, or makes a pointer
  /// of what it reads.
  bool holdsAddressWord(const llvm::Value *P, uint64_t Offset,
                        uint64_t Size) const;
  /// Some call hands an address to the integer A.
  bool isGivenAddress(const llvm::Argument &A) const {
    return AddressArguments.contains(&A);
  }

private:
  void addFurther(TypeAnalysis::ObjectId O, const OperandMemory &M,
                  llvm::BitVector &Reads, llvm::BitVector &Writes,
                  llvm::BitVector &Numbers) const;

  void findAddressWords(llvm::ArrayRef<llvm::Function *> Functions);
  void findForeignFormats(llvm::ArrayRef<llvm::Function *> Functions);
  void findTeams(llvm::ArrayRef<llvm::Function *> Functions);
  void findMessages(llvm::ArrayRef<llvm::Function *> Functions);
  void computeEffects(llvm::ArrayRef<llvm::Function *> Functions);
  void computeOrigins(llvm::ArrayRef<llvm::Function *> Functions);
  void computeShared(llvm::ArrayRef<llvm::Function *> Functions);
  /// F, or what it calls, sets the pointer at an offset of G before any of them
  /// reads one in G, and whenever it returns.
  bool setsFirst(const llvm::Function &F, const llvm::GlobalVariable &G,
                 uint64_t Offset) const;
  /// Adds the objects that I itself may write.
  void addWrites(const llvm::Instruction &I, llvm::BitVector &To) const;
  /// May what I writes to memory be a pointer?
  bool mayWritePointers(const llvm::Instruction &I) const;
  /// Does integer code look at bits of floats, as far as types tell?
  bool handlesBits(const llvm::Instruction &I) const;
  bool makesBits(const llvm::Instruction &I) const;
  /// Adds the memory to which I may write floating-point numbers.
  void addNumbersWritten(const llvm::Instruction &I, llvm::BitVector &To) const;
  void computeVisible(llvm::ArrayRef<llvm::Function *> Functions);
  void findReleased(llvm::ArrayRef<llvm::Function *> Functions);
  void findEnclosed(llvm::ArrayRef<llvm::Function *> Functions);
  /// Pointers from code that is not here may lead to object O.
  bool isOutside(TypeAnalysis::ObjectId O) const {
    return Visible.test(O) && !Enclosed.test(O);
  }
  bool anyOutside(const llvm::BitVector &Set) const;
  void computeRounding(llvm::ArrayRef<llvm::Function *> Functions);
  void computeHandled(llvm::ArrayRef<llvm::Function *> Functions);
  void computeNumbersFurther(llvm::ArrayRef<llvm::Function *> Functions);

  const Catalogue &Cat;
  PreparedOfFn PreparedOf;
  TypeAnalysis Types;
  /// Where integers are stored and read that are addresses (`uintptr_t`).
  llvm::SmallVector<const llvm::Value *, 4> AddressWords;
  llvm::SmallPtrSet<const llvm::Argument *, 4> AddressArguments;
  /// Of TypeAnalysis::mixedFormats: what others write, too, or may see.
  llvm::SmallSet<unsigned, 4> ForeignFormats, SeenFormats;
  llvm::DenseMap<const llvm::Function *, Effects> EffectsOf;
  mutable llvm::DenseMap<const llvm::CallBase *, std::unique_ptr<Effects>>
      RuleEffects;
  mutable llvm::DenseMap<TypeAnalysis::ObjectId, llvm::BitVector> Reach;
  llvm::BitVector Visible, Exposed, External, ReadOutside, Shared, Unshadowed,
      Owned, Untraceable;
  /// Given ones with numbers, of which blocks are released (releasesGiven).
  llvm::BitVector ReleasedGiven;
  /// Visible by the names of variables alone, which nobody else has pointers
  /// to.
  llvm::BitVector Enclosed;
  /// What the root's caller, variables and functions without a body lead to.
  llvm::BitVector Given;
  /// What inactive operations are given or hand out, where nobody says how the
  /// two belong together.
  llvm::BitVector Handled;
  /// What numbersBehind() says.
  llvm::BitVector DoublesFurther, FloatsFurther;
  mutable std::map<std::tuple<const llvm::Function *,
                              const llvm::GlobalVariable *, uint64_t>,
                   bool>
      SetFirst;
  const llvm::Function *Root = nullptr;
  llvm::ArrayRef<OutsideEvidence::HandedIn> HandedIn;
  bool ManySweeps;
  llvm::SmallPtrSet<const llvm::Function *, 8> InTeam, InTeams, Waits,
      Communicates;
  bool StartsThreads = false;
  bool HasOtherTeams = false;
  bool UsesPool = false;
  bool ChangesRounding = false;
  bool BitsAreHandled = false; ///< handlesBits of any instruction of the graph
  bool PlainBits = false;      ///< what is unknown is no bits of a number
  bool BitsAreMade = false;    ///< the same of makesBits
  bool MovesUnknownBytes = false;
  mutable llvm::DenseMap<const llvm::Value *, std::unique_ptr<ValueShape>>
      Shapes;
  std::unique_ptr<const TextFlow> Text;
  std::unique_ptr<const DigitFlow> Digits;
  std::unique_ptr<const LaterWrites> Later;
};

/// The function that a direct call names, through aliases and casts; null for
/// indirect calls and inline assembly.
llvm::Function *directCallee(const llvm::CallBase &C);

} // namespace retrograd

#endif
