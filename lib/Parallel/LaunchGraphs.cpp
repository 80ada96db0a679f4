//===- LaunchGraphs.cpp - graphs that streams capture, in primals ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a module that captures streams, a launch in a primal is
//
//   rg.captured.kernel(grid, block, shared, stream, args...)
//
// which launches, or, where the stream is being captured, lists its operands
// in memory. rg.graph.launch(graph, stream) walks over such a list and makes
// what it finds. Both are ordinary code with launches in it, so whatever
// differentiates launches differentiates graphs (runtime/graphcalls.c).
//
// An element of the list has a word for the operands of each kernel, of which
// one is used: operands of one kernel are never read as those of another.
//
// A routine of a library that streams capture (Catalogue/GraphedCalls.h) is
// listed in the same way, by rg.captured.routine, which has its operands, and
// called again when the graph is launched. So is a copy, a fill or a call of a
// host function, of which each place in the module that asks for one is a
// routine by itself: what one copies is never taken for what another does.
//
//===----------------------------------------------------------------------===//

#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/GraphedCalls.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Parallel/HostLaunches.h"
#include "Parallel/LaunchForm.h"
#include "Support/DispatchMarks.h"
#include "Support/Kernels.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

/// The words of an element in front of the operands: the next one, what it is,
/// the handle of its node, and what sort of node CUDA takes it for
/// (runtime/graphcalls.c).
static constexpr unsigned NodeHead = 4;
enum NodeSort { KernelSort, CopySort, FillSort, CallSort };
/// Of a call that is made, and not listed.
static constexpr StringLiteral MadeNow = "rg-made-now";
/// Of a call that asks for a copy, a fill or a host function: the place.
static constexpr StringLiteral Place = "rg-graph-place";

/// With the types of numbers that the call names, which are constants, or the
/// place. Empty where one is not known.
static std::string capturedRoutine(const CallBase &C, StringRef Callee,
                                   ArrayRef<StringRef> Words) {
  std::string Name = ("rg.captured." + Callee).str();
  if (is_contained(Words, "s")) {
    Attribute A = C.getFnAttr(Place);
    return A.isValid() ? Name + "." + A.getValueAsString().str() : "";
  }
  for (auto [N, Word] : enumerate(Words)) {
    if (Word != "t")
      continue;
    const auto *Type = dyn_cast<ConstantInt>(C.getArgOperand(N));
    if (!Type)
      return {};
    Name += "." + std::to_string(Type->getZExtValue());
  }
  return Name;
}
/// How graphs have a routine: the library, and a word per operand.
static std::pair<StringRef, SmallVector<StringRef, 24>>
graphWords(const Function &F) {
  auto [Library, Text] = graphForm(F.getName()).split(' ');
  SmallVector<StringRef, 24> Words;
  Text.split(Words, ' ', -1, /*KeepEmpty=*/false);
  if (Words.size() != F.arg_size() || !F.getReturnType()->isIntegerTy(32))
    Words.clear();
  return {Library, Words};
}

std::string retrograd::capturedName(const Function &Run) {
  return ("rg.captured." + Run.getName().drop_front(LaunchPrefix.size())).str();
}

bool retrograd::capturesStreams(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.isDeclaration() && !F.use_empty() &&
           (F.getName() == "cudaStreamBeginCapture" ||
            F.getName() == "cudaGraphLaunch");
  });
}

namespace {
/// A call that adds a node to a graph, or changes one: the routine that the
/// node is a call of. In front of what that routine takes it has
///   AddNode        where the handle goes, the graph, nodes, their number
///   ChangeNode     the node
///   ChangeLaunched the instantiated graph, the node
struct NodeCall {
  enum Kind { AddNode, ChangeNode, ChangeLaunched };
  StringRef Routine;
  Kind K = AddNode;

  unsigned before() const { return K == AddNode ? 4 : K == ChangeNode ? 1 : 2; }
};
} // namespace
static constexpr StringLiteral KernelLaunch = "cudaLaunchKernel";

/// What a node of that kind is a call of: "Memcpy", and "1D" behind "Node".
static StringRef nodeRoutineOf(StringRef Kind, StringRef Form) {
  if (Form == "1D")
    return Kind == "Memcpy" ? "cudaMemcpyAsync" : "";
  if (!Form.empty())
    return "";
  return StringSwitch<StringRef>(Kind)
      .Case("Kernel", KernelLaunch)
      .Case("Memcpy", "cudaMemcpy3DAsync")
      .Case("Memset", "cudaMemset2DAsync")
      .Case("Host", "cudaLaunchHostFunc")
      .Default("");
}

static std::optional<NodeCall> nodeCall(const CallBase &C) {
  const Function *F = C.getCalledFunction();
  if (!F || !F->isDeclaration() || !C.getType()->isIntegerTy(32))
    return std::nullopt;
  NodeCall Call;
  StringRef Node = F->getName();
  if (Node.consume_front("cudaGraphAdd")) {
    size_t At = Node.find("Node");
    if (At == StringRef::npos)
      return std::nullopt;
    Call.Routine = nodeRoutineOf(Node.take_front(At), Node.drop_front(At + 4));
  } else if (Node.consume_front("cudaGraph")) {
    Call.K = Node.consume_front("Exec") ? NodeCall::ChangeLaunched
                                        : NodeCall::ChangeNode;
    auto [Kind, Form] = Node.split("NodeSetParams");
    if (Kind.size() == Node.size())
      return std::nullopt;
    Call.Routine = nodeRoutineOf(Kind, Form);
  }
  // A copy's two places, bytes and direction; else a struct.
  unsigned Operands =
      Call.before() + (Call.Routine == "cudaMemcpyAsync" ? 4 : 1);
  if (Call.Routine.empty() || C.arg_size() != Operands)
    return std::nullopt;
  return Call;
}
/// The routine as the module calls it.
static Function *nodeRoutine(Module &M, StringRef Name) {
  LLVMContext &Ctx = M.getContext();
  Type *I32 = Type::getInt32Ty(Ctx), *I64 = Type::getInt64Ty(Ctx),
       *Ptr = PointerType::getUnqual(Ctx);
  auto Is = [&](ArrayRef<Type *> Operands) {
    return dyn_cast<Function>(
        M.getOrInsertFunction(Name, FunctionType::get(I32, Operands, false))
            .getCallee());
  };
  if (Name == "cudaMemcpyAsync")
    return Is({Ptr, Ptr, I64, I32, Ptr});
  if (Name == "cudaMemcpy3DAsync")
    return Is({Ptr, Ptr});
  if (Name == "cudaMemset2DAsync")
    return Is({Ptr, I64, I32, I64, I64, Ptr});
  return Is({Ptr, Ptr, Ptr});
}

namespace {
/// How the operands of a kernel lie in memory. The stream is that of the
/// graph's launch, and variables are always the same.
struct Operands {
  StructType *T;
  SmallVector<int, 16> FieldOf; ///< by parameter of rg.launch.*; -1: none

  explicit Operands(const Function &Run) {
    SmallVector<Type *, 16> Fields;
    for (const Argument &A : Run.args()) {
      bool Kept = A.getArgNo() + 1 != LaunchPlaces && !variableOf(A);
      FieldOf.push_back(Kept ? int(Fields.size()) : -1);
      if (Kept)
        Fields.push_back(A.hasByValAttr() ? A.getParamByValType()
                                          : A.getType());
    }
    T = StructType::get(Run.getContext(), Fields);
  }
  /// The variable of the device that the parameter is.
  static GlobalVariable *variableOf(const Argument &A) {
    const Function &Run = *A.getParent();
    if (!Run.getAttributes().hasParamAttr(A.getArgNo(), LaunchVariable))
      return nullptr;
    return const_cast<Module *>(Run.getParent())
        ->getNamedGlobal(Run.getAttributes()
                             .getParamAttr(A.getArgNo(), LaunchVariable)
                             .getValueAsString());
  }
};
} // namespace

/// What overwritten memory takes to come back, and the launch.
static void launch(IRBuilderBase &B, Function &Run, ArrayRef<Value *> Args) {
  Module &M = *Run.getParent();
  SmallVector<Value *, 8> Pointers;
  for (const Argument &A : drop_begin(Run.args(), LaunchPlaces))
    if (A.getType()->isPointerTy() && !A.hasByValAttr())
      Pointers.push_back(Args[A.getArgNo()]);
  if (Function *Keep = M.getFunction(keepName(Run))) {
    Pointers.push_back(Args[LaunchPlaces - 1]);
    B.CreateCall(Keep, Pointers);
  }
  CallInst *Call = B.CreateCall(&Run, Args);
  for (const Argument &A : Run.args())
    if (Type *T = A.getParamByValType())
      Call->addParamAttr(A.getArgNo(),
                         Attribute::getWithByValType(B.getContext(), T));
}

static Value *nodeField(IRBuilderBase &B, Value *Node, unsigned N) {
  return B.CreateConstInBoundsGEP1_64(B.getPtrTy(), Node, N);
}

static Value *makeNode(IRBuilderBase &B, int64_t Kind) {
  Module &M = *B.GetInsertBlock()->getModule();
  unsigned Words = NodeHead + Kind + 1;
  return B.CreateCall(RuntimeLibrary(M).require("rg_graph_alloc"),
                      {B.getInt64(Words * M.getDataLayout().getPointerSize())});
}
/// An element of that kind, with those operands, at the end of what is
/// captured.
static void append(IRBuilderBase &B, unsigned Kind, Value *Operands,
                   NodeSort Sort) {
  Module &M = *B.GetInsertBlock()->getModule();
  Value *Node = makeNode(B, Kind);
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), nodeField(B, Node, 0));
  B.CreateStore(B.getInt64(Kind), nodeField(B, Node, 1));
  B.CreateStore(B.getInt64(Sort), nodeField(B, Node, 3));
  B.CreateStore(Operands, nodeField(B, Node, NodeHead + Kind));
  B.CreateCall(
      M.getOrInsertFunction("rg_graph_append", B.getVoidTy(), B.getPtrTy()),
      {Node});
}

/// rg.captured.kernel, whose elements are of that kind.
static void writeCaptured(Function &Run, unsigned Kind, GlobalVariable &Owner) {
  Module &M = *Run.getParent();
  LLVMContext &Ctx = M.getContext();
  RuntimeLibrary Runtime(M);
  auto *F =
      Function::Create(Run.getFunctionType(), GlobalValue::InternalLinkage,
                       capturedName(Run), M);
  F->setAttributes(Run.getAttributes());
  IRBuilder<> B(BasicBlock::Create(Ctx, "", F));
  auto *Record = BasicBlock::Create(Ctx, "", F);
  auto *Now = BasicBlock::Create(Ctx, "", F);
  SmallVector<Value *, 16> Args;
  for (Argument &A : F->args())
    Args.push_back(&A);
  Value *Name = B.CreateGlobalString(
      userName(Run.getName().drop_front(LaunchPrefix.size())));
  Value *On = B.CreateCall(Runtime.require("rg_capture_launch"),
                           {F->getArg(LaunchPlaces - 1), &Owner, Name});
  B.CreateCondBr(B.CreateICmpNE(On, B.getInt32(0)), Record, Now);
  B.SetInsertPoint(Now);
  launch(B, Run, Args);
  B.CreateRetVoid();

  B.SetInsertPoint(Record);
  Operands O(Run);
  const DataLayout &DL = M.getDataLayout();
  Function *Alloc = Runtime.require("rg_graph_alloc");
  Value *All = B.CreateCall(Alloc, {B.getInt64(DL.getTypeAllocSize(O.T))});
  for (auto [A, Field] : zip(F->args(), O.FieldOf)) {
    if (Field < 0)
      continue;
    Value *At = B.CreateStructGEP(O.T, All, Field);
    if (Type *T = A.getParamByValType())
      B.CreateMemCpy(At, MaybeAlign(), &A, MaybeAlign(),
                     DL.getTypeAllocSize(T));
    else
      B.CreateStore(&A, At);
  }
  append(B, Kind, All, KernelSort);
  B.CreateRetVoid();
}

namespace {
/// A routine of a library that streams capture, for numbers of one type: so the
/// types of what its operands lead to are known. Or one of the CUDA runtime at
/// one place of the module.
struct Routine {
  Function *F;
  std::string Captured;
  StringRef Library;
  SmallVector<StringRef, 24> Words;  ///< by operand
  SmallVector<Constant *, 24> Known; ///< by operand; null for what varies
  unsigned Handle = 0;               ///< or the stream

  bool ofRuntime() const { return Words[Handle] == "s"; }
  NodeSort sort() const {
    return StringSwitch<NodeSort>(Library)
        .Case("copy", CopySort)
        .Case("fill", FillSort)
        .Case("call", CallSort)
        .Default(KernelSort);
  }

  std::string runtime(StringRef Name) const {
    return ("rg_" + Library + "_" + Name).str();
  }
  static bool isNumber(StringRef Word) {
    return Word != "h" && Word != "-" && Word != "d" && Word != "r" &&
           Word != "t" && Word != "s" && !bytesOf(Word);
  }
  /// Of memory that the call reads at once.
  static unsigned bytesOf(StringRef Word) {
    unsigned Bytes = 0;
    return Word.consume_front("b") && !Word.getAsInteger(10, Bytes) ? Bytes : 0;
  }
  bool hasModes() const {
    return any_of(Words, [](StringRef W) { return W == "r" || isNumber(W); });
  }
  /// The operands in memory, and behind them whether numbers are the host's.
  StructType *operands() const {
    SmallVector<Type *, 24> Fields(F->getFunctionType()->params());
    for (auto [Field, Word] : zip(Fields, Words))
      if (unsigned Bytes = bytesOf(Word))
        Field = ArrayType::get(Type::getInt64Ty(F->getContext()), Bytes / 8);
    Fields.push_back(Type::getInt32Ty(F->getContext()));
    return StructType::get(F->getContext(), Fields);
  }
};
} // namespace

/// Those that the module calls. Calls of the CUDA runtime are marked by their
/// places, which clones of functions have, too.
static SmallVector<Routine, 8> routinesOf(Module &M) {
  SmallVector<Routine, 8> All;
  auto Add = [&](const CallBase &C, Function &F, bool Node) {
    auto [Library, Words] = graphWords(F);
    std::string Name = capturedRoutine(C, F.getName(), Words);
    if (Name.empty() ||
        any_of(All, [&](const Routine &R) { return R.Captured == Name; }))
      return;
    Routine R{&F, Name, Library, Words, {}};
    R.Handle =
        find_if(Words, [](StringRef W) { return W == "h" || W == "s"; }) -
        Words.begin();
    for (auto [N, Word] : enumerate(Words)) {
      bool MayBe = R.ofRuntime() ? !Node && Word == "-" : Word == "t";
      R.Known.push_back(MayBe ? dyn_cast<Constant>(C.getArgOperand(N))
                              : nullptr);
    }
    All.push_back(std::move(R));
  };
  SmallVector<CallBase *, 16> Places;
  for (Function &F : M) {
    if (!F.isDeclaration())
      continue;
    SmallVector<StringRef, 24> Words = graphWords(F).second;
    for (User *U : F.users()) {
      auto *C = dyn_cast<CallBase>(U);
      if (!C || C->getCalledFunction() != &F)
        continue;
      std::optional<NodeCall> Node = nodeCall(*C);
      if (is_contained(Words, "s") || (Node && Node->Routine != KernelLaunch))
        Places.push_back(C);
      else if (!Words.empty())
        Add(*C, F, false);
    }
  }
  for (auto [N, C] : enumerate(Places)) {
    C->addFnAttr(Attribute::get(M.getContext(), Place, std::to_string(N)));
    std::optional<NodeCall> Node = nodeCall(*C);
    if (Function *F =
            Node ? nodeRoutine(M, Node->Routine) : C->getCalledFunction())
      Add(*C, *F, Node.has_value());
  }
  return All;
}

/// The bytes of a number that the word W stands for.
static Value *numberBytes(IRBuilderBase &B, const Routine &R, StringRef W) {
  if (!W.consume_front("N@"))
    return B.getInt64(W == "H" ? 2 : W == "G" ? 4 : W == "Z" ? 16 : 8);
  SmallVector<StringRef, 2> Places;
  SmallVector<Value *, 2> Types;
  SmallVector<Type *, 2> Of;
  W.split(Places, ',');
  for (StringRef Place : Places) {
    unsigned N = 0;
    Place.getAsInteger(10, N);
    Types.push_back(R.Known[N]);
    Of.push_back(B.getInt32Ty());
  }
  return B.CreateCall(R.F->getParent()->getOrInsertFunction(
                          R.runtime("number_bytes"),
                          FunctionType::get(B.getInt64Ty(), Of, false)),
                      Types);
}

/// rg.captured.routine, whose elements are of that kind.
static void writeCaptured(const Routine &R, unsigned Kind,
                          GlobalVariable &Owner) {
  Module &M = *R.F->getParent();
  LLVMContext &Ctx = M.getContext();
  RuntimeLibrary Runtime(M);
  auto *F = Function::Create(R.F->getFunctionType(),
                             GlobalValue::InternalLinkage, R.Captured, M);
  F->setDoesNotThrow();
  IRBuilder<> B(BasicBlock::Create(Ctx, "", F));
  auto *Record = BasicBlock::Create(Ctx, "", F);
  auto *Now = BasicBlock::Create(Ctx, "", F);
  SmallVector<Value *, 24> Args;
  for (Argument &A : F->args()) {
    Constant *Known = R.Known[A.getArgNo()];
    Args.push_back(Known ? (Value *)Known : &A);
  }
  Value *Handle = Args[R.Handle];
  Value *Name = B.CreateGlobalString(R.F->getName());
  Value *Stream =
      R.ofRuntime()
          ? Handle
          : B.CreateCall(Runtime.require(R.runtime("stream")), {Handle});
  Value *On = B.CreateCall(Runtime.require("rg_capture_launch"),
                           {Stream, &Owner, Name});
  B.CreateCondBr(B.CreateICmpNE(On, B.getInt32(0)), Record, Now);
  B.SetInsertPoint(Now);
  CallInst *Call = B.CreateCall(R.F, Args);
  Call->addFnAttr(Attribute::get(Ctx, MadeNow));
  B.CreateRet(Call);

  B.SetInsertPoint(Record);
  Value *OnHost = B.getInt32(0);
  if (R.hasModes())
    OnHost = B.CreateCall(Runtime.require(R.runtime("on_host")), {Handle});
  if (is_contained(R.Words, "r")) {
    // The library would have to wait for the stream.
    auto *Refused = BasicBlock::Create(Ctx, "", F);
    auto *Listed = BasicBlock::Create(Ctx, "", F);
    B.CreateCondBr(B.CreateICmpNE(OnHost, B.getInt32(0)), Refused, Listed);
    B.SetInsertPoint(Refused);
    B.CreateCall(Runtime.require("rg_capture_no_result"), {Name});
    B.CreateBr(Listed);
    B.SetInsertPoint(Listed);
  }
  Type *Ptr = B.getPtrTy();
  for (auto [Arg, Word] : zip(Args, R.Words)) {
    if (Word == "d")
      Arg = B.CreateCall(M.getOrInsertFunction(R.runtime("captured"), Ptr, Ptr),
                         {Arg});
    else if (Routine::isNumber(Word))
      Arg = B.CreateCall(M.getOrInsertFunction("rg_captured_number", Ptr, Ptr,
                                               B.getInt64Ty(), B.getInt32Ty()),
                         {Arg, numberBytes(B, R, Word), OnHost});
  }
  StructType *T = R.operands();
  Value *All =
      B.CreateCall(Runtime.require("rg_graph_alloc"),
                   {B.getInt64(M.getDataLayout().getTypeAllocSize(T))});
  for (auto [N, Arg] : enumerate(Args)) {
    if (R.Known[N] || R.Words[N] == "s")
      continue;
    Value *At = B.CreateStructGEP(T, All, N);
    if (unsigned Bytes = Routine::bytesOf(R.Words[N]))
      B.CreateMemCpy(At, MaybeAlign(8), Arg, MaybeAlign(8), Bytes);
    else
      B.CreateStore(Arg, At);
  }
  B.CreateStore(OnHost, B.CreateStructGEP(T, All, Args.size()));
  append(B, Kind, All, R.sort());
  B.CreateRet(B.getInt32(0));
}

/// The call again, in the stream of the graph's launch.
static void callAgain(IRBuilderBase &B, const Routine &R, Value *All,
                      Value *Stream) {
  RuntimeLibrary Runtime(*R.F->getParent());
  StructType *T = R.operands();
  auto At = [&](unsigned N) { return B.CreateStructGEP(T, All, N); };
  SmallVector<Value *, 24> Args;
  for (auto [N, Word] : enumerate(R.Words))
    Args.push_back(R.Known[N]    ? (Value *)R.Known[N]
                   : Word == "s" ? Stream
                   : Routine::bytesOf(Word)
                       ? At(N)
                       : B.CreateLoad(T->getElementType(N), At(N)));
  if (!R.ofRuntime())
    B.CreateCall(Runtime.require(R.runtime("graph_enter")),
                 {Args[R.Handle], Stream,
                  B.CreateLoad(B.getInt32Ty(), At(Args.size()))});
  CallInst *Call = B.CreateCall(R.F, Args);
  Call->addFnAttr(Attribute::get(B.getContext(), MadeNow));
  if (!R.ofRuntime())
    B.CreateCall(Runtime.require(R.runtime("graph_leave")), {Args[R.Handle]});
  B.CreateCall(Runtime.require("rg_graph_call_done"),
               {Call, B.CreateGlobalString(R.F->getName())});
}

/// rg.graph.make.N(element, stream): the operation of one kind.
static Function *makeOperation(
    Module &M, unsigned Kind,
    function_ref<void(IRBuilderBase &, Value *All, Value *Stream)> Make) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  Type *Ptr = B.getPtrTy();
  auto *F = Function::Create(
      FunctionType::get(B.getVoidTy(), {Ptr, Ptr}, false),
      GlobalValue::InternalLinkage, GraphPrefix + "make." + Twine(Kind), M);
  F->addFnAttr(Attribute::NoInline);
  F->setDoesNotThrow();
  B.SetInsertPoint(BasicBlock::Create(Ctx, "", F));
  Make(B, B.CreateLoad(Ptr, nodeField(B, F->getArg(0), NodeHead + Kind)),
       F->getArg(1));
  B.CreateRetVoid();
  return F;
}

/// rg.graph.operation(element, stream, kind). A derivative that has no element
/// of some kind does not need that kind's: so this is a dispatcher, whose
/// callees may be without a derivative until they are called.
static Function *writeOperation(Module &M, ArrayRef<Function *> Kernels,
                                ArrayRef<Routine> Routines) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  Type *Ptr = B.getPtrTy();
  SmallVector<std::pair<unsigned, Function *>, 8> Kinds;
  for (auto [N, Kernel] : enumerate(Kernels)) {
    Function &Run = *Kernel;
    Kinds.push_back(
        {N,
         makeOperation(M, N, [&](IRBuilderBase &B, Value *All, Value *Stream) {
           Operands O(Run);
           SmallVector<Value *, 16> Args;
           for (auto [A, Field] : zip(Run.args(), O.FieldOf)) {
             if (Field < 0) {
               Args.push_back(A.getArgNo() + 1 == LaunchPlaces
                                  ? Stream
                                  : (Value *)Operands::variableOf(A));
               continue;
             }
             Value *At = B.CreateStructGEP(O.T, All, Field);
             Args.push_back(A.hasByValAttr() ? At
                                             : B.CreateLoad(A.getType(), At));
           }
           launch(B, Run, Args);
         })});
  }
  for (auto [N, R] : enumerate(Routines)) {
    unsigned Kind = Kernels.size() + N;
    Kinds.push_back(
        {Kind, makeOperation(M, Kind,
                             [&](IRBuilderBase &B, Value *All, Value *Stream) {
                               callAgain(B, R, All, Stream);
                             })});
  }
  auto *F = Function::Create(
      FunctionType::get(B.getVoidTy(), {Ptr, Ptr, B.getInt64Ty()}, false),
      GlobalValue::InternalLinkage, GraphPrefix + "operation", M);
  F->addFnAttr(DispatchesCalls, std::to_string(Kinds.size()));
  F->setDoesNotThrow();
  B.SetInsertPoint(BasicBlock::Create(Ctx, "", F));
  auto *End = BasicBlock::Create(Ctx, "", F);
  SwitchInst *Which = B.CreateSwitch(F->getArg(2), End);
  for (auto [Kind, Make] : Kinds) {
    auto *Block = BasicBlock::Create(Ctx, "", F, End);
    Which->addCase(B.getInt64(Kind), Block);
    B.SetInsertPoint(Block);
    B.CreateCall(Make, {F->getArg(0), F->getArg(1)});
    B.CreateBr(End);
  }
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return F;
}

namespace {
/// Around a body for each element of a graph's list, which is current when this
/// returns: the block that goes on to the next one, and the end.
struct ListLoop {
  PHINode *Node;
  BasicBlock *Next, *End;

  ListLoop(IRBuilderBase &B, Value *Graph) {
    Function *F = B.GetInsertBlock()->getParent();
    LLVMContext &Ctx = B.getContext();
    BasicBlock *Before = B.GetInsertBlock();
    auto *Head = BasicBlock::Create(Ctx, "", F);
    auto *Body = BasicBlock::Create(Ctx, "", F);
    Next = BasicBlock::Create(Ctx, "", F);
    End = BasicBlock::Create(Ctx, "", F);
    Value *First = B.CreateLoad(B.getPtrTy(), Graph);
    B.CreateBr(Head);
    B.SetInsertPoint(Head);
    Node = B.CreatePHI(B.getPtrTy(), 2);
    Node->addIncoming(First, Before);
    B.CreateCondBr(B.CreateIsNull(Node), End, Body);
    B.SetInsertPoint(Next);
    Node->addIncoming(B.CreateLoad(B.getPtrTy(), nodeField(B, Node, 0)), Next);
    B.CreateBr(Head);
    B.SetInsertPoint(Body);
  }
};
} // namespace

/// rg.graph.list(graph): a list like that of the graph, of elements of its own.
static void writeList(Module &M, unsigned Kinds) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  Type *Ptr = B.getPtrTy();
  auto *F = Function::Create(FunctionType::get(Ptr, {Ptr}, false),
                             GlobalValue::InternalLinkage, GraphList, M);
  F->addFnAttr(Attribute::NoInline);
  F->setDoesNotThrow();
  B.SetInsertPoint(BasicBlock::Create(Ctx, "", F));
  Value *List = B.CreateCall(M.getOrInsertFunction("rg_graph_list", Ptr, Ptr),
                             {F->getArg(0)});
  ListLoop Loop(B, F->getArg(0));
  FunctionCallee Add =
      M.getOrInsertFunction("rg_graph_list_add", B.getVoidTy(), Ptr, Ptr, Ptr);
  auto *Other = BasicBlock::Create(Ctx, "", F);
  SwitchInst *Which = B.CreateSwitch(
      B.CreateLoad(B.getInt64Ty(), nodeField(B, Loop.Node, 1)), Other);
  B.SetInsertPoint(Other);
  B.CreateCall(Add, {List, makeNode(B, -1), Loop.Node});
  B.CreateBr(Loop.Next);
  for (unsigned Kind = 0; Kind != Kinds; ++Kind) {
    auto *Block = BasicBlock::Create(Ctx, "", F);
    Which->addCase(B.getInt64(Kind), Block);
    B.SetInsertPoint(Block);
    Value *Copy = makeNode(B, Kind);
    B.CreateStore(B.CreateLoad(Ptr, nodeField(B, Loop.Node, NodeHead + Kind)),
                  nodeField(B, Copy, NodeHead + Kind));
    B.CreateCall(Add, {List, Copy, Loop.Node});
    B.CreateBr(Loop.Next);
  }
  B.SetInsertPoint(Loop.End);
  B.CreateRet(List);
}

/// rg.graph.launch: Kernels by their kinds.
static void writeLaunch(Module &M, ArrayRef<Function *> Kernels,
                        ArrayRef<Routine> Routines, GlobalVariable &Owner) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  Type *Ptr = B.getPtrTy();
  Function *Operation = writeOperation(M, Kernels, Routines);
  auto *F =
      Function::Create(FunctionType::get(B.getInt32Ty(), {Ptr, Ptr}, false),
                       GlobalValue::InternalLinkage, GraphLaunch, M);
  F->addFnAttr(Attribute::NoInline);
  F->setDoesNotThrow();
  Value *Graph = F->getArg(0), *Stream = F->getArg(1);
  B.SetInsertPoint(BasicBlock::Create(Ctx, "", F));
  B.CreateCall(RuntimeLibrary(M).require("rg_graph_check"),
               {Graph, Stream, &Owner});
  ListLoop Loop(B, Graph);
  B.CreateCall(Operation,
               {Loop.Node, Stream,
                B.CreateLoad(B.getInt64Ty(), nodeField(B, Loop.Node, 1))});
  B.CreateBr(Loop.Next);
  B.SetInsertPoint(Loop.End);
  B.CreateRet(B.getInt32(0));
}

void HostLaunches::writeGraphs() {
  if (!capturesStreams(M) || Launches.empty())
    return;
  auto *Owner = new GlobalVariable(
      M, Type::getInt8Ty(M.getContext()), true, GlobalValue::InternalLinkage,
      ConstantInt::get(Type::getInt8Ty(M.getContext()), 0), GraphOwner);
  SmallVector<Function *, 8> Kernels;
  for (const Launch &L : Launches) {
    writeCaptured(*L.Run, Kernels.size(), *Owner);
    Kernels.push_back(L.Run);
  }
  SmallVector<Routine, 8> Routines = routinesOf(M);
  for (const Routine &R : Routines) {
    writeCaptured(R, Kernels.size() + CapturedRoutines.size(), *Owner);
    CapturedRoutines.push_back(R.Captured);
  }
  writeList(M, Kernels.size() + Routines.size());
  writeLaunch(M, Kernels, Routines, *Owner);
}

void HostLaunches::eraseGraphs() {
  for (Function &F : M)
    if (F.isDeclaration())
      for (User *U : F.users())
        if (auto *C = dyn_cast<CallBase>(U))
          C->removeFnAttr(Place);
  auto Erase = [&](StringRef Name) {
    if (Function *F = M.getFunction(Name); F && F->use_empty())
      F->eraseFromParent();
  };
  Erase(GraphLaunch);
  Erase(GraphList);
  Erase((GraphPrefix + "operation").str());
  unsigned Kinds = Launches.size() + CapturedRoutines.size();
  for (unsigned Kind = 0; Kind != Kinds; ++Kind)
    Erase((GraphPrefix + "make." + Twine(Kind)).str());
  for (const Launch &L : Launches)
    Erase(capturedName(*L.Run));
  for (const std::string &Name : CapturedRoutines)
    Erase(Name);
}

namespace {
/// A call that is about the work of a stream: what takes its place where
/// streams are captured.
struct StreamCall {
  StringRef Instead; ///< a function with the same operands; empty: refused
  int Stream = -1;   ///< the operand; -1: not known
  int Copied = -1;   ///< the operand that is a graph whose list is copied
};
} // namespace

static std::optional<StreamCall> streamCall(StringRef Name) {
  StringRef Instead =
      StringSwitch<StringRef>(Name)
          .Case("cudaEventRecord", "rg_capture_record")
          .Case("cudaEventRecordWithFlags", "rg_capture_record_with")
          .Case("cudaStreamWaitEvent", "rg_capture_wait")
          .Case("cudaStreamIsCapturing", "rg_capture_status")
          .Case("cudaStreamBeginCapture", "rg_graph_begin")
          .Case("cudaStreamEndCapture", "rg_graph_end")
          .Cases({"cudaGraphInstantiate", "cudaGraphInstantiateWithFlags"},
                 "rg_graph_instantiate")
          .Case("cudaGraphCreate", "rg_graph_create")
          .Case("cudaGraphAddEmptyNode", "rg_graph_add_empty")
          .Case("cudaGraphAddChildGraphNode", "rg_graph_add_child")
          .Case("cudaGraphAddDependencies", "rg_graph_order")
          .Case("cudaGraphClone", "rg_graph_clone")
          .Case("cudaGraphGetNodes", "rg_graph_nodes")
          .Case("cudaGraphExecUpdate", "rg_graph_update")
          .Case("cudaGraphUpload", "rg_graph_upload")
          .Cases({"cudaGraphDestroy", "cudaGraphExecDestroy"},
                 "rg_graph_destroy")
          .Case("cudaGraphLaunch", GraphLaunch)
          .Default("");
  if (!Instead.empty())
    return StreamCall{Instead, -1,
                      StringSwitch<int>(Instead)
                          .Cases({"rg_graph_instantiate", "rg_graph_clone",
                                  "rg_graph_update"},
                                 1)
                          .Case("rg_graph_add_child", 4)
                          .Default(-1)};
  int Stream = StringSwitch<int>(Name)
                   .Case("cudaStreamAddCallback", 0)
                   .Case("cudaFreeAsync", 1)
                   .Case("cudaMallocAsync", 2)
                   .Cases({"cudaMallocFromPoolAsync", "cudaMemset3DAsync"}, 3)
                   .Default(-1);
  if (Stream >= 0)
    return StreamCall{"", Stream};
  // At a place that is not known.
  if (auto [Library, Words] = graphForm(Name).split(' ');
      Library == "copy" || Library == "fill" || Library == "call") {
    SmallVector<StringRef, 8> Each;
    Words.split(Each, ' ');
    return StreamCall{"", int(find(Each, "s") - Each.begin())};
  }
  if (isInactiveName(Name))
    return std::nullopt;
  for (StringRef Prefix : {"cublas", "cufftExec", "cusparseSp", "cusolverDn",
                           "curandGenerate", "nccl"})
    if (Name.starts_with(Prefix))
      return StreamCall{"", -1};
  return std::nullopt;
}

/// The stream of work that C, which adds or changes a node, stands for.
static Value *beginNode(IRBuilderBase &B, const CallBase &C,
                        const NodeCall &Node, GlobalVariable &Owner) {
  Module &M = *B.GetInsertBlock()->getModule();
  Type *Ptr = B.getPtrTy();
  B.CreateCall(RuntimeLibrary(M).require("rg_capture_owner"), {&Owner});
  bool Add = Node.K == NodeCall::AddNode;
  return B.CreateCall(
      M.getOrInsertFunction(Add ? "rg_graph_add" : "rg_graph_change", Ptr, Ptr),
      {C.getArgOperand(Add ? 1 : 0)});
}
/// Behind that work, in the place of C.
static void endNode(IRBuilderBase &B, CallBase &C, const NodeCall &Node) {
  Module &M = *B.GetInsertBlock()->getModule();
  Type *I32 = B.getInt32Ty(), *Ptr = B.getPtrTy();
  Value *First = C.getArgOperand(0), *Status;
  if (Node.K == NodeCall::AddNode) {
    Status = B.CreateCall(M.getOrInsertFunction("rg_graph_added", I32, Ptr),
                          {First});
  } else {
    bool Launched = Node.K == NodeCall::ChangeLaunched;
    Value *Handle = Launched ? C.getArgOperand(1) : First;
    Value *Graph = Launched ? First : B.CreateLoad(Ptr, Handle);
    Status =
        B.CreateCall(M.getOrInsertFunction("rg_graph_changed", I32, Ptr, Ptr),
                     {Graph, Handle});
  }
  C.replaceAllUsesWith(Status);
  C.eraseFromParent();
}
/// A member of a struct that node parameters are.
static Value *member(IRBuilderBase &B, Type *T, Value *Given, unsigned Byte) {
  return B.CreateLoad(T,
                      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Given, Byte));
}

/// cudaGraphAddMemcpyNode1D(node, graph, after, number, to, from, bytes, kind)
/// and its like become the copy in a stream that is being captured.
static void makeNode(CallBase &C, const NodeCall &Node, Function &Captured,
                     GlobalVariable &Owner) {
  Module &M = *C.getModule();
  IRBuilder<> B(&C);
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty(), *Ptr = B.getPtrTy();
  Value *Stream = beginNode(B, C, Node, Owner);
  Value *Given = C.getArgOperand(C.arg_size() - 1);
  SmallVector<Value *, 8> Args;
  if (Node.Routine == "cudaMemcpyAsync") {
    for (Value *A : drop_begin(C.args(), Node.before()))
      Args.push_back(A);
    Args.push_back(Stream);
  } else if (Node.Routine == "cudaMemcpy3DAsync") {
    Args = {Given, Stream};
  } else if (Node.Routine == "cudaMemset2DAsync") {
    // cudaMemsetParams: where, the pitch, the value, bytes of an element, two
    // sizes.
    Value *Byte =
        B.CreateCall(M.getOrInsertFunction("rg_graph_fill_byte", I32, I32, I32),
                     {member(B, I32, Given, 16), member(B, I32, Given, 20)});
    Value *Width = B.CreateMul(member(B, I64, Given, 24),
                               B.CreateZExt(member(B, I32, Given, 20), I64));
    Args = {member(B, Ptr, Given, 0),
            member(B, I64, Given, 8),
            Byte,
            Width,
            member(B, I64, Given, 32),
            Stream};
  } else {
    Args = {Stream, member(B, Ptr, Given, 0), member(B, Ptr, Given, 8)};
  }
  B.CreateCall(&Captured, Args);
  endNode(B, C, Node);
}

/// cudaGraphAddKernelNode(node, graph, after, number, parameters) becomes the
/// launch that the parameters stand for, in a stream that is being captured. So
/// do cudaGraphKernelNodeSetParams(node, parameters) and its form for an
/// instantiated graph.
static void makeKernelNode(CallBase &C, GlobalVariable &Owner,
                           const NodeCall &Node) {
  Module &M = *C.getModule();
  IRBuilder<> B(&C);
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty(), *Ptr = B.getPtrTy();
  Value *Given = C.getArgOperand(C.arg_size() - 1);
  // cudaKernelNodeParams: the kernel, two times three sizes, shared bytes, and
  // where its parameters are.
  auto At = [&](Type *T, unsigned Byte) { return member(B, T, Given, Byte); };
  auto Two = [&](unsigned Byte) {
    Value *Low = B.CreateZExt(At(I32, Byte), I64);
    return B.CreateOr(Low,
                      B.CreateShl(B.CreateZExt(At(I32, Byte + 4), I64), 32));
  };
  Value *Stream = beginNode(B, C, Node, Owner);
  Value *Args[] = {At(Ptr, 0),
                   Two(8),
                   At(I32, 16),
                   Two(20),
                   At(I32, 28),
                   At(Ptr, 40),
                   B.CreateZExt(At(I32, 32), I64),
                   Stream};
  B.CreateCall(M.getOrInsertFunction(KernelLaunch, I32, Ptr, I64, I32, I64, I32,
                                     Ptr, I64, Ptr),
               Args);
  endNode(B, C, Node);
}

void retrograd::rewriteCaptures(Function &Clone) {
  Module &M = *Clone.getParent();
  GlobalVariable *Owner = M.getNamedGlobal(GraphOwner);
  if (!Owner)
    return;
  RuntimeLibrary Runtime(M);
  for (Instruction &I : make_early_inc_range(instructions(Clone))) {
    auto *C = dyn_cast<CallBase>(&I);
    const Function *Callee = C ? C->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration())
      continue;
    std::optional<NodeCall> Node = nodeCall(*C);
    if (Node && Node->Routine == KernelLaunch) {
      if (auto *Inv = dyn_cast<InvokeInst>(C))
        C = changeToCall(Inv);
      makeKernelNode(*C, *Owner, *Node);
      continue;
    }
    if (Callee->getName() == "cudaGraphAddDependencies" && C->arg_size() == 5) {
      // Since CUDA 13 edges have data, which leaves the order as it is.
      IRBuilder<> B(C);
      Type *Ptr = B.getPtrTy();
      C->replaceAllUsesWith(B.CreateCall(
          M.getOrInsertFunction("rg_graph_order", C->getType(), Ptr, Ptr, Ptr,
                                C->getArgOperand(4)->getType()),
          {C->getArgOperand(0), C->getArgOperand(1), C->getArgOperand(2),
           C->getArgOperand(4)}));
      if (auto *Inv = dyn_cast<InvokeInst>(C))
        C = changeToCall(Inv);
      C->eraseFromParent();
      continue;
    }
    if (C->hasFnAttr(MadeNow))
      continue;
    if (Node) {
      Function *Captured =
          M.getFunction(capturedRoutine(*C, Node->Routine, StringRef("s")));
      if (!Captured)
        continue; // refused, as a call that nobody knows
      if (auto *Inv = dyn_cast<InvokeInst>(C))
        C = changeToCall(Inv);
      makeNode(*C, *Node, *Captured, *Owner);
      continue;
    }
    if (auto Words = graphWords(*Callee).second; !Words.empty())
      if (Function *Captured =
              M.getFunction(capturedRoutine(*C, Callee->getName(), Words));
          Captured && Captured->getFunctionType() == C->getFunctionType()) {
        C->setCalledFunction(Captured);
        continue;
      }
    std::optional<StreamCall> S = streamCall(Callee->getName());
    if (!S)
      continue;
    IRBuilder<> B(C);
    if (!S->Instead.empty()) {
      if (S->Instead == "rg_graph_begin" || S->Instead == "rg_graph_create")
        B.CreateCall(Runtime.require("rg_capture_owner"), {Owner});
      if (S->Copied >= 0 && unsigned(S->Copied) < C->arg_size())
        C->setArgOperand(S->Copied,
                         B.CreateCall(M.getFunction(GraphList),
                                      {C->getArgOperand(S->Copied)}));
      // Routines of the runtime, or names that expansions have.
      FunctionType *T = C->getFunctionType();
      Function *Routine = Runtime.require(S->Instead);
      C->setCalledFunction(Routine ? FunctionCallee(T, Routine)
                                   : M.getOrInsertFunction(S->Instead, T));
      continue;
    }
    Value *Name = B.CreateGlobalString(Callee->getName());
    if (S->Stream < 0)
      B.CreateCall(Runtime.require("rg_capture_refuse_any"), {Name});
    else if (unsigned(S->Stream) < C->arg_size() &&
             C->getArgOperand(S->Stream)->getType()->isPointerTy())
      B.CreateCall(Runtime.require("rg_capture_refuse"),
                   {C->getArgOperand(S->Stream), Name});
  }
}
