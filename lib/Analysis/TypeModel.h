//===- TypeModel.h - the insides of the type analysis -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates IR into the object graph and back. TypeTransfer.cpp says how each
// instruction moves pointers and bytes, TypeCalls.cpp what calls move,
// TypeAddresses.cpp where computed addresses point, TypeMoves.cpp which
// integers are only moved, TypeSeeds.cpp where evidence comes from.
// TypeAnalysis.cpp answers queries, TypeAccesses.cpp those about accesses and
// copies, TypePatterns.cpp those about memory that repeats. TypePrinter.cpp
// prints.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_TYPEMODEL_H
#define RETROGRAD_ANALYSIS_TYPEMODEL_H

#include "Analysis/ObjectGraph.h"
#include "Analysis/TypeAnalysis.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstVisitor.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace llvm {
class DIType;
class GEPOperator;
class GlobalVariable;
class IntrinsicInst;
class MDNode;
} // namespace llvm

namespace retrograd {

/// Bytes: of no number, address or word more is asked.
constexpr unsigned WordAlignment = 8;

struct TypeAnalysis::Impl : llvm::InstVisitor<TypeAnalysis::Impl> {
  using Var = ObjectGraph::Var;
  using Step = ObjectGraph::Step;
  static constexpr Var NoVar = ObjectGraph::NoVar;

  Impl(llvm::ArrayRef<llvm::Function *> Functions,
       llvm::function_ref<llvm::Function *(const llvm::Function *)> PreparedOf,
       const Catalogue &Cat, const OutsideEvidence *Outside, bool KeepJournal);

  llvm::SmallVector<llvm::Function *, 8> Functions;
  /// Of holdsBitsOfNumbers, once it was asked.
  std::optional<llvm::DenseSet<ObjectId>> ObjectsOfBits;
  /// Of isNeverWrittenAs: what is stored to the objects of each leader; null
  /// for what may be anything.
  std::optional<llvm::DenseMap<unsigned, llvm::SmallVector<llvm::Type *, 2>>>
      WrittenFormats;
  llvm::function_ref<llvm::Function *(const llvm::Function *)> PreparedOf;
  const Catalogue &Cat;
  const llvm::DataLayout &DL;
  unsigned PointerSize;
  /// Members that hold characters and nothing else (textMembers).
  llvm::DenseMap<const llvm::StructType *, llvm::SmallVector<uint64_t, 2>>
      Texts;
  ObjectGraph G;

  /// Pointers (and vectors of pointers: one variable for all lanes).
  llvm::DenseMap<const llvm::Value *, Var> Pointers;
  /// Addresses of the registers of integers, integer vectors and aggregates.
  llvm::DenseMap<const llvm::Value *, Var> Registers;
  /// What a function returns: a pointer variable or the address of a register.
  llvm::DenseMap<const llvm::Function *, Var> Returns;
  llvm::SmallPtrSet<const llvm::Function *, 16> InSet;
  llvm::SmallVector<const llvm::GlobalVariable *, 8> NewGlobals;
  llvm::DenseSet<unsigned> RegisterObjects;

  struct Seed {
    Var Addr;
    Step S;
    int64_t Size;
    ByteKind Kind;
    Trust Level;
    unsigned Origin;
  };
  std::vector<Seed> Seeds;
  /// Addresses that some instruction reads or writes.
  std::vector<Var> Accessed;
  /// Those where words may lie, or numbers or addresses, that are not at a
  /// multiple of their size.
  std::vector<Var> Misaligned;
  /// The leaders of their objects.
  llvm::DenseSet<unsigned> HasMisaligned;
  void noteAlignment(Var Addr, llvm::Align Known, uint64_t Needed) {
    if (Known.value() < Needed)
      Misaligned.push_back(Addr);
  }

  /// What the graph's statements are about, and what became of them; kept for a
  /// reader only (TypePrinter.cpp).
  std::vector<const llvm::Value *> Sources;
  ObjectGraph::Journal Happened;
  unsigned sourceOf(const llvm::Value *V) {
    Sources.push_back(V);
    return Sources.size() - 1;
  }
  class MergePrinter;

  llvm::DenseMap<const llvm::Function *, unsigned> Origins;
  unsigned originOf(const llvm::Value *V) const;
  /// Loads and stores of integers that go from memory to memory, by phis and
  /// selects, and are never used; and nothing says that they are members of a
  /// struct that was declared so.
  llvm::SmallPtrSet<const llvm::Instruction *, 16> Moves;
  void findMoves(const llvm::Function &F);
  /// Addresses of integers that are used as indices: nobody counts with a half
  /// of a double. Moves between such places move integers.
  llvm::SmallVector<Var, 16> IndexPlaces, FloatPlaces;
  void findIndices(const llvm::Function &F);
  /// The places of one object, each asked for once: arrays by their phase.
  struct PlacesOfObject {
    llvm::SmallDenseSet<int64_t, 4> Exact;
    llvm::SmallSet<std::pair<int64_t, int64_t>, 4> Strided;
    void add(Position P);
    bool covers(Position P) const;
  };
  llvm::DenseMap<unsigned, PlacesOfObject> Indices;
  void settleIndices();
  bool isIndexPlace(const llvm::Value *P) const;
  bool isMoveOfInteger(const llvm::Instruction &I) const;
  void settleMoves();
  /// Moves of what the source has for an integer (isMoveOfInteger).
  llvm::SmallPtrSet<const llvm::Instruction *, 16> PlainMoves;
  /// Pointer parameters through which nobody looks at memory.
  llvm::SmallPtrSet<const llvm::Argument *, 16> Inert;
  void findInert();
  /// Functions that calls of the set hand pointers to: their parameters are
  /// what is handed over, and no memory of their own.
  llvm::SmallPtrSet<const llvm::Function *, 16> Called;
  void findCalled();
  /// The body among Functions that a call runs; null if it is not known.
  llvm::Function *bodyOf(const llvm::CallBase &CB) const;
  bool groundParameters(const llvm::Function &F);

  /// Representative -> dense public id, and back.
  llvm::DenseMap<unsigned, ObjectId> PublicIds;
  std::vector<unsigned> Representatives;

  //===--- the model's variables (TypeTransfer.cpp) ---===//

  static bool isPointerLike(const llvm::Type *T) {
    return T->isPtrOrPtrVectorTy();
  }
  /// Does an SSA value of type T need a register object?
  static bool isRegisterLike(const llvm::Type *T) {
    return T->isIntOrIntVectorTy() || T->isAggregateType();
  }
  int64_t sizeOf(llvm::Type *T) const;
  /// The variable of a pointer; NoVar for null, undef and the like.
  Var pointer(const llvm::Value *V);
  /// The address of V's register; NoVar for constants without pointers.
  Var reg(const llvm::Value *V);
  Var fresh(const llvm::Value *V);
  Var constantPointer(const llvm::Constant *C);

  void addFunction(llvm::Function &F);
  void addInstruction(llvm::Instruction &I);
  void addCall(llvm::CallBase &CB);
  void seedIntegers(llvm::Instruction &I);
  // What addInstruction does with each kind of instruction.
  void visitCallBase(llvm::CallBase &CB) { addCall(CB); }
  void visitAllocaInst(llvm::AllocaInst &AI);
  void visitGetElementPtrInst(llvm::GetElementPtrInst &GEP);
  void visitLoadInst(llvm::LoadInst &LI);
  void visitStoreInst(llvm::StoreInst &SI);
  void visitAtomicRMWInst(llvm::AtomicRMWInst &RMW);
  void visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst &X);
  void visitPHINode(llvm::PHINode &I);
  void visitSelectInst(llvm::SelectInst &I);
  void visitFreezeInst(llvm::FreezeInst &I);
  void visitReturnInst(llvm::ReturnInst &I);
  void visitBitCastInst(llvm::BitCastInst &I);
  void visitAddrSpaceCastInst(llvm::AddrSpaceCastInst &I);
  void addAddress(llvm::CastInst &I);
  void visitPtrToIntInst(llvm::PtrToIntInst &I) { addAddress(I); }
  void visitPtrToAddrInst(llvm::PtrToAddrInst &I) { addAddress(I); }
  void visitIntToPtrInst(llvm::IntToPtrInst &I);
  void visitTruncInst(llvm::TruncInst &I);
  void visitZExtInst(llvm::ZExtInst &I);
  void addShift(llvm::BinaryOperator &I);
  void visitShl(llvm::BinaryOperator &I) { addShift(I); }
  void visitLShr(llvm::BinaryOperator &I) { addShift(I); }
  void visitAShr(llvm::BinaryOperator &I);
  void addBitLogic(llvm::Instruction &I);
  void visitOr(llvm::BinaryOperator &I) { addBitLogic(I); }
  void visitXor(llvm::BinaryOperator &I) { addBitLogic(I); }
  void visitAnd(llvm::BinaryOperator &I) { addBitLogic(I); }
  void addSum(llvm::BinaryOperator &I);
  void visitAdd(llvm::BinaryOperator &I) { addSum(I); }
  void visitSub(llvm::BinaryOperator &I) { addSum(I); }
  void visitMul(llvm::BinaryOperator &I) { seedIntegers(I); }
  void visitUDiv(llvm::BinaryOperator &I) { seedIntegers(I); }
  void visitSDiv(llvm::BinaryOperator &I) { seedIntegers(I); }
  void visitURem(llvm::BinaryOperator &I) { seedIntegers(I); }
  void visitSRem(llvm::BinaryOperator &I) { seedIntegers(I); }
  void visitSExtInst(llvm::SExtInst &I) { seedIntegers(I); }
  void visitSIToFPInst(llvm::SIToFPInst &I) { seedIntegers(I); }
  void visitUIToFPInst(llvm::UIToFPInst &I) { seedIntegers(I); }
  void visitFPToSIInst(llvm::FPToSIInst &I) { seedIntegers(I); }
  void visitFPToUIInst(llvm::FPToUIInst &I) { seedIntegers(I); }
  void visitSwitchInst(llvm::SwitchInst &I) { seedIntegers(I); }
  void visitICmpInst(llvm::ICmpInst &I);
  void visitExtractValueInst(llvm::ExtractValueInst &EV);
  void visitInsertValueInst(llvm::InsertValueInst &IV);
  void addElement(llvm::Instruction &I);
  void visitExtractElementInst(llvm::ExtractElementInst &I) { addElement(I); }
  void visitInsertElementInst(llvm::InsertElementInst &I) { addElement(I); }
  void visitShuffleVectorInst(llvm::ShuffleVectorInst &SV);
  void visitInstruction(llvm::Instruction &I);

  bool addIntrinsic(llvm::IntrinsicInst &II);
  void addGEP(const llvm::GEPOperator &GEP, Var To);
  llvm::SmallVector<const llvm::Value *, 4> distancesOf(const llvm::Value *V);
  void addIndex(const llvm::GEPOperator &GEP, const llvm::Value *Idx,
                int64_t Scale, Step &S,
                llvm::SmallVectorImpl<PointerDifference> &Differences);
  void addStep(const llvm::GEPOperator &GEP, Var To, const Step &S,
               llvm::ArrayRef<PointerDifference> Differences);
  class IndexReader;
  Var addressIn(const llvm::Value *V);
  /// Flow of a whole value: To becomes (among others) From.
  void flow(const llvm::Value *From, const llvm::Value *To);
  void flow(const llvm::Value *From, Var To, llvm::Type *T);
  /// Value V is loaded from, stored to, the memory at Addr + Off.
  void transferMemory(Var Addr, int64_t Off, const llvm::Value *V, bool IsStore,
                      bool WithPointers = true);
  bool hasIntegerTag(const llvm::Instruction &Access) const;
  bool isTaggedInteger(const llvm::Instruction &Access) const;
  bool isIndex(const llvm::Value *V) const;
  /// A scalar or aggregate element inside a register.
  void transferElement(Var Reg, int64_t Off, const llvm::Value *Element,
                       bool IntoReg);
  void copy(Var Dst, int64_t DstOff, Var Src, int64_t SrcOff, int64_t Size) {
    G.addLink(Dst, DstOff, Src, SrcOff, Size);
  }

  //===--- evidence (TypeSeeds.cpp) ---===//

  void seed(Var Addr, Step S, int64_t Size, ByteKind K, Trust L) {
    if (Addr != NoVar && Size > 0)
      Seeds.push_back({Addr, S, Size, K, L, G.CurrentOrigin});
  }
  void seed(Var Addr, int64_t Off, int64_t Size, ByteKind K, Trust L) {
    Step S;
    S.Const = Off;
    seed(Addr, S, Size, K, L);
  }
  /// V is used as an integer (and no pointer or float).
  void seedInteger(const llvm::Value *V, Trust L);
  /// A value of type T lies at Addr + S: its floats and pointers, and its
  /// integers if wanted.
  void seedType(Var Addr, Step S, llvm::Type *T, Trust L, bool Integers);
  void seedType(Var Addr, int64_t Off, llvm::Type *T, Trust L, bool Integers) {
    Step S;
    S.Const = Off;
    seedType(Addr, S, T, L, Integers);
  }
  void seedAccess(const llvm::Instruction &I, Var Addr, llvm::Type *T);
  /// Scalar: how much the type of the access itself is worth if it is an
  /// integer.
  void seedTBAA(const llvm::MDNode *Tag, Var Addr, llvm::Type *Accessed,
                Trust Scalar = Trust::Strong);
  void seedTBAAStruct(const llvm::MDNode *Fields, Var Addr);
  llvm::SmallVector<Placed, 8> membersOf(const llvm::MDNode *Fields) const;
  void seedLayout(MemoryLayout Layout, Var Addr, int64_t Length);
  llvm::SmallVector<Placed, 8> readLayout(MemoryLayout Layout) const;
  void seedGlobal(const llvm::GlobalVariable &GV);
  void seedInitialiser(const llvm::Constant &C, Var Addr, int64_t Off,
                       unsigned Depth);
  /// What the scalar type a TBAA node names holds; Unknown if it says nothing.
  ByteKind kindOfTBAA(const llvm::MDNode *Type) const;

  //===--- evidence from outside (TypeOutside.cpp) ---===//

  void addOutside(const OutsideEvidence &Outside);
  class Import;
  void addDeclaredTypes(const llvm::Function &F);
  void seedDeclared(const llvm::DIType *T, Var Addr, Step S, unsigned Depth);
  /// What a pointer of declared type T at Addr + S points to.
  void seedPointee(const llvm::DIType *T, Var Addr, Step S, unsigned Depth);

  //===--- answers (TypeAnalysis.cpp) ---===//

  Var lookupPointer(const llvm::Value *V) const;
  llvm::SmallVector<ObjectId, 4> pointees(ObjectId O, bool BesideFloats) const;
  llvm::SmallVector<TypedLeaf, 4> leaves(Position P, uint64_t Size,
                                         unsigned Asker) const;
  bool allLeaves(Position P, uint64_t Size, unsigned Asker,
                 llvm::function_ref<bool(const TypedLeaf &)> Holds) const;
  llvm::SmallVector<TypedLeaf, 4> leavesOfWindow(Position P, uint64_t Size,
                                                 unsigned Asker) const;
  llvm::SmallVector<TypedLeaf, 4> toLeaves(llvm::ArrayRef<Placed> Pieces,
                                           uint64_t Size) const;
  void numberObjects();

  //===--- what accesses and copies move (TypeAccesses.cpp) ---===//

  llvm::SmallVector<Placed, 8> fieldsOf(const llvm::MDNode *Fields) const;
  llvm::SmallVector<TypedLeaf, 4>
  settleByLayout(llvm::ArrayRef<TypedLeaf> Memory, MemoryLayout Layout,
                 uint64_t Size) const;
  llvm::SmallVector<TypedLeaf, 4>
  settleByFields(llvm::ArrayRef<TypedLeaf> Memory, const llvm::MDNode &Fields,
                 uint64_t Size) const;

  //===--- memory without an end (TypePatterns.cpp) ---===//

  std::optional<Pattern> listed(Position P, int64_t Size, unsigned Asker) const;
  std::optional<Pattern> outOfStep(Position P, int64_t Period,
                                   llvm::ArrayRef<Evidence> All,
                                   unsigned Asker) const;
  std::optional<Pattern> repeating(Position P, int64_t Period, int64_t Header,
                                   llvm::ArrayRef<Evidence> All,
                                   unsigned Asker) const;
};

/// Calls Visit(Offset, Type) for each scalar of T as it lies in memory. Arrays
/// and vectors are visited element by element.
void forEachScalar(const llvm::DataLayout &DL, llvm::Type *T, uint64_t Offset,
                   llvm::function_ref<void(uint64_t, llvm::Type *)> Visit);

} // namespace retrograd

#endif
