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
//
//===----------------------------------------------------------------------===//

#include "Primal/Device/PtxAssembly.h"
#include "Primal/Device/PtxTranslation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace retrograd;

bool PtxTranslation::collectOperands() {
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

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void retrograd::splitOperands(StringRef Text, SmallVectorImpl<StringRef> &Out) {
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

bool PtxTranslation::declare(StringRef Rest) {
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

bool PtxTranslation::statement(StringRef Text) {
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

bool PtxTranslation::translate(StringRef Text) {
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

bool PtxTranslation::run() {
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

bool PtxTranslation::operation() {
  using Known = bool (PtxTranslation::*)();
  auto Handler =
      StringSwitch<Known>(Opcode)
          .Cases({"mov", "selp"}, &PtxTranslation::move)
          .Cases({"add", "sub", "mul", "mad", "fma", "div", "rem", "neg", "abs",
                  "min", "max"},
                 &PtxTranslation::arithmetic)
          .Cases({"sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos", "tanh",
                  "copysign"},
                 &PtxTranslation::arithmetic)
          .Cases({"and", "or", "xor", "not", "shl", "shr", "shf", "lop3",
                  "popc", "clz", "brev"},
                 &PtxTranslation::bitwise)
          .Cases({"bfe", "bfi", "prmt"}, &PtxTranslation::bitwise)
          .Cases({"set", "setp"}, &PtxTranslation::compare)
          .Case("cvt", &PtxTranslation::convert)
          .Cases({"ld", "st", "atom", "red"}, &PtxTranslation::memory)
          .Case("cvta", &PtxTranslation::convertAddress)
          .Case("cp", &PtxTranslation::copyAsync)
          .Cases({"prefetch", "prefetchu"}, &PtxTranslation::hint)
          .Cases({"bar", "barrier", "membar", "fence", "shfl", "activemask",
                  "vote"},
                 &PtxTranslation::threads)
          .Cases({"vadd2", "vadd4", "vsub2", "vsub4", "vabsdiff2", "vabsdiff4",
                  "vavrg2", "vavrg4"},
                 &PtxTranslation::packed)
          .Cases({"vmin2", "vmin4", "vmax2", "vmax4", "vset2", "vset4"},
                 &PtxTranslation::packed)
          .Default(nullptr);
  return Handler && (this->*Handler)();
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
        Changed |= PtxTranslation(*Call, SharedNumbers).run();
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
