/*===- device.h - the machine under the device runtime --------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What the routines of this folder need of a GPU, once per machine. The files
|* are freestanding C: they are compiled without any header of CUDA or ROCm.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_DEVICE_H
#define RETROGRAD_DEVICE_H

typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long uint64_t;
#define NULL ((void *)0)
/* Goes where it is called, so that its caller's address spaces and types reach
 * it. */
#define RG_INLINE __attribute__((always_inline))
#define RG_NOINLINE __attribute__((noinline))

void *malloc(uint64_t);
void free(void *);

#if defined(__NVPTX__)
#define RG_IS_PRIVATE(P) __nvvm_isspacep_local(P)
#define RG_LANE() __nvvm_read_ptx_sreg_laneid()
#define RG_THREAD(D) __nvvm_read_ptx_sreg_tid_##D()
#define RG_THREADS(D) __nvvm_read_ptx_sreg_ntid_##D()
#define RG_BLOCK(D) __nvvm_read_ptx_sreg_ctaid_##D()
#define RG_BLOCKS(D) __nvvm_read_ptx_sreg_nctaid_##D()
#define RG_BARRIER() __syncthreads()
int vprintf(const char *, void *);
#elif defined(__AMDGCN__)
#define RG_IS_PRIVATE(P)                                                       \
  __builtin_amdgcn_is_private(                                                 \
      (const __attribute__((address_space(0))) void *)(P))
#define RG_LANE()                                                              \
  __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))
#define RG_THREAD(D) __builtin_amdgcn_workitem_id_##D()
#define RG_THREADS(D) __builtin_amdgcn_workgroup_size_##D()
#define RG_BLOCK(D) __builtin_amdgcn_workgroup_id_##D()
#define RG_BLOCKS(D) (__builtin_amdgcn_grid_size_##D() / RG_THREADS(D))
#define RG_BARRIER()                                                           \
  do {                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
  } while (0)
#endif

/* Number of this thread in its block, and of the threads in a block. */
static inline uint32_t rg_thread(void) {
  return RG_THREAD(x) +
         RG_THREADS(x) * (RG_THREAD(y) + RG_THREADS(y) * RG_THREAD(z));
}
static inline uint32_t rg_threads(void) {
  return RG_THREADS(x) * RG_THREADS(y) * RG_THREADS(z);
}

#endif
