//===- TileSums.cpp - sums over threads, by who owns a place --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/TileSums.h"
#include "Catalogue/ThreadIdentity.h"
#include "Target/SharedMemory.h"
#include "Target/Target.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

static constexpr unsigned MostThreads = 1024, MostSlots = 16, MostNodes = 64,
                          Lanes = 32;
static constexpr int64_t MostParts = 16, FewestSummed = 4,
                         MostSlotBytes = 20 << 10, MostSharedBytes = 44 << 10;

bool retrograd::isBlockBarrier(const Instruction &I) {
  const auto *C = dyn_cast<IntrinsicInst>(&I);
  return C &&
         (C->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_all ||
          C->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_all) &&
         match(C->getArgOperand(0), m_Zero());
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The end of bits up to To: no block has more than 1024 threads, and LLVM
/// masks what can be there alone.
static unsigned endOfBits(unsigned To) {
  constexpr unsigned LogOfThreads = 10;
  return To >= LogOfThreads ? ThreadBits::Top : To;
}

/// Bits of a thread's index, in place.
static std::optional<ThreadBits> asBits(const Value *V) {
  constexpr unsigned Top = ThreadBits::Top;
  if (const auto *C = dyn_cast<CallBase>(V)) {
    std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C);
    if (Who && Who->Asks == ThreadIdentity::ThreadIndex)
      return ThreadBits{Who->Axis, 0, Top};
    return std::nullopt;
  }
  const Value *X;
  const APInt *C;
  // No index of a thread has bit 31.
  if (match(V, m_ZExtOrSExt(m_Value(X))) && X->getType()->isIntegerTy(32))
    return asBits(X);
  if (match(V, m_LShr(m_Value(X), m_APInt(C))) ||
      match(V, m_AShr(m_Value(X), m_APInt(C)))) {
    auto Of = asBits(X);
    if (!Of || C->uge(Top))
      return std::nullopt;
    Of->From += C->getZExtValue();
    return Of->From < Of->To ? Of : std::nullopt;
  }
  if (match(V, m_And(m_Value(X), m_APInt(C))) && C->isMask()) {
    auto Of = asBits(X);
    if (Of)
      Of->To = std::min(Of->To, endOfBits(Of->From + C->countr_one()));
    return Of;
  }
  return std::nullopt;
}

/// V, Factor times in P.
static bool addIndex(const Value *V, int64_t Factor, SharedPlace &P,
                     unsigned Depth = 0) {
  constexpr unsigned Deepest = 16;
  const Value *X, *Y;
  const APInt *C;
  auto Of = [&](const Value *W, int64_t F) {
    return addIndex(W, F, P, Depth + 1);
  };
  if (Depth == Deepest || V->getType()->getIntegerBitWidth() < 32)
    return false;
  if (match(V, m_APInt(C))) {
    P.Constant += Factor * C->sextOrTrunc(64).getSExtValue();
    return true;
  }
  if (auto Bits = asBits(V)) {
    auto *At =
        find_if(P.PerBits, [&](auto &Part) { return Part.first == *Bits; });
    if (At == P.PerBits.end())
      P.PerBits.push_back({*Bits, Factor});
    else
      At->second += Factor;
    return true;
  }
  if (match(V, m_ZExtOrSExt(m_Value(X))) || match(V, m_Trunc(m_Value(X))))
    return Of(X, Factor);
  if (match(V, m_Add(m_Value(X), m_Value(Y))) ||
      match(V, m_DisjointOr(m_Value(X), m_Value(Y))))
    return Of(X, Factor) && Of(Y, Factor);
  if (match(V, m_Sub(m_Value(X), m_Value(Y))))
    return Of(X, Factor) && Of(Y, -Factor);
  if (match(V, m_Mul(m_Value(X), m_APInt(C))) && C->isSignedIntN(31))
    return Of(X, Factor * C->getSExtValue());
  if (match(V, m_Shl(m_Value(X), m_APInt(C))) && C->ult(31))
    return Of(X, Factor * (int64_t(1) << C->getZExtValue()));
  // Bits that stay where they are: (t & 24).
  if (match(V, m_And(m_Value(X), m_APInt(C))) && C->isShiftedMask())
    if (auto Bits = asBits(X)) {
      const unsigned Low = C->countr_zero();
      const ThreadBits Part{
          Bits->Axis, Bits->From + Low,
          std::min(Bits->To, endOfBits(Bits->From + Low + C->popcount()))};
      if (Part.From >= Part.To)
        return false;
      P.PerBits.push_back({Part, Factor * (int64_t(1) << Low)});
      return true;
    }
  return false;
}

static int64_t inWord(int64_t X) { return int32_t(X); }

/// The place in a shared array that Pointer and Offset bytes lead to.
static std::optional<SharedPlace>
findPlace(const Value *Pointer, int64_t Offset, const DataLayout &DL) {
  SharedPlace P;
  P.Constant = Offset;
  for (;;) {
    if (const auto *C = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
      Pointer = C->getPointerOperand();
      continue;
    }
    const auto *G = dyn_cast<GEPOperator>(Pointer);
    if (!G)
      break;
    APInt Constant(DL.getIndexTypeSizeInBits(G->getType()), 0);
    SmallMapVector<Value *, APInt, 4> Parts;
    if (G->getType()->isVectorTy() ||
        !G->collectOffset(DL, Constant.getBitWidth(), Parts, Constant))
      return std::nullopt;
    P.Constant += Constant.getSExtValue();
    for (auto &[V, Factor] : Parts)
      if (!Factor.isSignedIntN(31) || !addIndex(V, Factor.getSExtValue(), P))
        return std::nullopt;
    Pointer = G->getPointerOperand();
  }
  auto *Array = dyn_cast<GlobalVariable>(const_cast<Value *>(Pointer));
  if (!Array || Target(*Array->getParent()).space(Array->getAddressSpace()) !=
                    MemorySpace::Shared)
    return std::nullopt;
  P.Array = Array;
  P.Constant = inWord(P.Constant);
  for (auto &[Bits, Factor] : P.PerBits)
    Factor = inWord(Factor);
  erase_if(P.PerBits, [](auto &Part) { return !Part.second; });
  return P;
}

namespace {

struct Addition {
  Instruction *At;
  SharedPlace Place;
  Value *Number;
};

/// Bytes of each digit of an addition, and how many there are.
struct Grid {
  SmallVector<std::pair<int64_t, int64_t>, 3> Steps; ///< bytes, extent
};

class Search {
public:
  Search(Instruction &Barrier, AAResults &AA)
      : Barrier(Barrier), AA(AA), DL(Barrier.getDataLayout()) {}
  std::unique_ptr<TileRegion> run(int64_t Taken);

private:
  void collect();
  bool hasTile(Value *V, unsigned Depth = 0);
  void noteBits(const SharedPlace &P);
  void noteBits(Value *V, unsigned Depth = 0);
  void splitBits();
  SmallVector<int64_t, 6> perThread(const SharedPlace &P) const;
  void makeSum(ArrayRef<const Addition *> Of);
  std::unique_ptr<TileTerm> makeTerm(ArrayRef<Value *> Vs);
  bool placeInSlots(ArrayRef<Value *> Vs, TileTerm &T);
  bool guessShape();
  void guess(ArrayRef<int64_t> Steps, ArrayRef<Digit> Digits, uint64_t Bytes);
  void guess(const TileTerm &T, ArrayRef<Digit> Digits);
  bool isApart(TileSum &S) const;
  void layOut();
  int64_t assign(TileSum &S) const;
  int64_t turns(const TileSum &S, int64_t Constant, ArrayRef<int64_t> Steps,
                bool InLoop) const;
  int64_t cost(const TileSum &S, const TileTerm &T) const;
  int64_t stepOf(const TileSum &S, const TileTerm &T, unsigned D) const;

  Instruction &Barrier;
  AAResults &AA;
  const DataLayout &DL;
  std::vector<Addition> Additions;
  SmallPtrSet<const Instruction *, 32> Within;
  DenseMap<const Value *, bool> Tiles;
  SmallVector<ThreadBits, 6> Bits;
  SmallVector<Digit, 4> ThreadDigits;
  TileRegion Region;
  // Of the sum that is being made: the digits of its additions, and each one's.
  ArrayRef<Digit> Digits;
  SmallVector<SmallVector<int64_t, 3>, 32> Tuples;
  unsigned Nodes = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// The block of code
//===----------------------------------------------------------------------===//

static StringRef calleeName(const Instruction &I) {
  const auto *C = dyn_cast<CallInst>(&I);
  const Function *F = C ? C->getCalledFunction() : nullptr;
  return F ? F->getName() : "";
}

/// An addition to shared memory, of which nobody asks what was there.
static std::optional<Addition> asAddition(Instruction &I,
                                          const DataLayout &DL) {
  StringRef Name = calleeName(I);
  int64_t Offset = 0;
  Value *Pointer, *Number;
  if (Name == "rg_merge_shared_f32" || Name == "rg_merge_shared_f64") {
    auto *C = cast<CallInst>(&I);
    auto *Constant = dyn_cast<ConstantInt>(C->getArgOperand(1));
    if (!Constant)
      return std::nullopt;
    Pointer = C->getArgOperand(0);
    Offset = Constant->getSExtValue();
    Number = C->getArgOperand(2);
  } else if (auto *Add = dyn_cast<AtomicRMWInst>(&I);
             Add && Add->getOperation() == AtomicRMWInst::FAdd &&
             Add->use_empty() && !Add->isVolatile() &&
             Add->getOrdering() == AtomicOrdering::Monotonic &&
             (Add->getType()->isFloatTy() || Add->getType()->isDoubleTy())) {
    Pointer = Add->getPointerOperand();
    Number = Add->getValOperand();
  } else {
    return std::nullopt;
  }
  auto Place = findPlace(Pointer, Offset, DL);
  if (!Place)
    return std::nullopt;
  return Addition{&I, std::move(*Place), Number};
}

/// Fills Additions with those that may wait for the barrier, and Region.Again
/// with what is read from shared arrays and is still there. All threads of the
/// block are in this block of code from one barrier to the next, so that it
/// shows what any of them writes.
void Search::collect() {
  auto &Loads = Region.Again;
  auto ArrayOf = [](Instruction *L) {
    return getUnderlyingObject(getLoadStorePointerOperand(L), /*MaxLookup=*/0);
  };
  for (Instruction &I : *Barrier.getParent()) {
    if (&I == &Barrier)
      return;
    Within.insert(&I);
    if (auto A = asAddition(I, DL)) {
      const Value *Array = A->Place.Array;
      Loads.remove_if([&](Instruction *L) { return ArrayOf(L) == Array; });
      Additions.push_back(std::move(*A));
      continue;
    }
    if (calleeName(I) == "rg_peers" || isa<AssumeInst>(I))
      continue;
    if (isBlockBarrier(I)) {
      Additions.clear();
      continue;
    }
    if (!I.mayReadOrWriteMemory()) {
      if (auto *C = dyn_cast<CallBase>(&I); C && C->isConvergent())
        Additions.clear();
      continue;
    }
    const Value *P = getLoadStorePointerOperand(&I);
    if (!P || I.isAtomic() || I.isVolatile()) {
      Additions.clear();
      Loads.clear();
      continue;
    }
    const Value *Of = getUnderlyingObject(P, /*MaxLookup=*/0);
    auto Touches = [&](const Value *Array) {
      if (Of != Array && isIdentifiedObject(Of))
        return false;
      return Of == Array ||
             !AA.isNoAlias(MemoryLocation::get(&I),
                           MemoryLocation::getBeforeOrAfter(Array));
    };
    // What is read at adjoints waits for no addition.
    if (any_of(Additions,
               [&](const Addition &A) { return Touches(A.Place.Array); }))
      Additions.clear();
    if (isa<StoreInst>(I))
      Loads.remove_if([&](Instruction *L) { return Touches(ArrayOf(L)); });
    else if (findPlace(P, 0, DL))
      Loads.insert(&I);
  }
}

static bool isArithmetic(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return false;
  switch (I->getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
    return true;
  default:
    return false;
  }
}

/// Something in V is read from a shared array within the block of code, as far
/// as one looks. What is not known to be so is a thread's own.
bool Search::hasTile(Value *V, unsigned Depth) {
  constexpr unsigned Deepest = 16;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Within.contains(I) || Depth == Deepest)
    return false;
  if (auto At = Tiles.find(V); At != Tiles.end())
    return At->second;
  bool Has = Region.Again.contains(I) ||
             (isArithmetic(V) && any_of(I->operands(), [&](Value *W) {
                return hasTile(W, Depth + 1);
              }));
  return Tiles[V] = Has;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

void Search::noteBits(const SharedPlace &P) {
  for (auto &[B, Factor] : P.PerBits)
    if (!is_contained(Bits, B))
      Bits.push_back(B);
}

void Search::noteBits(Value *V, unsigned Depth) {
  if (Depth > 8 || !hasTile(V))
    return;
  if (isa<LoadInst>(V)) {
    if (auto P = findPlace(cast<LoadInst>(V)->getPointerOperand(), 0, DL))
      noteBits(*P);
    return;
  }
  for (Value *W : cast<Instruction>(V)->operands())
    noteBits(W, Depth + 1);
}

/// Digits of threads such that all bits that anything asks for are some of
/// them.
void Search::splitBits() {
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    SmallVector<unsigned, 4> Cuts{0, ThreadBits::Top};
    bool Any = false;
    for (const ThreadBits &B : Bits)
      if (B.Axis == Axis) {
        Any = true;
        Cuts.push_back(B.From);
        Cuts.push_back(B.To);
      }
    if (!Any)
      continue;
    sort(Cuts);
    Cuts.erase(llvm::unique(Cuts), Cuts.end());
    for (unsigned I = 0; I + 1 < Cuts.size(); ++I) {
      const ThreadBits B{Axis, Cuts[I], Cuts[I + 1]};
      ThreadDigits.push_back(
          {B, B.To == ThreadBits::Top ? 0 : int64_t(1) << (B.To - B.From)});
    }
  }
}

SmallVector<int64_t, 6> Search::perThread(const SharedPlace &P) const {
  SmallVector<int64_t, 6> Steps(ThreadDigits.size());
  for (auto &[B, Factor] : P.PerBits)
    for (auto [D, Step] : zip(ThreadDigits, Steps))
      if (const auto &Of = D.Thread;
          Of && Of->Axis == B.Axis && Of->From >= B.From && Of->To <= B.To)
        Step = inWord(Step + Factor * (int64_t(1) << (Of->From - B.From)));
  return Steps;
}

/// Offsets, sorted and different, as all sums of one multiple each of some
/// steps.
static std::optional<Grid> asGrid(SmallVector<int64_t, 32> Offsets) {
  Grid G;
  while (Offsets.size() > 1) {
    const int64_t Step = Offsets[1] - Offsets[0];
    size_t N = 1;
    while (N < Offsets.size() && Offsets[N] - Offsets[0] == int64_t(N) * Step)
      ++N;
    if (Offsets.size() % N)
      return std::nullopt;
    SmallVector<int64_t, 32> Rest;
    for (size_t I = 0; I != Offsets.size(); ++I)
      if (I % N == 0)
        Rest.push_back(Offsets[I]);
      else if (Offsets[I] - Rest.back() != int64_t(I % N) * Step)
        return std::nullopt;
    G.Steps.push_back({Step, int64_t(N)});
    Offsets = std::move(Rest);
  }
  return G;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Slots for what a thread adds with: for all tuples of digits that it changes
/// with.
bool Search::placeInSlots(ArrayRef<Value *> Vs, TileTerm &T) {
  const size_t First = ThreadDigits.size();
  T.PerDigit.assign(Digits.size(), 0);
  auto Find = [&](ArrayRef<int64_t> Tuple) {
    return Vs[llvm::find(Tuples, Tuple) - Tuples.begin()];
  };
  SmallVector<Value *, 8> Table{nullptr};
  SmallVector<unsigned, 3> Depends;
  for (unsigned D = First; D != Digits.size(); ++D) {
    bool Changes = false;
    for (auto [V, Tuple] : zip(Vs, Tuples)) {
      SmallVector<int64_t, 3> At(Tuple);
      At[D - First] = 0;
      Changes |= Find(At) != V;
    }
    if (!Changes)
      continue;
    T.PerDigit[D] = Table.size();
    Depends.push_back(D);
    Table.resize(Table.size() * Digits[D].Extent);
    if (Table.size() > MostSlots)
      return false;
  }
  for (auto [V, Tuple] : zip(Vs, Tuples)) {
    int64_t At = 0;
    for (unsigned D : Depends)
      At += T.PerDigit[D] * Tuple[D - First];
    Table[At] = V;
  }
  auto &Slots = Region.Slots;
  auto *Run =
      std::search(Slots.begin(), Slots.end(), Table.begin(), Table.end());
  T.Constant = Run - Slots.begin();
  if (Run == Slots.end())
    append_range(Slots, Table);
  return Slots.size() <= MostSlots;
}

/// What the additions of a sum add, Vs in their order, as one term.
std::unique_ptr<TileTerm> Search::makeTerm(ArrayRef<Value *> Vs) {
  auto T = std::make_unique<TileTerm>();
  if (++Nodes > MostNodes)
    return nullptr;
  T->Value = Vs.front();
  const size_t First = ThreadDigits.size();
  if (isa<Constant>(Vs.front()) && all_equal(Vs)) {
    T->Is = TileTerm::Known;
    return T;
  }
  // Few numbers for many additions are published, however they are computed.
  constexpr unsigned Few = 4;
  SmallPtrSet<Value *, 32> Different(Vs.begin(), Vs.end());
  if (Different.size() <= Few && Different.size() < Vs.size()) {
    const size_t Before = Region.Slots.size();
    T->Is = TileTerm::Published;
    if (placeInSlots(Vs, *T))
      return T;
    Region.Slots.resize(Before);
  }
  if (none_of(Vs, [&](Value *V) { return hasTile(V); })) {
    T->Is = TileTerm::Published;
    return placeInSlots(Vs, *T) ? std::move(T) : nullptr;
  }
  if (!all_of(Vs, [&](Value *V) { return hasTile(V); }))
    return nullptr;
  if (isa<LoadInst>(Vs.front())) {
    T->Is = TileTerm::Tile;
    SmallVector<int64_t, 32> Constants;
    for (Value *V : Vs) {
      auto *L = dyn_cast<LoadInst>(V);
      if (!L || L->getType() != Vs.front()->getType())
        return nullptr;
      std::optional<SharedPlace> Found =
          findPlace(L->getPointerOperand(), 0, DL);
      if (!Found)
        return nullptr;
      const SharedPlace &P = *Found;
      SmallVector<int64_t, 6> Steps = perThread(P);
      if (!T->Array) {
        T->Array = P.Array;
        T->PerDigit.assign(Steps.begin(), Steps.end());
      } else if (T->Array != P.Array ||
                 !equal(Steps, ArrayRef(T->PerDigit).take_front(First))) {
        return nullptr;
      }
      Constants.push_back(P.Constant);
    }
    T->PerDigit.resize(Digits.size());
    // The first tuple is all zeros.
    T->Constant = Constants.front();
    for (auto [C, Tuple] : zip(Constants, Tuples))
      for (unsigned D = 0; D != Tuple.size(); ++D)
        if (Tuple[D] == 1 && llvm::count(Tuple, 0) + 1 == int64_t(Tuple.size()))
          T->PerDigit[First + D] = C - T->Constant;
    for (auto [C, Tuple] : zip(Constants, Tuples)) {
      int64_t At = T->Constant;
      for (unsigned D = 0; D != Tuple.size(); ++D)
        At += T->PerDigit[First + D] * Tuple[D];
      if (At != C)
        return nullptr;
    }
    return T;
  }
  T->Is = TileTerm::Operation;
  auto *Like = cast<Instruction>(Vs.front());
  SmallVector<SmallVector<Value *, 32>, 2> Operands(Like->getNumOperands());
  for (Value *V : Vs) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || I->getOpcode() != Like->getOpcode())
      return nullptr;
    SmallVector<Value *, 2> Of(I->operands());
    if (I->isCommutative() && hasTile(Of[0]) != hasTile(Like->getOperand(0)))
      std::swap(Of[0], Of[1]);
    for (auto [Column, W] : zip(Operands, Of))
      Column.push_back(W);
  }
  for (ArrayRef<Value *> Column : Operands) {
    T->Operands.push_back(makeTerm(Column));
    if (!T->Operands.back())
      return nullptr;
  }
  return T;
}

/// Of additions to different places of one array that look alike for threads.
void Search::makeSum(ArrayRef<const Addition *> Of) {
  SmallVector<const Addition *, 32> Sorted(Of);
  sort(Sorted, [](const Addition *A, const Addition *B) {
    return A->Place.Constant < B->Place.Constant;
  });
  SmallVector<int64_t, 32> Offsets;
  for (const Addition *A : Sorted)
    Offsets.push_back(A->Place.Constant);
  std::optional<Grid> Steps = asGrid(Offsets);
  if (!Steps || Sorted.size() < size_t(FewestSummed))
    return;
  TileSum S;
  S.Array = Sorted.front()->Place.Array;
  S.Constant = Offsets.front();
  S.Type = Sorted.front()->Number->getType();
  append_range(S.Digits, ThreadDigits);
  S.PerDigit = perThread(Sorted.front()->Place);
  for (auto [Step, Extent] : Steps->Steps) {
    S.Digits.push_back({std::nullopt, Extent});
    S.PerDigit.push_back(Step);
  }
  Digits = S.Digits;
  Tuples.clear();
  SmallVector<Value *, 32> Numbers;
  for (auto [I, A] : enumerate(Sorted)) {
    S.Additions.push_back(A->At);
    Numbers.push_back(A->Number);
    int64_t Rest = I;
    Tuples.emplace_back();
    for (auto [Step, Extent] : Steps->Steps) {
      Tuples.back().push_back(Rest % Extent);
      Rest /= Extent;
    }
  }
  const size_t Before = Region.Slots.size();
  Nodes = 0;
  S.Number = makeTerm(Numbers);
  // A number of the thread's own alone is nothing that others compute.
  if (S.Number && hasTile(Numbers.front()))
    Region.Sums.push_back(std::move(S));
  else
    Region.Slots.resize(Before);
}

//===----------------------------------------------------------------------===//
// The shape of a block
//===----------------------------------------------------------------------===//

/// A digit of threads that has one step in an array ends where the next step
/// begins: as many threads as fill the array, and none twice.
void Search::guess(ArrayRef<int64_t> Steps, ArrayRef<Digit> Of,
                   uint64_t Bytes) {
  for (auto [I, D] : enumerate(ThreadDigits)) {
    if (!D.Thread || D.Thread->To != ThreadBits::Top || Steps[I] <= 0)
      continue;
    int64_t Next = Bytes;
    for (auto [Step, Other] : zip(Steps, Of))
      if (Step > Steps[I])
        Next = std::min(Next, Step);
    const int64_t Extent = Next / Steps[I];
    if (Extent > 1 && (!D.Extent || Extent < D.Extent))
      D.Extent = Extent;
  }
}

void Search::guess(const TileTerm &T, ArrayRef<Digit> Of) {
  if (T.Is == TileTerm::Tile)
    guess(T.PerDigit, Of, DL.getTypeAllocSize(T.Array->getValueType()));
  for (const auto &Operand : T.Operands)
    guess(*Operand, Of);
}

bool Search::guessShape() {
  for (const TileSum &S : Region.Sums) {
    guess(S.PerDigit, S.Digits, DL.getTypeAllocSize(S.Array->getValueType()));
    guess(*S.Number, S.Digits);
  }
  for (Digit &D : ThreadDigits) {
    if (!D.Extent)
      D.Extent = 1;
    if (D.Thread)
      Region.Extents[D.Thread->Axis] *= D.Extent;
  }
  for (int64_t E : Region.Extents)
    Region.Threads *= E;
  for (TileSum &S : Region.Sums)
    for (auto [D, Of] : zip(ThreadDigits, S.Digits))
      Of.Extent = D.Extent;
  return Region.Threads > 1 && Region.Threads <= MostThreads;
}

/// Different digits lead to different places; who owns which is left open.
bool Search::isApart(TileSum &S) const {
  SmallVector<unsigned, 6> Sorted;
  int64_t Owned = 1, Summed = 1;
  for (auto [D, Digit] : enumerate(S.Digits))
    if (S.PerDigit[D]) {
      if (S.PerDigit[D] < 0)
        return false;
      Sorted.push_back(D);
      Owned *= Digit.Extent;
    } else {
      S.Over.push_back(D);
      Summed *= Digit.Extent;
    }
  sort(Sorted,
       [&](unsigned A, unsigned B) { return S.PerDigit[A] < S.PerDigit[B]; });
  const int64_t Size = DL.getTypeAllocSize(S.Type);
  int64_t End = Size;
  for (unsigned D : Sorted) {
    if (S.PerDigit[D] < End || S.PerDigit[D] % Size)
      return false;
    End = S.PerDigit[D] * S.Digits[D].Extent;
  }
  S.Parts = Owned / Region.Threads;
  return S.Constant >= 0 && S.Constant % Size == 0 &&
         uint64_t(S.Constant + End) <=
             uint64_t(DL.getTypeAllocSize(S.Array->getValueType())) &&
         Owned % Region.Threads == 0 && S.Parts >= 1 && S.Parts <= MostParts &&
         Summed >= FewestSummed;
}

//===----------------------------------------------------------------------===//
// Who owns what
//===----------------------------------------------------------------------===//

/// Bytes between what T reads for neighbours in digit D.
int64_t Search::stepOf(const TileSum &S, const TileTerm &T, unsigned D) const {
  if (T.Is == TileTerm::Tile)
    return T.Copied ? Region.inCopy(T.PerDigit[D]) : T.PerDigit[D];
  const int64_t Size = DL.getTypeAllocSize(S.Type);
  return Size * (D < Region.Pitch.size() ? Region.Pitch[D]
                                         : Region.SlotLength * T.PerDigit[D]);
}

/// What T reads of Array is in one row, whatever the digits with smaller steps
/// are, and the others are whole rows.
static bool staysInRow(const TileTerm &T, const GlobalVariable *Array,
                       ArrayRef<Digit> Digits, int64_t Size) {
  if (T.Is == TileTerm::Tile && T.Array == Array) {
    constexpr int64_t Row = TileRegion::Row;
    int64_t End = T.Constant % Row + Size;
    for (auto [Step, D] : zip(T.PerDigit, Digits))
      if (Step < 0 || (Step >= Row && Step % Row))
        return false;
      else if (Step < Row)
        End += Step * (D.Extent - 1);
    if (T.Constant < 0 || End > Row)
      return false;
  }
  return all_of(T.Operands, [&](const auto &Operand) {
    return staysInRow(*Operand, Array, Digits, Size);
  });
}

static void findArrays(const TileTerm &T,
                       SmallSetVector<GlobalVariable *, 4> &Arrays) {
  if (T.Is == TileTerm::Tile)
    Arrays.insert(T.Array);
  for (const auto &Operand : T.Operands)
    findArrays(*Operand, Arrays);
}

static void noteCopies(TileTerm &T, ArrayRef<GlobalVariable *> Copies) {
  T.Copied = T.Is == TileTerm::Tile && is_contained(Copies, T.Array);
  for (const auto &Operand : T.Operands)
    noteCopies(*Operand, Copies);
}

/// Turns of shared memory for the lanes of a warp to read or write, for each of
/// their places of S, at Constant and so many bytes for each digit, times four
/// for a word. Over is how often it is done.
int64_t Search::turns(const TileSum &S, int64_t Constant,
                      ArrayRef<int64_t> Steps, bool InLoop) const {
  constexpr int64_t Vector = 16, Words = 4;
  const int64_t Size = DL.getTypeAllocSize(S.Type);
  DenseMap<int64_t, SmallSet<int64_t, 8>> Banks;
  SmallSet<int64_t, 32> Places;
  size_t Most = 1;
  for (unsigned Lane = 0; Lane != Lanes; ++Lane) {
    int64_t Rest = Lane, At = 0;
    for (unsigned D : S.Owner) {
      const bool IsSplit = D == S.Split;
      const int64_t Extent = S.Digits[D].Extent / (IsSplit ? S.Parts : 1);
      At += Rest % Extent * (IsSplit && S.Low ? S.Parts : 1) * Steps[D];
      Rest /= Extent;
    }
    Places.insert(At);
    auto &Bank = Banks[(At / Words) % Lanes];
    Bank.insert(At);
    Most = std::max<size_t>(Most, Bank.size());
  }
  // Neighbours are read by one instruction, if the first one is aligned. It
  // takes turns for lanes that are apart, as many as words would.
  auto IsAligned = [&](unsigned Row) {
    for (unsigned D = 0; D != S.Digits.size(); ++D)
      if (D != Row && S.Digits[D].Extent > 1 && Steps[D] % Vector)
        return false;
    return Constant % Vector == 0;
  };
  const int64_t BetweenParts =
      Steps[S.Split] * (S.Low ? 1 : S.Digits[S.Split].Extent / S.Parts);
  const int64_t PerRead = Vector / Size;
  const bool Alike = Places.size() == 1;
  const bool Beside =
      BetweenParts == Size && S.Parts % PerRead == 0 && IsAligned(S.Split);
  if (Beside)
    return S.Parts / PerRead * std::max<int64_t>(Most, Alike ? 1 : PerRead) *
           Words;
  const int64_t Reads = BetweenParts == 0 ? 1 : S.Parts;
  const bool InRow = InLoop && Alike && Steps[S.Over.front()] == Size &&
                     IsAligned(S.Over.front());
  return Reads * int64_t(Most) * (InRow ? Words / PerRead : Words);
}

/// Turns for T and one number of each digit that is summed over.
int64_t Search::cost(const TileSum &S, const TileTerm &T) const {
  int64_t Sum = 0;
  for (const auto &Operand : T.Operands)
    Sum += cost(S, *Operand);
  if (T.Is != TileTerm::Tile && T.Is != TileTerm::Published)
    return Sum;
  SmallVector<int64_t, 6> Steps;
  for (unsigned D = 0; D != S.Digits.size(); ++D)
    Steps.push_back(stepOf(S, T, D));
  const int64_t Constant = T.Is != TileTerm::Tile ? 0
                           : T.Copied             ? Region.inCopy(T.Constant)
                                                  : T.Constant;
  return Sum + turns(S, Constant, Steps, /*InLoop=*/true);
}

/// The cheapest way to share the places of S.
int64_t Search::assign(TileSum &S) const {
  SmallVector<unsigned, 6> Order;
  for (unsigned D = 0; D != S.Digits.size(); ++D)
    if (S.PerDigit[D])
      Order.push_back(D);
  constexpr size_t MostDigits = 5;
  if (Order.size() > MostDigits)
    return -1;
  int64_t Best = -1, Summed = 1;
  for (unsigned D : S.Over)
    Summed *= S.Digits[D].Extent;
  TileSum Now;
  auto Try = [&](unsigned Split, bool Low) {
    std::swap(S.Owner, Order);
    std::swap(S.Split, Split);
    std::swap(S.Low, Low);
    // The sums are added to what is there.
    const int64_t Cost = Summed * cost(S, *S.Number) +
                         2 * turns(S, S.Constant, S.PerDigit, /*InLoop=*/false);
    if (Best < 0 || Cost < Best) {
      Best = Cost;
      Now.Owner = S.Owner;
      Now.Split = S.Split;
      Now.Low = S.Low;
    }
    std::swap(S.Owner, Order);
    std::swap(S.Split, Split);
    std::swap(S.Low, Low);
  };
  do {
    for (unsigned Split : Order)
      if (S.Digits[Split].Extent % S.Parts == 0) {
        Try(Split, /*Low=*/true);
        Try(Split, /*Low=*/false);
      }
  } while (std::next_permutation(Order.begin(), Order.end()));
  S.Owner = Now.Owner;
  S.Split = Now.Split;
  S.Low = Now.Low;
  return Best;
}

/// Slots without a gap, or with one that keeps rows of threads in different
/// banks, and arrays as they are or copied, whichever is cheaper.
void Search::layOut() {
  const int64_t Size = DL.getTypeAllocSize(Region.Sums.front().Type);
  Region.Gap = Size;
  SmallSetVector<GlobalVariable *, 4> Arrays;
  for (const TileSum &S : Region.Sums)
    findArrays(*S.Number, Arrays);
  auto BytesOf = [&](const GlobalVariable *G) {
    return int64_t(DL.getTypeAllocSize(G->getValueType()));
  };
  Arrays.remove_if([&](GlobalVariable *G) {
    return !BytesOf(G) || BytesOf(G) % (Region.Threads * Size) ||
           BytesOf(G) > MostSlotBytes ||
           !all_of(Region.Sums, [&](const TileSum &S) {
             return staysInRow(*S.Number, G, S.Digits, Size);
           });
  });
  auto Place = [&](int64_t Gap, unsigned Copied) {
    Region.Pitch.clear();
    int64_t Length = 1;
    for (auto [I, D] : enumerate(ThreadDigits)) {
      Region.Pitch.push_back(Length);
      Length *= D.Extent;
      if (I == 0 && ThreadDigits.size() > 1)
        Length += Gap;
    }
    Region.SlotLength = Length;
    Region.Copies.clear();
    int64_t Sum = 0;
    for (auto [I, G] : enumerate(Arrays))
      if (Copied >> I & 1) {
        constexpr int64_t Word = 4; // as turns counts: a load and a store
        Region.Copies.push_back(G);
        Sum += 2 * Word * BytesOf(G) / (Region.Threads * Size);
      }
    for (TileSum &S : Region.Sums) {
      noteCopies(*S.Number, Region.Copies);
      Sum += assign(S);
    }
    Region.Bytes = Region.SlotLength * int64_t(Region.Slots.size()) * Size;
    for (GlobalVariable *G : Region.Copies)
      Region.Bytes += Region.inCopy(BytesOf(G));
    return Sum;
  };
  int64_t Best = -1, BestGap = 0;
  unsigned BestCopied = 0;
  for (unsigned Copied = 0; Copied != 1u << Arrays.size(); ++Copied)
    for (int64_t Gap : {0, 1})
      if (const int64_t Cost = Place(Gap, Copied); Best < 0 || Cost < Best) {
        Best = Cost;
        BestGap = Gap;
        BestCopied = Copied;
      }
  Place(BestGap, BestCopied);
}

std::unique_ptr<TileRegion> Search::run(int64_t Taken) {
  collect();
  if (Additions.size() < size_t(FewestSummed))
    return nullptr;
  for (const Addition &A : Additions) {
    noteBits(A.Place);
    noteBits(A.Number);
  }
  splitBits();
  // Alike for threads, and no two of a thread at one place.
  struct Alike {
    GlobalVariable *Array;
    Type *T;
    SmallVector<int64_t, 6> Steps;
    SmallVector<const Addition *, 32> Of;
  };
  std::vector<Alike> Groups;
  for (const Addition &A : Additions) {
    SmallVector<int64_t, 6> Steps = perThread(A.Place);
    auto G = find_if(Groups, [&](const Alike &G) {
      return G.Array == A.Place.Array && G.T == A.Number->getType() &&
             G.Steps == Steps && none_of(G.Of, [&](const Addition *Other) {
               return Other->Place.Constant == A.Place.Constant;
             });
    });
    if (G == Groups.end())
      Groups.push_back({A.Place.Array, A.Number->getType(), Steps, {&A}});
    else
      G->Of.push_back(&A);
  }
  for (const Alike &G : Groups)
    makeSum(G.Of);
  if (Region.Sums.empty() || !guessShape())
    return nullptr;
  erase_if(Region.Sums, [&](TileSum &S) { return !isApart(S); });
  if (Region.Sums.empty() || !all_of(Region.Slots, [&](Value *V) {
        return V->getType() == Region.Sums.front().Type;
      }))
    return nullptr;
  layOut();
  const int64_t Used =
      Region.Bytes + Taken + int64_t(sharedBytesWith(*Barrier.getFunction()));
  if (Region.Bytes > MostSlotBytes || Used > MostSharedBytes ||
      any_of(Region.Sums, [](const TileSum &S) { return S.Owner.empty(); }))
    return nullptr;
  Region.Barrier = &Barrier;
  return std::make_unique<TileRegion>(std::move(Region));
}

std::unique_ptr<TileRegion>
retrograd::findTileSums(Instruction &Barrier, AAResults &AA, int64_t Taken) {
  return Search(Barrier, AA).run(Taken);
}
