//===- PreparePrimal.cpp - private, normalised clones of primals ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Five steps, each over everything that the function to prepare can call:
//
//   clone     the function and what it calls directly, where a return can
//             still be reached; collect what only unoptimised code knows
//   shrink    callees before callers: inline what is small, simplify quickly
//   simplify  what is left after inlining, by LLVM's own -O2 pipeline; calls
//             that this makes direct go through the first two steps
//   peel      first iterations that take a way of their own
//   normalise control flow; drop markers
//
// Primal.def has the steps in detail, in their order.
//
// At -O2 the first two find little to do. At -O0 they are why a chain of twenty
// STL wrappers ends up as the loop it stands for.
//
//===----------------------------------------------------------------------===//

#include "Primal/PreparePrimal.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/Catalogue.h"
#include "Emit/Shortcuts.h"
#include "Entry/Hints.h"
#include "Guard/KeepEqualities.h"
#include "Parallel/HostLaunches.h"
#include "Parallel/OpenMPForm.h"
#include "Parallel/Reaches.h"
#include "Parallel/ThreadForm.h"
#include "Primal/ClonePrimal.h"
#include "Primal/Device/PtxAssembly.h"
#include "Primal/Device/ScopedAtomics.h"
#include "Primal/Device/WordShuffles.h"
#include "Primal/DispatchCalls.h"
#include "Primal/ElementMoves.h"
#include "Primal/Language/FortranTypes.h"
#include "Primal/Language/HashTables.h"
#include "Primal/Language/LowerExceptions.h"
#include "Primal/Language/PrimalEvidence.h"
#include "Primal/Optimise/FirstIterations.h"
#include "Primal/Optimise/NonNull.h"
#include "Primal/Optimise/Segments.h"
#include "Primal/PrimalNormalForm.h"
#include "Primal/PrimalSteps.h"
#include "Primal/VariadicCalls.h"
#include "Support/DeviceMarks.h"
#include "Support/DispatchMarks.h"
#include "Support/Options.h"
#include "Support/TeamMarks.h"
#include "Target/Target.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Callees up to this size (in instructions) are inlined.
constexpr unsigned SmallCallee = 300;
/// Callees with one call site, up to this.
constexpr unsigned OnlyCallee = 3000;
/// Nothing grows beyond this by inlining.
constexpr unsigned LargestCaller = 20000;
/// Rounds of inlining and simplifying one function.
constexpr unsigned MostRounds = 6;

/// A function of the user and its clone.
struct Primal {
  Function *Original = nullptr;
  Function *Clone = nullptr; ///< null: the root of a call graph walk
  /// The user asked that it is not inlined (at -O0, clang asks always; that
  /// does not count).
  bool KeepApart = false;
  /// Marked always_inline: the user's, where the host did not do so already,
  /// and routines of the runtime that shrink where their arguments are known.
  bool InlineAlways = false;
  /// As the front end left it.
  bool Unoptimised = false;
  /// Part of a cycle of the call graph.
  bool Recursive = false;
  /// Exceptions were brought into our form.
  bool Lowered = false;
  /// Calls that name Original, in the bodies that were cloned.
  unsigned CallSites = 0;
  enum { Cloned, Shrunk, Prepared } State = Cloned;
  /// Direct callees; for the walk over the call graph only.
  SmallVector<Primal *, 4> Callees;
};

} // namespace

template <> struct llvm::GraphTraits<Primal *> {
  using NodeRef = Primal *;
  using ChildIteratorType = SmallVectorImpl<Primal *>::iterator;
  static NodeRef getEntryNode(Primal *P) { return P; }
  static ChildIteratorType child_begin(Primal *P) { return P->Callees.begin(); }
  static ChildIteratorType child_end(Primal *P) { return P->Callees.end(); }
};

struct PreparePrimal::Impl {
  Module &M;
  FunctionAnalysisManager &FAM;
  const Catalogue &Cat;
  const Options &Opts;
  StepRunner Steps;
  RuntimeLibrary Runtime;
  PrimalSimplifier Simplifier;
  /// In the order of cloning.
  SmallVector<std::unique_ptr<Primal>, 16> Primals;
  DenseMap<const Function *, Primal *> ByOriginal, ByClone;
  std::optional<SmallPtrSet<const StructType *, 8>>
      InUnions; ///< structsInUnions(M), once asked for
  /// Attributes of library functions as LLVM infers them when optimising; see
  /// describeLibraryCalls. In a module of their own: the user's declarations
  /// are not ours to change.
  Module LibraryFacts;
  ExceptionLowering Exceptions;
  CallDispatch Dispatch;
  OpenMPForm Regions;
  ThreadForm Threads;
  /// Functions of the user whose exceptions can be caught in differentiated
  /// code: their primals return them.
  SmallPtrSet<const Function *, 8> Watched;
  /// One of them was found out when its clone was made already.
  bool WatchedTooLate = false;
  /// The function that prepare() was asked for.
  const Constant *Asked = nullptr;
  /// Functions of the user to inline whatever speaks against it.
  SmallPtrSet<const Function *, 4> Inseparable;
  /// Asked of the module once: each clone would have to look at all functions.
  const bool ModuleLaunches;

  Impl(Module &M, ModuleAnalysisManager &MAM, const Catalogue &Cat,
       const Options &Opts)
      : M(M),
        FAM(MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager()),
        Cat(Cat), Opts(Opts), Steps(Opts), Runtime(M),
        LibraryFacts("rg.library.facts", M.getContext()), Exceptions(M, Cat),
        Dispatch(M, Cat), Regions(M), Threads(M),
        ModuleLaunches(hasLaunches(M)) {
    LibraryFacts.setDataLayout(M.getDataLayout());
    LibraryFacts.setTargetTriple(M.getTargetTriple());
  }

  Primal *primalOf(const Function *Original) const {
    return ByOriginal.lookup(Original);
  }

  /// Calls of F are looked into: it has a body, and neither the user nor, of
  /// the runtime's own routines, the catalogue says more.
  bool isTransparent(const Function &F) const;
  void cloneReachable(Function &F, SmallVectorImpl<Primal *> &New);
  void shrink(ArrayRef<Primal *> New);
  void shrinkOne(Primal &P);
  void prepareFrom(Primal &Root);
  void separateMovers(Primal &Asked);

  Primal *clone(Function &F);
  void runClonedSteps(Primal &P);
  bool runSettledSteps(Primal &P);
  void runNormalSteps(Primal &P);
  bool separateBuckets(Function &F);
  void resolveCalls(Function &Clone);
  void replaceAssembly(CallBase &Assembly);
  void describeLibraryCalls(Function &Clone);
  void noteNoUnwind(Primal &P);
  bool inlineCalls(Primal &Caller);
  bool wantInline(CallBase &Call, const Primal &Caller, const Primal &Callee,
                  unsigned CallerSize);
  bool cloneNewCallees(Primal &P);
  bool mayBecomePrimal(const Function &F) const;
  bool watch(Primal &P);
  void noteThoseThatCannotThrow(ArrayRef<Primal *> New);
  void lowerExceptions(ArrayRef<Primal *> New);
  void disposeOfClones();
  void verify(const Function &Clone, StringRef Stage);
};

static bool hasUsableBody(const Function &F) {
  return !F.isDeclaration() && !F.hasFnAttribute(Attribute::Naked) &&
         !F.isPresplitCoroutine() && !F.getName().starts_with("__enzyme_");
}

bool PreparePrimal::Impl::isTransparent(const Function &F) const {
  if (!hasUsableBody(F) || Cat.declared(F) ||
      F.hasFnAttribute(HeldLibraryFunction))
    return false;
  // Our own routines with a record have their derivative there.
  const OperationRecord *R = Cat.lookupFunction(F);
  return !R || !R->OfRuntime;
}

/// Calls in blocks from which a return can be reached. The callee, if direct.
static SmallVector<std::pair<CallBase *, Function *>, 16>
directCalls(Function &F) {
  SmallVector<std::pair<CallBase *, Function *>, 16> Calls;
  auto Returning = blocksThatReturn(F);
  for (BasicBlock &BB : F)
    if (Returning.contains(&BB))
      for (Instruction &I : BB)
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (Function *Callee = Call->getCalledFunction();
              Callee && !Callee->isIntrinsic())
            Calls.push_back({Call, Callee});
  return Calls;
}

/// Constants that From refer to, directly or not, functions by what they do.
static SmallSetVector<const Constant *, 32>
referredTo(ArrayRef<const Constant *> From) {
  SmallSetVector<const Constant *, 32> Found(From.begin(), From.end());
  auto Visit = [&](const Value *V) {
    if (const auto *C = dyn_cast<Constant>(V))
      Found.insert(C);
  };
  for (unsigned Next = 0; Next < Found.size(); ++Next) {
    const Constant *C = Found[Next];
    for_each(C->operands(), Visit); // an initialiser, an aliasee, a personality
    if (const auto *F = dyn_cast<Function>(C))
      for (const Instruction &I : instructions(*F))
        for_each(I.operands(), Visit);
  }
  return Found;
}

/// Words that F loads and only stores again, by whatever name: as part of its
/// callers they must not count as other memory than the numbers there.
static void forgetTypesOfMovedWords(Function &F) {
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->getType()->isIntOrIntVectorTy() ||
        !all_of(Load->users(), [](const User *U) { return isa<StoreInst>(U); }))
      continue;
    Load->setMetadata(LLVMContext::MD_tbaa, nullptr);
    for (User *U : Load->users())
      cast<StoreInst>(U)->setMetadata(LLVMContext::MD_tbaa, nullptr);
  }
}

Primal *PreparePrimal::Impl::clone(Function &F) {
  Function *Clone = clonePrimal(F);
  auto Owned = std::make_unique<Primal>();
  Primal *P = Owned.get();
  P->Original = &F;
  P->Clone = Clone;
  P->Unoptimised = F.hasFnAttribute(Attribute::OptimizeNone);
  P->KeepApart = F.hasFnAttribute(Attribute::NoInline) && !P->Unoptimised;
  P->InlineAlways = F.hasFnAttribute(Attribute::AlwaysInline);
  for (Attribute::AttrKind K :
       {Attribute::OptimizeNone, Attribute::NoInline, Attribute::AlwaysInline,
        Attribute::MinSize, Attribute::OptimizeForSize, Attribute::InlineHint,
        Attribute::Cold})
    Clone->removeFnAttr(K);

  Primals.push_back(std::move(Owned));
  ByOriginal[&F] = P;
  ByClone[Clone] = P;

  runClonedSteps(*P);
  if (P->Unoptimised) {
    if (!InUnions)
      InUnions = structsInUnions(M);
    markWrittenIntegers(*Clone, *InUnions);
    makeCopiesTyped(*Clone);
    describeLibraryCalls(*Clone);
  }
  if (Inseparable.contains(&F))
    forgetTypesOfMovedWords(*Clone);
  return P;
}

void PreparePrimal::Impl::runClonedSteps(Primal &P) {
  Function &F = *P.Clone;
  auto RewriteLaunches = [&] {
    if (ModuleLaunches)
      rewriteLaunches(F);
  };
#define CLONED_STEP(ID, NAME, DEMAND, RUN, WHY)                                \
  Steps.run(step::ID, F, [&] { return RUN; });
#include "Primal/Primal.def"
}

/// True if some step changed the clone.
bool PreparePrimal::Impl::runSettledSteps(Primal &P) {
  Function &F = *P.Clone;
  bool Changed = false;
#define SETTLED_STEP(ID, NAME, DEMAND, RUN, WHY)                               \
  Changed |= Steps.run(step::ID, F, [&] { return RUN; });
#define LATE_STEP(ID, NAME, DEMAND, RUN, WHY)                                  \
  Changed = Changed || Steps.run(step::ID, F, [&] { return RUN; });
#include "Primal/Primal.def"
  return Changed;
}

bool PreparePrimal::Impl::separateBuckets(Function &F) {
  bool Changed = separateSingleBuckets(F);
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}

void PreparePrimal::Impl::runNormalSteps(Primal &P) {
  Function &F = *P.Clone;
#define NORMAL_STEP(ID, NAME, DEMAND, RUN, WHY)                                \
  Steps.run(step::ID, F, [&] { return RUN; });
#include "Primal/Primal.def"
}

void PreparePrimal::Impl::replaceAssembly(CallBase &Assembly) {
  auto Known =
      isa<CallInst>(Assembly) ? Cat.intrinsicOf(Assembly) : std::nullopt;
  if (!Known)
    return;
  auto *Call = CallInst::Create(Known->Declaration, Known->Operands, "",
                                Assembly.getIterator());
  Call->takeName(&Assembly);
  Call->setDebugLoc(Assembly.getDebugLoc());
  Assembly.replaceAllUsesWith(Call);
  Assembly.eraseFromParent();
}

/// Call calls Routine instead, if that takes the same operands. Operands behind
/// those of Routine are dropped: the catalogue's prototype allowed for them
/// (lengths of character arguments, which Fortran compilers append).
static void redirect(CallBase &Call, Function &Routine) {
  FunctionType *T = Routine.getFunctionType();
  if (T->getReturnType() != Call.getType() ||
      T->getNumParams() > Call.arg_size())
    return;
  for (unsigned I = 0; I != T->getNumParams(); ++I)
    if (T->getParamType(I) != Call.getArgOperand(I)->getType())
      return;
  if (T->getNumParams() == Call.arg_size()) {
    Call.setCalledFunction(&Routine);
    Call.setCallingConv(Routine.getCallingConv());
    return;
  }
  SmallVector<Value *, 16> Operands(Call.args().begin(),
                                    Call.args().begin() + T->getNumParams());
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = InvokeInst::Create(&Routine, Invoke->getNormalDest(),
                             Invoke->getUnwindDest(), Operands, "",
                             Call.getIterator());
  else
    New = CallInst::Create(&Routine, Operands, "", Call.getIterator());
  New->setCallingConv(Routine.getCallingConv());
  New->setDebugLoc(Call.getDebugLoc());
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

/// What LLVM would find out in the body of a member that is known by name.
static void describeHeldMember(CallBase &Call, const OperationRecord &R) {
  if (R.Class == RuleClass::Inactive && R.Memory == "r")
    Call.setOnlyReadsMemory();
  // A reference to a whole object is one to its own.
  if (R.OfCharacters && R.OfRuntime && !Call.arg_empty() &&
      Call.getType()->isPointerTy() &&
      Call.getRetDereferenceableBytes() >=
          Call.getDataLayout().getPointerSize() &&
      Call.getArgOperand(0)->getType()->isPointerTy())
    Call.addParamAttr(0, Attribute::Returned);
}

/// Callees become functions where they were aliases (of constructors, mostly),
/// and routines of the runtime where the catalogue says that their derivative
/// is that routine's. Inline assembly becomes the intrinsic that it is.
void PreparePrimal::Impl::resolveCalls(Function &Clone) {
  Dispatch.resolveKnown(Clone);
  const Primal *P = ByClone.lookup(&Clone);
  Threads.rewrite(Clone, P && startsWork(*P->Original));
  writeFortranTypes(Clone, Runtime);
  fixVariadicCalls(Clone);
  if (Target(M).runtime() == RuntimeKind::Nvidia)
    spellOutPtx(Clone);
  bool OwnersMove = false;
  for (Instruction &I : make_early_inc_range(instructions(Clone))) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    if (Call->isInlineAsm()) {
      replaceAssembly(*Call);
      continue;
    }
    if (auto *Alias = dyn_cast<GlobalAlias>(Call->getCalledOperand()))
      if (auto *F = dyn_cast_or_null<Function>(Alias->getAliaseeObject());
          F && F->getFunctionType() == Call->getFunctionType() &&
          Alias->getAliasee()->stripPointerCasts() == F)
        Call->setCalledFunction(F);
    const OperationRecord *R = Cat.lookup(*Call);
    if (R)
      describeHeldMember(*Call, *R);
    if (!R || R->Class != RuleClass::Expansion)
      continue;
    OwnersMove |= R->MovesOwner;
    if (Function *Routine = Runtime.require(R->Expansion))
      redirect(*Call, *Routine);
  }
  if (OwnersMove)
    for (Instruction &I : instructions(Clone))
      I.setMetadata(LLVMContext::MD_tbaa, nullptr);
}

/// At -O0 nobody has told LLVM yet what library functions do: that sin changes
/// nothing but errno, and that malloc returns memory that nobody knows.
void PreparePrimal::Impl::describeLibraryCalls(Function &Clone) {
  const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(Clone);
  for (Instruction &I : instructions(Clone)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    LibFunc Known;
    if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic() ||
        Call->isNoBuiltin() || !TLI.getLibFunc(*Callee, Known) ||
        !TLI.has(Known))
      continue;
    Function *Facts = LibraryFacts.getFunction(Callee->getName());
    if (!Facts) {
      Facts = Function::Create(Callee->getFunctionType(),
                               GlobalValue::ExternalLinkage, Callee->getName(),
                               LibraryFacts);
      inferNonMandatoryLibFuncAttrs(*Facts, TLI);
    }
    LLVMContext &Ctx = Clone.getContext();
    const AttributeList Said = Facts->getAttributes();
    AttributeList All = Call->getAttributes();
    All = All.addFnAttributes(Ctx, AttrBuilder(Ctx, Said.getFnAttrs()));
    All = All.addRetAttributes(Ctx, AttrBuilder(Ctx, Said.getRetAttrs()));
    for (unsigned A = 0; A < Callee->arg_size(); ++A) {
      AttrBuilder OfParam(Ctx, Said.getParamAttrs(A));
      // LLVM turns strcpy into an intrinsic without result and would hand this
      // on to it; uses of the result become uses of the argument all the same.
      OfParam.removeAttribute(Attribute::Returned);
      All = All.addParamAttributes(Ctx, A, OfParam);
    }
    Call->setAttributes(All);
  }
}

/// Clones F and all it may call that has no clone yet.
void PreparePrimal::Impl::cloneReachable(Function &F,
                                         SmallVectorImpl<Primal *> &New) {
  SmallVector<Function *, 16> Work{&F};
  for (unsigned Next = 0; Next < Work.size(); ++Next) {
    Function *Original = Work[Next];
    if (primalOf(Original))
      continue;
    Primal *P = clone(*Original);
    New.push_back(P);
    for (auto [Call, Callee] : directCalls(*P->Clone))
      if (isTransparent(*Callee))
        Work.push_back(Callee);
  }
}

/// F has a body, or gets one by preparation.
bool PreparePrimal::Impl::mayBecomePrimal(const Function &F) const {
  if (!hasUsableBody(F) || F.isIntrinsic())
    return false;
  const OperationRecord *R = Cat.lookupFunction(F);
  return !R || !R->OfRuntime;
}

/// Finds functions whose exceptions P can catch, or that pass through P to
/// somebody who can. True if some were not known before.
bool PreparePrimal::Impl::watch(Primal &P) {
  bool Grew = false;
  for (Function *Callee :
       ExceptionLowering::watched(*P.Clone, Watched.contains(P.Original))) {
    if (!mayBecomePrimal(*Callee) || !Watched.insert(Callee).second)
      continue;
    Grew = true;
    if (Primal *Known = primalOf(Callee); Known && Known->Lowered)
      WatchedTooLate = true;
  }
  return Grew;
}

/// Unoptimised code does not say it: a function that calls nobody who throws
/// does not, either. Handlers around its calls are dead then.
void PreparePrimal::Impl::noteThoseThatCannotThrow(ArrayRef<Primal *> New) {
  SmallPtrSet<const Function *, 16> Quiet;
  for (Primal *P : New)
    Quiet.insert(P->Original);
  auto Throws = [&](const Instruction &I) {
    if (isa<ResumeInst>(I))
      return false; // goes on with what a call of this function threw
    const auto *C = dyn_cast<CallBase>(&I);
    return C && !C->doesNotThrow() && !isa<IntrinsicInst>(C) &&
           !C->isInlineAsm() &&
           !(C->getCalledFunction() && Quiet.contains(C->getCalledFunction()));
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Primal *P : New)
      if (Quiet.contains(P->Original) && !P->Original->doesNotThrow() &&
          any_of(instructions(*P->Clone), Throws))
        Changed |= Quiet.erase(P->Original);
  }
  for (Primal *P : New) {
    if (Quiet.contains(P->Original))
      P->Clone->setDoesNotThrow();
    for (Instruction &I : instructions(*P->Clone))
      if (auto *C = dyn_cast<CallBase>(&I);
          C && C->getCalledFunction() && Quiet.contains(C->getCalledFunction()))
        C->setDoesNotThrow();
  }
}

void PreparePrimal::Impl::lowerExceptions(ArrayRef<Primal *> New) {
  noteThoseThatCannotThrow(New);
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (Primal *P : New)
      Grew |= watch(*P);
  }
  auto HasBody = [this](const Function &F) { return mayBecomePrimal(F); };
  auto ReturnsThem = [this](const Function &F) { return Watched.contains(&F); };
  for (Primal *P : New) {
    Exceptions.lower(*P->Clone, Watched.contains(P->Original), HasBody,
                     ReturnsThem);
    P->Lowered = true;
    verify(*P->Clone, "lowering of exceptions");
  }
}

/// Inlines into and simplifies new clones, callees first.
void PreparePrimal::Impl::shrink(ArrayRef<Primal *> New) {
  Primal Root;
  for (Primal *P : New) {
    Root.Callees.push_back(P);
    P->Callees.clear();
    for (auto [Call, Callee] : directCalls(*P->Clone))
      if (Primal *C = primalOf(Callee)) {
        ++C->CallSites;
        P->Callees.push_back(C);
      }
  }
  // Finish the walk before anything changes: shrinking may find new callees and
  // walk over those.
  SmallVector<Primal *, 16> CalleesFirst;
  for (auto SCC = scc_begin(&Root); !SCC.isAtEnd(); ++SCC)
    for (Primal *P : *SCC) {
      if (SCC.hasCycle())
        P->Recursive = true;
      if (P->Clone && P->State == Primal::Cloned)
        CalleesFirst.push_back(P);
    }
  for (Primal *P : CalleesFirst)
    shrinkOne(*P);
}

void PreparePrimal::Impl::shrinkOne(Primal &P) {
  for (unsigned Round = 0; Round < MostRounds; ++Round) {
    bool Inlined = inlineCalls(P);
    if (!Inlined && Round)
      break;
    if (Inlined && P.Unoptimised)
      makeCopiesTyped(*P.Clone);
    dropEmptyAssembly(*P.Clone);
    Simplifier.simplifyQuickly(*P.Clone, FAM);
    resolveCalls(*P.Clone);
    verify(*P.Clone, "shrinking");
    // What has become direct: a function pointer that was an argument, a
    // virtual call of an object made here.
    cloneNewCallees(P);
  }
  noteNoUnwind(P);
  if (P.State == Primal::Cloned)
    P.State = Primal::Shrunk;
}

bool PreparePrimal::Impl::cloneNewCallees(Primal &P) {
  SmallVector<Primal *, 4> New;
  watch(P);
  Exceptions.checkCalls(
      *P.Clone, [this](const Function &F) { return Watched.contains(&F); });
  for (auto [Call, Callee] : directCalls(*P.Clone))
    if (isTransparent(*Callee) && !primalOf(Callee))
      cloneReachable(*Callee, New);
  if (New.empty())
    return false;
  lowerExceptions(New);
  shrink(New);
  return true;
}

/// A callee that cannot throw makes handlers in its callers dead.
void PreparePrimal::Impl::noteNoUnwind(Primal &P) {
  // A call of what is not differentiated runs the user's function, which
  // unwinds.
  if (P.Clone->doesNotThrow() || P.Clone->hasFnAttribute(ReturnsExceptions))
    return;
  for (Instruction &I : instructions(*P.Clone)) {
    if (!I.mayThrow())
      continue;
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Call->getCalledFunction() == P.Original)
      continue;
    return;
  }
  P.Clone->setDoesNotThrow();
}

/// Address may lie in memory that an argument leads to, also where a loop moves
/// it on.
static bool mayBeOfCaller(const Value *Address) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Address, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(Objects, [](const Value *O) { return isa<Argument>(O); });
}

/// F copies memory of its caller's, of a length and thus of a type that only
/// its calls tell: memcpy(to, from, n). Such a helper may move records for one
/// caller and numbers for another. One body for both would have one type for
/// all bytes, so each call gets a body of its own: by inlining, or, where that
/// cannot be (a recursive helper, a large one), by separateMovers.
static bool movesBytesOfItsCaller(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
    return Copy && !isa<ConstantInt>(Copy->getLength()) &&
           !Copy->hasMetadata(CopiesElements) &&
           (mayBeOfCaller(Copy->getRawDest()) ||
            mayBeOfCaller(Copy->getRawSource()));
  });
}

/// Marks copies of the user's functions that separateMovers made.
static constexpr StringLiteral CopyOfMover = "rg-copy-of-mover";

/// A function of the module that stands for F in one call.
static Function *copyOfMover(Function &F, bool WithBody) {
  Function *Copy;
  if (WithBody) {
    ValueToValueMapTy Map;
    Copy = CloneFunction(&F, Map);
    Copy->setLinkage(GlobalValue::InternalLinkage);
  } else {
    Copy = Function::Create(F.getFunctionType(), GlobalValue::ExternalLinkage,
                            F.getAddressSpace(), "", F.getParent());
  }
  Copy->setName(F.getName() + ".rg.copy");
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setComdat(nullptr);
  Copy->addFnAttr(CopyOfMover);
  return Copy;
}

bool PreparePrimal::Impl::wantInline(CallBase &Call, const Primal &Caller,
                                     const Primal &Callee,
                                     unsigned CallerSize) {
  if (Callee.Original->hasFnAttribute(RunsInTeam))
    return false; // a call of it is many
  unsigned Size = Callee.Clone->getInstructionCount();
  // The body is only read where the answer matters.
  bool Together = Inseparable.contains(Callee.Original) ||
                  ((Callee.KeepApart || Size > SmallCallee ||
                    Call.getAttributes().hasFnAttr(Attribute::NoInline)) &&
                   movesBytesOfItsCaller(*Callee.Clone));
  if (&Caller == &Callee || Callee.State == Primal::Cloned ||
      Callee.Recursive || (Callee.KeepApart && !Together) ||
      (Call.getAttributes().hasFnAttr(Attribute::NoInline) && !Together) ||
      Call.isMustTailCall() || Call.hasOperandBundles())
    return false;
  for (auto [Inner, Name] : directCalls(*Callee.Clone))
    if (Name == Callee.Original || Name == Caller.Original)
      return false; // turned out to be recursive
  // What cannot be differentiated must not drag down the other candidates.
  if ((Caller.Original->hasFnAttribute(DispatchesCalls) &&
       !Dispatch.isHarmless(*Callee.Clone)) ||
      (Callee.Original->hasFnAttribute(DispatchesCalls) &&
       !Dispatch.isClosed(*Callee.Clone)))
    return false;
  bool MayBeLarge = Callee.CallSites == 1 || Callee.InlineAlways || Together;
  if (Size > (MayBeLarge ? OnlyCallee : SmallCallee) ||
      Size + CallerSize > LargestCaller)
    return false;
  auto &TTI = FAM.getResult<TargetIRAnalysis>(*Caller.Clone);
  return AttributeFuncs::areInlineCompatible(*Caller.Clone, *Callee.Clone) &&
         TTI.areInlineCompatible(Caller.Clone, Callee.Clone) &&
         isInlineViable(*Callee.Clone).isSuccess();
}

bool PreparePrimal::Impl::inlineCalls(Primal &Caller) {
  Function &F = *Caller.Clone;
  bool Changed = false;
  unsigned Size = F.getInstructionCount();
  auto Assumptions = [this](Function &G) -> AssumptionCache & {
    return FAM.getResult<AssumptionAnalysis>(G);
  };
  for (auto [Call, Original] : directCalls(F)) {
    Primal *Callee = primalOf(Original);
    if (!Callee)
      continue;
    if (Callee->State != Primal::Cloned && Callee->Clone->doesNotThrow())
      Call->setDoesNotThrow();
    if (!wantInline(*Call, Caller, *Callee, Size))
      continue;
    // Inlined instructions hang their places below that of the call.
    if (!Call->getDebugLoc())
      if (DISubprogram *SP = F.getSubprogram())
        Call->setDebugLoc(DILocation::get(F.getContext(), 0, 0, SP));
    InlineFunctionInfo Info(Assumptions);
    Call->setCalledFunction(Callee->Clone);
    if (InlineFunction(*Call, Info, /*MergeAttributes=*/true,
                       /*CalleeAAR=*/nullptr, /*InsertLifetime=*/false)
            .isSuccess()) {
      Size += Callee->Clone->getInstructionCount();
      Changed = true;
    } else {
      Call->setCalledFunction(Original);
    }
  }
  if (Changed) {
    dropDeadEndUnwinding(F, Cat);
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  return Changed;
}

/// Each call of a function that moves its caller's bytes gets a copy of the
/// function, and of those that it recurses through, where a call from outside
/// of the recursion has taken the first one.
void PreparePrimal::Impl::separateMovers(Primal &Asked) {
  SmallPtrSet<const Primal *, 8> Movers, Taken;
  // Who recurses through whom, and who moves bytes, callees first: also by
  // handing an argument on to a mover.
  SmallVector<Primal *, 16> Reached{&Asked};
  SmallPtrSet<const Primal *, 16> Seen{&Asked};
  for (unsigned Next = 0; Next < Reached.size(); ++Next) {
    Reached[Next]->Callees.clear();
    for (auto [Call, Callee] : directCalls(*Reached[Next]->Clone))
      if (Primal *C = primalOf(Callee)) {
        Reached[Next]->Callees.push_back(C);
        if (Seen.insert(C).second)
          Reached.push_back(C);
      }
  }
  auto Moves = [&](const Primal &P) {
    if (P.Original->hasFnAttribute(RunsInTeam))
      return false; // a call of it is many
    return Inseparable.contains(P.Original) ||
           movesBytesOfItsCaller(*P.Clone) ||
           any_of(directCalls(*P.Clone), [&](auto &Found) {
             const Primal *C = primalOf(Found.second);
             return C && Movers.contains(C) &&
                    any_of(Found.first->args(), [](const Use &A) {
                      return A->getType()->isPointerTy() && mayBeOfCaller(A);
                    });
           });
  };
  using Cycle = std::vector<Primal *>;
  DenseMap<const Primal *, std::shared_ptr<Cycle>> CycleOf;
  for (auto SCC = scc_begin(&Asked); !SCC.isAtEnd(); ++SCC) {
    auto Together = std::make_shared<Cycle>(*SCC);
    for (Primal *P : *SCC)
      CycleOf[P] = Together;
    if (any_of(*SCC, [&](Primal *P) { return Moves(*P); }))
      Movers.insert(SCC->begin(), SCC->end());
  }
  if (Movers.empty())
    return;

  // A copy for each way that leads there could be many.
  constexpr unsigned MostCopiedInstructions = 200000;
  unsigned CopiedInstructions = 0;
  for (unsigned Next = 0; Next < Reached.size(); ++Next) {
    Primal &P = *Reached[Next];
    for (auto [Call, Callee] : directCalls(*P.Clone)) {
      Primal *C = primalOf(Callee);
      if (!C || !Movers.contains(C) || CycleOf[C] == CycleOf[&P])
        continue;
      const Cycle Members = *CycleOf[C];
      bool First = true;
      for (Primal *Member : Members)
        First &= Taken.insert(Member).second;
      if (First)
        continue;
      auto Together = std::make_shared<Cycle>();
      SmallVector<std::pair<Function *, Function *>, 4> Renamed;
      for (Primal *Member : Members) {
        Function *Original = Member->Original;
        bool Fits = CopiedInstructions < MostCopiedInstructions;
        Function *Copy = copyOfMover(*Original, Fits);
        Renamed.push_back({Original, Copy});
        if (!Fits)
          continue; // a call without a body
        auto Owned = std::make_unique<Primal>(*Member);
        Owned->Original = Copy;
        Owned->Clone = clonePrimal(*Member->Clone);
        Owned->Clone->setName("rg.primal." + Copy->getName());
        CopiedInstructions += Owned->Clone->getInstructionCount();
        ByOriginal[Copy] = Owned.get();
        ByClone[Owned->Clone] = Owned.get();
        Together->push_back(Owned.get());
        Reached.push_back(Owned.get());
        Movers.insert(Owned.get());
        Taken.insert(Owned.get());
        CycleOf[Owned.get()] = Together;
        Primals.push_back(std::move(Owned));
      }
      for (auto [Original, Copy] : Renamed) {
        if (Callee == Original) {
          Call->setCalledFunction(Copy);
          FAM.invalidate(*P.Clone, PreservedAnalyses::none());
        }
        for (Primal *Member : *Together)
          for (auto [Inner, Name] : directCalls(*Member->Clone))
            if (Name == Original)
              Inner->setCalledFunction(Copy);
      }
      for (Primal *Member : *Together)
        verify(*Member->Clone, "separation of copying functions");
    }
  }
}

/// Finishes Root's clone and every clone that is still called from it.
void PreparePrimal::Impl::prepareFrom(Primal &Root) {
  SmallSetVector<Primal *, 16> Work;
  auto Collect = [&](Primal &From) {
    SmallSetVector<Primal *, 16> Order;
    if (From.State != Primal::Prepared)
      Order.insert(&From);
    for (unsigned Next = 0; Next < Order.size(); ++Next)
      for (auto [Call, Callee] : directCalls(*Order[Next]->Clone))
        if (Primal *C = primalOf(Callee); C && C->State != Primal::Prepared)
          Order.insert(C);
    // Breadth first, reversed, is near enough to callees first: then what
    // simplification makes small can still be inlined by its callers.
    for (Primal *P : reverse(Order))
      Work.insert(P);
  };
  Collect(Root);
  for (unsigned Next = 0; Next < Work.size(); ++Next) {
    Primal &P = *Work[Next];
    Function &F = *P.Clone;
    for (unsigned Round = 0; Round < MostRounds; ++Round) {
      Simplifier.simplifyFully(F, FAM);
      resolveCalls(F);
      verify(F, "simplification");
      cloneNewCallees(P);
      if (inlineCalls(P))
        continue;
      if (!runSettledSteps(P))
        break;
      FAM.invalidate(F, PreservedAnalyses::none());
      cloneNewCallees(P);
      inlineCalls(P);
    }
    // What the last round inlined may call through pointers.
    if (Dispatch.dispatchCalls(F)) {
      FAM.invalidate(F, PreservedAnalyses::none());
      cloneNewCallees(P);
    }
    runNormalSteps(P);
    verify(F, "normalisation");
    P.State = Primal::Prepared;
    for (auto [Call, Callee] : directCalls(F))
      if (Primal *C = primalOf(Callee))
        Collect(*C);
  }
}

void PreparePrimal::Impl::verify(const Function &Clone, StringRef Stage) {
  if (!Opts.VerifyEach)
    return;
  std::string Text;
  raw_string_ostream OS(Text);
  if (verifyFunction(Clone, &OS))
    M.getContext().emitError("retrograd: " + Clone.getName() +
                             " is broken after " + Stage + ": " + Text);
}

PreparePrimal::PreparePrimal(Module &M, ModuleAnalysisManager &MAM,
                             const Catalogue &Cat, const Options &Opts)
    : I(std::make_unique<Impl>(M, MAM, Cat, Opts)) {}

PreparePrimal::~PreparePrimal() = default;

Function *PreparePrimal::prepare(Function &F) {
  I->Asked = &F;
  for (;;) {
    I->WatchedTooLate = false;
    Primal *P = I->primalOf(&F);
    if (!P) {
      SmallVector<Primal *, 16> New;
      I->cloneReachable(F, New);
      I->lowerExceptions(New);
      I->shrink(New);
      P = I->primalOf(&F);
    }
    if (P->State != Primal::Prepared) {
      I->prepareFrom(*P);
      I->separateMovers(*P);
    }
    if (!I->WatchedTooLate)
      return P->Clone;
    // Rare. The set of what is watched only grows, so this ends.
    I->disposeOfClones();
  }
}

void PreparePrimal::inlineEverywhere(const Function &F) {
  I->Inseparable.insert(&F);
  I->disposeOfClones();
}

bool PreparePrimal::narrowCalls(const Function &F,
                                ArrayRef<const Constant *> Handed) {
  SmallVector<const Constant *, 4> From(Handed);
  From.push_back(&F);
  SmallPtrSet<const Function *, 32> Among;
  for (const Constant *C : referredTo(From))
    if (const auto *Callee = dyn_cast<Function>(C))
      Among.insert(Callee);
  if (!I->Dispatch.hasOthersThan(Among))
    return false;
  I->Dispatch.narrow(std::move(Among));
  I->disposeOfClones();
  return true;
}

void PreparePrimal::widenCalls() {
  I->Dispatch.narrow(std::nullopt);
  I->disposeOfClones();
}

bool PreparePrimal::isInlinedEverywhere(const Function &F) const {
  return I->Inseparable.contains(&F) || F.hasFnAttribute(CopyOfMover);
}

Function *PreparePrimal::preparedOf(const Function *F) const {
  Primal *P = I->primalOf(F);
  return P && P->State == Primal::Prepared ? P->Clone : nullptr;
}

SmallVector<Function *, 8> PreparePrimal::reachable(Function &F) const {
  SmallVector<Function *, 8> Found{&F};
  SmallPtrSet<Function *, 16> Seen{&F};
  for (unsigned Next = 0; Next < Found.size(); ++Next)
    for (auto [Call, Callee] : directCalls(*Found[Next]))
      if (Function *C = preparedOf(Callee); C && Seen.insert(C).second)
        Found.push_back(C);
  return Found;
}

bool PreparePrimal::callsThroughPointers() const {
  return !I->Dispatch.empty();
}

void PreparePrimal::print(raw_ostream &OS) const {
  for (const auto &P : I->Primals)
    if (P->State == Primal::Prepared)
      P->Clone->print(OS);
}

void PreparePrimal::Impl::disposeOfClones() {
  for (const auto &P : Primals) {
    FAM.clear(*P->Clone, P->Clone->getName());
    P->Clone->dropAllReferences();
  }
  for (const auto &P : Primals)
    P->Clone->eraseFromParent();
  Primals.clear();
  ByOriginal.clear();
  ByClone.clear();
}

void PreparePrimal::dispose() {
  I->disposeOfClones();
  I->Dispatch.finish();
  I->Regions.finish();
  I->Threads.finish();
  removeFixedCopies(I->M, I->FAM);
  for (Function &F : make_early_inc_range(I->M))
    if (F.hasFnAttribute(CopyOfMover) && F.use_empty()) {
      I->FAM.clear(F, F.getName());
      F.eraseFromParent();
    }
}
