//===- ExportCommand.h - a library that other languages call ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library holds functions of the user's file and derivatives of them behind
// one calling convention, so that a caller needs no compiler and no knowledge
// of C++: every number and array is a pointer. A function
//
//   double energy(const double *x, int n);
//
// has the slots (result, x, n). Its reverse derivative has these and, behind
// them, a slot for the adjoint of each active one; its forward derivative the
// same with tangents; the derivative of a derivative doubles again. The name of
// an entry is the list of steps, "rev.fwd" is forward over reverse.
//
//   int entry(void *const *slots, const int64_t *lengths, char *message);
//
// slots[i] is the address of slot i; lengths[i] the elements of slot i of the
// function itself. For kernels nine numbers follow: blocks and threads of a
// block, each in three dimensions, bytes of dynamic shared memory, the stream,
// and whether to wait until it is done. A slot of a number by value is in host
// memory, an array is where the kernel can reach it.
// What is not 0 is an error, with a message of at most 255 bytes. The
// description of all this is JSON in the symbol `rg_export_json`.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_EXPORTCOMMAND_H
#define RETROGRAD_TOOLS_EXPORTCOMMAND_H

#include "CheckRun.h"

namespace retrograd {

struct ExportSettings {
  std::string Output;                   ///< the library; empty: describe only
  std::vector<std::string> Functions;   ///< qualified
  std::vector<std::string> Derivatives; ///< "rev", "fwd", "rev.fwd", ...
  std::set<std::string> Constants;      ///< parameters not to differentiate
  std::string Dependencies; ///< a file for the names of what was included
};

/// Returns the exit status of the tool.
int exportCommand(const Invocation &I, const ExportSettings &S);

} // namespace retrograd

#endif
