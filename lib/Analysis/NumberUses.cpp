//===- NumberUses.cpp - numbers that are meant, and moves of bits -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/NumberUses.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

static constexpr unsigned Most = 64;

static bool isJoin(const Value &V) {
  return isa<PHINode, SelectInst, FreezeInst, InsertElementInst,
             ExtractElementInst, ShuffleVectorInst>(V);
}

/// An operation on numbers; calls of functions with bodies hand on what may be
/// anything, packed into a number as calling conventions have it.
static bool isOperation(const User &U) {
  if (const auto *C = dyn_cast<CallBase>(&U))
    return C->getCalledFunction() && C->getCalledFunction()->isDeclaration();
  return isa<BinaryOperator, UnaryOperator, FCmpInst>(U) ||
         (isa<CastInst>(U) && !isa<BitCastInst>(U));
}

bool retrograd::isComputedWith(const Value &V) {
  SmallSetVector<const Value *, 8> Joined;
  Joined.insert(&V);
  for (unsigned I = 0; I != Joined.size() && I != Most; ++I)
    for (const Use &U : Joined[I]->uses()) {
      const User *By = U.getUser();
      if (isJoin(*By))
        Joined.insert(By);
      else if (isOperation(*By))
        return true;
    }
  return Joined.size() >= Most;
}

bool retrograd::isMadeAsNumber(const Value &V) {
  SmallSetVector<const Value *, 8> Joined;
  Joined.insert(&V);
  for (unsigned I = 0; I != Joined.size(); ++I) {
    const Value *X = Joined[I];
    if (I == Most || isa<BitCastInst, Argument>(X))
      return false;
    if (const auto *Load = dyn_cast<LoadInst>(X);
        Load && accessTypeName(*Load).empty() &&
        !hasFact(*Load, SourceFact::Written))
      return false;
    if (isJoin(*X))
      for (const Value *From : cast<User>(X)->operand_values())
        if (From->getType()->isFPOrFPVectorTy())
          Joined.insert(From);
  }
  return true;
}

BitSources retrograd::sourcesOfBits(const Value &V) {
  BitSources Found;
  SmallSetVector<const Value *, 8> Bits;
  Bits.insert(&V);
  for (unsigned I = 0; I != Bits.size() && I != Most; ++I) {
    const Value *X = Bits[I];
    if (isa<Constant>(X))
      continue;
    if (isa<LoadInst>(X)) {
      if (X->getType()->isIntOrIntVectorTy())
        Found.Loads.push_back(X);
      continue;
    }
    const auto *O = dyn_cast<Operator>(X);
    if (!O)
      continue;
    switch (O->getOpcode()) {
    case Instruction::BitCast:
      if (O->getOperand(0)->getType()->isFPOrFPVectorTy()) {
        Found.Numbers.push_back(O->getOperand(0));
        break;
      }
      Bits.insert(O->getOperand(0));
      break;
    case Instruction::Or:
      Bits.insert(O->getOperand(1));
      [[fallthrough]];
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::Freeze:
    case Instruction::ExtractElement:
      Bits.insert(O->getOperand(0));
      break;
    case Instruction::PHI:
      for (const Value *From : O->operand_values())
        Bits.insert(From);
      break;
    case Instruction::Select:
      Bits.insert(O->getOperand(1));
      Bits.insert(O->getOperand(2));
      break;
    case Instruction::InsertElement:
    case Instruction::ShuffleVector:
      Bits.insert(O->getOperand(0));
      Bits.insert(O->getOperand(1));
      break;
    default:
      break;
    }
  }
  return Found;
}

const char *retrograd::formatName(const Type *FP) {
  switch (FP->getScalarType()->getTypeID()) {
  case Type::HalfTyID:
    return "_Float16";
  case Type::BFloatTyID:
    return "__bf16";
  case Type::FloatTyID:
    return "float";
  case Type::DoubleTyID:
    return "double";
  case Type::X86_FP80TyID:
    return "long double";
  case Type::FP128TyID:
    return "__float128";
  default:
    return "another format";
  }
}
