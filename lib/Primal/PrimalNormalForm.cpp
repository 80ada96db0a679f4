//===- PrimalNormalForm.cpp - one form for all primals --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalNormalForm.h"
#include "Catalogue/AccessTags.h"
#include "Catalogue/Catalogue.h"
#include "Guard/KeepEqualities.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/BreakCriticalEdges.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;
using namespace retrograd;

namespace {
/// Whether the code that an exception runs on its way out, callees included,
/// leaves something behind that is seen when the exception has left. Giving
/// memory back is nothing of that kind, nor is what destructors do to objects
/// that end.
class CleanUpEffects {
public:
  explicit CleanUpEffects(const Catalogue &Cat) : Cat(Cat) {}

  bool lastFrom(const BasicBlock &Start, bool InCallee = false) {
    SmallPtrSet<const BasicBlock *, 16> Blocks;
    SmallVector<const BasicBlock *, 16> Work{&Start};
    while (!Work.empty()) {
      const BasicBlock *B = Work.pop_back_val();
      if (!Blocks.insert(B).second)
        continue;
      if (any_of(*B, [&](const Instruction &I) { return lasts(I, InCallee); }))
        return true;
      append_range(Work, successors(B));
    }
    return false;
  }

private:
  const Catalogue &Cat;
  SmallPtrSet<const Function *, 16> Seen;

  /// P may point to something else than the object that ends: what a callee was
  /// given is that, or a part of it.
  bool pointsOutside(const Value *P, bool InCallee, unsigned Depth = 0) {
    P = getUnderlyingObject(P);
    if (isa<AllocaInst>(P) || Depth == 8)
      return Depth == 8;
    if (isa<Argument>(P))
      return !InCallee;
    if (isa<CallBase>(P))
      return false; // an accessor
    const auto *L = dyn_cast<LoadInst>(P);
    const auto *Slot =
        L ? dyn_cast<AllocaInst>(L->getPointerOperand()) : nullptr;
    if (!Slot)
      return true; // a global, or what a member points to
    return any_of(Slot->users(), [&](const User *U) {
      const auto *S = dyn_cast<StoreInst>(U);
      return S && S->getPointerOperand() == Slot &&
             pointsOutside(S->getValueOperand(), InCallee, Depth + 1);
    });
  }

  bool lasts(const Instruction &I, bool InCallee) {
    if (const auto *S = dyn_cast<StoreInst>(&I)) {
      const auto *Value = dyn_cast<Constant>(S->getValueOperand());
      bool Ends = Value && Value->isNullValue() && !S->isAtomic();
      return !Ends && pointsOutside(S->getPointerOperand(), InCallee);
    }
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C || isa<IntrinsicInst>(C) || C->doesNotReturn())
      return false;
    const Function *Callee = C->getCalledFunction();
    if (!Callee)
      return false; // std::function and virtual destructors
    if (const OperationRecord *R = Cat.lookup(*C))
      return R->Class != RuleClass::Deallocation && !R->OfCharacters;
    return Callee->isDeclaration() ||
           (Seen.insert(Callee).second &&
            lastFrom(Callee->getEntryBlock(), /*InCallee=*/true));
  }
};
} // namespace

void retrograd::dropDeadEndUnwinding(Function &F, const Catalogue &Cat) {
  auto Returning = blocksThatReturn(F);
  bool Changed = false;
  DenseMap<const BasicBlock *, bool> Dropped;
  auto Drops = [&](const BasicBlock *Pad) {
    auto [It, New] = Dropped.try_emplace(Pad);
    if (New)
      It->second = !CleanUpEffects(Cat).lastFrom(*Pad);
    return It->second;
  };
  for (BasicBlock &BB : F)
    if (auto *II = dyn_cast<InvokeInst>(BB.getTerminator()))
      if (!Returning.contains(II->getUnwindDest()) &&
          Drops(II->getUnwindDest())) {
        changeToCall(II);
        Changed = true;
      }
  if (Changed)
    removeUnreachableBlocks(F);
  if (F.hasPersonalityFn() &&
      none_of(F, [](const BasicBlock &BB) { return BB.isEHPad(); }))
    F.setPersonalityFn(nullptr);
}

/// A scope that is declared in a loop is a new one in each iteration. Passes
/// know by the declaration, which has to go; so its facts go with it.
static void dropScopesOfLoops(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<NoAliasScopeDeclInst *, 8> Declarations;
  for (Instruction &I : instructions(F))
    if (auto *D = dyn_cast<NoAliasScopeDeclInst>(&I))
      Declarations.push_back(D);
  if (Declarations.empty())
    return;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallPtrSet<const Metadata *, 8> Unsafe;
  for (NoAliasScopeDeclInst *D : Declarations) {
    if (LI.getLoopFor(D->getParent()))
      for (const MDOperand &Scope : D->getScopeList()->operands())
        Unsafe.insert(Scope.get());
    D->eraseFromParent();
  }
  if (Unsafe.empty())
    return;
  for (Instruction &I : instructions(F))
    for (unsigned Kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
      if (MDNode *Scopes = I.getMetadata(Kind))
        if (any_of(Scopes->operands(), [&](const MDOperand &Scope) {
              return Unsafe.contains(Scope.get());
            }))
          I.setMetadata(Kind, nullptr);
}

static bool hasOutput(const InlineAsm &Asm) {
  return any_of(Asm.ParseConstraints(), [](const InlineAsm::ConstraintInfo &C) {
    return C.Type == InlineAsm::isOutput;
  });
}

/// Assembly without text, which libraries use to hide a value from the
/// optimiser, does nothing or hands its operand on. Returns what the call
/// stands for; null if it is no such thing.
static Value *valueOfEmptyAssembly(CallInst &Call) {
  auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Asm || !StringRef(Asm->getAsmString()).trim().empty())
    return nullptr;
  if (Call.getType()->isVoidTy())
    return hasOutput(*Asm) ? nullptr : PoisonValue::get(Call.getType());
  InlineAsm::ConstraintInfoVector Constraints = Asm->ParseConstraints();
  // One output, tied to the only input.
  if (Call.arg_size() != 1 ||
      Call.getArgOperand(0)->getType() != Call.getType() ||
      Constraints.size() < 2 || Constraints[1].Type != InlineAsm::isInput ||
      Constraints[1].Codes.empty() || Constraints[1].Codes[0] != "0")
    return nullptr;
  return Call.getArgOperand(0);
}

/// V, which the optimiser must not see through.
static Value *fence(IRBuilder<> &B, Value *V) {
  if (!V->getType()->isFPOrFPVectorTy())
    return V;
  return B.CreateArithmeticFence(V, V->getType());
}

void retrograd::replaceBarriers(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    auto *Asm = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
    if (!Asm || !StringRef(Asm->getAsmString()).trim().empty())
      continue;
    IRBuilder<> B(Call);
    if (!Call->getType()->isVoidTy()) {
      if (Value *V = valueOfEmptyAssembly(*Call);
          V && V->getType()->isFPOrFPVectorTy()) {
        Call->replaceAllUsesWith(fence(B, V));
        Call->eraseFromParent();
      }
      continue;
    }
    // One output, a variable in memory, with the value of the one input:
    // "+m,x".
    auto [Output, Rest] = StringRef(Asm->getConstraintString()).split(',');
    if (Call->arg_size() != 2 || !Output.starts_with("=*") ||
        Rest.split(',').first != "0")
      continue;
    Value *To = Call->getArgOperand(0), *From = Call->getArgOperand(1);
    if (!To->getType()->isPointerTy() ||
        Call->getParamElementType(0) != From->getType())
      continue;
    B.CreateStore(fence(B, From), To);
    Call->eraseFromParent();
  }
}

void retrograd::dropEmptyAssembly(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
      if (Value *V = valueOfEmptyAssembly(*Call)) {
        if (!Call->getType()->isVoidTy())
          Call->replaceAllUsesWith(V);
        Call->eraseFromParent();
      }
}

void retrograd::dropMarkers(Function &F, FunctionAnalysisManager &FAM) {
  dropScopesOfLoops(F, FAM);
  SmallVector<WeakTrackingVH, 16> Dead;
  for (Instruction &I : instructions(F)) {
    if (auto *Call = dyn_cast<CallInst>(&I))
      Call->setTailCallKind(CallInst::TCK_None);
    auto *II = dyn_cast<IntrinsicInst>(&I);
    if (!II)
      continue;
    switch (II->getIntrinsicID()) {
    case Intrinsic::threadlocal_address: // one thread runs both sweeps
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
      II->replaceAllUsesWith(II->getArgOperand(0));
      Dead.push_back(II);
      break;
    case Intrinsic::invariant_end:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::assume:
    case Intrinsic::sideeffect:
    case Intrinsic::pseudoprobe:
    case Intrinsic::donothing:
      Dead.push_back(II);
      break;
    case Intrinsic::invariant_start:
      II->replaceAllUsesWith(PoisonValue::get(II->getType()));
      Dead.push_back(II);
      break;
    case Intrinsic::ssa_copy:
    case Intrinsic::expect:
    case Intrinsic::expect_with_probability:
      II->replaceAllUsesWith(II->getArgOperand(0));
      Dead.push_back(II);
      break;
    default:
      break;
    }
  }
  if (Dead.empty())
    return;
  SmallVector<WeakTrackingVH, 16> Operands;
  for (WeakTrackingVH &V : Dead) {
    auto *I = cast<Instruction>(V);
    for (Value *Operand : I->operands())
      if (isa<Instruction>(Operand))
        Operands.push_back(Operand);
    I->eraseFromParent();
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Operands);
  PreservedAnalyses PA = PreservedAnalyses::none();
  PA.preserveSet<CFGAnalyses>();
  FAM.invalidate(F, PA);
}

/// The pointer that the integer V is an address of, made at B; null if V is
/// not the address of one pointer plus or minus something.
static Value *pointerBehind(Value *V, IRBuilderBase &B, unsigned Depth = 0) {
  if (Depth > 8)
    return nullptr;
  if (auto *Cast = dyn_cast<PtrToIntOperator>(V)) {
    Value *P = Cast->getPointerOperand();
    return P->getType() == B.getPtrTy() ? P : nullptr;
  }
  auto *I = dyn_cast<BinaryOperator>(V);
  if (!I)
    return nullptr;
  Value *P = pointerBehind(I->getOperand(0), B, Depth + 1),
        *Other = I->getOperand(1);
  bool Commutes = I->getOpcode() == Instruction::Add ||
                  (I->getOpcode() == Instruction::Or &&
                   cast<PossiblyDisjointInst>(I)->isDisjoint());
  if (Commutes && !P) {
    P = pointerBehind(Other, B, Depth + 1);
    Other = I->getOperand(0);
  }
  if (!P || pointerBehind(Other, B, Depth + 1))
    return nullptr;
  const auto *Constant = dyn_cast<ConstantInt>(Other);
  // The bits of P in Mask, which are few.
  auto BitsOf = [&](uint64_t Mask, bool Missing) {
    Value *Low = B.CreatePtrToInt(P, B.getInt32Ty());
    Low = B.CreateAnd(Missing ? B.CreateNot(Low) : Low, B.getInt32(Mask));
    return B.CreateZExt(Low, V->getType());
  };
  switch (I->getOpcode()) {
  case Instruction::Or:
    if (!Commutes) {
      if (!Constant || !isUInt<32>(Constant->getZExtValue()))
        return nullptr;
      Other = BitsOf(Constant->getZExtValue(), /*Missing=*/true);
    }
    break;
  case Instruction::Add:
    break;
  case Instruction::Sub:
    Other = B.CreateNeg(Other);
    break;
  case Instruction::And:
    if (!Constant || !isUInt<32>(~Constant->getZExtValue()))
      return nullptr;
    Other = B.CreateNeg(BitsOf(~Constant->getZExtValue(), /*Missing=*/false));
    break;
  default:
    return nullptr;
  }
  return B.CreateGEP(B.getInt8Ty(), P, Other);
}

/// The type of the scalar that an access of a word is of, by its TBAA tag: a
/// double, a pointer, an integer; void if the tag tells nothing.
static Type *taggedType(const Instruction &I) {
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

/// Numbers of type T are read or written, or at least laid out, where P leads
/// to.
static bool leadsToNumbers(const Value *P, Type *T) {
  if (const auto *G = dyn_cast<GEPOperator>(P);
      G && G->getSourceElementType() == T)
    return true;
  return any_of(P->users(), [&](const User *U) {
    return getLoadStorePointerOperand(U) == P &&
           getLoadStoreType(const_cast<User *>(U)) == T;
  });
}

void retrograd::spellBitsInAtomics(Function &F) {
  SmallSetVector<LoadInst *, 4> Loads;
  for (Instruction &I : instructions(F))
    if (auto *M = dyn_cast<AtomicRMWInst>(&I))
      if (auto *Load = dyn_cast<LoadInst>(M->getValOperand());
          Load && Load->isSimple() && Load->getType()->isIntegerTy())
        Loads.insert(Load);
  for (LoadInst *Load : Loads) {
    const unsigned Bits = Load->getType()->getIntegerBitWidth();
    Type *T = Bits == 32   ? Type::getFloatTy(F.getContext())
              : Bits == 64 ? Type::getDoubleTy(F.getContext())
                           : nullptr;
    if (!T || !leadsToNumbers(Load->getPointerOperand(), T))
      continue;
    IRBuilder<> B(Load);
    auto *Number =
        B.CreateAlignedLoad(T, Load->getPointerOperand(), Load->getAlign());
    Number->copyMetadata(*Load,
                         {LLVMContext::MD_dbg, LLVMContext::MD_alias_scope,
                          LLVMContext::MD_noalias});
    Load->replaceAllUsesWith(B.CreateBitCast(Number, Load->getType()));
    Load->eraseFromParent();
  }
}

void retrograd::spellWordCopies(Function &F, bool Untyped) {
  // Such a program may keep a number in the place of a pointer; what the word
  // is, the running program tells.
  const bool Puns = hasFact(*F.getParent(), SourceFact::CopiesBits);
  for (BasicBlock &BB : F)
    for (Instruction &I : make_early_inc_range(BB)) {
      auto *Store = dyn_cast<StoreInst>(&I);
      auto *Load =
          Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
      if (!Load || !Load->getType()->isIntegerTy(64) || !Load->hasOneUse() ||
          !Load->isSimple() || !Store->isSimple())
        continue;
      Type *T = taggedType(*Load);
      if (T != taggedType(*Store))
        continue;
      IRBuilder<> B(Load);
      if (T->isDoubleTy() || (T->isPointerTy() && !Puns)) {
        auto *Typed =
            B.CreateAlignedLoad(T, Load->getPointerOperand(), Load->getAlign());
        Typed->copyMetadata(*Load, {LLVMContext::MD_tbaa, LLVMContext::MD_dbg,
                                    LLVMContext::MD_alias_scope,
                                    LLVMContext::MD_noalias});
        Store->setOperand(0, Typed);
        Load->eraseFromParent();
        continue;
      }
      if (!(T->isPointerTy() || (Untyped && T->isVoidTy())) ||
          Load->getParent() != &BB ||
          any_of(
              make_range(std::next(Load->getIterator()), Store->getIterator()),
              [](const Instruction &Between) {
                return Between.mayWriteToMemory();
              }))
        continue;
      B.SetInsertPoint(Store);
      B.CreateMemCpy(Store->getPointerOperand(), Store->getAlign(),
                     Load->getPointerOperand(), Load->getAlign(), 8);
      Store->eraseFromParent();
      Load->eraseFromParent();
    }
}

/// V is an address taken as an integer, a constant, or a choice between such;
/// Web gets the choices, Any says whether there is an address among them.
static bool isChoiceOfAddresses(Value *V, SmallPtrSetImpl<Value *> &Web,
                                bool &Any) {
  if (isa<ConstantInt>(V))
    return true;
  if (auto *Cast = dyn_cast<PtrToIntOperator>(V)) {
    Any = true;
    return Cast->getPointerOperand()->getType() ==
           PointerType::get(V->getContext(), 0);
  }
  auto *Phi = dyn_cast<PHINode>(V);
  auto *Select = dyn_cast<SelectInst>(V);
  if ((!Phi && !Select) || Web.size() > 16)
    return false;
  if (!Web.insert(V).second)
    return true;
  if (Select)
    return isChoiceOfAddresses(Select->getTrueValue(), Web, Any) &&
           isChoiceOfAddresses(Select->getFalseValue(), Web, Any);
  return all_of(Phi->incoming_values(),
                [&](Value *In) { return isChoiceOfAddresses(In, Web, Any); });
}

/// The same choice among the pointers.
static Value *choiceOfPointers(Value *V, DenseMap<Value *, Value *> &Made) {
  PointerType *Pointer = PointerType::get(V->getContext(), 0);
  if (auto *C = dyn_cast<ConstantInt>(V))
    return C->isZero() ? ConstantPointerNull::get(Pointer)
                       : ConstantExpr::getIntToPtr(C, Pointer);
  if (auto *Cast = dyn_cast<PtrToIntOperator>(V))
    return Cast->getPointerOperand();
  if (Value *Known = Made.lookup(V))
    return Known;
  IRBuilder<> B(cast<Instruction>(V));
  if (auto *Select = dyn_cast<SelectInst>(V)) {
    Value *True = choiceOfPointers(Select->getTrueValue(), Made);
    return Made[V] =
               B.CreateSelect(Select->getCondition(), True,
                              choiceOfPointers(Select->getFalseValue(), Made));
  }
  auto *Phi = cast<PHINode>(V);
  PHINode *New = B.CreatePHI(Pointer, Phi->getNumIncomingValues());
  Made[V] = New;
  for (auto [In, From] : zip(Phi->incoming_values(), Phi->blocks()))
    New->addIncoming(choiceOfPointers(In, Made), From);
  return New;
}

/// A word that is used as an address and for its distance from others, or moved
/// on, is loaded as the pointer that it is. Null if something uses it as what
/// need not be an address.
static Value *loadOfPointer(IntToPtrInst &I) {
  auto *Load = dyn_cast<LoadInst>(I.getOperand(0));
  const Type *Tagged = Load ? taggedType(*Load) : nullptr;
  if (!Load || !Load->isSimple() ||
      !(Tagged->isVoidTy() || Tagged->isPointerTy()) ||
      hasFact(*I.getModule(), SourceFact::CopiesBits) ||
      !all_of(Load->uses(), [](const Use &U) {
        auto *S = dyn_cast<StoreInst>(U.getUser());
        return S ? S->isSimple() && U.getOperandNo() == 0
                 : isa<IntToPtrInst, ICmpInst>(U.getUser()) ||
                       cast<Instruction>(U.getUser())->getOpcode() ==
                           Instruction::Sub;
      }))
    return nullptr;
  IRBuilder<> B(Load);
  LoadInst *P = B.CreateAlignedLoad(I.getType(), Load->getPointerOperand(),
                                    Load->getAlign());
  P->copyMetadata(*Load, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                          LLVMContext::MD_noalias});
  Value *Word = nullptr;
  for (Use &U : make_early_inc_range(Load->uses())) {
    if (isa<StoreInst>(U.getUser())) {
      U.set(P);
    } else if (U.getUser() != &I) {
      if (!Word)
        Word = B.CreatePtrToInt(P, Load->getType());
      U.set(Word);
    }
  }
  return P;
}

void retrograd::spellAddresses(Function &F) {
  DenseMap<Value *, Value *> Choices;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    IRBuilder<> B(&I);
    Value *P = nullptr;
    if (isa<IntToPtrInst>(I) && I.getOperand(0)->getType()->isIntegerTy(64) &&
        I.getType() == B.getPtrTy()) {
      P = pointerBehind(I.getOperand(0), B);
      SmallPtrSet<Value *, 8> Web;
      bool Any = false;
      if (!P && isChoiceOfAddresses(I.getOperand(0), Web, Any) && Any)
        P = choiceOfPointers(I.getOperand(0), Choices);
      if (!P)
        P = loadOfPointer(cast<IntToPtrInst>(I));
    } else if (auto *Mask = dyn_cast<IntrinsicInst>(&I);
               Mask && Mask->getIntrinsicID() == Intrinsic::ptrmask &&
               I.getType() == B.getPtrTy()) {
      Value *Base = Mask->getArgOperand(0);
      const auto *Keep = dyn_cast<ConstantInt>(Mask->getArgOperand(1));
      if (Keep && Keep->getBitWidth() == 64 &&
          isUInt<32>(~Keep->getZExtValue())) {
        Value *Low = B.CreateAnd(B.CreatePtrToInt(Base, B.getInt32Ty()),
                                 B.getInt32(~Keep->getZExtValue()));
        P = B.CreateGEP(B.getInt8Ty(), Base,
                        B.CreateNeg(B.CreateZExt(Low, B.getInt64Ty())));
      }
    }
    if (!P)
      continue;
    if (!P->hasName() && isa<Instruction>(P))
      P->takeName(&I);
    I.replaceAllUsesWith(P);
    I.eraseFromParent();
  }
}

/// Each invoke has a landing pad of its own, which is then the only place on
/// its way out of a loop, say.
static void splitLandingPads(Function &F) {
  SmallVector<BasicBlock *, 8> Pads;
  for (BasicBlock &B : F)
    if (B.isLandingPad())
      Pads.push_back(&B);
  for (BasicBlock *Pad : Pads)
    while (!Pad->getSinglePredecessor()) {
      SmallVector<BasicBlock *, 2> New;
      SplitLandingPadPredecessors(Pad, {*pred_begin(Pad)}, ".own", ".rest",
                                  New);
      if (New.size() < 2)
        break;
      Pad = New[1];
    }
}

static void joinReturns(Function &F) {
  SmallVector<ReturnInst *, 4> Returns;
  for (BasicBlock &BB : F)
    if (auto *R = dyn_cast<ReturnInst>(BB.getTerminator()))
      Returns.push_back(R);
  if (Returns.size() < 2)
    return;
  BasicBlock *Exit = BasicBlock::Create(F.getContext(), "return", &F);
  PHINode *Result = nullptr;
  if (!F.getReturnType()->isVoidTy())
    Result = PHINode::Create(F.getReturnType(), Returns.size(), "result", Exit);
  ReturnInst *Joined = ReturnInst::Create(F.getContext(), Result, Exit);
  DebugLoc Where = Returns.front()->getDebugLoc();
  for (ReturnInst *R : Returns) {
    if (Result)
      Result->addIncoming(R->getReturnValue(), R->getParent());
    BranchInst *Br = BranchInst::Create(Exit, R->getIterator());
    Br->setDebugLoc(R->getDebugLoc());
    Where = DebugLoc::getMergedLocation(Where, R->getDebugLoc());
    R->eraseFromParent();
  }
  Joined->setDebugLoc(Where);
}

/// FixIrreducible redirects branches; it does not know other terminators. Where
/// a block of the cycle branches to two of its entries, LLVM 22 redirects one
/// edge and takes both entries' phis for redirected: critical edges are split
/// first.
static bool makeReducible(Function &F, FunctionAnalysisManager &FAM) {
  auto IsIrreducible = [&] {
    ReversePostOrderTraversal<Function *> RPOT(&F);
    return containsIrreducibleCFG<BasicBlock *>(RPOT,
                                                FAM.getResult<LoopAnalysis>(F));
  };
  if (!IsIrreducible())
    return false;
  for (BasicBlock &BB : F)
    if (isa<IndirectBrInst, CallBrInst>(BB.getTerminator()))
      return false; // stays as it is, and is refused later
  FunctionPassManager Fix;
  Fix.addPass(LowerSwitchPass());
  Fix.addPass(BreakCriticalEdgesPass());
  Fix.addPass(FixIrreduciblePass());
  FAM.invalidate(F, Fix.run(F, FAM));
  return true;
}

/// Funnel shifts by whole bytes move floats that lie side by side in an
/// integer; shifts and an or say so to everybody else.
static void spellOutByteRotations(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *II = dyn_cast<IntrinsicInst>(&I);
    if (!II || (II->getIntrinsicID() != Intrinsic::fshl &&
                II->getIntrinsicID() != Intrinsic::fshr))
      continue;
    auto *By = dyn_cast<ConstantInt>(II->getArgOperand(2));
    unsigned Width = II->getType()->getScalarSizeInBits();
    unsigned Bits = By ? By->getValue().urem(Width) : 0;
    if (Bits == 0 || Bits % 8 || Width % 8)
      continue;
    unsigned Left =
        II->getIntrinsicID() == Intrinsic::fshl ? Bits : Width - Bits;
    IRBuilder<> B(II);
    II->replaceAllUsesWith(
        B.CreateOr(B.CreateShl(II->getArgOperand(0), Left),
                   B.CreateLShr(II->getArgOperand(1), Width - Left)));
    II->eraseFromParent();
  }
}

/// Masked loads and stores, gathers and scatters become branches around
/// accesses of one element each, as on a target that has none of them.
static void spellOutMaskedAccesses(Function &F, FunctionAnalysisManager &FAM) {
  FunctionAnalysisManager AnyTarget;
  AnyTarget.registerPass([] { return PassInstrumentationAnalysis(); });
  AnyTarget.registerPass([] { return TargetIRAnalysis(); });
  AnyTarget.registerPass([] { return DominatorTreeAnalysis(); });
  if (!ScalarizeMaskedMemIntrinPass().run(F, AnyTarget).areAllPreserved())
    FAM.invalidate(F, PreservedAnalyses::none());
}

void retrograd::normaliseControlFlow(Function &F,
                                     FunctionAnalysisManager &FAM) {
  spellOutByteRotations(F);
  spellOutMaskedAccesses(F, FAM);
  if (removeUnreachableBlocks(F))
    FAM.invalidate(F, PreservedAnalyses::none());
  makeReducible(F, FAM);
  joinReturns(F);
  splitLandingPads(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  // What an invoke defines needs a place of its own to be worked with.
  for (BasicBlock &B : make_early_inc_range(F))
    if (auto *Inv = dyn_cast<InvokeInst>(B.getTerminator());
        Inv && !Inv->getNormalDest()->getSinglePredecessor())
      SplitEdge(&B, Inv->getNormalDest());
  FunctionPassManager Loops;
  Loops.addPass(LoopSimplifyPass());
  // A value used behind its loop is that of the last iteration: by a phi there
  // it becomes one of the scope around, and needs no iteration to be named.
  Loops.addPass(LCSSAPass());
  FAM.invalidate(F, Loops.run(F, FAM));
}

PrimalSimplifier::PrimalSimplifier() {
  Quick.addPass(SROAPass(SROAOptions::ModifyCFG));
  Quick.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Quick.addPass(SimplifyCFGPass());
  Quick.addPass(InstCombinePass());
  Quick.addPass(SimplifyCFGPass());
  // A builder without target or callbacks: only the standard passes. Target
  // facts still come from the host, through the analyses.
  PassBuilder PB;
  Full = PB.buildFunctionSimplificationPipeline(OptimizationLevel::O2,
                                                ThinOrFullLTOPhase::None);
}

void PrimalSimplifier::simplifyQuickly(Function &F,
                                       FunctionAnalysisManager &FAM) {
  foldEqualities(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, Quick.run(F, FAM));
}

void PrimalSimplifier::simplifyFully(Function &F,
                                     FunctionAnalysisManager &FAM) {
  foldEqualities(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, Full.run(F, FAM));
}
