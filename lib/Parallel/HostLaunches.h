//===- HostLaunches.h - launches of kernels in host code --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang lowers  kernel<<<grid, block, shared, stream>>>(args...)  to
//
//   if (!__cudaPushCallConfiguration(grid, block, shared, stream))
//     __device_stub__kernel(args...);
//
// and the stub gathers its arguments and calls cudaLaunchKernel, as programs
// may do themselves. In a primal this becomes one call,
//
//   rg.launch.kernel(grid x, y, z, block x, y, z, shared, stream, args...)
//
// of a function that, in the module, launches. Its arguments are the kernel's,
// with members in place of structs that are passed by value, and the addresses
// of the device's variables that the kernel uses. The catalogue gets a rule for
// it, with what the kernel's code says of its parameters (KernelFacts). The
// rule's functions are written here when a derivative asks for them: they
// gather the operands and call runtime/hostdevice.c, which launches the kernel,
// or its derivative. Which derivatives of kernels that takes is in wanted();
// whoever owns the device half makes them.
//
//   rg.launch.kernel       primal, and the name of its rule
//   rg.launch.kernel.5     parameters 0 and 2 are active: .augment, .reverse,
//                          .forward, and the record that names the kernels
//
// See docs/HostDevice.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_HOSTLAUNCHES_H
#define RETROGRAD_PARALLEL_HOSTLAUNCHES_H

#include "Catalogue/Catalogue.h"
#include "Parallel/KernelFacts.h"
#include "Request/DerivativeRequest.h"
#include <deque>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace retrograd {

/// Launches in the fresh clone of a function become calls of rg.launch.*. Only
/// of use in a module that hasLaunches().
void rewriteLaunches(llvm::Function &Clone);

/// Of the kernels that host module M launches.
bool hasLaunches(const llvm::Module &M);

/// Before anything is inlined: stubs stay functions that are called.
bool keepStubs(llvm::Module &M);

class HostLaunches {
public:
  /// Makes rg.launch.* for all stubs of M, and declares their rules. Facts: of
  /// the device half; null if that is not at hand.
  HostLaunches(llvm::Module &M, Catalogue &Cat,
               llvm::StringMap<KernelFacts> *Facts);

  /// A derivative of a kernel that a rule launches.
  struct Kernel {
    std::string Primal; ///< the kernel's symbol
    std::string Name;   ///< that of the derivative
    bool Forward;
    llvm::SmallVector<bool, 8> Active; ///< by parameter
    const KernelFacts *Facts;
    /// In the host's module, where its handle has to be written to, or its name
    /// stays.
    llvm::GlobalVariable *Record;
    /// Its blocks wait for each other.
    bool Together = false;
  };

  /// The rule of launch R.Primal, with functions for the activity that R has.
  /// False if R.Primal is no launch.
  bool specialise(const DerivativeRequest &R, OperationRecord &Rule);
  llvm::MutableArrayRef<Kernel> wanted() { return Wanted; }
  /// The derivatives are where the host can launch them: on this machine by a
  /// handle each, on a device by name from Image (PTX).
  void bind(llvm::function_ref<llvm::Constant *(const Kernel &)> HandleOf,
            llvm::Constant *Image, uint64_t ImageBytes);
  /// Removes what nobody calls.
  void finish();

private:
  struct Launch {
    llvm::Function *Stub, *Run;
    std::string Kernel;
    const KernelFacts *Facts;
    /// Says what the kernel is, without derivatives.
    llvm::GlobalVariable *Plain;
  };
  /// Of a launch and a set of active parameters.
  struct Special {
    llvm::Function *Run;
    llvm::SmallVector<bool, 8> Active;
    std::string Augment, Reverse, Forward;
    llvm::GlobalVariable *Record;
    bool HasReverse = false, HasForward = false;
  };

  llvm::Module &M;
  llvm::SmallVector<Launch, 8> Launches;
  std::deque<Special> Specials;
  llvm::SmallVector<Kernel, 8> Wanted;
  std::deque<std::string> Texts;
  /// rg.captured.* of routines of libraries.
  llvm::SmallVector<std::string, 4> CapturedRoutines;

  void makeLaunch(llvm::Function &Stub, Catalogue &Cat,
                  llvm::StringMap<KernelFacts> *All);
  llvm::StructType *recordType(unsigned Parameters) const;
  llvm::GlobalVariable *makeRecord(const Launch &L, llvm::ArrayRef<bool> Active,
                                   llvm::StringRef Name);
  llvm::GlobalVariable *writeKeep(const Launch &L, Catalogue &Cat);
  void writeRun(const Launch &L);
  /// Operand Op of the launch comes with shadows.
  static bool hasShadow(const Launch &L, unsigned Op);
  /// Of a module that captures streams.
  void writeGraphs();
  void eraseGraphs();
  void writeAugment(const Launch &L, const Special &S);
  void writeSweep(const Launch &L, const Special &S, bool Forward);
};

} // namespace retrograd

#endif
