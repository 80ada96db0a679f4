//===- OneAddition.cpp - one loop adds what several would -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/OneAddition.h"
#include "Emit/AccessKinds.h"
#include "Polish/DeviceReductions.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

/// Instructions that a loop has more of for an addition less: what an addition
/// costs that waits for memory.
static constexpr unsigned MostAgain = 24;
static constexpr unsigned MostLoads = 4;

//===----------------------------------------------------------------------===//
// Equal values
//===----------------------------------------------------------------------===//

static bool isComputed(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  return !I.mayHaveSideEffects() && !I.mayReadFromMemory() &&
         !isa<PHINode>(I) && !I.isTerminator() && !isa<AllocaInst>(I) &&
         !(C && (C->isConvergent() || C->isInlineAsm()));
}

namespace {

/// Which values of one loop, in front of it and in it, are those of another in
/// the same iteration.
class SameValues {
public:
  SameValues(const BasicBlock *A, const BasicBlock *B, DominatorTree &DT)
      : A(A), B(B), DT(DT) {}

  bool same(const Value *X, const Value *Y) {
    unsigned Left = 256;
    return same(X, Y, Left);
  }

private:
  bool same(const Value *X, const Value *Y, unsigned &Left);
  bool sameIncoming(const PHINode &X, const PHINode &Y, unsigned &Left);
  bool sameChoice(const PHINode &X, const PHINode &Y, unsigned &Left);

  const BasicBlock *A, *B;
  DominatorTree &DT;
  /// Taken for the same while it is asked whether they are.
  SmallVector<std::pair<const PHINode *, const PHINode *>, 4> Assumed;
};

} // namespace

bool SameValues::same(const Value *X, const Value *Y, unsigned &Left) {
  if (!Left)
    return false;
  --Left;
  const auto *I = dyn_cast<Instruction>(X), *J = dyn_cast<Instruction>(Y);
  if (!I || !J)
    return X == Y;
  // What is computed in neither of them has one value for both.
  if (X == Y && I->getParent() != A && I->getParent() != B)
    return true;
  if (I->getType() != J->getType())
    return false;
  if (const auto *P = dyn_cast<PHINode>(I)) {
    const auto *Q = dyn_cast<PHINode>(J);
    if (!Q)
      return false;
    if (P->getParent() == A && Q->getParent() == B)
      return sameIncoming(*P, *Q, Left);
    return P->getParent() != A && Q->getParent() != B &&
           sameChoice(*P, *Q, Left);
  }
  // Each in its own loop, or both in front.
  if ((I->getParent() == A) != (J->getParent() == B) || I->getParent() == B ||
      J->getParent() == A)
    return false;
  // Of a number that is not negative, both are one.
  auto Signed = [](const Instruction *C) {
    return isa<SExtInst>(C) || (isa<ZExtInst>(C) && C->hasNonNeg());
  };
  if (Signed(I) && Signed(J))
    return same(I->getOperand(0), J->getOperand(0), Left);
  const bool Read = isa<LoadInst>(I) && isa<LoadInst>(J) &&
                    I->getParent() == A; // of what nobody writes: the caller's
  if ((!Read && (!isComputed(*I) || !isComputed(*J))) ||
      !I->isSameOperationAs(J, Instruction::CompareIgnoringAlignment))
    return false;
  for (auto [U, V] : zip_equal(I->operands(), J->operands()))
    if (!same(U, V, Left))
      return false;
  return true;
}

/// Of the two loops: what begins alike and goes on alike.
bool SameValues::sameIncoming(const PHINode &X, const PHINode &Y,
                              unsigned &Left) {
  if (is_contained(Assumed, std::pair(&X, &Y)))
    return true;
  if (X.getNumIncomingValues() != 2 || Y.getNumIncomingValues() != 2)
    return false;
  const int OfX = X.getBasicBlockIndex(A), OfY = Y.getBasicBlockIndex(B);
  if (!same(X.getIncomingValue(1 - OfX), Y.getIncomingValue(1 - OfY), Left))
    return false;
  Assumed.push_back({&X, &Y});
  const bool Same =
      same(X.getIncomingValue(OfX), Y.getIncomingValue(OfY), Left);
  Assumed.pop_back();
  return Same;
}

/// In front of the loops: the same question chooses from the same values.
bool SameValues::sameChoice(const PHINode &X, const PHINode &Y,
                            unsigned &Left) {
  auto Question = [&](const PHINode &P) -> const BranchInst * {
    const auto *Node = DT.getNode(P.getParent())->getIDom();
    const auto *Br =
        Node ? dyn_cast<BranchInst>(Node->getBlock()->getTerminator())
             : nullptr;
    return Br && Br->isConditional() && P.getNumIncomingValues() == 2 ? Br
                                                                      : nullptr;
  };
  // What P is if the answer leads to successor N.
  auto Answer = [](const PHINode &P, const BranchInst &Br,
                   unsigned N) -> const Value * {
    const BasicBlock *To = Br.getSuccessor(N);
    if (To == P.getParent())
      return P.getIncomingValueForBlock(Br.getParent());
    if (To->getSinglePredecessor() != Br.getParent() ||
        To->getSingleSuccessor() != P.getParent())
      return nullptr;
    return P.getIncomingValueForBlock(To);
  };
  const BranchInst *Of = Question(X), *Or = Question(Y);
  if (!Of || !Or || Of->getSuccessor(0) == Of->getSuccessor(1) ||
      Or->getSuccessor(0) == Or->getSuccessor(1) ||
      !same(Of->getCondition(), Or->getCondition(), Left))
    return false;
  for (unsigned N : {0, 1}) {
    const Value *V = Answer(X, *Of, N), *W = Answer(Y, *Or, N);
    if (!V || !W || !same(V, W, Left))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loops that run alike
//===----------------------------------------------------------------------===//

namespace {

/// All ways through the function: each comes to both loops, A first, or to
/// neither. Loops on the way are passed as a whole.
class Ways {
public:
  Ways(const Loop &A, const Loop &B, SameValues &Values,
       const PostDominatorTree &PDT, const DominatorTree &DT,
       const LoopInfo &LI)
      : A(A), B(B), Values(Values), PDT(PDT), DT(DT), LI(LI) {}

  bool bothOrNone() {
    const Function &F = *A.getHeader()->getParent();
    // First with all that branches tell. If that is too much, without those
    // whose ways meet again.
    for (bool Pass : {false, true}) {
      PassDetours = Pass;
      Left = MostBlocks;
      Facts.clear();
      Chosen.clear();
      if (follow(&F.getEntryBlock(), nullptr, /*SeenA=*/false, /*SeenB=*/false))
        return true;
      if (Left)
        break;
    }
    return false;
  }

private:
  bool follow(const BasicBlock *At, const BasicBlock *From, bool SeenA,
              bool SeenB);
  bool branch(const BasicBlock *At, bool SeenA, bool SeenB);
  const BasicBlock *behindDetour(const BasicBlock *At) const;
  std::optional<uint64_t> known(const Value *V, unsigned Depth = 0) const;
  void learn(const Value *V, uint64_t Is);

  const Loop &A, &B;
  SameValues &Values;
  const PostDominatorTree &PDT;
  const DominatorTree &DT;
  const LoopInfo &LI;
  /// On the way here: what values are, and which one a phi is.
  SmallVector<std::pair<const Value *, uint64_t>, 16> Facts;
  SmallVector<std::pair<const PHINode *, const Value *>, 16> Chosen;
  static constexpr unsigned MostBlocks = 1024;
  unsigned Left = 0; ///< blocks that may still be looked at
  bool PassDetours = false;
};

} // namespace

/// V, an integer, if the way here tells.
std::optional<uint64_t> Ways::known(const Value *V, unsigned Depth) const {
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return C->getBitWidth() <= 64 ? std::optional(C->getZExtValue())
                                  : std::nullopt;
  for (const auto &[Of, Is] : Facts)
    if (Values.same(Of, V))
      return Is;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == 8 || !I->getType()->isIntegerTy() ||
      I->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  auto Of = [&](unsigned N) { return known(I->getOperand(N), Depth + 1); };
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    const auto *Is = find_if(
        Chosen, [&](const auto &Choice) { return Choice.first == Phi; });
    return Is == Chosen.end() ? std::nullopt : known(Is->second, Depth + 1);
  }
  if (isa<ZExtInst>(I))
    return Of(0);
  if (isa<SelectInst>(I)) {
    std::optional<uint64_t> Asked = Of(0);
    return Asked ? Of(*Asked ? 1 : 2) : std::nullopt;
  }
  if (const auto *Compared = dyn_cast<ICmpInst>(I)) {
    std::optional<uint64_t> X = Of(0), Y = Of(1);
    if (X && Y && Compared->isEquality())
      return (*X == *Y) == (Compared->getPredicate() == ICmpInst::ICMP_EQ);
    for (const auto &[Fact, Is] : Facts)
      if (const auto *Other = dyn_cast<ICmpInst>(Fact);
          Other && Other->getPredicate() == Compared->getInversePredicate() &&
          Values.same(Other->getOperand(0), I->getOperand(0)) &&
          Values.same(Other->getOperand(1), I->getOperand(1)))
        return !Is;
    return std::nullopt;
  }
  if (!I->getType()->isIntegerTy(1) || !I->isBitwiseLogicOp())
    return std::nullopt;
  std::optional<uint64_t> X = Of(0), Y = Of(1);
  switch (I->getOpcode()) {
  case Instruction::And:
    return (X && !*X) || (Y && !*Y) ? std::optional<uint64_t>(0)
           : X && Y                 ? std::optional(*X & *Y)
                                    : std::nullopt;
  case Instruction::Or:
    return (X && *X) || (Y && *Y) ? std::optional<uint64_t>(1)
           : X && Y               ? std::optional(*X | *Y)
                                  : std::nullopt;
  default:
    return X && Y ? std::optional(*X ^ *Y) : std::nullopt;
  }
}

void Ways::learn(const Value *V, uint64_t Is) {
  using namespace PatternMatch;
  const Value *X, *Y;
  Facts.push_back({V, Is});
  if (!V->getType()->isIntegerTy(1))
    return;
  if (match(V, m_Not(m_Value(X)))) {
    learn(X, !Is);
  } else if (Is ? match(V, m_LogicalAnd(m_Value(X), m_Value(Y)))
                : match(V, m_LogicalOr(m_Value(X), m_Value(Y)))) {
    learn(X, Is);
    learn(Y, Is);
  }
}

/// Where all ways from At meet again, if none of them comes to A or B and what
/// they tell can be done without.
const BasicBlock *Ways::behindDetour(const BasicBlock *At) const {
  const auto *Node = PDT.getNode(At);
  const BasicBlock *Join =
      Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  if (!Join || !DT.dominates(At, Join) || LI.getLoopFor(Join) ||
      any_of(Join->phis(), [](const PHINode &Phi) {
        return Phi.getType()->isIntegerTy() &&
               any_of(Phi.incoming_values(),
                      [](const Value *V) { return isa<ConstantInt>(V); });
      }))
    return nullptr;
  SmallPtrSet<const BasicBlock *, 16> Seen{At, Join};
  SmallVector<const BasicBlock *, 16> Work{At};
  while (!Work.empty())
    for (const BasicBlock *S : successors(Work.pop_back_val()))
      if (Seen.insert(S).second) {
        if (S == A.getHeader() || S == B.getHeader())
          return nullptr;
        Work.push_back(S);
      }
  return Join;
}

bool Ways::follow(const BasicBlock *At, const BasicBlock *From, bool SeenA,
                  bool SeenB) {
  if (!Left)
    return false;
  --Left;
  const Loop *In = LI.getLoopFor(At);
  while (In && In->getParentLoop())
    In = In->getParentLoop();
  if (!In) {
    if (From)
      for (const PHINode &Phi : At->phis())
        Chosen.push_back({&Phi, Phi.getIncomingValueForBlock(From)});
    return branch(At, SeenA, SeenB);
  }
  if (In == &A || In == &B) {
    bool &Seen = In == &A ? SeenA : SeenB;
    if (Seen || SeenB)
      return false;
    Seen = true;
  }
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Exits;
  const size_t Known = Chosen.size();
  In->getExitEdges(Exits);
  return all_of(Exits, [&](const auto &Exit) {
    Chosen.truncate(Known);
    return follow(Exit.second, Exit.first, SeenA, SeenB);
  });
}

bool Ways::branch(const BasicBlock *At, bool SeenA, bool SeenB) {
  const Instruction *End = At->getTerminator();
  const Value *Asked = nullptr;
  SmallVector<std::pair<const BasicBlock *, std::optional<uint64_t>>, 4> Next;
  if (isa<ReturnInst>(End))
    return SeenA == SeenB;
  if (isa<UnreachableInst>(End)) // the whole kernel ends with an error
    return true;
  if (const auto *Br = dyn_cast<BranchInst>(End)) {
    if (Br->isConditional())
      Asked = Br->getCondition();
    for (unsigned N = 0; N != Br->getNumSuccessors(); ++N)
      Next.push_back({Br->getSuccessor(N),
                      Asked ? std::optional<uint64_t>(!N) : std::nullopt});
  } else if (const auto *Switch = dyn_cast<SwitchInst>(End);
             Switch &&
             Switch->getCondition()->getType()->getIntegerBitWidth() <= 64) {
    Asked = Switch->getCondition();
    Next.push_back({Switch->getDefaultDest(), std::nullopt});
    for (const auto &Case : Switch->cases())
      Next.push_back(
          {Case.getCaseSuccessor(), Case.getCaseValue()->getZExtValue()});
  } else {
    return false;
  }
  std::optional<uint64_t> Answer = Asked ? known(Asked) : std::nullopt;
  if (Answer) {
    auto *Is = find_if(Next, [&](const auto &N) { return N.second == Answer; });
    Next = {Is == Next.end() ? Next.front() : *Is};
  } else if (const BasicBlock *Join =
                 PassDetours && Asked ? behindDetour(At) : nullptr) {
    return follow(Join, nullptr, SeenA, SeenB);
  }
  const size_t KnownFacts = Facts.size(), KnownChoices = Chosen.size();
  return all_of(Next, [&](const auto &N) {
    Facts.truncate(KnownFacts);
    Chosen.truncate(KnownChoices);
    if (!Answer && Asked && N.second)
      learn(Asked, *N.second);
    return follow(N.first, At, SeenA, SeenB);
  });
}

namespace {

/// What a number of one loop is computed from in another.
struct Moved {
  SmallMapVector<Instruction *, Instruction *, 8> Found;
  SmallSetVector<Instruction *, 16> Again; ///< operands first
  unsigned Loads = 0;
};

class Finder {
public:
  Finder(Function &F, FunctionAnalysisManager &FAM)
      : F(F), Machine(*F.getParent()),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        PDT(FAM.getResult<PostDominatorTreeAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)), AA(FAM.getResult<AAManager>(F)) {}

  bool run();

private:
  bool isAdjoint(const Instruction &I) const;
  bool onlyAddedTo(const Value &P);
  bool neverWritten(const Value &P);
  bool isConstantLoad(const Instruction &I);
  bool runAlike(const Loop &A, const Loop &B, SameValues &Values) const;
  bool canMove(Value *V, const Loop &A, Instruction &To, SameValues &Values,
               Moved &M);
  bool join(AtomicRMWInst &First, AtomicRMWInst &Second, const Loop &A,
            SameValues &Values);

  Function &F;
  const Target Machine;
  DominatorTree &DT;
  PostDominatorTree &PDT;
  LoopInfo &LI;
  AAResults &AA;
};

} // namespace

bool Finder::isAdjoint(const Instruction &I) const {
  const MDNode *Scopes = I.getMetadata(LLVMContext::MD_alias_scope);
  return Scopes && any_of(Scopes->operands(), [](const MDOperand &Scope) {
           StringRef Name = AliasScopeNode(cast<MDNode>(Scope.get())).getName();
           return Name == AccessKinds::ShadowScope;
         });
}

/// What lies behind P, a restrict parameter, is added to and nothing else.
bool Finder::onlyAddedTo(const Value &P) {
  const MemoryLocation All = MemoryLocation::getBeforeOrAfter(&P);
  return all_of(instructions(F), [&](Instruction &I) {
    return !I.mayReadOrWriteMemory() || isPlainAddition(I, Machine) ||
           !isModOrRefSet(AA.getModRefInfo(&I, All));
  });
}

bool Finder::neverWritten(const Value &P) {
  const MemoryLocation All = MemoryLocation::getBeforeOrAfter(&P);
  return none_of(instructions(F), [&](Instruction &I) {
    return I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, All));
  });
}

static const Argument *restrictParameter(const Value *P) {
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(P, /*MaxLookup=*/0));
  return A && A->hasNoAliasAttr() ? A : nullptr;
}

/// Where one runs the other does, for the same iterations, A first.
bool Finder::runAlike(const Loop &A, const Loop &B, SameValues &Values) const {
  const BasicBlock *InA = A.getHeader(), *InB = B.getHeader();
  const auto *EndA = cast<BranchInst>(InA->getTerminator()),
             *EndB = cast<BranchInst>(InB->getTerminator());
  return (EndA->getSuccessor(0) == InA) == (EndB->getSuccessor(0) == InB) &&
         Values.same(EndA->getCondition(), EndB->getCondition()) &&
         Ways(A, B, Values, PDT, DT, LI).bothOrNone();
}

//===----------------------------------------------------------------------===//
// What is computed again
//===----------------------------------------------------------------------===//

/// V, of A or in front of it, has a value in front of To, in B: an equal one
/// (Found), or when Again are computed there.
bool Finder::canMove(Value *V, const Loop &A, Instruction &To,
                     SameValues &Values, Moved &M) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || M.Found.contains(I) || M.Again.contains(I))
    return true;
  const bool InA = A.contains(I);
  if (!InA && DT.dominates(I, &To))
    return true;
  if (InA)
    for (Instruction &J : *To.getParent()) {
      if (&J == &To)
        break;
      if (Values.same(I, &J)) {
        // Of two loads, nothing writes what they read.
        if (isa<LoadInst>(I) && !isConstantLoad(*I))
          return false;
        M.Found[I] = &J;
        return true;
      }
    }
  if (InA && isConstantLoad(*I)) {
    if (++M.Loads > MostLoads)
      return false;
  } else if (!isComputed(*I)) { // in front of A, which runs where B does
    return false;
  }
  if (!all_of(I->operands(),
              [&](Value *Of) { return canMove(Of, A, To, Values, M); }) ||
      M.Again.size() == MostAgain)
    return false;
  M.Again.insert(I);
  return true;
}

bool Finder::isConstantLoad(const Instruction &I) {
  const auto *L = dyn_cast<LoadInst>(&I);
  const Argument *P =
      L && L->isSimple() ? restrictParameter(L->getPointerOperand()) : nullptr;
  return P && neverWritten(*P);
}

/// First, in A, is added by Second, in B, whose number has it then, too.
bool Finder::join(AtomicRMWInst &First, AtomicRMWInst &Second, const Loop &A,
                  SameValues &Values) {
  Moved M;
  Value *Number = First.getValOperand();
  if (!canMove(Number, A, Second, Values, M))
    return false;
  DenseMap<Value *, Value *> Now;
  for (auto [I, J] : M.Found) {
    if (I->getOpcode() == J->getOpcode())
      J->andIRFlags(I);
    Now[I] = J;
  }
  for (Instruction *I : M.Again) {
    Instruction *C = I->clone();
    for (Use &U : C->operands())
      if (Value *V = Now.lookup(U.get()))
        U.set(V);
    C->dropUnknownNonDebugMetadata();
    C->insertBefore(Second.getIterator());
    if (I->hasName())
      C->setName(I->getName() + ".again");
    Now[I] = C;
  }
  if (Value *V = Now.lookup(Number))
    Number = V;
  IRBuilder<> Build(&Second);
  Value *Sum = Build.CreateFAdd(Second.getValOperand(), Number);
  const auto *X = dyn_cast<FPMathOperator>(Second.getValOperand()),
             *Y = dyn_cast<FPMathOperator>(Number);
  if (auto *Add = dyn_cast<Instruction>(Sum); Add && X && Y)
    Add->setHasAllowContract(X->hasAllowContract() && Y->hasAllowContract());
  Second.setOperand(1, Sum);
  Value *Place = First.getPointerOperand();
  Value *Old = First.getValOperand();
  First.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(Place);
  RecursivelyDeleteTriviallyDeadInstructions(Old);
  return true;
}

//===----------------------------------------------------------------------===//
// All loops
//===----------------------------------------------------------------------===//

bool Finder::run() {
  ReversePostOrderTraversal<const Function *> Order(&F);
  SmallVector<Loop *, 8> Loops; // of one block, first ones first
  SmallVector<SmallVector<AtomicRMWInst *, 2>, 8> Additions;
  for (const BasicBlock *Block : Order) {
    Loop *L = LI.getLoopFor(Block);
    if (!L || L->getNumBlocks() != 1 || L->getParentLoop() ||
        !L->getLoopPreheader() || !isa<BranchInst>(Block->getTerminator()))
      continue;
    SmallVector<AtomicRMWInst *, 2> Of;
    for (Instruction &I : *L->getHeader())
      if (isPlainAddition(I, Machine) && isAdjoint(I))
        if (auto *Add = cast<AtomicRMWInst>(&I);
            restrictParameter(Add->getPointerOperand()))
          Of.push_back(Add);
    if (Of.empty())
      continue;
    Loops.push_back(L);
    Additions.push_back(std::move(Of));
  }
  if (Loops.size() < 2 || containsIrreducibleCFG<const BasicBlock *>(Order, LI))
    return false;
  bool Changed = false;
  for (unsigned N = 0; N != Loops.size(); ++N)
    for (unsigned K = N + 1; K != Loops.size(); ++K) {
      SameValues Values(Loops[N]->getHeader(), Loops[K]->getHeader(), DT);
      if (!runAlike(*Loops[N], *Loops[K], Values))
        continue;
      erase_if(Additions[N], [&](AtomicRMWInst *First) {
        for (AtomicRMWInst *Second : Additions[K])
          if (First->getType() == Second->getType() &&
              Values.same(First->getPointerOperand(),
                          Second->getPointerOperand()) &&
              onlyAddedTo(*restrictParameter(First->getPointerOperand())) &&
              join(*First, *Second, *Loops[N], Values))
            return Changed = true;
        return false;
      });
    }
  return Changed;
}

bool retrograd::addOnce(Function &F, FunctionAnalysisManager &FAM) {
  return Finder(F, FAM).run();
}
