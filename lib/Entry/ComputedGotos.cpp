//===- ComputedGotos.cpp - labels whose ways are known --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry/ComputedGotos.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/GlobalStatus.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Follows addresses of labels, and of what holds them, through F.
class LabelWays {
public:
  explicit LabelWays(const Function &F) : F(F) {}

  bool run(ComputedGotos &Found) {
    for (const BasicBlock &BB : F)
      if (BlockAddress *Address = BlockAddress::lookup(&BB)) {
        Found.Labels.insert(&BB);
        Work.insert(Address);
      }
    for (unsigned Next = 0; Next != Work.size(); ++Next)
      for (Use &U : Work[Next]->uses())
        if (!follow(U, Found))
          return false;
    return true;
  }

private:
  const Function &F;
  SmallSetVector<Value *, 16> Work;

  static bool isNeverWritten(const GlobalVariable &Table) {
    if (!Table.hasDefinitiveInitializer())
      return false;
    GlobalStatus Status;
    return Table.isConstant() ||
           (Table.hasLocalLinkage() &&
            !GlobalStatus::analyzeGlobal(&Table, Status) &&
            Status.StoredType == GlobalStatus::NotStored);
  }

  /// Memory of F's own, through which labels may go.
  bool throughMemory(Value *Address) {
    auto *Local = dyn_cast<AllocaInst>(getUnderlyingObject(Address));
    if (Local)
      Work.insert(Local);
    return Local;
  }

  bool follow(Use &U, ComputedGotos &Found) {
    if (auto *Table = dyn_cast<GlobalVariable>(U.getUser())) {
      Found.Tables.insert(Table);
      Work.insert(Table);
      return isNeverWritten(*Table);
    }
    if (isa<Constant>(U.getUser())) {
      Work.insert(U.getUser());
      return !isa<GlobalValue>(U.getUser());
    }
    auto *I = cast<Instruction>(U.getUser());
    if (I->getFunction() != &F) // it sees the labels of F, and keeps them
      return true;
    switch (I->getOpcode()) {
    case Instruction::IndirectBr:
    case Instruction::Switch:
    case Instruction::ICmp:
      return true;
    case Instruction::Store:
      return U.getOperandNo() == StoreInst::getPointerOperandIndex()
                 ? throughMemory(U)
                 : throughMemory(cast<StoreInst>(I)->getPointerOperand());
    case Instruction::Call:
      if (auto *Copy = dyn_cast<MemTransferInst>(I))
        return throughMemory(Copy->getRawDest());
      return cast<CallInst>(I)->getIntrinsicID() == Intrinsic::lifetime_start ||
             cast<CallInst>(I)->getIntrinsicID() == Intrinsic::lifetime_end;
    case Instruction::Load:
    case Instruction::GetElementPtr:
    case Instruction::PHI:
    case Instruction::Select:
    case Instruction::Freeze:
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
      Work.insert(I);
      return true;
    default:
      return false;
    }
  }
};

} // namespace

std::optional<ComputedGotos> retrograd::findComputedGotos(const Function &F) {
  ComputedGotos Found;
  if (!LabelWays(F).run(Found))
    return std::nullopt;
  return Found;
}
