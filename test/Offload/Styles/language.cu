// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual functions, new, lambdas, function pointers, recursion, lists, managed variables, assert.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cassert>
#include <cuda_runtime.h>
class Shape {
public:
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
class Circle : public Shape {
  float r;

public:
  __device__ Circle(float r) : r(r) {}
  __device__ float area() const override { return 3.0f * r * r; }
};
class Rect : public Shape {
  float a, b;

public:
  __device__ Rect(float a, float b) : a(a), b(b) {}
  __device__ float area() const override { return a * b; }
};
__global__ void create(Shape **list, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (i % 2)
      list[i] = new Circle(i);
    else
      list[i] = new Rect(i, 2);
  }
}
__global__ void areas(Shape **list, float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    o[i] = list[i]->area();
}
__global__ void destroy(Shape **list, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    delete list[i];
}
template <class F> __global__ void forall(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    f(i);
}
template <typename T, int BLOCK, template <class> class Op> __global__ void reduce(const T *x, T *o) {
  __shared__ T s[BLOCK];
  Op<T> op;
  s[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
  __syncthreads();
  for (int h = BLOCK / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h)
      s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    o[blockIdx.x] = s[0];
}
template <class T> struct Max {
  __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T> struct Sum {
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
typedef float (*fptr)(float);
__device__ float sq(float x) { return x * x; }
__device__ float half_(float x) { return x / 2; }
__device__ fptr table[2] = {sq, half_};
__device__ fptr p_sq = sq;
__global__ void viaTable(float *x) { x[threadIdx.x] = table[threadIdx.x % 2](x[threadIdx.x]); }
__global__ void viaArg(fptr f, float *x) { x[threadIdx.x] = f(x[threadIdx.x]); }
struct Node {
  int v;
  Node *next;
};
__global__ void lists(int *o) {
  Node *h = nullptr;
  for (int i = 0; i <= threadIdx.x; i++) {
    Node *n = (Node *)malloc(sizeof(Node));
    n->v = i;
    n->next = h;
    h = n;
  }
  int s = 0;
  while (h) {
    s += h->v;
    Node *t = h;
    h = h->next;
    free(t);
  }
  o[threadIdx.x] = s;
}
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void rec(int *o) { o[threadIdx.x] = fib(threadIdx.x); }
__global__ void asserts(int *x) {
  assert(x[threadIdx.x] < 100 && "small");
  x[threadIdx.x] = 1;
}
__managed__ int counter;
__device__ __constant__ int primes[] = {2, 3, 5, 7};
__global__ void usesw(int *o, int k) {
  int r;
  switch (k + threadIdx.x % 4) {
  case 0:
    r = 5;
    break;
  case 1:
    r = primes[threadIdx.x % 4];
    break;
  case 2:
  case 3:
    r = -1;
    break;
  default:
    r = 0;
  }
  o[threadIdx.x] = r;
  if (threadIdx.x == 0)
    counter += 3;
}
struct Matrix {
  int w, h;
  float *e;
  __host__ __device__ float &at(int r, int c) { return e[r * w + c]; }
};
__global__ void mm(Matrix a, Matrix b, Matrix c) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= c.h || col >= c.w)
    return;
  float s = 0;
  for (int k = 0; k < a.w; k++)
    s += a.at(r, k) * b.at(k, col);
  c.at(r, col) = s;
}
int main() {
  Shape **l;
  float *o;
  CHECK(cudaMalloc(&l, 100 * sizeof(Shape *)));
  CHECK(cudaMallocManaged(&o, 400));
  create<<<2, 32>>>(l, 100);
  areas<<<4, 32>>>(l, o, 100);
  destroy<<<4, 32>>>(l, 100);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 100; i++)
    EXPECT(o[i] == (i % 2 ? 3.0f * i * i : i * 2));
  int *x;
  CHECK(cudaMallocManaged(&x, 4096));
  int k = 7;
  forall<<<3, 64>>>(1000, [=] __device__(int i) { x[i] = i * k; });
  CHECK(cudaDeviceSynchronize());
  EXPECT(x[999] == 6993);
  forall<<<3, 64>>>(10, [x, k] __host__ __device__(int i) { x[i] += k; });
  CHECK(cudaDeviceSynchronize());
  EXPECT(x[9] == 70);
  float *fx, *fo;
  cudaMallocManaged(&fx, 2048);
  cudaMallocManaged(&fo, 16);
  float mx = -1, sm = 0;
  for (int i = 0; i < 512; i++) {
    fx[i] = (i * 37) % 101;
    if (i < 128) {
      mx = fmaxf(mx, fx[i]);
      sm += fx[i];
    }
  }
  reduce<float, 128, Max><<<4, 128>>>(fx, fo);
  CHECK(cudaDeviceSynchronize());
  EXPECT(fo[0] == mx);
  reduce<float, 128, Sum><<<4, 128>>>(fx, fo);
  CHECK(cudaDeviceSynchronize());
  EXPECT(fo[0] == sm);
  for (int i = 0; i < 4; i++)
    fx[i] = 3;
  viaTable<<<1, 4>>>(fx);
  CHECK(cudaDeviceSynchronize());
  EXPECT(fx[0] == 9 && fx[1] == 1.5f);
  fptr hf;
  CHECK(cudaMemcpyFromSymbol(&hf, p_sq, sizeof(fptr)));
  viaArg<<<1, 4>>>(hf, fx);
  CHECK(cudaDeviceSynchronize());
  EXPECT(fx[0] == 81);
  lists<<<1, 50>>>(x);
  CHECK(cudaDeviceSynchronize());
  EXPECT(x[49] == 49 * 50 / 2);
  rec<<<1, 16>>>(x);
  CHECK(cudaDeviceSynchronize());
  EXPECT(x[15] == 610);
  counter = 4;
  usesw<<<1, 8>>>(x, 0);
  CHECK(cudaDeviceSynchronize());
  EXPECT(counter == 7 && x[0] == 5 && x[1] == 3 && x[2] == -1 && x[5] == 3);
  Matrix a{20, 30, 0}, b{25, 20, 0}, c{25, 30, 0};
  cudaMallocManaged(&a.e, 2400);
  cudaMallocManaged(&b.e, 2000);
  cudaMallocManaged(&c.e, 3000);
  for (int i = 0; i < 600; i++)
    a.e[i] = i % 7;
  for (int i = 0; i < 500; i++)
    b.e[i] = i % 5;
  mm<<<dim3(2, 2), dim3(16, 16)>>>(a, b, c);
  CHECK(cudaDeviceSynchronize());
  float s = 0;
  for (int k = 0; k < 20; k++)
    s += a.at(29, k) * b.at(k, 24);
  EXPECT(c.at(29, 24) == s);
  x[3] = 500;
  asserts<<<1, 4>>>(x);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  return finish();
}
