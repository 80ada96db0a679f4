//===- TextFlow.cpp - numbers that go through text or files ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/TextFlow.h"
#include "Analysis/CallEffects.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "Catalogue/LibraryNames.h"
#include "Support/DispatchMarks.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// An operation that has no derivative, by its record. What the user called
/// inactive is none: that is a promise.
static const OperationRecord *inactiveRecord(const CallBase &C,
                                             const ProgramFacts &Facts) {
  const OperationRecord *R = Facts.catalogue().lookup(C);
  return R && R->Class == RuleClass::Inactive && !R->OfUser && !R->Pure
             ? R
             : nullptr;
}

static bool isUnknown(const CallBase &C, const ProgramFacts &Facts) {
  const Function *Callee = directCallee(C);
  return !C.isInlineAsm() && !isa<IntrinsicInst>(C) && !C.doesNotReturn() &&
         !C.doesNotAccessMemory() && !Facts.catalogue().lookup(C) &&
         !(Callee && Facts.preparedOf(Callee));
}

/// C is of the program's own, somewhere else: it may keep what it is told, and
/// another such function may find it. A language's library keeps no text.
static bool isElsewhere(const CallBase &C, const ProgramFacts &Facts) {
  const Function *Callee = directCallee(C);
  return isUnknown(C, Facts) &&
         !(Callee && isOfLanguageLibrary(Callee->getName()));
}

/// C stands for a callee nobody can see, beside those that the program has.
static bool isUnseen(const CallBase &C) {
  return C.getFunction()->hasFnAttribute(UnseenCallee);
}

/// Memory behind the pointer V that is no constant: all that it leads to.
static void addBehind(BitVector &To, const Value *V,
                      const ProgramFacts &Facts) {
  if (!V->getType()->isPointerTy() || isa<ConstantPointerNull>(V))
    return;
  const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(V));
  TypeAnalysis::ObjectId O = Facts.types().objectOf(V);
  if (O != TypeAnalysis::NoObject && !(G && G->isConstant()))
    To |= Facts.reachableFrom(O);
}

static BitVector sourcesOf(const CallBase &C, const ProgramFacts &Facts) {
  BitVector From(Facts.types().numObjects());
  for (const Value *A : C.args())
    addBehind(From, A, Facts);
  return From;
}

/// Where an operation without a body may put characters. One that is known to
/// print does not put them behind what it prints, which is read-only or has no
/// parameter of its own.
static BitVector destinationsOf(const CallBase &C, const ProgramFacts &Facts) {
  BitVector To(Facts.types().numObjects());
  const OperationRecord *R = Facts.catalogue().lookup(C);
  const unsigned Written = R && R->Memory != "n"
                               ? C.getFunctionType()->getNumParams()
                               : C.arg_size();
  for (unsigned N = 0; N != Written; ++N)
    if (!C.onlyReadsMemory(N) && !C.onlyReadsMemory())
      addBehind(To, C.getArgOperand(N), Facts);
  addBehind(To, &C, Facts);
  return To;
}

/// C names what it prints to, or reads from, by a number of the system's, as
/// write() and read() do: a file, a pipe, a socket. All of these are one place.
static bool namesDescriptor(const CallBase &C) {
  return !C.arg_empty() && C.getArgOperand(0)->getType()->isIntegerTy();
}

/// Objects that no pointer leads to, behind the last one.
enum class Place { Descriptors, Elsewhere };

static void addPlace(BitVector &To, Place P, const ProgramFacts &Facts) {
  const unsigned First = Facts.types().numObjects();
  To.resize(First + unsigned(Place::Elsewhere) + 1);
  To.set(First + unsigned(P));
}

TextFlow::TextFlow(ArrayRef<Function *> Functions, const ProgramFacts &Facts)
    : Facts(Facts) {
  auto AnyNumber = [&](const Value *V) { return Facts.carriesFloat(V); };
  BitVector AnyObject(Facts.types().numObjects(), true);
  bool Prints = false, Reads = false;
  for (Function *F : Functions)
    for (const Instruction &I : instructions(*F))
      if (const auto *C = dyn_cast<CallBase>(&I)) {
        Prints = Prints || prints(*C, AnyNumber, AnyObject);
        Reads = Reads || readsNumbers(*C);
      }
  Any = Prints && Reads;
  if (!Any)
    return;
  findNumbers(Functions);
  for (Function *F : Functions) {
    Summary &S = Summaries[F];
    const unsigned N = Facts.types().numObjects();
    for (BitVector *B : {&S.Printed, &S.Read, &S.Returned, &S.Given})
      B->resize(N);
    for (const Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      if (C && prints(*C, AnyNumber, AnyObject))
        S.Printed |= printedBy(*C);
      if (!C || !readsNumbers(*C))
        continue;
      S.Read |= readBy(*C);
      if (givesNumbers(*C))
        S.Returned |= readBy(*C);
      S.Given |= givenBy(*C);
    }
    findEdges(*F);
  }
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (Function *F : Functions)
      for (const Instruction &I : instructions(*F)) {
        const auto *C = dyn_cast<CallBase>(&I);
        const Summary *From = C ? summary(*C) : nullptr;
        if (!From)
          continue;
        Summary &S = Summaries.find(F)->second;
        for (BitVector Summary::*B : {&Summary::Printed, &Summary::Read,
                                      &Summary::Returned, &Summary::Given}) {
          Grew |= (From->*B).test(S.*B);
          S.*B |= From->*B;
        }
      }
  }
}

/// Memory that instruction I finds numbers in, or unknown bytes that may be.
static void addNumbersRead(BitVector &To, const Instruction &I,
                           const ProgramFacts &Facts) {
  const auto *C = dyn_cast<CallBase>(&I);
  if (C && inactiveRecord(*C, Facts))
    return;
  if (isa<LoadInst>(I) && !Facts.carriesFloat(&I) &&
      !Facts.shape(&I).HasUnknown)
    return;
  visitAccesses(I, Facts.catalogue(), [&](const Value *P, bool Reads, bool) {
    TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
    if (Reads && O != TypeAnalysis::NoObject)
      To.set(O);
  });
  // A rule reads memory, and says where.
  if (const ProgramFacts::Effects *E =
          C && Facts.catalogue().lookup(*C) ? Facts.effects(*C) : nullptr)
    To |= E->Reads;
}

void TextFlow::findNumbers(ArrayRef<Function *> Functions) {
  NumbersFound.resize(Facts.types().numObjects());
  GivenElsewhere = Facts.external();
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F)) {
      addNumbersRead(NumbersFound, I, Facts);
      if (const auto *C = dyn_cast<CallBase>(&I); C && isElsewhere(*C, Facts))
        (isUnseen(*C) ? GivenUnseen : GivenElsewhere) |=
            destinationsOf(*C, Facts);
    }
  for (const Argument &A : Facts.root()->args())
    addBehind(NumbersFound, &A, Facts);
  for (const BasicBlock &B : *Facts.root())
    if (const auto *R = dyn_cast<ReturnInst>(B.getTerminator());
        R && R->getReturnValue())
      addBehind(NumbersFound, R->getReturnValue(), Facts);
  GivenElsewhere &= NumbersFound;
  GivenUnseen &= NumbersFound;
}

bool TextFlow::givesNumbers(const CallBase &C) const {
  if (!isUnknown(C, Facts) || Facts.carriesFloat(&C))
    return true;
  BitVector To(Facts.types().numObjects());
  if (isUnseen(C))
    addBehind(To, &C, Facts);
  else
    To = destinationsOf(C, Facts);
  return To.anyCommon(NumbersFound);
}

BitVector TextFlow::givenBy(const CallBase &C) const {
  const OperationRecord *R = inactiveRecord(C, Facts);
  BitVector Given(Facts.types().numObjects());
  if (R ? R->Memory == "n" : !isUnseen(C))
    Given = R ? sourcesOf(C, Facts) : destinationsOf(C, Facts);
  Given &= NumbersFound;
  return Given;
}

BitVector TextFlow::elsewhere() const {
  BitVector B;
  addPlace(B, Place::Elsewhere, Facts);
  return B;
}

bool TextFlow::prints(const CallBase &C,
                      function_ref<bool(const Value *)> Value,
                      const BitVector &Objects) const {
  const OperationRecord *R = inactiveRecord(C, Facts);
  if (!R)
    return false;
  if (R->Memory == "t")
    return sourcesOf(C, Facts).anyCommon(Objects);
  return any_of(C.args(), [&](const llvm::Value *A) {
    return !A->getType()->isPointerTy() && Value(A);
  });
}

bool TextFlow::readsNumbers(const CallBase &C) const {
  if (isElsewhere(C, Facts))
    return true;
  if (none_of(C.args(),
              [](const Value *A) { return A->getType()->isPointerTy(); }))
    return false;
  if (const OperationRecord *R = inactiveRecord(C, Facts))
    return C.getType()->isFPOrFPVectorTy() || R->Memory == "n";
  return isUnknown(C, Facts);
}

BitVector TextFlow::printedBy(const CallBase &C) const {
  BitVector To = destinationsOf(C, Facts);
  if (namesDescriptor(C))
    addPlace(To, Place::Descriptors, Facts);
  return To;
}

BitVector TextFlow::readBy(const CallBase &C) const {
  BitVector From = sourcesOf(C, Facts);
  if (namesDescriptor(C))
    addPlace(From, Place::Descriptors, Facts);
  if (isElsewhere(C, Facts))
    addPlace(From, Place::Elsewhere, Facts);
  return From;
}

const TextFlow::Summary *TextFlow::summary(const CallBase &C) const {
  const Function *Callee = directCallee(C);
  auto Found = Callee && !Facts.catalogue().lookup(C)
                   ? Summaries.find(Facts.preparedOf(Callee))
                   : Summaries.end();
  return Found == Summaries.end() ? nullptr : &Found->second;
}

/// Objects from which the characters in the integer V come.
static void addOrigins(const Value *V, const ProgramFacts &Facts,
                       BitVector &From) {
  constexpr unsigned Most = 32;
  SmallVector<const Value *, 8> Work{V};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty() && Seen.size() < Most) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !I->getType()->isIntOrIntVectorTy() || !Seen.insert(I).second)
      continue;
    if (const auto *L = dyn_cast<LoadInst>(I))
      addBehind(From, L->getPointerOperand(), Facts);
    else if (isa<CallBase, BinaryOperator, CastInst, PHINode, SelectInst,
                 FreezeInst>(I))
      append_range(Work, I->operands());
  }
}

void TextFlow::findEdges(Function &F) {
  for (const Instruction &I : instructions(F)) {
    Edge E{BitVector(Facts.types().numObjects()),
           BitVector(Facts.types().numObjects())};
    if (const auto *S = dyn_cast<StoreInst>(&I)) {
      addOrigins(S->getValueOperand(), Facts, E.From);
      addBehind(E.To, S->getPointerOperand(), Facts);
    } else if (const auto *M = dyn_cast<AnyMemTransferInst>(&I)) {
      addBehind(E.From, M->getRawSource(), Facts);
      addBehind(E.To, M->getRawDest(), Facts);
    } else if (const auto *C = dyn_cast<CallBase>(&I)) {
      const OperationRecord *R = inactiveRecord(*C, Facts);
      const OperationRecord *Known = Facts.catalogue().lookup(I);
      if (!R && !isUnknown(*C, Facts) &&
          !(Known && Known->Class == RuleClass::Handler &&
            !Known->leavesMemoryAlone()))
        continue;
      E.From = sourcesOf(*C, Facts);
      addBehind(E.From, C, Facts);
      for (const Value *A : C->args())
        addOrigins(A, Facts, E.From);
      E.To = destinationsOf(*C, Facts);
      if (isElsewhere(*C, Facts)) {
        addPlace(E.From, Place::Elsewhere, Facts);
        addPlace(E.To, Place::Elsewhere, Facts);
        E.To |= Facts.external();
      }
    }
    if (E.From.any() && E.To.any() && (E.From != E.To || E.From.count() > 1))
      Edges.push_back(std::move(E));
  }
}

void TextFlow::close(BitVector &Objects) const {
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (const Edge &E : Edges)
      if (Objects.anyCommon(E.From) && E.To.test(Objects)) {
        Objects |= E.To;
        Grew = true;
      }
  }
}
