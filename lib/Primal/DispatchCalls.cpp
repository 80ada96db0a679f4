//===- DispatchCalls.cpp - calls through pointers become direct -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/DispatchCalls.h"
#include "Analysis/LiveBlocks.h"
#include "Catalogue/AccessTags.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Guard/Methods.h"
#include "Parallel/OpenMPRoutines.h"
#include "Primal/Language/MemberPointers.h"
#include "Primal/Language/Trampolines.h"
#include "Request/EntryCalls.h"
#include "Request/FunctionOperand.h"
#include "Support/DispatchMarks.h"
#include "Support/ExceptionMarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

//===----------------------------------------------------------------------===//
// Whose address is taken, and where it stands
//===----------------------------------------------------------------------===//

/// A constant that is only pointed into, at places that LLVM knows to be the
/// only ones: what front ends make of virtual tables.
static bool isVirtualTable(const GlobalVariable &G) {
  if (!G.isConstant() || !G.hasInitializer() ||
      !isa<StructType>(G.getValueType()))
    return false;
  bool PointedInto = false;
  for (const User *U : G.users()) {
    const auto *Place = dyn_cast<GEPOperator>(U);
    if (!Place || Place->getPointerOperand() != &G || !Place->getInRange())
      return false;
    PointedInto = true;
  }
  return PointedInto;
}

/// The functions that stand Slot bytes behind a place of the virtual table G
/// that an object's pointer may hold.
static void addVirtualFunctions(const GlobalVariable &G, int64_t Slot,
                                SmallPtrSetImpl<const Function *> &Found) {
  const DataLayout &DL = G.getDataLayout();
  unsigned Bits = DL.getIndexTypeSizeInBits(G.getType());
  SmallSetVector<int64_t, 4> Places;
  for (const User *U : G.users()) {
    APInt Offset(Bits, 0);
    if (cast<GEPOperator>(U)->accumulateConstantOffset(DL, Offset))
      Places.insert(Offset.getSExtValue());
  }
  // Objects may come from elsewhere with pointers that nobody sets here: each
  // table begins with the offset to the whole object and its type.
  auto *Tables = cast<StructType>(G.getValueType());
  const StructLayout *Layout = DL.getStructLayout(Tables);
  for (unsigned I = 0; I != Tables->getNumElements(); ++I)
    Places.insert(int64_t(Layout->getElementOffset(I).getFixedValue()) +
                  2 * int64_t(DL.getPointerSize()));
  uint64_t Size = DL.getTypeAllocSize(Tables).getFixedValue();
  for (int64_t Place : Places) {
    int64_t At = Place + Slot;
    if (At < 0 || uint64_t(At) + DL.getPointerSize() > Size)
      continue;
    Constant *Held = ConstantFoldLoadFromConst(
        const_cast<Constant *>(G.getInitializer()),
        PointerType::get(G.getContext(), 0), APInt(Bits, At), DL);
    if (Held)
      if (auto *F = dyn_cast<Function>(Held->stripPointerCastsAndAliases()))
        Found.insert(F);
  }
}

/// Of a struct and a distance in it, the distance in the innermost struct that
/// has something there; none where it is part of an array.
static std::optional<uint64_t> innermost(const MDNode *Struct, uint64_t Offset,
                                         const MDNode *Accessed) {
  constexpr unsigned Deepest = 16;
  for (unsigned Depth = 0; Depth != Deepest; ++Depth) {
    const MDNode *Field = nullptr;
    uint64_t Begin = 0;
    for (unsigned I = 1; I + 1 < Struct->getNumOperands(); I += 2) {
      const auto *At =
          mdconst::dyn_extract<ConstantInt>(Struct->getOperand(I + 1));
      if (!At || At->getZExtValue() > Offset)
        break;
      Field = dyn_cast<MDNode>(Struct->getOperand(I));
      Begin = At->getZExtValue();
    }
    if (!Field || Field->getNumOperands() < 3)
      return std::nullopt;
    if (Field == Accessed)
      return Offset;
    Struct = Field;
    Offset -= Begin;
  }
  return std::nullopt;
}

static std::optional<uint64_t>
innermost(const StructType *Struct, uint64_t Offset, const DataLayout &DL) {
  for (;;) {
    const StructLayout *Layout =
        DL.getStructLayout(const_cast<StructType *>(Struct));
    if (Offset >= Layout->getSizeInBytes())
      return std::nullopt;
    const unsigned Index = Layout->getElementContainingOffset(Offset);
    const Type *Element = Struct->getElementType(Index);
    if (Element->isPointerTy())
      return Offset;
    Struct = dyn_cast<StructType>(Element);
    if (!Struct)
      return std::nullopt;
    Offset -= Layout->getElementOffset(Index);
  }
}

/// The member of a struct that an access of the front end's names, by its
/// distance from the struct's beginning: by its tag, or by the type of its
/// address.
static std::optional<uint64_t> memberOf(const Instruction &Access) {
  const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa);
  if (Tag && namesNoStruct(*Tag))
    Tag = nullptr;
  const auto *Struct = Tag && Tag->getNumOperands() >= 3
                           ? dyn_cast<MDNode>(Tag->getOperand(0))
                           : nullptr;
  if (Struct && Struct != Tag->getOperand(1))
    if (const auto *Offset =
            mdconst::dyn_extract<ConstantInt>(Tag->getOperand(2)))
      return innermost(Struct, Offset->getZExtValue(),
                       dyn_cast<MDNode>(Tag->getOperand(1)));
  const auto *P =
      dyn_cast_or_null<GEPOperator>(getLoadStorePointerOperand(&Access));
  const auto *T = P ? dyn_cast<StructType>(P->getSourceElementType()) : nullptr;
  const auto *First =
      T ? dyn_cast<ConstantInt>(P->idx_begin()->get()) : nullptr;
  const DataLayout &DL = Access.getDataLayout();
  APInt Offset(
      DL.getIndexTypeSizeInBits(PointerType::get(Access.getContext(), 0)), 0);
  if (Tag || !First || !First->isZero() ||
      !P->accumulateConstantOffset(DL, Offset))
    return std::nullopt;
  return innermost(T, Offset.getZExtValue(), DL);
}

/// Where a function's address stands.
struct AddressUses {
  bool InVirtualTables = false;
  bool Elsewhere = false;
  /// In members of structs, by initialisers and stores: its distances from the
  /// beginning of the innermost.
  SmallSetVector<uint64_t, 4> Members;
};

/// Adds the places of F in the constant C, which stands At bytes behind the
/// beginning of a struct. False where one of them is in no struct.
static bool addMembers(const Constant &C, const Function &F,
                       const DataLayout &DL, std::optional<uint64_t> At,
                       SmallSetVector<uint64_t, 4> &Members) {
  if (C.stripPointerCastsAndAliases() == &F) {
    if (At)
      Members.insert(*At);
    return At.has_value();
  }
  auto *T = dyn_cast<StructType>(C.getType());
  if (!T && !isa<ArrayType>(C.getType()))
    return !isa<ConstantExpr>(C) || !is_contained(C.operands(), &F);
  if (isa<ConstantData>(C))
    return true;
  for (const auto &[I, Element] : enumerate(C.operands())) {
    std::optional<uint64_t> There;
    if (T)
      There = DL.getStructLayout(T)->getElementOffset(I);
    if (!addMembers(*cast<Constant>(Element), F, DL, There, Members))
      return false;
  }
  return true;
}

/// How C, which names the function F, is used as a value.
static void findUses(const Constant &C, const Function &F, const Catalogue &Cat,
                     AddressUses &Found) {
  for (const Use &U : C.uses()) {
    const User *By = U.getUser();
    if (const auto *I = dyn_cast<Instruction>(By);
        I && I->getFunction()->hasFnAttribute(OfRuntime))
      continue;
    if (const auto *Call = dyn_cast<CallBase>(By)) {
      // The function that an entry call differentiates is not called by
      // address; the destructor of what is thrown is called by the C++ runtime.
      if (!Call->isCallee(&U) && !isCalledByName(U) &&
          functionOperandOf(const_cast<CallBase &>(*Call)) != &U &&
          Cat.lookup(*Call) != Cat.byId("exception_throw"))
        Found.Elsewhere = true;
    } else if (const auto *G = dyn_cast<GlobalVariable>(By)) {
      if (G->getName().starts_with("llvm."))
        continue; // lists of LLVM's own: what is used, what is annotated
      if (isVirtualTable(*G))
        Found.InVirtualTables = true;
      else if (!addMembers(*G->getInitializer(), F, F.getDataLayout(),
                           std::nullopt, Found.Members))
        Found.Elsewhere = true;
    } else if (isa<Function>(By) || isa<BlockAddress>(By)) {
      continue; // a personality; a label
    } else if (const auto *I = dyn_cast<Instruction>(By)) {
      // A dispatcher that was written before, or what it was inlined into,
      // compares with its candidates: that makes no virtual function one that
      // may be called at another place.
      const Function &In = *I->getFunction();
      std::optional<uint64_t> At;
      if (isa<StoreInst>(I) && U.getOperandNo() == 0)
        At = memberOf(*I);
      if (At)
        Found.Members.insert(*At);
      else if (!isa<ICmpInst>(I) || !In.hasLocalLinkage() ||
               !In.getName().starts_with("rg."))
        Found.Elsewhere = true;
    } else if (const auto *Of = dyn_cast<Constant>(By)) {
      findUses(*Of, F, Cat, Found);
    }
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// What of a call's attributes says how arguments are passed.
static AttributeList passing(const CallBase &Call) {
  LLVMContext &Ctx = Call.getContext();
  auto Pick = [&](AttributeSet Set) {
    AttrBuilder B(Ctx);
    for (Attribute::AttrKind K :
         {Attribute::ByVal, Attribute::StructRet, Attribute::InReg,
          Attribute::ZExt, Attribute::SExt, Attribute::Nest,
          Attribute::Alignment})
      if (Set.hasAttribute(K) &&
          (K != Attribute::Alignment || Set.hasAttribute(Attribute::ByVal)))
        B.addAttribute(Set.getAttribute(K));
    return AttributeSet::get(Ctx, B);
  };
  AttributeList All = Call.getAttributes();
  SmallVector<AttributeSet, 8> Params;
  for (unsigned I = 0; I != Call.arg_size(); ++I)
    Params.push_back(Pick(All.getParamAttrs(I)));
  return AttributeList::get(Ctx, AttributeSet(), Pick(All.getRetAttrs()),
                            Params);
}

/// An address that was loaded from a fixed place behind a pointer that was
/// itself loaded: perhaps a virtual call, and the place in the table.
static std::optional<int64_t> slotOf(const CallBase &Call) {
  const auto *Loaded = dyn_cast<LoadInst>(Call.getCalledOperand());
  if (!Loaded)
    return std::nullopt;
  const DataLayout &DL = Call.getDataLayout();
  const Value *P = Loaded->getPointerOperand();
  APInt Offset(DL.getIndexTypeSizeInBits(P->getType()), 0);
  if (!isa<LoadInst>(P->stripAndAccumulateConstantOffsets(DL, Offset, true)))
    return std::nullopt;
  return Offset.getSExtValue();
}

/// The virtual function behind the destructors of the std::exception that a
/// handler has caught: what(), whose text has no derivative.
static bool asksException(const CallBase &Call) {
  const DataLayout &DL = Call.getDataLayout();
  if (slotOf(Call) != 2 * int64_t(DL.getPointerSize()) ||
      Call.arg_size() != 1 || !Call.getType()->isPointerTy())
    return false;
  const auto *Table = dyn_cast<LoadInst>(getUnderlyingObject(
      cast<LoadInst>(Call.getCalledOperand())->getPointerOperand(),
      /*MaxLookup=*/0));
  if (!Table || Table->getPointerOperand()->stripPointerCasts() !=
                    Call.getArgOperand(0)->stripPointerCasts())
    return false;
  // As LowerExceptions writes it: what the runtime has found, by one or another
  // name.
  SmallVector<const Value *, 4> Work{Call.getArgOperand(0)};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val()->stripPointerCasts();
    if (const auto *S = dyn_cast<SelectInst>(V)) {
      Work.append({S->getTrueValue(), S->getFalseValue()});
      continue;
    }
    if (const auto *C = dyn_cast<CallBase>(V);
        C && C->hasFnAttr(StandardException))
      return true;
  }
  return false;
}

/// All units of M say what the flag Name stands for.
static bool isSet(const Module &M, StringRef Name) {
  const auto *Known =
      mdconst::extract_or_null<ConstantInt>(M.getModuleFlag(Name));
  return Known && Known->isOne();
}

/// Where the address that Call calls is a member of a struct: its distance from
/// the beginning, if for all code of the module it is known which members' own
/// addresses are taken or kept elsewhere. Functions that only stand in other
/// members have to stand there in one.
std::optional<uint64_t> CallDispatch::memberCalled(const CallBase &Call) const {
  const auto *Loaded = dyn_cast<LoadInst>(Call.getCalledOperand());
  return Loaded && isSet(M, MembersAreKnown) ? memberOf(*Loaded) : std::nullopt;
}

static bool isByAddress(const CallBase &Call) {
  return !Call.isInlineAsm() && !Call.hasOperandBundles() &&
         !Call.getFunctionType()->isVarArg() &&
         !isa<Function>(
             Call.getCalledOperand()->stripPointerCastsAndAliases()) &&
         !isa<CallBrInst>(Call);
}

/// Lets Call call Callee with Args: another function, as other operands.
static void replaceCall(CallBase &Call, FunctionCallee Callee,
                        ArrayRef<Value *> Args, AttributeList Attributes,
                        CallingConv::ID Convention) {
  IRBuilder<> B(&Call);
  CallBase *New;
  if (auto *Inv = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(Callee, Inv->getNormalDest(), Inv->getUnwindDest(),
                         Args);
  else
    New = B.CreateCall(Callee, Args);
  New->setAttributes(Attributes);
  New->setCallingConv(Convention);
  if (Call.doesNotThrow())
    New->setDoesNotThrow();
  New->takeName(&Call);
  if (isa<FPMathOperator>(New))
    New->copyFastMathFlags(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

/// A call of F goes to one of some functions that a dispatcher knows.
static bool callsCandidates(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->hasFnAttribute(DispatchesCalls) &&
           Callee->getFnAttribute(DispatchesCalls).getValueAsString() != "0";
  });
}

/// Calls through pointers to members lose what no such pointer has.
bool CallDispatch::settleMembers(Function &F) {
  SmallVector<CallBase *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && isByAddress(*Call) && mayBeThroughMember(*Call))
      Calls.push_back(Call);
  bool Adjusted = false, Virtual = false;
  const bool AreAddresses = isSet(M, MemberPointersAreAddresses);
  for (CallBase *Call : Calls) {
    const CandidateSet &Set = candidates({nullptr,
                                          Call->getFunctionType(),
                                          AttributeList(),
                                          Call->getCallingConv(),
                                          std::nullopt,
                                          std::nullopt,
                                          {},
                                          Epoch,
                                          false,
                                          false});
    // What nobody in the module makes a pointer to comes from elsewhere.
    if (Set.Found.empty() || (Set.Virtual && !AreAddresses))
      continue;
    if (!haveAdjustments(Set.Found))
      Adjusted |= dropAdjustment(*Call, Runtime);
    if (dropVirtualMember(*Call, Runtime)) {
      Call->addFnAttr(Attribute::get(Call->getContext(), CallsByAddress));
      Virtual = true;
    }
  }
  if (Virtual)
    removeUnreachableBlocks(F);
  return Adjusted || Virtual;
}

bool CallDispatch::dispatchCalls(Function &F) {
  if (F.hasFnAttribute(UnseenCallee))
    return false;
  // The next round finds calls whose object and address have become simple.
  if (settleMembers(F))
    return true;
  auto Returning = blocksThatReturn(F);
  SmallVector<CallBase *, 4> Calls;
  for (BasicBlock &BB : F)
    if (Returning.contains(&BB))
      for (Instruction &I : BB)
        if (auto *Call = dyn_cast<CallBase>(&I); Call && isByAddress(*Call))
          Calls.push_back(Call);
  SmallVector<CallBase *, 4> Left;
  auto Dispatch = [&](CallBase *Call, bool Beside) {
    Dispatcher *D = dispatcherFor(*Call, Beside);
    if (!D)
      return false;
    SmallVector<Value *, 8> Args(Call->args());
    Args.push_back(Call->getCalledOperand());
    replaceCall(*Call, D->F, Args, AttributeList(), CallingConv::C);
    return true;
  };
  for (CallBase *Call : Calls)
    if (!Dispatch(Call, /*Beside=*/false))
      Left.push_back(Call);
  bool Changed = Left.size() != Calls.size();
  // An interpreter calls what a node holds by one prototype for each kind of
  // node; the program need not have functions of each.
  if (!Left.empty() && callsCandidates(F))
    for (CallBase *Call : Left)
      Changed |= Dispatch(Call, /*Beside=*/true);
  return Changed;
}

void CallDispatch::resolveKnown(Function &F) {
  for (const Dispatcher &D : Dispatchers)
    for (User *U : make_early_inc_range(D.F->users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getFunction() != &F ||
          Call->getCalledFunction() != D.F)
        continue;
      auto *Known = dyn_cast<Function>(Call->getArgOperand(Call->arg_size() - 1)
                                           ->stripPointerCastsAndAliases());
      if (!Known || Known->getFunctionType() != D.Type)
        continue;
      SmallVector<Value *, 8> Args(drop_end(Call->args()));
      replaceCall(*Call, Known, Args, D.PassedAs, D.Convention);
    }
}

/// A small function that may do different things for different integers.
static bool chooses(const Function &F) {
  constexpr unsigned Small = 300;
  return !F.isDeclaration() && F.getInstructionCount() <= Small &&
         any_of(instructions(F),
                [](const Instruction &I) { return isa<SwitchInst>(I); });
}

Function *CallDispatch::specialise(const Dispatcher &D, Function &Callee) {
  if (none_of(D.Fixed, [](const ConstantInt *C) { return C; }) ||
      !chooses(Callee))
    return &Callee;
  std::string Name = (Callee.getName() + ".rg.fixed").str();
  for (const auto &[I, C] : enumerate(D.Fixed))
    if (C)
      Name += "." + std::to_string(I) + "." + toString(C->getValue(), 10, true);
  if (Function *Made = M.getFunction(Name))
    return Made;
  ValueToValueMapTy Map;
  Function *F = CloneFunction(&Callee, Map);
  F->setName(Name);
  F->setLinkage(GlobalValue::InternalLinkage);
  F->setVisibility(GlobalValue::DefaultVisibility);
  F->setDSOLocal(true);
  F->setComdat(nullptr);
  F->addFnAttr(FixedArguments);
  for (const auto &[I, C] : enumerate(D.Fixed))
    if (C)
      F->getArg(I)->replaceAllUsesWith(C);
  return F;
}

/// Floating-point numbers are computed or moved in F or what it calls, as far
/// as a look at a few thousand instructions tells.
static bool handlesFloats(const Function &F) {
  SmallVector<const Function *, 8> Work{&F};
  SmallPtrSet<const Function *, 8> Seen{&F};
  unsigned Budget = 4000;
  auto IsFloat = [](const Type *T) { return T->isFPOrFPVectorTy(); };
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val())) {
      if (!Budget-- || IsFloat(I.getType()) ||
          any_of(I.operands(),
                 [&](const Value *V) { return IsFloat(V->getType()); }))
        return true;
      if (const auto *Call = dyn_cast<CallBase>(&I))
        if (const Function *Callee = Call->getCalledFunction();
            Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
          Work.push_back(Callee);
    }
  return false;
}

static bool handlesFloatsIfSeen(const Function *F) {
  return !F->isDeclaration() && handlesFloats(*F);
}

static bool takesFloats(const FunctionType &T) {
  return T.getReturnType()->isFPOrFPVectorTy() ||
         any_of(T.params(),
                [](const Type *P) { return P->isFPOrFPVectorTy(); });
}

/// `if (hook) hook(x)`: made only where the address is not null. The test may
/// stand far in front of the call: it leaves loops in which it is the same.
static bool isOptional(const CallBase &Call) {
  const Value *Address = Call.getCalledOperand();
  if (isa<Constant>(Address))
    return false;
  DominatorTree DT(const_cast<Function &>(*Call.getFunction()));
  for (const User *U : Address->users()) {
    const auto *Test = dyn_cast<ICmpInst>(U);
    if (!Test || !Test->isEquality() || Test->getOperand(0) != Address ||
        !isa<ConstantPointerNull>(Test->getOperand(1)))
      continue;
    const bool WhenTrue = Test->getPredicate() == CmpInst::ICMP_NE;
    for (const User *Asks : Test->users())
      if (const auto *Branch = dyn_cast<BranchInst>(Asks);
          Branch &&
          DT.dominates(BasicBlockEdge(Branch->getParent(),
                                      Branch->getSuccessor(WhenTrue ? 0 : 1)),
                       Call.getParent()))
        return true;
  }
  return false;
}

bool CallDispatch::isVirtual(const Dispatcher &D) {
  return D.Slot && !D.Member && !D.ByRuntime && !D.DropsObject && !D.ByAddress;
}

CallDispatch::Dispatcher *CallDispatch::dispatcherFor(CallBase &Call,
                                                      bool Beside) {
  Dispatcher Wanted{nullptr,
                    Call.getFunctionType(),
                    passing(Call),
                    Call.getCallingConv(),
                    slotOf(Call),
                    memberCalled(Call),
                    {},
                    Epoch,
                    Call.hasFnAttr(OfRuntime),
                    Call.hasFnAttr(DropsObject),
                    Call.hasFnAttr(CallsByAddress),
                    asksException(Call)};
  // What stands at other members is left out. Where nothing in the module is
  // put at this one, the program ends if it is called.
  SmallVector<Function *, 8> OfType;
  if (Wanted.Member) {
    Dispatcher Anywhere = Wanted;
    Anywhere.Member.reset();
    OfType = candidates(Anywhere).Found;
  }
  const CandidateSet &Set = candidates(Wanted);
  bool LeftOut = any_of(OfType, [&](const Function *F) {
    return handlesFloatsIfSeen(F) && !is_contained(Set.Found, F);
  });
  for (Value *Argument : Call.args())
    Wanted.Fixed.push_back(Set.Choosing ? dyn_cast<ConstantInt>(Argument)
                                        : nullptr);
  // A hook may be told numbers. Who returns one is asked for it. Of a class
  // without objects it is asked later whether somebody else can have made one.
  if (!Set.Seen && !LeftOut && !Beside && !Wanted.DropsObject &&
      !isVirtual(Wanted) &&
      (Wanted.Type->getReturnType()->isFPOrFPVectorTy() || !isOptional(Call)))
    return nullptr;
  for (Dispatcher &D : Dispatchers)
    if (D.Type == Wanted.Type && D.PassedAs == Wanted.PassedAs &&
        D.Convention == Wanted.Convention && D.Slot == Wanted.Slot &&
        D.Member == Wanted.Member && D.Fixed == Wanted.Fixed &&
        D.Epoch == Epoch && D.ByRuntime == Wanted.ByRuntime &&
        D.DropsObject == Wanted.DropsObject &&
        D.ByAddress == Wanted.ByAddress &&
        D.AsksException == Wanted.AsksException)
      return &D;
  SmallVector<Function *, 8> Found = Set.Found;
  // The same place of other tables has functions of classes that are none.
  if (Wanted.AsksException)
    erase_if(Found, [](const Function *F) {
      return !F->getName().ends_with("4whatEv");
    });
  auto IsKept = [&](const Function *F) { return Only->contains(F); };
  // If it refers to none of them, what is called comes from outside: to any.
  if (Only && any_of(Found, IsKept)) {
    LeftOut |= any_of(Found, handlesFloatsIfSeen);
    erase_if(Found, std::not_fn(IsKept));
  }
  SmallVector<Type *, 8> Params(Wanted.Type->params());
  Params.push_back(PointerType::get(M.getContext(), 0));
  Wanted.F = Function::Create(
      FunctionType::get(Wanted.Type->getReturnType(), Params, false),
      GlobalValue::InternalLinkage, "rg.dispatch." + Twine(Dispatchers.size()),
      M);
  for (StringRef Kept :
       {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
    if (Attribute A = Call.getFunction()->getFnAttribute(Kept); A.isValid())
      Wanted.F->addFnAttr(A);
  Wanted.F->addFnAttr(
      DispatchesCalls,
      std::to_string(Found.size() + Wanted.DropsObject + Wanted.AsksException));
  writeBody(Wanted, Found, LeftOut, Call);
  Dispatchers.push_back(Wanted);
  return &Dispatchers.back();
}

const CallDispatch::CandidateSet &
CallDispatch::candidates(const Dispatcher &D) {
  auto *Known = find_if(Sets, [&](const CandidateSet &S) {
    return S.Type == D.Type && S.Convention == D.Convention &&
           S.Slot == D.Slot && S.Member == D.Member &&
           S.ByAddress == D.ByAddress;
  });
  // Where there are none, preparation may still write some.
  if (Known != Sets.end() && !Known->Found.empty())
    return *Known;
  if (Known == Sets.end()) {
    Sets.push_back({D.Type,
                    D.Convention,
                    D.Slot,
                    D.Member,
                    D.ByAddress,
                    {},
                    false,
                    false,
                    false});
    Known = &Sets.back();
  }
  findCandidates(D, *Known);
  if (!OfMethods)
    OfMethods = usedByMethodsOnly(M);
  auto IsOfMethods = [&](const Function *F) { return OfMethods->contains(F); };
  if (!all_of(Known->Found, IsOfMethods))
    erase_if(Known->Found, IsOfMethods);
  Known->Choosing =
      any_of(Known->Found, [](const Function *F) { return chooses(*F); });
  Known->Seen = any_of(Known->Found, [&](const Function *F) {
    return !F->isDeclaration() || Cat.lookupFunction(*F);
  });
  return *Known;
}

void CallDispatch::findCandidates(const Dispatcher &D,
                                  CandidateSet &Set) const {
  SmallDenseSet<uint64_t, 8> Moved;
  auto AddMoved = [&](StringRef Name) {
    if (const NamedMDNode *Node = M.getNamedMetadata(Name))
      for (const MDNode *Offset : Node->operands())
        Moved.insert(mdconst::extract<ConstantInt>(Offset->getOperand(0))
                         ->getZExtValue());
  };
  AddMoved(MovedMembers);
  if (M.getNamedMetadata(FunctionsAsData))
    AddMoved(MovedDataMembers);
  auto IsCalledAt = [&](const AddressUses &Uses) {
    return any_of(Uses.Members, [&](uint64_t At) {
      return !D.Member || At == *D.Member || Moved.contains(At);
    });
  };
  SmallPtrSet<const Function *, 16> AtSlot;
  if (D.Slot)
    for (const GlobalVariable &G : M.globals())
      if (isVirtualTable(G))
        addVirtualFunctions(G, *D.Slot, AtSlot);
  for (Function &F : M) {
    // Nobody calls an internal procedure by its own address.
    if (closureParameter(F)) {
      if (!F.isDeclaration() && isInternalOfType(F, *D.Type) &&
          hasTrampoline(F))
        Set.Found.push_back(&F);
      continue;
    }
    if (F.getFunctionType() != D.Type || F.getCallingConv() != D.Convention ||
        F.isIntrinsic() || F.hasFnAttribute(Attribute::Naked) ||
        F.hasFnAttribute(DispatchesCalls) || F.hasFnAttribute(UnseenCallee) ||
        F.hasFnAttribute(FixedArguments) || F.hasFnAttribute(HandedToRuntime) ||
        isEntryPoint(F))
      continue;
    AddressUses Uses;
    findUses(F, F, Cat, Uses);
    Set.Virtual |= Uses.InVirtualTables;
    if (Uses.Elsewhere ||
        (Uses.InVirtualTables && !D.ByAddress &&
         (!D.Slot || AtSlot.contains(&F))) ||
        IsCalledAt(Uses))
      Set.Found.push_back(&F);
  }
}

//===----------------------------------------------------------------------===//
// Dispatchers
//===----------------------------------------------------------------------===//

Value *CallDispatch::callFrom(IRBuilderBase &B, const Dispatcher &D,
                              Value *Callee, Function &In) const {
  SmallVector<Value *, 8> Args;
  for (unsigned I = 0; I != D.Type->getNumParams(); ++I)
    Args.push_back(D.Fixed[I] ? (Value *)D.Fixed[I] : In.getArg(I));
  auto *Call = B.CreateCall(D.Type, Callee, Args);
  Call->setAttributes(D.PassedAs);
  Call->setCallingConv(D.Convention);
  return Call;
}

static void returnValue(IRBuilderBase &B, Value *V) {
  if (V->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(V);
}

/// A function of its own around a call that cannot be differentiated: of
/// Callee, or of an address (null: it is then the last parameter).
Function *CallDispatch::makeUnseen(const Dispatcher &D, Function *Callee) {
  Function *F = Function::Create(
      Callee ? D.Type : D.F->getFunctionType(), GlobalValue::InternalLinkage,
      Callee ? "rg.unseen." + Callee->getName() : Twine("rg.unseen."), M);
  AttributeList Target = D.F->getAttributes();
  for (Attribute A : Target.getFnAttrs())
    if (A.isStringAttribute() && A.getKindAsString() != DispatchesCalls)
      F->addFnAttr(A);
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(UnseenCallee);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", F));
  Value *Address = Callee ? (Value *)Callee : F->getArg(F->arg_size() - 1);
  returnValue(B, callFrom(B, D, Address, *F));
  return F;
}

void CallDispatch::writeBody(Dispatcher &D, ArrayRef<Function *> Candidates,
                             bool LeftOut, const CallBase &First) {
  Function &F = *D.F;
  LLVMContext &Ctx = M.getContext();
  Argument *Address = F.getArg(F.arg_size() - 1);
  Address->setName("callee");
  const bool Absent = Candidates.empty() && isVirtual(D) && !LeftOut;
  bool Floats = !Absent && (LeftOut || D.ByRuntime || D.DropsObject ||
                            takesFloats(*D.Type));
  IRBuilder<> B(BasicBlock::Create(Ctx, "", &F));
  auto Choose = [&](Value *Called, Function *Candidate, auto WriteCall) {
    auto *Taken = BasicBlock::Create(Ctx, "", &F),
         *Next = BasicBlock::Create(Ctx, "", &F);
    B.CreateCondBr(B.CreateICmpEQ(Called, Candidate), Taken, Next);
    B.SetInsertPoint(Taken);
    returnValue(B, WriteCall());
    B.SetInsertPoint(Next);
    Floats |= handlesFloatsIfSeen(Candidate);
  };
  for (Function *Candidate : Candidates) {
    if (closureParameter(*Candidate))
      continue;
    bool Seen = !Candidate->isDeclaration() || Cat.lookupFunction(*Candidate);
    Choose(Address, Candidate, [&] {
      return callFrom(
          B, D, Seen ? specialise(D, *Candidate) : makeUnseen(D, Candidate), F);
    });
  }
  // What is no function's address may be a trampoline's.
  Value *Procedure = nullptr;
  for (Function *Candidate : Candidates) {
    if (!closureParameter(*Candidate))
      continue;
    if (!Procedure) {
      F.addFnAttr(ReadsTrampolines);
      Procedure = procedureOf(B, Address);
    }
    Choose(Procedure, Candidate, [&] {
      return callThrough(
          B, Address, *Candidate,
          SmallVector<Value *, 8>(make_pointer_range(drop_end(F.args()))));
    });
  }
  if (D.AsksException)
    return returnValue(B, B.CreateCall(Runtime.require("rg_exception_text"),
                                       {F.getArg(0), Address}));
  if (!Floats) {
    Function *Unseen = makeUnseen(D, nullptr);
    SmallVector<Value *, 8> Args;
    for (Argument &A : F.args())
      Args.push_back(&A);
    return returnValue(B, B.CreateCall(Unseen, Args));
  }
  SourcePlace Place(First);
  std::string Where = "'" + Place.Function + "'";
  if (std::string Line = Place.str(); !Line.empty())
    Where += " (" + Line + ")";
  B.CreateCall(Runtime.require("rg_unknown_callee"),
               {Address, B.CreateGlobalString(Where)})
      ->addFnAttr(Attribute::get(Ctx, UnseenCallee));
  B.CreateUnreachable();
}

bool CallDispatch::isHarmless(const Function &Callee) const {
  return all_of(instructions(Callee), [&](const Instruction &I) {
    // No loads: side by side in one function, those of different candidates
    // would read an object as several classes, and LLVM merges such loads over
    // types.
    if (const auto *Call = dyn_cast<CallBase>(&I)) {
      const OperationRecord *R = Cat.lookup(*Call);
      return isa<CallInst>(Call) && R &&
             (R->Class == RuleClass::Formula ||
              R->Handler == HandlerKind::Ignore);
    }
    // Bits of floats as integers are not always understood.
    if (isa<CastInst>(I))
      return !isa<BitCastInst, IntToPtrInst, PtrToIntInst>(I);
    return isa<PHINode, SelectInst, GetElementPtrInst, CmpInst, ReturnInst,
               BranchInst>(I) ||
           I.isBinaryOp() || I.isUnaryOp();
  });
}

bool CallDispatch::isClosed(const Function &Dispatcher) const {
  auto Returning = blocksThatReturn(Dispatcher);
  return all_of(Dispatcher, [&](const BasicBlock &BB) {
    return !Returning.contains(&BB) || all_of(BB, [&](const Instruction &I) {
      return !isa<CallBase>(I) || Cat.lookup(I);
    });
  });
}

void CallDispatch::narrow(
    std::optional<SmallPtrSet<const Function *, 32>> Among) {
  Only = std::move(Among);
  Sets.clear();
  ++Epoch;
}

bool CallDispatch::hasOthersThan(
    const SmallPtrSetImpl<const Function *> &Among) {
  return any_of(Dispatchers, [&](const Dispatcher &D) {
    if (D.Epoch != Epoch)
      return false;
    ArrayRef<Function *> Found = candidates(D).Found;
    size_t Kept =
        count_if(Found, [&](const Function *F) { return Among.contains(F); });
    return Kept && Kept != Found.size();
  });
}

void CallDispatch::finish() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Function &F : make_early_inc_range(M))
      if ((F.hasFnAttribute(DispatchesCalls) ||
           F.hasFnAttribute(UnseenCallee) ||
           F.hasFnAttribute(FixedArguments)) &&
          F.use_empty()) {
        F.eraseFromParent();
        Changed = true;
      }
  }
  Dispatchers.clear();
  Sets.clear();
}
