//===- LoopNests.cpp - which nests are changed, and what is told ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outermost loops first; where one is no nest for us, the loops in it are
// tried. A loop alone is left to LLVM. After a change all analyses are made
// again, so headers of nests that are done are remembered.
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNests.h"
#include "Loops/Generate.h"
#include "Loops/PrintNest.h"
#include "Loops/SameNumber.h"
#include "Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

#define DEBUG_TYPE "rg-loops"
STATISTIC(NumLooked, "nests looked at");
STATISTIC(NumRaised, "nests whose iterations are sets");
STATISTIC(NumChanged, "nests that run in another order");

/// Cells become registers, lanes share what they load.
static void tidy(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager Passes;
  Passes.addPass(SimplifyCFGPass());
  Passes.addPass(InstCombinePass());
  Passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Passes.addPass(InstCombinePass());
  Passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  Passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Passes.addPass(DSEPass());
  Passes.addPass(InstCombinePass());
  Passes.addPass(SimplifyCFGPass());
  Passes.run(F, FAM);
}

/// Of functions that were made of loops that threads share.
static const char *const ThreadsAttribute = "rg-loop-threads";

/// Orders are chosen for so many threads, if for more than one.
static constexpr unsigned TypicalThreads = 8;

/// What LLVM knows of the machine that code is made for.
static Machine machine(const TargetTransformInfo &TTI, bool Threads) {
  Machine M;
  if (Threads)
    M.Threads = TypicalThreads;
  if (unsigned Bits =
          TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
              .getFixedValue())
    M.VectorBytes = Bits / 8;
  M.Registers = TTI.getNumberOfRegisters(TTI.getRegisterClassForType(true));
  if (auto Bytes = TTI.getCacheSize(TargetTransformInfo::CacheLevel::L1D))
    M.L1 = *Bytes;
  if (auto Bytes = TTI.getCacheSize(TargetTransformInfo::CacheLevel::L2D))
    M.L2 = *Bytes;
  return M;
}

namespace {

/// A nest, and orders for it.
struct Attempt {
  std::unique_ptr<Nest> N;
  std::unique_ptr<Scheduler> Order;
  std::vector<Scheduler::Proposal> Orders;

  /// The best order is not for this place in the pipeline.
  bool IsLater = false;

  /// Cycles of the best order, or of the program's.
  double cycles() const {
    return Order->cyclesOfProgram() *
           (Orders.empty() || IsLater ? 1 : Orders.front().Cost);
  }
};

/// The nests of one function.
class Improver {
public:
  Improver(Function &F, FunctionAnalysisManager &FAM, const LoopNestOptions &O)
      : F(F), FAM(FAM), O(O) {}
  bool run();
  SharedLoops Made;

private:
  /// What was done to L's nest.
  enum Outcome { NoNest, Left, Changed };
  Outcome improve(Loop &L);
  Attempt attempt(Loop &L, loops::RaiseOptions How, std::string &WhyNot,
                  Instruction *&At);
  void tryAgain(Loop &L, loops::RaiseOptions How, bool Any, Attempt &Best);
  void remark(const Instruction *At, const Loop &L, bool Done,
              const Twine &Text);

  Function &F;
  FunctionAnalysisManager &FAM;
  const LoopNestOptions O;
  SmallPtrSet<const BasicBlock *, 16> Done; ///< headers
};

} // namespace

void Improver::remark(const Instruction *At, const Loop &L, bool Done,
                      const Twine &Text) {
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  const DebugLoc Where =
      At && At->getDebugLoc() ? At->getDebugLoc() : L.getStartLoc();
  if (Done)
    ORE.emit(OptimizationRemark("rg-loops", "Nest", Where, L.getHeader())
             << Text.str());
  else
    ORE.emit(OptimizationRemarkMissed("rg-loops", "Nest", Where, L.getHeader())
             << Text.str());
}

/// S keeps in registers what several iterations share.
static bool hasTiles(const Schedule &S) {
  return !S.Jams.empty() &&
         none_of(S.Jams, [](const Jam &J) { return J.Strip; });
}

Attempt Improver::attempt(Loop &L, loops::RaiseOptions How, std::string &WhyNot,
                          Instruction *&At) {
  Attempt A;
  A.N = raise(L, FAM.getResult<LoopAnalysis>(F),
              FAM.getResult<ScalarEvolutionAnalysis>(F),
              FAM.getResult<AAManager>(F),
              FAM.getResult<DominatorTreeAnalysis>(F), How, WhyNot, At);
  if (!A.N)
    return A;
  A.Order = std::make_unique<Scheduler>(
      *A.N, machine(FAM.getResult<TargetIRAnalysis>(F), O.Threads));
  if (A.Order->find())
    A.Orders = O.AnyOrder ? A.Order->any(O.AnyOrder) : A.Order->search();
  // Columns of a derivative that run side by side do what strips do.
  A.IsLater = O.Columns && !O.AnyOrder && !A.Orders.empty() &&
              !hasTiles(A.Orders.front().S);
  return A;
}

/// What is stored besides has to pay.
static constexpr double MemoryPays = 0.7;
/// Of the program's time: what is faster than that without more memory will do.
static constexpr double WorthMemory = 0.3;

/// Raises L otherwise: takes that if its best order is cheaper by far, or, of
/// orders of chance, if Any.
void Improver::tryAgain(Loop &L, loops::RaiseOptions How, bool Any,
                        Attempt &Best) {
  std::string Unused;
  Instruction *Nowhere = nullptr;
  Attempt Other = attempt(L, How, Unused, Nowhere);
  if (Other.N && !Other.Orders.empty() &&
      (O.AnyOrder ? Any : Other.cycles() < MemoryPays * Best.cycles()))
    Best = std::move(Other);
}

Improver::Outcome Improver::improve(Loop &L) {
  std::string WhyNot;
  Instruction *At = nullptr;
  ++NumLooked;
  loops::RaiseOptions How;
  Attempt Best = attempt(L, How, WhyNot, At);
  if (Best.N && Best.N->HasSums) {
    How.SumsInMemory = true;
    tryAgain(L, How, !(O.AnyOrder & 1), Best);
  }
  // Threads would each need what is in memory once.
  const auto &Library = FAM.getResult<TargetLibraryAnalysis>(F);
  if (Best.N && Best.N->HasOuterNumbers && !O.Threads &&
      Library.has(LibFunc_malloc) && Library.has(LibFunc_free) &&
      (O.AnyOrder ||
       Best.cycles() > WorthMemory * Best.Order->cyclesOfProgram())) {
    How.CellsInMemory = true;
    tryAgain(L, How, !(O.AnyOrder & 2), Best);
  }
  std::unique_ptr<Nest> &N = Best.N;
  if (O.Print)
    printNest(L, N.get(), WhyNot);
  if (!N) {
    remark(At, L, false, "loop nest left as it is: " + WhyNot);
    return NoNest;
  }
  ++NumRaised;
  Scheduler &Order = *Best.Order;
  std::vector<Scheduler::Proposal> &Orders = Best.Orders;
  if (O.Print)
    printOrders(*N, Orders);
  if (Orders.empty()) {
    remark(nullptr, L, false,
           N->Context.exceeded()
               ? "loop nest left as it is: its dependences take too long"
               : "loop nest left as it is: no order that is allowed is better");
    return Left;
  }
  if (!O.Change || Best.IsLater)
    return Left;
  SmallPtrSet<const BasicBlock *, 32> Known;
  for (BasicBlock &B : F)
    Known.insert(&B);
  const unsigned Before = Made.Functions.size();
  Made.Copies = false;
  // Of an order for threads, no loop may be one that they can share.
  const auto *Taken =
      find_if(Orders, [&](const Scheduler::Proposal &P) {
        return generate(*N, Order, P.S, O.Threads, O.AnyOrder != 0, Made);
      }).base();
  if (Taken == Orders.data() + Orders.size()) {
    const std::string &Did = Orders.front().Did;
    remark(nullptr, L, false,
           Did.empty()
               ? "loop nest left as it is: no loop can be shared by threads"
               : "loop nest left as it is: code for the better order (" + Did +
                     ") takes too much");
    return Left;
  }
  std::string Did = Taken->Did;
  if (Made.Functions.size() != Before)
    Did += Did.empty() ? "by threads" : ", by threads";
  if (Made.Copies)
    Did += ", which add to copies";
  remark(nullptr, L, true, "loop nest: " + Did);
  ++NumChanged;
  // What is new is done.
  for (BasicBlock &B : F)
    if (!Known.contains(&B))
      Done.insert(&B);
  for (Loop *Inner : L.getLoopsInPreorder()) {
    Done.insert(Inner->getHeader());
    addStringMetadataToLoop(Inner, OrderedLoop, 1);
  }
  return Changed;
}

bool Improver::run() {
  bool Any = false;
  for (bool Again = true; Again;) {
    Again = false;
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    SmallVector<Loop *, 8> Todo(LI.begin(), LI.end());
    while (!Todo.empty() && !Again) {
      Loop *L = Todo.pop_back_val();
      // A derivative's nests are looked at when it is made, and once more in
      // front of the vectoriser, with all others.
      if (L->isInnermost() || getBooleanLoopAttribute(L, OrderedLoop))
        continue;
      Outcome Of = NoNest;
      if (Done.insert(L->getHeader()).second)
        Of = improve(*L);
      if (Of == Changed)
        Any = Again = true;
      else if (Of == NoNest)
        append_range(Todo, *L);
    }
    if (Again)
      FAM.invalidate(F, PreservedAnalyses::none());
  }
  return Any;
}

/// Loops are in the form in which they are looked at; true if there is a nest.
static bool prepare(Function &F, FunctionAnalysisManager &FAM) {
  if (F.isDeclaration() || F.hasOptNone() || F.hasOptSize() ||
      F.isPresplitCoroutine() || Target(*F.getParent()).manyThreads() ||
      F.getDataLayout().getPointerSizeInBits(0) != 64)
    return false;
  if (all_of(FAM.getResult<LoopAnalysis>(F),
             [](Loop *L) { return L->isInnermost(); }))
    return false;
  FunctionPassManager Form;
  Form.addPass(LoopSimplifyPass());
  Form.addPass(LCSSAPass());
  FAM.invalidate(F, Form.run(F, FAM));
  if (loops::computeAgain(F, FAM.getResult<LoopAnalysis>(F),
                          FAM.getResult<ScalarEvolutionAnalysis>(F),
                          FAM.getResult<DominatorTreeAnalysis>(F)))
    FAM.invalidate(F, PreservedAnalyses::none());
  return true;
}

bool retrograd::haveLoopNests() { return true; }

bool retrograd::improveNests(Function &F, FunctionAnalysisManager &FAM,
                             const LoopNestOptions &O) {
  // A function that was made here is in the best order.
  if (F.hasFnAttribute(ThreadsAttribute) || !prepare(F, FAM))
    return false;
  Improver Nests(F, FAM, O);
  if (!Nests.run())
    return false;
  tidy(F, FAM);
  for (Function *Loop : Nests.Made.Functions) {
    Loop->addFnAttr(ThreadsAttribute);
    tidy(*Loop, FAM);
  }
  return true;
}

PreservedAnalyses LoopNestsPass::run(Function &F,
                                     FunctionAnalysisManager &FAM) {
  // Where loops have only been brought into their form, prepare() has told.
  return improveNests(F, FAM, O) ? PreservedAnalyses::none()
                                 : PreservedAnalyses::all();
}
