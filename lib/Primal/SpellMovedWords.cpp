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
// the optimiser gave the access (where it made one register of both). So is a
// number whose bits are computed with as an integer: what that loses is
// refused.
//
// Parts of copies may be either, too: words that come from a bare load and go
// to a bare store, in a web or at once. Nearly always they are one of the two,
// which the types tell. So these are moved in memory only where a derivative
// was refused. So are words that are loaded once and used as both. A word that
// is loaded once, as a number, and used as an integer, too, is loaded as both
// there, in a function that stores integers among such words.
//
// A phi has two variables. The one is written at the end of the blocks before
// it, the other one is a copy of it at the phi: phis take their operands
// together, and on one way only.
//
// An address in a variable for numbers has no shadow. Where an address gets to
// a number's use on all ways, the web stays as it is, to be refused; where it
// may, a flag of each join tells whether the word is an address, and the
// program ends before the use if it is. So it is with a number that gets to
// where a word leads to memory.
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
#include "Diagnostics/RequestTrail.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// What a word is taken for.
enum Taken : bool { Address, Number };
Taken other(Taken As) { return As == Address ? Number : Address; }

/// What is known of the words of a web.
struct Web {
  bool FromLoad = false, ToStore = false; ///< bare ones
  bool Has[2] = {};                       ///< words that are one or the other
  bool Fixed = false;                     ///< cannot be moved in memory
  /// Where what surely is an address, or a number, gets into the web, and where
  /// words are surely taken for one.
  SmallSetVector<const BasicBlock *, 4> Comes[2], Used[2];
  bool mayMistake(Taken As) const {
    return !Comes[other(As)].empty() && !Used[As].empty();
  }
};

class MovedWords {
public:
  MovedWords(const Function &F, bool Copies);
  bool empty() const {
    return Joins.empty() && Loads.empty() && Integers.empty() &&
           Stores.empty() && Mistyped.empty();
  }

  /// Joins and bare loads whose words are moved in memory.
  SetVector<const Instruction *> Joins, Loads;
  /// Words that are loaded as numbers, and used as integers, too.
  SetVector<const Instruction *> Integers;
  /// Bare stores of what was taken for a word of another type.
  SmallSetVector<const Instruction *, 16> Stores;
  /// Joins of webs in which an address may get to where a number is used, or a
  /// number to where an address is.
  SmallPtrSet<const Instruction *, 8> Guarded[2];
  /// Loads of numbers as addresses or integers, or of addresses as numbers.
  SmallSetVector<const Instruction *, 16> Mistyped;

private:
  void noteSources(const Instruction &Join, Web &W) const;
  void noteUses(const Value &Word, Web &W) const;
};

bool isJoin(const Value *V) {
  return isa<PHINode, SelectInst, FreezeInst>(V) && isWord(*V->getType());
}

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

static bool isOf(Taken As, const Type &T) {
  return As == Address ? T.isPointerTy() : T.isDoubleTy();
}

/// A word of which nobody wrote the type, or which may be a member in the copy
/// of a struct: that names a pointer, whatever lies there.
static bool isMovable(const Instruction &Access) {
  return isBareWord(Access) || (!Access.isVolatile() && !Access.isAtomic() &&
                                isWord(*getLoadStoreType(&Access)) &&
                                asDeclared(Access)->isPointerTy() &&
                                !hasFact(Access, SourceFact::Written));
}

/// A word that the code at hand makes, or knows, to be an address or a number.
static bool isSurely(Taken As, const Value &Word) {
  if (isa<Constant>(Word))
    return As == Address &&
           isa<GlobalValue>(Word.stripInBoundsConstantOffsets());
  const auto *Load = dyn_cast<LoadInst>(&Word);
  return Load ? !isBareWord(*Load) && isOf(As, *asDeclared(*Load))
              : isOf(As, *Word.getType());
}

/// A word is moved on as a number, or as an address, or it leads to memory, and
/// is one: arithmetic may be ahead of the question what the word is.
static bool isUsedAs(Taken As, const Use &Word) {
  const User *U = Word.getUser();
  if (As == Address && getLoadStorePointerOperand(U) == Word)
    return true;
  if (const auto *M = dyn_cast<MemIntrinsic>(U))
    return As == Address && Word->getType()->isPointerTy() &&
           isa<ConstantInt>(M->getLength()) &&
           !match(M->getLength(), PatternMatch::m_Zero());
  if (const auto *S = dyn_cast<StoreInst>(U))
    return S->getValueOperand() == Word && !isMovable(*S) &&
           isOf(As, *asDeclared(*S));
  return isOf(As, *Word->getType()) &&
         (isa<ReturnInst>(U) || (isa<CallBase>(U) && !isa<IntrinsicInst>(U)));
}

/// Calls Found for each place where Word, or an address that is reckoned from
/// it, is used as a number or an address.
static void findUsesAs(Taken As, const Use &Word,
                       function_ref<void(Instruction &)> Found) {
  User *U = Word.getUser();
  if (isUsedAs(As, Word))
    return Found(*cast<Instruction>(U));
  if (const auto *Place = dyn_cast<GetElementPtrInst>(U);
      Place && As == Address && Place->getPointerOperand() == Word)
    for (const Use &Next : Place->uses())
      findUsesAs(As, Next, Found);
}

/// The bits of a number that Load reads as an integer are made another number:
/// by arithmetic, or as an integer. (What only looks at the exponent, or hashes
/// the bits, is constant almost everywhere.)
static bool isComputedWith(const LoadInst &Load) {
  constexpr unsigned Most = 64;
  SmallSetVector<const Value *, 8> Bits;
  Bits.insert(&Load);
  for (unsigned N = 0; N != Bits.size() && N != Most; ++N)
    for (const User *U : Bits[N]->users()) {
      if (isa<SIToFPInst, UIToFPInst>(U) ||
          (N && isa<BitCastInst>(U) && U->getType()->isFloatingPointTy()))
        return true;
      if (U->getType()->isIntegerTy() && !U->getType()->isIntegerTy(1) &&
          isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst,
              IntrinsicInst>(U))
        Bits.insert(U);
    }
  return Bits.size() >= Most;
}

/// The type of the number that Load reads as an integer, to compute with its
/// bits: LLVM makes one load of both. Null if it reads none.
static Type *numberReadAsInteger(const LoadInst &Load) {
  if (!Load.getType()->isIntegerTy() || hasFact(Load, SourceFact::Integer))
    return nullptr;
  LLVMContext &Ctx = Load.getContext();
  const StringRef Name = accessTypeName(Load);
  Type *T = Name == "double"  ? Type::getDoubleTy(Ctx)
            : Name == "float" ? Type::getFloatTy(Ctx)
                              : nullptr;
  if (Name.empty() || namesAnything(Name))
    if (const auto *Place = dyn_cast<GEPOperator>(Load.getPointerOperand()))
      T = Place->getSourceElementType();
  return T && T->isFloatingPointTy() &&
                 T->getPrimitiveSizeInBits() ==
                     Load.getType()->getPrimitiveSizeInBits() &&
                 isComputedWith(Load)
             ? T
             : nullptr;
}

void MovedWords::noteSources(const Instruction &Join, Web &W) const {
  for (const auto &[N, Chosen] : enumerate(chosenFrom(Join))) {
    const Value *From = beforeCasts(Chosen);
    if (isJoin(From))
      continue;
    for (Taken As : {Address, Number})
      if (isSurely(As, *From))
        W.Comes[As].insert(Join.getParent());
    if (isa<Constant>(From))
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
    W.Has[Address] |= Is->isPointerTy();
    W.Has[Number] |= Is->isDoubleTy();
  }
  if (const auto *Phi = dyn_cast<PHINode>(&Join))
    W.Fixed |= any_of(Phi->blocks(), [](const BasicBlock *Before) {
      return isa<CatchSwitchInst>(Before->getTerminator());
    });
}

void MovedWords::noteUses(const Value &Word, Web &W) const {
  for (const Use &Used : Word.uses()) {
    const User *U = Used.getUser();
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
      W.Has[Address] |= Is->isPointerTy();
      W.Has[Number] |= Is->isDoubleTy();
      for (Taken As : {Address, Number})
        findUsesAs(As, Used, [&](const Instruction &I) {
          W.Used[As].insert(I.getParent());
        });
    }
  }
}

/// What is stored as a word of which nobody wrote the type is an integer that
/// is computed here, at times.
static bool mayStoreInteger(const StoreInst &S) {
  if (!isBareWord(S))
    return false;
  constexpr unsigned Most = 64;
  SmallSetVector<const Value *, 8> Words;
  Words.insert(beforeCasts(S.getValueOperand()));
  for (unsigned N = 0; N != Words.size() && N != Most; ++N)
    if (const auto *Join = dyn_cast<Instruction>(Words[N]);
        Join && isJoin(Join))
      for (const Value *From : chosenFrom(*Join))
        Words.insert(beforeCasts(From));
  return any_of(Words, [](const Value *V) {
    return V->getType()->isIntegerTy() && isa<BinaryOperator, CastInst>(V);
  });
}

/// Arithmetic of integers with the word that Load reads as a number: a union
/// of both, if nothing says that numbers lie there.
static bool isIntegerArithmetic(const Use &Bits) {
  return Bits->getType()->isIntegerTy() && isa<BitCastInst>(Bits) &&
         isa<BinaryOperator, SIToFPInst, UIToFPInst, SExtInst, ZExtInst,
             TruncInst>(Bits.getUser());
}
static bool isUsedAsInteger(const LoadInst &Load) {
  const auto *Place = dyn_cast<GEPOperator>(Load.getPointerOperand());
  return Load.getType()->isDoubleTy() && isBareWord(Load) &&
         !(Place && Place->getSourceElementType()->isDoubleTy()) &&
         any_of(Load.users(), [](const User *U) {
           return any_of(U->uses(), [](const Use &Bits) {
             return isIntegerArithmetic(Bits);
           });
         });
}

/// Something uses a word that was loaded as the other of an address and a
/// number than it was loaded as, and is no join of Moved.
static bool isUsedAsOther(const Value &Word,
                          const SetVector<const Instruction *> &Moved) {
  return any_of(Word.users(), [&](const User *U) {
    if (!isa<CastInst>(U) || beforeCasts(U) == U)
      return false;
    return isUsedAsOther(*U, Moved) ||
           (!U->getType()->isIntegerTy() &&
            any_of(U->users(), [&](const User *By) {
              const auto *I = cast<Instruction>(By);
              return !isa<ICmpInst>(I) && !Moved.contains(I) &&
                     !isBareWord(*I) &&
                     (!isa<CastInst>(I) || beforeCasts(I) == I);
            }));
  });
}

/// An address of the web gets to a place that takes it for a number, or the
/// other way round, whichever way the function goes on: it is no word by turns,
/// but an address in a variable for numbers. In a register it is refused
/// (Plan/Legality, Primal/ExplainFloatTricks).
static bool isMistaken(const Web &W, Taken As) {
  return W.mayMistake(As) &&
         any_of(W.Comes[other(As)], [&](const BasicBlock *From) {
           SmallSetVector<const BasicBlock *, 16> Ways;
           Ways.insert(From);
           for (unsigned I = 0; I != Ways.size(); ++I) {
             if (W.Used[As].contains(Ways[I]))
               continue;
             if (isa<ReturnInst>(Ways[I]->getTerminator()) ||
                 is_contained(successors(Ways[I]), From))
               return false;
             Ways.insert_range(successors(Ways[I]));
           }
           return true;
         });
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
  for (auto &[Leader, W] : Webs)
    W.Fixed |= isMistaken(W, Address) || isMistaken(W, Number);
  for (const Instruction *Join : All) {
    const Web &W = Webs[Joined.getLeaderValue(Join)];
    if (!W.Fixed && ((Copies && W.FromLoad && W.ToStore) ||
                     (W.Has[Address] && W.Has[Number]))) {
      Joins.insert(Join);
      for (Taken As : {Address, Number})
        if (W.mayMistake(As))
          Guarded[As].insert(Join);
    }
  }
  for (const Instruction *Join : Joins)
    for (const Value *Chosen : chosenFrom(*Join))
      if (const auto *Load = dyn_cast<LoadInst>(beforeCasts(Chosen));
          Load && Load->isSimple() &&
          (isBareWord(*Load) || asDeclared(*Load)->isPointerTy()))
        Loads.insert(Load);
  const bool StoresIntegers =
      Copies && any_of(instructions(F), [](const Instruction &I) {
        const auto *S = dyn_cast<StoreInst>(&I);
        return S && mayStoreInteger(*S);
      });
  // Of integers that are only moved the types tell what they are.
  auto IsMistyped = [](const Value *V) {
    const auto *Load = dyn_cast<LoadInst>(V);
    return Load && Load->isSimple() &&
           (Load->getType()->isIntegerTy()
                ? numberReadAsInteger(*Load) != nullptr
                : asDeclared(*Load) != Load->getType());
  };
  for (const Instruction &I : instructions(F)) {
    if (const auto *Load = dyn_cast<LoadInst>(&I);
        Copies && Load && Load->isSimple() && isWord(*Load->getType()) &&
        isUsedAsOther(*Load, Joins))
      Loads.insert(Load);
    else if (Load && StoresIntegers && isUsedAsInteger(*Load))
      Integers.insert(Load);
    if (IsMistyped(&I))
      Mistyped.insert(&I);
    const auto *S = dyn_cast<StoreInst>(&I);
    if (!S)
      continue;
    const Value *From = beforeCasts(S->getValueOperand());
    if (IsMistyped(From) && S->isSimple() &&
        isWord(*S->getValueOperand()->getType()))
      Stores.insert(S);
    if (!isMovable(*S))
      continue;
    const auto *Load = dyn_cast<LoadInst>(From);
    if (Load && isMovable(*Load)) {
      if (Copies)
        Loads.insert(Load);
    } else if (isBareWord(*S) && From != S->getValueOperand() &&
               !isJoin(From) && !From->getType()->isIntegerTy()) {
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
  /// Of guarded joins: whether the word is surely not what it is taken for.
  DenseMap<const Instruction *, Value *> Flags[2];

  static constexpr Align WordAlign = Align::Constant<8>();
  AllocaInst *variable();
  void copy(IRBuilder<> &B, Value *To, MaybeAlign ToAlign, Value *From,
            MaybeAlign FromAlign) {
    noteFact(*B.CreateMemCpy(To, ToAlign, From, FromAlign, DL.getPointerSize()),
             SourceFact::ByTurns);
  }
  /// Writes the word V to the variable To.
  void write(IRBuilder<> &B, Value *V, AllocaInst *To);
  Value *flagOf(Taken As, const Value *Word);
  void makeFlags(Taken As, ArrayRef<Instruction *> Joins);
  void guardUses(const Instruction &Join);
  void fill(Instruction &Join);
  void redirectUses(Instruction &Word, AllocaInst *At, bool Loaded);
};

} // namespace

static LoadInst *loadAsDeclared(LoadInst &Load) {
  IRBuilder<> B(&Load);
  Type *Number = numberReadAsInteger(Load);
  LoadInst *Typed =
      B.CreateAlignedLoad(Number ? Number : asDeclared(Load),
                          Load.getPointerOperand(), Load.getAlign());
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

Value *WordsInMemory::flagOf(Taken As, const Value *Word) {
  Word = beforeCasts(Word);
  auto *Join = const_cast<Instruction *>(dyn_cast<Instruction>(Word));
  IRBuilder<> B(F.getContext());
  if (!Join || !Words.Guarded[As].contains(Join))
    return B.getInt1(isSurely(other(As), *Word));
  if (Value *Known = Flags[As].lookup(Join))
    return Known;
  Value *Flag;
  B.SetInsertPoint(Join);
  if (auto *S = dyn_cast<SelectInst>(Join)) {
    Value *True = flagOf(As, S->getTrueValue()),
          *False = flagOf(As, S->getFalseValue());
    Flag = B.CreateSelect(S->getCondition(), True, False);
  } else {
    Flag = flagOf(As, Join->getOperand(0)); // a freeze
  }
  return Flags[As][Join] = Flag;
}

void WordsInMemory::makeFlags(Taken As, ArrayRef<Instruction *> Joins) {
  IRBuilder<> B(F.getContext());
  auto IsGuarded = [&](const Instruction *I) {
    return Words.Guarded[As].contains(I);
  };
  for (Instruction *I : make_filter_range(Joins, IsGuarded))
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      B.SetInsertPoint(Phi);
      Flags[As][Phi] = B.CreatePHI(B.getInt1Ty(), Phi->getNumIncomingValues());
    }
  for (Instruction *I : make_filter_range(Joins, IsGuarded)) {
    Value *Flag = flagOf(As, I);
    if (auto *Phi = dyn_cast<PHINode>(I))
      for (auto [In, Before] : zip(Phi->incoming_values(), Phi->blocks()))
        cast<PHINode>(Flag)->addIncoming(flagOf(As, In), Before);
  }
}

/// Where an address is used as a number, or a number as an address, the program
/// ends: what is behind it would have no derivative.
static void guardUse(Taken As, Instruction &User, Value &Flag) {
  SourcePlace Place(User);
  IRBuilder<> B(SplitBlockAndInsertIfThen(&Flag, User.getIterator(),
                                          /*Unreachable=*/true));
  B.SetCurrentDebugLocation(User.getDebugLoc());
  std::string Text = Place.str();
  if (!Text.empty())
    Text += ": ";
  Text += As == Number ? "an address is used as a number"
                       : "a pointer was made from the bits of a number";
  Text += ": what is behind it has no derivative";
  FunctionCallee End = User.getModule()->getOrInsertFunction(
      "rg_refused_callee",
      FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
  B.CreateCall(End, {B.CreateGlobalString(Text)})->setDoesNotReturn();
}

void WordsInMemory::guardUses(const Instruction &Join) {
  SmallVector<const Value *, 4> Words{&Join};
  while (!Words.empty())
    for (const Use &Word : Words.pop_back_val()->uses()) {
      const User *U = Word.getUser();
      if (isJoin(U))
        continue;
      if (isa<CastInst>(U) && beforeCasts(U) != U) {
        Words.push_back(U);
        continue;
      }
      for (Taken As : {Address, Number})
        if (Value *Flag = Flags[As].lookup(&Join);
            Flag && !match(Flag, PatternMatch::m_Zero()))
          findUsesAs(As, Word,
                     [&](Instruction &Place) { guardUse(As, Place, *Flag); });
    }
}

/// What uses Word finds it at At. Loaded: in the type in which it was loaded,
/// or as an integer, it is there still.
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
      if (S && S->getPointerOperand() != As && isMovable(*S)) {
        IRBuilder<> B(S);
        copy(B, S->getPointerOperand(), S->getAlign(), At, WordAlign);
        S->eraseFromParent();
      } else if (Words.Joins.contains(User)) {
        U.set(PoisonValue::get(As->getType())); // filled from memory
      } else if (isa<CastInst>(User) && beforeCasts(User) != User) {
        Work.push_back(User);
        Dead.push_back(User);
      } else if (!Loaded || (As != &Word && !As->getType()->isIntegerTy() &&
                             !isa<ICmpInst>(User))) {
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
  if (T->isIntegerTy() && V->getType()->isFloatingPointTy())
    return B.CreateBitCast(V, T);
  Value *Bits = V->getType()->isPointerTy()
                    ? B.CreatePtrToInt(V, B.getInt64Ty())
                    : B.CreateBitCast(V, B.getInt64Ty());
  return T->isPointerTy() ? B.CreateIntToPtr(Bits, T)
                          : B.CreateBitCast(Bits, T);
}

void WordsInMemory::run() {
  SmallVector<Instruction *, 16> Joins, Loads, Integers, Mistyped;
  for (Instruction &I : instructions(F))
    if (Words.Mistyped.contains(&I))
      Mistyped.push_back(&I);
    else if (Words.Integers.contains(&I))
      Integers.push_back(&I);
  for (Instruction *I : Integers) {
    auto *Load = cast<LoadInst>(I);
    Value *Integer = IRBuilder<>(I).CreateAlignedLoad(
        Type::getInt64Ty(F.getContext()), Load->getPointerOperand(),
        Load->getAlign());
    for (User *U : Load->users())
      U->replaceUsesWithIf(Integer,
                           [](Use &Bits) { return isIntegerArithmetic(Bits); });
  }
  for (Instruction *I : Mistyped) {
    LoadInst *Load = loadAsDeclared(*cast<LoadInst>(I));
    IRBuilder<> B(I);
    I->replaceAllUsesWith(takenFor(B, Load, I->getType()));
    if (Words.Loads.contains(I))
      Loads.push_back(Load);
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
  // Before anything is moved: all uses are those that were found.
  for (Taken As : {Address, Number})
    makeFlags(As, Joins);
  for (Instruction *I : Joins)
    guardUses(*I);
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
