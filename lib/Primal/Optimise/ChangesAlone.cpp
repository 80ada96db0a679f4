//===- ChangesAlone.cpp - iterations of a search that find something ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search for the best few (k nearest neighbours) looks at many candidates and
// keeps few:
//
//   for (i = 0; i < n; ++i)
//     if (key = f(i); key < worst)
//       best[at] = key, worst = ..., at = ...;
//
// Of n iterations in random order, about k log(n / k) change anything. In all
// others each adjoint stays what it is, but a derivative that does not know
// which they are keeps something of each, and goes through all of them again.
// So the loop becomes two, one of which looks for the next change:
//
//   for (i = 0; i < n; ++i) {
//     while (i < n && !(iteration i changes something))
//       ++i;
//     if (i < n)
//       ...                                     // the body
//   }
//
// The inner loop stores nothing and hands on an integer, so that it has no
// derivative. What is kept is kept of the body, once for each change.
//
// On a GPU, threads of a warp would wait for each other's next change, all the
// way. There the loop is cut into pieces, within which they do. Where all
// stores go to local variables of known size, a piece runs twice, without
// waiting:
//
//   for (s = 0; s < n; s += Length) {
//     found = 0;                                // bits
//     for (i = s; i < min(s + Length, n); ++i)  // on copies of best, worst, at
//       found |= (iteration i changes something) << (i - s);
//     for (i of found)
//       ...                                     // the body, with best, worst,
//       at
//   }
//
// A loop qualifies if its iterations have a way without stores on which
// everything that the loop carries stays as it is, entered by a comparison of a
// number that the other way keeps with one that is kept. What is compared with
// the same number in each iteration (a cutoff) may hold in each of them: such
// loops are left. A running maximum with its place is left to Plan/Choices.h,
// which keeps nothing.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

/// Iterations of a piece, a bit of an integer each.
static constexpr uint64_t Length = 32;
/// Bytes of local memory that are copied behind each piece with a change.
static constexpr uint64_t MostBytes = 1024;
/// Instructions of a body that is written twice.
static constexpr size_t MostCode = 1000;

namespace {

/// A number that the loop carries, and its steps.
struct Carried {
  PHINode *Phi;
  const SCEV *Step;         ///< null: not affine, so that a change is a change
  Value *By = nullptr;      ///< the step, in front of the loop
  Value *Latched = nullptr; ///< what an iteration hands on
  Value *Began = nullptr;   ///< what a piece begins with
  Value *Ended = nullptr;   ///< no step: what it ends with
};

class Search {
public:
  Search(Loop &L, ScalarEvolution &SE) : L(L), SE(SE) {}

  bool qualifies();
  void rewrite();

private:
  bool hasShape();
  bool findCarried();
  bool findStores();
  bool findChanges();
  bool namesResults() const;
  BasicBlock *meeting() const;
  bool asksByCarried(const BasicBlock &From) const;
  /// The blocks that an iteration may go through behind those of From.
  SmallPtrSet<const BasicBlock *, 16>
  behind(ArrayRef<const BasicBlock *> From) const;

  bool findLocals();
  bool keepsLocalsApart() const;
  AllocaInst *localOf(const Value &Pointer, APInt *Offset = nullptr) const;

  Value *step(IRBuilderBase &B, Value *From, Value *By, Value *Times) const;
  SmallVector<BasicBlock *, 16> copyBody(BasicBlock *InFrontOf,
                                         ValueToValueMapTy &Map);
  void setCounters(Value *Place);
  Value *inCopy(Value &Pointer);
  void refreshCopies(IRBuilderBase &B) const;
  void writeRounds(BasicBlock *Start, BasicBlock *End, Value *Last);
  void writeRuns(BasicBlock *Start, BasicBlock *End, Value *Last);
  BasicBlock *writeFirstRun(BasicBlock *Start, PHINode &Bits, Value *Last);
  BasicBlock *block(const char *Name, BasicBlock *InFrontOf) const;

  Loop &L;
  ScalarEvolution &SE;
  BasicBlock *Before = nullptr, *Header = nullptr, *Latch = nullptr,
             *Exit = nullptr;
  const SCEV *Count = nullptr; ///< how often the backedge is taken
  SmallVector<Carried, 8> Numbers;
  SmallPtrSet<const Value *, 4> Stored; ///< objects
  SmallVector<const BasicBlock *, 4> Storing;
  /// Where the ways of an iteration meet, and those of its predecessors from
  /// which nothing has changed.
  BasicBlock *Meeting = nullptr;
  SmallPtrSet<const BasicBlock *, 4> Unchanged;
  DebugLoc At;

  /// Local variables that the loop stores to, if there are no other stores.
  SmallMapVector<AllocaInst *, uint64_t, 4> Locals; ///< and bytes
  DenseMap<AllocaInst *, AllocaInst *> Copies;
  DenseMap<Value *, Value *> CopiedPointers;
};

} // namespace

bool Search::hasShape() {
  Before = L.getLoopPreheader();
  Header = L.getHeader();
  Latch = L.getLoopLatch();
  if (!Before || !Latch || !L.isSafeToClone())
    return false;
  // Ways that no program takes are no exits.
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  for (BasicBlock *To : Exits)
    if (!isa<UnreachableInst>(To->front()))
      Exit = Exit ? Before : To;
  if (!Exit || Exit == Before || Exit->getSinglePredecessor() != Latch)
    return false;
  const auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
  if (!Branch || !Branch->isConditional())
    return false;
  size_t Size = 0;
  for (const BasicBlock *BB : L.blocks()) {
    Size += BB->size();
    for (const Instruction &I : *BB) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (I.isVolatile() || I.isAtomic() || I.mayThrow() || !I.willReturn() ||
          (!isa<StoreInst>(I) && I.mayWriteToMemory()) ||
          (Call && (Call->cannotDuplicate() || Call->isConvergent())))
        return false;
    }
  }
  Count = SE.getExitCount(&L, Latch);
  if (Size > MostCode || isa<SCEVCouldNotCompute>(Count) ||
      !Count->getType()->isIntegerTy() ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return false;
  const auto *C = dyn_cast<SCEVConstant>(Count);
  return !C || C->getAPInt().uge(2 * Length);
}

bool Search::findCarried() {
  SCEVExpander Expander(SE, "rg.pieces");
  if (!Expander.isSafeToExpandAt(Count, Before->getTerminator()))
    return false;
  for (PHINode &Phi : Header->phis()) {
    const SCEV *Step = nullptr;
    if (SE.isSCEVable(Phi.getType()))
      if (const auto *Walk = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
          Walk && Walk->getLoop() == &L && Walk->isAffine() &&
          Expander.isSafeToExpandAt(Walk->getStepRecurrence(SE),
                                    Before->getTerminator()))
        Step = Walk->getStepRecurrence(SE);
    Numbers.push_back({&Phi, Step});
    Numbers.back().Latched = Phi.getIncomingValueForBlock(Latch);
  }
  return true;
}

bool Search::findStores() {
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (const auto *Store = dyn_cast<StoreInst>(&I)) {
        Stored.insert(getUnderlyingObject(Store->getPointerOperand()));
        if (!is_contained(Storing, BB))
          Storing.push_back(BB);
      }
  // One number and its place: Plan/Choices.h.
  return !Storing.empty() ||
         count_if(Numbers, [](const Carried &N) {
           return !N.Step && N.Phi->getType()->isFPOrFPVectorTy();
         }) > 1;
}

SmallPtrSet<const BasicBlock *, 16>
Search::behind(ArrayRef<const BasicBlock *> From) const {
  SmallPtrSet<const BasicBlock *, 16> Reached;
  SmallVector<const BasicBlock *, 16> Work(From);
  while (!Work.empty())
    for (const BasicBlock *To : successors(Work.pop_back_val()))
      if (L.contains(To) && To != Header && Reached.insert(To).second)
        Work.push_back(To);
  return Reached;
}

/// The block of an iteration in which all of its ways have met, and what the
/// loop carries is told by the way.
BasicBlock *Search::meeting() const {
  BasicBlock *Found = nullptr;
  for (const Carried &N : Numbers) {
    if (N.Step)
      continue;
    auto *Next = dyn_cast<PHINode>(N.Latched);
    if (!Next || !L.contains(Next) || (Found && Next->getParent() != Found))
      return nullptr;
    Found = Next->getParent();
  }
  if (!Found)
    for (Found = Latch; Found->getSinglePredecessor();)
      Found = Found->getSinglePredecessor();
  // What follows the header of an inner loop is no way of an iteration.
  return Found != Header && !behind(Found).contains(Found) ? Found : nullptr;
}

bool Search::findChanges() {
  Meeting = meeting();
  if (!Meeting)
    return false;
  const auto BehindMeeting = behind(Meeting), BehindStores = behind(Storing);
  if (any_of(Storing, [&](const BasicBlock *BB) {
        return BB == Meeting || BehindMeeting.contains(BB);
      }))
    return false;
  for (BasicBlock *From : predecessors(Meeting))
    if (!BehindStores.contains(From) && !is_contained(Storing, From) &&
        all_of(Numbers, [&](const Carried &N) {
          return N.Step || cast<PHINode>(N.Latched)->getIncomingValueForBlock(
                               From) == N.Phi;
        }))
      Unchanged.insert(From);
  return any_of(Unchanged,
                [&](const BasicBlock *From) { return asksByCarried(*From); });
}

/// At the end of From, a number that the other way keeps is compared with one
/// that the iterations before have kept.
bool Search::asksByCarried(const BasicBlock &From) const {
  const auto *Branch = dyn_cast<BranchInst>(From.getTerminator());
  const auto *Asks = Branch && Branch->isConditional()
                         ? dyn_cast<CmpInst>(Branch->getCondition())
                         : nullptr;
  if (!Asks)
    return false;
  auto IsCarried = [&](const Value *V) {
    if (const auto *Load = dyn_cast<LoadInst>(V))
      return L.contains(Load) &&
             Stored.contains(getUnderlyingObject(Load->getPointerOperand()));
    return any_of(Numbers,
                  [&](const Carried &N) { return !N.Step && N.Phi == V; });
  };
  auto IsKept = [&](const Value *V) {
    const auto *Made = dyn_cast<Instruction>(V);
    return Made && L.contains(Made) && any_of(V->uses(), [&](const Use &U) {
             const auto *I = dyn_cast<Instruction>(U.getUser());
             if (!I || !L.contains(I))
               return false;
             if (const auto *Store = dyn_cast<StoreInst>(I))
               return Store->getValueOperand() == V;
             return isa<PHINode>(I);
           });
  };
  const Value *A = Asks->getOperand(0), *B = Asks->getOperand(1);
  return (IsCarried(A) && IsKept(B)) || (IsCarried(B) && IsKept(A));
}

/// What is used behind the loop is known without the last iteration.
bool Search::namesResults() const {
  return all_of(Exit->phis(), [&](const PHINode &Phi) {
    const Value *V = Phi.getIncomingValueForBlock(Latch);
    return L.isLoopInvariant(V) || any_of(Numbers, [&](const Carried &N) {
             return V == N.Latched || (N.Step && V == N.Phi);
           });
  });
}

bool Search::qualifies() {
  return hasShape() && findCarried() && findStores() && findChanges() &&
         namesResults();
}

/// The local variable that Pointer leads into, at a distance that is known.
AllocaInst *Search::localOf(const Value &Pointer, APInt *Offset) const {
  const DataLayout &DL = Header->getDataLayout();
  APInt Distance(DL.getIndexTypeSizeInBits(Pointer.getType()), 0);
  const Value *Base = Pointer.stripAndAccumulateConstantOffsets(
      DL, Distance, /*AllowNonInbounds=*/true);
  if (Offset)
    *Offset = Distance;
  return dyn_cast<AllocaInst>(const_cast<Value *>(Base));
}

/// All stores go to local variables that can be copied.
bool Search::findLocals() {
  const DataLayout &DL = Header->getDataLayout();
  uint64_t Bytes = 0;
  for (const Value *Object : Stored) {
    auto *Local = dyn_cast<AllocaInst>(const_cast<Value *>(Object));
    if (!Local || !Local->isStaticAlloca() ||
        PointerMayBeCaptured(Local, /*ReturnCaptures=*/true))
      return false;
    std::optional<TypeSize> Size = Local->getAllocationSize(DL);
    if (!Size || Size->isScalable())
      return false;
    Locals.insert({Local, Size->getFixedValue()});
    Bytes += Size->getFixedValue();
  }
  return Bytes <= MostBytes && keepsLocalsApart();
}

/// What the loop uses of them, it reaches from addresses in front of the loop
/// that have their likes in a copy.
bool Search::keepsLocalsApart() const {
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      for (const Value *Operand : I.operands()) {
        const bool Handed = isa<PHINode>(I) && BB == Header;
        if (!Operand->getType()->isPointerTy() ||
            (!L.isLoopInvariant(Operand) && !Handed))
          continue;
        SmallVector<const Value *, 4> Objects;
        getUnderlyingObjects(Operand, Objects);
        const bool Touches = any_of(Objects, [&](const Value *O) {
          const auto *Local = dyn_cast<AllocaInst>(O);
          return Local && Locals.contains(const_cast<AllocaInst *>(Local));
        });
        if (Touches && (Handed || !Locals.contains(localOf(*Operand))))
          return false;
      }
  return true;
}

/// From + By * Times.
Value *Search::step(IRBuilderBase &B, Value *From, Value *By,
                    Value *Times) const {
  Value *All = B.CreateMul(By, B.CreateZExtOrTrunc(Times, By->getType()));
  return From->getType()->isPointerTy() ? B.CreatePtrAdd(From, All)
                                        : B.CreateAdd(From, All);
}

BasicBlock *Search::block(const char *Name, BasicBlock *InFrontOf) const {
  return BasicBlock::Create(Header->getContext(), Name, Header->getParent(),
                            InFrontOf);
}

/// The blocks of the loop once more.
SmallVector<BasicBlock *, 16> Search::copyBody(BasicBlock *InFrontOf,
                                               ValueToValueMapTy &Map) {
  SmallVector<BasicBlock *, 16> Blocks;
  for (BasicBlock *BB : L.blocks()) {
    BasicBlock *Copy = CloneBasicBlock(BB, Map, ".look", Header->getParent());
    Copy->moveBefore(InFrontOf);
    Map[BB] = Copy;
    Blocks.push_back(Copy);
  }
  remapInstructionsInBlocks(Blocks, Map);
  return Blocks;
}

/// What is affine, computed from the iteration's place in its piece.
void Search::setCounters(Value *Place) {
  IRBuilder<> B(Header, Header->getFirstInsertionPt());
  if (auto *I = dyn_cast<Instruction>(Place);
      I && I->getParent() == Header && !isa<PHINode>(I))
    B.SetInsertPoint(I->getNextNode());
  B.SetCurrentDebugLocation(At);
  for (Carried &N : Numbers)
    if (N.Step) {
      N.Phi->replaceAllUsesWith(step(B, N.Began, N.By, Place));
      N.Phi->eraseFromParent();
    }
}

//===----------------------------------------------------------------------===//
// From change to change
//===----------------------------------------------------------------------===//

/// From Start to End: rounds, each of which looks for an iteration that changes
/// something, and runs it.
void Search::writeRounds(BasicBlock *Start, BasicBlock *End, Value *Last) {
  Type *T = Last->getType();
  BasicBlock *Round = block("rg.round", Header), *Hit = block("rg.hit", Header);
  IRBuilder<>(Start).CreateBr(Round);

  // What the body hands on goes to the next round, or to the end.
  IRBuilder<> B(Round);
  B.SetCurrentDebugLocation(At);
  PHINode *First = B.CreatePHI(T, 2, "rg.first");
  First->addIncoming(ConstantInt::get(T, 0), Start);
  for (Carried &N : Numbers)
    if (!N.Step) {
      N.Phi->moveBefore(*Round, Round->end());
      int From = N.Phi->getBasicBlockIndex(Before);
      N.Phi->setIncomingValue(From, N.Began);
      N.Phi->setIncomingBlock(From, Start);
    }

  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Blocks = copyBody(Hit, Map);
  auto *Look = cast<BasicBlock>(Map[Header]),
       *Next = cast<BasicBlock>(Map[Latch]);
  B.SetInsertPoint(Round);
  B.CreateBr(Look);
  IRBuilder<> AtLook(Look, Look->begin());
  PHINode *Place = AtLook.CreatePHI(T, 2, "rg.place");
  Place->addIncoming(First, Round);
  AtLook.SetInsertPoint(Look, Look->getFirstInsertionPt());
  for (Carried &N : Numbers)
    if (N.Step) {
      auto *Copy = cast<PHINode>(Map[N.Phi]);
      Copy->replaceAllUsesWith(step(AtLook, N.Began, N.By, Place));
      Copy->eraseFromParent();
    }

  // The way to a change ends where it leaves those ways that go on unchanged.
  SmallPtrSet<const BasicBlock *, 16> GoesOn;
  SmallVector<const BasicBlock *, 16> Work(Unchanged.begin(), Unchanged.end());
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (GoesOn.insert(BB).second && BB != Header)
      append_range(Work, predecessors(BB));
  }
  const auto BehindMeeting = behind(Meeting);
  auto Leaves = [&](const BasicBlock *From, const BasicBlock *To) {
    return To == Meeting ? !Unchanged.contains(From) : !GoesOn.contains(To);
  };
  for (BasicBlock *BB : L.blocks())
    if (GoesOn.contains(BB)) {
      Instruction *Branch = cast<BasicBlock>(Map[BB])->getTerminator();
      for (unsigned S = 0; S != Branch->getNumSuccessors(); ++S)
        if (BasicBlock *To = BB->getTerminator()->getSuccessor(S);
            To != Header && Leaves(BB, To)) {
          Branch->getSuccessor(S)->removePredecessor(Branch->getParent());
          Branch->setSuccessor(S, Hit);
        }
    }
  SmallVector<BasicBlock *, 8> Unreached;
  for (BasicBlock *BB : L.blocks())
    if (BB != Meeting && !BehindMeeting.contains(BB) && !GoesOn.contains(BB))
      Unreached.push_back(cast<BasicBlock>(Map[BB]));

  B.SetInsertPoint(Hit);
  B.CreateBr(Header);
  auto *Branch = cast<BranchInst>(Latch->getTerminator());
  auto *LookBranch = cast<BranchInst>(Next->getTerminator());
  BasicBlock *Miss = block("rg.miss", Header);
  B.SetInsertPoint(LookBranch);
  Place->addIncoming(B.CreateAdd(Place, ConstantInt::get(T, 1), "", true, true),
                     Next);
  B.CreateCondBr(B.CreateICmpEQ(Place, Last), Miss, Look);
  LookBranch->eraseFromParent();
  B.SetInsertPoint(Miss);
  B.CreateBr(End);
  DeleteDeadBlocks(Unreached);

  B.SetInsertPoint(Branch);
  First->addIncoming(B.CreateAdd(Place, ConstantInt::get(T, 1), "", true, true),
                     Latch);
  B.CreateCondBr(B.CreateICmpEQ(Place, Last), End, Round);
  Branch->eraseFromParent();
  B.SetInsertPoint(End, End->begin());
  for (Carried &N : Numbers)
    if (!N.Step) {
      PHINode *Ended =
          B.CreatePHI(N.Phi->getType(), 2, N.Phi->getName() + ".end");
      Ended->addIncoming(N.Phi, Miss);
      Ended->addIncoming(N.Latched, Latch);
      N.Ended = Ended;
    }
  setCounters(Place);
}

//===----------------------------------------------------------------------===//
// Two runs
//===----------------------------------------------------------------------===//

/// The place in a copy that Pointer, from in front of the loop, has in the
/// variable itself; null if it leads elsewhere.
Value *Search::inCopy(Value &Pointer) {
  if (!Pointer.getType()->isPointerTy())
    return nullptr;
  if (Value *Known = CopiedPointers.lookup(&Pointer))
    return Known;
  APInt Offset;
  AllocaInst *Of = localOf(Pointer, &Offset);
  if (!Of || !Copies.contains(Of))
    return nullptr;
  IRBuilder<> B(Before->getTerminator());
  Value *Copy = Copies.lookup(Of);
  if (Copy->getType() != Pointer.getType())
    Copy = B.CreateAddrSpaceCast(Copy, Pointer.getType());
  return CopiedPointers[&Pointer] = B.CreatePtrAdd(Copy, B.getInt(Offset));
}

void Search::refreshCopies(IRBuilderBase &B) const {
  for (auto [Of, Bytes] : Locals)
    B.CreateMemCpy(Copies.lookup(Of), Of->getAlign(), Of, Of->getAlign(),
                   Bytes);
}

/// The run that finds Bits, from Start to their block. Its first block.
BasicBlock *Search::writeFirstRun(BasicBlock *Start, PHINode &Bits,
                                  Value *Last) {
  BasicBlock *Found = Bits.getParent();
  ValueToValueMapTy Map;
  for (BasicBlock *BB : copyBody(Found, Map))
    for (Instruction &I : *BB)
      for (Use &U : I.operands())
        if (Value *Place = inCopy(*U))
          U.set(Place);
  auto *First = cast<BasicBlock>(Map[Header]),
       *End = cast<BasicBlock>(Map[Latch]);
  for (const Carried &N : Numbers) {
    auto *Phi = cast<PHINode>(Map[N.Phi]);
    int From = Phi->getBasicBlockIndex(Before);
    Phi->setIncomingValue(From, N.Began);
    Phi->setIncomingBlock(From, Start);
  }
  IRBuilder<> B(First, First->begin());
  Type *Int = Bits.getType();
  PHINode *Place = B.CreatePHI(Int, 2, "rg.place");
  PHINode *SoFar = B.CreatePHI(Int, 2, "rg.found");
  auto *Meets = cast<BasicBlock>(Map[Meeting]);
  B.SetInsertPoint(Meets, Meets->begin());
  PHINode *Changes = B.CreatePHI(Int, 4, "rg.changes");
  for (BasicBlock *From : predecessors(Meeting))
    Changes->addIncoming(ConstantInt::get(Int, !Unchanged.contains(From)),
                         cast<BasicBlock>(Map[From]));

  auto *Branch = cast<BranchInst>(End->getTerminator());
  B.SetInsertPoint(Branch);
  Value *Now = B.CreateOr(SoFar, B.CreateShl(Changes, Place));
  Value *Next = B.CreateAdd(Place, ConstantInt::get(Int, 1), "", true, true);
  B.CreateCondBr(B.CreateICmpEQ(Place, Last), Found, First);
  Branch->eraseFromParent();
  for (PHINode *Phi : {Place, SoFar})
    Phi->addIncoming(ConstantInt::get(Int, 0), Start);
  Place->addIncoming(Next, End);
  SoFar->addIncoming(Now, End);
  Bits.addIncoming(Now, End);
  return First;
}

/// From Start to End: which iterations of the piece change something, and these
/// alone.
void Search::writeRuns(BasicBlock *Start, BasicBlock *End, Value *Last) {
  IRBuilder<> B(Before->getTerminator());
  for (AllocaInst *Of : make_first_range(Locals)) {
    auto *Copy = cast<AllocaInst>(Of->clone());
    Copy->setName(Of->getName() + ".copy");
    Copy->insertBefore(Of->getIterator());
    Copies[Of] = Copy;
  }
  refreshCopies(B);
  Type *Int = Last->getType();
  BasicBlock *Found = block("rg.found", Header),
             *Again = block("rg.again", Header), *Done = block("rg.done", End);
  B.SetInsertPoint(Found);
  B.SetCurrentDebugLocation(At);
  PHINode *Bits = B.CreatePHI(Int, 1, "rg.bits");
  IRBuilder<>(Start).CreateBr(writeFirstRun(Start, *Bits, Last));
  B.CreateCondBr(B.CreateICmpEQ(Bits, ConstantInt::get(Int, 0)), End, Again);
  B.SetInsertPoint(Again);
  Value *Changes = B.CreateUnaryIntrinsic(Intrinsic::ctpop, Bits);
  B.CreateBr(Header);

  B.SetInsertPoint(Header, Header->begin());
  PHINode *Number = B.CreatePHI(Int, 2, "rg.change");
  PHINode *Rest = B.CreatePHI(Int, 2, "rg.rest");
  B.SetInsertPoint(Header, Header->getFirstInsertionPt());
  Value *Place = B.CreateIntrinsic(Intrinsic::cttz, {Int}, {Rest, B.getTrue()});
  auto *Branch = cast<BranchInst>(Latch->getTerminator());
  B.SetInsertPoint(Branch);
  Value *Next = B.CreateAdd(Number, ConstantInt::get(Int, 1), "", true, true);
  Value *Fewer = B.CreateAnd(Rest, B.CreateSub(Rest, ConstantInt::get(Int, 1)));
  B.CreateCondBr(B.CreateICmpEQ(Next, Changes), Done, Header);
  Branch->eraseFromParent();
  Number->addIncoming(ConstantInt::get(Int, 0), Again);
  Number->addIncoming(Next, Latch);
  Rest->addIncoming(Bits, Again);
  Rest->addIncoming(Fewer, Latch);

  B.SetInsertPoint(Done);
  B.SetCurrentDebugLocation(At);
  refreshCopies(B);
  B.CreateBr(End);
  for (Carried &N : Numbers) {
    if (N.Step)
      continue;
    IRBuilder<> AtDone(Done, Done->begin()), AtEnd(End, End->begin());
    PHINode *Made = AtDone.CreatePHI(N.Phi->getType(), 1),
            *Ended =
                AtEnd.CreatePHI(N.Phi->getType(), 2, N.Phi->getName() + ".end");
    Made->addIncoming(N.Latched, Latch);
    Ended->addIncoming(N.Began, Found);
    Ended->addIncoming(Made, Done);
    N.Ended = Ended;
    int From = N.Phi->getBasicBlockIndex(Before);
    N.Phi->setIncomingValue(From, N.Began);
    N.Phi->setIncomingBlock(From, Again);
  }
  setCounters(Place);
}

void Search::rewrite() {
  const bool Waits = Target(*Header->getModule()).manyThreads();
  const bool InRuns = Waits && findLocals();
  SCEVExpander Expander(SE, "rg.pieces");
  Instruction *InFront = Before->getTerminator();
  At = Header->getTerminator()->getDebugLoc();
  for (Carried &N : Numbers) {
    N.By = N.Step ? Expander.expandCodeFor(N.Step, nullptr, InFront) : nullptr;
    N.Began = N.Phi->getIncomingValueForBlock(Before);
  }
  Value *Backedges = Expander.expandCodeFor(Count, nullptr, InFront);
  auto *Old = dyn_cast<Instruction>(
      cast<BranchInst>(Latch->getTerminator())->getCondition());
  WeakVH OldCondition(Old);

  // Pieces, or one that is all of it.
  Type *T = Backedges->getType();
  BasicBlock *Start = block("rg.piece", Header),
             *End = block("rg.piece.end", Exit);
  InFront->replaceSuccessorWith(Header, Start);
  IRBuilder<> B(Start);
  B.SetCurrentDebugLocation(At);
  PHINode *Piece = nullptr;
  Value *Last = Backedges, *LastPiece = nullptr;
  if (Waits) {
    Value *Long = ConstantInt::get(T, Length);
    Piece = B.CreatePHI(T, 2, "rg.piece.number");
    for (Carried &N : Numbers) {
      PHINode *Began =
          B.CreatePHI(N.Phi->getType(), 2, N.Phi->getName() + ".start");
      Began->addIncoming(N.Began, Before);
      N.Began = Began;
    }
    Value *Left = B.CreateSub(Backedges, B.CreateMul(Piece, Long));
    Last = B.CreateZExtOrTrunc(
        B.CreateBinaryIntrinsic(Intrinsic::umin, Left,
                                ConstantInt::get(T, Length - 1)),
        B.getInt32Ty(), "rg.last");
    LastPiece = IRBuilder<>(InFront).CreateUDiv(Backedges, Long);
  }
  // What is used behind the loop, by its number.
  struct Result {
    PHINode *Phi;
    Carried *Of;
    bool Next; ///< what the last iteration has handed on
  };
  SmallVector<Result, 4> Results;
  for (PHINode &Phi : Exit->phis()) {
    int From = Phi.getBasicBlockIndex(Latch);
    Phi.setIncomingBlock(From, End);
    Value *V = Phi.getIncomingValue(From);
    for (Carried &N : Numbers)
      if (!L.isLoopInvariant(V) && (V == N.Latched || (N.Step && V == N.Phi))) {
        Results.push_back({&Phi, &N, V == N.Latched});
        break;
      }
  }
  if (InRuns)
    writeRuns(Start, End, Last);
  else
    writeRounds(Start, End, Last);

  B.SetInsertPoint(End);
  B.SetCurrentDebugLocation(At);
  for (const Result &R : Results) {
    Value *V = R.Of->Ended;
    if (R.Of->Step) {
      Value *One = ConstantInt::get(Last->getType(), 1);
      V = step(B, R.Of->Began, R.Of->By,
               R.Next ? B.CreateAdd(Last, One) : Last);
    }
    R.Phi->setIncomingValue(R.Phi->getBasicBlockIndex(End), V);
  }
  if (Piece) {
    // A piece that is not the last is as long as all others.
    for (Carried &N : Numbers)
      cast<PHINode>(N.Began)->addIncoming(
          N.Step ? step(B, N.Began, N.By,
                        ConstantInt::get(N.By->getType(), Length))
                 : N.Ended,
          End);
    Piece->addIncoming(ConstantInt::get(T, 0), Before);
    Piece->addIncoming(B.CreateAdd(Piece, ConstantInt::get(T, 1)), End);
    B.CreateCondBr(B.CreateICmpEQ(Piece, LastPiece), Exit, Start);
  } else {
    B.CreateBr(Exit);
  }
  if (OldCondition)
    RecursivelyDeleteTriviallyDeadInstructions(OldCondition);
}

/// Rewrites such loops of F. True if there was one.
bool retrograd::runChangesAlone(Function &F, FunctionAnalysisManager &FAM) {
  if (FAM.getResult<LoopAnalysis>(F).empty())
    return false;
  FunctionPassManager Shape;
  Shape.addPass(LoopSimplifyPass());
  Shape.addPass(LCSSAPass());
  FAM.invalidate(F, Shape.run(F, FAM));
  // Once each: what is written looks like a search again.
  SmallVector<const BasicBlock *, 8> Headers;
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    Headers.push_back(L->getHeader());
  bool Changed = false;
  for (const BasicBlock *Header : Headers) {
    Search S(*FAM.getResult<LoopAnalysis>(F).getLoopFor(Header),
             FAM.getResult<ScalarEvolutionAnalysis>(F));
    if (!S.qualifies())
      continue;
    S.rewrite();
    FAM.invalidate(F, PreservedAnalyses::none());
    Changed = true;
  }
  return Changed;
}
