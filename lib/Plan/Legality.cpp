//===- Legality.cpp - what cannot be differentiated -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Legality.h"
#include "Catalogue/AccessTags.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Plan/AccumulationPlan.h"
#include "Plan/CallPlan.h"
#include "Rules/Rules.h"
#include "Rules/Transfer.h"
#include "Support/DispatchMarks.h"
#include "Support/ExceptionMarks.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

void Legality::refuse(RefusalKind K, const Instruction &I, std::string Detail) {
  Refusals.push_back({K, &I, std::move(Detail)});
}

/// Of assembly, what a message can show: its first operation.
static std::string firstMnemonic(StringRef Text) {
  for (;;) {
    Text = Text.ltrim(" \t\n{");
    if (!Text.starts_with(".reg") || !Text.contains(';'))
      return Text.take_front(Text.find_first_of(" \t\n;")).str();
    Text = Text.split(';').second;
  }
}

/// Does the body of F write nothing but variables of its own? (The front end's
/// first code has no attributes, and functions with rules get none.)
static bool onlyReads(const Function &F, unsigned Depth = 0) {
  constexpr unsigned Deepest = 4;
  if (F.onlyReadsMemory())
    return true;
  if (F.isDeclaration() || Depth == Deepest)
    return false;
  return all_of(instructions(F), [&](const Instruction &I) {
    if (!I.mayWriteToMemory())
      return true;
    if (const auto *S = dyn_cast<StoreInst>(&I))
      return S->isUnordered() &&
             isa<AllocaInst>(getUnderlyingObject(S->getPointerOperand()));
    if (const auto *M = dyn_cast<MemIntrinsic>(&I))
      return !M->isVolatile() &&
             isa<AllocaInst>(getUnderlyingObject(M->getRawDest()));
    const auto *C = dyn_cast<CallBase>(&I);
    const Function *Callee = C ? directCallee(*C) : nullptr;
    return Callee &&
           (C->onlyReadsMemory() || isa<DbgInfoIntrinsic>(C) ||
            C->isLifetimeStartOrEnd() || onlyReads(*Callee, Depth + 1));
  });
}

static constexpr const char *IntoString =
    "it writes active numbers over the characters of a string";

/// P is known by what a member of a string returned alone: the address of its
/// characters, which have no shadow.
bool Legality::isOfString(const Value *P) {
  const ProgramFacts &Facts = Subject.facts();
  if (!OfStrings) {
    OfStrings.emplace(Facts.types().numObjects());
    auto Objects = [&](const Value *V) {
      TypeAnalysis::ObjectId O = Facts.types().objectOf(V);
      return O == TypeAnalysis::NoObject ? BitVector(OfStrings->size())
                                         : Facts.reachableFrom(O);
    };
    for (const Instruction &I : instructions(Subject.F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const OperationRecord *R = C ? Facts.catalogue().lookup(I) : nullptr;
      if (R && R->OfCharacters && R->OfRuntime && C->getType()->isPointerTy() &&
          !C->getReturnedArgOperand())
        *OfStrings |= Objects(C);
    }
    if (OfStrings->any()) {
      OfStrings->reset(Facts.ownedMemory());
      for (const Argument &A : Facts.root()->args())
        OfStrings->reset(Objects(&A));
    }
  }
  TypeAnalysis::ObjectId O =
      OfStrings->any() ? Facts.types().objectOf(P) : TypeAnalysis::NoObject;
  return O != TypeAnalysis::NoObject && OfStrings->test(O);
}

/// The Size bytes at P, as far as that is known, hold numbers that depend on
/// active ones.
bool Legality::holdsVariedNumbers(const Value *P, uint64_t Size) const {
  return Subject.Activity.isVariedMemory(P) &&
         any_of(
             Subject.facts().types().leavesAt(P, std::max<uint64_t>(Size, 1)),
             [](const TypedLeaf &L) { return L.Kind.K == ByteKind::Float; });
}

/// A string takes bytes as characters, which carry no derivative: those of
/// active numbers would come back as constants.
void Legality::checkCharacters(const CallBase &C) {
  const OperationRecord *R = Subject.facts().catalogue().lookup(C);
  if (!R || !R->OfCharacters)
    return;
  uint64_t Size = 0; // of what is known to be taken
  for (const Value *A : C.args())
    if (const auto *N = dyn_cast<ConstantInt>(A))
      Size = std::max(Size, N->getLimitedValue(4096));
  const unsigned Pointer = C.getDataLayout().getPointerSize();
  for (const auto &[N, A] : enumerate(C.args()))
    if (A->getType()->isPointerTy() &&
        C.getParamDereferenceableBytes(N) < Pointer && // a string itself
        holdsVariedNumbers(A, Size))
      return refuse(RefusalKind::Instruction, C,
                    "it puts the bytes of active numbers into a string");
}

/// Numbers that are made of text to which active ones were printed: the
/// operations between have no derivatives.
void Legality::checkNumbersFromText() {
  const TextFlow &Text = Subject.facts().text();
  if (!Text.any())
    return;
  const ActivityAnalysis &Activity = Subject.Activity;
  struct Printer {
    const CallBase *Call;
    BitVector Objects;
  };
  SmallVector<Printer, 4> Printers;
  for (const Instruction &I : instructions(Subject.F)) {
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C || !Subject.Shape.isLive(C->getParent()))
      continue;
    const TextFlow::Summary *S = Text.summary(*C);
    if (Text.prints(
            *C, [&](const Value *V) { return Activity.isVaried(V); },
            Activity.variedObjects()))
      Printers.push_back({C, Text.printedBy(*C)});
    else if (const ProgramFacts::Effects *E = Subject.facts().effects(*C);
             S && S->Printed.any() &&
             (any_of(C->args(),
                     [&](const Value *A) { return Activity.isVaried(A); }) ||
              (E && E->Reads.anyCommon(Activity.variedObjects()))))
      Printers.push_back({C, S->Printed});
  }
  for (Printer &P : Printers)
    Text.close(P.Objects);
  if (Printers.empty())
    return;
  // The root runs once; what it reads first was not printed by it.
  const bool Ordered = &Subject.F == Subject.facts().root();
  const BitVector Elsewhere = Text.elsewhere();
  // A derivative that is asked of an unseen function ends the program.
  BitVector FromElsewhere = Text.givenUnseen();
  FromElsewhere.reset(Activity.variedObjects());
  FromElsewhere |= Text.givenElsewhere();
  for (const Instruction &I : instructions(Subject.F)) {
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C || !Subject.Shape.isLive(C->getParent()))
      continue;
    const TextFlow::Summary *S = Text.summary(*C);
    const bool Itself = Text.readsNumbers(*C);
    if (!Itself && (!S || S->Read.none()))
      continue;
    const BitVector Read = Itself ? Text.readBy(*C) : S->Read;
    const Function *Callee = directCallee(*C);
    auto IsPrinted = [&](const BitVector &Objects, bool ByItself) {
      return any_of(Printers, [&](const Printer &P) {
        return (ByItself || P.Call != C) && P.Objects.anyCommon(Objects) &&
               (!Ordered || P.Call == C ||
                isPotentiallyReachable(P.Call, C, nullptr, &Subject.DT));
      });
    };
    auto IsUseful = [&](const BitVector &Objects) {
      return Objects.anyCommon(Activity.usefulObjects());
    };
    // What a callee does by itself is its own matter, but for memory of which
    // only a function elsewhere knows.
    if ((Activity.isUseful(C) && IsPrinted(S ? S->Returned : Read, !S)) ||
        (IsUseful(S ? S->Given : Text.givenBy(*C)) && IsPrinted(Read, !S)) ||
        (Read.anyCommon(Elsewhere) && IsUseful(FromElsewhere) &&
         IsPrinted(Elsewhere, true)))
      return refuse(
          RefusalKind::Instruction, *C,
          (Callee && !Callee->getName().starts_with("rg.")
               ? "'" + userName(*Callee) + "' reads"
               : "it reads") +
              std::string(" a number from text, or from a file, to "
                          "which an active number was printed") +
              (Itself && !Subject.facts().catalogue().lookup(*C)
                   ? Callee ? "; if it does not, declare it with "
                              "__attribute__((annotate(\"enzyme_inactive\")))"
                            : "; if it does not, call it in a function with "
                              "__attribute__((annotate(\"enzyme_inactive\")))"
                   : ""));
  }
}

/// The address that it makes leads to variables of the caller, and nobody who
/// calls by it knows of them.
static bool hidesActiveVariables(const CallBase &C,
                                 const ActivityAnalysis &Activity,
                                 const ProgramFacts &Facts) {
  if (C.getIntrinsicID() != Intrinsic::init_trampoline)
    return false;
  TypeAnalysis::ObjectId O = Facts.types().objectOf(C.getArgOperand(2));
  if (O == TypeAnalysis::NoObject)
    return true;
  return Facts.reachableFrom(O).anyCommon(Activity.variedObjects());
}

void Legality::checkCall(const CallBase &C) {
  if (const OperationRecord *R = Subject.facts().catalogue().lookup(C);
      R && R->Id == "format_hint")
    return checkFormatHint(C);
  if (hidesActiveVariables(C, Subject.Activity, Subject.facts()))
    return refuse(RefusalKind::Instruction, C,
                  "it makes the address of an internal procedure that reaches "
                  "active variables of the procedure around it; put both "
                  "procedures and these variables into a module");
  CallAction A = Calls.action(C);
  if (Subject.Request.FromTape) {
    const OperationRecord *R = Subject.facts().catalogue().lookup(C);
    if (A == CallAction::Tape)
      return refuse(RefusalKind::FromTape, C,
                    "it contains a derivative in reverse mode");
    if (A == CallAction::Allocate && R && R->ShadowBehind &&
        Subject.Activity.hasShadow(&C))
      return refuse(RefusalKind::FromTape, C,
                    "an exception that it throws carries active numbers");
    if (A == CallAction::Derivative && Calls.hasRule(C) &&
        any_of(C.args(),
               [](const Value *V) { return V->getType()->isPointerTy(); }))
      return refuse(RefusalKind::FromTape, C,
                    "'" + directCallee(C)->getName().str() +
                        "' works on memory and has a rule that computes values "
                        "and tangents together");
    if (isa<InvokeInst>(C))
      return refuse(RefusalKind::FromTape, C, "it catches exceptions");
  }
  if (A == CallAction::Tape &&
      Subject.Request.Mode != DerivativeMode::Forward &&
      Subject.facts().catalogue().lookup(C)->Handler == HandlerKind::TapeNote &&
      C.arg_size() > 3 && // of a release; the others matter to these alone
      any_of(C.args(),
             [&](const Value *V) { return Subject.Activity.hasShadow(V); }))
    return refuse(RefusalKind::Instruction, C,
                  "it belongs to a derivative that replaces memory of its "
                  "caller's (realloc, or a container that grows); reserve the "
                  "memory before the call");
  if (Subject.Request.ErrorEstimate) {
    const OperationRecord *R = Subject.facts().catalogue().lookup(C);
    if (A == CallAction::Derivative && R && R->Class == RuleClass::Rule)
      return refuse(RefusalKind::NoErrorBound, C,
                    "the rule for a call gives derivatives");
    if (A == CallAction::Formula && R && R->Class != RuleClass::Formula)
      return refuse(RefusalKind::NoErrorBound, C,
                    "rounding in '" + directCallee(C)->getName().str() +
                        "' is not known");
  }
  checkCharacters(C);
  // A helper that writes them.
  if (const ProgramFacts::Effects *E = Subject.facts().effects(C))
    for (const Value *P : C.args())
      if (P->getType()->isPointerTy() && isOfString(P) &&
          E->Numbers.test(Subject.facts().types().objectOf(P)) &&
          Subject.Activity.isVariedMemory(P))
        return refuse(RefusalKind::Instruction, C, IntoString);
  if (A == CallAction::Formula) {
    // A handler without a rule of its own.
    if (const char *What = missingRule(C, Subject.Activity))
      refuse(RefusalKind::Instruction, C, What);
    return;
  }
  if (A == CallAction::Memory || A == CallAction::Realloc ||
      A == CallAction::Allocate) {
    if (const char *What = missingRule(C, Subject.Activity))
      refuse(RefusalKind::Instruction, C, What);
    return;
  }
  // An operation on integers that happen to be the bits of floats.
  if (A == CallAction::Primal && isa<IntrinsicInst>(C) &&
      Subject.Activity.isUseful(&C) && any_of(C.args(), [&](const Value *Arg) {
        return Arg->getType()->isIntOrIntVectorTy() &&
               Subject.Activity.isVaried(Arg);
      }))
    return refuse(RefusalKind::Instruction, C,
                  "integer operation on the bits of active numbers");
  if (A != CallAction::Derivative)
    return;
  if (C.isInlineAsm())
    return refuse(
        RefusalKind::InlineAsm, C,
        firstMnemonic(cast<InlineAsm>(C.getCalledOperand())->getAsmString()));
  Function *Callee = directCallee(C);
  if (!Callee)
    return refuse(RefusalKind::IndirectCall, C,
                  "no function of its type has its address taken here");
  if (const OperationRecord *R = Subject.facts().catalogue().lookup(C);
      R && R->Class == RuleClass::Rule) {
    bool Forward = Subject.Request.Mode == DerivativeMode::Forward;
    const GivenDerivatives *G = R->Given;
    if (Subject.Request.Dependencies) // sets are no numbers to compute with
      return refuse(RefusalKind::Instruction, C,
                    "the rule of '" + userName(*Callee) +
                        "' does not tell what depends on what");
    if (G ? !(Forward ? G->Forward : G->Reverse)
          : (Forward ? R->Forward : R->Reverse).empty())
      return refuse(RefusalKind::RuleOfOtherMode, C, Callee->getName().str());
    // Without memory it can be called as often as one likes.
    bool HandlesMemory = any_of(
        C.args(), [](const Value *A) { return A->getType()->isPointerTy(); });
    if (G && HandlesMemory && Subject.Request.Width != 1)
      return refuse(RefusalKind::RuleOfOneLane, C, Callee->getName().str());
    if (G && HandlesMemory && !C.getType()->isVoidTy() && !C.use_empty() &&
        !C.onlyReadsMemory() && !onlyReads(*Callee) &&
        !(Forward ? G->ForwardGivesPrimal : G->AugmentGivesPrimal))
      return refuse(RefusalKind::RuleWithoutResult, C, Callee->getName().str());
    if (const auto *I = dyn_cast<InvokeInst>(&C);
        I && Subject.Shape.isLive(I->getUnwindDest()))
      refuse(RefusalKind::ExceptionPath, C, Callee->getName().str());
    return;
  }
  if (Callee->isIntrinsic())
    return refuse(RefusalKind::Instruction, C,
                  "LLVM's intrinsic '" + Callee->getName().str() +
                      "' has no derivative");
  if (!Subject.facts().preparedOf(Callee))
    return refuse(RefusalKind::NoBody, C, Callee->getName().str());
  if (Callee->isVarArg())
    return refuse(RefusalKind::VarArg, C, Callee->getName().str());
  if (Callee->arg_size() != C.arg_size() ||
      Callee->getReturnType() != C.getType())
    return refuse(RefusalKind::IndirectCall, C,
                  "'" + Callee->getName().str() +
                      "' called with another prototype");
  // What it did until it threw has to be undone: it must return then.
  if (const auto *I = dyn_cast<InvokeInst>(&C);
      I && Subject.Shape.isLive(I->getUnwindDest()) &&
      !Subject.facts().preparedOf(Callee)->hasFnAttribute(ReturnsExceptions))
    refuse(RefusalKind::ExceptionPath, C, Callee->getName().str());
}

/// Copies of bytes whose type is unknown, and matters because active memory
/// that code outside can see is involved.
void Legality::checkCopyTypes(const Instruction &I) {
  if (Subject.Request.Mode == DerivativeMode::Forward)
    return; // copies move tangents and shadow pointers alike
  const TypeAnalysis &TA = Subject.facts().types();
  auto Matters = [&](const Value *P) {
    TypeAnalysis::ObjectId O = TA.objectOf(P);
    return Subject.Activity.isActiveMemory(P) && O != TypeAnalysis::NoObject &&
           (Subject.facts().exposed().test(O) ||
            Subject.facts().movesUnknownBytes()); // by way of it
  };
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *V = S->getValueOperand();
    if (isa<Constant>(V) || !V->getType()->isIntOrIntVectorTy())
      return;
    uint64_t Size = Subject.F.getDataLayout()
                        .getTypeStoreSize(V->getType())
                        .getFixedValue();
    // A pointer to one caller and a float to another, in one register: what
    // moves memory can tell them apart at run time, a register has one type.
    if (const auto *A = dyn_cast<Argument>(V);
        A && Subject.Activity.isActiveMemory(S->getPointerOperand()) &&
        TA.sharedWithPointers(S->getPointerOperand(), 0, Size,
                              /*Integers=*/false) &&
        !TA.isCount(*A))
      return refuse(RefusalKind::UnknownType, I,
                    std::to_string(Size) + " bytes");
    if (!Subject.facts().shape(V).HasUnknown || !Subject.Activity.isVaried(V))
      return;
    // What others read as a float (whole, or a byte of it), or is a pointer to
    // one and a float to another, goes wrong in any memory.
    bool Mingled = Subject.Activity.isActiveMemory(S->getPointerOperand()) &&
                   Subject.facts().isPunned(*S);
    if (!Mingled && !Matters(S->getPointerOperand()))
      return;
    refuse(RefusalKind::UnknownType, I, std::to_string(Size) + " bytes");
  }
  // The same for a load whose value goes on in registers: to the caller, say.
  if (const auto *L = dyn_cast<LoadInst>(&I);
      L && L->getType()->isIntOrIntVectorTy() && Subject.Activity.isActive(L) &&
      Subject.facts().shape(L).HasUnknown && Subject.facts().isPunned(*L))
    refuse(RefusalKind::UnknownType, I,
           std::to_string(Subject.F.getDataLayout()
                              .getTypeStoreSize(L->getType())
                              .getFixedValue()) +
               " bytes");
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    Transfer M = transferOf(*C, Subject.facts().catalogue());
    if (!M.Source || (M.IsRealloc && !Subject.facts().movesUnknownBytes()) ||
        !Subject.Activity.isActiveMemory(M.Dest) ||
        !Subject.Activity.isActiveMemory(M.Source))
      return;
    TransferShape T =
        transferShape(I, M.Dest, M.Source, M.Length, Subject.facts());
    // Bytes that nothing in the program reads as a float or a pointer, and
    // that no one outside can see, carry nothing.
    const bool Lost =
        none_of(T.Leaves,
                [](const TypedLeaf &L) {
                  return L.Kind.K == ByteKind::Float || isShared(L);
                }) &&
        !hasFact(I, SourceFact::Characters) &&
        (keepsBits(TA, M.Dest) || keepsBits(TA, M.Source));
    // A kernel may read a whole block as numbers, of which its code does not
    // say whose.
    const bool ForKernels = M.OnDevice && bringsNothing(T);
    if (!Lost &&
        (T.Known || (!T.Ambiguous && !ForKernels && !Matters(M.Dest)) ||
         movesUnknown(I, M, T, Subject.Activity)))
      return;
    std::string Length = "a run-time number of bytes";
    if (const auto *N = dyn_cast<ConstantInt>(M.Length))
      Length = std::to_string(N->getZExtValue()) + " bytes";
    refuse(RefusalKind::UnknownType, I, std::move(Length));
    Refusals.back().MayMoveBytes =
        !Lost && couldMoveUnknown(I, M, T, Subject.Activity);
  }
}

/// V points to memory that surely has a shadow of its own.
bool Legality::ownsMemory(const Value *V) const {
  const Value *O = getUnderlyingObject(V);
  if (const auto *A = dyn_cast<Argument>(O))
    return Subject.Request.Args[A->getArgNo()] != ArgActivity::Const &&
           (&Subject.F == Subject.facts().root() ||
            !Subject.Activity.isMixed(A));
  return isa<AllocaInst>(O) || isNoAliasCall(O);
}

/// Writes that derivatives flow through, to memory whose shadow nobody gave.
void Legality::checkShadowOfDest(const Instruction &I) {
  const Value *Dest = nullptr;
  bool Active = false, Varied = false;
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *V = S->getValueOperand();
    Varied = Subject.Activity.isVaried(V);
    Dest = S->getPointerOperand();
    TypeAnalysis::ObjectId O = Subject.facts().types().objectOf(Dest);
    Active = (Subject.Activity.isActive(V) &&
              Subject.Activity.isActiveMemory(Dest)) ||
             // A pointer to active memory that is read back.
             (Subject.Activity.hasShadow(V) && !isa<Constant>(V) &&
              Subject.facts().root() && O != TypeAnalysis::NoObject &&
              Subject.facts().effects(Subject.facts().root()).Reads.test(O) &&
              ownsMemory(V));
  } else if (const auto *C = dyn_cast<CallBase>(&I);
             C && Calls.action(*C) == CallAction::Memory) {
    Transfer T = transferOf(*C, Subject.facts().catalogue());
    Dest = T.Dest;
    const auto *Length = dyn_cast<ConstantInt>(T.Length);
    Varied = T.Source && isOfString(Dest) &&
             holdsVariedNumbers(T.Source,
                                Length ? Length->getLimitedValue(4096) : 1);
    Active = T.Source && Subject.Activity.isActiveMemory(T.Source) &&
             Subject.Activity.isActiveMemory(Dest);
  }
  if (Varied && isOfString(Dest))
    return refuse(RefusalKind::Instruction, I, IntoString);
  auto Check = [&] {
    if (Active && Subject.Activity.isUnshadowed(Dest) && !ownsMemory(Dest))
      refuse(RefusalKind::Unshadowed, I,
             "memory reached through a global pointer or a constant argument");
  };
  Check();
  // What a message brings.
  const auto *C = dyn_cast<CallBase>(&I);
  const OperationRecord *R =
      C ? Subject.facts().catalogue().lookup(I) : nullptr;
  for (unsigned Op = 0; R && R->Communicates && Op != C->arg_size(); ++Op) {
    if (!R->memoryBehind(Op).Writes ||
        !Subject.facts().movesNumbers(*C, Op, *R))
      continue;
    Dest = C->getArgOperand(Op);
    Active = Subject.Activity.isActiveMemory(Dest);
    Check();
  }
}

/// Nobody follows a pointer through the registers of floats: what is behind it
/// would be taken for inactive. Preparation undoes the common case. Nor does
/// anybody follow the bits of a number that are an address on other ways.
static bool isPointerFromFloats(const Instruction &I,
                                const ActivityAnalysis &Activity) {
  if (!isa<IntToPtrInst>(I))
    return false;
  constexpr unsigned Most = 64;
  SmallSetVector<const Value *, 8> Bits;
  Bits.insert(I.getOperand(0));
  for (unsigned N = 0; N != Bits.size() && N != Most; ++N) {
    const Value *V = Bits[N];
    if (const auto *E = dyn_cast<ExtractElementInst>(V))
      Bits.insert(E->getVectorOperand());
    else if (const auto *C = dyn_cast<BitCastInst>(V);
             C && C->getSrcTy()->isFPOrFPVectorTy() &&
             (N < 2 || Activity.isVaried(C->getOperand(0))))
      return true;
    else if (isa<PHINode, SelectInst, FreezeInst>(V))
      for (const Value *From : cast<User>(V)->operand_values())
        if (From->getType() == V->getType())
          Bits.insert(From);
  }
  return Bits.size() >= Most;
}

/// V and what is joined with it: values that one register holds on one way or
/// another. With `Others`, what joins bring in from elsewhere, too. Whether Is
/// says yes of one of them; yes, too, where there are many.
static bool isAnyJoined(const Value &V, bool Others,
                        function_ref<bool(const Value &)> Is) {
  constexpr unsigned Most = 64;
  SmallSetVector<const Value *, 8> Joined;
  Joined.insert(&V);
  auto IsJoin = [](const Value *X) {
    return isa<PHINode, SelectInst, FreezeInst>(X);
  };
  for (unsigned I = 0; I != Joined.size() && I != Most; ++I) {
    const Value *X = Joined[I];
    if (Is(*X))
      return true;
    for (const User *U : X->users())
      if (IsJoin(U))
        Joined.insert(U);
    if (Others && IsJoin(X))
      for (const Value *From : cast<User>(X)->operand_values())
        if (From->getType() == V.getType() && !isa<Constant>(From))
          Joined.insert(From);
  }
  return Joined.size() >= Most;
}

/// All that is done with the address is to call what stands there (a pointer to
/// a member): code has no derivative to lose.
static bool isOnlyCalled(const Value &Address) {
  return all_of(Address.uses(), [](const Use &U) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    return Call && isCodeFor(*Call, U);
  });
}

/// The word that Load reads is made a pointer to memory, or goes into one
/// register with words that are pointers.
static bool meetsPointers(const LoadInst &Load) {
  return isAnyJoined(Load, /*Others=*/true, [](const Value &Word) {
    return isa<PtrToIntInst>(Word) || any_of(Word.users(), [](const User *U) {
             return isa<IntToPtrInst>(U) && !isOnlyCalled(*U);
           });
  });
}

/// A number that is moved as a word, in a register that types follow as a
/// pointer, which it is on other ways (a variant in a local variable). Its
/// derivative would be lost; preparation undoes the common case.
static bool isNumberTakenForPointer(const Instruction &I,
                                    const ProgramFacts &Facts,
                                    const ActivityAnalysis &Activity) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !Load->getType()->isIntegerTy() ||
      Load->getType() != Load->getDataLayout().getIntPtrType(I.getContext()))
    return false;
  // Where the source has a pointer, there is one.
  if (namesPointer(accessTypeName(*Load)))
    return false;
  const ValueShape &Shape = Facts.shape(Load);
  const Value *P = Load->getPointerOperand();
  const uint64_t Bytes = Load->getDataLayout().getPointerSize();
  return Shape.HasPointer && Shape.Floats.empty() &&
         Activity.isActiveMemory(P) &&
         Facts.types().storesNumber(P, 0, Bytes, /*Period=*/0) &&
         meetsPointers(*Load);
}

/// The number V, as it is or joined with others, is stored.
static bool isMovedOn(const Value &V) {
  return isAnyJoined(V, /*Others=*/false, [](const Value &Number) {
    return any_of(Number.users(),
                  [](const User *U) { return isa<StoreInst>(U); });
  });
}

/// Load moves a word that is an integer by declaration, of memory that keeps
/// the bits of active numbers in such integers.
static bool isNumberTakenForInteger(const Instruction &I,
                                    const ProgramFacts &Facts,
                                    const ActivityAnalysis &Activity) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load ||
      !(Load->getType()->isIntegerTy(64) || Load->getType()->isIntegerTy(32)) ||
      !Activity.isActiveMemory(Load->getPointerOperand()))
    return false;
  const ValueShape &Shape = Facts.shape(Load);
  return Shape.Floats.empty() && !Shape.HasUnknown && !Shape.HasPointer &&
         isMovedOn(*Load) &&
         keepsBits(Facts.types(), Load->getPointerOperand());
}

/// An address is moved on as a number (a union of both, in a register of
/// numbers): nobody knows of the memory behind it where it is read again.
/// Arithmetic with such a number is on a path that does not run.
static bool isAddressTakenForNumber(const Instruction &I,
                                    const ActivityAnalysis &Activity) {
  const auto *C = dyn_cast<BitCastInst>(&I);
  const auto *Bits = C ? dyn_cast<PtrToIntInst>(C->getOperand(0)) : nullptr;
  return Bits && C->getType()->isFloatingPointTy() &&
         Activity.isVariedMemory(Bits->getPointerOperand()) && isMovedOn(*C);
}

/// S stores, as an integer, the address of memory that has a shadow, where
/// pointers are read: the shadow of what is read there would be lost.
static bool isAddressStoredAsInteger(const StoreInst &S,
                                     const ProgramFacts &Facts,
                                     const ActivityAnalysis &Activity) {
  const Value *P = S.getPointerOperand();
  // What types follow as a pointer has its shadow stored beside it.
  if (!S.getValueOperand()->getType()->isIntegerTy(64) ||
      !Activity.hasShadow(P) || Facts.shape(S.getValueOperand()).HasPointer)
    return false;
  SmallSetVector<const Value *, 8> Words;
  Words.insert(S.getValueOperand());
  bool IsAddress = false;
  for (unsigned I = 0; I != Words.size() && !IsAddress; ++I) {
    if (const auto *Address = dyn_cast<PtrToIntInst>(Words[I]))
      IsAddress = Activity.isActiveMemory(Address->getPointerOperand());
    if (const auto *A = dyn_cast<Argument>(Words[I]))
      IsAddress = Facts.isGivenAddress(*A);
    if (isa<PHINode, SelectInst, FreezeInst>(Words[I]))
      for (const Value *From : cast<User>(Words[I])->operand_values())
        if (From->getType() == S.getValueOperand()->getType())
          Words.insert(From);
  }
  return IsAddress && Facts.types().holdsPointers(P, 0, 8);
}

/// The bits of the pointer that Load reads are taken for a number.
static bool isUsedAsNumber(const LoadInst &Load) {
  return Load.getType()->isPointerTy() &&
         any_of(Load.users(), [](const User *U) {
           return isa<PtrToIntInst>(U) && any_of(U->users(), [](const User *B) {
                    return isa<BitCastInst>(B) && B->getType()->isDoubleTy();
                  });
         });
}

/// The bits of what I makes a number of were loaded as a pointer, from memory
/// that holds active numbers. Preparation loads it as what it is used as.
static bool isNumberReadAsAddress(const Instruction &I,
                                  const ActivityAnalysis &Activity) {
  const auto *C = dyn_cast<BitCastInst>(&I);
  if (!C || !C->getType()->isFloatingPointTy() || !Activity.isUseful(C))
    return false;
  const Value *Bits = C->getOperand(0); // half of a word, too
  while (isa<TruncInst, LShrOperator>(Bits))
    Bits = cast<User>(Bits)->getOperand(0);
  constexpr unsigned Most = 64;
  SmallSetVector<const Value *, 8> Words;
  Words.insert(beforeCasts(Bits));
  for (unsigned N = 0; N != Words.size() && N != Most; ++N) {
    if (const auto *Load = dyn_cast<LoadInst>(Words[N]);
        Load && Load->getType()->isPointerTy() &&
        Activity.isVariedMemory(Load->getPointerOperand()))
      return true;
    if (isa<PHINode, SelectInst, FreezeInst>(Words[N]))
      for (const Value *From : cast<User>(Words[N])->operand_values())
        Words.insert(beforeCasts(From));
  }
  return false;
}

/// The word that Load reads is used as the other of an address and a number;
/// or, if nobody wrote its type, it gets to a store of which nobody wrote the
/// type either, as it is or taken for a word of another type.
static bool isMovedAsOneOfTwo(const LoadInst &Load) {
  constexpr unsigned Most = 64;
  const bool Bare = isBareWord(Load);
  SmallSetVector<const Value *, 8> Words;
  Words.insert(&Load);
  for (unsigned I = 0; I != Words.size() && I != Most; ++I)
    for (const User *U : Words[I]->users()) {
      if (const auto *S = dyn_cast<StoreInst>(U);
          S && S->getValueOperand() == Words[I] &&
          (Bare ? isBareWord(*S) : !hasFact(*S, SourceFact::Written)))
        return true;
      const bool IsCast = isa<CastInst>(U) && beforeCasts(U) != U;
      if (isa<PHINode, SelectInst, FreezeInst>(U) || IsCast)
        Words.insert(U);
      else if (!isa<ICmpInst>(U) &&
               Words[I]->getType()->isPointerTy() !=
                   Load.getType()->isPointerTy() &&
               !Words[I]->getType()->isIntegerTy() &&
               !Load.getType()->isIntegerTy())
        return true;
    }
  return Bare && Words.size() >= Most;
}

/// The double that Load reads may be floats at other times, and active ones are
/// stored in its object.
static bool isFloatsByTurns(const LoadInst &Load, const TypeAnalysis &Types,
                            const ActivityAnalysis &Activity) {
  const Value *P = Load.getPointerOperand();
  const TypeAnalysis::ObjectId At = Types.objectOf(P);
  auto IsConflict = [](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Conflict && !L.Kind.FP;
  };
  return Load.getType()->isDoubleTy() && At != TypeAnalysis::NoObject &&
         any_of(Types.leavesAt(P, 8), IsConflict) &&
         any_of(instructions(*Load.getFunction()), [&](const Instruction &I) {
           const auto *S = dyn_cast<StoreInst>(&I);
           return S && S->getValueOperand()->getType()->isFloatTy() &&
                  Types.objectOf(S->getPointerOperand()) == At &&
                  Activity.isVaried(S->getValueOperand());
         });
}

/// Something accesses the memory that the pointer P leads to.
static bool leadsToAnything(const Value &P, const TypeAnalysis &Types) {
  const TypeAnalysis::Kinds Behind = Types.kindsFrom(&P);
  return Behind.Doubles || Behind.Singles || Behind.Pointers ||
         Behind.Integers || Behind.Others;
}

/// The word that Load reads is stored, as it is or taken for a word of another
/// type, where useful numbers lie, or leaves the function.
static bool getsToUseful(const LoadInst &Load,
                         const ActivityAnalysis &Activity) {
  constexpr unsigned Most = 64;
  SmallSetVector<const Value *, 8> Words;
  Words.insert(&Load);
  for (unsigned I = 0; I != Words.size() && I != Most; ++I)
    for (const User *U : Words[I]->users()) {
      if (const auto *S = dyn_cast<StoreInst>(U);
          S && S->getValueOperand() == Words[I] &&
          Activity.isUsefulMemory(S->getPointerOperand()))
        return true;
      if (isa<ReturnInst>(U))
        return true;
      const bool IsCast = isa<CastInst>(U) && beforeCasts(U) != U;
      if (isa<PHINode, SelectInst, FreezeInst>(U) || IsCast)
        Words.insert(U);
    }
  return Words.size() >= Most;
}

/// Load moves a word in a register that is taken for a number, or for a
/// pointer, of a place that holds both by turns, or numbers of two formats:
/// half of a copy of a union, which the optimiser makes of the type that the
/// code around it uses. The other one would be lost.
static bool isOneOfTwoByTurns(const LoadInst &Load, const ProgramFacts &Facts,
                              const ActivityAnalysis &Activity) {
  const TypeAnalysis &Types = Facts.types();
  const Value *P = Load.getPointerOperand();
  const uint64_t Bytes = 8;
  // The copy of a struct names its members, whatever lies there: what is read
  // so need not be an address, if nothing is found where it leads to.
  if (Types.isJumbled(P) ||
      (!isBareWord(Load) &&
       (!Load.getType()->isPointerTy() || hasFact(Load, SourceFact::Written) ||
        (!isUsedAsNumber(Load) && leadsToAnything(Load, Types)))))
    return false;
  // Of integers, the types say what they are, or that nobody knows.
  const auto TakenFor = [&](ByteKind::Kind K) {
    return any_of(Types.leavesOf(&Load),
                  [&](const TypedLeaf &L) { return L.Kind.K == K; });
  };
  const bool AsPointer = TakenFor(ByteKind::Pointer),
             AsNumber = TakenFor(ByteKind::Float);
  if ((!AsPointer && !AsNumber) ||
      !(Types.isByTurns(P) || isFloatsByTurns(Load, Types, Activity) ||
        (!Load.getType()->isIntegerTy() &&
         (AsPointer ? (isBareWord(Load) &&
                       Types.storesNumber(P, 0, Bytes, /*Period=*/0)) ||
                          (isUsedAsNumber(Load) &&
                           Types.touchesFloat(P, Bytes, /*Possibly=*/true))
                    : Types.holdsPointers(P, 0, Bytes)))) ||
      !isMovedAsOneOfTwo(Load))
    return false;
  // What is read as a pointer only counts as useful for nobody. So does what is
  // moved on as one, to memory from which others read it as a number.
  if (!isBareWord(Load) || isUsedAsNumber(Load))
    return Activity.isVariedMemory(P);
  const TypeAnalysis::ObjectId At = Types.objectOf(P);
  return Activity.isActiveMemory(P) ||
         (Activity.isVariedMemory(P) && getsToUseful(Load, Activity)) ||
         (At != TypeAnalysis::NoObject &&
          any_of(Types.pointees(At), [&](TypeAnalysis::ObjectId O) {
            return Activity.variedObjects().test(O) &&
                   Activity.usefulObjects().test(O);
          }));
}

static constexpr StringLiteral BitsInInteger =
    "the bits of an active number in a member that is declared an integer";

/// Store puts the bits of a number where its struct declares an integer. Who
/// reads that member takes it for an integer, and the derivative ends there.
static bool putsBitsInInteger(const StoreInst &Store, const TypeAnalysis &Types,
                              const ActivityAnalysis &Activity) {
  const Value *V = Store.getValueOperand();
  auto NamesNumber = [](const Instruction &I) {
    return is_contained({"float", "double"}, accessTypeName(I));
  };
  if (!taggedType(Store)->isIntegerTy() || NamesNumber(Store) ||
      !TypeAnalysis::isDeclaredInteger(Store))
    return false;
  const bool Matters = Activity.isVaried(V) &&
                       Activity.isActiveMemory(Store.getPointerOperand());
  if (V->getType()->isFloatTy() || V->getType()->isDoubleTy())
    return Matters &&
           is_contained({"int", "long", "long long"}, accessTypeName(Store));
  const auto *Load = dyn_cast<LoadInst>(V);
  if (!Load || !V->getType()->isIntegerTy() ||
      V->getType()->getIntegerBitWidth() < 32 ||
      TypeAnalysis::isDeclaredInteger(*Load))
    return false;
  // One word that is put in a member for numbers as well is taken for an
  // integer there, too.
  if (Activity.isActiveMemory(Load->getPointerOperand()) &&
      any_of(V->users(), [&](const User *U) {
        const auto *S = dyn_cast<StoreInst>(U);
        return S && S->getValueOperand() == V && NamesNumber(*S);
      }))
    return true;
  // A union may hold numbers at other times.
  return Matters && !Types
                         .floatsAlone(Load->getPointerOperand(),
                                      V->getType()->getIntegerBitWidth() / 8)
                         .empty();
}

/// Load moves a word of which the types do not tell what it is, and which is an
/// address at times: what it leads to would have no shadow any more.
/// Preparation moves it in memory.
static bool isAddressOfUnknownType(const LoadInst &Load,
                                   const ProgramFacts &Facts,
                                   const ActivityAnalysis &Activity) {
  const TypeAnalysis &Types = Facts.types();
  const Value *P = Load.getPointerOperand();
  const TypeAnalysis::ObjectId At = Types.objectOf(P);
  if (!isBareWord(Load) || !Load.getType()->isIntegerTy() ||
      Types.isJumbled(P) || At == TypeAnalysis::NoObject)
    return false;
  // What the word is nobody says, or a declaration alone (of one of a union's
  // members, in a variable that unions pass through).
  const ValueShape &Shape = Facts.shape(&Load);
  const bool IsOpen =
      Shape.HasUnknown
          ? Types.holdsPointers(P, 0, 8)
          : !Shape.Floats.empty() && !Types.storesNumber(P, 0, 8, /*Period=*/0);
  return IsOpen && !Shape.HasPointer && isMovedOn(Load) &&
         any_of(Types.pointeesBesideFloats(At), [&](TypeAnalysis::ObjectId O) {
           return Activity.variedObjects().test(O) &&
                  Activity.usefulObjects().test(O);
         });
}

/// I moves words among which are addresses to other functions, as integers:
/// what they lead to would have no shadow any more. A word by itself is moved
/// with its shadow.
static bool movesAddressesAsIntegers(const Instruction &I,
                                     const ProgramFacts &Facts,
                                     const ActivityAnalysis &Activity) {
  const TypeAnalysis &Types = Facts.types();
  const DataLayout &DL = I.getDataLayout();
  auto LosesFrom = [&](const Value *P) {
    const TypeAnalysis::ObjectId At = Types.objectOf(P);
    return At != TypeAnalysis::NoObject &&
           any_of(Types.pointees(At), [&](TypeAnalysis::ObjectId O) {
             return Activity.variedObjects().test(O) &&
                    Activity.usefulObjects().test(O);
           });
  };
  if (const auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
    const Value *From = Copy->getRawSource();
    const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
    if (!Length || !Activity.hasShadow(Copy->getRawDest()) || !LosesFrom(From))
      return false;
    return any_of(Types.leavesOfAccess(&I, From, Length->getZExtValue()),
                  [&](const TypedLeaf &L) {
                    return L.Kind.K == ByteKind::Integer &&
                           L.Size >= DL.getPointerSize() &&
                           Facts.holdsAddressWord(From, L.Offset, L.Size);
                  });
  }
  const auto *S = dyn_cast<StoreInst>(&I);
  if (!S || !S->getValueOperand()->getType()->isIntOrIntVectorTy() ||
      !Activity.hasShadow(S->getPointerOperand()) ||
      Facts.shape(S->getValueOperand()).HasPointer)
    return false;
  SmallSetVector<const Value *, 8> Words;
  Words.insert(S->getValueOperand());
  constexpr unsigned Most = 64;
  for (unsigned N = 0; N != Words.size() && N != Most; ++N) {
    if (const auto *Load = dyn_cast<LoadInst>(Words[N])) {
      const TypeSize Size = DL.getTypeStoreSize(Load->getType());
      if (!Size.isScalable() && Size.getFixedValue() >= DL.getPointerSize() &&
          Facts.holdsAddressWord(Load->getPointerOperand(), 0,
                                 Size.getFixedValue()) &&
          LosesFrom(Load->getPointerOperand()))
        return true;
    } else if (isa<PHINode, SelectInst, FreezeInst, InsertElementInst,
                   ExtractElementInst, ShuffleVectorInst>(Words[N])) {
      for (const Value *From : cast<User>(Words[N])->operand_values())
        if (From->getType()->isIntOrIntVectorTy())
          Words.insert(From);
    }
  }
  return false;
}

SmallVector<Refusal, 2> Legality::collectRefusals() {
  for (BasicBlock &B : Subject.F) {
    if (!Subject.Shape.isLive(&B))
      continue;
    if (isa<IndirectBrInst>(B.getTerminator()) ||
        isa<CallBrInst>(B.getTerminator()))
      refuse(RefusalKind::ControlFlow, *B.getTerminator(), "a computed goto");
    for (Instruction &I : B) {
      if (!checkThreads(I))
        continue;
      if (auto *C = dyn_cast<CallBase>(&I)) {
        checkCall(*C);
        if (Calls.action(*C) == CallAction::Memory) {
          checkFormatsOfCopy(*C);
          checkCopyTypes(I);
          checkShadowOfDest(I);
          if (movesAddressesAsIntegers(I, Subject.facts(), Subject.Activity))
            refuse(RefusalKind::Instruction, I,
                   "an address that is kept in an integer and copied");
        } else if (Calls.action(*C) == CallAction::Derivative) {
          checkShadowOfDest(I);
        }
        if (C->hasFnAttr(ExceptionUnsupported) &&
            any_of(C->args(), [&](const Value *A) {
              return Subject.Activity.hasShadow(A);
            }))
          refuse(RefusalKind::ExceptionPath, I, "");
        continue;
      }
      if (const char *What = missingRule(I, Subject.Activity))
        refuse(RefusalKind::Instruction, I, What);
      if (isPointerFromFloats(I, Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "a pointer taken from a floating-point register");
      else if (isNumberTakenForPointer(I, Subject.facts(), Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "a number in a register that holds an address on other ways");
      else if (isNumberTakenForInteger(I, Subject.facts(), Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "a number whose bits are moved as an integer");
      else if (isAddressTakenForNumber(I, Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "an address in a register of floating-point numbers");
      else if (const auto *S = dyn_cast<StoreInst>(&I);
               S &&
               isAddressStoredAsInteger(*S, Subject.facts(), Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "an address that is stored as an integer and read as a pointer");
      else if (movesAddressesAsIntegers(I, Subject.facts(), Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "an address that is kept in an integer and moved");
      else if (isNumberReadAsAddress(I, Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "a number in a register that holds an address");
      else if (const auto *L = dyn_cast<LoadInst>(&I);
               L && isOneOfTwoByTurns(*L, Subject.facts(), Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "a number or an address by turns, in one register");
      else if (const auto *S = dyn_cast<StoreInst>(&I);
               S &&
               putsBitsInInteger(*S, Subject.facts().types(), Subject.Activity))
        refuse(RefusalKind::Instruction, I, BitsInInteger.str());
      else if (const auto *L = dyn_cast<LoadInst>(&I);
               L &&
               isAddressOfUnknownType(*L, Subject.facts(), Subject.Activity))
        refuse(RefusalKind::Instruction, I,
               "an address or something else by turns, in one register");
      // An address that the types do not know for one has no shadow to make a
      // pointer of.
      else if (isa<IntToPtrInst>(I) && !isa<Constant>(I.getOperand(0)) &&
               Subject.Activity.hasShadow(&I) &&
               !Subject.Activity.isMixed(&I) &&
               !Subject.Activity.hasShadow(I.getOperand(0)))
        refuse(RefusalKind::Unshadowed, I,
               "memory whose address was computed as an integer");
      // A copy by halves: tangents can be moved so, but adjoints are added up.
      else if (Subject.Request.Mode != DerivativeMode::Forward &&
               Subject.Activity.isActive(&I) &&
               Subject.facts().shape(&I).HasPiece)
        refuse(RefusalKind::Instruction, I, "part of a floating-point number");
      checkFormats(I);
      checkCopyTypes(I);
      if (const Value *P = getLoadStorePointerOperand(&I);
          P && Subject.Activity.isUntraceable(P) &&
          hasReverse(I, Subject.Activity))
        refuse(RefusalKind::Unshadowed, I,
               "memory whose address was computed as an integer");
      checkShadowOfDest(I);
    }
  }
  checkNumbersFromText();
  checkLeavingThreads();
  auto Refuse = [&](RefusalKind K, const Instruction &I, std::string Detail) {
    refuse(K, I, std::move(Detail));
  };
  Accumulations.findKeptNumbers(Refuse);
  Accumulations.findSeeds(Refuse);
  for (const Instruction *I : Subject.Activity.lostBits()) {
    const auto *S = dyn_cast<StoreInst>(I);
    const auto *C = dyn_cast<CallBase>(I);
    if (Subject.facts().digits().keepsNumber(*I)) {
      refuse(RefusalKind::Instruction, *I, BitsInInteger.str());
      break;
    }
    // What it calls makes a number of bits that it is given. Where the call has
    // a derivative, the callee is asked itself.
    const bool IsMaker = C && Subject.facts().digits().calleeMakesNumber(*C);
    if (IsMaker && Subject.Activity.isActiveCall(*C))
      continue;
    const Value *To = S ? S->getPointerOperand()
                      : C && !IsMaker && !isa<ConstrainedFPIntrinsic>(C)
                          ? transferOf(*C, Subject.facts().catalogue()).Dest
                      : I->isAtomic() ? I->getOperand(0)
                                      : nullptr;
    const bool Writes =
        IsMaker && Subject.facts().effects(*C)->Numbers.anyCommon(
                       Subject.Activity.usefulObjects());
    if (To ? !Subject.Activity.isUsefulMemory(To)
           : !Writes && !Subject.Activity.isUseful(I))
      continue;
    if (Subject.facts().digits().mayMakeNumber(*I)) {
      refuse(RefusalKind::UnknownType, *I,
             "an integer that may be the bits of a number");
      break;
    }
    if (const Instruction *Atomic = Subject.Activity.bitsInAtomic()) {
      refuse(RefusalKind::Instruction, *Atomic,
             "it works on the bits of an active number as an integer, and "
             "which thread's number remains is "
             "not kept; reduce with shuffles or in shared memory between "
             "barriers");
      break;
    }
    refuse(
        RefusalKind::Instruction, *I,
        To ? "a store of integers that may be parts of floating-point numbers"
           : "a float made from the bits of an active one by integer "
             "arithmetic");
    break; // one such trail has many steps
  }
  for (const Loop *L : Subject.Shape.loops().getLoopsInPreorder())
    if (Subject.Shape.isLive(L->getHeader()) &&
        (!L->getLoopPreheader() || !L->getLoopLatch()))
      refuse(RefusalKind::ControlFlow, L->getHeader()->front(),
             "a loop entered by a computed goto");
  return std::move(Refusals);
}
