//===- Methods.cpp - parallel loops that are methods of libraries ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/Methods.h"
#include "Support/CallBinding.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <optional>

using namespace llvm;
using namespace retrograd;

/// On methods: the substitute. Metadata, since linkers rename functions.
static constexpr StringLiteral SubstituteMetadata = "rg.substitute";
static constexpr StringLiteral RunRoutine = "rg_pool_run";
/// Whether what a context is of has been cancelled.
static constexpr StringLiteral IsCancelled = "rg_pool_cancelled";

namespace {

enum class MethodKind {
  Loop,      ///< body(piece), of a body that may be copied
  Reduction, ///< the same of bodies that are split off and joined again
  Scan,      ///< what each piece adds to what all before it have added
  Calls,     ///< each of some functions, once
  Indices    ///< body(i) for all i from a number to a number
};

/// Where methods are, and what they are called. Of loops, reductions and scans
/// that is a static member of class templates with the arguments <range, body,
/// partitioner>. Of the first two its member `run_body` runs the body that the
/// object has (or points to) on a piece of the range; bodies of scans are
/// called with a piece and a tag. Of calls, a function that is given what to
/// call behind two other operands.
struct KnownMethod {
  StringRef Scope, Base;
  MethodKind Kind;
};
constexpr KnownMethod Known[] = {
    {"tbb::detail::d1::start_for", "run", MethodKind::Loop},
    {"tbb::detail::d1::start_reduce", "run", MethodKind::Reduction},
    {"tbb::detail::d1::start_deterministic_reduce", "run",
     MethodKind::Reduction},
    {"tbb::detail::d1::start_scan", "run", MethodKind::Scan},
    {"tbb::detail::d1", "invoke_recursive_separation", MethodKind::Calls},
};
/// Variables of the program that hold the qualified name of a method of its own
/// (RG_PARALLEL_FOR in retrograd.h).
constexpr StringLiteral Marker = "__rg_parallel_for";
/// The partitioner that splits as far as ranges can be split; others may stop
/// earlier.
constexpr StringLiteral SplitsAll = "simple_partitioner";

/// A function's name in C++, in parts.
struct CxxName {
  /// Whole is without parameters, but with arguments of templates.
  std::string Class, Base, Params, Whole;
  bool IsStructor = false;
};
std::optional<CxxName> demangle(const Function &F) {
  const std::string Mangled = F.getName().str(); // D points into it
  ItaniumPartialDemangler D;
  if (D.partialDemangle(Mangled.c_str()) || !D.isFunction())
    return std::nullopt;
  auto Text = [](char *S) {
    std::string Result = S ? S : "";
    std::free(S);
    return Result;
  };
  size_t N = 0;
  CxxName Name;
  Name.Class = Text(D.getFunctionDeclContextName(nullptr, &N));
  N = 0;
  Name.Base = Text(D.getFunctionBaseName(nullptr, &N));
  N = 0;
  Name.Params = Text(D.getFunctionParameters(nullptr, &N));
  N = 0;
  Name.Whole = Text(D.getFunctionName(nullptr, &N));
  Name.IsStructor = D.isCtorOrDtor();
  return Name;
}

/// The parts of "name<a, b<c, d>, e>" or "(a, b)".
SmallVector<std::string, 3> parts(StringRef Text) {
  SmallVector<std::string, 3> Found;
  const size_t Open = Text.find_first_of("<(");
  if (Open == StringRef::npos)
    return Found;
  size_t From = Open + 1;
  int Depth = 0;
  for (size_t I = From; I != Text.size(); ++I) {
    const char C = Text[I];
    const bool Ends = StringRef(">)}]").contains(C) && --Depth < 0;
    if (StringRef("<({[").contains(C))
      ++Depth;
    if (!Ends && (C != ',' || Depth))
      continue;
    if (I != From)
      Found.push_back(Text.slice(From, I).trim().str());
    From = I + 1;
    if (Ends)
      break;
  }
  return Found;
}

/// The functions of a module by their classes.
class Members {
public:
  explicit Members(Module &M) {
    for (Function &F : M)
      if (F.getName().starts_with("_Z"))
        if (std::optional<CxxName> N = demangle(F); N && !N->Class.empty())
          Of[N->Class].push_back({&F, std::move(*N)});
  }
  /// The member of Class, which is called Base and has Arity pointers as
  /// operands and parameters that Fits likes; null if there is none.
  Function *find(StringRef Class, StringRef Base, unsigned Arity,
                 function_ref<bool(StringRef)> Fits) const {
    auto It = Of.find(Class);
    if (It == Of.end())
      return nullptr;
    Function *Found = nullptr;
    for (const auto &[F, Name] : It->second)
      if ((Base.empty() ? Name.IsStructor && Name.Base[0] != '~'
                        : Name.Base == Base) &&
          F->arg_size() == Arity && Fits(Name.Params) &&
          all_of(F->args(), [](const Argument &A) {
            return A.getType()->isPointerTy();
          })) {
        // A constructor has two names.
        if (Found && !Name.IsStructor)
          return nullptr;
        Found = F;
      }
    return Found;
  }
  /// What calls an object of Class with one integer.
  Function *findCallable(StringRef Class) const {
    auto It = Of.find(Class);
    Function *Found = nullptr;
    if (It != Of.end())
      for (const auto &[F, Name] : It->second)
        if (Name.Base == "operator()" && F->arg_size() == 2 &&
            F->getArg(1)->getType()->isIntegerTy()) {
          if (Found)
            return nullptr;
          Found = F;
        }
    return Found;
  }
  Function *destructor(StringRef Class) const {
    auto It = Of.find(Class);
    if (It != Of.end())
      for (const auto &[F, Name] : It->second)
        if (Name.IsStructor && Name.Base[0] == '~' && F->arg_size() == 1)
          return F;
    return nullptr;
  }

private:
  StringMap<SmallVector<std::pair<Function *, CxxName>, 4>> Of;
};

/// An object that a parameter refers to.
struct Layout {
  uint64_t Size = 0;
  Align Alignment;
};
std::optional<Layout> layoutBehind(const Argument &A) {
  const uint64_t Bytes = A.getDereferenceableBytes();
  if (!A.getType()->isPointerTy() || !Bytes)
    return std::nullopt;
  const Align By = A.getParamAlign().valueOrOne();
  // Bytes may leave out padding at the end.
  return Layout{alignTo(Bytes, By), By};
}

/// Where the object that `this` is has the member that F uses first.
std::optional<uint64_t> firstMember(const Function &F) {
  const Argument &This = *F.getArg(0);
  const DataLayout &DL = F.getDataLayout();
  auto IsThis = [&](const Value *V) {
    if (V == &This)
      return true;
    const auto *L = dyn_cast<LoadInst>(V);
    const auto *Home =
        L ? dyn_cast<AllocaInst>(L->getPointerOperand()) : nullptr;
    return Home && any_of(Home->users(), [&](const User *U) {
             const auto *S = dyn_cast<StoreInst>(U);
             return S && S->getValueOperand() == &This;
           });
  };
  for (const Instruction &I : instructions(F))
    if (const auto *G = dyn_cast<GetElementPtrInst>(&I);
        G && IsThis(G->getPointerOperand())) {
      APInt Offset(64, 0);
      if (G->accumulateConstantOffset(DL, Offset))
        return Offset.getZExtValue();
    }
  return std::nullopt;
}

class Substitution {
public:
  Substitution(Function &Method, const CxxName &Name, MethodKind Kind,
               const Members &All)
      : Method(Method), Kind(Kind), All(All), M(*Method.getParent()),
        B(M.getContext()) {
    SmallVector<std::string, 3> Arguments = parts(Name.Class);
    if (Arguments.size() != 3)
      return;
    Class = Name.Class;
    Range = Arguments[0];
    Body = Arguments[1];
    SplitAll = StringRef(Arguments[2]).contains(SplitsAll);
  }
  /// Null if something that has to be known is not.
  Function *make(const CxxName &Name);

private:
  Function &Method;
  const MethodKind Kind;
  const Members &All;
  Module &M;
  IRBuilder<> B;
  std::string Class, Range, Body;
  bool SplitAll = false;

  Layout OfRange, OfBody, OfRunner;
  uint64_t BodyAt = 0;
  Function *IsEmpty = nullptr, *IsDivisible = nullptr, *Split = nullptr,
           *CopyRange = nullptr, *RunBody = nullptr, *CopyBody = nullptr,
           *DestroyBody = nullptr, *SplitBody = nullptr, *Join = nullptr,
           *Add = nullptr, *Write = nullptr, *Assign = nullptr;

  bool understand();
  Function *function(Type *Result, ArrayRef<Type *> Params, const Twine &Name);
  Value *routine(StringRef Name, Type *Result, ArrayRef<Value *> Args);
  Value *ask(Function &F, ArrayRef<Value *> Args);
  Value *nth(Value *Base, uint64_t Stride, Value *I);
  Function *makeSpread();
  Function *makeFork(
      ArrayRef<Type *> Types, function_ref<Value *(ArrayRef<Value *>)> Count,
      function_ref<void(ArrayRef<Value *>, Value *, Value *, Value *)> Part);
  Function *makePiecesFork();
  Function *makeScanFork(Function &Call, bool Writes);
  Function *begin();
  Value *teamFor(Value *Work);
  Function *makeLoop();
  Function *makeCalls(ArrayRef<std::string> Functors);
  Function *makeIndices(const CxxName &Name);
  /// A loop from From to To; the builder is in its body, and behind it then.
  void loop(Value *From, Value *To, function_ref<void(Value *)> Do);
  uint64_t stride() const { return alignTo(OfBody.Size, 128); }
  bool isReduction() const { return Kind == MethodKind::Reduction; }
  bool isScan() const { return Kind == MethodKind::Scan; }
  /// The program has a context of its own, by which it may end the loop.
  bool hasContext() const { return Method.arg_size() == 4; }
};

} // namespace

/// What is needed of the range and the body, by the names that the library
/// asks them for.
bool Substitution::understand() {
  if (Range.empty() || Method.arg_size() < 3)
    return false;
  std::optional<Layout> L = layoutBehind(*Method.getArg(0));
  std::optional<Layout> LB = layoutBehind(*Method.getArg(1));
  auto Any = [](StringRef) { return true; };
  auto IsSplit = [&](StringRef Of) {
    return [Of](StringRef Params) {
      return Params.consume_front("(") && Params.consume_front(Of) &&
             Params.consume_front("&, ") && Params.ends_with("::split)");
    };
  };
  auto IsCopy = [&](StringRef Of) {
    return [Of](StringRef Params) {
      return Params.consume_front("(") && Params.consume_front(Of) &&
             Params == " const&)";
    };
  };
  IsEmpty = All.find(Range, "empty", 1, Any);
  IsDivisible = All.find(Range, "is_divisible", 1, Any);
  Split = All.find(Range, "", 2, IsSplit(Range));
  CopyRange = All.find(Range, "", 2, IsCopy(Range));
  if (!L || !LB || !IsEmpty || !IsDivisible || !Split || All.destructor(Range))
    return false;
  OfRange = *L;
  OfBody = *LB;
  // Pieces and bodies lie in memory of malloc.
  if (OfRange.Alignment > Align(16) || OfBody.Alignment > Align(16))
    return false;
  DestroyBody = All.destructor(Body);
  if (isScan()) {
    auto Tagged = [](StringRef Tag) {
      return [Tag](StringRef Params) { return Params.ends_with(Tag); };
    };
    Add = All.find(Body, "operator()", 2, Tagged("::pre_scan_tag)"));
    Write = All.find(Body, "operator()", 2, Tagged("::final_scan_tag)"));
    SplitBody = All.find(Body, "", 2, IsSplit(Body));
    Join = All.find(Body, "reverse_join", 2, Any);
    Assign = All.find(Body, "assign", 2, Any);
    return Add && Write && SplitBody && Join && Assign;
  }
  // The same mangled name but for the member's.
  auto [Prefix, Rest] = Method.getName().rsplit("3runE");
  const std::string Member = (Prefix + "8run_bodyE").str();
  for (Function &F : M)
    if (F.getName().starts_with(Member) && F.arg_size() == 2)
      RunBody = &F;
  if (!RunBody || RunBody->isDeclaration())
    return false;
  std::optional<Layout> LR = layoutBehind(*RunBody->getArg(0));
  std::optional<uint64_t> At = firstMember(*RunBody);
  if (!LR || !At)
    return false;
  OfRunner = *LR;
  BodyAt = *At;
  if (isReduction()) {
    SplitBody = All.find(Body, "", 2, IsSplit(Body));
    Join = All.find(Body, "join", 2, Any);
    return SplitBody && Join;
  }
  CopyBody = All.find(Body, "", 2, IsCopy(Body));
  return CopyBody || !DestroyBody;
}

Function *Substitution::function(Type *Result, ArrayRef<Type *> Params,
                                 const Twine &Name) {
  Function *F = Function::Create(FunctionType::get(Result, Params, false),
                                 GlobalValue::InternalLinkage, Name, M);
  for (Attribute A : Method.getAttributes().getFnAttrs())
    if (A.isStringAttribute() || A.hasAttribute(Attribute::UWTable) ||
        A.hasAttribute(Attribute::SanitizeThread) ||
        A.hasAttribute(Attribute::SanitizeAddress) ||
        A.hasAttribute(Attribute::SanitizeMemory))
      F->addFnAttr(A);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
  return F;
}

Value *Substitution::routine(StringRef Name, Type *Result,
                             ArrayRef<Value *> Args) {
  SmallVector<Type *, 4> Types;
  for (Value *V : Args)
    Types.push_back(V->getType());
  return B.CreateCall(
      M.getOrInsertFunction(Name, FunctionType::get(Result, Types, false)),
      Args);
}

Value *Substitution::ask(Function &F, ArrayRef<Value *> Args) {
  CallInst *Call = B.CreateCall(&F, Args);
  Call->setCallingConv(F.getCallingConv());
  // As clang's calls say it: what a bool is.
  Call->setAttributes(AttributeList().addRetAttributes(
      M.getContext(),
      AttrBuilder(M.getContext(), F.getAttributes().getRetAttrs())));
  return Call;
}

Value *Substitution::nth(Value *Base, uint64_t Stride, Value *I) {
  return B.CreateInBoundsGEP(B.getInt8Ty(), Base,
                             B.CreateNUWMul(I, B.getInt64(Stride)));
}

void Substitution::loop(Value *From, Value *To,
                        function_ref<void(Value *)> Do) {
  Function &F = *B.GetInsertBlock()->getParent();
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Head = BasicBlock::Create(M.getContext(), "", &F);
  BasicBlock *Inner = BasicBlock::Create(M.getContext(), "", &F);
  BasicBlock *Behind = BasicBlock::Create(M.getContext(), "", &F);
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *I = B.CreatePHI(B.getInt64Ty(), 2);
  I->addIncoming(From, Before);
  B.CreateCondBr(B.CreateICmpULT(I, To), Inner, Behind);
  B.SetInsertPoint(Inner);
  Do(I);
  I->addIncoming(B.CreateNUWAdd(I, B.getInt64(1)), B.GetInsertBlock());
  B.CreateBr(Head);
  B.SetInsertPoint(Behind);
}

/// spread(pieces, count, to): each piece, or what it is split into, which uses
/// it up; returns how many there are then. A range is split once: its splitting
/// constructor may do work of its own (tbb::parallel_sort's does).
Function *Substitution::makeSpread() {
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  Function *F = function(L, {P, L, P}, "rg.spread.method");
  Value *Pieces = F->getArg(0), *Count = F->getArg(1), *To = F->getArg(2);
  AllocaInst *Next = B.CreateAlloca(L);
  B.CreateStore(B.getInt64(0), Next);
  loop(B.getInt64(0), Count, [&](Value *I) {
    Value *At = B.CreateLoad(L, Next);
    Value *Left = nth(To, OfRange.Size, At);
    Value *From = nth(Pieces, OfRange.Size, I);
    if (CopyRange)
      ask(*CopyRange, {Left, From});
    else
      B.CreateMemCpy(Left, OfRange.Alignment, From, OfRange.Alignment,
                     OfRange.Size);
    Value *Behind = B.CreateAdd(At, B.getInt64(1));
    B.CreateStore(Behind, Next);
    BasicBlock *Part = BasicBlock::Create(M.getContext(), "", F);
    BasicBlock *Done = BasicBlock::Create(M.getContext(), "", F);
    B.CreateCondBr(ask(*IsDivisible, {Left}), Part, Done);
    B.SetInsertPoint(Part);
    ask(*Split, {nth(To, OfRange.Size, Behind), Left});
    B.CreateStore(B.CreateAdd(Behind, B.getInt64(1)), Next);
    B.CreateBr(Done);
    B.SetInsertPoint(Done);
  });
  B.CreateRet(B.CreateLoad(L, Next));
  return F;
}

/// A team whose threads each run Part on the operands, their number and their
/// share, [first, last), of what Count tells: fork(threads, operands...).
Function *
Substitution::makeFork(ArrayRef<Type *> Types,
                       function_ref<Value *(ArrayRef<Value *>)> Count,
                       function_ref<void(ArrayRef<Value *>, Value *Number,
                                         Value *First, Value *Last)>
                           Part) {
  Type *L = B.getInt64Ty(), *V = B.getVoidTy();
  StructType *Operands = StructType::get(M.getContext(), Types);
  Function *Each = function(V, {B.getPtrTy()}, "rg.each.method");
  SmallVector<Value *, 8> Loaded;
  for (unsigned I = 0; I != Types.size(); ++I)
    Loaded.push_back(B.CreateLoad(
        Types[I], B.CreateStructGEP(Operands, Each->getArg(0), I)));
  Value *Number =
      B.CreateZExt(routine("rg_pool_thread", B.getInt32Ty(), {}), L);
  Value *Threads =
      B.CreateZExt(routine("rg_pool_threads", B.getInt32Ty(), {}), L);
  Value *All = Count(Loaded);
  // Whole shares, and one more for the first threads: no product is too large.
  Value *Share = B.CreateUDiv(All, Threads), *Rest = B.CreateURem(All, Threads);
  auto Start = [&](Value *T) {
    return B.CreateAdd(B.CreateMul(Share, T),
                       B.CreateBinaryIntrinsic(Intrinsic::umin, T, Rest));
  };
  Value *First = Start(Number);
  Value *Last = Start(B.CreateAdd(Number, B.getInt64(1)));
  Part(Loaded, Number, First, Last);
  B.CreateRetVoid();

  SmallVector<Type *, 8> Params{B.getInt32Ty()};
  append_range(Params, Types);
  Function *Fork = function(V, Params, "rg.fork.method");
  bindToPool(*Fork);
  Fork->addFnAttr(Attribute::NoInline);
  Fork->setDoesNotThrow();
  Value *Packed = B.CreateAlloca(Operands);
  for (unsigned I = 0; I != Types.size(); ++I)
    B.CreateStore(Fork->getArg(I + 1), B.CreateStructGEP(Operands, Packed, I));
  routine(RunRoutine, V, {Fork->getArg(0), Each, Packed});
  B.CreateRetVoid();
  return Fork;
}

/// fork(threads, pieces, count, body, bodies[, context]): each thread runs the
/// body, or its own of the bodies, on its part of the pieces, until somebody
/// cancels what the context is of.
Function *Substitution::makePiecesFork() {
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  SmallVector<Type *, 5> Types{P, L, P, P};
  if (hasContext())
    Types.push_back(P);
  return makeFork(
      Types, [](ArrayRef<Value *> Operands) { return Operands[1]; },
      [&](ArrayRef<Value *> Operands, Value *Number, Value *First,
          Value *Last) {
        Value *Pieces = Operands[0], *TheBody = Operands[2];
        AllocaInst *Runner =
            B.CreateAlloca(ArrayType::get(B.getInt8Ty(), OfRunner.Size));
        Runner->setAlignment(OfRunner.Alignment);
        Value *Member =
            B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Runner, BodyAt);
        if (isReduction())
          B.CreateStore(B.CreateSelect(B.CreateICmpEQ(Number, B.getInt64(0)),
                                       TheBody,
                                       nth(Operands[3], stride(), Number)),
                        Member);
        loop(First, Last, [&](Value *I) {
          BasicBlock *Behind = nullptr;
          if (hasContext()) {
            Function &F = *B.GetInsertBlock()->getParent();
            BasicBlock *Go = BasicBlock::Create(M.getContext(), "", &F);
            Behind = BasicBlock::Create(M.getContext(), "", &F);
            Value *Cancelled =
                routine(IsCancelled, B.getInt32Ty(), {Operands[4]});
            B.CreateCondBr(B.CreateICmpNE(Cancelled, B.getInt32(0)), Behind,
                           Go);
            B.SetInsertPoint(Go);
          }
          // Bodies of loops are copied: one may keep what only it uses in
          // itself.
          if (CopyBody)
            ask(*CopyBody, {Member, TheBody});
          else if (!isReduction())
            B.CreateMemCpy(Member, OfBody.Alignment, TheBody, OfBody.Alignment,
                           OfBody.Size);
          ask(*RunBody, {Runner, nth(Pieces, OfRange.Size, I)});
          if (!isReduction() && DestroyBody)
            ask(*DestroyBody, {Member});
          if (Behind) {
            B.CreateBr(Behind);
            B.SetInsertPoint(Behind);
          }
        });
      });
}

/// fork(threads, pieces, count, body, bodies): of a scan with several threads.
/// First, thread 0 writes its part, and the bodies of all but the last add up
/// theirs; then each but 0 writes with the body of the thread before it, which
/// by then knows what all parts before its own have added up to.
Function *Substitution::makeScanFork(Function &Call, bool Writes) {
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  return makeFork(
      {P, L, P, P}, [](ArrayRef<Value *> Operands) { return Operands[1]; },
      [&](ArrayRef<Value *> Operands, Value *Number, Value *First,
          Value *Last) {
        Function &F = *B.GetInsertBlock()->getParent();
        auto Block = [&] { return BasicBlock::Create(M.getContext(), "", &F); };
        Value *Pieces = Operands[0], *TheBody = Operands[2];
        BasicBlock *Go = Block(), *End = Block();
        Value *IsFirst = B.CreateICmpEQ(Number, B.getInt64(0));
        Value *Before =
            Writes ? B.CreateSub(Number, B.getInt64(1)) : (Value *)Number;
        Value *Mine =
            B.CreateSelect(B.CreateICmpEQ(Before, B.getInt64(0)), TheBody,
                           nth(Operands[3], stride(), Before));
        // Nothing for thread 0 to write, nor for the last one to add up.
        Value *Threads =
            B.CreateZExt(routine("rg_pool_threads", B.getInt32Ty(), {}), L);
        Value *IsLast =
            B.CreateICmpEQ(B.CreateAdd(Number, B.getInt64(1)), Threads);
        B.CreateCondBr(Writes ? IsFirst
                              : B.CreateAnd(IsLast, B.CreateNot(IsFirst)),
                       End, Go);
        B.SetInsertPoint(Go);
        if (!Writes) {
          BasicBlock *Write0 = Block(), *Others = Block();
          B.CreateCondBr(IsFirst, Write0, Others);
          B.SetInsertPoint(Write0);
          loop(First, Last, [&](Value *I) {
            ask(*Write, {Mine, nth(Pieces, OfRange.Size, I)});
          });
          B.CreateBr(End);
          B.SetInsertPoint(Others);
        }
        loop(First, Last, [&](Value *I) {
          ask(Call, {Mine, nth(Pieces, OfRange.Size, I)});
        });
        B.CreateBr(End);
        B.SetInsertPoint(End);
      });
}

/// A function with the method's parameters, for the builder to fill.
Function *Substitution::begin() {
  SmallVector<Type *, 4> Params;
  for (Argument &A : Method.args())
    Params.push_back(A.getType());
  Function *F = function(B.getVoidTy(), Params, "rg.method");
  // How parameters are handed over, too.
  for (Argument &A : Method.args())
    F->addParamAttrs(
        A.getArgNo(),
        AttrBuilder(M.getContext(),
                    Method.getAttributes().getParamAttrs(A.getArgNo())));
  return F;
}

/// The smaller of how many threads there are and how much work there is.
Value *Substitution::teamFor(Value *Work) {
  Value *Threads =
      B.CreateZExt(routine("rg_pool_size", B.getInt32Ty(), {}), B.getInt64Ty());
  return B.CreateTrunc(B.CreateBinaryIntrinsic(Intrinsic::umin, Threads, Work),
                       B.getInt32Ty());
}

/// Functions, each of which is called once: the method's last operands are
/// references to objects of the classes Functors. (These are arguments of its
/// template. Parameters do not tell: a mangled name refers to what stood in it
/// before, and demanglers take a parameter of one template for another's.)
Function *Substitution::makeCalls(ArrayRef<std::string> Functors) {
  SmallVector<Function *, 4> Called;
  SmallVector<Type *, 4> Types;
  for (StringRef Functor : Functors) {
    Function *F =
        All.find(Functor, "operator()", 1, [](StringRef) { return true; });
    if (!F)
      return nullptr;
    Called.push_back(F);
    Types.push_back(B.getPtrTy());
  }
  if (Called.empty() || Method.arg_size() < Called.size() ||
      !all_of(Method.args(),
              [](const Argument &A) { return A.getType()->isPointerTy(); }))
    return nullptr;
  Function *Fork = makeFork(
      Types, [&](ArrayRef<Value *>) { return B.getInt64(Called.size()); },
      [&](ArrayRef<Value *> Operands, Value *, Value *Begin, Value *End) {
        loop(Begin, End, [&](Value *I) {
          Function &F = *B.GetInsertBlock()->getParent();
          BasicBlock *Behind = BasicBlock::Create(M.getContext(), "", &F);
          SwitchInst *Which = B.CreateSwitch(I, Behind, Called.size());
          for (auto [N, Callee] : enumerate(Called)) {
            BasicBlock *Case = BasicBlock::Create(M.getContext(), "", &F);
            Which->addCase(B.getInt64(N), Case);
            B.SetInsertPoint(Case);
            ask(*Callee, {Operands[N]});
            B.CreateBr(Behind);
          }
          B.SetInsertPoint(Behind);
        });
      });
  Function *F = begin();
  SmallVector<Value *, 4> Operands{teamFor(B.getInt64(Called.size()))};
  for (unsigned I = F->arg_size() - Called.size(); I != F->arg_size(); ++I)
    Operands.push_back(F->getArg(I));
  B.CreateCall(Fork, Operands);
  B.CreateRetVoid();
  return F;
}

/// A loop that a program says is parallel: the method's first integers, one or
/// two, are its bounds, its last parameter, behind them, is its body. That is
/// of the one class among the arguments of the method's template whose objects
/// can be called with an integer; without a template, of the parameter's class.
Function *Substitution::makeIndices(const CxxName &Name) {
  const SmallVector<std::string, 3> Params = parts(Name.Params);
  auto IsInteger = [](StringRef Text) {
    Text.consume_front("unsigned ");
    return is_contained({"int", "long", "long long", "short"}, Text);
  };
  const auto *Bound = find_if(Params, IsInteger);
  if (Bound == Params.end())
    return nullptr;
  const unsigned FirstBound = Bound - Params.begin();
  const unsigned Bounds =
      FirstBound + 1 < Params.size() && IsInteger(Params[FirstBound + 1]) ? 2
                                                                          : 1;
  // Nothing may stand behind the body, and it is no further number (a step,
  // how many at a time): what that means is not known.
  if (FirstBound + Bounds + 1 != Params.size() ||
      IsInteger(Params[FirstBound + Bounds]))
    return nullptr;
  StringRef OfBody = Params[FirstBound + Bounds];
  const bool IsReference =
      OfBody.consume_back("&&") || OfBody.consume_back("&");
  OfBody.consume_back(" const");
  Function *Body = nullptr;
  if (StringRef(Name.Whole).ends_with(">")) {
    // The arguments of the last name in it.
    StringRef Own = Name.Whole;
    int Depth = 0;
    size_t Open = Own.size();
    do {
      --Open;
      Depth += StringRef(">)}]").contains(Own[Open]);
      Depth -= StringRef("<({[").contains(Own[Open]);
    } while (Depth && Open);
    for (StringRef Argument : parts(Own.substr(Open)))
      if (Function *F = All.findCallable(Argument)) {
        if (Body)
          return nullptr;
        Body = F;
      }
  } else {
    Body = All.findCallable(OfBody);
  }
  // What stands in front is a pointer each, and perhaps there is `this`.
  unsigned At = FirstBound;
  while (At < Method.arg_size() &&
         Method.getArg(At)->getType()->isPointerTy() && At <= FirstBound)
    ++At;
  if (!Body || At + Bounds > Method.arg_size() || At > FirstBound + 1 ||
      !all_of(seq(0u, At + Bounds), [&](unsigned I) {
        Type *T = Method.getArg(I)->getType();
        return I < At ? T->isPointerTy() : T->isIntegerTy();
      }))
    return nullptr;
  const unsigned BodyAt = At + Bounds;
  Type *Index = Body->getArg(1)->getType();
  const bool Signed = !StringRef(*Bound).starts_with("unsigned");

  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  Function *Fork = makeFork(
      {L, L, P},
      [&](ArrayRef<Value *> Operands) {
        return B.CreateSub(Operands[1], Operands[0]);
      },
      [&](ArrayRef<Value *> Operands, Value *, Value *First, Value *Last) {
        loop(B.CreateAdd(Operands[0], First), B.CreateAdd(Operands[0], Last),
             [&](Value *I) {
               ask(*Body, {Operands[2], B.CreateTrunc(I, Index)});
             });
      });
  Function *F = begin();
  auto Number = [&](unsigned I) {
    Value *V = F->getArg(I);
    return Signed ? B.CreateSExt(V, L) : B.CreateZExt(V, L);
  };
  Value *From = Bounds == 2 ? Number(At) : B.getInt64(0);
  Value *To = Number(At + Bounds - 1);
  Value *Object = nullptr;
  const bool InMemory = BodyAt != F->arg_size() &&
                        (IsReference || Method.getArg(BodyAt)->hasByValAttr() ||
                         Method.getArg(BodyAt)->getDereferenceableBytes());
  if (InMemory) {
    Object = F->getArg(BodyAt);
  } else {
    // In registers: eight bytes each, as the ABI hands over small objects.
    unsigned Count = F->arg_size() - BodyAt;
    Object =
        B.CreateAlloca(ArrayType::get(B.getInt64Ty(), std::max(1u, Count)));
    for (unsigned I = 0; I != Count; ++I)
      B.CreateStore(F->getArg(BodyAt + I),
                    B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Object, I));
  }
  BasicBlock *Go = BasicBlock::Create(M.getContext(), "", F);
  BasicBlock *End = BasicBlock::Create(M.getContext(), "", F);
  B.CreateCondBr(Signed ? B.CreateICmpSLT(From, To) : B.CreateICmpULT(From, To),
                 Go, End);
  B.SetInsertPoint(Go);
  B.CreateCall(Fork, {teamFor(B.CreateSub(To, From)), From, To, Object});
  B.CreateBr(End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return F;
}

Function *Substitution::make(const CxxName &Name) {
  if (Kind == MethodKind::Calls)
    return makeCalls(
        parts(StringRef(Name.Whole).substr(Name.Class.size() + 2)));
  if (Kind == MethodKind::Indices)
    return makeIndices(Name);
  return makeLoop();
}

Function *Substitution::makeLoop() {
  if (!understand())
    return nullptr;
  Type *P = B.getPtrTy(), *L = B.getInt64Ty(), *I = B.getInt32Ty();
  Function *Spread = makeSpread();
  Function *Fork = isScan() ? makeScanFork(*Add, false) : makePiecesFork();
  Function *WriteFork = isScan() ? makeScanFork(*Write, true) : nullptr;
  Function *F = begin();
  Value *TheRange = F->getArg(0), *TheBody = F->getArg(1);
  auto Block = [&] { return BasicBlock::Create(M.getContext(), "", F); };
  BasicBlock *Go = Block(), *End = Block();
  B.CreateCondBr(ask(*IsEmpty, {TheRange}), End, Go);
  B.SetInsertPoint(Go);
  Value *Threads = routine("rg_pool_size", I, {});
  Value *Depth = B.getInt64(64);
  if (!SplitAll) {
    // Some pieces per thread, for ranges whose parts are not alike in size.
    Value *Wanted = B.CreateShl(Threads, 2);
    Depth = B.CreateZExt(
        B.CreateSub(B.getInt32(32),
                    B.CreateBinaryIntrinsic(Intrinsic::ctlz,
                                            B.CreateSub(Wanted, B.getInt32(1)),
                                            B.getFalse())),
        L);
  }
  Value *None = ConstantPointerNull::get(B.getPtrTy());
  Value *Size = B.getInt64(OfRange.Size);
  auto Keep = [&](Type *T, Value *V) {
    IRBuilder<> Top(&F->getEntryBlock(), F->getEntryBlock().begin());
    AllocaInst *A = Top.CreateAlloca(T);
    B.CreateStore(V, A);
    return A;
  };
  Value *Whole = routine("malloc", P, {Size});
  if (CopyRange)
    ask(*CopyRange, {Whole, TheRange});
  else
    B.CreateMemCpy(Whole, OfRange.Alignment, TheRange, OfRange.Alignment,
                   OfRange.Size);
  AllocaInst *KeptPieces = Keep(P, Whole), *KeptCount = Keep(L, B.getInt64(1)),
             *Level = Keep(L, B.getInt64(0));
  BasicBlock *Head = Block(), *Inner = Block(), *Ready = Block();
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  Value *Now = B.CreateLoad(L, Level);
  B.CreateStore(B.CreateAdd(Now, B.getInt64(1)), Level);
  B.CreateCondBr(B.CreateICmpULT(Now, Depth), Inner, Ready);
  B.SetInsertPoint(Inner);
  Value *Before = B.CreateLoad(L, KeptCount),
        *Old = B.CreateLoad(P, KeptPieces);
  Value *New =
      routine("malloc", P, {B.CreateMul(B.CreateShl(Before, 1), Size)});
  Value *After = B.CreateCall(Spread, {Old, Before, New});
  routine("free", B.getVoidTy(), {Old});
  B.CreateStore(New, KeptPieces);
  B.CreateStore(After, KeptCount);
  B.CreateCondBr(B.CreateICmpEQ(After, Before), Ready, Head);
  B.SetInsertPoint(Ready);
  Value *Pieces = B.CreateLoad(P, KeptPieces),
        *Count = B.CreateLoad(L, KeptCount);
  Value *Used = B.CreateTrunc(
      B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateZExt(Threads, L), Count),
      I);
  Value *Bodies = None, *Ends = B.CreateZExt(Used, L);
  if (isReduction() || isScan()) {
    Bodies = routine("malloc", P, {B.CreateMul(Ends, B.getInt64(stride()))});
    loop(B.getInt64(1), Ends, [&](Value *I) {
      ask(*SplitBody, {nth(Bodies, stride(), I), TheBody});
    });
  }
  SmallVector<Value *, 6> Operands{Used, Pieces, Count, TheBody, Bodies};
  if (hasContext())
    Operands.push_back(F->getArg(3));
  B.CreateCall(Fork, Operands);
  if (isScan()) {
    // How much threads 0 to t have added up, in the body of t.
    Value *LastNumber = B.CreateSub(Ends, B.getInt64(1));
    auto BodyOf = [&](Value *T) {
      return B.CreateSelect(B.CreateICmpEQ(T, B.getInt64(0)), TheBody,
                            nth(Bodies, stride(), T));
    };
    loop(B.getInt64(1), LastNumber, [&](Value *T) {
      ask(*Join,
          {nth(Bodies, stride(), T), BodyOf(B.CreateSub(T, B.getInt64(1)))});
    });
    BasicBlock *Several = Block(), *Free = Block(), *Take = Block();
    B.CreateCondBr(B.CreateICmpUGT(Ends, B.getInt64(1)), Several, Free);
    B.SetInsertPoint(Several);
    B.CreateCall(WriteFork, Operands);
    B.CreateCondBr(B.CreateICmpUGT(Ends, B.getInt64(2)), Take, Free);
    B.SetInsertPoint(Take);
    ask(*Assign, {TheBody, nth(Bodies, stride(),
                               B.CreateSub(LastNumber, B.getInt64(1)))});
    B.CreateBr(Free);
    B.SetInsertPoint(Free);
    loop(B.getInt64(1), Ends, [&](Value *T) {
      if (DestroyBody)
        ask(*DestroyBody, {nth(Bodies, stride(), T)});
    });
    routine("free", B.getVoidTy(), {Bodies});
  }
  if (isReduction()) {
    loop(B.getInt64(1), Ends, [&](Value *I) {
      Value *Other = nth(Bodies, stride(), I);
      ask(*Join, {TheBody, Other});
      if (DestroyBody)
        ask(*DestroyBody, {Other});
    });
    routine("free", B.getVoidTy(), {Bodies});
  }
  routine("free", B.getVoidTy(), {Pieces});
  B.CreateBr(End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return F;
}

SmallVector<Function *, 4> retrograd::substituteMethods(Module &M) {
  SmallVector<KnownMethod, 8> Methods(std::begin(Known), std::end(Known));
  for (GlobalVariable &G : M.globals()) {
    StringRef Name;
    if (!G.getName().contains(Marker) || !G.hasInitializer() ||
        !getConstantStringInfo(&G, Name))
      continue;
    auto [Scope, Base] = Name.rsplit("::");
    Methods.push_back(Base.empty()
                          ? KnownMethod{"", Name, MethodKind::Indices}
                          : KnownMethod{Scope, Base, MethodKind::Indices});
  }
  // Demangling costs: first, the last part of the scope and the name itself.
  SmallVector<std::pair<Function *, const KnownMethod *>, 8> Candidates;
  for (Function &F : M)
    if (!F.isDeclaration() && F.getName().starts_with("_Z") &&
        F.getReturnType()->isVoidTy())
      for (const KnownMethod &K : Methods)
        if (F.getName().contains(K.Base) &&
            F.getName().contains(K.Scope.rsplit("::").second))
          Candidates.push_back({&F, &K});
  SmallVector<Function *, 4> Made;
  std::optional<Members> All;
  for (auto [F, K] : Candidates) {
    std::optional<CxxName> N = demangle(*F);
    if (!N || N->Base != K->Base ||
        StringRef(N->Class).substr(0, N->Class.find('<')) != K->Scope)
      continue;
    if (!All)
      All.emplace(M);
    Function *S = Substitution(*F, *N, K->Kind, *All).make(*N);
    if (!S)
      continue;
    F->setMetadata(SubstituteMetadata,
                   MDNode::get(M.getContext(), ValueAsMetadata::get(S)));
    // Nobody changes the parameters of either.
    appendToCompilerUsed(M, {F, S});
    Made.push_back(F);
  }
  return Made;
}

Function *retrograd::substituteOf(const Function &F) {
  const MDNode *N = F.getMetadata(SubstituteMetadata);
  return N && N->getNumOperands()
             ? mdconst::dyn_extract_or_null<Function>(N->getOperand(0))
             : nullptr;
}

bool retrograd::dropSubstitutes(Module &M) {
  SmallPtrSet<Constant *, 8> Kept;
  for (Function &F : M)
    if (Function *S = substituteOf(F)) {
      Kept.insert(&F);
      Kept.insert(S);
      F.setMetadata(SubstituteMetadata, nullptr);
    }
  if (Kept.empty())
    return false;
  removeFromUsedLists(
      M, [&](Constant *C) { return Kept.contains(C->stripPointerCasts()); });
  return true;
}

void retrograd::useSubstitutes(Function &Clone, const Function &Original) {
  const bool OfTeam = bindingOf(Original) == CallBinding::Team;
  for (Instruction &I : make_early_inc_range(instructions(Clone))) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee)
      continue;
    if (Function *S = substituteOf(*Callee);
        S && S->getFunctionType() == Call->getFunctionType()) {
      Call->setCalledFunction(S);
      continue;
    }
    if (!OfTeam || Callee->getName() != RunRoutine)
      continue;
    // One thread of the team.
    IRBuilder<> B(Call);
    B.CreateCall(cast<Function>(Call->getArgOperand(1)->stripPointerCasts()),
                 {Call->getArgOperand(2)});
    Call->eraseFromParent();
  }
}
