//===- Adolc.h - gradients by operator overloading -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ADOL-C, a peer that Debian carries: the same templates over its recording
// number type, then its reverse sweep. Recording is part of the time, since a
// new point may take other branches, as it is for the tools in published
// tables.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_ADOLC_H
#define BENCH_ADOLC_H

namespace programs {
struct GmmInput;
struct BaInput;
struct LstmInput;
struct FftInput;
struct BrusselatorInput;
} // namespace programs

namespace withAdolc {

void gmmGradient(const programs::GmmInput &G, const double *P, double *DP);
void baCostGradient(const programs::BaInput &B, const double *P, double *DP);
void lstmGradient(const programs::LstmInput &L, const double *P, double *DP);
void spectrumGradient(const programs::FftInput &F, const double *X, double *DX);
void brusselatorGradient(const programs::BrusselatorInput &B, const double *P,
                         double *DP);
void lseGradient(int N, const double *X, double *DX);
void llsqGradient(int M, int N, const double *X, double *DX);
void detGradient(int L, const double *A, double *DA);
void kmeansGradient(int N, int K, int D, const double *Points,
                    const double *Centroids, double *DCentroids);
void odeGradient(int N, int Steps, const double *X, double *DX);

} // namespace withAdolc

#endif
