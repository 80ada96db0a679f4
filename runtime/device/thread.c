/*===- device/thread.c - who runs, for functions that are not part of a kernel -===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* A kernel knows its thread's place as variables of loops. Functions that could not be
|* inlined into it (recursion, calls through pointers) read it here: kernels write it
|* before they call those.
\*===------------------------------------------------------------------------===*/
#include "../cuda/Abi.h"

extern __thread struct RgThread rg_cuda_thread;

__attribute__((always_inline)) void rg_cuda_enter_thread(uint32_t TX, uint32_t TY, uint32_t TZ, uint32_t BX, uint32_t BY, uint32_t BZ,
                          uint32_t GX, uint32_t GY, uint32_t GZ, uint32_t NX, uint32_t NY, uint32_t NZ,
                          void *Dynamic) {
  struct RgThread *T = &rg_cuda_thread;
  T->Tid[0] = TX, T->Tid[1] = TY, T->Tid[2] = TZ;
  T->Ctaid[0] = BX, T->Ctaid[1] = BY, T->Ctaid[2] = BZ;
  T->Nctaid[0] = GX, T->Nctaid[1] = GY, T->Nctaid[2] = GZ;
  T->Ntid[0] = NX, T->Ntid[1] = NY, T->Ntid[2] = NZ;
  T->Dynamic = Dynamic;
}

#define REGISTER(Name, Field)                                                                     \
  uint32_t rg_sreg_##Name##_x(void) { return rg_cuda_thread.Field[0]; }                           \
  uint32_t rg_sreg_##Name##_y(void) { return rg_cuda_thread.Field[1]; }                           \
  uint32_t rg_sreg_##Name##_z(void) { return rg_cuda_thread.Field[2]; }
REGISTER(tid, Tid)
REGISTER(ctaid, Ctaid)
REGISTER(nctaid, Nctaid)
REGISTER(ntid, Ntid)
uint32_t rg_sreg_warpsize(void) { return 32; }
/* One grid at a time: what asks for its number wants to know other launches from this one. */
uint32_t rg_sreg_gridid(void) { return 0; }
uint32_t rg_nvvm_read_ptx_sreg_gridid(void) { return 0; }
uint64_t rg_thread_number(void) {
  struct RgThread *T = &rg_cuda_thread;
  return T->Tid[0] + (uint64_t)T->Ntid[0] * (T->Tid[1] + (uint64_t)T->Ntid[1] * T->Tid[2]);
}
static uint32_t bit(void) { return 1u << (rg_thread_number() & 31); }
uint32_t rg_sreg_lanemask_eq(void) { return bit(); }
uint32_t rg_sreg_lanemask_lt(void) { return bit() - 1; }
uint32_t rg_sreg_lanemask_le(void) { return bit() | (bit() - 1); }
uint32_t rg_sreg_lanemask_gt(void) { return ~(bit() | (bit() - 1)); }
uint32_t rg_sreg_lanemask_ge(void) { return ~(bit() - 1); }
void *rg_dynamic_shared(void) { return rg_cuda_thread.Dynamic; }
