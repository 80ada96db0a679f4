// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrust's vectors and algorithms in a differentiated program.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/zip_iterator.h>
#include "gradients.h"
struct Cube { double a; __host__ __device__ double operator()(double x) const { return a * x * x * x; } };
double transformed(const double *x, int n) {
  thrust::device_vector<double> d(x, x + n), y(n);
  thrust::transform(d.begin(), d.end(), y.begin(), Cube{x[1]});
  return thrust::reduce(y.begin(), y.end(), x[0]);
}
double scanned(const double *x, int n) {
  thrust::device_vector<double> d(x, x + n), y(n);
  thrust::inclusive_scan(d.begin(), d.end(), y.begin());
  thrust::exclusive_scan(d.begin(), d.end(), d.begin(), 1.0, thrust::multiplies<double>());
  return thrust::inner_product(d.begin(), d.end(), y.begin(), 0.0);
}
double sorted(const double *x, int n) {
  thrust::host_vector<double> h(x, x + n), w(n);
  for (int i = 0; i < n; ++i) h[i] += 0.0037 * (i * 7 % n);
  for (int i = 0; i < n; ++i) w[i] = x[i] * x[i] + i;
  thrust::device_vector<double> k = h, v = w;
  thrust::sort_by_key(k.begin(), k.end(), v.begin());
  double a = k[3];
  h = v;
  double s = 0;
  for (int i = 0; i < n; ++i) s += h[i] * (i + 1) * a;
  return s + k.back();
}
double zipped(const double *x, int n) {
  thrust::device_vector<double> d(x, x + n), e(n, 2.0), y(n);
  auto from = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), e.begin()));
  double k = x[2];
  thrust::transform(from, from + n, y.begin(), [=] __device__(const thrust::tuple<double, double> &t) { return sin(thrust::get<0>(t)) * thrust::get<1>(t) * k; });
  return thrust::reduce(y.begin(), y.end(), 0.0, thrust::maximum<double>()) + y[0];
}
int main() {
  rgCheckGradient(transformed, 700, 0.6);
  rgCheckGradient(scanned, 300, 0.6);
  rgCheckGradient(sorted, 40, 0.6);
  rgCheckGradient(zipped, 16, 0.6);
  return rgReport();
}
