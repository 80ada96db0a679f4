//===- ObjectGraph.h - abstract memory objects and pointers -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory model under the type analysis: Steensgaard's unification, kept
// precise inside an object by offsets and strides.
//
//   object    all memory a set of pointers may point to. Objects merge (a
//             weighted union-find: each member knows its byte offset within
//             the representative, so merging loses no offsets).
//   position  where a pointer may point in an object: { Off + k * Stride }
//             within [Lo, Hi). Stride 0 is one exact byte.
//   variable  something that holds a pointer: an SSA value, a cell of memory.
//             Its position only grows, along directed edges that may add a
//             constant and a stride (GEP).
//   cell      a place of an object that holds a pointer; has a variable.
//             Cells of an object never overlap: those that would are merged.
//   link      bytes of one place are copied to another (memcpy, a load and
//             store of an integer). Objects are not merged by a link; cells
//             and evidence under it are carried over, both ways.
//   evidence  what some instruction knows about bytes of an object.
//
// A register (an integer, vector or aggregate SSA value) is an object like any
// other, whose address nobody takes.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_OBJECTGRAPH_H
#define RETROGRAD_ANALYSIS_OBJECTGRAPH_H

#include "Analysis/Position.h"
#include "Analysis/TypeAnalysis.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace retrograd {

/// A displacement by Scale * (A - B), the distance of two pointers into one
/// object: what `new_begin + (old_end - old_begin)` compiles to.
struct PointerDifference {
  unsigned A, B; ///< variables
  int64_t Scale;
};

/// How trustworthy a piece of evidence is; smaller wins.
enum class Trust : uint8_t {
  Strong,  ///< typed accesses, TBAA, arithmetic
  Weak,    ///< declared types, bit operations
  Hearsay, ///< from outside of the analysed functions, see OutsideEvidence
  Guess,   ///< what TBAA leaves open between two members of a struct
  Moved,   ///< integers by the access, which are only moved and never used
  Turns    ///< words that copies connect with words by turns
};

/// Bytes [Off, Off + Size), repeated along Where's stride, are of Kind.
struct Evidence {
  Position Where;
  int64_t Size;
  ByteKind Kind;
  Trust Level;
  bool Copied;          ///< carried over a link
  unsigned Origin;      ///< the function that knows it
  unsigned Arrival = 0; ///< its number among all that is known of the object
};

/// F says of all places of E what E says: a loop over every hundredth element
/// tells nothing that one over all of them does not.
bool coversPlaces(const Evidence &F, const Evidence &E);

/// Why two objects became one, or a pointer came to lie at more places: for the
/// reader of -rg-print-merges.
struct GraphEvent {
  enum Cause : uint8_t {
    Flow,     ///< a pointer becomes another, perhaps moved
    Distance, ///< a pointer moves by the distance of two others
    Access,   ///< pointers are loaded or stored at places that overlap
    Copy,     ///< bytes that hold pointers are copied
    Value,    ///< two values are one register
    Owners    ///< objects became one: pointers at the same place of both meet
  };
  Cause Why = Flow;
  unsigned By = ~0u;    ///< the statement, see ObjectGraph::CurrentSource
  unsigned After = ~0u; ///< of Owners: that event, which is a merge
  /// Of a merge: the places that became one. Of a variable that widens: where
  /// it pointed (perhaps nowhere), and where it points.
  Position A, B;
  unsigned Widens = ~0u; ///< the variable; none of a merge
};

/// A piece of evidence placed in a queried window.
struct Placed {
  int64_t Start; ///< window offset; may lie before the window
  int64_t Size;
  ByteKind Kind;
  Trust Level;
  /// The evidence is about some of the queried places, or about places before
  /// those that were seen: better than nothing.
  bool Loose = false;
  /// Where in the queried range a float begins is unknown.
  bool Smeared = false;
  /// Nothing says so but an index whose end is unknown, which may stop before
  /// these places.
  bool Reached = false;
};

class PiecesByPlace;

class ObjectGraph {
public:
  using Var = unsigned;
  static constexpr Var NoVar = ~0u;
  static constexpr int64_t Unbounded = -1;

  /// Functions are numbered by the user of this class; NoOrigin is nobody.
  static constexpr unsigned NoOrigin = ~0u;

  explicit ObjectGraph(unsigned PointerSize) : PointerSize(PointerSize) {}

  using Step = PointerStep;

  unsigned newObject();
  /// A variable that points nowhere yet.
  Var newVar();
  /// A variable that points to byte 0 of a fresh object.
  Var newPointer();
  void addEdge(Var From, Var To, Step S = Step());
  /// To becomes From moved by S and by all the differences.
  void addDisplacement(Var From, Var To, Step S,
                       llvm::ArrayRef<PointerDifference> Differences);
  /// Val is loaded from, or stored to, the pointer at Addr + Off.
  void addLoad(Var Addr, int64_t Off, Var Val);
  void addStore(Var Addr, int64_t Off, Var Val);
  /// Size bytes (or an unknown number) at Src + SrcOff are copied to Dst +
  /// DstOff. WithPointers: there may be some among them.
  void addLink(Var Dst, int64_t DstOff, Var Src, int64_t SrcOff, int64_t Size,
               bool WithPointers = true);
  /// An element of Size bytes at Src is copied to Dst. If both pointers turn
  /// out to walk memory in steps of Size, that makes a copy of unknown length.
  void addElementLink(Var Dst, Var Src, int64_t Size);
  /// Both variables point to the same place of objects that become one.
  void unify(Var A, Var B);

  /// Gives V an object of its own if it points nowhere; true if it did not.
  bool ground(Var V);
  /// Runs pointers to their fixpoint. Afterwards objects do not change.
  void solvePointers();

  /// Records evidence (after solvePointers); false if it was known.
  bool addEvidence(Position P, int64_t Size, ByteKind K, Trust L, bool Copied,
                   unsigned Origin);
  /// Carries evidence over links to its fixpoint.
  void solveEvidence();

  /// Where a variable points, in terms of representatives.
  Position positionOf(Var V) const;
  /// Evidence in the window [0, Size) at P as function Asker sees it,
  /// precedence resolved: pieces that do not overlap, in order of offset.
  /// Conflict is a piece too. Only evidence from Best down to Least counts.
  llvm::SmallVector<Placed, 8> resolve(Position P, int64_t Size,
                                       unsigned Asker = NoOrigin,
                                       Trust Least = Trust::Turns,
                                       Trust Best = Trust::Strong) const;
  /// Would resolve() find anything? At a fraction of its cost.
  bool hasEvidence(Position P, int64_t Size, Trust Least) const;
  bool isOnlyGuessed(Position P, int64_t Size, Trust Least) const;

  /// Is there evidence of that level of floats about any byte of the window at
  /// P, at whatever stride? What resolve() may overrule for better evidence.
  /// Possibly: arrays without a known end count, which reach no single place
  /// for certain. With a Format, of floats of that one only.
  bool touchesFloat(Position P, int64_t Size, Trust Level,
                    bool Possibly = false,
                    const llvm::Type *Format = nullptr) const;
  /// Others than Asker know floats, and others know integers, at the Size bytes
  /// at P, neither of which says more of these places than the other, while
  /// Asker itself knows nothing.
  bool isContested(Position P, int64_t Size, unsigned Asker) const;
  /// The format of the floats that share the Size bytes at P (one exact place)
  /// with pointers: all that is known of these bytes as a whole is one or the
  /// other (or, if Integers, an integer). Null if something else is known, or
  /// there are no floats.
  llvm::Type *sharedWithPointers(Position P, int64_t Size, bool Integers) const;
  /// Memory that has become one object of which any word may be a pointer, as
  /// the types see it: its places tell nothing of words by turns.
  bool isJumbled(unsigned Object) const;
  /// The word at P holds doubles and pointers by turns, or copies connect it
  /// with one that does: it may hold either, whatever it is accessed as.
  bool isByTurns(Position P) const;
  /// Copies or stores bring pointers to the word at P, and to just this place.
  bool mayLead(Position P) const;
  /// Something takes just the Size bytes at P for a pointer, or may
  /// (isByTurns).
  bool holdsPointers(Position P, int64_t Size) const;
  /// All that is known of the Size bytes at P is that they hold floats.
  bool holdsFloatsOnly(Position P, int64_t Size) const;
  /// All that is known of the Size bytes at P, by declarations too, is that
  /// they hold floats.
  bool holdsFloats(Position P, int64_t Size) const;
  /// All that is known of the object is that it holds floats of one format.
  bool isArrayOfFloats(unsigned Rep) const;
  /// Copies connect the two objects, by way of others, too.
  bool areConnected(unsigned RepA, unsigned RepB) const;
  /// One object for all that copies connect.
  unsigned leaderOf(unsigned Rep) const;
  /// Some of the Size bytes at P may be some of the Size bytes at Q, or
  /// (Behind) behind Q.
  bool mayMeet(Position P, Position Q, int64_t Size, bool Behind) const;
  /// The formats of the floats in the objects that copies connect with this
  /// one: what bytes of it may be, even where an end of a copy knows better and
  /// evidence did not come through.
  llvm::ArrayRef<llvm::Type *> formatsAround(unsigned Rep) const;
  /// The formats of the numbers that accesses find among the Size bytes at P,
  /// or (Unbounded) from there on; none of what copies may have brought.
  llvm::SmallVector<llvm::Type *, 2> formatsAt(Position P, int64_t Size) const;
  /// Numbers of two formats may lie in one place of this object, or of one that
  /// copies connect with it; or a copy takes numbers of one format to where
  /// others lie.
  bool mixesFormats(unsigned Rep) const;
  /// Copies take bytes of this object to (Gives) another one that accesses have
  /// for numbers of format FP, or bring them from there.
  bool exchangesFormat(unsigned Rep, const llvm::Type *FP, bool Gives) const;
  bool anyMixes() const { return !Mixes.empty(); }

  /// The function that the links added from now on belong to.
  unsigned CurrentOrigin = NoOrigin;

  //===--- what happened, for a reader ---===//

  /// The statement that all is said for that is added from now on. Statements
  /// are numbered by the user of this class.
  unsigned CurrentSource = NoOrigin;
  /// Where an object comes from: a statement, or a place that leads to it.
  struct Birth {
    unsigned Source;
    Position LedToBy;
  };
  struct Journal {
    std::vector<GraphEvent> Events;
    std::vector<Birth> Births; ///< by object
  };
  /// Notes from now on what happens; J outlives this.
  void keep(Journal &J) { Notes = &J; }

  struct CellView {
    Position Where;
    Var Pointee;
  };
  llvm::SmallVector<CellView, 4> cellsOf(unsigned Rep) const;
  std::vector<Evidence> evidenceOf(unsigned Rep) const;
  unsigned representative(unsigned Obj) const;
  unsigned numObjects() const { return Objects.size(); }

private:
  struct Edge {
    Var To;
    unsigned Source;
    Step S;
  };
  struct Deref {
    Var Addr;
    unsigned Source;
    int64_t Off;
    Var Val;
    bool IsStore;
  };
  struct Displacement {
    Var From, To;
    unsigned Source;
    Step S;
    llvm::SmallVector<PointerDifference, 1> Differences;
    bool Unrelated = false; ///< the pointers point into different objects
  };
  struct VarNode {
    Var Parent;
    Position Pos;
    uint8_t LoGrowth = 0, HiGrowth = 0;
    bool Queued = false;
    /// How many of the following know Pos.
    unsigned EdgesTold = 0, DerefsTold = 0, DisplacementsTold = 0;
    llvm::SmallVector<Edge, 1> Out;
    llvm::SmallVector<unsigned, 1> Derefs;
    llvm::SmallVector<unsigned, 0> Displacements;
  };
  struct ObjectNode {
    mutable unsigned Parent;
    mutable int64_t Delta = 0; ///< byte 0 of this lies here in Parent
    unsigned CellVersion = 1;
    std::map<int64_t, Var> ExactCells;
    llvm::SmallVector<CellView, 1> StridedCells;
    std::multimap<int64_t, Evidence> ExactEvidence;
    int64_t LargestExact = 0;
    std::deque<Evidence> StridedEvidence;
    /// Both, in the order of arrival.
    std::vector<const Evidence *> Arrived;
    /// Those of Arrived that mark words by turns.
    std::vector<const Evidence *> Turns;
    /// What a function says that others had said before. Where objects have
    /// merged, most evidence is of this kind; it counts for that function only.
    std::map<unsigned, std::deque<Evidence>> Echoes;
    unsigned NumArrived = 0; ///< echoes, too
    unsigned Levels = 0;     ///< of all of these: a bit for each Trust
    bool IsJumbled = false;
    /// All of these, by what they say.
    std::unordered_multimap<size_t, const Evidence *> ByContent;
  };
  struct Link {
    Var Dst;
    int64_t DstOff;
    Var Src;
    int64_t SrcOff;
    int64_t Size;
    unsigned Origin, Source;
    int64_t Element = 0; ///< of an element link
    bool WithPointers = true;
    /// The state of both ends when the link was last looked at: versions of
    /// their cells, then how much evidence had arrived.
    unsigned SeenDst = 0, SeenSrc = 0;
    bool Looked = false;
  };

  unsigned PointerSize;
  unsigned MergedObjects = 0;
  unsigned Stamp = 1; ///< the last CellVersion given out
  std::vector<ObjectNode> Objects;
  mutable std::vector<VarNode> Vars;
  std::vector<Deref> Derefs;
  std::vector<Displacement> Displacements;
  std::vector<Link> Links;
  std::vector<Var> Worklist; ///< variables who have somebody to tell
  /// Why what happens at the moment happens.
  struct Reason {
    GraphEvent::Cause Why = GraphEvent::Flow;
    unsigned By = NoOrigin;
    unsigned After = NoOrigin;
  };
  Reason Now;
  Journal *Notes = nullptr;
  struct PendingMerge {
    Var A, B;
    Reason For;
  };
  std::vector<PendingMerge> PendingMerges;
  llvm::DenseSet<std::pair<unsigned, unsigned>> PlainEdges;
  /// Objects that links connect have one leader; formats are by leader.
  llvm::EquivalenceClasses<unsigned> Connected;
  llvm::DenseMap<unsigned, llvm::SmallVector<llvm::Type *, 2>> Formats;
  /// Leaders of the objects that mixesFormats is true of.
  llvm::DenseSet<unsigned> Mixes;
  /// Places (object, offset, stride, bounds) that addTurns has looked at.
  std::set<std::tuple<unsigned, int64_t, int64_t, int64_t, int64_t>> Marked;
  /// Of arrays with bounds among them, how many have the same object, step and
  /// phase.
  std::map<std::tuple<unsigned, int64_t, int64_t>, unsigned> MarkedArrays;

  Var find(Var V) const;
  std::pair<unsigned, int64_t> findObject(unsigned O) const;
  Position normalise(Position P) const;
  void enqueue(Var V);
  void tellAll(Var V);
  void join(Var V, Position P, bool Stepped = false);
  void noteWider(Var V, const Position &Before, const Position &After);
  void unifyObjects(unsigned A, int64_t OffA, unsigned B, int64_t OffB);
  void mergeVars(Var A, Var B);
  void evaluate(const Deref &D);
  void displace(const Displacement &D);
  /// The cell at P (normalised), made if there is none; merges what overlaps.
  Var cellAt(Position P, Var Existing = NoVar);
  void drain();
  bool carryCells(Link &L);
  bool carryEvidence(Link &L, Trust Least);
  /// Copies of whole arrays: behind Lead bytes, what is known of both ends
  /// repeats itself Count times; what a piece is depends on no more than Margin
  /// bytes around it.
  struct Repetition {
    int64_t Period = 1, Lead = 0, Margin = 0, Count = 0;
  };
  std::optional<Repetition> repetitionOf(const Position &D, const Position &S,
                                         int64_t Size, unsigned Asker) const;
  bool carryWindow(
      const Position &D, const Position &S, int64_t Size, Trust Least,
      unsigned Origin,
      llvm::function_ref<bool(const Position &, int64_t, int64_t, ByteKind)>
          Put);
  using PutPiece = llvm::function_ref<bool(int64_t, int64_t, ByteKind)>;
  bool carryPiece(const Placed &Piece, int64_t Size, const PiecesByPlace &Have,
                  Trust Least, PutPiece Put);
  bool tellsOneOfTwo(ByteKind K, Position P, int64_t Size) const;
  bool carryOpenEnded(Position From, unsigned Seen, Position To, Trust Least,
                      unsigned Origin);
  llvm::Type *onlyNumber(Position P) const;
  bool holdsPointersOnly(Position P) const;
  /// Marks the words that hold doubles and pointers by turns, and all that
  /// copies connect with them. False: there are none.
  bool markTurns();
  bool mayBeByTurns(Position P) const;
  bool addTurns(Position P, ByteKind K, unsigned Origin);
  bool carryTurns(Link &L);
  bool carryTurns(Position From, unsigned Seen, Position To, int64_t Size,
                  unsigned Origin);
  bool arrivedSince(unsigned Seen, const Position &P, int64_t Size,
                    unsigned Asker) const;
  void collectFormats();
  void findMixes();
  bool mixesWithin(const ObjectNode &O) const;
  bool mixesOver(const Link &L) const;
};

} // namespace retrograd

#endif
