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

static cl::opt<std::string> Memory(
    "rg-memory", cl::value_desc("SIZE"), cl::cat(Category),
    cl::desc("most bytes of tape, with K, M or G: more is an error, or, "
             "where loops' lengths are not known, a message at run time"));
static cl::opt<bool> OuterCounts(
    "rg-outer-counts", cl::init(true), cl::cat(Category),
    cl::desc("keep a loop's count outside of loops it does not vary with"));
static cl::opt<bool>
    NestArrays("rg-nest-arrays", cl::init(true), cl::cat(Category),
               cl::desc("allocate tape arrays for whole loop nests"));
static cl::opt<bool> SkipIdleLoops(
    "rg-skip-idle-loops", cl::init(true), cl::cat(Category),
    cl::desc("skip the reverse of loops whose results have zero adjoints"));
static cl::opt<bool> PeelFirst(
    "rg-peel-first", cl::init(true), cl::cat(Category),
    cl::desc(
        "take the first iteration out of loops that begin with another way"));
static cl::opt<bool> DeferLoops(
    "rg-defer-loops", cl::init(true), cl::cat(Category),
    cl::desc("run loops whose results nobody asks for in the reverse sweep"));
static cl::opt<bool> DeferNests(
    "rg-defer-nests", cl::init(true), cl::cat(Category),
    cl::desc("Run loops within such loops in the reverse sweep, too"));
static cl::opt<bool> ChosenIterations(
    "rg-chosen-iterations", cl::init(true), cl::cat(Category),
    cl::desc("reverse only that iteration of a loop whose value it chose"));
static cl::opt<bool>
    PackLanes("rg-pack-lanes", cl::init(true), cl::cat(Category),
              cl::desc("forward mode: the tangents of all lanes side by side"));
static cl::opt<bool>
    TapeArrays("rg-tape-arrays", cl::init(true), cl::cat(Category),
               cl::desc("tape arrays for loops of known bounds, not records"));
static cl::opt<bool> RecomputePhis(
    "rg-recompute-phis", cl::init(true), cl::cat(Category),
    cl::desc("recompute phis that are affine in the iteration number"));
static cl::opt<bool> AliasScopes(
    "rg-alias-scopes", cl::init(true), cl::cat(Category),
    cl::desc(
        "tell tape, shadow and primal memory apart, and what is restrict"));
static cl::opt<bool> ArgsAgain("rg-args-again", cl::init(true),
                               cl::cat(Category),
                               cl::desc("hand arguments over to the reverse of "
                                        "a call, where that keeps nothing"));
static cl::opt<bool> NonNull("rg-non-null", cl::init(true), cl::cat(Category),
                             cl::desc("let accesses through pointers that may "
                                      "be null tell that they are not"));
static cl::opt<bool>
    ReorderSums("rg-reorder-sums", cl::init(true), cl::cat(Category),
                cl::desc("let additions to one adjoint be done in any order"));
static cl::opt<bool> StripAdditions(
    "rg-strip-additions", cl::init(true), cl::cat(Category),
    cl::desc("run the reverse of stencils in strips, additions last"));
static cl::opt<bool>
    InlineArena("rg-inline-arena", cl::init(true), cl::cat(Category),
                cl::desc("inline the arena's fast path in loops"));
static cl::opt<bool> Contract("rg-contract", cl::init(true), cl::cat(Category),
                              cl::desc("let products and sums of derivatives "
                                       "be fused where the primal's may be"));

static cl::opt<bool> PrintPrimal("rg-print-primal",
                                 cl::desc("print the prepared primals"),
                                 cl::cat(Category));
static cl::opt<bool> PrintTypes("rg-print-types",
                                cl::desc("print what lies at each byte"),
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
static cl::opt<bool> CleanUp("rg-cleanup", cl::desc("simplify emitted code"),
                             cl::init(true), cl::cat(Category));
static cl::opt<bool>
    VerifyEach("rg-verify-each",
               cl::desc("run LLVM's verifier after every stage"),
               cl::cat(Category));
static cl::opt<bool>
    RunEarly("rg-run-early",
             cl::desc("differentiate before optimisation, for comparison"),
             cl::cat(Category));

static cl::opt<bool>
    InlineOnDevice("rg-gpu-inline", cl::init(true), cl::cat(Category),
                   cl::desc("inline derivatives into GPU kernels"));
static cl::opt<bool>
    RecomputeOnDevice("rg-gpu-recompute", cl::init(true), cl::cat(Category),
                      cl::desc("on GPUs, evaluate pure functions again rather "
                               "than keep what they return"));
static cl::opt<bool>
    KeepDearOnDevice("rg-gpu-keep", cl::init(true), cl::cat(Category),
                     cl::desc("on GPUs, keep what took long while an iteration "
                              "of a deferred loop lasts"));
static cl::opt<bool>
    GroupOnDevice("rg-gpu-group", cl::init(true), cl::cat(Category),
                  cl::desc("additions to shared memory by several at a time"));
static cl::opt<bool> PairOnDevice(
    "rg-gpu-pair", cl::init(true), cl::cat(Category),
    cl::desc("on GPUs, sine and cosine of one argument in one call"));
static cl::opt<bool> ReductionsOnDevice(
    "rg-gpu-red", cl::init(true), cl::cat(Category),
    cl::desc("on NVIDIA's GPUs, add to adjoints by red, not by atom"));
static cl::opt<bool>
    VectorRedOnDevice("rg-gpu-vector-red", cl::init(true), cl::cat(Category),
                      cl::desc("on NVIDIA's GPUs from sm_90 on, add to four "
                               "neighbouring floats by one red"));
static cl::opt<unsigned>
    ShareRowsOnDevice("rg-gpu-share-rows", cl::init(32), cl::cat(Category),
                      cl::desc("on NVIDIA's GPUs, two lanes share their "
                               "additions to neighbouring doubles "
                               "in loops where one in so many instructions is "
                               "an addition (0: never)"));
static cl::opt<bool> SumsInPlaceOnDevice(
    "rg-gpu-sums", cl::init(true), cl::cat(Category),
    cl::desc("on GPUs, y += x leaves the adjoint of y where it is"));
static cl::opt<bool> LoadsFirstOnDevice(
    "rg-gpu-loads-first", cl::init(true), cl::cat(Category),
    cl::desc("in derivatives on NVIDIA's GPUs, loads go in front of stores "
             "that do not touch what they load"));
static cl::opt<bool>
    ZerosOnDevice("rg-gpu-zeros", cl::init(true), cl::cat(Category),
                  cl::desc("in kernels, what follows from adjoints that are "
                           "known to be 0 is left out"));
static cl::opt<bool>
    SelectOnDevice("rg-gpu-select", cl::init(true), cl::cat(Category),
                   cl::desc("on GPUs, compute both sides of a branch again "
                            "rather than keep what came of it"));
static cl::opt<bool>
    CountOnDevice("rg-gpu-counts", cl::init(true), cl::cat(Category),
                  cl::desc("on GPUs, compute how often a loop ran again rather "
                           "than keep it"));
static cl::opt<bool> TapeInPlace(
    "rg-gpu-tape-in-place", cl::init(true), cl::cat(Category),
    cl::desc("on GPUs, lay small tapes of split mode into the memory that "
             "the program has for them"));
static cl::opt<bool>
    ReplayOnDevice("rg-gpu-replay", cl::init(true), cl::cat(Category),
                   cl::desc("on GPUs, fill local arrays again rather than "
                            "keep what was read from them"));
static cl::opt<bool>
    PlainWhereOwn("rg-gpu-plain", cl::init(true), cl::cat(Category),
                  cl::desc("no atomic additions to a thread's own memory"));
static cl::opt<bool>
    BarriersByPhase("rg-gpu-phases", cl::init(true), cl::cat(Category),
                    cl::desc("where no barrier lies between two accesses, only "
                             "one thread's own can touch the same memory"));
static cl::opt<bool> SharedShadows(
    "rg-shared-shadows", cl::init(false), cl::cat(Category),
    cl::desc("threads may call one derivative at the same time with the same "
             "shadows: add to them atomically"));
static cl::opt<std::string> OffloadDevice(
    "rg-offload-device", cl::cat(Category), cl::value_desc("file"),
    cl::desc("device half of a CUDA program that is to run on this machine"));
static cl::opt<bool>
    OffloadHalf("rg-offload-half", cl::Hidden, cl::cat(Category),
                cl::desc("what is compiled is the device half of a CUDA "
                         "program for this machine"));
static cl::opt<bool> OffloadRecompute(
    "rg-offload-recompute", cl::init(true), cl::cat(Category),
    cl::desc("choose by minimal cut what threads keep across barriers"));
static cl::opt<bool> OffloadUniform(
    "rg-offload-uniform", cl::init(true), cl::cat(Category),
    cl::desc("what all threads agree on is computed once per block"));
static cl::opt<bool> OffloadParallel(
    "rg-offload-parallel", cl::init(true), cl::cat(Category),
    cl::desc("loops over threads promise that these do not conflict"));
static cl::opt<bool>
    OffloadEliminateBarriers("rg-offload-eliminate-barriers", cl::init(true),
                             cl::cat(Category),
                             cl::desc("drop barriers that order nothing"));
static cl::opt<bool> OffloadCutLoops(
    "rg-offload-cut-loops", cl::init(true), cl::cat(Category),
    cl::desc(
        "loops over threads go inside of loops that all threads repeat alike"));
static cl::opt<bool> OffloadLimit(
    "rg-offload-limit", cl::init(true), cl::cat(Category),
    cl::desc("loops over those threads of a block that have something to do"));
static cl::opt<bool>
    OffloadEdges("rg-offload-edges", cl::init(true), cl::cat(Category),
                 cl::desc("CUDA on the CPU: loops of their own for blocks away "
                          "from the grid's edges"));
static cl::opt<bool> OffloadLockStep(
    "rg-offload-lock-step", cl::init(true), cl::cat(Category),
    cl::desc("threads of a block run loops over the grid together"));
static cl::opt<bool> OffloadMoveBarriers(
    "rg-offload-move-barriers", cl::init(true), cl::cat(Category),
    cl::desc("one barrier where it does the work of several"));
static cl::opt<bool> OffloadForwardStores(
    "rg-offload-forward-stores", cl::init(true), cl::cat(Category),
    cl::desc("what a thread stores in shared memory and loads behind a barrier "
             "stays in its registers"));
static cl::opt<bool>
    OffloadHoistLoads("rg-offload-hoist-loads", cl::init(true),
                      cl::cat(Category),
                      cl::desc("what all threads load alike is loaded in front "
                               "of the loop over them"));
static cl::opt<bool>
    OffloadCollapse("rg-offload-collapse", cl::init(true), cl::cat(Category),
                    cl::desc("one loop over the threads of all blocks, where "
                             "kernels do not see blocks"));
static cl::opt<bool> OffloadSerialThreads(
    "rg-offload-serial-threads", cl::init(true), cl::cat(Category),
    cl::desc("one thread of the machine runs all threads of a block"));
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
static cl::opt<bool> MergeOnDevice(
    "rg-gpu-merge", cl::init(true), cl::cat(Category),
    cl::desc("threads of a warp that add to one adjoint add up first"));
static cl::opt<bool> ReplaySharedOnDevice(
    "rg-gpu-replay-shared", cl::init(true), cl::cat(Category),
    cl::desc("shared arrays that each iteration fills anew are "
             "filled again, not kept"));
static cl::opt<bool> ExchangeOnDevice(
    "rg-gpu-exchange", cl::init(true), cl::cat(Category),
    cl::desc("adjoints of stores to global memory are taken by one "
             "atomic exchange"));
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
  O.OuterCounts = ::OuterCounts;
  O.NestArrays = ::NestArrays;
  O.SkipIdleLoops = ::SkipIdleLoops;
  O.PeelFirst = ::PeelFirst;
  O.ArgsAgain = ::ArgsAgain;
  O.NonNull = ::NonNull;
  O.ReorderSums = ::ReorderSums;
  O.StripAdditions = ::StripAdditions;
  O.DeferLoops = ::DeferLoops;
  O.DeferNests = ::DeferNests;
  O.ChosenIterations = ::ChosenIterations;
  O.PackLanes = ::PackLanes;
  O.TapeArrays = ::TapeArrays;
  O.RecomputePhis = ::RecomputePhis;
  O.AliasScopes = ::AliasScopes;
  O.InlineArena = ::InlineArena;
  O.Contract = ::Contract;
  O.PrintPrimal = ::PrintPrimal;
  O.PrintTypes = ::PrintTypes;
  O.PrintActivity = ::PrintActivity;
  O.PrintOverwrite = ::PrintOverwrite;
  O.PrintLoops = ::PrintLoops;
  O.PrintPlan = ::PrintPlan;
  O.PrintDerivative = ::PrintDerivative;
  O.CleanUp = ::CleanUp;
  O.VerifyEach = ::VerifyEach;
  O.RunEarly = ::RunEarly;
  O.InlineOnDevice = ::InlineOnDevice;
  O.RecomputeOnDevice = ::RecomputeOnDevice;
  O.KeepDearOnDevice = ::KeepDearOnDevice;
  O.GroupOnDevice = ::GroupOnDevice;
  O.PairOnDevice = ::PairOnDevice;
  O.ReductionsOnDevice = ::ReductionsOnDevice;
  O.VectorRedOnDevice = ::VectorRedOnDevice;
  O.SumsInPlaceOnDevice = ::SumsInPlaceOnDevice;
  O.LoadsFirstOnDevice = ::LoadsFirstOnDevice;
  O.ShareRowsOnDevice = ::ShareRowsOnDevice;
  O.ZerosOnDevice = ::ZerosOnDevice;
  O.SelectOnDevice = ::SelectOnDevice;
  O.CountOnDevice = ::CountOnDevice;
  O.TapeInPlace = ::TapeInPlace;
  O.ReplayOnDevice = ::ReplayOnDevice;
  O.PlainWhereOwn = ::PlainWhereOwn;
  O.BarriersByPhase = ::BarriersByPhase;
  O.SharedShadows = ::SharedShadows;
  O.OffloadDevice = ::OffloadDevice;
  O.OffloadHalf = ::OffloadHalf;
  O.OffloadRecompute = ::OffloadRecompute;
  O.OffloadUniform = ::OffloadUniform;
  O.OffloadParallel = ::OffloadParallel;
  O.OffloadEliminateBarriers = ::OffloadEliminateBarriers;
  O.OffloadCutLoops = ::OffloadCutLoops;
  O.OffloadLockStep = ::OffloadLockStep;
  O.OffloadLimit = ::OffloadLimit;
  O.OffloadMoveBarriers = ::OffloadMoveBarriers;
  O.OffloadForwardStores = ::OffloadForwardStores;
  O.OffloadHoistLoads = ::OffloadHoistLoads;
  O.OffloadCollapse = ::OffloadCollapse;
  O.OffloadSerialThreads = ::OffloadSerialThreads;
  O.OffloadEdges = ::OffloadEdges;
  O.CheckRaces = ::CheckRaces;
  O.CheckUninitialized = ::CheckUninitialized;
  O.PrintOffload = ::PrintOffload;
  O.OwnByLaunch = ::OwnByLaunch;
  O.MergeOnDevice = ::MergeOnDevice;
  O.ReplaySharedOnDevice = ::ReplaySharedOnDevice;
  O.ExchangeOnDevice = ::ExchangeOnDevice;
  O.StackBytes = (::StackBytes + 15) / 16 * 16;
  O.Nan = ::Nan;
  readEnzymeOptions(O);
  return O;
}
