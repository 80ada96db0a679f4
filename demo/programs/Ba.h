//===- Ba.h - bundle adjustment (ADBench) -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cameras look at points; each observation compares where a camera sees a point
// with where it should. A camera is eleven numbers: rotation vector, centre,
// focal length, principal point, two coefficients of radial distortion.
//
// Two derivatives are asked of it. The Jacobian of all residuals is sparse, one
// block of 2 x 15 per observation and one number per weight; as in ADBench each
// row of a block is one reverse sweep. Half the sum of squares of all residuals
// is a scalar, whose gradient is one sweep through everything.
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_BA_H
#define PROGRAMS_BA_H

#include "Numbers.h"
#include <cmath>
#include <string>
#include <vector>

namespace programs {

constexpr int BaCamera = 11;
constexpr int BaBlock = BaCamera + 3 + 1;

struct BaInput {
  int NumCameras = 0, NumPoints = 0, NumObservations = 0;
  /// cameras[n][11], points[m][3], weights[p], one after another.
  std::vector<double> Parameters;
  std::vector<double> Features;       ///< [p][2]
  std::vector<int> CameraOf, PointOf; ///< [p]

  size_t pointsAt() const { return size_t(NumCameras) * BaCamera; }
  size_t weightsAt() const { return pointsAt() + size_t(NumPoints) * 3; }
  size_t numParameters() const { return weightsAt() + NumObservations; }
};

/// The file holds one camera, point, weight and feature; all are copies of it.
inline BaInput replicateBa(int N, int M, int P,
                           const std::vector<double> &Camera,
                           const std::vector<double> &Point, double Weight,
                           const std::vector<double> &Feature) {
  BaInput B;
  B.NumCameras = N, B.NumPoints = M, B.NumObservations = P;
  for (int I = 0; I < N; ++I)
    B.Parameters.insert(B.Parameters.end(), Camera.begin(), Camera.end());
  for (int I = 0; I < M; ++I)
    B.Parameters.insert(B.Parameters.end(), Point.begin(), Point.end());
  B.Parameters.insert(B.Parameters.end(), P, Weight);
  for (int I = 0; I < P; ++I) {
    B.Features.insert(B.Features.end(), Feature.begin(), Feature.end());
    B.CameraOf.push_back(I % N);
    B.PointOf.push_back(I % M);
  }
  return B;
}

inline BaInput readBa(const std::string &Path) {
  NumberReader In(Path);
  int N = In.integer(), M = In.integer(), P = In.integer();
  std::vector<double> Camera = In.numbers(BaCamera), Point = In.numbers(3);
  double Weight = In.number();
  return replicateBa(N, M, P, Camera, Point, Weight, In.numbers(2));
}

inline BaInput makeBa(int N, int M, int P) {
  return replicateBa(
      N, M, P,
      {0.31, -0.12, 0.47, -1.1, 0.4, -6.5, 620, 250, 180, 0.03, -0.004},
      {0.6, -0.9, 1.2}, 0.84, {240, 170});
}

/// Where a camera sees a point, less where it should, times the weight.
template <typename T>
void baResidual(const T *Camera, const T *Point, const T *Weight,
                const double *Feature, T *Residual) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T *R = Camera, *Centre = Camera + 3;
  T Y[3] = {Point[0] - Centre[0], Point[1] - Centre[1], Point[2] - Centre[2]};
  T Z[3];
  T Theta2 = R[0] * R[0] + R[1] * R[1] + R[2] * R[2];
  if (Theta2 != 0) {
    T Theta = sqrt(Theta2);
    T Cos = cos(Theta), Sin = sin(Theta), Inverse = 1.0 / Theta;
    T E[3] = {R[0] * Inverse, R[1] * Inverse, R[2] * Inverse};
    T Cross[3] = {E[1] * Y[2] - E[2] * Y[1], E[2] * Y[0] - E[0] * Y[2],
                  E[0] * Y[1] - E[1] * Y[0]};
    T Along = (E[0] * Y[0] + E[1] * Y[1] + E[2] * Y[2]) * (1.0 - Cos);
    for (int I = 0; I < 3; ++I)
      Z[I] = Y[I] * Cos + Cross[I] * Sin + E[I] * Along;
  } else {
    Z[0] = Y[0] + (R[1] * Y[2] - R[2] * Y[1]);
    Z[1] = Y[1] + (R[2] * Y[0] - R[0] * Y[2]);
    Z[2] = Y[2] + (R[0] * Y[1] - R[1] * Y[0]);
  }
  T G = Z[0] / Z[2], H = Z[1] / Z[2];
  T S = G * G + H * H;
  T L = 1.0 + Camera[9] * S + Camera[10] * S * S;
  Residual[0] = *Weight * (Camera[6] * L * G + Camera[7] - Feature[0]);
  Residual[1] = *Weight * (Camera[6] * L * H + Camera[8] - Feature[1]);
}

template <typename T> T baWeightError(T Weight) {
  return 1.0 - Weight * Weight;
}

/// All 3p outputs: the residuals of each observation, then the weight errors.
template <typename T>
void baOutputs(int P, const int *CameraOf, const int *PointOf, const T *Cameras,
               const T *Points, const T *Weights, const double *Features,
               T *Outputs) {
  for (int I = 0; I < P; ++I)
    baResidual(Cameras + BaCamera * CameraOf[I], Points + 3 * PointOf[I],
               Weights + I, Features + 2 * I, Outputs + 2 * I);
  for (int I = 0; I < P; ++I)
    Outputs[2 * P + I] = baWeightError(Weights[I]);
}

template <typename T>
T baHalfSumOfSquares(int P, const int *CameraOf, const int *PointOf,
                     const T *Cameras, const T *Points, const T *Weights,
                     const double *Features) {
  T Sum = 0;
  for (int I = 0; I < P; ++I) {
    T Residual[2];
    baResidual(Cameras + BaCamera * CameraOf[I], Points + 3 * PointOf[I],
               Weights + I, Features + 2 * I, Residual);
    T Error = baWeightError(Weights[I]);
    Sum +=
        Residual[0] * Residual[0] + Residual[1] * Residual[1] + Error * Error;
  }
  return 0.5 * Sum;
}

/// The 3p outputs at Parameters.
void ba(const BaInput &B, const double *Parameters, double *Outputs);
/// The 31p stored entries of the sparse Jacobian, by Retrograd: for each
/// observation its block of two rows of 15 (camera, point, weight), then
/// dwe/dw of each weight.
void baJacobian(const BaInput &B, const double *Parameters, double *Entries);

double baCost(const BaInput &B, const double *Parameters);
void baCostGradient(const BaInput &B, const double *Parameters,
                    double *Gradient);

} // namespace programs

#endif
