// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: fftw
// RG-FLAGS: -lcufft
//
// Transforms of cuFFT: reverse against forward mode and differences, in one to three dimensions,
// batches, in place, packed and with layouts of the program's, where rows of different transforms
// share elements, too. Plans are made in the differentiated function, outside of it, and in two
// steps. What lies between the elements of a layout stays.
#include "rgtest.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cufft.h>

#ifndef _CUFFT_H_ // programs ask for it
#error "_CUFFT_H_"
#endif

extern int enzyme_dup, enzyme_const, enzyme_width, enzyme_dupv;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

struct two {
  double of[2];
};
enum { Forward, Inverse, ToComplex, Round, Kinds };
enum { Packed, Said, Overlapping, Layouts };
struct Setting {
  int kind, rank, odd, layout, inPlace, batch, outside, streams;
  cufftHandle there, back; // made outside
};
enum { Size = 768 };

template <class T> __global__ void soften(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) + T(0.5) * x[i];
}
// Keeps the symmetry of a real signal's spectrum.
template <class C> __global__ void damp(C *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    auto f = decltype(z[i].x)(0.1) / (1 + z[i].x * z[i].x + z[i].y * z[i].y);
    z[i].x *= f;
    z[i].y *= f;
  }
}

template <class T> struct Fft;
template <> struct Fft<double> {
  using C = cufftDoubleComplex;
  static constexpr cufftType Z2Z = CUFFT_Z2Z, D2Z = CUFFT_D2Z, Z2D = CUFFT_Z2D;
};
template <> struct Fft<float> {
  using C = cufftComplex;
  static constexpr cufftType Z2Z = CUFFT_C2C, D2Z = CUFFT_R2C, Z2D = CUFFT_C2R;
};
cufftResult exec(cufftHandle p, cufftDoubleComplex *a, cufftDoubleComplex *b, int d) { return cufftExecZ2Z(p, a, b, d); }
cufftResult exec(cufftHandle p, cufftComplex *a, cufftComplex *b, int d) { return cufftExecC2C(p, a, b, d); }
cufftResult exec(cufftHandle p, double *a, cufftDoubleComplex *b) { return cufftExecD2Z(p, a, b); }
cufftResult exec(cufftHandle p, float *a, cufftComplex *b) { return cufftExecR2C(p, a, b); }
cufftResult exec(cufftHandle p, cufftDoubleComplex *a, double *b) { return cufftExecZ2D(p, a, b); }
cufftResult exec(cufftHandle p, cufftComplex *a, float *b) { return cufftExecC2R(p, a, b); }

template <class T> cufftHandle plan(const Setting *w, bool back) {
  const int sizes[2][3][3] = {{{8}, {3, 4}, {2, 3, 4}}, {{7}, {4, 5}, {3, 2, 5}}};
  int n[3], in[3], out[3], r = w->rank;
  memcpy(n, sizes[w->odd][r - 1], sizeof n);
  cufftType type = w->kind < ToComplex ? Fft<T>::Z2Z : back ? Fft<T>::Z2D : Fft<T>::D2Z;
  cufftHandle p = CUFFT_PLAN_NULL;
  if (w->layout == Packed && w->batch == 1 && w->odd) { // in two steps
    size_t bytes;
    cufftCreate(&p);
    if (r == 1)
      cufftMakePlan1d(p, n[0], type, 1, &bytes);
    else if (r == 2)
      cufftMakePlan2d(p, n[0], n[1], type, &bytes);
    else
      cufftMakePlan3d(p, n[0], n[1], n[2], type, &bytes);
    return p;
  }
  if (w->layout == Packed && w->batch == 1) {
    if (r == 1)
      cufftPlan1d(&p, n[0], type, 1);
    else if (r == 2)
      cufftPlan2d(&p, n[0], n[1], type);
    else
      cufftPlan3d(&p, n[0], n[1], n[2], type);
    return p;
  }
  if (w->layout == Packed) {
    cufftPlanMany(&p, r, n, 0, 0, 0, 0, 0, 0, type, w->batch);
    return p;
  }
  int half = n[r - 1] / 2 + 1, every = 1, istride = 2, ostride = 1, idist, odist;
  for (int i = 0; i < r; i++)
    in[i] = out[i] = n[i] + 1;
  if (w->kind >= ToComplex)
    (back ? in : out)[r - 1] = half + 1;
  if (w->inPlace) { // real rows are twice as long
    istride = 1;
    if (w->kind >= ToComplex)
      (back ? out : in)[r - 1] = 2 * (half + 1);
    else
      memcpy(out, in, sizeof in);
  }
  idist = istride, odist = ostride;
  for (int i = 0; i < r; i++)
    idist *= in[i], odist *= out[i];
  if (w->layout == Overlapping && !w->inPlace)
    idist = 3 * every;
  cufftPlanMany(&p, r, n, in, istride, idist, out, ostride, odist, type, w->batch);
  return p;
}

template <class T> void clearRows(T *a, const Setting *w, cudaStream_t stream) {
  const int last[2][3] = {{8, 4, 4}, {7, 5, 5}}, rows[2][3] = {{1, 3, 6}, {1, 4, 6}}, saidRows[2][3] = {{1, 4, 12}, {1, 5, 12}};
  int n = last[w->odd][w->rank - 1], row = 2 * (n / 2 + 1 + (w->layout != Packed));
  int count = w->batch * (w->layout == Packed ? rows : saidRows)[w->odd][w->rank - 1];
  cudaMemset2DAsync(a + n, row * sizeof(T), 0, (row - n) * sizeof(T), count, stream);
}

template <class T> double f(const double *x, const Setting *w) {
  using C = typename Fft<T>::C;
  cufftHandle there = w->there, back = w->back;
  cudaStream_t stream = 0;
  if (!w->outside) {
    there = plan<T>(w, false);
    if (w->kind == Round)
      back = plan<T>(w, true);
  }
  if (w->streams) {
    cudaStreamCreate(&stream);
    cufftSetStream(there, stream);
    if (w->kind == Round)
      cufftSetStream(back, stream);
  }
  T host[2 * Size], *a, *b;
  for (int i = 0; i < 2 * Size; i++)
    host[i] = x[i];
  cudaMalloc(&a, sizeof host);
  b = a + Size;
  cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, stream);
  T *to = w->inPlace ? a : b;
  cufftResult e = CUFFT_SUCCESS;
  for (int round = 0; round < 2; ++round) {
    if (w->kind < ToComplex)
      e = exec(there, (C *)a, (C *)to, w->kind == Forward ? CUFFT_FORWARD : CUFFT_INVERSE);
    else
      e = exec(there, a, (C *)to);
    if (w->kind == Round && e == CUFFT_SUCCESS) {
      damp<<<Size / 64, 64, 0, stream>>>((C *)to, Size / 2);
      e = exec(back, (C *)to, a);
      // Who knows what the spectrum holds, or what lies between rows.
      if (!w->inPlace)
        cudaMemsetAsync(b, 0, Size * sizeof(T), stream);
      else
        clearRows(a, w, stream);
    }
    if (e != CUFFT_SUCCESS)
      return NAN;
    soften<<<2 * Size / 64, 64, 0, stream>>>(a, 2 * Size); // changes what was read
  }
  cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double s = 0;
  for (int i = 0; i < 2 * Size; ++i)
    s += host[i] * host[i] * (1 + i % 7) * 0.1;
  cudaFree(a);
  if (w->streams)
    cudaStreamDestroy(stream);
  if (!w->outside) {
    cufftDestroy(there);
    if (w->kind == Round)
      cufftDestroy(back);
  }
  return s;
}

template <class T> void check(Setting w) {
  static double x[2 * Size], g[2 * Size], t[2][2 * Size], up[2 * Size], down[2 * Size];
  double along[2] = {}, h = 1e-5;
  bool exact = sizeof(T) == sizeof(double);
  if (w.outside) {
    w.there = plan<T>(&w, false);
    if (w.kind == Round)
      w.back = plan<T>(&w, true);
  }
  for (int i = 0; i < 2 * Size; ++i)
    x[i] = 0.7 * sin(1.0 + 5 * i), g[i] = 0;
  __enzyme_autodiff<double>((void *)f<T>, enzyme_dup, x, g, enzyme_const, &w);
  for (int l = 0; l < 2; ++l)
    for (int i = 0; i < 2 * Size; ++i)
      t[l][i] = cos(3.0 * i + l), along[l] += t[l][i] * g[i];
  if (exact) {
    for (int i = 0; i < 2 * Size; ++i)
      up[i] = x[i] + h * t[0][i], down[i] = x[i] - h * t[0][i];
    RG_WITHIN(along[0], (f<T>(up, &w) - f<T>(down, &w)) / (2 * h), 1e-5);
  }
  two v = __enzyme_fwddiff<two>((void *)f<T>, enzyme_width, 2, enzyme_dup, x, t[0], t[1], enzyme_const, &w);
  RG_WITHIN(v.of[0], along[0], exact ? 1e-10 : 1e-4);
  RG_WITHIN(v.of[1], along[1], exact ? 1e-10 : 1e-4);
  if (w.outside) {
    cufftDestroy(w.there);
    if (w.kind == Round)
      cufftDestroy(w.back);
  }
}

int main() {
  int number = 0;
  for (int kind = 0; kind < Kinds; ++kind)
    for (int rank = 1; rank <= 3; ++rank)
      for (int way = 0; way < 12; ++way) {
        int layout = way % 3;
        if (layout == Overlapping && kind == Round)
          continue; // it would write there
        Setting w = {kind, rank, way & 1, layout, way >> 1 & 1, way / 6 ? 3 : 1, ++number % 3 == 0, number % 4 == 0};
        check<double>(w);
        if (number % 3 == 0)
          check<float>(w);
      }
  return rgReport();
}
