//===- OpenMPRegions.cpp - parallel regions and what runs in them ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OpenMPForm.h"
#include "Support/ArtificialSubprogram.h"
#include "Support/CallBinding.h"
#include "Support/TeamMarks.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// The type of the numbers that accesses to a variable take it for, if they are
/// of one floating-point type; null if not.
Type *numberBehind(const Value *P, bool OfLoads) {
  const auto *A = dyn_cast<AllocaInst>(P);
  if (!A)
    return nullptr;
  for (const User *U : A->users()) {
    Type *T = nullptr;
    if (const auto *L = dyn_cast<LoadInst>(U); L && OfLoads)
      T = L->getType();
    else if (const auto *S = dyn_cast<StoreInst>(U);
             S && !OfLoads && S->getPointerOperand() == A)
      T = S->getValueOperand()->getType();
    if (T && (T->isDoubleTy() || T->isFloatTy()))
      return T;
  }
  return nullptr;
}

/// The type of the number that a store of an integer puts down, by TBAA.
Type *numberStored(const StoreInst &S) {
  const MDNode *Tag = S.getMetadata(LLVMContext::MD_tbaa);
  const auto *Access = Tag && Tag->getNumOperands() > 1
                           ? dyn_cast<MDNode>(Tag->getOperand(1))
                           : nullptr;
  const auto *Name = Access && Access->getNumOperands()
                         ? dyn_cast<MDString>(Access->getOperand(0))
                         : nullptr;
  if (Name && Name->getString() == "double")
    return Type::getDoubleTy(S.getContext());
  return Name && Name->getString() == "float" ? Type::getFloatTy(S.getContext())
                                              : nullptr;
}

/// Numbers reach a region by value in the bits of an integer. The type of the
/// one that comes in parameter A, for which V is passed; null if it is none.
Type *numberIn(const Argument &A, const Value *V) {
  if (!A.getType()->isIntegerTy(64))
    return nullptr;
  auto IsNumber = [](Type *T) { return T->isDoubleTy() || T->isFloatTy(); };
  for (const User *U : A.users()) {
    if (isa<BitCastInst>(U) && U->getType()->isDoubleTy())
      return U->getType();
    if (isa<TruncInst>(U) && U->getType()->isIntegerTy(32))
      for (const User *W : U->users()) {
        if (isa<BitCastInst>(W) && W->getType()->isFloatTy())
          return W->getType();
        if (const auto *S = dyn_cast<StoreInst>(W))
          if (Type *T = numberStored(*S))
            return T;
      }
    if (const auto *S = dyn_cast<StoreInst>(U);
        S && S->getValueOperand() == &A) {
      if (Type *T = numberBehind(S->getPointerOperand(), /*OfLoads=*/true))
        return T;
      if (Type *T = numberStored(*S))
        return T;
    }
  }
  if (const auto *Z = dyn_cast<ZExtInst>(V))
    V = Z->getOperand(0);
  if (const auto *C = dyn_cast<BitCastInst>(V); C && IsNumber(C->getSrcTy()))
    return C->getSrcTy();
  if (const auto *L = dyn_cast<LoadInst>(V))
    return numberBehind(L->getPointerOperand(), /*OfLoads=*/false);
  return nullptr;
}

/// What a function does with memory that it is given the address of.
struct Accesses {
  bool Escapes = false; ///< somebody else may get the address, or writes
  bool Writes = false;
  Type *Read = nullptr; ///< the type of all loads
  const LoadInst *Load = nullptr;
};

/// The function that a call of libomp or of the program hands operand `At` to,
/// as which parameter; null if it is none of a region's.
const Argument *regionParameter(const CallBase &Call, unsigned At) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return nullptr;
  bool Forks = Callee->getName() == "__kmpc_fork_call";
  if (Forks && At >= 3)
    if (const auto *Region =
            dyn_cast<Function>(Call.getArgOperand(2)->stripPointerCasts());
        Region && !Region->isDeclaration() && At - 1 < Region->arg_size())
      return Region->getArg(At - 1);
  if (!Forks && !Callee->isDeclaration() && At < Callee->arg_size() &&
      Callee->hasLocalLinkage())
    return Callee->getArg(At);
  return nullptr;
}

/// What happens through pointer P, of which it is known that it is the start of
/// a variable. Unoptimised code keeps parameters in variables of their own.
void follow(const Value *P, Accesses &Found, unsigned Depth = 0) {
  if (Depth > 4) {
    Found.Escapes = true;
    return;
  }
  for (const llvm::Use &Place : P->uses()) {
    const User *U = Place.getUser();
    if (const auto *L = dyn_cast<LoadInst>(U)) {
      if (!L->isSimple() || (Found.Read && Found.Read != L->getType()))
        Found.Escapes = true;
      Found.Read = L->getType();
      Found.Load = L;
      continue;
    }
    if (const auto *S = dyn_cast<StoreInst>(U)) {
      if (S->getPointerOperand() == P && S->getValueOperand() != P) {
        Found.Writes = true;
        continue;
      }
      const auto *Home = dyn_cast<AllocaInst>(S->getPointerOperand());
      if (!Home || S->isVolatile() ||
          !all_of(Home->users(), [&](const User *W) {
            return W == S || isa<LoadInst>(W) ||
                   cast<Instruction>(W)->isLifetimeStartOrEnd();
          })) {
        Found.Escapes = true;
        continue;
      }
      for (const User *W : Home->users())
        if (isa<LoadInst>(W))
          follow(W, Found, Depth + 1);
      continue;
    }
    const auto *I = dyn_cast<Instruction>(U);
    if (I && (I->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I)))
      continue;
    const auto *Call = dyn_cast<CallBase>(U);
    if (const Argument *To =
            Call && Call->isArgOperand(&Place)
                ? regionParameter(*Call, Call->getArgOperandNo(&Place))
                : nullptr)
      follow(To, Found, Depth + 1);
    else
      Found.Escapes = true;
  }
}

/// V is a variable of the caller that nobody can reach but by loads and stores
/// here, and by regions that it is handed to. If region parameter A only reads
/// it, it may as well be handed over by value: what is read, else null.
const LoadInst *readByValue(const Argument &A, const Value *V) {
  const auto *Variable = dyn_cast<AllocaInst>(V);
  if (!Variable || !A.getType()->isPointerTy())
    return nullptr;
  Accesses There;
  follow(&A, There);
  if (There.Escapes || There.Writes || !There.Read ||
      !There.Read->isSingleValueType() || There.Read->isVectorTy())
    return nullptr;
  const DataLayout &DL = Variable->getDataLayout();
  auto Size = Variable->getAllocationSize(DL);
  if (!Size || *Size != DL.getTypeStoreSize(There.Read))
    return nullptr;
  for (const llvm::Use &Place : Variable->uses()) {
    const auto *I = cast<Instruction>(Place.getUser());
    if (isa<LoadInst>(I) || I->isLifetimeStartOrEnd())
      continue;
    if (const auto *S = dyn_cast<StoreInst>(I);
        S && S->getValueOperand() != Variable)
      continue;
    const auto *Call = dyn_cast<CallBase>(I);
    const Argument *To =
        Call && Call->isArgOperand(&Place)
            ? regionParameter(*Call, Call->getArgOperandNo(&Place))
            : nullptr;
    if (!To || (To != &A && To->getParent() == A.getParent()))
      return nullptr;
    Accesses Elsewhere;
    follow(To, Elsewhere);
    if (Elsewhere.Escapes && !To->hasNoCaptureAttr())
      return nullptr;
  }
  return There.Load;
}

/// V as type T, between a number and the integer that holds its bits.
Value *convert(IRBuilderBase &B, Value *V, Type *T) {
  Type *From = V->getType();
  if (From == T)
    return V;
  if (From->isFloatTy())
    return B.CreateZExt(B.CreateBitCast(V, B.getInt32Ty()), T);
  if (T->isFloatTy())
    return B.CreateBitCast(B.CreateTrunc(V, B.getInt32Ty()), T);
  return B.CreateBitCast(V, T);
}

} // namespace

Function *OpenMPForm::forkOf(Function &Region, const CallBase &Call,
                             unsigned FirstOperand) {
  FunctionType *T = Region.getFunctionType();
  Value *Location = Call.getArgOperand(0);
  if (T->isVarArg() || !isa<Constant>(Location) ||
      !T->getReturnType()->isVoidTy() ||
      T->getNumParams() != Call.arg_size() - FirstOperand + 2)
    return nullptr;
  SmallVector<Type *, 8> Params{Type::getInt32Ty(M.getContext())};
  std::string Name = ("rg.fork." + Region.getName()).str();
  BitVector ByValue(1);
  for (Argument &A : drop_begin(Region.args(), 2)) {
    const Value *V = Call.getArgOperand(FirstOperand + A.getArgNo() - 2);
    if (V->getType() != A.getType())
      return nullptr;
    Type *Number = numberIn(A, V);
    const LoadInst *Read = Number ? nullptr : readByValue(A, V);
    Params.push_back(Number ? Number : Read ? Read->getType() : A.getType());
    ByValue.push_back(Read != nullptr);
    // Another call may hand over the variable itself. Regions have numbers
    // behind their names, so this is no number alone.
    if (Read)
      Name += ".v" + std::to_string(A.getArgNo());
  }
  if (Function *Known = M.getFunction(Name); Known && runsElsewhere(*Known))
    return Known;
  LLVMContext &Ctx = M.getContext();
  Function *Fork =
      Function::Create(FunctionType::get(T->getReturnType(), Params, false),
                       GlobalValue::InternalLinkage, Name, M);
  AttributeList Of = Region.getAttributes();
  for (Attribute A : Of.getFnAttrs())
    if (A.isStringAttribute() || A.hasAttribute(Attribute::UWTable) ||
        A.hasAttribute(Attribute::SanitizeThread) ||
        A.hasAttribute(Attribute::SanitizeAddress) ||
        A.hasAttribute(Attribute::SanitizeMemory))
      Fork->addFnAttr(A);
  // What the region promises of its operands holds for all threads together.
  for (unsigned I = 1; I != Params.size(); ++I)
    if (Params[I] == T->getParamType(I + 1) && !ByValue.test(I))
      Fork->addParamAttrs(I, AttrBuilder(Ctx, Of.getParamAttrs(I + 1)));
  bind(*Fork, CallBinding::Team);
  Fork->addFnAttr(Attribute::NoInline);
  Fork->setDoesNotThrow();

  // Its primal gets the lines of the region, below one of its own.
  DebugLoc Line;
  if (DISubprogram *Of = Region.getSubprogram()) {
    auto *SP = artificialSubprogram(*Of, Name);
    Fork->setSubprogram(SP);
    Line = DILocation::get(Ctx, Of->getLine(), 0, SP);
  }

  BasicBlock *Entry = BasicBlock::Create(Ctx, "", Fork);
  BasicBlock *Ask = BasicBlock::Create(Ctx, "ask", Fork);
  BasicBlock *Go = BasicBlock::Create(Ctx, "go", Fork);
  IRBuilder<> B(Entry);
  B.SetCurrentDebugLocation(Line);
  B.CreateCondBr(B.CreateICmpSGT(Fork->getArg(0), B.getInt32(0)), Ask, Go);
  B.SetInsertPoint(Ask);
  FunctionCallee Id = M.getOrInsertFunction("__kmpc_global_thread_num",
                                            B.getInt32Ty(), B.getPtrTy());
  FunctionCallee Push =
      M.getOrInsertFunction("__kmpc_push_num_threads", B.getVoidTy(),
                            B.getPtrTy(), B.getInt32Ty(), B.getInt32Ty());
  B.CreateCall(Push, {Location, B.CreateCall(Id, {Location}), Fork->getArg(0)});
  B.CreateBr(Go);
  B.SetInsertPoint(Go);
  FunctionCallee Runtime = M.getOrInsertFunction(
      "__kmpc_fork_call",
      FunctionType::get(B.getVoidTy(),
                        {B.getPtrTy(), B.getInt32Ty(), B.getPtrTy()}, true));
  SmallVector<Value *, 8> Args{Location, B.getInt32(Params.size() - 1),
                               &Region};
  for (Argument &A : drop_begin(Fork->args())) {
    if (!ByValue.test(A.getArgNo())) {
      Args.push_back(convert(B, &A, T->getParamType(A.getArgNo() + 1)));
      continue;
    }
    IRBuilder<> Top(Entry, Entry->begin());
    AllocaInst *Copy = Top.CreateAlloca(A.getType());
    B.CreateStore(&A, Copy);
    Args.push_back(Copy);
  }
  B.CreateCall(Runtime, Args);
  B.CreateRetVoid();
  Forks.push_back(Fork);
  return Fork;
}

/// Region is called by one thread that is told who it is.
void OpenMPForm::callRegion(CallBase &Call, Function &Region,
                            ArrayRef<Value *> Operands) {
  Function &F = *Call.getFunction();
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  IRBuilder<> B(&Call);
  Value *Id = Entry.CreateAlloca(B.getInt32Ty(), nullptr, "id");
  Value *Bound = Entry.CreateAlloca(B.getInt32Ty(), nullptr, "bound");
  FunctionCallee Who = M.getOrInsertFunction("__kmpc_global_thread_num",
                                             B.getInt32Ty(), B.getPtrTy());
  B.CreateStore(B.CreateCall(Who, {Call.getArgOperand(0)}), Id);
  B.CreateStore(B.getInt32(0), Bound);
  SmallVector<Value *, 8> All{Id, Bound};
  append_range(All, Operands);
  B.CreateCall(&Region, All)->setCallingConv(Region.getCallingConv());
}

/// A league of teams: OpenMP lets us have fewer teams than are asked for, so it
/// has one. That is a region of one thread, which runs the region here.
bool OpenMPForm::rewriteLeague(CallBase &Call) {
  auto *Region = dyn_cast<Function>(Call.getArgOperand(2)->stripPointerCasts());
  SmallVector<Value *, 8> Operands(drop_begin(Call.args(), 3));
  if (!Region || Region->isDeclaration() || Region->isVarArg() ||
      Region->arg_size() != Operands.size() + 2)
    return false;
  for (auto [V, A] : zip(Operands, drop_begin(Region->args(), 2)))
    if (V->getType() != A.getType())
      return false;
  IRBuilder<> B(&Call);
  B.CreateCall(Runtime.require("rg_serial_begin"), {});
  callRegion(Call, *Region, Operands);
  B.CreateCall(Runtime.require("rg_serial_end"), {});
  return true;
}

/// Variables of the thread that ran a `single` region go to all others. A place
/// per copying function and team holds the address of the list of their
/// addresses, from one barrier to the next:
///
///   n = rg_place_take(ran)      the same number in all threads of the team
///   if (ran) place[n] = list;   barrier
///   if (!ran) copy(list, place[n]);   barrier
///   if (ran) rg_place_leave(n)
bool OpenMPForm::rewriteCopyPrivate(CallBase &Call, StringRef BarrierName) {
  Value *List = Call.getArgOperand(3), *Ran = Call.getArgOperand(5);
  auto *Copy = dyn_cast<Function>(Call.getArgOperand(4)->stripPointerCasts());
  if (!Copy || Copy->isDeclaration() || Copy->arg_size() != 2 ||
      !Ran->getType()->isIntegerTy(32))
    return false;
  constexpr unsigned Places = 64; // as many as rg_place_take gives
  IRBuilder<> B(&Call);
  std::string Name = ("rg.place." + Copy->getName()).str();
  auto *T = ArrayType::get(B.getPtrTy(), Places);
  GlobalVariable *G = M.getGlobalVariable(Name, true);
  if (!G) {
    G = new GlobalVariable(M, T, /*isConstant=*/false,
                           GlobalValue::InternalLinkage,
                           Constant::getNullValue(T), Name);
    G->addAttribute(HoldsWithinDerivative);
  }
  Value *Which = B.CreateCall(Runtime.require("rg_place_take"), {Ran});
  Value *Place = B.CreateGEP(T, G, {B.getInt64(0), Which});
  Value *Mine = B.CreateICmpNE(Ran, B.getInt32(0));
  Instruction *Then = SplitBlockAndInsertIfThen(Mine, &Call, false);
  B.SetInsertPoint(Then);
  B.CreateStore(List, Place);
  B.SetInsertPoint(&Call);
  B.CreateCall(Runtime.require(BarrierName), {});
  Then = SplitBlockAndInsertIfThen(B.CreateNot(Mine), &Call, false);
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  B.CreateCall(Copy, {List, B.CreateLoad(B.getPtrTy(), Place)});
  B.SetInsertPoint(&Call);
  B.CreateCall(Runtime.require(BarrierName), {});
  B.CreateCall(Runtime.require("rg_place_leave"), {Which, Ran});
  return true;
}

/// A thread's part of a loop over the teams of a league, of which there is one.
bool OpenMPForm::rewriteBounds(CallBase &Call) {
  auto *Schedule = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  // Of `distribute`, in chunks or not.
  if (!Schedule ||
      (Schedule->getZExtValue() != 91 && Schedule->getZExtValue() != 92))
    return false;
  IRBuilder<> B(&Call);
  Type *T = Call.getArgOperand(7)->getType();
  Value *First = B.CreateLoad(T, Call.getArgOperand(4));
  Value *Last = B.CreateLoad(T, Call.getArgOperand(5));
  B.CreateStore(B.getInt32(1), Call.getArgOperand(3));
  B.CreateStore(B.CreateAdd(B.CreateSub(Last, First), ConstantInt::get(T, 1)),
                Call.getArgOperand(6));
  return true;
}

bool OpenMPForm::rewriteFork(CallBase &Call, Value *Threads, bool OfTeam) {
  bool If = Call.getCalledFunction()->getName() == "__kmpc_fork_call_if";
  unsigned First = If ? 4 : 3;
  if (Call.arg_size() < First)
    return false;
  auto *Region = dyn_cast<Function>(Call.getArgOperand(2)->stripPointerCasts());
  if (!Region || Region->isDeclaration())
    return false;
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Operands(drop_begin(Call.args(), First));
  if (OfTeam) {
    // One thread of the team: it is told who it is, and runs the region.
    callRegion(Call, *Region, Operands);
    // Tasks that are left run at the end; we want to see who runs them.
    if (hasTasks())
      B.CreateCall(Runtime.require("rg_task_barrier"), {});
    return true;
  }
  Function *Fork = forkOf(*Region, Call, First);
  if (!Fork)
    return false;
  if (If) // a team of one
    Threads =
        B.CreateSelect(B.CreateICmpNE(Call.getArgOperand(3),
                                      Constant::getNullValue(
                                          Call.getArgOperand(3)->getType())),
                       Threads, B.getInt32(1));
  for (auto [V, A, Of] :
       zip(Operands, drop_begin(Fork->args()), drop_begin(Region->args(), 2)))
    if (const LoadInst *Read = numberIn(Of, V) ? nullptr : readByValue(Of, V)) {
      LoadInst *L = B.CreateAlignedLoad(A.getType(), V, Read->getAlign());
      L->setMetadata(LLVMContext::MD_tbaa,
                     Read->getMetadata(LLVMContext::MD_tbaa));
      V = L;
    } else {
      V = convert(B, V, A.getType());
    }
  Operands.insert(Operands.begin(), Threads);
  B.CreateCall(Fork, Operands);
  return true;
}
