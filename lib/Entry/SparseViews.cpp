//===- SparseViews.cpp - memory that is a pair of functions ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer into a view is known by its offset in bytes and by the extra
// arguments of the call that made the view. Both are followed as values from
// that call on: an addition to the pointer is one to the offset, a phi of
// pointers is a phi of each, a callee that is given such a pointer gets a copy
// that is given these values instead. What uses the pointer as an address
// becomes a call of the view's functions; what cannot be followed is told at
// its line.
//
//===----------------------------------------------------------------------===//

#include "Entry/SparseViews.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Entry/LowerEntryCalls.h"
#include "Polish/CleanUp.h"
#include "Request/EntryCalls.h"
#include "Request/EntryFamilies.h"
#include "Request/FunctionOperand.h"
#include "Support/Options.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;
using namespace retrograd;

/// The view of what nobody needs: reading gives zeros, writing does nothing.
/// Its argument is the address that the program passed.
static constexpr StringLiteral NowhereName = "__enzyme_todense.nowhere";

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// V as a T, or null: C promotes arguments whose parameter is not declared.
static Value *convert(IRBuilderBase &B, Value *V, Type *T) {
  Type *From = V->getType();
  if (From == T)
    return V;
  if (From->isFloatingPointTy() && T->isFloatingPointTy())
    return B.CreateFPCast(V, T);
  if (From->isIntegerTy() && T->isIntegerTy())
    return B.CreateSExtOrTrunc(V, T);
  if (From->isIntegerTy() && T->isFloatingPointTy())
    return B.CreateSIToFP(V, T);
  return nullptr;
}

void retrograd::lowerFolds(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallBase>(&I);
      FoldCall Kind = Call ? foldCallOf(*Call) : FoldCall::None;
      Type *T = Call ? Call->getType() : nullptr;
      auto Converts = [&](Value *V) {
        return V->getType()->isIntegerTy() ||
               (V->getType()->isFloatingPointTy() && T->isFloatingPointTy());
      };
      if (Kind == FoldCall::None ||
          (!T->isIntegerTy() && !T->isFloatingPointTy()) ||
          !all_of(Call->args(), Converts))
        continue; // told with the entry calls
      IRBuilder<> B(Call);
      Value *All = nullptr;
      for (Value *Argument : Call->args()) {
        Value *V = convert(B, Argument, T);
        if (!All)
          All = V;
        else if (Kind == FoldCall::Sum)
          All = T->isIntegerTy() ? B.CreateAdd(All, V) : B.CreateFAdd(All, V);
        else
          All = T->isIntegerTy() ? B.CreateMul(All, V) : B.CreateFMul(All, V);
      }
      if (!All)
        All = Kind == FoldCall::Sum ? Constant::getNullValue(T)
              : T->isIntegerTy()    ? (Value *)ConstantInt::get(T, 1)
                                    : (Value *)ConstantFP::get(T, 1.0);
      Call->replaceAllUsesWith(All);
      removeRefusedCall(*Call);
    }
}

//===----------------------------------------------------------------------===//
// Where views go
//===----------------------------------------------------------------------===//

static bool isNowhere(const CallBase &Call) {
  return Call.getCalledFunction() &&
         Call.getCalledFunction()->getName() == NowhereName;
}

static SmallVector<CallBase *, 8> viewsOf(Function &F) {
  SmallVector<CallBase *, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && makesView(*Call))
      Found.push_back(Call);
  return Found;
}

namespace {
/// Values that may be a pointer into one of some views, or a variable that
/// holds one; as far as direct calls and local variables lead.
struct Flow {
  SmallSetVector<Value *, 32> Values;
  /// Calls that stand for derivatives, with one of them among the operands.
  SmallSetVector<CallBase *, 4> EntryCalls;

  void add(Value *V) { Values.insert(V); }
  /// Until nothing is new.
  void run();

private:
  size_t Next = 0;
  void follow(Value *V, User *U);
};
} // namespace

void Flow::follow(Value *V, User *U) {
  if (isa<GetElementPtrInst, PHINode, SelectInst, CastInst, FreezeInst,
          InsertValueInst, ExtractValueInst, ReturnInst>(U)) {
    if (!isa<ReturnInst>(U))
      return add(U);
    Function *F = cast<Instruction>(U)->getFunction();
    for (User *Of : F->users())
      if (auto *Call = dyn_cast<CallBase>(Of);
          Call && Call->getCalledOperand() == F)
        add(Call);
    return;
  }
  if (auto *L = dyn_cast<LoadInst>(U))
    return isa<AllocaInst>(getUnderlyingObject(L->getPointerOperand()))
               ? add(L)
               : void();
  if (auto *S = dyn_cast<StoreInst>(U)) {
    if (S->getValueOperand() != V)
      return;
    Value *Object = getUnderlyingObject(S->getPointerOperand());
    return isa<AllocaInst>(Object) ? add(Object) : void();
  }
  auto *Call = dyn_cast<CallBase>(U);
  if (!Call)
    return;
  if (auto *T = dyn_cast<MemTransferInst>(U)) {
    Value *Object = getUnderlyingObject(T->getRawDest());
    if (isa<AllocaInst>(Object) && isa<AllocaInst>(getUnderlyingObject(V)))
      add(Object);
    return;
  }
  if (functionOperandOf(*Call) && !makesView(*Call)) {
    EntryCalls.insert(Call);
    return;
  }
  Function *Callee = Call->getCalledFunction();
  if (!Callee || Callee->isDeclaration())
    return;
  for (auto [Parameter, Argument] : zip(Callee->args(), Call->args()))
    if (Argument.get() == V)
      add(&Parameter);
}

void Flow::run() {
  while (Next != Values.size()) {
    Value *V = Values[Next++];
    for (User *U : V->users())
      follow(V, U);
  }
}

/// Local variables of F become values, where they can.
static void promote(Function &F, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(*F.getParent())
                  .getManager();
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, SROAPass(SROAOptions::PreserveCFG).run(F, FAM));
}

void retrograd::noteViews(Module &M, ModuleAnalysisManager &MAM,
                          MutableArrayRef<EntryCall> Calls) {
  Flow Views;
  for (Function &F : M)
    for (CallBase *Call : viewsOf(F))
      Views.add(Call);
  if (Views.Values.empty())
    return;
  auto MayBeView = [&](const EntryOperand &Operand) {
    Value *V = Operand.V;
    return V && (Views.Values.contains(V) ||
                 Views.Values.contains(getUnderlyingObject(V)));
  };
  // What a derivative is given, its primal is given.
  for (size_t Known = 0; Known != Views.Values.size();) {
    Views.run();
    Known = Views.Values.size();
    for (EntryCall &E : Calls)
      for (auto [N, P] : enumerate(E.Parameters))
        if (MayBeView(P.Primal) || any_of(P.Shadows, MayBeView))
          Views.add(E.Request.Primal->getArg(N));
  }
  SmallPtrSet<const Function *, 4> InHalves;
  for (EntryCall &E : Calls) {
    bool Any = false;
    for (EntryParameter &P : E.Parameters)
      Any |= MayBeView(P.Primal) || any_of(P.Shadows, MayBeView);
    if (!Any)
      continue;
    E.Request.WholeAdditions = E.Tangents.WholeAdditions = true;
    if (E.Request.Mode == DerivativeMode::Augment ||
        E.Request.Mode == DerivativeMode::Sweep)
      InHalves.insert(E.Request.Primal);
    // An address that is none: there is no memory to compute in.
    for (auto [N, P] : enumerate(E.Parameters)) {
      auto *C = dyn_cast_or_null<Constant>(static_cast<Value *>(P.Primal.V));
      if (E.Request.Args[N] != ArgActivity::DupNoNeed || !C ||
          P.Primal.How != EntryOperand::Direct ||
          !C->getType()->isPointerTy() ||
          isa<GlobalValue>(C->stripInBoundsOffsets()))
        continue;
      FunctionCallee Nowhere =
          M.getOrInsertFunction(NowhereName, C->getType(), C->getType());
      auto *Call =
          CallInst::Create(Nowhere, {C}, "nowhere", E.Call->getIterator());
      Call->setDebugLoc(E.Call->getDebugLoc());
      P.Primal.V = Call;
    }
  }
  for (EntryCall &E : Calls)
    if (InHalves.contains(E.Request.Primal) &&
        (E.Request.Mode == DerivativeMode::Augment ||
         E.Request.Mode == DerivativeMode::Sweep))
      E.Request.WholeAdditions = true;
}

//===----------------------------------------------------------------------===//
// Following one
//===----------------------------------------------------------------------===//

namespace {

/// The functions of a view. Views of one kind may meet.
struct ViewKind {
  Function *Load = nullptr, *Store = nullptr; ///< null: the view of nowhere
  SmallVector<Type *, 4> Extras;
  /// Says what the extra arguments are: memory passed by value, say.
  AttributeList Attributes;
  Type *Element = nullptr;
  std::string Name;
  bool ReadOnly = false; ///< Store has not the form of one: to be refused where
                         ///< something is written
  bool operator==(const ViewKind &O) const {
    return Load == O.Load && Store == O.Store && Extras == O.Extras;
  }
};

/// A pointer into a view, taken apart.
struct ViewPointer {
  Value *Offset = nullptr; ///< in bytes, as the index type of pointers
  SmallVector<Value *, 4> Extras;
};

class Views {
public:
  Views(Module &M, ModuleAnalysisManager &MAM, DiagnosticEngine &Diags,
        const Options &Opts)
      : M(M), MAM(MAM), Diags(Diags), Opts(Opts), DL(M.getDataLayout()) {}
  void run(bool Last);

private:
  Module &M;
  ModuleAnalysisManager &MAM;
  DiagnosticEngine &Diags;
  const Options &Opts;
  const DataLayout &DL;
  SmallVector<ViewKind, 4> Kinds;
  using Pointers = MapVector<Value *, ViewPointer>;
  /// By callee, the parameters that are views, and their kind.
  std::map<std::tuple<Function *, std::vector<unsigned>, unsigned>, Function *>
      Copies;
  SmallVector<Function *, 8> Changed;
  /// Calls of the functions of views, to be inlined.
  SmallVector<WeakTrackingVH, 32> Accesses;
  SmallPtrSet<const Instruction *, 8> Told;

  std::optional<unsigned> kindOf(CallBase &Call);
  bool refuse(const Instruction &At, unsigned Kind, const Twine &Why);
  bool lowerIn(Function &F, bool Last);
  void exposeReturned(Function &F,
                      function_ref<SmallVector<Value *, 4>()> Roots);
  void follow(Function &F, unsigned Kind, Pointers Roots);
  void takeApart(Function &F, unsigned Kind, Pointers &Known);
  void replaceUse(Instruction &I, unsigned Kind, Pointers &Known);
  void replaceCall(CallBase &Call, unsigned Kind, Pointers &Known);
  void replaceTransfer(AnyMemIntrinsic &I, unsigned Kind, Pointers &Known);
  Value *load(IRBuilderBase &B, Type *T, const ViewPointer &P, unsigned Kind,
              const Instruction &At);
  void store(IRBuilderBase &B, Value *V, const ViewPointer &P, unsigned Kind,
             const Instruction &At);
  Value *call(IRBuilderBase &B, Function &F, Value *Stored,
              const ViewPointer &P, unsigned Kind);
  std::optional<uint64_t> elementsIn(Type *T, unsigned Kind,
                                     const Instruction &At);
  Value *addressOf(IRBuilderBase &B, const ViewPointer &P, unsigned Kind,
                   Type *T);
  Function *copyOf(Function &Callee, ArrayRef<unsigned> At, unsigned Kind);
  void inlineAccesses();
};

} // namespace

bool Views::refuse(const Instruction &At, unsigned Kind, const Twine &Why) {
  if (Told.insert(&At).second)
    Diags.report(DiagId::ViewLost, &At, RequestTrail(),
                 {Kinds[Kind].Name, Why.str()});
  return false;
}

/// Reads the operands of a call that makes a view; none if they were diagnosed.
std::optional<unsigned> Views::kindOf(CallBase &Call) {
  ViewKind K;
  K.Name = isNowhere(Call) ? "__enzyme_todense"
                           : userName(*Call.getCalledFunction());
  auto Malformed = [&](const Twine &What) {
    Diags.report(DiagId::ViewForm, &Call, RequestTrail(Call, nullptr),
                 {K.Name, What.str()});
    return std::nullopt;
  };
  K.Attributes = Call.getAttributes();
  if (!isNowhere(Call)) {
    if (Call.arg_size() < 2 || !Call.getType()->isPointerTy())
      return Malformed(
          "a function that loads and one that stores, and return a pointer");
    for (unsigned N : {0, 1}) {
      FunctionOperand Named = resolveFunction(Call.getArgOperand(N));
      if (!Named.Complete || Named.Functions.size() != 1 || Named.ByReference)
        return Malformed("a function that loads and one that stores, which are "
                         "known when this is compiled");
      (N ? K.Store : K.Load) = Named.Functions[0];
    }
    for (const Use &U : drop_begin(Call.args(), 2))
      K.Extras.push_back(U->getType());
    K.Element = K.Load->getReturnType();
    auto Fits = [&](Function &F, unsigned First) {
      if (F.isVarArg() || F.arg_size() <= First ||
          !F.getArg(First)->getType()->isIntegerTy() ||
          F.arg_size() > First + 1 + K.Extras.size())
        return false;
      for (unsigned N = First + 1; N != F.arg_size(); ++N) {
        Type *From = K.Extras[N - First - 1], *To = F.getArg(N)->getType();
        bool Same = From == To && F.hasParamAttribute(N, Attribute::ByVal) ==
                                      K.Attributes.hasParamAttr(
                                          N - First + 1, Attribute::ByVal);
        if (!Same && !(From->isFloatingPointTy() && To->isFloatingPointTy()) &&
            !(From->isIntegerTy() && To->isIntegerTy()))
          return false;
      }
      return true;
    };
    bool IsNumber = K.Element->isFloatingPointTy() || K.Element->isIntegerTy();
    if (!IsNumber || !Fits(*K.Load, 0))
      return Malformed("a function that returns a number for an offset in "
                       "bytes and what follows here, and not '" +
                       userName(*K.Load) + "'");
    // Who only reads may name anything: a function that stops the program, of
    // whatever form.
    K.ReadOnly = !K.Store->arg_size() ||
                 K.Store->getArg(0)->getType() != K.Element ||
                 !Fits(*K.Store, 1);
  } else {
    K.Extras.push_back(Call.getArgOperand(0)->getType());
  }
  auto Same = find(Kinds, K);
  if (Same != Kinds.end())
    return Same - Kinds.begin();
  Kinds.push_back(K);
  return Kinds.size() - 1;
}

Value *Views::call(IRBuilderBase &B, Function &F, Value *Stored,
                   const ViewPointer &P, unsigned Kind) {
  SmallVector<Value *, 6> Arguments;
  if (Stored)
    Arguments.push_back(Stored);
  unsigned First = Arguments.size();
  Arguments.push_back(
      B.CreateSExtOrTrunc(P.Offset, F.getArg(First)->getType()));
  for (unsigned N = First + 1; N != F.arg_size(); ++N)
    Arguments.push_back(
        convert(B, P.Extras[N - First - 1], F.getArg(N)->getType()));
  CallInst *Call = B.CreateCall(&F, Arguments);
  Call->setCallingConv(F.getCallingConv());
  for (unsigned N = 0; N != F.arg_size(); ++N)
    for (auto Attr : {Attribute::ByVal, Attribute::SExt, Attribute::ZExt,
                      Attribute::Alignment, Attribute::InReg})
      if (F.hasParamAttribute(N, Attr))
        Call->addParamAttr(N, F.getParamAttribute(N, Attr));
  Accesses.push_back(Call);
  return Call;
}

/// How many numbers of the view T holds; none if it was diagnosed.
std::optional<uint64_t> Views::elementsIn(Type *T, unsigned Kind,
                                          const Instruction &At) {
  TypeSize Size = DL.getTypeStoreSize(T),
           One = DL.getTypeStoreSize(Kinds[Kind].Element);
  if (Size.isScalable() || !Size.getFixedValue() ||
      Size.getFixedValue() % One.getFixedValue() ||
      One.getFixedValue() !=
          DL.getTypeAllocSize(Kinds[Kind].Element).getFixedValue()) {
    refuse(At, Kind,
           "this access is of another size than the numbers of its functions");
    return std::nullopt;
  }
  return Size.getFixedValue() / One.getFixedValue();
}

static ViewPointer advanced(IRBuilderBase &B, const ViewPointer &P,
                            Value *Bytes) {
  ViewPointer Next = P;
  Next.Offset =
      B.CreateAdd(P.Offset, B.CreateSExtOrTrunc(Bytes, P.Offset->getType()));
  return Next;
}

/// Memory in the frame of the function around B.
static AllocaInst *frameMemory(IRBuilderBase &B, Type *T,
                               const DataLayout &DL) {
  BasicBlock &Start = B.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> At(&Start, Start.getFirstNonPHIOrDbgOrAlloca());
  auto *Memory =
      At.CreateAlloca(T, DL.getAllocaAddrSpace(), nullptr, "view.word");
  Memory->setAlignment(Align(16));
  return Memory;
}

Value *Views::load(IRBuilderBase &B, Type *T, const ViewPointer &P,
                   unsigned Kind, const Instruction &At) {
  const ViewKind &K = Kinds[Kind];
  if (!K.Load)
    return Constant::getNullValue(T);
  if (T == K.Element)
    return call(B, *K.Load, nullptr, P, Kind);
  std::optional<uint64_t> Count = elementsIn(T, Kind, At);
  if (!Count || T->isPtrOrPtrVectorTy())
    return refuse(At, Kind, "an address is read from it"), PoisonValue::get(T);
  uint64_t Step = DL.getTypeAllocSize(K.Element).getFixedValue();
  AllocaInst *Word = frameMemory(B, ArrayType::get(K.Element, *Count), DL);
  for (uint64_t N = 0; N != *Count; ++N)
    B.CreateStore(
        call(B, *K.Load, nullptr, advanced(B, P, B.getInt64(N * Step)), Kind),
        B.CreateConstInBoundsGEP1_64(K.Element, Word, N));
  return B.CreateLoad(T, Word);
}

void Views::store(IRBuilderBase &B, Value *V, const ViewPointer &P,
                  unsigned Kind, const Instruction &At) {
  const ViewKind &K = Kinds[Kind];
  if (!K.Store)
    return;
  if (K.ReadOnly) {
    refuse(At, Kind,
           "it is written, and '" + userName(*K.Store) +
               "' is no function that takes a number of its kind, an offset in "
               "bytes and what follows");
    return;
  }
  if (V->getType() == K.Element) {
    call(B, *K.Store, V, P, Kind);
    return;
  }
  std::optional<uint64_t> Count = elementsIn(V->getType(), Kind, At);
  if (!Count)
    return;
  uint64_t Step = DL.getTypeAllocSize(K.Element).getFixedValue();
  AllocaInst *Word = frameMemory(B, ArrayType::get(K.Element, *Count), DL);
  B.CreateStore(V, Word);
  for (uint64_t N = 0; N != *Count; ++N)
    call(B, *K.Store,
         B.CreateLoad(K.Element,
                      B.CreateConstInBoundsGEP1_64(K.Element, Word, N)),
         advanced(B, P, B.getInt64(N * Step)), Kind);
}

/// Something to compare other addresses with: what nobody needs is where the
/// program said, all else lies below all memory, at its offset.
Value *Views::addressOf(IRBuilderBase &B, const ViewPointer &P, unsigned Kind,
                        Type *T) {
  Value *Address = P.Offset;
  if (!Kinds[Kind].Load)
    Address = B.CreateAdd(B.CreatePtrToInt(P.Extras[0], P.Offset->getType()),
                          P.Offset);
  return T->isPointerTy() ? B.CreateIntToPtr(Address, T)
                          : B.CreateZExtOrTrunc(Address, T);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// From the roots to all that is derived from them.
void Views::takeApart(Function &F, unsigned Kind, Pointers &Known) {
  SmallSetVector<Value *, 16> Derived;
  for (auto &[P, Parts] : Known)
    Derived.insert(P);
  auto IsView = [&](Value *V) {
    return Derived.contains(V) || isa<UndefValue>(V);
  };
  for (size_t N = 0; N != Derived.size(); ++N)
    for (User *U : Derived[N]->users()) {
      bool Passes =
          isa<PHINode, SelectInst, FreezeInst, AddrSpaceCastInst, BitCastInst>(
              U) ||
          (isa<GetElementPtrInst>(U) &&
           cast<GetElementPtrInst>(U)->getPointerOperand() == Derived[N]);
      if (auto *II = dyn_cast<IntrinsicInst>(U))
        Passes = II->getIntrinsicID() == Intrinsic::launder_invariant_group ||
                 II->getIntrinsicID() == Intrinsic::strip_invariant_group;
      if (Passes && U->getType()->isPointerTy())
        Derived.insert(U);
    }
  // Phis first: they may come in circles.
  for (Value *V : Derived)
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      const ViewPointer &Model = Known.begin()->second;
      IRBuilder<> B(Phi);
      ViewPointer Parts;
      Parts.Offset =
          B.CreatePHI(Model.Offset->getType(), Phi->getNumIncomingValues(),
                      Phi->getName() + ".at");
      for (Type *T : Kinds[Kind].Extras)
        Parts.Extras.push_back(B.CreatePHI(T, Phi->getNumIncomingValues()));
      Known[V] = Parts;
    }
  auto PartsOf = [&](auto &&Self, Value *V) -> ViewPointer {
    auto It = Known.find(V);
    if (It != Known.end())
      return It->second;
    ViewPointer Parts;
    Type *Offset = Known.begin()->second.Offset->getType();
    if (isa<UndefValue>(V)) {
      Parts.Offset = PoisonValue::get(Offset);
      for (Type *T : Kinds[Kind].Extras)
        Parts.Extras.push_back(PoisonValue::get(T));
      return Parts;
    }
    auto *I = cast<Instruction>(V);
    IRBuilder<> B(I);
    if (auto *G = dyn_cast<GetElementPtrInst>(I)) {
      Parts = advanced(B, Self(Self, G->getPointerOperand()),
                       emitGEPOffset(&B, DL, G));
    } else if (auto *S = dyn_cast<SelectInst>(I)) {
      ViewPointer T = Self(Self, S->getTrueValue()),
                  E = Self(Self, S->getFalseValue());
      Parts.Offset = B.CreateSelect(S->getCondition(), T.Offset, E.Offset);
      for (auto [X, Y] : zip(T.Extras, E.Extras))
        Parts.Extras.push_back(
            X == Y ? X : B.CreateSelect(S->getCondition(), X, Y));
    } else {
      Parts = Self(Self, I->getOperand(0));
    }
    Known[V] = Parts;
    return Parts;
  };
  for (Value *V : Derived) {
    auto *I = dyn_cast<Instruction>(V);
    bool Meets =
        isa<PHINode>(V) && !all_of(cast<PHINode>(V)->incoming_values(), IsView);
    if (auto *S = dyn_cast<SelectInst>(V))
      Meets = !IsView(S->getTrueValue()) || !IsView(S->getFalseValue());
    if (Meets) {
      refuse(*I, Kind, "its address may be this one or another");
      for (Use &U : I->operands()) // goes on, for the other errors
        if (U->getType()->isPointerTy() && !IsView(U))
          U.set(PoisonValue::get(U->getType()));
    }
  }
  for (Value *V : Derived)
    PartsOf(PartsOf, V);
  for (Value *V : Derived)
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      ViewPointer Parts = Known[V];
      for (auto [In, From] : zip(Phi->incoming_values(), Phi->blocks())) {
        ViewPointer P = PartsOf(PartsOf, In);
        cast<PHINode>(Parts.Offset)->addIncoming(P.Offset, From);
        for (auto [X, Into] : zip(P.Extras, Parts.Extras))
          cast<PHINode>(Into)->addIncoming(X, From);
      }
    }
}

/// Of a parameter beside a view, without what is said of its memory: the view's
/// functions may use it, too.
static AttributeSet withoutPromises(AttributeSet S, LLVMContext &Context) {
  for (auto Kind :
       {Attribute::NoAlias, Attribute::ReadOnly, Attribute::ReadNone,
        Attribute::WriteOnly, Attribute::NoFree, Attribute::Captures,
        Attribute::Initializes})
    S = S.removeAttribute(Context, Kind);
  return S;
}

/// A copy of the function with the parameters At taken apart.
Function *Views::copyOf(Function &Callee, ArrayRef<unsigned> At,
                        unsigned Kind) {
  Function *&Copy =
      Copies[{&Callee, std::vector<unsigned>(At.begin(), At.end()), Kind}];
  if (Copy)
    return Copy;
  const ViewKind &K = Kinds[Kind];
  auto IsView = [&](unsigned N) { return is_contained(At, N); };
  SmallVector<Type *, 8> Params;
  SmallVector<AttributeSet, 8> Attributes;
  AttributeList Old = Callee.getAttributes();
  for (auto [N, A] : enumerate(Callee.args())) {
    if (!IsView(N)) {
      Params.push_back(A.getType());
      Attributes.push_back(Old.getParamAttrs(N));
      continue;
    }
    Params.push_back(DL.getIndexType(A.getType()));
    append_range(Params, K.Extras);
    Attributes.resize(Params.size());
  }
  Function *Made = Function::Create(
      FunctionType::get(Callee.getReturnType(), Params, false),
      GlobalValue::InternalLinkage, Callee.getName() + ".view", M);
  Copy = Made;
  AttrBuilder OfFunction(M.getContext(), Old.getFnAttrs());
  // What holds for loads and stores need not hold for functions.
  for (auto Kind : {Attribute::Memory, Attribute::NoUnwind, Attribute::NoSync,
                    Attribute::NoFree, Attribute::WillReturn,
                    Attribute::NoRecurse, Attribute::MustProgress,
                    Attribute::Speculatable, Attribute::NoCallback})
    OfFunction.removeAttribute(Kind);
  for (AttributeSet &S : Attributes)
    S = withoutPromises(S, M.getContext());
  AttributeList All = AttributeList::get(
      M.getContext(), AttributeSet::get(M.getContext(), OfFunction),
      Old.getRetAttrs(), Attributes);
  ValueToValueMapTy Map;
  Pointers Roots;
  SmallVector<Instruction *, 2> Standins;
  auto Param = Made->arg_begin();
  for (auto [N, A] : enumerate(Callee.args())) {
    if (!IsView(N)) {
      Map[&A] = &*Param;
      (Param++)->setName(A.getName());
      continue;
    }
    ViewPointer P;
    P.Offset = &*Param;
    (Param++)->setName(A.getName() + ".at");
    for (size_t Count = 0; Count != K.Extras.size(); ++Count)
      P.Extras.push_back(&*Param++);
    auto *Standin = new IntToPtrInst(P.Offset, A.getType(), A.getName());
    Standins.push_back(Standin);
    Map[&A] = Standin;
    Roots[Standin] = P;
  }
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(Made, &Callee, Map,
                    CloneFunctionChangeType::LocalChangesOnly, Returns);
  Made->setAttributes(All);
  Made->setCallingConv(Callee.getCallingConv());
  Made->setLinkage(GlobalValue::InternalLinkage);
  Made->setVisibility(GlobalValue::DefaultVisibility);
  Made->setDSOLocal(true);
  Made->setComdat(nullptr);
  if (!Made->hasFnAttribute(Attribute::OptimizeNone))
    Made->removeFnAttr(Attribute::NoInline);
  for (Instruction *I : Standins)
    I->insertBefore(Made->getEntryBlock().getFirstNonPHIIt());
  Changed.push_back(Made);
  promote(*Made, MAM);
  exposeReturned(*Made, [&] {
    return SmallVector<Value *, 4>(Standins.begin(), Standins.end());
  });
  follow(*Made, Kind, Roots);
  return Made;
}

void Views::replaceCall(CallBase &Call, unsigned Kind, Pointers &Known) {
  Function *Callee = Call.getCalledFunction();
  auto IsView = [&](const Use &U) { return Known.contains(U.get()); };
  if (!Callee) {
    refuse(Call, Kind,
           "it is handed to a function that is called through a pointer");
    return;
  }
  if (functionOperandOf(Call)) {
    refuse(Call, Kind,
           "it is handed to '" + userName(*Callee) +
               "' in a way that is not understood");
    return;
  }
  if (Callee->isDeclaration()) {
    refuse(Call, Kind,
           "it is handed to '" + userName(*Callee) +
               "', whose body is not here");
    return;
  }
  for (const Use &U : Call.data_ops())
    if (IsView(U) &&
        (!Call.isArgOperand(&U) ||
         Call.getArgOperandNo(&U) >= Callee->arg_size() ||
         Call.paramHasAttr(Call.getArgOperandNo(&U), Attribute::ByVal))) {
      refuse(Call, Kind,
             "it is handed to '" + userName(*Callee) +
                 "' as memory or as one of several arguments");
      return;
    }
  if (Callee->isVarArg() ||
      Callee->getFunctionType() != Call.getFunctionType() ||
      Callee->isInterposable()) {
    refuse(Call, Kind,
           "it is handed to '" + userName(*Callee) +
               "', which may be another function when the program runs");
    return;
  }
  SmallVector<unsigned, 2> At;
  SmallVector<Value *, 8> Arguments;
  SmallVector<AttributeSet, 8> Attributes;
  AttributeList Old = Call.getAttributes();
  for (const Use &U : Call.args()) {
    unsigned N = Call.getArgOperandNo(&U);
    if (!IsView(U)) {
      Arguments.push_back(U);
      Attributes.push_back(
          withoutPromises(Old.getParamAttrs(N), M.getContext()));
      continue;
    }
    At.push_back(N);
    const ViewPointer &P = Known[U.get()];
    Arguments.push_back(P.Offset);
    append_range(Arguments, P.Extras);
    Attributes.resize(Arguments.size());
  }
  Function *Copy = copyOf(*Callee, At, Kind);
  IRBuilder<> B(&Call);
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(Copy, Invoke->getNormalDest(), Invoke->getUnwindDest(),
                         Arguments);
  else
    New = B.CreateCall(Copy, Arguments);
  New->setCallingConv(Copy->getCallingConv());
  New->setAttributes(AttributeList::get(M.getContext(), AttributeSet(),
                                        Old.getRetAttrs(), Attributes));
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

/// Filling and copying, number by number.
void Views::replaceTransfer(AnyMemIntrinsic &I, unsigned Kind,
                            Pointers &Known) {
  const ViewKind &K = Kinds[Kind];
  if (!K.Load && Known.contains(I.getRawDest())) {
    I.eraseFromParent();
    return;
  }
  auto *Transfer = dyn_cast<AnyMemTransferInst>(&I);
  Value *Destination = I.getRawDest(),
        *Source = Transfer ? Transfer->getRawSource() : nullptr;
  uint64_t Step =
      K.Element ? DL.getTypeAllocSize(K.Element).getFixedValue() : 1;
  if (auto *Length = dyn_cast<ConstantInt>(I.getLength());
      Length && Length->getZExtValue() % Step) {
    refuse(I, Kind, "this many bytes are no whole numbers of its functions");
    return;
  }
  Type *Element = K.Element ? K.Element : Type::getInt8Ty(M.getContext());
  auto FromOf = Source ? Known.find(Source) : Known.end();
  auto ToOf = Known.find(Destination);
  std::optional<ViewPointer> From, To;
  if (FromOf != Known.end())
    From = FromOf->second;
  if (ToOf != Known.end())
    To = ToOf->second;

  BasicBlock *Before = I.getParent();
  BasicBlock *Body = SplitBlock(Before, I.getIterator());
  BasicBlock *Behind = SplitBlock(Body, I.getIterator());
  Before->getTerminator()->eraseFromParent();
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Value *Count = B.CreateUDiv(
      B.CreateZExtOrTrunc(I.getLength(), B.getInt64Ty()), B.getInt64(Step));
  // Within one view, what is to be read must not be written before.
  Value *Upwards = B.getTrue();
  if (From && To)
    Upwards = B.CreateICmpULE(To->Offset, From->Offset);
  B.CreateCondBr(B.CreateICmpEQ(Count, B.getInt64(0)), Behind, Body);
  Body->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Body);
  PHINode *N = B.CreatePHI(B.getInt64Ty(), 2);
  Value *At = B.CreateSelect(Upwards, N,
                             B.CreateSub(B.CreateSub(Count, B.getInt64(1)), N));
  Value *Bytes = B.CreateMul(At, B.getInt64(Step));
  Value *V;
  if (From)
    V = load(B, Element, advanced(B, *From, Bytes), Kind, I);
  else if (Source)
    V = B.CreateAlignedLoad(Element, B.CreateGEP(B.getInt8Ty(), Source, Bytes),
                            Align(1));
  else {
    unsigned Bits = DL.getTypeSizeInBits(Element).getFixedValue();
    Value *Byte =
        B.CreateZExt(cast<AnyMemSetInst>(I).getValue(), B.getIntNTy(Bits));
    V = B.CreateBitCast(
        B.CreateMul(Byte, B.getInt(APInt::getSplat(Bits, APInt(8, 1)))),
        Element);
  }
  if (To)
    store(B, V, advanced(B, *To, Bytes), Kind, I);
  else
    B.CreateAlignedStore(V, B.CreateGEP(B.getInt8Ty(), Destination, Bytes),
                         Align(1));
  Value *Next = B.CreateAdd(N, B.getInt64(1));
  N->addIncoming(B.getInt64(0), Before);
  N->addIncoming(Next, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpEQ(Next, Count), Behind, Body);
  I.eraseFromParent();
}

void Views::replaceUse(Instruction &I, unsigned Kind, Pointers &Known) {
  IRBuilder<> B(&I);
  auto PointerOf = [&](Value *V) -> const ViewPointer & {
    return Known.find(V)->second;
  };
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    L->replaceAllUsesWith(
        load(B, L->getType(), PointerOf(L->getPointerOperand()), Kind, I));
    L->eraseFromParent();
    return;
  }
  if (auto *S = dyn_cast<StoreInst>(&I)) {
    if (Known.contains(S->getValueOperand())) {
      refuse(I, Kind, "its address is stored in memory");
      return;
    }
    store(B, S->getValueOperand(), PointerOf(S->getPointerOperand()), Kind, I);
    S->eraseFromParent();
    return;
  }
  if (auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    if (Known.contains(A->getValOperand())) {
      refuse(I, Kind, "its address is stored in memory");
      return;
    }
    const ViewPointer &P = PointerOf(A->getPointerOperand());
    Value *Old = load(B, A->getType(), P, Kind, I);
    if (Kinds[Kind].Store)
      store(B,
            buildAtomicRMWValue(A->getOperation(), B, Old, A->getValOperand()),
            P, Kind, I);
    A->replaceAllUsesWith(Old);
    A->eraseFromParent();
    return;
  }
  if (auto *C = dyn_cast<ICmpInst>(&I)) {
    Value *X = C->getOperand(0), *Y = C->getOperand(1), *R = nullptr;
    Type *T = X->getType();
    const bool Both = Known.contains(X) && Known.contains(Y),
               Equality = C->isEquality();
    const bool HasFunctions = Kinds[Kind].Load;
    if (Both && Equality) {
      const ViewPointer &P = PointerOf(X), &Q = PointerOf(Y);
      Value *Same = B.CreateICmpEQ(P.Offset, Q.Offset);
      for (auto [V, W] : zip(P.Extras, Q.Extras)) {
        if (V == W)
          continue;
        if (V->getType()->isFloatingPointTy())
          Same = B.CreateAnd(Same, B.CreateFCmpOEQ(V, W));
        else if (V->getType()->isIntOrPtrTy())
          Same = B.CreateAnd(Same, B.CreateICmpEQ(V, W));
      }
      R = C->getPredicate() == ICmpInst::ICMP_EQ ? Same : B.CreateNot(Same);
    } else if (Equality && HasFunctions) {
      R = B.getInt1(C->getPredicate() == ICmpInst::ICMP_NE);
    } else {
      auto Address = [&](Value *V) {
        return Known.contains(V) ? addressOf(B, PointerOf(V), Kind, T) : V;
      };
      R = B.CreateICmp(C->getPredicate(), Address(X), Address(Y));
    }
    C->replaceAllUsesWith(R);
    C->eraseFromParent();
    return;
  }
  if (auto *P = dyn_cast<PtrToIntInst>(&I)) {
    P->replaceAllUsesWith(
        addressOf(B, PointerOf(P->getPointerOperand()), Kind, P->getType()));
    P->eraseFromParent();
    return;
  }
  if (auto *T = dyn_cast<AnyMemIntrinsic>(&I))
    return replaceTransfer(*T, Kind, Known);
  if (auto *II = dyn_cast<IntrinsicInst>(&I))
    if (II->isLifetimeStartOrEnd() || II->isAssumeLikeIntrinsic() ||
        II->getIntrinsicID() == Intrinsic::prefetch) {
      if (!II->getType()->isVoidTy())
        II->replaceAllUsesWith(PoisonValue::get(II->getType()));
      II->eraseFromParent();
      return;
    }
  if (auto *Call = dyn_cast<CallBase>(&I))
    return replaceCall(*Call, Kind, Known);
  if (isa<ReturnInst>(I))
    refuse(I, Kind,
           "its address is returned to callers that may be elsewhere; a static "
           "function is inlined");
  else
    refuse(I, Kind, Twine("its address is used by ") + I.getOpcodeName());
}

void Views::follow(Function &F, unsigned Kind, Pointers Known) {
  takeApart(F, Kind, Known);
  SmallSetVector<Instruction *, 32> Uses;
  for (auto &[P, Parts] : Known)
    for (User *U : P->users())
      if (!Known.contains(U))
        Uses.insert(cast<Instruction>(U));
  for (Instruction *I : Uses)
    replaceUse(*I, Kind, Known);
  // What is left was diagnosed.
  for (auto &[P, Parts] : reverse(Known))
    if (auto *I = dyn_cast<Instruction>(P);
        I && !(isa<CallBase>(I) && makesView(*cast<CallBase>(I)))) {
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
}

/// Functions that return a pointer into a view are inlined where they are
/// called, and those that are given a local variable with one in it: a closure,
/// or a struct, that only unoptimised code has in memory.
void Views::exposeReturned(Function &F,
                           function_ref<SmallVector<Value *, 4>()> Roots) {
  constexpr unsigned MostInlined = 1000;
  auto InlineOne = [&] {
    Flow Here;
    SmallPtrSet<Value *, 4> Variables;
    for (Value *V : Roots())
      Here.add(V);
    for (size_t N = 0; N != Here.Values.size(); ++N)
      for (User *U : Here.Values[N]->users()) {
        if (isa<GetElementPtrInst, PHINode, SelectInst, CastInst, FreezeInst>(
                U)) {
          Here.add(U);
          continue;
        }
        Value *Variable = nullptr;
        if (auto *S = dyn_cast<StoreInst>(U);
            S && S->getValueOperand() == Here.Values[N])
          Variable = getUnderlyingObject(S->getPointerOperand());
        else if (auto *T = dyn_cast<MemTransferInst>(U);
                 T &&
                 Variables.contains(getUnderlyingObject(T->getRawSource())))
          Variable = getUnderlyingObject(T->getRawDest());
        if (isa_and_nonnull<AllocaInst>(Variable) &&
            Variables.insert(Variable).second)
          Here.add(Variable);
        auto *Call = dyn_cast<CallBase>(U);
        Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (!Callee || Callee->isDeclaration() || Callee == &F ||
            (!Call->getType()->isPtrOrPtrVectorTy() &&
             !Variables.contains(getUnderlyingObject(Here.Values[N]))))
          continue;
        InlineFunctionInfo Info;
        if (InlineFunction(*Call, Info).isSuccess())
          return true;
      }
    return false;
  };
  for (unsigned Inlined = 0; Inlined != MostInlined && InlineOne(); ++Inlined)
    promote(F, MAM);
}

bool Views::lowerIn(Function &F, bool Last) {
  if (viewsOf(F).empty())
    return false;
  promote(F, MAM);
  exposeReturned(F, [&] {
    SmallVector<CallBase *, 8> Calls = viewsOf(F);
    return SmallVector<Value *, 4>(Calls.begin(), Calls.end());
  });
  MapVector<unsigned, SmallVector<CallBase *, 2>> ByKind;
  for (CallBase *Call : viewsOf(F)) {
    if (!Last && Call->use_empty())
      continue; // its user is still to be written
    Flow From;
    From.add(Call);
    From.run();
    if (!Last && !From.EntryCalls.empty())
      continue;
    if (std::optional<unsigned> Kind = kindOf(*Call))
      ByKind[*Kind].push_back(Call);
    else
      removeRefusedCall(*Call);
  }
  for (auto &[Kind, Calls] : ByKind) {
    Pointers Roots;
    for (CallBase *Call : Calls) {
      ViewPointer P;
      P.Offset = ConstantInt::get(DL.getIndexType(Call->getType()), 0);
      for (const Use &U : drop_begin(Call->args(), isNowhere(*Call) ? 0 : 2))
        P.Extras.push_back(U);
      Roots[Call] = P;
    }
    follow(F, Kind, Roots);
    for (CallBase *Call : Calls)
      removeRefusedCall(*Call);
  }
  if (ByKind.empty())
    return false;
  Changed.push_back(&F);
  return true;
}

/// Small functions of views are part of the code that uses them.
void Views::inlineAccesses() {
  constexpr unsigned MostInstructions = 100;
  for (WeakTrackingVH &V : Accesses) {
    auto *Call = dyn_cast_or_null<CallBase>(V);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee->isDeclaration() || Callee->isInterposable() ||
        Callee->hasFnAttribute(Attribute::NoInline) ||
        Callee == Call->getFunction())
      continue;
    if (!Callee->hasFnAttribute(Attribute::AlwaysInline) &&
        Callee->getInstructionCount() > MostInstructions)
      continue;
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
  Accesses.clear();
}

void Views::run(bool Last) {
  // A function that makes a view for its caller belongs to the caller.
  for (unsigned Round = 0; Round != 8; ++Round) {
    SmallVector<CallBase *, 8> Returning;
    for (Function &F : M) {
      SmallVector<CallBase *, 8> Made = viewsOf(F);
      if (Made.empty() || F.getName().starts_with("rg.primal."))
        continue;
      promote(F, MAM);
      Flow From;
      for (CallBase *Call : viewsOf(F))
        From.add(Call);
      From.run();
      for (Value *V : From.Values)
        if (auto *Call = dyn_cast<CallBase>(V);
            Call && Call->getCalledFunction() == &F &&
            Call->getFunction() != &F)
          Returning.push_back(Call);
    }
    bool Any = false;
    for (CallBase *Call : Returning) {
      Function *Around = Call->getFunction();
      InlineFunctionInfo Info;
      if (InlineFunction(*Call, Info).isSuccess()) {
        Any = true;
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M)
            .getManager()
            .invalidate(*Around, PreservedAnalyses::none());
      }
    }
    if (!Any)
      break;
  }
  SmallVector<Function *, 32> Functions;
  for (Function &F : make_early_inc_range(M)) {
    if (F.isDeclaration() || F.getName().starts_with("rg.primal."))
      continue;
    // What was inlined wherever it was called.
    if (F.isDiscardableIfUnused() && F.use_empty() && !viewsOf(F).empty()) {
      if (!Last)
        continue;
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager().clear(
          F, F.getName());
      F.eraseFromParent();
      continue;
    }
    Functions.push_back(&F);
  }
  for (Function *F : Functions)
    lowerIn(*F, Last);
  inlineAccesses();
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *F : Changed) {
    FAM.invalidate(*F, PreservedAnalyses::none());
    if (Opts.CleanUp && !F->hasFnAttribute(Attribute::OptimizeNone))
      cleanUp(*F, MAM, Opts);
  }
}

void retrograd::lowerViews(Module &M, ModuleAnalysisManager &MAM,
                           DiagnosticEngine &Diags, const Options &Opts,
                           bool Last) {
  bool Any = false;
  for (Function &F : M)
    if (F.isDeclaration() && !F.use_empty())
      for (User *U : F.users())
        Any |= isa<CallBase>(U) && makesView(*cast<CallBase>(U));
  if (Any)
    Views(M, MAM, Diags, Opts).run(Last);
}
