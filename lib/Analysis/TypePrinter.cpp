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
//===----------------------------------------------------------------------===//

#include "Analysis/TypeModel.h"
#include "llvm/IR/InstIterator.h"
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
