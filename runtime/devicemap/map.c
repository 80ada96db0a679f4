/*===- map.c - the kernel behind rg_device_map ----------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Compiled to PTX, which the runtime of the host carries as text.
\*===------------------------------------------------------------------------===*/
#include "hostdevice.h"

#define T double
#define RG_MAP_ELEMENT rg_map_double
#include "devicemap.inc"
#undef T
#undef RG_MAP_ELEMENT
#define T float
#define RG_MAP_ELEMENT rg_map_float
#include "devicemap.inc"

__attribute__((device_kernel)) void rg_map(struct rg_map p) {
  int64_t all = p.m * p.n, step = (int64_t)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
  for (int64_t k = (int64_t)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
                   __nvvm_read_ptx_sreg_tid_x();
       k < all; k += step) {
    if (p.is_double)
      rg_map_double(&p, k % p.m, k / p.m);
    else
      rg_map_float(&p, k % p.m, k / p.m);
  }
}
