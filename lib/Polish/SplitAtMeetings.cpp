//===- SplitAtMeetings.cpp - loops around the place they meet -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over a row that also uses one place, which may be a place of the row:
//
//   for j: d[i][j] = ..., d[i][k] += ...
//
// Only where j is k do the two meet, but LLVM has to expect it everywhere: it
// neither keeps the place in a register nor vectorises. Here the loop runs up
// to the meeting point, then as it was, then on from there.
//
//
// An innermost loop of one block, whose accesses are rows (addresses that move
// by the same in every iteration) and places (addresses that do not move), gets
// two bodies:
//
//   [from, to) = the iterations in which a place is met by a row;
//                all of them if rows overlap, or the loop is short
//   for each of [0, from), [from, to), [to, n) that is not empty:
//     outside of [from, to): the body, whose accesses are told apart by scopes
//     inside:                the body as it was
//
// Nothing is reordered. What the first body gains is LLVM's: places are kept in
// registers, what was stored is not loaded again, the loop is vectorised.
//
// Accesses of one base at constant distances that move alike are one class. Two
// classes of which one is written are compared in front of the loop, unless
// alias analysis knows them apart: row with row and place with place by what
// they span, place with row by the iterations in which they overlap. A place
// and a row whose step is not a constant are compared by what they span, too.
//
//===----------------------------------------------------------------------===//

#include "Polish/PolishSteps.h"
#include "Polish/RewriteLoops.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

namespace {

constexpr int64_t LeastTrips = 16; ///< shorter loops gain nothing
constexpr size_t MostClasses = 10, MostPairs = 16, MostInstructions = 150;

/// Accesses at First + [Low, High) bytes.
struct AccessClass {
  const SCEV *First;           ///< an address: in the first iteration
  const SCEV *Moves = nullptr; ///< by how much; null: a place
  int64_t Step = 0;            ///< that, if it is a constant
  int64_t Low = 0, High = 0;
  bool Written = false;
  SmallVector<Instruction *, 4> Accesses;
};

class MeetingPoints {
public:
  MeetingPoints(Loop &L, LoopInfo &LI, ScalarEvolution &SE, AAResults &AA,
                DominatorTree &DT)
      : L(L), LI(LI), SE(SE), AA(AA), DT(DT), Body(L.getHeader()),
        F(*Body->getParent()), DL(F.getDataLayout()), Expand(SE, "rg.meet") {}

  /// Nothing is changed by this.
  bool find();
  /// The blocks of the two bodies.
  std::pair<BasicBlock *, BasicBlock *> transform();

private:
  using Pair = std::pair<AccessClass *, AccessClass *>;
  /// Both ends of what is touched, Begin <= End.
  struct Span {
    Value *Begin, *End;
  };
  bool classify(Instruction &I);
  bool mayMeet(const AccessClass &A, const AccessClass &B);
  bool mayMeet(Instruction &I, Instruction &J);
  bool atKnownDistance(const AccessClass &A, const AccessClass &B);
  bool safeToExpand(const SCEV *S) {
    return Expand.isSafeToExpandAt(S, Before->getTerminator());
  }
  Value *number(IRBuilder<> &B, const SCEV *S);
  Span span(IRBuilder<> &B, const AccessClass &A);
  Span meeting(IRBuilder<> &B, const AccessClass &Place,
               const AccessClass &Row);
  Span compare(IRBuilder<> &B);
  BasicBlock *copyBody(StringRef Name, BasicBlock *From, BasicBlock *To,
                       Value *Begin, Value *End,
                       ArrayRef<std::pair<PHINode *, PHINode *>> Carried,
                       ValueToValueMapTy &Map);

  Loop &L;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AAResults &AA;
  DominatorTree &DT;
  BasicBlock *Body, *Before = nullptr, *After = nullptr;
  Function &F;
  const DataLayout &DL;
  SCEVExpander Expand;

  const SCEV *Backedges = nullptr; ///< taken, 64 bits
  std::vector<AccessClass> Classes;
  SmallVector<Instruction *, 4> Elsewhere; ///< of unknown address
  SmallVector<Pair, 8> Apart;              ///< by what they span
  SmallVector<Pair, 8> Meeting;            ///< place and row
  Value *Taken = nullptr, *Trips = nullptr;
};

} // namespace

/// At a glance.
static bool mayBeSplit(const Loop &L) {
  if (!L.isInnermost() || L.getNumBlocks() != 1 ||
      L.getHeader()->size() > MostInstructions)
    return false;
  return any_of(*L.getHeader(),
                [](const Instruction &I) { return isa<StoreInst>(I); });
}

bool MeetingPoints::mayMeet(Instruction &I, Instruction &J) {
  if (!isa<StoreInst>(I) && !isa<StoreInst>(J))
    return false;
  auto Anywhere = [](const Instruction &Access) {
    MemoryLocation Here = MemoryLocation::get(&Access);
    return MemoryLocation::getBeforeOrAfter(Here.Ptr, Here.AATags);
  };
  return !AA.isNoAlias(Anywhere(I), Anywhere(J));
}

bool MeetingPoints::mayMeet(const AccessClass &A, const AccessClass &B) {
  return (A.Written || B.Written) && any_of(A.Accesses, [&](Instruction *I) {
           return any_of(B.Accesses,
                         [&](Instruction *J) { return mayMeet(*I, *J); });
         });
}

/// LLVM's own analysis of dependences sees these.
bool MeetingPoints::atKnownDistance(const AccessClass &A,
                                    const AccessClass &B) {
  return A.Moves && A.Moves == B.Moves &&
         SE.getPointerBase(A.First) == SE.getPointerBase(B.First) &&
         isa<SCEVConstant>(SE.getMinusSCEV(A.First, B.First));
}

bool MeetingPoints::classify(Instruction &I) {
  // What it says is of one iteration; in two bodies it would be of both.
  if (isa<NoAliasScopeDeclInst>(I))
    return false;
  if (auto *Call = dyn_cast<IntrinsicInst>(&I);
      Call && (Call->isAssumeLikeIntrinsic() || Call->doesNotAccessMemory()))
    return !Call->isConvergent() && !Call->getType()->isTokenTy();
  if (isa<CallBase>(I) || I.getType()->isTokenTy())
    return false;
  if (!I.mayReadOrWriteMemory())
    return true;
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!(Load ? Load->isSimple() : Store && Store->isSimple()))
    return false;
  TypeSize Bytes = DL.getTypeStoreSize(getLoadStoreType(&I));
  const SCEV *S = SE.getSCEV(getLoadStorePointerOperand(&I));
  AccessClass A;
  A.First = S;
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S); R && R->getLoop() == &L) {
    A.First = R->getStart();
    A.Moves = R->getStepRecurrence(SE);
    if (const auto *C = dyn_cast<SCEVConstant>(A.Moves);
        C && C->getAPInt().getSignificantBits() <= 32)
      A.Step = C->getAPInt().getSExtValue();
    if (!R->isAffine() || !safeToExpand(A.Moves))
      A.First = SE.getCouldNotCompute();
  } else if (!SE.isLoopInvariant(S, &L)) {
    A.First = SE.getCouldNotCompute();
  }
  if (isa<SCEVCouldNotCompute>(A.First) || Bytes.isScalable() ||
      !safeToExpand(A.First) ||
      getLoadStorePointerOperand(&I)->getType()->getPointerAddressSpace()) {
    Elsewhere.push_back(&I);
    return true;
  }
  int64_t Offset = 0;
  AccessClass *Home = nullptr;
  for (AccessClass &Other : Classes) {
    if (Other.Moves != A.Moves ||
        SE.getPointerBase(Other.First) != SE.getPointerBase(A.First))
      continue;
    const auto *C =
        dyn_cast<SCEVConstant>(SE.getMinusSCEV(A.First, Other.First));
    constexpr int64_t Near = 64; // farther away, they are rows of their own
    if (!C || C->getAPInt().getSignificantBits() > 32 ||
        std::abs(C->getAPInt().getSExtValue()) > Near ||
        (!A.Moves && !C->isZero()))
      continue;
    Offset = C->getAPInt().getSExtValue();
    Home = &Other;
    break;
  }
  if (!Home) {
    if (Classes.size() == MostClasses)
      return false;
    Classes.push_back(std::move(A));
    Home = &Classes.back();
  }
  Home->Low = std::min(Home->Low, Offset);
  Home->High = std::max<int64_t>(Home->High, Offset + Bytes.getFixedValue());
  Home->Written |= Store != nullptr;
  Home->Accesses.push_back(&I);
  return true;
}

bool MeetingPoints::find() {
  Before = L.getLoopPreheader();
  After = L.getExitBlock();
  if (!Before || !After || L.getExitingBlock() != Body ||
      After->getSinglePredecessor() != Body)
    return false;
  Backedges = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Backedges) ||
      SE.getTypeSizeInBits(Backedges->getType()) > 64)
    return false;
  if (const auto *C = dyn_cast<SCEVConstant>(Backedges);
      C && C->getAPInt().ult(LeastTrips - 1))
    return false;
  Backedges =
      SE.getNoopOrZeroExtend(Backedges, Type::getInt64Ty(F.getContext()));
  if (!safeToExpand(Backedges))
    return false;
  Classes.reserve(MostClasses);
  for (Instruction &I : *Body)
    if (!I.isTerminator() && !classify(I))
      return false;
  for (Instruction *I : Elsewhere)
    for (Instruction &J : *Body)
      if ((isa<LoadInst>(J) || isa<StoreInst>(J)) && &J != I && mayMeet(*I, J))
        return false;
  for (size_t I = 0; I != Classes.size(); ++I)
    for (size_t J = I + 1; J != Classes.size(); ++J) {
      AccessClass &A = Classes[I], &B = Classes[J];
      if (!mayMeet(A, B) || atKnownDistance(A, B))
        continue;
      if (!A.Moves && B.Step)
        Meeting.push_back({&A, &B});
      else if (!B.Moves && A.Step)
        Meeting.push_back({&B, &A});
      else
        Apart.push_back({&A, &B});
    }
  return !Meeting.empty() && Meeting.size() + Apart.size() <= MostPairs;
}

/// S in front of the loop, addresses as numbers.
Value *MeetingPoints::number(IRBuilder<> &B, const SCEV *S) {
  Value *V = Expand.expandCodeFor(S, S->getType(), &*B.GetInsertPoint());
  return V->getType()->isPointerTy() ? B.CreatePtrToInt(V, B.getInt64Ty())
                                     : B.CreateSExtOrTrunc(V, B.getInt64Ty());
}

MeetingPoints::Span MeetingPoints::span(IRBuilder<> &B, const AccessClass &A) {
  Value *Begin = number(B, A.First), *End = Begin;
  if (A.Moves) {
    Value *Last =
        B.CreateAdd(Begin, B.CreateMul(number(B, A.Moves), Taken), "rg.last");
    End = B.CreateBinaryIntrinsic(Intrinsic::umax, Begin, Last);
    Begin = B.CreateBinaryIntrinsic(Intrinsic::umin, Begin, Last);
  }
  return {B.CreateAdd(Begin, B.getInt64(A.Low)),
          B.CreateAdd(End, B.getInt64(A.High))};
}

/// The iterations in which the place and the row overlap; [Trips, 0) if there
/// are none.
MeetingPoints::Span MeetingPoints::meeting(IRBuilder<> &B,
                                           const AccessClass &Place,
                                           const AccessClass &Row) {
  const int64_t Step = std::abs(Row.Step);
  auto FloorOfQuotient = [&](Value *X) {
    Value *Down = B.CreateSelect(B.CreateICmpSLT(X, B.getInt64(0)),
                                 B.CreateSub(X, B.getInt64(Step - 1)), X);
    return B.CreateSDiv(Down, B.getInt64(Step));
  };
  // The row is at first + m * step + [low, high), the place at [begin, end):
  // m * step lies between, without these ends, begin - first - high and
  // end - first - low.
  Value *First = number(B, Row.First), *At = number(B, Place.First);
  Value *Away = B.CreateSub(At, First);
  Value *Behind = B.CreateAdd(Away, B.getInt64(Place.Low - Row.High));
  Value *Ahead = B.CreateAdd(Away, B.getInt64(Place.High - Row.Low));
  if (Row.Step < 0) {
    std::swap(Behind, Ahead);
    Behind = B.CreateNeg(Behind);
    Ahead = B.CreateNeg(Ahead);
  }
  Value *Zero = B.getInt64(0);
  Value *From = B.CreateAdd(FloorOfQuotient(Behind), B.getInt64(1));
  Value *To = B.CreateNeg(FloorOfQuotient(B.CreateNeg(Ahead)));
  From = B.CreateBinaryIntrinsic(Intrinsic::smax, From, Zero);
  To = B.CreateBinaryIntrinsic(Intrinsic::smin, To, Trips);
  Value *Never = B.CreateICmpSGE(From, To);
  return {B.CreateSelect(Never, Trips, From, "rg.from"),
          B.CreateSelect(Never, Zero, To, "rg.to")};
}

/// The iterations that run as they did; Begin = End = Trips: none.
MeetingPoints::Span MeetingPoints::compare(IRBuilder<> &B) {
  Taken = Expand.expandCodeFor(Backedges, B.getInt64Ty(), &*B.GetInsertPoint());
  Trips = B.CreateAdd(Taken, B.getInt64(1), "rg.trips");
  Value *Zero = B.getInt64(0);
  // Within these bounds no product of ours wraps around.
  Value *Holds = B.CreateICmpULT(B.CreateSub(Taken, B.getInt64(LeastTrips - 1)),
                                 B.getInt64(uint64_t(1) << 31));
  SmallPtrSet<const SCEV *, 4> Asked;
  SmallDenseMap<const AccessClass *, Span> Spans;
  auto SpanOf = [&](const AccessClass &A) {
    auto [It, New] = Spans.try_emplace(&A);
    if (New)
      It->second = span(B, A);
    return It->second;
  };
  for (auto [X, Y] : Apart) {
    for (const AccessClass *A : {X, Y})
      if (A->Moves && !A->Step && Asked.insert(A->Moves).second) {
        Value *Step = number(B, A->Moves);
        constexpr uint64_t Most = uint64_t(1) << 31;
        Holds = B.CreateAnd(Holds,
                            B.CreateICmpULT(B.CreateAdd(Step, B.getInt64(Most)),
                                            B.getInt64(2 * Most)));
      }
    Span A = SpanOf(*X), C = SpanOf(*Y);
    Holds = B.CreateAnd(Holds, B.CreateOr(B.CreateICmpULE(A.End, C.Begin),
                                          B.CreateICmpULE(C.End, A.Begin)));
  }
  Value *From = Trips, *To = Zero;
  for (auto [Place, Row] : Meeting) {
    Span M = meeting(B, *Place, *Row);
    From = B.CreateBinaryIntrinsic(Intrinsic::smin, From, M.Begin);
    To = B.CreateBinaryIntrinsic(Intrinsic::smax, To, M.End);
  }
  To = B.CreateBinaryIntrinsic(Intrinsic::smax, From, To);
  return {B.CreateSelect(Holds, From, Zero, "rg.from"),
          B.CreateSelect(Holds, To, Trips, "rg.to")};
}

/// The iterations [Begin, End), of which there is one.
BasicBlock *MeetingPoints::copyBody(
    StringRef Name, BasicBlock *From, BasicBlock *To, Value *Begin, Value *End,
    ArrayRef<std::pair<PHINode *, PHINode *>> Carried, ValueToValueMapTy &Map) {
  BasicBlock *Copy = BasicBlock::Create(F.getContext(), Name, &F, After);
  IRBuilder<> B(From);
  B.CreateBr(Copy);
  B.SetInsertPoint(Copy);
  PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2, "rg.index");
  Index->addIncoming(Begin, From);
  for (auto [Phi, Outer] : Carried) {
    PHINode *Inner = B.CreatePHI(Phi->getType(), 2, Phi->getName());
    Inner->addIncoming(Outer, From);
    Map[Phi] = Inner;
  }
  for (Instruction &I : *Body) {
    if (isa<PHINode>(I) || I.isTerminator())
      continue;
    Instruction *Again = I.clone();
    B.Insert(Again, I.getName());
    Map[&I] = Again;
    RemapInstruction(Again, Map,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  Value *Next = B.CreateAdd(Index, B.getInt64(1), "rg.next", true, true);
  Index->addIncoming(Next, Copy);
  for (auto [Phi, Outer] : Carried) {
    Value *V = Phi->getIncomingValueForBlock(Body);
    Value *X = Map.lookup(V);
    cast<PHINode>(Map[Phi])->addIncoming(X ? X : V, Copy);
  }
  Instruction *Back = B.CreateCondBr(B.CreateICmpEQ(Next, End), To, Copy);
  Back->setDebugLoc(Body->getTerminator()->getDebugLoc());
  return Copy;
}

std::pair<BasicBlock *, BasicBlock *> MeetingPoints::transform() {
  LLVMContext &C = F.getContext();
  formLCSSA(L, DT, &LI, &SE);
  IRBuilder<> B(Before->getTerminator());
  Span Slow = compare(B);
  auto Block = [&](const Twine &Name) {
    return BasicBlock::Create(C, Name, &F, After);
  };
  BasicBlock *Head = Block("rg.segment"), *ToApart = Block("rg.to.apart"),
             *ToAsWas = Block("rg.to.meeting"), *Done = Block("rg.segment.end");
  B.CreateBr(Head);
  Before->getTerminator()->eraseFromParent();

  // A segment.
  B.SetInsertPoint(Head);
  PHINode *Begin = B.CreatePHI(B.getInt64Ty(), 2, "rg.begin");
  Begin->addIncoming(B.getInt64(0), Before);
  SmallVector<std::pair<PHINode *, PHINode *>, 8>
      Carried; // of the loop, of the segments
  for (PHINode &Phi : Body->phis()) {
    PHINode *Outer = B.CreatePHI(Phi.getType(), 2, Phi.getName());
    Outer->addIncoming(Phi.getIncomingValueForBlock(Before), Before);
    Carried.push_back({&Phi, Outer});
  }
  Value *InFront = B.CreateICmpSLT(Begin, Slow.Begin);
  Value *Behind = B.CreateICmpSGE(Begin, Slow.End);
  Value *End = B.CreateSelect(
      InFront, Slow.Begin, B.CreateSelect(Behind, Trips, Slow.End), "rg.end");
  B.CreateCondBr(B.CreateOr(InFront, Behind), ToApart, ToAsWas);

  ValueToValueMapTy InApart, InAsWas;
  BasicBlock *TheApart =
      copyBody("rg.apart", ToApart, Done, Begin, End, Carried, InApart);
  BasicBlock *AsWas =
      copyBody("rg.meeting", ToAsWas, Done, Begin, End, Carried, InAsWas);
  MDNode *LoopId = Body->getTerminator()->getMetadata(LLVMContext::MD_loop);
  TheApart->getTerminator()->setMetadata(LLVMContext::MD_loop, LoopId);
  // The other one is short, or LLVM could not vectorise it either.
  MDNode *Plain =
      MDNode::get(C, {MDString::get(C, "llvm.loop.vectorize.enable"),
                      ConstantAsMetadata::get(ConstantInt::getFalse(C))});
  AsWas->getTerminator()->setMetadata(
      LLVMContext::MD_loop, makePostTransformationMetadata(
                                C, LoopId, {"llvm.loop.vectorize."}, {Plain}));

  // In the first of them, classes that were compared are apart.
  MDBuilder Scopes(C);
  MDNode *Domain = Scopes.createAnonymousAliasScopeDomain("rg.meetings");
  SmallDenseMap<const AccessClass *, MDNode *> ScopeOf;
  SmallDenseMap<const AccessClass *, SmallVector<Metadata *, 4>> ApartFrom;
  auto Scope = [&](const AccessClass *A) {
    MDNode *&S = ScopeOf[A];
    if (!S)
      S = Scopes.createAnonymousAliasScope(Domain, "rg.class");
    return S;
  };
  for (ArrayRef<Pair> Pairs : {ArrayRef(Apart), ArrayRef(Meeting)})
    for (auto [X, Y] : Pairs) {
      ApartFrom[X].push_back(Scope(Y));
      ApartFrom[Y].push_back(Scope(X));
    }
  B.SetInsertPoint(ToApart->getTerminator());
  for (const AccessClass &A : Classes) {
    auto It = ScopeOf.find(&A);
    if (It == ScopeOf.end())
      continue;
    MDNode *Own = MDNode::get(C, {It->second}),
           *Others = MDNode::get(C, ApartFrom[&A]);
    B.CreateNoAliasScopeDeclaration(Own);
    for (Instruction *I : A.Accesses) {
      auto *Access = cast<Instruction>(InApart.lookup(I));
      auto Add = [&](unsigned Kind, MDNode *More) {
        Access->setMetadata(
            Kind, MDNode::concatenate(Access->getMetadata(Kind), More));
      };
      Add(LLVMContext::MD_alias_scope, Own);
      Add(LLVMContext::MD_noalias, Others);
    }
  }

  // On to the next one.
  B.SetInsertPoint(Done);
  auto Merged = [&](Value *V) -> Value * {
    Value *X = InApart.lookup(V), *Y = InAsWas.lookup(V);
    if (!X || !Y)
      return V;
    PHINode *Phi = PHINode::Create(V->getType(), 2, V->getName());
    Phi->insertBefore(Done->begin());
    Phi->addIncoming(X, TheApart);
    Phi->addIncoming(Y, AsWas);
    return Phi;
  };
  Begin->addIncoming(End, Done);
  for (auto [Phi, Outer] : Carried)
    Outer->addIncoming(Merged(Phi->getIncomingValueForBlock(Body)), Done);
  for (PHINode &Phi : After->phis()) {
    Value *V = Merged(Phi.getIncomingValueForBlock(Body));
    Phi.removeIncomingValue(Body, /*DeletePHIIfEmpty=*/false);
    Phi.addIncoming(V, Done);
  }
  B.CreateCondBr(B.CreateICmpEQ(End, Trips), After, Head);
  SE.forgetLoop(&L);
  Body->dropAllReferences();
  Body->eraseFromParent();
  return {TheApart, AsWas};
}

/// In a finished derivative. True if it was changed.
bool retrograd::splitAtMeetings(Function &Derivative,
                                FunctionAnalysisManager &FAM) {
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  if (Derivative.isDeclaration() || Derivative.hasOptSize())
    return false;
  auto Rewrite = [&](Loop &L) -> LoopHeaders {
    MeetingPoints M(L, FAM.getResult<LoopAnalysis>(Derivative),
                    FAM.getResult<ScalarEvolutionAnalysis>(Derivative),
                    FAM.getResult<AAManager>(Derivative),
                    FAM.getResult<DominatorTreeAnalysis>(Derivative));
    if (!M.find())
      return {};
    auto [TheApart, AsWas] = M.transform();
    return {TheApart, AsWas};
  };
  if (!rewriteLoops(Derivative, FAM, mayBeSplit, Rewrite))
    return false;
  FunctionPassManager Tidy;
  Tidy.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Tidy.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                               /*UseMemorySSA=*/true));
  // What is the same from the second iteration on is so in front of the loop.
  Tidy.addPass(createFunctionToLoopPassAdaptor(LoopFullUnrollPass()));
  Tidy.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                               /*UseMemorySSA=*/true));
  Tidy.addPass(DSEPass());
  FAM.invalidate(Derivative, Tidy.run(Derivative, FAM));
  return true;
}
