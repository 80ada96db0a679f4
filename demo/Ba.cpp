//===- Ba.cpp - demo: bundle adjustment -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/Ba.h"
#include "Demo.h"
#include <cmath>

using namespace programs;

/// The column of parameter Index of the sparse Jacobian, as a dense vector.
static demo::Vector column(const BaInput &B, const demo::Vector &Entries,
                           size_t Index) {
  const size_t Count = B.NumObservations;
  demo::Vector Result(3 * Count);
  for (size_t I = 0; I < Count; ++I) {
    const size_t Starts[] = {size_t(BaCamera) * B.CameraOf[I],
                             B.pointsAt() + 3 * size_t(B.PointOf[I]),
                             B.weightsAt() + I};
    const size_t Lengths[] = {BaCamera, 3, 1},
                 Places[] = {0, BaCamera, BaCamera + 3};
    for (int Part = 0; Part < 3; ++Part)
      if (Index >= Starts[Part] && Index < Starts[Part] + Lengths[Part])
        for (int Row = 0; Row < 2; ++Row)
          Result[2 * I + Row] = Entries[(2 * I + Row) * BaBlock + Places[Part] +
                                        Index - Starts[Part]];
    if (Index == Starts[2])
      Result[2 * Count + I] = Entries[2 * BaBlock * Count + I];
  }
  return Result;
}

/// Sums over all stored entries, which see an entry at a wrong place.
static void checkSums(demo::Row &Row, const BaInput &B,
                      const demo::Vector &Entries, const demo::Reference &Ref) {
  const size_t Count = B.NumObservations;
  double Sum = 0, ByRow = 0, ByColumn = 0;
  auto add = [&](double Entry, size_t R, size_t C) {
    Sum += std::fabs(Entry);
    ByRow += std::fabs(Entry) * R;
    ByColumn += std::fabs(Entry) * C;
  };
  for (size_t I = 0; I < Count; ++I) {
    for (size_t R = 2 * I; R < 2 * I + 2; ++R) {
      const double *Block = &Entries[R * BaBlock];
      for (int J = 0; J < BaCamera; ++J)
        add(Block[J], R, size_t(BaCamera) * B.CameraOf[I] + J);
      for (int J = 0; J < 3; ++J)
        add(Block[BaCamera + J], R,
            B.pointsAt() + 3 * size_t(B.PointOf[I]) + J);
      add(Block[BaCamera + 3], R, B.weightsAt() + I);
    }
    add(Entries[2 * BaBlock * Count + I], 2 * Count + I, B.weightsAt() + I);
  }
  Row.checkDerivative(demo::Vector{Sum}, Ref["sparse_sum_abs"]);
  Row.checkDerivative(demo::Vector{ByRow}, Ref["sparse_sum_abs_times_row"]);
  Row.checkDerivative(demo::Vector{ByColumn}, Ref["sparse_sum_abs_times_col"]);
}

int main(int Argc, char **Argv) {
  demo::Folders Folders(Argc, Argv);
  demo::Row Rows("BA, sparse Jacobian"), Cost("BA, cost gradient");

  auto check = [&](const std::string &Stem) {
    const BaInput B = readBa(Stem + ".txt");
    const demo::Reference Ref(Stem + ".ref.txt");
    const size_t Count = B.NumObservations;
    const double *P = B.Parameters.data();

    demo::Vector Outputs(3 * Count), Entries((2 * BaBlock + 1) * Count);
    ba(B, P, Outputs.data());
    baJacobian(B, P, Entries.data());
    for (size_t I = 0; I < Count; ++I) {
      Rows.checkValue({Outputs[2 * I], Outputs[2 * I + 1]},
                      Ref["reproj_err_first"]);
      Rows.checkValue({Outputs[2 * Count + I]}, Ref["w_err_first"]);
      Rows.checkDerivative(&Entries[2 * BaBlock * I], Ref["J_reproj_first"]);
      Rows.checkDerivative(&Entries[2 * BaBlock * Count + I],
                           Ref["J_w_err_first"]);
    }
    checkSums(Rows, B, Entries, Ref);
    Rows.usedReference();

    demo::Vector Gradient(B.numParameters());
    baCostGradient(B, P, Gradient.data());
    Cost.checkValue({baCost(B, P)}, Ref["half_sum_squares"]);
    const double *D = Gradient.data();
    auto against = [&](const double *Value, const char *Part) {
      Cost.checkDerivative(Value,
                           Ref[std::string("half_sum_squares_d_") + Part]);
    };
    against(D, "cam_first");
    against(D + B.pointsAt() - BaCamera, "cam_last");
    against(D + B.pointsAt(), "point_first");
    against(D + B.weightsAt() - 3, "point_last");
    against(D + B.weightsAt(), "w_first");
    Cost.usedReference();
  };
  check(Folders.Own + "/ba");
  check(Folders.Own + "/ba_zero_rotation");
  if (!Folders.AdBench.empty())
    for (const char *Name :
         {"ba_n2_m10_p10", "ba_zero_rotation", "ba1_n49_m7776_p31843"})
      check(Folders.AdBench + "/ba/" + Name);

  const BaInput B = makeBa(49, 7776, 31843);
  const double *P = B.Parameters.data();
  const size_t Count = B.NumObservations;
  demo::Vector Outputs(3 * Count), Entries((2 * BaBlock + 1) * Count),
      Gradient(B.numParameters());

  baJacobian(B, P, Entries.data());
  for (size_t Index : {0, 2, 4, 6, 7, 9, 10, 11 * 48 + 1, 49 * 11 + 5,
                       49 * 11 + 3 * 7776 + 17}) {
    demo::Vector Direction(B.numParameters());
    Direction[Index] = 1;
    demo::Vector Expected = column(B, Entries, Index);
    Rows.checkCentral([&](const double *X, double *Out) { ba(B, X, Out); },
                      B.Parameters, Direction, Expected,
                      demo::largest(Expected));
  }
  Rows.measure([&] { ba(B, P, Outputs.data()); },
               [&] { baJacobian(B, P, Entries.data()); });
  bool Ok = Rows.print(B.numParameters());

  baCostGradient(B, P, Gradient.data());
  Cost.checkGradient([&](const double *X) { return baCost(B, X); },
                     B.Parameters, Gradient);
  Cost.measure([&] { baCost(B, P); },
               [&] { baCostGradient(B, P, Gradient.data()); });
  return !(Cost.print(B.numParameters()) & Ok);
}
