//===- SourceFact.cpp - what the source says, carried by the IR -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/SourceFact.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

StringRef retrograd::metadataOf(SourceFact Fact) {
  static constexpr StringLiteral Names[] = {
#define SOURCE_FACT(Id, Metadata) StringLiteral(Metadata),
#include "Support/SourceFacts.def"
  };
  return Names[unsigned(Fact)];
}

void retrograd::noteFact(Instruction &I, SourceFact Fact) {
  I.setMetadata(metadataOf(Fact), MDNode::get(I.getContext(), {}));
}

bool retrograd::hasFact(const Instruction &I, SourceFact Fact) {
  // Most instructions have no metadata, and looking a kind up takes time.
  return I.hasMetadataOtherThanDebugLoc() && I.hasMetadata(metadataOf(Fact));
}

void retrograd::noteInteger(Instruction &Access, bool Declared) {
  LLVMContext &C = Access.getContext();
  Access.setMetadata(metadataOf(SourceFact::Integer),
                     Declared ? MDNode::get(C, {MDString::get(C, "member")})
                              : MDNode::get(C, {}));
}

std::optional<bool> retrograd::declaredInteger(const Instruction &Access) {
  if (!hasFact(Access, SourceFact::Integer))
    return std::nullopt;
  return Access.getMetadata(metadataOf(SourceFact::Integer))
             ->getNumOperands() != 0;
}

void retrograd::noteLayout(Instruction &Copy, SourceFact Fact,
                           MemoryLayout Layout) {
  LLVMContext &C = Copy.getContext();
  Copy.setMetadata(metadataOf(Fact),
                   MDNode::get(C, {MDString::get(C, Layout.Members),
                                   ConstantAsMetadata::get(ConstantInt::get(
                                       Type::getInt64Ty(C), Layout.Period))}));
}

std::optional<MemoryLayout> retrograd::layoutFact(const Instruction &Copy,
                                                  SourceFact Fact) {
  if (!hasFact(Copy, Fact))
    return std::nullopt;
  const MDNode *Node = Copy.getMetadata(metadataOf(Fact));
  auto *Members = Node->getNumOperands() == 2
                      ? dyn_cast<MDString>(Node->getOperand(0))
                      : nullptr;
  auto *Period = Members
                     ? mdconst::dyn_extract<ConstantInt>(Node->getOperand(1))
                     : nullptr;
  if (!Period)
    return std::nullopt; // IR that somebody else wrote
  return MemoryLayout{Members->getString(), Period->getSExtValue()};
}

void retrograd::noteFact(Module &M, SourceFact Fact) {
  M.getOrInsertNamedMetadata(metadataOf(Fact));
}

bool retrograd::hasFact(const Module &M, SourceFact Fact) {
  return M.getNamedMetadata(metadataOf(Fact)) != nullptr;
}
