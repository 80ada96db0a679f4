/*===- launch.c - launches that provide dynamic shared memory for shadows --===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Kernels are compiled apart from the host's code that launches them, so the host
|* asks the kernel's module, when it is launched first: lib/Polish/DynamicShared.h. The
|* CUDA runtime has no name for variables that no source declares; the driver has.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUDA's runtime, which every program with launches has. */
int cudaGetFuncBySymbol(void **function, const void *kernel);
int cudaGetDevice(int *device);
int cudaFuncSetAttribute(const void *kernel, int attribute, int value);
enum { MAX_DYNAMIC_SHARED = 8 }; /* cudaFuncAttributeMaxDynamicSharedMemorySize */

struct known {
  const void *kernel;
  int device;
  uint64_t parts;
  const char *name;
  struct known *next;
};
static _Atomic(struct known *) rg_known_kernels;

/* How many parts the kernel needs, and that the host has seen it. */
static uint64_t ask(const void *kernel, const char **name) {
  void *function, *module;
  uint64_t variable, bytes;
  uint32_t words[2];
  char *text = NULL;
  if (cudaGetFuncBySymbol(&function, kernel))
    return 1;
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
  if (!driver)
    return 1;
  int (*name_of)(const char **, void *) = (int (*)(const char **, void *))dlsym(driver, "cuFuncGetName");
  int (*module_of)(void **, void *) = (int (*)(void **, void *))dlsym(driver, "cuFuncGetModule");
  int (*global)(uint64_t *, uint64_t *, void *, const char *) =
      (int (*)(uint64_t *, uint64_t *, void *, const char *))dlsym(driver, "cuModuleGetGlobal_v2");
  int (*read)(void *, uint64_t, uint64_t) = (int (*)(void *, uint64_t, uint64_t))dlsym(driver, "cuMemcpyDtoH_v2");
  int (*write)(uint64_t, const void *, uint64_t) =
      (int (*)(uint64_t, const void *, uint64_t))dlsym(driver, "cuMemcpyHtoD_v2");
  /* Without them (drivers before CUDA 12.3) the kernel says that it was not seen. */
  if (!name_of || !module_of || !global || !read || !write || name_of(name, function) || module_of(&module, function))
    return 1;
  if (asprintf(&text, "rg_dynamic_parts_of_%s", *name) < 0)
    return 1;
  int absent = global(&variable, &bytes, module, text);
  free(text);
  if (absent || bytes != sizeof words || read(words, variable, sizeof words))
    return 1;
  words[1] = 1;
  return write(variable, words, sizeof words) ? 1 : words[0];
}

/* The bytes of dynamic shared memory to launch with, for a launch that asks for so many. */
uint64_t rg_launch_shared(const void *kernel, uint64_t bytes) {
  int device;
  struct known *k;
  if (!bytes || cudaGetDevice(&device))
    return bytes;
  for (k = atomic_load(&rg_known_kernels); k; k = k->next)
    if (k->kernel == kernel && k->device == device)
      break;
  if (!k) {
    const char *name = "?";
    uint64_t parts = ask(kernel, &name);
    k = malloc(sizeof *k);
    if (!k)
      return bytes;
    *k = (struct known){kernel, device, parts, name, atomic_load(&rg_known_kernels)};
    while (!atomic_compare_exchange_weak(&rg_known_kernels, &k->next, k))
      ;
  }
  if (k->parts <= 1)
    return bytes;
  uint64_t grown = (bytes + 15) / 16 * 16 * k->parts;
  /* Beyond 48 KiB a kernel has to be told; what the program told it is too little. */
  if (grown > (48u << 10) && cudaFuncSetAttribute(kernel, MAX_DYNAMIC_SHARED, (int)grown))
    fprintf(stderr,
            "retrograd: a derivative in kernel '%s' needs %llu bytes of dynamic shared memory, %llu times the %llu that "
            "its launch asks for, and the device has less: launch it with less [RG2201]\n",
            k->name, (unsigned long long)grown, (unsigned long long)k->parts, (unsigned long long)bytes);
  return grown;
}

/* The same for a launch by cudaLaunchConfig_t; copy has room for one. */
const void *rg_launch_config(const void *kernel, const void *config, void *copy) {
  enum { SIZE = 56, SHARED = 24 }; /* two dim3, then size_t */
  uint64_t bytes;
  memcpy(copy, config, SIZE);
  memcpy(&bytes, (const char *)copy + SHARED, sizeof bytes);
  bytes = rg_launch_shared(kernel, bytes);
  memcpy((char *)copy + SHARED, &bytes, sizeof bytes);
  return copy;
}
