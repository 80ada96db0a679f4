//===- GatherNeighbours.cpp - a thread gathers what is its own ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/GatherNeighbours.h"
#include "Polish/BlockSums.h"
#include "Polish/KernelMemory.h"
#include "Polish/KnownSpaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

/// How far a thread looks for another's additions, along each axis.
static constexpr int Reach = 4;
/// Of one addition that is gathered: what is computed for it, without its
/// place.
static constexpr unsigned MostComputed = 40, MostLoads = 3;
/// Additions for which the gathering pays.
static constexpr size_t Fewest = 3, Most = 32;

namespace {

/// A number that is the same for all threads that gather for each other, or a
/// coordinate, and how it is made as wide as an address.
struct Symbol {
  const Value *V;
  unsigned Extension; ///< 0: it is; Instruction::SExt, ZExt
  auto operator<=>(const Symbol &) const = default;
};

/// Sums of products of symbols, modulo 2^64.
struct Polynomial {
  std::map<std::vector<Symbol>, uint64_t> Terms;

  void add(const Polynomial &P, uint64_t Factor = 1) {
    for (const auto &[Of, N] : P.Terms)
      if (uint64_t &Sum = Terms[Of]; !(Sum += N * Factor))
        Terms.erase(Of);
  }
  Polynomial times(const Polynomial &P) const {
    Polynomial Product;
    for (const auto &[A, N] : Terms)
      for (const auto &[B, M] : P.Terms) {
        std::vector<Symbol> Of(A);
        Of.insert(Of.end(), B.begin(), B.end());
        sort(Of);
        if (uint64_t &Sum = Product.Terms[Of]; !(Sum += N * M))
          Product.Terms.erase(Of);
      }
    return Product;
  }
  static Polynomial of(uint64_t N) {
    Polynomial P;
    if (N)
      P.Terms[{}] = N;
    return P;
  }
  static Polynomial of(Symbol S) {
    Polynomial P;
    P.Terms[{S}] = 1;
    return P;
  }
  bool operator==(const Polynomial &) const = default;
};

using Step = std::array<int, 3>; ///< along x, y, z

/// One number that a thread adds.
struct Share {
  Instruction *Add;
  Value *Place, *Number;
  uint64_t Bytes; ///< behind Place
  const Value *Base = nullptr;
  Polynomial Where = {}; ///< beside Base
  SmallVector<std::pair<Value *, bool>, 4> If = {};
  Step D = {}; ///< to the thread that gathers it
};

class Gatherer {
public:
  Gatherer(Function &F, FunctionAnalysisManager &FAM)
      : F(F), DL(F.getDataLayout()),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        PDT(FAM.getResult<PostDominatorTreeAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)),
        Memory(F, FAM.getResult<AAManager>(F)) {}

  bool run();

private:
  using Steps = std::map<std::map<std::vector<Symbol>, uint64_t>, Step>;

  void findCoordinates();
  std::optional<unsigned> axisOf(const Value *V) const;
  std::optional<Polynomial> polynomial(Value *V, unsigned Extension,
                                       unsigned Depth);
  std::optional<Polynomial> leaf(Value *V, unsigned Extension);
  bool place(Share &S);
  bool conditions(BasicBlock *B, Share &S) const;
  bool canClone(Value *V, unsigned &Computed, unsigned &Loads);
  bool take(Instruction &I);
  Steps around(const Share &To) const;
  Polynomial moved(const Polynomial &P, const Step &D) const;
  void gather(ArrayRef<Share *> Group, const Share &Own);

  Value *clone(IRBuilder<> &B, Value *V, const Step &D,
               DenseMap<Value *, Value *> &Done);
  Value *exists(IRBuilder<> &B, const Step &D);
  Value *holds(IRBuilder<> &B, const Share &S, const Step &D,
               DenseMap<Value *, Value *> &Done);

  Function &F;
  const DataLayout &DL;
  DominatorTree &DT;
  PostDominatorTree &PDT;
  LoopInfo &LI;
  KernelMemory Memory;
  /// Those of one axis have the same value.
  SmallVector<Instruction *, 2> Coordinates[3];
  std::array<Value *, 3> Threads = {}; ///< of the launch along an axis
  Value *Fits = nullptr;         ///< coordinates are no larger than they may be
  KernelMemory::Values OfThread; ///< not the same for all
  BasicBlock *Root = nullptr;    ///< where is gathered
  std::vector<Share> Shares;
};

} // namespace

//===----------------------------------------------------------------------===//
// Where a thread stands
//===----------------------------------------------------------------------===//

static bool asks(const Value *V, ThreadIdentity::Question Asks, unsigned Axis) {
  const auto *I = dyn_cast<Instruction>(V);
  return I && askedBy(*I) == ThreadIdentity{Asks, Axis};
}

void Gatherer::findCoordinates() {
  for (Instruction &I : instructions(F)) {
    Value *X, *Y, *U, *V;
    if (!I.getType()->isIntegerTy(32) ||
        !match(&I, m_c_Add(m_Value(X), m_Value(Y))))
      continue;
    for (unsigned Axis : {0, 1, 2})
      for (bool Swapped : {false, true}) {
        if (Swapped)
          std::swap(X, Y);
        if (match(X, m_Mul(m_Value(U), m_Value(V))) &&
            asks(Y, ThreadIdentity::ThreadIndex, Axis) &&
            ((asks(U, ThreadIdentity::BlockIndex, Axis) &&
              asks(V, ThreadIdentity::BlockSize, Axis)) ||
             (asks(V, ThreadIdentity::BlockIndex, Axis) &&
              asks(U, ThreadIdentity::BlockSize, Axis))))
          Coordinates[Axis].push_back(&I);
      }
  }
}

std::optional<unsigned> Gatherer::axisOf(const Value *V) const {
  for (unsigned Axis : {0, 1, 2})
    if (is_contained(Coordinates[Axis], V))
      return Axis;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// V is no sum: a coordinate, or the same for all threads that matter.
std::optional<Polynomial> Gatherer::leaf(Value *V, unsigned Extension) {
  if (std::optional<unsigned> Axis = axisOf(V)) {
    // Of a thread of the launch it is not negative.
    if (!Extension)
      return std::nullopt;
    return Polynomial::of(
        Symbol{Coordinates[*Axis].front(), Instruction::SExt});
  }
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return Polynomial::of(Symbol{V, Extension});
  if (OfThread.contains(I) || isa<PHINode>(I))
    return std::nullopt;
  // The same question has the same answer.
  if (std::optional<ThreadIdentity> Who = askedBy(*I))
    for (Instruction &J : instructions(F))
      if (askedBy(J) == Who)
        return Polynomial::of(Symbol{&J, Extension});
  return Polynomial::of(Symbol{V, Extension});
}

/// V, as wide as an address when it is extended.
std::optional<Polynomial> Gatherer::polynomial(Value *V, unsigned Extension,
                                               unsigned Depth) {
  if (Depth == 16 || !V->getType()->isIntegerTy() ||
      V->getType()->getIntegerBitWidth() > 64 ||
      (!Extension && !V->getType()->isIntegerTy(64)))
    return std::nullopt;
  if (auto *C = dyn_cast<ConstantInt>(V))
    return Polynomial::of(Extension == Instruction::ZExt
                              ? C->getZExtValue()
                              : uint64_t(C->getSExtValue()));
  auto *I = dyn_cast<Instruction>(V);
  if (!I || axisOf(I))
    return leaf(V, Extension);
  if (!Extension && isa<SExtInst, ZExtInst>(I)) {
    const bool Signed = isa<SExtInst>(I) || I->hasNonNeg();
    return polynomial(I->getOperand(0),
                      Signed ? Instruction::SExt : Instruction::ZExt,
                      Depth + 1);
  }
  const auto *Wraps = dyn_cast<OverflowingBinaryOperator>(I);
  const auto *Or = dyn_cast<PossiblyDisjointInst>(I);
  const bool Exact =
      !Extension || (Or && Or->isDisjoint()) ||
      (Wraps && (Extension == Instruction::SExt ? Wraps->hasNoSignedWrap()
                                                : Wraps->hasNoUnsignedWrap()));
  const APInt *Shift;
  const bool Shifts =
      match(I, m_Shl(m_Value(), m_APInt(Shift))) && Shift->ult(64);
  if (Exact && (isa<AddOperator, SubOperator, MulOperator>(I) || Shifts ||
                (Or && Or->isDisjoint()))) {
    auto A = polynomial(I->getOperand(0), Extension, Depth + 1);
    auto B = Shifts ? Polynomial::of(uint64_t(1) << Shift->getZExtValue())
                    : polynomial(I->getOperand(1), Extension, Depth + 1);
    if (A && B) {
      if (I->getOpcode() == Instruction::Mul || Shifts)
        return A->times(*B);
      A->add(*B, I->getOpcode() == Instruction::Sub ? -1 : 1);
      return A;
    }
  }
  return leaf(V, Extension);
}

/// Where S adds, from the parameter on.
bool Gatherer::place(Share &S) {
  Value *P = S.Place;
  S.Where = Polynomial::of(S.Bytes);
  for (;;) {
    if (auto *C = dyn_cast<AddrSpaceCastOperator>(P)) {
      P = C->getPointerOperand();
      continue;
    }
    auto *G = dyn_cast<GEPOperator>(P);
    if (!G)
      break;
    APInt Constant(64, 0);
    SmallMapVector<Value *, APInt, 4> Parts;
    if (DL.getIndexTypeSizeInBits(P->getType()) != 64 ||
        !G->collectOffset(DL, 64, Parts, Constant))
      return false;
    S.Where.add(Polynomial::of(Constant.getZExtValue()));
    for (auto &[V, Factor] : Parts) {
      auto Of = polynomial(
          V, V->getType()->isIntegerTy(64) ? 0 : unsigned(Instruction::SExt),
          0);
      if (!Of)
        return false;
      S.Where.add(*Of, Factor.getZExtValue());
    }
    P = G->getPointerOperand();
  }
  S.Base = P;
  return isa<Argument>(P);
}

/// P for the thread that stands D further on.
Polynomial Gatherer::moved(const Polynomial &P, const Step &D) const {
  Polynomial Moved;
  for (const auto &[Of, N] : P.Terms) {
    Polynomial Product = Polynomial::of(N);
    for (const Symbol &S : Of) {
      Polynomial Factor = Polynomial::of(S);
      if (std::optional<unsigned> Axis = axisOf(S.V))
        Factor.add(Polynomial::of(uint64_t(int64_t(D[*Axis]))));
      Product = Product.times(Factor);
    }
    Moved.add(Product);
  }
  return Moved;
}

/// For each place that threads around add to by To, how far they are. Nearest
/// first.
Gatherer::Steps Gatherer::around(const Share &To) const {
  Steps Of;
  int Most[3];
  for (unsigned Axis : {0, 1, 2})
    Most[Axis] = Coordinates[Axis].empty() ? 0 : Reach;
  for (int R = 0; R <= Reach; ++R)
    for (int X = -std::min(R, Most[0]); X <= std::min(R, Most[0]); ++X)
      for (int Y = -std::min(R, Most[1]); Y <= std::min(R, Most[1]); ++Y)
        for (int Z = -std::min(R, Most[2]); Z <= std::min(R, Most[2]); ++Z)
          if (std::max({std::abs(X), std::abs(Y), std::abs(Z)}) == R)
            Of.try_emplace(moved(To.Where, {X, Y, Z}).Terms, Step{X, Y, Z});
  return Of;
}

//===----------------------------------------------------------------------===//
// What can be computed for another thread
//===----------------------------------------------------------------------===//

/// Under which conditions B runs, once.
bool Gatherer::conditions(BasicBlock *B, Share &S) const {
  if (LI.getLoopFor(B))
    return false;
  while (B != Root) {
    if (BasicBlock *P = B->getSinglePredecessor()) {
      auto *Br = dyn_cast<BranchInst>(P->getTerminator());
      if (!Br || LI.getLoopFor(P))
        return false;
      if (Br->isConditional() && Br->getSuccessor(0) != Br->getSuccessor(1))
        S.If.push_back({Br->getCondition(), Br->getSuccessor(0) == B});
      B = P;
      continue;
    }
    const auto *Node = DT.getNode(B);
    BasicBlock *D =
        Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    if (!D || LI.getLoopFor(D) || !PDT.dominates(B, D))
      return false;
    B = D;
  }
  return true;
}

/// I has a value for whatever operands, once its flags are dropped.
static bool isTotal(const Instruction &I) {
  if (const auto *C = dyn_cast<IntrinsicInst>(&I))
    return C->getType()->isFPOrFPVectorTy() || isa<MinMaxIntrinsic>(C);
  if (isa<CallBase>(I))
    return false;
  if (I.isShift())
    return match(I.getOperand(1), m_ConstantInt());
  return isa<LoadInst>(I) ||
         (!isa<FPToSIInst, FPToUIInst, ExtractElementInst, InsertElementInst>(
              I) &&
          isSafeToSpeculativelyExecute(&I));
}

/// V can be computed where threads gather, for another thread.
bool Gatherer::canClone(Value *V, unsigned &Computed, unsigned &Loads) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || axisOf(I))
    return true;
  if (!Memory.isComputed(*I) || ++Computed > MostComputed)
    return false;
  if (std::optional<ThreadIdentity> Who = askedBy(*I))
    return Who->Asks == ThreadIdentity::BlockSize ||
           Who->Asks == ThreadIdentity::GridSize ||
           Coordinates[Who->Axis].empty();
  if (isa<LoadInst>(I) && ++Loads > MostLoads)
    return false;
  return isTotal(*I) && all_of(I->operands(), [&](Value *Of) {
           return isa<Function>(Of) || canClone(Of, Computed, Loads);
         });
}

/// Whether V is computed from what is loaded.
static bool readsMemory(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  return I && (isa<LoadInst>(I) || any_of(I->operands(), [](Value *Of) {
                 return readsMemory(Of);
               }));
}

/// An addition, or several side by side, that other threads can make.
bool Gatherer::take(Instruction &I) {
  auto *Add = dyn_cast<AtomicRMWInst>(&I);
  auto *C = dyn_cast<CallInst>(&I);
  if (!Add && !(C && C->getCalledFunction() &&
                C->getCalledFunction()->getName().starts_with("rg_beside_")))
    return false;
  Value *P = Add ? Add->getPointerOperand() : C->getArgOperand(0);
  const Argument *To = restrictParameter(P);
  if (!To || !Memory.onlyAddedTo(*To))
    return false;
  SmallVector<Value *, 4> Numbers;
  if (Add)
    Numbers.push_back(Add->getValOperand());
  else
    append_range(Numbers, drop_begin(C->args()));
  std::vector<Share> Found;
  for (auto [K, Number] : enumerate(Numbers)) {
    Share S{&I, P, Number,
            K * DL.getTypeAllocSize(Number->getType()).getFixedValue()};
    unsigned Computed = 0, Loads = 0, OfPlace = 0;
    if (!place(S) || !conditions(I.getParent(), S) ||
        !canClone(Number, Computed, Loads))
      return false;
    // Loads wait for nothing that is loaded.
    SmallVector<Value *, 8> Work{Number};
    while (!Work.empty()) {
      auto *J = dyn_cast<Instruction>(Work.pop_back_val());
      if (!J || axisOf(J))
        continue;
      if (auto *L = dyn_cast<LoadInst>(J)) {
        if (readsMemory(L->getPointerOperand()))
          return false;
        continue;
      }
      append_range(Work, J->operands());
    }
    for (auto &[Asked, Answer] : S.If) {
      if (readsMemory(Asked) || !canClone(Asked, Computed, Loads))
        return false;
    }
    if (readsMemory(P) || !canClone(P, OfPlace, Loads))
      return false;
    Found.push_back(std::move(S));
  }
  if (Shares.size() + Found.size() > Most)
    return false;
  for (Share &S : Found)
    Shares.push_back(std::move(S));
  return true;
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

/// V for the thread that stands D further on.
Value *Gatherer::clone(IRBuilder<> &B, Value *V, const Step &D,
                       DenseMap<Value *, Value *> &Done) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return V;
  if (Value *Is = Done.lookup(V))
    return Is;
  Value *Is = nullptr;
  if (std::optional<unsigned> Axis = axisOf(I)) {
    Is = B.CreateAdd(Coordinates[*Axis].front(), B.getInt32(D[*Axis]));
  } else {
    Instruction *C = I->clone();
    for (Use &U : C->operands())
      if (!isa<Function>(U.get()))
        U.set(clone(B, U.get(), D, Done));
    C->dropPoisonGeneratingFlags();
    C->dropUnknownNonDebugMetadata(
        {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
         LLVMContext::MD_tbaa, LLVMContext::MD_annotation});
    B.Insert(C);
    Is = C;
  }
  Done[V] = Is;
  return Is;
}

/// The launch has the thread that stands D further on.
Value *Gatherer::exists(IRBuilder<> &B, const Step &D) {
  Value *All = nullptr;
  for (unsigned Axis : {0, 1, 2})
    if (D[Axis]) {
      Value *There = B.CreateICmpULT(
          B.CreateAdd(Coordinates[Axis].front(), B.getInt32(D[Axis])),
          Threads[Axis]);
      All = All ? B.CreateAnd(All, There) : There;
    }
  return All ? All : Fits;
}

/// The thread that stands D further on makes the addition S.
Value *Gatherer::holds(IRBuilder<> &B, const Share &S, const Step &D,
                       DenseMap<Value *, Value *> &Done) {
  Value *All = exists(B, D);
  for (auto &[Asked, Answer] : S.If) {
    Value *Is = clone(B, Asked, D, Done);
    All = B.CreateAnd(All, Answer ? Is : B.CreateNot(Is));
  }
  return All;
}

/// Group, of additions to the place of Own, which a thread makes itself.
void Gatherer::gather(ArrayRef<Share *> Group, const Share &Own) {
  Type *T = Own.Number->getType();
  Value *Sum = ConstantFP::getNegativeZero(T), *Any = nullptr;
  const DebugLoc At = Own.Add->getDebugLoc();
  auto AtEnd = [&](IRBuilder<> &B) {
    B.SetInsertPoint(Root->getTerminator());
    B.SetCurrentDebugLocation(At);
  };
  for (const Share *S : Group) {
    IRBuilder<> B(F.getContext());
    AtEnd(B);
    Step Back;
    for (unsigned Axis : {0, 1, 2})
      Back[Axis] = -S->D[Axis];
    DenseMap<Value *, Value *> Done;
    Value *If = holds(B, *S, Back, Done);
    // What is read, behind the question.
    SmallSetVector<LoadInst *, 4> Loads;
    SmallVector<Value *, 8> Work{S->Number};
    while (!Work.empty()) {
      auto *J = dyn_cast<Instruction>(Work.pop_back_val());
      if (!J || axisOf(J))
        continue;
      if (auto *L = dyn_cast<LoadInst>(J))
        Loads.insert(L);
      else
        append_range(Work, J->operands());
    }
    for (LoadInst *L : Loads)
      clone(B, L->getPointerOperand(), Back, Done);
    if (!Loads.empty()) {
      Instruction *Then = SplitBlockAndInsertIfThen(
          If, Root->getTerminator()->getIterator(), /*Unreachable=*/false);
      BasicBlock *Asks = Root;
      Root = cast<BranchInst>(Then)->getSuccessor(0);
      IRBuilder<> Inside(Then);
      Inside.SetCurrentDebugLocation(At);
      for (LoadInst *L : Loads) {
        Value *Read = clone(Inside, L, Back, Done);
        PHINode *Phi =
            PHINode::Create(L->getType(), 2, "", Root->getFirstNonPHIIt());
        Phi->addIncoming(Constant::getNullValue(L->getType()), Asks);
        Phi->addIncoming(Read, Then->getParent());
        Done[L] = Phi;
      }
    }
    IRBuilder<> Behind(F.getContext());
    AtEnd(Behind);
    Value *Number = clone(Behind, S->Number, Back, Done);
    Number = Behind.CreateSelect(If, Number, ConstantFP::getNegativeZero(T));
    Sum = Behind.CreateFAdd(Sum, Number);
    if (auto *Add = dyn_cast<Instruction>(Sum))
      Add->setHasAllowReassoc(true);
    Any = Any ? Behind.CreateOr(Any, If) : If;
  }
  auto AddAt = [&](IRBuilder<> &B, Value *Place, const Share &S, Value *X) {
    if (S.Bytes)
      Place = B.CreateConstGEP1_64(B.getInt8Ty(), Place, S.Bytes);
    AtomicRMWInst *Add =
        B.CreateAtomicRMW(AtomicRMWInst::FAdd, Place, X,
                          MaybeAlign(DL.getABITypeAlign(X->getType())),
                          AtomicOrdering::Monotonic);
    Add->setAAMetadata(S.Add->getAAMetadata());
  };
  IRBuilder<> B(F.getContext());
  AtEnd(B);
  DenseMap<Value *, Value *> Done;
  Instruction *Then = SplitBlockAndInsertIfThen(
      Any, Root->getTerminator()->getIterator(), /*Unreachable=*/false);
  Root = cast<BranchInst>(Then)->getSuccessor(0);
  IRBuilder<> Inside(Then);
  Inside.SetCurrentDebugLocation(At);
  AddAt(Inside, clone(Inside, Own.Place, {}, Done), Own, Sum);

  // What nobody gathers, each thread adds itself: at the edges of the launch.
  AtEnd(B);
  Value *Near = nullptr;
  for (const bool Ahead : {false, true}) {
    Step Corner = {};
    for (const Share *S : Group)
      for (unsigned Axis : {0, 1, 2})
        Corner[Axis] = Ahead ? std::max(Corner[Axis], S->D[Axis])
                             : std::min(Corner[Axis], S->D[Axis]);
    Value *Beyond = B.CreateNot(exists(B, Corner));
    Near = Near ? B.CreateOr(Near, Beyond) : Beyond;
  }
  MDNode *Rarely = MDBuilder(F.getContext()).createUnlikelyBranchWeights();
  Instruction *Edge =
      SplitBlockAndInsertIfThen(Near, Root->getTerminator()->getIterator(),
                                /*Unreachable=*/false, Rarely);
  Root = cast<BranchInst>(Edge)->getSuccessor(0);
  for (const Share *S : Group) {
    IRBuilder<> B(Edge);
    B.SetCurrentDebugLocation(At);
    DenseMap<Value *, Value *> Done;
    Value *Alone =
        B.CreateAnd(B.CreateNot(exists(B, S->D)), holds(B, *S, {}, Done));
    Instruction *Adds = SplitBlockAndInsertIfThen(Alone, Edge->getIterator(),
                                                  /*Unreachable=*/false);
    IRBuilder<> In(Adds);
    In.SetCurrentDebugLocation(At);
    DenseMap<Value *, Value *> Here;
    Value *Number = clone(In, S->Number, {}, Here);
    AddAt(In, clone(In, S->Place, {}, Here), *S, Number);
  }
}

bool Gatherer::run() {
  findCoordinates();
  for (const auto &Of : Coordinates)
    if (!Of.empty() &&
        (!Root || DT.properlyDominates(Root, Of.front()->getParent())))
      Root = Of.front()->getParent();
  if (!Root || !allComeOnceTo(*Root))
    return false;
  // Of coordinates that one asks for several times, the first one is taken.
  for (unsigned Axis : {0, 1, 2})
    if (!Coordinates[Axis].empty() &&
        !DT.dominates(Coordinates[Axis].front(), Root->getTerminator()))
      return false;
  OfThread = Memory.following([&](ThreadIdentity Who) {
    return (Who.Asks == ThreadIdentity::ThreadIndex ||
            Who.Asks == ThreadIdentity::BlockIndex) &&
           !Coordinates[Who.Axis].empty();
  });
  for (Instruction &I : instructions(F))
    if (Memory.isAddition(I))
      take(I);
  // The largest group that one thread can gather; of those the nearest.
  SmallVector<Share *, 16> Group;
  const Share *Own = nullptr;
  int Far = 0;
  for (const Share &To : Shares) {
    const Steps Known = around(To);
    auto StepOf = [&](const Share &From) -> const Step * {
      auto It = Known.find(From.Where.Terms);
      return From.Base == To.Base &&
                     From.Number->getType() == To.Number->getType() &&
                     It != Known.end()
                 ? &It->second
                 : nullptr;
    };
    SmallVector<Share *, 16> Of;
    int Sum = 0;
    for (Share &From : Shares)
      // Calls that add several numbers are gathered as a whole.
      if (all_of(Shares, [&](const Share &Other) {
            return Other.Add != From.Add || StepOf(Other);
          })) {
        Of.push_back(&From);
        for (int D : *StepOf(From))
          Sum += std::abs(D);
      }
    if (Of.size() < Group.size() || (Of.size() == Group.size() && Sum >= Far))
      continue;
    Group = Of;
    Own = &To;
    Far = Sum;
    for (Share *S : Group)
      S->D = *StepOf(*S);
  }
  if (Group.size() < Fewest)
    return false;
  // Threads of the launch; none where coordinates may be too large.
  IRBuilder<> B(Root->getTerminator());
  for (unsigned Axis : {0, 1, 2}) {
    if (Coordinates[Axis].empty())
      continue;
    const Intrinsic::ID Size[] = {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                  Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                  Intrinsic::nvvm_read_ptx_sreg_ntid_z},
                        Blocks[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                    Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                    Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
    Threads[Axis] = B.CreateMul(
        B.CreateZExt(B.CreateIntrinsic(B.getInt32Ty(), Size[Axis], {}),
                     B.getInt64Ty()),
        B.CreateZExt(B.CreateIntrinsic(B.getInt32Ty(), Blocks[Axis], {}),
                     B.getInt64Ty()));
    Value *Few = B.CreateICmpULE(Threads[Axis], B.getInt64(uint64_t(1) << 31));
    Fits = Fits ? B.CreateAnd(Fits, Few) : Few;
  }
  for (Value *&Of : Threads)
    if (Of)
      Of = B.CreateSelect(Fits, B.CreateTrunc(Of, B.getInt32Ty()),
                          B.getInt32(0));
  gather(Group, *Own);
  SmallSetVector<Instruction *, 16> Done;
  for (Share *S : Group)
    Done.insert(S->Add);
  for (Instruction *I : Done)
    I->eraseFromParent();
  return true;
}

bool retrograd::gatherNeighbours(Function &F, FunctionAnalysisManager &FAM) {
  if (F.getCallingConv() != CallingConv::PTX_Kernel ||
      !Target(*F.getParent()).addsWithoutResult() || mayLeave(*F.getParent()))
    return false;
  foldKnownSpaces(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  FunctionPassManager Form;
  Form.addPass(SimplifyCFGPass());
  Form.run(F, FAM);
  FAM.invalidate(F, PreservedAnalyses::none());
  return Gatherer(F, FAM).run();
}
