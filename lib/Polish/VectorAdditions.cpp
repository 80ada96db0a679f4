//===- VectorAdditions.cpp - additions to neighbours ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/VectorAdditions.h"
#include "Polish/DeviceReductions.h"
#include "Polish/KnownSpaces.h"
#include "Support/Options.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <array>
#include <map>

using namespace llvm;
using namespace retrograd;

namespace {
/// Additions to floats side by side, in one block of code.
struct Row {
  Value *Base;
  int64_t Offset;                       ///< of the first, in bytes
  SmallVector<AtomicRMWInst *, 8> Adds; ///< by address
  AtomicRMWInst *Last = nullptr;        ///< in the code
};

/// Additions to doubles, two and two of them side by side.
struct Twins {
  Value *Base;
  SmallVector<std::pair<int64_t, std::array<AtomicRMWInst *, 2>>, 8>
      Adds; ///< with the offset of the first
  AtomicRMWInst *Last = nullptr;
};

class Rows {
public:
  Rows(Function &F, FunctionAnalysisManager &FAM, bool Vectors, unsigned Lanes)
      : F(F), Machine(*F.getParent()), AA(FAM.getResult<AAManager>(F)),
        Loops(FAM.getResult<LoopAnalysis>(F)), Vectors(Vectors), Lanes(Lanes) {}
  bool run();

private:
  /// Additions that may wait for others, by their distance from a place.
  using Additions = std::map<int64_t, AtomicRMWInst *>;

  void collect(BasicBlock &B);
  void close(Value *Base, const Additions &Open);
  bool touches(Instruction &I, Value *Base, const Additions &Open);
  /// P's place in global memory.
  Value *global(IRBuilderBase &B, Value *P);
  Value *alignedForAll(const Row &R, unsigned Alignment);
  bool isBusy(const Twins &T);
  void emit(Row &R);
  void emit(Twins &T);

  Function &F;
  const Target Machine;
  AAResults &AA;
  LoopInfo &Loops;
  const bool Vectors;   ///< floats by vectors
  const unsigned Lanes; ///< doubles with another lane, where one in so many
                        ///< instructions is an addition
  SmallVector<Row, 4> Found;
  SmallVector<Twins, 4> FoundTwins;
};
} // namespace

/// Whether I may see, or change otherwise, what these add to.
bool Rows::touches(Instruction &I, Value *Base, const Additions &Open) {
  if (!I.mayReadOrWriteMemory() ||
      I.hasMetadata(LLVMContext::MD_invariant_load) ||
      isPlainAddition(I, Machine))
    return false;
  if (isa<CallBase>(I) || isa<FenceInst>(I))
    return true;
  AAMDNodes Tags = Open.begin()->second->getAAMetadata();
  for (auto &[Unused, Add] : Open)
    Tags = Tags.merge(Add->getAAMetadata());
  return isModOrRefSet(
      AA.getModRefInfo(&I, MemoryLocation::getBeforeOrAfter(Base, Tags)));
}

void Rows::close(Value *Base, const Additions &Open) {
  if (!leadsToGlobal(*Base, Machine))
    return;
  if (Open.begin()->second->getType()->isDoubleTy()) {
    Twins T{Base, {}};
    for (auto From = Open.begin(); From != Open.end();) {
      auto [Offset, Add] = *From++;
      if (From == Open.end() || From->first != Offset + 8)
        continue;
      AtomicRMWInst *Next = From++->second;
      T.Adds.push_back({Offset, {Add, Next}});
      for (AtomicRMWInst *A : {Add, Next})
        if (!T.Last || T.Last->comesBefore(A))
          T.Last = A;
    }
    if (!T.Adds.empty())
      FoundTwins.push_back(std::move(T));
    return;
  }
  for (auto From = Open.begin(); From != Open.end();) {
    Row R{Base, From->first, {}};
    for (int64_t Next = R.Offset; From != Open.end() && From->first == Next;
         ++From, Next += 4) {
      R.Adds.push_back(From->second);
      if (!R.Last || R.Last->comesBefore(From->second))
        R.Last = From->second;
    }
    if (R.Adds.size() > 1)
      Found.push_back(std::move(R));
  }
}

void Rows::collect(BasicBlock &B) {
  MapVector<std::pair<Value *, Type *>, Additions> Open;
  auto Close = [&](auto It) {
    close(It->first.first, It->second);
    return Open.erase(It);
  };
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : B) {
    if (isPlainAddition(I, Machine) &&
        (I.getType()->isFloatTy() ? Vectors : Lanes != 0)) {
      auto *Add = cast<AtomicRMWInst>(&I);
      Value *P = Add->getPointerOperand();
      APInt Bytes(DL.getIndexTypeSizeInBits(P->getType()), 0);
      Value *Base = P->stripAndAccumulateConstantOffsets(
          DL, Bytes, /*AllowNonInbounds=*/true);
      const int64_t Offset = Bytes.getSExtValue();
      if (auto It = Open.find({Base, I.getType()});
          It != Open.end() && It->second.count(Offset))
        Close(It); // twice to one place
      Open[{Base, I.getType()}][Offset] = Add;
    } else if (I.mayReadOrWriteMemory()) {
      for (auto It = Open.begin(); It != Open.end();)
        It =
            touches(I, It->first.first, It->second) ? Close(It) : std::next(It);
    }
  }
  while (!Open.empty())
    Close(Open.begin());
}

Value *Rows::global(IRBuilderBase &B, Value *P) {
  if (P->getType()->getPointerAddressSpace() == Machine.globalSpace())
    return P;
  return B.CreateAddrSpaceCast(
      P, PointerType::get(F.getContext(), Machine.globalSpace()));
}

/// The lanes that are here make pairs. Both lanes of a pair add to the places
/// of the one, then of the other, the first lane to the lower place and the
/// second to the higher one. A lane without a partner is its own, and adds to
/// its places one after the other:
///
///                     first addition       second addition
///   first of a pair   own low              partner's low
///   second of a pair  partner's high       own high
///   without partner   own low              own high
void Rows::emit(Twins &T) {
  IRBuilder<> B(T.Last);
  Type *Word = B.getInt32Ty(), *Long = B.getInt64Ty();
  auto Ask = [&](Intrinsic::ID Id) {
    return B.CreateIntrinsic(Id, ArrayRef<Type *>(), ArrayRef<Value *>());
  };
  Value *Here = Ask(Intrinsic::nvvm_activemask);
  Value *Below =
      B.CreateAnd(Here, Ask(Intrinsic::nvvm_read_ptx_sreg_lanemask_lt));
  Value *Above =
      B.CreateAnd(Here, Ask(Intrinsic::nvvm_read_ptx_sreg_lanemask_gt));
  Value *Second = B.CreateTrunc(B.CreateUnaryIntrinsic(Intrinsic::ctpop, Below),
                                B.getInt1Ty());
  Value *Alone =
      B.CreateAnd(B.CreateNot(Second), B.CreateICmpEQ(Above, B.getInt32(0)));
  Value *Next = B.CreateBinaryIntrinsic(Intrinsic::cttz, Above, B.getTrue());
  Value *Former =
      B.CreateSub(B.getInt32(31),
                  B.CreateBinaryIntrinsic(Intrinsic::ctlz, Below, B.getTrue()));
  Value *Partner = B.CreateSelect(
      Second, Former,
      B.CreateSelect(Alone, Ask(Intrinsic::nvvm_read_ptx_sreg_laneid), Next));
  auto Get = [&](Value *X) { // of the partner's, 64 bits
    Value *Low = B.CreateTrunc(X, Word),
          *High = B.CreateTrunc(B.CreateLShr(X, 32), Word);
    auto Shuffle = [&](Value *W) {
      return B.CreateZExt(
          B.CreateIntrinsic(
              Intrinsic::nvvm_shfl_sync_idx_i32,
              ArrayRef<Value *>{Here, W, Partner, B.getInt32(0x1f)}),
          Long);
    };
    return B.CreateOr(Shuffle(Low), B.CreateShl(Shuffle(High), 32));
  };
  Value *Own = B.CreatePtrToInt(global(B, T.Base), Long), *Other = Get(Own);
  auto *Place = PointerType::get(F.getContext(), Machine.globalSpace());
  Value *Ones = B.CreateSelect(Second, Other, Own),
        *Others = B.CreateSelect(Second, Own, Other);
  Value *OnesPlace = B.CreateIntToPtr(
      B.CreateAdd(Ones, B.CreateSelect(Second, B.getInt64(8), B.getInt64(0))),
      Place);
  Value *OthersPlace = B.CreateIntToPtr(
      B.CreateAdd(Others, B.CreateSelect(B.CreateOr(Second, Alone),
                                         B.getInt64(8), B.getInt64(0))),
      Place);
  for (auto &[Offset, Adds] : T.Adds) {
    Value *Low = Adds[0]->getValOperand(), *High = Adds[1]->getValOperand();
    Value *Got = B.CreateBitCast(
        Get(B.CreateBitCast(B.CreateSelect(Second, Low, High), Long)),
        Low->getType());
    auto Add = [&](Value *At, Value *X) {
      AtomicRMWInst *New = B.CreateAtomicRMW(
          AtomicRMWInst::FAdd, B.CreateConstGEP1_64(B.getInt8Ty(), At, Offset),
          X, Align(8), AtomicOrdering::Monotonic, Adds[0]->getSyncScopeID());
      New->setAAMetadata(
          Adds[0]->getAAMetadata().merge(Adds[1]->getAAMetadata()));
    };
    Add(OnesPlace, B.CreateSelect(Second, Got, Low));
    Add(OthersPlace, B.CreateSelect(Second, High, Got));
  }
  for (auto &Pair : T.Adds)
    for (AtomicRMWInst *Add : Pair.second)
      Add->eraseFromParent();
}

/// Whether R begins at a multiple of Alignment, where that is the same for all
/// threads and in all iterations: all that is added to a parameter of the
/// kernel are multiples. Asked once, when the kernel begins. Else null.
Value *Rows::alignedForAll(const Row &R, unsigned Alignment) {
  const DataLayout &DL = F.getDataLayout();
  Value *Root = R.Base;
  int64_t Beside = R.Offset;
  for (;;) {
    if (auto *Cast = dyn_cast<AddrSpaceCastInst>(Root)) {
      Root = Cast->getPointerOperand();
      continue;
    }
    auto *G = dyn_cast<GEPOperator>(Root);
    if (!G)
      break;
    const unsigned Bits = DL.getIndexTypeSizeInBits(G->getType());
    SmallMapVector<Value *, APInt, 4> Offsets;
    APInt Fixed(Bits, 0);
    if (!G->collectOffset(DL, Bits, Offsets, Fixed))
      return nullptr;
    for (auto &[V, Scale] : Offsets)
      if (Scale.countr_zero() +
              computeKnownBits(V, DL).countMinTrailingZeros() <
          Log2_32(Alignment))
        return nullptr;
    Beside += Fixed.getSExtValue();
    Root = G->getPointerOperand();
  }
  // Of a function that is called, each thread may have its own arguments.
  if (!isa<GlobalVariable>(Root) &&
      !(isa<Argument>(Root) && F.getCallingConv() == CallingConv::PTX_Kernel))
    return nullptr;
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value *Bits = B.CreatePtrToInt(global(B, Root), B.getInt64Ty());
  return B.CreateIsNull(B.CreateAnd(B.CreateAdd(Bits, B.getInt64(Beside)),
                                    B.getInt64(Alignment - 1)));
}

/// The same of the lanes that are here: Start is aligned for all of them, or
/// for this one, if no two of them are neighbours.
static Value *alignedInWarp(IRBuilderBase &B, Value *Start,
                            unsigned Alignment) {
  constexpr unsigned Sector = 32; // bytes that memory is asked for
  Value *Low =
      B.CreateAnd(B.CreatePtrToInt(Start, B.getInt64Ty()), Alignment - 1);
  Value *IsAligned = B.CreateICmpEQ(Low, B.getInt64(0));
  auto Ask = [&](Intrinsic::ID Id, ArrayRef<Value *> Operands) {
    return B.CreateIntrinsic(Id, ArrayRef<Type *>(), Operands);
  };
  Value *Here = Ask(Intrinsic::nvvm_activemask, {});
  Value *Place = B.CreatePtrToInt(Start, B.getInt32Ty());
  Value *Next = Ask(Intrinsic::nvvm_shfl_sync_down_i32,
                    {Here, Place, B.getInt32(1), B.getInt32(0x1f)});
  Value *Distance = B.CreateSub(Next, Place);
  Value *IsClose =
      B.CreateAnd(B.CreateIsNotNull(Distance),
                  B.CreateICmpULT(B.CreateAdd(Distance, B.getInt32(Sector - 1)),
                                  B.getInt32(2 * Sector - 1)));
  return B.CreateOr(
      Ask(Intrinsic::nvvm_vote_all_sync, {Here, IsAligned}),
      B.CreateAnd(IsAligned, B.CreateNot(Ask(Intrinsic::nvvm_vote_any_sync,
                                             {Here, IsClose}))));
}

/// Fours and twos where the address is a multiple of their size, which only the
/// run tells: of all lanes that are here, or of this one, if no two of them are
/// neighbours. Where lanes are neighbours, as in a convolution, each addition
/// of all of them goes to few sectors; if every other lane went another way,
/// both ways would touch all of these.
void Rows::emit(Row &R) {
  const unsigned Size = R.Adds.size(), Alignment = Size < 4 ? 8 : 16;
  Value *WayOfAll = alignedForAll(R, Alignment);
  IRBuilder<> B(R.Last);
  Value *Start =
      B.CreateConstGEP1_64(B.getInt8Ty(), global(B, R.Base), R.Offset);
  if (!WayOfAll)
    WayOfAll = alignedInWarp(B, Start, Alignment);
  Instruction *Aligned, *Otherwise;
  SplitBlockAndInsertIfThenElse(WayOfAll, R.Last, &Aligned, &Otherwise);
  for (AtomicRMWInst *Add : R.Adds)
    Add->moveBefore(Otherwise->getIterator());
  B.SetInsertPoint(Aligned);
  unsigned N = 0;
  for (unsigned Lanes : {4u, 2u})
    for (; Size - N >= Lanes; N += Lanes) {
      SmallVector<Value *, 6> Operands{Start, B.getInt32(N * 4)};
      for (unsigned I = 0; I != Lanes; ++I)
        Operands.push_back(R.Adds[N + I]->getValOperand());
      SmallVector<Type *, 6> Types;
      for (Value *V : Operands)
        Types.push_back(V->getType());
      B.CreateCall(
          InlineAsm::get(
              FunctionType::get(B.getVoidTy(), Types, false),
              Lanes == 4
                  ? "red.relaxed.gpu.global.add.v4.f32 [$0+$1], {$2, $3, $4, "
                    "$5};"
                  : "red.relaxed.gpu.global.add.v2.f32 [$0+$1], {$2, $3};",
              Lanes == 4 ? "l,n,f,f,f,f,~{memory}" : "l,n,f,f,~{memory}",
              /*hasSideEffects=*/true),
          Operands);
    }
  if (N != Size)
    R.Adds[N]->clone()->insertBefore(Aligned->getIterator());
}

/// Whether memory is what the loop around T, or the function, waits for.
/// Sharing takes some twenty instructions, and seven more for two additions: of
/// loops with one addition in 15 and in 25 instructions XSBench gains, with one
/// in 33 and in 140 RSBench loses (docs/Benchmarks.md).
bool Rows::isBusy(const Twins &T) {
  const Loop *L = Loops.getLoopFor(T.Last->getParent());
  uint64_t All = 0, Additions = 0;
  auto Count = [&](const BasicBlock &B) {
    All += B.sizeWithoutDebug();
    Additions += count_if(
        B, [&](const Instruction &I) { return isPlainAddition(I, Machine); });
  };
  if (L)
    for (const BasicBlock *B : L->blocks())
      Count(*B);
  else
    for (const BasicBlock &B : F)
      Count(B);
  return All <= Additions * Lanes;
}

bool Rows::run() {
  for (BasicBlock &B : F)
    collect(B);
  // Asked while the loops are as LoopAnalysis found them: emission splits
  // blocks.
  erase_if(FoundTwins, [&](const Twins &T) { return !isBusy(T); });
  for (Row &R : Found)
    emit(R);
  for (Twins &T : FoundTwins)
    emit(T);
  return !Found.empty() || !FoundTwins.empty();
}

/// From sm_90 on, in PTX from 8.1 on.
static bool hasVectors(const Function &F) {
  auto AtLeast = [](StringRef Word, StringRef Prefix, unsigned Least) {
    unsigned Version = 0;
    return Word.consume_front(Prefix) && !Word.consumeInteger(10, Version) &&
           Version >= Least;
  };
  SmallVector<StringRef, 4> Features;
  F.getFnAttribute("target-features").getValueAsString().split(Features, ',');
  return AtLeast(F.getFnAttribute("target-cpu").getValueAsString(), "sm_",
                 90) &&
         any_of(Features, [&](StringRef Feature) {
           return AtLeast(Feature, "+ptx", 81);
         });
}

void retrograd::addToNeighbours(ArrayRef<Function *> Derived,
                                FunctionAnalysisManager &FAM,
                                const Options &Opts) {
  for (Function *F : Derived)
    if (Rows(*F, FAM, Opts.VectorRedOnDevice && hasVectors(*F),
             Opts.ShareRowsOnDevice)
            .run())
      FAM.invalidate(*F, PreservedAnalyses::none());
}
