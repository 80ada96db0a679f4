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
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include <optional>

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

/// Computes a value of its operands and does nothing else, so that it may stand
/// where nobody needs it.
static bool onlyComputes(const User &U) {
  const auto *C = dyn_cast<CallBase>(&U);
  return !C || (C->doesNotAccessMemory() && !C->getType()->isVoidTy());
}

/// The edge from From to To is taken.
static std::optional<NumberUse>
useOnEdge(const BasicBlock &From, const BasicBlock &To, const LoopInfo &LI) {
  const auto *B = dyn_cast<BranchInst>(From.getTerminator());
  if (!B)
    return std::nullopt;
  NumberUse Use{B, {}};
  if (B->isConditional() && B->getSuccessor(0) != B->getSuccessor(1)) {
    const Loop *L = LI.getLoopFor(&From);
    Use.If.push_back({B->getCondition(), B->getSuccessor(0) == &To,
                      L && L->isLoopExiting(&From)});
  }
  return Use;
}

SmallVector<NumberUse, 2> retrograd::usesOfNumber(const Instruction &V,
                                                  const LoopInfo &LI) {
  struct Step {
    const Instruction *At;
    bool IsComputed;
    SmallVector<UseCondition, 1> If;
  };
  SmallVector<NumberUse, 2> Result;
  SmallVector<Step, 8> Steps{{&V, false, {}}};
  auto Go = [&](const Instruction &To, bool IsComputed,
                ArrayRef<UseCondition> If) {
    if (none_of(Steps, [&](const Step &S) {
          return S.At == &To && S.IsComputed >= IsComputed &&
                 S.If.size() <= If.size();
        }))
      Steps.push_back({&To, IsComputed, to_vector<1>(If)});
  };
  for (unsigned N = 0; N != Steps.size(); ++N) {
    // No reference, since Steps grows.
    const Step S{Steps[N].At, Steps[N].IsComputed, Steps[N].If};
    if (N >= Most) { // it goes far: the program does need it
      if (S.IsComputed)
        Result.push_back({S.At, S.If});
      continue;
    }
    for (const Use &U : S.At->uses()) {
      const auto &By = *cast<Instruction>(U.getUser());
      if (const auto *Phi = dyn_cast<PHINode>(&By)) {
        if (!S.IsComputed && !isComputedWith(*Phi))
          continue;
        if (auto Edge =
                useOnEdge(*Phi->getIncomingBlock(U), *Phi->getParent(), LI)) {
          Edge->If.append(S.If.begin(), S.If.end());
          Result.push_back(*Edge);
        }
      } else if (const auto *Select = dyn_cast<SelectInst>(&By);
                 Select && U.getOperandNo() != 0 &&
                 Select->getCondition()->getType()->isIntegerTy()) {
        SmallVector<UseCondition, 1> If = S.If;
        If.push_back({Select->getCondition(), U.getOperandNo() == 1, false});
        Go(By, S.IsComputed, If);
      } else if (isJoin(By)) {
        Go(By, S.IsComputed, S.If);
      } else if (isOperation(By)) {
        if (onlyComputes(By))
          Go(By, true, S.If);
        else
          Result.push_back({&By, S.If});
      } else if (S.IsComputed) {
        Result.push_back({&By, S.If});
      }
    }
  }
  return Result;
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
