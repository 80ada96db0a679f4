//===- ShortLoops.cpp - loops of few iterations run as scalars ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several loops over a small array, one behind the other, in a loop over time:
// each reads what the one before has just stored. In vectors, a load that
// begins at another place than the store did finds a part of its bytes in one
// store and the rest in another, and waits until both have reached the cache.
// The reverse of y[i] = x[i] * y[i - 1] is always like this. A loop of many
// iterations has other work meanwhile. One that does not fill a vector and a
// half has not: it is over before the first store is there.
//
// The loop around them becomes
//
//   if (each of them has fewer iterations than a vector and a half)
//     the loop, with them neither vectorised nor unrolled
//   else
//     the loop as it was
//
// All of them, since a scalar load of what a vector has stored does not wait,
// but a vector's load of what scalars have stored does. And the loop around
// them rather than each for itself, so that what vectors need in registers, and
// ask in front of them, is not there for scalars.
//
// Nothing is computed otherwise than before.
//
//===----------------------------------------------------------------------===//

#include "Polish/PolishSteps.h"
#include "Polish/RewriteLoops.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

/// A loop with more than this has enough to do while it waits.
static constexpr unsigned MostInstructions = 60;
/// No loop with more than this is there twice.
static constexpr unsigned MostAround = 1500;
/// Where vectors have fewer numbers, they do not take much longer than scalars.
static constexpr uint64_t LeastNumbers = 4;

namespace {

/// One number after the other, up or down.
struct Row {
  const SCEV *Base;
  const SCEV *First; ///< where the first iteration accesses it
  const SCEV *Step;
  uint64_t Bytes; ///< of a number
};

/// An innermost loop over rows.
struct ShortLoop {
  BasicBlock *Header;
  SmallVector<Row, 4> Loads, Stores;
  uint64_t Narrowest = 0; ///< bytes of the smallest number
};

class ShortLoops {
public:
  ShortLoops(Function &D, FunctionAnalysisManager &FAM)
      : D(D), FAM(FAM),
        VectorBytes(
            FAM.getResult<TargetIRAnalysis>(D)
                .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
                .getFixedValue() /
            8) {}

  bool run();

private:
  /// From so many iterations on, vectors are worth it.
  uint64_t shortOf(const ShortLoop &S) const {
    return 3 * VectorBytes / (2 * S.Narrowest);
  }
  std::optional<ShortLoop> look(Loop &L) const;
  bool waits(const ShortLoop &Reader, const ShortLoop &Writer) const;
  SmallVector<ShortLoop, 0> loopsIn(const Loop &Around) const;
  bool mayBeShort(Loop &Around, ArrayRef<ShortLoop> Loops) const;
  BasicBlock *version(Loop &Around, ArrayRef<ShortLoop> Loops);

  Function &D;
  FunctionAnalysisManager &FAM;
  const uint64_t VectorBytes;
};

} // namespace

/// What is known of L if it is a loop over rows whose count is computed in
/// front of it.
std::optional<ShortLoop> ShortLoops::look(Loop &L) const {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(D);
  if (!L.isInnermost() || L.getNumBlocks() != 1 ||
      L.getHeader()->size() > MostInstructions || !L.isSafeToClone() ||
      findStringMetadataForLoop(&L, "llvm.loop.vectorize.enable"))
    return std::nullopt;
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute, SCEVConstant>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return std::nullopt;
  ShortLoop Found{L.getHeader(), {}, {}, 0};
  for (Instruction &I : *L.getHeader()) {
    if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
      return std::nullopt;
    Value *P = getLoadStorePointerOperand(&I);
    if (!P) {
      if (I.mayReadOrWriteMemory())
        return std::nullopt;
      continue;
    }
    Type *T = getLoadStoreType(&I);
    const auto *R = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(P));
    if (!T->isFloatingPointTy() || !R || R->getLoop() != &L || !R->isAffine())
      continue;
    const uint64_t Bytes = D.getDataLayout().getTypeAllocSize(T);
    const auto *Step = dyn_cast<SCEVConstant>(R->getStepRecurrence(SE));
    if (!Step || Step->getAPInt().abs() != Bytes)
      continue;
    const SCEV *Base = SE.getPointerBase(R);
    const auto *Object = dyn_cast<SCEVUnknown>(Base);
    // Buffers of strips, and arrays whose loops have a constant count.
    const auto *Local =
        Object ? dyn_cast<AllocaInst>(Object->getValue()) : nullptr;
    if (Local && Local->isStaticAlloca())
      continue;
    (isa<LoadInst>(I) ? Found.Loads : Found.Stores)
        .push_back({Base, R->getStart(), Step, Bytes});
    Found.Narrowest =
        Found.Narrowest ? std::min(Found.Narrowest, Bytes) : Bytes;
  }
  if (!Found.Narrowest || VectorBytes / Found.Narrowest < LeastNumbers)
    return std::nullopt;
  // It may be short.
  const uint64_t Fill = shortOf(Found);
  if (SE.getUnsignedRange(Count).getUnsignedMin().uge(Fill - 1))
    return std::nullopt;
  return Found;
}

/// Vectors of Reader may have bytes of two vectors of Writer: both go through
/// one array, and do not begin at the same place or a whole number of vectors
/// apart.
bool ShortLoops::waits(const ShortLoop &Reader, const ShortLoop &Writer) const {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(D);
  return any_of(Reader.Loads, [&](const Row &L) {
    return any_of(Writer.Stores, [&](const Row &S) {
      if (L.Base != S.Base)
        return false;
      if (L.Step != S.Step || L.Bytes != S.Bytes)
        return true;
      const auto *Apart =
          dyn_cast<SCEVConstant>(SE.getMinusSCEV(L.First, S.First));
      return !Apart || Apart->getAPInt().abs().urem(VectorBytes) != 0;
    });
  });
}

/// Loops directly within Around. Empty if none of them waits for another.
SmallVector<ShortLoop, 0> ShortLoops::loopsIn(const Loop &Around) const {
  SmallVector<ShortLoop, 0> Found;
  for (Loop *L : Around)
    if (std::optional<ShortLoop> S = look(*L))
      Found.push_back(std::move(*S));
  const bool Some = any_of(Found, [&](const ShortLoop &Reader) {
    return any_of(Found, [&](const ShortLoop &Writer) {
      return &Writer != &Reader && waits(Reader, Writer);
    });
  });
  if (!Some)
    Found.clear();
  return Found;
}

/// The loop as it is, marked for LLVM's passes.
static void keepScalar(Loop &L) {
  LLVMContext &C = L.getHeader()->getContext();
  auto Say = [&](StringRef What, Metadata *Value) {
    SmallVector<Metadata *, 2> Parts{MDString::get(C, What)};
    if (Value)
      Parts.push_back(Value);
    return MDNode::get(C, Parts);
  };
  L.setLoopID(makePostTransformationMetadata(
      C, L.getLoopID(), {"llvm.loop.vectorize.", "llvm.loop.unroll."},
      {Say("llvm.loop.vectorize.enable",
           ConstantAsMetadata::get(ConstantInt::getFalse(C))),
       Say("llvm.loop.unroll.disable", nullptr)}));
}

/// It is known in front of Around how long Loops are, and Around may be there
/// twice.
bool ShortLoops::mayBeShort(Loop &Around, ArrayRef<ShortLoop> Loops) const {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(D);
  auto &LI = FAM.getResult<LoopAnalysis>(D);
  const BasicBlock *Before = Around.getLoopPreheader();
  size_t Size = 0;
  for (const BasicBlock *B : Around.blocks())
    Size += B->size();
  SCEVExpander Expand(SE, "rg.short");
  return Before && Size <= MostAround && Around.hasDedicatedExits() &&
         Around.getUniqueExitBlock() && Around.isSafeToClone() &&
         all_of(Loops, [&](const ShortLoop &S) {
           const SCEV *Count =
               SE.getBackedgeTakenCount(LI.getLoopFor(S.Header));
           return SE.isLoopInvariant(Count, &Around) &&
                  Expand.isSafeToExpandAt(Count, Before->getTerminator());
         });
}

/// Runs Around with Loops as scalars where all of them are short. The header of
/// that.
BasicBlock *ShortLoops::version(Loop &Around, ArrayRef<ShortLoop> Loops) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(D);
  auto &LI = FAM.getResult<LoopAnalysis>(D);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(D);
  formLCSSARecursively(Around, DT, &LI, &SE);
  BasicBlock *Before = Around.getLoopPreheader(),
             *Exit = Around.getUniqueExitBlock();
  SCEVExpander Expand(SE, "rg.short");
  IRBuilder<> B(Before->getTerminator());
  Value *AreShort = nullptr;
  SmallSetVector<std::pair<const SCEV *, uint64_t>, 4> Asked;
  for (const ShortLoop &S : Loops)
    Asked.insert(
        {SE.getBackedgeTakenCount(LI.getLoopFor(S.Header)), shortOf(S)});
  for (auto [Count, Trips] : Asked) {
    Value *N = Expand.expandCodeFor(Count, Count->getType(),
                                    Before->getTerminator()->getIterator());
    Value *IsShort =
        B.CreateICmpULT(N, ConstantInt::get(N->getType(), Trips - 1));
    AreShort = AreShort ? B.CreateAnd(AreShort, IsShort) : IsShort;
  }
  // A loop that does not run has no count.
  AreShort = B.CreateFreeze(AreShort, "rg.are.short");
  BasicBlock *Long =
      SplitBlock(Before, Before->getTerminator(), &DT, &LI, nullptr,
                 Around.getHeader()->getName() + ".long");
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Short = cloneLoopWithPreheader(Long, Before, &Around, Map, ".short",
                                       &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  Instruction *Old = Before->getTerminator();
  B.SetInsertPoint(Old);
  B.CreateCondBr(AreShort, Short->getLoopPreheader(), Long);
  Old->eraseFromParent();
  for (PHINode &Phi : Exit->phis())
    for (unsigned I = 0, E = Phi.getNumIncomingValues(); I != E; ++I) {
      auto V = Map.find(Phi.getIncomingValue(I));
      Phi.addIncoming(V == Map.end() ? Phi.getIncomingValue(I) : &*V->second,
                      cast<BasicBlock>(Map[Phi.getIncomingBlock(I)]));
    }
  for (const ShortLoop &S : Loops)
    keepScalar(*LI.getLoopFor(cast<BasicBlock>(Map[S.Header])));
  return Short->getHeader();
}

bool ShortLoops::run() {
  auto MayHaveShort = [&](const Loop &L) {
    return !L.isInnermost() && !loopsIn(L).empty();
  };
  auto Rewrite = [&](Loop &L) -> LoopHeaders {
    const SmallVector<ShortLoop, 0> Loops = loopsIn(L);
    if (!mayBeShort(L, Loops))
      return {};
    return {version(L, Loops), L.getHeader()};
  };
  return rewriteLoops(D, FAM, MayHaveShort, Rewrite);
}

/// In a finished derivative. True if it was changed.
bool retrograd::splitShortLoops(Function &Derivative,
                                FunctionAnalysisManager &FAM) {
  if (Derivative.isDeclaration() || Derivative.hasOptSize() ||
      Derivative.hasFnAttribute(Attribute::NoImplicitFloat))
    return false;
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  return ShortLoops(Derivative, FAM).run();
}
