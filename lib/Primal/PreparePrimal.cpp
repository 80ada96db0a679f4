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
#include "Analysis/LiveBlocks.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/Catalogue.h"
#include "Emit/Shortcuts.h"
#include "Entry/Hints.h"
#include "Guard/KeepEqualities.h"
#include "Guard/Methods.h"
#include "Parallel/Reaches.h"
#include "Primal/ClonePrimal.h"
#include "Primal/Device/PtxAssembly.h"
#include "Primal/DispatchCalls.h"
#include "Primal/DropMarkers.h"
#include "Primal/ExplainFloatTricks.h"
#include "Primal/Language/FortranTypes.h"
#include "Primal/Language/LowerExceptions.h"
#include "Primal/Language/PrimalEvidence.h"
#include "Primal/NormaliseControlFlow.h"
#include "Primal/PrimalSet.h"
#include "Primal/PrimalSteps.h"
#include "Primal/ReplaceBarriers.h"
#include "Primal/SpellAddresses.h"
#include "Primal/SpellBitsInAtomics.h"
#include "Primal/SpellComputedGotos.h"
#include "Primal/SpellMasks.h"
#include "Primal/SpellMovedWords.h"
#include "Primal/SpellWordCopies.h"
#include "Primal/UnpackFloats.h"
#include "Primal/VariadicCalls.h"
#include "Support/DeviceMarks.h"
#include "Support/DispatchMarks.h"
#include "Support/Options.h"
#include "Target/Target.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

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
SmallVector<std::pair<CallBase *, Function *>, 16>
retrograd::directCalls(Function &F) {
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

#define FUNCTION(NAME, ...) NAME(__VA_ARGS__)
#define CODE(...) __VA_ARGS__

void PreparePrimal::Impl::runClonedSteps(Primal &P) {
  Function &F = *P.Clone;
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
#include "Primal/Primal.def"
  return Changed;
}

/// The first that changes the clone is the last: true if there was one.
bool PreparePrimal::Impl::runLateSteps(Primal &P) {
  Function &F = *P.Clone;
  bool Changed = false;
#define LATE_STEP(ID, NAME, DEMAND, RUN, WHY)                                  \
  Changed = Changed || Steps.run(step::ID, F, [&] { return RUN; });
#include "Primal/Primal.def"
  return Changed;
}

void PreparePrimal::Impl::runNormalSteps(Primal &P) {
  Function &F = *P.Clone;
#define NORMAL_STEP(ID, NAME, DEMAND, RUN, WHY)                                \
  Steps.run(step::ID, F, [&] { return RUN; });
#include "Primal/Primal.def"
}

#undef FUNCTION
#undef CODE

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

/// The numbers and pointers of which a type consists, in their order.
static void appendParts(Type *T, SmallVectorImpl<Type *> &Parts) {
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    Parts.append(V->getNumElements(), V->getElementType());
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    for (uint64_t I = 0; I != A->getNumElements(); ++I)
      appendParts(A->getElementType(), Parts);
  } else if (auto *S = dyn_cast<StructType>(T)) {
    for (Type *Element : S->elements())
      appendParts(Element, Parts);
  } else if (!T->isVoidTy()) {
    Parts.push_back(T);
  }
}

static void takeApart(IRBuilder<> &B, Value *V,
                      SmallVectorImpl<Value *> &Into) {
  if (auto *T = dyn_cast<FixedVectorType>(V->getType())) {
    for (unsigned I = 0; I != T->getNumElements(); ++I)
      Into.push_back(B.CreateExtractElement(V, uint64_t(I)));
  } else if (V->getType()->isAggregateType()) {
    unsigned N = isa<ArrayType>(V->getType())
                     ? V->getType()->getArrayNumElements()
                     : V->getType()->getStructNumElements();
    for (unsigned I = 0; I != N; ++I)
      takeApart(B, B.CreateExtractValue(V, I), Into);
  } else {
    Into.push_back(V);
  }
}

/// A value of type T of the first of Parts, which are taken away.
static Value *putTogether(IRBuilder<> &B, Type *T, ArrayRef<Value *> &Parts) {
  if (!T->isVectorTy() && !T->isAggregateType()) {
    Value *First = Parts.front();
    Parts = Parts.drop_front();
    return First;
  }
  Value *All = PoisonValue::get(T);
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    for (unsigned I = 0; I != V->getNumElements(); ++I)
      All = B.CreateInsertElement(
          All, putTogether(B, V->getElementType(), Parts), uint64_t(I));
    return All;
  }
  unsigned N =
      T->isArrayTy() ? T->getArrayNumElements() : T->getStructNumElements();
  for (unsigned I = 0; I != N; ++I) {
    Type *Element =
        T->isArrayTy() ? T->getArrayElementType() : T->getStructElementType(I);
    All = B.CreateInsertValue(All, putTogether(B, Element, Parts), I);
  }
  return All;
}

/// The routine has the types by which a complex number travels on the machine
/// that the runtime was compiled for: one vector of two floats, say, where the
/// call has a pair, as on AArch64. The same numbers in the same order are put
/// together anew.
static void redirectByParts(CallBase &Call, Function &Routine) {
  FunctionType *T = Routine.getFunctionType();
  SmallVector<Type *, 8> Have, Want;
  appendParts(Call.getType(), Have);
  appendParts(T->getReturnType(), Want);
  if (Have != Want || !isa<CallInst>(Call))
    return;
  Have.clear();
  Want.clear();
  for (Value *Operand : Call.args())
    appendParts(Operand->getType(), Have);
  for (Type *Parameter : T->params())
    appendParts(Parameter, Want);
  if (Have != Want)
    return;
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Parts, Operands;
  for (Value *Operand : Call.args())
    takeApart(B, Operand, Parts);
  ArrayRef<Value *> Rest = Parts;
  for (Type *Parameter : T->params())
    Operands.push_back(putTogether(B, Parameter, Rest));
  CallInst *New = B.CreateCall(&Routine, Operands);
  New->setCallingConv(Routine.getCallingConv());
  Parts.clear();
  if (!Call.getType()->isVoidTy()) {
    takeApart(B, New, Parts);
    Rest = Parts;
    Value *Result = putTogether(B, Call.getType(), Rest);
    Result->takeName(&Call);
    Call.replaceAllUsesWith(Result);
  }
  Call.eraseFromParent();
}

/// Call calls Routine instead, if that takes the same operands. Operands behind
/// those of Routine are dropped: the catalogue's prototype allowed for them
/// (lengths of character arguments, which Fortran compilers append).
static void redirect(CallBase &Call, Function &Routine) {
  FunctionType *T = Routine.getFunctionType();
  bool Same = T->getReturnType() == Call.getType() &&
              T->getNumParams() <= Call.arg_size();
  for (unsigned I = 0; Same && I != T->getNumParams(); ++I)
    Same = T->getParamType(I) == Call.getArgOperand(I)->getType();
  if (!Same)
    return redirectByParts(Call, Routine);
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
  Parallel.resolve(Clone, P ? P->Original : nullptr);
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
      if (!runSettledSteps(P) && !runLateSteps(P))
        break;
      FAM.invalidate(F, PreservedAnalyses::none());
      cloneNewCallees(P);
      inlineCalls(P);
    }
    // What the last round inlined has not been seen by any of them.
    if (runSettledSteps(P)) {
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
  I->Inseparable.insert(I->originOf(&F));
  I->disposeOfClones();
}

bool PreparePrimal::maySeparateCalls(ArrayRef<Function *> Fs) const {
  // One round separates a chain of calls; what it brings to light may be
  // another chain.
  constexpr unsigned MostSeparations = 3;
  return I->Separations < MostSeparations &&
         any_of(
             Fs,
             [&](const Function *F) {
               return !isInlinedEverywhere(*F) &&
                      !I->PerCall.contains(I->originOf(F));
             });
}

void PreparePrimal::separateCalls(ArrayRef<Function *> Fs) {
  for (const Function *F : Fs)
    if (!isInlinedEverywhere(*F))
      I->PerCall.insert(I->originOf(F));
  ++I->Separations;
  I->disposeOfClones();
}

bool PreparePrimal::mayKeepWordsInMemory(ArrayRef<const Function *> Fs) const {
  return !Target(I->M).manyThreads() && any_of(Fs, [&](const Function *F) {
    const Function *Prepared = preparedOf(F);
    return Prepared && !I->WordsInMemory.contains(I->originOf(F)) &&
           copiesByWords(*Prepared);
  });
}

void PreparePrimal::keepWordsInMemory(ArrayRef<const Function *> Fs) {
  for (const Function *F : Fs)
    I->WordsInMemory.insert(I->originOf(F));
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

bool PreparePrimal::refersTo(const Function &F, const Function &Other) const {
  const Constant *Root = &F;
  return is_contained(referredTo(Root), I->originOf(&Other));
}

bool PreparePrimal::isInlinedEverywhere(const Function &F) const {
  return I->Inseparable.contains(I->originOf(&F)) ||
         (F.hasFnAttribute(CopyOfMover) && !I->CopiedPerCall.contains(&F));
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
  I->Parallel.finish();
  removeFixedCopies(I->M, I->FAM);
  for (Function &F : make_early_inc_range(I->M))
    if (F.hasFnAttribute(CopyOfMover) && F.use_empty()) {
      I->FAM.clear(F, F.getName());
      F.eraseFromParent();
    }
}
