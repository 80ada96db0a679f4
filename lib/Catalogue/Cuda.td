//===- Cuda.td - the CUDA runtime in host code ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that handle device memory are expansions (runtime/cudacalls.c) in terms of
// a few operations of our own. Launches have records made per kernel
// (Parallel/HostLaunches). docs/HostDevice.md.
//
//===----------------------------------------------------------------------===//

let Section = "CUDA: memory" in {
def cuda_malloc : Expansion<"rg_expand_cudaMalloc", ["cudaMalloc"], "I:PZ">;
def cuda_free : Expansion<"rg_expand_cudaFree", ["cudaFree"], "I:P">;
def cuda_memcpy : Expansion<"rg_expand_cudaMemcpy", ["cudaMemcpy"], "I:PPZI">;
def cuda_memset : Expansion<"rg_expand_cudaMemset", ["cudaMemset"], "I:PIZ">;
def cuda_malloc_async : Expansion<"rg_expand_cudaMallocAsync", ["cudaMallocAsync"], "I:PZP">;
def cuda_free_async : Expansion<"rg_expand_cudaFreeAsync", ["cudaFreeAsync"], "I:PP">;
def cuda_malloc_managed
    : Expansion<"rg_expand_cudaMallocManaged", ["cudaMallocManaged"], "I:PZI">;
def cuda_malloc_host : Expansion<"rg_expand_cudaMallocHost", ["cudaMallocHost"], "I:PZ">;
def cuda_free_host : Expansion<"rg_expand_cudaFreeHost", ["cudaFreeHost"], "I:P">;
def cuda_memcpy_async
    : Expansion<"rg_expand_cudaMemcpyAsync", ["cudaMemcpyAsync"], "I:PPZIP">;
def cuda_memset_async
    : Expansion<"rg_expand_cudaMemsetAsync", ["cudaMemsetAsync"], "I:PIZP">;
}

let Section = "CUDA: the rest" in {
def cuda_errors : InactiveInC<
    ["cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName"]>;
def cuda_devices : InactiveInC<
    ["cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaGetDevice", "cudaSetDevice",
     "cudaGetDeviceCount", "cudaDeviceGetAttribute", "cudaGetDeviceProperties",
     "cudaGetDeviceProperties_v2", "cudaMemGetInfo", "cudaDeviceGetLimit",
     "cudaDeviceSetLimit", "cudaDriverGetVersion", "cudaRuntimeGetVersion",
     "cudaDeviceSetCacheConfig", "cudaProfilerStart", "cudaProfilerStop"]>;
def cuda_kernels : InactiveInC<
    ["cudaFuncSetAttribute", "cudaFuncGetAttributes", "cudaFuncSetCacheConfig",
     "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
     "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"]>;
def cuda_events : InactiveInC<
    ["cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventRecord", "cudaEventSynchronize",
     "cudaEventElapsedTime", "cudaEventDestroy", "cudaEventQuery", "cudaStreamCreate",
     "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cudaStreamDestroy",
     "cudaStreamSynchronize", "cudaStreamQuery", "cudaStreamWaitEvent"]>;

// What changes device memory, or runs code, in ways that are not undone: whether
// derivatives flow through it or not, launches would find other memory in reverse.
class CudaRefused<string why, list<string> names> : Handler<"Refused"> {
  let Names = names;
  let Text = why;
  let Summary = why;
}
def cuda_other_copies : CudaRefused<"which has no reverse; copy with cudaMemcpy",
    ["cudaMemcpy2D*", "cudaMemcpy3D*", "cudaMemcpyPeer*", "cudaMemcpyToArray*",
     "cudaMemcpyFromArray*", "cudaMemset2D*", "cudaMemset3D*", "cudaMemcpyBatch*"]>;
def cuda_symbols : CudaRefused<
    "which handles a variable of the device: hand a pointer to the kernel, or do it in front "
    "of the derivative",
    ["cudaMemcpyToSymbol*", "cudaMemcpyFromSymbol*", "cudaGetSymbolAddress"]>;
def cuda_graphs : CudaRefused<"launches that are recorded have no reverse",
    ["cudaGraph*", "cudaStreamBeginCapture*", "cudaStreamEndCapture"]>;
def cuda_callbacks : CudaRefused<"the reverse of a stream calls nothing back",
    ["cudaLaunchHostFunc*", "cudaStreamAddCallback"]>;
def cuda_launches : CudaRefused<"of launches, only <<<>>> has a reverse",
    ["cudaLaunchKernel*", "cudaLaunchCooperativeKernel*", "cuLaunch*"]>;
def cuda_libraries : CudaRefused<"a library without derivatives yet",
    ["cublas*", "cusparse*", "cufft*", "cusolver*", "curandGenerate*", "nccl*", "cudnn*"]>;
}

let Section = "The runtime", OfRuntime = 1 in {
def gpu_malloc : Allocation<["rg_gpu_malloc"], "P:Z", [0], "rg_gpu_free"> {
  let Shadow = "rg_gpu_malloc_shadow";
}
def gpu_free : Deallocation<["rg_gpu_free"], "V:P">;
def gpu_malloc_managed : Allocation<["rg_gpu_malloc_managed"], "P:ZI", [0], "rg_gpu_free"> {
  let Shadow = "rg_gpu_malloc_managed_shadow";
}
def gpu_malloc_host : Allocation<["rg_gpu_malloc_host"], "P:Z", [0], "rg_gpu_free_host"> {
  let Shadow = "rg_gpu_malloc_host_shadow";
}
def gpu_free_host : Deallocation<["rg_gpu_free_host"], "V:P">;
def gpu_copy_async : Handler<"MemCpy"> {
  let Names = ["rg_gpu_copy_async"];
  let Prototype = "P:PPZIP";
  let Text = "device";
}
def gpu_fill_async : Handler<"MemSet"> {
  let Names = ["rg_gpu_fill_async"];
  let Prototype = "P:PIZP";
  let Text = "device";
}
def gpu_status : InactiveInC<["rg_gpu_status"], "I:">;
def gpu_freed : InactiveInC<["rg_gpu_freed"], "V:P">;
def gpu_copy : Handler<"MemCpy"> {
  let Names = ["rg_gpu_copy"];
  let Prototype = "P:PPZI";
  let Text = "device";
}
def gpu_fill : Handler<"MemSet"> {
  let Names = ["rg_gpu_fill"];
  let Prototype = "P:PIZ";
  let Text = "device";
}
}
def gpu_keep : Protocol<"rg_gpu_undo", ["rg_gpu_keep"], "P:PZ"> {
  let Summary = "device memory that is about to be overwritten; its reverse puts it back";
}
