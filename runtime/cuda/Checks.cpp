//===- Checks.cpp - kernels that check themselves -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace rgcuda;

bool rgcuda::checking() { return false; }
void rgcuda::checkLaunch(const char *, const RgLaunch &) {}
