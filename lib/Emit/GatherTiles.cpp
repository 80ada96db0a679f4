//===- GatherTiles.cpp - owners add up what goes to their places ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/GatherTiles.h"
#include "Emit/TileSums.h"
#include "Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

/// Bytes that one instruction reads.
static constexpr uint64_t Vector = 16;

static constexpr StringLiteral SeldomMark = "rg.seldom";

bool retrograd::isSeldom(const Instruction &Addition) {
  const MDNode *Marks = Addition.getMetadata(LLVMContext::MD_annotation);
  return Marks && any_of(Marks->operands(), [](const MDOperand &M) {
           const auto *S = dyn_cast<MDString>(M.get());
           return S && S->getString() == SeldomMark;
         });
}

namespace {

/// A digit: V, a multiple of Of, and Plus.
struct DigitValue {
  Value *V = nullptr;
  int64_t Of = 1, Plus = 0;
};

class Gather {
public:
  Gather(Function &D, TileRegion &Region)
      : Region(Region), B(Region.Barrier), M(*D.getParent()) {}
  void run();

private:
  Value *number(int64_t N) { return B.getInt32(N); }
  Value *times(Value *V, int64_t N);
  Value *plus(Value *V, Value *W);
  Value *bitsOf(const ThreadBits &Of);
  GlobalVariable *makeShared(int64_t Numbers, const Twine &Name);
  Value *threadNumber();
  Instruction *barrierInFront();
  void publish();
  Value *isFit();
  Value *isWhole(const Instruction &Like);
  void moveApart(Instruction *Before);
  void add(const TileSum &S, bool Alone);
  Value *compute(const TileSum &S, const TileTerm &T,
                 ArrayRef<DigitValue> OfDigits);
  Value *addTo(Value *Sum, const TileSum &S, const TileTerm &T,
               ArrayRef<DigitValue> OfDigits, FastMathFlags Flags);
  Value *address(Value *Base, int64_t Constant, ArrayRef<int64_t> Steps,
                 ArrayRef<DigitValue> OfDigits, Align &Known);
  Value *isAligned(const TileTerm &T);

  TileRegion &Region;
  IRBuilder<> B;
  Module &M;
  GlobalVariable *Slots = nullptr;
  SmallDenseMap<GlobalVariable *, GlobalVariable *> Copies;
};

} // namespace

Value *Gather::times(Value *V, int64_t N) {
  return N == 1 ? V : B.CreateMul(V, number(N));
}

Value *Gather::plus(Value *V, Value *W) {
  auto IsZero = [](Value *X) {
    auto *C = dyn_cast<ConstantInt>(X);
    return C && C->isZero();
  };
  if (IsZero(V))
    return W;
  return IsZero(W) ? V : B.CreateAdd(V, W);
}

/// Of this thread.
Value *Gather::bitsOf(const ThreadBits &Of) {
  constexpr Intrinsic::ID Index[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_z};
  Value *V = B.CreateIntrinsic(B.getInt32Ty(), Index[Of.Axis], {});
  if (Of.From)
    V = B.CreateLShr(V, Of.From);
  if (Of.To != ThreadBits::Top)
    V = B.CreateAnd(V, number((int64_t(1) << (Of.To - Of.From)) - 1));
  return V;
}

GlobalVariable *Gather::makeShared(int64_t Numbers, const Twine &Name) {
  Type *Array =
      ArrayType::get(Region.Sums.front().Type, std::max<int64_t>(1, Numbers));
  auto *G = new GlobalVariable(
      M, Array, /*isConstant=*/false, GlobalValue::InternalLinkage,
      PoisonValue::get(Array), Name, nullptr, GlobalValue::NotThreadLocal,
      Region.Sums.front().Array->getAddressSpace());
  G->setAlignment(Align(Vector));
  return G;
}

/// Of this thread among all of its block.
Value *Gather::threadNumber() {
  Value *Number = number(0);
  int64_t Before = 1;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    if (Region.Extents[Axis] != 1)
      Number = plus(Number, times(bitsOf({Axis, 0, ThreadBits::Top}), Before));
    Before *= Region.Extents[Axis];
  }
  return Number;
}

/// This thread's numbers, each to its slot, and its part of each copy.
void Gather::publish() {
  Type *T = Region.Sums.front().Type;
  const int64_t Size = M.getDataLayout().getTypeAllocSize(T);
  Slots = makeShared(Region.SlotLength * Region.Slots.size(), "rg.published");
  Value *At = number(0);
  for (auto [I, Pitch] : enumerate(Region.Pitch))
    if (const auto &Of = Region.Sums.front().Digits[I].Thread)
      At = plus(At, times(bitsOf(*Of), Pitch));
  for (auto [I, V] : enumerate(Region.Slots))
    B.CreateStore(
        V, B.CreateGEP(T, Slots, plus(At, number(I * Region.SlotLength))));
  for (GlobalVariable *G : Region.Copies) {
    const int64_t Bytes = M.getDataLayout().getTypeAllocSize(G->getValueType());
    GlobalVariable *Copy = makeShared(Region.inCopy(Bytes) / Size, "rg.copied");
    Copies[G] = Copy;
    for (int64_t N = 0; N * Region.Threads * Size < Bytes; ++N) {
      Value *From = plus(threadNumber(), number(N * Region.Threads));
      Value *To = plus(From, B.CreateUDiv(From, number(Region.Row / Size)));
      B.CreateStore(B.CreateLoad(T, B.CreateGEP(T, G, From)),
                    B.CreateGEP(T, Copy, To));
    }
  }
}

/// The block has the shape for which all this holds, and arrays begin where
/// vectors may.
Value *Gather::isFit() {
  constexpr Intrinsic::ID Size[] = {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                    Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                    Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  Value *Fit = B.getTrue();
  for (auto [Ask, Extent] : zip(Size, Region.Extents))
    Fit = B.CreateAnd(Fit,
                      B.CreateICmpEQ(B.CreateIntrinsic(B.getInt32Ty(), Ask, {}),
                                     number(Extent)));
  for (const TileSum &S : Region.Sums)
    Fit = B.CreateAnd(Fit, isAligned(*S.Number));
  return Fit;
}

/// All threads of the block are here: they wait for each other as at Like, and
/// count.
Value *Gather::isWhole(const Instruction &Like) {
  const bool Aligned = cast<IntrinsicInst>(Like).getIntrinsicID() ==
                       Intrinsic::nvvm_barrier_cta_sync_aligned_all;
  Value *Here = B.CreateIntrinsic(
      B.getInt32Ty(),
      Aligned ? Intrinsic::nvvm_barrier_cta_red_popc_aligned_all
              : Intrinsic::nvvm_barrier_cta_red_popc_all,
      {number(0), B.getTrue()});
  return B.CreateICmpEQ(Here, number(Region.Threads));
}

/// Additions, and what was computed for them alone, to the place Before: sums,
/// products, and what can be read again.
void Gather::moveApart(Instruction *Before) {
  BasicBlock *To = Before->getParent();
  SmallPtrSet<Instruction *, 32> Additions;
  BasicBlock *Origin = Region.Sums.front().Additions.front()->getParent();
  for (const TileSum &S : Region.Sums)
    for (Instruction *C : S.Additions) {
      C->addAnnotationMetadata(SeldomMark);
      Additions.insert(C);
    }
  // From the last one upwards: users are there before what they use.
  Instruction *Next = Before;
  for (Instruction &I : make_early_inc_range(reverse(*Origin))) {
    if (isa<PHINode>(I) || I.isTerminator())
      continue;
    auto *L = dyn_cast<LoadInst>(&I);
    const bool IsPeers =
        isa<CallInst>(I) && cast<CallInst>(I).getCalledFunction() &&
        cast<CallInst>(I).getCalledFunction()->getName() == "rg_peers";
    const bool Moves =
        Additions.contains(&I) ||
        ((!I.mayHaveSideEffects() || IsPeers) &&
         (!I.mayReadFromMemory() || IsPeers ||
          (L && Region.Again.contains(L))) &&
         !isa<AllocaInst>(I) && !I.use_empty() &&
         all_of(I.users(), [&](User *U) {
           return cast<Instruction>(U)->getParent() == To && !isa<PHINode>(U);
         }));
    if (!Moves)
      continue;
    I.moveBefore(Next->getIterator());
    Next = &I;
  }
}

/// Base, which is aligned by 16, and Constant and so many bytes for each digit;
/// Known is what it is aligned by.
Value *Gather::address(Value *Base, int64_t Constant, ArrayRef<int64_t> Steps,
                       ArrayRef<DigitValue> OfDigits, Align &Known) {
  Value *At = number(0);
  Known = Align(Vector);
  for (auto [Step, D] : zip(Steps, OfDigits)) {
    if (!Step || !D.V)
      continue;
    Constant += Step * D.Plus;
    At = plus(At, times(D.V, Step));
    Known = commonAlignment(Known, Step * D.Of);
  }
  Known = commonAlignment(Known, Constant);
  // What varies first: the rest is the same for all that are read together.
  return B.CreateGEP(B.getInt8Ty(), B.CreateGEP(B.getInt8Ty(), Base, At),
                     number(Constant));
}

/// What T is for the thread and the addition of these digits.
Value *Gather::compute(const TileSum &S, const TileTerm &T,
                       ArrayRef<DigitValue> OfDigits) {
  Align Known;
  switch (T.Is) {
  case TileTerm::Known:
    return T.Value;
  case TileTerm::Published: {
    const int64_t Size = M.getDataLayout().getTypeAllocSize(S.Type);
    SmallVector<int64_t, 6> Steps;
    for (unsigned D = 0; D != OfDigits.size(); ++D)
      Steps.push_back(Size * (D < Region.Pitch.size()
                                  ? Region.Pitch[D]
                                  : T.PerDigit[D] * Region.SlotLength));
    Value *Place = address(Slots, Size * T.Constant * Region.SlotLength, Steps,
                           OfDigits, Known);
    return B.CreateAlignedLoad(S.Type, Place, Known);
  }
  case TileTerm::Tile: {
    auto *Like = cast<LoadInst>(T.Value);
    SmallVector<int64_t, 4> Steps(T.PerDigit);
    Value *Base = T.Array;
    int64_t Constant = T.Constant;
    if (T.Copied) {
      for (int64_t &Step : Steps)
        Step = Region.inCopy(Step);
      Constant = Region.inCopy(Constant);
      Base = Copies.lookup(T.Array);
    }
    Value *Place = address(Base, Constant, Steps, OfDigits, Known);
    return B.CreateAlignedLoad(Like->getType(), Place,
                               std::max(Known, Like->getAlign()));
  }
  case TileTerm::Operation: {
    auto *I = cast<Instruction>(T.Value)->clone();
    for (auto [N, Operand] : enumerate(T.Operands))
      I->setOperand(N, compute(S, *Operand, OfDigits));
    I->dropUnknownNonDebugMetadata();
    I->setDebugLoc(DebugLoc());
    return B.Insert(I);
  }
  }
  llvm_unreachable("a kind of term");
}

/// Sum and T: terms one by one, so that each is one instruction with its
/// product.
Value *Gather::addTo(Value *Sum, const TileSum &S, const TileTerm &T,
                     ArrayRef<DigitValue> OfDigits, FastMathFlags Flags) {
  if (T.Is == TileTerm::Operation &&
      cast<Instruction>(T.Value)->getOpcode() == Instruction::FAdd) {
    for (const auto &Operand : T.Operands)
      Sum = addTo(Sum, S, *Operand, OfDigits, Flags);
    return Sum;
  }
  Sum = B.CreateFAdd(Sum, compute(S, T, OfDigits));
  if (auto *I = dyn_cast<Instruction>(Sum))
    I->setFastMathFlags(Flags);
  return Sum;
}

/// This thread's places of S: computed, and added to what is there.
void Gather::add(const TileSum &S, bool Alone) {
  Value *Rest = threadNumber();
  // Which places are this thread's.
  SmallVector<DigitValue, 6> Mine(S.Digits.size());
  for (unsigned D : S.Owner) {
    const int64_t Extent = S.Digits[D].Extent / (D == S.Split ? S.Parts : 1);
    Mine[D].V = D == S.Owner.back() ? Rest : B.CreateURem(Rest, number(Extent));
    Rest = B.CreateUDiv(Rest, number(Extent));
    if (D == S.Split && S.Low) {
      Mine[D].V = times(Mine[D].V, S.Parts);
      Mine[D].Of = S.Parts;
    }
  }
  auto OfPart = [&](int64_t Part) {
    SmallVector<DigitValue, 6> Of(Mine);
    Of[S.Split].Plus = Part * (S.Low ? 1 : S.Digits[S.Split].Extent / S.Parts);
    return Of;
  };
  // Over all that add to them, several at a time.
  constexpr int64_t AtOnce = 4;
  int64_t Summed = 1;
  for (unsigned D : S.Over)
    Summed *= S.Digits[D].Extent;
  const int64_t Step = S.Digits[S.Over.front()].Extent % AtOnce ? 1 : AtOnce;
  BasicBlock *Front = B.GetInsertBlock();
  BasicBlock *Behind = SplitBlock(Front, B.GetInsertPoint());
  BasicBlock *Body = BasicBlock::Create(B.getContext(), "rg.gather",
                                        Front->getParent(), Behind);
  Front->getTerminator()->setSuccessor(0, Body);
  B.SetInsertPoint(Body);
  PHINode *At = B.CreatePHI(B.getInt32Ty(), 2, "rg.from");
  At->addIncoming(number(0), Front);
  SmallVector<PHINode *, 8> Sums;
  SmallVector<Value *, 8> Next;
  for (int64_t Part = 0; Part != S.Parts; ++Part) {
    Sums.push_back(B.CreatePHI(S.Type, 2, "rg.sum"));
    Sums.back()->addIncoming(ConstantFP::getZero(S.Type, /*Negative=*/true),
                             Front);
    Next.push_back(Sums.back());
  }
  SmallVector<DigitValue, 6> From(S.Digits.size());
  Value *Left = times(At, Step);
  for (unsigned D : S.Over) {
    From[D].V = D == S.Over.back()
                    ? Left
                    : B.CreateURem(Left, number(S.Digits[D].Extent));
    From[D].Of = D == S.Over.front() ? Step : 1;
    if (D != S.Over.back())
      Left = B.CreateUDiv(Left, number(S.Digits[D].Extent));
  }
  FastMathFlags Flags;
  if (isa<FPMathOperator>(S.Number->Value))
    Flags = cast<Instruction>(S.Number->Value)->getFastMathFlags();
  for (int64_t Ahead = 0; Ahead != Step; ++Ahead)
    for (int64_t Part = 0; Part != S.Parts; ++Part) {
      SmallVector<DigitValue, 6> Of = OfPart(Part);
      for (unsigned D : S.Over)
        Of[D] = From[D];
      Of[S.Over.front()].Plus = Ahead;
      Next[Part] = addTo(Next[Part], S, *S.Number, Of, Flags);
    }
  Value *Last = B.CreateAdd(At, number(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  At->addIncoming(Last, Body);
  for (auto [Sum, X] : zip(Sums, Next))
    Sum->addIncoming(X, Body);
  B.CreateCondBr(B.CreateICmpEQ(Last, number(Summed / Step)), Behind, Body);
  B.SetInsertPoint(Behind, Behind->begin());
  for (int64_t Part = 0; Part != S.Parts; ++Part) {
    Align Known;
    Value *Place =
        address(S.Array, S.Constant, S.PerDigit, OfPart(Part), Known);
    if (S.Array->getAlign().valueOrOne() < Vector)
      Known = Align(M.getDataLayout().getTypeAllocSize(S.Type));
    if (Alone)
      B.CreateAlignedStore(
          B.CreateFAdd(B.CreateAlignedLoad(S.Type, Place, Known), Next[Part]),
          Place, Known);
    else
      B.CreateAtomicRMW(AtomicRMWInst::FAdd, Place, Next[Part], Known,
                        AtomicOrdering::Monotonic);
  }
}

/// Arrays that T reads from begin where vectors may: the compiler says so, or
/// the run.
Value *Gather::isAligned(const TileTerm &T) {
  Value *All = B.getTrue();
  for (const auto &Operand : T.Operands)
    All = B.CreateAnd(All, isAligned(*Operand));
  if (T.Is != TileTerm::Tile || T.Copied ||
      T.Array->getAlign().valueOrOne() >= Vector)
    return All;
  if (T.Array->canIncreaseAlignment()) {
    T.Array->setAlignment(Align(Vector));
    return All;
  }
  Value *Bits = B.CreatePtrToInt(T.Array, B.getInt64Ty());
  return B.CreateAnd(All, B.CreateIsNull(B.CreateAnd(Bits, Vector - 1)));
}

/// The barrier in front of all that is added here, if what a thread publishes
/// is known there, and what it copies is complete: then all can wait and count
/// there. One that follows another with nothing in between goes.
Instruction *Gather::barrierInFront() {
  auto Before = [](Instruction *I, function_ref<bool(Instruction &)> Passes) {
    do
      I = I->getPrevNode();
    while (I && !isBlockBarrier(*I) && Passes(*I));
    return I && isBlockBarrier(*I) ? I : nullptr;
  };
  Instruction *Front =
      Before(Region.Barrier, [](Instruction &) { return true; });
  if (!Front || any_of(Region.Slots, [&](Value *V) {
        auto *I = dyn_cast<Instruction>(V);
        return I && I->getParent() == Front->getParent() &&
               !I->comesBefore(Front);
      }))
    return nullptr;
  Instruction *Other = Before(Front, [](Instruction &I) {
    return !I.mayReadOrWriteMemory() &&
           !(isa<CallBase>(I) && cast<CallBase>(I).isConvergent());
  });
  if (!Region.Copies.empty())
    return Other ? Front : nullptr;
  if (Other)
    Other->eraseFromParent();
  return Front;
}

void Gather::run() {
  Instruction *Front = barrierInFront();
  if (!Front && !Region.Copies.empty())
    Region.Barrier->clone()->insertBefore(Region.Barrier->getIterator());
  Instruction *Counts = Front ? Front : Region.Barrier;
  B.SetInsertPoint(Counts);
  Value *Fit = isFit();
  // Of another shape, threads would have other slots than there are.
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Fit, Counts->getIterator(),
                                             /*Unreachable=*/false));
  publish();
  B.SetInsertPoint(Counts);
  Value *Whole = B.CreateAnd(Fit, isWhole(*Counts));
  if (Front)
    Front->eraseFromParent();
  Instruction *Owned, *Each;
  SplitBlockAndInsertIfThenElse(Whole, Region.Barrier->getIterator(), &Owned,
                                &Each);
  moveApart(Each);
  for (const TileSum &S : Region.Sums) {
    if (S.Array->canIncreaseAlignment())
      S.Array->setAlignment(
          std::max(S.Array->getAlign().valueOrOne(), Align(Vector)));
    B.SetInsertPoint(Owned);
    add(S, count_if(Region.Sums, [&](const TileSum &Other) {
             return Other.Array == S.Array;
           }) == 1);
  }
}

/// Additions to shared memory ask whether it is the thread's own: it is not.
static bool foldQuestions(Function &D) {
  const Target Machine(*D.getParent());
  SmallVector<IntrinsicInst *, 16> Asks;
  for (Instruction &I : instructions(D))
    if (auto *C = dyn_cast<IntrinsicInst>(&I);
        C && C->getIntrinsicID() == Intrinsic::nvvm_isspacep_local &&
        Machine.spaceOf(*C->getArgOperand(0)) == MemorySpace::Shared)
      Asks.push_back(C);
  for (IntrinsicInst *C : Asks) {
    SmallVector<BasicBlock *, 2> Users;
    for (User *U : C->users())
      if (auto *Br = dyn_cast<BranchInst>(U))
        Users.push_back(Br->getParent());
    C->replaceAllUsesWith(ConstantInt::getFalse(C->getContext()));
    C->eraseFromParent();
    for (BasicBlock *Block : Users)
      ConstantFoldTerminator(Block);
  }
  if (Asks.empty())
    return false;
  EliminateUnreachableBlocks(D);
  for (BasicBlock &Block : make_early_inc_range(D))
    MergeBlockIntoPredecessor(&Block);
  return true;
}

bool retrograd::gatherTiles(Function &D, FunctionAnalysisManager &FAM) {
  bool Changed = foldQuestions(D);
  if (Changed)
    FAM.invalidate(D, PreservedAnalyses::none());
  AAResults &AA = FAM.getResult<AAManager>(D);
  std::vector<std::unique_ptr<TileRegion>> Regions;
  int64_t Taken = 0;
  for (Instruction &I : instructions(D))
    if (isBlockBarrier(I))
      if (auto Region = findTileSums(I, AA, Taken)) {
        Taken += Region->Bytes;
        Regions.push_back(std::move(Region));
      }
  for (auto &Region : Regions)
    Gather(D, *Region).run();
  Changed |= !Regions.empty();
  if (Changed)
    FAM.invalidate(D, PreservedAnalyses::none());
  return Changed;
}
