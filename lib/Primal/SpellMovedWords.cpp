//===- SpellMovedWords.cpp - words by turns in memory ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words that are joined by phis, selects and freezes, whatever they are taken
// for on the way, are one *web*. Of a web it is known where its words come from
// and what is done with them. It is moved in memory if some are addresses and
// some are numbers by what makes or uses them. A bare store (isBareWord) of a
// number or an address that was taken for another type stores it as what it is.
//
// What the programmer accessed as a number or an address is that, whatever type
// the optimiser gave the access (where it made one register of both).
//
// Parts of copies may be either, too: words that come from a bare load and go
// to a bare store, in a web or at once. Nearly always they are one of the two,
// which the types tell. So these are moved in memory only where a derivative
// was refused.
//
// A phi has two variables. The one is written at the end of the blocks before
// it, the other one is a copy of it at the phi: phis take their operands
// together, and on one way only.
//
// The copies are marked (SourceFact::ByTurns): types take what memory is
// accessed as for what it is, but these variables are accessed as the one or
// the other only where that is made or used.
//
// Not handled: words as operands and results of calls, words in vectors,
// results of an invoke that go into a phi right behind it.
//
//===----------------------------------------------------------------------===//

#include "Primal/SpellMovedWords.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// What is known of the words of a web.
struct Web {
  bool FromLoad = false, ToStore = false; ///< bare ones
  bool Address = false, Number = false;
  bool Fixed = false; ///< cannot be moved in memory
};

class MovedWords {
public:
  MovedWords(const Function &F, bool Copies);
  bool empty() const {
    return Joins.empty() && Loads.empty() && Stores.empty() && Mistyped.empty();
  }

  /// Joins and bare loads whose words are moved in memory.
  SmallSetVector<const Instruction *, 16> Joins, Loads;
  /// Bare stores of what was taken for a word of another type.
  SmallSetVector<const Instruction *, 16> Stores;
  /// Loads of numbers as addresses, or of addresses as numbers.
  SmallSetVector<const Instruction *, 16> Mistyped;

private:
  static bool isJoin(const Value *V) {
    return isa<PHINode, SelectInst, FreezeInst>(V) && isWord(*V->getType());
  }
  void noteSources(const Instruction &Join, Web &W) const;
  void noteUses(const Value &Word, Web &W) const;
};

/// The words that a join chooses from.
SmallVector<const Value *, 4> chosenFrom(const Instruction &Join) {
  if (const auto *S = dyn_cast<SelectInst>(&Join))
    return {S->getTrueValue(), S->getFalseValue()};
  return SmallVector<const Value *, 4>(Join.operand_values());
}

} // namespace

/// The type of a word that is moved as another one, where its tag tells it.
static Type *asDeclared(const Instruction &Access) {
  Type *T = getLoadStoreType(&Access), *Tagged = taggedType(Access);
  return isWord(*T) && (Tagged->isDoubleTy() || Tagged->isPointerTy()) ? Tagged
                                                                       : T;
}

void MovedWords::noteSources(const Instruction &Join, Web &W) const {
  for (const auto &[N, Chosen] : enumerate(chosenFrom(Join))) {
    const Value *From = beforeCasts(Chosen);
    if (isa<Constant>(From) || isJoin(From))
      continue;
    const Type *Is = From->getType();
    if (const auto *I = dyn_cast<Instruction>(From)) {
      if (isa<LoadInst>(I) && isBareWord(*I)) {
        W.FromLoad = true;
        continue;
      }
      // The result of an invoke is not there yet where its block ends.
      const auto *Phi = dyn_cast<PHINode>(&Join);
      if (Phi && Phi->getIncomingBlock(N)->getTerminator() == I)
        W.Fixed = true;
      if (isa<LoadInst>(I))
        Is = asDeclared(*I);
    }
    W.Address |= Is->isPointerTy();
    W.Number |= Is->isDoubleTy();
  }
  if (const auto *Phi = dyn_cast<PHINode>(&Join))
    W.Fixed |= any_of(Phi->blocks(), [](const BasicBlock *Before) {
      return isa<CatchSwitchInst>(Before->getTerminator());
    });
}

void MovedWords::noteUses(const Value &Word, Web &W) const {
  for (const User *U : Word.users()) {
    if (isJoin(U))
      continue;
    const auto *S = dyn_cast<StoreInst>(U);
    if (S && S->getValueOperand() != &Word)
      S = nullptr;
    if (S && isBareWord(*S)) {
      W.ToStore = true;
    } else if (isa<CastInst>(U) && beforeCasts(U) != U) {
      noteUses(*U, W);
    } else if (!isa<ICmpInst>(U)) {
      const Type *Is = S ? asDeclared(*S) : Word.getType();
      W.Address |= Is->isPointerTy();
      W.Number |= Is->isDoubleTy();
    }
  }
}

MovedWords::MovedWords(const Function &F, bool Copies) {
  if (F.getDataLayout().getPointerSize() != 8)
    return;
  SmallVector<const Instruction *, 16> All;
  EquivalenceClasses<const Instruction *> Joined;
  for (const Instruction &I : instructions(F)) {
    if (!isJoin(&I))
      continue;
    All.push_back(&I);
    Joined.insert(&I);
    for (const Value *Chosen : chosenFrom(I))
      if (const Value *From = beforeCasts(Chosen); isJoin(From))
        Joined.unionSets(&I, cast<Instruction>(From));
  }
  DenseMap<const Instruction *, Web> Webs;
  for (const Instruction *Join : All) {
    Web &W = Webs[Joined.getLeaderValue(Join)];
    noteSources(*Join, W);
    noteUses(*Join, W);
  }
  for (const Instruction *Join : All) {
    const Web &W = Webs[Joined.getLeaderValue(Join)];
    if (!W.Fixed &&
        ((Copies && W.FromLoad && W.ToStore) || (W.Address && W.Number)))
      Joins.insert(Join);
  }
  for (const Instruction *Join : Joins)
    for (const Value *Chosen : chosenFrom(*Join))
      if (const auto *Load = dyn_cast<LoadInst>(beforeCasts(Chosen));
          Load && isBareWord(*Load))
        Loads.insert(Load);
  // Of integers the types tell what they are.
  auto IsMistyped = [](const Value *V) {
    const auto *Load = dyn_cast<LoadInst>(V);
    return Load && Load->isSimple() && !Load->getType()->isIntegerTy() &&
           asDeclared(*Load) != Load->getType();
  };
  for (const Instruction &I : instructions(F)) {
    if (IsMistyped(&I))
      Mistyped.insert(&I);
    const auto *S = dyn_cast<StoreInst>(&I);
    if (!S)
      continue;
    const Value *From = beforeCasts(S->getValueOperand());
    if (IsMistyped(From) && S->isSimple() &&
        isWord(*S->getValueOperand()->getType()))
      Stores.insert(S);
    if (!isBareWord(*S))
      continue;
    const auto *Load = dyn_cast<LoadInst>(From);
    if (Load && isBareWord(*Load)) {
      if (Copies)
        Loads.insert(Load);
    } else if (From != S->getValueOperand() && !isJoin(From) &&
               !From->getType()->isIntegerTy()) {
      Stores.insert(S);
    }
  }
}

bool retrograd::copiesByWords(const Function &F) {
  return !MovedWords(F, /*Copies=*/true).empty();
}

namespace {

class WordsInMemory {
public:
  WordsInMemory(Function &F, const MovedWords &Words)
      : F(F), Words(Words), DL(F.getDataLayout()) {}
  void run();

private:
  Function &F;
  const MovedWords &Words;
  const DataLayout &DL;
  /// The variable of each join and load.
  DenseMap<const Value *, AllocaInst *> Home;
  SmallVector<WeakVH, 16> Dead;

  static constexpr Align WordAlign = Align::Constant<8>();
  AllocaInst *variable();
  void copy(IRBuilder<> &B, Value *To, MaybeAlign ToAlign, Value *From,
            MaybeAlign FromAlign) {
    noteFact(*B.CreateMemCpy(To, ToAlign, From, FromAlign, DL.getPointerSize()),
             SourceFact::ByTurns);
  }
  /// Writes the word V to the variable To.
  void write(IRBuilder<> &B, Value *V, AllocaInst *To);
  void fill(Instruction &Join);
  void redirectUses(Instruction &Word, AllocaInst *At, bool Loaded);
};

} // namespace

static LoadInst *loadAsDeclared(LoadInst &Load) {
  IRBuilder<> B(&Load);
  LoadInst *Typed = B.CreateAlignedLoad(
      asDeclared(Load), Load.getPointerOperand(), Load.getAlign());
  copyMetadataForLoad(*Typed, Load);
  return Typed;
}

AllocaInst *WordsInMemory::variable() {
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *A =
      B.CreateAlloca(ArrayType::get(B.getInt8Ty(), DL.getPointerSize()));
  A->setAlignment(WordAlign);
  return A;
}

void WordsInMemory::write(IRBuilder<> &B, Value *V, AllocaInst *To) {
  Value *From = const_cast<Value *>(beforeCasts(V));
  if (AllocaInst *Known = Home.lookup(From)) {
    if (Known != To)
      copy(B, To, WordAlign, Known, WordAlign);
    return;
  }
  if (isa<UndefValue>(From))
    return;
  // Zero is both the number and the pointer; only the pointer says nothing of
  // what else lies here.
  if (const auto *C = dyn_cast<Constant>(From); C && C->isNullValue())
    From = ConstantPointerNull::get(B.getPtrTy());
  if (auto *Load = dyn_cast<LoadInst>(From);
      Load && Load->isSimple() && asDeclared(*Load) != Load->getType())
    From = loadAsDeclared(*Load);
  B.CreateAlignedStore(From, To, WordAlign);
}

void WordsInMemory::fill(Instruction &Join) {
  AllocaInst *To = Home.lookup(&Join);
  if (auto *Phi = dyn_cast<PHINode>(&Join)) {
    AllocaInst *Coming = variable();
    SmallPtrSet<const BasicBlock *, 4> Done;
    for (auto [In, Before] : zip(Phi->incoming_values(), Phi->blocks())) {
      if (!Done.insert(Before).second)
        continue;
      IRBuilder<> B(Before->getTerminator());
      B.SetCurrentDebugLocation(Phi->getDebugLoc());
      write(B, In, Coming);
    }
    IRBuilder<> B(&*Phi->getParent()->getFirstInsertionPt());
    B.SetCurrentDebugLocation(Phi->getDebugLoc());
    return copy(B, To, WordAlign, Coming, WordAlign);
  }
  IRBuilder<> B(&Join);
  auto *Select = dyn_cast<SelectInst>(&Join);
  if (!Select)
    return write(B, Join.getOperand(0), To);
  AllocaInst *Of[] = {variable(), variable()};
  write(B, Select->getTrueValue(), Of[0]);
  write(B, Select->getFalseValue(), Of[1]);
  copy(B, To, WordAlign, B.CreateSelect(Select->getCondition(), Of[0], Of[1]),
       WordAlign);
}

/// What uses Word finds it at At. Loaded: in the type in which it was loaded it
/// is there still.
void WordsInMemory::redirectUses(Instruction &Word, AllocaInst *At,
                                 bool Loaded) {
  SmallVector<Instruction *, 8> Work{&Word};
  DenseMap<std::pair<Instruction *, Instruction *>, Value *> AtEnd;
  Value *NotKnown = nullptr;
  while (!Work.empty()) {
    Instruction *As = Work.pop_back_val();
    for (Use &U : make_early_inc_range(As->uses())) {
      auto *User = cast<Instruction>(U.getUser());
      auto *S = dyn_cast<StoreInst>(User);
      if (S && S->getPointerOperand() != As && isBareWord(*S)) {
        IRBuilder<> B(S);
        copy(B, S->getPointerOperand(), S->getAlign(), At, WordAlign);
        S->eraseFromParent();
      } else if (Words.Joins.contains(User)) {
        U.set(PoisonValue::get(As->getType())); // filled from memory
      } else if (isa<CastInst>(User) && beforeCasts(User) != User) {
        Work.push_back(User);
        Dead.push_back(User);
      } else if (!Loaded) {
        // A phi has one value for a block, however often that leads to it.
        auto *Phi = dyn_cast<PHINode>(User);
        Instruction *Before =
            Phi ? Phi->getIncomingBlock(U)->getTerminator() : User;
        Value *&Known = Phi ? AtEnd[{As, Before}] : NotKnown;
        Type *T = As->getType();
        if (S && S->getPointerOperand() != As)
          T = asDeclared(*S);
        if (!Phi || !Known)
          Known = IRBuilder<>(Before).CreateAlignedLoad(T, At, WordAlign);
        U.set(Known);
      }
    }
  }
}

/// V, a word of one type, taken for a word of another.
static Value *takenFor(IRBuilder<> &B, Value *V, Type *T) {
  Value *Bits = V->getType()->isPointerTy()
                    ? B.CreatePtrToInt(V, B.getInt64Ty())
                    : B.CreateBitCast(V, B.getInt64Ty());
  return T->isPointerTy() ? B.CreateIntToPtr(Bits, T)
                          : B.CreateBitCast(Bits, T);
}

void WordsInMemory::run() {
  SmallVector<Instruction *, 16> Joins, Loads, Mistyped;
  for (Instruction &I : instructions(F))
    if (Words.Mistyped.contains(&I))
      Mistyped.push_back(&I);
  for (Instruction *I : Mistyped) {
    LoadInst *Load = loadAsDeclared(*cast<LoadInst>(I));
    IRBuilder<> B(I);
    I->replaceAllUsesWith(takenFor(B, Load, I->getType()));
    I->eraseFromParent();
  }
  for (Instruction &I : instructions(F)) {
    if (Words.Stores.contains(&I))
      I.setOperand(0, const_cast<Value *>(beforeCasts(I.getOperand(0))));
    if (Words.Joins.contains(&I))
      Joins.push_back(&I);
    else if (Words.Loads.contains(&I))
      Loads.push_back(&I);
  }
  for (Instruction *I : Joins)
    Home[I] = variable();
  for (Instruction *I : Loads) {
    auto *Load = cast<LoadInst>(I);
    AllocaInst *To = Home[I] = variable();
    IRBuilder<> B(Load);
    copy(B, To, WordAlign, Load->getPointerOperand(), Load->getAlign());
  }
  for (Instruction *I : Joins)
    fill(*I);
  for (Instruction *I : Loads) {
    redirectUses(*I, Home.lookup(I), /*Loaded=*/true);
    Dead.push_back(I);
  }
  for (Instruction *I : Joins) {
    redirectUses(*I, Home.lookup(I), /*Loaded=*/false);
    Dead.push_back(I);
  }
  for (Instruction *I : Joins)
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (const WeakVH &V : Dead)
    if (auto *I = dyn_cast_or_null<Instruction>(V); I && I->use_empty())
      RecursivelyDeleteTriviallyDeadInstructions(I);
}

bool retrograd::spellMovedWords(Function &F, bool Copies) {
  MovedWords Words(F, Copies);
  if (Words.empty())
    return false;
  WordsInMemory(F, Words).run();
  return true;
}
