//===- PrintNest.h - a nest and its order as text ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_PRINTNEST_H
#define RETROGRAD_LOOPS_PRINTNEST_H

#include "Loops/Schedule.h"

namespace retrograd::loops {

/// To stderr. Null Nest: WhyNot says why L is none.
void printNest(llvm::Loop &L, const Nest *N, const std::string &WhyNot);
/// The best first; none: nothing better than the program's order was found.
void printOrders(const Nest &N, llvm::ArrayRef<Scheduler::Proposal> Orders);

} // namespace retrograd::loops

#endif
