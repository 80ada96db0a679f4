//===- SpellComputedGotos.cpp - jumps by labels as switches ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interpreters jump by tables of labels (`goto *table[*pc]`). The labels are
// those of the user's function. In its clone each label becomes a number, from
// one on, wherever its address stood: in code, and in copies of the tables. A
// jump becomes a switch over these numbers. Differences of labels, as tables of
// offsets hold them, become differences of numbers by themselves.
//
//===----------------------------------------------------------------------===//

#include "Primal/SpellComputedGotos.h"
#include "Entry/ComputedGotos.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

/// A switch over the numbers of Jump's destinations in Jump's place.
static void replaceJump(IndirectBrInst &Jump,
                        const DenseMap<const BasicBlock *, uint64_t> &Numbers) {
  BasicBlock *BB = Jump.getParent();
  Function *F = BB->getParent();
  BasicBlock *Never = BasicBlock::Create(F->getContext(), "no.label", F);
  IRBuilder<> B(Never);
  B.CreateUnreachable();

  B.SetInsertPoint(&Jump);
  Type *Word = F->getDataLayout().getIntPtrType(Jump.getAddress()->getType());
  SwitchInst *Switch = B.CreateSwitch(B.CreatePtrToInt(Jump.getAddress(), Word),
                                      Never, Jump.getNumDestinations());
  SmallPtrSet<BasicBlock *, 8> Seen;
  for (BasicBlock *To : Jump.successors()) {
    auto Number = Numbers.find(To);
    if (Number != Numbers.end() && Seen.insert(To).second)
      Switch->addCase(cast<ConstantInt>(ConstantInt::get(Word, Number->second)),
                      To);
    else // listed twice, or nothing has its address
      To->removePredecessor(BB, /*KeepOneInputPHIs=*/true);
  }
  Jump.eraseFromParent();
}

bool retrograd::spellComputedGotos(Function &F, Function &Original) {
  SmallVector<IndirectBrInst *, 1> Jumps;
  for (BasicBlock &BB : F)
    if (auto *Jump = dyn_cast<IndirectBrInst>(BB.getTerminator()))
      Jumps.push_back(Jump);
  if (Jumps.empty())
    return false;
  std::optional<ComputedGotos> Known = findComputedGotos(Original);
  if (!Known)
    return false;

  DenseMap<const BasicBlock *, uint64_t> Numbers;
  ValueToValueMapTy Map;
  for (auto [Theirs, Ours] : zip_equal(Original, F)) {
    if (!Known->Labels.contains(&Theirs))
      continue;
    uint64_t Number = Numbers[&Ours] = Numbers.size() + 1;
    // Cloning gives code the clone's labels; tables keep the user's.
    for (BasicBlock *Label : {&Theirs, &Ours}) {
      Constant *Address = BlockAddress::get(Label);
      Type *Word = F.getDataLayout().getIntPtrType(Address->getType());
      Map[Address] = ConstantExpr::getIntToPtr(ConstantInt::get(Word, Number),
                                               Address->getType());
    }
  }
  for (GlobalVariable *Table : Known->Tables) {
    auto *Copy = new GlobalVariable(
        *F.getParent(), Table->getValueType(), /*isConstant=*/true,
        GlobalValue::PrivateLinkage,
        MapValue(Table->getInitializer(), Map, RF_NoModuleLevelChanges),
        Table->getName() + ".numbers", Table);
    Copy->setAlignment(Table->getAlign());
    Map[Table] = Copy;
  }
  for (Instruction &I : instructions(F))
    RemapInstruction(&I, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  for (IndirectBrInst *Jump : Jumps)
    replaceJump(*Jump, Numbers);
  return true;
}
