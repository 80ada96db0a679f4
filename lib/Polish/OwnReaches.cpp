//===- OwnReaches.cpp - loops in which a thread meets no other ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/OwnReaches.h"
#include "Support/Options.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Shorter loops are not worth a question in front of them.
constexpr unsigned LeastTrips = 4;

/// rg_reach_add_f64(reach, address, x), or of floats.
CallInst *additionOf(Instruction &I) {
  auto *C = dyn_cast<CallInst>(&I);
  const Function *F = C ? C->getCalledFunction() : nullptr;
  return F && F->getName().starts_with("rg_reach_add_f") && C->arg_size() == 3
             ? C
             : nullptr;
}

/// Places a constant apart, from Low to High bytes beside First, of one reach.
struct Places {
  Value *Reach;
  const SCEV *First;
  int64_t Low, High;
  SmallVector<CallInst *, 4> Additions;
};

class OwnReaches {
public:
  OwnReaches(Function &D, FunctionAnalysisManager &FAM, const Options &Opts)
      : D(D), FAM(FAM), Opts(Opts) {}

  void run() {
    LoopSimplifyPass().run(D, FAM);
    LCSSAPass().run(D, FAM);
    FAM.invalidate(D, PreservedAnalyses::none());
    while (versionOne())
      FAM.invalidate(D, PreservedAnalyses::none());
    SmallVector<CallInst *, 16> Left;
    for (Instruction &I : instructions(D))
      if (CallInst *C = additionOf(I))
        Left.push_back(C);
    for (CallInst *C : Left)
      spellOut(*C);
  }

private:
  Function &D;
  FunctionAnalysisManager &FAM;
  const Options &Opts;
  SmallPtrSet<const BasicBlock *, 16> Seen; ///< headers
  /// The members of struct rg_reach (runtime/team.h) that matter here.
  enum Member : uint8_t { OwnLow, OwnSize, Below, Above, Low, High, Members };
  DenseMap<Value *, std::array<Value *, Members>> Read;

  Value *read(Value *Reach, Member M) {
    auto &Of = Read[Reach];
    if (!Of[0]) {
      IRBuilder<> B(D.getContext());
      if (auto *I = dyn_cast<Instruction>(Reach))
        B.SetInsertPoint(I->getNextNode());
      else
        B.SetInsertPoint(&*D.getEntryBlock().getFirstInsertionPt());
      for (unsigned N = 0; N != Members; ++N)
        Of[N] = B.CreateLoad(B.getInt64Ty(),
                             B.CreateConstGEP1_64(B.getInt64Ty(), Reach, N));
    }
    return Of[M];
  }

  void add(IRBuilder<> &B, const CallInst &C, Value *Address, Value *X) {
    // Numbers in packed structs are aligned to nothing.
    Align A(1);
    LoadInst *Old = B.CreateAlignedLoad(X->getType(), Address, A);
    Value *Sum = B.CreateFAdd(Old, X);
    if (auto *I = dyn_cast<Instruction>(Sum); I && Opts.ReorderSums)
      I->setHasAllowReassoc(true);
    StoreInst *New = B.CreateAlignedStore(Sum, Address, A);
    for (unsigned Kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
      for (Instruction *I : {(Instruction *)Old, (Instruction *)New})
        I->setMetadata(Kind, C.getMetadata(Kind));
  }

  bool findPlaces(Loop &L, ScalarEvolution &SE, const SCEVExpander &Expand,
                  SmallVectorImpl<Places> &Found);
  Value *distance(IRBuilder<> &B, const Places &P, const SCEV *Count,
                  ScalarEvolution &SE, SCEVExpander &Expand, Value *&Ok);
  bool version(Loop &L);
  bool versionOne();
  void spellOut(CallInst &C);
};

} // namespace

bool OwnReaches::findPlaces(Loop &L, ScalarEvolution &SE,
                            const SCEVExpander &Expand,
                            SmallVectorImpl<Places> &Found) {
  Instruction *Before = L.getLoopPreheader()->getTerminator();
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      CallInst *C = additionOf(I);
      if (!C || !L.isLoopInvariant(C->getArgOperand(0)))
        continue;
      const SCEV *At = SE.getSCEV(C->getArgOperand(1));
      const auto *R = dyn_cast<SCEVAddRecExpr>(At);
      if (!SE.isLoopInvariant(At, &L) &&
          !(R && R->getLoop() == &L && R->isAffine() &&
            Expand.isSafeToExpandAt(R->getStart(), Before) &&
            Expand.isSafeToExpandAt(R->getStepRecurrence(SE), Before)))
        continue;
      if (!R && !Expand.isSafeToExpandAt(At, Before))
        continue;
      int64_t Bytes = C->getArgOperand(2)->getType()->isDoubleTy() ? 8 : 4;
      bool Added = false;
      for (Places &P : Found) {
        const auto *Apart =
            P.Reach == C->getArgOperand(0)
                ? dyn_cast<SCEVConstant>(SE.getMinusSCEV(At, P.First))
                : nullptr;
        if (!Apart || Apart->getAPInt().getSignificantBits() > 31)
          continue;
        int64_t By = Apart->getAPInt().getSExtValue();
        P.Low = std::min(P.Low, By);
        P.High = std::max(P.High, By + Bytes);
        P.Additions.push_back(C);
        Added = true;
        break;
      }
      if (!Added)
        Found.push_back({C->getArgOperand(0), At, 0, Bytes, {C}});
    }
  constexpr size_t MostPlaces = 16;
  return !Found.empty() && Found.size() <= MostPlaces;
}

/// What to add to the addresses of P, if all lie on one side; Ok tells.
Value *OwnReaches::distance(IRBuilder<> &B, const Places &P, const SCEV *Count,
                            ScalarEvolution &SE, SCEVExpander &Expand,
                            Value *&Ok) {
  Type *Word = B.getInt64Ty();
  auto Emit = [&](const SCEV *At) {
    return B.CreatePtrToInt(
        Expand.expandCodeFor(At, At->getType(), B.GetInsertPoint()), Word);
  };
  Value *First, *Last;
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(P.First);
      R && !SE.isLoopInvariant(R, R->getLoop())) {
    First = Emit(R->getStart());
    Last = Emit(SE.getAddExpr(
        R->getStart(),
        SE.getMulExpr(R->getStepRecurrence(SE),
                      SE.getTruncateOrZeroExtend(
                          Count, R->getStepRecurrence(SE)->getType()))));
  } else {
    First = Last = Emit(P.First);
  }
  Value *From = B.CreateAdd(
      B.CreateBinaryIntrinsic(Intrinsic::umin, First, Last), B.getInt64(P.Low));
  Value *To = B.CreateAdd(B.CreateBinaryIntrinsic(Intrinsic::umax, First, Last),
                          B.getInt64(P.High));
  auto Of = [&](Member M) { return read(P.Reach, M); };
  Value *OwnHigh = B.CreateAdd(Of(OwnLow), Of(OwnSize));
  Value *Zero = B.getInt64(0);
  Value *IsOwn = B.CreateAnd(B.CreateICmpUGE(From, Of(OwnLow)),
                             B.CreateICmpULE(To, OwnHigh));
  Value *IsBelow = B.CreateAnd(B.CreateAnd(B.CreateICmpUGE(From, Of(Low)),
                                           B.CreateICmpULE(To, Of(OwnLow))),
                               B.CreateICmpNE(Of(Below), Zero));
  Value *IsAbove = B.CreateAnd(B.CreateAnd(B.CreateICmpUGE(From, OwnHigh),
                                           B.CreateICmpULE(To, Of(High))),
                               B.CreateICmpNE(Of(Above), Zero));
  Value *This = B.CreateOr(IsOwn, B.CreateOr(IsBelow, IsAbove));
  Ok = Ok ? B.CreateAnd(Ok, This) : This;
  return B.CreateSelect(IsOwn, Zero,
                        B.CreateSelect(IsBelow, Of(Below), Of(Above)));
}

bool OwnReaches::version(Loop &L) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(D);
  auto &LI = FAM.getResult<LoopAnalysis>(D);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(D);
  BasicBlock *Before = L.getLoopPreheader(), *Exit = L.getUniqueExitBlock();
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  unsigned Trips = SE.getSmallConstantTripCount(&L);
  SCEVExpander Expand(SE, "rg.reach");
  if (!Before || !Exit || !L.hasDedicatedExits() ||
      isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64 ||
      (Trips && Trips < LeastTrips) || !L.isLCSSAForm(DT) ||
      !L.isSafeToClone() ||
      !Expand.isSafeToExpandAt(Count, Before->getTerminator()))
    return false;
  SmallVector<Places, 8> Found;
  if (!findPlaces(L, SE, Expand, Found))
    return false;

  IRBuilder<> B(Before->getTerminator());
  Value *Ok = nullptr;
  SmallVector<Value *, 8> Distances;
  for (const Places &P : Found)
    Distances.push_back(distance(B, P, Count, SE, Expand, Ok));

  BasicBlock *Shared =
      SplitBlock(Before, Before->getTerminator(), &DT, &LI, nullptr,
                 L.getHeader()->getName() + ".shared");
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 8> Blocks;
  Loop *Own =
      cloneLoopWithPreheader(Shared, Before, &L, Map, ".own", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  Instruction *Old = Before->getTerminator();
  B.SetInsertPoint(Old);
  B.CreateCondBr(Ok, Own->getLoopPreheader(), Shared,
                 MDBuilder(D.getContext()).createLikelyBranchWeights());
  Old->eraseFromParent();
  for (PHINode &Phi : Exit->phis())
    for (unsigned I = 0, E = Phi.getNumIncomingValues(); I != E; ++I) {
      auto V = Map.find(Phi.getIncomingValue(I));
      Phi.addIncoming(V == Map.end() ? Phi.getIncomingValue(I) : &*V->second,
                      cast<BasicBlock>(Map[Phi.getIncomingBlock(I)]));
    }
  for (auto [P, By] : zip(Found, Distances))
    for (CallInst *C : P.Additions) {
      auto *Plain = cast<CallInst>(Map[C]);
      B.SetInsertPoint(Plain);
      add(B, *Plain, B.CreatePtrAdd(Plain->getArgOperand(1), By),
          Plain->getArgOperand(2));
      Plain->eraseFromParent();
    }
  Seen.insert(Own->getHeader());
  return true;
}

bool OwnReaches::versionOne() {
  auto &LI = FAM.getResult<LoopAnalysis>(D);
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isInnermost() && Seen.insert(L->getHeader()).second &&
        any_of(L->blocks(),
               [](BasicBlock *B) {
                 return any_of(*B,
                               [](Instruction &I) { return additionOf(I); });
               }) &&
        version(*L)) {
      // The two loops leave to one block.
      FAM.invalidate(D, PreservedAnalyses::none());
      LoopSimplifyPass().run(D, FAM);
      return true;
    }
  return false;
}

/// The question, and what follows.
void OwnReaches::spellOut(CallInst &C) {
  IRBuilder<> B(&C);
  Value *Reach = C.getArgOperand(0), *P = C.getArgOperand(1),
        *X = C.getArgOperand(2);
  Value *Alone = B.CreateICmpULT(
      B.CreateSub(B.CreatePtrToInt(P, B.getInt64Ty()), read(Reach, OwnLow)),
      read(Reach, OwnSize));
  Instruction *Then, *Else;
  SplitBlockAndInsertIfThenElse(
      Alone, &C, &Then, &Else,
      MDBuilder(D.getContext()).createLikelyBranchWeights());
  B.SetInsertPoint(Then);
  add(B, C, P, X);
  // The rest of the routine.
  C.moveBefore(Else->getIterator());
  Function *Elsewhere = D.getParent()->getFunction(
      X->getType()->isDoubleTy() ? "rg_reach_elsewhere_f64"
                                 : "rg_reach_elsewhere_f32");
  if (Elsewhere)
    C.setCalledFunction(Elsewhere);
}

bool retrograd::useOwnReaches(Function &Derivative, ModuleAnalysisManager &MAM,
                              const Options &Opts) {
  if (Derivative.isDeclaration() ||
      none_of(instructions(Derivative),
              [](Instruction &I) { return additionOf(I); }))
    return false;
  auto &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(*Derivative.getParent())
          .getManager();
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  OwnReaches(Derivative, FAM, Opts).run();
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  return true;
}
