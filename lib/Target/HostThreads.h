//===- HostThreads.h - the runtime that has the host's threads --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What code that starts threads on its own account calls: libomp, which
// -fopenmp links.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TARGET_HOSTTHREADS_H
#define RETROGRAD_TARGET_HOSTTHREADS_H

#include "llvm/ADT/StringRef.h"

namespace retrograd::hostthreads {

/// void(place, number of arguments, task, arguments...): all threads run task,
/// void(thread's number, the same in its team, arguments...).
inline constexpr llvm::StringLiteral Fork = "__kmpc_fork_call";
/// int(): which thread this is, of how many; whether they are several; of how
/// many it would be one behind Fork, at most.
inline constexpr llvm::StringLiteral Number = "omp_get_thread_num",
                                     Count = "omp_get_num_threads",
                                     AreMany = "omp_in_parallel",
                                     Most = "omp_get_max_threads";
/// Fork's place: a name, of nowhere, in an object of integers 0, flags, 0 and
/// the name's length, and the name.
inline constexpr llvm::StringLiteral Nowhere = ";unknown;unknown;0;0;;";
inline constexpr unsigned ByCompiler = 2; ///< flag: what all compilers set

} // namespace retrograd::hostthreads

#endif
