//===- ScalarChains.cpp - carried numbers stay scalars --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long an iteration waits is the longest way through its arithmetic from a
// carried number to what the next iteration gets in its place; what it has to
// do are its operations, so many at a time as the machine has units for them.
// Both are lower bounds in cycles of today's processors for arithmetic alone.
//
// Only numbers that depend on each other crosswise count: a sum on its own, or
// several side by side, are packed without shuffles.
//
//===----------------------------------------------------------------------===//

#include "Polish/ScalarChains.h"
#include "Polish/PolishSteps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace retrograd;

static constexpr StringRef HasScalarChains = "rg-scalar-chains";

/// Cycles from operands to result, and operations that begin in a cycle.
static constexpr int Latency = 4, PerCycle = 2;
/// A loop with more arithmetic has enough to do while it waits.
static constexpr unsigned MostOperations = 200;

static bool isArithmetic(const Instruction &I) {
  if (!I.getType()->isFPOrFPVectorTy())
    return false;
  if (const auto *C = dyn_cast<IntrinsicInst>(&I))
    return !C->mayReadOrWriteMemory();
  return I.isBinaryOp() || I.isUnaryOp();
}

/// A product that becomes part of the operation that it is added by.
static bool isFused(const Instruction &I) {
  if (I.getOpcode() != Instruction::FMul || !I.hasAllowContract() ||
      !I.hasOneUse())
    return false;
  const auto *User = cast<Instruction>(*I.user_begin());
  return (User->getOpcode() == Instruction::FAdd ||
          User->getOpcode() == Instruction::FSub) &&
         User->hasAllowContract() && User->getParent() == I.getParent();
}

namespace {
/// The longest ways through an iteration of L from one of its carried numbers.
class Ways {
public:
  Ways(const Loop &L, const PHINode &From) : L(L), From(From) {}

  /// Cycles from there to V; none if V does not depend on it.
  std::optional<int> to(const Value *V) {
    if (V == &From)
      return 0;
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I) ||
        (isa<PHINode>(I) && I->getParent() == L.getHeader()))
      return std::nullopt;
    // Blocks of an innermost loop have no other cycle than that of its header.
    auto [It, New] = Found.try_emplace(I, std::nullopt);
    if (!New)
      return It->second;
    std::optional<int> Longest;
    for (const Value *Op : I->operands())
      if (std::optional<int> Way = to(Op))
        Longest = std::max(Longest.value_or(0), *Way);
    if (Longest && isArithmetic(*I) && !isFused(*I))
      *Longest += Latency;
    return Found[I] = Longest;
  }

private:
  const Loop &L;
  const PHINode &From;
  DenseMap<const Instruction *, std::optional<int>> Found;
};
} // namespace

/// An iteration of L waits for numbers of the one before, which depend on each
/// other crosswise, and has less to do than it waits.
static bool waitsForChain(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!L.isInnermost() || !Latch)
    return false;
  int Operations = 0;
  unsigned All = 0;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B) {
      if (I.getType()->isVectorTy() || ++All > 8 * MostOperations)
        return false;
      const auto *C = dyn_cast<CallBase>(&I);
      if (C && C->getType()->isFPOrFPVectorTy() && !isArithmetic(I))
        return false; // who knows how long it takes
      Operations += isArithmetic(I) && !isFused(I);
    }
  if (Operations > int(MostOperations))
    return false;
  SmallVector<const PHINode *, 8> Carried;
  for (const PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isFloatingPointTy())
      Carried.push_back(&Phi);
  // From each to what takes the place of each.
  SmallVector<SmallVector<std::optional<int>, 8>, 8> Way;
  for (const PHINode *From : Carried) {
    Ways Through(L, *From);
    for (auto &Row = Way.emplace_back(); const PHINode *To : Carried)
      Row.push_back(Through.to(To->getIncomingValueForBlock(Latch)));
  }
  int Waits = 0; // twice: over two iterations
  for (size_t P = 0; P != Carried.size(); ++P)
    for (size_t Q = P + 1; Q != Carried.size(); ++Q)
      if (std::optional<int> To = Way[P][Q], Back = Way[Q][P]; To && Back)
        Waits = std::max({Waits, *To + *Back, 2 * Way[P][P].value_or(0),
                          2 * Way[Q][Q].value_or(0)});
  return Waits * PerCycle > 2 * Operations;
}

/// In a finished derivative. True if it was changed.
bool retrograd::keepScalarChains(Function &Derivative,
                                 FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(Derivative);
  SmallPtrSet<const Loop *, 4> Waiting;
  for (const BasicBlock &B : Derivative) {
    const Loop *L = LI.getLoopFor(&B);
    if (!L || Waiting.contains(L) || none_of(B, isArithmetic))
      continue;
    if (!waitsForChain(*L))
      return false;
    Waiting.insert(L);
  }
  if (Waiting.empty())
    return false;
  Derivative.addFnAttr(HasScalarChains);
  return true;
}

void retrograd::passOverScalarChains(PassInstrumentationCallbacks &Callbacks) {
  Callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef Pass, const Any &IR) {
        const auto *F = any_cast<const Function *>(&IR);
        return Pass != "SLPVectorizerPass" || !F ||
               !(*F)->hasFnAttribute(HasScalarChains);
      });
}
