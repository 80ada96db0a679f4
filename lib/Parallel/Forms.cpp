//===- Forms.cpp - parallel runtimes in primals ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/Forms.h"
#include "Parallel/HostLaunches.h"

using namespace llvm;
using namespace retrograd;

ParallelForms::ParallelForms(Module &M, bool InOrder)
    : Regions(M, InOrder), Atomics(M), Threads(M), Launches(hasLaunches(M)) {}

void ParallelForms::takeLaunches(Function &Clone) {
  if (Launches)
    rewriteLaunches(Clone);
}

void ParallelForms::resolve(Function &Clone, const Function *Original) {
  Threads.rewrite(Clone, Original);
}

void ParallelForms::finish() {
  Regions.finish();
  Threads.finish();
}
