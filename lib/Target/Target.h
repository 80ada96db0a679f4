//===- Target.h - what depends on the machine compiled for ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One sheet of answers per kind of machine. The rest of the compiler asks these
// questions and never which machine it is; a new machine is a new sheet. See
// README.md in this folder and docs/GPU.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TARGET_TARGET_H
#define RETROGRAD_TARGET_TARGET_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class Module;
class Type;
class Value;
} // namespace llvm

namespace retrograd {

/// Who can see memory of an address space.
enum class MemorySpace : uint8_t {
  Generic,  ///< any of the others, known at run time only
  Global,   ///< every thread of the machine
  Shared,   ///< the threads of one block; not initialised; gone when it ends
  Constant, ///< every thread, and nobody writes it
  Private   ///< one thread
};

/// Which bitcode of the runtime a module takes its routines from.
enum class RuntimeKind : uint8_t { Host, Nvidia, Amd };

class Target {
public:
  explicit Target(const llvm::Module &M);

  /// A kernel: many threads run the same code over the same memory, so that two
  /// of them may add to one adjoint. On the host one thread runs a derivative.
  bool manyThreads() const { return Sheet->ManyThreads; }
  RuntimeKind runtime() const { return Sheet->Runtime; }
  MemorySpace space(unsigned AddressSpace) const;
  /// The memory that a value of pointer type leads to, as far as its type and
  /// the casts that made it tell.
  MemorySpace spaceOf(const llvm::Value &Pointer) const;
  /// The address space of the shadow of a global variable that lies in
  /// AddressSpace: memory that is constant to the primal has adjoints that are
  /// not.
  unsigned shadowSpace(unsigned AddressSpace) const;
  /// The state of the tape lies in the derivative's own frame, since there is
  /// no thread-local memory that outlives it.
  bool arenaOnStack() const { return Sheet->ManyThreads; }
  /// Arithmetic is cheaper than memory: a pure function is evaluated again
  /// rather than its result kept through a loop.
  bool prefersRecomputation() const { return Sheet->ManyThreads; }
  /// To take an adjoint out of global memory is one atomic exchange, not a load
  /// and a store.
  bool prefersExchange() const { return Sheet->PrefersExchange; }
  /// An addition whose result nobody wants is an instruction of its own.
  bool addsWithoutResult() const { return Sheet->AddsWithoutResult; }
  /// The library has one function for the sine and the cosine of a number: f(x,
  /// &s, &c).
  bool sineAndCosine() const { return Sheet->SineAndCosine; }
  unsigned globalSpace() const { return Sheet->Global; }
  /// An atomic addition to memory of the block is a loop, one round for each
  /// thread that adds to the same place at the time.
  bool addsFloatsByLoop() const { return Sheet->AddsFloatsByLoop; }
  /// A kernel can ask how much memory the launch gave its block, and a launch
  /// can be made to give more (Polish/DynamicShared.h).
  bool growsSharedMemory() const { return Sheet->GrowsSharedMemory; }
  /// Derivatives are inlined into the kernels that ask for them: a call hides
  /// address spaces and keeps its operands in memory.
  bool inlinesDerivatives() const { return Sheet->ManyThreads; }
  /// The library function that computes the C function Name ("sin") in type T,
  /// float or double: "__nv_sinf", "sinf". LLVM's intrinsics of that kind are
  /// lowered by the host only, `nativeIntrinsic` says which exceptions there
  /// are.
  std::string mathFunction(llvm::StringRef Name, llvm::Type *T) const;
  bool nativeIntrinsic(llvm::StringRef Intrinsic) const;

  struct Answers {
    RuntimeKind Runtime;
    bool ManyThreads;
    /// Address space by number, up to 7.
    MemorySpace Spaces[8];
    /// Where shadows of constant memory lie.
    unsigned Global;
    /// What stands around the name of a function of float and double.
    const char *MathPrefix, *FloatSuffix, *DoubleSuffix;
    bool PrefersExchange, AddsFloatsByLoop, GrowsSharedMemory,
        AddsWithoutResult, SineAndCosine;
  };

private:
  const Answers *Sheet;
};

} // namespace retrograd

#endif
