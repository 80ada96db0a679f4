//===- ApartShadows.cpp - shadows of arrays in structs are apart ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a derivative for arrays that are apart (docs/DisjointArguments.md) the
// primal's accesses come with scopes. Those of adjoints are emitted later, by
// many rules; all of them are behind the shadow of a pointer, and which pointer
// that is shows in the address: a parameter, or what is loaded from behind one.
//
//===----------------------------------------------------------------------===//

#include "Analysis/FieldRanges.h"
#include "Emit/AccessKinds.h"
#include "Polish/AddedZeros.h"
#include "Polish/PolishSteps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

namespace {
/// A parameter, and how far behind it the pointer is; none: it is the pointer.
using Root = std::pair<const Argument *, std::optional<int64_t>>;
} // namespace

static std::optional<Root> rootOf(const Value *Address) {
  const Value *Object = getUnderlyingObject(Address, /*MaxLookup=*/0);
  if (const auto *A = dyn_cast<Argument>(Object))
    return Root{A, std::nullopt};
  const auto *L = dyn_cast<LoadInst>(Object);
  if (!L)
    return std::nullopt;
  APInt Offset(64, 0);
  const auto *A = dyn_cast<Argument>(
      L->getPointerOperand()->stripAndAccumulateConstantOffsets(
          L->getDataLayout(), Offset, /*AllowNonInbounds=*/true));
  if (!A)
    return std::nullopt;
  return Root{A, Offset.getSExtValue()};
}

/// In a finished derivative. True if it was changed.
bool retrograd::tellShadowsApart(Function &Derivative) {
  MDBuilder B(Derivative.getContext());
  MDNode *Domain = nullptr;
  SmallMapVector<Root, MDNode *, 16> Scopes;
  for (const Argument &A : Derivative.args()) {
    Attribute Fields =
        Derivative.getAttributes().getParamAttr(A.getArgNo(), ApartFields);
    if (!Fields.isValid())
      continue;
    if (!Domain)
      Domain = B.createAnonymousAliasScopeDomain("rg.shadows");
    SmallVector<StringRef, 16> Places;
    Fields.getValueAsString().split(Places, ',');
    for (StringRef Place : Places) {
      Root Of{&A, std::nullopt};
      int64_t At;
      if (!Place.getAsInteger(10, At))
        Of.second = At;
      Scopes[Of] =
          B.createAnonymousAliasScope(Domain, AccessKinds::ShadowScope);
    }
  }
  if (Scopes.size() < 2)
    return false;
  bool Changed = false;
  for (Instruction &I : instructions(Derivative)) {
    const Value *At = getLoadStorePointerOperand(&I);
    if (const auto *M = dyn_cast<MemSetInst>(&I))
      At = M->getRawDest();
    if (!At || !isAdjoint(I))
      continue;
    auto Of = rootOf(At);
    auto *Own = Of ? Scopes.find(*Of) : Scopes.end();
    if (Own == Scopes.end())
      continue;
    SmallVector<Metadata *, 16> Others;
    for (auto &[Other, Scope] : Scopes)
      if (Scope != Own->second)
        Others.push_back(Scope);
    LLVMContext &C = Derivative.getContext();
    for (auto [Kind, Tells] :
         {std::pair{LLVMContext::MD_alias_scope, MDNode::get(C, {Own->second})},
          std::pair{LLVMContext::MD_noalias, MDNode::get(C, Others)}})
      I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind), Tells));
    Changed = true;
  }
  return Changed;
}
