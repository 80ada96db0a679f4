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
// Iterators that only count are the device's: the function may be one that the host cannot call.
double counted(const double *x, int n) {
  thrust::device_vector<double> d(x, x + n);
  double w = x[0], *p = thrust::raw_pointer_cast(d.data());
  thrust::for_each(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n), [=] __device__(int i) { p[i] *= w + 0.01 * i; });
  thrust::for_each_n(thrust::make_zip_iterator(thrust::make_tuple(thrust::make_counting_iterator(1), thrust::make_constant_iterator(0.5))), n - 1,
                     [=] __device__(const thrust::tuple<int, double> &t) { p[thrust::get<0>(t)] += thrust::get<1>(t) * w * w; });
  return thrust::transform_reduce(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n), [=] __device__(int i) { return p[i] * p[i]; }, 0.0, thrust::plus<double>());
}
// Tuples are read, assigned and returned by the device; integers are the keys.
double paired(const double *x, int n) {
  thrust::device_vector<double> d(x, x + n), e(n), y(n);
  thrust::device_vector<int> bin(n);
  double k = x[1];
  thrust::transform(d.begin(), d.end(), bin.begin(), [] __device__(double v) { return (int)(v * 137) % 7; });
  thrust::transform(d.begin(), d.end(), thrust::make_zip_iterator(thrust::make_tuple(e.begin(), y.begin())),
                    [=] __device__(double v) { return thrust::make_tuple(v * v * k, sin(v)); });
  thrust::sort_by_key(bin.begin(), bin.end(), thrust::make_zip_iterator(thrust::make_tuple(d.begin(), y.begin())));
  auto all = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), e.begin(), y.begin()));
  thrust::for_each(all, all + n, [=] __device__(thrust::tuple<double &, double &, double &> t) {
    thrust::tuple<double, double> before;
    before = thrust::make_tuple(thrust::get<0>(t), thrust::get<2>(t));
    thrust::get<1>(t) += thrust::get<0>(before) * thrust::get<1>(before);
  });
  auto sum = thrust::reduce(thrust::make_zip_iterator(thrust::make_tuple(e.begin(), y.begin())),
                            thrust::make_zip_iterator(thrust::make_tuple(e.end(), y.end())), thrust::make_tuple(0.0, k),
                            [] __host__ __device__(const thrust::tuple<double, double> &a, const thrust::tuple<double, double> &b) {
                              return thrust::make_tuple(thrust::get<0>(a) + thrust::get<0>(b), thrust::get<1>(a) + 0.5 * thrust::get<1>(b));
                            });
  return thrust::get<0>(sum) * thrust::get<1>(sum) + e[2] * d[3];
}
int main() {
  rgCheckGradient(paired, 60, 0.6);
  rgCheckGradient(counted, 300, 0.6);
  rgCheckGradient(transformed, 700, 0.6);
  rgCheckGradient(scanned, 300, 0.6);
  rgCheckGradient(sorted, 40, 0.6);
  rgCheckGradient(zipped, 16, 0.6);
  return rgReport();
}
