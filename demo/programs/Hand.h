//===- Hand.h - hand tracking (ADBench) -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hand of 22 bones and a skin of triangles is posed by 26 numbers: global
// rotation and translation, and four angles per finger. The residuals say how
// far the posed skin is from measured points. In the simple mode a measurement
// belongs to a vertex; in the complicated one it slides on a triangle, with two
// barycentric coordinates of its own as further unknowns.
//
// The Jacobian is tall (3 rows per measurement, 26 or 28 columns), so it is
// built by forward mode, one tangent direction per column, several in one call.
// Because each measurement has its own pair (u0, u1), one direction serves all
// u0 at once and one all u1.
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_HAND_H
#define PROGRAMS_HAND_H

#include "Numbers.h"
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace programs {

constexpr int HandPose = 26;

struct HandModel {
  std::vector<int> Parent;      ///< [bones], -1 for the root
  std::vector<double> Base;     ///< [bones][3][4], relative to the parent
  std::vector<double> Inverse;  ///< [bones][3][4], rest position to bone
  std::vector<double> Position; ///< [vertices][3]
  /// Vertex v hangs on bones WeightBone[WeightStart[v] .. WeightStart[v+1]).
  std::vector<int> WeightStart, WeightBone;
  std::vector<double> Weight;
  std::vector<int> Triangle; ///< [triangles][3]

  int numBones() const { return int(Parent.size()); }
  int numVertices() const { return int(Position.size() / 3); }
};

struct HandInput {
  HandModel Model;
  bool Complicated = false;
  std::vector<int> Correspondence; ///< vertices, or triangles
  std::vector<double> Measured;    ///< [n][3]
  /// theta[26], and in the complicated mode us[n][2].
  std::vector<double> Parameters;

  int count() const { return int(Correspondence.size()); }
  int numColumns() const { return HandPose + (Complicated ? 2 : 0); }
  int numRows() const { return 3 * count(); }
};

inline HandModel readHandModel(const std::string &Folder) {
  HandModel M;
  auto forEachRecord = [&](const char *File, auto Use) {
    std::ifstream In(Folder + "/" + File);
    if (!In) {
      std::fprintf(stderr, "%s/%s cannot be opened\n", Folder.c_str(), File);
      std::exit(2);
    }
    for (std::string Line; std::getline(In, Line);) {
      std::vector<std::string> Fields;
      std::istringstream Words(Line);
      for (std::string Word; std::getline(Words, Word, ':');)
        Fields.push_back(Word);
      if (Fields.size() >= 3)
        Use(Fields);
    }
  };
  auto number = [](const std::string &S) {
    return std::strtod(S.c_str(), nullptr);
  };
  forEachRecord("bones.txt", [&](const std::vector<std::string> &F) {
    M.Parent.push_back(std::stoi(F[1]));
    // The last row of both matrices is 0 0 0 1 and is left out.
    for (int I = 0; I < 12; ++I)
      M.Base.push_back(number(F[2 + I]));
    for (int I = 0; I < 12; ++I)
      M.Inverse.push_back(number(F[18 + I]));
  });
  M.WeightStart.push_back(0);
  forEachRecord("vertices.txt", [&](const std::vector<std::string> &F) {
    for (int I = 0; I < 3; ++I)
      M.Position.push_back(number(F[I]));
    for (int I = 0, Count = std::stoi(F[8]); I < Count; ++I) {
      M.WeightBone.push_back(std::stoi(F[9 + 2 * I]));
      M.Weight.push_back(number(F[10 + 2 * I]));
    }
    M.WeightStart.push_back(int(M.Weight.size()));
  });
  forEachRecord("triangles.txt", [&](const std::vector<std::string> &F) {
    for (int I = 0; I < 3; ++I)
      M.Triangle.push_back(std::stoi(F[I]));
  });
  return M;
}

inline HandInput readHand(const std::string &Path,
                          const std::string &ModelFolder, bool Complicated) {
  HandInput H;
  H.Model = readHandModel(ModelFolder);
  H.Complicated = Complicated;
  NumberReader In(Path);
  int Count = In.integer(), Pose = In.integer();
  if (Pose != HandPose) {
    std::fprintf(stderr, "%s is not for a pose of 26 numbers\n", Path.c_str());
    std::exit(2);
  }
  for (int I = 0; I < Count; ++I) {
    H.Correspondence.push_back(In.integer());
    for (int J = 0; J < 3; ++J)
      H.Measured.push_back(In.number());
  }
  std::vector<double> Us = In.numbers(Complicated ? size_t(2) * Count : 0);
  H.Parameters = In.numbers(HandPose);
  H.Parameters.insert(H.Parameters.end(), Us.begin(), Us.end());
  return H;
}

/// A hand of ADBench's proportions: 22 bones in its tree, each vertex on up to
/// four of them.
inline HandInput makeHand(int Vertices, int Measurements, bool Complicated) {
  Random R(5);
  HandInput H;
  HandModel &M = H.Model;
  const int Bones = 22;
  for (int B = 0; B < Bones; ++B) {
    M.Parent.push_back(B == 0 ? -1 : B == 21 || B % 4 == 1 ? 0 : B - 1);
    for (int I = 0; I < 12; ++I) {
      double Diagonal = I % 5 == 0 ? 1 : 0;
      M.Base.push_back(Diagonal + R.uniform(-0.2, 0.2));
      M.Inverse.push_back(Diagonal + R.uniform(-0.2, 0.2));
    }
  }
  M.WeightStart.push_back(0);
  for (int V = 0; V < Vertices; ++V) {
    for (int I = 0; I < 3; ++I)
      M.Position.push_back(R.uniform(-1, 1));
    const int Count = 1 + V % 4;
    for (int W = 0; W < Count; ++W) {
      M.WeightBone.push_back((V + 7 * W) % Bones);
      M.Weight.push_back(1.0 / Count);
    }
    M.WeightStart.push_back(int(M.Weight.size()));
    for (int Corner : {V, V + 1, V + 17})
      M.Triangle.push_back(Corner % Vertices);
  }
  H.Complicated = Complicated;
  for (int I = 0; I < Measurements; ++I)
    H.Correspondence.push_back(int(R.uniform() * Vertices));
  H.Measured = R.uniforms(3 * Measurements, -2, 2);
  H.Parameters =
      R.uniforms(HandPose + (Complicated ? 2 * Measurements : 0), 0.1, 0.4);
  return H;
}

/// Out = A * B for affine maps, stored as 3 rows of 4 numbers. Out must not be
/// A or B.
template <typename TA, typename TB, typename T>
void multiplyAffine(const TA *A, const TB *B, T *Out) {
  for (int I = 0; I < 3; ++I)
    for (int J = 0; J < 4; ++J) {
      T Sum =
          A[4 * I] * B[J] + A[4 * I + 1] * B[4 + J] + A[4 * I + 2] * B[8 + J];
      if (J == 3)
        Sum += A[4 * I + 3];
      Out[4 * I + J] = Sum;
    }
}

/// Bone rotations: Rz(abduction) * Rx(flexion), as an affine map.
template <typename T> void boneRotation(T Flexion, T Abduction, T *Out) {
  using std::cos;
  using std::sin;
  T Cx = cos(Flexion), Sx = sin(Flexion), Cz = cos(Abduction),
    Sz = sin(Abduction);
  T E[12] = {Cz,       -Sz * Cx, Sz * Sx, 0.0, Sz, Cz * Cx,
             -Cz * Sx, 0.0,      0.0,     Sx,  Cx, 0.0};
  for (int I = 0; I < 12; ++I)
    Out[I] = E[I];
}

/// Where the pose takes each bone: [bones][3][4], rest position to posed.
template <typename T>
void poseBones(const HandModel &M, const T *Theta, T *Transforms) {
  const int Bones = M.numBones();
  std::vector<T> World(size_t(Bones) * 12);
  for (int Bone = 0; Bone < Bones; ++Bone) {
    T Flexion = 0.0, Abduction = 0.0;
    // Bones 4k+1 .. 4k+4 are finger k; the first of them does not move.
    if (int Finger = (Bone - 1) / 4, Joint = (Bone - 1) % 4;
        Bone > 0 && Finger < 5 && Joint > 0) {
      const T *Angles = Theta + 6 + 4 * Finger;
      Flexion = Joint == 1 ? Angles[0] : Angles[Joint];
      if (Joint == 1)
        Abduction = Angles[1];
    }
    T Rotation[12], Local[12];
    boneRotation(Flexion, Abduction, Rotation);
    multiplyAffine(&M.Base[12 * Bone], Rotation, Local);
    T *W = &World[12 * Bone];
    if (M.Parent[Bone] < 0)
      for (int I = 0; I < 12; ++I)
        W[I] = Local[I];
    else
      multiplyAffine(&World[12 * M.Parent[Bone]], Local, W);
    multiplyAffine(W, &M.Inverse[12 * Bone], Transforms + 12 * Bone);
  }
}

/// Rotation by the vector W, row-major.
template <typename T> void globalRotation(const T *W, T *R) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  T Phi = sqrt(W[0] * W[0] + W[1] * W[1] + W[2] * W[2]);
  if (Phi < 0.0001) {
    for (int I = 0; I < 9; ++I)
      R[I] = I % 4 == 0 ? 1.0 : 0.0;
    return;
  }
  T A[3] = {W[0] / Phi, W[1] / Phi, W[2] / Phi};
  T C = cos(Phi), S = sin(Phi), D = 1.0 - C;
  R[0] = C + D * A[0] * A[0];
  R[1] = D * A[0] * A[1] - S * A[2];
  R[2] = D * A[0] * A[2] + S * A[1];
  R[3] = D * A[1] * A[0] + S * A[2];
  R[4] = C + D * A[1] * A[1];
  R[5] = D * A[1] * A[2] - S * A[0];
  R[6] = D * A[2] * A[0] - S * A[1];
  R[7] = D * A[2] * A[1] + S * A[0];
  R[8] = C + D * A[2] * A[2];
}

/// The residuals e[n][3]. All vertices are posed, used or not, as in ADBench.
/// Us is not read in the simple mode.
template <typename T>
void handObjective(const HandModel &M, bool Complicated, int Count,
                   const int *Correspondence, const double *Measured,
                   const T *Theta, const T *Us, T *Residuals) {
  std::vector<T> Transforms(M.Parent.size() * 12);
  poseBones(M, Theta, Transforms.data());
  T R[9];
  globalRotation(Theta, R);

  std::vector<T> Skin(M.Position.size());
  for (int V = 0, E = M.numVertices(); V < E; ++V) {
    const double *P = &M.Position[3 * V];
    T S[3] = {0.0, 0.0, 0.0};
    for (int W = M.WeightStart[V]; W < M.WeightStart[V + 1]; ++W) {
      const T *B = &Transforms[12 * M.WeightBone[W]];
      for (int I = 0; I < 3; ++I)
        S[I] += M.Weight[W] * (B[4 * I] * P[0] + B[4 * I + 1] * P[1] +
                               B[4 * I + 2] * P[2] + B[4 * I + 3]);
    }
    for (int I = 0; I < 3; ++I)
      Skin[3 * V + I] = R[3 * I] * S[0] + R[3 * I + 1] * S[1] +
                        R[3 * I + 2] * S[2] + Theta[3 + I];
  }

  for (int C = 0; C < Count; ++C)
    for (int J = 0; J < 3; ++J) {
      if (!Complicated) {
        Residuals[3 * C + J] =
            Measured[3 * C + J] - Skin[3 * Correspondence[C] + J];
        continue;
      }
      const int *Corner = &M.Triangle[3 * Correspondence[C]];
      T U = Us[2 * C], V = Us[2 * C + 1];
      Residuals[3 * C + J] =
          Measured[3 * C + J] -
          (U * Skin[3 * Corner[0] + J] + V * Skin[3 * Corner[1] + J] +
           (1.0 - U - V) * Skin[3 * Corner[2] + J]);
    }
}

/// The 3n residuals at Parameters (in the order of HandInput::Parameters).
void hand(const HandInput &H, const double *Parameters, double *Residuals);
/// The Jacobian, row-major, [3n][26] or [3n][28], by Retrograd's forward mode:
/// in the complicated mode the columns of that row's own u0 and u1 come first.
void handJacobian(const HandInput &H, const double *Parameters,
                  double *Jacobian);

} // namespace programs

#endif
