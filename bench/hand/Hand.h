//===- Hand.h - gradients as a careful person writes them -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The measure of `make bench`: for each program a derivative written by hand
// from the mathematics, with the freedom that a person has (knowing that a
// transform is linear, which values are worth storing, that a Jacobian block is
// small). Each is checked against Retrograd's before anything is timed.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_HAND_H
#define BENCH_HAND_H

namespace programs {
struct GmmInput;
struct BaInput;
struct HandInput;
struct LstmInput;
struct FftInput;
struct BrusselatorInput;
template <typename Real> struct TransformerInput;
} // namespace programs

namespace hand {

void gmmGradient(const programs::GmmInput &G, const double *P, double *DP);
void baJacobian(const programs::BaInput &B, const double *P, double *Entries);
void baCostGradient(const programs::BaInput &B, const double *P, double *DP);
void handJacobian(const programs::HandInput &H, const double *P,
                  double *Jacobian);
void lstmGradient(const programs::LstmInput &L, const double *P, double *DP);
void spectrumGradient(const programs::FftInput &F, const double *X, double *DX);
void brusselatorGradient(const programs::BrusselatorInput &B, const double *P,
                         double *DP);
void lorenzEulerGradient(const double *X, int Steps, double *DX);
void lorenzRk4Gradient(const double *X, int Steps, double *DX);
void lotkaVolterraEulerGradient(const double *X, int Steps, double *DX);
void lotkaVolterraRk4Gradient(const double *X, int Steps, double *DX);

void lseGradient(int N, const double *X, double *DX);
void llsqGradient(int M, int N, const double *X, double *DX);
void detGradient(int L, const double *A, double *DA);
void kmeansGradient(int N, int K, int D, const double *Points,
                    const double *Centroids, double *DCentroids);
void odeGradient(int N, int Steps, const double *X, double *DX);
/// Leaves the gradient in DParameters.
void transformerGradient(programs::TransformerInput<float> &I);

} // namespace hand

#endif
