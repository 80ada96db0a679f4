//===- Formulas.cpp - formulas of the catalogue, parsed and checked -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;

namespace retrograd::tblgen {

namespace {
/// How an operator of Operation.td maps to a FormulaNode.
struct OperatorInfo {
  StringRef Kind;
  unsigned Arity;
};
} // namespace

static OperatorInfo operatorInfo(StringRef Name) {
  return StringSwitch<OperatorInfo>(Name)
      .Case("add", {"FAdd", 2})
      .Case("sub", {"FSub", 2})
      .Case("mul", {"FMul", 2})
      .Case("div", {"FDiv", 2})
      .Case("neg", {"FNeg", 1})
      .Case("id", {"Identity", 1})
      .Case("sel", {"Select", 3})
      .Case("olt", {"CmpOLT", 2})
      .Case("ogt", {"CmpOGT", 2})
      .Case("ole", {"CmpOLE", 2})
      .Case("oge", {"CmpOGE", 2})
      .Case("oeq", {"CmpOEQ", 2})
      .Case("uno", {"CmpUNO", 2})
      .Case("ieq", {"CmpIntEQ", 2})
      .Case("iadd", {"IntAdd", 2})
      .Case("tofp", {"IntToFP", 1})
      .Case("sz", {"StrongZero", 1})
      .Default({"", 0});
}

bool isA(const Record *R, StringRef Class) { return R->isSubClassOf(Class); }

std::vector<const Record *> operations(const RecordKeeper &Records) {
  std::vector<const Record *> All(
      Records.getAllDerivedDefinitions("Operation"));
  // By name is how the keeper returns them; by definition is how people read.
  llvm::sort(All, [](const Record *A, const Record *B) {
    return A->getID() < B->getID();
  });
  return All;
}

std::string prototypeLetters(const Record *R) {
  std::string Letters;
  for (char C : R->getValueAsString("Prototype"))
    if (C != ':')
      Letters += C;
  return Letters;
}

FormulaSet::FormulaSet(const RecordKeeper &Records) : Records(Records) {}

unsigned FormulaSet::unique(Node N) {
  std::string Key = N.Kind + "|" + std::to_string(N.Index) + "|" + N.Text;
  for (unsigned Child : N.Children)
    Key += "," + std::to_string(Child);
  auto [It, New] = Known.try_emplace(Key, Nodes.size());
  if (New) {
    N.Number = Nodes.size();
    Nodes.push_back(std::move(N));
  }
  return It->second;
}

void FormulaSet::checkCall(const Record *R, const Node &N) {
  const Record *Callee = Records.getDef(N.Text);
  if (!Callee || !isA(Callee, "Operation")) {
    PrintFatalError(R, "a formula calls '" + N.Text + "', which is no record");
  }
  std::string Letters = prototypeLetters(Callee);
  if (Letters.size() != N.Children.size() + 1 || Letters[0] != 'F')
    PrintFatalError(R, "a formula calls '" + N.Text +
                           "' with the wrong number of operands");
  if (!Callee->getValueAsBit("Pure"))
    PrintFatalError(R, "a formula calls '" + N.Text + "', which is not pure");
}

unsigned FormulaSet::parse(const Record *R, const Init *I) {
  Node N;
  if (const auto *Number = dyn_cast<IntInit>(I)) {
    N.Kind = "Const";
    N.Text = std::to_string(Number->getValue());
    return unique(std::move(N));
  }
  if (const auto *Text = dyn_cast<StringInit>(I)) {
    double Ignored;
    if (Text->getValue().getAsDouble(Ignored))
      PrintFatalError(R, "'" + Text->getValue() + "' is not a number");
    N.Kind = "Const";
    N.Text = Text->getValue().str();
    return unique(std::move(N));
  }
  if (const auto *Def = dyn_cast<DefInit>(I)) {
    StringRef Name = Def->getDef()->getName();
    if (Name == "S")
      N.Kind = "Seed";
    else if (Name == "R")
      N.Kind = "Result";
    else if (Name.consume_front("A") && !Name.getAsInteger(10, N.Index)) {
      N.Kind = "Arg";
      if (N.Index + 1 >= prototypeLetters(R).size())
        PrintFatalError(R, "a formula reads operand " + Twine(N.Index) +
                               ", which the prototype does not have");
    } else
      PrintFatalError(R, "unexpected '" + Def->getDef()->getName() +
                             "' in a formula");
    return unique(std::move(N));
  }
  const auto *Dag = dyn_cast<DagInit>(I);
  if (!Dag)
    PrintFatalError(R, "unexpected '" + I->getAsString() + "' in a formula");

  StringRef Operator = Dag->getOperatorAsDef(R->getLoc())->getName();
  if (Operator == "call") {
    N.Kind = "Call";
    N.Text = cast<StringInit>(Dag->getArg(0))->getValue().str();
    for (unsigned Arg = 1; Arg < Dag->getNumArgs(); ++Arg)
      N.Children.push_back(parse(R, Dag->getArg(Arg)));
    checkCall(R, N);
    return unique(std::move(N));
  }
  OperatorInfo Info = operatorInfo(Operator);
  if (Info.Kind.empty())
    PrintFatalError(R, "unknown operator '" + Operator + "' in a formula");
  if (Info.Arity != Dag->getNumArgs())
    PrintFatalError(R, "operator '" + Operator + "' takes " +
                           Twine(Info.Arity) + " operands");
  if (Info.Kind == "Identity")
    return parse(R, Dag->getArg(0));
  N.Kind = Info.Kind.str();
  for (const Init *Arg : Dag->getArgs())
    N.Children.push_back(parse(R, Arg));
  return unique(std::move(N));
}

int FormulaSet::degree(const Record *R, unsigned Root) {
  const Node &N = Nodes[Root];
  auto Of = [&](unsigned I) { return degree(R, N.Children[I]); };
  auto Same = [&](int A, int B) {
    if (A != -1 && B != -1 && A != B)
      PrintFatalError(R, "a formula is not linear in the seed");
    return A == -1 ? B : A;
  };
  if (N.Kind == "Seed")
    return 1;
  if (N.Kind == "Const")
    return StringRef(N.Text) == "0" ? -1 : 0;
  if (N.Kind == "FAdd" || N.Kind == "FSub")
    return Same(Of(0), Of(1));
  if (N.Kind == "FMul") {
    int A = Of(0), B = Of(1);
    if (A == 1 && B == 1)
      PrintFatalError(R, "a formula is quadratic in the seed");
    return std::max(A, B);
  }
  if (N.Kind == "FDiv") {
    if (Of(1) == 1)
      PrintFatalError(R, "a formula divides by the seed");
    return Of(0);
  }
  if (N.Kind == "FNeg" || N.Kind == "StrongZero")
    return Of(0);
  if (N.Kind == "Select") {
    if (Of(0) == 1)
      PrintFatalError(R, "a formula branches on the seed");
    return Same(Of(1), Of(2));
  }
  if (N.Kind == "Call") {
    int Degree = 0;
    for (unsigned I = 0; I < N.Children.size(); ++I)
      if (Of(I) == 1) {
        // Scaling by a power of two is linear in what is scaled.
        bool Scales = I == 0 && (N.Text == "ldexp" || N.Text == "scalbln" ||
                                 N.Text == "scalb");
        if (!Scales)
          PrintFatalError(R, "a formula passes the seed to '" + N.Text + "'");
        Degree = 1;
      }
    return Degree;
  }
  for (unsigned I = 0; I < N.Children.size(); ++I)
    if (Of(I) == 1)
      PrintFatalError(R, "a formula compares the seed");
  return 0;
}

std::vector<FormulaSet::PartialInfo> FormulaSet::partials(const Record *R) {
  std::string Letters = prototypeLetters(R);
  std::vector<unsigned> Operands;
  for (unsigned I = 1; I < Letters.size(); ++I)
    if (Letters[I] == 'F')
      Operands.push_back(I - 1);
  const ListInit *List = R->getValueAsListInit("Partials");
  if (List->size() != Operands.size())
    PrintFatalError(R, "one partial per operand of type F is needed: " +
                           Twine(Operands.size()) + ", not " +
                           Twine(List->size()));
  std::vector<PartialInfo> Result;
  for (unsigned I = 0; I < List->size(); ++I) {
    const auto *Dag = cast<DagInit>(List->getElement(I));
    if (Dag->getOperatorAsDef(R->getLoc())->getName() == "NoShare")
      continue;
    unsigned Root = parse(R, Dag);
    if (degree(R, Root) == 0)
      PrintFatalError(R, "partial " + Twine(I) + " does not use the seed");
    Result.push_back({Operands[I], Root});
  }
  return Result;
}

void FormulaSet::reads(unsigned Root, uint32_t &ArgBits,
                       bool &ReadsResult) const {
  const Node &N = Nodes[Root];
  if (N.Kind == "Arg")
    ArgBits |= 1u << N.Index;
  ReadsResult |= N.Kind == "Result";
  for (unsigned Child : N.Children)
    reads(Child, ArgBits, ReadsResult);
}

/// Infix, for the reference page: d is the seed.
std::string FormulaSet::text(unsigned Root) const {
  const Node &N = Nodes[Root];
  static const char *const Operands[] = {"x", "y", "z"};
  auto Of = [&](unsigned I) { return text(N.Children[I]); };
  auto Infix = [&](StringRef Op) {
    return "(" + Of(0) + " " + Op.str() + " " + Of(1) + ")";
  };
  if (N.Kind == "Seed")
    return "d";
  if (N.Kind == "Result")
    return "r";
  if (N.Kind == "Arg")
    return Operands[N.Index];
  if (N.Kind == "Const")
    return N.Text.size() > 10 ? N.Text.substr(0, 8) + "..." : N.Text;
  if (N.Kind == "FNeg")
    return "-" + Of(0);
  if (N.Kind == "StrongZero" || N.Kind == "IntToFP")
    return Of(0);
  if (N.Kind == "IntAdd") {
    std::string Constant = Of(1);
    if (Constant[0] == '-')
      return Of(0) + " - " + Constant.substr(1);
    return Of(0) + " + " + Constant;
  }
  if (N.Kind == "Select")
    return "(" + Of(0) + " ? " + Of(1) + " : " + Of(2) + ")";
  if (N.Kind == "Call") {
    std::string Text = N.Text + "(";
    ListSeparator Comma;
    for (unsigned Child : N.Children)
      Text += StringRef(Comma).str() + text(Child);
    return Text + ")";
  }
  return Infix(StringSwitch<StringRef>(N.Kind)
                   .Case("FAdd", "+")
                   .Case("FSub", "-")
                   .Case("FMul", "*")
                   .Case("FDiv", "/")
                   .Case("CmpOLT", "<")
                   .Case("CmpOGT", ">")
                   .Case("CmpOLE", "<=")
                   .Case("CmpOGE", ">=")
                   .Case("CmpOEQ", "==")
                   .Case("CmpIntEQ", "==")
                   .Default("unordered"));
}

bool checkRecord(const Record *R) {
  bool Good = true;
  auto Complain = [&](const Twine &Text) {
    PrintError(R, "record '" + R->getName() + "': " + Text);
    Good = false;
  };
  std::vector<StringRef> Names = R->getValueAsListOfStrings("Names");
  std::vector<StringRef> Intrinsics = R->getValueAsListOfStrings("Intrinsics");
  if (Names.empty() && Intrinsics.empty() &&
      R->getValueAsString("Instruction").empty())
    Complain("no name, intrinsic or instruction");
  if (isA(R, "Aliases") && !is_contained(Names, R->getName()))
    Complain("its aliases are all of its names, and they lack its own");
  for (StringRef Name : Intrinsics) {
    // Names of targets that this LLVM does not know cannot be told from errors.
    if (Intrinsic::lookupIntrinsicID(Name) == Intrinsic::not_intrinsic)
      Complain("LLVM has no intrinsic '" + Name + "'");
  }
  if (R->getValueAsString("Section").empty())
    Complain("no section of the reference page");
  StringRef Prototype = R->getValueAsString("Prototype");
  if (!Prototype.empty() &&
      (Prototype.size() < 2 || Prototype[1] != ':' ||
       Prototype.find_first_not_of("FDGXILZNPV?*:") != StringRef::npos))
    Complain("prototype '" + Prototype + "' is malformed");
  if (R->getValueAsBit("HasForms") && Prototype.find('F') == StringRef::npos)
    Complain("forms differ in the type F, which the prototype does not name");
  if (R->getValueAsBit("Cheap") && !R->getValueAsBit("Pure"))
    Complain("cheap but not pure");
  if (isA(R, "Formula")) {
    if (Prototype.empty())
      Complain("a formula needs a prototype");
    size_t Operands = prototypeLetters(R).size() - 1;
    std::vector<StringRef> Samples = R->getValueAsListOfStrings("Samples");
    if (Samples.size() != Operands)
      Complain("a sampling domain per operand is needed");
    for (StringRef Sample : Samples) {
      auto [Lo, Hi] = Sample.split(':');
      double From, To;
      if (Lo.getAsDouble(From) || Hi.getAsDouble(To) || From > To)
        Complain("sampling domain '" + Sample + "' is malformed");
    }
  }
  if (isA(R, "Allocation"))
    if (!R->getValueAsBit("OfRuntime") &&
        (R->getValueAsString("Deallocator").empty() !=
             R->getValueAsBit("ShadowBehind") ||
         R->getValueAsListOfInts("SizeArgs").empty()))
      Complain("an allocation names its size and its deallocator");
  if (isA(R, "Rule")) {
    if (R->getValueAsString("Augment").empty() !=
        R->getValueAsString("Reverse").empty())
      Complain("a rule has an augment and a reverse function, or neither");
    SmallVector<StringRef, 16> Memory;
    R->getValueAsString("Memory").split(Memory, ' ', -1, /*KeepEmpty=*/false);
    std::string Letters = prototypeLetters(R);
    size_t Operands = Letters.size() - 1 - (Letters.back() == '*');
    if (Prototype.empty() || Memory.size() != Operands)
      Complain("a rule says for each operand what memory it leads to");
    else
      for (size_t Op = 0; Op != Operands; ++Op) {
        bool IsPointer = Letters[Op + 1] == 'P';
        StringRef Text = Memory[Op];
        bool Numbers = Text.size() == 2 && StringRef("rwm").contains(Text[0]) &&
                       StringRef("DGHY").contains(Text[1]);
        // The datatype of a message says what its numbers are.
        unsigned TypeAt;
        bool Typed = Text.size() > 2 && StringRef("rwm").contains(Text[0]) &&
                     Text[1] == '@' &&
                     !Text.drop_front(2).getAsInteger(10, TypeAt) &&
                     TypeAt < Operands;
        if (R->getValueAsBit("Communicates"))
          Numbers |= Typed || Text == "i" || Text == "rK" || Text == "mK";
        if (IsPointer ? Text != "n" && !Numbers : Text != "-")
          Complain("memory '" + Text + "' of operand " + Twine(Op) +
                   " is malformed");
      }
  }
  return Good;
}

} // namespace retrograd::tblgen
