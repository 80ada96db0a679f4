//===- Runtime.cpp - the host half of a CUDA program, with kernels in OpenCL C
//-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of bench/offload run on an OpenCL device of this machine (PoCL)
// as they are: the host half of NAME.cu is compiled with NAME.cl in the place
// of the device half, and linked with this file, which has those parts of the
// CUDA runtime that the programs use. Data, sizes, launches and the check
// against the computation by hand are then the same.
//
//   cudaMalloc            fine-grained shared virtual memory: pointers mean the
//   same on both
//                         sides, as in CUDA
//   f<<<grid, block>>>    the kernel f of the .cl file, in a queue in order
//   __constant__ X        a last argument `constant T *X` of the kernel: what
//   is at X cudaMemcpy, ...       wait for the queue, then do it here
//
// Arguments are pointers or words of four bytes. Streams and dynamic shared
// memory are not there, and what fails ends the program. Alone this file is a
// program that tells the device.
//
//===----------------------------------------------------------------------===//
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <cxxabi.h>
#include <map>
#include <string>

namespace {

void check(cl_int Error, const char *What) {
  if (Error == CL_SUCCESS)
    return;
  std::fprintf(stderr, "OpenCL: error %d of %s\n", Error, What);
  std::exit(1);
}
#define CL(Function, ...) check(Function(__VA_ARGS__), #Function)

struct Device {
  cl_platform_id Platform = nullptr;
  cl_device_id Id = nullptr;
  cl_context Context = nullptr;
  cl_command_queue Queue = nullptr;
  cl_program Program = nullptr;
  std::map<const void *, cl_kernel>
      Kernels; ///< by the function that the host launches
  std::map<std::string, void *>
      Constants; ///< memory of __constant__ variables, by name
  std::map<const void *, void *> Symbols; ///< the same, by the host's variable

  /// The first processor that a platform offers.
  Device() {
    cl_platform_id Platforms[8];
    cl_uint N = 0;
    if (clGetPlatformIDs(8, Platforms, &N) == CL_SUCCESS)
      for (cl_uint I = 0; I < N && I < 8 && !Id; ++I)
        if (clGetDeviceIDs(Platforms[I], CL_DEVICE_TYPE_CPU, 1, &Id, nullptr) ==
            CL_SUCCESS)
          Platform = Platforms[I];
    check(Id ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
    cl_int Error;
    Context = clCreateContext(nullptr, 1, &Id, nullptr, nullptr, &Error);
    check(Error, "clCreateContext");
    Queue = clCreateCommandQueueWithProperties(Context, Id, nullptr, &Error);
    check(Error, "clCreateCommandQueueWithProperties");
  }
  void wait() { CL(clFinish, Queue); }
  void *allocate(size_t Size) {
    void *P = clSVMAlloc(
        Context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, Size, 0);
    check(P ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc");
    return P;
  }
};
/// Made when a program's constructors ask for it, which may be before those of
/// this file.
Device &device() {
  static Device D;
  return D;
}
struct {
  dim3 Grid, Block;
  size_t Shared;
  void *Stream;
} Launch;

/// \p Mangled without its parameters' types.
std::string sourceName(const char *Mangled) {
  char *Whole = abi::__cxa_demangle(Mangled, nullptr, nullptr, nullptr);
  std::string Name = Whole ? Whole : Mangled;
  std::free(Whole);
  return Name.substr(0, Name.find('('));
}

} // namespace

extern "C" {

// What the compiler calls before main. The record has a magic number, a
// version, and the address of what stands for the device half: here a text that
// ends with a zero.
void **__cudaRegisterFatBinary(const void *Record) {
  const char *Source = *reinterpret_cast<const char *const *>(
      static_cast<const char *>(Record) + 8);
  Device &D = device();
  cl_int Error;
  D.Program = clCreateProgramWithSource(D.Context, 1, &Source, nullptr, &Error);
  check(Error, "clCreateProgramWithSource");
  Error = clBuildProgram(D.Program, 1, &D.Id,
                         "-cl-std=CL1.2 -cl-kernel-arg-info", nullptr, nullptr);
  if (Error != CL_SUCCESS) {
    std::string Log(1 << 16, 0);
    clGetProgramBuildInfo(D.Program, D.Id, CL_PROGRAM_BUILD_LOG, Log.size(),
                          Log.data(), nullptr);
    std::fprintf(stderr, "%s\n", Log.c_str());
  }
  check(Error, "clBuildProgram");
  return nullptr;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
int __cudaRegisterFunction(void **, const char *Host, char *, const char *Name,
                           int, void *, void *, void *, void *, int *) {
  cl_int Error;
  std::string Source = sourceName(Name);
  device().Kernels[Host] =
      clCreateKernel(device().Program, Source.c_str(), &Error);
  check(Error, ("clCreateKernel " + Source).c_str());
  return 0;
}
void __cudaRegisterVar(void **, char *Host, char *, const char *Name, int,
                       size_t Size, int, int) {
  Device &D = device();
  D.Constants[sourceName(Name)] = D.Symbols[Host] = D.allocate(Size);
}

unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                     void *Stream) {
  Launch = {Grid, Block, Shared, Stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared,
                                       void *Stream) {
  *Grid = Launch.Grid, *Block = Launch.Block, *Shared = Launch.Shared;
  *static_cast<void **>(Stream) = Launch.Stream;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                             void **Arguments, size_t Shared, cudaStream_t) {
  check(Shared ? CL_INVALID_VALUE : CL_SUCCESS, "dynamic shared memory");
  Device &D = device();
  cl_kernel Kernel = D.Kernels.at(Function);
  cl_uint N;
  CL(clGetKernelInfo, Kernel, CL_KERNEL_NUM_ARGS, sizeof N, &N, nullptr);
  for (cl_uint I = 0; I < N; ++I) {
    cl_kernel_arg_address_qualifier Space;
    CL(clGetKernelArgInfo, Kernel, I, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
       sizeof Space, &Space, nullptr);
    if (Space == CL_KERNEL_ARG_ADDRESS_CONSTANT) {
      char Name[64];
      CL(clGetKernelArgInfo, Kernel, I, CL_KERNEL_ARG_NAME, sizeof Name, Name,
         nullptr);
      CL(clSetKernelArgSVMPointer, Kernel, I, D.Constants.at(Name));
    } else if (Space == CL_KERNEL_ARG_ADDRESS_GLOBAL)
      CL(clSetKernelArgSVMPointer, Kernel, I,
         *static_cast<void **>(Arguments[I]));
    else
      CL(clSetKernelArg, Kernel, I, 4, Arguments[I]);
  }
  size_t Local[] = {Block.x, Block.y, Block.z};
  size_t Global[] = {size_t(Grid.x) * Block.x, size_t(Grid.y) * Block.y,
                     size_t(Grid.z) * Block.z};
  CL(clEnqueueNDRangeKernel, D.Queue, Kernel, 3, nullptr, Global, Local, 0,
     nullptr, nullptr);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **P, size_t Size) {
  *P = device().allocate(Size);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void *To, const void *From, size_t Size,
                       cudaMemcpyKind) {
  device().wait();
  std::memcpy(To, From, Size);
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void *Symbol, const void *From,
                               size_t Size, size_t Offset,
                               cudaMemcpyKind Kind) {
  return cudaMemcpy(static_cast<char *>(device().Symbols.at(Symbol)) + Offset,
                    From, Size, Kind);
}
cudaError_t cudaMemset(void *P, int Value, size_t Size) {
  device().wait();
  std::memset(P, Value, Size);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  device().wait();
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t) { return "no error"; }

} // extern "C"

__attribute__((weak)) int main() {
  char Platform[512], Name[512];
  CL(clGetPlatformInfo, device().Platform, CL_PLATFORM_VERSION, sizeof Platform,
     Platform, nullptr);
  CL(clGetDeviceInfo, device().Id, CL_DEVICE_NAME, sizeof Name, Name, nullptr);
  std::printf("%s; %s\n", Platform, Name);
}
