// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrust's selections, runs of keys, permutations, and vectors that grow.
#include "gradients.h"
#include <thrust/device_vector.h>
struct Big { __host__ __device__ bool operator()(double x) const { return x > 0.7123; } };
double keys(const double *x, int n) {
  std::vector<int> k(n); for (int i = 0; i < n; ++i) k[i] = i / 3;
  thrust::device_vector<int> key = k, out(n); thrust::device_vector<double> v(x, x + n), s(n);
  auto e = thrust::reduce_by_key(key.begin(), key.end(), v.begin(), out.begin(), s.begin(), thrust::equal_to<int>(), thrust::multiplies<double>());
  double r = 0; int m = e.second - s.begin();
  for (int i = 0; i < m; ++i) r += s[i] * s[i] * (i + 1);
  return r;
}
double choose(const double *x, int n) {
  thrust::device_vector<double> v(x, x + n), o(n), d(n);
  auto e = thrust::copy_if(v.begin(), v.end(), o.begin(), Big());
  int c = thrust::count_if(v.begin(), v.end(), Big());
  if (c != e - o.begin()) return -1;
  thrust::adjacent_difference(v.begin(), v.end(), d.begin());
  double low = *thrust::min_element(v.begin(), v.end());
  thrust::transform_inclusive_scan(v.begin(), v.end(), v.begin(), thrust::square<double>(), thrust::plus<double>());
  double top = *thrust::max_element(d.begin(), d.end());
  return thrust::reduce(o.begin(), e, 1.0, thrust::multiplies<double>()) + top * low + thrust::inner_product(d.begin(), d.end(), v.begin(), 0.0);
}
double moves(const double *x, int n) {
  std::vector<int> p(n); for (int i = 0; i < n; ++i) p[i] = i * 7 % n;
  thrust::device_vector<int> q = p; thrust::device_vector<double> v(x, x + n), a(n), b(n), g;
  thrust::gather(q.begin(), q.end(), v.begin(), a.begin());
  thrust::scatter(v.begin(), v.end(), q.begin(), b.begin());
  thrust::for_each(a.begin(), a.end(), [] __device__(double &y) { y = y * y; });
  for (int i = 0; i < 6; ++i) g.push_back(a[i] * b[i + 1]);
  g.resize(9, x[0]);
  thrust::host_vector<double> h = g;
  thrust::transform(h.begin(), h.end(), h.begin(), thrust::negate<double>());
  thrust::device_vector<double> w(g); w[2] += g[1];
  thrust::sort(w.begin(), w.end(), thrust::greater<double>());
  double *raw = thrust::raw_pointer_cast(a.data());
  double s = thrust::reduce(thrust::device, raw, raw + n, 0.0);
  return s + h[3] * h[4] + w[0] * w[3] + thrust::reduce(thrust::host, x, x + n, 0.0, thrust::maximum<double>());
}
int main() { rgCheckGradient(keys, 16, 0.6); rgCheckGradient(choose, 15, 0.6); rgCheckGradient(moves, 15, 0.6); return rgReport(); }
