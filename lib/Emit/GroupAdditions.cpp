//===- GroupAdditions.cpp - additions to the block's memory, together -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/GroupAdditions.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/ThreadIdentity.h"
#include "Emit/GatherTiles.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

namespace {

/// Bytes of an address beside a constant: a number, how it is made as wide as
/// an address (0 if it is), and the factor.
struct AddressPart {
  Value *V;
  unsigned Extension;
  int64_t Factor;
  bool operator==(const AddressPart &) const = default;
};

/// What additions of one group have in common.
struct Peers {
  StringRef Type; ///< as the runtime's names say it
  Value *Base;
  Value *Found = nullptr;              ///< by rg_peers, in shared memory
  SmallVector<AddressPart, 4> Varying; ///< in other memory
  bool operator==(const Peers &) const = default;
};

struct Addition {
  CallInst *Call;
  int64_t Offset;
  Value *Number;
};

struct Group {
  Peers Of;
  SmallVector<Addition, 8> Waiting;
  size_t Most; ///< additions that wait
};

} // namespace

static StringRef calleeName(const Instruction &I) {
  const auto *C = dyn_cast<CallInst>(&I);
  const Function *F = C ? C->getCalledFunction() : nullptr;
  return F ? F->getName() : "";
}

static constexpr StringLiteral SharedAddition = "rg_merge_shared_";
/// Of rg_peers: additions have come here from branches.
static constexpr StringLiteral JoinMark = "rg.join";

static bool isNumber(StringRef Name) { return Name == "f32" || Name == "f64"; }

static uint64_t sizeOf(StringRef Type) { return Type == "f32" ? 4 : 8; }

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Takes constants out of V, which is Factor times in an address that ends up
/// as Part and Offset.
static AddressPart takeConstants(Value *V, int64_t Factor, int64_t &Offset) {
  unsigned Extension = 0;
  for (;;) {
    Value *X;
    const APInt *C;
    const bool Whole = !Extension;
    if (Whole && match(V, m_SExt(m_Value(X))))
      V = X, Extension = Instruction::SExt;
    else if (Whole && match(V, m_ZExt(m_Value(X))))
      V = X, Extension = Instruction::ZExt;
    // Addresses wrap around; narrower numbers must not.
    else if ((Whole && match(V, m_Add(m_Value(X), m_APInt(C)))) ||
             (Extension == Instruction::SExt &&
              match(V, m_NSWAdd(m_Value(X), m_APInt(C)))) ||
             (Extension != Instruction::ZExt &&
              match(V, m_DisjointOr(m_Value(X), m_APInt(C))) &&
              !C->isNegative()))
      Offset += Factor * C->getSExtValue(), V = X;
    else if (Extension == Instruction::ZExt &&
             (match(V, m_NUWAdd(m_Value(X), m_APInt(C))) ||
              match(V, m_DisjointOr(m_Value(X), m_APInt(C)))))
      Offset += Factor * C->getZExtValue(), V = X;
    else
      return {V, Extension, Factor};
  }
}

/// What P's address is beside a constant; false if that is unknown.
static bool takeApart(Value *P, const DataLayout &DL, Peers &Of,
                      int64_t &Offset) {
  Offset = 0;
  for (;;) {
    if (auto *C = dyn_cast<AddrSpaceCastOperator>(P)) {
      P = C->getPointerOperand();
      continue;
    }
    auto *G = dyn_cast<GEPOperator>(P);
    if (!G)
      break;
    APInt Constant(DL.getIndexTypeSizeInBits(P->getType()), 0);
    SmallMapVector<Value *, APInt, 4> Parts;
    if (Constant.getBitWidth() > 64 ||
        !G->collectOffset(DL, Constant.getBitWidth(), Parts, Constant))
      return false;
    Offset += Constant.getSExtValue();
    for (auto &[V, Factor] : Parts)
      Of.Varying.push_back(takeConstants(V, Factor.getSExtValue(), Offset));
    P = G->getPointerOperand();
  }
  Of.Base = P;
  return true;
}

/// V may be another number in each lane, as far as one sees.
static bool maySayLane(Value *V) {
  constexpr unsigned Most = 64;
  SmallVector<Value *, 16> Work{V};
  SmallPtrSet<Value *, 32> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (I->mayReadFromMemory() || Seen.size() > Most)
      return true;
    if (auto *C = dyn_cast<CallBase>(I)) {
      std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C);
      if (Who ? *Who == ThreadIdentity{ThreadIdentity::ThreadIndex, 0}
              : !isa<IntrinsicInst>(C) ||
                    Intrinsic::isTargetIntrinsic(C->getIntrinsicID()))
        return true;
    }
    append_range(Work, I->operands());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Additions
//===----------------------------------------------------------------------===//

/// rg_merge_shared_f32(base, offset, x, peers) and its like.
static bool isSharedAddition(Instruction &I, Peers &Of, Addition &A) {
  StringRef Name = calleeName(I);
  if (!Name.consume_front(SharedAddition) || !isNumber(Name) || isSeldom(I))
    return false;
  auto *C = cast<CallInst>(&I);
  auto *Offset = dyn_cast<ConstantInt>(C->getArgOperand(1));
  if (!Offset)
    return false;
  Of.Type = Name;
  Of.Base = C->getArgOperand(0);
  Of.Found = C->getArgOperand(3);
  A = {C, Offset->getSExtValue(), C->getArgOperand(2)};
  return true;
}

/// rg_merge_f32(place, x) and its like.
static bool isAddition(Instruction &I, Peers &Of, Addition &A) {
  StringRef Name = calleeName(I);
  if (!Name.consume_front("rg_merge_") || !isNumber(Name))
    return false;
  auto *C = cast<CallInst>(&I);
  Of.Type = Name;
  A.Call = C;
  A.Number = C->getArgOperand(1);
  return takeApart(C->getArgOperand(0), I.getDataLayout(), Of, A.Offset);
}

/// Whether the additions of G may wait until I is over.
static bool letsWait(const Instruction &I, const Group &G, AAResults &AA) {
  if (!I.mayReadOrWriteMemory())
    return !isa<CallBase>(I) || !cast<CallBase>(I).isConvergent();
  StringRef Name = calleeName(I);
  if (Name == "rg_peers" || Name.starts_with("rg_merge_") ||
      Name.starts_with("rg_product_") || Name.starts_with("rg_accumulate_") ||
      Name.starts_with("rg_beside_") || Name.starts_with("rg_block_add_"))
    return true; // sums take no notice of their order
  const Value *P = getLoadStorePointerOperand(&I);
  if (!P || I.isAtomic() || I.isVolatile())
    return false;
  const Value *Of = getUnderlyingObject(P, /*MaxLookup=*/0),
              *Shadow = getUnderlyingObject(G.Of.Base, /*MaxLookup=*/0);
  if (Of != Shadow && isIdentifiedObject(Of) && isIdentifiedObject(Shadow))
    return true;
  // Shared memory of a block is one array as far as additions say it.
  return all_of(G.Waiting, [&](const Addition &A) {
    return AA.isNoAlias(
        MemoryLocation::get(&I),
        MemoryLocation(A.Call->getArgOperand(0),
                       G.Of.Found ? LocationSize::beforeOrAfterPointer()
                                  : LocationSize::precise(sizeOf(G.Of.Type)),
                       A.Call->getAAMetadata()));
  });
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static Constant *offsets(LLVMContext &Context, ArrayRef<int64_t> Of) {
  SmallVector<Constant *, 8> Offsets;
  for (int64_t Offset : Of)
    Offsets.push_back(
        ConstantInt::getSigned(Type::getInt32Ty(Context), Offset));
  return ConstantVector::get(Offsets);
}

/// Now, which are 32, 8 or 4, by one call in front of At.
static void emitTogether(const Peers &Of, ArrayRef<Addition> Now, CallInst *At,
                         RuntimeLibrary &Runtime) {
  IRBuilder<> B(At);
  Value *Numbers = PoisonValue::get(
      FixedVectorType::get(Now.front().Number->getType(), Now.size()));
  AAMDNodes Marks = At->getAAMetadata();
  SmallVector<int64_t, 32> Places;
  for (auto [I, A] : enumerate(Now)) {
    Numbers = B.CreateInsertElement(Numbers, A.Number, I);
    Marks = Marks.merge(A.Call->getAAMetadata());
    // Runs of eight have one offset.
    if (Now.size() < 32 || I % 8 == 0)
      Places.push_back(A.Offset);
  }
  CallInst *Together;
  if (Of.Found) {
    Together = B.CreateCall(
        Runtime.require(
            ("rg_merge_" + Of.Type + "x" + Twine(Now.size())).str()),
        {Of.Base, offsets(B.getContext(), Places), Numbers, Of.Found});
  } else {
    for (int64_t &Place : Places)
      Place -= Now.front().Offset;
    Function *Merge = Runtime.require(
        ("rg_merge_places_" + Of.Type + "x" + Twine(Now.size())).str());
    Together = B.CreateCall(Merge, {Now.front().Call->getArgOperand(0),
                                    offsets(B.getContext(), Places), Numbers});
  }
  Together->setAAMetadata(Marks);
}

/// Four runs of eight places side by side.
static bool areRuns(const Peers &Of, ArrayRef<Addition> Now) {
  for (size_t I = 0; I != Now.size(); ++I)
    if (I % 8 && Now[I].Offset != Now[I - 1].Offset + int64_t(sizeOf(Of.Type)))
      return false;
  return true;
}

static void emit(Group &G, RuntimeLibrary &Runtime) {
  if (G.Waiting.size() < 4)
    return;
  CallInst *Last = G.Waiting.back().Call;
  // Neighbours that are added at once are added faster.
  sort(G.Waiting, [](const Addition &A, const Addition &B) {
    return A.Offset < B.Offset;
  });
  ArrayRef<Addition> Rest = G.Waiting;
  SmallVector<CallInst *, 32> Done;
  for (unsigned Size : {32, 8, 4})
    while (Rest.size() >= Size) {
      ArrayRef<Addition> Now = Rest.take_front(Size);
      if (Size == 32 && !areRuns(G.Of, Now))
        break;
      emitTogether(G.Of, Now, Last, Runtime);
      Rest = Rest.drop_front(Size);
      for (const Addition &A : Now)
        Done.push_back(A.Call);
    }
  for (CallInst *C : Done)
    C->eraseFromParent();
}

/// A waits with others of its group, of which no two have one place.
static void wait(Group &G, Addition A) {
  auto Same = find_if(G.Waiting, [&](const Addition &Other) {
    return Other.Offset == A.Offset;
  });
  if (Same != G.Waiting.end()) {
    IRBuilder<> B(A.Call);
    A.Number = B.CreateFAdd(Same->Number, A.Number);
    A.Call->setArgOperand(G.Of.Found ? 2 : 1, A.Number);
    A.Call->setAAMetadata(
        A.Call->getAAMetadata().merge(Same->Call->getAAMetadata()));
    Same->Call->eraseFromParent();
    G.Waiting.erase(Same);
  }
  G.Waiting.push_back(A);
}

/// 32 additions at once pay where the warp has one place for each.
static bool oneForWarp(const Peers &Of) {
  auto *C = dyn_cast_or_null<CallInst>(Of.Found);
  return C && calleeName(*C) == "rg_peers" && !maySayLane(C->getArgOperand(0));
}

static void take(Instruction &I, SmallVectorImpl<Group> &Groups,
                 RuntimeLibrary &Runtime, AAResults &AA,
                 function_ref<bool(Instruction &, Peers &, Addition &)> Is) {
  Peers Of;
  Addition A;
  if (Is(I, Of, A)) {
    auto *G = find_if(Groups, [&](const Group &G) {
      return G.Of == Of && isInt<30>(A.Offset - G.Waiting.front().Offset);
    });
    if (G == Groups.end()) {
      Groups.push_back({Of, {}, oneForWarp(Of) ? 32u : 8u});
      G = &Groups.back();
    }
    wait(*G, A);
    if (G->Waiting.size() < G->Most)
      return;
    emit(*G, Runtime);
    Groups.erase(G);
    return;
  }
  erase_if(Groups, [&](Group &G) {
    if (letsWait(I, G, AA))
      return false;
    emit(G, Runtime);
    return true;
  });
}

/// The block that code goes on in behind an addition at the end of B which is
/// plain in the thread's own memory and atomic elsewhere; null if B ends
/// otherwise.
static BasicBlock *behindAddition(BasicBlock &B) {
  auto *Br = dyn_cast<BranchInst>(B.getTerminator());
  if (!Br || !Br->isConditional())
    return nullptr;
  auto *Asks = dyn_cast<IntrinsicInst>(Br->getCondition());
  if (!Asks || Asks->getIntrinsicID() != Intrinsic::nvvm_isspacep_local)
    return nullptr;
  BasicBlock *Plain = Br->getSuccessor(0), *Atomic = Br->getSuccessor(1),
             *Behind = Plain->getSingleSuccessor();
  if (!Behind || Atomic->getSingleSuccessor() != Behind ||
      Plain->getSinglePredecessor() != &B ||
      Atomic->getSinglePredecessor() != &B || !Behind->hasNPredecessors(2) ||
      isa<PHINode>(Behind->front()))
    return nullptr;
  for (Instruction &I : *Atomic) {
    auto *Add = dyn_cast<AtomicRMWInst>(&I);
    if (I.mayReadOrWriteMemory() &&
        (!Add || Add->getOperation() != AtomicRMWInst::FAdd ||
         !Add->use_empty()))
      return nullptr;
  }
  // *P += x
  for (Instruction &I : *Plain) {
    auto *S = dyn_cast<StoreInst>(&I);
    auto *L = dyn_cast<LoadInst>(&I);
    if (S) {
      auto *Sum = dyn_cast<Instruction>(S->getValueOperand());
      if (!Sum || Sum->getOpcode() != Instruction::FAdd || !S->isSimple() ||
          none_of(Sum->operands(), [&](Value *V) {
            auto *Old = dyn_cast<LoadInst>(V);
            return Old && Old->getParent() == Plain &&
                   Old->getPointerOperand() == S->getPointerOperand();
          }))
        return nullptr;
    } else if (I.mayReadOrWriteMemory() && !(L && L->isSimple())) {
      return nullptr;
    }
  }
  return Behind;
}

/// The block B and those that follow it behind nothing but additions. Who is
/// there may not be who was in B.
static SmallVector<BasicBlock *, 4> row(BasicBlock &B) {
  SmallVector<BasicBlock *, 4> Blocks{&B};
  while (BasicBlock *Next = behindAddition(*Blocks.back()))
    Blocks.push_back(Next);
  return Blocks;
}

/// How much more V is in the next lane, as far as one sees; divisions and
/// remainders may make a step in between.
class LaneSteps {
public:
  std::optional<int64_t> of(Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return 0;
    if (auto It = Known.find(I); It != Known.end())
      return It->second;
    Known[I] = std::nullopt;
    std::optional<int64_t> Step = ofInstruction(*I);
    return Known[I] = Step;
  }

private:
  std::optional<int64_t> ofInstruction(Instruction &I) {
    if (auto *C = dyn_cast<CallBase>(&I))
      if (std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C))
        return *Who == ThreadIdentity{ThreadIdentity::ThreadIndex, 0};
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      // The first that does not come around; the others must agree with it.
      for (Value *In : Phi->incoming_values())
        if (std::optional<int64_t> Step = of(In)) {
          Known[Phi] = Step;
          for (Value *Other : Phi->incoming_values())
            if (auto *O = dyn_cast<Instruction>(Other); O && !Known.lookup(O))
              Known.erase(O);
          return all_of(Phi->incoming_values(),
                        [&](Value *Other) { return of(Other) == Step; })
                     ? Step
                     : std::nullopt;
        }
      return std::nullopt;
    }
    if (!maySayLane(&I))
      return 0;
    Value *X, *Y;
    const APInt *C;
    if (match(&I, m_ZExtOrSExt(m_Value(X))) || match(&I, m_Trunc(m_Value(X))) ||
        match(&I, m_Freeze(m_Value(X))))
      return of(X);
    if (match(&I, m_URem(m_Value(X), m_Value())) ||
        match(&I, m_SRem(m_Value(X), m_Value())) ||
        match(&I, m_And(m_Value(X), m_LowBitMask())))
      return of(X);
    if (match(&I, m_IDiv(m_Value(), m_Value())) ||
        match(&I, m_Shr(m_Value(), m_Value())))
      return 0;
    if (match(&I, m_Mul(m_Value(X), m_APInt(C))) ||
        match(&I, m_Shl(m_Value(X), m_APInt(C)))) {
      auto Step = of(X);
      if (!Step || !C->isSignedIntN(32))
        return std::nullopt;
      if (I.getOpcode() == Instruction::Mul)
        return *Step * C->getSExtValue();
      return C->ult(32) ? std::optional(*Step << C->getZExtValue())
                        : std::nullopt;
    }
    if (match(&I, m_Add(m_Value(X), m_Value(Y))) ||
        match(&I, m_DisjointOr(m_Value(X), m_Value(Y)))) {
      auto A = of(X), B = of(Y);
      return A && B ? std::optional(*A + *B) : std::nullopt;
    }
    if (match(&I, m_Sub(m_Value(X), m_Value(Y)))) {
      auto A = of(X), B = of(Y);
      return A && B ? std::optional(*A - *B) : std::nullopt;
    }
    if (match(&I, m_Mul(m_Value(X), m_Value(Y))) && of(X) == 0 && of(Y) == 0)
      return 0;
    return std::nullopt;
  }

  DenseMap<Instruction *, std::optional<int64_t>> Known;
};

namespace {
/// An addition of its own at the end of a block: behindAddition.
struct LoneAddition {
  BasicBlock *Block;
  AtomicRMWInst *Add;
  int64_t Offset;
  unsigned Order; ///< in the program
};
} // namespace

static StringRef numberOf(const Type *T) {
  return T->isFloatTy() ? "f32" : T->isDoubleTy() ? "f64" : "";
}

/// Those of Now, whose places lie side by side, by one call where the last of
/// them in the program stands.
static void emitBeside(MutableArrayRef<LoneAddition> Now, StringRef Type,
                       RuntimeLibrary &Runtime) {
  BasicBlock *Last =
      llvm::max_element(Now, [](const LoneAddition &A, const LoneAddition &B) {
        return A.Order < B.Order;
      })->Block;
  IRBuilder<> B(Last->getTerminator());
  SmallVector<Value *, 5> Operands{Now.front().Add->getPointerOperand()};
  AAMDNodes Marks = Now.front().Add->getAAMetadata();
  for (const LoneAddition &A : Now) {
    Operands.push_back(A.Add->getValOperand());
    Marks = Marks.merge(A.Add->getAAMetadata());
  }
  B.CreateCall(
       Runtime.require(("rg_beside_" + Type + "x" + Twine(Now.size())).str()),
       Operands)
      ->setAAMetadata(Marks);
  for (const LoneAddition &A : Now) {
    auto *Br = cast<BranchInst>(A.Block->getTerminator());
    BasicBlock *Sides[] = {Br->getSuccessor(0), Br->getSuccessor(1)};
    BasicBlock *Behind = Sides[0]->getSingleSuccessor();
    auto *Asks = cast<Instruction>(Br->getCondition());
    IRBuilder<>(Br).CreateBr(Behind);
    Br->eraseFromParent();
    if (Asks->use_empty())
      Asks->eraseFromParent();
    for (BasicBlock *Side : Sides)
      DeleteDeadBlock(Side);
  }
}

void retrograd::neighbourLanes(Function &D, RuntimeLibrary &Runtime,
                               AAResults &AA) {
  struct Row {
    Peers Of;
    SmallVector<LoneAddition, 4> Waiting;
  };
  SmallPtrSet<BasicBlock *, 16> Within;
  for (BasicBlock &B : D)
    if (BasicBlock *Next = behindAddition(B))
      Within.insert(Next);
  LaneSteps Steps;
  unsigned Order = 0;
  SmallVector<Row, 4> Done;
  for (BasicBlock &First : D) {
    if (Within.contains(&First))
      continue;
    SmallVector<Row, 2> Open;
    for (BasicBlock *B : row(First)) {
      for (Instruction &I : *B)
        erase_if(Open, [&](Row &R) {
          if (!I.mayReadOrWriteMemory()
                  ? !isa<CallBase>(I) || !cast<CallBase>(I).isConvergent()
                  : calleeName(I).starts_with("rg_merge_"))
            return false;
          if (getLoadStorePointerOperand(&I) && !I.isAtomic() &&
              !I.isVolatile() && all_of(R.Waiting, [&](const LoneAddition &A) {
                return AA.isNoAlias(MemoryLocation::get(&I),
                                    MemoryLocation::get(A.Add));
              }))
            return false;
          Done.push_back(std::move(R));
          return true;
        });
      if (!behindAddition(*B))
        continue;
      BasicBlock *Atomic = B->getTerminator()->getSuccessor(1);
      AtomicRMWInst *Add = nullptr;
      unsigned Adds = 0;
      for (Instruction &I : *Atomic)
        if (auto *A = dyn_cast<AtomicRMWInst>(&I))
          Add = A, ++Adds;
      LoneAddition A{B, Add, 0, Order++};
      Row New;
      if (Adds != 1 || numberOf(Add->getType()).empty())
        continue;
      // What stands there must be known in front of the branch, too.
      auto *Place = dyn_cast<Instruction>(Add->getPointerOperand()),
           *Number = dyn_cast<Instruction>(Add->getValOperand());
      if ((Place && Place->getParent() == Atomic) ||
          (Number && Number->getParent() == Atomic) ||
          !takeApart(Add->getPointerOperand(), D.getDataLayout(), New.Of,
                     A.Offset))
        continue;
      New.Of.Type = numberOf(Add->getType());
      std::optional<int64_t> Step = Steps.of(New.Of.Base);
      for (const AddressPart &P : New.Of.Varying) {
        auto Of = Steps.of(P.V);
        Step =
            Step && Of ? std::optional(*Step + P.Factor * *Of) : std::nullopt;
      }
      if (Step != int64_t(sizeOf(New.Of.Type)))
        continue;
      auto R = find_if(Open, [&](const Row &R) { return R.Of == New.Of; });
      if (R == Open.end()) {
        Open.push_back(std::move(New));
        R = std::prev(Open.end());
      }
      R->Waiting.push_back(A);
    }
    append_range(Done, std::move(Open));
  }
  for (Row &R : Done) {
    const int64_t Size = sizeOf(R.Of.Type);
    stable_sort(R.Waiting, [](const LoneAddition &A, const LoneAddition &B) {
      return A.Offset < B.Offset;
    });
    for (MutableArrayRef<LoneAddition> Rest = R.Waiting; !Rest.empty();) {
      size_t N = 1;
      while (N < Rest.size() && N < 4 &&
             Rest[N].Offset == Rest[N - 1].Offset + Size)
        ++N;
      if (N > 1)
        emitBeside(Rest.take_front(N), R.Of.Type, Runtime);
      Rest = Rest.drop_front(N);
    }
  }
  // What the branches cut is one block again, for the steps behind.
  for (BasicBlock &B : make_early_inc_range(D))
    if (!Done.empty())
      MergeBlockIntoPredecessor(&B);
}

static void group(ArrayRef<BasicBlock *> Blocks, RuntimeLibrary &Runtime,
                  AAResults &AA,
                  function_ref<bool(Instruction &, Peers &, Addition &)> Is) {
  SmallVector<Group, 2> Groups;
  for (BasicBlock *B : Blocks)
    for (Instruction &I : make_early_inc_range(*B))
      take(I, Groups, Runtime, AA, Is);
  for (Group &G : Groups)
    emit(G, Runtime);
}

//===----------------------------------------------------------------------===//
// Additions behind branches
//===----------------------------------------------------------------------===//

/// The same number, computed anew where it is asked for.
static bool isSame(const Value *V, const Value *W, unsigned Depth = 0) {
  constexpr unsigned Most = 6;
  if (V == W)
    return true;
  // What is the same on all ways to a join.
  if (const auto *Phi = dyn_cast<PHINode>(W); Phi && Depth != Most)
    return all_of(Phi->incoming_values(),
                  [&](const Value *In) { return isSame(V, In, Depth + 1); });
  if (isa<PHINode>(V) && Depth != Most)
    return isSame(W, V, Depth);
  const auto *I = dyn_cast<Instruction>(V), *K = dyn_cast<Instruction>(W);
  return I && K && Depth != Most && !I->mayReadOrWriteMemory() &&
         I->isSameOperationAs(K) &&
         all_of(zip(I->operands(), K->operands()), [&](auto Pair) {
           return isSame(std::get<0>(Pair), std::get<1>(Pair), Depth + 1);
         });
}

namespace {

/// Brings additions of a branch to where its sides meet.
class AtJoins {
public:
  AtJoins(Function &D, AAResults &AA) : D(D), AA(AA), DT(D), PDT(D), LI(DT) {}
  void run();

private:
  bool canWait(const Addition &A, const Peers &Of, CallInst &At) const;
  CallInst *findJoin(const Addition &A, const Peers &Of) const;

  Function &D;
  AAResults &AA;
  DominatorTree DT;
  PostDominatorTree PDT;
  LoopInfo LI;
  SmallVector<CallInst *, 16> All;
};

} // namespace

/// Whether A may wait from its place to At, which is reached from there in the
/// same iteration, whatever way is taken.
bool AtJoins::canWait(const Addition &A, const Peers &Of, CallInst &At) const {
  BasicBlock *From = A.Call->getParent(), *To = At.getParent();
  const Loop *L = LI.getLoopFor(From);
  Group G{Of, {A}, 1};
  auto LetWait = [&](BasicBlock::iterator First, BasicBlock::iterator Last) {
    return all_of(make_range(First, Last),
                  [&](const Instruction &I) { return letsWait(I, G, AA); });
  };
  SmallPtrSet<BasicBlock *, 8> Between;
  SmallVector<BasicBlock *, 8> Work(successors(From));
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (B == To || !Between.insert(B).second)
      continue;
    if (B == From || (L && B == L->getHeader()) ||
        !LetWait(B->begin(), B->end()))
      return false;
    append_range(Work, successors(B));
  }
  return LetWait(std::next(A.Call->getIterator()), From->end()) &&
         LetWait(To->begin(), At.getIterator());
}

/// The last addition to the same places that A may go along with.
CallInst *AtJoins::findJoin(const Addition &A, const Peers &Of) const {
  auto *Asks = dyn_cast<CallInst>(Of.Found);
  const BasicBlock *From = A.Call->getParent();
  CallInst *Found = nullptr;
  for (CallInst *C : All) {
    BasicBlock *To = C->getParent();
    auto *There = dyn_cast<CallInst>(C->getArgOperand(3));
    const Loop *L = LI.getLoopFor(To);
    if (To == From || (L && To == L->getHeader()) || !Asks || !There ||
        There->getParent() != To || calleeName(*Asks) != "rg_peers" ||
        calleeName(*There) != "rg_peers" ||
        C->getCalledFunction() != A.Call->getCalledFunction() ||
        L != LI.getLoopFor(From) || !PDT.dominates(To, From) ||
        (Found && !PDT.properlyDominates(To, Found->getParent())) ||
        !isSame(Asks->getArgOperand(0), There->getArgOperand(0)) ||
        !isSame(Of.Base, C->getArgOperand(0)) || !canWait(A, Of, *C))
      continue;
    Found = C;
  }
  return Found;
}

void AtJoins::run() {
  for (Instruction &I : instructions(D))
    if (calleeName(I).starts_with(SharedAddition))
      All.push_back(cast<CallInst>(&I));
  for (CallInst *C : All) {
    Peers Of;
    Addition A;
    CallInst *Join = isSharedAddition(*C, Of, A) ? findJoin(A, Of) : nullptr;
    if (!Join)
      continue;
    BasicBlock *From = C->getParent(), *To = Join->getParent();
    BasicBlock *Both = DT.findNearestCommonDominator(From, To);
    Value *Number = A.Number;
    if (Both != From) {
      // Who went another way adds nothing.
      SSAUpdater SSA;
      SSA.Initialize(Number->getType(), "rg.late");
      SSA.AddAvailableValue(Both, ConstantFP::getZero(Number->getType()));
      SSA.AddAvailableValue(From, Number);
      Number = SSA.GetValueInMiddleOfBlock(To);
    }
    C->setArgOperand(0, Join->getArgOperand(0));
    C->setArgOperand(2, Number);
    C->setArgOperand(3, Join->getArgOperand(3));
    C->moveBefore(Join->getIterator());
    cast<CallInst>(Join->getArgOperand(3))->addAnnotationMetadata(JoinMark);
    if (auto *Asks = cast<CallInst>(Of.Found); Asks->use_empty())
      Asks->eraseFromParent();
  }
}

void retrograd::joinAdditions(Function &D, AAResults &AA) {
  AtJoins(D, AA).run();
}

static bool isJoin(const Instruction &I) {
  const MDNode *Marks = I.getMetadata(LLVMContext::MD_annotation);
  return Marks && calleeName(I) == "rg_peers" &&
         any_of(Marks->operands(), [](const MDOperand &M) {
           const auto *S = dyn_cast<MDString>(M.get());
           return S && S->getString() == JoinMark;
         });
}

/// All additions of Asks, which says who is there, behind the question whether
/// some lane has anything to add at all: of the sides of the branches in front
/// of it the one that all lanes took may have been one without any.
static void skipIdle(CallInst &Asks, RuntimeLibrary &Runtime, AAResults &AA) {
  BasicBlock *B = Asks.getParent();
  SmallVector<CallInst *, 8> Adds;
  for (User *U : Asks.users()) {
    auto *C = dyn_cast<CallInst>(U);
    if (!C || C->getParent() != B || C->arg_size() != 4 ||
        C->getArgOperand(3) != &Asks)
      return;
    Adds.push_back(C);
  }
  sort(Adds, [](CallInst *C, CallInst *D) { return C->comesBefore(D); });
  if (Adds.empty())
    return;
  CallInst *Last = Adds.back();
  for (CallInst *C : Adds) {
    Group G{{{}, C->getArgOperand(0), &Asks, {}}, {{C, 0, nullptr}}, 1};
    if (any_of(make_range(C->getIterator(), Last->getIterator()),
               [&](Instruction &I) { return &I != C && !letsWait(I, G, AA); }))
      return;
  }
  IRBuilder<> Builder(Last);
  Value *Any = nullptr;
  for (CallInst *C : Adds) {
    Value *X = C->getArgOperand(2);
    Type *T = X->getType();
    Type *Bits = T->getWithNewType(Builder.getIntNTy(T->getScalarSizeInBits()));
    X = Builder.CreateShl(Builder.CreateBitCast(X, Bits), 1); // but the sign
    if (Bits->isVectorTy())
      X = Builder.CreateOrReduce(X);
    X = Builder.CreateIsNotNull(X);
    Any = Any ? Builder.CreateOr(Any, X) : X;
  }
  Any = Builder.CreateCall(Runtime.require("rg_some_lane"), {Any});
  Instruction *Then = SplitBlockAndInsertIfThen(Any, Last->getIterator(),
                                                /*Unreachable=*/false);
  Asks.moveBefore(Then->getIterator());
  for (CallInst *C : Adds)
    C->moveBefore(Then->getIterator());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// An addition, and what a loop leaves as it is of the product that is added.
struct Product {
  Addition Of;
  Value *Staying;
};

/// Products with Factor.
struct ProductGroup {
  Group G;
  Value *Factor;
  SmallVector<Product, 32> Parts;
};

class WarpProducts {
public:
  WarpProducts(Function &D, RuntimeLibrary &Runtime, AAResults &AA)
      : D(D), Runtime(Runtime), AA(AA), DT(D), LI(DT) {}
  bool run();

private:
  void takeProduct(const Peers &Of, const Addition &A);
  void emit(ProductGroup &P);
  void joinPairs(BasicBlock &B);
  Value *turned(ArrayRef<Value *> Staying, Loop &L);

  Function &D;
  RuntimeLibrary &Runtime;
  AAResults &AA;
  DominatorTree DT;
  LoopInfo LI;
  SmallVector<ProductGroup, 2> Groups;
  struct Turned {
    Loop *L;
    SmallVector<Value *, 32> Staying;
    Value *Rows;
  };
  SmallVector<Turned, 2> Known;
  DenseMap<Loop *, Value *> Whole; ///< what rg_whole_warp says in front of it
  bool Changed = false;
};

} // namespace

/// Lanes of a warp, and so places that they add to at once.
static constexpr size_t Lanes = 32;

void WarpProducts::takeProduct(const Peers &Of, const Addition &A) {
  const Loop *L = LI.getLoopFor(A.Call->getParent());
  Value *Staying, *Factor;
  if (!L || Of.Type != "f32" ||
      !match(A.Number, m_FMul(m_Value(Staying), m_Value(Factor))))
    return;
  if (!L->isLoopInvariant(Staying))
    std::swap(Staying, Factor);
  if (!L->isLoopInvariant(Staying) || L->isLoopInvariant(Factor) ||
      isa<Constant>(Staying))
    return;
  auto *P = find_if(Groups, [&](const ProductGroup &P) {
    return P.G.Of == Of && P.Factor == Factor &&
           isInt<30>(A.Offset - P.G.Waiting.front().Offset);
  });
  if (P == Groups.end()) {
    Groups.push_back({{Of, {}, Lanes}, Factor, {}});
    P = std::prev(Groups.end());
  }
  if (any_of(P->G.Waiting,
             [&](const Addition &Other) { return Other.Offset == A.Offset; }))
    return;
  P->G.Waiting.push_back(A);
  P->Parts.push_back({A, Staying});
  if (P->G.Waiting.size() < Lanes)
    return;
  emit(*P);
  Groups.erase(P);
}

/// Of Staying, which each lane has, row i in lane i, in front of L. Null if the
/// registers for that are too many.
Value *WarpProducts::turned(ArrayRef<Value *> Staying, Loop &L) {
  constexpr size_t Most = 2;
  for (const Turned &T : Known)
    if (T.L == &L && ArrayRef(T.Staying) == Staying)
      return T.Rows;
  if (Known.size() == Most)
    return nullptr;
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  Value *&Here = Whole[&L];
  if (!Here)
    Here = B.CreateCall(Runtime.require("rg_whole_warp"));
  Value *Numbers =
      PoisonValue::get(FixedVectorType::get(B.getFloatTy(), Lanes));
  for (auto [I, V] : enumerate(Staying))
    Numbers = B.CreateInsertElement(Numbers, V, I);
  Value *Rows =
      B.CreateCall(Runtime.require("rg_turned_f32x32"), {Numbers, Here});
  Known.push_back({&L, SmallVector<Value *, 32>(Staying), Rows});
  return Rows;
}

void WarpProducts::emit(ProductGroup &P) {
  CallInst *Last = P.G.Waiting.back().Call;
  sort(P.Parts, [](const Product &A, const Product &B) {
    return A.Of.Offset < B.Of.Offset;
  });
  SmallVector<Addition, 32> Now;
  SmallVector<Value *, 32> Staying;
  for (const Product &Part : P.Parts) {
    Now.push_back(Part.Of);
    Staying.push_back(Part.Staying);
  }
  Loop *Outer = nullptr;
  for (Loop *L = LI.getLoopFor(Last->getParent());
       L && all_of(Staying, [&](Value *V) { return L->isLoopInvariant(V); });
       L = L->getParentLoop())
    if (L->getLoopPreheader())
      Outer = L;
  if (!Outer || !areRuns(P.G.Of, Now))
    return;
  Value *Rows = turned(Staying, *Outer);
  if (!Rows)
    return;
  IRBuilder<> B(Last);
  auto *Asks = cast_or_null<CallInst>(P.G.Of.Found);
  const int64_t First = Asks ? 0 : Now.front().Offset;
  Value *Numbers =
      PoisonValue::get(FixedVectorType::get(B.getFloatTy(), Lanes));
  SmallVector<int64_t, 4> Runs;
  AAMDNodes Marks = Last->getAAMetadata();
  for (auto [I, A] : enumerate(Now)) {
    Numbers = B.CreateInsertElement(Numbers, A.Number, I);
    Marks = Marks.merge(A.Call->getAAMetadata());
    if (I % 8 == 0)
      Runs.push_back(A.Offset - First);
  }
  SmallVector<Value *, 7> Operands{Asks ? P.G.Of.Base
                                        : Now.front().Call->getArgOperand(0),
                                   offsets(B.getContext(), Runs),
                                   Numbers,
                                   Rows,
                                   P.Factor,
                                   Whole.lookup(Outer)};
  if (Asks)
    Operands.push_back(Asks->getArgOperand(0));
  B.CreateCall(Runtime.require(Asks ? "rg_product_shared_f32x32"
                                    : "rg_product_places_f32x32"),
               Operands)
      ->setAAMetadata(Marks);
  for (const Addition &A : Now)
    A.Call->eraseFromParent();
  if (Asks && Asks->use_empty())
    Asks->eraseFromParent();
  Changed = true;
}

/// Of two products of B behind each other that ask for the same lanes and add
/// to shared memory, the first one waits for the second, if it may.
void WarpProducts::joinPairs(BasicBlock &B) {
  constexpr unsigned Key = 6; // its operand
  CallInst *First = nullptr;
  for (Instruction &I : make_early_inc_range(B)) {
    if (calleeName(I) != "rg_product_shared_f32x32") {
      if (First) {
        Group G{{"f32", First->getArgOperand(0), First, {}},
                {{First, 0, nullptr}},
                1};
        if (!letsWait(I, G, AA))
          First = nullptr;
      }
      continue;
    }
    auto *Second = cast<CallInst>(&I);
    if (!First || First->getArgOperand(Key) != Second->getArgOperand(Key)) {
      First = Second;
      continue;
    }
    SmallVector<Value *, 13> Operands(First->args());
    append_range(Operands, drop_end(Second->args()));
    IRBuilder<> Builder(Second);
    Builder.CreateCall(Runtime.require("rg_products_shared_f32x32"), Operands)
        ->setAAMetadata(First->getAAMetadata().merge(Second->getAAMetadata()));
    First->eraseFromParent();
    Second->eraseFromParent();
    First = nullptr;
  }
}

bool WarpProducts::run() {
  SmallPtrSet<BasicBlock *, 16> Within;
  for (BasicBlock &B : D)
    if (BasicBlock *Next = behindAddition(B))
      Within.insert(Next);
  for (BasicBlock &First : D) {
    if (Within.contains(&First))
      continue;
    Groups.clear();
    for (BasicBlock *B : row(First))
      for (Instruction &I : make_early_inc_range(*B)) {
        Peers Of;
        Addition A;
        if (isSharedAddition(I, Of, A)
                ? oneForWarp(Of) && !isJoin(*cast<CallInst>(Of.Found))
                : isAddition(I, Of, A))
          takeProduct(Of, A);
        else
          erase_if(Groups, [&](const ProductGroup &P) {
            return !letsWait(I, P.G, AA);
          });
      }
  }
  if (Changed)
    for (BasicBlock &B : D)
      joinPairs(B);
  return Changed;
}

bool retrograd::warpProducts(Function &D, RuntimeLibrary &Runtime,
                             AAResults &AA) {
  return WarpProducts(D, Runtime, AA).run();
}

static SmallVector<CallInst *, 16> sharedAdditions(Function &D) {
  SmallVector<CallInst *, 16> Calls;
  for (Instruction &I : instructions(D))
    if (calleeName(I).starts_with(SharedAddition) && !isSeldom(I))
      Calls.push_back(cast<CallInst>(&I));
  return Calls;
}

void retrograd::groupAdditions(Function &D, RuntimeLibrary &Runtime,
                               AAResults &AA) {
  // Code of more than that would outgrow the cache of instructions.
  constexpr size_t MostInlined = 100;
  const bool AreFew = sharedAdditions(D).size() <= MostInlined;
  for (BasicBlock &B : D)
    group(&B, Runtime, AA, isSharedAddition);
  SmallVector<CallInst *, 4> Joins;
  for (Instruction &I : instructions(D))
    if (isJoin(I))
      Joins.push_back(cast<CallInst>(&I));
  for (CallInst *Asks : Joins)
    skipIdle(*Asks, Runtime, AA);
  if (AreFew)
    for (CallInst *C : sharedAdditions(D))
      C->setCalledFunction(Runtime.require(
          ("rg_merge_here_" + calleeName(*C).drop_front(SharedAddition.size()))
              .str()));
}

void retrograd::mergePlaces(Function &D, RuntimeLibrary &Runtime,
                            AAResults &AA) {
  SmallPtrSet<BasicBlock *, 16> Within;
  for (BasicBlock &B : D)
    if (BasicBlock *Next = behindAddition(B))
      Within.insert(Next);
  for (BasicBlock &B : D)
    if (!Within.contains(&B))
      group(row(B), Runtime, AA, isAddition);
}

void retrograd::mergeInLine(Function &D, RuntimeLibrary &Runtime) {
  // Each is some fifty instructions.
  constexpr size_t MostInLine = 12;
  SmallVector<CallInst *, 16> Calls;
  for (Instruction &I : instructions(D)) {
    StringRef Name = calleeName(I);
    if (Name.consume_front("rg_merge_") &&
        (Name.consume_front("places_") || isNumber(Name)) && !isSeldom(I))
      Calls.push_back(cast<CallInst>(&I));
  }
  if (Calls.size() > MostInLine)
    return;
  for (CallInst *C : Calls) {
    StringRef Name = calleeName(*C);
    Name.consume_front("rg_merge_");
    Name.consume_front("places_");
    C->setCalledFunction(Runtime.require(("rg_merge_whole_" + Name).str()));
  }
}
