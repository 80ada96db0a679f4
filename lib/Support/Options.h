//===- Options.h - every command-line option, read once --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options are parsed in Options.cpp and nowhere else, and copied into one const
// struct when the pass starts. Everything below the pass receives the struct by
// reference, so two requests, or a unit test, can run with different options.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_OPTIONS_H
#define RETROGRAD_SUPPORT_OPTIONS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace retrograd {

/// Which plan decides what the reverse sweep keeps.
enum class PlanKind : uint8_t {
  Naive, ///< keep every needed value: the reference
  MinCut ///< cheapest cut between what cannot be repeated and what is needed
};

/// What happens when an adjoint stops being finite.
enum class NanKind : uint8_t {
  Off,
  Report, ///< the first one on each thread is named on stderr
  Trap    ///< and the program ends there
};

/// The options of one run of the pass.
struct Options {
  PlanKind Plan = PlanKind::MinCut; ///< -rg-plan=naive|mincut
  uint64_t Memory = 0; ///< -rg-memory=SIZE: most bytes of tape; 0: any
  // Each of these can be switched off, to see what it is worth; results stay
  // the same.
  bool OuterCounts =
      true; ///< -rg-outer-counts: counts outside of loops they do not vary with
  bool NestArrays = true; ///< -rg-nest-arrays: tape arrays of whole loop nests
  bool SkipIdleLoops =
      true; ///< -rg-skip-idle-loops: not reversed where adjoints are zero
  bool PeelFirst = true;  ///< -rg-peel-first: loops that begin with another way
                          ///< than they go on
  bool DeferNests = true; ///< -rg-defer-nests: loops within deferred loops, too
  bool DeferLoops = true; ///< -rg-defer-loops: run in the reverse sweep, where
                          ///< it makes no difference
  bool ChosenIterations = true; ///< -rg-chosen-iterations: of the search for a
                                ///< minimum, reverse the find
  bool PackLanes = true; ///< -rg-pack-lanes: tangents of all lanes side by side
  bool TapeArrays =
      true; ///< -rg-tape-arrays: arrays for loops of known bounds, not records
  bool RecomputePhis = true; ///< -rg-recompute-phis: from the iteration number
  bool AliasScopes =
      true; ///< -rg-alias-scopes: tape, shadow and primal memory are told apart
  bool ArgsAgain =
      true; ///< -rg-args-again: handed over by the caller's reverse, not kept
  bool NonNull = true; ///< -rg-non-null: what is accessed is not null
  bool ReorderSums =
      true; ///< -rg-reorder-sums: additions to one adjoint in any order
  bool StripAdditions =
      true; ///< -rg-strip-additions: reverse of stencils in strips
  bool InlineArena = true; ///< -rg-inline-arena: the arena's fast path in loops
  bool Contract =
      true; ///< -rg-contract: fused multiply-adds where the primal has them
  bool PrintPrimal = false;     ///< -rg-print-primal: prepared primals
  bool PrintTypes = false;      ///< -rg-print-types
  bool PrintActivity = false;   ///< -rg-print-activity
  bool PrintOverwrite = false;  ///< -rg-print-overwrite
  bool PrintLoops = false;      ///< -rg-print-loops
  bool PrintPlan = false;       ///< -rg-print-plan
  bool PrintDerivative = false; ///< -rg-print-derivative: IR as emitted
  bool CleanUp = true;          ///< -rg-cleanup: simplify emitted code
  bool VerifyEach = false; ///< -rg-verify-each: LLVM verifier after every stage
  bool RunEarly = false;   ///< -rg-run-early: at PipelineStart ("Ref")
  NanKind Nan = NanKind::Off; ///< -rg-nan=report|trap: docs/NanOrigin.md

  // Of code for GPUs; docs/GPU.md says what each is worth.
  bool InlineOnDevice =
      true; ///< -rg-gpu-inline: derivatives into their kernels
  bool RecomputeOnDevice =
      true; ///< -rg-gpu-recompute: pure functions again, not kept
  bool KeepDearOnDevice =
      true; ///< -rg-gpu-keep: but in a deferred loop, what takes long is kept
  bool GroupOnDevice =
      true; ///< -rg-gpu-group: additions to shared memory several at a time
  bool PairOnDevice =
      true; ///< -rg-gpu-pair: sine and cosine of one argument by one call
  bool ReductionsOnDevice = true; ///< -rg-gpu-red: additions without result as
                                  ///< such, which LLVM does not know
  bool VectorRedOnDevice =
      true; ///< -rg-gpu-vector-red: of neighbouring floats, four at a time
  bool SumsInPlaceOnDevice =
      true; ///< -rg-gpu-sums: y += x leaves the adjoint of y where it is
  bool ZerosOnDevice =
      true; ///< -rg-gpu-zeros: nothing is done for adjoints known to be 0
  unsigned ShareRowsOnDevice = 32; ///< -rg-gpu-share-rows: one in so many
                                   ///< instructions adds: lanes do it by twos
  bool LoadsFirstOnDevice =
      true; ///< -rg-gpu-loads-first: loads in front of stores elsewhere
  bool SelectOnDevice =
      true;                ///< -rg-gpu-select: phis again as selects, not kept
  bool TapeInPlace = true; ///< -rg-gpu-tape-in-place: small split tapes in the
                           ///< program's memory
  bool CountOnDevice =
      true; ///< -rg-gpu-counts: numbers of iterations again, not kept
  bool ReplayOnDevice =
      true; ///< -rg-gpu-replay: local arrays filled again, not kept
  bool ReplaySharedOnDevice =
      true; ///< -rg-gpu-replay-shared: shared arrays, too
  bool PlainWhereOwn =
      true; ///< -rg-gpu-plain: no atomics on a thread's own memory
  bool SharedShadows = false; ///< -rg-shared-shadows: many threads call one
                              ///< derivative, with the same shadows
  bool BarriersByPhase =
      true; ///< -rg-gpu-phases: a barrier only separates accesses
  /// -rg-offload-device=: the device half of a CUDA program, which is to run on
  /// this machine. The switches of that are in Offload/OffloadOptions.h.
  std::string OffloadDevice;
  /// -rg-offload-half: this compilation makes such a device half.
  bool OffloadHalf = false;
  bool OffloadRecompute = true;         ///< -rg-offload-recompute
  bool OffloadUniform = true;           ///< -rg-offload-uniform
  bool OffloadParallel = true;          ///< -rg-offload-parallel
  bool OffloadEliminateBarriers = true; ///< -rg-offload-eliminate-barriers
  bool OffloadCutLoops = true;          ///< -rg-offload-cut-loops
  bool OffloadLockStep = true;          ///< -rg-offload-lock-step
  bool OffloadLimit = true;             ///< -rg-offload-limit
  bool OffloadMoveBarriers = true;      ///< -rg-offload-move-barriers
  bool OffloadForwardStores = true;     ///< -rg-offload-forward-stores
  bool OffloadHoistLoads = true;        ///< -rg-offload-hoist-loads
  bool OffloadSerialThreads = true;     ///< -rg-offload-serial-threads
  bool OffloadCollapse = true;          ///< -rg-offload-collapse
  bool OffloadEdges = true;             ///< -rg-offload-edges
  bool CheckRaces = false;              ///< -rg-check-races
  bool CheckUninitialized = false;      ///< -rg-check-uninitialized
  bool PrintOffload = false;            ///< -rg-print-offload
  bool OwnByLaunch =
      false; ///< -rg-gpu-own: no atomics where the launch rules out others
  bool MergeOnDevice =
      true; ///< -rg-gpu-merge: warps add up before they add to one place
  bool ExchangeOnDevice =
      true; ///< -rg-gpu-exchange: adjoints of stores taken by one exchange
  unsigned StackBytes =
      8192; ///< -rg-gpu-stack: tape in a thread's local memory

  bool Enabled = true; ///< -enzyme-enable=0: derivative calls stay as they are
  bool EmptyFunctionsInactive = false; ///< -enzyme-emptyfn-inactive
  /// -type-analysis-func=, -activity-analysis-func=: what print-type-analysis
  /// and print-activity-analysis print; empty for all.
  std::string PrintFunction;
  /// Options made for Enzyme that were given and mean nothing here, with the
  /// reason.
  std::vector<std::pair<std::string, std::string>> Meaningless;
  /// An option whose meaning we do not have: to be refused.
  std::vector<std::string> Unsupported;

  /// The options as given on the command line of this process.
  static Options fromCommandLine();
};

} // namespace retrograd

#endif
