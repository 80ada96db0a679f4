//===- Options.cpp - every command-line option, read once -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where cl::opt appears. The options are globals only as far as
// this file: fromCommandLine() copies them into the struct that the rest sees.
//
//===----------------------------------------------------------------------===//

#include "Support/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace retrograd;

static cl::OptionCategory Category("Retrograd options");

static cl::opt<PlanKind>
    Plan("rg-plan", cl::desc("what the reverse sweep keeps"),
         cl::values(clEnumValN(PlanKind::Naive, "naive", "every needed value"),
                    clEnumValN(PlanKind::MinCut, "mincut",
                               "the cheapest cut between what cannot be "
                               "repeated and what is needed")),
         cl::init(PlanKind::MinCut), cl::cat(Category));

static cl::list<std::string>
    Disable("rg-disable", cl::CommaSeparated, cl::value_desc("NAME,..."),
            cl::cat(Category),
            cl::desc("leave out steps and decisions, by name (docs/Steps.md)"));
static cl::list<std::string>
    PrintAfter("rg-print-after", cl::CommaSeparated, cl::value_desc("STEP,..."),
               cl::cat(Category),
               cl::desc("print each function after a step, or after all"));
static cl::opt<bool>
    Stats("rg-stats", cl::cat(Category),
          cl::desc("print how many functions each step changed"));
static cl::opt<std::string> Memory(
    "rg-memory", cl::value_desc("SIZE"), cl::cat(Category),
    cl::desc("most bytes of tape, with K, M or G: more is an error, or, "
             "where loops' lengths are not known, a message at run time"));

static cl::opt<bool> PrintPrimal("rg-print-primal",
                                 cl::desc("print the prepared primals"),
                                 cl::cat(Category));
static cl::opt<bool> PrintTypes("rg-print-types",
                                cl::desc("print what lies at each byte"),
                                cl::cat(Category));
static cl::opt<bool> PrintMerges("rg-print-merges",
                                 cl::desc("print what made objects one"),
                                 cl::cat(Category));
static cl::opt<bool> PrintActivity("rg-print-activity",
                                   cl::desc("print what carries a derivative"),
                                   cl::cat(Category));
static cl::opt<bool>
    PrintOverwrite("rg-print-overwrite",
                   cl::desc("print which loads can be repeated in reverse"),
                   cl::cat(Category));
static cl::opt<bool> PrintLoops("rg-print-loops",
                                cl::desc("print trip counts and loop shapes"),
                                cl::cat(Category));
static cl::opt<bool> PrintPlan("rg-print-plan",
                               cl::desc("print what is kept and recomputed"),
                               cl::cat(Category));
static cl::opt<bool> PrintDerivative("rg-print-derivative",
                                     cl::desc("print derivatives as emitted"),
                                     cl::cat(Category));
static cl::opt<bool>
    PrintNests("rg-print-nests",
               cl::desc("print loop nests as -rg-loops sees and orders them"),
               cl::cat(Category));
namespace {
enum class LoopsKind : uint8_t { Off, On, Threads };
} // namespace
static cl::opt<LoopsKind>
    Loops("rg-loops", cl::cat(Category), cl::ValueOptional,
          cl::init(LoopsKind::Off),
          cl::desc("run loop nests in the order that suits their accesses"),
          cl::values(clEnumValN(LoopsKind::On, "", "by one thread"),
                     clEnumValN(LoopsKind::Threads, "parallel",
                                "loops with independent iterations by several "
                                "threads of OpenMP, too")));
static cl::opt<unsigned>
    LoopsAny("rg-loops-any", cl::Hidden, cl::cat(Category), cl::init(0),
             cl::desc("with -rg-loops: not the best order, but any that is "
                      "allowed, by this seed: to test"));
static cl::opt<bool>
    VerifyEach("rg-verify-each",
               cl::desc("run LLVM's verifier after every stage"),
               cl::cat(Category));
static cl::opt<bool>
    RunEarly("rg-run-early",
             cl::desc("differentiate before optimisation, for comparison"),
             cl::cat(Category));

static cl::opt<unsigned>
    ShareRowsOnDevice("rg-gpu-share-rows", cl::init(32), cl::cat(Category),
                      cl::desc("on NVIDIA's GPUs, two lanes share their "
                               "additions to neighbouring doubles "
                               "in loops where one in so many instructions is "
                               "an addition (0: never)"));
static cl::opt<bool> SharedShadows(
    "rg-shared-shadows", cl::init(false), cl::cat(Category),
    cl::desc("threads may call one derivative at the same time with the same "
             "shadows: add to them atomically"));
static cl::opt<bool> Deterministic(
    "rg-deterministic", cl::init(false), cl::cat(Category),
    cl::desc("derivatives of parallel regions have the same bits in every run "
             "with as many threads"));
static cl::opt<std::string> OffloadDevice(
    "rg-offload-device", cl::cat(Category), cl::value_desc("file"),
    cl::desc("device half of a CUDA program that is to run on this machine"));
static cl::opt<std::string> KeepKernels(
    "rg-keep-kernels", cl::Hidden, cl::cat(Category), cl::value_desc("file"),
    cl::desc("write the device half of a CUDA program, as the front end made "
             "it, for the compilation of the host half"));
static cl::opt<std::string>
    Kernels("rg-kernels", cl::Hidden, cl::cat(Category), cl::value_desc("file"),
            cl::desc("what -rg-keep-kernels wrote: host functions that launch "
                     "its kernels have derivatives"));
static cl::opt<bool>
    OffloadHalf("rg-offload-half", cl::Hidden, cl::cat(Category),
                cl::desc("what is compiled is the device half of a CUDA "
                         "program for this machine"));
static cl::opt<bool> OffloadInterleave(
    "rg-gpu-interleave", cl::init(false), cl::cat(Category),
    cl::desc("CUDA kernels on this machine run lanes in lock step, or in the "
             "order that RG_GPU_ORDER says"));
static cl::opt<bool>
    CheckRaces("rg-check-races", cl::cat(Category),
               cl::desc("kernels report conflicting accesses of two threads"));
static cl::opt<bool> CheckUninitialized(
    "rg-check-uninitialized", cl::cat(Category),
    cl::desc("kernels report reads of shared memory before it was written"));
static cl::opt<bool>
    PrintOffload("rg-print-offload", cl::cat(Category),
                 cl::desc("print kernels as functions that run blocks"));
static cl::opt<bool> OwnByLaunch(
    "rg-gpu-own", cl::init(false), cl::cat(Category),
    cl::desc("no atomic additions where the launch gives each thread "
             "places of its own"));
static cl::opt<unsigned>
    StackBytes("rg-gpu-stack", cl::init(8192), cl::cat(Category),
               cl::desc("bytes of tape in the local memory of a GPU's thread"));
static cl::opt<NanKind> Nan(
    "rg-nan", cl::desc("name the first adjoint that became NaN or infinite"),
    cl::values(clEnumValN(NanKind::Off, "off", "do not look"),
               clEnumValN(NanKind::Report, "report",
                          "once per thread, on stderr"),
               clEnumValN(NanKind::Trap, "trap", "and end the program there")),
    cl::init(NanKind::Off), cl::cat(Category));

/// Linkers read their command line before they load plugins, so what is meant
/// for us may also stand in the environment: RETROGRAD_FLAGS="-rg-plan=naive".
static void readEnvironment() {
  static const bool Read = [] {
    std::optional<std::string> Flags = sys::Process::GetEnv("RETROGRAD_FLAGS");
    SmallVector<StringRef, 4> Words;
    if (Flags)
      SplitString(*Flags, Words);
    for (StringRef Word : Words) {
      auto [Name, Value] =
          Word.drop_while([](char C) { return C == '-'; }).split('=');
      auto &Known = cl::getRegisteredOptions();
      auto It = Known.find(Name);
      if (It == Known.end() ||
          !is_contained(It->second->Categories, &Category) ||
          It->second->addOccurrence(0, Name, Value))
        report_fatal_error( // layering: there is no module yet to report about
            Twine("RETROGRAD_FLAGS: no such option: ") + Word,
            /*gen_crash_diag=*/false);
    }
    return true;
  }();
  (void)Read;
}

//===----------------------------------------------------------------------===//
// Options of programs made for Enzyme
//===----------------------------------------------------------------------===//

namespace {

cl::opt<bool> Enable("enzyme-enable", cl::init(true), cl::Hidden,
                     cl::desc("differentiate"));
cl::opt<bool>
    EmptyFunctions("enzyme-emptyfn-inactive", cl::init(false), cl::Hidden,
                   cl::desc("what has neither a body nor a rule is inactive"));
cl::opt<std::string> TypesOf("type-analysis-func", cl::Hidden,
                             cl::desc("what print-type-analysis prints"));
cl::opt<std::string>
    ActivityOf("activity-analysis-func", cl::Hidden,
               cl::desc("what print-activity-analysis prints"));
cl::opt<bool> InactiveArguments("activity-analysis-inactive-args",
                                cl::init(false), cl::Hidden,
                                cl::desc("accepted"));
cl::opt<bool> DuplicatedReturn("activity-analysis-duplicated-ret",
                               cl::init(false), cl::Hidden,
                               cl::desc("accepted"));
cl::opt<std::string> TruncateAll("enzyme-truncate-all", cl::Hidden,
                                 cl::desc("refused"));

/// One that sets a printing option.
struct PrintFlag {
  cl::opt<bool> Option;
  bool Options::*Field;
  PrintFlag(const char *Name, bool Options::*Field)
      : Option(StringRef(Name), cl::Hidden, cl::desc("print")), Field(Field) {}
};
/// One that means nothing, of a type that parses what scripts pass.
template <class T> struct Accepted {
  cl::opt<T> Option;
  T Default;
  const char *Why;
  Accepted(const char *Name, T Default, const char *Why)
      : Option(StringRef(Name), cl::init(Default), cl::Hidden,
               cl::desc("accepted")),
        Default(Default), Why(Why) {}
  void note(Options &O) const {
    if (Option.getNumOccurrences() && Option.getValue() != Default)
      O.Meaningless.push_back({("-" + Option.ArgStr).str(), Why});
  }
};

PrintFlag PrintFlags[] = {
#define ENZYME_PRINT(Name, Field) {Name, &Options::Field},
#include "Support/EnzymeOptions.def"
};
Accepted<bool> AcceptedFlags[] = {
#define ENZYME_FLAG(Name, Default, Why) {Name, Default, Why},
#include "Support/EnzymeOptions.def"
};
Accepted<int> AcceptedNumbers[] = {
#define ENZYME_NUMBER(Name, Default, Why) {Name, Default, Why},
#include "Support/EnzymeOptions.def"
};

void readEnzymeOptions(Options &O) {
  O.Enabled = Enable;
  O.EmptyFunctionsInactive = EmptyFunctions;
  O.PrintFunction = TypesOf.empty() ? ActivityOf : TypesOf;
  for (const PrintFlag &P : PrintFlags)
    if (P.Option)
      O.*P.Field = true;
  for (const Accepted<bool> &A : AcceptedFlags)
    A.note(O);
  for (const Accepted<int> &A : AcceptedNumbers)
    A.note(O);
  if (!TruncateAll.empty())
    O.Unsupported.push_back(("-" + TruncateAll.ArgStr).str());
}

} // namespace

void Options::disable(const std::string &Names) {
  SmallVector<StringRef, 4> Each;
  SplitString(Names, Each, ",");
  for (StringRef Name : Each) {
#define RG_CHOICE(NAME, FIELD, WHAT)                                           \
  if (Name == (NAME)) {                                                        \
    (FIELD) = false;                                                           \
    continue;                                                                  \
  }
#include "Support/Choices.def"
    if (!is_contained(DisabledSteps, Name))
      DisabledSteps.push_back(Name.str());
  }
}

std::string Options::disabled() const {
  SmallVector<StringRef, 4> Names(DisabledSteps.begin(), DisabledSteps.end());
#define RG_CHOICE(NAME, FIELD, WHAT)                                           \
  if (!(FIELD))                                                                \
    Names.push_back(NAME);
#include "Support/Choices.def"
  return join(Names, ",");
}

Options Options::fromCommandLine() {
  readEnvironment();
  Options O;
  O.Plan = ::Plan;
  if (StringRef Size = ::Memory; !Size.empty()) {
    unsigned Shift = StringSwitch<unsigned>(Size.take_back().upper())
                         .Case("K", 10)
                         .Case("M", 20)
                         .Case("G", 30)
                         .Default(0);
    uint64_t Number;
    if ((Shift ? Size.drop_back() : Size).getAsInteger(10, Number) ||
        Number == 0 || Number > (UINT64_MAX >> Shift))
      O.Unsupported.push_back("-rg-memory=" + Size.str());
    else
      O.Memory = Number << Shift;
  }
  for (const std::string &Name : ::Disable)
    O.disable(Name);
  O.PrintAfter.assign(::PrintAfter.begin(), ::PrintAfter.end());
  O.Stats = ::Stats;
  O.PrintPrimal = ::PrintPrimal;
  O.PrintTypes = ::PrintTypes;
  O.PrintMerges = ::PrintMerges;
  O.PrintActivity = ::PrintActivity;
  O.PrintOverwrite = ::PrintOverwrite;
  O.PrintLoops = ::PrintLoops;
  O.PrintPlan = ::PrintPlan;
  O.PrintDerivative = ::PrintDerivative;
  O.PrintNests = ::PrintNests;
  O.Loops = ::Loops != LoopsKind::Off;
  O.LoopThreads = ::Loops == LoopsKind::Threads;
  O.LoopsAny = ::LoopsAny;
  O.VerifyEach = ::VerifyEach;
  O.RunEarly = ::RunEarly;
  O.ShareRowsOnDevice = ::ShareRowsOnDevice;
  O.SharedShadows = ::SharedShadows;
  O.Deterministic = ::Deterministic;
  O.OffloadDevice = ::OffloadDevice;
  O.OffloadHalf = ::OffloadHalf;
  O.KeepKernels = ::KeepKernels;
  O.Kernels = ::Kernels;
  O.OffloadInterleave = ::OffloadInterleave;
  O.CheckRaces = ::CheckRaces;
  O.CheckUninitialized = ::CheckUninitialized;
  O.PrintOffload = ::PrintOffload;
  O.OwnByLaunch = ::OwnByLaunch;
  O.StackBytes = (::StackBytes + 15) / 16 * 16;
  O.Nan = ::Nan;
  readEnzymeOptions(O);
  return O;
}
