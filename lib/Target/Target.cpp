//===- Target.cpp - the sheets of answers ---------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target/Target.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace retrograd;

using MS = MemorySpace;

// Address spaces: LLVM's NVPTXUsage and AMDGPUUsage.
static constexpr Target::Answers Host = {RuntimeKind::Host,
                                         false,
                                         {MS::Private, MS::Private, MS::Private,
                                          MS::Private, MS::Private, MS::Private,
                                          MS::Private, MS::Private},
                                         0,
                                         "",
                                         "f",
                                         "",
                                         false,
                                         false,
                                         false,
                                         false,
                                         false};
static constexpr Target::Answers Nvidia = {
    RuntimeKind::Nvidia,
    true,
    {MS::Generic, MS::Global, MS::Generic, MS::Shared, MS::Constant,
     MS::Private, MS::Generic, MS::Shared},
    1,
    "__nv_",
    "f",
    "",
    true,
    true,
    true,
    true,
    true};
static constexpr Target::Answers Amd = {RuntimeKind::Amd,
                                        true,
                                        {MS::Generic, MS::Global, MS::Shared,
                                         MS::Shared, MS::Constant, MS::Private,
                                         MS::Constant, MS::Global},
                                        1,
                                        "__ocml_",
                                        "_f32",
                                        "_f64",
                                        false,
                                        false,
                                        false,
                                        false,
                                        false};

static const Target::Answers &sheetOf(const Triple &T) {
  if (T.isNVPTX())
    return Nvidia;
  return T.isAMDGPU() ? Amd : Host;
}

Target::Target(const Module &M) : Sheet(&sheetOf(M.getTargetTriple())) {}

MemorySpace Target::space(unsigned AddressSpace) const {
  return AddressSpace < 8 ? Sheet->Spaces[AddressSpace] : MemorySpace::Generic;
}

MemorySpace Target::spaceOf(const Value &Pointer) const {
  const Value *P = &Pointer;
  for (;;) {
    MemorySpace S = space(P->getType()->getPointerAddressSpace());
    if (S != MemorySpace::Generic)
      return S;
    if (const auto *G = dyn_cast<GEPOperator>(P))
      P = G->getPointerOperand();
    else if (const auto *C = dyn_cast<AddrSpaceCastOperator>(P))
      P = C->getPointerOperand();
    else
      return S;
  }
}

unsigned Target::shadowSpace(unsigned AddressSpace) const {
  return manyThreads() && space(AddressSpace) == MemorySpace::Constant
             ? Sheet->Global
             : AddressSpace;
}

std::string Target::mathFunction(StringRef Name, Type *T) const {
  StringRef Suffix = T->isFloatTy() ? Sheet->FloatSuffix : Sheet->DoubleSuffix;
  if (!T->isFloatTy() && !T->isDoubleTy()) // long double of the host
    Suffix = "l";
  return (Sheet->MathPrefix + Name + Suffix).str();
}

bool Target::nativeIntrinsic(StringRef Intrinsic) const {
  if (!manyThreads())
    return true;
  for (StringRef Native :
       {"llvm.fabs", "llvm.copysign", "llvm.sqrt", "llvm.fma", "llvm.fmuladd",
        "llvm.floor", "llvm.ceil", "llvm.trunc", "llvm.rint", "llvm.nearbyint",
        "llvm.minnum", "llvm.maxnum"})
    if (Intrinsic == Native)
      return true;
  return false;
}
