//===- JoinLoops.cpp - loops that read what the one before has stored -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are written one array operation after the other:
//
//   for i < n:      stage[i] = y[i] + h * k[i]
//   for i < n - 1:  rate[i + 1] = x[i + 1] * stage[i]
//
// Each number goes through memory between two loops, and the reverse sweep has
// two loops again, whose adjoints go through memory. The two run together:
//
//   for i < n - 1:  s = y[i] + h * k[i], stage[i] = s, rate[i + 1] = x[i + 1] s
//   stage[n - 1] = y[n - 1] + h * k[n - 1]
//
// Simplification hands s on as a value; it is kept at most once, and its
// adjoint stays in a register. Where the second loop is behind a condition,
// the condition is asked in front of both: the first loop is left for those
// cases in which it runs alone.
//
// Joining lets iteration j of the second loop run in front of iteration i > j
// of the first one. So these two may not access the same bytes, if one of them
// writes. Proved by scalar evolution and aliases, for accesses that each
// iteration makes:
//   - the addresses have different bases, which stay as they are in the loops
//     and lead to different memory;
//   - or they have one base, go in the same steps s, and are apart by d, where
//     either d = 0, or the bytes at d mod s lie between those of two steps. All
//     that is accessed from one base lies in one object, so neither walk wraps
//     around.
// LLVM's loop fusion proves more dependences than that, but joins all loops it
// may, and only those that run equally often.
//
// Handled are innermost loops of one block that carry nothing but affine
// numbers from iteration to iteration: joining keeps a loop that runs in
// vectors one that does. The second one runs as often, or once less, and reads
// some number that the first one has just stored at that iteration. What stands
// between them must be harmless in front of both.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

/// Joined bodies have at most this many instructions.
static constexpr size_t LargestBody = 128;

namespace {

/// What one load or store of a loop accesses, in every iteration.
struct Access {
  const Instruction *At;
  const SCEVUnknown *Base;    ///< the same in all iterations
  const SCEVAddRecExpr *Walk; ///< null: somewhere behind Base
  int64_t Step;               ///< of Walk, in bytes
  int64_t Size;
  bool Writes;
};

using Accesses = SmallVector<Access, 8>;

/// Second is right behind First.
struct Neighbours {
  Loop *First = nullptr, *Second = nullptr;
  /// Leads from First to Second, or elsewhere; null if Second always runs.
  BranchInst *Guard = nullptr;
  /// What is computed between the loops, in front of Guard and behind it.
  SmallVector<Instruction *, 8> Before, Behind;
  /// First has an iteration more.
  bool OneMore = false;
};

class Joiner {
public:
  Joiner(Function &F, FunctionAnalysisManager &FAM)
      : Loops(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)) {}
  /// Somewhere a loop may read what another one has just stored; asks nothing
  /// of the form of the loops.
  bool isWorthLooking();
  /// Two loops of F that may run together, and should.
  std::optional<Neighbours> find();

private:
  bool isPlain(const Loop &L) const;
  bool leadsTo(BasicBlock *At, Neighbours &N) const;
  const SCEV *onAllWays(const PHINode &Phi);
  const SCEV *countOf(const Loop &L);
  bool runAlike(Neighbours &N);
  std::optional<Accesses> accessesOf(const Loop &L);
  bool mayMeet(const Access &A, const Access &B);
  bool mayMeet(const Instruction &I, const Access &A);

  LoopInfo &Loops;
  ScalarEvolution &SE;
  BatchAAResults AA;
};

} // namespace

/// May change places with accesses that it does not meet.
static bool isHarmless(const Instruction &I) {
  if (isa<LoadInst, StoreInst>(I))
    return !I.isVolatile() && !I.isAtomic();
  const auto *C = dyn_cast<CallBase>(&I);
  return !isa<AllocaInst>(I) && !I.mayReadOrWriteMemory() && !I.mayThrow() &&
         I.willReturn() && !(C && (C->isConvergent() || C->cannotDuplicate()));
}

/// Nobody said how L is to be run.
static bool hasNoWishes(const Loop &L) {
  const MDNode *Id = L.getLoopID();
  return !Id || all_of(drop_begin(Id->operands()), [](const MDOperand &O) {
    const auto *Wish = dyn_cast<MDNode>(O);
    if (!Wish || !Wish->getNumOperands())
      return true; // a place in the source
    const auto *Name = dyn_cast<MDString>(Wish->getOperand(0));
    return !Name || Name->getString() == "llvm.loop.mustprogress" ||
           Name->getString() == "llvm.loop.unroll.disable";
  });
}

/// One block of harmless instructions, which carries affine numbers only.
bool Joiner::isPlain(const Loop &L) const {
  if (L.getNumBlocks() != 1 || !L.getLoopPreheader() || !L.getExitBlock() ||
      L.getExitBlock()->getSinglePredecessor() != L.getHeader() ||
      !isa<BranchInst>(L.getHeader()->getTerminator()) ||
      isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L)) || !hasNoWishes(L))
    return false;
  return all_of(*L.getHeader(), [&](Instruction &I) {
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      if (!SE.isSCEVable(Phi->getType()))
        return false;
      const auto *A = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Phi));
      return A && A->getLoop() == &L && A->isAffine();
    }
    return I.isTerminator() || isHarmless(I);
  });
}

/// From the block At, behind N.First, control comes to a loop, without anything
/// between that others come to. Fills N.
bool Joiner::leadsTo(BasicBlock *At, Neighbours &N) const {
  if (Loops.getLoopFor(At) != N.First->getParentLoop() ||
      !At->getSinglePredecessor())
    return false;
  auto *Branch = dyn_cast<BranchInst>(At->getTerminator());
  if (!Branch || isa<PHINode>(At->front()))
    return false;
  auto &Found = N.Guard ? N.Behind : N.Before;
  const size_t Known = Found.size();
  for (Instruction &I : *At)
    if (!I.isTerminator()) {
      if (!isHarmless(I))
        return false;
      Found.push_back(&I);
    }
  constexpr size_t MostBetween = 32;
  if (Found.size() > MostBetween)
    return false;
  if (Branch->isUnconditional()) {
    BasicBlock *Next = Branch->getSuccessor(0);
    if (Loop *L = Loops.getLoopFor(Next);
        L && L->getHeader() == Next && L->getLoopPreheader() == At) {
      N.Second = L;
      return true;
    }
    if (leadsTo(Next, N))
      return true;
  } else if (!N.Guard) {
    N.Guard = Branch;
    for (BasicBlock *Next : Branch->successors()) {
      N.Behind.clear();
      if (leadsTo(Next, N))
        return true;
    }
    N.Guard = nullptr;
  }
  Found.truncate(Known);
  return false;
}

/// V is this constant wherever control comes to Block; null if nobody asked.
static const ConstantInt *knownIn(const BasicBlock *Block, const Value *&V) {
  constexpr unsigned MostBlocks = 4;
  for (unsigned N = 0; N != MostBlocks; ++N) {
    const BasicBlock *From = Block->getSinglePredecessor();
    const auto *Branch =
        From ? dyn_cast<BranchInst>(From->getTerminator()) : nullptr;
    if (!Branch)
      return nullptr;
    if (Branch->isConditional())
      if (const auto *Asks = dyn_cast<ICmpInst>(Branch->getCondition());
          Asks && Asks->isEquality() &&
          Block ==
              Branch->getSuccessor(Asks->getPredicate() == ICmpInst::ICMP_NE)) {
        V = Asks->getOperand(0);
        return dyn_cast<ConstantInt>(Asks->getOperand(1));
      }
    Block = From;
  }
  return nullptr;
}

/// A number that has been computed on one way, and is known on the others:
/// where n is 0, simplification has made 0 of n.
const SCEV *Joiner::onAllWays(const PHINode &Phi) {
  const SCEV *Made = nullptr;
  for (Value *V : Phi.incoming_values())
    if (!isa<Constant>(V)) {
      if (Made && Made != SE.getSCEV(V))
        return nullptr;
      Made = SE.getSCEV(V);
    }
  // Of a sum, flags may hold on its own way only.
  if (!Made || !SE.dominates(Made, Phi.getParent()) ||
      SCEVExprContains(
          Made, [](const SCEV *Part) { return isa<SCEVNAryExpr>(Part); }))
    return nullptr;
  for (auto [V, From] : zip(Phi.incoming_values(), Phi.blocks())) {
    auto *Is = dyn_cast<ConstantInt>(V.get());
    const Value *Of = nullptr;
    const ConstantInt *Known = Is ? knownIn(From, Of) : nullptr;
    if (Is && !Known)
      return nullptr;
    if (!Is)
      continue;
    ValueToSCEVMapTy Map{{Of, SE.getConstant(Known->getValue())}};
    if (SCEVParameterRewriter::rewrite(Made, SE, Map) !=
        SE.getConstant(Is->getValue()))
      return nullptr;
  }
  return Made;
}

/// How often the backedge of L is taken.
const SCEV *Joiner::countOf(const Loop &L) {
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  struct Phis {
    SmallPtrSet<const PHINode *, 4> &Found;
    bool follow(const SCEV *S) {
      if (const auto *U = dyn_cast<SCEVUnknown>(S))
        if (const auto *Phi = dyn_cast<PHINode>(U->getValue()))
          Found.insert(Phi);
      return true;
    }
    static bool isDone() { return false; }
  };
  SmallPtrSet<const PHINode *, 4> Found;
  Phis Visitor{Found};
  visitAll(Count, Visitor);
  ValueToSCEVMapTy Map;
  for (const PHINode *Phi : Found)
    if (const SCEV *Is =
            Loops.isLoopHeader(Phi->getParent()) ? nullptr : onAllWays(*Phi))
      Map[Phi] = Is;
  return SCEVParameterRewriter::rewrite(Count, SE, Map);
}

/// The loops run equally often, or the first one once more, where both run.
bool Joiner::runAlike(Neighbours &N) {
  const SCEV *First = countOf(*N.First), *Second = countOf(*N.Second);
  if (!First->getType()->isIntegerTy() || !Second->getType()->isIntegerTy())
    return false;
  Type *Wide = SE.getWiderType(First->getType(), Second->getType());
  First = SE.getNoopOrZeroExtend(First, Wide);
  Second = SE.getNoopOrZeroExtend(Second, Wide);
  const auto *More = dyn_cast<SCEVConstant>(SE.getMinusSCEV(First, Second));
  if (!More) {
    // What leads to the second loop is known where both run.
    First = SE.applyLoopGuards(First, N.Second);
    Second = SE.applyLoopGuards(Second, N.Second);
    More = dyn_cast<SCEVConstant>(SE.getMinusSCEV(First, Second));
  }
  if (!More || !(More->isZero() || More->isOne()))
    return false;
  N.OneMore = More->isOne();
  // Nothing is accessed at 2^64 places.
  return !N.OneMore || SE.getTypeSizeInBits(Wide) >= 64 ||
         SE.isKnownNonZero(First);
}

std::optional<Accesses> Joiner::accessesOf(const Loop &L) {
  Accesses Found;
  const DataLayout &DL = L.getHeader()->getDataLayout();
  for (Instruction &I : *L.getHeader()) {
    Value *Address = getLoadStorePointerOperand(&I);
    if (!Address)
      continue;
    const TypeSize Size = DL.getTypeStoreSize(getLoadStoreType(&I));
    const SCEV *Place = SE.getSCEV(Address);
    const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Place));
    if (Size.isScalable() || !Base || !SE.isLoopInvariant(Base, &L) ||
        NullPointerIsDefined(I.getFunction(),
                             Address->getType()->getPointerAddressSpace()))
      return std::nullopt;
    Access A{&I,
             Base,
             nullptr,
             0,
             int64_t(Size.getFixedValue()),
             I.mayWriteToMemory()};
    constexpr unsigned MostBits = 62;
    if (const auto *Walk = dyn_cast<SCEVAddRecExpr>(Place);
        Walk && Walk->getLoop() == &L && Walk->isAffine())
      if (const auto *Step =
              dyn_cast<SCEVConstant>(Walk->getStepRecurrence(SE));
          Step && Step->getAPInt().isSignedIntN(MostBits) && !Step->isZero()) {
        A.Walk = Walk;
        A.Step = Step->getAPInt().getSExtValue();
      }
    Found.push_back(A);
  }
  return Found;
}

/// What the address V is wherever it is accessed: a choice between an address
/// and poison, as non-null leaves it, is the address.
static const Value *accessed(const Value *V, const LoopInfo &Loops) {
  const auto *Phi = dyn_cast<PHINode>(V);
  if (!Phi || Loops.isLoopHeader(Phi->getParent()))
    return V;
  const Value *Only = nullptr;
  for (const Value *Way : Phi->incoming_values())
    if (!isa<PoisonValue>(Way)) {
      if (Only && Only != Way)
        return V;
      Only = Way;
    }
  return Only ? Only : V;
}

/// Where I accesses memory, as far as all languages agree: what two types say
/// of each other holds for memory that is used as one type only.
static MemoryLocation whereabouts(const Value &Base, const Instruction &I) {
  AAMDNodes Scopes = I.getAAMetadata();
  Scopes.TBAA = Scopes.TBAAStruct = nullptr;
  return MemoryLocation::getBeforeOrAfter(&Base, Scopes);
}

/// A, of the first loop, and B, of the second one, may access the same bytes,
/// and not in the same iteration.
bool Joiner::mayMeet(const Access &A, const Access &B) {
  if (!A.Writes && !B.Writes)
    return false;
  if (A.Base != B.Base)
    return !AA.isNoAlias(
        whereabouts(*accessed(A.Base->getValue(), Loops), *A.At),
        whereabouts(*accessed(B.Base->getValue(), Loops), *B.At));
  if (!A.Walk || !B.Walk || A.Step != B.Step)
    return true;
  const auto *Apart = dyn_cast<SCEVConstant>(
      SE.getMinusSCEV(B.Walk->getStart(), A.Walk->getStart()));
  const int64_t Step = std::abs(A.Step);
  if (!Apart || !Apart->getAPInt().isSignedIntN(62))
    return true;
  const int64_t D = Apart->getAPInt().getSExtValue();
  if (D == 0)
    return Step < A.Size || Step < B.Size;
  const int64_t Rest = ((D % Step) + Step) % Step;
  return Rest < A.Size || Step - Rest < B.Size;
}

/// I, which stands between the loops, and A, of the first one.
bool Joiner::mayMeet(const Instruction &I, const Access &A) {
  const Value *Address = getLoadStorePointerOperand(&I);
  if (!Address || (!A.Writes && !I.mayWriteToMemory()))
    return false;
  return !AA.isNoAlias(
      whereabouts(*accessed(getUnderlyingObject(Address), Loops), I),
      whereabouts(*accessed(A.Base->getValue(), Loops), *A.At));
}

/// What A has stored, B reads at the same iteration.
static bool handsOn(const Access &A, const Access &B) {
  return A.Writes && !B.Writes && A.Walk && B.Walk &&
         A.Walk->getStart() == B.Walk->getStart() && A.Step == B.Step &&
         getLoadStoreType(A.At) == getLoadStoreType(B.At) &&
         getLoadStoreType(A.At)->isFPOrFPVectorTy();
}

static bool handsOn(const Accesses &First, const Accesses &Second) {
  return any_of(First, [&](const Access &A) {
    return any_of(Second, [&](const Access &B) { return handsOn(A, B); });
  });
}

bool Joiner::isWorthLooking() {
  SmallVector<std::pair<const Loop *, Accesses>, 8> Known;
  for (const Loop *L : Loops.getLoopsInPreorder())
    if (L->isInnermost() && L->getNumBlocks() == 1)
      if (std::optional<Accesses> Found = accessesOf(*L))
        Known.push_back({L, std::move(*Found)});
  return any_of(Known, [&](const auto &A) {
    return any_of(Known, [&](const auto &B) {
      return A.first != B.first &&
             A.first->getParentLoop() == B.first->getParentLoop() &&
             handsOn(A.second, B.second);
    });
  });
}

std::optional<Neighbours> Joiner::find() {
  for (Loop *L : Loops.getLoopsInPreorder()) {
    if (!L->isInnermost() || !isPlain(*L))
      continue;
    Neighbours N;
    N.First = L;
    if (!leadsTo(L->getExitBlock(), N) || !N.Second->isInnermost() ||
        !isPlain(*N.Second) ||
        L->getHeader()->size() + N.Second->getHeader()->size() > LargestBody ||
        !runAlike(N))
      continue;
    std::optional<Accesses> First = accessesOf(*L),
                            Second = accessesOf(*N.Second);
    if (!First || !Second || !handsOn(*First, *Second))
      continue;
    auto Stays = [&](const Instruction *I) {
      return none_of(*First, [&](const Access &A) { return mayMeet(*I, A); });
    };
    if (all_of(N.Before, Stays) && all_of(N.Behind, Stays) &&
        none_of(*First, [&](const Access &A) {
          return any_of(*Second,
                        [&](const Access &B) { return mayMeet(A, B); });
        }))
      return N;
  }
  return std::nullopt;
}

/// Copies what the loop of the block From does in an iteration to the front of
/// To. Copies knows its carried numbers.
static void copyBody(const BasicBlock &From, BasicBlock::iterator To,
                     ValueToValueMapTy &Copies) {
  for (const Instruction &I : From)
    if (!isa<PHINode>(I) && !I.isTerminator()) {
      Instruction *Copy = I.clone();
      Copy->insertBefore(*To->getParent(), To);
      if (I.hasName())
        Copy->setName(I.getName());
      Copies[&I] = Copy;
      RemapInstruction(Copy, Copies,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
}

/// What Phi, which First carries, is by a number that Second carries, at the
/// same iteration: then it is seen that both access one place. Null if none.
static Value *bySecond(PHINode &Phi, const Neighbours &N, ScalarEvolution &SE) {
  const auto *Is = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
  for (PHINode &Other : N.Second->getHeader()->phis()) {
    const auto *By = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Other));
    if (!By || By->getLoop() != N.Second || By->getType() != Is->getType() ||
        !By->getType()->isIntegerTy() ||
        By->getStepRecurrence(SE) != Is->getStepRecurrence(SE))
      continue;
    const auto *Apart =
        dyn_cast<SCEVConstant>(SE.getMinusSCEV(Is->getStart(), By->getStart()));
    if (!Apart)
      continue;
    if (Apart->isZero())
      return &Other;
    auto *Sum =
        BinaryOperator::CreateAdd(&Other, Apart->getValue(), Phi.getName(),
                                  N.Second->getHeader()->getFirstNonPHIIt());
    Sum->setDebugLoc(Phi.getDebugLoc());
    return Sum;
  }
  return nullptr;
}

static void join(const Neighbours &N, ScalarEvolution &SE) {
  BasicBlock *Front = N.First->getLoopPreheader(), *Body = N.First->getHeader(),
             *Behind = N.First->getExitBlock();
  BasicBlock *Entry = N.Second->getLoopPreheader(),
             *Both = N.Second->getHeader(), *Exit = N.Second->getExitBlock();
  for (Instruction *I : N.Before)
    I->moveBefore(Front->getTerminator()->getIterator());

  ValueToValueMapTy Copies;
  const BasicBlock::iterator Start = Both->getFirstNonPHIIt();
  SmallVector<std::pair<PHINode *, PHINode *>, 4> Carried;
  for (PHINode &Phi : Body->phis()) {
    if (Value *Known = bySecond(Phi, N, SE)) {
      Copies[&Phi] = Known;
      continue;
    }
    auto *Copy = PHINode::Create(Phi.getType(), 2, Phi.getName(),
                                 Both->getFirstNonPHIIt());
    Copy->setDebugLoc(Phi.getDebugLoc());
    Copy->addIncoming(Phi.getIncomingValueForBlock(Front), Entry);
    Copies[&Phi] = Copy;
    Carried.push_back({&Phi, Copy});
  }
  copyBody(*Body, Start, Copies);
  auto Next = [&](const PHINode &Phi) {
    Value *V = Phi.getIncomingValueForBlock(Body);
    Value *Copy = Copies.lookup(V);
    return Copy ? Copy : V;
  };
  for (auto [Phi, Copy] : Carried)
    Copy->addIncoming(Next(*Phi), Both);
  if (N.OneMore) {
    ValueToValueMapTy Last;
    for (PHINode &Phi : Body->phis()) {
      auto *Behind =
          PHINode::Create(Phi.getType(), 1, Phi.getName(), Exit->begin());
      Behind->setDebugLoc(Phi.getDebugLoc());
      Behind->addIncoming(Next(Phi), Both);
      Last[&Phi] = Behind;
    }
    copyBody(*Body, Exit->getFirstInsertionPt(), Last);
  }

  if (!N.Guard) {
    Front->getTerminator()->replaceSuccessorWith(Body, Behind);
    DeleteDeadBlock(Body);
    return;
  }
  // The first loop is left for those who do not come to the second one.
  BranchInst *Guard = N.Guard;
  const bool IfTrue = [&] {
    const BasicBlock *To = Entry;
    while (To->getSinglePredecessor() != Guard->getParent())
      To = To->getSinglePredecessor();
    return Guard->getSuccessor(0) == To;
  }();
  BasicBlock *Elsewhere = Guard->getSuccessor(IfTrue);
  auto *Asked = cast<BranchInst>(Guard->clone());
  Asked->setSuccessor(IfTrue, Body);
  ReplaceInstWithInst(Front->getTerminator(), Asked);
  ReplaceInstWithInst(Guard, BranchInst::Create(Elsewhere));
}

/// Joins innermost loops of F of which one reads what the other one has just
/// stored. F should be simplified afterwards. True if there were some.
bool retrograd::joinLoops(Function &F, FunctionAnalysisManager &FAM) {
  if (Target(*F.getParent()).manyThreads() || !Joiner(F, FAM).isWorthLooking())
    return false;
  FunctionPassManager Shape;
  Shape.addPass(LoopSimplifyPass());
  Shape.addPass(LCSSAPass());
  bool Changed = false;
  for (;;) {
    FAM.invalidate(F, Shape.run(F, FAM));
    std::optional<Neighbours> N = Joiner(F, FAM).find();
    if (!N)
      return Changed;
    join(*N, FAM.getResult<ScalarEvolutionAnalysis>(F));
    FAM.invalidate(F, PreservedAnalyses::none());
    Changed = true;
  }
}
