/*===- map.c - the kernels behind rg_device_map and rg_device_sparse ----------===*\
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
#define RG_SPARSE_ELEMENT rg_sparse_double
#define RG_ADD(p, v) __nvvm_atom_add_gen_d(p, v)
#include "devicemap.inc"
#undef T
#undef RG_MAP_ELEMENT
#undef RG_SPARSE_ELEMENT
#undef RG_ADD
#define T float
#define RG_MAP_ELEMENT rg_map_float
#define RG_SPARSE_ELEMENT rg_sparse_float
#define RG_ADD(p, v) __nvvm_atom_add_gen_f(p, v)
#include "devicemap.inc"
#include "deviceconvert.inc"
#include "devicereduce.inc"

__attribute__((device_kernel)) void rg_reduction(struct rg_reduced p) {
  int64_t step = (int64_t)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
  for (int64_t k = (int64_t)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
                   __nvvm_read_ptx_sreg_tid_x();
       k < p.n; k += step)
    rg_reduce_element(&p, k);
}

__attribute__((device_kernel)) void rg_conversion(struct rg_convert p) {
  int64_t all = p.m * p.n, step = (int64_t)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
  for (int64_t k = (int64_t)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
                   __nvvm_read_ptx_sreg_tid_x();
       k < all; k += step)
    rg_convert_element(&p, k % p.m, k / p.m);
}

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

__attribute__((device_kernel)) void rg_sparse_sum(struct rg_sparse p) {
  int64_t all = p.elements * (p.what == RG_SPARSE_SCATTER ? p.columns : 1),
          step = (int64_t)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
  for (int64_t k = (int64_t)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
                   __nvvm_read_ptx_sreg_tid_x();
       k < all; k += step) {
    if (p.is_double)
      rg_sparse_double(&p, k);
    else
      rg_sparse_float(&p, k);
  }
}
