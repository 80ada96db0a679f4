//===- Fft.h - a recursive Fourier transform -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The textbook recursion (Cooley and Tukey, decimation in time): transform the
// even and the odd half, then combine them with the roots of unity. Complex
// numbers are pairs of doubles. Its gradient needs recursion in both sweeps.
//
//   F(x) = sum_k w_k log(1 + |X_k|^2),    X = transform of x
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_FFT_H
#define PROGRAMS_FFT_H

#include "Numbers.h"
#include <cmath>
#include <vector>

namespace programs {

struct FftInput {
  int N = 0;                   ///< a power of two
  std::vector<double> Signal;  ///< [N][2]
  std::vector<double> Roots;   ///< [N/2][2], exp(-2 pi i k / N)
  std::vector<double> Weights; ///< [N]
};

inline FftInput makeFft(int N) {
  Random R(1965);
  FftInput F;
  F.N = N;
  F.Signal = R.uniforms(size_t(2) * N, -1, 1);
  F.Weights = R.uniforms(N, 0.5, 1.5);
  for (int K = 0; K < N / 2; ++K) {
    F.Roots.push_back(std::cos(2 * M_PI * K / N));
    F.Roots.push_back(-std::sin(2 * M_PI * K / N));
  }
  return F;
}

/// Transforms the N numbers In[0], In[Stride], ... into Out[0 .. N). Roots are
/// those of the whole transform, of which this part uses every Stride-th.
template <typename T>
void fft(int N, int Stride, const T *In, T *Out, const double *Roots) {
  if (N == 1) {
    Out[0] = In[0];
    Out[1] = In[1];
    return;
  }
  const int Half = N / 2;
  fft(Half, 2 * Stride, In, Out, Roots);
  fft(Half, 2 * Stride, In + 2 * Stride, Out + 2 * Half, Roots);
  for (int K = 0; K < Half; ++K) {
    const double Cos = Roots[2 * K * Stride], Sin = Roots[2 * K * Stride + 1];
    T *Even = Out + 2 * K, *Odd = Out + 2 * (K + Half);
    T Re = Odd[0] * Cos - Odd[1] * Sin, Im = Odd[0] * Sin + Odd[1] * Cos;
    Odd[0] = Even[0] - Re;
    Odd[1] = Even[1] - Im;
    Even[0] += Re;
    Even[1] += Im;
  }
}

template <typename T>
T spectrumFunctional(int N, const T *Signal, const double *Roots,
                     const double *Weights) {
  using std::log;
  std::vector<T> Spectrum(size_t(2) * N);
  fft(N, 1, Signal, Spectrum.data(), Roots);
  T Sum = 0;
  for (int K = 0; K < N; ++K)
    Sum += Weights[K] * log(1.0 + Spectrum[2 * K] * Spectrum[2 * K] +
                            Spectrum[2 * K + 1] * Spectrum[2 * K + 1]);
  return Sum;
}

double spectrum(const FftInput &F, const double *Signal);
void spectrumGradient(const FftInput &F, const double *Signal,
                      double *Gradient);

} // namespace programs

#endif
