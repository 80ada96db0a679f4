// In the host's half of a CUDA program a launch becomes the call of a function with the sizes of grid and block, shared bytes
// and stream. (Its derivative needs the kernel's code, which -x cuda --cuda-host-only has not: RG2203.)
// RUN: not %rgcxx -x cuda --cuda-host-only -nocudainc -nocudalib --cuda-path=%t.none -Xclang -target-sdk-version=12.0 -O2 -c %s -o %t.o -mllvm -rg-print-after=rewrite-launches 2>&1 | FileCheck %s
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
typedef unsigned long size_t;
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern "C" int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK: ; after rewrite-launches
// CHECK-LABEL: @rg.primal._ZL1fPdi(
// CHECK-NOT: CallConfiguration
// CHECK: call void @rg.launch._Z6squarePd(i32 %{{.*}}, i32 %{{.*}}, i32 1, i32 32, i32 1, i32 1, i64 0, ptr null)
// CHECK-NOT: @cudaLaunchKernel
// CHECK: ret void
__global__ void square(double *x) {}
static void f(double *x, int n) { square<<<n, 32>>>(x); }
// CHECK: error: {{.*}}[RG2203]
void gradient(double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
