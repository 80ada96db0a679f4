//===- LateZeros.cpp - adjoints are cleared where nothing overwrites them -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a loop over time, arrays are filled, read, and filled again. In reverse:
//
//   for i: d = k'[i]; k'[i] = 0; ...        it is taken
//   ...
//   for i: k'[i] = k'[i] + v                it is added to
//
// The first addition finds zeros that the taking has left. So the taking clears
// nothing, and notes that its places are to be taken for zeros (a bit, which is
// a register). The next addition looks at that note: where its places are all
// among those, it stores v, clears those that it does not reach, and strikes
// the note. In all other cases, and wherever else the array is accessed, and
// where the loop over time is left, the zeros are stored first, late.
//
// Why it is right. While the note is there, its places hold anything, and count
// as zeros; all other memory is as it was. Every access that may meet an array
// in the loop over time is a taking or an addition of the two forms: by alias
// analysis. That an addition is the first on its way is found by looking at the
// note when the program runs; what is said about ways here is about what pays.
// 0 + v is v but for the sign of a zero, which tells nothing in an adjoint
// (AddedZeros.cpp).
//
// Places are ranges: from a first one, for as many as a loop has iterations,
// both fixed in the loop over time.
//
//===----------------------------------------------------------------------===//

#include "Polish/AddedZeros.h"
#include "Polish/Apart.h"
#include "Polish/PolishSteps.h"
#include "Polish/RewriteLoops.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;
using namespace llvm::PatternMatch;

/// Ranges of one array, at most.
static constexpr size_t MostRanges = 3;
/// Arrays of one loop over time, at most.
static constexpr size_t MostArrays = 16;
/// Of the loop over time.
static constexpr size_t MostInstructions = 1000;

namespace {

/// Bytes [Low, High), counted from the array's pointer.
struct Range {
  const SCEV *Low, *High;
  // The same in front of the loop over time, and where it begins.
  Value *From = nullptr, *To = nullptr, *Pointer = nullptr;
  bool operator==(const Range &O) const {
    return Low == O.Low && High == O.High;
  }
};

/// A taking, or an addition.
struct Event {
  LoadInst *Load;
  StoreInst *Store;
  Instruction *Sum; ///< of an addition, else null
  Loop *L;          ///< its innermost loop, or null: once in an iteration
  size_t At;        ///< which range, of an addition: which of its own
};

/// All of the loop over time that touches one array.
struct Array {
  SmallVector<Event, 8> Events;
  SmallVector<Range, 2> Taken; ///< each has a note
  SmallVector<Range, 2> Added; ///< ranges of additions
  SmallVector<AllocaInst *, 2> Notes;
  SmallSetVector<Loop *, 4> Firsts; ///< with a first addition
  Type *Number = nullptr;

  const Event &eventIn(const Loop &L) const {
    return *find_if(Events, [&](const Event &E) { return E.L == &L; });
  }
};

class LateZeros {
public:
  LateZeros(Loop &Time, Function &D, FunctionAnalysisManager &FAM)
      : Time(Time), D(D), FAM(FAM),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(D)),
        LI(FAM.getResult<LoopAnalysis>(D)), AA(FAM.getResult<AAManager>(D)) {}

  bool find();
  void transform();

private:
  std::optional<Range> rangeOf(const Instruction &Access, Loop *L) const;
  void collect(BasicBlock &Block, Loop *L);
  bool isAlone(const Value *Base, const Array &A) const;
  bool isFirst(const Event &Addition, const Array &A) const;
  bool isComputable(const Range &R) const;

  Value *note(IRBuilderBase &B, const Array &A, size_t N) const {
    return B.CreateLoad(B.getInt1Ty(), A.Notes[N]);
  }
  void clear(Instruction *Before, Value *If, Value *From, Value *Bytes,
             Type *Number) const;
  void flush(Instruction *Before, const Array &A, size_t N, Value *If) const;
  void flushAll(Instruction *Before, const Array &A) const;
  void take(Event &E, Array &A);
  void addFirst(Loop &L);

  Loop &Time;
  BasicBlock *Front = Time.getLoopPreheader();
  Function &D;
  FunctionAnalysisManager &FAM;
  ScalarEvolution &SE;
  LoopInfo &LI;
  AAResults &AA;
  MapVector<const Value *, Array> Arrays;
};

} // namespace

/// To an adjoint, or what is subtracted from it.
static bool isAddition(const Instruction &I) {
  return (I.getOpcode() == Instruction::FAdd ||
          I.getOpcode() == Instruction::FSub) &&
         I.hasAllowReassoc();
}

std::optional<Range> LateZeros::rangeOf(const Instruction &Access,
                                        Loop *L) const {
  const SCEV *P =
      SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&Access)));
  const SCEV *Offset = SE.removePointerBase(P);
  Type *T = getLoadStoreType(const_cast<Instruction *>(&Access));
  const uint64_t Bytes = D.getDataLayout().getTypeStoreSize(T);
  Type *Long = Offset->getType();
  const SCEV *Size = SE.getConstant(Long, Bytes);
  if (SE.getTypeSizeInBits(Long) != 64)
    return std::nullopt;
  if (!L)
    return SE.isLoopInvariant(Offset, &Time)
               ? std::optional<Range>({Offset, SE.getAddExpr(Offset, Size)})
               : std::nullopt;
  const auto *R = dyn_cast<SCEVAddRecExpr>(Offset);
  const SCEV *Count = SE.getBackedgeTakenCount(L);
  if (!R || R->getLoop() != L || !R->isAffine() ||
      isa<SCEVCouldNotCompute>(Count) || !SE.isLoopInvariant(Count, &Time) ||
      SE.getTypeSizeInBits(Count->getType()) > 64 ||
      !SE.isLoopInvariant(R->getStart(), &Time))
    return std::nullopt;
  const auto *Step = dyn_cast<SCEVConstant>(R->getStepRecurrence(SE));
  if (!Step || Step->getAPInt().abs() != Bytes)
    return std::nullopt;
  const SCEV *Way = SE.getMulExpr(SE.getNoopOrZeroExtend(Count, Long), Size);
  const SCEV *Low = Step->getAPInt().isNegative()
                        ? SE.getMinusSCEV(R->getStart(), Way)
                        : R->getStart();
  return Range{Low, SE.getAddExpr(Low, SE.getAddExpr(Way, Size))};
}

/// The takings and additions of a block. What has neither form isAlone finds.
void LateZeros::collect(BasicBlock &Block, Loop *L) {
  for (Instruction &I : Block) {
    auto *S = dyn_cast<StoreInst>(&I);
    if (!S || !S->isSimple() ||
        !S->getValueOperand()->getType()->isFloatingPointTy())
      continue;
    const auto *Base = dyn_cast<SCEVUnknown>(
        SE.getPointerBase(SE.getSCEV(S->getPointerOperand())));
    if (!Base || !SE.isLoopInvariant(Base, &Time))
      continue;
    Instruction *Sum = nullptr;
    if (!match(S->getValueOperand(), m_PosZeroFP())) {
      Sum = dyn_cast<Instruction>(S->getValueOperand());
      if (!Sum || !isAddition(*Sum) || Sum->getParent() != &Block)
        continue;
    }
    // The last one in front of the store.
    LoadInst *Load = nullptr;
    const SCEV *P = SE.getSCEV(S->getPointerOperand());
    for (Instruction &J : Block) {
      if (&J == S)
        break;
      auto *Candidate = dyn_cast<LoadInst>(&J);
      if (Candidate && Candidate->isSimple() &&
          Candidate->getType() == S->getValueOperand()->getType() &&
          SE.getSCEV(Candidate->getPointerOperand()) == P &&
          (!Sum || Sum->getOperand(0) == Candidate ||
           (Sum->getOperand(1) == Candidate &&
            Sum->getOpcode() == Instruction::FAdd)))
        Load = Candidate;
    }
    if (!Load || !readsAdjoint(*Load) ||
        (Sum && (!Load->hasOneUse() || !Sum->hasOneUse() ||
                 Sum->getOperand(0) == Sum->getOperand(1))))
      continue;
    const std::optional<Range> R = rangeOf(*S, L);
    if (!R)
      continue;
    Array &A = Arrays[Base->getValue()];
    auto &Ranges = Sum ? A.Added : A.Taken;
    size_t At = llvm::find(Ranges, *R) - Ranges.begin();
    if (At == Ranges.size())
      Ranges.push_back(*R);
    A.Events.push_back({Load, S, Sum, L, At});
  }
}

/// Nothing else in the loop over time touches A, each loop does so once, and a
/// place is not touched between the halves of an event.
bool LateZeros::isAlone(const Value *Base, const Array &A) const {
  SmallPtrSet<const Instruction *, 16> Own;
  SmallPtrSet<const Loop *, 8> Loops;
  AAMDNodes Tags;
  Tags.Scope = A.Events.front().Load->getMetadata(LLVMContext::MD_alias_scope);
  Tags.NoAlias = A.Events.front().Load->getMetadata(LLVMContext::MD_noalias);
  for (const Event &E : A.Events) {
    if (E.L && !Loops.insert(E.L).second)
      return false;
    for (const Instruction *I : {static_cast<const Instruction *>(E.Load),
                                 static_cast<const Instruction *>(E.Store)}) {
      if (!Own.insert(I).second ||
          E.Load->getType() != A.Events.front().Load->getType())
        return false;
      if (I->getMetadata(LLVMContext::MD_alias_scope) != Tags.Scope)
        Tags.Scope = nullptr;
      if (I->getMetadata(LLVMContext::MD_noalias) != Tags.NoAlias)
        Tags.NoAlias = nullptr;
    }
    // Of one block, events come one behind the other.
    if (!E.L)
      for (const Event &O : A.Events)
        if (&O != &E && !O.L && O.Load->getParent() == E.Load->getParent() &&
            E.Load->comesBefore(O.Load) && O.Load->comesBefore(E.Store))
          return false;
  }
  // What is declared for one iteration says nothing of another one.
  for (const BasicBlock *B : Time.blocks())
    if (any_of(*B, [](const Instruction &I) {
          return isa<NoAliasScopeDeclInst>(I);
        }))
      Tags = AAMDNodes();
  const MemoryLocation Whole(Base, LocationSize::beforeOrAfterPointer(), Tags);
  for (const BasicBlock *B : Time.blocks())
    for (const Instruction &I : *B)
      if (!Own.contains(&I) && I.mayReadOrWriteMemory() &&
          isModOrRefSet(AA.getModRefInfo(&I, Whole)) &&
          !(getLoadStorePointerOperand(&I) &&
            areApart(getLoadStorePointerOperand(&I), Base, LI,
                     [&](const MemoryLocation &P, const MemoryLocation &Q) {
                       return AA.isNoAlias(P, Q);
                     })))
        return false;
  return true;
}

/// On all ways to it within the loop over time, what touched A last was a
/// taking, as far as one sees.
bool LateZeros::isFirst(const Event &Addition, const Array &A) const {
  DenseMap<const BasicBlock *, const Event *> Last;
  for (const Event &E : A.Events) {
    const Event *&There = Last[E.Store->getParent()];
    if (!There || There->Store->comesBefore(E.Store))
      There = &E;
  }
  SmallSetVector<const BasicBlock *, 16> Work;
  Work.insert(Addition.L->getLoopPreheader());
  bool Taken = false;
  for (size_t I = 0; I != Work.size(); ++I) {
    if (const Event *E = Last.lookup(Work[I])) {
      if (E->Sum)
        return false;
      Taken = true;
      continue;
    }
    for (const BasicBlock *P : predecessors(Work[I]))
      if (Time.contains(P))
        Work.insert(P);
  }
  return Taken;
}

bool LateZeros::isComputable(const Range &R) const {
  SCEVExpander Expand(SE, "rg.late");
  Instruction *At = Front->getTerminator();
  return Expand.isSafeToExpandAt(R.Low, At) &&
         Expand.isSafeToExpandAt(R.High, At);
}

bool LateZeros::find() {
  if (!Front || !Time.hasDedicatedExits() || !Time.isSafeToClone())
    return false;
  SmallVector<BasicBlock *, 4> Exits;
  Time.getExitBlocks(Exits);
  if (any_of(Exits, [](const BasicBlock *B) { return B->isEHPad(); }))
    return false;
  for (BasicBlock *B : Time.blocks()) {
    // Who catches what leaves here would see what is not there yet.
    if (any_of(*B, [](const Instruction &I) { return I.mayThrow(); }))
      return false;
    Loop *L = LI.getLoopFor(B);
    if (L == &Time)
      collect(*B, nullptr);
    else if (L->getParentLoop() == &Time && L->getNumBlocks() == 1 &&
             L->getLoopPreheader() && L->getUniqueExitBlock() &&
             L->hasDedicatedExits())
      collect(*B, L);
  }
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(D);
  auto Suits = [&](const Value *Base, Array &A) {
    if (A.Taken.empty() || A.Added.empty() || A.Taken.size() > MostRanges ||
        A.Added.size() > MostRanges ||
        !all_of(A.Taken, [&](const Range &R) { return isComputable(R); }) ||
        !all_of(A.Added, [&](const Range &R) { return isComputable(R); }))
      return false;
    for (const Event &E : A.Events)
      if (E.Sum && E.L && E.L->isLCSSAForm(DT) && isFirst(E, A))
        A.Firsts.insert(E.L);
    return !A.Firsts.empty() &&
           any_of(A.Events, [](const Event &E) { return !E.Sum && E.L; }) &&
           isAlone(Base, A);
  };
  Arrays.remove_if(
      [&](auto &Entry) { return !Suits(Entry.first, Entry.second); });
  return !Arrays.empty() && Arrays.size() <= MostArrays;
}

/// Stores Bytes zeros from From on if If. Mostly it is one number.
void LateZeros::clear(Instruction *Before, Value *If, Value *From, Value *Bytes,
                      Type *Number) const {
  Instruction *Then = SplitBlockAndInsertIfThen(If, Before->getIterator(),
                                                /*Unreachable=*/false);
  IRBuilder<> B(Then);
  Value *IsOne = B.CreateICmpEQ(
      Bytes, B.getInt64(D.getDataLayout().getTypeStoreSize(Number)));
  Instruction *One, *Many;
  SplitBlockAndInsertIfThenElse(IsOne, Then, &One, &Many);
  B.SetInsertPoint(One);
  B.CreateAlignedStore(Constant::getNullValue(Number), From, Align(1));
  B.SetInsertPoint(Many);
  B.CreateMemSet(From, B.getInt8(0), Bytes, MaybeAlign());
}

/// Where range N of A counts as zeros and If says so, it gets them.
void LateZeros::flush(Instruction *Before, const Array &A, size_t N,
                      Value *If) const {
  IRBuilder<> B(Before);
  Value *Pending = note(B, A, N);
  if (If)
    Pending = B.CreateAnd(Pending, If);
  const Range &R = A.Taken[N];
  clear(Before, Pending, R.Pointer, B.CreateSub(R.To, R.From), A.Number);
  B.SetInsertPoint(Before);
  Value *Left =
      If ? static_cast<Value *>(B.CreateAnd(note(B, A, N), B.CreateNot(If)))
         : B.getFalse();
  B.CreateStore(Left, A.Notes[N]);
}

void LateZeros::flushAll(Instruction *Before, const Array &A) const {
  for (size_t N = 0; N != A.Taken.size(); ++N)
    flush(Before, A, N, nullptr);
}

/// Takes without clearing.
void LateZeros::take(Event &E, Array &A) {
  Instruction *Before = E.L ? E.L->getLoopPreheader()->getTerminator() : E.Load;
  IRBuilder<> B(Before);
  const Range &Own = A.Taken[E.At];
  for (size_t N = 0; N != A.Taken.size(); ++N) {
    Value *Meets = nullptr;
    if (N != E.At) {
      B.SetInsertPoint(Before);
      Meets = B.CreateAnd(B.CreateICmpSLT(Own.From, A.Taken[N].To),
                          B.CreateICmpSLT(A.Taken[N].From, Own.To));
    }
    flush(Before, A, N, Meets);
  }
  B.SetInsertPoint(Before);
  B.CreateStore(B.getTrue(), A.Notes[E.At]);
}

/// Gives L, in which some arrays are added to first, a second body for where
/// all of them count as zeros.
void LateZeros::addFirst(Loop &L) {
  BasicBlock *Before = L.getLoopPreheader(), *Exit = L.getUniqueExitBlock();
  BasicBlock *Adds = SplitBlock(Before, Before->getTerminator(),
                                static_cast<DominatorTree *>(nullptr), &LI,
                                nullptr, L.getHeader()->getName() + ".adds");
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(D);
  DT.recalculate(D);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 2> Blocks;
  Loop *Stores =
      cloneLoopWithPreheader(Adds, Before, &L, Map, ".first", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  for (PHINode &Phi : Exit->phis())
    for (unsigned I = 0, E = Phi.getNumIncomingValues(); I != E; ++I) {
      auto V = Map.find(Phi.getIncomingValue(I));
      Phi.addIncoming(V == Map.end() ? Phi.getIncomingValue(I) : &*V->second,
                      cast<BasicBlock>(Map[Phi.getIncomingBlock(I)]));
    }

  // What is known in front of the loop over time: whether the ranges of each
  // array, side by side, hold what is added to, and whether they hold more.
  IRBuilder<> Once(Front->getTerminator());
  IRBuilder<> B(Before->getTerminator());
  Value *Fits = Once.getTrue(), *Left = Once.getFalse(), *All = B.getTrue();
  for (auto &[Base, A] : Arrays) {
    if (!A.Firsts.contains(&L))
      continue;
    const Event &E = A.eventIn(L);
    const Range &Own = A.Added[E.At];
    Value *Holds = Once.getFalse();
    for (const Range &R : A.Taken)
      for (const Range &Next : A.Taken) {
        Value *Within = Once.CreateAnd(Once.CreateICmpSLE(R.From, Own.From),
                                       Once.CreateICmpSLE(Own.To, Next.To));
        if (&R != &Next)
          Within = Once.CreateAnd(Within, Once.CreateICmpEQ(R.To, Next.From));
        Holds = Once.CreateOr(Holds, Within);
      }
    Fits = Once.CreateAnd(Fits, Holds);
    for (size_t N = 0; N != A.Taken.size(); ++N) {
      const Range &R = A.Taken[N];
      Left = Once.CreateOr(Left,
                           Once.CreateOr(Once.CreateICmpSLT(R.From, Own.From),
                                         Once.CreateICmpSLT(Own.To, R.To)));
      All = B.CreateAnd(All, note(B, A, N));
    }
    // The first addition in the other body.
    auto *Sum = cast<Instruction>(Map[E.Sum]);
    Value *Load = Map[E.Load];
    Value *Added = Sum->getOperand(Sum->getOperand(0) == Load);
    if (Sum->getOpcode() == Instruction::FSub)
      Added = UnaryOperator::CreateFNegFMF(Added, Sum, "", Sum->getIterator());
    Sum->replaceAllUsesWith(Added);
    Sum->eraseFromParent();
    cast<Instruction>(Load)->eraseFromParent();
  }
  B.CreateCondBr(B.CreateAnd(All, Fits), Stores->getLoopPreheader(), Adds);
  Before->getTerminator()->eraseFromParent();

  // What is added to does not reach some places, below and above.
  Instruction *End = Stores->getLoopPreheader()->getTerminator();
  Instruction *Rest = SplitBlockAndInsertIfThen(Left, End->getIterator(),
                                                /*Unreachable=*/false);
  for (auto &[Base, A] : Arrays) {
    if (!A.Firsts.contains(&L))
      continue;
    flushAll(Adds->getTerminator(), A);
    const Range &Own = A.Added[A.eventIn(L).At];
    for (size_t N = 0; N != A.Taken.size(); ++N) {
      const Range &R = A.Taken[N];
      B.SetInsertPoint(Rest);
      Value *Below = B.CreateBinaryIntrinsic(Intrinsic::smin, R.To, Own.From);
      clear(Rest, B.CreateICmpSLT(R.From, Below), R.Pointer,
            B.CreateSub(Below, R.From), A.Number);
      B.SetInsertPoint(Rest);
      Value *Above = B.CreateBinaryIntrinsic(Intrinsic::smax, R.From, Own.To);
      clear(Rest, B.CreateICmpSLT(Above, R.To),
            B.CreatePtrAdd(R.Pointer, B.CreateSub(Above, R.From)),
            B.CreateSub(R.To, Above), A.Number);
      B.SetInsertPoint(End);
      B.CreateStore(B.getFalse(), A.Notes[N]);
    }
  }
}

void LateZeros::transform() {
  IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
  SCEVExpander Expand(SE, "rg.late");
  auto Spell = [&](Range &R, Value *Base) {
    Instruction *At = Front->getTerminator();
    Value *Low = Expand.expandCodeFor(R.Low, R.Low->getType(), At);
    Value *High = Expand.expandCodeFor(R.High, R.High->getType(), At);
    // Of a loop that does not run, they may be anything.
    IRBuilder<> B(At);
    R.From = B.CreateFreeze(Low);
    R.To = B.CreateFreeze(High);
    R.Pointer = B.CreatePtrAdd(Base, R.From);
  };
  SmallVector<AllocaInst *, 8> Notes;
  SmallVector<BasicBlock *, 4> Exits;
  Time.getUniqueExitBlocks(Exits);
  SmallSetVector<Loop *, 8> Firsts;
  for (auto &[Base, A] : Arrays) {
    A.Number = A.Events.front().Load->getType();
    for (Range &R : A.Taken) {
      Spell(R, const_cast<Value *>(Base));
      A.Notes.push_back(
          Entry.CreateAlloca(Entry.getInt1Ty(), nullptr, "rg.late.zeros"));
      IRBuilder<>(Front->getTerminator())
          .CreateStore(Entry.getFalse(), A.Notes.back());
    }
    for (Range &R : A.Added)
      Spell(R, const_cast<Value *>(Base));
    append_range(Notes, A.Notes);
    Firsts.insert_range(A.Firsts);
  }
  for (auto &[Base, A] : Arrays)
    for (Event &E : A.Events)
      if (!E.Sum) {
        take(E, A);
        E.Store->eraseFromParent();
      } else if (!E.L || !A.Firsts.contains(E.L)) {
        flushAll(E.L ? E.L->getLoopPreheader()->getTerminator() : E.Load, A);
      }
  for (Loop *L : Firsts)
    addFirst(*L);
  for (BasicBlock *Exit : Exits)
    for (auto &[Base, A] : Arrays)
      flushAll(&*Exit->getFirstInsertionPt(), A);
  DominatorTree DT(D);
  PromoteMemToReg(Notes, DT);
}

/// In a finished derivative. True if it was changed.
bool retrograd::clearLate(Function &Derivative, FunctionAnalysisManager &FAM) {
  if (Derivative.isDeclaration() || Derivative.hasOptSize())
    return false;
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  auto MayHave = [&](const Loop &L) {
    size_t Size = 0;
    for (const BasicBlock *B : L.blocks())
      Size += B->size();
    return !L.isInnermost() && Size <= MostInstructions;
  };
  auto Rewrite = [&](Loop &L) -> LoopHeaders {
    BasicBlock *Header = L.getHeader();
    LateZeros Found(L, Derivative, FAM);
    if (!Found.find())
      return {};
    Found.transform();
    return {Header};
  };
  if (!rewriteLoops(Derivative, FAM, MayHave, Rewrite))
    return false;
  // Most notes are known where they are asked for.
  FunctionPassManager Tidy;
  Tidy.addPass(InstCombinePass());
  Tidy.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                               /*UseMemorySSA=*/true));
  Tidy.addPass(JumpThreadingPass());
  Tidy.addPass(SimplifyCFGPass());
  FAM.invalidate(Derivative, Tidy.run(Derivative, FAM));
  return true;
}
