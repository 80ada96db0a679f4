// Adjoints that the derivative starts from and leaves as they are (enzyme_seed) are read by plain loads: nothing is
// stored or exchanged. What has to hold of the launch is asked at the start.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck --check-prefix=PTX %s
#include "rgdevice.h"
extern __device__ int enzyme_seed;
__device__ void each(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = INDEX();
  if (i < n)
    y[i] = x[i] * x[i];
}
// PTX-LABEL: .entry _Z8gradient
// PTX-DAG: %nctaid.y
// PTX-DAG: %ntid.y
// PTX-DAG: %nctaid.z
// PTX-DAG: %ntid.z
// PTX-NOT: exch
// PTX-NOT: st.global
// PTX: red.relaxed.gpu.global.add.f32
// PTX-NOT: st.global
// PTX: ret;
__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)each, enzyme_dup, x, dx, enzyme_seed, y, dy, n);
}
