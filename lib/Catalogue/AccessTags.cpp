//===- AccessTags.cpp - what a front end calls the type of an access ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

StringRef retrograd::tagTypeName(const MDNode *Type) {
  const auto *Name = Type && Type->getNumOperands()
                         ? dyn_cast<MDString>(Type->getOperand(0))
                         : nullptr;
  return Name ? Name->getString() : "";
}

StringRef retrograd::accessTypeName(const Instruction &Access) {
  // Base type, type of the access, offset.
  const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa);
  return Tag && Tag->getNumOperands() >= 3
             ? tagTypeName(dyn_cast<MDNode>(Tag->getOperand(1)))
             : "";
}

bool retrograd::namesAnything(StringRef TypeName) {
  return TypeName == "omnipotent char";
}

bool retrograd::namesPointer(StringRef TypeName) {
  return TypeName == "vtable pointer" || TypeName.starts_with("any p") ||
         (TypeName.size() > 2 && TypeName[0] == 'p' && isDigit(TypeName[1]));
}

bool retrograd::namesParentOfPointers(StringRef TypeName) {
  return TypeName.ends_with("any pointer") || TypeName.starts_with("any p") ||
         TypeName.starts_with("p1 ") || TypeName.starts_with("p2 ") ||
         TypeName.starts_with("p3 ");
}

bool retrograd::namesTruthValue(StringRef TypeName) {
  return TypeName == "bool" || TypeName == "_Bool";
}

Type *retrograd::taggedType(const Instruction &I) {
  LLVMContext &Ctx = I.getContext();
  if (hasFact(I, SourceFact::Integer))
    return Type::getInt64Ty(Ctx);
  StringRef N = accessTypeName(I);
  if (N.empty() || namesAnything(N))
    return Type::getVoidTy(Ctx);
  if (N == "double")
    return Type::getDoubleTy(Ctx);
  if (namesPointer(N))
    return PointerType::get(Ctx, 0);
  return Type::getInt64Ty(Ctx);
}

static constexpr StringLiteral WrittenRoot = "rg.written ";

bool retrograd::namesNoStruct(const MDNode &Tag) {
  return Tag.getNumOperands() != 0 &&
         tagTypeName(dyn_cast<MDNode>(Tag.getOperand(0)))
             .starts_with(WrittenRoot);
}

MDNode *retrograd::writtenTag(StringRef TypeName, bool OfMember,
                              LLVMContext &Ctx) {
  if (TypeName.empty())
    return nullptr;
  // Accesses whose types have different roots may alias. All members of one
  // type are of one struct, lest two structs tell them apart.
  MDBuilder B(Ctx);
  const std::string Root = (WrittenRoot + TypeName).str();
  MDNode *Type = B.createTBAAScalarTypeNode(TypeName, B.createTBAARoot(Root));
  MDNode *Base = OfMember
                     ? B.createTBAAStructTypeNode(Root + " member", {{Type, 0}})
                     : Type;
  return B.createTBAAStructTagNode(Base, Type, 0);
}

bool retrograd::isWord(const Type &T) {
  return T.isIntegerTy(64) || T.isDoubleTy() ||
         (T.isPointerTy() && !T.getPointerAddressSpace());
}

bool retrograd::isBareWord(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Store = dyn_cast<StoreInst>(&I);
  return (Load ? Load->isSimple() : Store && Store->isSimple()) &&
         isWord(*getLoadStoreType(&I)) &&
         I.getDataLayout().getPointerSize() == 8 && taggedType(I)->isVoidTy() &&
         !hasFact(I, SourceFact::Written);
}

const Value *retrograd::beforeCasts(const Value *V) {
  for (;;) {
    const auto *O = dyn_cast<Operator>(V);
    if (!O || !is_contained({Instruction::BitCast, Instruction::PtrToInt,
                             Instruction::IntToPtr},
                            O->getOpcode()))
      return V;
    const Value *From = O->getOperand(0);
    if (!isWord(*O->getType()) || !isWord(*From->getType()))
      return V;
    V = From;
  }
}

Type *retrograd::namedScalar(StringRef Name, uint64_t Size, LLVMContext &Ctx) {
  if (Name.empty() || namesAnything(Name))
    return nullptr;
  if (Name == "float")
    return Size == 4 ? Type::getFloatTy(Ctx) : nullptr;
  if (Name == "double")
    return Size == 8 ? Type::getDoubleTy(Ctx) : nullptr;
  if (namesPointer(Name))
    return Size == 8 ? PointerType::get(Ctx, 0) : nullptr;
  // Integers and enumerations; other numbers ("long double", "__bf16") have
  // formats that differ between machines.
  const bool Whole =
      StringSwitch<bool>(Name)
          .Cases({"short", "int", "long", "long long", "bool", "_Bool"}, true)
          .StartsWith("_ZTS", true)
          .Default(false);
  return Whole && isPowerOf2_64(Size) && Size <= 8
             ? Type::getIntNTy(Ctx, unsigned(8 * Size))
             : nullptr;
}
