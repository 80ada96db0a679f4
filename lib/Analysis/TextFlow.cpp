//===- TextFlow.cpp - numbers that go through text or files ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/TextFlow.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
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

static void addDescriptors(BitVector &To, const ProgramFacts &Facts) {
  const unsigned Descriptors = Facts.types().numObjects();
  To.resize(Descriptors + 1);
  To.set(Descriptors);
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
  for (Function *F : Functions) {
    Summary &S = Summaries[F];
    S.Printed.resize(Facts.types().numObjects());
    S.Read.resize(Facts.types().numObjects());
    for (const Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      if (C && prints(*C, AnyNumber, AnyObject))
        S.Printed |= printedBy(*C);
      if (C && readsNumbers(*C))
        S.Read |= readBy(*C);
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
        Grew |= From->Printed.test(S.Printed) || From->Read.test(S.Read);
        S.Printed |= From->Printed;
        S.Read |= From->Read;
      }
  }
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
    addDescriptors(To, Facts);
  return To;
}

BitVector TextFlow::readBy(const CallBase &C) const {
  BitVector From = sourcesOf(C, Facts);
  if (namesDescriptor(C))
    addDescriptors(From, Facts);
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
