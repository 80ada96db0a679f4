// The derivative of a launch adds vectors of numbers by one instruction from sm_90 on: the PTX that the object carries says a version
// that has it.
// REQUIRES: cuda-toolkit
// RUN: %rgcxx --offload-arch=sm_90 -O2 -c %s -o %t.o
// RUN: grep -a -q '^.version 8.1' %t.o
// RUN: grep -a -q 'red.*\.add\.v4\.f32' %t.o
#include <cuda_runtime.h>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__global__ void gather(float4 *out, const float4 *table, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 t = table[at[i]];
    out[i] = make_float4(t.x * t.x, t.y * t.x, t.z * t.y, t.w * t.z);
  }
}
static void run(float4 *out, const float4 *table, const int *at, int n) { gather<<<(n + 127) / 128, 128>>>(out, table, at, n); }
void gradient(float4 *out, float4 *dout, float4 *table, float4 *dtable, int *at, int n) {
  __enzyme_autodiff<void>((void *)run, enzyme_dup, out, dout, enzyme_dup, table, dtable, enzyme_const, at, enzyme_const, n);
}
