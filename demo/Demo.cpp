//===- Demo.cpp - how the demo measures, compares and reports -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Demo.h"
#include "programs/Numbers.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>

// Defined in each *Gradient.cpp file; see programs/AutoDiff.h.
int64_t tapeBytesPeak();
void tapeBytesReset();

using namespace demo;

[[noreturn]] static void fail(const std::string &What) {
  std::fprintf(stderr, "%s\n", What.c_str());
  std::exit(2);
}

Reference::Reference(const std::string &Path) : Path(Path) {
  std::ifstream In(Path);
  if (!In)
    fail(Path + " cannot be opened");
  for (std::string Line; std::getline(In, Line);) {
    if (Line.empty() || Line[0] == '#')
      continue;
    std::istringstream Head(Line);
    std::string Name;
    size_t Rows = 0, Columns = 0;
    if (!(Head >> Name >> Rows >> Columns))
      fail(Path + ": not the head of a section: " + Line);
    Vector &Values = Sections[Name];
    std::string Word;
    while (Values.size() < Rows * Columns && In >> Word)
      Values.push_back(std::strtod(Word.c_str(), nullptr));
    if (Values.size() < Rows * Columns)
      fail(Path + ": section " + Name + " ends too early");
    std::getline(In, Line); // the rest of the last row
  }
}

const Vector &Reference::operator[](const std::string &Section) const {
  auto Found = Sections.find(Section);
  if (Found == Sections.end())
    fail(Path + " has no section " + Section);
  return Found->second;
}

double demo::largest(const Vector &V) {
  double Largest = 0;
  for (double X : V)
    Largest = std::max(Largest, std::fabs(X));
  return Largest;
}

/// The larger of two errors, where NaN is the largest of all.
static double worse(double A, double B) { return A >= B ? A : B; }

static double referenceError(const Vector &Value, const Vector &Ref) {
  if (Value.size() != Ref.size())
    fail("a result has not the size of its reference");
  const double Floor = 1e-5 * largest(Ref);
  double Error = 0;
  for (size_t I = 0; I < Ref.size(); ++I) {
    double Difference = std::fabs(Value[I] - Ref[I]);
    if (Difference != 0)
      Error = worse(Error, Difference / std::max(std::fabs(Ref[I]), Floor));
  }
  return Error;
}

void Row::checkValue(const Vector &Value, const Vector &Ref) {
  ValueError = worse(ValueError, referenceError(Value, Ref));
}

void Row::checkDerivative(const Vector &Value, const Vector &Ref) {
  DerivativeError = worse(DerivativeError, referenceError(Value, Ref));
}

void Row::checkCentral(const Function &Primal, const Vector &X,
                       const Vector &Direction, const Vector &Expected,
                       double Scale) {
  double Size = 1;
  for (size_t I = 0; I < X.size(); ++I)
    if (Direction[I] != 0)
      Size = std::max(Size, std::fabs(X[I]));
  const size_t Outputs = Expected.size();
  auto difference = [&](double Step) {
    Vector Shifted(X), Plus(Outputs), Minus(Outputs);
    for (size_t I = 0; I < X.size(); ++I)
      Shifted[I] = X[I] + Step * Direction[I];
    Primal(Shifted.data(), Plus.data());
    for (size_t I = 0; I < X.size(); ++I)
      Shifted[I] = X[I] - Step * Direction[I];
    Primal(Shifted.data(), Minus.data());
    for (size_t I = 0; I < Outputs; ++I)
      Plus[I] = (Plus[I] - Minus[I]) / (2 * Step);
    return Plus;
  };
  // Richardson: the second-order errors of two step widths cancel, which lets
  // the step be wide and the rounding error small.
  const double Step = 1e-3 * Size;
  Vector Wide = difference(Step), Narrow = difference(Step / 2);
  CentralError = std::max(CentralError, 0.0);
  for (size_t I = 0; I < Outputs; ++I) {
    double Estimate = (4 * Narrow[I] - Wide[I]) / 3;
    CentralError =
        worse(CentralError, std::fabs(Estimate - Expected[I]) / Scale);
  }
}

void Row::checkGradient(const std::function<double(const double *)> &Primal,
                        const Vector &X, const Vector &Gradient) {
  const double Scale = largest(Gradient);
  for (size_t I : sample(X.size(), 12)) {
    Vector Direction(X.size());
    Direction[I] = 1;
    checkCentral([&](const double *P, double *Out) { *Out = Primal(P); }, X,
                 Direction, {Gradient[I]}, Scale);
  }
}

/// Processor time of this thread, which other programs on the machine disturb
/// less than the time on the wall.
static double now() {
  timespec Time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time);
  return double(Time.tv_sec) + 1e-9 * double(Time.tv_nsec);
}

static double seconds(const std::function<void()> &F, int Repetitions) {
  const double Start = now();
  for (int I = 0; I < Repetitions; ++I)
    F();
  return (now() - Start) / Repetitions;
}

void Row::measure(const std::function<void()> &Primal,
                  const std::function<void()> &Derivative) {
  tapeBytesReset();
  Derivative();
  TapeBytes = tapeBytesPeak();

  auto repetitions = [](const std::function<void()> &F) {
    const double Batch = 0.02;
    return std::max(1, int(Batch / std::max(1e-9, seconds(F, 1))));
  };
  const int PrimalRuns = repetitions(Primal), Runs = repetitions(Derivative);
  PrimalTime = DerivativeTime = 1e9;
  for (int I = 0; I < 7; ++I) {
    PrimalTime = std::min(PrimalTime, seconds(Primal, PrimalRuns));
    DerivativeTime = std::min(DerivativeTime, seconds(Derivative, Runs));
  }
}

bool Row::print(size_t Inputs) const {
  // Written so that NaN is out of bounds.
  const bool Ok =
      ValueError <= ValueBound && DerivativeError <= DerivativeBound &&
      CentralError <= CentralBound && CentralError >= 0 && References > 0;
  char Tape[32] = "no counter";
  if (TapeBytes >= 0)
    std::snprintf(Tape, sizeof Tape, "%lld", (long long)TapeBytes);
  const bool Micro = PrimalTime < 1e-3;
  char Time[32];
  std::snprintf(Time, sizeof Time, Micro ? "%.1f us" : "%.2f ms",
                (Micro ? 1e6 : 1e3) * PrimalTime);
  std::printf("%-28s %7zu %5d %9.1e %9.1e %9.1e %10s %8.2f %10s  %s\n",
              Name.c_str(), Inputs, References, ValueError, DerivativeError,
              CentralError, Time, DerivativeTime / PrimalTime, Tape,
              Ok ? "ok" : "OUT OF BOUNDS");
  std::fflush(stdout);
  return Ok;
}

std::vector<size_t> demo::sample(size_t Count, size_t AtMost) {
  std::vector<size_t> All(Count);
  for (size_t I = 0; I < Count; ++I)
    All[I] = I;
  if (Count <= AtMost)
    return All;
  programs::Random R(11);
  for (size_t I = 0; I < AtMost; ++I)
    std::swap(All[I], All[I + size_t(R.uniform() * double(Count - I))]);
  All.resize(AtMost);
  return All;
}

Folders::Folders(int Argc, char **Argv) {
  if (Argc < 2)
    fail(std::string("usage: ") + Argv[0] + " DATA-FOLDER [ADBENCH-FOLDER]");
  Own = Argv[1];
  if (Argc > 2)
    AdBench = Argv[2];
}
