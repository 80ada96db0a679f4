//===- OwnVariables.h - threadprivate without thread-local storage --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// flang asks libomp where a thread's copy of a threadprivate variable is:
//
//   p = __kmpc_threadprivate_cached(loc, thread, @v, size, @v.cache)
//
// In primals that is the address of a thread-local variable, which nobody
// defines and which stands for the copies:
//
//   p = llvm.threadlocal.address(@v.own)
//
// So analyses, plans and emission meet what C and C++ have, and @v.own has a
// thread-local shadow. When all derivatives are made, the addresses of @v.own
// in them become libomp's calls again.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_OWNVARIABLES_H
#define RETROGRAD_PARALLEL_OWNVARIABLES_H

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace retrograd {

/// Replaces all uses of Call, of __kmpc_threadprivate_cached, if the variable
/// is reached by such calls alone.
bool nameOwnVariable(llvm::CallBase &Call);

/// The addresses of what stands for threads' copies become calls of libomp.
void findOwnVariables(llvm::Module &M);

} // namespace retrograd

#endif
