//===- Bench.cpp - the table of make bench -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Google Benchmark does the timing and, with --benchmark_out=FILE, writes the
// raw numbers as JSON. This file adds what it cannot know: that the derivatives
// of a program have to agree before their times mean anything, and that the
// interesting numbers are ratios within one run.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

// Defined in each *Gradient.cpp file; see demo/programs/AutoDiff.h. Absent if
// no derivative could be built.
__attribute__((weak)) int64_t tapeBytesPeak();
__attribute__((weak)) void tapeBytesReset();

using namespace bench;

void bench::consume(double Value) { benchmark::DoNotOptimize(Value); }

using Makers = std::multimap<int, Maker>;
static Makers &makers() {
  static Makers All;
  return All;
}

Registration::Registration(int Order, Maker Make) {
  makers().emplace(Order, Make);
}

namespace {

/// Collects the best time of each benchmark, and shows that something happens.
class Collector : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &Runs) override {
    for (const Run &R : Runs) {
      if (R.run_type != Run::RT_Iteration || R.error_occurred)
        continue;
      // Processor time: other programs on the machine disturb it less.
      double Time = R.cpu_accumulated_time / double(R.iterations);
      auto [Place, New] = Best.emplace(R.run_name.function_name, Time);
      if (!New)
        Place->second = std::min(Place->second, Time);
    }
    std::fputc('.', stderr);
  }
  /// Seconds, or 0 if it did not run.
  double operator[](const std::string &Name) const {
    auto Found = Best.find(Name);
    return Found == Best.end() ? 0 : Found->second;
  }

private:
  std::map<std::string, double> Best;
};

double largestError(const std::vector<double> &Value,
                    const std::vector<double> &Ref, double Least) {
  double Largest = 0, Error = 0;
  for (double R : Ref)
    Largest = std::max(Largest, std::fabs(R));
  for (size_t I = 0; I < Ref.size(); ++I) {
    double E = std::fabs(Value[I] - Ref[I]) /
               std::max(std::fabs(Ref[I]), Least * Largest);
    Error = Error >= E ? Error : E; // NaN wins
  }
  return Error;
}

/// The best of so many measurements counts.
constexpr int Repetitions = 3;

/// The derivative, computed twice from garbage, so that one that adds to what
/// was there, or one that only works the first time, is found.
std::vector<double> evaluate(const Problem &P,
                             const std::function<void(double *)> &F) {
  std::vector<double> Result(P.Entries, 1e30);
  F(Result.data());
  F(Result.data());
  return Result;
}

std::string machine() {
  std::ifstream In("/proc/cpuinfo");
  for (std::string Line; std::getline(In, Line);)
    if (Line.rfind("model name", 0) == 0)
      return Line.substr(Line.find(':') + 2);
  return "unknown CPU";
}

std::string time(double Seconds) {
  char Text[32];
  if (Seconds < 1e-3)
    std::snprintf(Text, sizeof Text, "%.2f us", 1e6 * Seconds);
  else
    std::snprintf(Text, sizeof Text, "%.2f ms", 1e3 * Seconds);
  return Text;
}

/// What the geometric mean of gradient/primal over a program's sizes is to be
/// at most; 0: it is the hand-written derivative's time that counts.
double targetOf(const std::string &Program) {
  static const std::map<std::string, double> Targets = {
      {"GMM", 2.4},  {"BA Jacobian", 5}, {"HAND Jacobian", 10},
      {"LSTM", 2.0}, {"ODE", 2.0},       {"LLSQ", 1.3},
      {"LSE", 1.2},  {"DET", 2.5},       {"KMEANS", 1.45}};
  auto Found = Targets.find(Program);
  return Found == Targets.end() ? 0 : Found->second;
}

/// What gradient/hand is to be at most where that counts.
double targetToHand(const std::string &Program) {
  return Program == "Transformer" ? 1.2 : 1.1;
}

std::string ratio(double A, double B) {
  if (A == 0 || B == 0)
    return "-";
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.2f", A / B);
  return Text;
}

/// Times F. Memory is clobbered, so that no iteration can be left out.
void add(const std::string &Name, size_t Entries,
         const std::function<void(double *)> &F) {
  auto Out = std::make_shared<std::vector<double>>(Entries);
  benchmark::RegisterBenchmark(Name.c_str(), [F, Out](benchmark::State &State) {
    for (auto _ : State) {
      F(Out->data());
      benchmark::ClobberMemory();
    }
  })->Repetitions(Repetitions);
}

/// As add, for ADOL-C: compares with the hand-written derivative just before.
void addAdolc(const Problem &P, bool &Agree) {
  const std::string Name = P.Program + "/" + P.Size + "/adolc";
  auto Out = std::make_shared<std::vector<double>>(P.Entries);
  auto check = [&P, &Agree, Name] {
    double Error =
        largestError(evaluate(P, P.Adolc), evaluate(P, P.Hand), P.Least);
    if (!(Error < P.Agreement)) {
      std::printf("%s and hand disagree: %.1e\n", Name.c_str(), Error);
      Agree = false;
    }
    return true;
  };
  auto Checked = std::make_shared<bool>(false);
  benchmark::RegisterBenchmark(Name.c_str(), [=, &P](benchmark::State &State) {
    if (!*Checked)
      *Checked = check();
    for (auto _ : State) {
      P.Adolc(Out->data());
      benchmark::ClobberMemory();
    }
  })->Repetitions(Repetitions);
}

} // namespace

int main(int Argc, char **Argv) {
  std::printf("machine: %s\n", machine().c_str());
  std::printf("compiler: %s\nflags: %s\n", __VERSION__, BENCH_FLAGS);

  std::vector<Problem> Problems;
  for (const auto &[Order, Make] : makers())
    for (Problem &P : Make())
      Problems.push_back(std::move(P));

  benchmark::Initialize(&Argc, Argv);
  if (benchmark::ReportUnrecognizedArguments(Argc, Argv))
    return 2;

  bool Agree = true;
  std::vector<int64_t> Tape(Problems.size(), -1);
  std::vector<double> Error(Problems.size());
  for (size_t I = 0; I < Problems.size(); ++I) {
    const Problem &P = Problems[I];
    const std::string Name = P.Program + "/" + P.Size;
    const std::vector<double> Hand = evaluate(P, P.Hand);
    if (tapeBytesReset)
      tapeBytesReset();
    Error[I] = largestError(evaluate(P, P.Gradient), Hand, P.Least);
    if (tapeBytesPeak)
      Tape[I] = tapeBytesPeak();
    if (!(Error[I] < P.Agreement)) {
      std::printf("%s: Retrograd and hand disagree: %.1e\n", Name.c_str(),
                  Error[I]);
      Agree = false;
    }
    const std::string Slash = Name + "/";
    add(Slash + "primal", P.Entries, [F = P.Primal](double *) { F(); });
    add(Slash + "gradient", P.Entries, P.Gradient);
    add(Slash + "hand", P.Entries, P.Hand);
  }
  // ADOL-C never gives back room for number variables, and a reverse sweep
  // costs the most it ever had: in its own interest, the small programs come
  // first.
  std::vector<const Problem *> WithAdolc;
  for (const Problem &P : Problems)
    if (P.Adolc)
      WithAdolc.push_back(&P);
  std::sort(WithAdolc.begin(), WithAdolc.end(),
            [](const Problem *A, const Problem *B) {
              return std::pair(A->Inputs, A) < std::pair(B->Inputs, B);
            });
  for (const Problem *P : WithAdolc)
    addAdolc(*P, Agree);

  Collector Times;
  // The file reporter of --benchmark_out works beside this one.
  benchmark::RunSpecifiedBenchmarks(&Times);
  std::fputc('\n', stderr);

  std::printf("\n%-22s %-14s %8s %10s | %9s %9s %9s | %9s | %12s %8s\n",
              "program", "size", "inputs", "primal", "gradient", "hand",
              "ADOL-C", "gradient", "tape bytes", "error");
  std::printf("%-22s %-14s %8s %10s | %9s %9s %9s | %9s | %12s %8s\n", "", "",
              "", "", "/primal", "/primal", "/primal", "/hand", "", "to hand");
  double Logs = 0, HandLogs = 0;
  int Counted = 0;
  for (size_t I = 0; I < Problems.size(); ++I) {
    const Problem &P = Problems[I];
    const std::string Name = P.Program + "/" + P.Size + "/";
    const double Primal = Times[Name + "primal"];
    const double Gradient = Times[Name + "gradient"];
    const double Hand = Times[Name + "hand"], Adolc = Times[Name + "adolc"];
    if (Primal == 0)
      continue; // left out by --benchmark_filter
    std::string TapeText = Tape[I] < 0 ? "-" : std::to_string(Tape[I]);
    std::printf("%-22s %-14s %8zu %10s | %9s %9s %9s | %9s | %12s %8.1e\n",
                P.Program.c_str(), P.Size.c_str(), P.Inputs,
                time(Primal).c_str(), ratio(Gradient, Primal).c_str(),
                ratio(Hand, Primal).c_str(), ratio(Adolc, Primal).c_str(),
                ratio(Gradient, Hand).c_str(), TapeText.c_str(), Error[I]);
    if (Gradient > 0 && Hand > 0) {
      Logs += std::log(Gradient / Primal);
      HandLogs += std::log(Gradient / Hand);
      ++Counted;
    }
  }
  if (Counted)
    std::printf("%-22s %-14s %8s %10s | %9.2f %9s %9s | %9.2f |\n",
                "geometric mean", "", "", "", std::exp(Logs / Counted), "", "",
                std::exp(HandLogs / Counted));
  // Per program, over its sizes: what is reached of what was meant.
  struct Mean {
    double Gradient = 0, Hand = 0, ToHand = 0;
    int Sizes = 0;
  };
  std::vector<std::pair<std::string, Mean>> Means;
  for (const Problem &P : Problems) {
    const std::string Name = P.Program + "/" + P.Size + "/";
    const double Primal = Times[Name + "primal"],
                 Gradient = Times[Name + "gradient"],
                 Hand = Times[Name + "hand"];
    if (!(Primal > 0 && Gradient > 0 && Hand > 0))
      continue;
    if (Means.empty() || Means.back().first != P.Program)
      Means.push_back({P.Program, {}});
    Mean &M = Means.back().second;
    M.Gradient += std::log(Gradient / Primal);
    M.Hand += std::log(Hand / Primal);
    M.ToHand += std::log(Gradient / Hand);
    ++M.Sizes;
  }
  std::printf(
      "\n%-22s | %9s %9s %9s | %9s %9s |\n%-22s | %9s %9s %9s | %9s %9s |\n",
      "program", "gradient", "target", "hand", "gradient", "target",
      "(mean over sizes)", "/primal", "", "/primal", "/hand", "");
  for (const auto &[Program, M] : Means) {
    const double Target = targetOf(Program),
                 Own = std::exp(M.Gradient / M.Sizes),
                 ToHand = std::exp(M.ToHand / M.Sizes);
    const bool Met = Target ? Own <= Target : ToHand <= targetToHand(Program);
    std::printf("%-22s | %9.2f %9s %9.2f | %9.2f %9s | %s\n", Program.c_str(),
                Own, Target ? ratio(Target, 1).c_str() : "-",
                std::exp(M.Hand / M.Sizes), ToHand,
                Target ? "-" : ratio(targetToHand(Program), 1).c_str(),
                Met ? "met" : "NOT MET");
  }
  if (!Agree)
    std::printf("bench: FAILED, derivatives disagree\n");
  return Agree ? 0 : 1;
}
