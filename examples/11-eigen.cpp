// Through a library that knows nothing of derivatives.
//
// Eigen's matrices are differentiated like any other code: the shadow of a
// matrix is a matrix of the same size.
//
// REQUIRES: eigen

#include <Eigen/Dense>
#include <cstdio>

double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

// How far the equilibrium of springs moves under a load.
double compliance(const Eigen::Matrix3d &stiffness,
                  const Eigen::Vector3d &load) {
  return load.dot(stiffness.inverse() * load);
}

int main() {
  Eigen::Matrix3d K, dK = Eigen::Matrix3d::Zero();
  K << 4, -1, 0, -1, 4, -1, 0, -1, 3;
  Eigen::Vector3d load(1, 0, 2), displacement = K.inverse() * load;
  __enzyme_autodiff((void *)compliance, enzyme_dup, &K, &dK, enzyme_const,
                    &load);
  // The derivative is known: -u u^T for a symmetric K.
  Eigen::Matrix3d error = dK + displacement * displacement.transpose();
  std::printf("by K(0,0) %.6f, largest error %.0e\n", dK(0, 0),
              error.cwiseAbs().maxCoeff() + 1e-15);
}

// RUN: %rgcxx -O2 -I%eigen %s -o %t && %t | FileCheck %s --check-prefix=prints
// prints: by K(0,0) {{-0[.][0-9]+}}, largest error 1e-15
