//===- CheckCommand.cpp - compile, run, compare, report
//--------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A derivative is judged on three comparisons. Reverse under the two plans, and
// reverse against forward, use the same arithmetic up to its order: they must
// agree to rounding. Against differences the bound is what differences can do
// there, which the program measured by taking them at two steps; where the two
// are far apart (a kink, or noise), differences are no judge, and the line says
// `unsure` and counts neither way.
//
//===----------------------------------------------------------------------===//

#include "CheckCommand.h"
#include "Doctor.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;
using namespace retrograd;

namespace {

/// A derivative as the generated program printed it.
struct Row {
  unsigned Point = 0;
  std::string Name;
  bool Single = false;
  double Reverse = 0, Naive = 0, Forward = 0, Difference = 0, Spread = 0;
  double Error = 0;
  enum { Ok, Unsure, Plans, Modes, Differences } Verdict = Ok;
};

int complain(const Twine &Message) {
  errs() << "retrograd: " << Message << "\n";
  return 2;
}

/// Runs a program; its output goes to ours unless Output names a file.
int execute(StringRef Program, ArrayRef<std::string> Arguments,
            std::string &Problem, StringRef Output = "") {
  std::vector<StringRef> All{Program};
  All.insert(All.end(), Arguments.begin(), Arguments.end());
  std::vector<std::optional<StringRef>> Redirects;
  if (!Output.empty())
    Redirects = {std::nullopt, Output, std::nullopt};
  return sys::ExecuteAndWait(Program, All, std::nullopt, Redirects, 0, 0,
                             &Problem);
}

/// The folder of one check, removed when done unless the user wants it.
class Workplace {
public:
  explicit Workplace(bool Keep) : Keep(Keep) {
    Failed = bool(sys::fs::createUniqueDirectory("retrograd-check", Path));
  }
  ~Workplace() {
    if (Keep)
      errs() << "retrograd: the generated program is in " << Path << "\n";
    else if (!Failed)
      sys::fs::remove_directories(Path);
  }
  std::string file(StringRef Name) const {
    SmallString<256> Full = Path;
    sys::path::append(Full, Name);
    return Full.str().str();
  }
  bool failed() const { return Failed; }

private:
  SmallString<256> Path;
  bool Keep, Failed = false;
};

bool writeFile(const std::string &Path, StringRef Text) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  OS << Text;
  OS.close();
  return !EC && !OS.has_error();
}

std::string driverFor(const Invocation &I, const Signature &F) {
  SmallString<256> Path(I.BinDirectory);
  sys::path::append(Path, F.CPlusPlus ? "rg-clang++" : "rg-clang");
  return Path.str().str();
}

std::vector<std::string> withFlags(std::vector<std::string> Words, ArrayRef<std::string> Flags) {
  append_range(Words, Flags);
  return Words;
}

/// Of the program that is made for the user's file.
std::string ending(const Invocation &I, const Signature &F) {
  return I.isCuda() ? ".cu" : F.CPlusPlus ? ".cpp" : ".c";
}

/// Compiles the program under one plan and runs it; the lines that it wrote.
int runUnderPlan(const Invocation &I, const Signature &F, const Workplace &W,
                 const std::string &Source, StringRef Plan,
                 std::vector<std::string> &Lines) {
  std::string Program = W.file(Plan), Output = W.file((Plan + ".txt").str()),
              Problem;
  std::vector<std::string> Arguments{
      "-O2", "-w", Source, "-o", Program, "-mllvm", ("-rg-plan=" + Plan).str()};
  append_range(Arguments, targetFlags(I));
  Arguments.insert(Arguments.end(), I.Flags.begin(), I.Flags.end());
  Arguments.push_back("-lm");
  if (int Status = execute(driverFor(I, F), Arguments, Problem))
    return complain("compiling the derivative of '" + I.Function +
                    "' under the " + Plan + " plan failed" +
                    (Status < 0 ? ": " + Problem : std::string()));
  if (int Status =
          execute(Program, {Output}, Problem, W.file((Plan + ".out").str())))
    return complain("the program for '" + I.Function + "' under the " + Plan +
                    " plan " +
                    (Status < 0 ? "crashed: " + Problem
                                : "ended with " + std::to_string(Status)));
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(Output);
  if (!Buffer)
    return complain("the program for '" + I.Function + "' wrote nothing");
  SmallVector<StringRef, 64> Parts;
  (*Buffer)->getBuffer().split(Parts, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts)
    Lines.push_back(Part.str());
  if (Lines.empty() || Lines.back() != "end")
    return complain("the program for '" + I.Function + "' under the " + Plan +
                    " plan ended early; does the function call exit?");
  return 0;
}

int explainNote(StringRef Note, const Invocation &I) {
  if (Note.starts_with("bounds"))
    return complain(
        "'" + I.Function + "' " + Note.drop_front(7) +
        " past the end of an array of the assumed length; give the lengths "
        "with "
        "--len x=10, or the integers they depend on with --int n=5");
  if (Note.starts_with("finite"))
    return complain(
        "'" + I.Function + "' is not finite at point " + Note.drop_front(7) +
        "; choose other inputs with --range low:high or --range x=low:high");
  return complain(
      "'" + I.Function +
      "' gives different results for equal arguments: it keeps "
      "state between calls, and cannot be compared with differences");
}

bool parseRow(StringRef Line, Row &R) {
  SmallVector<StringRef, 8> Words;
  Line.split(Words, ' ');
  if (Words.size() != 8 || Words[0] != "row")
    return false;
  auto Number = [](StringRef Text, double &Value) {
    // getAsDouble refuses what it must round; strtod does not, and reads nan.
    Value = std::strtod(Text.str().c_str(), nullptr);
  };
  R.Name = Words[2].str();
  R.Single = Words[3] == "float";
  Number(Words[4], R.Reverse);
  Number(Words[5], R.Forward);
  Number(Words[6], R.Difference);
  Number(Words[7], R.Spread);
  return !Words[1].getAsInteger(10, R.Point);
}

/// Scale is what a relative error is relative to.
void judge(Row &R, double Largest) {
  double Scale = std::max({std::fabs(R.Reverse), std::fabs(R.Forward),
                           std::fabs(R.Difference), 1e-3 * Largest, 1e-12});
  double Rounding = R.Single ? 1e-4 : 1e-8, Best = R.Single ? 2e-3 : 1e-6;
  double Plans = std::fabs(R.Reverse - R.Naive) / Scale;
  double Modes = std::fabs(R.Reverse - R.Forward) / Scale;
  double Spread = R.Spread / Scale;
  R.Error = std::fabs(R.Reverse - R.Difference) / Scale;
  // A NaN makes each of these conditions false, hence the way round.
  if (!(Plans <= Rounding))
    R.Verdict = Row::Plans;
  else if (!(Modes <= Rounding))
    R.Verdict = Row::Modes;
  else if (R.Error <= Best + 4 * Spread)
    R.Verdict = Spread <= (R.Single ? 0.1 : 1e-2) ? Row::Ok : Row::Unsure;
  else
    R.Verdict = Spread <= (R.Single ? 0.1 : 1e-2) || std::isnan(Spread)
                    ? Row::Differences
                    : Row::Unsure;
}

StringRef spelling(const Row &R) {
  switch (R.Verdict) {
  case Row::Ok:
    return "ok";
  case Row::Unsure:
    return "unsure (kink or noise)";
  case Row::Plans:
    return "WRONG: the plans differ";
  case Row::Modes:
    return "WRONG: reverse and forward differ";
  case Row::Differences:
    return "WRONG: not what differences say";
  }
  llvm_unreachable("every verdict has words");
}

/// Everything when it fits on a screen or is asked for, otherwise what is wrong
/// and the worst of each parameter.
void printTable(const std::vector<Row> &Rows, bool All) {
  constexpr size_t Screen = 40;
  std::vector<const Row *> Shown;
  std::map<std::string, const Row *> Worst;
  size_t Wrong = 0;
  for (const Row &R : Rows) {
    std::string Parameter =
        StringRef(R.Name)
            .take_until([](char C) { return C == '[' || C == '-' || C == '.'; })
            .str();
    const Row *&W = Worst[Parameter];
    if (!W || R.Error > W->Error)
      W = &R;
  }
  for (const Row &R : Rows) {
    bool Bad = R.Verdict > Row::Unsure;
    Wrong += Bad;
    bool IsWorst = false;
    for (const auto &[Name, W] : Worst)
      IsWorst |= W == &R;
    if (All || Rows.size() <= Screen || IsWorst || (Bad && Wrong <= Screen))
      Shown.push_back(&R);
  }
  size_t Width = 8;
  for (const Row *R : Shown)
    Width = std::max(Width, R->Name.size());
  outs() << "point  " << left_justify("argument", Width)
         << "       reverse    naive plan       forward   differences    error "
            " verdict\n";
  for (const Row *R : Shown)
    outs() << format("%5u", R->Point) << "  " << left_justify(R->Name, Width)
           << format("  %12.5e  %12.5e  %12.5e  %12.5e  %7.0e  ", R->Reverse,
                     R->Naive, R->Forward, R->Difference, R->Error)
           << spelling(*R) << "\n";
  if (Shown.size() < Rows.size())
    outs() << "(" << Rows.size() - Shown.size()
           << " more; --all prints them)\n";
}

/// Checks another function of the file, by this tool in a process of its own: it may crash
/// or refuse.
Health examine(const Invocation &I, const CheckSettings &S, const std::string &Function,
               bool Together, std::string &Reason) {
  Workplace W(false);
  SmallString<256> Self(I.BinDirectory);
  sys::path::append(Self, "retrograd");
  std::vector<std::string> Words{"check", I.File, "--function", Function, "--no-doctor", "--twice",
                                 "--points", std::to_string(S.Points), "--seed",
                                 std::to_string(S.Seed)};
  if (I.isCuda()) {
    // Threads that know nothing of each other would all write one place.
    append_range(Words, ArrayRef<std::string>{"--grid", std::to_string(Together ? S.Grid : 1), "--block",
                                              std::to_string(Together ? S.Block : 1)});
    Expected<Signature> F = readSignature(I.File, Function, withFlags(readingFlags(I), I.Flags));
    if (!F)
      consumeError(F.takeError());
    else if (Together)
      for (const Parameter &P : F->Parameters)
        if (auto Given = S.Integers.find(P.Name); Given != S.Integers.end())
          append_range(Words, ArrayRef<std::string>{"--int", P.Name + "=" + std::to_string(Given->second)});
    if (I.OnGpu)
      Words.push_back("--target=gpu");
  }
  Words.push_back("--");
  Words.insert(Words.end(), I.Flags.begin(), I.Flags.end());
  std::vector<StringRef> All{Self};
  All.insert(All.end(), Words.begin(), Words.end());
  std::string Said = W.file("said"), Complaint = W.file("complaint");
  int Status = sys::ExecuteAndWait(Self, All, std::nullopt, {StringRef(), Said, Complaint});
  auto Text = [](const std::string &Path) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> B = MemoryBuffer::getFile(Path);
    return B ? (*B)->getBuffer().str() : std::string();
  };
  if (Status == 1)
    return Health::Wrong;
  if (Status == 0)
    return StringRef(Text(Said)).contains("differences could not judge") ? Health::Unsure
                                                                         : Health::Right;
  SmallVector<StringRef, 8> Lines;
  std::string Complained = Text(Complaint);
  StringRef(Complained).split(Lines, '\n', -1, false);
  for (StringRef Line : Lines)
    if (Line.consume_front("retrograd: "))
      Reason = Line.str();
  return Health::Unknown;
}

/// Runs another function of the file as it is, for what it decides.
std::optional<Decision> measure(const Invocation &I, const CheckSettings &Given,
                                const std::string &Function, bool Together) {
  Expected<Signature> F = readSignature(I.File, Function, withFlags(readingFlags(I), I.Flags));
  if (!F) {
    consumeError(F.takeError());
    return std::nullopt;
  }
  Workplace W(false);
  CheckSettings S;
  if (Function == I.Function)
    S = Given;
  S.Points = Given.Points;
  S.Seed = Given.Seed;
  S.Trace = true;
  if (Function != I.Function) {
    S.Grid = Together ? Given.Grid : 1;
    S.Block = Together ? Given.Block : 1;
  }
  std::string Source = W.file("trace" + ending(I, *F));
  if (W.failed() || !writeFile(Source, checkProgram(I.File, *F, S)))
    return std::nullopt;
  // Decisions are traced on the processor, wherever the check itself runs.
  Invocation OnProcessor = I;
  OnProcessor.OnGpu = false;
  return measureDecisions(driverFor(I, *F), Source, W.file("trace"),
                          withFlags(targetFlags(OnProcessor), I.Flags));
}

std::string counted(size_t N, StringRef Thing) {
  return std::to_string(N) + " " + Thing.str() + (N == 1 ? "" : "s");
}

} // namespace

std::vector<std::string> retrograd::targetFlags(const Invocation &I) {
  if (!I.isCuda())
    return {};
  if (!I.OnGpu)
    return {"--offload=cpu"};
  return {"-L/usr/local/cuda/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread"};
}

std::vector<std::string> retrograd::readingFlags(const Invocation &I) {
  if (!I.isCuda())
    return {};
  SmallString<256> Headers(sys::path::parent_path(I.BinDirectory));
  sys::path::append(Headers, "include", "retrograd", "cuda");
  SmallString<256> First = Headers;
  sys::path::append(First, "retrograd_cuda.h");
  return {"-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-Xclang",
          "-target-sdk-version=12.8", "-isystem", Headers.str().str(), "-include", First.str().str()};
}

int retrograd::checkCommand(const Invocation &I, const CheckSettings &S) {
  Expected<Signature> F = readSignature(I.File, I.Function, withFlags(readingFlags(I), I.Flags));
  if (!F)
    return complain(toString(F.takeError()));
  auto Known = [&](StringRef Option, const std::string &Name) {
    for (const Parameter &P : F->Parameters)
      if (P.Name == Name)
        return true;
    complain("--" + Option + ": '" + I.Function + "' has no parameter '" +
             Name + "'");
    return false;
  };
  for (const auto &[Name, Value] : S.Integers)
    if (!Known("int", Name))
      return 2;
  for (const auto &[Name, Value] : S.Lengths)
    if (!Known("len", Name))
      return 2;
  for (const auto &[Name, Value] : S.Ranges)
    if (!Known("range", Name))
      return 2;
  for (const std::string &Name : S.Constants)
    if (!Known("const", Name))
      return 2;

  Workplace W(I.Keep);
  std::string Source = W.file("check" + ending(I, *F));
  if (W.failed() || !writeFile(Source, checkProgram(I.File, *F, S)))
    return complain("cannot write a temporary file");

  outs() << "retrograd check " << I.Shown << ": " << F->Declaration;
  for (size_t K = 0; K < F->Parameters.size(); ++K) {
    const Parameter &P = F->Parameters[K];
    if (P.isIntegerValue())
      outs() << ", " << P.Name << " = " << integerValue(P, S);
    else if (P.How == Passing::Pointer || P.How == Passing::Vector)
      outs() << ", " << P.Name << "[" << lengthOf(*F, K, S) << "]";
  }
  outs() << "\n";
  outs().flush();

  std::vector<std::string> Clever, Naive;
  if (int Status = runUnderPlan(I, *F, W, Source, "mincut", Clever))
    return Status;
  if (int Status = runUnderPlan(I, *F, W, Source, "naive", Naive))
    return Status;
  for (const std::vector<std::string> *Lines : {&Clever, &Naive})
    for (StringRef Line : *Lines)
      if (Line.consume_front("note "))
        return explainNote(Line, I);
  if (Clever.size() != Naive.size())
    return complain("the programs of the two plans computed different numbers "
                    "of derivatives");

  std::vector<Row> Rows;
  std::map<unsigned, double> Largest;
  for (size_t K = 0; K + 1 < Clever.size(); ++K) {
    Row A, B;
    if (!parseRow(Clever[K], A) || !parseRow(Naive[K], B))
      return complain("cannot read what the generated program wrote: '" +
                      Clever[K] + "'");
    A.Naive = B.Reverse;
    Rows.push_back(A);
    double &L = Largest[A.Point];
    L = std::max(L, std::fabs(A.Difference));
  }
  if (Rows.empty())
    return complain("every parameter is constant; nothing was compared");
  size_t Wrong = 0, Unsure = 0;
  for (Row &R : Rows) {
    judge(R, Largest[R.Point]);
    Wrong += R.Verdict > Row::Unsure;
    Unsure += R.Verdict == Row::Unsure;
  }
  printTable(Rows, I.PrintAll);
  if (Wrong)
    outs() << Wrong << " of " << counted(Rows.size(), "derivative") << " at "
           << counted(S.Points, "random point") << " wrong\n";
  else if (Unsure == Rows.size())
    outs() << "reverse and forward mode and both plans agree; differences "
              "could not judge any\n";
  else {
    outs() << counted(Rows.size(), "derivative") << " at "
           << counted(S.Points, "random point")
           << ": reverse under both plans, forward and differences agree";
    if (Unsure)
      outs() << " (differences could not judge " << Unsure << ")";
    outs() << "\n";
  }
  outs().flush();
  if ((Wrong || Unsure) && I.Doctor)
    diagnose(
        I,
        [&](const std::string &Function, bool Together, std::string &Reason) {
          return examine(I, S, Function, Together, Reason);
        },
        [&](const std::string &Function, bool Together) {
          return measure(I, S, Function, Together);
        });
  return Wrong ? 1 : 0;
}

int retrograd::gradCommand(const Invocation &I) {
  Expected<Signature> F = readSignature(I.File, I.Function, withFlags(readingFlags(I), I.Flags));
  if (!F)
    return complain(toString(F.takeError()));
  Workplace W(I.Keep);
  std::string Source = W.file(F->CPlusPlus ? "gradient.cpp" : "gradient.c");
  if (W.failed() || !writeFile(Source, gradientProgram(I.File, *F)))
    return complain("cannot write a temporary file");
  std::string Output = W.file("gradient.ll"), Problem;
  std::vector<std::string> Arguments{"-O2",  "-w", "-S",  "-emit-llvm",
                                     Source, "-o", Output};
  Arguments.insert(Arguments.end(), I.Flags.begin(), I.Flags.end());
  if (int Status = execute(driverFor(I, *F), Arguments, Problem))
    return complain("compiling the derivative of '" + I.Function + "' failed" +
                    (Status < 0 ? ": " + Problem : std::string()));
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M = parseIRFile(Output, Diagnostic, Context);
  Function *Root = M ? M->getFunction("rg_gradient") : nullptr;
  if (!Root)
    return complain("cannot read the IR of the derivative");
  outs() << "; reverse derivative of " << F->Declaration << "\n"
         << "; parameters as above, each pointer followed by its shadow\n";
  StripDebugInfo(*M);
  // The derivative and what it calls, outermost first; derivatives that were
  // inlined are inside rg_gradient. The tape's own functions are left out.
  std::vector<Function *> Order{Root};
  for (size_t K = 0; K < Order.size(); ++K) {
    outs() << "\n";
    Order[K]->print(outs());
    for (Instruction &Inst : instructions(*Order[K]))
      if (auto *Call = dyn_cast<CallBase>(&Inst))
        if (Function *Callee = Call->getCalledFunction())
          if (!Callee->isDeclaration() &&
              !Callee->getName().starts_with("rg_") &&
              !is_contained(Order, Callee))
            Order.push_back(Callee);
  }
  return 0;
}
