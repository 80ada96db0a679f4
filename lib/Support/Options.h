//===- Options.h - every command-line option, read once ---------*- C++ -*-===//
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
  // Each of these is left out by -rg-disable=NAME.
#define RG_CHOICE(NAME, FIELD, WHAT) bool FIELD = true; ///< WHAT
#include "Support/Choices.def"
  /// What else -rg-disable names: steps before and after derivatives
  /// (PipelineStep.h).
  std::vector<std::string> DisabledSteps;
  std::vector<std::string> PrintAfter; ///< -rg-print-after=STEP: F after it
  bool Stats = false;       ///< -rg-stats: how many functions each step changed
  bool PrintPrimal = false; ///< -rg-print-primal: prepared primals
  bool PrintTypes = false;  ///< -rg-print-types
  bool PrintMerges = false; ///< -rg-print-merges
  bool PrintActivity = false;  ///< -rg-print-activity
  bool PrintOverwrite = false; ///< -rg-print-overwrite
  bool PrintLoops = false;     ///< -rg-print-loops
  bool PrintPlan = false;      ///< -rg-print-plan
  bool PrintNests = false; ///< -rg-print-nests: what -rg-loops sees and does
  bool PrintDerivative = false; ///< -rg-print-derivative: IR as emitted
  bool VerifyEach = false; ///< -rg-verify-each: LLVM verifier after every stage
  bool RunEarly = false;   ///< -rg-run-early: at PipelineStart ("Ref")
  bool Loops = false;      ///< -rg-loops: loop nests in better orders
  bool LoopThreads = false;   ///< -rg-loops=parallel: by several threads, too
  unsigned LoopsAny = 0;      ///< -rg-loops-any=SEED: in any that is allowed
  NanKind Nan = NanKind::Off; ///< -rg-nan=report|trap: docs/NanOrigin.md

  // Of code for GPUs (docs/GPU.md).
  unsigned ShareRowsOnDevice = 32; ///< -rg-gpu-share-rows: one in so many
                                   ///< instructions adds: lanes do it by twos
  bool SharedShadows = false; ///< -rg-shared-shadows: many threads call one
                              ///< derivative, with the same shadows
  bool Deterministic = false; ///< -rg-deterministic: threads add in an order
  /// -rg-offload-device=: the device half of a CUDA program, which is to run on
  /// this machine.
  std::string OffloadDevice;
  /// -rg-offload-half: this compilation makes such a device half.
  bool OffloadHalf = false;
  /// -rg-keep-kernels=: the device half writes itself there, for the host half.
  std::string KeepKernels;
  /// -rg-kernels=: the device half, for derivatives of host functions that
  /// launch kernels (docs/HostDevice.md).
  std::string Kernels;
  bool OffloadInterleave = false;  ///< -rg-gpu-interleave
  bool CheckRaces = false;         ///< -rg-check-races
  bool CheckUninitialized = false; ///< -rg-check-uninitialized
  bool PrintOffload = false;       ///< -rg-print-offload
  bool OwnByLaunch =
      false; ///< -rg-gpu-own: no atomics where the launch rules out others
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

  /// Leaves out steps and decisions: names with commas between.
  void disable(const std::string &Names);
  /// All that is left out, in the same form.
  std::string disabled() const;

  /// The options as given on the command line of this process.
  static Options fromCommandLine();
};

} // namespace retrograd

#endif
