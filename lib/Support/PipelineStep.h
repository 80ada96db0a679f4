//===- PipelineStep.h - one named step of a pipeline ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is done to a function before and after its derivative is made is a row
// of a table: Primal/Primal.def, Polish/Polish.def. A row has a name, and the
// runner does the same for each: it leaves the step out (-rg-disable=NAME,
// -debug-counter=rg-NAME=0), times it (-ftime-trace), counts the functions that
// it changed (-rg-stats), verifies them (-rg-verify-each) and prints them
// (-rg-print-after=NAME). docs/Steps.md is the page for users; it has each
// step's file and test, which are found by the name.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_PIPELINESTEP_H
#define RETROGRAD_SUPPORT_PIPELINESTEP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugCounter.h"
#include "llvm/Support/TimeProfiler.h"
#include <string_view>

namespace llvm {
class Function;
class raw_ostream;
} // namespace llvm

namespace retrograd {
struct Options;

/// A row, for the whole process: LLVM's counters are global as well.
struct PipelineStep {
  enum Demand : uint8_t {
    Needed,  ///< there are no right derivatives without it
    Optional ///< only faster, or less memory
  };

  /// `CounterName` is "rg-" and Name.
  PipelineStep(const char *Name, const char *CounterName, Demand Kind,
               const char *Why)
      : Name(Name), Qualified(CounterName), Kind(Kind), Why(Why),
        Counter(CounterName, Why), Changed("rg-steps", Name, Why) {}

  llvm::StringRef Name;
  llvm::StringRef Qualified; ///< among those of LLVM: rg-Name
  Demand Kind;
  llvm::StringRef Why; ///< and why at this place
  llvm::DebugCounter::CounterInfo Counter;
  llvm::TrackingStatistic Changed; ///< functions
};

/// Whether Identifier, with or without a namespace, is Name in CamelCase:
/// step::PeelFirst, peel-first.
constexpr bool isCamelCaseOf(std::string_view Identifier,
                             std::string_view Name) {
  if (size_t Colon = Identifier.rfind(':'); Colon != Identifier.npos)
    Identifier.remove_prefix(Colon + 1);
  size_t At = 0;
  bool Begins = true; // a word of the name
  for (char C : Name) {
    if (C == '-') {
      Begins = true;
      continue;
    }
    if (At == Identifier.size() ||
        Identifier[At++] != (Begins && C >= 'a' ? char(C - 'a' + 'A') : C))
      return false;
    Begins = false;
  }
  return At == Identifier.size();
}

/// Defines a row.
#define RG_DEFINE_STEP(ID, NAME, DEMAND, WHY)                                  \
  static_assert(retrograd::isCamelCaseOf(#ID, NAME),                           \
                "a step's identifier is its name in CamelCase");               \
  retrograd::PipelineStep ID(NAME, "rg-" NAME, PipelineStep::DEMAND, WHY);

/// Runs steps as the options say.
class StepRunner {
public:
  explicit StepRunner(const Options &Opts) : Opts(Opts) {}

  /// Runs Body over F, which says whether it changed F, or does not know
  /// (void). True if F may have changed.
  template <typename Body>
  bool run(PipelineStep &S, llvm::Function &F, Body &&B) const {
    if (isLeftOut(S))
      return false;
    bool Changed = true;
    {
      llvm::TimeTraceScope Scope(S.Qualified, nameOf(F));
      if constexpr (std::is_void_v<decltype(B())>)
        B();
      else
        Changed = B();
    }
    after(S, F, Changed);
    return Changed;
  }

  /// Without the switch: for steps that are no function's.
  bool isLeftOut(PipelineStep &S) const;

private:
  static llvm::StringRef nameOf(const llvm::Function &F);
  void after(PipelineStep &S, const llvm::Function &F, bool Changed) const;

  const Options &Opts;
};

/// The step of that name; null if there is none.
PipelineStep *stepNamed(llvm::ArrayRef<PipelineStep *> Steps,
                        llvm::StringRef Name);

/// One line per step that changed something, and the counts start again.
void printStats(llvm::ArrayRef<PipelineStep *> Steps, llvm::raw_ostream &OS);

} // namespace retrograd

#endif
