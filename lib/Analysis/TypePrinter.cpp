//===- TypePrinter.cpp - the type analysis as text ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   types of @f:
//     %p -> #0+8 step 16         pointer: object, offset, stride
//     %i : [0,8) double          integer, vector, aggregate: leaves
//   object #0: @global, alloca %x of @f
//     +8 step 16: 8 x double     evidence: place, size, kind
//     +0: -> #1                  cell: where its pointer points
//
// and why it is as it is:
//
//   merges of @f:
//     1. %p+0 (1 object) is %q+8 (3 objects): phi ptr ... (f.c:3)
//     2. what %p+16 leads to ... is ...: since 1
//     %r widens from +0 to +0 step 8 from below: getelementptr ... (f.c:4)
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeModel.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

static void printKind(raw_ostream &OS, ByteKind K) {
  switch (K.K) {
  case ByteKind::Unknown:
    OS << "unknown";
    return;
  case ByteKind::Integer:
    OS << "integer";
    return;
  case ByteKind::Float:
    K.FP->print(OS);
    return;
  case ByteKind::Pointer:
    OS << "pointer";
    return;
  case ByteKind::Conflict:
    OS << "conflict";
    return;
  }
}

static void printPlace(raw_ostream &OS, const Position &P) {
  OS << (P.Off < 0 ? "" : "+") << P.Off;
  if (!P.Stride)
    return;
  OS << " step " << P.Stride;
  if (P.Lo <= Position::NegInf)
    OS << " from below";
  if (P.Hi < Position::PosInf)
    OS << " up to " << P.Hi;
}

void TypeAnalysis::print(raw_ostream &OS) const {
  auto PrintValue = [&](const Value &V) {
    Type *T = V.getType();
    if (T->isVoidTy() || T->isFPOrFPVectorTy() || T->isIntOrIntVectorTy(1) ||
        T->isLabelTy() || T->isTokenTy() || T->isMetadataTy())
      return;
    OS << "  ";
    V.printAsOperand(OS, /*PrintType=*/false);
    if (T->isPointerTy()) {
      OS << " -> ";
      Position P = I->G.positionOf(I->lookupPointer(&V));
      if (!P.valid()) {
        OS << "nothing\n";
        return;
      }
      OS << '#' << objectOf(&V);
      printPlace(OS, P);
      OS << '\n';
      return;
    }
    OS << " :";
    for (const TypedLeaf &L : leavesOf(&V)) {
      OS << " [" << L.Offset << ',' << L.Offset + L.Size << ") ";
      printKind(OS, L.Kind);
    }
    OS << '\n';
  };
  for (Function *F : I->Functions) {
    OS << "types of @" << F->getName() << ":\n";
    for (Argument &A : F->args())
      PrintValue(A);
    for (Instruction &Inst : instructions(*F))
      PrintValue(Inst);
  }
  for (unsigned O = 0; O != numObjects(); ++O) {
    unsigned Rep = I->Representatives[O];
    auto Known = I->G.evidenceOf(Rep);
    auto Cells = I->G.cellsOf(Rep);
    if (Known.empty() && Cells.empty())
      continue;
    OS << "object #" << O << ":\n";
    for (const Evidence &E : Known) {
      OS << "  ";
      printPlace(OS, E.Where);
      OS << ": " << E.Size << " x ";
      printKind(OS, E.Kind);
      if (E.Level == Trust::Moved)
        OS << " (moved)";
      if (E.Level == Trust::Turns)
        OS << " (by turns)";
      if (E.Level == Trust::Guess)
        OS << " (guess)";
      if (E.Level == Trust::Weak)
        OS << " (weak)";
      if (E.Level == Trust::Hearsay)
        OS << " (hearsay)";
      if (E.Copied)
        OS << " (copied)";
      OS << '\n';
    }
    for (auto &C : Cells) {
      OS << "  ";
      printPlace(OS, C.Where);
      OS << ": -> ";
      Position P = I->G.positionOf(C.Pointee);
      if (!P.valid()) {
        OS << "nothing\n";
        continue;
      }
      auto It = I->PublicIds.find(P.Obj);
      if (It == I->PublicIds.end())
        OS << "register";
      else
        OS << '#' << It->second;
      printPlace(OS, P);
      OS << '\n';
    }
  }
}

/// Objects are called by where they come from, places by the object that they
/// were in when it happened.
class TypeAnalysis::Impl::MergePrinter {
public:
  MergePrinter(const Impl &Model, raw_ostream &OS)
      : Model(Model), OS(OS), Slots(Model.Functions.front()->getParent(),
                                    /*ShouldInitializeAllMetadata=*/false) {
    for (const Value *V : Model.Sources)
      First.try_emplace(V, First.size());
    for (const auto &[V, Pointer] : Model.Pointers)
      note(Pointer, V);
    for (const auto &[V, Register] : Model.Registers)
      note(Register, V);
  }
  void print();

private:
  const Impl &Model;
  raw_ostream &OS;
  ModuleSlotTracker Slots;
  DenseMap<const Value *, unsigned> First;
  DenseMap<unsigned, const Value *> Variables;
  /// How many objects each is made of, by its representative at the time.
  std::vector<unsigned> Members;
  /// Merges are numbered; widenings are not.
  DenseMap<unsigned, unsigned> Numbers;

  /// Several values may be one variable; the first in the program names it.
  void note(Var Of, const Value *V) {
    if (Of == NoVar)
      return;
    const Value *&Known = Variables[Of];
    if (!Known || First.lookup(V) < First.lookup(Known))
      Known = V;
  }
  void value(const Value *V);
  void place(const Position &P, unsigned Depth = 0);
  void statement(const GraphEvent &E);
};

void TypeAnalysis::Impl::MergePrinter::value(const Value *V) {
  const Function *F = nullptr;
  if (const auto *I = dyn_cast<Instruction>(V))
    F = I->getFunction();
  else if (const auto *A = dyn_cast<Argument>(V))
    F = A->getParent();
  if (F)
    Slots.incorporateFunction(*F);
  if (V->getType()->isVoidTy()) {
    V->print(OS, Slots);
    return;
  }
  V->printAsOperand(OS, /*PrintType=*/false, Slots);
  if (F && Model.Functions.size() > 1)
    OS << " of @" << F->getName();
}

void TypeAnalysis::Impl::MergePrinter::place(const Position &P,
                                             unsigned Depth) {
  constexpr unsigned Deepest = 4;
  const ObjectGraph::Birth &From = Model.Happened.Births[P.Obj];
  if (From.LedToBy.valid() && Depth != Deepest) {
    OS << "what (";
    place(From.LedToBy, Depth + 1);
    OS << ") leads to";
  } else if (From.Source < Model.Sources.size()) {
    value(Model.Sources[From.Source]);
  } else {
    OS << "memory";
  }
  printPlace(OS, P);
}

void TypeAnalysis::Impl::MergePrinter::statement(const GraphEvent &E) {
  if (E.Why == GraphEvent::Owners) {
    OS << "since " << Numbers.lookup(E.After);
    return;
  }
  switch (E.Why) {
  case GraphEvent::Flow:
    OS << "flow, ";
    break;
  case GraphEvent::Distance:
    OS << "distance, ";
    break;
  case GraphEvent::Access:
    OS << "access, ";
    break;
  case GraphEvent::Copy:
    OS << "copy, ";
    break;
  case GraphEvent::Value:
    OS << "value, ";
    break;
  case GraphEvent::Owners:
    break;
  }
  if (E.By >= Model.Sources.size()) {
    OS << "unknown";
    return;
  }
  const auto *I = dyn_cast<Instruction>(Model.Sources[E.By]);
  if (!I) {
    value(Model.Sources[E.By]);
    return;
  }
  Slots.incorporateFunction(*I->getFunction());
  std::string Text;
  raw_string_ostream(Text) << *I;
  // Attachments say nothing here and take a line each.
  OS << StringRef(Text).split(", !").first.trim() << " in @"
     << I->getFunction()->getName();
  if (const DILocation *At = I->getDebugLoc())
    OS << " (" << At->getFilename() << ':' << At->getLine() << ')';
}

void TypeAnalysis::Impl::MergePrinter::print() {
  Members.assign(Model.G.numObjects(), 1);
  OS << "merges of @" << Model.Functions.front()->getName() << ":\n";
  const auto &Events = Model.Happened.Events;
  for (unsigned N = 0; N != Events.size(); ++N) {
    const GraphEvent &E = Events[N];
    OS << "  ";
    if (E.Widens != NoVar) {
      if (const Value *V = Variables.lookup(E.Widens))
        value(V);
      else
        OS << "a pointer in memory";
      OS << (E.A.valid() ? " widens from " : " begins as ");
      if (E.A.valid()) {
        place(E.A);
        OS << " to ";
        printPlace(OS, E.B);
      } else {
        place(E.B);
      }
    } else {
      const unsigned Number = Numbers.size() + 1;
      Numbers[N] = Number;
      OS << Number << ". ";
      place(E.A);
      OS << " (" << Members[E.A.Obj] << ") is ";
      place(E.B);
      OS << " (" << Members[E.B.Obj] << ')';
      Members[E.A.Obj] = Members[E.B.Obj] = Members[E.A.Obj] + Members[E.B.Obj];
    }
    OS << ": ";
    statement(E);
    OS << '\n';
  }
}

void TypeAnalysis::printMerges(raw_ostream &OS) const {
  Impl::MergePrinter(*I, OS).print();
}
