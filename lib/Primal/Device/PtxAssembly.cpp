//===- PtxAssembly.cpp - inline PTX as the IR it stands for ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight-line PTX is a list of typed operations on registers, and most of
// them are an operation of LLVM's. A text is read statement by statement while
// its IR is written; where a statement is not known, all that was written is
// taken away and the assembly stays as it is, for others to refuse.
//
// A register is a value of its width; each operation says as what it sees the
// bits. Predicated statements write select(predicate, new, old), so only those
// without other effects may be predicated.
//
// Rounding: IR rounds to nearest even. Other directions are not known, save
// where a number becomes an integer. Flushing of denormal numbers (.ftz) is not
// imitated, as nowhere in IR. Semantics: PTX ISA 9.0, chapter 9.7.
//
//===----------------------------------------------------------------------===//

#include "Primal/Device/PtxAssembly.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// What stands before an operand's number; `$`, LLVM's mark, may be part of a
/// name in PTX.
constexpr StringLiteral OperandMark = "\x01";

/// A type as PTX spells it.
struct PtxType {
  Type *T = nullptr;
  bool Signed = false, Float = false;
  unsigned bits() const { return T->getPrimitiveSizeInBits(); }
  explicit operator bool() const { return T; }
};

class Translation {
public:
  Translation(CallInst &Call, bool SharedNumbers)
      : Call(Call), B(&Call), C(Call.getContext()),
        SharedNumbers(SharedNumbers) {}
  bool run();

private:
  bool collectOperands();
  bool translate(StringRef Text);
  bool declare(StringRef Rest);
  bool statement(StringRef Text);
  bool operation();

  // Operations; each says whether it knew the statement.
  bool move();
  bool arithmetic();
  bool bitwise();
  bool compare();
  bool convert();
  bool memory();
  bool threads();
  bool packed();

  PtxType typeOf(StringRef Name) const;
  /// The bits of V as T; integers of another width are cut or filled with
  /// zeros.
  Value *as(Value *V, Type *T);
  Value *read(StringRef Operand, Type *T);
  Value *readAddress(StringRef Operand);
  /// Whether the statement's address is one of shared memory.
  bool inShared() const { return has("shared") || has("shared::cta"); }
  /// The pointer that a number is, or a pointer of that memory.
  Value *sharedPointer(Value *V) {
    PointerType *Shared = PointerType::get(C, 3);
    if (V->getType() == Shared)
      return V;
    return B.CreateIntToPtr(as(V, B.getInt64Ty()), Shared);
  }
  bool convertAddress();
  bool copyAsync();
  bool write(StringRef Operand, Value *V);
  Value **place(StringRef Operand);
  /// An intrinsic of NVPTX by its name, or null.
  Value *intrinsic(StringRef Name, ArrayRef<Value *> Args,
                   Type *Overload = nullptr);
  /// Of a float, by way of single precision where it is shorter.
  Value *fastUnit(StringRef Name, Value *X);
  Value *limited(Value *X);
  bool has(StringRef Modifier) const {
    return is_contained(Modifiers, Modifier);
  }
  bool onlyModifiers(ArrayRef<StringRef> Known) const {
    return all_of(Modifiers, [&](StringRef M) {
      return typeOf(M) || is_contained(Known, M);
    });
  }
  /// The Nth type among the modifiers.
  PtxType type(unsigned N = 0) const {
    for (StringRef M : Modifiers)
      if (PtxType T = typeOf(M); T && !N--)
        return T;
    return {};
  }

  CallInst &Call;
  IRBuilder<> B;
  LLVMContext &C;
  const bool SharedNumbers;
  SmallVector<Value *, 8>
      Operands; ///< by number; of outputs what was written last
  SmallVector<Type *, 4> OutputTypes;
  SmallVector<StringMap<std::pair<unsigned, Value *>>, 2>
      Scopes; ///< registers: width, value

  // The statement at hand.
  StringRef Opcode;
  SmallVector<StringRef, 6> Modifiers, Args;
  Value *Predicate = nullptr;
};

} // namespace

PtxType Translation::typeOf(StringRef Name) const {
  if (Name == "pred")
    return {Type::getInt1Ty(C)};
  if (Type *T =
          StringSwitch<Type *>(Name)
              .Case("f16", Type::getHalfTy(C))
              .Case("bf16", Type::getBFloatTy(C))
              .Case("f16x2", FixedVectorType::get(Type::getHalfTy(C), 2))
              .Case("bf16x2", FixedVectorType::get(Type::getBFloatTy(C), 2))
              .Case("f32", Type::getFloatTy(C))
              .Case("f64", Type::getDoubleTy(C))
              .Default(nullptr))
    return {T, false, true};
  unsigned Bits;
  if (Name.size() < 2 || !StringRef("bus").contains(Name[0]) ||
      Name.drop_front().getAsInteger(10, Bits) ||
      (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64))
    return {};
  return {Type::getIntNTy(C, Bits), Name[0] == 's'};
}

Value *Translation::as(Value *V, Type *T) {
  if (V->getType() == T)
    return V;
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, B.getInt64Ty());
  unsigned From = V->getType()->getPrimitiveSizeInBits();
  if (T->isPointerTy())
    return B.CreateIntToPtr(as(V, B.getInt64Ty()), T);
  unsigned To = T->getPrimitiveSizeInBits();
  if (From != To)
    V = B.CreateZExtOrTrunc(B.CreateBitCast(V, B.getIntNTy(From)),
                            B.getIntNTy(To));
  return B.CreateBitCast(V, T);
}

bool Translation::collectOperands() {
  auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  Type *Result = Call.getType();
  if (auto *S = dyn_cast<StructType>(Result))
    OutputTypes.append(S->element_begin(), S->element_end());
  else if (!Result->isVoidTy())
    OutputTypes.push_back(Result);
  Operands.assign(OutputTypes.size(), nullptr);
  unsigned NextArg = 0, NextOutput = 0;
  for (const InlineAsm::ConstraintInfo &Info : Asm->ParseConstraints()) {
    if (Info.Type == InlineAsm::isClobber)
      continue;
    if (Info.isIndirect || Info.Type == InlineAsm::isLabel)
      return false;
    if (Info.Type == InlineAsm::isOutput) {
      ++NextOutput;
      continue;
    }
    if (NextArg == Call.arg_size())
      return false;
    Value *V = Call.getArgOperand(NextArg++);
    // An input that shares an output's register.
    unsigned Tied;
    if (Info.Codes.size() == 1 &&
        !StringRef(Info.Codes[0]).getAsInteger(10, Tied)) {
      if (Tied >= OutputTypes.size())
        return false;
      Operands[Tied] = V;
    }
    Operands.push_back(V);
  }
  return NextOutput == OutputTypes.size();
}

Value **Translation::place(StringRef Operand) {
  unsigned N;
  if (Operand.consume_front(OperandMark))
    return Operand.getAsInteger(10, N) || N >= Operands.size() ? nullptr
                                                               : &Operands[N];
  for (auto &Scope : reverse(Scopes))
    if (auto It = Scope.find(Operand); It != Scope.end())
      return &It->second.second;
  return nullptr;
}

static const char *registerIntrinsic(StringRef Name) {
  return StringSwitch<const char *>(Name)
#define AXES(R)                                                                \
  .Case("%" R ".x", "llvm.nvvm.read.ptx.sreg." R ".x")                         \
      .Case("%" R ".y", "llvm.nvvm.read.ptx.sreg." R ".y")                     \
      .Case("%" R ".z", "llvm.nvvm.read.ptx.sreg." R ".z")
      AXES("tid") AXES("ntid") AXES("ctaid") AXES("nctaid")
#undef AXES
          .Case("%laneid", "llvm.nvvm.read.ptx.sreg.laneid")
          .Case("%warpid", "llvm.nvvm.read.ptx.sreg.warpid")
          .Case("%smid", "llvm.nvvm.read.ptx.sreg.smid")
          .Case("%nsmid", "llvm.nvvm.read.ptx.sreg.nsmid")
          .Case("%clock", "llvm.nvvm.read.ptx.sreg.clock")
          .Case("%clock64", "llvm.nvvm.read.ptx.sreg.clock64")
          .Case("%globaltimer", "llvm.nvvm.read.ptx.sreg.globaltimer")
          .Case("%lanemask_eq", "llvm.nvvm.read.ptx.sreg.lanemask.eq")
          .Case("%lanemask_lt", "llvm.nvvm.read.ptx.sreg.lanemask.lt")
          .Case("%lanemask_le", "llvm.nvvm.read.ptx.sreg.lanemask.le")
          .Case("%lanemask_gt", "llvm.nvvm.read.ptx.sreg.lanemask.gt")
          .Case("%lanemask_ge", "llvm.nvvm.read.ptx.sreg.lanemask.ge")
          .Case("WARP_SZ", "llvm.nvvm.read.ptx.sreg.warpsize")
          .Default(nullptr);
}

Value *Translation::read(StringRef Operand, Type *T) {
  if (const char *Name = registerIntrinsic(Operand)) {
    Value *V = intrinsic(Name, {});
    return V ? as(V, T) : nullptr;
  }
  if (Value **At = place(Operand))
    return *At ? as(*At, T)
               : Constant::getNullValue(T); // not written yet: any value does
  // Constants: bits of floats, floats, integers.
  uint64_t Bits = 0;
  StringRef Text = Operand;
  bool Minus = Text.consume_front("-");
  if (Text.starts_with_insensitive("0f") && Text.size() == 10 &&
      !Text.drop_front(2).getAsInteger(16, Bits))
    return Minus ? nullptr : as(B.getInt32(Bits), T);
  if (Text.starts_with_insensitive("0d") && Text.size() == 18 &&
      !Text.drop_front(2).getAsInteger(16, Bits)) {
    Value *V = B.CreateBitCast(B.getInt64(Bits), B.getDoubleTy());
    return Minus ? nullptr : T->isFloatTy() ? B.CreateFPTrunc(V, T) : as(V, T);
  }
  if (T->isFloatingPointTy() && Text.contains('.')) {
    APFloat F(T->getFltSemantics());
    auto Status = F.convertFromString(Operand, APFloat::rmNearestTiesToEven);
    if (!Status) {
      consumeError(Status.takeError());
      return nullptr;
    }
    return ConstantFP::get(T, F);
  }
  Text = Text.rtrim("uU");
  bool Hex = Text.starts_with_insensitive("0x");
  if ((Hex ? Text.drop_front(2) : Text).getAsInteger(Hex ? 16 : 10, Bits))
    return nullptr;
  if (Minus)
    Bits = -Bits;
  return as(B.getIntN(64, Bits), T);
}

Value *Translation::readAddress(StringRef Operand) {
  if (!Operand.consume_front("[") || !Operand.consume_back("]"))
    return nullptr;
  auto [Name, Distance] = Operand.split('+');
  int64_t Offset = 0;
  if (!Distance.empty() && Distance.trim().getAsInteger(0, Offset))
    return nullptr;
  Value **At = place(Name.trim());
  if (!At || !*At)
    return nullptr;
  Value *P = inShared()                        ? sharedPointer(*At)
             : (*At)->getType()->isPointerTy() ? *At
                                               : as(*At, B.getPtrTy());
  return Offset ? B.CreatePtrAdd(P, B.getInt64(Offset)) : P;
}

bool Translation::write(StringRef Operand, Value *V) {
  if (Operand == "_")
    return true;
  Value **At = V ? place(Operand) : nullptr;
  if (!At)
    return false;
  Type *T = V->getType();
  unsigned N;
  if (Operand.consume_front(OperandMark)) {
    if (Operand.getAsInteger(10, N) || N >= OutputTypes.size())
      return false;
    T = OutputTypes[N];
  }
  V = as(V, T);
  if (Predicate)
    V = B.CreateSelect(Predicate, V,
                       *At ? as(*At, T) : Constant::getNullValue(T));
  *At = V;
  return true;
}

Value *Translation::intrinsic(StringRef Name, ArrayRef<Value *> Given,
                              Type *Overload) {
  Intrinsic::ID ID = Intrinsic::lookupIntrinsicID(Name);
  if (ID == Intrinsic::not_intrinsic)
    return nullptr;
  SmallVector<Type *, 1> Types;
  if (Intrinsic::isOverloaded(ID)) {
    if (!Overload)
      return nullptr;
    Types.push_back(Overload);
  }
  return B.CreateIntrinsic(ID, Types, Given);
}

Value *Translation::fastUnit(StringRef Name, Value *X) {
  Type *T = X->getType();
  if (!T->getScalarType()->isHalfTy() && !T->getScalarType()->isBFloatTy()) {
    Value *R = intrinsic(Name, {X}, T);
    if (auto *I = dyn_cast_or_null<Instruction>(R); I && Name == "llvm.tanh")
      I->setHasApproxFunc(true); // the unit
    return R;
  }
  auto One = [&](Value *Of) {
    Value *R =
        intrinsic(Name, {B.CreateFPExt(Of, B.getFloatTy())}, B.getFloatTy());
    return R ? B.CreateFPTrunc(R, T->getScalarType()) : nullptr;
  };
  if (!T->isVectorTy())
    return One(X);
  Value *Both = PoisonValue::get(T);
  for (unsigned Lane : {0u, 1u}) {
    Value *R = One(B.CreateExtractElement(X, Lane));
    if (!R)
      return nullptr;
    Both = B.CreateInsertElement(Both, R, Lane);
  }
  return Both;
}

/// .sat: into [0, 1], NaN is 0. .relu: not below 0.
Value *Translation::limited(Value *X) {
  Type *T = X->getType();
  if (has("sat"))
    return B.CreateBinaryIntrinsic(
        Intrinsic::minnum,
        B.CreateBinaryIntrinsic(Intrinsic::maxnum, X, ConstantFP::get(T, 0)),
        ConstantFP::get(T, 1));
  return has("relu") ? B.CreateBinaryIntrinsic(Intrinsic::maximum, X,
                                               ConstantFP::get(T, 0))
                     : X;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Splits at commas outside of brackets.
static void splitOperands(StringRef Text, SmallVectorImpl<StringRef> &Out) {
  size_t Start = 0;
  unsigned Depth = 0;
  for (size_t I = 0; I <= Text.size(); ++I) {
    if (I == Text.size() || (Text[I] == ',' && !Depth)) {
      if (StringRef One = Text.slice(Start, I).trim(); !One.empty())
        Out.push_back(One);
      Start = I + 1;
    } else if (Text[I] == '{' || Text[I] == '[') {
      ++Depth;
    } else if (Text[I] == '}' || Text[I] == ']') {
      --Depth;
    }
  }
}

bool Translation::declare(StringRef Rest) {
  Rest = Rest.ltrim();
  if (!Rest.consume_front("."))
    return false;
  size_t End = Rest.find_first_of(" \t\n");
  PtxType T = typeOf(Rest.take_front(End));
  if (!T || End == StringRef::npos)
    return false;
  SmallVector<StringRef, 4> Names;
  splitOperands(Rest.drop_front(End), Names);
  for (StringRef Name : Names) {
    auto [Stem, Count] = Name.split('<');
    unsigned N;
    if (Count.empty())
      Scopes.back()[Name] = {T.bits(), nullptr};
    else if (!Count.consume_back(">") || Count.getAsInteger(10, N) || N > 256)
      return false;
    else
      for (unsigned I = 0; I != N; ++I)
        Scopes.back()[(Stem + Twine(I)).str()] = {T.bits(), nullptr};
  }
  return true;
}

bool Translation::statement(StringRef Text) {
  if (Text.consume_front(".reg"))
    return declare(Text);
  Predicate = nullptr;
  if (Text.consume_front("@")) {
    bool Not = Text.consume_front("!");
    size_t End = Text.find_first_of(" \t\n");
    Value **At = place(Text.take_front(End));
    if (!At || !*At || End == StringRef::npos)
      return false;
    Predicate = as(*At, B.getInt1Ty());
    if (Not)
      Predicate = B.CreateNot(Predicate);
    Text = Text.drop_front(End).ltrim();
  }
  size_t End = Text.find_first_of(" \t\n");
  SmallVector<StringRef, 8> Parts;
  Text.take_front(End).split(Parts, '.');
  Opcode = Parts.front();
  Modifiers.assign(Parts.begin() + 1, Parts.end());
  Args.clear();
  if (End != StringRef::npos)
    splitOperands(Text.drop_front(End), Args);
  return operation();
}

bool Translation::translate(StringRef Text) {
  Scopes.emplace_back();
  while (!(Text = Text.ltrim()).empty()) {
    if (Text.consume_front("//")) {
      Text = Text.drop_front(std::min(Text.find('\n'), Text.size()));
    } else if (Text.consume_front("/*")) {
      size_t End = Text.find("*/");
      Text = Text.drop_front(End == StringRef::npos ? Text.size() : End + 2);
    } else if (Text.consume_front("{")) {
      Scopes.emplace_back();
    } else if (Text.consume_front("}")) {
      if (Scopes.size() == 1)
        return false;
      Scopes.pop_back();
    } else if (!Text.consume_front(";")) {
      size_t End = Text.find(';');
      if (End == StringRef::npos || !statement(Text.take_front(End).trim()))
        return false;
      Text = Text.drop_front(End + 1);
    }
  }
  return Scopes.size() == 1;
}

bool Translation::run() {
  auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  StringRef Written = Asm->getAsmString();
  if (Written.contains("${") || !collectOperands())
    return false;
  std::string Text; // the statements refer to it
  for (size_t N = 0; N < Written.size(); ++N) {
    bool Mark = Written[N] == '$',
         Twice = Mark && Written.substr(N + 1).starts_with("$");
    Text += Mark && !Twice ? StringRef(OperandMark) : Written.substr(N, 1);
    N += Twice;
  }
  Instruction *Before = Call.getPrevNode();
  bool Known = translate(Text);
  for (auto [Type, V] : zip(OutputTypes, Operands)) // written at all
    Known &= V && (V->getType() == Type || !V->getType()->isPointerTy());
  if (!Known) {
    while (Call.getPrevNode() != Before)
      Call.getPrevNode()->eraseFromParent();
    return false;
  }
  if (isa<StructType>(Call.getType())) {
    Value *All = PoisonValue::get(Call.getType());
    for (unsigned N = 0; N != OutputTypes.size(); ++N)
      All = B.CreateInsertValue(All, as(Operands[N], OutputTypes[N]), N);
    Call.replaceAllUsesWith(All);
  } else if (!OutputTypes.empty()) {
    Call.replaceAllUsesWith(as(Operands[0], OutputTypes[0]));
  }
  Call.eraseFromParent();
  return true;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool Translation::operation() {
  using Known = bool (Translation::*)();
  auto Handler =
      StringSwitch<Known>(Opcode)
          .Cases({"mov", "selp"}, &Translation::move)
          .Cases({"add", "sub", "mul", "mad", "fma", "div", "rem", "neg", "abs",
                  "min", "max"},
                 &Translation::arithmetic)
          .Cases({"sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos", "tanh",
                  "copysign"},
                 &Translation::arithmetic)
          .Cases({"and", "or", "xor", "not", "shl", "shr", "shf", "lop3",
                  "popc", "clz", "brev"},
                 &Translation::bitwise)
          .Cases({"bfe", "bfi", "prmt"}, &Translation::bitwise)
          .Cases({"set", "setp"}, &Translation::compare)
          .Case("cvt", &Translation::convert)
          .Cases({"ld", "st", "atom", "red"}, &Translation::memory)
          .Case("cvta", &Translation::convertAddress)
          .Case("cp", &Translation::copyAsync)
          .Cases({"bar", "barrier", "membar", "fence", "shfl", "activemask",
                  "vote"},
                 &Translation::threads)
          .Cases({"vadd2", "vadd4", "vsub2", "vsub4", "vabsdiff2", "vabsdiff4",
                  "vavrg2", "vavrg4"},
                 &Translation::packed)
          .Cases({"vmin2", "vmin4", "vmax2", "vmax4", "vset2", "vset4"},
                 &Translation::packed)
          .Default(nullptr);
  return Handler && (this->*Handler)();
}

bool Translation::move() {
  PtxType T = type();
  if (!T || !onlyModifiers({}))
    return false;
  if (Opcode == "selp") {
    if (Args.size() != 4)
      return false;
    Value *X = read(Args[1], T.T), *Y = read(Args[2], T.T),
          *P = read(Args[3], B.getInt1Ty());
    return X && Y && P && write(Args[0], B.CreateSelect(P, X, Y));
  }
  if (Args.size() != 2)
    return false;
  StringRef To = Args[0], From = Args[1];
  SmallVector<StringRef, 4> Parts;
  if (From.consume_front("{") && From.consume_back("}")) { // packs
    splitOperands(From, Parts);
    if (Parts.empty() || T.bits() % Parts.size())
      return false;
    unsigned Bits = T.bits() / Parts.size();
    Value *Vector =
        PoisonValue::get(FixedVectorType::get(B.getIntNTy(Bits), Parts.size()));
    for (auto [N, Part] : enumerate(Parts)) {
      Value *V = read(Part, B.getIntNTy(Bits));
      if (!V)
        return false;
      Vector = B.CreateInsertElement(Vector, V, N);
    }
    return write(To, Vector);
  }
  Value *V = read(From, T.T);
  if (!V)
    return false;
  if (To.consume_front("{") && To.consume_back("}")) { // takes apart
    splitOperands(To, Parts);
    if (Parts.empty() || T.bits() % Parts.size())
      return false;
    Value *Vector =
        as(V, FixedVectorType::get(B.getIntNTy(T.bits() / Parts.size()),
                                   Parts.size()));
    for (auto [N, Part] : enumerate(Parts))
      if (!write(Part, B.CreateExtractElement(Vector, N)))
        return false;
    return true;
  }
  return write(To, V);
}

bool Translation::arithmetic() {
  PtxType T = type();
  if (!T || Args.empty() || Args.size() > 4)
    return false;
  SmallVector<Value *, 3> X;
  bool Wide = has("wide");
  for (auto [N, Arg] : enumerate(ArrayRef(Args).drop_front())) {
    Type *Of = Wide && N == 2 ? B.getIntNTy(2 * T.bits()) : T.T;
    X.push_back(read(Arg, Of));
    if (!X.back())
      return false;
  }
  auto Write = [&](Value *V) { return V && write(Args[0], V); };
  auto Needs = [&](unsigned Count) { return X.size() == Count; };
  if (!T.Float) {
    if (!onlyModifiers({"lo", "hi", "wide"}) || (Wide && T.bits() > 32))
      return false;
    if (Needs(1)) {
      if (Opcode == "neg")
        return Write(B.CreateNeg(X[0]));
      return Opcode == "abs" &&
             Write(B.CreateBinaryIntrinsic(Intrinsic::abs, X[0], B.getFalse()));
    }
    if (Opcode == "mul" || Opcode == "mad") {
      if (!Needs(Opcode == "mad" ? 3 : 2) || has("lo") + has("hi") + Wide != 1)
        return false;
      Value *Product;
      if (has("lo")) {
        Product = B.CreateMul(X[0], X[1]);
      } else {
        Type *Double = B.getIntNTy(2 * T.bits());
        auto Extend = [&](Value *V) {
          return T.Signed ? B.CreateSExt(V, Double) : B.CreateZExt(V, Double);
        };
        Product = B.CreateMul(Extend(X[0]), Extend(X[1]));
        if (has("hi"))
          Product = B.CreateTrunc(B.CreateLShr(Product, T.bits()), T.T);
      }
      return Write(Opcode == "mad" ? B.CreateAdd(Product, X[2]) : Product);
    }
    if (!Needs(2) || has("lo") || has("hi") || Wide)
      return false;
    if (Opcode == "add")
      return Write(B.CreateAdd(X[0], X[1]));
    if (Opcode == "sub")
      return Write(B.CreateSub(X[0], X[1]));
    if (Opcode == "min")
      return Write(B.CreateBinaryIntrinsic(
          T.Signed ? Intrinsic::smin : Intrinsic::umin, X[0], X[1]));
    if (Opcode == "max")
      return Write(B.CreateBinaryIntrinsic(
          T.Signed ? Intrinsic::smax : Intrinsic::umax, X[0], X[1]));
    return false; // division: LLVM's may trap where PTX's does not
  }
  if (!onlyModifiers(
          {"rn", "ftz", "approx", "full", "noftz", "sat", "relu", "NaN"}) ||
      has("lo"))
    return false;
  bool Single = T.T->isFloatTy(), Fast = has("approx");
  StringRef Ftz = has("ftz") && Single ? ".ftz" : "";
  if (Needs(1)) {
    if (Opcode == "neg")
      return Write(B.CreateFNeg(X[0]));
    if (Opcode == "abs")
      return Write(B.CreateUnaryIntrinsic(Intrinsic::fabs, X[0]));
    if (Opcode == "sqrt" && !Fast)
      return Write(B.CreateUnaryIntrinsic(Intrinsic::sqrt, X[0]));
    if (Opcode == "rcp" && !Fast)
      return Write(B.CreateFDiv(ConstantFP::get(T.T, 1), X[0]));
    if (!Fast || T.T->isDoubleTy())
      return false;
    if (Opcode == "tanh")
      return Write(fastUnit("llvm.tanh", X[0]));
    std::string Name =
        ("llvm.nvvm." + Opcode + ".approx" + (Opcode == "rcp" ? ".ftz" : Ftz))
            .str();
    return Write(fastUnit(Opcode == "ex2" ? Name : Name + ".f", X[0]));
  }
  if (Opcode == "fma" || Opcode == "mad") {
    if (!Needs(3))
      return false;
    return Write(limited(B.CreateIntrinsic(Intrinsic::fma, {T.T}, X)));
  }
  if (!Needs(2))
    return false;
  if (Opcode == "add")
    return Write(limited(B.CreateFAdd(X[0], X[1])));
  if (Opcode == "sub")
    return Write(limited(B.CreateFSub(X[0], X[1])));
  if (Opcode == "mul")
    return Write(limited(B.CreateFMul(X[0], X[1])));
  if (Opcode == "div")
    return Write(B.CreateFDiv(X[0], X[1]));
  if (Opcode == "copysign") // the sign comes first
    return Write(B.CreateBinaryIntrinsic(Intrinsic::copysign, X[1], X[0]));
  if (Opcode == "min")
    return Write(B.CreateBinaryIntrinsic(
        has("NaN") ? Intrinsic::minimum : Intrinsic::minnum, X[0], X[1]));
  if (Opcode == "max")
    return Write(B.CreateBinaryIntrinsic(
        has("NaN") ? Intrinsic::maximum : Intrinsic::maxnum, X[0], X[1]));
  return false;
}

bool Translation::bitwise() {
  PtxType T = type();
  if (!T || T.Float || Args.size() < 2)
    return false;
  auto Operand = [&](unsigned N, Type *Of) {
    return N < Args.size() ? read(Args[N], Of) : nullptr;
  };
  unsigned Bits = T.bits();
  Value *X = Operand(1, T.T);
  if (!X)
    return false;
  if (is_contained({"and", "or", "xor"}, Opcode)) {
    Value *Y = Operand(2, T.T);
    if (!Y || Args.size() != 3 || !onlyModifiers({}))
      return false;
    return write(Args[0], Opcode == "and"  ? B.CreateAnd(X, Y)
                          : Opcode == "or" ? B.CreateOr(X, Y)
                                           : B.CreateXor(X, Y));
  }
  if (Opcode == "not")
    return Args.size() == 2 && write(Args[0], B.CreateNot(X));
  if (Opcode == "popc")
    return write(Args[0], as(B.CreateUnaryIntrinsic(Intrinsic::ctpop, X),
                             B.getInt32Ty()));
  if (Opcode == "brev")
    return write(Args[0], B.CreateUnaryIntrinsic(Intrinsic::bitreverse, X));
  if (Opcode == "clz")
    return write(Args[0],
                 as(B.CreateBinaryIntrinsic(Intrinsic::ctlz, X, B.getFalse()),
                    B.getInt32Ty()));
  if (Opcode == "shl" ||
      Opcode == "shr") { // distances beyond the width leave zeros, or signs
    Value *By = Operand(2, B.getInt32Ty());
    if (!By)
      return false;
    Value *Most =
        B.CreateBinaryIntrinsic(Intrinsic::umin, By, B.getInt32(Bits - 1));
    Value *Shift = as(Most, T.T);
    if (Opcode == "shr" && T.Signed)
      return write(Args[0], B.CreateAShr(X, Shift));
    Value *Inside = B.CreateICmpULT(By, B.getInt32(Bits));
    Value *Shifted =
        Opcode == "shl" ? B.CreateShl(X, Shift) : B.CreateLShr(X, Shift);
    return write(Args[0],
                 B.CreateSelect(Inside, Shifted, Constant::getNullValue(T.T)));
  }
  if (Opcode == "shf" && Bits == 32 && Args.size() == 4) { // d = (b:a) shifted
    Value *High = Operand(2, T.T), *By = Operand(3, T.T);
    if (!High || !By || has("l") == has("r") || has("wrap") == has("clamp"))
      return false;
    Type *Both = B.getInt64Ty();
    Value *Pair = B.CreateOr(B.CreateShl(B.CreateZExt(High, Both), 32),
                             B.CreateZExt(X, Both));
    By = has("wrap")
             ? B.CreateAnd(By, 31)
             : B.CreateBinaryIntrinsic(Intrinsic::umin, By, B.getInt32(32));
    Value *Distance = B.CreateZExt(By, Both);
    Value *R = has("l") ? B.CreateLShr(B.CreateShl(Pair, Distance), 32)
                        : B.CreateLShr(Pair, Distance);
    return write(Args[0], B.CreateTrunc(R, T.T));
  }
  if (Opcode == "lop3" && Args.size() == 5) {
    unsigned Table;
    Value *Y = Operand(2, T.T), *Z = Operand(3, T.T),
          *Constant = Operand(4, B.getInt32Ty());
    auto *Known = dyn_cast_or_null<ConstantInt>(Constant);
    if (!Y || !Z || !Known)
      return false;
    Table = Known->getZExtValue();
    Value *R = ConstantInt::get(T.T, 0);
    for (unsigned Row = 0; Row != 8; ++Row)
      if (Table >> Row & 1) {
        Value *A = Row & 4 ? X : B.CreateNot(X),
              *Second = Row & 2 ? Y : B.CreateNot(Y);
        R = B.CreateOr(R, B.CreateAnd(B.CreateAnd(A, Second),
                                      Row & 1 ? Z : B.CreateNot(Z)));
      }
    return write(Args[0], R);
  }
  if (Opcode == "prmt" && Args.size() == 4 && onlyModifiers({})) {
    Value *Y = Operand(2, T.T), *How = Operand(3, T.T);
    Value *R = Y && How ? intrinsic("llvm.nvvm.prmt", {X, Y, How}) : nullptr;
    return R && write(Args[0], R);
  }
  if (Opcode == "bfe" && Args.size() == 4 && !T.Signed) {
    Value *From = Operand(2, B.getInt32Ty()),
          *Count = Operand(3, B.getInt32Ty());
    if (!From || !Count)
      return false;
    // In twice the width nothing is shifted too far.
    Type *Wide = B.getIntNTy(128);
    auto Byte = [&](Value *V) {
      return B.CreateZExt(B.CreateAnd(V, 255), Wide);
    };
    auto Up = [&](Value *V) {
      return B.CreateBinaryIntrinsic(Intrinsic::umin, Byte(V),
                                     ConstantInt::get(Wide, 64));
    };
    Value *Mask = B.CreateSub(B.CreateShl(ConstantInt::get(Wide, 1), Up(Count)),
                              ConstantInt::get(Wide, 1));
    return write(
        Args[0],
        B.CreateTrunc(
            B.CreateAnd(B.CreateLShr(B.CreateZExt(X, Wide), Up(From)), Mask),
            T.T));
  }
  return false;
}

static CmpInst::Predicate predicateOf(StringRef Name, const PtxType &T);

/// Two halves or four bytes of a word by themselves: vadd4.u32.u32.u32.sat d,
/// a, b, c. With .add, d is c and the sum of the results. What c is otherwise
/// stands where d is written in part, which is not known.
bool Translation::packed() {
  unsigned Count = Opcode.back() - '0';
  StringRef Name = Opcode.drop_back();
  bool Sets = Name == "vset";
  PtxType T = type();
  // All types alike: sums of signed and unsigned numbers are rare.
  for (StringRef M : Modifiers)
    if (PtxType Of = typeOf(M); Of && (Of.T != T.T || Of.Signed != T.Signed))
      return false;
  if (!T || T.Float || T.bits() != 32 || Args.size() != 4 ||
      Args[0].contains('.'))
    return false;
  auto Predicate = CmpInst::BAD_ICMP_PREDICATE;
  if (Sets)
    Predicate = predicateOf(Modifiers.back(), T);
  if (Sets ? Predicate == CmpInst::BAD_ICMP_PREDICATE
           : !onlyModifiers({"sat", "add"}))
    return false;
  auto *Narrow = FixedVectorType::get(B.getIntNTy(32 / Count), Count),
       *Wide = FixedVectorType::get(B.getInt32Ty(), Count);
  Value *X = read(Args[1], Narrow), *Y = read(Args[2], Narrow),
        *Rest = read(Args[3], T.T);
  if (!X || !Y || !Rest)
    return false;
  auto Extend = [&](Value *V) {
    return T.Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
  };
  X = Extend(X), Y = Extend(Y);
  auto Least = [&](Value *A, Value *C) {
    return B.CreateBinaryIntrinsic(Intrinsic::smin, A, C);
  };
  auto Most = [&](Value *A, Value *C) {
    return B.CreateBinaryIntrinsic(Intrinsic::smax, A, C);
  };
  Value *R = nullptr;
  if (Sets)
    R = B.CreateZExt(B.CreateICmp(Predicate, X, Y), Wide);
  else if (Name == "vadd")
    R = B.CreateAdd(X, Y);
  else if (Name == "vsub")
    R = B.CreateSub(X, Y);
  else if (Name == "vmin")
    R = Least(X, Y);
  else if (Name == "vmax")
    R = Most(X, Y);
  else if (Name == "vabsdiff")
    R = B.CreateBinaryIntrinsic(Intrinsic::abs, B.CreateSub(X, Y),
                                B.getFalse());
  else if (!T.Signed) // vavrg: halves are rounded up
    R = B.CreateLShr(B.CreateAdd(B.CreateAdd(X, Y), ConstantInt::get(Wide, 1)),
                     ConstantInt::get(Wide, 1));
  if (!R)
    return false;
  if (has("add"))
    return write(Args[0], B.CreateAdd(B.CreateAddReduce(R), Rest));
  if (has("sat")) {
    unsigned Bits = 32 / Count;
    int64_t Low = T.Signed ? -(int64_t(1) << (Bits - 1)) : 0,
            High = (int64_t(1) << (T.Signed ? Bits - 1 : Bits)) - 1;
    R = Most(Least(R, ConstantInt::get(Wide, High)),
             ConstantInt::getSigned(Wide, Low));
  }
  return write(Args[0], B.CreateTrunc(R, Narrow));
}

static CmpInst::Predicate predicateOf(StringRef Name, const PtxType &T) {
  if (T.Float)
    return StringSwitch<CmpInst::Predicate>(Name)
        .Case("eq", CmpInst::FCMP_OEQ)
        .Case("ne", CmpInst::FCMP_ONE)
        .Case("lt", CmpInst::FCMP_OLT)
        .Case("le", CmpInst::FCMP_OLE)
        .Case("gt", CmpInst::FCMP_OGT)
        .Case("ge", CmpInst::FCMP_OGE)
        .Case("equ", CmpInst::FCMP_UEQ)
        .Case("neu", CmpInst::FCMP_UNE)
        .Case("ltu", CmpInst::FCMP_ULT)
        .Case("leu", CmpInst::FCMP_ULE)
        .Case("gtu", CmpInst::FCMP_UGT)
        .Case("geu", CmpInst::FCMP_UGE)
        .Case("num", CmpInst::FCMP_ORD)
        .Case("nan", CmpInst::FCMP_UNO)
        .Default(CmpInst::BAD_FCMP_PREDICATE);
  return StringSwitch<CmpInst::Predicate>(Name)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Case("lt", T.Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
      .Case("le", T.Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
      .Case("gt", T.Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
      .Case("ge", T.Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
      .Case("lo", CmpInst::ICMP_ULT)
      .Case("ls", CmpInst::ICMP_ULE)
      .Case("hi", CmpInst::ICMP_UGT)
      .Case("hs", CmpInst::ICMP_UGE)
      .Default(CmpInst::BAD_ICMP_PREDICATE);
}

/// setp.eq.f32 p, a, b; set.eq.f16x2.f16x2 d, a, b, where d gets 1.0, or all
/// bits.
bool Translation::compare() {
  bool Sets = Opcode == "set";
  PtxType To = Sets ? type(0) : PtxType{B.getInt1Ty()}, Of = type(Sets ? 1 : 0);
  if (!To || !Of || Args.size() != 3 || Modifiers.empty() ||
      !all_of(ArrayRef(Modifiers).drop_front(),
              [&](StringRef M) { return typeOf(M) || M == "ftz"; }))
    return false;
  CmpInst::Predicate P = predicateOf(Modifiers.front(), Of);
  Value *X = read(Args[1], Of.T), *Y = read(Args[2], Of.T);
  if (!X || !Y || P == CmpInst::BAD_FCMP_PREDICATE ||
      P == CmpInst::BAD_ICMP_PREDICATE)
    return false;
  Value *R = B.CreateCmp(P, X, Y);
  if (!Sets)
    return write(Args[0], R);
  if (To.Float) {
    if (isa<VectorType>(To.T) != isa<VectorType>(Of.T))
      return false;
    return write(Args[0], B.CreateUIToFP(R, To.T));
  }
  if (isa<VectorType>(Of.T))
    return To.bits() == 32 &&
           write(Args[0],
                 B.CreateSExt(R, FixedVectorType::get(B.getInt16Ty(), 2)));
  return write(Args[0], B.CreateSExt(R, To.T));
}

bool Translation::convert() {
  PtxType To = type(0), From = type(1);
  if (!To || !From || Args.size() < 2)
    return false;
  if (!onlyModifiers({"rn", "rzi", "rni", "rmi", "rpi", "ftz", "relu"}))
    return false;
  Value *X = read(Args[1], From.T);
  if (!X)
    return false;
  if (Args.size() == 3) { // cvt.rn.f16x2.f32 d, high, low
    auto *Pair = dyn_cast<FixedVectorType>(To.T);
    Value *Low = read(Args[2], From.T);
    if (!Pair || !From.T->isFloatTy() || !Low || !has("rn"))
      return false;
    Value *V = PoisonValue::get(Pair), *Halves[] = {Low, X};
    for (auto [N, One] : enumerate(Halves))
      V = B.CreateInsertElement(V, B.CreateFPTrunc(One, Pair->getElementType()),
                                N);
    return write(Args[0], limited(V));
  }
  if (isa<VectorType>(To.T) || isa<VectorType>(From.T))
    return false;
  auto Whole = [&](Value *V) {
    auto ID = has("rzi")   ? Intrinsic::trunc
              : has("rni") ? Intrinsic::roundeven
              : has("rmi") ? Intrinsic::floor
              : has("rpi") ? Intrinsic::ceil
                           : Intrinsic::not_intrinsic;
    return ID == Intrinsic::not_intrinsic ? V : B.CreateUnaryIntrinsic(ID, V);
  };
  bool Integral = has("rzi") || has("rni") || has("rmi") || has("rpi");
  if (From.Float && To.Float) {
    if (From.T == To.T)
      return write(Args[0], limited(Whole(X)));
    if (From.bits() == To.bits() || Integral ||
        (From.bits() > To.bits() && !has("rn")))
      return false;
    return write(Args[0], limited(B.CreateFPCast(X, To.T)));
  }
  if (has("relu"))
    return false;
  if (From.Float) {
    if (!Integral)
      return false;
    return write(Args[0], B.CreateIntrinsic(To.Signed ? Intrinsic::fptosi_sat
                                                      : Intrinsic::fptoui_sat,
                                            {To.T, From.T}, {Whole(X)}));
  }
  if (To.Float)
    return has("rn") && write(Args[0], From.Signed ? B.CreateSIToFP(X, To.T)
                                                   : B.CreateUIToFP(X, To.T));
  Value *R =
      From.Signed ? B.CreateSExtOrTrunc(X, To.T) : B.CreateZExtOrTrunc(X, To.T);
  // A wider register is filled as the type says.
  if (Value **At = place(Args[0]); At && Args[0].starts_with(OperandMark)) {
    unsigned N;
    if (Args[0].drop_front().getAsInteger(10, N) || N >= OutputTypes.size())
      return false;
    if (Type *Register = OutputTypes[N];
        Register->isIntegerTy() && Register->getIntegerBitWidth() > To.bits())
      R = To.Signed ? B.CreateSExt(R, Register) : B.CreateZExt(R, Register);
  }
  return write(Args[0], R);
}

/// Through generic addresses and those of global memory, which are the same.
/// cvta.shared, cvta.to.shared: between generic pointers and numbers.
bool Translation::convertAddress() {
  if (!SharedNumbers || Predicate || !inShared() || Args.size() != 2 ||
      !onlyModifiers({"to", "shared", "shared::cta"}) || !type())
    return false;
  Value *V = read(Args[1], B.getInt64Ty());
  if (!V)
    return false;
  PointerType *Shared = PointerType::get(C, 3), *Generic = B.getPtrTy();
  Value *To =
      has("to")
          ? B.CreatePtrToInt(
                B.CreateAddrSpaceCast(B.CreateIntToPtr(V, Generic), Shared),
                type().T)
          : B.CreatePtrToInt(B.CreateAddrSpaceCast(sharedPointer(V), Generic),
                             type().T);
  return write(Args[0], To);
}

/// Copies that may be done at any time before they are waited for are done at
/// once.
bool Translation::copyAsync() {
  if (!SharedNumbers || Predicate || !has("async"))
    return false;
  if (has("commit_group") || has("wait_group") || has("wait_all"))
    return true;
  // cp.async.ca.shared.global [to], [from], size{, size of the source};
  if (!inShared() || !has("global") || Args.size() < 3 || Args.size() > 4 ||
      !all_of(Modifiers, [](StringRef M) {
        return is_contained({"async", "ca", "cg", "shared", "shared::cta",
                             "global", "L2::128B", "L2::64B", "L2::256B"},
                            M);
      }))
    return false;
  auto *Bytes = dyn_cast_or_null<ConstantInt>(read(Args[2], B.getInt64Ty()));
  Value *To = readAddress(Args[0]);
  Modifiers.assign({"global"}); // of the other address
  Value *From = readAddress(Args[1]);
  if (!Bytes || !To || !From)
    return false;
  uint64_t Size = Bytes->getZExtValue();
  if (Args.size() == 3) {
    B.CreateMemCpy(To, Align(Size), From, Align(Size), Size);
    return true;
  }
  // What the source has less than the size is filled with zeros.
  Value *Given = read(Args[3], B.getInt32Ty());
  if (!Given)
    return false;
  B.CreateMemSet(To, B.getInt8(0), Size, Align(Size));
  B.CreateMemCpy(To, Align(Size), From, Align(1),
                 B.CreateZExt(Given, B.getInt64Ty()));
  return true;
}

bool Translation::memory() {
  if (inShared() && !SharedNumbers)
    return false;
  PtxType T = type();
  if (!T || Predicate || T.T->isIntegerTy(1))
    return false;
  if (Opcode == "atom" || Opcode == "red") {
    bool Returns = Opcode == "atom";
    if (!onlyModifiers({"global", "add", "exch", "min", "max", "and", "or",
                        "xor", "noftz", "relaxed", "gpu", "cta", "shared",
                        "shared::cta"}) ||
        Args.size() != 2u + Returns)
      return false;
    auto Op = has("add") ? (T.Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
              : has("exch") ? AtomicRMWInst::Xchg
              : has("min")  ? (T.Float    ? AtomicRMWInst::BAD_BINOP
                               : T.Signed ? AtomicRMWInst::Min
                                          : AtomicRMWInst::UMin)
              : has("max")  ? (T.Float    ? AtomicRMWInst::BAD_BINOP
                               : T.Signed ? AtomicRMWInst::Max
                                          : AtomicRMWInst::UMax)
              : has("and")  ? AtomicRMWInst::And
              : has("or")   ? AtomicRMWInst::Or
              : has("xor")  ? AtomicRMWInst::Xor
                            : AtomicRMWInst::BAD_BINOP;
    Value *P = readAddress(Args[Returns]), *V = read(Args[1 + Returns], T.T);
    if (!P || !V || Op == AtomicRMWInst::BAD_BINOP)
      return false;
    auto One = [&](Value *At, Value *Of) {
      return B.CreateAtomicRMW(
          Op, At, Of, Align(Of->getType()->getPrimitiveSizeInBits() / 8),
          AtomicOrdering::Monotonic);
    };
    if (!isa<VectorType>(T.T)) {
      Value *Old = One(P, V);
      return !Returns || write(Args[0], Old);
    }
    // Each half by itself, as PTX promises it.
    Value *Old = PoisonValue::get(T.T);
    for (unsigned Lane : {0u, 1u})
      Old =
          B.CreateInsertElement(Old,
                                One(Lane ? B.CreatePtrAdd(P, B.getInt64(2)) : P,
                                    B.CreateExtractElement(V, Lane)),
                                Lane);
    return !Returns || write(Args[0], Old);
  }
  if (!onlyModifiers({"global", "nc", "ca", "cg", "cs", "cv", "lu", "wb", "wt",
                      "volatile", "relaxed", "gpu", "sys", "v2", "v4", "weak",
                      "cta", "shared", "shared::cta"}) ||
      Args.size() != 2)
    return false;
  bool Loads = Opcode == "ld",
       Ordered = has("volatile") || has("cv") || has("relaxed");
  Value *P = readAddress(Args[Loads]);
  if (!P)
    return false;
  SmallVector<StringRef, 4> Names;
  StringRef List = Args[!Loads];
  if (List.consume_front("{") && List.consume_back("}"))
    splitOperands(List, Names);
  else
    Names.push_back(List);
  unsigned Bytes = T.bits() / 8;
  if (Names.size() != (has("v4") ? 4u : has("v2") ? 2u : 1u))
    return false;
  for (auto [N, Name] : enumerate(Names)) {
    Value *At = N ? B.CreatePtrAdd(P, B.getInt64(N * Bytes)) : P;
    if (Loads) {
      if (!write(Name, B.CreateAlignedLoad(T.T, At, Align(Bytes), Ordered)))
        return false;
    } else {
      Value *V = read(Name, T.T);
      if (!V)
        return false;
      B.CreateAlignedStore(V, At, Align(Bytes), Ordered);
    }
  }
  return true;
}

bool Translation::threads() {
  if (Predicate)
    return false;
  auto Do = [&](StringRef Name, ArrayRef<Value *> With) {
    return intrinsic(Name, With) != nullptr;
  };
  if (Opcode == "membar" || Opcode == "fence") {
    StringRef Scope = has("sys")                ? "sys"
                      : has("gl") || has("gpu") ? "gl"
                      : has("cta")              ? "cta"
                                                : "";
    return !Scope.empty() && Args.empty() &&
           onlyModifiers({"sys", "gl", "gpu", "cta", "acq_rel", "sc"}) &&
           Do(("llvm.nvvm.membar." + Scope).str(), {});
  }
  if (Opcode == "bar" || Opcode == "barrier") {
    if (!has("sync") || Args.empty() ||
        !onlyModifiers({"sync", "warp", "cta", "aligned"}))
      return false;
    Value *Which = read(Args[0], B.getInt32Ty());
    if (!Which)
      return false;
    if (has("warp"))
      return Args.size() == 1 && Do("llvm.nvvm.bar.warp.sync", {Which});
    std::string Name = "llvm.nvvm.barrier.cta.sync.";
    if (has("aligned") || Opcode == "bar")
      Name += "aligned.";
    if (Args.size() == 1)
      return Do(Name + "all", {Which});
    Value *Count = read(Args[1], B.getInt32Ty());
    return Args.size() == 2 && Count && Do(Name + "count", {Which, Count});
  }
  if (Opcode == "activemask") {
    Value *R = intrinsic("llvm.nvvm.activemask", {});
    return Args.size() == 1 && R && write(Args[0], R);
  }
  if (Opcode == "vote") { // vote.sync.ballot.b32 d, p, mask
    if (Args.size() != 3 || !has("sync") || Modifiers.size() != 3)
      return false;
    Value *P = read(Args[1], B.getInt1Ty()),
          *Mask = read(Args[2], B.getInt32Ty());
    StringRef Kind = Modifiers[1];
    Value *R =
        P && Mask && is_contained({"ballot", "any", "all", "uni"}, Kind)
            ? intrinsic(("llvm.nvvm.vote." + Kind + ".sync").str(), {Mask, P})
            : nullptr;
    return R && write(Args[0], R);
  }
  // shfl.sync.down.b32 d, a, b, c, mask
  if (Args.size() != 5 || Modifiers.size() != 3 || !has("sync") ||
      Args[0].contains('|'))
    return false;
  Value *V[4];
  for (unsigned N = 0; N != 4; ++N)
    if (!(V[N] = read(Args[N + 1], B.getInt32Ty())))
      return false;
  Value *R = intrinsic(("llvm.nvvm.shfl.sync." + Modifiers[1] + ".i32").str(),
                       {V[3], V[0], V[1], V[2]});
  return R && write(Args[0], R);
}

/// What NVVM's intrinsics for the words of a double compute; null for other
/// calls.
static Value *wordOfDouble(IntrinsicInst &Call) {
  IRBuilder<> B(&Call);
  Type *Bits = B.getInt64Ty();
  auto Word = [&](unsigned Shift) {
    return B.CreateTrunc(
        B.CreateLShr(B.CreateBitCast(Call.getArgOperand(0), Bits), Shift),
        B.getInt32Ty());
  };
  switch (Call.getIntrinsicID()) {
  case Intrinsic::nvvm_d2i_lo:
    return Word(0);
  case Intrinsic::nvvm_d2i_hi:
    return Word(32);
  case Intrinsic::nvvm_lohi_i2d:
    return B.CreateBitCast(
        B.CreateOr(B.CreateZExt(Call.getArgOperand(0), Bits),
                   B.CreateShl(B.CreateZExt(Call.getArgOperand(1), Bits), 32)),
        Call.getType());
  default:
    return nullptr;
  }
}

bool retrograd::spellOutPtx(Function &F, bool SharedNumbers) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call)
      continue;
    if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
      if (!StringRef(Asm->getAsmString()).trim().empty())
        Changed |= Translation(*Call, SharedNumbers).run();
    } else if (auto *Known = dyn_cast<IntrinsicInst>(Call)) {
      if (Value *V = wordOfDouble(*Known)) {
        Known->replaceAllUsesWith(V);
        Known->eraseFromParent();
        Changed = true;
      }
    }
  }
  return Changed;
}
