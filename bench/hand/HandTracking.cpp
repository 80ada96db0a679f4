//===- HandTracking.cpp - hand tracking's Jacobian, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An angle moves the bones of its own finger and no other, so a vertex has at
// most a few columns beside the six of the global motion, and only vertices
// that some measurement uses are worth posing.
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/Hand.h"
#include "Hand.h"
#include <algorithm>

using namespace programs;

namespace {

/// Derivatives of the bone rotation, as affine maps without translation.
void byFlexion(double X, double Z, double *E) {
  const double Cx = std::cos(X), Sx = std::sin(X), Cz = std::cos(Z),
               Sz = std::sin(Z);
  const double D[12] = {0,        Sz * Sx, Sz * Cx, 0,  0,   -Cz * Sx,
                        -Cz * Cx, 0,       0,       Cx, -Sx, 0};
  std::copy_n(D, 12, E);
}
void byAbduction(double X, double Z, double *E) {
  const double Cx = std::cos(X), Sx = std::sin(X), Cz = std::cos(Z),
               Sz = std::sin(Z);
  const double D[12] = {-Sz,     -Cz * Cx, Cz * Sx, 0, Cz, -Sz * Cx,
                        Sz * Sx, 0,        0,       0, 0,  0};
  std::copy_n(D, 12, E);
}

/// Out = A * B, where A is a derivative: its last row is 0 0 0 0.
void multiplyTangent(const double *A, const double *B, double *Out) {
  for (int I = 0; I < 3; ++I)
    for (int J = 0; J < 4; ++J)
      Out[4 * I + J] = A[4 * I] * B[J] + A[4 * I + 1] * B[4 + J] +
                       A[4 * I + 2] * B[8 + J] + (J == 3 ? A[4 * I + 3] : 0);
}

/// Out = A * B, where B is a derivative.
void multiplyByTangent(const double *A, const double *B, double *Out) {
  for (int I = 0; I < 3; ++I)
    for (int J = 0; J < 4; ++J)
      Out[4 * I + J] =
          A[4 * I] * B[J] + A[4 * I + 1] * B[4 + J] + A[4 * I + 2] * B[8 + J];
}

/// Posed position of a vertex and its derivatives by the pose.
struct Posed {
  double At[3];
  double By[HandPose][3];
};

class Tracker {
public:
  Tracker(const HandModel &M, const double *Theta)
      : M(M), Theta(Theta), Transforms(M.Parent.size() * 12),
        Tangents(M.Parent.size() * 48) {
    poseBones(M, Theta, Transforms.data());
    for (int Finger = 0; Finger < 5; ++Finger)
      differentiateFinger(Finger);
    globalRotation(Theta, R);
    differentiateRotation();
  }

  void pose(int V, Posed &P) const {
    double S[3] = {0, 0, 0}, BoneBy[20][3] = {};
    const double *Q = &M.Position[3 * V];
    for (int W = M.WeightStart[V]; W < M.WeightStart[V + 1]; ++W) {
      const int Bone = M.WeightBone[W];
      auto add = [&](const double *T, double *To) {
        for (int I = 0; I < 3; ++I)
          To[I] += M.Weight[W] * (T[4 * I] * Q[0] + T[4 * I + 1] * Q[1] +
                                  T[4 * I + 2] * Q[2] + T[4 * I + 3]);
      };
      add(&Transforms[12 * Bone], S);
      if (Bone >= 1 && Bone <= 20 && (Bone - 1) % 4 != 0)
        for (int Angle = 0; Angle < 4; ++Angle)
          add(&Tangents[48 * Bone + 12 * Angle],
              BoneBy[4 * ((Bone - 1) / 4) + Angle]);
    }
    auto rotate = [](const double *R, const double *X, double *Out) {
      for (int I = 0; I < 3; ++I)
        Out[I] = R[3 * I] * X[0] + R[3 * I + 1] * X[1] + R[3 * I + 2] * X[2];
    };
    rotate(R, S, P.At);
    for (int I = 0; I < 3; ++I)
      P.At[I] += Theta[3 + I];
    for (int J = 0; J < 3; ++J) {
      rotate(DR[J], S, P.By[J]);
      for (int I = 0; I < 3; ++I)
        P.By[3 + J][I] = I == J;
    }
    for (int A = 0; A < 20; ++A)
      rotate(R, BoneBy[A], P.By[6 + A]);
  }

private:
  void differentiateFinger(int Finger) {
    const double *Angles = Theta + 6 + 4 * Finger;
    const int First = 4 * Finger + 1;
    // World transforms of the finger's bones, from the root down.
    double World[5][12];
    std::copy_n(&M.Base[0], 12, World[0]); // the wrist does not move
    double Local[12], Rotation[12], ByAngle[12], Product[12],
        DWorld[4][12] = {};
    bool Moved[4] = {};
    for (int Joint = 0; Joint < 4; ++Joint) {
      const int Bone = First + Joint;
      const double *Base = &M.Base[12 * Bone], *Parent = World[Joint];
      const double X = Joint == 0 ? 0 : Joint == 1 ? Angles[0] : Angles[Joint];
      const double Z = Joint == 1 ? Angles[1] : 0;
      boneRotation(X, Z, Rotation);
      multiplyAffine(Base, Rotation, Local);
      multiplyAffine(Parent, Local, World[Joint + 1]);
      for (int A = 0; A < 4; ++A) {
        if (Moved[A]) {
          multiplyTangent(DWorld[A], Local, Product);
          std::copy_n(Product, 12, DWorld[A]);
        }
        const int Own = A < 2 ? 1 : A;
        if (Joint == Own) {
          A == 1 ? byAbduction(X, Z, ByAngle) : byFlexion(X, Z, ByAngle);
          multiplyByTangent(Base, ByAngle, Product);
          multiplyByTangent(Parent, Product, DWorld[A]);
          Moved[A] = true;
        }
        multiplyTangent(DWorld[A], &M.Inverse[12 * Bone],
                        &Tangents[48 * Bone + 12 * A]);
      }
    }
  }

  void differentiateRotation() {
    const double Phi = std::sqrt(Theta[0] * Theta[0] + Theta[1] * Theta[1] +
                                 Theta[2] * Theta[2]);
    for (auto &D : DR)
      std::fill_n(D, 9, 0.0);
    if (Phi < 0.0001)
      return;
    const double A[3] = {Theta[0] / Phi, Theta[1] / Phi, Theta[2] / Phi};
    const double C = std::cos(Phi), S = std::sin(Phi);
    for (int K = 0; K < 3; ++K) {
      double DA[3];
      for (int I = 0; I < 3; ++I)
        DA[I] = ((I == K) - A[I] * A[K]) / Phi;
      const double DC = -S * A[K], DS = C * A[K];
      const double Skew[9] = {0, -A[2], A[1], A[2], 0, -A[0], -A[1], A[0], 0};
      const double DSkew[9] = {0,      -DA[2], DA[1], DA[2], 0,
                               -DA[0], -DA[1], DA[0], 0};
      for (int I = 0; I < 3; ++I)
        for (int J = 0; J < 3; ++J)
          DR[K][3 * I + J] = (I == J) * DC + DS * Skew[3 * I + J] +
                             S * DSkew[3 * I + J] - DC * A[I] * A[J] +
                             (1 - C) * (DA[I] * A[J] + A[I] * DA[J]);
    }
  }

  const HandModel &M;
  const double *Theta;
  std::vector<double> Transforms, Tangents; ///< Tangents: [bone][angle][3][4]
  double R[9], DR[3][9];
};

} // namespace

void hand::handJacobian(const HandInput &H, const double *P, double *Jacobian) {
  const Tracker T(H.Model, P);
  const int Columns = H.numColumns(), Own = Columns - HandPose;
  Posed V[3];
  for (int C = 0; C < H.count(); ++C) {
    double *Rows = Jacobian + size_t(3) * C * Columns;
    if (!H.Complicated) {
      T.pose(H.Correspondence[C], V[0]);
      for (int I = 0; I < 3; ++I)
        for (int J = 0; J < HandPose; ++J)
          Rows[I * Columns + J] = -V[0].By[J][I];
      continue;
    }
    const int *Corner = &H.Model.Triangle[3 * H.Correspondence[C]];
    for (int K = 0; K < 3; ++K)
      T.pose(Corner[K], V[K]);
    const double *U = P + HandPose + 2 * C, Third = 1 - U[0] - U[1];
    for (int I = 0; I < 3; ++I) {
      Rows[I * Columns] = V[2].At[I] - V[0].At[I];
      Rows[I * Columns + 1] = V[2].At[I] - V[1].At[I];
      for (int J = 0; J < HandPose; ++J)
        Rows[I * Columns + Own + J] =
            -(U[0] * V[0].By[J][I] + U[1] * V[1].By[J][I] +
              Third * V[2].By[J][I]);
    }
  }
}
