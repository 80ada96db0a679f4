//===- PolicyMethods.cpp - loops over the range of a policy ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function template is given a label, a policy, a body and perhaps a result.
// The policy tells what the body is called for:
//
//   a range    body(i), for each index from first to last
//   tiles      of an index space of several dimensions: an object that is made
//              of policy and body calls the body for all indices of a tile
//   a league   body(member), once for each team; the member tells which team
//              this is and where its memory lies. Teams of a derivative have
//              one thread
//
// A reduction hands a value to the body, too. Each thread has a value of its
// own; the result is what their sum, or join of a reducer, makes of them. A
// scan's body also learns whether this is the last time, when the value is what
// all before i have added. A policy may have a tag, which the body is given
// first.
//
// A value is a number that is added to, what a reducer says by its members
// init(value) and join(into, from), or what the object says by which the
// library itself begins, joins and ends values. Values that are arrays are not
// handled: no substitute is made.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/ParallelMethods.h"
#include "Guard/MethodSubstitute.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

/// Of the library's own classes: what holds a body and a reducer, the member
/// class that is a reducer, and the function that tells where a result goes.
static constexpr StringLiteral OfBoth = "Kokkos::Impl::CombinedFunctorReducer<",
                               OfAnalysis = "Kokkos::Impl::FunctorAnalysis<",
                               AnalysisReducer = "::Reducer",
                               ResultPlace = "return_value",
                               OfLeague = "Kokkos::Impl::TeamPolicyInternal<",
                               OfTeamMemory =
                                   "Kokkos::Impl::FunctorTeamShmemSize<",
                               OfTeam =
                                   "class.Kokkos::Impl::HostThreadTeamData";

namespace {
class PolicySubstitute : MethodSubstitute {
public:
  PolicySubstitute(Function &Method, const CxxName &Name,
                   const ParallelMethodRecord &Known, const CxxMembers &All)
      : MethodSubstitute(Method, All), Name(Name), Known(Known) {}
  Function *make();

private:
  bool understand();
  bool understandRange();
  bool understandTiles();
  bool understandLeague();
  bool understandValue();
  bool understandReducer(StringRef Reducer, StringRef OfValue);
  bool understandLibrary();
  Function *findBody(unsigned Operands);
  std::optional<Function *> destructorOf(Type *Result) const;
  Function *makePass(bool Last);
  Value *index(Value *Base, Value *I);
  Value *object(const Function &Constructor);
  void end(StringRef Class, Value *Object);
  void start(Value *Reducer, Value *At);
  void add(Value *Reducer, Value *To, Value *From);
  void finish(Value *Reducer, Value *Result, Value *Values, Value *Ends);
  Value *resultOf(Value *Given);
  Value *teamMemory(Value *Policy, Value *Object);
  Value *makeTeam(Value *Bytes);
  void makeMember(Value *Member, Value *Team, Value *Rank, Value *Count);

  const CxxName &Name;
  const ParallelMethodRecord &Known;
  SmallVector<std::string, 3> Arguments;
  Function *First = nullptr, *Last = nullptr, *Body = nullptr;
  /// Is the body given a tag, and by address?
  bool IsTagged = false, TagInMemory = false;
  /// Of a value: its bytes, and either its type, which is a number's, or what a
  /// reducer does.
  uint64_t Size = 0;
  Type *Number = nullptr;
  Function *Init = nullptr, *Join = nullptr, *View = nullptr, *Data = nullptr,
           *EndOfView = nullptr;
  /// Of the library's own reducer: what makes it, of the body or of what is
  /// given; what makes an object of body and reducer; what ends a value.
  Function *MakeReducer = nullptr, *MakeBoth = nullptr, *Final = nullptr;
  std::string ReducerClass, BothClass;
  bool ReducerOfBody = false;
  /// Tiles: what makes the object that walks, its class, and where in the
  /// policy the number of tiles is.
  Function *MakeWalk = nullptr;
  std::string WalkClass;
  uint64_t CountAt = 0;
  Type *CountType = nullptr;
  /// Leagues: what makes a member, the size of teams, and of their memory.
  Function *MakeMember = nullptr, *TeamSize = nullptr, *PolicyMemory = nullptr,
           *BodyMemory = nullptr;
  StructType *Team = nullptr;

  bool isTiles() const {
    return Known.Kind == ParallelMethodKind::TileLoop ||
           Known.Kind == ParallelMethodKind::TileReduction;
  }
  bool isLeague() const {
    return Known.Kind == ParallelMethodKind::LeagueLoop ||
           Known.Kind == ParallelMethodKind::LeagueReduction;
  }
  bool isLoop() const {
    return Known.Kind == ParallelMethodKind::PolicyLoop ||
           Known.Kind == ParallelMethodKind::TileLoop ||
           Known.Kind == ParallelMethodKind::LeagueLoop;
  }
  bool isScan() const { return Known.Kind == ParallelMethodKind::PolicyScan; }
  bool isOneThread() const;
  /// Where in the body's operands what it is called for stands.
  unsigned place() const { return 1 + TagInMemory; }
  /// Between the values of two threads: no cache line is shared.
  uint64_t stride() const { return alignTo(Size, 64); }
};
} // namespace

/// The arguments of the last template in a name.
static SmallVector<std::string, 3> argumentsOf(StringRef Whole) {
  if (!Whole.ends_with(">"))
    return {};
  int Depth = 0;
  size_t Open = Whole.size();
  do {
    --Open;
    Depth += StringRef(">)}]").contains(Whole[Open]);
    Depth -= StringRef("<({[").contains(Whole[Open]);
  } while (Depth && Open);
  return parts(Whole.substr(Open));
}

/// What ends an object of a type, as the method itself does it; null where
/// nothing does. A class may have no destructor of its own: clang calls that of
/// its only base instead.
std::optional<Function *> PolicySubstitute::destructorOf(Type *Result) const {
  std::optional<Function *> Found;
  for (Instruction &I : instructions(Method)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->arg_empty() || Call->getParamStructRetType(0) != Result)
      continue;
    Found = nullptr;
    for (User *U : Call->getArgOperand(0)->users())
      if (auto *Later = dyn_cast<CallBase>(U);
          Later && Later->arg_size() == 1 && Later->getCalledFunction())
        if (std::optional<CxxName> N = demangle(*Later->getCalledFunction());
            N && N->IsStructor && N->Base[0] == '~')
          return Later->getCalledFunction();
  }
  return Found;
}

static bool anything(StringRef) { return true; }

bool PolicySubstitute::isOneThread() const {
  return is_contained(argumentsOf(Arguments[0]), Known.OneThread.str());
}

/// What calls an object of the body's class with so many operands, the tag not
/// counted: the first is an index, or a member of a team.
Function *PolicySubstitute::findBody(unsigned Operands) {
  const SmallVector<std::string, 3> Tags = argumentsOf(Arguments[0]);
  SmallVector<Function *, 2> Plain, Tagged;
  bool InMemory = false;
  All.each(Arguments[1], [&](Function &F, const CxxName &N) {
    if (N.Base != "operator()")
      return;
    SmallVector<std::string, 3> Params = parts(N.Params);
    const bool HasTag =
        Params.size() == Operands + 1 && any_of(Tags, [&](StringRef Tag) {
          return Params[0] == Tag || Params[0] == (Tag + " const&").str();
        });
    if (Params.size() != Operands + HasTag)
      return;
    const bool ByAddress = HasTag && StringRef(Params[0]).ends_with("&");
    if (F.arg_size() != 1u + ByAddress + Operands)
      return;
    for (unsigned I = 0; I != Operands; ++I)
      if (F.getArg(1 + ByAddress + I)->getType()->isPointerTy() !=
          (I == 1 || (!I && isLeague())))
        return;
    (HasTag ? Tagged : Plain).push_back(&F);
    InMemory |= ByAddress;
  });
  IsTagged = !Tagged.empty();
  TagInMemory = IsTagged && InMemory;
  const SmallVector<Function *, 2> &Found = IsTagged ? Tagged : Plain;
  return Found.size() == 1 ? Found[0] : nullptr;
}

bool PolicySubstitute::understandReducer(StringRef Reducer, StringRef OfValue) {
  Init = All.find(Reducer, Known.Init, 2, anything);
  Join = All.find(Reducer, Known.Join, 3, anything);
  View = All.find(Reducer, "view", 2, anything);
  SmallVector<std::string, 3> Own = argumentsOf(Reducer);
  if (!Init || !Join || !View || Own.empty() || !View->getParamStructRetType(0))
    return false;
  const std::string OfView =
      "Kokkos::View<" + OfValue.str() + ", " + Own.back() + ">";
  Data = All.find(OfView, "data", 1, anything);
  std::optional<Function *> End = destructorOf(View->getParamStructRetType(0));
  EndOfView = End.value_or(nullptr);
  Size = Join->getParamDereferenceableBytes(1);
  return Data && End && Size && Size == Init->getParamDereferenceableBytes(1);
}

/// The function that F calls, itself or by way of others of the same name in
/// part, to learn where a View's numbers are.
static Function *findData(const Function &F, unsigned Depth) {
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->getName().starts_with("_Z"))
      continue;
    if (Callee->arg_size() == 1 && Callee->getReturnType()->isPointerTy() &&
        Callee->getName().contains("4dataEv"))
      return Callee;
    if (Depth && !Callee->isDeclaration() &&
        Callee->getName().contains("ParallelReduce"))
      if (Function *Data = findData(*Callee, Depth - 1))
        return Data;
  }
  return nullptr;
}

/// Of the objects that the method itself makes: a reducer that knows how values
/// begin, are joined and end, whatever they are.
bool PolicySubstitute::understandLibrary() {
  Number = nullptr;
  Init = Join = View = Data = EndOfView = nullptr;
  if (Method.arg_size() != 4)
    return false;
  for (Instruction &I : instructions(Method)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    std::optional<CxxName> N = Callee && Callee->getName().starts_with("_Z")
                                   ? demangle(*Callee)
                                   : std::nullopt;
    if (!N)
      continue;
    StringRef Class = N->Class;
    const bool Makes = N->IsStructor && N->Base[0] != '~';
    if (Makes && Class.starts_with(OfBoth) && Callee->arg_size() == 3) {
      MakeBoth = Callee;
      BothClass = N->Class;
    } else if (Makes && Class.starts_with(OfAnalysis) &&
               Class.ends_with(AnalysisReducer) && Callee->arg_size() == 2) {
      MakeReducer = Callee;
      ReducerClass = N->Class;
      SmallVector<std::string, 3> Params = parts(N->Params);
      ReducerOfBody =
          Params.size() == 1 && Params[0] == Arguments[1] + " const&";
    } else if (N->Base == ResultPlace &&
               Callee->arg_size() == 2u + Callee->hasStructRetAttr() &&
               Callee->getReturnType()->isVoidTy() ==
                   Callee->hasStructRetAttr()) {
      View = Callee;
    }
  }
  if (!MakeBoth || !MakeReducer || !View)
    return false;
  Init = All.find(ReducerClass, Known.Init, 2, anything);
  Join = All.find(ReducerClass, Known.Join, 3, anything);
  Final = All.find(ReducerClass, "final", 2, anything);
  Data = findData(Method, 3);
  // What is returned in registers ends by itself.
  std::optional<Function *> End =
      View->hasStructRetAttr() ? destructorOf(View->getParamStructRetType(0))
                               : std::optional<Function *>(nullptr);
  EndOfView = End.value_or(nullptr);
  Size = Init ? Init->getAttributes().getRetDereferenceableBytes() : 0;
  return Final && Data && End && Size && (Join || isOneThread()) &&
         (isTiles() || Body->getParamDereferenceableBytes(place() + 1) == Size);
}

bool PolicySubstitute::understandValue() {
  StringRef OfBody = Arguments[1];
  // A body may say how its values begin and what is done with two of them.
  for (StringRef Own : {Known.Init, Known.Join, StringRef("final")})
    if (All.has(OfBody, Own))
      return false;
  std::optional<CxxName> Called = demangle(*Body);
  SmallVector<std::string, 3> Params =
      Called ? parts(Called->Params) : SmallVector<std::string, 3>();
  if (Params.size() < 2u + IsTagged)
    return false;
  StringRef Of = Params[1 + IsTagged];
  if (!Of.consume_back("&"))
    return false;
  Number =
      StringSwitch<Type *>(Of)
          .Case("double", B.getDoubleTy())
          .Case("float", B.getFloatTy())
          .Cases({"int", "unsigned int"}, B.getInt32Ty())
          .Cases({"long", "unsigned long", "long long", "unsigned long long"},
                 B.getInt64Ty())
          .Default(nullptr);
  const bool HasResult = Arguments.size() > 2 && Arguments[2] != "void";
  const bool IsNumber = HasResult && Arguments[2] == Of;
  if (HasResult && !IsNumber) {
    Number = nullptr;
    StringRef Reducer = Arguments[2];
    Reducer.consume_back(" const");
    return !isScan() && understandReducer(Reducer, Of) &&
           Size == Body->getParamDereferenceableBytes(place() + 1);
  }
  if (!Number || HasResult != (Method.arg_size() == 4))
    return false;
  Size = M.getDataLayout().getTypeStoreSize(Number);
  return Size == Body->getParamDereferenceableBytes(place() + 1);
}

bool PolicySubstitute::understandRange() {
  First = All.find(Arguments[0], Known.First, 1, anything);
  Last = All.find(Arguments[0], Known.Last, 1, anything);
  Body = findBody(isLoop() ? 1 : isScan() ? 3 : 2);
  return First && Last && Body && First->getReturnType()->isIntegerTy() &&
         First->getReturnType() == Last->getReturnType() &&
         First->getReturnType()->getIntegerBitWidth() <= 64 &&
         First->getReturnType()->getIntegerBitWidth() >=
             Body->getArg(place())->getType()->getIntegerBitWidth();
}

/// Where in a policy the number of tiles is: behind four arrays of one type
/// (bounds, sizes and numbers of tiles) and in front of the size of a tile.
static std::optional<unsigned> countOfTiles(const StructType &Policy) {
  for (unsigned I = 4; I + 2 < Policy.getNumElements(); ++I) {
    Type *Array = Policy.getElementType(I - 1);
    if (isa<StructType>(Array) && Policy.getElementType(I)->isIntegerTy() &&
        Policy.getElementType(I) == Policy.getElementType(I + 1) &&
        Policy.getElementType(I + 2)->isIntegerTy(8) &&
        all_of(seq(I - 4, I),
               [&](unsigned K) { return Policy.getElementType(K) == Array; }))
      return I;
  }
  return std::nullopt;
}

bool PolicySubstitute::understandTiles() {
  const std::string OfPolicy = ("struct." + Known.Policy).str();
  const std::string Walked =
      (Known.Walk + "<" + Arguments[0] + ", " +
       (isLoop() ? StringRef(Arguments[1]) : StringRef(BothClass)) + ",")
          .str();
  WalkClass = All.classThatBegins(Walked);
  // Anything but the policy's type and the class of what is walked over is the
  // library's choice.
  All.each(WalkClass, [&](Function &F, const CxxName &N) {
    const unsigned Operands = isLoop() ? 2 : 3;
    if (N.IsStructor && N.Base[0] != '~' && F.arg_size() == 3)
      MakeWalk = &F;
    else if (N.Base == "operator()" && F.arg_size() == Operands &&
             F.getArg(1)->getType()->isIntegerTy() &&
             (isLoop() || F.getParamDereferenceableBytes(2) == Size))
      Body = &F;
  });
  if (!MakeWalk || !Body)
    return false;
  for (Instruction &I : instructions(*Body)) {
    auto *Address = dyn_cast<GetElementPtrInst>(&I);
    auto *Walk = Address ? dyn_cast<StructType>(Address->getSourceElementType())
                         : nullptr;
    auto *Policy = Walk && Walk->getNumElements()
                       ? dyn_cast<StructType>(Walk->getElementType(0))
                       : nullptr;
    if (!Policy || !Policy->hasName() ||
        !Policy->getName().starts_with(OfPolicy))
      continue;
    std::optional<unsigned> At = countOfTiles(*Policy);
    if (!At)
      return false;
    CountType = Policy->getElementType(*At);
    CountAt = M.getDataLayout().getStructLayout(Policy)->getElementOffset(*At);
    return true;
  }
  return false;
}

/// Are these the members of what a team knows of itself?
static bool isTeam(const StructType *T) {
  // Three addresses of memory; the numbers of what lies there; who it is.
  static constexpr StringLiteral Form = "slpppiilllliiiiiiiiii";
  return T && T->getNumElements() == Form.size() &&
         all_of(enumerate(T->elements()), [](auto Element) {
           Type *E = Element.value();
           switch (Form[Element.index()]) {
           case 's':
             return E->isStructTy();
           case 'p':
             return E->isPointerTy();
           case 'l':
             return E->isIntegerTy(64);
           default:
             return E->isIntegerTy(32);
           }
         });
}

bool PolicySubstitute::understandLeague() {
  Body = findBody(isLoop() ? 1 : 2);
  std::optional<CxxName> Called = Body ? demangle(*Body) : std::nullopt;
  SmallVector<std::string, 3> Params =
      Called ? parts(Called->Params) : SmallVector<std::string, 3>();
  Team = StructType::getTypeByName(M.getContext(), OfTeam);
  if (Params.size() <= IsTagged || !isTeam(Team))
    return false;
  StringRef Member = Params[IsTagged];
  if (!Member.consume_back(" const&") || !Member.starts_with(Known.Walk))
    return false;
  std::string OfPolicy = (OfLeague + argumentsOf(Member)[0]).str();
  for (const std::string &A : argumentsOf(Arguments[0]))
    OfPolicy += ", " + A;
  OfPolicy += ">";
  Last = All.find(OfPolicy, Known.Last, 1, anything);
  TeamSize = All.find(OfPolicy, "team_size", 1, anything);
  All.each(OfPolicy, [&](Function &F, const CxxName &N) {
    if (N.Base == "scratch_size" && F.arg_size() == 3)
      PolicyMemory = &F;
  });
  All.each(All.classThatBegins((OfTeamMemory + Arguments[1] + ",").str()),
           [&](Function &F, const CxxName &N) {
             if (N.Base == "value" && F.arg_size() == 2)
               BodyMemory = &F;
           });
  All.each(Member, [&](Function &F, const CxxName &N) {
    if (N.IsStructor && N.Base[0] != '~' && F.arg_size() == 4)
      MakeMember = &F;
  });
  return Last && TeamSize && PolicyMemory && BodyMemory && MakeMember;
}

bool PolicySubstitute::understand() {
  Arguments = argumentsOf(isLoop() || isScan() ? Name.Whole : Name.Class);
  if (Arguments.size() < 2 || Method.arg_size() < 3 || Method.arg_size() > 4)
    return false;
  // Functions of the same name without a label call that with one.
  SmallVector<std::string, 3> Params = parts(Name.Params);
  if (Params.empty() || !StringRef(Params[0]).contains("string"))
    return false;
  StringRef OfPolicy = Arguments[0];
  if (!OfPolicy.consume_front(Known.Policy) || !OfPolicy.starts_with("<") ||
      !all_of(Method.args(),
              [](const Argument &A) { return A.getType()->isPointerTy(); }))
    return false;
  if (isLoop() && Method.arg_size() != 3)
    return false;
  // What walks over tiles holds the reducer, too.
  if (isTiles())
    return (isLoop() || understandLibrary()) && understandTiles();
  if (isLeague())
    return understandLeague() && (isLoop() || understandLibrary());
  return understandRange() &&
         (isLoop() || understandValue() || (!isScan() && understandLibrary()));
}

/// The index that is I behind the first one, as the body takes it.
Value *PolicySubstitute::index(Value *Base, Value *I) {
  Value *At = B.CreateAdd(Base, B.CreateTrunc(I, Base->getType()));
  return B.CreateTrunc(At, Body->getArg(place())->getType());
}

/// Room for an object of what the constructor makes.
Value *PolicySubstitute::object(const Function &Constructor) {
  AllocaInst *Room = B.CreateAlloca(ArrayType::get(
      B.getInt8Ty(), alignTo(Constructor.getParamDereferenceableBytes(0), 16)));
  Room->setAlignment(
      std::max(Align(16), Constructor.getParamAlign(0).valueOrOne()));
  return Room;
}
void PolicySubstitute::end(StringRef Class, Value *Object) {
  if (Function *End = All.destructor(Class))
    ask(*End, {Object});
}

void PolicySubstitute::start(Value *Reducer, Value *At) {
  if (Number)
    B.CreateStore(Constant::getNullValue(Number), At);
  else
    ask(*Init, {Reducer, At});
}

void PolicySubstitute::add(Value *Reducer, Value *To, Value *From) {
  if (!Number) {
    ask(*Join, {Reducer, To, From});
    return;
  }
  Value *A = B.CreateLoad(Number, To), *C = B.CreateLoad(Number, From);
  B.CreateStore(
      Number->isFloatingPointTy() ? B.CreateFAdd(A, C) : B.CreateAdd(A, C), To);
}

/// The values of Ends threads become the result.
void PolicySubstitute::finish(Value *Reducer, Value *Result, Value *Values,
                              Value *Ends) {
  Value *Sum = Result;
  if (MakeReducer) {
    AllocaInst *Room = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), Size));
    Room->setAlignment(Align(16));
    Sum = Room;
  }
  start(Reducer, Sum);
  loop(B.getInt64(0), Ends, [&](Value *T) {
    Value *Own = nth(Values, stride(), T);
    // Of one thread there is nothing to join.
    if (!Number && !Join)
      B.CreateMemCpy(Sum, Align(8), Own, Align(8), Size);
    else
      add(Reducer, Sum, Own);
  });
  if (!MakeReducer)
    return;
  ask(*Final, {Reducer, Sum});
  B.CreateMemCpy(Result, Align(1), Sum, Align(16), Size);
}

/// Where the result goes: Given itself, or what a reducer refers to.
Value *PolicySubstitute::resultOf(Value *Given) {
  if (Number)
    return Given;
  const bool InMemory = View->hasStructRetAttr();
  Value *Space = B.CreateAlloca(InMemory ? View->getParamStructRetType(0)
                                         : View->getReturnType());
  SmallVector<Value *, 3> Args;
  if (InMemory)
    Args.push_back(Space);
  Args.push_back(Given);
  if (MakeReducer)
    Args.push_back(B.GetInsertBlock()->getParent()->getArg(2));
  CallInst *Call = B.CreateCall(View, Args);
  if (InMemory)
    Call->addParamAttr(
        0, View->getAttributes().getParamAttr(0, Attribute::StructRet));
  else if (View->getAttributes().getRetDereferenceableBytes())
    Space = Call; // a reference
  else
    B.CreateStore(Call, Space);
  Value *Result = ask(*Data, {Space});
  if (EndOfView)
    ask(*EndOfView, {Space});
  return Result;
}

/// How many bytes a team's threads share.
Value *PolicySubstitute::teamMemory(Value *Policy, Value *Object) {
  Value *Level = B.CreateAlloca(B.getInt32Ty());
  Value *Bytes = B.getInt64(0);
  for (int L : {0, 1}) {
    B.CreateStore(B.getInt32(L), Level);
    Bytes =
        B.CreateAdd(Bytes, ask(*PolicyMemory, {Policy, Level, B.getInt32(-1)}));
  }
  return B.CreateAdd(Bytes, ask(*BodyMemory, {Object, B.getInt32(1)}));
}

/// What a team of one thread knows of itself. Its memory is where collective
/// operations keep values, and behind it what the program asks for.
Value *PolicySubstitute::makeTeam(Value *Bytes) {
  enum {
    Scratch = 2,
    PoolScratch,
    TeamScratch,
    PoolSize = 6,
    Reduce,
    Shared,
    Local,
    Whole,
    Size = 13,
    Alloc,
    LeagueSize = 16
  };
  constexpr unsigned OfValues = 64; // words
  Value *All = B.CreateAlloca(Team), *Pool = B.CreateAlloca(B.getPtrTy());
  B.CreateStore(Constant::getNullValue(Team), All);
  B.CreateStore(All, Pool);
  Value *Words = B.CreateAdd(
      B.CreateShl(B.CreateLShr(B.CreateAdd(Bytes, B.getInt64(15)), 4), 1),
      B.getInt64(OfValues));
  Value *Memory =
      routine("malloc", B.getPtrTy(), {B.CreateShl(Words, B.getInt64(3))});
  auto Set = [&](unsigned Member, Value *To) {
    B.CreateStore(To, B.CreateStructGEP(Team, All, Member));
  };
  Set(Scratch, Memory);
  Set(TeamScratch, Memory);
  Set(PoolScratch, Pool);
  Set(Shared, B.getInt64(OfValues));
  Set(Local, Words);
  Set(Whole, Words);
  for (unsigned One : {PoolSize, Size, Alloc, LeagueSize})
    Set(One, B.getInt32(1));
  return All;
}

void PolicySubstitute::makeMember(Value *Member, Value *Of, Value *Rank,
                                  Value *Count) {
  ask(*MakeMember, {Member, Of, B.CreateTrunc(Rank, B.getInt32Ty()),
                    B.CreateTrunc(Count, B.getInt32Ty())});
}

/// fork(threads, count, first index, body, values, reducer, bytes of a team):
/// each thread calls the body on its part of the indices.
Function *PolicySubstitute::makePass(bool Last) {
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  return makeFork(
      "method", {L, First ? First->getReturnType() : L, P, P, P, L},
      [&](ArrayRef<Value *> Operands) { return Operands[0]; },
      [&](ArrayRef<Value *> Operands, Value *Thread, Value *From, Value *To) {
        Value *Base = Operands[1], *Object = Operands[2];
        Value *Tag = TagInMemory ? B.CreateAlloca(B.getInt8Ty()) : nullptr;
        Value *OfTeam = isLeague() ? makeTeam(Operands[5]) : nullptr;
        Value *Member = isLeague() ? object(*MakeMember) : nullptr;
        auto Call = [&](Value *I, Value *Local) {
          SmallVector<Value *, 5> Args{Object};
          if (Tag)
            Args.push_back(Tag);
          if (isLeague())
            makeMember(Member, OfTeam, I, Operands[0]);
          Args.push_back(isLeague() ? Member : index(Base, I));
          if (Local)
            Args.push_back(Local);
          if (isScan())
            Args.push_back(
                ConstantInt::get(Body->getArg(Args.size())->getType(), Last));
          ask(*Body, Args);
        };
        auto EndTeam = [&] {
          if (OfTeam)
            routine("free", B.getVoidTy(),
                    {B.CreateLoad(P, B.CreateStructGEP(Team, OfTeam, 2))});
        };
        if (isLoop()) {
          loop(From, To, [&](Value *I) { Call(I, nullptr); });
          EndTeam();
          return;
        }
        // In a variable of the thread, while it is added to.
        Value *Mine = nth(Operands[3], stride(), Thread);
        AllocaInst *Local = B.CreateAlloca(
            Number ? Number : ArrayType::get(B.getInt8Ty(), Size));
        Local->setAlignment(Align(16));
        if (Last && isScan())
          B.CreateMemCpy(Local, Align(16), Mine, Align(16), Size);
        else
          start(Operands[4], Local);
        loop(From, To, [&](Value *I) { Call(I, Local); });
        EndTeam();
        if (Number)
          B.CreateStore(B.CreateLoad(Number, Local), Mine);
        else
          B.CreateMemCpy(Mine, Align(16), Local, Align(16), Size);
      });
}

Function *PolicySubstitute::make() {
  if (!understand())
    return nullptr;
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  Function *Pass = makePass(!isScan());
  Function *LastPass = isScan() ? makePass(true) : nullptr;
  Function *F = begin();
  Value *Policy = F->getArg(1), *Object = F->getArg(2);
  Value *Given = F->arg_size() == 4 ? (Value *)F->getArg(3)
                                    : ConstantPointerNull::get(B.getPtrTy());
  Value *Result = F->arg_size() == 4 ? resultOf(Given) : nullptr;
  Value *Reducer = Given, *Both = nullptr, *Walk = nullptr;
  if (MakeReducer) {
    Reducer = object(*MakeReducer);
    ask(*MakeReducer, {Reducer, ReducerOfBody ? Object : Given});
  }
  Value *Bytes = B.getInt64(0);
  if (isLeague()) {
    routine("rg_kokkos_team", B.getVoidTy(), {ask(*TeamSize, {Policy})});
    Bytes = teamMemory(Policy, Object);
  }
  Value *From = B.getInt64(0), *Count = nullptr;
  if (isTiles()) {
    Count = B.CreateZExt(
        B.CreateLoad(CountType, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(),
                                                             Policy, CountAt)),
        L);
    Value *Walked = Object;
    if (!isLoop()) {
      Walked = Both = object(*MakeBoth);
      ask(*MakeBoth, {Both, Object, Reducer});
    }
    Walk = object(*MakeWalk);
    ask(*MakeWalk, {Walk, Policy, Walked});
    Object = Walk;
  } else if (isLeague()) {
    Count = B.CreateZExt(ask(*Last, {Policy}), L);
  } else {
    From = ask(*First, {Policy});
    Value *Length = B.CreateSub(ask(*Last, {Policy}), From);
    Count = B.CreateSelect(
        B.CreateICmpSGT(Length, ConstantInt::get(From->getType(), 0)),
        B.CreateZExt(Length, L), B.getInt64(0));
  }
  BasicBlock *Go = BasicBlock::Create(M.getContext(), "", F);
  BasicBlock *None = BasicBlock::Create(M.getContext(), "", F);
  BasicBlock *End = BasicBlock::Create(M.getContext(), "", F);
  B.CreateCondBr(B.CreateICmpNE(Count, B.getInt64(0)), Go, None);
  B.SetInsertPoint(None);
  if (Result)
    finish(Reducer, Result, Result, B.getInt64(0));
  B.CreateBr(End);
  B.SetInsertPoint(Go);
  Value *Threads = isOneThread() ? routine("rg_pool_one", B.getInt32Ty(), {})
                                 : teamFor(Count),
        *Ends = B.CreateZExt(Threads, L);
  Value *Values = ConstantPointerNull::get(B.getPtrTy());
  if (!isLoop())
    Values = routine("malloc", P, {B.CreateMul(Ends, B.getInt64(stride()))});
  SmallVector<Value *, 8> Operands{Threads, Count,   From, Object,
                                   Values,  Reducer, Bytes};
  B.CreateCall(Pass, Operands);
  if (isScan()) {
    // What all threads before t have added, in the value of t.
    AllocaInst *Sum = B.CreateAlloca(Number), *Own = B.CreateAlloca(Number);
    start(Given, Sum);
    loop(B.getInt64(0), Ends, [&](Value *T) {
      Value *At = nth(Values, stride(), T);
      B.CreateStore(B.CreateLoad(Number, At), Own);
      B.CreateStore(B.CreateLoad(Number, Sum), At);
      add(Given, Sum, Own);
    });
    if (Result)
      B.CreateStore(B.CreateLoad(Number, Sum), Result);
    B.CreateCall(LastPass, Operands);
  } else if (Result) {
    finish(Reducer, Result, Values, Ends);
  }
  if (!isLoop())
    routine("free", B.getVoidTy(), {Values});
  B.CreateBr(End);
  B.SetInsertPoint(End);
  if (Walk)
    end(WalkClass, Walk);
  if (Both)
    end(BothClass, Both);
  if (MakeReducer)
    end(ReducerClass, Reducer);
  B.CreateRetVoid();
  return F;
}

Function *retrograd::substituteOfPolicy(Function &Method, const CxxName &Name,
                                        const ParallelMethodRecord &Known,
                                        const CxxMembers &All) {
  return PolicySubstitute(Method, Name, Known, All).make();
}
