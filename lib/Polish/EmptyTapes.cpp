//===- EmptyTapes.cpp - frames that hold nothing but frames ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers fall into classes, by unification (Steensgaard, "Points-to analysis
// in almost linear time", POPL 1996): values that may be one another have one
// class, and a class has one class of contents for each offset. A class is
// needed where a number or the address of anything else is kept in its memory,
// where its address is compared, or where what its memory holds is needed. It
// is foreign where it meets something that is not followed. What is neither is
// made and handed around for nothing. A class without any frame is left alone:
// it is what the program hands over.
//
// Only what pointers to frames and records lead to is looked at: a class that
// is foreign is not followed any further.
//
//===----------------------------------------------------------------------===//

#include "Polish/EmptyTapes.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>

using namespace llvm;
using namespace retrograd;

namespace {

/// A pointer: a value, or a member of a value or of what a function returns.
struct Place {
  Value *V;   ///< a Function: what it returns
  int Member; ///< of the struct; -1 for the value itself
  bool operator<(const Place &P) const {
    return std::tie(V, Member) < std::tie(P.V, P.Member);
  }
};

class FrameClasses {
public:
  FrameClasses(ArrayRef<Function *> Fs, ArrayRef<Function *> Entries)
      : Fs(Fs.begin(), Fs.end()), Layout(Fs.front()->getDataLayout()) {
    // The program calls entries, also where their calls are not written yet.
    for (Function *F : Fs)
      if (F->hasLocalLinkage() && !F->use_empty() &&
          !is_contained(Entries, F) && all_of(F->uses(), [&](const Use &U) {
            const auto *C = dyn_cast<CallBase>(U.getUser());
            return C && C->isCallee(&U) &&
                   C->getFunctionType() == F->getFunctionType() &&
                   this->Fs.contains(C->getFunction());
          }))
        Closed.insert(F);
  }

  void solve();
  bool rewrite(SmallPtrSetImpl<Function *> &Changed);

private:
  struct Class {
    unsigned Parent;
    bool Frame = false; ///< the address of one may be among it
    bool Needed = false;
    bool Foreign = false;
    std::map<int64_t, unsigned> Contents;                ///< by offset
    SmallVector<std::pair<int64_t, int64_t>, 2> Numbers; ///< from, behind
  };
  struct At {
    unsigned Of;
    int64_t Offset;
  };

  unsigned find(unsigned C) {
    while (Classes[C].Parent != C)
      C = Classes[C].Parent = Classes[Classes[C].Parent].Parent;
    return C;
  }
  unsigned make() {
    Classes.push_back({unsigned(Classes.size()), false, false, false, {}, {}});
    return Classes.size() - 1;
  }
  void unify(unsigned A, unsigned B);
  unsigned contents(At Where) {
    auto [It, New] = Classes[find(Where.Of)].Contents.try_emplace(Where.Offset);
    if (!New)
      return It->second;
    unsigned C = make();
    Classes[find(Where.Of)].Contents[Where.Offset] = C;
    return C;
  }
  At of(Place P);
  At of(Value *V) { return of({V, -1}); }
  void same(At A, At B);
  void meet(At A, Place P);
  void foreign(At A) { Classes[find(A.Of)].Foreign = true; }
  void needed(At A) { Classes[find(A.Of)].Needed = true; }

  void follow(Place P);
  void defined(Place P, At Where);
  void use(Place P, Use &U, At Where);
  void passed(CallBase &C, Use &U, At Where);
  bool isUnused(const Value *V);

  SmallPtrSet<Function *, 16> Fs;
  SmallPtrSet<Function *, 16> Closed; ///< all calls are known, and in Fs
  const DataLayout &Layout;
  SmallVector<Class, 0> Classes;
  std::map<Place, At> Places;
  SmallVector<Place, 32> Work;
  SmallVector<CallInst *, 16> Frames;
};

} // namespace

static CallInst *asFrame(Instruction &I) {
  auto *C = dyn_cast<CallInst>(&I);
  const Function *Callee = C ? C->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == "rg_tape_alloc" &&
                 isa<ConstantInt>(C->getArgOperand(1))
             ? C
             : nullptr;
}

void FrameClasses::unify(unsigned A, unsigned B) {
  SmallVector<std::pair<unsigned, unsigned>, 8> Pairs = {{A, B}};
  while (!Pairs.empty()) {
    auto [X, Y] = Pairs.pop_back_val();
    X = find(X);
    Y = find(Y);
    if (X == Y)
      continue;
    Class &To = Classes[X], &From = Classes[Y];
    From.Parent = X;
    To.Frame |= From.Frame;
    To.Needed |= From.Needed;
    To.Foreign |= From.Foreign;
    To.Numbers.append(From.Numbers);
    for (auto [Offset, C] : From.Contents)
      if (auto [It, New] = To.Contents.try_emplace(Offset, C); !New)
        Pairs.push_back({It->second, C});
  }
}

/// Two names of one pointer.
void FrameClasses::same(At A, At B) {
  unify(A.Of, B.Of);
  if (A.Offset != B.Offset)
    foreign(A);
}

/// The pointer A is also P, where P is one: null leads nowhere.
void FrameClasses::meet(At A, Place P) {
  if (!isa<Constant>(P.V))
    return same(A, of(P));
  if (!isa<ConstantPointerNull, UndefValue, ConstantAggregateZero>(P.V))
    foreign(A);
}

FrameClasses::At FrameClasses::of(Place P) {
  if (auto It = Places.find(P); It != Places.end())
    return It->second;
  At Where = {make(), 0};
  if (auto *GEP = dyn_cast<GetElementPtrInst>(P.V); GEP && P.Member < 0) {
    APInt Offset(Layout.getIndexTypeSizeInBits(GEP->getType()), 0);
    At Base = Where;
    if (isa<Constant>(GEP->getPointerOperand()))
      foreign(Where);
    else
      Base = of(GEP->getPointerOperand());
    unify(Where.Of, Base.Of);
    if (GEP->accumulateConstantOffset(Layout, Offset))
      Where.Offset = Base.Offset + Offset.getSExtValue();
    else
      foreign(Where);
  }
  Places[P] = Where;
  Work.push_back(P);
  return Where;
}

void FrameClasses::solve() {
  for (Function *F : Fs)
    for (BasicBlock &B : *F)
      for (Instruction &I : B)
        if (CallInst *C = asFrame(I)) {
          Frames.push_back(C);
          Classes[find(of(C).Of)].Frame = true;
        }
  while (!Work.empty())
    follow(Work.pop_back_val());
  // What holds something that is needed is needed; numbers beside or on top of
  // an address make it a number.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = 0; I < Classes.size(); ++I) {
      if (find(I) != I)
        continue;
      for (auto [Offset, Content] : Classes[I].Contents) {
        Class &C = Classes[find(Content)];
        // What is loaded from a frame goes with it.
        if (Classes[I].Frame && !C.Frame)
          C.Frame = Changed = true;
        const int64_t From = Offset, Behind = Offset + Layout.getPointerSize();
        if (!C.Foreign &&
            (Classes[I].Foreign || any_of(Classes[I].Numbers, [&](auto &N) {
               return N.first < Behind && From < N.second;
             })))
          C.Foreign = Changed = true;
        if ((C.Needed || C.Foreign) && !Classes[I].Needed)
          Classes[I].Needed = Changed = true;
      }
    }
  }
}

void FrameClasses::follow(Place P) {
  At Where = of(P);
  if (Classes[find(Where.Of)].Foreign)
    return;
  defined(P, Where);
  auto *F = dyn_cast<Function>(P.V);
  if (!F) {
    for (Use &U : P.V->uses())
      use(P, U, Where);
    return;
  }
  // What a function returns: its returns, and the results of its calls.
  for (BasicBlock &B : *F)
    if (auto *R = dyn_cast<ReturnInst>(B.getTerminator()))
      meet(Where, {R->getReturnValue(), P.Member});
  for (User *U : F->users())
    same(Where, of({U, P.Member}));
}

/// Where the pointer comes from.
void FrameClasses::defined(Place P, At Where) {
  if (isa<Function>(P.V))
    return;
  if (auto *A = dyn_cast<Argument>(P.V)) {
    Function *F = A->getParent();
    if (P.Member >= 0 || !Closed.contains(F) ||
        A->hasPassPointeeByValueCopyAttr())
      return foreign(Where);
    for (User *U : F->users())
      meet(Where, {cast<CallBase>(U)->getArgOperand(A->getArgNo()), -1});
    return;
  }
  auto *I = dyn_cast<Instruction>(P.V);
  if (!I)
    return foreign(Where);
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    for (Value *V : Phi->incoming_values())
      meet(Where, {V, P.Member});
    return;
  }
  if (auto *S = dyn_cast<SelectInst>(I)) {
    meet(Where, {S->getTrueValue(), P.Member});
    meet(Where, {S->getFalseValue(), P.Member});
    return;
  }
  if (auto *In = dyn_cast<InsertValueInst>(I)) {
    if (In->getNumIndices() != 1)
      return foreign(Where);
    meet(Where, int(In->getIndices()[0]) == P.Member
                    ? Place{In->getInsertedValueOperand(), -1}
                    : Place{In->getAggregateOperand(), P.Member});
    return;
  }
  if (auto *Out = dyn_cast<ExtractValueInst>(I)) {
    if (Out->getNumIndices() != 1 || P.Member >= 0)
      return foreign(Where);
    meet(Where, {Out->getAggregateOperand(), int(Out->getIndices()[0])});
    return;
  }
  if (isa<GetElementPtrInst>(I) || asFrame(*I))
    return;
  if (auto *L = dyn_cast<LoadInst>(I)) {
    if (!L->isSimple() || P.Member >= 0 ||
        isa<Constant>(L->getPointerOperand()))
      return foreign(Where);
    same(Where, {contents(of(L->getPointerOperand())), 0});
    return;
  }
  if (auto *C = dyn_cast<CallBase>(I))
    if (Function *F = C->getCalledFunction(); F && Closed.contains(F)) {
      same(Where, of({F, P.Member}));
      return;
    }
  foreign(Where);
}

/// One use of the pointer, or of the struct that holds it.
void FrameClasses::use(Place P, Use &U, At Where) {
  auto *I = dyn_cast<Instruction>(U.getUser());
  if (!I)
    return foreign(Where);
  if (isa<PHINode, SelectInst>(I)) {
    same(Where, of({I, P.Member}));
    return;
  }
  if (auto *In = dyn_cast<InsertValueInst>(I)) {
    if (In->getNumIndices() != 1)
      return foreign(Where);
    const int Index = In->getIndices()[0];
    if (U.getOperandNo() == InsertValueInst::getAggregateOperandIndex()) {
      if (Index != P.Member)
        same(Where, of({In, P.Member}));
      return;
    }
    if (P.Member >= 0)
      return foreign(Where);
    same(Where, of({In, Index}));
    return;
  }
  if (auto *Out = dyn_cast<ExtractValueInst>(I)) {
    if (Out->getNumIndices() != 1)
      return foreign(Where);
    if (int(Out->getIndices()[0]) == P.Member)
      same(Where, of(Out));
    return;
  }
  if (isa<ReturnInst>(I)) {
    if (!Closed.contains(I->getFunction()))
      return foreign(Where);
    same(Where, of({I->getFunction(), P.Member}));
    return;
  }
  if (P.Member >= 0)
    return foreign(Where);
  if (isa<GetElementPtrInst>(I) && U.getOperandNo() == 0) {
    of(I);
    return;
  }
  auto Number = [&](Type *T) {
    needed(Where);
    TypeSize Bytes = Layout.getTypeStoreSize(T);
    if (Bytes.isScalable())
      return foreign(Where);
    Classes[find(Where.Of)].Numbers.push_back(
        {Where.Offset, Where.Offset + int64_t(Bytes.getFixedValue())});
  };
  if (auto *L = dyn_cast<LoadInst>(I)) {
    if (!L->isSimple())
      return foreign(Where);
    if (L->getType()->isPointerTy())
      same({contents(Where), 0}, of(L));
    else
      Number(L->getType());
    return;
  }
  if (auto *S = dyn_cast<StoreInst>(I)) {
    if (!S->isSimple())
      return foreign(Where);
    if (U.getOperandNo() == 0) {
      if (isa<Constant>(S->getPointerOperand()))
        return foreign(Where);
      same({contents(of(S->getPointerOperand())), 0}, Where);
      return;
    }
    if (S->getValueOperand()->getType()->isPointerTy())
      meet({contents(Where), 0}, {S->getValueOperand(), -1});
    else
      Number(S->getValueOperand()->getType());
    return;
  }
  if (isa<ICmpInst>(I))
    return needed(Where);
  if (auto *C = dyn_cast<CallBase>(I))
    return passed(*C, U, Where);
  foreign(Where);
}

void FrameClasses::passed(CallBase &C, Use &U, At Where) {
  Function *F = C.getCalledFunction();
  if (!F || !Closed.contains(F) || !C.isArgOperand(&U))
    return foreign(Where);
  const unsigned A = C.getArgOperandNo(&U);
  if (A >= F->arg_size())
    return foreign(Where);
  same(Where, of(F->getArg(A)));
}

bool FrameClasses::isUnused(const Value *V) {
  auto It = Places.find({const_cast<Value *>(V), -1});
  if (It == Places.end())
    return false;
  const Class &C = Classes[find(It->second.Of)];
  return C.Frame && !C.Needed && !C.Foreign;
}

bool FrameClasses::rewrite(SmallPtrSetImpl<Function *> &Changed) {
  if (none_of(Frames, [&](CallInst *C) { return isUnused(C); }))
    return false;
  AttributeMask IsNoNull;
  IsNoNull.addAttribute(Attribute::NonNull);
  IsNoNull.addAttribute(Attribute::Dereferenceable);
  SmallVector<Instruction *, 16> Stores, Gone;
  for (auto &[P, Where] : Places) {
    if (P.Member >= 0 || isa<Constant>(P.V) || !isUnused(P.V))
      continue;
    for (User *U : P.V->users()) {
      if (auto *S = dyn_cast<StoreInst>(U))
        Stores.push_back(S);
      // It is null from here on.
      if (auto *C = dyn_cast<CallBase>(U))
        for (unsigned A = 0; A < C->arg_size(); ++A)
          if (C->getArgOperand(A) == P.V)
            C->removeParamAttrs(A, IsNoNull);
    }
    if (auto *I = dyn_cast<Instruction>(P.V)) {
      Gone.push_back(I);
      Changed.insert(I->getFunction());
    } else {
      auto *A = cast<Argument>(P.V);
      A->removeAttrs(IsNoNull);
      Changed.insert(A->getParent());
    }
  }
  for (auto &[P, Where] : Places)
    if (auto *F = dyn_cast<Function>(P.V); F && P.Member < 0 && isUnused(F))
      F->removeRetAttrs(IsNoNull);
  llvm::sort(Stores);
  Stores.erase(llvm::unique(Stores), Stores.end());
  for (Instruction *S : Stores)
    S->eraseFromParent();
  for (auto &[P, Where] : Places)
    if (P.Member < 0 && !isa<Constant>(P.V) && isUnused(P.V))
      P.V->replaceAllUsesWith(
          ConstantPointerNull::get(cast<PointerType>(P.V->getType())));
  // The frames themselves go, though an allocation counts as an effect.
  SmallVector<WeakTrackingVH, 16> Dead(Gone.begin(), Gone.end());
  for (CallInst *C : Frames)
    if (is_contained(Gone, C))
      C->eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
  return true;
}

SmallVector<Function *, 8>
retrograd::dropEmptyTapes(ArrayRef<Function *> Fs,
                          ArrayRef<Function *> Entries) {
  SmallPtrSet<Function *, 16> Changed;
  if (!Fs.empty() && !Fs.front()->getParent()->getFunction("rg_tape_alloc"))
    return {};
  if (!Fs.empty()) {
    FrameClasses Classes(Fs, Entries);
    Classes.solve();
    Classes.rewrite(Changed);
  }
  SmallVector<Function *, 8> InOrder;
  for (Function *F : Fs)
    if (Changed.contains(F))
      InOrder.push_back(F);
  return InOrder;
}
