//===- CheckCommand.cpp - compile, run, compare, report -------------------===//
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
#include "OwnCalls.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
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
  double Scale = 0; ///< what the terms of a sum are worth; 0: the row is no sum
  double Error = 0;
  enum { Ok, Unsure, Plans, Modes, Differences } Verdict = Ok;
  bool ReverseWrong = false, ForwardWrong = false; ///< as far as can be told

  bool isDirection() const { return Name == "(direction)"; }
};

/// A number that a derivative computes otherwise than the function.
struct Deviation {
  unsigned Point = 0;
  std::string Mode, Name;
  double Is = 0, Should = 0;
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

std::vector<std::string> withFlags(std::vector<std::string> Words,
                                   ArrayRef<std::string> Flags) {
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

/// getAsDouble refuses what it must round; strtod does not, and reads nan.
double number(StringRef Text) {
  return std::strtod(Text.str().c_str(), nullptr);
}

bool parseRow(StringRef Line, Row &R) {
  SmallVector<StringRef, 8> Words;
  Line.split(Words, ' ');
  if (Words.size() != 9 || Words[0] != "row")
    return false;
  R.Name = Words[2].str();
  R.Single = Words[3] == "float";
  R.Reverse = number(Words[4]);
  R.Forward = number(Words[5]);
  R.Difference = number(Words[6]);
  R.Spread = number(Words[7]);
  R.Scale = number(Words[8]);
  return !Words[1].getAsInteger(10, R.Point);
}

bool parseValue(StringRef Line, Deviation &V) {
  SmallVector<StringRef, 8> Words;
  Line.split(Words, ' ');
  if (Words.size() != 6 || Words[0] != "value")
    return false;
  V.Mode = Words[2].str();
  V.Name = Words[3].str();
  V.Is = number(Words[4]);
  V.Should = number(Words[5]);
  return !Words[1].getAsInteger(10, V.Point);
}

/// Scale is what a relative error is relative to.
void judge(Row &R, double Largest) {
  double Scale = 1e-12;
  for (double Size :
       {R.Reverse, R.Forward, R.Difference, 1e-3 * Largest, R.Scale})
    if (std::isfinite(Size))
      Scale = std::max(Scale, std::fabs(Size));
  // Sums are rounded in another order, in float if the function computes in
  // float inside.
  double Rounding = R.Single || R.isDirection() ? 1e-4 : 1e-8,
         Best = R.Single ? 2e-3 : 1e-6;
  auto Apart = [&](double A, double B) {
    // Two infinities of one sign agree.
    return A == B ? 0 : std::fabs(A - B) / Scale;
  };
  double Spread = R.Spread / Scale;
  bool Judge = Spread <= (R.Single ? 0.1 : 1e-2);
  R.Error = Apart(R.Reverse, R.Difference);
  // A NaN makes each of these conditions false, hence the way round.
  bool Finite = std::isfinite(R.Reverse) && std::isfinite(R.Naive) &&
                std::isfinite(R.Forward);
  if (!Finite && !Judge)
    R.Verdict = Row::Unsure; // no derivative here, as differences say, too
  else if (!(Apart(R.Reverse, R.Naive) <= Rounding))
    R.Verdict = Row::Plans;
  else if (!(Apart(R.Reverse, R.Forward) <= Rounding))
    R.Verdict = Row::Modes;
  else if (!Judge)
    R.Verdict = Row::Unsure;
  else
    R.Verdict = R.Error <= Best + 4 * Spread ? Row::Ok : Row::Differences;
  if (R.Verdict <= Row::Unsure)
    return;
  R.ReverseWrong = R.Verdict == Row::Plans || !(R.Error <= Best + 4 * Spread);
  R.ForwardWrong = !(Apart(R.Forward, R.Difference) <= Best + 4 * Spread);
  // The two differ by less than differences can tell.
  if (!R.ReverseWrong && !R.ForwardWrong)
    R.ReverseWrong = R.ForwardWrong = true;
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

/// JSON has no infinities and no NaN: they are text.
json::Value asJson(double Number) {
  if (std::isfinite(Number))
    return Number;
  return std::isnan(Number) ? "nan" : Number > 0 ? "inf" : "-inf";
}

json::Object asJson(const Row &R) {
  return json::Object{{"point", R.Point},
                      {"argument", R.Name},
                      {"direction", R.isDirection()},
                      {"reverse", asJson(R.Reverse)},
                      {"naive", asJson(R.Naive)},
                      {"forward", asJson(R.Forward)},
                      {"differences", asJson(R.Difference)},
                      {"error", asJson(R.Error)},
                      {"verdict", R.Verdict == Row::Ok       ? "ok"
                                  : R.Verdict == Row::Unsure ? "unsure"
                                                             : "wrong"},
                      {"why", spelling(R)}};
}

/// Everything when it fits on a screen or is asked for, otherwise what is wrong
/// and the worst of each parameter.
void printTable(const std::vector<Row> &Rows, bool All) {
  constexpr size_t Screen = 40;
  std::vector<const Row *> Shown;
  std::map<std::string, const Row *> Worst;
  size_t Wrong = 0,
         Directions =
             count_if(Rows, [](const Row &R) { return R.isDirection(); });
  for (const Row &R : Rows) {
    std::string Parameter =
        StringRef(R.Name)
            .take_until([](char C) { return C == '[' || C == '-' || C == '.'; })
            .str();
    const Row *&W = Worst[Parameter];
    if (!W || R.Error > W->Error)
      W = &R;
  }
  size_t Hidden = 0;
  DenseSet<unsigned> WrongPoints;
  for (const Row &R : Rows)
    if (!R.isDirection() && R.Verdict > Row::Unsure)
      WrongPoints.insert(R.Point);
  for (const Row &R : Rows) {
    bool Bad = R.Verdict > Row::Unsure;
    // One that an input explains tells nothing new.
    if (R.isDirection() && (!Bad || WrongPoints.contains(R.Point))) {
      ++Hidden;
      continue;
    }
    Wrong += Bad;
    bool IsWorst = false;
    for (const auto &[Name, W] : Worst)
      IsWorst |= W == &R;
    if (All || Rows.size() - Directions <= Screen || IsWorst ||
        (Bad && Wrong <= Screen))
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
  if (Shown.size() + Hidden < Rows.size())
    outs() << "(" << Rows.size() - Hidden - Shown.size()
           << " more; --all prints them)\n";
}

/// Reads the rows and values that the programs of both plans wrote; 0, or the
/// exit status.
int readNumbers(ArrayRef<std::string> Clever, ArrayRef<std::string> Naive,
                std::vector<Row> &Rows, std::vector<Deviation> &Values) {
  std::vector<Row> Reference;
  for (ArrayRef<std::string> Lines : {Clever, Naive})
    for (StringRef Line : Lines.drop_back()) {
      Row R;
      Deviation V;
      if (parseRow(Line, R))
        (Lines.data() == Clever.data() ? Rows : Reference).push_back(R);
      else if (parseValue(Line, V))
        Values.push_back(V);
      else
        return complain("cannot read what the generated program wrote: '" +
                        Line + "'");
    }
  if (Rows.size() != Reference.size())
    return complain("the programs of the two plans computed different numbers "
                    "of derivatives");
  for (size_t K = 0; K < Rows.size(); ++K)
    Rows[K].Naive = Reference[K].Reverse;
  return 0;
}

/// The file that holds Of, and the name by which it is called there.
std::pair<std::string, std::string>
locate(const Invocation &I, const Subject &Of, const Workplace &W) {
  if (Of.Caller.empty())
    return {I.File, Of.Function};
  std::string Path = W.file("caller" + sys::path::extension(I.File).str());
  writeFile(Path, "#include \"" + I.File + "\"\n" + Of.Caller);
  return {Path, "rg_caller"};
}

/// With what a function that calls another one of the file has to be compiled.
std::vector<std::string> flagsFor(const Invocation &I, const Subject &Of) {
  std::vector<std::string> Flags = I.Flags;
  // A member may be private.
  if (!Of.Caller.empty() && !StringRef(I.File).ends_with(".c"))
    Flags.push_back("-fno-access-control");
  return Flags;
}

/// Checks another function of the file, by this tool in a process of its own:
/// it may crash or refuse.
Findings examine(const Invocation &I, const CheckSettings &S,
                 const Subject &Of) {
  Findings Found;
  Workplace W(false);
  SmallString<256> Self(I.BinDirectory);
  sys::path::append(Self, "retrograd");
  auto [File, Function] = locate(I, Of, W);
  std::vector<std::string> Flags = flagsFor(I, Of);
  std::vector<std::string> Words{"check",
                                 File,
                                 "--function",
                                 Function,
                                 "--no-doctor",
                                 "--twice",
                                 "--findings",
                                 "--points",
                                 std::to_string(S.Points),
                                 "--seed",
                                 std::to_string(S.Seed)};
  if (I.isCuda()) {
    // Threads that know nothing of each other would all write one place.
    append_range(Words,
                 ArrayRef<std::string>{
                     "--grid", std::to_string(Of.Together ? S.Grid : 1),
                     "--block", std::to_string(Of.Together ? S.Block : 1)});
    Expected<Signature> F =
        readSignature(File, Function, withFlags(readingFlags(I), Flags));
    if (!F)
      consumeError(F.takeError());
    else if (Of.Together)
      for (const Parameter &P : F->Parameters)
        if (auto Given = S.Integers.find(P.Name); Given != S.Integers.end())
          append_range(Words, ArrayRef<std::string>{
                                  "--int", P.Name + "=" +
                                               std::to_string(Given->second)});
    if (I.OnGpu)
      Words.push_back("--target=gpu");
  }
  Words.push_back("--");
  append_range(Words, Flags);
  std::vector<StringRef> All{Self};
  All.insert(All.end(), Words.begin(), Words.end());
  std::string Said = W.file("said"), Complaint = W.file("complaint");
  int Status = sys::ExecuteAndWait(Self, All, std::nullopt,
                                   {StringRef(), Said, Complaint});
  auto Text = [](const std::string &Path) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> B = MemoryBuffer::getFile(Path);
    return B ? (*B)->getBuffer().str() : std::string();
  };
  if (Status == 0 || Status == 1)
    Found.read(Text(Said));
  else
    Found.Known = false;
  if (Found.Known)
    return Found;
  SmallVector<StringRef, 8> Lines;
  std::string Complained = Text(Complaint);
  StringRef(Complained).split(Lines, '\n', -1, false);
  for (StringRef Line : Lines)
    if (Line.consume_front("retrograd: "))
      Found.Reason = Line.str();
  return Found;
}

/// Runs the checked function under the sanitizers.
std::optional<std::string> undefinedIn(const Invocation &I, CheckSettings S,
                                       const Subject &Of) {
  Workplace W(false);
  Expected<Signature> F = readSignature(I.File, Of.Function, I.Flags);
  if (!F) {
    consumeError(F.takeError());
    return std::nullopt;
  }
  S.Trace = true;
  std::string Source = W.file("trace" + ending(I, *F));
  if (W.failed() || !writeFile(Source, checkProgram(I.File, *F, S)))
    return std::nullopt;
  return findUndefined(driverFor(I, *F), Source, W.file("trace"), I.Flags);
}

/// Runs a function of the file as it is, for what it decides.
Measured measure(const Invocation &I, const CheckSettings &Given,
                 const Subject &Of) {
  Workplace W(I.Keep);
  if (W.failed())
    return {};
  bool Root = Of.Function == I.Function && Of.Caller.empty();
  auto [File, Function] = locate(I, Of, W);
  // Decisions are traced on the processor, wherever the check itself runs.
  Invocation OnProcessor = I;
  OnProcessor.OnGpu = false;
  OnProcessor.Flags = flagsFor(I, Of);
  Expected<Signature> F = readSignature(
      File, Function, withFlags(readingFlags(I), OnProcessor.Flags));
  if (!F) {
    consumeError(F.takeError());
    return {};
  }
  CheckSettings S;
  if (Root)
    S = Given;
  S.Points = Given.Points;
  S.Seed = Given.Seed;
  S.Trace = true;
  if (!Root) {
    S.Grid = Of.Together ? Given.Grid : 1;
    S.Block = Of.Together ? Given.Block : 1;
  }
  std::string Source = W.file("trace" + ending(I, *F));
  if (!writeFile(Source, checkProgram(File, *F, S)))
    return {};
  std::vector<std::string> Flags =
      withFlags(targetFlags(OnProcessor), OnProcessor.Flags);
  Measured Result =
      measureDecisions(driverFor(I, *F), Source, W.file("trace"), Flags);
  if (Result.Ran && !Result.Changed && !I.isCuda())
    Result.Undefined =
        findUndefined(driverFor(I, *F), Source, W.file("trace"), Flags);
  return Result;
}

/// What the race check of the processor says of the function's own launch
/// (docs/user/CudaOnCpu.md), a message per line; nothing where it did not run.
std::optional<std::string> racesIn(const Invocation &I, const Signature &F,
                                   CheckSettings S) {
  Workplace W(I.Keep);
  S.Trace = true;
  std::string Source = W.file("races" + ending(I, F)),
              Program = W.file("races"), Output = W.file("races.txt"),
              Complaint = W.file("races.err"), Problem;
  if (W.failed() || !writeFile(Source, checkProgram(I.File, F, S)))
    return std::nullopt;
  std::vector<std::string> Words{"-w",    Source,          "-o",
                                 Program, "--offload=cpu", "-O1"};
  append_range(Words, I.Flags);
  append_range(Words, ArrayRef<StringRef>{"-rg-check-races", "-lm"});
  if (execute(driverFor(I, F), Words, Problem))
    return std::nullopt;
  constexpr int Reported = 66, Seconds = 60;
  int Status = sys::ExecuteAndWait(Program, {Program, Output}, std::nullopt,
                                   {StringRef(), StringRef(), Complaint},
                                   Seconds, 0, &Problem);
  if (Status != Reported)
    return Status < 0 ? std::nullopt : std::optional<std::string>("");
  ErrorOr<std::unique_ptr<MemoryBuffer>> Said =
      MemoryBuffer::getFile(Complaint);
  if (!Said)
    return std::nullopt;
  SmallVector<StringRef, 8> Lines;
  (*Said)->getBuffer().split(Lines, '\n', -1, false);
  std::string Text;
  for (StringRef Line : Lines) {
    // The kernel around the function is this tool's own.
    auto [Before, Behind] = Line.split(" in kernel 'rg_kernel_primal");
    if (!Behind.empty())
      Text += (Before + " in '" + I.Function + "'" + Behind.split('\'').second)
                  .str() +
              "\n";
    else if (Line.contains(": note: "))
      Text += Line.str() + "\n";
  }
  return Text;
}

std::string counted(size_t N, StringRef Thing) {
  return std::to_string(N) + " " + Thing.str() + (N == 1 ? "" : "s");
}

/// The numbers of a check, and what they come to.
struct Comparison {
  std::string Note; ///< why there are none (explainNote)
  std::vector<Row> Rows;
  std::vector<Deviation> Values;
  Findings Found;
  size_t Derivatives = 0, Wrong = 0, Unsure = 0, WrongDirections = 0;

  void judgeAll() {
    Found = {};
    Derivatives = Wrong = Unsure = WrongDirections = 0;
    std::map<unsigned, double> Largest;
    DenseSet<unsigned> UnsurePoints;
    for (const Row &R : Rows)
      if (double &L = Largest[R.Point]; !R.isDirection())
        L = std::fmax(L, std::fabs(R.Difference));
    for (Row &R : Rows) {
      R.Verdict = Row::Ok;
      R.ReverseWrong = R.ForwardWrong = false;
      judge(R, Largest[R.Point]);
      // Where differences cannot judge an input, they cannot judge a direction.
      if (R.isDirection() && UnsurePoints.contains(R.Point) &&
          R.Verdict == Row::Differences) {
        R.Verdict = Row::Unsure;
        R.ReverseWrong = R.ForwardWrong = false;
      }
      if (R.Verdict == Row::Unsure)
        UnsurePoints.insert(R.Point);
      Found.Reverse |= R.ReverseWrong;
      Found.Forward |= R.ForwardWrong;
      if (R.isDirection()) {
        WrongDirections += R.Verdict > Row::Unsure;
        continue;
      }
      ++Derivatives;
      Wrong += R.Verdict > Row::Unsure;
      Unsure += R.Verdict == Row::Unsure;
    }
    for (const Deviation &V : Values)
      (V.Mode == "reverse" ? Found.ReverseValue : Found.ForwardValue) = true;
    Found.Unsure = !Found.wrong() && Unsure;
  }

  /// All rows, whatever the table shows of them.
  void report(json::Object &O, const CheckSettings &S) const {
    O["points"] = S.Points;
    O["derivatives"] = Derivatives;
    O["wrong"] = Wrong;
    O["unsure"] = Unsure;
    json::Array All, Apart;
    for (const Row &R : Rows)
      All.push_back(asJson(R));
    for (const Deviation &V : Values)
      Apart.push_back(json::Object{{"point", V.Point},
                                   {"mode", V.Mode},
                                   {"value", V.Name},
                                   {"is", asJson(V.Is)},
                                   {"should", asJson(V.Should)}});
    O["rows"] = std::move(All);
    O["values"] = std::move(Apart);
  }

  void report(const Invocation &I, const CheckSettings &S) const {
    if (!I.Brief)
      printTable(Rows, I.PrintAll);
    StringSet<> Told;
    for (const Deviation &V : Values)
      if (Told.insert(V.Mode).second)
        outs() << "WRONG: " << V.Mode << " mode computes "
               << (V.Name == "result" ? "the result" : V.Name) << " as "
               << format("%.5e", V.Is) << ", and the function itself as "
               << format("%.5e", V.Should) << ", at point " << V.Point << "\n";
    if (Wrong)
      outs() << Wrong << " of " << counted(Derivatives, "derivative") << " at "
             << counted(S.Points, "random point") << " wrong\n";
    else if (WrongDirections)
      outs() << "the derivatives by each input are right, and the one along a "
                "direction of all inputs is wrong\n";
    else if (Found.wrong())
      outs() << "the derivatives are right, and the values of the function "
                "that come with them are wrong\n";
    else if (Unsure == Derivatives)
      outs() << "reverse and forward mode and both plans agree; differences "
                "could not judge any\n";
    else {
      outs() << counted(Derivatives, "derivative") << " at "
             << counted(S.Points, "random point")
             << ": reverse under both plans, forward and differences agree";
      if (Unsure)
        outs() << " (differences could not judge " << Unsure << ")";
      outs() << "\n";
    }
  }
};

/// Makes the program, compiles and runs it under both plans; 0, or the exit
/// status.
int compare(const Invocation &I, const Signature &F, const CheckSettings &S,
            Comparison &C) {
  Workplace W(I.Keep);
  std::string Source = W.file("check" + ending(I, F));
  if (W.failed() || !writeFile(Source, checkProgram(I.File, F, S)))
    return complain("cannot write a temporary file");
  std::vector<std::string> Clever, Naive;
  if (int Status = runUnderPlan(I, F, W, Source, "mincut", Clever))
    return Status;
  if (int Status = runUnderPlan(I, F, W, Source, "naive", Naive))
    return Status;
  for (const std::vector<std::string> *Lines : {&Clever, &Naive})
    for (StringRef Line : *Lines)
      if (Line.consume_front("note ")) {
        C.Note = Line.str();
        return 0;
      }
  if (int Status = readNumbers(Clever, Naive, C.Rows, C.Values))
    return Status;
  C.judgeAll();
  // Numbers that are given as double may be rounded to float inside.
  if ((C.Found.wrong() || C.Unsure) &&
      any_of(C.Rows, [](const Row &R) { return !R.Single; }) &&
      computesInFloat(I)) {
    for (Row &R : C.Rows)
      R.Single = true;
    C.judgeAll();
  }
  if (!C.Derivatives)
    return complain("every parameter is constant; nothing was compared");
  return 0;
}

/// The settings by which a check stands at the point of the user's own call.
/// Nothing where they do not suffice: vectors, memory that nobody knows the
/// size of.
std::optional<CheckSettings> settingsAt(const OwnCall &Call, const Signature &F,
                                        const CheckSettings &Given) {
  if (Call.Arguments.size() != F.Parameters.size())
    return std::nullopt;
  CheckSettings S;
  S.Seed = Given.Seed;
  S.Points = 1;
  for (size_t K = 0; K < F.Parameters.size(); ++K)
    if (const Parameter &P = F.Parameters[K]; P.isIntegerValue())
      S.Integers[P.Name] = Call.Arguments[K].Integer;
  for (size_t K = 0; K < F.Parameters.size(); ++K) {
    const Parameter &P = F.Parameters[K];
    const OwnArgument &A = Call.Arguments[K];
    if (A.Constant)
      S.Constants.insert(P.Name);
    if (P.isIntegerValue())
      continue;
    if (P.How == Passing::Vector || A.Pointer != (P.How != Passing::Value))
      return std::nullopt;
    std::string &Bytes = S.Own[P.Name];
    if (P.How == Passing::Value) {
      float Single = float(A.Number);
      long double Long = A.Number;
      const void *At = &A.Number;
      if (P.Leaves.size() != 1)
        return std::nullopt;
      if (P.Leaves[0].Kind == NumberKind::Float)
        At = &Single;
      else if (P.Leaves[0].Kind == NumberKind::LongDouble)
        At = &Long;
      Bytes.assign((const char *)At, P.ElementBytes);
      continue;
    }
    // As many elements as the integers say, else all that there are.
    uint64_t There = P.ElementBytes ? A.Bytes.size() / P.ElementBytes : 0;
    bool Sized = Given.Lengths.count(P.Name) || P.How == Passing::Reference;
    for (size_t J = K + 1; J < F.Parameters.size(); ++J)
      Sized |= F.Parameters[J].isIntegerValue();
    if (Given.Lengths.count(P.Name))
      S.Lengths[P.Name] = Given.Lengths.at(P.Name);
    else if (!Sized)
      S.Lengths[P.Name] = std::min<uint64_t>(There, 4096);
    if (There == 0 || lengthOf(F, K, S) > There)
      return std::nullopt;
    Bytes = A.Bytes.substr(0, lengthOf(F, K, S) * P.ElementBytes);
  }
  return S;
}

/// Does [A, A + N) have a byte of [B, B + N)?
bool overlap(uint64_t A, uint64_t LengthA, uint64_t B, uint64_t LengthB) {
  return A && B && A < B + LengthB && B < A + LengthA;
}

/// Says what is wrong with the memory that a call is given; whether something
/// is.
bool checkMemory(const std::string &Place, const OwnCall &Call,
                 const Signature &F, const CheckSettings *At) {
  bool Bad = false;
  auto Say = [&](const Twine &Text) {
    outs() << Place << ": " << Text << "\n";
    Bad = true;
  };
  auto Length = [&](size_t K) {
    const Parameter &P = F.Parameters[K];
    return At ? lengthOf(F, K, *At) * P.ElementBytes
              : std::min<uint64_t>(Call.Arguments[K].Behind, P.ElementBytes);
  };
  for (size_t K = 0; K < Call.Arguments.size() && K < F.Parameters.size();
       ++K) {
    const OwnArgument &A = Call.Arguments[K];
    const std::string &Name = F.Parameters[K].Name;
    if (!A.Pointer || !F.Parameters[K].isFloating())
      continue;
    if (A.HasShadow && A.Shadow && A.ShadowBehind && A.Behind &&
        A.ShadowBehind < Length(K))
      Say("the shadow of '" + Name + "' is too small: " +
          Twine(A.ShadowBehind) + " bytes, for " + Twine(Length(K)));
    if (A.HasShadow && A.Shadow == A.Address)
      Say("'" + Name +
          "' is its own shadow, so it counts as constant, and its derivative "
          "is nowhere");
    for (size_t J = 0; J < K; ++J) {
      const OwnArgument &B = Call.Arguments[J];
      const std::string &Other = F.Parameters[J].Name;
      if (!B.Pointer || !F.Parameters[J].isFloating())
        continue;
      bool Same = overlap(A.Address, Length(K), B.Address, Length(J));
      bool SameShadow = A.HasShadow && B.HasShadow &&
                        overlap(A.Shadow, Length(K), B.Shadow, Length(J));
      bool Written = !F.Parameters[K].ReadOnly || !F.Parameters[J].ReadOnly;
      if (SameShadow && !Same)
        Say("'" + Other + "' and '" + Name +
            "' have the same shadow, and are not the same memory: their "
            "derivatives are added to each other");
      if (Same && Written && A.HasShadow && B.HasShadow && !SameShadow)
        Say("'" + Other + "' and '" + Name +
            "' are the same memory, and their shadows are not: what is written "
            "by one name and "
            "read by the other has no derivative");
      if (Same && Written && A.HasShadow != B.HasShadow)
        Say("'" + Other + "' and '" + Name +
            "' are the same memory, and only one of them has a shadow: what is "
            "written by one name and "
            "read by the other counts as constant");
    }
  }
  return Bad;
}

void findFault(const Invocation &I, const CheckSettings &S,
               const Findings &Found) {
  diagnose(
      I, Found, [&](const Subject &Of) { return examine(I, S, Of); },
      [&](const Subject &Of) { return measure(I, S, Of); });
}

/// Checks at the points, and with the memory, of the derivative calls in the
/// user's own program, if the file is one. Whether something is wrong.
bool checkOwnCalls(const Invocation &I, const Signature &F,
                   const CheckSettings &Given) {
  constexpr size_t Most = 4; // each is two compilations
  Workplace W(false);
  if (W.failed())
    return false;
  OwnProgram Program = recordOwnCalls(I, driverFor(I, F), W.file("program"));
  bool Wrong = false;
  if (!Program.Fault.empty()) {
    outs() << I.Shown
           << ": the program of the file itself, run with its derivatives: "
              "AddressSanitizer: "
           << Program.Fault << "\n";
    Wrong = true;
  }
  for (const OwnCall &Call :
       ArrayRef<OwnCall>(Program.Calls).take_front(Most)) {
    std::string Place = I.Shown + ":" + std::to_string(Call.Line);
    std::optional<CheckSettings> At = settingsAt(Call, F, Given);
    Wrong |= checkMemory(Place, Call, F, At ? &*At : nullptr);
    if (!At)
      continue;
    Invocation Quiet = I;
    Quiet.Keep = false;
    Comparison C;
    if (compare(Quiet, F, *At, C) != 0)
      continue;
    if (StringRef(C.Note).starts_with("finite")) {
      outs() << Place
             << ": the function is not finite at the point of this derivative "
                "call\n";
      continue;
    }
    if (!C.Note.empty())
      continue;
    if (!C.Found.wrong() && !C.Unsure) {
      outs() << Place
             << ": at the point of this derivative call they agree, too\n";
      continue;
    }
    outs() << Place << ": at the point of this derivative call:\n";
    C.report(I, *At);
    // Right with all of them active, wrong as the call marks them: then it is
    // the marks.
    if (C.Found.wrong() && !At->Constants.empty()) {
      CheckSettings Active = *At;
      Active.Constants = Given.Constants;
      Comparison All;
      if (compare(Quiet, F, Active, All) == 0 && All.Note.empty() &&
          !All.Found.wrong()) {
        outs() << Place
               << ": the fault is in this call: " << join(At->Constants, ", ")
               << (At->Constants.size() == 1 ? " is" : " are")
               << " marked enzyme_const, and derivatives flow through "
               << (At->Constants.size() == 1 ? "it" : "them") << "\n";
        Wrong = true;
        continue;
      }
    }
    Wrong |= C.Found.wrong();
    findFault(I, *At, C.Found);
  }
  return Wrong;
}

} // namespace

std::vector<std::string> retrograd::targetFlags(const Invocation &I) {
  if (!I.isCuda())
    return {};
  if (!I.OnGpu)
    return {"--offload=cpu"};
  return {"-L/usr/local/cuda/lib64", "-lcudart_static", "-ldl", "-lrt",
          "-lpthread"};
}

std::vector<std::string> retrograd::readingFlags(const Invocation &I) {
  // The drivers' own headers, which the user's file may include.
  SmallString<256> Include(sys::path::parent_path(I.BinDirectory));
  sys::path::append(Include, "include");
  if (!I.isCuda())
    return {"-isystem", Include.str().str()};
  SmallString<256> Headers(Include);
  sys::path::append(Headers, "retrograd", "cuda");
  SmallString<256> First = Headers;
  sys::path::append(First, "retrograd_cuda.h");
  return {"-isystem",
          Include.str().str(),
          "-x",
          "cuda",
          "-nocudainc",
          "-nocudalib",
          "--cuda-path=/nonexistent",
          "-Xclang",
          "-target-sdk-version=12.8",
          "-isystem",
          Headers.str().str(),
          "-include",
          First.str().str()};
}

int retrograd::checkCommand(const Invocation &I, const CheckSettings &S) {
  Expected<Signature> F =
      readSignature(I.File, I.Function, withFlags(readingFlags(I), I.Flags));
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

  if (I.Json)
    (*I.Json)["declaration"] = F->Declaration;
  outs() << (I.Brief ? "retrograd doctor " : "retrograd check ") << I.Shown
         << ": " << F->Declaration;
  for (size_t K = 0; K < F->Parameters.size(); ++K) {
    const Parameter &P = F->Parameters[K];
    if (P.isIntegerValue())
      outs() << ", " << P.Name << " = " << integerValue(P, S);
    else if (P.How == Passing::Pointer || P.How == Passing::Vector)
      outs() << ", " << P.Name << "[" << lengthOf(*F, K, S) << "]";
  }
  outs() << "\n";
  outs().flush();

  Comparison C;
  if (int Status = compare(I, *F, S, C))
    return Status;
  bool Races = false;
  if (I.isCuda() && I.Doctor && !I.Findings &&
      !StringRef(C.Note).starts_with("bounds")) {
    std::optional<std::string> Found = racesIn(I, *F, S);
    Races = Found && !Found->empty();
    if (Races)
      outs() << *Found << "WRONG: '" << I.Function
             << "' has a race, and what depends on the order of threads has no "
                "derivative\n";
    else
      outs() << (Found ? "no races" : "the race check did not run")
             << " (-rg-check-races, " << counted(S.Grid, "block") << " of "
             << counted(S.Block, "thread") << ")\n";
  }
  outs().flush();
  if (!C.Note.empty()) {
    int Status = Races ? 1 : explainNote(C.Note, I);
    // What was never written is as good as random.
    if (I.Doctor && !I.isCuda() && !StringRef(C.Note).starts_with("bounds"))
      if (std::optional<std::string> Why =
              undefinedIn(I, S, {I.Function, "", false}))
        outs() << *Why << "\n";
    return Status;
  }
  C.report(I, S);
  if (I.Json)
    C.report(*I.Json, S);
  if (I.Findings)
    outs() << C.Found.text() << "\n";
  outs().flush();
  // The seed of one call is 1, whatever a rule for the function itself does
  // with it.
  if (!C.Found.wrong() && I.Doctor && !S.Twice && hasRule(I))
    if (Findings Two = examine(I, S, {I.Function, "", S.Grid * S.Block > 1});
        Two.Known && Two.wrong()) {
      outs() << "WRONG: a sum of two calls with different weights has another "
                "derivative (--twice shows it)\n";
      C.Found = Two;
    }
  if ((C.Found.wrong() || C.Unsure) && I.Doctor && !Races)
    findFault(I, S, C.Found);
  bool Wrong = C.Found.wrong() || Races;
  if (I.Doctor && !S.Twice && !I.isCuda())
    Wrong |= checkOwnCalls(I, *F, S);
  return Wrong ? 1 : 0;
}

int retrograd::gradCommand(const Invocation &I) {
  Expected<Signature> F =
      readSignature(I.File, I.Function, withFlags(readingFlags(I), I.Flags));
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
