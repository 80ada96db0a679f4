// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrust's algorithms for plain pointers to memory of the device, with the policy that says so, and
// iterators that go backwards.
#include "gradients.h"
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
struct Big { __host__ __device__ bool operator()(double x) const { return x > 0.7123; } };
double pointers(const double *x, int n) {
  double *v, *o, *d, *s;
  int *k, *c;
  cudaMalloc(&v, n * sizeof(double)), cudaMalloc(&o, n * sizeof(double));
  cudaMalloc(&d, n * sizeof(double)), cudaMalloc(&s, n * sizeof(double));
  cudaMalloc(&k, n * sizeof(int)), cudaMalloc(&c, n * sizeof(int));
  cudaMemcpy(o, x, n * sizeof(double), cudaMemcpyHostToDevice);
  thrust::copy_n(thrust::device, o, n, v);
  thrust::fill_n(thrust::device, o, n, 0.0);
  auto e = thrust::copy_if(thrust::device, v, v + n, o, Big());
  thrust::adjacent_difference(thrust::device, v, v + n, d);
  thrust::sequence(thrust::device, k, k + n, 0);
  thrust::transform(thrust::device, k, k + n, k, [] __device__(int i) { return i / 3; });
  auto ends = thrust::reduce_by_key(thrust::device, k, k + n, v, c, s);
  thrust::exclusive_scan(thrust::device, k, k + n, c);
  thrust::exclusive_scan(thrust::device, d, d + n, d);
  thrust::transform_inclusive_scan(thrust::device, v, v + n, v, thrust::square<double>(), thrust::plus<double>());
  auto most = thrust::max_element(thrust::device, v, v + n), least = thrust::min_element(thrust::device, o, e);
  double found[2];
  cudaMemcpy(&found[0], most, sizeof(double), cudaMemcpyDeviceToHost);
  cudaMemcpy(&found[1], least, sizeof(double), cudaMemcpyDeviceToHost);
  double r = found[0] * found[1] + thrust::reduce(thrust::device, d, d + n, 0.0) +
             thrust::inner_product(thrust::device, s, ends.second, o, 0.0);
  cudaFree(v), cudaFree(o), cudaFree(d), cudaFree(s), cudaFree(k), cudaFree(c);
  return r;
}
double backwards(const double *x, int n) {
  thrust::device_vector<double> v(x, x + n);
  thrust::device_vector<int> place(n);
  thrust::sequence(place.rbegin(), place.rend());
  double r = thrust::inner_product(v.begin(), v.end(), v.rbegin(), 0.0);
  for (int i = 0; i < n; i++)
    r += v[place[i]] * v[i] * (i % 3);
  return r;
}
int main() {
  rgCheckGradient(pointers, 15, 0.6);
  rgCheckGradient(backwards, 15, 0.6);
  return rgReport();
}
