//===- Ba.cpp - bundle adjustment, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything about an observation that both rows share (rotation, projection,
// distortion) is computed once; a row is then the product of a 1 x 3 vector
// with the derivative of the rotated point.
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/Ba.h"
#include "Hand.h"
#include <algorithm>

using programs::BaBlock;
using programs::BaCamera;
using programs::BaInput;

namespace {

double dot(const double *A, const double *B) {
  return A[0] * B[0] + A[1] * B[1] + A[2] * B[2];
}
void cross(const double *A, const double *B, double *Out) {
  Out[0] = A[1] * B[2] - A[2] * B[1];
  Out[1] = A[2] * B[0] - A[0] * B[2];
  Out[2] = A[0] * B[1] - A[1] * B[0];
}

/// One observation, and what the derivatives of its residuals need.
struct Observation {
  Observation(const double *Camera, const double *Point, double W,
              const double *Feature)
      : Camera(Camera), W(W) {
    const double *R = Camera;
    for (int I = 0; I < 3; ++I)
      Y[I] = Point[I] - Camera[3 + I];
    double Theta2 = dot(R, R), Z[3], Cross[3];
    Rotated = Theta2 != 0;
    if (Rotated) {
      Theta = std::sqrt(Theta2);
      Cos = std::cos(Theta), Sin = std::sin(Theta);
      for (int I = 0; I < 3; ++I)
        E[I] = R[I] / Theta;
      EY = dot(E, Y);
      cross(E, Y, Cross);
      for (int I = 0; I < 3; ++I) {
        Z[I] = Y[I] * Cos + Cross[I] * Sin + E[I] * EY * (1 - Cos);
        ByTheta[I] = (E[I] * EY - Y[I]) * Sin + Cross[I] * Cos;
      }
    } else {
      cross(R, Y, Cross);
      for (int I = 0; I < 3; ++I)
        Z[I] = Y[I] + Cross[I];
    }
    Inverse = 1 / Z[2];
    G = Z[0] * Inverse, H = Z[1] * Inverse;
    S = G * G + H * H;
    L = 1 + S * (Camera[9] + Camera[10] * S);
    Slope = 2 * (Camera[9] + 2 * Camera[10] * S);
    Plain[0] = Camera[6] * L * G + Camera[7] - Feature[0];
    Plain[1] = Camera[6] * L * H + Camera[8] - Feature[1];
  }

  /// Adds A r0' + B r1' to the derivatives by camera, point and weight.
  void pull(double A, double B, double *DCamera, double *DPoint,
            double *DWeight) const {
    const double F = Camera[6], Wa = W * A, Wb = W * B;
    const double Radial = Wa * G + Wb * H;
    *DWeight += A * Plain[0] + B * Plain[1];
    DCamera[6] += L * Radial;
    DCamera[7] += Wa;
    DCamera[8] += Wb;
    DCamera[9] += F * S * Radial;
    DCamera[10] += F * S * S * Radial;
    const double DG = F * (Wa * L + Radial * Slope * G);
    const double DH = F * (Wb * L + Radial * Slope * H);
    const double DZ[3] = {DG * Inverse, DH * Inverse,
                          -(DG * G + DH * H) * Inverse};
    double DY[3], Turn[3];
    if (Rotated) {
      // Z is linear in Y: DY is DZ rotated back.
      cross(DZ, E, Turn);
      const double EDZ = dot(E, DZ);
      for (int I = 0; I < 3; ++I)
        DY[I] = DZ[I] * Cos + Turn[I] * Sin + E[I] * EDZ * (1 - Cos);
      cross(Y, DZ, Turn);
      double DE[3];
      for (int I = 0; I < 3; ++I)
        DE[I] = Turn[I] * Sin + (EY * DZ[I] + EDZ * Y[I]) * (1 - Cos);
      const double DTheta = dot(ByTheta, DZ), Along = dot(E, DE);
      for (int I = 0; I < 3; ++I)
        DCamera[I] += E[I] * DTheta + (DE[I] - E[I] * Along) / Theta;
    } else {
      cross(DZ, Camera, Turn);
      for (int I = 0; I < 3; ++I)
        DY[I] = DZ[I] + Turn[I];
      cross(Y, DZ, Turn);
      for (int I = 0; I < 3; ++I)
        DCamera[I] += Turn[I];
    }
    for (int I = 0; I < 3; ++I) {
      DCamera[3 + I] -= DY[I];
      DPoint[I] += DY[I];
    }
  }

  const double *Camera;
  double W, Y[3], E[3], ByTheta[3], Plain[2];
  double Theta, Cos, Sin, EY, Inverse, G, H, S, L, Slope;
  bool Rotated;
};

} // namespace

void hand::baJacobian(const BaInput &B, const double *P, double *Entries) {
  const size_t Count = B.NumObservations;
  const double *Points = P + B.pointsAt(), *Weights = P + B.weightsAt();
  std::fill_n(Entries, 2 * BaBlock * Count, 0.0);
  for (size_t I = 0; I < Count; ++I) {
    const Observation O(P + BaCamera * B.CameraOf[I], Points + 3 * B.PointOf[I],
                        Weights[I], &B.Features[2 * I]);
    double *Row = Entries + 2 * I * BaBlock;
    O.pull(1, 0, Row, Row + BaCamera, Row + BaCamera + 3);
    Row += BaBlock;
    O.pull(0, 1, Row, Row + BaCamera, Row + BaCamera + 3);
    Entries[2 * BaBlock * Count + I] = -2 * Weights[I];
  }
}

void hand::baCostGradient(const BaInput &B, const double *P, double *DP) {
  const double *Points = P + B.pointsAt(), *Weights = P + B.weightsAt();
  double *DPoints = DP + B.pointsAt(), *DWeights = DP + B.weightsAt();
  std::fill_n(DP, B.numParameters(), 0.0);
  for (int I = 0; I < B.NumObservations; ++I) {
    const int Camera = BaCamera * B.CameraOf[I], Point = 3 * B.PointOf[I];
    const double W = Weights[I];
    const Observation O(P + Camera, Points + Point, W, &B.Features[2 * I]);
    O.pull(W * O.Plain[0], W * O.Plain[1], DP + Camera, DPoints + Point,
           DWeights + I);
    DWeights[I] -= 2 * W * (1 - W * W);
  }
}
