//===- Markers.cpp - what stands before arguments -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/Markers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace retrograd;

static constexpr MarkerName MarkerNames[] = {
#define MARKER(Name, Role) {Name, MarkerRole::Role},
#include "Request/EntryPoints.def"
};

ArrayRef<MarkerName> retrograd::markerNames() { return MarkerNames; }

/// The identifier of a marker in a symbol, which may be mangled:
/// "_ZL10enzyme_dup".
static StringRef markerIdentifier(StringRef Symbol) {
  for (StringRef Prefix : {"enzyme_", "diffe_"}) {
    size_t At = Symbol.find(Prefix);
    if (At == StringRef::npos || (At && !llvm::isDigit(Symbol[At - 1])))
      continue;
    return Symbol.substr(At).take_while(
        [](char C) { return llvm::isLower(C) || C == '_'; });
  }
  return {};
}

static StringRef markerWithin(const Value *V, bool *ByAddress, unsigned Depth) {
  if (Depth > 4)
    return {};
  if (auto *Wrapped = dyn_cast<MetadataAsValue>(V)) {
    if (auto *String = dyn_cast<MDString>(Wrapped->getMetadata()))
      return String->getString();
    if (auto *Node = dyn_cast<MDNode>(Wrapped->getMetadata());
        Node && Node->getNumOperands() == 1)
      if (auto *String = dyn_cast<MDString>(Node->getOperand(0)))
        return String->getString();
    return {};
  }
  if (isa<CastInst>(V) || isa<FreezeInst>(V))
    return markerWithin(cast<Instruction>(V)->getOperand(0), ByAddress,
                        Depth + 1);
  if (auto *Phi = dyn_cast<PHINode>(V)) {
    StringRef Common =
        Phi->getNumIncomingValues()
            ? markerWithin(Phi->getIncomingValue(0), ByAddress, Depth + 1)
            : StringRef();
    for (const Value *Incoming : Phi->incoming_values())
      if (markerWithin(Incoming, ByAddress, Depth + 1) != Common)
        return {};
    return Common;
  }
  auto FromGlobal = [](const Value *P) -> StringRef {
    if (const auto *Own = dyn_cast<IntrinsicInst>(P);
        Own && Own->getIntrinsicID() == Intrinsic::threadlocal_address)
      P = Own->getArgOperand(0);
    auto *G = dyn_cast<GlobalVariable>(P->stripPointerCastsAndAliases());
    if (!G)
      return {};
    StringRef Name = markerIdentifier(G->getName());
    bool Known = any_of(MarkerNames,
                        [&](const MarkerName &M) { return M.Name == Name; });
    return Known || G->getValueType()->isIntegerTy() ? Name : StringRef();
  };
  // What is stored once into a variable: in code without optimisation, and
  // where a temporary is passed by reference.
  auto InVariable = [&](const AllocaInst &Slot) -> StringRef {
    const Value *Stored = nullptr;
    for (const User *U : Slot.users())
      if (auto *Store = dyn_cast<StoreInst>(U)) {
        if (Stored || Store->getPointerOperand() != &Slot)
          return {};
        Stored = Store->getValueOperand();
      }
    return Stored ? markerWithin(Stored, nullptr, Depth + 1) : StringRef();
  };
  if (auto *Slot = dyn_cast<AllocaInst>(V)) {
    StringRef Name = InVariable(*Slot);
    if (!Name.empty() && ByAddress)
      *ByAddress = true;
    return Name;
  }
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    if (auto *Slot = dyn_cast<AllocaInst>(Load->getPointerOperand()))
      return InVariable(*Slot);
    return FromGlobal(Load->getPointerOperand());
  }
  StringRef Name = FromGlobal(V);
  if (!Name.empty() && ByAddress)
    *ByAddress = true;
  return Name;
}

StringRef retrograd::markerOf(const Value *V, bool *ByAddress) {
  return markerWithin(V, ByAddress, 0);
}

bool retrograd::isMarker(const Value *V) { return !markerOf(V).empty(); }

std::optional<uint64_t> retrograd::constantOf(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V))
    V = Load->getPointerOperand();
  const Value *P = V->stripPointerCastsAndAliases();
  if (auto *G = dyn_cast<GlobalVariable>(P);
      G && G->isConstant() && G->hasInitializer())
    V = G->getInitializer();
  if (auto *Slot = dyn_cast<AllocaInst>(P)) {
    const Value *Stored = nullptr;
    for (const User *U : Slot->users())
      if (auto *Store = dyn_cast<StoreInst>(U)) {
        if (Stored || Store->getPointerOperand() != Slot)
          return std::nullopt;
        Stored = Store->getValueOperand();
      }
    V = Stored ? Stored : V;
  }
  if (auto *C = dyn_cast<ConstantInt>(V); C && C->getBitWidth() <= 64)
    return C->getZExtValue();
  return std::nullopt;
}
