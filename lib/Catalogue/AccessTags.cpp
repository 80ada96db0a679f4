//===- AccessTags.cpp - what a front end calls the type of an access ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

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
