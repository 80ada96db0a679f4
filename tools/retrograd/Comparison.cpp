//===- Comparison.cpp - a derivative against what it should be ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "CheckRun.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>

using namespace llvm;
using namespace retrograd;

namespace {

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
  auto Verdict = [&] {
    const bool Finite = std::isfinite(R.Reverse) && std::isfinite(R.Naive) &&
                        std::isfinite(R.Forward);
    if (!Finite && !Judge)
      return Row::Unsure; // no derivative here, as differences say, too
    // A NaN makes each of these comparisons false, hence the way round.
    if (!(Apart(R.Reverse, R.Naive) <= Rounding))
      return Row::Plans;
    if (!(Apart(R.Reverse, R.Forward) <= Rounding))
      return Row::Modes;
    if (!Judge)
      return Row::Unsure;
    return R.Error <= Best + 4 * Spread ? Row::Ok : Row::Differences;
  };
  R.Verdict = Verdict();
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

} // namespace

int retrograd::explainNote(StringRef Note, const Invocation &I) {
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

std::string retrograd::counted(size_t N, StringRef Thing) {
  return std::to_string(N) + " " + Thing.str() + (N == 1 ? "" : "s");
}

void Comparison::judgeAll() {
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

void Comparison::report(json::Object &O, const CheckSettings &S) const {
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

void Comparison::report(const Invocation &I, const CheckSettings &S) const {
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

int retrograd::compare(const Invocation &I, const Signature &F,
                       const CheckSettings &S, Comparison &C) {
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
