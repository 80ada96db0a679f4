//===- ReverseEmitter.cpp - the reverse sweep -----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adjoints, and the walk over blocks. ReverseValues.cpp finds values of the
// primal.
//
//===----------------------------------------------------------------------===//

#include "Emit/ReverseEmitter.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Emit/FormulaEmitter.h"
#include "Emit/IdleLoops.h"
#include "Emit/LaunchCondition.h"
#include "Emit/LoopsInStep.h"
#include "Emit/NanWatch.h"
#include "Emit/Shortcuts.h"
#include "Emit/StrictFloat.h"
#include "Support/ReachMarks.h"
#include "Support/ShareMarks.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

ReverseEmitter::ReverseEmitter(const DerivativePlan &Plan,
                               PrimalEmitter &Primal, Function &D,
                               EmitServices &Services)
    : Plan(Plan), Primal(Primal), D(D), Services(Services),
      Machine(*D.getParent()), B(D.getContext()), Results(Plan, Primal, D, B) {
  Adjoints.resize(width());
  CommonFlags.setFast();
  bool Any = false;
  for (Instruction &I : instructions(Plan.primal()))
    if (isa<FPMathOperator>(I) &&
        (I.isBinaryOp() || I.isUnaryOp() || isa<CallBase>(I))) {
      CommonFlags &= I.getFastMathFlags();
      Any = true;
    }
  if (!Any)
    CommonFlags.clear();
  Reorders = Plan.options().ReorderSums && !Machine.manyThreads();
  MarksShares = Plan.options().ZerosOnDevice && Machine.manyThreads();
  Contracts = Plan.options().Contract && contracts(Plan.primal());
  beginStrict(B, Plan.primal());
  CommonFlags.setAllowContract(CommonFlags.allowContract() || Contracts);
}

void ReverseEmitter::forLanes(function_ref<void()> Body) {
  for (Lane = 0; Lane != width(); ++Lane)
    Body();
  Lane = 0;
}

void ReverseEmitter::run() {
  if (Plan.isSplit()) {
    Arena = D.getArg(0);
    Frame = D.getArg(1);
    unsigned Next = 2;
    if (Plan.request().UserBytes)
      for (const Argument &A : Plan.primal().args())
        if (ArgActivity Of = Plan.request().Args[A.getArgNo()];
            Of == ArgActivity::Dup || Of == ArgActivity::DupNoNeed)
          for (unsigned I = 0; I != width(); ++I)
            GivenShadows[&A].push_back(D.getArg(Next++));
    for (const Argument &A : Plan.primal().args())
      if (Plan.request().takesAgain(A)) {
        GivenPrimals[&A] = D.getArg(Next++);
        if (Plan.request().Args[A.getArgNo()] == ArgActivity::Dup)
          for (unsigned I = 0; I != width(); ++I)
            GivenShadows[&A].push_back(D.getArg(Next++));
      }
    for (; Next < D.arg_size(); ++Next)
      Seeds.push_back(D.getArg(Next));
    BasicBlock::Create(D.getContext(), "entry", &D);
  } else {
    Arena = Primal.arena();
    if (Plan.request().ActiveReturn)
      for (unsigned I = width(); I; --I)
        Seeds.push_back(D.getArg(D.arg_size() - I));
    checkSeeds();
  }
  ReturnInst *Return = Primal.returned();
  if (!Return) {
    // The primal never returns; neither does its derivative.
    if (Plan.isSplit()) {
      B.SetInsertPoint(&D.getEntryBlock());
      B.CreateUnreachable();
    }
    return;
  }

  const Function &F = Plan.primal();
  const BasicBlock *Last = nullptr;
  for (const BasicBlock &Block : F)
    if (Plan.isReversed(&Block)) {
      Reversed[&Block] =
          BasicBlock::Create(D.getContext(), "rev." + Block.getName(), &D);
      if (isa<ReturnInst>(Block.getTerminator()))
        Last = &Block;
    }
  for (Loop *L : Plan.shape().loops().getLoopsInPreorder()) {
    if (!Plan.isReversed(L->getHeader()))
      continue;
    Counters[L] = entryAlloca(D, B.getInt64Ty(), "rg.iter.rev");
    if (Plan.carriesResults(L))
      Upward[L] = entryAlloca(D, B.getInt64Ty(), "rg.iter.up");
    if (runsInStep(*L, Plan)) {
      InStep &S = Steps[L];
      SmallVector<BasicBlock *, 4> Exits;
      L->getUniqueExitBlocks(Exits);
      for (const BasicBlock *Exit : Exits)
        if (Plan.isReversed(Exit))
          for (const BasicBlock *Door : Plan.reversedBehind(Exit))
            if (L->contains(Door) && !is_contained(S.Doors, Door))
              S.Doors.push_back(Door);
      S.Last = entryAlloca(D, B.getInt64Ty(), "rg.iter.last");
      S.Door = entryAlloca(D, B.getInt32Ty(), "rg.door");
      S.Lanes = entryAlloca(D, B.getInt32Ty(), "rg.lanes");
      auto Block = [&](const Twine &Name) {
        return BasicBlock::Create(D.getContext(),
                                  Name + L->getHeader()->getName(), &D);
      };
      S.Begin = Block("rev.begin.");
      S.Turn = Block("rev.turn.");
      S.Next = Block("rev.next.");
      beginStepSums(*L, S);
    }
    if (const Scope &S = Plan.scope(L);
        !S.Slots.empty() && !S.IsArray && !Plan.isDeferred(L))
      Records[L] = entryAlloca(D, B.getPtrTy(), "rg.record.rev");
  }

  // From the return of the primal sweep into the reverse sweep.
  if (Plan.isSplit()) {
    B.SetInsertPoint(&D.getEntryBlock());
  } else {
    B.SetInsertPoint(Return);
    if (Plan.request().ReturnPrimal && Return->getReturnValue() &&
        !Plan.returnsLate()) {
      PrimalResult =
          entryAlloca(D, Return->getReturnValue()->getType(), "primal.result");
      B.CreateStore(Return->getReturnValue(), PrimalResult);
    }
  }
  B.CreateBr(Reversed[Last]);
  if (!Plan.isSplit())
    Return->eraseFromParent();

  for (const Loop *L : Plan.deferredLoops())
    Runs[L->getLoopLatch()] = BasicBlock::Create(
        D.getContext(), "rg.run." + L->getHeader()->getName(), &D);
  for (const BasicBlock &Block : F)
    if (Plan.isReversed(&Block))
      emitBlock(Block);
  for (auto &[L, Unused] : Steps)
    emitStep(*L);
  finish();
  for (const Loop *L : Plan.deferredLoops())
    moveHere(*L);
  bringOverStack();
}

void ReverseEmitter::setLine(const Instruction &I) {
  // The split sweep has no debug scope of its own.
  if (Plan.isSplit())
    return;
  DebugLoc Line;
  if (auto *C = dyn_cast_or_null<Instruction>(Primal.primal(&I)))
    Line = C->getDebugLoc();
  if (!Line)
    if (DISubprogram *SP = D.getSubprogram())
      Line = DILocation::get(D.getContext(), 0, 0, SP);
  B.SetCurrentDebugLocation(Line);
}

//===----------------------------------------------------------------------===//
// Adjoints
//===----------------------------------------------------------------------===//

AllocaInst *ReverseEmitter::adjoint(const Value *V) {
  AllocaInst *&A = Adjoints[Lane][V];
  if (!A) {
    A = entryAlloca(D, V->getType(), V->getName() + ".adj");
    IRBuilder<> At(A->getNextNode());
    At.CreateStore(adjointZero(V->getType()), A);
  }
  return A;
}

Value *ReverseEmitter::owned() {
  return Owned = Owned ? Owned : holds(*Plan.ownership(), "owned");
}

/// Whoever launches it so that seeds cannot stay as they are is told.
void ReverseEmitter::checkSeeds() {
  if (Plan.seedConditions().empty())
    return;
  auto ValueOf = [&](const Argument &A) -> Value * {
    unsigned Before = 0;
    for (unsigned I = 0; I != A.getArgNo(); ++I) {
      const ArgActivity Of = Plan.request().Args[I];
      const bool HasShadow =
          Of == ArgActivity::Dup || Of == ArgActivity::DupNoNeed;
      Before += 1 + (HasShadow ? width() : 0);
    }
    return D.getArg(Before);
  };
  Value *Hold = emitConditions(Plan.seedConditions(), D, runtime("rg_extent"),
                               ValueOf, "seeds.apart");
  IRBuilder<> At(D.getContext());
  if (auto *I = dyn_cast<Instruction>(Hold))
    At.SetInsertPoint(I->getNextNode());
  else
    At.SetInsertPoint(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    At.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  At.CreateCall(runtime("rg_seeds_apart"),
                {Hold, At.CreateGlobalString(userName(Plan.primal().getName()),
                                             "rg.name", 0, D.getParent())});
}

Value *ReverseEmitter::reach(const LoadInst &L) {
  const std::optional<unsigned> Group = reachOf(L);
  assert(Group && "tells where it reads");
  Value *&Of = Reaches[*Group];
  if (!Of) {
    IRBuilder<> At(&D.getEntryBlock(), D.getEntryBlock().begin());
    Of = At.CreateCall(runtime("rg_reach_of"), {At.getInt32(*Group)}, "reach");
  }
  return Of;
}

Value *ReverseEmitter::atomicsOwned() {
  return AtomicsOwned = AtomicsOwned
                            ? AtomicsOwned
                            : holds(Plan.ownershipOfAtomics(), "owned.atomics");
}

Value *ReverseEmitter::holds(const ThreadOwnership::Condition &C,
                             const Twine &Name) {
  auto ShadowOf = [&](const Argument &A) {
    auto Given = GivenShadows.find(&A);
    return Given == GivenShadows.end() ? Primal.shadow(&A, 0)
                                       : Given->second.front();
  };
  return emitLaunchCondition(C, D, runtime("rg_extent"), ShadowOf, Name);
}

std::optional<ReverseEmitter::SharedAddress>
ReverseEmitter::takeApart(Value *Address) const {
  const DataLayout &DL = D.getDataLayout();
  SmallMapVector<Value *, APInt, 4> Varying;
  Value *P = Address;
  APInt Offset(32, 0);
  while (!isa<GlobalVariable>(P)) {
    if (auto *C = dyn_cast<AddrSpaceCastOperator>(P)) {
      P = C->getPointerOperand();
      continue;
    }
    auto *G = dyn_cast<GEPOperator>(P);
    APInt Constant(DL.getIndexTypeSizeInBits(P->getType()), 0);
    SmallMapVector<Value *, APInt, 4> Of;
    if (!G || !G->collectOffset(DL, Constant.getBitWidth(), Of, Constant))
      return std::nullopt;
    Offset += Constant.zextOrTrunc(32);
    for (auto &[V, Factor] : Of) {
      APInt F = Factor.zextOrTrunc(32);
      auto [It, New] = Varying.try_emplace(V, F);
      if (!New)
        It->second += F;
    }
    P = G->getPointerOperand();
  }
  SharedAddress A{P, {}, uint32_t(Offset.getZExtValue())};
  for (auto &[V, Factor] : Varying)
    A.Key.push_back({V, Factor.getZExtValue()});
  return A;
}

Value *ReverseEmitter::sumOf(const VaryingPart &Key) {
  Value *Sum = B.getInt32(0);
  for (auto &[V, Factor] : Key)
    Sum = B.CreateAdd(Sum, B.CreateMul(B.CreateSExtOrTrunc(V, B.getInt32Ty()),
                                       B.getInt32(Factor)));
  return Sum;
}

std::optional<RuleContext::SharedPlace>
ReverseEmitter::sharedPlace(Value *Address) {
  if (!Plan.options().MergeOnDevice || !Machine.addsFloatsByLoop() ||
      Machine.spaceOf(*Address) != MemorySpace::Shared)
    return std::nullopt;
  std::optional<SharedAddress> A = takeApart(Address);
  if (!A)
    return std::nullopt;
  auto &[Sum, Found] = Peers[{B.GetInsertBlock(), A->Key}];
  if (!Found) {
    // Of the same block of code: then who is here for one addition is here for
    // all.
    Sum = sumOf(A->Key);
    Found = B.CreateCall(runtime("rg_peers"), {Sum});
  }
  return SharedPlace{Found, B.CreateGEP(B.getInt8Ty(), A->Of, Sum), A->Offset};
}

Value *ReverseEmitter::take(const Value *V) {
  AllocaInst *A = adjoint(V);
  Value *X = B.CreateLoad(V->getType(), A);
  B.CreateStore(adjointZero(V->getType()), A);
  return X;
}

Value *ReverseEmitter::addUp(Value *Old, Value *X) {
  Value *Sum = B.CreateFAdd(Old, X);
  if (auto *I = dyn_cast<Instruction>(Sum)) {
    // Not without the signs of zeros: LLVM would then put the constant for a
    // sum that was compared with 0, and a second derivative needs the sum.
    if (Reorders)
      I->setHasAllowReassoc(true);
    if (MarksShares)
      I->addAnnotationMetadata(ShareMark);
  }
  return Sum;
}

Value *ReverseEmitter::add(Value *Sum, Value *X, ArrayRef<TypedLeaf> Floats,
                           uint64_t At) {
  Type *T = Sum->getType();
  const DataLayout &DL = D.getDataLayout();
  if (T->isFPOrFPVectorTy())
    return addUp(Sum, X);
  auto AddMember = [&](unsigned I, uint64_t Offset) {
    Value *Member = add(B.CreateExtractValue(Sum, I),
                        B.CreateExtractValue(X, I), Floats, At + Offset);
    Sum = B.CreateInsertValue(Sum, Member, I);
  };
  if (auto *S = dyn_cast<StructType>(T)) {
    for (unsigned I = 0, N = S->getNumElements(); I != N; ++I)
      AddMember(I, DL.getStructLayout(S)->getElementOffset(I).getFixedValue());
    return Sum;
  }
  if (auto *A = dyn_cast<ArrayType>(T)) {
    for (unsigned I = 0, N = A->getNumElements(); I != N; ++I)
      AddMember(I,
                I * DL.getTypeAllocSize(A->getElementType()).getFixedValue());
    return Sum;
  }
  if (!T->isIntOrIntVectorTy())
    return Sum; // pointers beside floats have no adjoint
  // Bits that hold floats: as one integer, leaf by leaf.
  unsigned Width = DL.getTypeSizeInBits(T).getFixedValue();
  Type *Bits = B.getIntNTy(Width);
  Value *A = B.CreateBitCast(Sum, Bits), *C = B.CreateBitCast(X, Bits),
        *R = nullptr;
  for (const TypedLeaf &L : Floats) {
    if (L.Offset < At || (L.Offset - At + L.Size) * 8 > Width)
      continue;
    uint64_t Shift = (L.Offset - At) * 8;
    Type *Part = B.getIntNTy(L.Size * 8);
    auto Get = [&](Value *W) {
      return B.CreateBitCast(B.CreateTrunc(B.CreateLShr(W, Shift), Part),
                             L.Kind.FP);
    };
    Value *S = B.CreateBitCast(B.CreateFAdd(Get(A), Get(C)), Part);
    S = B.CreateShl(B.CreateZExt(S, Bits), Shift);
    R = R ? B.CreateOr(R, S) : S;
  }
  return R ? B.CreateBitCast(R, T) : Sum;
}

void ReverseEmitter::accumulate(const Value *V, Value *X) {
  if (isa<Constant>(V) || !Plan.activity().isActive(V))
    return;
  AllocaInst *A = adjoint(V);
  B.CreateStore(
      add(B.CreateLoad(V->getType(), A), X, Plan.facts().shape(V).Floats), A);
}

/// Operation Id of operand N of I, where the primal computes that beside I and
/// it is kept, as the cosine beside a sine.
Value *ReverseEmitter::keptPartner(const Instruction &I, StringRef Id,
                                   unsigned N) {
  if (isa<Constant>(I.getOperand(N)))
    return nullptr; // the optimiser's
  for (const User *U : I.getOperand(N)->users()) {
    const auto *C = dyn_cast<CallInst>(U);
    if (!C || C->getParent() != I.getParent() || C->arg_size() != 1 ||
        !Plan.isKept({Need::Primal, C}))
      continue;
    const OperationRecord *R = Services.catalogue().lookup(*C);
    if (R && R->Id == Id)
      return lookup({Need::Primal, C});
  }
  return nullptr;
}

Value *ReverseEmitter::partial(const Partial &P, const Instruction &I,
                               Value *Seed) {
  FormulaEmitter Formula(B, Services.catalogue());
  if (MarksShares)
    Formula.markShares();
  auto Operand = [&](unsigned N) { return primal(I.getOperand(N)); };
  auto Result = [&] { return primal(&I); };
  Formula.setKnown(
      [&](StringRef Id, unsigned N) { return keptPartner(I, Id, N); });
  if (Plan.options().Nan == NanKind::Off)
    return Formula.emit(P, I, Seed, Operand, Result);
  // What may be assumed not to happen cannot be looked for.
  B.clearFastMathFlags();
  Value *X = Formula.emit(P, I, Seed, Operand, Result);
  watchFinite(B, Plan.options().Nan, I, *Services.catalogue().lookup(I), P, X,
              Seed, Operand, Result, Services.runtime());
  return X;
}

Function *ReverseEmitter::sweepOf(const CallBase &C) {
  DerivativeRequest R = Plan.calleeRequest(C);
  R.Mode = DerivativeMode::Sweep;
  return Services.derivative(R);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Where the reverse sweep enters an iteration: fills the arrays again that it
/// reads.
void ReverseEmitter::emitReplays(const BasicBlock &Latch) {
  auto Here = [&](const Replay &R) {
    return R.Used && R.Of->getLoopLatch() == &Latch && !Plan.runsAgain(R.Of);
  };
  bool Shared = any_of(Plan.replays(),
                       [&](const Replay &R) { return Here(R) && R.Shared; });
  setLine(*Latch.getTerminator());
  // The iteration behind this one has been read by then, and this one is
  // complete.
  if (Shared)
    B.CreateCall(runtime("rg_block_barrier"), {});
  for (const Replay &R : Plan.replays())
    if (Here(R))
      for (ArrayRef<Replay::Filling> Rest = R.Stores; !Rest.empty();) {
        // Those under one condition, behind one question.
        const Replay::Filling &First = Rest.front();
        ArrayRef<Replay::Filling> Now = Rest.take_while([&](const auto &S) {
          return S.Condition == First.Condition && S.OnTrue == First.OnTrue;
        });
        BasicBlock *Behind = nullptr;
        if (First.Condition) {
          setLine(*First.Store);
          BasicBlock *Fill = BasicBlock::Create(D.getContext(), "rev.fill", &D);
          Behind = BasicBlock::Create(D.getContext(), "rev.filled", &D);
          Value *Condition = lookup({Need::Primal, First.Condition});
          B.CreateCondBr(Condition, First.OnTrue ? Fill : Behind,
                         First.OnTrue ? Behind : Fill);
          B.SetInsertPoint(Fill);
          Met.clear();
        }
        for (const Replay::Filling &S : Now) {
          setLine(*S.Store);
          Value *Kept = lookup({Need::Primal, S.Store->getValueOperand()});
          B.CreateAlignedStore(
              Kept, lookup({Need::Primal, S.Store->getPointerOperand()}),
              S.Store->getAlign());
        }
        if (Behind) {
          B.CreateBr(Behind);
          B.SetInsertPoint(Behind);
          Met.clear();
        }
        Rest = Rest.drop_front(Now.size());
      }
  if (Shared)
    B.CreateCall(runtime("rg_block_barrier"), {});
}

void ReverseEmitter::emitBlock(const BasicBlock &Block) {
  B.SetInsertPoint(Reversed[&Block]);
  Met.clear();
  emitReplays(Block);
  for (const Instruction &I : llvm::reverse(Block)) {
    setLine(I);
    B.setFastMathFlags(CommonFlags);
    if (auto *R = dyn_cast<ReturnInst>(&I)) {
      if (!Seeds.empty() && R->getReturnValue())
        forLanes([&] { accumulate(R->getReturnValue(), Seeds[Lane]); });
      continue;
    }
    if (isa<FPMathOperator>(I) && !isa<PHINode>(I))
      B.setFastMathFlags(derivativeFlags(I, Contracts));
    followStrict(B, I, Plan.roundingChanges());
    emitReverse(I, *this);
  }
  B.setFastMathFlags(CommonFlags);
  leaveBlock(Block);
}

/// Asks branch At and those that it leads to where their conditions are known.
void ReverseEmitter::askAgain(const DecidedByBranches &J, int At,
                              ArrayRef<BasicBlock *> Edges) {
  Value *Condition = lookup({Need::Primal, J.Branches[At].Condition});
  BasicBlock *To[2];
  for (unsigned OnTrue : {0, 1}) {
    const int Next = J.Branches[At].Next[OnTrue];
    To[OnTrue] = Next < 0 ? Edges[-1 - Next]
                          : BasicBlock::Create(D.getContext(), "rev.ask", &D);
  }
  B.CreateCondBr(Condition, To[1], To[0]);
  const auto Known = Met;
  for (unsigned OnTrue : {0, 1})
    if (const int Next = J.Branches[At].Next[OnTrue]; Next >= 0) {
      B.SetInsertPoint(To[OnTrue]);
      Met = Known;
      askAgain(J, Next, Edges);
    }
}

void ReverseEmitter::leaveBlock(const BasicBlock &Block) {
  // All phis read their operands at once: take every adjoint before any is
  // handed on.
  SmallVector<TakenAdjoint, 4> Taken;
  for (const PHINode &Phi : Block.phis())
    if (Plan.activity().isActive(&Phi))
      forLanes([&] { Taken.push_back({&Phi, Lane, take(&Phi)}); });

  SmallVector<const BasicBlock *, 4> Preds = Plan.reversedBehind(&Block);
  if (Preds.empty()) { // the entry: see finish()
    End = B.GetInsertBlock();
    return;
  }
  SmallVector<BasicBlock *, 4> Edges;
  for (const BasicBlock *P : Preds)
    Edges.push_back(
        BasicBlock::Create(D.getContext(), "rev.edge." + P->getName(), &D));
  const Loop *L = Plan.shape().loops().getLoopFor(&Block);
  if (L && L->getHeader() == &Block && Plan.carriesResults(L))
    Results.finishIteration(*L);
  if (L && L->getHeader() == &Block && Plan.rewindsTape(L))
    Primal.endIterationTape(B, L);
  if (L && L->getHeader() == &Block && Preds.size() > 1) {
    unsigned Latch = Preds[0] == L->getLoopLatch() ? 0 : 1;
    Value *Left = B.CreateLoad(B.getInt64Ty(), Counters[L], "rg.left");
    Value *First = B.CreateICmpEQ(Left, B.getInt64(0), "rg.first");
    B.CreateCondBr(First, Edges[1 - Latch], Edges[Latch]);
  } else if (Preds.size() == 1) {
    B.CreateBr(Edges[0]);
  } else if (const auto J = Plan.slot({Need::Pred, &Block}) ||
                                    Plan.decidedJoin(&Block) ||
                                    Plan.decidedWays(&Block)
                                ? std::nullopt
                                : Plan.decidingBranches(&Block)) {
    askAgain(*J, 0, Edges);
  } else {
    Value *Which = lookup({Need::Pred, &Block});
    SwitchInst *Switch = B.CreateSwitch(Which, Edges[0], Preds.size() - 1);
    for (unsigned I = 1; I != Preds.size(); ++I)
      Switch->addCase(ConstantInt::get(cast<IntegerType>(Which->getType()), I),
                      Edges[I]);
  }
  for (auto [P, Edge] : zip(Preds, Edges)) {
    B.SetInsertPoint(Edge);
    Met.clear();
    emitEdge(*P, Block, Taken);
    if (Value *Idle = idle(*P, Block, Taken)) {
      const BasicBlock *Before =
          Plan.shape().loops().getLoopFor(P)->getLoopPreheader();
      BasicBlock *Skip =
          BasicBlock::Create(D.getContext(), "rev.idle." + P->getName(), &D);
      B.CreateCondBr(unlessDifferentiated(B, Idle), Skip,
                     behindEdge(*P, Block));
      B.SetInsertPoint(Skip);
      for (const TakenAdjoint &A : Taken) {
        const Value *V = A.Phi->getIncomingValueForBlock(P);
        Lane = A.Lane;
        if (const auto *I = dyn_cast<Instruction>(V);
            I && Plan.shape().loops().getLoopFor(P)->contains(I))
          B.CreateStore(adjointZero(V->getType()), adjoint(V));
      }
      Lane = 0;
      B.CreateBr(Reversed[Before]);
    } else if (InStep *S = past(*P, Block)) {
      B.CreateStore(B.getInt64(0), S->Last);
      B.CreateStore(B.getTrue(), S->Past);
      B.CreateBr(S->Begin);
    } else {
      B.CreateBr(behindEdge(*P, Block));
    }
  }
}

void ReverseEmitter::emitEdge(const BasicBlock &From, const BasicBlock &To,
                              ArrayRef<TakenAdjoint> Adjoints) {
  for (const TakenAdjoint &A : Adjoints) {
    Lane = A.Lane;
    accumulate(A.Phi->getIncomingValueForBlock(&From), A.X);
  }
  Lane = 0;
  LoopInfo &LI = Plan.shape().loops();
  const Loop *L = LI.getLoopFor(&To);
  if (L && L->getHeader() == &To && L->contains(&From)) {
    // Backedge: one iteration back.
    auto Step = [&](AllocaInst *Counter, int64_t By) {
      B.CreateStore(
          B.CreateAdd(B.CreateLoad(B.getInt64Ty(), Counter), B.getInt64(By)),
          Counter);
    };
    if (!Steps.contains(L)) // else where the lanes are together
      Step(Counters[L], -1);
    if (AllocaInst *Up = Upward.lookup(L))
      Step(Up, 1);
    if (Records.contains(L)) {
      Value *Record = B.CreateLoad(B.getPtrTy(), Records[L]);
      LoadInst *Before = B.CreateLoad(B.getPtrTy(), Record);
      Primal.kinds().tape(Before);
      B.CreateStore(Before, Records[L]);
    }
    return;
  }
  // Loops that the primal left here, outermost first: the storage of an inner
  // one is found through the iteration of the outer.
  SmallVector<const Loop *, 4> Left;
  for (const Loop *K = LI.getLoopFor(&From); K && !K->contains(&To);
       K = K->getParentLoop())
    Left.push_back(K);
  for (const Loop *K : llvm::reverse(Left)) {
    Met.clear();
    Value *Count;
    if (Plan.slot({Need::Last, K->getHeader()}) && !Records.contains(K))
      // Where nothing was chosen, the first iteration hands on what it began
      // with.
      Count = B.CreateUDiv(
          B.CreateBinaryIntrinsic(Intrinsic::smax,
                                  lookup({Need::Last, K->getHeader()}),
                                  B.getInt64(0)),
          B.getInt64(std::max<size_t>(1, Plan.choiceIn(K)->Links.size())));
    else if (auto N = Plan.constantCount(K))
      Count = B.getInt64(*N);
    else
      Count = lookup({Need::Count, K->getHeader()});
    if (auto S = Steps.find(K); S != Steps.end()) {
      B.CreateStore(Count, S->second.Last);
      B.CreateStore(
          B.getInt32(find(S->second.Doors, &From) - S->second.Doors.begin()),
          S->second.Door);
      if (S->second.Past)
        B.CreateStore(B.getFalse(), S->second.Past);
    } else {
      B.CreateStore(Count, Counters[K]);
    }
    if (AllocaInst *Up = Upward.lookup(K))
      B.CreateStore(B.getInt64(0), Up);
    if (Records.contains(K))
      B.CreateStore(lookup({Need::Records, K->getHeader()}), Records[K]);
  }
  Met.clear();
}

/// Where the reverse of P begins: the last block of a deferred loop's iteration
/// has to be reached by running the iteration.
BasicBlock *ReverseEmitter::reverseOf(const BasicBlock &P) {
  BasicBlock *Run = Runs.lookup(&P);
  return Run ? Run : Reversed[&P];
}

BasicBlock *ReverseEmitter::behindEdge(const BasicBlock &From,
                                       const BasicBlock &To) {
  const LoopInfo &LI = Plan.shape().loops();
  const Loop *Of = LI.getLoopFor(&To);
  if (auto S = Steps.find(Of);
      S != Steps.end() && &To == Of->getHeader() &&
      (Of == LI.getLoopFor(&From) ||
       (!Of->contains(&From) && !S->second.Sums.empty())))
    return S->second.Next;
  auto S = Steps.find(LI.getLoopFor(&From));
  if (S == Steps.end())
    return reverseOf(From);
  return S->first->contains(&To) ? reverseOf(From) : S->second.Begin;
}

/// The frame around the reverse of L:
///
///   begin   counter = the largest of the lanes' last iterations
///   turn    wait for the others, if nothing is added; past my last one? then
///   next; is it mine? through the door that I
///           left by; else through the latch
///   next    add up what the iteration adds; counter - 1, turn
///
/// Where something is added, the first iteration comes to next as well, and
/// leaves from there.
void ReverseEmitter::emitStep(const Loop &L) {
  InStep &S = Steps[&L];
  setLine(*L.getHeader()->getTerminator());
  B.SetInsertPoint(S.Begin);
  Value *Last = B.CreateLoad(B.getInt64Ty(), S.Last);
  Value *Lanes = B.CreateCall(runtime("rg_step_lanes"), {Last});
  B.CreateStore(Lanes, S.Lanes);
  if (S.Ranks)
    B.CreateStore(B.CreateCall(runtime("rg_step_ranks"), {Lanes}), S.Ranks);
  B.CreateStore(B.CreateCall(runtime("rg_last_of_lanes"), {Last, Lanes}),
                Counters[&L]);
  B.CreateBr(S.Turn);

  B.SetInsertPoint(S.Turn);
  // Those that add up at the end of an iteration have waited there.
  if (S.Sums.empty())
    B.CreateCall(runtime("rg_step"), {B.CreateLoad(B.getInt32Ty(), S.Lanes)});
  Value *Now = B.CreateLoad(B.getInt64Ty(), Counters[&L], "rg.turn");
  Last = B.CreateLoad(B.getInt64Ty(), S.Last, "rg.last");
  BasicBlock *Mine = BasicBlock::Create(D.getContext(), "rev.mine", &D);
  Value *Waits = B.CreateICmpUGT(Now, Last, "rg.waits");
  if (S.Past)
    Waits = B.CreateOr(Waits, B.CreateLoad(B.getInt1Ty(), S.Past, "rg.past"));
  B.CreateCondBr(Waits, S.Next, Mine);

  B.SetInsertPoint(Mine);
  BasicBlock *Whole = reverseOf(*L.getLoopLatch());
  if (S.Doors.size() == 1 && S.Doors.front() == L.getLoopLatch()) {
    B.CreateBr(Whole);
  } else {
    BasicBlock *Enter = BasicBlock::Create(D.getContext(), "rev.enter", &D);
    B.CreateCondBr(B.CreateICmpEQ(Now, Last), Enter, Whole);
    B.SetInsertPoint(Enter);
    SwitchInst *Switch =
        B.CreateSwitch(B.CreateLoad(B.getInt32Ty(), S.Door),
                       reverseOf(*S.Doors.front()), S.Doors.size() - 1);
    for (unsigned I = 1; I != S.Doors.size(); ++I)
      Switch->addCase(B.getInt32(I), reverseOf(*S.Doors[I]));
  }

  B.SetInsertPoint(S.Next);
  emitStepSums(S);
  Now = B.CreateLoad(B.getInt64Ty(), Counters[&L]);
  if (!S.Sums.empty()) {
    BasicBlock *Back = BasicBlock::Create(D.getContext(), "rev.back", &D);
    BasicBlock *Leave = reverseOf(*L.getLoopPreheader());
    if (S.Past)
      Leave = BasicBlock::Create(D.getContext(), "rev.leave", &D);
    B.CreateCondBr(B.CreateICmpEQ(Now, B.getInt64(0)), Leave, Back);
    if (S.Past) {
      B.SetInsertPoint(Leave);
      B.CreateCondBr(B.CreateLoad(B.getInt1Ty(), S.Past), reverseOf(*S.Guard),
                     reverseOf(*L.getLoopPreheader()));
    }
    B.SetInsertPoint(Back);
  }
  B.CreateStore(B.CreateSub(Now, B.getInt64(1)), Counters[&L]);
  B.CreateBr(S.Turn);
}

/// Takes the code of a deferred loop out of the primal sweep and puts one
/// iteration of it in front of its reverse:
///
///   primal   preheader -> header ... latch -> exit    becomes   preheader ->
///   exit reverse  rev.exit -> rev.latch ... rev.header     becomes   rev.exit
///   -> run
///            -> rev.latch (backedge)                            run -> header
///            ... latch
///                                                               -> rev.latch
///                                                               ... rev.header
///                                                               -> run
void ReverseEmitter::moveHere(const Loop &L) {
  auto CloneOf = [&](const BasicBlock *Block) {
    return cast<BasicBlock>(Primal.primal(Block));
  };
  BasicBlock *Header = CloneOf(L.getHeader()),
             *Latch = CloneOf(L.getLoopLatch());
  BasicBlock *Before = CloneOf(L.getLoopPreheader()),
             *After = CloneOf(L.getExitBlock());
  BasicBlock *Run = Runs.lookup(L.getLoopLatch());

  if (Plan.carriesResults(&L))
    Results.carry(L, *Before, *Latch);

  // The primal sweep goes past it, or through a copy of it. What would have
  // come out of it nobody looks at.
  if (Plan.runsAgain(&L)) {
    Primal.connectFirstRun(L);
  } else {
    Before->getTerminator()->replaceSuccessorWith(Header, After);
    for (PHINode &Phi : After->phis()) {
      int From = Phi.getBasicBlockIndex(Latch);
      Phi.setIncomingBlock(From, Before);
      Phi.setIncomingValue(From, Constant::getNullValue(Phi.getType()));
    }
  }

  // An iteration starts from its number.
  B.SetInsertPoint(Run);
  B.SetCurrentDebugLocation(Header->getTerminator()->getDebugLoc());
  Met.clear();
  // Tiles are filled again: all threads are through with what is in them.
  if (Plan.runsAgain(&L) && Plan.hasBlockBarrier(L))
    B.CreateCall(runtime("rg_block_barrier"), {});
  DenseMap<const PHINode *, Value *> Starts;
  if (Plan.runsAgain(&L))
    Starts = Primal.starts(L, iteration(&L), B);
  for (const PHINode &Phi : L.getHeader()->phis()) {
    auto Replace = [&](Value *Old, Need::Kind K) {
      auto *C = cast<PHINode>(Old);
      Value *Start = Constant::getNullValue(C->getType());
      if (Plan.isComputedPhi(Phi))
        Start = computePhi(Phi, K);
      else if (Plan.carriesResults(&L))
        Start = B.CreateLoad(C->getType(), Results.carried(Phi));
      else if (Plan.runsAgain(&L))
        Start = Starts.lookup(&Phi);
      C->replaceAllUsesWith(Start);
      Results.forget(C); // what was asked for goes on to hold Start
      C->eraseFromParent();
    };
    if (Plan.activity().hasShadow(&Phi))
      forLanes([&] { Replace(Primal.shadow(&Phi, Lane), Need::Shadow); });
    Replace(Primal.primal(&Phi), Need::Primal);
  }
  // Counters that came with the expansion of an inner loop's count.
  for (PHINode &Phi : make_early_inc_range(Header->phis())) {
    auto *Next = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(Latch));
    if (!Phi.getType()->isIntegerTy() || !Next ||
        Next->getOpcode() != Instruction::Add ||
        !is_contained(Next->operands(), &Phi))
      continue;
    Value *Number = B.CreateZExtOrTrunc(iteration(&L), Phi.getType());
    IRBuilder<> AtHeader(Header, Header->getFirstInsertionPt());
    Value *Step = Next->getOperand(Next->getOperand(0) == &Phi);
    Phi.replaceAllUsesWith(
        AtHeader.CreateAdd(Phi.getIncomingValueForBlock(Before),
                           AtHeader.CreateMul(Number, Step)));
    Phi.eraseFromParent();
  }
  if (Plan.rewindsTape(&L))
    Primal.beginIterationTape(B, &L);
  assert(Header->phis().empty() && "a phi that no iteration starts from");
  Instruction *Start = B.CreateBr(Header);
  Latch->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Latch);
  B.CreateBr(Reversed[L.getLoopLatch()]);

  // Accesses of the primal now stand beside those of adjoints.
  SmallSetVector<BasicBlock *, 16> Moved;
  Moved.insert(Header);
  for (size_t I = 0; I != Moved.size(); ++I)
    if (Moved[I] != Latch)
      Moved.insert_range(successors(Moved[I]));
  for (BasicBlock *Block : Moved)
    for (Instruction &I : *Block)
      if ((isa<LoadInst>(I) || isa<StoreInst>(I)) &&
          !I.hasMetadata(LLVMContext::MD_alias_scope))
        Primal.kinds().repeated(&I);
  MovedLoops.push_back({Start, Moved.takeVector()});
}

/// What was computed in front of a deferred loop, on the way to it, comes over
/// the stack. Only when all of them have moved does every one stand where it is
/// reached, so that it shows what is not known there.
void ReverseEmitter::bringOverStack() {
  if (MovedLoops.empty())
    return;
  DominatorTree DT(D);
  for (const MovedLoop &L : MovedLoops) {
    SmallPtrSet<const BasicBlock *, 16> Within(llvm::from_range, L.Blocks);
    MapVector<Instruction *, SmallVector<Use *, 4>> Outside;
    for (BasicBlock *Block : L.Blocks)
      for (Instruction &I : *Block)
        for (Use &U : I.operands())
          if (auto *Def = dyn_cast<Instruction>(U.get());
              Def && !Within.contains(Def->getParent()) &&
              !DT.dominates(Def, U))
            Outside[Def].push_back(&U);
    for (auto &[Def, Uses] : Outside) {
      Value *Again = IRBuilder<>(L.Start).CreateLoad(Def->getType(),
                                                     Results.overStack(Def));
      for (Use *U : Uses)
        U->set(Again);
    }
  }
}

Value *ReverseEmitter::idle(const BasicBlock &From, const BasicBlock &To,
                            ArrayRef<TakenAdjoint> Adjoints) {
  auto Phis =
      map_to_vector<4>(Adjoints, [](const TakenAdjoint &A) { return A.Phi; });
  if (!mayBeIdle(From, To, Phis, Plan))
    return nullptr;
  const Loop *L = Plan.shape().loops().getLoopFor(&From);
  IRBuilderBase::FastMathFlagGuard Guard(B);
  B.clearFastMathFlags();
  Value *Idle = nullptr;
  SmallPtrSet<const Value *, 4> Seen;
  for (const TakenAdjoint &A : Adjoints) {
    auto *V = dyn_cast<Instruction>(A.Phi->getIncomingValueForBlock(&From));
    if (!V || !L->contains(V) || !Seen.insert(V).second)
      continue;
    if (!V->getType()->isFloatingPointTy())
      return nullptr;
    forLanes([&] {
      Value *Zero = B.CreateFCmpOEQ(B.CreateLoad(V->getType(), adjoint(V)),
                                    ConstantFP::getZero(V->getType()));
      Idle = Idle ? B.CreateAnd(Idle, Zero) : Zero;
    });
  }
  return Idle;
}

void ReverseEmitter::finish() {
  B.SetInsertPoint(End);
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  Results.emitStores();
  emitBlockCopies();
  emitLateSums();
  SmallVector<Value *, 8> Members;
  if (Plan.returnsLate())
    for (const BasicBlock &Block : Plan.primal())
      if (auto *R = dyn_cast<ReturnInst>(Block.getTerminator());
          R && Plan.shape().isLive(&Block))
        Members.push_back(Results.value(R->getReturnValue()));
  if (PrimalResult)
    Members.push_back(
        B.CreateLoad(PrimalResult->getAllocatedType(), PrimalResult));
  for (const Argument &A : Plan.primal().args()) {
    if (Plan.request().Args[A.getArgNo()] != ArgActivity::Out)
      continue;
    forLanes([&] {
      Value *X = Constant::getNullValue(A.getType());
      if (Plan.activity().isActive(&A)) {
        X = B.CreateLoad(A.getType(), adjoint(&A));
        // Turns the -0.0 that sums start from into the zero that users expect.
        if (A.getType()->isFPOrFPVectorTy())
          X = B.CreateFAdd(X, Constant::getNullValue(A.getType()));
      }
      Members.push_back(X);
    });
  }
  if (!Plan.isSplit()) {
    if (Arena->use_empty()) // nothing was taped
      cast<Instruction>(Arena)->eraseFromParent();
    else
      B.CreateCall(runtime("rg_tape_end"), {Arena});
  }
  if (D.getReturnType()->isVoidTy()) {
    B.CreateRetVoid();
    return;
  }
  Value *Result = PoisonValue::get(D.getReturnType());
  for (auto [I, V] : enumerate(Members))
    Result = B.CreateInsertValue(Result, V, I);
  B.CreateRet(Result);
}
