//===- SourceFact.cpp - what the source says, carried by the IR -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/SourceFact.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

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

/// Where LLVM makes one access of two, and where it moves one to where it may
/// not run, it drops metadata that it does not know, and keeps annotations of
/// the memory model (MMRA) that both have. They order fences, of which ours say
/// nothing.
static constexpr StringLiteral Member = "member", Element = "element";

/// What the memory model's annotations of I say: nothing, a declared member, or
/// an integer of which that is not known.
static std::optional<bool> annotatedInteger(const Instruction &I) {
  if (!I.hasMetadata(LLVMContext::MD_mmra))
    return std::nullopt;
  const MMRAMetadata Tags(I);
  const StringRef Prefix = metadataOf(SourceFact::Integer);
  if (!Tags.hasTagWithPrefix(Prefix))
    return std::nullopt;
  return !Tags.hasTag(Prefix, Element);
}

bool retrograd::hasFact(const Instruction &I, SourceFact Fact) {
  // Most instructions have no metadata, and looking a kind up takes time.
  return I.hasMetadataOtherThanDebugLoc() &&
         (I.hasMetadata(metadataOf(Fact)) ||
          (Fact == SourceFact::Integer && annotatedInteger(I)));
}

void retrograd::copyFacts(Instruction &To, const Instruction &From) {
  for (SourceFact Fact : {
#define SOURCE_FACT(Id, Metadata) SourceFact::Id,
#include "Support/SourceFacts.def"
       })
    if (std::optional<bool> Declared =
            Fact == SourceFact::Integer ? declaredInteger(From) : std::nullopt)
      noteInteger(To, *Declared);
    else if (hasFact(From, Fact))
      To.setMetadata(metadataOf(Fact), From.getMetadata(metadataOf(Fact)));
}

void retrograd::noteInteger(Instruction &Access, bool Declared) {
  LLVMContext &C = Access.getContext();
  Access.setMetadata(metadataOf(SourceFact::Integer),
                     Declared ? MDNode::get(C, {MDString::get(C, Member)})
                              : MDNode::get(C, {}));
  if (!Access.hasMetadata(LLVMContext::MD_mmra) || annotatedInteger(Access))
    Access.setMetadata(LLVMContext::MD_mmra,
                       MMRAMetadata::getTagMD(C,
                                              metadataOf(SourceFact::Integer),
                                              Declared ? Member : Element));
}

std::optional<bool> retrograd::declaredInteger(const Instruction &Access) {
  if (const MDNode *Node = Access.getMetadata(metadataOf(SourceFact::Integer)))
    return Node->getNumOperands() != 0;
  return annotatedInteger(Access);
}

void retrograd::writeMember(raw_ostream &OS, const LayoutMember &M) {
  OS << M.Offset << ':';
  if (!M.Ty || M.Ty->isVectorTy())
    OS << '?' << M.Bytes;
  else if (M.Ty->isPointerTy())
    OS << 'p';
  else if (M.Ty->isBFloatTy())
    OS << "bf16";
  else
    OS << (M.Ty->isIntegerTy() ? 'i' : 'f')
       << M.Ty->getPrimitiveSizeInBits().getFixedValue();
}

bool retrograd::readMembers(const MemoryLayout &Layout, LLVMContext &Ctx,
                            SmallVectorImpl<LayoutMember> &Members) {
  SmallVector<StringRef, 16> Texts;
  Layout.Members.split(Texts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Text : Texts) {
    auto [Where, What] = Text.split(':');
    LayoutMember M = {0, 0, nullptr};
    unsigned Bits;
    if (Where.getAsInteger(10, M.Offset))
      return false;
    M.Ty = StringSwitch<Type *>(What)
               .Case("f16", Type::getHalfTy(Ctx))
               .Case("bf16", Type::getBFloatTy(Ctx))
               .Case("f32", Type::getFloatTy(Ctx))
               .Case("f64", Type::getDoubleTy(Ctx))
               .Case("f80", Type::getX86_FP80Ty(Ctx))
               .Case("f128", Type::getFP128Ty(Ctx))
               .Case("p", PointerType::get(Ctx, 0))
               .Default(nullptr);
    if (!M.Ty && What.consume_front("i") && !What.getAsInteger(10, Bits)) {
      M.Bytes = (int64_t(Bits) + 7) / 8;
      M.Ty = Type::getIntNTy(
          Ctx, // text may be longer than any integer
          std::clamp<unsigned>(Bits, 1, IntegerType::MAX_INT_BITS));
    } else if (!M.Ty &&
               !(What.consume_front("?") && !What.getAsInteger(10, M.Bytes))) {
      return false;
    }
    Members.push_back(M);
  }
  return true;
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

// The struct is named by a value of its type, which the linker maps to the type
// that the struct has in the linked module.
void retrograd::noteText(Module &M, StructType &Struct,
                         ArrayRef<uint64_t> Offsets) {
  LLVMContext &Ctx = M.getContext();
  SmallVector<Metadata *, 4> Fact{
      ConstantAsMetadata::get(PoisonValue::get(&Struct))};
  for (uint64_t Offset : Offsets)
    Fact.push_back(ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt64Ty(Ctx), Offset)));
  M.getOrInsertNamedMetadata(metadataOf(SourceFact::Text))
      ->addOperand(MDNode::get(Ctx, Fact));
}

DenseMap<const StructType *, SmallVector<uint64_t, 2>>
retrograd::textMembers(const Module &M) {
  DenseMap<const StructType *, SmallVector<uint64_t, 2>> Found;
  const NamedMDNode *Facts = M.getNamedMetadata(metadataOf(SourceFact::Text));
  if (!Facts)
    return Found;
  for (const MDNode *Fact : Facts->operands()) {
    const auto *Value = mdconst::dyn_extract<Constant>(Fact->getOperand(0));
    auto *Struct = Value ? dyn_cast<StructType>(Value->getType()) : nullptr;
    if (!Struct)
      continue;
    for (const MDOperand &Offset : drop_begin(Fact->operands()))
      if (const auto *At = mdconst::dyn_extract<ConstantInt>(Offset))
        Found[Struct].push_back(At->getZExtValue());
  }
  return Found;
}
