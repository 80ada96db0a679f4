//===- GatherLoops.cpp - places of a tile, each by one thread -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/GatherLoops.h"
#include "Target/SharedMemory.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace retrograd;

/// Numbers of 4 bytes that a thread stores for the others.
constexpr unsigned MostPublished = 16;
/// Instructions that are computed again for each pair.
constexpr unsigned MostAgain = 96;
/// Threads of a block that there is room for: at least, and at most.
constexpr uint64_t FewestThreads = 128, MostThreads = 256;
/// Bytes of shared memory that a kernel may have with what is stored here.
constexpr uint64_t MostShared = 32 << 10;
/// Threads that one iteration goes over.
constexpr unsigned AtOnce = 4;

static bool isBarrier(const Instruction &I) {
  const auto *II = dyn_cast<IntrinsicInst>(&I);
  return II &&
         II->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_all &&
         PatternMatch::match(II->getArgOperand(0), PatternMatch::m_Zero());
}

static StringRef calleeName(const Instruction &I) {
  const auto *C = dyn_cast<CallInst>(&I);
  const Function *F = C ? C->getCalledFunction() : nullptr;
  return F ? F->getName() : "";
}

/// rg_merge_f32x4(base, offsets, numbers, peers) or rg_merge_shared_f32(base,
/// offset, number, peers), and their like.
static bool isMerge(const Instruction &I) {
  const auto *C = dyn_cast<CallInst>(&I);
  return calleeName(I).starts_with("rg_merge_") && C->arg_size() == 4 &&
         C->getArgOperand(0)->getType()->isPointerTy() &&
         C->getArgOperand(0)->getType()->getPointerAddressSpace() != 0;
}

/// What values are in code that is computed again.
using Values = DenseMap<Value *, Value *>;

static Value *again(Value *V, const Values &Known) {
  Value *Other = Known.lookup(V);
  return Other ? Other : V;
}

namespace {

/// What is added in each iteration to a place: Number, to Base and Offset.
struct Addition {
  Value *Base, *Number;
  int64_t Offset;
};

class Turn {
public:
  Turn(Loop &L, ScalarEvolution &SE, DominatorTree &DT, LoopInfo &LI)
      : L(L), SE(SE), DT(DT), LI(LI), Body(*L.getHeader()),
        F(*Body.getParent()), DL(F.getDataLayout()), Machine(*F.getParent()) {}
  bool find();
  void emit();

private:
  bool findBarriers();
  bool findAdditions();
  bool isAlike(const Value *V, unsigned Depth = 0) const;
  bool isShared(const LoadInst &Load) const;
  bool need(Value *V);
  bool fits() const;
  /// Threads of a block that there is room for.
  uint64_t room() const {
    return std::clamp(alignTo(Trips, 32), FewestThreads, MostThreads);
  }
  /// That one thread stores, with a gap to the next one's vectors.
  unsigned pitch() const { return alignTo(Words, 4); }
  /// That all of them store.
  uint64_t numbers() const { return pitch() * room(); }
  Value *threads(IRBuilderBase &B) const;
  Value *number(IRBuilderBase &B) const;
  void publish(IRBuilderBase &B, GlobalVariable &Slots) const;
  void gather(BasicBlock *From, BasicBlock *To, GlobalVariable &Slots);

  Loop &L;
  ScalarEvolution &SE;
  DominatorTree &DT;
  LoopInfo &LI;
  BasicBlock &Body;
  Function &F;
  const DataLayout &DL;
  const Target Machine;

  Instruction *Front = nullptr; ///< the barrier before the loop
  BasicBlock *Exit = nullptr;
  PHINode *Counter = nullptr;
  const SCEVAddRecExpr *Counts = nullptr;
  uint64_t Trips = 0;
  SmallVector<Addition, 8> Additions;
  /// What the additions are computed from, in order: of the iteration alone,
  /// and of a thread.
  SmallSetVector<Instruction *, 32> OfPlace, OfThread;
  /// Numbers of a thread that the loop does not change, by their place among
  /// what it stores.
  SmallMapVector<Value *, unsigned, 8> Published;
  unsigned Words = 0;
};

} // namespace

/// The loop is entered behind a barrier, and another one follows.
bool Turn::findBarriers() {
  BasicBlock *Before = L.getLoopPreheader();
  Exit = L.getExitBlock();
  if (!Before || !Exit || L.getNumBlocks() != 1 ||
      Exit->getSinglePredecessor() != &Body)
    return false;
  for (Instruction &I : reverse(*Before)) {
    if (isBarrier(I)) {
      Front = &I;
      break;
    }
    if (I.mayReadOrWriteMemory())
      return false;
  }
  if (!Front)
    return false;
  for (Instruction &I : *Exit) {
    if (isBarrier(I))
      return true;
    if (I.mayReadOrWriteMemory())
      return false;
  }
  return false;
}

/// The loop writes additions alone, each to a place that the iteration tells.
bool Turn::findAdditions() {
  for (Instruction &I : Body) {
    if (isMerge(I)) {
      auto &C = cast<CallInst>(I);
      const auto *At = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(C.getArgOperand(0)));
      const auto *Base =
          At ? dyn_cast<SCEVUnknown>(SE.getPointerBase(At)) : nullptr;
      if (!Base || !isa<GlobalVariable>(Base->getValue()) || !At->isAffine() ||
          At->getLoop() != &L ||
          !isa<SCEVConstant>(SE.removePointerBase(At->getStart())) ||
          !isa<SCEVConstant>(At->getStepRecurrence(SE)))
        return false;
      auto *Offsets = dyn_cast<Constant>(C.getArgOperand(1));
      if (!Offsets)
        return false;
      Value *Numbers = C.getArgOperand(2);
      const auto *Many = dyn_cast<FixedVectorType>(Numbers->getType());
      const unsigned Count = Many ? Many->getNumElements() : 1;
      for (unsigned K = 0; K != Count; ++K) {
        const auto *Offset = dyn_cast_or_null<ConstantInt>(
            Many ? Offsets->getAggregateElement(K) : Offsets);
        Value *Number = Many ? findScalarElement(Numbers, K) : Numbers;
        if (!Offset || !Number || !Number->getType()->isFloatingPointTy())
          return false;
        Additions.push_back(
            {C.getArgOperand(0), Number, Offset->getSExtValue()});
      }
    } else if (calleeName(I) == "rg_peers") {
      if (any_of(I.users(),
                 [](User *U) { return !isMerge(*cast<Instruction>(U)); }))
        return false;
    } else if (I.mayWriteToMemory()) {
      return false;
    }
  }
  return !Additions.empty();
}

/// The same for all threads: of what the kernel is given, without memory.
bool Turn::isAlike(const Value *V, unsigned Depth) const {
  constexpr unsigned Deepest = 6;
  if (isa<Constant>(V))
    return true;
  if (isa<Argument>(V))
    return F.getCallingConv() == CallingConv::PTX_Kernel;
  const auto *I = dyn_cast<Instruction>(V);
  return I && Depth < Deepest && !isa<PHINode, CallBase>(I) &&
         !I->mayReadOrWriteMemory() &&
         all_of(
             I->operands(),
             [&](Value *Part) { return isAlike(Part, Depth + 1); });
}

/// Of an array that the block shares, and that the loop does not add to.
bool Turn::isShared(const LoadInst &Load) const {
  const auto *G =
      dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
  return Load.isSimple() && G &&
         Machine.space(G->getAddressSpace()) == MemorySpace::Shared &&
         none_of(Additions, [&](const Addition &A) {
           return getUnderlyingObject(A.Base) == G;
         });
}

/// Collects what V, which is added, is computed from.
bool Turn::need(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (V == Counter || isAlike(V))
    return true;
  if (!I || !L.contains(I)) {
    // A thread's own.
    if (Published.contains(V))
      return true;
    Type *T = V->getType();
    if (!T->isFloatTy() && !T->isDoubleTy() && !T->isIntegerTy(32))
      return false;
    Published[V] = Words;
    Words += DL.getTypeStoreSize(T).getFixedValue() / 4;
    return Words <= MostPublished;
  }
  if (OfPlace.contains(I) || OfThread.contains(I))
    return true;
  if (isa<PHINode>(I) || OfPlace.size() + OfThread.size() >= MostAgain)
    return false;
  const auto *Load = dyn_cast<LoadInst>(I);
  if (Load ? !isShared(*Load)
           : (I->mayReadOrWriteMemory() || I->mayHaveSideEffects()))
    return false;
  if (!all_of(I->operands(),
              [&](Value *Part) { return isa<Function>(Part) || need(Part); }))
    return false;
  const bool Own = any_of(I->operands(), [&](Value *Part) {
    auto *From = dyn_cast<Instruction>(Part);
    return Published.contains(Part) || (From && OfThread.contains(From));
  });
  (Own ? OfThread : OfPlace).insert(I);
  return true;
}

/// There is room for what threads store.
bool Turn::fits() const {
  return sharedBytesWith(F) + 4 * numbers() <= MostShared;
}

bool Turn::find() {
  if (!findBarriers() || !findAdditions())
    return false;
  const auto *Last = dyn_cast<SCEVConstant>(SE.getBackedgeTakenCount(&L));
  if (!Last || Last->getAPInt().getActiveBits() > 31)
    return false;
  Trips = Last->getAPInt().getZExtValue() + 1;
  for (PHINode &Phi : Body.phis()) {
    const auto *Is = Phi.getType()->isIntegerTy()
                         ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))
                         : nullptr;
    if (Is && Is->isAffine() && isa<SCEVConstant>(Is->getStart()) &&
        isa<SCEVConstant>(Is->getStepRecurrence(SE))) {
      Counter = &Phi;
      Counts = Is;
      break;
    }
  }
  if (!Counter)
    return false;
  for (const Addition &A : Additions)
    if (!need(A.Number) || !need(A.Base))
      return false;
  // Threads that all add the same have nothing to tell each other.
  return !Published.empty() && fits() && all_of(Published, [&](auto &P) {
    return DT.dominates(P.first, Front);
  });
}

Value *Turn::threads(IRBuilderBase &B) const {
  Value *Product = nullptr;
  for (Intrinsic::ID Id : {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                           Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                           Intrinsic::nvvm_read_ptx_sreg_ntid_z}) {
    Value *Extent = B.CreateIntrinsic(B.getInt32Ty(), Id, {});
    Product = Product ? B.CreateMul(Product, Extent) : Extent;
  }
  return Product;
}

/// Of this thread in its block.
Value *Turn::number(IRBuilderBase &B) const {
  auto Ask = [&](Intrinsic::ID Id) {
    return B.CreateIntrinsic(B.getInt32Ty(), Id, {});
  };
  Value *Rows =
      B.CreateAdd(B.CreateMul(Ask(Intrinsic::nvvm_read_ptx_sreg_tid_z),
                              Ask(Intrinsic::nvvm_read_ptx_sreg_ntid_y)),
                  Ask(Intrinsic::nvvm_read_ptx_sreg_tid_y));
  return B.CreateAdd(
      B.CreateMul(Rows, Ask(Intrinsic::nvvm_read_ptx_sreg_ntid_x)),
      Ask(Intrinsic::nvvm_read_ptx_sreg_tid_x));
}

static Value *wordOf(IRBuilderBase &B, GlobalVariable &Slots, Value *Thread,
                     unsigned Pitch, unsigned Word) {
  Value *At = B.CreateMul(Thread, B.getInt32(4 * Pitch));
  return B.CreateGEP(B.getInt8Ty(), B.CreateGEP(B.getInt8Ty(), &Slots, At),
                     B.getInt32(4 * Word));
}

void Turn::publish(IRBuilderBase &B, GlobalVariable &Slots) const {
  Value *Me = number(B);
  for (auto &[V, Word] : Published)
    B.CreateAlignedStore(V, wordOf(B, Slots, Me, pitch(), Word),
                         commonAlignment(Align(16), 4 * Word));
}

/// From the end of From to To: this thread's places, one after the other.
void Turn::gather(BasicBlock *From, BasicBlock *To, GlobalVariable &Slots) {
  LLVMContext &C = F.getContext();
  BasicBlock *Place = BasicBlock::Create(C, "rg.place", &F, To);
  BasicBlock *Thread = BasicBlock::Create(C, "rg.thread", &F, To);
  BasicBlock *Add = BasicBlock::Create(C, "rg.add", &F, To);
  IRBuilder<> B(From);
  Value *Me = number(B), *All = threads(B);
  Type *Word = B.getInt32Ty();
  B.CreateCondBr(B.CreateICmpULT(Me, B.getInt32(Trips)), Place, To);

  B.SetInsertPoint(Place);
  PHINode *J = B.CreatePHI(Word, 2, "rg.j");
  J->addIncoming(Me, From);
  Values OfJ;
  Type *Wide = Counter->getType();
  auto Number = [&](const SCEV *S) {
    return ConstantInt::get(Wide, cast<SCEVConstant>(S)->getAPInt());
  };
  OfJ[Counter] = B.CreateAdd(Number(Counts->getStart()),
                             B.CreateMul(Number(Counts->getStepRecurrence(SE)),
                                         B.CreateZExtOrTrunc(J, Wide)));
  auto Copy = [&](Instruction *I, Values &Known) {
    Instruction *New = I->clone();
    for (Use &U : New->operands())
      U = again(U, Known);
    New->setDebugLoc(DebugLoc());
    B.Insert(New);
    Known[I] = New;
  };
  for (Instruction *I : OfPlace)
    Copy(I, OfJ);
  B.CreateBr(Thread);

  B.SetInsertPoint(Thread);
  PHINode *U = B.CreatePHI(Word, 2, "rg.u");
  U->addIncoming(B.getInt32(0), Place);
  SmallVector<PHINode *, 8> Sums;
  SmallVector<Value *, 8> Next;
  for (const Addition &A : Additions) {
    Sums.push_back(B.CreatePHI(A.Number->getType(), 2, "rg.sum"));
    Sums.back()->addIncoming(
        ConstantFP::getZero(A.Number->getType(), /*Negative=*/true), Place);
    Next.push_back(Sums.back());
  }
  FastMathFlags Fused;
  Fused.setAllowContract();
  for (unsigned Ahead = 0; Ahead != AtOnce; ++Ahead) {
    Values OfPair(OfJ);
    Value *Other = Ahead ? B.CreateAdd(U, B.getInt32(Ahead)) : U;
    for (auto &[V, At] : Published)
      OfPair[V] = B.CreateAlignedLoad(V->getType(),
                                      wordOf(B, Slots, Other, pitch(), At),
                                      commonAlignment(Align(16), 4 * At));
    for (Instruction *I : OfThread)
      Copy(I, OfPair);
    for (auto [N, A] : enumerate(Additions)) {
      Next[N] = B.CreateFAdd(Next[N], again(A.Number, OfPair));
      if (auto *Sum = dyn_cast<Instruction>(Next[N]))
        Sum->setFastMathFlags(Fused);
    }
  }
  Value *Last = B.CreateAdd(U, B.getInt32(AtOnce));
  U->addIncoming(Last, Thread);
  for (auto [Sum, X] : zip(Sums, Next))
    Sum->addIncoming(X, Thread);
  B.CreateCondBr(B.CreateICmpULT(Last, All), Thread, Add);

  B.SetInsertPoint(Add);
  for (auto [A, Sum] : zip(Additions, Next)) {
    Value *At =
        B.CreateGEP(B.getInt8Ty(), again(A.Base, OfJ), B.getInt64(A.Offset));
    B.CreateAtomicRMW(AtomicRMWInst::FAdd, At, Sum,
                      Align(DL.getTypeStoreSize(Sum->getType())),
                      AtomicOrdering::Monotonic);
  }
  Value *Further = B.CreateAdd(J, All);
  J->addIncoming(Further, Add);
  B.CreateCondBr(B.CreateICmpULT(Further, B.getInt32(Trips)), Place, To);
}

void Turn::emit() {
  formLCSSA(L, DT, &LI, &SE);
  Module &M = *F.getParent();
  LLVMContext &C = F.getContext();
  Type *Array = ArrayType::get(Type::getInt32Ty(C), numbers());
  auto *Slots = new GlobalVariable(
      M, Array, /*isConstant=*/false, GlobalValue::InternalLinkage,
      PoisonValue::get(Array), "rg.told", nullptr, GlobalValue::NotThreadLocal,
      cast<GlobalVariable>(getUnderlyingObject(Additions.front().Base))
          ->getAddressSpace());
  Slots->setAlignment(Align(16));

  IRBuilder<> B(Front);
  Value *All = threads(B);
  Value *Fits =
      B.CreateAnd(B.CreateICmpULE(All, B.getInt32(room())),
                  B.CreateIsNull(B.CreateAnd(All, B.getInt32(AtOnce - 1))));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Fits, Front->getIterator(),
                                             /*Unreachable=*/false));
  publish(B, *Slots);
  B.SetInsertPoint(Front);
  Value *Here = B.CreateIntrinsic(
      B.getInt32Ty(), Intrinsic::nvvm_barrier_cta_red_popc_aligned_all,
      {B.getInt32(0), B.getTrue()});
  Value *Whole = B.CreateAnd(Fits, B.CreateICmpEQ(Here, All));
  Front->eraseFromParent();

  // The loop without the additions, and behind it those of this thread's
  // places.
  BasicBlock *Before = nullptr;
  for (BasicBlock *P : predecessors(&Body))
    if (P != &Body)
      Before = P;
  ValueToValueMapTy Map;
  BasicBlock *Bare = CloneBasicBlock(&Body, Map, ".bare", &F);
  Map[&Body] = Bare;
  remapInstructionsInBlocks({Bare}, Map);
  BasicBlock *Behind = BasicBlock::Create(C, "rg.gather", &F, Exit);
  BasicBlock *Done = BasicBlock::Create(C, "rg.gathered", &F, Exit);
  Bare->moveBefore(Behind);
  Bare->getTerminator()->replaceSuccessorWith(Exit, Behind);
  SmallVector<Instruction *, 8> Gone;
  for (Instruction &I : *Bare)
    if (isMerge(I))
      Gone.push_back(&I);
  for (Instruction &I : *Bare)
    if (calleeName(I) == "rg_peers")
      Gone.push_back(&I);
  SmallVector<WeakTrackingVH, 16> Unused;
  for (Instruction *I : Gone) {
    for (Value *Part : I->operands())
      if (isa<Instruction>(Part))
        Unused.push_back(Part);
    I->eraseFromParent();
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValueForBlock(&Body);
    Value *Same = Map.lookup(V);
    Phi.addIncoming(Same ? Same : V, Done);
  }
  BranchInst::Create(Exit, Done);
  gather(Behind, Done, *Slots);
  Instruction *Enters = Before->getTerminator();
  BranchInst::Create(Bare, &Body, Whole, Enters->getIterator());
  Enters->eraseFromParent();
}

bool retrograd::gatherLoops(Function &F, FunctionAnalysisManager &FAM) {
  if (F.getCallingConv() != CallingConv::PTX_Kernel)
    return false;
  bool Changed = false;
  // One loop at a time: the code changes.
  SmallPtrSet<const BasicBlock *, 8> Seen;
  for (bool More = true; More;) {
    More = false;
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    for (Loop *L : LI.getLoopsInPreorder()) {
      if (!L->isInnermost() || !Seen.insert(L->getHeader()).second)
        continue;
      Turn T(*L, SE, DT, LI);
      if (!T.find())
        continue;
      T.emit();
      FAM.invalidate(F, PreservedAnalyses::none());
      Changed = More = true;
      break;
    }
  }
  return Changed;
}
