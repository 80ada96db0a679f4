// Outputs whose adjoints the kernel knows to be 0 cost nothing: their shares of the table are not
// computed and not added. Those of the output that is asked for are.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=gpu-zeros %s -o - | FileCheck --check-prefix=OFF %s
#include "rgdevice.h"

struct Row {
  double e, a, b, c;
};

__device__ void lookup(const Row *rows, const int *which, int n, double e, double *out) {
  for (int k = 0; k < 3; ++k)
    out[k] = 0;
  for (int i = 0; i < n; ++i) {
    const Row &low = rows[which[i]], &high = rows[which[i] + 1];
    double f = (high.e - e) / (high.e - low.e);
    out[0] += high.a - f * (high.a - low.a);
    out[1] += high.b - f * (high.b - low.b);
    out[2] += high.c - f * (high.c - low.c);
  }
}

// Two rows, of each the energy and the number that the second output is made of.
// CHECK-LABEL: .entry _Z6second
// CHECK-COUNT-4: red{{.*}}global.add.f64
// CHECK-NOT: add.f64 [
// CHECK: ret;
// OFF-LABEL: .entry _Z6second
// OFF-COUNT-8: red{{.*}}global.add.f64
__global__ void second(const Row *rows, Row *drows, const int *which, int n, double *result) {
  double out[3], seeds[3] = {0, 1, 0};
  __enzyme_autodiff((void *)lookup, enzyme_dup, rows, drows, enzyme_const, which, enzyme_const, n, enzyme_const,
                    INDEX() * 0.001, enzyme_dup, out, seeds);
  result[INDEX()] = out[1];
}

// Nobody knows what the caller's adjoints are.
// CHECK-LABEL: .entry _Z5given
// CHECK-COUNT-8: red{{.*}}global.add.f64
__global__ void given(const Row *rows, Row *drows, const int *which, int n, double *out, double *seeds) {
  __enzyme_autodiff((void *)lookup, enzyme_dup, rows, drows, enzyme_const, which, enzyme_const, n, enzyme_const,
                    INDEX() * 0.001, enzyme_dup, out, seeds);
}
