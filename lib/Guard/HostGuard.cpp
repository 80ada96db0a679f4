//===- HostGuard.cpp - the end of all guards ------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/HostGuard.h"
#include "Guard/DeviceLibrary.h"
#include "Guard/HeldForLink.h"
#include "Guard/InactiveValues.h"
#include "Guard/KeepEqualities.h"
#include "Guard/KeepRules.h"
#include "Guard/Methods.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/TimeProfiler.h"

#define DEBUG_TYPE "rg-guards"

using namespace llvm;
using namespace retrograd;

namespace {

struct Guard {
  StringRef Name;
  GuardUntil Until;
  bool (*Release)(const GuardedModule &);
  Statistic &Modules;
};

} // namespace

#define GUARD(Id, Until, Release, Why) STATISTIC(Num##Id, Why);
#include "Guard/Guards.def"

static const Guard Guards[] = {
#define GUARD(Id, Until, Release, Why)                                         \
  {#Id, GuardUntil::Until, Release, Num##Id},
#include "Guard/Guards.def"
};

static bool release(const GuardedModule &G,
                    function_ref<bool(GuardUntil)> IsOver) {
  bool Any = false;
  for (const Guard &Each : Guards) {
    if (!IsOver(Each.Until))
      continue;
    TimeTraceScope Scope("rg-release", Each.Name);
    if (Each.Release(G)) {
      ++Each.Modules;
      Any = true;
    }
  }
  return Any;
}

bool retrograd::releaseForRequests(const GuardedModule &G) {
  return release(G, [](GuardUntil U) { return U == GuardUntil::Requests; });
}

bool retrograd::releaseGuards(const GuardedModule &G) {
  return release(G, [&](GuardUntil U) {
    return U == GuardUntil::Derivatives ||
           (U == GuardUntil::Link && G.isLast());
  });
}
