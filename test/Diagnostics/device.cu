// What threads of a GPU do together and no derivative follows.
// RUN: not %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.ptx 2>&1 | FileCheck %s
#include "rgdevice.h"

__device__ void fence(const double *x, double *y) {
  y[INDEX()] = x[INDEX()] * 2;
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  __nvvm_membar_gl();
  y[INDEX() + 1] = x[INDEX()];
}
__device__ unsigned long long bits(double a) { return __builtin_bit_cast(unsigned long long, a); }
__device__ void swap(const double *x, double *y) {
  unsigned long long *p = (unsigned long long *)y, old = *p, seen;
  do {
    seen = old;
    old = __nvvm_atom_cas_gen_ll((long long *)p, seen, bits(__builtin_bit_cast(double, seen) + x[INDEX()]));
  } while (old != seen);
}
__device__ void before(const double *x, double *y) {
  y[INDEX() + 8] = __nvvm_atom_add_gen_d(y, x[INDEX()]);
}
__device__ double table[16];
__device__ void global(const double *x, double *y) {
  table[INDEX()] = x[INDEX()];
  BARRIER();
  y[INDEX()] = table[15 - INDEX()];
}
__device__ void copies(const double *x, double *y) {
  __shared__ double s[64];
  __nvvm_cp_async_ca_shared_global_8((__attribute__((address_space(3))) void *)(s + THREAD()),
                                     (__attribute__((address_space(1))) void *)(x + INDEX()));
  __nvvm_cp_async_wait_all();
  y[INDEX()] = s[THREAD()];
}
extern __shared__ double Dynamic[];
__device__ void dynamic(const double *x, double *y) {
  Dynamic[THREAD()] = x[INDEX()];
  BARRIER();
  y[INDEX()] = Dynamic[63 - THREAD()];
}
__global__ void gradients(double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)fence, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}compare and exchange{{.*}} [RG2009]
  __enzyme_autodiff((void *)swap, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}value before an atomic addition{{.*}} [RG2009]
  __enzyme_autodiff((void *)before, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}variable 'table' [RG1105]
  __enzyme_autodiff((void *)global, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: this operation of a GPU cannot be reversed: 'llvm.nvvm.cp.async{{.*}} [RG2201]
  __enzyme_autodiff((void *)copies, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: this operation of a GPU cannot be reversed: dynamic shared memory ('Dynamic') has no shadow yet [RG2201]
  __enzyme_autodiff((void *)dynamic, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
