// RUN: not %rgcxx -O2 --offload=cpu -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O0 --offload=cpu -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// What host functions with launches may not do is told with the routine's name, at its line.
#include <cuda_runtime.h>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__global__ void twice(double *x) { x[threadIdx.x] *= 2; }

__global__ void texture(cudaTextureObject_t t, double *x) { x[threadIdx.x] *= tex1Dfetch<float>(t, threadIdx.x); }
cudaTextureObject_t pixels;
double fetches(double *x) {
  double *d, y;
  cudaMalloc(&d, 8);
  cudaMemcpy(d, x, 8, cudaMemcpyHostToDevice);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'texture', which reads memory through a texture or a surface; pass a pointer to the memory, and read it there [RG2203]
  // CHECK-DAG: cuda-programs.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'fetches'
  texture<<<1, 1>>>(pixels, d);
  cudaMemcpy(&y, d, 8, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return y;
}

// The same as CUDA's headers write it for a GPU.
__global__ void ptx(cudaTextureObject_t t, double *x) {
  float a, b, c, d;
  asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(t), "r"(threadIdx.x));
  x[threadIdx.x] *= a;
}
double fetchesByPtx(double *x) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'ptx', which reads memory through a texture or a surface; {{.*}} [RG2203]
  ptx<<<1, 1>>>(pixels, x);
  return 0;
}

// An address of which nobody sees the pointer.
__global__ void number(size_t at) { asm volatile("st.global.f64 [%0], %1;" ::"l"(at + 8 * threadIdx.x), "d"(1.0) : "memory"); }
double byNumber(double *x) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'number', which accesses memory by inline PTX at an address whose pointer is not seen [RG2203]
  number<<<1, 1>>>((size_t)x);
  return 0;
}

double array(double *x) {
  cudaArray_t a;
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaMallocArray', textures, surfaces and their arrays have no reverse; {{.*}} [RG2203]
  // CHECK-DAG: cuda-programs.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'array'
  cudaMallocArray(&a, nullptr, 8, 1, 0);
  twice<<<1, 1>>>(x);
  return x[0];
}

__global__ void rows(double **x) {
  __shared__ double *row[32];
  row[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  row[31 - threadIdx.x][0] *= 2;
}
double pointers(double **x) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'rows', which follows pointers that it reads from memory, and that no parameter is seen to lead to [RG2203]
  rows<<<1, 1>>>(x);
  return 0;
}

struct link {
  link *next;
  double value;
};
__global__ void sets(double **x, double *y) { x[threadIdx.x] = y + threadIdx.x; }
__global__ void swaps(link *x) {
  x[threadIdx.x] = x[threadIdx.x + 8];
  x->next->value *= 2;
}
struct __attribute__((packed)) packed {
  int n;
  double *at;
};
__global__ void unaligned(packed *p) { p->at[threadIdx.x] *= p->n; }
double addresses(double **x) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'unaligned', which follows pointers that it reads from memory, and that no parameter is seen to lead to [RG2203]
  unaligned<<<1, 1>>>((packed *)x[0]);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'sets', which stores addresses in memory; let the host make tables and links, and copy them to the device [RG2203]
  sets<<<1, 1>>>(x, x[0]);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'swaps', which stores addresses in memory; {{.*}} [RG2203]
  swaps<<<1, 1>>>((link *)x[0]);
  return 0;
}

double unseen(double *x, const void *kernel) {
  void *args[] = {&x};
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaLaunchKernel', of which the compiler does not see the kernel [RG2203]
  cudaLaunchKernel(kernel, dim3(1), dim3(1), args, 0, 0);
  return 0;
}

struct table {
  double number[150];
};
__global__ void squares(table t, double *y) { y[threadIdx.x] = t.number[threadIdx.x] * t.number[threadIdx.x]; }
double large(const double *x) {
  table t;
  for (int i = 0; i < 150; i++)
    t.number[i] = x[i];
  double *d, y;
  cudaMalloc(&d, sizeof t);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'squares', which takes a struct of more than 128 members with numbers or pointers by value; {{.*}} [RG2203]
  squares<<<1, 150>>>(t, d);
  cudaMemcpy(&y, d, 8, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return y;
}

// Routines of libraries: known, and without a rule.
extern "C" {
int cublasDgelsBatched(void *, int, int, int, int, double **, int, double **, int, int *, int *, int);
int cublasLtCreate(void **);
int cublasLtMatmul(void *, void *, const void *, const double *, void *, const double *, void *, const void *, double *, void *, double *, void *, void *, void *, size_t, cudaStream_t);
int cusparseSpSV_solve(void *, int, const double *, void *, double *, double *, int, int, void *);
int cusolverDnDgesvd(void *, int, int, double *, double *);
int cufftXtExec(int, double *, double *, int);
int ncclAllToAll(const double *, double *, size_t, int, void *, cudaStream_t);
int curandGenerateBinomial(void *, double *, size_t);
int cudnnCreate(void **);
int cudnnCreateTensorDescriptor(void **);
int cudnnConvolutionForward(void *, const double *, double *);
int cutensorContract(void *, void *, const double *, const double *, double *);
int nppiFilter_64f_C1R(const double *, double *);
int cuMemcpyDtoD_v2(unsigned long long, unsigned long long, size_t);
}
double libraries(double *x) {
  double *d, *e, a = x[0];
  void *h;
  cudaMalloc(&d, 64);
  cudaMalloc(&e, 64);
  cudaMemcpy(d, x, 8, cudaMemcpyHostToDevice);
  // Handles and descriptors are no matter.
  cublasLtCreate(&h), cudnnCreate(&h), cudnnCreateTensorDescriptor(&h);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cublasDgelsBatched', which has no derivative; levels 1 to 3 of cublas_v2.h have one, and factorisations of batches; or give the function that calls it a derivative of its own (docs/user/CustomRules.md) [RG2203]
  // CHECK-DAG: cuda-programs.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'libraries'
  cublasDgelsBatched(h, 0, 1, 1, 1, &d, 1, &e, 1, 0, 0, 1);
  // CHECK-DAG: here: 'cublasLtMatmul', which has no derivative; cublasGemmEx and cublasGemmStridedBatchedEx have one; {{.*}} [RG2203]
  // CHECK-DAG: cuda-programs.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'libraries'
  cublasLtMatmul(h, 0, &a, d, 0, d, 0, &a, e, 0, e, 0, 0, 0, 0, 0);
  // CHECK-DAG: here: 'cusparseSpSV_solve', which has no derivative; {{.*}} [RG2203]
  cusparseSpSV_solve(h, 0, &a, 0, d, e, 0, 0, 0);
  // CHECK-DAG: here: 'cusolverDnDgesvd', which has no derivative; {{.*}} [RG2203]
  cusolverDnDgesvd(h, 1, 1, d, e);
  // CHECK-DAG: here: 'cufftXtExec', which has no derivative; {{.*}} [RG2203]
  cufftXtExec(0, d, e, 0);
  // CHECK-DAG: here: 'ncclAllToAll', which has no derivative; {{.*}} [RG2203]
  ncclAllToAll(d, e, 1, 0, h, 0);
  // CHECK-DAG: here: 'curandGenerateBinomial', which has no derivative; {{.*}} [RG2203]
  curandGenerateBinomial(h, e, 1);
  // CHECK-DAG: here: 'cudnnConvolutionForward', which has no derivative; {{.*}} [RG2203]
  cudnnConvolutionForward(h, d, e);
  // CHECK-DAG: here: 'cutensorContract', which has no derivative; {{.*}} [RG2203]
  cutensorContract(h, 0, d, d, e);
  // CHECK-DAG: here: 'nppiFilter_64f_C1R', which has no derivative; {{.*}} [RG2203]
  nppiFilter_64f_C1R(d, e);
  // CHECK-DAG: here: 'cuMemcpyDtoD_v2', a call of CUDA's driver interface; {{.*}} [RG2203]
  cuMemcpyDtoD_v2((unsigned long long)e, (unsigned long long)d, 8);
  // CHECK-NOT: 'cublasLtCreate'
  // CHECK-NOT: 'cudnnCreate
  cudaMemcpy(&a, e, 8, cudaMemcpyDeviceToHost);
  return a;
}

int main(int argc, char **argv) {
  double x = 1, g = 0, *px = &x, *pg = &g;
  __enzyme_autodiff<double>((void *)fetches, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)fetchesByPtx, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)byNumber, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)array, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)pointers, enzyme_dup, &px, &pg);
  __enzyme_autodiff<double>((void *)addresses, enzyme_dup, &px, &pg);
  double x150[150] = {}, g150[150] = {};
  __enzyme_autodiff<double>((void *)large, enzyme_dup, x150, g150);
  __enzyme_autodiff<double>((void *)libraries, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)unseen, enzyme_dup, &x, &g, enzyme_const, (const void *)argv[0]);
}
