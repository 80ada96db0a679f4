//===- ThreadIdentity.cpp - what a thread asks of itself ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalogue/ThreadIdentity.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace retrograd;

std::optional<ThreadIdentity> ThreadIdentity::of(const CallBase &C) {
  switch (C.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return ThreadIdentity{ThreadIndex, 0};
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return ThreadIdentity{ThreadIndex, 1};
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return ThreadIdentity{ThreadIndex, 2};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return ThreadIdentity{BlockIndex, 0};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return ThreadIdentity{BlockIndex, 1};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return ThreadIdentity{BlockIndex, 2};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return ThreadIdentity{BlockSize, 0};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return ThreadIdentity{BlockSize, 1};
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return ThreadIdentity{BlockSize, 2};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return ThreadIdentity{GridSize, 0};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return ThreadIdentity{GridSize, 1};
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return ThreadIdentity{GridSize, 2};
  case Intrinsic::amdgcn_workitem_id_x:
    return ThreadIdentity{ThreadIndex, 0};
  case Intrinsic::amdgcn_workitem_id_y:
    return ThreadIdentity{ThreadIndex, 1};
  case Intrinsic::amdgcn_workitem_id_z:
    return ThreadIdentity{ThreadIndex, 2};
  case Intrinsic::amdgcn_workgroup_id_x:
    return ThreadIdentity{BlockIndex, 0};
  case Intrinsic::amdgcn_workgroup_id_y:
    return ThreadIdentity{BlockIndex, 1};
  case Intrinsic::amdgcn_workgroup_id_z:
    return ThreadIdentity{BlockIndex, 2};
  default:
    return std::nullopt;
  }
}

bool ThreadIdentity::asksElse(const CallBase &C) {
  const Function *Of = C.getCalledFunction();
  return Of && Of->getName().starts_with("llvm.nvvm.read.") && !of(C);
}
