//===- FortranTypes.h - what flang's tables say of derived types ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ALLOCATE of a derived type gives its components their default values, and
// assignment copies allocatable components with what they own. Flang's runtime
// finds out what that is from tables which flang writes of each type (its
// module __fortran_type_info): constants of the program. Interpreted when the
// program runs they would tell the type analysis nothing. So once
// simplification knows which table a call of rg_fortran_initialise or
// rg_fortran_copy_object (runtime/fortran.c) is given, the loads, stores and
// calls that it stands for are written in its place. Where it stays unknown
// (the descriptor lies in memory of the heap), the address is compared with the
// tables that the program refers to, like that of a function in DispatchCalls;
// what is none of them ends the program.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_FORTRANTYPES_H
#define RETROGRAD_PRIMAL_LANGUAGE_FORTRANTYPES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class Constant;
class Function;
} // namespace llvm

namespace retrograd {
class RuntimeLibrary;

/// Descriptors that calls in F are given, and that front ends declare without
/// room for a type, are those of numbers; dummy arguments that they declare
/// without dimensions are scalars. Before anything is simplified.
void noteDescriptors(llvm::Function &F);

/// Writes out the calls in F whose type is known by now. True if there was one.
bool writeFortranTypes(llvm::Function &F, RuntimeLibrary &Runtime);

/// Writes out the others, by cases: one for each table among the constants that
/// Known gives.
bool chooseFortranTypes(
    llvm::Function &F,
    llvm::function_ref<llvm::SmallSetVector<const llvm::Constant *, 32>()>
        Known,
    RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
