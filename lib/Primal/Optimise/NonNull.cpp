//===- NonNull.cpp - what is accessed is not null -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A std::vector of unknown length is new memory, or null if its length is 0: a
// phi. LLVM takes two such phis for pointers that may be equal, since both may
// be null, so each store to one vector is a store to all others: what was
// loaded is loaded, and taped, again, and loops are vectorised with comparisons
// of all pairs. But nobody loads or stores through null. So accesses get a phi
// of their own, with poison for null.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

/// The pointer operand of plain loads and stores alone: a copy of no bytes may
/// be from null.
static bool isAccess(const Use &U) {
  if (const auto *L = dyn_cast<LoadInst>(U.getUser()))
    return L->isSimple();
  const auto *S = dyn_cast<StoreInst>(U.getUser());
  return S && S->isSimple() &&
         U.getOperandNo() == StoreInst::getPointerOperandIndex();
}

static bool mayBeNull(const PHINode &Phi) {
  if (!Phi.getType()->isPointerTy() ||
      NullPointerIsDefined(Phi.getFunction(),
                           Phi.getType()->getPointerAddressSpace()))
    return false;
  auto IsNull = [](const Value *V) { return isa<ConstantPointerNull>(V); };
  return any_of(Phi.incoming_values(), IsNull) &&
         !all_of(Phi.incoming_values(), IsNull);
}

/// Lets what is accessed at V or at an address computed from it be computed
/// from New().
static bool redirect(Value &V, function_ref<Value *()> New) {
  bool Changed = false;
  for (Use &U : make_early_inc_range(V.uses())) {
    if (isAccess(U)) {
      U.set(New());
      Changed = true;
      continue;
    }
    auto *Address = dyn_cast<GetElementPtrInst>(U.getUser());
    const unsigned Pointer = GetElementPtrInst::getPointerOperandIndex();
    if (!Address || !Address->getType()->isPointerTy() ||
        U.getOperandNo() != Pointer)
      continue;
    Instruction *Copy = nullptr;
    Changed |= redirect(*Address, [&]() -> Value * {
      if (!Copy) {
        Copy = Address->clone();
        Copy->setOperand(Pointer, New());
        Copy->insertBefore(Address->getIterator());
        Copy->setName(Address->getName());
      }
      return Copy;
    });
    if (Address->use_empty())
      Address->eraseFromParent();
  }
  return Changed;
}

/// F should be simplified afterwards. True if there was such a phi.
bool retrograd::accessNonNull(Function &F) {
  SmallVector<PHINode *, 16> Phis;
  for (Instruction &I : instructions(F))
    if (auto *Phi = dyn_cast<PHINode>(&I); Phi && mayBeNull(*Phi))
      Phis.push_back(Phi);
  bool Changed = false;
  for (PHINode *Phi : Phis) {
    PHINode *Copy = nullptr;
    Changed |= redirect(*Phi, [&]() -> Value * {
      if (!Copy) {
        Copy = cast<PHINode>(Phi->clone());
        for (Use &U : Copy->incoming_values())
          if (isa<ConstantPointerNull>(U))
            U.set(PoisonValue::get(Phi->getType()));
        Copy->insertBefore(Phi->getIterator());
        Copy->setName(Phi->getName());
      }
      return Copy;
    });
  }
  return Changed;
}
