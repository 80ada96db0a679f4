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
// Half of the threads return while the others go on to a barrier and write what was read.
__device__ void leave(const double *x, double *y) {
  __shared__ double s[64];
  int t = THREAD();
  s[t] = x[t];
  BARRIER();
  if (t >= 32) {
    y[t] = s[t - 32] * s[t - 32];
    return;
  }
  BARRIER();
  s[t] = s[t] * x[t];
  BARRIER();
  y[t] = s[31 - t];
}
// The same, where who leaves is the caller's to say.
__device__ void leaveBy(const double *x, double *y, int t, int n) {
  __shared__ double s[64];
  s[THREAD()] = x[THREAD()];
  BARRIER();
  if (t >= n) {
    y[t] = s[t - n] * s[t - n];
    return;
  }
  BARRIER();
  s[t] = s[t] * x[t];
  BARRIER();
  y[t] = s[n - 1 - t];
}
// Half of a number that is taken to another thread.
__device__ void halves(const double *x, double *y) {
  union { double d; int w[2]; } u;
  u.d = x[INDEX()];
  u.w[0] = __nvvm_shfl_sync_bfly_i32(~0u, u.w[0], 1, 31);
  y[INDEX()] = u.d * u.d;
}
// Assembly is read, where each of its statements is known.
__device__ void matrix(const double *x, double *y) {
  double d0, d1;
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
      : "=d"(d0), "=d"(d1) : "d"(x[INDEX()]), "d"(x[INDEX() + 1]), "d"(0.0), "d"(0.0));
  y[INDEX()] = d0 + d1;
}
// A maximum of floats by their bits: whose it was is not known any more, of several blocks, by a key, as
// what was there before.
__device__ void most(const float *x, float *y) {
  __shared__ int m;
  float s = 0;
  for (int k = 0; k < 3; ++k) {
    if (THREAD() == 0)
      m = 0;
    BARRIER();
    __atomic_fetch_max(&m, __builtin_bit_cast(int, x[THREAD()] + k), __ATOMIC_RELAXED);
    BARRIER();
    s += x[THREAD()] / __builtin_bit_cast(float, m);
    BARRIER();
  }
  y[THREAD()] = s;
}
__device__ void mostOfAll(const float *x, float *y) {
  __atomic_fetch_max((int *)y, __builtin_bit_cast(int, x[INDEX()] * 2), __ATOMIC_RELAXED);
}
__device__ void mostByKey(const float *x, float *y) {
  __shared__ int m;
  if (THREAD() == 0)
    m = 0;
  BARRIER();
  int b = __builtin_bit_cast(int, x[THREAD()]);
  __atomic_fetch_max(&m, b ^ (b >> 31 & 0x7fffffff), __ATOMIC_RELAXED);
  BARRIER();
  y[THREAD()] = x[THREAD()] / __builtin_bit_cast(float, m ^ (m >> 31 & 0x7fffffff));
}
__device__ void swapped(const float *x, float *y) {
  __shared__ float m;
  if (THREAD() == 0)
    m = 0;
  BARRIER();
  y[THREAD()] = __builtin_bit_cast(float, __atomic_exchange_n((int *)&m, __builtin_bit_cast(int, x[THREAD()] * 3), __ATOMIC_RELAXED));
}
__global__ void gradients(double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)fence, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}compare and exchange{{.*}} [RG2009]
  __enzyme_autodiff((void *)swap, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}value before an atomic addition{{.*}} [RG2009]
  __enzyme_autodiff((void *)before, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}variable 'table' [RG1105]
  __enzyme_autodiff((void *)global, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: this GPU operation cannot be reversed: 'llvm.nvvm.cp.async{{.*}} [RG2201]
  __enzyme_autodiff((void *)copies, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: this GPU operation cannot be reversed: some threads return here and others go on to a barrier: {{.*}} [RG2201]
  __enzyme_autodiff((void *)leave, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE-85]]:{{[0-9]+}}: note: it is here, in 'leave'
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: this GPU operation cannot be reversed: some threads return here and others go on to a barrier: {{.*}} [RG2201]
  __enzyme_autodiff((void *)leaveBy, enzyme_dup, x, dx, enzyme_dup, y, dy, THREAD(), 32);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}bit operation on a floating-point number [RG2002]
  __enzyme_autodiff((void *)halves, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}bit operation on a floating-point number [RG2002]
  __enzyme_fwddiff((void *)halves, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: inline assembly that derivatives flow through cannot be differentiated: 'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64' [RG2001]
  __enzyme_autodiff((void *)matrix, enzyme_dup, x, dx, enzyme_dup, y, dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}its place is written again later{{.*}} [RG2009]
  __enzyme_autodiff((void *)most, enzyme_dup, (float *)x, (float *)dx, enzyme_dup, (float *)y, (float *)dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}threads of several blocks may come to this place{{.*}} [RG2009]
  __enzyme_autodiff((void *)mostOfAll, enzyme_dup, (float *)x, (float *)dx, enzyme_dup, (float *)y, (float *)dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}the bits of an active number as an integer{{.*}} [RG2009]
  __enzyme_autodiff((void *)mostByKey, enzyme_dup, (float *)x, (float *)dx, enzyme_dup, (float *)y, (float *)dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}the bits of an active number as an integer{{.*}} [RG2009]
  __enzyme_fwddiff((void *)mostByKey, enzyme_dup, (float *)x, (float *)dx, enzyme_dup, (float *)y, (float *)dy);
  // CHECK: device.cu:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}the value before an exchange{{.*}} [RG2009]
  __enzyme_autodiff((void *)swapped, enzyme_dup, (float *)x, (float *)dx, enzyme_dup, (float *)y, (float *)dy);
}
