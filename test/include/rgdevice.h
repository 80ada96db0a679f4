// The least of CUDA that a kernel needs, for tests that look at what is emitted: no
// toolkit, no host code. -nocudainc -nocudalib.
#ifndef RGDEVICE_H
#define RGDEVICE_H
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__ __attribute__((host))
typedef unsigned long size_t;
#ifdef __NVPTX__
#define THREAD() __nvvm_read_ptx_sreg_tid_x()
#define INDEX() (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
#define BARRIER() __syncthreads()
#else
#define THREAD() __builtin_amdgcn_workitem_id_x()
#define INDEX() (__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x())
#define BARRIER() __builtin_amdgcn_s_barrier()
#endif
template <typename... A> __device__ void __enzyme_autodiff(void *, A...);
template <typename... A> __device__ void __enzyme_fwddiff(void *, A...);
extern __device__ int enzyme_dup, enzyme_const;
#endif
