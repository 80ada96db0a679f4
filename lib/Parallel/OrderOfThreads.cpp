//===- OrderOfThreads.cpp - what the order of threads decides -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What depends on the results of atomic operations is followed through
// registers, calls, and memory of the thread and the block, as sets of bits.
//
// Where a number is stored, two questions are asked: does the place depend on
// the order, or does a branch on the way there (or one that chose the number)?
// And does the number depend on who the thread is, other than by its place? The
// parts of which an address is computed so that it tells them (`k`, in `y[3 * k
// + 1]` or `rows[k][c]`) count as known: whoever comes there has the same.
//
// For branches, a number that lies in shared memory counts as the same for all
// threads but for the place where it is read: what a last block adds up has
// gone through the same memory as its own numbers before.
//
// Not seen: places and choices that integers in memory carry on.
//
//===----------------------------------------------------------------------===//

#include "Parallel/OrderOfThreads.h"
#include "Catalogue/ThreadIdentity.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>
#include <utility>

using namespace llvm;
using namespace retrograd;

namespace {

bool isShared(const Value &O) {
  const auto *G = dyn_cast<GlobalVariable>(&O);
  return G && G->getAddressSpace() == 3;
}

SmallVector<const Value *, 4> objectsOf(const Value &P) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(&P, Objects, nullptr, /*MaxLookup=*/0);
  return Objects;
}

/// Numbers, also those of 16 bits, which are structs in CUDA's headers.
bool holdsNumbers(Type *T) {
  if (T->isFPOrFPVectorTy())
    return true;
  if (auto *S = dyn_cast<StructType>(T);
      S && S->hasName() &&
      (S->getName().starts_with("struct.__half") ||
       S->getName().starts_with("struct.__nv_bfloat16")))
    return true;
  return any_of(T->subtypes(), holdsNumbers);
}

bool isScaled(const Value &V) {
  const Value *Part = &V;
  while (isa<SExtInst, ZExtInst, TruncInst>(Part))
    Part = cast<User>(Part)->getOperand(0);
  const auto *B = dyn_cast<BinaryOperator>(Part);
  return B && (B->getOpcode() == Instruction::Mul ||
               B->getOpcode() == Instruction::Shl);
}

/// Adds V, and the values that V tells: k and c, where V is `k * width + c`.
void addKnown(const Value &V, SmallPtrSetImpl<const Value *> &Known) {
  if (isa<Constant>(V) || !Known.insert(&V).second)
    return;
  if (isa<SExtInst, ZExtInst, TruncInst>(V))
    return addKnown(*cast<User>(V).getOperand(0), Known);
  const auto *B = dyn_cast<BinaryOperator>(&V);
  if (!B)
    return;
  const Value &L = *B->getOperand(0), &R = *B->getOperand(1);
  switch (B->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Or:
    if (!isa<Constant>(L) && !isa<Constant>(R) && isScaled(L) == isScaled(R))
      return;
    break;
  case Instruction::Mul:
  case Instruction::Shl:
    break;
  default:
    return;
  }
  addKnown(L, Known);
  addKnown(R, Known);
}

/// The same of an address, and of where it was read from.
void addKnownOf(const Value &P, SmallPtrSetImpl<const Value *> &Known) {
  const Value *At = &P;
  while (true) {
    if (const auto *Step = dyn_cast<GEPOperator>(At)) {
      for (const Use &Index : Step->indices())
        addKnown(*Index, Known);
      At = Step->getPointerOperand();
    } else if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(At)) {
      At = Cast->getPointerOperand();
    } else if (const auto *L = dyn_cast<LoadInst>(At)) {
      At = L->getPointerOperand();
    } else {
      return;
    }
  }
}

} // namespace

OrderOfThreads::OrderOfThreads(const Function &Kernel) {
  SmallPtrSet<const Function *, 8> Seen{&Kernel};
  Functions.push_back(&Kernel);
  bool Counts = false;
  for (unsigned N = 0; N != Functions.size(); ++N)
    for (const Instruction &I : instructions(*Functions[N])) {
      Counts |= counted(I) != 0;
      Sources[Functions[N]] |= counted(I) | whoIs(I);
      const auto *C = dyn_cast<CallBase>(&I);
      const Function *Callee = C ? C->getCalledFunction() : nullptr;
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Functions.push_back(Callee);
    }
  if (!Counts)
    return;
  while (std::exchange(Changed, false))
    for (const Function *F : Functions)
      for (const Instruction &I : instructions(*F)) {
        if (const auto *C = dyn_cast<CallBase>(&I)) {
          uint8_t &All = Sources[F];
          const uint8_t More = All | Sources.lookup(C->getCalledFunction());
          Changed |= More != All;
          All = More;
        }
        visit(I);
      }
  // Callers come first, so that what leads to a call is known in its body.
  for (const Function *F : Functions)
    findWays(*F);
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F))
      look(I);
}

/// The order that the result of an atomic operation on integers tells.
uint8_t OrderOfThreads::counted(const Instruction &I) {
  const Value *P = nullptr;
  if (const auto *A = dyn_cast<AtomicRMWInst>(&I))
    P = A->getType()->isIntegerTy() ? A->getPointerOperand() : nullptr;
  else if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    P = C->getPointerOperand();
  if (!P || I.use_empty())
    return 0;
  SmallVector<const Value *, 4> Objects = objectsOf(*P);
  if (all_of(Objects, [](const Value *O) { return isa<AllocaInst>(O); }))
    return 0;
  return all_of(Objects, [](const Value *O) { return isShared(*O); })
             ? OrderInBlock
             : Order;
}

uint8_t OrderOfThreads::whoIs(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  const Function *Callee = C ? C->getCalledFunction() : nullptr;
  if (!Callee)
    return 0;
  if (std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C))
    return Who->Asks == ThreadIdentity::BlockIndex    ? Block
           : Who->Asks == ThreadIdentity::ThreadIndex ? Thread
                                                      : 0;
  auto Has = [&](StringRef Part) { return Callee->getName().contains(Part); };
  return Has("sreg.laneid") || Has("sreg.warpid") || Has("sreg.lanemask") ||
                 Has("mbcnt")
             ? Thread
             : 0;
}

void OrderOfThreads::add(const Value &To, uint8_t What) {
  if (!What)
    return;
  uint8_t &Is = Of[&To];
  Changed |= (Is | What) != Is;
  Is |= What;
}

/// Memory of the thread, or of its block. Memory that a function which is not
/// inlined is given holds what those hold that its calls name.
bool OrderOfThreads::isOwn(const Value &O) const {
  const auto *A = dyn_cast<Argument>(&O);
  return isa<AllocaInst>(O) || isShared(O) ||
         (A && A->getParent() != Functions.front());
}

/// All that P may lead to is such memory, whoever calls.
bool OrderOfThreads::leadsToOwn(const Value &P, Values &Seen) const {
  return all_of(objectsOf(P), [&](const Value *O) {
    const auto *A = dyn_cast<Argument>(O);
    if (!A || A->getParent() == Functions.front())
      return isOwn(*O);
    return !Seen.insert(O).second ||
           all_of(A->getParent()->users(), [&](const User *U) {
             const auto *C = dyn_cast<CallBase>(U);
             return C && C->getCalledFunction() == A->getParent() &&
                    leadsToOwn(*C->getArgOperand(A->getArgNo()), Seen);
           });
  });
}

/// What is read from P. What one thread has put in shared memory, all of its
/// block find.
uint8_t OrderOfThreads::readFrom(const Value &P) const {
  uint8_t What = Of.lookup(&P);
  for (const Value *O : objectsOf(P))
    if (isOwn(*O)) {
      uint8_t There = Of.lookup(O);
      if (There & Order && isShared(*O))
        There = (There & ~Order) | OrderOfBlock;
      What |= There;
    }
  return What;
}

void OrderOfThreads::write(const Value &P, uint8_t What) {
  for (const Value *O : objectsOf(P))
    if (isOwn(*O))
      add(*O, What);
}

void OrderOfThreads::visitCall(const CallBase &C, const Function &Callee) {
  for (const Argument &A : Callee.args()) {
    const Value &Given = *C.getArgOperand(A.getArgNo());
    add(A, Of.lookup(&Given));
    if (A.getType()->isPointerTy()) {
      add(A, readFrom(Given));
      write(Given, Of.lookup(&A));
    }
  }
  uint8_t What = Sources.lookup(&Callee);
  for (const Value *Given : C.args())
    What |=
        Given->getType()->isPointerTy() ? readFrom(*Given) : Of.lookup(Given);
  add(C, What);
}

void OrderOfThreads::visit(const Instruction &I) {
  // A result of compare and exchange as a place is a loop's, as of a sum.
  if (uint8_t Counted = isa<AtomicRMWInst>(I) ? counted(I) : 0)
    return add(I, Counted);
  if (uint8_t Who = whoIs(I))
    return add(I, Who);
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return write(*S->getPointerOperand(), Of.lookup(S->getValueOperand()));
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return add(I, readFrom(*L->getPointerOperand()));
  if (const auto *T = dyn_cast<AnyMemTransferInst>(&I))
    return write(*T->getRawDest(), readFrom(*T->getRawSource()));
  if (isa<AllocaInst>(I)) // what it holds
    return;
  if (const auto *C = dyn_cast<CallBase>(&I))
    if (const Function *Callee = C->getCalledFunction();
        Callee && is_contained(Functions, Callee))
      return visitCall(*C, *Callee);
  uint8_t What = 0;
  for (const Value *Op : I.operands())
    if (!isa<Constant>(Op))
      What |= Of.lookup(Op);
  add(I, What);
}

/// The order in V, as a condition. What a warp or a block has exchanged or
/// voted on, its threads have in common.
uint8_t OrderOfThreads::orderIn(const Value &V, Values &Seen) const {
  if (!Seen.insert(&V).second)
    return 0;
  if (isa<Argument>(V))
    return Of.lookup(&V) & AnyOrder;
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || isa<AllocaInst>(I))
    return 0;
  if (uint8_t Counted = counted(*I))
    return Counted;
  uint8_t Found = 0;
  if (const auto *L = dyn_cast<LoadInst>(I)) {
    const Value &P = *L->getPointerOperand();
    for (const Value *O : objectsOf(P))
      if (isOwn(*O))
        Found |= readFrom(*O) & AnyOrder;
    return Found | orderIn(P, Seen);
  }
  const auto *C = dyn_cast<CallBase>(I);
  for (const Value *Op : I->operands())
    Found |= orderIn(*Op, Seen);
  if (C && is_contained(Functions, C->getCalledFunction()))
    return Found | (Sources.lookup(C->getCalledFunction()) & AnyOrder);
  return C && Found & AnyOrder ? uint8_t(OrderOfBlock) : Found;
}

uint8_t OrderOfThreads::conditionOf(const Instruction &Branch) const {
  if (Branch.getNumSuccessors() < 2)
    return 0;
  Values Seen;
  return orderIn(*Branch.getOperand(0), Seen);
}

/// A block of code depends on a branch that has a way to it and one past it.
void OrderOfThreads::findWays(const Function &F) {
  PostDominatorTree After(const_cast<Function &>(F));
  const uint8_t Entered = Ways.lookup(&F.getEntryBlock());
  if (Entered)
    for (const BasicBlock &B : F)
      Ways[&B] |= Entered;
  for (const BasicBlock &From : F) {
    const uint8_t Asked = conditionOf(*From.getTerminator());
    Asks[&From] = Asked;
    if (!Asked)
      continue;
    SmallVector<const BasicBlock *, 8> Work{&From};
    SmallPtrSet<const BasicBlock *, 16> Done;
    while (!Work.empty()) {
      const BasicBlock *At = Work.pop_back_val();
      if (At->getTerminator()->getNumSuccessors() < 2)
        continue;
      const DomTreeNode *Join = After.getNode(At);
      Join = Join ? Join->getIDom() : nullptr;
      for (const BasicBlock *To : successors(At))
        for (const DomTreeNode *N = After.getNode(To);
             N && N != Join && N->getBlock(); N = N->getIDom())
          if (Done.insert(N->getBlock()).second) {
            Ways[N->getBlock()] |= Asked;
            Work.push_back(N->getBlock());
          }
    }
  }
  for (const Instruction &I : instructions(F))
    if (const auto *C = dyn_cast<CallBase>(&I))
      if (const Function *Callee = C->getCalledFunction();
          Callee && is_contained(Functions, Callee))
        if (uint8_t Way = Ways.lookup(I.getParent()))
          Ways[&Callee->getEntryBlock()] |= Way;
}

/// What tells threads apart in V, but for what is known. Memory: what is read
/// from shared memory is what anything there is.
void OrderOfThreads::follow(const Value &V, const Values &Known, bool Memory,
                            Values &Seen, Dependence &Found) const {
  if (Known.contains(&V) || !Seen.insert(&V).second)
    return;
  if (isa<Argument>(V))
    Found.Value |= Of.lookup(&V);
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || isa<AllocaInst>(I))
    return;
  if (uint8_t Who = whoIs(*I)) {
    Found.Value |= Who;
    return;
  }
  if (counted(*I))
    return;
  if (const auto *L = dyn_cast<LoadInst>(I)) {
    for (const Value *O : objectsOf(*L->getPointerOperand()))
      if (isOwn(*O) && (Memory || !isShared(*O)))
        Found.Value |= Of.lookup(O);
    return follow(*L->getPointerOperand(), Known, Memory, Seen, Found);
  }
  if (const auto *C = dyn_cast<CallBase>(I);
      C && is_contained(Functions, C->getCalledFunction()))
    Found.Value |= Sources.lookup(C->getCalledFunction());
  if (const auto *P = dyn_cast<PHINode>(I))
    for (const BasicBlock *From : P->blocks())
      Found.Chosen |= Ways.lookup(From) | Asks.lookup(From);
  if (const auto *S = dyn_cast<SelectInst>(I)) {
    Values Asked;
    Found.Chosen |= orderIn(*S->getCondition(), Asked);
  }
  for (const Value *Op : I->operands())
    follow(*Op, Known, Memory, Seen, Found);
}

void OrderOfThreads::look(const Instruction &I) {
  const Value *P = nullptr, *Number = nullptr;
  const AnyMemTransferInst *Copy = nullptr;
  bool Typed = true;
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    P = S->getPointerOperand();
    Number = S->getValueOperand();
  } else if (const auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    P = A->getPointerOperand();
    Number = A->getValOperand();
  } else if ((Copy = dyn_cast<AnyMemTransferInst>(&I))) {
    P = Copy->getRawDest();
  }
  Values Seen;
  if (!P || leadsToOwn(*P, Seen))
    return;
  const auto *Step = dyn_cast<GEPOperator>(P->stripPointerCasts());
  if (!Number || !Number->getType()->isFPOrFPVectorTy()) {
    // 16 bits are a number where the place says so.
    Typed = Step && holdsNumbers(Step->getSourceElementType());
    if (Number && (!Typed || !Number->getType()->isIntegerTy(16)))
      return;
  }
  Values Known;
  addKnownOf(*P, Known);
  auto Follow = [&](bool Memory) {
    Dependence Found;
    Seen.clear();
    if (!Copy) {
      follow(*Number, Known, Memory, Seen, Found);
      return Found;
    }
    follow(*Copy->getRawSource(), Known, Memory, Seen, Found);
    for (const Value *O : objectsOf(*Copy->getRawSource()))
      if (isOwn(*O) && (Memory || !isShared(*O)))
        Found.Value |= Of.lookup(O);
    return Found;
  };
  auto Lost = [](uint8_t By, uint8_t What) {
    return (By & Order && What & (Thread | Block)) ||
           (By & OrderInBlock && What & Thread) ||
           (By & OrderOfBlock && What & Block);
  };
  if (uint8_t Place = Of.lookup(P); Place & AnyOrder)
    Places |= Lost(Place, Follow(/*Memory=*/true).Value);
  if (Typed) {
    const Dependence Found = Follow(/*Memory=*/false);
    Numbers |= Lost(Ways.lookup(I.getParent()) | Found.Chosen, Found.Value);
  }
}
